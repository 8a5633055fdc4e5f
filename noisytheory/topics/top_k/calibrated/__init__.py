"""From which tail mass on the minimiser sees the labels."""
