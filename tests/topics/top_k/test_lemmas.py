"""Lemma 4 on a constant and on three orthogonal functions, sums over eight signs by hand."""

from __future__ import annotations

from worked import Worked, by_hand

CONSTANT, ORTHOGONAL = dict(case=0), dict(case=2)

test_by_hand = by_hand("top-k", [
    # |sum of signs| is 3 twice and 1 six times; a constant 0 on the right.
    Worked("lemma-4/printed", CONSTANT, 2 * 3 + 6 * 1, 0),
    # Values 2: every sign gives 2, twice that on the right; without absolute values one gives -2.
    Worked("lemma-4/repaired", ORTHOGONAL, 8 * 2, 2 * 8 * 2),
    Worked("lemma-4/one-sided", ORTHOGONAL, 7 * 2 - 2, 7 * 2 - 2),
    Worked("lemma-4/one-sided", CONSTANT, 0, 0),
])
