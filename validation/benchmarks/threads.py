"""Choosing and predicting by the mean classifier on one thread and on more.

Run as ``python validation/benchmarks/threads.py`` on a machine that does nothing else: rounds in
turns, least times. Predicting is 5,000 queries on 20,000 examples of 10 coordinates, choosing is
eleven bandwidths on 8,000 of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from noisytheory.learners import KernelMeanClassifier, KernelMeanClassifierCV
from noisytheory.learners.tiles import threads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    x, queries = rng.normal(size=(20_000, 10)), rng.normal(size=(5000, 10))
    y = x[:, 0] > 0
    model = KernelMeanClassifier().fit(x, y)
    work: dict[str, Callable[[], object]] = {
        "predict": lambda: model.predict(queries),
        "choose": lambda: KernelMeanClassifierCV().fit(x[:8000], y[:8000]),
    }
    many = sorted({1, 2, threads() // 2 or 1, threads()} & set(range(1, threads() + 1)))
    least: dict[tuple[str, int], tuple[float, float]] = {}
    for _ in range(given.rounds):
        for name, call in work.items():
            for count in many:
                with threadpool_limits(count):
                    wall, own = time.perf_counter(), time.process_time()
                    call()
                    spent = time.perf_counter() - wall, time.process_time() - own
                    before = least.get((name, count), spent)
                least[name, count] = min(before[0], spent[0]), min(before[1], spent[1])
    for (name, count), (wall, own) in least.items():
        print(f"{name:8} {count:3} threads {wall:7.3f} s of wall, {own:7.3f} s of processor, "
              f"{least[name, 1][0] / wall:5.2f} x one thread")


if __name__ == "__main__":
    main()
