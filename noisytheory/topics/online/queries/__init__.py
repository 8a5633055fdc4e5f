"""How many queries and operations a round takes: the countable parts of the theorems."""
