"""The solvers of one problem, and which of them fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.central_path import follow
from noisytheory.topics.top_k.collapse import balanced_weights
from noisytheory.topics.top_k.design import Design, mean_square
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.problem import FINEST, ROUNDING, Problem, positive_level
from noisytheory.topics.top_k.smoothing import Smoothed, kept_gram, limited_memory, newton, pieces

__all__ = ["REACHED", "ROUNDING", "Task", "positive_level"]

Floats = NDArray[np.float64]
Losses = Callable[[Floats], tuple[Floats, Design, Floats | None]]

WIDE = 1200
"""Coefficients from which on a Hessian is not always formed."""
HELD, LARGEST = 4000, 8192
"""Coefficients, or examples if fewer, up to which one of dense rows is; and up to which one is of
what the limited-memory way leaves uncertified (512 MiB).
"""
REDUCED = 6000
"""Rows from which on most of them are set aside."""
SHORT = 0.05
"""Tail mass of residuals below which smoothing takes many widths: of few rows all are corners."""
REACHED = 1e-10
"""Gap, as a share of the objective at zero, that is always reached."""
NEAR = 0.05
"""Share of the objective at zero that weights gain at most near the collapse."""
PATIENCE = (60, 30)
"""Steps of the central path of residuals, and of margins, before Newton's are tried."""
LINEAR_PROGRAMME, ENTRIES = 3000, 100_000
"""Rows up to which a linear programme decides whether zero is the minimiser; and numbers in them,
up to which it is asked of residuals.
"""


class Task(Problem):
    """A problem and the ways to solve it."""

    exactly = True
    """Whether a linear programme may decide."""

    def enough(self, primal: float) -> bool:
        """Whether the certified gap is within the tolerance."""
        gap = primal - self.best_dual
        if gap > self.tol * max(abs(primal), self.perfect * self.size):
            return False
        return gap <= self.tol * self.unit(primal) or self.is_zero(primal)

    def is_zero(self, primal: float) -> bool:
        """Whether zero is the minimiser: weights of the whole mass balance the rows, at any C."""
        if self.zero is None and self.kind.margin:
            if primal < self.start_value * (1 - ROUNDING):
                return False
            p: Floats | None = None
            if self.exactly and len(self.targets) <= LINEAR_PROGRAMME:
                z = self.targets[:, None] * _dense(self.rows)
                if self.free:
                    z = np.column_stack([z, self.targets])
                try:
                    p, largest = balanced_weights(z, self.masses, self.nu)
                    self.zero = largest >= self.nu * (1 - 1e-9)
                except RuntimeError:
                    pass  # not solved: of rows of very different lengths
            if self.zero is None:
                p = self._balanced()
            if p is not None:
                self.certify(p, self.kind.slopes(self.targets, np.zeros(len(p))))
        return bool(self.zero)

    def constant_at_best(self) -> None:
        """Weights that prove most of no coefficients at all, whatever C is: of residuals, the
        largest of which may tie.
        """
        n = len(self.targets)
        if self.kind.margin or n > LINEAR_PROGRAMME or n * self.rows.shape[1] > ENTRIES:
            return
        z = _dense(self.rows)
        if self.free:
            z = np.column_stack([z, np.ones(n)])
        worth = self.targets / max(float(np.abs(self.targets).max()), 1e-300)
        try:
            if self.kind.smooth:
                p, _ = balanced_weights(worth[:, None] * z, self.masses, self.nu, worth**2)
                self.certify(p, self.kind.slopes(self.targets, np.zeros(n)))
                return
            p, _ = balanced_weights(np.vstack([z, -z]), np.tile(self.masses, 2), self.nu,
                                    np.concatenate([worth, -worth]))
        except RuntimeError:
            return  # not solved: of rows of very different lengths
        signed = p[:n] - p[n:]
        self.certify(np.abs(signed), -np.sign(signed))

    def solve(self, w: Floats, solver: str) -> tuple[Floats, Floats, int]:
        """Minimise from these weights by the solver named, or the one that fits."""
        limited = solver == "limited-memory"
        if solver == "auto" and self.design.width > WIDE:
            n, d = self.rows.shape
            held = not sparse.issparse(self.rows) and min(n, d) <= HELD
            if held and n < d:
                return self._by_examples(w)
            limited = not held
        if self.kind.smooth:
            found = self._smooth(w, limited)
        else:
            found = self._smoothed_pieces(w) if limited else self._pieces()
        if solver != "auto" or not limited or self.enough(self.objective(found[0])):
            return found
        n, d = self.rows.shape
        if n < d and n * d <= LARGEST**2:
            again = self._by_examples(found[0])
        elif d <= LARGEST:
            again = self.solve(found[0], "exact")
        else:
            return found
        return again[0], again[1], found[2] + again[2]

    # By the central path: of all rows, or of those near the threshold.

    def _programme(self, index: Any = slice(None)) -> tuple[Design, Floats, Floats]:
        """Pieces of the hinge or the absolute loss: rows, constants and ends of their weights."""
        rows, y, u = self._rows(index), self.targets[index], self.masses[index]
        if self.kind.margin:
            return Design(rows, y, free=self.free), np.ones(len(y)), u
        both = Design(rows, None, True, self.free)
        return both, np.concatenate([y, -y]), np.concatenate([u, u])

    def _part(self, index: Any = slice(None)) -> tuple[Design, Losses, Floats]:
        """Rows, their losses as functions of the scores, and ends of their weights."""
        if not self.kind.smooth:
            design, c, u = self._programme(index)
            return design, lambda f: (c - design.signed(f), design, None), u
        rows = self._rows(index)
        y = self.targets[index]

        def losses(f: Floats) -> tuple[Floats, Design, Floats | None]:
            slopes = Design(rows, -self.kind.slopes(y, f), free=self.free)
            return self.kind.values(y, f), slopes, self.kind.curvatures(y, f)

        return Design(rows, free=self.free), losses, self.masses[index]

    def _rows(self, index: Any) -> Any:
        return self.rows if isinstance(index, slice) else self.rows[index]

    def _accept(
        self, design: Design, w: Floats, alpha: Floats, scores: Floats | None = None
    ) -> None:
        if self.kind.smooth:
            scores = design.scores(w) if scores is None else scores
            self.certify(alpha, self.kind.slopes(self.targets, scores))
        elif self.kind.margin:
            self.certify(alpha, np.where(alpha > 0, -self.targets, 0.0))
        else:
            signed = design.folded(alpha)
            self.certify(np.abs(signed), -np.sign(signed))

    warm = 0.01
    """Gap, as a share of the objective at zero, up to which a start is begun with."""

    turn = 40
    """Steps at most in one turn."""

    def _followed(
        self, most: int, start: tuple[Floats, float | None, float] | None = None
    ) -> tuple[Floats, int, bool]:
        """The best point of the central path, steps, and whether it is near enough."""
        design, losses, u = self._part()
        start = start or self._without_level()
        best: list[Any] = [np.inf, np.zeros(design.width)]
        near = False

        def accept(at: Floats, alpha: Floats) -> bool:
            nonlocal near
            self._accept(design, at, alpha)
            primal = self.objective(at)
            if primal < best[0]:
                best[:] = [primal, at]
            near = self.enough(float(best[0]))
            return near

        w, alpha, _, steps = follow(
            design, losses, u, self.nu, self.ridge,
            lambda at, alpha, primal, dual: primal - dual <= self.tol * self.unit(primal)
            and accept(at, alpha), most=most, start=start)
        near = near or accept(w, alpha)
        return np.asarray(best[1]), steps, near

    def _without_level(self) -> tuple[Floats, None, float] | None:
        """Where residuals all count there is no threshold: a start that has none, if not all are 0:
        then it lacks nothing.
        """
        if self.kind.margin or self.nu < 1 - 1e-12 or not self.start_value > 0:
            return None
        return np.zeros(self.design.width), None, self.start_value

    def _pieces(self) -> tuple[Floats, Floats, int]:
        n, steps = self.rows.shape[0], 0
        if n > REDUCED and not sparse.issparse(self.rows):
            size = max(4000, 20 * self.design.width, n // 10)
            sample = self._looked_at(size) if n > 1.5 * size else np.arange(n)
            design, losses, u = self._part(sample)
            u = u * (self.masses.sum() * (len(u) // len(sample)) / u.sum())
            start = self._without_level()
            w, _, lam, steps = follow(
                design, losses, u, self.nu, self.ridge,
                lambda at, alpha, primal, dual: primal - dual <= 1e-3 * abs(primal), most=40,
                start=start)
            del design, losses, u  # the sample's rows
            w, _, more, near = self.reduced(
                w, lam if start is None else None, self._share(size),
                0.2 * self.tol * self.unit(self.start_value))
            steps += more
            if near:
                return w, np.zeros(n), steps
        w, more, _ = self._followed(150)
        return w, np.zeros(n), steps + more

    def _looked_at(self, size: int) -> NDArray[np.intp]:
        """Rows that are looked at first; no result depends on which."""
        chosen = np.random.default_rng(0).choice(len(self.targets), size, replace=False)
        return np.sort(chosen)

    def _share(self, size: int) -> float:
        """Of the rows near the margin: a larger sample's is nearer to that of the whole."""
        return float(np.clip(0.3 * (4000 / size) ** 0.25, 0.15, 0.3))

    def reduced(
        self, w: Floats, lam: float | None, share: float, aim: float, *, gap: float = np.inf,
        few: float = 0.05, turns: int = 6,
    ) -> tuple[Floats, Floats, int, bool]:
        """Solve on the rows near the threshold, the others at the ends of their weights.

        Of the others a smooth loss is its second-order expansion, anew in every turn.

        Parameters
        ----------
        w, lam
            Coefficients and level to begin with; no level where all of the mass counts.
        share : float
            Of the rows that are near at first.
        aim : float
            Gap that the first turn is content with.
        gap : float
            About the start's.
        few : float
            Share of the rows that may have been held at the wrong end for the next turn to begin
            where this one ended.
        turns : int

        Returns
        -------
        coefficients, scores, steps, and whether the gap is within the tolerance
        """
        design, losses, u = self._part()
        n, m, steps, least = self.rows.shape[0], len(u), 0, 0.4 * share
        whole, lam = lam is None, lam or 0.0
        scores = design.scores(w)
        for _ in range(turns):
            values, pieces, bend = losses(scores)
            r = values - lam
            near = np.abs(r) if m == n else np.minimum(np.abs(r[:n]), np.abs(r[n:]))
            count = max(int(share * n), 3 * design.width)
            if count >= n:
                break
            index = np.sort(np.argpartition(near, count - 1)[:count])
            kept = index if m == n else np.concatenate([index, index + n])
            fixed = np.ones(m, bool)
            fixed[kept] = False
            upper = fixed & (r > 0)
            at_end = np.where(upper, u, 0.0)
            rest = self.nu - float(at_end.sum())
            if rest <= 0:
                share *= 2
                continue
            linear, quadratic = pieces.adjoint(at_end), None
            del values, pieces, r, near
            if bend is not None:
                quadratic = kept_gram(self, at_end * bend, np.zeros(m))
                linear = linear + quadratic @ w
            some, parts, ends = self._part(index)
            before = w, lam, gap, scores
            w, inner, lam, more = follow(
                some, parts, ends, rest, self.ridge, _within(aim), most=self.turn, linear=linear,
                quadratic=quadratic,
                start=(w, None if whole else lam, 10 * gap)
                if gap < self.warm * self.size else self._without_level())
            steps += more
            alpha = at_end.copy()
            alpha[kept] = inner
            del some, parts, ends, inner
            scores = design.scores(w)
            self._accept(design, w, alpha, scores)
            best = self.objective(w, scores)
            gap = best - self.best_dual
            if self.enough(best):
                return w, scores, steps, True
            aim = 0.2 * self.tol * self.unit(best)
            after = losses(scores)[0] - lam
            wrong = np.count_nonzero(fixed & ((after > 0) != upper))
            if wrong < few * n:
                share = max(least, 4 * wrong / n)
            else:
                # What is held fixed decides too much: from the same point with more rows.
                share, (w, lam, own, scores) = min(0.9, 2 * share), before
                gap = own if np.isfinite(own) else gap
        return w, scores, steps, False

    def _smoothed_pieces(self, w: Floats) -> tuple[Floats, Floats, int]:
        if self.kind.margin:
            design, c, u = self._programme()
        else:
            stack: Any = sparse.vstack if sparse.issparse(self.rows) else np.vstack
            signs = np.repeat([1.0, -1.0], len(self.targets))
            rows = stack([self.rows, self.rows])
            rows = rows.tocsr() if sparse.issparse(rows) else rows
            design = Design(rows, signs, free=self.free)
            c, u = np.concatenate([self.targets, -self.targets]), np.tile(self.masses, 2)
        problem = Smoothed(design, **pieces(design, c), masses=u, nu=self.nu, ridge=self.ridge,
                           width=0.1 * self.size / self.nu)
        best: list[Any] = [np.inf, w]
        n = len(self.targets)

        def accept(at: Floats, a: Floats) -> bool:
            alpha = u * a
            if self.kind.margin:
                self._accept(design, at, alpha)
            else:
                signed = alpha[:n] - alpha[n:]
                self.certify(np.abs(signed), -np.sign(signed))
            primal = self.objective(at)
            if primal < best[0]:
                best[:] = [primal, at]
            return self.enough(float(best[0]))

        _, steps = limited_memory(problem, w, accept)
        return np.asarray(best[1]), np.zeros(n), steps

    # Smooth losses.

    def _smooth(self, w: Floats, limited: bool) -> tuple[Floats, Floats, int]:
        n, steps = self.rows.shape[0], 0
        everything = self.nu >= 1 - 1e-12
        if not limited and not everything and n <= REDUCED:
            w, steps, near = self._followed(PATIENCE[self.kind.margin])
            if near:
                return w, np.zeros(n), steps
        size = max(4000, 20 * self.design.width)
        if not limited and n > 1.5 * size and not w.any():
            w, gain, steps = self._rough(size)
            close = gain <= NEAR * self.size
            if close and size < n // 10:
                size = n // 10
                w, gain, more = self._rough(size)
                steps += more
            # Near the collapse a part's minimiser is too long for the whole.
            w = min((w * scale for scale in (1.0, 0.5, 0.2, 0.05)), key=self.objective)
            short = not self.kind.margin and self.nu < SHORT
            if (close or short) and not everything and not sparse.issparse(self.rows):
                aim = max(0.2 * self.tol * self.unit(self.start_value), 0.005 * gain)
                w, _, more, near = self.reduced(w, self._quantile(w), self._share(size), aim)
                steps += more
                if not near:
                    w, more, near = self._followed(30)
                    steps += more
                if near:
                    return w, np.zeros(n), steps
        width = 0.1 * self.size / self.nu
        if w.any():
            width = min(width, 0.05 * self.objective(w) / self.nu)
        problem = Smoothed(
            self.design, lambda f: self.kind.values(self.targets, f),
            lambda f: self.kind.slopes(self.targets, f),
            lambda f: self.kind.curvatures(self.targets, f),
            self.masses, self.nu, self.ridge, everything, width, sample=self._sample(limited),
        )
        best: list[Any] = [np.inf, w]

        def accept(at: Floats, a: Floats) -> bool:
            scores = self.design.scores(at)
            self.certify(self.masses * a, self.kind.slopes(self.targets, scores))
            primal = self.objective(at)
            if primal < best[0]:
                best[:] = [primal, at]
            problem.gap = float(best[0]) - self.best_dual
            return self.enough(min(float(best[0]), self.start_value))

        def look(primal: float) -> float:
            # Zero is proven: any point will do.
            if problem.width < 0.5 * width and self.is_zero(primal):
                return np.inf
            return self.tol * self.unit(primal)

        if limited:
            _, more = limited_memory(problem, w, lambda at, a: bool(look(
                self.objective(at)) and accept(at, a)))
        else:
            _, more = newton(problem, w, accept, look)
        # Rounding alone does not make a model worse than none.
        if best[0] > self.start_value * (1 + ROUNDING):
            best[:] = [self.start_value, np.zeros(self.design.width)]
        return np.asarray(best[1]), np.zeros(n), steps + more

    def _rough(self, size: int) -> tuple[Floats, float, int]:
        """Coefficients from so many of the rows, what they gain at most, and steps."""
        sample = self._looked_at(size)
        masses = self.masses[sample] / self.masses[sample].sum()
        part = Task(self.rows[sample], self.targets[sample], masses, self.kind, self.nu, self.C,
                    self.free, 1e-3, by_gain=False)
        if self.nu >= 1 - 1e-12:
            w, _, steps = part._smooth(np.zeros(self.design.width), False)
        else:
            w, steps, _ = part._followed(40)
        return w, part.gain, steps

    def _sample(self, limited: bool) -> NDArray[np.intp] | None:
        """Rows whose Hessian is formed in place of all rows', where that saves most of the work."""
        n, size = self.rows.shape[0], max(1500, 20 * self.design.width)
        if limited or n < 4 * size or self.design.width < 32:
            return None
        return np.sort(np.random.default_rng(1).choice(n, size, replace=False))

    def _balanced(self) -> Floats | None:
        """Weights that balance many labelled rows to the tolerance, if any do."""
        # The hinge loss with the slope that this loss has at zero balances them if anything does;
        # a small C would not see what is not balanced.
        share = np.full(len(self.targets), 1 / len(self.targets))
        C = max(self.C * self.kind.slope_at_zero**2,
                1e3 / max(mean_square(self.rows, share), 1e-300))
        hinge = Task(self.rows, self.targets, self.masses, individual("hinge"), self.nu, C,
                      self.free, min(self.tol, FINEST))
        hinge.zero = True  # its gap may be as large as the tolerance says of its objective
        hinge.solve(np.zeros(self.design.width), "exact")
        self.zero = hinge.start_value - hinge.best_dual <= hinge.tol * hinge.start_value
        return hinge.best_weights

    def _by_examples(self, w: Floats) -> tuple[Floats, Floats, int]:
        """Fewer examples than coefficients: solve in the span of the rows."""
        basis, triangle = np.linalg.qr(_dense(self.rows).T)
        small = Task(np.ascontiguousarray(triangle.T), self.targets, self.masses, self.kind,
                      self.nu, self.C, self.free, self.tol, self.by_gain)
        inside = np.append(basis.T @ w[: len(basis)], w[len(basis):])
        found, p, steps = small.solve(inside, "exact")
        self.best_dual, self.best_weights = small.best_dual, small.best_weights
        self.best_linear, self.best_push = small.best_linear, basis @ small.best_push
        self._slack, self.zero = small._slack, small.zero
        return np.append(basis @ found[: triangle.shape[0]], found[triangle.shape[0]:]), p, steps

    def regime(self, w: Floats, objective: float, dual: float) -> tuple[str, Floats]:
        """Which of the three it is."""
        near = self.start_value - dual <= 10 * self.tol * self.start_value
        if near and self.is_zero(objective):
            return "zero", np.zeros(self.design.width)
        return ("nu" if self.level(w) > 0 else "C"), w


def _within(target: float) -> Callable[[Floats, Floats, float, float], bool]:
    return lambda w, alpha, primal, dual: primal - dual <= target


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)
