r"""Error sets and steps: how an update is shared among the classes that score too high.

The steps of an ultraconservative rule are $\tau_y=1$, $\tau_r\le0$ on the error set
$E=\{r\ne y:\langle w_r-w_y,x\rangle\ge0\}$, 0 elsewhere, and sum to 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["STEPS", "error_set", "steps"]

Floats = NDArray[np.float64]

STEPS = ("worst", "uniform", "proportional", "random", "predicted", "forced")
"""Step rules; the last two know which class was predicted, and the last is not
ultraconservative: it takes the step from the predicted class even outside of the error set."""


def error_set(scores: Floats, true: int, alpha: float = 0.0) -> NDArray[np.bool_]:
    r"""$E=\{r\ne y:s_r-s_y\ge\alpha\}$, ties included at $\alpha=0$.

    Parameters
    ----------
    scores : array, shape (Q,)
    true : int
        The class $y$ that should win.
    alpha : float
        Threshold; Algorithm 2 prints its $\alpha$, 0 is what works.

    Returns
    -------
    array of bool, shape (Q,)

    Examples
    --------
    >>> error_set(np.array([1.0, 1.0, 0.5]), 0).tolist()
    [False, True, False]
    """
    found = scores - scores[true] >= alpha
    found[true] = False
    return np.asarray(found)


def steps(
    scores: Floats, true: int, erring: NDArray[np.bool_], rule: str, *,
    predicted: int | None = None, rng: np.random.Generator | None = None,
) -> Floats:
    r"""Steps $\tau$ of one update.

    Parameters
    ----------
    scores : array, shape (Q,)
    true : int
        The class whose weights grow by the whole point.
    erring : array of bool, shape (Q,)
        Its error set, not empty unless the rule is "forced".
    rule : str
        One of `STEPS`: all from the class of "worst" score; "uniform" over the error set;
        "proportional" to the violation; at "random"; from the "predicted" class if it errs, else
        the worst; "forced" from the predicted class.
    predicted : int, optional
        For the last two.
    rng : Generator, optional
        For "random".

    Returns
    -------
    array, shape (Q,)

    Examples
    --------
    >>> at = np.array([1.0, 3.0, 2.0])
    >>> steps(at, 0, error_set(at, 0), "uniform").tolist()
    [1.0, -0.5, -0.5]
    """
    tau = np.zeros(len(scores))
    if rule == "forced" or (rule == "predicted" and predicted is not None and erring[predicted]):
        if predicted is None:
            raise ValueError("predicted must be given for the forced step")
        tau[predicted] = -1.0
    elif rule in ("worst", "predicted"):
        tau[int(np.argmax(np.where(erring, scores, -np.inf)))] = -1.0
    elif rule == "uniform":
        tau[erring] = -1.0 / np.count_nonzero(erring)
    elif rule == "proportional":
        excess = scores[erring] - scores[true]
        total = excess.sum()
        tau[erring] = -excess / total if total > 0 else -1.0 / len(excess)
    elif rule == "random":
        if rng is None:
            raise ValueError("rng must be given for random steps")
        tau[erring] = -rng.dirichlet(np.ones(np.count_nonzero(erring)))
    else:
        raise ValueError(f"step must be one of {', '.join(STEPS)}, got {rule!r}")
    tau[true] = 1.0
    return tau
