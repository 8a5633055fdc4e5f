"""Pictures of instances: which form shows them, and that it shows what was tried."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory import audit
from noisytheory.report import Record, figures, prose
from noisytheory.report.figures import style
from noisytheory.report.figures.tries import said, tries_of
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import worked

MINE = nt.Paper("mine", "t")


def of(cases, kind="always", grid=None, **fields):
    """Dataset of a claim whose instances are these."""
    made = worked(cases)
    claim = getattr(MINE, kind)("it", statement="x", grid=grid or {}, **made, **fields)
    with audit(claim, budget="smoke").store as store:
        return store.read(claim.id).load()


def only(dataset, form):
    drawn = figures.deciding(dataset)
    assert list(drawn) == [form]
    figures.svg(drawn[form])
    return drawn[form], drawn[form].axes[0]


def dots(axes, label):
    found, = (x for x in axes.get_lines() if x.get_label() == label)
    return np.transpose(found.get_xydata())


def labels(axes):
    return [label.replace("\u00a0", " ") for _, label in axes.yaxis.shown()]


def title(figure):
    return figure.get_suptitle().replace("\n", " ")


def test_few_instances_have_a_row_each_with_both_sides():
    def cases():
        for k in range(3):
            yield Certificate(Fraction(k, 4), Fraction(1, 4), [("k", k)])

    figure, axes = only(of(cases, expect="refuted", quantity="quarters"), "pairs")
    assert labels(axes) == ["k = 0", "k = 1", "k = 2"]
    assert dots(axes, "right side").tolist() == [[0.25] * 3, [0, 1, 2]]
    assert dots(axes, "left side").tolist() == [[0, 0.25], [0, 1]]
    broken, = (x for x in axes.get_lines() if x.get_label() == "left side, broken")
    assert broken.get_xydata().tolist() == [[0.5, 2]]
    assert (broken.get_color(), broken.get_marker()) == (style.COLOURS[1], "X")
    assert title(figure) == "The left side is the larger one in 1 of 3 listed instances"


def test_a_single_instance_is_a_row_unless_both_sides_are_zero():
    def one(value):
        yield Certificate(value, 3)

    figure, _ = only(of(one, given=dict(value=2)), "pairs")
    assert title(figure) == "The left side is 67% of its bound"

    def nothing():
        yield Certificate(0, 0)

    bare = of(nothing)
    assert figures.deciding(bare) == {}
    assert prose.no_picture(Record.of(bare)) == (
        "No picture: it has one instance, and both sides are 0 there."
    )
    # A store of an earlier version has no instances.
    old = of(one, given=dict(value=2)).drop_vars("instances")
    assert figures.deciding(old) == {}
    assert "an earlier version" in prose.no_picture(Record.of(old))


def test_sides_of_few_values_are_counted_by_kind_with_what_is_left_out():
    def cases():
        for k in range(40):
            steps = [("end", "early" if k % 4 else "late")]
            yield Certificate(int(k % 8 == 0), 0, steps, applies=k < 32)

    dataset = of(cases, expect="refuted", quantity="1 if stuck")
    figure, axes = only(dataset, "counts")
    assert labels(axes) == ["end = early", "end = late", "others"]
    wide = {
        found.get_label(): sorted(
            (round(path.vertices[:, 1].mean()), np.ptp(path.vertices[:, 0]).item())
            for path in found.get_paths()
        ) for found in axes.collections
    }
    assert wide == {
        "left no, right no": [(0, 24), (1, 4)], "left yes, right no: broken": [(1, 4)],
        "left out: the hypotheses do not hold": [(2, 8)],
    }
    assert [t.get_text() for t in axes.texts] == ["24", "8", "8"]
    assert title(figure) == "Stuck: in 4 of 32 listed instances"


def test_cells_are_counted_apart():
    def cases(n):
        for k in range(9 * n):
            yield Certificate(1, 1, applies=k % 3 > 0)

    figure, axes = only(of(cases, grid={"n": [1, 2]}, quantity="whether it ends"), "counts")
    assert labels(axes) == ["n = 1", "n = 2"]
    assert [t.get_text() for t in axes.texts] == ["9", "18"]
    assert title(figure) == "Whether it ends: yes in all 18 listed instances"


def test_sides_of_few_values_stand_along_what_takes_many():
    def cases():
        for k in range(1, 31):
            yield Certificate(int(k > 20), int(k > 25), [("mass", Fraction(k, 30))])

    figure, axes = only(of(cases, kind="identity", expect="refuted"), "strips")
    assert labels(axes) == ["both sides 0 (20)", "left 1, right 0: broken (5)", "both sides 1 (5)"]
    rows = [dict(zip(*np.unique(x.get_ydata(), return_counts=True), strict=True))
            for x in axes.get_lines()]
    assert rows == [{0: 20}, {1: 5}, {2: 5}]
    assert axes.get_lines()[1].get_xdata() == pytest.approx(np.arange(21, 26) / 30)
    assert title(figure) == "The sides differ in 5 of 30 listed instances"
    assert axes.get_xlabel() == "mass"


def test_beside_one_right_side_the_left_one_is_a_distribution():
    def cases():
        for k in range(20):
            yield Certificate(Fraction(k, 16), Fraction(5, 4))

    figure, axes = only(of(cases), "spread")
    x, share = dots(axes, "share of the instances")
    assert x.tolist() == [0, *np.arange(20) / 16]
    np.testing.assert_allclose(share, np.arange(21) / 20)
    assert dots(axes, "the nearest")[0] == [19 / 16]
    assert title(figure) == (
        "None of 20 listed instances breaks the bound; the nearest is 95% of it"
    )
    assert "what the promise forbids" in [c.get_label() for c in axes.collections]


def test_what_is_left_of_equality_with_zero_is_a_distribution():
    def simulate(*, size, rng):
        near = np.arange(size) ** 2 * 2.0**-60
        return {"lhs": near, "rhs": np.zeros(size), "scale": np.ones(size)}

    claim = MINE.identity("near", statement="x", simulate=simulate, rows=32)
    with audit(claim, replicates=32).store as store:
        figure, axes = only(store.read(claim.id).load(), "spread")
    # A unit of rounding is 2^-52 beside a size of 1.
    x, share = dots(axes, "share of the instances")
    assert x.tolist() == [0, *(np.arange(32) ** 2 / 256)] and share[-1] == 1
    assert axes.get_xlabel() == "|left − right side| [units of rounding]"
    assert title(figure) == "The sides differ by 3.8 units of rounding at most"


def rounded(left, right, scale=1.0):
    """An identity of sides that only rounding tells apart, of numbers of a size."""
    def simulate(*, size, rng):
        return {"lhs": left, "rhs": right, "scale": np.full(size, scale)}

    claim = MINE.identity("rounded", statement="x", simulate=simulate, rows=len(left))
    with audit(claim, replicates=len(left)).store as store:
        return store.read(claim.id).load()


def test_sides_that_read_alike_are_one_kind():
    left = np.array([1.0, 1 + 1e-7, 1 + 3e-7, 2.0] * 8)
    _, axes = only(rounded(left, np.where(left < 2, 1.0, 2.0), 1e10), "counts")
    assert [c.get_label() for c in axes.collections] == [
        "both sides 1", "both sides about 1", "both sides 2"]


def test_what_is_left_of_equality_keeps_its_line_where_one_side_is_always_larger():
    right = np.arange(1.0, 65.0)
    left = right + right * 2.0**-52
    left[20] += 2e-12
    _, axes = only(rounded(left, right), "sides")
    assert axes.get_yscale() == "symlog"
    _, height = dots(axes, "a try")
    # The furthest is near the upper end, and the line of equality near the lower one.
    ends = axes.yaxis.get_transform().transform(np.array([0, height.max(), *axes.get_ylim()]))
    assert 0 < ends[1] - ends[0] < ends[3] - ends[2] < 1.2 * (ends[1] - ends[0])


@pytest.mark.parametrize("kind", ["always", "identity"])
def test_sides_of_many_values_stand_beside_each_other(kind):
    def cases(steep):
        for k in range(300):
            yield Certificate(Fraction(k % 50) if steep else Fraction(k, 2), Fraction(k, 2))

    figure, axes = only(of(cases, kind, given=dict(steep=0)), "sides")
    x, y = dots(axes, "an instance")
    assert (x == y).all() and x.min() == 0 and x.max() == 149.5 and 90 < len(x) <= 101
    assert title(figure) == (
        "Both sides are the same number in all 300 listed instances, from 0 to 150"
        if kind == "identity" else "None of 300 listed instances breaks the bound, and all reach it"
    )
    figure, axes = only(of(cases, kind, given=dict(steep=1), expect="refuted"), "sides")
    x, y = dots(axes, "breaks the promise")
    assert ((x != y) if kind == "identity" else (y > x)).all()
    right, left = dots(axes, "the furthest beyond")
    assert abs(left - right) == (125 if kind == "identity" else 24.5)
    broken = 299 if kind == "identity" else sum(k % 50 > k / 2 for k in range(300))
    assert re.search(rf" in {broken} of 300 listed instances$", title(figure))


def test_exact_values_that_are_as_promised_stand_beside_each_other():
    claim = MINE.equal(
        "law", statement="x", grid={"n": [2, 3]}, bound=lambda n: n / 2, margin=1e-9,
        exact=lambda n: nt.Law([0.0, float(n)], [0.5, 0.5]),
    )
    with audit(claim, budget="smoke").store as store:
        figure, axes = only(store.read(claim.id).load(), "pairs")
    assert dots(axes, "mean").tolist() == [[1, 1.5], [0, 1]]
    assert title(figure) == "Each value is exactly the promised one"


def test_a_sign_has_no_tightness():
    claim = MINE.tail(
        "sign", statement="x", grid={"n": [1, 4], "delta": [0.5]},
        bound=lambda n, delta: 0.0 * n,
        simulate=lambda n, *, size, rng: rng.uniform(-1, 0.1, (size, n)).mean(axis=1),
    )
    with audit(claim, budget="smoke").store as store:
        drawn = figures.deciding(store.read(claim.id).load())
    assert set(drawn) == {"violations", "distribution"}


def test_a_number_of_those_that_reach_a_bound_is_told_only_where_all_are_kept():
    def cases(n):
        for k in range(n):
            yield Certificate(k // 2 * 2, k)

    few, many = (of(cases, given=dict(n=n)) for n in (100, 1000))
    assert said(tries_of(Record.of(few))).endswith("and 50 reach it")
    assert said(tries_of(Record.of(many))).endswith("and some reach it")
