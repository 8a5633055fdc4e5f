r"""Average top-k learning for scikit-learn: linear models, and kernel machines by the dual."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from noisytheory.learners.off_centre import warn_off_centre
from noisytheory.topics.top_k.aggregate import WHOLE, checked_weights, tail_mass
from noisytheory.topics.top_k.collapse import collapse_threshold, first_useful_k
from noisytheory.topics.top_k.individual import CLASSIFICATION, REGRESSION
from noisytheory.topics.top_k.kernel_dual import KernelSolution, kernel_fit
from noisytheory.topics.top_k.kernel_paths import kernel_path
from noisytheory.topics.top_k.minimise import TOLERANCE, Solution, checked_C, fit, moderate
from noisytheory.topics.top_k.paths import Path, path
from noisytheory.topics.top_k.problem import ROUNDING
from noisytheory.topics.top_k.selection import (
    Selected,
    kernel_select,
    select,
    useful_grid,
)
from noisytheory.vocabulary.domains import checked_floats, one_of, pair_of
from noisytheory.vocabulary.kernels import Gaussian, Kernel, Laplace, Linear, Polynomial

__all__ = [
    "AverageTopKClassifier", "AverageTopKRegressor", "AverageTopKSVC", "AverageTopKSVR",
    "ZeroClassifier",
]

Floats = NDArray[np.float64]

KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian, "laplace": Laplace, "linear": Linear, "polynomial": Polynomial,
}
SMALL = 3000
"""Examples up to which the least useful k is computed for a warning."""
NOWHERE = "; nor is at any k"


class ZeroClassifier(UserWarning):
    """The minimiser scores every point alike: k is at or below the collapse threshold.

    Of a kernel machine: or it is so near to zero that the tolerance does not tell.
    """


class _Classifier(ClassifierMixin):  # type: ignore[misc]
    """Two classes by the sign of a score; 0 is of the second."""

    def __sklearn_tags__(self) -> Any:
        """Two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def decision_function(self, X: Any) -> Floats:
        """Scores, shape (m,)."""
        return np.asarray(self._scores(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted classes, shape (m,)."""
        above = (self._scores(X) >= 0).astype(int)
        return np.asarray(self.classes_[above])


class _Regressor(RegressorMixin):  # type: ignore[misc]
    """The score is the prediction."""

    def predict(self, X: Any) -> Floats:
        """Predicted values, shape (m,)."""
        return np.asarray(self._scores(X))


class _Linear(BaseEstimator):  # type: ignore[misc]
    """What the two linear estimators share."""

    loss: str
    k: float
    C: float
    fit_intercept: bool | Literal["regularised"]
    scaling: str
    tol: float

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check(self) -> None:
        one_of("loss", self.loss,
               CLASSIFICATION if isinstance(self, ClassifierMixin) else REGRESSION)
        asked = self.fit_intercept
        if not (isinstance(asked, bool | np.bool_)
                or (isinstance(asked, str) and asked == "regularised")):
            raise ValueError(f"fit_intercept must be True, False or 'regularised', got {asked!r}")

    @property
    def _free(self) -> bool:
        """Whether there is an intercept that costs nothing: NumPy's truth values are not True."""
        return not isinstance(self.fit_intercept, str) and bool(self.fit_intercept)

    def _rows(self, points: Any) -> Any:
        """With the paper's constant feature, where its weight is to be regularised."""
        if self.fit_intercept != "regularised":
            return points
        ones = np.ones((points.shape[0], 1))
        if isinstance(points, np.ndarray):
            return np.hstack([points, ones])
        from scipy import sparse

        return sparse.hstack([points, ones]).tocsr()

    def _solve(self, points: Any, targets: Floats, sample_weight: Any) -> Solution:
        _checked_single(self.k)
        return fit(
            self._rows(points), targets, self.loss, k=self.k, C=self.C,
            intercept=self._free, sample_weight=sample_weight,
            scaling=self.scaling, tol=self.tol,
        )

    def _keep(self, solution: Solution) -> None:
        self.solution_ = solution
        coef, self.intercept_ = solution.coef, solution.intercept
        if self.fit_intercept == "regularised":
            coef, self.intercept_ = coef[:-1], float(coef[-1])
        self.coef_ = coef
        self.level_, self.gap_ = solution.level, solution.gap
        self.objective_, self.regime_ = solution.objective, solution.regime
        self.example_weights_ = solution.weights
        self.n_iter_ = max(1, solution.steps)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        _unmasked("X", X)
        points = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return np.asarray(points @ self.coef_ + self.intercept_)

    def _others(self, name: str, pair: Any) -> tuple[Any, Floats]:
        """Other points and their labels, as those that were fitted."""
        points, labels = _pair(self, name, pair, sparse=True)
        return self._rows(points), labels

    def path(
        self, X: Any, y: ArrayLike, ks: Sequence[float] | None = None, *,
        test: tuple[Any, ArrayLike] | None = None, sample_weight: ArrayLike | None = None,
        tol: float = 0.25, floor: float = 0.5,
    ) -> Path:
        """Error and objective over k, all of them by default, at this estimator's C.

        Where coefficients can gain the `floor`, a share of what they gain at the largest k, or
        more, the model of each k is proven to gain three quarters of it, so that its errors are
        mostly about the minimiser's. At smaller k, by the default often half of all, it may be far
        off in errors: `determined` is False there, unless as much happens to be proven, where zero
        is the minimiser, and where another intercept that errs two points more or less is about as
        good.
        All k take about the time of a single fit, of a regression of one or two, and beside an
        intercept of labels of two mostly, of more where classes are uneven and C is small or
        examples are few, and of two dozen solutions in single cases. With a floor of a tenth, which
        proves where zero ends, of two to five, three to eleven beside an intercept; a floor of 0
        asks it of every k and takes a dozen or more. See the notes of
        `noisytheory.topics.top_k.path`.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        ks : sequence of int or float, optional
            Counts or fractions; every count by default, of more than 200,000 about so many.
        test : pair, optional
            Points and labels on which errors are counted.
        tol : float
            Duality gap at every k, which is proven, as `noisytheory.topics.top_k.Path` measures it.
        floor : float
            Gains less than this share of the largest k's count as so large. From a half on it is
            not asked where zero is the minimiser, or seldom.

        Returns
        -------
        Path
        """
        self._check()
        points, targets, weight = _checked(self, X, y, sample_weight, sparse=True)
        return path(self._rows(points), targets, self.loss, C=self.C, ks=ks, tol=tol,
                    floor=floor, intercept=self._free, sample_weight=weight,
                    scaling=self.scaling,
                    test=None if test is None else self._others("test", test))

    def select(
        self, X: Any, y: ArrayLike, validation: tuple[Any, ArrayLike], *,
        Cs: Sequence[float] | None = None, ks: Sequence[float] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Selected:
        """Choose C and k by the error on validation data, and become the model that won.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        validation : pair
            Points and labels.
        Cs, ks : sequence, optional
            By default eleven powers of ten, and up to five more beyond an end that errs less than
            what lies inside; twelve values on the useful range.
            Errors of what was not solved are mixtures', by which another may err a little less than
            what is chosen, see `noisytheory.topics.top_k.select`.

        Returns
        -------
        Selected

        Warns
        -----
        EndOfGrid
            If the error is still least at an end, by more than a millionth.
        """
        self._check()
        points, targets, weight = _checked(self, X, y, sample_weight, sparse=True)
        rows = self._rows(points)
        if ks is None and isinstance(self, ClassifierMixin):
            ks = useful_grid(rows, targets, intercept=self._free,
                             sample_weight=weight)
        found = select(
            rows, targets, self.loss, validation=self._others("validation", validation),
            intercept=self._free, sample_weight=weight, scaling=self.scaling,
            Cs=Cs, ks=_spread(len(targets), 12, weight) if ks is None else ks,
        )
        self.C, self.k = found.C, found.k
        self._keep(found.solution)
        return found


class AverageTopKClassifier(_Classifier, _Linear):
    r"""Linear classification by the average of the k largest losses.

    Minimises $\frac kn AT_k(\ell(w))+\frac1{2C}\|w\|^2$ to a proven gap. Small k attends to rare
    hard examples, k = n is logistic regression or the SVM. Up to the collapse threshold
    $k\le nh^*$ (h* is the smallest hinge risk that a linear score can attain) nothing but the zero
    classifier is optimal, whatever the loss and C: then a warning names the first useful k.

    Parameters
    ----------
    loss : str
        ``"logistic"``, ``"hinge"``, ``"squared-hinge"``, ``"margin-square"``,
        ``"logistic-natural"`` or ``"exponential"``. The last is fragile: at a C of millions its
        losses may overflow.
    k : int or float
        A count, or a fraction in (0, 1]. The tail mass $\nu=k/n$ of the CVaR that is minimised.
        Error and objective of all of them are what `path` returns, which reads no k.
    C : float
        Above 0; small is strong regularisation.
    fit_intercept : {True, False, "regularised"}
        ``"regularised"`` appends a constant feature, as the paper does.
    scaling : {"paper", "average"}
        ``"average"`` minimises $AT_k+\frac1{2C}\|w\|^2$.
    tol : float
        Relative duality gap, as `noisytheory.topics.top_k.fit` measures it. At the default a
        weight of two and two rows agree to it, not to the last digits: $10^{-10}$ does.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_
    level_ : float
        The value at risk $\lambda$: losses below it do not count.
    example_weights_ : array, shape (n,)
        Dual weight of each example; the worst reweighting of the sample.
    objective_, gap_, regime_, solution_
        See `noisytheory.topics.top_k.Solution`.

    Notes
    -----
    What is minimised is, in finance, the conditional value at risk (CVaR, expected shortfall) of
    the losses at tail mass $k/n$; in distributionally robust optimisation (DRO) the worst mean over
    reweightings that count no example more than $n/k$ times, and ``example_weights_`` is one that
    attains it; for fairness a promise to groups that nobody has named: the mean loss of any k
    or more training examples, whichever they are, is at most $AT_k$.

    Labels of two classes only; the sign of 0 is the second class. The checks of scikit-learn hold
    at the defaults, but not for instance of ``("squared-hinge", k=3)``: on their tiny samples zero
    is then the minimiser. Source: Eq. (3) and (6) of the
    paper.

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = AverageTopKClassifier("hinge", k=2, C=100.0).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0.5]]).tolist(), model.coef_.round(4).tolist(), model.gap_ < 1e-6
    (['b'], [1.0], True)

    Forty rare positives lie near the negatives. The average loss (k = 2000) loses 17 of them at
    this C, the 200 largest none; nor does the average at C = 10,000, where less is regularised:

    >>> rng = np.random.default_rng(0)
    >>> common, rare = rng.normal([-2, 3], 0.5, (960, 2)), rng.normal([2.2, 0.9], 0.15, (40, 2))
    >>> other = rng.normal([0.0, 0.0], [0.8, 0.25], (1000, 2))
    >>> X, y = np.vstack([common, rare, other]), np.repeat([1, 0], [1000, 1000])
    >>> for k in (2000, 1000, 200):
    ...     model = AverageTopKClassifier(k=k, C=100.0, scaling="average").fit(X, y)
    ...     print(k, model.score(X, y), model.score(X[960:1000], y[960:1000]))
    2000 0.991 0.575
    1000 0.9955 0.8
    200 0.9995 1.0
    """

    def __init__(
        self, loss: str = "logistic", *, k: float = 0.8, C: float = 1.0,
        fit_intercept: bool | Literal["regularised"] = True, scaling: str = "paper",
        tol: float = 1e-6,
    ) -> None:
        self.loss, self.k, self.C = loss, k, C
        self.fit_intercept, self.scaling, self.tol = fit_intercept, scaling, tol

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> AverageTopKClassifier:
        """Minimise the objective.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional

        Returns
        -------
        AverageTopKClassifier

        Raises
        ------
        ValueError
            On bad input, k or C out of range, or a number of classes other than two.

        Warns
        -----
        ZeroClassifier
            If the minimiser is zero.
        """
        self._check()
        points, signs, weight = _checked(self, X, y, sample_weight, sparse=True)
        solution = self._solve(points, signs, weight)
        self._keep(solution)
        if solution.regime == "zero":
            _warn_zero(self._rows(points), signs, weight, self._free, self.k)
        return self


class AverageTopKRegressor(_Regressor, _Linear):
    r"""Linear regression by the average of the k largest losses, the CVaR of the residuals.

    What this is to finance, DRO and fairness stands in the notes of `AverageTopKClassifier`.

    Parameters
    ----------
    loss : {"square", "absolute"}
        With the absolute loss this is $\nu$-SVR without kernel, and support vector regression with
        $\epsilon=\lambda$.
    k, C, fit_intercept, scaling, tol
        As in `AverageTopKClassifier`.

    Attributes
    ----------
    coef_, intercept_, level_, example_weights_, objective_, gap_, regime_, solution_

    Examples
    --------
    >>> model = AverageTopKRegressor("absolute", k=1, C=1e6).fit([[0.0], [1.0], [2.0]], [0, 1, 4])
    >>> model.coef_.round(4).tolist(), round(model.intercept_, 4)
    ([2.0], -0.5)
    """

    def __init__(
        self, loss: str = "square", *, k: float = 0.8, C: float = 1.0,
        fit_intercept: bool | Literal["regularised"] = True, scaling: str = "paper",
        tol: float = 1e-6,
    ) -> None:
        self.loss, self.k, self.C = loss, k, C
        self.fit_intercept, self.scaling, self.tol = fit_intercept, scaling, tol

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> AverageTopKRegressor:
        """Minimise the objective.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional

        Returns
        -------
        AverageTopKRegressor
        """
        self._check()
        self._keep(self._solve(*_checked(self, X, y, sample_weight, sparse=True)))
        return self


class _Machine(BaseEstimator):  # type: ignore[misc]
    """What the two kernel estimators share."""

    def __init__(
        self, kernel: str | Kernel = "gaussian", *, kernel_params: Mapping[str, Any] | None = None,
        k: float = 0.8, C: float = 100.0, tol: float = 1e-3,
    ) -> None:
        self.kernel, self.kernel_params = kernel, kernel_params
        self.k, self.C, self.tol = k, C, tol

    def _kernel(self, points: Floats, weight: Any) -> Kernel:
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if not (isinstance(self.kernel, str) and self.kernel in KERNELS):
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)} or a Kernel, "
                             f"got {self.kernel!r}")
        allowed = inspect.signature(KERNELS[str(self.kernel)]).parameters
        if not (self.kernel_params is None or (isinstance(self.kernel_params, Mapping)
                and set(self.kernel_params) <= set(allowed))):
            raise ValueError(f"kernel_params of a {self.kernel} kernel must be a mapping with "
                             f"{' and '.join(allowed) or 'nothing'}, got {self.kernel_params!r}")
        given = dict(self.kernel_params or {})
        if self.kernel == "polynomial" and "degree" not in given:
            raise ValueError("kernel_params must hold the degree of a polynomial kernel, "
                             f"such as {{'degree': 3}}, got {self.kernel_params!r}")
        if self.kernel in ("gaussian", "laplace") and "bandwidth" not in given:
            # Of the weighted coordinates, so that a weight of two is two rows.
            share = np.full(len(points), 1 / len(points)) if weight is None else (
                weight / weight.sum())
            mean = share @ points.mean(axis=1)
            spread = float(share @ ((points - mean) ** 2).sum(axis=1)) / 2
            given["bandwidth"] = float(np.sqrt(spread)) if spread > 0 else 1.0
        return KERNELS[str(self.kernel)](**given)

    def _check(self) -> None:
        checked_C(self.C)
        TOLERANCE.number("tol", self.tol)

    def path(
        self, X: Any, y: ArrayLike, ks: Sequence[float] | None = None, *,
        test: tuple[Any, ArrayLike] | None = None, sample_weight: ArrayLike | None = None,
        tol: float = 0.25, floor: float = 0.5,
    ) -> Path:
        """Error and objective over k at this estimator's C, from one Gram matrix and few fits.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; the Gram matrix is held, so some thousands of examples.
        ks : sequence of int or float, optional
            Counts or fractions; every count by default, of more than 200,000 about so many.
        test : pair, optional
            Points and labels on which errors are counted.
        tol : float
            Duality gap at every k, which is proven, as `noisytheory.topics.top_k.Path` measures it:
            all k take about as long as one fit, mostly less than two, in regression less than three
            (`noisytheory.topics.top_k.kernel_path`); more of repeated rows, which a fit merges.
        floor : float
            Gains less than this share of the largest k's count as so large. 0 asks it of every k
            and may take thousands of fits' time.

        Returns
        -------
        Path
        """
        self._check()
        points, targets, weight = _checked(self, X, y, sample_weight, sparse=False)
        self.kernel_ = self._kernel(points, weight)
        return kernel_path(
            self.kernel_, targets, points=points, C=float(self.C), ks=ks, sample_weight=weight,
            tol=tol, floor=floor,
            test=None if test is None else self._others("test", test, points),
            regression=not isinstance(self, ClassifierMixin))

    def select(
        self, X: Any, y: ArrayLike, validation: tuple[Any, ArrayLike], *,
        Cs: Sequence[float] | None = None, ks: Sequence[float] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Selected:
        """Choose C and k by the error on validation data, and become the model that won.

        Parameters
        ----------
        X, y, sample_weight
            As for `path`.
        validation : pair
            Points and labels.
        Cs, ks : sequence, optional
            By default n times seven powers of ten, and up to five more beyond an end that errs
            less than what lies inside; twelve counts up to n.
            Errors of what was not solved are those of a path's models; next to zero they are not
            told and infinite, see `noisytheory.topics.top_k.kernel_select`.

        Returns
        -------
        Selected

        Warns
        -----
        EndOfGrid
            If the error is still least at an end, by more than a millionth.
        """
        points, targets, weight, gram = self._matrix(X, y, sample_weight)
        n = len(targets)
        found = kernel_select(
            gram, targets, validation=self._others("validation", validation, points), tol=self.tol,
            Cs=Cs, ks=_spread(n, 12, weight) if ks is None else ks, sample_weight=weight,
            regression=not isinstance(self, ClassifierMixin))
        self.C, self.k = found.C, found.k
        self._keep(points, np.arange(n), found.solution)
        if not isinstance(self, ClassifierMixin):
            warn_off_centre(targets, weight, learner=self, level=3)
        return found

    def _matrix(
        self, X: Any, y: ArrayLike, sample_weight: Any
    ) -> tuple[Floats, Floats, Any, Floats]:
        """Points, labels, weights and the Gram matrix."""
        self._check()
        points, targets, weight = _checked(self, X, y, sample_weight, sparse=False)
        self.kernel_ = self._kernel(points, weight)
        gram = np.ascontiguousarray(self.kernel_(points, points), float)
        return points, targets, weight, gram

    def _others(self, name: str, pair: Any, points: Floats) -> tuple[Floats, Floats]:
        """Kernel values of other points beside those that were fitted, and their labels."""
        rows, labels = _pair(self, name, pair, sparse=False)
        return np.asarray(self.kernel_(rows, points), float), labels

    def _train(self, X: Any, y: ArrayLike, sample_weight: Any) -> float:
        """Fit, and the tail mass."""
        self._check()
        _checked_single(self.k)
        points, targets, weight = _checked(self, X, y, sample_weight, sparse=False)
        total = float(len(points) if weight is None else weight.sum())
        # Repeated rows are one row of more weight, in one order: so results do not depend on it.
        rows, first, which = np.unique(
            np.column_stack([points, targets]), axis=0, return_index=True, return_inverse=True)
        masses = np.bincount(which.ravel(), weight) / total
        used = masses > 0
        rows, first, masses = rows[used], first[used], masses[used]
        points, targets = np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])
        self.kernel_ = self._kernel(points, masses)
        nu = tail_mass(self.k, total)
        found = kernel_fit(self.kernel_, targets, nu=nu, C=float(self.C), points=points,
                           masses=masses if np.ptp(masses) else None, tol=self.tol,
                           regression=not isinstance(self, ClassifierMixin))
        self._keep(points, first, found)
        if not isinstance(self, ClassifierMixin):
            warn_off_centre(targets, masses, learner=self, level=4)
        return nu

    def _keep(self, points: Floats, places: NDArray[np.intp], found: KernelSolution) -> None:
        support = found.support[np.argsort(places[found.support])]
        self.support_ = places[support]
        self.support_vectors_ = points[support]
        self.dual_coef_ = found.dual_coef[support]
        self.level_, self.objective_, self.gap_ = found.level, found.objective, found.gap
        self.regime_, self.n_iter_ = found.regime, max(1, found.steps)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        _unmasked("X", X)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        if not len(self.support_):
            return np.zeros(len(points))
        out = np.empty(len(points))
        step = max(1, (1 << 22) // len(self.support_))
        for at in range(0, len(points), step):
            block = points[at: at + step]
            out[at: at + step] = self.kernel_(block, self.support_vectors_) @ self.dual_coef_
        return out


class AverageTopKSVC(_Classifier, _Machine):
    r"""The paper's $AT_k$-SVM: kernel classification by the average of the k largest hinge losses.

    Always one of three: zero, $\nu$-SVM with $\nu=k/n$, or C-SVM, all without intercept. It
    minimises the CVaR of the hinge losses, as `AverageTopKClassifier` with a kernel; its notes say
    what that is to DRO and fairness.

    Parameters
    ----------
    kernel : {"gaussian", "laplace", "linear", "polynomial"} or Kernel
    kernel_params : mapping, optional
        Of the named kernel: ``bandwidth``, by default the root of half the variance of the points;
        ``degree``, which a polynomial kernel needs, and ``offset``.
    k : int or float
        A count, or a fraction in (0, 1]. Error and objective of all of them are what `path`
        returns.
    C : float
        In the paper's scaling, $\frac1{2C}\|f\|^2$ beside a mean: libsvm's C is ours over n.
    tol : float
        Largest violation of the optimality conditions, and a tenth of the largest relative gap.
        Repeated rows are merged and all are sorted first, so that a weight of two, two rows and
        another order are the same computation, not only the same to the tolerance.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, level_, objective_, gap_, regime_

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = AverageTopKSVC("linear", k=1.0, C=100.0, tol=1e-9).fit(X, [0, 0, 1, 1])
    >>> model.decision_function([[1.0]]).round(6).tolist(), model.regime_
    ([1.0], 'C')
    """

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> AverageTopKSVC:
        """Solve the dual.

        Parameters
        ----------
        X : array-like, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional

        Returns
        -------
        AverageTopKSVC
        """
        none = self._train(X, y, sample_weight)
        if self.regime_ == "zero":
            # Of distinct points a Gaussian kernel's minimiser is not zero, but may be next to it.
            gain = max((none - self.objective_ + self.gap_) / none, ROUNDING)
            # Where it may be much, that nothing is proven was told.
            if gain <= 10 * max(self.tol, ROUNDING):
                warnings.warn(
                    f"at k={self.k} no machine is better than zero by more than {gain:.0e} of the "
                    "objective: take a larger k", ZeroClassifier, stacklevel=2)
        return self


class AverageTopKSVR(_Regressor, _Machine):
    r"""Kernel regression by the k largest absolute losses: $\nu$-SVR without intercept.

    A target far from 0 is to be standardised, by scikit-learn's ``TransformedTargetRegressor``.

    Parameters
    ----------
    kernel, kernel_params, k, C, tol
        As in `AverageTopKSVC`.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, level_, objective_, gap_, regime_
        ``level_`` is the half-width of the tube.

    Warns
    -----
    UserWarning
        If the target's mean is larger than its standard deviation.

    Examples
    --------
    >>> model = AverageTopKSVR("linear", k=1.0, C=1e4, tol=1e-9).fit([[-1.0], [2.0]], [-1.0, 2.0])
    >>> model.predict([[3.0]]).round(6).tolist()
    [3.0]
    """

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> AverageTopKSVR:
        """Solve the dual.

        Parameters
        ----------
        X : array-like, shape (n, d)
        y : array-like, shape (n,)
        sample_weight : array-like, shape (n,), optional

        Returns
        -------
        AverageTopKSVR
        """
        self._train(X, y, sample_weight)
        return self


def _checked_single(k: Any) -> None:
    """A ValueError that names the method for all k, where they are asked for in a fit."""
    if isinstance(k, str) and k == "path":
        raise ValueError("k must be a whole number or a fraction in (0, 1], got 'path': a fit has "
                         "one k; the method path(X, y) has error and objective of all, and "
                         "select chooses one by validation: by the errors of training none is")


def _checked(
    model: Any, X: Any, y: ArrayLike, sample_weight: Any = None, *, sparse: bool
) -> tuple[Any, Floats, Any]:
    """Points, labels 1 and -1 or numbers, and weights."""
    margin = isinstance(model, ClassifierMixin)
    _unmasked("X", X)
    _unmasked("y", y)
    points, targets = validate_data(model, X, y, accept_sparse="csr" if sparse else False,
                                    dtype=np.float64, y_numeric=not margin)
    if not sparse:
        moderate("X", points)
    if margin:
        try:
            check_classification_targets(targets)
            model.classes_, codes = np.unique(targets, return_inverse=True)
        except TypeError as error:
            kinds = sorted({type(label).__name__ for label in targets})
            raise ValueError(f"y must hold labels of one type, got {' and '.join(kinds)}"
                             ) from error
        if len(model.classes_) < 2:
            raise ValueError(f"y must hold two classes, got only one class: {model.classes_[0]}")
        if len(model.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is multiclass, "
                f"got {len(model.classes_)} classes")
        targets = np.where(codes == 1, 1.0, -1.0)
    weight = None if sample_weight is None else checked_weights(
        sample_weight, points.shape[0])
    if margin and weight is not None and weight.any() and not np.ptp(targets[weight > 0]):
        raise ValueError("y must hold two classes with weight, got one class only")
    return points, np.asarray(targets, float), weight


def _spread(n: int, size: int, weight: Any) -> list[float]:
    """Counts from 1 to n, evenly spaced; fractions where examples are weighted."""
    counts = np.unique(np.linspace(1, n, size).round())
    return [int(k) for k in counts] if weight is None else (counts / n).tolist()


def _unmasked(name: str, values: Any) -> None:
    """Refuse what scikit-learn would take for numbers."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must hold real numbers, got some that are masked")


def _pair(model: Any, name: str, pair: Any, *, sparse: bool) -> tuple[Any, Floats]:
    """Points and labels to compare by, the labels 1 and -1 or numbers."""
    points, labels = pair_of(name, pair)
    _unmasked(f"points of {name}", points)
    _unmasked(f"labels of {name}", labels)
    try:
        points = validate_data(model, points, reset=False, dtype=np.float64,
                               accept_sparse="csr" if sparse else False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"points of {name} must be such as those of X, got others: {error}") from error
    if not isinstance(model, ClassifierMixin):
        return points, checked_floats(f"labels of {name}", labels)
    labels, classes = np.asarray(labels), model.classes_
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(f"labels of {name} must be among {classes.tolist()}, "
                         f"got {labels[~known].flat[0]}")
    return points, np.where(labels == classes[1], 1.0, -1.0)


def _warn_zero(rows: Any, signs: Floats, weight: Any, free: bool, k: float) -> None:
    hint = ""
    if len(signs) <= SMALL:
        # Of rows of very different lengths the linear programme may not be solved.
        with contextlib.suppress(RuntimeError):
            if weight is None:
                first = first_useful_k(rows, signs, intercept=free)
                hint = f"; the first useful k is {first}" if first <= len(signs) else NOWHERE
            else:
                share = collapse_threshold(
                    rows, signs, intercept=free, sample_weight=weight) / weight.sum()
                hint = (f"; useful are fractions above {share:.4g} of the weight"
                        if share < 1 - WHOLE else NOWHERE)
    of = "" if weight is None else f" of weight {weight.sum():g}"
    warnings.warn(
        f"at k={k} of {len(signs)} examples{of} no linear score is better than none{hint}",
        ZeroClassifier, stacklevel=3)
