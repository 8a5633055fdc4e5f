"""What is published is what the campaign's definition gives."""

from __future__ import annotations

import json
from pathlib import Path

import campaign
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def audit():
    with campaign.run(workers=2) as audit:
        yield audit


def test_the_published_verdicts_are_the_campaigns(audit):
    published = json.loads((ROOT / "reports" / "verdicts.json").read_text())
    assert published == campaign.verdict_table(audit)


def test_every_verdict_is_as_expected(audit):
    assert [result.claim.id for result in audit if not result.as_expected] == []


def test_the_readme_shows_the_published_verdicts(audit):
    readme = (ROOT / "README.md").read_text()
    shown = readme.partition(campaign.START)[2].partition(campaign.END)[0].strip()
    assert shown == campaign.readme_table(campaign.verdict_table(audit))


def test_the_report_has_a_page_for_every_claim(audit):
    for result in audit:
        for suffix in ("html", "md"):
            assert (ROOT / "reports" / f"{result.claim.id}.{suffix}").is_file()
