"""Functions with bounded differences."""
