"""Tables, in print and run again."""
