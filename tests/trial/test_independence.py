"""Rows that depend on each other are found, and rows that do not are left alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import chdtrc

import noisytheory as nt
from noisytheory import Paper
from noisytheory.trial.draws import ClaimError, _outermost, block_generator, draw
from noisytheory.trial.independence import (
    FALSE_ALARM,
    Comparison,
    Repeats,
    _alike,
    _of_correlations,
    _outlying,
    _views,
    compare,
    sizes_to_compare,
)

PAPER = Paper("rows", "Rows, dependent or not")


def claim_of(simulate, *, rows=2048, kind="tail", **fields):
    fields = {"statement": "x", "bound": lambda: 1.6448536, "simulate": simulate, "rows": rows,
              "grid": {"delta": [0.05]}, "expect": "undecided", **fields}
    return getattr(PAPER, kind)("claim", **fields)


def correlated(share, group=None):
    """Normal rows with this intra-class correlation, in blocks or in groups of rows."""

    def simulate(*, size, rng):
        length = size if group is None else group
        common = np.repeat(rng.normal(size=-(-size // length)), length)[:size]
        return np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=size)

    return simulate


def refusal(claim, seed, refuted, decided=0):
    (sizes,) = sizes_to_compare(claim.rows, 1, refuted=refuted)
    blocks = [draw(claim, claim.cell(0), b, seed=seed) for b in range(decided)]
    return compare(claim, seed, Comparison(0, (), blocks, sizes, odd=0.1))[1]


LAWS = {
    "normal": lambda *, size, rng: rng.normal(size=size),
    "cauchy": lambda *, size, rng: rng.standard_cauchy(size),
    "coins": lambda *, size, rng: 4.0 * (rng.uniform(size=size) < 0.05),
    "rare": lambda *, size, rng: 4.0 * (rng.uniform(size=size) < 0.002),
    "few values": lambda *, size, rng: rng.integers(0, 3, size) * 1.0,
    "constant": lambda *, size, rng: np.zeros(size),
    "infinite": lambda *, size, rng: np.where(rng.uniform(size=size) < 0.9, np.inf, 0.0),
}


@pytest.mark.parametrize("rows", [1, 8, 512])
@pytest.mark.parametrize("law", LAWS)
def test_independent_rows_are_never_taken_for_dependent(law, rows):
    # 6 looks of 1e-6 each at most: one false alarm has probability 6e-6, and the seeds are fixed.
    claim = claim_of(LAWS[law], rows=rows)
    for seed in range(2):
        for refuted in (False, True):
            assert not refusal(claim, seed, refuted)


@pytest.mark.parametrize("refuted", [False, True])
@pytest.mark.parametrize(
    "simulate", [correlated(0.5), correlated(0.1, 32), correlated(0.5, 2)],
    ids=["blocks", "groups of 32", "pairs"],
)
def test_dependent_rows_are_found(simulate, refuted):
    claim = claim_of(simulate)
    for seed in range(2):
        said = refusal(claim, seed, refuted, decided=1)
        assert "not independent draws, so they decide nothing" in said


def test_what_could_have_moved_a_refutation_is_found_before_it():
    # A correlation of 0.02 in blocks of 2,048 makes a mean's variance 42 times as large.
    claim = claim_of(correlated(0.02))
    for seed in range(2):
        assert "blocks that differ" in refusal(claim, seed, True, decided=4)


def test_what_strikes_one_call_of_ten_is_found_before_a_refutation():
    # The true rate is 0.905; of eleven long blocks none is struck in one seed of three.
    def simulate(*, size, rng):
        return 1.0 * (rng.random(size) < (1.0 if rng.random() < 0.9 else 0.05))

    claim = claim_of(simulate, rows=4096, bound=lambda: 0.5, grid={"delta": [0.92]})
    for seed in range(24):
        assert "not independent draws" in refusal(claim, seed, True, decided=1)


@pytest.mark.parametrize("refuted", [False, True])
def test_small_blocks_are_compared_in_the_same_numbers(refuted):
    for rows in range(1, 65):
        for decided in (1, 2, 4, 8):
            (sizes,) = sizes_to_compare(rows, 1, refuted=refuted, decided=decided)
            probed = 3
            assert probed + decided + len(sizes) >= (11 if refuted else 17)
            assert rows < 32 or refuted or sum(sizes) <= 4 * rows


@pytest.mark.parametrize("refuted", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 8, 31, 32, 100, 512, 1024, 4095])
def test_several_cells_share_half_as_many_short_blocks_more(rows, refuted):
    (alone,) = sizes_to_compare(rows, 1, refuted=refuted)
    for cells in range(2, 70):
        first, *others = sizes_to_compare(rows, cells, refuted=refuted)
        # With the three of each probe: as many in every cell, never more than in one cell alone.
        assert {len(some) + 3 for some in others} <= {len(others[0]) + 3}
        assert 4 <= len(others[0]) + 3 <= 112 and len(first) <= len(alone)
        shared = cells * (len(others[0]) + 3)
        assert shared <= max(4 * cells, 3 * min(112, max(8, rows // 16)) // 2)
    assert sizes_to_compare(rows, 0, refuted=refuted)[1:] == []


def test_what_strikes_few_calls_of_one_cell_is_found_in_most_seeds():
    # In the second of four cells 3% of the calls are struck: 42 calls are spared in 28% of seeds.
    def struck(n, *, size, rng):
        return 1.0 * (rng.random(size) < (n == 2) * (rng.random() < 0.03))

    claim = claim_of(struck, rows=4096, bound=lambda: 0.5,
                     grid={"n": [1, 2, 3, 4], "delta": [0.97 * 0.03]})
    told = []
    for seed in range(8):
        try:
            told.append(nt.audit(claim, budget="smoke", seed=seed).verdict)
        except ClaimError:
            told.append("refused")
    # Six or more of eight have probability 0.007 at a share of 0.28.
    assert told.count("upheld") <= 5


def test_what_strikes_whole_small_calls_is_found():
    # Pr = 0.3 > 0.28. Seventeen calls are spared with probability 0.002, eight with 0.06.
    def struck(*, size, rng):
        return 1.0 * (rng.random() < 0.3) + 0.1 * rng.random(size)

    claim = claim_of(struck, rows=16, bound=lambda: 0.5, grid={"delta": [0.28]})
    told = []
    for seed in range(40):
        try:
            told.append(nt.audit(claim, budget="smoke", seed=seed).verdict)
        except ClaimError:
            told.append("refused")
    assert set(told) <= {"refused", "undecided"}


def test_a_generator_of_ones_own_is_found_though_it_is_shuffled():
    def shuffled(*, size, rng):
        return rng.permutation(np.random.default_rng(7).normal(size=size))

    with pytest.raises(ClaimError, match="the same lhs, shuffled, from different generators"):
        nt.audit(claim_of(shuffled), budget="smoke", seed=1)


def by_turns(*rates):
    return lambda *, size, rng: 1.0 * (rng.uniform(size=size) < rng.choice(rates))


def test_what_few_blocks_decide_others_must_bear_out():
    fields = {"rows": 512, "bound": lambda: 0.5, "grid": {"delta": [0.01]}}
    for seed, word in ((3, "upheld"), (49, "refuted")):
        found = nt.audit(claim_of(by_turns(0.004, 0.02), **fields), seed=seed, budget="smoke")
        assert found.verdict == "undecided" and not found.summary["decision"].any()
        assert found.reason.startswith(f"blocks drawn besides do not bear out that it is {word}")
    # What decides a claim about independent rows, those others say as well.
    for rate, verdict in ((0.002, "upheld"), (0.03, "refuted")):
        assert nt.audit(claim_of(by_turns(rate), **fields), budget="smoke").verdict == verdict


def test_a_block_unlike_the_others_by_hand():
    # Ten rare draws in each of seven blocks of 64, none in the eighth: (7/8)^70, twice, of eight.
    values = np.concatenate([np.tile(np.r_[np.ones(10), np.zeros(54)], 7), np.zeros(64)])
    sizes = np.full(8, 64)
    assert _outlying(values, sizes) == pytest.approx(16 * (7 / 8) ** 70)
    # All in one block: (1/8)^10.
    assert _outlying(np.r_[np.ones(10), np.zeros(502)], sizes) == pytest.approx(16 * 0.125**10)
    assert _outlying(values[:64], sizes[:1]) == _outlying(np.zeros(512), sizes) == 1.0


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5, 6, 7], [1, 1, 1, 4, 5, 6, 6]])
def test_moments_of_correlations_are_those_over_all_orders(values):
    ranks, lags = np.array(values) - np.mean(values), np.array([1, 2, 4])
    orders = np.array(list(itertools.permutations(ranks)))
    found = np.array([(orders[:, :-k] * orders[:, k:]).sum(axis=1) for k in lags]) / (ranks @ ranks)
    mean, variance = _of_correlations(ranks, lags)
    assert mean == pytest.approx(found.mean(axis=1))
    assert variance == pytest.approx(found.var(axis=1))


@pytest.mark.parametrize("different", [128, 8])
def test_the_chance_of_correlated_rows_is_at_most_nominal(different):
    # Of 60,000 orders of 128 rows Ljung and Box's chance is below 0.001 some 110 times.
    rng, lags, n = np.random.default_rng(3), 2 ** np.arange(6), 128
    ranks = np.floor(np.arange(n) * different / n)
    ranks -= ranks.mean()
    mean, variance = _of_correlations(ranks, lags)
    seldom, ljung_and_box, draws = 0, 0, 0
    for _ in range(12):
        orders = rng.permuted(np.tile(ranks, (5000, 1)), axis=1)
        found = np.array([(orders[:, :-k] * orders[:, k:]).sum(axis=1) for k in lags])
        found /= ranks @ ranks
        chances = _alike(np.sum((found.T - mean) ** 2 / variance, axis=1), ranks, lags)
        seldom, draws = seldom + np.sum(chances < 1e-3), draws + chances.size
        plain = n * (n + 2) * np.sum(found.T**2 / (n - lags), axis=1)
        ljung_and_box += np.sum(chdtrc(len(lags), plain) < 1e-3)
    # Of a Poisson number with mean 60 more than 80 have probability 0.006, fewer than 25 1e-6.
    assert draws == 60_000 and 25 <= seldom <= 80 < ljung_and_box


def test_views_that_part_the_draws_alike_are_looked_at_once():
    claim = claim_of(LAWS["coins"])
    assert list(_views(claim, {}, draw(claim, {}, 0, seed=1))) == ["left sides"]
    claim = claim_of(LAWS["normal"])
    assert len(_views(claim, {}, draw(claim, {}, 0, seed=1))) == 3


def test_true_claims_with_dependent_rows_are_hardly_ever_refuted():
    refuted = 0
    for seed in range(20):
        try:
            refuted += nt.audit(claim_of(correlated(0.1)), seed=seed).verdict == "refuted"
        except ClaimError:
            continue
    assert refuted == 0


@pytest.mark.parametrize("values", [2, 3, 5])
def test_repetition_is_an_e_process(values):
    # Exactly, over all pairs of blocks of four rows: the wealth has mean 1 at most, whatever the
    # law; so also of later blocks, one by one.
    claim = claim_of(LAWS["normal"], rows=4)
    for weights in (np.ones(values), np.arange(1.0, values + 1), np.r_[50.0, np.ones(values - 1)]):
        chances = weights / weights.sum()
        total = 0.0
        for block in itertools.product(range(values), repeat=4):
            chance = np.prod(chances[list(block)])
            repeats = Repeats(claim)
            repeats.see({}, {"lhs": np.array(block, float)})
            repeats.see({}, {"lhs": np.array(block, float)})
            again = Repeats(claim)
            again.see({}, {"lhs": np.array(block, float)})
            again.see({}, {"lhs": np.array(block, float) + 1})
            repeated, other = (of.bits.get("lhs", 0.0) for of in (repeats, again))
            total += chance * (chance * 2**repeated + (1 - chance) * 2**other)
        assert total <= 1 + 1e-12


def test_rare_events_that_repeat_are_found_and_chance_repetitions_are_not():
    rng = np.random.default_rng(3)
    few = (rng.uniform(size=512) < 0.01) * 1.0
    assert 1 <= few.sum() <= 10
    repeats = Repeats(claim_of(LAWS["rare"]))
    with pytest.raises(ClaimError, match="the same lhs from different generators"):
        for _ in range(6):
            repeats.see({}, {"lhs": few})
    # One event in 512 rows: blocks without any, and with the same one, repeat by chance.
    for seed in range(20):
        rng, repeats = np.random.default_rng(seed), Repeats(claim_of(LAWS["rare"]))
        for _ in range(256):
            repeats.see({}, {"lhs": (rng.uniform(size=512) < 1 / 512) * 1.0})
        assert repeats.bits.get("lhs", 0.0) < -np.log2(FALSE_ALARM)


def at_the_last(bad):
    def simulate(n, *, size, rng):
        return bad(size) if n == 4 else rng.uniform(size=size)

    return simulate


@pytest.mark.parametrize("kind", ["tail", "mean", "always"])
def test_every_cell_is_looked_at(kind):
    fields = {"bound": lambda: 2.0, "grid": {"n": [1, 2, 3, 4]}, "kind": kind,
               "trivial": 9.0, "rows": 64}
    if kind == "tail":
        fields["grid"] = {**fields["grid"], "delta": [0.1]}
    if kind == "mean":
        fields |= {"bound": lambda: 0.9, "low": 0.0, "high": 1.0}
    claim = claim_of(at_the_last(lambda size: np.random.default_rng().uniform(size=size)), **fields)
    with pytest.raises(ClaimError, match="draws other lhs from the same generator"):
        nt.audit(claim, budget="smoke")
    if kind != "always":
        # Instances may be enumerated; draws may not.
        own = claim_of(at_the_last(lambda size: np.random.default_rng(1).uniform(size=size)),
                       **fields)
        with pytest.raises(ClaimError, match="the same lhs from different generators"):
            nt.audit(own, budget="smoke")


def test_rows_apart_are_calls_of_one_row_from_generators_of_their_own():
    sizes = []

    def simulate(*, size, rng):
        sizes.append(size)
        return rng.random(size)

    claim = claim_of(simulate, rows=6, apart=True, bound=lambda: 2.0, trivial=9.0)
    block = draw(claim, {}, 3, seed=5)
    # The smallest and the largest are drawn twice.
    assert sizes == [1] * 8 and len(set(block["lhs"].tolist())) == 6
    alone = block_generator(5, claim.id, claim.address({}), 3, 4).random(1)
    assert block["lhs"][4] == alone[0]
    # The probe's three looks are one call each, and nothing else is drawn to be compared.
    sizes.clear()
    claim = claim_of(simulate, rows=64, apart=True, grid={"delta": [0.5]})
    found = nt.audit(claim, budget="smoke", seed=5)
    assert found.verdict == "upheld" and sizes == [6] * 3 + [1] * 66
    assert found.summary.attrs["apart"] and "compared" not in found.summary.attrs


def test_what_strikes_whole_calls_hurts_no_verdict_on_rows_apart():
    def struck(*, size, rng):
        return 1.0 * (rng.random() < 0.3) + 0.1 * rng.random(size)

    for level, wrong in ((0.25, "upheld"), (0.35, "refuted")):
        claim = claim_of(struck, rows=64, apart=True, bound=lambda: 0.5, grid={"delta": [level]})
        for seed in range(8):
            try:
                assert nt.audit(claim, budget="smoke", seed=seed).verdict != wrong
            except ClaimError:
                continue


def test_rows_apart_that_have_the_same_generator_are_refused():
    def own(*, size, rng):
        return np.random.default_rng(7).normal(size=size)

    with pytest.raises(ClaimError, match="the same lhs from different generators"):
        nt.audit(claim_of(own, rows=16, apart=True), budget="smoke", seed=1)


def test_rows_apart_from_a_global_generator_are_refused():
    def everybodys(*, size, rng):
        return np.random.random(size)  # noqa: NPY002

    with pytest.raises(ClaimError, match="draws from a global random generator"):
        nt.audit(claim_of(everybodys, rows=16, apart=True), budget="smoke", seed=1)


@pytest.mark.parametrize(("own", "found"), [((2, 3), True), ((-2, -1), True), ((0.4, 0.6), False)])
def test_of_rows_apart_the_outermost_must_come_from_the_generator(own, found):
    # All rows are spared with probability 2e-6.
    brought = np.random.default_rng(7)

    def seldom(*, size, rng):
        return np.where(rng.random(size) < 0.05, brought.uniform(*own, size), rng.random(size))

    claim = claim_of(seldom, rows=256, apart=True)
    if found:
        with pytest.raises(ClaimError, match="draws other lhs from the same generator"):
            draw(claim, {}, 0, seed=1)
    else:  # What hides among the others is not looked for.
        assert draw(claim, {}, 0, seed=1)["lhs"].size == 256


def test_of_two_sides_drawn_apart_the_difference_is_outermost():
    def simulate(*, size, rng):
        lhs = 10 * rng.random(size)
        rhs = lhs + rng.uniform(1, 2, size)
        return {"lhs": lhs, "rhs": rhs, "applies": rng.random(size) < 0.9}

    claim = claim_of(simulate, rows=64, apart=True, bound=None)
    block = draw(claim, {}, 0, seed=1)
    gap = np.where(block["applies"], block["lhs"] - block["rhs_draw"], np.nan)
    assert _outermost(block) == {np.nanargmin(gap), np.nanargmax(gap)}
    assert _outermost({**block, "applies": np.zeros(64, bool)}) == set()


def test_what_no_draws_decide_has_no_rows_apart():
    with pytest.raises(ValueError, match="apart is said of what draws decide"):
        claim_of(LAWS["normal"], kind="always", grid={}, apart=True)
    with pytest.raises(ValueError, match="apart must be True or False"):
        claim_of(LAWS["normal"], apart=1)


def held_apart(claim_id):
    """What a smoke and a standard audit of a claim of the box say of its rows, and its verdict."""
    found = {
        budget: nt.audit(nt.claims[claim_id], seed=2026, budget=budget).summary.attrs
        for budget in ("smoke", "standard")
    }
    return {
        budget: (attrs["verdict"], "compared" in attrs, "relied" in attrs)
        for budget, attrs in found.items()
    }


def test_a_smoke_audit_upholds_what_is_ours_without_comparing_rows():
    found = held_apart("top-k/theorem-2")
    assert found == {"smoke": ("upheld", False, True), "standard": ("upheld", True, False)}


def test_what_is_ours_is_refuted_after_comparing_rows_at_every_budget():
    found = held_apart("uma/proposition-3/classes-printed")
    assert set(found.values()) == {("refuted", True, False)}


def test_what_is_ours_and_depends_is_no_refutation_in_a_smoke_audit_either():
    def simulate(*, size, rng):
        return np.full(size, 3.0 + rng.normal())

    def bound():
        return 0.5

    simulate.__module__ = bound.__module__ = "noisytheory.topics.new"
    with pytest.raises(ClaimError, match="not independent"):
        nt.audit(claim_of(simulate, bound=bound), budget="smoke")
