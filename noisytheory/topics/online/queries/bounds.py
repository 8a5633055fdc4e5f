r"""Queries and operations that the algorithm takes, in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from noisytheory.topics.online.bounds import ABOVE_1, ROUNDS, WHOLE
from noisytheory.vocabulary.domains import COUNT, Numeric, requires

__all__ = [
    "cap_probability", "cap_probability_gaussian", "expected_queries", "expected_queries_gaussian",
    "inner_products", "operations", "prod_calls", "query_tail", "query_tail_gaussian",
]


@requires(p=ABOVE_1)
def expected_queries(p: Numeric) -> Numeric:
    r"""Theorem 1: $\frac p{(p-1)^2}$ queries a round.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_queries(3.0))
    0.75
    """
    return p / (p - 1) ** 2


@requires(p=ABOVE_1)
def expected_queries_gaussian(p: Numeric) -> Numeric:
    r"""Theorem 2: $\frac{3p}{(p-1)^2}$ queries a round.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_queries_gaussian(3.0))
    2.25
    """
    return 3 * p / (p - 1) ** 2


@requires(z=WHOLE.of("Number of queries."), p=ABOVE_1)
def query_tail(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability of z or more queries in a round: exactly $\big(\frac p{p^2-p+1}\big)^z$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours; print says that it decays rapidly. Slower than $p^{-z}$, the tail of a single map.

    Examples
    --------
    >>> round(float(query_tail(5, 2.0)), 4)
    0.1317
    """
    return (p / (p**2 - p + 1)) ** (1.0 * z)


GAUSSIAN_P = replace(ABOVE_1, high=1e50, include_high=True)
"""Beyond, coefficients of the law's generating function overflow."""


@requires(z=WHOLE.of("Number of queries."), p=GAUSSIAN_P)
def query_tail_gaussian(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability of z or more queries in a round with the Gaussian kernel.

    A map takes $2N_1+N_2$ queries and a round $C+1$ maps, all geometric: the law has the generating
    function $(p-1)^3/D(s)$, $D(s)=p(p-s^2)(p-s)-(p-1)^2$, whose three roots $1+u$ are real:

    $$\Pr[Q\ge z]=-\sum_u\frac{(p-1)^3}{u\,D'(1+u)}(1+u)^{-z}$$

    Returns
    -------
    float or array

    Notes
    -----
    Ours, for our reconstruction of the subroutines. Not geometric.

    Examples
    --------
    >>> round(float(query_tail_gaussian(10, 2.0)), 3)
    0.212
    """
    cubed, linear, square = (p - 1.0) ** 3, -3 * p * (p - 1.0), 3 * p - p**2.0
    wide = np.sqrt(p / 3 + p**2.0 / 9)
    twist = (p / 3) ** 3 + p**2.0 / 6 - (p**2.0 - (p - 1.0) ** 2 / p) / 2
    middle = 2 * wide * np.cos(np.arccos(np.clip(twist / wide**3, -1, 1)) / 3 - 2 * np.pi / 3)
    # The least positive u; near p = 1 another is as small, and all digits of the cosine are lost.
    least = np.maximum(middle + p / 3 - 1, 0) * (p > 2)
    for _ in range(6):
        value = cubed + least * (linear + least * (square + p * least))
        least = least - value / (linear + least * (2 * square + 3 * p * least))
    half = -(square + p * least) / 2
    far = half + np.copysign(np.sqrt(half**2 + p * cubed / least), half)
    tail = 0 * p * z
    for u in (least, far / p, -cubed / (least * far)):
        tail = tail - cubed / u / (linear + u * (2 * square + 3 * p * u)) * (1 + u) ** (-1.0 * z)
    return tail


@requires(T=ROUNDS, M=WHOLE.of("Queries that a round may take."), p=ABOVE_1)
def cap_probability(T: Numeric, M: Numeric, p: Numeric) -> Numeric:
    r"""Probability that some of T rounds wants more than M queries: $1-(1-r^{M+1})^T$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(cap_probability(1, 0, 2.0)), 4)
    0.6667
    """
    r = p / (p**2 - p + 1)
    return -np.expm1(T * np.log1p(-(r ** (M + 1.0))))


@requires(T=ROUNDS, M=WHOLE.of("Queries that a round may take."), p=GAUSSIAN_P)
def cap_probability_gaussian(T: Numeric, M: Numeric, p: Numeric) -> Numeric:
    r"""The same with the Gaussian kernel: $1-(1-\Pr[Q>M])^T$, with `query_tail_gaussian`.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(cap_probability_gaussian(1, 9, 2.0)), 3)
    0.212
    """
    tail = np.minimum(query_tail_gaussian(M + 1.0, p), 1 - 2.0**-53)
    return -np.expm1(T * np.log1p(-tail))


@requires(T=ROUNDS, p=ABOVE_1)
def prod_calls(T: Numeric, p: Numeric) -> Numeric:
    r"""Expected calls of Prod as printed: $\frac{T(T-1)}{2(p-1)}+\frac{T(T+1)(2T+1)}6$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(prod_calls(80, 2.0))
    177040.0
    """
    return T * (T - 1) / (2 * (p - 1)) + T * (T + 1) * (2 * T + 1) / 6


@requires(T=ROUNDS, p=ABOVE_1)
def inner_products(T: Numeric, p: Numeric) -> Numeric:
    r"""Expected inner products of estimates with incremental norms: quadratic in T.

    $$\frac{T(T-1)}{2(p-1)}+\frac{T(T+1)}2$$

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(inner_products(80, 2.0)), round(float(prod_calls(80, 2.0)))
    (6400.0, 177040)
    """
    return T * (T - 1) / (2 * (p - 1)) + T * (T + 1) / 2


@requires(T=ROUNDS, d=COUNT.of("Dimension of instances."), p=ABOVE_1)
def operations(T: Numeric, d: Numeric, p: Numeric) -> Numeric:
    r"""Theorem 1's order with a constant: at most $\tfrac32T^3(1+\frac{dp}{(p-1)^2})$ operations.

    Returns
    -------
    float or array

    Notes
    -----
    The constant is ours: d multiplications an inner product, one a call of Prod, and the queries.

    Examples
    --------
    >>> float(operations(10, 1, 2.0))
    4500.0
    """
    return 1.5 * T**3 * (1 + d * p / (p - 1) ** 2)
