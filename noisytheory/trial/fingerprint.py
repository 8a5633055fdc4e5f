"""What a claim's stored numbers depend on: files, by imports, and what its functions hold."""

from __future__ import annotations

import ast
import dis
import enum
import functools
import hashlib
import json
import re
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from importlib.util import resolve_name
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["Held", "fingerprint", "held", "sources"]

_PACKAGE = Path(__file__).parents[1]
_STREAMS = ("claim.py", "draws.py", "sides.py")
"""Of the machinery, what numbers come from; how they are weighed or kept changes none."""


def fingerprint(claim: Claim) -> str:
    """Digest of the code, parameters and versions that stored numbers depend on.

    In it are the id, kind, rows, grid and constants of the claim, what its functions hold (`held`),
    the files that they come from (`sources`), and the versions of NumPy and SciPy. These functions
    are the simulator, the exact evidence and its certificate; of a claim that draws nothing the
    bound, too. What is drawn is weighed anew by another bound, without being drawn again.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    import scipy

    digest = hashlib.blake2b(digest_size=16)
    declared = {
        "id": claim.id,
        "kind": claim.kind,
        "rows": [claim.rows, "apart"] if claim.apart else claim.rows,
        "grid": {name: [_digest(claim, v) for v in claim.grid[name]] for name in claim.dims},
        "given": sorted(claim.given),
        # An audit asks before the first draw, and pins the answer.
        "held": (vars(claim).get("_held") or held(claim)).digest,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    digest.update(json.dumps(declared, sort_keys=True).encode())
    for path in sources(claim):
        digest.update(_of_file(_contents(path) if _is_ours(path) else path.read_bytes()))
    return digest.hexdigest()


@functools.lru_cache(maxsize=1024)
def _of_file(contents: bytes) -> bytes:
    """Digest of a file, of which hundreds of claims may come."""
    return hashlib.blake2b(contents, digest_size=16).digest()


def _digest(claim: Claim, value: Any) -> str:
    return str(value.digest()) if hasattr(value, "digest") else repr(claim.label(value))


@functools.cache
def _contents(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _is_ours(path: Path) -> bool:
    return _PACKAGE in path.parents


def sources(claim: Claim) -> list[Path]:
    """Files that stored numbers come from: those of its functions and, transitively, their imports.

    Imports are read from the text, lazy ones included. Of this package all count but the machinery
    that only weighs and keeps; of a user's file those from its own folder or below. What is
    installed is known by its version instead, and pictures draw no numbers.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    list of Path
    """
    numbers = _numbers(claim)
    # Every number goes through these, whoever's function it is of.
    found = dict.fromkeys(_streams() if numbers else ())
    for function in (inner for outer in numbers for inner in _functions(outer)):
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        path = Path(getattr(module, "__file__", None) or "")
        if module is None or path.suffix != ".py" or not path.is_file() or _standard(path):
            continue  # Typed in, compiled, or known by its version.
        if _is_ours(path):
            found.update(dict.fromkeys(_followed(path)))
        else:
            found.update(dict.fromkeys(loaded(module, path.parent)))
    return sorted(found, key=lambda path: path.parts)


def _numbers(claim: Claim) -> list[Callable[..., Any]]:
    """What stored numbers are made by; draws are kept without their bound."""
    made = (claim.simulate, claim.exact, claim.certify)
    of_bound = claim.bound if claim.simulate is None else None
    return [function for function in (*made, of_bound) if function is not None]


@functools.cache
def _standard(path: Path) -> bool:
    library = Path(sysconfig.get_paths()["stdlib"])
    return library in path.parents and "site-packages" not in path.parts


def _functions(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """A function and, behind partial application or a wrapper, those that it stands for."""
    yield function
    for inner in (getattr(function, "func", None), getattr(function, "__wrapped__", None),
                  *getattr(function, "made_of", ())):
        if callable(inner):
            yield from _functions(inner)


def _only_draws(path: Path) -> bool:
    """Whether a file only draws: a new colour must not cost a store its blocks."""
    return path.name.startswith("pictures")


def _counts(path: Path) -> bool:
    inside = path.relative_to(_PACKAGE).parts
    return not _only_draws(path) and (inside[0] != "trial" or inside[-1] in _STREAMS)


@functools.cache
def _streams() -> tuple[Path, ...]:
    return tuple(_PACKAGE / "trial" / name for name in _STREAMS)


@functools.cache
def _followed(path: Path) -> tuple[Path, ...]:
    """A file of this package, and what it imports from there, transitively."""
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found[current] = None
        waiting += _ours(current)
    return tuple(found)


@functools.cache
def _ours(path: Path) -> tuple[Path, ...]:
    """Files of this package that one of them imports and that count."""
    found = []
    # To parse all of every file takes a second.
    imports = b"\n".join(_IMPORT.findall(_contents(path)))
    for name in _names(imports, _package_of(path)):
        parts = name.split(".")
        if parts[0] != _PACKAGE.name:
            continue
        base = _PACKAGE.joinpath(*parts[1:])
        for candidate in (base.with_suffix(".py"), base / "__init__.py"):
            if candidate.is_file() and candidate != _PACKAGE / "__init__.py":
                found.append(candidate)
    return tuple(candidate for candidate in found if _counts(candidate))


_IMPORT = re.compile(
    rb"^[ \t]*((?:from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n#(]+)|import[ \t]+[\w., ]+))"
    rb"[ \t]*(?:#.*)?$", re.MULTILINE,
)
"""A line of a file of this package that imports: these are all that Python finds."""


def _package_of(path: Path) -> str:
    return ".".join((_PACKAGE.name, *path.relative_to(_PACKAGE).parent.parts))


def _imported(path: Path, package: str | None) -> Iterator[str]:
    """Full names that a file imports, anywhere in it; of ``from a import b`` both a and a.b."""
    yield from _names(path.read_bytes(), package)  # A file says its own coding.


@functools.lru_cache(maxsize=1024)
def _names(source: bytes, package: str | None) -> tuple[str, ...]:
    return tuple(_names_in(source, package))


def _names_in(source: bytes, package: str | None) -> Iterator[str]:
    for node in _statements(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            joint = "" if origin.endswith(".") else "."
            names = [origin, *(f"{origin}{joint}{alias.name}" for alias in node.names)]
        for name in names:
            if not name.startswith("."):
                yield name
                continue
            try:
                yield resolve_name(name, package)
            except ImportError:
                continue  # beyond the top: whoever imports it will hear of it


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All of them, at whatever depth; the expressions, which are most of a tree, are passed by."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, field, ())


def loaded(module: types.ModuleType, folder: Path) -> list[Path]:
    """A user's module, and what it imports from its own folder or below."""
    found: dict[Path, None] = {}
    installed = [_PACKAGE, *map(Path, {sys.prefix, sys.base_prefix})]
    installed = [place for place in installed if folder in place.parents]
    waiting = [module]
    while waiting:
        current = waiting.pop()
        path = Path(getattr(current, "__file__", None) or "")
        if path.suffix != ".py" or not path.is_file() or path in found:
            continue
        if folder not in path.parents or _only_draws(path):
            continue
        inside = path.relative_to(folder).parts
        if "site-packages" in inside or any(place in path.parents for place in installed):
            continue
        found[path] = None
        names = _imported(path, current.__package__)
        waiting += [sys.modules[name] for name in names if name in sys.modules]
    return sorted(found)


class Held(NamedTuple):
    """What functions hold besides files: a digest, and whether any of it is a user's own."""

    digest: str
    foreign: bool


def held(claim: Claim) -> Held:
    """What a claim's functions hold: closures, defaults, attributes, globals, its populations.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    Held
        The same in every process, wherever in its file a function stands.
    """
    walk = _Walk()
    parts = [walk.digest(function) for function in _numbers(claim)]
    parts += [walk.digest(value) for name in claim.dims for value in claim.grid[name]
              if not isinstance(value, int | float | str | np.generic)]
    parts += [walk.digest(claim.given[name]) for name in sorted(claim.given)]
    return Held(hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest(), walk.foreign)


class _Walk:
    """Digests of objects by what they hold, not by where they lie or in which order sets go."""

    def __init__(self) -> None:
        self.foreign = False
        # Objects are kept alive, so that no two have one id.
        self.known: dict[int, tuple[object, bytes]] = {}
        self.open: dict[int, int] = {}

    def digest(self, value: Any) -> bytes:
        """Of one object and all that it refers to."""
        if id(value) in self.known:
            return self.known[id(value)][1]
        if id(value) in self.open:  # It refers to itself.
            return b"the one %d above" % (len(self.open) - self.open[id(value)])
        self.open[id(value)] = len(self.open)
        try:
            found = hashlib.blake2b(digest_size=16)
            for part in self._parts(value):
                found.update(b"%d:" % len(part) + part)
        finally:
            del self.open[id(value)]
        self.known[id(value)] = value, found.digest()
        return found.digest()

    def _of(self, values: Iterable[Any]) -> list[bytes]:
        return [self.digest(value) for value in values]

    def _named(self, values: Mapping[str, Any]) -> list[bytes]:
        return [p for name in sorted(values) for p in (name.encode(), self.digest(values[name]))]

    def _parts(self, value: Any) -> Iterator[bytes]:
        yield type(value).__qualname__.encode()
        if value is None or isinstance(value, int | float | complex | str | bytes | Fraction):
            yield value if isinstance(value, bytes) else repr(value).encode()
        elif isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            yield f"{array.dtype} {array.shape}".encode()
            whole = array.dtype.hasobject
            yield from self._of(array.ravel().tolist()) if whole else [array.tobytes()]
        elif isinstance(value, types.CodeType):
            yield from (value.co_code, repr(value.co_names).encode())
            yield from self._of(value.co_consts)
        elif isinstance(value, types.ModuleType):
            yield value.__name__.encode()
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, enum.Enum):
            yield from (value.name.encode(), self.digest(type(value)))
        elif isinstance(value, functools.partial):
            yield from self._of([value.func, list(value.args), value.keywords])
        elif isinstance(value, types.MethodType):
            yield from self._of([value.__func__, value.__self__])
        elif isinstance(value, staticmethod | classmethod):
            yield self.digest(value.__func__)
        elif isinstance(value, property | functools.cached_property):
            yield self.digest(getattr(value, "fget", None) or getattr(value, "func", None))
        elif type(value) in (list, tuple):
            yield from self._of(value)
        elif type(value) in (set, frozenset):
            yield from sorted(self._of(value))
        elif type(value) is dict:
            yield from self._of(part for item in value.items() for part in item)
        elif hasattr(value, "digest") and callable(value.digest):
            yield str(value.digest()).encode()
        elif callable(value) and not hasattr(value, "__dict__"):
            # Compiled: known by its name and its package's version.
            owner = getattr(value, "__self__", None)
            bound = owner is not None and not isinstance(owner, types.ModuleType)
            yield getattr(value, "__qualname__", getattr(value, "__name__", "")).encode()
            yield from self._of([owner] if bound else [])
        else:
            yield from self._object(value)

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        ours = _installed(function.__module__)
        self.foreign |= not ours
        if ours and "<locals>" not in function.__qualname__ and function.__name__ != "<lambda>":
            # The file that it stands in counts as a whole, or its package's version does.
            yield f"{function.__module__} {function.__qualname__}".encode()
            return
        yield self.digest(function.__code__)
        yield from self._of([function.__defaults__, function.__kwdefaults__])
        yield from self._of(_content(cell) for cell in function.__closure__ or ())
        kept = vars(function).items()
        yield from self._named({k: v for k, v in kept if k not in ("__signature__", "made_of")})
        if not ours:
            known = function.__globals__
            yield from self._named({k: known[k] for k in _globals(function.__code__) if k in known})

    def _class(self, found: type) -> Iterator[bytes]:
        yield found.__qualname__.encode()
        if _installed(found.__module__):
            yield found.__module__.encode()
            return
        self.foreign = True
        yield from self._of(found.__bases__)
        yield from self._named({
            name: value for name, value in vars(found).items()
            if isinstance(value, types.FunctionType) or not name.startswith(("__", "_abc_"))
        })

    def _object(self, value: Any) -> Iterator[bytes]:
        if type(value).__module__ == f"{_PACKAGE.name}.trial.claim" and hasattr(value, "id"):
            yield str(value.id).encode()  # A claim or a paper beside the simulator.
            return
        yield self.digest(type(value))
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None and not isinstance(value, type):
            yield self.digest(wrapped)  # A cache around a function is no part of what it says.
            return
        slots = [name for base in type(value).__mro__ for name in _slots(base)]
        if hasattr(value, "__dict__") or slots:
            state = {name: getattr(value, name) for name in slots if hasattr(value, name)}
            state |= {
                str(name): held for name, held in getattr(value, "__dict__", {}).items()
                # What is worked out at first use follows from the rest.
                if not isinstance(getattr(type(value), str(name), None), functools.cached_property)
            }
            yield from self._named(state)
            for kind, items in ((dict, lambda: [x for pair in value.items() for x in pair]),
                                (list | tuple, lambda: value), (set | frozenset, lambda: None)):
                if isinstance(value, kind):
                    inside = items()
                    yield from sorted(self._of(value)) if inside is None else self._of(inside)
            return
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:
            return  # A lock, a file: no number is in it.
        if isinstance(reduced, tuple):
            listed = [list(part) if isinstance(part, Iterator) else part for part in reduced]
            yield from self._of(listed[1:])


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # Not filled yet.


def _slots(base: type) -> list[str]:
    slots = vars(base).get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else slots
    return [name for name in slots if not name.startswith("__")]


def _globals(code: types.CodeType) -> set[str]:
    """Names that a function, or one inside of it, looks up in its module."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in _LOOKS}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _globals(constant)
    return found


_LOOKS = ("LOAD_GLOBAL", "LOAD_NAME")


@functools.cache
def _installed(module: str | None) -> bool:
    """Whether a module is this package's or another's, known by its files or its version."""
    root = (module or "").partition(".")[0]
    if root == _PACKAGE.name:
        return True
    if root in ("", "__main__"):
        return False
    if root in sys.stdlib_module_names or root in sys.builtin_module_names:
        return True
    path = Path(getattr(sys.modules.get(root), "__file__", None) or "")
    return "site-packages" in path.parts or "dist-packages" in path.parts
