"""What a person plans a run with, on trial: the best p, copies to record, exact moments."""

from __future__ import annotations

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online.choices import enumerated
from noisytheory.trial.sides import worked

ENUMERATED = "to eleven digits: the public functions compute in floats"

coupled = PAPER.identity(
    "lemma-1/coupled-moment",
    statement=r"\mathbb E\theta'^2=\sum_n\tfrac{\gamma_nm^n}{\Pr[N\ge n]}\Big(\gamma_n+2\sum_{k>n}"
    r"\gamma_k\mu^{k-n}\Big)",
    place="beside Lemma 1, Sec. 3.2",
    hypotheses=["a cubic f, samples of two values", ENUMERATED],
    given=dict(sign=1),
    origin="sharper",
    note="`second_moment_coupled` against `coupled_estimate` at every outcome of N and samples, "
    "and `second_moment`, with one degree at a time, against `estimate`.",
    quantity="mean squared estimate",
    twin=dict(given=dict(sign=-1), why="the sign of the mean"),
    **worked(enumerated.coupled_moments),
)
best = PAPER.always(
    "p-tradeoff/public-best-p",
    statement=r"\mathrm{bound}(p^\star)\le\mathrm{bound}(p)\text{ for all }p>1",
    place="beside Theorem 1",
    hypotheses=["three pairs of a kernel and a loss", ENUMERATED,
                r"$p-1$ from a quarter to 4 times $p^\star-1$"],
    given=dict(shift=0.0),
    origin="candidate",
    note="`best_p` against others, the nearest a hundredth of its distance from 1 away.",
    quantity="regret bound at T = 1",
    twin=dict(given=dict(shift=0.0625), why="a sixteenth more"),
    **worked(enumerated.best_parameters),
)
admissible = PAPER.identity(
    "theorem-1-regret/admissible-p",
    statement=r"Q(pB_x)<\infty\iff p<\tfrac1{B_x},\quad Q(a)=(1-a)^{-\alpha}",
    place="Theorem 1, whose hypothesis print leaves out",
    hypotheses=["binomial kernels, a linear loss", "or the exponential loss, where floats end"],
    given=dict(root=0),
    rounding=1e-9,
    origin="candidate",
    note="`admissible_p`. Where the majorant of the exponential leaves the floats, at both ends, "
    "moments are finite a thousandth of p - 1 inside, and not as far outside.",
    quantity="largest p, or 1 where floats end there",
    twin=dict(given=dict(root=1), why=r"$\sqrt{B_x}$ for $B_x$"),
    **worked(enumerated.admissible),
)
gaussian = PAPER.identity(
    "theorem-2/second-moment/public",
    statement=r"\mathbb E\|\tilde\Psi\|^2=\big(\tfrac p{p-1}\big)^2I_0\Big(\tfrac{2\sqrt{p\tau}}"
    r"{\sigma^2}\Big)e^{2pB_x/\sigma^2},\quad\tau=\|\mathbb E\tilde x\tilde x^\top\|_F^2",
    place="Theorem 2, Sec. 4.1",
    hypotheses=["our reconstruction of the subroutines", ENUMERATED],
    given=dict(line=0),
    origin="sharper",
    note="`gaussian_map_moment` against the series of the envelope and of the degrees.",
    quantity="mean squared norm of an estimate",
    twin=dict(given=dict(line=1), why=r"$B_x^2$ for $\tau$, as on the line"),
    **worked(enumerated.gaussian_moments),
)
useful = PAPER.identity(
    "theorem-1-regret/first-useful-round",
    statement=r"\min\{T:\mathrm{bound}(T)<T(\max\ell-\min\ell)\}",
    place="beside Theorem 1",
    hypotheses=["four pairs of a kernel and a loss", "p = 1.5, 2, 3"],
    given=dict(share=1.0),
    origin="candidate",
    note="`first_useful_round` against `regret` and `trivial_regret` at every T up to 20,000.",
    quantity="round",
    twin=dict(given=dict(share=0.5), why="half of the loss's range"),
    **worked(enumerated.useful_rounds),
)
quantile = PAPER.identity(
    "query-cap/least-quantile",
    statement=r"\min\{M:\Pr[\max_{t\le T}\text{queries}\le M]\ge q\}",
    place="Sec. 2: an absolute bound on the number of queries",
    hypotheses=["dot-product kernels, and the Gaussian one by our reconstruction"],
    given=dict(alone=0),
    origin="candidate",
    note="`query_quantile` against the law of a round, added up query by query.",
    quantity="queries of a round",
    twin=dict(given=dict(alone=1), why="of one round"),
    **worked(enumerated.quantiles),
)
separation = PAPER.identity(
    "theorem-3/separation",
    statement=r"\min_w\max(R_A(w),R_B(w))=\big(1-\tfrac1{\sqrt5}\big)^2,\ \tfrac29"
    r"\quad\text{(squared, hinge)}",
    place="proof of Theorem 3, Sec. 5.3",
    hypotheses=["the paper's pair of laws, instances 3 and -1"],
    given=dict(nearer=0.0),
    rounding=1e-4,
    origin="candidate",
    note="`least_regret`, whose own error is below a thousandth here, against where the two risks "
    "meet.",
    quantity="least of the larger excess risks",
    twin=dict(given=dict(nearer=0.25), why="instances that are a quarter nearer to 1"),
    **worked(enumerated.separations),
)
bias = PAPER.identity(
    "mean-kernel-bias/exact",
    statement=r"\mathbb Ek(\tilde x,x')=k(x,x')\,e^{s^2\|x'\|^2/2}",
    place="Sec. 3.3: in general the mean of features is not the feature of the mean",
    hypotheses=["exponential kernel, Gaussian noise of variance s^2 a coordinate", ENUMERATED],
    given=dict(noisy=1),
    origin="candidate",
    note="`noisy_exponential_kernel` against a quadrature that is exact to rounding.",
    quantity="mean kernel value at a noisy copy",
    twin=dict(given=dict(noisy=0), why="no noise"),
    **worked(enumerated.biased_kernels),
)
