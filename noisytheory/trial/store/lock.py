"""What an open store holds: the lock against a second writer, and its temporary directory."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import warnings
import weakref
from pathlib import Path

from noisytheory.trial.store.errors import StoreError
from noisytheory.trial.store.journal import NO_LINK
from noisytheory.trial.store.places import COPY, HIDDEN

try:
    import fcntl
except ImportError:  # no advisory locks on this platform: a second writer goes unnoticed
    fcntl = None  # type: ignore[assignment]


class Held:
    """What a store must let go of."""

    def __init__(self) -> None:
        self.temporary: Path | None = None
        self._lock = -1
        self._owner = os.getpid()

    def lock(self, path: Path) -> None:
        """Make the directory of a store if need be, and keep every other writer out of it."""
        if path.exists() and not path.is_dir():
            raise StoreError(f"{path} is a file, not a store")
        names = set(os.listdir(path)) if path.is_dir() else set()
        ours = {"zarr.json"} & names or (path / COPY).is_file()
        if names - {HIDDEN} and not ours:
            raise StoreError(f"{path} is not empty and not a store: choose another directory")
        hidden = path / HIDDEN
        if hidden.is_symlink():
            raise StoreError(f"{hidden} is a symbolic link: nothing is written through one")
        hidden.mkdir(parents=True, exist_ok=True)
        self._lock = _own_file(hidden / "lock")
        _locks.add(self)
        if fcntl is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"another run is writing to the store {path}") from None
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL):
                raise
            text = f"the file system of {path} has no locks: let no second run write there"
            warnings.warn(text, stacklevel=3)

    def unlock(self) -> None:
        """Let another writer in."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def release(self) -> None:
        """Let go of everything; only the process that made a temporary directory removes it."""
        self.unlock()
        if self.temporary is not None and self._owner == os.getpid():
            shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary = None


def _own_file(path: Path) -> int:
    """Open or make it; what else is there, a pipe or a device, is not opened, and left alone."""
    try:
        found = os.lstat(path).st_mode
    except FileNotFoundError:
        found = stat.S_IFREG
    if not stat.S_ISREG(found) and not stat.S_ISLNK(found):
        raise StoreError(f"{path} is no regular file, and cannot be the lock: move it away")
    return os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | getattr(os, "O_NONBLOCK", 0), 0o666)


_locks: weakref.WeakSet[Held] = weakref.WeakSet()


def _drop_locks_in_child() -> None:
    """Forked workers must not keep the store locked after their parent has died."""
    for held in list(_locks):
        held.unlock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_locks_in_child)
