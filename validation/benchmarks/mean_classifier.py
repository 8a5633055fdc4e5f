"""What the mean classifier's scores cost beside scikit-learn's kernel in chunks, in one run.

Run as ``python validation/benchmarks/mean_classifier.py`` (``--json`` for numbers alone,
``--record`` to keep them). Both score the same queries with the same Gaussian kernel, in turns;
beside them stands the matrix product alone, in square tiles. Images are MNIST, odd digits against
even, where ``NOISYTHEORY_DATA`` names a folder with mnist.npz: many coordinates are
constant within a tile of one class, and need no product. Random rows have no such coordinate.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import recorded
from sklearn.metrics.pairwise import rbf_kernel

from noisytheory import KernelMeanClassifier
from noisytheory.vocabulary.kernels import Gaussian

CHUNK, SIDE = 1000, 512
OURS, RIVAL, FLOOR = "noisytheory", "scikit-learn rbf_kernel in chunks", "the product alone"


Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_rows(n: int, queries: int, dimension: int) -> Data:
    """Examples, their labels, and queries without any structure."""
    rng = np.random.default_rng(0)
    x, z = rng.random((n, dimension)), rng.random((queries, dimension))
    return x, rng.integers(0, 2, n), z


def images(n: int) -> Data | None:
    """Of the 70,000 images ``n`` to learn from and 60,000 to score, if they are at hand."""
    path = Path(os.environ.get("NOISYTHEORY_DATA", ""), "mnist.npz")
    if not os.environ.get("NOISYTHEORY_DATA") or not path.is_file():
        return None
    with np.load(path) as held:
        x = np.concatenate([held["x_train"], held["x_test"]]).reshape(-1, 784) / np.float32(255)
        y = np.concatenate([held["y_train"], held["y_test"]]) % 2
    order = np.random.default_rng(0).permutation(len(x))
    return x[order[:n]], y[order[:n]], x[order[n : n + 60_000]]


def measure(
    what: str, data: Data, dtype: str, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Rows and goals of one type of numbers."""
    x, y, z = data[0].astype(dtype), data[1], data[2].astype(dtype)
    (n, dimension), queries = x.shape, len(z)
    width = float(np.sqrt(dimension * x.var()))
    model = KernelMeanClassifier(Gaussian(width)).fit(x, y)
    signed = (2.0 * y - 1) / n

    def rival() -> np.ndarray:
        return np.concatenate([
            rbf_kernel(z[i : i + CHUNK], x, gamma=1 / (2 * width**2)) @ signed
            for i in range(0, queries, CHUNK)
        ])

    def product() -> None:
        out = np.empty((SIDE, SIDE), dtype)
        for i in range(0, queries, SIDE):
            for j in range(0, n, SIDE):
                rows, columns = z[i : i + SIDE], x[j : j + SIDE]
                np.matmul(rows, columns.T, out=out[: len(rows), : len(columns)])

    forms: dict[str, Callable[[], object]] = {
        RIVAL: rival, OURS: lambda: model.decision_function(z), FLOOR: product,
    }
    times = recorded.in_turns(forms, rounds, machine)
    difference = float(np.abs(rival() - model.decision_function(z)).max())
    work = f"kernel mean scores, {what}, {queries:,} x {dimension} on {n:,}, {dtype}"
    rows = [
        recorded.row(work, OURS, times[OURS], recorded.peak(forms[OURS]), difference,
                     f"{times[OURS] / times[FLOOR]:.2f} x the matrix product alone "
                     f"({times[FLOOR]:.3f} s); error: largest difference of a score from the "
                     "rival's"),
        recorded.row(work, RIVAL, times[RIVAL], recorded.peak(forms[RIVAL]),
                     note="float64 inside" if dtype == "float32" else ""),
    ]
    ratio, most = times[RIVAL] / times[OURS], times[RIVAL] / times[FLOOR]
    goals = [recorded.goal(
        work, "under 10 MB beside the data", f"{rows[0]['peak_mib']:.1f} MiB",
        rows[0]["peak_mib"] * 2**20 < 10e6, "",
    )]
    aim = "3 x scikit-learn, both in float64"
    why = "both compute it in float64"
    if dtype == "float32":
        rates = machine.facts()
        aim = "3 x scikit-learn on float32, in float64 inside"
        why = (
            f"float32 products run at {rates['sgemm_gflops']:.0f} GFLOP/s beside "
            f"{rates['dgemm_gflops']:.0f} in float64, which scikit-learn computes in"
        )
    goals.append(recorded.goal(
        work, aim, f"{ratio:.1f} x", ratio >= 3,
        f"the matrix product alone, with every coordinate, is {most:.1f} x here: {why}",
        who=OURS, rival=RIVAL,
    ))
    return rows, goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--dimension", type=int, default=784)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine = recorded.Machine()
    rows, goals = [], []
    plain = random_rows(given.n, given.queries, given.dimension)
    cases = [("random", plain, dtype, given.rounds) for dtype in ("float32", "float64")]
    if (mnist := images(given.n)) is not None:
        cases.insert(0, ("MNIST", mnist, "float32", 3))
    for what, data, dtype, rounds in cases:
        more, aims = measure(what, data, dtype, rounds, machine)
        rows += more
        goals += aims
    found = recorded.result(
        __file__, "Scores of the mean classifier", rows, goals, machine,
        ("scipy", "scikit-learn"), given.rounds,
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
