"""Whoever follows CONTRIBUTING.md adds a theorem that keeps the contract."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from noisytheory.vocabulary import domains

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(
    r"```python\n# file: (\S+)\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.DOTALL
)


def add(path: Path, text: str) -> None:
    """A new file; or, in one that is there, imports behind its imports and the rest at its end."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    lines = text.splitlines(keepends=True)
    imports = [line for line in lines if line.startswith("from ")]
    rest = "".join(line for line in lines if not line.startswith("from ")).strip("\n")
    head, mark, tail = path.read_text().partition("\nfrom noisytheory.vocabulary")
    assert mark
    path.write_text(f"{head}\n{''.join(imports).rstrip()}{mark}{tail.rstrip()}\n\n\n{rest}\n")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contributed")
    for name in ("noisytheory", "pyproject.toml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    for name, text in BLOCKS:
        add(folder / name, text)
    return folder


def run(copy: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=copy, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(copy)}, timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_theorem_takes_less_than_fifty_lines():
    own = [text for name, text in BLOCKS if name.startswith("noisytheory/")]
    assert 0 < sum(bool(line.strip()) for text in own for line in text.splitlines()) < 50


def test_the_theorem_is_upheld_and_tight_and_its_own_test_passes(copy):
    code = (
        "import pytest, noisytheory as nt; claim = nt.claims['kernel-mean/popoviciu'];"
        "nt.testing.check_claim(claim); found = nt.audit(claim, budget='smoke');"
        "print(found.as_expected, found.tightness, flush=True);"
        "raise SystemExit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests']))"
    )
    told = run(copy, "-c", code)
    assert told.startswith("True 1.0\n") and "1 passed" in told


def test_ruff_has_no_objection(copy):
    # Where imports go, and that some are there already, is this test's doing.
    run(copy, "-m", "ruff", "check", "--no-cache", "--extend-ignore", "I001,F811",
        "noisytheory/topics/concentration", "tests")


def test_the_bound_of_the_example_is_checked_and_its_doctest_holds():
    (text,) = re.findall(
        r"```python\n(@requires.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.DOTALL
    )
    names = {**vars(domains), "np": np}
    exec(text, names)
    (found,) = doctest.DocTestFinder().find(names["hoeffding"], "hoeffding", globs=names)
    ran = doctest.DocTestRunner().run(found)
    assert (ran.attempted, ran.failed) == (1, 0)
    with pytest.raises(ValueError, match="delta must be"):
        names["hoeffding"](n=10, delta=2)


def test_what_a_contributor_has_to_know_is_said():
    text = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    for words in ("the contract test has to see the twin refuted", "ruff check --fix",
                  "`EXPECTED` of `tests/papers/test_papers.py`"):
        assert words in text
