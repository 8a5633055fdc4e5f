r"""Confusion matrices in columns, $C_{pq}=\Pr[Y=p\mid t=q]$: checks, inverses, and estimates.

Classes are $0,\dots,Q-1$. Columns are true classes and sum to 1; $B=C^{-1}$ undoes the noise, and
$\beta=\max|B|$ is what it costs.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    check_generator,
    checked_floats,
    checked_numbers,
    one_of,
)
from noisytheory.vocabulary.exact import Numbers, eliminated, over, whole

__all__ = [
    "ConfusionEstimate",
    "Orientation",
    "amplification",
    "columns",
    "confusion_rate",
    "estimate_confusion",
    "inverse_of",
    "leakage",
    "lopsidedness",
    "observed_confusion",
    "posterior_confusion",
    "relative_leakage",
]

Floats: TypeAlias = NDArray[np.float64]
Orientation: TypeAlias = Literal["column", "row"]

SUM = 1e-9
"""How far a sum of probabilities may be from 1."""

LIMIT = 1 / (16 * np.finfo(float).eps)
"""Condition number from which a confusion cannot be inverted to working precision."""


def columns(
    matrix: Any, orientation: Orientation | None = None, *, classes: Sequence[Any] | None = None,
    name: str = "confusion",
) -> Floats:
    """A confusion matrix with true classes in columns, checked, never guessed.

    Parameters
    ----------
    matrix : array-like or table, shape (Q, Q)
        Probabilities; fractions are kept. A pandas or xarray table whose rows and columns have
        names is brought into one order of them. One that just counts from 0 has no names.
    orientation : {"column", "row"}, optional
        Where the true classes are. Without it they are in columns; a matrix of which rows and
        columns both sum to 1 is taken only if it is symmetric.
    classes : sequence, optional
        The names in the order that is wanted; by default that of the columns, and of whole numbers
        0 to Q - 1 their own.
    name : str
        The argument's, for the message.

    Returns
    -------
    array, shape (Q, Q)
        Column-stochastic.

    Raises
    ------
    ValueError
        If it is not square, has an entry outside [0, 1], does not sum to 1 where it must, could be
        meant either way, or has names that are not those of the classes.

    Examples
    --------
    >>> columns([[0.9, 0.1], [0.4, 0.6]], orientation="row").tolist()
    [[0.9, 0.4], [0.1, 0.6]]
    """
    array = _probabilities(name, _by_name(matrix, classes, name))
    if orientation not in (None, "column", "row"):
        raise ValueError(f'orientation must be "column" or "row", got {orientation!r}')
    down, across = (abs(array.sum(axis=axis) - 1).max() <= SUM for axis in (0, 1))
    if orientation is None:
        if across and not down:
            raise ValueError(
                f'{name} must have columns that sum to 1, here the rows do: say orientation="row"'
                " if the true classes are in rows"
            )
        if across and down and abs(array - array.T).max() > SUM:
            raise ValueError(
                f"{name} has rows and columns that sum to 1 and is not symmetric: say "
                'orientation="column" or "row", where the true classes are'
            )
    _sum_to_one(name, array, "row" if orientation == "row" else "column")
    return np.array(array.T if orientation == "row" else array, order="C")


def stochastic(name: str, matrix: Any, line: Orientation = "column") -> NDArray[Any]:
    """A matrix of which all columns, or rows, are probabilities that sum to 1, or a ValueError.

    Parameters
    ----------
    name : str
        The argument's, for the message.
    matrix : array-like, shape (Q, Q)
        Fractions are kept.
    line : {"column", "row"}

    Returns
    -------
    array, shape (Q, Q)

    Raises
    ------
    ValueError
        If it is not square, has an entry outside [0, 1], or a line that does not sum to 1.

    Examples
    --------
    >>> stochastic("matrix", [[0.9, 0.1], [0.4, 0.6]])
    Traceback (most recent call last):
    ...
    ValueError: matrix must have columns that sum to 1, number 0 sums to 1.3: its rows do
    """
    array = _probabilities(name, matrix)
    _sum_to_one(name, array, line)
    return array


def _probabilities(name: str, matrix: Any) -> NDArray[Any]:
    array = checked_numbers(name, matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"{name} must be a square matrix, got shape {array.shape}")
    if not (array.min() >= 0 and array.max() <= 1 + SUM):
        wrong = array[~((array >= 0) & (array <= 1 + SUM))][0]
        counts = array.min() >= 0 and not np.any(array % 1)
        cure = ": of counts make a ConfusionEstimate" if counts else ""
        raise ValueError(f"{name} must hold probabilities in [0, 1], got {wrong}{cure}")
    return array


def _sum_to_one(name: str, array: NDArray[Any], line: Orientation) -> None:
    axis = int(line == "row")
    sums, others = array.sum(axis=axis), array.sum(axis=1 - axis)
    off = abs(sums - 1)
    if off.max() <= SUM:
        return
    worst = int(np.argmax(off))
    cure = ""
    if off.max() <= 0.02:
        cure = f": if it is rounded, divide its {line}s by their sums"
    elif abs(others - 1).max() <= SUM:
        cure = f": its {'columns' if line == 'row' else 'rows'} do"
    raise ValueError(
        f"{name} must have {line}s that sum to 1, number {worst} sums to {sums[worst]:.6g}{cure}"
    )


def _by_name(matrix: Any, classes: Sequence[Any] | None, name: str) -> Any:
    """A table with names in the order of these classes, or in one order; all else as it came."""
    named = _names(matrix)
    if named is None:
        return matrix
    table, rows, across = named
    counting = list(range(len(across)))
    if classes is None:
        classes = counting if set(across) == set(counting) else across
    elif rows == across == counting:
        if set(classes) == set(counting) and list(classes) != counting:
            raise ValueError(
                f"{name} is a table that counts its classes {counting}, and they are given as "
                f"{list(classes)}: without names by an array, or with its own in rows and columns"
            )
        return table.to_numpy()
    if not set(rows) == set(across) == set(classes) or len(set(rows)) < len(rows):
        raise ValueError(
            f"{name} must have each class's name once in rows and in columns, got "
            f"{rows} and {across} for {list(classes)}"
        )
    order = [[names.index(one) for one in classes] for names in (rows, across)]
    return table.to_numpy()[np.ix_(*order)]


def _names(matrix: Any) -> tuple[Any, list[Any], list[Any]] | None:
    """A square table of pandas or xarray with the names of its rows and columns."""
    table = matrix.to_pandas() if hasattr(matrix, "to_pandas") else matrix
    if not (hasattr(table, "iloc") and hasattr(table, "columns") and len(set(table.shape)) == 1):
        return None
    return table, table.index.tolist(), table.columns.tolist()


def inverse_of(matrix: Numbers) -> Floats:
    r"""$B=C^{-1}$ of a column-stochastic matrix.

    Parameters
    ----------
    matrix : array-like, shape (Q, Q)
        Column-stochastic; of fractions the inverse is one of fractions.

    Returns
    -------
    array, shape (Q, Q)
        Its columns sum to 1 as well.

    Raises
    ------
    ValueError
        If it is not column-stochastic, or singular to working precision; the message says what it
        would cost.

    Examples
    --------
    >>> inverse_of([[0.75, 0.25], [0.25, 0.75]]).round(12).tolist()
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    return inverted(stochastic("matrix", matrix))


def inverted(array: NDArray[Any]) -> Floats:
    """`inverse_of` what is known to be column-stochastic, or is meant not to be.

    Parameters
    ----------
    array : array, shape (Q, Q)

    Returns
    -------
    array, shape (Q, Q)

    Examples
    --------
    >>> inverted(np.array([[0.5, 0.0], [0.0, 0.25]])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if array.dtype == object:
        return _inverse_in_fractions(array)
    try:
        inverse = np.asarray(np.linalg.inv(array), dtype=np.float64)
        # The condition number is no larger, and takes longer.
        condition = math.sqrt(np.vdot(array, array) * np.vdot(inverse, inverse))
    except np.linalg.LinAlgError:
        condition = math.inf
    if not condition < LIMIT / 1000:
        condition = np.linalg.cond(array)
        if not condition < LIMIT:
            raise ValueError(
                f"confusion must be invertible to undo the noise, its condition number is "
                f"{condition:.3g}: two classes, or mixtures of classes, get the same labels"
            )
    return inverse


def _inverse_in_fractions(array: NDArray[Any]) -> NDArray[Any]:
    """By elimination: singular is singular."""
    size, (entries, per_entry) = len(array), whole(array)
    rows, pivots, last = eliminated(np.hstack([entries, np.eye(size, dtype=object)]).tolist(), size)
    if len(pivots) < size:
        raise ValueError(
            "confusion must be invertible to undo the noise, it is singular: two classes, or "
            "mixtures of classes, get the same labels"
        )
    return over([[per_entry * a for a in row[size:]] for row in rows], last)


def amplification(matrix: ArrayLike) -> Floats:
    r"""$\beta_q=\max_k|B_{qk}|$, what the noise multiplies the deviation of class $q$ by.

    Parameters
    ----------
    matrix : array-like, shape (Q, Q)
        Column-stochastic.

    Returns
    -------
    array, shape (Q,)
        At least 1; a sample must be $\beta^2$ times as large.

    Examples
    --------
    >>> amplification([[0.75, 0.25], [0.25, 0.75]]).round(12).tolist()
    [1.5, 1.5]
    """
    return np.asarray(np.abs(inverse_of(matrix)).max(axis=1))


def leakage(estimate: Numbers, matrix: Numbers) -> Floats:
    r"""$\hat C^{-1}C-I$: what of class $r$ leaks into the update vectors of class $q$.

    Parameters
    ----------
    estimate, matrix : array-like, shape (Q, Q)
        The confusion that is used, and the one that holds, in columns.

    Returns
    -------
    array, shape (Q, Q)

    Examples
    --------
    >>> leakage([[1, 0], [0, 1]], [[0.75, 0.25], [0.25, 0.75]]).tolist()
    [[-0.25, 0.25], [0.25, -0.25]]
    """
    used, true = _of_one_shape(estimate, matrix)
    return np.asarray(inverted(used) @ true - np.eye(len(true), dtype=true.dtype))


def _of_one_shape(estimate: Any, matrix: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    used, true = stochastic("estimate", estimate), stochastic("matrix", matrix)
    if used.shape != true.shape:
        raise ValueError(
            f"estimate and matrix must have one shape, got {used.shape} and {true.shape}"
        )
    return used, true


def relative_leakage(estimate: ArrayLike, matrix: ArrayLike) -> float:
    r"""$\|\hat C^{-1}C-I\|_F/\|C-I\|_F$: above 1 it is better to ignore the noise.

    Parameters
    ----------
    estimate, matrix : array-like, shape (Q, Q)
        The confusion that is used, and the one that holds, in columns.

    Returns
    -------
    float
        0 for the true matrix, 1 for the identity; infinite where there is no noise at all, or
        where the estimate cannot be inverted.

    Examples
    --------
    >>> relative_leakage([[1, 0], [0, 1]], [[0.75, 0.25], [0.25, 0.75]])
    1.0
    """
    used, true = (array.astype(np.float64) for array in _of_one_shape(estimate, matrix))
    noise = float(np.linalg.norm(true - np.eye(len(true))))
    try:
        leak = float(np.linalg.norm(inverted(used) @ true - np.eye(len(true))))
    except ValueError:
        return math.inf
    if noise == 0:
        return 0.0 if leak == 0 else math.inf
    return leak / noise


def lopsidedness(matrix: ArrayLike) -> float:
    r"""Share of the noise that is not even: 0 where every wrong label is as likely as any other.

    Even noise hardly turns a linear classifier; lopsided noise does, and needs correcting.

    Parameters
    ----------
    matrix : array-like, shape (Q, Q)
        Column-stochastic.

    Returns
    -------
    float
        $\|C-E\|_F/\|C-I\|_F$, with E even and of the same mean diagonal; 0 without noise.

    Examples
    --------
    >>> lopsidedness([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]) < 1e-12
    True
    >>> round(lopsidedness([[0.8, 0.0, 0.2], [0.2, 0.8, 0.0], [0.0, 0.2, 0.8]]), 6)
    0.5
    """
    array = stochastic("matrix", matrix).astype(np.float64)
    classes = len(array)
    noise = float(np.linalg.norm(array - np.eye(classes)))
    if noise == 0 or classes < 2:
        return 0.0
    kept = float(np.trace(array)) / classes
    even = np.full((classes, classes), (1 - kept) / (classes - 1))
    np.fill_diagonal(even, kept)
    return float(np.linalg.norm(array - even)) / noise


def posterior_confusion(matrix: ArrayLike, priors: ArrayLike) -> NDArray[Any]:
    r"""$\tilde C_{ij}=\Pr[t=i\mid Y=j]$ by Bayes' rule: another matrix, which needs the priors.

    Parameters
    ----------
    matrix : array-like, shape (Q, Q)
        Column-stochastic; fractions are kept.
    priors : array-like, shape (Q,)
        Probabilities of the true classes; fractions are kept.

    Returns
    -------
    array, shape (Q, Q)

    Raises
    ------
    ValueError
        If some label has probability 0, the matrix is not column-stochastic, or the priors are no
        probabilities of its classes.

    Examples
    --------
    >>> posterior_confusion([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5]).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    array, prior = stochastic("matrix", matrix), checked_numbers("priors", priors)
    if prior.shape != array.shape[:1]:
        raise ValueError(f"priors must have shape {array.shape[:1]}, got {prior.shape}")
    if not (prior.min() >= 0 and abs(prior.sum() - 1) <= SUM):
        raise ValueError(f"priors must be probabilities that sum to 1, got {prior.tolist()}")
    joint = array * prior
    labels = joint.sum(axis=1)
    if not np.all(labels > 0):
        raise ValueError("priors and matrix must give every label a positive probability")
    return np.asarray((joint / labels[:, None]).T)


def observed_confusion(predicted: ArrayLike, true: ArrayLike, classes: Any) -> NDArray[np.int64]:
    """Counts of (predicted, true), shape (Q, Q), predictions in rows.

    Parameters
    ----------
    predicted, true : array-like, shape (n,)
        Classes.
    classes : int or sequence
        Number of classes, which are then whole numbers from 0; or all of them, in the order that
        rows and columns are to have.

    Returns
    -------
    array of int, shape (Q, Q)

    Examples
    --------
    >>> observed_confusion([0, 1, 1], [0, 0, 1], 2).tolist()
    [[1, 0], [1, 1]]
    >>> observed_confusion(["b", "b"], ["a", "b"], ["b", "a"]).tolist()
    [[1, 1], [0, 0]]
    """
    return _counts(dict(predicted=predicted, true=true), classes)


def _counts(sides: dict[str, ArrayLike], classes: Any) -> NDArray[np.int64]:
    """Pairs of labels, by the names of the arguments that they came as."""
    if np.ndim(classes) == 1:
        for name, labels in sides.items():
            _none_missing(name, labels)
    elif isinstance(classes, bool) or not isinstance(classes, int | np.integer) or classes < 1:
        raise ValueError(f"classes must be a whole number >= 1 or a list of them, got {classes!r}")
    first, second = (_codes(name, labels, classes) for name, labels in sides.items())
    if first.shape != second.shape:
        raise ValueError(
            f"{' and '.join(sides)} must be as long, got {len(first)} and {len(second)}"
        )
    size = classes if isinstance(classes, int | np.integer) else len(classes)
    counts = np.bincount(first * size + second, minlength=size * size)
    return counts.reshape(size, size).astype(np.int64)


def _none_missing(name: str, labels: ArrayLike) -> None:
    """Refuse None, NaN and what else is not equal to itself."""
    for label in np.asarray(labels).ravel().tolist():
        same = label == label
        if label is None or same is not True:
            raise ValueError(f"{name} must hold labels, and none that is missing, got {label!r}")


def _codes(name: str, labels: ArrayLike, classes: Any) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if not isinstance(classes, int | np.integer):
        return _places(name, array, classes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be a list of classes 0 to {classes - 1}, or classes= a list of them all"
        )
    if array.size and not (array.min() >= 0 and array.max() < classes):
        wrong = array[(array < 0) | (array >= classes)][0]
        raise ValueError(f"{name} must be classes 0 to {classes - 1}, got {wrong}")
    return array.astype(np.int64)


def _places(name: str, labels: NDArray[Any], classes: Any) -> NDArray[np.int64]:
    """Where each label stands among the classes."""
    known = np.asarray(classes).tolist()
    place = {label: k for k, label in enumerate(known)}
    if len(place) < len(known):
        raise ValueError(f"classes must be different ones, got {known}")
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a list of classes, got shape {labels.shape}")
    given = labels.tolist()
    wrong = [label for label in given if label not in place]
    if wrong:
        raise ValueError(f"{name} must be of the classes {known}, got {wrong[0]!r}")
    return np.array([place[label] for label in given], dtype=np.int64)


def confusion_rate(
    counts: ArrayLike, *, scaled: bool = True, absent: Literal["warn", "ignore"] = "warn"
) -> float:
    r"""$\|\hat C\|_F/\sqrt Q$ of off-diagonal shares $\hat C_{pq}=\Pr[\text{predicted }p\mid q]$.

    Parameters
    ----------
    counts : array-like, shape (Q, Q)
        Of (predicted, true), counts or masses; a class that is not there counts as without error.
    scaled : bool
        Divide by $\sqrt Q$; Figure 1 plots the norm itself.
    absent : {"warn", "ignore"}
        Whether a warning names the classes that are not there.

    Returns
    -------
    float
        In [0, 1] if scaled, else in $[0,\sqrt Q]$.

    Examples
    --------
    >>> confusion_rate([[0, 5], [7, 0]])
    1.0
    """
    array = checked_floats("counts", counts)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"counts must be a square matrix, got shape {array.shape}")
    if not (np.isfinite(array).all() and array.min() >= 0):
        raise ValueError("counts must be finite and >= 0")
    one_of("absent", absent, ("warn", "ignore"))
    totals = array.sum(axis=0)
    missing = np.flatnonzero(totals == 0).tolist()
    if missing and absent == "warn":
        warnings.warn(
            f"counts hold none of the true class{'es' if len(missing) > 1 else ''} "
            f"{', '.join(map(str, missing))}: the rate counts what is not there as without error",
            UserWarning, stacklevel=2,
        )
    shares = array / np.where(totals > 0, totals, 1.0)
    np.fill_diagonal(shares, 0.0)
    norm = float(np.sqrt(np.sum(shares**2)))
    return norm / math.sqrt(len(array)) if scaled else norm


def estimate_confusion(
    *, noisy: ArrayLike, true: ArrayLike, classes: Any = None
) -> ConfusionEstimate:
    """The confusion matrix of labels whose truth was audited, with its uncertainty.

    Parameters
    ----------
    noisy, true : array-like, shape (n,)
        Labels as they came, and as the audit found them: by name, as either may stand first
        elsewhere.
    classes : int or sequence, optional
        All classes, in the order that the matrix is to have; a number Q for 0 to Q - 1. By default
        all that the audit found, sorted.

    Returns
    -------
    ConfusionEstimate
        It knows its classes: a learner whose `y` has them lines up with it, in whatever order.

    Raises
    ------
    ValueError
        If a class was never audited: its column is unknown. If a label is of no class.

    Notes
    -----
    It warns where there are exactly as many noisy labels of each class, but not true ones, which
    chance would make in less than 1 of 100 audits: then either they were turned round, or examples
    were drawn by their noisy labels, and shares of these are not those of the true class. Nothing
    else tells.

    Examples
    --------
    >>> estimate_confusion(noisy=[0, 0, 1, 1], true=[0, 0, 0, 1]).matrix.round(4).tolist()
    [[0.6667, 0.0], [0.3333, 1.0]]
    >>> guess = estimate_confusion(noisy=["b", "b", "a"], true=["a", "b", "a"], classes=["b", "a"])
    >>> guess.matrix.tolist()
    [[1.0, 0.5], [0.0, 0.5]]
    """
    if not np.size(true):
        raise ValueError("true must hold a label of every class, got none")
    _none_missing("true", true)
    named = np.unique(np.asarray(true)) if classes is None else classes
    try:
        counts = _counts(dict(noisy=noisy, true=true), named)
    except ValueError as error:
        if classes is None and _holds_more(noisy, true):
            raise ValueError(f"{error}: give classes=, unless noisy and true are turned round"
                             ) from None
        raise
    if _as_if_drawn_by(counts.sum(axis=1)) and np.ptp(counts.sum(axis=0)):
        warnings.warn(
            f"noisy holds {counts.sum(axis=1)[0]} labels of each class, and true does not: either "
            "they are turned round, or examples were drawn by their noisy labels, and then this is "
            "no estimate of how true classes are labelled", UserWarning, stacklevel=2,
        )
    if isinstance(named, int | np.integer):
        named = range(int(named))
    return ConfusionEstimate(counts, tuple(np.asarray(named).tolist()))


def _holds_more(noisy: ArrayLike, true: ArrayLike) -> bool:
    """Whether noisy labels are of all true classes and of others, too."""
    return set(np.asarray(noisy).ravel().tolist()) > set(np.asarray(true).ravel().tolist())


def _as_if_drawn_by(totals: NDArray[np.int64]) -> bool:
    """Whether so many of each class are too even to be chance, of even classes at the most."""
    size, classes = int(totals.sum()), len(totals)
    chance = (math.lgamma(size + 1) - sum(math.lgamma(k + 1) for k in totals.tolist())
              - size * math.log(classes))
    return bool(np.ptp(totals) == 0) and chance < math.log(0.01)


@dataclass(frozen=True, eq=False)
class ConfusionEstimate:
    """Audited counts of (noisy label, true class), and what they say of the confusion.

    Parameters
    ----------
    counts : array-like of int or table, shape (Q, Q)
        Noisy labels in rows, true classes in columns; `pandas.crosstab(noisy, true)` is one.
    classes : sequence, optional
        Their names, in this order; those of a table's columns if it has some. Without, a learner
        takes them as they come.

    Raises
    ------
    ValueError
        If the counts are no counts, a class was never audited, or names are not as many or twice
        the same.

    Examples
    --------
    >>> estimate = ConfusionEstimate([[90, 20], [10, 80]])
    >>> estimate.matrix.tolist()
    [[0.9, 0.2], [0.1, 0.8]]
    """

    counts: Any
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.classes is None and (named := _names(self.counts)) is not None:
            object.__setattr__(self, "classes", named[2])
        counts = checked_floats("counts", _by_name(self.counts, self.classes, "counts"))
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
            raise ValueError(f"counts must be a square matrix, got shape {counts.shape}")
        if not np.isfinite(counts).all() or np.any(counts < 0) or np.any(counts % 1):
            wrong = counts[~((counts >= 0) & (counts % 1 == 0))][0]
            raise ValueError(f"counts must be whole numbers >= 0, got {wrong:g}")
        if self.classes is not None:
            named = tuple(np.asarray(self.classes).tolist())
            if len(named) != len(counts) or len(set(named)) < len(named):
                raise ValueError(
                    f"classes must be {len(counts)} different ones, as counts has, got {named}"
                )
            object.__setattr__(self, "classes", named)
        empty = np.flatnonzero(counts.sum(axis=0) == 0)
        if empty.size:
            name = empty[0] if self.classes is None else self.classes[empty[0]]
            raise ValueError(
                f"counts must hold every class: none of true class {name} was audited, so its "
                "column is unknown"
            )
        object.__setattr__(self, "counts", counts.astype(np.int64))

    @property
    def audited(self) -> NDArray[np.int64]:
        """Number of audited examples of each true class, shape (Q,)."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def matrix(self) -> Floats:
        """Column-stochastic shares, shape (Q, Q)."""
        return np.asarray(self.counts / self.audited, dtype=np.float64)

    @property
    def standard_errors(self) -> Floats:
        """Standard error of each entry, shape (Q, Q)."""
        share = self.matrix
        return np.asarray(np.sqrt(share * (1 - share) / self.audited))

    def limits(self, delta: float = 0.05) -> tuple[Floats, Floats]:
        """Clopper-Pearson limits of each entry; any one of them misses with probability `delta`.

        Parameters
        ----------
        delta : float
            In (0, 1).

        Returns
        -------
        low, high : array, shape (Q, Q)
        """
        from scipy.stats import beta

        LEVEL.check("delta", delta)
        hit, of = self.counts, np.broadcast_to(self.audited, self.counts.shape)
        low = np.where(hit > 0, beta.ppf(delta / 2, np.maximum(hit, 1), of - hit + 1), 0.0)
        high = np.where(hit < of, beta.ppf(1 - delta / 2, hit + 1, np.maximum(of - hit, 1)), 1.0)
        return low, high

    def resampled(self, size: int, *, rng: np.random.Generator) -> Floats:
        """Estimates as other audits of the same sizes would give them: a parametric bootstrap.

        Parameters
        ----------
        size : int
            Number of audits.
        rng : Generator

        Returns
        -------
        array, shape (size, Q, Q)
        """
        COUNT.check("size", size)
        check_generator(rng)
        drawn = [
            rng.multinomial(n, share / share.sum(), size=size)
            for n, share in zip(self.audited.tolist(), self.matrix.T, strict=True)
        ]
        return np.asarray(np.stack(drawn, axis=2) / self.audited)

    def relative_leakage(
        self, size: int = 200, *, rng: np.random.Generator | int | None = None
    ) -> float:
        """Median over a bootstrap of `noisytheory.vocabulary.confusion.relative_leakage`.

        Parameters
        ----------
        size : int
            Number of bootstrap audits.
        rng : Generator or int, optional
            By default other audits are drawn at every call.

        Returns
        -------
        float
            Above 1 the estimate does more harm than ignoring the noise.

        Examples
        --------
        >>> few = ConfusionEstimate([[8, 3], [2, 7]])
        >>> many = ConfusionEstimate(np.array([[8, 3], [2, 7]]) * 100)
        >>> rng = np.random.default_rng(1)
        >>> few.relative_leakage(rng=rng) > 5 * many.relative_leakage(rng=rng)
        True
        """
        true = self.matrix
        drawn = self.resampled(size, rng=np.random.default_rng(rng))
        return float(np.median([relative_leakage(estimate, true) for estimate in drawn]))
