"""Table 1: what exact minimisers on the printed population give instead."""
