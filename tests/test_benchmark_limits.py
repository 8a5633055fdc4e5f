"""What a benchmark says of a solver that was ended, that failed, or that stopped short."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent / "validation" / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    """The two scripts; the name of one is a page's as well."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = "recorded", "average_top_k", "average_top_k_limits"
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(names[-1])
    for name in names:
        del sys.modules[name]


@pytest.mark.parametrize(("clarabel", "piqp", "says", "rival"), [
    ("fitted", "ended", "more than ", None),
    ("fitted", "failed", "", "cvxpy CLARABEL"),
    ("short", "fitted", "", "cvxpy PIQP"),
    ("short", "failed", None, None),
])
def test_who_did_not_finish_sets_a_bound_and_who_stopped_short_none(
    benchmark, clarabel, piqp, says, rival
):
    of = {"cvxpy CLARABEL": clarabel, "cvxpy PIQP": piqp}
    usual = benchmark.usual

    def attempt(name, task):
        x, y, loss, k, C = task
        if of[name] in ("ended", "failed"):
            return usual.Tried(None, 5e5 if of[name] == "ended" else 0.0)
        if of[name] == "short":
            return usual.Tried(np.zeros(x.shape[1]), 1e-9)
        best = usual.fit(x, y, loss, k=k, C=C, tol=1e-9, relative_to="objective")
        return usual.Tried(best.coef, 1e6)

    rows, goals = usual.linear(
        300, 5, 1.0, "hinge", "far from", 1, benchmark.recorded.Machine(), tuple(of), attempt)
    found = [goal for goal in goals if goal["goal"] == "10 x every packaged solver"]
    assert len(found) == (says is not None)
    for goal in found:
        assert goal["reached"] and goal["measured"].startswith(says)
        assert goal["measured"].endswith(rival or "cvxpy PIQP")
        assert goal.get("rival") == rival
    seconds = {row["who"]: row["seconds"] for row in rows}
    assert all((seconds[name] is None) == (how != "fitted") for name, how in of.items())


def test_what_is_measured_anew_stands_beside_the_rest_and_says_so(benchmark, tmp_path, monkeypatch):
    recorded = benchmark.recorded
    monkeypatch.setattr(recorded, "RESULTS", tmp_path)

    def result(*works, seconds):
        rows = [recorded.row(work, "noisytheory", seconds) for work in works]
        goals = [recorded.goal(work, "fast", "", True) for work in works]
        return {"protocol": "medians", "rows": rows, "goals": goals}

    first, again = result("one", "two", seconds=1.0), result("two", seconds=2.0)
    assert recorded.beside("some.py", first) == first
    recorded.keep("some.py", first)
    assert recorded.beside("some.py", result("one", "two", seconds=3.0))["protocol"] == "medians"
    both = recorded.beside("some.py", again)
    assert [(row["work"], row["seconds"]) for row in both["rows"]] == [("one", 1.0), ("two", 2.0)]
    assert [goal["work"] for goal in both["goals"]] == ["one", "two"]
    assert both["protocol"].startswith("medians; in several runs")


def test_every_problem_is_tried_by_one_of_the_two_scripts(benchmark):
    usual = benchmark.usual
    skipped = [case for case in usual.problems() if not usual.unlimited(*case[:3], case[4])]
    assert len(list(usual.problems())) == 48 and len(skipped) == 16
    assert min(case[0] for case in skipped) == 20_000


def test_a_solver_that_fails_in_its_own_process_is_told_of(benchmark):
    x, y = benchmark.usual.data(50, 2, 1.0)
    found = benchmark.limited("nobody", (x, y, "hinge", 40, 1.0))
    assert found.coef is None and found.seconds == 0 and found.note.startswith("KeyError")
