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

__all__ = ["FiveSteps", "drawn_apart", "five_steps", "self_training"]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class FiveSteps:
    """Linear classifiers of the protocol, each an array of shape (Q, d), learned once asked for.

    Parameters
    ----------
    rough : array
        g, from the few.
    labels : array of int, shape (n,)
        g's labels of the rest.
    confusion : ConfusionEstimate
        Of g, on the audited.
    true_labels : int
        How many were used.
    learn : callable
        The name of one of the other classifiers to it.
    """

    rough: Floats
    labels: Codes
    confusion: ConfusionEstimate
    true_labels: int
    learn: Callable[[str], Floats] = field(repr=False, compare=False)

    @cached_property
    def uma(self) -> Floats:
        """From the rest under g's labels, corrected."""
        return self.learn("uma")

    @cached_property
    def ignoring(self) -> Floats:
        """f_y: the same without a correction."""
        return self.learn("ignoring")

    @cached_property
    def audited(self) -> Floats:
        """f_conf: from the audited examples alone."""
        return self.learn("audited")

    @cached_property
    def audited_and_few(self) -> Floats:
        """From all true labels that were used: what UMA must be compared with."""
        return self.learn("audited_and_few")


def _stacked(*parts: Any) -> Any:
    if hasattr(parts[0], "tocsr"):
        from scipy import sparse

        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def five_steps(
    few: Any, few_labels: ArrayLike, audited: Any, audited_labels: ArrayLike, rest: Any,
    classes: int, *, step: str = "predicted", strategy: str = "error", max_iter: int = 300,
) -> FiveSteps:
    r"""Semi-supervised learning by UMA on one's own data.

    1. Take a few examples of each class; 2. learn a rough classifier g; 3. estimate its confusion
    on an audited sample; 4. let it label the rest; 5. learn from these labels and the confusion.

    Parameters
    ----------
    few : array or sparse matrix, shape (k, d)
        Examples of every class; rows of norm 1 suit the theory.
    few_labels : array-like of int, shape (k,)
        Their classes, 0 to Q - 1.
    audited, audited_labels : the same
        A sample as the rest is one, with true labels.
    rest : array or sparse matrix, shape (n, d)
        Without labels.
    classes : int
    step, strategy : str
        As for `noisytheory.multiclass.uma`; the paper's forced steps collapse here.
    max_iter : int
        Updates of every classifier.

    Returns
    -------
    FiveSteps

    Raises
    ------
    ValueError
        If a class was not audited, or the confusion cannot be inverted.

    Notes
    -----
    The labels of step 4 are a function of x, which is not class-conditional noise: UMA's theory
    does not cover them. The budget of true labels is that of steps 1 and 3 together.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> t = rng.integers(3, size=900)
    >>> x = np.eye(3)[t] + 0.2 * rng.normal(size=(900, 3))
    >>> found = five_steps(x[:30], t[:30], x[30:150], t[30:150], x[150:], 3)
    >>> bool(np.mean(np.argmax(x @ found.uma.T, axis=1) == t) > 0.9)
    True
    """
    first, known = np.asarray(few_labels), np.asarray(audited_labels)
    same = np.eye(classes)

    def perceptron(points: Any, labels: NDArray[Any]) -> Floats:
        return uma(points, labels, same, max_iter=max_iter).weights

    rough = perceptron(few, first)

    def labelled(points: Any) -> Codes:
        return np.asarray(np.argmax(np.asarray(points @ rough.T), axis=1))

    estimate = estimate_confusion(labelled(audited), known, classes)
    noisy = labelled(rest)
    inverse_of(columns(estimate.matrix, "column"))  # refuses one that has no inverse

    def learn(name: str) -> Floats:
        if name == "ignoring":
            return perceptron(rest, noisy)
        if name == "audited":
            return perceptron(audited, known)
        if name == "audited_and_few":
            return perceptron(_stacked(audited, few), np.concatenate([known, first]))
        return uma(
            rest, noisy, estimate.matrix, orientation="column", step=step, strategy=strategy,
            max_iter=max_iter,
        ).weights

    return FiveSteps(rough, noisy, estimate, len(first) + len(known), learn)


def drawn_apart(
    labels: ArrayLike, per_class: int, share: float, *, rng: np.random.Generator
) -> tuple[Codes, Codes, int]:
    """Indices of the few and of the audited, as the paper draws them.

    Parameters
    ----------
    labels : array-like of int, shape (n,)
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
    classes = np.unique(true)
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
    model = LinearSVC(C=10.0, max_iter=5000).fit(audited, known)
    for k in range(1, rounds + 1):
        scores = model.decision_function(rest)
        top = np.sort(scores, axis=1)
        lead = top[:, -1] - top[:, -2]
        sure = lead >= np.quantile(lead, 1 - k / rounds)
        points = _stacked(audited, rest[sure])
        labels = np.concatenate([known, model.classes_[np.argmax(scores[sure], axis=1)]])
        model = LinearSVC(C=10.0, max_iter=5000).fit(points, labels)
    return model
