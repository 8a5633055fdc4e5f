"""The same from the sample alone: bounds inverted."""
