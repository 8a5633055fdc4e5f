"""Sub-sampling of clusters: Theorem 21, Algorithms 1 and 2, the span."""
