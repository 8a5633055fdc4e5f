"""Mean and deviation of a trial of Table 1: from its law, or by quadrature where it has none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.simulate import CLEAN, noisy_masses
from noisytheory.topics.surrogates.printed_table.laws import RISKS, summable, table_law
from noisytheory.topics.surrogates.printed_table.simulate import COLUMNS, risks_of_counts
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.domains import LEVEL, NOISE_RATE
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations.atoms import checked_whole

__all__ = ["moments_apart", "table_moments"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

NETS, DRAWS = 8, 2**18
"""Nets whose spread tells the error, and samples in all where none are asked for."""


def table_moments(
    column: str, sigma: float, n: int = 800, cut: float = 1e-10, *, draws: int | None = None,
    rng: np.random.Generator | None = None,
) -> dict[str, float]:
    r"""Mean and standard deviation of the 0-1 risk of a trial of Table 1.

    From its exact law where `table_law` has one. The t-logistic loss of more than 26 examples has
    none that we could sum, as there are $2.8\cdot10^{12}$ samples of 800 and the loss is not
    convex: its moments are an integral over the five counts of a sample, by eight nets of scrambled
    Sobol points, each a set of samples; their spread tells the error. A quarter of a million
    samples, some two seconds, leave 0.0002 or less at the rates of the table, about half of what as
    many independent trials leave, and two million leave 0.00005.

    Parameters
    ----------
    column, sigma, n, cut
        As in `table_law`.
    draws : int, optional
        How many samples to take in place of the law; rounded up to eight equal powers of two.
    rng : numpy.random.Generator, optional
        Scrambles the nets, where ``draws`` are given; the same scrambling every time without.

    Returns
    -------
    dict
        ``mean``, ``sd``, ``missing``: the mass that the law leaves out, and that both leave out;
        ``mean_error`` and ``sd_error``: standard errors of the nets, 0 from the law.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> found = table_moments("hinge", 0.1)
    >>> round(found["mean"], 4), round(found["sd"], 4), found["missing"] < 1e-8
    (0.4511, 0.1485, True)
    >>> found = table_moments("t-logistic", 0.3, draws=2**14, rng=np.random.default_rng(0))
    >>> round(found["mean"], 2), round(found["sd"], 2), found["mean_error"] < 0.001
    (0.38, 0.21, True)
    """
    LEVEL.number("cut", cut)
    if draws is None and rng is not None:
        raise ValueError("draws must be given with rng, got None")
    if draws is not None and rng is None:
        raise ValueError("rng must be given with draws, got None")
    if draws is None and summable(column, n):
        law = table_law(column, sigma, n, cut)[None]
    elif draws is None or rng is None:
        law = _by_nets(column, sigma, n, DRAWS, np.random.default_rng(0))
    else:
        law = _by_nets(column, sigma, n, draws, rng)
    mean, sd = _moments(law.mean(axis=0))
    each = np.array([_moments(one) for one in law])
    errors = each.std(axis=0, ddof=1) / math.sqrt(NETS) if len(law) > 1 else np.zeros(2)
    return {
        "mean": mean, "sd": sd, "missing": max(1 - float(law.mean(axis=0).sum()), 0.0),
        "mean_error": float(errors[0]), "sd_error": float(errors[1]),
    }


def _moments(law: Floats) -> tuple[float, float]:
    mass = float(law.sum())
    mean = float(law @ RISKS) / mass
    return mean, math.sqrt(float(law @ (RISKS - mean) ** 2) / mass)


def _by_nets(
    column: str, sigma: float, n: int, draws: int, rng: np.random.Generator
) -> Floats:
    """Shares of each risk, a net a row."""
    from scipy.stats import qmc

    if column not in COLUMNS:
        raise ValueError(f"column must be one of {', '.join(COLUMNS)}, got {column!r}")
    NOISE_RATE.number("sigma", sigma)
    checked_whole("n", n)
    checked_whole("draws", draws)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    power = max(0, math.ceil(math.log2(draws / NETS)))
    found = []
    for _ in range(NETS):
        net = qmc.Sobol(5, rng=rng).random_base2(power)
        risks = risks_of_counts(column, _counts(net, n, sigma))
        found.append(np.bincount((4 * risks).astype(int), minlength=5) / len(net))
    return np.array(found)


def _counts(net: Floats, n: int, sigma: float) -> Ints:
    """Six counts of a sample of n: examples of the first point, of the second, then labels."""
    first = _quantile(net[:, 0], np.full(len(net), n), CLEAN[0])
    second = _quantile(net[:, 1], n - first, CLEAN[1] / (1 - CLEAN[0]))
    counts = np.empty((len(net), 6), np.int64)
    for point, here in enumerate((first, second, n - first - second)):
        counts[:, 2 * point + 1] = _quantile(net[:, 2 + point], here, sigma)
        counts[:, 2 * point] = here - counts[:, 2 * point + 1]
    return counts


def _quantile(level: Floats, many: Ints, probability: float) -> Ints:
    """Quantiles of binomial laws, a law a row; few laws differ."""
    from scipy.stats import binom

    found = np.empty(len(level), np.int64)
    order = np.argsort(many, kind="stable")
    sizes, starts = np.unique(many[order], return_index=True)
    for size, rows in zip(sizes.tolist(), np.split(order, starts[1:]), strict=True):
        below = binom.cdf(np.arange(size), size, probability)
        found[rows] = np.searchsorted(below, level[rows])
    return found


FEW = 6


def moments_apart(column: str, power: int) -> Iterator[Certificate]:
    """Whether `table_moments` is off sums over all samples of six, by rates.

    Parameters
    ----------
    column : {"linear", "t-logistic"}
    power : int
        Of the deviations from the mean, 2.
    """
    counts = compositions(FEW, 6)
    risks = risks_of_counts(column, counts)
    ways = np.array([math.factorial(FEW) // math.prod(map(math.factorial, row))
                     for row in counts.tolist()])
    for sigma in (0.05, 0.3, 0.45):
        chances = ways * np.prod(noisy_masses(sigma) ** counts, axis=1)
        mean = float(chances @ risks)
        sd = float(chances @ np.abs(risks - mean) ** power) ** 0.5
        told = table_moments(column, sigma, FEW)
        for name, value in (("mean", mean), ("sd", sd)):
            yield Certificate(
                int(abs(told[name] - value) > 1e-8), 0,
                [("rate, moment", f"{sigma}, {name}"), ("told", told[name]), ("summed", value)],
            )
