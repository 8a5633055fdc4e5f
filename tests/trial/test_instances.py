"""Which instances a trial keeps for a picture: by hand on small enumerations."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.trial import instances
from noisytheory.trial.certificates import in_words
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import worked
from noisytheory.trial.store import Store

MINE = nt.Paper("mine", "t")


def table(left, right, *more):
    return np.array([left, np.broadcast_to(right, len(left)), np.ones(len(left)), *more], float)


def test_equal_instances_are_one_entry_and_keep_their_number():
    found = instances.few([table([2, 1, 2, 2], [3, 3, 3, 4])], cells=1)
    assert found.tolist() == [[1, 2, 2], [3, 3, 4], [1, 2, 1]]


def test_what_is_left_out_is_one_entry_without_sides():
    names = {"mass": []}
    drawn = dict(applies=np.array([True, False, False]), mass=np.array([0.5, 0.25, 0.75]))
    rows = instances.rows_of(drawn, np.array([1.0, 7.0, 8.0]), np.array([2.0]), names)
    found = instances.few([rows], cells=1)
    assert np.array_equal(found[:, 0], [1, 2, 1, 0.5])
    assert np.isnan(found[[0, 1, 3], 1]).all() and found[2, 1] == 2


def test_of_many_some_are_taken_evenly_with_both_ends_and_the_worst():
    left, right = np.arange(1000.0) / 1000, np.arange(1000.0)
    left[501] = 502.0
    found = instances.few([table(left, right)], cells=1)
    assert 147 <= found.shape[1] <= 150 and found[2].sum() == 1000
    assert {0.0, 501.0, 999.0} <= set(found[1]) and 502.0 in found[0]
    # Each counts what lies between it and the next.
    assert np.array_equal(found[2], np.diff([*found[1], 1000]))


def test_of_many_the_nearest_by_difference_and_by_share_are_kept():
    left, right = np.zeros(1000), np.linspace(1, 1e6, 1000)
    left[1], left[901] = right[1] - 0.5, (1 - 1e-6) * right[901]
    found = instances.few([table(left, right)], cells=1)
    assert {left[1], left[901]} <= set(found[0])


def test_cells_share_the_room():
    many = table(np.arange(500.0), 0)
    sizes = [instances.few([many], cells).shape[1] for cells in (4, 10, 200)]
    assert all(most - 3 <= size <= most for size, most in zip(sizes, (150, 60, 8), strict=True))


def test_parts_are_as_deterministic_and_keep_the_worst():
    rng = np.random.default_rng(0)
    whole = table(rng.random(5000), 2)
    whole[0, 4321] = 3.0
    parts = np.array_split(whole, 7, axis=1)
    found, again = (instances.few(iter(parts), 1) for _ in range(2))
    assert np.array_equal(found, again)
    assert found[0].max() == 3 and found[0].min() == whole[0].min() and found[2].sum() == 5000


def test_what_tells_instances_apart_is_a_number_or_one_of_few_words():
    listed = dict(
        lhs=np.arange(3.0), case=np.arange(3), n=np.arange(3), mass=np.array([1, 2, 2]),
        same=np.ones(3), pairs=np.ones((3, 2)), end=np.array(["small", "no", "no"]),
        long=np.array(["x" * 30, "y", "z"]), infinite=np.array([1, 2, np.inf]),
    )
    assert instances.named([listed], ["n"]) == {"mass": [], "end": ["no", "small"]}
    assert instances.named([]) == {}


def cases(n):
    for k in range(n):
        yield Certificate(
            Fraction(k, 4), Fraction(n, 4), [("k", k), ("pair", (k, n)), ("whole", [k] * 9)],
            applies=k != 1,
        )


@pytest.fixture
def counted():
    return MINE.always("counted", statement="x", grid={"n": [2, 3]}, **worked(cases))


def test_steps_that_all_certificates_have_are_told_apart(counted):
    listed = counted.exact(n=3)
    assert listed["k"].tolist() == [0, 1, 2] and listed["pair"].tolist()[1] == "(1, 3)"
    assert "whole" not in listed


def test_a_store_gives_back_what_was_kept_whatever_the_engine(counted, tmp_path):
    found = [
        nt.audit(counted, store=tmp_path / str(workers), workers=workers).dataset["instances"]
        for workers in (0, 2)
    ]
    stored = next(iter(Store.load(tmp_path / "2").readable()))["instances"]
    for one in found:
        assert one.identical(stored)
    assert json.loads(stored.attrs["fields"]) == {
        "k": [], "pair": ["(0, 2)", "(0, 3)", "(1, 2)", "(1, 3)", "(2, 3)"],
    }
    assert stored.dims == ("n", "field", "instance")
    last = stored.sel(n=3).values
    assert last[:, 0].tolist() == [0, 0.75, 1, 0, 1] and last[:3, 1].tolist() == [0.5, 0.75, 1]
    assert last[2, 2] == 1 and np.isnan(last[0, 2])


def test_draws_whose_sides_are_stored_need_no_copy():
    def simulate(*, size, rng):
        return dict(lhs=np.zeros(size), rhs=np.ones(size), applies=rng.random(size) < 0.5)

    def bare(*, size, rng):
        found = simulate(size=size, rng=rng)
        return {name: found[name] for name in ("lhs", "applies")}

    def certify(lhs):
        return Certificate(Fraction(lhs), 1)

    said = dict(statement="x", certify=certify)
    both = nt.audit(MINE.always("both", simulate=simulate, **said), budget="smoke")
    assert "instances" not in both.dataset and "rhs_draw" in both.dataset
    left = nt.audit(
        MINE.always("left", simulate=bare, bound=lambda: 1.0, **said), budget="smoke"
    )
    kept = left.dataset["instances"].values
    assert kept[:2, 0].tolist() == [0, 1]
    assert kept[2].tolist() == [left.dataset["tries"], left.replicates - left.dataset["tries"]]


def test_fractions_in_a_list_are_said_as_by_themselves():
    values = [Fraction(1, 8), Fraction(7, 16), "a", 2], Fraction(1, 2), "a", 0.5, "\x1b[31mred"
    steps = [(f"\x1b{value}", value) for value in values]
    told = in_words(Certificate(Fraction(1, 2), (0, 1), steps))
    assert (told["lhs"], told["rhs"]) == ("1/2", "in [0, 1]")
    assert [text for _, text in told["steps"]] == [
        "[1/8, 7/16, 'a', 2]", "1/2", "a", "0.5", r"\x1b[31mred"
    ]
    assert all(name.startswith(r"\x1b") for name, _ in told["steps"])
