"""Blocks of replicates on disk: a journal for each claim on trial, compacted into Zarr at its end.

A block is first appended to the journal of its claim, checksummed; once ``put`` returns, death of
the process cannot lose it. When the claim is done its blocks and its variables become one Zarr
group, and the journal goes. ``xarray.open_datatree(location, engine="zarr")`` reads the result
without this package: claim ``paper/result`` is the group of that name, claim ``paper/result/part``
the group ``paper/result~part``. (A data tree aligns every group with its parents, and two claims
seldom share a grid, so no claim may lie inside another.)

Zarr metadata and chunks are written here byte by byte: through xarray a claim takes ten times as
long (``validation/benchmarks/store.py``), more than all the arithmetic of a small one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import mmap
import os
import re
import shutil
import struct
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

try:
    import fcntl
except ImportError:  # no advisory locks on this platform: a second writer goes unnoticed
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["ClaimBlocks", "Store", "StoreError", "group_of"]

FORMAT = 1
"""Version of what is written here; a store says its own as attribute ``format``."""

IDENTITY = ("format", "seed", "version")
"""Attributes of a store that every run writing to it must share."""

DIGESTS = "block_digest"
"""The variable that says which blocks a compacted claim has: 0 where none was finished."""

HIDDEN = ".journal"
_ID = re.compile(r"\w[\w.+-]*(?:/\w[\w.+-]*)+")
_MAGIC = b"\x93ntblk\r\n"
_FRAME = struct.Struct("<8sQQQ")
_HEADER_CELL = 2**64 - 1
_DIGEST_SIZE = 8
_MISSING = 2**64 - 1
_VERIFY_BATCH = 64


class StoreError(Exception):
    """A store that cannot be opened, written or mixed with this run; the message is one line."""


def group_of(claim_id: str) -> str:
    """Name the Zarr group of a claim: the paper, then everything else as one name.

    Parameters
    ----------
    claim_id : str
        Two or more names separated by ``/``.

    Returns
    -------
    str
        The path of the group inside the store.

    Raises
    ------
    ValueError
        If the id has fewer than two parts or a character that a file name should not have.

    Examples
    --------
    >>> group_of("kernel-mean/theorem-5/mean")
    'kernel-mean/theorem-5~mean'
    """
    if not _ID.fullmatch(claim_id) or "zarr.json" in claim_id.split("/"):
        raise ValueError(
            "a claim id must be two or more names of letters, digits and _ . + - separated by /, "
            f"got {claim_id!r}"
        )
    paper, _, rest = claim_id.partition("/")
    return f"{paper}/{rest.replace('/', '~')}"


def _plain(value: object) -> object:
    """Turn what NumPy returns into what JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"an attribute must be JSON, got {value!r}")


def _dumps(value: object) -> str:
    return json.dumps(value, default=_plain, separators=(",", ":"), ensure_ascii=False)


def _reason(error: OSError) -> str:
    return " ".join((error.strerror or str(error) or type(error).__name__).split())


def _cannot_write(location: str, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write to the store {location}: {_reason(error)}; "
        "what it holds is whole, and the same run resumes from it"
    )


@contextlib.contextmanager
def _writing(location: str) -> Iterator[None]:
    """Say in one line where a write failed and why."""
    try:
        yield
    except OSError as error:
        raise _cannot_write(location, error) from error


@contextlib.contextmanager
def _reading(location: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot read the store {location}: {_reason(error)}") from error


def _write_all(fd: int, data: Any) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(fd, view) :]


class _Layout:
    """What every block of one claim looks like, and its checksummed frame."""

    def __init__(
        self,
        claim_id: str,
        fingerprint: str,
        variables: Mapping[str, np.dtype[Any]],
        cells: int,
        rows: int,
    ) -> None:
        self.cells = cells
        self.rows = rows
        self.variables = {
            name: np.dtype(variables[name]).newbyteorder("<") for name in sorted(variables)
        }
        for name, dtype in self.variables.items():
            if dtype.kind not in "fiub":
                raise ValueError(f"variable {name} must be float, integer or bool, got {dtype}")
        self.shape = (rows,)
        self.sizes = {name: rows * dtype.itemsize for name, dtype in self.variables.items()}
        self.payload = sum(self.sizes.values())
        self.frame = _FRAME.size + self.payload + _DIGEST_SIZE
        self.described: dict[str, Any] = {
            "claim": claim_id,
            "fingerprint": fingerprint,
            "variables": {name: dtype.str for name, dtype in self.variables.items()},
            "cells": cells,
            "rows": rows,
        }
        text = _dumps(self.described).encode()
        header = _FRAME.pack(_MAGIC, _HEADER_CELL, _HEADER_CELL, len(text))
        # The claim's own description starts every digest: a record of another claim never verifies.
        self.seeded = hashlib.blake2b(text, digest_size=_DIGEST_SIZE)
        self.header = header + text + self.seeded.digest()

    def encode(self, cell: int, block: int, arrays: Mapping[str, np.ndarray]) -> bytes:
        if arrays.keys() != self.variables.keys():
            raise ValueError(
                f"a block must have the variables {sorted(self.variables)}, got {sorted(arrays)}"
            )
        parts = [_FRAME.pack(_MAGIC, cell, block, self.payload)]
        digest = self.seeded.copy()
        for name, dtype in self.variables.items():
            array = arrays[name]
            if array.shape != self.shape or array.dtype != dtype:
                raise ValueError(
                    f"{name} must be {dtype} of shape {self.shape}, "
                    f"got {array.dtype} of shape {array.shape}"
                )
            parts.append(array.tobytes())
        for part in parts:
            digest.update(part)
        parts.append(digest.digest())
        return b"".join(parts)

    def payload_of(self, frame: bytes) -> bytes:
        return frame[_FRAME.size : -_DIGEST_SIZE]

    def digest(self, cell: int, block: int, payload: Any) -> int:
        """Return the digest that the frame of this block would have."""
        digest = self.seeded.copy()
        digest.update(_FRAME.pack(_MAGIC, cell, block, self.payload))
        digest.update(payload)
        return int.from_bytes(digest.digest(), "little")

    def verified(self, frame: Any) -> tuple[int, int] | None:
        """Return the cell and block of a frame, or None if it is torn, damaged or foreign."""
        if len(frame) != self.frame:
            return None
        magic, cell, block, size = _FRAME.unpack_from(frame)
        if magic != _MAGIC or size != self.payload or cell >= self.cells:
            return None
        digest = self.seeded.copy()
        digest.update(frame[:-_DIGEST_SIZE])
        return (cell, block) if digest.digest() == frame[-_DIGEST_SIZE:] else None

    def decode(self, payload: Any) -> dict[str, np.ndarray]:
        arrays = {}
        offset = 0
        for name, dtype in self.variables.items():
            arrays[name] = np.frombuffer(payload, dtype, self.rows, offset).copy()
            offset += self.sizes[name]
        return arrays


def _described(data: Any) -> dict[str, Any] | None:
    """Return the description at the head of a journal, or None if there is no whole one."""
    if len(data) < _FRAME.size:
        return None
    magic, cell, block, size = _FRAME.unpack_from(data)
    end = _FRAME.size + size
    if magic != _MAGIC or cell != _HEADER_CELL or block != _HEADER_CELL:
        return None
    if len(data) < end + _DIGEST_SIZE:
        return None
    text = bytes(data[_FRAME.size : end])
    digest = hashlib.blake2b(text, digest_size=_DIGEST_SIZE).digest()
    if digest != bytes(data[end : end + _DIGEST_SIZE]):
        return None
    described: dict[str, Any] = json.loads(text)
    return described


class _Journal(Protocol):
    """Where the finished blocks of one claim are until it is compacted."""

    damaged: int

    def described(self) -> dict[str, Any] | None: ...
    def scan(self, layout: _Layout) -> dict[tuple[int, int], int]: ...
    def append(self, layout: _Layout, cell: int, block: int, frame: bytes) -> int: ...
    def read(self, layout: _Layout, cell: int, block: int, handle: int) -> bytes: ...
    def close(self) -> None: ...
    def remove(self) -> None: ...


class _FileJournal:
    """One append-only file; a handle is the offset of a frame."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self._fd = -1
        self._end = 0

    def described(self) -> dict[str, Any] | None:
        try:
            with open(self.path, "rb") as file:
                head = file.read(_FRAME.size)
                if len(head) == _FRAME.size:
                    head += file.read(min(_FRAME.unpack(head)[3], 2**20) + _DIGEST_SIZE)
                return _described(head)
        except FileNotFoundError:
            return None

    def scan(self, layout: _Layout) -> dict[tuple[int, int], int]:
        """Find every whole frame, and cut off what a dying process left after the last one."""
        found: dict[tuple[int, int], int] = {}
        self.damaged = 0
        if not self.path.exists():
            return found
        self._open()
        length = os.fstat(self._fd).st_size
        end = 0
        if length:
            with mmap.mmap(self._fd, length, access=mmap.ACCESS_READ) as data:
                headed = data[: len(layout.header)] == layout.header
                end = min(len(layout.header), length)
                place = end if headed else 0
                while 0 <= place < length:
                    where = layout.verified(data[place : place + layout.frame])
                    if where is None:
                        place = data.find(_MAGIC, place + 1)
                        continue
                    self.damaged += max(0, place - end) // layout.frame
                    found[where] = place
                    end = place = place + layout.frame
            self.damaged += max(0, length - end) // layout.frame
            if not found and not headed:
                end = 0
        if length > end:
            os.ftruncate(self._fd, end)
        self._end = end
        if not end:
            self.remove()
        return found

    def append(self, layout: _Layout, cell: int, block: int, frame: bytes) -> int:
        self._open()
        data = frame if self._end else layout.header + frame
        try:
            _write_all(self._fd, data)
        except BaseException:
            # A full disk or an interrupt: leave no half record before the next one.
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._end)
            raise
        self._end += len(data)
        return self._end - len(frame)

    def read(self, layout: _Layout, cell: int, block: int, handle: int) -> bytes:
        self._open()
        os.lseek(self._fd, handle, os.SEEK_SET)
        return os.read(self._fd, layout.frame)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        self.close()
        self._end = 0
        self.path.unlink(missing_ok=True)

    def _open(self) -> None:
        if self._fd < 0:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            self._fd = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)


class _ObjectJournal:
    """One object a block under a hidden prefix; its name carries cell and block."""

    def __init__(self, fs: Any, prefix: str) -> None:
        self.fs = fs
        self.prefix = prefix
        self.damaged = 0
        self._headed = False

    def described(self) -> dict[str, Any] | None:
        try:
            return _described(self.fs.cat_file(f"{self.prefix}/header"))
        except FileNotFoundError:
            return None

    def scan(self, layout: _Layout) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        self.damaged = 0
        self._headed = self.described() is not None
        try:
            paths = [p for p in self.fs.ls(self.prefix, detail=False) if not p.endswith("/header")]
        except FileNotFoundError:
            return found
        for start in range(0, len(paths), _VERIFY_BATCH):
            batch = paths[start : start + _VERIFY_BATCH]
            for frame in self.fs.cat(batch).values() if len(batch) > 1 else [self.fs.cat(batch[0])]:
                where = layout.verified(frame)
                if where is None:
                    self.damaged += 1
                else:
                    found[where] = 0
        return found

    def append(self, layout: _Layout, cell: int, block: int, frame: bytes) -> int:
        if not self._headed:
            self.fs.makedirs(self.prefix, exist_ok=True)
            self.fs.pipe_file(f"{self.prefix}/header", layout.header)
            self._headed = True
        self.fs.pipe_file(f"{self.prefix}/{cell}-{block}", frame)
        return 0

    def read(self, layout: _Layout, cell: int, block: int, handle: int) -> bytes:
        data: bytes = self.fs.cat_file(f"{self.prefix}/{cell}-{block}")
        return data

    def close(self) -> None:
        pass

    def remove(self) -> None:
        self._headed = False
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm(self.prefix, recursive=True)


class _Place(Protocol):
    """A tree of named bytes: a local directory, or a prefix of an fsspec file system."""

    location: str

    def read(self, key: str) -> bytes: ...
    def read_range(self, key: str, start: int, stop: int) -> bytes: ...
    def write(self, key: str, data: bytes) -> None: ...
    def groups(self, key: str) -> list[str]: ...
    def publish(self, group: str, write: Callable[[Callable[[str], Any]], None]) -> None: ...
    def journal(self, group: str) -> _Journal: ...
    def sweep(self) -> None: ...


def _hidden_name(group: str) -> str:
    return group.replace("/", "~")


class _OutputFile:
    """A new local file, unbuffered: what is written here is large, or written once."""

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)

    def write(self, data: Any) -> None:
        _write_all(self.fd, data)

    def __enter__(self) -> _OutputFile:
        return self

    def __exit__(self, *exception: object) -> None:
        os.close(self.fd)


class _Directory:
    """A store on a local file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.location = str(path)

    def read(self, key: str) -> bytes:
        with open(f"{self.path}/{key}", "rb", buffering=0) as file:
            return file.read()

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        with open(f"{self.path}/{key}", "rb", buffering=0) as file:
            file.seek(start)
            return file.read(stop - start)

    def write(self, key: str, data: bytes) -> None:
        partial = self.path / HIDDEN / "write.partial"
        with _OutputFile(str(partial)) as file:
            file.write(data)
        target = self.path / key
        if not target.parent.is_dir():
            target.parent.mkdir()
        os.replace(partial, target)

    def groups(self, key: str) -> list[str]:
        with os.scandir(self.path / key) as entries:
            return sorted(e.name for e in entries if e.is_dir() and not e.name.startswith("."))

    def publish(self, group: str, write: Callable[[Callable[[str], Any]], None]) -> None:
        """Write a whole group aside, then move it into place: it is never seen half written."""
        staged = self.path / HIDDEN / f"{_hidden_name(group)}.staged"
        old = self.path / HIDDEN / f"{_hidden_name(group)}.old"
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
        made = set()

        def create(key: str) -> _OutputFile:
            folder, slash, _ = key.rpartition("/")
            if slash and folder not in made:
                os.mkdir(f"{staged}/{folder}")
                made.add(folder)
            return _OutputFile(f"{staged}/{key}")

        target = self.path / group
        try:
            write(create)
            if target.exists():
                os.rename(target, old)
            os.rename(staged, target)
        except BaseException:
            if old.exists() and not target.exists():
                os.rename(old, target)
            shutil.rmtree(staged, ignore_errors=True)
            raise
        shutil.rmtree(old, ignore_errors=True)

    def journal(self, group: str) -> _Journal:
        return _FileJournal(self.path / HIDDEN / f"{_hidden_name(group)}.blocks")

    def sweep(self) -> None:
        """Remove what a process that died while compacting left aside."""
        for leftover in (self.path / HIDDEN).iterdir():
            if leftover.suffix in (".staged", ".old"):
                shutil.rmtree(leftover, ignore_errors=True)
            elif leftover.suffix == ".partial":
                leftover.unlink(missing_ok=True)


class _Objects:
    """A store on any file system that fsspec knows."""

    def __init__(self, url: str) -> None:
        import fsspec

        self.location = url.rstrip("/")
        self.fs, self.root = fsspec.core.url_to_fs(self.location)

    def read(self, key: str) -> bytes:
        data: bytes = self.fs.cat_file(f"{self.root}/{key}")
        return data

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        data: bytes = self.fs.cat_file(f"{self.root}/{key}", start=start, end=stop)
        return data

    def write(self, key: str, data: bytes) -> None:
        path = f"{self.root}/{key}"
        self.fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.fs.pipe_file(path, data)

    def groups(self, key: str) -> list[str]:
        try:
            found = self.fs.ls(f"{self.root}/{key}".rstrip("/"), detail=True)
        except FileNotFoundError:
            return []
        names = [
            e["name"].rstrip("/").rpartition("/")[2] for e in found if e["type"] == "directory"
        ]
        return sorted(name for name in names if not name.startswith("."))

    def publish(self, group: str, write: Callable[[Callable[[str], Any]], None]) -> None:
        """Write a group in place; its own metadata comes last and makes it one."""
        target = f"{self.root}/{group}"
        if self.fs.exists(target):
            self.fs.rm(target, recursive=True)

        def create(key: str) -> Any:
            path = f"{target}/{key}"
            self.fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            return self.fs.open(path, "wb")

        write(create)

    def journal(self, group: str) -> _Journal:
        return _ObjectJournal(self.fs, f"{self.root}/{HIDDEN}/{_hidden_name(group)}")

    def sweep(self) -> None:
        pass


class _Held:
    """What a store must let go of: its lock, and the directory of a temporary one."""

    def __init__(self) -> None:
        self.lock = -1
        self.temporary: Path | None = None
        self.owner = os.getpid()

    def unlock(self) -> None:
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def release(self) -> None:
        self.unlock()
        if self.temporary is not None and self.owner == os.getpid():
            shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary = None


_locks: weakref.WeakSet[_Held] = weakref.WeakSet()


def _drop_locks_in_child() -> None:
    """Forked workers must not keep the store locked after their parent has died."""
    for held in list(_locks):
        held.unlock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_locks_in_child)


def _json_number(value: Any) -> object:
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _array_metadata(
    dims: Sequence[str],
    shape: Sequence[int],
    dtype: np.dtype[Any],
    fill: object,
    chunk: Sequence[int],
    codecs: list[dict[str, Any]],
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": _data_type(dtype),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": fill,
        "codecs": codecs,
        "attributes": dict(attributes),
        "dimension_names": list(dims),
    }


def _chunk_key(ndim: int) -> str:
    return ".".join(["c"] + ["0"] * ndim)


_LITTLE: dict[str, Any] = {"name": "bytes", "configuration": {"endian": "little"}}


def _data_type(dtype: np.dtype[Any]) -> object:
    """Return Zarr's name of a type; text is UTF-32 of fixed length, as xarray stores it."""
    if dtype.kind != "U":
        return dtype.name
    return {"name": "fixed_length_utf32", "configuration": {"length_bytes": dtype.itemsize}}


def _small_array(name: str, variable: xr.Variable) -> tuple[dict[str, Any], bytes]:
    """Return the metadata and the only chunk of a variable; no chunk where all values are equal."""
    values = np.asarray(variable.values)
    if values.dtype.kind in "OT":
        # The type that NumPy finds for what is inside: numbers, or text.
        values = np.array(values.tolist()).reshape(values.shape)
    if values.dtype.kind not in "fiubU":
        raise ValueError(f"{name} must hold numbers, booleans or text, got {values.dtype}")
    if not values.dtype.itemsize:
        values = values.astype("<U1")
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    data = values.tobytes()
    if not values.size:
        fill = np.zeros((), values.dtype)[()]
    else:
        fill = values.flat[0]
        if values.dtype.kind == "f" and np.isnan(fill):
            fill = values.dtype.type(np.nan)
        if np.array(fill, values.dtype).tobytes() * values.size == data:
            data = b""
    metadata = _array_metadata(
        [str(dim) for dim in variable.dims],
        values.shape,
        values.dtype,
        _json_number(fill.item()),
        [max(size, 1) for size in values.shape],
        [_LITTLE],
        variable.attrs,
    )
    return metadata, data


def _fill_of(dtype: np.dtype[Any]) -> Any:
    """Say what stands for a block that was not drawn: NaN, the lowest integer, or False."""
    if dtype.kind == "f":
        return dtype.type(np.nan)
    return dtype.type(np.iinfo(dtype).min) if dtype.kind in "iu" else np.bool_(False)


def _block_array(
    dims: Sequence[str],
    shape: Sequence[int],
    dtype: np.dtype[Any],
    whole: bool,
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Describe a variable of the blocks: one file, in it one chunk a cell, then their index."""
    fill = _json_number(_fill_of(dtype).item())
    attributes = dict(attributes)
    if not whole and dtype.kind in "iu":
        attributes["_FillValue"] = fill
    inner = [1] * (len(shape) - 2) + list(shape[-2:])
    sharding = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": inner,
            "codecs": [_LITTLE],
            "index_codecs": [_LITTLE],
            "index_location": "end",
        },
    }
    return _array_metadata(dims, shape, dtype, fill, shape, [sharding], attributes)


def _shard_index(present: np.ndarray, stride: int) -> bytes:
    """Return offset and length of every cell's chunk, in C order."""
    index = np.full((len(present), 2), _MISSING, dtype="<u8")
    index[present, 0] = np.arange(np.count_nonzero(present), dtype="<u8") * np.uint64(stride)
    index[present, 1] = stride
    return index.tobytes()


def _marker(attributes: Mapping[str, Any], arrays: Iterable[tuple[str, bytes, bytes]]) -> str:
    """Digest everything of a group but its blocks, which have digests of their own."""
    digest = hashlib.blake2b(digest_size=16)
    kept = {name: value for name, value in attributes.items() if name != "complete"}
    digest.update(_dumps(kept).encode())
    for name, metadata, chunk in arrays:
        for part in (name.encode(), metadata, chunk):
            digest.update(struct.pack("<Q", len(part)))
            digest.update(part)
    return digest.hexdigest()


def _cell_dims(dataset: xr.Dataset) -> list[str]:
    """Read the cell's dimensions off the variables: but for scalars all begin with them."""
    names = [name for name in dataset.variables if name not in dataset.coords]
    orders = [dims for name in names if (dims := dataset.variables[name].dims)]
    shared = []
    for dims in zip(*orders, strict=False):
        if len(set(dims)) > 1 or dims[0] == "delta":
            break
        shared.append(str(dims[0]))
    return shared


def _read_or_nothing(place: _Place, key: str) -> bytes:
    try:
        return place.read(key)
    except FileNotFoundError:
        return b""


class _Compacted:
    """The blocks that a claim's Zarr group holds, read without Zarr and verified one by one."""

    def __init__(self, place: _Place, group: str, layout: _Layout, digests: np.ndarray) -> None:
        self.place = place
        self.group = group
        self.layout = layout
        self.digests = digests
        self.present = np.any(digests, axis=1)
        self.rank = np.cumsum(self.present) - 1
        self.chunk_keys: dict[str, str] = {}
        self.whole = True
        self.damaged = 0
        self.marker = ""

    @classmethod
    def opened(cls, place: _Place, group: str, layout: _Layout, text_of_group: bytes) -> _Compacted:
        """Read a group's digests and verify everything in it against them."""
        metadata = json.loads(text_of_group)
        arrays: dict[str, dict[str, Any]] = metadata["consolidated_metadata"]["metadata"]
        whole = True
        parts = {}
        for name, described in arrays.items():
            text = _bytes(described)
            whole &= _read_or_nothing(place, f"{group}/{name}/zarr.json") == text
            chunk = b""
            if name not in layout.variables:
                key = f"{group}/{name}/{_chunk_key(len(described['shape']))}"
                chunk = _read_or_nothing(place, key)
            parts[name] = (text, chunk)
        members = _members((name, text) for name, (text, _) in parts.items())
        whole &= _group_bytes(metadata["attributes"], members) == text_of_group
        marker = _marker(metadata["attributes"], [(name, *part) for name, part in parts.items()])
        whole &= marker == metadata["attributes"].get("complete")
        digests = np.zeros((layout.cells, 0), dtype="<u8")
        if DIGESTS in arrays:
            data = parts[DIGESTS][1]
            if not data and whole:
                fill = np.uint64(arrays[DIGESTS]["fill_value"])
                data = fill.tobytes() * int(np.prod(arrays[DIGESTS]["shape"]))
            if len(data) % (8 * layout.cells) == 0:
                digests = np.frombuffer(data, "<u8").reshape(layout.cells, -1).copy()
        self = cls(place, group, layout, digests)
        self.marker = marker
        self.chunk_keys = {
            name: f"{group}/{name}/{_chunk_key(len(arrays[name]['shape']))}"
            for name in layout.variables
            if name in arrays
        }
        self.whole = whole and (not self.present.any() or len(self.chunk_keys) == len(layout.sizes))
        self._verify()
        return self

    def _verify(self) -> None:
        layout = self.layout
        chains = self.digests.shape[1]
        cells = np.flatnonzero(self.present)
        for name, key in self.chunk_keys.items():
            stride = chains * layout.sizes[name]
            index = _shard_index(self.present, stride)
            # One byte more than there should be: a longer file is not whole either.
            tail = self._range(key, len(cells) * stride, len(cells) * stride + len(index) + 1)
            self.whole &= tail == index
        for cell in cells:
            first = int(self.rank[cell]) * chains
            chunks = [
                (size, self._range(self.chunk_keys[name], first * size, (first + chains) * size))
                for name, size in layout.sizes.items()
                if name in self.chunk_keys
            ]
            for block in np.flatnonzero(self.digests[cell]):
                payload = b"".join(data[block * size : (block + 1) * size] for size, data in chunks)
                if layout.digest(int(cell), int(block), payload) != self.digests[cell, block]:
                    self.digests[cell, block] = 0
                    self.damaged += 1
                    self.whole = False

    def _range(self, key: str, start: int, stop: int) -> bytes:
        try:
            return self.place.read_range(key, start, stop)
        except OSError:
            return b""

    def __contains__(self, where: tuple[int, int]) -> bool:
        cell, block = where
        return block < self.digests.shape[1] and bool(self.digests[cell, block])

    def blocks(self) -> set[tuple[int, int]]:
        cells, numbers = np.nonzero(self.digests)
        return set(zip(cells.tolist(), numbers.tolist(), strict=True))

    def payload(self, cell: int, block: int) -> bytes:
        first = int(self.rank[cell]) * self.digests.shape[1] + block
        return b"".join(
            self._range(self.chunk_keys[name], first * size, (first + 1) * size)
            for name, size in self.layout.sizes.items()
            if name in self.chunk_keys
        )


class ClaimBlocks:
    """The finished blocks of one claim; made by `Store.claim`.

    Not for several threads at once: the parent process of an audit writes, its workers return
    arrays.
    """

    def __init__(
        self,
        store: Store,
        group: str,
        layout: _Layout,
        journal: _Journal,
        compacted: _Compacted | None,
    ) -> None:
        self._store = store
        self._group = group
        self._layout = layout
        self._journal = journal
        self._compacted = compacted
        with _writing(store.location):
            self._where = journal.scan(layout)
        if compacted is not None and compacted.whole and self._where.keys() <= compacted.blocks():
            # Death came between the compaction and the end of the journal.
            self._drop_journal()

    def __repr__(self) -> str:
        state = "finished" if self.finished else "open"
        return f"<ClaimBlocks {self._layout.described['claim']}: {len(self)} blocks, {state}>"

    @property
    def finished(self) -> bool:
        """Whether all blocks are compacted and everything in the group is as it was written."""
        if self._layout.described["claim"] in self._store._postponed:
            return True
        return self._compacted is not None and self._compacted.whole and not self._where

    @property
    def damaged(self) -> int:
        """How many stored blocks did not match their digest when the claim was opened."""
        return self._journal.damaged + (self._compacted.damaged if self._compacted else 0)

    def __len__(self) -> int:
        return len(self._blocks())

    def __contains__(self, where: tuple[int, int]) -> bool:
        if where in self._where:
            return True
        return self._compacted is not None and where in self._compacted

    def get(self, cell: int, block: int) -> dict[str, np.ndarray]:
        """Return a finished block, bit for bit as it was put.

        Parameters
        ----------
        cell, block : int
            Which one.

        Returns
        -------
        dict of str to ndarray, shape (rows,)

        Raises
        ------
        KeyError
            If the block is not finished.
        StoreError
            If it cannot be read, or is no longer what was written.
        """
        with _reading(self._store.location):
            return self._layout.decode(self._payload(cell, block))

    def put(self, cell: int, block: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Append a block to the journal; once this returns, death of the process cannot lose it.

        Parameters
        ----------
        cell : int
            In ``range(cells)``.
        block : int
            Non-negative.
        arrays : mapping of str to ndarray, shape (rows,)
            The claim's variables, of the declared types.

        Raises
        ------
        ValueError
            If names, types or shapes are not the declared ones, or if the block is finished and
            was different.
        StoreError
            If the block cannot be written. What was put before is whole.
        """
        layout = self._layout
        self._store._still_open()
        if not 0 <= cell < layout.cells or block < 0:
            raise ValueError(f"no block {block} of cell {cell}: the claim has {layout.cells} cells")
        frame = layout.encode(cell, block, arrays)
        where = (cell, block)
        if where in self:
            with _reading(self._store.location):
                same = self._payload(cell, block) == layout.payload_of(frame)
            if not same:
                raise ValueError(f"block {block} of cell {cell} is finished, with other numbers")
            return
        self._store._postponed.pop(layout.described["claim"], None)
        try:
            self._where[where] = self._journal.append(layout, cell, block, frame)
        except OSError as error:
            raise _cannot_write(self._store.location, error) from error

    def finish(
        self,
        dataset: xr.Dataset,
        dims: Sequence[str] | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Compact the claim: all of its blocks and `dataset` become one Zarr group.

        The variables of the blocks get the dimensions ``(*dims, "chain", "draw")``: block ``b`` of
        a cell is chain ``b``. A block that was not drawn is NaN (integers: the lowest one, masked
        by ``_FillValue``; booleans: False), and 0 in ``block_digest``. Without any block the group
        holds `dataset` alone. Nothing is written if the group is already what it would become.

        Parameters
        ----------
        dataset : Dataset
            Everything else about the claim: numbers, booleans or text; attributes are JSON.
        dims : sequence of str, optional
            The cell's dimensions, slowest first (cell index in C order). By default those that all
            variables of `dataset` begin with, scalars apart, up to ``delta``.
        attributes : mapping of str to mapping, optional
            Attributes of the blocks' variables, such as ``long_name`` and ``units``.

        Raises
        ------
        ValueError
            If `dataset` does not fit the claim's cells or holds what cannot be stored.
        StoreError
            If it cannot be written. The journal then still has every block.
        """
        store, layout = self._store, self._layout
        store._still_open()
        described = self._block_metadata(dataset, dims, attributes or {})
        small = [
            (str(name), *_small_array(str(name), variable))
            for name, variable in dataset.variables.items()
        ]
        auxiliary = [str(name) for name in dataset.coords if name not in dataset.dims]
        group_attributes = {
            **{str(name): value for name, value in dataset.attrs.items()},
            **({"coordinates": " ".join(auxiliary)} if auxiliary else {}),
            "claim": layout.described["claim"],
            "fingerprint": layout.described["fingerprint"],
        }
        own = json.loads(_dumps(group_attributes))
        store._postponed.pop(layout.described["claim"], None)
        if self._compacted is not None and self.finished:
            parts = self._parts(small, described, self._compacted.digests)
            if _marker(own, parts) == self._compacted.marker:
                return
        store._finish(
            layout.described["claim"], lambda: self._compact(own, small, described), self._journal
        )

    def _compact(
        self,
        attributes: dict[str, Any],
        small: Sequence[tuple[str, dict[str, Any], bytes]],
        described: Mapping[str, dict[str, Any]],
    ) -> None:
        store, group = self._store, self._group
        digests = np.zeros(self._digest_shape(), dtype="<u8")
        entry: list[bytes] = []

        def write(create: Callable[[str], Any]) -> None:
            self._write_blocks(create, described, digests)
            parts = self._parts(small, described, digests)
            for name, metadata, chunk in parts:
                if name in described:
                    continue
                with create(f"{name}/zarr.json") as file:
                    file.write(metadata)
                if chunk:
                    ndim = len(json.loads(metadata)["shape"])
                    with create(f"{name}/{_chunk_key(ndim)}") as file:
                        file.write(chunk)
            attributes["complete"] = _marker(attributes, parts)
            arrays = [(name, metadata) for name, metadata, _ in parts]
            with create("zarr.json") as file:
                file.write(_group_bytes(attributes, _members(arrays)))
            entry.append(_entries(group, attributes, arrays))

        with _writing(store.location):
            self._restore_journal()
            store._hide(group)
            store._paper(group.partition("/")[0])
            store._place.publish(group, write)
            store._show(group, self._layout.described["claim"], entry[-1])
            self._compacted = _Compacted(store._place, group, self._layout, digests)
            self._compacted.marker = attributes["complete"]
            self._compacted.chunk_keys = {
                name: f"{group}/{name}/{_chunk_key(len(metadata['shape']))}"
                for name, metadata in described.items()
            }
            self._drop_journal()

    def close(self) -> None:
        """Let go of the journal; the blocks in it stay."""
        self._journal.close()

    def _blocks(self) -> set[tuple[int, int]]:
        blocks = set(self._where)
        return blocks if self._compacted is None else blocks | self._compacted.blocks()

    def _digest_shape(self) -> tuple[int, int]:
        return self._layout.cells, max((block + 1 for _, block in self._blocks()), default=0)

    def _payload(self, cell: int, block: int) -> bytes:
        layout = self._layout
        if (cell, block) in self._where:
            return layout.payload_of(self._frame(cell, block))
        if self._compacted is not None and (cell, block) in self._compacted:
            payload = self._compacted.payload(cell, block)
            if layout.digest(cell, block, payload) == self._compacted.digests[cell, block]:
                return payload
            self._compacted.digests[cell, block] = 0
            self._compacted.damaged += 1
            self._compacted.whole = False
            raise self._is_damaged(cell, block)
        raise KeyError(f"block {block} of cell {cell} is not finished")

    def _frame(self, cell: int, block: int) -> bytes:
        """Return the journal's record of a block."""
        frame = self._journal.read(self._layout, cell, block, self._where[cell, block])
        if self._layout.verified(frame) == (cell, block):
            return frame
        del self._where[cell, block]
        self._journal.damaged += 1
        raise self._is_damaged(cell, block)

    def _is_damaged(self, cell: int, block: int) -> StoreError:
        return StoreError(
            f"block {block} of cell {cell} of {self._layout.described['claim']} in the store "
            f"{self._store.location} is damaged; run again to draw it anew"
        )

    def _block_metadata(
        self,
        dataset: xr.Dataset,
        dims: Sequence[str] | None,
        attributes: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, dict[str, Any]]:
        layout = self._layout
        names = {str(name) for name in dataset.variables} | set(layout.variables)
        for name in names:
            if "/" in name or name.startswith(".") or name in ("zarr.json", DIGESTS):
                raise ValueError(f"a variable cannot be named {name!r}")
        if twice := {str(name) for name in dataset.variables} & set(layout.variables):
            raise ValueError(f"{sorted(twice)} are variables of the blocks and of the dataset")
        if unknown := set(attributes) - set(layout.variables):
            raise ValueError(f"attributes for {sorted(unknown)}, which the blocks do not have")
        chains = self._digest_shape()[1]
        if not chains or not layout.variables:
            return {}
        dims = _cell_dims(dataset) if dims is None else list(dims)
        shape = [dataset.sizes[dim] for dim in dims]
        if int(np.prod(shape)) != layout.cells:
            raise ValueError(
                f"the claim has {layout.cells} cells, the dimensions "
                f"{dict(zip(dims, shape, strict=True))} have {int(np.prod(shape))}"
            )
        for dim, size in (("chain", chains), ("draw", layout.rows)):
            if dataset.sizes.get(dim, size) != size:
                raise ValueError(
                    f"{dim} is {size} in the blocks, {dataset.sizes[dim]} in the dataset"
                )
        whole = len(self._blocks()) == layout.cells * chains
        return {
            name: _block_array(
                [*dims, "chain", "draw"],
                [*shape, chains, layout.rows],
                dtype,
                whole,
                json.loads(_dumps(attributes.get(name, {}))),
            )
            for name, dtype in layout.variables.items()
        }

    def _parts(
        self,
        small: Sequence[tuple[str, dict[str, Any], bytes]],
        described: Mapping[str, dict[str, Any]],
        digests: np.ndarray,
    ) -> list[tuple[str, bytes, bytes]]:
        """Return name, metadata and chunk of every variable, without the chunks of the blocks."""
        import xarray as xr

        arrays = list(small)
        for name, sibling in described.items():
            arrays.append((name, sibling, b""))
        if described:
            sibling = next(iter(described.values()))
            told = {"long_name": "BLAKE2b digest of the block, 0 where none was drawn"}
            variable = xr.Variable(
                sibling["dimension_names"][:-1], digests.reshape(sibling["shape"][:-1]), told
            )
            arrays.append((DIGESTS, *_small_array(DIGESTS, variable)))
        return [(name, _bytes(metadata), chunk) for name, metadata, chunk in arrays]

    def _write_blocks(
        self,
        create: Callable[[str], Any],
        described: Mapping[str, dict[str, Any]],
        digests: np.ndarray,
    ) -> None:
        """Fill the block variables cell by cell, and the digests with what was read."""
        if not described:
            return
        layout = self._layout
        chains = digests.shape[1]
        by_cell: dict[int, list[int]] = {}
        for cell, block in self._where:
            by_cell.setdefault(cell, []).append(block)
        buffers = {
            name: np.full((chains, layout.rows), _fill_of(dtype), dtype)
            for name, dtype in layout.variables.items()
        }
        with contextlib.ExitStack() as stack:
            files = {}
            for name, meta in described.items():
                with create(f"{name}/zarr.json") as file:
                    file.write(_bytes(meta))
                key = f"{name}/{_chunk_key(len(meta['shape']))}"
                files[name] = stack.enter_context(create(key))
            for cell in sorted(by_cell):
                if len(by_cell[cell]) < chains:
                    for name, dtype in layout.variables.items():
                        buffers[name][:] = _fill_of(dtype)
                for block in by_cell[cell]:
                    frame = self._frame(cell, block)
                    digests[cell, block] = int.from_bytes(frame[-_DIGEST_SIZE:], "little")
                    offset = _FRAME.size
                    for name, dtype in layout.variables.items():
                        buffers[name][block] = np.frombuffer(frame, dtype, layout.rows, offset)
                        offset += layout.sizes[name]
                for name, file in files.items():
                    file.write(buffers[name].data.cast("B"))
            present = np.any(digests, axis=1)
            for name, file in files.items():
                file.write(_shard_index(present, chains * layout.sizes[name]))

    def _restore_journal(self) -> None:
        """Before a compacted claim is written anew, the journal gets its blocks back."""
        if self._compacted is None:
            return
        layout = self._layout
        for cell, block in sorted(self._blocks() - set(self._where)):
            frame = layout.encode(cell, block, layout.decode(self._payload(cell, block)))
            self._where[cell, block] = self._journal.append(layout, cell, block, frame)

    def _drop_journal(self) -> None:
        self._journal.remove()
        self._where.clear()


def _bytes(value: object) -> bytes:
    return _dumps(value).encode()


def _group_bytes(attributes: Mapping[str, Any], entries: Iterable[bytes] | None) -> bytes:
    """Return the metadata of a group, with those of its members if given."""
    start = b'{"zarr_format":3,"node_type":"group","attributes":' + _bytes(attributes)
    if entries is None:
        return start + b"}"
    start += b',"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{'
    # One copy only: the root's list has megabytes, and is written for every finished claim.
    between = itertools.repeat(b",")
    listed = itertools.islice(
        itertools.chain.from_iterable(zip(between, entries, strict=False)), 1, None
    )
    return b"".join([start, *listed, b"}}}"])


def _members(arrays: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    return (_bytes(name) + b":" + metadata for name, metadata in arrays)


def _entries(
    group: str, attributes: Mapping[str, Any], arrays: Iterable[tuple[str, bytes]]
) -> bytes:
    """Return what the root's consolidated metadata say of one group."""
    named = [(group, _group_bytes(attributes, None))]
    named += [(f"{group}/{name}", metadata) for name, metadata in arrays]
    return b",".join(_bytes(name) + b":" + metadata for name, metadata in named)


class Store:
    """One audit's blocks and results; made by `Store.open` or `Store.load`.

    Use as a context manager. Only one process at a time may write a local store; on other file
    systems nothing keeps a second writer out.

    Attributes
    ----------
    location : str
        The directory or URL.
    attributes : dict
        What the first run wrote about itself.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> with Store.open(None, {"format": 1, "seed": 2026, "version": "0.1.0"}) as store:
    ...     blocks = store.claim("mine/theorem-2", "a1b2", {"lhs": float}, cells=2, rows=3)
    ...     blocks.put(1, 0, {"lhs": np.array([0.5, 0.25, 0.125])})
    ...     blocks.finish(xr.Dataset({"rhs": ("n", [1.0, 0.5])}, {"n": [10, 100]}))
    ...     print(float(store.read("mine/theorem-2")["lhs"].sel(n=100).sum()))
    0.875
    """

    def __init__(self, place: _Place, readonly: bool) -> None:
        self.location = place.location
        self.attributes: dict[str, Any] = {}
        self.readonly = readonly
        self._place = place
        self._held = _Held()
        self._release = weakref.finalize(self, self._held.release)
        self._postponed: dict[str, Callable[[], None]] = {}
        self._closed = False
        self._groups: dict[str, tuple[str, bytes]] = {}
        self._open_claims: dict[str, ClaimBlocks] = {}
        self._papers: set[str] = set()

    @classmethod
    def open(cls, location: str | os.PathLike[str] | None, attributes: Mapping[str, Any]) -> Store:
        """Create a store, or open an existing one to resume the run that wrote it.

        Parameters
        ----------
        location : str, path or None
            A directory or any fsspec URL; None is a temporary directory, removed by `close`.
        attributes : mapping
            JSON. ``format``, ``seed`` and ``version`` must be those of the existing store; the rest
            is kept as the first run wrote it.

        Returns
        -------
        Store

        Raises
        ------
        StoreError
            If the place cannot be written, is not a store, is in use, or belongs to another run.
        """
        own = json.loads(_dumps({"format": FORMAT, **attributes}))
        if location is None:
            temporary = Path(tempfile.mkdtemp(prefix="noisytheory-"))
            self = cls(_Directory(temporary), readonly=False)
            self._held.temporary = temporary
        else:
            self = cls(_place(location), readonly=False)
        try:
            with _writing(self.location):
                self._acquire()
                found = self._root()
                if found is None:
                    self.attributes = own
                else:
                    self.attributes = found
                    for name in IDENTITY:
                        if found.get(name) != own.get(name):
                            raise StoreError(
                                f"the store {self.location} has {name} {found.get(name)!r}, "
                                f"this run has {own.get(name)!r}: choose another store"
                            )
                self._place.sweep()
                self._scan()
                for group in self._groups:
                    self._paper(group.partition("/")[0])
                self._write_root()
        except BaseException:
            self.close()
            raise
        return self

    @classmethod
    def load(cls, location: str | os.PathLike[str]) -> Store:
        """Open an existing store for reading only, whatever run wrote it.

        Parameters
        ----------
        location : str or path
            A directory or any fsspec URL.

        Returns
        -------
        Store
            With at least one finished claim.

        Raises
        ------
        StoreError
            If there is no store, or nothing in it is finished.
        """
        self = cls(_place(location), readonly=True)
        with _reading(self.location):
            found = self._root()
            if found is None:
                raise StoreError(f"there is no store at {self.location}")
            self.attributes = found
            self._scan()
        if not self._groups:
            raise StoreError(f"no claim in the store {self.location} is finished")
        return self

    def claim(
        self,
        claim_id: str,
        fingerprint: str,
        variables: Mapping[str, Any],
        cells: int,
        rows: int,
    ) -> ClaimBlocks:
        """Open the blocks of one claim: none, or those that an earlier run finished.

        Parameters
        ----------
        claim_id : str
            Two or more names separated by ``/``.
        fingerprint : str
            Names the code and the parameters that the blocks come from.
        variables : mapping of str to dtype
            What each block holds: floats, integers or booleans.
        cells : int
            How many cells the claim's grid has.
        rows : int
            How many replicates a block has.

        Returns
        -------
        ClaimBlocks

        Raises
        ------
        StoreError
            If the store has blocks of this claim from other code or parameters.
        """
        self._still_open()
        group = group_of(claim_id)
        layout = _Layout(claim_id, fingerprint, variables, cells, rows)
        if claim_id in self._open_claims:
            known = self._open_claims[claim_id]
            self._check(claim_id, known._layout.described, layout)
            return known
        journal = self._place.journal(group)
        with _reading(self.location):
            described = journal.described()
            if described is not None:
                self._check(claim_id, described, layout)
            compacted = self._compacted(claim_id, group, layout)
        blocks = ClaimBlocks(self, group, layout, journal, compacted)
        self._open_claims[claim_id] = blocks
        return blocks

    def read(self, claim_id: str) -> xr.Dataset:
        """Open a finished claim lazily; values are read when they are used.

        Parameters
        ----------
        claim_id : str
            One of `ids`.

        Returns
        -------
        Dataset

        Raises
        ------
        StoreError
            If the claim is not finished or cannot be read.
        """
        import xarray as xr

        if claim_id in self._postponed:
            self._postponed[claim_id]()
            del self._postponed[claim_id]
        group = next((g for g, (known, _) in self._groups.items() if known == claim_id), None)
        if group is None:
            raise StoreError(f"the store {self.location} has no finished claim {claim_id}")
        with _reading(self.location):
            return xr.open_dataset(f"{self.location}/{group}", engine="zarr", consolidated=True)

    def ids(self) -> list[str]:
        """List the finished claims, sorted."""
        return sorted({claim_id for claim_id, _ in self._groups.values()} | set(self._postponed))

    def close(self) -> None:
        """Let go of the store, and remove it if it is temporary."""
        for blocks in self._open_claims.values():
            blocks.close()
        self._open_claims.clear()
        self._postponed.clear()
        self._release()
        self._closed = True

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.location}: {len(self.ids())} finished claims>"

    def _still_open(self) -> None:
        """Refuse to write what is open for reading only, or no longer locked."""
        if self.readonly:
            raise StoreError(f"the store {self.location} was opened for reading")
        if self._closed:
            raise StoreError(f"the store {self.location} is closed")

    def _check(self, claim_id: str, described: Mapping[str, Any], layout: _Layout) -> None:
        for name in ("fingerprint", "variables", "cells", "rows"):
            if described[name] != layout.described[name]:
                raise StoreError(
                    f"the store {self.location} has {claim_id} from other code or parameters "
                    f"({name} {described[name]!r}, this run {layout.described[name]!r}): "
                    "choose another store"
                )

    def _compacted(self, claim_id: str, group: str, layout: _Layout) -> _Compacted | None:
        """Open what is compacted of a claim; None if nothing is, or its metadata is damaged."""
        if group not in self._groups:
            return None
        try:
            text = self._place.read(f"{group}/zarr.json")
            metadata = json.loads(text)
            arrays = metadata["consolidated_metadata"]["metadata"]
            stored = dict(layout.described, fingerprint=metadata["attributes"]["fingerprint"])
            if DIGESTS in arrays:
                blocks = {
                    name: array
                    for name, array in arrays.items()
                    if array["codecs"][0]["name"] == "sharding_indexed"
                }
                stored["variables"] = {
                    name: np.dtype(blocks[name]["data_type"]).newbyteorder("<").str
                    for name in blocks
                }
                stored["cells"] = int(np.prod(arrays[DIGESTS]["shape"][:-1]))
                stored["rows"] = next(iter(blocks.values()))["shape"][-1]
            self._check(claim_id, stored, layout)
            return _Compacted.opened(self._place, group, layout, text)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, StopIteration):
            return None

    def _acquire(self) -> None:
        """Make the directory if need be, and keep every other writer out of it."""
        if not isinstance(self._place, _Directory):
            return
        path = self._place.path
        if path.exists() and not path.is_dir():
            raise StoreError(f"{path} is a file, not a store")
        if path.is_dir():
            names = {entry.name for entry in os.scandir(path)}
            if names - {HIDDEN} and "zarr.json" not in names:
                raise StoreError(f"{path} is not empty and not a store: choose another directory")
        hidden = path / HIDDEN
        hidden.mkdir(parents=True, exist_ok=True)
        self._held.lock = os.open(hidden / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        if fcntl is None:
            return
        try:
            fcntl.flock(self._held.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"another run is writing to the store {path}") from None
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL):
                raise
            warnings.warn(
                f"the file system of {path} has no locks: let no second run write there",
                stacklevel=3,
            )
        _locks.add(self._held)

    def _root(self) -> dict[str, Any] | None:
        """Return the attributes of the store, or None if there is none yet."""
        try:
            text = self._place.read("zarr.json")
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            attributes = json.loads(text)["attributes"]
            return dict(attributes)
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self.location} is not a store: its zarr.json is damaged or not ours"
            ) from None

    def _scan(self) -> None:
        """Find the groups that are complete; the root's list may be older than they are."""
        for paper in self._place.groups(""):
            for name in self._place.groups(paper):
                group = f"{paper}/{name}"
                try:
                    metadata = json.loads(self._place.read(f"{group}/zarr.json"))
                    attributes = metadata["attributes"]
                    claim_id = attributes["claim"]
                    arrays = metadata["consolidated_metadata"]["metadata"]
                    if attributes["complete"] and group_of(claim_id) == group:
                        items = [(name, _bytes(array)) for name, array in arrays.items()]
                        self._groups[group] = (claim_id, _entries(group, attributes, items))
                except (FileNotFoundError, ValueError, KeyError, TypeError):
                    continue  # not a finished claim: it will be drawn or compacted again

    def _finish(self, claim_id: str, compact: Callable[[], None], journal: _Journal) -> None:
        """Compact a claim now; in a temporary store, which nobody else opens, when it is read."""
        if self._held.temporary is None:
            compact()
        else:
            self._postponed[claim_id] = compact
            journal.close()

    def _hide(self, group: str) -> None:
        """Take a claim off the root's list while its group is replaced."""
        if self._groups.pop(group, None) is not None:
            self._write_root()

    def _show(self, group: str, claim_id: str, entry: bytes) -> None:
        self._groups[group] = (claim_id, entry)
        self._write_root()

    def _write_root(self) -> None:
        papers = sorted({group.partition("/")[0] for group in self._groups})
        entries = [_entries(paper, {}, []) for paper in papers]
        entries += [self._groups[group][1] for group in sorted(self._groups)]
        self._place.write("zarr.json", _group_bytes(self.attributes, entries))

    def _paper(self, paper: str) -> None:
        """Make the group of a paper, in which the groups of its claims lie."""
        if paper in self._papers:
            return
        key = f"{paper}/zarr.json"
        text = _group_bytes({}, None)
        if _read_or_nothing(self._place, key) != text:
            self._place.write(key, text)
        self._papers.add(paper)


def _place(location: str | os.PathLike[str]) -> _Place:
    text = os.fspath(location)
    for scheme in ("file://", "local://"):
        text = text.removeprefix(scheme)
    if "://" not in text and "::" not in text:
        return _Directory(Path(text))
    try:
        return _Objects(text)
    except (ImportError, ValueError) as error:
        raise StoreError(f"cannot open the store {text}: {' '.join(str(error).split())}") from error
