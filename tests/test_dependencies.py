"""What pyproject.toml declares is what the sources import, extras included."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Run by name, imported by nobody.
TOOLS = {"pytest-timeout", "pytest-xdist", "ruff", "mypy"}
# Needed by moto's server.
TOOLS |= {"flask", "flask-cors"}
# Modules whose distribution has another name and need not be installed.
MODULES = {"xdist": "pytest-xdist"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(requirements: list[str]) -> set[str]:
    """Names of distributions, without their versions; an extra of our own is looked up."""
    found = set()
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        assert name is not None, requirement
        own = re.match(rf"{PROJECT['name']}\[(\w+)\]", requirement)
        found |= declared(EXTRAS[own[1]]) if own else {normal(name[0])}
    return found


@functools.cache
def modules_in(text: str) -> frozenset[str]:
    """Top-level modules that a source imports, by statement or by name in a call."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Call) and (
            getattr(node.func, "attr", getattr(node.func, "id", ""))
            in ("import_module", "importorskip")
        ):
            found |= {str(a.value) for a in node.args if isinstance(a, ast.Constant)}
    return frozenset(name.partition(".")[0] for name in found)


@functools.cache
def imported(*folders: str) -> set[str]:
    """Distributions that the sources in these folders import."""
    of = packages_distributions()
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    own = {path.stem for path in files} | {path.name for path in ROOT.iterdir()}
    modules = set().union(*(modules_in(path.read_text(encoding="utf-8")) for path in files))
    foreign = modules - own - set(sys.stdlib_module_names)
    return {normal(of.get(name, [MODULES.get(name, name)])[0]) for name in foreign}


RUNTIME = declared(PROJECT["dependencies"])


def test_what_the_package_imports_is_declared():
    optional = set().union(*(declared(names) for names in EXTRAS.values()))
    assert imported("noisytheory") <= RUNTIME | optional
    # Of the extras it may use what it can do without.
    assert imported("noisytheory") - RUNTIME <= declared(EXTRAS["distributed"])


def test_what_is_declared_is_imported():
    assert imported("noisytheory") >= RUNTIME


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_used(extra):
    used = imported("noisytheory", "tests", "validation")
    assert declared(EXTRAS[extra]) - RUNTIME - TOOLS <= used


def test_what_tests_and_validation_import_is_declared():
    everything = RUNTIME.union(*(declared(names) for names in EXTRAS.values()))
    assert imported("tests", "validation") <= everything


@pytest.mark.parametrize(
    ("text", "modules"),
    [("import a.b as c, d", {"a", "d"}), ("from e.f import g", {"e"}),
     ("def h():\n    import i", {"i"}), ("importlib.import_module('j.k')", {"j"})],
)
def test_every_way_to_import_is_seen(text, modules):
    assert modules_in(text) == modules


def test_constraints_pin_what_is_declared():
    pinned = {
        normal(line.partition("==")[0])
        for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    }
    assert RUNTIME | declared(EXTRAS["test"]) <= pinned
