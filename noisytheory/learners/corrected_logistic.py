r"""Logistic regression whose loss takes the confusion of labels into account."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.learners.audited import audit_of
from noisytheory.learners.correcting import CorrectingClassifier, Learned
from noisytheory.learners.linear import ILL, Floats, Given, costs, true_or_false
from noisytheory.topics.multiclass.steps import refuse_large
from noisytheory.topics.multiclass.uma import class_shares
from noisytheory.vocabulary.confusion import Orientation, inverse_of
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, one_of
from noisytheory.vocabulary.threads import one_thread_each

__all__ = ["CorrectedLogisticRegression"]


class CorrectedLogisticRegression(CorrectingClassifier):
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
    compare : bool
        Whether `fit` learns some more times, to tell whether correcting pays: see the notes. False
        takes the time of one fit.
    random_state : int, Generator, RandomState or None
        For the bootstrap of an estimated confusion, and the test of a matrix by audited pairs; what
        is learned does not depend on it.

    Attributes
    ----------
    classes_ : array, shape (Q,)
    coef_ : array, shape (Q, d) or (Q, d + 1)
    n_iter_ : int
    confusion_ : array, shape (Q, Q)
        The matrix in use, true classes in columns; of "none" the identity.
    expected_gain_ : float
        As of `UMAClassifier`, without audited examples: by how much the same logistic regression
        errs more that ignores the noise, as the noisy labels tell of what neither learned from.
    audited_errors_ : dict of str to float
        As of `UMAClassifier`, where audited examples are given: errors there of this, "corrected",
        of "ignoring" the noise by the same regression without a correction, and of that on the
        audited "alone".

    Notes
    -----
    Patrini, Rozza, Menon, Nock, Qu, CVPR 2017. It warns of a confusion that is singular,
    or nearly, of one that leaves a class without examples, and of one that audited pairs
    contradict.

    Whether correcting pays it asks as `UMAClassifier` does, with rivals of its own kind, of the
    same penalty: of audited examples, where `fit` has them, for which it and the rival learn five
    times more, and `fit` takes ten to twenty times as long; else of the noisy labels, of each half
    of the sample what learned from the other: three to four times as long. That asks nothing of the
    learner but predictions for what it did not learn from, and the inverse of the confusion: of one
    that is singular the noisy labels are not asked, nor of a matrix without counts beside four
    million numbers or more in ``X``. Where they do not warn, it warns of an estimate from up to 200
    audited examples a class: logistic regression on these alone was mostly better. A matrix is
    taken at its own word, and one that is turned round is mostly missed.

    Of 270 fits with an estimate it warned that ignoring errs less, by the noisy labels, 42
    times rightly, 6 wrongly, and missed 7; by audited examples 43 times rightly, 4 wrongly, and
    missed 6; that the audited alone err less 195 times rightly, 17 wrongly, and missed 6. Of
    matrices, some of them wrong, the noisy labels warned in 42 of 57 fits that were harmed
    (turned round 4 of 16) and in 0 of 119 others: ``python validation/corrected_logistic.py``.

    Examples
    --------
    Of class 1 three in five labels say 0; five examples of each class are audited.

    >>> x, y = np.repeat([[1.0], [-1.0]], 40, axis=0), np.repeat([0, 0, 1], [40, 24, 16])
    >>> some, true = [0, 1, 2, 3, 4, 40, 50, 60, 70, 79], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> model = CorrectedLogisticRegression([[1.0, 0.6], [0.0, 0.4]]).fit(x, y)
    >>> model.predict([[1.0], [-1.0]]).tolist(), round(model.expected_gain_, 6)
    ([0, 1], 0.5)
    >>> errors = model.fit(x, y, audited=(some, true)).audited_errors_
    >>> {name: round(error, 6) for name, error in errors.items()}
    {'corrected': 0.0, 'ignoring': 0.5, 'alone': 0.0}
    """

    _name, _rival = "corrected", "the same regression"
    _folds = 2, 2
    _close = "more of them would tell"

    def __init__(
        self, confusion: Given = None, *,
        correction: Literal["forward", "backward", "none"] = "forward",
        orientation: Orientation | None = None, penalty: float = 1e-3, max_iter: int = 200,
        fit_intercept: bool = True, unit_norm: bool = False, compare: bool = True,
        random_state: Any = None,
    ) -> None:
        self.confusion = confusion
        self.correction = correction
        self.orientation = orientation
        self.penalty = penalty
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.unit_norm = unit_norm
        self.compare = compare
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None,
        audited: tuple[ArrayLike, ...] | None = None,
    ) -> Self:
        """Minimise the corrected loss.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
            Noisy labels.
        classes : array-like, optional
            All classes, where ``y`` may lack some that the confusion has, or where a matrix
            without names has them in an order that is not the sorted one.
        audited : two or three array-like, optional
            Some examples, or their places in ``X``, their true labels and at most their noisy ones,
            as `UMAClassifier.fit` takes them: to see whether the correction pays.

        Returns
        -------
        CorrectedLogisticRegression

        Raises
        ------
        ValueError
            On bad input, a confusion of another number of classes, or, for "backward", one that
            cannot be inverted.
        """
        one_of("correction", self.correction, ("forward", "backward", "none"))
        NONNEGATIVE.check("penalty", self.penalty)
        COUNT.check("max_iter", self.max_iter)
        true_or_false(self, "fit_intercept", "unit_norm", "compare")
        points, codes = self._checked(X, y, classes, reset=True)
        self._read_confusion()
        known = None if audited is None else audit_of(audited, X, y, self.classes_)
        if known is not None and known.noisy is not None:
            self._hold_against(known)
        if not self.unit_norm:
            refuse_large(float(max(-points.min(), points.max())))
        told = self._told_apart(codes)
        self.coef_, self.n_iter_ = self._minimised(points, codes, self.confusion_)
        if not self.compare or len(codes) < 2:
            self._hint(3)
        elif known is not None:
            self._compare(points, codes, known)
        elif not (told and self._guess(points, codes)):
            self._hint(3)
        return self

    def _told_apart(self, codes: NDArray[np.int64]) -> bool:
        """Whether the confusion has an inverse; what it costs, and whether the labels fit it."""
        try:
            inverse = inverse_of(self.confusion_)
        except ValueError as error:
            if self.correction == "backward":
                raise
            warnings.warn(f"{error}; nor can a forward correction tell them apart", UserWarning,
                          stacklevel=3)
            return False
        amplified, _ = costs(self.confusion_, level=4)
        if amplified < ILL:
            seen = np.bincount(codes, minlength=len(self.classes_)) / len(codes)
            self._doubt(self._used, self.confusion_, codes, class_shares(seen, inverse), level=4)
        return True

    @property
    def _used(self) -> Given:
        return None if self.correction == "none" else self.confusion

    @property
    def _called(self) -> str:
        return "logistic regression" if self._used is None else f"{self.correction} correction"

    def _taught(
        self, points: Any, codes: NDArray[np.int64], confusion: Floats | None = None
    ) -> Learned:
        matrix = self.confusion_ if confusion is None else confusion
        coef, _ = self._minimised(points, codes, matrix)
        return lambda others: np.argmax(np.asarray(others @ coef.T), axis=1)

    def _ignoring(self, points: Any, codes: NDArray[np.int64]) -> Learned:
        return self._taught(points, codes, np.eye(len(self.classes_)))

    def _minimised(
        self, points: Any, codes: NDArray[np.int64], matrix: Floats
    ) -> tuple[Floats, int]:
        """Coefficients of the least loss, and the number of iterations."""
        from scipy.optimize import minimize

        count, n = len(matrix), points.shape[0]
        rows = matrix[codes]
        weights = inverse_of(matrix).T[codes] if self.correction == "backward" else None

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

        with one_thread_each():
            found = minimize(
                loss, np.zeros(count * points.shape[1]), jac=True, method="L-BFGS-B",
                options={"maxiter": self.max_iter},
            )
        return found.x.reshape(count, -1), max(1, int(found.nit))

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the true classes, shape (m, Q)."""
        scores = self._scores(X)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
