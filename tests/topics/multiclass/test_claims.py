"""Bounds by hand, exact forms against the public algorithms, and numbers that print should have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import uma_again

import noisytheory as nt
from noisytheory.topics.multiclass import (
    error_set,
    exactly,
    steps,
    ultraconservative,
    uma,
    update_vectors,
)
from noisytheory.topics.multiclass.convergence import bounds as convergence_bounds
from noisytheory.topics.multiclass.convergence import sides as convergence
from noisytheory.topics.multiclass.convergence import simulate as stuck_runs
from noisytheory.topics.multiclass.deviations import bounds, simulate
from noisytheory.topics.multiclass.deviations import sides as deviations
from noisytheory.topics.multiclass.experiments import simulate as experiments
from noisytheory.topics.multiclass.experiments.toy import READINGS, sectors, toy_data
from noisytheory.topics.multiclass.instances import FIVE, random_instances
from noisytheory.topics.multiclass.mistakes import bounds as mistake_bounds
from noisytheory.topics.multiclass.pairs import sides as pairs
from noisytheory.topics.multiclass.setting import bounds as setting_bounds
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.updates import sides as updates

DIGITS = Fraction(1, 10**37)


def floats(rows):
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 4)])
def test_update_vectors_are_those_of_the_definition(number, shared, alpha):
    at = random_instances(20)[number]
    back = uma_again.inverse(at.confusion)
    again = np.array([
        uma_again.vectors(at.points, at.joint, back, inside)
        for inside in exactly.regions(at.points, at.weights, alpha, shared=shared)
    ])
    ties = "all" if shared else "lowest"
    given = dict(orientation="column", ties=ties)
    found = update_vectors(at.points, at.joint, at.confusion, weights=at.weights, alpha=alpha,
                           **given)
    assert (found == again).all()
    if shared:  # floats break ties by chance
        public = update_vectors(floats(at.points), floats(at.joint), floats(at.confusion),
                                weights=floats(at.weights), alpha=float(alpha), **given)
        np.testing.assert_allclose(public, floats(again), atol=1e-12)


@pytest.mark.parametrize("step", ["predicted", "forced", "worst", "uniform"])
@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_runs_in_fractions_are_those_of_the_definition_and_floats_have_them_too(
    step, normalise, shared
):
    # A sample: the population itself has ties, which floats break by chance.
    law = floats(FIVE.joint).ravel()
    counts = np.random.default_rng(9).multinomial(1024, law / law.sum()).reshape(5, 3)
    seen, options = exactly.fractions(counts / 1024), dict(
        step=step, normalise=normalise, max_iter=12
    )
    again = uma_again.run(FIVE.points, seen, FIVE.confusion, shared=shared,
                          tolerance=Fraction(1, 10**6), **options)
    ties = "all" if shared else "lowest"
    found = uma(FIVE.points, seen, FIVE.confusion, ties=ties, tolerance=Fraction(1, 10**6),
                **options)
    # Both have lengths to 40 digits, of other units, and the shortest is .02.
    assert abs(found.weights - np.array(again.weights)).max() <= DIGITS * normalise
    lengths = np.array([exactly.root(square) for square in again.squares])
    assert abs(found.norms - lengths).max() <= DIGITS
    assert (found.updates, found.skipped, found.stopped) == (
        again.updates, again.skipped, again.stopped
    )
    public = uma(floats(FIVE.points), counts / 1024, floats(FIVE.confusion), ties=ties,
                 tolerance=1e-6, **options)
    assert public.pairs.tolist() == [list(pair) for pair in again.pairs]
    np.testing.assert_allclose(public.weights, floats(again.weights), atol=1e-9)


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5)])
def test_margins_of_regions_and_error_sets_in_fractions(alpha):
    for at in random_instances(12):
        start = [[4 * v for v in row] for row in at.weights]
        options = dict(alpha=alpha, error_alpha=alpha, start=start, max_iter=8)
        again = uma_again.run(at.points, at.joint, at.confusion, shared=True, **options)
        found = uma(at.points, at.joint, at.confusion, orientation="column", ties="all",
                    tolerance=0, **options)
        assert (found.weights == np.array(again.weights)).all()
        assert found.stopped == again.stopped


@pytest.mark.parametrize("step", ["worst", "uniform"])
def test_online_runs_agree_in_both_arithmetics(step):
    rng = np.random.default_rng(1)
    points, labels = rng.integers(-4, 5, size=(40, 3)), rng.integers(3, size=40)
    rows = exactly.fractions(points)
    again = uma_again.online(rows, labels.tolist(), 3, step=step)
    found = ultraconservative(rows, labels, 3, step=step)
    assert (found.weights == np.array(again.weights)).all()
    assert (found.updates, found.largest_step) == (again.updates, again.largest_step)
    if step == "worst":  # thirds round
        public = ultraconservative(points.astype(float), labels, 3, step=step)
        assert public.updates == again.updates
        np.testing.assert_array_equal(public.weights, floats(again.weights))


def test_proportional_steps_are_exact_in_fractions():
    scores = np.array([Fraction(1, 3), Fraction(2), Fraction(1)])
    tau = steps(scores, 0, error_set(scores, 0), "proportional")
    assert tau.tolist() == [1, Fraction(-5, 7), Fraction(-2, 7)]


@pytest.mark.parametrize("step", ["uniform", "proportional", "random"])
def test_steps_in_parts_keep_the_sum_of_weights_in_fractions(step):
    rng = np.random.default_rng(2)
    points = exactly.fractions(rng.integers(-4, 5, size=(20, 3)) / 3)
    labels = rng.integers(4, size=20)
    start = exactly.fractions(rng.integers(-2, 3, size=(4, 3)) / 5)
    runs = (
        ultraconservative(points, labels, 4, step=step, start=start, rng=np.random.default_rng(3)),
        uma(points, labels, exactly.unit(4), step=step, start=start, max_iter=9, normalise=True,
            rng=np.random.default_rng(3)),
    )
    for run in runs:
        assert run.updates > 5
        assert {type(v) for v in run.weights.ravel()} == {Fraction}
        moved = run.weights.sum(axis=0) - np.array(start).sum(axis=0)
        # The shares of a random step are floats, which sum to 1 but for rounding.
        assert abs(moved).max() <= (1e-12 if step == "random" else 0)


def test_samples_and_whole_numbers_in_a_run_of_fractions():
    points = [[Fraction(1), Fraction(0)], [Fraction(-1), Fraction(0)]]
    found = uma(points, [0, 1], [[1, 0], [0, 1]])
    assert found.weights.tolist() == [[Fraction(1, 2), 0], [Fraction(-1, 2), 0]]
    assert found.shares.tolist() == [Fraction(1, 2), Fraction(1, 2)]


def test_the_rare_class_needs_as_many_updates_as_the_formula_says():
    # Masses 1 - m and m, sixty degrees apart: 2 + floor((1 - m) / (2 m)) updates.
    corner = [[Fraction(1), Fraction(0)], [Fraction(1, 2), exactly.root(Fraction(3, 4))]]
    for share in (Fraction(1, 10), Fraction(1, 20), Fraction(1, 50), Fraction(1, 1000)):
        joint = [[Fraction(0), 1 - share], [share, Fraction(0)]]
        identity = [[Fraction(i == j) for j in (0, 1)] for i in (0, 1)]
        found = uma(corner, joint, identity, tolerance=0, max_iter=600)
        assert found.updates == 2 + int((1 - share) / (2 * share))
        short = uma(corner, joint, identity, tolerance=0, max_iter=600, normalise=True)
        assert short.updates == 2


def test_the_largest_margin_of_the_five_atoms_is_that_of_the_bound_of_print():
    five = FIVE.population
    assert FIVE.joint[0] == [Fraction(21, 100), Fraction(6, 100), Fraction(3, 100)]
    mean = floats(five.update_means(FIVE.weights)[0, 1])
    assert mean.tolist() == [0.12, 0.16]
    _, best = five.best
    least = min(best[1] @ mean - best[k] @ mean for k in (0, 2))
    assert least == pytest.approx(0.0774597, abs=1e-7)  # theta times the mass .2


def test_circle_points_are_cut_out_in_all_ways():
    (found,) = deviations.shattered(10, 3)
    assert (found.lhs, found.rhs) == (8, 4)


def test_half_of_the_sample_size_is_needed():
    (found,) = simulate.needed(5.5, 0.5, 0.05, "squared")
    assert found.lhs == 383
    assert bounds.sample_size(0.5, 0.05, 5.5) == pytest.approx(242 * np.log(40))


def test_the_appendix_by_hand():
    # Two losses 0 or 4 with even chances: means 0, 2, 4, of which none is off by more than 2.
    at = {(dict(c.steps)["examples"], dict(c.steps)["chance of a loss"]): c.lhs
          for c in deviations.ghosts(32)}
    assert at[2, Fraction(1, 2)] == 0
    # Of three, 0 and 4 are off by 2, which is more than the root of 8/3.
    assert at[3, Fraction(1, 2)] == Fraction(1, 4)
    # One example: samples differ by 4 on the second function, 3 on the first, or not at all.
    first = next(deviations.swapped("of swaps"))
    assert first.lhs == first.rhs == 1 - Fraction(1, 4) - Fraction(1, 9) - Fraction(1, 36)
    (least,) = deviations.least_bound(1.0, 2, -1)
    assert float(sum(least.lhs) / 2) == pytest.approx(512 * np.exp(-16))


def test_no_pair_is_longer_than_the_tolerance_at_the_stop():
    cases = list(convergence.lengths_at_the_stop("all_pairs"))
    assert sum(case.applies for case in cases) > 3
    printed = [case for case in convergence.lengths_at_the_stop("printed") if case.applies]
    assert any(case.lhs > case.rhs for case in printed)


def test_vectors_of_the_sample_that_taught_the_weights_fall_short_in_every_game():
    same, fresh = (list(updates.adaptive(sample, 2)) for sample in ("same", "another"))
    assert all(one.lhs < one.rhs for one in same)
    assert all(one.lhs == one.rhs > 0 for one in fresh)
    assert len(fresh) == 16


def test_swaps_by_hand():
    chances = {
        (m, e): float(next(deviations.swaps(m, e, 512)).lhs)
        for m, e in ((100, 4.0), (400, 2.0), (1600, 1.0))
    }
    assert chances[100, 4.0] == pytest.approx(0.01203, abs=5e-6)
    assert chances[400, 2.0] == pytest.approx(0.01418, abs=5e-6)
    assert chances[1600, 1.0] == pytest.approx(0.01330, abs=5e-6)


def test_spread_of_a_growing_region():
    printed = [4.70, 5.94, 7.84, 10.04, 11.84]
    found = list(pairs.growing_region("correct points"))
    spread = [found[0].rhs, *(one.lhs for one in found)]
    np.testing.assert_allclose(np.sqrt(floats(spread)), printed, atol=0.005)


def arcs(atoms):
    """Sets of neighbours on a circle: what a region can cut out in the plane."""
    for start in range(atoms):
        for length in range(1, atoms if start else atoms + 1):
            yield (start + np.arange(length)) % atoms


@pytest.mark.parametrize("atoms", [3, 6, 9])
def test_as_many_regions_as_different_arcs_and_none(atoms):
    found = {frozenset(chosen.tolist()) for chosen in arcs(atoms)}
    assert simulate.circle(atoms, 0.2).sets == len(found) + 1


def test_the_supremum_over_all_weights_is_that_of_all_regions():
    population = simulate.circle(6, 0.3)
    rng = np.random.default_rng(1)
    counts = population.counts(200, 3, rng=rng)

    class Fixed:
        def multinomial(self, n, law, size):
            return counts.reshape(3, -1)

    fast = simulate.supremum(population, 200, size=3, rng=Fixed())
    back = np.linalg.inv(population.confusion)
    for row, sample in enumerate(counts):
        gap = sample / 200 - population.joint
        best = 0.0
        for chosen in arcs(6):
            z = back @ (gap[chosen].T @ population.points[chosen])
            best = max(best, np.linalg.norm(z, axis=1).max())
        assert fast[row] == pytest.approx(best, abs=1e-12)


def test_the_uniform_bound_has_the_catalogued_sample_size():
    assert bounds.uniform_deviation(256_063, 0.05, 2, 3, 2.0) <= 0.1
    assert bounds.uniform_deviation(256_062, 0.05, 2, 3, 2.0) > 0.1


def test_limits_of_the_bounds():
    assert convergence_bounds.updates_forced(0.5, 0.0, 0.1) == 8
    assert convergence_bounds.updates_noisy(0.5, [0.0, 1.0], 0.1).tolist() == [8, np.inf]
    assert mistake_bounds.mistake_bound(1.0, 3.0) == 18
    assert setting_bounds.least_mistake_bound(2) == 1
    assert setting_bounds.margin_ceiling(2) == pytest.approx(np.sqrt(2))
    with pytest.raises(ValueError, match="theta"):
        mistake_bounds.mistake_bound(0.0)
    with pytest.raises(ValueError, match="beta"):
        bounds.sample_size(0.1, 0.05, 0.5)
    with pytest.raises(ValueError, match="classes"):
        setting_bounds.margin_ceiling(1)


@pytest.mark.parametrize("mass", [0.1, 0.3, 0.5, 0.8])
def test_the_chance_of_being_stuck_by_two_noise_weights(mass):
    """Two independent weights of variances P and 1 - P: the first positive, a sum negative."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 400_000))
    first, second = np.sqrt(mass) * a, np.sqrt(1 - mass) * b
    stuck = (first > 0) & (mass * first + (1 - mass) * second < 0)
    expected = convergence_bounds.stuck_probability(mass)
    assert abs(stuck.mean() - expected) < 5 * np.sqrt(expected / 400_000)


@pytest.mark.parametrize(("first", "flipped"), [(90, 12), (100, 15), (200, 25), (215, 24)])
def test_from_some_number_of_right_labels_on_the_run_is_stuck(first, flipped):
    right = np.arange(401 - first + 1)[-80:]
    counts = [[[first - flipped, flipped], [401 - first - k, k]] for k in right.tolist()]
    found = stuck_runs._stuck(np.array(counts), "predicted")
    assert 0 < found.sum() < 80
    assert (np.diff(found.astype(int)) >= 0).all()
    # The same by the error set alone: of the second pair's vector the first step's is no part.
    kept = 1 - 2 * stuck_runs.FLIPPED
    noise = (flipped - stuck_runs.FLIPPED * first) / kept
    lead = (right - stuck_runs.FLIPPED * (401 - first)) / kept
    again = noise * (first - noise) + lead * (401 - first - lead) < 0
    np.testing.assert_array_equal(found, again)


def test_the_noise_path_ends_where_it_should():
    rng = np.random.default_rng(1)
    matrix = rng.random((10, 10))
    matrix /= matrix.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(noise_path(matrix, 10), matrix, atol=1e-15)
    np.testing.assert_allclose(noise_path(matrix, 0), np.eye(10))
    np.testing.assert_allclose(noise_path(matrix, 5), (np.eye(10) + matrix) / 2, atol=1e-15)
    for bad in (-1, 1.5, True):
        with pytest.raises(ValueError, match="step"):
            noise_path(matrix, bad)


@pytest.mark.parametrize("reading", READINGS)
def test_readings_of_the_margin(reading):
    weights = np.array([[1.0, 0.0], [0.0, 1.0]])
    points = np.array([[1.0, 0.0], [0.8, 0.6]])
    lead = {"distance": 0.2 / np.sqrt(2), "functional": 0.2, "definition": 0.2 / np.sqrt(2)}
    labels, kept = sectors(points, weights, lead[reading] + 1e-9, reading)
    assert labels.tolist() == [0, 0]
    assert kept.tolist() == [True, False]


def test_sectors_of_several_circles_are_those_one_by_one():
    rng = np.random.default_rng(2)
    points, weights = rng.normal(size=(3, 20, 2)), rng.normal(size=(3, 4, 2))
    for reading in READINGS:
        together = sectors(points, weights, 0.1, reading)
        for i in range(3):
            for found, one in zip(together, sectors(points[i], weights[i], 0.1, reading),
                                  strict=True):
                np.testing.assert_array_equal(found[i], one)


def test_runs_of_the_claim_on_the_stop_have_stopped():
    draw = dict(n=500, tolerance=0.04, size=16, rng=np.random.default_rng(1))
    found = stuck_runs.any_pair(stop="all_pairs", **draw)
    assert found["lhs"].max() < 0.5
    # One that has not stopped counts as wrong everywhere.
    short = stuck_runs.any_pair(stop="all_pairs", **(draw | dict(tolerance=0.001, size=2)))
    assert short["lhs"].tolist() == [1.0, 1.0]


def test_a_class_loses_its_sector_as_often_as_three_directions_are_near():
    # Directions of class and neighbours within 4 arcsin of the gap: 4 of them at 0, 1, 2 and 90
    # degrees, so that the second class's sector is 1 degree wide, and the others' 44.5 and more.
    class Fixed:
        def uniform(self, low, high, size):
            return np.deg2rad([[0.0, 1.0, 2.0, 90.0, 130.0, 170.0, 210.0, 250.0, 290.0, 330.0]])

    for degrees, share in ((0.49, 0.0), (0.51, 0.1)):
        found = experiments.empty_classes(
            "distance", np.sin(np.deg2rad(degrees)), 1, size=1, rng=Fixed()
        )
        assert found.tolist() == [pytest.approx(share)]


def test_the_circle_keeps_all_classes():
    x, t, test, truth = toy_data(300, 50, rng=np.random.default_rng(3))
    assert x.shape == (300, 2) and test.shape == (50, 2) and len(truth) == 50
    assert len(np.unique(t)) == 10
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1)


def test_digits_keep_their_pixels_and_features_on_the_sphere():
    features, pixels, labels = experiments.digits()
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(pixels, axis=1), 1)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_monotone_noise_leaves_half_the_mass_wrong():
    from noisytheory.topics.multiclass.setting.sides import monotone

    first = next(monotone("falling"))
    assert first.lhs == Fraction(1, 2)
    assert dict(first.steps)["updates"] == 3


def test_a_perfect_classifier_given_the_label():
    assert next(convergence.given_label("label")).lhs == Fraction(14, 41)


def test_what_print_asks_of_uma_on_digits_is_what_true_labels_give():
    at = nt.claims["uma/table-1/gain-printed"].given
    runs = experiments.drawn("digits", at["examples"], at["per_class"], at["share"], size=6,
                             rng=np.random.default_rng(0))
    plain, full = experiments.errors(runs, "ignoring", "full", updates=at["updates"])
    # A correction as good as the truth keeps it in every run: the trial may end either way.
    assert np.all(full - plain + at["part"] * (plain - full) < 0)
    # Of the gain that print has on digits ignoring the noise does not leave as much here.
    assert np.mean(full > plain - 0.08) >= 0.5
