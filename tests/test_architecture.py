"""The import graph is the citation graph: who may import whom."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

import noisytheory
from noisytheory.trial.catalogue import distinct

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


# Who may look a module up by a name that is made at run time.
FINDERS = {
    "noisytheory", "noisytheory.report", "noisytheory.cli.select", "noisytheory.trial.catalogue",
    "noisytheory.trial.fingerprint",
}


@functools.cache
def tree_of(name: str) -> ast.Module:
    """A module of the package, parsed."""
    return ast.parse(MODULES[name].read_text())


@functools.cache
def home(module: str, word: str) -> str:
    """The module that a word of a module comes from, or is, however often it is handed on."""
    full = f"{module}.{word}"
    if full in MODULES:
        return full
    if module == "noisytheory":
        lazily = noisytheory._LAZY.get(word)
        return noisytheory._SUBMODULES.get(word, f"noisytheory.{lazily}" if lazily else module)
    for node in tree_of(module).body if module in MODULES else ():
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "noisytheory":
            for alias in node.names:
                if word == (alias.asname or alias.name):
                    return home(str(node.module), alias.name)
    return module


@functools.cache
def nodes_of(tree: ast.AST) -> list[tuple[ast.AST, bool]]:
    """What may import, in functions too, and whether only type checkers read it."""
    found, ahead = [], [(tree, False)]
    while ahead:
        node, typing = ahead.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call | ast.Attribute):
            found.append((node, typing))
        typing |= isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ahead += [(child, typing) for child in ast.iter_child_nodes(node)][::-1]
    return found


def short(name: str) -> bool:
    """Whether it names a module otherwise than its file does: neither these tests nor the audit's
    record of files would see which it is."""
    own = ".".join(name.split(".")[:2])
    return noisytheory._SUBMODULES.get(own.removeprefix("noisytheory."), own) != own


@functools.cache
def imports(tree: ast.Module, types: bool = True) -> frozenset[str]:
    """Full names of the package's modules that a file takes from, whatever hands it on.

    By `import`, by an attribute of what is imported, and by `import_module` of a constant; what
    other names `import_module` is given only `FINDERS` know.
    """
    nodes = [node for node, typing in nodes_of(tree) if types >= typing]
    found, local = set(), {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert not short(alias.name), "short name"
                found.add(alias.name)
                local[alias.asname or "noisytheory"] = alias.name if alias.asname else "noisytheory"
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            assert not short(str(node.module)), "short name"
            for alias in node.names:
                origin = home(str(node.module), alias.name)
                whole = origin in (
                    f"{node.module}.{alias.name}", noisytheory._SUBMODULES.get(alias.name)
                )
                found.update({origin} if whole else {origin, str(node.module)})
                if whole:
                    local[alias.asname or alias.name] = origin
        elif isinstance(node, ast.Call) and (
            getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module"
        ):
            found.update(str(name.value) for name in node.args if isinstance(name, ast.Constant))
    for node in nodes:
        first, *words = ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else [""]
        module = local.get(first, "")
        for word in words if module.split(".")[0] == "noisytheory" else ():
            above, module = module, home(module, word)
            found.add(module)
            if module == above:
                break
    return frozenset(name for name in found if name.split(".")[0] == "noisytheory")


def finds(tree: ast.Module) -> bool:
    """Whether a file may import what no reader of it can name."""
    words = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            words.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            words.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Name):
            words.add(node.id)
    harmless = ("importlib.metadata", "importlib.resources")
    return any(
        word == "__import__" or (word.startswith("importlib") and not word.startswith(harmless))
        for word in words
    )


def room(name: str) -> str:
    """``noisytheory.topics.sparse.bounds`` is in ``topics``; the package itself in none."""
    return name.split(".")[1] if "." in name else ""


def topic_of(name: str) -> str:
    """``noisytheory.topics.sparse.bounds`` is of ``sparse``."""
    return name.split(".")[2] if room(name) == "topics" and name.count(".") > 1 else ""


def test_every_module_is_in_a_room_and_every_room_is_there():
    assert {room(name) for name in MODULES} - {"", "__main__"} == set(ROOMS)
    folders = [path for path in (ROOT / "topics").iterdir() if path.name != "__pycache__"]
    assert {topic_of(name) for name in MODULES} - {""} == {path.stem for path in folders} - {
        "__init__"
    }


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_picture_of_the_rooms_is_true(page):
    picture = " -> ".join(ROOMS).replace("papers -> vocabulary", "papers, vocabulary")
    assert f"`{picture}`" in (ROOT.parent / page).read_text()


def graph() -> dict[str, set[str]]:
    """Who imports whom when the program runs, on first import or later."""
    return {
        name: set(imports(tree_of(name), types=False) & set(MODULES) - {name})
        for name in MODULES
    }


def beyond(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Whatever one leads to, and that, and so on."""
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        more = graph[ahead.pop()] - seen
        seen |= more
        ahead += more
    return seen


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Sets of modules each of which leads to each other one."""
    reached = {name: beyond(name, graph) for name in graph}
    return {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in graph if name in reached[name]
    }


def test_there_are_no_circles():
    """None on first import, and none that an import inside of a function closes.

    What the package's own names are looked up by at run time (`FINDERS`) is in neither.
    """
    assert circles(graph()) == set()


def last(name: str) -> str:
    """``noisytheory.topics.sparse.bounds`` is a file ``bounds``."""
    return name.split(".")[-1]


BOUND_MODULES = {name for name in MODULES if last(name).startswith("bounds")}
EMPIRICAL = ("simulate", "sides")


def looks_up(name: str, tree: ast.Module) -> Iterator[str]:
    """What is imported is named."""
    if name not in FINDERS and finds(tree):
        yield "importlib"


def upwards(name: str, tree: ast.Module) -> Iterator[str]:
    """A room imports from those to its right."""
    if room(name) in ROOMS:
        for other in imports(tree):
            if room(other) in ROOMS and ROOMS.index(room(other)) < ROOMS.index(room(name)):
                yield other


def meets(name: str, tree: ast.Module) -> Iterator[str]:
    """What simulates and what bounds never import each other: what they share is below both.

    Nothing that a simulator leads to, however far, knows bounds, so neither what plans by them.
    """
    if name in BOUND_MODULES and room(name) == "topics":
        yield from imports(tree) - {*BOUND_MODULES, DOMAINS}
    elif name in simulating():
        for other in imports(tree) & within().keys():
            if BOUND_MODULES & {other, *beyond(other, within())}:
                yield other


@functools.cache
def within() -> dict[str, set[str]]:
    """Who imports whom but for packages, which only hand on."""
    return {name: others - PACKAGES for name, others in graph().items() if name not in PACKAGES}


@functools.cache
def simulating() -> set[str]:
    """Simulators' files and whatever these lead to."""
    first = {name for name in within() if last(name).startswith(EMPIRICAL)}
    return first.union(*(beyond(name, within()) for name in first))


def judges(name: str, tree: ast.Module) -> Iterator[str]:
    """Only claims import the machinery; a topic's numbers only the forms that evidence has, and
    its pictures what keeps their numbers."""
    if room(name) == "topics" and not last(name).startswith("claims"):
        allowed = (*EVIDENCE, "trial.kept") if last(name).startswith("pictures") else EVIDENCE
        for other in imports(tree):
            evidence = other.removeprefix("noisytheory.") in allowed
            if room(other) in ("trial", "papers") and not evidence:
                yield other


def paints(name: str, tree: ast.Module) -> Iterator[str]:
    """Only claims import pictures, which are outside of the fingerprint: no number is theirs."""
    if not last(name).startswith("claims"):
        yield from (other for other in imports(tree) if last(other).startswith("pictures"))


@functools.cache
def cited_by(topic: str) -> set[str]:
    """Topics that a topic takes from, those that they take from, and so on."""
    graph: dict[str, set[str]] = {}
    for name in MODULES:
        if own := topic_of(name):
            others = {topic_of(other) for other in imports(tree_of(name))}
            graph[own] = graph.get(own, set()) | others - {"", own}
    return beyond(topic, graph)


def cites(name: str, tree: ast.Module) -> Iterator[str]:
    """A topic takes bounds and algorithms of others, never a simulator or claims.

    Nor of those that take from it: citations go one way.
    """
    own = topic_of(name)
    for other in imports(tree) if own else ():
        foreign = topic_of(other) not in ("", own)
        wrong = last(other).startswith(("simulate", "claims"))
        if foreign and (wrong or own in cited_by(topic_of(other))):
            yield other


RULES = (looks_up, upwards, meets, judges, paints, cites)
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}
DOMAINS = "noisytheory.vocabulary.domains"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_module_keeps_the_rule(rule):
    assert [(name, *sorted(found)) for name in MODULES if (found := set(rule(name, tree_of(name))))
            ] == []


SIMULATE = "noisytheory.topics.sparse.clusters.simulate"
RATES = "noisytheory.topics.sparse.rates.bounds"


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        (looks_up, SIMULATE, "import importlib as i; i.import_module('noisytheory' + '.cli')"),
        (looks_up, SIMULATE, "from importlib import import_module as load"),
        (looks_up, SIMULATE, "def f():\n    __import__('noisytheory.cli')"),
        (upwards, "noisytheory.vocabulary.losses", "from noisytheory import sparse"),
        (upwards, "noisytheory.vocabulary.losses", "import noisytheory as nt\nnt.sparse.herd"),
        (upwards, "noisytheory.trial.claim", "from noisytheory import KernelMeanClassifier"),
        (upwards, "noisytheory.trial.claim", "import_module('noisytheory.cli')"),
        (meets, SIMULATE, "from noisytheory.topics.sparse import sparse_lower_bound"),
        (meets, SIMULATE, "from noisytheory.topics import sparse as s\ns.sparse_lower_bound(1)"),
        (meets, SIMULATE, "import noisytheory\nnoisytheory.sparse.rates.bounds.herd(1)"),
        (meets, "noisytheory.topics.sparse.herding", f"import {RATES}"),
        (meets, SIMULATE, "from noisytheory.topics.online import planning"),
        (meets, "noisytheory.topics.sparse.herding", "from noisytheory.topics.online import step"),
        (meets, RATES, f"def f():\n    from {SIMULATE} import run"),
        (judges, SIMULATE, "from noisytheory import audit"),
        (paints, SIMULATE, "from noisytheory.topics.sparse.digits import pictures"),
        (cites, SIMULATE, "from noisytheory import label_noise"),
        (cites, SIMULATE, "from noisytheory.topics.kernel_mean.deviation import simulate"),
    ],
)
def test_what_breaks_a_rule_is_found(rule, name, text):
    assert list(rule(name, ast.parse(text)))


def test_a_late_circle_within_a_room_is_found():
    planted = graph()
    # Claims know kernels' domains.
    text = "def f():\n    import noisytheory.vocabulary.kernels"
    planted["noisytheory.vocabulary.domains"] |= imports(ast.parse(text))
    found = circles(planted)
    assert any({"noisytheory.vocabulary.kernels", DOMAINS} <= circle for circle in found)


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


def test_nothing_is_imported_before_a_command_can_be_interrupted():
    """A tenth of a second went by, in which a signal ended it raw, or with a traceback."""
    code = "import sys; before = set(sys.modules); import noisytheory.__main__; "
    code += "print(sorted(set(sys.modules) - before - {'__future__'}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['noisytheory', 'noisytheory.__main__']"


def test_the_command_line_is_light():
    heavy = ("scipy", "xarray", "sklearn", "numba", "matplotlib", "zarr", "statsmodels", "rich")
    code = f"import sys, noisytheory.cli; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


Named = FunctionType | type


def called(function: object, seen: set[Named]) -> None:
    """A function, what it wraps, and what of the topics it names, all the way down.

    Functions and classes; of a class its bases and its methods, of an object those of its class.
    """
    if isinstance(function, functools.partial):
        for given in (*function.args, *function.keywords.values()):
            called(given, seen)
        function = function.func
    made_of = getattr(function, "made_of", ())
    if isinstance(function, property | functools.cached_property):
        function = getattr(function, "fget", None) or getattr(function, "func", None)
    function = getattr(function, "__func__", function)
    if not isinstance(function, Named):
        # What a cache holds; a function that wraps another holds it, and may call more than that.
        function = inspect.unwrap(function) if callable(function) else function
    if not isinstance(function, Named):
        function = type(function)
    if function in seen:
        return
    seen.add(function)
    if not function.__module__.startswith("noisytheory.topics."):
        return
    inside = [*made_of]
    if isinstance(function, type):
        inside += [*function.__bases__, *vars(function).values()]
    else:
        inside += [cell.cell_contents for cell in function.__closure__ or ()]
        words = list(words_of(function.__code__))
        inside += [function.__globals__[word] for word in words if word in function.__globals__]
        modules = [module for module in inside if isinstance(module, ModuleType)]
        inside += [
            getattr(module, word, None) for module in modules for word in words
            if module.__name__.startswith("noisytheory.topics.")
        ]
    for other in inside:
        called(other, seen)


def words_of(code: CodeType) -> Iterator[str]:
    """Names that a function's code reads, those of functions inside of it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from words_of(constant)


def test_every_public_bound_is_the_bound_of_some_claim():
    """As it is, or in a formula that is one."""
    tried: set[Named] = set()
    for claim in distinct(noisytheory.claims.values()):
        # Without a bound the simulator draws the right side.
        called(claim.simulate if claim.bound is None else claim.bound, tried)
    public = [
        getattr(importlib.import_module(name), word)
        for name in BOUND_MODULES if room(name) == "topics"
        for word in importlib.import_module(name).__all__
    ]
    bounds = [inspect.unwrap(bound) for bound in public if callable(bound)]
    assert len(bounds) > 50
    assert not [f"{b.__module__}.{b.__name__}" for b in bounds if b not in tried]


def test_a_text_that_never_changes_is_given_and_no_cell():
    """Constants of a claim clutter its dataset and its page otherwise."""
    assert not [
        (claim.id, name) for claim in distinct(noisytheory.claims.values())
        for name, values in claim.grid.items() if len(values) == 1 and isinstance(values[0], str)
    ]


def reached(*functions: object) -> set[Named]:
    """The topics' functions and classes that some functions call."""
    seen: set[Named] = set()
    for function in functions:
        called(function, seen)
    return {one for one in seen if one.__module__.startswith("noisytheory.topics.")}


def shared(bound: object, *empirical: object) -> set[str]:
    """What a bound uses of simulators' files, and of what the simulator uses."""
    below = reached(bound)
    found = {one for one in below if last(one.__module__).startswith(EMPIRICAL)}
    found |= below & reached(*empirical)
    return {f"{one.__module__}.{one.__qualname__}" for one in found}


def test_a_bound_and_its_simulator_share_no_code():
    """Whatever the files are called: shared code would let one error hide another."""
    found = {
        claim.id: shared(claim.bound, claim.simulate, claim.exact)
        for claim in distinct(noisytheory.claims.values()) if claim.bound is not None
    }
    assert len(found) > 100
    assert {claim_id: names for claim_id, names in found.items() if names} == {}


def test_code_that_a_bound_and_its_simulator_share_is_found():
    from noisytheory.topics.sparse.herding import away_steps
    from noisytheory.topics.sparse.publicly import publicly
    from noisytheory.topics.sparse.rates import sides
    from noisytheory.topics.sparse.subsampling import claims

    @functools.cache
    def below(hull):
        return sides.vertices_of(hull)

    def bound(hull):
        return [below(side) for side in (hull,)]

    def herds(k):
        return away_steps(k)

    for planted in (below.__wrapped__, bound, herds):
        planted.__module__ = claims.__name__
    from noisytheory.topics.sparse.approximation import Target

    def weighs(kernel, points, alpha):
        return Target(kernel, points, alpha).total

    def measures(target):
        return Target.gram(target, [0])

    for planted in (weighs, measures):
        planted.__module__ = claims.__name__
    assert any(name.endswith("Target.gram") for name in shared(weighs, measures))
    assert any(name.endswith("sides.vertices_of") for name in shared(bound, None))
    assert any(name.endswith("herding.away_steps") for name in shared(herds, herds))
    assert shared(herds, None) == set()
    hidden = publicly(bound, functools.partial(bound, herds), len)
    assert any(name.endswith("herding.away_steps") for name in shared(herds, hidden))
