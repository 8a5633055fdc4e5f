"""The tables of a page's numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.report.record import REFUTED, Record
from noisytheory.report.spelling import interval, number, past, symbol

__all__ = ["Table", "tables"]

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
    tail, instances = record.kind == "tail", record.kind in ("always", "identity")
    laws = record.two_laws
    per_level = {
        name: record.per_level(name).astype(float)
        for name in ("rhs", "tightness", "tightness_low", "tightness_high", "refutable_factor",
                     "resolution", "weight_limit", "log_e_against", "log_e_support")
    }
    ratio, least, most = (per_level[f"tightness{end}"] for end in ("", "_low", "_high"))
    per_level = {
        name: values for name, values in per_level.items()
        if np.isfinite(values).any() or name.startswith("log_e")
        or (name == "resolution" and np.isinf(values).any())
    }
    mean_name = {
        "always": "largest left − right side", "identity": "largest difference",
        "exists": "optimum",
    }.get(record.kind, "mean of the left side")
    right = {"published": "print", "rate": "promised slope", "equal": "promised"}.get(
        record.kind, "right side"
    )
    count, held = record.per_level("violations"), record.held
    ties = record.per_level("ties")
    low, high = record.rate_limits
    tied = bool(np.nansum(ties) or np.any((high > record.rate)[record.is_exact]))
    ends = record.mean_limits
    columns: list[tuple[str, Callable[[int, int], str]]] = []

    def column(name: str, text: Callable[[int, int], str], shown: bool = True) -> None:
        if shown:
            columns.append((name, text))

    def of_draws(i: int, value: Any) -> str:
        return "exact" if record.is_exact[i] else f"{number(int(value))} of {number(int(held[i]))}"

    def plain(name: str) -> Callable[[int, int], str]:
        return lambda i, j: number(per_level[name][i, j])

    column("δ", lambda i, j: number(float(record.deltas[j])), tail)
    says = len(_cell_head(record)) + len(columns)
    column("says", lambda i, j: WORDS[int(record.decision[i, j])])
    column(right + ("" if record.kind == "rate" else unit), lambda i, j: number(
        per_level["rhs"][i, j]), "rhs" in per_level)
    column("right side / what is true anyway", lambda i, j: number(
        float(per_level["rhs"][i, j] / record.per_cell("trivial")[i])),
           "rhs" in per_level and _against_trivial(record))
    column(
        "draws that satisfy the hypotheses",
        lambda i, j: f"{number(int(held[i]))} of {number(int(record.per_cell('replicates')[i]))}"
        if not record.is_exact[i] else number(int(held[i])) if instances else "exact",
        record.masked,
    )
    if tail:
        column("broken, unweighted" if record.weighted else "broken",
               lambda i, j: of_draws(i, count[i, j]))
        column("left open by rounding", lambda i, j: (
            number(float(high[i, j] - record.rate[i, j])) if record.is_exact[i]
            else number(int(ties[i, j]))
        ), tied)
        rate = "weighted rate of violations" if record.weighted else "rate of violations"
        column(rate, lambda i, j: _with(record.rate[i, j], low[i, j], high[i, j]))
        column("largest weight allowed", plain("weight_limit"), "weight_limit" in per_level)
    elif laws:
        far = f" [{record.distance_unit}]" if record.distance_unit else ""
        column(f"{record.distance} distance{far}", lambda i, j: number(
            float(record.per_cell("distance")[i])))
        column(f"margin{far}", lambda i, j: number(float(record.per_cell("margin")[i])))
    else:
        mean = record.per_cell("mean")
        column(mean_name + unit, lambda i, j: " ".join(
            [number(float(mean[i]), 5), interval(float(ends[0][i]), float(ends[1][i]))]).strip())
        column(f"margin{unit}", lambda i, j: number(float(record.per_cell("margin")[i])),
               record.kind in ("equal", "published"))
    if instances:
        column("instances", lambda i, j: number(int(held[i])), not record.masked)
        column("beyond rounding", lambda i, j: number(int(count[i, j])))
    if "slope" in record.dataset:
        for name, title in (("slope", "slope"), ("slope_first", "first half"),
                            ("slope_second", "second half")):
            column(title, lambda i, j, name=name: number(  # type: ignore[misc]
                float(record.per_cell(name)[i])))
    # Where the rule in force gives neither limit there is no interval.
    given = np.isfinite(least) | np.isfinite(most)
    column("tightness", lambda i, j: " ".join([
        past(ratio[i, j], record.decision[i, j] == REFUTED),
        interval(float(least[i, j]), float(most[i, j])) if given[i, j] else "",
    ]).strip(), "tightness" in per_level)
    column("refutable factor", plain("refutable_factor"), "refutable_factor" in per_level)
    column("resolution", plain("resolution"), "resolution" in per_level and not record.exact)
    # Of a search there is no evidence of a size: a break, or none in so many tries.
    name = _evidence_name(record)
    for side, word in (("against", "against"), ("support", "for")):
        column(f"{name} {word}", plain(f"log_e_{side}"), not instances)
    rows, states = [], []
    for i, j in np.ndindex(record.decision.shape):
        rows.append([*_cell_text(record, i), *(text(i, j) for _, text in columns)])
        states.append(WORDS[int(record.decision[i, j])])
    head = [*_cell_head(record), *(title for title, _ in columns)]
    caption = f"By cell{' and δ' if tail else ''}. {_rule(record)}"
    return Table(caption, head, rows, states, says)


def _against_trivial(record: Record) -> bool:
    """Whether how vacuous a right side is can be told as a ratio."""
    return "trivial" in record.dataset and bool((record.per_cell("trivial") > 0).all())


def _evidence_name(record: Record) -> str:
    """What the evidence of a cell is: the log of an e-value, or minus that of a p-value."""
    tested = record.kind in ("rate", "published") or (record.two_laws and not record.exact)
    return "−log p" if tested else "log e"


def _rule(record: Record) -> str:
    """What it takes to decide a cell."""
    if record.kind in ("always", "identity"):
        return "A cell is refuted by one certified break, and upheld by none in all tries."
    if record.exact:
        return "Exact evidence decides a cell outright: its log evidence is infinite."
    name = _evidence_name(record)
    refute, uphold = float(record.log_e_refute), float(record.log_e_uphold)
    own = float(record.log_e)
    rule = (
        f"A cell is refuted from {name} = {number(refute)} against, upheld from "
        f"{name} = {number(uphold)} for it."
    )
    if name != "log e":
        what = "anytime-valid " if record.two_laws else ""
        rule += f" p is the {what}p-value of a test of the cell, and no e-value."
        if record.dataset.attrs.get("charged"):
            rule += f" Calibrated from the smallest p, the claim has log e = {number(own)}."
    elif record.dataset.attrs.get("charged"):
        rule += (
            f" All cells together have log e = {number(own)} against it and "
            f"need {number(float(record.log_e_claim))}."
        )
    return rule


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
    mean = f"weighted mean{unit}" if record.weighted else f"mean{unit}"
    head = [*_cell_head(record), "draws", mean, "MCSE of the mean", "R-hat over blocks"]
    # Quantiles of weighted draws would be those of a law of which nothing is promised.
    head += ["mean weight"] if record.weighted else ["median", "0.995-quantile"]
    rows = []
    for i in range(record.size):
        drawn = "exact" if record.is_exact[i] else number(int(record.held[i]))
        last = [float(record.per_cell("weight_mean")[i])] if record.weighted else [
            float(record.quantiles[i, at]) for at in (middle, upper)
        ]
        rows.append([
            *_cell_text(record, i), drawn, number(float(record.per_cell("mean")[i]), 5),
            number(float(error[i])), number(float(rhat[i]), 5), *map(number, last),
        ])
    caption = (
        f"The {'first law' if record.two_laws else 'left side'} by cell. Blocks are independent by "
        "construction, so R-hat (ArviZ, blocks as chains) near 1 is a check of the simulator."
    )
    if record.masked:
        caption += " Draws are those that satisfy the hypotheses."
    if record.weighted:
        caption += " A mean weight near 1 is a check of the weights."
    return [Table(caption, head, rows, [""] * len(rows))]
