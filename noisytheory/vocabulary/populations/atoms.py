r"""What a finite population is made of: recipes, instances with their Gram matrix, signed atoms.

A `Recipe` says how a `Table` of atoms is made and pickles without what it has made. Tables over the
same instances share one `Space`, and with it one Gram matrix and one factor: label noise or new
weights cost no kernel evaluation. A `Form` is the quadratic form that counts of atoms go through.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from noisytheory.vocabulary.confusion import columns
from noisytheory.vocabulary.domains import checked_floats, checked_reals
from noisytheory.vocabulary.joint_masses import LABELS, confused, flipped, labelled
from noisytheory.vocabulary.kernels import Kernel, Linear, Polynomial, checked_points
from noisytheory.vocabulary.noise import Number
from noisytheory.vocabulary.populations.multinomial import Multinomial

Array: TypeAlias = NDArray[np.float64]
Objects: TypeAlias = NDArray[np.object_]
Exact: TypeAlias = ArrayLike | Sequence[Any]
"""Numbers that may be fractions."""

Load: TypeAlias = Callable[[], tuple[Any, Any]]
A = TypeVar("A", bound=NDArray[Any])

# Categories of which a sampler keeps its tables, 128 KiB where all are equally likely.
MANY = 50
# Counts of one chunk of replicates: 8 MiB of doubles, whatever the number of replicates.
CHUNK_CELLS = 1 << 20


def chunks(size: int, cells: int, *, least: int = 256) -> list[slice]:
    """Slices of replicates that hold some `CHUNK_CELLS` numbers, ``cells`` a replicate.

    They hold ``least`` replicates whatever that takes: matrix products need some columns.
    """
    step = max(least, CHUNK_CELLS // cells)
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def kept_samplers(weights: Array) -> Callable[[int], Multinomial]:
    """Samplers by the size of a sample; of many categories they are kept, and their tables."""
    many = len(weights) >= MANY

    def sampler(n: int) -> Multinomial:
        return Multinomial(n, weights, kept=many)

    return lru_cache(maxsize=16)(sampler) if many else sampler


def checked_whole(name: str, value: int, *, least: int = 1, most: int | None = None) -> None:
    """Raise ``ValueError`` unless ``value`` is a whole number in range, naming the argument."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f">= {least}" if most is None else f"in [{least}, {most}]"
        raise ValueError(f"{name} must be a whole number {allowed}, got {value!r}")
    if value >= 2**63:
        raise ValueError(f"{name} must be a whole number of 64 bits, got a larger one")


def objects(values: Sequence[Any]) -> Objects:
    """One-dimensional array of Python objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def frozen(array: A) -> A:
    """The same array, no longer writeable."""
    array.setflags(write=False)
    return array


def exact_numbers(array: NDArray[Any], *, counted: bool = False) -> Objects | None:
    """The entries as integers and fractions, or ``None`` if one is a float.

    ``counted`` numbers are exact whatever their type: floats among them are halves at most.
    """
    if array.dtype.kind in "iub" or counted:
        if array.dtype.kind == "f":
            return objects([Fraction(v) for v in array.ravel()]).reshape(array.shape)
        return array.astype(object)
    if array.dtype != object:
        return None
    exact = (int, np.integer, Fraction)
    return array.copy() if all(isinstance(v, exact) for v in array.ravel()) else None


def given_points(points: Exact) -> NDArray[Any]:
    """Checked copy of instances; integers and fractions stay what they are."""
    array = checked_reals("points", points)
    checked = checked_points(array, "points")
    if not len(checked):
        raise ValueError("points must hold at least one instance, got none")
    if array.dtype.kind in "iu":
        return frozen(array.astype(np.int64))
    exact = exact_numbers(array)
    return frozen(checked.copy() if exact is None else exact)


def given_gram(gram: Exact) -> NDArray[Any]:
    """Checked copy of a Gram matrix: objects where it is rational, floats elsewhere."""
    array = checked_reals("gram", gram)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not len(array):
        raise ValueError(f"gram must be a square matrix, got shape {array.shape}")
    exact = exact_numbers(array) if array.dtype.kind in "iuO" else None
    if exact is not None:
        if not np.array_equal(exact, exact.T):
            raise ValueError("gram must be symmetric")
        return frozen(exact)
    floats = checked_points(array, "gram").astype(np.float64)
    if float(np.abs(floats - floats.T).max()) > 1e-12 * float(np.abs(floats).max()):
        raise ValueError("gram must be symmetric")
    return frozen((floats + floats.T) / 2)


def given_labels(labels: Exact, length: int, classes: int | None = None) -> NDArray[np.int64]:
    """Checked copy of binary labels, or of so many classes from 0."""
    array = np.asarray(labels)
    if array.shape != (length,):
        raise ValueError(f"labels must have shape ({length},), got {array.shape}")
    allowed = "-1 or 1" if classes is None else f"classes 0 to {classes - 1}"
    if array.dtype.kind == "c":
        raise ValueError(f"labels must be {allowed}, got {array.dtype}")
    right = np.isin(array, names_of(classes))
    if not right.all():
        raise ValueError(f"labels must be {allowed}, got {array[~right].tolist()[0]!r}")
    return frozen(array.astype(np.int64))


def names_of(classes: int | None) -> NDArray[np.int64]:
    """Labels in the order of the columns of joint masses."""
    return LABELS if classes is None else np.arange(classes)


def given_confusion(confusion: Exact) -> NDArray[Any]:
    """Checked copy of probabilities of labels, true ones in columns: exact numbers, or floats."""
    checked = columns(confusion, "column")
    exact = exact_numbers(np.asarray(confusion))
    return frozen(checked if exact is None else exact)


def given_weights(weights: Exact | None, length: int) -> NDArray[Any]:
    """Checked copy of probabilities, uniform if missing: fractions, or floats."""
    if weights is None:
        return frozen(objects([Fraction(1, length)] * length))
    array = checked_reals("weights", weights)
    if array.shape != (length,):
        raise ValueError(f"weights must have shape ({length},), got {array.shape}")
    exact = exact_numbers(array) if array.dtype.kind in "iuO" else None
    if exact is not None:
        exact = objects([Fraction(weight) for weight in exact])
    checked = checked_floats("weights", array) if exact is None else exact
    if exact is None and not np.isfinite(checked).all():
        raise ValueError("weights must be finite, got NaN or infinity")
    if (checked < 0).any():
        raise ValueError(f"weights must be >= 0, got {min(checked)}")
    total = checked.sum()
    if abs(total - 1) > (1e-9 if exact is None else 0):
        raise ValueError(f"weights must sum to 1, got {total}")
    return frozen(checked if exact is not None else checked / total)


def union(
    first: Table, second: Table
) -> tuple[Space, NDArray[np.int64], NDArray[np.int64]]:
    """A space that holds the instances of both, and where it holds them."""
    left, right = first.space, second.space
    if left is right:
        same = np.arange(left.instances)
        return left, same, same
    if left.points is None or right.points is None:
        if left.points is None and right.points is None and np.array_equal(left.gram, right.gram):
            same = np.arange(left.instances)
            return left, same, same
        raise ValueError("the populations' features cannot be compared: their Gram matrices differ")
    if left.kernel != right.kernel or left.points.shape[1] != right.points.shape[1]:
        raise ValueError("the populations must have the same kernel and dimension")
    points = _joined(left.points, right.points)
    distinct, index = _distinct(points)
    return Space(left.kernel, distinct), index[: len(left.points)], index[len(left.points) :]


@dataclass(frozen=True, eq=False)
class Recipe(ABC):
    """How a table of atoms is made; pickles without what it has made."""

    @cached_property
    def table(self) -> Table:
        """The atoms; made once."""
        return self._build()

    @abstractmethod
    def _build(self) -> Table: ...

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                frozen(value)
        self.__dict__.update(state)


@dataclass(frozen=True, eq=False)
class Given(Recipe):
    """Points and labels as given."""

    points: NDArray[Any]
    labels: NDArray[np.int64]
    weights: NDArray[Any]
    kernel: Kernel
    classes: int | None = None

    def _build(self) -> Table:
        distinct, index = _distinct(self.points)
        space = Space(self.kernel, distinct)
        return Table(space, index, self.labels, self.weights, self.classes)


@dataclass(frozen=True, eq=False)
class Loaded(Recipe):
    """Points and labels from a function, called on first use."""

    load: Load
    weights: NDArray[Any] | None
    kernel: Kernel

    def _build(self) -> Table:
        points, labels = self.load()
        array = given_points(points)
        weights = given_weights(self.weights, len(array))
        return Given(array, given_labels(labels, len(array)), weights, self.kernel).table


@dataclass(frozen=True, eq=False)
class GivenGram(Recipe):
    """The Gram matrix of the signed atoms as given."""

    gram: NDArray[Any]
    labels: NDArray[np.int64]
    weights: NDArray[Any]

    def _build(self) -> Table:
        unsigned = self.gram * np.outer(self.labels, self.labels)
        # On the matrix as given: one that is not positive semi-definite never gets further.
        Space(None, None, given=unsigned.astype(np.float64)).check()
        diagonal = np.diagonal(unsigned)
        squares = diagonal[:, None] + diagonal - 2 * unsigned
        slack = 0 if squares.dtype == object else 8 * np.finfo(float).eps * diagonal.max()
        first = np.argmax((squares <= slack).astype(bool), axis=1)
        kept, index = np.unique(first, return_inverse=True)
        unsigned = unsigned[np.ix_(kept, kept)]
        if unsigned.dtype == object:
            space = Space(None, None, exact=ExactGram.of(unsigned))
        else:
            space = Space(None, None, given=unsigned)
        return Table(space, index.astype(np.int64), self.labels, self.weights)


@dataclass(frozen=True, eq=False)
class Confused(Recipe):
    """Labels replaced at random, with true labels in columns."""

    parent: Recipe
    confusion: NDArray[Any]

    def _build(self) -> Table:
        parent = self.parent.table
        given, classes = len(self.confusion), parent.joint.shape[1]
        if given != classes:
            raise ValueError(f"confusion must be of {classes} labels, got {given}")
        return parent.relabelled(confused(parent.joint, self.confusion))


@dataclass(frozen=True, eq=False)
class FlippedEach(Recipe):
    """Labels flipped with a rate an atom."""

    parent: Recipe
    rates: Objects

    def _build(self) -> Table:
        parent = self.parent.table
        return parent.relabelled(flipped(parent.joint, self.rates[:, None]))


@dataclass(frozen=True, eq=False)
class Negated(Recipe):
    """Every label negated."""

    parent: Recipe

    def _build(self) -> Table:
        parent = self.parent.table
        return Table(parent.space, parent.index, frozen(-parent.signs), parent.weights)


@dataclass(frozen=True, eq=False)
class Reweighted(Recipe):
    """The same atoms with other probabilities."""

    parent: Recipe
    weights: NDArray[Any]

    def _build(self) -> Table:
        parent = self.parent.table
        return replace(parent, weights=self.weights)


@dataclass(frozen=True, eq=False)
class Mixed(Recipe):
    """A share of another population mixed in."""

    parent: Recipe
    other: Recipe
    share: Number

    def _build(self) -> Table:
        first, second = self.parent.table, self.other.table
        space, left, right = union(first, second)
        if first.classes != second.classes:
            raise ValueError("the populations must have the same labels")
        return Table(
            space,
            np.concatenate([left[first.index], right[second.index]]),
            frozen(np.concatenate([first.labels, second.labels])),
            frozen(in_floats_where_one_is(np.concatenate([
                (1 - self.share) * first.weights, self.share * second.weights
            ]))),
            first.classes,
        )


@dataclass(frozen=True)
class ExactGram:
    """A rational matrix as whole numerators over one denominator."""

    numerators: NDArray[Any]
    denominator: int

    @classmethod
    def of(cls, matrix: Objects) -> ExactGram:
        """From a matrix of integers and fractions."""
        numerators, denominator = _over_one_denominator(matrix)
        return cls(_compact(numerators), denominator)

    def times(self, vector: Objects) -> Objects:
        """The product with a vector of fractions, exactly."""
        whole, denominator = _over_one_denominator(vector)
        largest = int(np.abs(self.numerators).max()) * sum(abs(int(entry)) for entry in whole)
        if self.numerators.dtype == object or largest >= 2**62:
            product = self.numerators.astype(object) @ whole
        else:
            product = self.numerators @ whole.astype(np.int64)
        return objects([Fraction(int(p), denominator * self.denominator) for p in product])


class Space:
    """Distinct instances with their Gram matrix; shared by all populations over them."""

    def __init__(
        self,
        kernel: Kernel | None,
        points: NDArray[Any] | None,
        *,
        given: Array | None = None,
        exact: ExactGram | None = None,
    ) -> None:
        self.kernel, self.points = kernel, points
        self._given, self._exact = given, exact

    @property
    def instances(self) -> int:
        """How many."""
        return len(self.gram) if self.points is None else len(self.points)

    def check(self) -> None:
        """Raise ``ValueError`` unless a given Gram matrix is positive semi-definite."""
        diagonal, factor = np.diagonal(self.gram), self.factor
        lower = np.diag(factor.lower) if factor.orthogonal else factor.lower
        rest = self.gram[np.ix_(factor.pivots, factor.pivots)] - lower @ lower.T
        if np.abs(rest).max() > 1e-9 * np.abs(diagonal).max():
            raise ValueError("gram must be positive semi-definite")

    @cached_property
    def exact(self) -> ExactGram | None:
        """The Gram matrix in fractions, or ``None`` where it is not rational."""
        if self.kernel is None or self.points is None:
            return self._exact
        return _exact_gram(self.points, self.kernel)

    @cached_property
    def gram(self) -> Array:
        """The Gram matrix, unsigned, shape (instances, instances)."""
        if self._given is not None:
            return frozen(self._given)
        if self.exact is not None:
            return frozen(self.exact.numerators.astype(np.float64) / self.exact.denominator)
        assert self.kernel is not None and self.points is not None
        gram = self.kernel(self.points.astype(np.float64))
        # A product's two halves may differ in the last bit.
        return frozen((gram + gram.T) / 2)

    @cached_property
    def factor(self) -> Factor:
        """Pivoted Cholesky factor of the Gram matrix."""
        return Factor.of(self.gram)


@dataclass(frozen=True)
class Table:
    """Atoms: on which instance, with which label, how likely."""

    space: Space
    index: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[Any]
    classes: int | None = None

    @property
    def signs(self) -> NDArray[np.int64]:
        """Labels that are 1 and -1: what only these have asks for them here."""
        if self.classes is not None:
            raise ValueError(f"labels must be -1 and 1 for this, got {self.classes} classes")
        return self.labels

    @cached_property
    def masses(self) -> NDArray[Any]:
        """Probability of each instance."""
        return self._collect(self.weights)

    @cached_property
    def signed_weights(self) -> NDArray[Any]:
        """Weight of each instance's feature in the mean: positive minus negative probability."""
        return self._collect(self.weights * self.signs)

    def _collect(self, values: NDArray[Any]) -> NDArray[Any]:
        length = self.space.instances
        if values.dtype != object:
            return np.bincount(self.index, weights=values, minlength=length)
        total = objects([Fraction(0)] * length)
        for i, value in zip(self.index.tolist(), values, strict=True):
            total[i] += value
        return total

    @cached_property
    def joint(self) -> NDArray[Any]:
        """Masses of atoms and labels, see `joint_masses`."""
        return frozen(np.asarray(labelled(self.weights, self.labels, self.classes)))

    def relabelled(self, joint: NDArray[Any]) -> Table:
        """Atoms with other masses: with their own labels, then others; those without left out."""
        names = names_of(self.classes)
        own = np.argmax(self.labels[:, None] == names, axis=1)
        columns = (own + np.arange(len(names))[:, None]) % len(names)
        weights = in_floats_where_one_is(joint[np.arange(len(own)), columns].ravel())
        present = np.flatnonzero(weights != 0)
        return Table(
            self.space,
            np.tile(self.index, len(names))[present],
            frozen(names[columns].ravel()[present]),
            frozen(weights[present]),
            self.classes,
        )

    def cells(self) -> Cells:
        """Distinct signed atoms of positive weight."""
        weights = self.weights.astype(np.float64)
        key, inverse = np.unique(2 * self.index + (self.signs < 0), return_inverse=True)
        total: Array = np.bincount(inverse, weights=weights).astype(np.float64)
        key, total = key[total > 0], total[total > 0]
        signs: Array = np.where(key % 2, -1.0, 1.0)
        return Cells(key // 2, signs, total / total.sum())


@dataclass(frozen=True)
class Cells:
    """Distinct signed atoms: instance, label and probability of each."""

    index: NDArray[np.int64]
    labels: Array
    weights: Array


@dataclass(frozen=True)
class Factor:
    r"""Pivoted Cholesky factor, $K_{\pi\pi}\approx LL^\top$, ``lower`` a trapezoid of full rank.

    Stops where no diagonal entry of the rest exceeds 16 units in the last place of the largest, so
    that a squared norm loses at most that times its squared coefficients' number.
    """

    pivots: NDArray[np.intp]
    lower: Array
    orthogonal: bool

    @classmethod
    def of(cls, gram: Array) -> Factor:
        """Factor a positive semi-definite matrix; a diagonal one is its own."""
        diagonal = np.diagonal(gram)
        if np.count_nonzero(gram) == np.count_nonzero(diagonal):
            return cls(np.arange(len(gram)), np.sqrt(np.maximum(diagonal, 0.0)), True)
        tolerance = 16 * np.finfo(float).eps * float(diagonal.max())
        lower, pivots, rank, _ = linalg.lapack.dpstrf(gram, tol=tolerance, lower=1)
        pivots = pivots.astype(np.intp) - 1
        return cls(pivots, np.tril(lower)[:, :rank], False)


class Form:
    r"""The quadratic form $(N/n-p)^\top G\,(N/n-p)$ over cells, ready for many counts.

    Cells are ordered by the pivots of the factor: first one cell of every instance, then the
    second cell of those that occur with both labels.
    """

    def __init__(self, space: Space, cells: Cells) -> None:
        used = np.unique(cells.index)
        self._length = space.instances
        whole = len(used) == self._length
        factor = space.factor if whole else Factor.of(space.gram[np.ix_(used, used)])
        place = np.empty(len(used), dtype=np.intp)
        place[factor.pivots] = np.arange(len(used))
        row = place[np.searchsorted(used, cells.index)]
        order = np.argsort(row, kind="stable")
        ordered = row[order]
        repeated = np.concatenate([[False], ordered[1:] == ordered[:-1]])
        first, second = order[~repeated], order[repeated]
        signs = cells.labels[first]
        self._used, self._place, self._raw = used, place, factor
        # The label of an instance's first cell goes into its row of the factor.
        signed = (factor.lower.T * signs).T
        rank = signed.shape[-1]
        self._top, self._rest = np.asfortranarray(signed[:rank]), np.asfortranarray(signed[rank:])
        self._second = row[second]
        self._weights = np.concatenate([cells.weights[first], cells.weights[second]])
        self._sampler = kept_samplers(self._weights)

    @cached_property
    def factor(self) -> Array:
        """$F$ with $K=FF^\\top$ over all instances; zero where no mass lies."""
        lower = self._raw.lower
        if self._raw.orthogonal:
            lower = np.diag(lower)
        factor = np.zeros((self._length, lower.shape[1]))
        factor[self._used] = lower[self._place]
        return factor

    @property
    def isotropic(self) -> tuple[float, bool] | None:
        """Length of the atoms and whether they are opposite in pairs, or ``None``.

        For orthogonal instances of one length whose cells are all equally likely, every instance
        with one cell, or every one with two.
        """
        paired = len(self._second) > 0
        if not self._raw.orthogonal or (paired and len(self._second) < len(self._place)):
            return None
        lengths = self._raw.lower
        if np.ptp(lengths) > 0 or np.ptp(self._weights) > 0:
            return None
        return float(lengths[0]), paired

    def deviations(self, n: int, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples of ``n``."""
        counts = self._sampler(n)
        deviations = np.empty(size)
        for rows in chunks(size, len(self._weights)):
            difference = counts.draw(rows.stop - rows.start, rng)
            difference -= n * self._weights[:, None]
            deviations[rows] = self._norms(difference) / n
        return deviations

    def _norms(self, difference: Array) -> Array:
        """RKHS norms of the columns of coefficients over cells; overwrites them."""
        instances = len(self._place)
        if len(self._second):
            # The other cell of the instance carries the opposite label.
            difference[self._second] -= difference[instances:]
            difference = difference[:instances]
        if self._raw.orthogonal:
            difference *= self._top[:, None]
        else:
            rank = len(self._top)
            # Columns of C-ordered arrays are rows of Fortran-ordered ones: nothing is copied.
            product = linalg.blas.dtrmm(
                1.0, self._top, difference[:rank].T, side=1, lower=1, overwrite_b=1
            )
            if rank < instances:
                product = linalg.blas.dgemm(
                    1.0, difference[rank:].T, self._rest, beta=1.0, c=product, overwrite_c=1
                )
            difference = product.T
        np.multiply(difference, difference, out=difference)
        return np.asarray(np.sqrt(np.add.reduce(difference, axis=0)))


def _over_one_denominator(array: Objects) -> tuple[Objects, int]:
    flat = [v if isinstance(v, Fraction) else Fraction(int(v)) for v in array.ravel()]
    denominator = math.lcm(*{v.denominator for v in flat})
    whole = [v.numerator * (denominator // v.denominator) for v in flat]
    return objects(whole).reshape(array.shape), denominator


def _compact(whole: Objects) -> NDArray[Any]:
    """The same whole numbers in 64 bits where they fit with room to spare."""
    largest = max((abs(int(v)) for v in whole.ravel()), default=0)
    return whole.astype(np.int64) if largest < 2**53 else whole


def _exact_gram(points: NDArray[Any], kernel: Kernel) -> ExactGram | None:
    if points.dtype.kind == "f" or not isinstance(kernel, Linear | Polynomial):
        return None
    whole, denominator = (
        _over_one_denominator(points) if points.dtype == object else (points, 1)
    )
    largest = max(abs(int(whole.max())), abs(int(whole.min())))
    if largest**2 * points.shape[1] < 2**53:
        # Whole numbers below 2**53 pass through a product of doubles unharmed.
        doubles = whole.astype(np.float64)
        product = (doubles @ doubles.T).astype(np.int64)
    else:
        product = whole.astype(object) @ whole.astype(object).T
    if isinstance(kernel, Linear):
        return ExactGram(product, denominator**2)
    shifted = objects([Fraction(int(v), denominator**2) for v in product.ravel()])
    return ExactGram.of(
        ((shifted + Fraction(kernel.offset)) ** int(kernel.degree)).reshape(product.shape)
    )


def _distinct(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct rows in order of appearance, and which of them each row is."""
    if points.dtype == object:
        keys: list[Any] = [tuple(row) for row in points]
    else:
        keys = [row.tobytes() for row in points + 0]  # -0.0 and 0.0 are one number
    seen: dict[Any, int] = {}
    index = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)
    if len(seen) == len(points):
        return points, frozen(index)
    first = np.full(len(seen), len(points))
    np.minimum.at(first, index, np.arange(len(points)))
    return frozen(points[first]), frozen(index)


def _joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Concatenation, exact only if both are."""
    if "f" in (first.dtype.kind, second.dtype.kind):
        first, second = first.astype(np.float64), second.astype(np.float64)
    return frozen(np.concatenate([first, second]))


def in_floats_where_one_is(numbers: NDArray[Any]) -> NDArray[Any]:
    """Fractions, or floats where there are floats among them."""
    exact = numbers.dtype == object and not any(isinstance(v, float) for v in numbers.ravel())
    return numbers if exact else numbers.astype(float)
