r"""How far risks of normalised kernel means differ from those in the sample, over several."""

from __future__ import annotations

from noisytheory.topics.kernel_mean.deviation.bounds import mean_deviation, mean_deviation_repaired
from noisytheory.vocabulary.domains import COUNT, LEVEL, SAMPLE_SIZE, Numeric, requires

__all__ = ["multiple_kernel_gap", "multiple_kernel_gap_repaired"]

K = COUNT.of("Number of kernels.")


@requires(n=SAMPLE_SIZE, delta=LEVEL, k=K)
def multiple_kernel_gap(n: Numeric, delta: Numeric, k: Numeric) -> Numeric:
    r"""Gap of population and sample risk of the normalised mean, over ``k`` kernels, as printed.

    With probability at least $1-\delta$, for every $i\le k$,

    $$\mathrm{Risk}(P,\hat\Phi_i(S))-\mathrm{Risk}(S,\hat\Phi_i(S))\le\frac2{\sqrt n}
      +\sqrt{\frac{2(\log(1/\delta)+\log k)}{n}}$$

    under linear loss.

    Returns
    -------
    float or array
        Linear risk.

    Notes
    -----
    Hypotheses: $\|\phi_i\|\le1$; $\Phi_i(S)\ne0$, or else the gap is 0. Source: Theorem 6, Section
    3.4: `mean_deviation` at $\delta/k$.

    Examples
    --------
    >>> round(float(multiple_kernel_gap(200, 0.05, k=10)), 4)
    0.3716
    """
    return mean_deviation(n, delta / k)


@requires(n=SAMPLE_SIZE, delta=LEVEL, k=K)
def multiple_kernel_gap_repaired(n: Numeric, delta: Numeric, k: Numeric) -> Numeric:
    r"""Gap of the normalised mean over ``k`` kernels, with the variance in the mean term.

    The inequality of `multiple_kernel_gap` with $\frac1{\sqrt n}$ in place of $\frac2{\sqrt n}$.

    Returns
    -------
    float or array
        Linear risk.

    Notes
    -----
    `mean_deviation_repaired` at $\delta/k$, whatever the norms $\|\Phi_i(P)\|$ are.

    Examples
    --------
    >>> round(float(multiple_kernel_gap_repaired(200, 0.05, k=1)), 4)
    0.2438
    """
    return mean_deviation_repaired(n, delta / k)
