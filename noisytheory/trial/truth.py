"""What is true on an instance, beside what a claim promises of all: quantiles, and sample sizes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from noisytheory.trial.claim import Cell, Claim, Law
from noisytheory.trial.draws import Arrays, ClaimError, draw, exact_evidence
from noisytheory.trial.elsewhere import is_ours
from noisytheory.trial.evidence import mean_limits, quantile_ranks
from noisytheory.trial.run import DEFAULT_SEED

__all__ = [
    "CONFIDENCE", "LOOKS", "REPLICATES", "Truth", "computable", "drawn_apart", "needed", "since",
    "truth",
]

REPLICATES = 4096
"""Draws by which a quantile is read off, unless a law is exact."""

FEW = 10
"""Draws beyond a quantile, with fewer of which it is not estimated."""


_BLOCKS = 8
"""What draws that no trial takes may hold of memory, as so many blocks do."""

CONFIDENCE = 0.99
"""Of limits, as of those that a trial shows."""

LOOKS = 512
"""Numbers that one answer of `needed` looks at, at most: they share what its limits may err."""


@dataclass(frozen=True)
class Truth:
    """A number, how it was found (``the exact law``, or so many draws), and its limits.

    Of an exact law the limits are the number; infinite where draws cannot tell them.
    """

    value: Any
    how: str
    low: Any
    high: Any


def computable(claim: Claim, values: Mapping[str, Any]) -> bool:
    """Whether what the claim bounds can be computed at values like these.

    Parameters
    ----------
    claim : Claim
    values : mapping
        A cell, with ``delta`` for a tail; only names and the population matter.

    Returns
    -------
    bool
        True for a promise about draws whose simulator, and exact law, find all that they ask for.
    """
    population = values.get("population")
    sources = [source for source in (claim.exact, claim.simulate) if source is not None]
    asked = {
        name for source in sources for name, p in inspect.signature(source).parameters.items()
        if p.default is p.empty
    }
    return claim.kind in ("tail", "mean") and bool(sources) and all(
        name in {"size", "rng", *values, *claim.given} or hasattr(population, name)
        for name in asked
    )


def truth(
    claim: Claim, values: Mapping[str, Any], *, replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED, confidence: float = CONFIDENCE,
) -> Truth | None:
    r"""The :math:`(1-\delta)`-quantile of the left side, or its mean, at one cell.

    Parameters
    ----------
    claim : Claim
        A ``tail`` or a ``mean``.
    values : mapping
        The cell, on the claim's grid or off it, with ``delta`` for a tail.
    replicates : int
        Draws where the law is not exact.
    seed : int
        Of the draws.
    confidence : float
        Of their limits.

    Returns
    -------
    Truth or None
        None where so few draws cannot tell so small a level, or come from another law, or a tail
        is given no level.

    Examples
    --------
    >>> from noisytheory import claims, populations
    >>> cell = {"population": populations.axis(), "n": 4, "delta": 0.05}
    >>> truth(claims["kernel-mean/theorem-5"], cell)
    Truth(value=1.0, how='the exact law', low=1.0, high=1.0)
    """
    if claim.kind == "tail" and "delta" not in values:
        return None
    cell, delta = _split(claim, values)
    law = exact_evidence(claim, cell) if claim.exact is not None else None
    if isinstance(law, Law):
        value = law.mean() if delta is None else law.beyond(delta)
        return Truth(value, "the exact law", value, value)
    left = _left(claim, cell, delta, replicates, seed)
    if left is None:
        return None
    how = f"{replicates:,} draws"
    if delta is None:
        return Truth(float(left.mean()), how, *_mean_limits(claim, cell, left, confidence))
    ranks = np.array(quantile_ranks(left.size, 1 - delta, confidence))
    # An end that the sample is too small to give is infinite.
    draws = np.concatenate([[-np.inf], np.sort(left), [np.inf]])
    return Truth(float(draws[ranks[0]]), how, *map(float, draws[ranks[1:]]))


def needed(
    claim: Claim, name: str, target: float, values: Mapping[str, Any], most: int
) -> Truth | None:
    """The smallest whole number from which on what is true on an instance is small enough.

    Parameters
    ----------
    claim : Claim
        For which `computable` says so.
    name : str
        What is looked for, such as n.
    target : float
        What the quantile, or the mean, is to be at most.
    values : mapping
        The rest of the cell, with ``delta`` for a tail.
    most : int
        Where the bound promises it.

    Returns
    -------
    Truth or None
        Infinite where not even ``most`` is enough; None where draws cannot tell, or a claim of this
        package is not defined at a number on the way, or a tail is given no level. At the number
        before it is not so; after it, as far as four times as many were looked at, it is.

    Notes
    -----
    Draws at one number have nothing to do with those at another. At each, what is true has limits
    whose level is the 512th part of 1%, and no more numbers are looked at, so that with 99%
    confidence they hold at all of them, wherever the search went. The lower limit is the number
    after one at which it is then certain that the target is not attained. From the upper one on it
    is certain that it is, at each number looked at; between those it is taken for granted.

    Examples
    --------
    >>> from noisytheory import claims, populations
    >>> cell = {"population": populations.axis(), "delta": 0.05}
    >>> needed(claims["kernel-mean/theorem-5"], "n", 0.5, cell, 80)
    Truth(value=15, how='the exact law', low=15, high=15)
    """
    if claim.kind == "tail" and "delta" not in values:
        return None
    seen: dict[int, _Look] = {}

    def look(n: int) -> _Look:
        if n not in seen:
            found = _looked(claim, {**values, name: n}, target) if len(seen) < LOOKS else None
            if found is None:
                raise _CannotTell
            seen[n] = found
        return seen[n]

    try:
        value = since(lambda n: look(n).attained, most)
        low = since(lambda n: look(n).attained or not look(n).certain, most)
        high = since(lambda n: look(n).attained and look(n).certain, most)
    except _CannotTell:
        return None
    except ClaimError:
        if not is_ours(claim):
            raise
        return None
    drawn = sum(not one.exact for one in seen.values())
    how = f"{REPLICATES:,} draws at {'each of ' * (drawn > 1)}{drawn} number{'s' * (drawn > 1)}"
    how += " and the exact law at others" * (drawn < len(seen))
    return Truth(value, how if drawn else "the exact law", low, high)


class _CannotTell(Exception):
    """Of so few draws, or after so many looks."""


@dataclass(frozen=True)
class _Look:
    """Whether a target is attained, whether that is certain, and whether a law says so."""

    attained: bool
    certain: bool
    exact: bool


def _looked(claim: Claim, values: Mapping[str, Any], target: float) -> _Look | None:
    cell, delta = _split(claim, values)

    def beyond(value: Any) -> Any:
        """What exceeds the target by rounding attains it, as in a trial."""
        return value - target > claim.rounding * np.maximum(np.abs(value), abs(target))

    law = exact_evidence(claim, cell) if claim.exact is not None else None
    if isinstance(law, Law):
        value = law.mean() if delta is None else law.beyond(delta)
        return _Look(not beyond(value), certain=True, exact=True)
    left = _left(claim, cell, delta, REPLICATES, DEFAULT_SEED)
    if left is None:
        return None
    confidence = 1 - (1 - CONFIDENCE) / LOOKS
    if delta is None:
        attained, at = not beyond(left.mean()), float(target)
        low, high = _mean_limits(claim, cell, left, confidence)
    else:
        above, draws, at = np.count_nonzero(beyond(left)), left.size, delta
        attained = bool(above <= delta * draws)
        # Clopper and Pearson's: how many draws there are was settled before.
        low = betaincinv(above, draws - above + 1, (1 - confidence) / 2) if above else 0.0
        high = betaincinv(above + 1, draws - above, (1 + confidence) / 2) if above < draws else 1.0
    return _Look(attained, bool(high <= at if attained else low > at), exact=False)


def since(holds: Callable[[int], bool], most: int) -> float:
    """The smallest whole number from which on something holds, as far as is looked.

    Parameters
    ----------
    holds : callable
        Of a whole number from 1 to ``most``.
    most : int
        The largest to be looked at.

    Returns
    -------
    int or float
        Infinite if it holds nowhere, or at last no more.

    Examples
    --------
    >>> since(lambda n: n >= 12 and n != 13, 100)
    14
    """
    low, high = 0, 1
    while not holds(high):
        if high == most:
            return math.inf
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    # Sums of signs take turns: what holds at 12 may not at 13.
    while high <= most:
        ahead = {*range(high, high + 24), *map(int, np.linspace(high, 1.5 * high, 16)),
                 2 * high, 4 * high}
        wrong = [n for n in ahead if n <= most and not holds(n)]
        if not wrong:
            return high
        high = max(wrong) + 1
    return math.inf


def _split(claim: Claim, values: Mapping[str, Any]) -> tuple[dict[str, Any], float | None]:
    """The cell, and the level of a tail."""
    cell = {name: value for name, value in values.items() if name != "delta"}
    return cell, float(values["delta"]) if claim.kind == "tail" else None


def _left(
    claim: Claim, cell: dict[str, Any], delta: float | None, replicates: int, seed: int
) -> NDArray[np.float64] | None:
    """Draws of the left side; None where they cannot tell so small a level, or are weighted."""
    if claim.simulate is None or (delta is not None and delta * replicates < FEW):
        return None
    drawn = drawn_apart(claim, cell, ("lhs", "applies", "weight"), replicates, seed)
    left = np.asarray(drawn["lhs"], float)[drawn.get("applies", np.ones(replicates, bool))]
    return left if left.size and "weight" not in drawn else None


def drawn_apart(
    claim: Claim, cell: Cell, names: Collection[str], replicates: int, seed: int
) -> Arrays:
    """Draws that no trial takes, of a few blocks' size at a time: what one draws may be large.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
    names : collection of str
        What is wanted of what is drawn, and kept.
    replicates : int
    seed : int

    Returns
    -------
    dict of str to ndarray
        Those of the names that are drawn.
    """
    pieces: list[Arrays] = []
    at_once = _BLOCKS * claim.rows
    for block, start in enumerate(range(0, replicates, at_once)):
        rows = min(at_once, replicates - start)
        drawn = draw(claim, cell, block, seed=seed, rows=rows)
        pieces.append({name: drawn[name] for name in names if name in drawn})
    if any(piece.keys() != pieces[0].keys() for piece in pieces):
        raise ClaimError(f"{claim.id}: simulate draws other arrays in one call than in another")
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _mean_limits(
    claim: Claim, cell: dict[str, Any], left: NDArray[np.float64], confidence: float
) -> tuple[float, float]:
    """Within the declared range; infinite where none is."""
    ends = (claim.value("low", cell), claim.value("high", cell))
    low, high = (i if end is None else float(end)
                 for end, i in zip(ends, (-math.inf, math.inf), strict=True))
    return mean_limits(np.clip(left, low, high), low, high, confidence)
