"""What the learner regrets: Theorems 1, 2 and 4, and adversaries."""
