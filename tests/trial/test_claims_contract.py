"""Every claim in the box keeps the contract, broken twins included."""

from __future__ import annotations

import pkgutil

import pytest

import noisytheory as nt
from noisytheory import topics
from noisytheory.trial.catalogue import distinct, of_topic

CLAIMS = distinct(nt.claims.values())
OF_TOPIC = {found.name: of_topic(found.name) for found in pkgutil.iter_modules(topics.__path__)}
FIRST = {
    (topic, claim.kind): claim
    for topic, claims in OF_TOPIC.items() for claim in reversed(claims)
}
"""One claim of every topic and kind; the job `contract` tries all of them."""


@pytest.mark.parametrize("claim", FIRST.values(), ids=lambda claim: claim.id)
def test_one_of_every_sort_keeps_the_contract(claim):
    nt.testing.check_claim(claim)


@pytest.mark.contract
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_claim_keeps_the_contract(claim):
    nt.testing.check_claim(claim)


def test_the_topics_have_all_claims():
    assert {claim for claims in OF_TOPIC.values() for claim in claims} == set(CLAIMS)
