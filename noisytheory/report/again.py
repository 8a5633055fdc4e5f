"""What it takes to see a claim's trial again."""

from __future__ import annotations

import shlex

from noisytheory.report.record import Record
from noisytheory.trial.catalogue import DATA

__all__ = ["commands", "needs_data", "provenance"]

def needs_data(record: Record) -> bool:
    """Whether the claim is tried on data that are not bundled: its note names the variable."""
    return DATA in str(record.note)


def commands(record: Record) -> list[str]:
    """What to type to see it again."""
    # The id of a claim that a file declares is known to that file only.
    file = record.dataset.attrs.get("file")
    named = f"{file}::{record.id}" if file else record.id
    needs = f"{DATA}=FOLDER " if needs_data(record) else ""
    if not record.tried:
        return [needs + shlex.join(["noisytheory", "show", named])]
    budget = str(record.budget)
    word, _, rest = budget.partition(" ")
    trial = ["--replicates", word] if rest else ["--budget", budget]
    # Alone, a claim has the whole level; with its share of the audit's it draws the same.
    share = float(record.alpha)
    if record.dataset.attrs.get("charged"):
        share /= max(1, int(record.sharing))
    trial += [] if share == 0.01 else ["--alpha", repr(share)]
    seed = ["--seed", str(record.seed)]
    found = record.counterexample
    if found is not None:
        block = found["block"] if found["block"] >= 0 else "exact"
        again = ["--address", f"{found['cell']};{block};{found['row']}"]
    else:
        # What is enumerated is the same whatever would have been drawn.
        again = [] if record.exact else trial
    return [
        needs + shlex.join(["noisytheory", "audit", named, *seed, *trial]),
        needs + shlex.join(["noisytheory", "replay", named, *seed, *again]),
    ]


def provenance(record: Record) -> list[tuple[str, str]]:
    """What suffices to run it again; nothing that changes from run to run."""
    names = (
        ("seed", "seed"), ("alpha", "error level of the audit"),
        ("family", "claims tried in the audit"),
        ("sharing", "claims that draws decide, which share the level"), ("budget", "budget"),
        ("rows", "replicates in a block"), ("version", "noisytheory"),
        ("fingerprint", "fingerprint of code and parameters"),
    )
    attributes = record.dataset.attrs
    return [(text, str(attributes[name])) for name, text in names if name in attributes]

