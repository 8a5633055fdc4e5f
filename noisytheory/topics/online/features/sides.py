r"""Both sides of the claims on features, their estimates, gradients and projections.

Tensors are written out coordinate by coordinate, all outcomes of degrees and copies enumerated,
and the public Prod, gradient length and projection compared with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.topics.online.estimates.sides import halved
from noisytheory.topics.online.maps import prod, prod_explicit
from noisytheory.topics.online.printed import gradient_length, projected
from noisytheory.vocabulary import enclosures

PARAMETERS = (1.25, 1.5, 2.0, 3.0)
DEGREE = 2


@dataclass
class Instances:
    """Two points of the plane, two-point noise on each, a kernel of degree 2 and p.

    The kernel's coefficients are squares, so that its features are rational.
    """

    x: Any
    z: Any
    noise: Any
    weights: Any
    root: Any
    p: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        weights = rng.integers(1, 5, (size, 2))
        first = rng.integers(-16, 17, (size, 2)) * 1.0
        # Mean zero: weights times values cancel.
        noise = np.stack([first * weights[:, 1:], -first * weights[:, :1]], axis=1) / 32
        noise[rng.random(size) < 0.1] = 0
        x, z = rng.integers(-16, 17, (2, size, 2)) / 16
        root = rng.integers(0, 7, (size, DEGREE + 1)) / 4
        return dict(x=x, z=z, noise=noise, weights=weights, root=root,
                    p=rng.choice(PARAMETERS, size))

    def kernel(self, a: Any) -> Any:
        """The kernel's series."""
        return sum(self.root[:, n] ** 2 * a**n for n in range(DEGREE + 1))

    def copies(
        self, centre: Any, n: int, *, together: bool = False, calls: str = "alike"
    ) -> Iterator[tuple[Any, Any]]:
        """Probability and n noisy copies, their noise `halved` or not; or all with the same."""
        total = self.weights.sum(axis=-1)
        chance = [self.weights[:, i] / (total + 0 * self.x[:, 0]) for i in (0, 1)]
        if together:
            for i in (0, 1):
                yield chance[i], [centre + self.noise[:, i]] * n
            return
        for which in itertools.product((0, 1), repeat=n):
            probability: Any = 1
            for i in which:
                probability = probability * chance[i]
            yield probability, [centre + self.noise[:, i] / (2 if halved(calls, which, call) else 1)
                                for call, i in enumerate(which)]

    def square(self, centre: Any) -> Any:
        """Mean square of a copy."""
        total: Any = 0
        for probability, (copy,) in self.copies(centre, 1):
            total = total + probability * _dot(copy, copy)
        return total

    def weight(self, n: int, power: int = 1) -> Any:
        """Of an estimate of degree n: the root of the coefficient over the probability."""
        return self.root[:, n] * (self.p ** (n + 1) / (self.p - 1)) ** power

    def chance(self, n: int) -> Any:
        """Probability of a degree."""
        return (self.p - 1) / self.p ** (n + 1)


def _dot(a: Any, b: Any) -> Any:
    return (a * b).sum(axis=-1)


def _columns(vectors: list[Any]) -> list[list[Any]]:
    """As the public Prod takes them: a list of coordinates, each an array over instances."""
    return [[v[:, k] for k in range(v.shape[1])] for v in vectors]


def _tensor(vectors: list[Any]) -> list[Any]:
    """All products of coordinates, one of each vector."""
    out: list[Any] = [1]
    for v in vectors:
        out = [a * v[:, k] for a in out for k in range(v.shape[1])]
    return out


def _size(at: Instances) -> Any:
    """What sums over outcomes are made of."""
    reach = sum(abs(at.noise[:, i]).sum(axis=-1) for i in (0, 1))
    reach = reach + abs(at.x).sum(axis=-1) + abs(at.z).sum(axis=-1)
    return 1 + at.kernel(reach**2) * 16


def outer_product(at: Instances, together: bool) -> dict[str, Any]:
    r"""An entry of $\mathbb E[\tilde x\otimes\tilde x']$ and of $x\otimes x$."""
    total: Any = 0
    for probability, (first, second) in at.copies(at.x, 2, together=together):
        total = total + probability * first[:, 0] * second[:, 1]
    return dict(lhs=total, rhs=at.x[:, 0] * at.x[:, 1], scale=_size(at))


def outer_norm(at: Instances, together: bool) -> dict[str, Any]:
    r"""$\mathbb E\|\tilde x\otimes\tilde x'\|^2$ and $(\mathbb E\|\tilde x\|^2)^2$."""
    total: Any = 0
    for probability, pair in at.copies(at.x, 2, together=together):
        total = total + probability * sum(entry**2 for entry in _tensor(pair))
    return dict(lhs=total, rhs=at.square(at.x) ** 2, scale=_size(at))


def map_mean(at: Instances, together: bool) -> dict[str, Any]:
    """Subroutine 2: the mean of one coordinate of the estimate, and that of the feature."""
    total: Any = 0
    for probability, copies in at.copies(at.x, 2, together=together):
        total = total + probability * at.chance(2) * at.weight(2) * _tensor(copies)[1]
    return dict(lhs=total, rhs=at.root[:, 2] * at.x[:, 0] * at.x[:, 1], scale=_size(at))


def _estimates(
    at: Instances, centre: Any, calls: str = "alike"
) -> Iterator[tuple[Any, int, list[Any]]]:
    for n in range(DEGREE + 1):
        for probability, copies in at.copies(centre, n, calls=calls):
            yield at.chance(n) * probability, n, copies


def prod_mean(at: Instances, power: int) -> dict[str, Any]:
    """Subroutine 3: the mean of Prod of independent estimates, and the kernel."""
    total: Any = 0
    for a, n, first in _estimates(at, at.x):
        for b, m, second in _estimates(at, at.z):
            value = prod((n, at.weight(n), _columns(first)),
                         (m, at.weight(m, power), _columns(second)))
            total = total + a * b * value
    return dict(lhs=total, rhs=at.kernel(_dot(at.x, at.z)), scale=_size(at))


def prod_explicit_mean(at: Instances, squared: bool) -> dict[str, Any]:
    """Subroutine 4: the mean of Prod with a known instance, and the kernel."""
    total: Any = 0
    for a, n, copies in _estimates(at, at.x):
        def beta(k: int) -> Any:
            return at.root[:, k] ** (2 if squared else 1)

        value = prod_explicit((n, at.weight(n), _columns(copies)), beta,
                              [at.z[:, 0], at.z[:, 1]])
        total = total + a * value
    return dict(lhs=total, rhs=at.kernel(_dot(at.x, at.z)), scale=_size(at))


@dataclass
class Features:
    """Two tuples of four points of space each, a kernel of degree 4 and p."""

    x: Any
    z: Any
    root: Any
    p: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances; of some the points of a tuple coincide, of some degrees are missing."""
        x, z = rng.integers(-8, 9, (2, size, 4, 3)) / 8
        same = rng.random(size) < 0.25
        x[same] = x[same, :1]
        root = rng.integers(0, 5, (size, 5)) / 4 * (rng.random((size, 5)) < 0.8)
        return dict(x=x, z=z, root=root, p=rng.choice(PARAMETERS, size))


def prod_is_inner_product(at: Features, power: int) -> dict[str, Any]:
    """Lemma 4: Prod, and the inner product of the written-out tensors; all degrees added up."""
    found: Any = 0
    true: Any = 0
    size: Any = 1
    for n in range(5):
        first, second = ([v[:, j] for j in range(n)] for v in (at.x, at.z))
        # Powers of p kept out of what is added up: 5^10 would drown the rest.
        weight = at.root[:, n] * at.p**power, at.root[:, n] * at.p
        found = found + prod((n, weight[0], _columns(first)), (n, weight[1], _columns(second)))
        entries = zip(_tensor(first), _tensor(second), strict=True)
        true = true + (at.root[:, n] * at.p) ** 2 * sum(a * b for a, b in entries)
        size = size + 81 * (at.root[:, n] * at.p**2) ** 2
    return dict(lhs=found, rhs=true, scale=size)


def feature_map(at: Features, squared: bool) -> dict[str, Any]:
    r"""$\langle\Psi(x),\Psi(z)\rangle$ from coordinates, and $Q(\langle x,z\rangle)$."""
    total: Any = 0
    kernel: Any = 0
    x, z = at.x[:, 0], at.z[:, 0]
    for n in range(5):
        weight = at.root[:, n] ** (4 if squared else 2)
        entries = zip(_tensor([x] * n), _tensor([z] * n), strict=True)
        total = total + weight * sum(a * b for a, b in entries)
        kernel = kernel + at.root[:, n] ** 2 * _dot(x, z) ** n
    return dict(lhs=total, rhs=kernel, scale=1 + 81 * (at.root**2).sum(axis=-1))


def map_second_moment(at: Instances, kind: str, calls: str) -> dict[str, Any]:
    r"""Lemma 3: $\mathbb E\|\tilde\Psi\|^2$ by enumeration, and $\frac p{p-1}Q(pB_x)$."""
    total: Any = 0
    for a, n, copies in _estimates(at, at.x, calls):
        total = total + a * at.weight(n) ** 2 * sum(entry**2 for entry in _tensor(copies))
    square = at.square(at.x)
    rhs = at.kernel(at.p * square)
    roots = {f"b{n}": at.root[:, n] ** 2 for n in range(DEGREE + 1)}
    return dict(lhs=total, rhs=rhs if kind == "coupled" else at.p / (at.p - 1) * rhs, p=at.p,
                Bx=square, scale=_size(at) * 100, **roots)


def coupled_second_moment(at: Instances, kind: str) -> dict[str, Any]:
    r"""The coupled map, all degrees up to N from the same copies, and $Q(pB_x)$."""
    total: Any = 0
    for n in range(DEGREE + 1):
        # At the highest degree the whole tail: higher ones have no coefficient.
        chance = at.chance(n) if n < DEGREE else 1 / at.p**n
        for probability, copies in at.copies(at.x, n):
            square = sum(
                (at.root[:, k] * at.p**k) ** 2 * sum(e**2 for e in _tensor(copies[:k]))
                for k in range(n + 1)
            )
            total = total + chance * probability * square
    bound = at.kernel(at.p * at.square(at.x))
    return dict(lhs=total, rhs=bound if kind == "coupled" else at.kernel(at.square(at.x)),
                scale=_size(at) * 100)


def incremental_norm(at: Instances, doubled: bool) -> dict[str, Any]:
    r"""$\|w+\alpha\tilde\Psi\|^2$ written out, and by the recursion."""
    w = (1, at.weight(1), _columns([at.x]))
    new = (1, at.weight(1), _columns([at.z]))
    alpha = at.root[:, 0] - 1
    whole = [at.weight(1) * (at.x[:, k] + alpha * at.z[:, k]) for k in (0, 1)]
    cross = (2 if doubled else 1) * alpha * prod(w, new)
    return dict(lhs=prod(w, w) + cross + alpha**2 * prod(new, new), rhs=sum(v**2 for v in whole),
                scale=_size(at) * 100)


@dataclass
class Scores:
    """A predictor and an instance of the line, two-point noise, a derivative of degree 2, p."""

    w: Any
    x: Any
    noise: Any
    y: Any
    gamma: Any
    p: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        gamma = rng.integers(-8, 9, (size, 3)) / 4
        single = rng.random(size) < 0.3
        keep = rng.integers(0, 3, size)
        gamma[single] = np.eye(3)[keep[single]]
        return dict(w=rng.integers(-16, 17, size) / 16, x=rng.integers(-16, 17, size) / 16,
                    noise=rng.integers(0, 17, size) / 16 * (rng.random(size) < 0.7),
                    y=rng.choice([-1.0, 1.0], size), gamma=gamma, p=rng.choice(PARAMETERS, size))

    def slope(self, a: Any) -> Any:
        """The derivative."""
        return sum(self.gamma[:, n] * a**n for n in range(3))

    def chance(self, n: int) -> Any:
        """Probability of a degree."""
        return (self.p - 1) / self.p ** (n + 1)

    def estimates(self) -> list[tuple[Any, Any]]:
        """Products with an estimate of the linear kernel: 0 unless its degree is 1."""
        one = self.chance(1)
        return [(1 - one, 0 * self.x), *((one / 2, self.w * (self.x + s * self.noise) / one)
                                         for s in (1, -1))]


def _gradients(at: Scores, printed: bool, form: str, y: Any) -> Iterator[tuple[Any, Any]]:
    for n in range(3):
        for drawn in itertools.product(at.estimates(), repeat=n):
            probability = at.chance(n)
            for chance, _ in drawn:
                probability = probability * chance
            yield probability, gradient_length(
                y, n, at.gamma[:, n], 1 / at.chance(n), [v for _, v in drawn], form=form,
                printed=printed,
            )


def gradient_mean(at: Scores, printed: bool) -> dict[str, Any]:
    r"""$\mathbb E\tilde g$ by enumeration, and $y\,\ell'(y\langle w,x\rangle)$."""
    found = sum(a * g for a, g in _gradients(at, printed, "classification", at.y))
    return dict(lhs=found, rhs=at.y * at.slope(at.y * at.w * at.x),
                scale=1 + 64 * abs(at.gamma).sum(axis=-1), score=at.w * at.x)


def gradient_mean_regression(at: Scores, shifted: bool) -> dict[str, Any]:
    r"""$\mathbb E\tilde g$ of a regression loss, and $\ell'(\langle w,x\rangle-y)$."""
    y = at.y * 3
    found = sum(a * g for a, g in _gradients(at, False, "regression", y if shifted else 0 * y))
    return dict(lhs=found, rhs=at.slope(at.w * at.x - y),
                scale=1 + 512 * abs(at.gamma).sum(axis=-1))


def _moment_bound(at: Scores, reach: tuple[Any, Any]) -> tuple[Any, Any]:
    factor = at.p / (at.p - 1)
    low, high = (factor * sum(abs(at.gamma[:, n]) * end**n for n in range(3)) ** 2 for end in reach)
    return low, high


def gradient_second_moment(at: Scores, kind: str) -> dict[str, Any]:
    r"""Lemma 2: $\mathbb E\tilde g^2$ by enumeration, and its bound at $B_w=w^2$.

    $B_\Psi=\frac p{p-1}pB_x$ for the linear kernel; or wrongly $k(x,x)$.
    """
    found = sum(a * g**2 for a, g in _gradients(at, False, "classification", at.y))
    square = at.x**2 + at.noise**2 if kind == "lemma" else at.x**2
    Bpsi = at.p**2 / (at.p - 1) * square if kind == "lemma" else square
    return dict(lhs=found, rhs=_moment_bound(at, enclosures.sqrt(at.p * at.w**2 * Bpsi)),
                **_known(at, Bpsi))


def _known(at: Scores, Bpsi: Any) -> dict[str, Any]:
    """What the bound of Lemma 2 asks for."""
    return dict(p=at.p, Bw=at.w**2, Bpsi=Bpsi, **{f"g{n}": at.gamma[:, n] for n in range(3)})


def gradient_second_moment_regression(at: Scores, with_label: bool) -> dict[str, Any]:
    r"""The same of a regression loss, with $B_y$ and as printed without; |y| = 3."""
    y = at.y * 3
    found = sum(a * g**2 for a, g in _gradients(at, False, "regression", y))
    Bpsi = at.p**2 / (at.p - 1) * (at.x**2 + at.noise**2)
    low, high = enclosures.sqrt(at.p * at.w**2 * Bpsi)
    shift = [(end * 3 if with_label else end * 0) for end in enclosures.sqrt(at.p)]
    return dict(lhs=found, rhs=_moment_bound(at, (low + shift[0], high + shift[1])),
                By=abs(y) if with_label else 0 * y, **_known(at, Bpsi))


@dataclass
class Balls:
    """A squared radius and a squared norm."""

    Bw: Any
    square: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        Bw = rng.integers(1, 65, size) / 16
        square = rng.integers(1, 257, size) / 16
        return dict(Bw=Bw, square=np.where(rng.random(size) < 0.1, Bw, square))


def projection(at: Balls, printed: bool) -> dict[str, Any]:
    """The squared norm after the public projection, and the squared radius."""
    factor = _each(at, printed)
    return dict(lhs=factor * at.square, rhs=at.Bw, factor=factor)


def projection_nearest(at: Balls, printed: bool) -> dict[str, Any]:
    """Squared norm after projection, and that of the nearest point of the ball."""
    inside = at.square <= at.Bw
    return dict(lhs=_each(at, printed) * at.square, rhs=np.where(inside, at.square, at.Bw))


def _each(at: Balls, printed: bool) -> Any:
    found = [projected(s, b, printed=printed) for s, b in zip(at.square, at.Bw, strict=True)]
    return np.array(found, dtype=at.square.dtype)


@dataclass
class Points:
    """Three points of the line and weights on them; a power series with one negative coefficient.

    Points are small, the weights kill all degrees below the negative one's.
    """

    k: Any
    size: Any
    beta: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        return dict(k=rng.integers(0, 3, size), size=2.0 ** -rng.integers(3, 7, size),
                    beta=rng.integers(1, 9, (size, 5)) / 4)


WEIGHTS = {0: [1], 1: [1, -1], 2: [1, -2, 1]}
"""Weights on 1, ..., k + 1 that kill the powers below k."""


def negative_form(at: Points, sphere: bool) -> dict[str, Any]:
    r"""Half of $|\beta_k|(\sum_ic_ix_i^k)^2$, and minus a quadratic form of the kernel.

    On the circle a kernel may have a negative coefficient all the same: 2c^2 - 1 is the cosine of
    the double angle.
    """
    out = 0 * at.size
    if sphere:
        # Points at angles with rational sines and cosines; weights 1, 1, 1.
        x = [(1, 0), (0, 1), (3 * at.size / at.size / 5, 4 * at.size / at.size / 5)]
        for first, second in itertools.product(x, repeat=2):
            out = out + 2 * (first[0] * second[0] + first[1] * second[1]) ** 2 - 1
        return dict(lhs=9 * at.size / at.size / 2, rhs=-out)
    lead = 0 * at.size
    for k, weights in WEIGHTS.items():
        form = 0 * at.size
        for (i, a), (j, b) in itertools.product(enumerate(weights), repeat=2):
            inner = (i + 1) * (j + 1) * at.size**2
            q = sum((-1 if n == k else 1) * at.beta[:, n] * inner**n for n in range(5))
            form = form + a * b * q
        moment = sum(a * (i + 1) ** k for i, a in enumerate(weights)) * at.size**k
        out = np.where(at.k == k, form, out)
        lead = np.where(at.k == k, at.beta[:, k] * moment**2, lead)
    # Small enough for the negative term to lead.
    return dict(lhs=lead / 2, rhs=-out, applies=at.size <= 1 / 32)


@dataclass
class Line:
    """Points of the line inside the unit ball and weights."""

    x: Any
    weights: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        x = rng.integers(0, 15, (size, 3)) / 16
        return dict(x=x, weights=rng.integers(-4, 5, (size, 3)) * 1.0)


def binomial_form(at: Line, sign: int) -> dict[str, Any]:
    r"""Minus a quadratic form of $(1\pm\langle x,x'\rangle)^{-1}$, and zero."""
    total = 0 * at.x[:, 0]
    for i, j in itertools.product(range(3), repeat=2):
        total = total + at.weights[:, i] * at.weights[:, j] / (1 + sign * at.x[:, i] * at.x[:, j])
    return dict(lhs=-total, rhs=0 * total, scale=256 + 0 * total)
