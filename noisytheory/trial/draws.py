"""Address to numbers: a draw is named by (root seed, claim, cell, block, row) and nothing else."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Cell, Claim
from noisytheory.trial.verdict import right_side

__all__ = ["Arrays", "ClaimError", "block_generator", "draw", "exact_evidence", "kept",
           "one_thread", "renamed", "work", "work_by_value"]

Arrays = dict[str, NDArray[Any]]


class ClaimError(ValueError):
    """A claim that cannot be tried: its functions raised, or returned what they may not."""


def block_generator(seed: int, claim_id: str, address: str, block: int) -> np.random.Generator:
    """The generator of one block: root seed, claim, cell and block index, nothing else.

    Parameters
    ----------
    seed : int
        Root seed.
    claim_id, address : str
        The claim's id and the cell as text.
    block : int
        Block index within the cell.

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
    return np.random.default_rng(np.random.SeedSequence(words, spawn_key=(block,)))


def draw(
    claim: Claim, cell: Cell, block: int, *, seed: int, rows: int | None = None
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
        Another number of rows than the claim's: a look at the shapes, not a part of any block.

    Returns
    -------
    dict of str to ndarray
        ``lhs`` and whatever else was drawn, replicates first.

    Raises
    ------
    ClaimError
        If the simulator raises, or returns a wrong shape or a NaN; the message gives the address.
    """
    assert claim.simulate is not None
    rows = claim.rows if rows is None else rows
    address = claim.address(cell)
    rng = block_generator(seed, claim.id, address, block)
    where = f"{claim.id} at {address or 'its cell'}, block {block}"
    try:
        with one_thread(), _underflows() as lost:
            drawn = claim.call(claim.simulate, cell, size=rows, rng=rng)
    except Exception as error:
        raise ClaimError(f"{where}: simulate raised {type(error).__name__}: {error}") from error
    if not isinstance(drawn, Mapping):
        drawn = {"lhs": drawn}
    if "lhs" not in drawn:
        raise ClaimError(f"{where}: simulate returned no 'lhs'")
    arrays = renamed(drawn)
    for name, array in arrays.items():
        if array.ndim == 0 or array.shape[0] != rows:
            raise ClaimError(
                f"{where}: simulate returned {name} of shape {array.shape}, "
                f"not ({rows}, ...)"
            )
    applies = np.ones(rows, bool)
    if "applies" in arrays:
        array = arrays["applies"]
        if array.shape != (rows,) or array.dtype.kind not in "bui":
            raise ClaimError(
                f"{where}: applies must be true or false for each of {rows} rows, got "
                f"{array.dtype} of shape {array.shape}"
            )
        applies = array.astype(bool)
    for name in ("lhs", "rhs_draw", "other", "weight", "scale"):
        if name not in arrays:
            continue
        array = arrays[name]
        if array.dtype.kind not in "fiub":
            raise ClaimError(f"{where}: {name} must be real numbers, got {array.dtype}")
        if array.shape != (rows,):
            raise ClaimError(f"{where}: {name} must have shape ({rows},), got {array.shape}")
        # Where the hypotheses do not apply, nothing need be a number.
        if array.dtype.kind == "f" and np.isnan(array[applies]).any():
            raise ClaimError(f"{where}: simulate returned NaN in {name}")
    if "weight" in arrays and np.any(arrays["weight"] < 0):
        raise ClaimError(f"{where}: a weight is a ratio of likelihoods >= 0, got one below")
    _check_zeros(claim, cell, arrays, lost, where)
    return arrays


@contextmanager
def _underflows() -> Iterator[list[str]]:
    """Context that notes where NumPy rounds a number other than 0 to 0, or nearly so."""
    found: list[str] = []
    with np.errstate(under="call", call=lambda kind, _: found.append(kind)):
        yield found


def _check_zeros(
    claim: Claim, cell: Cell, drawn: Arrays, lost: list[str], where: str
) -> None:
    """Refuse 0 against 0 where underflow may have made them equal."""
    if claim.kind not in ("tail", "always", "identity"):
        return
    zero = np.asarray(drawn["lhs"]) == 0
    if "applies" in drawn:
        zero = zero & np.asarray(drawn["applies"], bool)
    if not zero.any():
        return
    try:
        with _underflows() as lost_too:
            zero = zero & (right_side(claim, cell, drawn) == 0)
    except Exception:
        return  # The judge asks for it, too, and says so.
    if zero.any() and (lost or lost_too):
        raise ClaimError(
            f"{where}: both sides are 0 in row {int(np.argmax(zero.any(axis=0)))}, and numbers "
            "underflowed to 0 on the way, so nothing tells them apart: return logarithms, or other "
            "units; what underflows harmlessly belongs into np.errstate(under='ignore')"
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


_lock = threading.Lock()
_inside = 0
_limit: Any = None


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
            from threadpoolctl import threadpool_limits

            _limit = threadpool_limits(limits=1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


def work(claim: Claim, seed: int, items: Sequence[tuple[int, int]]) -> list[Any]:
    """Runs in a worker: blocks by (cell, index); index -1 asks for the cell's exact evidence.

    The last element is the time it took, in seconds.
    """
    results: list[Any] = []
    start = time.perf_counter()
    with one_thread():
        for index, block in items:
            cell = claim.cell(index)
            if block < 0:
                results.append(exact_evidence(claim, cell))
            else:
                results.append(kept(claim, draw(claim, cell, block, seed=seed)))
    return [*results, time.perf_counter() - start]


def exact_evidence(claim: Claim, cell: Cell) -> Any:
    """What the claim's ``exact`` says at a cell; None where it has nothing."""
    assert claim.exact is not None
    where = f"{claim.id} at {claim.address(cell) or 'its cell'}"
    try:
        with one_thread(), _underflows() as lost:
            found = claim.call(claim.exact, cell)
    except Exception as error:
        raise ClaimError(f"{where}: exact raised {type(error).__name__}: {error}") from error
    if isinstance(found, Mapping) and "lhs" in found:
        _check_zeros(claim, cell, renamed(found), lost, where)
    return found


def work_by_value(payload: bytes, seed: int, items: Sequence[tuple[int, int]]) -> list[Any]:
    """`work` for an engine whose workers do not share this process's objects."""
    return work(_loads(payload), seed, items)


@cache
def _loads(payload: bytes) -> Claim:
    import cloudpickle

    claim: Claim = cloudpickle.loads(payload)
    return claim
