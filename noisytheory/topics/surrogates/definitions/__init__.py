"""Definitions in their own words: losses, convex potentials, calibration."""
