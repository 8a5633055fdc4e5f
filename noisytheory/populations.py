r"""Populations $P$ over instances and labels $\pm1$, with the means $\Phi(P)=E[y\phi(x)]$ exact.

A `Finite` population is a list of weighted signed atoms $a_j=y_j\phi(x_j)$, so every expectation is a
sum, and the deviation $\|\Phi(P)-\Phi(S)\|$ of a sample is a quadratic form in multinomial counts:
it costs the same for ten examples and for a million. A `GaussianMixture` under a Gaussian kernel
has closed forms instead.
"""

from __future__ import annotations

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, special

from noisytheory.kernels import Gaussian, Kernel, Linear, Polynomial, checked_points, rkhs_norm
from noisytheory.multinomial import Multinomial, binomial_law
from noisytheory.noise import checked_number, checked_rate, flip_rates

if TYPE_CHECKING:
    from noisytheory.losses import Loss

__all__ = [
    "Finite",
    "GaussianMixture",
    "Population",
    "axes",
    "axis",
    "circle",
    "digits",
    "independent_signs",
    "long_servedio",
    "mnist",
    "mnist_available",
    "oblique_pair",
    "orthonormal",
    "point_mass",
    "two_axes",
    "two_gaussians",
]

Array: TypeAlias = NDArray[np.float64]
Objects: TypeAlias = NDArray[np.object_]
Load: TypeAlias = Callable[[], tuple[Any, Any]]
Rational: TypeAlias = int | Fraction
Zero: TypeAlias = Literal["both", "half"]

# Counts of one chunk of replicates: 8 MiB of doubles, whatever the number of replicates.
CHUNK_CELLS = 1 << 20
# Outcomes that an exact law may have before it is drawn instead.
ENUMERABLE = 200_000
# Samples up to this size have their Gram matrices summed in one stack.
BATCHED_SAMPLE = 256


def axis(p: Rational | float = Fraction(1, 2)) -> Finite:
    r"""One axis: $y\phi(x)=e$ with probability $p$, $-e$ otherwise.

    $\|\Phi(P)\|=|2p-1|$ and $L=|2B/n-2p|$ with $B\sim\mathrm{Bin}(n,p)$. Fair signs are the worst
    case found for the quantiles of $\|\Phi(P)-\Phi(S)\|$.

    Parameters
    ----------
    p : Fraction or float
        Probability of a positive label, in [0, 1]. A fraction keeps everything rational.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If ``p`` is not in [0, 1].

    Examples
    --------
    >>> axis(Fraction(7, 10)).norm
    0.4
    """
    probability = checked_rate("p", p)
    return Finite(
        "axis, fair" if 2 * probability == 1 else f"axis, p={_text(probability)}",
        points=[[1], [1]],
        labels=[1, -1],
        weights=[probability, 1 - probability],
    )


def two_axes(p: Rational | float = Fraction(1, 2), q: Rational | float | None = None) -> Finite:
    r"""Two orthogonal axes, equally likely: $\pm e_1$ with rates $p,1-p$, $\pm e_2$ with $q,1-q$.

    $\|\Phi(P)\|^2=\frac14\big((2p-1)^2+(2q-1)^2\big)$.

    Parameters
    ----------
    p, q : Fraction or float
        Probability of a positive label on either axis, in [0, 1]; ``q`` is ``p`` if missing.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If a probability is not in [0, 1].

    Examples
    --------
    >>> two_axes(1, 0).norm == 0.5 ** 0.5
    True
    """
    first = checked_rate("p", p)
    second = first if q is None else checked_rate("q", q)
    name = _text(first) if first == second else f"{_text(first)}, q={_text(second)}"
    return Finite(
        f"two axes, p={name}",
        points=[[1, 0], [1, 0], [0, 1], [0, 1]],
        labels=[1, -1, 1, -1],
        weights=[first / 2, (1 - first) / 2, second / 2, (1 - second) / 2],
    )


def axes(count: int) -> Finite:
    r"""``count`` orthogonal axes, $y\phi(x)=\pm e_j$ all equally likely, so $\Phi(P)=0$.

    The worst case found for the mean: $\sqrt n\,E\|\Phi(P)-\Phi(S)\|\to1$ as ``count`` grows.

    Parameters
    ----------
    count : int
        Number of axes, at least 1.

    Returns
    -------
    Finite
        With ``2 * count`` atoms.

    Raises
    ------
    ValueError
        If ``count`` is not a whole number of at least 1.

    Examples
    --------
    >>> axes(50).atoms, axes(50).variance
    (100, 1.0)
    """
    _whole("count", count)
    points = np.repeat(np.eye(count, dtype=np.int64), 2, axis=0)
    return Finite(f"{count} axes", points, np.tile([1, -1], count))


def orthonormal(count: int) -> Finite:
    r"""``count`` orthonormal features with positive labels, equally likely.

    $\|\Phi(P)\|^2=1/\mathrm{count}$ and $L^2=\sum_j(N_j/n-p_j)^2$.

    Parameters
    ----------
    count : int
        Number of atoms, at least 1.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If ``count`` is not a whole number of at least 1.

    Examples
    --------
    >>> orthonormal(4).norm
    0.5
    """
    _whole("count", count)
    return Finite(f"{count} orthonormal", np.eye(count, dtype=int), np.ones(count, dtype=int))


def point_mass() -> Finite:
    r"""One example, $y\phi(x)=e$ always: every sample mean is the mean.

    Returns
    -------
    Finite

    Examples
    --------
    >>> point_mass().variance
    0.0
    """
    return Finite("point mass", [[1]], [1])


def circle(count: int) -> Finite:
    r"""Corners of a regular polygon on the unit circle, positive labels, so $\Phi(P)=0$.

    $\sqrt n\,\|\Phi(S)\|$ tends to a Rayleigh law with $E L^2=1/n$.

    Parameters
    ----------
    count : int
        Number of corners, at least 3.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If ``count`` is not a whole number of at least 3.

    Examples
    --------
    >>> circle(8).norm < 1e-15, round(circle(8).top_eigenvalue, 12)
    (True, 0.5)
    """
    _whole("count", count, least=3)
    angle = 2 * np.pi * np.arange(count) / count
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return Finite(f"circle of {count}", points, np.ones(count, dtype=int))


def independent_signs(count: int) -> Finite:
    r"""All $2^k$ sign vectors $\phi(x)\in\{\pm1\}^k/\sqrt k$, equally likely, positive labels.

    Each coordinate is an independent fair sign, so feature ``i`` alone is a fair axis: the worst
    case for a bound that is uniform over ``k`` kernels.

    Parameters
    ----------
    count : int
        Number of coordinates, 1 to 12.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If ``count`` is not a whole number in [1, 12].

    Examples
    --------
    >>> independent_signs(3).atoms, round(independent_signs(3).norm, 12)
    (8, 0.0)
    """
    _whole("count", count, most=12)
    signs = np.array(list(np.ndindex(*[2] * count))) * 2 - 1
    return Finite(
        f"{count} independent signs",
        signs / math.sqrt(count),
        np.ones(len(signs), dtype=int),
    )


def oblique_pair(
    mass: Rational | float = Fraction(9, 10), cosine: Rational | float = Fraction(-1, 8)
) -> Finite:
    r"""Two unit features at a given angle, positive labels, the first with probability ``mass``.

    The default scores $0.8875$ and $-0.0125$: contaminating the mean can then improve the 0-1
    risk, from $0.1$ to $0$.

    Parameters
    ----------
    mass : Fraction or float
        Probability of the first atom, in [0, 1].
    cosine : Fraction or float
        $\langle\phi(x_1),\phi(x_2)\rangle$, in [-1, 1].

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> [str(score) for score in oblique_pair().exact_scores]
    ['71/80', '-1/80']
    """
    probability = checked_rate("mass", mass)
    angle = checked_number("cosine", cosine)
    if not -1 <= angle <= 1:
        raise ValueError(f"cosine must be a number in [-1, 1], got {cosine!r}")
    return Finite.from_gram(
        f"oblique pair, mass={_text(probability)}, cosine={_text(angle)}",
        [[Fraction(1), angle], [angle, Fraction(1)]],
        [probability, 1 - probability],
    )


def long_servedio(R: Rational | float = 30) -> Finite:  # noqa: N803
    r"""The three points $(1,-1),(1,3),(R,0)$ with masses $\frac12,\frac14,\frac14$, all positive.

    Under label noise minimisers of convex potentials lose the first point, half of the mass.
    Features exceed norm 1 here: $\|\phi\|\le\max(R,\sqrt{10})$.

    Parameters
    ----------
    R : int, Fraction or float
        How far out the third point lies, positive.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If ``R`` is not positive and finite.

    Examples
    --------
    >>> [str(score) for score in long_servedio(30).exact_scores]
    ['8', '9', '495/2']
    """
    far = checked_number("R", R)
    if far <= 0:
        raise ValueError(f"R must be a finite number > 0, got {R!r}")
    return Finite(
        f"Long-Servedio, R={_text(far)}",
        points=[[1, -1], [1, 3], [far, 0]],
        labels=[1, 1, 1],
        weights=[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    )


def digits(a: int = 3, b: int = 8, bandwidth: float = 1.0) -> Finite:
    r"""A pair of classes of scikit-learn's bundled 8 x 8 digits under a Gaussian kernel.

    Every image of the two classes is an atom, equally likely; pixels are scaled to [0, 1], ``a``
    gets label $-1$ and ``b`` label $+1$. The images load on first use.

    Parameters
    ----------
    a, b : int
        Two different digits.
    bandwidth : float
        Of the Gaussian kernel, in units of a fully lit pixel. At the default the mean classifier
        errs on 1.7% of the pair 3 against 8, its optimum over bandwidths being 0 where the kernel
        is nearly diagonal and so tells nothing; at 2 it errs on 13%.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If the digits are equal or not digits, or the bandwidth is not positive.

    Examples
    --------
    >>> digits(3, 8).name
    'digits 3 and 8, bandwidth 1'
    """
    _digit_pair(a, b)
    return Finite(
        f"digits {a} and {b}, bandwidth {bandwidth:g}",
        _Digits(int(a), int(b)),
        kernel=Gaussian(bandwidth),
    )


def mnist(a: int = 3, b: int = 8, bandwidth: float = 5.0, size: int = 2000) -> Finite:
    r"""A pair of classes of the MNIST training images under a Gaussian kernel.

    The first ``size`` images of the two classes are the atoms, equally likely; pixels are scaled
    to [0, 1], ``a`` gets label $-1$ and ``b`` label $+1$. The images load on first use, from
    ``mnist.npz`` (arrays ``x_train`` and ``y_train``) in the folder that the environment variable
    ``NOISYTHEORY_DATA`` names, else through ``sklearn.datasets.fetch_openml``.

    Parameters
    ----------
    a, b : int
        Two different digits.
    bandwidth : float
        Of the Gaussian kernel, in units of a fully lit pixel.
    size : int
        Number of atoms.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If an argument is out of its range.
    FileNotFoundError
        On first use, if the images are in neither place.

    Examples
    --------
    >>> mnist(4, 9, size=500).name
    'MNIST 4 and 9, bandwidth 5, 500 images'
    """
    _digit_pair(a, b)
    _whole("size", size)
    return Finite(
        f"MNIST {a} and {b}, bandwidth {bandwidth:g}, {size} images",
        _Mnist(int(a), int(b), int(size)),
        kernel=Gaussian(bandwidth),
    )


def mnist_available() -> bool:
    """Whether `mnist` can load its images without the network.

    Returns
    -------
    bool
        Whether ``mnist.npz`` lies in ``$NOISYTHEORY_DATA``, or scikit-learn holds a copy.
    """
    if _mnist_file() is not None:
        return True
    home = Path(os.environ.get("SCIKIT_LEARN_DATA", Path.home() / "scikit_learn_data"))
    cache = home / "openml"
    return cache.is_dir() and any(cache.rglob("*mnist_784*"))


def two_gaussians(
    distance: float = 2.0, *, dimension: int = 1, spread: float = 1.0, bandwidth: float = 1.0
) -> GaussianMixture:
    r"""Two spherical Gaussian classes, equally likely, at $\pm\frac12$ ``distance`` on one axis.

    Parameters
    ----------
    distance : float
        Between the class means, at least 0.
    dimension : int
        Of the instances, at least 1.
    spread : float
        Standard deviation of either class in every coordinate, positive.
    bandwidth : float
        Of the Gaussian kernel, positive.

    Returns
    -------
    GaussianMixture

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> round(two_gaussians().norm, 6)
    0.374786
    """
    _whole("dimension", dimension)
    if not math.isfinite(distance) or distance < 0:
        raise ValueError(f"distance must be a finite number >= 0, got {distance!r}")
    if not math.isfinite(spread) or spread <= 0:
        raise ValueError(f"spread must be a finite number > 0, got {spread!r}")
    means = np.zeros((2, dimension))
    means[:, 0] = -distance / 2, distance / 2
    details = f"distance {distance:g}, dimension {dimension}, bandwidth {bandwidth:g}"
    return GaussianMixture(
        f"two Gaussians, {details}" + ("" if spread == 1 else f", spread {spread:g}"),
        weights=[Fraction(1, 2), Fraction(1, 2)],
        means=means,
        covariances=spread**2,
        labels=[-1, 1],
        kernel=Gaussian(bandwidth),
    )


class Population(ABC):
    """A law over labelled instances: named, comparable, with a digest that names its content.

    Two populations are equal if class, name and digest agree.
    """

    name: str
    kernel: Kernel | None

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {attribute} cannot be set")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or self.name != other.name:  # type: ignore[attr-defined]
            return False
        return self.digest() == other.digest()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.name))

    def digest(self) -> str:
        """Name of the content: BLAKE2b over the defining numbers, 32 hexadecimal digits.

        Data that load on first use count by the loader's name and arguments, not by content, so
        that a digest never loads them.
        """
        hasher = hashlib.blake2b(digest_size=16)
        _feed(hasher, self._recipe())
        return hasher.hexdigest()

    @abstractmethod
    def _recipe(self) -> Any:
        """What defines the population."""

    @property
    @abstractmethod
    def norm(self) -> float:
        r"""RKHS norm of the mean, $\|\Phi(P)\|$."""

    @property
    @abstractmethod
    def power(self) -> float:
        r"""Mean squared norm of the features, $E\|\phi(x)\|^2$."""

    @property
    def variance(self) -> float:
        r"""$E\|y\phi(x)-\Phi(P)\|^2=E\|\phi(x)\|^2-\|\Phi(P)\|^2$; $n\,E L^2$ for any sample."""
        return max(0.0, self.power - self.norm**2)

    @abstractmethod
    def sample(self, n: int, *, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        """Points, shape (n, d), and labels, shape (n,), of ``n`` independent examples."""

    @abstractmethod
    def deviations(self, n: int, *, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples $S\sim P^n$, shape (size,)."""


class Finite(Population):
    r"""Weighted signed atoms $a_j=y_j\phi(x_j)$ with probabilities $p_j$, $j=1,\dots,J$.

    Nothing is computed before it is asked for, and pickling ships the recipe alone.

    Parameters
    ----------
    name : str
        Short and human-readable.
    points : array-like, shape (J, d), or callable
        Instances $x_j$, one a row; integers and fractions are kept exactly under a linear or
        polynomial kernel. Or a function of no arguments (importable, so that it pickles) that
        returns points and labels; it is called on first use.
    labels : array-like of -1 and 1, shape (J,)
        Missing if ``points`` is a function.
    weights : array-like, shape (J,), optional
        Probabilities, summing to 1; uniform if missing. Fractions are kept exactly.
    kernel : Kernel
        Of the features.

    Raises
    ------
    ValueError
        On NaN, labels other than -1 and 1, weights that are no distribution, or shapes that do
        not fit.

    Examples
    --------
    >>> square = Finite("square", [[1, 0], [0, 1]], [1, -1])
    >>> square.norm == 0.5 ** 0.5, square.variance
    (True, 0.5)
    >>> square.with_label_noise(Fraction(1, 4)).exact_norm_squared
    Fraction(1, 8)
    """

    name: str
    recipe: _Recipe

    def __init__(
        self,
        name: str,
        points: ArrayLike | Load,
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        if kernel is None:
            kernel = Linear()
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel must be a Kernel, got {kernel!r}")
        if callable(points):
            if labels is not None:
                raise ValueError("labels must be missing where points is a function: it loads both")
            self._set(name, _Loaded(points, _optional_weights(weights), kernel))
            return
        if labels is None:
            raise ValueError("labels must be given with the points")
        array = _points(points)
        self._set(
            name,
            _Given(
                array,
                _labels(labels, len(array)),
                _weights(weights, len(array)),
                kernel,
            ),
        )

    @classmethod
    def from_gram(
        cls,
        name: str,
        gram: ArrayLike,
        weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> Finite:
        r"""Build a population from the Gram matrix of its signed atoms.

        Parameters
        ----------
        name : str
            Short and human-readable.
        gram : array-like, shape (J, J)
            $G_{ij}=\langle a_i,a_j\rangle$, symmetric and positive semi-definite; fractions and
            integers are kept exactly.
        weights : array-like, shape (J,), optional
            Probabilities; uniform if missing.
        labels : array-like of -1 and 1, shape (J,), optional
            All 1 if missing: the atoms are then the features themselves.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the matrix is not square, symmetric and finite, or the shapes do not fit.

        Examples
        --------
        >>> Finite.from_gram("opposite", [[1, -1], [-1, 1]]).norm
        0.0
        """
        array = _gram(gram)
        population = cls.__new__(cls)
        population._set(
            name,
            _GivenGram(
                array,
                _labels(np.ones(len(array), dtype=int) if labels is None else labels, len(array)),
                _weights(weights, len(array)),
            ),
        )
        return population

    def _set(self, name: str, recipe: _Recipe) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"name must be a non-empty string, got {name!r}")
        self.__dict__["name"] = name
        self.__dict__["recipe"] = recipe

    @classmethod
    def _of(cls, name: str, recipe: _Recipe) -> Finite:
        population = cls.__new__(cls)
        population._set(name, recipe)
        return population

    def __reduce__(self) -> tuple[Any, ...]:
        return Finite._of, (self.name, self.recipe)

    def __repr__(self) -> str:
        return f"Finite({self.name!r})"

    def _recipe(self) -> Any:
        return self.recipe

    @property
    def _table(self) -> _Table:
        return self.recipe.table

    # What the atoms are.

    @property
    def atoms(self) -> int:
        """Number of atoms, ``J``."""
        return len(self._table.labels)

    @property
    def kernel(self) -> Kernel | None:  # type: ignore[override]
        """Kernel of the features; ``None`` for a population given by its Gram matrix."""
        return self._table.space.kernel

    @property
    def labels(self) -> NDArray[np.int64]:
        """Labels $y_j$, shape (J,)."""
        return self._table.labels

    @cached_property
    def points(self) -> NDArray[Any] | None:
        """Instances $x_j$, shape (J, d); ``None`` for a population given by its Gram matrix."""
        table = self._table
        return None if table.space.points is None else _frozen(table.space.points[table.index])

    @cached_property
    def weights(self) -> Array:
        """Probabilities $p_j$, shape (J,)."""
        return _frozen(self._table.weights.astype(np.float64))

    @property
    def exact_weights(self) -> Objects | None:
        """Probabilities as fractions, or ``None`` where they were given as floats."""
        return self._table.weights if self._table.weights.dtype == object else None

    @property
    def instances(self) -> NDArray[np.int64]:
        """Number of the instance that each atom sits on, shape (J,): equal where they coincide."""
        return self._table.index

    @cached_property
    def instance_gram(self) -> Array:
        r"""$\langle\phi(x_i),\phi(x_j)\rangle$ over the atoms, unsigned, shape (J, J)."""
        index = self._table.index
        return _frozen(self._space_gram[np.ix_(index, index)])

    @cached_property
    def gram(self) -> Array:
        r"""$G_{ij}=\langle a_i,a_j\rangle$ of the signed atoms, shape (J, J)."""
        return _frozen(self.instance_gram * np.outer(self.labels, self.labels))

    @cached_property
    def exact_gram(self) -> Objects | None:
        """Gram matrix of the signed atoms in fractions, or ``None`` where it is not rational."""
        table = self._table
        if table.space.exact is None:
            return None
        numerators = table.space.exact.numerators[np.ix_(table.index, table.index)]
        signed = numerators * np.outer(table.labels, table.labels)
        denominator = table.space.exact.denominator
        fractions = [Fraction(int(entry), denominator) for entry in signed.ravel()]
        return _frozen(_objects(fractions).reshape(signed.shape))

    # Expectations.

    @cached_property
    def exact_scores(self) -> Objects | None:
        r"""$f_P(x_j)=\langle\Phi(P),\phi(x_j)\rangle$ in fractions, or ``None``."""
        scores = self._exact_space_scores
        return None if scores is None else _frozen(scores[self._table.index])

    @cached_property
    def scores(self) -> Array:
        r"""$f_P(x_j)=\langle\Phi(P),\phi(x_j)\rangle$ at each atom's instance, shape (J,)."""
        return _frozen(self._space_scores[self._table.index])

    @cached_property
    def exact_norm_squared(self) -> Fraction | None:
        r"""$\|\Phi(P)\|^2$ as a fraction, or ``None`` where weights or Gram are not rational."""
        scores = self._exact_space_scores
        if scores is None:
            return None
        return Fraction(np.dot(self._table.signed_weights, scores))

    @cached_property
    def norm(self) -> float:
        r"""RKHS norm of the mean, $\|\Phi(P)\|$."""
        exact = self.exact_norm_squared
        if exact is not None:
            return math.sqrt(exact)
        squared = float(self._table.signed_weights.astype(np.float64) @ self._space_scores)
        return math.sqrt(max(0.0, squared))

    @cached_property
    def power(self) -> float:
        r"""Mean squared norm of the features, $E\|\phi(x)\|^2$."""
        exact = self._exact_power
        if exact is not None:
            return float(exact)
        return float(self._table.masses.astype(np.float64) @ np.diagonal(self._space_gram))

    @cached_property
    def variance(self) -> float:
        r"""$E\|y\phi(x)-\Phi(P)\|^2=E\|\phi(x)\|^2-\|\Phi(P)\|^2$; $n\,E L^2$ for any sample."""
        if self.exact_norm_squared is not None and self._exact_power is not None:
            return float(self._exact_power - self.exact_norm_squared)
        return max(0.0, self.power - self.norm**2)

    @cached_property
    def feature_bound(self) -> float:
        r"""Largest feature norm, $\max_j\|\phi(x_j)\|$ over atoms of positive weight."""
        cells = self._cells
        return math.sqrt(float(np.diagonal(self._space_gram)[cells.index].max()))

    @cached_property
    def radius(self) -> float:
        r"""$\max_j\|a_j-\Phi(P)\|$ over atoms of positive weight, an RKHS distance."""
        cells = self._cells
        squares = (
            np.diagonal(self._space_gram)[cells.index]
            - 2 * cells.labels * self._space_scores[cells.index]
            + self.norm**2
        )
        return math.sqrt(max(0.0, float(squares.max())))

    @cached_property
    def diameter(self) -> float:
        r"""$\max_{i,j}\|a_i-a_j\|$ over atoms of positive weight, an RKHS distance."""
        cells, gram = self._cells, self._space_gram
        diagonal = np.diagonal(gram)[cells.index]
        largest = 0.0
        rows = max(1, CHUNK_CELLS // len(diagonal))
        for start in range(0, len(diagonal), rows):
            part = slice(start, start + rows)
            inner = gram[np.ix_(cells.index[part], cells.index)]
            inner *= cells.labels[part, None]
            inner *= cells.labels
            squares = diagonal[part, None] + diagonal - 2 * inner
            largest = max(largest, float(squares.max()))
        return math.sqrt(largest)

    @cached_property
    def top_eigenvalue(self) -> float:
        r"""Largest eigenvalue of the covariance of $y\phi(x)$: its variance in the worst direction.

        From the $r\times r$ matrix $F^\top\mathrm{diag}(m)F-\Phi\Phi^\top$ in the coordinates of the
        factor $K=FF^\top$ of the Gram matrix, $m$ the masses of the instances.
        """
        factor, table = self._form.factor, self._table
        masses = table.masses.astype(np.float64)
        mean = table.signed_weights.astype(np.float64) @ factor
        covariance = (factor * masses[:, None]).T @ factor - np.outer(mean, mean)
        rank = len(covariance)
        top = linalg.eigvalsh(covariance, subset_by_index=[rank - 1, rank - 1])
        return max(0.0, float(top[0]))

    @cached_property
    def exact_eta(self) -> Objects | None:
        r"""$P(Y=1\mid x_j)$ in fractions, shape (J,), or ``None`` if weights are not rational."""
        return None if self.exact_weights is None else _frozen(self._conditional())

    @cached_property
    def eta(self) -> Array:
        r"""$P(Y=1\mid x_j)$ at each atom's instance, shape (J,); NaN where there is no mass.

        Atoms share an instance where their points coincide, or, without points, their features.
        """
        return _frozen(self._conditional().astype(np.float64))

    def _conditional(self) -> NDArray[Any]:
        table = self._table
        masses, signed = table.masses, table.signed_weights
        positive = (masses + signed) / 2
        empty = masses == 0
        eta = np.where(empty, np.nan, positive / np.where(empty, 1, masses))
        return np.asarray(eta[table.index])

    def decision(self, weight_vector: ArrayLike) -> NDArray[Any]:
        r"""Scores $\langle\omega,x_j\rangle$ of a weight vector at each atom, shape (J,).

        Parameters
        ----------
        weight_vector : array-like, shape (d,)
            $\omega$, for points under the linear kernel; fractions are kept exactly.

        Returns
        -------
        array, shape (J,)

        Raises
        ------
        ValueError
            If there are no points, the kernel is not linear, or the shape does not fit.

        Examples
        --------
        >>> long_servedio(30).decision([1, 0]).tolist() == [1, 1, 30]
        True
        """
        points = self.points
        if points is None or not isinstance(self.kernel, Linear):
            raise ValueError("a weight vector needs points under the linear kernel")
        vector = np.asarray(weight_vector)
        if vector.shape != points.shape[1:]:
            raise ValueError(
                f"weight_vector must have shape {points.shape[1:]}, got {vector.shape}"
            )
        if vector.dtype.kind == "f":
            points = points.astype(np.float64)
        return np.asarray(points @ vector)

    def risk(
        self, scores: ArrayLike, loss: Loss | None = None, *, zero: Zero = "both"
    ) -> float | Fraction:
        r"""Risk $E\,\ell(y,f(x))$ of scores $f(x_j)$: a sum over the atoms, no sampling.

        Parameters
        ----------
        scores : array-like, shape (J,)
            $f(x_j)$ at each atom's instance, as from `scores` or `decision`.
        loss : Loss, optional
            The 0-1 loss if missing.
        zero : {"both", "half"}
            For the 0-1 loss: whether a score of 0 is an error for both labels, or half an error.

        Returns
        -------
        float or Fraction
            A fraction where the weights are fractions and the losses are rational (the 0-1 and
            margin losses always, others at scores that are integers or fractions).

        Raises
        ------
        ValueError
            If the scores have the wrong shape or are NaN.

        Examples
        --------
        >>> long_servedio(30).risk([-1, 1, 0])
        Fraction(3, 4)
        >>> long_servedio(30).risk([-1, 1, 0], zero="half")
        Fraction(5, 8)
        """
        from noisytheory.losses import ZeroOne

        if loss is None:
            loss = ZeroOne(zero)
        values = np.asarray(scores)
        if values.shape != (self.atoms,):
            raise ValueError(f"scores must have shape ({self.atoms},), got {values.shape}")
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError("scores must be numbers, got NaN")
        if values.dtype.kind in "iu":
            values = values.astype(object)
        losses = np.asarray(loss.value(self.labels, values))
        exact = self.exact_weights
        if exact is not None:
            rational = _exact_numbers(losses, counted=loss.counts)
            if rational is not None:
                return Fraction(np.dot(exact, rational))
        return float(self.weights @ losses.astype(np.float64))

    def risk01(self, scores: ArrayLike, *, zero: Zero = "both") -> float | Fraction:
        """0-1 risk of scores; see `risk`. A fraction where the weights are fractions."""
        return self.risk(scores, zero=zero)

    # Samples.

    def draw(self, n: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Atom numbers of ``n`` independent examples, shape (n,)."""
        _whole("n", n)
        return rng.choice(self.atoms, size=n, p=self.weights).astype(np.int64)

    def sample(self, n: int, *, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        """Points and labels of ``n`` independent examples.

        Parameters
        ----------
        n : int
            Sample size.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        points : array, shape (n, d)
        labels : array, shape (n,)

        Raises
        ------
        ValueError
            If the population is given by a Gram matrix alone: use `draw`.
        """
        points = self._table.space.points
        if points is None:
            raise ValueError(f"{self.name} has no points, only a Gram matrix: draw atom numbers")
        if points.dtype.kind != "f":
            points = points.astype(np.float64)
        chosen = self.draw(n, rng=rng)
        return points[self._table.index[chosen]], self.labels[chosen]

    def counts(self, n: int, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        r"""How often each atom occurs in samples of ``n``, $N\sim\mathrm{Mult}(n,p)$.

        Parameters
        ----------
        n : int
            Sample size.
        size : int
            Number of independent samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array of int, shape (size, J)
            Every row sums to ``n``.
        """
        _whole("n", n)
        _whole("size", size)
        sampler = Multinomial(n, self.weights)
        counts = np.empty((size, self.atoms), dtype=np.int64)
        for rows in _chunks(size, self.atoms):
            counts[rows] = sampler.draw(rows.stop - rows.start, rng).T
        return counts

    def deviations(self, n: int, *, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples $S\sim P^n$.

        $$\|\Phi(P)-\Phi(S)\|^2=(N/n-p)^\top G\,(N/n-p),\qquad N\sim\mathrm{Mult}(n,p).$$

        The time does not grow with ``n`` beyond drawing the counts, the memory with neither ``n``
        nor ``size``. Two distinct atoms need one binomial draw a sample.

        Parameters
        ----------
        n : int
            Sample size.
        size : int
            Number of independent samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array, shape (size,)
            RKHS norms.

        Raises
        ------
        ValueError
            If ``n`` or ``size`` is not a whole number of at least 1.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> drawn = axis(Fraction(7, 10)).deviations(25, size=20_000, rng=rng)
        >>> round(float(np.mean(drawn**2)), 3) == round(0.84 / 25, 3)
        True
        """
        _whole("n", n)
        _whole("size", size)
        cells = self._cells
        if len(cells.weights) == 1:
            return np.zeros(size)
        if len(cells.weights) == 2:
            count = rng.binomial(n, cells.weights[0], size=size)
            return np.abs(count / n - cells.weights[0]) * self.diameter
        return self._form.deviations(n, size, rng)

    def exact_norm_law(self, n: int) -> tuple[Array, Array] | None:
        r"""The law of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$, by enumeration.

        Parameters
        ----------
        n : int
            Sample size.

        Returns
        -------
        values, probabilities : arrays
            Increasing values (those equal up to rounding merged) and what they weigh; ``None``
            where more than 200,000 multinomial outcomes would have to be listed.

        Raises
        ------
        ValueError
            If ``n`` is not a whole number of at least 1.

        Examples
        --------
        >>> values, probabilities = axis().exact_norm_law(2)
        >>> values.tolist(), probabilities.round(12).tolist()
        ([0.0, 1.0], [0.5, 0.5])
        """
        _whole("n", n)
        cells = self._cells
        parts = len(cells.weights)
        if parts == 1:
            return np.zeros(1), np.ones(1)
        if math.comb(n + parts - 1, parts - 1) > ENUMERABLE:
            return None
        if parts == 2:
            probabilities = binomial_law(n, float(cells.weights[0]))
            values = np.abs(np.arange(n + 1) / n - cells.weights[0]) * self.diameter
            return _merged(values, probabilities)
        counts = _compositions(n, parts)
        logs = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
        logs += counts @ np.log(cells.weights)
        probabilities = np.exp(logs)
        factor = self._form.factor[cells.index] * cells.labels[:, None]
        differences = (counts / n - cells.weights) @ factor
        return _merged(
            np.linalg.norm(differences, axis=1), probabilities / probabilities.sum()
        )

    # New populations from this one.

    def with_label_noise(
        self, sigma: Rational | float | Sequence[Any], *, any_rate: bool = False
    ) -> Finite:
        r"""The population $P_\sigma$ whose labels are flipped at random.

        Doubles the atoms: $(a_j,(1-\sigma)p_j)$ and $(-a_j,\sigma p_j)$, so that
        $\Phi(P_\sigma)=(1-2\sigma)\Phi(P)$ under one rate.

        Parameters
        ----------
        sigma : Fraction, float, or a pair of them
            Probability of a flip, in [0, 1/2); or the pair of flip probabilities
            $(\sigma_-,\sigma_+)$ of negative and positive labels, with sum below 1.
        any_rate : bool
            Allow every rate in [0, 1].

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If a rate is out of its range.

        Examples
        --------
        >>> axis(1).with_label_noise(Fraction(1, 4)).norm
        0.5
        """
        rates = flip_rates(sigma, any_rate=any_rate)
        name = f"{self.name}, label noise {_rates_text(rates)}"
        return Finite._of(name, _Flipped(self.recipe, _objects(rates)))

    def with_flip_rates(self, rates: ArrayLike, name: str | None = None) -> Finite:
        r"""The population with the label of atom $j$ flipped with probability ``rates[j]``.

        Parameters
        ----------
        rates : array-like, shape (J,)
            Probabilities, in [0, 1]; fractions are kept exactly.
        name : str, optional
            Of the new population.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the shape does not fit or a rate is no probability.

        Examples
        --------
        >>> [str(w) for w in orthonormal(2).with_flip_rates([Fraction(1, 4), 0]).exact_weights]
        ['3/8', '1/2', '1/8']
        """
        array = np.asarray(rates)
        if array.shape != (self.atoms,):
            raise ValueError(f"rates must have shape ({self.atoms},), got {array.shape}")
        each = _objects([checked_rate("rates", rate) for rate in array.tolist()])
        return Finite._of(name or f"{self.name}, instance noise", _FlippedEach(self.recipe, each))

    def contaminated(self, other: Finite, sigma: Rational | float) -> Finite:
        r"""The mixture $(1-\sigma)P+\sigma Q$, on the union of the atoms.

        Parameters
        ----------
        other : Finite
            $Q$, over points under the same kernel, or over the same Gram matrix.
        sigma : Fraction or float
            Share of $Q$, in [0, 1].

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If ``sigma`` is out of range, or the features of the two cannot be compared.

        Examples
        --------
        >>> axis(1).contaminated(axis(0), Fraction(1, 10)).norm
        0.8
        """
        if not isinstance(other, Finite):
            raise ValueError(f"other must be a Finite population, got {other!r}")
        share = checked_rate("sigma", sigma)
        name = f"{self.name}, {_text(share)} of ({other.name})"
        return Finite._of(name, _Mixed(self.recipe, other.recipe, share))

    def distance(self, other: Finite) -> float:
        r"""RKHS distance of the means, $\|\Phi(P)-\Phi(Q)\|$.

        Parameters
        ----------
        other : Finite
            $Q$, over points under the same kernel, or over the same Gram matrix.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the features of the two cannot be compared.

        Examples
        --------
        >>> axis(1).distance(axis(0))
        2.0
        """
        space, first, second = _union(self._table, other.recipe.table)
        difference = np.zeros(len(space.gram))
        difference[first] += self._table.signed_weights.astype(np.float64)
        difference[second] -= other.recipe.table.signed_weights.astype(np.float64)
        return math.sqrt(max(0.0, float(difference @ space.gram @ difference)))

    def reweighted(self, weights: ArrayLike, name: str | None = None) -> Finite:
        """The same atoms with other probabilities.

        Parameters
        ----------
        weights : array-like, shape (J,)
            Probabilities, summing to 1; zeros are allowed, fractions are kept exactly.
        name : str, optional
            Of the new population.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the weights are no distribution over the atoms.

        Examples
        --------
        >>> orthonormal(2).reweighted([1, 0]).norm
        1.0
        """
        array = _weights(weights, self.atoms)
        return Finite._of(name or f"{self.name}, reweighted", _Reweighted(self.recipe, array))

    def resampled(self, n: int, *, rng: np.random.Generator) -> Finite:
        """The empirical population of ``n`` independent examples (a bootstrap sample).

        Parameters
        ----------
        n : int
            Sample size.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Finite
            Over the same atoms; its weights are the exact fractions ``count / n``.
        """
        counts = self.counts(n, size=1, rng=rng)[0]
        weights = _objects([Fraction(int(count), n) for count in counts])
        return Finite._of(f"{self.name}, sample of {n}", _Reweighted(self.recipe, weights))

    def flipped(self) -> Finite:
        r"""The population with every label negated, $\Phi(P')=-\Phi(P)$.

        Returns
        -------
        Finite

        Examples
        --------
        >>> axis(1).flipped().scores.tolist()
        [-1.0, -1.0]
        """
        return Finite._of(f"{self.name}, flipped", _Negated(self.recipe))

    # Shared devices, each computed once.

    @property
    def _space_gram(self) -> Array:
        return self._table.space.gram

    @cached_property
    def _exact_power(self) -> Fraction | None:
        exact, masses = self._table.space.exact, self._table.masses
        if exact is None or masses.dtype != object:
            return None
        diagonal = np.diagonal(exact.numerators).astype(object)
        return Fraction(np.dot(masses, diagonal)) / exact.denominator

    @cached_property
    def _exact_space_scores(self) -> Objects | None:
        exact, signed = self._table.space.exact, self._table.signed_weights
        return None if exact is None or signed.dtype != object else exact.times(signed)

    @cached_property
    def _space_scores(self) -> Array:
        if self._exact_space_scores is not None:
            return self._exact_space_scores.astype(np.float64)
        return np.asarray(self._space_gram @ self._table.signed_weights.astype(np.float64))

    @cached_property
    def _cells(self) -> _Cells:
        return self._table.cells()

    @cached_property
    def _form(self) -> _Form:
        return _Form(self._table.space, self._cells)


class GaussianMixture(Population):
    r"""A mixture of labelled Gaussians in $\mathbb R^d$ under a Gaussian kernel, in closed form.

    With $K(x,x')=\exp(-|x-x'|^2/(2\kappa^2))$, $\Delta=\mu_1-\mu_2$ and
    $A=\Sigma_1+\Sigma_2+\kappa^2I$,

    $$E\,K(X_1,X_2)=\kappa^d\det(A)^{-1/2}\exp(-\tfrac12\Delta^\top A^{-1}\Delta).$$

    Parameters
    ----------
    name : str
        Short and human-readable.
    weights : array-like, shape (C,)
        Probabilities of the components, summing to 1.
    means : array-like, shape (C, d)
    covariances : float, or array-like of shape (C,) or (C, d, d)
        One variance for all coordinates of all components, one a component, or full matrices,
        positive definite.
    labels : array-like of -1 and 1, shape (C,)
        Label of each component's examples.
    kernel : Gaussian

    Raises
    ------
    ValueError
        On NaN, weights that are no distribution, a covariance that is not positive definite, a
        kernel that is not Gaussian, or shapes that do not fit.

    Examples
    --------
    >>> one = GaussianMixture("standard normal", [1], [[0.0]], 1.0, [1], Gaussian(1.0))
    >>> round(one.norm ** 2, 12) == round(3 ** -0.5, 12)
    True
    """

    name: str
    kernel: Gaussian
    weights: Array
    means: Array
    covariances: Array
    labels: NDArray[np.int64]

    def __init__(
        self,
        name: str,
        weights: ArrayLike,
        means: ArrayLike,
        covariances: ArrayLike,
        labels: ArrayLike,
        kernel: Gaussian,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"name must be a non-empty string, got {name!r}")
        if not isinstance(kernel, Gaussian):
            raise ValueError(f"kernel must be Gaussian, got {kernel!r}")
        centres = checked_points(means, "means").astype(np.float64)
        components, dimension = centres.shape
        self.__dict__.update(
            name=name,
            kernel=kernel,
            weights=_frozen(_weights(weights, components).astype(np.float64)),
            means=_frozen(centres),
            covariances=_frozen(_covariances(covariances, components, dimension)),
            labels=_labels(labels, components),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return GaussianMixture, (self.name, *self._recipe())

    def __repr__(self) -> str:
        return f"GaussianMixture({self.name!r})"

    def _recipe(self) -> Any:
        return self.weights, self.means, self.covariances, self.labels, self.kernel

    @property
    def dimension(self) -> int:
        """Of the instances, ``d``."""
        return int(self.means.shape[1])

    @cached_property
    def norm(self) -> float:
        r"""RKHS norm of the mean, $\|\Phi(P)\|$."""
        return math.sqrt(max(0.0, _mixture_inner(self, self)))

    @property
    def power(self) -> float:
        r"""$E\|\phi(x)\|^2=1$."""
        return 1.0

    @property
    def feature_bound(self) -> float:
        r"""$\sup\|\phi(x)\|=1$."""
        return 1.0

    @property
    def radius(self) -> float:
        r"""Upper bound $1+\|\Phi(P)\|$ on $\|y\phi(x)-\Phi(P)\|$."""
        return 1.0 + self.norm

    @property
    def diameter(self) -> float:
        r"""Supremum of $\|y\phi(x)-y'\phi(x')\|$: 2 with both labels present, else $\sqrt2$."""
        present = self.labels[self.weights > 0]
        return 2.0 if len(np.unique(present)) == 2 else math.sqrt(2.0)

    @cached_property
    def top_eigenvalue(self) -> float:
        r"""Largest eigenvalue of the covariance of $y\phi(x)$, by Gauss-Hermite quadrature.

        The rule is refined until two successive values agree to ten digits; for up to two
        dimensions only.
        """
        if self.dimension > 2:
            raise ValueError(
                f"top_eigenvalue is computed in at most 2 dimensions, got {self.dimension}"
            )
        previous = math.nan
        for nodes in (12, 18, 27, 40, 60, 90):
            value = self._discretised(nodes).top_eigenvalue
            if abs(value - previous) <= 1e-10 * value:
                return value
            previous = value
        raise ValueError(f"top_eigenvalue of {self.name}: quadrature did not settle")

    def _discretised(self, nodes: int) -> Finite:
        roots, masses = special.roots_hermitenorm(nodes)
        grid = np.stack(np.meshgrid(*[roots] * self.dimension, indexing="ij"), axis=-1)
        mass = np.ones(1)
        for _ in range(self.dimension):
            mass = np.outer(mass, masses / masses.sum()).ravel()
        factors = np.linalg.cholesky(self.covariances)
        points = self.means[:, None] + grid.reshape(-1, self.dimension) @ factors.transpose(0, 2, 1)
        weights = np.outer(self.weights, mass).ravel()
        return Finite(
            f"{self.name}, {nodes} nodes",
            points.reshape(-1, self.dimension),
            np.repeat(self.labels, len(mass)),
            weights / weights.sum(),
            self.kernel,
        )

    def score(self, x: ArrayLike) -> Array:
        r"""$f_P(x)=\langle\Phi(P),\phi(x)\rangle$ in closed form.

        Parameters
        ----------
        x : array-like, shape (n, d)

        Returns
        -------
        array, shape (n,)

        Raises
        ------
        ValueError
            If the shape does not fit, or on NaN.

        Examples
        --------
        >>> one = GaussianMixture("standard normal", [1], [[0.0]], 1.0, [1], Gaussian(1.0))
        >>> round(float(one.score([[0.0]])[0]), 12) == round(0.5 ** 0.5, 12)
        True
        """
        points = self._checked(x)
        square = self.kernel.bandwidth**2
        scores = np.zeros(len(points))
        signed = self.weights * self.labels
        for weight, mean, covariance in zip(signed, self.means, self.covariances, strict=True):
            root = np.linalg.cholesky(covariance + square * np.eye(self.dimension))
            white = linalg.solve_triangular(root, (points - mean).T, lower=True)
            scale = weight * math.prod(self.kernel.bandwidth / np.diagonal(root))
            exponent = np.einsum("dn,dn->n", white, white)
            exponent *= -0.5
            scores += scale * np.exp(exponent, out=exponent)
        return scores

    def eta(self, x: ArrayLike) -> Array:
        r"""$P(Y=1\mid x)$, shape (n,).

        Parameters
        ----------
        x : array-like, shape (n, d)

        Returns
        -------
        array, shape (n,)

        Examples
        --------
        >>> two_gaussians().eta([[0.0]]).tolist()
        [0.5]
        """
        points = self._checked(x)
        logs = np.full((len(self.weights), len(points)), -np.inf)
        for c in np.flatnonzero(self.weights):
            root = np.linalg.cholesky(self.covariances[c])
            white = linalg.solve_triangular(root, (points - self.means[c]).T, lower=True)
            logs[c] = math.log(self.weights[c]) - np.log(np.diagonal(root)).sum()
            logs[c] -= 0.5 * np.einsum("dn,dn->n", white, white)
        shares = np.exp(logs - logs.max(axis=0))
        return np.asarray(shares[self.labels == 1].sum(axis=0) / shares.sum(axis=0))

    def distance(self, other: GaussianMixture) -> float:
        r"""RKHS distance of the means, $\|\Phi(P)-\Phi(Q)\|$, in closed form.

        Parameters
        ----------
        other : GaussianMixture
            $Q$, in as many dimensions and under the same kernel.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If kernels or dimensions differ.
        """
        self._comparable(other)
        squared = _mixture_inner(self, self) - 2 * _mixture_inner(self, other)
        return math.sqrt(max(0.0, squared + _mixture_inner(other, other)))

    @cached_property
    def mmd(self) -> float:
        r"""Maximum mean discrepancy of the classes, $\frac12\|\Phi(P_+)-\Phi(P_-)\|$.

        Equal to $\|\Phi(P)\|$ where the labels are balanced.
        """
        signed = np.where(self.labels == 1, self.weights, -self.weights)
        for label in (-1, 1):
            chosen = self.labels == label
            if not self.weights[chosen].sum() > 0:
                raise ValueError(f"mmd needs both labels, {self.name} has none of {label}")
            signed[chosen] /= 2 * self.weights[chosen].sum()
        return math.sqrt(max(0.0, float(signed @ _component_products(self, self) @ signed)))

    def sample(self, n: int, *, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        """Points, shape (n, d), and labels, shape (n,), of ``n`` independent examples."""
        _whole("n", n)
        return self._sample((n,), rng)

    def _sample(
        self, shape: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[Array, NDArray[np.int64]]:
        component = np.searchsorted(np.cumsum(self.weights)[:-1], rng.random(shape), side="right")
        points = rng.standard_normal((*shape, self.dimension))
        factors = np.linalg.cholesky(self.covariances)
        for c in range(len(self.weights)):
            chosen = component == c
            points[chosen] = points[chosen] @ factors[c].T + self.means[c]
        return points, self.labels[component]

    def deviations(self, n: int, *, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples $S\sim P^n$.

        $\|\Phi(S)\|^2$ comes, in one or two dimensions, from the Taylor features
        $e^{-t^2/2}t^j/\sqrt{j!}$, $t=x/\kappa$, in time linear in ``n``; what is left out is
        at most $\Pr[\mathrm{Poisson}(\max t^2)\ge m]$ a dimension and lies below $10^{-17}$.
        Elsewhere the Gram matrix is summed in blocks.

        Parameters
        ----------
        n : int
            Sample size.
        size : int
            Number of independent samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array, shape (size,)
            RKHS norms, exact up to rounding of about $10^{-15}$ in their squares.

        Raises
        ------
        ValueError
            If ``n`` or ``size`` is not a whole number of at least 1.

        Examples
        --------
        >>> population = two_gaussians()
        >>> drawn = population.deviations(50, size=20_000, rng=np.random.default_rng(1))
        >>> abs(float(np.mean(drawn**2)) * 50 / population.variance - 1) < 0.02
        True
        """
        _whole("n", n)
        _whole("size", size)
        squares = np.empty(size)
        # A chunk is bounded by the sample size and by nothing else, so that draws do not move.
        for rows in _chunks(size, 16 * n * self.dimension):
            count = rows.stop - rows.start
            points, labels = self._sample((count, n), rng)
            flat = points.reshape(-1, self.dimension)
            agreement = (labels * self.score(flat).reshape(count, n)).mean(axis=1)
            squares[rows] = self.norm**2 - 2 * agreement + self._sample_norms(points, labels)
        return np.sqrt(np.maximum(squares, 0.0))

    def _sample_norms(self, points: Array, labels: NDArray[np.int64]) -> Array:
        """$\\|\\Phi(S)\\|^2$ for each of a stack of samples."""
        count, n, dimension = points.shape
        scaled = (points - self.weights @ self.means) / self.kernel.bandwidth
        signs = labels / n
        if dimension <= 2:
            terms = [_taylor_terms(float(np.abs(scaled[..., d]).max())) for d in range(dimension)]
            # Features cost their own number an example, the Gram matrix some two an entry.
            if math.prod(terms) <= 2 * n or n > 2 * BATCHED_SAMPLE:
                return _taylor_norms(scaled, signs, terms)
        if n <= BATCHED_SAMPLE:
            halves = 0.5 * np.einsum("bnd,bnd->bn", scaled, scaled)
            gram = scaled @ scaled.transpose(0, 2, 1)
            gram -= halves[:, :, None]
            gram -= halves[:, None, :]
            np.exp(np.minimum(gram, 0.0, out=gram), out=gram)
            return np.asarray((signs[:, None, :] @ gram @ signs[:, :, None])[:, 0, 0])
        unit = Gaussian(1.0)
        return np.array(
            [rkhs_norm(unit, x, alpha) ** 2 for x, alpha in zip(scaled, signs, strict=True)]
        )

    def with_label_noise(
        self, sigma: Rational | float | Sequence[Any], *, any_rate: bool = False
    ) -> GaussianMixture:
        r"""The population $P_\sigma$ whose labels are flipped at random: twice the components.

        Parameters
        ----------
        sigma : float or a pair of floats
            Probability of a flip, in [0, 1/2); or the pair $(\sigma_-,\sigma_+)$ of negative and
            positive labels, with sum below 1.
        any_rate : bool
            Allow every rate in [0, 1].

        Returns
        -------
        GaussianMixture

        Raises
        ------
        ValueError
            If a rate is out of its range.

        Examples
        --------
        >>> clean = two_gaussians()
        >>> round(clean.with_label_noise(0.25).norm / clean.norm, 12)
        0.5
        """
        rates = flip_rates(sigma, any_rate=any_rate)
        flip = np.where(self.labels == 1, float(rates[1]), float(rates[0]))
        return GaussianMixture(
            f"{self.name}, label noise {_rates_text(rates)}",
            np.concatenate([self.weights * (1 - flip), self.weights * flip]),
            np.tile(self.means, (2, 1)),
            np.tile(self.covariances, (2, 1, 1)),
            np.concatenate([self.labels, -self.labels]),
            self.kernel,
        )

    def contaminated(self, other: GaussianMixture, sigma: float) -> GaussianMixture:
        r"""The mixture $(1-\sigma)P+\sigma Q$.

        Parameters
        ----------
        other : GaussianMixture
            $Q$, in as many dimensions and under the same kernel.
        sigma : float
            Share of $Q$, in [0, 1].

        Returns
        -------
        GaussianMixture

        Raises
        ------
        ValueError
            If ``sigma`` is out of range, or kernels or dimensions differ.
        """
        self._comparable(other)
        share = float(checked_rate("sigma", sigma))
        return GaussianMixture(
            f"{self.name}, {share:g} of ({other.name})",
            np.concatenate([(1 - share) * self.weights, share * other.weights]),
            np.concatenate([self.means, other.means]),
            np.concatenate([self.covariances, other.covariances]),
            np.concatenate([self.labels, other.labels]),
            self.kernel,
        )

    def flipped(self) -> GaussianMixture:
        r"""The population with every label negated, $\Phi(P')=-\Phi(P)$."""
        name = f"{self.name}, flipped"
        weights, means, covariances, labels, kernel = self._recipe()
        return GaussianMixture(name, weights, means, covariances, -labels, kernel)

    def _checked(self, x: ArrayLike) -> Array:
        points = checked_points(x).astype(np.float64, copy=False)
        if points.shape[1] != self.dimension:
            raise ValueError(f"x must have {self.dimension} columns, got {points.shape[1]}")
        return points

    def _comparable(self, other: GaussianMixture) -> None:
        if not isinstance(other, GaussianMixture):
            raise ValueError(f"other must be a GaussianMixture, got {other!r}")
        if other.kernel != self.kernel or other.dimension != self.dimension:
            raise ValueError(
                f"{self.name} and {other.name} differ in kernel or dimension: no common RKHS"
            )


@dataclass(frozen=True)
class _Recipe(ABC):
    """How a table of atoms is made; pickles without what it has made."""

    @cached_property
    def table(self) -> _Table:
        return self._build()

    @abstractmethod
    def _build(self) -> _Table: ...

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


@dataclass(frozen=True)
class _Given(_Recipe):
    points: NDArray[Any]
    labels: NDArray[np.int64]
    weights: NDArray[Any]
    kernel: Kernel

    def _build(self) -> _Table:
        distinct, index = _distinct(self.points)
        return _Table(_Space(self.kernel, distinct), index, self.labels, self.weights)


@dataclass(frozen=True)
class _Loaded(_Recipe):
    load: Load
    weights: NDArray[Any] | None
    kernel: Kernel

    def _build(self) -> _Table:
        points, labels = self.load()
        array = _points(points)
        weights = _weights(self.weights, len(array))
        return _Given(array, _labels(labels, len(array)), weights, self.kernel).table


@dataclass(frozen=True)
class _GivenGram(_Recipe):
    gram: NDArray[Any]
    labels: NDArray[np.int64]
    weights: NDArray[Any]

    def _build(self) -> _Table:
        unsigned = self.gram * np.outer(self.labels, self.labels)
        diagonal = np.diagonal(unsigned)
        squares = diagonal[:, None] + diagonal - 2 * unsigned
        slack = 0 if squares.dtype == object else 8 * np.finfo(float).eps * diagonal.max()
        first = np.argmax((squares <= slack).astype(bool), axis=1)
        kept, index = np.unique(first, return_inverse=True)
        unsigned = unsigned[np.ix_(kept, kept)]
        if unsigned.dtype == object:
            space = _Space(None, None, exact=_ExactGram.of(unsigned))
        else:
            space = _Space(None, None, given=unsigned)
        return _Table(space, index.astype(np.int64), self.labels, self.weights)


@dataclass(frozen=True)
class _Flipped(_Recipe):
    parent: _Recipe
    rates: Objects

    def _build(self) -> _Table:
        parent = self.parent.table
        rates = self.rates[(parent.labels + 1) // 2]
        return parent.flipped_at(rates)


@dataclass(frozen=True)
class _FlippedEach(_Recipe):
    parent: _Recipe
    rates: Objects

    def _build(self) -> _Table:
        return self.parent.table.flipped_at(self.rates)


@dataclass(frozen=True)
class _Negated(_Recipe):
    parent: _Recipe

    def _build(self) -> _Table:
        parent = self.parent.table
        return _Table(parent.space, parent.index, _frozen(-parent.labels), parent.weights)


@dataclass(frozen=True)
class _Reweighted(_Recipe):
    parent: _Recipe
    weights: NDArray[Any]

    def _build(self) -> _Table:
        parent = self.parent.table
        return _Table(parent.space, parent.index, parent.labels, self.weights)


@dataclass(frozen=True)
class _Mixed(_Recipe):
    parent: _Recipe
    other: _Recipe
    share: Fraction | float

    def _build(self) -> _Table:
        first, second = self.parent.table, self.other.table
        space, left, right = _union(first, second)
        return _Table(
            space,
            np.concatenate([left[first.index], right[second.index]]),
            _frozen(np.concatenate([first.labels, second.labels])),
            _joined(_scaled(first.weights, 1 - self.share), _scaled(second.weights, self.share)),
        )


@dataclass(frozen=True)
class _ExactGram:
    """A rational matrix as whole numerators over one denominator."""

    numerators: NDArray[Any]
    denominator: int

    @classmethod
    def of(cls, matrix: Objects) -> _ExactGram:
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
        return _objects([Fraction(int(p), denominator * self.denominator) for p in product])


class _Space:
    """Distinct instances with their Gram matrix; shared by all populations over them."""

    def __init__(
        self,
        kernel: Kernel | None,
        points: NDArray[Any] | None,
        *,
        given: Array | None = None,
        exact: _ExactGram | None = None,
    ) -> None:
        self.kernel, self.points = kernel, points
        self._given, self._exact = given, exact

    @cached_property
    def exact(self) -> _ExactGram | None:
        if self.kernel is None or self.points is None:
            return self._exact
        return _exact_gram(self.points, self.kernel)

    @cached_property
    def gram(self) -> Array:
        if self._given is not None:
            return _frozen(self._given)
        if self.exact is not None:
            return _frozen(self.exact.numerators.astype(np.float64) / self.exact.denominator)
        assert self.kernel is not None and self.points is not None
        gram = self.kernel(self.points.astype(np.float64))
        # A product's two halves may differ in the last bit.
        return _frozen((gram + gram.T) / 2)

    @cached_property
    def factor(self) -> _Factor:
        return _Factor.of(self.gram, certain=self.kernel is not None)


@dataclass(frozen=True)
class _Table:
    """Atoms: on which instance, with which label, how likely."""

    space: _Space
    index: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[Any]

    @cached_property
    def masses(self) -> NDArray[Any]:
        """Probability of each instance."""
        return self._collect(self.weights)

    @cached_property
    def signed_weights(self) -> NDArray[Any]:
        """Weight of each instance's feature in the mean: positive minus negative probability."""
        return self._collect(self.weights * self.labels)

    def _collect(self, values: NDArray[Any]) -> NDArray[Any]:
        length = len(self.space.gram) if self.space.points is None else len(self.space.points)
        if values.dtype != object:
            return np.bincount(self.index, weights=values, minlength=length)
        total = _objects([Fraction(0)] * length)
        for i, value in zip(self.index.tolist(), values, strict=True):
            total[i] += value
        return total

    def flipped_at(self, rates: Objects) -> _Table:
        """Each atom and its negative; atoms without weight are left out."""
        flipped = _product(self.weights, rates)
        kept = self.weights - flipped
        weights = _joined(kept, flipped)
        present = np.flatnonzero(weights != 0)
        return _Table(
            self.space,
            np.tile(self.index, 2)[present],
            _frozen(np.concatenate([self.labels, -self.labels])[present]),
            _frozen(weights[present]),
        )

    def cells(self) -> _Cells:
        """Distinct signed atoms of positive weight."""
        weights = self.weights.astype(np.float64)
        key, inverse = np.unique(2 * self.index + (self.labels < 0), return_inverse=True)
        total = np.bincount(inverse, weights=weights)
        key, total = key[total > 0], total[total > 0]
        return _Cells(key // 2, 1.0 - 2.0 * (key % 2), total / total.sum())


@dataclass(frozen=True)
class _Cells:
    index: NDArray[np.int64]
    labels: Array
    weights: Array


@dataclass(frozen=True)
class _Factor:
    r"""Pivoted Cholesky factor, $K_{\pi\pi}\approx LL^\top$, ``lower`` a trapezoid of full rank.

    Stops where no diagonal entry of the rest exceeds 16 units in the last place of the largest, so
    that a squared norm loses at most that times its squared coefficients' number.
    """

    pivots: NDArray[np.intp]
    lower: Array
    orthogonal: bool

    @classmethod
    def of(cls, gram: Array, *, certain: bool) -> _Factor:
        diagonal = np.diagonal(gram)
        largest = float(diagonal.max())
        if np.count_nonzero(gram) == np.count_nonzero(diagonal):
            if float(diagonal.min()) < 0:
                raise ValueError("the Gram matrix must be positive semi-definite")
            return cls(np.arange(len(gram)), np.sqrt(diagonal), True)
        tolerance = 16 * np.finfo(float).eps * largest
        lower, pivots, rank, _ = linalg.lapack.dpstrf(gram, tol=tolerance, lower=1)
        pivots = pivots[: len(gram)].astype(np.intp) - 1
        lower = np.asfortranarray(np.tril(lower)[:, :rank])
        if not certain:
            rest = gram[np.ix_(pivots, pivots)] - lower @ lower.T
            if float(np.abs(rest).max()) > 1e-9 * largest:
                raise ValueError("the Gram matrix must be positive semi-definite")
        return cls(pivots, lower, False)


class _Form:
    r"""The quadratic form $(N/n-p)^\top G\,(N/n-p)$ over cells, ready for many counts.

    Cells are ordered by the pivots of the factor: first one cell of every instance, then the
    second cell of those that occur with both labels.
    """

    def __init__(self, space: _Space, cells: _Cells) -> None:
        used = np.unique(cells.index)
        self._length = len(space.gram)
        if len(used) == self._length:
            factor = space.factor
        else:
            part = np.ascontiguousarray(space.gram[np.ix_(used, used)])
            factor = _Factor.of(part, certain=space.kernel is not None)
        place = np.empty(len(used), dtype=np.intp)
        place[factor.pivots] = np.arange(len(used))
        row = place[np.searchsorted(used, cells.index)]
        order = np.argsort(row, kind="stable")
        ordered = row[order]
        repeated = np.concatenate([[False], ordered[1:] == ordered[:-1]])
        first, second = order[~repeated], order[repeated]
        signs = cells.labels[first]
        self._used, self._place, self._raw = used, place, factor
        self._lower = np.asfortranarray((factor.lower.T * signs).T)
        self._second = row[second]
        self._weights = np.concatenate([cells.weights[first], cells.weights[second]])

    @cached_property
    def factor(self) -> Array:
        """$F$ with $K=FF^\\top$ over all instances; zero where no mass lies."""
        lower = self._raw.lower
        if self._raw.orthogonal:
            lower = np.diag(lower)
        factor = np.zeros((self._length, lower.shape[1]))
        factor[self._used] = lower[self._place]
        return factor

    def deviations(self, n: int, size: int, rng: np.random.Generator) -> Array:
        counts = Multinomial(n, self._weights)
        deviations = np.empty(size)
        for rows in _chunks(size, len(self._weights)):
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
            difference *= self._lower[:, None]
        else:
            rank = self._lower.shape[1]
            # Columns of C-ordered arrays are rows of Fortran-ordered ones: nothing is copied.
            product = linalg.blas.dtrmm(
                1.0, self._lower[:rank], difference[:rank].T, side=1, lower=1, overwrite_b=1
            )
            if rank < instances:
                product = linalg.blas.dgemm(
                    1.0, difference[rank:].T, self._lower[rank:], beta=1.0, c=product,
                    overwrite_c=1,
                )
            difference = product.T
        np.multiply(difference, difference, out=difference)
        return np.sqrt(np.add.reduce(difference, axis=0))


@dataclass(frozen=True)
class _Digits:
    """Loads a pair of classes of scikit-learn's digits."""

    a: int
    b: int

    def __call__(self) -> tuple[Array, NDArray[np.int64]]:
        from sklearn.datasets import load_digits

        images, classes = load_digits(return_X_y=True)
        return _pair(images / 16.0, classes, self.a, self.b)


@dataclass(frozen=True)
class _Mnist:
    """Loads the first images of a pair of MNIST's classes."""

    a: int
    b: int
    size: int

    def __call__(self) -> tuple[Array, NDArray[np.int64]]:
        images, classes = _mnist_images()
        chosen = np.flatnonzero((classes == self.a) | (classes == self.b))[: self.size]
        if len(chosen) < self.size:
            raise ValueError(
                f"size must be at most {len(chosen)} for digits {self.a} and {self.b}, "
                f"got {self.size}"
            )
        flat = images[chosen].reshape(self.size, -1) / 255.0
        return _pair(flat, classes[chosen], self.a, self.b)


def _pair(
    images: Array, classes: NDArray[Any], a: int, b: int
) -> tuple[Array, NDArray[np.int64]]:
    chosen = (classes == a) | (classes == b)
    return images[chosen], np.where(classes[chosen] == b, 1, -1)


def _mnist_file() -> Path | None:
    folder = os.environ.get("NOISYTHEORY_DATA")
    if not folder:
        return None
    path = Path(folder) / "mnist.npz"
    return path if path.is_file() else None


def _mnist_images() -> tuple[NDArray[Any], NDArray[Any]]:
    path = _mnist_file()
    if path is not None:
        with np.load(path) as archive:
            return archive["x_train"], archive["y_train"].astype(np.int64)
    from sklearn.datasets import fetch_openml

    try:
        data = fetch_openml("mnist_784", version=1, as_frame=False)
    except Exception as error:
        raise FileNotFoundError(
            "MNIST is neither in $NOISYTHEORY_DATA/mnist.npz nor to be had from OpenML "
            f"({error}); put mnist.npz with x_train and y_train in a folder and set the "
            "environment variable NOISYTHEORY_DATA to it"
        ) from error
    return data.data[:60_000], data.target[:60_000].astype(np.int64)


def _digit_pair(a: int, b: int) -> None:
    for name, digit in (("a", a), ("b", b)):
        if isinstance(digit, bool) or digit not in range(10):
            raise ValueError(f"{name} must be a digit from 0 to 9, got {digit!r}")
    if a == b:
        raise ValueError(f"a and b must be two different digits, got {a} twice")


def _whole(name: str, value: int, *, least: int = 1, most: int | None = None) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f">= {least}" if most is None else f"in [{least}, {most}]"
        raise ValueError(f"{name} must be a whole number {allowed}, got {value!r}")


def _rates_text(rates: tuple[Fraction | float, Fraction | float]) -> str:
    minus, plus = rates
    return _text(minus) if minus == plus else f"({_text(minus)}, {_text(plus)})"


def _text(value: Fraction | float) -> str:
    """A number for a name: short decimals as decimals, other fractions as fractions."""
    short = f"{float(value):g}"
    if isinstance(value, Fraction) and Fraction(short) != value:
        return str(value)
    return short


def _objects(values: Sequence[Any]) -> Objects:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _frozen(array: NDArray[Any]) -> Any:
    array.setflags(write=False)
    return array


def _points(points: Any) -> NDArray[Any]:
    array = np.asarray(points)
    checked = checked_points(array, "points")
    if not len(checked):
        raise ValueError("points must hold at least one instance, got none")
    if array.dtype.kind in "iu":
        return _frozen(array.astype(np.int64))
    exact = _exact_numbers(array)
    return _frozen(checked.copy() if exact is None else exact)


def _gram(gram: ArrayLike) -> NDArray[Any]:
    array = np.asarray(gram)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not len(array):
        raise ValueError(f"gram must be a square matrix, got shape {array.shape}")
    exact = _exact_numbers(array) if array.dtype.kind in "iuO" else None
    if exact is not None:
        if not np.array_equal(exact, exact.T):
            raise ValueError("gram must be symmetric")
        return _frozen(exact)
    floats = checked_points(array, "gram").astype(np.float64)
    if float(np.abs(floats - floats.T).max()) > 1e-12 * float(np.abs(floats).max()):
        raise ValueError("gram must be symmetric")
    return _frozen((floats + floats.T) / 2)


def _labels(labels: ArrayLike, length: int) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.shape != (length,):
        raise ValueError(f"labels must have shape ({length},), got {array.shape}")
    if not np.isin(array, (-1, 1)).all():
        wrong = array[~np.isin(array, (-1, 1))].tolist()[0]
        raise ValueError(f"labels must be -1 or 1, got {wrong!r}")
    return _frozen(array.astype(np.int64))


def _optional_weights(weights: ArrayLike | None) -> NDArray[Any] | None:
    return None if weights is None else _weights(weights, len(np.asarray(weights)))


def _weights(weights: ArrayLike | None, length: int) -> NDArray[Any]:
    if weights is None:
        return _frozen(_objects([Fraction(1, length)] * length))
    array = np.asarray(weights)
    if array.shape != (length,):
        raise ValueError(f"weights must have shape ({length},), got {array.shape}")
    exact = _exact_numbers(array) if array.dtype.kind in "iuO" else None
    if exact is not None:
        exact = _objects([Fraction(weight) for weight in exact])
    checked = array.astype(np.float64) if exact is None else exact
    if exact is None and not np.isfinite(checked).all():
        raise ValueError("weights must be finite, got NaN or infinity")
    if (checked < 0).any():
        raise ValueError(f"weights must be >= 0, got {min(checked)}")
    total = checked.sum()
    if abs(total - 1) > (1e-9 if exact is None else 0):
        raise ValueError(f"weights must sum to 1, got {total}")
    return _frozen(checked if exact is not None else checked / total)


def _exact_numbers(array: NDArray[Any], *, counted: bool = False) -> Objects | None:
    """The entries as integers and fractions, or ``None`` if one is a float.

    ``counted`` numbers are exact whatever their type: floats among them are halves at most.
    """
    if array.dtype.kind in "iub" or counted:
        if array.dtype.kind == "f":
            return _objects([Fraction(v) for v in array.ravel()]).reshape(array.shape)
        return array.astype(object)
    if array.dtype != object:
        return None
    exact = (int, np.integer, Fraction)
    return array.copy() if all(isinstance(v, exact) for v in array.ravel()) else None


def _over_one_denominator(array: Objects) -> tuple[Objects, int]:
    flat = [v if isinstance(v, Fraction) else Fraction(int(v)) for v in array.ravel()]
    denominator = math.lcm(*{v.denominator for v in flat})
    whole = [v.numerator * (denominator // v.denominator) for v in flat]
    return _objects(whole).reshape(array.shape), denominator


def _compact(whole: Objects) -> NDArray[Any]:
    """The same whole numbers in 64 bits where they fit with room to spare."""
    largest = max((abs(int(v)) for v in whole.ravel()), default=0)
    return whole.astype(np.int64) if largest < 2**53 else whole


def _exact_gram(points: NDArray[Any], kernel: Kernel) -> _ExactGram | None:
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
        return _ExactGram(product, denominator**2)
    shifted = _objects([Fraction(int(v), denominator**2) for v in product.ravel()])
    return _ExactGram.of(
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
        return points, _frozen(index)
    first = np.full(len(seen), len(points))
    np.minimum.at(first, index, np.arange(len(points)))
    return _frozen(points[first]), _frozen(index)


def _union(
    first: _Table, second: _Table
) -> tuple[_Space, NDArray[np.int64], NDArray[np.int64]]:
    """A space that holds the instances of both, and where it holds them."""
    left, right = first.space, second.space
    if left is right:
        same = np.arange(len(left.gram))
        return left, same, same
    if left.points is None or right.points is None:
        if left.points is None and right.points is None and np.array_equal(left.gram, right.gram):
            same = np.arange(len(left.gram))
            return left, same, same
        raise ValueError("the populations' features cannot be compared: their Gram matrices differ")
    if left.kernel != right.kernel or left.points.shape[1] != right.points.shape[1]:
        raise ValueError("the populations must have the same kernel and dimension")
    points = _joined(left.points, right.points)
    distinct, index = _distinct(points)
    return _Space(left.kernel, distinct), index[: len(left.points)], index[len(left.points) :]


def _joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Concatenation, exact only if both are."""
    if "f" in (first.dtype.kind, second.dtype.kind):
        first, second = first.astype(np.float64), second.astype(np.float64)
    return _frozen(np.concatenate([first, second]))


def _scaled(weights: NDArray[Any], factor: Fraction | float) -> NDArray[Any]:
    if weights.dtype == object and isinstance(factor, Fraction):
        return weights * factor
    return weights.astype(np.float64) * float(factor)


def _product(weights: NDArray[Any], rates: Objects) -> NDArray[Any]:
    if weights.dtype == object and all(isinstance(rate, Fraction) for rate in rates):
        return weights * rates
    return weights.astype(np.float64) * rates.astype(np.float64)


def _chunks(size: int, cells: int) -> list[slice]:
    """Slices of replicates that hold some `CHUNK_CELLS` numbers, and no fewer than 256 columns."""
    step = max(256, CHUNK_CELLS // cells) if cells <= CHUNK_CELLS else 1
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def _compositions(n: int, parts: int) -> NDArray[np.int64]:
    """All vectors of ``parts`` counts that sum to ``n``, one a row."""
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([n], dtype=np.int64)
    for _ in range(parts - 1):
        repeat = left + 1
        source = np.repeat(np.arange(len(rows)), repeat)
        start = np.repeat(np.cumsum(repeat) - repeat, repeat)
        value = np.arange(len(source)) - start
        rows = np.column_stack([rows[source], value])
        left = left[source] - value
    return np.column_stack([rows, left])


def _merged(values: Array, probabilities: Array) -> tuple[Array, Array]:
    """Sort a law and join values that differ by rounding alone."""
    order = np.argsort(values, kind="stable")
    values, probabilities = values[order], probabilities[order]
    scale = float(values[-1])
    new = np.concatenate([[True], np.diff(values) > 1e-12 * scale])
    start = np.flatnonzero(new)
    joined = np.add.reduceat(probabilities, start)
    return values[start], joined / joined.sum()


def _covariances(covariances: ArrayLike, components: int, dimension: int) -> Array:
    array = np.asarray(covariances, dtype=np.float64)
    if array.ndim == 0 or array.shape == (components,):
        variances = np.broadcast_to(array, (components,))
        array = variances[:, None, None] * np.eye(dimension)
    if array.shape != (components, dimension, dimension):
        raise ValueError(
            f"covariances must be one number, ({components},) or "
            f"({components}, {dimension}, {dimension}), got shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError("covariances must be finite, got NaN or infinity")
    symmetric = (array + array.transpose(0, 2, 1)) / 2
    if np.abs(symmetric - array).max() > 1e-12 * np.abs(array).max():
        raise ValueError("covariances must be symmetric")
    if not (np.linalg.eigvalsh(symmetric) > 0).all():
        raise ValueError("covariances must be positive definite")
    return symmetric


def _component_products(first: GaussianMixture, second: GaussianMixture) -> Array:
    """$E K(X_a, X_b)$ for every component of one and of the other."""
    dimension, bandwidth = first.dimension, float(first.kernel.bandwidth)
    total = first.covariances[:, None] + second.covariances[None] + bandwidth**2 * np.eye(dimension)
    root = np.linalg.cholesky(total)
    difference = first.means[:, None] - second.means[None]
    white = np.linalg.solve(root, difference[..., None])[..., 0]
    scale = (bandwidth / np.diagonal(root, axis1=-2, axis2=-1)).prod(axis=-1)
    return np.asarray(scale * np.exp(-0.5 * (white**2).sum(axis=-1)))


def _mixture_inner(first: GaussianMixture, second: GaussianMixture) -> float:
    products = _component_products(first, second)
    return float((first.weights * first.labels) @ products @ (second.weights * second.labels))


def _taylor_terms(largest: float) -> int:
    """Number of Taylor features that leave out less than 1e-17 up to ``largest`` bandwidths."""
    square = largest**2
    terms = int(square + 4 * math.sqrt(square)) + 4
    while special.gammainc(terms, square) > 1e-17:
        terms += max(4, terms // 8)
    return terms


def _taylor_norms(scaled: Array, signs: Array, terms: list[int]) -> Array:
    """Squared norms of signed samples in Taylor features, ``scaled`` in bandwidths."""
    count, n, dimension = scaled.shape
    norms = np.empty(count)
    # Samples of a piece, so that its features stay in cache where they are held at all.
    step = max(1, (1 << 18) // (n * (1 if dimension == 1 else sum(terms))))
    for start in range(0, count, step):
        rows = slice(start, start + step)
        if dimension == 1:
            t, total = scaled[rows, :, 0], 0.0
            term = np.exp(-0.5 * t * t) * signs[rows]
            for j in range(terms[0]):
                if j:
                    term *= t
                    term *= 1 / math.sqrt(j)
                total = total + term.sum(axis=1) ** 2
            norms[rows] = total
            continue
        left = _taylor_features(scaled[rows, :, 0], terms[0]) * signs[None, rows]
        right = _taylor_features(scaled[rows, :, 1], terms[1])
        means = left.transpose(1, 0, 2) @ right.transpose(1, 2, 0)
        norms[rows] = np.einsum("bij,bij->b", means, means)
    return norms


def _taylor_features(t: Array, terms: int) -> Array:
    features = np.empty((terms, *t.shape))
    np.exp(-0.5 * t * t, out=features[0])
    for j in range(1, terms):
        np.multiply(features[j - 1], t, out=features[j])
        features[j] *= 1 / math.sqrt(j)
    return features


def _feed(hasher: Any, value: Any) -> None:
    """Hash a recipe: arrays by content, functions by name."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        hasher.update(f"array {value.dtype.str} {value.shape} ".encode())
        hasher.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, np.ndarray):
        hasher.update(f"objects {value.shape} {[str(v) for v in value.ravel()]} ".encode())
    elif is_dataclass(value) and not isinstance(value, type):
        hasher.update(f"{type(value).__qualname__}( ".encode())
        for field in fields(value):
            _feed(hasher, getattr(value, field.name))
        hasher.update(b") ")
    elif isinstance(value, tuple):
        for item in value:
            _feed(hasher, item)
    elif isinstance(value, np.generic):
        hasher.update(f"{value.item()!r} ".encode())
    elif callable(value):
        hasher.update(f"{value.__module__}.{value.__qualname__} ".encode())
    else:
        hasher.update(f"{value!r} ".encode())
