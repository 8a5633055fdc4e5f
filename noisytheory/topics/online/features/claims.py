"""Features, their estimates, gradient lengths and projections on trial: Sections 3.3, 4.1, 5.2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online import planning
from noisytheory.topics.online.bounds import Coefficients, asked_by
from noisytheory.topics.online.degrees import Fixed, Geometric
from noisytheory.topics.online.estimates.claims import CALLS, tried
from noisytheory.topics.online.features import bounds, pictures, sides, simulate
from noisytheory.topics.online.features.sides import (
    Balls,
    Features,
    Instances,
    Line,
    Points,
    Scores,
)
from noisytheory.topics.online.maps import Scheme
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import Numeric
from noisytheory.vocabulary.dot_products import InhomogeneousProduct, LinearProduct


def _unbiased(x: Numeric, z: Numeric, s2: Numeric) -> Numeric:
    return bounds.noisy_exponential_kernel(x, z, 0 * s2)


@asked_by(bounds.map_second_moment)
def _lemma_3(p: Numeric, Bx: Numeric, b0: Numeric, b1: Numeric, b2: Numeric) -> Numeric:
    return bounds.map_second_moment(p, Bx, Coefficients(b0, b1, b2))


@asked_by(bounds.gradient_second_moment)
def _lemma_2(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, g0: Numeric, g1: Numeric, g2: Numeric
) -> Numeric:
    return bounds.gradient_second_moment(p, Bw, Bpsi, Coefficients(g0, g1, g2))


@asked_by(bounds.gradient_second_moment)
def _lemma_2_regression(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, g0: Numeric, g1: Numeric, g2: Numeric, By: Numeric
) -> Numeric:
    return bounds.gradient_second_moment(p, Bw, Bpsi, Coefficients(g0, g1, g2), By)


COPIES = "independent copies with the instance as their mean"
SPACE = "points of three-dimensional space, a kernel of degree 4, repeated factors and uneven ones"
PLANE = "points of the plane, two-point noise, a kernel of degree 2"
LINEAR = r"linear kernel on the line, $\ell'$ of degree 2, two-point noise"

poly2_mean = PAPER.identity(
    "poly2-two-copies/mean",
    statement=r"\mathbb E[\tilde x\otimes\tilde x']=x\otimes x",
    place="Sec. 3.3",
    hypotheses=[COPIES],
    given=dict(together=0),
    twin=dict(given=dict(together=1), why="one copy used twice: the bias is the covariance"),
    quantity="an off-diagonal entry of the mean tensor",
    **both(sides.outer_product, Instances),
)
poly2_norm = PAPER.identity(
    "poly2-two-copies/second-moment",
    statement=r"\mathbb E\|\tilde x\otimes\tilde x'\|^2=(\mathbb E\|\tilde x\|^2)^2",
    place="Sec. 3.3",
    hypotheses=[COPIES],
    given=dict(together=0),
    origin="candidate",
    note="Not in print.",
    twin=dict(given=dict(together=1), why="one copy used twice"),
    quantity="mean squared norm",
    **both(sides.outer_norm, Instances),
)
poly2_kernels = PAPER.identity(
    "poly2-two-copies/kernels",
    statement=r"\mathbb E\,\widehat k(x,z)=k(x,z),\quad\mathbb E\,\widehat k(x,x)=k(x,x),\quad"
    r"\mathbb E\,\widehat{\|x\|^2}=\|x\|^2,\quad\mathbb E\hat a=\mathbb E\|\tilde x-x\|^2",
    place="beside Sec. 3.3",
    hypotheses=[COPIES, "two-point noise of the plane, four copies", "kernels of degree 2"],
    simulate=simulate.kernel_estimates,
    certify=simulate.kernel_estimates_exactly,
    grid=dict(of=["kernel_value", "gram_matrix", "gram_matrix, off", "squared_norm",
                  "noise_variance"],
              kernel=[InhomogeneousProduct(2)]),
    given=dict(together=0),
    rows=2,
    rounding=1e-9,
    origin="sharper",
    note="`kernel_value`, `gram_matrix`, on the diagonal and off, `squared_norm` and "
    "`noise_variance`, over all outcomes of the noise.",
    twin=dict(given=dict(together=1), why="one copy used for all"),
    quantity="mean estimate",
)
subroutine_2 = PAPER.identity(
    "subroutine-2",
    statement=r"\mathbb E\tilde\Psi(x)=\Psi(x)",
    place="Subroutine 2 and Eq. (2), Sec. 5.2; Lemma 3, first part",
    hypotheses=[COPIES, PLANE],
    given=dict(together=0),
    twin=dict(given=dict(together=1), why="one copy used for all factors"),
    quantity="a coordinate of the mean estimate",
    **tried(sides.map_mean, Instances),
)
subroutine_3 = PAPER.identity(
    "subroutine-3",
    statement=r"\mathbb E\,\mathrm{Prod}(\tilde\Psi(x),\tilde\Psi(x'))=k(x,x')",
    place="Subroutine 3, Sec. 5.2",
    hypotheses=[COPIES, PLANE, "independent estimates"],
    given=dict(power=1),
    note="The pseudo-code drops tildes. All outcomes of both degrees and of all copies.",
    twin=dict(given=dict(power=2), why="one weight taken twice"),
    quantity="mean of Prod",
    **tried(sides.prod_mean, Instances),
)
subroutine_4 = PAPER.identity(
    "subroutine-4",
    statement=r"\mathbb E\,\mathrm{Prod}(\tilde\Psi(x),x')=k(x,x')",
    place="Subroutine 4, Sec. 5.2",
    hypotheses=[COPIES, PLANE],
    given=dict(squared=0),
    twin=dict(given=dict(squared=1), why=r"$\beta_n$ where $\sqrt{\beta_n}$ belongs"),
    quantity="mean of Prod",
    **tried(sides.prod_explicit_mean, Instances),
)
lemma_4 = PAPER.identity(
    "lemma-4",
    statement=r"\mathrm{Prod}(\tilde\Psi,\tilde\Psi')=\langle\tilde\Psi,\tilde\Psi'\rangle",
    place="Lemma 4, Sec. 5.2",
    hypotheses=[SPACE],
    given=dict(power=1),
    note="Against tensors written out coordinate by coordinate.",
    twin=dict(given=dict(power=2), why="one weight taken twice"),
    picture=pictures.estimated_kernel,
    quantity="sum over degrees of Prod",
    **tried(sides.prod_is_inner_product, Features),
)
feature_map = PAPER.identity(
    "feature-map",
    statement=r"\langle\Psi(x),\Psi(x')\rangle=Q(\langle x,x'\rangle),\quad"
    r"\Psi(x)_{n,k}=\sqrt{\beta_n}\,x_{k_1}\cdots x_{k_n}",
    place="Sec. 5.2",
    hypotheses=[SPACE],
    given=dict(squared=0),
    twin=dict(given=dict(squared=1), why=r"$\beta_n$ where $\sqrt{\beta_n}$ belongs"),
    picture=pictures.estimated_kernel,
    quantity="inner product of features",
    **tried(sides.feature_map, Features),
)
lemma_3 = PAPER.always(
    "lemma-3",
    statement=r"\mathbb E\|\tilde\Psi(x)\|^2\le\tfrac p{p-1}Q(pB_x)",
    place="Lemma 3, Sec. 5.2",
    hypotheses=["copies with the instance as their mean, given those before", PLANE,
                r"$Q(pB_x)<\infty$, which print leaves out"],
    grid=dict(calls=CALLS), given=dict(kind="lemma"),
    rounding=1e-10,
    note="An equality for calls of one law, and else, dependent ones among them, with the largest "
    "mean square for $B_x$; its first part is the claim on Subroutine 2.",
    twin=dict(given=dict(kind="coupled"), why=r"no factor $\frac p{p-1}$",
              **both(sides.map_second_moment, Instances)),
    picture=pictures.map_moments,
    quantity="mean squared norm of an estimate",
    **tried(sides.map_second_moment, Instances, _lemma_3),
)
lemma_3_coupled = PAPER.always(
    "lemma-3/coupled",
    statement=r"\mathbb E\|\tilde\Psi'(x)\|^2\le Q(pB_x),\quad"
    r"\tilde\Psi'=\sum_{n\le N}p^n\sqrt{\beta_n}\,\tilde x^{(1)}\otimes\cdots\otimes\tilde x^{(n)}",
    place="beside Lemma 3, Sec. 5.2",
    hypotheses=[COPIES, PLANE],
    given=dict(kind="coupled"),
    rounding=1e-10,
    origin="sharper",
    note="All degrees up to N from the same copies: degrees are orthogonal, and the factor goes.",
    twin=dict(given=dict(kind="plain"), why="no p in the argument"),
    picture=pictures.map_moments,
    quantity="mean squared norm of an estimate",
    **tried(sides.coupled_second_moment, Instances),
)
incremental_norm = PAPER.identity(
    "incremental-norm",
    statement=r"\|w+\alpha\tilde\Psi\|^2=\|w\|^2+2\alpha\langle w,\tilde\Psi\rangle"
    r"+\alpha^2\|\tilde\Psi\|^2",
    place="beside Algorithm 1",
    given=dict(doubled=1),
    origin="candidate",
    note="One Prod a stored estimate in place of all pairs.",
    twin=dict(given=dict(doubled=0), why="the cross term without its 2"),
    picture=pictures.norms_and_calls,
    quantity="squared norm",
    **both(sides.incremental_norm, Instances),
)
incremental_equal = PAPER.identity(
    "incremental-norm/same-predictions",
    statement=r"w_{T+1},\bar w\text{ of the }O(T^2)\text{ form}="
    r"w_{T+1},\bar w\text{ of the printed loops}",
    place="beside Algorithm 1",
    simulate=simulate.same_predictions,
    certify=simulate.same_predictions_exactly,
    grid=dict(kernel=["exponential", "(1+a)^2"], T=[6, 11], of=["last", "average"]),
    given=dict(cross=2.0),
    rows=1,
    rounding=1e-9,
    origin="candidate",
    note="Both run on the same draws, projections included, p from 1.5 to 3 among them; certified "
    "to rounding by the floats.",
    twin=dict(given=dict(cross=1.0), why="the cross term without its 2"),
    quantity="score of a new instance",
)
algorithm_1 = PAPER.always(
    "algorithm-1",
    statement=r"\|w_t\|^2\le B_w\text{ for all }t",
    place="Algorithm 1, Sec. 4.1",
    hypotheses=["the projection repaired"],
    simulate=simulate.largest_norm,
    certify=simulate.largest_norm_exactly,
    grid=dict(kernel=["exponential", "(1+a)^2"], Bw=[0.25, 4.0]), given=dict(how="repaired"),
    rows=2,
    note=(
        "What Lemma 2 uses, with p from 1.5 to 3. Loss before update; the step is eta over "
        "root T; the gradient length must estimate y times the derivative, which the comment in "
        "print forgets."
    ),
    twin=dict(given=dict(how="printed"), why="projection as printed"),
    picture=pictures.norms_and_calls,
    quantity="largest squared norm of a predictor",
)
projection_printed = PAPER.always(
    "projection/printed",
    statement=r"\tilde n>B_w\Rightarrow\Big(\tfrac{\sqrt{B_w}}{\tilde n}\Big)^2\tilde n\le B_w",
    place="Algorithm 1, last line",
    given=dict(printed=1),
    expect="refuted",
    note=(
        r"$\tilde n$ is the squared norm: after the printed factor the squared norm is "
        r"$B_w/\tilde n$, outside of the ball where $B_w<\tilde n<1$."
    ),
    picture=pictures.norms_and_calls,
    quantity="squared norm after projection",
    **both(sides.projection, Balls),
)
projection = PAPER.identity(
    "projection/repaired",
    statement=r"\Big(\sqrt{B_w/\tilde n}\Big)^2\tilde n=\min(\tilde n,B_w)",
    place="Algorithm 1, last line",
    given=dict(printed=0),
    note=r"The factor $\sqrt{B_w/\tilde n}$ gives the nearest point of the ball.",
    twin=dict(given=dict(printed=1), why="the print"),
    quantity="squared norm after projection",
    **both(sides.projection_nearest, Balls),
)
subroutine_1_printed = PAPER.identity(
    "subroutine-1/printed",
    statement=r"\mathbb E\tilde g=y\,\ell'(y\langle w,\Psi(x)\rangle)",
    place="Subroutine 1 and Lemma 2, Sec. 4.1",
    hypotheses=[COPIES, LINEAR],
    given=dict(printed=1),
    expect="refuted",
    note=r"At $y=-1$ its mean is $-\ell'(\langle w,\Psi\rangle)$: the factor $y^n$ is missing.",
    quantity="mean gradient length",
    **tried(sides.gradient_mean, Scores),
)
subroutine_1 = PAPER.identity(
    "subroutine-1/repaired",
    statement=r"\mathbb E\tilde g=y\,\ell'(y\langle w,\Psi(x)\rangle),\quad"
    r"\tilde g=y^{n+1}\gamma_n\tfrac{p^{n+1}}{p-1}\prod_j\langle w,\tilde\Psi_j\rangle",
    place="Subroutine 1 and Lemma 2, Sec. 4.1",
    hypotheses=[COPIES, LINEAR],
    given=dict(printed=0),
    twin=dict(given=dict(printed=1), why="the print"),
    quantity="mean gradient length",
    **tried(sides.gradient_mean, Scores),
)
lemma_2_regression = PAPER.identity(
    "lemma-2/regression-mean",
    statement=r"\mathbb E\tilde g=\ell'(\langle w,\Psi(x)\rangle-y),\quad"
    r"\tilde g=\gamma_n\tfrac{p^{n+1}}{p-1}\prod_j(\langle w,\tilde\Psi_j\rangle-y)",
    place="Sec. 4.1: not hard to adapt to regression",
    hypotheses=[COPIES, LINEAR],
    given=dict(shifted=1),
    origin="candidate",
    note="Print leaves the adaptation to the reader.",
    twin=dict(given=dict(shifted=0), why="the label left out"),
    quantity="mean gradient length",
    **tried(sides.gradient_mean_regression, Scores),
)
lemma_2 = PAPER.always(
    "lemma-2/second-moment",
    statement=r"\mathbb E\tilde g^2\le\tfrac p{p-1}\ell'_+\big(\sqrt{pB_wB_\Psi}\big)^2",
    place="Lemma 2, Sec. 4.1",
    hypotheses=[COPIES, LINEAR, r"$\|w\|^2\le B_w$ and $\mathbb E\|\tilde\Psi\|^2\le B_\Psi$"],
    given=dict(kind="lemma"),
    note=r"The last hypotheses are used and not stated. Attained by monomials $\gamma_n$.",
    twin=dict(given=dict(kind="kernel"), why=r"$k(x,x)$ for $B_\Psi$"),
    picture=pictures.gradient_moments,
    quantity="mean squared gradient length",
    **tried(sides.gradient_second_moment, Scores, _lemma_2),
)
def _lengths(how: str) -> simulate.Lengths:
    r"""Estimators of this sort, and the planner's $B_g$ for $B_x=\tfrac32$."""
    kernel, known = LinearProduct(), (1.0, 1.5, LinearProduct(), simulate.SHORT)
    if how == "importance":
        best = planning.importance_laws(*known)
        return simulate.Lengths(how, Scheme(kernel, best.maps), best.lengths, best.Bg)
    law = Fixed(1) if how == "fixed" else Geometric(2.0)
    coupled = how != "single"
    _, Bg = planning.second_moments(None if how == "fixed" else 2.0, *known, coupled=coupled)
    return simulate.Lengths(how, Scheme(kernel, law, coupled=coupled), law, Bg)


def _promised(Bg: Numeric) -> Numeric:
    return Bg


lemma_2_public = PAPER.mean(
    "lemma-2/public-estimators",
    statement=r"\mathbb E\tilde g^2\le B_g",
    place="beside Lemma 2, Sec. 4.1",
    hypotheses=["linear kernel on the line, the loss $(a-1)^2$, two-point noise",
                "estimates of one degree, of all up to N, of importance, of a fixed degree"],
    bound=_promised,
    simulate=simulate.squared_lengths,
    rows=768,
    grid=dict(population=[_lengths(how) for how in ("single", "coupled", "importance", "fixed")]),
    low=0.0, high=lambda high: high, trivial=lambda high: high,
    origin="sharper",
    note="Lengths that `descend` takes from a predictor at the ball's edge, against what "
    "`second_moments` and `importance_laws` give the step and the regret bound.",
    quantity="squared gradient length",
    twin=scaled(Fraction(1, 2)),
)
lemma_2_regression_printed = PAPER.always(
    "lemma-2/regression-printed",
    statement=r"\mathbb E\tilde g^2\le\tfrac p{p-1}\ell'_+\big(\sqrt{pB_wB_\Psi}\big)^2",
    place="Sec. 2: they all hold for regression losses with slight modifications",
    hypotheses=[COPIES, LINEAR],
    given=dict(with_label=0),
    expect="refuted",
    note=r"No $y$ on the right side; the left side grows with it.",
    picture=pictures.gradient_moments,
    quantity="mean squared gradient length",
    **tried(sides.gradient_second_moment_regression, Scores),
)
lemma_2_regression_repaired = PAPER.always(
    "lemma-2/regression-repaired",
    statement=r"\mathbb E\tilde g^2\le\tfrac p{p-1}"
    r"\ell'_+\big(\sqrt p(\sqrt{B_wB_\Psi}+B_y)\big)^2",
    place="Lemma 2, Sec. 4.1, for a regression loss",
    hypotheses=[COPIES, LINEAR, r"$|y|\le B_y$"],
    given=dict(with_label=1),
    twin=dict(given=dict(with_label=0), why=r"without $B_y$"),
    picture=pictures.gradient_moments,
    quantity="mean squared gradient length",
    **tried(sides.gradient_second_moment_regression, Scores, _lemma_2_regression),
)
dot_product_psd = PAPER.always(
    "dot-product-psd",
    statement=r"\beta_k<0\Rightarrow\sum_{i,j}c_ic_jQ(x_ix_j)\le-\tfrac12|\beta_k|"
    r"\big(\textstyle\sum_ic_ix_i^k\big)^2<0\text{ for some }x,c",
    place="Sec. 5.2, quoting Schölkopf and Smola, Theorem 4.19",
    hypotheses=["instances fill a neighbourhood of 0"],
    given=dict(sphere=0),
    note=(
        "Points of the line near 0, weights that kill the degrees below k; other coefficients "
        "> 0. The nearer to 0, the nearer the factor comes to 1."
    ),
    twin=dict(given=dict(sphere=1), why="on the circle, where 2c^2 - 1 is positive definite"),
    quantity="half of what the negative coefficient gives",
    **both(sides.negative_form, Points),
)
binomial_printed = PAPER.always(
    "dot-product-psd/binomial-printed",
    statement=r"\sum_{i,j}c_ic_j(1+\langle x_i,x_j\rangle)^{-1}\ge0",
    place="Sec. 2, binomial kernels",
    given=dict(sign=1),
    expect="refuted",
    note=r"Alternating coefficients: on $\{0,1\}$ the Gram matrix has the eigenvalue $-0.2808$.",
    picture=pictures.binomial_kernels,
    quantity="minus the quadratic form",
    **both(sides.binomial_form, Line),
)
binomial = PAPER.always(
    "dot-product-psd/binomial-repaired",
    statement=r"\sum_{i,j}c_ic_j(1-\langle x_i,x_j\rangle)^{-1}\ge0",
    place="Sec. 2, binomial kernels",
    hypotheses=["instances of norm below 1"],
    given=dict(sign=-1),
    note=r"Theorem 1 then needs $pB_x<1$: not every $p>1$.",
    twin=dict(given=dict(sign=1), why="the print"),
    picture=pictures.binomial_kernels,
    quantity="minus the quadratic form",
    **both(sides.binomial_form, Line),
)

GAUSSIAN: dict[str, Any] = dict(
    place="Theorem 2, Sec. 4.1; subroutines in the technical report, reconstructed here",
)
ON_THE_LINE = GAUSSIAN | dict(
    hypotheses=[COPIES, r"one dimension, where all depends on $\mathbb E\tilde x^2$"],
)
gaussian_map = PAPER.equal(
    "gaussian-map",
    hypotheses=[COPIES, "one dimension", "two-point noise"],
    statement=r"\mathbb E\,\mathrm{Prod}(\tilde\Psi(x),x')=e^{-\|x-x'\|^2/\sigma^2}",
    bound=bounds.gaussian_kernel,
    simulate=simulate.gaussian_prod,
    variance=simulate.gaussian_prod_variance,
    margin=0.1,
    grid=dict(p=[2.5, 4.0], x=[0.5], z=[0.5, -0.25], sigma2=[2.0], a=[0.125]),
    rows=6144,
    quantity="Prod with a known instance",
    note="The public map, of 2 N_1 + N_2 queries; its variance is summed exactly.",
    twin=dict(bound=simulate.without_envelope, why="the envelope of x left out"),
    **GAUSSIAN,
)
gaussian_second_printed = PAPER.always(
    "theorem-2/second-moment/printed",
    statement=r"\mathbb E\|\tilde\Psi\|^2\le\big(\tfrac p{p-1}\big)^2"
    r"e^{(\sqrt pB_x+2p\sqrt{B_x})/\sigma^2}",
    expect="refuted",
    given=dict(exponent="printed"),
    note=(
        r"Not invariant under $x\to\lambda x$, $\sigma\to\lambda\sigma$. Noise-free, $p=2$: 928.68 "
        r"against 898.30 at $B_x=\sigma^2=1$, and against 24.54 at 100, where the kernel is the "
        r"same."
    ),
    picture=pictures.gaussian_units,
    quantity="mean squared norm of an estimate",
    **both(simulate.gaussian_second_moment, simulate.Gaussians,
           bounds.map_second_moment_gaussian_printed),
    **ON_THE_LINE,
)
gaussian_second = PAPER.always(
    "theorem-2/second-moment/repaired",
    statement=r"\mathbb E\|\tilde\Psi\|^2\le\big(\tfrac p{p-1}\big)^2e^{2(\sqrt p+p)B_x/\sigma^2}",
    given=dict(exponent="repaired"),
    note=r"Exactly $(\frac p{p-1})^2I_0(2\sqrt{pB_x^2}/\sigma^2)e^{2pB_x/\sigma^2}$ without noise.",
    picture=pictures.gaussian_units,
    quantity="mean squared norm of an estimate",
    twin=dict(given=dict(exponent="one two"), why=r"$(\sqrt p+2p)$: one factor 2 forgotten",
              **both(simulate.gaussian_second_moment, simulate.Gaussians)),
    **both(simulate.gaussian_second_moment, simulate.Gaussians,
           bounds.map_second_moment_gaussian),
    **ON_THE_LINE,
)
gaussian_constant_printed = PAPER.identity(
    "gaussian-constant/printed",
    statement=r"u(\lambda^2B_x,\lambda^2\sigma^2)=u(B_x,\sigma^2)",
    place="after Theorem 2",
    given=dict(exponent="printed"),
    expect="refuted",
    note=(
        r"Print: if $B_x/\sigma^2=O(1)$ then $u=O(1)$. Its own $u$ depends on the unit: at "
        r"$B_x=\sigma^2=10^{-4}$, $p=2$ the exponent is 401."
    ),
    picture=pictures.gaussian_units,
    quantity="exponent of u",
    **both(simulate.exponents, simulate.Gaussians),
)
gaussian_constant = PAPER.identity(
    "gaussian-constant/repaired",
    statement=r"u(\lambda^2B_x,\lambda^2\sigma^2)=u(B_x,\sigma^2)",
    place="after Theorem 2",
    given=dict(exponent="repaired"),
    note=r"Constant but large: $7390B_w$ at $B_x=\sigma^2$, $p=2$.",
    twin=dict(given=dict(exponent="printed"), why="the print"),
    picture=pictures.gaussian_units,
    quantity="exponent of u",
    **both(simulate.exponents, simulate.Gaussians),
)
mean_kernel_bias = PAPER.equal(
    "mean-kernel-bias",
    statement=r"\mathbb Ek(\tilde x,x')=k(x,x')\,e^{s^2\|x'\|^2/2}",
    place="Sec. 3.3: in general the mean of features is not the feature of the mean",
    hypotheses=["exponential kernel, Gaussian noise of variance s^2 a coordinate"],
    bound=bounds.noisy_exponential_kernel,
    simulate=simulate.noisy_kernel,
    variance=simulate.noisy_kernel_variance,
    margin=lambda x, z, s2: 0.1 * bounds.noisy_exponential_kernel(x, z, s2),
    grid=dict(x=[0.5, 1.0], z=[1.0], s2=[0.25, 1.0]),
    origin="candidate",
    picture=pictures.estimated_kernel,
    quantity="kernel value at a noisy copy",
    twin=dict(bound=_unbiased, why="no bias"),
)
