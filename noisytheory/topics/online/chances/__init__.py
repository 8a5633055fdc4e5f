"""Regret with high probability: what follows the remark after Theorem 1."""
