"""Pictures drawn in other processes: what ends one of them costs its own picture and no other."""

from __future__ import annotations

import contextlib
import gc
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from noisytheory.trial.engine import Engine, worked

__all__ = ["SWEPT", "Ended", "begun", "in_processes"]

SWEPT = (100_000, 50, 100)
"""How seldom memory is swept where much is drawn."""

T = TypeVar("T")


class Ended(str):
    """In place of what a task returns, how it ended its process."""


@contextlib.contextmanager
def begun(workers: int, first: Callable[[], object]) -> Iterator[Engine]:
    """Processes that do something first, as to import what draws, while this one does another."""
    with Engine(workers, None, None) as engine:
        for _ in range(workers):
            engine.call(first)
        yield engine


def in_processes(
    tasks: Sequence[Callable[[], T]], workers: int, ready_made: Engine | None = None
) -> Iterator[T | Ended]:
    """What they return, in their order; of one that ends the process that it has to itself, how.

    In processes that have `begun`, or in as many new ones.
    """
    import cloudpickle

    # By value: a picture may be of a user's file, which no worker can import.
    queues = {place: deque([cloudpickle.dumps(task)]) for place, task in enumerate(tasks)}
    ready: dict[int, T | Ended] = {}
    following = 0

    def take(place: int, items: list[bytes], future: Future[T | Ended]) -> Iterator[int]:
        ready[place] = engine.result(future)
        del queues[place]
        yield place

    def drop(place: int, end: str) -> Iterator[int]:
        ready[place] = Ended(end)
        del queues[place]
        yield place

    with contextlib.ExitStack() as stack:
        engine = ready_made or stack.enter_context(Engine(workers, None, None))
        for _ in worked(
            queues, engine, submit=lambda place, items: engine.call(_called, items[0]), take=take,
            drop=drop, forgiven=0,
        ):
            while following in ready:
                yield ready.pop(following)
                following += 1


def _called(task: bytes) -> Any:
    gc.set_threshold(*SWEPT)
    try:
        return pickle.loads(task)()
    except KeyboardInterrupt:  # The task's own: those of a key go to the parent process.
        return Ended("KeyboardInterrupt")
