"""Runs and estimates by the public algorithms, and exact moments of those of Gaussian kernels."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.topics.online.copied_kernels import (
    gram_matrix,
    kernel_value,
    noise_variance,
    squared_norm,
)
from noisytheory.topics.online.degrees import DegreeLaw, Geometric
from noisytheory.topics.online.descent import Descent, Rule, Tape, descend, draw_tape
from noisytheory.topics.online.expansion import Expansion, Stack
from noisytheory.topics.online.maps import NoisyOracle, Scheme, prod
from noisytheory.topics.online.printed import PlainLearner, gradient_length, projected
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.analytic import ExponentialLoss, SquaredLoss
from noisytheory.vocabulary.dot_products import (
    DotProduct,
    ExponentialProduct,
    GaussianProduct,
    InhomogeneousProduct,
)
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import xor

Floats = NDArray[np.float64]
KERNELS: dict[str, DotProduct] = {
    "exponential": ExponentialProduct(), "(1+a)^2": InhomogeneousProduct(2),
}
P = (1.5, 2.0, 3.0)


def _tape(T: int, kernel: str, seed: int) -> tuple[Tape, Floats, Scheme, Geometric]:
    """Draws of a run on random examples, p among them."""
    rng = np.random.default_rng(seed)
    examples = xor(T, 0.5, int(rng.integers(1 << 30)))
    law = Geometric(float(rng.choice(P)))
    scheme = Scheme(KERNELS[kernel], law)
    oracle = NoisyOracle(examples.x, InstanceNoise("gaussian", 0.1))
    return draw_tape(T, scheme, law, oracle, rng=rng), examples.y, scheme, law


def _plain_run(
    tape: Tape, y: Floats, scheme: Scheme, law: Geometric, rule: Rule, cross: float = 2.0,
    played: list[float] | None = None,
) -> tuple[PlainLearner, float]:
    """Algorithm 1 in plain loops on a tape's draws; the norm's cross terms times `cross` / 2.

    Gives the learner and the largest squared norm that it had; `played` takes the rounds' scores.
    """
    most = 0.0
    T = len(y)
    plain = PlainLearner(scheme.kernel, ExponentialLoss(), rule.Bw, rule.eta, T, p=law.p)
    share = law.pmf(200)
    for t in range(T):
        if played is not None:
            played.append(float(plain.predict(POINT)[0]))
        n = int(tape.degrees[t])
        products = [plain.inner(tape.inner.of(int(tape.first[t]) + j)) for j in range(n)]
        length = gradient_length(
            y[t], n, float(ExponentialLoss().coefficients(n + 1)[n]), 1 / share[n], products
        )
        plain.alpha.append(-length * rule.eta / math.sqrt(T))
        degree, weight, vectors = tape.maps.of(t)
        plain.maps.append((degree, weight, list(vectors)))
        pairs = list(zip(plain.alpha, plain.maps, strict=True))
        square = sum(
            (1 if i == j else cross / 2) * a * b * float(prod(m, k))
            for i, (a, m) in enumerate(pairs) for j, (b, k) in enumerate(pairs)
        )
        shrunk = projected(square, rule.Bw, printed=rule.projection == "printed")
        most = max(most, square * shrunk)
        plain.alpha = [a * math.sqrt(shrunk) for a in plain.alpha]
    return plain, most


def _within(value: float) -> tuple[Fraction, Fraction]:
    """What a run of floats stands for: the rounding of terms of size 1 is far below this."""
    middle = Fraction(float(value))
    wide = max(abs(middle), Fraction(1)) / 10**10
    return middle - wide, middle + wide


POINT = np.array([[0.3, 0.4]])
COMPARED = Rule(0.3, 0.7)


def _both_forms(kernel: str, T: int, cross: float, of: str, seed: int) -> tuple[float, float]:
    """The fast one and the plain one on the same draws."""
    tape, y, scheme, law = _tape(T, kernel, seed)
    # Blocks far shorter than the run, so that what they hand on is tried as well.
    rule, average = replace(COMPARED, T=T), of == "average"
    run = descend(tape, y, scheme, ExponentialLoss(), law, rule, block=5)
    fast = run.expansion.predict(POINT, run.averaged() if average else None)
    played: list[float] | None = [] if average else None
    plain, _ = _plain_run(tape, y, scheme, law, rule, cross, played)
    slow = float(plain.predict(POINT)[0]) if played is None else math.fsum(played) / T
    return float(fast[0]), slow


def same_predictions(
    kernel: str, T: int, cross: float, of: str, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """A score by the fast form and by the printed loops, on the same draws: those of a seed.

    Of the last predictor, or of the average of those that were played.
    """
    seed = rng.integers(1 << 40, size=size)
    fast, plain = np.array([_both_forms(kernel, T, cross, of, int(s)) for s in seed]).T
    return dict(lhs=fast, rhs=plain, seed=seed, scale=np.ones(size))


def same_predictions_exactly(
    kernel: str, T: int, cross: float, of: str, seed: int
) -> Certificate:
    """Both runs once more, of these draws; floats as intervals."""
    fast, plain = _both_forms(kernel, T, cross, of, int(seed))
    return Certificate(
        _within(fast), Fraction(plain), [("fast", Fraction(fast)), ("printed", Fraction(plain))]
    )


def largest_norm(
    kernel: str, Bw: float, how: Any, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """The largest squared norm of a run, computed from its coefficients as well."""
    rule = Rule(Bw, 2.0, T=ROUNDS, projection=how)
    seed = rng.integers(1 << 40, size=size)
    out = np.empty(size)
    for row in range(size):
        tape, y, scheme, law = _tape(ROUNDS, kernel, int(seed[row]))
        run = descend(tape, y, scheme, ExponentialLoss(), law, rule)
        out[row] = max(*run.norms, run.expansion.square, _own_square(run))
    return dict(lhs=out, rhs=np.full(size, Bw), seed=seed)


ROUNDS = 24


def kernel_estimates(
    of: str, kernel: DotProduct, together: int, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Mean over all outcomes of the noise of four copies, two-point, and what is estimated."""
    x, z, noise = rng.integers(-16, 17, (3, size, 2)) / 16
    rows = range(size)
    lhs = [_mean_of(of, kernel, together, x[i], z[i], noise[i]) for i in rows]
    rhs = [float(_estimated(of, kernel, x[i], z[i], noise[i])) for i in rows]
    named = {f"{name}{j}": value[:, j] for name, value in zip("xzs", (x, z, noise), strict=True)
             for j in (0, 1)}
    return dict(lhs=np.array(lhs), rhs=np.array(rhs), scale=np.full(size, 64.0), **named)


SIGNS = {
    0: np.array(list(itertools.product((1, -1), repeat=4))), 1: np.array([[1] * 4, [-1] * 4]),
}
"""Of the noise of four copies: independent, or one for all."""


def _mean_of(
    of: str, kernel: DotProduct, together: int, x: Floats, z: Floats, noise: Floats
) -> float:
    """Over all outcomes of the noise, by the public name: of two copies of each instance, or of
    four of x, beside z itself."""
    signs = SIGNS[together][:, :, None]
    copies = x + signs * noise
    if of == "kernel_value":
        others = z + signs[:, 2:] * noise
        found = [kernel_value(kernel, *pair) for pair in zip(copies[:, :2], others, strict=True)]
    elif of in ("squared_norm", "noise_variance"):
        found = (squared_norm if of == "squared_norm" else noise_variance)(copies).tolist()
    else:
        gram = gram_matrix(kernel, np.append(copies, np.tile(z, (1, 4, 1)), axis=0))
        found = (np.diag(gram) if of == "gram_matrix" else gram[:, -1])[:-1].tolist()
    return math.fsum(found) / len(found)


def _estimated(of: str, kernel: DotProduct, x: Any, z: Any, noise: Any) -> Fraction:
    """The kernel, or a square, in fractions."""
    a, b, s = ([Fraction(float(v)) for v in point] for point in (x, z, noise))
    if of == "noise_variance":
        a = s
    if of not in ("kernel_value", "gram_matrix, off"):
        b = a
    inner = sum((v * w for v, w in zip(a, b, strict=True)), Fraction(0))
    if of in ("squared_norm", "noise_variance"):
        return inner
    weights = kernel.coefficients(int(kernel.degree or 0) + 1)
    return sum((Fraction(float(c)) * inner**n for n, c in enumerate(weights)), Fraction(0))


def kernel_estimates_exactly(
    of: str, kernel: DotProduct, together: int,
    x0: float, x1: float, z0: float, z1: float, s0: float, s1: float,
) -> Certificate:
    """The public estimate once more, to rounding, and the kernel in fractions."""
    x, z, noise = (np.array(pair) for pair in ((x0, x1), (z0, z1), (s0, s1)))
    found = _mean_of(of, kernel, together, x, z, noise)
    target = _estimated(of, kernel, x, z, noise)
    return Certificate(_within(found), target, [("mean", Fraction(found))])


SHORT = SquaredLoss(1.0)
"""Its derivative has the degree 1, so that lengths are bounded."""


@dataclass(frozen=True)
class Lengths:
    r"""How maps and gradient lengths are drawn on the line, $B_w=1$, and what is promised of them.

    Parameters
    ----------
    name : str
    scheme : Scheme
    law : DegreeLaw
    Bg : float
    """

    name: str
    scheme: Scheme
    law: DegreeLaw
    Bg: float

    @property
    def high(self) -> float:
        """Of the largest product that can be drawn."""
        share = self.law.tails(2) if self.scheme.coupled else self.law.pmf(2)
        gamma = abs(SHORT.coefficients(2)) / share
        return float(gamma[0] + gamma[1] * 1.5 * self.scheme.factors(2)[1]) ** 2


def squared_lengths(population: Lengths, *, size: int, rng: np.random.Generator) -> Floats:
    """Squared gradient lengths that descent takes where the predictor stays at the ball's edge."""
    scheme, law = population.scheme, population.law
    # A predictor at the edge, steps that are 0 in floats, and labels that say the opposite.
    run, rule = Descent(Expansion(scheme, 1)), Rule(1.0, 1e-320, T=10**12, coupled=scheme.coupled)
    one = 1 / run.expansion.factor(1) if scheme.coupled else 1.0
    run.expansion.append(1, np.array([one]), np.ones((1, 1, 1)), np.zeros(1), np.zeros(1, int))
    run.expansion.square = 1.0
    oracle = NoisyOracle(np.ones((size, 1)), InstanceNoise("rademacher", 0.25))
    tape = draw_tape(size, scheme, law, oracle, rng=rng)
    descend(tape, -np.ones(size), scheme, SHORT, law, rule, run=run)
    return np.asarray(np.square(run.lengths), float)


def _own_square(run: Descent) -> float:
    expansion: Expansion = run.expansion
    return expansion.scale * sum(
        float(bucket.at(expansion.base) @ expansion.inner(Stack([bucket.vectors[: bucket.count]])))
        for bucket in expansion.buckets.values()
    )


def largest_norm_exactly(kernel: str, Bw: float, how: Any, seed: int) -> Certificate:
    """The printed loops on the same draws: every norm from all pairs of estimates."""
    rule = Rule(Bw, 2.0, T=ROUNDS, projection=how)
    _, most = _plain_run(*_tape(ROUNDS, kernel, int(seed)), rule)
    return Certificate(_within(most), Fraction(Bw), [("norm", Fraction(most))])


def gaussian_prod(
    p: float, x: float, z: float, sigma2: float, a: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Prod of estimates of the feature of x with the known instance z."""
    kernel = GaussianProduct(sigma2)
    scheme = Scheme(kernel, Geometric(p))
    oracle = NoisyOracle(np.full((size, 1), x), InstanceNoise("rademacher", a))
    maps = scheme.estimate(np.arange(size), oracle, rng=rng)
    count = int(maps.degrees.max()) + 1
    root = np.sqrt(kernel.coefficients(count))
    values = maps.weights * root[maps.degrees] * float(kernel.envelope(np.array([[z]]))[0])
    live = np.flatnonzero(maps.degrees)
    if len(live):
        values[live] *= np.multiply.reduceat(maps.vectors[:, 0] * z, maps.starts[live])
    return np.asarray(values)


def _moment(p: float, m: float, tau: float, sigma2: float, z: float) -> float:
    r"""Exact second moment: of pairs $I_0(2\sqrt{p\tau}/\sigma^2)$, of the degree likewise."""
    factor = (p / (p - 1)) ** 2
    pairs = special.i0(2 * math.sqrt(p * tau) / sigma2)
    degree = special.i0(2 * math.sqrt(p * m * z * z) * 2 / sigma2)
    return float(factor * pairs * degree * math.exp(-2 * z * z / sigma2))


def gaussian_prod_variance(p: float, x: float, z: float, sigma2: float, a: float) -> float:
    """Exact variance of `gaussian_prod`."""
    m = x * x + a
    mean = math.exp(-((x - z) ** 2) / sigma2)
    return _moment(p, m, m * m, sigma2, z) - mean**2


def without_envelope(x: Any, z: Any, sigma2: Any) -> Any:
    """The kernel without the factor of x."""
    for name, value in (("x", x), ("z", z), ("sigma2", sigma2)):
        if not np.all(np.isfinite(value)):
            raise ValueError(f"{name} must be finite, got {value}")
    return np.exp((2 * x * z - z**2) / sigma2)


def noisy_kernel(
    x: float, z: float, s2: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Exponential kernel at a noisy copy."""
    noise = InstanceNoise("gaussian", s2)
    copies = x + noise.draw(1, np.zeros(size, int), np.arange(size), rng=rng)[:, 0]
    return np.asarray(ExponentialProduct().at(copies * z))


def noisy_kernel_variance(x: float, z: float, s2: float) -> float:
    """Exact, of a log-normal variable."""
    return math.exp(2 * x * z + s2 * z * z) * math.expm1(s2 * z * z)


@dataclass
class Gaussians:
    """An instance of the line without noise, a width and p: a square, so that its root is one."""

    square: Any
    sigma2: Any
    root_p: Any
    root: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        root = rng.integers(1, 9, size) / 8
        unit = 4.0 ** rng.integers(-2, 4, size)
        ratio = rng.choice([0.5, 1.0, 2.0], size)
        return dict(square=root**2 * unit, sigma2=unit / ratio, root=root * np.sqrt(unit),
                    root_p=rng.choice([1.0625, 1.25, 1.5, 2.0], size))


TERMS = 60


def gaussian_second_moment(at: Gaussians, exponent: str) -> dict[str, Any]:
    r"""Exact $\mathbb E\|\tilde\Psi\|^2$ from the series of the envelope and of the degrees."""
    p = at.root_p**2
    ratio = at.square / at.sigma2
    factor = (p / (p - 1)) ** 2
    term, bessel = 1 + 0 * p, 1 + 0 * p
    for n in range(1, TERMS):
        term = term * p * ratio**2 / n**2
        bessel = bessel + term
    low, high = enclosures.exp(2 * p * ratio)
    # What is cut from the Bessel series is below its last term.
    left = (factor * bessel * low, factor * (bessel + term) * high)
    right = enclosures.exp(_exponent(at, exponent))
    return dict(lhs=left, rhs=(factor * right[0], factor * right[1]), p=p, Bx=at.square,
                sigma2=at.sigma2)


def _exponent(at: Gaussians, kind: str, unit: int = 1) -> Any:
    p, square, sigma2, root = at.root_p**2, at.square * unit**2, at.sigma2 * unit**2, at.root * unit
    if kind == "printed":
        return (at.root_p * square + 2 * p * root) / sigma2
    if kind == "one two":
        return (at.root_p + 2 * p) * square / sigma2
    return 2 * (at.root_p + p) * square / sigma2


def exponents(at: Gaussians, exponent: str) -> dict[str, Any]:
    """The exponent of u in one unit of length, and in another."""
    return dict(lhs=_exponent(at, exponent, 2), rhs=_exponent(at, exponent))
