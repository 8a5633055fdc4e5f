"""What is published is what the campaign's definition gives, as far as its data are at hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import campaign
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def published():
    return json.loads((ROOT / "reports" / "verdicts.json").read_text())


def test_the_published_verdicts_are_the_campaigns(verdicts, published):
    absent = campaign.absent()
    assert [row for row in published if row["id"] not in absent] == campaign.verdict_table(verdicts)


def test_claims_on_mnist_are_published_with_their_pages(published):
    rows = {row["id"]: row for row in published}
    for claim_id in campaign.definition()["mnist"]:
        assert rows[claim_id]["verdict"] == "upheld"
        page = (ROOT / "reports" / f"{claim_id}.md").read_text()
        assert "MNIST" in page and f"NOISYTHEORY_DATA=FOLDER noisytheory audit {claim_id}" in page
        assert (ROOT / "reports" / f"{claim_id}.html").is_file()


def test_every_verdict_is_as_expected(verdicts):
    assert [result.claim.id for result in verdicts if not result.as_expected] == []


def test_the_level_of_a_claim_is_the_same_without_the_data(verdicts):
    settings = campaign.definition()
    tried = [result for result in verdicts if result.claim.kind != "cited"]
    whole = len(tried) + len(campaign.absent())
    share = tried[0].dataset.attrs["alpha"] / tried[0].dataset.attrs["family"]
    assert share == pytest.approx(settings["alpha"] / whole, rel=1e-12)


def test_without_the_data_nothing_published_is_overwritten(monkeypatch, capsys):
    monkeypatch.setattr(campaign, "absent", lambda: ["kernel-mean/theorem-5/mnist"])
    monkeypatch.setattr(campaign, "run", lambda *_: pytest.fail("it ran"))
    monkeypatch.setattr(sys, "argv", ["campaign.py"])
    with pytest.raises(SystemExit) as left:
        campaign.main()
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert "NOISYTHEORY_DATA" in told and "kernel-mean/theorem-5/mnist" in told


def test_the_readme_shows_the_published_verdicts(published):
    readme = (ROOT / "README.md").read_text()
    shown = readme.partition(campaign.START)[2].partition(campaign.END)[0].strip()
    assert shown == campaign.readme_table(published)


def test_the_report_has_a_page_for_every_claim(verdicts):
    for result in verdicts:
        for suffix in ("html", "md"):
            assert (ROOT / "reports" / f"{result.claim.id}.{suffix}").is_file()
