r"""The mean classifier for scikit-learn: nothing is optimised, and no Gram matrix is kept.

scikit-learn is imported here and in `multiple`, nowhere else in the topic.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from noisytheory.learners.labelled import Labelled, SparseRows
from noisytheory.learners.noise_rates import confusion_of, warn_of_rates
from noisytheory.learners.tiles import (
    Floats,
    Points,
    check_coordinates,
    column_factors,
    default_bandwidth,
    diagonal,
    exponent_factor,
    exponents,
    is_linear,
    row_factors,
    slices,
    squared_norms,
    takes_sparse,
    tile,
    unit_rows,
)
from noisytheory.topics.label_noise.choice.leave_one_out import losses
from noisytheory.topics.sparse import TO_TOLERANCE, check_options, find_algorithm
from noisytheory.vocabulary.compiled import ROOTS, TWOS, add_of_distances, powers_of_two
from noisytheory.vocabulary.confusion import Orientation
from noisytheory.vocabulary.kernels import (
    COMPILED,
    Gaussian,
    Kernel,
    Laplace,
    Linear,
    Normalised,
    Polynomial,
)
from noisytheory.vocabulary.threads import in_order, one_thread_each

__all__ = ["KernelMeanClassifier", "named_sparse", "one_class", "warn_of_scales"]

KernelLike: TypeAlias = str | Kernel | Callable[[Any, Any], ArrayLike]

NAMED: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "linear": Linear,
    "polynomial": Polynomial,
}
QUERIES, WIDE, BYTES = 4096, 1024, 3 << 19
"""Queries and examples of one piece of work for a thread, and what a side of a tile takes."""
SIDE, ENTRIES = 384, 1 << 19
"""Rows and columns of a tile of another kernel than the Gaussian, and coordinates of a side."""
SOUGHT = 512
"""Queries for which it pays to look for coordinates that are constant in a tile."""
LOOKED_AT = 128
"""Examples whose predictions say whether there is more than one."""
NEARLY = 0.95
"""Share of predictions, of classes that count alike, of which a warning is due if it is one's."""
UNLIKE = 20.0
"""Standard deviations of features, beside the middle one, of which a warning is due."""
ROUNDING = 1e-3
"""Error of an exponent that single precision may cause; beyond it scores are in doubles."""
ALONE = 1 << 20
"""Kernel values, times sixteenths of their coordinates, that are not worth another thread."""
THIN = (256, 1024)
"""The same of a tile of sparse rows, whose size does not grow with the dimension."""

FITTED = (
    "classes_", "weights_", "kernel_", "scale_", "coef_", "offset_", "points_",
    "compression_error_", "_alpha", "_codes", "_norms", "_parts", "_sample", "_signed",
)
"""What a fit sets, or `compress`: nothing of it outlives the next fit."""


class KernelMeanClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classify by the kernel mean, $\mathrm{sign}\sum_i p_iy_iK(x,x_i)$.

    With more than two classes the score of class $c$ is that of one against the rest,
    $2\sum_{y_i=c}p_iK(x,x_i)-\sum_ip_iK(x,x_i)$, and the largest wins. Fitting costs $O(n)$; scores
    are computed in tiles, so prediction needs a few MiB a thread beside the data. The linear kernel
    keeps one weight vector a class instead of the sample.

    Parameters
    ----------
    kernel : {"gaussian", "laplace", "linear", "polynomial"}, Kernel or callable
        A callable takes two arrays of rows and returns their Gram block, finite; `compress` needs
        a name or a `Kernel`.
    kernel_params : mapping, optional
        Parameters of a kernel given by name. Without a ``bandwidth`` the Gaussian and Laplace
        kernels take $\sqrt{dv/2}$, with $v$ the variance of the coordinates: half the root mean
        square of distances, which is too wide where classes are finely interleaved, where few
        features matter, or where one has a larger scale than all others; `KernelMeanClassifierCV`
        chooses another. A polynomial has degree 2 and offset 1 by itself.
    normalise : bool or "largest"
        The theory needs features of norm at most 1. ``False`` refuses others, ``True`` takes
        $K(x,x')/\sqrt{K(x,x)K(x',x')}$, ``"largest"`` divides $K$ by its largest $K(x_i,x_i)$ in
        the sample, which leaves the classifier as it is.
    noise_rate : float, pair of floats, or array or table of shape (k, k), optional
        Probability that a label is flipped, to any other class with equal chances, below
        $\frac{k-1}k$ with $k$ classes; of two classes that of the first and of the second, with sum
        below 1; or $C_{pq}=\Pr[\text{label }p\mid\text{true }q]$, read as by `UMAClassifier`. For
        `corrected_risk`; None if it is not known. The classifier itself does not depend on it.
    orientation : {"column", "row"}, optional
        Where a matrix has the true classes; columns by default, and never guessed.

    Attributes
    ----------
    classes_ : array, shape (k,)
    kernel_ : Kernel or callable
    weights_ : array, shape (n,)
        Share of each example; they sum to 1. Of a compressed model they are the sizes of the new
        weights, with any sum.
    n_features_in_ : int

    Warns
    -----
    UserWarning
        If examples of all classes are predicted as one, or features differ much in scale.

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
        noise_rate: float | tuple[float, float] | ArrayLike | None = None,
        orientation: Orientation | None = None,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.normalise = normalise
        self.noise_rate = noise_rate
        self.orientation = orientation

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken for the linear and the Gaussian kernel."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = named_sparse(self.kernel)
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Whether a fit has come to its end: these are set last."""
        return hasattr(self, "points_") or hasattr(self, "coef_")

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> KernelMeanClassifier:
        """Keep the sample and its weights.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional
            At least 0, and not 0 on all of a class.

        Returns
        -------
        KernelMeanClassifier

        Raises
        ------
        ValueError
            On bad input, one class only, or features of norm above 1 with ``normalise=False``.
        """
        points, codes, weights = self._sampled(X, y, sample_weight)
        with one_thread_each():
            kernel, scale = self._bounded(points, weights, self.kernel, self.kernel_params)
            if isinstance(kernel, Gaussian | Laplace):
                warn_of_scales(points, weights)
            self._keep(points, codes, weights, kernel, scale)
        self._warn_of_one_class(points, codes, weights)
        return self

    def _warn_of_one_class(
        self, points: Points, codes: NDArray[np.intp], weights: Floats
    ) -> None:
        """Look at a few examples of each class, with and without themselves."""
        count = len(self.classes_)
        if len(codes) <= 2:
            return
        few = max(1, LOOKED_AT // count)
        members = (np.flatnonzero(codes == code) for code in range(count))
        rows = np.concatenate([own[:: max(1, len(own) // few)] for own in members])
        seen = codes[rows]
        scores = self._scores(points[rows])
        # Within a narrow kernel an example sees but itself, and a new one is of the larger class.
        own = weights[rows] * diagonal(self.kernel_, points[rows]) / self.scale_
        signs = np.where(seen[:, None] == (np.arange(count) if count > 2 else [1]), 1.0, -1.0)
        for values in (scores, scores - own[:, None] * signs):
            predicted = values[:, 0] > 0 if count == 2 else np.argmax(values, axis=1)
            one = one_class(predicted.astype(np.intp), seen, count)
            if one is not None:
                warnings.warn(
                    f"examples of every class are predicted as {self.classes_[one]}: the kernel is "
                    "too wide, or one class too rare; try another bandwidth, "
                    "KernelMeanClassifierCV, which chooses one, or sample_weight that balances the "
                    "classes",
                    UserWarning, stacklevel=3,
                )
                return

    def _sampled(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Points, NDArray[np.intp], Floats]:
        """Checked rows, numbers of their classes, and weights that sum to 1."""
        for name in FITTED:
            self.__dict__.pop(name, None)
        points, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        check_coordinates(points)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got only one class: {self.classes_[0]}"
            )
        weights = _check_sample_weight(
            sample_weight, points, dtype=np.float64, ensure_non_negative=True
        )
        if weights.max() <= 0:
            raise ValueError("sample_weight must not be zero everywhere")
        # Of the largest, so that no sum of them overflows.
        weights = weights / weights.max()
        masses = np.bincount(codes, weights=weights)
        if not masses.all():
            raise ValueError(
                "sample_weight must not be zero on a whole class, got no weight on "
                f"{self.classes_[masses.argmin()]}"
            )
        self._confusion()
        return points, codes, weights / weights.sum()

    def _keep(
        self, points: Points, codes: NDArray[np.intp], weights: Floats, kernel: Any, scale: float
    ) -> KernelMeanClassifier:
        self.weights_, self.kernel_, self.scale_ = weights, kernel, scale
        self._weigh(self.weights_ * self._signs(codes), codes)
        self._sample: Floats | None = None
        if is_linear(self.kernel_):
            features = unit_rows(points, self.kernel_)
            self.coef_ = np.asarray((features.T @ self._signed).T) / self.scale_
            if len(self.classes_) == 2:
                self._parts = np.asarray((features.T @ self._by_class()).T) / self.scale_
            del self._alpha, self._signed
        else:
            self.offset_ = self._offset(points)
            # Not the caller's own rows, which may change.
            self.points_ = points - self.offset_ if self.offset_.any() else points.copy()
        return self

    def _signs(self, codes: NDArray[Any]) -> Floats:
        """What the weights are times in the mean: of two classes the label, of more nothing."""
        two = len(self.classes_) == 2
        return np.where(codes == 0, -1.0, 1.0) if two else np.ones(len(codes))

    def _weigh(self, alpha: Floats, codes: NDArray[Any]) -> None:
        """Take the weights of a mean: signed by the label if there are two classes."""
        self._alpha, self._codes = alpha, codes
        self._norms: NDArray[np.float64] | None = None
        if len(self.classes_) == 2:
            self._signed = alpha[:, None]
        else:
            # One class against the rest, a column a class.
            own = codes[:, None] == np.arange(len(self.classes_))
            self._signed = alpha[:, None] * np.where(own, 1.0, -1.0)

    def _by_class(self) -> Floats:
        """The weights in two columns, a class in each: noise may treat them unlike."""
        return np.asarray(self._alpha[:, None] * (self._codes[:, None] == np.arange(2)))

    def decision_function(self, X: ArrayLike) -> Floats:
        r"""Scores $\langle\Phi(S),\phi(x)\rangle$.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)

        Returns
        -------
        array, shape (m,), or (m, k) with more than two classes
            Within [-1, 1] where the features are of norm at most 1, as on the sample they are.
        """
        check_is_fitted(self)
        points = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        check_coordinates(points)
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
            if is_linear(self.kernel_):
                squares = self.scale_ * np.sum(self.coef_**2, axis=1)
            else:
                # In doubles: a root is taken, and `compress` subtracts such numbers.
                scores = self._kernel_scores(self.points_, double=True)
                squares = np.sum(self._signed * scores, axis=0)
            self._norms = np.sqrt(np.maximum(squares, 0.0))
        return float(self._norms[0]) if len(self.classes_) == 2 else self._norms

    def margins(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """$yf(x)$ of two classes, the second counted as +1, shape (m,).

        Raises
        ------
        ValueError
            If ``y`` is not as long as ``X`` or holds other classes, or with more than two classes.
        """
        self._two_classes("margins")
        scores = self.decision_function(X)
        return np.where(self._labels(y, len(scores)) == self.classes_[1], 1, -1) * scores

    def margin_for_error(self, X: ArrayLike, y: ArrayLike) -> float:
        """Smallest positive margin: scores may move by less and no correct point is lost.

        Infinite if no point is correct.
        """
        margins = self.margins(X, y)
        return float(np.min(margins[margins > 0], initial=np.inf))

    def corrected_risk(self, X: ArrayLike, y: ArrayLike) -> float:
        r"""0-1 risk on clean labels from the error $e$ on noisy ones.

        Of one rate and $k$ classes it is $(e-\sigma)/(1-\frac{k\sigma}{k-1})$; with other rates the
        mean of the 0-1 loss that the inverse of their confusion matrix makes unbiased. It is
        unbiased where ``X``, ``y`` are independent of the sample, and can fall outside [0, 1]; on
        the sample it is too small.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)
            Of examples that the model was not fitted to.
        y : array-like, shape (m,)
            Their noisy labels.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If ``noise_rate`` is None, or if ``y`` is not as long as ``X`` or holds other classes.

        Warns
        -----
        UserWarning
            If fewer labels are other than predicted than the noise alone would make so, but for a
            chance of .001: then the rates are too high, or the model was fitted to the examples.
        """
        check_is_fitted(self)
        confusion = self._known_noise("corrected_risk")
        predicted = self.predict(X)
        given = self._labels(y, len(predicted))
        costs = losses(confusion, np.ones(len(confusion)))
        codes, said = (np.searchsorted(self.classes_, labels) for labels in (given, predicted))
        warn_of_rates(said, codes, confusion, level=3)
        return float(np.mean(costs[codes, said]))

    def corrected_linear_risk(self) -> float:
        r"""$1-\|\Phi(S)\|/(1-2\sigma)$: linear risk of the unit mean, corrected for label noise.

        With a pair of rates it is
        $1-\langle\omega,\sum_ip_ic_iy_i\phi(x_i)\rangle/\big((1-\sigma_--\sigma_+)\|\omega\|\big)$
        with $c_i=1-\sigma_{-y_i}+\sigma_{y_i}$ and $\omega=\Phi(S)$. Of a compressed model $\omega$
        is its own mean, and the risk is over the whole sample that was compressed.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If ``noise_rate`` is None, or with more than two classes.
        """
        self._two_classes("corrected_linear_risk")
        confusion = self._known_noise("corrected_linear_risk")
        minus, plus = float(confusion[1, 0]), float(confusion[0, 1])
        similarity = float(self.self_similarity())
        if similarity == 0:
            return 1.0
        if minus == plus and self._sample is None:
            return 1 - similarity / (1 - minus - plus)
        negative, positive = self._shares()
        weighted = (1 - plus + minus) * negative + (1 - minus + plus) * positive
        return float(1 - weighted / ((1 - minus - plus) * similarity))

    def _shares(self) -> Floats:
        r"""$\langle\omega,\sum_{y_i=c}p_iy_i\phi(x_i)\rangle$ of both classes of the sample."""
        if is_linear(self.kernel_):
            return np.asarray(self.scale_ * (self._parts @ self.coef_[0]))
        if self._sample is not None:
            return np.asarray(self._alpha @ self._sample)
        return np.asarray(self._kernel_scores(self.points_, double=True)[:, 0] @ self._by_class())

    def compress(
        self, k: int | None = None, method: str | Callable[..., Any] = "herding", **options: Any
    ) -> KernelMeanClassifier:
        r"""The same classifier on few examples: a sparse sample near $\Phi(S)$.

        No score moves by more than ``compression_error_`` of the result, the exact distance of the
        two means, times the norm of the feature, and by rounding; the norm is at most 1 on the
        sample. More than two classes are compressed together, as `Labelled` features: an example
        that is kept keeps its class.

        Parameters
        ----------
        k : int
            Number of atoms: iterations of herding, draws, centres; of ``"clustered"`` the cells.
            To be left out with a method of ``nt.sparse.TO_TOLERANCE``, which takes
            ``tolerance=`` in its place.
        method : str or callable
            An algorithm ``(kernel, points, alpha, k, **options)`` whose result has ``indices``,
            ``weights`` and ``error``; a name is one of ``nt.sparse.ALGORITHMS``.
        **options
            For the method: ``rng`` where it draws, ``parts`` of ``"map_reduce"``.

        Returns
        -------
        KernelMeanClassifier
            Fitted; ``weights_`` are the sizes of the new weights. ``compression_error_`` is a
            float, or an array of shape (k,) with more than two classes.

        Raises
        ------
        ValueError
            With a callable kernel, an unknown method, an option that the method needs
            or does not take, or a linear kernel, which keeps one weight vector already.

        Examples
        --------
        >>> model = KernelMeanClassifier(kernel_params={"bandwidth": 1.0})
        >>> model = model.fit([[0.0], [0.1], [3.0], [3.1]], [0, 0, 1, 1])
        >>> small = model.compress(2)
        >>> small.points_.shape[0], round(small.compression_error_, 4)
        (2, 0.0368)
        """
        check_is_fitted(self)
        if is_linear(self.kernel_):
            raise ValueError("compress: a linear kernel keeps one weight vector already")
        if not isinstance(self.kernel_, Kernel):
            raise ValueError("compress needs a kernel by name or a Kernel")
        algorithm, k = _algorithm(method, k, options)
        points = self.points_
        kernel: Kernel = self.kernel_
        # Of the kernels that keep their sample only the Gaussian takes sparse rows.
        if isinstance(kernel, Gaussian) and sparse.issparse(points):
            kernel = SparseRows(kernel, points)
            points = np.arange(points.shape[0], dtype=np.float64)[:, None]
        two = len(self.classes_) == 2
        if not two:
            points = np.column_stack([points, self._codes.astype(points.dtype)])
            kernel = Labelled(kernel, len(self.classes_))
        found = algorithm(kernel, points, self._alpha, k, **options)
        fewer = copy.copy(self)
        fewer.points_ = self.points_[found.indices]
        fewer._weigh(np.asarray(found.weights, np.float64), self._codes[found.indices])
        fewer.weights_ = np.abs(fewer._alpha)
        if two:
            fewer._sample = (
                self._kernel_scores(fewer.points_, signed=self._by_class(), double=True)
                if self._sample is None else self._sample[found.indices]
            )
        if two and self.points_.dtype == np.float64:
            fewer.compression_error_ = float(found.error / np.sqrt(self.scale_))
        else:
            # Of classes together the method knows one error, in single precision a rough one.
            errors = self._distances(fewer)
            fewer.compression_error_ = float(errors[0]) if two else errors
        return fewer

    def _distances(self, other: KernelMeanClassifier) -> Floats:
        """RKHS distance of every class's mean from that of a compressed model."""
        atoms = other.points_
        moved = other._kernel_scores(atoms, double=True)
        moved -= 2 * self._kernel_scores(atoms, double=True)
        squares = np.square(self.self_similarity()) + np.sum(other._signed * moved, axis=0)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    def _two_classes(self, what: str) -> None:
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ValueError(f"{what} needs two classes, got {len(self.classes_)}")

    def _known_noise(self, what: str) -> Floats:
        confusion = self._confusion()
        if confusion is None:
            raise ValueError(f"{what} needs noise_rate, which is None (unknown)")
        return confusion

    def _confusion(self) -> Floats | None:
        return confusion_of(self.noise_rate, self.classes_.tolist(), self.orientation)

    def _labels(self, y: ArrayLike, length: int) -> NDArray[Any]:
        labels = np.asarray(y)
        if labels.shape != (length,):
            raise ValueError(f"y must have shape ({length},), as long as X, got {labels.shape}")
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y must hold the classes {self.classes_.tolist()} only")
        return labels

    def _bounded(
        self, points: Points, weights: Floats, given: KernelLike,
        parameters: Mapping[str, Any] | None = None,
    ) -> tuple[Any, float]:
        """The kernel, and what its values are to be divided by."""
        if not (isinstance(self.normalise, bool) or self.normalise == "largest"):
            raise ValueError(
                f"normalise must be False, True or 'largest', got {self.normalise!r}"
            )
        kernel = _named(given, parameters, points, weights)
        if sparse.issparse(points) and not takes_sparse(kernel):
            raise ValueError(
                "sparse X goes with the linear and the Gaussian kernel only; "
                f"got {given!r}, densify X or change the kernel"
            )
        if getattr(kernel, "bounded_by_one", False):
            return kernel, 1.0
        with np.errstate(over="ignore"):
            largest = float(np.max(diagonal(kernel, points[weights > 0])))
        if not np.isfinite(largest):
            raise ValueError("K(x, x) must be finite, but overflows: rescale X")
        if self.normalise is True:
            if not isinstance(kernel, Kernel):
                raise ValueError("normalise=True needs a kernel by name or a Kernel")
            return Normalised(kernel), 1.0
        if self.normalise == "largest":
            return kernel, largest if largest > 0 else 1.0
        if largest > 1 + 1e-6:
            raise ValueError(
                f"features must have norm at most 1, but K(x, x) reaches {largest:g}; set "
                "normalise=True (unit features) or normalise='largest' (divide by the largest)"
            )
        return kernel, 1.0

    def _offset(self, points: Points) -> Floats:
        """What dense points are moved by: their mean, where only distances matter."""
        if isinstance(self.kernel_, Gaussian) and not sparse.issparse(points):
            return np.asarray((self.weights_ @ points).astype(points.dtype))
        return np.zeros(points.shape[1], points.dtype)

    def _scores(self, points: Points) -> Floats:
        if is_linear(self.kernel_):
            with one_thread_each():
                rows = unit_rows(points, self.kernel_)
                return np.asarray(rows @ self.coef_.T.astype(points.dtype))
        return self._kernel_scores(points, self.offset_)

    def _kernel_scores(
        self, points: Points, offset: Floats | None = None, *, signed: Floats | None = None,
        double: bool = False,
    ) -> Floats:
        sample, signed = self.points_, self._signed if signed is None else signed
        kernel: Any = self.kernel_
        thin, gaussian = sparse.issparse(sample), isinstance(kernel, Gaussian)
        single = points.dtype == sample.dtype == np.float32 and not double
        if single and gaussian:
            # Rounding of squared norms, in bandwidths, is what distances are wrong by.
            rounding = np.finfo(np.float32).eps * float(squared_norms(sample).max())
            single = rounding <= ROUNDING * float(kernel.bandwidth) ** 2
        dtype: type[np.floating[Any]] = np.float32 if single else np.float64
        signed = (signed / self.scale_).astype(dtype)
        scores = np.zeros((points.shape[0], signed.shape[1]), dtype)
        # Of a few values compiled loops would take longer to load.
        many = not gaussian and points.shape[0] * sample.shape[0] >= COMPILED
        dense = not thin and (gaussian or (many and isinstance(kernel, Laplace)))
        origin: Any = None
        every, shift, factor = None, None, 0.0
        if dense:
            room = max(1, BYTES // (np.dtype(dtype).itemsize * (sample.shape[1] + 2)))
            high, wide = room if sparse.issparse(points) else QUERIES, min(WIDE, room)
            every = np.arange(sample.shape[1])
            origin = np.zeros(len(every), sample.dtype) if offset is None else offset
            shift = np.zeros_like(origin)
            if not gaussian:
                # Seen from amid them squared norms are small, and with them what rounding takes.
                origin = shift = sample.mean(axis=0)
            # No difference has a square above this.
            furthest = 2 * (squared_norms(points) + origin @ origin)
            factor = exponent_factor(kernel, furthest, dtype)
        elif thin:
            high, wide = THIN
        else:
            high = wide = max(1, min(SIDE, ENTRIES // sample.shape[1]))
        formed = many and not dense and isinstance(kernel, Kernel) and (
            kernel.plan(sample[:1].astype(dtype), sample[:1].astype(dtype)).form is not None
        )
        if formed:
            high, wide = QUERIES, max(1, min(WIDE, ENTRIES // sample.shape[1]))
        # A class at a time, by length: of examples that are alike more coordinates are constant in
        # a tile. With few queries looking for them would cost more than it spares.
        sought = dense and gaussian and points.shape[0] >= SOUGHT and _repeats(sample)
        order = np.lexsort((squared_norms(sample), self._codes)) if sought else None
        if dense or gaussian:
            # That no square overflows, of any tile.
            exponent_factor(kernel, squared_norms(sample), dtype)

        def part(where: tuple[slice, slice]) -> tuple[slice, Floats]:
            rows, columns = where
            taken = columns if order is None else order[columns]
            some, weights = sample[taken], signed[taken]
            # Few calls, for each may wait for a lock; of a kind that compiled loops know already.
            some = some.astype(dtype, copy=False) if thin else np.require(some, dtype, ["C", "W"])
            moved, seen = origin, every
            if sought and (found := _constant(some)) is not None:
                constant, seen = found
                moved = origin + constant
            if not (dense or formed):
                lengths = squared_norms(some)
                right = column_factors(kernel, some, lengths) if gaussian else None
            out = np.zeros((rows.stop - rows.start, signed.shape[1]), dtype)
            if thin:
                queries = sparse.csr_array(points[rows], dtype=dtype)
                own = squared_norms(queries)
            for few in slices(len(out), high):
                if thin:
                    left = row_factors(kernel, queries, own, few)
                    block = exponents(left, right, np.empty((len(left[-1]), len(lengths)), dtype))
                    powers_of_two(block)
                    out[few] = block @ weights
                    continue
                queries = points[rows.start + few.start : rows.start + few.stop]
                if sparse.issparse(queries):
                    queries = queries.toarray()
                if dense:
                    add_of_distances(
                        TWOS if gaussian else ROOTS, 1 / float(kernel.bandwidth), queries, moved,
                        seen, factor, some, shift, weights, out[few],
                    )
                elif formed:
                    plan = kernel.plan(queries.astype(dtype, copy=False), some)
                    plan.add_sums(weights, out[few])
                else:
                    queries = queries.astype(dtype, copy=False)
                    own = squared_norms(queries)
                    out[few] = tile(kernel, queries, some, own, lengths) @ weights
            return rows, out

        # The same tiles, and so the same numbers, whatever the number of threads.
        parts = list(product(slices(points.shape[0], QUERIES), slices(sample.shape[0], wide)))
        pairs = points.shape[0] * sample.shape[0] * (1 if thin else 1 + sample.shape[1] // 16)
        # What a user's function does to other threads nobody knows.
        most = min(pairs // ALONE, len(parts)) if isinstance(self.kernel_, Kernel) else 1
        with one_thread_each() as workers:
            for rows, found in in_order(part, parts, min(workers, most)):
                scores[rows] += found
        return scores


def _repeats(points: Floats) -> bool:
    """Whether a coordinate of some points, a few of all, has a value twice."""
    few = np.sort(points[:: max(1, len(points) // LOOKED_AT)], axis=0)
    return bool((few[1:] == few[:-1]).any())


def _constant(points: Floats) -> tuple[Floats, NDArray[np.intp]] | None:
    """An origin, 0 where rows differ, and where they differ; None where that is nearly everywhere.

    A coordinate that is constant on one side of a product of rows is 0 there, seen from such an
    origin, and the product need not see it.
    """
    differs = (points != points[0]).any(axis=0)
    if differs.sum() > 0.9 * len(differs):
        return None
    return np.where(differs, 0, points[0]).astype(points.dtype), np.flatnonzero(differs)


def _named(
    kernel: KernelLike, given: Mapping[str, Any] | None, points: Points, weights: Floats
) -> Any:
    """A kernel as it is, or by name with its parameters."""
    if not isinstance(given, Mapping | None):
        raise ValueError(f"kernel_params must be a mapping of names to numbers, got {given!r}")
    parameters = dict(given or {})
    if not isinstance(kernel, str):
        if parameters:
            raise ValueError("kernel_params goes with a kernel given by name")
        if not callable(kernel):
            raise ValueError(f"kernel must be a name, a Kernel or callable, got {kernel}")
        return kernel
    if kernel not in NAMED:
        raise ValueError(f"kernel must be one of {', '.join(NAMED)}, got {kernel!r}")
    if kernel in ("gaussian", "laplace"):
        parameters.setdefault("bandwidth", default_bandwidth(points, weights))
    if kernel == "polynomial":
        # Without an offset even degrees do not tell x from -x.
        parameters = {"degree": 2, "offset": 1.0, **parameters}
    allowed = set(inspect.signature(NAMED[kernel]).parameters)
    if unknown := sorted(set(parameters) - allowed):
        raise ValueError(
            f"kernel_params of {kernel!r} may hold {', '.join(sorted(allowed)) or 'none'}"
            f", got {unknown[0]!r}"
        )
    return NAMED[kernel](**parameters)


def one_class(predicted: NDArray[np.intp], codes: NDArray[np.intp], count: int) -> int | None:
    """The class that nearly all are predicted as, whatever their own; None if there is none.

    Examples
    --------
    >>> one_class(np.array([1, 1, 1, 0]), np.array([1, 1, 0, 0]), 2) is None
    True
    >>> one_class(np.array([1, 1, 1, 1]), np.array([1, 1, 1, 0]), 2)
    1
    """
    table = np.zeros((count, count))
    np.add.at(table, (codes, predicted), 1)
    shares = (table / np.maximum(table.sum(axis=1, keepdims=True), 1)).mean(axis=0)
    return int(shares.argmax()) if shares.max() >= NEARLY else None


def warn_of_scales(points: Points, weights: Floats) -> None:
    """Say so where the distances see few features, or do not see one in ten.

    Features much larger than most make up most of all distances, or one in ten is so much smaller
    than those that do, in its range as well, that it has no say. Of sparse rows the size of a
    feature is that of its entries: how rare they are is no scale.
    """
    if sparse.issparse(points):
        parts = weights @ points.multiply(points)
        held = weights @ (points != 0)
        ranges = abs(points).max(axis=0).toarray().ravel()
        advice = "MaxAbsScaler"
    else:
        squares = np.einsum("n,nd,nd->d", weights, points, points)
        parts = squares - (weights @ points) ** 2
        parts[parts <= 1e-9 * squares] = 0
        held = np.ones(len(parts))
        ranges = np.ptp(points, axis=0)
        advice = "StandardScaler"
    varied = parts > 0
    sizes = np.sqrt(parts[varied] / held[varied])
    if not len(sizes):
        return
    large = sizes > UNLIKE * np.sort(sizes)[(len(sizes) - 1) // 2]
    # The least of those that together make up half of all distances.
    leading = np.argsort(parts)[::-1]
    seen = leading[: np.searchsorted(np.cumsum(parts[leading]), parts.sum() / 2) + 1]
    small = UNLIKE * ranges[varied] < ranges[seen].min()
    if parts[varied][large].sum() > parts.sum() / 2 or 10 * small.sum() >= len(small):
        warnings.warn(
            f"features have sizes from {sizes.min():.3g} to {sizes.max():.3g}: distances see the "
            f"largest alone; try {advice} before this learner",
            UserWarning, stacklevel=3,
        )


def named_sparse(kernel: KernelLike) -> bool:
    """Whether a kernel, by name or not, takes sparse rows."""
    return kernel in ("gaussian", "linear") if isinstance(kernel, str) else takes_sparse(kernel)


def _algorithm(
    method: str | Callable[..., Any], k: Any, options: dict[str, Any]
) -> tuple[Callable[..., Any], Any]:
    """The algorithm and its fourth argument: a number of atoms, or a tolerance from the options."""
    to_tolerance = TO_TOLERANCE.get(method) if isinstance(method, str) else method
    if to_tolerance is None or k is not None or "tolerance" not in options:
        return find_algorithm(method, options), k
    if to_tolerance in TO_TOLERANCE.values():
        tolerance = options.pop("tolerance")
        check_options(to_tolerance, options)
        return to_tolerance, tolerance
    return find_algorithm(method, options), k
