r"""How many mistakes an ultraconservative algorithm makes."""

from __future__ import annotations

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Domain, Numeric, requires

__all__ = [
    "mistake_bound",
    "mistake_bound_hinge",
    "mistake_bound_sharp",
]

RADIUS = POSITIVE.of("Largest norm of an example, R.")
STEP = Domain(1, 2, include_high=True).of(
    "T: 2 for the worst class alone, $Q/(Q-1)$ for uniform steps over all others."
)
THETA = POSITIVE.of(r"Margin $\theta$, with $\|W^*\|_F=1$.")


@requires(theta=THETA, radius=RADIUS)
def mistake_bound(theta: Numeric, radius: Numeric = 1.0) -> Numeric:
    r"""Most updates on separable examples, whatever their order and the step rule.

    $$K\le\frac{2R^2}{\theta^2}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Theorem 1; it holds for any number of passes over truly labelled examples, and not over noisy
    ones, as printed.

    Examples
    --------
    >>> float(mistake_bound(0.5))
    8.0
    """
    return 2 * radius**2 / theta**2


@requires(theta=THETA, largest_step=STEP, radius=RADIUS)
def mistake_bound_sharp(theta: Numeric, largest_step: Numeric, radius: Numeric = 1.0) -> Numeric:
    r"""The mistake bound with the steps that were taken.

    $$K\le\frac{TR^2}{\theta^2},\qquad T=\max\Big(1+\sum_{r\in E}\tau_r^2\Big)\le2.$$

    Returns
    -------
    float or array

    Notes
    -----
    Sharper than print. $\langle W^*,W_K\rangle\ge K\theta$ and $\|W_K\|_F^2\le TKR^2$.

    Examples
    --------
    >>> float(mistake_bound_sharp(0.5, 1.5))
    6.0
    """
    return largest_step * radius**2 / theta**2


@requires(
    theta=POSITIVE.of("Any margin to ask for."),
    deficit=NONNEGATIVE.of(r"D, from the margins $\gamma_i$ of any classifier with $\|W\|_F=1$."),
    radius=RADIUS,
)
def mistake_bound_hinge(theta: Numeric, deficit: Numeric, radius: Numeric = 1.0) -> Numeric:
    r"""Most updates in one pass where no classifier separates the examples.

    $$K\le\frac{2(R+D)^2}{\theta^2},\qquad D^2=\sum_i\max(0,\theta-\gamma_i)^2.$$

    Returns
    -------
    float or array

    Notes
    -----
    Crammer and Singer 2003; sharper than print, which has no word on such data.

    Examples
    --------
    >>> float(mistake_bound_hinge(0.5, 0.0))
    8.0
    """
    return 2 * (radius + deficit) ** 2 / theta**2
