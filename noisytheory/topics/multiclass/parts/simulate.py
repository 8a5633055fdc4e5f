"""Draws of what the experiments are made of: the circle, kernel features, self-training."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.self_training import self_trained
from noisytheory.topics.multiclass.experiments.simulate import unchecked
from noisytheory.topics.multiclass.experiments.toy import toy_data

__all__ = ["centred_kernel_gap", "nearness", "norm_gap", "self_training_gap"]

Floats: TypeAlias = NDArray[np.float64]

GAIN = 0.01
"""By what self-training must lower the error: one that learned nothing would keep it."""


def nearness(reading: str, margin: float, *, size: int, rng: np.random.Generator) -> Floats:
    """How much nearer than twice the margin two points of different classes are."""
    found = np.empty(size)
    for i in range(size):
        points, labels, _, _ = toy_data(400, 0, rng=rng, classes=5, margin=margin, reading=reading)
        order = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
        points, labels = points[order], labels[order]
        # The nearest point of another class is next to one on the circle.
        apart = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
        found[i] = 2 * margin - apart[labels != np.roll(labels, 1)].min()
    return found


@unchecked()
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


@unchecked()
def norm_gap(unit: int, *, size: int, rng: np.random.Generator) -> Floats:
    """What the norm of a feature vector differs from 1, at most: of new points, by landmarks."""
    gap = np.empty(size)
    for i in range(size):
        points, new = rng.normal(size=(2, 8, 3))
        both = kernel_features(points, new, components=3, landmarks=6, unit=bool(unit), rng=rng)
        gap[i] = np.abs(np.linalg.norm(np.concatenate(both), axis=1) - 1).max()
    return gap


@unchecked()
def self_training_gap(order: str, *, size: int, rng: np.random.Generator) -> Floats:
    """What an SVM that trains itself lacks of erring a hundredth less than on audited alone."""
    gap = np.empty(size)
    for i in range(size):
        true = np.concatenate([[0, 1, 0, 1], rng.integers(2, size=500)])
        points = rng.normal(size=(504, 40))
        points[:, 0] += 2.25 * (2 * true - 1)
        first, *_, last = self_trained(points[:4], true[:4], points[4:304], 2)
        alone, ours = (
            np.mean(model.predict(points[304:]) != true[304:]) for model in (first, last)
        )
        gap[i] = ours - alone if order == "ours first" else alone - ours
    return gap + GAIN
