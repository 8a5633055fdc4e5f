"""Threads over tiles: linear algebra on one thread in each, and results in their order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, wraps
from itertools import islice
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

from noisytheory.trial.draws import on_one_thread_now

__all__ = ["Done", "in_order", "on_one_thread", "one_thread_each", "threads"]

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


def in_order(work: Callable[[Item], Done], items: Iterable[Item], workers: int) -> Iterator[Done]:
    """``work`` of every item, in their order, by threads if there is more than one worker.

    Few results wait: of work that has begun there are no more than two items a worker, so that one
    that takes its time need not hold up the others.
    """
    if workers <= 1:
        yield from map(work, items)
        return
    rest = iter(items)
    with ThreadPoolExecutor(workers) as pool:
        begun: deque[Future[Done]] = deque(
            pool.submit(work, item) for item in islice(rest, 2 * workers)
        )
        while begun:
            done = begun.popleft().result()
            begun.extend(pool.submit(work, item) for item in islice(rest, 1))
            yield done
