"""Online ultraconservative learning, for scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.learners.linear import LinearClassifier, true_or_false
from noisytheory.learners.seeds import generator
from noisytheory.topics.multiclass import ultraconservative
from noisytheory.vocabulary.domains import COUNT, one_of

__all__ = ["UltraconservativeClassifier"]

ONLINE = ("worst", "uniform", "proportional", "random")
"""Step rules of the online algorithms."""


class UltraconservativeClassifier(LinearClassifier):
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
        true_or_false(self, "shuffle", "fit_intercept", "unit_norm")

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
