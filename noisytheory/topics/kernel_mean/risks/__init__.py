"""The deviation as the largest gap of population and sample risk."""
