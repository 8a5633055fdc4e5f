"""The choice of (C, k): what is chosen is best by its own error, from fewer fits than there are."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.topics.top_k import fit, select, useful_grid


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
