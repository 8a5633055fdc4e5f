"""A claim's group as a dataset, from what was read to verify it: many draws are left to Zarr."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from noisytheory.trial.store.chunks import Array, chunk_key, unsharded
from noisytheory.trial.store.compacted import Compacted, of_blocks

__all__ = ["dataset"]


class _Draws(BackendArray):
    """A variable of the blocks, read when it is used: at once where it is a small file."""

    def __init__(self, url: str, metadata: Mapping[str, Any]) -> None:
        self.url, self.shape = url, tuple(metadata["shape"])
        self.dtype, self.metadata = np.dtype(metadata["data_type"]), metadata

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._read)

    @functools.cached_property
    def _array(self) -> Any:
        import zarr

        return zarr.open_array(self.url, mode="r")

    @functools.cached_property
    def _small(self) -> np.ndarray | None:
        """All of it, if it is a file that is soon read: to open it takes Zarr longer."""
        path = os.path.join(self.url, os.path.basename(chunk_key("", self.metadata)))
        if not os.path.isfile(path) or os.path.getsize(path) > _AT_ONCE:
            return None
        with open(path, "rb") as file:
            return unsharded(file.read(), self.metadata)

    def _read(self, key: tuple[Any, ...]) -> Any:
        if self._small is None:
            return self._array.oindex[key]
        found, axis = self._small, 0
        for at in key:
            found = found[(*[slice(None)] * axis, at)]
            axis += not isinstance(at, int | np.integer)
        return np.array(found)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Draws, (self.url, self.metadata)  # without what was read


_AT_ONCE = 2**24
"""Bytes of a file that is read whole."""


def _drawn(array: Array, url: str) -> tuple[Any, ...]:
    """Data, attributes and encoding of what is read later."""
    about = array.metadata
    (sharding,) = about["codecs"]
    chunks = tuple(sharding["configuration"]["chunk_shape"])
    together = dict(zip(about["dimension_names"], chunks, strict=True))
    data = indexing.LazilyIndexedArray(_Draws(url, about))
    return data, about["attributes"], {"chunks": chunks, "preferred_chunks": together}


def _small(array: Array, url: str) -> tuple[Any, ...]:
    """Data and attributes of what has been read."""
    about, kind = array.metadata, array.metadata["data_type"]
    if not isinstance(kind, str):  # text of fixed length
        kind = f"<U{kind['configuration']['length_bytes'] // 4}"
    dtype, shape, fill = np.dtype(kind).newbyteorder("<"), about["shape"], about["fill_value"]
    if array.chunk:
        return np.frombuffer(array.chunk, dtype).reshape(shape).astype(kind), about["attributes"]
    return np.full(shape, float(fill) if dtype.kind == "f" else fill, kind), about["attributes"]


def dataset(found: Compacted, url: str) -> xr.Dataset:
    """Return what Zarr would give of a group; its reading took most of a report's time to open."""
    variables = {
        array.name: xr.Variable(
            array.metadata["dimension_names"],
            *(_drawn if of_blocks(array.metadata) else _small)(array, f"{url}/{array.name}"),
        )
        for array in found.arrays
    }
    opened = xr.Dataset(variables, attrs=found.attributes)
    plain = "coordinates" not in found.attributes and all(
        _is_plain(array.metadata["attributes"]) for array in found.arrays
    )
    return opened if plain else xr.decode_cf(opened)


def _is_plain(attributes: Mapping[str, Any]) -> bool:
    """Whether values are what they say; to ask xarray of every variable takes its time."""
    known = {"long_name", "units", "flag_values", "flag_meanings"}
    return attributes.keys() <= known and " since " not in str(attributes.get("units", ""))
