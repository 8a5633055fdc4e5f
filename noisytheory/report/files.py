"""Files of a report: put in their place whole, and never in that of what is somebody else's."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from noisytheory.trial.store.journal import regular, sealed

__all__ = ["Save", "digest_of", "follow_no_link", "own", "refuse_others", "replace", "save"]

Save = Callable[[str, str], None]
"""Writes a file: its name from the index, and the text."""


def save(folder: Path, name: str, text: str) -> None:
    """Write a file of a report, whose last line seals it, where none is or one so sealed."""
    refuse_others(folder, [name])
    text = text.rstrip()
    replace(folder, name, f"{text}\n{_seal(text)}")


def own(path: Path) -> str | None:
    """The text of a file that a report wrote, without its seal; None if it is as none left it."""
    try:
        if path.is_symlink():
            return None
        with open(path, "rb", opener=regular) as file:
            length = len(_seal("")) + 2
            file.seek(max(0, file.seek(0, os.SEEK_END) - length))
            if not file.read(length).startswith(b"\n<!-- "):
                return None  # What is long and not ours need not be read.
            file.seek(0)
            text, _, seal = file.read().decode().rpartition("\n<!-- ")
    except (OSError, UnicodeDecodeError):
        return None
    return text if f"<!-- {seal}" == f"{_seal(text)}\n" else None


def _seal(text: str) -> str:
    return f"<!-- noisytheory {sealed(text.encode()).decode()} -->"


def refuse_others(folder: Path, names: Iterable[str]) -> None:
    """Refuse what no report has written, or somebody has changed since, in the place of a file."""
    others = [
        name for name in names
        if os.path.lexists(f"{folder}/{name}") and own(folder / name) is None
    ]
    if others:
        why = "no report of this version wrote it, or it was changed since"
        why += f" ({len(others) - 1} more are so)" if len(others) > 1 else ""
        why += ": it is left alone; remove it, or name another folder"
        raise FileExistsError(errno.EEXIST, why, str(folder / min(others)))


def replace(folder: Path, name: str, text: str) -> None:
    """Write a text whole, or not at all, in the place of any other file."""
    path = folder / name
    # Moved into place: a link of that name may lead to data of others.
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with _new(partial) as new:
            new.write(f"{text.rstrip()}\n".encode())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _new(path: Path) -> IO[bytes]:
    """A new file; its folder is mostly there, and not asked for."""
    try:
        return open(path, "xb")
    except (FileNotFoundError, NotADirectoryError):
        path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "xb")


def follow_no_link(folder: Path, names: Iterable[str]) -> None:
    """Refuse a link in the place of a folder below, which may lead to data of others, or a file."""
    within = {folder.joinpath(*name.split("/")[:depth]) for name in names
              for depth in range(1, 1 + name.count("/"))}
    for path in sorted(within):
        if path.is_symlink():
            why = "it is a symbolic link, and nothing is written through one"
            raise OSError(errno.ELOOP, why, str(path))
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is no folder", str(path))


def digest_of(path: Path) -> str:
    """Of a file's bytes; nothing where there is no file."""
    try:
        with open(path, "rb", opener=regular) as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""
