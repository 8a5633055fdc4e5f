"""What the functions of somebody's claim give, worked out by a process that may end.

The judge needs more of a claim than its draws: right sides, what is trivial, certificates. They are
code of the user's, too, so the process that holds the audit asks for them and keeps the answers.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from noisytheory.trial.claim import ASKED, FUNCTIONS, Cell, Claim, parameters
from noisytheory.trial.draws import ClaimError
from noisytheory.trial.shown import named, words
from noisytheory.trial.verdict import right_side

__all__ = ["Answers", "Known", "Outcome", "answer", "foreseen", "is_ours"]

Outcome = tuple[str, Any, str]
"""``"gave"`` with a pickled value, or ``"raised"`` with what is to be said, and a traceback."""

Known = dict[tuple[Any, ...], Outcome]
"""Outcomes by what was asked."""

Ask = Callable[[Claim, str, int, Mapping[str, Any], Mapping[str, Any]], Outcome]
"""Of a claim, one of its functions, a cell's index, what was drawn and what else is given."""

_MOST = 2**28
"""Bytes of an answer, at most."""


class _Unfit(ClaimError, TypeError):
    """A function that does not take what it was given: a judge may try scalars."""


def is_ours(claim: Claim) -> bool:
    """Whether all of a claim's functions are of this package."""
    return all(_top(function) == "noisytheory" for function in _functions(claim))


def _functions(claim: Claim) -> list[Callable[..., Any]]:
    return [f for name in FUNCTIONS if callable(f := getattr(claim, name))]


def _top(function: object) -> str:
    return str(getattr(function, "__module__", None) or "").partition(".")[0]


class Answers:
    """While it is entered, `Claim.call` of these claims asks it instead of their functions.

    What no draws have a part in is asked once.
    """

    def __init__(self, claims: Iterable[Claim], ask: Ask) -> None:
        self.known: Known = {}
        self._ask = ask
        self._places = {claim.id: dict[str, int]() for claim in claims}

    @contextmanager
    def entered(self) -> Iterator[Known]:
        """Context in which it is asked; gives what is known."""
        token = ASKED.set(self)
        try:
            yield self.known
        finally:
            ASKED.reset(token)

    def takes(self, claim: Claim) -> bool:
        """Whether it answers for a claim."""
        return claim.id in self._places

    def __call__(
        self, claim: Claim, name: str, cell: Cell, drawn: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> Any:
        """What the function of this name gives."""
        names = parameters(getattr(claim, name))
        used = {n: given[n] for n in names if n in given}
        reads = {n: drawn[n] for n in names if n in drawn and n not in used and n not in cell}
        index = self._index(claim, cell)
        if reads or used.keys() - {"delta"}:
            return _said(claim, self._ask(claim, name, index, reads, used))
        level = np.asarray(used.get("delta", np.nan), float)
        key = claim.id, name, index, level.shape, level.tobytes()
        if key not in self.known:
            self.known[key] = self._ask(claim, name, index, reads, used)
        return _said(claim, self.known[key])

    def _index(self, claim: Claim, cell: Cell) -> int:
        places = self._places[claim.id]
        if not places:
            places.update((claim.address(c), i) for i, c in enumerate(claim.cells()))
        return places[claim.address(cell)]


def _said(claim: Claim, outcome: Outcome) -> Any:
    how, what, trace = outcome
    if how == "gave":
        return pickle.loads(what)
    error = (_Unfit if how == "unfit" else ClaimError)(what)
    raise error from RuntimeError(f"in another process\n{trace}")


def answer(
    claim: Claim, name: str, index: int, drawn: Mapping[str, Any], given: Mapping[str, Any]
) -> Outcome:
    """What a function gives, or what it raised, as bytes and text."""
    import cloudpickle

    token = ASKED.set(None)
    try:
        function = getattr(claim, name)
        data = cloudpickle.dumps(claim.call(function, claim.cell(index), drawn, **given))
        if len(data) > _MOST:
            return "raised", f"{claim.id}: {name} gives {len(data) / 2**20:,.0f} MiB at once", ""
        return "gave", data, ""
    except Exception as error:
        what = named(error)
        line = _line(error, {_top(f) for f in _functions(claim)} - {"noisytheory"})
        trace = "".join(traceback.format_exception(error))[-4000:]
        return (
            "unfit" if isinstance(error, TypeError) else "raised",
            f"{line} raised {what}" if line else words(error), trace,
        )
    finally:
        ASKED.reset(token)


def _line(error: BaseException, modules: set[str]) -> str:
    """Where in the code of a claim's own modules it happened, last."""
    found = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in modules:
            found = f"{frame.f_code.co_filename}, line {number}"
    return found


def foreseen(claim: Claim) -> Known:
    """What a judge will ask of every cell of a claim, draws apart, with the answers."""
    texts: dict[str, str] = {}

    def ask(*question: Any) -> Outcome:
        how, what, trace = answer(*question)
        if how == "gave":
            return how, what, trace
        # The same of many cells is sent once.
        return how, texts.setdefault(what, what), texts.setdefault(what + "\n", trace)

    with Answers([claim], ask).entered() as known, suppress(Exception):  # The judge says why.
        asks_bound = claim.bound is not None and not claim.drawn_names()
        for cell in claim.cells():
            if asks_bound:
                right_side(claim, cell)
            for name in claim.functions_of_a_cell:
                function = getattr(claim, name)
                levels = claim.deltas if "delta" in parameters(function) else ()
                given: list[dict[str, Any]] = [{"delta": delta} for delta in levels] or [{}]
                for level in given:
                    claim.call(function, cell, **level)
    return known
