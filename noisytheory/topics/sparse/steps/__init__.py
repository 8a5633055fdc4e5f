"""One step of herding, by each of its rules, and the best weights on atoms."""
