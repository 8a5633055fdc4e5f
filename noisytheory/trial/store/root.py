"""The root of a store: what the run wrote about itself, and the list of the finished claims."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from noisytheory.trial.store.chunks import Array, branch, group_document, group_of
from noisytheory.trial.store.errors import StoreError
from noisytheory.trial.store.places import Create, Place, Temporary, read_or_nothing

if TYPE_CHECKING:
    import xarray as xr


_PATIENCE = 200
"""The list is written again after this many times what writing it took, so costs under 1/200."""


class Root:
    """The root document of a store, to which every finished claim adds its branch.

    The document lists everything that is inside, so writing it at every claim would cost the square
    of their number. The groups themselves say which are finished; the list may come after them.
    `postponed` has the finished claims of a temporary store: each gives its dataset from memory, or
    None after it has compacted what is not in memory.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.location = place.location
        self.attributes: dict[str, Any] = {}
        self.groups: dict[str, tuple[str, bytes]] = {}  # id and branch of what is listed
        self.postponed: dict[str, Callable[[], xr.Dataset | None]] = {}
        self.refusal = ""  # why nothing may be written
        self.temporary = isinstance(place, Temporary)
        self.stale = False  # whether a finished claim is not on the list yet
        self._made: set[str] = set()  # papers that are known to have their group
        self._due = 0.0  # when the list may be written again

    def check_writable(self) -> None:
        """Refuse to write what is open for reading only, or no longer locked."""
        if self.refusal:
            raise StoreError(f"the store {self.location} {self.refusal}")

    def found(self) -> dict[str, Any] | None:
        """Return the attributes of the store that is there, or None if there is none yet."""
        try:
            text = self.place.read("zarr.json")
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return dict(json.loads(text)["attributes"])
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self.location} is not a store: its zarr.json is damaged or not ours"
            ) from None

    def scan(self) -> None:
        """Find the groups that are complete; the root's list may be older than they are."""
        for paper in self.place.groups(""):
            for name in self.place.groups(paper):
                group = f"{paper}/{name}"
                try:
                    metadata = json.loads(self.place.read(f"{group}/zarr.json"))
                    attributes = metadata["attributes"]
                    claim_id = attributes["claim"]
                    described = metadata["consolidated_metadata"]["metadata"]
                    if attributes["complete"] and group_of(claim_id) == group:
                        arrays = [Array(*item) for item in described.items()]
                        self.groups[group] = (claim_id, branch(group, attributes, arrays))
                except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
                    continue  # not a finished claim: it will be drawn or compacted again

    def write(self) -> None:
        """Write the root document, all at once."""
        start = time.monotonic()
        branches = [branch(paper, {}, []) for paper in self.papers]
        branches += [self.groups[group][1] for group in sorted(self.groups)]
        self.place.write("zarr.json", group_document(self.attributes, branches))
        end = time.monotonic()
        self._due, self.stale = end + _PATIENCE * (end - start), False

    @contextlib.contextmanager
    def replacing(self, group: str) -> Iterator[Create]:
        """Write a group anew; meanwhile the claim is off the list."""
        if self.groups.pop(group, None) is not None:
            self.write()
        self.make_paper(group.partition("/")[0])
        with self.place.publishing(group) as create:
            yield create

    def show(self, group: str, claim_id: str, entry: bytes) -> None:
        """Put a finished claim on the list, which is written now or soon."""
        self.groups[group] = (claim_id, entry)
        self.stale = True
        if time.monotonic() >= self._due:
            self.write()

    def make_paper(self, paper: str) -> None:
        """Make the group of a paper, in which the groups of its claims lie."""
        text = group_document({})
        if paper not in self._made and read_or_nothing(self.place, f"{paper}/zarr.json") != text:
            self.place.write(f"{paper}/zarr.json", text)
        self._made.add(paper)

    @property
    def papers(self) -> list[str]:
        """The papers of the finished claims."""
        return sorted({group.partition("/")[0] for group in self.groups})
