r"""Logistic regression whose loss takes the confusion of labels into account."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.learners.confused import ILL, Given, _Linear, costs
from noisytheory.topics.multiclass.steps import refuse_large
from noisytheory.topics.multiclass.uma import class_shares
from noisytheory.vocabulary.confusion import Orientation, inverse_of
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, one_of
from noisytheory.vocabulary.threads import one_thread_each

__all__ = ["CorrectedLogisticRegression"]

Floats = NDArray[np.float64]


class CorrectedLogisticRegression(_Linear):
    r"""Multinomial logistic regression with forward or backward correction.

    With $p(x)$ the softmax of the scores, "forward" minimises $-\log(Cp(x))_y$ and "backward" the
    unbiased $\sum_qB_{qy}\,(-\log p_q(x))$, $B=C^{-1}$; "none" ignores the confusion.

    Parameters
    ----------
    confusion : array-like or table, ConfusionEstimate, or None
        $C_{pq}=\Pr[\text{label }p\mid\text{true }q]$, read as by `UMAClassifier`; None is no noise.
    correction : {"forward", "backward", "none"}
        Backward is unbiased and unbounded below: weights grow until the penalty stops them.
    orientation : {"column", "row"}, optional
        Where the true classes are; columns by default.
    penalty : float
        Of $\frac12\|W\|^2$ beside the mean loss; at least 0, and positive for "backward".
    max_iter : int
        Iterations of L-BFGS at most.
    fit_intercept, unit_norm : bool
        As for `UMAClassifier`.

    Attributes
    ----------
    classes_ : array, shape (Q,)
    coef_ : array, shape (Q, d) or (Q, d + 1)

    Notes
    -----
    Patrini, Rozza, Menon, Nock, Qu, CVPR 2017. It warns of a confusion that is singular,
    or nearly, and of one that leaves a class without examples.

    Examples
    --------
    >>> x, y = [[1.0], [1.0], [-1.0], [-1.0]], [0, 0, 1, 0]
    >>> model = CorrectedLogisticRegression([[1.0, 0.5], [0.0, 0.5]]).fit(x, y)
    >>> model.predict([[1.0], [-1.0]]).tolist()
    [0, 1]
    """

    def __init__(
        self, confusion: Given = None, *,
        correction: Literal["forward", "backward", "none"] = "forward",
        orientation: Orientation | None = None, penalty: float = 1e-3, max_iter: int = 200,
        fit_intercept: bool = True, unit_norm: bool = False,
    ) -> None:
        self.confusion = confusion
        self.correction = correction
        self.orientation = orientation
        self.penalty = penalty
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.unit_norm = unit_norm

    def fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> CorrectedLogisticRegression:
        """Minimise the corrected loss.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
            Noisy labels.
        classes : array-like, optional
            All classes, where ``y`` may lack some that the confusion has, or where a matrix
            without names has them in an order that is not the sorted one.

        Returns
        -------
        CorrectedLogisticRegression
        """
        from scipy.optimize import minimize

        one_of("correction", self.correction, ("forward", "backward", "none"))
        NONNEGATIVE.check("penalty", self.penalty)
        COUNT.check("max_iter", self.max_iter)
        points, codes = self._checked(X, y, classes, reset=True)
        count, n = len(self.classes_), points.shape[0]
        used = None if self.correction == "none" else self.confusion
        matrix = self._confusion_of(used, self.orientation)
        if not self.unit_norm:
            refuse_large(float(max(-points.min(), points.max())))
        weights = inverse_of(matrix).T[codes] if self.correction == "backward" else None
        try:
            amplified, _ = costs(matrix, level=3)
            seen = np.bincount(codes, minlength=count) / n
            if amplified < ILL:
                self._doubt(used, matrix, codes, class_shares(seen, inverse_of(matrix)), level=3)
        except ValueError as error:
            warnings.warn(f"{error}; nor can a forward correction tell them apart", UserWarning,
                          stacklevel=2)
        rows = matrix[codes]

        def loss(flat: Floats) -> tuple[float, Floats]:
            coef = flat.reshape(count, -1)
            scores = np.asarray(points @ coef.T)
            scores -= scores.max(axis=1, keepdims=True)
            logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
            shares = np.exp(logs)
            if weights is not None:
                value = -(weights * logs).sum()
                slope = weights.sum(axis=1, keepdims=True) * shares - weights
            else:
                joint = rows * shares
                total = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
                value = -np.log(total).sum()
                slope = shares - joint / total
            gradient = np.asarray(points.T @ slope).T / n + self.penalty * coef
            return float(value / n + self.penalty * (flat @ flat) / 2), gradient.ravel()

        start = np.zeros(count * points.shape[1])
        with one_thread_each():
            found = minimize(
                loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter}
            )
        self.coef_ = found.x.reshape(count, -1)
        self.n_iter_ = max(1, int(found.nit))
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the true classes, shape (m, Q)."""
        scores = self._scores(X)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
