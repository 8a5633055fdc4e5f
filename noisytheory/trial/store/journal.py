"""The append-only journal of a claim: checksummed frames, one a block, until it is compacted."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np

from noisytheory.trial.store.errors import StoreError

_MAGIC = b"\x93ntblk\r\n"
_HEAD = struct.Struct("<8sQQQ")  # magic, cell, block, length of the payload that follows
_DIGEST = 8  # bytes of the digest after the payload
_HEADER = 2**64 - 1  # cell and block of the frame that starts a journal and describes its claim
_BATCH = 64  # objects fetched at a time
_WINDOW = 2**20  # bytes looked through at a time for the start of a frame

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Flag of every file that is opened to be written: a link leads to data of others."""

Where = tuple[int, int]
"""Cell and block."""


def encoded(value: object) -> bytes:
    """Return the one JSON text that stands for a value here; checksums are taken of it."""
    return _ENCODER.encode(value).encode()


def _plain(value: object) -> object:
    """Turn what NumPy returns into what JSON knows."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"an attribute must be JSON, got {value!r}")


def sealed(text: bytes) -> bytes:
    """Return a digest of a text, as text."""
    return _seal(google_crc32c.value(text)).hex().encode()


def regular(path: str, flags: int) -> int:
    """Open a file to read, unless it is a pipe or a device: those never end, or never begin."""
    fd = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is no regular file", path)
    return fd


def sync_folder(path: Path) -> None:
    """Have the disk know the names in a folder."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: Any) -> None:
    """Write all of a buffer, in as many calls as it takes."""
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(fd, view) :]


_ENCODER = json.JSONEncoder(default=_plain, separators=(",", ":"), ensure_ascii=False)


class Layout:
    """What every block of one claim looks like, in its frame and out of it."""

    def __init__(
        self, run: Mapping[str, Any], claim: str, fingerprint: str, variables: Mapping[str, Any],
        cells: int, rows: int,
    ) -> None:
        self.run, self.claim, self.cells, self.rows = dict(run), claim, cells, rows
        self.variables = {
            name: np.dtype(variables[name]).newbyteorder("<") for name in sorted(variables)
        }
        for name, dtype in self.variables.items():
            if dtype.kind not in "fiub":
                raise ValueError(f"variable {name} must be float, integer or bool, got {dtype}")
        self.sizes = {name: rows * dtype.itemsize for name, dtype in self.variables.items()}
        self.frame_size = _HEAD.size + sum(self.sizes.values()) + _DIGEST
        self.described: dict[str, Any] = {
            **run,
            "claim": claim,
            "fingerprint": fingerprint,
            "variables": {name: dtype.str for name, dtype in self.variables.items()},
            "cells": cells,
            "rows": rows,
        }
        text = encoded(self.described)
        # Run and claim start every digest: a record of another seed or claim never verifies.
        self._seed = google_crc32c.value(text)
        self.header = _HEAD.pack(_MAGIC, _HEADER, _HEADER, len(text)) + text + self._sealed()

    def check(self, described: Mapping[str, Any], location: str, there: str) -> None:
        """Refuse blocks that come from another run, other code or parameters."""
        for name in (*self.run, "fingerprint", "variables", "cells", "rows"):
            if described.get(name) != self.described[name]:
                other = "another run" if name in self.run else "other code or parameters"
                raise StoreError(
                    f"the store {location} has {self.claim} from {other} "
                    f"({name} {described.get(name)!r}, this run {self.described[name]!r}): "
                    f"choose another store, or move its {there} away"
                )

    def payload(self, arrays: Mapping[str, np.ndarray]) -> bytes:
        """Return the values of a block as bytes, if they are of the declared types."""
        if arrays.keys() != self.variables.keys():
            raise ValueError(
                f"a block must have the variables {sorted(self.variables)}, got {sorted(arrays)}"
            )
        for name, dtype in self.variables.items():
            array, shape = arrays[name], (self.rows,)
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(
                    f"{name} must be {dtype} of shape {shape}, "
                    f"got {array.dtype} of shape {array.shape}"
                )
        return b"".join([arrays[name].tobytes() for name in self.variables])

    def arrays(self, payload: bytes) -> dict[str, np.ndarray]:
        """Return the values of a block, each an array of shape (rows,)."""
        return {
            name: np.frombuffer(part, self.variables[name]).copy()
            for name, part in self.parts(payload)
        }

    def parts(self, payload: bytes) -> Iterator[tuple[str, memoryview]]:
        """Yield the bytes of every variable of a block."""
        view, offset = memoryview(payload), 0
        for name, size in self.sizes.items():
            yield name, view[offset : offset + size]
            offset += size

    def frame(self, cell: int, block: int, payload: bytes) -> bytes:
        """Return a block as the journal has it."""
        head = _HEAD.pack(_MAGIC, cell, block, len(payload))
        return b"".join((head, payload, self._sealed(head, payload)))

    def split(self, frame: bytes) -> tuple[bytes, int]:
        """Return payload and digest of a frame."""
        return frame[_HEAD.size : -_DIGEST], int.from_bytes(frame[-_DIGEST:], "little")

    def verified(self, frame: bytes) -> Where | None:
        """Return the cell and block of a frame, or None if it is torn, damaged or foreign."""
        if len(frame) != self.frame_size or self._sealed(frame[:-_DIGEST]) != frame[-_DIGEST:]:
            return None
        _, cell, block, _ = _HEAD.unpack_from(frame)
        return cell, block

    def _sealed(self, *parts: bytes) -> bytes:
        crc = self._seed
        for part in parts:
            crc = google_crc32c.extend(crc, part)
        return _seal(crc)


def _seal(crc: int) -> bytes:
    """A CRC-32C (20 GB/s, where BLAKE2b takes 0.9) and its complement, which is never 0."""
    return struct.pack("<II", crc, crc ^ 0xFFFFFFFF)


def _description_in(data: bytes) -> dict[str, Any] | None:
    """Return the description that a journal starts with, or None if there is no whole one."""
    if len(data) < _HEAD.size:
        return None
    magic, cell, block, size = _HEAD.unpack_from(data)
    text, end = data[_HEAD.size : _HEAD.size + size], _HEAD.size + size
    digest = _seal(google_crc32c.value(text))
    if (magic, cell, block, digest) != (_MAGIC, _HEADER, _HEADER, data[end : end + _DIGEST]):
        return None
    described: dict[str, Any] = json.loads(text)
    return described


class FileJournal:
    """One append-only file; `blocks` has the offset of every whole frame."""

    def __init__(self, path: Path, layout: Layout, durable: bool = False) -> None:
        self.blocks: dict[Where, int] = {}
        self.damaged = 0
        self.broken = False  # whether something is lost that no dying process leaves
        self._path, self._layout, self._durable = path, layout, durable
        self._fd, self._end = -1, 0

    def description(self) -> dict[str, Any] | None:
        """Say whose blocks these are, or None if the journal does not."""
        try:
            with open(self._path, "rb", opener=regular) as file:
                return _description_in(file.read(2**20))
        except FileNotFoundError:
            return None

    def scan(self) -> None:
        """Find every whole frame, and cut off what a dying process left after the last one.

        A file that is neither ours nor the start of ours is left alone, and said.
        """
        if not os.path.lexists(self._path):
            return
        os.close(regular(str(self._path), os.O_RDONLY))
        self._open()
        length = os.fstat(self._fd).st_size
        if length:
            self._end = self._found_in(length)
            start = self._at(0, len(self._layout.header))
            # The start, when a process died in the middle of it, is all that a new journal has.
            if not self._end and not self._layout.header.startswith(start):
                self.close()
                raise StoreError(f"{self._path} is no journal of this package: move it away")
        if length > self._end:
            os.ftruncate(self._fd, self._end)
        if not self._end:
            self.remove()

    def _found_in(self, length: int) -> int:
        """Return the end of the last whole frame; 0 if there is neither frame nor header."""
        header, size = self._layout.header, self._layout.frame_size
        headed = self._at(0, len(header)) == header
        end = min(len(header), length)
        place = end if headed else 0
        heads: Iterator[int] | None = None
        while place < length:
            where = self._layout.verified(self._at(place, size))
            if where is None:
                heads = heads or self._heads(place)
                place = next((head for head in heads if head > place), length)
                continue
            self.broken |= place > end or not headed
            self.damaged += max(0, place - end) // size
            self.blocks[where] = place
            end = place = place + size
        self.damaged += max(0, length - end) // size
        self.broken |= self.damaged > 0
        return end if self.blocks or headed else 0

    def _heads(self, place: int) -> Iterator[int]:
        """Yield where frames may begin, from a place on."""
        # Each byte is looked at once, whatever is there: only a head with the length of a block
        # has its frame read.
        length = self._layout.frame_size - _HEAD.size - _DIGEST
        head = re.compile(re.escape(_MAGIC) + b"(?=.{16}" + re.escape(struct.pack("<Q", length))
                          + b")", re.DOTALL)
        while len(piece := self._at(place := self._past_hole(place), _WINDOW)) >= _HEAD.size:
            yield from (place + found.start() for found in head.finditer(piece))
            place += len(piece) - _HEAD.size + 1

    def _past_hole(self, place: int) -> int:
        """Say where, from a place on, the file has anything that a disk holds."""
        try:
            return os.lseek(self._fd, place, os.SEEK_DATA)
        except AttributeError:  # no such question on this platform
            return place
        except OSError as error:
            return os.fstat(self._fd).st_size if error.errno == errno.ENXIO else place

    def _at(self, place: int, size: int) -> bytes:
        """Read a part of the file, shorter where it ends before."""
        os.lseek(self._fd, place, os.SEEK_SET)
        return os.read(self._fd, size)

    def append(self, where: Where, frame: bytes) -> None:
        """Add a frame; once this returns, death of the process cannot lose it."""
        self._open()
        data = frame if self._end else self._layout.header + frame
        try:
            write_all(self._fd, data)
            if self._durable:
                os.fsync(self._fd)
                if not self._end:
                    sync_folder(self._path.parent)
        except BaseException:
            # A full disk or an interrupt: leave no half record before the next one.
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._end)
            raise
        self._end += len(data)
        self.blocks[where] = self._end - len(frame)

    def read(self, where: Where) -> bytes:
        """Return a frame, unverified."""
        self._open()
        return self._at(self.blocks[where], self._layout.frame_size)

    def close(self) -> None:
        """Let go of the file; the blocks in it stay."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        """Forget all blocks."""
        self.close()
        self._end = 0
        self.blocks.clear()
        self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        if self._fd < 0:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK | getattr(os, "O_CLOEXEC", 0)
            self._fd = os.open(self._path, flags | getattr(os, "O_BINARY", 0), 0o666)


class TemporaryJournal(FileJournal):
    """The journal of a store that dies with its process: in memory as long as there is room.

    `room` is what the store's journals may still hold there, in bytes, shared by all of them, and
    `most` what one of them may.
    """

    def __init__(self, path: Path, layout: Layout, room: list[int], most: int) -> None:
        super().__init__(path, layout)
        self._room, self._most = room, most
        self._kept: dict[Where, bytes] = {}

    @property
    def in_memory(self) -> bool:
        """Whether no block had to go to the file."""
        return len(self._kept) == len(self.blocks)

    def append(self, where: Where, frame: bytes) -> None:
        """Add a frame."""
        if len(frame) > min(self._room[0], self._most):
            super().append(where, frame)
            return
        self._room[0] -= len(frame)
        self._most -= len(frame)
        self._kept[where], self.blocks[where] = frame, -1

    def read(self, where: Where) -> bytes:
        """Return a frame, unverified."""
        return self._kept[where] if where in self._kept else super().read(where)

    def remove(self) -> None:
        """Forget all blocks."""
        held = sum(map(len, self._kept.values()))
        self._room[0] += held
        self._most += held
        self._kept.clear()
        super().remove()


OWN_FRAME = re.compile(r"header|(\d+-\d+)")
"""Names of the objects of a journal; whatever else is beside them is not of this package."""


class ObjectJournal:
    """One object a block under a hidden prefix; its name carries cell and block."""

    def __init__(self, fs: Any, prefix: str, layout: Layout) -> None:
        self.blocks: dict[Where, int] = {}
        self.damaged = 0
        self.broken = False
        self._fs, self._prefix, self._layout = fs, prefix, layout
        self._headed = False

    def description(self) -> dict[str, Any] | None:
        """Say whose blocks these are, or None if the journal does not."""
        try:
            return _description_in(self._fs.cat_file(f"{self._prefix}/header"))
        except FileNotFoundError:
            return None

    def scan(self) -> None:
        """Find every whole frame."""
        self._headed = self.description() is not None
        try:
            names = self._fs.ls(self._prefix, detail=False)
        except FileNotFoundError:
            return
        names = [n for n in names if (own := OWN_FRAME.fullmatch(n.rpartition("/")[2])) and own[1]]
        for start in range(0, len(names), _BATCH):
            for frame in self._fs.cat(names[start : start + _BATCH]).values():
                where = self._layout.verified(frame)
                if where is None:
                    self.damaged += 1
                    self.broken = True
                else:
                    self.blocks[where] = 0

    def append(self, where: Where, frame: bytes) -> None:
        """Add a frame; once this returns, death of the process cannot lose it."""
        if not self._headed:
            self._fs.makedirs(self._prefix, exist_ok=True)
            self._fs.pipe_file(f"{self._prefix}/header", self._layout.header)
            self._headed = True
        self._fs.pipe_file(f"{self._prefix}/{where[0]}-{where[1]}", frame)
        self.blocks[where] = 0

    def read(self, where: Where) -> bytes:
        """Return a frame, unverified."""
        frame: bytes = self._fs.cat_file(f"{self._prefix}/{where[0]}-{where[1]}")
        return frame

    def close(self) -> None:
        """Let go of nothing: no object stays open."""

    def remove(self) -> None:
        """Forget all blocks."""
        self._headed = False
        self.blocks.clear()
        with contextlib.suppress(FileNotFoundError):
            there = self._fs.ls(self._prefix, detail=False)
            own = [name for name in there if OWN_FRAME.fullmatch(name.rpartition("/")[2])]
            if own:
                self._fs.rm(own)


Journal = FileJournal | ObjectJournal
