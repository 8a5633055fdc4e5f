"""Cells of the tables on drawn data and splits: exact minimisers, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.batches import hinge_machines, monk, wrong
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.recipes import sinc, split, titanic

Floats = NDArray[np.float64]


def maximum_error(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the exact maximum loss classifier on Monk 3, hinge loss."""
    (x, y), _, (tx, ty) = monk(size, rng)
    return wrong(tx, ty, hinge_machines(x, y, 1, 1e3)[0])


CS = (1e-1, 1.0, 10.0, 100.0)
"""Values of C tried."""


def chosen(ks: str, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Errors of the model that validation chose on Monk 3: all k, or the average alone."""
    (x, y), (vx, vy), (tx, ty) = monk(size, rng)
    n = y.shape[1]
    best = np.full(size, np.inf)
    test = np.zeros(size)
    average = np.full(size, np.inf), np.zeros(size)
    grid = (n,) if ks == "average" else (n, 140, 105)
    # Below the average's threshold the classifier does not depend on C.
    pairs = [(k, C) for C in CS for k in grid if k == n or C == 100.0]
    machines = hinge_machines(x, y, *np.array(pairs).T)[0]
    for (k, _), w in zip(pairs, machines, strict=True):
        validation, here = wrong(vx, vy, w), wrong(tx, ty, w)
        better = validation < best
        best, test = np.where(better, validation, best), np.where(better, here, test)
        if k == n:
            better = validation < average[0]
            average = (np.where(better, validation, average[0]),
                       np.where(better, here, average[1]))
    return dict(validation=best, test=test, average_validation=average[0], average_test=average[1])


def average_error(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the C-SVM that validation chose on Monk 3."""
    return chosen("average", size=size, rng=rng)["test"]


def gain(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the chosen average loss minus that of the chosen (C, k), hinge loss."""
    found = chosen("all", size=size, rng=rng)
    return np.asarray(found["average_test"] - found["test"])


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
