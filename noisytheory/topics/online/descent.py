r"""Algorithm 1 in $O(T^2)$: incremental norms, one global scale, estimates stored by degree.

All queries are drawn beforehand, because none depends on the predictor: a tape. The norm follows
$\tilde n_t=\tilde n_{t-1}+2\alpha_t\langle w_t,\tilde\Psi_t\rangle+\alpha_t^2\|\tilde\Psi_t\|^2$,
and a projection changes one scale instead of all coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import DegreeLaw
from noisytheory.topics.online.maps import CopiesExhausted, Maps, Scheme, Source
from noisytheory.topics.online.printed import projected
from noisytheory.vocabulary.analytic import AnalyticLoss

__all__ = ["Descent", "Expansion", "Rule", "Tape", "descend", "draw_tape", "scores_over_time"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

SMALLEST = 1e-100
"""Scale at which the coefficients take it over."""


@dataclass(frozen=True)
class Rule:
    r"""How the predictor moves.

    Parameters
    ----------
    Bw : float
        Squared radius of the ball.
    eta : float
        Step; the adaptive rule needs none.
    T : int, optional
        The step is $\eta/\sqrt T$; without it $\eta/\sqrt t$, for an unknown horizon.
    adaptive : bool
        Step $\sqrt{2B_w}/\sqrt{\sum_s\|\tilde g_s\tilde\Psi_s\|^2}$: free of tuning.
    clip : float
        Largest norm of a gradient estimate; longer ones are shortened, which costs a bias.
    projection, gradient : {"repaired", "printed"}
        What print has is there for the trials.
    coupled : bool
        The gradient length uses all degrees up to its N.

    Examples
    --------
    >>> Rule(1.0, 0.5, T=100).step(3, 0.0)
    0.05
    """

    Bw: float
    eta: float = 1.0
    T: int | None = None
    adaptive: bool = False
    clip: float = math.inf
    projection: Literal["repaired", "printed"] = "repaired"
    gradient: Literal["repaired", "printed"] = "repaired"
    coupled: bool = False

    def step(self, t: int, squares: float) -> float:
        """Of round t = 0, 1, ..., with what the gradients' squared norms add up to."""
        if self.adaptive:
            return math.sqrt(2 * self.Bw / squares) if squares > 0 else 0.0
        return self.eta / math.sqrt(self.T or t + 1)


@dataclass
class Tape:
    """Everything that the rounds' queries gave, before any predictor is known.

    Parameters
    ----------
    maps : Maps
        One estimate a round.
    inner : Maps
        The estimates that the gradient lengths need.
    first : array, shape (T + 1,)
        Round t has the inner estimates first[t] to first[t + 1].
    degrees : array, shape (T,)
        Degrees of the gradient lengths.
    skipped : array of bool, shape (T,)
        Rounds that had too few copies.
    """

    maps: Maps
    inner: Maps
    first: Whole
    degrees: Whole
    skipped: NDArray[np.bool_]

    @property
    def queries(self) -> Whole:
        """Copies used in each round."""
        counts = self.maps.queries.copy()
        np.add.at(counts, np.repeat(np.arange(len(self.degrees)), np.diff(self.first)),
                  self.inner.queries)
        return counts


def draw_tape(
    T: int, scheme: Scheme, law: DegreeLaw, source: Source, *, rng: np.random.Generator,
    available: int | None = None, cap: Literal["error", "skip"] = "error",
) -> Tape:
    """Query the oracles of T rounds: a map each, and as many more as the gradient lengths need.

    Parameters
    ----------
    T : int
        Rounds.
    scheme : Scheme
        Of the maps.
    law : DegreeLaw
        Of the degree of the gradient length.
    source : Source
    rng : numpy.random.Generator
    available : int, optional
        Copies that each round has.
    cap : {"error", "skip"}
        What a round does that needs more. A skipped round moves nothing, which biases the
        gradient by the factor of the probability of it.

    Returns
    -------
    Tape

    Raises
    ------
    CopiesExhausted
        If a round needs more copies than there are, and rounds are not skipped.
    """
    degrees, envelope = scheme.degrees(T, rng=rng)
    lengths = law.draw(T, rng=rng)
    rounds = np.repeat(np.arange(T), lengths)
    inner, inner_envelope = scheme.degrees(len(rounds), rng=rng)
    skipped = np.zeros(T, bool)
    if available is not None:
        needed = scheme.queries(degrees, envelope)
        np.add.at(needed, rounds, scheme.queries(inner, inner_envelope))
        skipped = needed > available
        if skipped.any() and cap == "error":
            raise CopiesExhausted(
                f"round {int(np.argmax(skipped))} needs {int(needed[np.argmax(skipped)])} copies "
                f"and has {available} ({int(skipped.sum())} of {T} rounds need more than they "
                "have): record more, take a larger p or a fixed number of copies, or skip them"
            )
        degrees, envelope = np.where(skipped, 0, degrees), np.where(skipped, 0, envelope)
        lengths = np.where(skipped, 0, lengths)
        keep = ~skipped[rounds]
        rounds, inner, inner_envelope = rounds[keep], inner[keep], inner_envelope[keep]
    first = np.concatenate([[0], np.cumsum(lengths)])
    return Tape(
        scheme.build(degrees, envelope, np.arange(T), source, rng=rng),
        scheme.build(inner, inner_envelope, rounds, source, rng=rng),
        first, lengths, skipped,
    )


@dataclass
class _Bucket:
    """Estimates of one degree, in the order of their rounds."""

    vectors: Floats
    weights: Floats
    rounds: Whole
    count: int = 0
    total: float = 0.0

    def append(self, vectors: Floats, weight: float, at: int) -> None:
        """Store a term, growing by doubling."""
        if self.count == len(self.weights):
            size = 2 * self.count
            self.vectors = np.resize(self.vectors, (size, *self.vectors.shape[1:]))
            self.weights = np.resize(self.weights, size)
            self.rounds = np.resize(self.rounds, size)
        self.vectors[self.count], self.weights[self.count] = vectors, weight
        self.rounds[self.count] = at
        self.count += 1
        self.total += weight


class Expansion:
    r"""A predictor $\rho\sum_ia_i\tilde\Psi_i$ in the RKHS.

    Parameters
    ----------
    scheme : Scheme
        Of its estimates.
    d : int
        Dimension of instances.

    Attributes
    ----------
    scale, square : float
        $\rho$, and the squared norm.
    buckets : dict
        By degree.
    """

    def __init__(self, scheme: Scheme, d: int) -> None:
        self.scheme, self.d = scheme, d
        self.scale, self.square = 1.0, 0.0
        self.buckets: dict[int, _Bucket] = {}
        self._factors = scheme.factors(64)

    def factor(self, n: int) -> float:
        """Weight of degree n in a coupled estimate."""
        if n >= len(self._factors):
            self._factors = self.scheme.factors(2 * n)
        return float(self._factors[n])

    def append(self, degree: int, weight: float, vectors: Floats, at: int) -> None:
        """One more term; the weight is the coefficient times the estimate's own."""
        if degree not in self.buckets:
            self.buckets[degree] = _Bucket(
                np.empty((8, degree, self.d)), np.empty(8), np.empty(8, np.int64)
            )
        self.buckets[degree].append(vectors, weight / self.scale, at)

    def inner(self, degree: int, weight: float, vectors: Floats) -> float:
        """Inner product with an estimate."""
        if not self.scheme.coupled:
            bucket = self.buckets.get(degree)
            if bucket is None:
                return 0.0
            if degree == 0:
                return weight * self.scale * bucket.total
            stored = bucket.vectors[: bucket.count]
            products = stored[:, 0].dot(vectors[0])
            for j in range(1, degree):
                products *= stored[:, j].dot(vectors[j])
            return weight * self.scale * float(bucket.weights[: bucket.count].dot(products))
        total = 0.0
        for most, bucket in self.buckets.items():
            products = bucket.weights[: bucket.count]
            total += self.factor(0) ** 2 * bucket.total
            for j in range(min(most, degree)):
                products = products * (bucket.vectors[: bucket.count, j] @ vectors[j])
                total += self.factor(j + 1) ** 2 * products.sum()
        return float(weight * self.scale * total)

    def own(self, degree: int, weight: float, vectors: Floats) -> float:
        """Squared norm of an estimate."""
        if not self.scheme.coupled:
            square = weight**2
            for vector in vectors:
                square *= float(vector.dot(vector))
            return square
        squares = np.cumprod(np.concatenate([[1.0], np.square(vectors).sum(axis=1)]))
        return float(weight**2 * sum(self.factor(n) ** 2 * s for n, s in enumerate(squares)))

    def terms(self, x: Floats) -> dict[int, Floats]:
        """Inner products of the estimates of each degree with features of known instances."""
        out = {}
        for degree, bucket in self.buckets.items():
            products = np.ones((bucket.count, len(x)))
            total = products * self.factor(0) * self._root(0) if self.scheme.coupled else products
            for j in range(degree):
                products = products * (bucket.vectors[: bucket.count, j] @ x.T)
                if self.scheme.coupled:
                    total = total + self.factor(j + 1) * self._root(j + 1) * products
            out[degree] = total if self.scheme.coupled else products * self._root(degree)
        return out

    def _root(self, n: int) -> float:
        return float(np.sqrt(self.scheme.kernel.coefficients(n + 1)[n]))

    def predict(
        self, x: Floats, weights: dict[int, Floats] | None = None, *, block: int = 512
    ) -> Floats:
        """Scores of known instances.

        Parameters
        ----------
        x : array, shape (m, d)
        weights : dict, optional
            Other coefficients by degree, as an average has.
        block : int
            Instances at a time.

        Returns
        -------
        ndarray, shape (m,)
        """
        out = np.zeros(len(x))
        for start in range(0, len(x), block):
            part = x[start : start + block]
            for degree, terms in self.terms(part).items():
                bucket = self.buckets[degree]
                own = self.scale * bucket.weights[: bucket.count]
                out[start : start + block] += (own if weights is None else weights[degree]) @ terms
        return np.asarray(out * self.scheme.kernel.envelope(x))


@dataclass
class Descent:
    """A run, and what it takes to go on.

    Attributes
    ----------
    expansion : Expansion
        The predictor after the last round.
    scales : list of float
        Global scale in force in each round.
    squares : float
        What the gradients' squared norms add up to.
    queries : list of int
        Copies used in each round.
    lengths : list of float
        Gradient lengths.
    norms : list of float
        Squared norm of the predictor of each round.
    """

    expansion: Expansion
    scales: list[float] = field(default_factory=list)
    squares: float = 0.0
    queries: list[int] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)

    @property
    def T(self) -> int:
        """Rounds so far."""
        return len(self.scales)

    def averaged(self) -> dict[int, Floats]:
        """Coefficients of the average of the predictors of all rounds, by degree."""
        left = np.concatenate([np.cumsum(np.asarray(self.scales)[::-1])[::-1], [0.0]])
        return {
            degree: bucket.weights[: bucket.count]
            * left[bucket.rounds[: bucket.count] + 1] / max(self.T, 1)
            for degree, bucket in self.expansion.buckets.items()
        }


def scores_over_time(run: Descent, x: Floats, *, block: int = 256) -> Floats:
    """Scores of the predictors of rounds 0, 1, ... on the clean instances of the same rounds.

    Parameters
    ----------
    run : Descent
    x : array, shape (T, d)
        Clean instances of the rounds.
    block : int
        Rounds at a time.

    Returns
    -------
    ndarray, shape (T,)
    """
    out = np.zeros(len(x))
    for start in range(0, len(x), block):
        rounds = np.arange(start, min(start + block, len(x)))
        for degree, terms in run.expansion.terms(x[rounds]).items():
            bucket = run.expansion.buckets[degree]
            earlier = bucket.rounds[: bucket.count, None] < rounds
            out[rounds] += bucket.weights[: bucket.count] @ (terms * earlier)
    envelope = run.expansion.scheme.kernel.envelope(x)
    return np.asarray(out * np.asarray(run.scales[: len(x)]) * envelope)


def descend(
    tape: Tape, y: Floats, scheme: Scheme, loss: AnalyticLoss, law: DegreeLaw, rule: Rule, *,
    run: Descent | None = None,
) -> Descent:
    r"""Rounds of gradient descent on a tape.

    Parameters
    ----------
    tape : Tape
    y : array, shape (T,)
        Labels.
    scheme, loss, law, rule
        How the tape was drawn, and how the predictor moves.
    run : Descent, optional
        A run to go on with; it is changed.

    Returns
    -------
    Descent

    Raises
    ------
    ValueError
        If a label of a classification loss is neither 1 nor -1.

    Examples
    --------
    >>> from noisytheory.topics.online.degrees import Fixed
    >>> from noisytheory.topics.online.maps import NoisyOracle, fixed
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> from noisytheory.vocabulary.instance_noise import InstanceNoise
    >>> oracle = NoisyOracle(np.ones((4, 1)), InstanceNoise("none", 0.0))
    >>> scheme, law, rng = fixed(LinearProduct()), Fixed(0), np.random.default_rng(0)
    >>> tape = draw_tape(4, scheme, law, oracle, rng=rng)
    >>> run = descend(tape, np.ones(4), scheme, AffineLoss(), law, Rule(1.0, 1.0, T=4))
    >>> run.expansion.predict(np.ones((1, 1))).tolist(), run.norms
    ([1.0], [0.0, 0.25, 1.0, 1.0])
    """
    d = tape.maps.vectors.shape[1]
    run = run or Descent(Expansion(scheme, d))
    count = int(tape.degrees.max(initial=0)) + 1
    share = law.tails(count) if rule.coupled else law.pmf(count)
    gamma = np.divide(loss.coefficients(count), share, out=np.zeros(count), where=share > 1e-300)
    if loss.form == "classification" and not np.all(np.abs(y) == 1):
        strange = np.asarray(y)[np.abs(y) != 1][0]
        raise ValueError(f"y must be -1 or 1 for a classification loss, got {strange:g}")
    run.queries += tape.queries.tolist()
    expansion = run.expansion
    regression, printed = loss.form == "regression", rule.gradient == "printed"
    maps, inner = _listed(tape.maps), _listed(tape.inner)
    first, degrees, skipped = tape.first.tolist(), tape.degrees.tolist(), tape.skipped.tolist()
    gamma = gamma.tolist()
    for t, label in enumerate(np.asarray(y, float).tolist()):
        at = run.T
        run.scales.append(expansion.scale)
        run.norms.append(expansion.square)
        if skipped[t]:
            run.lengths.append(0.0)
            continue
        sign = 1.0 if regression or printed else label
        shift = label if regression else 0.0
        n = degrees[t]
        length, factor = gamma[0], 1.0
        if not rule.coupled and gamma[n] == 0:
            length = 0.0
        else:
            for j in range(n):
                product = expansion.inner(*inner(first[t] + j))
                factor *= sign * (product - shift)
                length = length + gamma[j + 1] * factor if rule.coupled else factor
            if not rule.coupled:
                length = gamma[n] * factor
        if not regression:
            length *= label
        run.lengths.append(length)
        if length:
            _move(run, maps(t), length, rule, at)
        # What is in the ball stays there; the printed factor may leave it and is due again.
        if expansion.square > rule.Bw:
            _project(run, rule)
    return run


def _listed(maps: Maps) -> Callable[[int], tuple[int, float, Floats]]:
    """`Maps.of`, for a loop: plain numbers are read faster from lists."""
    degrees, weights, starts = maps.degrees.tolist(), maps.weights.tolist(), maps.starts.tolist()
    vectors = maps.vectors

    def of(i: int) -> tuple[int, float, Floats]:
        return degrees[i], weights[i], vectors[starts[i] : starts[i + 1]]

    return of


def _move(
    run: Descent, estimate: tuple[int, float, Floats], length: float, rule: Rule, at: int
) -> None:
    """One step."""
    expansion = run.expansion
    degree, weight, vectors = estimate
    own = expansion.own(degree, weight, vectors)
    if own == 0:
        return
    size = length**2 * own
    if size > rule.clip**2:
        length *= rule.clip / math.sqrt(size)
        size = rule.clip**2
    run.squares += size
    alpha = -length * rule.step(at, run.squares)
    expansion.square += 2 * alpha * expansion.inner(*estimate) + alpha**2 * own
    expansion.append(degree, alpha * weight, vectors, at)


def _project(run: Descent, rule: Rule) -> None:
    """Shrink the predictor by one number."""
    expansion = run.expansion
    shrunk = projected(expansion.square, rule.Bw, printed=rule.projection == "printed")
    expansion.scale *= math.sqrt(shrunk)
    expansion.square *= shrunk
    if expansion.scale < SMALLEST:
        _rebase(run)


def _rebase(run: Descent) -> None:
    """Coefficients take over the scale before it underflows."""
    scale = run.expansion.scale
    for bucket in run.expansion.buckets.values():
        bucket.weights[: bucket.count] *= scale
        bucket.total *= scale
    run.scales = [s / scale for s in run.scales]
    run.expansion.scale = 1.0

