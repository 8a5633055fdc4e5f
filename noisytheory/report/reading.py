"""Records of an audit or a store, in the order in which pages stand."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING

from noisytheory.report.record import Record

if TYPE_CHECKING:
    from noisytheory.trial.result import Audit
    from noisytheory.trial.store import Store

    Source = Audit | Store | str | os.PathLike[str]

__all__ = ["each", "in_order", "read"]


def read(source: Source) -> list[Record]:
    """Read every claim of an audit, or of a finished store, in the order of papers and numbers.

    Parameters
    ----------
    source : Audit, Store, str or path
        An audit still open, or its store or the location of that.

    Returns
    -------
    list of Record

    Raises
    ------
    StoreError
        If there is no store, or nothing in it is finished.
    ValueError
        If an audit holds no claim.
    """
    return in_order(each(source))


def each(
    source: Source, *, counted: Callable[[int], None] | None = None,
    ids: Container[str] | None = None,
) -> Iterator[Record]:
    """Read as `read` does, one by one, in any order.

    Parameters
    ----------
    source : Audit, Store, str or path
    counted : callable, optional
        Called with how many claims a store has, before they are read.
    ids : container of str, optional
        Those of a store that are read, if not all.

    Yields
    ------
    Record
    """
    from noisytheory import __version__
    from noisytheory.trial.store import Store

    if isinstance(source, str | os.PathLike):
        with Store.load(source, __version__) as store:
            yield from each(store, counted=counted, ids=ids)
    elif isinstance(source, Store):
        if counted is not None:
            counted(len(source.ids()))
        yield from map(Record.of, source.readable(ids))
    else:
        yield from (Record.of(result.dataset) for result in source)


def in_order(records: Iterable[Record]) -> list[Record]:
    """Records by papers and numbers; a ValueError if there is none."""
    found = sorted(records, key=lambda r: _natural(r.id))
    if not found:
        raise ValueError("the audit holds no claim to report on")
    return found


def _natural(text: str) -> list[tuple[str, int]]:
    """Sort key that puts theorem-5 before theorem-15."""
    parts = re.split(r"(\d+)", text)
    return [(part, 0) if i % 2 == 0 else ("", int(part)) for i, part in enumerate(parts)]

