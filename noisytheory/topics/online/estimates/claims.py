r"""Unbiased estimates of $f(\mathbb EX)$ on trial: Section 3.2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online.bounds import Coefficients, asked_by
from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.estimates import bounds, pictures, power_series, sides, simulate
from noisytheory.topics.online.estimates.power_series import Powers, Sampling
from noisytheory.topics.online.estimates.sides import (
    Budget,
    Degrees,
    Pair,
    Polynomials,
    Scalar,
)
from noisytheory.topics.online.estimators import debiased_samples, second_moment
from noisytheory.topics.online.features.bounds import noisy_exponential_kernel
from noisytheory.topics.online.features.pictures import gradient_moments
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.analytic import ExponentialLoss, SmoothedAbsolute
from noisytheory.vocabulary.domains import Numeric

P = [1.2, 1.5, 2.0, 3.0, 5.0]
CALLS = ["alike", "unlike", "dependent"]
CUBIC = r"$f$ a polynomial of degree at most 3, $X$ of three atoms"
INDEPENDENT = "independent calls with the same mean"
GIVEN = "calls whose mean is the same given those before, as that of independent ones is"
ESTIMATE: dict[str, Any] = dict(place="Lemma 1, Sec. 3.2", quantity="estimate of f(E X)")


def tried(*sides: Any) -> dict[str, Any]:
    """As `both`; of each instance all outcomes are enumerated, so that a block has fewer."""
    return both(*sides) | dict(rows=1024)


def _variance(p: float) -> float:
    return p / (p - 1) ** 2


def _tail_variance(p: float, z: int) -> float:
    return float(p) ** -z * (1 - float(p) ** -z)


def _next_tail(z: Numeric, p: Numeric) -> Numeric:
    return bounds.sample_tail(z, p) / p


@asked_by(bounds.scalar_second_moment)
def _lemma_1(
    p: Numeric, m: Numeric, g0: Numeric, g1: Numeric, g2: Numeric, g3: Numeric
) -> Numeric:
    return bounds.scalar_second_moment(p, m, Coefficients(g0, g1, g2, g3))


@asked_by(bounds.gradient_second_moment_labels)
def _labels(
    p: Numeric, Bpsi: Numeric, g0: Numeric, g1: Numeric, g2: Numeric, Blabel: Numeric
) -> Numeric:
    return bounds.gradient_second_moment_labels(p, 1.0, Bpsi, Coefficients(g0, g1, g2), Blabel)


def _samples_plus(p: Numeric) -> Numeric:
    return bounds.expected_samples(p) * p


lemma_1_mean = PAPER.identity(
    "lemma-1/mean",
    statement=r"\mathbb E\theta=f(\mathbb EX),\quad"
    r"\theta=\gamma_N\tfrac{p^{N+1}}{p-1}x_1\cdots x_N",
    hypotheses=[GIVEN, r"$f_+(\mathbb E|X|)<\infty$, which print leaves out", CUBIC],
    grid=dict(calls=CALLS),
    note="Every outcome of N and of the samples is enumerated, calls of unlike laws among them and "
    "calls whose spread depends on the answer before.",
    twin=dict(**both(sides.reused, Scalar), why="one sample used n times"),
    **tried(sides.mean, Scalar), **ESTIMATE,
)

def _exponential(x: Numeric) -> Numeric:
    return noisy_exponential_kernel(x, 1.0, 0.0)


def _plugged_in(x: Numeric) -> Numeric:
    return noisy_exponential_kernel(x, 1.0, 1.0)


lemma_1_public = PAPER.equal(
    "lemma-1/public-estimators",
    statement=r"\mathbb E\theta=e^{\mathbb EX}",
    hypotheses=[INDEPENDENT, "$X$ Gaussian, of mean x and variance 1"],
    bound=_exponential,
    simulate=simulate.public,
    variance=simulate.public_variance,
    margin=lambda x: 0.3 * _exponential(x),
    grid=dict(by=["single", "coupled", "debiased"], x=[0.5]),
    origin="candidate",
    note="What `estimate`, `coupled_estimate` and `debiased` give, drawn: of one degree, of all up "
    "to N, and by levels. Their exact variances narrow what is tried to three tenths.",
    twin=dict(bound=_plugged_in, why=r"$\mathbb Ef(X)$, the mean of f at one sample"),
    **ESTIMATE,
)

lemma_1_second_moment = PAPER.always(
    "lemma-1/second-moment",
    statement=r"\mathbb E\theta^2\le\tfrac p{p-1}f_+\big(\sqrt{p\,\mathbb EX^2}\big)^2",
    hypotheses=[GIVEN, r"$f_+(\sqrt{p\,\mathbb EX^2})<\infty$", CUBIC],
    grid=dict(calls=CALLS),
    note=(
        r"An equality for monomials. Exactly $\frac p{p-1}\sum_n\gamma_n^2(pm)^n$, $m=\mathbb "
        r"EX^2$:"
        " for the exponential .77 of the bound at $m=.01$ and .17 at 4, $p=2$."
    ),
    twin=dict(**both(sides.second_moment_without_p, Scalar), why="no p under the root"),
    picture=pictures.u_shape,
    **tried(sides.second_moment, Scalar, _lemma_1), **ESTIMATE,
)

lemma_1_series = PAPER.always(
    "lemma-1/power-series",
    statement=r"\mathbb E\theta^2\le\tfrac p{p-1}f_+\big(\sqrt{p\,\mathbb EX^2}\big)^2",
    hypotheses=[INDEPENDENT, "$f$ the exponential or the error function"],
    grid=dict(loss=[ExponentialLoss(), SmoothedAbsolute(1.0)]),
    note="Functions that are no polynomials: nearly attained for small X, .17 of it for "
    r"$\mathbb EX^2=4$, $p=2$ and the exponential.",
    twin=scaled(Fraction(15, 16)),
    **tried(power_series.series_second_moment, Powers, bounds.scalar_second_moment), **ESTIMATE,
)
lemma_1_queries = PAPER.equal(
    "lemma-1/queries",
    statement=r"\mathbb EN=\tfrac1{p-1}",
    bound=bounds.expected_samples,
    simulate=simulate.samples,
    variance=_variance,
    margin=lambda p: 0.2 * bounds.expected_samples(p),
    grid=dict(p=P),
    note="The public sampler of degrees, tried within a fifth.",
    twin=dict(bound=_samples_plus, why="p/(p-1), the mean of an N that starts at 1"),
    **ESTIMATE | dict(quantity="number of samples"),
)

lemma_1_tail = PAPER.equal(
    "lemma-1/tail",
    statement=r"\Pr[N\ge z]=p^{-z}",
    hypotheses=["z a whole number; for other z the tail is that of the next one"],
    bound=bounds.sample_tail,
    simulate=simulate.at_least,
    low=0.0,
    high=1.0,
    margin=0.05,
    grid=dict(p=[1.2, 2.0, 5.0], z=[1, 3]),
    twin=dict(bound=_next_tail, why="one sample fewer"),
    **ESTIMATE | dict(quantity="whether N is z or more", unit="probability"),
)

lemma_1_importance = PAPER.always(
    "lemma-1/importance",
    statement=r"\mathbb E\theta^2\ge f_+\big(\sqrt{\mathbb EX^2}\big)^2\text{ for every law of }N",
    hypotheses=[CUBIC, "one degree at a time"],
    origin="sharper",
    note=(
        r"Attained by $P(N=n)\propto|\gamma_n|(\mathbb EX^2)^{n/2}$, which `importance_law` gives: "
        "for the exponential 9.36 where the geometric law with p = 2 has 11.14."
    ),
    twin=scaled(Fraction(1, 2)),
    **both(sides.importance, Degrees), **ESTIMATE,
)
lemma_1_averaged = PAPER.identity(
    "lemma-1/averaged-copies",
    statement=r"\mathbb E\theta_K^2=\tfrac p{p-1}\sum_n\gamma_n^2(pm_K)^n,\quad "
    r"m_K=(\mathbb EX)^2+\tfrac1K\mathrm{Var}X",
    hypotheses=[r"$f$ of degree at most 2", "each factor the mean of K = 2 copies"],
    given=dict(copies=2),
    origin="sharper",
    note="Exponential f, mean .5, unit variance, p = 2: 11.14, 6.33, 4.56, 3.81 at K = 1, 2, 4, 8.",
    twin=dict(given=dict(copies=1), why="the variance of one copy"),
    **tried(sides.averaged_factors, Scalar), **ESTIMATE,
)

lemma_1_coupled = PAPER.identity(
    "lemma-1/coupled",
    statement=r"\mathbb E\theta'^2=\sum_n\gamma_n(pm)^n\Big(\gamma_n+2\sum_{k>n}"
    r"\gamma_k\mu^{k-n}\Big),\quad\theta'=\sum_{n\le N}\gamma_np^nx_1\cdots x_n",
    hypotheses=[INDEPENDENT, CUBIC],
    given=dict(cross=2),
    origin="sharper",
    note=(
        "All degrees up to N from the same samples. Exponential f, mean .5, unit variance: 6.76, "
        "9.09, 15.48 at p = 1.5, 2, 3, where one degree at a time has 11.88, 11.14, 15.20: it can "
        "lose. The cost is the same."
    ),
    twin=dict(given=dict(cross=1), why="the cross terms without their 2"),
    **tried(sides.coupled, Scalar), **ESTIMATE,
)

p_tradeoff_printed = PAPER.always(
    "p-tradeoff/printed",
    statement=r"p<q\Rightarrow\mathbb E\theta_p^2\le\mathbb E\theta_q^2",
    hypotheses=[CUBIC],
    given=dict(restricted=0),
    expect="refuted",
    note=(
        r"Fewer samples, yes. But the factor $\frac p{p-1}$ grows without end as $p\to1$: the "
        r"second moment falls and then rises, for $x^n$ with its minimum at $p=\frac{n+1}n$."
    ),
    picture=pictures.u_shape,
    **tried(sides.variance_rises, Scalar), **ESTIMATE | dict(place="after Lemma 1, Sec. 3.2"),
)
p_tradeoff = PAPER.always(
    "p-tradeoff/repaired",
    statement=r"p^\star\le p<q\Rightarrow\mathbb E\theta_p^2\le\mathbb E\theta_q^2",
    hypotheses=[CUBIC, r"$p\ge p^\star$, where the mean degree is $\frac1{p-1}$"],
    given=dict(restricted=1),
    note=(
        r"$\frac{d\ln\mathbb E\theta^2}{d\ln p}=\bar n(p)-\frac1{p-1}$ with $\bar n$ "
        r"non-decreasing."
    ),
    twin=dict(given=dict(restricted=0), why="below the minimum as well"),
    **tried(sides.variance_rises, Scalar), **ESTIMATE | dict(place="after Lemma 1, Sec. 3.2"),
)
p_tradeoff_samples = PAPER.always(
    "p-tradeoff/samples",
    statement=r"p<q\Rightarrow\mathbb EN_q\le\mathbb EN_p",
    note="The half of the trade-off that always holds.",
    twin=scaled(Fraction(1, 2)),
    **tried(sides.samples_fall, Scalar), **ESTIMATE | dict(place="after Lemma 1, Sec. 3.2"),
)

best_p = PAPER.always(
    "p-tradeoff/best-p",
    statement=r"p(p-1)=\tfrac2{B_x}\Rightarrow u(p)\le u(q)\text{ for all }q>1,\quad "
    r"u(q)=B_w\big(\tfrac q{q-1}\big)^2e^{qB_x}",
    place="beside Theorem 1",
    hypotheses=["exponential kernel"],
    given=dict(numerator=2),
    origin="sharper",
    note=(
        "The p of the smallest bound for a linear loss; `best_p` finds it for every kernel and "
        "loss, within a number of queries if need be. Half of the tries are next to the best."
    ),
    quantity="u over the squared radius",
    twin=dict(given=dict(numerator=1), why="the p that is best for the map alone"),
    **both(power_series.best_parameter, Sampling),
)

footnote_1_printed = PAPER.always(
    "footnote-1/printed",
    statement=r"\mathbb EN=\mathbb EN'\Rightarrow B_\Psi B_g\le B'_\Psi B'_g"
    r"\text{ up to smaller order},\quad N'\ge1",
    place="footnote 1, Sec. 3.2",
    hypotheses=["linear kernel, squared loss, 1 to 4 expected samples of each N"],
    expect="refuted",
    note=(
        r"Print says that excluding $N=0$ would matter in smaller-order terms only. With one "
        r"expected sample the constants of $\sqrt T$ are 16 and 2, a factor of 8; with 2, 3, 4 "
        "samples 3.4, 2.4, 2.0."
    ),
    quantity="squared constant of root T",
    **both(sides.constants, Budget),
)
footnote_1 = PAPER.identity(
    "footnote-1/repaired",
    statement=r"\mathbb E\theta'^2=\gamma_0^2+2\gamma_0(f(\mathbb EX)-\gamma_0)+\tfrac1p\big("
    r"\mathbb E\theta^2-\tfrac p{p-1}\gamma_0^2\big),\quad "
    r"\theta'=\gamma_0+\gamma_{N'}\tfrac{p^{N'}}{p-1}x_1\cdots x_{N'}",
    hypotheses=[INDEPENDENT, CUBIC, r"$N'\ge1$, $\Pr[N'=n]=(p-1)/p^n$"],
    given=dict(cross=2),
    origin="candidate",
    note=(
        "What excluding 0 gains is a factor p of all but the constant's part, for one sample more. "
        "For as many samples it goes either way: features of the exponential kernel, $B_x=1$, have "
        "13.45 and 7.39 with 2 samples, 19.92 and 10.96 with 5; but at $B_x=2$ and 1.5 samples 70 "
        "and 202."
    ),
    twin=dict(given=dict(cross=1), why="the cross term without its 2"),
    **tried(sides.without_zero, Scalar), **ESTIMATE | dict(place="footnote 1, Sec. 3.2"),
)

recentring_printed = PAPER.always(
    "recentring/geometric",
    statement=r"\mathrm{Var}\,\theta\le C\,\mathrm{Var}X\text{ after expanding about }\mathbb EX",
    place="Sec. 3.2, remark after Lemma 1",
    hypotheses=[CUBIC],
    given=dict(geometric=1),
    expect="refuted",
    note=r"Expanding alone is not enough: $\theta=\frac p{p-1}\gamma_0$ at $N=0$ is itself random.",
    quantity="variance of the estimate",
    **tried(sides.recentred, Scalar),
)
recentring = PAPER.always(
    "recentring/repaired",
    statement=r"\mathrm{Var}\,\theta'\le\tfrac{\mathrm{Var}X}{p-1}\sum_{n\ge1}\gamma_n^2p^n,\quad"
    r"\theta'=\gamma_0+\gamma_N\tfrac{p^N}{p-1}\prod_j(x_j-\mathbb EX),\ N\ge1",
    place="Sec. 3.2, remark after Lemma 1",
    hypotheses=[CUBIC, r"$\mathrm{Var}X\le1$", r"$\gamma_n$ about $\mathbb EX$"],
    given=dict(geometric=0),
    note=(
        "Both changes that print names, the centre and the law of N: the variance vanishes "
        "with X's."
    ),
    quantity="variance of the estimate",
    twin=dict(given=dict(geometric=1), why="the law of N unchanged"),
    **tried(sides.recentred, Scalar),
)

TRUNCATED: dict[str, Any] = dict(
    place="Sec. 3.2, after Lemma 1", hypotheses=[CUBIC], quantity="estimate of f(E X)",
)
truncation = PAPER.identity(
    "truncation/second-moment",
    statement=r"\mathbb E\theta_D^2=(1-p^{-(D+1)})\,\mathbb E\theta^2,\quad N\text{ given }N\le D",
    given=dict(fewer=0),
    note="The factor is ours; print says that other degrees just increase the variance.",
    twin=dict(given=dict(fewer=1), why="conditioned on N < D"),
    **tried(sides.truncated, Scalar), **TRUNCATED,
)
truncation_mean = PAPER.identity(
    "truncation/mean",
    statement=r"\mathbb E\theta_D=f(\mathbb EX)",
    given=dict(fewer=0),
    twin=dict(given=dict(fewer=1), why="conditioned on N < D"),
    **tried(sides.truncated_mean, Scalar), **TRUNCATED,
)

key_idea_printed = PAPER.always(
    "key-idea-estimator/printed",
    statement=r"\sum_n\mathbb E|Q'_n-Q'_{n-1}|<\infty,\text{ so that }"
    r"\mathbb E|Q'_{2n}-Q'_{2n-1}|\le\mathbb E|Q'_n-Q'_{n-1}|",
    place="Sec. 3.2, the key idea",
    hypotheses=["f continuous on a bounded interval", r"$Q_n\to f$ uniformly"],
    expect="refuted",
    note=(
        r"Print asks for uniform convergence only. With Bernstein polynomials of $|q-\frac12|$ and "
        r"Bernoulli samples the differences grow: 0.19, 0.53, 14.3, 621, 32389 at $n=4,8,16,24,32$ "
        r"and $q=\frac12$. Then $\mathbb E|\theta|=\infty$ and the sum may not be exchanged. What "
        "is tried is a consequence of summability for terms this regular, not equivalent to it."
    ),
    picture=pictures.fixed_samples,
    quantity="mean size of a difference",
    **both(sides.summable, Polynomials),
)
key_idea = PAPER.identity(
    "key-idea-estimator/repaired",
    statement=r"\mathbb E\big[\tfrac1{p_N}(Q'_N-Q'_{N-1})\big]=f(\mathbb EX)",
    place="Sec. 3.2, the key idea",
    hypotheses=[r"$\sum_n\mathbb E|Q'_n-Q'_{n-1}|<\infty$", CUBIC, "Taylor sections"],
    given=dict(same=0),
    twin=dict(given=dict(same=1), why="one sample used n times"),
    quantity="estimate of f(E X)",
    **tried(sides.taylor_summable, Scalar),
)

bernoulli = PAPER.exists(
    "bernoulli-fixed-sample",
    statement=r"\min_{\deg P\le n}\max_q|f(q)-P(q)|\ge\tfrac1m\big|\textstyle\sum_{j\le m}"
    r"(-1)^jw_jf(q_j)\big|",
    place="Sec. 3.2, quoting Paninski, Proposition 8",
    hypotheses=["more than n + 1 possible parameters, which print leaves out",
                "three f that are no polynomials, of which one has a kink"],
    bound=bounds.best_approximation,
    exact=simulate.best_approximation,
    grid=dict(n=[1, 2, 3, 5], f=[simulate.Target(name) for name in simulate.TARGETS]),
    given=dict(known=0),
    note=(
        "Of Bernoulli samples every estimator from n of them has a polynomial of degree n as its "
        "mean; its worst bias is found by a linear programme: for the exponential .1059, .00876, "
        ".000545 at n = 1, 2, 3, for $|q-\\frac12|$ .25, .0625, .0625. It is 0 for polynomials."
    ),
    quantity="smallest worst bias",
    twin=dict(given=dict(known=1), why="n + 1 known parameters: interpolation"),
)
smoothness = PAPER.cited(
    "smoothness-necessary",
    statement=r"\mathbb E|\theta|N^k<\infty\Rightarrow f\in C^k",
    place="Sec. 3.2, quoting Bhandari and Bose",
    note="Print has no absolute value. A quoted result; the inequality beside it is on trial.",
    picture=pictures.fixed_samples,
)
smoothness_young = PAPER.always(
    "smoothness-necessary/finite-variance",
    statement=r"|\theta|N^k\le\tfrac12(\theta^2+N^{2k})",
    place="Sec. 3.2",
    grid=dict(k=[1, 2, 3]),
    quantity="size of the estimate times a power of N",
    twin=scaled(Fraction(1, 2)),
    **both(sides.young, Pair),
)
discontinuous = PAPER.cited(
    "discontinuous-impossible",
    statement=r"f\text{ discontinuous}\Rightarrow\text{no unbiased estimator of }f(\mathbb EX)",
    place="Sec. 3.2, quoting Bhandari and Bose",
    note="A quoted result; what a fixed number of samples leaves is on trial beside it.",
    picture=pictures.fixed_samples,
)
discontinuous_jump = PAPER.exists(
    "discontinuous-impossible/fixed-sample",
    statement=r"f\text{ jumps by }J\Rightarrow\text{worst bias from }n\text{ samples}\ge\tfrac J2",
    place="Sec. 3.2",
    bound=bounds.jump_bias,
    exact=simulate.jump,
    grid=dict(n=[1, 3, 6]), given=dict(wide=0.0),
    note="By a linear programme with both one-sided limits at 1/2; attained.",
    quantity="smallest worst bias",
    twin=dict(given=dict(wide=0.25), why="a ramp in place of the jump"),
)

noisy_labels = PAPER.identity(
    "noisy-labels/mean",
    statement=r"\mathbb E\tilde g=\mathbb E\tilde y\;\ell'(\mathbb E\tilde y\,\mathbb EX)",
    place="Sec. 2: can be readily extended to noisy values",
    hypotheses=["n + 1 independent copies of the label", "classification form"],
    given=dict(reuse=0),
    twin=dict(given=dict(reuse=1), why="one noisy label used again"),
    quantity="gradient length",
    **tried(sides.labels_mean, Scalar),
)
noisy_labels_second = PAPER.always(
    "noisy-labels/second-moment",
    statement=r"\mathbb E\tilde g^2\le B_{\tilde y}\tfrac p{p-1}"
    r"\ell'_+\big(\sqrt{pB_wB_\Psi B_{\tilde y}}\big)^2",
    place="Sec. 2: can be readily extended to noisy values",
    hypotheses=["n + 1 independent copies of the label"],
    origin="candidate",
    note="The bound is ours. Flipped signs are not zero-mean noise.",
    twin=scaled(Fraction(1, 2)),
    picture=gradient_moments,
    quantity="squared gradient length",
    **tried(sides.labels_second, Scalar, _labels),
)

def _geometric(s: float) -> str:
    """Second moment of the estimate of Erf(s) from samples of mean 1 and variance 1, p = 2."""
    found = second_moment(SmoothedAbsolute(s).coefficients(200), Geometric(2.0), 2.0)
    return f"{found:.3g}"


polynomial_tails = PAPER.cited(
    "polynomial-tails",
    statement=r"\text{polynomial query tails: much better constants}",
    place="end of Sec. 4.2",
    reason="no statement that could be tried",
    note=(
        r"Consistent: $\mathrm{Erf}(sa)$, $\mathbb EX=1$, unit Gaussian noise, second moments "
        f"{_geometric(0.5)}, {_geometric(1.0)}, {_geometric(2.0)} at $s=.5,1,2$ with geometric N "
        f"and $p=2$; the debiased multilevel estimate, of {debiased_samples():.2f} samples in the "
        "mean, has .46, 1.29, 2.03."
    ),
    picture=pictures.variance_against_cost,
)
