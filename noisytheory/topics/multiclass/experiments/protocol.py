"""The five steps of Section 4.2.1: learn from few, label the rest, and correct the labels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.multiclass.experiments.beside import Beside, beside
from noisytheory.topics.multiclass.experiments.self_training import (
    rows_of,
    self_training,
    stacked,
)
from noisytheory.topics.multiclass.held_out import held_out
from noisytheory.topics.multiclass.ignoring import ignoring
from noisytheory.topics.multiclass.steps import STEPS
from noisytheory.topics.multiclass.uma import STRATEGIES, uma, uma_runs
from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    columns,
    estimate_confusion,
    inverted,
)
from noisytheory.vocabulary.domains import checked_floats, one_of

__all__ = ["CLASSIFIERS", "FiveSteps", "five_steps", "learn_together", "taught", "unlearned"]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FiveSteps:
    """Linear classifiers of the protocol, each an array of shape (Q, d), learned once asked for.

    Parameters
    ----------
    classes : array, shape (Q,)
        The labels that stand for the classes, in the order of all weights and matrices.
    known : dict of str to tuple
        The few and the audited by these names, each examples and codes of their classes.
    rest : array or sparse matrix
        Examples without labels.
    rest_labels : array or None
        Their true ones, where they are known, for `full` alone.
    options : dict
        Of UMA.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.integers(2, size=300)
    >>> x = np.eye(2)[t] + 0.3 * rng.normal(size=(300, 2))
    >>> found = five_steps(x[:10], t[:10], x[10:50], t[10:50], x[50:])
    >>> found.true_labels, int(found.confusion.counts.sum())
    (50, 40)
    >>> round(float(np.mean(found.predict("uma", x) == t)), 2)
    0.99
    """

    classes: NDArray[Any]
    known: dict[str, tuple[Any, Codes]] = field(repr=False)
    rest: Any = field(repr=False)
    rest_labels: NDArray[Any] | None = field(repr=False)
    options: dict[str, Any]

    @property
    def true_labels(self) -> int:
        """How many were used."""
        return sum(len(codes) for _, codes in self.known.values())

    @cached_property
    def labels(self) -> NDArray[Any]:
        """g's labels of the rest."""
        return np.asarray(self.classes[_winners(self.rest, self.rough)])

    @cached_property
    def confusion(self) -> ConfusionEstimate:
        """Of g, on the audited."""
        audited, codes = self.known["audited"]
        said, true = (self.classes[k] for k in (_winners(audited, self.rough), codes))
        return estimate_confusion(noisy=said, true=true, classes=self.classes)

    def refuse_singular(self) -> None:
        """Raise a ValueError where the confusion has no inverse."""
        inverted(columns(self.confusion.matrix, "column"))

    def task(self, name: str) -> dict[str, Any]:
        """What one of the linear classifiers is learned from: arguments of `uma`."""
        confusion, options = np.eye(len(self.classes)), {"max_iter": self.options["max_iter"]}
        if name in ("rough", "audited"):
            points, codes = self.known["few" if name == "rough" else name]
        elif name == "audited_and_few":
            points, codes = map(stacked, *(self.known[part] for part in ("audited", "few")))
        else:
            points, codes = self.rest, np.searchsorted(self.classes, self.labels)
        if name == "full":
            if self.rest_labels is None:
                raise ValueError("rest_labels must be given to learn from them")
            codes = np.searchsorted(self.classes, self.rest_labels)
        if name == "uma":
            confusion, options = self.confusion.matrix, self.options
        return dict(points=points, labels=codes, confusion=confusion, orientation="column",
                    **options)

    def _learned(self, name: str) -> Floats:
        return uma(**self.task(name)).weights

    @cached_property
    def rough(self) -> Floats:
        """g, from the few."""
        return self._learned("rough")

    @cached_property
    def uma(self) -> Floats:
        """From the rest under g's labels, corrected."""
        return self._learned("uma")

    @cached_property
    def ignoring(self) -> Floats:
        """f_y: the same without a correction."""
        return self._learned("ignoring")

    @cached_property
    def ignoring_svm(self) -> Any:
        """What a person would use to ignore the noise: a linear SVM on g's labels of the rest."""
        return ignoring(self.rest, np.searchsorted(self.classes, self.labels))

    @cached_property
    def audited(self) -> Floats:
        """f_conf: from the audited examples alone."""
        return self._learned("audited")

    @cached_property
    def audited_and_few(self) -> Floats:
        """From all true labels that were used: what UMA must be compared with."""
        return self._learned("audited_and_few")

    @cached_property
    def full(self) -> Floats:
        """f_full: from true labels of the rest, where they are given."""
        return self._learned("full")

    @cached_property
    def svm(self) -> Any:
        """f_S3VM's place: a linear SVM that trains itself, as `self_training` returns it."""
        return self_training(*self.known["audited"], self.rest)

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
        one_of("name", name, tuple(CLASSIFIERS))
        rows = _examples("points", points)
        if rows.shape[1] != self.rest.shape[1]:
            raise ValueError(
                f"points must have {self.rest.shape[1]} features, as the rest has, got "
                f"{rows.shape[1]}"
            )
        if name in ("svm", "ignoring_svm"):
            found = self.svm.predict if name == "svm" else self.ignoring_svm
            return np.asarray(self.classes[found(rows)])
        return np.asarray(self.classes[_winners(rows, getattr(self, name))])

    def errors(self, points: Any, labels: ArrayLike) -> dict[str, float]:
        """Shares of wrong predictions: a row of Table 1 on one's own data.

        It warns where a classifier errs less than UMA, as one that learns from the audited alone
        mostly does; `compare` has the table.

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
        found = self.compare(points, labels)
        rivals = [name for name in found.better if name != "full"]
        if rivals:
            told = "; ".join(found.sentences[found.better.index(name)] for name in rivals)
            warnings.warn(f"by {found.told_by} {told}", UserWarning, stacklevel=2)
        return found.errors

    def compare(
        self, points: Any = None, labels: ArrayLike | None = None, *,
        names: Sequence[str] | None = None,
    ) -> Beside:
        """Who errs less than UMA, in a table that says so in words: `print` it.

        Parameters
        ----------
        points : array or sparse matrix, shape (m, d), optional
            Others than were learned from. By default the audited examples are asked: classifiers
            that learn from these are then cross-validated, and UMA's error is a little too small,
            as its confusion is of the same.
        labels : array-like, shape (m,), optional
            True ones.
        names : sequence of str, optional
            Of `CLASSIFIERS` beside UMA; by default all that are at hand.

        Returns
        -------
        Beside
        """
        names = tuple(CLASSIFIERS) if names is None else tuple(names)
        for name in names:
            one_of("names", name, tuple(CLASSIFIERS))
        if self.rest_labels is None:
            names = tuple(name for name in names if name != "full")
        names = (*(name for name in names if name != "uma"), "uma")
        if points is None and labels is not None:
            raise ValueError("points must be given with labels")
        if points is None:
            audited, codes = self.known["audited"]
            true = self.classes[codes]
            said = {
                name: self._cross_validated(name) if name in ("audited", "audited_and_few", "svm")
                else self.predict(name, audited) for name in names
            }
            told_by = f"the {len(true)} audited examples, held out from what learns of them"
        else:
            true, said = np.asarray(labels), {}
            if true.shape != rows_of(points).shape[:1]:
                raise ValueError(
                    f"labels must be one a row of the points, {rows_of(points).shape[0]} of them, "
                    f"got shape {true.shape}"
                )
            known = np.isin(true, self.classes)
            if not known.any():
                raise ValueError(
                    f"labels must be classes, {self.classes.tolist()}, got {true[0]!s}"
                )
            said = {name: self.predict(name, points) for name in names}
            told_by = f"these {len(true)} examples"
            if not known.all():
                told_by += (f", of which {np.sum(~known)} are of no class that was learned, as "
                            f"{true[~known][0]!s} is: errors of all")
        wrong = {name: found != true for name, found in said.items()}
        return beside(wrong, told_by, table=CLASSIFIERS, spoken=SPOKEN)

    def _cross_validated(self, name: str) -> NDArray[Any]:
        """Labels of the audited by what learns from the others of them."""
        few, few_codes = self.known["few"]
        task = self.task("audited")

        def learn(points: Any, codes: Codes) -> Any:
            if name == "svm":
                return self_training(points, codes, self.rest).predict
            if name == "audited_and_few":
                points, codes = stacked(points, few), np.concatenate([codes, few_codes])
            weights = uma(**{**task, "points": points, "labels": codes}).weights
            return lambda others: _winners(others, weights)

        return np.asarray(self.classes[held_out(*self.known["audited"], learn)])


CLASSIFIERS = {
    "rough": "g, from the few", "ignoring": "f_y, the noise ignored",
    "ignoring_svm": "a linear SVM, the noise ignored",
    "audited": "f_conf, the audited alone", "audited_and_few": "all the true labels that UMA used",
    "full": "f_full, true labels of the rest",
    "svm": "a self-training linear SVM in place of an S3VM, which is not to be had",
    "uma": "UMA",
}
"""Classifiers of the protocol and what they are."""

SPOKEN = {
    "rough": "g, learned from the few", "ignoring": "ignoring the noise",
    "ignoring_svm": "a linear SVM that ignores the noise",
    "audited": "training on the audited labels alone",
    "audited_and_few": "training on all the true labels that UMA used",
    "full": "training on true labels of the rest", "svm": "the self-training SVM", "uma": "UMA",
}
"""The same within a sentence."""


def _winners(points: Any, weights: Floats) -> Codes:
    return np.asarray(np.argmax(np.asarray(points @ weights.T), axis=1))


def _examples(name: str, points: Any) -> Any:
    """Rows of finite numbers, refused by their name; bytes stay bytes."""
    if isinstance(points, np.ndarray) and points.dtype == np.uint8 and points.ndim == 2:
        return points
    rows = points.tocsr() if hasattr(points, "tocsr") else checked_floats(name, points)
    if rows.ndim != 2 or not rows.shape[0]:
        raise ValueError(f"{name} must have shape (n, d) with n >= 1, got {rows.shape}")
    if not np.isfinite(rows.data if hasattr(points, "tocsr") else rows).all():
        raise ValueError(f"{name} must be finite, got infinity or NaN")
    return rows


def _labels(name: str, labels: ArrayLike, rows: Any) -> NDArray[Any]:
    """One label a row, of one kind, refused by their name."""
    found = np.asarray(labels)
    if found.shape != rows.shape[:1]:
        raise ValueError(
            f"{name} must be one a row, {rows.shape[0]} of them, got shape {found.shape}"
        )
    for label in found.tolist():
        if not isinstance(label, str | int) and not (isinstance(label, float) and label % 1 == 0):
            raise ValueError(f"{name} must be classes, names or whole numbers, got {label!r}")
    return found


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
    few : array-like or sparse matrix, shape (k, d)
        Examples of every class; rows of norm 1 suit the theory.
    few_labels : array-like, shape (k,)
        Their classes: names, or whole numbers.
    audited, audited_labels : the same
        A sample as the rest is one, with true labels.
    rest : array-like or sparse matrix, shape (n, d)
        Without labels.
    rest_labels : array-like, shape (n,), optional
        True ones, for a comparison with `FiveSteps.full`; nothing else uses them.
    step, strategy : str
        As for `nt.multiclass.uma`; the paper's forced steps collapse here.
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
        On bad input, if a class is not among the few or was not audited, or if the confusion has no
        inverse.

    Notes
    -----
    The labels of step 4 are a function of x, which is not class-conditional noise: UMA's theory
    does not cover them. The budget of true labels is that of steps 1 and 3 together, and who learns
    from these alone mostly does better: ``print(found.compare())`` says whether, by the audited
    examples, and `FiveSteps.errors` warns.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> t = np.array(["ant", "bee", "cow"])[rng.integers(3, size=900)]
    >>> x = (t[:, None] == ["ant", "bee", "cow"]) + 0.2 * rng.normal(size=(900, 3))
    >>> found = five_steps(x[:9], t[:9], x[9:129], t[9:129], x[129:])
    >>> bool(np.mean(found.predict("uma", x) == t) > 0.9)
    True
    >>> found.compare(x[129:], t[129:], names=["audited"]).sentences[0]
    'training on the audited labels alone errs less than UMA, by 0.031 ± 0.008'
    """
    one_of("step", step, STEPS)
    one_of("strategy", strategy, STRATEGIES)
    if not isinstance(rng, np.random.Generator | None):
        raise ValueError(f"rng must be a Generator or None, got {rng!r}")
    sets = {"few": few, "audited": audited, "rest": rest}
    few, audited, rest = (_examples(name, points) for name, points in sets.items())
    widths = [rows.shape[1] for rows in (few, audited, rest)]
    if len(set(widths)) > 1:
        raise ValueError(f"few, audited and rest must have as many features, got {widths}")
    given = {"few_labels": (few_labels, few), "audited_labels": (audited_labels, audited)}
    if rest_labels is not None:
        given["rest_labels"] = (rest_labels, rest)
    kinds = {}
    for name, (labels, rows) in given.items():
        kinds[name] = {isinstance(label, str) for label in _labels(name, labels, rows).tolist()}
    if len(set.union(*kinds.values())) > 1:
        told = ", ".join(
            f"{name} {' beside '.join('text' if text else 'numbers' for text in sorted(kind))}"
            for name, kind in kinds.items()
        )
        raise ValueError(f"{' and '.join(kinds)} must be of one kind, got {told}")
    if len(np.unique(np.asarray(few_labels))) < 2:
        raise ValueError(
            f"few_labels must hold two classes or more, got {np.asarray(few_labels)[0]!s} alone"
        )
    found = unlearned(few, few_labels, audited, audited_labels, rest, rest_labels=rest_labels,
                      step=step, strategy=strategy, max_iter=max_iter, rng=rng)
    found.refuse_singular()
    return found


def unlearned(
    few: Any, few_labels: ArrayLike, audited: Any, audited_labels: ArrayLike, rest: Any, *,
    rest_labels: ArrayLike | None = None, **options: Any,
) -> FiveSteps:
    """The protocol before its first step, from the same arguments; see `learn_together`."""
    labels = {"few": np.asarray(few_labels), "audited": np.asarray(audited_labels)}
    classes = np.unique(np.concatenate(list(labels.values())))
    known = {
        name: (rows_of(points), np.searchsorted(classes, labels[name]))
        for name, points in (("few", few), ("audited", audited))
    }
    for name, (_, codes) in known.items():
        missing = classes[np.bincount(codes, minlength=len(classes)) == 0]
        if missing.size:
            raise ValueError(f"{name}_labels must hold every class, none is {missing[0]!s}")
    true = None if rest_labels is None else np.asarray(rest_labels)
    if true is not None and not np.isin(true, classes).all():
        wrong = true[~np.isin(true, classes)][0]
        raise ValueError(f"rest_labels must be among the classes {classes.tolist()}, got {wrong!s}")
    return FiveSteps(classes, known, rows_of(rest), true, options)


def taught(tasks: Sequence[dict[str, Any]]) -> list[Floats]:
    """Weights that these arguments of `uma` teach: those of one size and kind in lockstep."""
    found: dict[int, Floats] = {}
    alike: dict[Any, list[int]] = {}
    for i, task in enumerate(tasks):
        kind = sorted((key, str(value)) for key, value in task.items() if key not in EACH)
        points = task["points"]
        alike.setdefault((type(points), points.shape, *kind), []).append(i)
    for group in alike.values():
        asked: dict[str, Any] = dict(tasks[group[0]])
        asked |= {key: [tasks[i][key] for i in group] for key in EACH if key in asked}
        if not hasattr(asked["points"][0], "tocsr"):
            asked["points"] = np.array(asked["points"])
        runs = uma_runs(confusions=asked.pop("confusion"), **asked)
        found |= {i: run.weights for i, run in zip(group, runs, strict=True)}
    return [found[i] for i in range(len(tasks))]


EACH = ("points", "labels", "confusion", "start")
"""Arguments of `uma` of which every run has its own."""


def learn_together(protocols: Sequence[FiveSteps], name: str) -> None:
    """Learn one of the linear classifiers of several protocols of the same sizes in lockstep."""
    for one, weights in zip(protocols, taught([one.task(name) for one in protocols]), strict=True):
        vars(one)[name] = weights  # where a cached property keeps its value
