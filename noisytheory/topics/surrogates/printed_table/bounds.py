r"""Table 1 as printed, and what a printed mean and deviation say of the trials behind them.

Risks are those on the population, multiples of $\frac14$; print has them on 1000 draws from it.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, UNIT_INTERVAL, requires

__all__ = ["OURS", "PRINTED", "ROUNDED", "most_at_ends", "most_between", "trials_above_half"]

PRINTED: dict[str, dict[float, tuple[float, float]]] = {
    "hinge": {0.0: (0.0, 0.0), 0.1: (0.15, 0.27), 0.2: (0.21, 0.30), 0.3: (0.38, 0.37),
              0.4: (0.42, 0.36), 0.49: (0.47, 0.38)},
    "t-logistic": {0.0: (0.0, 0.0), 0.1: (0.0, 0.0), 0.2: (0.0, 0.0), 0.3: (0.22, 0.08),
                   0.4: (0.22, 0.08), 0.49: (0.39, 0.23)},
    "linear": {0.0: (0.0, 0.0), 0.1: (0.0, 0.0), 0.2: (0.0, 0.0), 0.3: (0.0, 0.0),
               0.4: (0.0, 0.0), 0.49: (0.34, 0.48)},
}
"""Mean and standard deviation of the 01 risk over 125 trials, by column and noise rate."""

OURS: dict[str, dict[float, tuple[float, float]]] = {
    "hinge": {0.0: (0.0, 0.0), 0.1: (0.4511, 0.1485), 0.2: (0.4988, 0.0176), 0.3: (0.4889, 0.0515),
              0.4: (0.4503, 0.1003), 0.49: (0.4773, 0.1755)},
    "t-logistic": {0.0: (0.0, 0.0), 0.1: (0.0, 0.0), 0.2: (0.0403, 0.1361), 0.3: (0.3757, 0.2123),
                   0.4: (0.3790, 0.1876), 0.49: (0.4695, 0.2042)},
    "linear": {0.0: (0.0, 0.0), 0.1: (0.0, 0.0), 0.2: (0.0, 0.0), 0.3: (0.0, 0.0),
               0.4: (0.0010, 0.0280), 0.49: (0.3806, 0.4574)},
}
"""Those of the law of a trial on the printed population (`nt.surrogates.table_moments`),
summed for hinge and linear; t-logistic by quadrature with two million samples a cell, with errors
up to 0.00005. ``validation/table_1.py`` has the same by general solvers."""

ROUNDED = 0.005
"""Half a unit of the last printed digit."""


def _one_cell(mean: float, deviation: float, trials: int) -> None:
    for name, value in (("mean", mean), ("deviation", deviation), ("trials", trials)):
        if np.ndim(value):
            raise ValueError(f"{name} must be one number, got an array of shape {np.shape(value)}")


@requires(mean=UNIT_INTERVAL, deviation=NONNEGATIVE, trials=COUNT)
def trials_above_half(mean: float, deviation: float, trials: int) -> int:
    r"""Least number of trials with a risk above $\frac12$.

    Risks up to $\frac12$ have $r^2\le\frac r2$, others $r^2\le\frac r2+\frac12$, so that there are
    at least $2\sum(r^2-\frac r2)$ others; the sums are $(T-1)s^2+Tm^2$ and $Tm$.

    Parameters
    ----------
    mean, deviation : float
        As printed, to two digits: the least number over all that round to them.
    trials : int
        $T$.

    Returns
    -------
    int

    Examples
    --------
    >>> trials_above_half(0.38, 0.37, 125)
    22
    """
    _one_cell(mean, deviation, trials)
    nearest = float(np.clip(0.25, mean - ROUNDED, mean + ROUNDED))
    least = max(deviation - ROUNDED, 0.0)
    excess = (trials - 1) * least**2 + trials * (nearest**2 - nearest / 2)
    return max(0, math.ceil(2 * excess))


@requires(mean=UNIT_INTERVAL, deviation=NONNEGATIVE, trials=COUNT)
def most_at_ends(mean: float, deviation: float, trials: int) -> int:
    r"""Largest number of trials with a risk of 0 or $\frac12$.

    Each of them adds $\frac1{16}$ to $\sum(r-\frac14)^2=(T-1)s^2+T(m-\frac14)^2$.

    Parameters
    ----------
    mean, deviation, trials
        As in `trials_above_half`.

    Returns
    -------
    int

    Examples
    --------
    >>> most_at_ends(0.22, 0.08, 125)
    16
    """
    _one_cell(mean, deviation, trials)
    off = abs(mean - 0.25) + ROUNDED
    total = (trials - 1) * (deviation + ROUNDED) ** 2 + trials * off**2
    return min(trials, math.floor(16 * total))


@requires(mean=UNIT_INTERVAL, deviation=NONNEGATIVE, trials=COUNT)
def most_between(mean: float, deviation: float, trials: int) -> int:
    r"""Largest number of trials with a risk of $\frac14,\frac12$ or $\frac34$.

    Each of them adds at least $\frac3{16}$ to $\sum r(1-r)=Tm(1-m)-(T-1)s^2$.

    Parameters
    ----------
    mean, deviation, trials
        As in `trials_above_half`.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If no risks in [0, 1] have such a mean and deviation.

    Examples
    --------
    >>> most_between(0.34, 0.48, 125)
    1
    """
    _one_cell(mean, deviation, trials)
    nearest = float(np.clip(0.5, mean - ROUNDED, mean + ROUNDED))
    room = trials * nearest * (1 - nearest) - (trials - 1) * max(deviation - ROUNDED, 0.0) ** 2
    if room < 0:
        raise ValueError(f"deviation must be at most that of risks 0 and 1, got {deviation}")
    return min(trials, math.floor(16 * room / 3))
