r"""Which of several kernels: the one whose mean is longest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from noisytheory.learners.kernel_mean import KernelLike, KernelMeanClassifier
from noisytheory.learners.tiles import Floats, Points, check_coordinates, default_bandwidth
from noisytheory.vocabulary.kernels import Gaussian

__all__ = ["MultipleKernelMean"]


class MultipleKernelMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""The mean classifier with, of several kernels, the one whose mean is longest.

    Linear risk over all convex combinations is least at a single kernel, the one of largest
    self-similarity $\|\Phi_i(S)\|$.

    Parameters
    ----------
    kernels : sequence of kernels, optional
        As `KernelMeanClassifier` takes them; by default Gaussians with half, once and twice the
        default bandwidth.
    normalise : bool or "largest"
    noise_rate : float or pair of floats, optional
        Both as in `KernelMeanClassifier`.

    Attributes
    ----------
    similarities_ : array, shape (number of kernels,)
        With more than two classes the root of the sum of squares.
    best_index_ : int
    best_estimator_ : KernelMeanClassifier

    Notes
    -----
    Kernel Mean paper, Sec. 3.4.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Gaussian
    >>> model = MultipleKernelMean([Gaussian(0.01), Gaussian(1.0)])
    >>> model.fit([[0.0], [0.1], [3.0], [3.1]], [0, 0, 1, 1]).best_index_
    1
    """

    def __init__(
        self,
        kernels: Sequence[KernelLike] | None = None,
        *,
        normalise: bool | Literal["largest"] = False,
        noise_rate: float | tuple[float, float] | None = None,
    ) -> None:
        self.kernels = kernels
        self.normalise = normalise
        self.noise_rate = noise_rate

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken where every kernel takes them."""
        tags = super().__sklearn_tags__()
        kernels = self.kernels
        tags.input_tags.sparse = kernels is None or (
            isinstance(kernels, Sequence)
            and all(KernelMeanClassifier(k).__sklearn_tags__().input_tags.sparse for k in kernels)
        )
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> MultipleKernelMean:
        """Fit every kernel and keep the one of largest self-similarity."""
        points, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
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
        if isinstance(kernels, str) or not isinstance(kernels, Sequence) or not kernels:
            raise ValueError(f"kernels must be a sequence that is not empty, got {kernels!r}")
        models = [
            KernelMeanClassifier(
                kernel, normalise=self.normalise, noise_rate=self.noise_rate
            ).fit(points, labels, sample_weight)
            for kernel in kernels
        ]
        self.similarities_ = np.array(
            [float(np.linalg.norm(model.self_similarity())) for model in models]
        )
        self.best_index_ = int(np.argmax(self.similarities_))
        self.best_estimator_ = models[self.best_index_]
        self.classes_ = self.best_estimator_.classes_
        return self

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
