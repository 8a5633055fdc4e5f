r"""Both sides of what is said of aggregate losses, for floats and fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import (
    average_loss,
    average_top_k,
    conjugate,
    level,
    maximum_loss,
    top_k_loss,
    top_weights,
    variational,
)
from noisytheory.topics.top_k.combinations import (
    ranked_range,
    ranked_range_weights,
    spectral,
    spectral_weights,
)
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.vectors import (
    UNIT,
    Losses,
    Pairs,
    Signed,
    by_subsets,
    by_threshold,
    ordered,
    summed,
)
from noisytheory.trial.claim import Certificate

Numbers = NDArray[Any]


def definitions(at: Losses, n: int, k: int, more: int) -> dict[str, Numbers]:
    """The four public aggregates, times what makes them sums, and the same over all subsets."""
    plain = at.losses.astype(float)
    found = (k * average_top_k(plain, k + more) + top_k_loss(plain, k + more)
             + n * average_loss(plain) + maximum_loss(plain))
    if at.losses.dtype == object:
        # Of sixteenths, with n and k powers of two, floats are exact.
        found = np.array([Fraction(value) for value in found], object)
    kth = by_subsets(at.losses, k) - by_subsets(at.losses, k - 1)
    everything = by_subsets(at.losses, n)
    return dict(lhs=found, rhs=by_subsets(at.losses, k) + kth + everything
                + by_subsets(at.losses, 1), kth=kth)


def cvar(at: Losses, n: int, k: int, dual: str) -> dict[str, Numbers]:
    """The worst mean over weights, in floats the public ones, against the least over thresholds."""
    taken = k if dual == "capped" else 1
    if at.losses.dtype == object:
        worst = by_subsets(at.losses, taken)
    else:
        # Of two public ways, by weights and of examples that count once each.
        weights = n * top_weights(at.losses, taken)
        worst = (weights * at.losses).sum(axis=1) / 2
        worst = worst + taken / 2 * average_top_k(at.losses, taken, np.ones(n))
        worst = worst + conjugate(weights / taken, taken)
    return dict(lhs=worst * k, rhs=by_threshold(at.losses, k) * taken)


def ends(at: Losses, n: int, less: int) -> dict[str, Numbers]:
    """k = 1 and k = n by thresholds: the maximum and the sum."""
    lhs = by_threshold(at.losses, 1) + by_threshold(at.losses, n - less)
    return dict(lhs=lhs, rhs=at.losses.max(axis=1) + at.losses.sum(axis=1))


def dominates(at: Losses, k: int, shift: int) -> dict[str, Numbers]:
    r"""$\ell_{[k]}\le AT_{k+\text{shift}}$, times k + shift."""
    return dict(lhs=(k + shift) * ordered(at.losses)[:, k - 1], rhs=summed(at.losses, k + shift))


def equality(at: Losses, k: int, reading: str) -> dict[str, Numbers]:
    """Whether the two agree, against a condition for it, as truth values."""
    order = ordered(at.losses)
    equal = np.asarray(k * order[:, k - 1] == order[:, :k].sum(axis=1))
    last = k if reading == "largest" else order.shape[1]
    condition = np.asarray(order[:, 0] == order[:, last - 1]) | (k == 1)
    return dict(lhs=equal.astype(int), rhs=condition.astype(int))


def monotone(at: Losses, n: int, k: int, less: int) -> dict[str, Numbers]:
    r"""$AT_{k+1}\le AT_k$ and $kAT_k\le(k+1)AT_{k+1}$: the larger of the two excesses."""
    now, then = summed(at.losses, k), summed(at.losses, min(k + 1, n))
    falls = k * then - (min(k + 1, n) - less) * now
    return dict(lhs=np.maximum(falls, k * (now - then)), rhs=now * 0, average=now)


def difference(at: Losses, k: int, less: int) -> dict[str, Numbers]:
    r"""$\ell_{[k]}$, in floats the ranked range, against both terms by thresholds, times k - 1."""
    rhs = (k - 1) * by_threshold(at.losses, k) - (k - less) * by_threshold(at.losses, k - 1)
    if at.losses.dtype == object:
        kth = ordered(at.losses)[:, k - 1]
    else:
        # By itself and by its gradient.
        weights = ranked_range_weights(at.losses, k - 1, k)
        kth = (ranked_range(at.losses, k - 1, k) + (weights * at.losses).sum(axis=1)) / 2
    return dict(lhs=(k - 1) * kth, rhs=rhs)


def every_vector(n: int, top: int) -> Numbers:
    """All vectors of whole numbers up to ``top``."""
    return np.array(list(itertools.product(range(top + 1), repeat=n)))


def breaks_midpoint(n: int, k: int, which: str) -> bool:
    """Whether a mid-point on the lattice {0, 1, 2}^n proves a function not to be convex."""
    grid = every_vector(n, 2)
    left, right = (np.repeat(grid, len(grid), 0), np.tile(grid, (len(grid), 1)))
    middle = left + right  # twice the mid-point
    if which == "top":
        of = [np.sort(v, axis=1)[:, n - k] for v in (left, right, middle)]
    elif which == "sum":
        of = [np.sort(v, axis=1)[:, n - k:].sum(axis=1) for v in (left, right, middle)]
    else:
        of = [np.sort(v, axis=1)[:, :k].sum(axis=1) for v in (left, right, middle)]
    return bool(np.any(of[2] > of[0] + of[1]))


def concave(at: Pairs, n: int, k: int, sign: int) -> dict[str, Numbers]:
    """The sum of the k smallest at a mid-point is at least the mean."""

    def smallest(v: Numbers) -> Numbers:
        return np.asarray(np.sort(v, axis=1)[:, :k].sum(axis=1))

    middle = smallest(at.first + at.second)
    two = smallest(at.first) + smallest(at.second)
    return dict(lhs=sign * two, rhs=sign * middle)


def lemma_1(at: Signed, k: int, needs: str) -> dict[str, Numbers]:
    """Thresholds at or above 0 give the sum, where the k-th largest is not negative."""
    kth = ordered(at.losses)[:, k - 1]
    tested = dict(all=at.losses.min(axis=1), kth=kth, none=kth * 0)[needs]
    return dict(lhs=summed(at.losses, k), rhs=by_threshold(at.losses, k),
                applies=np.asarray(tested >= 0))


def lemma_1_iff(at: Signed, k: int, needs: str) -> dict[str, Numbers]:
    """Whether the identity holds, against whether the k-th largest is nonnegative."""
    holds = np.asarray(summed(at.losses, k) == by_threshold(at.losses, k))
    place = k - 1 if needs == "kth" else at.losses.shape[1] - 1
    condition = np.asarray(ordered(at.losses)[:, place] >= 0)
    return dict(lhs=holds.astype(int), rhs=condition.astype(int))


def proportional(at: Losses, n: int, k: int, factor: str) -> dict[str, Numbers]:
    r"""(2) with its factor $\frac kn$, or with one that does not know k.

    In floats the least value is that at both ends of the public level.
    """
    if at.losses.dtype == object:
        least = by_threshold(at.losses, k)  # n times the minimum
    else:
        low, high = (variational(at.losses, k, end) for end in level(at.losses, k))
        least = n * (low + high) / 2
    average = summed(at.losses, k)  # k times AT_k
    if factor == "k/n":
        return dict(lhs=least, rhs=average)
    # One constant for all k: then the ratio at k is that at k = n, which is 1.
    return dict(lhs=k * least, rhs=n * average)


def truncated(at: Pairs, shape: str, below: str) -> dict[str, Numbers]:
    r"""A loss shifted down by $\lambda$ and cut at 0 is at most the loss, or what a twin says."""
    t, lam = at.a, np.abs(at.b)
    zero = t * 0
    loss = dict(hinge=np.maximum(1 - t, zero), square=(1 - t) ** 2, absolute=np.abs(t))[shape]
    cut = np.maximum(loss - lam, zero)
    return dict(lhs=cut, rhs=loss if below == "loss" else loss - lam)


def zero_region(at: Pairs, shape: str, largest: str) -> dict[str, Numbers]:
    r"""With $\lambda<\ell(0)$ nothing at $t\le0$ is cut: $1-\lambda\le[\ell(t)-\lambda]_+$."""
    t, lam = -np.abs(at.a), np.abs(at.b)
    zero = t * 0
    loss = dict(hinge=1 - t, square=(1 - t) ** 2)[shape]
    cut = np.maximum(loss - lam, zero)
    applies = np.asarray(lam < 1) if largest == "loss at 0" else np.asarray(lam < 4)
    positive = np.asarray(cut > 0).astype(int)
    return dict(lhs=1 + 0 * positive, rhs=positive, applies=applies)


def lemma_2(at: Pairs, wanted: str) -> dict[str, Numbers]:
    r"""$[[a-\ell]_+-b]_+=[a-b-\ell]_+$."""
    a, b, loss = at.a, at.b, np.abs(at.c)
    zero = a * 0
    applies = dict(printed=(a >= 0) & (b >= 0), b=b >= 0, a=a >= 0)[wanted]
    inner = np.maximum(np.maximum(a - loss, zero) - b, zero)
    return dict(lhs=inner, rhs=np.maximum(a - b - loss, zero), applies=np.asarray(applies))


def jointly_convex(at: Pairs, n: int, k: int, shape: str) -> dict[str, Numbers]:
    r"""(3) at the mid-point of two $(w,\lambda)$, one feature, in a sample of losses."""
    slope, offset = at.first - 2, at.second - 2

    def value(w: Numbers, lam: Numbers) -> Numbers:
        t = slope * w[:, None] + offset
        zero = t * 0
        if shape == "ramp":
            loss = np.minimum(np.maximum(1 - t, zero), zero + 1)
        else:
            loss = np.maximum(1 - t, zero) ** (2 if shape == "squared hinge" else 1)
        return np.asarray(np.maximum(loss - lam[:, None], zero).sum(axis=1) + k * lam + w * w)

    lam = np.abs(at.c)
    middle = value((at.a + at.b) / 2, lam / 2)
    return dict(lhs=2 * middle, rhs=value(at.a, lam) + value(at.b, lam * 0))


def moved(at: Losses, n: int, k: int, grows: str) -> dict[str, Numbers]:
    r"""What one loss, or the largest, that grows by a shift adds to $AT_k$."""
    place = at.losses.argmax(axis=1) if grows == "largest" else at.which
    grown = at.losses + np.equal.outer(place, np.arange(n)) * at.move[:, None]
    more = summed(grown, k) - summed(at.losses, k)
    return dict(lhs=more / k, shift=at.move)


def majorant(at: Pairs, n: int, k: int, symmetric: str) -> dict[str, Numbers]:
    r"""$AT_k$ against a convex function that is at least $\ell_{[k]}$, both times a common factor.

    A symmetric one is $\sum_ia_i\ell_{[i]}$ with $a$ non-increasing; on the rays
    $(1,\dots,1,0,\dots,0)$ it is at least $\ell_{[k]}$ where $\sum_{i\le k}a_i\ge1$. Without
    symmetry the largest of the first n - k + 1 losses is one.
    """
    if symmetric == "no":
        largest = at.first[:, : n - k + 1].max(axis=1)
        return dict(lhs=summed(at.first, k), rhs=k * largest)
    a = ordered(at.second)
    mass = a[:, :k].sum(axis=1)
    return dict(lhs=mass * summed(at.first, k), rhs=k * (a * ordered(at.first)).sum(axis=1),
                applies=np.asarray(mass > 0))


def spectral_mixture(at: Pairs, n: int, more: int) -> dict[str, Numbers]:
    r"""$\sum\sigma_i\ell_{[i]}=\sum_kk(\sigma_k-\sigma_{k+1})AT_k$ for falling $\sigma$."""
    sigma = ordered(at.second)
    after = np.concatenate([sigma[:, 1:], sigma[:, :1] * 0], axis=1)
    tops = np.stack([summed(at.first, k + 1) for k in range(n)], axis=1)
    if sigma.dtype == object:
        risk = (sigma * ordered(at.first)).sum(axis=1)
    else:
        # By itself and by its subgradient.
        risk = np.array([spectral(row, one) + spectral_weights(row, one) @ row
                         for row, one in zip(at.first, sigma, strict=True)]) / 2
    return dict(lhs=risk,
                rhs=((sigma - after) * tops).sum(axis=1) + more * sigma[:, -1])


def geometric_mean(at: Losses, times: int) -> dict[str, Numbers]:
    r"""$G^2\le a^2/4p(1-p)$ for accuracy $a$ and class share $p$; rates are quotients of counts."""
    counts = (at.losses[:, :4] * UNIT)
    right_1, wrong_1, right_0, wrong_0 = counts.T
    ones, zeros = right_1 + wrong_1, right_0 + wrong_0
    # G^2 = r1 r0 / (n1 n0), a = (r1 + r0) / n, p = n1 / n.
    lhs, rhs = 4 * right_1 * right_0, (right_1 + right_0) ** 2
    return dict(lhs=lhs * times, rhs=rhs, applies=np.asarray((ones > 0) & (zeros > 0)))


def zero_one(at: Pairs, shape: str, times: int) -> dict[str, Numbers]:
    """The 0-1 loss, a score of 0 an error, below an individual loss."""
    t = np.where(np.asarray(at.c > 2), at.a * 0, at.a)
    loss = individual("margin-square" if shape == "square" else shape).psi(t)
    error = np.asarray(t <= 0).astype(int)
    return dict(lhs=times * error, rhs=loss)


def fenchel(at: Pairs, shape: str, share: float) -> dict[str, Numbers]:
    r"""$\psi(t)+\psi^*(s)$ and $ts$ at the public slope $s$, or at a share of it."""
    loss, exact = individual(shape), at.a.dtype == object
    s = np.asarray(loss.slope(at.a) * share)
    if exact:
        s = np.array([Fraction(value) for value in s], object)
    dual = loss.conjugate(s)
    if exact:
        dual = np.array([Fraction(value) for value in dual], object)
    return dict(lhs=loss.psi(at.a) + dual, rhs=at.a * s, slope=s)


def natural_logistic(base: float, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
    """Logistic loss to a base, and the 0-1 loss it is to dominate; half the scores are 0."""
    t = np.where(rng.random(size) < 0.5, 0.0, rng.normal(0, 2, size))
    loss = individual("logistic" if base == 2 else "logistic-natural").psi(t)
    return dict(lhs=(t <= 0).astype(float), rhs=np.asarray(loss, float), score=t)


def at_zero_certificate(base: float, score: float) -> Any:
    r"""$\log_b(1+e^{-t})$ at or above 1 for $t\le0$, decided at $t=0$: $2\ge b$."""
    if score > 0:
        return Certificate(0, 0)
    # The loss falls in t: at or below 0 it is smallest at 0, where it is log 2 / log b.
    if score == 0 or base == 2:
        largest = Fraction(math.e).limit_denominator(10**6) if base != 2 else Fraction(2)
        return Certificate(largest if score == 0 else 0, 2, [("base", largest)])
    value = Fraction(float(np.logaddexp(0, -score)))
    error = Fraction(1, 10**9)
    return Certificate(1, (value - error, value + error), [("score", score)])


def midpoints(n: int, k: int, which: str) -> Iterator[Certificate]:
    """Whether the lattice has a mid-point that proves a function not to be convex, against yes."""
    yield Certificate(int(breaks_midpoint(n, k, which)), 1)
