"""What a look costs: the k-th has 1/(k(k+1)) of the level, over both samples and both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest

from noisytheory import Paper
from noisytheory.trial.verdict import SameLaw

ROWS = 64


def _different(*, size, rng):
    return {"lhs": np.zeros(size), "other": np.ones(size)}


CLAIM = Paper("mine", "Notes").equal(
    "same-law", statement="X = Y", simulate=_different, margin=0.5, rows=ROWS,
)


@pytest.mark.parametrize(("blocks", "shares"), [(1, 2), (2, 6), (4, 12)])
def test_the_price_of_a_look_by_hand(blocks, shares):
    """At distance 1, half beyond the margin, n draws weigh n/8 before the price."""
    rule, draws = SameLaw(), ROWS * blocks
    drawn = _different(size=draws, rng=None)
    against, support = rule.weigh_cell(CLAIM, {}, rule.summarise(CLAIM, {}, drawn))
    assert against == pytest.approx(draws / 8 - math.log(4 * shares)) and support == 0
    same = {"lhs": drawn["lhs"], "other": drawn["lhs"]}
    against, support = rule.weigh_cell(CLAIM, {}, rule.summarise(CLAIM, {}, same))
    assert support == pytest.approx(draws / 8 - math.log(4 * shares)) and against == 0
