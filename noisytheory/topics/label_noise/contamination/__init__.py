"""A share of another population in the clean one."""
