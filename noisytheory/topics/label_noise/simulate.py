"""The situations that the results on label noise and contamination speak of.

Trials over every instance draw populations of a few points in whole numbers (`instances`), so both
sides are exact before the one division at the end. With ``size=None`` and ``rng=None`` they return
every instance of an exhaustive family. `simulate_exact` computes one instance again in fractions.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.topics.label_noise.instances import (
    LABELS,
    SCORE_STEPS,
    EveryPair,
    Instances,
    OnePair,
    RandomPairs,
)
from noisytheory.vocabulary.populations import Finite

__all__ = [
    "CLASS_SIZE",
    "argmin_sets",
    "contaminated_distance",
    "contaminated_mean",
    "contaminated_risk",
    "contaminated_risk_two_sided",
    "corrupted_risk",
    "lost_mass",
    "margin_for_error",
    "margin_gap",
    "noise_immunity",
    "noisy_deviation",
    "noisy_deviation_law",
    "noisy_linear_risk",
    "noisy_score",
    "perturbed_risk",
    "perturbed_risk_within_margin",
    "population_distance",
    "surrogate_regret",
    "two_point_error",
    "weakest_mass",
]

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Drawn: TypeAlias = dict[str, NDArray[Any]]
Pairs: TypeAlias = RandomPairs | EveryPair | OnePair
Zero: TypeAlias = Literal["both", "half"]
Inequality: TypeAlias = Literal["closed", "open", "mixed"]
Size: TypeAlias = int | None
Rng: TypeAlias = np.random.Generator | None

CLASS_SIZE = 6
"""Functions in a random finite class."""


# The mean of a noisy sample.


def noisy_deviation(
    population: Finite, n: int, sigma: float, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""$\|\Phi(P)-\frac1{1-2\sigma}\Phi(S)\|$ for independent samples $S\sim P_\sigma^n$.

    Examples are drawn from $P$ and their labels flipped one by one; only counts are kept.

    Parameters
    ----------
    population : Finite
        $P$.
    n : int
        Sample size.
    sigma : float
        Probability that a label is flipped, in [0, 1/2).
    size : int
        Number of samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        RKHS norms.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> drawn = noisy_deviation(axis(1), 4, 0.25, size=100, rng=np.random.default_rng(1))
    >>> np.unique(drawn).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    counts = population.counts(n, size=size, rng=rng)
    kept = counts - 2 * rng.binomial(counts, sigma)
    weights = population.weights - kept / (n * (1 - 2 * sigma))
    squares = np.einsum("rj,rj->r", weights @ population.gram, weights)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def noisy_deviation_law(
    population: Finite, n: int, sigma: float
) -> tuple[Floats, Floats] | None:
    r"""The law of what `noisy_deviation` draws, by enumeration of samples from $P_\sigma$.

    Parameters
    ----------
    population : Finite
        $P$.
    n : int
        Sample size.
    sigma : float
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    values, probabilities : arrays, or None
        None where there are too many outcomes to list.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> values, probabilities = noisy_deviation_law(axis(1), 2, 0.25)
    >>> values.tolist(), probabilities.round(12).tolist()
    ([1.0, 3.0], [0.9375, 0.0625])
    """
    law = population.with_label_noise(_fraction(sigma)).exact_norm_law(n)
    return None if law is None else (law[0] / (1 - 2 * sigma), law[1])


def two_point_error(n: int, sigma: float) -> tuple[float, float]:
    r"""Smallest probability of a large error that any estimator of $\Phi(P)$ can promise.

    Two populations on one axis have means $\pm m$ with $m=\frac1{2\sqrt n(1-2\sigma)}$, and the
    error counts where it reaches $m$. No estimate is within $m$ of both means, and either mean
    itself is at distance $2m$ of the other, so the best estimator is the best test of one sign
    rate of $n$ noisy labels against the other.

    Parameters
    ----------
    n : int
        Sample size.
    sigma : float
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    probability, error : float
        $\frac12(1-\mathrm{TV})$ of the two binomial laws, and a bound on its rounding.

    Raises
    ------
    ValueError
        If ``n`` is so small that the means would exceed 1.

    Examples
    --------
    >>> probability, error = two_point_error(1, 0.0)
    >>> round(probability, 12)
    0.25
    """
    mean = 1 / (2 * np.sqrt(n) * (1 - 2 * sigma))
    if mean > 1:
        raise ValueError(f"n must be at least 1/(4 (1 - 2 sigma)^2), got {n}")
    positive = (1 - sigma) * (1 + mean) / 2 + sigma * (1 - mean) / 2
    k = np.arange(n + 1)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    first = np.exp(ways + special.xlogy(k, positive) + special.xlogy(n - k, 1 - positive))
    variation = np.abs(first - first[::-1]).sum() / 2
    return float((1 - variation) / 2), 1e-10


# Identities of the mean under label noise.


def noisy_score(
    population: Pairs | Finite, sigma: float, *, size: Size, rng: Rng
) -> Drawn:
    r"""Scores of one point under $\Phi(P_\sigma)$, and under $\Phi(P)$.

    On an instance the noisy score sums coordinates of $(1-\sigma)P+\sigma P'$, with $P'$ the
    flipped population, and the clean one expands kernels with the conditional probabilities of the
    labels. On a finite population the noisy score is that of its doubled atoms, at random atoms.

    Parameters
    ----------
    population : Finite, RandomPairs, EveryPair or OnePair
        What to score; instances need coordinates.
    sigma : float
        Probability that a label is flipped.
    size : int or None
        Number of instances or atoms; None for all.
    rng : numpy.random.Generator or None
        Source of randomness.

    Returns
    -------
    dict
        ``lhs`` and ``score``, shape (size,), and the instances, or the atoms ``at``.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> scores = noisy_score(axis(1), 0.25, size=None, rng=None)
    >>> scores["lhs"].tolist()[:1], scores["score"].tolist()[:1]
    ([0.5], [1.0])
    """
    if isinstance(population, Finite):
        noisy = population.with_label_noise(_fraction(sigma))
        at = np.arange(population.atoms)
        if size is not None:
            at = _generator(rng).integers(population.atoms, size=size)
        # Scores of the noisy mean at the clean atoms, whatever the order of the noisy ones.
        first = np.unique(noisy.instances, return_index=True)[1]
        same = first[np.searchsorted(noisy.instances[first], population.instances)]
        return {"lhs": noisy.scores[same][at], "score": population.scores[at], "at": at}
    drawn = population.instances(size, rng)
    mixture, of = _noisy(drawn.masses, sigma)
    noisy_mean = np.einsum("nj,njd->nd", _signed(mixture), drawn.points)
    scores = np.einsum("nd,nd->n", noisy_mean, drawn.points[:, 0])
    present = drawn.masses.sum(axis=2)
    surplus = 2 * drawn.masses[..., 0] - present
    clean = np.einsum("nj,nj->n", drawn.gram[:, 0], surplus)
    unit = population.square * population.total
    return {"lhs": scores / (unit * of), "score": clean / unit, **_instance(drawn)}


def noise_immunity(
    population: Pairs, sigma: float, zero: Zero, *, size: Size, rng: Rng
) -> Drawn:
    r"""0-1 risks on $P$ of the means of $P_\sigma$ and of $P$.

    Parameters
    ----------
    population : RandomPairs, EveryPair or OnePair
        Family of instances.
    sigma : float
        Probability that a label is flipped.
    zero : {"both", "half"}
        Whether a zero score is an error for both labels, or half an error.
    size : int
        Number of instances.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    dict
        ``lhs`` and ``rhs``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    mixture, _ = _noisy(drawn.masses, sigma)
    return {
        "lhs": _risk(drawn.masses, _scores(drawn.gram, mixture), population.total, zero),
        "rhs": _risk(drawn.masses, _scores(drawn.gram, drawn.masses), population.total, zero),
        **_instance(drawn),
    }


def noisy_linear_risk(population: Pairs, sigma: float, *, size: Size, rng: Rng) -> Drawn:
    r"""Linear risks of one arbitrary function on $P_\sigma$ and on $P$.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    sigma : float
        Probability that a label is flipped.

    Returns
    -------
    dict
        ``lhs`` on the noisy population and ``risk`` on the clean one, shape (size,); the function
        is ``classifier``, in units of ``1 / SCORE_STEPS``, and the instances.
    """
    drawn, generator = population.instances(size, rng), _generator(rng)
    mixture, of = _noisy(drawn.masses, sigma)
    shape = drawn.masses.shape[:2]
    classifier = generator.integers(-3 * SCORE_STEPS, 3 * SCORE_STEPS, shape, endpoint=True)
    losses = SCORE_STEPS - classifier[..., None] * LABELS
    unit = population.total * SCORE_STEPS
    return {
        "lhs": np.sum(mixture * losses, axis=(1, 2)) / (unit * of),
        "risk": np.sum(drawn.masses * losses, axis=(1, 2)) / unit,
        "classifier": classifier,
        **_instance(drawn),
    }


def argmin_sets(population: Pairs, sigma: float, *, size: Size, rng: Rng) -> Drawn:
    r"""Minimisers of linear risk on $P_\sigma$ and on $P$ over a finite class, as sets.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    sigma : float
        Probability that a label is flipped.

    Returns
    -------
    dict
        ``lhs`` and ``rhs``, shape (size,): sets as binary numbers, the first function being bit
        0; ``functions``, shape (size, CLASS_SIZE, J), with values small enough for ties.
    """
    drawn, generator = population.instances(size, rng), _generator(rng)
    mixture, _ = _noisy(drawn.masses, sigma)
    count, atoms = drawn.masses.shape[:2]
    functions = generator.integers(-2, 2, (count, CLASS_SIZE, atoms), endpoint=True)

    def minimisers(masses: Ints) -> Ints:
        losses = 1 - functions[..., None] * LABELS
        risks = np.sum(masses[:, None] * losses, axis=(2, 3))
        least = risks == risks.min(axis=1, keepdims=True)
        return np.asarray(least @ (1 << np.arange(CLASS_SIZE)))

    return {
        "lhs": minimisers(mixture),
        "rhs": minimisers(drawn.masses),
        "functions": functions,
        **_instance(drawn),
    }


# Contamination.


def contaminated_mean(population: Pairs, *, size: Size, rng: Rng) -> Drawn:
    r"""Scores of one point under $\Phi(\tilde P)$ and under $(1-\sigma)\Phi(P)+\sigma\Phi(Q)$.

    The first expands kernels with the masses of the mixture, the second sums coordinates.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.

    Returns
    -------
    dict
        ``lhs`` and ``rhs``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    mixed = _scores(drawn.gram, _mixture(drawn, population.levels))[:, 0]
    means = [
        np.einsum("nj,njd->nd", _signed(masses), drawn.points)
        for masses in (drawn.masses, drawn.corruption)
    ]
    share = drawn.share / population.levels
    scores = [np.einsum("nd,nd->n", mean, drawn.points[:, 0]) for mean in means]
    unit = population.square * population.total
    return {
        "lhs": mixed / (unit * population.levels),
        "rhs": (1 - share) * (scores[0] / unit) + share * (scores[1] / unit),
        **_instance(drawn),
    }


def contaminated_distance(population: Pairs, *, size: Size, rng: Rng) -> Drawn:
    r"""$\|\Phi(P)-\Phi(\tilde P)\|$ from the masses of the mixture, and $\|\Phi(P)-\Phi(Q)\|$.

    The first is a quadratic form in the Gram matrix, the second a distance of coordinates.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.

    Returns
    -------
    dict
        ``lhs``, ``distance`` and ``sigma``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    levels = population.levels
    moved = _signed(levels * drawn.masses - _mixture(drawn, levels))
    apart = np.einsum("nj,njd->nd", _signed(drawn.masses - drawn.corruption), drawn.points)
    length = population.total * np.sqrt(population.square)
    return {
        "lhs": np.sqrt(_quadratic(drawn.gram, moved)) / (length * levels),
        "distance": np.sqrt(np.sum(apart**2, axis=1)) / length,
        "sigma": drawn.share / levels,
        **_instance(drawn),
    }


def population_distance(population: Pairs, *, size: Size, rng: Rng) -> Drawn:
    r"""$\|\Phi(P)-\Phi(Q)\|$.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.

    Returns
    -------
    dict
        ``lhs``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    squares = _quadratic(drawn.gram, _signed(drawn.masses - drawn.corruption))
    length = population.total * np.sqrt(population.square)
    return {"lhs": np.sqrt(squares) / length, **_instance(drawn)}


def contaminated_risk(population: Pairs, reach: int, *, size: Size, rng: Rng) -> Drawn:
    r"""0-1 risks on $P$ of the means of $\tilde P$ and of $P$, where the margin is wide enough.

    The hypothesis is $\sigma\|\Phi(P)-\Phi(Q)\|<r\,\Gamma$ with $0<\Gamma<\infty$ the smallest
    $yf(x)$ of a correctly classified point of positive mass.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    reach : int
        Factor $r$ on the margin; 1 in the paper.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``applies``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    margin = _margin(drawn.masses, _scores(drawn.gram, drawn.masses))
    return _contaminated_risks(population, drawn, reach * margin)


def contaminated_risk_two_sided(
    population: Pairs, reach: int, *, size: Size, rng: Rng
) -> Drawn:
    r"""As `contaminated_risk`, with the smallest $|f(x)|$ of a point of positive mass for $\Gamma$.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    reach : int
        Factor on the margin; 1 in the statement.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``applies``, shape (size,), and the instances.
    """
    drawn = population.instances(size, rng)
    scores = np.abs(_scores(drawn.gram, drawn.masses))
    present = drawn.masses.sum(axis=2) > 0
    margin = np.where(present, scores, scores.max(axis=1, keepdims=True)).min(axis=1)
    return _contaminated_risks(population, drawn, reach * margin)


def _contaminated_risks(population: Pairs, drawn: Instances, margin: Ints) -> Drawn:
    scores = _scores(drawn.gram, drawn.masses)
    mixed = _scores(drawn.gram, _mixture(drawn, population.levels))
    squares = _quadratic(drawn.gram, _signed(drawn.masses - drawn.corruption))
    # Both sides of sigma^2 |Phi(P) - Phi(Q)|^2 < margin^2, cleared of their denominators.
    moved = drawn.share**2 * squares * population.square
    return {
        "lhs": _risk(drawn.masses, mixed, population.total),
        "rhs": _risk(drawn.masses, scores, population.total),
        "applies": (margin > 0) & (moved < (population.levels * margin) ** 2),
        **_instance(drawn),
    }


def corrupted_risk(population: Pairs, divisor: int, *, size: Size, rng: Rng) -> Drawn:
    r"""0-1 risks on $P$ of the means of $\tilde P$ and of $P$, where $\sigma<\Gamma/r$.

    Half of the corruptions are the worst there are: the weakest correct point with its label
    flipped.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    divisor : int
        $r$; 2 in the paper.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``applies``, shape (size,), and the instances.
    """
    drawn, scores, margin = _corrupted(population, size, rng, every=2)
    mixed = _scores(drawn.gram, _mixture(drawn, population.levels))
    unit = population.total * population.square
    return {
        "lhs": _risk(drawn.masses, mixed, population.total),
        "rhs": _risk(drawn.masses, scores, population.total),
        "applies": (margin > 0) & (divisor * drawn.share * unit < population.levels * margin),
        **_instance(drawn),
    }


def lost_mass(population: Pairs, threshold: str, *, size: Size, rng: Rng) -> Drawn:
    r"""Mass of the points that $\Phi(P)$ classifies correctly and $\Phi(\tilde P)$ does not.

    Half of the corruptions are the worst there are: the weakest correct point with its label
    flipped.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    threshold : {"sharp", "margin"}
        Hypothesis: $\sigma<\Gamma/(1+\Gamma)$, or $\sigma<\Gamma$.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` (zero) and ``applies``, shape (size,), and the instances.
    """
    drawn, scores, margin = _corrupted(population, size, rng, every=2)
    lost = _lost(drawn, scores, population.levels)
    unit = population.total * population.square
    below = population.levels * margin > drawn.share * unit
    if threshold == "sharp":
        below = population.levels * margin > drawn.share * (unit + margin)
    return {
        "lhs": lost / population.total,
        "rhs": np.zeros(len(lost)),
        "applies": (margin > 0) & below,
        **_instance(drawn),
    }


def weakest_mass(population: Pairs, threshold: str, *, size: Size, rng: Rng) -> Drawn:
    r"""Mass of the weakest correct point, and mass lost to its label-flipped copy.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    threshold : {"sharp", "half"}
        Hypothesis: $\sigma\ge\Gamma/(1+\Gamma)$, or $\sigma\ge\Gamma/2$.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``applies``, shape (size,), and the instances.
    """
    drawn, scores, margin = _corrupted(population, size, rng, every=1)
    unit = population.total * population.square
    above = population.levels * margin <= 2 * drawn.share * unit
    if threshold == "sharp":
        above = population.levels * margin <= drawn.share * (unit + margin)
    weakest = _worst(drawn.masses, scores)
    return {
        "lhs": np.sum(drawn.masses * weakest, axis=(1, 2)) / population.total,
        "rhs": _lost(drawn, scores, population.levels) / population.total,
        "applies": (margin > 0) & above,
        **_instance(drawn),
    }


# Margins of arbitrary classifiers.


def perturbed_risk(
    population: Pairs, inequality: Inequality, *, size: Size, rng: Rng
) -> Drawn:
    r"""0-1 risk of $\tilde f$ and margin risk of $f$, with $\|f-\tilde f\|_\infty\le\epsilon$.

    Half of the perturbations push every point as far as they can, towards a random label.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    inequality : {"closed", "open", "mixed"}
        Errors are $y\tilde f\le0$ and $yf\le\epsilon$, or both with $<$, or $\le$ and $<$.

    Returns
    -------
    dict
        ``lhs`` and ``rhs``, shape (size,); ``classifier`` and ``perturbed``, shape (size, J), and
        ``slack``, shape (size,), in units of ``1 / SCORE_STEPS``; the instances.
    """
    drawn, generator = population.instances(size, rng), _generator(rng)
    classifier = _classifiers(drawn, generator)
    slack = generator.integers(SCORE_STEPS, size=len(classifier), endpoint=True)
    perturbed = _perturbed(classifier, slack, generator)
    error = perturbed[..., None] * LABELS
    margin = classifier[..., None] * LABELS - slack[:, None, None]
    left = error < 0 if inequality == "open" else error <= 0
    right = margin <= 0 if inequality == "closed" else margin < 0
    return {
        "lhs": np.sum(drawn.masses * left, axis=(1, 2)) / population.total,
        "rhs": np.sum(drawn.masses * right, axis=(1, 2)) / population.total,
        "classifier": classifier,
        "perturbed": perturbed,
        "slack": slack,
        **_instance(drawn),
    }


def perturbed_risk_within_margin(
    population: Pairs, strict: str, *, size: Size, rng: Rng
) -> Drawn:
    r"""0-1 risks of $\tilde f$ and $f$, with $\|f-\tilde f\|_\infty\le\epsilon$ inside the margin.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    strict : {"<", "<="}
        Hypothesis: $\epsilon<\Gamma(P,f)$ as in the paper, or $\epsilon\le\Gamma(P,f)$.

    Returns
    -------
    dict
        As `perturbed_risk`, with ``applies``.
    """
    drawn, generator = population.instances(size, rng), _generator(rng)
    classifier = _classifiers(drawn, generator)
    margin = _margin(drawn.masses, classifier)
    slack = generator.integers(np.maximum(margin, 1), endpoint=True)
    perturbed = _perturbed(classifier, slack, generator)
    return {
        "lhs": _risk(drawn.masses, perturbed, population.total),
        "rhs": _risk(drawn.masses, classifier, population.total),
        "applies": (margin > 0) & ((slack < margin) if strict == "<" else (slack <= margin)),
        "classifier": classifier,
        "perturbed": perturbed,
        "slack": slack,
        **_instance(drawn),
    }


def margin_for_error(population: Pairs, *, size: Size, rng: Rng) -> Drawn:
    r"""$\Gamma(P,f)$ by its definition, and as the smallest $yf(x)$ of a correct point.

    The definition, $\sup\{\gamma:\mathrm{Risk}_{\ell_\gamma}(P,f)=\mathrm{Risk}_{01}(P,f)\}$, is
    evaluated at every half step between two possible margins.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``applies`` (some point is classified correctly), shape (size,);
        ``classifier``, shape (size, J); the instances.
    """
    drawn = population.instances(size, rng)
    classifier = _classifiers(drawn, _generator(rng))
    scores = classifier[..., None] * LABELS
    reference = np.sum(drawn.masses * (scores <= 0), axis=(1, 2))
    supremum = np.zeros(len(classifier), dtype=np.int64)
    for step in range(SCORE_STEPS + 1):
        # gamma = step + 1/2 lies between two possible margins.
        risk = np.sum(drawn.masses * (2 * scores <= 2 * step + 1), axis=(1, 2))
        supremum[risk == reference] = step + 1
    margin = _margin(drawn.masses, classifier)
    return {
        "lhs": supremum / SCORE_STEPS,
        "rhs": margin / SCORE_STEPS,
        "applies": margin > 0,
        "classifier": classifier,
        **_instance(drawn),
    }


def margin_gap(inequality: Inequality) -> Drawn:
    r"""Every $v,\tilde v$ and $\epsilon\ge|v-\tilde v|$ in steps of 1 up to 8.

    Parameters
    ----------
    inequality : {"closed", "open", "mixed"}
        The implication is from $\tilde v\le0$ to $v\le\epsilon$, with $<$ in both, or from $\le$
        to $<$.

    Returns
    -------
    dict
        ``lhs`` and ``rhs``, whether premise and conclusion hold; ``value``, ``moved``, ``slack``.
    """
    value, moved, slack = np.meshgrid(
        np.arange(-8, 9), np.arange(-8, 9), np.arange(9), indexing="ij"
    )
    near = np.abs(value - moved) <= slack
    value, moved, slack = value[near], moved[near], slack[near]
    premise = moved < 0 if inequality == "open" else moved <= 0
    conclusion = value <= slack if inequality == "closed" else value < slack
    return {
        "lhs": premise.astype(float),
        "rhs": conclusion.astype(float),
        "value": value,
        "moved": moved,
        "slack": slack,
    }


# Regret.


def surrogate_regret(
    population: Pairs, zero: Zero, scores: str, *, size: Size, rng: Rng
) -> Drawn:
    r"""Regrets of an arbitrary classifier for misclassification and for linear loss.

    Each is a risk minus the smallest risk, found by trying every score on the grid at every point.

    Parameters
    ----------
    population, size, rng
        As in `noise_immunity`.
    zero : {"both", "half"}
        Whether a zero score is an error for both labels, or half an error.
    scores : {"any", "nonzero", "unbounded"}
        Scores in [-1, 1] with many zeros, without zeros, or in [-2, 2].

    Returns
    -------
    dict
        ``lhs`` (misclassification), ``regret`` (linear) and ``idle`` ($P(f=0)$), shape (size,);
        ``classifier``, shape (size, J), in units of ``1 / SCORE_STEPS``; the instances.
    """
    drawn = population.instances(size, rng)
    grid = np.arange(-SCORE_STEPS, SCORE_STEPS + 1)
    if rng is None:
        values = grid[grid != 0] if scores == "nonzero" else grid
        drawn, classifier = _each_score(drawn, values)
    else:
        classifier = _classifiers(drawn, rng)
        if scores == "nonzero":
            signs = rng.choice(LABELS, classifier.shape)
            classifier = np.where(classifier == 0, signs, classifier)
        if scores == "unbounded":
            classifier = 2 * classifier
    masses, total = drawn.masses, population.total
    wrong = _errors(masses, classifier, zero)
    linear = _linear(masses, classifier)
    least_wrong = np.min([_errors(masses, np.full_like(classifier, g), zero) for g in grid], axis=0)
    least_linear = np.min([_linear(masses, np.full_like(classifier, g)) for g in grid], axis=0)
    idle = np.sum(masses.sum(axis=2) * (classifier == 0), axis=1)
    return {
        "lhs": np.sum(wrong - least_wrong, axis=1) / (2 * total),
        "regret": np.sum(linear - least_linear, axis=1) / (SCORE_STEPS * total),
        "idle": idle / total,
        "classifier": classifier,
        **_instance(drawn),
    }


# Whole-number arithmetic on instances.


def _fraction(sigma: float) -> Fraction:
    """The decimal that was written: 0.1 is one tenth."""
    return Fraction(str(sigma))


def _noisy(masses: Ints, sigma: float) -> tuple[Ints, int]:
    """Masses under label noise in whole numbers, and by how much they are multiplied."""
    flip, of = _fraction(sigma).as_integer_ratio()
    return (of - flip) * masses + flip * masses[..., ::-1], of


def _generator(rng: Rng) -> np.random.Generator:
    if rng is None:
        raise ValueError("this trial draws classifiers and needs rng")
    return rng


def _instance(drawn: Instances) -> Drawn:
    return {field.name: getattr(drawn, field.name) for field in dataclasses.fields(drawn)}


def _signed(masses: Ints) -> Ints:
    return np.asarray(masses[..., 0] - masses[..., 1])


def _scores(gram: Ints, masses: Ints) -> Ints:
    return np.asarray(np.einsum("nij,nj->ni", gram, _signed(masses)))


def _mixture(drawn: Instances, levels: int) -> Ints:
    share = drawn.share[:, None, None]
    return np.asarray((levels - share) * drawn.masses + share * drawn.corruption)


def _quadratic(gram: Ints, weights: Ints) -> Ints:
    return np.asarray(np.einsum("ni,nij,nj->n", weights, gram, weights))


def _errors(masses: Ints, scores: Ints, zero: Zero = "both") -> Ints:
    """Twice the mass in error at each point."""
    signed = scores[..., None] * LABELS
    loss = 2 * (signed < 0) + (2 if zero == "both" else 1) * (signed == 0)
    return np.asarray(np.sum(masses * loss, axis=2))


def _risk(masses: Ints, scores: Ints, total: int, zero: Zero = "both") -> Floats:
    return np.asarray(np.sum(_errors(masses, scores, zero), axis=1) / (2 * total))


def _linear(masses: Ints, scores: Ints) -> Ints:
    """Linear loss at each point, in units of ``1 / SCORE_STEPS``."""
    return np.asarray(np.sum(masses * (SCORE_STEPS - scores[..., None] * LABELS), axis=2))


def _margin(masses: Ints, scores: Ints) -> Ints:
    """Smallest positive $yf(x)$ over positive masses; 0 where there is none."""
    signed = scores[..., None] * LABELS
    right = (masses > 0) & (signed > 0)
    ceiling = np.abs(scores).max(axis=1) + 1
    least = np.where(right, signed, ceiling[:, None, None]).min(axis=(1, 2))
    return np.where(right.any(axis=(1, 2)), least, 0)


def _worst(masses: Ints, scores: Ints) -> Bools:
    """One-hot over points and labels: the first correct pair of smallest margin."""
    signed = scores[..., None] * LABELS
    right = (masses > 0) & (signed > 0)
    ceiling = np.abs(scores).max(axis=1) + 1
    flat = np.where(right, signed, ceiling[:, None, None]).reshape(len(masses), -1)
    hot = np.zeros(flat.shape, dtype=bool)
    hot[np.arange(len(flat)), flat.argmin(axis=1)] = True
    return hot.reshape(masses.shape)


def _corrupted(
    population: Pairs, size: Size, rng: Rng, *, every: int
) -> tuple[Instances, Ints, Ints]:
    """Instances, every so many with the worst corruption, and clean scores and margins."""
    drawn = population.instances(size, rng)
    scores = _scores(drawn.gram, drawn.masses)
    flipped = population.total * _worst(drawn.masses, scores)[..., ::-1].astype(np.int64)
    chosen = np.arange(len(flipped)) % every == 0
    corruption = np.where(chosen[:, None, None], flipped, drawn.corruption)
    worse = dataclasses.replace(drawn, corruption=corruption)
    return worse, scores, _margin(drawn.masses, scores)


def _lost(drawn: Instances, scores: Ints, levels: int) -> Ints:
    """Mass right before and wrong after."""
    mixed = _scores(drawn.gram, _mixture(drawn, levels))
    before = scores[..., None] * LABELS > 0
    after = mixed[..., None] * LABELS > 0
    return np.asarray(np.sum(drawn.masses * (before & ~after), axis=(1, 2)))


def _classifiers(drawn: Instances, rng: np.random.Generator) -> Ints:
    """Scores in [-1, 1] in steps; a quarter of them zero, as many small."""
    shape = drawn.masses.shape[:2]
    scores = rng.integers(-SCORE_STEPS, SCORE_STEPS, shape, endpoint=True)
    small = rng.integers(-1, 1, shape, endpoint=True)
    return np.where(rng.random(shape) < 0.5, scores, small)


def _perturbed(classifier: Ints, slack: Ints, rng: np.random.Generator) -> Ints:
    reach = np.broadcast_to(slack[:, None], classifier.shape)
    anywhere = rng.integers(-reach, reach, endpoint=True)
    extreme = reach * rng.choice(LABELS, classifier.shape)
    pushed = (np.arange(len(slack)) % 2 == 0)[:, None]
    return classifier + np.where(pushed, extreme, anywhere)


def _each_score(drawn: Instances, values: Ints) -> tuple[Instances, Ints]:
    """Every instance with every choice of scores from ``values`` at its points."""
    count, atoms = drawn.masses.shape[:2]
    choices = np.stack(np.meshgrid(*[values] * atoms, indexing="ij"), axis=-1).reshape(-1, atoms)
    which = np.repeat(np.arange(count), len(choices))
    return drawn.at(which), np.tile(choices, (count, 1))
