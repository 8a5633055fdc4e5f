"""How far the average of the k largest losses moves."""

from __future__ import annotations

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, Numeric, requires

__all__ = ["outlier_shift"]


@requires(shift=NONNEGATIVE, k=COUNT)
def outlier_shift(shift: Numeric, k: Numeric) -> Numeric:
    r"""Most that $AT_k$ grows when one loss grows by ``shift``: $\Delta/k$.

    Parameters
    ----------
    shift : float or array
        $\Delta\ge0$.
    k : int or array
        1 is the maximum loss, n the average.

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
