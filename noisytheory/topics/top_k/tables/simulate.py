"""Cells of the tables on drawn data and splits: exact minimisers, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.batches import halves, hinge_machines, mistakes, wrong
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.recipes import sinc, split, titanic

Floats = NDArray[np.float64]


def maximum_error(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the exact maximum loss classifier on Monk 3, hinge loss."""
    (x, y), (tx, ty) = halves(size, rng)
    return wrong(tx, ty, hinge_machines(x, y, 1, 1e3)[0])


CS = (1e-1, 1.0, 10.0, 100.0)
"""Values of C tried."""
PARTS = 32
"""Random divisions of a half into validation and test, over which errors are averaged."""


def chosen(ks: tuple[int, ...], *, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Test errors on Monk 3 of the average loss whose C validation chose, and of the choice of all.

    All are those and k at C = 100: below the average's threshold the classifier does not depend
    on C. Ties go to the average, then to the smaller C.
    """
    (x, y), (rest, labels) = halves(size, rng)
    n = y.shape[1]
    pairs = [(n, C) for C in CS] + [(k, CS[-1]) for k in ks]
    bad = mistakes(rest, labels, hinge_machines(x, y, *np.array(pairs).T)[0]).astype(float)
    validates = rng.permuted(np.broadcast_to(np.arange(n) % 2, (size, PARTS, n)), axis=-1)
    here = np.einsum("msi,spi->msp", bad, validates)
    test = (bad.sum(axis=-1, keepdims=True) - here) / (n - n // 2)
    average, best = (np.take_along_axis(test, here[:some].argmin(axis=0)[None], axis=0)[0]
                     for some in (len(CS), len(pairs)))
    return average.mean(axis=-1), best.mean(axis=-1)


def average_error(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the C-SVM that validation chose on Monk 3."""
    return chosen((), size=size, rng=rng)[0]


def gain(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the chosen average loss minus that of the chosen (C, k), hinge loss."""
    average, best = chosen((95, 110), size=size, rng=rng)
    return average - best


def sex_rule_spread(*, size: int, rng: np.random.Generator) -> Floats:
    """Standard deviation over ten random quarters of the error of one fixed rule on Titanic."""
    x, y = titanic()
    mistakes = int(((x[:, 1] < 0) != (y > 0)).sum())
    m = len(y) - len(y) // 2 - len(y) // 4
    errors = rng.hypergeometric(mistakes, len(y) - mistakes, m, size=(size, 10)) / m
    return np.asarray(errors.std(axis=1, ddof=1))


def sinc_ratio(centres: str, *, size: int, rng: np.random.Generator) -> Floats:
    """MAE over RMSE on test data, average square loss."""
    out = np.empty(size)
    for i in range(size):
        x, y = sinc(1000, rng, centres)
        train, _, test = split(1000, rng)
        w = fit(x[train], y[train], "square", k=1.0, C=1e4, tol=1e-8).coef
        r = y[test] - x[test] @ w
        out[i] = np.abs(r).mean() / np.sqrt((r**2).mean())
    return out


def sinc_maximum(centres: str, *, size: int, rng: np.random.Generator) -> Floats:
    """RMSE on test data of the exact minimax fit."""
    pairs = [sinc(1000, rng, centres) for _ in range(size)]
    x, y = (np.array(part) for part in zip(*pairs, strict=True))
    # Examples are independent of each other: the first half trains, the last quarter tests.
    half, test = slice(0, 500), slice(750, 1000)
    found = interior_point(
        Design(x[:, half], None, True), np.concatenate([y[:, half], -y[:, half]], axis=1),
        np.full((size, 1000), 1 / 500), 1 / 500, np.full(x.shape[2], 1e-6), tolerance=1e-5)
    r = y[:, test] - (x[:, test] * found.coef[:, None, :]).sum(axis=2)
    return np.asarray(np.sqrt((r**2).mean(axis=1)))
