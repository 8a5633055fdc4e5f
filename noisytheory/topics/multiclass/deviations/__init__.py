"""How far update vectors are from their means: Proposition 3 and its proof."""
