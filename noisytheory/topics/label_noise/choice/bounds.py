"""What noise does to 0-1 risk, and how far a choice on noisy labels is from the best one."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.kernel_mean.deviation.bounds import mean_deviation_repaired
from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NOISE_RATE,
    NONNEGATIVE,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = ["chosen_excess", "leave_one_out_deviation", "noisy_error"]

ERROR = UNIT_INTERVAL.of("0-1 risk on clean labels.")
CLASSES = Domain(2, include_low=True, whole=True, meaning="Number of classes.")
KERNELS = COUNT.of("Number of kernels that are tried.")
PATIENCE = NONNEGATIVE.of("Patience c of the choice, in standard errors.")
CANDIDATES = Domain(2, include_low=True, whole=True, meaning="Number of kernels to choose from.")


@requires(error=ERROR, sigma=NOISE_RATE, classes=CLASSES)
def noisy_error(error: Numeric, sigma: Numeric, classes: Numeric = 2) -> Numeric:
    r"""0-1 risk of any classifier on labels that are flipped to any other class alike.

    $$e_\sigma=\sigma+\Big(1-\frac{k\,\sigma}{k-1}\Big)\,e,$$
    increasing in $e$: what errs least on noisy labels errs least on clean ones.

    Returns
    -------
    float or array
        Probability.

    Notes
    -----
    A right prediction becomes wrong with probability $\sigma$, a wrong one right with
    $\frac\sigma{k-1}$. For two classes this is the display behind Section 4.3 of *Sparse Robust
    Classification via the Kernel Mean*.

    Examples
    --------
    >>> float(noisy_error(0.125, 0.25))
    0.3125
    """
    return sigma + (1 - sigma * classes / (classes - 1)) * error


@requires(n=SAMPLE_SIZE, delta=LEVEL, k=KERNELS)
def leave_one_out_deviation(n: Numeric, delta: Numeric, k: Numeric) -> Numeric:
    r"""How far any leave-one-out score is from that of the population, over several kernels.

    With probability at least $1-\delta$, for all $i\le n$ and all $k$ kernels,
    $$\big|\langle\Phi(S\setminus i)-\Phi(P),\phi(x_i)\rangle\big|\le\frac1{\sqrt n}
    +\sqrt{\frac{2\log(k/\delta)}n}+\frac2n.$$

    Returns
    -------
    float or array
        A score.

    Notes
    -----
    Hypothesis: $\|\phi\|\le1$. `nt.kernel_mean.mean_deviation_repaired` at $\delta/k$;
    leaving one of $n$ out moves the mean by at most $\frac2n$.

    Examples
    --------
    >>> round(float(leave_one_out_deviation(400, 0.05, k=9)), 4)
    0.2161
    """
    return mean_deviation_repaired(n, delta / k) + 2 / n


@requires(
    n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE, k=CANDIDATES, standard_errors=PATIENCE
)
def chosen_excess(
    n: Numeric, delta: Numeric, sigma: Numeric, k: Numeric, standard_errors: Numeric = 0
) -> Numeric:
    r"""Clean 0-1 risk of the kernel mean chosen by noisy leave-one-out above that of the best.

    With probability at least $1-\delta$,
    $$\mathrm{Risk}_{01}(P,f_{\hat\imath})-\min_{i\le k}\mathrm{Risk}_{01}(P,f_i)\le
    \frac{\sqrt{2\log(2(k-1)/\delta)}+c}{(1-2\sigma)\sqrt n}$$
    where the chosen one is the widest of those whose leave-one-out error exceeds the least one by
    no more than $c$ standard errors of the difference.

    Returns
    -------
    float or array
        Probability.

    Notes
    -----
    Hypothesis: no score under $P_\sigma$ is within `leave_one_out_deviation` at $\frac\delta2$ of
    0. Then, but for a probability of $\frac\delta2$, leave-one-out scores and those of the fitted
    mean have the signs that the population gives them, so that leave-one-out counts the errors of
    $k$ fixed classifiers, and Hoeffding's inequality bounds the difference of two of them, which
    lies in [-1, 1], for each of $k-1$ rivals of the best; its standard error is at most
    $n^{-1/2}$. `noisy_error` turns noisy risk to clean.

    Examples
    --------
    >>> round(float(chosen_excess(10_000, 0.1, 0.25, k=2)), 4)
    0.049
    >>> round(float(chosen_excess(10_000, 0.1, 0.25, k=2, standard_errors=0.5)), 4)
    0.059
    """
    deviations = np.sqrt(2 * (np.log(2 * (k - 1)) - np.log(delta))) + standard_errors
    return deviations / ((1 - 2 * sigma) * np.sqrt(n))
