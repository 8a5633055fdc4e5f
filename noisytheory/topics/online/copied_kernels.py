r"""Unbiased estimates of kernel values and Gram matrices from noisy copies of each instance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_floats

__all__ = ["gram_matrix", "kernel_value", "mean_product", "noise_variance", "squared_norm"]

Floats = NDArray[np.float64]


def _copies(name: str, values: ArrayLike, shape: str) -> Floats:
    """Finite numbers, in an array with the dimensions of its shape, or with more."""
    x = checked_floats(name, values)
    wanted = 1 + shape.count(", ")
    if x.ndim != wanted and not (shape.startswith("...") and x.ndim >= wanted - 1):
        raise ValueError(f"{name} must have shape ({shape}), got {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must be finite, got {x[~np.isfinite(x)][0]}")
    return x


def mean_product(copies: ArrayLike) -> Floats:
    r"""Mean over all choices of n different copies, in any order, of their product.

    Of independent copies of X it is the best unbiased estimate of $(\mathbb EX)^n$ for every n up
    to the number of copies: an elementary symmetric polynomial over its number of terms.

    Parameters
    ----------
    copies : array, shape (..., k)

    Returns
    -------
    ndarray, shape (..., k + 1)
        For n = 0, ..., k.

    Examples
    --------
    >>> mean_product([1.0, 2.0, 3.0]).round(6).tolist()
    [1.0, 2.0, 3.666667, 6.0]
    """
    x = _copies("copies", copies, "..., k")
    k = x.shape[-1]
    out = np.zeros((*x.shape[:-1], k + 1))
    out[..., 0] = 1
    for j in range(k):
        # Means in place of sums, so that nothing overflows that need not.
        for n in range(j + 1, 0, -1):
            kept = (j + 1 - n) / (j + 1)
            out[..., n] = kept * out[..., n] + (1 - kept) * x[..., j] * out[..., n - 1]
    return out


def squared_norm(copies: ArrayLike) -> Floats:
    r"""Unbiased $\|x\|^2$ from two or more noisy copies: products of different ones only.

    Parameters
    ----------
    copies : array, shape (..., k, d)

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> float(squared_norm([[3.0], [1.0]]))
    3.0
    """
    x = _copies("copies", copies, "..., k, d")
    k = x.shape[-2]
    if k < 2:
        raise ValueError(f"copies must be two or more of each instance, got {k}")
    total = np.square(x.sum(axis=-2)).sum(axis=-1) - np.square(x).sum(axis=(-2, -1))
    return np.asarray(total / (k * (k - 1)))


def noise_variance(copies: ArrayLike) -> Floats:
    r"""Unbiased $\mathbb E\|\tilde x-x\|^2$ from two or more noisy copies of one law.

    Parameters
    ----------
    copies : array, shape (..., k, d)

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> float(noise_variance([[3.0], [1.0]]))
    2.0
    """
    x = checked_floats("copies", copies)
    return np.asarray(np.square(x).sum(axis=-1).mean(axis=-1) - squared_norm(x))


def _between(x: Floats, z: Floats, count: int) -> Floats:
    r"""Unbiased $\langle x_a,z_b\rangle^n$ for n below count, of copies (a, k, d) and (b, m, d)."""
    (a, k, _), (b, m, _) = x.shape, z.shape
    out = np.ones((a, b, count))
    if count > 1:
        out[..., 1] = x.mean(axis=1) @ z.mean(axis=1).T
    if count > 2:
        # All products of two pairs, less those that share a copy of x, or one of z.
        total = k * m * out[..., 1]
        of_x = sum((x[:, i] @ z.sum(axis=1).T) ** 2 for i in range(k))
        of_z = sum((x.sum(axis=1) @ z[:, j].T) ** 2 for j in range(m))
        of_both = sum((x[:, i] @ z[:, j].T) ** 2 for i in range(k) for j in range(m))
        out[..., 2] = (total**2 - of_x - of_z + of_both) / (k * (k - 1) * m * (m - 1))
    if count > 3:
        least = min(k, m)
        products = np.einsum("ajd,bjd->abj", x[:, :least], z[:, :least])
        out[..., 3:] = mean_product(products)[..., 3:count]
    return out


def _own(x: Floats, count: int) -> Floats:
    r"""Unbiased $\|x_a\|^{2n}$ for n below count, of copies (a, k, d)."""
    k = x.shape[1]
    out = np.ones((len(x), count))
    if count > 1:
        out[:, 1] = squared_norm(x)
    if count > 2:
        pairs = x @ x.swapaxes(1, 2)
        pairs[:, np.arange(k), np.arange(k)] = 0
        total = pairs.sum(axis=(1, 2)) ** 2
        rows = np.square(pairs.sum(axis=1)).sum(axis=1)
        sharing = 4 * rows - 2 * np.square(pairs).sum(axis=(1, 2))
        out[:, 2] = (total - sharing) / (k * (k - 1) * (k - 2) * (k - 3))
    if count > 3:
        half = 2 * (k // 2)
        products = np.einsum("ajd,ajd->aj", x[:, :half:2], x[:, 1:half:2])
        out[:, 3:] = mean_product(products)[:, 3:count]
    return out


def kernel_value(kernel: Any, x: ArrayLike, z: ArrayLike) -> float:
    r"""Unbiased $k(x,z)$ of a polynomial kernel from k copies of each instance.

    $\langle x,z\rangle^n$ is the mean of products of n pairs of a copy of x and one of z, no copy
    in two of them: over all pairings for n up to 2, and beyond over all choices of n of the pairs
    (copy j of x, copy j of z).

    Parameters
    ----------
    kernel : DotProduct
        Of a degree up to the number of copies.
    x, z : array, shape (k, d)
        The numbers of copies may differ.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there are fewer copies than the kernel's degree.

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import HomogeneousProduct
    >>> kernel_value(HomogeneousProduct(2), [[1.0], [2.0]], [[1.0], [1.0]])
    2.0
    >>> kernel_value(HomogeneousProduct(1), [[1.0], [2.0]], [[1.0], [3.0]])
    3.0
    """
    x, z = _copies("x", x, "k, d"), _copies("z", z, "k, d")
    if x.shape[1] != z.shape[1]:
        raise ValueError(f"x and z must have as many features, got {x.shape[1]} and {z.shape[1]}")
    if kernel.degree is None or kernel.degree > min(len(x), len(z)):
        raise ValueError(
            f"kernel must be a polynomial of degree at most the number of copies "
            f"{min(len(x), len(z))}, got {kernel.name}"
        )
    powers = _between(x[None], z[None], kernel.degree + 1)[0, 0]
    return float(powers @ kernel.coefficients(kernel.degree + 1))


def gram_matrix(kernel: Any, copies: ArrayLike) -> Floats:
    r"""Unbiased Gram matrix of a polynomial kernel from k copies of each instance.

    Off the diagonal as `kernel_value`; on it the factors are products of two different copies of
    the same instance: all pairs up to degree 2, and beyond (1, 2), (3, 4) and so on.

    Parameters
    ----------
    kernel : DotProduct
        Of a degree up to half the number of copies.
    copies : array, shape (n, k, d)

    Returns
    -------
    ndarray, shape (n, n)
        Unbiased in every entry; it may have negative eigenvalues.

    Raises
    ------
    ValueError
        If there are fewer copies than twice the kernel's degree.

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> gram_matrix(LinearProduct(), [[[1.0], [3.0]], [[2.0], [4.0]]]).tolist()
    [[3.0, 6.0], [6.0, 8.0]]
    """
    x = _copies("copies", copies, "n, k, d")
    if kernel.degree is None or 2 * kernel.degree > x.shape[1]:
        raise ValueError(
            f"kernel must be a polynomial of degree at most half the number of copies "
            f"{x.shape[1]}, got {kernel.name}"
        )
    coefficients = kernel.coefficients(kernel.degree + 1)
    found = _between(x, x, len(coefficients)) @ coefficients
    np.fill_diagonal(found, _own(x, len(coefficients)) @ coefficients)
    return np.asarray(found)
