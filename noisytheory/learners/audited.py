"""Audited examples as learners of confused labels take them, and where in the sample they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

__all__ = ["Audit", "audit_of", "places_of"]

Places = NDArray[np.int64]

ASKED = (
    "audited must be examples, or places in X, and as many true labels among {classes}, and at "
    "most their noisy labels"
)


@dataclass(frozen=True, eq=False)
class Audit:
    """Audited examples, their true and, where they are known, noisy labels, and where they lie."""

    examples: Any
    true: NDArray[Any]
    noisy: NDArray[Any] | None
    places: Places
    """Which row of the sample each is; -1 of those that are none."""


def audit_of(given: Any, X: Any, y: Any, classes: NDArray[Any]) -> Audit:
    """What was given as ``audited``, checked.

    Parameters
    ----------
    given : tuple
        Examples, or their places in the sample; true labels; noisy labels.
    X, y : array-like
        The sample.
    classes : array

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        On anything else.
    """
    asked = ValueError(ASKED.format(classes=classes.tolist()))
    if not (isinstance(given, tuple | list) and len(given) in (2, 3)):
        raise asked
    known, noisy = np.asarray(given[1]), np.asarray(given[2]) if len(given) == 3 else None
    rows = X.tocsr() if sparse.issparse(X) else X if hasattr(X, "iloc") else np.asarray(X)
    there: Any = given[0].tocsr() if sparse.issparse(given[0]) else given[0]
    if not (sparse.issparse(there) or hasattr(there, "columns")):
        there = np.asarray(there)
    places: Places | None
    if there.ndim == 1 and there.dtype.kind in "iub":
        places = _checked_places(there, rows.shape[0])
        labels = np.asarray(y)[places]
        if noisy is not None and not np.array_equal(noisy, labels):
            raise ValueError("audited has noisy labels that are not those in y of its places")
        there, noisy = _taken(rows, places), labels
    elif there.ndim == 2:
        places = _where(rows, there) if there.shape[1] == rows.shape[1] else None
        if noisy is None and places is not None and places.size and places.min() >= 0:
            noisy = np.asarray(y)[places]
    else:
        raise asked
    if known.shape != there.shape[:1] or not np.isin(known, classes).all():
        raise asked
    if len(np.unique(known)) < 2:
        raise ValueError(
            f"audited must hold examples of two classes or more, got {len(known)} examples of "
            f"{len(np.unique(known))}"
        )
    if noisy is not None and (noisy.shape != known.shape or not np.isin(noisy, classes).all()):
        raise ValueError(
            f"audited must have as many noisy labels as examples, {len(known)}, among "
            f"{classes.tolist()}"
        )
    # Of another width they are refused with the learner's own words.
    return Audit(there, known, noisy, np.full(len(known), -1) if places is None else places)


def _checked_places(given: NDArray[Any], rows: int) -> Places:
    """Places in the sample, or a truth value for each of its rows."""
    if given.dtype.kind == "b":
        if given.shape != (rows,):
            raise ValueError(
                f"audited as truth values must be one a row of X, {rows} of them, got {len(given)}"
            )
        given = np.flatnonzero(given)
    if given.size and not (given.min() >= 0 and given.max() < rows):
        wrong = given[(given < 0) | (given >= rows)][0]
        raise ValueError(f"audited must be places in X, 0 to {rows - 1}, got {wrong}")
    if len(np.unique(given)) < len(given):
        raise ValueError("audited must be different places in X, got some twice")
    return given.astype(np.int64)


def _taken(rows: Any, places: Places) -> Any:
    return rows.iloc[places] if hasattr(rows, "iloc") else rows[places]


def _where(X: Any, examples: Any) -> Places:
    kinds = [np.float64, np.float32, np.uint8]
    return places_of(*(check_array(rows, accept_sparse="csr", dtype=kinds)
                       for rows in (X, examples)))


def places_of(points: Any, examples: Any) -> Places:
    """Which row of a sample each example is: one that is equal to it, and of no other example.

    Parameters
    ----------
    points, examples : array or sparse matrix in rows
        Numbers are compared as 32-bit floats if either holds those.

    Returns
    -------
    array of int, shape (m,)
        The first rows of those that are equal, as many as there are examples; -1 where none is
        left.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0], [1.0, 0.0]])
    >>> places_of(points, np.array([[1.0, 0.0], [5.0, 5.0], [1.0, 0.0]])).tolist()
    [0, -1, 2]
    """
    kind = np.float32 if np.float32 in (points.dtype, examples.dtype) else np.float64
    if sparse.issparse(points) != sparse.issparse(examples):
        examples = sparse.csr_array(examples) if sparse.issparse(points) else examples.toarray()
    wanted = list(_keys(examples, kind))
    left = Counter(wanted)
    near = _candidates(points, examples, kind)
    found: dict[bytes, list[int]] = {}
    for place, key in zip(near.tolist(), _keys(points[near], kind), strict=True):
        if left[key] > 0:
            left[key] -= 1
            found.setdefault(key, []).append(place)
    turn = {key: iter(places) for key, places in found.items()}
    return np.array([next(turn.get(key, iter(())), -1) for key in wanted], dtype=np.int64)


def _candidates(points: Any, examples: Any, kind: Any) -> Places:
    """Rows that may be among the examples, by the column that says most; of sparse ones all."""
    if sparse.issparse(points):
        return np.arange(points.shape[0])
    column = int(np.argmax([len(np.unique(values)) for values in examples.T]))
    values = [rows[:, column].astype(kind) for rows in (points, examples)]
    return np.flatnonzero(np.isin(*values))


def _keys(points: Any, kind: Any) -> Iterator[bytes]:
    """Rows as bytes; 0 and -0 are the same, and so is what a sparse matrix holds twice."""
    if sparse.issparse(points):
        thin = sparse.csr_array(points, dtype=kind, copy=True)
        thin.sum_duplicates()
        thin.eliminate_zeros()
        for begin, end in zip(thin.indptr[:-1], thin.indptr[1:], strict=True):
            yield (thin.indices[begin:end].astype(np.int64).tobytes()
                   + thin.data[begin:end].tobytes())
    else:
        for row in points:
            yield (row.astype(kind) + kind(0)).tobytes()
