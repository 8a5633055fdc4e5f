"""Partitions of small samples: the traversal, luckiness, projection, both signs."""
