"""Algorithm 1 as printed and mended, and the parallel example, on numbers of the line."""
