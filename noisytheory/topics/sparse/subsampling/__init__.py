"""Random sub-sampling, and what no few points can beat: Sections 5 and 5.1."""
