"""Are a simulator's rows independent draws from the generator it was given?"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Cell, Claim
from noisytheory.trial.draws import Arrays, ClaimError, draw
from noisytheory.trial.verdict import conditioned, right_side

__all__ = ["FALSE_ALARM", "check_rows", "check_streams", "probe"]

Floats = NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Probability, each test's approximation granted, that independent rows are taken for dependent."""

_GROUPS = 16
"""Small blocks of their own that are compared with each other."""

_LOOK = 1 << 40
"""Index of the first of them: no part of any cell's blocks."""

_ROWS = 8
"""Rows of a probe."""


def probe(claim: Claim, cell: Cell, seed: int) -> Arrays:
    """A few rows, to see what there is to store and that they come from the generator given.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Where to look.
    seed : int
        Root seed.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    ClaimError
        If the simulator touches a global generator, draws other numbers from the same generator, or
        the same from another.
    """
    before = _global_randomness()
    rows = min(_ROWS, claim.rows)
    try:
        first = draw(claim, cell, 0, seed=seed, rows=rows)
    except ClaimError:
        # An error is said of the whole block, whose address replays it.
        first = draw(claim, cell, 0, seed=seed)
        rows = claim.rows
    again = draw(claim, cell, 0, seed=seed, rows=rows)
    if _global_randomness() != before:
        raise ClaimError(
            f"{claim.id}: simulate draws from a global random generator, so no seed gives the same "
            "numbers twice: draw from its argument rng"
        )
    for name, array in first.items():
        if not _same(array, again[name]):
            raise ClaimError(
                f"{claim.id}: simulate draws other {name} from the same generator, so no address "
                "replays a draw: draw from its argument rng, and from nothing else"
            )
    # An instance that an `always` claim enumerates is no draw, and one that never varies no sign.
    if claim.can_err and rows > 1 and np.unique(first["lhs"]).size > 1:
        check_streams(claim, cell, first, draw(claim, cell, 1, seed=seed, rows=rows))
    return first


def check_streams(claim: Claim, cell: Cell, first: Arrays, second: Arrays) -> None:
    """Refuse two blocks that vary and are alike: their generators had no part in them."""
    # What hardly varies may repeat by chance.
    if np.array_equal(first["lhs"], second["lhs"]) and _telling(first["lhs"]):
        raise ClaimError(
            f"{claim.id} at {claim.address(cell) or 'its cell'}: simulate draws the same from "
            "different generators, so its draws are not independent: draw from its argument rng"
        )


def _same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def _global_randomness() -> tuple[object, ...]:
    """The state of the generators that no simulator may use."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), state["state"]["pos"], state["state"]["key"].tobytes()


def check_rows(claim: Claim, cell: Cell, seed: int) -> None:
    """Refuse a claim whose rows depend on each other, before draws decide it.

    Small blocks are compared with each other (Kruskal and Wallis), and rows of one block with those
    a power of two behind (Ljung and Box, on ranks): left sides, their distance from the median, and
    which of them break the promise. What nearly always is the same shows nothing of this.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        The cell that says most.
    seed : int
        Root seed.

    Raises
    ------
    ClaimError
        With what was seen.
    """
    rows = max(4, claim.rows // _GROUPS)
    blocks = [draw(claim, cell, _LOOK + i, seed=seed, rows=rows) for i in range(_GROUPS)]
    check_streams(claim, cell, blocks[0], blocks[1])
    whole = draw(claim, cell, _LOOK + _GROUPS, seed=seed)
    for what, of in _views(claim, cell, whole).items():
        chances = {
            "blocks that differ more than independent ones do": _between([of(b) for b in blocks]),
            "rows that resemble those before them": _within(of(whole)),
        }
        for seen, chance in chances.items():
            if chance < FALSE_ALARM / 6:
                raise ClaimError(
                    f"{claim.id} at {claim.address(cell) or 'its cell'}: its rows are not "
                    f"independent draws, so they decide nothing: {what} show {seen} (p = "
                    f"{chance:.1g}). Each row is to be a draw of its own"
                )


def _views(claim: Claim, cell: Cell, whole: Arrays) -> dict[str, Callable[[Arrays], Floats]]:
    """What to look at: functions of a block to one number a draw."""

    def left(block: Arrays) -> Floats:
        return np.asarray(conditioned(block)["lhs"], float)

    def breaks(block: Arrays) -> Floats:
        drawn = conditioned(block)
        return np.asarray(left(block) > right_side(claim, cell, drawn)[0], float)

    found: dict[str, Callable[[Arrays], Floats]] = {"left sides": left}
    if (values := left(whole)).size:
        middle = float(np.median(values))
        found["distances of left sides from their median"] = lambda b: np.abs(left(b) - middle)
    if claim.kind == "tail":
        found["violations"] = breaks
    return found


_ENOUGH = 25
"""Draws a group, besides those at the commonest value, that the approximations need."""


def _telling(values: NDArray[Any]) -> bool:
    """Whether independent draws of these values would hardly ever repeat as they are."""
    _, counts = np.unique(values, return_counts=True)
    share = counts / values.size
    entropy = float(-np.dot(counts, np.log2(share)))
    return entropy > 40 or (values.size < 16 and len(counts) == values.size > 2)


def _varying(values: Floats) -> int:
    """Draws that are not at the commonest value."""
    _, counts = np.unique(values, return_counts=True)
    return int(values.size - counts.max()) if values.size else 0


def _between(groups: list[Floats]) -> float:
    """Chance that independent draws differ so much between groups."""
    from scipy.stats import kruskal

    groups = [group for group in groups if group.size]
    if len(groups) < 2 or _varying(np.concatenate(groups)) < _ENOUGH * len(groups):
        return 1.0
    return float(kruskal(*groups).pvalue)


def _within(values: Floats) -> float:
    """Chance that ranks of independent draws are so correlated at lags 1, 2, 4, ..."""
    from scipy.stats import chi2, rankdata

    n = values.size
    # Of a rare value hardly two are neighbours, and the approximation fails.
    if n == 0 or _varying(values) ** 2 < 4 * _ENOUGH * n:
        return 1.0
    ranks = rankdata(values)
    ranks = ranks - ranks.mean()
    lags = 2 ** np.arange(int(np.log2(n // 4)) + 1)
    found = np.array([float(ranks[:-lag] @ ranks[lag:]) for lag in lags]) / float(ranks @ ranks)
    return float(chi2.sf(n * (n + 2) * np.sum(found**2 / (n - lags)), len(lags)))
