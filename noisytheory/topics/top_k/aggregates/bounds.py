"""How far the average of the k largest losses moves."""

from __future__ import annotations

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, Numeric, requires

__all__ = ["outlier_shift"]


@requires(
    shift=NONNEGATIVE.of("By how much the loss grows."),
    k=COUNT.of("1 is the maximum loss, n the average."),
)
def outlier_shift(shift: Numeric, k: Numeric) -> Numeric:
    r"""Most that $AT_k$ grows when one loss grows by ``shift``: $\Delta/k$.

    Returns
    -------
    float or array
        In the unit of the loss.

    Examples
    --------
    >>> float(outlier_shift(1.0, 4))
    0.25
    """
    return shift / k
