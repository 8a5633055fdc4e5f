"""The stochastic method."""
