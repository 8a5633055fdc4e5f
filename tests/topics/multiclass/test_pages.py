"""What the pages of all claims on UMA must say."""

from __future__ import annotations

import importlib
import sys

import pytest

import noisytheory as nt
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.trial.catalogue import match, of_topic

CLAIMS = of_topic("multiclass")
UMA, ONLINE = (importlib.import_module(f"noisytheory.topics.multiclass.{name}")
               for name in ("uma", "ultraconservative"))
DATA = ("digits", "_features")


@pytest.fixture
def taken(monkeypatch):
    """The steps that learners take, whatever the form of their loop."""
    seen, lockstep, steps = set(), UMA.in_lockstep, ONLINE.steps

    def runs(*given, **options):
        seen.add(options.get("step", "predicted"))
        return lockstep(*given, **options)

    def online(scores, true, erring, rule, **options):
        seen.add(rule)
        return steps(scores, true, erring, rule, **options)

    monkeypatch.setattr(UMA, "in_lockstep", runs)
    monkeypatch.setattr(ONLINE, "steps", online)
    return seen


def said(claim):
    """Words of the steps that a page names; a grid's are those of the algorithm's argument."""
    words = " ".join([claim.statement, *claim.hypotheses])
    return {step for step, name in WORDS.items() if name in words} | set(claim.grid.get("step", ()))


@pytest.mark.contract
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_page_names_the_steps_that_its_trial_takes(claim, taken):
    for name, module in list(sys.modules.items()):
        if name.startswith("noisytheory.topics.multiclass."):
            for held in vars(module).values():
                # A run that is kept would not be seen.
                if hasattr(held, "cache_clear") and held.__name__ not in DATA:
                    held.cache_clear()
    nt.audit(claim, budget="smoke", workers=0, replicates=1)
    assert taken - said(claim) == set()


@pytest.mark.parametrize("name", [
    "C-identity-is-perceptron", "identity-sumW", "prop3-fixed-W", "prop4-exact", "prop4-repaired",
    "prop4-unnormalised", "sum-rate-independent-of-Q",
])
def test_other_spellings_are_names_of_claims(name):
    assert match(f"uma/{name}")


def test_what_a_hypothesis_has_in_tex_is_between_dollar_signs():
    for claim in CLAIMS:
        for said in claim.hypotheses:
            outside = "".join(said.split("$")[::2])
            assert "\\" not in outside, (claim.id, said)


@pytest.mark.parametrize(("name", "symbols"), [
    ("uma/pi-hat/estimated", [r"\pi", r"\hat\pi", r"\hat y", "C", r"\hat C"]),
    ("uma/table-1/repaired", ["f_y"]),
    ("uma/figure-3/crossing", [r"f_{\rm conf}"]),
    ("uma/figure-4", [r"f_{\rm S3VM}"]),
])
def test_symbols_of_a_statement_are_explained(name, symbols):
    claim = nt.claims[name]
    assert all(said in claim.statement and said in claim.paper.symbols for said in symbols)
