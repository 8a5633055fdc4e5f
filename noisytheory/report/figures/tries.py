"""Instances that were tried, drawn or listed: their sides, and what is said of them all."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.cells import ROUNDING, judged, share_of
from noisytheory.report.figures.style import style_of
from noisytheory.report.record import UPHELD, Record
from noisytheory.report.spelling import number
from noisytheory.trial import instances

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Tries", "calm", "said", "tries_of", "why_open"]

Floats = NDArray[np.float64]

_ROUNDED = 1e4
"""Units of rounding, beyond which a difference is one that a claim allows."""


@dataclass(frozen=True, eq=False)
class Tries:
    """Instances of a claim, an entry each or one for several that are alike.

    Attributes
    ----------
    cell : ndarray of int
        Which cell an entry belongs to.
    left, right, count : ndarray
        Its sides, and for how many instances it stands.
    scale : ndarray
        What its rounding is relative to.
    told : mapping of str to ndarray
        Numbers that tell entries apart, or places among the `words` of that name.
    words : mapping of str to list of str
    left_out : ndarray of int
        By cell, how many the hypotheses leave out.
    whole : bool
        Whether no entry stands for others than its equals.
    """

    record: Record
    cell: NDArray[np.int64]
    left: Floats
    right: Floats
    count: Floats
    scale: Floats
    told: Mapping[str, Floats]
    words: Mapping[str, list[str]]
    left_out: NDArray[np.int64]
    whole: bool

    @property
    def total(self) -> int:
        """How many were tried."""
        return int(self.record.held.sum())

    @property
    def all_of_them(self) -> str:
        """The same in words."""
        what = "listed instance" if self.record.exact else "tr"
        ends = ("", "s") if self.record.exact else ("y", "ies")
        return f"{number(self.total)} {what}{ends[self.total != 1]}"

    @property
    def rounding(self) -> Floats:
        """What a side is rounded by, at least."""
        return np.where(self.scale > 0, self.scale * np.finfo(float).eps, 1.0)

    @property
    def yes_or_no(self) -> bool:
        """Whether the sides say whether something is so."""
        quantity = str(self.record.dataset.attrs.get("quantity", ""))
        values = {*np.unique([self.left, self.right]).tolist()}
        return quantity.startswith(("whether ", "1 if ")) and values <= {0.0, 1.0}

    @property
    def by_rounding(self) -> bool:
        """Whether what is left of equality is so little that rounding is its unit."""
        return bool(np.all(np.abs(self.left - self.right) <= _ROUNDED * self.rounding))

    @functools.cached_property
    def broken(self) -> NDArray[np.bool_]:
        """Entries that break the promise, of cells that rounding does not explain."""
        gap = self.left - self.right
        gap = np.abs(gap) if self.record.kind == "identity" else gap
        least = ROUNDING * np.maximum(np.abs(self.left), np.abs(self.right))
        return np.asarray((gap > least) & (self.record.decision[self.cell, 0] != UPHELD))

    @functools.cached_property
    def pairs(self) -> Floats:
        """Different pairs of sides, shape (2, pairs)."""
        both = np.empty(self.sides.shape[1], complex)  # which sort in a tenth of the time
        both.real, both.imag = self.sides
        found = np.unique(both)
        return np.array([found.real, found.imag])

    @functools.cached_property
    def sides(self) -> Floats:
        """Both sides to twelve digits, shape (2, entries): rounding makes no difference."""
        digits, size = np.frexp(np.array([self.left, self.right]))
        return np.asarray(np.ldexp(np.round(digits, 12), size) + 0.0)

    @functools.cached_property
    def worst(self) -> int:
        """The entry that comes nearest to breaking the promise, or goes furthest beyond."""
        gap = self.left - self.right
        if self.record.kind == "identity":
            return int(np.argmax(np.abs(gap) / (1.0 if self.broken.any() else self.rounding)))
        if self.broken.any() or not (self.right > 0).any():
            return int(np.argmax(gap))
        share = np.divide(self.left, self.right, out=np.full(gap.shape, -np.inf),
                          where=self.right > 0)
        return int(np.argmax(share))


@functools.lru_cache(maxsize=1)
def tries_of(record: Record) -> Tries | None:
    """What a store has of a claim's instances.

    Parameters
    ----------
    record : Record
        Of an always or identity claim.

    Returns
    -------
    Tries or None
        None where it has none, as those of an earlier version.
    """
    cells = range(record.size)
    if "rhs_draw" in record.dataset:
        names = ["lhs", "rhs_draw", *(["scale"] if "scale" in record.dataset else [])]
        tables = [np.stack([record.all_draws(name, index) for name in names]) for index in cells]
        tables = [np.insert(table, 2, 1.0, axis=0) for table in tables]
        left_out = record.per_cell("replicates") - record.held
        words: dict[str, list[str]] = {"scale": []} if len(names) == 3 else {}
    elif "instances" in record.dataset:
        stored = record.dataset["instances"]
        dims = (*record.dims, *stored.dims[-2:])
        values = stored.transpose(*dims).values.reshape(record.size, *stored.shape[-2:])
        tables = [table[:, np.isfinite(table[2])] for table in values]
        left_out = np.array([table[2, np.isnan(table[0])].sum() for table in tables])
        words = json.loads(stored.attrs["fields"])
    else:
        return None
    tables = [table[:, np.isfinite(table[:2]).all(axis=0)] for table in tables]
    left, right, count, *more = np.concatenate(tables, axis=1)
    told = dict(zip(words, more, strict=True))
    scale = np.maximum(np.abs(left), np.abs(right))
    if "scale" in told and not record.exact:
        scale = np.maximum(scale, np.abs(told.pop("scale")))
    numbers = {  # A side tells nothing that the picture does not show.
        name: of for name, of in told.items()
        if len(np.unique(of)) > 1 and not any(np.array_equal(of, s) for s in (left, right))
    }
    fullest = max((table.shape[1] for table in tables), default=0)
    return Tries(
        record, np.repeat(np.arange(record.size), [table.shape[1] for table in tables]),
        left, right, count, scale, numbers, {name: words[name] for name in numbers},
        left_out.astype(np.int64),
        whole="rhs_draw" in record.dataset or instances.whole(fullest, record.size),
    )


def calm(k: int) -> dict[str, Any]:
    """The look of a series beside what breaks a promise: that has the second colour to itself.

    Parameters
    ----------
    k : int
        Less than `LINES`.

    Returns
    -------
    dict
    """
    return style_of((0, 2, 3, 4, 5, 1)[k])


def said(tries: Tries) -> str:
    """How near the sides are, in words.

    Parameters
    ----------
    tries : Tries

    Returns
    -------
    str
    """
    record, tried = tries.record, tries.all_of_them
    left, right = tries.left, tries.right
    found = str(record.dataset.attrs.get("quantity", ""))
    happens = found[5].upper() + found[6:] if found.startswith("1 if ") else ""
    if record.verdict == "refuted":
        broken = int(record.per_level("violations")[:, 0].sum()) or int(
            tries.count[tries.broken].sum()
        )
        if tries.total == 1:
            return ("The sides differ" if record.kind == "identity" else
                    "The left side is the larger one") + ", and one instance is enough"
        of = f"{number(broken)} of {tried}"
        if happens and not right.any():
            return f"{happens}: in {of}"
        return ("The sides differ" if record.kind == "identity" else
                "The left side is the larger one") + f" in {of}"
    if record.verdict == "undecided":
        return judged(record, why_open(record))
    alone = "the one instance listed" if tries.total == 1 else (
        f"both {tried[2:]}" if tries.total == 2 else f"all {tried}"
    )
    if record.kind == "identity":
        worst = float(np.max(np.abs(left - right) / tries.rounding, initial=0.0))
        if worst:
            far = f"{number(worst, 2)} units of rounding" if tries.by_rounding else (
                number(float(np.abs(left - right).max()), 2)
                + (f" {record.unit}" if record.unit else "")
            )
            return f"The sides differ by {far} at most"
        if tries.yes_or_no:
            return f"Both sides say the same in {alone}"
        low, high = (number(float(of(left))) for of in (np.min, np.max))
        ends = f": {low}" if low == high else f", from {low} to {high}"
        return f"Both sides are the same number in {alone}{ends if len(left) else ''}"
    if happens and not right.any() and not left.any():
        return f"{happens}: in none of {tried}"
    least = ROUNDING * np.maximum(np.abs(left), np.abs(right))
    at = right - left <= least
    none = f"None of {tried} breaks the bound" if tries.total > 1 else "The bound holds"
    if at.all() and tries.pairs.shape[1] == 1 and found not in ("", "left side", "1"):
        value = ("no", "yes")[int(left[0])] if tries.yes_or_no else number(float(left[0]))
        return f"{found[0].upper()}{found[1:]}: {value} in {alone}"
    if at.all():
        return f"{none}, and all reach it" if tries.total > 1 else "The bound is reached"
    if at.any():
        reach = int(tries.count[at].sum())
        return f"{none}, and " + (
            f"{number(reach)} reach{'es' * (reach == 1)} it" if tries.whole else "some reach it"
        )
    positive = right > 0
    if not positive.any():
        return f"None of {tried} reaches the bound"
    nearest = float(np.max(left[positive] / right[positive]))
    if tries.total == 1:
        return f"The left side is {share_of(nearest)} its bound"
    return f"{none}; the nearest is {share_of(nearest)} it"


def why_open(record: Record) -> str:
    """What leaves a claim about instances undecided, in words.

    Parameters
    ----------
    record : Record
        Of an always or identity claim.

    Returns
    -------
    str
    """
    if record.vacuous.all():
        return "Vacuous in every cell"
    held = record.per_cell("tries")
    suspects = (record.per_level("violations")[:, 0] > 0) & (record.decision[:, 0] != UPHELD)
    if suspects.any():
        what = "the left side exceeds the right one" if record.kind == "always" else (
            "the sides differ"
        )
        return (
            f"In {int(suspects.sum())} of {record.size} cells {what} beyond rounding, "
            "which no exact arithmetic confirms"
        )
    return f"The hypotheses hold in no try of {int((held == 0).sum())} of {record.size} cells"
