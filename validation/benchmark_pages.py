"""Recorded benchmarks to ``benchmarks.html`` and ``benchmarks.md``: who, seconds, memory, goals.

A script under ``benchmarks/`` records one JSON file in ``benchmarks/results/``:

    {"title": "Herding", "command": "python validation/benchmarks/sparse.py",
     "machine": {"cores": 2, "dgemm_gflops": 51.2}, "versions": {"numpy": "2.3.0"},
     "rows": [{"work": "herding n=50,000", "who": "noisytheory", "seconds": 3.2, "peak_mib": 17.0,
               "error": 0.00607, "note": ""}],
     "goals": [{"work": "herding n=50,000", "goal": "10 x the rival", "measured": "7.2 x",
                "reached": false, "why": "memory-bound", "who": "noisytheory", "rival": "coreax"}]}

``work`` groups the rows; a ``who`` that begins with "noisytheory" is ours, all others are rivals;
seconds, memory and error may be null where there is none. A goal that compares two rows names them.

Like is compared with like: a row computes in the precision that its note ("float32 inside"), its
``who`` or its ``work`` has, and in float64 where none of them says anything.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from noisytheory.report import figures
from noisytheory.report.rendering import environment
from noisytheory.report.spelling import number

RESULTS = Path(__file__).with_name("benchmarks") / "results"
TEMPLATES = Path(__file__).with_name("templates")
OURS = "noisytheory"


Row = dict[str, Any]


def precision(row: Row) -> str:
    """The precision that a row computes in."""
    inside = re.search(r"\b(float\d\d) inside", row.get("note") or "")
    named = inside or re.search(r"\b(float\d\d)\b", f"{row['who']} {row['work']}")
    return named[1] if named else "float64"


def _named(row: Row) -> str:
    """Who it is, with the precision."""
    who, kind = str(row["who"]), precision(row)
    return who if kind in who else f"{who} ({kind})"


@dataclass(frozen=True)
class Work:
    """Everybody's row of one piece of work, the fastest first."""

    name: str
    rows: list[Row]

    @property
    def mixed(self) -> bool:
        """Whether its rows compute in different precisions."""
        return len({precision(row) for row in self.rows if row["seconds"] is not None}) > 1

    def best(self, ours: bool, like: Row | None = None, key: str = "seconds") -> Row | None:
        """The fastest (or smallest) row of ours or of the rivals, in the precision of another."""
        rows = [
            row for row in self.rows
            if row["who"].startswith(OURS) == ours and row.get(key) is not None
            and (like is None or precision(row) == precision(like))
        ]
        return min(rows, key=lambda row: float(row[key])) if rows else None

    def against(self, row: Row, like: bool = False) -> str:
        """A row's seconds against the best rival's, of all or in its precision, in words."""
        rival, seconds = self.best(False, row if like else None), row.get("seconds")
        if rival is None or seconds is None:
            return "–"
        if not row["who"].startswith(OURS):
            best = "best of its precision" if like else "best rival"
            times = number(seconds / rival["seconds"], 2)
            return best if seconds == rival["seconds"] else f"{times} × its time"
        ahead = rival["seconds"] / seconds
        return (
            f"{number(ahead, 2)} × faster" if ahead >= 1 else f"{number(1 / ahead, 2)} × slower"
        )

    def compared(self, goal: Row) -> str:
        """Whom a goal compares, in which precision, and how the best rival of all stands to it."""
        rows = {row["who"]: row for row in self.rows}
        if "who" not in goal:
            return "–"
        ours, rival, best = rows[goal["who"]], rows[goal["rival"]], self.best(False)
        assert best is not None
        pair = f"{_named(ours)} with {_named(rival)}"
        if best is rival:
            return f"{pair}, the best rival"
        ratio = number(best["seconds"] / ours["seconds"], 2)
        return f"{pair}; with the best rival, {_named(best)}, {ratio} x"


@dataclass(frozen=True)
class Comparison:
    """Our fastest row in one precision beside the rivals; ratios above 1 say that we are ahead."""

    name: str
    alike: float | None
    best: float
    memory: float | None

    @classmethod
    def of(cls, work: Work) -> list[Comparison]:
        """One for every precision of ours, where there is a rival."""
        rival, smallest = work.best(False), work.best(False, key="peak_mib")
        found = []
        for kind in sorted({precision(row) for row in work.rows if row["who"].startswith(OURS)}):
            ours = work.best(True, {"who": kind, "work": ""})
            if ours is None or rival is None:
                continue
            like = work.best(False, ours)
            small = smallest is not None and ours.get("peak_mib")
            found.append(cls(
                f"{work.name}, {kind}" if work.mixed and kind not in work.name else work.name,
                None if like is None else like["seconds"] / ours["seconds"],
                rival["seconds"] / ours["seconds"],
                smallest["peak_mib"] / ours["peak_mib"] if smallest is not None and small else None,
            ))
        return found


@dataclass(frozen=True)
class Benchmark:
    """One recorded file."""

    title: str
    command: str
    machine: dict[str, Any]
    versions: dict[str, str]
    works: list[Work]
    goals: list[dict[str, Any]]
    protocol: str = ""


def read(folder: Path = RESULTS) -> list[Benchmark]:
    """Recorded results, by file name.

    Raises
    ------
    ValueError
        If a file lacks a field, or a goal is of a work that no row has; the message names it.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        for key in ("title", "command", "machine", "versions", "rows"):
            if key not in recorded:
                raise ValueError(f"{path.name} has no {key!r}")
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in recorded["rows"]:
            missing = {"work", "who", "seconds"} - set(row)
            if missing:
                raise ValueError(f"{path.name}: a row has no {sorted(missing)[0]!r}: {row}")
            groups.setdefault(row["work"], []).append(row)
        goals = recorded.get("goals", [])
        for goal in goals:
            if goal["work"] not in groups:
                raise ValueError(f"{path.name}: a goal is of {goal['work']!r}, which no row has")
            known = {row["who"] for row in groups[goal["work"]] if row["seconds"] is not None}
            for who in {goal[name] for name in ("who", "rival") if name in goal} - known:
                raise ValueError(f"{path.name}: a goal compares {who!r}, which was not timed")
        works = [
            Work(name, sorted(rows, key=lambda r: (r["seconds"] is None, r["seconds"] or 0.0)))
            for name, rows in groups.items()
        ]
        found.append(Benchmark(
            recorded["title"], recorded["command"], recorded["machine"], recorded["versions"],
            works, goals, recorded.get("protocol", ""),
        ))
    return found


def write(
    output: Path, folder: Path = RESULTS, suffixes: Sequence[str] = ("html", "md")
) -> bool:
    """Write the pages and the picture into a folder; False if nothing is recorded."""
    from jinja2 import ChoiceLoader, FileSystemLoader

    benchmarks = read(folder)
    if not benchmarks:
        return False
    templates = environment()
    assert templates.loader is not None
    templates.loader = ChoiceLoader([templates.loader, FileSystemLoader(TEMPLATES)])
    output.mkdir(parents=True, exist_ok=True)
    figure = ratios(benchmarks)
    if figure is not None:
        (output / "benchmarks.svg").write_text(figures.svg(figure) + "\n", encoding="utf-8")
    goals = [goal for benchmark in benchmarks for goal in benchmark.goals]
    works = {work.name: work for benchmark in benchmarks for work in benchmark.works}
    for suffix in suffixes:
        text = templates.get_template(f"benchmarks.{suffix}").render(
            benchmarks=benchmarks, goals=goals, missed=[g for g in goals if not g["reached"]],
            works=works, precision=precision,
            alt=figure.get_label() if figure is not None else None,
        )
        (output / f"benchmarks.{suffix}").write_text(text.rstrip() + "\n", encoding="utf-8")
    return True


@figures.styled
def ratios(benchmarks: list[Benchmark]) -> Any:
    """The rivals' time and memory over ours, a row a work and precision; None without rivals."""
    from matplotlib.figure import Figure

    found = [
        comparison for benchmark in benchmarks for work in benchmark.works
        for comparison in Comparison.of(work)
    ]
    if not found:
        return None
    figure = Figure(figsize=(8.2, 1.4 + 0.34 * len(found)), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(found))
    for name, label, shift, style in (
        ("alike", "time, best rival of the same precision", -0.16, {"marker": "o", "color": "C0"}),
        ("best", "time, best rival of any", 0.0,
         {"marker": "o", "color": "C0", "markerfacecolor": "none"}),
        ("memory", "memory, smallest rival", 0.16,
         {"marker": "s", "color": "C1", "markerfacecolor": "none"}),
    ):
        values = [getattr(comparison, name) for comparison in found]
        kept = [i for i, value in enumerate(values) if value]
        axes.plot(
            [values[i] for i in kept], places[kept] + shift, linestyle="none", label=label, **style
        )
    axes.axvline(1, color="C2", linewidth=1.2, label="as the rival")
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.7), max(high, 1.5))
    ticks = [t for k in range(-4, 7) for t in (10.0**k, 2 * 10.0**k, 5 * 10.0**k)]
    low, high = axes.get_xlim()
    shown = [t for t in ticks if low <= t <= high]
    shown = shown if len(shown) <= 9 else [t for t in shown if f"{t:e}".startswith("1")]
    axes.set_xticks(shown, [number(t) for t in shown])
    axes.set_xticks([], minor=True)
    axes.set_yticks(places, [textwrap.fill(comparison.name, 44) for comparison in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("rival / ours [ratio]; right of 1 we are ahead")
    figure.legend(loc="outside lower left", ncols=2)
    ahead = sum(comparison.best >= 1 for comparison in found)
    weighed = [comparison for comparison in found if comparison.memory is not None]
    small = sum((comparison.memory or 0) >= 1 for comparison in weighed)
    title = f"Faster than the best rival in {ahead} of {len(found)} comparisons"
    if weighed:
        title += f", in no more memory than the smallest in {small} of {len(weighed)}"
    figure.suptitle(title, x=0.012, ha="left", fontsize=9.5, fontweight="bold")
    more = [c.name for c in weighed if (c.memory or 0) < 1]
    slower = [c.name for c in found if c.best < 1]
    label = f"{title}. A row a piece of work and precision; right of the line at 1 ours is ahead."
    label += f" Slower: {'; '.join(slower)}." if slower else ""
    label += f" In more memory: {'; '.join(more)}." if more else ""
    figure.set_label(label)
    return figure
