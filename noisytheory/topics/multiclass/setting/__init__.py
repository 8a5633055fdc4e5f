"""Margins, confusion matrices and what they allow: Section 2."""
