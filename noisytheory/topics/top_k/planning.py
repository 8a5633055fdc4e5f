"""From how many examples on a bound says something: for planning, and to compare bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.vocabulary.domains import LEVEL, POSITIVE, REAL, UNIT_INTERVAL, checked_floats

__all__ = ["first_useful_n"]


def first_useful_n(
    bound: Any, *, trivial: float, delta: float, mus: ArrayLike | None = None, **given: float
) -> int:
    """The least n, on a grid of five per cent steps, at which a bound says something for some mu.

    Parameters
    ----------
    bound : callable
        One of the forms of Theorem 2.
    trivial : float
        The largest possible excess risk.
    delta : float
    mus : array_like, optional
        Values tried.
    **given : float
        The bound's other arguments.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the bound is none, an argument leaves its range, or no n below $10^{12}$ makes the bound
        small enough.

    Examples
    --------
    >>> from noisytheory.topics.top_k.theorem_2.bounds import theorem_2_sharp
    >>> P1 = dict(C=0.01, kappa=1.0, norm=1.0, approximation=0.0)
    >>> first_useful_n(theorem_2_sharp, trivial=0.8, delta=0.05, risk=0.2, **P1)
    579
    """
    if not callable(bound):
        raise ValueError(f"bound must be one of the forms of Theorem 2, got {bound!r}")
    trivial, delta = POSITIVE.number("trivial", trivial), LEVEL.number("delta", delta)
    given = {name: (UNIT_INTERVAL if name == "risk" else REAL).number(name, value)
             for name, value in given.items()}
    risk = given.get("risk", 0.0)
    if risk == 1:
        raise ValueError("risk must be below 1: it and mu > 0 are at most 1 together, got 1")
    most = min(0.79, 1 - risk)
    grid = (np.geomspace(min(0.01, most / 2), most, 80) if mus is None
            else checked_floats("mus", mus))
    if not grid.size:
        raise ValueError("mus must hold at least one number > 0, got none")
    n = 10.0
    while n < 1e12:
        if np.min(bound(n=int(n), delta=delta, mu=grid, **given)) < trivial:
            return int(n)
        n = max(n + 1, n * 1.05)
    raise ValueError(f"no n below 1e12 makes the bound smaller than {trivial:g}")
