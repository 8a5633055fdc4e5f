"""Margins, approximation and contamination, as the earlier paper states them."""
