"""Margins of an arbitrary classifier."""
