"""All claims at once, and which pictures decide one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report.figures.averages import laws, means
from noisytheory.report.figures.cells import ROUNDING, ROWS, mark_points, share_of, state_of
from noisytheory.report.figures.in_print import published
from noisytheory.report.figures.instances import excess, optimum, sides, worst
from noisytheory.report.figures.listed import counts, form_of, pairs, spread, strips
from noisytheory.report.figures.rates import rate, slopes
from noisytheory.report.figures.ratios import all_on_lines, forest, tightness
from noisytheory.report.figures.style import (
    INK,
    MUTED,
    RC,
    Draw,
    canvas,
    finish,
    in_style,
    shortened,
    styled,
)
from noisytheory.report.figures.tails import distribution, violations
from noisytheory.report.figures.ticks import plain_log
from noisytheory.report.figures.tries import tries_of
from noisytheory.report.record import REFUTED, UPHELD, Record
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "deciding",
    "summary",
]


SEEN = 1.03
"""A ratio above it is seen to be beyond the line at 1."""

EDGES = 1e-3, 1e3
"""Ratios beyond are drawn at the edge, with their value: the others need the room."""

SIGN = 1e-12
"""Ratios below it are of a promise about a sign, not about a size: no axis has room for them."""


@styled
def summary(datasets: Iterable[xr.Dataset | Record]) -> Figure:
    """Tightness of every claim at its tightest cell that is not vacuous.

    A row a claim with its interval, where they are few; else a dot a claim, stacked, a panel a
    paper, with the names of those furthest from the bound.

    Parameters
    ----------
    datasets : iterable of xarray.Dataset or Record
        Claims; those without a ratio are left out.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If no claim has a ratio.
    """
    given = [r for r in map(Record.of, datasets) if r.tightness is not None]
    records = [r for r in given if SIGN < float(r.tightness or 0) < np.inf]
    past = sum(r.tightness == np.inf for r in given)
    if not records:
        raise ValueError("no claim has a ratio of left side and bound")
    holding = [float(r.tightness) for r in records if r.verdict == "upheld" and r.tightness]
    beyond = sum(r.verdict == "refuted" for r in records)
    title = (
        f"The median upheld claim reaches {share_of(float(np.median(holding)))} its bound"
        if holding else f"{beyond} of {len(records)} claims are refuted"
    )
    alt = f"Tightness of the {len(records)} claims that have a ratio of their two sides, on a "
    alt += "logarithmic axis, marked by verdict."
    if past:
        alt += f" {past} more exceed a bound of zero or less, without a ratio."
    return _summary_rows(records, title, alt) if len(records) <= ROWS else (
        _summary_stacks(records, title, alt)
    )


def _summary_rows(records: Sequence[Record], title: str, alt: str) -> Figure:
    figure, axes = canvas(height=0.7 + 0.19 * len(records), width=6.4)
    seen: set[str] = set()
    for y, record in enumerate(records):
        at = record.tightest
        assert at is not None
        value, low, high = (
            np.array([float(record.per_level(name)[at])])
            for name in ("tightness", "tightness_low", "tightness_high")
        )
        word, style = _verdict_style(record)
        mark_points(
            axes, np.array([y]), value, low, high, across=True,
            label="_" if word in seen else word, **style,
        )
        seen.add(word)
    axes.set_yticks(range(len(records)), [shortened(r.id, 46) for r in records])
    axes.set_ylim(len(records) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    _tightness_axis(axes, records)
    axes.set_xlabel(axes.get_xlabel() + "\n(with 99% limits where it was drawn)")
    return finish(figure, axes, title, alt)


def _summary_stacks(records: Sequence[Record], title: str, alt: str) -> Figure:
    from matplotlib.figure import Figure

    papers = list(dict.fromkeys(str(r.paper) for r in records))
    reach, width = _reach(records), 8.2
    span = float(np.log10(reach[1] / reach[0]))
    # Dots this far apart, in decades, do not touch.
    step = 4.2 * span / (72 * width)
    stacks = []
    for paper in papers:
        placed = _swarm([r for r in records if r.paper == paper], step)
        stacks.append((placed, max(y for _, _, y in placed)))
    tallest = [max(top, 20) + 2.5 for _, top in stacks]
    figure = Figure(figsize=(width, 0.9 + 0.05 * sum(tallest)), layout="constrained")
    panels = figure.subplots(
        len(papers), 1, sharex=True, squeeze=False, height_ratios=tallest
    ).ravel()
    seen: set[str] = set()
    for axes, paper, (placed, _), top in zip(panels, papers, stacks, tallest, strict=True):
        for word, style in dict(_verdict_style(r) for r, _, _ in placed).items():
            dots = [(x, y) for r, x, y in placed if _verdict_style(r)[0] == word]
            axes.plot(*np.transpose(dots), linestyle="none", **(style | {"markersize": 3.4}))
            if word not in seen:
                panels[-1].plot([], [], linestyle="none", label=word, **style)
            seen.add(word)
        axes.axvline(1, color=INK, linewidth=1.2, zorder=1)
        axes.set(ylim=(0, top), yticks=[])
        free = 2 + max((y for _, x, y in placed if abs(np.log10(x)) > step), default=0)
        for sign in (-1, 1):
            side = [p for p in placed if sign * (p[1] - 1) > 0]
            _name_extremes(axes, side, span, free)
        axes.set_title(f"{paper}, {len(placed)} claims with a ratio", fontsize=RC["font.size"])
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        axes.tick_params(labelbottom=axes is panels[-1])
    panels[-1].plot([], [], color=INK, linewidth=1.2, label="the bound")
    _tightness_axis(panels[-1], records)
    alt += " A dot a claim, a panel a paper; the loosest and the most broken are named; "
    alt += "beyond a thousandth and a thousand they stand at the edge, with their value."
    return finish(figure, panels[-1], title, alt)


def _swarm(records: Sequence[Record], step: float) -> list[tuple[Record, float, int]]:
    """Each claim at its tightness, as low as no dot within a step allows."""
    placed: list[tuple[Record, float, int]] = []
    for record in sorted(records, key=lambda r: (r.verdict, r.tightness)):
        assert record.tightness is not None
        x = float(np.clip(record.tightness, *EDGES))
        taken = {height for _, other, height in placed if abs(np.log10(x / other)) < step}
        free = next(h for h in range(1, len(taken) + 2) if h not in taken)
        placed.append((record, x, free))
    return placed


def _name_extremes(
    axes: Axes, placed: Sequence[tuple[Record, float, int]], span: float, free: float,
    count: int = 5,
) -> None:
    """Names of the outermost dots on one side, each over its dot, from a height that is free."""
    # A name ends before the stack at 1 and what stands beside it: 145 characters a panel.
    wide = [
        p for p in placed if len(_named(p[0])) + 4 < 145 * abs(np.log10(p[1])) / span
    ]
    outermost = sorted(wide, key=lambda p: (-abs(np.log10(p[0].tightness or 1)), -p[2]))[:count]
    highest = min(free + 3.2 * (len(outermost) - 1), axes.get_ylim()[1] - 1)
    for rank, (record, x, y) in enumerate(outermost):
        # The outermost highest: no name crosses another one's line.
        height, left = highest - 3.2 * rank, x < 1
        axes.plot([x, x], [y, height], color=MUTED, linewidth=0.6, zorder=1)
        axes.annotate(
            _named(record), (x, height),
            xytext=(2 if left else -2, 0), textcoords="offset points",
            ha="left" if left else "right", va="center", fontsize=7.5, zorder=4,
        )


def _named(record: Record) -> str:
    value = float(record.tightness or 0)
    beyond = "" if EDGES[0] <= value <= EDGES[1] else f" ({number(value, 2)})"
    return shortened(record.name, 40) + beyond


def _verdict_style(record: Record) -> tuple[str, dict[str, Any]]:
    return state_of({"refuted": REFUTED, "upheld": UPHELD}.get(record.verdict, 0))


def _reach(records: Sequence[Record]) -> tuple[float, float]:
    values = [float(r.tightness) for r in records if r.tightness is not None] + [1.0]
    low, high = np.clip([min(values), max(values)], *EDGES)
    return float(low) / 1.4, float(high) * 1.4


def _tightness_axis(axes: Axes, records: Sequence[Record]) -> None:
    if not any(line.get_label() == "the bound" for line in axes.get_lines()):
        axes.axvline(1, color=INK, linewidth=1.2, label="the bound")
    axes.set_xscale("log")
    axes.set_xlim(*_reach(records))
    plain_log(axes.xaxis)
    axes.set_xlabel("tightness: left side / right side at the tightest cell")


def deciding(dataset: xr.Dataset | Record) -> dict[str, Figure]:
    """The pictures that decide a claim, by name, the first one first.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of any claim; a cited one has none.

    Returns
    -------
    dict of str to matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    if not record.tried:
        return {}
    drawn: dict[str, Draw] = {}
    ratios = record.per_level("tightness")
    # Of a promise about a sign no share of the right side says anything.
    ratio = bool(np.isfinite(ratios).any()) and bool(record.per_level("rhs").any())
    if record.kind == "tail":
        # A single mark says no more than a verdict that was reached.
        if record.size * record.deltas.size > 1 or record.verdict == "undecided":
            drawn["violations"] = violations
        # Of weighted draws the law drawn from is not the one that is promised.
        bounds = record.per_level("rhs")[:, record.level]
        # Of a sign nothing but draws has a spread.
        if not record.weighted and (
            np.any(bounds > 0) or (np.any(bounds == 0) and not record.exact)
        ):
            drawn["distribution"] = distribution
    elif record.two_laws:
        drawn["laws"] = laws
    elif record.kind in ("mean", "equal"):
        drawn |= {} if _all_said(record) else {"means": means}
    elif record.kind in ("always", "identity"):
        drawn |= _of_instances(record)
    elif record.kind != "rate" or slopes(record):
        # A rate whose means are not positive has no line to draw.
        drawn[record.kind] = {"exists": optimum, "rate": rate, "published": published}[record.kind]
    if record.kind in ("tail", "mean") and ratio and record.along is not None:
        drawn["tightness"] = tightness
    # Lines that have every cell on them leave nothing for rows to say.
    if record.kind == "tail" and ratio and record.size > 1 and not (
        "tightness" in drawn and all_on_lines(record)
    ):
        drawn["forest"] = forest
    if not drawn and record.kind in ("mean", "equal"):
        # Their values say more than their ratio.
        exactly = record.kind == "equal" and not record.two_laws and _as_promised(record)
        drawn |= {"pairs": pairs} if exactly else {"means": means}
    if not drawn and record.kind in ("always", "identity"):
        tries = tries_of(record)
        form = "" if tries is None else form_of(tries)
        drawn |= {form: _OF_TRIES[form]} if form else {}
    with in_style():
        return {name: draw(record) for name, draw in drawn.items()}


def _all_said(record: Record) -> bool:
    """Whether exact means are one dot, or dots on the line: the verdict says as much."""
    return record.exact and (record.size == 1 or _as_promised(record))


def _as_promised(record: Record) -> bool:
    mean, promised = record.per_cell("mean"), record.per_level("rhs")[:, 0]
    return bool(np.allclose(mean, promised, 1e-9, 0))


def _of_instances(record: Record) -> dict[str, Draw]:
    """Each cell's worst instance, as a ratio if that can be: the difference says the same.

    A single dot, and dots on the line that must not be crossed, say no more than the verdict does.
    """
    if record.size == 1 and record.verdict != "undecided":
        return {}
    ratios = record.per_level("tightness")
    given, broken = ratios[np.isfinite(ratios)], ratios[record.decision == REFUTED]
    # Where the right side is not positive a break has no ratio, and one that is small beside it
    # stands on the line: rows of ratios would hide both.
    seen = np.isfinite(broken).all() and broken.min(initial=2) > 1 and (
        not broken.size or broken.max() > SEEN
    )
    if record.kind == "always" and given.size and seen:
        on_the_line = np.abs(given - 1).max() < ROUNDING
        return {} if on_the_line and record.verdict == "upheld" else {"forest": forest}
    if record.verdict == "upheld" and not np.any(np.nan_to_num(worst(record)[0])):
        return {}
    return {"excess": excess}


_OF_TRIES: dict[str, Draw] = {
    "counts": counts, "pairs": pairs, "sides": sides, "spread": spread, "strips": strips,
}
