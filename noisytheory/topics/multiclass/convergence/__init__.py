"""When UMA stops, and with which error: Sections 3.4 and 3.5."""
