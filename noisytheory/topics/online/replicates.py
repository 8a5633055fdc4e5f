r"""Algorithm 1 in explicit coordinates, many independent runs at once.

In one dimension a tensor is a number, so the feature of degree $n$ is one coordinate for every
kernel; in more dimensions kernels of finite degree have $\sum_nd^n$ coordinates. Nothing that is
queried depends on the predictor, so queries are drawn for many rounds of all runs together; the
rounds themselves are compiled loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import DegreeLaw, Geometric
from noisytheory.topics.online.descent import Rule
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE
from noisytheory.vocabulary.dot_products import DotProduct, GaussianProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["Runs", "few_copies", "replicate"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Labels = Callable[[int, Floats, Floats], Floats]
Chosen = Callable[[int, Floats], Floats]
TOGETHER = 1 << 16
"""Numbers that are drawn at a time."""
COORDINATES = 4096
"""More are not written out."""


@dataclass
class Runs:
    """What many runs gave.

    Attributes
    ----------
    losses : array, shape (size,)
        Cumulative loss on the clean instances.
    sums : array, shape (size, d)
        Sum of label times instance.
    queries : array, shape (size,)
        Copies used in all.
    norms : array, shape (size,)
        Largest squared norm of a predictor.
    averaged : array, shape (size, d)
        Mean over the rounds of the linear part of the predictor.
    """

    losses: Floats
    sums: Floats
    queries: Whole
    norms: Floats
    averaged: Floats


class _Line:
    """Estimates of one-dimensional features: a degree and a number each."""

    def __init__(self, x: Floats, kernel: DotProduct, p: float, noise: InstanceNoise) -> None:
        self.x, self.kernel, self.law, self.noise = x, kernel, Geometric(p), noise
        self.width = 1
        self.linear = slice(1, 2)
        self.each = 1
        self.degrees, self.values = np.zeros(0, np.int64), np.zeros(0)
        # Of each estimate the noise that came last, which that of the next call may look at, and
        # what an adversary multiplies it by.
        self.last: Floats | None = None
        self.factor: Floats | None = None

    def _products(self, rounds: Whole, n: Whole, at: Whole, rng: np.random.Generator) -> Floats:
        """Products of n noisy copies of the instances of these rounds, of the estimates named."""
        x = self.x[rounds, 0]
        if self.noise.variance == 0:
            return np.asarray(x**n)
        out = np.ones(len(n))
        live = np.flatnonzero(n > 0)
        for j in range(int(n.max(initial=0))):
            which = at[live]
            drawn = self.noise.draw(1, rounds[live], np.full(len(live), j), rng=rng,
                                    before=None if self.last is None else self.last[which])
            if self.factor is not None:
                drawn = drawn * self.factor[which]
            out[live] *= x[live] + drawn[:, 0]
            if self.last is not None:
                self.last[which] = drawn
            live = live[n[live] > j + 1]
        return out

    def draw(
        self, rounds: Whole, rng: np.random.Generator, factor: Floats | None,
        before: Floats | None, looked_at: Any = True,
    ) -> Whole:
        """An estimate for each round named; gives what it costs."""
        n, self.factor, self.last = self.law.draw(len(rounds), rng=rng), factor, before
        count = int(n.max(initial=0)) + 1
        weights = np.sqrt(self.kernel.coefficients(count)) / self.law.pmf(count)
        # Where the kernel has no such degree the copies are asked for and not looked at.
        live = np.flatnonzero((weights[n] != 0) & looked_at)
        values = np.zeros(len(n))
        values[live] = weights[n[live]] * self._products(rounds[live], n[live], live, rng)
        queries = n.copy()
        if isinstance(self.kernel, GaussianProduct):
            pairs = self.law.draw(len(rounds), rng=rng)
            k = np.arange(int(pairs.max(initial=0)) + 1)
            factorial = np.array([math.factorial(int(i)) for i in k], float)
            share = (-1 / self.kernel.sigma2) ** k / factorial / self.law.pmf(len(k))
            values[live] *= share[pairs[live]] * self._products(
                rounds[live], 2 * pairs[live], live, rng)
            queries = n + 2 * pairs
        if self.kernel.degree is not None:
            n = np.minimum(n, self.kernel.degree)
        self.degrees, self.values = n, values
        return queries

    def fit(self, others: _Line) -> int:
        """Coordinates with what `others` may add; degrees that no predictor has count for 0."""
        self.width = max(self.width, int(others.degrees.max(initial=0)) + 1, 2)
        self.values[self.degrees >= self.width] = 0
        self.degrees = np.minimum(self.degrees, self.width - 1)
        return self.width

    def features(self, x: Floats, width: int) -> Floats:
        """The exact coordinates."""
        root = np.sqrt(self.kernel.coefficients(width))
        return np.asarray(root * x ** np.arange(width) * self.kernel.envelope(x)[:, None])

    def placed(self) -> tuple[Whole, Floats]:
        """Each estimate's first coordinate, and what it has from there on."""
        return self.degrees, self.values[:, None]


class _Space:
    """Estimates of features with finitely many coordinates, written out: a row each."""

    def __init__(self, x: Floats, kernel: DotProduct, p: float, noise: InstanceNoise) -> None:
        self.x, self.kernel, self.law, self.noise = x, kernel, Geometric(p), noise
        d = x.shape[1]
        if kernel.degree is None:
            raise ValueError(
                f"kernel must be of finite degree where instances have {d} dimensions, "
                f"got {kernel.name}"
            )
        sizes = [d**n for n in range(kernel.degree + 1)]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.width = self.each = int(self.starts[-1])
        if self.width > COORDINATES:
            raise ValueError(
                f"examples and kernel must have at most {COORDINATES} coordinates together, "
                f"got {self.width} for {d} dimensions and degree {kernel.degree}"
            )
        self.linear = slice(1, 1 + d)
        self.vectors = np.zeros((0, self.width))

    def draw(
        self, rounds: Whole, rng: np.random.Generator, factor: Floats | None,
        last: Floats | None, looked_at: Any = True,
    ) -> Whole:
        """An estimate for each round named; gives what it costs."""
        n = self.law.draw(len(rounds), rng=rng)
        degree = int(self.kernel.degree or 0)
        weights = np.sqrt(self.kernel.coefficients(degree + 1)) / self.law.pmf(degree + 1)
        self.vectors = np.zeros((len(n), self.width))
        for k in range(degree + 1):
            live = np.flatnonzero((n == k) & looked_at)
            tensor = np.full((len(live), 1), weights[k])
            for j in range(k if weights[k] else 0):
                drawn = self.noise.draw(
                    self.x.shape[1], rounds[live], np.full(len(live), j), rng=rng,
                    before=None if last is None else last[live],
                )
                if factor is not None:
                    drawn = drawn * factor[live]
                if last is not None:
                    last[live] = drawn
                copies = self.x[rounds[live]] + drawn
                tensor = (tensor[:, :, None] * copies[:, None]).reshape(
                    len(live), copies.shape[1] ** (j + 1)
                )
            self.vectors[live, self.starts[k] : self.starts[k + 1]] = tensor
        return n

    def fit(self, others: _Space) -> int:
        """All coordinates are there."""
        return self.width

    def features(self, x: Floats, width: int) -> Floats:
        """The exact coordinates."""
        parts, now = [], np.ones((len(x), 1))
        for beta in self.kernel.coefficients(int(self.kernel.degree or 0) + 1):
            parts.append(np.sqrt(beta) * now)
            now = (now[:, :, None] * x[:, None]).reshape(len(x), -1)
        return np.concatenate(parts, axis=1)

    def placed(self) -> tuple[Whole, Floats]:
        """Each estimate's first coordinate, and what it has from there on."""
        return np.zeros(len(self.vectors), np.int64), self.vectors


@on_one_thread
def replicate(
    examples: Examples, kernel: DotProduct, loss: AnalyticLoss, noise: InstanceNoise, rule: Rule, *,
    p: float, size: int, rng: np.random.Generator, labels: Labels | None = None,
    law: DegreeLaw | None = None, chosen: Chosen | None = None,
) -> Runs:
    r"""Independent runs of Algorithm 1, all rounds' queries included.

    Parameters
    ----------
    examples : Examples
        Fixed in advance. With more than one dimension the kernel must be of finite degree.
    kernel, loss, noise, rule
    p : float
        Of the geometric degrees.
    size : int
        Runs.
    rng : numpy.random.Generator
    labels : callable, optional
        ``(t, scores, sums)`` to the labels of round t: an adversary that sees the predictor. The
        sums are those of label times instance so far, along the first axis.
    law : DegreeLaw, optional
        Of the gradient's degree, in place of the geometric one.
    chosen : callable, optional
        ``(t, scores)`` to what the noise of round t is multiplied by, from -1 to 1: its law is
        chosen by an adversary that sees the predictor.

    Returns
    -------
    Runs

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> from noisytheory.vocabulary.sequences import constant
    >>> runs = replicate(constant(4), LinearProduct(), AffineLoss(), InstanceNoise("none", 0.0),
    ...                  Rule(1.0, 1.0, T=4), p=2.0, size=3, rng=np.random.default_rng(0))
    >>> runs.sums.ravel().tolist()
    [4.0, 4.0, 4.0]
    """
    from noisytheory.topics.online.compiled import play

    COUNT.number("size", size)
    loss.check_labels(examples.y)
    T, d = examples.x.shape
    kind: Any = _Line if d == 1 else _Space
    maps, inner = (kind(examples.x, kernel, p, noise) for _ in range(2))
    lengths, still = law or Geometric(p), bool(np.all(examples.x == examples.x[0]))
    w, state, total = np.zeros((size, maps.width)), np.zeros((3, size)), np.zeros((size, d))
    losses, queries, sums = np.zeros(size), np.zeros(size, np.int64), np.zeros((size, d))
    steps = _steps(rule, T)
    how = (rule.Bw, rule.clip, rule.adaptive, loss.form == "regression",
           rule.projection == "printed", rule.gradient == "printed")
    each = 1 if chosen else max(1, TOGETHER // (size * maps.each))
    for start in range(0, T, each):
        rounds = np.arange(start, min(start + each, T))
        x = examples.x[:1] if still else examples.x[rounds]
        owner, factor, last = np.repeat(rounds, size), None, None
        if chosen is not None:
            scores = w @ maps.features(x, w.shape[1])[0]
            factor = _held(chosen(start, scores))[:, None]
        if noise.law == "martingale":
            last = np.zeros((len(owner), d))
        used = maps.draw(owner, rng, factor, last)
        c = lengths.draw(len(owner), rng=rng)
        slopes = _inverse(loss, lengths, int(c.max(initial=0)) + 1)[c]
        asked = np.repeat(np.arange(len(owner)), c)
        # Where the loss has no such degree, inner estimates are asked for and not looked at.
        cost = inner.draw(
            owner[asked], rng, None if factor is None else factor[asked],
            None if last is None else last[asked], slopes[asked] != 0,
        )
        used += np.bincount(asked, cost, len(owner)).astype(np.int64)
        queries += used.reshape(-1, size).sum(axis=0)
        maps.width = width = inner.fit(maps)
        if width > w.shape[1]:
            w = np.pad(w, ((0, 0), (0, width - w.shape[1])))
        shown = np.repeat(examples.y[rounds, None], size, axis=1)
        seen, features = np.empty(shown.shape), maps.features(x, width)
        (places, vectors), (others, those) = maps.placed(), inner.placed()
        first, linear = np.append(0, np.cumsum(c)), maps.linear.start
        for turns in _turns(len(rounds), labels is not None):
            low, high = turns.start * size, turns.stop * size
            at = features if still else features[turns]
            if labels is not None:
                shown[turns] = labels(start + turns.start, w @ at[0], sums[:, 0])
                sums += shown[turns].T * examples.x[start + turns.start]
            play(w, state, total, places[low:high], vectors[low:high], slopes[low:high],
                 first[low : high + 1], others, those, shown[turns], at, linear,
                 steps[rounds[turns]], seen[turns], *how)
        losses = _one_by_one(losses, loss.value(shown, seen))
    if labels is None:
        sums += examples.y @ examples.x
    return Runs(losses, sums, queries, state[2], total / T)


def _steps(rule: Rule, T: int) -> Floats:
    """Of all rounds; adaptive ones are not known beforehand."""
    if rule.T is not None:
        return np.full(T, rule.step(0, 0.0))
    return np.array([rule.step(t, 0.0) for t in range(T)])


def _turns(rounds: int, seen: bool) -> list[slice]:
    """All rounds at once, or one by one for an adversary who sees the predictor."""
    return [slice(t, t + 1) for t in range(rounds)] if seen else [slice(0, rounds)]


def _one_by_one(losses: Floats, more: Floats) -> Floats:
    """Sums over the rounds: runs that are alike are so to the last bit, however many there are."""
    return np.asarray(np.cumsum(np.vstack([losses, more]), axis=0)[-1])


def _held(factor: Floats) -> Floats:
    """More than 1 would be more noise than was promised."""
    if np.abs(factor).max(initial=0) > 1:
        raise ValueError(f"chosen must give factors in [-1, 1], got {np.abs(factor).max():g}")
    return factor


def _inverse(loss: AnalyticLoss, law: DegreeLaw, count: int) -> Floats:
    share = law.pmf(count)
    return np.divide(loss.coefficients(count), share, out=np.zeros(count), where=share > 1e-300)


@on_one_thread
def few_copies(
    examples: Examples, loss: AnalyticLoss, noise: InstanceNoise, rule: Rule, *, copies: int,
    size: int, rng: np.random.Generator, known: float = 0.0, together: bool = False,
    labels: Labels | None = None, chosen: Chosen | None = None,
) -> Runs:
    r"""Gradient descent with the linear kernel and a fixed, small number of copies a round.

    With one copy the gradient is that of ordinary descent at the noisy instance. With two, the
    score is taken at one and the direction at the other: for a loss with an affine derivative that
    is unbiased. One copy and a known covariance $\Sigma$ do as well: $2\Sigma w$ is subtracted.

    Parameters
    ----------
    examples : Examples
    loss : AnalyticLoss
        With a derivative of degree at most 1.
    noise : InstanceNoise
    rule : Rule
    copies : int
        1 or 2, or with `together` any number.
    size : int
        Runs.
    rng : numpy.random.Generator
    known : float
        Variance of each coordinate that is corrected for.
    together : bool
        The mean of all copies serves as one.
    labels, chosen : callable, optional
        As in `replicate`.

    Returns
    -------
    Runs

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> from noisytheory.vocabulary.sequences import constant
    >>> runs = few_copies(constant(4), SquaredLoss(0.0, "regression"), InstanceNoise("none", 0.0),
    ...                   Rule(4.0, 1.0, T=4), copies=2, size=1, rng=np.random.default_rng(0))
    >>> runs.losses.tolist()
    [1.0]
    """
    from noisytheory.topics.online.compiled import play_few

    if loss.degree is None or loss.degree > 1:
        raise ValueError(f"loss must have an affine derivative, got {loss.name}")
    COUNT.number("size", size)
    COUNT.number("copies", copies)
    if copies > 2 and not together:
        raise ValueError(f"copies must be 1 or 2 where they are not averaged, got {copies}")
    NONNEGATIVE.number("known", known)
    loss.check_labels(examples.y)
    T, d = examples.x.shape
    w, total, sums = np.zeros((3, size, d))
    state, losses, steps = np.zeros((3, size)), np.zeros(size), _steps(rule, T)
    how = (rule.Bw, rule.clip, rule.adaptive, loss.form == "regression", float(known), together)
    gamma = loss.coefficients(2)
    each = max(1, TOGETHER // (size * copies * d))
    for start in range(0, T, each):
        rounds = np.arange(start, min(start + each, T))
        x, drawn = examples.x[rounds], noise.in_turn(
            d, np.broadcast_to(rounds[:, None], (len(rounds), size)), copies, rng=rng
        )
        shown = np.repeat(examples.y[rounds, None], size, axis=1)
        seen = np.empty(shown.shape)
        for turns in _turns(len(rounds), labels is not None or chosen is not None):
            t = start + turns.start
            if labels is not None:
                shown[turns] = labels(t, w @ examples.x[t], sums[:, 0])
                sums += shown[turns].T * examples.x[t]
            if chosen is not None:
                drawn[turns] *= _held(chosen(t, w @ examples.x[t]))[:, None, None]
            play_few(w, state, total, x[turns], drawn[turns], shown[turns], gamma,
                     steps[rounds[turns]], seen[turns], *how)
        losses = _one_by_one(losses, loss.value(shown, seen))
    if labels is None:
        sums += examples.y @ examples.x
    return Runs(losses, sums, np.full(size, copies * T), state[2], total / T)
