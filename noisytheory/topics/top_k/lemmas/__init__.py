"""The lemmas behind Theorem 2."""
