"""Zarr v3 documents and chunks.

They are written byte by byte because storing is most of what the audit of a small claim costs: of
21 variables xarray's ``to_zarr`` makes 117 ms a claim, this 11 ms (``validation/benchmarks``), and
would make twice that if Zarr's own ``ArrayV3Metadata``, 0.4 ms an array, wrote the documents.
"""

from __future__ import annotations

import functools
import hashlib
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from noisytheory.trial.store.journal import encoded

_ID = re.compile(r"\w[\w.+-]*(?:/\w[\w.+-]*)+")
_LITTLE: dict[str, Any] = {"name": "bytes", "configuration": {"endian": "little"}}
_MISSING = 2**64 - 1

TOGETHER = 2**20
"""Draws of a cell that are one chunk, at most, unless a block has more: a read takes whole ones."""


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


class Array:
    """A Zarr array in one chunk; the chunk is empty if nothing is stored, or elsewhere."""

    def __init__(self, name: str, metadata: dict[str, Any], chunk: bytes = b"") -> None:
        self.name, self.metadata, self.chunk = name, metadata, chunk
        self.key = chunk_key(name, metadata)

    @functools.cached_property
    def document(self) -> bytes:
        """The array's ``zarr.json``."""
        return encoded(self.metadata)


def chunk_key(name: str, metadata: Mapping[str, Any]) -> str:
    """Say where the only chunk of an array is."""
    return f"{name}/{'.'.join(['c'] + ['0'] * len(metadata['shape']))}"


def storable(name: str, values: np.ndarray) -> np.ndarray:
    """Return values as they are stored, if they are numbers, booleans or text."""
    if values.dtype.kind in "OT":
        # The type that NumPy finds for what is inside: numbers, or text.
        values = np.array(values.tolist()).reshape(values.shape)
    if values.dtype.kind not in "fiubU":
        raise ValueError(f"{name} must hold numbers, booleans or text, got {values.dtype}")
    if not values.dtype.itemsize:
        values = values.astype("<U1")
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


def small_array(
    name: str, dims: Iterable[object], values: np.ndarray, attributes: Mapping[str, Any]
) -> Array:
    """Describe a storable variable in one chunk, or none where all its values are the same bits."""
    data = values.tobytes()
    fill = values.flat[0] if values.size else np.zeros((), values.dtype)[()]
    if values.dtype.kind == "f" and np.isnan(fill):
        fill = values.dtype.type(np.nan)
    if np.array(fill, values.dtype).tobytes() * values.size == data:
        data = b""
    chunk = [max(size, 1) for size in values.shape]
    metadata = _metadata(dims, values.shape, values.dtype, fill, chunk, _LITTLE, attributes)
    return Array(name, metadata, data)


def block_array(
    name: str, dims: Sequence[str], shape: Sequence[int], dtype: np.dtype[Any],
    attributes: Mapping[str, Any], *, whole: bool,
) -> Array:
    """Describe a variable of the blocks: one file, in it the chunks of each cell, then their index.

    A cell has as many blocks as fill its chunks: those behind its last are no part of the array.
    """
    fill = fill_of(dtype)
    if not whole and dtype.kind in "iu":
        attributes = {**attributes, "_FillValue": int(fill)}
    *cells, chains, rows = shape
    inner = blocks_together(chains, rows)
    stored = [*cells, -(-chains // inner) * inner, rows]
    sharding = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [1] * len(cells) + [inner, rows],
            "codecs": [_LITTLE],
            "index_codecs": [_LITTLE],
            "index_location": "end",
        },
    }
    return Array(name, _metadata(dims, shape, dtype, fill, stored, sharding, attributes))


def blocks_together(chains: int, rows: int) -> int:
    """How many of a cell's blocks are one chunk."""
    return min(chains, max(1, TOGETHER // rows))


def blocks_of(metadata: Mapping[str, Any]) -> tuple[int, int]:
    """How many blocks a variable of the blocks has room for in a cell, and in one chunk of it."""
    (sharding,) = metadata["codecs"]
    return (
        metadata["chunk_grid"]["configuration"]["chunk_shape"][-2],
        sharding["configuration"]["chunk_shape"][-2],
    )


def fill_of(dtype: np.dtype[Any]) -> Any:
    """Say what stands for a block that was not drawn: NaN, the lowest integer, or False."""
    if dtype.kind == "f":
        return dtype.type(np.nan)
    return dtype.type(np.iinfo(dtype).min) if dtype.kind in "iu" else np.bool_(False)


def shard_index(present: np.ndarray, pieces: int, stride: int) -> bytes:
    """Return offset and length of every chunk, in C order: so many a cell, all or none there."""
    present = np.repeat(present, pieces)
    index = np.full((len(present), 2), _MISSING, dtype="<u8")
    index[present, 0] = np.arange(np.count_nonzero(present), dtype="<u8") * np.uint64(stride)
    index[present, 1] = stride
    return index.tobytes()


def unsharded(file: bytes, metadata: Mapping[str, Any]) -> np.ndarray:
    """Return a variable of the blocks from what its file holds."""
    shape, (room, inner) = metadata["shape"], blocks_of(metadata)
    *cells, chains, rows = shape
    dtype = np.dtype(metadata["data_type"]).newbyteorder("<")
    count = int(np.prod(cells, dtype=int)) * (room // inner)
    index = np.frombuffer(file, "<u8", 2 * count, len(file) - 16 * count).reshape(count, 2)
    found = np.full((count, inner, rows), fill_of(dtype), dtype)
    for piece in np.flatnonzero(index[:, 0] != _MISSING):
        start = int(index[piece, 0])
        found[piece] = np.frombuffer(file, dtype, inner * rows, start).reshape(inner, rows)
    together = found.reshape(*cells, room, rows)[..., :chains, :]
    return np.asarray(together.astype(metadata["data_type"], copy=False))


def _metadata(
    dims: Iterable[object], shape: Sequence[int], dtype: np.dtype[Any], fill: Any,
    chunk: Sequence[int], codec: Mapping[str, Any], attributes: Mapping[str, Any],
) -> dict[str, Any]:
    data_type: object = dtype.name
    if dtype.kind == "U":  # UTF-32 of fixed length, as xarray stores text
        configuration = {"length_bytes": dtype.itemsize}
        data_type = {"name": "fixed_length_utf32", "configuration": configuration}
    value = fill.item()
    if dtype.kind == "f" and not np.isfinite(value):
        value = "NaN" if np.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": value,
        "codecs": [codec],
        "attributes": dict(attributes),
        "dimension_names": [str(dim) for dim in dims],
    }


def group_document(attributes: Mapping[str, Any], inside: Iterable[bytes] | None = None) -> bytes:
    """Return the metadata of a group, with those of what is inside if given."""
    start = b'{"zarr_format":3,"node_type":"group","attributes":' + encoded(attributes)
    if inside is None:
        return start + b"}"
    start += b',"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{'
    return b"".join([start, b",".join(inside), b"}}}"])


def members(arrays: Iterable[Array], prefix: str = "") -> list[bytes]:
    """Return what consolidated metadata say of arrays."""
    return [encoded(prefix + array.name) + b":" + array.document for array in arrays]


def branch(group: str, attributes: Mapping[str, Any], arrays: Iterable[Array]) -> bytes:
    """Return what the root's consolidated metadata say of a group and of everything in it."""
    own = encoded(group) + b":" + group_document(attributes)
    return b",".join([own, *members(arrays, f"{group}/")])


def marker_of(attributes: Mapping[str, Any], arrays: Iterable[Array]) -> str:
    """Digest everything of a group but its blocks, which have digests of their own."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(encoded({key: value for key, value in attributes.items() if key != "complete"}))
    for array in arrays:
        for part in (array.name.encode(), array.document, array.chunk):
            digest.update(struct.pack("<Q", len(part)))
            digest.update(part)
    return digest.hexdigest()
