"""What the symbols of this topic's bounds may be, and what they are."""

from __future__ import annotations

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Domain

__all__ = [
    "ADVANTAGE", "APPROXIMATION", "HINGE_RISK", "KAPPA", "KAPPA_NORM", "LARGEST_LOSS", "MU",
    "NORM", "REGULARISATION", "TAIL_MASS",
]

TAIL_MASS = Domain(0, 1, include_high=True, meaning=r"Tail mass $\nu=k/n$.")
REGULARISATION = POSITIVE.of(r"$C$: the objective has $\|f\|^2/2C$.")
MU = POSITIVE.of(r"$\mu$: $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$, so $\mu<1-\mathcal E_h(f_H)$.")
KAPPA = POSITIVE.of(r"$\kappa=\sup_x\sqrt{K(x,x)}$.")
NORM = NONNEGATIVE.of(r"$\|f_H\|$, the least norm of a minimiser of the hinge risk.")
KAPPA_NORM = NONNEGATIVE.of(r"$\kappa\|f_H\|$.")
APPROXIMATION = NONNEGATIVE.of(r"Approximation error $A$: hinge risk of $f_H$ less the least.")
HINGE_RISK = NONNEGATIVE.of(r"$\mathcal E_h(f_H)$.")
ADVANTAGE = NONNEGATIVE.of(r"$(\nu-\mathcal E_z(g))_+$, with the training hinge risk of $g$.")
LARGEST_LOSS = POSITIVE.of("$M$: losses lie in [0, M].")
