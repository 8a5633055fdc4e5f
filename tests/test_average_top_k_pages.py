"""Pages on average top-k are what their scripts write of the numbers on them or kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import average_top_k
import numpy as np
import pytest
import top_k_tables
import top_k_toys

from noisytheory.topics.top_k import largest_stable_C
from noisytheory.topics.top_k.recipes import TOYS, toy

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("script", [average_top_k, top_k_tables])
def test_a_page_tells_what_its_numbers_say(script):
    page = Path(script.__file__).with_suffix(".md").read_text()
    assert script.told(average_top_k.found_before(script.__file__)) in page


FOUND = """
Ring: n=100, d=2, 30 splits
  average               8.00 (0.90)  G  91.00   +0.00 +- 0.00;  G  91.00   +0.00 +- 0.00
  average, fine         8.80 (0.90)  G  90.00   +0.80 +- 0.70;  G  90.40   -0.60 +- 0.70
  class weights         8.00 (0.90)  G  92.00   +0.00 +- 0.10;  G  92.00   +1.00 +- 0.20
  trimmed               8.00 (0.90)  G  91.00   +0.00 +- 0.10;  G  91.00   +0.00 +- 0.20
  AT_k* logistic        7.80 (0.90)  G  91.10   -0.20 +- 0.10;  G  91.10   +0.10 +- 0.40
  AT_k* hinge           9.00 (0.90)  G  90.00   +1.00 +- 0.50;  G  90.00   -1.00 +- 0.90

AT_k* minus the average loss with 4 values of C; with 31, in points of error
  AT_k* logistic, Ring:  -0.20 +- 0.10 *;  -1.00 +- 0.20 *
  AT_k* hinge, Ring:  +1.00 +- 0.50 *;  +0.20 +- 0.20

AT_k* minus the average loss with 4 values of C; with 31, in points of G-mean
  AT_k* logistic, Ring:  +0.10 +- 0.40;  +0.70 +- 0.30 *
  AT_k* hinge, Ring:  -1.00 +- 0.90 *;  -0.20 +- 0.20

Best of all: in error; in G-mean
  Ring: AT_k* logistic; class weights
"""


def test_gains_and_losses_are_told_from_the_intervals():
    said = average_top_k.told(FOUND)
    error, _, g_mean = said.partition("In G-mean 0 is outside")
    assert "In error 0 is outside of 3 of 4 intervals" in error
    assert "- gains on both: Ring with logistic loss (+0.20 ± 0.10 and +1.00 ± 0.20)." in error
    assert "- loses to the one with 4 alone: Ring with hinge loss (-1.00 ± 0.50)." in error
    assert "behind the one with 4 on Ring with logistic loss (-0.80 ± 0.70)." in error
    assert "- gains on the one with 31 alone: nowhere." in error
    assert g_mean.startswith(" of 2 of 4 intervals")
    assert "- gains on both: nowhere." in g_mean
    assert "- gains on the one with 31 alone: Ring with logistic loss (+0.70 ± 0.30)." in g_mean
    assert "- loses to the one with 4 alone: Ring with hinge loss (-1.00 ± 0.90)." in g_mean
    assert "gain more G-mean in the mean than AT_k* on 1 of 1 sets: Ring." in g_mean
    assert "the least mean error on 1 of 1 sets: Ring (logistic)." in g_mean
    assert "the largest mean G-mean on 0 of 1 sets: none." in g_mean
    assert average_top_k.marked(-0.37, 0.36) == " -0.37 +- 0.36 *"
    assert average_top_k.marked(0.371, 0.369) == " +0.37 +- 0.37"


def test_the_readme_says_of_real_data_what_the_page_does():
    found = average_top_k.found_before(average_top_k.__file__)
    error, g_mean = (average_top_k.verdicts(found, what) for what in ("error", "G-mean"))
    both = [v for v in error + g_mean if v.signs == (1, 1)]
    assert {(v.name, v.loss) for v in both} == {("spambase", "logistic")} and len(both) == 2
    assert {f"{g:.1f}" for g, _ in (both[0].four, both[0].fine)} == {"0.2", "0.3"}
    assert {f"{g:.1f}" for g, _ in (both[1].four, both[1].fine)} == {"0.3"}
    lost = {(v.name, v.loss, v.signs, f"{min(v.four[0], v.fine[0]):.1f}")
            for v in error + g_mean if min(v.signs) < 0}
    assert lost == {("german", "hinge", (0, -1), "-0.5"), ("german", "logistic", (-1, 0), "-1.0")}
    said = " ".join((ROOT / "README.md").read_text().split())
    assert ("on Spambase alone, with the logistic loss: .2 to .3 points of error and .3 of G-mean, "
            "where trimmed losses gain more of both, class weights of G-mean.") in said
    assert ("With the hinge on German it loses .5 points of error to the finer average, with the "
            "logistic loss there 1.0 of G-mean to the coarser") in said
    assert min(average_top_k.gained(found, "spambase", method, "G-mean")[0]
               for method in ("class weights", "trimmed")) > max(both[1].four[0], both[1].fine[0])
    weights, trimmed = (average_top_k.gained(found, "spambase", method, "error")[0]
                        for method in ("class weights", "trimmed"))
    assert weights < max(both[0].four[0], both[0].fine[0]) < trimmed


TABLE = """Ring, hinge, 10 splits; C at an end in 0 of 30 choices; largest gap 9.9e-05
  first  exact     45.00(3.00) [22.00(4.00)]  21.00(3.00) [20.00(4.00)]  21.00(3.00) [24.00(4.00)]\
  gain +0.00 +- 0.00 [+1.57]
  first  steps (4) 23.58(3.00) [22.00(4.00)]  20.00(3.00) [20.00(4.00)]  18.00(3.00) [24.00(4.00)]\
  gain +2.00 +- 1.00 [+0.50]
"""


def test_z_is_in_standard_errors_of_the_difference():
    # Deviations of 3 and 4 make 5, over the root of ten 1.5811.
    exact, steps = top_k_tables.lines(TABLE)
    assert exact.z == pytest.approx((23 / 2.5**0.5, 1 / 2.5**0.5, -3 / 2.5**0.5))
    assert steps.z == pytest.approx((1.58 / 2.5**0.5, 0, -6 / 2.5**0.5))
    assert exact.words == "Ring hinge error" and steps.gain == (2.0, 1.0, 0.5)
    said = top_k_tables.told(TABLE)
    assert "- maximum: 1 of 1: all." in said and "- average: 0 of 1." in said
    assert "- AT_k*: 1 of 1: all." in said
    assert "1 are above our interval by exact minimisers (Ring hinge error)" in said
    assert "0 are above our interval by stochastic steps (none) and 1 below it (Ring" in said
    assert "with 0 outside on Ring hinge error +2 ± 1; it errs more, or has less, on none." in said
    # The sign of a gain turned round, it is a loss.
    turned = top_k_tables.told(TABLE.replace("+2.00 +- 1.00", "-2.00 +- 1.00"))
    assert "on none; it errs more, or has less, on Ring hinge error -2 ± 1." in turned
    assert re.search(r"\| Ring \| hinge \| error \| \*\*\+14\.5\*\* \| \+0\.6 \| -1\.9 \|", said)


def kept():
    return json.loads(Path(top_k_toys.__file__).with_suffix(".json").read_text())


def test_the_page_of_toy_cases_is_the_kept_numbers():
    page = Path(top_k_toys.__file__).with_suffix(".md").read_text(encoding="utf-8")
    assert top_k_toys.page(kept()) == page


@pytest.mark.parametrize("scaling", top_k_toys.SCALINGS)
def test_kept_numbers_of_a_toy_case_are_those_of_fits(scaling):
    # Case 4's logistic loss, the picture's seed: exact at the ends of the range and beyond them.
    row = next(row for row in kept()["toys"] if (row["case"], row["loss"], row["C"], row["solver"])
               == (4, "logistic", scaling, "exact"))
    low, high, number, fewest, first, last = row["seeds"][0]
    assert number == high - low + 1
    data = toy(TOYS[4], np.random.default_rng(TOYS[4].seed))
    ks = np.array([1, low - 1, low, high, high + 1, 200])
    errors = top_k_toys.wrong(
        top_k_toys.models(data, "logistic", "exact", ks, TOYS[4].C, scaling, 0), data)
    assert errors[[0, 2, 3, 5]].tolist() == [first, fewest, fewest, last]
    assert min(errors[[1, 4]]) > fewest


def test_ends_as_in_print_are_counted():
    seeds = {"logistic": [[1, 18, 18, 0, 0, 8], [2, 20, 19, 0, 0, 8], [1, 10, 10, 0, 0, 8]],
             "hinge": [[1, 18, 18, 0, 0, 8], [1, 21, 19, 0, 0, 8], [1, 60, 60, 0, 0, 8]]}
    rows = [{"case": case, "loss": loss, "C": "paper", "solver": solver, "seeds": seeds[loss]}
            for case in top_k_toys.PRINTED for loss in seeds for solver in top_k_toys.SOLVERS]
    case, solver, told = top_k_toys.met(rows, "paper")[0]
    # Print has [1, 18] and [1, 50].
    assert (case, solver, told) == (3, "exact", [2, 3, 2, 1, 2])
    assert "| 3 | logistic | [1, 18] | [1, 18] | 1 (1 to 2) | 18 (10 to 20) | 100% |" in (
        top_k_toys.ranges(rows, "paper"))
    assert top_k_toys.quartiles([1, 2, 3, 4]) == (1, 2, 3)


def test_printed_steps_do_not_blow_up_at_the_C_of_the_toy_cases():
    Cs = [recipe.C for recipe in TOYS.values()]
    assert min([*Cs, top_k_toys.C_FIGURE_3]) >= largest_stable_C()
