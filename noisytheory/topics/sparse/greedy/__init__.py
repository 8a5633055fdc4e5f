"""The greedy loop of the earlier version: its steps, its end, its cost."""
