"""Herding and farthest-first traversal beside rivals: CPU time, memory, error at equal size.

Run as ``python validation/benchmarks/sparse.py`` (``--json`` for numbers alone). Every method runs
in a process of its own with one thread for BLAS: a warm-up, then the median CPU time of the rounds
and the growth of the resident set beyond that after the imports and the data. CPU time, because it
is what a busy machine leaves comparable. The rivals coreax, goodpoints and fpsample are used where
they are installed, and named as missing where not. The error is that of equal weights on the points
chosen, measured by one function for all; "best weights" gives the same points optimal ones.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

Chosen = np.ndarray


def points_of(n: int, dimension: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, dimension))


def ours_herding(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    from noisytheory import sparse
    from noisytheory.kernels import Gaussian

    kernel, alpha = Gaussian(np.sqrt(points.shape[1])), np.full(len(points), 1 / len(points))

    def run() -> Chosen:
        found = sparse.herding(kernel, points, alpha, k, step="uniform")
        return np.repeat(found.indices, np.rint(found.weights * k).astype(int))

    return run


def ours_herding_single(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    return ours_herding(points.astype(np.float32), k)


def plain_herding(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    """With the whole Gram matrix: what a user writes first."""

    def run() -> Chosen:
        squares = (points**2).sum(axis=1)
        gram = np.exp(
            -(squares[:, None] + squares - 2 * points @ points.T) / (2 * points.shape[1])
        )
        mean, total = gram.mean(axis=1), np.zeros(len(points))
        chosen = []
        for t in range(k):
            chosen.append(int((mean - total / max(t, 1)).argmax()))
            total += gram[chosen[-1]]
        return np.array(chosen)

    return run


def coreax_herding(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    import jax

    jax.config.update("jax_enable_x64", True)
    from coreax import Data
    from coreax.kernels import SquaredExponentialKernel
    from coreax.solvers import KernelHerding

    kernel = SquaredExponentialKernel(length_scale=float(np.sqrt(points.shape[1])))
    solver = KernelHerding(coreset_size=k, kernel=kernel, block_size=1000)
    data = Data(jax.numpy.asarray(points))

    def run() -> Chosen:
        coreset, _ = solver.reduce(data)
        return np.asarray(coreset.unweighted_indices)

    return run


def goodpoints_thinning(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    """Kernel thinning to ``n / 2^m``, the nearest power of two to ``k``.

    With the whole Gram matrix stored: its other path does not run under NumPy 2.4.
    """
    from goodpoints import kt

    rounds = round(np.log2(len(points) / k))
    width = points.shape[1]

    def kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.exp(-((x - y) ** 2).sum(axis=-1) / (2 * width))

    def run() -> Chosen:
        return np.asarray(kt.thin(points, rounds, kernel, kernel, seed=1, store_K=True))

    return run


def random_points(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    return lambda: np.random.default_rng(1).choice(len(points), size=k)


def ours_farthest(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    from noisytheory import sparse
    from noisytheory.kernels import Gaussian

    kernel = Gaussian(np.sqrt(points.shape[1]))
    return lambda: sparse.farthest_first(kernel, points, k).centres


def plain_farthest(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    def run() -> Chosen:
        chosen, nearest = [0], np.full(len(points), np.inf)
        while len(chosen) < k:
            np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1), out=nearest)
            chosen.append(int(nearest.argmax()))
        return np.array(chosen)

    return run


def fpsample_farthest(points: np.ndarray, k: int) -> Callable[[], Chosen]:
    import fpsample

    return lambda: np.asarray(fpsample.fps_sampling(points, k, start_idx=0))


HERDING = {
    "ours": (ours_herding, None),
    "ours, single precision": (ours_herding_single, None),
    "plain, whole Gram matrix": (plain_herding, None),
    "coreax KernelHerding": (coreax_herding, "coreax"),
    "goodpoints kernel thinning": (goodpoints_thinning, "goodpoints"),
    "random": (random_points, None),
}
FARTHEST = {
    "ours": (ours_farthest, None),
    "plain": (plain_farthest, None),
    "fpsample (Euclidean only)": (fpsample_farthest, "fpsample"),
}
TASKS = {"herding": HERDING, "farthest first": FARTHEST}


def judged(points: np.ndarray, chosen: Chosen, task: str) -> dict[str, float]:
    """RKHS error with equal and with the best convex weights, or the covering radius."""
    from noisytheory.kernels import Gaussian
    from noisytheory.sparse.approximation import Target
    from noisytheory.sparse.projection import simplex_weights

    kernel = Gaussian(np.sqrt(points.shape[1]))
    if task == "farthest first":
        nearest = np.full(len(points), np.inf)
        for i in chosen:
            np.minimum(nearest, ((points - points[i]) ** 2).sum(axis=1), out=nearest)
        return {"radius": float(np.sqrt(nearest.max()))}
    target = Target(kernel, points, np.full(len(points), 1 / len(points)))
    equal = target.distance(chosen, np.full(len(chosen), 1 / len(chosen)))
    unique = np.unique(chosen)
    gram = target.gram(unique)
    best = simplex_weights(gram, target.scores[unique], np.full(len(unique), 1 / len(unique)))
    return {"error": equal, "best weights": target.distance(unique, best, gram)}


def measure(task: str, name: str, n: int, dimension: int, k: int, rounds: int) -> dict[str, object]:
    """One method, in this process."""
    points = points_of(n, dimension)
    run = TASKS[task][name][0](points, k)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    chosen = run()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return {
        "method": name, "n": n, "k": len(chosen), "seconds": statistics.median(times),
        "spread": [min(times), max(times)], "MiB": round(grown, 1),
        **judged(points, chosen, task),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="herding of 50,000 points too")
    parser.add_argument("--one", nargs=2, metavar=("TASK", "METHOD"), help=argparse.SUPPRESS)
    parser.add_argument("--size", nargs=3, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(*options.one, *options.size, options.rounds)))
        return
    sizes = [("herding", 8192, 10, 512), ("farthest first", 50_000, 10, 500)]
    if options.large:
        sizes.append(("herding", 50_000, 10, 500))
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu",
               "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    results: dict[str, list[dict[str, object]]] = {}
    for task, n, dimension, k in sizes:
        rows = results.setdefault(f"{task}, n={n}, d={dimension}, k={k}", [])
        for name, (_, package) in TASKS[task].items():
            if package is not None and importlib.util.find_spec(package) is None:
                rows.append({"method": name, "missing": package})
                continue
            if n > 20_000 and name.startswith(("plain, whole", "goodpoints")):
                rows.append({"method": name, "missing": f"{8 * n * n / 1e9:.0f} GB of memory"})
                continue
            command = [sys.executable, __file__, "--one", task, name, "--rounds",
                       str(options.rounds), "--size", str(n), str(dimension), str(k)]
            done = subprocess.run(
                command, env={**os.environ, **threads}, capture_output=True, text=True
            )
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["killed"])[-1]
                rows.append({"method": name, "missing": reason})
                continue
            rows.append(json.loads(done.stdout.splitlines()[-1]))
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for title, rows in results.items():
        print(title)
        own = next(row["seconds"] for row in rows if row["method"] == "ours")
        for row in rows:
            if "missing" in row:
                print(f"  {row['method']:<28} not run: {row['missing']}")
                continue
            quality = ", ".join(
                f"{key} {row[key]:.6f}" for key in ("error", "best weights", "radius") if key in row
            )
            print(f"  {row['method']:<28} {row['seconds']:8.3f} s  x{row['seconds'] / own:7.2f}"
                  f"  {row['MiB']:7.1f} MiB  k={row['k']}  {quality}")


if __name__ == "__main__":
    main()
