"""Plant faults one at a time in a copy of the repository, and see that the tests notice each.

    python validation/faults.py [--root DIR] [--only WORDS]

A fault is a small natural slip: a sign, a constant, a swapped label, an index off by one. Where
tests go, or run less often, none may get through. Only the tests beside the fault are run: what
they notice, the whole suite notices.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Fault:
    """What is replaced, in which file, and the tests that stand beside it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


FAULTS = [
    Fault(
        "a sign in Theorem 5", "noisytheory/topics/kernel_mean/deviation/bounds.py",
        "return expected_deviation(n) + mcdiarmid(delta, 4 / n)",
        "return expected_deviation(n) - mcdiarmid(delta, 4 / n)",
        ("tests/topics/kernel_mean",),
    ),
    Fault(
        "a constant in McDiarmid's inequality",
        "noisytheory/topics/concentration/differences/bounds.py",
        "return np.sqrt(-np.log(delta) * squared_differences / 2)",
        "return np.sqrt(-np.log(delta) * squared_differences)",
        ("tests/topics/concentration",),
    ),
    Fault(
        "noise rates of the two labels swapped", "noisytheory/vocabulary/noise.py",
        "np.where(clean == 1, float(self.sigma_plus), float(self.sigma_minus))",
        "np.where(clean == 1, float(self.sigma_minus), float(self.sigma_plus))",
        ("tests/vocabulary",),
    ),
    Fault(
        "a slope of the hinge loss at its kink", "noisytheory/vocabulary/losses.py",
        "return np.where(margin < 1, -1.0, 0.0)", "return np.where(margin < 0, -1.0, 0.0)",
        ("tests/vocabulary",),
    ),
    Fault(
        "a confusion of labels transposed", "noisytheory/vocabulary/joint_masses.py",
        "return np.asarray(masses @ np.swapaxes(confusion, -1, -2))",
        "return np.asarray(masses @ confusion)",
        ("tests/vocabulary",),
    ),
    Fault(
        "one outcome too few in an exact law", "noisytheory/vocabulary/**/*.py",
        "        repeat = left + 1\n", "        repeat = np.maximum(left, 1)\n",
        ("tests/vocabulary",),
    ),
    Fault(
        "a step of herding off by one", "noisytheory/topics/sparse/herding.py",
        'rate = 2 / (t + 1) if step == "classic" else 1 / t',
        'rate = 2 / (t + 2) if step == "classic" else 1 / t',
        ("tests/topics/sparse",),
    ),
    Fault(
        "a constant of the CVaR over a ball", "noisytheory/topics/top_k/cvar/bounds.py",
        "return (2 * radius + bound + bound", "return (2 * radius + bound",
        ("tests/topics/top_k/test_bounds.py",),
    ),
    Fault(
        "a branch of norm over margin", "noisytheory/topics/top_k/margins/bounds.py",
        "np.sqrt(norm**2 / 4 + C * risk)", "np.sqrt(norm**2 / 4 + C * nu)",
        ("tests/topics/top_k/test_bounds.py",),
    ),
    Fault(
        "a look of the two-sample test off by one", "noisytheory/trial/verdict.py",
        "4 * directions * look * (look + 1)", "4 * directions * look * (look - 1) + 1",
        ("tests/trial",),
    ),
    Fault(
        "the level not shared over the claims", "noisytheory/trial/verdict.py",
        "np.log(max(1, claims) / alpha)", "np.log(1 / alpha)",
        ("tests/trial",),
    ),
    Fault(
        "a block drawn from its neighbour's stream", "noisytheory/trial/draws.py",
        "spawn_key=(block, *row)", "spawn_key=(block // 2, *row)",
        ("tests/trial",),
    ),
    Fault(
        "the digest of a stored block not compared", "noisytheory/trial/store/journal.py",
        "return _seal(crc)", "return _seal(0)",
        ("tests/trial/test_store.py",),
    ),
    Fault(
        "a verdict that differs is no exit code", "noisytheory/cli/*.py",
        "AS_EXPECTED if found.as_expected else DIFFERS", "AS_EXPECTED",
        ("tests/cli",),
    ),
    Fault(
        "a picture that calls upheld what is refuted", "noisytheory/report/**/*.py",
        'return "refuted", {"color": COLOURS[1]', 'return "upheld", {"color": COLOURS[1]',
        ("tests/report",),
    ),
]


def place(fault: Fault, root: Path) -> Path:
    """The one file that has what the fault replaces."""
    places = [
        path for path in sorted(root.glob(fault.file))
        if path.is_file() and fault.old in path.read_text(encoding="utf-8")
    ]
    if len(places) != 1:
        raise ValueError(f"{fault.name}: {len(places)} files have {fault.old!r}")
    return places[0]


def plant(fault: Fault, root: Path) -> None:
    """Write the fault into its place."""
    path = place(fault, root)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault.old, fault.new, 1), encoding="utf-8")


def caught(fault: Fault, root: Path) -> str:
    """The first test that fails on a copy with the fault; empty if none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache"))
        plant(fault, copy)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *fault.tests],
            cwd=copy, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(copy)},
        )
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)
        if done.returncode == 1 and failed:
            return failed[1]
        if done.returncode == 0:
            return ""
        raise RuntimeError(f"{fault.name}: {done.stdout[-500:]}{done.stderr[-500:]}")


def main() -> int:
    """Print a row a fault; 1 if one is not caught."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--only", default="", help="faults with these words in their name")
    options = parser.parse_args()
    missed = 0
    print("| fault | caught by |\n|---|---|")
    for fault in FAULTS:
        if options.only in fault.name:
            by = caught(fault, options.root)
            missed += not by
            print(f"| {fault.name} | {by or '**nothing**'} |", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
