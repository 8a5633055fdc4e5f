r"""The noise rate that hinge loss survives, in closed form."""

from __future__ import annotations

from noisytheory.vocabulary.domains import Domain, Numeric, requires

__all__ = ["hinge_threshold"]

BEYOND_FOUR = Domain(4).of("How far out the third point lies.")


@requires(R=BEYOND_FOUR)
def hinge_threshold(R: Numeric) -> Numeric:
    r"""Noise rate up to which hinge loss classifies the three points of Long and Servedio.

    $$\sigma^*(R)=\frac{(1-a)/2}{\frac34+\frac R4-a},\quad a=\frac4{3R}-\frac13$$

    Returns
    -------
    float
        Probability; about $8/(3R)$ for large $R$.

    Notes
    -----
    Ours. Population of Kernel Mean paper, Figure 3: $(1,-1)$, $(1,3)$, $(R,0)$ with masses
    $\frac12,\frac14,\frac14$, all positive.

    Examples
    --------
    >>> bool(abs(hinge_threshold(30) - 4 / 53) < 1e-15)
    True
    """
    a = 4 / (3 * R) - 1 / 3
    return (1 - a) / 2 / (3 / 4 + R / 4 - a)
