"""What the stochastic method (4) reaches in the mean."""

from __future__ import annotations

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Numeric, requires

__all__ = ["sgd_gap"]


@requires(
    start=NONNEGATIVE.of(r"$\|\theta_1-\theta^*\|^2$, with $\theta=(w,\lambda)$."),
    squares=NONNEGATIVE.of(r"$\sum\eta_t^2\|g_t\|^2$."), total=POSITIVE.of(r"$\sum\eta_t$."),
)
def sgd_gap(start: Numeric, squares: Numeric, total: Numeric) -> Numeric:
    r"""How far the average of the iterates of (4) is from the optimum, in the mean.

    $$E F(\bar\theta_T)-F^*\le
      \frac{\|\theta_1-\theta^*\|^2+E\sum\eta_t^2\|g_t\|^2}{2\sum\eta_t}.$$

    Returns
    -------
    float or array
        In the unit of the objective; for the average of the iterates, weighted by the steps.

    Examples
    --------
    >>> float(sgd_gap(1.0, 1.0, 10.0))
    0.1
    """
    return (start + squares) / (2 * total)
