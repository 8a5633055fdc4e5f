r"""Points by other names: with their class as a coordinate, or as the number of a sparse row."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.learners.tiles import Points, squared_norms, tile
from noisytheory.vocabulary.kernels import Gaussian, Kernel, Plan, checked_points

__all__ = ["Labelled", "SparseRows"]

Floats: TypeAlias = NDArray[np.floating[Any]]
Index: TypeAlias = slice | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Labelled(Kernel):
    r"""$K(x,x')$ for points of one class, $-K(x,x')/(q-1)$ for points of two.

    The classes are the corners of a regular simplex, $\langle s_y,s_{y'}\rangle=-\frac1{q-1}$, and
    the feature is $\phi(x)\otimes s_y$: for two classes it is $y\phi(x)$.

    Parameters
    ----------
    kernel : Kernel
        Of the points.
    classes : int
        $q\ge2$. The last coordinate of a row is its class, $0,\dots,q-1$.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> Labelled(Linear(), 3)([[2.0, 0]], [[1.0, 0], [1.0, 2]]).tolist()
    [[2.0, -1.0]]
    """

    kernel: Kernel
    classes: int

    def diagonal(self, x: ArrayLike) -> Floats:
        """That of the kernel, shape (n,)."""
        return self.kernel.diagonal(checked_points(x)[:, :-1])

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """That of the kernel, with the classes' factor behind its last step."""
        points = np.ascontiguousarray(x[:, :-1])
        others = points if z is x else np.ascontiguousarray(z[:, :-1])
        inner = self.kernel.plan(points, others, scaled=scaled)
        left, right = x[:, -1], z[:, -1]

        def finish(tile: Floats, rows: Index, columns: Index) -> None:
            if inner.finish is not None:
                inner.finish(tile, rows, columns)
            np.divide(tile, 1 - self.classes, out=tile, where=left[rows, None] != right[columns])

        # Between two classes the kernel falls where the inner product grows.
        return dataclasses.replace(inner, finish=finish, increasing=False)


@dataclass(frozen=True, eq=False)
class SparseRows(Kernel):
    """A Gaussian kernel of sparse rows, on their numbers.

    Parameters
    ----------
    kernel : Gaussian
    points : sparse array, shape (n, d)
        In compressed rows. A point of this kernel is one number, of a row here.

    Examples
    --------
    >>> from scipy import sparse
    >>> rows = SparseRows(Gaussian(2.0), sparse.csr_array([[2.0, 0.0], [0.0, 0.0]]))
    >>> rows([[0.0]], [[0.0], [1.0]]).round(6).tolist()
    [[1.0, 0.606531]]
    """

    kernel: Gaussian
    points: Points

    def diagonal(self, x: ArrayLike) -> Floats:
        """Ones, shape (n,)."""
        return np.ones(len(checked_points(x)))

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """Products of sparse rows in place of the product of their numbers."""
        squares = squared_norms(self.points)
        left, right = x[:, 0].astype(np.intp), z[:, 0].astype(np.intp)

        def finish(out: Floats, rows: Index, columns: Index) -> None:
            few, many = left[rows], right[columns]
            turned = len(few) < len(many)
            # The right side is transposed: the smaller of the two.
            if turned:
                few, many = many, few
            block = tile(
                self.kernel, self.points[few], self.points[many], squares[few], squares[many]
            )
            out[...] = block.T if turned else block

        return Plan(x, z.T, finish)
