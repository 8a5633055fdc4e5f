"""Instances that seem to break a promise, tried again in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Cell, Certificate, Claim
from noisytheory.trial.draws import Arrays, ClaimError, draw, kept
from noisytheory.trial.shown import lines_visible, named
from noisytheory.trial.verdict import RULES, Always

__all__ = ["Searched", "certified", "in_words", "searched"]

_RECHECKS = 32
"""Suspect rows of a block that are re-checked in exact arithmetic, worst first."""

_FAR = 1e-5
"""Beside the sides, a gap that rounding does not leave: the certificate computes something else."""

_CANCELLED = 1e-12
"""Beside the largest right side of the block: what may be left of one that cancels."""

Rank = tuple[bool, float, int, int, int]
"""One that was written down before one that was found, then the worst; ties go to the first
address, so that no order of arrival shows in the result."""


class Searched(NamedTuple):
    """Instances, and what a search among them found.

    Attributes
    ----------
    arrays : dict of str to ndarray
        What is kept of them.
    summary : ndarray
        Of the rule.
    broke : (rank, counterexample), optional
    """

    arrays: Arrays
    summary: NDArray[np.float64]
    broke: tuple[Rank, dict[str, Any]] | None


def searched(
    claim: Claim, seed: int, index: int, block: int, drawn: Arrays, *, whole: bool = True
) -> Searched:
    """The summary of a block whose worst suspects are certified or, where that fails, cleared.

    What exact arithmetic clears has the sides that it finds, if they are near those of the floats:
    where a certificate computes something else, what is on trial stays suspect.

    Parameters
    ----------
    claim : Claim
        About instances.
    seed : int
        Root seed.
    index, block : int
        The cell, and which of its blocks; -1 where all instances are listed.
    drawn : dict of str to ndarray
        Instances.
    whole : bool
        Or only what is stored of them: the rest is drawn again where it is needed.

    Returns
    -------
    Searched
    """
    rule, cell = RULES[claim.kind], claim.cell(index)
    assert isinstance(rule, Always)
    arrays = drawn if block < 0 else kept(claim, drawn)
    found = rule.compare(claim, cell, arrays)
    suspects = np.flatnonzero(found.excess > 0)
    near = [] if block > 0 or claim.certify is None else (
        rule.nearest(found, anyway=index == 0 and not suspects.size)
    )
    if claim.certify is None or suspects.size + len(near) == 0:
        return Searched(arrays, rule.reduce(claim, cell, found), None)
    if not whole:
        drawn = draw(claim, cell, block, seed=seed)
    left, right, broke = found.lhs.copy(), found.rhs.copy(), None
    cancelled = _CANCELLED * float(np.abs(found.rhs[np.isfinite(found.rhs)]).max(initial=0))
    order = suspects[np.argsort(-found.excess[suspects], kind="stable")][:_RECHECKS]
    for row in (*order.tolist(), *near):
        certificate = certified(claim, cell, drawn, row)
        broken = certificate.differs() if claim.kind == "identity" else certificate.exceeds()
        if not broken:
            sides = certificate.cleared(float(found.room[row]), equal=claim.kind == "identity")
            # Intervals that are too wide to tell leave a suspect.
            alike = certificate.near(float(found.lhs[row]), float(found.rhs[row]), _FAR, cancelled)
            if sides and (alike or row not in order):
                left[row], right[row] = sides
            continue
        excess = float(found.excess[row])
        broke = (block >= 0, -excess, index, block, row), {
            "seed": seed,
            "claim": claim.id,
            "cell": claim.address(cell),
            "block": block,
            "row": row,
            "excess": excess,
            **in_words(certificate),
        }
        break
    summary = rule.summarise(claim, cell, {**drawn, "lhs": left, "rhs_draw": right})
    return Searched(arrays, summary, broke)


def certified(claim: Claim, cell: Cell, drawn: Arrays, row: int) -> Certificate:
    """One row in exact arithmetic."""
    assert claim.certify is not None
    where = f"{claim.id} at {claim.address(cell) or 'its cell'}"
    instance = {name: array[row] for name, array in drawn.items()}
    try:
        certificate = claim.call(claim.certify, cell, instance)
    except Exception as error:
        endless = [n for n, value in instance.items() if _is_endless(value)]
        if endless and isinstance(error, OverflowError):
            raise ClaimError(
                f"{where}: {endless[0].removesuffix('_draw')} of a draw is infinite, which is no "
                "number of exact arithmetic, so that nothing certifies it"
            ) from error
        raise ClaimError(f"{where}: certify raised {named(error)}") from error
    if not isinstance(certificate, Certificate):
        raise ClaimError(f"{where}: certify must return a Certificate, got {certificate!r}")
    try:
        certificate.differs()
    except ValueError as error:
        raise ClaimError(f"{where}: {error}") from error
    return certificate


def _is_endless(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f" and bool(np.isinf(value).any())


def in_words(certificate: Certificate) -> dict[str, Any]:
    """Sides and steps as pages and terminals show them, whatever text somebody's values have."""
    return {
        "lhs": _side_text(certificate.lhs), "rhs": _side_text(certificate.rhs),
        "steps": [
            [lines_visible(str(name)), lines_visible(_step_text(value))]
            for name, value in certificate.steps
        ],
    }


def _step_text(value: Any) -> str:
    """A step's value in words; a fraction in a list is said as it is by itself."""
    if not isinstance(value, list):
        return str(value)
    return f"[{', '.join(str(v) if isinstance(v, Fraction) else repr(v) for v in value)}]"


def _side_text(side: Any) -> str:
    """A certificate's side in words."""
    return f"in [{side[0]}, {side[1]}]" if isinstance(side, tuple) else str(side)
