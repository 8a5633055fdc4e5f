"""What the mean classifier's scores cost beside scikit-learn's kernel in chunks, in one run.

Run as ``python validation/benchmarks/mean_classifier.py`` (``--json`` for numbers alone). Both
score the same queries with the same Gaussian kernel, in turns, BLAS on one thread; figures are
medians. CPU seconds are given beside wall seconds, because they hold still on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from noisytheory.kernel_mean import KernelMeanClassifier
from noisytheory.kernels import Gaussian

CHUNK = 1000


def measure(n: int, queries: int, dimension: int, dtype: str, rounds: int) -> dict[str, object]:
    """Time both, and the matrix product alone."""
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

    def product() -> np.ndarray:
        out = np.empty((512, min(n, 512)), dtype)
        for i in range(0, queries, 512):
            for j in range(0, n, 512):
                rows, columns = z[i : i + 512], x[j : j + 512]
                np.matmul(rows, columns.T, out=out[: len(rows), : len(columns)])
        return out

    forms: dict[str, Callable[[], np.ndarray]] = {
        "scikit-learn": rival, "ours": lambda: model.decision_function(z), "product": product,
    }
    wall: dict[str, list[float]] = {name: [] for name in forms}
    cpu: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds):
        for name, form in forms.items():
            start, busy = time.perf_counter(), time.process_time()
            form()
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - busy)
    memory = {}
    for name in ("scikit-learn", "ours"):
        tracemalloc.start()
        forms[name]()
        memory[name] = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
    middle = {name: statistics.median(values) for name, values in cpu.items()}
    return {
        "n": n, "queries": queries, "dimension": dimension, "dtype": dtype, "rounds": rounds,
        "wall seconds": {name: statistics.median(values) for name, values in wall.items()},
        "CPU seconds": middle,
        "scikit-learn / ours": middle["scikit-learn"] / middle["ours"],
        "ours / product alone": middle["ours"] / middle["product"],
        "peak MiB": memory,
        "largest difference": float(np.abs(rival() - model.decision_function(z)).max()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--dimension", type=int, default=784)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with threadpool_limits(1):
        results = [
            measure(given.n, given.queries, given.dimension, dtype, given.rounds)
            for dtype in ("float32", "float64")
        ]
    if given.json:
        print(json.dumps(results, indent=1))
        return
    for result in results:
        print("\n".join(f"{name}: {value}" for name, value in result.items()), end="\n\n")


if __name__ == "__main__":
    main()
