"""Numbers of queries and of operations on trial: the countable parts of Theorems 1 and 2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online.estimates import bounds as estimate_bounds
from noisytheory.topics.online.prospects import copies_needed, query_quantile
from noisytheory.topics.online.queries import bounds, simulate
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.analytic import AffineLoss, SquaredLoss
from noisytheory.vocabulary.domains import LEVEL, Numeric
from noisytheory.vocabulary.dot_products import (
    HomogeneousProduct,
    InhomogeneousProduct,
    LinearProduct,
)

P = [1.5, 2.0, 3.0]


def _dot_variance(p: float) -> float:
    r = p / (p * p - p + 1)
    return r / (1 - r) ** 2


def _gaussian_variance(p: float) -> float:
    """Of the sum of C + 1 terms 2 N_1 + N_2."""
    mean, variance = 1 / (p - 1), p / (p - 1) ** 2
    return (1 + mean) * 5 * variance + variance * (3 * mean) ** 2


def _two_maps(p: Numeric) -> Numeric:
    return 2 * estimate_bounds.expected_samples(p)


def _tenth(p: Numeric) -> Numeric:
    return 0.1 * bounds.expected_queries(p)


def _calls_variance(T: int, p: float) -> float:
    return p / (p - 1) ** 2 * sum(t * t for t in range(T))


def _some_calls(T: int, p: float) -> Numeric:
    return 0.15 * bounds.prod_calls(T, p)


def _calls_without_mean(T: Numeric, p: Numeric) -> Numeric:
    return bounds.prod_calls(T, 2.0) + 0 * p


def _cap_of_maps(T: Numeric, M: Numeric, p: Numeric) -> Numeric:
    return 1 - (1 - estimate_bounds.sample_tail(M + 1, p)) ** T


theorem_1_queries = PAPER.equal(
    "theorem-1-queries",
    statement=r"\mathbb E[\text{queries of a round}]=\tfrac p{(p-1)^2}",
    place="Theorem 1, Sec. 4.1",
    bound=bounds.expected_queries,
    simulate=simulate.queries,
    variance=_dot_variance,
    margin=_tenth,
    grid=dict(p=P), given=dict(kernel="exponential"),
    note="As the oracle counts them. At p = 2 alone many wrong formulas agree: 2/(p-1) is one.",
    quantity="queries of a round",
    twin=dict(bound=_two_maps, why="two maps a round: 2/(p-1)"),
)
query_tail = PAPER.equal(
    "query-tail",
    statement=r"\Pr[\text{queries}\ge z]=\Big(\tfrac p{p^2-p+1}\Big)^z",
    place="Theorem 1, Sec. 4.1: decays very rapidly",
    bound=bounds.query_tail,
    simulate=simulate.queries_at_least,
    low=0.0, high=1.0, margin=0.05,
    grid=dict(p=P, z=[2, 4, 8]), given=dict(kernel="exponential"),
    origin="candidate",
    note="The law is geometric, which print does not say; its tail is longer than a single map's.",
    quantity="whether a round takes z queries or more", unit="probability",
    twin=dict(bound=estimate_bounds.sample_tail, why=r"$p^{-z}$, the tail of one map"),
)
gaussian_queries = PAPER.equal(
    "theorem-2/queries",
    statement=r"\mathbb E[\text{queries of a round}]=\tfrac{3p}{(p-1)^2}",
    place="Theorem 2, Sec. 4.1",
    bound=bounds.expected_queries_gaussian,
    simulate=simulate.queries,
    variance=_gaussian_variance,
    margin=lambda p: 0.3 * bounds.expected_queries(p),
    grid=dict(p=P), given=dict(kernel="Gaussian"),
    rows=8192,
    hypotheses=["our reconstruction of the subroutines"],
    quantity="queries of a round",
    twin=dict(bound=bounds.expected_queries, why="a map without its envelope"),
)
gaussian_tail = PAPER.equal(
    "query-tail/gaussian",
    statement=r"\Pr[Q\ge z]\text{ from the law of }\sum_{j=1}^{C+1}(2N_{1j}+N_{2j})",
    place="Theorem 2, Sec. 4.1: fast decaying",
    bound=bounds.query_tail_gaussian,
    simulate=simulate.queries_at_least,
    low=0.0, high=1.0, margin=0.05,
    grid=dict(p=P, z=[2, 10]), given=dict(kernel="Gaussian"),
    origin="candidate",
    note=r"Not geometric; $\Pr[Q\ge10]=.604,.212,.025$ at $p=1.5,2,3$.",
    quantity="whether a round takes z queries or more", unit="probability",
    twin=dict(bound=bounds.query_tail, why="the geometric law of Theorem 1"),
)
query_cap = PAPER.equal(
    "query-cap",
    statement=r"\Pr[\text{some of }T\text{ rounds wants more than }M]=1-(1-r^{M+1})^T",
    place="Sec. 2: an absolute bound on the number of queries",
    bound=bounds.cap_probability,
    simulate=simulate.capped,
    low=0.0, high=1.0, margin=0.05,
    grid=dict(T=[20], M=[4, 10], p=P), given=dict(kernel="exponential"),
    rows=1024,
    origin="candidate",
    note="What a cap costs: the rounds that hit it are skipped, which biases them.",
    quantity="whether a cap is hit", unit="probability",
    twin=dict(bound=_cap_of_maps, why=r"$p^{-z}$, the tail of one map"),
)
query_cap_gaussian = PAPER.equal(
    "query-cap/gaussian",
    statement=r"\Pr[\text{some of }T\text{ rounds wants more than }M]=1-(1-\Pr[Q>M])^T",
    place="Sec. 2, with the Gaussian kernel of Theorem 2",
    hypotheses=["our reconstruction of the subroutines"],
    bound=bounds.cap_probability_gaussian,
    simulate=simulate.capped,
    low=0.0, high=1.0, margin=0.05,
    grid=dict(T=[20], M=[15], p=[2.0, 3.0]), given=dict(kernel="Gaussian"),
    rows=1024,
    origin="candidate",
    quantity="whether a cap is hit", unit="probability",
    twin=dict(bound=bounds.cap_probability, why="the law of Theorem 1"),
)


def _rest(level: Numeric) -> Numeric:
    LEVEL.check("level", level)
    return 1 - level


query_cap_quantile = PAPER.mean(
    "query-cap/quantile",
    statement=r"\Pr\big[\max_{t\le T}\text{queries}>M\big]\le\delta,\quad M=\Big\lceil"
    r"\tfrac{\ln(1-(1-\delta)^{1/T})}{\ln r}-1\Big\rceil,\ r=\tfrac p{p^2-p+1}",
    place="Sec. 2: an absolute bound on the number of queries",
    bound=_rest,
    simulate=simulate.capped,
    low=0.0, high=1.0, trivial=1.0,
    grid=dict(population=[
        simulate.Recorded(10, query_quantile(10, 0.8, 3.0, gaussian=of == "Gaussian"), 3.0, of)
        for of in ("exponential", "Gaussian")
    ], level=[0.8]),
    rows=1024,
    origin="candidate",
    note="How many copies to record beforehand: `query_quantile`; of the Gaussian kernel the same "
    "of its own law.",
    quantity="whether a round wants more", unit="probability",
    twin=scaled(Fraction(1, 2), "half the chance"),
)


def _one_short(kernel: Any, loss: Any) -> int:
    return int(loss.degree * kernel.degree)


fixed_queries = PAPER.equal(
    "theorem-1-queries/fixed",
    statement=r"\text{queries of a round}=(1+\deg\ell')\deg Q",
    place="beside Theorem 1, Sec. 4.1",
    hypotheses=["kernel and loss polynomials, as many factors as their degrees"],
    bound=copies_needed,
    exact=simulate.fixed_queries,
    low=0.0, high=16.0, margin=0.25,
    grid=dict(kernel=[LinearProduct(), InhomogeneousProduct(2), HomogeneousProduct(3)],
              loss=[AffineLoss(), SquaredLoss(0.0)]),
    origin="sharper",
    note="The copies that the learners ask for by default, as the oracle counts them.",
    quantity="queries of a round",
    twin=dict(bound=_one_short, why="without the copies of the map"),
)
CALLS: dict[str, Any] = dict(
    statement=r"\mathbb E[\text{calls of Prod}]=\tfrac{T(T-1)}{2(p-1)}+\tfrac{T(T+1)(2T+1)}6",
    bound=bounds.prod_calls,
    simulate=simulate.prods,
    variance=_calls_variance,
    margin=_some_calls,
    grid=dict(T=[8], p=[1.25, 2.0, 3.0]),
    rows=32,
    apart=True,
    origin="candidate",
    quantity="calls of Prod",
    twin=dict(bound=_calls_without_mean, why=r"without $\frac1{p-1}$"),
)
runtime = PAPER.equal(
    "theorem-1-runtime/calls",
    place="Theorem 1, run time, and its proof",
    given=dict(kernel="exponential"),
    note=(
        r"Counted in the plain loops. Print drops the factor $\mathbb E[C]=\frac1{p-1}$ of the "
        r"gradient length, and rescaling costs $T$, not 1; the order stands. Incremental norms "
        r"make it $O(T^2)$."
    ),
    **CALLS,
)
gaussian_runtime = PAPER.equal(
    "theorem-2/calls",
    place="Theorem 2, run time: the same as in Theorem 1",
    hypotheses=["our reconstruction of the subroutines"],
    given=dict(kernel="Gaussian"),
    note="The envelope is a number of its own estimate: it costs queries, and no call of Prod.",
    **CALLS,
)
fast_calls = PAPER.equal(
    "incremental-norm/calls",
    statement=r"\mathbb E[\text{inner products of estimates, at most}]="
    r"\tfrac{T(T-1)}{2(p-1)}+\tfrac{T(T+1)}2",
    place="beside Theorem 1, run time",
    bound=bounds.inner_products,
    simulate=simulate.pairs,
    variance=_calls_variance,
    margin=lambda T, p: 0.1 * bounds.inner_products(T, p),
    grid=dict(T=[16], p=P),
    rows=256,
    origin="candidate",
    note=(
        r"$O(T^2)$ where the print has $O(T^3)$: 6,400 against 177,040 at T = 80, p = 2. Rounds "
        "whose gradient is 0 leave no term, so that there are fewer."
    ),
    quantity="inner products of estimates",
    twin=dict(bound=bounds.prod_calls, why="the print's count"),
)
runtime_order = PAPER.always(
    "theorem-1-runtime/order",
    statement=r"\mathbb E[\text{multiplications, calls and queries}]\le"
    r"\tfrac32T^3\big(1+\tfrac{dp}{(p-1)^2}\big)",
    place="Theorem 1, run time",
    bound=bounds.operations,
    simulate=simulate.expected_operations,
    certify=simulate.expected_operations_certified,
    grid=dict(T=[1, 4, 256], d=[1, 100], p=[1.25, 3.0]),
    rows=1,
    note="Print's order with a constant, which is ours; the largest share is at T = 1.",
    quantity="expected operations",
    twin=scaled(Fraction(1, 2)),
)
