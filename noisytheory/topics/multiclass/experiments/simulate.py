"""Draws of the paper's experiments: the circle of Section 4.1, and digits for Section 4.2."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments import printed
from noisytheory.topics.multiclass.experiments.drawn_apart import drawn_apart
from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import (
    FiveSteps,
    learn_together,
    taught,
    unlearned,
)
from noisytheory.topics.multiclass.experiments.self_training import self_trained
from noisytheory.topics.multiclass.experiments.text import documents
from noisytheory.topics.multiclass.experiments.toy import sectors, toy_data
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.uma import STRATEGIES, uma_runs
from noisytheory.vocabulary.confusion import confusion_rate, estimate_confusion, observed_confusion
from noisytheory.vocabulary.noise import Confusion

__all__ = [
    "audit_gain", "condition_gap", "crossing", "digits", "drawn",
    "empty_classes", "errors", "late_gain", "misfed_gap", "overtaking", "protocol_gap",
    "protocol_runs", "rough_gap", "singular", "toy_gap", "toy_norm", "toy_reference", "toy_start",
    "way_left",
]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]

CLASSES = 10
UPDATES, COMPONENTS, WIDTH = 25, 120, 5.0
LANDMARKS = 400
"""Of the runs on scikit-learn's 1,797 digits; the width divides the median squared distance."""

OWN, FEW, AUDITED, LATER = 400, 15, 60, 20
"""Examples, of each class, audited ones, and updates."""

TESTS = 600
"""Digits to test on, and a third as many documents."""

ROUGH = 300
"""Examples with genuinely confused labels, of 64 pixels and a constant."""

FEATURES = 60
"""Of the components, those that the claims use."""


def toy_norm(weights: Floats, points: Floats, labels: Codes) -> float:
    """Norm of the confusion on test points, as Figure 1 plots it: absent classes add nothing."""
    counts = observed_confusion(np.argmax(points @ weights.T, axis=1), labels, CLASSES)
    return confusion_rate(counts, scaled=False, absent="ignore")


def toy_reference(rng: np.random.Generator) -> Floats:
    """M of Section 4.1."""
    matrix = rng.random((CLASSES, CLASSES))
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def _circles(size: int, level: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Points on the circle, labels confused by a matrix of the path, others to test on."""
    found = []
    for _ in range(size):
        x, t, test, truth = toy_data(1000, 500, rng=rng)
        reference = toy_reference(rng)
        y = Confusion(noise_path(reference, level)).apply(t, rng=rng)
        found.append(dict(x=x, y=y, reference=reference, test=test, truth=truth))
    return found


def _toy_norms(circles: list[dict[str, Any]], level: int, **options: Any) -> Floats:
    """Confusion on test points of runs that are given a matrix of the path; 0 is the identity."""
    runs = uma_runs(
        np.array([at["x"] for at in circles]), np.array([at["y"] for at in circles]),
        [noise_path(at["reference"], level) for at in circles], orientation="row", **options,
    )
    return np.array([toy_norm(run.weights, at["test"], at["truth"])
                     for run, at in zip(runs, circles, strict=True)])


def toy_gap(
    level: int, updates: int, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Confusion of UMA less that of the batch Perceptron on the circle, or the other way round."""
    circles = _circles(size, level, rng)
    ours, batch = (_toy_norms(circles, at, max_iter=updates) for at in (level, 0))
    return ours - batch if order == "UMA first" else batch - ours


def toy_start(
    updates: int, level: int, reading: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """What a batch Perceptron confuses more than UMA, beside print's difference at weak noise.

    How far it falls short of that, less what is read off; or what it has beyond a quarter of it.
    """
    circles = _circles(size, level, rng)
    ours, batch = (_toy_norms(circles, at, max_iter=updates) for at in (level, 0))
    uma, other = (float(Fraction(printed.FIGURE_1A[name][0])) for name in ("UMA", "Perceptron"))
    if reading == "print":
        return other - uma - 2 * printed.READING - (batch - ours)
    return batch - ours - (other - uma) / 4


def misfed_gap(
    true: int, low: int, high: int, better: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Confusion with the noise under-estimated less that with it over-estimated, or reversed."""
    circles = _circles(size, true, rng)
    under, over = (_toy_norms(circles, at, step="forced", max_iter=UPDATES) for at in (low, high))
    return under - over if better == "under" else over - under


def empty_classes(
    reading: str, gap: float, places: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """Share of the ten classes that keep none of some points spread evenly over their sectors.

    Where a distance is asked for one is enough: nothing is farther from both ends than the middle.
    """
    angles = np.sort(rng.uniform(0, 2 * np.pi, size=(size, CLASSES)), axis=1)
    before = np.roll(angles, 1, axis=1) - 2 * np.pi * (np.arange(CLASSES) == 0)
    ends = (before + angles) / 2
    width = np.roll(ends, -1, axis=1) + 2 * np.pi * (np.arange(CLASSES) == CLASSES - 1) - ends
    at = ends[..., None] + width[..., None] * (np.arange(places) + 0.5) / places
    points, weights = (np.stack([np.cos(a), np.sin(a)], axis=-1) for a in (at, angles))
    _, kept = sectors(points.reshape(size, -1, 2), weights, gap, reading)
    return np.asarray(1.0 - kept.reshape(at.shape).any(axis=2).mean(axis=1))


@functools.cache
def digits() -> tuple[Floats, Floats, Codes]:
    """Kernel features of scikit-learn's digits, their pixels with a constant, and classes."""
    from scipy.spatial.distance import pdist

    # Something draws from Python's generator while this is imported; no simulator may.
    before = random.getstate()
    from sklearn.datasets import load_digits

    random.setstate(before)

    images, labels = load_digits(return_X_y=True)
    pixels = images / 16
    width = WIDTH / float(np.median(pdist(pixels[:1000], "sqeuclidean")))
    (features,) = kernel_features(
        pixels, components=COMPONENTS, gamma=width, landmarks=LANDMARKS,
        rng=np.random.default_rng(1),
    )
    plain = np.hstack([pixels - pixels.mean(axis=0), np.ones((len(pixels), 1))])
    plain /= np.linalg.norm(plain, axis=1)[:, None]
    return features, plain, labels.astype(np.int64)


@functools.cache
def _features() -> tuple[Floats, Codes]:
    """The first of the kernel features, on the sphere again."""
    features, _, labels = digits()
    first = features[:, :FEATURES]
    return first / np.linalg.norm(first, axis=1)[:, None], labels


def wrong(weights: Floats, points: Any, labels: Codes) -> float:
    """Share of wrong predictions, the lowest of tied classes predicted; points may be sparse."""
    return float(np.mean(np.argmax(np.asarray(points @ weights.T), axis=1) != labels))


@dataclass(frozen=True)
class Drawn:
    """A run of the protocol, and others to test on."""

    run: FiveSteps
    test: Any
    truth: Codes

    def error(self, weights: Floats, measure: str = "error") -> float:
        """Of weights on the test points, or the confusion rate there."""
        if measure == "error":
            return wrong(weights, self.test, self.truth)
        said = np.argmax(np.asarray(self.test @ weights.T), axis=1)
        return confusion_rate(observed_confusion(said, self.truth, len(self.run.classes)))


def _apart(
    data: str, examples: int, per_class: int, rng: np.random.Generator
) -> tuple[Any, Codes, Any, Codes]:
    """Examples to learn from, so many of every class at least, and to test on.

    Of digits, or of documents with classes as uneven as Reuters'.
    """
    if data != "digits":
        points, labels = documents(
            examples + TESTS // 3, rng=rng, known=examples, per_class=per_class
        )
        return points[:examples], labels[:examples], points[examples:], labels[examples:]
    points, labels = _features()
    while True:
        order = rng.permutation(len(labels))[: examples + TESTS]
        known, others = order[:examples], order[examples:]
        if np.bincount(labels[known], minlength=CLASSES).min() >= per_class:
            return points[known], labels[known], points[others], labels[others]


def drawn(
    data: str, examples: int, per_class: int, share: float, updates: int = LATER, *, size: int,
    rng: np.random.Generator,
) -> list[Drawn]:
    """Runs of the five steps, drawn again where the confusion has no inverse, as the paper does."""
    samples = [_apart(data, examples, per_class, rng) for _ in range(size)]
    found: dict[int, Drawn] = {}
    while len(found) < size:
        made = {}
        for i, (x, t, test, truth) in enumerate(samples):
            if i not in found:
                few, audited, _ = drawn_apart(t, per_class, share, rng=rng)
                made[i] = Drawn(
                    unlearned(x[few], t[few], x[audited], t[audited], x, rest_labels=t,
                              max_iter=updates, rng=rng),
                    test, truth,
                )
        learn_together([at.run for at in made.values()], "rough")
        for i, at in made.items():
            with contextlib.suppress(ValueError):
                at.run.refuse_singular()
                found[i] = at
    return [found[i] for i in range(size)]


@contextlib.contextmanager
def unchecked() -> Iterator[None]:
    """What is drawn is finite and of the right types: scikit-learn need not look, which takes as
    long as a small fit."""
    from sklearn import config_context

    with config_context(assume_finite=True, skip_parameter_validation=True):
        yield


@unchecked()
def _svm_error(at: Drawn) -> float:
    return float(np.mean(at.run.predict("svm", at.test) != at.truth))


def errors(
    runs: Sequence[Drawn], *names: str, measure: str = "error", updates: int = LATER
) -> list[Floats]:
    """Of classifiers of the protocol, or of UMA with forced steps or another strategy."""
    tasks = [
        at.run.task("uma" if name in CHANGED else name) | CHANGED.get(name, {})
        | {"max_iter": updates} for name in names if name != "svm" for at in runs
    ]
    weights = iter(taught(tasks))
    return [
        np.array([
            _svm_error(at) if name == "svm" else at.error(next(weights), measure) for at in runs
        ]) for name in names
    ]


CHANGED: dict[str, dict[str, Any]] = {
    "forced": {"step": "forced"}, **{name: {"strategy": name} for name in STRATEGIES},
}
"""UMA other than the protocol's."""


def protocol_gap(
    data: str, examples: int, per_class: int, share: float, updates: int, first: str, second: str,
    gain: float, measure: str, *, size: int, rng: np.random.Generator,
) -> Floats:
    """Test error (or confusion rate) of one classifier of the protocol and a gain that is asked
    for, less that of another."""
    runs = drawn(data, examples, per_class, share, size=size, rng=rng)
    one, other = errors(runs, first, second, measure=measure, updates=updates)
    return one + gain - other


def way_left(
    examples: int, per_class: int, share: float, updates: int, part: float, *, size: int,
    rng: np.random.Generator,
) -> Floats:
    """What UMA falls short of a part of the way from ignoring the noise to all true labels."""
    runs = drawn("digits", examples, per_class, share, size=size, rng=rng)
    ours, plain, full = errors(runs, "uma", "ignoring", "full", updates=updates)
    return ours - plain + part * (plain - full)


def late_gain(
    early: int, late: int, beyond: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """What UMA's error falls by between two updates of one run on digits, beyond an amount."""
    runs = drawn("digits", OWN, FEW, AUDITED / OWN, size=size, rng=rng)
    tasks = [at.run.task("uma") | {"max_iter": early} for at in runs]
    before = taught(tasks)
    # A run goes on from its weights.
    after = taught([
        task | {"start": weights, "max_iter": late - early}
        for task, weights in zip(tasks, before, strict=True)
    ])
    return np.array([
        at.error(old) - at.error(new) - beyond
        for at, old, new in zip(runs, before, after, strict=True)
    ])


def crossing(
    share: float, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Error of UMA less that of a Perceptron on the audit; of a large audit the other way round."""
    runs = drawn("digits", OWN, FEW, share, size=size, rng=rng)
    ours, other = errors(runs, "uma", "audited")
    gap = ours - other
    return gap if (share < 0.25) == (order == "UMA first") else -gap


def audit_gain(small: float, large: float, *, size: int, rng: np.random.Generator) -> Floats:
    """What a larger audit saves UMA, less what it saves a Perceptron on the audit."""
    few, many = (
        np.subtract(*errors(drawn("digits", OWN, FEW, share, size=size, rng=rng), "uma", "audited"))
        for share in (small, large)
    )
    return np.asarray(few - many)


@unchecked()
def overtaking(
    examples: int, per_class: int, share: float, gain: float, rounds: int, *, size: int,
    rng: np.random.Generator,
) -> Floats:
    """Error of a self-training SVM less that of UMA, or less a gain below that of one that learned
    from the audit alone, whichever is more."""
    runs = drawn("digits", examples, per_class, share, size=size, rng=rng)
    found = []
    for at, ours in zip(runs, errors(runs, "uma")[0], strict=True):
        models = list(self_trained(*at.run.known["audited"], at.run.rest, rounds))
        alone, last = (float(np.mean(model.predict(at.test) != at.truth))
                       for model in (models[0], models[-1]))
        found.append(last - min(ours, alone - gain))
    return np.array(found)


def rough_gap(
    rate: float, per_class: int, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Error of UMA with a confusion from few audited labels, less that of ignoring the noise."""
    _, pixels, labels = digits()
    noise = Confusion.uniform(CLASSES, rate)
    here, seen, guesses = np.empty((size, ROUGH), int), np.empty((size, ROUGH), int), []
    for i in range(size):
        here[i] = rng.choice(len(labels), ROUGH, replace=False)
        true, seen[i] = labels[here[i]], noise.apply(labels[here[i]], rng=rng)
        while True:
            few, _, _ = drawn_apart(true, per_class, 0.1, rng=rng)
            guess = estimate_confusion(noisy=seen[i][few], true=true[few], classes=CLASSES).matrix
            if np.linalg.cond(guess) < 1e12:
                break
        guesses.append(guess)
    both = uma_runs(
        pixels[np.concatenate([here, here])], np.concatenate([seen, seen]),
        [*guesses, *[np.eye(CLASSES)] * size], orientation="column", max_iter=UPDATES,
    )
    gap = np.empty(size)
    for i in range(size):
        rest = np.delete(np.arange(len(labels)), here[i])
        ours, plain = (
            wrong(run.weights, pixels[rest], labels[rest]) for run in (both[i], both[size + i])
        )
        gap[i] = ours - plain
    return gap if order == "UMA first" else -gap


def _conditions(per_class: int, size: int, rng: np.random.Generator) -> Floats:
    features, labels = _features()
    drawn_few = [drawn_apart(labels, per_class, 0.3, rng=rng)[:2] for _ in range(size)]
    few = np.array([at for at, _ in drawn_few])
    rough = uma_runs(features[few], labels[few], np.eye(CLASSES), max_iter=UPDATES)
    found = np.empty(size)
    for i, (_, audited) in enumerate(drawn_few):
        said = np.argmax(features[audited] @ rough[i].weights.T, axis=1)
        guess = estimate_confusion(noisy=said, true=labels[audited], classes=CLASSES)
        found[i] = np.linalg.cond(guess.matrix)
    return found


def singular(per_class: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether the confusion of a rough classifier can be inverted."""
    return (_conditions(per_class, size, rng) < 1e12).astype(float)


def condition_gap(
    few: int, more: int, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Log of the condition number from more examples a class, less that from few."""
    gap = np.log(_conditions(more, size, rng)) - np.log(_conditions(few, size, rng))
    return gap if order == "more first" else -gap


@functools.cache
def protocol_runs(seed: int = 41) -> tuple[tuple[FiveSteps, int, int], ...]:
    """Two runs of the protocol, with the sizes of the two labelled sets."""
    rng = np.random.default_rng(seed)
    return tuple(
        (drawn("digits", OWN, m, share, UPDATES, size=1, rng=rng)[0].run, m * CLASSES,
         round(share * OWN))
        for m, share in ((5, 0.2), (10, 0.3))
    )
