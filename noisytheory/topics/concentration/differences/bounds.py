r"""How far a function of independent draws strays from its mean: McDiarmid's inequality.

Theorem 24 of the kernel-mean paper.
"""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import LEVEL, NONNEGATIVE, Numeric, requires

__all__ = ["mcdiarmid"]

SQUARED_DIFFERENCES = NONNEGATIVE.of(
    r"$\sum_i c_i^2$, in the squared unit of $f$: what it moves by when argument $i$ alone moves."
)


@requires(delta=LEVEL, squared_differences=SQUARED_DIFFERENCES)
def mcdiarmid(delta: Numeric, squared_differences: Numeric) -> Numeric:
    r"""Deviation of a function with bounded differences above its mean (McDiarmid).

    With probability at least $1-\delta$,

    $$f(Z)-E f(Z)\le\sqrt{\frac{\log(1/\delta)\,\sum_i c_i^2}{2}}.$$

    Returns
    -------
    float or array
        In the unit of $f$.

    Notes
    -----
    Hypotheses: $Z_1,\dots,Z_n$ independent; nothing else. Source: Theorem 24 of the kernel-mean
    paper (McDiarmid 1989). The display there lets the index run over "$i\in[i;n]$".

    Examples
    --------
    >>> round(float(mcdiarmid(delta=0.05, squared_differences=100 * 0.01**2)), 6)
    0.122387
    """
    return np.sqrt(-np.log(delta) * squared_differences / 2)
