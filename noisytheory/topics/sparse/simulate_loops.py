r"""Algorithm 1 as printed and mended, and the parallel example, on a few numbers of the line."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import printed_loop, traverse
from noisytheory.topics.sparse.parallel import map_reduce
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

__all__ = [
    "LISTS",
    "centres_printed",
    "loop_stuck",
    "mended_centres",
    "parallel_atoms",
    "parallel_certificate",
    "parallel_error",
    "whole_certificate",
]

Ints = NDArray[np.int64]
Arrays = dict[str, Any]

LISTS = {"0, 1, 2, 4": [0, 1, 2, 4], "1, 1, 0, 0": [1, 1, 0, 0], "0, 3, 3, 7, 8": [0, 3, 3, 7, 8]}
"""Samples on a line."""


def _every_start(sample: str) -> tuple[Ints, list[int]]:
    values = np.array(LISTS[sample])
    return (values[:, None] - values[None]) ** 2, list(range(len(values)))


def centres_printed(sample: str, m: int) -> Arrays:
    """Number of centres that the printed loop ends with, from every start."""
    squares, starts = _every_start(sample)
    found = [printed_loop(squares, m, start=start) for start in starts]
    return {"lhs": [len(centres) for centres, _ in found], "m": [m] * len(starts),
            "start": starts}


def loop_stuck(sample: str, m: int) -> Arrays:
    """Whether the printed loop reaches a set of centres that it never leaves, from every start."""
    squares, starts = _every_start(sample)
    found = [printed_loop(squares, m, start=start)[1] for start in starts]
    return {"lhs": np.array(found, dtype=int), "start": starts}


def mended_centres(sample: str, m: int) -> Arrays:
    """Number of centres of the mended traversal, from every start."""
    _, starts = _every_start(sample)
    line = np.array(LISTS[sample], dtype=float)[:, None]
    target = Target(Linear(), line, np.full(len(line), 1 / len(line)))
    return {"lhs": [len(traverse(target, m, start=start).centres) for start in starts]}


def whole_certificate(right: Callable[[int], int]) -> Callable[..., Certificate]:
    """What the printed loop does on whole numbers, step by step, against ``right(m)``."""

    def certify(sample: str, m: int, start: Any, lhs: Any) -> Certificate:
        values = LISTS[sample]
        centres = [int(start)]
        steps: list[tuple[str, object]] = [("S", values), ("m", m)]
        while len(centres) <= m:
            nearest = [min(abs(v - values[c]) for c in centres) for v in values]
            farthest = nearest.index(max(nearest))
            steps.append((f"centres {[values[c] for c in centres]}, distances", nearest))
            if max(nearest) == 0:
                steps.append(("the farthest point is a centre already", "for ever"))
                break
            centres.append(farthest)
        steps.append(("centres", [values[c] for c in centres]))
        return Certificate(int(lhs), right(m), steps)

    return certify


def parallel_atoms(eta: float, merged: int) -> Arrays:
    r"""Atoms left of $\{1,1+\eta,0,\eta\}$ after each half was approximated by two.

    Equal points are one element of a set, and two entries of a list.
    """
    values = np.array([1.0, 1 + eta, 0.0, eta])[:, None]
    found = map_reduce(Linear(), values, np.full(4, 0.25), 2, parts=2, second_round=False)
    kept = values[found.indices, 0]
    return {"lhs": [len(np.unique(kept)) if merged else len(kept)], "eta": [eta]}


def parallel_error(eta: float) -> Arrays:
    """Error of two atoms, one from each pair, in every draw of clustered sub-sampling."""
    values = np.array([1.0, 1 + eta, 0.0, eta])
    pairs = [(i, j) for i in (0, 1) for j in (2, 3)]
    errors = [abs(values[list(pair)].mean() - values.mean()) for pair in pairs]
    return {"lhs": errors, "pair": pairs}


def parallel_certificate(factor: Fraction) -> Callable[..., Certificate]:
    """Error of two atoms in fractions, against ``factor`` times eta.

    Parameters
    ----------
    factor : Fraction
        What the claim promises.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(eta: float, pair: Ints) -> Certificate:
        step = Fraction(str(eta))
        values = [Fraction(1), 1 + step, Fraction(0), step]
        chosen = [values[int(i)] for i in pair]
        error = abs(sum(chosen, Fraction(0)) / 2 - sum(values, Fraction(0)) / 4)
        return Certificate(
            error, factor * step,
            [("S", [str(v) for v in values]), ("atoms", [str(v) for v in chosen])],
        )

    return certify
