"""Bounds side by side: what is compared, and what the page shows."""

from __future__ import annotations

import functools
import json

import campaign
import numpy as np
import pytest
from commands import answer, invoke

import noisytheory as nt
from noisytheory.report.asked import Asked
from noisytheory.trial.truth import Truth


def test_what_is_true_is_below_what_is_upheld_and_comes_from_the_law():
    signs = nt.populations.axis()
    found = nt.compare("kernel-mean/theorem-5*", n=[16], delta=[0.5, 0.05], population=signs)
    # Fair signs: |sum| of 16 exceeds 2 with probability .45 and 8 with .02, 0 with .80, 6 with .08.
    assert found.dataset["truth"].values.ravel().tolist() == [2 / 16, 8 / 16]
    assert found.along == "delta" and found.how == "the exact law"
    assert (found.dataset["bound"] >= found.dataset["truth"]).all()


def test_a_refuted_bound_wins_nothing():
    bounds = [
        nt.Paper("mine", "Notes").tail(
            name, statement="x", bound=lambda n, delta, c=c: c / n,
            simulate=lambda n, size, rng: rng.random(size) / n,
            grid={"n": [1], "delta": [0.1]}, expect=expect, trivial=1.0,
        )
        for name, c, expect in (("small", 1.0, "refuted"), ("large", 2.0, "upheld"))
    ]
    both = nt.compare(bounds, n=[1, 2, 4], delta=0.1)
    assert both.names == ["small", "large"]
    assert set(both.dataset["best"].values.ravel()) == {"large"}
    # Nothing else is asked for, so that what is true is known without a population.
    assert both.how.startswith("4,096 draws; at 99% each is within ")
    # A share of .9 of uniform numbers: 1 - .1 is within the limits, and nothing far off is.
    truth = both.dataset[["truth", "truth_low", "truth_high"]] * [1, 2, 4]
    assert (truth["truth_low"] < 0.9).all() and (truth["truth_high"] > 0.9).all()
    assert (abs(truth - 0.9) < 0.03).all().to_array().all()
    assert both.dataset["says_from"].values.ravel().tolist() == [2, 3]


def test_a_bound_below_what_is_true_wins_nothing():
    # Of draws above 1/2 the first says so, the second says 1/4, the third nothing below n = 3.
    bounds = [
        nt.Paper("mine", "Notes").tail(
            name, statement="x", bound=lambda n, delta, c=c, idle=idle: c if n > idle else np.inf,
            simulate=lambda n, size, rng: 0.5 + rng.random(size) / 8,
            grid={"n": [1], "delta": [0.1]},
        )
        for name, c, idle in (("large", 1.0, 1), ("wrong", 0.25, 0), ("late", 0.8, 2))
    ]
    found = nt.compare(bounds, n=[1, 2, 3], delta=0.1)
    assert found.winners() == ["delta = 0.1: none from n = 1; large from n = 2; late from n = 3"]
    assert [found.wins_not(name) for name in found.names] == ["", " (below what is true)", ""]


def test_each_claim_is_held_against_what_is_true_of_its_own_draws():
    def law(n, copies):
        return nt.Law([copies / n], [1.0])

    def claim(name, copies, c, **kinds):
        return nt.Paper("mine", "Notes").mean(
            name, statement="x", bound=lambda n: c / n, grid={"n": [1]},
            given={"copies": copies, **kinds}, exact=law)

    three = [claim("first", 2, 3.0), claim("second", 2, 2.5), claim("half", 1, 1.5)]
    found = nt.compare(three, n=[1, 2])
    assert found.dataset["truth"].values.tolist() == [2, 1]
    assert found.names == ["first", "second"] and not found.dataset["below"].any()
    assert found.left_out["mine/half"].startswith("speaks of other draws than mine/first")
    # What is given besides, and changes nothing, makes no other draws.
    found = nt.compare([*three[:2], claim("low", 2, 1.5, told=1)], n=[1, 2])
    assert found.dataset["below"].values.tolist() == [False, False, True]


def test_whole_floats_are_whole_numbers_and_what_is_none_is_named():
    ask = functools.partial(
        nt.compare, "kernel-mean/theorem-5", delta=0.05, population=nt.populations.axis()
    )
    found = ask(n=np.array([10.0, 20.0]))
    assert found.dataset["n"].values.tolist() == [10, 20] and found.how == "the exact law"
    assert found.dataset.equals(ask(n=[10, 20]).dataset)
    with pytest.raises(ValueError, match=r"^n must be a number or a sequence .* shape \(1, 2\)$"):
        ask(n=[[10, 20]])
    for seed in (-1, "x", 0.5):
        with pytest.raises(ValueError, match=r"^seed must be a whole number >= 0, got"):
            ask(n=10, seed=seed)


def test_what_the_population_settles_is_not_asked_otherwise():
    ask = functools.partial(nt.compare, "kernel-mean/theorem-5*", n=[10], delta=0.05)
    with pytest.raises(ValueError, match=r"^norm must be 0\.8, as on axis, p=0\.9, or left out"):
        ask(population="axis, p=0.9", norm=0.2)
    assert ask(population="axis, p=0.9", norm=0.8).names == ask(population="axis, p=0.9").names


def test_of_several_quantities_the_one_that_reads_what_is_given():
    given = {"epsilon": [0.1, 0.5], "delta": 0.05, "beta": 5, "dimension": 2, "classes": 3}
    found = nt.compare("uma/proposition-3/*", **given)
    assert found.names == ["printed", "sample-size"]
    assert found.dataset.attrs["quantity"] == "largest sample that still violates"


def test_a_bound_that_has_no_value_on_the_population_is_left_out():
    game = next(p for p in nt.claims["noisy-kernels/theorem-1-regret"].grid["population"])
    found = nt.compare("noisy-kernels/*regret*", population=game, T=game.T)
    assert "theorem-1-regret" in found.names
    why = found.left_out["noisy-kernels/theorem-2/regret/repaired"]
    assert why == "is not defined there: sigma2 must be a finite number > 0, got nan"


def test_what_is_given_by_itself_must_be_known():
    given = {"radius": 1.0, "variance": 0.5, "top_eigenvalue": 0.5}
    found = nt.compare("kernel-mean/theorem-5*", n=100, delta=0.05, **given)
    needs = dict(zip(found.names, found.dataset["needs"].values.tolist(), strict=True))
    assert needs["bousquet"] == "variance, radius, top eigenvalue"
    assert needs["pinelis"] == "radius" and needs["theorem-5"] == "nothing"


def test_a_claim_named_like_an_argument_hides_it_not():
    found = nt.compare(
        "uma/prop3-fixed-w/*", n=[100, 1000], delta=0.05, beta=5.5, norm=1.0, variance=1.0
    )
    assert "prop3-fixed-w/norm" in found.names
    assert [row["norm"] for row in found.rows()] == [1.0, 1.0]
    assert found.says_from("prop3-fixed-w/norm") == ["not known"]


def test_an_argument_called_bound_is_told_beside_the_bound():
    found = nt.compare("top-k/text-cvar/brown-*", n=[100], delta=0.05, nu=0.1, bound=[1.0, 2.0])
    assert repr(found).endswith(
        ": how far the estimate is below the CVaR at 2 points, over bound_>")
    assert [row["bound_"] for row in found.rows()] == [1.0, 2.0] and found.along == "bound_"


def test_a_bound_that_reads_the_sample_says_something_from_where_its_median_does():
    ask = functools.partial(
        nt.compare, "kernel-mean/theorem-5*", delta=0.05, population="axis, p=0.9"
    )
    found = ask(n=[100, 200])
    first = int(found.says_from("empirical-bernstein")[0])
    # No atom is farther than 1.8 from the mean .8, and 7 is the first n above (4.448 / 1.8)^2.
    assert 2 < first < 100 and found.says_from("theorem-5") == ["7"]
    around = ask(n=[first - 1, first]).dataset["bound"].sel(claim="empirical-bernstein")
    assert around[0, 0] >= 1.8 > around[0, 1]


def test_where_a_bound_says_something_over_an_argument_that_it_rises_in_or_does_not_read():
    given = {"n": [3, 1000], "delta": 0.05, "diameter": [2.0, 1.5, 0.5]}
    found = nt.compare("kernel-mean/theorem-5*", **given)
    # 2 / sqrt 3 + sqrt(2 log 20 / 3) is 2.57; diameters end at 2.
    assert found.says_from("theorem-5") == ["nowhere", "0.5"]
    assert found.says_from("theorem-5/diameter") == ["up to 2", "up to 2"]


def test_who_wins_where_is_told_in_order():
    found = nt.compare(
        "kernel-mean/theorem-5*", n=[1000, 10, 50], delta=0.05, population="axis, p=0.9"
    )
    assert found.winners()[0].endswith(
        "repaired and diameter from n = 10; bousquet from n = 50; hilbert-bernstein from n = 1000"
    )
    with pytest.raises(ValueError, match=r"population must be one, such as .* got 3$"):
        nt.compare("kernel-mean/theorem-5*", n=[10], delta=0.05, population=3)
    with pytest.raises(ValueError, match=r"replicates must be a whole number >= \d, got 0"):
        nt.compare("kernel-mean/theorem-5*", n=[10], delta=0.05, replicates=0)


def test_a_value_that_a_bound_does_not_know_leaves_it_out():
    """A number for a name of the grid was a fault of ours, from the depth of the bound."""
    with pytest.raises(ValueError, match="is not defined there: AttributeError: 'float' object"):
        nt.compare("kernel-mean/herding-rates/*", hull=1.0, k=2)


def test_of_a_tail_without_a_level_no_truth_is_told():
    """It was a fault of ours: KeyError."""
    found = nt.compare("kernel-mean/table-1/linear-spread", sigma=0.1)
    assert found.names == ["linear-spread"] and not found.how


@pytest.mark.parametrize(("suffix", "head"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_a_figure_of_pixels_is_drawn_in_the_style_of_the_others(tmp_path, suffix, head):
    """It had a size by name where one in points was reckoned with: a fault of ours."""
    path = tmp_path / f"bounds{suffix}"
    answer("compare", "kernel-mean/theorem-5*", "n=10,100", "delta=0.05", "--figure", path)
    assert path.read_bytes().startswith(head)
    nt.compare("kernel-mean/theorem-5*", n=[10, 100], delta=0.05).figure().savefig(path)
    assert path.read_bytes().startswith(head)


def test_bounds_of_zero_have_a_figure_without_a_word():
    figure = nt.compare("uma/figure-1a/*", delta=0.5, replicates=100).figure()
    assert figure.axes[0].get_yscale() == "linear"


def test_where_no_bound_is_best_the_figure_says_so():
    """Beside what is true it was a fault of ours: the name of none."""
    found = nt.compare("uma/figure-1b/print*", delta=0.5, replicates=100)
    assert found.how and found.dataset["best"].item() == ""
    assert found.figure().get_label().startswith("At delta = 0.5 none is best")


def test_the_figure_shows_every_bound_and_its_conclusion():
    found = nt.compare("kernel-mean/theorem-5*", n=[10, 1000], delta=0.05, population="50 axes")
    figure = found.figure()
    (axes,) = figure.axes
    lines = [line for line in axes.get_lines() if line.get_label() in found.names]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == len(found.names)
    conclusion = "At n = 1\u202f000 bousquet is best, 1.49 times what is true"
    assert figure.get_label().startswith(conclusion)
    drawn = {line.get_label(): line.get_ydata()[0] for line in lines}
    ratio = found.dataset["bound"] / found.dataset["truth"]
    assert drawn["pinelis"] == pytest.approx(ratio.sel(claim="pinelis", n=10).item())


def test_the_figure_draws_every_level_or_says_which(tmp_path):
    """It drew the first level only, without a word."""
    asked = ["compare", "kernel-mean/theorem-5*", "n=10:1000:log", "--figure", tmp_path / "x.svg"]
    found = nt.compare("kernel-mean/theorem-5*", n=[10, 1000], delta=[0.4, 0.1])
    drawn = {line.get_label(): line.get_ydata() for line in found.figure().axes[0].get_lines()}
    for name in found.names:
        for level in (0.4, 0.1):
            line = drawn[f"{name}, delta = {level}"]
            assert np.array_equal(line, found.dataset["bound"].sel(claim=name, delta=level))
    assert invoke(*asked, "delta=.4,.1").stderr == ""
    levels = [0.4, 0.1, 0.05, 0.02, 0.01]
    many = nt.compare("kernel-mean/theorem-5*", n=[*range(10, 16)], delta=levels)
    picture = many.figure()
    assert "(delta = 0.4; one choice of 5)" in picture.get_label()
    labels = {line.get_label() for line in picture.axes[0].get_lines()}
    assert {label for label in labels if not label.startswith("_")} == {*many.names}
    told = invoke(*asked, "delta=.4,.1,.05,.02,.01").stderr
    assert told == ("noisytheory compare: the figure has delta = 0.4 only, one of 5 choices: it "
                    "has room for 12 lines\n")


def test_the_best_of_each_level_is_told():
    bounds = [
        nt.Paper("mine", "Notes").tail(
            name, statement="x", bound=bound, simulate=lambda n, size, rng: rng.random(size) / n,
            grid={"n": [1], "delta": [0.1]},
        )
        for name, bound in (("flat", lambda n, delta: 9 / n), ("steep", lambda n, delta: 1 / delta))
    ]
    found = nt.compare(bounds, n=[1, 2, 3], delta=[0.5, 0.1])
    assert found.figure().get_label().startswith(
        "At n = 3 the best is steep at delta = 0.5, flat at delta = 0.1."
    )


def test_from_where_on_is_told_with_the_level():
    """It was "3, 5": which of them is of which delta was not said."""
    shown = answer("compare", "kernel-mean/theorem-5*", "n=10,1000", "delta=.4,.1")
    line = next(line for line in shown.splitlines() if line.startswith("theorem-5 "))
    assert line.endswith("  3 at delta = 0.4; 5 at delta = 0.1")
    shown = answer("compare", "kernel-mean/theorem-5*", "n=10,1000", "delta=.1")
    line = next(line for line in shown.splitlines() if line.startswith("theorem-5 "))
    assert line.endswith("  5")
    told = answer("compare", "kernel-mean/theorem-5*", "n=10,1000", "delta=.4,.1", "--json")
    assert json.loads(told)["arguments"] == {"delta": [0.4, 0.1], "n": [10, 1000]}


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.95, 1.1, "each is within 10% of what is true"),
        (0.9, 2.0, "each is within a factor 2.0 of what is true"),
        (0.25, 1.1, "each is within a factor 4.0 of what is true"),
        (0.0, 2.0, "what is true is at most 2.0 times as large, and may be next to 0"),
    ],
)
def test_how_far_off_draws_may_be_is_told_as_a_person_reads_it(monkeypatch, low, high, words):
    """It was "within 1e+02%"."""
    monkeypatch.setattr(Asked, "truth", lambda *of, **more: Truth(3.0, "draws", 3 * low, 3 * high))
    found = nt.compare("kernel-mean/theorem-5*", n=[10], delta=0.05, population="50 axes")
    assert found.how == f"draws; at 99% {words}"


def test_the_page_on_the_mean_deviation(tmp_path, monkeypatch):
    asked = campaign.definition()["compared"]["mean-deviation"]
    few = {**asked, "n": [10, 1000], "populations": asked["populations"][:2]}
    monkeypatch.setattr(campaign, "definition", lambda: {"compared": {"mean-deviation": few}})
    assert campaign.compared(tmp_path) == {asked["title"]: "mean-deviation"}
    page = (tmp_path / "mean-deviation.md").read_text()
    assert page.count("![At n = 1 000 ") == 2 and page.count("(figures/mean-deviation-") == 2
    assert (tmp_path / "figures" / "mean-deviation-1.svg").read_text().startswith("<svg")
    for name in ("theorem-5", "repaired", "pinelis", "hilbert-bernstein", "bousquet", "empirical"):
        assert f"| {name} | kernel-mean/theorem-5" in page
    assert "`noisytheory compare 'kernel-mean/theorem-5*' n=10,1000 delta=0.05" in page
    radius = nt.kernel_mean.mean_deviation(1000, 0.05)
    assert f"| 1\u202f000 | {float(np.round(radius, 3))} |" in page
