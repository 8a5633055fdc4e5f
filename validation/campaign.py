"""Run the repository's own audit and publish it: reports/ and the table in the README.

    python validation/campaign.py [--workers N] [--store DIR] [--output DIR]

What is kept is small: verdicts.json, the index, the list of discrepancies, the benchmarks, and one
page a paper with the figures that matter. The site with every claim's page is what
``noisytheory audit --report DIR`` writes.

The definition is ``campaign.toml`` beside this file. The same definition gives the same files, byte
for byte on one machine, and the same verdict table on all. It has claims on MNIST, which is not
bundled: without a folder in NOISYTHEORY_DATA that holds mnist.npz only another output folder than
reports/ can be written, and lacks them.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import benchmark_pages
import numpy as np

import noisytheory as nt
from noisytheory import report
from noisytheory.trial.catalogue import distinct

ROOT = Path(__file__).parents[1]
DEFINITION = Path(__file__).with_name("campaign.toml")
OTHERS = {"The auditor, audited": "auditor", "Audits disturbed": "endurance"}
"""Pages in reports/ that other scripts write, and how their files begin."""


def is_of_others(path: Path) -> bool:
    """Whether another script writes a file in reports/."""
    return path.name.startswith(tuple(OTHERS.values()))


START, END = "<!-- verdicts: written by validation/campaign.py -->", "<!-- end of verdicts -->"


def definition() -> dict[str, Any]:
    """The campaign's settings."""
    return tomllib.loads(DEFINITION.read_text())


def absent() -> list[str]:
    """Claims of the campaign whose data are not at hand."""
    return [claim_id for claim_id in definition()["mnist"] if claim_id not in nt.claims]


def run(workers: int, store: str | None = None) -> Any:
    """Audit every claim of the campaign that is at hand, each at its share of the whole level."""
    settings = definition()
    claims = distinct(
        claim
        for claim_id, claim in nt.claims.items()
        if any(fnmatch.fnmatchcase(claim_id, p) for p in settings["claims"])
    )
    # Absent claims keep their share: the others' verdicts are the same with the data and without.
    drawn = sum(claim_id in settings["mnist_drawn"] for claim_id in absent())
    return nt.audit(
        claims, seed=settings["seed"], alpha=settings["alpha"], budget=settings["budget"],
        workers=workers, store=store, reserve=drawn,
    )


def _digits(value: float | None) -> str | None:
    # Four digits agree between machines whose linear algebra rounds differently.
    return None if value is None else f"{value:.4g}"


def verdict_table(audit: Any) -> list[dict[str, Any]]:
    """What must not change unless the campaign or the code does."""
    return [
        {
            "id": result.claim.id,
            "also": list(result.claim.names[1:]),
            "verdict": result.verdict,
            "expected": result.claim.expect,
            "reason": result.reason,
            "replicates": result.replicates,
            "exact": result.exact,
            "tightness": _digits(result.tightness),
        }
        for result in audit
    ]


def readme_table(table: list[dict[str, Any]]) -> str:
    """The README's rows as Markdown."""
    rows = {row["id"]: row for row in table}
    lines = ["| claim | verdict | tightness | replicates |", "|---|---|---|---|"]
    for claim_id in definition()["readme"]:
        row = rows[claim_id]
        drawn = "exact" if row["exact"] else f"{row['replicates']:,}"
        paper, _, name = claim_id.partition("/")
        link = f"reports/{paper}.md#{name}"
        tightness = row["tightness"] or "–"
        lines.append(f"| [`{claim_id}`]({link}) | **{row['verdict']}** | {tightness} | {drawn} |")
    words = ("upheld", "refuted", "undecided")
    count = {word: sum(row["verdict"] == word for row in table) for word in words}
    mnist = sum(row["id"] in definition()["mnist"] for row in table)
    lines.append("")
    lines.append(
        f"All {len(table)} claims, {mnist} of them on MNIST: {count['upheld']} upheld, "
        f"{count['refuted']} refuted, {count['undecided']} undecided: "
        "[the whole table](reports/README.md)."
    )
    return "\n".join(lines)


def compared(folder: Path) -> dict[str, str]:
    """Write the pages that compare bounds on one quantity, and say what they are called."""
    pages = {}
    for name, asked in definition()["compared"].items():
        values = {key: asked[key] for key in ("n", "delta")}
        given = [f"{key}={','.join(map(str, np.atleast_1d(v)))}" for key, v in values.items()]
        comparisons = []
        for population in asked["populations"]:
            words = ["noisytheory", "compare", asked["claims"], *given, f"population={population}"]
            found = report.compare(asked["claims"], population=population, **values)
            comparisons.append((found, shlex.join(words)))
        report.compared(comparisons, folder, name, title=asked["title"])
        pages[asked["title"]] = name
    return pages


def publish(audit: Any, folder: Path) -> None:
    """Write what is kept of an audit."""
    recorded = benchmark_pages.write(folder, suffixes=("md",))
    links = compared(folder) | ({"Benchmarks": "benchmarks"} if recorded else {}) | OTHERS
    for page in filter(is_of_others, (ROOT / "reports").iterdir()):
        if not (folder / page.name).exists():
            shutil.copy(page, folder)
    report.digest(audit, folder, shown=definition()["shown"], links=links)
    (folder / "verdicts.json").write_text(json.dumps(verdict_table(audit), indent=1) + "\n")


def main() -> int:
    """Run, write, and say whether every verdict is as expected."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--store")
    parser.add_argument(
        "--output", type=Path,
        help="another folder than reports/: nothing is deleted, and the README stays as it is",
    )
    options = parser.parse_args()
    if absent():
        lack = f"without mnist.npz in $NOISYTHEORY_DATA there is no {', '.join(absent())}"
        if options.output is None:
            parser.error(f"{lack}; reports/ has them, so name another folder by --output")
        print(lack)
    with run(options.workers, options.store) as audit:
        table = verdict_table(audit)
        folder = options.output or ROOT / "reports"
        if options.output is None and folder.exists():
            for old in folder.iterdir():
                if not is_of_others(old):
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
        publish(audit, folder)
        if options.output is None:
            readme = ROOT / "README.md"
            head, _, rest = readme.read_text().partition(START)
            _, _, tail = rest.partition(END)
            readme.write_text(f"{head}{START}\n{readme_table(table)}\n{END}{tail}")
        for result in audit:
            if not result.as_expected:
                print(f"not as expected: {result!r}")
        return int(not audit.as_expected)


if __name__ == "__main__":
    sys.exit(main())
