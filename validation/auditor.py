"""The auditor, audited: false refutations of planted true claims, refutations of broken twins.

    python validation/auditor.py [--audits 200] [--seeds 100] [--workers 2] [--json FILE]

1. A family of true claims, each at the edge of what it promises (tails exactly at their level in
   every cell and at every delta, means, equalities, equal laws, a printed number), is audited again
   and again with fresh seeds. At most alpha of the audits may contain a refutation.
2. Every broken twin in the catalogue is tried at the smoke budget with many seeds. At least 99 of
   100 must refute. Where all evidence is exact no seed matters, and one trial stands for all.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import noisytheory as nt
from noisytheory.trial.catalogue import distinct
from noisytheory.trial.evidence import proportion_limits

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

ALPHA = 0.01


def planted_family(seed: int) -> int:
    """Refutations in one audit of a family of true claims at their level; standard budget."""
    from planted import family_at_level

    with nt.audit(family_at_level(), seed=seed, alpha=ALPHA, budget="standard") as audit:
        return sum(result.verdict == "refuted" for result in audit)


def twin_refuted(job: tuple[str, int]) -> tuple[bool, bool]:
    """Whether a claim's broken twin is refuted at the smoke budget with this seed, and exactly."""
    claim_id, seed = job
    with nt.audit([nt.claims[claim_id].broken()], seed=seed, budget="smoke") as trial:
        (result,) = trial
        return result.verdict == "refuted", result.exact


def main() -> int:
    """Run both parts and print the figures; exit code 1 if either promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audits", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        refutations = list(pool.map(planted_family, range(options.audits), chunksize=5))
        false_alarms = sum(count > 0 for count in refutations)
        low, high = proportion_limits(false_alarms, options.audits, 0.95)
        print(
            f"planted true claims at their level: {false_alarms} of {options.audits} audits "
            f"contain a false refutation (95% limits {float(low):.4f} to {float(high):.4f}; "
            f"promised at most {ALPHA})"
        )
        twins = [claim.id for claim in distinct(nt.claims.values()) if claim.twin is not None]
        first = dict(zip(twins, pool.map(twin_refuted, [(t, 0) for t in twins]), strict=True))
        drawn = [claim_id for claim_id, (_, exact) in first.items() if not exact]
        jobs = [(claim_id, seed) for claim_id in drawn for seed in range(1, options.seeds)]
        others = pool.map(twin_refuted, jobs, chunksize=max(1, options.seeds // 8))
        refuted = {
            claim_id: told * (options.seeds if exact else 1)
            for claim_id, (told, exact) in first.items()
        }
        for (claim_id, _), (told, _) in zip(jobs, others, strict=True):
            refuted[claim_id] += told
    for claim_id, count in refuted.items():
        how = "" if claim_id in drawn else " (exact)"
        print(f"{claim_id}: broken twin refuted {count} of {options.seeds}{how}")
    worst = min(refuted.values(), default=options.seeds)
    print(f"broken twins: {len(twins)}, refuted at least {worst} of {options.seeds} each")
    if options.json is not None:
        figures = {
            "audits": options.audits, "false_alarms": false_alarms,
            "alpha": ALPHA, "seeds": options.seeds, "twins_refuted": refuted,
            "twins_drawn": drawn,
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    return int(false_alarms > ALPHA * options.audits or worst < 0.99 * options.seeds)


if __name__ == "__main__":
    sys.exit(main())
