r"""All k at one C: few problems are solved, and every k has a model with a gap that is proven.

Of two k's solutions dual weights mixed in proportion are feasible at every k between, so a mixture
has its own certificate. Sums of the largest losses are convex in the model and, of one model, known
at all k from one sort: between two sorts both sides of the gap are formulas in k.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.topics.top_k.aggregate import tail_mass
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.kernel_dual import kernel_fit
from noisytheory.topics.top_k.minimise import NotCertified, checked_data, checked_masses
from noisytheory.topics.top_k.smoothing import Smoothed, newton, pieces
from noisytheory.topics.top_k.task import REDUCED, ROUNDING, WIDE, Task, positive_level

__all__ = ["Path", "counts_of", "errors_of", "kernel_path", "path"]

Floats = NDArray[np.float64]

SOLVED = 0.2
"""Share of the gap allowed that a solution may have."""
MIXED = 0.8
"""Share that a mixture may have where it is evaluated: between two that are there is more."""

WIDTH = 0.05
"""Of the smoothing at first, over $AT_k$."""
CLOSE = 0.01
"""Share of the objective at zero that coefficients gain at most where Newton's method stalls."""
EXACT = 1e-8
"""Tolerance of what proves zero the minimiser."""
FARTHEST = 3
"""Times by which k falls at most from one guess of the collapse to the next."""
FEW = 400
"""Rows below which too few are in the zone that smooths a kink for Newton's method."""
STEPS = 25
"""Of Newton's method at most; three are usual, and then a problem is solved from scratch."""


@dataclass(frozen=True)
class Path:
    """What k changes at one C.

    Parameters
    ----------
    k : array, shape (m,)
        Counts; of weight where examples are weighted.
    objective : array, shape (m,)
        Of each model, or a little more: at most ``gap`` above the optimum.
    error : array, shape (m,)
        Errors of classification, or mean squares of regression.
    level : array, shape (m,)
    regime : array of str, shape (m,)
        ``"zero"`` only where weights prove zero the minimiser.
    gap : array, shape (m,)
        Proven duality gap of each, relative to its objective, or to what its own coefficients gain
        over none (over the best constant) where that is less, as `fit` measures it; $10^{-12}$ of
        the objective at zero is rounding.
    knots : array, shape (fits, d)
        Coefficients, with the intercept last if there is one, of the models that are mixed.
    place : array, shape (m,)
        Of each k's model between them: 2.25 is three parts of the third knot, one of the fourth.
    fits : int
        How many problems were solved.
    """

    k: Floats
    objective: Floats
    error: Floats
    level: Floats
    regime: NDArray[np.str_]
    gap: Floats
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
        """Largest k where zero is proven the minimiser; 0 if nowhere, or if it was not asked."""
        return float(self.k[self.regime == "zero"].max(initial=0))


def path(
    X: Any, y: ArrayLike, loss: str = "logistic", *, ks: Sequence[float] | None = None,
    C: float = 1.0, test: tuple[Any, ArrayLike] | None = None, intercept: bool = False,
    sample_weight: ArrayLike | None = None, scaling: str = "paper", tol: float = 1e-2,
    relative_to: str = "gain", start: Floats | None = None,
) -> Path:
    r"""What k changes: models for all k from a few solutions, each with a gap that is proven.

    Parameters
    ----------
    X, y, loss, C, intercept, sample_weight, scaling
        As in `fit`.
    ks : sequence of int or float, optional
        Counts, or fractions in (0, 1]; every count by default.
    test : pair, optional
        Points and labels on which errors are counted; the sample itself by default.
    tol : float
        Gap at every k, as `Path` measures it.
    relative_to : {"gain", "largest"}
        What gaps are relative to where it is less than the objective: what the coefficients gain
        at their own k, or at the largest. The latter is cheap, and says nothing of the k next to
        the collapse, where they gain far less: models may be 0 there, and no regime is ``"zero"``.
    start : array, shape (d,), optional
        Coefficients to begin with at the largest k, the intercept last.

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
        If some k has a larger gap, as where the coefficients gain less than rounding leaves.

    Notes
    -----
    For all k, hinge or logistic loss, the processor time of 14 to 163 fits to $10^{-6}$ (11
    problems, median 64; 18 to 91 solutions), most of it near the collapse, where each halving of
    the distance in k takes solutions of its own; ``relative_to="largest"`` takes that of 1 to 7
    fits, median 4. The problems are every ninth of 96: 500 to 20,000 examples, 5 to 100 features
    of one size or falling to 1/30, C = 1 and 100, much and little noise; a fit is the median one
    of five k that are not zero. Of regression the smallest k differ most, and each takes a
    solution of its own.

    Examples
    --------
    >>> found = path([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1], "hinge")
    >>> found.regime.tolist(), found.objective.round(3).tolist()
    (['zero', 'zero', 'nu', 'C'], [0.25, 0.5, 0.719, 0.875])
    """
    kind = individual(loss)
    rows, labels = checked_data(X, y, kind)
    masses, total = checked_masses(sample_weight, len(labels))
    points, answers = (rows, labels) if test is None else checked_data(*test, kind, both=False)
    if not 0 < tol < 1:
        raise ValueError(f"tol must be a number in (0, 1), got {tol!r}")
    if not (isinstance(C, int | float | np.number) and np.isfinite(C) and C > 0):
        raise ValueError(f"C must be a finite number > 0, got {C!r}")
    if scaling not in ("paper", "average"):
        raise ValueError(f"scaling must be 'paper' or 'average', got {scaling!r}")
    keep = np.flatnonzero(masses > 0)
    if keep.size < len(masses):
        rows, labels, masses = rows[keep], labels[keep], masses[keep]
    if kind.margin and intercept and np.ptp(labels) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    if relative_to not in ("gain", "largest"):
        raise ValueError(f"relative_to must be 'gain' or 'largest', got {relative_to!r}")
    walk = _Walk(rows, labels, masses, loss, float(C), intercept, scaling == "average", tol)
    walk.start, walk.share = start, None if relative_to == "gain" else 1.0
    counts = (_all(total) if ks is None else counts_of(ks, total, sample_weight is None))
    found = walk.over(counts / total)
    if scaling == "average":
        found[0] *= total / counts
    knots = np.array([knot.coef for knot in walk.knots])
    scores = points @ knots[:, : knots.shape[1] - intercept].T
    if intercept:
        scores = scores + knots[:, -1]
    return _path(counts, found, kind.margin, answers, np.asarray(scores), knots, walk, tol)


def collapsed_up_to(
    rows: Any, labels: Floats, masses: Floats, shares: Floats, *, intercept: bool = False
) -> float:
    """The largest of these tail masses whose minimiser is zero at every C; 0 if there is none.

    Parameters
    ----------
    rows, labels, masses
        Checked data of two classes.
    shares : array, shape (m,)
        In order.
    intercept : bool

    Returns
    -------
    float
    """
    squares = rows.multiply(rows) if sparse.issparse(rows) else rows**2
    # C large enough for the scores to reach the margin: the objective is that without regulariser.
    C = 1e3 / max(float(masses @ np.asarray(squares.sum(axis=1)).ravel()), 1e-300)
    keep = np.flatnonzero(masses > 0)
    walk = _Walk(rows[keep], labels[keep], masses[keep], "hinge", C, intercept, False, 1e-2)
    walk.nus = shares
    walk.descend(walk.highest(float(shares[-1])))
    return walk.zero_to


@dataclass(frozen=True, eq=False)
class _Sorted:
    """A model's sums of its largest losses at every tail mass, from one sort.

    ``none`` is the least objective without coefficients at its own tail mass.
    """

    nu: float
    share: float
    none: float
    losses: Floats
    reached: Floats
    sums: Floats

    def top(self, nu: Any) -> Any:
        """The aggregate at tail masses."""
        return np.interp(nu, self.reached, self.sums)

    def level(self, nu: Any) -> Any:
        """The loss at which the largest ones end."""
        place = np.searchsorted(self.reached, nu - 1e-12) - 1
        return np.asarray(self.losses[np.clip(place, 0, len(self.losses) - 1)])


@dataclass(frozen=True, eq=False)
class _Knot:
    r"""A solution: its model, and dual weights $p$ with slopes $s$ by what they make.

    ``linear`` is $-\sum p_i\ell^*(s_i)$, ``push`` the sum of rows, ``mass`` that of the weights.
    """

    nu: float
    coef: Floats
    scores: Floats
    linear: float
    push: Floats
    mass: float
    tail: _Sorted


class _Part(Task):
    """A problem that begins at the solution of another; its gap may have a unit that all share."""

    share: float | None = None

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What a gap is measured by."""
        if self.share is None:
            return super().unit(primal, rounding)
        return max(self.share * max(abs(primal), 1e-5 * self.size), 1e-300)

    def near(self, w: Floats, last: _Last) -> tuple[Floats, Floats | None]:
        """Newton's method from a neighbour's solution, and scores of what it finds."""
        if self.design.width > WIDE or (not self.kind.smooth and len(self.targets) < FEW):
            return self.solve(w, "auto")[0], None
        design = self.design
        parts: dict[str, Any]
        if self.kind.name != "hinge":
            parts = dict(
                losses=lambda f: self.kind.values(self.targets, f),
                slopes=lambda f: self.kind.slopes(self.targets, f),
                curvatures=lambda f: self.kind.curvatures(self.targets, f))
        else:
            design, c, _ = self._programme()
            parts = pieces(design, c)
        size = max(min(self.objective(w), self.start_value), 1e-5 * self.size) / self.nu
        problem = Smoothed(design, **parts, masses=self.masses, nu=self.nu, ridge=self.ridge,
                           everything=self.kind.smooth and self.nu >= 1 - 1e-12,
                           width=last.width * size, kept=last.kept)
        n = len(self.targets)
        best: list[Any] = [self.start_value, np.zeros(self.design.width), np.zeros(n)]

        def accept(at: Floats, a: Floats) -> bool:
            scores = self.design.scores(at)
            self.certify(self.masses * a, parts["slopes"](scores))
            primal = self._aggregate(self.kind.values(self.targets, scores))
            primal += 0.5 * float(self.ridge @ at**2)
            if primal < best[0]:
                best[:] = [primal, at, scores]
            problem.gap = float(best[0]) - self.best_dual
            return self.enough(float(best[0]))

        newton(problem, w, accept, lambda primal: self.tol * self.unit(primal), steps=STEPS)
        if not self.enough(float(best[0])):
            return self.solve(best[1], "auto")[0], None
        last.width, last.kept = problem.width / size, problem.kept
        return best[1], best[2]


@dataclass
class _Last:
    """What the next problem takes from the last: width over $AT_k$, and a Gram matrix."""

    width: float = WIDTH
    kept: tuple[Floats, Floats] | None = None


class _Walk:
    """Solutions at some k, mixtures between them."""

    def __init__(
        self, rows: Any, labels: Floats, masses: Floats, loss: str, C: float, free: bool,
        average: bool, tol: float,
    ) -> None:
        self.rows, self.labels, self.masses, self.C = rows, labels, masses, C
        self.kind, self.free, self.average, self.tol = individual(loss), free, average, tol
        self.start: Floats | None = None
        self.share: float | None = None
        n = len(masses)
        self.even = np.arange(n + 1) / n if np.ptp(masses) == 0 else None
        self.fits, self.last = 0, _Last()
        # Where zero is the minimiser, and where it is not.
        self.zero_to, self.above = 0.0, np.inf
        self.knots: list[_Knot] = []
        losses = self.kind.values(labels, np.zeros(len(labels)))
        self.size = float(masses @ losses)
        self.at_zero = self.sort(1.0, np.zeros(len(labels)), none=self.size)

    def constant(self, nu: Any) -> Any:
        """C in the paper's scaling."""
        return self.C / nu if self.average else self.C

    def over(self, nus: Floats) -> Floats:
        """Objective, relative gap, level and place between the knots at each tail mass."""
        self.out = np.zeros((4, len(nus)))
        self.nus = nus
        highest = self.highest(float(nus[-1]))
        knots = [highest]
        if highest.mass < highest.nu * (1 - 1e-9) and not self.average:
            # All losses that are not 0 count already: from there on nothing changes.
            knee = max(highest.mass, float(nus[0]))
            if knee < highest.nu:
                knots.insert(0, replace(highest, nu=knee, tail=self.sort(knee, highest.scores)))
        self.knots = self.descend(knots[0]) + knots[1:]
        self.last.width = WIDTH
        at = 0
        while at < len(self.knots) - 1:
            new = self.cover(self.knots[at], self.knots[at + 1], at)
            if new is None:
                at += 1
            else:
                self.knots.insert(at + 1, new)
        if len(self.knots) == 1:
            only = self.knots[0]
            self.record(np.arange(len(nus)), only, only, only.tail, only.tail, 0)
        return self.out

    def highest(self, nu: float) -> _Knot:
        """The solution at the largest k."""
        w = np.zeros(self.rows.shape[1] + self.free)
        if self.start is not None:
            w[: len(self.start)] = self.start
        shared, self.share = self.share, None
        found = self.solved(nu, w, near=False)
        if shared is not None:
            value = float(found.tail.top(nu)) + self.ridge(found, found, 0.0)
            self.share = float(np.clip(self.gain(found) / max(value, 1e-300), 1e-12, 1.0))
        return found

    def knot(self, task: Task, w: Floats, scores: Floats | None = None) -> _Knot:
        """A solution with its certificate."""
        self.fits += 1
        assert task.best_weights is not None
        scores = task.design.scores(w) if scores is None else scores
        return _Knot(task.nu, w, scores, task.best_linear, task.best_push,
                     float(task.best_weights.sum()), self.sort(task.nu, scores))

    def solved(self, nu: float, start: Floats, near: bool = True) -> _Knot:
        """The solution at a tail mass, from one nearby or not; zero where that is proven."""
        task = _Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                     self.free, SOLVED * self.tol)
        # Zero is asked for once, and only of a point that gains nothing.
        task.zero, task.share = False, self.share
        if near:
            w, scores = task.near(start, self.last)
        else:
            w, scores = task.solve(start, "auto")[0], None
        value = task.objective(w)
        if self.kind.margin and self.share is None and self.zero_to < nu < self.above:
            task.zero, task.tol = None, EXACT
            if task.regime(w, value, task.best_dual)[0] == "zero":
                w, scores, self.zero_to = np.zeros_like(w), None, nu
            else:
                self.above = nu
        return self.knot(task, w, scores)

    def descend(self, high: _Knot) -> list[_Knot]:
        """Knots from zero, or the smallest k that is asked for, up to this one.

        Where zero is the minimiser at some k, scaled weights prove it so at all that are smaller.
        """
        found, nus = [high], self.nus
        zero = high if self.zero_to else None
        start, end = -1, int(np.searchsorted(nus, high.nu * (1 - 1e-12)))
        for attempt in range(60):
            if zero is high or end - start < 2 or self.flat(found[0]):
                break
            at = found[0]
            # The root of the gain is convex in k: where its tangent meets 0, or just below, zero
            # becomes the minimiser.
            collapse = self.guess(at)
            place = int(np.searchsorted(nus, collapse * (1 + 1e-12), side="right"))
            if self.kind.margin:
                place = max(place, int(np.searchsorted(nus, at.nu / FARTHEST)))
            if place <= start or attempt > 20:
                place = (start + end) // 2
            place = max(min(place, end - 1), 0)
            nu = float(nus[place])
            small = max((nu - collapse) / (at.nu - collapse), 0.0) if self.kind.margin else 1.0
            new = self.solved(nu, small * at.coef, self.warm(nu, small**2 * self.gain(at)))
            if self.zero_to == nu:
                zero, start = new, place
            else:
                found.insert(0, new)
                end = place
        if zero is high:
            found = []
        elif zero is None:
            if not self.flat(found[0]):
                return found
            last = found.pop(0)
            none = 0 * last.scores
            zero = replace(last, coef=0 * last.coef, scores=none, tail=self.sort(last.nu, none))
        # Scaled weights are feasible at all k that are smaller.
        return [replace(zero, nu=0.0, linear=0.0, push=0 * zero.push, mass=0.0,
                        tail=replace(zero.tail, nu=0.0, none=0.0)), zero, *found]

    def flat(self, at: _Knot) -> bool:
        """Whether zero, though it is not the minimiser, is as good as the gap allows."""
        if self.share is None or not self.kind.margin:
            return False
        value = at.nu * self.kind.at_zero
        gap = value - float(self.dual(at, at, at.nu))
        return gap <= MIXED * self.tol * float(self.unit(at.nu, value, 0.0))

    def warm(self, nu: float, gain: float) -> bool:
        """Whether Newton's method from a neighbour beats an interior point from nothing."""
        if self.share is not None or (self.kind.smooth and len(self.labels) > REDUCED):
            return True
        return gain > CLOSE * nu * self.kind.at_zero

    def gain(self, at: _Knot) -> float:
        """What a solution's coefficients gain over none at most."""
        return max(at.tail.none - float(self.dual(at, at, at.nu)), 0.0)

    def guess(self, at: _Knot) -> float:
        """A k where the gain over zero may be none: its root is nearly linear in k."""
        if not self.kind.margin:
            return 0.0
        level = float(at.tail.level(at.nu)) if (
            at.mass > at.nu * (1 - 1e-7)) else 0.0
        slope = self.kind.at_zero - level
        if self.average:
            slope -= self.ridge(at, at, 0.0) / at.nu
        gain = at.nu * self.kind.at_zero - float(self.dual(at, at, at.nu))
        return float(at.nu - 2 * gain / max(slope, 1e-300))

    def none(self, nu: float) -> float:
        """The least objective without coefficients."""
        if not self.free:
            return float(self.at_zero.top(nu))
        return Task(self.rows, self.labels, self.masses, self.kind, nu, self.C, True,
                    self.tol).constant

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to: the objective, or the gain where zero is not the minimiser."""
        size = self.at_zero.top(nu)
        large = np.maximum(value, 1e-5 * size)
        if self.share is not None:
            return np.maximum(self.share * large, 1e-300)
        own = np.maximum(np.minimum(large, gain), ROUNDING * size / self.tol)
        return np.maximum(np.where(nu <= self.zero_to * (1 + 1e-12), large, own), 1e-300)

    def inner(self, one: _Knot, other: _Knot) -> float:
        """Product of two models' coefficients that are regularised."""
        end = -1 if self.free else None
        return float(one.coef[:end] @ other.coef[:end])

    def pushed(self, one: _Knot, other: _Knot) -> float:
        """Product of two knots' sums of rows."""
        return float(one.push @ other.push)

    def shares(self, low: _Knot, high: _Knot, nu: Any) -> tuple[Any, Any]:
        """Shares of the higher knot in the dual weights, and in the coefficients."""
        if high.nu == low.nu:
            return 0.0 * nu, 0.0 * nu
        t = (nu - low.nu) / (high.nu - low.nu)
        # Coefficients are C times the sum of rows, and C may follow k.
        return t, t * high.nu / nu if self.average else t

    def ridge(self, low: _Knot, high: _Knot, share: Any, nu: Any = None) -> Any:
        """The regulariser of mixtures."""
        rest = 1 - share
        square = (rest**2 * self.inner(low, low) + 2 * share * rest * self.inner(low, high)
                  + share**2 * self.inner(high, high))
        return square / (2 * self.constant(low.nu if nu is None else nu))

    def dual(self, low: _Knot, high: _Knot, nu: Any) -> Any:
        """Lower bounds: what is concave by its chord, the square exactly."""
        t, _ = self.shares(low, high, nu)
        square = ((1 - t)**2 * self.pushed(low, low) + 2 * t * (1 - t) * self.pushed(low, high)
                  + t**2 * self.pushed(high, high))
        return (1 - t) * low.linear + t * high.linear - 0.5 * self.constant(nu) * square

    def sort(
        self, nu: float, scores: Floats, share: float = 0.0, none: float | None = None
    ) -> _Sorted:
        """A model's losses in order."""
        none = self.none(nu) if none is None else none
        losses, masses = self.kind.values(self.labels, scores), self.masses
        if self.even is not None:
            losses = np.sort(losses)[::-1]
            return _Sorted(nu, share, none, losses, self.even, _sums(losses) * masses[0])
        order = np.argsort(-losses)
        losses, masses = losses[order], masses[order]
        return _Sorted(nu, share, none, losses, _sums(masses), _sums(masses * losses))

    def record(
        self, places: NDArray[np.intp], low: _Knot, high: _Knot, a: _Sorted, b: _Sorted, at: int
    ) -> float:
        """Values and gaps of mixtures at these k, between two that are sorted; the largest gap."""
        nu = self.nus[places]
        t, share = self.shares(low, high, nu)
        part = (share - a.share) / (b.share - a.share) if b.share > a.share else 0.0 * nu
        value = ((1 - part) * a.top(nu) + part * b.top(nu) + self.ridge(low, high, share, nu))
        dual = self.dual(low, high, nu)
        # Without coefficients the least objective is concave in k: its chord is below.
        beside = (nu - a.nu) / (b.nu - a.nu) if b.nu > a.nu else 0.0 * nu
        gain = (1 - beside) * a.none + beside * b.none - dual
        gap = (value - dual) / self.unit(nu, value, gain)
        slack = nu - (1 - t) * low.mass - t * high.mass
        level = positive_level((1 - part) * a.level(nu) + part * b.level(nu), slack, nu, value)
        self.out[:, places] = value, gap, np.where(nu < 1 - 1e-12, level, 0.0), at + share
        return float(gap.max())

    def cover(self, low: _Knot, high: _Knot, at: int) -> _Knot | None:
        """Models for all k between two knots, or a knot that is missing."""
        first = int(np.searchsorted(self.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(self.nus, high.nu * (1 + 1e-12)))
        left = [(np.arange(first, last), low.tail,
                 replace(high.tail, share=1.0))]
        for places, a, b in left:
            if not len(places) or self.record(places, low, high, a, b, at) <= self.tol:
                continue
            inner = places[(self.nus[places] > a.nu * (1 + 1e-12))
                           & (self.nus[places] < b.nu * (1 - 1e-12))]
            if not len(inner):
                continue
            middle = int(inner[len(inner) // 2])
            nu = float(self.nus[middle])
            share = float(self.shares(low, high, nu)[1])
            new = self.sort(nu, (1 - share) * low.scores + share * high.scores, share)
            found = self.record(np.array([middle]), low, high, new, new, at)
            if found > MIXED * self.tol:
                mixed = (1 - share) * low.coef + share * high.coef
                return self.solved(nu, mixed, not self.kind.margin or self.warm(nu, self.gain(low)))
            left += [(places[places < middle], a, new), (places[places > middle], new, b)]
        return None


def _sums(values: Floats) -> Floats:
    """Of the first none, one, two..."""
    return np.concatenate([[0.0], np.cumsum(values)])


def kernel_path(
    gram: Floats, y: ArrayLike, *, ks: Sequence[float] | None = None, C: float,
    regression: bool = False, test: tuple[Floats, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None, tol: float = 1e-2,
) -> Path:
    r"""The same for kernel machines: hinge loss, or absolute loss, through the dual.

    Parameters
    ----------
    gram : array, shape (n, n)
    y : array_like, shape (n,)
        1 or -1, or numbers.
    ks : sequence of int or float, optional
        Every count by default.
    C : float
    regression : bool
    test : pair, optional
        Kernel of the points beside the sample, shape (m, n), and their labels.
    sample_weight : array_like, shape (n,), optional
    tol : float
        Gap at every k, relative to the objective or to what the largest k gains, as `path` with
        ``relative_to="largest"``: it says nothing of the k next to the collapse.

    Returns
    -------
    Path
        Its coefficients are dual coefficients, shape (m, n).

    Notes
    -----
    Fits of the dual begin from nothing, so it takes as long as ``fits`` of them: 3 with the hinge,
    19 of regression, at n = C = 500 and Gaussian kernel.

    Examples
    --------
    >>> X = np.array([[1.0], [1.0], [1.0], [-1.0]])
    >>> kernel_path(X @ X.T, [1, 1, -1, -1], ks=[3, 4], C=1.0).objective.round(4).tolist()
    [0.7188, 0.875]
    """
    labels = np.asarray(y, float)
    masses, total = checked_masses(sample_weight, len(labels))
    walk = _KernelWalk(gram, labels, masses, C, regression, tol)
    walk.share = 1.0
    counts = _all(total) if ks is None else counts_of(ks, total, sample_weight is None)
    found = walk.over(counts / total)
    knots = np.array([knot.coef for knot in walk.knots])
    rows, answers = (gram, labels) if test is None else checked_data(
        *test, walk.kind, both=False)
    return _path(counts, found, not regression, answers, np.asarray(rows @ knots.T), knots,
                 walk, tol)


class _KernelWalk(_Walk):
    """The same with dual coefficients in place of coefficients."""

    def __init__(
        self, gram: Floats, labels: Floats, masses: Floats, C: float, regression: bool, tol: float
    ) -> None:
        super().__init__(gram, labels, masses, "absolute" if regression else "hinge", C, False,
                         False, tol)
        self.regression = regression

    def solved(self, nu: float, start: Floats, near: bool = True) -> _Knot:
        """The solution at a tail mass: a fit whose gap is small beside what the path promises."""
        within = 1e-2 * min(1.0, self.tol * 1e3)
        self.fits += 1
        none = self.none(nu)
        while True:
            with warnings.catch_warnings():
                # What is proven is looked at here.
                warnings.simplefilter("ignore", NotCertified)
                one = kernel_fit(self.rows, self.labels, nu=nu, C=self.C, tol=within,
                                 masses=self.masses, regression=self.regression)
            gain = none - one.dual
            flat = not self.regression and gain <= 1e-9 * none
            if flat or one.gap <= SOLVED * self.tol * self.unit(nu, one.objective, gain) or (
                    within < 1e-11):
                break
            within *= 0.1
        beta, scores = one.dual_coef, one.scores
        push = beta / self.C
        weights = np.abs(push)
        linear = float(push @ self.labels)
        if flat:
            beta, scores, self.zero_to = 0 * beta, 0 * scores, max(self.zero_to, nu)
        return _Knot(nu, beta, scores, linear, push, float(weights.sum()), self.sort(nu, scores))

    def inner(self, one: _Knot, other: _Knot) -> float:
        """Product of two functions."""
        return float(one.coef @ other.scores)

    def pushed(self, one: _Knot, other: _Knot) -> float:
        """Product of two sums of functions; the one at 0 may have lost its scores."""
        return float(one.push @ self.rows @ other.push)


def _path(
    counts: Floats, found: Floats, margin: bool, answers: Floats, scores: Floats,
    knots: Floats, walk: _Walk, tol: float,
) -> Path:
    """What was found at each k, with the errors of scores, shape (points, knots)."""
    value, gap, level, place = found
    if gap.max() > tol:
        warnings.warn(f"gap {gap.max():.1e} in place of {tol:.0e} at k={counts[gap.argmax()]:g}",
                      NotCertified, stacklevel=3)
    zero = walk.nus <= walk.zero_to * (1 + 1e-12)
    regime = np.where(zero, "zero", np.where(level > 0, "nu", "C"))
    return Path(counts, value, errors_of(margin, answers, scores, place),
                level, regime, gap, knots, place, walk.fits)


def counts_of(ks: Sequence[float], total: float, whole: bool = True) -> Floats:
    """Counts and fractions as counts, each once, in order; whole ones where nothing is weighted."""
    wanted = [tail_mass(k, total) * total for k in ks]
    if not wanted:
        raise ValueError("ks must hold a count or a fraction at least, got none")
    if whole:
        wanted = [max(1, round(k)) for k in wanted]
    return np.unique(np.asarray(wanted, float))


def _all(total: float) -> Floats:
    """Every count, and all of the weight."""
    return np.unique(np.append(np.arange(1.0, np.floor(total) + 1), total))


def errors_of(margin: bool, answers: Floats, scores: Floats, place: Floats) -> Floats:
    """Errors, or mean squares, of mixtures of models.

    Parameters
    ----------
    margin : bool
        Share of wrong signs, where the sign of 0 is 1; else mean squares.
    answers : array, shape (points,)
    scores : array, shape (points, knots)
    place : array, shape (m,)
        Non-decreasing: 2.25 is three parts of column 2, one of column 3.

    Returns
    -------
    array, shape (m,)

    Examples
    --------
    >>> scores = np.array([[-1.0, 3.0], [2.0, -2.0]])
    >>> errors_of(True, np.array([1.0, -1.0]), scores, np.array([0, 0.25, 0.4, 0.75, 1])).tolist()
    [1.0, 0.5, 0.5, 0.0, 0.0]
    """
    out = np.empty(len(place))
    last = scores.shape[1] - 1
    column = np.minimum(place.astype(int), max(last - 1, 0))
    for low in np.unique(column):
        here = np.flatnonzero(column == low)
        share = place[here] - low
        start, end = scores[:, low], scores[:, min(low + 1, last)]
        if not margin:
            first, step = start - answers, end - start
            out[here] = ((first @ first) + 2 * share * (first @ step)
                         + share**2 * (step @ step)) / len(answers)
            continue
        # A score crosses 0 at most once on the way.
        wrong = np.where(start >= 0, 1.0, -1.0) != answers
        turns = np.flatnonzero((start >= 0) != (end >= 0))
        crossing = start[turns] / (start[turns] - end[turns])
        down = start[turns] >= 0
        first = np.where(down, np.searchsorted(share, crossing, side="right"),
                         np.searchsorted(share, crossing, side="left"))
        change = np.bincount(first, np.where(wrong[turns], -1.0, 1.0), len(here) + 1)
        out[here] = (wrong.sum() + np.cumsum(change)[:-1]) / len(answers)
    return out
