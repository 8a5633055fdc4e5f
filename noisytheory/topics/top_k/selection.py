r"""All k at once, and the choice of (C, k) by validation, without fitting from scratch.

With the hinge loss the minimiser is zero, or $\nu$-SVM (the classifier does not depend on C), or
C-SVM (it does not depend on k): as many fits as there are values of C and of k, not their product.
With other losses each fit starts from its neighbour.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.minimise import NotCertified, Solution, fit

__all__ = ["Path", "Selected", "k_bar", "path", "select", "useful_grid"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Path:
    """What k changes at one C.

    Parameters
    ----------
    k : array, shape (m,)
    objective, error : array, shape (m,)
        Of (3); errors of classification, or mean squares of regression, where they were asked for.
    coef : array, shape (m, d)
        With the intercept last if there is one.
    level : array, shape (m,)
    regime : tuple of str
    fits : int
        How many problems were solved.
    """

    k: NDArray[np.intp]
    objective: Floats
    error: Floats
    coef: Floats
    level: Floats
    regime: tuple[str, ...]
    fits: int


@dataclass(frozen=True)
class Selected:
    """What validation chose, and all that it chose from.

    Parameters
    ----------
    C : float
    k : int
    error : float
        On the validation data.
    errors : array, shape (values of C, values of k)
    solution : Solution
    fits : int
        How many problems were solved.
    """

    C: float
    k: int
    error: float
    errors: Floats
    solution: Solution
    fits: int


def k_bar(solution: Solution, n: int) -> float:
    r"""$\bar k(C)=n\sum\alpha_i$ of the average loss: from there on k does not matter.

    Parameters
    ----------
    solution : Solution
        With k = n and hinge loss.
    n : int

    Returns
    -------
    float

    Examples
    --------
    >>> k_bar(fit([[1.0], [2.0], [-1.0]], [1, 1, -1], "hinge", k=3, C=9.0), 3) <= 3
    True
    """
    return float(n * solution.weights.sum())


def useful_grid(X: Any, y: ArrayLike, size: int = 12, *, intercept: bool = False) -> list[int]:
    r"""Values of k worth trying: spaced evenly on $(nh^*,n]$; below is the zero classifier.

    Parameters
    ----------
    X, y
        Data, labels 1 or -1.
    size : int
    intercept : bool

    Returns
    -------
    list of int

    Examples
    --------
    >>> useful_grid([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1], 2)
    [3, 4]
    """
    n = len(np.asarray(y))
    first = int(np.floor(collapse_threshold(X, y, intercept=intercept) + 1e-7)) + 1
    grid = np.unique(np.linspace(min(first, n), n, size).round().astype(int))
    return [int(k) for k in grid]


def path(
    X: Any, y: ArrayLike, loss: str = "logistic", *, ks: Sequence[int], C: float = 1.0,
    test: tuple[Any, ArrayLike] | None = None, intercept: bool = False, tol: float = 1e-6,
) -> Path:
    """Minimisers for several k, from the largest down, each from the one before.

    Parameters
    ----------
    X, y, loss, C, intercept, tol
        As in `fit`.
    ks : sequence of int
    test : pair, optional
        Points and labels on which errors are counted; the sample itself by default.

    Returns
    -------
    Path

    Examples
    --------
    >>> found = path([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1], "hinge", ks=[1, 3, 4])
    >>> found.regime, found.objective.round(4).tolist()
    (('zero', 'nu', 'C'), [0.25, 0.7188, 0.875])
    """
    kind = individual(loss)
    labels = np.asarray(y, float)
    points, answers = (X, labels) if test is None else (test[0], np.asarray(test[1], float))
    n = len(labels)
    order = sorted({int(k) for k in ks}, reverse=True)
    hinge = loss == "hinge"
    found: dict[int, tuple[Floats, float, float, str]] = {}
    fits, start, whole = 0, None, None
    bar = np.inf
    if hinge:
        whole = fit(X, labels, loss, k=n, C=C, intercept=intercept, tol=tol)
        fits, bar = 1, k_bar(whole, n)
    zero_from = 0
    for k in order:
        if whole is not None and k >= bar * (1 + 1e-9) and whole.regime == "C":
            w = np.append(whole.coef, [whole.intercept] * intercept)
            losses = kind.values(labels, whole.scores(X))
            value = k / n * float(average_top_k(losses, k)) + float(w @ w) / (2 * C)
            found[k] = (w, value, 0.0, "C")
            continue
        if k <= zero_from and not intercept:
            at = kind.at_zero
            found[k] = (np.zeros(X.shape[1] if hasattr(X, "shape") else len(X[0])), k / n * at, at,
                        "zero")
            continue
        one = fit(X, labels, loss, k=k, C=C, intercept=intercept, tol=tol, start=start)
        fits += 1
        w = np.append(one.coef, [one.intercept] * intercept)
        start = w if one.regime != "zero" else None
        found[k] = (w, one.objective, one.level, one.regime)
        if one.regime == "zero":
            zero_from = k
    ks_ = np.array(sorted(found))
    coefs = np.array([found[int(k)][0] for k in ks_])
    scores = points @ coefs[:, : coefs.shape[1] - intercept].T
    if intercept:
        scores = scores + coefs[:, -1]
    return Path(
        ks_, np.array([found[int(k)][1] for k in ks_]), _errors(kind.margin, answers, scores),
        coefs, np.array([found[int(k)][2] for k in ks_]),
        tuple(found[int(k)][3] for k in ks_), fits,
    )


def _errors(margin: bool, answers: Floats, scores: Floats) -> Floats:
    """Share of wrong signs, where the sign of 0 is 1, or mean squares; a column a model."""
    if margin:
        return np.asarray((np.where(scores >= 0, 1.0, -1.0) != answers[:, None]).mean(axis=0))
    return np.asarray(((scores - answers[:, None]) ** 2).mean(axis=0))


def select(
    X: Any, y: ArrayLike, loss: str = "logistic", *, validation: tuple[Any, ArrayLike],
    Cs: Sequence[float], ks: Sequence[int], intercept: bool = False, tol: float = 1e-4,
) -> Selected:
    r"""The (C, k) of least error on validation data; ties go to the larger k, then the smaller C.

    Parameters
    ----------
    X, y, loss, intercept
        As in `fit`.
    validation : pair
        Points and labels.
    Cs, ks : sequence
    tol : float
        Relative gap of the fits that are compared; the chosen one is solved to $10^{-6}$.

    Returns
    -------
    Selected

    Examples
    --------
    >>> X, y = np.array([[2.0], [1.0], [-1.0], [-2.0]]), [1, 1, -1, -1]
    >>> select(X, y, "hinge", validation=(X, y), Cs=[1.0], ks=[2, 4]).error
    0.0
    """
    kind = individual(loss)
    labels = np.asarray(y, float)
    answers = np.asarray(validation[1], float)
    ks = sorted({int(k) for k in ks})
    errors = np.full((len(Cs), len(ks)), np.nan)
    fits = 0
    shared: dict[int, float] = {}
    start: Floats | None = None
    with warnings.catch_warnings():
        # What is compared need not be certified; the chosen one is.
        warnings.simplefilter("ignore", NotCertified)
        for row, C in enumerate(Cs):
            if loss == "hinge":
                whole = fit(X, labels, loss, k=len(labels), C=C, intercept=intercept, tol=tol)
                fits += 1
                one = _errors(True, answers, whole.scores(validation[0])[:, None])[0]
                bar = k_bar(whole, len(labels))
                for column, k in enumerate(ks):
                    if k >= bar and whole.regime == "C":
                        errors[row, column] = one
                        continue
                    if k not in shared:
                        model = fit(X, labels, loss, k=k, C=C, intercept=intercept, tol=tol)
                        fits += 1
                        shared[k] = float(
                            _errors(True, answers, model.scores(validation[0])[:, None])[0])
                    errors[row, column] = shared[k]
                continue
            warm = start
            for column in range(len(ks) - 1, -1, -1):
                model = fit(X, labels, loss, k=ks[column], C=C, intercept=intercept, tol=tol,
                            start=warm)
                fits += 1
                warm = np.append(model.coef, [model.intercept] * intercept)
                if column == len(ks) - 1:
                    start = warm
                errors[row, column] = _errors(
                    kind.margin, answers, model.scores(validation[0])[:, None])[0]
    best = np.argwhere(errors <= errors.min() + 1e-15)
    row, column = max(best.tolist(), key=lambda at: (ks[at[1]], -Cs[at[0]]))
    chosen = fit(X, labels, loss, k=ks[column], C=Cs[row], intercept=intercept)
    least = float(errors[row, column])
    return Selected(float(Cs[row]), ks[column], least, errors, chosen, fits + 1)
