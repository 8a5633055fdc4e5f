"""Files of a report: put in their place whole, and never through a link of somebody else's."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from noisytheory.trial.store.journal import regular

__all__ = ["digest_of", "follow_no_link", "save"]


def save(path: Path, text: str) -> None:
    """Write a text whole, or not at all."""
    # Moved into place: a link of that name may lead to data of others.
    partial = path.with_name(f".{os.getpid()}.partial")
    new = _new(partial)
    try:
        with new:
            new.write(f"{text.rstrip()}\n".encode())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _new(path: Path) -> IO[bytes]:
    """A new file in the place of any other; its folder is mostly there, and not asked for."""
    try:
        return open(path, "xb")
    except (FileNotFoundError, NotADirectoryError):
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        path.unlink()
    return open(path, "xb")


def follow_no_link(folder: Path, names: Iterable[str]) -> None:
    """Refuse a link in the place of a folder below: it may lead to data of others."""
    within = {folder.joinpath(*name.split("/")[:depth]) for name in names
              for depth in range(1, 1 + name.count("/"))}
    for path in sorted(within):
        if path.is_symlink():
            why = "it is a symbolic link, and nothing is written through one"
            raise OSError(errno.ELOOP, why, str(path))


def digest_of(path: Path) -> str:
    """Of a file's bytes; nothing where there is no file."""
    try:
        with open(path, "rb", opener=regular) as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""
