r"""Kernel herding: Frank-Wolfe on $\frac12\|\pi^*-\omega\|^2$ over the hull of the sample."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.sparse.approximation import (
    Approximation,
    Target,
    checked_count,
    checked_rng,
    checked_threshold,
)
from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.topics.sparse.residual import Residual
from noisytheory.vocabulary.kernels import Kernel, blocks, checked_points
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["away_steps", "estimated_scores", "herding", "recursive_herding"]

Doubles = NDArray[np.float64]
STEPS = ("line search", "uniform", "classic", "greedy")


@on_one_thread
def herding(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    k: int,
    *,
    step: str = "line search",
    tolerance: float = 0.0,
    gap: float = 0.0,
    candidates: ArrayLike | None = None,
    distinct: bool = False,
    best_weights: bool = False,
    scores: ArrayLike | None = None,
) -> Approximation:
    r"""Take the point with the largest $\langle\pi^*-\omega,\omega_i\rangle$, move towards it.

    Algorithm 1 of the average-classifier paper, with $\lambda_1=1$ (from $\omega=0$ its line
    search would leave weights that do not sum to 1) and stops at the duality gap (without them
    it never ends where the candidates' hull stays farther away than ``tolerance``). One row of
    the Gram matrix an iteration, $O(n)$ memory, and half of the Gram matrix before the first, for
    the target's ``scores``; where these are given it is spared until the errors are asked for.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Target weights, of any sign.
    k : int
        Largest number of iterations; the number of atoms is at most this.
    step : {"line search", "uniform", "classic", "greedy"}
        The best $\lambda$, $1/t$ (equal weights, with repetition), or $2/(t+1)$ at step $t$.
        ``"greedy"`` has equal weights, too, but takes the point that lessens the error most: the
        largest $\langle\pi^*-\frac{t-1}t\omega,\omega_i\rangle-\frac1{2t}K(x_i,x_i)$. With unit
        features that is Eq. (8) of Chen, Welling, Smola, *Super-samples from kernel herding*, 2010.
    tolerance : float
        Stop when the error is at most this (RKHS norm), or when the duality gap proves that no
        point of the candidates' hull is so near.
    gap : float
        Stop when the duality gap of the normalised problem is at most this; half the squared
        error exceeds its least value by no more than the gap. Where that value is not reached, a
        gap of 0 is not either: with no tolerance, all ``k`` steps are taken. Below 0 it never
        stops at a gap, whatever the tolerance.
    candidates : int array-like, optional
        Points that may be taken; all of non-zero weight if missing.
    distinct : bool
        Whether every point may be taken only once; then there are at most as many iterations as
        candidates.
    best_weights : bool
        Whether to give the atoms their best convex weights in the end.
    scores : array-like, shape (n,), optional
        Values $\langle\omega^*,\phi(x_i)\rangle$ of the target at the points, known or estimated
        (`estimated_scores`): atoms, steps and the stop at the gap go by them, and there is no
        ``tolerance``. The errors of the result, and its best weights, are those of the target.

    Returns
    -------
    Approximation
        Errors after every step, and then with the best weights if they are asked for; `picks` are
        the points in the order in which they were taken. Where features have norm $L$ at most,
        errors are right to some $10^{-11}LW$, or $10^{-9}LW$ where features nearly depend on each
        other; if ``scores`` are given and the kernel is not linear, those before the last say
        little below $10^{-7}LW$.

    Raises
    ------
    ValueError
        If ``step`` is unknown, ``k`` is not a whole number >= 1, no candidate has weight,
        ``scores`` are not a finite number a point, or come with a ``tolerance``.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = herding(Linear(), [[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], 10)
    >>> found.indices.tolist(), found.weights.tolist(), found.error
    ([0, 1], [0.5, 0.5], 0.0)
    >>> herding(Linear(), [[0.0], [1.0]], [0.75, 0.25], 4, step="uniform").picks.tolist()
    [1, 0, 0, 0]
    """
    if step not in STEPS:
        raise ValueError(f"step must be one of {', '.join(STEPS)}, got {step!r}")
    checked_count("k", k)
    tolerance = checked_threshold("tolerance", tolerance)
    gap = checked_threshold("gap", gap, -math.inf)
    target = Target(kernel, points, alpha)
    given_scores = scores is not None
    if given_scores and tolerance:
        raise ValueError("tolerance must be 0 with scores, which tell no error to stop at")
    scores = target.scores if scores is None else target.known_scores(scores)
    diagonal, square = target.diagonal, float(target.masses @ scores)
    allowed = _allowed(target, candidates)
    # inner = <w, pi*>, norm = <w, w>.
    alone = scores - diagonal / 2 if step == "greedy" else None
    atoms: list[int] = []
    shares = np.zeros(k)
    errors: list[float] = []
    rates: list[float] = []
    norms: list[float] = []
    inner = norm = 0.0
    taken = atoms if distinct else []
    most = len(target) if allowed is None else len(allowed)
    with Residual(target, scores) as left:
        residual = left.values  # <pi* - w, w_i>
        for t in range(1, (min(k, most) if distinct else k) + 1):
            z = left.largest if allowed is None else _largest(residual, allowed)
            slope = residual.item(z) - inner + norm
            if t > 1 and slope <= gap:
                break
            if t > 1 and gap >= 0 and _too_far(errors[-1], tolerance, target.total**2 * slope):
                break
            if alone is not None:
                z = _largest((t - 1) * residual + alone, allowed, taken)
            elif taken:
                z = _largest(residual, allowed, taken)
                slope = residual.item(z) - inner + norm
            own, score = diagonal.item(z), scores.item(z)
            across = score - residual.item(z)
            if t == 1:
                rate = 1.0
            elif step == "line search":
                curvature = own - 2 * across + norm
                rate = min(1.0, max(0.0, slope / curvature)) if curvature > 0 else 0.0
            else:
                rate = 2 / (t + 1) if step == "classic" else 1 / t
            norm = (1 - rate) ** 2 * norm + 2 * rate * (1 - rate) * across + rate**2 * own
            inner = (1 - rate) * inner + rate * score
            left.move(z, rate)
            shares[: t - 1] *= 1 - rate
            shares[t - 1] = rate
            atoms.append(z)
            rates.append(rate)
            norms.append(norm)
            errors.append(target.total * math.sqrt(max(square - 2 * inner + norm, 0.0)))
            if not given_scores:
                errors[-1] = target.from_differences(errors[-1], residual, atoms, shares[:t])
            if errors[-1] <= tolerance and not given_scores:
                errors[-1] = target.unless_cancelled(errors[-1], np.array(atoms), shares[:t])
                if errors[-1] <= tolerance:
                    break
    shares = shares[: len(atoms)]

    errors = target.unless_hidden(errors, atoms, rates).tolist()
    true = functools.partial(_true_errors, target, atoms, rates, norms)
    if not best_weights:
        found = target.approximation(atoms, shares, None if given_scores else errors)
        picks = target.kept[atoms]
        if given_scores:
            return dataclasses.replace(found, measure=true, final=None, picks=picks)
        return dataclasses.replace(found, picks=picks)
    used = np.array(list(dict.fromkeys(atoms)), dtype=np.int64)
    gram = target.gram(used)
    best = simplex_weights(gram, target.scores_at(used), _merged(used, atoms, shares))
    if given_scores:
        found = target.approximation(used, best, before=true)
    else:
        found = target.approximation(used, best, [*errors, target.distance(used, best, gram)])
    return dataclasses.replace(found, picks=target.kept[atoms])


def _too_far(error: float, tolerance: float, gap: float) -> bool:
    r"""Whether the tolerance is out of reach: squared errors are at least $e^2-2\,\mathrm{gap}$."""
    return tolerance > 0 and error**2 - 2 * gap > tolerance**2 * (1 + 1e-9)


def _true_errors(
    target: Target, atoms: list[int], rates: list[float], norms: list[float]
) -> Doubles:
    """Errors of a path that was found with other scores: only its inner products change."""
    inner, inners = 0.0, np.empty(len(atoms))
    for t, score in enumerate(target.scores_at(np.array(atoms))):
        inners[t] = inner = (1 - rates[t]) * inner + rates[t] * float(score)
    squares = target.square - 2 * inners + np.array(norms)
    errors = target.total * np.sqrt(np.maximum(squares, 0.0))
    return target.unless_hidden(errors, atoms, rates)


@on_one_thread
def estimated_scores(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, size: int, *, rng: np.random.Generator
) -> Doubles:
    r"""Estimate the target's values at all points from ``size`` draws, for $O(ns)$ kernel values.

    With features of norm at most 1 every value is within $W(1+\sqrt{2\log(1/\delta)})/\sqrt s$ of
    $\langle\omega^*,\phi(x_i)\rangle$, with probability $1-\delta$ for all of them at once.

    Parameters
    ----------
    kernel, points, alpha
        As in `herding`.
    size : int
        $s$, number of independent draws from $|\alpha|/W$.
    rng : numpy.random.Generator

    Returns
    -------
    array, shape (n,)

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> rng = np.random.default_rng(0)
    >>> estimated_scores(Linear(), [[2.0], [2.0]], [0.25, 0.25], 3, rng=rng).tolist()
    [2.0, 2.0]
    """
    target = Target(kernel, points, alpha)
    checked_count("size", size)
    drawn, times = np.unique(
        checked_rng(rng).choice(len(target), size=size, p=target.masses), return_counts=True
    )
    weights = target.total / size * times * target.signs[drawn]
    values = np.empty(target.given)
    for rows, block in blocks(kernel, checked_points(points), target.points[drawn]):
        values[rows] = block @ weights
    return values


def _merged(used: NDArray[np.int64], atoms: list[int], shares: Doubles) -> Doubles:
    """Total share of every atom."""
    order = np.argsort(used)
    place = order[np.searchsorted(used, atoms, sorter=order)]
    merged = np.zeros(len(used))
    np.add.at(merged, place, shares)
    return merged


def _largest(
    values: Doubles, allowed: NDArray[np.int64] | None, taken: Sequence[int] = ()
) -> int:
    """Where the largest value is that may be taken, and has not been."""
    if not len(taken):
        return int(values.argmax() if allowed is None else allowed[values[allowed].argmax()])
    gone = np.array(taken, dtype=np.int64)
    hidden = values[gone]
    values[gone] = -np.inf
    z = int(values.argmax() if allowed is None else allowed[values[allowed].argmax()])
    values[gone] = hidden
    return z


def _allowed(target: Target, candidates: ArrayLike | None) -> NDArray[np.int64] | None:
    if candidates is None:
        return None
    wanted = np.asarray(candidates)
    if wanted.size and (
        wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= target.given
    ):
        raise ValueError(f"candidates must be whole numbers in [0, {target.given - 1}]")
    allowed = np.flatnonzero(np.isin(target.kept, wanted))
    if not allowed.size:
        raise ValueError("candidates must name a point of non-zero weight")
    return allowed


@on_one_thread
def away_steps(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, gap: float = 0.0
) -> Approximation:
    r"""Herding that may also move away from the worst atom it holds (Lacoste-Julien, Jaggi 2015).

    Its linear rate depends on the pyramidal width of the sample, not on the distance of the target
    from the boundary of the hull.

    Parameters
    ----------
    kernel, points, alpha, k, gap
        As in `herding`.

    Returns
    -------
    Approximation
        Errors after every step; `picks` are the points that it moved towards, or away from.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = away_steps(Linear(), [[0.0], [1.0], [3.0]], [0.5, 0.25, 0.25], 9)
    >>> round(found.error, 6)
    0.0
    """
    checked_count("k", k)
    gap = checked_threshold("gap", gap, -math.inf)
    target = Target(kernel, points, alpha)
    scores, diagonal = target.scores, target.diagonal
    square = float(target.masses @ scores)
    first = int(scores.argmax())
    held = {first: 1.0}
    row = target.buffer()
    product = target.row(first, row).astype(np.float64)
    inner, norm = float(scores[first]), float(diagonal[first])
    errors = [target.total * math.sqrt(max(square - 2 * inner + norm, 0.0))]
    atoms, rates = [first], [1.0]
    for _ in range(1, k):
        residual = scores - product
        errors[-1] = target.from_differences(errors[-1], residual, [*held], [*held.values()])
        forward = int(residual.argmax())
        away = min(held, key=lambda atom: float(residual[atom]))
        here = inner - norm
        if max(residual[forward] - here, 0.0) <= gap:
            break
        if residual[forward] - here >= here - residual[away]:
            atom, sign, most = forward, 1.0, 1.0
        else:
            atom, sign = away, -1.0
            most = held[away] / (1 - held[away]) if held[away] < 1 else 0.0
        curvature = diagonal[atom] - 2 * product[atom] + norm
        slope = sign * (residual[atom] - here)
        rate = sign * min(most, slope / curvature if curvature > 0 else 0.0)
        norm = (
            (1 - rate) ** 2 * norm
            + 2 * rate * (1 - rate) * float(product[atom])
            + rate**2 * float(diagonal[atom])
        )
        inner = (1 - rate) * inner + rate * float(scores[atom])
        product *= 1 - rate
        product += rate * target.row(atom, row)
        dropped = sign < 0 and -rate == most
        held = {a: w * (1 - rate) for a, w in held.items()}
        held[atom] = held.get(atom, 0.0) + rate
        if dropped:
            del held[atom]
        errors.append(target.total * math.sqrt(max(square - 2 * inner + norm, 0.0)))
        atoms.append(atom)
        rates.append(rate)
    found = target.unless_hidden(errors, atoms, rates)
    known = target.approximation(list(held), list(held.values()), found)
    return dataclasses.replace(known, picks=target.kept[atoms])


@on_one_thread
def recursive_herding(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    tolerance: float,
    *,
    rounds: int,
    most: int = 10_000,
) -> Approximation:
    r"""Herd the sample, then the herd, and so on: an error of at most $j\epsilon$ after $j$ rounds.

    Parameters
    ----------
    kernel, points, alpha
        As in `herding`.
    tolerance : float
        $\epsilon$ of every round, RKHS norm.
    rounds : int
        Number of rounds.
    most : int
        Largest number of iterations of a round.

    Returns
    -------
    Approximation
        Distance to the first target after every round; `picks` are those of the last.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> line, equal = [[0.0], [1.0], [3.0], [4.0]], [0.25] * 4
    >>> found = recursive_herding(Linear(), line, equal, 0.5, rounds=2)
    >>> found.picks.tolist(), found.errors.tolist()
    ([3, 0], [0.0, 0.0])
    """
    checked_count("rounds", rounds)
    checked_count("most", most)
    tolerance = checked_threshold("tolerance", tolerance)
    target = Target(kernel, points, alpha)
    everything, weights = np.asarray(points), np.asarray(alpha, dtype=np.float64)
    indices = target.kept
    errors = []
    for _ in range(rounds):
        herd = herding(kernel, everything[indices], weights[indices], most, tolerance=tolerance)
        weights, picks = np.zeros(len(everything)), indices[herd.picks]
        indices = indices[herd.indices]
        weights[indices] = herd.weights
        where = np.searchsorted(target.kept, indices)
        shares = weights[indices] * target.signs[where] / target.total
        errors.append(target.unless_cancelled(target.distance(where, shares), where, shares))
    return dataclasses.replace(target.approximation(where, shares, errors), picks=picks)
