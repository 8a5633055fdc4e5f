"""Where a store is: a tree of named bytes in a local directory, or under a prefix of fsspec."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from noisytheory.trial.store.errors import StoreError
from noisytheory.trial.store.journal import (
    NO_LINK,
    OWN_FRAME,
    FileJournal,
    Layout,
    ObjectJournal,
    TemporaryJournal,
    regular,
    sync_folder,
    write_all,
)

HIDDEN = ".journal"
"""Where in a store its journals, its lock, and what is not yet whole are."""

WRITER = f"{HIDDEN}/writer"
"""Where objects have no locks: who opened the store to write last."""

COPY = f"{HIDDEN}/run.json"
"""What the first run wrote about itself once more, sealed: one bad byte must not lock a store."""

CLAIMS = f"{HIDDEN}/claims.json"
"""Of what code the groups are that this store's audits finish, sealed: known before any of them."""

OWN = re.compile(r"lock|(run|claims)\.json|write\.partial|[^~]+~.+\.(blocks|staged|old)")
"""What this package writes there in a directory."""

OF_AN_ARRAY = re.compile(r"zarr\.json|c(\.0)*")
"""Names of what an array, and in part a group, is made of."""

OWN_OBJECTS = re.compile(r"writer|(run|claims)\.json|.+~.+/")
"""What it writes there where there are objects: a journal has one for every block."""

_MOST = 2**30
"""Bytes of a file that is read whole: only a damaged length has more."""

Create = Callable[[str], Any]
"""Opens a new file of a group for writing, as a context manager."""


def place_at(location: str | os.PathLike[str]) -> Place:
    """Return the place that a path or a URL names."""
    text = os.fspath(location).removeprefix("file://").removeprefix("local://")
    try:
        if not text:
            raise ValueError("it names no place")
        if "://" in text:
            return Objects(text)
        if "::" in text:
            raise ValueError("who opens it takes '::' in a name for a chain of file systems")
        return Directory(Path(text))
    except Exception as error:  # of whatever library knows such places
        reason = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(f"cannot open the store {text or repr(text)}: {reason}") from error


def read_or_nothing(place: Place, key: str) -> bytes:
    """Return what is there, if anything is."""
    try:
        return place.read(key)
    except FileNotFoundError:
        return b""


class Directory:
    """A store on a local file system."""

    moves = True  # groups come whole into their place, by a move

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # a store may be named by a link; inside of it there are none
        self.location = str(path)
        self.durable = False  # whether what is written outlives a loss of power

    def read(self, key: str, start: int = 0, stop: int | None = None) -> bytes:
        """Return a file or part of it, shorter where the file ends before."""
        with open(f"{self.path}/{key}", "rb", buffering=0, opener=regular) as file:
            file.seek(start)
            if stop is None and os.fstat(file.fileno()).st_size > _MOST:
                raise OSError(errno.EINVAL, "it is longer than any that is written here", key)
            return file.read(-1 if stop is None else stop - start)

    def write(self, key: str, data: bytes) -> None:
        """Replace a file, all at once."""
        partial = self.path / HIDDEN / "write.partial"
        with _NewFile(str(partial), self.durable) as file:
            file.write(data)
        target = self.path / key
        _no_link(target.parent)
        if not target.parent.is_dir():
            target.parent.mkdir()
            if self.durable:
                sync_folder(target.parent.parent)
        if target.is_dir() and not target.is_symlink():
            os.rmdir(target)  # refused unless it is empty
        os.replace(partial, target)
        if self.durable:
            sync_folder(target.parent)

    def groups(self, key: str) -> list[str]:
        """List the directories in a directory."""
        with os.scandir(self.path / key) as entries:
            return sorted(
                e.name for e in entries
                if e.is_dir(follow_symlinks=False)
                and not e.name.startswith(".") and e.name != "zarr.json"
            )

    def names(self, key: str) -> list[str]:
        """List everything in a directory, if there is one."""
        try:
            return os.listdir(f"{self.path}/{key}")
        except OSError:
            return []

    def foreign(self) -> list[str]:
        """List what is with the journals and is not of this package."""
        return [
            f"{HIDDEN}/{name}" for name in self.names(HIDDEN)
            if not OWN.fullmatch(name) or self._only_named_so(self.path / HIDDEN / name)
        ]

    def _only_named_so(self, leftover: Path) -> bool:
        """Whether what is named as a group aside is none that this package has put there."""
        if leftover.suffix not in (".staged", ".old"):
            return False
        target = self._target(leftover)
        if not leftover.is_dir() or not target.parent.is_dir():
            return True
        return leftover.suffix == ".staged" and not _as_a_group(leftover)

    def _target(self, leftover: Path) -> Path:
        """Where the group belongs that is aside."""
        return self.path / leftover.stem.replace("~", "/", 1)

    @contextlib.contextmanager
    def publishing(self, group: str) -> Iterator[Create]:
        """Write a whole group aside, then move it into place: it is never seen half written."""
        staged, old = Path(self._hidden(group, "staged")), Path(self._hidden(group, "old"))
        if staged.is_dir() and _as_a_group(staged):  # To look into a pipe is to wait for ever.
            shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
        made = {""}

        def create(key: str) -> _NewFile:
            folder = key.rpartition("/")[0]
            if folder not in made:
                os.mkdir(f"{staged}/{folder}")
                made.add(folder)
            return _NewFile(f"{staged}/{key}", self.durable)

        target = self.path / group
        _no_link(target)
        try:
            yield create
            _nothing_lost(staged, target)
            if self.durable:
                for folder in made:
                    sync_folder(staged / folder)
            if replaced := target.exists():
                os.rename(target, old)
            os.rename(staged, target)
            if self.durable:
                sync_folder(target.parent)
        except BaseException:
            if old.exists() and not target.exists():
                os.rename(old, target)
            shutil.rmtree(staged, ignore_errors=True)
            raise
        if replaced:
            _keep_strays(old, target)
            shutil.rmtree(old, ignore_errors=True)

    def journal(self, group: str, layout: Layout) -> FileJournal:
        """Return the journal of a group, which need not exist."""
        # Before the work, and not after it.
        for folder in ((self.path / group).parent, self.path / group):
            _no_link(folder)
            if folder.exists() and not folder.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        _no_link_among(self.path / group, layout.variables)
        return FileJournal(self.path / self.journal_key(group), layout, self.durable)

    def journal_key(self, group: str) -> str:
        """Say where the journal of a group is."""
        return f"{HIDDEN}/{group.replace('/', '~')}.blocks"

    def sweep(self) -> None:
        """Remove what a process that died while compacting left aside, and of it only what is ours.
        """
        for leftover in (self.path / HIDDEN).iterdir():
            # Whatever is in the place of a journal is left to who opens that.
            if leftover.suffix == ".blocks" or not OWN.fullmatch(leftover.name):
                continue
            _no_link(leftover)
            if self._only_named_so(leftover):
                continue
            if leftover.suffix == ".old":
                if not (target := self._target(leftover)).exists():
                    os.rename(leftover, target)
                    continue
                _keep_strays(leftover, target)
            if leftover.suffix in (".staged", ".old"):
                shutil.rmtree(leftover, ignore_errors=True)
            elif leftover.suffix == ".partial":
                leftover.unlink(missing_ok=True)

    def _hidden(self, group: str, suffix: str) -> str:
        return f"{self.path}/{HIDDEN}/{group.replace('/', '~')}.{suffix}"


class Temporary(Directory):
    """A directory of its own for one process, most of whose blocks never leave its memory."""

    ROOM = 2**28
    """Bytes of blocks held in memory; a standard audit of all claims makes less than half of it."""

    ROOM_OF_A_CLAIM = 2**25
    """Bytes of them that one claim may hold there, however many it draws."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._room = [self.ROOM]

    def journal(self, group: str, layout: Layout) -> TemporaryJournal:
        """Return the journal of a group, which need not exist."""
        path = self.path / self.journal_key(group)
        return TemporaryJournal(path, layout, self._room, self.ROOM_OF_A_CLAIM)


def _no_link(path: Path) -> None:
    """Refuse to write through a symbolic link inside a store: it leads to data of others."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _no_link_among(group: Path, names: Iterable[str]) -> None:
    """Refuse a link where an array will be: without metadata it may be any, and is not ours."""
    known = (group / "zarr.json").is_file()
    for there in map(group.joinpath, names) if known else group.glob("*"):
        if there.name != "zarr.json":
            _no_link(there)


def _nothing_lost(new: Path, old: Path) -> None:
    """Refuse to replace what is of another kind and cannot have been ours."""
    for entry in new.rglob("*") if old.is_dir() else ():
        there = old / entry.relative_to(new)
        if there != old / "zarr.json":
            _no_link(there)
        if entry.is_dir() and there.is_file():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
        if entry.is_file() and there.is_dir() and any(there.iterdir()):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), str(there))


def _as_a_group(folder: Path) -> bool:
    """Whether all that is there is what a group is made of, or a part of it."""
    return all(
        OF_AN_ARRAY.fullmatch(entry.name) if not entry.is_dir() or entry.is_symlink()
        else all(OF_AN_ARRAY.fullmatch(part.name) and not part.is_dir() for part in entry.iterdir())
        for entry in folder.iterdir()
    )


def _keep_strays(old: Path, new: Path) -> None:
    """Move what is not of this package from a group, or an array of it, to that in its place."""
    for entry in list(old.iterdir()):
        there = new / entry.name
        if OF_AN_ARRAY.fullmatch(entry.name) and not entry.is_symlink():
            continue
        if not there.exists():
            if entry.is_symlink() or not (entry / "zarr.json").is_file():
                os.rename(entry, there)
        elif entry.is_dir() and not entry.is_symlink():
            _keep_strays(entry, there)


class _NewFile:
    """A new local file, unbuffered: what is written here is large, or written once."""

    def __init__(self, path: str, durable: bool) -> None:
        self._durable = durable
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK, 0o666)

    def write(self, data: Any) -> None:
        """Append all of it."""
        write_all(self._fd, data)

    def __enter__(self) -> _NewFile:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if self._durable:
                os.fsync(self._fd)
        finally:
            os.close(self._fd)


@contextlib.contextmanager
def _spoken() -> Iterator[None]:
    """Make an OSError of what a file system's own library raises, as everybody else does."""
    try:
        yield
    except (OSError, StoreError, LookupError, ValueError, TypeError):
        raise
    except Exception as error:
        raise OSError(errno.ECONNABORTED, f"{type(error).__name__}: {error}") from error


class _Spoken:
    """A file system whose methods raise OSErrors."""

    def __init__(self, fs: Any) -> None:
        self._fs = fs

    def __getattr__(self, name: str) -> Any:
        return _spoken()(getattr(self._fs, name))


class Objects:
    """A store on any file system that fsspec knows."""

    moves = False

    def __init__(self, url: str) -> None:
        import fsspec

        self.location = url.rstrip("/")
        fs, self._root = fsspec.core.url_to_fs(url)
        self._root = self._root.rstrip("/")
        if not self._root:
            raise ValueError("it names no place")
        fs.invalidate_cache()  # another process may have written since
        self._fs, self._own = _Spoken(fs), b""
        self._listed: dict[str, set[str]] | None = None

    def take(self) -> None:
        """Be the one that writes here: there are no locks, but who came before will notice."""
        if "://" in self._root:  # A page of the web is named with its scheme, and only read.
            raise StoreError(
                f"nothing can be written to {self.location}: give a directory as store, or a place "
                "that fsspec can write to, such as s3://, gs://, az:// or sftp://"
            )
        bucket = self._root.partition("/")[0]
        if bucket and not self._fs.exists(bucket):  # a typing error would make one
            raise StoreError(f"there is no bucket {bucket} for the store {self.location}: make it")
        own = os.urandom(8).hex().encode()
        self.write(WRITER, own)
        self._own = own

    def _check(self) -> None:
        if self._own and read_or_nothing(self, WRITER) != self._own:
            raise StoreError(f"another run has come to write to the store {self.location}")

    def read(self, key: str, start: int | None = None, stop: int | None = None) -> bytes:
        """Return an object or part of it, shorter where it ends before."""
        data: bytes = self._fs.cat_file(f"{self._root}/{key}", start=start, end=stop)
        return data

    def write(self, key: str, data: bytes) -> None:
        """Replace an object."""
        self._check()
        self._fs.pipe_file(self._with_parent(f"{self._root}/{key}"), data)

    def groups(self, key: str) -> list[str]:
        """List the directories under a prefix."""
        try:
            found = self._fs.ls(f"{self._root}/{key}".rstrip("/"), detail=True)
        except FileNotFoundError:
            return []
        folders = [e["name"].rstrip("/") for e in found if e["type"] == "directory"]
        names = [folder.rpartition("/")[2] for folder in folders]
        return sorted(name for name in names if not name.startswith("."))

    def names(self, key: str) -> list[str]:
        """List everything under a prefix, as it was at the first question: one listing for all."""
        if self._listed is None:
            self._listed = {}
            for path in self._fs.find(self._root):
                parts = path.partition(f"{self._root}/")[2].split("/")
                for depth, name in enumerate(parts):
                    self._listed.setdefault("/".join(parts[:depth]), set()).add(name)
        return sorted(self._listed.get(key, ()))

    def foreign(self) -> list[str]:
        """List what is with the journals and is not of this package."""
        found = []
        for name in self.names(HIDDEN):
            inside = self.names(f"{HIDDEN}/{name}")
            if not OWN_OBJECTS.fullmatch(name + "/" * bool(inside)):
                found.append(f"{HIDDEN}/{name}")
            found += [f"{HIDDEN}/{name}/{i}" for i in inside if not OWN_FRAME.fullmatch(i)]
        return found

    @contextlib.contextmanager
    def publishing(self, group: str) -> Iterator[Create]:
        """Write a group in place; its own metadata comes last and makes it one."""
        self._check()
        target = f"{self._root}/{group}"
        there = [path for path in self._fs.find(target)
                 if OF_AN_ARRAY.fullmatch(path.rpartition("/")[2])]
        if there:
            self._fs.rm(there)

        @contextlib.contextmanager
        def create(key: str) -> Iterator[Any]:
            path = self._with_parent(f"{target}/{key}")
            with _spoken(), self._fs.open(path, "wb") as file:
                yield file

        yield create

    def journal(self, group: str, layout: Layout) -> ObjectJournal:
        """Return the journal of a group, which need not exist."""
        return ObjectJournal(self._fs, f"{self._root}/{self.journal_key(group)}", layout)

    def journal_key(self, group: str) -> str:
        """Say where the journal of a group is."""
        return f"{HIDDEN}/{group.replace('/', '~')}"

    def _with_parent(self, path: str) -> str:
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        return path


Place = Directory | Objects
