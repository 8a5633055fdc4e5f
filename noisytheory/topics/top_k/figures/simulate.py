"""Figures 1, 3 and 4 on drawn data and splits: exact minimisers, many at once."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.batches import (
    NEAR_ZERO,
    halves,
    hinge_machines,
    least_hinge,
    maximum_machines,
    monk_of,
    plain,
    toys,
    wrong,
)
from noisytheory.topics.top_k.machine import exact_machine
from noisytheory.topics.top_k.minimise import NotCertified, fit
from noisytheory.topics.top_k.recipes import Toy
from noisytheory.trial.claim import Certificate

Floats = NDArray[np.float64]


def _machines(loss: str, x: Floats, y: Floats, ks: Sequence[int], C: float) -> Floats:
    """Exact minimisers on each sample, of several k, shape (k, size, d)."""
    if loss == "hinge":
        return hinge_machines(x, y, ks, C)[0]
    with warnings.catch_warnings():
        # Next to where zero ends rounding may leave some per cent of what is gained.
        warnings.simplefilter("ignore", NotCertified)
        return np.array([
            [fit(*one, loss, k=k, C=C, tol=1e-4).coef for one in zip(x, y, strict=True)]
            for k in ks])


def _maximum(loss: str, x: Floats, y: Floats, C: float) -> Floats:
    """Of the maximum loss: zero for all margin losses if for one."""
    w = maximum_machines(x, y, C)
    some = w.any(axis=1)
    if loss != "hinge" and some.any():
        w[some] = _machines(loss, x[some], y[some], [1], C)[0]
    return w


def effect(case: Toy, loss: str, k: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""1 where training errors of maximum, $AT_k$ and average are not ordered as in Figure 4.

    Case 1: none errs. Cases 2, 4, 6: AT_k errs less than the maximum. Cases 4, 5, 6: it errs less
    than the average; case 3: not more.
    """
    x, y = toys(case, size, rng)
    n = y.shape[1]
    # The maximum loss is zero at most where there is an outlier, and at none where there is none.
    ks = {1: [k, 1, n], 2: [k]}.get(case.case, [k, n])
    here, *there = wrong(x, y, _machines(loss, x, y, ks, case.C))
    if case.outlier is not None:
        there.append(wrong(x, y, _maximum(loss, x, y, case.C)))
    if case.case == 1:
        good = (here == 0) & (np.max(there, axis=0) == 0)
    elif case.case == 3:
        good = (here <= there[0]) & (there[0] > 0)
    else:
        good = here < np.min(there, axis=0)
    return np.asarray(~good, float)


def with_outlier(case: Toy, loss: str, k: int, *, size: int, rng: np.random.Generator) -> Floats:
    """`effect` with one negative among the positives: a twin."""
    return effect(dataclasses.replace(case, outlier=(2.0, -1.5)), loss, k, size=size, rng=rng)


KS = (*range(2, 30, 4), *range(30, 60, 5), 60, 80, 120, 160, 200)
"""Of which the largest k of fewest errors is taken."""
CS = (20.0, 40.0, 160.0)
"""Of which one is to do, for both losses."""


def longer_range(case: Toy, below: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Whether at some C the hinge's k of fewest errors end later than those of the logistic loss.

    They must end below a k: then the average loss errs more. With the hinge a machine has no C up
    to $\bar k(C)$, the mass of the weights at k = n, which falls with C; from there on it is that
    of the average.
    """
    x, y = toys(case, size, rng)
    n, ks = y.shape[1], np.array(KS)
    free = wrong(x, y, hinge_machines(x, y, KS, CS[0])[0])
    averages, bars = hinge_machines(x, y, [n] * len(CS), CS)
    found = np.zeros(size)
    for C, average, bar in zip(CS, wrong(x, y, averages), bars, strict=True):
        errors = np.where(ks[:, None] < bar, free, average)
        last = len(ks) - 1 - errors[::-1].argmin(axis=0)
        for i in np.flatnonzero((found == 0) & (ks[last] < below)):
            w = fit(x[i], y[i], "logistic", k=KS[last[i]], C=C, tol=1e-4).coef
            found[i] = wrong(x[i], y[i], w) > errors[last[i], i]
    return found


def sacrificed(case: Toy, C: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether the average loss errs on its training data."""
    x, y = toys(case, size, rng)
    return (wrong(x, y, hinge_machines(x, y, y.shape[1], C)[0]) > 0).astype(float)


def collapsed_share(points: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Minus the share of a log-spaced grid of k whose minimiser is 0, on halves of Monk 3."""
    (x, y), _ = halves(size, rng)
    margins = y * (x * least_hinge(x, y).coef[:, None, :]).sum(axis=2)
    least = np.maximum(1 - margins, 0).sum(axis=1)
    grid = np.unique(np.round(np.geomspace(1, y.shape[1], points)))
    return np.asarray(-(grid <= least[:, None]).mean(axis=1))


def left_end(k: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Test error at k minus that at k = 1, C = 100."""
    (x, y), (tx, ty) = halves(size, rng)
    first = wrong(tx, ty, maximum_machines(x, y, 100.0), NEAR_ZERO)
    return wrong(tx, ty, hinge_machines(x, y, k, 100.0)[0], NEAR_ZERO) - first


def right_end(k: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Test error at k minus that at k = n, C = 100."""
    (x, y), (tx, ty) = halves(size, rng)
    machines = hinge_machines(x, y, [y.shape[1], k], 100.0)[0]
    last, middle = wrong(tx, ty, machines, NEAR_ZERO)
    return np.asarray(middle - last)


def plateau(
    beyond: int, below: int, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    r"""Wrong test examples at $k=\lceil\bar k(C)\rceil$ and so many more, and at n; C = 100.

    As many fewer as ``below`` says.
    """
    seeds = rng.integers(2**31, size=size)
    (x, y), _, (tx, ty) = monk_of([np.random.default_rng(seed) for seed in seeds])
    n = y.shape[1]
    w, bar = hinge_machines(x, y, n, 100.0, 1e-12)
    k = np.minimum(np.ceil(bar - 1e-6) + beyond - below, n)
    other, _ = hinge_machines(x, y, k[None], 100.0, 1e-12)
    both = np.stack([w, other[0]])
    last, here = np.round(ty.shape[1] * wrong(tx, ty, both, NEAR_ZERO))
    return dict(lhs=here, rhs=last, applies=plain(tx, both).all(axis=0), seed=seeds)


def plateau_certificate(beyond: int, seed: int, below: int) -> Certificate:
    """Both machines in fractions, and the signs of their scores."""
    (x, y), _, (tx, ty) = (
        (codes[0].astype(int).astype(object), labels[0].astype(int).astype(object))
        for codes, labels in monk_of([np.random.default_rng(seed)]))
    n = len(y)
    u = [Fraction(1, n)] * n

    def machine(k: int) -> tuple[int, Fraction]:
        w, _, alpha = exact_machine(x * y[:, None], [1] * n, u, Fraction(k, n), Fraction(100))
        bad = sum((t @ w >= 0) != (label > 0) for t, label in zip(tx, ty, strict=True))
        return int(bad), n * sum(alpha, Fraction(0))

    last, bar = machine(n)
    k = min(math.ceil(bar) + beyond - below, n)
    return Certificate(machine(k)[0], last, [("k bar", bar), ("k", k)])
