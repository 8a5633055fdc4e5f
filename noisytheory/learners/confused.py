"""Linear classifiers of many classes from confused labels, for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from noisytheory.learners.audited import Audit, audit_of
from noisytheory.learners.seeds import generator
from noisytheory.topics.multiclass import (
    Run,
    audit_misfit,
    error_by_noisy_labels,
    gain_by_known_confusion,
    gain_by_noisy_labels,
    label_misfit,
    likely_shares,
    ultraconservative,
    uma,
)
from noisytheory.topics.multiclass.held_out import held_out, left_out
from noisytheory.topics.multiclass.ignoring import ignoring
from noisytheory.topics.multiclass.kept import COMPILED, divisors, row_norms, scaled
from noisytheory.topics.multiclass.lockstep import Watch
from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    Orientation,
    amplification,
    columns,
    inverse_of,
    observed_confusion,
)
from noisytheory.vocabulary.domains import COUNT, one_of

__all__ = ["UMAClassifier", "UltraconservativeClassifier"]

Floats: TypeAlias = NDArray[np.float64]
Given: TypeAlias = Any
"""A confusion matrix, a `ConfusionEstimate`, or None."""

AUDITED = 200
"""Audited examples a class up to which training on them alone was mostly better."""

PARTS = 5
"""Parts of an audit that are left out in turn: with two an estimate of few lacks too many."""

FEWEST = 100
"""Updates from which their number is doubled, where it is to be chosen."""

ONLINE = ("worst", "uniform", "proportional", "random")
"""Step rules of the online algorithms."""

DOUBTFUL = 0.001
"""Chance of labels, if a matrix is right, from which it is said to be wrong."""

ILL = 30.0
"""Noise amplification from which a person is warned: samples must be its square times as large."""


class _Linear(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
        return _Linear._features(self, points)

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


class UltraconservativeClassifier(_Linear):
    r"""Online ultraconservative learning: multiclass Perceptron and its family.

    Parameters
    ----------
    step : {"worst", "uniform", "proportional", "random"}
        How the update is shared among the classes that score too high.
    passes : int
        Passes over the examples at most.
    shuffle : bool
        Another order in every fit.
    fit_intercept : bool
        Append a constant 1 to every row.
    unit_norm : bool
        Divide rows by their norm, as the mistake bound $2/\theta^2$ supposes; zero rows
        stay, and so do those below 1e-300.
    random_state : int, Generator, RandomState or None
        For the order and for random steps.

    Attributes
    ----------
    classes_ : array, shape (Q,)
    coef_ : array, shape (Q, d) or (Q, d + 1)
        With the constant's weight last.
    updates_ : int
        Mistakes so far.
    clean_ : bool
        Whether the last pass was without a mistake: of classes that no linear rule separates, whose
        margin is 0, none is, and all passes are made.

    Examples
    --------
    >>> model = UltraconservativeClassifier().fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    >>> model.predict([[2.0, 1.0]]).tolist()
    ['a']
    """

    def __init__(
        self, *, step: str = "worst", passes: int = 10, shuffle: bool = True,
        fit_intercept: bool = True, unit_norm: bool = True, random_state: Any = None,
    ) -> None:
        self.step = step
        self.passes = passes
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.unit_norm = unit_norm
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from scratch, pass by pass until one is without mistakes.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)

        Returns
        -------
        UltraconservativeClassifier
        """
        COUNT.check("passes", self.passes)
        self._check_options()
        points, codes = self._checked(X, y, None, reset=True)
        self._begin(points)
        return self._learn(points, codes, self.passes)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """One more pass over these examples, from the weights so far.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        classes : array-like, optional
            All there will be; needed at the first call unless ``y`` holds them all.

        Returns
        -------
        UltraconservativeClassifier
        """
        self._check_options()
        first = not hasattr(self, "coef_")
        points, codes = self._checked(X, y, classes, reset=first)
        if first:
            self._begin(points)
        return self._learn(points, codes, 1)

    def _begin(self, points: Any) -> None:
        self.coef_ = np.zeros((len(self.classes_), points.shape[1]))
        self.updates_ = 0
        # For all calls: drawn anew from a number, each would take its rows in the same order, and
        # rows that come one by one would have the same random step. Orders do not depend on steps.
        rng = generator(self.random_state)
        self._rng = rng, rng.spawn(1)[0] if self.step == "random" else None

    def _check_options(self) -> None:
        # The function has two more rules, which are for UMA: here they would be the first again.
        one_of("step", self.step, ONLINE)
        _true_or_false(self, "shuffle", "fit_intercept", "unit_norm")

    def _learn(self, points: Any, codes: NDArray[np.int64], passes: int) -> Self:
        rng, draws = self._rng
        if draws is None and self.step == "random":
            # Steps may become random between chunks.
            self._rng = rng, draws = rng, rng.spawn(1)[0]
        for _ in range(passes):
            order = rng.permutation(points.shape[0]) if self.shuffle else None
            run = ultraconservative(
                points, codes, len(self.classes_), step=self.step, start=self.coef_,
                order=order, rng=draws,
            )
            self.coef_, self.updates_ = run.weights, self.updates_ + run.updates
            self.clean_ = bool(run.clean)
            if run.clean:
                break
        return self


class _Path:
    """The last weights of a run, and a mean of all in which the k-th weighs as k(k + 1)."""

    def __init__(self) -> None:
        self.last: Floats | None = None
        self.number, self.mean = 0, np.zeros(())

    def follow(self, _: int, weights: Floats) -> None:
        """One more update."""
        self.number += 1
        self.mean = self.mean + 3 / (self.number + 2) * (weights - self.mean)

    def weights(self, run: Run, average: bool) -> Floats:
        """Those to keep of a run that went on from here."""
        self.last = run.weights
        ended = run.stopped != "max_iter" and run.updates == self.number
        return self.mean if average and self.number and not ended else run.weights


class UMAClassifier(_Linear):
    r"""UMA: a linear classifier from confused labels and their confusion matrix.

    Parameters
    ----------
    confusion : array-like or table, shape (Q, Q), ConfusionEstimate, or None
        $C_{pq}=\Pr[\text{label }p\mid\text{true }q]$. A pandas or xarray table with the classes'
        names in rows and columns is read by them; other matrices have the classes in the order of
        ``classes`` in `fit`, or sorted. None is no noise: then it is a batch Perceptron. An
        estimate, from `nt.confusion.estimate_confusion`, brings its uncertainty.
    orientation : {"column", "row"}, optional
        Where the true classes are; columns by default, and never guessed.
    strategy : {"error", "confusion", "random"}
        Which pair of classes to correct next.
    step : str
        As for `nt.multiclass.uma`; the default works with an estimated confusion.
    normalise : bool
        Steps of length 1.
    stop : {"all_pairs", "printed"}
        When no pair's vector is longer than the tolerance, or when the one selected is not.
    tolerance : float
        The length at which to stop.
    max_iter : int or None
        Updates at most, of which noisy labels mostly take all: ``run_.stopped`` tells. With the
        printed stop, pairs looked at. None is 100, 200, 400 and so on, as many as err least by the
        noisy labels of each half of the sample, of what learned from the other: two to fifteen
        times as long. With ``normalise=True`` and a confusion that is known, or estimated from
        hundreds a class, that errs less than 300 (``validation/confused_labels.md``); with one
        from 20 a class it does not.
    average : bool
        Of a run that takes all its updates, a mean of the weights after each of them, later ones
        weighing more; False is the paper's, the last ones. A run that ends of itself has its last.
    alpha, error_alpha : float
        Functional margins of regions and error sets; from W = 0 nothing moves if alpha > 0.
    ties : {"lowest", "all"}
        Region of tied points: that of the first class, or of every tied one.
    least_share : float
        The confusion strategy passes over classes of an estimated share up to this, until no pair
        of another is left to take; then it takes the largest norm of theirs, undivided.
    fit_intercept : bool
        Append a constant 1 to every row.
    unit_norm : bool
        Divide rows by their norm, which the theory supposes; zero rows stay,
        and so do those below 1e-300.
    compare : bool
        Whether `fit` learns some more times, to tell whether correcting pays: see the notes. False
        takes the time of one run.
    random_state : int, Generator, RandomState or None
        For random pairs and steps, and for the bootstrap of an estimated confusion.

    Attributes
    ----------
    classes_ : array, shape (Q,)
    coef_ : array, shape (Q, d) or (Q, d + 1)
        With the constant's weight last.
    confusion_ : array, shape (Q, Q)
        The matrix in use, true classes in columns.
    amplification_, condition_ : float
        $\max|C^{-1}|$ and the condition number: the sample must be amplification squared times as
        large as without noise.
    relative_leakage_ : float or None
        Of an estimate: above 1 its update vectors are expected to be further off than without a
        correction.
    expected_gain_ : float
        After a `fit` that learned, without audited examples, with an estimate, or with a matrix and
        fewer than four million numbers in ``X``: by how much a linear SVM that ignores the noise
        errs more, as the noisy labels of what neither learned from tell; between -1 and 1, where an
        estimate beyond is cut off. Of a matrix it is what that says itself: one that is wrong and
        harms may have a positive gain.
    class_shares_ : array, shape (Q,)
        Estimated shares of the true classes, unbiased, and so at times below 0.
    audited_errors_ : dict of str to float
        Where audited examples are given: errors there of "UMA", of "ignoring" the noise by a linear
        SVM, and of the audited "alone", by cross-validation; classes weighted by
        `nt.multiclass.likely_shares`, of which none is 0. What is judged on audited examples has
        not learned from their rows in ``X``, and its estimate of the confusion has not counted
        them; it learned from less, and errors of "UMA" and of "ignoring" are a little too large.
    run_ : nt.multiclass.Run
        Pairs, norms, what is left, why it stopped, and the last weights, whatever `average` says.

    Notes
    -----
    It warns where the amplification exceeds 30, where an estimated share is not positive, and where
    labels contradict a matrix: their numbers (`nt.multiclass.label_misfit`; most wrong
    matrices pass), or, of audited examples with their noisy labels, the pairs of both
    (`nt.multiclass.audit_misfit`).
    Whether correcting pays it asks of the audited examples, if `fit` has them, and warns where
    ignoring the noise, or training on them alone, errs less there, or where of up to 200 a
    class the latter errs more by less than a standard error. Of audited rows of ``X``, or those
    that an estimate was made of, a fifth is left out in turn of the sample and of the estimate, and
    UMA and its rival learn from the rest again: `fit` learns five times more. (With halves an
    estimate from few would lack too many; of those in no row of ``X`` the third array tells
    whether the estimate was made of them.) Without audited examples it asks the noisy labels, of
    each half of the sample what learned from the other: `fit` learns twice more, and warns where
    ignoring the noise errs less by `nt.multiclass.gain_by_noisy_labels`; else it warns of an
    estimate from up to 200 audited examples a class.

    Ignoring the noise means a linear SVM on the same rows and labels; beyond four million numbers
    on as many rows as hold those. Without a correction UMA itself is a worse rival, and no stable
    one: of lopsided noise its error jumps from one update to the next, by tens of points.

    A matrix without counts does not say how wrong it may be. Its own word is taken, and a warning
    given where ignoring the noise errs less by a standard error: a misestimated matrix that harms
    may be missed, above all one that is turned round. Of a large sample it is not asked, as that
    would take as long again. Give audited examples, or counts, where the matrix is not known for
    sure. ``validation/confused_labels.md`` has how often each warning is right.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> true = rng.integers(3, size=3000)
    >>> x = np.eye(3)[true] + 0.3 * rng.normal(size=(3000, 3))
    >>> noise = np.array([[1.0, 0.6, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 1.0]])
    >>> y = np.where((true == 1) & (rng.random(3000) < 0.6), 0, true)
    >>> models = UMAClassifier().fit(x, y), UMAClassifier(confusion=noise).fit(x, y)
    >>> [round(float((model.predict(x) == true).mean()), 2) for model in models]
    [0.66, 0.98]
    """

    _rng: np.random.Generator
    """Goes on from call to call of `partial_fit`."""

    _given: tuple[Given, Orientation | None]
    """Confusion and orientation that `confusion_` was made of."""

    _told: bool
    """Whether it has been said that a share is negative."""

    _most: int
    """Updates at most."""

    def __init__(
        self, confusion: Given = None, *, orientation: Orientation | None = None,
        strategy: Literal["error", "confusion", "random"] = "error", step: str = "predicted",
        normalise: bool = False, stop: Literal["all_pairs", "printed"] = "all_pairs",
        tolerance: float = 1e-6, max_iter: int | None = 300, average: bool = True,
        alpha: float = 0.0, error_alpha: float = 0.0, ties: Literal["lowest", "all"] = "lowest",
        least_share: float = 0.0, fit_intercept: bool = True, unit_norm: bool = True,
        compare: bool = True, random_state: Any = None,
    ) -> None:
        self.confusion = confusion
        self.orientation = orientation
        self.strategy = strategy
        self.step = step
        self.normalise = normalise
        self.stop = stop
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.average = average
        self.alpha = alpha
        self.error_alpha = error_alpha
        self.ties = ties
        self.least_share = least_share
        self.fit_intercept = fit_intercept
        self.unit_norm = unit_norm
        self.compare = compare
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None,
        audited: tuple[ArrayLike, ...] | None = None,
    ) -> Self:
        """Learn from noisy labels.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
            Noisy labels.
        classes : array-like, optional
            All classes, where ``y`` may lack some that the confusion has, or where a matrix
            without names has them in an order that is not the sorted one.
        audited : two or three array-like, optional
            Some examples and their true labels, of two classes at least, to see whether the
            correction pays. Of rows of ``X`` give their places in it in place of the examples (or
            a truth value a row): then their noisy labels are known, too. Examples that are equal to
            rows of ``X`` are taken for these, as many as there are. They should be drawn at random,
            of each class or of all: the first ones of each class, or those that came first, may be
            easier or of another source than the rest, and then tell of themselves alone. So of
            those that an estimate is made of. With their noisy labels, as a third array where they
            are no rows of ``X``, a matrix is held against them.

        Returns
        -------
        UMAClassifier

        Raises
        ------
        ValueError
            On bad input, or a confusion that cannot be inverted or has another number of classes.
        """
        points, codes = self._checked(X, y, classes, reset=True)
        self._confuse()
        known = None if audited is None else audit_of(audited, X, y, self.classes_)
        if known is not None and known.noisy is not None:
            self._hold_against(known)
        self._path, self._rng = _Path(), generator(self.random_state)
        one = len(codes) < 2  # nothing can be left out of one example
        chosen = FEWEST if one or self.max_iter is not None else self._chosen(points, codes)
        self._most = chosen if self.max_iter is None else self.max_iter
        self._learn(points, codes, self._most)
        learned = bool(self.run_.updates or not codes.any())
        if not learned:
            self._say_why()
        if not self.compare or one:
            self._hint(3, unasked=True)
        elif known is not None:
            self._compare(points, codes, known)
        elif learned:
            self._guess(points, codes)
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """One update from a fresh chunk, as the paper's online form takes them.

        Update vectors of a fresh chunk are unbiased; those of a sample used again are not. Where
        another vendor labelled a chunk, ``set_params(confusion=...)`` before it.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
        classes : array-like, optional
            All there will be; needed at the first call unless ``y`` holds them all.

        Returns
        -------
        UMAClassifier
        """
        first = not hasattr(self, "coef_")
        points, codes = self._checked(X, y, classes, reset=first)
        if first:
            self._confuse()
            self._hint(3, unasked=True)
            # One for all calls: drawn anew from a number, each would look at the same pair.
            self._path, self._rng = _Path(), generator(self.random_state)
        elif self.confusion is not self._given[0] or self.orientation != self._given[1]:
            self._confuse()
            self._hint(3, unasked=True)
        self._learn(points, codes, 1)
        if codes.any() and not self.coef_.any():
            self._say_why()
        return self

    def _features(self, points: Any) -> Any:
        """Rows as of any linear model; large dense ones are not copied."""
        plain = not (self.fit_intercept or self.unit_norm)
        if plain or sparse.issparse(points) or points.size < COMPILED:
            return super()._features(points)
        return scaled(points, intercept=self.fit_intercept, unit=self.unit_norm)

    def _learn(self, points: Any, codes: NDArray[np.int64], most: int) -> Self:
        self.run_ = self._run(points, codes, self._path, most, rng=self._rng)
        self.coef_, self.n_iter_ = self._path.weights(self.run_, self.average), max(
            1, self.run_.updates)
        self.class_shares_ = self.run_.shares
        if not self._told:
            self._told = self._doubt(
                self.confusion, self.confusion_, codes, self.class_shares_, level=4)
        return self

    def _say_why(self) -> None:
        """That nothing was learned from labels of which some are not the first class."""
        longest = float(np.max(self.run_.residual))
        why = "every row is zero, or the confusion leaves no mistake to correct"
        if self.alpha > 0:
            why = f"from W = 0 no score leads by alpha = {self.alpha:g}, so that alpha must be 0"
        elif self.run_.stopped == "no error set":
            why = f"no update vector leads by error_alpha = {self.error_alpha:g}: 0 is the default"
        elif longest > 0:
            why = (f"the longest update vector has length {longest:.3g}, and tolerance is "
                   f"{self.tolerance:g}")
        warnings.warn(
            f"nothing was learned, and everything is predicted to be {self.classes_[0]}: {why}",
            UserWarning, stacklevel=3,
        )

    def _run(
        self, points: Any, codes: NDArray[np.int64], path: _Path, most: int,
        confusion: Floats | None = None, rng: np.random.Generator | None = None,
        watch: Watch | None = None,
    ) -> Run:
        return uma(
            points, codes, self.confusion_ if confusion is None else confusion,
            orientation="column", strategy=self.strategy,
            step=self.step, normalise=self.normalise, stop=self.stop, tolerance=self.tolerance,
            max_iter=most, alpha=self.alpha, error_alpha=self.error_alpha, ties=self.ties,
            least_share=self.least_share, start=path.last, watch=watch or path.follow,
            rng=generator(self.random_state) if rng is None else rng,
        )

    def _taught(
        self, points: Any, codes: NDArray[np.int64], confusion: Floats | None = None
    ) -> Callable[[Any], NDArray[np.int64]]:
        """What it would predict, had it learned from these."""
        path = _Path()
        run = self._run(points, codes, path, self._most, confusion)
        weights = path.weights(run, self.average)
        return lambda others: np.argmax(np.asarray(others @ weights.T), axis=1)

    def _chosen(self, points: Any, codes: NDArray[np.int64]) -> int:
        """How many updates err least by the labels of each half, learned from the other."""
        most = max(4 * FEWEST, 5 * len(self.classes_) * (len(self.classes_) - 1))
        tried = [FEWEST]
        while 2 * tried[-1] <= most:
            tried.append(2 * tried[-1])
        said = np.empty((len(tried), len(codes)), np.int64)
        for part in left_out(codes, 2):
            path, seen = _Path(), dict[int, Floats]()

            def follow(number: int, weights: Floats, path: _Path = path, seen: Any = seen) -> None:
                path.follow(number, weights)
                if number in tried:
                    seen[number] = (path.mean if self.average else weights).copy()

            run = self._run(points[~part], codes[~part], path, tried[-1], watch=follow)
            ended = path.weights(run, self.average)
            for k, number in enumerate(tried):
                weights = seen.get(number, ended)
                said[k, part] = np.argmax(np.asarray(points[part] @ weights.T), axis=1)
        errors = [error_by_noisy_labels(one, codes, self.confusion_, "column") for one in said]
        return tried[int(np.argmin(errors))]

    def _confuse(self) -> None:
        """Check the confusion, and say what it costs."""
        _true_or_false(self, "average", "fit_intercept", "unit_norm", "compare")
        given, self._told = self.confusion, False
        for name in ("expected_gain_", "audited_errors_"):
            self.__dict__.pop(name, None)  # of another fit
        self.confusion_: Floats = self._confusion_of(given, self.orientation)
        self._given = given, self.orientation
        self.amplification_, self.condition_ = costs(self.confusion_, level=4)
        self.relative_leakage_ = None
        if isinstance(given, ConfusionEstimate):
            rng = generator(self.random_state)
            self.relative_leakage_ = given.relative_leakage(rng=rng)

    def _guess(self, points: Any, codes: NDArray[np.int64]) -> None:
        """Whether the confusion is worth its errors, as far as the noisy labels tell."""
        given, error = self.confusion, 0.0
        estimated = isinstance(given, ConfusionEstimate)
        entries = points.nnz if sparse.issparse(points) else points.shape[0] * points.shape[1]
        if given is None or (entries >= COMPILED and not estimated):
            return
        # What was learned from tells too little of itself, and of an SVM least.
        ours = held_out(points, codes, self._taught, folds=2)
        other = held_out(points, codes, ignoring, folds=5)
        if estimated:
            what = f"that is estimated from {given.counts.sum()} examples: audit more"
            gain = gain_by_noisy_labels(
                ours, other, codes, self._counted(given), rng=generator(self.random_state),
            )
        else:
            # A matrix does not say how wrong it may be, and its own word is taken.
            what = "that is given: have it checked on audited examples"
            gain, error = gain_by_known_confusion(ours, other, codes, self.confusion_, "column")
        # What is estimated lies between; the estimate goes beyond where noise is amplified.
        self.expected_gain_ = min(1.0, max(-1.0, gain))
        if gain < -error:
            warnings.warn(
                f"the noisy labels tell that ignoring the noise errs less, by "
                f"{-self.expected_gain_:.2g}, than correcting it by a confusion {what}, "
                "ignore the noise, or train on the audited examples alone; give them to fit as "
                "audited= to see", UserWarning, stacklevel=3,
            )
        else:
            self._hint(4)

    def _hint(self, level: int, unasked: bool = False) -> None:
        """What was mostly better than an estimate from so few; of none of the labels was asked."""
        given = self.confusion
        if not isinstance(given, ConfusionEstimate):
            return
        if unasked and self.relative_leakage_ is not None and self.relative_leakage_ > 1:
            warnings.warn(
                f"by a bootstrap of the {given.counts.sum()} examples that it is estimated from "
                f"the confusion leaves {self.relative_leakage_:.2g} times as much noise as there "
                "is: audit more, ignore the noise, or train on the audited examples alone",
                UserWarning, stacklevel=level,
            )
        elif np.median(given.audited) <= AUDITED:
            warnings.warn(
                f"{given.counts.sum()} examples were audited: training on them alone was better "
                f"in most trials with up to {AUDITED} a class; give them to fit as audited= to see",
                UserWarning, stacklevel=level,
            )

    def _hold_against(self, audit: Audit) -> None:
        """Say where audited pairs contradict a confusion."""
        assert audit.noisy is not None
        noisy, known = (np.searchsorted(self.classes_, said) for said in (audit.noisy, audit.true))
        counts, given = observed_confusion(noisy, known, len(self.classes_)), self.confusion
        if isinstance(given, ConfusionEstimate):
            held = self._counted(given).counts
            if np.array_equal(held.T, counts) and not np.array_equal(held, counts):
                warnings.warn(
                    "the confusion is estimated from the audited labels turned round, true for "
                    "noisy ones: say estimate_confusion(noisy=..., true=...)", UserWarning,
                    stacklevel=3,
                )
        if given is None or isinstance(given, ConfusionEstimate):
            return
        chance = audit_misfit(
            counts, self.confusion_, "column", rng=generator(self.random_state))
        if chance <= DOUBTFUL:
            warnings.warn(
                f"{len(known)} audited examples contradict the confusion (were it right, a chance "
                f"of at most {chance:.2g}): make an estimate of them", UserWarning, stacklevel=3,
            )

    def _compare(self, points: Any, codes: NDArray[np.int64], audit: Audit) -> None:
        """Errors on audited examples: of this, of ignoring the noise, and of them alone."""
        there, known, labels = audit.examples, audit.true, codes
        plain = clone(self).set_params(confusion=None, orientation=None)
        alone = held_out(there, known, lambda x, true: plain.fit(x, true).predict)
        told = self._judged(points, codes, audit)
        said = {name: self.classes_[found] for name, found in told.items()} | {"alone": alone}
        # An audit may have taken as many of a rare class as of a common one.
        codes = np.searchsorted(self.classes_, known)
        given = self.confusion
        shares = likely_shares(
            np.bincount(labels, minlength=len(self.classes_)), self.confusion_, "column",
            audited=given.counts.sum() if isinstance(given, ConfusionEstimate) else np.inf,
        )
        weights = shares[codes] / np.bincount(codes)[codes]
        self.audited_errors_ = {
            name: float(np.average(found != known, weights=weights))
            for name, found in said.items()
        }
        missing = np.bincount(codes, minlength=len(self.classes_)) == 0
        if missing.any():
            # Who learns from the audited alone never predicts these; of the others nobody knows.
            lost, seen = float(shares[missing].sum()), self.audited_errors_["alone"]
            self.audited_errors_["alone"] = lost + (1 - lost) * seen
            warnings.warn(
                f"none of class {self.classes_[int(np.argmax(missing))]} was audited "
                f"({missing.sum()} such classes, a share of {lost:.2g}): the errors of UMA and of "
                "ignoring the noise are those on other classes, and training on the audited "
                "examples alone predicts none of these", UserWarning, stacklevel=3,
            )
        ours = self.audited_errors_["UMA"]
        rivals = {"ignoring": "ignoring the noise", "alone": "training on them alone"}
        for name, other in rivals.items():
            if self.audited_errors_[name] < ours:
                warnings.warn(
                    f"on {len(known)} audited examples {other} errs less: "
                    f"{self.audited_errors_[name]:.3g}, UMA {ours:.3g}", UserWarning, stacklevel=3,
                )
        lead = (said["alone"] != known) * 1.0 - (said["UMA"] != known)
        mean = self.audited_errors_["alone"] - ours
        error = np.sqrt(weights**2 @ (lead - np.average(lead, weights=weights)) ** 2)
        few = np.median(np.bincount(codes)) <= AUDITED and not missing.any()
        if few and 0 <= mean < error / weights.sum():
            warnings.warn(
                f"on {len(known)} audited examples UMA errs {ours:.3g} and training on them alone "
                f"{self.audited_errors_['alone']:.3g}, which is within a standard error: training "
                f"on them alone was better in most trials with up to {AUDITED} a class",
                UserWarning, stacklevel=3,
            )

    def _judged(
        self, points: Any, codes: NDArray[np.int64], audit: Audit
    ) -> dict[str, NDArray[np.int64]]:
        """Predictions for the audited by what has neither learned from them nor counted them."""
        seen, known = self._seen(audit.examples), np.searchsorted(self.classes_, audit.true)
        found = {name: np.empty(len(known), np.int64) for name in ("UMA", "ignoring")}
        counts, size = self._counts_of(audit, known), len(self.classes_)
        apart = counts is None and (audit.places < 0).all()
        plain: Any = None
        for part in left_out(known, 1 if apart else PARTS):
            kept = np.ones(len(codes), bool)
            kept[audit.places[part & (audit.places >= 0)]] = False
            rows, labels = (points, codes) if kept.all() else (points[kept], codes[kept])
            lost = (np.bincount(labels, minlength=size) == 0) & (
                np.bincount(codes, minlength=size) > 0)
            if lost.any():
                warnings.warn(
                    f"without the audited rows no label {self.classes_[int(np.argmax(lost))]} is "
                    "left in X: the errors of UMA and of ignoring the noise are too large there",
                    UserWarning, stacklevel=4,
                )
            others, fewer = seen[part], None
            if counts is not None:
                assert audit.noisy is not None
                noisy = np.searchsorted(self.classes_, audit.noisy[part])
                fewer = self._without(counts, noisy, known[part])
            ours = self._by_weights if apart else self._taught(rows, labels, fewer)
            if plain is None or not kept.all():
                plain = ignoring(rows, labels)
            found["UMA"][part], found["ignoring"][part] = ours(others), plain(others)
        return found

    def _counted(self, given: ConfusionEstimate) -> ConfusionEstimate:
        """Of the sorted classes."""
        return ConfusionEstimate(given.counts[np.ix_(self._places, self._places)])

    def _counts_of(self, audit: Audit, known: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """What an estimate has counted, if these examples are among it."""
        if audit.noisy is None or not isinstance(self.confusion, ConfusionEstimate):
            return None
        counts: NDArray[np.int64] = self._counted(self.confusion).counts
        noisy = np.searchsorted(self.classes_, audit.noisy)
        there = observed_confusion(noisy, known, len(self.classes_)) <= counts
        return counts if there.all() else None

    def _without(
        self, counts: NDArray[np.int64], noisy: NDArray[np.int64], known: NDArray[np.int64]
    ) -> Floats:
        """The estimate without some examples; where it then tells nothing, as it was."""
        left = counts - observed_confusion(noisy, known, len(counts))
        left = np.where(left.any(axis=0), left, counts)
        fewer: Floats = left / left.sum(axis=0)
        try:
            inverse_of(fewer)
        except ValueError:
            return self.confusion_
        return fewer

    def _by_weights(self, others: Any) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.argmax(np.asarray(others @ self.coef_.T), axis=1)
        return found


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


def _true_or_false(model: Any, *names: str) -> None:
    for name in names:
        one_of(name, getattr(model, name), (True, False))
