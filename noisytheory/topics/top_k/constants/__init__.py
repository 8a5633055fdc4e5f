"""Constants of the error bounds."""
