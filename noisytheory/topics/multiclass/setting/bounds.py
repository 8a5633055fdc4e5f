r"""How large a margin can be, and what the number of classes costs."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "least_mistake_bound",
    "margin_ceiling",
]

CLASSES = Domain(2, include_low=True, whole=True).of("Number of classes, Q.")


@requires(classes=CLASSES)
def margin_ceiling(classes: Numeric) -> Numeric:
    r"""Largest margin of any population in which every class has mass.

    $$\theta\le\frac{\sqrt Q}{Q-1}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Candidate, not in print. Attained by the regular simplex. Proof: with $\sum_qw_q=0$ a point of
    class c has $Q\langle w_c,x\rangle\ge(Q-1)\theta$; square and sum over the classes.

    Examples
    --------
    >>> round(float(margin_ceiling(10)), 6)
    0.351364
    """
    return np.sqrt(classes) / (classes - 1)


@requires(classes=CLASSES)
def least_mistake_bound(classes: Numeric) -> Numeric:
    r"""Smallest value that the mistake bound can take with so many classes.

    $$\frac2{\theta^2}\ge\frac{2(Q-1)^2}{Q}.$$

    Returns
    -------
    float or array

    Notes
    -----
    From `margin_ceiling`: the rate that print says is free of Q is not.

    Examples
    --------
    >>> round(float(least_mistake_bound(26)), 2)
    48.08
    """
    return 2 * (classes - 1) ** 2 / classes
