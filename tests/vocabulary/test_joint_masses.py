"""Masses of points and labels: every class that holds a population agrees with them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from noisytheory.trial.sides import exact_numbers
from noisytheory.vocabulary import joint_masses as masses
from noisytheory.vocabulary.noise import Confusion
from noisytheory.vocabulary.populations import Finite, Multiclass

LINE = Finite("line", [[0], [1], [1], [2]], [1, 1, -1, -1],
              [Fraction(k, 10) for k in (4, 3, 2, 1)])
OTHER = Finite("other", [[0], [2]], [-1, 1], [Fraction(1, 4), Fraction(3, 4)])
THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)


def by_point(population):
    """Masses of the points 0, 1 and 2 and both labels, in fractions."""
    return np.array([
        population.joint[population.points[:, 0] == x].sum(axis=0) for x in range(3)
    ])


def test_atoms_have_the_masses_of_their_points_and_labels():
    assert by_point(LINE).tolist() == [[Fraction(2, 5), 0], [Fraction(3, 10), FIFTH],
                                       [0, Fraction(1, 10)]]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (LINE.with_label_noise(FIFTH), masses.flipped(by_point(LINE), FIFTH)),
        (LINE.with_label_noise((FIFTH, THIRD)),
         masses.confused(by_point(LINE), masses.flips(FIFTH, THIRD))),
        (LINE.contaminated(OTHER, THIRD), masses.mixed(by_point(LINE), by_point(OTHER), THIRD)),
        (LINE.flipped(), by_point(LINE)[:, ::-1]),
    ],
    ids=["one rate", "two rates", "contaminated", "flipped"],
)
def test_what_is_done_to_atoms_is_done_to_masses(changed, expected):
    assert by_point(changed).tolist() == expected.tolist()


@pytest.mark.parametrize("zero", ["both", "half"])
def test_the_risk_of_atoms_is_that_of_masses(zero):
    scores = [Fraction(1), Fraction(0), Fraction(0), Fraction(-3)]
    expected = masses.risk(LINE.joint, np.array(scores), zero=zero)
    assert LINE.risk(scores, zero=zero) == expected
    # Both examples at a score of 0 are wrong, or half of them; all others are right.
    assert expected == (Fraction(1, 2) if zero == "both" else Fraction(1, 4))


def test_three_classes_in_both_arithmetics():
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(64, np.full(15, 1 / 15), size=9).reshape(9, 5, 3) / 64
    scores = rng.integers(-4, 5, (9, 5, 3)) / 4
    told = scores.argmax(axis=-1)
    for of in (masses.bayes_risk, lambda p: masses.error(p, told)):
        np.testing.assert_array_equal(of(drawn), of(exact_numbers(drawn)).astype(float))
    # From the definitions, one by one.
    for p, e, b in zip(drawn, masses.error(drawn, told), masses.bayes_risk(drawn), strict=True):
        assert b == sum(sum(row) - max(row) for row in p.tolist()) <= e
    for s, m in zip(scores.reshape(-1, 3), masses.margins(scores).reshape(-1, 3), strict=True):
        assert m.tolist() == [s[q] - max(np.delete(s, q)) for q in range(3)]


def test_even_flips_are_an_even_confusion():
    rng = np.random.default_rng(2)
    drawn = exact_numbers(rng.integers(0, 9, (4, 3)) / 16)
    even = np.array([[Fraction(3, 5) if i == j else FIFTH for j in range(3)] for i in range(3)])
    found = masses.flipped(drawn, Fraction(2, 5))
    assert found.tolist() == masses.confused(drawn, even).tolist()


def test_several_classes_are_in_fractions_where_all_numbers_are():
    ones = [Fraction(1), Fraction(0)]
    law = Finite("three", [ones, ones[::-1], ones], [0, 1, 1], classes=2)
    assert Multiclass(law, np.eye(2)).joint.dtype == float
    lost = [[Fraction(1), THIRD], [Fraction(0), 2 * THIRD]]
    exact = Multiclass(law, lost)
    second = [THIRD**2, 2 * THIRD**2]
    assert exact.joint.tolist() == [[THIRD, 0], second, second]
    # The same as atoms of their own, and label by label as noise.
    assert law.with_confusion(lost).joint.sum(axis=0).tolist() == exact.joint.sum(axis=0).tolist()
    noisy = Confusion.from_columns(np.array(lost)).population(law)
    assert noisy.exact_weights.tolist() == law.with_confusion(lost).exact_weights.tolist()
    # All scores tie, so that class 0 is predicted, and two of three atoms are of class 1.
    assert exact.error([[Fraction(0)] * 2] * 2) == 2 * THIRD
    assert exact.regions(np.zeros((2, 2))).all()


def test_classes_have_no_signed_mean():
    law = Finite("three", np.eye(3), [0, 1, 2], classes=3)
    for asked in ("norm", "gram", "diameter", "eta", "scores"):
        with pytest.raises(ValueError, match="labels must be -1 and 1 for this, got 3 classes"):
            getattr(law, asked)
    for pair in (law.with_label_noise(FIFTH), law.with_confusion(np.eye(2))):
        with pytest.raises(ValueError, match="confusion must be of 3 labels, got 2"):
            pair.joint.any()
    with pytest.raises(ValueError, match="confusion must be of 3 classes, got 2"):
        Multiclass(law, np.eye(2))
    with pytest.raises(ValueError, match="labels must be classes 0 to 2, got 3"):
        Finite("four", np.eye(3), [0, 1, 3], classes=3)
