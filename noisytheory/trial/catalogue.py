"""Every claim that can be put on trial: the topics' own, installed packages' and users' files."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import importlib
import importlib.util
import io
import os
import sys
import tokenize
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from noisytheory.trial.claim import Claim, papers_in_the_box
from noisytheory.trial.forked import one_returns
from noisytheory.trial.interpreter import as_it_was
from noisytheory.trial.shown import named

__all__ = [
    "DATA", "ENTRY_POINTS", "Absent", "absent", "catalogue", "distinct", "file_of", "find",
    "find_or_none", "load_file", "match", "module_name", "needs", "of_topic", "own_id",
]

_TOPICS = Path(__file__).parents[1] / "topics"

ENTRY_POINTS = "noisytheory.claims"
"""Entry-point group by which an installed package ships claims: each entry names a module."""

DATA = "NOISYTHEORY_DATA"
"""Environment variable that names a folder of data that are not bundled."""


@dataclass(frozen=True)
class Absent:
    """A claim that is left out for lack of a file: a ``claims.py`` declares this in its place.

    Parameters
    ----------
    id : str
        Of the claim.
    file : str
        The name of the file in the folder that `DATA` names.
    holds : str
        What is in it.
    """

    id: str
    file: str
    holds: str


def claims_of(module: ModuleType) -> Iterator[Claim]:
    """Claims bound in a module, one by one or in a list, tuple or dict, in order of appearance."""
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, Claim):
            yield value
        elif isinstance(value, list | tuple):
            yield from (item for item in value if isinstance(item, Claim))
        elif isinstance(value, dict):
            yield from (item for item in value.values() if isinstance(item, Claim))


def _claims_files(topic: str) -> list[str]:
    """Modules of a topic, or by a pattern of several, that declare claims: each ``claims.py``."""
    files = [path.relative_to(_TOPICS) for path in sorted(_TOPICS.glob(f"{topic}/**/claims.py"))]
    return [".".join(("noisytheory.topics", *path.with_suffix("").parts)) for path in files]


def of_topic(topic: str) -> list[Claim]:
    """A topic's claims: those of every ``claims.py`` in its folder.

    Parameters
    ----------
    topic : str
        The folder's name.

    Returns
    -------
    list of Claim

    Examples
    --------
    >>> [claim.id for claim in of_topic("concentration")]
    ['kernel-mean/theorem-24']
    """
    modules = map(importlib.import_module, _claims_files(topic))
    return distinct(claim for module in modules for claim in claims_of(module))


@functools.cache
def catalogue() -> Mapping[str, Claim]:
    """All claims by id: the topics' and those of installed packages.

    A result that stands in two papers is one claim under two ids.

    Returns
    -------
    mapping of str to Claim

    Raises
    ------
    ValueError
        If two different claims share an id.
    """
    modules = _claims_files("*")
    modules += [entry.value for entry in entry_points(group=ENTRY_POINTS)]
    found: dict[str, Claim] = _Catalogue()
    for module in modules:
        with one_returns():
            _collect(importlib.import_module(module), found)
    return found


class _Catalogue(dict[str, Claim]):
    """A dict whose missing key offers the nearest ones."""

    def __missing__(self, claim_id: object) -> Claim:
        if not isinstance(claim_id, str):
            raise KeyError(f"a claim's id is text such as {next(iter(self))!r}, got {claim_id!r}")
        raise KeyError(unknown(claim_id))


def _collect(module: ModuleType, found: dict[str, Claim]) -> None:
    for claim in claims_of(module):
        for name in claim.names:
            if found.setdefault(name, claim) is not claim:
                raise ValueError(f"two claims have the id {name}")


@functools.cache
def _absent() -> list[Absent]:
    found = []
    for module in map(importlib.import_module, _claims_files("*")):
        for value in vars(module).values():
            values = value if isinstance(value, list) else [value]
            found += [item for item in values if isinstance(item, Absent)]
    return found


def absent(pattern: str = "*") -> list[Absent]:
    """What is left out of what `match` would find, for lack of data.

    Parameters
    ----------
    pattern : str

    Returns
    -------
    list of Absent
    """
    if any(character in pattern for character in "*?["):
        return [claim for claim in _absent() if fnmatch.fnmatchcase(claim.id, pattern)]
    if find_or_none(pattern) is not None:
        return []
    parent = pattern.rstrip("/") + "/"
    return [claim for claim in _absent() if f"{claim.id}/".startswith(parent)]


def needs(claims: Sequence[Absent]) -> str:
    """Which claims need which file, how to give it, and why it is not found where one is named.

    Parameters
    ----------
    claims : sequence of Absent

    Returns
    -------
    str
        A line.
    """
    by_file: dict[str, list[str]] = {}
    for claim in claims:
        by_file.setdefault(f"{claim.file} ({claim.holds})", []).append(claim.id)
    told = "; ".join(
        f"{', '.join(ids)} {'needs' if len(ids) == 1 else 'need'} {file}"
        for file, ids in by_file.items()
    )
    told += f", not bundled: set {DATA} to a folder that holds it"
    folder = os.environ.get(DATA)
    if folder:
        told += f", now {folder}, which " + ("does not" if Path(folder).is_dir() else "is none")
    return told


def distinct(claims: Iterable[Claim]) -> list[Claim]:
    """Each claim once, although it may stand under several names."""
    return list(dict.fromkeys(claims))


def find(claim_id: str) -> Claim:
    """The claim with this id.

    Raises
    ------
    ValueError
        If there is none; the message offers the nearest ids.
    """
    claim = find_or_none(claim_id)
    if claim is None:
        raise ValueError(unknown(claim_id))
    return claim


def own_id(claim: Claim) -> Claim:
    """The claim, unless it takes the id of another one that the package has.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    Claim

    Raises
    ------
    ValueError
        If a claim of the papers in the box has this id, and is not this one: their notes and
        discrepancies would be said of it. If another paper has the id of one of them, whose title
        would stand for its own. Nor may ids differ by case only, which not every file system sees.
    """
    # Most ids need no catalogue, which takes a second to build.
    paper = claim.id.partition("/")[0]
    module = papers_in_the_box().get(paper.casefold())
    known = _folded().get(claim.id.casefold()) if module else None
    if known is not None and known is not claim and (
        claim.id not in known.names
        or any(getattr(known, name) != getattr(claim, name) for name in _SAID)
        or known.fingerprint() != claim.fingerprint()
    ):
        raise ValueError(
            f"the id {claim.id} is that of a claim in the box, which this is not: declare it "
            "under a Paper of your own, or give a copy with changes an id of its own"
        )
    if module and claim.paper != importlib.import_module(module).PAPER:
        raise ValueError(
            f"the id of the paper of {claim.id} is that of one in the box, which it is not: give "
            f"your Paper another id than {paper}"
        )
    return claim


_SAID = (
    "paper", "statement", "place", "hypotheses", "expect", "trivial", "quantity", "unit", "origin",
    "note", "reason", "picture",
)
"""What is said of a claim, and no part of its fingerprint."""


@functools.cache
def _folded() -> dict[str, Claim]:
    return {name.casefold(): claim for name, claim in catalogue().items()}


def unknown(claim_id: str) -> str:
    """What to say of an id that no claim has."""
    import difflib

    if left_out := absent(claim_id):
        return needs(left_out)
    near = difflib.get_close_matches(claim_id, list(catalogue()), n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else "; `noisytheory claims` lists all"
    return f"unknown claim id {claim_id!r}{hint}"


def find_or_none(claim_id: str) -> Claim | None:
    """The claim with this id, or None."""
    return catalogue().get(claim_id)


def match(pattern: str) -> list[Claim]:
    """Claims whose id is, lies under, or matches the pattern.

    Parameters
    ----------
    pattern : str
        An id, or a shell pattern such as ``"kernel-mean/*"``.

    Returns
    -------
    list of Claim

    Raises
    ------
    ValueError
        If nothing matches.
    """
    if not any(character in pattern for character in "*?["):
        parent = pattern.rstrip("/") + "/"
        under = [c for name, c in catalogue().items() if name.startswith(parent)]
        exact = find_or_none(pattern)
        if exact is not None:
            return [exact]
        return distinct(under) or [find(pattern)]
    found = [c for name, c in catalogue().items() if fnmatch.fnmatchcase(name, pattern)]
    if not found and (left_out := absent(pattern)):
        raise ValueError(needs(left_out))
    if not found:
        raise ValueError(f"no claim matches {pattern!r}; `noisytheory claims` lists all")
    return distinct(found)


def load_file(path: str | Path) -> list[Claim]:
    """Claims that a user's file declares.

    Parameters
    ----------
    path : path
        A Python file; it is executed.

    Returns
    -------
    list of Claim

    Raises
    ------
    ValueError
        If the file does not exist, is no text, raises, or declares no claim; the message says
        which.
    """
    given = os.fspath(path)
    path = Path(os.path.realpath(path))  # Unlike `resolve` it takes links that lead to themselves.
    if not path.is_file():
        what = next((what for kind, what in _KINDS.items() if getattr(path, kind)()), None)
        raise ValueError(
            f"{given} is {what}, not a file that can be read to its end" if what
            else f"no such file: {given}"
        )
    _check_text(path, given)
    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{given} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with one_returns(), as_it_was():
            spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        line = _line_in(error, path)
        raise ValueError(f"{given}{line} raised {named(error)}") from error
    # Workers do not have this module: its functions travel by value.
    import cloudpickle

    cloudpickle.register_pickle_by_value(module)
    found: dict[str, Claim] = {}
    _collect(module, found)
    if not found:
        raise ValueError(f"{given} declares no claim (a module-level noisytheory.Claim)")
    _files.update(dict.fromkeys(found.values(), path))
    return distinct(found.values())


_KINDS = {
    "is_dir": "a folder", "is_fifo": "a pipe", "is_char_device": "a device",
    "is_block_device": "a device", "is_socket": "a socket",
}


def _check_text(path: Path, given: str) -> None:
    """Refuse bytes that are no text, in a comment as well, where Python's imports may take them."""
    try:
        data = path.read_bytes()
    except OSError:
        return  # Whoever runs it will find that.
    encoding = "utf-8"
    with contextlib.suppress(SyntaxError):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{given}, line {line}: the byte {data[error.start]:#04x} is no {encoding} text: "
            "save the file as UTF-8, or declare its coding, in the first line: # coding: latin-1"
        ) from error
    except (LookupError, ValueError):
        return  # No coding of texts: Python says so.


def module_name(path: Path) -> str:
    """The module that a user's file becomes."""
    return f"noisytheory_user_{path.stem}"


_files: weakref.WeakKeyDictionary[Claim, Path] = weakref.WeakKeyDictionary()


def file_of(claim: Claim) -> str | None:
    """The user's file that a claim was loaded from, as the command line takes it.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    str or None
        Relative to the working folder if it lies there or below; None for a claim that its id
        suffices to find, or that was declared in no file.
    """
    path = _files.get(claim)
    if path is None:
        return None
    here = Path.cwd()
    return (path.relative_to(here) if here in path.parents else path).as_posix()


def _line_in(error: BaseException, path: Path) -> str:
    """Where in the user's file it went wrong, as ``", line 7"``."""
    traceback, line = error.__traceback__, ""
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(path):
            line = f", line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    if line or not isinstance(error, SyntaxError) or error.lineno is None:
        return line
    return f", line {error.lineno}"
