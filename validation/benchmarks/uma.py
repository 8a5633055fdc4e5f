"""A hundred updates of UMA on 60,000 images of 784 bytes, ten classes.

Run as ``python validation/benchmarks/uma.py`` (``--json`` for numbers alone, ``--record`` to keep
them). MNIST where NOISYTHEORY_DATA has it, random bytes of ten classes otherwise. The obvious form
computes scores, regions and sums again for every update; the good form in NumPy keeps scores and
sums in floats, multiplies by one vector an update, and adds up the rows that move by one sparse
product. Rows of norm 1 with an intercept are what `UMAClassifier` makes of the bytes as it comes:
it is timed with all that `fit` does, the NumPy form on rows that were made before. A pass of
scikit-learn's Perceptron is there for scale: it does something else.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import recorded
from scipy.sparse import csr_matrix
from sklearn.linear_model import Perceptron

from noisytheory.learners import UMAClassifier
from noisytheory.topics.multiclass import uma
from noisytheory.vocabulary.noise import Confusion

CLASSES, RATE = 10, 0.3


def sample(n: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Images as bytes and true classes."""
    folder = os.environ.get("NOISYTHEORY_DATA", "")
    path = Path(folder) / "mnist.npz"
    if folder and path.is_file():
        with np.load(path) as archive:
            images = archive["x_train"].reshape(-1, 784)[:n]
            return np.ascontiguousarray(images), archive["y_train"][:n].astype(np.int64), "MNIST"
    rng = np.random.default_rng(0)
    truth = rng.integers(CLASSES, size=n)
    centres = rng.integers(0, 200, size=(CLASSES, 784))
    images = centres[truth] + rng.integers(0, 56, size=(n, 784))
    return images.astype(np.uint8), truth, "random bytes"


def obvious(
    points: np.ndarray, labels: np.ndarray, confusion: np.ndarray, most: int
) -> list[list[int]]:
    """Algorithm 2 as it is written; the pairs it takes."""
    inverse, n = np.linalg.inv(confusion), len(points)
    weights, pairs = np.zeros((CLASSES, points.shape[1])), []
    for _ in range(most):
        region = np.argmax(points @ weights.T, axis=1)
        sums = np.zeros((CLASSES, CLASSES, points.shape[1]))
        for p in range(CLASSES):
            for k in range(CLASSES):
                sums[p, k] = points[(region == p) & (labels == k)].sum(axis=0)
        vectors = inverse @ sums / n
        norms = np.linalg.norm(vectors, axis=2)
        np.fill_diagonal(norms, -1)
        for flat in np.argsort(-norms, axis=None):
            p, q = divmod(int(flat), CLASSES)
            scores = weights @ vectors[p, q]
            erring = [r for r in range(CLASSES) if r != q and scores[r] >= scores[q]]
            if erring:
                break
        weights[q] += vectors[p, q]
        weights[p if p in erring else max(erring, key=lambda r: scores[r])] -= vectors[p, q]
        pairs.append([p, q])
    return pairs


def kept_in_numpy(
    points: np.ndarray, labels: np.ndarray, confusion: np.ndarray, most: int
) -> list[list[int]]:
    """Algorithm 2 with scores and sums kept; the pairs it takes."""
    inverse, (n, width) = np.linalg.inv(confusion), points.shape
    weights, pairs = np.zeros((CLASSES, width)), []
    scores, region = np.zeros((CLASSES, n)), np.zeros(n, np.int64)
    sums = np.zeros((CLASSES * CLASSES, width))

    def add(rows: np.ndarray, places: np.ndarray, signs: np.ndarray) -> None:
        # A sparse product: in NumPy alone reduceat on sorted copies takes twice as long.
        order = np.argsort(places, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=len(sums)))])
        sums[:] += csr_matrix((signs[order], rows[order], starts), (len(sums), n)) @ points

    add(np.arange(n), labels, np.ones(n))
    for _ in range(most):
        vectors = inverse @ sums.reshape(CLASSES, CLASSES, width) / n
        norms = np.sqrt(np.einsum("pqd,pqd->pq", vectors, vectors))
        np.fill_diagonal(norms, -1)
        for flat in np.argsort(-norms, axis=None):
            p, q = divmod(int(flat), CLASSES)
            at = weights @ vectors[p, q]
            erring = [r for r in range(CLASSES) if r != q and at[r] >= at[q]]
            if erring:
                break
        down = p if p in erring else max(erring, key=lambda r: at[r])
        weights[q] += vectors[p, q]
        weights[down] -= vectors[p, q]
        product = points @ vectors[p, q]
        scores[q] += product
        scores[down] -= product
        now = np.argmax(scores, axis=0)
        moved = np.flatnonzero(now != region)
        if moved.size:
            twice = np.tile(moved, 2)
            places = np.concatenate([region[moved], now[moved]]) * CLASSES + labels[twice]
            add(twice, places, np.repeat([-1.0, 1.0], moved.size))
            region = now
        pairs.append([p, q])
    return pairs


def unit(images: np.ndarray) -> np.ndarray:
    """Rows of norm 1 with an intercept."""
    rows = np.hstack([images.astype(float), np.ones((len(images), 1))])
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60_000)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine = recorded.Machine()
    images, truth, name = sample(given.n)
    noise = Confusion.uniform(CLASSES, RATE)
    labels, matrix = noise.apply(truth, rng=np.random.default_rng(1)), noise.array.T
    floats, rows_made = images.astype(float), unit(images)
    ours, in_floats = "noisytheory", "noisytheory, rows as floats"
    learner, other = "noisytheory, as it comes", "Perceptron of scikit-learn, one pass"
    good, plain = "good form in NumPy and SciPy", "obvious form in NumPy"
    good_unit = "good form in NumPy and SciPy, rows made"
    found: dict[str, list[list[int]]] = {}

    def kept(key: str, points: np.ndarray) -> None:
        found[key] = uma(points, labels, matrix, max_iter=given.updates).pairs.tolist()

    def in_numpy(key: str, points: np.ndarray) -> None:
        found[key] = kept_in_numpy(points, labels, matrix, given.updates)

    def fitted() -> None:
        model = UMAClassifier(matrix, max_iter=given.updates, tolerance=1e-9)
        found[learner] = model.fit(images, labels).run_.pairs.tolist()

    perceptron = Perceptron(max_iter=1, tol=None, shuffle=False)
    forms = {
        ours: lambda: kept(ours, images), in_floats: lambda: kept(in_floats, floats),
        good: lambda: in_numpy(good, floats), learner: fitted,
        good_unit: lambda: in_numpy(good_unit, rows_made),
        other: lambda: perceptron.fit(floats, labels),
    }
    times = recorded.in_turns(forms, given.rounds, machine)
    few = max(1, given.updates // 10)
    pairs: list[list[int]] = []

    def slow() -> None:
        pairs[:] = obvious(floats, labels, matrix, few)

    # A tenth of the updates: the whole would take longer than all the rest.
    times[plain] = recorded.seconds(slow) * given.updates / few
    memory = {key: recorded.peak(form) for key, form in forms.items()}
    same = found[ours] == found[in_floats] == found[good] and found[learner] == found[good_unit]
    if not (same and found[ours][:few] == pairs):
        raise SystemExit("the pairs differ: nothing to compare")
    size = f"{len(images):,} x {images.shape[1]} ({name}), {given.updates} updates"
    work, as_it_comes = f"UMA, {size}", f"UMAClassifier, unit rows with an intercept, {size}"
    rows = [
        recorded.row(work, ours, times[ours], memory[ours], None, "8-bit rows, the same pairs"),
        recorded.row(work, in_floats, times[in_floats], memory[in_floats], None,
                     "64-bit rows, the same pairs"),
        recorded.row(work, good, times[good], memory[good], None,
                     "64-bit rows, scores and sums kept, the same pairs"),
        recorded.row(work, plain, times[plain], None, None,
                     f"from {few} updates, the same pairs as far"),
        recorded.row(as_it_comes, learner, times[learner], memory[learner], None,
                     "8-bit rows, all of `fit`, the same pairs"),
        recorded.row(as_it_comes, good_unit, times[good_unit], memory[good_unit], None,
                     "64-bit rows, without making them, the same pairs"),
        recorded.row(f"For scale: {size}", other, times[other], memory[other], None,
                     "one online pass over 64-bit rows"),
    ]
    goals = [recorded.goal(
        work, "0.5 s for 8-bit rows, identical pairs", f"{times[ours]:.2f} s", times[ours] <= 0.5,
        "an update reads every byte once; in the first updates most points change their region",
    )]
    result = recorded.result(
        __file__, "UMA on images", rows, goals, machine, ("scikit-learn", "numba"), given.rounds,
    )
    recorded.finish(__file__, result, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
