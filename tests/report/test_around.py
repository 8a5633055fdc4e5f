"""What stands around the pages of claims: a user's paper beside those of the box."""

from types import SimpleNamespace

import noisytheory as nt
from noisytheory.report.around import discrepancies_of


def test_a_paper_of_somebody_hides_none_of_the_box():
    """It took the place of the one whose id it has, and of all that is known of its print."""
    box = nt.claims["kernel-mean/corollary-8/printed"]
    own = SimpleNamespace(paper=nt.Paper("kernel-mean", "Own"), names=(), also=())
    records = [SimpleNamespace(id=name, verdict="refuted", as_expected=True)
               for name in ("kernel-mean/a", box.id)]
    found = discrepancies_of({"kernel-mean/a": own, box.id: box}, records)
    assert len(found) == len(discrepancies_of({box.id: box}, records[1:])) > 0
