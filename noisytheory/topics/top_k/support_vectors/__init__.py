"""Machines with the average top-k hinge or absolute loss."""
