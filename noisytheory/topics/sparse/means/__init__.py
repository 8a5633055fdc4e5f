"""Means of means, and distances of labelled features."""
