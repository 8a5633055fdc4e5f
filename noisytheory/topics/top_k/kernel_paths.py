"""All k of a kernel machine at one C, as `paths` has them of linear scores.

Weights of the k largest losses of a model that is known are nearly the best at this k. A product
with the Gram matrix tells what they prove, and of what model: a solution is made where these fail.
Of regression, whose least objective without a model is concave in k, they prove more at every k
than mixtures of two do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.kernel_dual import checked_classes, checked_problem, descended
from noisytheory.topics.top_k.minimise import TOLERANCE, checked_masses
from noisytheory.topics.top_k.paths import Path, as_path, compared, counts_of, every_count
from noisytheory.topics.top_k.task import positive_level
from noisytheory.topics.top_k.walk import EXACT, MOST, SOLVED, Knot, Sorted, Walk, sums
from noisytheory.vocabulary.domains import UNIT_INTERVAL
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["kernel_path"]

Floats = NDArray[np.float64]

ROUGH = 0.2
"""Share of the gap allowed that solutions may have above a floor of 0."""
GUESSED = 0.4
"""Share that guessed weights may have; between two knots there is more."""
TRIES, CLOSER = 3, 0.7
"""At a guess, and what of its gap one more may leave."""
BETTER = 0.5
"""Part of the weights of largest losses in the best mixture from which on a solution begins there.
"""
LOOK, ALIKE = 64, 0.6
"""Examples at which it is asked whether scores of a small C change the slopes of losses, and the
share of them where they do not that makes the weights of all a beginning.
"""
NEXT = 3e-13
"""What a model next to none may lose, as a share of the objective."""
STEPS, TIMES = 1000, 2
"""Of the dual's solver for one solution at most: so many an example, of which it mostly takes some
tens, or so many times what the largest k took.
"""


@on_one_thread
def kernel_path(
    gram: ArrayLike | Callable[[Any, Any], Any], y: ArrayLike, *, points: Any = None,
    ks: Sequence[float] | None = None, C: float, regression: bool = False,
    test: tuple[Any, ArrayLike] | None = None, sample_weight: ArrayLike | None = None,
    tol: float = 0.25, floor: float = 0.5,
) -> Path:
    r"""The same for kernel machines: hinge loss, or absolute loss, through the dual.

    Parameters
    ----------
    gram : array_like, shape (n, n), or callable
        The Gram matrix, or a kernel of two arrays of points.
    y : array_like, shape (n,)
        1 or -1, or numbers.
    points : array, shape (n, d), optional
        Needed with a kernel.
    ks : sequence of int or float, optional
        Every count by default, of more than 200,000 those of `path`.
    C : float
    regression : bool
    test : pair, optional
        Kernel of the points beside the sample, shape (m, n), and their labels.
    sample_weight : array_like, shape (n,), optional
    tol : float
        Gap at every k, as `Path` measures it.
    floor : float
        In [0, 1]. Of what the coefficients gain at the largest k, the share below which a gain does
        not matter: there the model is the lowest one's, of the best length, next to none if need
        be, and nobody asks whether zero is the minimiser. 0 proves the model of every k, which next
        to zero may take thousands of fits' time, and no end where a smooth kernel gains what
        rounding leaves.

    Returns
    -------
    Path
        Its coefficients are dual coefficients, shape (m, n).

    Raises
    ------
    ValueError
        As `kernel_fit`, or if k leave their range.

    Notes
    -----
    By the default all k take about the processor time of one fit with its Gram matrix, two at most
    with the hinge and three in regression: on eleven sets of 300 to 3,000 examples at C = 1, 100
    and 10,000 (``validation/top_k_paths.md``). Fits of some tens of examples are faster than the
    bookkeeping. With a floor of a tenth it is about half as much again. At a small C there is one
    solution: the weights at the largest k are the masses. Above a floor of 0 no solution takes
    more than 1,000 n steps, or twice as many as at the largest k: what is left of its gap is in
    ``gap``, and warned of where it is too large.

    Examples
    --------
    >>> X = np.array([[1.0], [1.0], [1.0], [-1.0]])
    >>> kernel_path(X @ X.T, [1, 1, -1, -1], ks=[3, 4], C=1.0).objective.round(4).tolist()
    [0.7188, 0.875]
    """
    matrix, labels = checked_problem(gram, points, y, C, regression)
    masses, total = checked_masses(sample_weight, len(labels))
    checked_classes(labels, regression, masses)
    tol, floor = TOLERANCE.number("tol", tol), UNIT_INTERVAL.number("floor", floor)
    walk = (_FewKernels if floor else _KernelWalk)(
        matrix, labels, masses, float(C), regression, tol)
    walk.floor = floor
    rows, answers = (matrix, labels) if test is None else compared("test", test, walk.kind, matrix)
    counts = (every_count(total, int(np.count_nonzero(masses))) if ks is None
              else counts_of(ks, total, sample_weight is None))
    found = walk.over(counts / total)
    scores = np.array([knot.scores for knot in walk.knots]).T if test is None else None
    return as_path(counts, found, rows, answers, walk, tol, not regression, scores)


@dataclass(frozen=True, eq=False)
class _KernelKnot(Knot):
    """The scores of ``push``, too: the model at zero has none."""

    image: Floats


class _KernelWalk(Walk):
    """The same with dual coefficients in place of coefficients."""

    rough, fall = SOLVED, 0.1
    """Share of the gap allowed that a solution may have; and by what its violations fall."""
    steps, taken = 10_000_000, 0
    """For one solution, at most; and of the last."""
    lost = False
    """Whether the last solution has a larger gap than is promised."""

    def __init__(
        self, gram: Floats, labels: Floats, masses: Floats, C: float, regression: bool, tol: float,
    ) -> None:
        super().__init__(gram, labels, masses, "absolute" if regression else "hinge", C, False,
                         False, tol)
        self.regression = regression

    def solved(
        self, nu: float, start: Floats, gain: float = 0.0, gap: float = 0.0, *, flat: bool = False,
        scores: Floats | None = None,
    ) -> Knot:
        """The solution at a tail mass, from another's: its gap is small beside what is promised."""
        self.fits += 1
        none, most, least = self.none(nu), self.rough * self.tol, float(self.least(nu))
        one, _ = descended(
            self.rows, None, self.labels, None if self.even else self.masses, nu=nu, C=self.C,
            regression=self.regression, start=start if start.any() else None, scores=scores,
            steps=self.steps, fall=self.fall,
            # By the tail mass violations are more than the gap.
            tol=max(most * min(least or none, none), 1e-2 * min(1.0, self.tol * 1e3) * none) / nu,
            allowed=lambda _, value, gain: most * float(self.unit(nu, value, gain)))
        self.taken = one.steps
        self.lost = one.gap > self.tol * self.unit(nu, one.objective, none - one.dual)
        beta, scores = one.dual_coef, one.scores
        push, image = beta / self.C, scores / self.C
        if not self.regression and none - one.dual <= EXACT * none:
            beta, scores, self.zero_to = 0 * beta, 0 * scores, max(self.zero_to, nu)
        return _KernelKnot(nu, beta, scores, float(push @ self.labels), push,
                           float(np.abs(push).sum()), self.sort(nu, scores), image)

    def recentre(self, knots: list[Knot]) -> None:
        """None: there is no intercept, and kernels have none that costs nothing."""

    def inner(self, one: Knot, other: Knot) -> float:
        """Product of two functions."""
        return float(one.coef @ other.scores)

    def pushed(self, one: Knot, other: Any) -> float:
        """Product of two sums of functions."""
        return float(one.push @ other.image)


class _FewKernels(_KernelWalk):
    """A few solutions, or guesses: gains below a share of the largest k's do not matter."""

    rough, fall = ROUGH, 0.5
    most = 0.0
    """What is gained at the largest k."""

    def highest(self, nu: float) -> Knot:
        """The solution at the largest k, by which the floor is measured."""
        # What weights prove that are not mixed, at every k.
        self.proven = np.full(len(self.nus), -np.inf)
        start, scores = self.heavy(nu)
        high = self.solved(nu, start, scores=scores)
        self.most = self.gain(high)
        self.steps = min(self.steps, max(STEPS * len(self.labels), TIMES * self.taken))
        return high

    def heavy(self, nu: float) -> tuple[Floats, Floats | None]:
        """Where a small C changes few slopes of losses, the weights of all of them; else none."""
        none = np.zeros(len(self.labels))
        beta = -self.C * nu * self.masses * self.kind.slopes(self.labels, none)
        some = slice(None, None, max(len(none) // LOOK, 1))
        before, after = (self.kind.slopes(self.labels[some], f) for f in (
            none[some], self.rows[some] @ beta))
        return (beta, self.rows @ beta) if np.mean(before == after) > ALIKE else (none, None)

    def least(self, nu: Any) -> Any:
        """Of what is gained at the largest k, so much that less does not matter."""
        return self.floor * self.most + 0.0 * nu

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to: not less than the floor."""
        return np.maximum(super().unit(nu, value, gain), np.minimum(value, self.least(nu)))

    def below(self, high: Knot) -> list[Knot]:
        """Nothing, and this one."""
        zero = np.zeros(len(self.labels))
        if self.regression:
            # Next to zero, and at a small C everywhere, weights of the largest losses are the best:
            # what they prove is concave in k, and mixtures of two lie below.
            for scores in (zero, high.scores):
                self.weighed(scores, high.nu, high.nu)
        tail = replace(self.at_zero, nu=0.0, none=0.0)
        return [_KernelKnot(0.0, zero, zero, 0.0, zero, 0.0, tail, zero), high]

    def weighed(self, scores: Floats, nu: float, end: float) -> tuple[Floats, Floats]:
        """Weights of the largest losses, signed, and the scores of their sum.

        Of regression also what they prove at every tail mass up to an end.
        """
        losses = self.kind.values(self.labels, scores)
        pulls = -self.masses * self.kind.slopes(self.labels, scores)
        order = np.argsort(-losses)
        reached = sums(self.masses[order])
        share = np.clip((nu - reached[:-1]) / np.maximum(self.masses[order], 1e-300), 0, 1)
        weights = np.zeros(len(losses))
        weights[order] = share * pulls[order]
        if not self.regression:
            return weights, self.rows @ weights
        first = int(np.searchsorted(reached, end * (1 - 1e-12)))
        part = min(int(np.count_nonzero(share == 1)), first)
        image = np.zeros(len(losses))
        order = order[:first]
        squares = _gathered()(self.rows, order, pulls[order], part, image)
        if part < first:
            image += weights[order[part]] * self.rows[order[part]]
        dual = sums(pulls[order] * self.labels[order]) - 0.5 * self.C * squares
        some = slice(0, int(np.searchsorted(self.nus, end * (1 + 1e-12))))
        self.proven[some] = np.maximum(
            self.proven[some], np.interp(self.nus[some], reached[: first + 1], dual))
        return weights, image

    def cover(self, low: Knot, high: Knot, at: int) -> Knot | None:
        """Models for all k between two knots, or one that is missing where the gap is largest."""
        first = int(np.searchsorted(self.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(self.nus, high.nu * (1 + 1e-12)))
        if first == last:
            return None
        gaps = self.record(first, last, low, high, low.tail, high.tail, at)
        start = int(self.nus[first] <= low.nu * (1 + 1e-12))
        inside = gaps[start: len(gaps) - int(self.nus[last - 1] >= high.nu * (1 - 1e-12))]
        # What rounding, or the number of steps, leaves of gaps one more solution does not mend.
        poor = self.poor(high) and (self.lost if low.nu == 0 else self.poor(low))
        if gaps.max() <= self.tol or not inside.size or poor or len(self.knots) > MOST:
            return None
        return self.guessed(low, high, float(self.nus[first + start + int(inside.argmax())]))

    def record(
        self, first: int, last: int, low: Knot, high: Knot, a: Sorted, b: Sorted, at: int
    ) -> Floats:
        """Values and gaps of the best mixtures at these k, as sums of largest losses are convex."""
        nu = self.nus[first:last]
        (value, level), (other, end) = self.largest_losses(a, nu, first), self.largest_losses(
            b, nu, first)
        square, cross, bend = self.inner(low, low), self.inner(low, high), self.inner(high, high)
        cross, bend = cross - square, bend - 2 * cross + square
        turn = other - value
        # Where every length of the lowest model is worse than none, one that is no worse but for
        # rounding still has its errors.
        least = NEXT * value / np.maximum(np.maximum(np.abs(turn), value), 1e-300) if (
            low.nu == 0) else 0.0
        share = np.clip(-(self.C * turn + cross) / max(bend, 1e-300), least, 1)
        value = value + share * turn + (square + share * (2 * cross + share * bend)) / (2 * self.C)
        dual = np.maximum(self.dual(low, high, nu), self.proven[first:last])
        gap = np.asarray((value - dual) / self.unit(nu, value, self.alone[1][first:last] - dual))
        self.out[:3, first:last], self.out[4, first:last] = (value, dual, gap), at + share
        slack = nu - low.mass - self.shares(low, high, nu)[0] * (high.mass - low.mass)
        level = positive_level(level + share * (end - level), slack, nu, value)
        self.out[3, first:last] = np.where(nu < 1 - 1e-12, level, 0.0)
        return gap

    def guessed(self, low: Any, high: Any, nu: float) -> Knot:
        """Weights of the largest losses of a mixture of two, or a solution from there.

        The best mixture of them and of those of the two proves a model, between the mixture and
        what these weights make.
        """
        t = (nu - low.nu) / (high.nu - low.nu)
        coef, scores, push, image = (
            (1 - t) * getattr(low, name) + t * getattr(high, name)
            for name in ("coef", "scores", "push", "image"))
        y, none, gap, old = self.labels, self.none(nu), np.inf, (push, image)
        for _ in range(TRIES):
            new, made = self.weighed(scores, nu, high.nu)
            turn, bend = new - push, made - image
            square = self.C * float(turn @ bend)
            part = float(turn @ y) - self.C * float(turn @ image)
            share = min(max(part / square, 0.0), 1.0) if square > 0 else 0.0
            push, image = push + share * turn, image + share * bend
            dual = float(push @ y) - 0.5 * self.C * float(push @ image)
            turn, bend = self.C * push - coef, self.C * image - scores
            ridge, cross, square = (0.5 * float(coef @ scores) / self.C,
                                    float(coef @ bend) / self.C, float(turn @ bend) / self.C)
            # Of the objective along the way a value and its slope, then where a parabola ends.
            here, slope = float(new @ (y - scores)) + ridge, cross - float(new @ bend)
            part, value = 1.0, np.inf
            for _ in range(2):
                tail = self.sort(nu, scores + part * bend, none=none)
                there = float(tail.top(nu)) + ridge + part * (cross + 0.5 * part * square)
                if there < value:
                    value, best, found = there, part, tail
                curve = (there - here - slope * part) / part**2
                part = min(max(-slope / (2 * curve), 0.05), 1.0) if curve > 0 else 1.0
            coef, scores = coef + best * turn, scores + best * bend
            before, gap = gap, (value - dual) / float(self.unit(nu, value, none - dual))
            if gap <= GUESSED * self.tol:
                return _KernelKnot(nu, coef, scores, float(push @ y), push,
                                   float(np.abs(push).sum()), found, image)
            if gap > CLOSER * before:
                break
        push, image = (new, made) if share > BETTER else old
        return self.solved(nu, self.C * push, scores=self.C * image)


def _gathered() -> Any:
    """The compiled sums; loaded here, as a compiler is slow to import."""
    from noisytheory.topics.top_k.kernel_steps import gathered

    return gathered
