"""Packaged solvers of average top-k problems that take minutes or gigabytes, each under limits.

Run as ``python validation/benchmarks/average_top_k_limits.py`` (``--record`` to keep the numbers,
after every problem; ``--json``; ``--only TEXT`` for problems with that in their names, beside what
is recorded of the others; ``--again`` to hold what is recorded against the goals again). The
problems are those of `average_top_k.py` that it skips, and
so are the forms, the gap and how ours and the rival by hand are measured; only what is packaged
differs. Each has one call, in a process of its own that the system ends after so many CPU seconds
and that is refused more than so much memory (POSIX). A call on a small problem goes before it, so
that no import counts. dro is not tried at 200,000 rows: it hands CLARABEL the same losses and tail
without the regulariser, another problem, and took about as long as cvxpy with CLARABEL at 20,000.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

import average_top_k as usual
import recorded

SECONDS = 300
"""CPU seconds that a packaged solver may take."""
BYTES = 10_000_000 * 1024
"""Address space that it may ask for."""
PROTOCOL = ("of the linear problems those that the section on average top-k minimisers has not; "
            f"packaged solvers one call, {SECONDS} s and {BYTES / 2**30:.1f} GiB at most; dro, "
            f"which solves another problem, is in no row of 200,000; {recorded.PROTOCOL}")


def alone(name: str, task: tuple[Any, ...], answers: Connection) -> None:
    """In a process of its own: an attempt under the limits, and the memory that it took."""
    recorded.pinned(min(os.sched_getaffinity(0)))
    usual.imported(name)
    used = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, used + SECONDS + 9))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    base = recorded.resident()
    call = usual.tried(name, task)
    answers.send((call, recorded.most_resident() - base))


def limited(name: str, task: tuple[Any, ...]) -> usual.Tried:
    """One call under the limits."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=alone, args=(name, task, there))
    child.start()
    there.close()
    try:
        call, grown = here.recv()
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGXCPU:
            return usual.Tried(None, SECONDS, f"one call, ended after {SECONDS} s")
        ended = signal.Signals(-child.exitcode).name if (child.exitcode or 0) < 0 else "an error"
        return usual.Tried(None, 0.0, f"ended by {ended}, allowed {BYTES / 2**30:.1f} GiB")
    child.join()
    if call.coef is None:
        return usual.Tried(None, 0.0, f"{call.note}; allowed {BYTES / 2**30:.1f} GiB")
    note = f"{call.note}; {grown:,.0f} MiB at most"
    return usual.Tried(call.coef, call.seconds, note, call.evaluations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--only", default="", help="problems with this in their names")
    parser.add_argument("--again", action="store_true", help="goals of recorded rows alone")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    if given.again:
        usual.again("average_top_k_limits",
                    f"{PROTOCOL}, {given.rounds} rounds; {recorded.SEVERAL}")
        return
    os.environ.update(recorded.ONE_THREAD)
    recorded.pinned(given.core)
    machine = recorded.Machine()
    rows, goals = [], []
    for n, d, smallest, loss, place in usual.problems():
        name = usual.titled(n, d, smallest, loss, place)
        if usual.unlimited(n, d, smallest, place) or given.only not in name:
            continue
        packaged = tuple(name for name in usual.PACKAGED
                         if n < 200_000 or not name.startswith("dro"))
        more, aims = usual.linear(
            n, d, smallest, loss, place, given.rounds, machine, packaged, limited)
        rows += more
        goals += aims
        found = recorded.result(
            __file__, "Average top-k minimisers: packaged solvers under limits", rows,
            goals + usual.stated(rows, machine.facts()["dgemm_gflops"]),
            machine, usual.PACKAGES, given.rounds, PROTOCOL)
        if given.only:
            found = recorded.beside(__file__, found)
        if given.record:
            recorded.keep(__file__, found)
        print(".", end="", file=sys.stderr, flush=True)
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
