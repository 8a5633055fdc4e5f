"""What the experiments of Section 4 are made of, on trial."""
