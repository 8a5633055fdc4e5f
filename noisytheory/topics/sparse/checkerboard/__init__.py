"""Clusters on a checkerboard: the experiment of Section 7.1."""
