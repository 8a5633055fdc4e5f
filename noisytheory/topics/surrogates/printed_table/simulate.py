"""Trials of Table 1 by six counts, and the law of its linear column."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.simulate import (
    ATOMS,
    CLEAN,
    LABELS,
    clean_risk,
    noisy_masses,
)
from noisytheory.topics.surrogates.long_servedio.t_logistic import t_logistic_minimiser
from noisytheory.topics.surrogates.long_servedio.three_points import HINGE, vertices
from noisytheory.vocabulary.domains import LEVEL, NOISE_RATE
from noisytheory.vocabulary.populations.atoms import checked_whole

__all__ = [
    "TRAINING",
    "TRIALS",
    "intermediate_trials",
    "linear_moments",
    "risk_moment",
    "table_trial",
    "trials_above_half",
    "trials_at_ends",
    "trials_between",
]

Floats: TypeAlias = NDArray[np.float64]

COLUMNS = ("hinge", "t-logistic", "linear")
TRIALS, TRAINING = 125, 800
"""Trials in print, and noisy examples to train on."""


def table_trial(
    column: str, sigma: float, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Clean 0-1 risks of minimisers trained on ``n`` noisy examples.

    A trial is six counts: the hinge minimiser is the best of finitely many vertices, the linear
    one the mean, the t-logistic one the best of two runs of Newton's method.

    Parameters
    ----------
    column : {"hinge", "t-logistic", "linear"}
    sigma : float
        Noise rate.
    n : int
        Training examples.
    size : int
        Number of trials.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        Risks, sums of the masses of the points with scores at most 0.

    Examples
    --------
    >>> risks = table_trial("linear", 0.49, 800, size=1000, rng=np.random.default_rng(1))
    >>> round(float(risks.mean()), 2), sorted(set(risks.tolist()))
    (0.38, [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    if column not in COLUMNS:
        raise ValueError(f"column must be one of {', '.join(COLUMNS)}, got {column!r}")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    NOISE_RATE.number("sigma", sigma)
    checked_whole("n", n)
    checked_whole("size", size)
    counts = rng.multinomial(n, noisy_masses(sigma), size=size)
    if column == "hinge":
        corners = np.array(vertices(Fraction(30), HINGE.kinks), float)
        losses = np.maximum(0, 1 - LABELS * (corners @ ATOMS.T))
        omega = corners[np.argmin(counts @ losses.T, axis=1)]
    elif column == "linear":
        omega = (counts * LABELS) @ ATOMS
    else:
        omega = t_logistic_minimiser(counts / n)
    return clean_risk(omega)


def risk_moment(
    column: str, sigma: float, n: int, moment: int, side: int, *, size: int,
    rng: np.random.Generator,
) -> Floats:
    r"""Risks of `table_trial`, or their squares, times 1 or -1."""
    # Plus 0, which is -0 times a side of -1 otherwise.
    return side * table_trial(column, sigma, n, size=size, rng=rng) ** moment + 0.0


def trials_above_half(
    sigma: float, trials: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Minus the number of trials, of so many, whose hinge risk exceeds one half."""
    risks = table_trial("hinge", sigma, TRAINING, size=size * trials, rng=rng)
    return -np.asarray(np.sum(risks.reshape(size, trials) > 0.5, axis=1), float)


def trials_at_ends(sigma: float, trials: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Number of trials, of so many, whose t-logistic risk is 0 or one half."""
    risks = table_trial("t-logistic", sigma, TRAINING, size=size * trials, rng=rng)
    return np.asarray(np.sum(np.isin(risks.reshape(size, trials), (0.0, 0.5)), axis=1), float)


def trials_between(sigma: float, trials: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Number of trials, of so many, whose linear risk is neither 0 nor 1."""
    risks = table_trial("linear", sigma, TRAINING, size=size * trials, rng=rng)
    return np.asarray(np.sum(~np.isin(risks.reshape(size, trials), (0.0, 1.0)), axis=1), float)


def linear_moments(sigma: float, n: int = TRAINING, cut: float = 1e-9) -> dict[str, float]:
    r"""The law of the linear column, summed exactly but for outcomes of mass below ``cut``.

    With $d_i$ the label sums at the points, $p=d_2+d_3$ and $q=d_2-d_3$ are independent given the
    count of the first point, and every point is lost exactly when $q$ reaches a threshold.

    Parameters
    ----------
    sigma : float
        Noise rate, any below one half.
    n : int
        Training examples.
    cut : float
        Mass that may be left out, at either end of each of three counts.

    Returns
    -------
    dict
        ``mean``, ``sd``, ``zero`` and ``one``: the mean, standard deviation, Pr[risk = 0] and
        Pr[risk = 1].

    Examples
    --------
    >>> law = linear_moments(0.49)
    >>> round(law["mean"], 5), round(law["zero"], 5)
    (0.38059, 0.55488)
    """
    from scipy.stats import binom

    NOISE_RATE.number("sigma", sigma)
    checked_whole("n", n)
    LEVEL.number("cut", cut)
    totals = dict.fromkeys(("first", "second", "zero", "one", "mass"), 0.0)
    for first in _likely(n, 0.5, cut):
        rest = n - first
        d1 = 2 * _likely(int(first), 1 - sigma, cut) - first
        p = 2 * _likely(int(rest), 1 - sigma, cut) - rest
        weight = binom.pmf(first, n, 0.5) * np.outer(
            binom.pmf((d1 + first) // 2, first, 1 - sigma),
            binom.pmf((p + rest) // 2, rest, 1 - sigma),
        )
        own, other = d1[:, None], p[None, :]
        limits = [
            (4 * own + 28 * other) / 32, (20 * other - 2 * own) / 10,
            (2 * own + 31 * other) / 29,
        ]
        # Pr[q >= limit], q = 2 k - rest: a table of the survival function, by k.
        tail = binom.sf(np.arange(-1, rest + 1), rest, 0.5)
        reach = [
            np.clip(np.ceil((limit + rest) / 2), 0, rest + 1).astype(int) for limit in limits
        ]
        totals["mass"] += float(weight.sum())
        totals["zero"] += float(np.sum(weight * (1 - tail[np.minimum.reduce(reach)])))
        totals["one"] += float(np.sum(weight * tail[np.maximum.reduce(reach)]))
        for i, a in enumerate(CLEAN):
            totals["first"] += float(a * np.sum(weight * tail[reach[i]]))
            for j, b in enumerate(CLEAN):
                both = np.maximum(reach[i], reach[j])
                totals["second"] += float(a * b * np.sum(weight * tail[both]))
    mean = totals["first"] / totals["mass"]
    return {
        "mean": mean,
        "sd": float(np.sqrt(totals["second"] / totals["mass"] - mean**2)),
        "zero": totals["zero"] / totals["mass"],
        "one": totals["one"] / totals["mass"],
    }


def _likely(n: int, probability: float, cut: float) -> NDArray[np.int64]:
    from scipy.stats import binom

    return np.arange(int(binom.ppf(cut, n, probability)), int(binom.isf(cut, n, probability)) + 1)


def intermediate_trials(sigma: float, trials: int) -> tuple[Floats, Floats]:
    """The law of the number of trials, of so many, whose linear risk is neither 0 nor 1."""
    from scipy.stats import binom

    law = linear_moments(sigma)
    counts = np.arange(trials + 1)
    return counts.astype(float), binom.pmf(counts, trials, 1 - law["zero"] - law["one"])
