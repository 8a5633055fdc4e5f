"""Every parameter of every public function and learner: nonsense is refused by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from noisytheory.learners.average_top_k import (
    AverageTopKClassifier,
    AverageTopKRegressor,
    AverageTopKSVC,
    AverageTopKSVR,
)
from noisytheory.topics import top_k
from noisytheory.topics.top_k.individual import INDIVIDUAL

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
Y = np.where(X[:, 0] + RNG.normal(size=12) > 0, 1.0, -1.0)
GRAM = X @ X.T
WEIGHT = np.ones(12)
LOSSES = np.arange(4.0)

GIVEN: dict[str, dict[str, Any]] = {
    "average_loss": dict(losses=LOSSES),
    "average_top_k": dict(losses=LOSSES, k=2),
    "bayes_risk": dict(masses=[0.5, 0.5], eta=[0.9, 0.2]),
    "calibration_threshold": dict(masses=[0.5, 0.5], eta=[0.9, 0.2]),
    "clipped_logit": dict(eta=[0.9, 0.2], level=0.5),
    "collapse_threshold": dict(X=X, y=Y),
    "conjugate": dict(weights=[0.5, 0.5, 0, 0], k=2),
    "data_margin": dict(n=1000, delta=0.05, nu=0.5, C=1.0, kappa=1.0, norm=0.5, margin=0.5),
    "effective_C": dict(k=3, n=12, C=1.0),
    "expected_top_k_exponential": dict(n=10, k=2),
    "first_useful_k": dict(X=X, y=Y),
    "first_useful_n": dict(bound=top_k.theorem_2_sharp, trivial=0.8, delta=0.05, mus=[0.1], C=0.01,
                           kappa=1.0, norm=1.0, approximation=0.0, risk=0.2),
    "fit": dict(X=X, y=Y, sample_weight=WEIGHT),
    "k_bar": dict(solution=top_k.fit(X, Y, "hinge", k=1.0), n=12),
    "kernel_fit": dict(gram=GRAM, y=Y, nu=0.5, C=1.0, steps=10_000),
    "kernel_path": dict(gram=GRAM, y=Y, ks=[3, 5], C=1.0),
    "kernel_select": dict(gram=GRAM, y=Y, validation=(GRAM, Y), Cs=[1.0], ks=[6]),
    "level": dict(losses=LOSSES, k=2),
    "maximum_loss": dict(losses=LOSSES),
    "optimal_risk": dict(masses=[0.5, 0.5], eta=[0.9, 0.2], loss="hinge"),
    "path": dict(X=X, y=Y, ks=[3, 5]),
    "population_minimiser": dict(masses=[0.5, 0.5], eta=[0.9, 0.2], nu=0.5, loss="hinge"),
    "ranked_range": dict(losses=LOSSES, m=1, k=2),
    "ranked_range_weights": dict(losses=LOSSES, m=1, k=2),
    "select": dict(X=X, y=Y, validation=(X, Y), Cs=[1.0], ks=[6]),
    "spectral": dict(losses=LOSSES, spectrum=[0.5, 0.5, 0, 0]),
    "spectral_conjugate": dict(weights=[0.5, 0.5, 0, 0], spectrum=[0.5, 0.5, 0, 0]),
    "spectral_weights": dict(losses=LOSSES, spectrum=[0.5, 0.5, 0, 0]),
    "stochastic": dict(X=X, y=Y, nu=0.5, C=1.0, steps=10, rng=RNG, runs=2),
    "tail_mass": dict(k=2, n=4),
    "thomas_upper": dict(losses=[0.5] * 5, delta=0.1, nu=0.5, bound=1.0),
    "top_k_loss": dict(losses=LOSSES, k=2),
    "top_weights": dict(losses=LOSSES, k=2),
    "useful_grid": dict(X=X, y=Y),
    "variational": dict(losses=LOSSES, k=2, threshold=1.0),
}
USUAL = dict(n=1000, delta=0.05, nu=0.5, C=0.01, mu=0.1, norm=1.0, kappa=1.0, kappa_norm=1.0,
             approximation=0.0, risk=0.2, bound=1.0, margin=0.5, advantage=0.1, half_range=1.0,
             radius=1.0, k=2, shift=1.0, start=1.0, squares=1.0, total=1.0, eta=1.0)
"""Of bounds."""

NEVER = ("abc", object(), {}, {1, 2}, 1 + 1j, b"a", [[1.0], [1.0, 2.0]], len,
         np.datetime64("2020-01-01"), np.ma.masked_array(np.ones(12), np.arange(12) == 2))
"""No parameter of any of them takes these."""
NUMBER = (*NEVER, None, [], [0.5, 0.5], np.nan, np.inf, -1, 10**400, np.array([0.5]), "1", True)
TRUTH = (*NEVER, None, 0, 1, "no", [], [True])
WORD = (*NEVER, None, 3, ["paper"], np.array(["paper"]), True)
SHARE = (*NUMBER, 1.5, 2)
LIST = (*NEVER, [], 3, 0.5, [True], ["a"], [np.nan], [-1], np.ones((2, 2, 2)), "1")
COUNT = (*NUMBER, 0, 2.5)
PAIR = (*NEVER, 3, (X,), (X, Y, Y), (X, "abc"), ("abc", Y), (X, Y[:5]), (X[:, :2], Y),
        (np.full(X.shape, np.nan), Y), (X, np.full(12, np.nan)), X)
ROWS = (*NEVER, None, 3.0, [], np.full((12, 3), np.nan), np.full((12, 3), np.inf), X.astype(str))
ENTRIES = (*NEVER, 3.0, [], np.full(12, np.nan), np.full(12, np.inf), Y.astype(str), Y[:, None])
WEIGHTS = (*NEVER, 3.0, True, np.full(12, np.nan), np.full(12, np.inf), -WEIGHT, 0 * WEIGHT,
           np.ones(5), ["a"] * 12, [1e308] * 12)
START = (*NEVER, 3.0, [], np.full(3, np.nan), np.full(3, np.inf), np.ones(9), ["a"] * 3,
         np.ones((3, 1)))
RANGE: dict[str, tuple[Any, ...]] = dict(
    X=ROWS, y=ENTRIES, loss=(*WORD, "hingee"), k=(*COUNT, 13), C=(*NUMBER, 0, 1e-310), tol=SHARE,
    floor=SHARE, intercept=TRUTH, regression=TRUTH, scaling=(*WORD, "mine"), ks=(*LIST, [0], [13]),
    relative_to=WORD, solver=WORD, sample_weight=WEIGHTS, test=PAIR, validation=PAIR, start=START,
    Cs=(*LIST, [0], [np.inf], [1e-310]), size=COUNT, nu=(*SHARE, 0), steps=COUNT, runs=COUNT,
    eta=(*NUMBER, 0), rule=WORD, level=NUMBER, rng=(*NEVER, None, 0), gram=(*ROWS, X, -GRAM),
    n=(*NUMBER, 0), losses=ROWS, weights=ROWS, threshold=(*NEVER, None, np.nan, np.inf),
    rounding=NUMBER, m=NUMBER, spectrum=(*ROWS, [0.1, 0.2, 0.3, 0.4]), masses=(*ROWS, [0.7, 0.7]),
    solution=(*NEVER, None, 3), bound=NUMBER, trivial=NUMBER, enough=(*NEVER, None, -1, np.nan),
    mus=(*NEVER, [], [np.nan], [-1.0]), fit_intercept=(*TRUTH, "regularized"),
    name=WORD, kernel=(*WORD, "rbf"), kernel_params=(3, "abc", [1], {"gamma": 1.0}),
    **{name: (*NEVER, np.nan, -1) for name in (
        "delta", "mu", "norm", "kappa", "kappa_norm", "approximation", "risk", "margin",
        "advantage", "half_range", "radius", "shift", "squares", "total")},
)
OF: dict[tuple[str, str], tuple[Any, ...]] = {
    ("calibration", "eta"): (*NEVER, None, 3.0, [0.5], [0.5, 1.5], [np.nan, 0.5]),
    ("first_useful_n", "bound"): (*(wrong for wrong in NEVER if wrong is not len), None, 3),
    ("kernel_fit", "tol"): (*NUMBER, 0),
    ("kernel_fit", "masses"): (*WEIGHTS, np.full(12, 0.5)),
    ("kernel_fit", "start"): (*NEVER, 3.0, np.full(12, np.nan), np.ones(9)),
    # A callable is a kernel, and asks for points.
    **{(name, "gram"): tuple(wrong for wrong in RANGE["gram"] if wrong is not len)
       for name in ("kernel_fit", "kernel_path")},
    **{(name, "points"): () for name in ("kernel_fit", "kernel_path")},
    ("population_minimiser", "loss"): (*(wrong for wrong in WORD if wrong is not len), "square"),
    ("stochastic", "nu"): (*NEVER, None, [], 0, 1.5, np.nan, np.ones(3)),
    ("stochastic", "C"): (*NEVER, None, [], 0, np.inf, np.nan, np.ones(3)),
    ("stochastic", "level"): tuple(wrong for wrong in NUMBER if wrong is not None),
    ("thomas_upper", "losses"): (*ROWS, [2.0], [-1.0]),
    ("ranked_range", "k"): NUMBER,
    ("ranked_range_weights", "k"): NUMBER,
    ("optimal_risk", "loss"): (*WORD, "absolute"),
    ("effective_C", "n"): (*NUMBER, 0, 2),
    ("individual", "name"): WORD,
}


def _nonsense(function: str, parameter: str) -> tuple[Any, ...]:
    arrays = ("bayes_risk", "calibration_threshold", "optimal_risk", "population_minimiser",
              "clipped_logit")
    of = "calibration" if function in arrays else function
    found = OF.get((function, parameter), OF.get((of, parameter)))
    if function == "clipped_logit" and parameter == "eta":
        return (*NEVER, None, [0.5, 1.5], [np.nan])
    if found is None and parameter in getattr(getattr(top_k, function), "domains", {}):
        return (*NEVER, np.nan, -1)  # arrays of these are broadcast
    return RANGE[parameter] if found is None else found


def _functions() -> list[tuple[str, str]]:
    out = []
    for name in top_k.__all__:
        function = getattr(top_k, name)
        if inspect.isclass(function) or not callable(function):
            continue
        out += [(name, one.name) for one in inspect.signature(function).parameters.values()
                if one.kind is not one.VAR_KEYWORD]
    return out


def _given(name: str) -> dict[str, Any]:
    asked = inspect.signature(getattr(top_k, name)).parameters
    return GIVEN.get(name, {one: "hinge" if one == "name" else USUAL[one]
                            for one in asked if one in USUAL or one == "name"})


def _refused(call: Callable[[Any], object], parameter: str, wrong: tuple[Any, ...]) -> None:
    for value in wrong:
        try:
            call(value)
        except ValueError as error:
            assert parameter in str(error), (value, error)
            assert "got" in str(error), (value, error)
        else:
            pytest.fail(f"{parameter} was allowed to be {value!r}")


@pytest.mark.parametrize(("function", "parameter"), _functions())
def test_nonsense_is_refused_by_the_name_of_the_parameter(function, parameter):
    def call(value: Any) -> object:
        return getattr(top_k, function)(**_given(function) | {parameter: value})

    getattr(top_k, function)(**_given(function))
    # A loss is called so everywhere.
    _refused(call, "loss" if parameter == "name" else parameter, _nonsense(function, parameter))


LEARNERS = {learner.__name__: learner for learner in (
    AverageTopKClassifier, AverageTopKRegressor, AverageTopKSVC, AverageTopKSVR)}


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_refuse_what_they_are_given_in_every_method_that_reads_it(learner):
    make = LEARNERS[learner]
    unread = {"path": ("k", "tol"), "select": ("k", "C", "tol")}
    kernel = "kernel" in make().get_params()
    methods: dict[str, Callable[[Any], object]] = {
        "fit": lambda model: model.fit(X, Y),
        "path": lambda model: model.path(X, Y, [3, 5]),
        "select": lambda model: model.select(X, Y, (X, Y), Cs=[1.0], ks=[6]),
    }
    for method, call in methods.items():
        for parameter in make().get_params():
            read = parameter not in unread.get(method, ())
            if read or (kernel and parameter != "k"):
                _refused(lambda value, p=parameter, c=call: c(make(**{p: value})), parameter,
                         RANGE[parameter])


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_refuse_what_methods_are_given(learner):
    model = LEARNERS[learner]()
    given = dict(X=X, y=Y, ks=[3, 5])
    for parameter in ("ks", "test", "sample_weight", "tol", "floor"):
        _refused(lambda value, p=parameter: model.path(**given | {p: value}), parameter,
                 RANGE[parameter])
    given = dict(X=X, y=Y, validation=(X, Y), Cs=[1.0], ks=[3, 5])
    for parameter in ("ks", "Cs", "validation", "sample_weight"):
        _refused(lambda value, p=parameter: model.select(**given | {p: value}), parameter,
                 RANGE[parameter])
    _refused(partial(model.fit, X, Y), "sample_weight", WEIGHTS)
    masked = np.ma.masked_array(X, X > 1)
    fitted = model.fit(X, Y)
    for call in (lambda rows: fitted.fit(rows, Y), fitted.predict):
        _refused(call, "X", (masked,))
    _refused(lambda y: fitted.fit(X, y), "y", (np.ma.masked_array(Y, Y > 0),))


@pytest.mark.parametrize("kind", [complex, "U1", object])
def test_sparse_rows_of_no_numbers_are_refused(kind):
    rows = sparse.csr_array(np.eye(12, 3))
    rows.data = rows.data.astype(kind)
    with pytest.raises(ValueError, match="X must hold real numbers, got"):
        top_k.fit(rows, Y)


@pytest.mark.parametrize("loss", INDIVIDUAL)
def test_a_start_whose_losses_overflow_is_not_begun_with(loss):
    y = Y if INDIVIDUAL[loss].margin else X[:, 1]
    plain = top_k.path(X, y, loss, ks=[6, 12], tol=1e-6)
    far = top_k.path(X, y, loss, ks=[6, 12], tol=1e-6, start=np.full(3, 1e200))
    assert far.objective == pytest.approx(plain.objective, rel=1e-5)


@pytest.mark.parametrize("solve", [
    partial(top_k.kernel_fit, nu=0.5, C=1.0), partial(top_k.kernel_path, C=1.0)])
def test_a_kernel_asks_for_points(solve):
    for points in (None, 3.0, X[:5], X[0]):
        with pytest.raises(ValueError, match="points must be 12 rows, one for each label, got"):
            solve(lambda a, b: a @ b.T, Y, points=points)
