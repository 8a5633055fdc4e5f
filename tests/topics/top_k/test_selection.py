"""The choice of (C, k): what is chosen is best by its own error, from fewer fits than there are,
and where it lies at an end of the values of C it is told.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles

from noisytheory.learners import AverageTopKSVC
from noisytheory.learners import average_top_k as learners
from noisytheory.topics.top_k import (
    collapse_threshold,
    first_useful_k,
    fit,
    kernel_select,
    select,
    selection,
    useful_grid,
)
from noisytheory.topics.top_k.selection import EndOfGrid


def problem(seed, n=120):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x, np.where(x[:, 0] + 0.8 * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "hinge"])
def test_the_error_is_that_of_the_chosen_model_and_about_the_least(loss, seed):
    x, y = problem(seed)
    points, answers = problem(seed + 100, 400)
    Cs, ks = (10.0 ** np.arange(-3, 4)).tolist(), useful_grid(x, y, 12)
    found = select(x, y, loss, validation=(points, answers), Cs=Cs, ks=ks)

    def error(model):
        return float(np.mean(np.where(model.scores(points) >= 0, 1.0, -1.0) != answers))

    assert found.error == error(found.solution) == found.errors.min()
    row, column = Cs.index(found.C), ks.index(found.k)
    assert found.error == found.errors[row, column]
    assert found.coefs[row, column] == pytest.approx(found.solution.coef)
    # The price of mixtures: what was not solved may be better by some of 400 points.
    every = [error(fit(x, y, loss, k=k, C=C)) for C in Cs for k in ks]
    assert found.error <= min(every) + 0.01
    assert found.fits < 0.85 * len(Cs) * len(ks)


def line(scale, seed=0, n=60):
    """A line and much beside it; the best C grows as features shrink."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return scale * x, x @ [1.0, -2.0, 0.5] + 2 * rng.normal(size=n)


@pytest.mark.filterwarnings("ignore::noisytheory.topics.top_k.selection.EndOfGrid")
@pytest.mark.parametrize("seed", [0, 8, 10])
@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_mean_squares_are_about_the_least(loss, seed):
    (x, y), (points, answers) = line(1.0, seed), line(1.0, seed + 1)
    Cs, ks = (10.0 ** np.arange(-3, 4)).tolist(), [1, 10, 20, 30, 45, 60]
    found = select(x, y, loss, validation=(points, answers), Cs=Cs, ks=ks)

    def error(model):
        return float(np.mean((answers - model.scores(points)) ** 2))

    assert found.error == pytest.approx(error(found.solution)) == found.errors.min()
    assert found.error <= 1.05 * min(
        error(fit(x, y, loss, k=k, C=C)) for C in Cs for k in ks)


DEFAULT = 10.0 ** np.arange(-5, 6)


def test_default_values_of_C_are_more_where_the_best_is_beyond():
    (x, y), held = line(1e-3), line(1e-3, 1)
    found = select(x, y, "square", validation=held, ks=[30, 60])
    assert found.C > 1e5 and len(found.Cs) > len(DEFAULT)
    assert np.diff(np.log10(found.Cs)) == pytest.approx(1)
    assert found.errors.shape == (len(found.Cs), 2)
    assert found.coefs.shape == (len(found.Cs), 2, 3)
    least = found.errors.min(axis=1)
    assert found.error == least.min() == least[found.Cs.index(found.C)]
    # Far less than up to where the default ends, and what is beyond was seen.
    assert found.error < 0.7 * least[:len(DEFAULT)].min()
    assert found.Cs[-1] > found.C
    # From below: twenty long features, of which one says a little.
    rng = np.random.default_rng(0)
    z = rng.normal(size=(2, 60, 20))
    y = 0.3 * z[..., 0] + rng.normal(size=(2, 60))
    found = select(1e3 * z[0], y[0], "square", validation=(1e3 * z[1], y[1]), ks=[60])
    assert found.C < 1e-5 and min(found.Cs) < found.C and max(found.Cs) == DEFAULT[-1]


def test_values_of_C_beyond_the_default_are_few():
    (x, y), held = line(1e-5), line(1e-5, 1)
    with pytest.warns(EndOfGrid, match="at an end"):
        found = select(x, y, "square", validation=held, ks=[60])
    assert found.Cs[-1] == found.C and found.Cs == pytest.approx(10.0 ** np.arange(-5, 11))


def test_losses_that_overflow_beyond_end_the_search(monkeypatch):
    whole = selection.path

    def path(*given, C, **named):
        if C > 2e5:
            raise ValueError("losses overflow")
        return whole(*given, C=C, **named)

    monkeypatch.setattr(selection, "path", path)
    (x, y), held = line(1e-3), line(1e-3, 1)
    with pytest.warns(EndOfGrid, match="least at C=100000"):
        assert select(x, y, "square", validation=held, ks=[60]).Cs == pytest.approx(DEFAULT)


def test_values_of_C_that_are_given_stay_and_an_end_is_told():
    (x, y), held = line(1.0), line(1.0, 1)
    for Cs in ([1e-4, 1e-3, 1e-2], [1e-2, 1e-3, 1e-4], [1e-2, 1e-4, 1e-3]):
        with pytest.warns(EndOfGrid, match="least at C=0.01"):
            found = select(x, y, "square", validation=held, Cs=Cs, ks=[60])
        assert found.Cs == Cs and found.C == 1e-2 and Cs[found.errors.argmin()] == 1e-2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Of two there is nothing inside; nor is an end told that is as good as what is.
        select(x, y, "square", validation=held, Cs=[1e-3, 1e-2], ks=[60])
        signs = np.where(x[:, 0] > 0, 1.0, -1.0)
        tied = select(x[:, :1], signs, validation=(x[:, :1], signs), Cs=[0.1, 1.0, 10.0], ks=[60])
    assert (tied.error, tied.C) == (0, 0.1)


def test_kernel_machines_and_learners_do_the_same():
    (x, y), (points, answers) = line(1e-3), line(1e-3, 1)
    found = kernel_select(x @ x.T, y, validation=(points @ x.T, answers), ks=[60],
                          regression=True)
    default = 60 * 10.0 ** np.arange(-3, 4)
    assert default[-1] < found.C and found.Cs[:7] == pytest.approx(default)
    with pytest.warns(EndOfGrid):
        kernel_select(x @ x.T, y, validation=(points @ x.T, answers), ks=[60], Cs=default.tolist(),
                      regression=True)
    given = dict(ks=[60])
    for learner in (learners.AverageTopKSVR("linear"),
                    learners.AverageTopKRegressor("absolute", fit_intercept=False)):
        chosen = learner.select(x, y, (points, answers), **given)
        assert chosen.C == learner.C > (default[-1] if hasattr(learner, "kernel") else DEFAULT[-1])
        with pytest.warns(EndOfGrid):
            learner.select(x, y, (points, answers), Cs=[0.1, 1.0, 10.0], **given)
    signs, labels = np.where(y > 0, 1, -1), np.where(answers > 0, 1, -1)
    for one in (learners.AverageTopKClassifier(), learners.AverageTopKSVC("linear")):
        chosen = one.select(x, signs, (points, labels))
        assert len(chosen.Cs) == len(chosen.errors) >= 7 and one.C == chosen.C


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("size", [1e-2, 1e-4])
def test_the_hinge_chooses_as_well_of_small_features(size, intercept):
    """Machines in proportion to C were taken from the least C, where they are rounding: of features
    of a thousandth the error of irises was .15 in place of .075.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3))
    y = np.where(x[:, 0] + rng.normal(size=120) > 0, 1.0, -1.0)
    given = dict(intercept=intercept, ks=[30, 45, 50, 55, 60])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Cs = 10.0 ** np.arange(-3, 4)
        near, far = (select(by * x[:60], y[:60], "hinge", validation=(by * x[60:], y[60:]),
                            Cs=[*([1e-5] if by < 1 else []), *(Cs / by**2)], **given)
                     for by in (1.0, size))
    assert (near.errors == far.errors[1:]).mean() > 0.8
    assert far.error == near.error
    row, column = far.Cs.index(far.C), given["ks"].index(far.k)
    own = fit(size * x[:60], y[:60], "hinge", k=far.k, C=far.C, intercept=intercept)
    assert np.mean(np.where(own.scores(size * x[60:]) >= 0, 1, -1) != y[60:]) == far.error
    assert far.errors[row, column] == far.error


def test_a_kernel_machine_that_is_chosen_is_what_a_fit_finds():
    """Below the tolerance one was chosen that errs .12, where a fit found zero, and erred .53."""
    x, y = make_circles(400, noise=0.2, factor=0.5, random_state=0)
    x = 0.1 * (x - x.mean(axis=0)) / x.std(axis=0)
    order = np.random.default_rng(1).permutation(400)
    train, test = order[:44], order[44:144]
    model = AverageTopKSVC("gaussian", kernel_params={"bandwidth": 1.0})
    chosen = model.select(x[train], y[train], (x[test], y[test]))
    again = clone(model).fit(x[train], y[train])
    assert model.regime_ == again.regime_ != "zero"
    assert 1 - again.score(x[test], y[test]) == pytest.approx(chosen.error, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_kernel_chooses_zero_as_linear_scores_do(seed):
    """Where it is proven: it had an infinite error, and .55 was chosen beside .05."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 30)), int(rng.integers(1, 4))
    x, points = rng.normal(size=(n, d)).round(1), rng.normal(size=(20, d)).round(1)
    y, answers = (np.where(rng.random(m) < share, 1.0, -1.0) for m, share in ((n, 0.5), (20, 0.9)))
    y[:2] = 1, -1
    given = dict(Cs=[0.1 * n, n, 10.0 * n], ks=sorted({1, max(1, n // 3), n // 2, n}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EndOfGrid)
        found, plain = (model.select(x, y, (points, answers), **given) for model in (
            learners.AverageTopKSVC("linear"),
            learners.AverageTopKClassifier("hinge", fit_intercept=False)))
    assert found.error == plain.error
    # Up to the collapse threshold at every C.
    zero = np.array(given["ks"]) <= collapse_threshold(x, y)
    assert (found.errors[:, zero] == np.mean(answers < 0)).all()


def test_mixtures_of_numbers_are_closer():
    """Chosen by gaps of five hundred times the tolerance it had .916 in place of .840."""
    rng = np.random.default_rng(10_056)
    n, d = int(rng.integers(10, 41)), int(rng.integers(1, 6))
    slopes, x = rng.normal(size=d), rng.normal(size=(n, d))
    y = x @ slopes + rng.standard_t(2, size=n) * rng.choice([0.1, 1])
    points = rng.normal(size=(100, d))
    answers = points @ slopes + rng.standard_t(2, size=100) * 0.5
    Cs, ks = [0.01 * n, 0.1 * n, 1.0 * n, 10.0 * n], np.linspace(1, n, 8).astype(int).tolist()
    found = select(x, y, "square", validation=(points, answers), Cs=Cs, ks=ks)
    assert found.error <= 1.01 * min(
        np.mean((answers - fit(x, y, "square", k=k, C=C).scores(points)) ** 2)
        for C in Cs for k in ks)


@pytest.mark.parametrize("many", [False, True])
def test_the_grid_begins_where_zero_ends(many, monkeypatch):
    """Of nine points on a line it began at 7, where the collapse threshold is 7."""
    rng = np.random.default_rng(0)
    if many:
        # By solutions it may begin a little below.
        monkeypatch.setattr(selection, "ENTRIES", 0)
    for turn in range(60):
        n, intercept = int(rng.integers(3, 25)), bool(turn % 2)
        x = rng.integers(-2, 3, (n, int(rng.integers(1, 4)))).astype(float)
        y = rng.choice([-1.0, 1.0], n)
        y[:2] = 1, -1
        first = min(first_useful_k(x, y, intercept=intercept), n)
        found = useful_grid(x, y, 3, intercept=intercept)
        assert first - 2 * many <= found[0] <= first and found[-1] == n
        if not many:
            # A weight of two is two points.
            twice = rng.integers(1, 3, n)
            more = useful_grid(x, y, 3, intercept=intercept, sample_weight=twice)
            again = useful_grid(np.repeat(x, twice, axis=0), np.repeat(y, twice), 3,
                                intercept=intercept)
            assert np.array(more) * twice.sum() == pytest.approx(again)
            # Weights that sum to 1 are as many examples: there was one k.
            share = np.full(n, 1 / n)
            few = useful_grid(x, y, 3, intercept=intercept, sample_weight=share)
            assert np.array(few) * n == pytest.approx(found)
