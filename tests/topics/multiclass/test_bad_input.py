"""What makes no sense is refused: by argument, range, and what came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import noisytheory as nt
from noisytheory.topics.multiclass.experiments import toy

X, T = np.eye(3)[[0, 1, 2, 0, 1, 2]], np.array([0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_masses_that_are_not_finite(wrong: float) -> None:
    with pytest.raises(ValueError, match="labels as masses must be finite"):
        nt.multiclass.uma(np.eye(2), np.full((2, 2), wrong), np.eye(2))


def test_weights_that_are_not_finite() -> None:
    with pytest.raises(ValueError, match="weights must be finite, got infinity or NaN"):
        nt.multiclass.update_vectors(np.eye(2), [0, 1], np.eye(2), weights=[[np.nan, 0], [0, 1]])


def test_masses_below_zero() -> None:
    with pytest.raises(ValueError, match=r"labels as masses must be >= 0, and one above, got -1.0"):
        nt.multiclass.uma(np.eye(2), -np.eye(2), np.eye(2))


@pytest.mark.parametrize(("asked", "told"), [
    (dict(n=0), "n must be a whole number >= 1, got 0"),
    (dict(n=-5), "n must be a whole number >= 1, got -5"),
    (dict(n=5), "n must be at least the number of classes, 10, got 5"),
    (dict(n=50.5), "n must be a whole number >= 1, got 50.5"),
    (dict(tests=-1), "tests must be a whole number >= 0, got -1"),
    (dict(classes=0), "classes must be a whole number >= 1, got 0"),
    (dict(margin=3.0), "margin must leave every class an example: of 20 draws with 3 none did"),
    (dict(margin=np.nan), "margin must be a finite number >= 0, got nan"),
    (dict(rng=3), "rng must be a numpy.random.Generator, got 3"),
])
def test_toy_data(
    asked: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy, "TRIES", 20)
    with pytest.raises(ValueError, match=told):
        toy.toy_data(**(dict(n=500, tests=10, rng=np.random.default_rng(0)) | asked))


@pytest.mark.parametrize(("asked", "told"), [
    (dict(start=np.full((3, 3), np.nan)), "start must be finite and of shape"),
    (dict(start=[1.0, 2.0, 3.0]), r"start must be finite and of shape \(3, 3\)"),
    (dict(start=np.zeros((2, 2))), r"start must be finite and of shape \(3, 3\)"),
    (dict(passes=0), "passes must be a whole number >= 1, got 0"),
    (dict(passes=-1), "passes must be a whole number >= 1, got -1"),
    (dict(order=[-1]), r"order must hold examples 0 to 5, got \[-1\]"),
    (dict(order=[10**6]), r"order must hold examples 0 to 5, got \[1000000\]"),
    (dict(order="ab"), "order must hold examples 0 to 5"),
    (dict(classes=2.5), "classes must be a whole number >= 1, got 2.5"),
    (dict(rng=0), "rng must be a numpy.random.Generator, got 0"),
])
def test_ultraconservative(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        nt.multiclass.ultraconservative(**(dict(points=X, labels=T, classes=3) | asked))


@pytest.mark.parametrize(("asked", "told"), [
    (dict(share=0), r"share must be a finite number in \(0, 1\], got 0"),
    (dict(share=-0.1), r"share must be a finite number in \(0, 1\], got -0.1"),
    (dict(share=1.5), r"share must be a finite number in \(0, 1\], got 1.5"),
    (dict(share=np.nan), r"share must be a finite number in \(0, 1\], got nan"),
    (dict(share="a"), r"share must be a finite number in \(0, 1\], got 'a'"),
    (dict(labels=[]), r"labels must be a list of classes, got shape \(0,\)"),
    (dict(per_class=2.5), "per_class must be a whole number >= 1, got 2.5"),
    (dict(per_class=3), "per_class must be 1 to 2, the size of the smallest class, got 3"),
    (dict(rng=0), "rng must be a numpy.random.Generator, got 0"),
])
def test_drawn_apart(asked: dict[str, Any], told: str) -> None:
    given = dict(labels=T, per_class=1, share=0.5, rng=np.random.default_rng(0)) | asked
    with pytest.raises(ValueError, match=told):
        nt.multiclass.drawn_apart(**given)


@pytest.mark.parametrize("rounds", [0, -1, 1.5])
def test_self_training(rounds: float) -> None:
    with pytest.raises(ValueError, match=f"rounds must be a whole number >= 1, got {rounds}"):
        nt.multiclass.self_training(X, T, X, rounds=rounds)


@pytest.mark.parametrize("inverse", [
    np.linalg.inv([[0.9, 0.1], [0.4, 0.6]]), np.linalg.inv([[90.0, 40.0], [10.0, 60.0]]),
    np.ones((2, 3)) / 2,
])
def test_shares_ask_for_an_inverse_with_true_classes_in_rows(inverse):
    with pytest.raises(ValueError, match="inverse must be square"):
        nt.multiclass.class_shares([0.8, 0.2], inverse)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(("points", "told"), [
    (1j * X, "points must hold real numbers, got complex128"),
    (X[:, :0], r"points must have shape \(n, d\) with n, d >= 1, got \(6, 0\)"),
    (np.nan * X, "points must be finite, got infinity or NaN"),
])
def test_points_that_are_none(form: Any, points: Any, told: str) -> None:
    """Sparse complex rows lost half of themselves, and NaN in several runs went through."""
    with pytest.raises(ValueError, match=told):
        nt.multiclass.uma(form(points), T, np.eye(3))
    runs = [form(points)] * 2 if form is sparse.csr_matrix else np.array([points] * 2)
    with pytest.raises(ValueError, match="points must"):
        nt.multiclass.uma_runs(runs, np.array([T] * 2), np.array([np.eye(3)] * 2))
    if points.size:
        with pytest.raises(ValueError, match=told):
            nt.multiclass.ultraconservative(form(points), T, 3)


def test_classes_and_error_sets_that_are_none() -> None:
    scores = np.array([1.0, 2.0, 0.0])
    for true in (-1, 3, np.array([0, -1])):
        with pytest.raises(ValueError, match="true must be a class, 0 to 2, got"):
            nt.multiclass.error_set(scores if np.ndim(true) == 0 else np.array([scores] * 2), true)
    none = nt.multiclass.error_set(scores, 1)
    for rule in ("worst", "uniform", "proportional", "random", "predicted"):
        with pytest.raises(ValueError, match="erring must hold a class"):
            nt.multiclass.steps(scores, 1, none, rule, predicted=1, rng=np.random.default_rng(0))


def test_counts_are_no_masses() -> None:
    """Of counts the deviation was some thousands of times too large."""
    law = nt.populations.Finite("three", np.eye(3), [0, 1, 2], classes=3)
    noisy = nt.populations.Multiclass(law, 0.7 * np.eye(3) + 0.1)
    with pytest.raises(ValueError, match="labels must be masses that sum to 1, counts over n"):
        nt.multiclass.update_deviation(noisy, 10 * np.eye(3), np.zeros((3, 3)))
