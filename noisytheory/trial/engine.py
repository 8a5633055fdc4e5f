"""Engines: anything with the Executor interface, one code path."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from functools import cache
from typing import Any

from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import ClaimError
from noisytheory.trial.tasks import (
    Item,
    first_rows,
    first_rows_by_value,
    work,
    work_by_value,
)
from noisytheory.trial.worker import OtherVersion, attend, if_the_same, kill, versions

__all__ = ["PATIENCE", "Engine", "EngineError", "Serial"]

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

    def __enter__(self) -> Engine:
        if self.scheduler is not None:
            self._connect()
        elif self.given is None:
            self._start()
        return self

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ValueError(
                "scheduler needs the extra 'distributed': pip install 'noisytheory[distributed]'"
            ) from error
        self._quiet.enter_context(_silent("distributed", "distributed.client", "asyncio"))
        try:
            self.client = Client(self.scheduler, timeout=PATIENCE)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise ValueError(f"scheduler: no Dask scheduler at {self.scheduler!r}") from error
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            self.client.close()
            raise ValueError(
                f"scheduler: no worker has joined {self.scheduler} in {PATIENCE:.0f} s: start one"
            ) from error
        self.executor = self.client.get_executor()
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

    def restart(self) -> None:
        """A worker died and took the pool with it."""
        if self.given is not None or self.scheduler is not None:
            raise ClaimError("a worker died and its executor cannot be restarted from here")
        self._start()

    def wait(self, futures: Collection[Future[Any]]) -> set[Future[Any]]:
        """Wait for one of them; a pool that a dying worker has blocked is broken on the way.

        Who dies while it sends a result holds the lock that all others wait for, and the pool reads
        on for what never comes.
        """
        while True:
            done, _ = wait(futures, timeout=_GLANCE, return_when=FIRST_COMPLETED)
            if self.client is not None:
                self._count()
            if done:
                return done
            pool = self.executor
            if isinstance(pool, ProcessPoolExecutor):
                workers = list((pool._processes or {}).values())
                if any(worker.exitcode is not None for worker in workers):
                    with contextlib.suppress(AttributeError, OSError):
                        pool._result_queue._writer.close()  # type: ignore[attr-defined]
                    kill(pool)

    def submit(self, claim: Claim, seed: int, items: Sequence[Item]) -> Future[Any]:
        """Have this done for a claim."""
        if not self.remote:
            return self._start_call(work, claim, seed, items)
        return self._start_call(work_by_value, _dumps(claim), seed, items)

    def first_rows(self, claim: Claim, seed: int) -> Future[Any]:
        """Have the first rows of a claim drawn, where its blocks will be."""
        if not self.remote:
            return self._start_call(first_rows, claim, seed)
        return self._start_call(first_rows_by_value, _dumps(claim), seed)

    def _start_call(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        assert self.executor is not None
        if self.client is None:
            return self.executor.submit(function, *args)
        try:
            return self.executor.submit(if_the_same, versions(), function, *args)
        except (OSError, RuntimeError) as error:
            raise self._lost() from error

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
        if self.executor is not None and self.given is None:
            if self.client is None:
                if args[0] is not None and isinstance(self.executor, ProcessPoolExecutor):
                    kill(self.executor)  # who is still starting would miss us, and say so
                self.executor.shutdown(wait=args[0] is None, cancel_futures=True)
            else:
                self.executor.shutdown(wait=False)
                self.client.close(timeout=_GLANCE)
        self._quiet.close()


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
