"""``python -m noisytheory`` is the command line."""

from __future__ import annotations

# Worker processes import this module again, under another name.
if __name__ == "__main__":
    from noisytheory.cli import main

    main()
