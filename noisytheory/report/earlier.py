"""What an earlier report has left at its place that is none of the one written there now.

It would look current, and be linked from nowhere. Seals alone do not say what it is: a copy that
somebody made of a page has one, and so have the pages of a report within this folder. So each
report lists its files for the next; before its first, all that it may write, should it be killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from noisytheory.report.files import own, save
from noisytheory.trial.store import Remark
from noisytheory.trial.store.errors import UNREADABLE

try:
    import fcntl
except ImportError:  # no advisory locks on this platform: nothing is removed
    fcntl = None  # type: ignore[assignment]

__all__ = ["WRITTEN", "alone", "listed", "note", "remove"]

WRITTEN = ".written.json"
"""What a report says to the next one at its place: which files it has written."""


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Wait until no other report is written to a folder; False where there are no locks."""
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield False
        return
    try:
        # The folder itself: a file made for it would be one more to be somebody else's.
        held = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        yield _locked(held, folder)
    finally:
        os.close(held)


def _locked(held: int, folder: Path) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        text = f"another report is being written to the folder {folder}: this one waits for its end"
        warnings.warn(text, Remark, stacklevel=5)
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:
        return False
    return True


def listed(folder: Path) -> set[str]:
    """Files that earlier reports at this place may have written."""
    try:
        names = json.loads(own(folder / WRITTEN) or "[]")
        return {name for name in names if _within(name)}
    except UNREADABLE:
        return set()


def _within(name: str) -> bool:
    return name != WRITTEN and not {"", ".", ".."}.intersection(name.split("/"))


def note(folder: Path, names: Iterable[str]) -> None:
    """Say to the next report which files this one has, or may have, written."""
    save(folder, WRITTEN, json.dumps(sorted(names)))


def remove(
    folder: Path, names: Iterable[str], kept: Iterable[str], not_now: str = ""
) -> list[str]:
    """Remove files as reports left them, but for those kept, and folders that this empties.

    Parameters
    ----------
    folder : Path
    names, kept : iterable of str
    not_now : str
        Why none is, if so.

    Returns
    -------
    list of str
        What is to be said of it.
    """
    # Where names differ in what the system does not tell apart, they are one file.
    same = {_identity(folder / name) for name in kept}
    gone, left = [], []
    for name in sorted(set(names).difference(kept)):
        path = folder / name
        if not os.path.lexists(path) or _through_link(folder, name) or _identity(path) in same:
            continue
        try:
            if not_now or own(path) is None:
                left.append(path)
            else:
                path.unlink()
                gone.append(path)
        except OSError:
            left.append(path)
    for parent in sorted({p for path in gone for p in path.parents if folder in p.parents},
                         reverse=True):
        with contextlib.suppress(OSError):  # Something else is in it.
            parent.rmdir()
    said, what = [], "what an earlier report wrote and this one does not"
    if gone:
        said.append(f"removed {what}: {_some(gone)}")
    if left:
        why = not_now or "it was changed since, or cannot be removed"
        said.append(f"left {what}: {_some(left)} ({why})")
    return said


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _through_link(folder: Path, name: str) -> bool:
    """Whether a folder on the way is a symbolic link, which may lead to data of others."""
    parts = name.split("/")[:-1]
    return any(os.path.islink(folder.joinpath(*parts[: i + 1])) for i in range(len(parts)))


def _some(paths: list[Path]) -> str:
    more = len(paths) - 1
    return str(paths[0]) + (f" and {more} more" if more else "")
