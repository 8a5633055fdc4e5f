"""A linear SVM that trains itself, in place of the S3VM of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import COUNT

__all__ = ["rows_of", "self_trained", "self_training", "stacked"]


def rows_of(points: Any) -> Any:
    """Examples of which some can be taken: an array, or a sparse matrix in rows."""
    return points.tocsr() if hasattr(points, "tocsr") else np.asarray(points)


def stacked(*parts: Any) -> Any:
    """Rows below each other, sparse if any are."""
    if any(hasattr(part, "tocsr") for part in parts):
        from scipy import sparse

        return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
    return np.concatenate(parts)


def self_training(
    audited: Any, audited_labels: ArrayLike, rest: Any, *, rounds: int = 3
) -> Any:
    """A linear SVM that labels more of the rest in every round: in place of an S3VM.

    Parameters
    ----------
    audited, audited_labels
        True labels.
    rest : array or sparse matrix
    rounds : int
        In round k of r the surest k/r of its labels are taken as true.

    Returns
    -------
    sklearn.svm.LinearSVC
        Fitted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(2, size=300)
    >>> points = rng.normal(size=(300, 2)) + 3 * true[:, None]
    >>> model = self_training(points[:20], true[:20], points[20:])
    >>> round(model.score(points[20:], true[20:]), 2)
    0.95
    """
    COUNT.check("rounds", rounds)
    *_, model = self_trained(audited, audited_labels, rest, rounds)
    return model


def self_trained(audited: Any, audited_labels: ArrayLike, rest: Any, rounds: int) -> Iterator[Any]:
    """The models of `self_training`: on the audited alone, and after every round."""
    from sklearn.svm import LinearSVC

    audited, rest, known = rows_of(audited), rows_of(rest), np.asarray(audited_labels)

    def fitted(points: Any, labels: NDArray[Any]) -> Any:
        return LinearSVC(C=10.0, tol=0.1, max_iter=5000, random_state=0).fit(points, labels)

    model = fitted(audited, known)
    yield model
    for k in range(1, rounds + 1):
        scores = model.decision_function(rest)
        if scores.ndim == 1:  # of two classes
            scores = np.column_stack([-scores, scores])
        top = np.sort(scores, axis=1)
        lead = top[:, -1] - top[:, -2]
        sure = lead >= np.quantile(lead, 1 - k / rounds)
        points = stacked(audited, rest[sure])
        labels = np.concatenate([known, model.classes_[np.argmax(scores[sure], axis=1)]])
        model = fitted(points, labels)
        yield model
