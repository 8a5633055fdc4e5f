"""Pages show what the rule in force says: its intervals, its draws, its verdict, its evidence."""

from __future__ import annotations

import dataclasses

import numpy as np
import planted
import plants
import pytest

from noisytheory import Law, Paper, audit
from noisytheory.report import Record, figures, prose, tables, write
from noisytheory.trial.evidence import bounded_bets, catoni_bets, log_e_bets

NAMES = (
    "masked-mean-holds", "masked-laws-agree", "masked-always-holds", "masked-published-holds",
    "masked-rate-0.4", "tie-tail", "tie-law", "cancelled-unsaid", "mean-vacuous", "equal-forced",
    "only-low-false", "no-range-equal", "variance", "laws-natural", "laws-exact",
    "laws-exact-false", "weights-true", "printed-false", "log-over-root-noise-0.05", "zero-means",
    "exists-open", "drawn-equal-true", "masked-everywhere",
)


@pytest.fixture(scope="module")
def trial():
    made = {plant.name: plant for plant in plants.every_plant()}
    with audit([made[name].claim() for name in NAMES], budget="smoke") as found:
        yield found


def record(trial, name):
    return Record.of(trial[f"planted/{name}"].dataset)


def title(figure):
    return figure.get_suptitle().replace("\n", " ").replace("\u00a0", " ")


def drawn_limits(figure):
    """Ends of the horizontal intervals, those of no width left out."""
    axes, = figure.axes
    ends = [
        (float(segment[0][0]), float(segment[1][0]))
        for container in axes.containers if container.has_xerr
        for segment in container.lines[2][0].get_segments()
    ]
    return [pair for pair in ends if pair[0] < pair[1]]


def table(about):
    found = tables.tables(about)[0]
    return dict(zip(found.head, found.rows[0], strict=True)), found.caption


def applying(trial, name, of="lhs"):
    dataset = trial[f"planted/{name}"].dataset
    values, at = dataset[of].values.ravel(), dataset["applies"].values.ravel() == 1
    return values[at]


def crosses(bets, low, high):
    """That the bets, `bets(mean, side)`, reject both ends at 99%, and nothing much inside."""
    step = 0.03 * (high - low)
    for end, side, inwards in ((low, "above", step), (high, "below", -step)):
        assert log_e_bets(bets(end, side)) >= np.log(200) > log_e_bets(bets(end + inwards, side))


def test_limits_of_a_mean_are_where_its_bets_cross(trial):
    dataset = trial["planted/drawn-equal-true"].dataset
    gaps, middle = (dataset["lhs"] - dataset["rhs_draw"]).values.ravel(), float(dataset["rhs"][0])
    low, high = (float(dataset[name][0]) for name in ("mean_low", "mean_high"))
    crosses(lambda mean, side: bounded_bets(gaps, mean - middle, low=-1.0, high=1.0, side=side),
            low, high)
    assert drawn_limits(figures.means(dataset)) == [pytest.approx((low / middle, high / middle))]


def test_limits_by_a_variance_are_where_its_bets_cross(trial):
    dataset = trial["planted/variance"].dataset
    low, high = (float(dataset[name][0]) for name in ("mean_low", "mean_high"))
    draws = dataset["lhs"].values.ravel()
    crosses(lambda mean, side: catoni_bets(draws, mean, 1.0, side), low, high)
    assert drawn_limits(figures.means(dataset)) == [pytest.approx((low / 1.3, high / 1.3))]


def test_limits_of_ours_beside_print_are_those_of_the_test_of_print(trial):
    dataset = trial["planted/printed-false"].dataset
    draws = dataset["lhs"].values.ravel()
    # Maurer and Pontil, either way with half of 1%.
    level, n = np.log(2 / 0.005), draws.size
    half = np.sqrt(2 * draws.var(ddof=1) * level / n) + 7 * level / (3 * (n - 1))
    limits = pytest.approx((draws.mean() - half, draws.mean() + half))
    assert drawn_limits(figures.published(dataset)) == [limits]


def test_without_a_range_there_is_no_interval_but_a_sentence(trial):
    figure = figures.means(record(trial, "no-range-equal"))
    assert not drawn_limits(figure) and "No interval: it takes a range" in figure.get_label()
    assert "no interval" in figure.axes[0].get_xlabel()


def test_half_a_range_gives_half_an_interval(trial):
    dataset = trial["planted/only-low-false"].dataset
    assert np.isinf(float(dataset["mean_high"][0]))
    low, draws = float(dataset["mean_low"][0]), dataset["lhs"].values.ravel()
    bets = bounded_bets(draws, low, low=-1.0, side="above")
    assert log_e_bets(bets) >= np.log(200) and -0.6 < low < draws.mean()
    assert "An arrow: no limit on that side" in figures.means(dataset).get_label()
    assert "by 0.1" in prose.verdict(Record.of(dataset))


def test_half_an_interval_is_printed_with_its_infinite_end():
    claim = Paper("p", "P").mean(
        "half", statement="x", bound=lambda: 0.5, low=0.0, expect="undecided",
        simulate=lambda *, size, rng: 0.8 * rng.random(size),
    )
    with audit([claim], budget="smoke") as found:
        dataset = found["p/half"].dataset
        low, high = (dataset[f"tightness_{end}"].item() for end in ("low", "high"))
        cells, _ = table(Record.of(dataset))
    assert 0.7 < low < 0.9 and high == np.inf
    assert cells["tightness"].endswith(f" [{low:.3g}, \u221e]")


def test_means_along_a_rate_have_no_normal_intervals(trial):
    figure = figures.rate(record(trial, "masked-rate-0.4"))
    assert not figure.axes[0].containers
    assert "take means as normal; the points, the means themselves, have none" in figure.get_label()


def test_rows_that_do_not_apply_are_in_no_picture_and_no_statistic(trial):
    about = record(trial, "masked-mean-holds")
    kept = applying(trial, "masked-mean-holds")
    assert about.monte_carlo[0][0] == pytest.approx(kept.std() / kept.size**0.5, rel=0.2)
    laws = record(trial, "masked-laws-agree")
    left, right = (applying(trial, "masked-laws-agree", of) for of in ("lhs", "other"))
    np.testing.assert_array_equal(laws.all_draws("other", 0), right)
    points = np.sort(np.r_[left, right])
    gap = np.abs(
        np.searchsorted(np.sort(left), points, "right")
        - np.searchsorted(np.sort(right), points, "right")
    ).max() / left.size
    curve = next(x for x in figures.laws(laws).axes[0].get_lines() if len(x.get_xdata()) > 2)
    assert np.abs(curve.get_ydata()).max() == pytest.approx(gap)
    assert gap == pytest.approx(float(laws.per_cell("distance")[0]))


@pytest.mark.parametrize("name", ["mean-holds", "laws-agree", "always-holds", "published-holds",
                                  "rate-0.4", "everywhere"])
def test_every_kind_says_how_many_draws_satisfy_the_hypotheses(trial, name):
    about = record(trial, f"masked-{name}")
    row, _ = table(about)
    held, drawn = int(about.held[0]), int(about.per_cell("replicates")[0])
    assert 0 <= held < drawn
    said = row["draws that satisfy the hypotheses"].replace("\u202f", "")
    assert said == f"{held} of {drawn}"
    assert "draws that satisfy the hypotheses" in dict(prose.tried(about))


@pytest.mark.parametrize(("name", "says"), [
    ("cancelled-unsaid", "Undecided: in 1 of 1 cells the sides differ beyond rounding"),
    ("exists-open", "Undecided: the optimum is known too coarsely"),
    ("mean-vacuous", "Undecided: vacuous in every cell"),
    ("equal-forced", "Undecided: vacuous in every cell"),
    ("masked-everywhere", "Undecided: the hypotheses hold in no draw"),
    ("log-over-root-noise-0.05", "Undecided: the slope is −0.2"),
    ("tie-tail", "; with what rounding leaves open up to 1."),
    ("tie-law", "the promise was never broken; with what rounding leaves open up to 1.5"),
    ("laws-exact", "The two laws are the same, value by value"),
    ("laws-exact-false", "In 1 of 1 cells the two laws differ, by up to 1×10⁻⁶"),
    ("laws-natural", "(margin 0.08) of area between their distribution functions"),
])
def test_titles_say_the_verdict(trial, name, says):
    figure = next(iter(figures.deciding(record(trial, name)).values()))
    assert says in title(figure)


def test_a_discovery_is_not_said_to_hold_at_the_level_of_a_refutation():
    # At its level: no cell refutes it, nor all together; e-BH at alpha may.
    about = record_of_a_discovery()
    assert about.jointly and "false discovery rate" in prose.verdict(about)
    assert any("e-BH" in text for text in prose.caveats(about))
    assert not any("by e-processes" in text for text in prose.caveats(about))
    figure = next(iter(figures.deciding(about).values()))
    assert title(figure).startswith("Refuted at a false discovery rate, no cell alone: ")


def record_of_a_discovery():
    with audit([planted.at_level()], replicates=512) as found:
        dataset = found["planted/at-level"].dataset.load()
    return Record.of(dataset.assign_attrs(
        verdict="refuted", reason="refuted at a false discovery rate of 0.01, e-value 150"
    ))


def test_print_that_cannot_be_is_said_to_be_impossible():
    claim = planted.published(impossible=lambda n: "a mean of .5 and an sd of .9 in [0, 1]",
                              expect="refuted", rows=64)
    with audit([claim], replicates=64) as found:
        about = Record.of(found[claim.id].dataset)
    assert prose.verdict(about).endswith("what is printed is arithmetically impossible.")


def test_an_infinite_number_sorts_as_one(tmp_path):
    plant, = (p for p in plants.every_plant() if p.name == "no-range")
    with audit([plant.claim()], replicates=64) as found:
        write(found, tmp_path)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'data-sort="Infinity"' in index and 'data-sort="inf"' not in index


def test_what_is_refuted_by_a_hair_is_not_printed_as_reaching_the_bound(tmp_path):
    claim = Paper("p", "P").mean(
        "hair", statement="x", bound=lambda: 1.0, exact=lambda: Law([1.0003], [1.0]),
        expect="refuted",
    )
    with audit([claim], budget="smoke") as found:
        cells, _ = table(Record.of(found["p/hair"].dataset))
        write(found, tmp_path)
    assert cells["tightness"] == ">1"
    assert "| >1 |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert ">&gt;1</td>" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_without_a_positive_mean_the_reason_says_so_once(trial):
    reason = trial["planted/zero-means"].reason
    assert reason.count("none") == 0 and reason.count("(a mean is not positive)") == 1


def test_what_all_cells_refute_together_is_said_in_every_title():
    plant, = (p for p in plants.every_plant() if p.name == "tail-1.1-in-20")
    with audit([plant.claim()], budget="smoke") as found:
        result = found["planted/tail-1.1-in-20"]
        assert result.reason == "20 cells together refute it, none alone"
        for figure in figures.deciding(result.dataset).values():
            assert title(figure).startswith("Refuted by all cells together, no cell alone: ")


def test_two_laws_are_held_against_the_distance_of_the_rule(trial):
    from scipy.stats import wasserstein_distance

    natural = record(trial, "laws-natural")
    found = wasserstein_distance(natural.all_draws("lhs", 0), natural.all_draws("other", 0))
    row, caption = table(natural)
    assert float(row["Wasserstein distance"]) == pytest.approx(found, rel=1e-2)
    assert row["margin"] == "0.08" and "−log p against" in row and "no e-value" in caption
    assert "in Wasserstein's distance" in prose.verdict(natural)
    # A margin in the unit of the draws is no height of a difference of probabilities.
    (key,) = figures.laws(natural).artists
    assert "declared margin" not in [label for _, label in key.entries]
    exact = record(trial, "laws-exact")
    assert "vacuous" not in prose.verdict(exact).lower()
    assert prose.verdict(exact) == (
        "In the one cell that was tried (n\u00a0=\u00a01) the two laws agree to rounding."
    )


def test_weights_are_a_hypothesis_and_figures_are_weighted(trial):
    about = record(trial, "weights-true")
    row, _ = table(about)
    assert any("Weights are ratios of likelihoods" in text for text in about.hypotheses)
    assert "is a hypothesis" in dict(prose.tried(about))["weights"]
    dataset = trial["planted/weights-true"].dataset
    weight, lhs = (dataset[name].values.ravel() for name in ("weight", "lhs"))
    limit = 10 * 3e-7**0.9 + 1e-12
    assert float(dataset["weight_limit"].values[0, 0]) == pytest.approx(limit)
    broken = weight * (lhs > float(dataset["rhs"].values[0, 0]))
    low, high = (float(end[0, 0]) for end in about.rate_limits)
    crosses(lambda mean, side: bounded_bets(broken, mean, low=0.0, high=limit, side=side),
            low, high)
    assert low < 3e-7 < high
    assert "weighted rate of violations" in row and "broken, unweighted" in row
    drawn = tables.tables(about)[1]
    assert "weighted mean" in drawn.head and "median" not in drawn.head
    # X has the law Exp(1), whose mean is 1.
    assert float(drawn.rows[0][drawn.head.index("weighted mean")]) == pytest.approx(1, abs=0.1)


def test_weights_without_a_limit_are_a_hypothesis_too():
    plant, = (p for p in plants.every_plant() if p.name == "weights-edge")
    claim = dataclasses.replace(plant.claim(), weight_limit=None, expect="undecided")
    with audit([claim], replicates=64) as found:
        about = Record.of(found[claim.id].dataset)
    assert any("Weights are ratios of likelihoods" in text for text in about.hypotheses)
    assert "Draws alone cannot uphold it: weight_limit is not declared." in about.hypotheses
    assert about.rate_limits[0][0, 0] > 0 and "no limit declared" in prose.tried(about)[-1][1]


def test_ties_are_in_the_table_where_there_are_any(trial):
    drawn, exact = table(record(trial, "tie-tail"))[0], table(record(trial, "tie-law"))[0]
    assert int(drawn["left open by rounding"]) > 0
    assert exact["left open by rounding"] == "0.617"
    assert exact["rate of violations"] == "0 [0, 0.617]"
    assert "left open by rounding" not in table(record(trial, "weights-true"))[0]


def test_a_printed_number_has_a_p_value_and_is_said_to(trial):
    about = record(trial, "printed-false")
    row, caption = table(about)
    assert "−log p against" in row and not any(name.startswith("log e") for name in row)
    assert "p-value of a test of the cell, and no e-value" in caption
    assert "the claim has log e = " in caption


def test_a_curve_resolves_nothing(trial):
    for name, says in (("log-over-root-noise-0.05", "Where curvature is seen there is no power"),
                       ("zero-means", "Without a slope nothing would have been refuted")):
        about = record(trial, name)
        assert trial[f"planted/{name}"].resolution == np.inf
        assert any(text.startswith("Resolution: infinite.") and says in text
                   for text in prose.caveats(about))
    assert np.isfinite(trial["planted/masked-rate-0.4"].resolution)
    said = prose.verdict(record(trial, "log-over-root-noise-0.05"))
    assert said.startswith("Curvature is seen, so no power law holds on the range: the slope is")


def test_a_page_is_made_of_so_many_draws_and_no_more(trial, monkeypatch):
    # Memory must not follow the replicates.
    of_blocks = (result.dataset for result in trial if result.dataset.sizes.get("chain", 0) > 1)
    about = Record.of(next(of_blocks))
    blocks, rows = about.draws("lhs", 0), about.dataset.sizes["draw"]
    assert len(blocks) > 1
    monkeypatch.setattr("noisytheory.report.record.SHOWN", rows)
    (only,) = about.draws("lhs", 0)
    np.testing.assert_array_equal(only, blocks[0])
