"""Linear classifiers from confused labels and their confusion matrix, for scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.learners.audited import audit_of
from noisytheory.learners.correcting import MOSTLY, CorrectingClassifier, Learned
from noisytheory.learners.linear import Floats, Given, costs, true_or_false
from noisytheory.learners.seeds import generator
from noisytheory.topics.multiclass import Run, error_by_noisy_labels, uma
from noisytheory.topics.multiclass.held_out import left_out
from noisytheory.topics.multiclass.ignoring import ignoring
from noisytheory.topics.multiclass.kept import COMPILED, scaled
from noisytheory.topics.multiclass.lockstep import Watch
from noisytheory.vocabulary.confusion import ConfusionEstimate, Orientation

__all__ = ["UMAClassifier"]

FEWEST = 100
"""Updates from which their number is doubled, where it is to be chosen."""


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


class UMAClassifier(CorrectingClassifier):
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

    _name, _rival = "UMA", "a linear SVM"
    # What was learned from tells too little of itself, and of an SVM least.
    _folds = 2, 5
    _close = MOSTLY

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
            self._unasked()
        elif known is not None:
            self._compare(points, codes, known)
        elif learned and not self._guess(points, codes):
            self._hint(3)
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
            self._unasked()
            # One for all calls: drawn anew from a number, each would look at the same pair.
            self._path, self._rng = _Path(), generator(self.random_state)
        elif self.confusion is not self._given[0] or self.orientation != self._given[1]:
            self._confuse()
            self._unasked()
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
    ) -> Learned:
        path = _Path()
        run = self._run(points, codes, path, self._most, confusion)
        weights = path.weights(run, self.average)
        return lambda others: np.argmax(np.asarray(others @ weights.T), axis=1)

    def _ignoring(self, points: Any, codes: NDArray[np.int64]) -> Learned:
        return ignoring(points, codes)

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
        true_or_false(self, "average", "fit_intercept", "unit_norm", "compare")
        given, self._told = self.confusion, False
        self._read_confusion()
        self._given = given, self.orientation
        self.amplification_, self.condition_ = costs(self.confusion_, level=4)
        self.relative_leakage_ = None
        if isinstance(given, ConfusionEstimate):
            rng = generator(self.random_state)
            self.relative_leakage_ = given.relative_leakage(rng=rng)

    def _unasked(self) -> None:
        """What an estimate tells where none of the labels is asked."""
        given = self.confusion
        if self.relative_leakage_ is not None and self.relative_leakage_ > 1:
            warnings.warn(
                f"by a bootstrap of the {given.counts.sum()} examples that it is estimated from "
                f"the confusion leaves {self.relative_leakage_:.2g} times as much noise as there "
                "is: audit more, ignore the noise, or train on the audited examples alone",
                UserWarning, stacklevel=3,
            )
        else:
            self._hint(4)
