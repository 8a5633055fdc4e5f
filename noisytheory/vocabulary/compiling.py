"""Compiled loops, kept on disk so that two processes that compile at once do not mix theirs up."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

__all__ = ["njit"]


F = TypeVar("F", bound=Callable[..., Any])


class _ByName(IndexDataCacheFile):
    """Each signature's code under a name of its own.

    Numba numbers the files. Of two processes that compile another signature each, both take the
    next number: the index then names a file for one signature that holds the code of the other.
    """

    def save(self, key: Any, data: Any) -> None:
        """Write the code, then the index; a disk that takes nothing costs the time to compile."""
        its: Any = super()
        name = its._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:15], 16))
        with contextlib.suppress(OSError):
            its._save_data(name, data)
            its._save_index({**its._load_index(), key: name})


class _Cache(FunctionCache):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        file = self._cache_file
        self._cache_file = _ByName(  # type: ignore[no-untyped-call]
            file._cache_path, self._impl.filename_base, file._source_stamp
        )


def njit(*, cache: bool = False, **options: Any) -> Callable[[F], F]:
    """`numba.njit`, whose cache is such a one.

    Parameters
    ----------
    cache : bool
        Whether code is kept, where there is a folder for it.
    **options
        Of `numba.njit`.

    Examples
    --------
    >>> twice = njit()(lambda x: 2 * x)
    >>> twice(21)
    42
    """
    def compiled(function: F) -> F:
        found: Any = numba.njit(**options)(function)
        if cache:
            with contextlib.suppress(RuntimeError):  # Numba finds no folder that it may write to.
                found._cache = _Cache(function)
        return cast(F, found)

    return compiled
