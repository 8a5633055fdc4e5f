"""Claims refuse fields that they cannot mean, and say which."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.trial.sides import scaled

PAPER = nt.Paper("mine", "Mine")

ESCAPING = SimpleNamespace(name="\x1b[31mred")
"""Of an object, its name is what addresses, pages and terminals show."""


def simulate(n, c=1.0, *, size, rng):
    return c * rng.uniform(size=size)


def declared(**fields):
    base = {"statement": "x", "bound": lambda n: 0.5 + 0 * n, "simulate": simulate, "low": 0.0,
            "high": 1.0, "grid": {"n": [1, 2]}}
    return PAPER.mean("m", **{**base, **fields})


ELSEWHERE = nt.Paper("other", "Other").also("m", "Theorem 1")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"given": [("c", 1.0)]}, "given must be a mapping of names to constants, got "),
        ({"given": "c"}, "given must be a mapping of names to constants, got 'c'"),
        ({"given": {1: 2}}, "given must name arguments, got 1"),
        ({"given": {"a b": 2}}, "given must name arguments, got 'a b'"),
        ({"given": {"n": 3}}, "given 'n' is a parameter of the grid already"),
        *(({"given": {name: 1}}, f"given cannot name a constant '{name}'")
          for name in ("delta", "size", "rng", "lhs", "applies", "slope")),
        ({"also": "other/m"}, "also must be a list of paper.also(name, place), got 'other/m'"),
        ({"also": ELSEWHERE}, "also must be a list of paper.also(name, place), got Elsewhere("),
        ({"also": ["other/m"]}, "also must hold paper.also(name, place), got 'other/m'"),
        ({"also": [nt.Paper("other", "Other").also("", "")]},
         "id must look like paper/name, got 'other/'"),
        ({"also": [nt.Paper("other", "Other").also("a b", "")]},
         "id must look like paper/name, got 'other/a b'"),
        ({"also": [ELSEWHERE, ELSEWHERE]}, "also names other/m a second time"),
        ({"also": [PAPER.also("m", "again")]}, "also names mine/m a second time"),
        ({"twin": {"nope": 3}}, "twin names 'nope', which is no field that a twin can change"),
        ({"twin": {"expect": "upheld"}}, "twin names 'expect', which is no field that"),
        ({"twin": {}}, "twin must be a mapping of the fields that break the claim"),
        ({"twin": 3}, "twin must be a mapping of the fields that break the claim"),
        ({"twin": "bound"}, "twin must be a mapping of the fields that break the claim"),
        ({"twin": lambda claim: None}, "function of the claim that returns one, got None"),
        ({"twin": lambda claim: [claim]}, "function of the claim that returns one, got ["),
    ],
)
def test_a_field_that_means_nothing_is_refused_by_name(fields, message):
    with pytest.raises(ValueError) as refused:
        declared(**fields)
    assert str(refused.value).startswith("mine/m: ")
    assert message in str(refused.value)


def test_what_those_fields_may_be():
    claim = declared(given={"c": 0.5}, also=[ELSEWHERE], twin=scaled(0.5))
    assert claim.names == ("mine/m", "other/m")
    assert claim.broken().names == ("mine/m/broken-twin",)
    assert claim.twin["why"] == "right side times 1/2"
    assert np.all(claim.call(simulate, {"n": 1}, size=4, rng=np.random.default_rng(0)) < 0.5)


def test_what_is_given_may_be_anything_with_a_text():
    """It was found out after the draws that an array has no label."""
    given = {"c": np.array([0.5]), "d": None, "e": [1, 2]}
    claim = declared(given=given, simulate=lambda n, c, *, size, rng: c * rng.uniform(size=size))
    result = nt.audit(claim, seed=1, budget="smoke")
    assert result.dataset.attrs["given"] == ["c=[0.5]", "d=None", "e=[1, 2]"]


@pytest.mark.parametrize("factor", ["x", None, math.nan, math.inf, 0, -1, 1, True, 1j])
def test_a_factor_that_breaks_nothing_is_refused(factor):
    with pytest.raises(ValueError) as refused:
        scaled(factor)
    assert str(refused.value) == (
        f"factor must be a positive, finite number other than 1, got {factor!r}"
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"id": "m/index.html"}, "no part of an id ends in"),
        ({"id": "README.md/t"}, "no part of an id ends in"),
        ({"id": "m/" + "x" * 200}, "at most 200 characters"),
        ({"id": 3}, "must look like paper/name"),
        ({"statement": None}, "statement must be text"),
        ({"statement": "x" * 10_001}, "at most 10,000 characters, got 10,001"),
        ({"note": "\x1b[31mred"}, r"note must be printable, got '\\x1b\[31mred'"),
        ({"grid": {"n": ["\x1b[31mred"], "delta": [0.1]}}, "'n': a value must be printable"),
        ({"grid": {"n": ["\ud800"], "delta": [0.1]}}, "'n': a value must be printable"),
        ({"grid": {"n": [ESCAPING], "delta": [0.1]}}, "'n': a value must be printable"),
        ({"given": {"m": "\x1b[31mred"}}, "given 'm' must be printable"),
        ({"given": {"m": ESCAPING}}, "given 'm' must be printable"),
        ({"origin": "\x1b[31mred"}, "origin must be printable"),
        ({"also": [ELSEWHERE.paper.also("m", "\x1b[31mred")]}, "place must be printable"),
        ({"twin": {"why": "\x1b[31mred", "bound": bool}}, "twin's why must be printable"),
        ({"hypotheses": ["\x1b[31mred"]}, "a hypothesis must be printable"),
        ({"hypotheses": "independent draws"}, "hypotheses must be a list, got 'independent draws'"),
        ({"grid": {"n": range(10**12), "delta": [0.1]}}, "1,000,000 cells, got 1,000,000,000,000"),
    ],
)
def test_what_no_page_can_show_is_refused(fields, said):
    known = dict(
        id="m/t", paper=PAPER, kind="tail", statement="x", bound=lambda n, delta: 1.0,
        simulate=lambda n, *, size, rng: rng.uniform(size=size), grid={"n": [1], "delta": [0.1]},
    )
    with pytest.raises(ValueError, match=said):
        nt.Claim(**{**known, **fields})


@pytest.mark.parametrize("fields", [
    {"title": "a\x1b]0;b\x07"}, {"authors": "\x1b[31m"}, {"symbols": {"x": "\x1b[31mred"}},
])
def test_a_paper_writes_to_no_terminal(fields):
    with pytest.raises(ValueError, match=f"paper's {min(fields.get('symbols', fields))} .*print"):
        nt.Paper(**{"id": "m", "title": "x", **fields})


def test_a_discrepancy_writes_to_no_terminal():
    with pytest.raises(ValueError, match="discrepancy's true must be printable"):
        nt.Discrepancy(place="Theorem 1", printed="x", true="\x1b[31mred")


@pytest.mark.parametrize("name", [5, None, True])
def test_the_name_of_a_claim_is_text(name):
    with pytest.raises(ValueError, match="the name of a claim of mine must be text"):
        nt.Paper("mine", "x").cited(name, statement="x")
