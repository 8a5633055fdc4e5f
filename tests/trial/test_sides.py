"""One definition in two arithmetics, and twins that scale."""

from __future__ import annotations

import functools
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


@dataclass
class Listed:
    """The same, all listed and nothing more."""

    square: Any
    every = Square.every


def test_a_family_without_draw_draws_from_its_list():
    made = both(roots, Listed, promised)
    found = made["simulate"](most=1, factor=1, size=200, rng=np.random.default_rng(0))
    assert set(found["square"]) == set(Square.every(1)["square"])
    again = made["simulate"](most=1, factor=1, size=200, rng=np.random.default_rng(0))
    assert np.array_equal(found["square"], again["square"])
    check_claim(MINE.identity("listed", statement="x", grid={"most": [2]}, given={"factor": 1},
                              twin=scaled(Fraction(3, 4)), **made))


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


def turned(bound):
    @functools.wraps(bound)
    def minus(**given):
        return -bound(**given)

    return minus


def test_a_wrapper_around_a_bound_keeps_its_sign_over_fractions():
    def negative(at, factor):
        return {**roots(at, factor), "lhs": tuple(-end for end in root(at.square)[::-1])
                if at.square.dtype == object else -root(at.square)}

    made = both(negative, Square, turned(promised))
    assert made["certify"](square=2.25, factor=1).rhs == (Fraction(-3, 2),) * 2
    claim = MINE.identity("negative", statement="x", grid={"most": [2]}, given={"factor": 1},
                          twin=scaled(Fraction(3, 4)), **made)
    check_claim(claim)
    # Checked again once the certificate is there.
    with pytest.raises(ValueError, match="side must be a finite number >= 0, got -1"):
        claim.bound(side=-1.0)


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


@dataclass
class Quarters:
    """Pairs of quarters."""

    first_one: Any
    second: Any

    @staticmethod
    def draw(*, size, rng):
        one, two = rng.integers(1, 9, size=(2, size)) / 4
        return {"first_one": one, "second": two}


def test_what_a_function_hands_on_is_told_once():
    def sides(at):
        return {"lhs": at.second, "rhs": at.second, "first_one": at.first_one,
                "second": 2 * at.second}

    found = both(sides, Quarters)["certify"](first_one=0.5, second=0.25)
    # The instance is shown whole, though a step has a name of it for something else.
    assert found.steps == [("first one", Fraction(1, 2)), ("second", Fraction(1, 2)),
                           ("second", Fraction(1, 4))]


def halved(at):
    return {"lhs": 0.5 * at.second, "rhs": at.second}


def rooted(at):
    return {"lhs": at.second, "rhs": np.sqrt(at.second)}


def whole_root(at):
    return {"lhs": at.second, "rhs": np.sqrt(np.array([4]))}


def one_end(at):
    return {"lhs": at.second, "rhs": (at.second, 1.5 * at.second)}


def left(at):
    return {"lhs": at.second}


def third(second):
    return second * 0.3


def log(second):
    return np.log(second)


@pytest.mark.parametrize(
    ("function", "bound", "message"),
    [
        (halved, None, "halved: over fractions lhs became the float 0.125"),
        (rooted, None, "rooted does not work over fractions (loop of ufunc"),
        (whole_root, None, "whole_root: over fractions rhs became the float 2.0"),
        (one_end, None, "one_end: over fractions rhs became the float 0.375"),
        (left, third, "third: over fractions rhs became the float 0.075"),
        (left, log, "log does not work over fractions (loop of ufunc"),
    ],
)
def test_floats_among_fractions_are_refused_with_the_way_out(function, bound, message):
    certify = both(function, Quarters, bound)["certify"]
    with pytest.raises(ValueError) as refused:
        certify(first_one=0.5, second=0.25)
    assert str(refused.value).startswith(message)
    assert "Fraction(1, 2) for 0.5" in str(refused.value)
    assert "noisytheory.vocabulary.exact.root" in str(refused.value)


def test_other_mistakes_of_a_function_keep_their_own_words():
    with pytest.raises(AttributeError, match="nothing"):
        both(lambda at: {"lhs": at.nothing, "rhs": 1}, Quarters)["certify"](
            first_one=0.5, second=0.25)
