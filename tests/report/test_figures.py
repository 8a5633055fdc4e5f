"""Figures, by what is drawn on them: the bound where it is, every series told apart."""

from __future__ import annotations

import dataclasses
import re
from xml.etree.ElementTree import fromstring

import numpy as np
import planted
import pytest

from noisytheory import audit
from noisytheory.report import Record, figures
from noisytheory.report.figures import cells, style
from noisytheory.report.spelling import number
from noisytheory.trial.evidence import rate_limits

SAYS_NOTHING = {"planted/quoted"}
"""No trial."""


@pytest.fixture(scope="module")
def trial():
    with audit([*planted.every_kind(), broken_tail()], budget="smoke") as found:
        yield found


def broken_tail():
    return dataclasses.replace(
        planted.hoeffding("hoeffding-broken"), bound=planted._quartered, expect="refuted",
        twin=None, quantity="deviation", unit="probability",
    )


def data(trial, name):
    return trial[f"planted/{name}"].dataset


def title(figure):
    return figure.get_suptitle().replace("\n", " ").replace("\u00a0", " ")


def line(axes, label):
    found, = (x for x in axes.get_lines() if x.get_label() == label)
    return found


def names(figure):
    keys = [label for key in figure.artists for _, label in key.entries]
    return keys + [t.get_text() for legend in figure.legends for t in legend.get_texts()]


def dots_of(axes):
    return np.concatenate([x.get_xydata() for x in axes.get_lines() if x.get_linestyle() == "None"])


def axes_of(figure):
    axes, = figure.axes
    return axes


@pytest.mark.parametrize("claim", [*planted.every_kind(), broken_tail()], ids=lambda c: c.id)
def test_every_kind_draws(trial, claim):
    dataset = trial[claim.id].dataset
    drawn = figures.deciding(dataset)
    assert bool(drawn) == (claim.id not in SAYS_NOTHING)
    for figure in drawn.values():
        axes = axes_of(figure)
        assert axes.get_xlabel() and title(figure)
        assert len(figure.get_label()) > len(title(figure))
        assert len(names(figure)) <= 9
        svg = figures.svg(figure)
        assert len(svg) < 150_000
        # All colours have a dark form.
        assert set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", svg)) <= set(style.DARK)


def test_pyplot_is_not_touched(trial):
    import sys

    def opened():
        pyplot = sys.modules.get("matplotlib.pyplot")
        return pyplot.get_fignums() if pyplot else []

    before = opened()
    figures.violations(data(trial, "hoeffding"))
    assert opened() == before


def test_violations_line_is_rate_equal_delta(trial):
    axes = axes_of(figures.violations(data(trial, "at-level")))
    promised = line(axes, "promised: rate = δ")
    np.testing.assert_array_equal(promised.get_xdata(), promised.get_ydata())
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.get_xlabel() == "promised level δ [probability]"
    assert "[probability]" in axes.get_ylabel()


def test_violations_have_clopper_pearson_intervals(trial):
    dataset = data(trial, "at-level")
    axes = axes_of(figures.violations(dataset))
    drawn = {
        (round(float(low), 9), round(float(high), 9))
        for container in axes.containers
        for (_, low), (_, high) in container.lines[2][0].get_segments()
    }
    low, high = rate_limits(
        dataset["violations"], dataset["replicates"].expand_dims(delta=3, axis=-1), 0.99
    )
    expected = {
        (round(float(a), 9), round(float(b), 9))
        for a, b in zip(low.ravel(), high.ravel(), strict=True)
    }
    assert drawn == expected


def test_no_violation_is_drawn_as_upper_limit(trial):
    dataset = data(trial, "data-dependent")
    assert int(dataset["violations"].sum()) == 0
    axes = axes_of(figures.violations(dataset))
    limits = sorted(float(y) for c in axes.containers for y in c.lines[0].get_ydata())
    assert all(c.has_yerr for c in axes.containers)
    expected = rate_limits(0, dataset["replicates"].values.repeat(2), 0.99)[1]
    np.testing.assert_allclose(limits, sorted(expected))


def test_exact_probabilities_have_no_interval(trial):
    dataset = data(trial, "hoeffding-exact")
    axes = axes_of(figures.violations(dataset))
    assert not axes.containers
    probabilities = dataset["probability"].values
    solid = probabilities[probabilities > axes.get_ylim()[0]]
    assert solid.size and all(np.isclose(dots_of(axes)[:, 1], p).any() for p in solid)


def test_distribution_forbids_the_corner(trial):
    dataset = data(trial, "hoeffding")
    record = Record(dataset)
    figure = figures.distribution(dataset)
    axes = axes_of(figure)
    bound, = (x for x in axes.get_lines() if list(x.get_xdata()) == [1, 1])
    assert bound is not None
    curves = [x for x in axes.get_lines() if x.get_label().startswith("n")]
    assert len(curves) == 2
    # A curve crosses the promised level where the tightness says.
    delta = float(record.deltas[record.level])
    tightness = sorted(dataset["tightness"].values[:, record.level])
    assert {c.get_drawstyle() for c in curves} == {"steps-post"}
    crossing = sorted(float(c.get_xdata()[c.get_ydata() <= delta][0]) for c in curves)
    # The quantiles are kept at steps of 0.01, so the level is met from below.
    assert all(c >= t - 1e-12 for c, t in zip(crossing, tightness, strict=True))
    np.testing.assert_allclose(crossing, tightness, rtol=0.12)


def test_distribution_far_beyond_the_bound_is_still_seen(trial):
    far = data(trial, "hoeffding-broken").copy(deep=True).load()
    far["rhs"] = far["rhs"] / 10
    axes = axes_of(figures.distribution(far))
    reach = axes.get_xlim()[1]
    curves = [x for x in axes.get_lines() if x.get_label().startswith("n")]
    assert reach > 6 and any(float(max(c.get_xdata())) <= reach for c in curves)


def test_a_bound_that_is_drawn_is_its_median_in_the_picture(trial):
    fixed = data(trial, "hoeffding")
    drawn = fixed.assign(diameter=2 * fixed["lhs"])
    labels = [axes_of(figures.distribution(each)).get_xlabel() for each in (fixed, drawn)]
    assert labels == ["left side / bound", "left side / median of the bounds drawn"]


def test_tightness_is_what_was_measured(trial):
    dataset = data(trial, "hoeffding")
    record = Record(dataset)
    axes = axes_of(figures.tightness(dataset))
    assert set(line(axes, "the bound").get_ydata()) == {1}
    assert axes.get_xlabel() == "sample size n"
    level = record.level
    drawn = next(x for x in axes.get_lines() if len(x.get_xdata()) == 2 and x.get_color() != "k"
                 and list(x.get_xdata()) == [10, 100])
    np.testing.assert_array_equal(drawn.get_ydata(), dataset["tightness"].values[:, level])
    assert axes.get_xscale() == "log"


def test_forest_marks_the_bound_and_what_is_refuted(trial):
    figure = figures.forest(data(trial, "hoeffding-broken"))
    axes = axes_of(figure)
    assert set(line(axes, "the bound").get_xdata()) == {1}
    assert "refuted" in names(figure)
    assert "break the promise" in title(figure)
    rows = [t.get_text().replace("\u00a0", " ") for t in axes.get_yticklabels()]
    assert rows == ["n = 10", "n = 100"]


def test_vacuous_cells_are_hollow_and_grey(trial):
    vacuous = planted.hoeffding("hoeffding-vacuous", grid={"n": [9, 100], "delta": [0.1, 0.01]})
    with audit([vacuous], budget="smoke") as found:
        dataset = found[vacuous.id].dataset
        assert dataset["vacuous"].any() and not dataset["vacuous"].all()
        assert ((dataset["rhs"] / dataset["trivial"] >= 1) == dataset["vacuous"]).all()
        for draw in (figures.violations, figures.tightness, figures.forest):
            figure = draw(dataset)
            assert any("vacuous" in name for name in names(figure))
            hollow = [
                x for x in axes_of(figure).get_lines() if x.get_label() == "vacuous"
                or x.get_markerfacecolor() == "none"
            ]
            assert hollow and all(x.get_color() == style.MUTED for x in hollow)


def test_open_interval_is_an_arrow_not_a_failure(trial):
    dataset = data(trial, "hoeffding").copy(deep=True).load()
    dataset["tightness_high"][:] = np.inf
    for draw in (figures.tightness, figures.forest, lambda d: figures.summary([d])):
        axes = axes_of(draw(dataset))
        assert np.isfinite(axes.get_xlim()).all() and np.isfinite(axes.get_ylim()).all()


def test_rate_shows_both_slopes(trial):
    figure = figures.rate(data(trial, "rate"))
    axes = axes_of(figure)
    promised = line(axes, "promised slope −0.45")
    slope = np.diff(np.log(promised.get_ydata())) / np.diff(np.log(promised.get_xdata()))
    np.testing.assert_allclose(slope, -0.45)
    assert any("slope −0.5" in name or "slope −0.49" in name for name in names(figure))


def test_slopes_agree_with_the_verdict(trial):
    dataset = data(trial, "rate")
    fit, = figures.slopes(Record(dataset))
    np.testing.assert_allclose(fit["slope"], dataset["slope"].values[0])
    assert fit["low"] < fit["slope"] < fit["high"] < fit["exponent"]


def test_summary_leaves_out_what_has_no_ratio(trial):
    figure = figures.summary([r.dataset for r in trial])
    rows = [t.get_text() for t in axes_of(figure).get_yticklabels()]
    assert {"planted/hoeffding", "planted/exists"} <= set(rows)
    assert not {"planted/quoted", "planted/binomial"} & set(rows)
    with pytest.raises(ValueError, match="no claim has a ratio"):
        figures.summary([data(trial, "quoted")])


def test_summary_of_many_claims_stacks_them_by_paper(trial):
    one = data(trial, "hoeffding").load()
    many = [one.assign_attrs(claim=f"planted/claim-{k}", paper="planted") for k in range(20)]
    loose = one.copy(deep=True)
    loose["tightness"] = loose["tightness"] / 20
    many += [loose.assign_attrs(claim="other/loose", paper="other", verdict="undecided")]
    broken = data(trial, "hoeffding-broken").load()
    many += [broken.assign_attrs(claim=f"other/broken-{k}", paper="other") for k in range(5)]
    figure = figures.summary(many)
    first, second = figure.axes
    assert [a.get_title("left") for a in figure.axes] == [
        "planted, 20 claims with a ratio", "other, 6 claims with a ratio",
    ]
    dots = dots_of(first)
    assert sorted(dots[:, 1]) == list(range(1, 21))
    assert set(dots[:, 0]) == {Record(one).tightness}
    assert next(t.get_text() for t in second.texts) == "loose"
    assert set(names(figure)) == {"upheld", "refuted", "undecided", "the bound"}
    assert first.get_xscale() == "log" and len(figures.svg(figure)) < 150_000


def test_dots_sit_at_their_values_and_do_not_touch(trial):
    one = data(trial, "hoeffding").load()
    many = []
    for k, factor in enumerate(np.geomspace(1, 1.5, 30)):
        near = one.copy(deep=True)
        near["tightness"] = near["tightness"] * factor
        many.append(near.assign_attrs(claim=f"planted/claim-{k}", paper="planted"))
    figure = figures.summary(many)
    axes = axes_of(figure)
    dots = dots_of(axes)
    measured = sorted(Record(near).tightness for near in many)
    assert sorted(dots[:, 0]) == measured
    figure.draw_without_rendering()
    places = axes.transData.transform(dots)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(len(dots))
    size = max(x.get_markersize() for x in axes.get_lines() if x.get_linestyle() == "None"
               and x.get_xdata().size)
    assert apart.min() > size * figure.dpi / 72


def test_ratios_without_room_stand_at_the_edge_with_their_value(trial):
    one = data(trial, "hoeffding").load()
    many = []
    for k, factor in enumerate([*[1.0] * 30, 1e9]):
        near = one.copy(deep=True)
        near["tightness"] = near["tightness"] * factor
        many.append(near.assign_attrs(claim=f"planted/claim-{k}", paper="planted"))
    axes = axes_of(figures.summary(many))
    assert dots_of(axes)[:, 0].max() == 1000
    value = number(Record(many[-1]).tightness, 2)
    assert f"claim-30 ({value})" in [t.get_text() for t in axes.texts]


def test_captions_name_what_is_drawn_and_nothing_else(trial):
    with audit([planted.always()], budget="smoke") as found:
        label = figures.forest(found["planted/am-gm"].dataset).get_label()
        assert "interval" not in label and "arrow" not in label
    drawn = data(trial, "hoeffding").copy(deep=True).load()
    label = figures.forest(drawn).get_label()
    assert "99% interval" in label and "arrow" not in label
    drawn["tightness_high"][:] = np.inf
    assert "An arrow: no upper limit" in figures.forest(drawn).get_label()
    exact = figures.violations(data(trial, "hoeffding-exact")).get_label()
    assert "interval" not in exact and "Arrows" not in exact and "Exact rate" in exact
    assert "99% limits" in figures.violations(data(trial, "at-level")).get_label()
    assert "Arrows" in figures.violations(data(trial, "data-dependent")).get_label()


def test_rounding_is_drawn_as_an_equality(trial):
    dataset = data(trial, "am-gm-exhaustive").copy(deep=True).load()
    dataset["mean"][...] = 1.4e-17
    figure = figures.excess(dataset)
    axes = axes_of(figure)
    dots = np.concatenate([
        np.ravel(x.get_xdata()) for x in axes.get_lines() if x.get_label() == "upheld"
    ])
    assert (dots == 0).all() and "1.4×10⁻¹⁷" in axes.get_xlabel()
    assert "drawn as 0" in figure.get_label()
    # Where it is refuted, even little stays in sight.
    dataset["decision"][...] = 2
    assert "rounding" not in axes_of(figures.excess(dataset)).get_xlabel()


def test_dollars_in_names_are_text(trial):
    priced = dataclasses.replace(planted.equal(), id="planted/priced", quantity="price $x_ in {")
    with audit([priced], replicates=64) as found:
        drawn = figures.svg(figures.optimum(found[priced.id].dataset))
    assert "price $x_ in {" in drawn


def test_declared_margins_are_drawn_where_the_store_has_them(trial):
    dataset = data(trial, "table").load()
    margin = float(dataset["margin"].max())
    figure = figures.published(dataset)
    assert "stated tolerance" in names(figure)
    bars = [c for c in axes_of(figure).collections if c.get_label() == "stated tolerance"]
    (low, _), (high, _) = bars[0].get_segments()[0]
    assert (low, high) == pytest.approx((0.5 - margin, 0.5 + margin))
    assert "equal within this margin" in names(
        figures.means(data(trial, "equal").load())
    )


def test_raised_exponents_are_written_plainly(trial):
    figure = figures.violations(data(trial, "hoeffding"))
    figure.text(0.5, 0.5, "δ = 1.5×10⁻¹²")
    assert "δ = 1.5e−12" in figures.svg(figure)


def test_svg_is_repeatable_and_whole(trial):
    dataset = data(trial, "hoeffding")
    figure = figures.violations(dataset)
    figure.text(0.5, 0.5, "0.12345")
    first = figures.svg(figure)
    assert figures.svg(figures.violations(dataset)) == figures.svg(figures.violations(dataset))
    root = fromstring(first)
    assert not re.search(r'(href|src)="(?!#)', first)
    assert not re.search(r"\d{4}-\d\d-\d\d", first)
    # What is written in the picture is never shortened like a coordinate.
    assert {"0.12345", "0.01", "0.1"} <= {t.strip() for t in root.itertext()}
    assert "prefers-color-scheme: dark" in first


def test_no_more_lines_than_can_be_told_apart():
    many = planted.hoeffding(
        "hoeffding-many", rows=64, simulate=many_coins,
        grid={"n": [10, 100], "shift": list(range(12)), "delta": [0.1]},
    )
    with audit([many], replicates=64) as found:
        for figure in figures.deciding(found[many.id].dataset).values():
            assert len(names(figure)) <= 9


def many_coins(n, shift, *, size, rng):
    return planted._mean_of_coins(n, size=size, rng=rng)


def test_just_above_the_bound_is_not_called_the_bound():
    told = {0.004: "0.004 times", 0.31: "31% of", 0.997: "99.7% of", 1.0: "all of",
            1.0203: "1.02 times", 1.004: "1.004 times", 3.44: "3.4 times"}
    assert {value: cells.share_of(value) for value in told} == told


def test_a_forest_that_would_hide_what_is_broken_is_not_drawn():
    # Where these break, the right side is 0 or less: no ratio there, or only that of other rows.
    ids = ["kernel-mean/theorem-20/printed", "kernel-mean/lemma-19/printed"]
    with audit(ids, budget="smoke") as found:
        for result in found:
            assert result.verdict == "refuted"
            assert list(figures.deciding(result.dataset)) == ["excess"]


def test_infinite_draws_have_a_picture():
    """They end no report: an axis ends where the finite ones do."""
    claim = planted.PAPER.tail(
        "infinite", statement="x", bound=lambda n, delta: 1.0,
        grid={"n": [1], "delta": [0.1, 0.2]},
        simulate=lambda n, *, size, rng: np.where(rng.uniform(size=size) < 0.5, np.inf, -np.inf),
        expect="refuted",
    )
    with audit([claim], budget="smoke") as found:
        assert set(figures.deciding(found[claim.id].dataset)) == {"violations", "distribution"}


def _endless_right_side(n, *, size, rng):
    return {"lhs": np.ones(size), "rhs": np.full(size, np.inf)}


def test_right_sides_without_end_have_pictures_without_a_warning():
    own = {"statement": "x", "rows": 64, "expect": "undecided"}
    claims = [
        planted.PAPER.always("endless", simulate=_endless_right_side, grid={"n": [1, 2]}, **own),
        planted.PAPER.mean(
            "far", simulate=lambda n, *, size, rng: rng.uniform(size=size), low=0.0, high=1.0,
            bound=lambda n: np.inf, grid={"n": [1, 2]}, **own,
        ),
    ]
    with audit(claims, budget="smoke") as found:
        for result in found:
            figures.deciding(result.dataset)


def _two_sums(n, *, size, rng):
    a, b, c = rng.uniform(-1, 1, (3, size)) * [[1], [1], [1e3]]
    return {"lhs": (a + b) + c, "rhs": a + (b + c), "scale": abs(a) + abs(b) + abs(c)}


def _square_and_bound(n, *, size, rng):
    a = rng.integers(0, 17, size) / 16
    return {"lhs": a * a, "rhs": a}


def _half_of_the_cells(n, *, size, rng):
    drawn = _square_and_bound(n, size=size, rng=rng)
    return {**drawn, "applies": np.full(size, n == 1)}


def test_a_cell_without_a_try_has_no_dots():
    claim = planted.PAPER.always("half", statement="x", grid={"n": [1, 2]}, rows=64,
                                 simulate=_half_of_the_cells, expect="undecided")
    with audit([claim], budget="smoke") as found:
        axes = axes_of(figures.sides(found[claim.id].dataset))
    labels = [x.get_label() for x in axes.get_lines()]
    assert labels == ["n\u00a0=\u00a01", "the nearest", "the bound"]


def test_tries_that_break_the_promise_are_counted_as_such():
    claims = [planted.PAPER.always("half", simulate=_more_than_half, **FIELDS),
              planted.PAPER.identity("half-equal", simulate=_more_than_half, **FIELDS)]
    with audit(claims, budget="smoke") as found:
        more, apart = (found[claim.id].dataset for claim in claims)
        broken = int((np.ravel(more["lhs"]) > 0.5).sum())
        drawn = [figures.sides(data.assign_attrs(verdict="refuted")) for data in (more, apart)]
        assert title(drawn[0]).startswith(f"The left side is the larger one in {broken} of ")
    assert title(drawn[1]).startswith("The sides differ in ")
    assert axes_of(drawn[1]).get_ylabel() == axes_of(drawn[0]).get_ylabel() == "left side"
    for figure, label in zip(drawn, ("the bound", "equal"), strict=True):
        axes = axes_of(figure)
        dots = line(axes, "breaks the promise")
        assert dots.get_color() == style.COLOURS[1]
        assert not (np.asarray(dots.get_ydata()) == dots.get_xdata()).any()
        assert len(line(axes, "the furthest beyond").get_xdata()) == 1
        np.testing.assert_array_equal(*line(axes, label).get_data())


FIELDS = {"statement": "x", "grid": {"n": [1]}, "rows": 64, "expect": "undecided"}


def _more_than_half(n, *, size, rng):
    return {"lhs": rng.integers(0, 9, size) / 8, "rhs": np.full(size, 0.5)}


def test_tries_that_keep_the_promise_are_drawn_by_their_sides():
    fields = {"statement": "x", "grid": {"n": [1]}, "rows": 256}
    claims = [planted.PAPER.identity("sums", simulate=_two_sums, **fields),
              planted.PAPER.always("squares", simulate=_square_and_bound, **fields)]
    with audit(claims, budget="smoke") as found:
        rounded, below = (figures.deciding(found[c.id].dataset) for c in claims)
        sides = found[claims[0].id].dataset
        left, right, scale = (np.ravel(sides[k]) for k in ("lhs", "rhs_draw", "scale"))
    assert list(rounded) == list(below) == ["sides"]
    heights = line(axes_of(rounded["sides"]), "a try").get_ydata()
    # In units of rounding of what was added up; the worst try is among those drawn.
    expected = np.abs(left - right) / (scale * 2.0**-52)
    assert 0 < np.abs(heights).max() == expected.max() < 3
    assert title(rounded["sides"]).startswith("The sides differ by ")
    shown = line(axes_of(below["sides"]), "a try")
    np.testing.assert_allclose(shown.get_ydata(), shown.get_xdata() ** 2)
    assert "the bound" in names(below["sides"])
    assert re.fullmatch("None of .* tries breaks the bound, and .* reach it", title(below["sides"]))


def test_a_single_mark_is_no_picture_and_a_label_breaks_between_its_words():
    def simulate(n, *, size, rng):
        return rng.random((size, n)).mean(axis=1) / 2

    def coin(name, **grid):
        return planted.PAPER.tail(name, statement="x", bound=lambda n, delta: 0.45,
                                  simulate=simulate, grid=grid)

    claims = [coin("one-mark", n=[2], delta=[0.3]), coin("marks", n=[2, 3], delta=[0.3, 0.2])]
    with audit(claims, budget="smoke") as found:
        one, more = (figures.deciding(found[c.id].dataset) for c in claims)
    assert list(one) == ["distribution"] and "violations" in more
    label = more["violations"].axes[0].get_ylabel()
    assert label == "rate of violations,\n99% limits [probability]"


def test_a_mean_below_zero_is_drawn_there():
    claim = planted.PAPER.mean(
        "below-zero", statement="x", bound=lambda n: 1.0 * n, grid={"n": [1, 2]}, low=-1.0,
        high=0.5, simulate=lambda n, *, size, rng: rng.uniform(-0.6, -0.4, size),
    )
    with audit([claim], budget="smoke") as found:
        drawn = figures.deciding(found[claim.id].dataset)["means"]
    axes = drawn.axes[0]
    places = np.concatenate([line.get_xdata() for line in axes.get_lines()])
    assert places.min() == pytest.approx(-0.5, abs=0.02) and axes.get_xlim()[0] < -0.5


def test_a_mean_of_zero_is_no_share_of_its_bound():
    found = audit("top-k/toy-case-5", budget="smoke")["top-k/toy-case-5"]
    figure = figures.means(found.dataset)
    assert figure.get_suptitle() == "The mean is at most 0, to rounding, and the bound above it"
