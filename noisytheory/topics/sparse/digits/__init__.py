"""Herds of digits: Figure 1 of the earlier version."""
