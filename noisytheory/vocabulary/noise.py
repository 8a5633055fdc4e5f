r"""Noise on labels and samples, as objects: applied to label arrays with an ``rng``, and to
`nt.populations.Finite` populations exactly.

Binary labels are $\pm1$, several classes are $0,\dots,Q-1$.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_floats

if TYPE_CHECKING:
    from noisytheory.vocabulary.populations import Finite, Population

__all__ = [
    "ClassConditionalFlip",
    "Confusion",
    "Contamination",
    "InstanceFlip",
    "SymmetricFlip",
    "checked_number",
    "checked_rate",
    "flip_rates",
]

Number: TypeAlias = Fraction | float
Labels: TypeAlias = NDArray[np.int64]


def checked_number(name: str, value: Any) -> Number:
    """A fraction from an integer or a fraction, a float from any other finite number.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : number
        What came.

    Returns
    -------
    Fraction or float

    Raises
    ------
    ValueError
        If it is no real number, NaN, infinite, or beyond the range of floats.

    Examples
    --------
    >>> checked_number("p", 2)
    Fraction(2, 1)
    """
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, bool | np.bool_ | str | bytes | np.complexfloating):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    try:
        if isinstance(value, int | np.integer | Fraction):
            float(value)
            return value if isinstance(value, Fraction) else Fraction(int(value))
        number = float(value)
    except OverflowError as error:
        raise ValueError(f"{name} must be a finite number, got one beyond floats") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a finite number, got {value!r}") from error
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def checked_rate(name: str, value: Any, *, below: Number | None = None) -> Number:
    """A probability, as `checked_number` returns it.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : number
        What came.
    below : number, optional
        What it must stay below; otherwise 1 is allowed.

    Returns
    -------
    Fraction or float

    Raises
    ------
    ValueError
        Naming the argument, what is allowed and what came.

    Examples
    --------
    >>> checked_rate("sigma", 0.6, below=0.5)
    Traceback (most recent call last):
    ...
    ValueError: sigma must be a number in [0, 0.5), got 0.6
    """
    allowed = "[0, 1]" if below is None else f"[0, {float(below):g})"
    try:
        rate = checked_number(name, value)
    except ValueError:
        raise ValueError(f"{name} must be a number in {allowed}, got {value!r}") from None
    if rate < 0 or (rate > 1 if below is None else rate >= below):
        raise ValueError(f"{name} must be a number in {allowed}, got {value}")
    return rate


def flip_rates(sigma: Any, *, any_rate: bool = False) -> tuple[Number, Number]:
    r"""Flip probabilities $(\sigma_-,\sigma_+)$ of negative and positive labels.

    Parameters
    ----------
    sigma : number or pair of numbers
        One rate for both, in [0, 1/2), or a pair with sum below 1.
    any_rate : bool
        Allow every rate in [0, 1].

    Returns
    -------
    sigma_minus, sigma_plus : Fraction or float

    Raises
    ------
    ValueError
        If a rate is out of its range.

    Examples
    --------
    >>> flip_rates(0.25)
    (0.25, 0.25)
    """
    if np.ndim(sigma) == 0:
        rate = checked_rate("sigma", sigma, below=None if any_rate else Fraction(1, 2))
        return rate, rate
    if len(sigma) != 2:
        raise ValueError(f"sigma must be one rate or a pair of rates, got {len(sigma)} of them")
    minus, plus = checked_rate("sigma_minus", sigma[0]), checked_rate("sigma_plus", sigma[1])
    if not any_rate and minus + plus >= 1:
        raise ValueError(f"sigma_minus + sigma_plus must be below 1, got {minus} + {plus}")
    return minus, plus


@dataclass(frozen=True)
class SymmetricFlip:
    r"""Every label is flipped with one probability $\sigma$, independently.

    Parameters
    ----------
    sigma : Fraction or float
        Probability of a flip, in [0, 1/2).

    Raises
    ------
    ValueError
        If ``sigma`` is out of its range.

    Examples
    --------
    >>> noisy = SymmetricFlip(0.25).apply([1] * 10_000, rng=np.random.default_rng(1))
    >>> abs(int((noisy == -1).sum()) - 2500) < 5 * (10_000 * 0.25 * 0.75) ** 0.5
    True
    """

    sigma: Number

    def __post_init__(self) -> None:
        checked_rate("sigma", self.sigma, below=Fraction(1, 2))

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"label noise {self.sigma}"

    def apply(self, labels: ArrayLike, *, rng: np.random.Generator) -> Labels:
        """Noisy copy of an array of labels, of any shape."""
        return _flipped(labels, float(self.sigma), rng)

    def population(self, population: Finite) -> Finite:
        r"""The population $P_\sigma$, exactly."""
        return population.with_label_noise(self.sigma)


@dataclass(frozen=True)
class ClassConditionalFlip:
    r"""Labels are flipped with a probability that depends on the label.

    Parameters
    ----------
    sigma_minus, sigma_plus : Fraction or float
        Probability that a label $-1$, or $+1$, is flipped; in [0, 1), with sum below 1.

    Raises
    ------
    ValueError
        If a rate is out of its range.

    Examples
    --------
    >>> ClassConditionalFlip(0, 0.5).apply([-1, -1, -1], rng=np.random.default_rng(1)).tolist()
    [-1, -1, -1]
    """

    sigma_minus: Number
    sigma_plus: Number

    def __post_init__(self) -> None:
        for name in ("sigma_minus", "sigma_plus"):
            checked_rate(name, getattr(self, name))
        flip_rates((self.sigma_minus, self.sigma_plus))

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"label noise ({self.sigma_minus}, {self.sigma_plus})"

    def apply(self, labels: ArrayLike, *, rng: np.random.Generator) -> Labels:
        """Noisy copy of an array of labels, of any shape."""
        clean = _checked_labels(labels)
        rates = np.where(clean == 1, float(self.sigma_plus), float(self.sigma_minus))
        return _flipped(clean, rates, rng)

    def population(self, population: Finite) -> Finite:
        """The population under this noise, exactly."""
        return population.with_label_noise((self.sigma_minus, self.sigma_plus))


@dataclass(frozen=True)
class InstanceFlip:
    r"""The label of example (or atom) $i$ is flipped with probability ``rates[i]``.

    Parameters
    ----------
    rates : sequence of Fraction or float
        Probabilities, in [0, 1/2).

    Raises
    ------
    ValueError
        If a rate is out of its range.

    Examples
    --------
    >>> InstanceFlip([0, 0]).apply([1, -1], rng=np.random.default_rng(1)).tolist()
    [1, -1]
    """

    rates: Sequence[Number]

    def __post_init__(self) -> None:
        rates = tuple(
            checked_rate("rates", rate, below=Fraction(1, 2))
            for rate in np.asarray(self.rates).ravel().tolist()
        )
        object.__setattr__(self, "rates", rates)

    @property
    def name(self) -> str:
        """For labels and legends."""
        largest = float(max(self.rates, default=0))
        return f"instance noise on {len(self.rates)}, at most {largest:g}"

    def apply(self, labels: ArrayLike, *, rng: np.random.Generator) -> Labels:
        """Noisy copy of an array of labels whose last axis is as long as ``rates``."""
        clean = _checked_labels(labels)
        if clean.shape[-1:] != (len(self.rates),):
            raise ValueError(
                f"labels must have a last axis of length {len(self.rates)}, got {clean.shape}"
            )
        return _flipped(clean, np.array(self.rates, dtype=np.float64), rng)

    def population(self, population: Finite) -> Finite:
        """The population under this noise, exactly; one rate an atom."""
        return population.with_flip_rates(self.rates)


@dataclass(frozen=True)
class Contamination:
    r"""A share $\sigma$ of the examples is replaced by draws from another population.

    Parameters
    ----------
    other : Population
        Where the replacements come from, $Q$.
    sigma : Fraction or float
        Share of replaced examples, in [0, 1].

    Raises
    ------
    ValueError
        If ``sigma`` is out of its range, or ``other`` no population.
    """

    other: Population
    sigma: Number

    def __post_init__(self) -> None:
        checked_rate("sigma", self.sigma)
        if not (hasattr(self.other, "sample") and hasattr(self.other, "name")):
            raise ValueError(f"other must be a population, got {self.other!r}")

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"{self.sigma} of ({self.other.name})"

    def apply(
        self, points: ArrayLike, labels: ArrayLike, *, rng: np.random.Generator
    ) -> tuple[NDArray[Any], Labels]:
        """Contaminated copies of points, shape (n, d), and labels, shape (n,).

        Each example is replaced independently, so that examples of $P$ become examples of
        $(1-\\sigma)P+\\sigma Q$.
        """
        clean, instances = _checked_labels(labels), checked_floats("points", points).copy()
        if instances.ndim != 2 or clean.shape != (len(instances),):
            raise ValueError(
                "points and labels must have shapes (n, d) and (n,), "
                f"got {instances.shape} and {clean.shape}"
            )
        replaced = np.flatnonzero(rng.random(len(clean)) < float(self.sigma))
        if len(replaced):
            instances[replaced], clean[replaced] = self.other.sample(len(replaced), rng=rng)
        return instances, clean

    def population(self, population: Finite) -> Finite:
        r"""The mixture $(1-\sigma)P+\sigma Q$, exactly."""
        return population.contaminated(self.other, self.sigma)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Confusion:
    r"""Class noise by a confusion matrix, $C_{ty}=\Pr[\text{noisy}=y\mid\text{true}=t]$.

    Rows are true classes and sum to 1; for a matrix with true classes in columns use
    `from_columns`.

    Parameters
    ----------
    matrix : array-like, shape (Q, Q)
        Row-stochastic; fractions are kept.

    Raises
    ------
    ValueError
        If the matrix is not square, has an entry outside [0, 1], or a row that does not sum to 1.

    Examples
    --------
    >>> Confusion.uniform(3, Fraction(3, 10)).array[0].round(12).tolist()
    [0.7, 0.15, 0.15]
    """

    matrix: Any

    def __post_init__(self) -> None:
        array = np.asarray(self.matrix)
        if array.ndim != 2 or array.shape[0] != array.shape[1] or not len(array):
            raise ValueError(f"matrix must be square, got shape {array.shape}")
        rows = tuple(map(tuple, array.tolist()))
        if array.dtype != np.float64 or not ((array >= 0) & (array <= 1)).all():
            rows = tuple(tuple(checked_rate("matrix", entry) for entry in row) for row in rows)
        for number, row in enumerate(rows):
            if abs(float(sum(row)) - 1) > 1e-9:
                raise ValueError(
                    f"matrix must have rows that sum to 1, row {number} sums to {float(sum(row)):g}"
                )
        object.__setattr__(self, "matrix", rows)

    @classmethod
    def from_columns(cls, matrix: ArrayLike) -> Confusion:
        """From a column-stochastic matrix, true classes in columns."""
        return cls(np.asarray(matrix).T)

    @classmethod
    def uniform(cls, classes: int, rate: Number) -> Confusion:
        """Each label is replaced with probability ``rate`` by one of the others, all as likely."""
        if isinstance(classes, bool) or not isinstance(classes, int) or classes < 2:
            raise ValueError(f"classes must be a whole number >= 2, got {classes!r}")
        each = checked_rate("rate", rate)
        off = each / (classes - 1)
        return cls([[1 - each if t == y else off for y in range(classes)] for t in range(classes)])

    @property
    def name(self) -> str:
        """For labels and legends."""
        kept = min(float(self.matrix[t][t]) for t in range(self.classes))
        return f"confusion of {self.classes} classes, at least {kept:g} kept"

    @property
    def classes(self) -> int:
        """Number of classes, ``Q``."""
        return len(self.matrix)

    @property
    def array(self) -> NDArray[np.float64]:
        """The matrix as floats, shape (Q, Q), true classes in rows."""
        return np.array(self.matrix, dtype=np.float64)

    def inverse(self) -> NDArray[np.float64]:
        """Inverse of the matrix, shape (Q, Q).

        Raises
        ------
        ValueError
            If the matrix is singular to working precision: the noise cannot be undone.
        """
        if np.linalg.cond(self.array) > 1 / np.finfo(float).eps:
            raise ValueError("matrix must be invertible to undo the noise")
        inverse: NDArray[np.float64] = np.linalg.inv(self.array).astype(np.float64)
        return inverse

    def apply(self, labels: ArrayLike, *, rng: np.random.Generator) -> Labels:
        """Noisy copy of an array of classes $0,\\dots,Q-1$, of any shape."""
        clean = np.asarray(labels)
        if clean.dtype.kind not in "iu" or (clean.size and not (
            clean.min() >= 0 and clean.max() < self.classes
        )):
            raise ValueError(f"labels must be classes 0 to {self.classes - 1}")
        cumulative = np.cumsum(self.array, axis=1)[:, :-1]
        uniform = rng.random(clean.shape)
        noisy = np.zeros(clean.shape, dtype=np.int64)
        for y in range(self.classes - 1):
            noisy += uniform >= cumulative[clean, y]
        return noisy

    def population(self, population: Finite) -> Finite:
        """A population under this noise, exactly; of labels -1 and 1, row 0 is that of -1."""
        if population.classes is not None:
            return population.with_confusion(np.array(self.matrix).T)
        if self.classes != 2:
            raise ValueError(f"matrix must have 2 classes for labels -1, 1, got {self.classes}")
        return population.with_label_noise((self.matrix[0][1], self.matrix[1][0]), any_rate=True)


def _checked_labels(labels: ArrayLike) -> Labels:
    array = np.asarray(labels)
    if array.dtype.kind == "c":
        raise ValueError(f"labels must be -1 or 1, got {array.dtype}")
    if not np.isin(array, (-1, 1)).all():
        wrong = array[~np.isin(array, (-1, 1))].ravel()[0]
        raise ValueError(f"labels must be -1 or 1, got {wrong}")
    return array.astype(np.int64)


def _flipped(
    labels: ArrayLike, rates: float | NDArray[np.float64], rng: np.random.Generator
) -> Labels:
    clean = _checked_labels(labels)
    return np.where(rng.random(clean.shape) < rates, -clean, clean)
