"""Problems that begin at the solution of another, and the weights that prove zero the minimiser."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.central_path import follow
from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.individual import best_intercept, largest
from noisytheory.topics.top_k.task import ROUNDING, WIDE, Task

__all__ = ["Balance", "Part", "sample_size"]

Floats = NDArray[np.float64]

MOVING, LEAST = 0.05, 200
"""Share of the rows near the threshold that may move from one solution to the next; how many."""
TURNS = 3
"""With more rows or nearer, before a problem is solved from nothing."""
FAR, WHOLE = 0.25, 80_000
"""Share of the rows that may move where solutions are few; entries up to which all may."""
FIRST, AROUND, NEARBY = 0.25, 0.12, 30
"""Barrier without a level, and where solutions are few, as a share of how far losses are from it;
steps.
"""
NEXT = 0.3
"""Of the least difference of two k, an error of the collapse that is let stand."""
SMALL, HALF, ALMOST, MORE = 30_000, 0.5, 0.9, 1.3
"""Entries up to which all rows are looked at; share that is, from which on all are, and by how much
it grows where it was too small.
"""
LENGTHS = np.geomspace(0.1, 100, 10)
"""Of a direction, the best of which is begun with."""
BARRIER, LOST = 0.03, 0.5
"""Over the square of a direction's loss; and of what is unbalanced, what balancing takes."""
ASTRAY, SETTLED = 0.2, 0.7
"""Share of the loss that rows may have which are held at the wrong end; and of what was lacking,
what is still where nothing more is found without them.
"""
ROUNDS = 6
"""Of corrections that balance."""
LEAST_BARRIER = 0.03
"""Near the solution."""
REGULAR, PATIENCE, TURN = 1e-11, 40, 20
"""Share of the regulariser in what gives the collapse; steps at most."""


class Part(Task):
    """A problem that begins at the solution of another."""

    exactly = False
    few = False
    """Whether solutions are few and far from each other."""
    least = 0.0
    """What a gap is relative to, where this problem's coefficients gain less."""

    def _aggregate(self, losses: Floats) -> float:
        if not self._uniform:
            return super()._aggregate(losses)
        n = len(losses)
        whole = int(self.nu * n + 1e-9)
        if whole == n:
            return float(losses.sum()) / n
        ordered = np.partition(losses, n - whole - 1)[n - whole - 1:]
        return float(ordered[1:].sum() + (self.nu * n - whole) * ordered[0]) / n

    def best_of(self, scores: Floats, some: list[float]) -> float:
        """The one of a few intercepts that loses least beside scores."""
        if self.kind.margin:
            masses = None if self._uniform else self.masses
            some = [*some, float(best_intercept(self.targets, masses, scores, self.nu))]
        b = np.array(list(dict.fromkeys(some)))
        losses = self.kind.values(self.targets, scores + b[:, None])
        lost = largest(losses, self.masses, np.full(len(b), self.nu), self._uniform)
        return float(b[lost.argmin()])

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What a gap is measured by."""
        return max(super().unit(primal, rounding),
                   min(max(abs(primal), self.perfect * self.size), self.least))

    def near(self, w: Floats, gain: float, gap: float) -> tuple[Floats, Floats]:
        """A solution and its scores from a neighbour's, by the rows that may move.

        About what is gained, and what the neighbour's lacks. From nothing where that fails.
        """
        if self.design.width <= WIDE and gain > 0:
            if self.few:
                # Where all rows count there is no threshold.
                whole = self.kind.margin and self.nu >= 1 - 1e-12
                level: Any = None if whole else self._quantile(w)
                gap = max(10 * gap, ROUNDING * self.size)
                if self.kind.margin:
                    values = self.kind.values(self.targets, self.design.scores(w))
                    spread = float(self.masses @ np.abs(values - (level or 0.0)))
                    share = FIRST if level is None else AROUND
                    gap = 2 * share * max(spread, 1e-3 * self.size)
                if len(self.targets) * self.design.width <= WHOLE:
                    found, _, enough = self._followed(NEARBY, (w, level, gap))
                    scores = self.design.scores(found)
                else:
                    self.warm = np.inf
                    found, scores, _, enough = self.reduced(
                        w, level, FAR, 0.2 * self.tol * max(gain, self.least),
                        gap=0.1 * gap, turns=TURNS)
            else:
                found, scores, _, enough = self.reduced(
                    w, self._quantile(w), max(MOVING, LEAST / len(self.targets)),
                    0.2 * self.tol * gain, gap=gap, few=0.1 * MOVING, turns=TURNS)
            if enough:
                return found, scores
            w = np.zeros_like(w)
        found = self.solve(w, "auto")[0]
        return found, self.design.scores(found)


def sample_size(width: int) -> int:
    """Of many rows, how many are looked at first."""
    return max(4000, 20 * width)


class Balance(Part):
    """The least mean hinge loss, all but without regulariser: its weights balance labelled rows.

    Their mass is the largest tail mass at which zero is the minimiser, of any loss and C.
    """

    lowest, step = 0.0, 0.0
    """Mass below which none is asked for, and the least difference that matters."""
    upper = np.inf
    """What the mass is not above."""
    direction: Floats | None = None
    """Whose loss is about the mass."""
    allowed = 0.0
    """Square of what is unbalanced, as a share of the mass."""

    def find(self, w: Floats) -> None:
        """From a direction."""
        w, self.upper = self._scaled(w)
        n, width = len(self.targets), self.design.width
        share = 1.0 if n * width <= SMALL else FAR if n >= 100 * width else HALF
        self.direction, astray = w, True
        if self.upper < self.lowest:
            return
        for turn in range(TURNS + 1):
            count = n if share > ALMOST or turn == TURNS else max(int(share * n), 5 * width)
            # Where little is on the wrong side many weights are to move.
            barrier = float(np.clip(BARRIER / max(self.upper, 0.01) ** 2, 0.1, 2.0))
            astray = self.turned(
                self.direction, barrier if astray else LEAST_BARRIER, min(count, n))
            if count >= n or self.enough(self.upper):
                break
            share *= MORE

    def turned(self, w: Floats, barrier: float, count: int) -> bool:
        """With so many rows near the margin, the others' weights at their ends.

        Whether too many of these do not belong there.
        """
        n, margins = len(self.targets), self.targets * self.design.scores(w)
        index: Any = slice(None)
        ends = np.zeros(n)
        if count < n:
            index = np.sort(np.argpartition(np.abs(1 - margins), count - 1)[:count])
            ends = np.where(margins < 1, self.masses, 0.0)
            ends[index] = 0.0
        design, losses, u = self._part(index)
        linear, held = Design(self.rows, self.targets, free=self.free).adjoint(ends), ends.sum()
        lacked, astray = np.inf, False

        def found(at: Floats, alpha: Floats, primal: float, dual: float) -> bool:
            nonlocal lacked, astray
            value = primal
            if count < n:
                left = 1 - self.targets * self.design.scores(at)
                value = float(self.masses @ np.maximum(left, 0))
                astray = value - primal - held > ASTRAY * value
                if astray:
                    return True
            if value < self.upper:
                self.upper, self.direction = value, at
            if self.upper < self.lowest:
                return True
            # Of what is unbalanced about so much is lost.
            lacks, aim = primal - float(alpha.sum()), self.tol * self.unit(self.upper)
            if lacks > aim or lacks + LOST * abs(
                    float(at @ (design.adjoint(alpha) + linear))) > aim:
                return False
            p = ends.copy()
            p[index] = alpha
            self.certify(p, p)
            before, lacked = lacked, self.upper - self.best_dual
            # Where others lack more than these rows there is no more to find.
            return self.enough(self.upper) or (count < n and lacked > SETTLED * before)

        _, alpha, _, _ = follow(design, losses, u, 1.0, self.ridge, found,
                                most=PATIENCE if count == n else TURN,
                                linear=linear, start=(w, None, 2 * barrier))
        if not astray and not self.enough(self.upper):
            # Less than what is asked for, but proven.
            p = ends.copy()
            p[index] = alpha
            self.certify(p, p)
        return astray

    def _scaled(self, w: Floats) -> tuple[Floats, float]:
        """At the length with the least loss, which is returned, too."""
        margins = self.targets * self.design.scores(w)
        values = np.maximum(1 - LENGTHS[:, None] * margins, 0) @ self.masses
        w, value = LENGTHS[int(values.argmin())] * w, float(values.min())
        self.C = float(w @ w) / (2 * REGULAR * max(value, self.lowest)) or 1.0
        self.ridge = np.append(np.full(self.rows.shape[1], 1 / self.C), [0.0] * self.free)
        return w, value

    def unit(self, primal: float, rounding: float = ROUNDING) -> float:
        """What is left of the mass, relative to it or to the least one asked for."""
        return max(primal, NEXT * self.step / self.tol)

    def enough(self, primal: float) -> bool:
        """Whether the mass is found, or less than what is asked for."""
        return primal < self.lowest or primal - self.best_dual <= self.tol * self.unit(primal)

    def certify(self, p: Floats, s: Floats) -> float:
        """The mass of weights, after those between their ends have taken out what is unbalanced."""
        pieces = Design(self.rows, self.targets, free=self.free)
        p = np.minimum(p, self.masses)
        left, value = pieces.adjoint(p), float(p.sum())
        if not self._balances(left, value):
            move = p * (self.masses - p) / self.masses
            index = np.flatnonzero(move > 0)
            some, part, move, ends = (
                pieces.take(index), p[index], move[index], self.masses[index])
            solve, rest = solver(some.gram(move)), left - some.adjoint(part)
            for _ in range(ROUNDS):
                part = np.clip(part - move * some.forward(solve(left)), 0, ends)
                left = rest + some.adjoint(part)
                if self._balances(left, value):
                    break
            p = p.copy()
            p[index] = part
            if not self._balances(pieces.adjoint(p), float(p.sum())):
                return -np.inf
            value = float(p.sum())
        if value > self.best_dual:
            self.best_dual, self.best_weights = value, p
        return value

    def _balances(self, left: Floats, value: float) -> bool:
        """Whether what is left does not matter; nothing may be of what is not regularised."""
        end = -1 if self.free else None
        return bool(float(left[:end] @ left[:end]) <= self.allowed * value) and (
            not self.free or abs(float(left[-1])) <= 1e-13 * value)
