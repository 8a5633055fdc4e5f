"""Toy cases and figures."""
