r"""How far an update vector is from its mean, and how many examples make it near."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    POSITIVE,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "direction_deviation",
    "finite_deviation",
    "finite_deviation_sharp",
    "one_sided_deviation",
    "sample_size",
    "sample_size_printed",
    "swap_deviation",
    "swap_deviation_printed",
    "uniform_deviation",
    "vector_deviation",
    "vector_deviation_sharp",
    "vector_deviation_variance",
]

BETA = Domain(1, include_low=True).of(
    r"Noise amplification $\beta=\max|C^{-1}|$; for $\beta_q$, of one class, its row's."
)
CLASSES = Domain(2, include_low=True, whole=True).of("Number of classes, Q.")
DIMENSION = COUNT.of("Of the instances, d.")
EPSILON = POSITIVE.of(r"Deviation, $\epsilon$.")
NORM = UNIT_INTERVAL.of(r"$\|\mu^p_q\|$.")
PAIRS = SAMPLE_SIZE.of("Pairs that are swapped.")
QUARTERED = POSITIVE.of(r"Differences beyond $\epsilon/4$ count.")
SETS = COUNT.of("M, number of sets of atoms that a region can be.")
VARIANCE = NONNEGATIVE.of(r"$\sigma^2=\mathbb E[B_{qY}^21\{X\in A_p\}]$.")


@requires(n=SAMPLE_SIZE, delta=LEVEL, beta=BETA)
def direction_deviation(n: Numeric, delta: Numeric, beta: Numeric) -> Numeric:
    r"""Deviation of an update vector along one direction, weights fixed beforehand.

    $$\Pr\Big[|\langle u,z_{pq}-\mu^p_q\rangle|>
    \beta_q\sqrt{\tfrac{2\ln(2/\delta)}n}\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    Hoeffding, as summands are within $\pm\beta_q$: Proposition 3 repaired for one W and one pair.

    Examples
    --------
    >>> round(float(direction_deviation(1000, 0.05, 2.0)), 4)
    0.1718
    """
    return beta * np.sqrt(2 * np.log(2 / delta) / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, beta=BETA)
def one_sided_deviation(n: Numeric, delta: Numeric, beta: Numeric) -> Numeric:
    r"""The same from one side, as (14) and (15) need it.

    $$\Pr\Big[\langle u,\mu^p_q-z_{pq}\rangle>\beta_q\sqrt{\tfrac{2\ln(1/\delta)}n}\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    (14) then holds with $\theta m_{pq}-\|w^*_q-w^*_k\|$ times this.

    Examples
    --------
    >>> round(float(one_sided_deviation(1000, 0.05, 2.0)), 4)
    0.1548
    """
    return beta * np.sqrt(2 * np.log(1 / delta) / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, beta=BETA)
def vector_deviation(n: Numeric, delta: Numeric, beta: Numeric) -> Numeric:
    r"""Norm of an update vector's deviation, weights fixed beforehand.

    $$\Pr\Big[\|z_{pq}-\mu^p_q\|>
    \tfrac{\beta_q}{\sqrt n}\big(1+\sqrt{2\ln(1/\delta)}\big)\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    McDiarmid, differences $2\beta_q/n$.

    Examples
    --------
    >>> round(float(vector_deviation(1000, 0.05, 2.0)), 4)
    0.2181
    """
    return beta / np.sqrt(n) * (1 + np.sqrt(2 * np.log(1 / delta)))


@requires(n=SAMPLE_SIZE, delta=LEVEL, beta=BETA, norm=NORM)
def vector_deviation_sharp(n: Numeric, delta: Numeric, beta: Numeric, norm: Numeric) -> Numeric:
    r"""Norm of an update vector's deviation, by Pinelis' inequality.

    $$\Pr\Big[\|z_{pq}-\mu^p_q\|>(\beta_q+\|\mu^p_q\|)\sqrt{\tfrac{2\ln(2/\delta)}n}\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    Sharper than print: Pinelis 1994, summands within $\beta_q+\|\mu^p_q\|$ of their mean.

    Examples
    --------
    >>> round(float(vector_deviation_sharp(1000, 0.05, 2.0, 0.0)), 4)
    0.1718
    """
    return (beta + norm) * np.sqrt(2 * np.log(2 / delta) / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, beta=BETA, variance=VARIANCE)
def vector_deviation_variance(
    n: Numeric, delta: Numeric, beta: Numeric, variance: Numeric
) -> Numeric:
    r"""Norm of an update vector's deviation, by its variance.

    $$\Pr\Big[\|z_{pq}-\mu^p_q\|>\tfrac{2\beta_q\ln(2/\delta)}n+\sqrt{\tfrac{2\sigma^2\ln(2/\delta)}n}\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    Sharper than print: Pinelis 1994, in the form of Smale and Zhou 2007, Lemma 2.
    Small regions gain. `Multiclass.update_variances` has the variances of a population, that of a
    sample's own rows and shares among them.

    Examples
    --------
    >>> round(float(vector_deviation_variance(1000, 0.05, 2.0, 0.0)), 4)
    0.0148
    """
    log = np.log(2 / delta)
    return 2 * beta * log / n + np.sqrt(2 * variance * log / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, dimension=DIMENSION, classes=CLASSES, beta=BETA)
def uniform_deviation(
    n: Numeric, delta: Numeric, dimension: Numeric, classes: Numeric, beta: Numeric
) -> Numeric:
    r"""Largest deviation over all weights and pairs at once.

    $$\sup_W\max_{p\ne q}\|z_{pq}-\mu^p_q\|\le
    \tfrac\beta{\sqrt n}\Big[2+2\sqrt{2L}+\sqrt{2\ln\tfrac{Q(Q-1)}\delta}\Big],
    \quad L=(Q-1)d\ln\tfrac{en}d.$$

    Returns
    -------
    float or array

    Notes
    -----
    Proposition 3 repaired, probability $1-\delta$: symmetrisation, Sauer's lemma for
    intersections of $Q-1$ half-spaces, McDiarmid, a union over pairs. For $n<d$ the logarithm is
    taken to be 1, as $2^n\le e^d$.

    Examples
    --------
    >>> round(float(uniform_deviation(256_063, 0.05, 2, 3, 2.0)), 6)
    0.1
    """
    cells = (classes - 1) * dimension * np.log(np.e * np.maximum(n / dimension, 1.0))
    union = np.log(classes * (classes - 1) / delta)
    return beta / np.sqrt(n) * (2 + 2 * np.sqrt(2 * cells) + np.sqrt(2 * union))


@requires(n=SAMPLE_SIZE, delta=LEVEL, sets=SETS, classes=CLASSES, beta=BETA)
def finite_deviation(
    n: Numeric, delta: Numeric, sets: Numeric, classes: Numeric, beta: Numeric
) -> Numeric:
    r"""Largest deviation over all weights and pairs, on finitely many atoms.

    $$\sup_W\max_{p,q}\|z_{pq}-\mu^p_q\|\le
    \tfrac\beta{\sqrt n}\Big(1+\sqrt{2\ln\tfrac{MQ}\delta}\Big).$$

    Returns
    -------
    float or array

    Notes
    -----
    Candidate, not in print: `vector_deviation` and a union over M sets and Q classes.

    Examples
    --------
    >>> round(float(finite_deviation(1000, 0.05, 4, 2, 2.0)), 4)
    0.2647
    """
    return beta / np.sqrt(n) * (1 + np.sqrt(2 * np.log(sets * classes / delta)))


@requires(n=SAMPLE_SIZE, delta=LEVEL, sets=SETS, classes=CLASSES, beta=BETA)
def finite_deviation_sharp(
    n: Numeric, delta: Numeric, sets: Numeric, classes: Numeric, beta: Numeric
) -> Numeric:
    r"""The same by Pinelis' inequality.

    $$\sup_W\max_{p,q}\|z_{pq}-\mu^p_q\|\le(\beta+1)\sqrt{\tfrac{2\ln(2MQ/\delta)}n}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Candidate, not in print.

    Examples
    --------
    >>> round(float(finite_deviation_sharp(1000, 0.05, 4, 2, 2.0)), 4)
    0.3222
    """
    return (beta + 1) * np.sqrt(2 * np.log(2 * sets * classes / delta) / n)


@requires(epsilon=EPSILON, delta=LEVEL, beta=BETA)
def sample_size(epsilon: Numeric, delta: Numeric, beta: Numeric) -> Numeric:
    r"""Examples that bring an update vector near its mean along one direction.

    $$n_0=\frac{2\beta_q^2\ln(2/\delta)}{\epsilon^2}.$$

    Returns
    -------
    float or array

    Notes
    -----
    From `direction_deviation`; what print lacks is $\beta_q^2$.

    Examples
    --------
    >>> round(float(sample_size(0.5, 0.05, 5.5)), 1)
    892.7
    """
    return 2 * beta**2 * np.log(2 / delta) / epsilon**2


@requires(
    epsilon=Domain(0, 1).of(r"Deviation, $\epsilon$."),
    delta=LEVEL,
    dimension=DIMENSION,
    classes=CLASSES,
)
def sample_size_printed(
    epsilon: Numeric, delta: Numeric, dimension: Numeric, classes: Numeric
) -> Numeric:
    r"""Examples that Proposition 3 asks for, with the constant 1.

    $$n_0=\tfrac1{\epsilon^2}\big[\ln\tfrac1\delta+\ln Q+d\ln\tfrac1\epsilon\big].$$

    Returns
    -------
    float or array

    Notes
    -----
    Print hides a constant; none repairs it, as the confusion does not occur.

    Examples
    --------
    >>> round(float(sample_size_printed(0.5, 0.05, 2, 2)), 2)
    20.3
    """
    return (np.log(1 / delta) + np.log(classes) + dimension * np.log(1 / epsilon)) / epsilon**2


@requires(m=PAIRS, epsilon=QUARTERED)
def swap_deviation_printed(m: Numeric, epsilon: Numeric) -> Numeric:
    r"""Chance that swapped halves of a double sample differ, as printed.

    $$2e^{-m\epsilon^2/128}.$$

    Returns
    -------
    float or array

    Notes
    -----
    (24) in the appendix; the losses there are in [0, 4], for which the constant is 512.

    Examples
    --------
    >>> f'{float(swap_deviation_printed(100, 4.0)):.3e}'
    '7.453e-06'
    """
    return 2 * np.exp(-m * epsilon**2 / 128)


@requires(m=PAIRS, epsilon=QUARTERED)
def swap_deviation(m: Numeric, epsilon: Numeric) -> Numeric:
    r"""The same for losses in [0, 4].

    $$2e^{-m\epsilon^2/512}.$$

    Returns
    -------
    float or array

    Notes
    -----
    (24) repaired: Hoeffding with differences of 4 at deviation $\epsilon/4$.

    Examples
    --------
    >>> round(float(swap_deviation(100, 4.0)), 4)
    0.0879
    """
    return 2 * np.exp(-m * epsilon**2 / 512)
