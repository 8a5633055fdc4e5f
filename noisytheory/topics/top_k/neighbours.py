"""Problems that begin at the solution of another, and the weights that prove zero the minimiser."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.task import ROUNDING, WIDE, Task

__all__ = ["Balance", "Part"]

Floats = NDArray[np.float64]

MOVING, LEAST = 0.05, 200
"""Share of the rows near the threshold that may move from one solution to the next; how many."""
TURNS = 3
"""With more rows or nearer, before a problem is solved from nothing."""
FAR, WHOLE = 0.25, 80_000
"""Share of the rows that may move where solutions are few; entries up to which all may."""
NEXT = 0.3
"""Of the least difference of two k, an error of the collapse that is let stand."""
REGULAR, PATIENCE = 1e-8, 25
"""Share of the regulariser in what gives the collapse; steps at most."""


class Part(Task):
    """A problem that begins at the solution of another."""

    exactly = False
    most = np.inf
    """What a gap is relative to at most; without, to what this problem's coefficients gain."""

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What a gap is measured by."""
        if np.isfinite(self.most):
            return min(max(abs(primal), 1e-5 * self.size), self.most)
        return super().unit(primal, rounding)

    def near(self, w: Floats, gain: float, gap: float) -> tuple[Floats, Floats]:
        """A solution and its scores from a neighbour's, by the rows that may move.

        About what is gained, and what the neighbour's lacks. From nothing where that fails.
        """
        if self.design.width <= WIDE and gain > 0:
            few, n = np.isfinite(self.most), len(self.targets)
            level = self._quantile(w)
            if few and n * self.design.width <= WHOLE:
                found, _, enough = self._followed(15, (w, level, 10 * gap))
                if enough:
                    return found, self.design.scores(found)
            else:
                found, scores, _, enough = self.reduced(
                    w, level, FAR if few else max(MOVING, LEAST / n),
                    0.2 * self.tol * min(gain, self.most), gap=gap,
                    few=0.05 if few else 0.1 * MOVING, turns=TURNS)
                if enough:
                    return found, scores
            w = np.zeros_like(w)
        found = self.solve(w, "auto")[0]
        return found, self.design.scores(found)


class Balance(Part):
    """The least mean hinge loss, all but without regulariser: its weights balance labelled rows.

    Their mass is the largest tail mass at which zero is the minimiser, of any loss and C.
    """

    warm, turn = np.inf, 15
    least, step = 0.0, 0.0
    """Mass below which none is asked for, and the least difference that matters."""
    latest: Floats

    def find(self, w: Floats, close: bool) -> None:
        """From a direction, at the length with the least loss."""
        margins = self.targets * self.design.scores(w)
        lengths = np.geomspace(0.1, 100, 16)
        values = [float(self.masses @ np.maximum(1 - s * margins, 0)) for s in lengths]
        w = lengths[int(np.argmin(values))] * w
        if not w.any():
            return
        self.C = float(w @ w) / (2 * REGULAR * max(min(values), self.least))
        self.ridge = np.append(np.full(self.rows.shape[1], 1 / self.C), [0.0] * self.free)
        n, size = len(self.targets), max(4000, 20 * self.design.width)
        aim, gap = 0.2 * self.tol * self.unit(min(values)), 1.0
        if n > 1.5 * size and not sparse.issparse(self.rows):
            if close and self.reduced(w, 1e-3, FAR, aim, gap=0.1, turns=1)[-1]:
                return
            sample = self._looked_at(size)
            part = Balance(self.rows[sample], self.targets[sample],
                            self.masses[sample] / self.masses[sample].sum(), self.kind, 1.0, self.C,
                            self.free, self.tol, start_value=1.0)
            w, gap = part._followed(PATIENCE, (w, 1e-3, 1.0))[0], 0.01
            if self.reduced(w, 1e-3, FAR, aim, gap=gap, turns=2)[-1]:
                return
        if not self._followed(PATIENCE, (w, 1e-3, 10 * gap))[-1]:
            # Less than what is asked for, but proven.
            self.certify(self.latest, self.latest)

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What is left of the mass, relative to it or to the least one asked for."""
        return max(primal, NEXT * self.step / self.tol)

    def enough(self, primal: float) -> bool:
        """Whether the mass is found, or less than what is asked for."""
        return primal < self.least or primal - self.best_dual <= self.tol * self.unit(primal)

    def _accept(
        self, design: Design, w: Floats, alpha: Floats, scores: Floats | None = None
    ) -> None:
        self.latest = alpha
        # Of what is unbalanced about so much is lost.
        lost = abs(float(w @ design.adjoint(alpha)))
        if lost <= self.tol * self.unit(self.objective(w, scores)):
            super()._accept(design, w, alpha, scores)

    def certify(self, p: Floats, s: Floats) -> float:
        """The mass of weights, after those between their ends have taken out what is unbalanced."""
        pieces = Design(self.rows, self.targets, free=self.free)
        between = p * (self.masses - p) / self.masses
        solve = solver(pieces.gram(between))
        for _ in range(3):
            p = p - between * pieces.forward(solve(pieces.adjoint(p)))
            p = np.clip(p, 0, self.masses)
        value = float(p.sum())
        if value > self.best_dual:
            self.best_dual, self.best_weights = value, p
        return value
