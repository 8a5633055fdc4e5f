r"""Algorithm 1 in explicit coordinates, many independent runs at once.

In one dimension a tensor is a number, so the feature of degree $n$ is one coordinate for every
kernel; in more dimensions kernels of finite degree have $\sum_nd^n$ coordinates. Nothing that is
queried depends on the predictor, so queries are drawn for many rounds of all runs together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
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
        self.last, self.factor = np.zeros((0, 1)), np.ones((0, 1))

    def _products(self, rounds: Whole, n: Whole, at: Whole, rng: np.random.Generator) -> Floats:
        """Products of n noisy copies of the instances of these rounds, of the estimates named."""
        x = self.x[rounds, 0]
        if self.noise.variance == 0:
            return np.asarray(x**n)
        out = np.ones(len(n))
        live = np.flatnonzero(n > 0)
        for j in range(int(n.max(initial=0))):
            drawn = self.noise.draw(1, rounds[live], np.full(len(live), j), rng=rng,
                                    before=self.last[at[live]]) * self.factor[at[live]]
            out[live] *= x[live] + drawn[:, 0]
            self.last[at[live]] = drawn
            live = live[n[live] > j + 1]
        return out

    def draw(
        self, rounds: Whole, rng: np.random.Generator, factor: Floats, before: Floats | None = None
    ) -> Whole:
        """An estimate for each round named; gives what it costs."""
        n, self.factor = self.law.draw(len(rounds), rng=rng), factor
        self.last = np.zeros((len(n), 1)) if before is None else before
        count = int(n.max(initial=0)) + 1
        weights = np.sqrt(self.kernel.coefficients(count)) / self.law.pmf(count)
        # Where the kernel has no such degree the copies are asked for and not looked at.
        live = np.flatnonzero(weights[n] != 0)
        values = np.zeros(len(n))
        values[live] = weights[n[live]] * self._products(rounds[live], n[live], live, rng)
        queries = n.copy()
        if isinstance(self.kernel, GaussianProduct):
            pairs = self.law.draw(len(rounds), rng=rng)
            k = np.arange(int(pairs.max(initial=0)) + 1)
            factorial = np.array([math.factorial(int(i)) for i in k], float)
            share = (-1 / self.kernel.sigma2) ** k / factorial / self.law.pmf(len(k))
            values *= share[pairs] * self._products(rounds, 2 * pairs, np.arange(len(n)), rng)
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

    def feature(self, t: int, width: int) -> Floats:
        """The exact coordinates."""
        power = float(self.x[t, 0]) ** np.arange(width)
        root = np.sqrt(self.kernel.coefficients(width))
        return np.asarray(root * power * self.kernel.envelope(self.x[t : t + 1])[0])

    def keep(self, which: Whole, who: Whole) -> None:
        """These estimates only, in this order, of the runs named."""
        self.values = self.values[which]
        self.places = who * self.width + self.degrees[which]

    def inner(self, w: Floats, part: slice) -> Floats:
        """Inner products of a part of the estimates with the predictors of their runs."""
        return np.asarray(w.ravel().take(self.places[part]) * self.values[part])

    def own(self) -> Floats:
        """Squared norms."""
        return np.asarray(self.values**2)

    def add(self, w: Floats, part: slice, factor: Floats) -> None:
        """Move the predictors of their runs, one estimate of each."""
        w.ravel()[self.places[part]] += factor * self.values[part]


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
        self.last, self.factor = np.zeros((0, d)), np.ones((0, 1))

    def draw(
        self, rounds: Whole, rng: np.random.Generator, factor: Floats, before: Floats | None = None
    ) -> Whole:
        """An estimate for each round named; gives what it costs."""
        n, self.factor = self.law.draw(len(rounds), rng=rng), factor
        self.last = np.zeros((len(n), self.x.shape[1])) if before is None else before
        degree = int(self.kernel.degree or 0)
        weights = np.sqrt(self.kernel.coefficients(degree + 1)) / self.law.pmf(degree + 1)
        self.vectors = np.zeros((len(n), self.width))
        for k in range(degree + 1):
            live = np.flatnonzero(n == k)
            tensor = np.full((len(live), 1), weights[k])
            for j in range(k if weights[k] else 0):
                drawn = self.noise.draw(
                    self.x.shape[1], rounds[live], np.full(len(live), j), rng=rng,
                    before=self.last[live],
                ) * self.factor[live]
                copies, self.last[live] = self.x[rounds[live]] + drawn, drawn
                tensor = (tensor[:, :, None] * copies[:, None]).reshape(
                    len(live), copies.shape[1] ** (j + 1)
                )
            self.vectors[live, self.starts[k] : self.starts[k + 1]] = tensor
        return n

    def fit(self, others: _Space) -> int:
        """All coordinates are there."""
        return self.width

    def feature(self, t: int, width: int) -> Floats:
        """The exact coordinates."""
        parts, now = [], np.ones(1)
        for beta in self.kernel.coefficients(int(self.kernel.degree or 0) + 1):
            parts.append(np.sqrt(beta) * now)
            now = np.outer(now, self.x[t]).ravel()
        return np.concatenate(parts)

    def keep(self, which: Whole, who: Whole) -> None:
        """These estimates only, in this order, of the runs named."""
        self.vectors, self.who = self.vectors[which], who

    def inner(self, w: Floats, part: slice) -> Floats:
        """Inner products of a part of the estimates with the predictors of their runs."""
        return np.asarray(np.einsum("ij,ij->i", w[self.who[part]], self.vectors[part]))

    def own(self) -> Floats:
        """Squared norms."""
        return np.asarray(np.square(self.vectors).sum(axis=1))

    def add(self, w: Floats, part: slice, factor: Floats) -> None:
        """Move the predictors of their runs, one estimate of each."""
        w[self.who[part]] += factor[:, None] * self.vectors[part]


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
    COUNT.number("size", size)
    loss.check_labels(examples.y)
    T, d = examples.x.shape
    kind: Any = _Line if d == 1 else _Space
    maps, inner = (kind(examples.x, kernel, p, noise) for _ in range(2))
    lengths, runs = law or Geometric(p), np.arange(size)
    regression, printed = loss.form == "regression", rule.projection == "printed"
    uneven = rule.gradient == "printed"
    still = bool(np.all(examples.x == examples.x[0]))
    w = np.zeros((size, maps.width))
    square, losses, squares, norms = np.zeros((4, size))
    queries, sums, total = np.zeros(size, np.int64), np.zeros((size, d)), np.zeros((size, d))
    feature = maps.feature(0, maps.width)
    steps = np.array([rule.step(t, 0.0) for t in range(T)])

    step = 1 if chosen else max(1, TOGETHER // (size * maps.each))
    for start in range(0, T, step):
        rounds = np.arange(start, min(start + step, T))
        owner = np.repeat(rounds, size)
        if chosen is None:
            factor = np.ones((len(owner), 1))
        else:
            feature = maps.feature(start, w.shape[1])
            factor = _held(chosen(start, w @ feature))[:, None]
        used = maps.draw(owner, rng, factor)
        c = lengths.draw(len(owner), rng=rng)
        slopes = _inverse(loss, lengths, int(c.max(initial=0)) + 1)[c]
        asked = np.repeat(np.arange(len(owner)), c)
        cost = inner.draw(owner[asked], rng, factor[asked], maps.last[asked])
        used += np.bincount(asked, cost, len(owner)).astype(np.int64)
        queries += used.reshape(-1, size).sum(axis=0)
        width = inner.fit(maps)
        if width > w.shape[1]:
            w = np.pad(w, ((0, 0), (0, width - w.shape[1])))
            feature = maps.feature(start, width)
        some = (slopes != 0) & (maps.own() != 0)
        # No other moves, whatever its inner products.
        at, ends, before = _in_turns(some.reshape(-1, size), labels is not None or printed)
        when, who, slopes = at // size, at % size, slopes[at]
        first, c = (np.cumsum(c) - c)[at], c[at]
        parts = np.cumsum(c) - c
        maps.width = width
        maps.keep(at, who)
        inner.keep(np.repeat(first - parts, c) + np.arange(c.sum()), np.repeat(who, c))
        own, pace, live = maps.own(), steps[rounds[when]], np.flatnonzero(c)
        edges = np.append(parts, c.sum())[ends].tolist()
        lives = np.searchsorted(live, ends).tolist()
        shown = np.repeat(examples.y[rounds, None], size, axis=1)
        told = shown[when, who]
        # A label stands before the product and in each factor, and its square is 1.
        turned = np.zeros(len(at), bool) if regression else (c % 2 == 0) | uneven
        features = feature[None] if still else np.stack([maps.feature(t, width) for t in rounds])
        held = np.empty((len(ends), *w.shape))
        for turn, (low, high) in enumerate(pairwise(ends)):
            held[turn], part, move = w, slice(low, high), who[low:high]
            if labels is not None:
                scores = w @ features[0 if still else turn]
                shown[turn] = labels(start + turn, scores, sums[:, 0])
                sums += shown[turn, :, None] * examples.x[start + turn]
                told[part] = shown[turn, move]
            if low == high and not printed:
                continue
            by = np.where(turned[part], told[part], 1.0) * slopes[part]
            if edges[turn + 1] > edges[turn]:
                products = inner.inner(w, slice(edges[turn], edges[turn + 1]))
                if regression:
                    products -= np.repeat(told[part], c[part])
                here = live[lives[turn] : lives[turn + 1]]
                by[here - low] *= np.multiply.reduceat(products, parts[here] - edges[turn])
            if rule.clip < math.inf:
                by *= np.minimum(1, rule.clip / np.maximum(np.sqrt(by**2 * own[part]), 1e-300))
            if rule.adaptive:
                squares[move] += by**2 * own[part]
                delta = -np.sqrt(2 * rule.Bw / np.maximum(squares[move], 1e-300)) * by
            else:
                delta = -pace[part] * by
            after = square[move] + (2 * delta * maps.inner(w, part) + delta**2 * own[part])
            square[move] = after
            maps.add(w, part, delta)
            # With the printed projection one may leave the ball, and is due again.
            over = (square > rule.Bw).nonzero()[0] if printed else move[after > rule.Bw]
            if len(over):
                # `projected`, many at a time.
                shrunk = rule.Bw / square[over] ** (2 if printed else 1)
                w[over] *= np.sqrt(shrunk)[:, None]
                square[over] *= shrunk
            np.maximum(norms, square, out=norms)
        held[-1] = w
        total += held[..., maps.linear][before, runs].sum(axis=0)
        seen = ((held @ feature)[before, runs] if still
                else np.einsum("tij,tj->ti", held[before, runs], features))
        losses = _one_by_one(losses, loss.value(shown, seen))
    if labels is None:
        sums += examples.y @ examples.x
    return Runs(losses, sums, queries, norms, total / T)


def _in_turns(busy: NDArray[np.bool_], rounds: bool) -> tuple[Whole, list[int], Whole]:
    """First the first busy round of every run, then the second of each, and so on.

    Gives their flat places, where turns begin and the last one ends, and the turns that each run
    had before each round. Runs are independent, so those of a turn need not be in one round; where
    something happens in every round, each is a turn.
    """
    at = np.flatnonzero(busy)
    if rounds:
        before = np.broadcast_to(np.arange(len(busy))[:, None], busy.shape)
        return at, np.append(0, np.cumsum(busy.sum(axis=1))).tolist(), before
    before = np.cumsum(busy, axis=0) - busy
    turn: Whole = before.ravel()[at]
    # There are at most `TOGETHER` rounds: so short numbers are put in order in one pass.
    order = np.argsort(turn.astype(np.uint16), kind="stable")
    return at[order], np.append(0, np.cumsum(np.bincount(turn))).tolist(), before


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
    losses, squares, norms = np.zeros((3, size))
    step = max(1, TOGETHER // (size * copies * d))
    for start in range(0, T, step):
        rounds = np.arange(start, min(start + step, T))
        x, drawn = examples.x[rounds], noise.in_turn(
            d, np.broadcast_to(rounds[:, None], (len(rounds), size)), copies, rng=rng
        )
        shown = np.repeat(examples.y[rounds, None], size, axis=1)
        held = np.empty((len(rounds) + 1, size, d))
        for i, t in enumerate(rounds.tolist()):
            held[i] = w
            if labels is not None:
                shown[i] = labels(t, w @ x[i], sums[:, 0])
                sums += np.multiply.outer(shown[i], x[i])
            noisy = drawn[i]
            if chosen is not None:
                noisy = noisy * _held(chosen(t, w @ x[i]))[:, None, None]
            noisy = x[i] + noisy
            if together:
                noisy = noisy.mean(axis=1, keepdims=True)
            along = noisy[:, -1]
            slope = loss.derivative(shown[i], np.einsum("ij,ij->i", w, noisy[:, 0]))
            gradient = slope[:, None] * along
            if known:
                gradient -= 2 * known * w
            if rule.clip < math.inf:
                long = np.sqrt(np.einsum("ij,ij->i", gradient, gradient))
                gradient *= np.minimum(1, rule.clip / np.maximum(long, 1e-300))[:, None]
            if rule.adaptive:
                squares += np.einsum("ij,ij->i", gradient, gradient)
                pace: Any = np.sqrt(2 * rule.Bw / np.maximum(squares, 1e-300))[:, None]
            else:
                pace = rule.step(t, 0.0)
            w = w - pace * gradient
            square = np.einsum("ij,ij->i", w, w)
            over = (square > rule.Bw).nonzero()[0]
            if len(over):
                w[over] *= np.sqrt(rule.Bw / square[over])[:, None]
        held[-1] = w
        total += held[:-1].sum(axis=0)
        seen = np.einsum("tij,tj->ti", held[:-1], x)
        losses = _one_by_one(losses, loss.value(shown, seen))
        largest = np.einsum("tij,tij->ti", held, held).max(axis=0)
        norms = np.maximum(norms, np.minimum(largest, rule.Bw))
    if labels is None:
        sums += examples.y @ examples.x
    return Runs(losses, sums, np.full(size, copies * T), norms, total / T)
