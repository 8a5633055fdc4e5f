"""Regret for misclassification and for linear loss."""
