"""One copy is not enough, two are: Section 4.3."""
