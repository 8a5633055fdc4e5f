"""What papers speak of: kernels, losses, noise, populations, exact arithmetic, domains."""
