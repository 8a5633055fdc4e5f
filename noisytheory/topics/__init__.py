"""What the papers claim, by topic: bounds, what they speak of, claims that tie them together."""
