"""What a convex potential makes of the mean in a small ball."""
