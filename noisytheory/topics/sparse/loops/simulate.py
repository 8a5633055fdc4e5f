r"""Algorithm 1 as printed and mended, and the parallel example, on a few numbers of the line.

On trial is the public loop, in floats; its certificates go through the loop in plain steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.algorithms import map_reduce
from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import printed_loop, traverse
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

Ints = NDArray[np.int64]
Arrays = dict[str, Any]

LISTS = {"0, 1, 2, 4": [0, 1, 2, 4], "1, 1, 0, 0": [1, 1, 0, 0], "0, 3, 3, 7, 8": [0, 3, 3, 7, 8]}
"""Samples on a line."""


def _every_start(sample: str) -> tuple[Ints, list[int]]:
    values = np.array(LISTS[sample])
    return (values[:, None] - values[None]) ** 2, list(range(len(values)))


def centres(sample: str, m: int, mended: int) -> Arrays:
    """Number of centres that the loop ends with, as printed or mended, from every start."""
    squares, starts = _every_start(sample)
    line = np.array(LISTS[sample], dtype=float)[:, None]
    target = Target(Linear(), line, np.full(len(line), 1 / len(line)))
    found = [
        traverse(target, m, start=start).centres if mended
        else printed_loop(squares, m, start=start)[0]
        for start in starts
    ]
    return {"lhs": [len(each) for each in found], "start": starts}


def loop_stuck(sample: str, m: int) -> Arrays:
    """Whether the printed loop reaches a set of centres that it never leaves, from every start."""
    squares, starts = _every_start(sample)
    found = [printed_loop(squares, m, start=start)[1] for start in starts]
    return {"lhs": np.array(found, dtype=int), "start": starts}


def _loop(
    values: Sequence[Any], most: int, start: int
) -> tuple[list[Any], bool, list[tuple[str, object]]]:
    """The loop on numbers, for up to so many centres: these, whether it is stuck, and its steps."""
    found = [values[start]]
    steps: list[tuple[str, object]] = [("S", [str(v) for v in values])]
    while len(found) < most:
        nearest = [min(abs(v - c) for c in found) for v in values]
        if max(nearest) == 0:
            return found, True, [*steps, ("the farthest point is a centre", "nothing changes")]
        steps.append((f"centres {_listed(found)}, distances", _listed(nearest)))
        found.append(values[nearest.index(max(nearest))])
    return found, False, [*steps, ("centres", _listed(found))]


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def centres_certificate(sample: str, m: int, mended: int, start: Any) -> Certificate:
    """The loop once more on whole numbers; print leaves it with one centre more."""
    found, _, steps = _loop(LISTS[sample], m if mended else m + 1, int(start))
    return Certificate(len(found), m, steps)


def stuck_certificate(sample: str, m: int, start: Any) -> Certificate:
    """Whether the printed loop is stuck."""
    _, stuck, steps = _loop(LISTS[sample], m + 1, int(start))
    return Certificate(int(stuck), 0, steps)


def parallel_atoms(a: float, merged: int, apart: int) -> Arrays:
    r"""Atoms left of $\{1,1+a,0,a\}$ after each half was approximated by two.

    Equal points are one element of a set, and two entries of a list; all gaps are 0 unless
    ``apart``.
    """
    a *= apart
    values = np.array([1.0, 1 + a, 0.0, a])[:, None]
    found = map_reduce(Linear(), values, np.full(4, 0.25), 2, parts=2, second_round=False)
    kept = values[found.indices, 0]
    return {"lhs": [len(np.unique(kept)) if merged else len(kept)]}


def atoms_certificate(a: float, merged: int, apart: int) -> Certificate:
    """Two centres of each part, the points taken in turns, in fractions."""
    step = apart * Fraction(str(a))
    values = [Fraction(1), 1 + step, Fraction(0), step]
    parts = [_loop(values[first::2], 2, 0)[0] for first in (0, 1)]
    atoms = [atom for part in parts for atom in part]
    left = sorted(set(atoms)) if merged else atoms
    return Certificate(
        len(left), 4,
        [(f"S_{i}", _listed(part)) for i, part in enumerate(parts, 1)]
        + [("atoms of the union", _listed(left))],
    )


@dataclass(frozen=True)
class Atoms:
    r"""One of the first two of $\{1,1+a,0,a\}$, and one of the others.

    Parameters
    ----------
    pair : int array, shape (size, 2)
        Their places.
    """

    pair: Any

    @staticmethod
    def every() -> Arrays:
        """All draws of clustered sub-sampling."""
        return {"pair": np.array([(i, j) for i in (0, 1) for j in (2, 3)])}


def parallel_error(at: Atoms, a: Any) -> Arrays:
    """Error of the mean of both atoms."""
    values = np.array([1 + 0 * a, 1 + a, 0 * a, a])
    chosen = values[at.pair]
    return dict(lhs=abs(chosen.sum(axis=1) / 2 - values.sum() / 4), atoms=chosen)
