"""The mean classifier and herding on one thread and on more, and what is possible.

Run as ``python validation/benchmarks/threads.py``, best on a machine that does nothing else: rounds
in turns, least times. Predicting is 5,000 queries on 20,000 examples of 10 coordinates, choosing is
eleven bandwidths on 8,000 of them; herding takes 200 of the examples, and 200 of 2,000 that have
300 coordinates, where most of the work is one row after another. What as many processes, each with
one thread and with nothing to share but memory, get done at once in the same rounds is the most
that threads can gain here.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from noisytheory.learners import KernelMeanClassifier, KernelMeanClassifierCV
from noisytheory.topics.sparse import herding
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.threads import threads

rng = np.random.default_rng(0)
X, QUERIES = rng.normal(size=(20_000, 10)), rng.normal(size=(5000, 10))
Y = X[:, 0] > 0
WIDE = rng.normal(size=(2000, 300))
MODEL = KernelMeanClassifier().fit(X, Y)
WORK: dict[str, Callable[[], object]] = {
    "predict": lambda: MODEL.predict(QUERIES),
    "choose": lambda: KernelMeanClassifierCV().fit(X[:8000], Y[:8000]),
    "herd": lambda: herding(Gaussian(3.0), X, np.full(len(X), 1 / len(X)), 200),
    "rows": lambda: herding(Gaussian(30.0), WIDE, np.full(len(WIDE), 1 / len(WIDE)), 200),
}


def child(pipe: Any) -> None:
    """Do what is asked for, on one thread, and say how long it took."""
    with threadpool_limits(1):
        while name := pipe.recv():
            pipe.send(timed(WORK[name])[0])


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of processors."""
    wall, own = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    many = sorted({1, 2, threads() // 2 or 1, threads()} & set(range(1, threads() + 1)))
    context = multiprocessing.get_context("spawn")
    pipes, children = [], []
    for _ in range(max(many)):
        ours, theirs = context.Pipe()
        children.append(context.Process(target=child, args=(theirs,), daemon=True))
        children[-1].start()
        pipes.append(ours)
    least: dict[tuple[str, int, str], float] = defaultdict(lambda: np.inf)

    def noted(*key: Any, seconds: float) -> None:
        least[key] = min(least[key], seconds)

    for _ in range(given.rounds + 1):
        for name, call in WORK.items():
            for count in many:
                with threadpool_limits(count):
                    wall, own = timed(call)
                noted(name, count, "threads", seconds=wall)
                noted(name, count, "processor", seconds=own)
                for pipe in pipes[:count]:
                    pipe.send(name)
                # Of the slowest: then all are done.
                noted(name, count, "processes", seconds=max(pipe.recv() for pipe in pipes[:count]))
    for pipe in pipes:
        pipe.send("")
    for name in WORK:
        for count in many:
            wall, own, beside = (
                least[name, count, what] for what in ("threads", "processor", "processes")
            )
            print(f"{name:8} {count:3} threads {wall:7.3f} s of wall, {own:7.3f} s of processors, "
                  f"{least[name, 1, 'threads'] / wall:5.2f} x one thread; as many processes "
                  f"{count * least[name, 1, 'processes'] / beside:5.2f} x")


if __name__ == "__main__":
    main()
