"""The paper's table and figures as numbers: on scikit-learn's digits, or on data at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments.drawn_apart import drawn_apart
from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import (
    FiveSteps,
    five_steps,
)
from noisytheory.topics.multiclass.experiments.self_training import self_training
from noisytheory.topics.multiclass.experiments.simulate import (
    CLASSES,
    digits,
    toy_norm,
    toy_reference,
    wrong,
)
from noisytheory.topics.multiclass.experiments.toy import toy_data
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.ultraconservative import ultraconservative
from noisytheory.topics.multiclass.uma import uma, uma_runs
from noisytheory.vocabulary.confusion import confusion_rate, observed_confusion
from noisytheory.vocabulary.data import data_file, reading
from noisytheory.vocabulary.noise import Confusion

__all__ = [
    "COLUMNS", "DATA", "FULL_SIZE", "Split", "at_the_limit", "by_level", "by_misfed", "by_strategy",
    "data_at_hand", "everything", "folder", "has", "protocol", "recorded", "split",
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
    return data_file(FILES[name]) is not None


def data_at_hand() -> tuple[str, ...]:
    """The names in `DATA` whose files are there."""
    return ("digits", *(name for name in DATA[1:] if has(name)))


def _csv(name: str) -> tuple[Floats, Codes]:
    path = folder() / f"{name}.csv.gz"
    with reading(path):
        table = np.loadtxt(path, delimiter=",", skiprows=1)
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

    paths = [folder() / f"reuters9_{half}.svm.gz" for half in ("train", "test")]
    with reading(paths[0].with_name("reuters9_*.svm.gz")):
        x, t, test, truth = load_svmlight_files([str(path) for path in paths])
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


def at_the_limit(data: Split, *, rng: np.random.Generator) -> dict[str, bool]:
    """Whether Table 1's linear classifiers made all the updates that they may, and did not end.

    Parameters
    ----------
    data : Split
    rng : Generator
        In the state in which `protocol` had it.

    Returns
    -------
    dict of str to bool
        By the names of columns.
    """
    run, _ = _audited_again(data, data.few, data.share, rng)
    return {column: uma(**run.task(name)).stopped == "max_iter" for column, name in NAMES.items()}


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
    names = ("UMA", "batch Perceptron", "online Perceptron", "x")
    found = {name: np.empty((len(levels), runs)) for name in names}
    for r in range(runs):
        rng = np.random.default_rng([seed, r])
        x, t, test, truth = toy_data(n, 2000, rng=rng)
        reference = toy_reference(rng)
        matrices = [noise_path(reference, level) for level in levels]
        labels = [Confusion(matrix).apply(t, rng=np.random.default_rng([seed, r, 1]))
                  for matrix in matrices]
        found["x"][:, r] = [np.linalg.norm(m - np.diag(np.diag(m))) for m in matrices]
        same = [np.eye(CLASSES)] * len(levels)
        for name, used in (("UMA", matrices), ("batch Perceptron", same)):
            learned = uma_runs(x, labels, used, orientation="row", max_iter=updates)
            found[name][:, r] = [toy_norm(run.weights, test, truth) for run in learned]
        found["online Perceptron"][:, r] = [
            toy_norm(ultraconservative(x, y, CLASSES, passes=10).weights, test, truth)
            for y in labels
        ]
    return found


def by_misfed(
    true: int, fed: Sequence[int], runs: int, updates: int, *, seed: int
) -> dict[str, Floats]:
    """Figure 1(b) about a true matrix of the path, which at 10 is M itself, as in print: norms of
    the confusion by step, shape (fed, runs)."""
    rules = {"error set": "predicted", "forced": "forced"}
    found = {name: np.empty((len(fed), runs)) for name in rules}
    for r in range(runs):
        rng = np.random.default_rng([seed, r])
        x, t, test, truth = toy_data(1000, 2000, rng=rng)
        reference = toy_reference(rng)
        y = Confusion(noise_path(reference, true)).apply(t, rng=rng)
        told = [noise_path(reference, level) for level in fed]
        for name, step in rules.items():
            learned = uma_runs(x, [y] * len(fed), told, orientation="row", step=step,
                               max_iter=updates)
            found[name][:, r] = [toy_norm(run.weights, test, truth) for run in learned]
    return found


SHARES = (0.01, 0.02, 0.05, 0.1, 0.3)
"""Of the audit in Figures 3 and 4, where that is two examples a class at least."""
LINES = ("f_y", "f_conf", "f_conf+m", "UMA", "SVM")
"""Columns of Figures 3 and 4."""
MORE = {"reuters9": 70}
"""Examples of each class in Figures 3 and 4, where print has more there than in Table 1."""
OWN = {"letter": 3000}
"""Examples that the SVM labels itself in Figures 3 and 4, at most, where there are too many."""
UPDATES, COUNTS = 100, (5, 10, 20, 30, 50, 100)
"""Of Figure 5: how many, and after how many every run is kept."""


def everything(name: str, runs: int, *, seed: int) -> dict[str, Any]:
    """Table 1 and Figures 3 to 5 on one of the sets: everything but means by run, in the last axis.

    Parameters
    ----------
    name : str
        One of `DATA`.
    runs : int
        Another split, or other landmarks, in each.
    seed : int

    Returns
    -------
    dict of str to array
        Errors by column of Table 1; ``"3 f_y"`` and so on by share, shape (shares, runs), and
        ``"shares"``; ``"5 error"`` and so on, error and confusion rate by count, shape
        (2, counts, runs), and ``"mean 5 error"``, ``"s.e. 5 error"`` after every update; ``"m"``,
        examples of each class in Table 1 and in Figures 3 and 4.
    """
    found: dict[str, list[Any]] = {}
    for r in range(runs):
        rng = np.random.default_rng([seed, 1, r])
        data = split(name, rng=rng)
        few = MORE.get(name, data.few)
        shares = [s for s in SHARES if s * len(data.labels) >= 2 * data.classes]
        run = protocol(data, data.few, data.share, columns=list(COLUMNS), rng=rng)
        told: list[dict[str, float]] = [
            protocol(data, few, share, columns=LINES, rng=np.random.default_rng([seed, 4, r]),
                     own=OWN.get(name)) for share in shares
        ]
        paths = by_strategy(data, data.few, data.share, UPDATES,
                            rng=np.random.default_rng([seed, 5, r]))
        made: dict[str, Any] = {column: run[column] for column in COLUMNS}
        made |= {f"3 {column}": [at[column] for at in told] for column in LINES}
        made |= {f"5 {key}": path for key, path in paths.items()}
        for key, value in made.items():
            found.setdefault(key, []).append(value)
    told_of: dict[str, Any] = {"m": [data.few, few], "shares": shares,
                               "sizes": [round(s * len(data.labels)) for s in shares]}
    for key, values in found.items():
        by_run = np.moveaxis(np.array(values), 0, -1)
        if key[0] == "5":
            told_of[f"mean {key}"] = by_run.mean(axis=-1).round(4)
            told_of[f"s.e. {key}"] = (by_run.std(axis=-1, ddof=1) / np.sqrt(runs)).round(4)
            by_run = by_run[:, np.array(COUNTS) - 1]
        told_of[key] = by_run.round(5)
    return told_of


FULL_SIZE = Path(__file__).with_name("full_size.json")
"""What `everything` found on the sets that are not bundled: minutes, so the script that writes
``validation/multiclass_tables.md`` keeps it, and pictures show it."""


def recorded() -> dict[str, dict[str, NDArray[Any]]]:
    """By name of the set."""
    held = json.loads(FULL_SIZE.read_text(encoding="utf-8"))
    return {name: {key: np.asarray(v) for key, v in of.items()} for name, of in held.items()}


def by_strategy(
    data: Split, few: int, share: float, most: int, *, step: str = "predicted",
    rng: np.random.Generator,
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
            step=step, max_iter=most, watch=watch, rng=rng)
        # A run that stopped stays where it is.
        last = int(np.flatnonzero(~np.isnan(path[0]))[-1])
        path[:, last + 1 :] = path[:, [last]]
        found[strategy] = path
    return found
