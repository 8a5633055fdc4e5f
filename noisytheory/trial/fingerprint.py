"""What a claim's stored numbers depend on: the files that its simulator comes from, by imports."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import sys
import types
from collections.abc import Callable, Iterator
from importlib.util import resolve_name
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["fingerprint", "sources"]

_PACKAGE = Path(__file__).parents[1]
_STREAMS = ("claim.py", "draws.py", "sides.py")
"""Of the machinery, what numbers come from; how they are weighed or kept changes none."""


def fingerprint(claim: Claim) -> str:
    """Digest of the code, parameters and versions that a stored block depends on.

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
        "rows": claim.rows,
        "grid": {name: [_digest(claim, v) for v in claim.grid[name]] for name in claim.dims},
        "given": {name: _digest(claim, value) for name, value in claim.given.items()},
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    digest.update(json.dumps(declared, sort_keys=True).encode())
    for path in sources(claim):
        digest.update(_contents(path) if _PACKAGE in path.parents else path.read_bytes())
    if claim.simulate is not None:
        digest.update(_bytecode(claim.simulate))
    return digest.hexdigest()


def _digest(claim: Claim, value: Any) -> str:
    return str(value.digest()) if hasattr(value, "digest") else repr(claim.label(value))


@functools.cache
def _contents(path: Path) -> bytes:
    return path.read_bytes()


def sources(claim: Claim) -> list[Path]:
    """Files that the simulated numbers come from: the simulator's and, transitively, its imports.

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
    if claim.simulate is None:
        return []
    # Every number goes through these, whoever's simulator it is.
    found = dict.fromkeys(_PACKAGE / "trial" / name for name in _STREAMS)
    for function in _functions(claim.simulate):
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        path = Path(getattr(module, "__file__", None) or __file__)
        if _PACKAGE in path.parents:
            _follow(path, _ours, found)
        elif module is not None:
            found.update(dict.fromkeys(loaded(module, path.parent)))
    return sorted(found)


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


def _follow(
    path: Path, imports: Callable[[Path], tuple[Path, ...]], found: dict[Path, None]
) -> None:
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found[current] = None
        waiting += imports(current)


@functools.cache
def _ours(path: Path) -> tuple[Path, ...]:
    """Files of this package that one of them imports and that count."""
    found = []
    for name in _imported(path, _package_of(path)):
        parts = name.split(".")
        if parts[0] != _PACKAGE.name:
            continue
        base = _PACKAGE.joinpath(*parts[1:])
        for candidate in (base.with_suffix(".py"), base / "__init__.py"):
            if candidate.is_file() and candidate != _PACKAGE / "__init__.py":
                found.append(candidate)
    return tuple(candidate for candidate in found if _counts(candidate))


def _package_of(path: Path) -> str:
    return ".".join((_PACKAGE.name, *path.relative_to(_PACKAGE).parent.parts))


def _imported(path: Path, package: str | None) -> Iterator[str]:
    """Full names that a file imports, anywhere in it; of ``from a import b`` both a and a.b."""
    yield from _names(path.read_text(), package)


@functools.lru_cache(maxsize=1024)
def _names(text: str, package: str | None) -> tuple[str, ...]:
    return tuple(_names_in(text, package))


def _names_in(text: str, package: str | None) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
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


def loaded(module: types.ModuleType, folder: Path) -> list[Path]:
    """A user's module, and what it imports from its own folder or below."""
    found: dict[Path, None] = {}
    installed = [_PACKAGE, *map(Path, {sys.prefix, sys.base_prefix})]
    installed = [place for place in installed if folder in place.parents]
    waiting = [module]
    while waiting:
        current = waiting.pop()
        path = Path(getattr(current, "__file__", None) or "")
        if not path.name or path in found or folder not in path.parents or _only_draws(path):
            continue
        inside = path.relative_to(folder).parts
        if "site-packages" in inside or any(place in path.parents for place in installed):
            continue
        found[path] = None
        names = _imported(path, current.__package__)
        waiting += [sys.modules[name] for name in names if name in sys.modules]
    return sorted(found)


def _bytecode(function: Callable[..., Any]) -> bytes:
    def flatten(code: types.CodeType) -> bytes:
        # Nested code objects print with their address, so they are followed, not printed.
        parts = [code.co_code, repr(code.co_names).encode()]
        for constant in code.co_consts:
            nested = isinstance(constant, types.CodeType)
            parts.append(flatten(constant) if nested else repr(constant).encode())
        return b"".join(parts)

    code = getattr(inspect.unwrap(function), "__code__", None)
    return flatten(code) if code is not None else b""
