r"""Populations that trials use, each with the mean and the laws that it is there for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.data import data_file, first_rows
from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.noise import Number, checked_number, checked_rate
from noisytheory.vocabulary.populations.atoms import Array, checked_whole
from noisytheory.vocabulary.populations.finite import Finite, number_text
from noisytheory.vocabulary.populations.mixtures import GaussianMixture

__all__ = [
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


def axis(p: Number = Fraction(1, 2)) -> Finite:
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
        "axis, fair" if 2 * probability == 1 else f"axis, p={number_text(probability)}",
        points=[[1], [1]],
        labels=[1, -1],
        weights=[probability, 1 - probability],
    )


def two_axes(p: Number = Fraction(1, 2), q: Number | None = None) -> Finite:
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
    name = number_text(first) + ("" if first == second else f", q={number_text(second)}")
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
    checked_whole("count", count)
    return Finite(f"{count} axes", _Built(_axes, int(count)))


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
    checked_whole("count", count)
    return Finite(f"{count} orthonormal", _Built(_orthonormal, int(count)))


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
    checked_whole("count", count, least=3)
    return Finite(f"circle of {count}", _Built(_circle, int(count)))


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
    checked_whole("count", count, most=12)
    return Finite(f"{count} independent signs", _Built(_independent_signs, int(count)))


def oblique_pair(
    mass: Number = Fraction(9, 10), cosine: Number = Fraction(-1, 8)
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
        f"oblique pair, mass={number_text(probability)}, cosine={number_text(angle)}",
        [[Fraction(1), angle], [angle, Fraction(1)]],
        [probability, 1 - probability],
    )


def long_servedio(R: Number = 30) -> Finite:
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
        f"Long-Servedio, R={number_text(far)}",
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
        errs on 2.0% of the pair 3 and 8, each image left out in turn; half the bandwidth makes
        the kernel nearly diagonal (median value 2e-6), twice the bandwidth raises the error to
        4.8%.

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
    kernel = Gaussian(bandwidth)
    return Finite(
        f"digits {a} and {b}, bandwidth {float(bandwidth):g}",
        _Digits(int(a), int(b)),
        kernel=kernel,
    )


def mnist(a: int = 3, b: int = 8, bandwidth: float = 4.0, size: int = 2000) -> Finite:
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
        Of the Gaussian kernel, in units of a fully lit pixel; the default gives the kernel a
        median of about 0.05, that of `digits` at its own.
    size : int
        Number of atoms.

    Returns
    -------
    Finite

    Raises
    ------
    ValueError
        If an argument is out of its range.
    OSError
        On first use, if the images are in neither place, or cannot be read.

    Examples
    --------
    >>> mnist(4, 9, size=500).name
    'MNIST 4 and 9, bandwidth 4, 500 images'
    """
    _digit_pair(a, b)
    checked_whole("size", size)
    kernel = Gaussian(bandwidth)
    return Finite(
        f"MNIST {a} and {b}, bandwidth {float(bandwidth):g}, {size} images",
        _Mnist(int(a), int(b), int(size)),
        kernel=kernel,
    )


def mnist_available() -> bool:
    """Whether `mnist` can load its images without the network.

    Returns
    -------
    bool
        Whether ``mnist.npz`` lies in ``$NOISYTHEORY_DATA``, or scikit-learn holds a copy.
    """
    if data_file(_MNIST) is not None:
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
    checked_whole("dimension", dimension)
    distance = NONNEGATIVE.number("distance", distance)
    spread = POSITIVE.number("spread", spread)
    kernel = Gaussian(bandwidth)
    means = np.zeros((2, dimension))
    means[:, 0] = -distance / 2, distance / 2
    details = f"distance {distance:g}, dimension {dimension}, bandwidth {float(bandwidth):g}"
    return GaussianMixture(
        f"two Gaussians, {details}" + ("" if spread == 1 else f", spread {spread:g}"),
        weights=[Fraction(1, 2), Fraction(1, 2)],
        means=means,
        covariances=spread**2,
        labels=[-1, 1],
        kernel=kernel,
    )


@dataclass(frozen=True)
class _Built:
    """A loader that builds points and labels from a count; pickles by name."""

    build: Callable[[int], tuple[NDArray[Any], NDArray[np.int64]]]
    count: int

    def __call__(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        return self.build(self.count)


def _axes(count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return np.repeat(np.eye(count, dtype=np.int64), 2, axis=0), np.tile([1, -1], count)


def _orthonormal(count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return np.eye(count, dtype=np.int64), np.ones(count, dtype=np.int64)


def _circle(count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    angle = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angle), np.sin(angle)]), np.ones(count, dtype=np.int64)


def _independent_signs(count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    signs = 2 * np.array(list(np.ndindex(*[2] * count))) - 1
    return signs / math.sqrt(count), np.ones(len(signs), dtype=np.int64)


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
        path = data_file(_MNIST)
        if path is None:
            images, classes = _mnist_images()
        else:
            classes = first_rows(path, "y_train").astype(np.int64)
        chosen = np.flatnonzero((classes == self.a) | (classes == self.b))[: self.size]
        if len(chosen) < self.size:
            raise ValueError(
                f"size must be at most {len(chosen)} for digits {self.a} and {self.b}, "
                f"got {self.size}"
            )
        if path is not None:
            images = first_rows(path, "x_train", int(chosen.max(initial=0)) + 1)
        flat = images[chosen].reshape(self.size, -1) / 255.0
        return _pair(flat, classes[chosen], self.a, self.b)


def _pair(
    images: Array, classes: NDArray[Any], a: int, b: int
) -> tuple[Array, NDArray[np.int64]]:
    chosen = (classes == a) | (classes == b)
    return images[chosen], np.where(classes[chosen] == b, 1, -1)


_MNIST = "mnist.npz"


def _mnist_images() -> tuple[NDArray[Any], NDArray[Any]]:
    path = data_file(_MNIST)
    if path is not None:
        return first_rows(path, "x_train"), first_rows(path, "y_train").astype(np.int64)
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
