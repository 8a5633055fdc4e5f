"""Trials of Table 1 by six counts, and what is counted of 125 of them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.simulate import (
    ATOMS,
    LABELS,
    clean_risk,
    noisy_masses,
)
from noisytheory.topics.surrogates.long_servedio.t_logistic import t_logistic_minimiser
from noisytheory.topics.surrogates.long_servedio.three_points import HINGE, margins, vertices
from noisytheory.topics.surrogates.printed_table.laws import RISKS, table_law
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.domains import NOISE_RATE
from noisytheory.vocabulary.populations.atoms import checked_whole
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = [
    "TRAINING",
    "TRIALS",
    "intermediate_trials",
    "moment_law",
    "risk_moment",
    "risks_of_counts",
    "table_trial",
    "trials_above_half",
    "trials_at_ends",
    "trials_between",
    "worse_trials",
]

Floats: TypeAlias = NDArray[np.float64]

COLUMNS = ("hinge", "t-logistic", "linear")
TRIALS, TRAINING = 125, 800
"""Trials in print, and noisy examples to train on."""


def table_trial(
    column: str, sigma: float, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Clean 0-1 risks of minimisers trained on ``n`` noisy examples.

    A trial is six counts: the hinge minimiser is the best of finitely many vertices (of several
    equally good ones the one with the least first coordinate), the linear one the mean, the
    t-logistic one the best of two runs of Newton's method. `table_law` has laws of the risks.

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
    return risks_of_counts(column, rng.multinomial(n, noisy_masses(sigma), size=size))


def risks_of_counts(column: str, counts: NDArray[np.int64]) -> Floats:
    """Clean 0-1 risks of the minimisers on samples with these six counts, a sample a row."""
    if column == "hinge":
        corners, losses = _corners()
        omega = corners[np.argmin(counts @ losses.T, axis=1)]
    elif column == "linear":
        omega = (counts * LABELS) @ ATOMS
    else:
        omega = t_logistic_minimiser(counts / counts.sum(axis=1, keepdims=True))
    return clean_risk(omega)


@cache
def _corners() -> tuple[Floats, NDArray[np.int64]]:
    """Vertices, and hinge losses there as whole numbers: sums of which tie where they are equal."""
    found = vertices(Fraction(30), HINGE.kinks)
    whole = math.lcm(*(x.denominator for vertex in found for x in vertex))
    losses = [
        [int(max(Fraction(0), 1 - label * score) * whole) for score in margins(Fraction(30), vertex)
         for label in (1, -1)] for vertex in found
    ]
    return np.array(found, float), np.array(losses)


def risk_moment(
    column: str, sigma: float, n: int, moment: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Risks of `table_trial`, or their squares."""
    return table_trial(column, sigma, n, size=size, rng=rng) ** moment


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


def intermediate_trials(sigma: float, trials: int) -> tuple[Floats, Floats]:
    """The law of the number of trials, of so many, whose linear risk is neither 0 nor 1."""
    return _how_many(trials, float(table_law("linear", sigma, TRAINING)[1:4].sum()))


def worse_trials(sigma: float, trials: int) -> tuple[Floats, Floats]:
    """The law of minus the number of trials, of so many, whose hinge risk exceeds one half."""
    counts, law = _how_many(trials, float(table_law("hinge", sigma, TRAINING)[3:].sum()))
    return 0.0 - counts, law


def _how_many(trials: int, share: float) -> tuple[Floats, Floats]:
    return np.arange(1.0 + trials), binomial_law(trials, share)


def moment_law(column: str, sigma: float, n: int, moment: int) -> Law:
    """Law of a risk of `table_trial`, or of its square."""
    return Law(RISKS**moment, table_law(column, sigma, n), error=1e-8)
