"""Machines with one feature, exact, beside the solver for any number of them."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.topics.top_k import fit
from noisytheory.topics.top_k.linear_populations import on_a_line


@pytest.mark.parametrize("nu", [0.2, 0.45, 0.8, 1.0])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_one_feature_is_solved_as_any_number_of_them(nu, C):
    rng = np.random.default_rng(0)
    z = np.array([1.0, -1.0, 0.25, -2.0, 1.0])
    masses = rng.dirichlet(np.ones(5), 12)
    coef, level = on_a_line(z, masses, nu, C)
    labels = np.array([1.0, 1, 1, -1, -1])
    for own, (w,), lam in zip(masses, coef, level, strict=True):
        found = fit((labels * z)[:, None], labels, "hinge", k=nu, C=C, sample_weight=own, tol=1e-9)
        assert w == pytest.approx(found.coef[0], abs=1e-4)
        losses = np.maximum(1 - w * z, 0)
        # The level is the largest that is optimal, so its value is the objective's.
        value = own @ np.maximum(losses - lam, 0) + nu * lam + w**2 / (2 * C)
        assert value == pytest.approx(found.objective, rel=1e-8)
        assert own[losses >= lam].sum() >= nu - 1e-12 or lam == 0


def test_four_against_one_stop_at_the_kink():
    # Slope -3/5 at 0 and 1/5 beyond 1, where a C of 10 would reach 6.
    coef, level = on_a_line(np.array([1.0, -1.0]), np.array([[0.8, 0.2]]), 1.0, 10.0)
    assert coef.tolist() == [[1.0]] and level.tolist() == [0.0]
