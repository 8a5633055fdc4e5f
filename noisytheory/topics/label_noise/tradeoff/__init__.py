"""Robustness against sparsity."""
