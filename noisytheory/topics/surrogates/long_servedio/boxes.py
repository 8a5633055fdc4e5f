r"""Where t-logistic risk on the three points is least, though it is not convex: by boxes of scores.

With $w=\sqrt{1+u^2/4}-u/2$ the noisy loss of a score $u$ is $\log(1+w)-\sigma\log w$: it falls up
to $w=\frac\sigma{1-\sigma}$ and rises from there. Over an interval it is least at the end nearer to
that score, and the sum of three such values is below every risk in a box of scores.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.three_points import FLOATS
from noisytheory.vocabulary.exact import Undecided
from noisytheory.vocabulary.joint_masses import risk
from noisytheory.vocabulary.losses import TLogistic

__all__ = ["certain_risk"]

Floats: TypeAlias = NDArray[np.float64]

CUTS = np.array([-math.inf, -1000.0, 0.0, 1000.0, math.inf])
HALVINGS, MOST = 40, 10_000
"""How often boxes are halved, and how many may be left: with a good guess some ten, and some 50."""
ROUNDING = 1e-12
"""More than the floats of a risk are off by."""


def certain_risk(R: int, sigma: float, guess: Floats) -> float:
    r"""0-1 risk of all points with as little t-logistic risk on $P_\sigma$ as a guess.

    Boxes of the first two scores, which leave an interval to the third, are halved until each
    has more risk than the guess, or the guess's 0-1 risk throughout.

    Parameters
    ----------
    R : int
        How far out the third point lies.
    sigma : float
        Noise rate.
    guess : array, shape (2,)
        Where the risk is thought to be least.

    Returns
    -------
    float
        That of every minimiser, too.

    Raises
    ------
    Undecided
        If other boxes are left: the guess was bad.

    Examples
    --------
    >>> certain_risk(30, 0.3, np.array([0.08, 0.13])), certain_risk(30, 0.2, np.array([2.1, 0.09]))
    (0.5, 0.0)
    """
    scores = np.array([guess[0] - guess[1], guess[0] + 3 * guess[1], R * guess[0]])
    most, wrong = _risk(scores, sigma), float(risk(FLOATS, scores))
    low = np.stack([CUTS[:-1].repeat(4), np.tile(CUTS[:-1], 4)])
    high = np.stack([CUTS[1:].repeat(4), np.tile(CUTS[1:], 4)])
    odds = sigma / (1 - sigma)
    for _ in range(HALVINGS):
        ends = [np.vstack([side, R / 4 * (3 * side[0] + side[1])]) for side in (low, high)]
        least = _risk(np.clip(1 / odds - odds, *ends).T, sigma)
        other = np.any([risk(FLOATS, end.T) != wrong for end in ends], axis=0)
        left = other & (least <= most + ROUNDING)
        if not left.any():
            return wrong
        low, high = low[:, left], high[:, left]
        middle = (low + high) / 2
        if len(middle.T) > MOST or not np.isfinite(middle).all():
            break
        lows = [(low[0], middle[0]), (low[1], middle[1])]
        highs = [(middle[0], high[0]), (middle[1], high[1])]
        low, high = (np.hstack([np.stack([a, b]) for a in one for b in two])
                     for one, two in (lows, highs))
    raise Undecided("boxes of another 0-1 risk are left")


def _risk(scores: Floats, sigma: float) -> Floats:
    r"""Risk on $P_\sigma$, from the scores of the three points."""
    loss = TLogistic()
    noisy = (1 - sigma) * loss.at_margin(scores) + sigma * loss.at_margin(-scores)
    return np.asarray(noisy @ FLOATS[:, 0])
