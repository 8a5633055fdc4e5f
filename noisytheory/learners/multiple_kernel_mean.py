r"""Which of several kernels: the one whose mean is longest, or whose errors are fewest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from noisytheory.learners.kernel_mean import KernelLike, KernelMeanClassifier
from noisytheory.learners.kernel_mean_cv import (
    KernelMeanClassifierCV,
    all_take_sparse,
    checked_kernels,
)
from noisytheory.learners.tiles import Floats, Points, check_coordinates, default_bandwidth
from noisytheory.vocabulary.confusion import Orientation
from noisytheory.vocabulary.kernels import Gaussian

__all__ = ["MultipleKernelMean"]


class MultipleKernelMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""The mean classifier with one of several kernels.

    Linear risk over all convex combinations is least at a single kernel, the one of largest
    self-similarity $\|\Phi_i(S)\|$: the paper's choice. Wide kernels have long means, so that
    with wider and wider ones it comes to predict one class; the default is what
    `KernelMeanClassifierCV` chooses: classes that count alike, and the kernel of least 0-1 risk,
    each example left out in turn.

    Parameters
    ----------
    kernels : sequence of kernels, optional
        As `KernelMeanClassifier` takes them; by default Gaussians with half, once and twice the
        default bandwidth, or with "leave-one-out" those of `KernelMeanClassifierCV`.
    choice : {"leave-one-out", "longest"}
    normalise : bool or "largest"
    noise_rate : float, pair of floats, or array or table of shape (k, k), optional
    orientation : {"column", "row"}, optional
        All as in `KernelMeanClassifier`.

    Attributes
    ----------
    similarities_ : array, shape (number of kernels,)
        Of the "longest"; with more than two classes the root of the sum of squares.
    best_index_ : int
    best_estimator_ : KernelMeanClassifier

    Notes
    -----
    Kernel Mean paper, Sec. 3.4.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Gaussian
    >>> x, y = [[0.0], [0.1], [3.0], [3.1], [6.0], [6.1]], [0, 0, 1, 1, 0, 0]
    >>> kernels = [Gaussian(1.0), Gaussian(100.0)]
    >>> MultipleKernelMean(kernels).fit(x, y).best_index_
    0
    """

    def __init__(
        self,
        kernels: Sequence[KernelLike] | None = None,
        *,
        choice: Literal["leave-one-out", "longest"] = "leave-one-out",
        normalise: bool | Literal["largest"] = False,
        noise_rate: float | tuple[float, float] | ArrayLike | None = None,
        orientation: Orientation | None = None,
    ) -> None:
        self.kernels = kernels
        self.choice = choice
        self.normalise = normalise
        self.noise_rate = noise_rate
        self.orientation = orientation

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken where every kernel takes them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all_take_sparse(self.kernels)
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> MultipleKernelMean:
        """Keep the kernel of fewest errors or of largest self-similarity."""
        if self.choice not in ("leave-one-out", "longest"):
            raise ValueError(f"choice must be 'leave-one-out' or 'longest', got {self.choice!r}")
        points, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        options: dict[str, Any] = {
            "normalise": self.normalise, "noise_rate": self.noise_rate,
            "orientation": self.orientation,
        }
        if self.choice == "leave-one-out":
            chosen = KernelMeanClassifierCV(self.kernels, **options)
            self.best_estimator_: KernelMeanClassifier = chosen.fit(points, labels, sample_weight)
            self.best_index_ = chosen.best_index_[0]
        else:
            self._fit_longest(points, labels, sample_weight, options)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _fit_longest(
        self, points: Points, labels: NDArray[Any], sample_weight: ArrayLike | None,
        options: dict[str, Any],
    ) -> None:
        check_coordinates(points)
        kernels = self.kernels
        if kernels is None:
            weights = _check_sample_weight(
                sample_weight, points, dtype=np.float64, ensure_non_negative=True
            )
            if weights.sum() <= 0:
                raise ValueError("sample_weight must not be zero everywhere")
            width = default_bandwidth(points, weights / weights.sum())
            kernels = [Gaussian(factor * width) for factor in (0.5, 1.0, 2.0)]
        models = [
            KernelMeanClassifier(kernel, **options).fit(points, labels, sample_weight)
            for kernel in checked_kernels(kernels)
        ]
        self.similarities_ = np.array(
            [float(np.linalg.norm(model.self_similarity())) for model in models]
        )
        self.best_index_ = int(np.argmax(self.similarities_))
        self.best_estimator_ = models[self.best_index_]

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores of the chosen kernel."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(self._checked(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predicted classes, shape (m,)."""
        check_is_fitted(self)
        return self.best_estimator_.predict(self._checked(X))

    def self_similarity(self) -> Any:
        """That of the chosen kernel, see `KernelMeanClassifier.self_similarity`."""
        check_is_fitted(self)
        return self.best_estimator_.self_similarity()

    def margins(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """Those of the chosen kernel, see `KernelMeanClassifier.margins`."""
        check_is_fitted(self)
        return self.best_estimator_.margins(self._checked(X), y)

    def margin_for_error(self, X: ArrayLike, y: ArrayLike) -> float:
        """That of the chosen kernel, see `KernelMeanClassifier.margin_for_error`."""
        check_is_fitted(self)
        return self.best_estimator_.margin_for_error(self._checked(X), y)

    def corrected_risk(self, X: ArrayLike, y: ArrayLike) -> float:
        """That of the chosen kernel, see `KernelMeanClassifier.corrected_risk`."""
        check_is_fitted(self)
        return self.best_estimator_.corrected_risk(self._checked(X), y)

    def corrected_linear_risk(self) -> float:
        """That of the chosen kernel, see `KernelMeanClassifier.corrected_linear_risk`.

        The kernel was chosen on the same sample: over ``k`` kernels the least of ``k`` such risks.
        """
        check_is_fitted(self)
        return self.best_estimator_.corrected_linear_risk()

    def compress(self, *args: Any, **options: Any) -> KernelMeanClassifier:
        """The chosen kernel's classifier on few examples, see `KernelMeanClassifier.compress`."""
        check_is_fitted(self)
        return self.best_estimator_.compress(*args, **options)

    def _checked(self, X: ArrayLike) -> Points:
        return validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
