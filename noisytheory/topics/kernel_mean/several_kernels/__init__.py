"""Theorem 6: several kernels at once."""
