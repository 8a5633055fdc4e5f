"""Margins and norms of trained machines."""
