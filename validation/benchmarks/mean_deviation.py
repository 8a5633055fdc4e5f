"""What drawing ||Phi(P) - Phi(S)|| costs: the obvious loop, a good numpy form and ours, in one run.

Run as ``python validation/benchmarks/mean_deviation.py`` (``--json`` for numbers alone,
``--record`` to keep them). The forms take turns on the same population. The loop is timed on a few
replicates and scaled up, and says so. The error is that of the mean of the drawn squares, relative
to its expectation: it tells that all draw from the same law.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import recorded

from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations import Finite

LOOP_REPLICATES = 2
OURS, GOOD, LOOP = "noisytheory", "a good NumPy form", "a loop over samples"


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


def measure(
    atoms: int, dimension: int, n: int, size: int, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Rows and goals of one population."""
    subject = population(atoms, dimension)
    rng = np.random.default_rng(1)
    squares: dict[str, list[float]] = {OURS: [], GOOD: []}

    def form(name: str, draw: Callable[..., np.ndarray]) -> Callable[[], object]:
        return lambda: squares[name].append(float(np.mean(draw(subject, n, size, rng) ** 2)))

    forms = {OURS: form(OURS, ours), GOOD: form(GOOD, good_numpy)}
    times = recorded.in_turns(forms, rounds, machine)
    loop = recorded.seconds(lambda: obvious_loop(subject, n, LOOP_REPLICATES, rng))
    loop *= size / LOOP_REPLICATES
    memory = {name: recorded.peak(work) for name, work in forms.items()}
    twice = recorded.peak(lambda: ours(subject, n, 2 * size, rng))
    facts = machine.facts()
    rank = len(subject._form._top)
    # A triangular product is half of a full one.
    product = atoms * rank * size / (facts["dgemm_gflops"] * 1e9)
    work = (f"norm of the mean's deviation, {atoms:,} atoms in dimension {dimension}, n={n:,}, "
            f"{size:,} replicates")
    expected = subject.variance / n
    error = {name: abs(np.mean(values) / expected - 1) for name, values in squares.items()}
    rows = [
        recorded.row(work, OURS, times[OURS], memory[OURS], error[OURS],
                     f"rank {rank}; {product:.3f} s are the product alone at this run's dgemm"),
        recorded.row(work, GOOD, times[GOOD], memory[GOOD], error[GOOD]),
        recorded.row(work, LOOP, loop, None, None, f"scaled up from {LOOP_REPLICATES} replicates"),
    ]
    goals = []
    if rank == atoms:
        ratio = times[GOOD] / times[OURS]
        goals = [
            recorded.goal(
                work, "4.5 x the good NumPy form", f"{ratio:.1f} x", ratio >= 4.5, "",
                who=OURS, rival=GOOD,
            ),
            recorded.goal(
                work, "0.25 s", f"{times[OURS]:.3f} s", times[OURS] <= 0.25,
                f"set where dgemm gives 77 GFLOP/s; this run gave {facts['dgemm_gflops']:.0f}, at "
                f"which the product alone takes {product:.2f} s",
            ),
            recorded.goal(
                work, "memory independent of the number of replicates",
                f"{memory[OURS]:.1f} MiB, {twice:.1f} for twice as many",
                twice <= 1.05 * memory[OURS], "",
            ),
        ]
    return rows, goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atoms", type=int, default=1000)
    parser.add_argument("--dimension", type=int, nargs="+", default=[50, 2])
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine = recorded.Machine()
    rows, goals = [], []
    for dimension in given.dimension:
        more, aims = measure(
            given.atoms, dimension, given.n, given.replicates, given.rounds, machine
        )
        rows += more
        goals += aims
    found = recorded.result(
        __file__, "Deviations of the mean", rows, goals, machine, ("scipy",), given.rounds
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
