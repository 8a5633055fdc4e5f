r"""One problem of minimum average top-k learning on checked data, and what is proven of it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.individual import Individual, least_constant

__all__ = ["Problem", "positive_level"]

Floats = NDArray[np.float64]

FINEST = 1e-6
"""Share of what the weights gain that a gap is never asked to be below."""
PERFECT = 1e-5
"""Share of the objective at zero below which a fit is a perfect one."""
EVENED = 4
"""Times that weights are evened: what is cut off at their ends is left to the next."""
ROUNDING = 1e-12
"""Gap, as a share of the objective at zero, that is rounding."""


class Problem:
    """One problem on checked data; keeps the best certificate that was found."""

    def __init__(
        self, rows: Any, targets: Floats, masses: Floats, kind: Individual, nu: float, C: float,
        free: bool, tol: float, by_gain: bool = True, start_value: float | None = None,
    ) -> None:
        self.rows, self.targets, self.masses, self.kind = rows, targets, masses, kind
        self.nu, self.C, self.free, self.tol, self.by_gain = nu, C, free, tol, by_gain
        self.design = Design(rows, free=free)
        self.ridge = np.append(np.full(rows.shape[1], 1 / C), [0.0] * free)
        self._uniform = bool(np.ptp(masses) == 0) and abs(masses[0] * len(masses) - 1) < 1e-12
        self.best_dual = -np.inf
        self.best_weights: Floats | None = None
        self.pulls: tuple[Floats, Floats] | None = None
        self.best_linear, self.best_push = -np.inf, np.zeros(rows.shape[1])
        self.start_value = (self.objective(np.zeros(self.design.width)) if start_value is None
                            else start_value)
        self.size = max(self.start_value, 1e-300)
        self.zero: bool | None = None
        self.kept: tuple[Floats, Floats] | None = None

    def objective(self, w: Floats, scores: Floats | None = None) -> float:
        """Regularised average of the largest losses at these weights."""
        scores = self.design.scores(w) if scores is None else scores
        losses = self.kind.values(self.targets, scores)
        return self._aggregate(losses) + 0.5 * float(self.ridge @ w**2)

    def _aggregate(self, losses: Floats) -> float:
        if not np.isfinite(losses).all():
            raise OverflowError
        weight = None if self._uniform else self.masses
        return self.nu * float(average_top_k(losses, float(self.nu), weight))

    def level(self, w: Floats) -> float:
        """The loss at which the largest ones end; 0 where all count."""
        if self.nu >= 1 - 1e-12:
            return 0.0
        return float(positive_level(self._quantile(w), self._slack, self.nu, self.objective(w)))

    def _quantile(self, w: Floats) -> float:
        losses = self.kind.values(self.targets, self.design.scores(w))
        if self._uniform:
            n = len(losses)
            place = n - max(1, int(np.ceil(self.nu * n - 1e-9)))
            return float(np.partition(losses, place)[place])
        order = np.argsort(-losses, kind="stable")
        reached = int(np.searchsorted(np.cumsum(self.masses[order]), self.nu - 1e-12))
        return float(losses[order[min(reached, len(order) - 1)]])

    _slack = 0.0
    perfect = PERFECT

    def certify(self, p: Floats, s: Floats) -> float:
        r"""Dual value of weights $p$ and slopes $s$, after making them feasible."""
        # A central path that begins next to its end need not be within the weights' ends.
        p = np.minimum(p, self.masses)
        if self.free:
            p = self._evened(p, s)
        total = p.sum()
        if total > self.nu:
            p = p * (self.nu / total)
        if self.free:
            # Zero is a slope that every conjugate allows: shrinking one sign keeps them finite.
            up, down = float(p @ np.maximum(s, 0)), float(p @ np.maximum(-s, 0))
            if min(up, down) <= 0:
                s = np.zeros_like(s)
            else:
                s = np.where(s > 0, s * min(1, down / up), s * min(1, up / down))
        conjugate = self.kind.conjugates(self.targets, s)
        used = p > 0
        combined = self.design.combine(p * s)[: self.rows.shape[1]]
        linear = -float(p[used] @ conjugate[used])
        value = linear - 0.5 * self.C * float(combined @ combined)
        if value > self.best_dual:
            self.best_dual, self.best_weights, self.pulls = value, p, (p, s)
            self.best_linear, self.best_push = linear, combined
            self._slack = self.nu - float(p.sum())
        return value

    def _evened(self, p: Floats, s: Floats) -> Floats:
        """Weights whose pulls at the intercept cancel, and whose sum is not too large.

        By those between their ends, as far as they go: near the minimum that loses next to nothing.
        """
        for _ in range(EVENED):
            excess, over = float(p @ s), max(float(p.sum()) - self.nu, 0.0)
            if abs(excess) + over <= 1e-15 * self.nu:
                break
            room = np.maximum(p * (1 - p / self.masses), 0)
            square, both, whole = float(room @ s**2), float(room @ s), float(room.sum())
            bend = square * whole - both**2
            if bend > 1e-9 * square * whole:
                a, b = (whole * excess - both * over) / bend, (square * over - both * excess) / bend
            elif square > 0:
                a, b = excess / square, 0.0
            else:
                break
            p = np.clip(p - room * (a * s + b), 0, self.masses)
        return p

    @functools.cached_property
    def constant(self) -> float:
        """Least objective without weights: of the best constant where there is one."""
        if not self.free:
            return self.start_value
        return min(self.start_value, least_constant(
            self.kind, self.targets, None if self._uniform else self.masses, self.nu))

    @property
    def gain(self) -> float:
        """What weights can gain at most over none, as far as is proven."""
        return self.constant - self.best_dual

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What a gap is measured by: the objective, or what the weights gain if that is less.

        At a small C the objective is nearly its value without weights, and says nothing of them.
        """
        # Where the fit is perfect there is no relative gap: then by the size at zero.
        unit = max(abs(primal), self.perfect * self.size)
        if self.zero or not self.by_gain:
            return unit
        gain = self.gain * max(1.0, FINEST / self.tol)
        return max(min(unit, gain), rounding * self.size / self.tol)


def positive_level(level: Any, slack: Any, nu: Any, value: Any) -> Any:
    """A level, or 0 where mass is left: at the minimum their product is 0, and the larger stays.

    Each as a share: of the mean of the largest losses, as the objective has it, and of the mass.
    """
    return np.where(level * nu**2 > slack * value, level, 0.0)
