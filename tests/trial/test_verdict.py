"""Every kind of claim reaches the right verdict when it is true, and when it is broken."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import planted
import pytest
from scipy.stats import norm

import noisytheory as nt
from noisytheory.trial.claim import Certificate, Law
from noisytheory.trial.draws import ClaimError, draw
from noisytheory.trial.evidence import share_resolution, violations_to_refute
from noisytheory.trial.store import Store
from noisytheory.trial.trial import Trial
from noisytheory.trial.verdict import (
    RULES,
    SameLaw,
    Thresholds,
    _laws_beyond,
    _slopes,
    law_means,
    merged,
    moments,
    right_side,
)


def verdict(claim, **settings):
    return nt.audit(claim, **{"budget": "smoke", "seed": 11, **settings}).verdict


TRUE = [
    planted.hoeffding(), planted.exact_hoeffding(), planted.data_dependent(), planted.mean(),
    planted.unbounded_mean(), planted.equal(), planted.same_law(), planted.always(),
    planted.exhaustive(), planted.identity(), planted.exists(), planted.rate(),
    planted.published(),
]

BROKEN = [
    planted.hoeffding().broken(),
    planted.exact_hoeffding().broken(),
    planted.data_dependent(twin={"bound": lambda spread, n, delta: spread * delta / n}).broken(),
    planted.mean().broken(),
    planted.unbounded_mean(twin={"bound": lambda n: 0.9}).broken(),
    planted.equal().broken(),
    planted.same_law(shift=0.5),
    planted.always().broken(),
    planted.exhaustive(twin={"bound": planted._sum_of_squares_wrong,
                             "certify": planted._certify_wrong}).broken(),
    planted.identity(
        twin={"bound": lambda a, b: a**2 + b**2,
              "certify": lambda a, b: Certificate(2, 1)}).broken(),
    planted.exists(optimum=0.2),
    planted.rate(exponent=-0.6),
    planted.published(printed=0.6),
    planted.published(impossible=lambda n: "a mean of .5 and an sd of .9 in [0, 1]"),
]


@pytest.mark.parametrize("claim", TRUE, ids=lambda c: c.id)
def test_true_claims_are_upheld(claim):
    assert verdict(claim) == "upheld"


@pytest.mark.parametrize("claim", BROKEN, ids=lambda c: c.id)
def test_false_claims_are_refuted(claim):
    assert verdict(claim) == "refuted"


def test_cited_claims_are_never_decided():
    result = nt.audit(planted.cited(), budget="smoke")
    assert (result.verdict, result.replicates) == ("undecided", 0)
    assert result.as_expected


def test_an_unbounded_mean_without_variance_is_never_upheld():
    with pytest.raises(ValueError, match="expected to be upheld needs high or variance"):
        planted.unbounded_mean(variance=None, low=0.0)
    claim = planted.unbounded_mean(variance=None, low=0.0, expect="undecided")
    assert verdict(claim, budget="standard") == "undecided"
    # Refuting needs only L >= 0.
    assert verdict(dataclasses.replace(claim, bound=lambda n: 0.8)) == "refuted"


def test_a_vacuous_cell_never_counts_as_upheld():
    everywhere = planted.hoeffding(grid={"n": [1, 2], "delta": [0.1, 0.01]})
    result = nt.audit(everywhere, budget="smoke")
    assert result.verdict == "undecided" and "vacuous" in result.reason
    assert result.tightness is None
    one = nt.audit(planted.hoeffding(grid={"n": [9, 100], "delta": [0.1, 0.01]}), budget="smoke")
    # sqrt(log(100)/18) = 0.506 is vacuous, the other three right sides are below 0.4.
    assert one.verdict == "upheld"
    assert one.summary["vacuous"].sum() == 1
    assert bool(one.summary["vacuous"].sel(n=9, delta=0.01))


def test_a_break_that_is_not_certified_does_not_refute():
    claim = planted.always(bound=planted._sum_of_squares_wrong, certify=None)
    result = nt.audit(claim, budget="smoke")
    assert result.verdict == "undecided"
    assert result.summary["violations"].item() > 0


def test_a_break_that_exact_arithmetic_clears_does_not_count():
    # The float right side is a little less on ties, the exact one is not.
    def bound(a, b):
        return (a**2 + b**2) * (1 - 1e-7 * (a == b))

    result = nt.audit(planted.always(bound=bound, rows=64), budget="smoke")
    assert result.verdict == "upheld" and result.counterexample is None


def test_a_break_that_the_certificate_computes_otherwise_is_not_cleared():
    # By one less on ties: no rounding, so that something else is on trial than what is certified.
    claim = planted.always(bound=planted._sum_of_squares_wrong, rows=64)
    assert nt.audit(claim, budget="smoke").verdict == "undecided"


def test_the_counterexample_is_the_worst_one_and_replays():
    result = nt.audit(planted.always().broken(), budget="smoke")
    found = result.counterexample
    assert found["lhs"] == str(int(found["rhs"]) + 1)
    a = dict(found["steps"])["a"]
    assert int(found["lhs"]) == 2 * int(a) ** 2
    assert result.replay() == found
    again = draw(
        result.claim, result.claim.cell(0), found["block"], seed=found["seed"]
    )
    assert again["a"][found["row"]] == int(a)


def test_exact_beats_simulated():
    result = nt.audit(planted.exact_hoeffding(), budget="smoke")
    assert result.exact and result.replicates == 0
    # n=10: Pr[B/10 - 1/2 > 0.339] = Pr[B >= 9] = 11/1024.
    assert result.summary["probability"].sel(n=10, delta=0.1).item() == pytest.approx(11 / 1024)


def test_exact_and_simulated_agree():
    exact = nt.audit(planted.exact_hoeffding(), budget="smoke").summary
    drawn = nt.audit(planted.hoeffding(), budget="smoke", replicates=40_000).summary
    rate = drawn["violations"] / drawn["replicates"]
    # Four cells, 5.2 standard errors each: false alarm below 1e-6.
    error = np.sqrt(exact["probability"] / drawn["replicates"])
    assert bool(((rate - exact["probability"]) <= 5.2 * error + 1e-3).all())


def test_a_law_at_the_threshold_is_bracketed():
    law = Law([0.1 * 3, 1.0], [0.5, 0.5])
    low, high = law.exceeding(0.3)
    assert (low, high) == (0.5, 1.0)


@pytest.mark.parametrize(
    "claim", [planted.hoeffding(), planted.data_dependent(), planted.mean(),
              planted.unbounded_mean(), planted.equal(), planted.always(), planted.published()],
    ids=lambda c: c.id,
)
def test_a_cell_weighs_the_same_in_any_company(claim):
    claim = dataclasses.replace(claim, rows=64)
    rule, cell = RULES[claim.kind], claim.cell(0)
    summaries = [rule.summarise(claim, cell, draw(claim, cell, b, seed=3)) for b in range(67)]
    many = rule.weigh(claim, [cell] * 67, summaries)
    some = slice(0, None, 6)
    alone = [rule.weigh(claim, [cell], [summary]) for summary in summaries[some]]
    for side, name in enumerate(("against", "support")):
        np.testing.assert_array_equal(
            many[side][some], np.concatenate([one[side] for one in alone]), strict=True,
            err_msg=name,
        )


def test_blocks_merge_as_if_they_were_one():
    left, right = np.random.default_rng(0).uniform(1e6, 1e6 + 1, (2, 50))
    whole = moments(np.concatenate([left, right[:30]]))
    np.testing.assert_allclose(merged(moments(left), moments(right[:30])), whole, rtol=1e-9)
    # Of right sides that are drawn the least counts, wherever it was: a vacuous block hides none.
    rule, claim = RULES["mean"], planted.mean_of("drawn", bound=None, low=-2.0, high=2.0)
    pieces = [rule.summarise(claim, claim.cell(0), {"lhs": left - 1e6, "rhs_draw": right - 1e6 + k})
              for k in (0, 1)]
    for first, second in (pieces, pieces[::-1]):
        assert rule.merge(first, second)[3] == right.min() - 1e6


def test_thresholds_share_the_level():
    lone = Thresholds.of(0.01, 1, entries=4, pooled=True)
    family = Thresholds.of(0.01, 30, entries=4, pooled=True)
    # Half of the claim's e-value is the average of its four entries, half the pooled one.
    assert lone.entry == pytest.approx(np.log(2 * 4 / 0.01))
    assert lone.claim == pytest.approx(np.log(1 / 0.01))
    assert family.entry - lone.entry == pytest.approx(np.log(30))
    assert family.uphold == family.claim == pytest.approx(np.log(3000))
    # Fixed-sample tests are shared over the entries and not pooled.
    assert Thresholds.of(0.01, 1, entries=4, pooled=False).entry == pytest.approx(np.log(400))


def test_bounds_on_plain_floats_work():
    import math

    claim = planted.hoeffding(name="plain")
    claim = dataclasses.replace(
        claim, bound=lambda n, delta: math.sqrt(math.log(1 / delta) / (2 * n))
    )
    reference = planted.hoeffding()
    for cell in claim.cells():
        np.testing.assert_allclose(right_side(claim, cell), right_side(reference, cell))


def test_draws_outside_the_declared_range_are_an_error():
    for kind in (planted.mean, planted.equal, planted.published):
        name = kind().id
        with pytest.raises(ValueError, match=f"{name}: high is 0.9 at n=1, but a draw is 0.99"):
            nt.audit(kind(high=0.9), budget="smoke")
        with pytest.raises(ValueError, match=f"{name}: low is 0.1 at n=1, but a draw is 0.00|e-0"):
            nt.audit(kind(low=0.1), budget="smoke")


def test_a_bound_that_is_not_a_number_is_an_error():
    claim = planted.mean(bound=lambda n: float("nan"))
    with pytest.raises(ValueError, match="planted/mean: the bound at n=1 is not a number"):
        nt.audit(claim, budget="smoke")


def test_no_simulator_and_no_exact_evidence_is_an_error():
    claim = planted.exhaustive(exact=lambda n: None)
    with pytest.raises(ClaimError, match="no exact evidence"):
        nt.audit(claim, budget="smoke")


def test_the_resolution_of_a_printed_number_counts_its_own_error():
    sharp, blunt = (
        nt.audit(planted.published(printed_error=error), budget="smoke", seed=1).resolution
        for error in (0.0, 0.05)
    )
    # 1/20 more of error: more than two of its standard deviations are needed to tell.
    assert blunt > sharp + 2 * 0.05
    # What it calls visible is seen.
    wrong = planted.published(printed=0.5 + 1.01 * blunt, printed_error=0.05)
    assert verdict(wrong, seed=1) == "refuted"


def test_the_interval_of_an_indicator_lies_between_zero_and_one():
    claim = planted.PAPER.mean(
        "rare", statement="x", bound=lambda n: 0.5, simulate=planted._rare, low=0.0, high=1.0,
        trivial=1.0, rows=8, grid={"n": [1]},
    )
    found = nt.audit(claim, budget="smoke", seed=1).summary
    assert found["tightness"].item() == found["tightness_low"].item() == 0.0
    assert 0 < found["tightness_high"].item() * 0.5 < 1


def test_an_interval_too_wide_to_tell_clears_nothing():
    wide, known = Certificate((0, 2), 1), Certificate((0, 1), 1)
    for certificate, told in ((wide, "undecided"), (known, "upheld")):
        claim = planted.PAPER.always(
            "interval", statement="x", bound=lambda: 1.0, rows=16, expect="undecided",
            simulate=lambda *, size, rng: np.full(size, 1 + 1e-6), certify=lambda c=certificate: c,
        )
        result = nt.audit(claim, budget="smoke")
        assert result.verdict == told
        # While suspects are left open, nothing could have been refuted for certain.
        assert (result.resolution == np.inf) == (told == "undecided")
    # What was cleared has the sides that exact arithmetic found.
    assert result.tightness == 0.0


def test_a_drawn_right_side_serves_every_level():
    def simulate(n, *, size, rng):
        return {"lhs": rng.random(size), "rhs": np.full(size, 0.9) + 1e-9 * rng.random(size)}

    levels = {"delta": [0.2, 0.05], "n": [1, 2]}
    claim = planted.PAPER.tail(
        "levels", statement="x", simulate=simulate, grid=levels, expect="refuted", rows=4096
    )
    found = nt.audit(claim, budget="smoke", seed=1)
    assert found.verdict == "refuted"
    for delta, least, most in ((0.2, 0.85, 0.93), (0.05, 1.02, 1.09)):
        tight = found.summary["tightness"].sel(delta=delta).values
        assert np.all((tight > least) & (tight < most))


def test_of_a_drawn_right_side_the_declared_one_says_nothing():
    def simulate(n, *, size, rng):
        return {"lhs": rng.uniform(0, 0.2, size), "rhs": rng.uniform(0, 0.8, size)}

    shared = {"simulate": simulate, "low": -1.0, "high": 1.0, "grid": {"n": [1]}}
    with_bound = planted.mean_of("drawn", bound=lambda n: 5.0, **shared)
    without = planted.mean_of("drawn", bound=None, **shared)
    found = [nt.audit(claim, budget="smoke") for claim in (with_bound, without)]
    assert [result.verdict for result in found] == ["upheld", "upheld"]
    assert found[0].resolution == found[1].resolution < 1
    with pytest.raises(ValueError, match="needs bound, or a simulator that draws rhs"):
        planted.PAPER.mean("none", statement="x", exact=lambda n: None, grid={"n": [1]})


@pytest.mark.parametrize(
    ("drawn", "kind", "message"),
    [({"rhs": 0.5, "other": 0.5}, "equal", "two laws have no right side"),
     ({"weight": 1.0, "applies": True}, "tail", "a weight is the ratio of two laws under which"),
     ({"weight": 1.0}, "mean", "a claim of kind mean does not read"),
     ({"lhs": np.inf}, "mean", "a draw at n=1 is not finite"),
     ({"lhs": -np.inf}, "published", "a draw at n=1 is not finite")],
)
def test_what_a_kind_could_only_ignore_is_refused(drawn, kind, message):
    asked = []

    def simulate(n, *, size, rng):
        asked.append(size)
        return {"lhs": rng.uniform(size=size), **{k: np.full(size, v) for k, v in drawn.items()}}

    ends = {"low": 0.0, "high": 1.0}
    fields = {"tail": {"grid": {"n": [1], "delta": [0.1]}}, "mean": ends}
    claim = getattr(planted.PAPER, kind)(
        "refused", statement="x", bound=lambda n: 0.5, simulate=simulate,
        **{"grid": {"n": [1]}, **fields.get(kind, {**ends, "margin": 0.1})})
    for refuse, error in ((nt.audit, ValueError), (nt.testing.check_claim, AssertionError)):
        with pytest.raises(error, match=f"planted/refused.*{message}"):
            refuse(claim)
        if "lhs" in drawn:
            return  # That is seen where a range is needed.
    assert max(asked) <= 8


def test_a_margin_as_wide_as_the_range_is_vacuous():
    for claim in (planted.equal(margin=0.5), planted.published(margin=0.5),
                  planted.same_law(margin=1.0), planted.same_law(margin=9.0, low=-9.0, high=0.0)):
        if claim.low == -9.0:
            claim = dataclasses.replace(claim, simulate=lambda shift, *, size, rng: {
                "lhs": -rng.uniform(size=size), "other": -9 * rng.uniform(size=size)})
        result = nt.audit(claim, budget="smoke")
        assert (result.verdict, result.reason) == ("undecided", "vacuous everywhere on the grid")
    with pytest.raises(ValueError, match="low and high make the margin one on the scale"):
        planted.same_law(low=-np.inf, high=np.inf)


@pytest.mark.parametrize("along", [[1.0, 64.0], [1.0, 8.0, 64.0], [0.0, 1.0, 8.0, 64.0]])
def test_a_rate_needs_four_places_on_its_axis(along):
    with pytest.raises(ValueError, match="four values > 0 or more"):
        planted.PAPER.rate("few", statement="x", bound=lambda: -0.5, along="n", grid={"n": along},
                           simulate=planted._root_n)


def test_the_resolution_of_weights_is_that_of_their_limit():
    def simulate(*, size, rng):
        breaks = rng.uniform(size=size) < 0.05
        return {"lhs": 1.0 * breaks, "weight": np.where(breaks, 2e-3, (1 - 1e-4) / 0.95)}

    fields = {"statement": "x", "bound": lambda: 0.5, "simulate": simulate, "expect": "undecided",
              "weight_high": 2.0,
              "grid": {"delta": [1e-4]}}
    known = nt.audit(planted.PAPER.tail("weights", weight_limit=2e-3, **fields), budget="smoke")
    assert 0 < known.resolution < 1e-4
    unknown = nt.audit(planted.PAPER.tail("weights", **fields), budget="smoke")
    assert unknown.resolution == np.inf


def test_an_infinite_bound_is_vacuous_or_broken():
    for claim in (planted.hoeffding(simulate=planted._mean_of_coins), planted.exact_hoeffding()):
        claim = dataclasses.replace(claim, trivial=None, bound=lambda n, delta: np.inf)
        assert nt.audit(claim, budget="smoke").reason.startswith("vacuous")
        claim = dataclasses.replace(claim, bound=lambda n, delta: -np.inf)
        assert verdict(claim) == "refuted"
    assert nt.audit(planted.mean(bound=lambda n: np.inf), budget="smoke").reason.startswith("vac")
    with pytest.raises(ValueError, match="the bound at n=1 is -inf, which no mean can be"):
        nt.audit(planted.mean(bound=lambda n: -np.inf), budget="smoke")


@pytest.mark.parametrize("claim", [planted.mean(), planted.equal(), planted.hoeffding()],
                         ids=lambda claim: claim.kind)
def test_before_any_draw_there_is_no_evidence(claim):
    # E-values are 1: a mixture over two sides, or over levels, is an average.
    cell = claim.cell(0)
    rule, nothing = RULES[claim.kind], {"lhs": np.empty(0)}
    summary = rule.summarise(claim, cell, nothing)
    against, support = rule.weigh(claim, [cell], [summary])
    assert np.allclose(against, 0, atol=1e-12) and np.allclose(support, 0, atol=1e-12)
    assert rule.pool(claim, [summary, summary]) == pytest.approx(0, abs=1e-12)


def test_a_printed_mean_without_a_range_has_support_only():
    claim = planted.published(low=None, high=None, expect="undecided", grid={"n": [1, 2]})
    result = nt.audit(claim, budget="smoke")
    assert result.verdict == "undecided"
    cell = int(np.argmax(np.abs(result.summary["mean"].values - 0.5)))
    drawn = result.dataset["lhs"].values[cell].ravel()
    mean, reach = drawn.mean(), norm.ppf(0.995) * drawn.std(ddof=1) / np.sqrt(drawn.size)
    assert result.reason.endswith(
        f"support only, low and high not declared: mean {mean:.6g} (99% normal limits "
        f"{mean - reach:.6g} to {mean + reach:.6g}) against 0.5 in print at n={cell + 1}")


def test_looks_at_laws_of_which_few_rows_apply_are_paid_for():
    claim, rule = planted.same_law_at_level(), SameLaw()
    # 1/(k(k+1)), and half of it where looks may have come before a whole block.
    paid = [np.exp(-rule._price(claim, claim.rows * of // 16)) * 4 for of in (4, 8, 16, 32)]
    assert paid == pytest.approx([1 / 24, 1 / 12, 1 / 2, 1 / 6])


def test_one_instance_is_counted_in_words():
    one = planted.exhaustive(exact=lambda n: {"lhs": [4.0], "a": [1], "b": [2]})
    assert nt.audit(one).reason == "no break in the one listed instance"


def test_listed_instances_of_which_none_applies_tell_nothing():
    def listed(n):
        return {"lhs": np.ones(4), "rhs": np.zeros(4), "applies": np.full(4, n == 2)}

    claim = planted.PAPER.always(
        "none", statement="x", exact=listed, certify=lambda lhs: Certificate(0, 1),
        grid={"n": [1, 2]}, expect="undecided",
    )
    found = nt.audit(claim, budget="smoke")
    assert found.verdict == "undecided"
    assert found.reason.endswith("in 1 of 2 cells the hypotheses hold in no listed instance")
    assert found.resolution == np.inf and found.summary["resolution"].sel(n=2) == 0


@pytest.mark.parametrize(("fields", "charged"), [({}, 0), ({"low": -9.0}, 1)])
def test_exact_evidence_that_does_not_come_leaves_draws_what_they_need(fields, charged):
    claim = planted.PAPER.mean(
        "none", statement="x", bound=lambda n: 0.6, exact=lambda n: None, grid={"n": [1]},
        simulate=lambda n, *, size, rng: rng.uniform(size=size), expect="undecided", **fields,
    )
    found = nt.audit(claim, budget="smoke")
    assert found.verdict == "undecided" and found.summary.attrs["charged"] == charged
    missing = "high or variance" if fields else "low or variance and high or variance"
    assert found.reason.endswith(f"; no exact evidence in some cells, and {missing} not declared")
    said = " ".join(found.summary.attrs["hypotheses"])
    assert "Draws alone cannot uphold it: high or variance not declared" in said
    assert ("cannot refute" in said) == (not fields)


def test_missing_mass_lies_anywhere_in_the_range():
    law = Law([0.5], [1 - 2**-20], error=1e-6)
    for low, high in ((-1.0, 3.0), (None, None)):
        claim = planted.mean_of("law", bound=lambda n: 0.5, low=low, high=high, expect="undecided",
                                exact=lambda n: law)
        least, most = law_means(claim, {"n": 1}, law)
        ends = (-np.inf, np.inf) if low is None else (low * 2**-20, high * 2**-20)
        assert (least, most) == pytest.approx([law.mean() + end for end in ends])


def test_the_resolution_of_two_laws_counts_the_slack():
    # Bernoulli laws: what is printed is seen, however much of a distance the slack takes.
    def claim_of(by, **fields):
        def simulate(n, *, size, rng):
            left, right = rng.random((2, size))
            return {"lhs": 1.0 * (left < 0.5 - by / 2), "other": 1.0 * (right < 0.5 + by / 2)}

        return planted.PAPER.equal(
            "slack", statement="x", simulate=simulate, margin=0.02, grid={"n": [1]},
            expect="undecided", **fields
        )

    def resolution(**fields):
        return nt.audit(claim_of(0.0, **fields), budget="smoke", seed=1).resolution

    unit = {"low": 0.0, "high": 1.0}
    plain, moved = resolution(**unit), resolution(slack=0.03, **unit)
    assert moved == pytest.approx(plain + 0.03)
    for seed in range(5):
        found = nt.audit(claim_of(moved, slack=0.03, **unit), budget="smoke", seed=seed)
        assert found.verdict == "refuted"
    assert resolution(slack=1.0, **unit) == resolution(slack=1.5) == np.inf
    assert resolution(slack=0.5) < 1


def test_two_laws_in_several_cells_may_need_unlike_many_draws():
    def simulate(a, *, size, rng):
        return {"lhs": rng.normal(size=size), "other": rng.normal(size=size) + a}

    claim = planted.PAPER.equal(
        "unlike", statement="x", simulate=simulate, margin=0.1, grid={"a": [0.0, 3.0, 0.2]},
        rows=512, expect="refuted",
    )
    assert nt.audit(claim, budget="smoke", seed=1, alpha=1e-6).verdict == "refuted"


def test_the_resolution_of_an_equality_pays_for_both_sides():
    claim = planted.equal()
    rule, cell = RULES["equal"], claim.cell(0)
    summary = rule.summarise(claim, cell, draw(claim, cell, 0, seed=1))
    (found,) = rule.resolution(claim, cell, summary, np.log(300.0))
    # Half the wealth on either side: the threshold is 600.
    one = share_resolution(claim.rows, 0.52, np.log(600.0))
    assert found == pytest.approx(0.02 + one, rel=1e-6)


def test_a_rate_needs_a_range_for_what_is_too_rare_to_be_drawn():
    with pytest.raises(ValueError, match="expected to be upheld needs low and high: without"):
        planted.rate(low=None, high=None)
    for fields, said in (({"high": None}, "high not declared"), ({"high": 1e6}, "support only")):
        # At most 1e6, once in so many draws: half of a mean may be unseen.
        claim = planted.rate(exponent=-0.6, expect="undecided", **fields)
        result = nt.audit(claim, budget="smoke")
        assert result.verdict == "undecided" and result.reason.endswith(said)
        assert result.resolution == np.inf
    assert "Draws alone cannot refute it: high is not declared." in planted.rate(
        high=None, expect="undecided").assumed


def test_the_evidence_of_power_laws_between_limits_by_hand():
    """Of means 1 and 1/2 at 1 and 4, each off by r: the largest slope is log(1/2+r)/(1-r)."""
    draws, level, room = 200.0, 9.0, 0.01
    reach = 0.1 * np.sqrt(2 * level / draws) + 7 * 0.3 * level / (3 * (draws - 1)) + room
    x, mean, ones = np.log([1.0, 4.0]), np.array([1.0, 0.5]), np.ones(2)
    for sign in (1, -1):
        steepest = np.log((0.5 - sign * reach) / (1 + sign * reach)) / np.log(4)
        told = _laws_beyond(x, draws * ones, mean, 0.1 * ones, 0.3 * ones, room * ones, steepest)
        # Twice two sides of one mean, to refute; of two, to uphold.
        refutes, upholds = level - np.log(4), level - np.log(8)
        assert told == pytest.approx((refutes, 0.0) if sign > 0 else (0.0, upholds), rel=1e-6)


def _line(x, logs, error, exponent, width=0.0, draws=2.0):
    """Means known with this relative error, in a range of this width about each."""
    mean = np.exp(logs)
    spread = 2 * (error * mean) ** 2
    rows = (np.full(len(x), draws), mean, spread, np.zeros(len(x)), mean * (1 - width),
            mean * (1 + width), np.full(len(x), exponent))
    return np.column_stack(rows)


def test_halves_that_differ_are_curvature_though_no_parabola_is():
    x = np.arange(-2.0, 3.0)
    # x^4 less its parabola: the halves fall and rise, 6/7 a step.
    bend = x**4 - 31 / 7 * x**2
    for size, curved in ((0.1, 1.0), (0.0, 0.0)):
        found = _slopes(x, _line(x, -x / 2 + size * bend, 0.01, -0.5), 10.0)
        assert found["curved"] == curved
        assert found["slope_second"] == pytest.approx(-0.5 - size * 6 / 7)


def test_least_squares_alone_decide_no_rate():
    # All draws alike: what is too rare to be drawn is all that is unknown, and not normal.
    x = np.log(4.0) * np.arange(5)
    for exponent, name, at in ((-0.5, "support", 1), (-1.5, "against", 0)):
        line = _line(x, -x, 0.0, exponent, width=1.0, draws=100.0)
        found = _slopes(x, line, 10.0)
        draws, mean, _, room, low, high, _ = line.T
        told = _laws_beyond(x, draws, mean, np.zeros(5), high - low, room, exponent)
        assert 0 < found[name] == told[at] < 100


def test_what_is_told_is_the_current_e_value_stopped_where_it_crossed():
    trial = SimpleNamespace(against=np.zeros((1, 1)), highest_against=np.zeros((1, 1)))
    for found, current, highest in ((2.0, 2, 2), (1.0, 1, 2), (5.0, 5, 5), (3.0, 5, 5)):
        Trial._take(trial, [0], "against", np.array([[found]]), 4.6)
        assert (trial.against.item(), trial.highest_against.item()) == (current, highest)


def _after_a_block(broken, rows=512, **fields):
    """What a trial wants after a block with so many violations, and its thresholds."""
    claim = planted.PAPER.tail("block", statement="x", bound=lambda: 0.5, rows=rows,
                               simulate=lambda *, size, rng: rng.uniform(size=size), **fields)
    with Store.open(None, {"seed": 0, "version": "0"}) as store:
        trial = Trial(claim, seed=0, max_blocks=4, store=store)
        assert trial.start(0.01, 1) == [(0, 0)]
        wanted = trial.receive([(0, 0)], [{"lhs": 1.0 * (np.arange(rows) < broken)}])
    return wanted, trial


def test_looks_come_at_one_two_and_four_blocks():
    # What a look costs counts on it.
    drawn = {"lhs": 1.0 * (np.arange(512) >= 486)}  # 0.05 of them: nothing is settled.
    wanted, trial = _after_a_block(26, grid={"delta": [0.05]})
    assert wanted == [(0, 1)] and trial.receive(wanted, [drawn]) == [(0, 2), (0, 3)]


def test_what_others_must_bear_out_is_a_share_of_what_decided():
    _, trial = _after_a_block(10, grid={"delta": [0.3, 0.01]})
    (state,) = trial.cells
    for rows, share in ((512, 0.5), (2048, 1.0)):
        against, support = trial._least(state, rows)
        assert np.all(against == -np.inf)
        assert support.tolist() == [trial.thresholds.uphold * share, -np.inf]


def test_the_cell_that_says_least_is_looked_at_longest():
    for broken, refuted in (((0, 10), False), ((400, 300), True)):
        claim = planted.PAPER.tail("cells", statement="x", bound=lambda: 0.5, rows=512,
                                   simulate=lambda *, size, rng: rng.uniform(size=size),
                                   grid={"n": [1, 2], "delta": [0.3]})
        with Store.open(None, {"seed": 0, "version": "0"}) as store:
            trial = Trial(claim, seed=0, max_blocks=1, store=store)
            items = trial.start(0.01, 1)
            trial.receive(items, [{"lhs": 1.0 * (np.arange(512) < k)} for k in broken])
            order = [index for index, _ in trial.to_compare(refuted=refuted)]
        # Of a refutation the one that says most.
        assert order == ([0, 1] if refuted else [1, 0])


def test_only_claims_that_can_err_share_the_level():
    fields = {"expect": "undecided", "low": None, "high": None}
    for claim, charged in ((planted.mean(), True), (planted.mean(**fields), False),
                           (planted.always(), False)):
        with Store.open(None, {"seed": 0, "version": "0"}) as store:
            assert Trial(claim, seed=0, max_blocks=1, store=store).charged == charged


def test_a_cell_that_is_not_settled_goes_on():
    # Enough for the claim, but not for a single cell of it.
    level, reach = {"grid": {"delta": [0.05]}}, np.log(1 / 0.01)
    least = violations_to_refute(512, 0.05, reach)
    wanted, trial = _after_a_block(least, **level)
    assert reach <= trial.against.item() < trial.thresholds.entry and wanted == [(0, 1)]
    # Of one cell its own e-value, their average and the pooled one are the same.
    assert trial.own_evidence() == pytest.approx(trial.against.item())
    assert _after_a_block(2 * least, **level)[0] == []
    # One of two levels is settled.
    wanted, trial = _after_a_block(10, grid={"delta": [0.3, 0.01]})
    settled = (trial.support >= trial.thresholds.uphold) | (
        trial.against >= trial.thresholds.entry)
    assert settled.tolist() == [[True, False]] and wanted == [(0, 1)]
    assert trial.thresholds.entry == pytest.approx(np.log(2 * 2 / 0.01))


def test_the_halves_of_a_rate_share_its_middle():
    x = np.log(4.0) * np.arange(5)
    # A slope of -1 up to the middle, and of 0 from there; means that are known exactly.
    mean = np.exp(-np.minimum(x, x[2]))
    line = np.column_stack([np.full(5, 100.0), mean, *np.zeros((2, 5)), mean, mean,
                            np.full(5, -0.5)])
    found = _slopes(x, line, 10.0)
    assert (found["slope_first"], found["slope_second"]) == pytest.approx((-1, 0), abs=1e-9)
    assert found["against"] == found["support"] == 0


@pytest.mark.parametrize(("bend", "end", "told"), [(-1, -0.7, "against"), (1, -0.5, "support")])
def test_a_bend_too_small_to_be_seen_must_not_decide(bend, end, told):
    # Straight within the errors, of slope -0.6; at the far end the slope is another.
    x = np.linspace(0, 4, 5)
    mean = np.exp((-0.6 - bend / 10) * x + bend * x**2 / 40)
    error = 0.04
    line = np.column_stack([np.full(5, 2.0), mean, 2 * (error * mean) ** 2, np.zeros(5), mean,
                            mean, np.full(5, end + 0.02 * bend)])
    found = _slopes(x, line, 10.0)
    assert [found[name] for name in ("slope", "slope_first", "slope_second")] == pytest.approx(
        [-0.6, -0.6 - 0.05 * bend, -0.6 + 0.05 * bend])
    assert found[told] == pytest.approx(-norm.logsf(0.02 / found["slope_error"]))


def test_the_evidence_of_a_printed_number_by_hand():
    claim = planted.published(margin=0.01, printed_error=0.0)
    rule, cell = RULES["published"], claim.cell(0)
    n, deviation, level = 1000, 0.2, 10.0
    excess = deviation * np.sqrt(2 * level / n) + 7 * level / (3 * (n - 1))
    printed = right_side(claim, cell)[0, 0]
    for sign in (1, -1):
        mean = printed + sign * (0.01 + excess)
        against, support = rule.weigh_cell(
            claim, cell, np.array([n, mean, deviation**2 * (n - 1), printed, 0.0])
        )
        # Two sides, each of three events: the mean, the deviation, the error of print.
        assert (against, support) == (pytest.approx(level - np.log(6), rel=1e-6), 0.0)
    # Where the range is a point, only print has an error: normal, 5 of them at level 12.5.
    point = planted.published(margin=0.01, printed_error=0.02, low=printed, high=printed)
    # Rounding moved every draw by 0.01.
    wrong = printed + 0.01 + 0.01 + 5 * 0.02
    against, _ = rule.weigh_cell(point, cell, np.array([n, printed, 0.0, wrong, 0.01 * n]))
    assert against == pytest.approx(12.5 - np.log(6), rel=1e-6)
