"""Regret: what a small surrogate regret says about misclassification."""
