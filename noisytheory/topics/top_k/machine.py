r"""Small support vector machines in both arithmetics: a batch in floats, one in fractions.

$\max_\alpha\langle c,\alpha\rangle-\frac C2\|\sum\alpha_iz_i\|^2$ over $0\le\alpha_i\le u_i$,
$\sum\alpha_i\le\nu$. Floats only guess which $\alpha$ are at an end; the equations are then solved
in fractions and every sign is checked.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.vocabulary.exact import eliminated, whole

__all__ = ["Machine", "exact_machine", "machine", "together"]

Numbers = NDArray[Any]

TOLERANCE = 1e-13
FEW = 8
"""Rows up to which all faces are tried."""


@dataclass(frozen=True)
class Machine:
    """Solutions, one a row.

    Parameters
    ----------
    w : array, shape (size, d)
    level : array, shape (size,)
        The threshold.
    alpha : array, shape (size, m)
    """

    w: Numbers
    level: Numbers
    alpha: Numbers


def machine(z: Numbers, c: Any, u: Any, nu: Any, C: Any) -> Machine:
    r"""Solve, in the arithmetic of the rows.

    Parameters
    ----------
    z : array, shape (size, m, d)
        Of floats, or of fractions.
    c, u : array, broadcast against (size, m)
    nu, C : number or array, shape (size,)

    Returns
    -------
    Machine

    Examples
    --------
    >>> z = np.array([[[Fraction(1)], [Fraction(2)], [Fraction(1)]]], dtype=object)
    >>> machine(z, 1, Fraction(1, 3), 1, 1).w.tolist()
    [[Fraction(2, 3)]]
    """
    size, m, d = z.shape
    if z.dtype != object:
        c = np.broadcast_to(np.asarray(c, float), (size, m))
        u = np.broadcast_to(np.asarray(u, float), (size, m))
        nu, C = (np.broadcast_to(np.asarray(v, float), (size,)) for v in (nu, C))
        ridge = np.broadcast_to(1 / C[:, None], (size, d))
        found = interior_point(z, c, u, nu, ridge, tolerance=TOLERANCE, most=40)
        return Machine(found.coef, found.level, found.weights)
    c, u = (np.broadcast_to(np.asarray(v, dtype=object), (size, m)) for v in (c, u))
    nu, C = (np.broadcast_to(np.asarray(v, dtype=object), (size,)) for v in (nu, C))
    parts = [exact_machine(z[i], c[i], u[i], Fraction(nu[i]), Fraction(C[i])) for i in range(size)]
    w, level, alpha = (np.array(list(part), dtype=object) for part in zip(*parts, strict=True))
    return Machine(w.reshape(size, d), level, alpha.reshape(size, m))


def together(z: Numbers, u: Any, *problems: tuple[Any, Any, Any]) -> list[Machine]:
    """Several problems (c, nu, C), all numbers, on the same rows, solved as one batch."""
    size, many = len(z), len(problems)
    c, nu, C = (np.repeat(np.array(part, dtype=z.dtype), size)
                for part in zip(*problems, strict=True))
    found = machine(np.concatenate([z] * many), c[:, None], u, nu, C)
    parts = (np.split(part, many) for part in (found.w, found.level, found.alpha))
    return [Machine(*part) for part in zip(*parts, strict=True)]


def exact_machine(
    z: Numbers, c: Sequence[Any], u: Sequence[Any], nu: Fraction, C: Fraction
) -> tuple[list[Fraction], Fraction, list[Fraction]]:
    """One problem in fractions: the guess of floats, else, of few rows, every face.

    Parameters
    ----------
    z : array of fractions, shape (m, d)
    c, u : sequence of fractions
    nu, C : Fraction

    Returns
    -------
    w, level, alpha
        The smallest level where several are optimal.

    Raises
    ------
    RuntimeError
        If no face satisfies the conditions, which of few rows cannot be.
    """
    m = len(z)
    guess = interior_point(
        z.astype(float)[None], np.array([[float(v) for v in c]]),
        np.array([[float(v) for v in u]]), np.array([float(nu)]),
        np.full(z.shape[1], 1 / float(C)), tolerance=TOLERANCE)
    share = guess.weights[0] / np.array([float(v) for v in u])
    likely = [[0 if s < room else 2 if s > 1 - room else 1 for s in share]
              for room in (1e-6, 1e-4, 1e-8, 1e-5, 1e-3, 1e-7, 1e-2)]
    tight = bool(guess.slack[0] < 1e-8 * float(nu))
    # Of several dual solutions floats find one within: what the equations leave open is theirs.
    inner = [Fraction(round(a * 2**20), 2**20) for a in guess.weights[0].tolist()]
    faces = itertools.chain(
        ((face, t) for t in (tight, not tight) for face in likely),
        ((list(face), t) for face in itertools.product((0, 1, 2), repeat=m if m <= FEW else 0)
         for t in (True, False) if m <= FEW),
    )
    for face, at_cap in faces:
        found = _on_face(z, c, u, nu, C, face, at_cap, inner)
        if found is not None:
            return found
    raise RuntimeError("no face satisfies the optimality conditions")


def _on_face(
    z: Numbers, c: Sequence[Any], u: Sequence[Any], nu: Fraction, C: Fraction, face: list[int],
    tight: bool, inner: list[Fraction],
) -> tuple[list[Fraction], Fraction, list[Fraction]] | None:
    points, unit = whole(z)
    m = len(points)
    free = [i for i in range(m) if face[i] == 1]
    alpha = [Fraction(u[i]) if face[i] == 2 else Fraction(0) for i in range(m)]
    level = Fraction(0)

    def solution() -> tuple[list[Fraction], list[Fraction]]:
        """The coefficients of these weights, and what they leave of c."""
        shares, scale = whole(alpha)
        push = shares @ points
        ratio = C / scale / unit
        return ([ratio * v for v in push],
                [Fraction(v) - ratio / unit * s for v, s in zip(c, points @ push, strict=True)])

    w, r = solution()
    if free or tight:
        inside = points[free]
        rows = [[C / unit**2 * v for v in row] + [Fraction(1)] * tight + [r[i]]
                for i, row in zip(free, inside @ inside.T, strict=True)]
        if tight:
            rows.append([Fraction(1)] * len(free) + [Fraction(0), nu - sum(alpha)])
        solved = _solve(rows, [*(inner[i] for i in free), *[Fraction(0)] * tight])
        if solved is None:
            return None
        for i, value in zip(free, solved, strict=False):
            alpha[i] = value
        level = solved[len(free)] if tight else level
        w, r = solution()
    if tight:
        # The level lies between what is not full and what is not empty; free ones pin it.
        level = max([Fraction(0), *(r[i] for i in range(m) if alpha[i] < u[i])])
    good = all(0 <= alpha[i] <= u[i] for i in range(m)) and sum(alpha) <= nu
    good = good and (level == 0 or sum(alpha) == nu)
    good = good and all(
        (alpha[i] == 0 or r[i] >= level) and (alpha[i] == u[i] or r[i] <= level) for i in range(m))
    return (w, level, alpha) if good else None


def _solve(rows: list[list[Fraction]], start: list[Fraction]) -> list[Fraction] | None:
    """What the equations leave open is as given; None where they contradict each other."""
    found, pivots, last = eliminated([whole(row)[0].tolist() for row in rows], len(start))
    if any(row[-1] != 0 for row in found[len(pivots):]):
        return None
    out = list(start)
    is_open = [j for j in range(len(start)) if j not in pivots]
    for row, column in zip(found, pivots, strict=False):
        out[column] = (row[-1] - sum(row[j] * start[j] for j in is_open)) / Fraction(last)
    return out
