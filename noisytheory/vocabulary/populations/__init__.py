r"""Populations $P$ over instances and labels, with the means $\Phi(P)=E[y\phi(x)]$ exact.

A `Finite` population is a list of weighted atoms, labelled $\pm1$ or $0,\dots,Q-1$, and an array
of joint masses of atoms and labels; `Multiclass` confuses its classes. Under labels $\pm1$ the
atoms are signed features $a_j=y_j\phi(x_j)$: every expectation is a sum, and the deviation
$\|\Phi(P)-\Phi(S)\|$ of a sample is a quadratic form in multinomial counts: it costs the same for
ten examples and for a million. A `GaussianMixture` under a Gaussian kernel has closed forms
instead. The functions of `batteries` build the populations that trials use.
"""

from __future__ import annotations

from noisytheory.vocabulary.populations.batteries import (
    axes,
    axis,
    circle,
    digits,
    independent_signs,
    long_servedio,
    mnist,
    mnist_available,
    oblique_pair,
    orthonormal,
    point_mass,
    two_axes,
    two_gaussians,
)
from noisytheory.vocabulary.populations.finite import Finite
from noisytheory.vocabulary.populations.law import Population
from noisytheory.vocabulary.populations.mixtures import GaussianMixture
from noisytheory.vocabulary.populations.multiclass import Multiclass, largest_margin, margin_of

__all__ = [
    "Finite",
    "GaussianMixture",
    "Multiclass",
    "Population",
    "axes",
    "axis",
    "circle",
    "digits",
    "independent_signs",
    "largest_margin",
    "long_servedio",
    "margin_of",
    "mnist",
    "mnist_available",
    "oblique_pair",
    "orthonormal",
    "point_mass",
    "two_axes",
    "two_gaussians",
]
