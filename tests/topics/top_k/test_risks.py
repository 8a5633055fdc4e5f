"""Hinge risks of one or two points and what attains them, worked by hand."""

from __future__ import annotations

from worked import Worked, by_hand


def point(eta, f, rho=1):
    return dict(masses=[1], eta=[eta], f=[f], rho=rho)


# Losses 1, 1, 0 and 1, 1, 2 of the six outcomes, less 1/2: 1/2, 1/2, 0 and 1/2, 1/2, 3/2; their
# masses 1, 0, 1/4 and 0, 1/2, 1/4, two in all.
THREE = dict(masses=[1, "1/2", "1/2"], eta=[1, 0, "1/2"], f=[0, 0, 1], rho="1/2")

test_by_hand = by_hand("top-k", [
    # Least at 1 and at -1: (2 * 1/4 + 2 * 1/8) / 2.
    Worked("text-hinge-2bayes", dict(masses=["1/2", "1/2"], eta=["3/4", "1/8"]), "3/8", "3/8"),
    # An error for certain, the best is 1/2; a hinge risk of 1 is the best.
    Worked("eq-18/printed", point("1/2", 0), "1/2", 0),
    # f = -1/2: 3/4 - 1/4 and 3/4 * 3/2 + 1/4 * 1/2 - 1/2; turned; the sign of 0 is 1.
    Worked("eq-18", point("3/4", "-1/2"), "1/2", "3/4"),
    Worked("eq-18", point("1/4", "1/2"), "1/2", "3/4"),
    Worked("eq-18", point("1/4", 0), "1/2", "1/2"),
    Worked("eq-19/scaled", point("3/4", "-1/4", "1/2"), "1/2", "3/4"),
    # nu = 1 - (1 - 1/2) / 4 = 7/8. Losses 0 and 2: 1/2 at the threshold 0; losses 1/2 and 3/2:
    # 1/4 + 7/8 * 1/2 at 1/2.
    Worked("eq-7", point("3/4", "1/2"), "1/2", "11/16"),
    Worked("eq-7", point("1/4", "-1/2"), "1/2", "11/16"),
    Worked("eq-7", point("1/2", "1/2"), 1, 1, applies=False),
    # Twice 2 (1/2 + 1/4 + 3/8).
    Worked("eq-population-limit", THREE, "9/2", "9/2", cell=dict(n=2)),
    # At scores of 2^20 and 2^21; at weights of 16 and 32.
    Worked("eq-7/printed", {}, "1/1048577", "1/2097153"),
    Worked("text-fh-exists/printed", {}, "1/32", "1/64"),
])
