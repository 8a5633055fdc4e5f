"""What somebody's file changes of the interpreter that runs it: put back, or noticed."""

from __future__ import annotations

import builtins
import contextlib
import faulthandler
import json
import math
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from noisytheory.trial.parents import ASKED_TO_END

try:
    import resource
except ImportError:  # no limits on this platform
    resource = None  # type: ignore[assignment]

__all__ = ["Before", "around_a_call", "as_it_was", "guard_calls", "is_open", "shortened"]

_LIMITS = {
    "RLIMIT_CPU": "processor time", "RLIMIT_FSIZE": "bytes a file",
    "RLIMIT_NOFILE": "open files", "RLIMIT_NPROC": "processes",
}
"""What a command needs as much of as it was given; of memory a file may well want less."""


@contextlib.contextmanager
def as_it_was(*, of_a_call: bool = False) -> Iterator[None]:
    """Put back what a file changes of its process: it moves nobody's store, and ends no command.

    A key press is heard, no alarm of its own comes later, what is yet to be imported is found, and
    others compute with NumPy's own functions.

    Parameters
    ----------
    of_a_call : bool
        Whether a function was called, not a file read: functions of `_SHARED` are put back then,
        too, and what is no function any more, of which a file is told; but not who looks at every
        line, or waits to say where all hangs, which may be a debugger.
    """
    here = None
    with contextlib.suppress(OSError):  # It may have been removed.
        here = os.getcwd()
    os.umask(mask := os.umask(0))
    heard = {number: signal.getsignal(number) for number in ASKED_TO_END}
    clocks = {number: signal.getitimer(number) for number in _clocks()}
    floats = np.geterr()
    limits, depth = _limits(), sys.getrecursionlimit()
    watched, timed = sys.gettrace(), sys.getprofile()
    streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    places = {name: list(getattr(sys, name)) for name in ("path", "meta_path", "path_hooks")}
    modules = (*_COMPUTE, *_SHARED) if of_a_call else _COMPUTE
    functions = [(names, dict(names)) for names in map(vars, modules)]
    try:
        yield
    finally:
        np.seterr(**floats)
        if not of_a_call:
            sys.settrace(watched)
            sys.setprofile(timed)
            faulthandler.cancel_dump_traceback_later()
        for names, own in functions:
            for name, function in own.items():
                now = names.get(name)
                if now is not function and callable(function) and (of_a_call or callable(now)):
                    names[name] = function
        if sys.getrecursionlimit() < depth or of_a_call:
            sys.setrecursionlimit(depth)
        for name, stream in streams.items():
            if (now := getattr(sys, name, None)) is None or getattr(now, "closed", False):
                setattr(sys, name, stream)
        os.umask(mask)
        if here is not None:
            with contextlib.suppress(OSError):
                os.chdir(here)
        if threading.current_thread() is threading.main_thread():
            for key, handler in heard.items():
                if handler is not None and signal.getsignal(key) is not handler:
                    signal.signal(key, handler)
        for number, clock in clocks.items():
            if clock == (0.0, 0.0):
                signal.setitimer(number, 0.0)
        for name, (soft, _) in limits.items():
            kind = getattr(resource, name)
            given, most = resource.getrlimit(kind)
            if _less(given, soft):
                resource.setrlimit(kind, (most if _less(most, soft) else soft, most))
        for name, before in places.items():
            now = getattr(sys, name, None)
            if not isinstance(now, list):
                setattr(sys, name, now := [])
            now.extend(entry for entry in before if entry not in now)


_COMPUTE = (math, np, np.linalg, np.random, random)
"""With other functions in these the next one's numbers would be wrong, without a word."""

_SHARED = (builtins, json, os, sys, threading, time)
"""Without these the next one would not come far."""

_guarded = False


def guard_calls() -> None:
    """From now on, what a call of somebody's function changes of this process is put back."""
    global _guarded
    _guarded = True


def around_a_call(function: object) -> contextlib.AbstractContextManager[None]:
    """What a call of this function is made in.

    Of this package's own nothing is put back, nor where nobody has asked for it: it takes as long
    as a small bound.
    """
    ours = str(getattr(function, "__module__", "")).partition(".")[0] == "noisytheory"
    return as_it_was(of_a_call=True) if _guarded and not ours else contextlib.nullcontext()


def shortened(error: BaseException) -> None:
    """Leave out the middle of a traceback that is very deep: whoever writes it takes minutes."""
    frames, frame = [], error.__traceback__
    while frame is not None:
        frames.append(frame)
        frame = frame.tb_next
    if len(frames) > 2 * _DEEP:
        frames[_DEEP].tb_next = frames[-_DEEP]


_DEEP = 1000
"""Frames, as many as Python itself lets be by default."""


def _clocks() -> Iterable[int]:
    return (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL) if (
        hasattr(signal, "setitimer")) else ()


def _limits() -> dict[str, tuple[int, int]]:
    if resource is None:
        return {}
    return {name: resource.getrlimit(getattr(resource, name)) for name in _LIMITS
            if hasattr(resource, name)}


def _less(one: int, other: int) -> bool:
    without = resource.RLIM_INFINITY
    return one != other and one != without and (other == without or one < other)


class Before:
    """What an interpreter has before it runs a file: modules, their functions, descriptors, limits.

    Examples
    --------
    >>> import json
    >>> before, dumps = Before(), json.dumps
    >>> json.dumps = None
    >>> before.taken()
    ['json.dumps']
    >>> json.dumps = dumps
    >>> before.taken(), before.replaced()
    ([], [])
    """

    def __init__(self) -> None:
        self._modules = {
            name: module for name, module in list(sys.modules.items())
            if name.partition(".")[0] in _NEEDED
        }
        # What is private to a module is its own affair: typing's is changed by its extensions.
        self._functions = {
            name: {
                key: value for key, value in vars(module).items()
                if callable(value) and not (key[:1] == "_" and isinstance(value, FunctionType))
            }
            for name, module in self._modules.items() if isinstance(module, ModuleType)
        }
        self._methods = {
            found: {key for key, value in vars(found).items() if callable(value)}
            for functions in self._functions.values() for found in functions.values()
            if isinstance(found, type)
        }
        self._open = {number for number in range(_DESCRIPTORS) if is_open(number)}
        self._limits = _limits()

    def taken(self, files: bool = True) -> list[str]:
        """Name what is not there any more, or is nothing that can be called: little works without.

        Of open files, too, unless the process itself has closed some meanwhile.
        """
        lost = [f"sys.{name}" for name in ("path", "meta_path", "path_hooks")
                if not isinstance(getattr(sys, name, None), list)]
        lost += [f"the module {name}" for name in self._modules if sys.modules.get(name) is None]
        lost += self._where(lambda now, before: not callable(now))
        lost += [
            f"{found.__module__}.{found.__qualname__}.{key}"
            for found, keys in self._methods.items()
            for key in keys & vars(found).keys() if not callable(vars(found)[key])
        ]
        lost += [f"the open file {number}" for number in sorted(self._open)
                 if files and not is_open(number)]
        return lost + self.limited()

    def limited(self) -> list[str]:
        """Name what there is less of now."""
        return [f"{_LIMITS[name]} (by a limit that cannot be lifted)"
                for name, (soft, _) in _limits().items() if _less(soft, self._limits[name][0])]

    def replaced(self) -> list[str]:
        """Name functions in whose place others are; this package puts some in their place itself.
        """
        return self._where(lambda now, before: callable(now) and now is not before and not str(
            getattr(before, "__module__", "")).startswith("noisytheory."))

    def _where(self, differs: Callable[[Any, Any], bool]) -> list[str]:
        return [
            f"{name}.{key}" for name, functions in self._functions.items()
            for key, value in functions.items()
            if differs(vars(self._modules[name]).get(key), value)
        ]


_NEEDED = {*sys.stdlib_module_names, "click", "noisytheory", "numpy"}
"""Whose modules are looked at; who else is imported may well come and go."""

_DESCRIPTORS = 256


def is_open(number: int) -> bool:
    """Whether there is a file of this descriptor."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
