r"""What every algorithm here approximates, and what it returns.

The target is $\omega^*=\sum_i\alpha_i\phi(x_i)$ with weights of any sign. As in Section 5.3 of the
paper on the kernel mean it is written $W\pi^*$ with $W=\sum|\alpha_i|$ and $\pi^*$ in the convex
hull of the signed features $\mathrm{sign}(\alpha_i)\phi(x_i)$, and $\pi^*$ is approximated there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.kernels import TILE_COLUMNS, TILE_ROWS, Kernel, checked_points

__all__ = ["Approximation", "Target", "checked_count"]

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Approximation:
    """A sparse weighted sample near the target.

    Parameters
    ----------
    indices : int array, shape (s,)
        Points used, each once, in the order of their first use.
    weights : array, shape (s,)
        Their weights, with the sign of the target's.
    errors : array, shape (steps,)
        RKHS distance to the target after every step; the last is that of these weights.
    """

    indices: Ints
    weights: Doubles
    errors: Doubles

    @property
    def error(self) -> float:
        """RKHS distance to the target."""
        return float(self.errors[-1])

    def __repr__(self) -> str:
        return f"Approximation({len(self.indices)} atoms, error {self.error:.6g})"


class Target:
    """The signed, normalised target with its inner products, and rows of the signed Gram matrix.

    Points of weight zero are dropped: `kept` maps positions here to rows of the points given.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Weights of any sign, not all zero.

    Raises
    ------
    ValueError
        On NaN, if the shapes do not fit, or if every weight is zero.
    """

    def __init__(self, kernel: Kernel, points: ArrayLike, alpha: ArrayLike) -> None:
        everything = checked_points(points, "points")
        weights = np.asarray(alpha, dtype=np.float64)
        if weights.shape != (len(everything),) or not np.isfinite(weights).all():
            raise ValueError(
                f"alpha must hold {len(everything)} finite numbers, got shape {weights.shape}"
            )
        self.kept: Ints = np.flatnonzero(weights).astype(np.int64)
        if not self.kept.size:
            raise ValueError("alpha must not be zero everywhere")
        used = weights[self.kept]
        self.kernel = kernel
        self.points = everything if self.kept.size == len(everything) else everything[self.kept]
        self.total = float(np.abs(used).sum())
        self.signs: Doubles = np.sign(used)
        self.masses: Doubles = np.abs(used) / self.total
        self.diagonal: Doubles = kernel.diagonal(self.points).astype(np.float64)
        # The factors of a Gram block, made once: a row is then one product and one pass.
        self._plan = kernel._plan(self.points, self.points)
        self._one_sign = bool(np.all(self.signs == self.signs[0]))
        self._scores: Doubles | None = None

    def __len__(self) -> int:
        return len(self.points)

    def row(self, i: int, out: Floats) -> Floats:
        r"""$\langle s_i\phi(x_i),s_j\phi(x_j)\rangle$ for all $j$, written into ``out``."""
        np.matmul(self._plan.left[i], self._plan.right, out=out)
        if self._plan.finish is not None:
            self._plan.finish(out[None, :], slice(i, i + 1), slice(0, len(out)))
        if not self._one_sign:
            out *= self.signs[i]
            out *= self.signs
        out[i] = self.diagonal[i]
        return out

    def buffer(self) -> Floats:
        """An array that `row` can write into."""
        return np.empty(len(self), dtype=self.points.dtype)

    @property
    def scores(self) -> Doubles:
        r"""$\langle\pi^*,s_i\phi(x_i)\rangle$ at every point, from half of the Gram matrix."""
        if self._scores is None:
            signed = self.masses * self.signs
            sums = np.zeros(len(self))
            tile = np.empty((TILE_ROWS, TILE_COLUMNS), dtype=self.points.dtype)
            for top in range(0, len(self), TILE_ROWS):
                rows = slice(top, min(top + TILE_ROWS, len(self)))
                for first in range(top, len(self), TILE_COLUMNS):
                    columns = slice(first, min(first + TILE_COLUMNS, len(self)))
                    self._add_tile(tile, rows, columns, signed, sums)
            self._scores = sums * self.signs
        return self._scores

    def _add_tile(
        self, tile: Floats, rows: slice, columns: slice, signed: Doubles, sums: Doubles
    ) -> None:
        block = tile.ravel()[: (rows.stop - rows.start) * (columns.stop - columns.start)]
        block = block.reshape(rows.stop - rows.start, columns.stop - columns.start)
        np.matmul(self._plan.left[rows], self._plan.right[:, columns], out=block)
        if self._plan.finish is not None:
            self._plan.finish(block, rows, columns)
        sums[rows] += block @ signed[columns].astype(block.dtype, copy=False)
        # The part of the tile below the diagonal blocks has been seen; its mirror has not.
        beyond = max(0, min(rows.stop, columns.stop) - columns.start)
        mirrored = slice(columns.start + beyond, columns.stop)
        sums[mirrored] += signed[rows].astype(block.dtype, copy=False) @ block[:, beyond:]

    @property
    def square(self) -> float:
        r"""$\|\pi^*\|^2$."""
        return float(self.masses @ self.scores)

    def gram(self, atoms: Ints) -> Doubles:
        """Signed Gram matrix of a few points."""
        chosen = self.points[atoms]
        block = self.kernel(chosen).astype(np.float64) * self.signs[atoms]
        return np.asarray(block * self.signs[atoms][:, None])

    def distance(self, atoms: Ints, shares: Doubles, gram: Doubles | None = None) -> float:
        r"""$W\|\pi^*-\sum_jq_js_j\phi(x_j)\|$ for a few points."""
        block = self.gram(atoms) if gram is None else gram
        square = self.square - 2 * shares @ self.scores[atoms] + shares @ block @ shares
        return self.total * math.sqrt(max(float(square), 0.0))

    def approximation(
        self, atoms: ArrayLike, shares: ArrayLike, errors: ArrayLike
    ) -> Approximation:
        """Merge repeated atoms, drop those of no weight, and go back to the points given."""
        raw, amounts = np.asarray(atoms, dtype=np.int64), np.asarray(shares, dtype=np.float64)
        unique, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        sums = np.bincount(inverse, weights=amounts, minlength=len(unique))
        order = np.argsort(first, kind="stable")
        order = order[sums[order] != 0]
        chosen = unique[order]
        return Approximation(
            self.kept[chosen],
            self.total * self.signs[chosen] * sums[order],
            np.atleast_1d(np.asarray(errors, dtype=np.float64)),
        )


def checked_count(name: str, value: int, most: int | None = None) -> int:
    """A whole number from 1 to ``most``, or a ValueError that names it.

    Parameters
    ----------
    name : str
        The argument's name.
    value, most : int
        What came, and the largest allowed.

    Returns
    -------
    int
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < 1 or (most is not None and value > most):
        limit = "" if most is None else f" and <= {most}"
        raise ValueError(f"{name} must be a whole number >= 1{limit}, got {value!r}")
    return int(value)
