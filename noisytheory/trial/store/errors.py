"""What goes wrong with a store, said in one line."""

from __future__ import annotations

import contextlib
import errno
import warnings
from collections.abc import Iterator


class StoreError(Exception):
    """A store that cannot be opened, written or mixed with this run; the message is one line."""


class OfOneClaim(StoreError):
    """What is in the place of one claim's blocks is not of this run; the others are not concerned.
    """


class Damaged(UserWarning):
    """Something in a store is not what was written; what else it holds is read all the same."""


class Remark(UserWarning):
    """What a reader should know of a store or a report, though nothing of it is lost."""


class OtherCode(Remark):
    """What a store holds was found by other code than is installed here."""


UNREADABLE = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, StopIteration, RecursionError,
    MemoryError, OverflowError,
)
"""What metadata raise that are not ours: of another form, absurdly deep, of absurd shapes."""


def gone(error: OSError) -> bool:
    """Whether a file that cannot be read is not what was written; else the system is to blame."""
    return error.errno in (
        errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL, errno.EIO, None
    )


def damage(text: str) -> None:
    """Say what is damaged; once, whoever calls."""
    warnings.warn(text, Damaged, stacklevel=2)


@contextlib.contextmanager
def opening(location: str) -> Iterator[None]:
    """Say in one line why a store cannot be made or written to, before anything is."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot make or open the store {location}: {_reason(error)}") from error


@contextlib.contextmanager
def writing(location: str, *, kept: bool) -> Iterator[None]:
    """Say in one line where a write failed and why, and whether the store stays."""
    try:
        yield
    except OSError as error:
        follows = (
            "what it holds is whole, and the same run resumes from it" if kept
            else "it goes with this process: choose a store with more room"
        )
        raise StoreError(
            f"cannot write to the store {location}: {_reason(error)}; {follows}"
        ) from error


@contextlib.contextmanager
def reading(location: str) -> Iterator[None]:
    """Say in one line where a read failed and why."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot read the store {location}: {_reason(error)}") from error


@contextlib.contextmanager
def of_one_claim() -> Iterator[None]:
    """What is where a claim's blocks belong, and is left alone, costs that claim and no other."""
    try:
        yield
    except StoreError as error:
        cause = error.__cause__
        if cause is None or (isinstance(cause, OSError) and gone(cause)):
            raise OfOneClaim(str(error)) from cause
        raise


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return f"{error.filename} is a symbolic link, and nothing is written through one"
    if error.errno == errno.ENOTEMPTY:
        return f"{error.filename} is a folder with something in it: move it away"
    where = errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL
    if error.errno in where and error.filename:
        return f"{error.filename2 or error.filename}: {error.strerror}"
    return " ".join((error.strerror or str(error) or type(error).__name__).split())
