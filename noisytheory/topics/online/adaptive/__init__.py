"""Labels chosen with sight of the predictor: Theorem 4 where it falls, and repaired."""
