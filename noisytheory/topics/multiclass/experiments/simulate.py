"""Draws of the paper's experiments: the circle of Section 4.1, and digits for Section 4.2."""

from __future__ import annotations

import functools
import random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import FiveSteps, drawn_apart, five_steps
from noisytheory.topics.multiclass.experiments.toy import sectors, toy_data
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.uma import uma
from noisytheory.vocabulary.confusion import confusion_rate, estimate_confusion, observed_confusion
from noisytheory.vocabulary.noise import Confusion

__all__ = [
    "centred_kernel_gap", "condition_gap", "digits", "digits_gap", "empty_classes", "misfed_gap",
    "protocol_runs", "rough_gap", "singular", "toy_gap", "toy_norm",
]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]

CLASSES = 10
TRAINING, UPDATES, COMPONENTS, WIDTH = 800, 40, 120, 5.0
LANDMARKS = 400
"""Of the runs on scikit-learn's 1,797 digits; the width divides the median squared distance."""


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
        x, t, test, truth = toy_data(1000, 1000, rng=rng)
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
        x, t, test, truth = toy_data(1000, 1000, rng=rng)
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


def _wrong(weights: Floats, points: Floats, labels: Codes) -> float:
    return float(np.mean(np.argmax(points @ weights.T, axis=1) != labels))


def _drawn(
    rng: np.random.Generator, per_class: int, share: float
) -> tuple[FiveSteps, Floats, Floats, Codes]:
    features, _, labels = digits()
    order = rng.permutation(len(labels))
    here, test = order[:TRAINING], order[TRAINING:]
    x, t = features[here], labels[here]
    while True:
        few, audited, _ = drawn_apart(t, per_class, share, rng=rng)
        try:
            found = five_steps(
                x[few], t[few], x[audited], t[audited], x, max_iter=UPDATES
            )
        except ValueError:
            continue  # a confusion that cannot be inverted: audit again, as the paper does
        return found, x, features[test], labels[test]


def digits_gap(
    first: str, second: str, per_class: int, share: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Test error of one classifier of the protocol less that of another, on digits."""
    gap = np.empty(size)
    for i in range(size):
        found, x, test, truth = _drawn(rng, per_class, share)

        def error(name: str, run: FiveSteps = found, x: Floats = x, test: Floats = test,
                  truth: Codes = truth) -> float:
            if name == "forced":
                weights = uma(
                    x, run.labels, run.confusion.matrix, orientation="column", step="forced",
                    max_iter=UPDATES,
                ).weights
            else:
                weights = getattr(run, name)
            return _wrong(weights, test, truth)

        gap[i] = error(first) - error(second)
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
        here, test = where[:TRAINING], where[TRAINING:]
        y = noise.apply(labels[here], rng=rng)
        while True:
            few, _, _ = drawn_apart(labels[here], per_class, 0.1, rng=rng)
            guess = estimate_confusion(y[few], labels[here][few], CLASSES)
            if np.linalg.cond(guess.matrix) < 1e12:
                break
        ours = uma(pixels[here], y, guess.matrix, orientation="column", max_iter=UPDATES)
        plain = uma(pixels[here], y, np.eye(CLASSES), max_iter=UPDATES)
        gap[i] = _wrong(ours.weights, pixels[test], labels[test]) - _wrong(
            plain.weights, pixels[test], labels[test]
        )
    return gap if order == "UMA first" else -gap


def _conditions(per_class: int, size: int, rng: np.random.Generator) -> Floats:
    features, _, labels = digits()
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
        (_drawn(rng, m, share)[0], m * CLASSES, round(share * TRAINING))
        for m, share in ((5, 0.2), (20, 0.3))
    )
