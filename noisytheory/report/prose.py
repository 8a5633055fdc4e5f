"""What a page says in words."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures import slopes, why_open
from noisytheory.report.record import CONFIDENCE, REFUTED, Record
from noisytheory.report.spelling import interval, number, spell, symbol
from noisytheory.trial.result import SUPPORT, UNSUPPORTED

__all__ = [
    "PROMISES", "caveats", "instance", "is_impossible", "no_picture", "noticed", "spelled", "steps",
    "tried", "verdict",
]

PROMISES = {
    "tail": "the left side exceeds the right side with probability at most δ",
    "mean": "the expected left side is at most the right side",
    "equal": "an expected value, or a whole law, is what is stated",
    "always": "the left side is at most the right side in every instance",
    "identity": "both sides are equal in every instance",
    "exists": "some instance makes the smallest value at least what is stated",
    "rate": "on log-log axes the slope is at most what is stated",
    "published": "a printed number comes out again",
    "cited": "quoted from elsewhere or lost in print; no simulation can decide it",
}
"""What a claim of each kind promises."""


def verdict(record: Record) -> str:
    """What was found, in a sentence or two that a reader understands."""
    if record.kind == "cited":
        reason = str(record.reason)
        if reason.startswith("cited"):
            return "The result is quoted from elsewhere, and no simulation can decide it."
        return f"It cannot be decided: {reason}."
    found = {
        "upheld": _upheld, "refuted": _refuted, "undecided": _undecided,
    }[record.verdict](record)
    return found[0].upper() + found[1:]


def _units(record: Record) -> str:
    if record.kind == "published":
        return "printed numbers"
    if record.kind == "rate":
        return "points"
    return "combinations of cell and δ" if record.deltas.size else "cells"


def _of(record: Record, word: int) -> str:
    count = int((record.decision == word).sum())
    total = record.decision.size
    if total == 1:
        return _the_only(record)
    units = _units(record)
    if count == total:
        return f"in both {units}" if total == 2 else f"in all {number(total)} {units}"
    return f"in {number(count)} of {number(total)} {units}"


def _the_only(record: Record) -> str:
    cell = record.address(0) if record.cells[0] else ""
    return "in the one cell that was tried" + f" ({cell})" * bool(cell)


def _upheld(record: Record) -> str:
    vacuous = int(record.vacuous.sum())
    count = record.decision.size - vacuous
    every = "both" if count == 2 else f"all {number(count)}"
    where = _the_only(record) if record.decision.size == 1 else (
        f"in {every} {_units(record)}" + (" that are not vacuous" if vacuous else "")
    )
    shown = "is" if record.exact else "is shown to be"
    if record.kind == "tail":
        how = "exact probability" if record.exact else "probability"
        return f"{where} the {how} of breaking the promise {shown} at most δ."
    if record.kind == "mean":
        return f"{where} the expected left side {shown} at most the bound."
    if record.kind == "equal":
        what = "two laws agree" if record.two_laws else "value is the promised one"
        margin = float(record.per_cell("margin").max())
        unit = record.distance_unit if record.two_laws else record.unit
        far = f"{number(margin)} {unit}".strip()
        far += f" in {record.distance}'s distance" if record.two_laws else ""
        exactly = record.exact and (record.two_laws or margin == 0)
        return f"{where} the {what} {'to rounding' if exactly else f'within the margin of {far}'}."
    if record.kind in ("always", "identity"):
        tries = number(int(record.per_cell("tries").sum()))
        broken = "breaks the inequality" if record.kind == "always" else "tells the sides apart"
        if record.exact and tries == "1":
            return f"the one instance that there is was worked out, and it is none that {broken}."
        if record.exact:
            return f"all {tries} instances were enumerated, and none {broken}."
        return f"none of {tries} instances tried {broken} by more than rounding."
    if record.kind == "exists":
        return f"{where} the exact optimum is at least what is promised."
    if record.kind == "rate":
        return "the slope is shown to be at most the promised one. This is support only: it " \
            "takes the mean for a power of the parameter, and speaks of the range that was tried."
    return f"{where} we find what is printed, within the stated tolerance."


def _refuted(record: Record) -> str:
    where = _of(record, REFUTED)
    if record.jointly and "false discovery rate" in str(record.reason):
        return f"it is {record.reason} of the claim as a whole; no cell alone refutes it."
    if record.jointly:
        return (
            f"all {_units(record)} together refute it, with log evidence "
            f"{number(float(record.log_e))} where {number(float(record.log_e_claim))} is enough; "
            "none does alone."
        )
    if record.kind == "tail":
        deltas = np.broadcast_to(record.deltas, record.rate.shape)
        ratio = np.where(record.decision == REFUTED, record.rate / deltas, -np.inf)
        at = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        low, high = (limit[at] for limit in record.rate_limits)
        how = "exact" if record.is_exact[at[0]] else (
            f"{'weighted, ' if record.weighted else ''}{100 * CONFIDENCE:.0f}% interval "
            f"{interval(low, high)}"
        )
        return (
            f"{where} the promise is broken more often than it may be. Worst is "
            f"{record.address(int(at[0]))}, δ\u00a0=\u00a0{number(float(deltas[at]))}: broken with "
            f"probability {number(float(record.rate[at]))} ({how}), "
            f"{number(float(ratio[at]), 2)} times what is promised."
        )
    if record.kind == "mean":
        value = record.tightness
        text = f"{where} the expected left side exceeds the bound"
        if value is not None and np.isfinite(value) and number(value) != "1":
            return f"{text}, by a factor of {number(value)} at worst."
        # Past a bound of zero or less there is no ratio, and of a hair it says nothing.
        over = record.per_cell("mean") - record.per_level("rhs")[:, 0]
        most = float(np.max(np.where(record.decision[:, 0] == REFUTED, over, -np.inf)))
        return f"{text}, by {f'{number(most)} {record.unit}'.strip()} at worst."
    if record.kind == "equal":
        if not record.two_laws:
            return f"{where} the expected value is not the promised one."
        gaps = np.where(record.decision[:, 0] == REFUTED, record.per_cell("distance"), -np.inf)
        far = f"{number(float(gaps.max()))} {record.distance_unit}".strip()
        return (
            f"{where} the two laws differ, by {far} in {record.distance}'s distance at worst"
            f"{'' if record.exact else ' as drawn'}."
        )
    if record.kind in ("always", "identity"):
        found = record.counterexample
        if found is None:
            return f"{where} an instance breaks it."
        relation, gap = (">", "excess") if record.kind == "always" else ("≠", "difference")
        its = record.counterexample_cell
        place = "" if record.size == 1 or its is None else f", in the cell {record.address(its)},"
        text = (
            f"{where} there is a counterexample, certified in exact arithmetic. The stored "
            f"counterexample{place} has left side {spelled(found['lhs'])} {relation} right side "
            f"{spelled(found['rhs'])}."
        )
        # One that was written down is kept before a worse one that was drawn.
        gaps = np.where(record.decision[:, 0] == REFUTED, record.per_cell("mean"), -np.inf)
        cell = int(np.argmax(gaps))
        largest, stored = float(gaps[cell]), float(found["excess"])
        if largest > stored and number(largest) != number(stored):
            place = record.address(cell)
            text += f" The largest {gap} found is {number(largest)}, in the cell {place}."
        return text
    if record.kind == "exists":
        return f"{where} the exact optimum is smaller than what is promised."
    if record.kind == "rate":
        lines = [f for f in slopes(record) if record.decision[f["rows"], 0].max() == REFUTED]
        worst = max(lines, key=lambda f: f["slope"] - f["exponent"])
        return (
            f"the measured slope is {number(worst['slope'])} "
            f"{interval(worst['low'], worst['high'])}, {number(worst['first'])} in the first half "
            f"and {number(worst['second'])} in the second, the promise {number(worst['exponent'])}."
        )
    if is_impossible(record):
        return f"{where} what is printed is arithmetically impossible."
    return f"{where} what is printed is not what we find, beyond both errors and the tolerance" + (
        ", or is arithmetically impossible." if _impossible(record).any() else "."
    )


def _impossible(record: Record) -> NDArray[np.bool_]:
    """Of the numbers refuted which no arithmetic gives: no draws have infinite evidence."""
    evidence = record.per_level("log_e_against")[record.decision == REFUTED]
    return np.asarray(np.isposinf(evidence))


def is_impossible(record: Record) -> bool:
    """Whether all that is refuted in print no arithmetic gives."""
    return record.kind == "published" and bool(_impossible(record).all())


def _undecided(record: Record) -> str:
    if record.vacuous.all():
        what = "margin" if record.kind in ("equal", "published") else "bound"
        return f"the {what} is vacuous everywhere on the grid, so it promises nothing that is " \
            "not true anyway."
    reason = str(record.reason)
    if reason.startswith(UNSUPPORTED) or (record.kind == "published" and SUPPORT in reason):
        return f"{reason}."
    count = int((record.decision == 0).sum())
    if record.kind == "rate" and (found := slopes(record)):
        bent = max(found, key=lambda f: abs(f["second"] - f["first"]))
        halves = (
            f"the slope is {number(bent['slope'])} {interval(bent['low'], bent['high'])}, "
            f"{number(bent['first'])} in the first half and {number(bent['second'])} in the second"
        ).replace(" ,", ",")
        if any(fit["curved"] for fit in found):
            return f"curvature is seen, so no power law holds on the range: {halves}, the " \
                f"promise {number(bent['exponent'])}."
        return f"the draws do not tell the slope from the promise of {number(bent['exponent'])}: " \
            f"{halves}."
    if record.kind == "rate":
        return "a mean is not positive, or there are too few draws, so there is no slope to hold " \
            "against the promise."
    if record.kind in ("always", "identity"):
        return f"{why_open(record)}."
    if record.kind == "exists":
        return f"in {number(count)} of {number(record.size)} cells the optimum is known too " \
            "coarsely to be held against what is promised."
    if record.exact:
        return f"in {number(count)} of {number(record.decision.size)} {_units(record)} it hangs " \
            "on values that rounding cannot tell apart, and none is refuted."
    few = record.held < int(record.rows)
    few &= (record.decision == 0).any(axis=1) & ~record.is_exact
    if record.masked and few.any():
        return (
            f"the budget was spent with {number(count)} of {number(record.decision.size)} "
            f"{_units(record)} undecided and none refuted; the hypotheses hold in "
            f"{number(int(record.held[few].min()))} draws only at worst."
        )
    return (
        f"the budget was spent with {number(count)} of {number(record.decision.size)} "
        f"{_units(record)} undecided and none refuted."
    )


def caveats(record: Record) -> list[str]:
    """At what error level the verdict holds, and what it does not say."""
    if not record.tried:
        return ["Nothing was tried. What can be checked of it stands in other claims."]
    out = []
    alpha, sharing = float(record.alpha), int(record.sharing)
    claims = f"the {sharing} claims that draws decide" if sharing > 1 else "this audit"
    level = f"probability at most {number(alpha)}"
    if record.exact:
        out.append(
            "Exact: probabilities, optima or instances were enumerated, so no Monte Carlo error "
            "remains; rounding is accounted for."
        )
    elif record.kind in ("always", "identity"):
        out.append(
            "Only a counterexample re-checked in exact arithmetic can refute it: no chance is "
            "involved in that. Not finding one is no proof."
        )
    elif record.jointly and "false discovery rate" in str(record.reason):
        out.append(
            "By the e-BH procedure: of the claims of the audit that are refuted so, or by their "
            f"own evidence, at most the share {number(alpha)} is true, in expectation."
        )
    else:
        test = {
            "rate": "by an empirical Bernstein inequality within the declared range, the law taken "
            "for a power",
            "published": "by an empirical Bernstein inequality within the declared range",
        }.get(record.kind, "by e-processes, valid at whatever moment the drawing stopped")
        if record.two_laws:
            test = f"by {record.distance}'s distance of both samples and the inequality of " \
                "Dvoretzky, Kiefer, Wolfowitz and Massart, at whatever moment the drawing stopped"
        out.append(
            f"Over {claims}, any true one is refuted with {level}, and any false one upheld with "
            f"{level}, {test}."
        )
        if record.dataset.attrs.get("apart"):
            out.append(
                "Every row was drawn by a call of its own, from a generator of its own: rows are "
                "independent by construction."
            )
        elif record.dataset.attrs.get("relied"):
            out.append(
                "This takes rows for independent draws, which this package's tests and all longer "
                "audits ask of its simulators, and this one did not ask again."
            )
        elif compared := record.dataset.attrs.get("compared"):
            least = record.dataset.attrs["compared_least"]
            others = f", {number(least)} or more in every other" if least < compared else ""
            out.append(
                "This takes rows for independent draws. To see that they are, "
                f"{number(compared)} blocks of the cell that decides were compared{others}; what "
                "all rows of a block share is not seen if it happens in fewer blocks than one of "
                "so many."
            )
    if record.verdict == "upheld":
        out.append("It speaks of the cells that were tried and is no proof of the rest.")
    vacuous = int(record.vacuous.sum())
    if 0 < vacuous < record.decision.size:
        out.append(
            f"{number(vacuous)} of {number(record.decision.size)} {_units(record)} are vacuous: "
            "the bound there is no better than what is true anyway. They never count as upheld."
        )
    resolution = _resolution(record)
    if resolution:
        out.append(resolution)
    return out


def no_picture(record: Record) -> str:
    """Why a claim has none."""
    if not record.tried:
        return "No picture: nothing was tried."
    if record.kind in ("always", "identity") and not (
        {"instances", "rhs_draw"} & {*record.dataset.variables}
    ):
        return (
            "No picture: of its instances an earlier version stored only the worst of each cell; "
            "the table has it."
        )
    if int(record.held.sum()) == 1:
        return "No picture: it has one instance, and both sides are 0 there."
    return "No picture: both sides are 0 wherever it was tried."


def _resolution(record: Record) -> str:
    value = record.resolution
    if value is None or record.exact or record.verdict == "refuted":
        return ""
    if not np.isfinite(value) and record.kind == "rate":
        if not (found := slopes(record)):
            return "Resolution: infinite. Without a slope nothing would have been refuted."
        if not any(fit["curved"] for fit in found):
            return (
                "Resolution: infinite. Without a range of the draws, or with one so wide, events "
                "too rare to be drawn may carry the means, whatever the exponent."
            )
        return (
            "Resolution: infinite. Where curvature is seen there is no power law on the range, and "
            "whatever the exponent promised, nothing would have been refuted or upheld."
        )
    if not np.isfinite(value):
        return (
            "Resolution: infinite. In the worst cell nothing that the hypotheses allow would have "
            "been refuted for certain by these draws."
        )
    what = noticed(record, value)
    return f"Resolution: {what} would have been found with 99% power even in the worst cell." \
        if what else ""


def noticed(record: Record, value: float) -> str:
    """What of this size a trial would have found, by its kind; empty where no size is meant.

    Parameters
    ----------
    record : Record
    value : float
        A resolution.

    Returns
    -------
    str
        The beginning of a sentence.
    """
    text, unit = number(value), f" {record.unit}" if record.unit else ""
    return {
        "tail": f"a probability of breaking the promise {text} above δ",
        "mean": f"an expected left side {text}{unit} above the bound",
        "equal": f"two laws {f'{text} {record.distance_unit}'.strip()} apart"
        f" in {record.distance}'s distance" if record.two_laws
        else f"an expected value {text}{unit} away",
        "always": f"a set of counterexamples of probability {text}",
        "identity": f"a set of counterexamples of probability {text}",
        "published": f"a printed number {text}{unit} away",
        "rate": f"an exponent {text} larger",
    }.get(record.kind, "")


def tried(record: Record) -> list[tuple[str, str]]:
    """What was tried: parameters with their values, and how much was drawn."""
    rows = [(symbol(name), ("; " if name == "population" else ", ").join(
        spell(name, v).partition("\u00a0=\u00a0")[2] or str(v) for v in values
    )) for name, values in record.grid.items()]
    rows += [(f"{symbol(name)} (constant)", value) for name, value in record.given.items()]
    if record.deltas.size:
        rows.append(("δ", ", ".join(number(float(d)) for d in record.deltas)))
    if record.tried:
        exact = int(record.is_exact.sum())
        drawn = f"{number(record.replicates)} replicates in blocks of {number(int(record.rows))}"
        how = drawn if not exact else "exact everywhere" if exact == record.size else (
            f"exact in {exact} of {record.size} cells, {drawn} in the others"
        )
        rows.append(("evidence", how))
        if record.masked:
            sampled = ~record.is_exact
            held, of = (int(v[sampled].sum()) for v in (record.held, record.per_cell("replicates")))
            rows.append(("draws that satisfy the hypotheses", f"{number(held)} of {number(of)}"))
        if record.weighted:
            rows.append(("weights", _weights(record)))
    return rows


def _weights(record: Record) -> str:
    """What the draws' importance weights are relied on for."""
    limits = record.per_level("weight_limit")
    least, most = float(np.nanmin(limits)), float(np.nanmax(limits))
    if most == np.inf:
        return "ratios of likelihoods of the promised law and the one drawn from; no limit declared"
    reach = number(least) + (f" to {number(most)}" if number(most) != number(least) else "")
    return (
        "ratios of likelihoods of the promised law and the one drawn from; that none of a draw "
        f"that breaks the promise is above {reach} is a hypothesis"
    )


def steps(record: Record) -> list[tuple[str, str]]:
    """The counterexample, step by step: name and value."""
    found = record.counterexample
    return [(str(name), spelled(value)) for name, value in found["steps"]] if found else []


SHORT = 100
"""Characters of an instance that is shown in a line, at most."""


def instance(record: Record) -> str:
    """The counterexample in a line; empty if there is none, or it is long."""
    text = ", ".join(f"{name}\u00a0=\u00a0{value}" for name, value in steps(record))
    return text if len(text) <= SHORT else ""


def spelled(value_: object) -> str:
    """An exact value with its decimal beside it; of an interval the middle and the width.

    Parameters
    ----------
    value_ : object
        A number, a fraction, or ``in [low, high]``.

    Returns
    -------
    str
    """
    text = str(value_)
    ends = re.fullmatch(r"in \[(.+), (.+)\]", text)
    try:
        if ends:
            low, high = (Fraction(end) for end in ends.groups())
            return f"{number(float((low + high) / 2), 6)} ± {number(float((high - low) / 2), 1)}"
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text
    if value.denominator == 1:
        return text
    return f"{text if len(text) < 40 else text[:36] + '…'} ≈ {number(float(value), 4)}"
