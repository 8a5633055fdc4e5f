"""Aggregate losses: what they are, and how they relate."""
