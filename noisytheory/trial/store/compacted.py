"""A claim in its Zarr group: blocks written cell by cell, and verified one by one when read."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from noisytheory.trial.store import chunks
from noisytheory.trial.store.errors import UNREADABLE, gone
from noisytheory.trial.store.journal import Layout, Where
from noisytheory.trial.store.places import Create, Place, read_or_nothing

DIGESTS = "block_digest"
"""The variable that says which blocks a compacted claim has: 0 where none was finished."""


class Compacted:
    """The blocks that a claim's group holds, read without Zarr.

    `digests` is 0 for a block that is not there or no longer what was written; `whole` says that
    everything in the group is as it was written.
    """

    def __init__(
        self, place: Place, group: str, layout: Layout, arrays: Sequence[chunks.Array] = (),
        digests: np.ndarray | None = None, marker: str = "",
    ) -> None:
        self.digests = np.zeros((layout.cells, 0), "<u8") if digests is None else digests
        self.whole = digests is not None
        self.damaged = 0
        self.marker = marker
        self.arrays, self.attributes = arrays, dict[str, Any]()
        self._place, self._layout = place, layout
        self._present = np.any(self.digests, axis=1)
        self._rank = np.cumsum(self._present) - 1
        keys = {array.name: f"{group}/{array.key}" for array in arrays}
        self._files = [(keys[name], size) for name, size in layout.sizes.items() if name in keys]
        self._room = _room(arrays, layout, self.digests.shape[1])

    def __contains__(self, where: Where) -> bool:
        return where[1] < self.digests.shape[1] and bool(self.digests[where])

    def blocks(self) -> set[Where]:
        """List cell and block of all that is there."""
        cells, numbers = np.nonzero(self.digests)
        return set(zip(cells.tolist(), numbers.tolist(), strict=True))

    def frame(self, where: Where) -> bytes | None:
        """Return a block as a journal has it, or None if it is no longer what was written."""
        first = int(self._rank[where[0]]) * self._room[0] + where[1]
        parts = [self._read(key, first * size, (first + 1) * size) for key, size in self._files]
        frame = self._layout.frame(*where, b"".join(parts))
        if self._layout.split(frame)[1] == self.digests[where]:
            return frame
        self.digests[where] = 0
        self.damaged += 1
        self.whole = False
        return None

    def verify(self) -> None:
        """Read all blocks, and strike out those that are not what was written."""
        count, (room, inner) = np.count_nonzero(self._present), self._room
        self.whole &= not count or len(self._files) == len(self._layout.sizes)
        for key, size in self._files:
            index = chunks.shard_index(self._present, room // inner, inner * size)
            end = count * room * size
            # One byte more than there should be: a longer file is not whole either.
            self.whole &= self._read(key, end, end + len(index) + 1) == index
        for where in sorted(self.blocks()):
            self.frame(where)

    def _read(self, key: str, start: int, stop: int) -> bytes:
        try:
            return self._place.read(key, start, stop)
        except OSError as error:
            if not gone(error):
                raise
            return b""


def _room(arrays: Sequence[chunks.Array], layout: Layout, chains: int) -> tuple[int, int]:
    """For how many blocks a cell has room, and one chunk of it; those that hold many once were one.

    Whoever else writes another number of them has written what is not ours.
    """
    inner = chunks.blocks_together(max(1, chains), layout.rows)
    known = [(chains, chains), (-(-chains // inner) * inner, inner)]
    found = {chunks.blocks_of(a.metadata) for a in arrays if a.name in layout.sizes}
    if not found or not chains:
        return 1, 1
    (only,) = found
    if only not in known:
        raise ValueError("no chunks of this package")
    return only


def compacted_in(
    place: Place, group: str, layout: Layout, blocks: bool = True
) -> Compacted:
    """Read a group's digests and verify everything in it, or all but its blocks.

    Empty if its metadata are damaged.
    """
    try:
        text = place.read(f"{group}/zarr.json")
        metadata = json.loads(text)
        attributes = metadata["attributes"]
        described = metadata["consolidated_metadata"]["metadata"]
        arrays, whole = [], True
        for name, about in described.items():
            own = of_blocks(about)
            key = f"{group}/{chunks.chunk_key(name, about)}"
            arrays.append(chunks.Array(name, about, b"" if own else read_or_nothing(place, key)))
            document = read_or_nothing(place, f"{group}/{name}/zarr.json")
            whole &= document == arrays[-1].document
        marker = chunks.marker_of(attributes, arrays)
        whole &= chunks.group_document(attributes, chunks.members(arrays)) == text
        whole &= marker == attributes.get("complete")
        found_of = _description(attributes, described, layout)
        if whole:
            layout.check(found_of, place.location, group)
        elif found_of != layout.described:
            return Compacted(place, group, layout)
        digests = _digests(arrays, layout.cells, whole)
        found = Compacted(place, group, layout, arrays, digests, marker)
        found.whole, found.attributes = whole, attributes
        if blocks:
            found.verify()
        return found
    except OSError as error:
        if not gone(error):
            raise
        return Compacted(place, group, layout)
    except UNREADABLE:
        return Compacted(place, group, layout)


def whole_in(
    place: Place, group: str, run: Mapping[str, Any], blocks: bool = True
) -> Compacted | None:
    """Read a group if everything in it is as this run wrote it, whatever claim it holds."""
    try:
        metadata = json.loads(place.read(f"{group}/zarr.json"))
        attributes = metadata["attributes"]
        blank = Layout(run, attributes["claim"], attributes["fingerprint"], {}, 1, 1)
        described = _description(attributes, metadata["consolidated_metadata"]["metadata"], blank)
        names = ("claim", "fingerprint", "variables", "cells", "rows")
        layout = Layout(run, *(described[name] for name in names))
        found = compacted_in(place, group, layout, blocks)
    except (OSError, *UNREADABLE):
        return None
    return found if found.whole else None


def of_blocks(about: Mapping[str, Any]) -> bool:
    """Say whether an array holds blocks."""
    return bool(about["codecs"][0]["name"] == "sharding_indexed")


def _description(
    attributes: dict[str, Any], described: dict[str, Any], layout: Layout
) -> dict[str, Any]:
    """Say of a group what the head of a journal says; without blocks, only run and fingerprint."""
    stored = {**layout.described, "fingerprint": attributes["fingerprint"]}
    stored |= {name: attributes.get(name) for name in layout.run}
    if DIGESTS in described:
        blocks = {
            name: array
            for name, array in described.items()
            if of_blocks(array)
        }
        types = {name: np.dtype(array["data_type"]) for name, array in blocks.items()}
        stored["variables"] = {name: types[name].newbyteorder("<").str for name in types}
        stored["cells"] = int(np.prod(described[DIGESTS]["shape"][:-1]))
        stored["rows"] = next(iter(blocks.values()))["shape"][-1]
    return stored


def _digests(arrays: Sequence[chunks.Array], cells: int, whole: bool) -> np.ndarray:
    for array in arrays:
        if array.name == DIGESTS:
            data = array.chunk
            if not data and whole:  # all are the same
                fill = np.uint64(array.metadata["fill_value"])
                data = fill.tobytes() * int(np.prod(array.metadata["shape"]))
            if len(data) % (8 * cells) == 0:
                return np.frombuffer(data, "<u8").reshape(cells, -1).copy()
    return np.zeros((cells, 0), "<u8")


def write_blocks(
    create: Create, arrays: Sequence[chunks.Array], layout: Layout, blocks: Iterable[Where],
    frame: Callable[[Where], bytes], digests: np.ndarray,
) -> None:
    """Fill the block variables chunk by chunk, and `digests` with what was read."""
    if not arrays:
        return
    room, inner = chunks.blocks_of(arrays[0].metadata)
    absent: dict[str, bytes | memoryview] = {
        name: np.full(layout.rows, chunks.fill_of(dtype), dtype).tobytes()
        for name, dtype in layout.variables.items()
    }
    by_chunk: dict[tuple[int, int], list[Where]] = {}
    for where in blocks:
        by_chunk.setdefault((where[0], where[1] // inner), []).append(where)
    present = np.zeros(layout.cells, bool)
    present[[cell for cell, _ in by_chunk]] = True
    with contextlib.ExitStack() as stack:
        files = {array.name: stack.enter_context(create(array.key)) for array in arrays}
        for cell, piece in itertools.product(np.flatnonzero(present), range(room // inner)):
            parts = {name: [absent[name]] * inner for name in files}
            for where in by_chunk.get((int(cell), piece), ()):
                payload, digests[where] = layout.split(frame(where))
                for name, values in layout.parts(payload):
                    parts[name][where[1] % inner] = values
            for name, file in files.items():
                file.write(b"".join(parts[name]))
        for name, file in files.items():
            index = chunks.shard_index(present, room // inner, inner * layout.sizes[name])
            file.write(index)
