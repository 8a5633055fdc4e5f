"""Recorded benchmarks to ``benchmarks.html`` and ``benchmarks.md``: who, seconds, memory, goals.

A script under ``benchmarks/`` records one JSON file in ``benchmarks/results/``:

    {"title": "Herding", "command": "python validation/benchmarks/sparse.py",
     "machine": {"cores": 2, "dgemm_gflops": 51.2}, "versions": {"numpy": "2.3.0"},
     "rows": [{"work": "herding n=50,000", "who": "noisytheory", "seconds": 3.2, "peak_mib": 17.0,
               "error": 0.00607, "note": ""}],
     "goals": [{"work": "herding n=50,000", "goal": "10 x the rival", "measured": "7.2 x",
                "reached": false, "why": "memory-bound"}]}

``work`` groups the rows; a ``who`` that begins with "noisytheory" is ours, all others are rivals;
seconds, memory and error may be null where there is none.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from noisytheory.report import figures
from noisytheory.report.pages import environment
from noisytheory.report.record import number

RESULTS = Path(__file__).with_name("benchmarks") / "results"
TEMPLATES = Path(__file__).with_name("templates")
OURS = "noisytheory"


@dataclass(frozen=True)
class Work:
    """Everybody's row of one piece of work, the fastest first."""

    name: str
    rows: list[dict[str, Any]]

    def _best(self, key: str, ours: bool) -> float | None:
        values = [
            row[key] for row in self.rows
            if row["who"].startswith(OURS) == ours and row.get(key) is not None
        ]
        return min(values) if values else None

    def ratio(self, key: str) -> float | None:
        """The best rival's seconds (or memory) over our best: above 1 we are ahead."""
        ours, rival = self._best(key, True), self._best(key, False)
        return None if not ours or rival is None else rival / ours

    def against(self, row: dict[str, Any]) -> str:
        """A row's seconds against the best rival's, in words."""
        rival, seconds = self._best("seconds", False), row.get("seconds")
        if rival is None or seconds is None:
            return "–"
        if not row["who"].startswith(OURS):
            return "best rival" if seconds == rival else f"{number(seconds / rival, 2)} × its time"
        ahead = rival / seconds
        return (
            f"{number(ahead, 2)} × faster" if ahead >= 1 else f"{number(1 / ahead, 2)} × slower"
        )


@dataclass(frozen=True)
class Benchmark:
    """One recorded file."""

    title: str
    command: str
    machine: dict[str, Any]
    versions: dict[str, str]
    works: list[Work]
    goals: list[dict[str, Any]]


def read(folder: Path = RESULTS) -> list[Benchmark]:
    """Recorded results, by file name.

    Raises
    ------
    ValueError
        If a file lacks a field, or a goal is of a work that no row has; the message names it.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        for key in ("title", "command", "machine", "versions", "rows"):
            if key not in told:
                raise ValueError(f"{path.name} has no {key!r}")
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in told["rows"]:
            missing = {"work", "who", "seconds"} - set(row)
            if missing:
                raise ValueError(f"{path.name}: a row has no {sorted(missing)[0]!r}: {row}")
            groups.setdefault(row["work"], []).append(row)
        goals = told.get("goals", [])
        for goal in goals:
            if goal["work"] not in groups:
                raise ValueError(f"{path.name}: a goal is of {goal['work']!r}, which no row has")
        works = [
            Work(name, sorted(rows, key=lambda r: (r["seconds"] is None, r["seconds"] or 0.0)))
            for name, rows in groups.items()
        ]
        found.append(Benchmark(
            told["title"], told["command"], told["machine"], told["versions"], works, goals,
        ))
    return found


def write(output: Path, folder: Path = RESULTS) -> bool:
    """Write both pages and the picture into a folder; False if nothing is recorded."""
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
    for suffix in ("html", "md"):
        text = templates.get_template(f"benchmarks.{suffix}").render(
            benchmarks=benchmarks, goals=goals, reached=sum(bool(g["reached"]) for g in goals),
            alt=figure.get_label() if figure is not None else None,
        )
        (output / f"benchmarks.{suffix}").write_text(text.rstrip() + "\n", encoding="utf-8")
    return True


@figures.styled
def ratios(benchmarks: list[Benchmark]) -> Any:
    """The best rival's time and memory over ours, a row a work; None if nobody has a rival."""
    from matplotlib.figure import Figure

    works = [
        work for benchmark in benchmarks for work in benchmark.works
        if work.ratio("seconds") is not None
    ]
    if not works:
        return None
    figure = Figure(figsize=(8.2, 1.3 + 0.34 * len(works)), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(works))
    for key, label, shift, style in (
        ("seconds", "time", -0.1, {"marker": "o", "color": "C0"}),
        ("peak_mib", "memory", 0.1, {"marker": "s", "color": "C1", "markerfacecolor": "none"}),
    ):
        values = [work.ratio(key) for work in works]
        kept = [i for i, value in enumerate(values) if value]
        axes.plot(
            [values[i] for i in kept], places[kept] + shift, linestyle="none", label=label, **style
        )
    axes.axvline(1, color="C2", linewidth=1.2, label="as the best rival")
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.7), max(high, 1.5))
    ticks = [t for k in range(-4, 7) for t in (10.0**k, 2 * 10.0**k, 5 * 10.0**k)]
    low, high = axes.get_xlim()
    shown = [t for t in ticks if low <= t <= high]
    shown = shown if len(shown) <= 9 else [t for t in shown if f"{t:e}".startswith("1")]
    axes.set_xticks(shown, [number(t) for t in shown])
    axes.set_xticks([], minor=True)
    axes.set_yticks(places, [textwrap.fill(work.name, 44) for work in works])
    axes.set_ylim(len(works) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("best rival / ours [ratio]; right of 1 we are ahead")
    figure.legend(loc="outside lower left", ncols=3)
    ahead = sum((work.ratio("seconds") or 0) >= 1 for work in works)
    figure.suptitle(
        f"Faster than the best rival in {ahead} of {len(works)} pieces of work", x=0.012,
        ha="left", fontsize=9.5, fontweight="bold",
    )
    figure.set_label(
        f"Time and memory of the best rival over ours for {len(works)} pieces of work; right of "
        f"the line at 1 ours is ahead, in time {ahead} times."
    )
    return figure
