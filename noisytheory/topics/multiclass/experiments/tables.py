"""The paper's table and figures as numbers: on scikit-learn's digits, or on data at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import (
    FiveSteps,
    drawn_apart,
    five_steps,
    self_training,
)
from noisytheory.topics.multiclass.experiments.simulate import (
    CLASSES,
    digits,
    toy_norm,
    wrong,
)
from noisytheory.topics.multiclass.experiments.toy import toy_data
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.uma import uma
from noisytheory.vocabulary.confusion import confusion_rate, observed_confusion
from noisytheory.vocabulary.noise import Confusion

__all__ = [
    "COLUMNS", "DATA", "Split", "by_level", "by_misfed", "by_strategy", "data_at_hand", "folder",
    "has", "protocol",
    "split",
]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]

DATA = ("digits", "optdigits", "letter", "reuters9")
"""Bundled digits, and three sets in the folder that NOISYTHEORY_DATA names."""

COLUMNS = {
    "f_y": "ignoring the noise", "f_conf": "audited alone", "f_conf+m": "audited and few",
    "f_full": "all true labels", "SVM": "self-training SVM", "UMA": "steps from the error set",
    "UMA forced": "forced steps",
}
"""Columns of Table 1 and ours: names, and what they are."""


@dataclass(frozen=True, eq=False)
class Split:
    """Examples to learn from and to test on, rows of norm 1; `few` and `share` are the paper's."""

    name: str
    points: Any
    labels: Codes
    test: Any
    truth: Codes
    few: int
    share: float
    updates: int

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.labels.max()) + 1


FILES = {"optdigits": "optdigits_train.csv.gz", "letter": "letter.csv.gz",
         "reuters9": "reuters9_train.svm.gz", "mnist": "mnist.npz"}
"""In the folder; the last is for other pages."""


def folder() -> Path:
    """What NOISYTHEORY_DATA names; nowhere without it."""
    return Path(os.environ.get("NOISYTHEORY_DATA") or os.devnull)


def has(name: str) -> bool:
    """Whether a set that is not bundled is at hand."""
    return (folder() / FILES[name]).is_file()


def data_at_hand() -> tuple[str, ...]:
    """The names in `DATA` whose files are there."""
    return ("digits", *(name for name in DATA[1:] if has(name)))


def _csv(name: str) -> tuple[Floats, Codes]:
    table = np.loadtxt(folder() / f"{name}.csv.gz", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(np.int64)


def split(name: str, *, rng: np.random.Generator) -> Split:
    """One of the sets, as the paper splits and expands it.

    Parameters
    ----------
    name : str
        One of `DATA`.
    rng : Generator
        Draws the split where there is none, and landmarks.

    Returns
    -------
    Split
    """
    if name == "digits":
        features, _, labels = digits()
        order = rng.permutation(len(labels))
        here, there = order[:800], order[800:]
        return Split(name, features[here], labels[here], features[there], labels[there], 5, 0.3,
                     40)
    if name == "optdigits":
        (x, t), (test, truth) = _csv("optdigits_train"), _csv("optdigits_test")
        width = 5 / _median(x, rng)
        x, test = kernel_features(x, test, components=640, gamma=width, landmarks=2000, rng=rng)
        return Split(name, x, t, test, truth, 10, 0.05, 400)
    if name == "letter":
        x, t = _csv("letter")
        order = rng.permutation(len(x))
        width = 2 / _median(x, rng)
        (x,) = kernel_features(x, components=400, gamma=width, landmarks=2000, rng=rng)
        here, there = order[:15_000], order[15_000:]
        return Split(name, x[here], t[here], x[there], t[there], 50, 0.05, 1000)
    if name == "reuters9":
        x, t, test, truth = _reuters()
        return Split(name, x, t, test, truth, 20, 0.05, 100)
    raise ValueError(f"name must be one of {', '.join(DATA)}, got {name!r}")


def _median(points: Floats, rng: np.random.Generator) -> float:
    from scipy.spatial.distance import pdist

    return float(np.median(pdist(rng.permutation(points)[:1000], "sqeuclidean")))


def _reuters() -> tuple[Any, Codes, Any, Codes]:
    from sklearn.datasets import load_svmlight_files
    from sklearn.feature_extraction.text import TfidfTransformer

    x, t, test, truth = load_svmlight_files(
        [str(folder() / f"reuters9_{half}.svm.gz") for half in ("train", "test")]
    )
    weigh = TfidfTransformer(sublinear_tf=True)
    return (weigh.fit_transform(x).tocsr(), t.astype(np.int64), weigh.transform(test).tocsr(),
            truth.astype(np.int64))


def protocol(
    data: Split, few: int, share: float, *, columns: Sequence[str], rng: np.random.Generator,
    own: int | None = None,
) -> dict[str, float]:
    """Test errors of one run of the five steps.

    Parameters
    ----------
    data : Split
    few : int
        Examples of each class.
    share : float
        Of the audit.
    columns : sequence of str
        Those of `COLUMNS` to compute.
    rng : Generator
    own : int, optional
        Examples that the SVM labels itself, at most.

    Returns
    -------
    dict of str to float
        With ``"rejections"``, audits whose confusion could not be inverted.
    """
    run, rejections = _audited_again(data, few, share, rng)
    found = {"rejections": float(rejections)}
    for name in columns:
        if name == "UMA forced":
            weights = uma(
                data.points, run.labels, run.confusion.matrix, orientation="column", step="forced",
                max_iter=data.updates,
            ).weights
            found[name] = wrong(weights, data.test, data.truth)
        elif name == "SVM":
            model = self_training(*run.known["audited"], data.points[:own])
            found[name] = float(np.mean(run.classes[model.predict(data.test)] != data.truth))
        else:
            said = run.predict(NAMES[name], data.test)
            found[name] = float(np.mean(said != data.truth))
    return found


NAMES = {"f_y": "ignoring", "f_conf": "audited", "f_conf+m": "audited_and_few", "f_full": "full",
         "UMA": "uma"}
"""Columns by the names of the protocol's linear classifiers."""


def _audited_again(
    data: Split, few: int, share: float, rng: np.random.Generator
) -> tuple[FiveSteps, int]:
    """A run of the protocol, drawn again while its confusion has no inverse, and how often."""
    x, t = data.points, data.labels
    rejections = 0
    while True:
        first, audited, missing = drawn_apart(t, few, share, rng=rng)
        rejections += missing
        try:
            return five_steps(x[first], t[first], x[audited], t[audited], x, rest_labels=t,
                              max_iter=data.updates), rejections
        except ValueError:
            rejections += 1


def by_level(
    levels: Sequence[int], runs: int, updates: int, *, seed: int, n: int = 1000
) -> dict[str, Floats]:
    """Figure 1(a): norms of the confusion, shape (levels, runs), and the noise in `x`."""
    names = ("UMA", "batch Perceptron")
    found = {name: np.empty((len(levels), runs)) for name in names}
    noise = np.empty((len(levels), runs))
    for r in range(runs):
        rng = np.random.default_rng([seed, r])
        x, t, test, truth = toy_data(n, 2000, rng=rng)
        reference = rng.random((CLASSES, CLASSES))
        reference /= reference.sum(axis=1, keepdims=True)
        for k, level in enumerate(levels):
            matrix = noise_path(reference, level)
            y = Confusion(matrix).apply(t, rng=np.random.default_rng([seed, r, 1]))
            noise[k, r] = np.linalg.norm(matrix - np.diag(np.diag(matrix)))
            for name, used in zip(names, (matrix, np.eye(CLASSES)), strict=True):
                weights = uma(x, y, used, orientation="row", max_iter=updates).weights
                found[name][k, r] = toy_norm(weights, test, truth)
    return {**found, "x": noise}


def by_misfed(
    true: int, fed: Sequence[int], runs: int, updates: int, *, seed: int
) -> dict[str, Floats]:
    """Figure 1(b) about another true matrix: norms of the confusion by step, (fed, runs)."""
    rules = {"error set": "predicted", "forced": "forced"}
    found = {name: np.empty((len(fed), runs)) for name in rules}
    for r in range(runs):
        rng = np.random.default_rng([seed, r])
        x, t, test, truth = toy_data(1000, 2000, rng=rng)
        reference = rng.random((CLASSES, CLASSES))
        reference /= reference.sum(axis=1, keepdims=True)
        y = Confusion(noise_path(reference, true)).apply(t, rng=rng)
        for k, level in enumerate(fed):
            for name, step in rules.items():
                run = uma(x, y, noise_path(reference, level), orientation="row", step=step,
                          max_iter=updates)
                found[name][k, r] = toy_norm(run.weights, test, truth)
    return found


def by_strategy(
    data: Split, few: int, share: float, most: int, *, rng: np.random.Generator
) -> dict[str, Floats]:
    """Figure 5: error and confusion rate after every update, shape (2, most), by strategy."""
    run, _ = _audited_again(data, few, share, rng)
    found = {}
    for strategy in ("error", "confusion", "random"):
        path = np.full((2, most), np.nan)

        def watch(count: int, weights: Floats, path: Floats = path) -> None:
            said = np.argmax(np.asarray(data.test @ weights.T), axis=1)
            path[0, count - 1] = np.mean(said != data.truth)
            path[1, count - 1] = confusion_rate(observed_confusion(said, data.truth, data.classes))

        uma(data.points, run.labels, run.confusion.matrix, orientation="column", strategy=strategy,
            max_iter=most, watch=watch, rng=rng)
        # A run that stopped stays where it is.
        last = int(np.flatnonzero(~np.isnan(path[0]))[-1])
        path[:, last + 1 :] = path[:, [last]]
        found[strategy] = path
    return found
