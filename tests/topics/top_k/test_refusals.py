"""Wrong values without a word, as they once came."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.learners.average_top_k import (
    AverageTopKClassifier,
    AverageTopKSVC,
    ZeroClassifier,
)
from noisytheory.topics import top_k
from noisytheory.topics.top_k.tables import sides

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, 1.0, -1.0)
GRAM = X @ X.T
RNG = np.random.default_rng(0)
STEPS = dict(nu=0.5, C=1.0, steps=10, rng=RNG)
HALF = [0.5, 0.5]
ETA = [0.9, 0.2]


@pytest.mark.parametrize(("call", "told"), [
    (lambda: top_k.population_minimiser(HALF, ETA, 0.5, "square"), "one of the margin"),
    (lambda: top_k.population_minimiser(HALF, ETA, 0.5, 0.3), "loss must be one of the margin"),
    (lambda: top_k.population_minimiser(HALF, ETA, "logistic", 0.5), "nu must be"),
    (lambda: top_k.optimal_risk(HALF, ETA, "absolute"), "loss must be one of the margin"),
    (lambda: top_k.data_margin(10**4, 0.05, 0.4, 1.0, 1.0, 2.0, 0.2), "norm must be at most"),
    (lambda: top_k.thomas_upper([5.0] * 100, 0.05, 0.5, 1.0), r"must lie in \[0, 1\].*got 5"),
    (lambda: top_k.thomas_upper([0.5, -0.1], 0.05, 0.5, 1.0), r"losses must lie.*got -0.1"),
    (lambda: top_k.thomas_upper([0.5, np.nan], 0.05, 0.5, 1.0), "losses must be finite"),
    (lambda: top_k.thomas_upper([], 0.05, 0.5, 1.0), "at least one"),
    (lambda: top_k.effective_C(1, 3, -1.0), "C must be"),
    (lambda: top_k.theorem_2_printed(1000, 0.05, 1.1, 0.01, 1.0, 1.0, 0.0), "mu must be"),
    (lambda: top_k.ranked_range([1, 2, 3], 0.5, 1.5), "m must be a whole number"),
    (lambda: top_k.ranked_range([1, 2, 3], "a", 2), "m must be"),
    (lambda: top_k.variational([1.0, 2.0], 1, np.nan), "threshold must be"),
    (lambda: top_k.fit(X, Y, intercept="no"), "intercept must be True or False, got 'no'"),
    (lambda: top_k.path(X, Y, intercept="no"), "intercept must be True or False"),
    (lambda: top_k.path(X, Y, ks=5), "ks must be a list"),
    (lambda: top_k.path(X, Y, test=(X[:, :2], Y)), "test must hold points of 3 features"),
    (lambda: top_k.select(X, Y, validation=(X, Y), Cs=5, ks=[20]), "Cs must be a list"),
    (lambda: top_k.select(X, Y, validation=(X, Y), Cs=[1.0], ks=20), "ks must be a list"),
    (lambda: top_k.select(X, Y, "hinge", validation=(X[:, :2], Y), Cs=[1.0], ks=[20]),
     "validation must hold points of 3 features, as X, got 2"),
    (lambda: top_k.kernel_select(GRAM, Y, validation=(GRAM[:, :9], Y), Cs=[1.0], ks=[20]),
     "validation must hold points of 40 features"),
    (lambda: top_k.useful_grid(X, Y, -1), "size must be a whole number >= 1"),
    (lambda: AverageTopKSVC(["hinge"]).fit(X, Y), "kernel must be one of"),
    (lambda: top_k.stochastic(X, Y, **STEPS | {"runs": 0}), "runs must be"),
    (lambda: top_k.stochastic(X, Y, **STEPS | {"steps": 2.5}), "steps must be"),
    (lambda: top_k.stochastic(X, Y, **STEPS | {"rng": 3}), "rng must be"),
    (lambda: top_k.stochastic(X, Y, **STEPS | {"nu": [0.5, 0.2]}), "nu must be one number, or one"),
    (lambda: top_k.stochastic(X, Y, **STEPS, level=-1.0), "level must be"),
    (lambda: top_k.stochastic(X, Y, **STEPS, level=np.nan), "level must be"),
    (lambda: top_k.first_useful_n(top_k.theorem_2_printed, trivial=1.0, delta=0.1, mus=[], C=1.0,
                                  kappa=1.0, norm=1.0, approximation=0.0), "mus must hold"),
    (lambda: top_k.first_useful_n(top_k.theorem_2_sharp, trivial=1.0, delta=0.1, risk=1.0, C=1.0,
                                  kappa=1.0, norm=1.0, approximation=0.0), "risk must be below 1"),
    (lambda: top_k.average_top_k([1.0, -2e300], 2), r"losses must lie within \+-1e\+300.*got -2e"),
])
def test_nonsense_is_refused(call, told):
    with pytest.raises(ValueError, match=told):
        call()


@pytest.mark.parametrize("intercept", [False, True])
def test_one_class_is_refused_by_its_labels_and_by_its_weights(intercept):
    one, few = np.ones(40), (Y > 0) * 1.0
    free = dict(intercept=intercept)
    told = "y must hold both classes"
    for call in (
        lambda: top_k.fit(X, one, **free),
        lambda: top_k.fit(X, Y, "hinge", k=0.5, sample_weight=few, **free),
        lambda: top_k.path(X, Y, sample_weight=few, **free),
        lambda: top_k.select(X, Y, validation=(X, Y), Cs=[1.0], ks=[0.5], sample_weight=few,
                             **free),
        lambda: top_k.useful_grid(X, Y, sample_weight=few, **free),
        lambda: top_k.collapse_threshold(X, one, **free),
        lambda: top_k.collapse_threshold(X, Y, sample_weight=few, **free),
        lambda: top_k.first_useful_k(X, one, **free),
        lambda: top_k.stochastic(X, one, **STEPS),
    ):
        with pytest.raises(ValueError, match=told):
            call()
    # One example of the other class is enough.
    assert top_k.fit(X, Y, k=0.5, sample_weight=np.maximum(few, np.roll(Y, 1) == Y), **free)


def test_where_no_k_is_useful_none_is_named():
    with pytest.warns(ZeroClassifier, match="no linear score is better than none; nor is at any k"):
        AverageTopKClassifier().fit(0 * X, np.repeat([1, -1], 20))


def test_a_trained_machine_on_its_edge_is_not_refused():
    assert top_k.data_margin(10**4, 0.05, 0.4, 1.0, 1.0, np.sqrt(0.08), 0.2) > 0


def test_a_fraction_of_an_example_counts_among_a_million():
    losses = np.zeros(10**6)
    losses[0] = 1.0
    share = 1e-6 + 9e-10
    assert top_k.average_top_k(losses, share) == pytest.approx(1e-6 / share, rel=1e-12)
    assert top_k.average_top_k(losses, share, np.ones(10**6)) == pytest.approx(
        1e-6 / share, rel=1e-12)
    # The largest loss and a part of the next: the level is the next.
    for weight in (None, np.ones(10**6)):
        assert [float(end) for end in top_k.level(losses, share, weight)] == [0.0, 0.0]
        assert float(top_k.top_k_loss(losses, share, weight)) == 0.0
        assert [float(end) for end in top_k.level(losses, 1, weight)] == [0.0, 1.0]


@pytest.mark.parametrize("n", [3, 7, 10, 49, 1000])
def test_levels_of_every_count_and_of_the_same_fraction(n):
    losses = np.random.default_rng(n).permutation(n).astype(float)
    for k in range(1, n + 1):
        ends = [n - k - 1.0 if k < n else -np.inf, n - k]
        for share in (k, k / n):
            for weight in (None, np.full(n, 0.1) if share != k else np.ones(n)):
                assert [float(end) for end in top_k.level(losses, share, weight)] == ends
                assert float(top_k.top_k_loss(losses, share, weight)) == n - k


def test_a_tail_smaller_than_every_weight_has_the_largest_loss():
    assert float(top_k.top_k_loss([5.0, 1.0], 1e-15, [1e-14, 1])) == 5.0


@pytest.mark.parametrize("risk", [0.0, 0.3, 0.9])
def test_the_first_useful_n_with_any_risk(risk):
    given = dict(delta=0.05, C=0.01, kappa=1.0, norm=1.0, approximation=0.0, risk=risk)
    found = top_k.first_useful_n(top_k.theorem_2_sharp, trivial=0.8, **given)
    mus = np.linspace(0.01, 1 - risk, 200)
    assert top_k.theorem_2_sharp(n=found, mu=mus, **given).min() < 0.82
    assert top_k.theorem_2_sharp(n=int(found / 1.2), mu=mus, **given).min() > 0.78


def test_table_2_is_read_with_its_average():
    both = list(sides.compared("table 2", "AT_k", "average <= maximum", "Sinc"))
    assert [(one.lhs, one.rhs) for one in both] == [
        (1139, 1147), (1147, 2790), (1161, 1188), (1188, 1916)]


@pytest.mark.parametrize("C", [5e-324, 1e-310, 1e-301])
def test_C_whose_reciprocal_overflows_is_refused(C):
    X, y = np.array([[1.0], [2.0], [-1.0]]), [1, 1, -1]
    with pytest.raises(ValueError, match="C must be at least 1e-300"):
        top_k.fit(X, y, C=C)
