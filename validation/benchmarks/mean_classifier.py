"""What the mean classifier's scores cost beside scikit-learn's kernel in chunks, in one run.

Run as ``python validation/benchmarks/mean_classifier.py`` (``--json`` for numbers alone,
``--record`` to keep them). Both score the same queries with the same Gaussian kernel, in turns;
beside them stands the matrix product alone, in the tiles that ours takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import recorded
from sklearn.metrics.pairwise import rbf_kernel

from noisytheory.kernel_mean import KernelMeanClassifier
from noisytheory.kernels import Gaussian

CHUNK, SIDE = 1000, 512
OURS, RIVAL, FLOOR = "noisytheory", "scikit-learn rbf_kernel in chunks", "the product alone"
FULL = 60_000


def measure(
    n: int, queries: int, dimension: int, dtype: str, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Rows and goals of one type of numbers."""
    rng = np.random.default_rng(0)
    x = rng.random((n, dimension)).astype(dtype)
    z = rng.random((queries, dimension)).astype(dtype)
    y = rng.integers(0, 2, n)
    width = float(np.sqrt(dimension / 12))
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
    work = f"kernel mean scores, {queries:,} x {dimension} on {n:,}, {dtype}"
    rows = [
        recorded.row(work, OURS, times[OURS], recorded.peak(forms[OURS]), difference,
                     f"{times[OURS] / times[FLOOR]:.2f} x the matrix product alone "
                     f"({times[FLOOR]:.3f} s); error: largest difference of a score from the "
                     "rival's"),
        recorded.row(work, RIVAL, times[RIVAL], recorded.peak(forms[RIVAL])),
    ]
    ratio, most = times[RIVAL] / times[OURS], times[RIVAL] / times[FLOOR]
    goals = [recorded.goal(
        work, "under 10 MB beside the data", f"{rows[0]['peak_mib']:.1f} MiB",
        rows[0]["peak_mib"] * 2**20 < 10e6, "",
    )]
    if dtype == "float32":
        goals.append(recorded.goal(
            work, "3 x scikit-learn, in float32", f"{ratio:.1f} x", ratio >= 3,
            f"the matrix product alone is {most:.1f} x here: float32 products run at "
            f"{machine.told()['sgemm_gflops']:.0f} GFLOP/s beside "
            f"{machine.told()['dgemm_gflops']:.0f} in float64, which scikit-learn computes in; "
            f"{FULL:,} queries take {FULL // queries} times as long",
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
    for dtype in ("float32", "float64"):
        more, aims = measure(
            given.n, given.queries, given.dimension, dtype, given.rounds, machine
        )
        rows += more
        goals += aims
    found = recorded.result(
        __file__, "Scores of the mean classifier", rows, goals, machine,
        ("scipy", "scikit-learn"), given.rounds,
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
