"""Many draws of the experiments' data at once, and their exact hinge machines."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.interior_point import Optimum, interior_point
from noisytheory.topics.top_k.minimise import NotCertified, fit
from noisytheory.topics.top_k.recipes import Toy, monk_3, split, toy

__all__ = [
    "NEAR_ZERO", "halves", "hinge_machines", "least_hinge", "maximum_machines", "mistakes",
    "monk_of", "plain", "toys", "wrong",
]

Floats = NDArray[np.float64]


TOGETHER = 1 << 14
"""Examples that fit the cache: so many k are solved at once as have no more."""
DOUBT, LARGER = 1e-6, 1e4
"""Share of the value of zero that is next to nothing, and what makes it more."""
PROVEN = 1e-11
"""Share of the value of zero by which weights that prove it the minimiser may miss it, at that
larger C, too.
"""


def least_hinge(x: Floats, y: Floats) -> Optimum:
    """Machines that all but minimise the mean hinge loss alone, and weights that all but balance
    the labelled rows, for a batch.
    """
    u = np.full(y.shape, 1 / y.shape[1])
    return interior_point(x * y[..., None], np.ones(y.shape), u, 2.0,
                          np.full(x.shape[2], 1e-11), tolerance=1e-7)


def hinge_machines(
    x: Floats, y: Floats, k: ArrayLike, C: ArrayLike, tolerance: float = 1e-10
) -> tuple[Floats, Floats]:
    r"""Weights of a batch of samples, exact zeros where zero is optimal, and $n\sum\alpha$.

    Where k is above the end of zero by a thousandth or less they may be zeros, too.

    Parameters
    ----------
    x : array, shape (size, n, d)
    y : array, shape (size, n)
    k, C : float, or array of shape (m,) or (m, size)
        Several at once are leading axes of what is returned.
    tolerance : float
    """
    size, n, d = x.shape
    both = np.broadcast_arrays(np.asarray(k, float), np.asarray(C, float))
    several = max(1, TOGETHER // (size * n))
    if both[0].ndim and len(both[0]) > several:
        parts = [hinge_machines(x, y, both[0][i:i + several], both[1][i:i + several], tolerance)
                 for i in range(0, len(both[0]), several)]
        return np.concatenate([w for w, _ in parts]), np.concatenate([v for _, v in parts])
    ks, Cs = (v if v.ndim == 2 else v[..., None] for v in both)
    lead = (*ks.shape[:-1], size)
    rows = x * y[..., None]
    found = interior_point(
        rows, np.ones((*lead, n)), np.full((*lead, n), 1 / n), ks / n,
        1 / Cs[..., None] * np.ones(d), tolerance=tolerance)
    weights, w = found.weights, found.coef
    push = np.vecmat(weights, rows)
    dual = weights.sum(axis=-1) - Cs / 2 * (push**2).sum(axis=-1)
    # Zero has the value k/n. What gains next to nothing over it is told from it by the solver,
    # whose gap is relative to the gain.
    ks, Cs = np.broadcast_to(ks, lead), np.broadcast_to(Cs, lead)
    doubtful = dual >= ks / n * (1 - DOUBT)
    some, zero = doubtful.reshape(-1, size).any(axis=0), np.zeros(lead, bool)
    if some.any():
        # Weights that balance the rows, scaled to the tail mass, prove zero the minimiser.
        p, nu = least_hinge(x[some], y[some]).weights, ks[..., some] / n
        mass, off = p.sum(axis=-1), (np.vecmat(p, rows[some])**2).sum(axis=-1)
        zero[..., some] = (nu <= mass) & (
            LARGER * Cs[..., some] / 2 * (nu / mass)**2 * off <= PROVEN * nu)
    w[zero] = 0.0
    for at in zip(*np.nonzero(doubtful & ~zero), strict=True):
        w[at] = _alone(x[at[-1]], y[at[-1]], float(ks[at]) / n, float(Cs[at]))
    return w, n * weights.sum(axis=-1)


def _alone(x: Floats, y: Floats, nu: float, C: float) -> Floats:
    """A machine that gains next to nothing, exactly zero where zero is optimal."""
    with warnings.catch_warnings():
        # Of so small a gain rounding may leave a hundred thousandth.
        warnings.simplefilter("ignore", NotCertified)
        # While losses end above 0 it grows with C, and what it gains.
        larger = fit(x, y, "hinge", k=nu, C=LARGER * C)
        if larger.level > 0.5 or not larger.coef.any():
            return larger.coef / LARGER
        return fit(x, y, "hinge", k=nu, C=C).coef


def maximum_machines(x: Floats, y: Floats, C: float) -> Floats:
    r"""Weights for the maximum loss, k = 1: zero on every sample that is not separable.

    Where the squared hinge loss is least, its slopes $(1-y_iw^\top x_i)_+$ balance the rows,
    $\sum_i(1-y_iw^\top x_i)_+y_ix_i=0$: unless all are 0 they prove that zero is the minimiser,
    and take a few least squares. The other samples are solved.

    Parameters
    ----------
    x : array, shape (size, n, d)
    y : array, shape (size, n)
    C : float
    """
    rows = x * y[..., None]
    active = np.ones(y.shape)
    slopes = active
    for _ in range(15):
        some = rows * active[..., None]
        gram = np.swapaxes(some, -1, -2) @ some
        # Features may be collinear on what is left.
        gram += 1e-12 * np.trace(gram, axis1=-2, axis2=-1)[..., None, None] * np.eye(x.shape[2])
        w = np.linalg.solve(gram, np.vecmat(active, rows)[..., None])
        slopes = np.maximum(1 - (rows @ w)[..., 0], 0)
        before, active = active, (slopes > 0).astype(float)
        if (active == before).all():
            break
    largest = slopes.max(axis=-1)
    off = np.abs(np.vecmat(slopes, rows)).max(axis=-1)
    sizes = np.abs(rows).max(axis=(-1, -2)) * slopes.sum(axis=-1)
    left = ~((largest > 1e-4) & (off <= 1e-9 * sizes))
    w = np.zeros((len(x), x.shape[2]))
    if left.any():
        w[left] = hinge_machines(x[left], y[left], 1, C)[0]
    return w


NEAR_ZERO = 1e-5
"""Scores of whole-numbered rows that exact arithmetic makes 0 come out below it, others above."""
DOUBTFUL = (1e-6, 1e-4)
"""Where one in several hundred samples has scores of which that is not plain."""


def mistakes(x: Floats, y: Floats, w: Floats, near: float = 0.0) -> NDArray[np.bool_]:
    """Where signs are wrong, the sign of 0 being 1, and of what is nearer to it, for a batch."""
    scores = (x @ w[..., None])[..., 0]
    return np.asarray(np.where(scores >= -near, 1.0, -1.0) != y)


def plain(x: Floats, w: Floats) -> NDArray[np.bool_]:
    """Whether floats tell all scores that are 0 from those that are not, for a batch."""
    size = np.abs(x @ w[..., None])[..., 0]
    return np.asarray(~((size > DOUBTFUL[0]) & (size < DOUBTFUL[1])).any(axis=-1))


def wrong(x: Floats, y: Floats, w: Floats, near: float = 0.0) -> Floats:
    """Share of wrong signs, for a batch."""
    return np.asarray(mistakes(x, y, w, near).mean(axis=-1))


def toys(case: Toy, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Several draws of a case."""
    pairs = [toy(case, rng) for _ in range(size)]
    return np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])


def halves(size: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Random halves of Monk 3 to train on, and what is left of each, stacked over splits.

    On what is left a classifier has the expected error of a random quarter, with less noise.
    """
    x, y = monk_3()
    order = rng.permuted(np.tile(np.arange(len(y)), (size, 1)), axis=1)
    for index in np.split(order, 2, axis=1):
        yield x[index], y[index]


def monk_of(generators: Sequence[np.random.Generator]) -> Iterator[tuple[Floats, Floats]]:
    """Halves, then quarters for validation and test: a split of each generator, stacked."""
    x, y = monk_3()
    parts = [split(len(y), rng) for rng in generators]
    for which in range(3):
        index = np.array([part[which] for part in parts])
        yield x[index], y[index]
