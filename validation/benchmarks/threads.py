"""The mean classifier and herding on one thread and on more, beside the most that threads can gain.

Run as ``python validation/benchmarks/threads.py`` (``--record`` to keep the numbers), best on a
machine that does nothing else: rounds in turns, least times. What as many processes, each with one
thread and with nothing to share but caches, memory and host, get done at once in the same rounds is
the most that threads can gain there: two cores of a virtual machine may be one of its host.

Where all processors have other work, and the system shares them out by sessions or groups, as Linux
does, all threads together get no more time than one had; that they take turns on a processor then
costs 2 to 6% of it, half of that for caches. Which it is cannot be told while they run, and where
threads are shared out to, not groups, one thread alone would lose a factor: they are not given up.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
import recorded
from threadpoolctl import threadpool_limits

from noisytheory.learners import (
    KernelMeanClassifier,
    KernelMeanClassifierCV,
    class_sums,
    kernel_mean,
    probabilities,
)
from noisytheory.topics.sparse import herding
from noisytheory.vocabulary import compiled_steps, kernels
from noisytheory.vocabulary.kernels import Gaussian, Kernel, Laplace, Normalised, Polynomial
from noisytheory.vocabulary.threads import in_order, threads

rng = np.random.default_rng(0)
X, QUERIES = rng.normal(size=(20_000, 10)), rng.normal(size=(5000, 10))
Y = X[:, 0] > 0
SINGLES = X.astype(np.float32)
WIDE = rng.normal(size=(2000, 300))
GRAM = np.empty((5000, 5000))
CUBIC = Polynomial(3, 1.0)
MODEL = KernelMeanClassifier().fit(X, Y)
SINGLE = KernelMeanClassifier().fit(SINGLES, Y)
LAPLACE = KernelMeanClassifier(Laplace(3.0)).fit(X, Y)
POLYNOMIAL = KernelMeanClassifier(CUBIC, normalise="largest").fit(X, Y)


def herded(kernel: Kernel, points: Any) -> Callable[[], object]:
    """Herding of 200 from equal weights."""
    return lambda: herding(kernel, points, np.full(len(points), 1 / len(points)), 200)


WORK: dict[str, Callable[[], object]] = {
    "predicting 5,000 of dimension 10 from 20,000": lambda: MODEL.predict(QUERIES),
    "predicting 5,000 of dimension 10 from 20,000, float32":
        lambda: SINGLE.predict(QUERIES.astype(np.float32)),
    "predicting 5,000 of dimension 10 from 20,000, Laplace": lambda: LAPLACE.predict(QUERIES),
    "predicting 5,000 of dimension 10 from 20,000, polynomial":
        lambda: POLYNOMIAL.predict(QUERIES),
    "choosing of 11 bandwidths on 8,000 of dimension 10":
        lambda: KernelMeanClassifierCV().fit(X[:8000], Y[:8000]),
    "compressing 20,000 of dimension 10 to 200": lambda: MODEL.compress(200),
    "herding 200 of 20,000 of dimension 10": herded(Gaussian(3.0), X),
    "herding 200 of 20,000 of dimension 10, float32": herded(Gaussian(3.0), SINGLES),
    "herding 200 of 20,000 of dimension 10, Laplace": herded(Laplace(3.0), X),
    "herding 200 of 20,000 of dimension 10, polynomial": herded(Normalised(CUBIC), X),
    "herding 200 of 2,000 of dimension 300, row after row": herded(Gaussian(30.0), WIDE),
    "a Gram matrix of 5,000 of dimension 10": lambda: Gaussian(3.0)(QUERIES, out=GRAM),
    "a Gram matrix of 5,000 of dimension 10, polynomial": lambda: CUBIC(QUERIES, out=GRAM),
}
WHY = {
    "herding": "between steps, one after another, one thread chooses",
    "Gram": "threads write to one memory",
    "": "what stands before and behind the tiles takes one thread",
}
SHARED = (kernels, kernel_mean, class_sums, probabilities)
"""Who shares work out, but for the steps of herding."""
NEAR, LOSS = 0.9, 1.05
"""Share of what processes gain that is asked for, and what counts as slower than one thread."""


def bits() -> dict[str, Any]:
    """A digest of what all works give, and the least processor seconds that they take."""
    digest, spent = hashlib.blake2b(digest_size=8), 0.0
    for call in WORK.values():
        result: Any = call()
        spent += min(timed(call)[1] for _ in range(3))
        if hasattr(result, "decision_function"):
            result = result.decision_function(QUERIES)
        for numbers in [getattr(result, name) for name in ("indices", "weights", "errors")] if (
            hasattr(result, "errors")
        ) else [result]:
            digest.update(np.ascontiguousarray(numbers))
    return {"bits": digest.hexdigest(), "processor": spent}


def unshared(call: Callable[[], object]) -> float:
    """The share of one thread's time in which nothing is done that threads share."""
    spent = 0.0

    def noted(work: Callable[..., Any]) -> Callable[..., Any]:
        def timed_work(*given: Any) -> Any:
            nonlocal spent
            begun = time.perf_counter()
            try:
                return work(*given)
            finally:
                spent += time.perf_counter() - begun

        return timed_work

    shares = []
    with ExitStack() as patches, threadpool_limits(1):
        for owner in SHARED:
            patches.enter_context(mock.patch.object(
                owner, "in_order", lambda work, *of: in_order(noted(work), *of)
            ))
        patches.enter_context(
            mock.patch.object(compiled_steps, "lead", noted(compiled_steps.lead))
        )
        for _ in range(5):
            spent = 0.0
            wall = timed(call)[0]
            shares.append(1 - spent / wall)
    return min(shares)


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


def measured(many: list[int], rounds: int, machine: recorded.Machine) -> dict[Any, float]:
    """Least seconds of every work, number of threads and way of counting."""
    context = multiprocessing.get_context("spawn")
    pipes = []
    for _ in range(max(many)):
        ours, theirs = context.Pipe()
        context.Process(target=child, args=(theirs,), daemon=True).start()
        pipes.append(ours)
    least: dict[Any, float] = defaultdict(lambda: np.inf)

    def noted(*key: Any, seconds: float) -> None:
        least[key] = min(least[key], seconds)

    for _ in range(rounds + 1):
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
        machine.measure()
    for pipe in pipes:
        pipe.send("")
    return least


def main() -> None:
    """Measure, print, and record if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--bits", action="store_true", help="what comes out, and no times")
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    given = parser.parse_args()
    if given.bits:
        print(json.dumps(bits()))
        return
    machine, rows, goals = recorded.Machine(), [], []
    many = sorted({1, 2, threads()} & set(range(1, threads() + 1)))
    least = measured(many, given.rounds, machine)
    for work in WORK:
        one, alone = least[work, 1, "threads"], least[work, 1, "processes"]
        for count in many:
            wall = least[work, count, "threads"]
            gain, most = one / wall, count * alone / least[work, count, "processes"]
            plural = "s" * (count > 1)
            rows.append(recorded.row(
                work, f"noisytheory, {count} thread{plural}", wall,
                note=f"{least[work, count, 'processor']:.3g} s of processors" + (
                    f"; {gain:.2f} x one thread, where {count} processes at once do {most:.2f} "
                    "times what one does" if plural else ""),
            ))
        why = next((words for name, words in WHY.items() if name in work), WHY[""])
        serial = unshared(WORK[work])
        why = (f"{serial:.1%} of one thread's time is not shared, which leaves "
               f"{1 / (serial + (1 - serial) / count):.2f} x where caches are as good: {why}")
        goals.append(recorded.goal(
            work, f"on {count} threads {NEAR:.0%} of what as many processes gain",
            f"{gain:.2f} x of {most:.2f} x", gain >= NEAR * most, why,
        ))
        slowest = max(least[work, count, "threads"] for count in many)
        goals.append(recorded.goal(
            work, "never slower than one thread", f"at most {slowest / one:.2f} x its time",
            slowest <= LOSS * one, "two threads share what one has",
        ))
    found = recorded.result(
        __file__, "Threads over tiles", rows, goals, machine, ["scikit-learn", "numba"],
        given.rounds, "Least seconds by the clock, of rounds taken in turns",
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
