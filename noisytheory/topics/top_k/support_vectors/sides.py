r"""$AT_k$-SVM and $AT_k$-SVR on a few rational rows: both sides of what is said of their solutions.

Rows are $z_i=y_ix_i$. In floats a batch is solved at once, in fractions one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.machine import Machine, machine, together
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.selection import k_bar
from noisytheory.topics.top_k.vectors import Pairs, Signed, by_subsets, by_threshold, summed
from noisytheory.trial.sides import exact_numbers
from noisytheory.vocabulary.exact import root

__all__ = ["Rows", "Splits", "Targets"]

Numbers = NDArray[Any]
N = 5
"""Rows of an instance."""
HINGE = individual("hinge")
LARGE = 64
"""No margin reaches it: nu-SVM is the machine whose threshold starts there."""


def dual_programme(at: Signed, k: int, sign: str) -> dict[str, Numbers]:
    """(8) at its corners against (10) at its kinks."""
    return dict(lhs=by_subsets(at.losses, k), rhs=by_threshold(at.losses, k, sign == "any"))


def substituted(at: Pairs, constant: int) -> dict[str, Numbers]:
    r"""(7) at one loss and threshold against (13) with $\beta=1-\lambda$; $\nu$ in sixteenths."""
    loss, lam, nu = np.abs(at.a), np.abs(at.b), np.abs(at.c)
    zero = loss * 0
    beta = 1 - lam
    return dict(lhs=np.maximum(loss - lam, zero) + nu * lam,
                rhs=np.maximum(beta + loss - 1, zero) - nu * beta + constant * nu)


@dataclass(frozen=True)
class Rows:
    """Signed rows, shape (size, 5, 2), their labels, and another vector with its scale."""

    z: Numbers
    labels: Numbers
    g: Numbers
    rho: Numbers

    @staticmethod
    def draw(radius: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Sixteenths of norm at most ``radius``; some repeated, some on a line, some lopsided."""
        z = rng.integers(-11, 12, size=(size, N, 2))
        kind = rng.integers(5, size=size)
        z[kind == 0, 1] = z[kind == 0, 0]
        z[kind == 1, :, 1] = 0
        z[kind == 2, :, 0] = np.abs(z[kind == 2, :, 0])
        z[kind == 3] = z[kind == 3, :1]
        labels = np.where(rng.random((size, N)) < 0.5, -1, 1)
        g = rng.integers(-32, 33, size=(size, 2)) / 8
        # On one row, repeated, the shortest vector without hinge loss: lines are attained there.
        squares = dot(z[:, 0], z[:, 0])
        alone = (kind == 3) & (squares > 0)
        g[alone] = 16 * z[alone, 0] / (radius * squares[alone, None])
        return dict(z=radius * z / 16, labels=labels, g=g, rho=rng.integers(17, size=size) / 16)


@dataclass(frozen=True)
class Alike(Rows):
    """Five rows alike, and the shortest vector of margin 1: lines are attained there."""

    @staticmethod
    def draw(radius: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Lengths whose reciprocals are exact, at most ``radius``, and of either sign."""
        length = radius * 2.0 ** rng.integers(-4, 1, size) * rng.choice([-1, 1], size)
        z, g = np.zeros((size, N, 2)), np.zeros((size, 2))
        z[:, :, 0], g[:, 0] = length[:, None], 1 / length
        return dict(z=z, labels=np.ones((size, N), int), g=g, rho=np.ones(size))


@dataclass(frozen=True)
class Shorter(Rows):
    """Four rows alike and one shorter, and the shortest vector of margin 1 on the four."""

    @staticmethod
    def draw(k: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Where the shorter is of length k/2 the machine of C = 5 has no loss on it."""
        length = k * 2.0 ** rng.integers(0, 3, size) * rng.choice([-1, 1], size)
        z, g = np.zeros((size, N, 2)), np.zeros((size, 2))
        z[:, :, 0], z[:, -1, 0], g[:, 0] = length[:, None], k / 2, 1 / length
        z[:, -1, 0] *= np.sign(length)
        return dict(z=z, labels=np.ones((size, N), int), g=g, rho=np.ones(size))


@dataclass(frozen=True)
class Targets:
    """Points, shape (size, 3, 2), and targets, shape (size, 3)."""

    x: Numbers
    y: Numbers

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Sixteenths; some targets all zero, some points repeated."""
        x = rng.integers(-32, 33, size=(size, 3, 2)) / 16
        y = rng.integers(-32, 33, size=(size, 3)) / 16
        kind = rng.integers(5, size=size)
        y[kind == 0] = 0.0
        x[kind == 1, 1] = x[kind == 1, 0]
        return dict(x=x, y=y)


def number(value: Any, like: Numbers) -> Any:
    """A float, or a fraction where the instance is one."""
    return Fraction(value) if like.dtype == object else float(value)


def over(values: Numbers, by: Any) -> Numbers:
    """A quotient in the values' arithmetic: that of two whole numbers is no float."""
    return np.asarray(values / number(by, values))


def share(k: int, like: Numbers, n: int = N) -> Any:
    """k/n in the instance's arithmetic."""
    return number(Fraction(k, n), like)


def dot(a: Numbers, b: Numbers) -> Numbers:
    """Products of rows."""
    return np.asarray((a * b).sum(axis=-1))


def scores(z: Numbers, w: Numbers) -> Numbers:
    """$z_i^\\top w$, shape (size, n)."""
    return np.asarray((z * w[:, None, :]).sum(axis=2))


def positive(values: Numbers) -> Numbers:
    """Positive part."""
    return np.asarray(np.maximum(values, values * 0))


def svm(at: Rows, k: int, C: Any) -> Machine:
    """The machine (6)."""
    return machine(at.z, 1, share(1, at.z), share(k, at.z), C)


def svms(at: Rows, k: int, C: int, *names: str) -> list[Machine]:
    """Machines by name, as one batch: (6), the C-SVM and nu-SVM.

    The second has no sum that binds, the third no cap on the margin: its level is ``LARGE`` minus
    rho.
    """
    nu = share(k, at.z)
    problems = {"AT_k": (1, nu, C), "C": (1, 2, C), "nu": (LARGE, nu, C)}
    return together(at.z, share(1, at.z), *(problems[name] for name in names))


def value_5(at: Rows, w: Numbers, k: int, C: Any) -> Numbers:
    """(5) with its threshold eliminated by sorting."""
    losses = HINGE.psi(scores(at.z, w))
    return np.asarray(over(summed(losses, k), N) + over(dot(w, w), 2 * C))


def value_6(at: Rows, w: Numbers, rho: Numbers, k: int, C: Any) -> Numbers:
    """(6)."""
    losses = positive(rho[:, None] - scores(at.z, w)).sum(axis=1)
    return np.asarray(over(losses - k * rho, N) + over(dot(w, w), 2 * C))


def dual_value(at: Rows, alpha: Numbers, C: Any) -> Numbers:
    r"""$\sum\alpha-\frac C2\|\sum\alpha_iz_i\|^2$."""
    v = (alpha[:, :, None] * at.z).sum(axis=1)
    return np.asarray(alpha.sum(axis=1) - C * dot(v, v) / 2)


def one(values: Numbers) -> Numbers:
    """The size of a loss at zero: what rounding is relative to."""
    return values * 0 + 1


def level_range(at: Rows, k: int, C: int, top: Any) -> dict[str, Numbers]:
    r"""$\lambda_z\le1$."""
    level = svm(at, k, C).level
    return dict(lhs=level, rhs=one(level) * number(top, at.z), scale=one(level))


def rewritten(at: Rows, k: int, C: int, constant: int) -> dict[str, Numbers]:
    """(5), its threshold eliminated by sorting, against (6) at the solution."""
    found = svm(at, k, C)
    rhs = value_6(at, found.w, 1 - found.level, k, C) + constant * share(k, at.z)
    return dict(lhs=value_5(at, found.w, k, C), rhs=rhs, scale=one(rhs))


def is_c_svm(at: Rows, C: int, less: int) -> dict[str, Numbers]:
    """(5) at k = n against the dual of the C-SVM without intercept."""
    found, plain = svms(at, N - less, C, "AT_k", "C")
    lhs = value_5(at, found.w, N - less, C)
    return dict(lhs=lhs, rhs=dual_value(at, plain.alpha, C), scale=one(lhs))


def with_intercept(at: Rows, C: int) -> dict[str, Numbers]:
    """(5) at k = n against the objective of the standard C-SVM at a good w and intercept."""
    x = at.z * at.labels[:, :, None]
    both = np.ptp(at.labels, axis=1) > 0
    coef = np.zeros((len(x), 3))
    for i in np.flatnonzero(both):
        good = fit(x[i].astype(float), at.labels[i].astype(float), "hinge", k=N, C=C,
                   intercept=True)
        coef[i] = np.round(np.append(good.coef, good.intercept) * 2**20) / 2**20
    if at.z.dtype == object:
        coef = exact_numbers(coef)
    w, b = coef[:, :2], coef[:, 2]
    margins = at.labels * (scores(x, w) + b[:, None])
    rhs = positive(1 - margins).sum(axis=1) * share(1, at.z) + over(dot(w, w), 2 * C)
    lhs = value_5(at, svm(at, N, C).w, N, C)
    return dict(lhs=lhs, rhs=rhs, scale=one(lhs), applies=both)


def is_nu_svm(at: Rows, k: int, C: int, most: int) -> dict[str, Numbers]:
    r"""(6)'s value against that of $\nu$-SVM, where $C\nu\max\|z\|^2$ is at most ``most``."""
    capped, plain = svms(at, k, C, "AT_k", "nu")
    lhs = value_6(at, capped.w, 1 - capped.level, k, C)
    rhs = value_6(at, plain.w, LARGE - plain.level, k, C)
    largest = dot(at.z, at.z).max(axis=1)
    short = np.asarray((C * k * largest <= most * N) | (most == 0), bool)
    return dict(lhs=lhs, rhs=rhs, applies=short, scale=one(lhs))


def quadratic_programme(at: Rows, k: int, C: int, cap: str) -> dict[str, Numbers]:
    """(5), by sorting, against the dual programme of Appendix B."""
    total = share(k, at.z)
    if cap == "k/n":  # in print's variables C alpha; in ours it is k/(nC)
        total = total / C
    found, dual = together(at.z, share(1, at.z), (1, share(k, at.z), C), (1, total, C))
    lhs = value_5(at, found.w, k, C)
    return dict(lhs=lhs, rhs=dual_value(at, dual.alpha, C), scale=one(lhs))


def nu_dual(at: Rows, k: int, needed: int) -> dict[str, Numbers]:
    r"""$\nu$-SVM (20) against its dual $\frac12\|\sum\alpha_iz_i\|^2$ over $\sum\alpha\ge\nu$."""
    (found,) = svms(at, k, 1, "nu")
    lhs = value_6(at, found.w, LARGE - found.level, k, 1)
    v = (found.alpha[:, :, None] * at.z).sum(axis=1)
    return dict(lhs=lhs, rhs=-needed * dot(v, v) / 2, scale=one(lhs))


def support(at: Rows, k: int, C: int, errors: int, vectors: int) -> dict[str, Numbers]:
    """Margin errors minus k, and k minus support vectors: the larger."""
    found = svm(at, k, C)
    exact = at.z.dtype == object
    room = Fraction(0) if exact else 1e-6
    wrong = (scores(at.z, found.w) < (1 - found.level)[:, None] - room).sum(axis=1)
    carried = (found.alpha > 0 if exact else found.alpha > 1e-9).sum(axis=1)
    lhs = np.maximum(wrong + errors - k, k - carried + vectors)
    return dict(lhs=lhs, rhs=lhs * 0)


def three(at: Rows, k: int, C: int, shift: int) -> dict[str, Numbers]:
    r"""Distance of the weights from those of the regime that $\bar k$ says."""
    found, average, other = svms(at, k, C, "AT_k", "C", "nu")
    exact = at.z.dtype == object
    bar = N * average.alpha.sum(axis=1) if exact else np.array([_public_bar(z, C) for z in at.z])
    room = Fraction(0) if exact else 1e-7
    take = np.asarray(k + shift >= bar - room)
    predicted = np.where(take[:, None], average.w, other.w)
    difference = found.w - predicted
    size = dot(found.w, found.w) + dot(average.w, average.w) + dot(other.w, other.w)
    near = np.asarray(abs(k + shift - bar) < 1e-5) & (not exact)
    lhs = dot(difference, difference)
    return dict(lhs=lhs, rhs=lhs * 0, scale=size + 1, applies=~near)


def _public_bar(z: Numbers, C: int) -> float:
    """Of signed rows, with labels of both kinds."""
    labels = np.where(np.arange(N) % 2, -1.0, 1.0)
    return k_bar(fit(labels[:, None] * z, labels, "hinge", k=N, C=C, tol=1e-9), N)


def on_the_path(at: Rows, k: int, C: int, wrong: str) -> dict[str, Numbers]:
    r"""$f/\rho$ against the C-SVM with $C'=C/\rho$, where $\rho>0$."""
    found = svm(at, k, C)
    rho = 1 - found.level
    exact = at.z.dtype == object
    some = np.asarray(rho > (0 if exact else 1e-3))
    safe = np.where(some, rho, one(rho))
    other = machine(at.z, 1, share(1, at.z), 2, C / (safe if wrong == "" else one(safe))).w
    difference = found.w / safe[:, None] - other
    lhs = dot(difference, difference)
    return dict(lhs=lhs, rhs=lhs * 0, scale=one(lhs) + dot(other, other), applies=some)


def is_new(at: Rows, k: int, C: int) -> dict[str, Numbers]:
    """Whether the classifier is none of the C-SVM's, against yes."""
    same = on_the_path(at, k, C, "")
    far = np.asarray(same["lhs"] > (0 if at.z.dtype == object else 1e-8))
    return dict(lhs=one(same["lhs"]), rhs=far.astype(int) * one(same["lhs"]),
                applies=same["applies"])


def advantage(at: Rows, k: int) -> Numbers:
    r"""$\nu-\mathcal E_z(g)$."""
    losses = HINGE.psi(scores(at.z, at.g)).sum(axis=1)
    return np.asarray(share(k, at.z) - losses * share(1, at.z))


def floor_of_margin(at: Rows, k: int, C: int) -> dict[str, Any]:
    r"""$-\rho$, and what its bound is made of, where $g\ne0$."""
    square = dot(at.g, at.g)
    some = np.asarray(square > 0)
    rho = 1 - svm(at, k, C).level
    return dict(lhs=-rho, nu=share(k, at.z) * one(rho), advantage=positive(advantage(at, k)),
                norm=root(np.where(some, square, one(square))), scale=one(rho), applies=some)


def risk_at_margin(at: Rows, k: int, C: int, most: int) -> dict[str, Any]:
    r"""$\mathcal E_z(f/\rho)$, and what its formula is made of, where $0<\rho<1$ or at most 1."""
    found = svm(at, k, C)
    rho = 1 - found.level
    exact = at.z.dtype == object
    some = np.asarray(rho > (0 if exact else 1e-3))
    below = np.asarray(rho < (1 if exact else 0.999))
    margin = np.where(some, rho, one(rho))
    losses = positive(1 - scores(at.z, found.w / margin[:, None])).sum(axis=1)
    return dict(lhs=losses * share(1, at.z), nu=share(k, at.z) * one(rho), margin=margin,
                norm=root(dot(found.w, found.w)), scale=1 / margin,
                applies=some & (below | (most == 1)))


def norm_of_margin(at: Rows, k: int, C: int) -> dict[str, Any]:
    r"""$\|f\|/\rho$, and what its bound is made of, where $\mathcal E_z(g)<\nu$; in fractions both.

    Of all $\rho$ that are optimal the least: the k-th least margin, up to 1, which is not 0 there.
    """
    found = svm(at, k, C)
    least = np.sort(scores(at.z, found.w), axis=1)[:, k - 1]
    margin = np.minimum(positive(least), one(least))
    more, nu = advantage(at, k), share(k, at.z)
    square = dot(at.g, at.g)
    good = np.asarray((more > 0) & (square > 0))
    safe = np.where(good, more, nu * one(more))
    norm = np.where(good, square, one(square))
    margin = np.where(good, margin, one(margin))
    sides = dict(lhs=root(dot(found.w, found.w) / margin**2), nu=nu * one(safe), advantage=safe,
                 norm=root(norm), applies=good, scale=1 / margin)
    if at.z.dtype == object:
        squares = nu * nu * norm / (safe * safe), norm / 4, norm / 4 + C * (nu - safe)
        sides["rhs"] = tuple(np.maximum(first, half + rest)
                             for first, half, rest in zip(*map(root, squares), strict=True))
    return sides


def compared(at: Rows, k: int, C: int, ridge: int) -> dict[str, Numbers]:
    r"""(15), both sides with their signs turned: what $(\rho g,\rho)$ gains, and the solution."""
    found = svm(at, k, C)
    rhs = -value_6(at, found.w, 1 - found.level, k, C)
    risk = HINGE.psi(scores(at.z, at.g)).sum(axis=1) * share(1, at.z)
    lhs = at.rho * (share(k, at.z) - risk) - at.rho**2 * dot(at.g, at.g) / (ridge * C)
    return dict(lhs=lhs, rhs=rhs, scale=one(lhs) + abs(lhs))


def bounded_risk(at: Rows, k: int, C: int) -> dict[str, Any]:
    r"""$\mathcal E_z(f/\rho)\le\frac kn$ where $\rho>0$: the step of (19)."""
    found = risk_at_margin(at, k, C, 1)
    n = N * one(found["lhs"])
    return dict(lhs=found["lhs"], n=n, scale=found["scale"], applies=found["applies"])


# Regression.


def svr(at: Targets, k: int, C: Any) -> Machine:
    """(22)."""
    z = np.concatenate([at.x, -at.x], axis=1)
    c = np.concatenate([at.y, -at.y], axis=1)
    return machine(z, c, share(1, at.x, 3), share(k, at.x, 3), C)


def residuals(at: Targets, w: Numbers) -> Numbers:
    """Absolute residuals, shape (size, 3)."""
    return np.asarray(np.abs(at.y - scores(at.x, w)))


def is_nu_svr(at: Targets, k: int, more: int, C: int) -> dict[str, Numbers]:
    r"""$\frac kn AT_k$ of the absolute loss at its minimum against the dual of $\nu$-SVR."""
    found = svr(at, k, C)
    lhs = summed(residuals(at, found.w), k) * share(1, at.x, 3) + over(dot(found.w, found.w), 2 * C)
    dual = svr(at, k + more, C)
    beta = dual.alpha[:, :3] - dual.alpha[:, 3:]
    v = (beta[:, :, None] * at.x).sum(axis=1)
    rhs = dot(beta, at.y) - C * dot(v, v) / 2
    return dict(lhs=lhs, rhs=rhs, scale=one(lhs))


def svr_support(at: Targets, k: int, C: int, level: str, less: int) -> dict[str, Numbers]:
    """Residuals beyond the tube minus k, and k minus those on or beyond it: the larger."""
    found = svr(at, k, C)
    exact = at.x.dtype == object
    room = Fraction(0) if exact else 1e-6
    r = residuals(at, found.w)
    lam = found.level[:, None]
    outside = (r > lam + room).sum(axis=1)
    weighted = np.abs(found.alpha[:, :3] - found.alpha[:, 3:])
    carried = (weighted > (0 if exact else 1e-5)).sum(axis=1)
    # Of the many dual solutions of a problem whose targets vanish, 0 is one.
    carried = carried * (1 - np.asarray((at.y == 0).all(axis=1)).astype(int))
    lhs = np.maximum(outside + less - k, k - carried)
    some = np.asarray(found.level > (0 if exact else 1e-3)) | (level == "any")
    return dict(lhs=lhs, rhs=lhs * 0, applies=some)


def is_epsilon_svr(at: Targets, k: int, C: int, half: int) -> dict[str, Numbers]:
    r"""Weights against those of $\epsilon$-SVR with $\epsilon=\lambda$."""
    found = svr(at, k, C)
    epsilon = (found.level / half)[:, None]
    z = np.concatenate([at.x, -at.x], axis=1)
    c = np.concatenate([at.y, -at.y], axis=1) - epsilon
    other = machine(z, c, share(1, at.x, 3), 3, C)
    difference = found.w - other.w
    lhs = dot(difference, difference)
    return dict(lhs=lhs, rhs=lhs * 0, scale=one(lhs) + dot(found.w, found.w))


# Selection.


@dataclass(frozen=True)
class Splits:
    """Signed rows to train on, shape (size, 5, 2), to validate and to test, (size, 3, 2)."""

    z: Numbers
    validation: Numbers
    test: Numbers

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Rows that mostly agree, in sixteenths."""
        def rows(n: int) -> Numbers:
            return (np.array([8, 0]) + rng.integers(-20, 21, size=(size, n, 2))) / 16

        return dict(z=rows(N), validation=rows(3), test=rows(3))


def selected(at: Splits, C: int, where: str) -> dict[str, Numbers]:
    r"""Errors of the k that validation chose against those of average and maximum, the smaller.

    Among k = 1, 3, 4, 5 the first of least validation error; a score of 0 is an error.
    """
    exact = at.z.dtype == object
    room = Fraction(0) if exact else 1e-7
    near: Any = np.zeros(len(at.z), bool)
    table: dict[str, list[Numbers]] = {"validation": [], "test": []}
    machines = together(at.z, share(1, at.z), *((1, share(k, at.z), C) for k in (1, 3, 4, N)))
    for w in (found.w for found in machines):
        for name, held in (("validation", at.validation), ("test", at.test)):
            margins = scores(held, w)
            table[name].append(np.asarray(margins <= room).sum(axis=1))
            near = near | ((np.abs(margins) > 1e-9) & (np.abs(margins) < 1e-5)).any(axis=1) & (
                not exact)
    validation, wanted = np.array(table["validation"]), np.array(table[where])
    best = np.argmin(validation, axis=0)
    lhs = np.take_along_axis(wanted, best[None], axis=0)[0]
    return dict(lhs=lhs, rhs=np.minimum(wanted[0], wanted[-1]), applies=~np.asarray(near, bool))
