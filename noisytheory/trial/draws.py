"""Address to numbers: a draw is named by (root seed, claim, cell, block, row) and nothing else."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import numbers
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Cell, Claim, Law
from noisytheory.trial.shown import named, words
from noisytheory.trial.verdict import right_side

__all__ = ["Arrays", "ClaimError", "UnreadError", "block_generator", "draw", "exact_evidence",
           "kept", "on_one_thread_now", "one_thread", "refuse_other", "renamed", "replays", "same",
           "unused"]

Arrays = dict[str, NDArray[Any]]


class ClaimError(ValueError):
    """A claim that cannot be tried: its functions raised, or returned what they may not.

    `outside` says that the system refused them something, such as a file: it is nobody's fault.
    """

    outside = False

    @classmethod
    def of(cls, where: str, error: Exception) -> ClaimError:
        """What a function raised, and which."""
        said = cls(f"{where} raised {named(error)}")
        said.outside = isinstance(error, OSError)
        return said


class UnreadError(ClaimError):
    """A simulator that draws what its claim could only ignore: a few rows show it."""


def block_generator(
    seed: int, claim_id: str, address: str, block: int, *row: int
) -> np.random.Generator:
    """The generator of one block: root seed, claim, cell and block index, nothing else.

    Parameters
    ----------
    seed : int
        Root seed.
    claim_id, address : str
        The claim's id and the cell as text.
    block : int
        Block index within the cell.
    *row : int
        Of a row that is drawn apart.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> block_generator(1, "mine/theorem-2", "n=10", 0).integers(100, size=3).tolist()
    [1, 0, 34]
    """
    text = hashlib.blake2b(f"{claim_id}\n{address}".encode(), digest_size=16).digest()
    # The words that SeedSequence would make of the seed and the digest, which it does slowly.
    root = int(seed).to_bytes(4 * max(1, -(-int(seed).bit_length() // 32)), "little")
    words = np.frombuffer(root + text, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(words, spawn_key=(block, *row)))


def draw(
    claim: Claim, cell: Cell, block: int, *, seed: int, rows: int | None = None,
    address: str | None = None,
) -> Arrays:
    """One block of replicates of a claim at one cell, everything that the simulator returns.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Parameters, as `Claim.cell` gives them.
    block : int
        Block index; with the seed, the claim and the cell it is the block's address.
    seed : int
        Root seed.
    rows : int, optional
        Of a look, which is no part of any block: one call, whatever the claim says.
    address : str, optional
        Another address than the cell's, for a look.

    Returns
    -------
    dict of str to ndarray
        ``lhs`` and whatever else was drawn, replicates first.

    Raises
    ------
    ClaimError
        If the simulator raises, or returns a wrong shape or a NaN; the message gives the address.
        If of rows drawn apart one of the outermost comes out otherwise when it is drawn again.
    """
    at = claim.address(cell)
    if rows is not None or not claim.apart:
        rng = block_generator(seed, claim.id, address or at, block)
        size = claim.rows if rows is None else rows
        return _called(claim, cell, block, rng, size, bound=block == 0)

    def alone(row: int) -> Arrays:
        rng = block_generator(seed, claim.id, at, block, row)
        return _called(claim, cell, block, rng, 1, bound=block == row == 0)

    each = [alone(row) for row in range(claim.rows)]
    if any(set(one) != set(each[0]) for one in each):
        raise ClaimError(
            f"{claim.id} at {at or 'its cell'}, block {block}: simulate draws other arrays in one "
            "row than in another"
        )
    drawn = {name: np.concatenate([one[name] for one in each]) for name in each[0]}
    for row in _outermost(drawn):
        refuse_other(claim, each[row], alone(row))
    return drawn


def _outermost(drawn: Arrays) -> set[int]:
    """Rows where what is judged is smallest or largest: what is rare and decides is among them."""
    at = np.flatnonzero(drawn.get("applies", np.ones(len(drawn["lhs"]))))
    judged = [drawn[name] for name in ("other", "weight") if name in drawn]
    with np.errstate(invalid="ignore", over="ignore"):  # Of infinite sides.
        judged.append(np.asarray(drawn["lhs"], float) - drawn.get("rhs_draw", 0.0))
    found = [some[at] for some in judged if at.size]
    return {int(at[row]) for some in found for row in (some.argmin(), some.argmax())}


def same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Whether two arrays hold the same numbers, NaN being one of them."""
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def refuse_other(claim: Claim, first: Arrays, again: Arrays) -> None:
    """Refuse a simulator that drew other numbers when it was given the same generator again."""
    for name, array in first.items():
        if name not in again or not same(array, again[name]):
            raise ClaimError(
                f"{claim.id}: simulate draws other {name} from the same generator, so no address "
                "replays a draw: draw from its argument rng, and from nothing else"
            )


def _called(
    claim: Claim, cell: Cell, block: int, rng: np.random.Generator, rows: int, *, bound: bool
) -> Arrays:
    """What one call of the simulator returns, checked; and, once a cell, the bound beside it."""
    assert claim.simulate is not None
    where = f"{claim.id} at {claim.address(cell) or 'its cell'}, block {block}"
    try:
        with one_thread(), _overruns() as lost:
            drawn = claim.call(claim.simulate, cell, size=rows, rng=rng)
            drawn = dict(drawn) if isinstance(drawn, Mapping) else {"lhs": drawn}
    except Exception as error:
        raise ClaimError.of(f"{where}: simulate", error) from error
    if "lhs" not in drawn:
        raise ClaimError(f"{where}: simulate returned no 'lhs'")
    _refuse_unread(claim, drawn)
    arrays = _checked(drawn, rows, f"{where}: simulate returned", where)
    _check_overruns(claim, cell, arrays, lost, where, bound=bound)
    return arrays


_READ_BY = {
    "other": ("equal",),
    "weight": ("tail",),
}
"""What is drawn, and the kinds that read it."""


def _refuse_unread(claim: Claim, drawn: Mapping[str, Any]) -> None:
    """Refuse what the kind could only ignore."""
    for name, kinds in _READ_BY.items():
        if name in drawn and claim.kind not in kinds:
            raise UnreadError(
                f"{claim.id}: simulate draws {name!r}, which a claim of kind {claim.kind} does not "
                "read"
            )
    for one, other, why in (
        ("rhs", "other", "two laws have no right side"),
        ("scale", "other", "of two laws no size is read but that of their draws: declare slack"),
        ("weight", "applies", "a weight is the ratio of two laws under which the hypotheses hold: "
         "draw from such a law"),
    ):
        if one in drawn and other in drawn:
            raise UnreadError(f"{claim.id}: simulate draws {one!r} and {other!r}, but {why}")


_SIDES = ("lhs", "rhs_draw", "other", "weight", "scale")
"""What is drawn and read as real numbers."""


def _checked(drawn: Mapping[str, Any], rows: int, returned: str, where: str) -> Arrays:
    """Copies of arrays that a judge can read, ``rows`` first."""
    arrays: Arrays = {}
    for key, value in drawn.items():
        name = "rhs_draw" if key == "rhs" else key
        if isinstance(value, np.ma.MaskedArray):
            raise ClaimError(f"{returned} {key} as a masked array: mark its rows in 'applies'")
        try:
            # A copy: a simulator may fill and return the same buffer again and again.
            array = arrays[name] = np.array(value)
        except Exception as error:
            why = words(error) if isinstance(error, ValueError) else named(error)
            raise ClaimError(f"{returned} {key}, which is no array: {why}") from error
        if array.ndim == 0 or array.shape[0] != rows:
            raise ClaimError(f"{returned} {name} of shape {array.shape}, not ({rows}, ...)")
        if name in _SIDES and not hasattr(value, "dtype") and array.dtype.kind in "iub":
            _check_exact(array, np.ones(rows, bool), f"{where}: {name}")
            # Of a list the draw, not the simulator, decides whether its numbers are whole.
            arrays[name] = array.astype(float)
    applies = np.ones(rows, bool)
    if "applies" in arrays:
        array = arrays["applies"]
        if array.shape != (rows,) or array.dtype.kind not in "bui":
            raise ClaimError(
                f"{where}: applies must be true or false for each of {rows} rows, got "
                f"{array.dtype} of shape {array.shape}"
            )
        applies = array.astype(bool)
    for name in _SIDES:
        if name not in arrays:
            continue
        array = arrays[name]
        if array.dtype.kind not in "fiub":
            raise ClaimError(f"{where}: {name} must be real numbers, got {array.dtype}")
        if array.shape != (rows,):
            raise ClaimError(f"{where}: {name} must have shape ({rows},), got {array.shape}")
        # Where the hypotheses do not apply, nothing need be a number.
        if array.dtype.kind == "f" and np.isnan(array[applies]).any():
            raise ClaimError(f"{returned} NaN in {name}")
        _check_exact(array, applies, f"{where}: {name}")
    if "weight" in arrays and np.any(arrays["weight"] < 0):
        raise ClaimError(f"{where}: a weight is a ratio of likelihoods >= 0, got one below")
    return arrays


def _check_exact(array: NDArray[Any], applies: NDArray[np.bool_], what: str) -> None:
    """Refuse numbers that are others once they are floats of 64 bits, as which they are judged."""
    found = array[applies]
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        large = found[(found > 2**53) | (found < -(2**53))]
        changed = [value for value in large.tolist() if int(float(value)) != value]
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            other = found[found.astype(float).astype(array.dtype) != found]
        changed = list(other)
    else:
        return
    if changed:
        raise ClaimError(
            f"{what} must be floats of 64 bits, or numbers that they hold exactly, got "
            f"{changed[0]} as {array.dtype}"
        )


@contextmanager
def _overruns() -> Iterator[list[str]]:
    """Context that notes where NumPy's own operations leave the range of floats, on either side.

    SciPy's functions, those of ``math`` and ``einsum`` say nothing of it.
    """
    found: list[str] = []
    with np.errstate(under="call", over="call", call=lambda kind, _: found.append(kind)):
        yield found


def _check_overruns(
    claim: Claim, cell: Cell, drawn: Arrays, lost: list[str], where: str, *, bound: bool = True
) -> None:
    """Refuse sides that may be 0, or infinite, only because floats end there.

    A right side that the draws have no part in is looked at where ``bound`` says so.
    """
    if claim.kind not in ("tail", "always", "identity"):
        return  # Of a mean nothing infinite counts, and what is nearly 0 is 0 to rounding.
    if not (lost or bound or "rhs_draw" in drawn or claim.drawn_names()):
        return
    try:
        with _overruns() as lost_right:
            right = right_side(claim, cell, drawn)
    except Exception:
        return  # The judge asks for it, too, and says so.
    left = np.asarray(drawn["lhs"], float)
    at = np.asarray(drawn.get("applies", np.ones(left.shape)), bool)
    if right.shape[1] == left.size:  # Drawn, or made of what was.
        lost_right = [*lost, *lost_right]
    for kind, end, what, where_else in (
        ("underflow", 0.0, "0", "under"), ("overflow", np.inf, "infinite", "over"),
    ):
        bad = (np.abs(left) == end) & (kind in lost) | (np.abs(right) == end) & (kind in lost_right)
        bad &= at
        if bad.any():
            raise ClaimError(
                f"{where}: a side is {what} in row {int(np.argmax(bad.any(axis=0)))}, and after an "
                f"{kind} on the way nothing tells whether it is: return logarithms, or other "
                f"units; what {kind}s harmlessly belongs into np.errstate({where_else}='ignore')"
            )


def renamed(drawn: Mapping[str, Any]) -> Arrays:
    """As arrays; a drawn right side is ``rhs_draw``, apart from the cell's ``rhs``."""
    return {"rhs_draw" if k == "rhs" else k: np.asarray(v) for k, v in drawn.items()}


def kept(claim: Claim, drawn: Arrays) -> Arrays:
    """What of a block is stored: both sides, and what a data-dependent bound reads."""
    own = ("lhs", "rhs_draw", "other", "applies", "weight", "scale")
    names: list[str] = [n for n in own if n in drawn]
    names += sorted(n for n in claim.drawn_names() if n in drawn and drawn[n].ndim == 1)
    return {name: drawn[name] for name in names}


def unused(claim: Claim) -> bytes | None:
    """A copy of a claim that has not drawn yet, for `replays`; None if it cannot be copied."""
    import cloudpickle

    try:
        return bytes(
            cloudpickle.dumps(dataclasses.replace(claim, twin=None, picture=None, also=()))
        )
    except Exception:
        return None


def replays(
    copy: bytes, index: int, block: int, *, seed: int, seen: Arrays, rows: int | None = None
) -> bool:
    """Whether an unused copy of a claim draws what one that had drawn before did.

    Parameters
    ----------
    copy : bytes
        Of `unused`, made before the first draw.
    index : int
        Of the cell.
    block : int
        A later one than the first, so that state that is set once shows.
    seed : int
        Root seed.
    seen : dict of str to ndarray
        What the claim drew there; of what the copy draws the rest is not compared.
    rows : int, optional
        Their number, if it is not the claim's.

    Returns
    -------
    bool
    """
    import cloudpickle

    claim: Claim = cloudpickle.loads(copy)
    again = draw(claim, claim.cell(index), block, seed=seed, rows=rows)
    return all(
        name in again and array.dtype == again[name].dtype and same(array, again[name])
        for name, array in seen.items()
    )


_lock = threading.Lock()
_inside = 0
_limit: Any = None


@functools.lru_cache(1)
def _libraries(modules: int) -> Any:
    """The libraries that run threads, looked for again once other modules have been imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Context in which BLAS runs on one thread: more would move bits, and fight other workers.

    The limit belongs to the process: the first thread in sets it, the last one out lifts it.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            # A library loaded later would escape the limit, so the usual ones are loaded now.
            import scipy.linalg  # noqa: F401

            _limit = _libraries(len(sys.modules)).limit(limits=1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


def on_one_thread_now() -> bool:
    """Whether `one_thread` holds, which is cheaper to ask than the libraries are."""
    return _inside > 0


def exact_evidence(claim: Claim, cell: Cell) -> Any:
    """What the claim's ``exact`` says at a cell; None where it has nothing."""
    assert claim.exact is not None
    where = f"{claim.id} at {claim.address(cell) or 'its cell'}"
    try:
        with one_thread(), _overruns() as lost:
            found = claim.call(claim.exact, cell)
    except Exception as error:
        raise ClaimError.of(f"{where}: exact", error) from error
    if claim.kind not in _EXACT:
        return found  # The rule says that it takes none.
    what, holds = _EXACT[claim.kind]
    if found is None and claim.kind != "exists":
        return found
    if not holds(found):
        raise ClaimError(f"{where}: exact must return {what}, got {_short(found)}")
    if claim.kind == "equal" and claim.bound is None and isinstance(found, Law):
        raise ClaimError(f"{where}: exact gives one Law, and there is no bound to equal: give two")
    if isinstance(found, Mapping):
        rows = np.shape(found["lhs"])[:1]
        if rows in ((), (0,)):
            raise ClaimError(
                f"{where}: exact must return lhs with an entry for each instance, got shape "
                f"{np.shape(found['lhs'])}"
            )
        found = _checked(found, rows[0], f"{where}: exact returned", where)
        _check_overruns(claim, cell, found, lost, where)
    return found


def _is_optimum(found: Any) -> bool:
    """A pair of real numbers, the second an error."""
    if not isinstance(found, tuple | list | np.ndarray) or np.shape(found) != (2,):
        return False
    optimum, error = found
    return (
        isinstance(optimum, numbers.Real) and not np.isnan(float(optimum))
        and isinstance(error, numbers.Real) and 0 <= float(error) < np.inf
    )


def _is_two_laws(found: Any) -> bool:
    return (
        isinstance(found, tuple) and len(found) == 2 and all(isinstance(x, Law) for x in found)
    )


_ONE_LAW = ("a Law, or None", lambda found: isinstance(found, Law))
_INSTANCES = (
    "a dict of arrays with lhs, or None",
    lambda found: isinstance(found, Mapping) and "lhs" in found,
)
_EXACT: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "tail": _ONE_LAW,
    "mean": _ONE_LAW,
    "equal": ("a Law, a pair of them, or None",
              lambda found: isinstance(found, Law) or _is_two_laws(found)),
    "always": _INSTANCES,
    "identity": _INSTANCES,
    "exists": ("the optimum, a number, and its error, a finite number >= 0", _is_optimum),
}
"""What exact evidence is, by kind."""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
