"""Three points that defeat convex potentials: minimisers in closed form, and the printed table."""
