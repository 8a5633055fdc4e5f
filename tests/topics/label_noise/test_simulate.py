"""The simulators of label noise and contamination against enumeration and fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from noisytheory.topics.label_noise import bounds, simulate
from noisytheory.topics.label_noise.instances import LABELS, EveryPair, OnePair, RandomPairs
from noisytheory.vocabulary.populations import (
    Finite,
    axes,
    axis,
    digits,
    oblique_pair,
    orthonormal,
    two_axes,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def fractions(drawn, family, row):
    """One instance as fractions: kernel, P, Q, share."""
    kernel = [[Fraction(int(k), family.square) for k in r] for r in drawn["gram"][row]]
    tables = [
        {(j, int(y)): Fraction(int(drawn[name][row, j, k]), family.total)
         for j in range(len(kernel)) for k, y in enumerate(LABELS)}
        for name in ("masses", "corruption")
    ]
    return kernel, *tables, Fraction(int(drawn["share"][row]), family.levels)


def finite(kernel, masses, name):
    """The vocabulary's population of the same instance."""
    atoms = list(masses)
    gram = [[y * z * kernel[i][j] for j, z in atoms] for i, y in atoms]
    return Finite.from_gram(name, gram, weights=[masses[a] for a in atoms],
                            labels=[y for _, y in atoms])


def scores(kernel, masses):
    return [sum(y * m * row[j] for (j, y), m in masses.items()) for row in kernel]


def risk(masses, score):
    return sum(m for (j, y), m in masses.items() if y * score[j] <= 0)


# Instances.


def test_every_pair_lists_every_population_once():
    family = EveryPair(2, radius=5, total=2, levels=2)
    drawn = family.instances(None, None)
    # 12 angles, (2+3 choose 3) = 10 populations P and Q, shares 0, 1/2 and 1.
    assert len(drawn.gram) == 12 * 10 * 10 * 3
    rows = {
        (g.tobytes(), m.tobytes(), q.tobytes(), int(s))
        for g, m, q, s in zip(drawn.gram, drawn.masses, drawn.corruption, drawn.share, strict=True)
    }
    # The angle enters through its cosine: 12 points, 7 cosines.
    assert len(rows) == 7 * 10 * 10 * 3
    assert np.all(drawn.masses.sum(axis=(1, 2)) == 2)


@pytest.mark.parametrize("family", [RandomPairs(3), RandomPairs(2, inside=True),
                                    RandomPairs(4, dimension=2, radius=65)])
def test_random_instances_are_populations_with_features_in_the_ball(family):
    drawn = family.instances(500, rng())
    assert np.all(drawn.masses >= 0)
    assert np.all(drawn.masses.sum(axis=(1, 2)) == family.total)
    assert np.all(drawn.corruption.sum(axis=(1, 2)) == family.total)
    diagonal = np.einsum("nii->ni", drawn.gram)
    assert np.all(diagonal <= family.square)
    if not family.inside:
        assert np.all(diagonal == family.square)
    assert np.array_equal(drawn.gram, drawn.points @ drawn.points.swapaxes(1, 2))
    assert 0 <= drawn.share.min() <= drawn.share.max() <= family.levels


def test_instances_repeat_with_the_generator_and_differ_without():
    first, again, other = (RandomPairs(3).instances(50, rng(s)) for s in (1, 1, 2))
    assert np.array_equal(first.masses, again.masses)
    assert not np.array_equal(first.masses, other.masses)


def test_drawing_from_a_list_gives_members_of_the_list():
    family = EveryPair(2, total=2, levels=2)
    every, some = family.instances(None, None), family.instances(400, rng())
    keys = [
        {(g.tobytes(), m.tobytes(), q.tobytes(), int(s)) for g, m, q, s in
         zip(x.gram, x.masses, x.corruption, x.share, strict=True)}
        for x in (every, some)
    ]
    assert len(some.gram) == 400
    assert len(keys[1]) > 100 and keys[1] <= keys[0]


def test_random_instances_refuse_to_be_listed():
    with pytest.raises(ValueError, match="size and rng"):
        RandomPairs(2).instances(None, None)


# Corollary 8, by hand and against the vocabulary.

OBLIQUE = OnePair("oblique", ((8, -1), (-1, 8)), ((9, 0), (1, 0)), ((0, 0), (10, 0)), 1, 8, 10, 10)


def test_the_counterexample_to_corollary_8_in_numbers():
    population = oblique_pair()
    other = population.reweighted([0, 1])
    mixed = population.contaminated(other, Fraction(1, 10))
    assert list(population.exact_scores) == [Fraction("0.8875"), Fraction("-0.0125")]
    # The mixture lists its atoms anew; scores of its mean at the two points.
    assert set(mixed.exact_scores) == {Fraction("0.78625"), Fraction("0.08875")}
    assert population.risk01(population.exact_scores) == Fraction(1, 10)
    drawn = simulate.contaminated_risk(OBLIQUE, 1, size=None, rng=None)
    assert drawn["rhs"].tolist() == [0.1]
    assert drawn["lhs"].tolist() == [0.0]
    assert drawn["applies"].tolist() == [True]
    distance = simulate.population_distance(OBLIQUE, size=None, rng=None)["lhs"]
    assert bounds.contaminated_distance(distance, 0.1).tolist() == pytest.approx([0.135])
    # Two-sided, the second point is as close as 0.0125 to zero: the hypothesis fails.
    assert not simulate.contaminated_risk_two_sided(OBLIQUE, 1, size=None, rng=None)["applies"][0]


@pytest.mark.parametrize("family", [RandomPairs(2), RandomPairs(3), RandomPairs(3, inside=True)])
def test_contaminated_risks_against_fractions(family):
    drawn = simulate.contaminated_risk(family, 1, size=150, rng=rng(3))
    sided = simulate.contaminated_risk_two_sided(family, 1, size=150, rng=rng(3))
    assert np.array_equal(sided["lhs"], drawn["lhs"])
    for row in range(150):
        kernel, clean, other, share = fractions(drawn, family, row)
        mixed = {a: (1 - share) * m + share * other[a] for a, m in clean.items()}
        before, after = scores(kernel, clean), scores(kernel, mixed)
        assert drawn["rhs"][row] == pytest.approx(float(risk(clean, before)), abs=1e-14)
        assert drawn["lhs"][row] == pytest.approx(float(risk(clean, after)), abs=1e-14)
        gap = {a: m - other[a] for a, m in clean.items()}
        square = sum(y * z * g * h * kernel[i][j]
                     for ((i, y), g), ((j, z), h) in itertools.product(gap.items(), repeat=2))
        margins = [y * before[j] for (j, y), m in clean.items() if m]
        right = [m for m in margins if m > 0]
        assert drawn["applies"][row] == (bool(right) and share**2 * square < min(right) ** 2)
        assert sided["applies"][row] == (share**2 * square < min(abs(m) for m in margins) ** 2)


def test_contamination_agrees_with_the_vocabulary():
    family = RandomPairs(3)
    drawn = simulate.contaminated_distance(family, size=20, rng=rng(4))
    for row in range(20):
        kernel, clean, other, share = fractions(drawn, family, row)
        p, q = finite(kernel, clean, "P"), finite(kernel, other, "Q")
        mixed = p.contaminated(q, share)
        mean_gap = finite(
            kernel,
            {a: (m + other[a[0], -a[1]]) / 2 for a, m in clean.items()},
            "half of P and of flipped Q",
        )
        assert drawn["distance"][row] == pytest.approx(2 * mean_gap.norm, abs=1e-12)
        together = finite(
            kernel,
            {a: (m + (1 - share) * clean[a[0], -a[1]] + share * other[a[0], -a[1]]) / 2
             for a, m in clean.items()},
            "half of P and of flipped mixture",
        )
        assert drawn["lhs"][row] == pytest.approx(2 * together.norm, abs=1e-12)
        assert mixed.norm <= (1 - share) * p.norm + share * q.norm + 1e-12


def test_corollary_8_as_an_inequality_needs_zero_scores_to_be_errors():
    # x_1 scores 0 under P and is moved to the wrong side, though the mean moves less than Gamma.
    kernel = [[Fraction(1), Fraction(3, 5)], [Fraction(3, 5), Fraction(1)]]
    clean = {(0, -1): Fraction(3, 8), (1, 1): Fraction(5, 8)}
    other = {(0, 1): Fraction(5, 8), (1, -1): Fraction(3, 8)}
    p = finite(kernel, clean, "P")
    assert list(p.exact_scores) == [0, Fraction(2, 5)]
    share = Fraction(1, 5)
    mixed = {key: (1 - share) * clean.get(key, 0) + share * other.get(key, 0)
             for key in (*clean, *other)}
    after = scores(kernel, mixed)
    assert after == [Fraction(2, 25), Fraction(8, 25)]
    gap = [-Fraction(3, 8) - Fraction(5, 8), Fraction(5, 8) + Fraction(3, 8)]
    square = sum(gap[i] * gap[j] * kernel[i][j] for i in range(2) for j in range(2))
    assert share**2 * square < Fraction(2, 5) ** 2
    assert p.risk01(p.exact_scores) == p.risk01(after) == Fraction(3, 8)
    assert p.risk01(p.exact_scores, zero="half") == Fraction(3, 16)
    assert p.risk01(after, zero="half") == Fraction(3, 8)


# Immunity to any contamination.


def test_two_orthogonal_points_lose_one_at_a_third_and_not_at_a_quarter():
    for share, levels, lost in ((1, 4, 0.0), (1, 3, 0.5), (33, 100, 0.0)):
        pair = OnePair("orthogonal", ((1, 0), (0, 1)), ((1, 0), (1, 0)), ((0, 2), (0, 0)),
                       share, 1, 2, levels)
        drawn = simulate.weakest_mass(pair, "sharp", size=None, rng=None)
        assert drawn["rhs"].tolist() == [lost]
        assert drawn["lhs"].tolist() == [0.5]
        assert drawn["applies"].tolist() == [share / levels >= 1 / 3]
        assert drawn["corruption"][0].tolist() == [[0, 2], [0, 0]]
        score = bounds.worst_score(0.5, share / levels)
        assert (score <= 1e-15) == (lost > 0)
    assert bounds.worst_score(0.5, 0.25) == 0.125


def test_the_worst_contamination_is_the_weakest_point_flipped():
    family = RandomPairs(3)
    drawn = simulate.weakest_mass(family, "sharp", size=300, rng=rng(5))
    for row in range(300):
        kernel, clean, worst, share = fractions(drawn, family, row)
        before = scores(kernel, clean)
        right = {a: a[1] * before[a[0]] for a, m in clean.items() if m and a[1] * before[a[0]] > 0}
        if not right:
            assert not drawn["applies"][row]
            continue
        margin = min(right.values())
        (point, label), = (a for a, m in worst.items() if m)
        assert right[point, -label] == margin
        assert drawn["applies"][row] == (share >= margin / (1 + margin))
        mixed = {a: (1 - share) * m + share * worst[a] for a, m in clean.items()}
        after = -label * scores(kernel, mixed)[point]
        assert after == (1 - share) * margin - share
        assert float(after) == pytest.approx(
            bounds.worst_score(float(margin), float(share)), abs=1e-14
        )


def test_hypotheses_of_the_any_contamination_trials():
    family = RandomPairs(2)
    half = simulate.corrupted_risk(family, 2, size=400, rng=rng(6))
    sharp = simulate.lost_mass(family, "sharp", size=400, rng=rng(6))
    loose = simulate.lost_mass(family, "margin", size=400, rng=rng(6))
    for row in range(400):
        kernel, clean, _, share = fractions(half, family, row)
        before = scores(kernel, clean)
        right = [y * before[j] for (j, y), m in clean.items() if m and y * before[j] > 0]
        margin = min(right, default=None)
        assert half["applies"][row] == (margin is not None and 2 * share < margin)
        assert sharp["applies"][row] == (margin is not None and share * (1 + margin) < margin)
        assert loose["applies"][row] == (margin is not None and share < margin)
    assert not np.any(sharp["lhs"][sharp["applies"]])
    assert np.any(loose["lhs"][loose["applies"]])


# Label noise.


@pytest.mark.parametrize("zero", ["both", "half"])
@pytest.mark.parametrize("sigma", [0.1, 0.45, 0.7])
def test_noise_immunity_against_the_vocabulary(zero, sigma):
    family = RandomPairs(2, dimension=2, radius=5, total=4)
    drawn = simulate.noise_immunity(family, sigma, zero, size=60, rng=rng(7))
    zeros = 0
    for row in range(60):
        kernel, clean, *_ = fractions(drawn, family, row)
        population = finite(kernel, clean, "P")
        sign = 1 if sigma < 0.5 else -1
        before = population.exact_scores
        zeros += any(s == 0 for s in before)
        noisy = population.with_label_noise(Fraction(str(sigma)), any_rate=True)
        assert noisy.norm == pytest.approx(abs(1 - 2 * sigma) * population.norm)
        assert drawn["rhs"][row] == pytest.approx(float(population.risk01(before, zero=zero)))
        assert drawn["lhs"][row] == pytest.approx(
            float(population.risk01(sign * before, zero=zero))
        )
    assert zeros > 0


def test_noisy_scores_of_populations_that_are_not_rational():
    for population in (digits(3, 8), two_axes(Fraction(9, 10), Fraction(1, 5)), axes(3)):
        drawn = simulate.noisy_score(population, 0.3, size=None, rng=None)
        assert drawn["score"].shape == (population.atoms,)
        # By the definition of the mean, one atom and one flip at a time.
        weights = population.weights * population.labels
        expected = population.instance_gram @ (0.7 * weights) - population.instance_gram @ (
            0.3 * weights
        )
        assert np.allclose(drawn["lhs"], expected, atol=1e-14)
        assert np.allclose(drawn["lhs"], 0.4 * drawn["score"], atol=1e-14)
        some = simulate.noisy_score(population, 0.3, size=50, rng=rng())
        assert np.array_equal(some["lhs"], drawn["lhs"][some["at"]])
        assert np.array_equal(some["score"], drawn["score"][some["at"]])


def test_the_law_of_the_noisy_deviation_on_an_axis_by_hand():
    p, n, sigma = Fraction(9, 10), 12, 0.3
    values, probabilities = simulate.noisy_deviation_law(axis(p), n, sigma)
    positive = 0.7 * 0.9 + 0.3 * 0.1
    k = np.arange(n + 1)
    by_hand = np.abs(0.8 - (2 * k / n - 1) / 0.4)
    for level in (0.0, 0.5, 1.0, 1.7, 2.5):
        ours = probabilities[values > level + 1e-9].sum()
        theirs = stats.binom.pmf(k, n, positive)[by_hand > level + 1e-9].sum()
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("population", [axis(), axis(Fraction(9, 10)), orthonormal(2)])
def test_mean_square_of_the_noisy_deviation_is_exact(population, sigma):
    # n E L^2 = (1 - (1 - 2 sigma)^2 |Phi(P)|^2) / (1 - 2 sigma)^2 for unit features.
    values, probabilities = simulate.noisy_deviation_law(population, 8, sigma)
    seen = 1 - 2 * sigma
    expected = (1 - (seen * population.norm) ** 2) / (8 * seen**2)
    assert np.dot(values**2, probabilities) == pytest.approx(expected)


def test_fair_signs_do_not_see_the_noise_but_pay_its_factor():
    clean, _ = simulate.noisy_deviation_law(axis(), 30, 0.0)
    noisy, weights = simulate.noisy_deviation_law(axis(), 30, 0.45)
    assert np.allclose(noisy, clean / (1 - 0.9))
    assert np.allclose(weights, simulate.noisy_deviation_law(axis(), 30, 0.0)[1])


@pytest.mark.parametrize(
    "population, n, sigma",
    [(axis(), 10, 0.3), (axis(Fraction(9, 10)), 25, 0.1), (orthonormal(2), 6, 0.45)],
)
def test_drawn_noisy_deviations_follow_the_enumerated_law(population, n, sigma):
    values, probabilities = simulate.noisy_deviation_law(population, n, sigma)
    drawn = simulate.noisy_deviation(population, n, sigma, size=20_000, rng=rng(8))
    nearest = np.abs(drawn[:, None] - values).argmin(axis=1)
    # Roots of rounding errors: a distance of zero comes out as 1e-8.
    assert np.allclose(drawn, values[nearest], atol=1e-6)
    counts = np.bincount(nearest, minlength=len(values))
    common = probabilities * len(drawn) >= 5
    observed = np.r_[counts[common], counts[~common].sum()]
    expected = np.r_[probabilities[common], probabilities[~common].sum()] * len(drawn)
    keep = expected > 0
    # False alarm: one in 10,000 for each of three cases.
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-4


@pytest.mark.parametrize("population", [axes(20), orthonormal(20), digits(3, 8)])
def test_mean_square_of_drawn_noisy_deviations(population):
    n, sigma, size = 50, 0.3, 4000
    squares = simulate.noisy_deviation(population, n, sigma, size=size, rng=rng(9)) ** 2
    expected = (1 - (0.4 * population.norm) ** 2) / (n * 0.16)
    error = squares.std() / size**0.5
    # False alarm: a normal beyond 4.5 standard errors, 7 in a million for each of three cases.
    assert abs(squares.mean() - expected) < 4.5 * error
    assert error < 0.01 * expected


def test_the_two_point_error_by_enumeration_of_all_tests():
    n, sigma = 9, 0.3
    probability, error = simulate.two_point_error(n, sigma)
    # Means +-m with m = 1/(6 * 0.4) look like +-1/6 through the noise.
    positive = (1 + 1 / 6) / 2
    k = np.arange(n + 1)
    laws = [stats.binom.pmf(k, n, q) for q in (positive, 1 - positive)]
    tests = np.array(list(itertools.product([False, True], repeat=n + 1)))
    best = np.min(np.maximum((~tests) @ laws[0], tests @ laws[1]))
    assert probability == pytest.approx(best, abs=1e-12)
    assert error <= 1e-9


def test_the_two_point_error_tends_to_a_normal_one_and_names_its_range():
    probability, _ = simulate.two_point_error(1_000_000, 0.45)
    assert probability == pytest.approx(stats.norm.cdf(-0.5), abs=1e-5)
    with pytest.raises(ValueError, match="n must be at least"):
        simulate.two_point_error(10, 0.45)


# Linear loss over any class.


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.45])
def test_linear_risks_against_fractions(sigma):
    family = RandomPairs(3)
    drawn = simulate.noisy_linear_risk(family, sigma, size=100, rng=rng(10))
    rate = Fraction(str(sigma))
    for row in range(100):
        _, clean, *_ = fractions(drawn, family, row)
        f = [Fraction(int(v), 12) for v in drawn["classifier"][row]]
        noisy = {(j, y): (1 - rate) * m + rate * clean[j, -y] for (j, y), m in clean.items()}
        for masses, value in ((clean, drawn["risk"][row]), (noisy, drawn["lhs"][row])):
            exact = sum(m * (1 - y * f[j]) for (j, y), m in masses.items())
            assert value == pytest.approx(float(exact), abs=1e-13)
    assert np.abs(drawn["classifier"]).max() > 12


def test_argmin_sets_hold_every_minimiser():
    family = RandomPairs(2)
    drawn = simulate.argmin_sets(family, 0.3, size=200, rng=rng(11))
    ties = 0
    for row in range(200):
        _, clean, *_ = fractions(drawn, family, row)
        risks = [sum(m * (1 - y * int(f[j])) for (j, y), m in clean.items())
                 for f in drawn["functions"][row]]
        best = {k for k, r in enumerate(risks) if r == min(risks)}
        assert {k for k in range(6) if int(drawn["rhs"][row]) >> k & 1} == best
        ties += len(best) > 1
    assert ties > 10
    assert np.array_equal(drawn["lhs"], drawn["rhs"])


# Margins and regret.


def test_theorem_7_is_an_equality_when_every_small_score_is_moved_to_zero():
    pair = OnePair("three", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((2, 0), (3, 0), (4, 1)),
                   ((10, 0), (0, 0), (0, 0)), 0, 1, 10, 1)
    drawn = simulate.perturbed_risk(pair, "closed", size=4000, rng=rng(12))
    for row in range(0, 4000, 7):
        f = [Fraction(int(v), 12) for v in drawn["classifier"][row]]
        moved = [Fraction(int(v), 12) for v in drawn["perturbed"][row]]
        slack = Fraction(int(drawn["slack"][row]), 12)
        assert max(abs(a - b) for a, b in zip(f, moved, strict=True)) <= slack
        masses = {(0, 1): 2, (1, 1): 3, (2, 1): 4, (2, -1): 1}
        assert drawn["lhs"][row] * 10 == pytest.approx(
            sum(m for (j, y), m in masses.items() if y * moved[j] <= 0))
        assert drawn["rhs"][row] * 10 == pytest.approx(
            sum(m for (j, y), m in masses.items() if y * f[j] <= slack))
    assert np.all(drawn["lhs"] <= drawn["rhs"])
    assert np.any((drawn["lhs"] == drawn["rhs"]) & (drawn["lhs"] > 0) & (drawn["slack"] > 0))


def test_margin_for_error_by_hand():
    # y f takes the values 1/3 (mass 2), -1/2 (mass 3) and both signs of 1/4 (4 and 1).
    pair = OnePair("three", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((2, 0), (3, 0), (4, 1)),
                   ((10, 0), (0, 0), (0, 0)), 0, 1, 10, 1)
    drawn = simulate.margin_for_error(pair, size=3000, rng=rng(13))
    assert np.array_equal(drawn["lhs"][drawn["applies"]], drawn["rhs"][drawn["applies"]])
    for row in range(0, 3000, 11):
        f = drawn["classifier"][row]
        right = [v for v in (f[0], f[1], f[2], -f[2]) if v > 0]
        assert drawn["applies"][row] == bool(right)
        if right:
            assert drawn["rhs"][row] == min(right) / 12


def test_every_margin_gap_is_listed():
    drawn = simulate.margin_gap("open")
    assert len(drawn["lhs"]) == sum(
        abs(v - w) <= e for v in range(-8, 9) for w in range(-8, 9) for e in range(9)
    )
    assert np.all(drawn["lhs"] <= drawn["rhs"])
    mixed = simulate.margin_gap("mixed")
    broken = mixed["lhs"] > mixed["rhs"]
    # Only an unmoved zero or a point moved by all of epsilon to zero breaks the mixed version.
    assert np.all((mixed["moved"] == 0) & (mixed["value"] == mixed["slack"]) == broken)


@pytest.mark.parametrize("zero, at_zero", [("both", 1.0), ("half", 0.5)])
@pytest.mark.parametrize("scores_", ["any", "nonzero"])
def test_regrets_by_search_are_means_of_the_closed_forms(zero, at_zero, scores_):
    drawn = simulate.surrogate_regret(RandomPairs(3), zero, scores_, size=1000, rng=rng(14))
    masses = drawn["masses"].sum(axis=2) / 20
    with np.errstate(invalid="ignore"):
        eta = np.where(masses > 0, drawn["masses"][..., 0] / drawn["masses"].sum(axis=2), 0.5)
    f = drawn["classifier"] / 12
    wrong = np.sum(masses * bounds.misclassification_regret(eta, f, at_zero), axis=1)
    linear = np.sum(masses * bounds.linear_regret(eta, f), axis=1)
    assert np.allclose(drawn["lhs"], wrong, atol=1e-13)
    assert np.allclose(drawn["regret"], linear, atol=1e-13)
    assert np.allclose(drawn["idle"], np.sum(masses * (f == 0), axis=1))
    assert np.any(drawn["idle"] > 0) == (scores_ == "any")


def test_the_table_of_lemma_3():
    family = EveryPair(1, total=20, single=True)
    drawn = simulate.surrogate_regret(family, "both", "any", size=None, rng=None)
    assert len(drawn["lhs"]) == 21 * 25
    table = {}
    for row in np.flatnonzero(drawn["classifier"][:, 0] == 0):
        eta = int(drawn["masses"][row, 0, 0]) / 20
        table[eta] = (round(float(drawn["lhs"][row]), 12), round(float(drawn["regret"][row]), 12))
    assert [table[eta] for eta in (0.5, 0.6, 0.9, 1.0)] == [
        (0.5, 0.0), (0.6, 0.2), (0.9, 0.8), (1.0, 1.0)
    ]
    # It fails at a zero score for every eta but 0 and 1, and nowhere else.
    broken = drawn["lhs"] > drawn["regret"] + 1e-12
    inner = (drawn["masses"][:, 0, 0] > 0) & (drawn["masses"][:, 0, 1] > 0)
    assert np.array_equal(broken, inner & (drawn["classifier"][:, 0] == 0))
