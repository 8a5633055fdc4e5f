"""The residual of herding: what of the target is left at every point, an atom after another."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.vocabulary import kernels
from noisytheory.vocabulary.threads import lent, threads

__all__ = ["Residual"]

Doubles = NDArray[np.float64]
SHARE = 1 << 12
"""Values of a step, times sixteenths of their coordinates, that are worth a thread: a hundredth of
a millisecond."""
PIECES = 8
"""Of a step, for each thread."""
ALONE = 2
"""Steps at first that one thread takes, to know what it takes for one."""
CREDIT = 8.0
"""Such steps that a team may be in arrears before it rests, and that it may have gained before."""
MOMENT = 32
"""Steps after which a smaller team looks whether there are more processors."""
PAUSE = 1e-4
"""Seconds after which one looks again whether others have done what they began."""


class Residual:
    r"""$\langle\pi^*-\omega,\omega_j\rangle$ at every point, from $\omega=0$ on.

    As a context, for its threads to end.

    Parameters
    ----------
    target : Target
    scores : array, shape (n,)
        $\langle\pi^*,\omega_j\rangle$, true or estimated.
    """

    def __init__(self, target: Target, scores: Doubles) -> None:
        self.target, self.scores, self.values = target, scores, scores.copy()
        self._ending = ExitStack()
        plan = target.plan
        # Sixty-four products take as long as a value.
        worth = len(target) ** 2 // 2 * (1 + len(plan.right) // 64) >= kernels.COMPILED
        self._team = _Team(self, plan.form, self._ending) if plan.form and worth else None
        if self._team is None:
            self._row, self._difference = target.buffer(), np.empty(len(target))

    def __enter__(self) -> Residual:
        return self

    def __exit__(self, *error: Any) -> None:
        self._ending.close()

    @property
    def largest(self) -> int:
        """The first place of the largest value."""
        if self._team is not None and self._team.step:
            return self._team.largest
        return int(self.values.argmax())

    def move(self, i: int, rate: float) -> None:
        r"""Take a step towards an atom: $(1-\rho)r_j+\rho(s_j-\langle\omega_i,\omega_j\rangle)$."""
        if self._team is not None:
            self._team.move(i, rate)
            return
        np.subtract(self.scores, self.target.row(i, self._row), out=self._difference)
        self._difference *= rate
        self.values *= 1 - rate
        self.values += self._difference


class _Team:
    """Threads that take pieces of one step after another, in compiled loops.

    On a machine that does other things, too, one of them may be put aside in the midst of a piece,
    for longer than all the steps take. So there are no more than processors that do nothing, and
    steps that they take have to be shorter, all in all, than one thread's were.
    """

    def __init__(self, residual: Residual, form: kernels.Form, ending: ExitStack) -> None:
        from noisytheory.vocabulary import compiled_steps

        self.compiled, self.ending = compiled_steps, ending
        target, plan = residual.target, residual.target.plan
        worth = len(target) * (1 + len(plan.right) // 16) // SHARE
        self.workers = max(1, min(threads(), worth))
        blocks = -(-len(target) // compiled_steps.BLOCK)
        wide = -(-blocks // (PIECES * self.workers))
        self.pieces = -(-blocks // wide)
        self.state = np.zeros((3 + self.pieces) * compiled_steps.GAP, np.int64)
        self.most, self.where = np.empty(self.pieces), np.empty(self.pieces, np.int64)
        rows = np.ones(len(target)) if plan.row_scale is None else plan.row_scale
        self.scales = target.diagonal, rows
        kind, numbers = form.compiled(plan.left.dtype)
        columns = np.empty(0, plan.left.dtype) if plan.column_scale is None else plan.column_scale
        self.arrays: tuple[Any, ...] = (
            wide, np.empty(5), plan.left, np.ascontiguousarray(plan.right), kind, numbers, form.z,
            columns, residual.scores, residual.values, self.most, self.where,
        )
        self.calls, self.begun = SimpleQueue[None](), list[Future[None]]()
        self.step, self.team, self.alone, self.credit = 0, 1, np.inf, 0.0
        # Steps that one thread takes, and the one before which processors are looked at again.
        self.rest = self.again = ALONE

    def _gather(self) -> None:
        """Start the others: where no processor is free, nobody is started."""
        pool = self.ending.enter_context(lent(self.workers - 1))
        # Twice, for an interrupt may fall into one: to end again harms nobody.
        self.ending.callback(self._end)
        self.ending.callback(self._end)
        for number in range(1, self.workers):
            self.begun.append(pool.submit(self._follow, number))

    def _follow(self, number: int) -> None:
        seen = 0
        while (seen := self.compiled.follow(self.state, seen, number, *self.arrays)) >= 0:
            self.calls.get()

    def _end(self) -> None:
        # Who goes to sleep at this very moment is woken as well.
        for _ in range(self.compiled.released(self.state, True) + self.workers):
            self.calls.put(None)
        for one in self.begun:
            one.result()

    @property
    def largest(self) -> int:
        """As `Residual.largest`."""
        return int(self.where[self.most.argmax()])

    def move(self, i: int, rate: float) -> None:
        """As `Residual.move`."""
        begun = time.perf_counter()
        if self.step == self.again and self.workers > 1:
            self._look()
        self.step += 1
        if self.team > 1:
            for _ in range(self.compiled.released(self.state, False)):
                self.calls.put(None)
        if not self.compiled.lead(
            self.state, self.step, i, rate, self.team, *self.scales, *self.arrays
        ):
            while not self.compiled.ended(self.state, self.step * self.pieces):
                time.sleep(PAUSE)
        took = time.perf_counter() - begun
        if self.team == 1:
            self.alone = min(self.alone, took)
            return
        self.credit = min(self.credit + self.alone - took, CREDIT * self.alone)
        if self.credit < 0:
            self._rest()

    def _look(self) -> None:
        """How many take the next steps."""
        self.team = min(self.workers, _free())
        if self.team <= 1:
            self._rest()
            return
        if not self.begun:
            self._gather()
        self.credit = CREDIT * self.alone
        # Somebody may have been busy for a moment only.
        self.again = self.step + MOMENT if self.team < self.workers else -1

    def _rest(self) -> None:
        """One thread takes the next steps, twice as many as the last time."""
        self.team, self.rest = 1, 2 * self.rest
        self.again = self.step + self.rest


def _free() -> int:
    """Processors that do nothing but this; where nobody says so, all."""
    processors = os.cpu_count() or 1
    try:
        with open("/proc/loadavg", "rb") as file:
            running = int(file.read().split()[3].split(b"/")[0])
    except (OSError, IndexError):
        return processors
    return processors + 1 - running
