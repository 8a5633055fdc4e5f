r"""$AT_k$-SVM on samples of finite populations: multinomial counts, so the sample size is free."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.minimise import fit
from noisytheory.trial.claim import Certificate, Law

__all__ = ["LinearPopulation", "OrthonormalAtoms", "SteepLosses", "TwoLosses"]

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
    def signed(self) -> tuple[Floats, Floats]:
        """Signed rows and their masses, positive labels first."""
        x, p, e = np.array(self.points), np.array(self.masses), np.array(self.eta)
        rows, masses = np.vstack([x, -x]), np.concatenate([p * e, p * (1 - e)])
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
        e = np.array(self.eta)
        return float(np.array(self.masses) @ np.minimum(e, 1 - e))

    @property
    def approximation(self) -> float:
        r"""$A=\mathcal E_h(f_H)-2R^*$."""
        return max(0.0, self.risk - 2 * self.bayes)

    @property
    def largest_excess(self) -> float:
        r"""$E|2\eta-1|$: no classifier is worse."""
        return float(np.array(self.masses) @ np.abs(2 * np.array(self.eta) - 1))

    def excess(self, w: Floats) -> Floats:
        """Excess risk of the signs of scores, shape (size,); the sign of 0 is 1."""
        scores = w @ np.array(self.points).T
        scores = np.where(np.abs(scores) < 1e-9, 0.0, scores)
        e = np.array(self.eta)
        wrong = np.where(scores >= 0, 1 - e, e) - np.minimum(e, 1 - e)
        return np.asarray(wrong @ np.array(self.masses))


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


def trained(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""Machines at $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$: norms, margins, excess risks.

    ``on_event`` says whether (16) holds; margins are those at the end of the optimal interval.
    """
    rows, masses = population.signed
    counts = rng.multinomial(n, masses, size=size)
    # The same tables come again: each is solved once.
    tables, which = np.unique(counts, axis=0, return_inverse=True)
    nu = float(np.ceil(n * (population.risk + population.mu) - 1e-9 * n)) / n
    u = np.maximum(tables / n, 1e-14)
    wide = np.broadcast_to(rows, (len(tables), *rows.shape))
    found = interior_point(Design(wide), np.ones(u.shape), u, nu,
                           np.full(rows.shape[1], 1 / population.C), tolerance=1e-11)
    norm = np.linalg.norm(found.coef, axis=1)[which]
    margin = np.maximum(1 - found.level, 1e-300)[which]
    drawn = (counts / n) @ np.maximum(1 - rows @ population.best, 0)
    excess = population.excess(found.coef)[which]
    return dict(norm_z=norm, margin=margin, excess=excess, risk_z=excess + population.bayes,
                nu=np.full(size, nu), on_event=drawn - population.risk <= population.mu / 2)


def excess(population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Excess risk of the machine."""
    return np.asarray(trained(population, n, size=size, rng=rng)["excess"])


def ratio(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""$\|f_z\|/\rho_z$."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=np.minimum(found["norm_z"] / found["margin"], 1e12), nu=found["nu"])


def minus_margin(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""$-\rho_z$."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=-found["margin"], nu=found["nu"])


def risk(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Risk of the machine, with what training shows."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=found["risk_z"], nu=found["nu"], norm_z=found["norm_z"],
                margin=found["margin"])


@dataclass(frozen=True)
class TwoLosses:
    r"""Hinge losses 0 and 2 at $f_H$, with probability ``p`` of the 2: two points, $\|f_H\|=1$.

    Parameters
    ----------
    p : float
        Below one half.
    """

    p: float
    half_range = 1.0
    kappa_norm = 1.0

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"losses 0 and 2, p={self.p:g}"

    def mean_law(self, n: int) -> Law:
        """Exact law of the mean minus its expectation."""
        from scipy import stats

        j = np.arange(n + 1)
        return Law(2 * j / n - 2 * self.p, stats.binom.pmf(j, n, self.p), slack=1e-12)


def two_losses(population: TwoLosses, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Means minus their expectation."""
    return np.asarray(2 * rng.binomial(n, population.p, size) / n - 2 * population.p)


def two_losses_law(population: TwoLosses, n: int) -> Law:
    """Their exact law."""
    return population.mean_law(n)


def event_law(population: TwoLosses, n: int, mu: float, side: str) -> Law:
    r"""Law of whether $\mathcal E_z(f_H)-\mathcal E(f_H)$ is above, or not above, $\mu/2$."""
    law = population.mean_law(n)
    above = law.exceeding(mu / 2)[0]
    chance = above if side == "above" else 1 - above
    return Law([0.0, 1.0], [1 - chance, chance])


@dataclass(frozen=True)
class OrthonormalAtoms:
    r"""m orthonormal points with label 1 and equal masses: the supremum over a ball is a norm.

    Parameters
    ----------
    m : int
    radius : float
        $R\le1$: no score reaches 1, so the hinge loss is $1-f$.
    """

    m: int
    radius: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{self.m} orthonormal points, R={self.radius:g}"


def supremum(
    population: OrthonormalAtoms, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""$\sup_{\|f\|\le R}\mathcal E_h(f)-\mathcal E_{h,z}(f)=R\|p-\hat p\|$."""
    m = population.m
    counts = rng.multinomial(n, np.full(m, 1 / m), size=size)
    return np.asarray(population.radius * np.linalg.norm(counts / n - 1 / m, axis=1))


@dataclass(frozen=True)
class SteepLosses:
    """Losses 0 and 1, the 1 with probability p: the CVaR is the smaller of 1 and p over the tail.

    Parameters
    ----------
    p, nu : float
    """

    p: float
    nu: float
    bound = 1.0
    radius = 0.0

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"losses 0 and 1, p={self.p:g}, tail {self.nu:g}"

    @property
    def cvar(self) -> float:
        """Of the law."""
        return min(1.0, self.p / self.nu)


def cvar_error(
    population: SteepLosses, n: int, sign: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """CVaR minus that of a sample, or the reverse."""
    counts = rng.binomial(n, population.p, size=size)
    found, which = np.unique(counts, return_inverse=True)
    losses = (np.arange(n) < found[:, None]).astype(float)
    estimates = np.asarray(average_top_k(losses, population.nu))[which]
    return np.asarray(sign * (population.cvar - estimates))


def cvar_sample(
    population: SteepLosses, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """CVaR of the law, and how many losses of a sample are 1."""
    return dict(lhs=np.full(size, population.cvar), ones=rng.binomial(n, population.p, size=size))


def contraction(m: int, form: str) -> dict[str, NDArray[Any]]:
    r"""Lemma 4 on small classes, over all signs, times $2^m$: left and right side of each class."""
    lhs, rhs = zip(*(sides_of_contraction(i, m, form) for i in range(3)), strict=True)
    return dict(lhs=np.array(lhs, float), rhs=np.array(rhs, float), index=np.arange(3))


def sides_of_contraction(index: int, m: int, form: str) -> tuple[int, int]:
    """A class of functions on m points, whole numbers: the two sums over signs.

    ``"printed"`` has $\\Psi=1$ in its first class; ``"two"`` and ``"one"`` have absolute values
    and $\\Psi(0)=0$ with constant 2 or 1; ``"signed"`` has neither, with constant 1.
    """
    classes = [
        np.zeros((1, m), int),
        np.array([[0, -3, -3], [0, 2, 2], [2, 1, 3], [-2, 3, 1], [0, 0, 0]])[:, :m],
        np.eye(m, dtype=int) * 2,
    ]
    f = classes[index]
    if form in ("printed", "signed") and index == 0:
        values = np.ones_like(f)  # a constant has Lipschitz constant 0
        lipschitz = 0
    else:
        values, lipschitz = np.abs(f), 1
    signs = np.array(np.meshgrid(*[[-1, 1]] * m)).reshape(m, -1)
    left, right = values @ signs, lipschitz * (f @ signs)
    if form == "signed":
        return int(left.max(axis=0).sum()), int(right.max(axis=0).sum())
    times = 1 if form == "one" else 2
    return int(np.abs(left).max(axis=0).sum()), int(times * np.abs(right).max(axis=0).sum())


def contraction_certificate(m: int, form: str, index: int) -> Certificate:
    """Whole numbers throughout."""
    left, right = sides_of_contraction(int(index), m, form)
    return Certificate(left, right, [("class", int(index))])
