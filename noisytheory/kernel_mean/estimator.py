r"""The mean classifier for scikit-learn: nothing is optimised, and no Gram matrix is kept.

scikit-learn is imported here and nowhere else in the topic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from noisytheory.kernels import Gaussian, Kernel, Laplace, Linear, Normalised, Polynomial

__all__ = ["KernelMeanClassifier", "MultipleKernelMean"]

Floats: TypeAlias = NDArray[np.floating[Any]]
Points: TypeAlias = Any  # dense or sparse rows, as scikit-learn validated them
KernelLike: TypeAlias = str | Kernel | Callable[[Any, Any], ArrayLike]

NAMED: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "linear": Linear,
    "polynomial": Polynomial,
}
ENTRIES = 1 << 19
"""Kernel values, or coordinates of one side, that a tile holds at most (4 MiB of doubles)."""


class KernelMeanClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classify by the kernel mean, $\mathrm{sign}\sum_i p_iy_iK(x,x_i)$.

    With more than two classes the score of class $c$ is that of one against the rest,
    $2\sum_{y_i=c}p_iK(x,x_i)-\sum_ip_iK(x,x_i)$, and the largest wins. Fitting costs $O(n)$; scores
    are computed in tiles, so prediction needs a few MiB beside the data. The linear kernel keeps
    one weight vector a class instead of the sample.

    Parameters
    ----------
    kernel : {"gaussian", "laplace", "linear", "polynomial"}, Kernel or callable
        A callable takes two arrays of rows and returns their Gram block.
    kernel_params : mapping, optional
        Parameters of a kernel given by name. Without a ``bandwidth`` the Gaussian and Laplace
        kernels take $\sqrt{dv/2}$, with $v$ the variance of the coordinates.
    normalise : bool or "largest"
        The theory needs features of norm at most 1. ``False`` refuses others, ``True`` takes
        $K(x,x')/\sqrt{K(x,x)K(x',x')}$, ``"largest"`` divides $K$ by its largest $K(x_i,x_i)$ in
        the sample, which leaves the classifier as it is.
    noise_rate : float, optional
        Probability in [0, 1/2) that a label is flipped, for `corrected_risk`; the classifier itself
        does not depend on it.

    Attributes
    ----------
    classes_ : array, shape (k,)
    kernel_ : Kernel or callable
    weights_ : array, shape (n,)
        Share of each example; they sum to 1.
    n_features_in_ : int

    Notes
    -----
    Kernel Mean paper, Eq. (1) and Sec. 3. A score of 0 predicts the first of two classes.

    Examples
    --------
    >>> model = KernelMeanClassifier("linear").fit([[0.6, 0.8], [-1.0, 0.0]], [1, -1])
    >>> model.decision_function([[1.0, 0.0]]).round(12).tolist()
    [0.8]
    >>> round(model.self_similarity(), 6)
    0.894427
    """

    def __init__(
        self,
        kernel: KernelLike = "gaussian",
        *,
        kernel_params: Mapping[str, Any] | None = None,
        normalise: bool | Literal["largest"] = False,
        noise_rate: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.normalise = normalise
        self.noise_rate = noise_rate

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken, for the linear and the Gaussian kernel."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> KernelMeanClassifier:
        """Keep the sample and its weights.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            At least 0, not all 0.

        Returns
        -------
        KernelMeanClassifier

        Raises
        ------
        ValueError
            On bad input, one class only, or features of norm above 1 with ``normalise=False``.
        """
        points, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got only one class: {self.classes_[0]!r}"
            )
        weights = _check_sample_weight(
            sample_weight, points, dtype=np.float64, ensure_non_negative=True
        )
        if weights.sum() <= 0:
            raise ValueError("sample_weight must not be zero everywhere")
        if self.noise_rate is not None and not 0 <= self.noise_rate < 0.5:
            raise ValueError(f"noise_rate must be None or in [0, 1/2), got {self.noise_rate!r}")
        self.weights_ = weights / weights.sum()
        self.kernel_, self.scale_ = self._bounded(points)
        shares = np.zeros((len(codes), len(self.classes_)))
        shares[np.arange(len(codes)), codes] = self.weights_
        signed = 2 * shares - shares.sum(axis=1, keepdims=True)
        if len(self.classes_) == 2:
            signed = signed[:, 1:]
        self._norms: NDArray[np.float64] | None = None
        if _is_linear(self.kernel_):
            self.coef_ = np.asarray((_unit(points, self.kernel_).T @ signed).T) / self.scale_
        else:
            self._signed = signed
            self.offset_ = self._offset(points)
            self.points_ = points - self.offset_ if self.offset_.any() else points
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        r"""Scores $\langle\Phi(S),\phi(x)\rangle$.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)

        Returns
        -------
        array, shape (m,), or (m, k) with more than two classes
            Within [-1, 1].
        """
        check_is_fitted(self)
        points = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        scores = self._scores(points)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predicted classes, shape (m,)."""
        scores = self.decision_function(X)
        index = (scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[index])

    def self_similarity(self) -> Any:
        r"""$\|\Phi(S)\|$, from kernel values in tiles: one minus the smallest linear risk.

        Returns
        -------
        float, or array of shape (k,) with more than two classes
            RKHS norm, in [0, 1]; computed at the first call.
        """
        check_is_fitted(self)
        if self._norms is None:
            if _is_linear(self.kernel_):
                squares = self.scale_ * np.sum(self.coef_**2, axis=1)
            else:
                squares = np.sum(self._signed * self._kernel_scores(self.points_), axis=0)
            self._norms = np.sqrt(np.maximum(squares, 0.0))
        return float(self._norms[0]) if len(self.classes_) == 2 else self._norms

    def margins(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """$yf(x)$ of two classes, the second counted as +1, shape (m,)."""
        check_is_fitted(self)
        self._two_classes("margins")
        labels = np.asarray(y)
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y must hold the classes {self.classes_.tolist()} only")
        return np.where(labels == self.classes_[1], 1, -1) * self.decision_function(X)

    def margin_for_error(self, X: ArrayLike, y: ArrayLike) -> float:
        """Smallest positive margin: scores may move by less and no correct point is lost."""
        margins = self.margins(X, y)
        return float(np.min(margins[margins > 0], initial=np.inf))

    def corrected_risk(self, X: ArrayLike, y: ArrayLike) -> float:
        r"""0-1 risk on clean labels from the error $e$ on noisy ones, $(e-\sigma)/(1-2\sigma)$.

        Unbiased where ``X``, ``y`` are independent of the sample; it can fall outside [0, 1].

        Raises
        ------
        ValueError
            If ``noise_rate`` is None, or with more than two classes.
        """
        if self.noise_rate is None:
            raise ValueError("corrected_risk needs noise_rate, which is None (unknown)")
        self._two_classes("corrected_risk")
        wrong = float(np.mean(self.predict(X) != np.asarray(y)))
        return (wrong - self.noise_rate) / (1 - 2 * self.noise_rate)

    def corrected_linear_risk(self) -> float:
        r"""$1-\|\Phi(S)\|/(1-2\sigma)$: linear risk of the unit mean, corrected for label noise.

        Raises
        ------
        ValueError
            If ``noise_rate`` is None, or with more than two classes.
        """
        if self.noise_rate is None:
            raise ValueError("corrected_linear_risk needs noise_rate, which is None (unknown)")
        self._two_classes("corrected_linear_risk")
        return float(1 - self.self_similarity() / (1 - 2 * self.noise_rate))

    def _two_classes(self, what: str) -> None:
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ValueError(f"{what} needs two classes, got {len(self.classes_)}")

    def _bounded(self, points: Points) -> tuple[Any, float]:
        """The kernel, and what its values are to be divided by."""
        if not (isinstance(self.normalise, bool) or self.normalise == "largest"):
            raise ValueError(
                f"normalise must be False, True or 'largest', got {self.normalise!r}"
            )
        kernel = self._named(points)
        if sparse.issparse(points) and not (_is_linear(kernel) or isinstance(kernel, Gaussian)):
            raise ValueError(
                "sparse X goes with the linear and the Gaussian kernel only; "
                f"got {self.kernel!r}, densify X or change the kernel"
            )
        if getattr(kernel, "bounded_by_one", False):
            return kernel, 1.0
        if self.normalise is True:
            if not isinstance(kernel, Kernel):
                raise ValueError("normalise=True needs a kernel by name or a Kernel")
            return Normalised(kernel), 1.0
        largest = float(np.max(_diagonal(kernel, points[self.weights_ > 0])))
        if self.normalise == "largest":
            return kernel, largest if largest > 0 else 1.0
        if largest > 1 + 1e-6:
            raise ValueError(
                f"features must have norm at most 1, but K(x, x) reaches {largest:g}; set "
                "normalise=True (unit features) or normalise='largest' (divide by the largest)"
            )
        return kernel, 1.0

    def _named(self, points: Points) -> Any:
        parameters = dict(self.kernel_params or {})
        if not isinstance(self.kernel, str):
            if parameters:
                raise ValueError("kernel_params goes with a kernel given by name")
            if not callable(self.kernel):
                raise ValueError(f"kernel must be a name, a Kernel or callable, got {self.kernel}")
            return self.kernel
        if self.kernel not in NAMED:
            raise ValueError(f"kernel must be one of {', '.join(NAMED)}, got {self.kernel!r}")
        if self.kernel in ("gaussian", "laplace"):
            parameters.setdefault("bandwidth", _bandwidth(points, self.weights_))
        if self.kernel == "polynomial":
            parameters.setdefault("degree", 2)
        return NAMED[self.kernel](**parameters)

    def _offset(self, points: Points) -> Floats:
        """What dense points are moved by: their mean, where only distances matter."""
        if isinstance(self.kernel_, Gaussian) and not sparse.issparse(points):
            return np.asarray((self.weights_ @ points).astype(points.dtype))
        return np.zeros(points.shape[1], points.dtype)

    def _scores(self, points: Points) -> Floats:
        if _is_linear(self.kernel_):
            return np.asarray(_unit(points, self.kernel_) @ self.coef_.T.astype(points.dtype))
        return self._kernel_scores(points, self.offset_)

    def _kernel_scores(self, points: Points, offset: Floats | None = None) -> Floats:
        single = points.dtype == np.float32 and self.points_.dtype == np.float32
        dtype = np.float32 if single else np.float64
        signed = (self._signed / self.scale_).astype(dtype)
        scores = np.zeros((points.shape[0], signed.shape[1]), dtype)
        side = max(1, min(512, ENTRIES // max(1, points.shape[1])))
        squares = _squared_norms(self.points_)
        for rows in _slices(points.shape[0], side):
            queries = points[rows]
            if offset is not None and offset.any():
                queries = queries - offset
            lengths = _squared_norms(queries)
            for columns in _slices(self.points_.shape[0], side):
                sample = self.points_[columns]
                tile = _tile(self.kernel_, queries, sample, lengths, squares[columns])
                scores[rows] += tile @ signed[columns]
        return scores


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
    noise_rate : float, optional

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
    >>> from noisytheory.kernels import Gaussian
    >>> model = MultipleKernelMean([Gaussian(0.01), Gaussian(1.0)])
    >>> model.fit([[0.0], [0.1], [3.0], [3.1]], [0, 0, 1, 1]).best_index_
    1
    """

    def __init__(
        self,
        kernels: Sequence[KernelLike] | None = None,
        *,
        normalise: bool | Literal["largest"] = False,
        noise_rate: float | None = None,
    ) -> None:
        self.kernels = kernels
        self.normalise = normalise
        self.noise_rate = noise_rate

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> MultipleKernelMean:
        """Fit every kernel and keep the one of largest self-similarity."""
        points, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        kernels = self.kernels
        if kernels is None:
            weights = _check_sample_weight(
                sample_weight, points, dtype=np.float64, ensure_non_negative=True
            )
            if weights.sum() <= 0:
                raise ValueError("sample_weight must not be zero everywhere")
            width = _bandwidth(points, weights / weights.sum())
            kernels = [Gaussian(factor * width) for factor in (0.5, 1.0, 2.0)]
        if len(kernels) == 0:
            raise ValueError("kernels must not be empty")
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

    def _checked(self, X: ArrayLike) -> Points:
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])


def _is_linear(kernel: Any) -> bool:
    return isinstance(kernel, Linear) or (
        isinstance(kernel, Normalised) and isinstance(kernel.kernel, Linear)
    )


def _unit(points: Points, kernel: Any) -> Points:
    """Rows as features of a linear kernel: divided by their norms if it is normalised."""
    if isinstance(kernel, Linear):
        return points
    norms = np.sqrt(_squared_norms(points))
    if np.any(norms == 0):
        raise ValueError(f"K(x, x) must be positive to normalise, got 0 in row {norms.argmin()}")
    inverse = (1 / norms).astype(points.dtype)
    return sparse.diags(inverse) @ points if sparse.issparse(points) else points * inverse[:, None]


def _squared_norms(points: Points) -> Floats:
    if sparse.issparse(points):
        return np.asarray(points.multiply(points).sum(axis=1)).ravel()
    return np.asarray(np.einsum("nd,nd->n", points, points))


def _diagonal(kernel: Any, points: Points) -> Floats:
    if _is_linear(kernel):
        return _squared_norms(points)
    if isinstance(kernel, Kernel):
        return kernel.diagonal(points)
    return np.array([float(np.asarray(kernel(row[None], row[None]))[0, 0]) for row in points])


def _bandwidth(points: Points, weights: NDArray[np.float64]) -> float:
    r"""$\sqrt{dv/2}$ with $v$ the variance over all coordinates; 1 where that is 0."""
    mean = float(np.mean(np.asarray(weights @ points)))
    square = float(weights @ _squared_norms(points).astype(np.float64)) / points.shape[1]
    variance = square - mean**2
    degenerate = variance <= 1e-12 * max(square, 1e-300)
    return 1.0 if degenerate else float(np.sqrt(points.shape[1] * variance / 2))


def _slices(total: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, total)) for start in range(0, total, step))


def _tile(kernel: Any, x: Points, z: Points, x_squares: Floats, z_squares: Floats) -> Floats:
    """A small Gram block; Gaussian ones, dense or sparse, without another copy of the points."""
    if not isinstance(kernel, Gaussian):
        return np.asarray(kernel(x, z))
    product = x @ z.T
    tile = product.toarray() if sparse.issparse(product) else np.asarray(product)
    factor = tile.dtype.type(-0.5 / float(kernel.bandwidth) ** 2)
    tile *= -2 * factor
    tile += (factor * x_squares)[:, None]
    tile += factor * z_squares
    np.minimum(tile, 0, out=tile)
    return np.asarray(np.exp(tile, out=tile))
