"""Which pair of classes to correct, and shares of classes: Section 3.5."""
