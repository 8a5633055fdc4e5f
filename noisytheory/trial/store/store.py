"""A store: opened by the run that writes it, loaded by whoever reads it."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import weakref
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisytheory.trial.store.blocks import ClaimBlocks
from noisytheory.trial.store.chunks import group_of
from noisytheory.trial.store.compacted import Compacted, compacted_in, whole_in
from noisytheory.trial.store.errors import (
    UNREADABLE,
    StoreError,
    damage,
    of_one_claim,
    opening,
    reading,
)
from noisytheory.trial.store.journal import Layout, encoded, sync_folder
from noisytheory.trial.store.lock import Held
from noisytheory.trial.store.places import CLAIMS, Directory, Place, Temporary, place_at
from noisytheory.trial.store.root import CODE, Root

if TYPE_CHECKING:
    import xarray as xr

FORMAT = 2
"""Version of what is written here; a store says its own as attribute ``format``."""

IDENTITY = ("format", "seed", "version")
"""Attributes of a store that every run writing to it must share."""


class Store:
    """One audit's blocks and results; made by `Store.open` or `Store.load`.

    Use as a context manager. Only one process at a time may write a local store. On other file
    systems nothing keeps a second writer out, but the first is refused from then on; no move puts a
    claim in its place at once, so who reads meanwhile may miss it; links are not looked for; and
    when a block is safe from a loss of power only their service knows.

    Attributes
    ----------
    location : str
        The directory or URL.
    attributes : dict
        What the first run wrote about itself.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> with Store.open(None, {"format": 2, "seed": 2026, "version": "0.1.0"}) as store:
    ...     blocks = store.claim("mine/theorem-2", "a1b2", {"lhs": float}, cells=2, rows=3)
    ...     blocks.put(1, 0, {"lhs": np.array([0.5, 0.25, 0.125])})
    ...     blocks.finish(xr.Dataset({"rhs": ("n", [1.0, 0.5])}, {"n": [10, 100]}))
    ...     print(float(store.read("mine/theorem-2")["lhs"].sel(n=100).sum()))
    0.875
    """

    def __init__(self, place: Place) -> None:
        self.location = place.location
        self._root = Root(place)
        self._held = Held()
        # The root, not the store: whoever still has blocks of it keeps it locked.
        self._release = weakref.finalize(self._root, self._held.release)
        self._open_claims: dict[str, ClaimBlocks] = {}

    @property
    def attributes(self) -> dict[str, Any]:
        """What the first run wrote about itself."""
        return self._root.attributes

    @classmethod
    def open(
        cls, location: str | os.PathLike[str] | None, attributes: Mapping[str, Any], *,
        durable: bool = False,
    ) -> Store:
        """Create a store, or open an existing one to resume the run that wrote it.

        Parameters
        ----------
        location : str, path or None
            A directory or any fsspec URL; None is a temporary directory, removed by `close`.
        attributes : mapping
            JSON. ``format``, ``seed`` and ``version`` must be those of the existing store; the rest
            is kept as the first run wrote it.
        durable : bool
            Wait for the disk at every block, so that a loss of power costs no more than the death
            of the process does. Only of directories.

        Returns
        -------
        Store

        Raises
        ------
        StoreError
            If the place cannot be written, is not a store, is in use, or belongs to another run.
        """
        own = json.loads(encoded({"format": FORMAT, CODE: CLAIMS, **attributes}))
        if location is None:
            temporary = Path(tempfile.mkdtemp(prefix="noisytheory-"))
            self = cls(Temporary(temporary))
            self._held.temporary = temporary
        else:
            self = cls(place_at(location))
        root = self._root
        if durable:
            if location is None:
                raise StoreError(
                    "durable waits for the disk of a directory that stays: give one as store "
                    "(--store PATH), or leave durable out"
                )
            if not isinstance(root.place, Directory):
                raise StoreError(
                    f"durable waits for the disk of a directory, and the store {location} is "
                    "none: leave durable out, or give a directory as store"
                )
            root.place.durable = True
        try:
            with opening(self.location):
                if isinstance(root.place, Directory):
                    path = root.place.path.absolute()
                    missing = [folder for folder in path.parents if not folder.exists()]
                    self._held.lock(root.place.path)
                    # Whoever made the store may not have waited until its own name was there.
                    for folder in [path, path.parent, *(f.parent for f in missing)] * durable:
                        sync_folder(folder)
                    root.place.sweep()
                else:
                    root.place.take()
                found = root.found()
                root.attributes = own if found is None else found
                for name in IDENTITY:
                    if root.attributes.get(name) != own.get(name):
                        raise StoreError(
                            f"the store {self.location} has {name} {root.attributes.get(name)!r}, "
                            f"this run has {own.get(name)!r}: choose another store"
                        )
                root.scan()
                root.say_foreign()
                for paper in root.papers:
                    root.make_paper(paper)
                root.write()
                root.keep()
        except BaseException:
            self.close()
            raise
        return self

    @classmethod
    def load(cls, location: str | os.PathLike[str], version: str | None = None) -> Store:
        """Open an existing store for reading only, whatever run of this format wrote it.

        Parameters
        ----------
        location : str or path
            A directory or any fsspec URL.
        version : str, optional
            Refuse a store that another version wrote.

        Returns
        -------
        Store
            With at least one finished claim.

        Raises
        ------
        StoreError
            If there is no store, it has another format or version, or nothing in it is finished.
        """
        self = cls(place_at(location))
        self._root.refusal = "was opened for reading"
        with reading(self.location):
            found = self._root.found()
            if found is None:
                what = " (it is a file)" if os.path.isfile(self.location) else ""
                raise StoreError(f"there is no store at {self.location}{what}")
            if "format" not in found:
                raise StoreError(f"{self.location} is Zarr, but not a store of noisytheory")
            if found["format"] != FORMAT:
                raise StoreError(
                    f"the store {self.location} has format {found.get('format')!r}, "
                    f"this version reads {FORMAT}: use the version that wrote it"
                )
            if version is not None and found.get("version") != version:
                raise StoreError(
                    f"the store {self.location} was written by version {found.get('version')}, "
                    f"this is {version}: use that one, or audit into another store"
                )
            self._root.attributes = found
            self._root.scan()
        self._root.say_damage()
        if not self._root.groups:
            raise StoreError(f"no claim in the store {self.location} is finished")
        return self

    def claim(
        self, claim_id: str, fingerprint: str, variables: Mapping[str, Any], cells: int, rows: int
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
        OfOneClaim
            If the store has blocks of this claim from other code or parameters, or something else
            is where they belong. It is left alone.
        """
        self._root.check_writable()
        with of_one_claim():
            return self._claim(claim_id, fingerprint, variables, cells, rows)

    def _claim(
        self, claim_id: str, fingerprint: str, variables: Mapping[str, Any], cells: int, rows: int
    ) -> ClaimBlocks:
        root = self._root
        group = group_of(claim_id)
        layout = Layout(root.run, claim_id, fingerprint, variables, cells, rows)
        known = self._open_claims.get(claim_id)
        if known is not None:
            layout.check(known.layout.described, self.location, group)
            return known
        with reading(self.location):
            journal = root.place.journal(group, layout)
            described = journal.description()
            if described is not None:
                layout.check(described, self.location, root.place.journal_key(group))
            there = group in root.groups or group in root.damaged
            opened = compacted_in if there else Compacted
            compacted = opened(root.place, group, layout)
        if group in root.damaged or (there and not compacted.whole):
            why = root.damaged.get(group, "a part of it is not what was written")
            damage(f"{group} in the store {self.location} is damaged ({why}): this audit mends it")
        blocks = ClaimBlocks(root, group, layout, journal, compacted)
        root.expect(group, fingerprint)
        if journal.broken:
            damage(
                f"the journal of {claim_id} in the store {self.location} is damaged: this audit "
                "draws again what is lost of it"
            )
        self._open_claims[claim_id] = blocks
        return blocks

    def read(self, claim_id: str) -> xr.Dataset:
        """Open a finished claim lazily: values are read when used, unless memory still has them.

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
        from noisytheory.trial.store.opened import dataset

        root = self._root
        if claim_id in root.postponed:
            held = root.postponed[claim_id]()
            if held is not None:
                return held
            del root.postponed[claim_id]
        group = next((g for g, (known, _) in root.groups.items() if known == claim_id), None)
        if group is None:
            raise StoreError(f"the store {self.location} has no finished claim {claim_id}")
        with reading(self.location):
            # A writer has verified the blocks that it did not write itself.
            whole = whole_in(root.place, group, root.run, blocks=bool(root.refusal))
            try:
                # Whoever has sealed it rightly may have written what no audit does.
                found = None if whole is None else dataset(whole, f"{self.location}/{group}")
            except UNREADABLE:
                found = None
            if found is None:
                raise StoreError(
                    f"{claim_id} in the store {self.location} is damaged: the audit that wrote it, "
                    "run again with this store, mends it"
                )
        # About the group's files, not about the claim; who knows it knows all that they hold.
        found.encoding["complete"] = found.attrs.pop("complete", None)
        return found

    def readable(self, ids: Container[str] | None = None) -> Iterator[xr.Dataset]:
        """Open all finished claims as `read` does, and warn of each that is damaged.

        Parameters
        ----------
        ids : container of str, optional
            No others than these.

        Yields
        ------
        Dataset

        Raises
        ------
        StoreError
            If all of them are damaged.
        """
        found, first = 0, None
        for claim_id in [name for name in self.ids() if ids is None or name in ids]:
            try:
                opened = self.read(claim_id)
            except StoreError as error:
                damage(str(error))
                first = first or error
                continue
            found += 1
            yield opened
        if first is not None and not found:
            raise first

    def ids(self) -> list[str]:
        """List the finished claims, sorted."""
        listed = {claim_id for claim_id, _ in self._root.groups.values()}
        return sorted(listed | set(self._root.postponed))

    @property
    def damaged(self) -> bool:
        """Whether any claim is known to be."""
        return bool(self._root.damaged)

    def flush(self) -> None:
        """Write the list of finished claims, if one is not on it yet.

        Raises
        ------
        StoreError
            If it cannot be written. The claims are whole all the same, and found by `load`.
        """
        if self._root.stale and not self._root.refusal:
            with self._root.writing():
                self._root.write()

    def close(self) -> None:
        """Let go of the store, and remove it if it is temporary."""
        # Who closes because the disk is full has heard of it already.
        with contextlib.suppress(StoreError):
            self.flush()
        for blocks in self._open_claims.values():
            blocks.close()
        self._open_claims.clear()
        self._root.postponed.clear()
        self._release()
        self._root.refusal = self._root.refusal or "is closed"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if exception[0] is None:
                self.flush()
        finally:
            self.close()

    def __repr__(self) -> str:
        return f"<Store {self.location}: {len(self.ids())} finished claims>"
