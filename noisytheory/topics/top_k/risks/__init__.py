"""Hinge risks of populations, and whether infima are attained."""
