"""Orders on distributions: which losses rank classifiers the same with and without label noise."""
