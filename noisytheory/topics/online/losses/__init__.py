"""The losses of Section 4.2: their majorants, and what smoothing costs."""
