r"""What $\tilde P=(1-\sigma)P+\sigma Q$ does to the mean, and which shares of $Q$ are harmless."""

from __future__ import annotations

from noisytheory.vocabulary.domains import (
    NONNEGATIVE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "contaminated_distance",
    "harmless_share",
    "harmless_share_sharp",
    "worst_score",
]

DISTANCE = NONNEGATIVE.of(r"$\|\Phi(P)-\Phi(Q)\|$.")
SIGMA = UNIT_INTERVAL.of(r"Share of $Q$ in $\tilde P$.")
MARGIN = Domain(0, 1, include_high=True, meaning=r"Margin for error $\Gamma(P,\Phi(P))$.")


@requires(distance=DISTANCE, sigma=SIGMA)
def contaminated_distance(distance: Numeric, sigma: Numeric) -> Numeric:
    r"""How far contamination moves the mean.

    $$\|\Phi(P)-\Phi(\tilde P)\|=\sigma\,\|\Phi(P)-\Phi(Q)\|.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Section 4.2.

    Examples
    --------
    >>> round(float(contaminated_distance(1.35, 0.1)), 12)
    0.135
    """
    return sigma * distance


@requires(margin=MARGIN, sigma=SIGMA)
def worst_score(margin: Numeric, sigma: Numeric) -> Numeric:
    r"""Lowest score that contamination can leave a correctly classified point with.

    $$\min_Q\ y\,\langle\Phi(\tilde P),\phi(x)\rangle=(1-\sigma)\,\Gamma-\sigma$$
    for a point of margin $\Gamma=y\langle\Phi(P),\phi(x)\rangle$ and $\|\phi(x)\|=1$; attained by
    the point itself with its label flipped.

    Returns
    -------
    float or array
        At or below 0 the point is lost.

    Examples
    --------
    >>> float(worst_score(0.5, 0.25))
    0.125
    """
    return (1 - sigma) * margin - sigma


@requires(margin=MARGIN)
def harmless_share(margin: Numeric) -> Numeric:
    r"""Share below which no contamination costs a correctly classified point, as printed.

    $$\sigma<\Gamma/2.$$

    Returns
    -------
    float or array
        Share of $Q$ in $\tilde P$.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, after Corollary 8. Not sharp: see
    `harmless_share_sharp`.

    Examples
    --------
    >>> float(harmless_share(0.5))
    0.25
    """
    return margin / 2


@requires(margin=MARGIN)
def harmless_share_sharp(margin: Numeric) -> Numeric:
    r"""Share below which, and only below which, no contamination costs a correct point.

    $$\sigma<\frac\Gamma{1+\Gamma},$$
    where `worst_score` vanishes.

    Returns
    -------
    float or array
        Share of $Q$ in $\tilde P$, at least `harmless_share` since $\Gamma\le1$.

    Notes
    -----
    Not in the paper. Below this share the result needs only $\|\phi\|\le1$; for the converse the
    weakest correct point must have $\|\phi(x)\|=1$.

    Examples
    --------
    >>> round(float(harmless_share_sharp(0.5)), 6)
    0.333333
    """
    return margin / (1 + margin)
