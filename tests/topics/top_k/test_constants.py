"""Constants of the error bounds and machines with one feature, worked by hand."""

from __future__ import annotations

import pytest
from worked import Worked, by_hand

from noisytheory.topics.top_k.margins import bounds

test_by_hand = by_hand("top-k", [
    # 2 * 1/2 * max(4, 16) and (4 + 8) / (1/4), with c larger max(32, 16) and 40 / (1/4); no C.
    Worked("text-radius", dict(c=1, norm=2, nu="1/2", m="1/2"), 16, 48),
    Worked("text-radius", dict(c=8, norm=2, nu="1/2", m="1/2"), 32, 160),
    Worked("text-radius", dict(c=0, norm=2, nu=1, m=1), 8, 8),
    # 1 + 2 (4/4 + 4/8) = 4; 2 (1 + 4/4)^2 + 16 * 4 * 2/16.
    Worked("text-consistency", dict(c="1/4", norm="1/8", kappa=2), -16, -16),
    # 2/h at h = 1/2 and 1/1024.
    Worked("text-consistency/printed", dict(case=0), 4, 1000),
    Worked("text-consistency/printed", dict(case=9), 2048, 1000),
    # w = -1/2: 3/2 + 0, against 3 at 1; of what is tried -1 is best, 2 + 0.
    Worked("text-fh-exists", dict(z=[1, -2]), "3/2", 2),
    Worked("text-fh-exists", dict(z=[1, 1, 2]), 0, 0),
    # Separated at 1 and no sooner, though kappa = 2; not better than 0 where signs are halved.
    Worked("new-kappa-fh", dict(z=[2, 1, 1, 1, 1, 1]), 8, 16),
    Worked("new-kappa-fh", dict(z=[1] * 6), 8, 8),
    Worked("new-kappa-fh", dict(z=[1, 1, 1, -1, -1, -1]), 8, 0, applies=False),
    # Risks 2, 4 and 3 at 1, -1 and 0. Two of (-1, -1, 1) sum to 0 at least, three do not.
    Worked("new-collapse", dict(z=[1, 1, -1]), 1, 1, cell=dict(k=2)),
    Worked("new-collapse", dict(z=[1, 1, -1]), 0, 0, cell=dict(k=3)),
    # The two -1 are balanced by 1 and half of 2; risks of 5, 7/2 and 4 at -1, 1/2 and 1.
    Worked("new-collapse/threshold", dict(z=[-1, -1, 2, 1]), "7/2", "7/2"),
])


@pytest.mark.parametrize(("C", "norm", "floor"), [(2, 16, 1 / 128), (128, 32, 1 / 8)])
def test_what_print_says_of_margins_is_loose_by_two_where_its_lines_are_all_it_needs(
    C, norm, floor
):
    # At mu = 1/4, |f| = 2, nu = 1/2: max(4, 16) and 2 min(1/16, 1/256); then max(32, 16) and
    # 2 min(1/16, 1/4).
    assert bounds.norm_margin_printed(0.5, C, 0.25, 2.0) == norm
    assert bounds.margin_floor_printed(0.5, C, 0.25, 2.0) == floor
    # An advantage of mu/2 is what (16) leaves.
    if C * 0.25 <= 2 * 2.0**2:
        assert bounds.norm_margin(0.5, C, 0.125, 2.0) == norm / 2
        assert bounds.margin_floor(0.5, C, 0.125, 2.0) == 2 * floor
