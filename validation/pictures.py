"""Run again the experiments of pictures that no trial draws, and keep their numbers.

    python validation/pictures.py [ID|GLOB ...]

Each is a function beside a ``pictures.py``, of no argument and with a seed of its own. Its numbers
stand in the ``pictures.json`` there, and a report draws what stands there. Those on MNIST need
NOISYTHEORY_DATA.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import noisytheory as nt
from noisytheory.trial import kept
from noisytheory.trial.draws import one_thread


def experiments(globs: list[str]) -> list[Callable[[], Mapping[str, Any]]]:
    """Those of the claims' pictures, each once."""
    found = (
        kept.experiment_of(claim.picture) for claim_id, claim in nt.claims.items()
        if claim.picture is not None and any(fnmatch.fnmatchcase(claim_id, g) for g in globs)
    )
    return list(dict.fromkeys(run for run in found if run is not None))


def keep(path: Path, name: str, numbers: Mapping[str, Any]) -> None:
    """Write what one experiment found, a line a name, beside what the file has of others."""
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held[name] = kept.plainly(numbers)
    entries = (
        f"{json.dumps(of)}: {{\n" + ",\n".join(
            f"{json.dumps(key)}: {json.dumps(values, separators=(',', ':'), ensure_ascii=False)}"
            for key, values in held[of].items()
        ) + "\n}" for of in sorted(held)
    )
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Run and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("globs", nargs="*", default=["*"], help="of claims; all unless given")
    for run in experiments(parser.parse_args().globs):
        started = time.process_time()
        with one_thread():
            keep(kept.where(run), run.__name__, run())
        print(f"{run.__module__}.{run.__name__}: {time.process_time() - started:.1f} s")


if __name__ == "__main__":
    main()
