"""The average top-k loss on trial."""
