r"""A regression's objective whose threshold is a ramp: its value, weights and Newton's step.

An absolute value is the larger of two pieces, so that its kink at zero is a threshold, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import solver
from noisytheory.topics.top_k.smoothing import eliminate

__all__ = ["Ramp"]

Floats = NDArray[np.float64]

NEARBY = 0.3
"""How far from the threshold losses tell how many are near, as a share of how far they are."""


ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Ramp:
    """At one model: pieces of losses, their slopes and masses, the threshold and its width, and
    shares of the masses that are above it.
    """

    losses: Floats
    slopes: Floats
    masses: Floats
    width: float
    level: float
    shares: Floats
    value: float
    rows: int

    @staticmethod
    def at(task: Any, w: Floats, f: Floats, width: float, level: float | None = None) -> Ramp:
        """Of a problem, at coefficients with these scores."""
        y, masses = task.targets, task.masses
        if task.kind.smooth:
            losses, slopes = task.kind.values(y, f), task.kind.slopes(y, f)
        else:
            losses, masses = np.concatenate([y - f, f - y]), np.concatenate([masses, masses])
            slopes = np.repeat([-1.0, 1.0], len(y))
        # Where all count rounding makes no threshold.
        level, shares = eliminate(losses, masses, task.nu * (1 + ROUNDING), width, level)
        smooth = np.where(shares >= 1, losses - level, 0.5 * width * shares**2)
        value = float(masses @ smooth) + task.nu * level + 0.5 * float(task.ridge @ w**2)
        return Ramp(losses, slopes, masses, width, level, shares, value, len(y))

    def folded(self, of: Floats) -> Floats:
        """Of pieces as of rows."""
        return of if len(of) == self.rows else of[: self.rows] + of[self.rows:]

    def weights(self) -> tuple[Floats, Floats]:
        """Dual weights and slopes of the rows."""
        pulls = self.folded(self.masses * self.shares * self.slopes)
        if len(self.masses) == self.rows:
            return self.masses * self.shares, self.slopes
        return np.abs(pulls), np.sign(pulls)

    def widths(self, lost: float, least: int) -> tuple[float, float]:
        """A width that loses about so much, and one with so many rows at least."""
        away = np.abs(self.losses - self.level)
        near = NEARBY * float(self.masses @ away) / float(self.masses.sum())
        density = float(self.masses[away < near].sum()) / (2 * near or 1.0)
        wide = np.sqrt(24 * lost / max(density, 1e-300))
        least = min(least, len(away) - 1)
        wide = max(wide, 1e-12 * near)
        return wide, max(wide, 2 * float(np.partition(away, least)[least]))

    def step(self, task: Any, w: Floats) -> Floats:
        """Newton's, of all coefficients."""
        inside = (self.shares > 0) & (self.shares < 1)
        zone = self.masses * inside / self.width
        weight = self.folded(zone * self.slopes**2)
        if task.kind.smooth:
            weight += 2 * self.masses * self.shares
        bend = task.design.gram(weight)
        bend[np.diag_indices_from(bend)] += task.ridge
        if self.level > 0 and inside.any():
            edge = task.design.combine(self.folded(zone * self.slopes))
            bend -= np.outer(edge, edge) / float(zone.sum())
        pulls = self.folded(self.masses * self.shares * self.slopes)
        return -solver(bend)(task.design.combine(pulls) + task.ridge * w)
