"""What a claim declares, holds and returns: refused by name where no judge could read it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.trial import fingerprint
from noisytheory.trial.catalogue import load_file
from noisytheory.trial.draws import ClaimError, draw
from noisytheory.trial.fingerprint import held

PAPER = nt.Paper("declared", "What claims hold")


def tail(simulate, **fields):
    grid = {"delta": [0.05], **fields.pop("grid", {})}
    return PAPER.tail("tail", statement="x", bound=lambda: 1.6, simulate=simulate, grid=grid,
                      **{"rows": 512, "expect": "undecided", **fields})


class Lazy:
    """What is drawn once, at first use, is shared by all blocks."""

    shift = None

    def __call__(self, *, size, rng):
        drawn = rng.normal(size=size)
        if self.shift is None:
            self.shift = rng.normal()
        return (self.shift + drawn) / np.sqrt(2)


def remembering():
    """The same in a closure."""
    seen = {}

    def simulate(*, size, rng):
        drawn = rng.normal(size=size)
        return (seen.setdefault("shift", rng.normal()) + drawn) / np.sqrt(2)

    return simulate


@pytest.mark.parametrize("simulator", [Lazy, remembering])
def test_a_simulator_that_remembers_its_draws_is_refused(simulator):
    claim = tail(simulator())
    for _ in range(2):  # Once it has drawn, what it remembers looks like a constant.
        with pytest.raises(ClaimError, match="an unused copy draws other numbers"):
            nt.audit(claim, seed=1, budget="smoke")
    with pytest.raises(AssertionError, match="simulate remembers"):
        nt.testing.check_claim(tail(simulator()))


def test_a_block_is_a_copy():
    own = np.zeros(512)
    claim = tail(lambda *, size, rng: own[:size])
    assert not np.shares_memory(draw(claim, {}, 0, seed=1)["lhs"], own)


def test_a_small_share_of_missing_mass_may_lie_anywhere():
    law = nt.Law([0.0, 1.0], [0.5, 0.5 - 5e-10], error=1e-9)
    low, high = law.exceeding(1.5)
    assert low == 0 and high == pytest.approx(5e-10, rel=1e-6)
    for probabilities in ([0.5, 0.4], [0.5, np.nan], [1.5, -0.5]):
        with pytest.raises(ValueError, match="probabilities must be >= 0 and sum to 1"):
            nt.Law([0.0, 1.0], probabilities)
    for slack in (-0.1, np.nan, np.inf):
        with pytest.raises(ValueError, match="slack must be a finite number >= 0"):
            nt.Law([0.0], [1.0], slack=slack)


def test_texts_that_write_one_address_are_refused():
    with pytest.raises(ValueError, match="two cells of the grid have the address 'a=x,b=1,b=2'"):
        tail(lambda a, *, size, rng: rng.uniform(size=size),
             grid={"a": ["x,b=1", "x"], "b": ["2", "1,b=2"]})


def test_many_cells_with_a_comma_are_looked_through_once():
    """Each against all others they take many minutes, which is what this test would."""
    found = tail(lambda a, b, *, size, rng: rng.uniform(size=size),
                 grid={"a": ["x,y", "x"], "b": range(50_000)})
    assert len(found.grid["a"]) == 2 and len(found.grid["b"]) == 50_000


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"trivial": "a"}, "trivial must be a number, got 'a'"),
        ({"high": 1.0}, "a claim of kind tail does not read high, so none may be declared"),
        ({"weight_high": 0.5}, "weight_high must be a finite number >= 1, got 0.5"),
        ({"rows": 2.5}, "rows must be a whole number >= 1, got 2.5"),
        ({"grid": {"n": [10**30]}}, "grid 'n': a whole number must lie within 64 bits"),
        ({"grid": {"delta": ["a"]}}, "delta must be a number in (0, 1), got a"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(fields, message):
    with pytest.raises(ValueError) as refused:
        tail(Lazy(), **fields)
    assert str(refused.value).startswith(f"declared/tail: {message}")


def test_a_function_of_the_cell_is_held_to_the_same_range():
    claim = tail(lambda *, size, rng: rng.uniform(size=size), slack=lambda n: n - 2.0,
                 grid={"n": [1]})
    with pytest.raises(ValueError, match="slack must be a finite number >= 0, got -1 at n=1"):
        nt.audit(claim, budget="smoke")


class Population:
    name = "population"

    def __init__(self, mean):
        self.mean = mean


def _closed(mean):
    return tail(lambda *, size, rng: mean + rng.uniform(size=size))


def _default(mean):
    def simulate(*, size, rng, mean=mean):
        return mean + rng.uniform(size=size)

    return tail(simulate)


def _state(mean):
    simulate = Lazy()
    simulate.shift = mean
    return tail(simulate)


def _population(mean):
    return tail(lambda population, *, size, rng: population.mean + rng.uniform(size=size),
                grid={"population": [Population(mean)]})


def _given(mean):
    return tail(lambda offset, *, size, rng: offset[0] + rng.uniform(size=size),
                given={"offset": [mean]})


def _partial(mean):
    return tail(functools.partial(lambda mean, *, size, rng: mean + rng.uniform(size=size),
                                  mean=mean))


OFFSET = 0.0


def _global(mean):
    globals()["OFFSET"] = mean
    return tail(lambda *, size, rng: OFFSET + rng.uniform(size=size))


@pytest.mark.parametrize(
    "declare", [_closed, _default, _state, _population, _given, _partial, _global]
)
def test_a_fingerprint_sees_what_a_simulator_holds(declare):
    first, other, again = (declare(mean).fingerprint() for mean in (0.0, 1.0, 0.0))
    assert first == again != other


FILE = """
import functools
import noisytheory as nt
{blank}
class Population:
    name = "p"
    def __init__(self): self.names = {{"b", "a", "c", ("d", 1)}}
def make(words):
    def simulate(population, mean=0.5, *, size, rng):
        return sum(w in {{"x", "y", "zzz"}} for w in words) + rng.uniform(size=size)
    return functools.partial(simulate, mean=0.25)
claim = nt.Paper("mine", "x").tail(
    "m", statement="x", bound=lambda: 9.0, simulate=make({{"x", "y", "z", "q"}}),
    grid={{"population": [Population()], "delta": [0.1]}})
"""


def test_a_fingerprint_is_that_of_another_process_and_other_hashes(tmp_path):
    place = tmp_path / "held.py"
    place.write_text(FILE.format(blank=""))
    code = ("import sys; from noisytheory.trial.catalogue import load_file\n"
            "print(load_file(sys.argv[1])[0].fingerprint())")
    here = load_file(place)[0]
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    there = subprocess.run(
        [sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert there.stdout.strip() == here.fingerprint()
    # What it holds does not depend on where in the file it stands.
    moved = tmp_path / "moved" / "held.py"
    moved.parent.mkdir()
    moved.write_text(FILE.format(blank="\n\n\n"))
    assert held(load_file(moved)[0]) == held(here)


def test_a_file_is_read_in_the_coding_that_it_names(tmp_path):
    path = tmp_path / "old.py"
    path.write_bytes('# -*- coding: latin-1 -*-\nimport numpy\nNAME = "é"\n'.encode("latin-1"))
    assert list(fingerprint._imported(path, None)) == ["numpy"]
