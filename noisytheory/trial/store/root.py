"""The root of a store: what the run wrote about itself, and the list of the finished claims."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from noisytheory.trial.store.chunks import Array, branch, group_document, group_of
from noisytheory.trial.store.errors import UNREADABLE, StoreError, damage, gone
from noisytheory.trial.store.journal import encoded, sealed
from noisytheory.trial.store.places import COPY, Create, Place, Temporary, read_or_nothing

if TYPE_CHECKING:
    import xarray as xr


_OF_A_RUN = ("seed", "version")
"""What the numbers of a block depend on besides its claim."""

_OF_AN_AUDIT = (*_OF_A_RUN, "alpha", "budget", "family")
"""What the verdict of a finished claim depends on besides."""

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
        self.damaged: dict[str, str] = {}  # groups that are not what was written, and why
        self.foreign: set[str] = set()  # those of them that another run wrote, or for another place
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

    @property
    def run(self) -> dict[str, Any]:
        """What every block of this store depends on."""
        return {name: self.attributes.get(name) for name in _OF_A_RUN}

    def found(self) -> dict[str, Any] | None:
        """Return the attributes of the store that is there, or None if there is none yet."""
        kept = self._copy()
        try:
            text = self.place.read("zarr.json")
            stored = dict(json.loads(text)["attributes"])
        except (FileNotFoundError, NotADirectoryError):
            if kept is None:
                return None
            stored = {}
        except UNREADABLE:
            if kept is None:
                raise StoreError(
                    f"{self.location} is not a store: its zarr.json is damaged or not ours"
                ) from None
            stored = {}
        if kept is None or stored == kept:
            return stored
        damage(
            f"the list of the store {self.location} (its zarr.json) is damaged; the claims are "
            "found without it, and an audit with this store writes it anew"
        )
        return kept

    def _copy(self) -> dict[str, Any] | None:
        """Return the copy of the attributes, if it is whole."""
        try:
            text, seal = read_or_nothing(self.place, COPY).rsplit(b"\n", 1)
            return dict(json.loads(text)) if sealed(text) == seal else None
        except (OSError, *UNREADABLE):
            return None

    def keep(self) -> None:
        """Write the attributes a second time, where that has not been done."""
        if not self.temporary and self._copy() != self.attributes:
            text = encoded(self.attributes)
            self.place.write(COPY, text + b"\n" + sealed(text))

    def scan(self) -> None:
        """Find the groups that are complete; the root's list may be older than they are."""
        for paper in self.place.groups(""):
            for name in self.place.groups(paper):
                group = f"{paper}/{name}"
                try:
                    entry = self._entry(group)
                except FileNotFoundError:
                    # Where groups are moved into place, each has had its metadata.
                    if self.place.moves:
                        self.damaged[group] = "its zarr.json is missing"
                except (OSError, *UNREADABLE) as error:
                    if isinstance(error, OSError) and not gone(error):
                        raise
                    self.damaged[group] = "its zarr.json cannot be read"
                else:
                    if group not in self.damaged:
                        self.groups[group] = entry

    def _entry(self, group: str) -> tuple[str, bytes]:
        """Return id and branch of a finished claim; note in `damaged` if it is another's."""
        metadata = json.loads(self.place.read(f"{group}/zarr.json"))
        attributes = metadata["attributes"]
        claim_id, described = attributes["claim"], metadata["consolidated_metadata"]["metadata"]
        if not attributes["complete"]:
            raise ValueError("not a finished claim")
        if group_of(claim_id) != group:
            self.damaged[group] = f"it is that of {claim_id}"
            self.foreign.add(group)
        for name in _OF_AN_AUDIT:
            own, its = self.attributes.get(name), attributes.get(name)
            if name in self.attributes and its != own:
                self.damaged[group] = f"it is of another audit: {name} {its!r}, the store's {own!r}"
                if name in _OF_A_RUN:
                    self.foreign.add(group)
        return claim_id, branch(group, attributes, [Array(*item) for item in described.items()])

    def say_damage(self) -> None:
        """Name the groups that are there and cannot be taken."""
        for group, why in self.damaged.items():
            mended = "the audit that wrote it, run again with this store, mends it"
            remedy = "move it away" if group in self.foreign else mended
            damage(f"{group} in the store {self.location} is damaged ({why}): {remedy}")

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
