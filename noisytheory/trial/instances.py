"""Which instances a finished trial keeps for a picture: a few of each cell, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIELDS", "few", "named", "padded", "rows_of", "whole"]

FIELDS = ("left", "right", "count")
"""What is kept of an instance: both sides, and how many instances the entry stands for.

Those that the hypotheses leave out are one entry without sides.
"""

_MOST = 600
"""Entries of a claim, at most, shared by its cells."""

_A_CELL = 8, 150
"""Entries of a cell: as many at least, if there are, and at most. More are a blot in a picture."""

_NAMES = 3
"""Quantities beside the sides, at most, by which a picture may order the instances."""

_WORDS, _LETTERS = 12, 24
"""Different words of a quantity that is no number, and how long one may be."""

_NOT_THESE = ("lhs", "rhs", "rhs_draw", "applies", "scale", "case", "index")
"""Arrays of an instance that say nothing of what it is."""


def named(
    drawn: Sequence[Mapping[str, NDArray[Any]]], parameters: Iterable[str] = ()
) -> dict[str, list[str]]:
    """Quantities that tell the listed instances apart, one number or word an instance.

    Parameters
    ----------
    drawn : sequence of mapping
        What was listed, by cell.
    parameters : iterable of str
        Names of the cell's own, which are no instance's.

    Returns
    -------
    dict of str to list of str
        By name the words that there are, none of a quantity that is a number.

    Examples
    --------
    >>> listed = dict(lhs=np.zeros(2), mass=np.array([0.5, 0.25]), end=np.array(["small", "no"]))
    >>> named([listed])
    {'mass': [], 'end': ['no', 'small']}
    """
    found: dict[str, list[str]] = {}
    for name in drawn[0] if drawn else ():
        if name in _NOT_THESE or name in parameters or len(found) == _NAMES:
            continue
        arrays = [np.asarray(of[name]) for of in drawn if name in of]
        if len(arrays) < len(drawn) or any(array.ndim != 1 for array in arrays):
            continue
        values = np.concatenate(arrays)
        if values.dtype.kind == "U":
            words = np.unique(values).tolist()
            if 1 < len(words) <= _WORDS and max(map(len, words)) <= _LETTERS:
                found[name] = words
        elif values.dtype.kind in "fiub" and np.isfinite(values).all() and np.ptp(values * 1.0):
            found[name] = []
    return found


def rows_of(
    drawn: Mapping[str, NDArray[Any]], left: NDArray[Any], right: NDArray[Any],
    names: Mapping[str, Sequence[str]],
) -> NDArray[np.float64]:
    """Instances as columns: `FIELDS`, then what is named, a word by its place.

    Parameters
    ----------
    drawn : mapping
        Their arrays.
    left, right : ndarray
        Both sides; of the right one the only number will do.
    names : mapping
        As `named` gives it.

    Returns
    -------
    ndarray, shape (3 + names, instances)
    """
    size = len(left)
    at = np.asarray(drawn.get("applies", np.ones(size, bool)), bool)
    more = [
        np.searchsorted(words, drawn[name]) if words else drawn[name]
        for name, words in names.items()
    ]
    table = np.array([np.broadcast_to(row, (size,)) for row in (left, right, 1.0, *more)], float)
    # What the hypotheses leave out differs in nothing that is shown.
    table[:2, ~at] = np.nan
    table[len(FIELDS) :, ~at] = np.nan
    return table


def few(tables: Iterable[NDArray[np.float64]], cells: int) -> NDArray[np.float64]:
    """Entries of a cell that are kept, in the order of right side, left side and the rest.

    Equal instances are one entry. Of too many entries some are taken evenly along that order, with
    both ends, and of the instances where left exceeds right, or differs from it, most, and where it
    is the largest share of it; what is not taken is counted with the entry before it.

    Parameters
    ----------
    tables : iterable of ndarray
        As `rows_of` gives them, part by part.
    cells : int
        Of the claim.

    Returns
    -------
    ndarray, shape (fields, entries)

    Examples
    --------
    >>> few([np.array([[1.0, 0.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, 1.0]])], 1).tolist()
    [[0.0, 1.0], [2.0, 2.0], [1.0, 2.0]]
    """
    most = _room(cells)
    parts: Iterator[NDArray[np.float64]] = iter(tables)
    kept = _fewer(next(parts), most)
    for part in parts:
        kept = _fewer(np.concatenate([kept, part], axis=1), most)
    return kept


def _room(cells: int) -> int:
    least, most = _A_CELL
    return max(least, min(most, _MOST // cells))


def whole(entries: int, cells: int) -> bool:
    """Whether so few entries of a cell are for certain all different instances that there were.

    Parameters
    ----------
    entries, cells : int
        Of the fullest cell, and how many cells there are.

    Returns
    -------
    bool

    Examples
    --------
    >>> whole(100, 1), whole(100, 100)
    (True, False)
    """
    return entries < _room(cells) - _WORST


_WORST = 3
"""Entries that are taken for their sides."""


def _fewer(table: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    left, right, count = table[:3]
    order = np.lexsort((*table[: 2 : -1], left, right))
    table = table[:, order]
    keys = np.delete(table, 2, axis=0)
    here, before = keys[:, 1:], keys[:, :-1]
    same = np.all((here == before) | (np.isnan(here) & np.isnan(before)), axis=0)
    first = np.flatnonzero(np.append(True, ~same))
    counts = np.add.reduceat(count[order], first)
    table = table[:, first]
    sides = np.flatnonzero(~np.isnan(table[0]))
    if sides.size > most:
        with np.errstate(invalid="ignore", divide="ignore"):
            left, right = table[:2, sides]
            told = (left - right, np.abs(left - right), np.where(right > 0, left / right, -np.inf))
        worst = [int(np.argmax(np.nan_to_num(of, nan=-np.inf))) for of in told]
        even = np.linspace(0, sides.size - 1, most - _WORST).astype(int)
        # Those without sides come last.
        taken = np.unique([*sides[[*even, *worst]], *range(sides.size, table.shape[1])])
        table, counts = table[:, taken], np.add.reduceat(counts, taken)
    table[2] = counts
    return table


def padded(found: Mapping[int, NDArray[np.float64]], cells: int) -> NDArray[np.float64]:
    """Entries of all cells in one array, NaN where a cell has fewer.

    Parameters
    ----------
    found : mapping of int to ndarray
        By cell.
    cells : int
        Their number.

    Returns
    -------
    ndarray, shape (cells, fields, entries)
    """
    fields = len(next(iter(found.values())))
    out = np.full((cells, fields, max(table.shape[1] for table in found.values())), np.nan)
    for index, table in found.items():
        out[index, :, : table.shape[1]] = table
    return out
