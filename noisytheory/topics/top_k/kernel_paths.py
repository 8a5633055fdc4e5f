"""All k of a kernel machine at one C, as `paths` has them of linear scores."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.kernel_dual import kernel_fit
from noisytheory.topics.top_k.minimise import NotCertified, checked_data, checked_masses
from noisytheory.topics.top_k.paths import Path, as_path, counts_of, every_count
from noisytheory.topics.top_k.walk import EXACT, FARTHEST, MOST, SOLVED, Knot, Walk
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["kernel_path"]

Floats = NDArray[np.float64]

LOW = 1.0
"""Of the gap allowed, what the lowest of the solutions above the floor gains."""
RUNG = 0.5
"""Of the distance from the collapse, as seen from one solution, where the next stands."""
STEPS, TIMES = 1000, 2
"""Of the dual's solver for one solution at most: so many an example, of which it mostly takes some
tens, or so many times what the largest k took.
"""


@on_one_thread
def kernel_path(
    gram: Floats, y: ArrayLike, *, ks: Sequence[float] | None = None, C: float,
    regression: bool = False, test: tuple[Floats, ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None, tol: float = 5e-2,
    floor: float = 0.1,
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
        Gap at every k, as `Path` measures it.
    floor : float
        In [0, 1]. Of what the coefficients gain at the largest k, the share below which a gain does
        not matter: there the model is the lowest solution's, scaled, and nobody asks whether zero
        is the minimiser. 0 proves the model of every k, which next to zero may take thousands of
        fits' time, and no end where a smooth kernel gains what rounding leaves.

    Returns
    -------
    Path
        Its coefficients are dual coefficients, shape (m, n).

    Notes
    -----
    All k take the processor time of 2 to 15 single fits with the hinge: on moons, circles and
    exclusive or, n from 60 to 2,000, Gaussian kernels of bandwidth .2 to 3, C from .01 to 10,000
    (.1 to .2 seconds at n = 2,000). Of regression 2 to 16 from C = 1 on; below, where the
    minimiser's weights are those of the k largest residuals of next to nothing, most k take a
    solution of their own. Above a floor of 0 no solution takes more than 1,000 n steps, or twice
    as many as at the largest k: what is left of its gap is in ``gap``, and warned of where it is
    too large.

    Examples
    --------
    >>> X = np.array([[1.0], [1.0], [1.0], [-1.0]])
    >>> kernel_path(X @ X.T, [1, 1, -1, -1], ks=[3, 4], C=1.0).objective.round(4).tolist()
    [0.7188, 0.875]
    """
    labels = np.asarray(y, float)
    masses, total = checked_masses(sample_weight, len(labels))
    if not 0 < tol < 1:
        raise ValueError(f"tol must be a number in (0, 1), got {tol!r}")
    if not 0 <= floor <= 1:
        raise ValueError(f"floor must be a number in [0, 1], got {floor!r}")
    walk = _KernelWalk(gram, labels, masses, C, regression, tol, floor)
    counts = every_count(total) if ks is None else counts_of(ks, total, sample_weight is None)
    found = walk.over(counts / total)
    knots = np.array([knot.coef for knot in walk.knots])
    rows, answers = (gram, labels) if test is None else checked_data(
        *test, walk.kind, both=False)
    return as_path(counts, found, not regression, answers, np.asarray(rows @ knots.T), knots,
                 walk, tol)


@dataclass(frozen=True, eq=False)
class _KernelKnot(Knot):
    """The scores of ``push``, too: the model at zero has none."""

    image: Floats


class _KernelWalk(Walk):
    """The same with dual coefficients in place of coefficients."""

    most = 0.0
    """What is gained at the largest k."""
    steps, taken = 10_000_000, 0
    """For one solution, at most; and of the last."""

    def __init__(
        self, gram: Floats, labels: Floats, masses: Floats, C: float, regression: bool, tol: float,
        floor: float,
    ) -> None:
        super().__init__(gram, labels, masses, "absolute" if regression else "hinge", C, False,
                         False, tol)
        self.regression, self.floor = regression, floor

    def highest(self, nu: float) -> Knot:
        """The solution at the largest k, by which the floor is measured."""
        high = super().highest(nu)
        self.most = self.gain(high)
        if self.floor:
            self.steps = min(self.steps, max(STEPS * len(self.labels), TIMES * self.taken))
        return high

    def least(self, nu: Any) -> Any:
        """Of what is gained at the largest k, so much that less does not matter."""
        return self.floor * self.most + 0.0 * nu

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to: not less than the floor."""
        return np.maximum(super().unit(nu, value, gain), np.minimum(value, self.least(nu)))

    def below(self, high: Knot) -> list[Knot]:
        """Knots up to this one from zero: scaled, the lowest serves where too little is gained."""
        if not self.floor:
            return super().below(high)
        found, nus = [high], self.nus
        for _ in range(MOST):
            at = found[0]
            if self.zero_to or at.nu <= nus[0] * (1 + 1e-12) or (
                    self.gain(at) <= LOW * self.tol * self.least(at.nu)):
                break
            end = self.collapse(at) if self.kind.margin else 0.0
            aim = max(end + RUNG * (at.nu - end), at.nu / FARTHEST)
            nu = float(nus[max(int(np.searchsorted(nus, aim * (1 - 1e-12))), 0)])
            if nu >= at.nu * (1 - 1e-12):
                nu = float(nus[np.searchsorted(nus, at.nu * (1 - 1e-12)) - 1])
            new = self.solved(nu, RUNG * at.coef)
            if not self.zero_to:
                found.insert(0, new)
        zero = np.zeros(len(self.labels))
        tail = replace(self.at_zero, nu=0.0, none=0.0)
        return [_KernelKnot(0.0, zero, zero, 0.0, zero, 0.0, tail, zero), *found]

    def solved(
        self, nu: float, start: Floats, gain: float = 0.0, gap: float = 0.0, *, flat: bool = False
    ) -> Knot:
        """The solution at a tail mass, from another's: its gap is small beside what is promised."""
        within = 1e-2 * min(1.0, self.tol * 1e3)
        self.fits += 1
        none, left = self.none(nu), self.steps
        beta: Floats | None = start if start.any() else None
        while True:
            with warnings.catch_warnings():
                # What is proven is looked at here.
                warnings.simplefilter("ignore", NotCertified)
                one = kernel_fit(
                    self.rows, self.labels, nu=nu, C=self.C, tol=within, masses=self.masses,
                    regression=self.regression, start=beta, steps=left,
                    enough=SOLVED * self.tol * float(self.least(nu)))
            beta = one.dual_coef
            left -= one.steps
            gain = none - one.dual
            flat = not self.regression and gain <= EXACT * none
            if flat or one.gap <= SOLVED * self.tol * self.unit(nu, one.objective, gain) or (
                    within < 1e-11 or left <= 0):
                break
            within *= 0.1
        self.taken = self.steps - left
        scores, push, image = one.scores, beta / self.C, one.scores / self.C
        weights = np.abs(push)
        linear = float(push @ self.labels)
        if flat:
            beta, scores, self.zero_to = 0 * beta, 0 * scores, max(self.zero_to, nu)
        return _KernelKnot(nu, beta, scores, linear, push, float(weights.sum()),
                           self.sort(nu, scores), image)

    def recentre(self, knots: list[Knot]) -> None:
        """None: there is no intercept, and kernels have none that costs nothing."""

    def inner(self, one: Knot, other: Knot) -> float:
        """Product of two functions."""
        return float(one.coef @ other.scores)

    def pushed(self, one: Knot, other: Any) -> float:
        """Product of two sums of functions."""
        return float(one.push @ other.image)
