"""The import graph is the citation graph: who may import whom."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import noisytheory
from noisytheory.catalogue import TOPICS

ROOT = Path(noisytheory.__file__).parent
MODULES = {
    ".".join(("noisytheory", *path.relative_to(ROOT).with_suffix("").parts)): path
    for path in ROOT.rglob("*.py")
}
VOCABULARY = ("populations", "finite", "mixtures", "atoms", "multinomial", "kernels", "losses",
              "noise", "domains")
# The machinery, bottom up.
LAYERS = ["domains", "evidence", "claim", "papers", "catalogue", "verdict", "store", "draws",
          "trial", "result", "engine", "run", "report", "testing", "cli"]
MACHINERY = LAYERS[1:]


def imports(path: Path, lazy: bool = True) -> set[str]:
    """Full names of the package's modules that a file imports, lazily too unless told not to."""
    tree = ast.parse(path.read_text())
    nodes = ast.walk(tree) if lazy else tree.body
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in MODULES else str(node.module))
    return {name.removesuffix(".__init__") for name in found if name.startswith("noisytheory")}


def part(name: str) -> str:
    """The module or topic right below the package: ``noisytheory.sparse.bounds`` is ``sparse``."""
    return name.split(".")[1] if "." in name else ""


@pytest.mark.parametrize("topic", TOPICS)
def test_simulators_and_bounds_are_independent(topic):
    for path in (ROOT / topic).rglob("simulate*.py"):
        assert not any(name.endswith(".bounds") for name in imports(path)), path
    for path in (ROOT / topic).rglob("bounds*.py"):
        for name in imports(path):
            assert name.endswith(".bounds") or part(name) in ("domains", ""), (path, name)


@pytest.mark.parametrize("topic", TOPICS)
def test_only_claims_import_the_machinery(topic):
    for path in (ROOT / topic).rglob("*.py"):
        if path.name.startswith("claims"):
            continue
        allowed = {"claim"} if path.name.startswith("simulate") else set()
        for name in imports(path):
            # Law and Certificate are what exact evidence is made of.
            assert part(name) not in set(MACHINERY) - allowed, (path, name)


def test_only_claims_import_pictures():
    """Pictures are outside of the fingerprint: no number may come from them."""
    for path in ROOT.rglob("*.py"):
        if not path.name.startswith("claims"):
            assert not any(name.split(".")[-1].startswith("pictures") for name in imports(path))


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_import_downwards_only(topic):
    below = TOPICS[: TOPICS.index(topic)]
    for path in (ROOT / topic).rglob("*.py"):
        for name in imports(path):
            if part(name) in TOPICS and part(name) != topic:
                assert part(name) in below, f"{path} imports {name}, which is not below it"
                # Another slice gives its bounds or an algorithm, never its simulator or claims.
                assert name.split(".")[-1] not in ("simulate", "claims"), (path, name)


@pytest.mark.parametrize("name", VOCABULARY)
def test_the_vocabulary_imports_no_machinery(name):
    for other in imports(ROOT / f"{name}.py"):
        assert part(other) in VOCABULARY or part(other) == "", (name, other)


def test_the_ground_floor_imports_downwards_only():
    for name, path in MODULES.items():
        own = part(name)
        if own not in LAYERS:
            continue
        for other in imports(path, lazy=False):
            if part(other) in LAYERS and part(other) != own:
                assert LAYERS.index(part(other)) < LAYERS.index(own), (name, other)


def test_the_ground_floor_knows_no_topic():
    for name in [*VOCABULARY, *MACHINERY]:
        folder = ROOT / name
        for path in folder.rglob("*.py") if folder.is_dir() else [ROOT / f"{name}.py"]:
            for other in imports(path):
                assert part(other) not in TOPICS, (path, other)


def test_every_public_name_has_a_docstring():
    """Methods that override a documented one inherit its docstring."""
    missing = []
    for name in MODULES:
        module = importlib.import_module(name.removesuffix(".__init__"))
        missing += [name] if not module.__doc__ else []
        for key, value in vars(module).items():
            if key.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, type):
                missing += [
                    f"{name}.{key}.{method}"
                    for method, function in vars(value).items()
                    if not method.startswith("_")
                    and isinstance(function, FunctionType)
                    and not any(
                        getattr(vars(base).get(method), "__doc__", None) for base in value.__mro__
                    )
                ]
            if isinstance(value, type | FunctionType) and not value.__doc__:
                missing.append(f"{name}.{key}")
    assert not missing


def test_importing_the_package_is_light():
    heavy = ("scipy", "xarray", "sklearn", "numba", "matplotlib", "zarr", "statsmodels", "rich",
             "click", "pandas")
    code = f"import sys, noisytheory; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_command_line_is_light():
    heavy = ("scipy", "xarray", "sklearn", "numba", "matplotlib", "zarr", "statsmodels", "rich")
    code = f"import sys, noisytheory.cli; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
