r"""Mixtures of Gaussians under a Gaussian kernel: means in the RKHS in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, special

from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.kernels import Gaussian, checked_points, rkhs_norm
from noisytheory.vocabulary.noise import Number, checked_rate, flip_rates
from noisytheory.vocabulary.populations.atoms import (
    Array,
    Exact,
    checked_whole,
    chunks,
    frozen,
    given_labels,
    given_weights,
)
from noisytheory.vocabulary.populations.finite import Finite, rates_text
from noisytheory.vocabulary.populations.law import Population

__all__ = ["GaussianMixture"]

# Samples up to this size have their Gram matrices summed in one stack.
BATCHED_SAMPLE = 256


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
        weights: Exact,
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
            weights=frozen(given_weights(weights, components).astype(np.float64)),
            means=frozen(centres),
            covariances=frozen(_covariances(covariances, components, dimension)),
            labels=given_labels(labels, components),
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
        >>> from noisytheory.vocabulary.populations import two_gaussians
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
        checked_whole("n", n)
        return self._sample((n,), rng)

    def _sample(
        self, shape: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[Array, NDArray[np.int64]]:
        component = np.searchsorted(np.cumsum(self.weights)[:-1], rng.random(shape), side="right")
        points = rng.standard_normal((*shape, self.dimension))
        factors = np.linalg.cholesky(self.covariances)
        spread = float(factors[0, 0, 0])
        if (factors == spread * np.eye(self.dimension)).all():
            points *= spread
            points += self.means.take(component, axis=0)
            return points, self.labels.take(component)
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
        >>> from noisytheory.vocabulary.populations import two_gaussians
        >>> population = two_gaussians()
        >>> drawn = population.deviations(50, size=20_000, rng=np.random.default_rng(1))
        >>> abs(float(np.mean(drawn**2)) * 50 / population.variance - 1) < 0.02
        True
        """
        checked_whole("n", n)
        checked_whole("size", size)
        squares = np.empty(size)
        for rows in chunks(size, 4 * n * self.dimension, least=1):
            count = rows.stop - rows.start
            points, labels = self._sample((count, n), rng)
            flat = points.reshape(-1, self.dimension)
            agreement = (labels * self.score(flat).reshape(count, n)).mean(axis=1)
            squares[rows] = self.norm**2 - 2 * agreement + self._sample_norms(points, labels)
        return np.sqrt(np.maximum(squares, 0.0))

    def _sample_norms(self, points: Array, labels: NDArray[np.int64]) -> Array:
        """$\\|\\Phi(S)\\|^2$ for each of a stack of samples."""
        n, dimension = points.shape[1:]
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
        self, sigma: Number | Sequence[Any], *, any_rate: bool = False
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
        >>> from noisytheory.vocabulary.populations import two_gaussians
        >>> clean = two_gaussians()
        >>> round(clean.with_label_noise(0.25).norm / clean.norm, 12)
        0.5
        """
        rates = flip_rates(sigma, any_rate=any_rate)
        flip = np.where(self.labels == 1, float(rates[1]), float(rates[0]))
        return GaussianMixture(
            f"{self.name}, label noise {rates_text(rates)}",
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


def _covariances(covariances: ArrayLike, components: int, dimension: int) -> Array:
    array = checked_floats("covariances", covariances)
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
    step = max(1, (1 << 16) // n if dimension == 1 else (1 << 18) // (n * sum(terms)))
    for start in range(0, count, step):
        rows = slice(start, start + step)
        if dimension == 1:
            norms[rows] = _line_norms(scaled[rows, :, 0], signs[rows], terms[0])
            continue
        left = _taylor_features(scaled[rows, :, 0], terms[0]) * signs[None, rows]
        right = _taylor_features(scaled[rows, :, 1], terms[1])
        means = left.transpose(1, 0, 2) @ right.transpose(1, 2, 0)
        norms[rows] = np.einsum("bij,bij->b", means, means)
    return norms


def _line_norms(t: Array, signs: Array, terms: int) -> Array:
    """The same on a line: the last features are those of the few points far out."""
    size = np.abs(t)
    near = 0.65 * float(size.max())
    first = min(_taylor_terms(near), terms)
    term = np.exp(-0.5 * t * t) * signs
    total: Array = term.sum(axis=1) ** 2
    for j in range(1, first):
        term *= t
        term *= 1 / math.sqrt(j)
        total += term.sum(axis=1) ** 2
    far = np.nonzero(size > near)
    left, places = term[far], t[far]
    for j in range(first, terms):
        left *= places
        left *= 1 / math.sqrt(j)
        total += np.bincount(far[0], left, len(t)) ** 2
    return total


def _taylor_features(t: Array, terms: int) -> Array:
    features = np.empty((terms, *t.shape))
    np.exp(-0.5 * t * t, out=features[0])
    for j in range(1, terms):
        np.multiply(features[j - 1], t, out=features[j])
        features[j] *= 1 / math.sqrt(j)
    return features
