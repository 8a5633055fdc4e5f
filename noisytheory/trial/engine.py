"""Engines: anything with the Executor interface, one code path."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any, TypeVar

from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import ClaimError
from noisytheory.trial.elsewhere import Outcome
from noisytheory.trial.store.errors import Remark
from noisytheory.trial.tasks import (
    Item,
    answer_by_value,
    first_rows,
    first_rows_by_value,
    work,
    work_by_value,
)
from noisytheory.trial.worker import (
    OtherVersion,
    attend,
    if_the_same,
    if_whole,
    is_stopped,
    kill,
    stopped,
    told,
    versions,
)

__all__ = ["DEATHS", "PATIENCE", "Engine", "EngineError", "Serial", "deadly", "worked"]

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that a Dask scheduler may take to answer, and to have a first worker."""

LONELY = 60.0
"""Seconds that a Dask scheduler may be without any worker."""


_GLANCE = 5.0
"""Seconds without any result after which the workers are looked at."""


class Serial(Executor):
    """The executor that computes in this process, at once."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call now; the future is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class EngineError(BrokenExecutor):
    """The engine cannot go on, whatever the claim; what the store holds is whole."""


class Engine:
    """An executor that can be replaced when a worker dies."""

    def __init__(
        self, workers: int, scheduler: str | None, executor: Executor | None
    ) -> None:
        self.workers, self.scheduler, self.given = workers, scheduler, executor
        self.client: Any = None
        self.executor: Executor | None = executor
        self.slots = max(1, workers)
        self.description = f"{workers} process{'es' if workers > 1 else ''}"
        self.remote = executor is not None or scheduler is not None or workers > 0
        if executor is not None:
            self.description, self.slots = type(executor).__name__, 8
        self._quiet = contextlib.ExitStack()
        self._counted = self._seen = 0.0  # when workers were last counted, and last seen
        self._stopped: set[int] = set()  # workers that are known to be
        self._ended: list[int] = []  # how workers of the pool ended that nobody ended
        self._beside: Engine | None = None  # answers questions while the others work

    def __enter__(self) -> Engine:
        if self.scheduler is not None:
            self._connect()
        elif self.given is None:
            self._quiet.enter_context(_of_pools_silent())
            self._start()
        return self

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ValueError(
                "scheduler needs the extra 'distributed': pip install 'noisytheory[distributed]'"
            ) from error
        self._quiet.enter_context(_silent(
            "distributed", "distributed.client", "asyncio", "tornado.application"
        ))
        try:
            # Else all that Dask computes in this process would be sent there, even where nobody is.
            self.client = Client(  # type: ignore[no-untyped-call]
                self.scheduler, timeout=PATIENCE, set_as_default=False)
        except Exception as error:  # Of each protocol another one.
            raise ValueError(f"scheduler: no Dask scheduler at {self.scheduler!r}") from error
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            self.client.close()
            raise ValueError(
                f"scheduler: no worker has joined {self.scheduler} in {PATIENCE:.0f} s: start one"
            ) from error
        self._count()

    def _count(self) -> None:
        """Give work to all who have joined by now; wait only so long where nobody is left."""
        now = time.monotonic()
        if now < self._counted + _GLANCE:
            return
        try:
            threads = sum(self.client.nthreads().values())
        except (OSError, TimeoutError, RuntimeError, CancelledError) as error:
            raise self._lost() from error
        self._counted = time.monotonic()
        if threads:
            self.slots, self._seen = threads, now
            self.description = f"Dask, {threads} threads"
        elif now > self._seen + LONELY:
            raise EngineError(f"{self.scheduler} has had no worker for {LONELY:.0f} s")

    def _lost(self) -> EngineError:
        return EngineError(f"the scheduler {self.scheduler} is gone")

    def _start(self) -> None:
        if self.workers == 0:
            self.executor, self.description = Serial(), "its own process"
            return
        from noisytheory.trial.worker import BlankMainContext

        # Spawned, because forking a process whose libraries run threads can hang.
        self.executor = ProcessPoolExecutor(
            self.workers, mp_context=BlankMainContext(), initializer=attend
        )

    def restart(self) -> str:
        """Start again after a worker died and took the pool with it; says how it ended."""
        if self.given is not None or self.scheduler is not None:
            raise ClaimError("a worker died and its executor cannot be restarted from here")
        end, codes = time.monotonic() + _GLANCE, self._ended
        while not codes and time.monotonic() < end and (workers := _workers_of(self.executor)):
            found = [worker.exitcode for worker in workers]
            # The pool itself asks those to end that are left.
            codes = [code for code in found if code not in (None, -signal.SIGTERM)]
            if None not in found:
                codes = codes or found
            time.sleep(0.01)
        self._ended = []
        if isinstance(self.executor, ProcessPoolExecutor):
            kill(self.executor)  # one that began while the pool broke would wait for ever, and we
        self._start()
        return told(codes[0]) if codes else "nobody knows how"

    def wait(self, futures: Collection[Future[Any]]) -> set[Future[Any]]:
        """Wait for one of them; a pool that a dying worker has blocked is broken on the way.

        Who dies while it sends a result holds the lock that all others wait for, and the pool reads
        on for what never comes. Nor does anything come once one of the pool's own threads has died.
        Who is stopped is not dead, and is waited for: that is said.
        """
        while True:
            done, _ = wait(futures, timeout=_GLANCE, return_when=FIRST_COMPLETED)
            self._say_stopped()
            if self.client is not None:
                self._count()
            if done:
                return done
            pool = self.executor
            if isinstance(pool, ProcessPoolExecutor):
                codes = [worker.exitcode for worker in _workers_of(pool)]
                self._ended = [code for code in codes if code is not None]
                if self._ended:
                    kill(pool)
                inner: Any = pool
                carriers = inner._executor_manager_thread, inner._call_queue._thread
                if any(thread is not None and not thread.is_alive() for thread in carriers):
                    raise EngineError("a thread that gives processes work died (out of memory?)")

    def _say_stopped(self) -> None:
        """Name workers that are stopped, each once."""
        now = time.monotonic()
        if now < self._counted + _GLANCE or not isinstance(self.executor, ProcessPoolExecutor):
            return
        self._counted = now
        found = {worker.pid for worker in _workers_of(self.executor) if is_stopped(worker.pid)}
        for worker in sorted(found - self._stopped):
            warnings.warn(f"a worker, {stopped(worker)}", Remark, stacklevel=2)
        self._stopped = found

    def submit(self, claim: Claim, seed: int, items: Sequence[Item]) -> Future[Any]:
        """Have this done for a claim."""
        if not self.remote:
            return self.call(work, claim, seed, items)
        return self.call(work_by_value, _dumps(claim), seed, items)

    def first_rows(self, claim: Claim, seed: int, brief: bool) -> Future[Any]:
        """Have the first rows of a claim drawn, where its blocks will be, and what it is judged by.
        """
        if not self.remote:
            rows: Future[Any] = self.call(first_rows, claim, seed, brief)
            return rows
        return self.call(first_rows_by_value, _dumps(claim), seed, brief)

    def ask(self, claim: Claim, *question: Any) -> Outcome:
        """What a function of a claim gives, by a process that is there for such questions."""
        if self._beside is None:
            self._beside = Engine(1, None, None)
            self._beside.__enter__()
        ends: list[str] = []
        while len(ends) <= DEATHS:
            try:
                future = self._beside.call(answer_by_value, _dumps(claim), *question)
                self._beside.wait([future])
                found: Outcome = self._beside.result(future)
                return found
            except BrokenProcessPool:
                ends.append(self._beside.restart())
        raise deadly(claim, ends[-1])

    def call(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Have a function called."""
        if self.client is None:
            assert self.executor is not None
            if isinstance(self.executor, ProcessPoolExecutor) and self.given is None:
                return self.executor.submit(if_whole, function, *args)
            return self.executor.submit(function, *args)
        found: Future[Any] = Future()
        try:
            theirs = self.client.submit(if_the_same, versions(), function, *args)
            self.client.loop.add_callback(_hand_on, theirs, found)
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        return found

    def result(self, future: Future[Any]) -> Any:
        """What a call gave; of a cluster, what went wrong with it by its name."""
        if self.client is None:
            return future.result()
        from distributed import KilledWorker

        try:
            return future.result()
        except OtherVersion as error:
            raise EngineError(str(error)) from None
        except KilledWorker as error:
            raise ClaimError(
                f"its blocks were on {error.allowed_failures + 1} workers when these died (out of "
                "memory?)"
            ) from error
        except CancelledError as error:
            raise self._lost() from error
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("noisytheory"):
                raise
            raise EngineError(f"a worker of {self.scheduler} has no noisytheory") from error

    def __exit__(self, *args: object) -> None:
        if self._beside is not None:
            self._beside.__exit__(*args)
        if self.client is not None:
            self.client.close(timeout=_GLANCE)
        elif self.executor is not None and self.given is None:
            if args[0] is not None and isinstance(self.executor, ProcessPoolExecutor):
                kill(self.executor)  # who is still starting would miss us, and say so
            for worker in _workers_of(self.executor):
                if is_stopped(worker.pid):
                    worker.kill()  # it has nothing left to do, and hears of nothing else
            self.executor.shutdown(wait=args[0] is None, cancel_futures=True)
        self._quiet.close()


DEATHS = 2
"""Deaths of a worker that are forgiven to a claim, or to all without a suspect, one by one."""

Items = deque[Any]


def worked(
    queues: dict[int, Items], engine: Engine, *,
    submit: Callable[[int, list[Any]], Future[Any]],
    take: Callable[[int, list[Any], Future[Any]], Iterable[T]],
    drop: Callable[[int, str], Iterable[T]],
    batch: Callable[[int, Items], list[Any]] = lambda number, queue: [queue.popleft()],
    forgiven: int | None = None,
    meanwhile: Iterable[Iterable[T]] = (),
    ahead: int = 2,
) -> Iterator[T]:
    """Keep an engine busy until there is no queue left.

    Where a worker dies, all that was under way is done again; those whose it was go on one by one,
    alone, each until one of its own is done: who dies alone is known.

    Parameters
    ----------
    queues : dict of int to deque
        Items that wait, by whose they are; who is done, or given up, has its queue removed.
    engine : Engine
    submit : callable
        Starts a batch of items.
    take : callable
        Receives a batch that is done; what it yields, is yielded.
    drop : callable
        Gives one up whose workers die, told how.
    batch : callable
        Takes off a queue what is to be done together.
    forgiven : int, optional
        Deaths in a row; default `DEATHS`.
    meanwhile : iterable of iterables, optional
        What else is to be yielded, piece by piece while the engine is busy: for those whose queue
        is empty, and is filled or removed by it.
    ahead : int
        Batches that each worker has, the one under way included.

    Yields
    ------
    What `take`, `drop` and `meanwhile` yield.
    """
    running: dict[Future[Any], tuple[int, list[Any]]] = {}
    suspects: deque[int] = deque()
    rest = iter(meanwhile)
    deaths = 0

    def fill() -> None:
        """Give the engine as much as it takes, of a suspect one batch and nothing beside it."""
        most = ahead * engine.slots if engine.remote and not suspects else 1
        for number in [suspects[0]] if suspects else list(queues):
            if len(running) >= most:
                break
            while queues[number] and len(running) < most:
                items = batch(number, queues[number])
                try:
                    future = submit(number, items)
                except BrokenProcessPool:
                    queues[number].extendleft(reversed(items))
                    raise
                running[future] = number, items

    while queues:
        while suspects and not queues.get(suspects[0]):
            suspects.popleft()
        try:
            fill()
            for pieces in rest:
                yield from pieces
                if not running or any(future.done() for future in running):
                    break
            for future in engine.wait(running) if running else ():
                number, items = running[future]
                if number in queues:  # Or another of its batches has stopped it.
                    yield from take(number, items, future)
                    deaths = 0
                    if suspects:
                        suspects.popleft()
                del running[future]
        except BrokenProcessPool as error:
            # All that the pool had is lost with it.
            lost = {number: None for number, _ in running.values() if number in queues}
            for number, items in reversed(running.values()):
                if number in queues:
                    queues[number].extendleft(reversed(items))
            running.clear()
            alone = bool(suspects)
            deaths = 0 if lost and not alone else deaths + 1
            suspects.extend(number for number in lost if number not in suspects)
            end = engine.restart()
            if deaths > (DEATHS if forgiven is None else forgiven):
                if not alone:
                    raise ClaimError(
                        f"workers die before they have anything to do: {end}"
                    ) from error
                deaths = 0
                yield from drop(suspects.popleft(), end)


def deadly(claim: Claim, end: str) -> ClaimError:
    """What to say of a claim that is given up."""
    return ClaimError(
        f"{claim.id}: a worker that works on it alone dies, {DEATHS + 1} times in a row: {end}"
    )


async def _hand_on(theirs: Any, ours: Future[Any]) -> None:
    """Give a result of Dask's to whom `wait` knows.

    Dask's own executor takes it for an error where the worker that had it dies at that moment.
    """
    try:
        ours.set_result(await theirs)
    except Exception as error:
        ours.set_exception(error)


def _workers_of(pool: Executor | None) -> list[Any]:
    return list((getattr(pool, "_processes", None) or {}).values())


@contextlib.contextmanager
def _of_pools_silent() -> Iterator[None]:
    """What ends a thread of a pool is said by `Engine.wait`."""
    usual = threading.excepthook

    def hook(found: Any) -> None:
        if not {type(found.thread).__name__, getattr(found.thread, "name", "")} & _OF_POOLS:
            usual(found)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = usual


_OF_POOLS = {"_ExecutorManagerThread", "QueueFeederThread"}


@contextlib.contextmanager
def _silent(*names: str) -> Iterator[None]:
    """What a library logs while it loses a connection is said here, in one line."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@cache
def _dumps(claim: Claim) -> bytes:
    import cloudpickle

    return bytes(cloudpickle.dumps(claim))
