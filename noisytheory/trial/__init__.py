"""What a claim is, and how it is tried: evidence, verdicts, streams, stores and engines."""
