r"""$AT_k$-SVM on samples of finite populations: multinomial counts, so the sample size is free."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.minimise import fit
from noisytheory.vocabulary import joint_masses

__all__ = ["LinearPopulation", "axis_population", "clusters", "hopeless", "trained"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearPopulation:
    r"""Finitely many points with posteriors, linear scores without intercept.

    Parameters
    ----------
    name : str
    points : tuple of tuples of float
    masses, eta : tuple of float
    C, mu : float
        Those at which the machine is tried.
    """

    name: str
    points: tuple[tuple[float, ...], ...]
    masses: tuple[float, ...]
    eta: tuple[float, ...]
    C: float
    mu: float

    @functools.cached_property
    def joint(self) -> Floats:
        """Masses of points and labels, shape (J, 2)."""
        return np.asarray(joint_masses.joint(np.array(self.masses), np.array(self.eta)))

    @functools.cached_property
    def signed(self) -> tuple[Floats, Floats]:
        """Signed rows and their masses, positive labels first."""
        x = np.array(self.points)
        rows, masses = np.vstack([x, -x]), self.joint.T.ravel()
        used = masses > 0
        return rows[used], masses[used]

    @functools.cached_property
    def best(self) -> Floats:
        r"""$f_H$, of least norm: with so little regularisation the penalty is exact."""
        rows, masses = self.signed
        labels = np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
        labels[0], labels[-1] = 1.0, -1.0
        found = fit(labels[:, None] * rows, labels, "hinge", k=1.0, C=1e3, sample_weight=masses,
                    tol=1e-9)
        return found.coef

    @property
    def norm(self) -> float:
        r"""$\|f_H\|$."""
        return float(np.linalg.norm(self.best))

    @property
    def kappa(self) -> float:
        """Largest norm of a point."""
        return float(np.linalg.norm(np.array(self.points), axis=1).max())

    @property
    def kappa_norm(self) -> float:
        r"""$\kappa\|f_H\|$."""
        return self.kappa * self.norm

    @property
    def risk(self) -> float:
        r"""$\mathcal E_h(f_H)$."""
        rows, masses = self.signed
        return float(masses @ np.maximum(1 - rows @ self.best, 0))

    @property
    def bayes(self) -> float:
        """Bayes risk."""
        return float(joint_masses.bayes_risk(self.joint))

    @property
    def approximation(self) -> float:
        r"""$A=\mathcal E_h(f_H)-2R^*$."""
        return max(0.0, self.risk - 2 * self.bayes)

    @property
    def largest_excess(self) -> float:
        r"""$E|2\eta-1|$: no classifier is worse."""
        return float(np.abs(joint_masses.signed(self.joint)).sum())

    def excess(self, w: Floats) -> Floats:
        """Excess risk of the signs of scores, shape (size,); the sign of 0 is 1."""
        scores = w @ np.array(self.points).T
        scores = np.where(np.abs(scores) < 1e-9, 0.0, scores)
        return np.asarray(joint_masses.risk(self.joint, scores, zero="negative") - self.bayes)


def axis_population(eta: float, C: float, mu: float) -> LinearPopulation:
    """Points 1 and -1 with mirrored posteriors."""
    return LinearPopulation(f"two points, eta={eta:g}, C={C:g}, mu={mu:g}", ((1.0,), (-1.0,)),
                            (0.5, 0.5), (eta, 1 - eta), C, mu)


def hopeless(p: float, mu: float) -> LinearPopulation:
    """A group of mass p near the origin that no linear score can classify with the rest."""
    return LinearPopulation(f"hopeless group of {p:g}, mu={mu:g}", ((1.0,), (0.01,)), (1 - p, p),
                            (1.0, 0.0), 0.01, mu)


def clusters(m: int, p: float) -> LinearPopulation:
    r"""Separable, but m small groups are sacrificed up to $\mu=p(1+a+(1-a^2)/(am))$."""
    a = 1 / np.sqrt(m - 1)
    points = [np.eye(m + 1)[0]]
    points += [-a * np.eye(m + 1)[0] + np.sqrt(1 - a**2) * np.eye(m + 1)[j + 1] for j in range(m)]
    mu = float(1.03 * p * (1 + a + (1 - a**2) / (a * m)))
    return LinearPopulation(
        f"{m} sacrificed groups of {p:g} in all", tuple(tuple(map(float, x)) for x in points),
        (1 - p, *([p / m] * m)), (1.0,) * (m + 1), 0.01, mu)


def on_a_line(z: Floats, u: Floats, nu: float, C: float) -> tuple[Floats, Floats]:
    r"""Machines with one feature, exactly: between two kinks the objective is a parabola.

    Parameters
    ----------
    z : array, shape (m,)
        Signed rows.
    u : array, shape (size, m)
        Their masses, a machine each.
    nu, C : float

    Returns
    -------
    coefficients : array, shape (size, 1)
    levels : array, shape (size,)
        The largest ones that are optimal.

    Examples
    --------
    >>> w, level = on_a_line(np.array([1.0, -1.0]), np.array([[0.75, 0.25]]), 0.5, 0.5)
    >>> w.tolist(), level.tolist()
    ([[0.0]], [1.0])
    """
    kinks = np.unique(np.append(1 / z, 0.0))
    ends = np.concatenate([[-np.inf], kinks, [np.inf]])
    best, w, level = np.full((3, len(u)), np.inf)
    for low, high in itertools.pairwise(ends):
        inside = max(low, kinks[0] - 1) / 2 + min(high, kinks[-1] + 1) / 2
        # In between the order of the losses stays, and so do the weights of the largest.
        order = np.argsort(-np.maximum(1 - inside * z, 0), kind="stable")
        above = np.cumsum(u[:, order], axis=1) - u[:, order]
        weights = np.clip(nu - above, 0, u[:, order]) * (inside * z[order] < 1)
        tried = np.clip(C * weights @ z[order], low, high)
        losses = np.maximum(1 - tried[:, None] * z[order], 0)
        value = np.vecdot(weights, losses) + tried**2 / (2 * C)
        last = (above < nu - 1e-12).sum(axis=1) - 1
        better = value < best
        best, w, level = (np.where(better, new, old) for new, old in (
            (value, best), (tried, w),
            (np.take_along_axis(losses, last[:, None], axis=1)[:, 0], level)))
    return w[:, None], level


def trained(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""Machines at $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$: norms, margins, excess risks.

    ``on_event`` says whether (16) holds; margins are those at an end of the optimal interval, of
    one feature at the lower one.
    """
    rows, masses = population.signed
    counts = rng.multinomial(n, masses, size=size)
    # The same tables come again: each is solved once.
    tables, which = np.unique(counts, axis=0, return_inverse=True)
    nu = float(np.ceil(n * (population.risk + population.mu) - 1e-9 * n)) / n
    u = tables / n
    if rows.shape[1] == 1:
        coef, level = on_a_line(rows[:, 0], u, nu, population.C)
    else:
        u = np.maximum(u, 1e-14)
        wide = np.broadcast_to(rows, (len(tables), *rows.shape))
        found = interior_point(wide, np.ones(u.shape), u, nu,
                               np.full(rows.shape[1], 1 / population.C), tolerance=1e-11)
        coef, level = found.coef, found.level
    norm = np.linalg.norm(coef, axis=1)[which]
    margin = np.maximum(1 - level, 1e-300)[which]
    drawn = (counts / n) @ np.maximum(1 - rows @ population.best, 0)
    excess = population.excess(coef)[which]
    return dict(norm_z=norm, margin=margin, excess=excess, risk_z=excess + population.bayes,
                nu=np.full(size, nu), on_event=drawn - population.risk <= population.mu / 2)
