r"""The choice of (C, k) by validation, without fitting from scratch.

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

from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.kernel_dual import kernel_fit
from noisytheory.topics.top_k.minimise import NotCertified, Solution, fit
from noisytheory.topics.top_k.paths import counts_of, errors_of, kernel_path, path

__all__ = ["Selected", "k_bar", "kernel_select", "select", "useful_grid"]

Floats = NDArray[np.float64]


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
    solution : Solution or KernelSolution
    fits : int
        How many problems were solved.
    """

    C: float
    k: int
    error: float
    errors: Floats
    solution: Any
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


def select(
    X: Any, y: ArrayLike, loss: str = "logistic", *, validation: tuple[Any, ArrayLike],
    Cs: Sequence[float], ks: Sequence[float], intercept: bool = False, tol: float = 1e-4,
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
        Relative gap of the hinge fits that are compared; of other losses, of which few are fits and
        the rest mixtures, ten times this. The chosen one is solved to $10^{-6}$.

    Returns
    -------
    Selected

    Examples
    --------
    >>> X, y = np.array([[2.0], [1.0], [-1.0], [-2.0]]), [1, 1, -1, -1]
    >>> select(X, y, "hinge", validation=(X, y), Cs=[1.0], ks=[2, 4]).error
    0.0
    """
    labels = np.asarray(y, float)
    answers = np.asarray(validation[1], float)
    ks = counts_of(ks, len(labels))
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
                one = errors_of(True, answers, whole.scores(validation[0])[:, None])[0]
                bar = k_bar(whole, len(labels))
                for column, k in enumerate(ks):
                    if k >= bar and whole.regime == "C":
                        errors[row, column] = one
                        continue
                    if k not in shared:
                        model = fit(X, labels, loss, k=k, C=C, intercept=intercept, tol=tol)
                        fits += 1
                        shared[k] = float(
                            errors_of(True, answers, model.scores(validation[0])[:, None])[0])
                    errors[row, column] = shared[k]
                continue
            # Ten times the gap: mixtures of a few fits stand for the models between them.
            found = path(X, labels, loss, ks=ks, C=C, test=validation, intercept=intercept,
                         tol=10 * tol, start=start)
            fits += found.fits
            start = found.coef[-1]
            errors[row] = found.error
    C, k, least = _least(errors, Cs, ks)
    chosen = fit(X, labels, loss, k=k, C=C, intercept=intercept)
    return Selected(C, k, least, errors, chosen, fits + 1)


def kernel_select(
    gram: Floats, y: ArrayLike, *, validation: tuple[Floats, ArrayLike], Cs: Sequence[float],
    ks: Sequence[float], regression: bool = False, tol: float = 1e-3,
) -> Selected:
    r"""The same for kernel machines, by the path over k at every C.

    Parameters
    ----------
    gram : array, shape (n, n)
    y : array_like, shape (n,)
        1 or -1, or numbers.
    validation : pair
        Kernel of the points beside the sample, shape (m, n), and their labels.
    Cs, ks : sequence
    regression : bool
    tol : float
        Relative duality gap at every k, and largest violation of the model that is chosen.

    Returns
    -------
    Selected
        ``solution`` is a `KernelSolution`.

    Examples
    --------
    >>> X = np.array([[2.0], [1.0], [-1.0], [-2.0]])
    >>> y = [1, 1, -1, -1]
    >>> kernel_select(X @ X.T, y, validation=(X @ X.T, y), Cs=[1.0], ks=[2, 4]).k
    4
    """
    wanted = counts_of(ks, len(gram))
    paths = [kernel_path(gram, y, ks=wanted, C=C, regression=regression, test=validation, tol=tol)
             for C in Cs]
    errors = np.array([found.error for found in paths])
    C, k, least = _least(errors, Cs, wanted)
    chosen = kernel_fit(gram, y, nu=k / len(gram), C=C, regression=regression, tol=tol)
    return Selected(C, k, least, errors, chosen, sum(found.fits for found in paths) + 1)


def _least(errors: Floats, Cs: Sequence[float], ks: Sequence[int]) -> tuple[float, int, float]:
    """Where the error is least: of ties the larger k, then the smaller C."""
    best = np.argwhere(errors <= errors.min() + 1e-15)
    row, column = max(best.tolist(), key=lambda at: (ks[at[1]], -Cs[at[0]]))
    return float(Cs[row]), ks[column], float(errors[row, column])
