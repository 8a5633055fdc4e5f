r"""UMA (Algorithm 2): ultraconservative steps along update vectors from which noise is taken out.

For a region $A_p$ of points that the current weights give to class $p$,
$z_{pq}=\frac1n\sum_iB_{q,y_i}1\{x_i\in A_p\}x_i$ with $B=C^{-1}$ is an unbiased estimate of the
sum of the points of true class $q$ there: they are wrongly predicted, and $z_{pq}$ corrects them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.kept import Scaled, kept
from noisytheory.topics.multiclass.lockstep import (
    STRATEGIES,
    TIES,
    Floats,
    Number,
    Run,
    Watch,
    class_shares,
    in_lockstep,
)
from noisytheory.topics.multiclass.steps import refuse_large
from noisytheory.topics.multiclass.units import in_arithmetic_of, in_units, inverse_for
from noisytheory.vocabulary.confusion import Orientation
from noisytheory.vocabulary.domains import NONNEGATIVE, checked_numbers, checked_reals, one_of
from noisytheory.vocabulary.exact import Numbers
from noisytheory.vocabulary.populations import Multiclass
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "STRATEGIES", "Run", "class_shares", "uma", "uma_runs", "update_deviation", "update_vectors",
]


def _checked_points(points: Any) -> Any:
    if isinstance(points, Scaled):
        return points
    sparse = hasattr(points, "tocsr")
    points = points.tocsr() if sparse else np.asarray(points)
    if sparse:
        checked_reals("points", points.data)
    elif points.dtype != np.uint8:
        points = checked_numbers("points", points)
    if points.ndim != 2 or not min(points.shape):
        raise ValueError(f"points must have shape (n, d) with n, d >= 1, got {points.shape}")
    held = points.data if sparse else points
    if held.dtype.kind == "f" and held.size:
        # Of NaN the extremes are NaN; they take no memory.
        refuse_large(max(abs(float(held.min())), abs(float(held.max()))))
    return points


def _checked_labels(labels: Any, n: int, classes: int) -> NDArray[Any]:
    given = np.asarray(labels)
    if given.ndim == 2:
        masses = checked_numbers("labels", given)
        if masses.shape != (n, classes):
            raise ValueError(
                f"labels as masses must have shape {(n, classes)}, got {masses.shape}"
            )
        held: Any = masses.ravel()
        if masses.dtype == object:
            # Fractions are finite, and slow to compare: their numerators say as much here.
            parts = [mass.numerator for mass in held.tolist()]
            good = min(parts) >= 0 and any(parts)
        else:
            if not np.isfinite(held).all():
                raise ValueError("labels as masses must be finite, got infinity or NaN")
            good = held.min() >= 0 and held.any()
        if not good:
            raise ValueError(
                f"labels as masses must be >= 0, and one above, got {min(held.tolist())}"
            )
        return masses
    if given.shape != (n,):
        raise ValueError(f"labels must be one a point, {n} of them, got shape {given.shape}")
    if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= classes:
        raise ValueError(
            f"labels must be classes 0 to {classes - 1}, the confusion has {classes} of them; got "
            + (f"{given.min()} to {given.max()}" if given.dtype.kind in "iu" else f"{given.dtype}")
        )
    return given.astype(np.int64)


def update_vectors(
    points: Numbers, labels: Numbers, confusion: Numbers, *, weights: Numbers,
    orientation: Orientation | None = None, alpha: Number = 0.0, ties: str = "lowest",
) -> Floats:
    r"""All $z_{pq}$ at once, shape (Q, Q, d), predicted class first.

    Parameters
    ----------
    points : array-like or sparse matrix, shape (n, d)
        Of fractions the vectors are fractions.
    labels : array-like
        Noisy classes, shape (n,), or masses of (point, noisy label), shape (n, Q).
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says.
    weights : array-like, shape (Q, d)
        Of the regions.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.
    alpha : float
        Functional margin of the regions.
    ties : {"lowest", "all"}
        Region of tied points: that of the lowest class, as a prediction has it, or of every tied
        one, as (8) says.

    Returns
    -------
    array, shape (Q, Q, d)
        With the diagonal, which UMA does not use.

    Examples
    --------
    >>> noise = [[0.75, 0.25], [0.25, 0.75]]
    >>> update_vectors([[1.0, 0.0]], [1], noise, weights=[[1, 0], [0, 0]])[0, 1]
    array([1.5, 0. ])
    """
    NONNEGATIVE.check("alpha", alpha)
    one_of("ties", ties, TIES)
    x = _checked_points(points)
    inverse = inverse_for(x, confusion, orientation)
    start = in_arithmetic_of(x, checked_numbers("weights", weights))
    if start.shape != (len(inverse), x.shape[1]):
        raise ValueError(
            f"weights must have shape {(len(inverse), x.shape[1])}, got {start.shape}"
        )
    if start.dtype != object and not np.isfinite(start).all():
        raise ValueError("weights must be finite, got infinity or NaN")
    y = in_arithmetic_of(x, _checked_labels(labels, x.shape[0], len(inverse)))
    units, x, y, back, start = in_units(x, y[None], inverse[None], start[None])
    held = kept(x, y, len(inverse), start, alpha=units.margin(alpha), shared=ties == "all")
    every = np.arange(len(inverse))
    return units.told(np.asarray(back[0] @ held.sums(0 * every, every)), "vector")


@on_one_thread
def uma(
    points: Numbers,
    labels: Numbers,
    confusion: Numbers,
    *,
    orientation: Orientation | None = None,
    strategy: str = "error",
    step: str = "predicted",
    normalise: bool = False,
    stop: str = "all_pairs",
    tolerance: Number = 1e-9,
    max_iter: int = 1000,
    alpha: Number = 0.0,
    error_alpha: Number = 0.0,
    ties: str = "lowest",
    least_share: float = 0.0,
    start: Numbers | None = None,
    rng: np.random.Generator | None = None,
    watch: Watch | None = None,
) -> Run:
    r"""Learn a linear classifier from confused labels and their confusion matrix.

    Parameters
    ----------
    points : array-like or sparse matrix, shape (n, d)
        The theory asks for norm 1. Large arrays of bytes are taken as they are; of fractions the
        run is exact, but for norms that it divides by, which have 40 digits, and random steps.
    labels : array-like
        Noisy classes 0 to Q - 1, shape (n,), or masses of (point, noisy label), shape (n, Q): a
        population, or counts.
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says; the identity makes it a batch Perceptron.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.
    strategy : {"error", "confusion", "random"}
        Which pair next: of the largest $\|z_{pq}\|$, of the largest $\|z_{pq}\|/\hat\pi_q$, or any.
    step : str
        A rule of `nt.multiclass.STEPS`. "predicted" is ultraconservative: down by one for
        the predicted class if it errs on $z$, else for the worst that does. "forced" is always down
        by one for the predicted class: it has a convergence theorem (`uma/prop4-forced`) and
        collapses with an estimated confusion.
    normalise : bool
        Divide $z$ by its norm; mistake bounds need it.
    stop : {"all_pairs", "printed"}
        When no pair is left with $\|z\|$ above the tolerance, or when the one selected is not.
    tolerance : float
        $s\ge0$, in units of the points' norm.
    max_iter : int
        Updates at most; with the printed stop, pairs looked at.
    alpha, error_alpha : float
        Functional margins of regions and error sets. Print has one $\alpha>0$ in both, with which
        nothing ever moves from W = 0.
    ties : {"lowest", "all"}
        Region of tied points: that of the lowest class, or of every tied one.
    least_share : float
        The confusion strategy passes over classes of an estimated share up to this, until no pair
        of another is left to take; then it takes the largest norm of theirs, undivided.
    start : array-like, shape (Q, d), optional
        Weights to start from; 0 by default.
    rng : Generator, optional
        For random pairs and steps.
    watch : callable, optional
        Called as ``watch(updates, weights)`` after every update.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        On shapes that do not fit, labels outside of the confusion, one that cannot be inverted, or
        an unknown choice.

    Notes
    -----
    Scores and sums by (region, label) are kept: an update costs one product of the sample with a
    vector, O(nd), and not O(ndQ). A large dense sample of one run is read once an update, and what
    it weighs is what it takes: of 60,000 rows of 784 bytes a hundred updates take half a second,
    of as many doubles some four times that (``validation/benchmarks/uma.py``); the first call of
    all compiles for some seconds, once and for later processes. ``ties="all"`` and a positive
    `alpha` take a slower way, the one with a mass for every class and row.

    Of pairs with the same norm the first is taken. Late in a run, when few points are wrong, norms
    are often equal but for rounding, which then chooses: another form of the same sample, or
    another machine, may go on from there with another pair.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> masses = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> run = uma(x, masses, [[0.8, 0.2], [0.2, 0.8]])
    >>> run.updates, np.argmax(x @ run.weights.T, axis=1).tolist()
    (1, [0, 1])
    """
    x = _checked_points(points)
    inverse = inverse_for(x, confusion, orientation)
    y = _checked_labels(labels, x.shape[0], len(inverse))
    (run,) = in_lockstep(
        x, y[None], inverse[None], strategy=strategy, step=step, normalise=normalise, stop=stop,
        tolerance=tolerance, max_iter=max_iter, alpha=alpha, error_alpha=error_alpha, ties=ties,
        least_share=least_share, start=start, rng=rng, watch=watch,
    )
    return run


def update_deviation(population: Multiclass, labels: Any, weights: Any) -> float:
    r"""$\max_{p\ne q}\|z_{pq}-\mu^p_q\|$ under these weights; ties lie in every region.

    The largest along a run is $\eta$ of `updates_noisy` and `final_error`; over the run's tolerance
    it is the $\eta/s$ that these ask to be small.

    Parameters
    ----------
    population : Multiclass
        Its atoms, and the confusion that labels are inverted by.
    labels : array-like, shape (a, Q)
        A sample: the mass of each atom and noisy label, as `Multiclass.counts` over n.
    weights : array-like, shape (Q, d)
        Of one step; `uma` hands those of each to ``watch``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the masses do not sum to 1.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import Finite
    >>> pair = Finite("pair", [[1, 0], [0, 1]], [0, 1], [0.5, 0.5], classes=2)
    >>> noisy = Multiclass(pair, [[0.8, 0.2], [0.2, 0.8]])
    >>> masses, met = np.array([[0.5, 0.1], [0.1, 0.3]]), [np.zeros((2, 2))]
    >>> run = uma(noisy.points, masses, noisy.confusion, orientation="column", tolerance=0.25,
    ...           watch=lambda _, weights: met.append(weights.copy()))
    >>> round(max(update_deviation(noisy, masses, w) for w in met), 6)
    0.137437
    """
    total = float(np.sum(np.asarray(labels, float)))
    if not abs(total - 1) <= 1e-6:
        raise ValueError(f"labels must be masses that sum to 1, counts over n, got {total:g}")
    gap = update_vectors(population.points, labels, population.confusion, weights=weights,
                         orientation="column", ties="all") - population.update_means(weights)
    lengths = np.sqrt((gap**2).sum(axis=2))
    return float(lengths[~np.eye(population.classes, dtype=bool)].max())


@on_one_thread
def uma_runs(
    points: Numbers, labels: Numbers, confusions: Numbers, *,
    orientation: Orientation | None = None, **options: Any,
) -> list[Run]:
    r"""Several runs of `uma` on samples of one size, far quicker if they are small.

    Parameters
    ----------
    points : array-like, shape (R, n, d), or (n, d) for all of them, or R sparse (n, d)
    labels : array-like, shape (R, n), or (R, n, Q) for masses
    confusions : array-like, shape (R, Q, Q), or (Q, Q) for all of them
    orientation : {"column", "row"}, optional
        Of all confusions.
    **options
        As for `uma`. Runs draw from ``rng`` in turn, and ``start`` may be one for each.

    Returns
    -------
    list of Run
        As one by one, but for rounding: compiled where samples are small and dense, else in
        lockstep.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> masses = np.array([[[0.4, 0.1], [0.1, 0.4]], [[0.5, 0.0], [0.0, 0.5]]])
    >>> runs = uma_runs(x, masses, [[[0.75, 0.25], [0.25, 0.75]], np.eye(2)])
    >>> [(run.updates, run.shares.round(12).tolist()) for run in runs]
    [(1, [0.5, 0.5]), (1, [0.5, 0.5])]
    """
    seen, matrices = np.asarray(labels), np.asarray(confusions)
    runs, x, shape = len(seen), *_of_runs(points)
    if {len(shape), seen.ndim, matrices.ndim} - {2, 3} or any(
        len(side) == 3 and side[0] != runs for side in (shape, matrices.shape)
    ):
        raise ValueError(
            "points, labels and confusions must have as many runs, got shapes "
            f"{shape}, {seen.shape} and {matrices.shape}"
        )
    inverses = np.array([
        inverse_for(x, one, orientation) for one in matrices.reshape(-1, *matrices.shape[-2:])
    ])
    classes = inverses.shape[-1]
    y = _checked_labels(seen.reshape(-1, *seen.shape[2:]), runs * shape[-2], classes)
    return in_lockstep(
        x, y.reshape(seen.shape), np.broadcast_to(inverses, (runs, classes, classes)),
        compiled=True, **options,
    )


def _of_runs(points: Any) -> tuple[Any, tuple[int, ...]]:
    """Checked samples, sparse ones below each other, and the shape that they have together."""
    if not isinstance(points, np.ndarray) and len(points) and hasattr(points[0], "tocsr"):
        from scipy import sparse

        if len({one.shape for one in points}) > 1:
            raise ValueError("sparse points must be of one shape in all runs")
        rows = sparse.vstack(points, format="csr")
        return _checked_points(rows), (len(points), *points[0].shape)
    given = np.asarray(points)
    if given.ndim not in (2, 3) or not min(given.shape):
        raise ValueError(
            f"points must have shape (R, n, d) or (n, d), none of them 0, got {given.shape}")
    return _checked_points(given.reshape(-1, given.shape[-1])).reshape(given.shape), given.shape
