"""What is true on an instance, beside what a claim promises of all: quantiles, and sample sizes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.trial.claim import Claim, Law
from noisytheory.trial.draws import draw, exact_evidence
from noisytheory.trial.run import DEFAULT_SEED

__all__ = ["REPLICATES", "Truth", "needed", "told", "truth"]

REPLICATES = 4096
"""Draws by which a quantile is read off, unless a law is exact."""

FEW = 10
"""Draws beyond a quantile, with fewer of which it is not estimated."""


@dataclass(frozen=True)
class Truth:
    """A number, and how it was found: ``the exact law``, or so many draws."""

    value: Any
    how: str


def told(claim: Claim, values: Mapping[str, Any]) -> bool:
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
    seed: int = DEFAULT_SEED,
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

    Returns
    -------
    Truth or None
        None where so few draws cannot tell so small a level.

    Examples
    --------
    >>> from noisytheory import claims, populations
    >>> cell = {"population": populations.axis(), "n": 4, "delta": 0.05}
    >>> truth(claims["kernel-mean/theorem-5"], cell)
    Truth(value=1.0, how='the exact law')
    """
    cell = {name: value for name, value in values.items() if name != "delta"}
    delta = float(values["delta"]) if claim.kind == "tail" else None
    law = exact_evidence(claim, cell) if claim.exact is not None else None
    if isinstance(law, Law):
        return Truth(law.mean() if delta is None else law.quantile(1 - delta), "the exact law")
    if claim.simulate is None or (delta is not None and delta * replicates < FEW):
        return None
    drawn = draw(claim, cell, 0, seed=seed, rows=replicates)
    left = drawn["lhs"][drawn.get("applies", np.ones(replicates, bool))]
    value = left.mean() if delta is None else np.quantile(left, 1 - delta, method="inverted_cdf")
    return Truth(float(value), f"{replicates:,} draws")


def needed(
    claim: Claim, name: str, target: float, values: Mapping[str, Any], most: int
) -> Truth | None:
    """The smallest whole number from which on what is true on an instance is small enough.

    Parameters
    ----------
    claim : Claim
        For which `told` says so.
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
        None where draws cannot tell. At the number before it is not so; after it, as far as half
        as many more were looked at, it is.

    Examples
    --------
    >>> from noisytheory import claims, populations
    >>> cell = {"population": populations.axis(), "delta": 0.05}
    >>> needed(claims["kernel-mean/theorem-5"], "n", 0.5, cell, 80).value
    15
    """
    how = ""

    def small(n: int) -> bool | None:
        nonlocal how
        found = truth(claim, {**values, name: n})
        how = how if found is None else found.how
        # What exceeds the target by rounding attains it, as in a trial.
        return None if found is None else (
            found.value - target <= claim.rounding * max(abs(found.value), abs(target))
        )

    low, high = 0, int(most)
    while high - low > 1:
        middle = (low + high) // 2
        holds = small(middle)
        if holds is None:
            return None
        low, high = (low, middle) if holds else (middle, high)
    # Sums of signs take turns: what holds at 12 may not at 13.
    while True:
        ahead = {*range(high, high + 32), *map(int, np.linspace(high, 1.5 * high, 32))}
        wrong = [n for n in ahead if n < most and not small(n)]
        if not wrong:
            return Truth(high, how)
        high = max(wrong) + 1
