"""What a bound is asked the other way round, against trying every value."""

from __future__ import annotations

import contextlib
import functools
import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from public_bounds import BOUNDS, values_of

import noisytheory as nt
from noisytheory.vocabulary.domains import COUNT, POSITIVE, Domain, requires

DEVIATION = nt.kernel_mean.mean_deviation
SCALAR = {k: v for k, v in values_of(nt.online.scalar_second_moment).items() if k != "p"}


def points_of(domain, near):
    """Values to try, each of them: the first whole numbers, or a mesh of the domain."""
    if domain.whole:
        step = 2 if domain.even else 1
        first = max(domain.low, -20) if np.isfinite(domain.low) else -20
        return np.arange(first, min(domain.high, first + 200) + 1, step)
    t = np.concatenate([np.geomspace(1e-9, 1e6, 301), [near]])
    points = np.concatenate([
        (domain.low if np.isfinite(domain.low) else 0) + t,
        (domain.high if np.isfinite(domain.high) else 0) - t,
    ])
    return np.unique(points[(points > domain.low) & (points < domain.high)])


def tried(bound, name, points, others):
    """The bound at each point, NaN where it refuses."""
    with np.errstate(all="ignore"):
        with contextlib.suppress(TypeError, ValueError):
            found = np.asarray(bound(**{name: points}, **others), float)
            if found.shape == points.shape:
                return found
        return one_by_one(bound, name, points, others)


def one_by_one(bound, name, points, others):
    """The bound of single numbers: a power of arrays may differ in the last bit."""
    found = np.full(len(points), np.nan)
    with np.errstate(all="ignore"):
        for i, x in enumerate(points):
            with contextlib.suppress(ValueError):
                found[i] = bound(**{name: x}, **others)
    return found


def beside(x, domain):
    """It and its neighbours, as far as they are allowed."""
    if domain.whole:
        step = 2 if domain.even else 1
        near = [x - step, x, x + step]
    else:
        near = [np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf)]
    low, high = ((np.greater, np.greater_equal)[domain.include_low],
                 (np.less, np.less_equal)[domain.include_high])
    return np.array([v for v in near if low(v, domain.low) and high(v, domain.high)], float)


# Whole numbers rounded up in a formula make more teeth than anybody lists.
SAWS = {"top_k.margins.data_margin", "top_k.theorem_2.theorem_2_sharp"}


@pytest.mark.parametrize("label", BOUNDS)
def test_every_public_bound_is_solved_for_every_numeric_argument(label):
    bound = BOUNDS[label]
    given = values_of(bound)
    for name, domain in bound.domains.items():
        others = {key: value for key, value in given.items() if key != name}
        points = points_of(domain, given[name])
        found = tried(bound, name, points, others)
        points, found = points[~np.isnan(found)], found[~np.isnan(found)]
        own = float(bound(**given))
        elsewhere = float(np.median(np.append(found[np.isfinite(found)], own)))
        # What it is here, and between that and what it is elsewhere; no ties.
        for target in {own + 1e-7 * abs(own), own + (elsewhere - own) * 0.498}:
            meets = found <= target
            changes = np.flatnonzero(meets[1:] != meets[:-1])
            try:
                ends = [nt.solve(bound, at_most=target, **{name: ...}, **others)]
            except nt.OutOfReach:
                assert not meets.any(), (name, target)
                continue
            except nt.NotMonotone as turned:
                ends = turned.crossings
                assert len(ends) > 1 and turned.minimum <= min(np.min(found), target)
                if label in SAWS:
                    continue
            for i in changes:
                assert any(points[i] <= x <= points[i + 1] for x in ends), (name, target, ends)
            for x in ends:
                if len(changes) == 0 and not points[0] < x < points[-1]:
                    assert meets.all() or not meets.any()
                    continue
                there = one_by_one(bound, name, beside(x, domain), others) <= target
                assert one_by_one(bound, name, [x], others)[0] <= target, (name, x)
                assert not there.all() or x in (points[0], points[-1]), (name, target, x)


def test_how_many_samples_theorem_5_needs():
    assert nt.solve(DEVIATION, at_most=0.1, n=..., delta=1e-3) == 3269
    assert DEVIATION(3269, 1e-3) <= 0.1 < DEVIATION(3268, 1e-3)


def test_extremes_are_exact():
    # 2 + sqrt(2 log 1e300) = 39.17, so the bound is 4e-6 at some 9.6e13 examples.
    many = nt.solve(DEVIATION, at_most=4e-6, n=..., delta=1e-300)
    assert DEVIATION(many, 1e-300) <= 4e-6 < DEVIATION(many - 1, 1e-300) and many > 9e13
    rare = nt.solve(DEVIATION, at_most=3.7e-5, n=10**12, delta=...)
    assert rare == pytest.approx(math.exp(-(3.5e-5**2) * 1e12 / 2), rel=1e-9) and rare < 1e-260
    beyond = nt.solve(DEVIATION, at_most=1e-12, n=..., delta=0.1)
    assert type(beyond) is int and beyond > 2**53
    assert DEVIATION(beyond, 0.1) <= 1e-12 < DEVIATION(int(np.nextafter(float(beyond), 0)), 0.1)


def test_arrays_labels_and_tables_come_back_as_they_went_in():
    radii, levels = np.array([0.1, 0.2]), np.array([[0.1], [1e-3]])
    plain = nt.solve(DEVIATION, at_most=radii, n=..., delta=levels)
    assert plain.shape == (2, 2) and plain.dtype == np.int64 and plain[1, 0] == 3269
    labelled = nt.solve(
        DEVIATION, at_most=xr.DataArray(radii, dims="radius", coords={"radius": radii}), n=...,
        delta=xr.DataArray(levels[:, 0], dims="delta", coords={"delta": levels[:, 0]}),
    )
    assert labelled.name == "n" and labelled.sel(radius=0.1, delta=1e-3) == 3269
    table = pd.DataFrame({"delta": [0.1, 1e-3], "radius": 0.1}, index=["mild", "strict"])
    found = nt.solve(DEVIATION, at_most=table["radius"], n=..., delta=table["delta"])
    assert found.name == "n" and found.to_dict() == {"mild": plain[0, 0], "strict": 3269}
    frame = nt.solve(DEVIATION, at_most=0.1, n=..., delta=table[["delta"]])
    assert frame.columns.tolist() == ["delta"] and frame.loc["strict", "delta"] == 3269
    # Labels in another order are put into that of the first.
    shuffled = table["delta"].iloc[::-1]
    assert nt.solve(DEVIATION, at_most=table["radius"], n=..., delta=shuffled).equals(found)
    # The bounds themselves, too: their columns are their arguments.
    radius = DEVIATION(**pd.DataFrame({"n": found, "delta": table["delta"]}))
    assert radius.name == "mean_deviation" and radius.index.tolist() == ["mild", "strict"]
    assert (radius <= 0.1).all() and (DEVIATION(n=found - 1, delta=table["delta"]) > 0.1).all()


def test_a_bound_that_turns_says_where():
    ask = functools.partial(
        nt.solve, nt.online.map_second_moment, p=..., Bx=0.4, kernel=nt.dot_products.LinearProduct()
    )
    with pytest.raises(nt.NotMonotone, match=r"not monotone in p: whether it is") as turned:
        ask(at_most=2)
    # p / (p - 1) times p Bx, for the linear kernel: least at 2.
    assert turned.value.minimiser == pytest.approx(2, rel=1e-6)
    assert turned.value.minimum == pytest.approx(1.6, rel=1e-12)
    assert turned.value.crossings == pytest.approx((5 - math.sqrt(5)) / 2 + np.array([0, 5**0.5]))
    with pytest.raises(nt.OutOfReach, match=r"least value is 1\.6, at p = 2: no p is enough"):
        ask(at_most=1.5)


@requires(n=COUNT, floor=POSITIVE)
def levels_off(n, floor):
    return floor + 1 / n


def test_what_cannot_be_had_says_what_can():
    ask = functools.partial(nt.solve, levels_off, n=..., floor=0.37)
    with pytest.raises(nt.OutOfReach, match=r"the bound tends to 0\.37: no n is enough"):
        ask(at_most=0.3)
    with pytest.raises(nt.OutOfReach, match=r"^at_least must be below 1\.37, got 2 \(the bound"):
        ask(at_least=2)
    some = ask(at_most=[0.3, 1.0], fill=np.nan)
    assert np.isnan(some[0]) and some[1] == 2
    with pytest.raises(nt.OutOfReach, match=r"no n is enough\) at floor = 0\.37$"):
        ask(at_most=[0.3, 1.0])
    # One that turns spoils no others: (n - 5)^2 + 1 is at most 2 from 4 to 6.
    turns = requires(n=COUNT, c=POSITIVE)(lambda n, c: (n - 5) ** 2 + c)
    told = nt.solve(turns, at_most=2, n=..., c=[1.0, 3.0], fill=-1.0)
    assert told.tolist() == [-1, -1]
    assert ask(at_most=5) == 1 and nt.solve(levels_off, at_most=5, n=3, floor=...) < 5
    constant = requires(n=COUNT)(lambda n: 2.0)
    with pytest.raises(nt.OutOfReach, match=r"the bound is 2 whatever n is: no n"):
        nt.solve(constant, at_most=1, n=...)


def test_that_no_value_is_enough_is_told_where_it_is_proved():
    ask = functools.partial(nt.solve, at_most=0.5, n=...)
    with pytest.raises(nt.OutOfReach, match=r"bound is 1 at all n looked at: no n of the \d+ l"):
        ask(lambda n: 1.0 * (n != 300_000))
    with pytest.raises(nt.OutOfReach, match=r"bound tends to 1: no n of the \d+ looked at is"):
        ask(lambda n: 1 + 1 / n - 5 * np.exp(-((n - 300_000.0) ** 2)))
    with pytest.raises(nt.OutOfReach, match=r"bound tends to 1: no n is enough"):
        ask(lambda n: 1 + 1 / n)


def test_what_still_falls_where_the_search_ends_has_no_limit_told():
    with pytest.raises(nt.OutOfReach, match=r"still falls at n = 1e\+100, where it is 4\.1"):
        nt.solve(DEVIATION, at_most=1e-60, n=..., delta=0.1)
    with pytest.raises(nt.OutOfReach, match=r"still rises at delta = 1e-305, .* no delta tried"):
        nt.solve(DEVIATION, at_least=10, n=100, delta=...)
    with pytest.raises(nt.OutOfReach, match=r"tends to 0\.2 as delta tends to 1: no delta is"):
        nt.solve(DEVIATION, at_most=0.1, n=100, delta=...)


def test_bad_shapes_and_what_is_no_bound_are_named():
    with pytest.raises(ValueError, match=r"got at_most of shape \(3,\), delta of shape \(2,\)"):
        nt.solve(DEVIATION, at_most=[1, 1, 1], n=..., delta=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"^arguments must broadcast, got n of shape"):
        DEVIATION([1, 2, 3], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"^n must be a whole number >= 1, got array\(\['a'"):
        DEVIATION(pd.Series(["a", "b"]), 0.1)
    with pytest.raises(TypeError, match=r"bound must be a function, .* got 'kernel-mean"):
        nt.solve("kernel-mean/theorem-5", at_most=0.1, n=..., delta=0.1)


def test_a_bound_of_ones_own_need_not_know_arrays():
    def bound(n, delta):
        return math.sqrt(math.log(1 / delta) / (2 * n))

    assert nt.solve(bound, at_most=0.1, n=..., delta=0.05) == math.ceil(50 * math.log(20))
    assert nt.solve(bound, at_most=0.1, n=100, delta=...) == pytest.approx(math.exp(-2))
    assert nt.solve(lambda x: x**3, at_most=27, x=Domain(-5, 5)) == 3
    assert nt.solve(lambda x: -x, at_most=0, x=Domain(2, 3)) == np.nextafter(2, 3)


def test_a_bound_that_has_no_value_everywhere_is_searched_up_to_where_it_has():
    def part(n):
        if n > 137:
            raise ValueError(f"n must be at most 137, got {n}")
        return 1 / n

    assert nt.solve(part, at_most=1 / 137, n=...) == 137
    with pytest.raises(nt.OutOfReach, match=r"is 0\.00729927 at n = 137: no n of the \d+ l"):
        nt.solve(part, at_most=1 / 138, n=...)
    with pytest.raises(ValueError, match="n must be at most 137, got"):
        nt.solve(part, at_most=1, n=Domain(200, whole=True))


def test_where_values_are_missing_between_others_there_is_no_answer():
    for domain in (nt.domains.REAL, POSITIVE, Domain(0, include_low=True, whole=True)):
        with pytest.raises(ValueError, match=r"^n must be a whole number >= 1, as mean_deviation"):
            nt.solve(DEVIATION, at_most=0.1, n=domain, delta=0.1)
    assert nt.solve(DEVIATION, at_most=0.1, n=Domain(0, whole=True), delta=0.1) == 1719
    even = Domain(2, include_low=True, whole=True, even=True)
    assert nt.solve(DEVIATION, at_most=0.1, n=even, delta=0.1) == 1720
    own = requires(n=COUNT)(lambda n: n**-0.5)
    with pytest.raises(ValueError, match=r"^n must be a nt.domains\.Domain in"):
        nt.solve(lambda n: own(n), at_most=0.001, n=POSITIVE)
    # Too narrow a gap for the sample, but next to the answer.
    torn = requires(n=COUNT)(lambda n: np.where(n == 300_007, np.nan, 1 / n))
    with pytest.raises(ValueError, match=r"it has none at n = 300007, though it has below and"):
        nt.solve(torn, at_most=1 / 300_003, n=...)


def test_what_a_formula_would_give_beyond_its_range_is_no_answer():
    half = requires(x=Domain(0, 5))(lambda x: 10 - x)
    assert nt.solve(half, at_most=6, x=...) == pytest.approx(4, rel=1e-12)
    nested = requires(x=Domain(0, 10))(lambda x: half(x))
    assert nt.solve(nested, at_most=6, x=...) == nt.solve(half, at_most=6, x=...)
    with pytest.raises(nt.OutOfReach, match=r"the bound is 5 at x = 5: no x of the \d+ l"):
        nt.solve(nested, at_most=3, x=...)


def test_one_question_is_answered_as_many_are():
    radii = np.geomspace(0.01, 1, 40)
    for bound, unknown, given in [
        (DEVIATION, "n", {"delta": 1e-3}),
        (DEVIATION, "delta", {"n": 5000}),
        (nt.label_noise.noisy_deviation, "sigma", {"n": 10**6, "delta": 0.05}),
    ]:
        ask = functools.partial(nt.solve, bound, **{unknown: ...}, **given, fill=-1)
        assert ask(at_most=radii).tolist() == [ask(at_most=radius) for radius in radii.tolist()]


def test_a_question_asks_the_bound_few_times():
    calls = []

    @requires(n=COUNT)
    def counted(n):
        calls.append(np.size(n))
        return n**-0.5

    assert nt.solve(counted, at_most=0.01, n=...) == 10**4
    # All over and around the answer at once, singly on the way, and last with the checks.
    assert len(calls) <= 8 and calls.count(1) == len(calls) - 2
    calls.clear()
    jump = requires(x=POSITIVE)(lambda x: calls.append(1) or 1.0 * (x < np.pi))
    assert nt.solve(jump, at_most=0.5, x=...) == np.pi
    assert len(calls) < 80  # 51 halvings lie between sampled values


def test_rounding_makes_no_crossings():
    # The second one is real, between two sampled values; at the first the floats go up and down.
    second = functools.partial(nt.online.scalar_second_moment, **SCALAR)
    target = second(p=2.5)
    with pytest.raises(nt.NotMonotone) as turned:
        nt.solve(nt.online.scalar_second_moment, at_least=target, p=..., **SCALAR)
    assert len(turned.value.crossings) == 2 and turned.value.crossings[1] == 2.5


def test_that_nothing_turns_between_what_was_seen_is_proved_or_not():
    for bound, unknown, given in [
        (DEVIATION, "n", {"delta": 1e-3}),
        (DEVIATION, "delta", {"n": 5000}),
        (nt.label_noise.noisy_deviation, "sigma", {"n": 10**6, "delta": 0.05}),
        (lambda n, delta: np.sqrt(np.log(1 / delta) / (2 * n)), "n", {"delta": 0.1}),
    ]:
        assert nt.crosses_once(bound, at_most=0.1, **{unknown: ...}, **given)
    # Too narrow to be seen, far above the answer at 10: no proof.
    spiked = requires(x=POSITIVE)(lambda x: 1 / x + np.exp(-((x - 137.123) ** 2) * 1e12))
    smooth = requires(x=POSITIVE)(lambda x: 1 / x + np.exp(-(x**2) * 1e12))
    assert nt.solve(spiked, at_most=0.1, x=...) == nt.solve(smooth, at_most=0.1, x=...) == 10
    assert not nt.crosses_once(spiked, at_most=0.1, x=...)
    assert nt.crosses_once(smooth, at_most=0.1, x=...)
    # What takes single numbers only is not proved; what has no answer says so.
    assert not nt.crosses_once(lambda n, delta: math.sqrt(-math.log(delta) / n), at_most=0.1, n=...,
                               delta=0.1)
    with pytest.raises(nt.OutOfReach):
        nt.crosses_once(DEVIATION, at_most=0.1, n=100, delta=...)


def test_thousands_of_questions_at_once():
    radii = np.geomspace(1e-4, 1, 5000)
    found = nt.solve(DEVIATION, at_most=radii, n=..., delta=0.05)
    assert (DEVIATION(found, 0.05) <= radii).all()
    assert (DEVIATION(np.maximum(found - 1, 1), 0.05) > radii)[found > 1].all()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (dict(at_most=0.1, n=..., delta=2), "delta must be a finite number in (0, 1), got 2"),
        (dict(at_most="x", n=..., delta=0.1), "at_most must be a finite number, got 'x'"),
        (dict(at_most=np.inf, n=..., delta=0.1), "at_most must be a finite number, got inf"),
        (dict(n=..., delta=0.1), "exactly one of at_most and at_least must be given"),
        (dict(at_most=1, at_least=1, n=..., delta=0.1), "exactly one of at_most and at_least"),
        (dict(at_most=1, n=..., delta=...), "exactly one argument must be ..., got n, delta"),
        (dict(at_most=1, n=4, delta=0.1), "exactly one argument must be ..., got none"),
        (dict(at_most=1, n=...), "missing argument delta (mean_deviation takes n, delta)"),
        (dict(at_most=1, N=..., delta=0.1), "unknown argument N (mean_deviation takes n, delta)"),
    ],
)
def test_bad_input_is_named(given, told):
    with pytest.raises(ValueError) as refusal:
        nt.solve(DEVIATION, **given)
    assert str(refusal.value).startswith(told)


@pytest.mark.parametrize("value", [None, "a", (1.0, 2.0), 1j, np.complex128(1)])
def test_what_a_bound_returns_is_one_real_number(value):
    with pytest.raises(ValueError, match=r"^the bound must return one real number, got "):
        nt.solve(lambda n: value, at_most=0.1, n=...)


def test_neither_complex_values_nor_masks_are_dropped():
    with pytest.raises(ValueError, match=r"^the bound must return one real number, got .*j"):
        nt.solve(lambda n: 1j / n, at_most=0.1, n=...)
    with pytest.raises(ValueError, match=r"^at_most must not be masked, got masked_array"):
        nt.solve(DEVIATION, at_most=np.ma.array([0.1, 0.2], mask=[1, 0]), n=..., delta=0.1)


def test_fills_and_labels_that_do_not_do_are_named():
    for fill in ("a", [1, 2]):
        with pytest.raises(ValueError, match=r"^fill must be a number, got"):
            nt.solve(DEVIATION, at_most=0.1, n=..., delta=0.1, fill=fill)
    radius = xr.DataArray([0.1, 0.2], dims="x", coords={"x": [1, 2]})
    with pytest.raises(ValueError, match=r"^at_most must be a number or an array, .* got Dataset"):
        nt.solve(DEVIATION, at_most=radius.to_dataset(name="r"), n=..., delta=0.1)
    with pytest.raises(ValueError, match=r"^at_most, delta must have the same labels: "):
        nt.solve(DEVIATION, at_most=radius, n=..., delta=radius.assign_coords(x=[1, 3]))


def test_a_bound_takes_its_arguments_by_name():
    assert nt.solve(lambda n, **rest: rest["c"] / n, at_most=0.1, n=..., c=3) == 30
    assert nt.solve(lambda *rest, n: 1 / n, at_most=0.1, n=...) == 10
    for bound in (lambda n, /: 1 / n, lambda *n: 1 / n[0], np.sqrt, max):
        with pytest.raises(ValueError, match=r"^bound must take its arguments by name, such as l"):
            nt.solve(bound, at_most=0.1, n=...)
    # One that would take for ever at 1e100 is searched where it is asked.
    few = Domain(0, 10**3, whole=True)
    assert nt.solve(lambda n: 1 / math.comb(2 * n, n), at_most=1e-3, n=few) == 7


def test_what_nothing_says_must_be_said():
    with pytest.raises(ValueError, match=r"^c must be a nt.domains\.Domain, such as c=n"):
        nt.solve(lambda c: c, at_most=1, c=...)
    one, other = pd.Series([1.0, 2.0]), pd.Series([0.1, 0.2], index=[5, 6])
    with pytest.raises(ValueError, match=r"^delta must have the labels of n, got others"):
        DEVIATION(n=one, delta=other)
    with pytest.raises(ValueError, match=r"^delta must be a number or labelled as n, got an array"):
        DEVIATION(n=one, delta=[0.1, 0.2])


def test_where_a_bound_of_whole_numbers_turns_the_last_crossing_is_the_answer():
    """The tail mass is a whole count over n, which jumps; from the last crossing on it is small."""
    given = dict(delta=0.05, mu=0.2, C=0.01, kappa=1.0, norm=1.0, approximation=0.0, risk=0.2)
    with pytest.raises(nt.NotMonotone, match=r"it is so from n = 2224 on; the bound is least"):
        nt.solve(nt.top_k.theorem_2_sharp, at_most=0.5, n=..., **given)
    values = nt.top_k.theorem_2_sharp(n=np.arange(2200, 20_000), **given)
    assert np.flatnonzero(values > 0.5)[-1] + 1 == 2224 - 2200
