"""Pictures drawn in other processes: what ends one of them costs its own picture and no other."""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from noisytheory.trial.engine import Engine, Items, worked
from noisytheory.trial.forked import one_returns
from noisytheory.trial.swept import DRAWING, sweep_seldom

__all__ = ["Ended", "begun", "in_processes"]

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
    tasks: Mapping[int, Callable[[], T]], workers: int, ready_made: Engine | None = None, *,
    meanwhile: Iterable[object] = (), here: Container[int] = (),
) -> Iterator[tuple[int, T | Ended]]:
    """Do tasks, the low ones first, in processes that have `begun` or in as many new ones.

    Parameters
    ----------
    tasks : dict of int to callable
    workers : int
    ready_made : Engine, optional
    meanwhile : iterable, optional
        What this process does piece by piece before all else; it may add tasks.
    here : container of int, optional
        Tasks that this process may do while others are busy, the high ones first.

    Yields
    ------
    Each task's number and what it returns, as they are done; of one that ends the process that it
    has to itself, how.
    """
    import cloudpickle

    queues: dict[int, Items] = {_OPEN: deque()}
    seen: set[int] = set()
    begun: set[int] = set()

    def fill() -> None:
        if new := tasks.keys() - seen:
            seen.update(new)
            ordered = sorted({**queues, **{number: deque([number]) for number in new}}.items())
            queues.clear()
            queues.update(ordered)

    def submit(number: int, items: list[int]) -> Future[T | Ended]:
        begun.add(number)
        # By value: a picture may be of a user's file, which no worker can import.
        return engine.call(_called, cloudpickle.dumps(tasks[number]))

    def take(
        number: int, items: list[int], future: Future[T | Ended]
    ) -> Iterator[tuple[int, T | Ended]]:
        found = engine.result(future)
        del queues[number]
        yield number, found

    def drop(number: int, end: str) -> Iterator[tuple[int, T | Ended]]:
        del queues[number]
        yield number, Ended(end)

    def pieces() -> Iterator[Iterable[tuple[int, T | Ended]]]:
        for _ in meanwhile:
            fill()
            yield ()
        fill()
        del queues[_OPEN]
        for number in sorted(seen, reverse=True):
            # What has begun and waits again was with a process that has died.
            if number in here and number not in begun:
                del queues[number]
                yield [(number, tasks[number]())]

    with contextlib.ExitStack() as stack:
        engine = ready_made or stack.enter_context(Engine(workers, None, None))
        fill()
        yield from worked(
            queues, engine, submit=submit, take=take, drop=drop, forgiven=0, meanwhile=pieces(),
            ahead=8,
        )


_OPEN = sys.maxsize
"""A queue that stays empty: more may come."""


def _called(task: bytes) -> Any:
    sweep_seldom(DRAWING)
    try:
        with one_returns():
            return pickle.loads(task)()
    except KeyboardInterrupt:  # The task's own: those of a key go to the parent process.
        return Ended("KeyboardInterrupt")
