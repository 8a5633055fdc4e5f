"""Where print and truth differ: a paper's numbered discrepancies beside the verdicts of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from noisytheory.report.record import Record
from noisytheory.trial.claim import Discrepancy, Paper

__all__ = ["Entry", "Listing", "Row", "listings"]


@dataclass(frozen=True)
class Row:
    """One place in print, with those of its claims that were on trial."""

    about: Discrepancy
    printed: list[Record]
    repaired: list[Record]

    @property
    def trials(self) -> list[tuple[str, list[Record]]]:
        """The claims under what they are: as printed or, where that is lost, our candidates."""
        lost = any(record.origin == "candidate" for record in self.printed)
        head = "Candidates for what is lost" if lost else (
            "As read" if self.about.read_as else "As printed")
        return [(h, rs) for h, rs in ((head, self.printed), ("Repaired", self.repaired)) if rs]


@dataclass(frozen=True)
class Entry:
    """A number with its places."""

    number: str
    anchor: str
    rows: list[Row]

    @property
    def refuted(self) -> bool:
        """Whether a claim as printed was refuted."""
        return self._refuted(False)

    @property
    def refuted_as_read(self) -> bool:
        """Whether none was but where print is read as more than it says."""
        return self._refuted(True) and not self.refuted

    def _refuted(self, read: bool) -> bool:
        return any(record.verdict == "refuted" for row in self.rows for record in row.printed
                   if bool(row.about.read_as) == read)


@dataclass(frozen=True)
class Listing:
    """A paper's numbers, as far as they were tried."""

    paper: Paper
    entries: list[Entry]

    @property
    def refuted(self) -> int:
        """Numbers of which a claim as printed was refuted."""
        return sum(entry.refuted for entry in self.entries)

    @property
    def refuted_as_read(self) -> int:
        """Numbers of which none was but as it is read here."""
        return sum(entry.refuted_as_read for entry in self.entries)

    def of(self, claim_id: str) -> list[Entry]:
        """The numbers that a claim decides.

        Parameters
        ----------
        claim_id : str

        Returns
        -------
        list of Entry
        """
        return [
            entry for entry in self.entries
            if any(r.id == claim_id for row in entry.rows for r in (*row.printed, *row.repaired))
        ]


def listings(papers: Iterable[Paper], records: Mapping[str, Record]) -> list[Listing]:
    """What each paper has of discrepancies that a run tried, papers without any left out.

    A number that names no claim is listed where all that the paper's numbers name was tried.

    Parameters
    ----------
    papers : iterable of Paper
    records : mapping of str to Record
        What was on trial, by id.

    Returns
    -------
    list of Listing
    """
    found = []
    for paper in papers:
        named = {
            f"{paper.id}/{name}" for places in paper.discrepancies.values()
            for place in places for name in (*place.claims, *place.repaired)
        }
        entries = []
        for number, places in paper.discrepancies.items():
            rows = []
            for place in places:
                printed, repaired = (
                    [records[f"{paper.id}/{name}"] for name in names
                     if f"{paper.id}/{name}" in records]
                    for names in (place.claims, place.repaired)
                )
                names_none = not (place.claims or place.repaired)
                if printed or repaired or (names_none and named <= records.keys()):
                    rows.append(Row(place, printed, repaired))
            if rows:
                entries.append(Entry(number, f"{paper.id}-{number}", rows))
        if entries:
            found.append(Listing(paper, entries))
    return found
