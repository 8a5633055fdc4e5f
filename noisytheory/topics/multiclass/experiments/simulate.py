"""Draws of the paper's experiments: the circle of Section 4.1, and digits for Section 4.2."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import FiveSteps, drawn_apart, five_steps
from noisytheory.topics.multiclass.experiments.text import documents
from noisytheory.topics.multiclass.experiments.toy import sectors, toy_data
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.uma import STRATEGIES, uma
from noisytheory.vocabulary.confusion import confusion_rate, estimate_confusion, observed_confusion
from noisytheory.vocabulary.noise import Confusion

__all__ = [
    "audit_gain", "centred_kernel_gap", "condition_gap", "crossing", "digits", "drawn",
    "empty_classes", "late_gain", "misfed_gap", "protocol_gap", "protocol_runs", "rough_gap",
    "singular", "toy_gap", "toy_norm",
]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]

CLASSES = 10
UPDATES, COMPONENTS, WIDTH = 25, 120, 5.0
LANDMARKS = 400
"""Of the runs on scikit-learn's 1,797 digits; the width divides the median squared distance."""

OWN, FEW, LATER = 1200, 10, 20
"""Examples, examples of each class and updates in print's setting."""

ROUGH = 500
"""Examples with genuinely confused labels, of 64 pixels and a constant."""

FEATURES = 60
"""Of the components, those that the claims use."""


def toy_norm(weights: Floats, points: Floats, labels: Codes) -> float:
    """Norm of the confusion on test points, as Figure 1 plots it."""
    counts = observed_confusion(np.argmax(points @ weights.T, axis=1), labels, CLASSES)
    return confusion_rate(counts, scaled=False)


def _reference(rng: np.random.Generator) -> Floats:
    matrix = rng.random((CLASSES, CLASSES))
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def toy_gap(
    level: int, updates: int, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Confusion of UMA less that of the batch Perceptron on the circle, or the other way round."""
    gap = np.empty(size)
    for i in range(size):
        x, t, test, truth = toy_data(1000, 500, rng=rng)
        matrix = noise_path(_reference(rng), level)
        y = Confusion(matrix).apply(t, rng=rng)
        ours = uma(x, y, matrix, orientation="row", max_iter=updates).weights
        plain = uma(x, y, np.eye(CLASSES), max_iter=updates).weights
        gap[i] = toy_norm(ours, test, truth) - toy_norm(plain, test, truth)
    return gap if order == "UMA first" else -gap


def misfed_gap(
    true: int, low: int, high: int, better: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Confusion with the noise under-estimated less that with it over-estimated, or reversed."""
    gap = np.empty(size)
    for i in range(size):
        x, t, test, truth = toy_data(1000, 500, rng=rng)
        reference = _reference(rng)
        y = Confusion(noise_path(reference, true)).apply(t, rng=rng)
        under, over = (
            toy_norm(
                uma(x, y, noise_path(reference, fed), orientation="row", step="forced",
                    max_iter=UPDATES).weights, test, truth,
            ) for fed in (low, high)
        )
        gap[i] = under - over
    return gap if better == "under" else -gap


def empty_classes(reading: str, margin: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Classes without a point on a fine grid of the circle."""
    angle = 2 * np.pi * (np.arange(2000) + 0.5) / 2000
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    found = np.empty(size)
    for i in range(size):
        angles = rng.uniform(0, 2 * np.pi, size=CLASSES)
        weights = np.column_stack([np.cos(angles), np.sin(angles)])
        labels, kept = sectors(points, weights, margin, reading)
        found[i] = CLASSES - len(np.unique(labels[kept]))
    return found


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
    """A run of the protocol, its examples, and others to test on."""

    run: FiveSteps
    points: Any
    test: Any
    truth: Codes
    updates: int
    rng: np.random.Generator

    def weights(self, name: str) -> Floats:
        """Of a classifier of the protocol, or of UMA with forced steps or another strategy."""
        if name not in ("forced", *STRATEGIES):
            return np.asarray(getattr(self.run, name))
        return uma(
            self.points, self.run.labels, self.run.confusion.matrix, orientation="column",
            step="forced" if name == "forced" else "predicted",
            strategy="error" if name == "forced" else name, max_iter=self.updates, rng=self.rng,
        ).weights

    def error(self, name: str, measure: str = "error") -> float:
        """On the test points, or the confusion rate there."""
        if name == "svm":
            said = self.run.predict("svm", self.test)
        else:
            said = np.argmax(np.asarray(self.test @ self.weights(name).T), axis=1)
        if measure == "error":
            return float(np.mean(said != self.truth))
        return confusion_rate(observed_confusion(said, self.truth, len(self.run.classes)))


def drawn(
    data: str, examples: int, per_class: int, share: float, updates: int, rng: np.random.Generator
) -> Drawn:
    """A run of the five steps on digits, or on documents with classes as uneven as Reuters'.

    Drawn again while the confusion has no inverse, as the paper does.
    """
    if data == "digits":
        points, labels = _features()
        order = rng.permutation(len(labels))
        points, labels = points[order], labels[order]
    else:
        points, labels = documents(examples + 300, rng=rng)
    x, t = points[:examples], labels[:examples]
    while True:
        few, audited, _ = drawn_apart(t, per_class, share, rng=rng)
        try:
            found = five_steps(x[few], t[few], x[audited], t[audited], x, max_iter=updates)
        except ValueError:
            continue
        return Drawn(found, x, points[examples:], labels[examples:], updates, rng)


def protocol_gap(
    data: str, examples: int, per_class: int, share: float, updates: int, first: str, second: str,
    gain: float, measure: str, *, size: int, rng: np.random.Generator,
) -> Floats:
    """Test error (or confusion rate) of one classifier of the protocol and a gain that is asked
    for, less that of another."""
    gap = np.empty(size)
    for i in range(size):
        run = drawn(data, examples, per_class, share, updates, rng)
        gap[i] = run.error(first, measure) + gain - run.error(second, measure)
    return gap


def late_gain(
    early: int, late: int, beyond: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """What UMA's error falls by between two updates of one run on digits, beyond an amount."""
    gain = np.empty(size)
    for i in range(size):
        run = drawn("digits", OWN, FEW, 0.05, late, rng)
        path: list[float] = []

        def watch(count: int, weights: Floats, run: Drawn = run, path: list[float] = path) -> None:
            if count == early:
                path.append(wrong(weights, run.test, run.truth))

        weights = uma(
            run.points, run.run.labels, run.run.confusion.matrix, orientation="column",
            max_iter=late, watch=watch,
        ).weights
        end = wrong(weights, run.test, run.truth)
        gain[i] = (path[0] if path else end) - end - beyond
    return gain


def crossing(
    share: float, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Error of UMA less that of a Perceptron on the audit; of a large audit the other way round."""
    gap = protocol_gap(
        "digits", OWN, FEW, share, LATER, "uma", "audited", 0.0, "error", size=size, rng=rng
    )
    return gap if (share < 0.25) == (order == "UMA first") else -gap


def audit_gain(small: float, large: float, *, size: int, rng: np.random.Generator) -> Floats:
    """What a larger audit saves UMA, less what it saves a Perceptron on the audit."""
    gap = np.empty(size)
    for i in range(size):
        few, many = (drawn("digits", OWN, FEW, audit, LATER, rng) for audit in (small, large))
        gap[i] = few.error("uma") - many.error("uma") - (
            few.error("audited") - many.error("audited")
        )
    return gap


def rough_gap(
    rate: float, per_class: int, order: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Error of UMA with a confusion from few audited labels, less that of ignoring the noise."""
    _, pixels, labels = digits()
    noise = Confusion.uniform(CLASSES, rate)
    gap = np.empty(size)
    for i in range(size):
        where = rng.permutation(len(labels))
        here, test = where[:ROUGH], where[ROUGH:]
        y = noise.apply(labels[here], rng=rng)
        while True:
            few, _, _ = drawn_apart(labels[here], per_class, 0.1, rng=rng)
            guess = estimate_confusion(y[few], labels[here][few], CLASSES)
            if np.linalg.cond(guess.matrix) < 1e12:
                break
        ours = uma(pixels[here], y, guess.matrix, orientation="column", max_iter=UPDATES)
        plain = uma(pixels[here], y, np.eye(CLASSES), max_iter=UPDATES)
        gap[i] = wrong(ours.weights, pixels[test], labels[test]) - wrong(
            plain.weights, pixels[test], labels[test]
        )
    return gap if order == "UMA first" else -gap


def _conditions(per_class: int, size: int, rng: np.random.Generator) -> Floats:
    features, labels = _features()
    found = np.empty(size)
    for i in range(size):
        few, audited, _ = drawn_apart(labels, per_class, 0.3, rng=rng)
        rough = uma(features[few], labels[few], np.eye(CLASSES), max_iter=UPDATES).weights
        said = np.argmax(features[audited] @ rough.T, axis=1)
        matrix = estimate_confusion(said, labels[audited], CLASSES).matrix
        found[i] = np.linalg.cond(matrix)
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


def centred_kernel_gap(
    components: int, centred: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """Largest difference of inner products of the features and of the centred kernel."""
    gap = np.empty(size)
    for i in range(size):
        points = rng.normal(size=(8, 3))
        (found,) = kernel_features(points, gamma=0.5, unit=False)
        kernel = np.exp(-0.5 * ((points[:, None] - points) ** 2).sum(axis=2))
        if centred:
            mean = kernel.mean(axis=0)
            kernel = kernel - mean - mean[:, None] + mean.mean()
        kept = found[:, :components]
        gap[i] = np.abs(kept @ kept.T - kernel).max()
    return gap


@functools.cache
def protocol_runs(seed: int = 41) -> tuple[tuple[FiveSteps, int, int], ...]:
    """Two runs of the protocol, with the sizes of the two labelled sets."""
    rng = np.random.default_rng(seed)
    return tuple(
        (drawn("digits", OWN, m, share, UPDATES, rng).run, m * CLASSES,
         round(share * OWN))
        for m, share in ((5, 0.2), (20, 0.3))
    )
