"""Choosing a classifier by what it gets wrong on noisy labels, each example left out in turn."""
