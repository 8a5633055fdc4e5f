"""Engines: anything with the Executor interface, one code path."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from functools import cache
from typing import Any

from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import ClaimError
from noisytheory.trial.independence import probe
from noisytheory.trial.tasks import Item, probe_by_value, work, work_by_value
from noisytheory.trial.worker import attend

__all__ = ["PATIENCE", "Engine", "Serial"]

PATIENCE = 10.0
"""Seconds that a Dask scheduler may take to answer."""


_GLANCE = 5.0
"""Seconds without any result after which the workers are looked at."""


class Serial(Executor):
    """The executor that computes in this process, at once."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call now; the future is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except (Exception, SystemExit) as error:
            future.set_exception(error)
        return future


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
        self.remote = executor is not None or scheduler is not None or workers > 1
        if executor is not None:
            self.description, self.slots = type(executor).__name__, 8

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
        try:
            self.client = Client(self.scheduler, timeout=PATIENCE)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise ValueError(f"scheduler: no Dask scheduler at {self.scheduler!r}") from error
        self.executor = self.client.get_executor()
        self.slots = max(1, sum(self.client.nthreads().values()))
        self.description = f"Dask, {self.slots} threads"

    def _start(self) -> None:
        if self.workers == 1:
            self.executor = Serial()
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
            if done:
                return done
            pool = self.executor
            if isinstance(pool, ProcessPoolExecutor):
                workers = list((pool._processes or {}).values())
                if any(worker.exitcode is not None for worker in workers):
                    with contextlib.suppress(AttributeError, OSError):
                        pool._result_queue._writer.close()  # type: ignore[attr-defined]
                    for worker in workers:
                        worker.kill()

    def submit(self, claim: Claim, seed: int, items: Sequence[Item]) -> Future[Any]:
        """Have this done for a claim."""
        assert self.executor is not None
        if not self.remote:
            return self.executor.submit(work, claim, seed, items)
        return self.executor.submit(work_by_value, _dumps(claim), seed, items)

    def probe(self, claim: Claim, seed: int) -> Future[Any]:
        """Have the first rows of a claim drawn, where its blocks will be."""
        assert self.executor is not None
        if not self.remote:
            return self.executor.submit(probe, claim, claim.cell(0), seed)
        return self.executor.submit(probe_by_value, _dumps(claim), seed)

    def __exit__(self, *args: object) -> None:
        if self.executor is not None and self.given is None:
            if self.client is None:
                self.executor.shutdown(wait=args[0] is None, cancel_futures=True)
            else:
                self.executor.shutdown(wait=False)
                self.client.close()


@cache
def _dumps(claim: Claim) -> bytes:
    import cloudpickle

    return bytes(cloudpickle.dumps(claim))
