"""Threads over tiles: linear algebra on one thread in each, and results in their order."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, wraps
from queue import SimpleQueue
from threading import Semaphore
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

from noisytheory.trial.draws import on_one_thread_now

__all__ = ["Done", "in_order", "lent", "on_one_thread", "one_thread_each", "threads"]

Item = TypeVar("Item")
Done = TypeVar("Done")
Given = ParamSpec("Given")


_free: ContextVar[int] = ContextVar("_free", default=0)
"""How many threads there were to be had before linear algebra was kept to one; 0 if it is not."""


@cache
def _controller() -> ThreadpoolController:
    """Of the linear algebra that is loaded, which takes milliseconds to find."""
    # SciPy brings its own, which compiled loops call: what is loaded later is not found.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController().select(user_api="blas")


def _allowed() -> int:
    """As many threads as the linear algebra would take now."""
    if on_one_thread_now():
        return 1
    libraries = _controller().lib_controllers
    return max((library.num_threads for library in libraries), default=1)


def threads() -> int:
    """As many as the linear algebra would take now, and the process may run on."""
    if free := _free.get():
        return free
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(_allowed(), cores or 1))


@contextmanager
def one_thread_each() -> Iterator[int]:
    """Linear algebra on one thread, and how many threads may share the work instead.

    Of short sums, threads of linear algebra wait for each other: a hundred times longer than the
    sum takes, on a busy machine.

    Examples
    --------
    >>> with one_thread_each():
    ...     threads()
    1
    """
    workers = threads()
    # To limit what is limited takes longer than many a sum.
    with _controller().limit(limits=1) if _allowed() > 1 else nullcontext():
        before = _free.set(0)
        try:
            yield workers
        finally:
            _free.reset(before)


def on_one_thread(function: Callable[Given, Done]) -> Callable[Given, Done]:
    """A function whose linear algebra takes one thread: of a loop over rows, one after another.

    What in it shares work out may take as many threads as could be had without.

    Examples
    --------
    >>> on_one_thread(threads)() == threads()
    True
    """

    @wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Done:
        # Within another the limit stands; of one thread nothing is to be limited.
        if _free.get():
            return function(*args, **kwargs)
        if _allowed() <= 1:
            before = _free.set(1)
            try:
                return function(*args, **kwargs)
            finally:
                _free.reset(before)
        with one_thread_each() as workers:
            before = _free.set(workers)
            try:
                return function(*args, **kwargs)
            finally:
                _free.reset(before)

    return limited


_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
"""Pools that wait for work, by their size: to start threads takes milliseconds."""

if hasattr(os, "register_at_fork"):
    # A child has none of their threads.
    os.register_at_fork(after_in_child=_idle.clear)


@contextmanager
def lent(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of that many threads, which nobody else has until its tasks are to have ended."""
    try:
        pool = _idle[workers].pop()
    except IndexError:
        pool = ThreadPoolExecutor(workers, "noisytheory")
    try:
        yield pool
    finally:
        _idle[workers].append(pool)


def in_order(work: Callable[[Item], Done], items: Iterable[Item], workers: int) -> Iterator[Done]:
    """``work`` of every item, in their order, by threads if there is more than one worker.

    Few results wait: of work that has begun there are no more than two items a worker, so that one
    that takes its time need not hold up the others.
    """
    left = deque(enumerate(items))
    workers = min(workers, len(left))
    if workers <= 1:
        yield from (work(item) for _, item in left)
        return
    room, done = Semaphore(2 * workers), SimpleQueue[tuple[int, Any, BaseException | None]]()

    def take() -> bool:
        """Work on the next item, if there is one."""
        try:
            place, item = left.popleft()
        except IndexError:
            return False
        try:
            done.put((place, work(item), None))
        except Exception as error:
            done.put((place, None, error))
        except BaseException as error:
            # An interrupt, which does not wait for its turn.
            done.put((place, None, error))
            raise
        return True

    def share() -> None:
        while room.acquire() and take():
            pass
        # Whoever waits for room shall see the end.
        room.release()

    waiting: dict[int, tuple[Any, BaseException | None]] = {}
    with lent(workers - 1) as pool:
        total, begun = len(left), [pool.submit(share) for _ in range(workers - 1)]
        try:
            for place in range(total):
                while place not in waiting:
                    # Instead of waiting, this thread works, too: to be woken takes its time.
                    if done.empty() and left and room.acquire(blocking=False):
                        take()
                    number, *found = done.get()
                    waiting[number] = found[0], found[1]
                result, error = waiting.pop(place)
                if error is not None:
                    raise error
                room.release()
                yield result
        finally:
            left.clear()
            room.release()
            for one in begun:
                # Nobody writes behind the caller's back.
                if not one.cancel():
                    one.result()
