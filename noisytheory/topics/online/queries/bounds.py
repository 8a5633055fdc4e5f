r"""Queries and operations that the algorithm takes, in closed form."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.online.bounds import ABOVE_1, COUNTED, ROUNDS, WHOLE
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


@requires(z=COUNTED.of("Number of queries."), p=ABOVE_1)
def query_tail_gaussian(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability of z or more queries in a round with the Gaussian kernel.

    A map takes $2N_1+N_2$ queries and a round $C+1$ maps, all geometric: the law has the generating
    function $\frac{(p-1)^3}{p(p-s^2)(p-s)-(p-1)^2}$, and its probabilities follow one another.

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
    law: list[Numeric] = [0 * p, 0 * p, 0 * p]
    below = 0 * p * z
    for n in range(int(np.max(z))):
        rest = p**2 * (law[-1] + law[-2]) - p * law[-3]
        law.append((rest + (p - 1) ** 3 * (n == 0)) / (p**3 - (p - 1) ** 2))
        below = below + law[-1] * (n < z)
    return 1 - below


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


@requires(T=ROUNDS, M=WHOLE.of("Queries that a round may take."), p=ABOVE_1)
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
    return -np.expm1(T * np.log1p(-query_tail_gaussian(M + 1, p)))


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
