"""The loop of UMA: runs of which each makes its next update before any makes another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.kept import Spread, kept
from noisytheory.topics.multiclass.steps import FRACTIONS, STEPS, error_set, steps
from noisytheory.topics.multiclass.units import in_arithmetic_of, in_units
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, checked_numbers, one_of
from noisytheory.vocabulary.exact import Numbers, over, whole

__all__ = ["STRATEGIES", "TIES", "Floats", "Number", "Run", "Watch", "class_shares", "in_lockstep"]

Floats: TypeAlias = NDArray[Any]
"""Floats, or in an exact run fractions."""
Number: TypeAlias = float | Fraction
Watch: TypeAlias = Callable[[int, Floats], None]

SMALL = 1 << 18
"""Numbers of a sample up to which several runs are compiled, one after the other."""

STRATEGIES = ("error", "confusion", "random")
"""How a pair is selected: largest norm (19), largest norm by class share (20), or any."""

STOPS, TIES = ("all_pairs", "printed"), ("lowest", "all")

CACHED = 1 << 17
"""Entries of update vectors that are computed at a time, and stay in the second cache."""


@dataclass(frozen=True)
class Run:
    """What a run of `uma` left behind.

    Parameters
    ----------
    weights : array, shape (Q, d)
        A weight vector a class.
    updates, draws : int
        Updates, and pairs that were looked at.
    pairs : array of int, shape (updates, 2)
        Predicted and true class of each update.
    norms : array, shape (updates,)
        Norm of each update vector before any normalisation.
    residual : array, shape (Q, Q)
        Norms of the update vectors at the end, 0 on the diagonal; predictions in rows.
    skipped : int
        Pairs passed over because their error set was empty.
    stopped : str
        "small", every pair's vector is within the tolerance; "no error set", those that are not
        have none; "max_iter".
    shares : array, shape (Q,)
        Estimated shares of the true classes; noise can make them negative.

    Examples
    --------
    >>> from noisytheory.topics.multiclass import uma
    >>> run = uma([[1.0, 0.0], [0.0, 1.0]], [0, 1], [[0.8, 0.2], [0.2, 0.8]])
    >>> run.updates, run.pairs.tolist(), run.stopped
    (1, [[0, 1]], 'no error set')
    >>> run.shares.tolist()
    [0.5, 0.5]
    """

    weights: Floats
    updates: int
    draws: int
    pairs: NDArray[np.int64]
    norms: Floats
    residual: Floats
    skipped: int
    stopped: str
    shares: Floats


def class_shares(label_shares: Numbers, inverse: Numbers) -> Floats:
    r"""$\hat\pi=B\hat y/n$: unbiased shares of the true classes; they sum to 1.

    Parameters
    ----------
    label_shares : array-like, shape (..., Q)
        Shares of the noisy labels.
    inverse : array-like, shape (Q, Q)
        $B=C^{-1}$, true classes in rows.

    Returns
    -------
    array, shape (..., Q)
        Not always positive.

    Raises
    ------
    ValueError
        If the inverse is not square, or its columns do not sum to 1: of one turned round, mostly.

    Examples
    --------
    >>> class_shares([0.6, 0.4], [[1.5, -0.5], [-0.5, 1.5]]).round(12).tolist()
    [0.7, 0.3]
    """
    back = checked_numbers("inverse", inverse)
    if back.ndim != 2 or back.shape[0] != back.shape[1] or not all(
        abs(float(total) - 1) <= 1e-6 for total in back.sum(axis=0)
    ):
        raise ValueError(
            "inverse must be square, that of a confusion with true classes in columns, so that its "
            f"columns sum to 1, got {inverse}"
        )
    return _shares(checked_numbers("label_shares", label_shares), back)


def _shares(seen: Floats, inverse: Floats) -> Floats:
    if seen.dtype == inverse.dtype == object:
        (parts, per_part), (entries, per_entry) = whole(seen), whole(inverse)
        return over(parts @ entries.T, per_part * per_entry)
    return np.asarray(seen @ inverse.T)


def in_lockstep(
    x: Any, y: NDArray[Any], inverses: Floats, *, compiled: bool = False, strategy: str = "error",
    step: str = "predicted", normalise: bool = False, stop: str = "all_pairs",
    tolerance: Number = 1e-9, max_iter: int = 1000, alpha: Number = 0.0, error_alpha: Number = 0.0,
    ties: str = "lowest", least_share: float = 0.0, start: Numbers | None = None,
    rng: np.random.Generator | None = None, watch: Watch | None = None,
) -> list[Run]:
    """Runs of which each makes its next update before any makes another; the first is watched."""
    for name, value in (("tolerance", tolerance), ("alpha", alpha), ("error_alpha", error_alpha),
                        ("least_share", least_share)):
        NONNEGATIVE.check(name, value)
    COUNT.check("max_iter", max_iter)
    for name, chosen, allowed in (
        ("strategy", strategy, STRATEGIES), ("step", step, STEPS), ("stop", stop, STOPS),
        ("ties", ties, TIES), ("normalise", normalise, (True, False)),
    ):
        one_of(name, chosen, allowed)
    if rng is None and "random" in (strategy, step):
        raise ValueError("rng must be given for random pairs or steps")
    if rng is not None and not hasattr(rng, "integers"):
        raise ValueError(f"rng must be a Generator or None, got {rng!r}")
    y, number, (runs, classes) = in_arithmetic_of(x, y), inverses.dtype, inverses.shape[:2]
    weights = np.zeros((runs, classes, x.shape[-1]), number)
    if start is not None:
        first = in_arithmetic_of(x, checked_numbers("start", start))
        if first.dtype != object and not np.isfinite(first).all():
            raise ValueError("start must be finite, got infinity or NaN")
        if first.shape not in (weights.shape, weights.shape[1:]):
            raise ValueError(
                f"start must have shape {weights.shape[1:]}, got {first.shape}"
            )
        weights += first
    seen = y.sum(axis=1) if y.ndim == 3 else np.array([
        np.bincount(labels, minlength=classes) for labels in y
    ])
    seen, total = seen * np.ones(1, number), seen.sum(axis=1, keepdims=True)
    # A whole number over another would be a float.
    seen = in_arithmetic_of(x, seen) / (total if number.kind == "f" else FRACTIONS(total))
    shares = np.matvec(inverses, seen) if number.kind == "f" else np.array([
        _shares(one, back) for one, back in zip(seen, inverses, strict=True)
    ])
    off = ~np.eye(classes, dtype=bool)
    usable, printed = shares > least_share, stop == "printed"
    if (
        compiled and x.dtype == np.float64 and y.ndim == 2 and _size_of_one(x, runs) <= SMALL
        and strategy != "random"
        and step in ("worst", "predicted", "forced")
        and not (printed or alpha or ties == "all" or watch)
    ):
        from noisytheory.topics.multiclass.compiled_runs import learned

        return [Run(*told) for told in learned(
            x, y, inverses, weights, shares, usable, strategy=strategy, step=step,
            normalise=normalise, tolerance=tolerance, error_alpha=error_alpha, max_iter=max_iter,
        )]
    units, x, y, inverses, weights = in_units(x, y, inverses, weights)
    held = kept(x, y, classes, weights, alpha=units.margin(alpha), shared=ties == "all")
    every = np.divmod(np.arange(runs * classes), classes)
    vectors = (inverses[every[0]] @ held.sums(*every)).reshape(runs, classes, classes, -1)
    norms, limit = units.lengths(vectors), units.limit(tolerance)
    among = np.repeat(off[None], runs, axis=0) if printed else off & (norms > limit)
    updates, draws, skipped = np.zeros((3, runs), np.int64)
    stopped, live, passed = ["max_iter"] * runs, np.ones(runs, bool), np.zeros(runs, bool)
    taken: list[tuple[NDArray[Any], ...]] = []
    few = max(1, CACHED // vectors[0, 0].size)
    while live.any():
        tau, along = np.zeros((runs, classes), number), np.zeros((runs, x.shape[-1]), number)
        seeking = np.flatnonzero(live)
        while seeking.size:
            # Of all runs there are views, and no copies.
            those: Any = slice(None) if seeking.size == runs else seeking
            pairs = among[those]
            if not printed and not (going := pairs.any(axis=(1, 2))).all():
                for s in seeking[~going].tolist():
                    stopped[s], live[s] = "no error set" if passed[s] else "small", False
                seeking = seeking[going]
                continue
            p, q = _select(norms[those], pairs, strategy, shares[those], usable[those], rng)
            draws[those] += 1
            vector, norm = vectors[seeking, p, q], norms[seeking, p, q]
            scores = np.matmul(weights[those], vector[:, :, None])[..., 0]
            erring = error_set(scores, q, units.lead(error_alpha))
            if printed:
                for s in seeking[norm <= limit].tolist():
                    stopped[s], live[s] = "small", False
                # It may look at a pair without an error set for ever.
                live &= draws < max_iter
            found = erring.any(axis=1) | (step == "forced")
            missed = seeking[:0]
            if not found.all():
                missed = seeking[~found]
                skipped[missed] += 1
                if not printed:
                    among[missed, p[~found], q[~found]], passed[missed] = False, True
                seeking, p, q, norm = seeking[found], p[found], q[found], norm[found]
                vector, scores, erring = vector[found], scores[found], erring[found]
            if seeking.size:
                taken_from = steps(scores, q, erring, step, predicted=p, rng=rng)
                tau[seeking] = in_arithmetic_of(x, taken_from)
                moves, grown = units.along(vector, norm, normalise)
                if grown > 1:
                    assert isinstance(held, Spread)
                    weights, along = weights * grown, along * grown
                    held.grow(grown)
                along[seeking] = moves
                updates[seeking] += 1
                taken.append((seeking, p, q, norm))
            seeking = missed[live[missed]]
        live &= updates < max_iter
        moved = tau.any(axis=1)
        if not moved.any():
            continue
        run, row = np.nonzero(tau)
        weights[run, row] += tau[run, row][:, None] * along[run]
        run, region = held.update(tau, along)
        for k in range(0, len(run), few):
            part = run[k : k + few], region[k : k + few]
            vectors[part] = fresh = inverses[part[0]] @ held.sums(*part)
            norms[part] = units.lengths(fresh)
        if not printed:
            among[moved], passed[moved] = off & (norms[moved] > limit), False
        if watch is not None:
            watch(int(updates[0]), units.told(weights[0], "weight"))
    none = (*np.zeros((3, 0), np.int64), np.zeros(0, number))
    run, p, q, norm = map(np.concatenate, zip(none, *taken, strict=True))
    order = np.argsort(run, kind="stable")
    ends = np.searchsorted(run[order], np.arange(runs + 1)).tolist()
    pairs, taken_norms = np.stack([p, q], axis=1)[order], units.told(norm[order], "length")
    weights, residual = units.told(weights, "weight"), units.told(norms * off, "length")
    return [
        Run(weights[s], made, looked, pairs[first:last], taken_norms[first:last], residual[s],
            missed, why, shares[s])
        for s, (made, looked, missed, why, first, last) in enumerate(zip(
            updates.tolist(), draws.tolist(), skipped.tolist(), stopped, ends, ends[1:],
            strict=False,
        ))
    ]


def _size_of_one(points: Any, runs: int) -> int:
    """Numbers that one run's sample holds, those of sparse rows without zeros."""
    dense = isinstance(points, np.ndarray)
    return int(points.shape[-2] * points.shape[-1] if dense else points.nnz // runs)


def _select(
    norms: Floats, among: NDArray[np.bool_], strategy: str, shares: Floats,
    usable: NDArray[np.bool_], rng: np.random.Generator | None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The pair of each run that the strategy takes."""
    if strategy == "random":
        assert rng is not None
        # The open pairs of one run stand behind those of another.
        open_to = among.reshape(len(among), -1)
        many = np.count_nonzero(open_to, axis=1)
        taken = np.cumsum(many) - many + rng.integers(many)
        chosen = np.nonzero(open_to)[1][taken]
    else:
        value = norms
        if strategy == "confusion":
            open_to = among & usable[:, None]
            some = open_to.any(axis=(1, 2), keepdims=True)
            among = np.where(some, open_to, among)
            value = np.where(some, norms / np.where(usable, shares, 1)[:, None], norms)
        chosen = np.argmax(np.where(among, value, -1).reshape(len(norms), -1), axis=1)
    return np.divmod(chosen, norms.shape[-1])
