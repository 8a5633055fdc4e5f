"""All k of a kernel machine, where a smooth kernel gains next to nothing at small k."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from noisytheory.learners.average_top_k import AverageTopKSVC
from noisytheory.topics.top_k import kernel_fit, kernel_path, kernel_paths
from noisytheory.topics.top_k.kernel_dual import descended


@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("bandwidth", [0.5, 3.0])
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("form", [{}, {"tol": 0.05, "floor": 0.1}])
def test_all_k_are_a_few_fits(monkeypatch, C, bandwidth, regression, form):
    x, y = make_moons(90, noise=0.25, random_state=0)
    target = np.sin(2 * x[:, 0]) + 0.2 * y if regression else 2.0 * y - 1
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1) / (2 * bandwidth**2))
    steps = []

    def counted(*args, **given):
        found = descended(*args, **given)
        steps.append(found[0].steps)
        assert len(steps) <= 60
        return found

    monkeypatch.setattr(kernel_paths, "descended", counted)
    found = kernel_path(gram, target, C=C, regression=regression, **form)
    tol = form.get("tol", 0.25)
    assert found.gap.max() <= tol
    size = np.abs(target).mean() if regression else 1.0
    single = []
    for k in (30, 60, 90):
        one = kernel_fit(gram, target, nu=k / 90, C=C, regression=regression, tol=1e-3)
        single.append(one.steps)
        at = found.objective[k - 1]
        assert found.dual[k - 1] - 1e-9 <= one.objective
        assert at >= one.dual - 1e-9
        assert at - found.dual[k - 1] <= tol * size
    assert found.determined[-1]
    # At least some tens of steps an example: fits at a tolerance that is not asked may take fewer.
    assert sum(steps) <= 40 * max(*single, 90)


@pytest.mark.parametrize("floor", [0.1, 0.5])
def test_below_the_floor_nothing_is_determined_and_what_is_said_of_it_is_true(floor):
    X, y = make_moons(120, noise=0.25, random_state=0)
    found = AverageTopKSVC().path(X, y, floor=floor)
    gain = found.k / 120 - found.dual
    open_ = ~found.determined
    assert open_.any()
    assert np.all(gain[open_] <= floor * gain[-1])
    assert np.all(found.determined[gain > floor * gain[-1]])
    # The error is that of the model whose coefficients are given.
    model = AverageTopKSVC()
    gram = model._matrix(X, y, None)[-1]
    wrong = ((gram @ found.coef.T >= 0) != (y == 1)[:, None]).mean(axis=0)
    assert found.error == pytest.approx(wrong)


@pytest.mark.parametrize("floor", [-0.1, 1.5, float("nan")])
def test_a_floor_is_a_share(floor):
    with pytest.raises(ValueError, match="floor must be a number in"):
        kernel_path(np.eye(4), [1, 1, -1, -1], C=1.0, floor=floor)
