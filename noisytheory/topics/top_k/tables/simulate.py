"""Cells of the tables on drawn data and splits: exact minimisers, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.batches import (
    NEAR_ZERO,
    halves,
    hinge_machines,
    maximum_machines,
    mistakes,
    wrong,
)
from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.recipes import sinc

Floats = NDArray[np.float64]


def maximum_error(*, size: int, rng: np.random.Generator) -> Floats:
    """Test error of the exact maximum loss classifier on Monk 3, hinge loss."""
    (x, y), (tx, ty) = halves(size, rng)
    return wrong(tx, ty, maximum_machines(x, y, 1e3), NEAR_ZERO)


def maximum_g_mean(*, size: int, rng: np.random.Generator) -> Floats:
    """Its G-mean: the root of the product of the shares that are right in each class."""
    (x, y), (tx, ty) = halves(size, rng)
    right = ~mistakes(tx, ty, maximum_machines(x, y, 1e3), NEAR_ZERO)
    first, second = ((right & (ty == label)).sum(axis=1) / (ty == label).sum(axis=1)
                     for label in (-1.0, 1.0))
    return np.asarray(np.sqrt(first * second))


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
    machines = hinge_machines(x, y, *np.array(pairs).T)[0]
    bad = mistakes(rest, labels, machines, NEAR_ZERO).astype(float)
    validates = rng.permuted(np.broadcast_to(np.arange(n) % 2.0, (size, PARTS, n)), axis=-1)
    here = np.swapaxes(np.swapaxes(bad, 0, 1) @ np.swapaxes(validates, 1, 2), 0, 1)
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


def rule_spread(n: int, mistakes: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Standard deviation over ten random quarters of the error of a rule that errs so often."""
    m = quarter(n)
    errors = rng.hypergeometric(mistakes, n - mistakes, m, size=(size, 10)) / m
    return np.asarray(errors.std(axis=1, ddof=1))


def quarter(n: int) -> int:
    """Examples that are left to test on."""
    return n - n // 2 - n // 4


def _draws_of_sinc(centres: str, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Features and targets, shapes (size, 1000, 11) and (size, 1000).

    Examples are independent of each other: the first half trains, the last quarter tests.
    """
    return sinc((size, 1000), rng, centres)


HALF, TEST = slice(0, 500), slice(750, 1000)


def _least_squares(x: Floats, y: Floats, ridge: float) -> Floats:
    r"""Minimisers of the mean square plus half the ridge times $\|w\|^2$, by normal equations."""
    n, d = x.shape[1:]
    gram = np.swapaxes(x, 1, 2) @ x + n * ridge / 2 * np.eye(d)
    return np.asarray(np.linalg.solve(gram, np.vecmat(y, x)[..., None])[..., 0])


def _errors(x: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats]:
    """MAE and RMSE on test data."""
    r = y[:, TEST] - np.matvec(x[:, TEST], w)
    return np.asarray(np.abs(r).mean(axis=1)), np.asarray(np.sqrt((r**2).mean(axis=1)))


def sinc_average(centres: str, *, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """MAE and RMSE of the average square loss, C = 10,000."""
    x, y = _draws_of_sinc(centres, size, rng)
    return _errors(x, y, _least_squares(x[:, HALF], y[:, HALF], 1e-4))


def sinc_ratio(centres: str, *, size: int, rng: np.random.Generator) -> Floats:
    """The one over the other."""
    mae, rmse = sinc_average(centres, size=size, rng=rng)
    return mae / rmse


def sinc_average_mae(centres: str, *, size: int, rng: np.random.Generator) -> Floats:
    """The MAE of the average square loss."""
    return sinc_average(centres, size=size, rng=rng)[0]


def sinc_maximum(centres: str, of: str, *, size: int, rng: np.random.Generator) -> Floats:
    """MAE, or RMSE, of the exact minimax fit, C = 10^6."""
    x, y = _draws_of_sinc(centres, size, rng)
    mae, rmse = _errors(x, y, _minimax(x[:, HALF], y[:, HALF]))
    return {"MAE": mae, "RMSE": rmse}[of]


FORGETFUL = 8
"""Exchanges that keep few examples, which may go round in circles; later ones keep all."""


def _minimax(x: Floats, y: Floats) -> Floats:
    """By exchange: on few examples, and on those of largest residual until none is larger."""
    size, n, d = x.shape
    w, index = _least_squares(x, y, 1e-6), np.empty((size, 0), np.intp)
    exchanges = 0
    while True:
        r = np.abs(y - np.matvec(x, w))
        more = np.argpartition(r, -4 * d, axis=1)[:, -4 * d:]
        index = np.concatenate([index, more], axis=1)
        some = np.take_along_axis(x, index[..., None], axis=1)
        target = np.take_along_axis(y, index, axis=1)
        found = interior_point(
            np.concatenate([some, -some], axis=1), np.concatenate([target, -target], axis=1),
            np.full((size, 2 * index.shape[1]), 1 / n), 1 / n, np.full(d, 1e-6),
            tolerance=1e-7)
        w, carried = found.coef, found.weights.reshape(size, 2, -1).sum(axis=1)
        here = np.abs(target - np.matvec(some, w)).max(axis=1)
        if (np.abs(y - np.matvec(x, w)).max(axis=1) <= here * (1 + 1e-4)).all():
            return w
        exchanges += 1
        if exchanges > FORGETFUL:
            continue
        # No more than d + 1 examples carry a minimax fit.
        support = np.argpartition(carried, -2 * d, axis=1)[:, -2 * d:]
        index = np.take_along_axis(index, support, axis=1)
