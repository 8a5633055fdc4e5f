"""Means of vectors in a Hilbert space."""
