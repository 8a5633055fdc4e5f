"""What drawing ||Phi(P) - Phi(S)|| costs: the obvious loop, a good numpy form and ours, in one run.

Run as ``python validation/benchmarks/mean_deviation.py`` (``--json`` for numbers alone). The three
take turns on the same population with BLAS on one thread; every figure is a median over rounds.
Beside them stand the machine's ceilings from the same run, and with them the time that the
arithmetic alone would take. The loop is timed on a few replicates and scaled up, and says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from noisytheory.kernels import Gaussian
from noisytheory.populations import Finite

LOOP_REPLICATES = 2


def population(atoms: int, dimension: int) -> Finite:
    """Uniform weights on normal points; the Gram matrix has full rank in high dimensions."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((atoms, dimension))
    labels = np.where(points[:, 0] > 0, 1, -1)
    kernel = Gaussian(float(np.sqrt(dimension)))
    return Finite(f"{atoms} points in dimension {dimension}", points, labels, kernel=kernel)


def obvious_loop(population: Finite, n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """A sample, its Gram matrix and three sums a replicate."""
    deviations = np.empty(size)
    mean_norm = population.norm**2
    for i in range(size):
        points, labels = population.sample(n, rng=rng)
        gram = population.kernel(points, points)
        cross = population.kernel(points, population.points) @ (
            population.weights * population.labels
        )
        square = mean_norm - 2 * (labels @ cross) / n + labels @ gram @ labels / n**2
        deviations[i] = np.sqrt(max(square, 0.0))
    return deviations


def good_numpy(population: Finite, n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Multinomial counts of the atoms, and one product with the Gram matrix for all replicates."""
    counts = rng.multinomial(n, population.weights, size=size)
    difference = counts / n - population.weights
    return np.sqrt(np.einsum("bj,bj->b", difference @ population.gram, difference))


def ours(population: Finite, n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    return population.deviations(n, size=size, rng=rng)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak(work: Callable[[], object]) -> float:
    """Peak of memory that numpy asks for while ``work`` runs, in MiB."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def ceilings(rng: np.random.Generator) -> dict[str, Callable[[], float]]:
    """Each yields one figure: operations a second."""
    left, right = rng.random((1024, 1024)), rng.random((1024, 1024))
    numbers, out = np.empty(1 << 20), np.empty((1024, 1024))
    weights = np.full(1000, 1e-3)
    return {
        "dgemm, flop/s": lambda: 2 * 1024**3 / seconds(lambda: np.matmul(left, right, out=out)),
        "random doubles/s": lambda: numbers.size / seconds(lambda: rng.random(out=numbers)),
        "multinomial cells/s": lambda: 1e5
        / seconds(lambda: rng.multinomial(10_000, weights, size=100)),
    }


def measure(atoms: int, dimension: int, n: int, size: int, rounds: int) -> dict[str, object]:
    """Time the three forms and the ceilings, in turns."""
    subject = population(atoms, dimension)
    rng = np.random.default_rng(1)
    first = seconds(lambda: ours(subject, n, 1, rng))
    forms = {"good numpy": good_numpy, "ours": ours}
    times: dict[str, list[float]] = {"obvious loop": [], **{name: [] for name in forms}}
    limits = ceilings(rng)
    speeds: dict[str, list[float]] = {name: [] for name in limits}
    means = {}
    for _ in range(rounds):
        for name, form in forms.items():
            drawn: list[np.ndarray] = []
            times[name].append(
                seconds(lambda form=form, drawn=drawn: drawn.append(form(subject, n, size, rng)))
            )
            means[name] = float(np.mean(drawn[0] ** 2) * n)
        for name, limit in limits.items():
            speeds[name].append(limit())
    few = seconds(lambda: obvious_loop(subject, n, LOOP_REPLICATES, rng))
    times["obvious loop"].append(few / LOOP_REPLICATES * size)
    medians = {name: statistics.median(values) for name, values in times.items()}
    speed = {name: statistics.median(values) for name, values in speeds.items()}
    return {
        "atoms": atoms,
        "dimension": dimension,
        "n": n,
        "replicates": size,
        "rounds": rounds,
        "seconds": medians,
        "spread": {name: [min(v), max(v)] for name, v in times.items()},
        "extrapolated": {"obvious loop": f"from {LOOP_REPLICATES} replicates"},
        "first call, factor included, seconds": first,
        "good numpy / ours": medians["good numpy"] / medians["ours"],
        "peak MiB": {
            name: peak(lambda form=form: form(subject, n, size, rng))
            for name, form in forms.items()
        },
        "n E L^2 (exact, then as drawn)": [subject.variance, *means.values()],
        "rank of the factor": int(subject._form._top.shape[0]),
        "ceilings": speed,
        # A triangular product is half of a full one.
        "seconds for the product alone at dgemm's speed": atoms**2 * size / speed["dgemm, flop/s"],
        "seconds for numpy's multinomial counts alone": atoms * size / speed["multinomial cells/s"],
    }


def told(result: dict[str, object]) -> str:
    """The result in words."""
    times, memory = result["seconds"], result["peak MiB"]
    lines = [
        f"{result['atoms']} atoms in dimension {result['dimension']}, n = {result['n']}, "
        f"{result['replicates']} replicates, median of {result['rounds']} rounds, one thread",
    ]
    for name, time_ in times.items():
        low, high = result["spread"][name]
        note = result["extrapolated"].get(name)
        detail = f"extrapolated {note}" if note else f"{low:.3f} to {high:.3f}"
        used = f", peak {memory[name]:.0f} MiB" if name in memory else ""
        lines.append(f"  {name:14s} {time_:10.3f} s  ({detail}){used}")
    skip = {"seconds", "spread", "extrapolated", "peak MiB", "atoms", "dimension", "n",
            "replicates", "rounds", "ceilings"}
    lines += [f"  {name}: {value}" for name, value in result.items() if name not in skip]
    lines += [f"  {name}: {value:.3g}" for name, value in result["ceilings"].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atoms", type=int, default=1000)
    parser.add_argument("--dimension", type=int, nargs="+", default=[50, 2])
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with threadpool_limits(1):
        results = [
            measure(given.atoms, dimension, given.n, given.replicates, given.rounds)
            for dimension in given.dimension
        ]
    print(json.dumps(results, indent=1) if given.json else "\n".join(map(told, results)))


if __name__ == "__main__":
    main()
