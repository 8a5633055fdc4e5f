"""Small populations whose masses and posteriors are sixteenths, and their Bayes risks."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.joint_masses import bayes_risk, joint

__all__ = ["Half", "battery", "bayes", "noisy_bayes"]

Numbers = NDArray[Any]
Half = Fraction(1, 2)

SIXTEENTHS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((8, 14), (8, 3)), ((8, 8), (8, 14)), ((4, 16), (12, 11)), ((16, 10),),
    ((5, 1), (5, 6), (6, 13)), ((2, 8), (2, 16), (6, 12), (6, 5)), ((1, 7), (15, 15)),
    ((3, 0), (3, 4), (3, 8), (3, 9), (4, 15)), ((1, 15), (15, 16)),
)
"""Mass and posterior of each point, in sixteenths; posteriors of 0, 1/2 and 1 among them."""


@functools.cache
def battery() -> tuple[Numbers, Numbers]:
    """Masses and posteriors, padded with points of mass 0, in fractions."""
    width = max(map(len, SIXTEENTHS))
    masses = np.full((len(SIXTEENTHS), width), Fraction(0), dtype=object)
    eta = np.full((len(SIXTEENTHS), width), Half, dtype=object)
    for i, points in enumerate(SIXTEENTHS):
        for j, (mass, posterior) in enumerate(points):
            masses[i, j], eta[i, j] = Fraction(mass, 16), Fraction(posterior, 16)
    return masses, eta


def bayes(index: int) -> Fraction:
    """R* of a population, exactly."""
    masses, eta = battery()
    return Fraction(bayes_risk(joint(masses[index], eta[index])))


def noisy_bayes(index: int) -> Fraction:
    r"""$\int_{\eta\ne1/2}\min(\eta,1-\eta)$, exactly."""
    masses, eta = battery()
    return Fraction(bayes_risk(joint(masses[index] * (eta[index] != Half), eta[index])))
