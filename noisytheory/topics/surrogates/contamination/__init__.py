"""Mutual contamination, balanced error, AUC, and noise that varies with the instance."""
