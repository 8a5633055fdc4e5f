"""The import graph is the citation graph: who may import whom."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

import noisytheory
from noisytheory.trial.catalogue import TOPICS, distinct

ROOT = Path(noisytheory.__file__).parent
MODULES = {
    ".".join(("noisytheory", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(ROOT.rglob("*.py"))
}
# Who may import whom: a room imports from those to its right only.
ROOMS = ("cli", "report", "learners", "topics", "papers", "vocabulary", "trial")
# What a topic's numbers may take of the machinery: the forms that evidence has.
EVIDENCE = ("trial.claim", "trial.sides")


def imports(path: Path, lazy: bool = True) -> set[str]:
    """Full names of the package's modules that a file imports, by name or by `import_module`."""
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
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            found.update(str(name.value) for name in node.args if isinstance(name, ast.Constant))
    return {name for name in found if name.split(".")[0] == "noisytheory"}


def room(name: str) -> str:
    """``noisytheory.topics.sparse.bounds`` is in ``topics``; the package itself in none."""
    return name.split(".")[1] if "." in name else ""


def topic_of(name: str) -> str:
    """``noisytheory.topics.sparse.bounds`` is of ``sparse``."""
    return name.split(".")[2] if room(name) == "topics" and name.count(".") > 1 else ""


def of_topics(pattern: str) -> list[Path]:
    """Files of all topics by name."""
    return sorted((ROOT / "topics").rglob(pattern))


def test_every_module_is_in_a_room_and_every_room_is_there():
    assert {room(name) for name in MODULES} - {"", "__main__"} == set(ROOMS)
    assert {topic_of(name) for name in MODULES} - {""} == set(TOPICS)


def test_rooms_import_downwards_only():
    for name, path in MODULES.items():
        if room(name) not in ROOMS:
            continue
        for other in imports(path):
            if room(other) in ROOMS:
                assert ROOMS.index(room(other)) >= ROOMS.index(room(name)), (name, other)


def test_there_are_no_circles():
    """On first import, and between modules of one room also later."""
    graph = {name: imports(path, lazy=False) & set(MODULES) for name, path in MODULES.items()}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join((*above, name))
        if name not in done:
            for other in sorted(graph[name] - {name}):
                visit(other, (*above, name))
            done.add(name)

    for name in graph:
        visit(name, ())


BOUND_MODULES = {name for name in MODULES if name.split(".")[-1].startswith("bounds")}
EMPIRICAL = ("simulate", "sides")


def test_what_simulates_and_what_bounds_never_meet():
    """Neither imports the other, whatever the file is called: what they share is below both."""
    for name, path in MODULES.items():
        last = name.split(".")[-1]
        if room(name) != "topics":
            continue
        if last.startswith(EMPIRICAL):
            assert not imports(path) & BOUND_MODULES, path
        if name in BOUND_MODULES:
            for other in imports(path):
                allowed = other in BOUND_MODULES or other == "noisytheory.vocabulary.domains"
                assert allowed, (path, other)


def test_only_claims_import_the_machinery():
    for path in of_topics("*.py"):
        if path.name.startswith("claims"):
            continue
        for name in imports(path):
            evidence = name.removeprefix("noisytheory.") in EVIDENCE
            assert room(name) not in ("trial", "papers") or evidence, (path, name)


def test_only_claims_import_pictures():
    """Pictures are outside of the fingerprint: no number may come from them."""
    for path in ROOT.rglob("*.py"):
        if not path.name.startswith("claims"):
            assert not any(name.split(".")[-1].startswith("pictures") for name in imports(path))


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_import_downwards_only(topic):
    below = (*TOPICS[: TOPICS.index(topic)], topic)
    for path in (ROOT / "topics" / topic).rglob("*.py"):
        for name in imports(path):
            if topic_of(name) and topic_of(name) != topic:
                assert topic_of(name) in below, f"{path} imports {name}, which is not below it"
                # Another slice gives its bounds or an algorithm, never its simulator or claims.
                assert not name.split(".")[-1].startswith(("simulate", "claims")), (path, name)


def test_every_public_name_has_a_docstring():
    """Methods that override a documented one inherit its docstring."""
    missing = []
    for name in MODULES:
        module = importlib.import_module(name)
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


def called(function: object, seen: set[FunctionType]) -> None:
    """A function, what it wraps, and the topics' functions that it names, all the way down."""
    if isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    if not function.__module__.startswith("noisytheory.topics."):
        return
    inside = [cell.cell_contents for cell in function.__closure__ or ()]
    words = list(words_of(function.__code__))
    inside += [function.__globals__[word] for word in words if word in function.__globals__]
    modules = [module for module in inside if isinstance(module, ModuleType)]
    inside += [
        getattr(module, word, None) for module in modules for word in words
        if module.__name__.startswith("noisytheory.topics.")
    ]
    for other in inside:
        if isinstance(other, FunctionType):
            called(other, seen)


def words_of(code: CodeType) -> Iterator[str]:
    """Names that a function's code reads, those of functions inside of it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from words_of(constant)


def test_every_public_bound_is_the_bound_of_some_claim():
    """As it is, or in a formula that is one."""
    tried: set[FunctionType] = set()
    for claim in distinct(noisytheory.claims.values()):
        if claim.bound is not None:
            called(claim.bound, tried)
    public = [
        getattr(importlib.import_module(name), word)
        for name in BOUND_MODULES if room(name) == "topics"
        for word in importlib.import_module(name).__all__
    ]
    bounds = [inspect.unwrap(bound) for bound in public if callable(bound)]
    assert len(bounds) > 50
    assert not [f"{b.__module__}.{b.__name__}" for b in bounds if b not in tried]
