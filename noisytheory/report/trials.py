"""What would refute a claim, how near its trial came, which show too little, and what cannot fail.

Every claim is somewhere: its page names a share of the right side that would have been refuted, or
the page of trials says what tells its sharpness instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from noisytheory.report import prose
from noisytheory.report.record import Record
from noisytheory.report.spelling import number, spell

__all__ = ["ENOUGH", "Forced", "Short", "falls_if", "forced", "sharpest", "short", "unscaled"]

ENOUGH = 0.5
"""A trial that would not have noticed a bound of this share of the promised one falls short."""


def sharpest(record: Record) -> tuple[float, str] | None:
    """Share of the bound below which the trial is certain to have refuted it, and the cell.

    Of draws and of instances it is the largest refutable factor, of an exact law the tightness, of
    an existence the promise over the optimum; never less than the factor of a twin, which has no
    cell. Where squares are compared it is the root, the share of the bound that is stated. None
    where the two sides have no ratio, as where the right side is 0, or where it was refuted.

    Parameters
    ----------
    record : Record

    Returns
    -------
    float, str
        The share, and where; of a twin nowhere.
    """
    if not record.tried or record.verdict == "refuted":
        return None
    factors = record.per_level("refutable_factor").astype(float)
    outright = (record.is_exact & (record.kind != "always")) | (record.kind == "exists")
    factors = np.where(outright[:, None], record.per_level("tightness").astype(float), factors)
    none = record.vacuous | np.isnan(factors)
    if record.kind in ("tail", "mean"):
        none |= ~(record.per_level("rhs") > 0)  # What is 0 or less has no smaller share.
    factors = np.where(none, -np.inf, factors)
    twin = float(record.dataset.attrs.get("twin_factor", np.nan))
    if record.kind in ("tail", "mean", "always") and max(0.0, factors.max()) < twin < 1:
        return _root(record, twin), ""
    certain = outright.all() or record.kind == "always"
    if factors.max() == -np.inf or (factors.max() <= 0 and not certain):
        return None
    row, column = np.unravel_index(int(np.argmax(factors)), factors.shape)
    where = record.address(int(row))
    if record.deltas.size:
        level = spell("delta", float(record.deltas[column]))
        where = f"{where}, {level}" if record.cells[int(row)] else level
    return _root(record, float(factors[row, column])), where


def _root(record: Record, share: float) -> float:
    return share**0.5 if record.in_squares and share > 0 else share


def falls_if(record: Record) -> str:
    """What would have had to happen for the claim to fall, and how much less would have done.

    Of a claim that fell it is the rule by which it did, unless the verdict says that already.

    Parameters
    ----------
    record : Record

    Returns
    -------
    str
        A sentence or two.
    """
    if not record.tried:
        return "Nothing can refute it here: nothing was tried."
    if not record.dataset.attrs.get("certified", True):
        return "Nothing can refute it here: no exact arithmetic could confirm a counterexample."
    instances = int(record.held.sum())
    one = "the one instance" if instances == 1 else (
        f"one of the {number(instances)} instances" + ("" if record.exact else " tried")
    )
    beyond = "" if record.exact else " by more than rounding, and again in exact arithmetic"
    shown = "is" if record.exact else "is shown by its draws to be"
    cell = "its cell" if record.decision.size == 1 else "one cell"
    text = {
        "tail": f"in {cell} the probability that the left side exceeds the right side {shown} "
        "above δ",
        "mean": f"in {cell} the expected left side {shown} above the right side",
        "equal": f"in {cell} the " + (
            "distance of the two laws" if record.two_laws else "expected value's distance from the "
            "promised one"
        ) + f" {shown} above the margin",
        "always": f"in {one} the left side exceeds the right side{beyond}",
        "identity": f"in {one} the two sides differ{beyond}",
        "exists": f"in {cell} the exact optimum is below what is promised",
        "rate": "no curvature is seen and the slope is shown to be above the promised one",
        "published": f"in {cell} our value is shown to be off the printed one by more than both "
        "errors and the tolerance",
    }[str(record.kind)]
    if record.verdict == "refuted":
        told = record.jointly or prose.is_impossible(record)
        return "" if told else f"It fell by the rule of its kind: {text}."
    found = sharpest(record)
    more = _nearest(record, *found) if found else _without_share(record)
    return f"It falls if {text}. {more}".rstrip()


def _without_share(record: Record) -> str:
    return _equalities(record) or _otherwise(record)


def _zero(record: Record) -> bool:
    return not np.nanmax(np.abs(record.quantiles)) > 0


def _equalities(record: Record) -> str:
    """What else would have been noticed of two sides that are equal."""
    if record.verdict != "upheld" or record.two_laws:
        return ""
    if record.kind == "identity":
        if not _zero(record):
            return "With one side times anything but 1, beyond rounding, it would have fallen."
        side = record.dataset.attrs.get("quantity", "left side")
        return (
            f"Both sides ({side}) are 0 throughout, so that no share of one says how sharp the "
            "trial was: what would have made it fall is one instance where one of them is not."
        )
    if record.kind == "equal" and record.exact:
        far = float(record.per_cell("margin").max())
        unit = f" {record.unit}" if record.unit and far else ""
        off = f"more than {number(far)}{unit} from ours" if far else "but ours"
        return f"With any value {off} it would have fallen."
    return ""


def _nearest(record: Record, share: float, where: str) -> str:
    """How much less, or of an existence more, than what was promised would have been refuted."""
    if not where:
        return (f"With {number(share)} of its right side, as its broken twin has it, it falls: "
                "that is enough, and not the least reduction that would do, which no draws tell.")
    at = f", {'in the cell' if record.cells[0] else 'at'} {where}"
    at *= record.size * max(1, record.deltas.size) > 1
    gap = float(record.per_cell("mean").max())
    if share <= 0 and gap < 0 and record.kind == "always":
        unit = f" {record.unit}" if record.unit else ""
        below = number(-gap)
        return f"The left side stays {below}{unit} or more below the right side."
    if share <= 0:
        return "The left side is never above 0: with any positive right side it would have stood."
    if record.kind == "exists":
        more = "a larger promise" if number(share) == "1" else (
            f"more than {number(1 / share)} times what is promised"
        )
        return f"With {more} it would have fallen{at}."
    others = _others(record) if record.kind == "always" and not record.exact else None
    drawn = record.kind == "always" and not record.exact and (
        others is None or number(others) != number(share)
    )
    at = (" with these draws" if drawn else "") + at
    if number(share) == "1":
        said = f"With any smaller right side it would have fallen{at}"
    else:
        sure = "" if record.exact or record.kind == "always" else "certainly "
        said = f"With a right side below {number(share)} of its size it would {sure}have fallen{at}"
    if drawn and others:
        said += f", and below {number(others)} with as many others in 99 of 100 cases"
    said += "."
    if record.kind == "always" and record.unit == "examples":
        # How many are needed, beside how many are asked for: one instance a cell.
        right = float(record.per_level("rhs").ravel()[np.nanargmax(record.per_level("tightness"))])
        said += f" There the left side is {number(share * right, 4)} examples, and the right side "
        said += f"{number(right, 4)}."
    return said


def _others(record: Record) -> float | None:
    """The share below which other draws, as many, would have refuted it in 99 of 100 cases."""
    found = record.per_level("refutable_elsewhere").astype(float)
    found = found[~record.vacuous & (found > -np.inf)]
    return _root(record, max(0.0, float(found.max()))) if found.size else None


def _otherwise(record: Record) -> str:
    """What would have been noticed where no share of the right side says it."""
    if record.verdict != "upheld":
        return ""
    if record.kind == "always":
        gap = float(record.per_cell("mean").max())
        never = "Its right side is never above 0, so that no share of it says how sharp the trial"
        if gap < 0:
            unit = f" {record.unit}" if record.unit else ""
            return f"{never} was: lowered by more than {number(-gap)}{unit}, it would have fallen."
        left = f"the left side ({record.dataset.attrs['quantity']})"
        return f"{never} was: what would have made it fall is one instance where {left} exceeds it."
    if record.kind == "exists":
        least = number(float(record.per_cell("mean").min()))
        return ("It promises that the optimum is above 0 and names no size, so that no share of it "
                f"says how sharp the trial was: an optimum of 0 would have made it fall, and the "
                f"least is {least}.")
    if record.kind == "mean" and (found := _lowest(record)) is not None:
        low, promised = map(number, found)
        sure = "" if record.exact else "certainly "
        fell = f"it would {sure}have fallen."
        return f"With a right side below {low} in place of {promised} {fell}"
    if record.kind in ("equal", "published") and not record.two_laws:
        return _distance(record)
    sizes = record.per_level("resolution").astype(float)
    sizes = sizes[np.isfinite(sizes) & ~record.is_exact[:, None] & ~record.vacuous]
    what = prose.noticed(record, float(sizes.min())) if sizes.size else ""
    if not what:
        drawn = record.kind in ("tail", "mean") and not record.exact
        return "Its draws are certain to refute no smaller right side." if drawn else ""
    where = "" if record.decision.size == 1 else ", in the cell that shows most"
    return f"{what[0].upper()}{what[1:]} would have been found with 99% power{where}."


def _lowest(record: Record) -> tuple[float, float] | None:
    """Where no right side of a mean is positive: the largest that is certain to be refuted, and it.

    None where below all draws nothing is told that is not true anyway.
    """
    right = record.per_level("rhs").astype(float)
    limits = np.where(
        record.is_exact[:, None], record.per_cell("mean")[:, None],
        record.per_level("refutable_factor").astype(float) * right,
    )
    none = record.vacuous | (right > 0) | ~(limits > record.quantiles[:, :1])
    off = np.where(none, -np.inf, limits - right)
    if not np.isfinite(off.max()):
        return None
    best = int(off.argmax())
    return float(limits.ravel()[best]), float(right.ravel()[best])


def _distance(record: Record) -> str:
    """How far from what is promised a value would have been found, and how much that is of it."""
    sizes, values = (record.per_level(name).astype(float)[:, 0] for name in ("resolution", "rhs"))
    told = np.isfinite(sizes) & ~record.is_exact & ~record.vacuous[:, 0]
    if not told.any():
        return ""
    with np.errstate(divide="ignore"):
        shares = np.where(told, sizes / np.abs(values), np.inf)
    at = int(shares.argmin()) if np.isfinite(shares).any() else int(
        np.where(told, sizes, np.inf).argmin()
    )
    what = prose.noticed(record, float(sizes[at]))
    of = f", {number(float(shares[at]))} of what is promised," if np.isfinite(shares[at]) else ""
    where = "" if record.decision.size == 1 else f", in the cell {record.address(at)}"
    rest = ""
    if exact := int(record.is_exact.sum()):
        far = float(record.per_cell("margin")[record.is_exact].max())
        unit = f" {record.unit}" if record.unit else ""
        off = f" more than {number(far)}{unit} off" if far else ""
        rest = f" In {number(exact)} exact cell{'s' * (exact > 1)} any value{off or ' but ours'}"
        rest += " would have done."
    return f"{what[0].upper()}{what[1:]}{of} would have been found with 99% power{where}.{rest}"


@dataclass(frozen=True)
class Short:
    """A claim whose trial shows less than it should, and why."""

    record: Record
    why: str


def unscaled(records: Iterable[Record]) -> list[Short]:
    """Upheld claims whose sharpness no share of the right side tells, and what tells it instead.

    Two sides that are equal, of which any multiple would have been noticed, are none of them.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    list of Short
        In their order.
    """
    kept = (record for record in records if record.verdict == "upheld" and not sharpest(record))
    return [Short(record, _without_share(record)) for record in kept
            if record.kind != "identity" or _zero(record)]


def short(records: Iterable[Record]) -> list[Short]:
    """Claims that were not tried, not decided, or to whose bound nothing tried comes near.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    list of Short
        In their order.
    """
    found = []
    for record in records:
        if record.verdict == "undecided":
            found.append(Short(record, prose.verdict(record)))
        if record.verdict != "upheld":
            continue
        if (why := _loose(record)):
            found.append(Short(record, why))
    return found


LISTED = 4
"""Cells of a claim that are named; of more it is said how many."""


@dataclass(frozen=True)
class Forced:
    """The cells of a claim that cannot fail: where, how many, and how far the right side lies off.

    Parameters
    ----------
    record : Record
    where : str
        Levels and cells.
    count, of : int
        Cells, times levels, that cannot fail, and all.
    beyond : str
        Least and largest right side there over what is true anyway; a dash where it has no ratio.
    """

    record: Record
    where: str
    count: int
    of: int
    beyond: str


def forced(records: Iterable[Record]) -> list[Forced]:
    """Cells whose right side is no better than what is true anyway, claim by claim.

    Parameters
    ----------
    records : iterable of Record

    Returns
    -------
    list of Forced
        In their order.
    """
    found = []
    for record in records:
        if not record.tried or not record.vacuous.any():
            continue
        groups: dict[str, list[str]] = {}
        for row in np.flatnonzero(record.vacuous.any(axis=1)).tolist():
            groups.setdefault(_levels(record, row), []).append(record.address(row))
        where = "; ".join(
            f"{levels} {'; '.join(cells[:LISTED])}"
            + (f" and {number(len(cells) - LISTED)} more" if len(cells) > LISTED else "")
            for levels, cells in groups.items()
        )
        beyond = number(None)
        if "trivial" in record.dataset and record.kind != "exists":
            most = np.broadcast_to(record.per_cell("trivial")[:, None], record.vacuous.shape)
            ratios = (record.per_level("rhs") / np.where(most > 0, most, np.nan))[record.vacuous]
            if (ratios := ratios[np.isfinite(ratios)]).size:
                beyond = " to ".join(dict.fromkeys((number(ratios.min()), number(ratios.max()))))
        found.append(Forced(record, where, int(record.vacuous.sum()), record.vacuous.size, beyond))
    return found


def _levels(record: Record, row: int) -> str:
    """At which levels a cell cannot fail: smaller ones than one that cannot, as a rule."""
    chosen = record.vacuous[row]
    if chosen.all():
        return "at every δ:" if record.deltas.size > 1 else "at"
    levels, others = record.deltas[chosen], record.deltas[~chosen]
    if levels.max() < others.min():
        return f"at {spell('delta', float(levels.max())).replace('=', '≤')}:"
    return f"at {', '.join(spell('delta', float(level)) for level in levels)}:"


def _loose(record: Record) -> str:
    """Why the trial of a claim that stands falls short; empty where it does not."""
    found = sharpest(record)
    if not np.any(record.per_level("rhs") > 0):
        # Of 0 or less there is no share; of a mean below 0 there is the distance from 0.
        noticed = _lowest(record) if record.kind == "mean" else None
        if noticed is None or not noticed[0] < noticed[1] < 0 or (
            (share := noticed[1] / noticed[0]) >= ENOUGH
        ):
            return ""
        return (f"Its draws are certain to refute a bound beyond {number(1 / share)} times the "
                "promised one, not before.")
    if found is None:
        known = record.kind in ("tail", "mean")
        return "Its draws are certain to refute no smaller right side." if known else ""
    share, where = found
    if share >= ENOUGH:
        return ""
    near = number(max(share, 0.0))
    if record.exact or record.kind in ("always", "exists"):
        return f"Nothing tried comes nearer than {near} of the bound."
    if not where:
        return f"The largest bound known to be refuted is {near} of the promised one, its twin's."
    return f"Its draws are certain to refute a bound below {near} of the promised one, not above."
