"""Pictures drawn in other processes: what ends one of them costs its own picture and no other."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from noisytheory.trial.worker import BlankMainContext, attend, kill

__all__ = ["SWEPT", "in_processes"]

SWEPT = (20_000, 50, 100)
"""How seldom memory is swept where much is drawn."""

T = TypeVar("T")


def in_processes(tasks: Sequence[Callable[[], T]], workers: int) -> Iterator[T | None]:
    """What they return, in their order; None of one that ends the process that it has to itself."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    import cloudpickle

    # By value: a picture may be of a user's file, which no worker can import.
    left, alone = [cloudpickle.dumps(task) for task in tasks], False
    while left:
        pool = ProcessPoolExecutor(
            1 if alone else workers, mp_context=BlankMainContext(), initializer=_start
        )
        try:
            for future in [pool.submit(_called, task) for task in left[: 1 if alone else None]]:
                found = future.result()
                del left[0]
                yield found
            alone = False
        except BrokenProcessPool:
            if alone:
                del left[0]
                yield None
            alone = not alone
        except BaseException:
            kill(pool)  # Asked to end, nobody waits for pictures.
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _start() -> None:
    attend()
    gc.set_threshold(*SWEPT)


def _called(task: bytes) -> Any:
    try:
        return pickle.loads(task)()
    except KeyboardInterrupt:  # The task's own: those of a key go to the parent process.
        return None
