r"""Error sets and steps: how an update is shared among the classes that score too high.

The steps of an ultraconservative rule are $\tau_y=1$, $\tau_r\le0$ on the error set
$E=\{r\ne y:\langle w_r-w_y,x\rangle\ge0\}$, 0 elsewhere, and sum to 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRACTIONS", "STEPS", "WORDS", "error_set", "refuse_large", "steps"]

Floats = NDArray[np.float64]

STEPS = ("worst", "uniform", "proportional", "random", "predicted", "forced")
"""Step rules; the last two know which class was predicted, and the last is not
ultraconservative: it takes the step from the predicted class even outside of the error set."""


WORDS = {
    "worst": "steps from the worst class",
    "uniform": "steps even over the error set",
    "predicted": "steps from the error set",
    "forced": "forced steps",
}
"""How a claim whose trial runs a learner says which step it took; the third is down by one for the
predicted class if it errs on the update vector, else for the worst that does, and the fourth always
for the predicted class. A test holds every claim of this topic to it."""

LARGEST = 1e100
"""Of a coordinate: products of three are floats."""

FRACTIONS = np.frompyfunc(Fraction, 1, 1)
"""Of whole numbers in an array of objects, by which others are divided."""


def error_set(scores: Floats, true: Any, alpha: float | Fraction = 0.0) -> NDArray[np.bool_]:
    r"""$E=\{r\ne y:s_r-s_y\ge\alpha\}$, ties included at $\alpha=0$.

    Parameters
    ----------
    scores : array, shape (Q,) or (R, Q)
        Of one point, or of one for each of several runs.
    true : int, or array of int of shape (R,)
        The class $y$ that should win.
    alpha : float
        Threshold; Algorithm 2 prints its $\alpha$, 0 is what works.

    Returns
    -------
    array of bool, as scores

    Examples
    --------
    >>> error_set(np.array([1.0, 1.0, 0.5]), 0).tolist()
    [False, True, False]
    """
    if np.min(true) < 0 or np.max(true) >= scores.shape[-1]:
        raise ValueError(f"true must be a class, 0 to {scores.shape[-1] - 1}, got {true}")
    at = true if scores.ndim == 1 else (np.arange(len(scores)), true)
    found = scores - np.asarray(scores[at])[..., None] >= alpha
    found[at] = False
    return np.asarray(found)


def steps(
    scores: Floats, true: Any, erring: NDArray[np.bool_], rule: str, *,
    predicted: Any = None, rng: np.random.Generator | None = None,
) -> Floats:
    r"""Steps $\tau$ of one update, or of one for each of several runs.

    Parameters
    ----------
    scores : array, shape (Q,) or (R, Q)
    true : int, or array of int of shape (R,)
        The class whose weights grow by the whole point.
    erring : array of bool, as scores
        Its error set, not empty unless the rule is "forced".
    rule : str
        One of `STEPS`: all from the class of "worst" score; "uniform" over the error set;
        "proportional" to the violation; at "random"; from the "predicted" class if it errs, else
        the worst; "forced" from the predicted class.
    predicted : int or array of int, optional
        For the last two.
    rng : Generator, optional
        For "random".

    Returns
    -------
    array, as scores
        Of fractions if they are.

    Examples
    --------
    >>> at = np.array([1.0, 3.0, 2.0])
    >>> steps(at, 0, error_set(at, 0), "uniform").tolist()
    [1.0, -0.5, -0.5]
    """
    if rule not in STEPS:
        raise ValueError(f"step must be one of {', '.join(STEPS)}, got {rule!r}")
    if rule == "forced" and predicted is None:
        raise ValueError("predicted must be given for the forced step")
    if rule == "random" and rng is None:
        raise ValueError("rng must be given for random steps")
    runs, each, wrong = np.arange(scores.size // scores.shape[-1]), *np.atleast_2d(scores, erring)
    if rule != "forced" and not wrong.any(axis=1).all():
        raise ValueError('erring must hold a class, unless the rule is "forced"')
    if rule in ("uniform", "proportional"):
        part = np.where(wrong, each - each[runs, true][:, None], 0)
        # Without any violation, all tied, in equal parts.
        even = (part == 0).all(axis=1) | (rule == "uniform")
        part[even] = (0 * each + 1)[even]
        part *= wrong
        total = part.sum(axis=1, keepdims=True)
        # A whole number over another would be a float.
        tau = -part / (total if total.dtype != object else FRACTIONS(total))
    elif rule == "random":
        assert rng is not None
        tau = np.zeros(each.shape)
        for row, among in zip(tau, wrong, strict=True):
            row[among] = -rng.dirichlet(np.ones(np.count_nonzero(among)))
    else:
        down = np.argmax(np.where(wrong, each, -math.inf), axis=1)
        if rule != "worst" and predicted is not None:
            down = np.where(wrong[runs, predicted] | (rule == "forced"), predicted, down)
        tau = np.zeros(each.shape, each.dtype)
        tau[runs, down] = -1
    tau[runs, true] = 1
    return np.asarray(tau.reshape(scores.shape))



def refuse_large(coordinate: float) -> None:
    """Refuse points with this largest coordinate where their scores could not be floats."""
    if not np.isfinite(coordinate):
        raise ValueError("points must be finite, got infinity or NaN")
    if coordinate > LARGEST:
        raise ValueError(
            f"points must have coordinates up to {LARGEST:g}, for scores are sums of their "
            f"products, got {coordinate:.3g}: scale them"
        )
