"""Generalisation bounds of the earlier paper whose formulas are lost."""
