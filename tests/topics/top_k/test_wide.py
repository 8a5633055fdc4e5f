"""Which solver is taken where there are many coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from noisytheory.topics.top_k import fit, task


def problem(n, d, loss):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d)) / np.sqrt(d)
    score = 3 * x @ rng.normal(size=d) + rng.normal(size=n)
    return x, score if loss == "absolute" else np.where(score > 0, 1.0, -1.0)


def nothing(problem, w, accept, **given):
    """A limited-memory way that goes nowhere."""
    return w, 0


@pytest.mark.parametrize("loss", ["logistic", "hinge", "absolute"])
@pytest.mark.parametrize(("n", "d"), [(60, 30), (30, 60)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_what_the_limited_memory_way_leaves_is_solved_exactly(monkeypatch, form, n, d, loss):
    x, y = problem(n, d, loss)
    known = fit(x, y, loss, k=0.5, C=10.0, solver="exact")
    monkeypatch.setattr(task, "WIDE", 20)
    monkeypatch.setattr(task, "limited_memory", nothing)
    found = fit(form(x), y, loss, k=0.5, C=10.0)
    assert found.converged
    assert found.objective == pytest.approx(known.objective, rel=2e-6)


def test_dense_rows_are_solved_exactly_at_once(monkeypatch):
    def never(*args, **given):
        raise AssertionError

    monkeypatch.setattr(task, "WIDE", 20)
    monkeypatch.setattr(task, "limited_memory", never)
    x, y = problem(60, 30, "logistic")
    assert fit(x, y, "logistic", k=0.5, C=10.0).converged
    with pytest.raises(AssertionError):
        fit(sparse.csr_matrix(x), y, "logistic", k=0.5, C=10.0)
