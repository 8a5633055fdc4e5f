"""What a page says in words, and the tables of its numbers."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.report.figures import slopes
from noisytheory.report.record import (
    CONFIDENCE,
    REFUTED,
    Record,
    interval,
    number,
    spell,
    symbol,
)

__all__ = [
    "PROMISES", "Table", "caveats", "commands", "needs_data", "provenance", "steps", "tables",
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

DATA = "NOISYTHEORY_DATA"
"""Variable that names a folder of data; a claim whose note names it needs that folder."""

WORDS = ("undecided", "upheld", "refuted", "vacuous")
"""Of the flag values of ``decision``."""


@dataclass(frozen=True)
class Table:
    """A table as text: caption, column heads, rows, a word for each row's state, and its column."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    states: list[str]
    says: int = -1

    @property
    def long(self) -> bool:
        """Whether it is folded away."""
        return len(self.rows) > 14


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
        return "in the one cell that was tried"
    units = _units(record)
    if count == total:
        return f"in both {units}" if total == 2 else f"in all {number(total)} {units}"
    return f"in {number(count)} of {number(total)} {units}"


def _upheld(record: Record) -> str:
    vacuous = int(record.vacuous.sum())
    count = record.decision.size - vacuous
    where = "in the one cell that was tried" if record.decision.size == 1 else (
        f"in all {number(count)} {_units(record)}" + (" that are not vacuous" if vacuous else "")
    )
    shown = "is" if record.exact else "is shown to be"
    if record.kind == "tail":
        how = "exact probability" if record.exact else "probability"
        return f"{where} the {how} of breaking the promise {shown} at most δ."
    if record.kind == "mean":
        return f"{where} the expected left side {shown} at most the bound."
    if record.kind == "equal":
        what = "two laws agree" if "other" in record.dataset else "value is the promised one"
        margin = float(record.per_cell("margin").max())
        within = "to rounding" if record.exact else f"within the margin of {number(margin)}"
        return f"{where} the {what} {within}."
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
    if not np.any(record.decision == REFUTED):
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
            f"{100 * CONFIDENCE:.0f}% interval {interval(low, high)}"
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
        return f"{text}, by a factor of {number(value)} at worst." if value else f"{text}."
    if record.kind == "equal":
        what = "two laws differ" if "other" in record.dataset else (
            "the expected value is not the promised one"
        )
        return f"{where} {what}."
    if record.kind in ("always", "identity"):
        found = record.counterexample
        if found is None:
            return f"{where} an instance breaks it."
        relation, gap = (">", "excess") if record.kind == "always" else ("≠", "difference")
        text = (
            f"{where} there is a counterexample, certified in exact arithmetic. The stored "
            f"counterexample has left side {_value(found['lhs'])} {relation} right side "
            f"{_value(found['rhs'])}."
        )
        # One that was written down is kept before a worse one that was drawn.
        gaps = np.where(record.decision[:, 0] == REFUTED, record.per_cell("mean"), -np.inf)
        cell = int(np.argmax(gaps))
        largest, stored = float(gaps[cell]), float(found["excess"])
        if largest > stored and number(largest) != number(stored):
            text += f" The largest {gap} found is {number(largest)}, at {record.address(cell)}."
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
    return f"{where} what is printed is not what we find, beyond both errors and the tolerance, " \
        "or is arithmetically impossible."


def _undecided(record: Record) -> str:
    if record.vacuous.all():
        return "the bound is vacuous everywhere on the grid, so it promises nothing that is not " \
            "true anyway."
    count = int((record.decision == 0).sum())
    if record.kind == "rate" and (found := slopes(record)):
        bent = max(found, key=lambda f: abs(f["second"] - f["first"]))
        return (
            f"no power law is seen, or none that the draws tell from the promise of exponent "
            f"{number(bent['exponent'])}: the slope is {number(bent['first'])} in the first half "
            f"and {number(bent['second'])} in the second."
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
    else:
        test = {
            "rate": "by tests of slopes that take means as normal and the law as a power",
            "published": "by an empirical Bernstein inequality within the declared range",
        }.get(record.kind, "by e-processes, valid at whatever moment the drawing stopped")
        out.append(
            f"Over {claims}, any true one is refuted with {level}, and any false one upheld with "
            f"{level}, {test}."
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


def _resolution(record: Record) -> str:
    value = record.resolution
    if value is None or record.exact or record.verdict == "refuted":
        return ""
    if not np.isfinite(value):
        return (
            "Resolution: infinite. In the worst cell nothing that the hypotheses allow would have "
            "been refuted for certain by these draws."
        )
    text, unit = number(value), f" {record.unit}" if record.unit else ""
    what = {
        "tail": f"a probability of breaking the promise {text} above δ",
        "mean": f"an expected left side {text}{unit} above the bound",
        "equal": f"two laws {text} apart" if "other" in record.dataset
        else f"an expected value {text}{unit} away",
        "always": f"a set of counterexamples of probability {text}",
        "identity": f"a set of counterexamples of probability {text}",
        "published": f"a printed number {text}{unit} away",
        "rate": f"an exponent {text} larger",
    }.get(record.kind)
    if what is None:
        return ""
    return f"Resolution: {what} would have been found with 99% power even in the worst cell."


def tried(record: Record) -> list[tuple[str, str]]:
    """What was tried: parameters with their values, and how much was drawn."""
    rows = [(symbol(name), ("; " if name == "population" else ", ").join(
        spell(name, v).partition("\u00a0=\u00a0")[2] or str(v) for v in values
    )) for name, values in record.grid.items()]
    if record.deltas.size:
        rows.append(("δ", ", ".join(number(float(d)) for d in record.deltas)))
    if record.tried:
        exact = int(record.is_exact.sum())
        drawn = f"{number(record.replicates)} replicates in blocks of {number(int(record.rows))}"
        how = drawn if not exact else "exact everywhere" if exact == record.size else (
            f"exact in {exact} of {record.size} cells, {drawn} in the others"
        )
        rows.append(("evidence", how))
    return rows


def steps(record: Record) -> list[tuple[str, str]]:
    """The counterexample, step by step: name and value."""
    found = record.counterexample
    return [(str(name), _value(value)) for name, value in found["steps"]] if found else []


def _value(value_: object) -> str:
    """An exact value with its decimal beside it; of an interval the middle and the width."""
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


def needs_data(record: Record) -> bool:
    """Whether the claim is tried on data that are not bundled."""
    return DATA in str(record.note)


def commands(record: Record) -> list[str]:
    """What to type to see it again."""
    # The id of a claim that a file declares is known to that file only.
    file = record.dataset.attrs.get("file")
    named = f"{file}::{record.id}" if file else record.id
    needs = f"{DATA}=FOLDER " if needs_data(record) else ""
    if not record.tried:
        return [needs + shlex.join(["noisytheory", "show", named])]
    budget = str(record.budget)
    word, _, rest = budget.partition(" ")
    trial = ["--replicates", word] if rest else ["--budget", budget]
    # Alone, a claim has the whole level; with its share of the audit's it draws the same.
    share = float(record.alpha)
    if record.dataset.attrs.get("charged"):
        share /= max(1, int(record.sharing))
    trial += [] if share == 0.01 else ["--alpha", repr(share)]
    seed = ["--seed", str(record.seed)]
    found = record.counterexample
    if found is not None:
        block = found["block"] if found["block"] >= 0 else "exact"
        again = ["--address", f"{found['cell']};{block};{found['row']}"]
    else:
        # What is enumerated is the same whatever would have been drawn.
        again = [] if record.exact else trial
    return [
        needs + shlex.join(["noisytheory", "audit", named, *seed, *trial]),
        needs + shlex.join(["noisytheory", "replay", named, *seed, *again]),
    ]


def provenance(record: Record) -> list[tuple[str, str]]:
    """What suffices to run it again; nothing that changes from run to run."""
    names = (
        ("seed", "seed"), ("alpha", "error level of the audit"),
        ("family", "claims tried in the audit"),
        ("sharing", "claims that draws decide, which share the level"), ("budget", "budget"),
        ("rows", "replicates in a block"), ("version", "noisytheory"),
        ("fingerprint", "fingerprint of code and parameters"),
    )
    attributes = record.dataset.attrs
    return [(text, str(attributes[name])) for name, text in names if name in attributes]


def tables(record: Record) -> list[Table]:
    """The numbers: by cell and level, and what the draws say of the left side."""
    if not record.tried:
        return []
    return [_level_table(record), *_draw_table(record)]


def _cell_head(record: Record) -> list[str]:
    return [symbol(d) for d in record.varying] or ["cell"]


def _cell_text(record: Record, index: int) -> list[str]:
    cell = record.cells[index]
    values = [cell[d] for d in record.varying]
    return [
        number(v, 6) if isinstance(v, int | float) else str(v) for v in values
    ] or [record.address(index)]


def _level_table(record: Record) -> Table:
    unit = f" [{record.unit}]" if record.unit else ""
    tail = record.kind == "tail"
    mean_name = {
        "always": "largest left − right side", "identity": "largest difference",
        "exists": "optimum",
    }.get(record.kind, "mean of the left side")
    right = {"published": "print", "rate": "promised slope", "equal": "promised"}.get(
        record.kind, "right side"
    )
    per_level = {
        name: record.per_level(name).astype(float)
        for name in ("rhs", "tightness", "tightness_low", "tightness_high", "refutable_factor",
                     "resolution", "log_e_against", "log_e_support")
    }
    per_level = {
        name: values for name, values in per_level.items()
        if np.isfinite(values).any() or name.startswith("log_e")
    }
    head = _cell_head(record)
    head += ["δ"] if tail else []
    says = len(head)
    head.append("says")
    head += [right + ("" if record.kind == "rate" else unit)] if "rhs" in per_level else []
    masked = tail and bool(np.any(record.per_cell("tries") < record.per_cell("replicates")))
    head += ["draws that satisfy the hypotheses"] if masked else []
    head += ["broken", "rate of violations"] if tail else []
    head += [] if tail else [mean_name + unit]
    instances = record.kind in ("always", "identity")
    head += ["instances", "broken"] if instances else []
    head += ["slope"] if "slope" in record.dataset else []
    head += ["tightness"] if "tightness" in per_level else []
    head += ["refutable factor"] if "refutable_factor" in per_level else []
    head += ["resolution"] if "resolution" in per_level and not record.exact else []
    # Of a search there is no evidence of a size: a break, or none in so many tries.
    head += [] if instances else ["log e against", "log e for"]
    rows, states = [], []
    mean = record.per_cell("mean")
    draws = record.per_cell("replicates")
    count = record.per_level("violations")
    low, high = record.rate_limits if tail else (None, None)
    for i, j in np.ndindex(record.decision.shape):
        row = _cell_text(record, i)
        if tail:
            row.append(number(float(record.deltas[j])))
        word = WORDS[int(record.decision[i, j])]
        row.append(word)
        if "rhs" in per_level:
            row.append(number(per_level["rhs"][i, j]))
        if tail:
            assert low is not None and high is not None
            exact = record.is_exact[i]
            held = record.per_cell("tries")[i]
            if masked:
                row.append("exact" if exact else f"{number(held)} of {number(draws[i])}")
            row.append("exact" if exact else f"{number(int(count[i, j]))} of {number(held)}")
            row.append(_with(record.rate[i, j], low[i, j], high[i, j]))
        else:
            row.append(number(float(mean[i]), 5))
        if instances:
            row += [number(int(record.per_cell("tries")[i])), number(int(count[i, j]))]
        if "slope" in record.dataset:
            row.append(number(float(record.per_cell("slope")[i])))
        if "tightness" in per_level:
            row.append(_with(*(
                per_level.get(name, per_level["tightness"])[i, j]
                for name in ("tightness", "tightness_low", "tightness_high")
            )))
        for name in ("refutable_factor", "resolution"):
            if name in per_level and not (name == "resolution" and record.exact):
                row.append(number(per_level[name][i, j]))
        if not instances:
            row += [number(per_level[f"log_e_{side}"][i, j]) for side in ("against", "support")]
        rows.append(row)
        states.append(word)
    refute, uphold = float(record.log_e_refute), float(record.log_e_uphold)
    rule = (
        "A cell is refuted by one certified break, and upheld by none in all tries."
        if instances else
        f"A cell is refuted from log evidence {number(refute)} against, upheld from "
        f"{number(uphold)} for it."
    )
    if record.dataset.attrs.get("charged") and record.kind in ("tail", "mean", "equal"):
        rule += (
            f" All cells together have log evidence {number(float(record.log_e))} against it and "
            f"need {number(float(record.log_e_claim))}."
        )
    caption = f"By cell{' and δ' if tail else ''}. {rule}"
    return Table(caption, head, rows, states, says)


def _with(value: Any, low: Any, high: Any) -> str:
    limits = interval(float(low), float(high))
    return f"{number(float(value))} {limits}".strip()


def _draw_table(record: Record) -> list[Table]:
    error, rhat = record.monte_carlo
    if record.exact or record.kind in ("always", "identity", "exists"):
        return []
    unit = f" [{record.unit}]" if record.unit else ""
    probabilities = np.asarray(record.dataset["quantile"].values, float)
    middle, upper = (int(np.argmin(np.abs(probabilities - p))) for p in (0.5, 0.995))
    head = [
        *_cell_head(record), "replicates", f"mean{unit}", "MCSE of the mean", "R-hat over blocks",
        "median", "0.995-quantile",
    ]
    rows = []
    for i in range(record.size):
        drawn = "exact" if record.is_exact[i] else number(record.per_cell("replicates")[i])
        rows.append([
            *_cell_text(record, i), drawn, number(float(record.per_cell("mean")[i]), 5),
            number(float(error[i])), number(float(rhat[i]), 5),
            number(float(record.quantiles[i, middle])), number(float(record.quantiles[i, upper])),
        ])
    caption = (
        "The left side by cell. Blocks are independent by construction, so R-hat (ArviZ, blocks as "
        "chains) near 1 is a check of the simulator."
    )
    return [Table(caption, head, rows, [""] * len(rows))]
