"""Means of update vectors from noisy labels: Sections 3.2 and 3.3."""
