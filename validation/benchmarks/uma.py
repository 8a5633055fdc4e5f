"""A hundred updates of UMA on 60,000 images of 784 bytes, ten classes.

Run as ``python validation/benchmarks/uma.py`` (``--json`` for numbers alone, ``--record`` to keep
them). MNIST where NOISYTHEORY_DATA has it, random bytes of ten classes otherwise. The obvious form
computes scores, regions and sums again for every update; the good form in NumPy keeps scores and
sums in floats. A pass of scikit-learn's Perceptron is there for scale: it does something else.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import recorded
from sklearn.linear_model import Perceptron

from noisytheory.topics.multiclass import Run, uma
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
    floats = images.astype(float)
    ours, good = "noisytheory", "noisytheory, rows as floats"
    plain, other = "obvious form in NumPy", "Perceptron of scikit-learn, one pass"
    found: dict[str, Run] = {}

    def kept(key: str, points: np.ndarray) -> None:
        found[key] = uma(points, labels, matrix, max_iter=given.updates)

    model = Perceptron(max_iter=1, tol=None, shuffle=False)
    forms = {ours: lambda: kept(ours, images), good: lambda: kept(good, floats),
             other: lambda: model.fit(floats, labels)}
    times = recorded.in_turns(forms, given.rounds, machine)
    few = max(1, given.updates // 10)
    pairs: list[list[int]] = []

    def slow() -> None:
        pairs[:] = obvious(floats, labels, matrix, few)

    # A tenth of the updates: the whole would take longer than all the rest.
    times[plain] = recorded.seconds(slow) * given.updates / few
    memory = {key: recorded.peak(form) for key, form in forms.items()}
    same = np.array_equal(found[ours].pairs, found[good].pairs)
    starts = found[ours].pairs[:few].tolist() == pairs
    if not (same and starts):
        raise SystemExit("the pairs differ: nothing to compare")
    work = f"UMA, {len(images):,} x {images.shape[1]} ({name}), {given.updates} updates"
    rows = [
        recorded.row(work, ours, times[ours], memory[ours], None, "8-bit rows, the same pairs"),
        recorded.row(work, good, times[good], memory[good], None,
                     "scores and sums kept, the same pairs"),
        recorded.row(work, plain, times[plain], None, None,
                     f"from {few} updates, the same pairs as far"),
        recorded.row(work, other, times[other], memory[other], None,
                     "for scale: one online pass"),
    ]
    goals = [recorded.goal(
        work, "0.5 s, identical pairs", f"{times[ours]:.2f} s", times[ours] <= 0.5,
        "an update reads every byte once; in the first updates most points change their region",
    )]
    result = recorded.result(
        __file__, "UMA on bytes", rows, goals, machine, ("scikit-learn", "numba"), given.rounds,
    )
    recorded.finish(__file__, result, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
