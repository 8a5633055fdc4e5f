"""Counterexamples and draws, step by step."""

from __future__ import annotations

import json
import shlex

import pytest
from commands import HOEFFDING, STRICT, answer, invoke, mistake
from damaged import reseal

from noisytheory.cli import select
from noisytheory.trial import run


def test_replay_shows_the_counterexample_step_by_step(tmp_path, strict):
    square, store = f"{strict}::strict/square", tmp_path / "store"
    text = answer("replay", square)
    assert "a certified counterexample" in text and "left side   64" in text
    assert "right side  8" in text and "a^2" in text
    command = shlex.split(text.strip().splitlines()[-1])
    assert command[:2] == ["noisytheory", "replay"]
    assert "left side   64" in answer(*command[1:])
    audited = answer("audit", square, "--workers", 0, "--budget", "smoke", "--store", store)
    assert "as expected" in audited
    about = json.loads(answer("replay", square, "--store", store, "--json"))
    assert (about["lhs"], about["rhs"], about["seed"]) == ("64", "8", 2026)
    assert answer("replay", square, "--store", store) == text
    again = json.loads(answer("replay", square, "--address", about["address"], "--json"))
    assert float(again["lhs"]) == 64 and again["address"] == about["address"]


def test_replay_counts_the_instances_of_an_exhaustive_search(tmp_path):
    path = tmp_path / "exhaustive.py"
    path.write_text(STRICT.replace("simulate=pairs,", "exact=every,").replace("@requires", '''
def every(n):
    a = np.arange(1, 9)
    return {"lhs": a**2.0, "a": a}

@requires''', 1))
    target = f"{path}::strict/square"
    text = answer("replay", target)
    assert "exact, instance 7 at n=1" in text
    about = json.loads(answer("replay", target, "--json"))
    assert (about["address"], about["row"], about["lhs"]) == ("n=1;exact;7", 7, "64")
    again = json.loads(answer(*shlex.split(text.strip().splitlines()[-1])[1:], "--json"))
    assert (again["what"], again["lhs"], again["rhs"]) == ("this exact evidence", "64", "8")
    for place, line in [("n=1;exact;8", "row must be a whole number below 8, the instances there"),
                        ("n=1;exact;x", "row must be a whole number >= 0, got 'x'"),
                        ("n=2;exact;0", "has no cell 'n=2'")]:
        assert line in mistake("replay", target, "--address", place)


def test_replay_with_the_settings_of_an_audit_shows_its_draw(tmp_path, mine):
    store = tmp_path / "store"
    words = ["--seed", 5, "--replicates", 1500, "--alpha", "0.001"]
    answer("audit", mine, "--workers", 0, "--store", store, *words)
    stored = json.loads(answer("replay", mine, "--store", store, "--json"))
    assert stored == json.loads(answer("replay", mine, *words, "--json"))
    line = mistake("replay", mine, "--store", store, *words)
    assert "with --store nothing is tried anew: leave out --replicates, --alpha" in line
    assert "leave out --budget" in mistake("replay", mine, "--address", "n=10;0;0", "--budget",
                                           "full")


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        # All draws of a coin at n = 10 are at most 0.5.
        ("delta=[0.1, 0.01]", "delta=[1e-9]", "the draw nearest to breaking the bound"),
        ("delta=[0.1, 0.01]", "delta=[0.1]",
         "the draw furthest beyond the bound; draws may exceed it with probability delta"),
        ("(2 * n)", "(32 * n)",
         "the draw furthest beyond the bound at delta=0.01; draws may exceed it with probability "
         "delta (refuted: 4 of 4 refuted, first at n=10)"),
        ('.tail(\n    "theorem-2"', '.mean(\n    "theorem-2", low=-0.5, high=0.5',
         "the draw furthest beyond the bound; only the mean must stay below it"),
    ],
)
def test_replay_says_whether_the_draw_is_beyond_the_bound(variant, old, new, about):
    path = variant(old, new)
    if ".mean(" in new:
        path.write_text(path.read_text().replace("n, delta):", "n):").replace("1 / delta", "2")
                        .replace(", delta=[0.1, 0.01]", "").replace("/ (2 * n)", "/ (8 * n)"))
    steps = json.loads(answer("replay", path, "--json"))
    assert steps["what"] == about
    assert ("beyond" in about) == (float(steps["lhs"]) > float(steps["rhs"]))


def test_replay_shows_the_nearest_draw_and_any_other(tmp_path, mine):
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store, "--seed", 3)
    stored = json.loads(answer("replay", mine, "--store", store, "--json"))
    assert stored["what"].startswith("the draw furthest beyond the bound at delta=0.01; ")
    assert stored == json.loads(answer("replay", mine, "--seed", 3, "--json"))
    address = stored["address"]
    drawn = json.loads(answer("replay", mine, "--seed", 3, "--address", address, "--json"))
    assert drawn["lhs"] == stored["lhs"] and drawn["rhs"] == stored["rhs"]
    other = json.loads(answer("replay", mine, "--store", store, "--address", "n=10;0;5", "--json"))
    assert other["row"] == 5 and float(other["lhs"]) <= float(stored["lhs"]) + 0.5


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--address n=10", "address must be CELL;BLOCK;ROW, such as 'n=10;0;0'"),
        ("--address n=11;0;0", "has no cell 'n=11'; did you mean n=10"),
        ("--address n=10;x;0", "block must be a whole number >= 0, got 'x'"),
        ("--address n=10;0;-1", "row must be a whole number >= 0, got '-1'"),
        (f"--address n=10;{10**18};0", "block must be a whole number >= 0 of at most 18 digits"),
        ("--address n=10;0;1024", "row must be a whole number below 1024"),
        ("--seed -1", "-1 is not in the range x>=0"),
    ],
)
def test_wrong_addresses_are_one_line(mine, words, line):
    assert line in mistake("replay", mine, *words.split())


def test_replay_of_what_was_not_drawn_is_one_line(tmp_path, strict, mine):
    assert "no simulation can decide it" in answer("replay", f"{strict}::strict/quoted")
    assert "draws nothing" in mistake("replay", f"{strict}::strict/quoted", "--address", "x;0;0")
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store)
    line = mistake("replay", f"{strict}::strict/square", "--store", store)
    assert "has no finished claim strict/square" in line and "mine/theorem-2" in line
    assert "drawn with seed 2026, not 3" in mistake("replay", mine, "--store", store, "--seed", 3)
    mine.write_text(HOEFFDING.replace("- 0.5\n", "- 0.5 + 0\n"))
    select._claims_in.cache_clear()
    assert "other code or versions" in mistake("replay", mine, "--store", store)


def test_an_exact_cell_shows_the_level_that_it_was_picked_by():
    name = "average-classifier/theorem-4/candidate-mean-term-1"
    steps = json.loads(answer("replay", name, "--json"))
    found = run.audit(name, budget="smoke")[name]
    assert found.exact and len(found.claim.deltas) > 1
    ratio = float(steps["lhs"].partition(" ")[0]) / float(steps["rhs"])
    assert ratio == pytest.approx(float(found.summary["tightness"].max()), rel=1e-6)
    assert steps["what"] == "exact, nearest to breaking the bound"


def test_a_draw_outside_the_hypotheses_is_no_counterexample(tmp_path):
    path = tmp_path / "masked.py"
    # Only the row a = 1 would satisfy the hypotheses, and a^2 <= a holds there.
    path.write_text(STRICT.replace('"a": a}', '"a": a, "applies": a == 1}'))
    target = f"{path}::strict/square"
    rows = [json.loads(answer("replay", target, "--address", f"n=1;0;{row}", "--json"))
            for row in range(12)]
    assert {row["applies"] for row in rows} == {True, False}
    for row in rows:
        assert row["applies"] == (row["lhs"] == "1")
        assert row["what"].startswith("outside the hypotheses") != row["applies"]
    outside = next(row for row in rows if not row["applies"])
    text = answer("replay", target, "--address", outside["address"])
    assert "it counts neither for nor against the claim; this draw" in text.replace("\n", " ")
    # What no row satisfies is shown, and said to be none.
    path.write_text(STRICT.replace('"a": a}', '"a": a, "applies": a > 9}')
                    .replace('expect="refuted"', 'expect="undecided"'))
    select._claims_in.cache_clear()
    steps = json.loads(answer("replay", target, "--json"))
    assert not steps["applies"] and steps["what"].startswith("outside the hypotheses")


@pytest.mark.parametrize("text", ["[1", 3, "[1]"])
def test_a_counterexample_that_no_audit_wrote_is_called_damaged(mine, tmp_path, text):
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store)
    reseal(store / "mine" / "theorem-2", lambda about, _: about.update(counterexample=text))
    result = invoke("replay", mine, "--store", store)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is damaged: its counterexample cannot be read (" in result.stderr
