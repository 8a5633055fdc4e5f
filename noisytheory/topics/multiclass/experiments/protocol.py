"""The five steps of Section 4.2.1: learn from few, label the rest, and correct the labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.multiclass.uma import uma
from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    columns,
    estimate_confusion,
    inverse_of,
)

__all__ = ["CLASSIFIERS", "FiveSteps", "drawn_apart", "five_steps", "self_training"]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class FiveSteps:
    """Linear classifiers of the protocol, each an array of shape (Q, d), learned once asked for.

    Parameters
    ----------
    classes : array, shape (Q,)
        The labels that stand for the classes, in the order of all weights and matrices.
    rough : array
        g, from the few.
    labels : array, shape (n,)
        g's labels of the rest.
    confusion : ConfusionEstimate
        Of g, on the audited.
    true_labels : int
        How many were used; those of the rest, where they are known, are for `full` alone.
    learn : callable
        The name of one of the other classifiers to it.
    """

    classes: NDArray[Any]
    rough: Floats
    labels: NDArray[Any]
    confusion: ConfusionEstimate
    true_labels: int
    learn: Callable[[str], Any] = field(repr=False, compare=False)

    @cached_property
    def uma(self) -> Floats:
        """From the rest under g's labels, corrected."""
        return np.asarray(self.learn("uma"))

    @cached_property
    def ignoring(self) -> Floats:
        """f_y: the same without a correction."""
        return np.asarray(self.learn("ignoring"))

    @cached_property
    def audited(self) -> Floats:
        """f_conf: from the audited examples alone."""
        return np.asarray(self.learn("audited"))

    @cached_property
    def audited_and_few(self) -> Floats:
        """From all true labels that were used: what UMA must be compared with."""
        return np.asarray(self.learn("audited_and_few"))

    @cached_property
    def full(self) -> Floats:
        """f_full: from true labels of the rest, where they are given."""
        return np.asarray(self.learn("full"))

    @cached_property
    def svm(self) -> Any:
        """f_S3VM's place: a linear SVM that trains itself, as `self_training` returns it."""
        return self.learn("svm")

    def predict(self, name: str, points: Any) -> NDArray[Any]:
        """Labels by one of the classifiers.

        Parameters
        ----------
        name : str
            One of `CLASSIFIERS`.
        points : array or sparse matrix, shape (m, d)

        Returns
        -------
        array, shape (m,)
        """
        if name not in CLASSIFIERS:
            raise ValueError(f"name must be one of {', '.join(CLASSIFIERS)}, got {name!r}")
        if name == "svm":
            return np.asarray(self.classes[self.svm.predict(points)])
        return np.asarray(self.classes[_winners(points, getattr(self, name))])

    def errors(self, points: Any, labels: ArrayLike) -> dict[str, float]:
        """Shares of wrong predictions: a row of Table 1 on one's own data.

        Parameters
        ----------
        points : array or sparse matrix, shape (m, d)
        labels : array-like, shape (m,)
            True ones.

        Returns
        -------
        dict of str to float
            By the names in `CLASSIFIERS`; "full" only where the rest's true labels were given.
        """
        true, found = np.asarray(labels), {}
        for name in CLASSIFIERS:
            try:
                found[name] = float(np.mean(self.predict(name, points) != true))
            except ValueError:
                if name != "full":
                    raise
        return found


CLASSIFIERS = {
    "rough": "g, from the few", "ignoring": "f_y, the noise ignored",
    "audited": "f_conf, the audited alone", "audited_and_few": "all the true labels that UMA used",
    "full": "f_full, true labels of the rest",
    "svm": "a self-training linear SVM in place of an S3VM, which is not to be had",
    "uma": "UMA",
}
"""Classifiers of the protocol and what they are."""


def _winners(points: Any, weights: Floats) -> Codes:
    return np.asarray(np.argmax(np.asarray(points @ weights.T), axis=1))


def _stacked(*parts: Any) -> Any:
    if hasattr(parts[0], "tocsr"):
        from scipy import sparse

        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def five_steps(
    few: Any, few_labels: ArrayLike, audited: Any, audited_labels: ArrayLike, rest: Any, *,
    rest_labels: ArrayLike | None = None, step: str = "predicted", strategy: str = "error",
    max_iter: int = 300, rng: np.random.Generator | None = None,
) -> FiveSteps:
    r"""Semi-supervised learning by UMA on one's own data.

    1. Take a few examples of each class; 2. learn a rough classifier g; 3. estimate its confusion
    on an audited sample; 4. let it label the rest; 5. learn from these labels and the confusion.

    Parameters
    ----------
    few : array or sparse matrix, shape (k, d)
        Examples of every class; rows of norm 1 suit the theory.
    few_labels : array-like, shape (k,)
        Their classes: numbers, strings, whatever can be sorted.
    audited, audited_labels : the same
        A sample as the rest is one, with true labels.
    rest : array or sparse matrix, shape (n, d)
        Without labels.
    rest_labels : array-like, shape (n,), optional
        True ones, for a comparison with `FiveSteps.full`; nothing else uses them.
    step, strategy : str
        As for `noisytheory.multiclass.uma`; the paper's forced steps collapse here.
    max_iter : int
        Updates of every classifier.
    rng : Generator, optional
        For the random strategy or step.

    Returns
    -------
    FiveSteps

    Raises
    ------
    ValueError
        If a class is not among the few or was not audited, or the confusion has no inverse.

    Notes
    -----
    The labels of step 4 are a function of x, which is not class-conditional noise: UMA's theory
    does not cover them. The budget of true labels is that of steps 1 and 3 together.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> t = np.array(["ant", "bee", "cow"])[rng.integers(3, size=900)]
    >>> x = (t[:, None] == ["ant", "bee", "cow"]) + 0.2 * rng.normal(size=(900, 3))
    >>> found = five_steps(x[:30], t[:30], x[30:150], t[30:150], x[150:])
    >>> bool(np.mean(found.predict("uma", x) == t) > 0.9)
    True
    """
    first, known = np.asarray(few_labels), np.asarray(audited_labels)
    classes = np.unique(np.concatenate([first, known]))
    for name, labels in (("few_labels", first), ("audited_labels", known)):
        missing = np.setdiff1d(classes, labels)
        if missing.size:
            raise ValueError(f"{name} must hold every class, none is {missing[0]!s}")
    few_codes, known_codes = (np.searchsorted(classes, part) for part in (first, known))
    same = np.eye(len(classes))

    def perceptron(points: Any, labels: NDArray[Any]) -> Floats:
        return uma(points, labels, same, max_iter=max_iter).weights

    rough = perceptron(few, few_codes)
    estimate = estimate_confusion(_winners(audited, rough), known_codes, len(classes))
    noisy = _winners(rest, rough)
    inverse_of(columns(estimate.matrix, "column"))  # refuses one that has no inverse

    def learn(name: str) -> Any:
        if name == "ignoring":
            return perceptron(rest, noisy)
        if name == "audited":
            return perceptron(audited, known_codes)
        if name == "audited_and_few":
            return perceptron(
                _stacked(audited, few), np.concatenate([known_codes, few_codes])
            )
        if name == "svm":
            return self_training(audited, known_codes, rest)
        if name == "full":
            if rest_labels is None:
                raise ValueError("rest_labels must be given to learn from them")
            true = np.asarray(rest_labels)
            codes = np.minimum(np.searchsorted(classes, true), len(classes) - 1)
            if np.any(classes[codes] != true):
                raise ValueError(f"rest_labels must be among the classes {classes.tolist()}")
            return perceptron(rest, codes)
        return uma(
            rest, noisy, estimate.matrix, orientation="column", step=step, strategy=strategy,
            max_iter=max_iter, rng=rng,
        ).weights

    return FiveSteps(classes, rough, classes[noisy], estimate, len(first) + len(known), learn)


def drawn_apart(
    labels: ArrayLike, per_class: int, share: float, *, rng: np.random.Generator
) -> tuple[Codes, Codes, int]:
    """Indices of the few and of the audited, as the paper draws them.

    Parameters
    ----------
    labels : array-like, shape (n,)
        True classes.
    per_class : int
        Examples of each class, m.
    share : float
        Of all, for the audit; drawn again while a class is missing.
    rng : Generator

    Returns
    -------
    few, audited : array of int
    rejections : int
        Audits that lacked a class.
    """
    true = np.asarray(labels)
    classes, sizes = np.unique(true, return_counts=True)
    if not 1 <= per_class <= sizes.min():
        raise ValueError(
            f"per_class must be 1 to {sizes.min()}, the size of the smallest class, got {per_class}"
        )
    few = np.concatenate([
        rng.choice(np.flatnonzero(true == q), per_class, replace=False) for q in classes
    ])
    for rejections in range(1000):
        audited = rng.choice(len(true), max(len(classes), round(share * len(true))), replace=False)
        if len(np.unique(true[audited])) == len(classes):
            return few, audited, rejections
    raise ValueError(f"share must leave every class in the audit, got {share:g}")


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
    """
    from sklearn.svm import LinearSVC

    known = np.asarray(audited_labels)
    def fitted(points: Any, labels: NDArray[Any]) -> Any:
        return LinearSVC(C=10.0, tol=0.1, max_iter=5000, random_state=0).fit(points, labels)

    model = fitted(audited, known)
    for k in range(1, rounds + 1):
        scores = model.decision_function(rest)
        if scores.ndim == 1:  # of two classes
            scores = np.column_stack([-scores, scores])
        top = np.sort(scores, axis=1)
        lead = top[:, -1] - top[:, -2]
        sure = lead >= np.quantile(lead, 1 - k / rounds)
        points = _stacked(audited, rest[sure])
        labels = np.concatenate([known, model.classes_[np.argmax(scores[sure], axis=1)]])
        model = fitted(points, labels)
    return model
