"""Mistakes of ultraconservative algorithms: Section 3.1."""
