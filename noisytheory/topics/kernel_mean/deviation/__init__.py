"""How far a sample's kernel mean lies from its population's: Theorem 5, repaired and sharpened."""
