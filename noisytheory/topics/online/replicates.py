r"""Algorithm 1 in explicit coordinates, many independent runs at once.

In one dimension a tensor is a number, so the feature of degree $n$ is one coordinate for every
kernel; in more dimensions kernels of finite degree have $\sum_nd^n$ coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import DegreeLaw, Geometric
from noisytheory.topics.online.descent import Rule
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.dot_products import DotProduct, GaussianProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples

__all__ = ["Runs", "few_copies", "replicate"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Labels = Callable[[int, Floats, Floats], Floats]
FIRST = 64
"""Degrees for which there is room at first."""


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


class _Powers:
    """Estimates of one-dimensional features: a degree and a number each."""

    def __init__(self, kernel: DotProduct, law: Geometric, noise: InstanceNoise) -> None:
        self.kernel, self.law, self.noise = kernel, law, noise
        self.weights = self._table(FIRST)

    def _table(self, count: int) -> Floats:
        return np.asarray(np.sqrt(self.kernel.coefficients(count)) / self.law.pmf(count))

    def _product(self, x: float, t: int, n: Whole, rng: np.random.Generator) -> Floats:
        """Products of n noisy copies."""
        if self.noise.variance == 0:
            return np.asarray(float(x) ** n)
        out = np.ones(len(n))
        for j in range(int(n.max(initial=0))):
            live = np.flatnonzero(n > j)
            at = np.full(len(live), t)
            out[live] *= x + self.noise.draw(1, at, np.full(len(live), j), rng=rng)[:, 0]
        return out

    def draw(
        self, x: Floats, t: int, size: int, rng: np.random.Generator
    ) -> tuple[Whole, Floats, Whole]:
        """Numbers of factors and what else a round draws, a replicate a row."""
        n = self.law.draw(size, rng=rng)
        if n.max(initial=0) >= len(self.weights):
            self.weights = self._table(2 * int(n.max()))
        value = self.weights[n] * self._product(float(x[0]), t, n, rng)
        if not isinstance(self.kernel, GaussianProduct):
            return n, value, n
        pairs = self.law.draw(size, rng=rng)
        most = int(pairs.max(initial=0))
        factorial = np.array([math.factorial(k) for k in range(most + 1)], float)
        square = self._product(float(x[0]), t, 2 * pairs, rng)
        sign = np.where(pairs % 2 == 0, 1.0, -1.0)
        value = value * sign / factorial[pairs] / self.law.pmf(len(factorial))[pairs] * square
        return n, value / self.kernel.sigma2**pairs, n + 2 * pairs

    def feature(self, x: Floats, count: int) -> Floats:
        """The exact coordinates."""
        power = float(x[0]) ** np.arange(count)
        root = np.sqrt(self.kernel.coefficients(count))
        return np.asarray(root * power * self.kernel.envelope(x[None])[0])


def replicate(
    examples: Examples, kernel: DotProduct, loss: AnalyticLoss, noise: InstanceNoise, rule: Rule, *,
    p: float, size: int, rng: np.random.Generator, labels: Labels | None = None,
    law: DegreeLaw | None = None,
) -> Runs:
    r"""Independent runs of Algorithm 1 on one-dimensional instances.

    Parameters
    ----------
    examples : Examples
        Fixed in advance, with d = 1.
    kernel, loss, noise, rule
    p : float
        Of the geometric degrees.
    size : int
        Runs.
    rng : numpy.random.Generator
    labels : callable, optional
        ``(t, scores, sums)`` to the labels of round t: an adversary that sees the predictor.
    law : DegreeLaw, optional
        Of the gradient's degree, in place of the geometric one.

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
    if examples.x.shape[1] != 1:
        raise ValueError(f"examples must have one dimension, got {examples.x.shape[1]}")
    maps = _Powers(kernel, Geometric(p), noise)
    lengths = law or Geometric(p)
    gammas = _inverse(loss, lengths, FIRST)
    w = np.zeros((size, FIRST if kernel.degree is None else kernel.degree + 1))
    square, losses, sums = np.zeros(size), np.zeros(size), np.zeros(size)
    averaged = np.zeros(size)
    norms, queries, squares = np.zeros(size), np.zeros(size, np.int64), np.zeros(size)
    regression = loss.form == "regression"
    linear = min(1, w.shape[1] - 1)

    def inner(which: Whole, degree: Whole, value: Floats) -> Floats:
        within = degree < w.shape[1]
        found = np.zeros(len(which))
        found[within] = w[which[within], degree[within]] * value[within]
        return found

    for t in range(examples.T):
        x = examples.x[t]
        scores = w @ maps.feature(x, w.shape[1])
        averaged += w[:, linear]
        y = np.full(size, examples.y[t]) if labels is None else labels(t, scores, sums)
        losses += loss.value(y, scores)
        sums += y * x[0]
        degree, value, used = maps.draw(x, t, size, rng)
        c = lengths.draw(size, rng=rng)
        if c.max(initial=0) >= len(gammas):
            gammas = _inverse(loss, lengths, 2 * int(c.max()))
        length = gammas[c] * (1.0 if regression else y)
        queries += used
        for j in range(int(c.max(initial=0))):
            live = np.flatnonzero((c > j) & (gammas[c] != 0))
            if not len(live):
                break
            n, v, more = maps.draw(x, t, len(live), rng)
            queries[live] += more
            factor = inner(live, n, v)
            if regression:
                factor -= y[live]
            elif rule.gradient == "repaired":
                factor *= y[live]
            length[live] *= factor
        move = np.flatnonzero((length != 0) & (value != 0))
        n, v = degree[move], value[move]
        if n.max(initial=0) >= w.shape[1]:
            w = np.pad(w, ((0, 0), (0, int(n.max()) + 1 - w.shape[1])))
        gradient = length[move] * v
        squares[move] += gradient**2
        step = np.sqrt(2 * rule.Bw / squares[move]) if rule.adaptive else rule.step(t, 0.0)
        delta = -step * gradient
        square[move] += 2 * delta * w[move, n] + delta**2
        w[move, n] += delta
        over = np.flatnonzero(square > rule.Bw)
        if len(over):
            # `projected`, many at a time.
            shrunk = rule.Bw / square[over] ** (2 if rule.projection == "printed" else 1)
            w[over] *= np.sqrt(shrunk)[:, None]
            square[over] *= shrunk
        np.maximum(norms, square, out=norms)
    return Runs(losses, sums[:, None], queries, norms, averaged[:, None] / examples.T)


def _inverse(loss: AnalyticLoss, law: DegreeLaw, count: int) -> Floats:
    share = law.pmf(count)
    return np.divide(loss.coefficients(count), share, out=np.zeros(count), where=share > 1e-300)


def few_copies(
    examples: Examples, loss: AnalyticLoss, noise: InstanceNoise, rule: Rule, *, copies: int,
    size: int, rng: np.random.Generator, known: float = 0.0, together: bool = False,
    labels: Labels | None = None,
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
    labels : callable, optional
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
    d = examples.x.shape[1]
    w, total = np.zeros((size, d)), np.zeros((size, d))
    losses, sums, squares = np.zeros(size), np.zeros((size, d)), np.zeros(size)
    norms = np.zeros(size)
    for t in range(examples.T):
        x = examples.x[t]
        total += w
        scores = w @ x
        y = np.full(size, examples.y[t]) if labels is None else labels(t, scores, sums[:, 0])
        losses += loss.value(y, scores)
        sums += y[:, None] * x
        calls = np.broadcast_to(np.arange(copies), (size, copies))
        seen = x + noise.draw(d, np.full((size, copies), t), calls, rng=rng)
        if together:
            seen = seen.mean(axis=1, keepdims=True)
        at, along = seen[:, 0], seen[:, -1]
        slope = loss.derivative(y, np.einsum("ij,ij->i", w, at))
        gradient = slope[:, None] * along - 2 * known * w
        squares += np.square(gradient).sum(axis=1)
        step = (
            np.sqrt(2 * rule.Bw / np.maximum(squares, 1e-300))[:, None] if rule.adaptive
            else rule.step(t, 0.0)
        )
        w = w - step * gradient
        square = np.square(w).sum(axis=1)
        over = square > rule.Bw
        w[over] *= np.sqrt(rule.Bw / square[over])[:, None]
        np.maximum(norms, np.minimum(square, rule.Bw), out=norms)
    return Runs(losses, sums, np.full(size, copies * examples.T), norms, total / examples.T)
