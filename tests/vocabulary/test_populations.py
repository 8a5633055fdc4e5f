"""Populations against hand-worked values, enumeration, quadrature and plain loops."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from noisytheory.vocabulary.kernels import Gaussian, Linear, Polynomial, rkhs_distance
from noisytheory.vocabulary.losses import Hinge, LinearLoss, Logistic, Margin, ZeroOne
from noisytheory.vocabulary.populations import (
    Finite,
    GaussianMixture,
    axes,
    axis,
    batteries,
    circle,
    digits,
    finite,
    independent_signs,
    long_servedio,
    mnist,
    mnist_available,
    oblique_pair,
    orthonormal,
    point_mass,
    two_axes,
    two_gaussians,
)

# Every test below that draws has this false-alarm rate, and a fixed seed.
FALSE_ALARM = 1e-6
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def scattered(atoms: int = 12, seed: int = 0) -> Finite:
    """Random points, labels and weights under a Gaussian kernel; two atoms share an instance."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(atoms, 2))
    points[1] = points[0]
    labels = rng.choice([-1, 1], size=atoms)
    labels[:2] = -1, 1
    return Finite("scattered", points, labels, rng.dirichlet(np.ones(atoms)), Gaussian(0.8))


EVERY = [
    axis(),
    axis(Fraction(7, 10)),
    axis(0.9),
    two_axes(Fraction(3, 4), QUARTER),
    axes(3),
    orthonormal(5),
    point_mass(),
    circle(7),
    independent_signs(3),
    oblique_pair(),
    long_servedio(30),
    scattered(),
    scattered().with_label_noise(0.2),
    scattered().contaminated(scattered(5, seed=3), 0.3),
    Finite.from_gram("given", [[1, QUARTER], [QUARTER, 1]], labels=[1, -1]),
    Finite("cubic", [[1, 2], [HALF, 0]], [1, -1], kernel=Polynomial(3, 1.0)),
]


def enumerated(population: Finite, n: int) -> list[tuple[float, float]]:
    """Every ordered sample's deviation and probability, by the definition."""
    gram, weights = population.gram, population.weights
    outcomes = []
    for sample in itertools.product(range(population.atoms), repeat=n):
        difference = np.bincount(sample, minlength=population.atoms) / n - weights
        square = max(0.0, float(difference @ gram @ difference))
        outcomes.append((math.sqrt(square), float(np.prod(weights[list(sample)]))))
    return outcomes


@pytest.mark.parametrize("population", EVERY, ids=lambda p: p.name)
class TestEveryFinite:
    """What holds for each of them."""

    def test_expectations_are_sums_over_atoms(self, population):
        gram, p = population.gram, population.weights
        mean = gram @ p
        assert p.sum() == pytest.approx(1, abs=1e-15)
        assert population.norm == pytest.approx(math.sqrt(max(0.0, p @ mean)), abs=1e-7)
        assert population.power == pytest.approx(p @ np.diagonal(gram), rel=1e-13)
        assert population.variance == pytest.approx(
            p @ np.diagonal(gram) - p @ mean, rel=1e-12, abs=1e-14
        )
        np.testing.assert_allclose(
            population.scores, population.instance_gram @ (p * population.labels), atol=1e-13
        )
        present = p > 0
        distances = np.diagonal(gram) - 2 * mean + p @ mean
        assert population.radius == pytest.approx(
            math.sqrt(max(0.0, distances[present].max())), abs=1e-7
        )
        pairs = np.diagonal(gram)[:, None] + np.diagonal(gram) - 2 * gram
        assert population.diameter == pytest.approx(
            math.sqrt(max(0.0, pairs[np.ix_(present, present)].max())), abs=1e-7
        )

    def test_top_eigenvalue_is_that_of_the_centred_atoms(self, population):
        gram, p = population.gram, population.weights
        mean = gram @ p
        centred = gram - mean[:, None] - mean + p @ mean
        root = np.sqrt(p)
        largest = np.linalg.eigvalsh(root[:, None] * centred * root)[-1]
        assert population.top_eigenvalue == pytest.approx(max(0.0, largest), rel=1e-10, abs=1e-13)
        assert population.top_eigenvalue <= population.variance * (1 + 1e-12) + 1e-13

    def test_exact_values_agree_with_floats(self, population):
        if population.exact_norm_squared is None:
            assert population.exact_weights is None or population.exact_gram is None
            return
        assert sum(population.exact_weights) == 1
        assert float(population.exact_norm_squared) == pytest.approx(population.norm**2, abs=1e-14)
        np.testing.assert_array_equal(population.exact_gram.astype(float), population.gram)
        np.testing.assert_array_equal(population.exact_scores.astype(float), population.scores)
        by_hand = population.exact_weights @ population.exact_gram @ population.exact_weights
        assert by_hand == population.exact_norm_squared

    def test_law_by_enumeration(self, population):
        n = 3
        values, probabilities = population.exact_norm_law(n)
        assert (np.diff(values) > 0).all()
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        if population.atoms > 12:
            return
        outcomes = enumerated(population, n)
        for moment in (1, 2, 3):
            expected = sum(p * value**moment for value, p in outcomes)
            assert probabilities @ values**moment == pytest.approx(expected, rel=1e-9, abs=1e-9)
        middle = (values[:-1] + values[1:])[len(values) // 2 - 1] / 2 if len(values) > 1 else 1.0
        below = sum(p for value, p in outcomes if value <= middle)
        assert probabilities[values <= middle].sum() == pytest.approx(below, abs=1e-12)

    def test_second_moment_of_the_law_is_variance_over_n(self, population):
        values, probabilities = population.exact_norm_law(4)
        assert probabilities @ values**2 == pytest.approx(
            population.variance / 4, rel=1e-11, abs=1e-13
        )

    @pytest.mark.parametrize("n", [1, 3])
    def test_deviations_follow_the_law(self, population, n):
        values, probabilities = population.exact_norm_law(n)
        size = 20_000
        drawn = population.deviations(n, size=size, rng=np.random.default_rng(7))
        assert drawn.shape == (size,)
        nearest = np.abs(drawn[:, None] - values).argmin(axis=1)
        assert np.abs(drawn - values[nearest]).max() <= 1e-7 * max(1.0, values[-1])
        observed = np.bincount(nearest, minlength=len(values))
        expected = size * probabilities
        small = expected < 5
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
        kept = expected > 0
        if kept.sum() > 1:
            statistic = ((observed - expected)[kept] ** 2 / expected[kept]).sum()
            assert special.gammaincc((kept.sum() - 1) / 2, statistic / 2) > FALSE_ALARM

    def test_replays_from_the_same_stream(self, population):
        first = population.deviations(50, size=9, rng=np.random.default_rng(3))
        again = pickle.loads(pickle.dumps(population))
        np.testing.assert_array_equal(
            first, again.deviations(50, size=9, rng=np.random.default_rng(3))
        )

    def test_identity(self, population):
        again = pickle.loads(pickle.dumps(population))
        assert again == population
        assert hash(again) == hash(population)
        assert again.digest() == population.digest()
        assert len(population.digest()) == 32
        assert population != population.flipped()
        assert "\n" not in repr(population)
        with pytest.raises(AttributeError, match="frozen"):
            population.name = "other"
        with pytest.raises(ValueError, match="read-only"):
            population.weights[0] = 1.0

    def test_label_noise_scales_the_mean(self, population):
        for sigma in (0.1, Fraction(1, 3)):
            noisy = population.with_label_noise(sigma)
            assert noisy.norm == pytest.approx((1 - 2 * float(sigma)) * population.norm, abs=1e-8)
            assert noisy.power == pytest.approx(population.power, rel=1e-12)
        assert population.with_label_noise(0).norm == population.norm
        assert population.flipped().norm == population.norm

    def test_recipe_pickles_without_what_it_made(self, population):
        before = len(pickle.dumps(population))
        assert population.gram.shape == (population.atoms,) * 2
        assert population.top_eigenvalue >= 0
        assert len(pickle.dumps(population)) == before


class TestHandWorked:
    """Closed forms of the catalogue."""

    def test_axis_is_a_binomial(self):
        population, n = axis(Fraction(7, 10)), 25
        values, probabilities = population.exact_norm_law(n)
        law = stats.binom(n, 0.7)
        expected = sum(law.pmf(b) * abs(2 * b / n - 1.4) for b in range(n + 1))
        assert probabilities @ values == pytest.approx(expected, rel=1e-13)
        assert math.sqrt(probabilities @ values**2) == pytest.approx(math.sqrt(0.84 / 25))
        assert population.norm == 0.4
        assert population.exact_norm_squared == Fraction(4, 25)
        assert population.variance == 0.84
        assert population.diameter == 2.0
        assert population.radius == pytest.approx(1.4)
        assert population.eta.tolist() == [0.7, 0.7]

    def test_axis_law_has_n_plus_one_values_or_half_as_many(self):
        assert len(axis(Fraction(7, 10)).exact_norm_law(3)[0]) == 4
        values, probabilities = axis().exact_norm_law(4)
        assert values.tolist() == [0.0, 0.5, 1.0]
        assert probabilities.tolist() == pytest.approx([6 / 16, 8 / 16, 2 / 16], rel=1e-13)

    def test_large_binomial_quantile(self):
        # The worst case for the quantile: 2.0 / sqrt(n) at n = 100 and level 0.05.
        values, probabilities = axis().exact_norm_law(100)
        quantile = values[np.searchsorted(np.cumsum(probabilities), 0.95)]
        assert quantile * 10 == pytest.approx(2.0)

    def test_orthonormal(self):
        population = orthonormal(4)
        assert population.norm == 0.5
        assert population.diameter == pytest.approx(math.sqrt(2))
        assert population.radius == pytest.approx(math.sqrt(3) / 2)
        assert population.top_eigenvalue == pytest.approx(0.25)
        # One example: L^2 = (3/4)^2 + 3 / 16 always.
        values, probabilities = population.exact_norm_law(1)
        assert values.tolist() == pytest.approx([math.sqrt(3) / 2])
        assert probabilities.tolist() == pytest.approx([1.0])

    def test_axes_are_the_worst_case_of_the_mean(self):
        values, probabilities = axes(50).exact_norm_law(100)
        assert 10 * (probabilities @ values) == pytest.approx(0.99506, abs=1e-5)
        assert axes(50).variance == 1.0
        assert axes(50).exact_norm_squared == 0

    def test_point_mass_never_deviates(self):
        drawn = point_mass().deviations(10, size=5, rng=np.random.default_rng(1))
        assert drawn.tolist() == [0.0] * 5
        assert point_mass().radius == 0.0
        assert point_mass().exact_norm_law(10)[0].tolist() == [0.0]

    def test_circle_is_isotropic(self):
        population = circle(100)
        assert population.top_eigenvalue == pytest.approx(0.5, rel=1e-12)
        assert population.variance == pytest.approx(1.0)

    def test_oblique_pair_improves_under_contamination(self):
        clean = oblique_pair()
        assert clean.risk(clean.exact_scores) == Fraction(1, 10)
        second = clean.reweighted([0, 1])
        assert clean.distance(second) == pytest.approx(0.135 / 0.1, rel=1e-12)
        mixed = clean.contaminated(second, Fraction(1, 10))
        assert [str(s) for s in mixed.exact_scores[:2]] == [
            str(Fraction(78625, 100000)), str(Fraction(8875, 100000))
        ]
        assert clean.risk(mixed.exact_scores[:2]) == 0

    def test_long_servedio(self):
        clean = long_servedio(30)
        noisy = clean.with_label_noise(Fraction(3, 20))
        assert [str(s) for s in clean.exact_scores] == ["8", "9", "495/2"]
        assert noisy.risk(noisy.decision([1, 0])) == Fraction(3, 20)
        # The hinge minimiser under this noise, and its risk as a fraction.
        weight = [Fraction(1, 30), Fraction(29, 90)]
        risk = noisy.risk(noisy.decision(weight), Hinge())
        assert float(risk) == pytest.approx(0.7511111, abs=1e-7)
        assert isinstance(risk, Fraction)
        assert clean.risk(clean.decision(weight)) == HALF

    def test_two_axes(self):
        population = two_axes(Fraction(3, 4), Fraction(1))
        assert population.exact_norm_squared == (QUARTER + 1) / 4
        assert population.eta.tolist() == [0.75, 0.75, 1.0, 1.0]

    def test_independent_signs_have_fair_coordinates(self):
        population = independent_signs(3)
        assert population.norm == pytest.approx(0, abs=1e-15)
        assert population.top_eigenvalue == pytest.approx(1 / 3)


class TestOperations:
    """New populations from old ones."""

    def test_label_noise_doubles_the_atoms(self):
        clean = scattered()
        noisy = clean.with_label_noise(0.2)
        assert noisy.atoms == 2 * clean.atoms
        np.testing.assert_allclose(noisy.weights[: clean.atoms], 0.8 * clean.weights)
        np.testing.assert_array_equal(noisy.labels[clean.atoms :], -clean.labels)

    def test_class_conditional_noise(self):
        noisy = axis(Fraction(3, 5)).with_label_noise((Fraction(1, 10), Fraction(3, 10)))
        # 3/5 * 7/10 + 2/5 * 1/10 = 23/50
        assert set(noisy.exact_eta) == {Fraction(23, 50)}

    def test_instance_noise(self):
        noisy = orthonormal(2).with_flip_rates([0.25, 0.0])
        assert noisy.atoms == 3
        assert noisy.eta.tolist() == [0.75, 1.0, 0.75]

    @given(sigma=st.fractions(0, 1))
    def test_contamination_identities(self, sigma):
        first, second = axis(Fraction(4, 5)), axis(Fraction(1, 10))
        mixed = first.contaminated(second, sigma)
        score = (1 - sigma) * Fraction(3, 5) - sigma * Fraction(4, 5)
        assert set(mixed.exact_scores) == {score}
        assert first.distance(mixed) == pytest.approx(
            float(sigma) * first.distance(second), abs=1e-12
        )

    def test_contamination_joins_coinciding_instances(self):
        clean = scattered()
        mixed = clean.contaminated(clean.flipped(), 0.3)
        noisy = clean.with_label_noise(0.3)
        assert mixed.norm == pytest.approx(noisy.norm, rel=1e-12)
        assert mixed.digest() != noisy.digest()

    def test_contamination_needs_a_common_space(self):
        with pytest.raises(ValueError, match="same kernel and dimension"):
            assert axis().contaminated(scattered(), 0.1).norm
        with pytest.raises(ValueError, match="Gram matrices differ"):
            assert oblique_pair().contaminated(oblique_pair(cosine=0.5), 0.1).norm
        with pytest.raises(ValueError, match="must be a Finite"):
            axis().contaminated(two_gaussians(), 0.1)

    def test_distance_is_that_of_weighted_samples(self):
        first, second = scattered(), scattered(9, seed=4)
        expected = rkhs_distance(
            Gaussian(0.8),
            first.points,
            first.weights * first.labels,
            second.points,
            second.weights * second.labels,
        )
        assert first.distance(second) == pytest.approx(expected, rel=1e-10)

    def test_resampling_is_an_exact_empirical_population(self):
        clean = scattered()
        sample = clean.resampled(20, rng=np.random.default_rng(2))
        counts = [weight * 20 for weight in sample.exact_weights]
        assert sum(counts) == 20
        assert all(count.denominator == 1 for count in counts)
        assert pickle.loads(pickle.dumps(sample)) == sample
        # Its mean is the sample's mean, so that the distance is a deviation.
        difference = sample.weights - clean.weights
        expected = math.sqrt(difference @ clean.gram @ difference)
        assert clean.distance(sample) == pytest.approx(expected, rel=1e-10)

    def test_atoms_without_weight_do_not_count(self):
        clean = long_servedio(30).reweighted([HALF, HALF, 0])
        assert clean.feature_bound == pytest.approx(math.sqrt(10))
        assert clean.diameter == 4.0
        assert math.isnan(clean.eta[2])
        assert clean.top_eigenvalue == pytest.approx(4.0)
        drawn = clean.deviations(1, size=50, rng=np.random.default_rng(1))
        assert drawn.tolist() == pytest.approx([2.0] * 50)

    def test_equal_atoms_are_one(self):
        doubled = Finite("doubled", [[1, 0], [1, 0], [0, 1]], [1, 1, 1])
        assert doubled.instances.tolist() == [0, 0, 1]
        values, _ = doubled.exact_norm_law(2)
        assert len(values) == 3
        given_gram = Finite.from_gram("doubled", [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
        np.testing.assert_array_equal(given_gram.exact_norm_law(2)[0], values)

    def test_operations_share_one_gram_matrix(self):
        clean = scattered()
        noisy = clean.with_label_noise(0.1).with_label_noise(0.2)
        assert noisy._table.space is clean._table.space
        assert noisy.norm == pytest.approx(0.8 * 0.6 * clean.norm, rel=1e-12)


class TestRisk:
    """Exact expectations of losses."""

    def test_zero_scores(self):
        population = axis(Fraction(9, 10))
        assert population.risk([0, 0]) == 1
        assert population.risk([0, 0], zero="half") == HALF
        assert population.risk([1, 1]) == Fraction(1, 10)

    def test_exact_only_where_it_is(self):
        population = axis(Fraction(9, 10))
        assert isinstance(population.risk([HALF, HALF], LinearLoss()), Fraction)
        assert population.risk([HALF, HALF], LinearLoss()) == 1 - HALF * Fraction(4, 5)
        assert isinstance(population.risk([0.5, 0.5], LinearLoss()), float)
        assert isinstance(population.risk([0.5, 0.5], Margin(0.5)), Fraction)
        assert isinstance(population.risk([1, 1], Logistic()), float)
        assert isinstance(axis(0.9).risk([1, 1]), float)

    def test_linear_risk_of_the_normalised_mean(self):
        population = scattered()
        scores = population.scores / population.norm
        assert population.risk(scores, LinearLoss()) == pytest.approx(1 - population.norm)

    def test_bad_scores_are_refused(self):
        with pytest.raises(ValueError, match=r"scores must have shape \(2,\), got \(3,\)"):
            axis().risk([1, 1, 1])
        with pytest.raises(ValueError, match="got NaN"):
            axis().risk([math.nan, 1.0])
        with pytest.raises(ValueError, match="got NaN"):
            axis().risk(np.array([Fraction(1), math.nan], dtype=object))
        with pytest.raises(ValueError, match="zero must be 'both' or 'half'"):
            axis().risk([1, 1], zero="none")

    def test_decision_needs_the_linear_kernel(self):
        with pytest.raises(ValueError, match="linear kernel"):
            scattered().decision([1.0, 0.0])
        with pytest.raises(ValueError, match=r"weight_vector must have shape \(2,\)"):
            long_servedio().decision([1, 0, 0])


class TestRefusals:
    """Bad input raises, and the message names it."""

    @pytest.mark.parametrize(
        ("build", "message"),
        [
            (lambda: axis(1.5), r"p must be a number in \[0, 1\], got 1.5"),
            (lambda: axis(math.nan), r"p must be a number in \[0, 1\], got nan"),
            (lambda: axes(0), "count must be a whole number >= 1, got 0"),
            (lambda: axes(2.0), "count must be a whole number >= 1, got 2.0"),
            (lambda: circle(2), "count must be a whole number >= 3, got 2"),
            (lambda: independent_signs(20), r"in \[1, 12\], got 20"),
            (lambda: oblique_pair(cosine=2), r"cosine must be a number in \[-1, 1\]"),
            (lambda: long_servedio(-1), "R must be a finite number > 0, got -1"),
            (lambda: digits(3, 3), "two different digits"),
            (lambda: digits(3, 12), "b must be a digit from 0 to 9, got 12"),
            (lambda: mnist(size=0), "size must be a whole number >= 1"),
            (lambda: Finite("", [[1]], [1]), "name must be a non-empty string"),
            (lambda: Finite("a", [1, 2], [1, 1]), "points must have shape"),
            (lambda: Finite("a", np.empty((0, 2)), []), "at least one instance"),
            (lambda: Finite("a", [[math.nan]], [1]), "points must be finite"),
            (lambda: Finite("a", [[1]], [2]), "labels must be -1 or 1, got 2"),
            (lambda: Finite("a", [[1]], [1, 1]), r"labels must have shape \(1,\)"),
            (lambda: Finite("a", [[1]]), "labels must be given"),
            (lambda: Finite("a", [[1]], [1], [0.5]), "weights must sum to 1, got 0.5"),
            (lambda: Finite("a", [[1], [2]], [1, 1], [1.5, -0.5]), "weights must be >= 0"),
            (lambda: Finite("a", [[1]], [1], [math.nan]), "weights must be finite"),
            (lambda: Finite("a", [[1]], [1], kernel="linear"), "kernel must be a Kernel"),
            (lambda: Finite("a", lambda: None, [1]), "labels must be missing"),
            (lambda: Finite.from_gram("a", [[1, 2]]), "square matrix"),
            (lambda: Finite.from_gram("a", [[1, 2], [0, 1]]), "gram must be symmetric"),
            (lambda: Finite.from_gram("a", [[1.0, 0.5], [0.4, 1.0]]), "gram must be symmetric"),
            (lambda: Finite.from_gram("a", [[1, 2], [2, 1]]).norm, "positive semi-definite"),
            (lambda: Finite.from_gram("a", [[0, 1], [1, 0]]).norm, "positive semi-definite"),
            (lambda: Finite.from_gram("a", [[1, 0], [0, -1]]).norm, "positive semi-definite"),
            (lambda: axis().with_label_noise(0.5), r"sigma must be a number in \[0, 0.5\)"),
            (lambda: axis().with_label_noise((0.5, 0.6)), "sigma_minus . sigma_plus must be below"),
            (lambda: axis().with_flip_rates([0.1]), r"rates must have shape \(2,\)"),
            (lambda: axis().contaminated(axis(), -0.1), r"sigma must be a number in \[0, 1\]"),
            (lambda: axis().deviations(0, size=1, rng=None), "n must be a whole number"),
            (lambda: axis().deviations(1, size=1.5, rng=None), "size must be a whole number"),
            (lambda: axis().exact_norm_law(True), "n must be a whole number"),
            (lambda: oblique_pair().sample(3, rng=None), "has no points"),
        ],
    )
    def test_message(self, build, message):
        with pytest.raises(ValueError, match=message):
            build()

    def test_any_rate_on_request(self):
        assert axis(1).with_label_noise(1, any_rate=True).norm == 1.0
        assert axis(1).with_label_noise(HALF, any_rate=True).norm == 0.0


class TestLargeQuadraticForm:
    """The factor, the counts and the chunks of problems that use all of them."""

    def population(self, dimension):
        rng = np.random.default_rng(5)
        points = rng.normal(size=(300, dimension))
        labels = np.where(points[:, 0] > 0, 1, -1)
        weights = rng.dirichlet(np.full(300, 5.0))
        return Finite("large", points, labels, weights, Gaussian(math.sqrt(dimension)))

    @pytest.mark.parametrize("dimension", [1, 40])
    @pytest.mark.parametrize("noise", [0, 0.3])
    def test_norms_are_the_quadratic_form(self, dimension, noise):
        population = self.population(dimension).with_label_noise(noise)
        form = population._form
        assert (len(form._top) < 300) == (dimension == 1)
        weights = form._weights[:, None]
        counts = np.random.default_rng(1).multinomial(500, form._weights, size=7).T
        difference = counts / 500 - weights
        # The same through the Gram matrix of cells: in the form's order by instance, then label.
        first = form._used[np.argsort(form._place)]
        instance = np.concatenate([first, first[form._second]])
        sign = {}
        cells = population._cells
        for index, label, weight in zip(cells.index, cells.labels, cells.weights, strict=True):
            sign[index, weight] = label
        signs = np.array([sign[key] for key in zip(instance, form._weights, strict=True)])
        gram = population._space_gram[np.ix_(instance, instance)] * np.outer(signs, signs)
        expected = np.sqrt(np.einsum("ib,ij,jb->b", difference, gram, difference))
        np.testing.assert_allclose(form._norms(difference.copy(order="C")), expected, rtol=1e-10)

    @pytest.mark.parametrize("dimension", [1, 40])
    def test_moments(self, dimension):
        population, n, size = self.population(dimension).with_label_noise(0.1), 2000, 10_000
        drawn = n * population.deviations(n, size=size, rng=np.random.default_rng(2)) ** 2
        # Var(n L^2) is near 2 tr C^2 and its tail lighter than exponential of the top eigenvalue.
        z = special.ndtri(1 - FALSE_ALARM / 2)
        assert abs(drawn.mean() - population.variance) < z * drawn.std() / math.sqrt(size)

    def test_memory_does_not_grow_with_replicates(self):
        import tracemalloc

        population = self.population(40)
        population.deviations(1000, size=1, rng=np.random.default_rng(1))
        peaks = []
        for size in (8_000, 32_000):
            tracemalloc.start()
            population.deviations(1000, size=size, rng=np.random.default_rng(1))
            peaks.append(tracemalloc.get_traced_memory()[1] - 8 * size)
            tracemalloc.stop()
        assert peaks[1] < 1.1 * peaks[0]

    def test_counts(self):
        population = self.population(2)
        counts = population.counts(5000, size=1500, rng=np.random.default_rng(1))
        assert counts.shape == (1500, 300)
        assert counts.dtype == np.int64
        assert (counts.sum(axis=1) == 5000).all()
        z = (counts.mean(axis=0) - 5000 * population.weights) / np.sqrt(
            5000 * population.weights * (1 - population.weights) / 1500
        )
        assert np.abs(z).max() < special.ndtri(1 - FALSE_ALARM / 600)

    def test_law_is_none_where_it_cannot_be_listed(self):
        assert self.population(2).exact_norm_law(100) is None
        assert axes(50).exact_norm_law(2000) is None
        assert axes(50).with_label_noise(0.1).exact_norm_law(100) is not None

    @pytest.mark.parametrize(
        ("population", "n"), [(axes(3), 6), (orthonormal(5), 7), (orthonormal(4), 12), (axes(2), 9)]
    )
    def test_law_by_generating_function_is_the_enumeration(self, population, n, monkeypatch):
        values, probabilities = population.exact_norm_law(n)
        monkeypatch.setattr(finite, "ENUMERABLE", 1)
        transformed = population.exact_norm_law(n)
        np.testing.assert_allclose(transformed[0], values, atol=1e-14)
        np.testing.assert_allclose(transformed[1], probabilities, atol=1e-14)


class TestSamples:
    """Points and labels drawn from atoms."""

    def test_sample_is_of_the_atoms(self):
        population = scattered()
        points, labels = population.sample(2000, rng=np.random.default_rng(1))
        assert points.shape == (2000, 2)
        atoms = {(*point, label) for point, label in
                 zip(population.points.tolist(), population.labels.tolist(), strict=True)
                 for point in [tuple(point)]}
        drawn = {(*point, label) for point, label in
                 zip(map(tuple, points.tolist()), labels.tolist(), strict=True)}
        assert drawn <= atoms

    def test_exact_points_are_drawn_as_floats(self):
        points, labels = long_servedio(30).sample(5, rng=np.random.default_rng(1))
        assert points.dtype == np.float64
        assert labels.tolist() == [1] * 5

    def test_draw_has_the_weights(self):
        drawn = axis(Fraction(9, 10)).draw(10_000, rng=np.random.default_rng(1))
        count = int((drawn == 0).sum())
        assert stats.binomtest(count, 10_000, 0.9).pvalue > FALSE_ALARM


class TestData:
    """Bundled and external images."""

    def test_digits_load_when_asked(self, monkeypatch):
        population = digits(3, 8)
        again = digits(3, 8)
        assert population == again
        assert "table" not in population.recipe.__dict__
        assert population.atoms == 357
        assert population.points.min() == 0.0
        assert population.points.max() == 1.0
        assert (population.labels == -1).sum() == 183
        assert population.norm == pytest.approx(0.208253, abs=1e-6)
        assert "table" not in pickle.loads(pickle.dumps(population)).recipe.__dict__

    def test_mnist_from_a_folder(self, tmp_path, monkeypatch):
        rng = np.random.default_rng(1)
        images = rng.integers(0, 256, size=(40, 28, 28), dtype=np.uint8)
        classes = np.tile([3, 8, 1, 4], 10).astype(np.uint8)
        np.savez(tmp_path / "mnist.npz", x_train=images, y_train=classes)
        monkeypatch.setenv("NOISYTHEORY_DATA", str(tmp_path))
        assert mnist_available()
        population = mnist(3, 8, size=15)
        assert population.atoms == 15
        np.testing.assert_allclose(population.points[1], images[1].ravel() / 255)
        assert population.labels[:2].tolist() == [-1, 1]
        with pytest.raises(ValueError, match="size must be at most 20"):
            assert mnist(3, 8, size=30).atoms

    def test_missing_mnist_says_where_to_put_it(self, tmp_path, monkeypatch):
        def unreachable(*args, **kwargs):
            raise OSError("no network")

        monkeypatch.delenv("NOISYTHEORY_DATA", raising=False)
        monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
        monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)
        assert not mnist_available()
        with pytest.raises(FileNotFoundError, match="NOISYTHEORY_DATA"):
            assert mnist().atoms

    def test_digest_never_loads(self, monkeypatch):
        def fail(self):
            raise AssertionError("loaded")

        monkeypatch.setattr(batteries._Digits, "__call__", fail)
        assert digits(3, 8).digest() != digits(3, 8, 2.0).digest() != digits(1, 7, 2.0).digest()
        assert digits(3, 8).with_label_noise(0.1).name == (
            "digits 3 and 8, bandwidth 1, label noise 0.1"
        )


MIXTURES = [
    two_gaussians(),
    two_gaussians(3.0, spread=0.5, bandwidth=0.7),
    two_gaussians(dimension=2),
    two_gaussians(dimension=3),
    GaussianMixture(
        "oblique",
        [0.2, 0.5, 0.3],
        [[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]],
        [[[1.0, 0.6], [0.6, 0.8]], [[0.3, 0.0], [0.0, 2.0]], [[0.5, -0.1], [-0.1, 0.4]]],
        [1, -1, 1],
        Gaussian(0.9),
    ),
]


class TestGaussianMixture:
    """Closed forms against quadrature, samples against plain Gram matrices."""

    def test_norm_and_score_against_quadrature(self):
        mixture = two_gaussians(3.0, spread=0.5, bandwidth=0.7)

        def density(x, label):
            return 0.5 * stats.norm.pdf(x, label * 1.5, 0.5)

        def score(z):
            return integrate.quad(
                lambda x: (density(x, 1) - density(x, -1)) * math.exp(-((x - z) ** 2) / 0.98),
                -8, 8, epsabs=1e-13, points=[-1.5, 1.5],
            )[0]

        for z in (-2.0, 0.3, 1.7):
            assert mixture.score([[z]])[0] == pytest.approx(score(z), abs=1e-11)
        square = integrate.quad(
            lambda z: (density(z, 1) - density(z, -1)) * mixture.score([[z]])[0],
            -8, 8, epsabs=1e-13, points=[-1.5, 1.5],
        )[0]
        assert mixture.norm == pytest.approx(math.sqrt(square), rel=1e-10)
        # Balanced labels: the norm is the maximum mean discrepancy.
        assert mixture.mmd == pytest.approx(mixture.norm, rel=1e-12)

    def test_component_product_against_mpmath(self):
        mixture = MIXTURES[-1]
        first, second = mixture.covariances[0], mixture.covariances[1]
        with mpmath.workdps(30):
            total = mpmath.matrix((first + second + 0.81 * np.eye(2)).tolist())
            delta = mpmath.matrix((mixture.means[0] - mixture.means[1]).tolist())
            exponent = (delta.T * mpmath.inverse(total) * delta)[0] / 2
            expected = mpmath.mpf(0.9) ** 2 / mpmath.sqrt(mpmath.det(total)) * mpmath.exp(-exponent)
        alone = [
            GaussianMixture("one", [1], mixture.means[[c]], mixture.covariances[[c]], [1],
                            mixture.kernel)
            for c in (0, 1)
        ]
        inner = (alone[0].norm**2 + alone[1].norm**2 - alone[0].distance(alone[1]) ** 2) / 2
        assert inner == pytest.approx(float(expected), rel=1e-12)

    @pytest.mark.parametrize("mixture", MIXTURES, ids=lambda m: m.name)
    @pytest.mark.parametrize("n", [3, 40, 600])
    def test_deviations_are_those_of_the_gram_matrix(self, mixture, n):
        size = 4
        drawn = mixture.deviations(n, size=size, rng=np.random.default_rng(8))
        points, labels = mixture._sample((size, n), np.random.default_rng(8))
        for deviation, x, y in zip(drawn, points, labels, strict=True):
            gram = mixture.kernel(x)
            square = mixture.norm**2 - 2 * np.mean(y * mixture.score(x)) + y @ gram @ y / n**2
            assert deviation**2 == pytest.approx(square, abs=1e-13)

    def test_large_samples_go_through_features_alone(self):
        # The Gram matrix of this sample would hold 8e10 numbers.
        mixture = two_gaussians()
        n = 200_000
        drawn = mixture.deviations(n, size=1, rng=np.random.default_rng(1))
        assert 0.01 < n * drawn[0] ** 2 < 20

    @pytest.mark.parametrize("mixture", MIXTURES, ids=lambda m: m.name)
    def test_second_moment(self, mixture):
        size, n = 10_000, 10
        drawn = n * mixture.deviations(n, size=size, rng=np.random.default_rng(9)) ** 2
        z = special.ndtri(1 - FALSE_ALARM / 2)
        assert abs(drawn.mean() - mixture.variance) < z * drawn.std() / math.sqrt(size)

    @pytest.mark.parametrize("mixture", MIXTURES, ids=lambda m: m.name)
    def test_sample_moments(self, mixture):
        n = 20_000
        points, labels = mixture.sample(n, rng=np.random.default_rng(10))
        z = special.ndtri(1 - FALSE_ALARM / 20)
        expected = mixture.weights @ mixture.means
        assert (np.abs(points.mean(axis=0) - expected) < z * points.std(axis=0) / n**0.5).all()
        positive = mixture.weights[mixture.labels == 1].sum()
        assert abs((labels == 1).mean() - positive) < z * 0.5 / n**0.5

    def test_top_eigenvalue(self):
        # The operator of a standard normal under bandwidth 1 has the eigenvalues
        # sqrt(2a / A) (b / A)^k, a = 1/4, b = 1/2, c = sqrt(a^2 + 2ab), A = a + b + c
        # (Zhu, Williams, Rohwer and Morciniec 1998); odd functions see no centring, so k = 1 is
        # an eigenvalue of the covariance too.
        one = GaussianMixture("standard normal", [1], [[0.0]], 1.0, [1], Gaussian(1.0))
        a, b = 0.25, 0.5
        total = a + b + math.sqrt(a * a + 2 * a * b)
        odd = math.sqrt(2 * a / total) * b / total
        even_top = math.sqrt(2 * a / total)
        assert odd * (1 - 1e-9) <= one.top_eigenvalue <= even_top
        # Balanced labels on one law centre everything: the top is the operator's own.
        both = GaussianMixture("both", [0.5, 0.5], [[0.0], [0.0]], 1.0, [1, -1], Gaussian(1.0))
        assert both.top_eigenvalue == pytest.approx(even_top, rel=1e-9)

    def test_label_noise_and_contamination(self):
        clean = two_gaussians()
        noisy = clean.with_label_noise(0.2)
        assert noisy.norm == pytest.approx(0.6 * clean.norm, rel=1e-12)
        assert noisy.eta([[0.4]])[0] == pytest.approx(0.2 + 0.6 * clean.eta([[0.4]])[0])
        mixed = clean.contaminated(clean.flipped(), 0.2)
        assert mixed.norm == pytest.approx(noisy.norm, rel=1e-12)
        assert clean.distance(mixed) == pytest.approx(0.4 * clean.norm, rel=1e-9)
        pair = clean.with_label_noise((0.1, 0.3))
        x = [[0.4]]
        eta = clean.eta(x)[0]
        assert pair.eta(x)[0] == pytest.approx(0.7 * eta + 0.1 * (1 - eta))

    def test_properties(self):
        mixture = two_gaussians()
        assert mixture.power == 1.0
        assert mixture.feature_bound == 1.0
        assert mixture.diameter == 2.0
        assert mixture.radius == 1 + mixture.norm
        assert mixture.variance == pytest.approx(1 - mixture.norm**2)
        one = GaussianMixture("one", [1], [[0.0]], 1.0, [1], Gaussian(1.0))
        assert one.diameter == math.sqrt(2)
        with pytest.raises(ValueError, match="needs both labels"):
            assert one.mmd

    @pytest.mark.parametrize("mixture", MIXTURES, ids=lambda m: m.name)
    def test_identity(self, mixture):
        again = pickle.loads(pickle.dumps(mixture))
        assert again == mixture
        assert hash(again) == hash(mixture)
        assert mixture.flipped() != mixture
        assert again != axis()
        with pytest.raises(AttributeError, match="frozen"):
            mixture.means = 0

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"kernel": Linear()}, "kernel must be Gaussian"),
            ({"weights": [0.5, 0.6]}, "weights must sum to 1"),
            ({"means": [[0.0], [math.nan]]}, "means must be finite"),
            ({"covariances": -1.0}, "positive definite"),
            ({"covariances": [1.0, 2.0, 3.0]}, "covariances must be one number"),
            ({"covariances": math.inf}, "covariances must be finite"),
            ({"labels": [0, 1]}, "labels must be -1 or 1"),
        ],
    )
    def test_bad_input(self, changes, message):
        given_ = {
            "weights": [0.5, 0.5], "means": [[0.0], [1.0]], "covariances": 1.0,
            "labels": [1, -1], "kernel": Gaussian(1.0), **changes,
        }
        with pytest.raises(ValueError, match=message):
            GaussianMixture("bad", **given_)

    def test_bad_arguments(self):
        mixture = two_gaussians()
        with pytest.raises(ValueError, match="x must have 1 columns, got 2"):
            mixture.score([[0.0, 0.0]])
        with pytest.raises(ValueError, match="differ in kernel or dimension"):
            mixture.distance(two_gaussians(dimension=2))
        with pytest.raises(ValueError, match="must be a GaussianMixture"):
            mixture.contaminated(axis(), 0.1)
        with pytest.raises(ValueError, match="at most 2 dimensions"):
            assert two_gaussians(dimension=3).top_eigenvalue
        with pytest.raises(ValueError, match="distance must be"):
            two_gaussians(-1.0)
        with pytest.raises(ValueError, match="spread must be"):
            two_gaussians(spread=0)


def test_zero_one_loss_object_matches_the_default():
    population = axis(Fraction(1, 3))
    assert population.risk([0, 1], ZeroOne("half")) == population.risk([0, 1], zero="half")


def test_lazy_points_from_an_importable_function():
    population = Finite("lazy", _loaded, kernel=Linear())
    assert population.atoms == 2
    assert population.norm == math.sqrt(0.5)
    assert pickle.loads(pickle.dumps(population)) == population


def _loaded():
    return [[1, 0], [0, 1]], [1, 1]
