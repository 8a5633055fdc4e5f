"""A theorem of the user's own: in one file, and in a package that ships it by an entry point."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile

import pytest
from commands import answer

import noisytheory as nt
from noisytheory.trial.catalogue import ENTRY_POINTS, load_file

FILE = '''
import math

import noisytheory as nt
from my_constants import FAIR


class Coin:
    def __init__(self, p):
        self.p, self.name = p, f"p={p}"


# Plain floats only: the engine must go level by level.
def bound(n, delta):
    return math.sqrt(math.log(1 / delta) / (2 * n))


def centred(p, heads, n):
    return heads / n - p


def simulate(population, n, *, size, rng):
    return centred(population.p, rng.binomial(n, population.p, size), n)


mine = nt.Paper("mine", "Hoeffding 1963").tail(
    "theorem-2", statement=r"x \\\\le y", bound=bound, simulate=simulate, rows=1024,
    grid=dict(population=[Coin(FAIR), Coin(0.9)], n=[10, 100], delta=[0.1, 0.01]), trivial=0.5,
)
'''
MODULE = FILE.replace("from my_constants import FAIR", "FAIR = 0.5").replace("mine", "shipped")
INFO = "shipped_theorems-1.0.dist-info"
METADATA = "Metadata-Version: 2.1\nName: shipped-theorems\nVersion: 1.0\n"


@pytest.fixture
def theorem(tmp_path):
    (tmp_path / "my_constants.py").write_text("FAIR = 0.5\n")
    path = tmp_path / "my_theorem.py"
    path.write_text(FILE)
    return path


def run(*words, path=()):
    """The command in a process of its own, with more folders to import from."""
    environment = dict(os.environ)
    folders = [str(folder) for folder in path]
    folders += [environment["PYTHONPATH"]] if environment.get("PYTHONPATH") else []
    environment["PYTHONPATH"] = os.pathsep.join(folders)
    command = [sys.executable, "-m", "noisytheory", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


def verdicts(done):
    assert done.returncode == 0, done.stderr
    return {claim["id"]: claim for claim in json.loads(done.stdout)["claims"]}


def test_a_file_is_put_on_trial_alike_from_python_and_by_a_command_with_two_processes(
    theorem, monkeypatch
):
    two = run("audit", theorem, "--budget", "smoke", "--workers", 2, "--json")
    assert json.loads(two.stdout)["workers"] == "2 processes"
    monkeypatch.syspath_prepend(theorem.parent)
    (claim,) = load_file(theorem)
    (one,) = nt.audit([claim], budget="smoke").to_dict()["claims"]
    assert verdicts(two) == {"mine/theorem-2": one} and one["verdict"] == "upheld"
    nt.testing.check_claim(claim)


def test_a_file_keeps_the_contract_of_its_documentation(tmp_path):
    """The example in the catalogue's own words: two functions and their union."""
    path = tmp_path / "short.py"
    path.write_text(
        "import numpy as np, noisytheory as nt\n"
        "def bound(n, delta): return np.sqrt(np.log(1 / delta) / (2 * n))\n"
        "def simulate(n, *, size, rng): return rng.binomial(n, 0.5, size) / n - 0.5\n"
        "halves = {'a': nt.Paper('mine', 'x').tail('true', statement='x', bound=bound,\n"
        "    simulate=simulate, grid=dict(n=[100], delta=[0.1]))}\n"
        "false = [nt.Paper('mine', 'x').tail('false', statement='x', simulate=simulate,\n"
        "    bound=lambda n, delta: bound(n, delta) / 4, grid=dict(n=[100], delta=[0.1]),\n"
        "    expect='refuted')]\n"
    )
    found = json.loads(answer("audit", path, "--budget", "smoke", "--workers", 0, "--json"))
    assert {claim["id"]: claim["verdict"] for claim in found["claims"]} == {
        "mine/true": "upheld", "mine/false": "refuted"}
    broken = answer("audit", path, "-k", "false", "--budget", "smoke", "--quiet", "--workers", 0)
    assert "1 claim, as expected" in broken


@pytest.fixture
def package(tmp_path):
    """A package that declares claims, and what an installer would leave of its metadata."""
    (tmp_path / "shipped_theorems").mkdir()
    (tmp_path / "shipped_theorems" / "__init__.py").write_text("")
    (tmp_path / "shipped_theorems" / "claims.py").write_text(MODULE)
    metadata = tmp_path / INFO
    metadata.mkdir()
    (metadata / "METADATA").write_text(METADATA)
    (metadata / "entry_points.txt").write_text(
        f"[{ENTRY_POINTS}]\nall = shipped_theorems.claims\n"
    )
    return tmp_path


def test_a_package_that_cannot_be_imported_is_named_in_one_line(package):
    (package / "shipped_theorems" / "claims.py").write_text("raise RuntimeError('half installed')")
    done = run("claims", path=[package])
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        "noisytheory claims: the installed package shipped-theorems ships claims in "
        "shipped_theorems.claims, which raised RuntimeError: half installed; mend or uninstall it\n"
    )


def test_a_claim_of_a_package_that_cannot_be_tried_is_no_fault_of_ours(package):
    path = package / "shipped_theorems" / "claims.py"
    path.write_text(MODULE.replace("return math.sqrt", "return 1 / 0 * math.sqrt"))
    done = run("audit", "shipped/*", "--budget", "smoke", "--workers", 0, path=[package])
    assert done.returncode == 2
    assert "claims.py, line 15 raised ZeroDivisionError" in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="needs pip")
def test_an_installed_package_ships_claims(tmp_path):
    """The real thing: a wheel that pip installs into a folder of its own."""
    contents = {
        "shipped_theorems.py": MODULE,
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                         "Tag: py3-none-any\n",
        f"{INFO}/entry_points.txt": f"[{ENTRY_POINTS}]\nall = shipped_theorems\n",
    }
    contents[f"{INFO}/RECORD"] = "".join(f"{name},,\n" for name in [*contents, f"{INFO}/RECORD"])
    wheel = tmp_path / "shipped_theorems-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    target = tmp_path / "target"
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--disable-pip-version-check", "--target", target, wheel],
        capture_output=True, text=True, timeout=120,
    )
    assert installed.returncode == 0, installed.stderr
    words = ("audit", "shipped/theorem-2", "--budget", "smoke", "--workers", 0, "--json")
    audited = run(*words, path=[target])
    assert verdicts(audited)["shipped/theorem-2"]["verdict"] == "upheld"
