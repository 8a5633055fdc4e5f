"""The root of a store: what the run wrote about itself, and the list of the finished claims."""

from __future__ import annotations

import contextlib
import json
import reprlib
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from noisytheory.trial.store.chunks import Array, branch, chunk_key, group_document, group_of
from noisytheory.trial.store.compacted import whole_in
from noisytheory.trial.store.errors import UNREADABLE, Remark, StoreError, damage, gone, writing
from noisytheory.trial.store.journal import encoded, sealed
from noisytheory.trial.store.places import (
    CLAIMS,
    COPY,
    HIDDEN,
    OF_AN_ARRAY,
    Create,
    Place,
    Temporary,
    read_or_nothing,
)

if TYPE_CHECKING:
    import xarray as xr


CODE = "code_of_claims"
"""Attribute of a store that says of what code its claims are, and where; older ones do not."""

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
        self.expected: dict[str, str] = {}  # fingerprints of the groups that belong here
        self.postponed: dict[str, Callable[[], xr.Dataset | None]] = {}
        self.refusal = ""  # why nothing may be written
        self.temporary = isinstance(place, Temporary)
        self.stale = False  # whether a finished claim is not on the list yet
        self._text = b""  # the list as it was found
        self._kept: dict[str, str] = {}  # what is expected, as it was last read or written
        self._strays: list[str] = []  # what is there and is not of this package
        self._made: set[str] = set()  # papers that are known to have their group
        self._due = 0.0  # when the list may be written again

    def check_writable(self) -> None:
        """Refuse to write what is open for reading only, or no longer locked."""
        if self.refusal:
            raise StoreError(f"the store {self.location} {self.refusal}")

    def writing(self) -> contextlib.AbstractContextManager[None]:
        """Context in which a write that fails is said in one line."""
        return writing(self.location, kept=not self.temporary)

    @property
    def run(self) -> dict[str, Any]:
        """What every block of this store depends on."""
        return {name: self.attributes.get(name) for name in _OF_A_RUN}

    def found(self) -> dict[str, Any] | None:
        """Return the attributes of the store that is there, or None if there is none yet."""
        kept = self._sealed(COPY)
        if kept is None and _there(COPY, self.place):
            self._say_sealed(COPY, "a copy of what its zarr.json says of the run, is damaged")
        try:
            text = self.place.read("zarr.json")
            stored = dict(json.loads(text)["attributes"])
            self._text = text
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
        except OSError as error:
            if kept is None or not gone(error):
                raise
            stored = {}
        if kept is None or stored == kept:
            return stored
        self._say_list()
        self._text = b""
        return kept

    def _say_list(self) -> None:
        damage(
            f"the list of the store {self.location} (its zarr.json) is damaged; the claims are "
            f"found without it, and {self._remedy('zarr.json')}"
        )

    def _remedy(self, key: str) -> str:
        """What mends a file: to write it, unless somebody's folder is there."""
        anew = "an audit with this store writes it anew"
        if self.place.moves and self.place.names(key):
            return f"there is a folder with something in it: move it away, and {anew}"
        return anew

    def _sealed(self, key: str) -> dict[str, Any] | None:
        """Return what is under its own seal there, if it is whole."""
        try:
            text, seal = read_or_nothing(self.place, key).rsplit(b"\n", 1)
            return dict(json.loads(text)) if sealed(text) == seal else None
        except (OSError, *UNREADABLE):
            return None

    def _say_sealed(self, key: str, what: str) -> None:
        damage(f"{key} in the store {self.location}, {what}; {self._remedy(key)}")

    def keep(self) -> None:
        """Write the attributes a second time, where that has not been done."""
        if not self.temporary and self._sealed(COPY) != self.attributes:
            self._seal(COPY, self.attributes)

    def _seal(self, key: str, value: Mapping[str, Any]) -> None:
        text = encoded(value)
        self.place.write(key, text + b"\n" + sealed(text))

    def scan(self) -> None:
        """Find the groups that are complete; the root's list may be older than they are.

        What is not as it was written besides is said, and what is not of this package.
        """
        papers = self.place.groups("")
        known = self._sealed(CLAIMS)
        self._kept = known or {}
        self.expected = dict(self._kept)
        for paper in papers:
            for name in self.place.groups(paper):
                group = f"{paper}/{name}"
                try:
                    entry = self._entry(group)
                except FileNotFoundError:
                    # Where groups are moved into place, each has had its metadata. Elsewhere it may
                    # be about to be written; and it may be a folder of somebody's.
                    if self.place.moves and (group in self.expected or self._arrays(group)):
                        self.damaged[group] = "its zarr.json is missing"
                    self._look_into(group)
                except (OSError, *UNREADABLE) as error:
                    if isinstance(error, OSError) and not gone(error):
                        raise
                    self.damaged[group] = "its zarr.json cannot be read"
                    self._look_into(group)
                else:
                    if group not in self.damaged:
                        self.groups[group] = entry
        self._check_list()
        missed = self.groups and self.attributes.get(CODE) == CLAIMS
        if known is None and (missed or _there(CLAIMS, self.place)):
            self._say_sealed(CLAIMS, "which says of what code its claims are, is damaged")
        for paper in self.papers:
            if not self._is_paper(paper):
                damage(
                    f"{paper}/zarr.json in the store {self.location} is damaged; the claims are "
                    f"found without it, and {self._remedy(f'{paper}/zarr.json')}"
                )
        self._look("", [HIDDEN, *papers])
        for paper in papers:
            self._look(paper, self.place.groups(paper))
        # A link, a file or a pipe.
        for group in self.expected.keys() & set(self._strays):
            self.damaged[group] = "something else is in its place"
            self.foreign.add(group)
            self._strays.remove(group)
        self._strays += self.place.foreign()
        if self._strays:
            more = f" and {len(self._strays) - 8} more" if len(self._strays) > 8 else ""
            warnings.warn(
                f"in the store {self.location} not of this package, and left alone: "
                f"{', '.join(self._strays[:8])}{more}", Remark, stacklevel=3,
            )

    def _look(self, folder: str, known: Iterable[str]) -> None:
        """Note what else is in a folder."""
        if others := set(self.place.names(folder)).difference(known, ("zarr.json",)):
            self._strays += [f"{folder}/{name}".lstrip("/") for name in sorted(others)]

    def _look_into(self, group: str) -> None:
        """Note what else is in a group that does not say what it holds, and in its arrays."""
        arrays = self._arrays(group)
        self._look(group, arrays)
        for name, inside in arrays.items():
            self._look(f"{group}/{name}", filter(OF_AN_ARRAY.fullmatch, inside))

    def _arrays(self, group: str) -> dict[str, list[str]]:
        """What looks like an array in a group that does not say what it holds, and what is in it.
        """
        inside = {name: self.place.names(f"{group}/{name}") for name in self._folders(group)}
        return {name: names for name, names in inside.items()
                if any(map(OF_AN_ARRAY.fullmatch, names))}

    def _folders(self, group: str) -> list[str]:
        """What may be arrays: no links, and no files where there are folders."""
        return self.place.groups(group) if self.place.moves else self.place.names(group)

    def _check_list(self) -> None:
        """Compare what the list says of groups with what they say themselves."""
        if self._text in (b"", self._document(self.groups)):
            return
        try:
            inside = json.loads(self._text)["consolidated_metadata"]["metadata"]
            listed = sorted(name for name in inside if name.count("/") == 1)
        except UNREADABLE:
            return self._say_list()
        for group in [g for g in listed if g in self.groups]:
            if self.groups[group][1] not in self._text and not self._is_whole(group):
                self.damaged[group] = "its zarr.json is not what was written"
                del self.groups[group]
        whole = [group for group in listed if group in self.groups]
        absent = [group for group in listed if group not in {*self.groups, *self.damaged}]
        same = all(self.groups[group][1] in self._text for group in whole)
        if whole == listed:
            same = self._text == self._document(listed)
        if (same and not absent) or read_or_nothing(self.place, "zarr.json") != self._text:
            return  # In the second case a run is writing.
        if not same:
            self._say_list()
        else:
            self.damaged |= dict.fromkeys(absent, "it is on the list, and not there")

    def _is_whole(self, group: str) -> bool:
        """Whether what a group says of itself is what was written."""
        return whole_in(self.place, group, self.run, blocks=False) is not None

    def _is_paper(self, paper: str) -> bool:
        """Whether the group of a paper is what was written."""
        try:
            return read_or_nothing(self.place, f"{paper}/zarr.json") == group_document({})
        except OSError as error:
            if not gone(error):
                raise
            return False

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
        elif self._kept and self._kept.get(group) != attributes["fingerprint"]:
            self.damaged[group] = "it is of other code than this store's claim"
            self.foreign.add(group)
        elif not self._kept:  # The store is older than what says so, or that is lost.
            self.expected[group] = attributes["fingerprint"]
        self._look(group, set(described).intersection(self._folders(group)))
        for name, about in described.items():
            self._look(f"{group}/{name}", (chunk_key("", about)[1:],))
        for name in _OF_AN_AUDIT:
            own, its = self.attributes.get(name), attributes.get(name)
            if name in self.attributes and its != own:
                self.damaged[group] = (
                    f"it is of another audit: {name} {reprlib.repr(its)}, the store's {own!r}"
                )
                if name in _OF_A_RUN:
                    self.foreign.add(group)
        return claim_id, branch(group, attributes, [Array(*item) for item in described.items()])

    def say_foreign(self) -> None:
        """Name the groups that no audit with this store mends."""
        for group in sorted(self.foreign):
            why = self.damaged[group]
            warnings.warn(
                f"{group} in the store {self.location} is left alone ({why})", Remark, stacklevel=3
            )

    def say_damage(self) -> None:
        """Name the groups that are there and cannot be taken."""
        for group, why in self.damaged.items():
            mended = "the audit that wrote it, run again with this store, mends it"
            remedy = "move it away" if group in self.foreign else mended
            damage(f"{group} in the store {self.location} is damaged ({why}): {remedy}")

    def write(self) -> None:
        """Write the root document, all at once."""
        start = time.monotonic()
        self._keep_expected()
        self.place.write("zarr.json", self._document(self.groups))
        end = time.monotonic()
        self._due, self.stale = end + _PATIENCE * (end - start), False

    def _document(self, groups: Iterable[str]) -> bytes:
        """The root document that lists these groups."""
        branches = [branch(paper, {}, []) for paper in _papers(groups)]
        branches += [self.groups[group][1] for group in sorted(groups)]
        return group_document(self.attributes, branches)

    @contextlib.contextmanager
    def replacing(self, group: str) -> Iterator[Create]:
        """Write a group anew; meanwhile the claim is off the list."""
        if self.groups.pop(group, None) is not None:
            self.write()
        self._keep_expected()  # Before any of them: no group is ever of code that is not known.
        self.make_paper(group.partition("/")[0])
        with self.place.publishing(group) as create:
            yield create

    def show(self, group: str, claim_id: str, entry: bytes) -> None:
        """Put a finished claim on the list, which is written now or soon."""
        self.groups[group] = (claim_id, entry)
        self.stale = True
        if time.monotonic() >= self._due:
            self.write()

    def expect(self, group: str, fingerprint: str) -> None:
        """Of what code a group is, or will be."""
        self.expected[group] = fingerprint
        self.stale |= self._kept.get(group) != fingerprint

    def _keep_expected(self) -> None:
        if not self.temporary and self._kept != self.expected:
            self._seal(CLAIMS, self.expected)
            self._kept = dict(self.expected)

    def make_paper(self, paper: str) -> None:
        """Make the group of a paper, in which the groups of its claims lie."""
        if paper not in self._made and not self._is_paper(paper):
            self.place.write(f"{paper}/zarr.json", group_document({}))
        self._made.add(paper)

    @property
    def papers(self) -> list[str]:
        """The papers of the finished claims."""
        return _papers(self.groups)


def _there(key: str, place: Place) -> bool:
    """Whether there is anything of this name with the journals."""
    return key.rpartition("/")[2] in place.names(HIDDEN)


def _papers(groups: Iterable[str]) -> list[str]:
    return sorted({group.partition("/")[0] for group in groups})
