"""Rates of herding, where the geometry of the hull is known."""
