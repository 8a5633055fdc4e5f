"""``python -m noisytheory`` is the command line."""

from __future__ import annotations

from noisytheory.cli import main

# Worker processes import this module again, under another name.
if __name__ == "__main__":
    main()
