"""What minimisers do on the three points: the population in fractions, the table by counts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.boxes import certain_risk
from noisytheory.topics.surrogates.long_servedio.cuts import enclosed_scores
from noisytheory.topics.surrogates.long_servedio.t_logistic import t_logistic_minimiser
from noisytheory.topics.surrogates.long_servedio.three_points import (
    BENT,
    FLOATS,
    HINGE,
    MASSES,
    PiecewiseLinear,
    margins,
    minimisers,
    points,
    risk,
    risk01,
    two_slopes,
    vertices,
)
from noisytheory.topics.surrogates.minimisers import (
    hinge_minimiser,
    piecewise_linear_minimiser,
    potential_minimiser,
)
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import worked
from noisytheory.vocabulary import joint_masses
from noisytheory.vocabulary.losses import Exponential, Logistic, Loss, SquaredHinge

__all__ = [
    "certified_potential",
    "clean_risk",
    "defeated",
    "explicit_potential",
    "hinge_risk",
    "mean_scores",
    "noisy_masses",
    "potential_risk",
    "programmed",
    "programmed_threshold",
    "t_logistic_risk",
    "threshold",
]

Floats: TypeAlias = NDArray[np.float64]

SMOOTH: dict[str, Loss] = {
    "logistic": Logistic(), "exponential": Exponential(), "squared hinge": SquaredHinge(),
}
ATOMS = np.array([p for p in points(Fraction(30)) for _ in (1, -1)], float)
LABELS = np.array([1, -1] * 3)
CLEAN = FLOATS[:, 0]


def clean_risk(omega: Floats) -> Floats:
    r"""0-1 risk on the clean population, zero scores counted as errors.

    Parameters
    ----------
    omega : array, shape (..., 2)

    Returns
    -------
    array, shape (...)
    """
    return np.asarray(joint_masses.risk(FLOATS, omega @ ATOMS[::2].T))


def noisy_masses(sigma: float) -> Floats:
    r"""Masses of the six atoms of $P_\sigma$: each point with either label."""
    return np.ravel(joint_masses.flipped(FLOATS, sigma))


def hinge_risk(R: int, sigma: float, promised: str) -> Iterator[Certificate]:
    r"""0-1 risk of hinge minimisers on $P_\sigma$ against one half; or what is right, against 1.

    Parameters
    ----------
    promised : {"guessing", "all right"}
    """
    rate, far = Fraction(str(sigma)), Fraction(R)
    value, found = minimisers(far, rate, HINGE)
    for omega in found:
        scores, wrong = margins(far, omega), risk01(far, omega)
        sides = (wrong, Fraction(1, 2)) if promised == "guessing" else (1 - wrong, Fraction(1))
        yield Certificate(
            *sides,
            [("sigma, R", f"{rate}, {far}"), ("least hinge risk", value),
             ("attained at", f"({omega[0]}, {omega[1]})"),
             ("scores of the three points", ", ".join(str(u) for u in scores))],
        )


def programmed(
    cases: Callable[..., Iterable[Certificate]], solved: Callable[..., float]
) -> dict[str, Any]:
    """Fields of a claim: all minimisers at vertices, and the one that the public function finds.

    Parameters
    ----------
    cases : callable
        As for `worked`.
    solved : callable
        Of the same parameters: the left side at the public function's minimiser.
    """
    made = worked(cases)

    @functools.wraps(made["exact"])
    def exact(**given: Any) -> dict[str, Any]:
        rows = made["exact"](**given)
        more = {name: np.append(array, array[:1]) for name, array in rows.items()}
        more["lhs"][-1] = solved(**given)
        return more

    return {**made, "exact": exact}


def _atoms(R: Fraction | int) -> Floats:
    """The three points, each twice: with either label."""
    return np.array(points(Fraction(R)), float).repeat(2, axis=0)


def hinge_programme(R: int, sigma: float, promised: str) -> float:
    """The left side of `hinge_risk` at the minimiser of `nt.surrogates`."""
    places = _atoms(R)
    omega, _ = hinge_minimiser(places, LABELS, noisy_masses(sigma))
    wrong = float(joint_masses.risk(FLOATS, places[::2] @ omega))
    return wrong if promised == "guessing" else 1 - wrong


def programmed_threshold(R: int) -> dict[str, Any]:
    r"""The rate of `threshold`, by the least hinge risks of `nt.surrogates`.

    From a rate beyond it on: where the minimiser there would cost as much as $(1,0)$ is nearer.
    """
    places = _atoms(R)

    def cost(omega: Floats, sigma: float) -> float:
        return float(noisy_masses(sigma) @ np.maximum(0.0, 1 - LABELS * (places @ omega)))

    own, rate = np.array([1.0, 0.0]), 0.5
    for _ in range(20):
        omega, least = hinge_minimiser(places, LABELS, noisy_masses(rate))
        dearer, cheaper = cost(own, rate) - least, cost(omega, 0.0) - cost(own, 0.0)
        if dearer <= 1e-12:
            break
        rate *= cheaper / (cheaper + dearer)
    return {"lhs": np.array([rate])}


FARTHEST = 2**30
"""Where the search for a population that defeats a potential gives up."""


def surviving(R: Fraction, rate: Fraction) -> PiecewiseLinear:
    r"""A convex potential whose minimiser on $P_\sigma$ is right on all three points.

    The slope $q$ lies so little above $\sigma/(1-\sigma)$ that $h=(1-\sigma)q-\sigma$ meets
    $h\le\frac23(1-2\sigma)$ and $4h\le R\sigma$.
    """
    h = min(2 * (1 - 2 * rate) / 3, R * rate / 4, 1 - 2 * rate) / 2
    return two_slopes(R, (rate + h) / (1 - rate))


STRAIGHT: dict[str, Any] = {
    "hinge": lambda rate: HINGE,
    "slopes -3, -1 and 0": lambda rate: BENT,
    "slopes -1, -1/2 up to 60, and 0": lambda rate: two_slopes(Fraction(30), Fraction(1, 2)),
    "the one that survives at R = 30": lambda rate: surviving(Fraction(30), rate),
}
"""Piecewise linear potentials, given a noise rate."""


def defeated(potential: str, sigma: float, far: str) -> Iterator[Certificate]:
    r"""0-1 risk of the minimisers of a potential, on a population searched for, against one half.

    Parameters
    ----------
    potential : str
        One of `STRAIGHT`.
    sigma : float
    far : {"any", "30"}
        Whether $R$ is doubled, from 4, until every minimiser is as bad as guessing, or is 30.
    """
    rate = Fraction(str(sigma))
    psi = STRAIGHT[potential](rate)
    R = Fraction(4 if far == "any" else 30)
    value, found = minimisers(R, rate, psi)
    while far == "any" and R < FARTHEST and any(risk01(R, w) != Fraction(1, 2) for w in found):
        R *= 2
        value, found = minimisers(R, rate, psi)
    for omega in found:
        yield Certificate(
            risk01(R, omega), Fraction(1, 2),
            [("sigma, R", f"{rate}, {R}"), ("potential", psi.name), ("least risk", value),
             ("attained at", f"({omega[0]}, {omega[1]})"),
             ("scores of the three points", ", ".join(str(u) for u in margins(R, omega)))],
        )


def defeated_programme(potential: str, sigma: float, far: str) -> float:
    """The left side of `defeated` at the minimiser of `nt.surrogates`."""
    steps = dict(next(defeated(potential, sigma, far)).steps)
    R = Fraction(str(steps["sigma, R"]).split(", ")[1])
    psi = STRAIGHT[potential](Fraction(str(sigma)))
    places = _atoms(R)
    omega, _ = piecewise_linear_minimiser(
        places, LABELS, noisy_masses(sigma), np.array(psi.lines, float)
    )
    return float(joint_masses.risk(FLOATS, places[::2] @ omega))


def explicit_potential(R: int, sigma: float) -> Iterator[Certificate]:
    r"""0-1 risk of the minimiser of a potential that survives on $P_\sigma$, against one half."""
    rate, far = Fraction(str(sigma)), Fraction(R)
    potential = surviving(far, rate)
    value, found = minimisers(far, rate, potential)
    for omega in found:
        yield Certificate(
            risk01(far, omega), Fraction(1, 2),
            [("sigma, R", f"{rate}, {far}"), ("potential", potential.name), ("T", 2 * far),
             ("least risk", value), ("attained at", f"({omega[0]}, {omega[1]})"),
             ("scores of the three points", ", ".join(str(u) for u in margins(far, omega)))],
        )


def threshold(R: int) -> Fraction:
    r"""Largest noise rate at which $(1,0)$ minimises hinge risk: risks are linear in the rate.

    Examples
    --------
    >>> str(threshold(30))
    '4/53'
    """
    far, omega = Fraction(R), (Fraction(1), Fraction(0))
    own = [risk(far, omega, Fraction(s), HINGE) for s in (0, 1)]
    crossings = []
    for other in vertices(far, HINGE.kinks):
        values = [risk(far, other, Fraction(s), HINGE) for s in (0, 1)]
        slope = (own[1] - own[0]) - (values[1] - values[0])
        if slope > 0:
            crossings.append((values[0] - own[0]) / slope)
    return min(crossings)


def mean_scores(R: int, sigma: float) -> Iterator[Certificate]:
    r"""Share of the clean population that the mean of $P_\sigma$ classifies rightly, against 1."""
    rate, far = Fraction(str(sigma)), Fraction(R)
    mean = [
        (1 - 2 * rate) * sum((m * p[k] for m, p in zip(MASSES, points(far), strict=True)),
                             Fraction(0))
        for k in (0, 1)
    ]
    yield Certificate(
        1 - risk01(far, mean), Fraction(1),
        [("mean", f"({mean[0]}, {mean[1]})"),
         ("scores", ", ".join(str(u) for u in margins(far, (mean[0], mean[1]))))],
    )


def _smooth(potential: str, sigma: float, far: str) -> tuple[int, Floats, Floats]:
    """R, the three points and the minimiser of a smooth potential's noisy risk."""
    R = int(np.ceil(9 / sigma)) if far == "9 / sigma" else int(far)
    places = np.array(points(Fraction(R)), float)
    omega = potential_minimiser(
        places.repeat(2, axis=0), LABELS, noisy_masses(sigma), SMOOTH[potential]
    )
    return R, places, omega


def potential_risk(potential: str, sigma: float, far: str) -> dict[str, Any]:
    r"""0-1 risk of the minimiser of a smooth potential on $P_\sigma$, against one half.

    Parameters
    ----------
    potential : str
        One of `SMOOTH`.
    sigma : float
    far : str
        What $R$ is: ``"9 / sigma"``, rounded up, or a number.
    """
    _, places, omega = _smooth(potential, sigma, far)
    scores = places @ omega
    return {"lhs": joint_masses.risk(FLOATS, scores[None]), "rhs": np.array([0.5])}


def certified_potential(potential: str, sigma: float, far: str) -> Certificate:
    r"""The same, from scores that are certain for every minimiser."""
    R, _, omega = _smooth(potential, sigma, far)
    scores = enclosed_scores(potential, Fraction(R), Fraction(str(sigma)), omega)
    # A score of zero is an error.
    least, most = (
        sum((m for m, s in zip(MASSES, scores, strict=True) if s[end] <= 0), Fraction(0))
        for end in (1, 0)
    )
    named = zip(("south", "north", "east"), scores, strict=True)
    return Certificate((least, most), Fraction(1, 2), [
        ("sigma, R", f"{sigma}, {R}"), ("the minimiser is near", str(tuple(omega.tolist()))),
        *((f"score in the {name}", f"between {float(a):.9g} and {float(b):.9g}")
          for name, (a, b) in named),
    ])


def t_logistic_risk(sigma: float) -> tuple[float, float]:
    r"""0-1 risk of every minimiser of t-logistic risk on $P_\sigma$, certified; an error of 0."""
    omega = t_logistic_minimiser(noisy_masses(sigma)[None])[0]
    return certain_risk(30, sigma, omega), 0.0
