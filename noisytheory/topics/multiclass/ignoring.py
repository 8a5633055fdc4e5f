"""Who ignores the noise: a linear SVM on the labels as they came."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.kept import COMPILED, Scaled

__all__ = ["ignoring"]

Codes = NDArray[np.int64]


def ignoring(points: Any, labels: NDArray[Any]) -> Callable[[Any], NDArray[Any]]:
    """What a person would use who ignores the noise, learned: a function that predicts.

    UMA without a correction is no stable rival: of lopsided noise its error jumps from one update
    to the next, by tens of points.

    Parameters
    ----------
    points : array, sparse matrix in rows, or `Scaled`, shape (n, d)
        Beyond four million numbers as many rows, evenly spaced, as hold those.
    labels : array, shape (n,)

    Returns
    -------
    callable
        Of points, to labels. Where all that came are the same it predicts this one.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
    >>> ignoring(points, np.array(["a", "b", "a"]))(2 * points).tolist()
    ['a', 'b', 'a']
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    labels = np.asarray(labels)
    thin = hasattr(points, "tocsr")
    size = points.nnz if thin else points.shape[0] * points.shape[1]
    step = max(1, math.ceil(size / COMPILED))
    rows, some = points[::step], labels[::step]
    if np.all(some == some[:1]):
        return lambda others: np.full(others.shape[0], some[0])
    rows = rows.dense() if isinstance(rows, Scaled) else rows.astype(np.float64)
    # Its penalty is for rows whose norms are about 1.
    length = float(np.linalg.norm(rows.data if thin else rows)) / math.sqrt(rows.shape[0]) or 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(tol=0.05, fit_intercept=False, random_state=0).fit(rows / length, some)
    weights = np.vstack([-model.coef_, model.coef_]) if len(model.classes_) == 2 else model.coef_
    return lambda others: np.asarray(
        model.classes_[np.argmax(np.asarray(others @ weights.T), axis=1)])
