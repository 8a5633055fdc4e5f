"""Linear classifiers of many classes: rows, classes and a confusion as they were given."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from noisytheory.topics.multiclass import label_misfit
from noisytheory.topics.multiclass.kept import divisors, row_norms
from noisytheory.vocabulary.confusion import ConfusionEstimate, Orientation, amplification, columns
from noisytheory.vocabulary.domains import one_of

__all__ = ["DOUBTFUL", "ILL", "Floats", "Given", "LinearClassifier", "costs", "true_or_false"]

Floats: TypeAlias = NDArray[np.float64]
Given: TypeAlias = Any
"""A confusion matrix, a `ConfusionEstimate`, or None."""

DOUBTFUL = 0.001
"""Chance of labels, if a matrix is right, from which it is said to be wrong."""

ILL = 30.0
"""Noise amplification from which a person is warned: samples must be its square times as large."""


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Prediction by the largest of several scores, and the classes."""

    _order: NDArray[Any]
    """The classes as they were given: a matrix without names has them in this order."""

    _places: list[int]
    """Where the confusion as it was given has the sorted classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, y: Any, classes: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        _sortable("y", y)
        _sortable("classes", classes)
        points, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32, np.uint8], reset=reset
        )
        check_classification_targets(labels)
        if reset:
            self.classes_ = np.unique(labels if classes is None else np.asarray(classes))
            self._order = self.classes_ if classes is None else np.asarray(classes)
            if self._order.ndim != 1 or len(self.classes_) < len(self._order):
                raise ValueError(f"classes must be a list of different ones, got {classes!r}")
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y must hold at least two classes, got only one class: {self.classes_[0]}"
                )
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes must be those of the first call, {self.classes_.tolist()}, got "
                f"{classes!r}"
            )
        places = np.searchsorted(self.classes_, labels)
        codes = np.minimum(places, len(self.classes_) - 1)
        if np.any(self.classes_[codes] != labels):
            wrong = labels[self.classes_[codes] != labels][0]
            raise ValueError(f"y must hold the classes {self.classes_.tolist()}, got {wrong!s}")
        return self._features(points), codes.astype(np.int64)

    def _features(self, points: Any) -> Any:
        """Rows with a constant if asked for, and of norm 1 if asked for."""
        if points.dtype == np.uint8 and not (self.fit_intercept or self.unit_norm):
            return points
        points = points.astype(np.float64)
        if self.fit_intercept:
            one = np.ones((points.shape[0], 1))
            points = (
                sparse.hstack([points, one], format="csr") if sparse.issparse(points)
                else np.hstack([points, one])
            )
        if self.unit_norm:
            thin = sparse.issparse(points)
            norms = divisors(row_norms(points), points)
            points = (sparse.diags_array(1 / norms) @ points).tocsr() if thin else (
                points / norms[:, None])
        return points

    def _confusion_of(self, given: Given, orientation: Orientation | None) -> Floats:
        """A confusion in columns, in the order of the sorted classes; of None the identity."""
        classes = len(self.classes_)
        if given is None:
            return np.eye(classes)
        order = self._order.tolist()
        if isinstance(given, ConfusionEstimate):
            if orientation == "row":
                raise ValueError(
                    "orientation is for a matrix: an estimate has its true classes in columns, "
                    "whatever is said here"
                )
            matrix = given.matrix
            if given.classes is not None and len(matrix) == classes:
                names = list(given.classes)
                # Codes are places in the order that is given to fit, and not in one of ours.
                coded = names == list(range(classes)) and self._order is not self.classes_
                if set(names) == set(order):
                    order = names
                elif not coded:
                    raise ValueError(
                        f"confusion is estimated for the classes {names} and y has {order}: give "
                        "their names to estimate_confusion as classes="
                    )
        else:
            named = order if getattr(given, "shape", None) == (classes, classes) else None
            matrix = columns(given, orientation, classes=named)
        if len(matrix) != classes:
            cure = (
                "it must know them all" if len(matrix) < classes
                else "give classes= to fit if some are missing in y"
            )
            raise ValueError(
                f"confusion is of {len(matrix)} classes and y holds {classes}: {cure}"
            )
        self._places = [order.index(name) for name in self.classes_.tolist()]
        return np.asarray(matrix)[np.ix_(self._places, self._places)]

    def _doubt(
        self, given: Given, matrix: Floats, codes: NDArray[np.int64], shares: Floats, level: int
    ) -> bool:
        """Warn of a confusion that leaves a class without examples; whether it does."""
        # Where the labels lack a class without noise, a share of 0 is no sign of anything.
        if given is None or shares.min() > 0:
            return False
        low = self.classes_[int(np.argmin(shares))]
        why = "it does not fit the labels, or the class is too rare to be seen through the noise"
        if not isinstance(given, ConfusionEstimate):
            chance = label_misfit(np.bincount(codes, minlength=len(shares)), matrix, "column")
            if chance < DOUBTFUL:
                why = ("it does not fit the labels, of which no shares of the classes explain the "
                       f"numbers (were it right, a chance below {chance:.1g})")
        warnings.warn(f"the confusion leaves class {low} a share of {shares.min():.3g}: {why}",
                      UserWarning, stacklevel=level)
        return True

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return np.asarray(self._seen(X) @ self.coef_.T)

    def _seen(self, X: Any) -> Any:
        """Fresh rows, as scores are of them."""
        points = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32, np.uint8]
        )
        return LinearClassifier._features(self, points)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores, shape (m, Q), or the second class's lead, shape (m,), if there are two.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)

        Returns
        -------
        array
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predicted classes, shape (m,); the first of those with the same score."""
        scores = self._scores(X)
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])


def costs(confusion: Floats, level: int) -> tuple[float, float]:
    """Noise amplification and condition number; a warning, on that level, where they are large."""
    beta, condition = float(amplification(confusion).max()), float(np.linalg.cond(confusion))
    if beta > ILL:
        warnings.warn(
            f"the confusion is nearly singular: it amplifies noise {beta:.3g} times, so the sample "
            f"must be {beta**2:.3g} times as large (condition number {condition:.3g})",
            UserWarning, stacklevel=level,
        )
    return beta, condition


def _sortable(name: str, labels: Any) -> None:
    """Labels of one kind: None beside text has no place in an order of the classes."""
    held = np.asarray(labels)
    if held.dtype.kind == "O" and held.ndim == 1:
        try:
            sorted(held.tolist())
        except TypeError:
            kinds = sorted({type(value).__name__ for value in held.tolist()})
            raise ValueError(
                f"{name} must hold labels of one kind, which have an order, and none that is "
                f"missing: got {' beside '.join(kinds)}"
            ) from None


def true_or_false(model: Any, *names: str) -> None:
    """Refuse, by their names, options that are neither."""
    for name in names:
        one_of(name, getattr(model, name), (True, False))
