"""Left sides by the public algorithm, on instances that are hard for a search of our own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.sides import both

SEARCHED = 32
"""Instances that are searched for every one that is tried, unless they are dear."""

Drawn = dict[str, Any]


def _hardest(near: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Rows: half of them come nearest, the others are the first drawn."""
    order = np.argsort(-near, kind="stable")
    return np.concatenate([order[: size // 2], np.arange(size - size // 2)])


def publicly(
    search: Callable[..., Drawn],
    algorithm: Callable[..., float],
    near: Callable[[Drawn], Any],
    searched: int = SEARCHED,
) -> Callable[..., Drawn]:
    """Draws whose left sides are all by ``algorithm(row, **given)``, half of them on hard rows.

    Parameters
    ----------
    search : callable
        Draws of a claim about instances, with a left side of our own.
    algorithm : callable
        One instance, and the cell, to what the public algorithm makes of it.
    near : callable
        What was drawn to how near every instance comes.
    searched : int
        Instances that are searched for every one that is tried.

    Returns
    -------
    callable
    """

    @wraps(search)
    def found(*, size: int, rng: np.random.Generator, **given: Any) -> Drawn:
        many = search(size=searched * size, rng=rng, **given)
        rows = _hardest(np.where(many.get("applies", True), near(many), -np.inf), size)
        drawn = {name: values[rows] for name, values in many.items()}
        lhs = [algorithm({name: values[i] for name, values in drawn.items()}, **given)
               for i in range(size)]
        return {**drawn, "lhs": np.array(lhs, dtype=float)}

    return found


def on_hard_rows(
    function: Callable[..., Drawn], family: Any, public: Any,
    bound: Callable[..., Any] | None = None,
) -> dict[str, Any]:
    """As `both`, but that on draws the function sees cases of a family of public runs.

    Parameters
    ----------
    function, family, bound
        As in `both`.
    public : type
        The same cases, on which the function calls the public algorithm.

    Returns
    -------
    dict
    """
    made = both(function, family, bound)
    words, bounded = list(inspect.signature(function).parameters)[1:], bound is not None

    @wraps(made["simulate"])
    def simulate(*, size: int, rng: np.random.Generator, **given: Any) -> Drawn:
        cell = {name: given[name] for name in words}
        many = family.draw(cell["hull"], size=SEARCHED * size, rng=rng)
        sides = function(family(**many), **cell)
        rows = _hardest(sides["lhs"] / np.maximum(sides["rhs"], 1e-20), size)
        drawn = {name: values[rows] for name, values in many.items()}
        kept = function(public(**drawn), **cell)
        if bounded:
            del kept["rhs"]
        return {**drawn, **kept}

    return {**made, "simulate": simulate}
