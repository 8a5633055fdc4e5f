"""Steps of herding, compiled, and a team of threads that takes them together.

A step is some hundredths of a millisecond of work, in which no thread can be started or woken: the
team waits in compiled loops for the next, and sleeps only when there is none for a while. Who leads
does the share of those who have not come, so that nobody waits for a thread that has not begun.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from noisytheory.vocabulary.arithmetic import multiply_add
from noisytheory.vocabulary.compiled import _values, room
from noisytheory.vocabulary.compiling import njit

__all__ = ["BLOCK", "DONE", "GAP", "OVER", "STEP", "ended", "follow", "lead", "released"]

BLOCK = 128
"""Columns of which products and values stay in the first-level cache."""
SPINS = 1 << 18
"""Looks at one number before a thread goes to sleep: a tenth of a millisecond."""
LATE = 1 << 15
"""Such looks after which one who leads does the share of those who have not come."""
GAP = 16
"""Numbers from one that threads write to the next: two lines of the cache."""
STEP, DONE, ASLEEP, CLAIMS = range(4)
"""The step's number, pieces that are done since the first, threads that sleep, and the last step
of which each piece was taken."""
OVER = -1
"""In place of a step's number."""


def _atomic(function: Any) -> Any:
    """Code by hand: for what other threads see whole, in the order in which it is written."""
    return intrinsic(function)


def _place(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Where the array has what is at this place."""
    kind, at = signature.args[0], args[1]
    array = context.make_array(kind)(context, builder, args[0])
    return cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
        context, builder, kind, array, [at], wraparound=False
    )


@_atomic
def _seen(typing_context: Any, array: Any, place: Any) -> Any:
    """What is there now."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature, args), "seq_cst", 8)

    return types.int64(array, types.intp), code


@_atomic
def _told(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    """Write a number."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _place(context, builder, signature, args)
        builder.store_atomic(args[2], pointer, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), code


@_atomic
def _added(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    """Add to a number to which others add, too; what it was."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _place(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), code


@_atomic
def _taken(typing_context: Any, array: Any, place: Any, last: Any, now: Any) -> Any:
    """Whether a number was the last still, and nobody else has made another of it."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _place(context, builder, signature, args)
        found = builder.cmpxchg(pointer, args[2], args[3], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.intp, types.int64, types.int64), code


@njit(nogil=True, cache=True)
def _largest(values: Any, halves: Any) -> Any:
    """The largest of a block, which is folded: a loop over one after another is four times slower.

    What is shorter than a block is not folded.
    """
    width = BLOCK
    if len(values) == width:
        width //= 2
        for j in range(width):
            halves[j] = max(values[j], values[j + width])
        while width > 8:
            width //= 2
            for j in range(width):
                halves[j] = max(halves[j], halves[j + width])
        values = halves[:width]
    most = values[0]
    for j in range(1, len(values)):
        most = max(most, values[j])
    return most


@njit(nogil=True, cache=True)
def _products(left: Any, right: Any, start: int, given: Any) -> None:
    """Inner products of a point with columns from ``start`` on."""
    stop, even = start + len(given), len(left) - len(left) % 4
    given[:] = 0
    for k in range(0, even, 4):
        one, two, three, four = left[k], left[k + 1], left[k + 2], left[k + 3]
        first, second = right[k, start:stop], right[k + 1, start:stop]
        third, fourth = right[k + 2, start:stop], right[k + 3, start:stop]
        for j in range(len(given)):
            pair = multiply_add(one, first[j], multiply_add(two, second[j], given[j]))
            given[j] = multiply_add(three, third[j], multiply_add(four, fourth[j], pair))
    for k in range(even, len(left)):
        coordinate, some = left[k], right[k, start:stop]
        for j in range(len(given)):
            given[j] = multiply_add(coordinate, some[j], given[j])


@njit(nogil=True, cache=True)
def _share(
    state: Any, step: int, number: int, team: int, wide: int, numbers: Any, left: Any, right: Any,
    kind: int, form: Any, points: Any, scales: Any, scores: Any, residual: Any, most: Any,
    where: Any,
) -> None:
    """Take the pieces of a step that are this one's of so many, unless somebody else has.

    They are the same at every step, for in the thread's own cache they are then.
    """
    products, values, halves = room(BLOCK, right), room(BLOCK, right), room(BLOCK // 2, residual)
    for piece in range(number * len(most) // team, (number + 1) * len(most) // team):
        if not _taken(state, (CLAIMS + piece) * GAP, step - 1, step):
            continue
        # Of this step for sure: without this piece there is no next.
        place, rate, own, scale = int(numbers[0]), numbers[1], numbers[2], numbers[3]
        best, at = -np.inf, piece * wide * BLOCK
        for block in range(piece * wide, (piece + 1) * wide):
            first = block * BLOCK
            rest, target = residual[first : first + BLOCK], scores[first : first + BLOCK]
            if not len(rest):
                break
            given, row = products[: len(rest)], values[: len(rest)]
            _products(left[place], right, first, given)
            _values(kind, form, given, row, points, place, points[first:])
            if len(scales):
                some = scales[first : first + BLOCK]
                for j in range(len(row)):
                    row[j] *= some[j]
            for j in range(len(row)):
                moved = rate * multiply_add(-scale, row[j], target[j])
                rest[j] = multiply_add(1 - rate, rest[j], moved)
            if first <= place < first + len(rest):
                rest[place - first] = own
            top = _largest(rest, halves)
            if top > best:
                best = top
                for j in range(len(rest)):
                    if rest[j] == top:
                        at = first + j
                        break
        most[piece], where[piece] = best, at
        _added(state, DONE * GAP, 1)


@njit(nogil=True, cache=True)
def follow(
    state: Any, seen: int, number: int, wide: int, numbers: Any, left: Any, right: Any, kind: int,
    form: Any, points: Any, scales: Any, scores: Any, residual: Any, most: Any, where: Any,
) -> Any:
    """Take a share of every step that is told, until none is for a while; the last one's number.

    What is asleep then has to be woken, see `released`.

    Parameters
    ----------
    state : array of int, shape ((3 + pieces) * `GAP`,)
        What threads tell each other, zeros at first.
    seen : int
        The last step that is known.
    number : int
        Of this thread; one leads, whose number is 0.
    wide : int
        Blocks of `BLOCK` columns in a piece.
    numbers : array, shape (5,)
        The atom, its share of the sample, its own residual, what values are times, and how many
        threads take a share.
    left : array, shape (n, e)
    right : array, shape (e, n)
        Inner products are what values come of.
    kind, form : int, array
        How, see `noisytheory.vocabulary.compiled`.
    points : array, shape (n, d)
    scales : array, shape (n,) or (0,)
        What values are times, too, if there are any.
    scores : array, shape (n,)
    residual : array, shape (n,)
        What stays of it, and the new atom's share of scores less values, in place.
    most, where : array, shape (pieces,)
        The largest residual of each piece, and the first place that has it.
    """
    idle = 0
    while idle < SPINS:
        step = _seen(state, STEP * GAP)
        if step == OVER:
            return step
        if step == seen:
            idle += 1
            continue
        seen, idle = step, 0
        # Of another step it may be, but then all pieces are taken.
        team = int(numbers[4])
        if number < team:
            _share(state, step, number, team, wide, numbers, left, right, kind, form, points,
                   scales, scores, residual, most, where)
    _added(state, ASLEEP * GAP, 1)
    return seen


@njit(nogil=True, cache=True)
def lead(
    state: Any, step: int, place: int, rate: float, team: int, diagonal: Any, rows: Any,
    wide: int, numbers: Any, left: Any, right: Any, kind: int, form: Any, points: Any, scales: Any,
    scores: Any, residual: Any, most: Any, where: Any,
) -> bool:
    """Take a share of a step, and tell the others of it if they have one: whether it is done.

    Parameters
    ----------
    state, step : array, int
        This step's number, of which nobody knows yet.
    place, rate : int, float
        The atom, and its share.
    team : int
        How many threads take a share.
    diagonal : array, shape (n,)
        Of the atom the residual is known.
    rows : array, shape (n,)
        What values are times.
    """
    # Of the types that `follow` gives: one function is to be compiled, not two.
    first: Any = np.int64(0)
    alone: Any = np.int64(1)
    own = (1 - rate) * residual[place] + rate * (scores[place] - diagonal[place])
    numbers[0], numbers[1], numbers[2] = place, rate, own
    numbers[3], numbers[4] = rows[place], team
    if team > 1:
        _told(state, STEP * GAP, step)
    _share(state, step, first, team, wide, numbers, left, right, kind, form, points, scales,
           scores, residual, most, where)
    for _ in range(LATE):
        if _seen(state, DONE * GAP) == step * len(most):
            return True
    # Not what others have begun.
    _share(state, step, first, alone, wide, numbers, left, right, kind, form, points, scales,
           scores, residual, most, where)
    return False


@njit(nogil=True, cache=True)
def ended(state: Any, done: int) -> bool:
    """Whether so many pieces are done, now or after a while."""
    looks = 0
    while looks < SPINS and _seen(state, DONE * GAP) != done:
        looks += 1
    return looks < SPINS


@njit(nogil=True, cache=True)
def released(state: Any, over: bool) -> int:
    """How many threads sleep, which are to be woken now; none is when all is over."""
    if over:
        _told(state, STEP * GAP, OVER)
    asleep = _seen(state, ASLEEP * GAP)
    _added(state, ASLEEP * GAP, -asleep)
    return int(asleep)
