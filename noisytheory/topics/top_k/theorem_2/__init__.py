"""The excess risk."""
