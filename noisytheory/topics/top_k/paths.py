r"""All k at one C: few problems are solved, and every k has a model with a gap that is proven."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.topics.top_k.aggregate import WHOLE, tail_mass
from noisytheory.topics.top_k.classes import Classes, Labels
from noisytheory.topics.top_k.few import BRIEF, Few
from noisytheory.topics.top_k.individual import Individual, individual
from noisytheory.topics.top_k.minimise import (
    TOLERANCE,
    NotCertified,
    begun,
    checked_C,
    checked_data,
    checked_masses,
    checked_scaling,
    far_centre,
    overflowing,
)
from noisytheory.topics.top_k.regression import Regression
from noisytheory.topics.top_k.task import ROUNDING
from noisytheory.topics.top_k.walk import FEW, SMALL, Walk
from noisytheory.vocabulary.domains import UNIT_INTERVAL, check_truth, listed, pair_of
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "EVERY", "Path", "as_path", "compared", "counts_of", "errors_of", "every_count", "merged",
    "path",
]

Floats = NDArray[np.float64]

EVERY = 200_000
"""Counts up to which a path has a model at each of them: at the most a k takes half a kilobyte."""
BATCH = 1 << 20
"""Scores that are held at once."""
LOOK = 256
"""Rows of which two must be alike for all to be compared."""
DIGITS = 1e-15
"""Of the objective at zero, what rounding may add to what is proven."""


@dataclass(frozen=True)
class Path:
    """What k changes at one C.

    Parameters
    ----------
    k : array, shape (m,)
        Counts; of weight where examples are weighted, and floats where some are not whole.
    objective : array, shape (m,)
        Of each model, or more: next to where zero ends, and beside an intercept between k at which
        models are computed, by some per cent in single cases, within the gap.
    dual : array, shape (m,)
        What no model has less than: proven, rounding aside.
    error : array, shape (m,)
        Errors of classification, or mean squares of regression; every example counts once.
    level : array, shape (m,)
    regime : array of str, shape (m,)
        ``"zero"`` only where weights prove zero the minimiser, to $10^{-11}$ of its objective.
    gap : array, shape (m,)
        Objective less dual value, relative to the objective, or to a gain where that is less: what
        coefficients may at most gain at each k over none (over the best constant), which is what is
        without them less the dual value, or, where that is less than a share of what they gain at
        the largest k, the ``floor``, that share; of a regression where they gain nothing there, of
        a tenth of what the best constant loses at this k; after eight solutions, where that is
        more, a thousandth of what it loses, after sixteen a hundredth.
    determined : array of bool, shape (m,)
        Whether the gap is proven to be at most a quarter of what coefficients may gain at this k,
        so a third of what these gain; where it is not, since zero is the minimiser or the gain lies
        below the floor, objective and error are still those of the model here, but another may do
        as well. Of a loss of the
        margin beside an intercept, or coefficients that are as good as one, also whether every
        other intercept that errs two points more or less on the sample, by weight, is worse, beside
        these coefficients, by a tenth of the gap at least: as told by models at some k, and by
        mixtures between, unless those on both sides err ten points differently. Of errors no more
        is promised.
    knots : array, shape (j, d)
        Coefficients, with the intercept last if there is one, of the models that are mixed: some
        are solved, others guessed with weights that prove them good enough, or mixtures with an
        intercept of their own.
    place : array, shape (m,)
        Of each k's model between them: 2.25 is three parts of the third knot, one of the fourth.
    fits : int
        How many problems were solved.
    """

    k: NDArray[np.float64 | np.int64]
    objective: Floats
    dual: Floats
    error: Floats
    level: Floats
    regime: NDArray[np.str_]
    gap: Floats
    determined: NDArray[np.bool_]
    knots: Floats
    place: Floats
    fits: int

    @property
    def coef(self) -> Floats:
        """Coefficients at every k, shape (m, d), the intercept last if there is one."""
        low = np.minimum(self.place.astype(int), max(len(self.knots) - 2, 0))
        share = (self.place - low)[:, None]
        high = np.minimum(low + 1, len(self.knots) - 1)
        return np.asarray((1 - share) * self.knots[low] + share * self.knots[high])

    @property
    def zero_up_to(self) -> float:
        """Largest k where zero is proven the minimiser; 0 if nowhere."""
        return float(self.k[self.regime == "zero"].max(initial=0))


@on_one_thread
def path(
    X: Any, y: ArrayLike, loss: str = "logistic", *, ks: Sequence[float] | None = None,
    C: float = 1.0, test: tuple[Any, ArrayLike] | None = None, intercept: bool = False,
    sample_weight: ArrayLike | None = None, scaling: str = "paper", tol: float = 0.25,
    floor: float = 0.5, start: ArrayLike | None = None,
) -> Path:
    r"""What k changes: models for all k from a few solutions, each with a gap that is proven.

    Parameters
    ----------
    X, y, loss, C, intercept, sample_weight, scaling
        As in `fit`.
    ks : sequence of int or float, optional
        Counts, or fractions in (0, 1]; every count by default, up to 200,000. Of more, and of more
        weight, about so many: half in equal steps, half in equal ratios from 1 on, and the whole.
        Of weights that are less than one in the mean, this mean is what is counted.
    test : pair, optional
        Points and labels on which errors are counted; the sample itself by default.
    tol : float
        Gap at every k, as `Path` measures it.
    floor : float
        In [0, 1]. Of what the coefficients gain at the largest k, the share below which a gain does
        not matter: the gap at every k is at most ``tol`` times the larger of this and its own gain.
        Of a regression where they gain nothing there, as of the absolute loss where most targets
        are 0, it is the share of a tenth of what the best constant loses. After eight solutions a
        gain of less than a thousandth of that does not matter, either, after sixteen of a
        hundredth, unless the floor is 0.
        0 proves the model of every k, next to the collapse as well; 1 measures all by the largest.
        From a half on it is not asked where zero is the minimiser, of a loss of the margin in the
        paper's scaling, unless it takes many models beside an intercept, and all k take about the
        time of one fit; a tenth proves where that is, and models further down, in the time of two
        or more.
    start : array_like, shape (d,), optional
        Coefficients to begin with at the largest k, the intercept last; 0 where their losses
        overflow.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        On what `fit` refuses, or no k at all.

    Warns
    -----
    NotCertified
        If some k has a larger gap; or if a model is not determined whose coefficients may gain more
        than the floor, because rounding leaves no more or so large a ``tol`` was asked for.

    Notes
    -----
    What is gained over zero grows with the square of the distance from where zero ends. By the
    floor of a half all k take about the time of one fit, and beside an intercept of one and a half,
    of two where a fit takes but some milliseconds, of four to six where classes are uneven and C is
    small, on the problems of ``validation/top_k_paths.md``; of 20 to 400 examples, where what
    Python takes for its calls is most of a fit, of two and of three, in nine of ten of five and of
    ten at most; single ones, where next to nothing is gained, of rows that tie, take two dozen
    solutions. Where zero ends is mostly not proven, and of k that are not near the largest few
    models are called determined.
    Below a floor of a tenth lies but a third of that distance, where hardly anybody would choose
    the model: then all k take the time of two fits, five at most; beside an intercept of three or
    four, eleven at most.
    Least squares begin the solution at the largest k, and where the floor is lower the linear
    programme that proves where zero ends; between, models are guessed in the plane of two, with
    weights that prove how good they are, or solved. Below the floor models lie in the direction in
    which zero ends, as minimisers next to it do, or in that of least squares, where that is better:
    errors are mostly near the minimisers', but nothing is proven of that, and where least squares
    find no model better than zero it is zero.

    An intercept that costs nothing moves with k, at a small C by more than the coefficients gain.
    Of a loss of the margin the best one jumps or bends at k of twice the smaller class. So a
    model's own largest losses are weights of every k, beside the intercept at which both classes
    pull alike: every k has one of its own, and the solution at the largest k serves most.

    So do those of regression; where they do not, models are found by a few steps from mixtures, or
    solved. By a floor of a half all k take the time of one fit or less in the median, of one and a
    half beside an intercept, six at most; of targets that mostly tie, whose best constant no
    coefficients mend but at few k, of four, and up to thirty where a fit but proves that constant,
    in a few milliseconds. Mean squares are mostly those of fits to some per cent;
    at the least k, where little is gained, they may be far off.

    Of features far from centred some coefficients are as good as an intercept, and where they cost
    next to nothing as much of them as is best is computed at some k, closer to twice the smaller
    class, and mixed between.

    That a model is determined bounds its objective, not its error. On 240 random problems (40 to
    500 examples, three losses of the margin, C from $10^{-5}$ to $10^3$) errors at such k are those
    of fits in the median, 99 % within 4 points of them, and all within 7.5; but of features far
    from centred, without an intercept, single ones are up to 30 off.

    A floor of 0 takes the time of about a dozen fits, of five to thirty mostly, and of hundreds
    where gains are tiny beside an intercept: each halving of the distance takes a solution or more.
    In regression it takes that of a few.

    A minimiser that scores every point alike has errors by convention only, the sign of 0 being 1.
    It is named by ``regime`` where weights prove it. ``validation/top_k_paths.md`` has every
    problem.

    Examples
    --------
    >>> X, y = [[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1]
    >>> found = path(X, y, "hinge", tol=1e-3, floor=0.0)
    >>> found.regime.tolist(), found.objective.round(3).tolist()
    (['zero', 'zero', 'nu', 'C'], [0.25, 0.5, 0.719, 0.875])
    """
    kind = individual(loss)
    rows, labels = checked_data(X, y, kind)
    masses, total = checked_masses(sample_weight, len(labels))
    check_truth("intercept", intercept)
    points, answers = (rows, labels) if test is None else compared("test", test, kind, rows)
    tol, floor = TOLERANCE.number("tol", tol), UNIT_INTERVAL.number("floor", floor)
    C = checked_C(C)
    checked_scaling(scaling)
    begin = None if start is None else begun(start, rows, labels, kind, intercept)
    keep = np.flatnonzero(masses > 0)
    if keep.size < len(masses):
        rows, labels, masses = rows[keep], labels[keep], masses[keep]
    # As `fit` sees them, beside an intercept: where nothing is a small difference of large numbers.
    centre, shift = far_centre(rows) if intercept else None, 0.0
    if intercept and not kind.margin:
        shift = float(masses @ labels) if np.ptp(labels) else float(labels[0])
        labels, answers = labels - shift, answers - shift
    if centre is not None:
        points = points.toarray() if sparse.issparse(points) else points
        rows, points = rows - centre, points - centre
    if begin is not None and intercept:
        begin[-1] -= shift - (0.0 if centre is None else centre @ begin[:-1])
    if kind.margin and np.ptp(labels) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    squares = intercept and floor >= BRIEF and loss == "margin-square"
    solver = Labels if squares else Regression if not kind.margin else Walk if not floor else (
        Classes if intercept and kind.falls else Few)
    walk = solver(*merged(rows, labels, masses), "square" if squares else loss, C, intercept,
                  scaling == "average", tol)
    walk.floor, walk.start = floor, begin
    counts = (every_count(total, int(np.count_nonzero(masses))) if ks is None
              else counts_of(ks, total, sample_weight is None))
    try:
        # Losses that overflow are told by gaps that are not finite, or refused.
        with np.errstate(over="ignore", invalid="ignore"):
            found = walk.over(counts / total)
    except OverflowError as error:
        raise ValueError(overflowing(loss, rows, labels, C)) from error
    told = as_path(counts, found, points, answers, walk, tol, kind.margin)
    if intercept:
        told.knots[:, -1] += shift - (0.0 if centre is None else told.knots[:, :-1] @ centre)
    return told


def as_path(
    counts: Floats, found: Floats, points: Any, answers: Floats, walk: Walk, tol: float,
    signs: bool, scores: Floats | None = None,
) -> Path:
    """What was found at each k, with the errors on points, or of the knots' scores there: shares of
    wrong signs, or mean squares.
    """
    knots, margin = np.array([knot.coef for knot in walk.knots]), walk.kind.margin
    walk.knots.clear()  # and with them scores and losses of each
    nus, (value, dual, _, level, place) = walk.nus, found
    constants, none = walk.alone
    # No loss is below 0. Where losses overflow nothing is known: values are no number, or below
    # what is proven by more than rounding.
    size = walk.at_zero.top(nus)
    dual = np.where(size > 0, np.fmax(dual - DIGITS * size, 0.0), 0.0)
    known = np.isfinite(value) & (value >= dual - ROUNDING * np.maximum(size, dual))
    dual = np.where(known, dual, 0.0)
    zero = nus <= walk.zero_to * (1 + 1e-12)
    alone = zero.copy()
    if zero.any():
        blank = np.flatnonzero(~knots.any(axis=1))
        if not blank.size:
            knots = np.vstack([knots, np.zeros((1, knots.shape[1]))])
        place[zero], value[zero] = blank[0] if blank.size else len(knots) - 1, size[zero]
    # Nobody wants a model that is worse than none.
    worse = np.flatnonzero(known & ~zero & (value > walk.best_without * (1 + 1e-12)))
    if worse.size:
        best = constants[worse]
        if not margin:
            best = walk.constants(nus[worse])[0] if len(best) <= FEW else few_of(best)
        objective, ending = walk.without(nus[worse], best)
        # Of few constants the nearest may be worse still.
        less = objective < value[worse]
        worse, best = worse[less], best[less]
        value[worse], level[worse], alone[worse] = objective[less], ending[less], True
    if worse.size:
        end = len(knots)
        ends = np.array([best.min(), best.max()])
        knots = np.vstack([knots, np.zeros((2, knots.shape[1]))])
        if walk.free:
            knots[end:, -1] = ends
        place[worse] = end + (best - ends[0]) / max(np.ptp(ends), 1e-300)
    dual = np.where(known, np.minimum(dual, value), dual)
    gain, rounding = none - dual, ROUNDING * size
    own = np.maximum(walk.promised(nus, gain), rounding / tol)
    unit = np.where(zero, value, np.minimum(value, own))
    gap = np.where(known, (value - dual) / np.maximum(unit, 1e-300), np.inf)
    determined = known & ~zero & (
        (value == 0) | (gain > rounding) & (value - dual <= SMALL * gain))
    # Of gains below the floor nothing was asked; where all are rounding, something was.
    least = walk.least(nus)
    lost = ~(determined | zero) & ((gain >= least) | (least <= rounding))
    if (gap > tol).any() or lost.any():
        told = [f"gap {gap.max():.1e} in place of {tol:.0e} at k={counts[gap.argmax()]:g}"]
        if lost.any():
            some = counts[lost]
            told.append(f"at {len(some)} k from {some[0]:g} to {some[-1]:g} what the coefficients "
                        "gain is less than what is proven: errors there may be another model's")
        warnings.warn("; ".join(told[int(gap.max() <= tol):]), NotCertified, stacklevel=4)
    determined &= ~np.asarray(walk.torn)
    regime = np.where(zero, "zero", np.where(level > 0, "nu", "C"))
    mixed, few, turn = place, knots, None
    if walk.turned is not None:
        # Numbers have their errors by few models, with intercepts of their own; signs do not.
        models, between, turn = walk.turned
        place, knots = np.where(alone, place, len(knots) + between), np.vstack([knots, models])
        if signs:
            mixed, few, turn = place, knots, None
    order = np.argsort(mixed, kind="stable")
    error, ordered = np.empty(len(counts)), mixed[order]
    if scores is None:
        shift = None if turn is None else np.where(alone, 0.0, turn)[order]
        error[order] = _errors_on(signs, points, answers, few, ordered, walk.free, shift)
    else:
        # Knots that were added since are zero.
        more = np.zeros((len(scores), len(few) - scores.shape[1]))
        error[order] = errors_of(signs, answers, np.hstack([scores, more]), ordered)
    if not signs:
        error = np.maximum(error, 0.0)  # of rounding
    outer = 1 / nus if walk.average else 1.0
    # As k of a learner 1.0 is the fraction of all. Beyond 2^53 floats are whole, but not counts.
    whole = bool(counts[-1] < 2.0**53) and np.array_equal(np.round(counts), counts)
    return Path(
        counts.astype(np.int64) if whole else counts, value * outer, dual * outer, error,
        level, regime, gap, determined, knots, place, walk.fits)


def merged(rows: Any, labels: Floats, masses: Floats) -> tuple[Any, Floats, Floats]:
    """Rows that are alike as one of their mass, where that halves their number."""
    n = len(labels)
    if not isinstance(rows, np.ndarray):
        return rows, labels, masses
    mark = np.sqrt(np.arange(2.0, rows.shape[1] + 3))

    def marked(some: Any) -> Floats:
        return np.asarray(rows[some] @ mark[:-1] + mark[-1] * labels[some])

    few = marked(slice(None, None, max(n // LOOK, 1)))
    if len(np.unique(few)) == len(few):
        return rows, labels, masses
    _, first, which = np.unique(marked(slice(None)), return_index=True, return_inverse=True)
    alike = first[which]
    if 2 * len(first) > n or not (
            np.array_equal(rows[alike], rows) and np.array_equal(labels[alike], labels)):
        return rows, labels, masses
    return rows[first], labels[first], np.bincount(which, masses).astype(float)


def few_of(values: Floats) -> Floats:
    """Each by the nearest of at most so many."""
    some = np.unique(values)
    if len(some) > FEW:
        some = some[np.linspace(0, len(some) - 1, FEW).round().astype(int)]
    return np.asarray(some[np.abs(values[:, None] - some).argmin(axis=1)])


def compared(name: str, pair: Any, kind: Individual, rows: Any) -> tuple[Any, Floats]:
    """Points and labels that models are compared by, with the features of the sample."""
    points, answers = checked_data(
        *pair_of(name, pair), kind, both=False, names=(f"points of {name}", f"labels of {name}"))
    if points.shape[1] != rows.shape[1]:
        raise ValueError(f"{name} must hold points of {rows.shape[1]} features, as X, "
                         f"got {points.shape[1]}")
    return points, answers


def counts_of(ks: Sequence[float], total: float, whole: bool = True) -> Floats:
    """Counts and fractions as counts, each once, in order; whole ones where nothing is weighted."""
    wanted = []
    for k in listed("ks", ks, "counts or fractions"):
        try:
            wanted.append(tail_mass(k, total) * total)
        except ValueError as error:
            raise ValueError(f"ks must hold counts in [1, {total:g}] or fractions in (0, 1], "
                             f"got {k!r}") from error
    if whole:
        wanted = [max(1, round(k)) for k in wanted]
    return np.unique(np.asarray(wanted, float))


def every_count(total: float, examples: int = 0) -> Floats:
    """Every count, and all of the weight; of many counts so many.

    Half of them in about equal steps, half in about equal ratios: so all of the least are there.

    Parameters
    ----------
    total : float
        Of the weights.
    examples : int
        With weight: where they weigh less than one in the mean, the mean is what is counted.

    Returns
    -------
    array

    Examples
    --------
    >>> every_count(3.5).tolist()
    [1.0, 2.0, 3.0, 3.5]
    >>> some = every_count(1e12)
    >>> len(some) <= EVERY, some[:3000].tolist() == list(range(1, 3001)), float(some[-1])
    (True, True, 1000000000000.0)
    """
    if total < examples * (1 - WHOLE):
        return total / examples * every_count(float(examples))
    whole = np.floor(total)
    if total <= EVERY:
        return np.unique(np.append(np.arange(1.0, whole + 1), total))
    some = [space(1.0, whole, EVERY // 2 - 1) for space in (np.linspace, np.geomspace)]
    # Beyond the whole numbers that floats hold the last may be one more.
    return np.unique([*np.concatenate(some).round().clip(1.0, whole), total])


def _errors_on(
    margin: bool, points: Any, answers: Floats, knots: Floats, place: Floats, free: bool,
    shift: Floats | None = None,
) -> Floats:
    """`errors_of` some points at a time: of many models the scores are more than the data."""
    lost, size = np.zeros(len(place)), max(BATCH // len(knots), 1)
    for first in range(0, len(answers), size):
        some = slice(first, first + size)
        scores = points[some] @ knots[:, : knots.shape[1] - free].T
        if free:
            scores += knots[:, -1]
        lost += lost_of(margin, answers[some], scores, place, shift)
    return lost / len(answers)


def errors_of(
    margin: bool, answers: Floats, scores: Floats, place: Floats, shift: Floats | None = None
) -> Floats:
    """Errors, or mean squares, of mixtures of models.

    Parameters
    ----------
    margin : bool
        Share of wrong signs, where the sign of 0 is 1; else mean squares.
    answers : array, shape (points,)
    scores : array, shape (points, knots)
    place : array, shape (m,)
        Non-decreasing: 2.25 is three parts of column 2, one of column 3.
    shift : array, shape (m,), optional
        What is added to all scores, of numbers.

    Returns
    -------
    array, shape (m,)

    Examples
    --------
    >>> scores = np.array([[-1.0, 3.0], [2.0, -2.0]])
    >>> errors_of(True, np.array([1.0, -1.0]), scores, np.array([0, 0.25, 0.4, 0.75, 1])).tolist()
    [1.0, 0.5, 0.5, 0.0, 0.0]
    """
    return lost_of(margin, answers, scores, place, shift) / len(answers)


def lost_of(
    margin: bool, answers: Floats, scores: Floats, place: Floats, shift: Floats | None
) -> Floats:
    """Sums of errors, or of squares, as `errors_of` has their means."""
    start, end = scores[:, :-1], scores[:, 1:]
    if not margin:
        low = np.clip(place.astype(int), 0, max(scores.shape[1] - 2, 0))
        first, step = scores - answers[:, None], end - start
        square, both, bend = (np.einsum("ij,ij->j", *two) for two in (
            (first, first), (first[:, :-1], step), (step, step)))
        share = place - low
        change = share * (2 * both[low] + share * bend[low]) if len(bend) else 0.0
        found = square[low] + change
        if shift is not None:
            total = first.sum(axis=0)[low]
            if len(bend):
                total = total + share * step.sum(axis=0)[low]
            found += shift * (2 * total + len(answers) * shift)
        return np.asarray(found)
    # A score crosses 0 at most once on the way from one model to the next.
    right = scores >= 0
    rows, columns = divmod(np.flatnonzero(right[:, :-1] != right[:, 1:]), max(end.shape[1], 1))
    crossing = columns + start[rows, columns] / (start[rows, columns] - end[rows, columns])
    down = right[rows, columns]
    # Where the scores of two models differ by more than floats do, a crossing is at neither. A
    # score of 0 is right on the way down: what is beyond it comes after.
    crossing = np.where(down, np.minimum(np.nextafter(crossing, np.inf), columns + 1.0),
                        np.maximum(crossing, np.nextafter(columns + 0.0, np.inf)))
    first = np.searchsorted(place, crossing)
    wrong = np.where(right[:, 0], 1.0, -1.0) != answers
    change = np.bincount(first, np.where(down == (answers[rows] > 0), 1.0, -1.0), len(place) + 1)
    return np.asarray(wrong.sum() + np.cumsum(change)[:-1])
