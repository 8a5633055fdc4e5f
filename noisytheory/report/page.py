"""What a template shows of one claim."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from noisytheory.report import prose, tables
from noisytheory.report.discrepancies import Entry
from noisytheory.report.record import Record
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    from noisytheory.trial.claim import Elsewhere

__all__ = ["SYMBOLS", "Page", "Picture"]

SYMBOLS = {"upheld": "✔", "refuted": "✘", "undecided": "○", "vacuous": "–"}
"""A shape for each verdict, so that colour is never alone."""


@dataclass(frozen=True)
class Picture:
    """A figure's file, the text for those who do not see it, and its caption.

    The file is named from the index. A claim's own picture, which claims may share, may have its
    numbers as rows, the first of heads. No file: it could not be drawn, and the caption says why.
    """

    file: str
    alt: str
    caption: str
    numbers: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Page:
    """Everything a template shows of a claim, as text or safe markup.

    `other_code` says that the installed claim of this id is not the one that was tried.
    """

    record: Record
    pictures: list[Picture]
    own: Picture | None = None
    numbers: Sequence[Entry] = ()
    also: Sequence[Elsewhere] = ()
    explained: Mapping[str, str] = dataclasses.field(default_factory=dict)
    other_code: bool = False

    @property
    def note(self) -> str:
        """The note."""
        return str(self.record.note).strip()

    @property
    def path(self) -> str:
        """The page without suffix, relative to the index."""
        return self.record.id

    @property
    def root(self) -> str:
        """From the page's folder to the index's."""
        return "../" * self.record.id.count("/")

    @cached_property
    def verdict(self) -> str:
        """The sentence."""
        return prose.verdict(self.record)

    @property
    def drawn(self) -> str:
        """Replicates, or that none were needed."""
        if not self.record.tried:
            return "–"
        return "exact" if self.record.exact else number(self.record.replicates)

    @property
    def note_title(self) -> str:
        """What the note is about."""
        if self.record.expected == "refuted":
            return "What is wrong in print"
        if self.record.origin == "candidate":
            return "Where it comes from"
        return "Remarks"

    @cached_property
    def tables(self) -> list[tables.Table]:
        """The numbers."""
        return tables.tables(self.record)
