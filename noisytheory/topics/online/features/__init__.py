"""Features of kernels, their estimates, gradient lengths and projections."""
