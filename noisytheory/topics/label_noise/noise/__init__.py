"""Labels flipped at one rate."""
