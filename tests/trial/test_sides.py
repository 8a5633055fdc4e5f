"""One definition in two arithmetics, and twins that scale."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.trial.sides import both, scaled
from noisytheory.trial.testing import check_claim
from noisytheory.vocabulary.domains import NONNEGATIVE, requires
from noisytheory.vocabulary.exact import root

MINE = nt.Paper("mine", "t")


@dataclass
class Square:
    """Squares of quarters."""

    square: Any

    @staticmethod
    def draw(most, *, size, rng):
        return {"square": (rng.integers(1, 4 * most + 1, size=size) / 4) ** 2}

    @staticmethod
    def every(most):
        return None if most > 2 else {"square": (np.arange(1, 4 * most + 1) / 4) ** 2}


def roots(at, factor):
    return {"lhs": root(at.square), "side": root(at.square), "half_side": root(at.square / 4),
            "times": factor + 0 * at.square}


@requires(side=NONNEGATIVE)
def promised(side, times=1.0):
    return side * times


def test_a_public_bound_gives_the_right_side_in_both_arithmetics():
    claim = MINE.identity("roots", statement="x", grid={"most": [2, 4]}, given={"factor": 1},
                          twin=scaled(Fraction(3, 4)), **both(roots, Square, promised))
    assert claim.bound is promised
    check_claim(claim)
    result = nt.audit(claim, budget="smoke")
    assert result.verdict == "upheld"
    # With at most two every square is listed, with four they are drawn.
    assert result.summary["exact"].values.tolist() == [True, False]
    assert result.summary["tries"].values[0] == 8
    # An argument of the bound that has a default is drawn, too.
    false = MINE.identity("roots", statement="x", grid={"most": [4]}, given={"factor": 2},
                          expect="refuted", **both(roots, Square, promised))
    assert nt.audit(false, budget="smoke").verdict == "refuted"


def test_what_is_no_fraction_is_an_interval_and_the_bound_is_taken_at_its_ends():
    certify = both(roots, Square, promised)["certify"]
    found = certify(square=2.0, factor=1)
    assert found.lhs == found.rhs and found.lhs[0] ** 2 < 2 < found.lhs[1] ** 2
    assert not found.differs() and found.steps[-1] == ("square", 2)
    low, high = certify(square=2.0, factor=0.75).rhs
    assert (low * 4 / 3) ** 2 < 2 < (high * 4 / 3) ** 2
    exactly = certify(square=2.25, factor=1)
    assert exactly.lhs == (Fraction(3, 2),) * 2
    assert ("half side", "(3/4, 3/4)") in exactly.steps


def test_a_float_of_the_grid_is_taken_at_its_exact_value():
    def shares(at, sigma):
        return {"lhs": at.square * sigma, "rhs": at.square / 8}

    claim = MINE.identity("shares", statement="x", grid={"most": [4], "sigma": [0.125]},
                          **both(shares, Square))
    found = claim.certify(square=2.0, sigma=0.125)
    assert (found.lhs, found.rhs) == (Fraction(1, 4), Fraction(1, 4))
    tenth = claim.certify(square=2.0, sigma=0.1).lhs
    assert tenth == 2 * Fraction(0.1) != Fraction(1, 5)


def test_a_case_tells_its_instance_in_words_and_long_rows_are_cut():
    @dataclass
    class Told:
        row: Any

        @staticmethod
        def draw(*, size, rng):
            return {"row": rng.integers(0, 2, size=(size, 20))}

    def sums(at):
        return {"lhs": np.sum(at.row, axis=-1), "rhs": 20}

    certify = both(sums, Told)["certify"]
    (name, text), = certify(row=np.ones(20, int)).steps
    assert name == "row" and text == f"({'1, ' * 16}4 more)"
    Told.steps = lambda self: [("the row", "in words")]
    assert certify(row=np.ones(20, int)).steps == [("the row", "in words")]


@pytest.mark.parametrize("power, right", [(1, Fraction(1, 2)), (2, Fraction(1, 4))])
def test_scaling_reaches_certificates_of_squares(power, right):
    claim = MINE.always(
        "one", statement="x", bound=lambda: 1.0, exact=lambda: {"lhs": np.ones(1)},
        certify=lambda: nt.Certificate(1, (1, 1)), twin=scaled(Fraction(1, 2), power=power),
    )
    broken = claim.broken()
    assert broken.bound() == 0.5 and broken.certify().rhs == (right, right)
    assert nt.audit(broken, budget="smoke").verdict == "refuted"
    assert claim.twin["why"] == "right side times 1/2"
