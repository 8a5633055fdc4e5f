"""What Section 2 says of the protocol itself: regret, and what it is worth for a batch."""
