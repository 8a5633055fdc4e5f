"""Blocks of replicates on disk: a journal for each claim on trial, compacted into Zarr at its end.

A block is first appended to the journal of its claim, checksummed; once ``put`` returns, death of
the process cannot lose it. When the claim is done its blocks and its variables become one Zarr
group, and the journal goes. ``xarray.open_datatree(location, engine="zarr")`` reads the result
without this package: claim ``paper/result`` is the group of that name, claim ``paper/result/part``
the group ``paper/result~part``. (A data tree aligns every group with its parents, and two claims
seldom share a grid, so no claim may lie inside another.)
"""

from noisytheory.trial.store.blocks import ClaimBlocks
from noisytheory.trial.store.chunks import group_of
from noisytheory.trial.store.errors import Damaged, OfOneClaim, OtherCode, Remark, StoreError
from noisytheory.trial.store.store import FORMAT, Store

__all__ = [
    "FORMAT", "ClaimBlocks", "Damaged", "OfOneClaim", "OtherCode", "Remark", "Store", "StoreError",
    "group_of",
]
