"""Small samples by name, and their lengths, from the definitions: what bounds of them name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.least_diameter import least_diameter
from noisytheory.vocabulary.kernels import Linear

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Points in the plane, or a space of few dimensions, with weights of any sign."""

    name: str
    points: tuple[tuple[float, ...], ...]
    alpha: tuple[float, ...]

    def digest(self) -> str:
        """What the laws depend on."""
        return repr(self)

    @property
    def target(self) -> Target:
        """As the algorithms see it."""
        return Target(Linear(), np.array(self.points), np.array(self.alpha))

    @property
    def signed(self) -> Doubles:
        """Signed points."""
        target = self.target
        return np.asarray(target.points * target.signs[:, None])


def _uneven_corners(n: int) -> Sample:
    """Random corners of a cube of 64 dimensions, all about as far from their mean."""
    rng = np.random.default_rng(n)
    points, weights = rng.integers(0, 2, (n, 64)) / 4, rng.integers(1, 10, n)
    return Sample(f"{n} uneven corners", tuple(map(tuple, points.tolist())),
                  tuple((weights / weights.sum()).tolist()))


def _equal(name: str, points: list[tuple[float, ...]]) -> Sample:
    return Sample(name, tuple(points), (1 / len(points),) * len(points))


SAMPLES = {
    sample.name: sample
    for sample in [
        _equal("line", [(x,) for x in (0.0, 0.05, 0.1, 0.45, 0.5, 0.9, 0.95, 1.0)]),
        _equal("halves", [(x,) for x in (0.0, 1.0)]),
        _equal("three pairs", [(0.0, 0.0), (0.1, 0.0), (1.0, 0.0), (0.9, 0.1), (0.0, 1.0),
                               (0.1, 0.9)]),
        _equal("orthonormal 5", [tuple(map(float, row)) for row in np.eye(5)]),
        Sample("weighted", ((0.0, 0.0), (0.2, 0.1), (0.8, 0.0), (1.0, 0.1), (0.5, 0.8)),
               (0.3, 0.25, 0.2, 0.15, 0.1)),
        Sample("signed", ((1.0, 0.0), (0.99, 0.1), (0.98, 0.15), (0.0, 1.0), (0.1, 0.99)),
               (0.6, -0.5, 0.4, -0.3, 0.2)),
        Sample("mixed", ((1.0, 0.0), (0.9, 0.3), (0.0, 1.0), (0.2, 0.9), (0.6, 0.7)),
               (0.5, -0.4, 0.3, -0.2, 0.1)),
        Sample("opposite", ((1.0, 0.0), (0.995, 0.0998749)), (1.0, -1.0)),
        _uneven_corners(40),
        _equal("orthonormal 6", [tuple(map(float, row)) for row in np.eye(6)]),
        Sample("one heavy corner", tuple(tuple(map(float, row)) for row in np.eye(6)),
               (0.6, *[0.08] * 5)),
    ]
}
"""Small samples by name."""


FAR = 2.0**-13
"""Mass of a point at a distance of 1 over it."""
TINY = 1e-7
"""Mass of a point that is there to be a centre."""


def heavy(
    m: int, share: float = 0.5, extra: bool = False, spread: bool = False, ends: float = 0.0
) -> Sample:
    """Points on a line, almost all mass in one cell of about twice the least diameter.

    Farthest-first centres from 0 leave -1, 0 and 1 together, though ``m`` cells of diameter 1 hold
    all points; the heavy cell gives as many draws as there are cells. With an ``extra`` point one
    centre more, as in the printed loop, leaves it whole, too.

    Parameters
    ----------
    m : int
        Cells, at least 2.
    share : float
        Mass of -1 among -1 and 1.
    extra : bool
        Whether 11 is there, too.
    spread : bool
        Whether -1 and 1 are five points each, up to 1/16 nearer to 0, of uneven weights: too many
        outcomes to enumerate.
    ends : float
        Mass that the last two of the others share, far out: who leaves out the farthest point
        would have both in one cell.

    Returns
    -------
    Sample

    Examples
    --------
    >>> [x for x, in heavy(4).points]
    [0.0, 2.0, 10.0, 20.0, -1.0, 1.0]
    """
    far = [0.0, 2.0, *(10.0 * i for i in range(1, m - 1))]
    light = [TINY] * len(far)
    if ends:
        far[-2:], light[-2:] = [1e4, 2e4], [ends / 2, ends / 2]
    far, light = far + [11.0] * extra, light + [TINY] * extra
    inward = [i / 64 for i in range(5)] if spread else [0.0]
    parts = np.random.default_rng(m).integers(1, 10, (2, len(inward)))
    parts = parts / parts.sum(axis=1)[:, None] * [[share], [1 - share]] * (1 - sum(light))
    name = f"heavy {'spread ' * spread}cell, share {share:g}" + (", extra point" if extra else "")
    name += f", {ends:g} far out" if ends else ""
    points = *far, *(i - 1 for i in inward), *(1 - i for i in inward)
    return Sample(name, tuple((x,) for x in points), (*light, *parts.ravel().tolist()))


def uneven(seed: int) -> Sample:
    """Eight random corners of a cube of 16 dimensions, and random weights, none of them 0."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 2, (8, 16)).astype(float)
    weights = (1 + rng.multinomial(56, rng.dirichlet(np.ones(8)))) / 64
    return Sample(f"uneven {seed}", tuple(map(tuple, points.tolist())), tuple(weights.tolist()))


def opposed(m: int, share: float = 0.5, total: float = 3.0) -> Sample:
    """Two equal points of opposite sign and almost all weight, and ``m - 1`` far ones.

    Parameters
    ----------
    m : int
        Cells, at least 2.
    share : float
        Of the positive one.
    total : float
        Of all weights, without signs.

    Returns
    -------
    Sample
    """
    rest = 1 - TINY * (m - 1)
    weights = (share * rest, -(1 - share) * rest, *[TINY] * (m - 1))
    points = ((1.0,), (1.0,), *((10.0 * i,) for i in range(1, m)))
    return Sample(f"opposed, share {share:g}", points, tuple(total * x for x in weights))


def pair(share: float = 0.5) -> Sample:
    """The points 0 and 1, with this share on 0."""
    return Sample(f"pair, share {share:g}", ((0.0,), (1.0,)), (share, 1 - share))


def uneven_pairs(*shares: Fraction) -> Sample:
    """Pairs of points at distance 1, far from each other, with these masses, half on each point."""
    points = tuple((10.0 * i + j,) for i in range(len(shares)) for j in (0, 1))
    weights = tuple(float(share / 2) for share in shares for _ in (0, 1))
    return Sample("pairs of mass " + ", ".join(map(str, shares)), points, weights)


def one_cell() -> Scheme:
    """The uneven corners in one cell, one draw from which is about as far off as another."""
    return Scheme(SAMPLES["40 uneven corners"], 1, (0,) * 40, counted=False)


def simplices(cells: int, corners: int, last: float | None = None) -> Sample:
    """Regular simplices of side 1 in spaces orthogonal to each other, of equal mass.

    With ``last`` there is one, and that is the mass of its last corner.
    """
    rows = np.eye(cells * corners) / math.sqrt(2)
    n = len(rows)
    weights = [1 / n] * n if last is None else [(1 - last) / (n - 1)] * (n - 1) + [last]
    name = ("a simplex" if cells == 1 else f"{cells} simplices") + f" of {corners} corners"
    return Sample(name + (f", last mass {last:g}" if last else ""),
                  tuple(map(tuple, rows.tolist())), tuple(weights))


def heavy_corners() -> Scheme:
    """Two regular simplices of 30 corners, one corner of each with six tenths of its weight."""
    rows = np.hstack([np.eye(60), np.repeat([[0.0], [10.0]], 30, axis=0)])
    weights = (0.3, *[0.2 / 29] * 29) * 2
    sample = Sample("two cells with a heavy corner", tuple(map(tuple, rows.tolist())), weights)
    return Scheme(sample, 4, (0,) * 30 + (1,) * 30)


def corners(*halves: int, signed: bool = False) -> Scheme:
    """Random corners of a cube of 128 dimensions, in cells of uneven shares far from each other.

    In a cell they are about equally far apart, as in a simplex, but no two pairs alike, and of
    uneven weights. A cell that is due a number and a half of draws gets one half more.

    Parameters
    ----------
    *halves : int
        Draws due to the cells, in halves: there are half as many cells as they sum to, the others
        empty.
    signed : bool
        Whether every other weight is negative, with the point on the other side of 0.

    Returns
    -------
    Scheme
    """
    shares, m = np.array(halves), sum(halves) // 2
    n, given = 8 * m, np.repeat(np.arange(len(halves)), 4 * shares)
    rng = np.random.default_rng(m)
    points, weights = rng.integers(0, 2, (n, 128)) / 8, rng.integers(1, 10, n)
    points[:, 0] += 40 * given
    weights = weights / np.bincount(given, weights)[given] * shares[given] / (2 * m)
    if signed:
        weights[1::2] *= -1
        points[1::2] *= -1
    name = f"{'signed ' * signed}corners in cells of {', '.join(map(str, 4 * shares))}"
    return Scheme(Sample(name, tuple(map(tuple, points.tolist())), tuple(weights.tolist())), m,
                  tuple(given.tolist()))


def lopsided(*halves: int, signed: bool = False) -> Scheme:
    """Cells of uneven shares far from each other, each with two groups of five points at its ends.

    The groups are up to an eighth wide, and the upper one has three quarters of the weight:
    uniform draws would be off by a quarter of the diameter.

    Parameters
    ----------
    *halves : int
        As in `corners`.
    signed : bool
        Whether every other cell has negative weights, with its points on the other side of 0.

    Returns
    -------
    Scheme
    """
    m, cells = sum(halves) // 2, len(halves)
    rng = np.random.default_rng(m)
    parts = rng.integers(1, 10, (cells, 2, 5))
    weights = parts / parts.sum(axis=2)[:, :, None] * [[1 / 4], [3 / 4]]
    weights = weights * np.array(halves)[:, None, None] / (2 * m)
    heights = np.array([[i / 32 for i in range(5)], [1 - i / 32 for i in range(5)]])
    points = np.stack(np.broadcast_arrays(10.0 * np.arange(cells)[:, None, None], heights), axis=-1)
    if signed:
        weights[1::2] *= -1
        points[1::2] *= -1
    name = f"{'signed ' * signed}lopsided cells, {', '.join(map(str, halves))} halves of draws"
    return Scheme(Sample(name, tuple(map(tuple, points.reshape(-1, 2).tolist())),
                         tuple(weights.ravel().tolist())), m,
                  tuple(np.repeat(np.arange(cells), 10).tolist()))


@dataclass(frozen=True)
class Scheme:
    """A sample with cells: those of a farthest-first traversal from its first point, or given ones.

    Parameters
    ----------
    sample : Sample
    m : int
        As in Theorem 21.
    given : tuple of int, optional
        Cell of every point.
    extra : int
        Centres beyond ``m``: the printed loop ends with one more.
    counted : bool
        Whether outcomes are counted where they are few enough; if not the public sampler draws.
    """

    sample: Sample
    m: int
    given: tuple[int, ...] | None = None
    extra: int = 0
    counted: bool = True

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{self.sample.name}; m = {self.m}" + ("" if self.counted else ", drawn")

    def digest(self) -> str:
        """What the laws depend on."""
        return repr(self)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Cell of every point; the algorithm on trial takes no part."""
        if self.given is not None:
            return np.array(self.given)
        return _cells(_squares(self.sample, True), self.m + self.extra)

    @cached_property
    def diameter(self) -> float:
        """Largest diameter of a cell."""
        return _widest(_squares(self.sample, True), self.cells)

    @cached_property
    def least_diameter(self) -> float:
        """$D^*(S,m)$, as users get it."""
        chosen = self.sample
        return least_diameter(Linear(), np.array(chosen.points), self.m, alpha=chosen.alpha)

    @property
    def total(self) -> float:
        r"""$W=\sum|\alpha|$."""
        return sum(abs(weight) for weight in self.sample.alpha)

    @cached_property
    def largest(self) -> float:
        """What no error exceeds: in every cell only the point farthest from its mean is drawn."""
        points, masses = self.sample.signed, np.abs(self.sample.alpha)
        reach = 0.0
        for cell in np.unique(self.cells):
            inside = self.cells == cell
            apart = points[inside] - masses[inside] @ points[inside] / masses[inside].sum()
            reach += masses[inside].sum() * math.sqrt(float((apart**2).sum(axis=1).max()))
        return reach


def far_apart(corners: int, m: int) -> Sample:
    """Corners of a regular simplex of side 1, and ``m - 1`` light points that cost an atom each.

    These lie along axes of their own, so far that leaving one out costs as much as all the rest.

    Parameters
    ----------
    corners : int
    m : int
        Cells.

    Returns
    -------
    Sample
    """
    lengths = [1 / math.sqrt(2)] * corners + [1 / FAR] * (m - 1)
    share = (1 - FAR * (m - 1)) / corners
    return Sample(f"{corners} corners, {m - 1} far", tuple(map(tuple, np.diag(lengths).tolist())),
                  (share,) * corners + (FAR,) * (m - 1))


def pairs_in_one(m: int, share: float = 0.5) -> Scheme:
    """Two points in one cell, and no others: ``m`` draws."""
    return Scheme(pair(share), m, (0, 0))


def _squares(sample: Sample, signed: bool) -> Doubles:
    """Squared distances of the points, with their signs or without."""
    signs = np.sign(sample.alpha) if signed else np.ones(len(sample.alpha))
    points = np.array(sample.points) * signs[:, None]
    difference = points[:, None] - points[None]
    return np.asarray(np.einsum("ijp,ijp->ij", difference, difference))


def _cells(squares: Doubles, m: int) -> NDArray[np.int64]:
    """Farthest first from point 0, word for word: the algorithm on trial takes no part."""
    cells = np.zeros(len(squares), dtype=np.int64)
    nearest = squares[0].copy()
    for cell in range(1, m):
        farthest = int(nearest.argmax())
        if nearest[farthest] == 0:
            break
        closer = squares[farthest] < nearest
        cells[closer], nearest[closer] = cell, squares[farthest][closer]
    return cells


def _widest(squares: Doubles, cells: NDArray[np.int64]) -> float:
    return math.sqrt(float(squares[cells[:, None] == cells].max()))
