"""What would refute a claim, how near its trial came, and the list of those that fall short."""

from __future__ import annotations

import dataclasses
import math
import re
from fractions import Fraction

import numpy as np
import planted

from noisytheory import Certificate, Law, Paper, audit, scaled
from noisytheory.report import read, write
from noisytheory.report.spelling import number
from noisytheory.report.trials import falls_if, forced, sharpest, short, unscaled
from noisytheory.topics.multiclass.deviations import simulate


def _coin(p):
    return Law([0.0, 1.0], [1 - p, p])


LOOSE = Paper("p", "P", symbols={r"\tilde x": "a coin's $p$", "x": "nothing here"}).mean(
    "loose", statement=r"\tilde x", bound=lambda p: 4 * p, exact=_coin, grid={"p": [0.125]},
    low=0.0, high=1.0, note="Four times too large.",
)


def test_a_sample_size_is_told_beside_what_is_needed():
    with audit("uma/proposition-3/sample-size", budget="smoke") as found:
        (record,) = read(found)
    needed, due = re.findall(r"side (?:is )?(\d[\d\u202f]*\d)", falls_if(record).split("There ")[1])
    # 2 beta^2 log(2 / delta) / epsilon^2, and the last n of `simulate.needed`.
    (last,) = simulate.needed(25.5, 2.0, 1e-30, "squared")
    said = [float(text.replace("\u202f", "")) for text in (needed, due)]
    assert said == [float(f"{x:.4g}") for x in (last.lhs, 25.5**2 / 2 * math.log(2e30))]


def test_how_near_the_trial_came_is_the_factor_that_breaks_the_promise():
    both = planted.identity(certify=lambda a, b: Certificate(
        (Fraction(a) + Fraction(b)) ** 2,
        Fraction(a) ** 2 + 2 * Fraction(a) * Fraction(b) + Fraction(b) ** 2,
    ))
    tried = [planted.exact_hoeffding(), planted.cited(), both, LOOSE]
    with audit(tried, budget="smoke") as found:
        records = {record.id: record for record in read(found)}
    assert falls_if(records["planted/quoted"]).startswith("Nothing can refute it here")
    assert "one side times anything but 1" in falls_if(records["planted/binomial"])
    assert sharpest(records["p/loose"]) == (0.25, "p\u00a0=\u00a00.125")
    assert "below 0.25 of its size" in falls_if(records["p/loose"])
    exact = records["planted/hoeffding-exact"]
    share, _ = sharpest(exact)
    claim = planted.exact_hoeffding()
    for factor, verdict in ((1.001 * share, "upheld"), (0.999 * share, "refuted")):
        changed = dataclasses.replace(
            claim, twin=None, bound=lambda n, delta, f=factor: f * claim.bound(n, delta)
        )
        with audit([changed], budget="smoke") as found:
            assert [record.verdict for record in read(found)] == [verdict]


def test_without_exact_arithmetic_nothing_would_have_refuted_it():
    fields = {"bound": lambda a, b: 0.5 * (a + b) ** 2 + 1, "twin": None}
    for certify, says in ((None, "Nothing can refute it here"),
                          (planted.always().certify, "again in exact arithmetic")):
        with audit([planted.always(certify=certify, **fields)], budget="smoke") as found:
            (record,) = read(found)
        assert says in falls_if(record), record.verdict
        assert ("would have fallen" in falls_if(record)) == (certify is not None)


def _two(x):
    return {"lhs": np.array([0.0, x]), "a": np.array([0.0, 1.0])}


def test_an_instance_where_both_sides_are_zero_tells_no_factor():
    def sharpness(factor, x=1.0):
        claim = Paper("p", "P").always(
            "zero", statement="x", bound=lambda a: factor * a, exact=_two, grid={"x": [x]},
            quantity="what is lost", certify=lambda x, a: Certificate(
                Fraction(x) * Fraction(a), Fraction(factor) * Fraction(a)
            ),
        )
        with audit([claim], budget="smoke") as found:
            (record,) = read(found)
        return record.verdict, sharpest(record), falls_if(record)

    verdict, (share, _), says = sharpness(4)
    assert share == 0.25 and "below 0.25 of its size" in says
    assert [verdict, sharpness(1.01)[0], sharpness(0.99)[0]] == ["upheld", "upheld", "refuted"]
    verdict, none, says = sharpness(0, 0.0)
    assert verdict == "upheld" and none is None and "right side is never above 0" in says
    assert "one instance where the left side (what is lost) exceeds it" in says


def test_of_draws_it_is_what_they_are_certain_to_refute_and_never_less_than_a_twin():
    def simulate(p, *, size, rng, less=0.0):
        return (rng.random(size) < p) - less

    fields = {"statement": "x", "simulate": simulate, "low": 0.0, "high": 1.0}
    drawn = Paper("p", "P").mean("drawn", bound=lambda p: 2 * p, grid={"p": [0.25]}, **fields)
    with audit([drawn], budget="smoke") as found:
        (record,) = read(found)
        share, _ = sharpest(record)
        draws = found["p/drawn"].summary["replicates"].item()
    assert 0.2 < share < 0.5 and "certainly have fallen" in falls_if(record)
    for factor, verdict in ((0.999 * share, "refuted"), (1.1 * share, "undecided")):
        changed = dataclasses.replace(drawn, bound=lambda p, f=factor: 2 * f * p, twin=None)
        with audit([changed], budget="smoke", replicates=draws) as found:
            assert [of.verdict for of in read(found)] == [verdict]
    twin = dataclasses.replace(drawn, twin=scaled(Fraction(47, 100)))
    below = Paper("p", "P").mean(
        "below", bound=lambda p: p - 0.5, grid={"p": [0.25]},
        given={"less": 1.0}, **{**fields, "low": -1.0, "high": 0.0},
    )
    with audit([twin, below], budget="smoke") as found:
        second, first = read(found)
    assert sharpest(first) == (0.47, "") and "broken twin" in falls_if(first)
    assert sharpest(second) is None and "in place of \u22120.25" in falls_if(second)


def test_what_falls_short_has_a_page_with_the_reason_and_a_page_its_symbols(tmp_path):
    few = [planted.cited(), planted.exact_hoeffding(), LOOSE]
    with audit(few, budget="smoke") as found:
        write(found, tmp_path)
        assert [s.record.id for s in short(read(found))] == ["p/loose", "planted/quoted"]
    for name in ("trials.md", "trials.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "Four times too large." in text and "nearer than 0.25 of" in text
        assert "hoeffding-exact" not in text
    for name, said in (("loose.md", r"* $\tilde x$: a coin's $p$"), ("loose.html", "a coin")):
        text = (tmp_path / "p" / name).read_text(encoding="utf-8")
        assert said in text and "nothing here" not in text
    assert "[Where a trial falls short](trials.md)" in (tmp_path / "README.md").read_text()


def test_what_cannot_fail_is_listed_with_how_far_off_it_is(tmp_path):
    # 2 sqrt(log(1/delta)/n) against 1: above it for n = 1 throughout, for n = 4 at 0.01 alone.
    claim = Paper("p", "P").tail(
        "coin", statement="x", bound=lambda n, delta: 2 * np.sqrt(-np.log(delta) / n),
        exact=lambda n: _coin(1e-3), grid={"n": [1, 4, 100], "delta": [0.5, 0.01]}, trivial=1.0,
    )
    with audit([claim, LOOSE], budget="smoke") as found:
        (entry,) = forced(read(found))
        assert (entry.record.id, entry.count, entry.of) == ("p/coin", 3, 6)
        assert entry.where == (
            "at every \u03b4: n\u00a0=\u00a01; at \u03b4\u00a0\u2264\u00a00.01: n\u00a0=\u00a04"
        )
        assert entry.beyond == "1.67 to 4.29"
        write(found, tmp_path)
    for name in ("trials.md", "trials.html"):
        text = " ".join((tmp_path / name).read_text(encoding="utf-8").split())
        assert "What cannot fail" in text and "3 of 6" in text
        assert " ".join(entry.where.split()) in text


def test_every_upheld_claim_is_on_the_page_of_trials_or_names_a_share(tmp_path):
    """Equalities drawn or of zeros, right sides that are never above 0 and a sign name no share."""
    low = {"statement": "x", "grid": {"p": [0.25]}, "low": -1.0, "high": 1.0}
    paper = Paper("p", "P")
    claims = [
        paper.equal("drawn", bound=lambda p: p, margin=0.05, simulate=lambda p, *, size, rng:
                    (rng.random(size) < p) * 1.0, **low),
        paper.mean("less", bound=lambda p: -p, simulate=lambda p, *, size, rng:
                   rng.uniform(-0.9, -0.7, size), **low),
        paper.identity("zeros", statement="x", quantity="loss", exact=lambda: {
            "lhs": np.zeros(2), "rhs": np.zeros(2)}, certify=lambda: Certificate(0, 0)),
        paper.exists("sign", statement="x", bound=lambda a: 0 * a + np.finfo(float).tiny,
                     exact=lambda a: (a / 8, 0.0), grid={"a": [1.0, 2.0]}),
        planted.identity(), planted.exact_hoeffding(),
    ]
    with audit(claims, budget="smoke") as found:
        records = {record.id.partition("/")[2]: record for record in read(found)}
        write(found, tmp_path)
    assert {record.verdict for record in records.values()} == {"upheld"}
    told = {entry.record.name: entry.why for entry in unscaled(records.values())}
    assert set(told) == {"drawn", "less", "zeros", "sign"}
    assert "above 0 and names no size" in told["sign"] and "least is 0.125" in told["sign"]
    assert records["sign"].tightness is None
    size = float(records["drawn"].per_cell("resolution")[0])
    assert f"{number(size)} away, {number(4 * size)} of what is promised," in told["drawn"]
    assert "in place of \u22120.25" in told["less"] and "(loss) are 0" in told["zeros"]
    # Certain to refute -0.8 or so, three times the promise.
    (loose,) = short([records["less"]])
    assert re.search(r"beyond 3\.\d+ times the promised one", loose.why)
    page = " ".join((tmp_path / "trials.html").read_text(encoding="utf-8").split())
    assert all(why in page for why in told.values())


def test_a_share_that_one_lucky_draw_shows_is_told_beside_one_that_others_would_show():
    def simulate(*, size, rng):
        found = rng.random(size) ** 0.125
        return {"lhs": found, "rhs": np.ones(size), "x": found}

    claim = Paper("p", "P").always(
        "lucky", statement="x", simulate=simulate, certify=lambda x: Certificate(Fraction(x), 1),
        rows=64,
    )
    with audit([claim], budget="smoke", replicates=64) as found:
        (record,) = read(found)
    left = np.sort(record.all_draws("lhs", 0))
    assert record.per_level("refutable_elsewhere") == left[-7] < left[-1]
    assert f"below {number(left[-1])} of its size it would have fallen with" in falls_if(record)
    assert f"and below {number(left[-7])} with as many others in 99 of 100" in falls_if(record)
