r"""What every algorithm here approximates, and what it returns.

The target is $\omega^*=\sum_i\alpha_i\phi(x_i)$ with weights of any sign. As in Section 5.3 of the
paper on the kernel mean it is written $W\pi^*$ with $W=\sum|\alpha_i|$ and $\pi^*$ in the convex
hull of the signed features $\mathrm{sign}(\alpha_i)\phi(x_i)$, and $\pi^*$ is approximated there.

Kernels need not be normalised: errors are exact for any kernel, in its own norm. Herding then takes
long features more readily; `nt.kernels.Normalised` gives all of them norm 1.

Errors are roots of differences of squares, exact but for their rounding: where the longest feature
has norm $L$, that hides those below some $10^{-7}LW$. So the last one, if it is below $10^{-5}LW$,
is worked out again from the differences of the weights, and so are those of every step of herding,
with or without away steps or best weights, which are then right to some $10^{-11}LW$, or
$10^{-9}LW$ where features nearly depend on each other. The linear kernel has coordinates, from
which all such errors come, of the means of draws, too; which point is taken next still goes by the
squares. Points in single precision choose atoms by single-precision
rows, and herding, with or without away steps, follows its errors in it, too: there those below some
$10^{-3}W$ say little. All other weights and errors are worked out in doubles.
"""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.kernels import (
    Kernel,
    Linear,
    Plan,
    blocks,
    checked_points,
    expansion,
)
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "Approximation",
    "Target",
    "checked_count",
    "checked_rng",
    "checked_start",
    "checked_threshold",
]

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
SMALL = 1e-5
"""Of features of norm 1: a final error below this is worked out again."""


@on_one_thread
def _asked(measure: Callable[[], Any]) -> Any:
    return measure()


@dataclass(frozen=True, eq=False, repr=False)
class Approximation:
    r"""A sparse weighted sample near the target.

    Parameters
    ----------
    indices : int array, shape (s,)
        Points used, each once, in the order of their first use.
    weights : array, shape (s,)
        Their weights, with the sign of the target's.
    measure : callable or array, shape (steps,)
        `errors`, or what gives them. Exact errors need the norm of the target, which takes half of
        its Gram matrix, more than most algorithms spend: they are worked out when asked for.
    final : callable, optional
        What gives `error` alone, where that costs less than `errors`.
    picks : int array, shape (steps,), optional
        Of herding and its kin: the point of every step, in their order; of away steps that which
        it moved towards or away from.
    """

    indices: Ints
    weights: Doubles
    measure: Callable[[], ArrayLike] | ArrayLike
    final: Callable[[], float] | None = None
    picks: Ints | None = None

    @functools.cached_property
    def errors(self) -> Doubles:
        """RKHS distance to the target after every step; the last is that of these weights."""
        found = _asked(self.measure) if callable(self.measure) else self.measure
        return np.atleast_1d(np.asarray(found, dtype=np.float64))

    @functools.cached_property
    def error(self) -> float:
        """RKHS distance to the target."""
        if self.final is not None and "errors" not in self.__dict__:
            return float(_asked(self.final))
        return float(self.errors[-1])

    def __repr__(self) -> str:
        waiting = callable(self.measure) and not {"error", "errors"} & set(self.__dict__)
        known = "" if waiting else f", error {self.error:.6g}"
        return f"Approximation({len(self.indices)} atoms{known})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Approximation, (self.indices, self.weights, self.errors, None, self.picks)


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
        On NaN, if the shapes do not fit, without points, if every weight is zero, or on another
        kind of kernel.
    """

    def __init__(self, kernel: Kernel, points: ArrayLike, alpha: ArrayLike) -> None:
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel must be a Kernel of nt.kernels, got {kernel!r}")
        everything = checked_points(points, "points")
        if not len(everything):
            raise ValueError(f"points must have a row at least, got shape {everything.shape}")
        weights = checked_floats("alpha", alpha)
        if weights.shape != (len(everything),):
            raise ValueError(
                f"alpha must have shape ({len(everything)},), a weight a point, "
                f"got {weights.shape}"
            )
        if not np.isfinite(weights).all():
            raise ValueError(f"alpha must be finite, got {weights[~np.isfinite(weights)][0]}")
        self.given = len(everything)
        self.linear = isinstance(kernel, Linear)
        self.kept: Ints = np.flatnonzero(weights).astype(np.int64)
        if not self.kept.size:
            raise ValueError("alpha must not be zero everywhere")
        used = weights[self.kept]
        self.kernel = kernel
        self.points = everything if self.kept.size == len(everything) else everything[self.kept]
        self.alpha: Doubles = used
        self.total = float(np.abs(used).sum())
        self.signs: Doubles = np.sign(used)
        self.masses: Doubles = np.abs(used) / self.total
        with np.errstate(over="ignore"):
            self.diagonal: Doubles = kernel.diagonal(self.points).astype(np.float64)
        if not np.isfinite(self.diagonal).all():
            row = int(self.kept[~np.isfinite(self.diagonal)][0])
            raise ValueError(f"K(x, x) must be finite, but overflows in row {row} of points")
        self.two_signs = bool(np.any(self.signs != self.signs[0]))
        self._scores: Doubles | None = None
        self.traversals: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.points)

    @functools.cached_property
    def plan(self) -> Plan:
        """How blocks of the signed Gram matrix are computed: its factors are made once."""
        plan = self.kernel.plan(self.points, self.points, scaled=True)
        return plan.times(self.signs, self.signs) if self.two_signs else plan

    def row(self, i: int, out: Floats) -> Floats:
        r"""$\langle s_i\phi(x_i),s_j\phi(x_j)\rangle$ for all $j$, written into ``out``."""
        plan, rows, one = self.plan, slice(i, i + 1), out[None, :]
        if plan.finish is None and plan.row_scale is None and plan.column_scale is None:
            np.matmul(plan.left[rows], plan.right, out=one)  # Of a small target the calls cost.
        else:
            plan.block(rows, slice(0, len(self)), one)
        out[i] = self.diagonal[i]
        return out

    def buffer(self) -> Floats:
        """An array that `row` can write into."""
        return np.empty(len(self), dtype=self.points.dtype)

    @property
    def scores(self) -> Doubles:
        r"""$\langle\pi^*,s_i\phi(x_i)\rangle$ at every point, from half of the Gram matrix."""
        if self._scores is None:
            self._scores = self.plan.sums(self.masses)
        return self._scores

    def known_scores(self, values: ArrayLike) -> Doubles:
        """`scores` from values of the target at the points given, true or not."""
        found = checked_floats("scores", values)
        if found.shape != (self.given,) or not np.isfinite(found).all():
            raise ValueError(
                f"scores must be {self.given} finite numbers, one a point, got "
                + ("NaN or infinity" if found.shape == (self.given,) else f"shape {found.shape}")
            )
        return found[self.kept] * self.signs / self.total

    @functools.cached_property
    def doubles(self) -> Floats:
        """The points in double precision: what weights and errors are worked out from."""
        return self.points.astype(np.float64, copy=False)

    def scores_at(self, atoms: Ints) -> Doubles:
        """`scores` at a few points only, from their rows of the Gram matrix, in doubles."""
        if self._scores is not None and self.doubles is self.points:
            return self._scores[atoms]
        sums = np.empty(len(atoms))
        for rows, block in blocks(self.kernel, self.doubles[atoms], self.doubles):
            sums[rows] = block @ (self.masses * self.signs)
        return sums * self.signs[atoms]

    @functools.cached_property
    def square(self) -> float:
        r"""$\|\pi^*\|^2$, from half of the Gram matrix, in doubles."""
        if self.doubles is self.points:
            return float(self.masses @ self.scores)
        signed = self.masses * self.signs
        return float(signed @ expansion(self.kernel, self.doubles, signed))

    def gram(self, atoms: Ints) -> Doubles:
        """Signed Gram matrix of a few points, in doubles."""
        block = self.kernel(self.doubles[atoms]) * self.signs[atoms]
        return np.asarray(block * self.signs[atoms][:, None])

    def distance(self, atoms: Ints, shares: Doubles, gram: Doubles | None = None) -> float:
        r"""$W\|\pi^*-\sum_jq_js_j\phi(x_j)\|$ for a few points."""
        block = self.gram(atoms) if gram is None else gram
        square = self.square - 2 * shares @ self.scores_at(atoms) + shares @ block @ shares
        return self.total * math.sqrt(max(float(square), 0.0))

    @functools.cached_property
    def longest(self) -> float:
        """Norm of the longest feature."""
        return math.sqrt(float(self.diagonal.max()))

    def small_distance(self, atoms: Ints, shares: Doubles) -> float:
        r"""The same where both are almost equal: $\|\sum_ic_i\phi(x_i)\|$ of differences $c$.

        They are those of the weights as they are given and returned, rounding included.
        """
        weights = self.total * self.signs[atoms] * shares
        left = self.alpha.copy()
        np.subtract.at(left, atoms, weights)
        if self.linear:
            # Far from the origin only what the differences sum to counts, and that is known.
            origin = np.asarray(self.doubles[atoms[0]], float)
            excess = math.fsum([*self.alpha, *-weights])
            sums = [math.fsum(left * column) for column in (self.doubles - origin).T]
            return math.hypot(*(np.array(sums) + excess * origin))
        square = math.fsum(left * expansion(self.kernel, self.doubles, left))
        return math.sqrt(max(square, 0.0))

    def hides(self, error: float) -> bool:
        """Whether rounding hides an error that is a difference of squares."""
        return self.doubles is self.points and error <= SMALL * self.total * self.longest

    def from_differences(
        self, error: float, residual: Doubles, atoms: Sequence[int], shares: ArrayLike
    ) -> float:
        r"""The error, by $\sum_ic_i\langle\pi^*-\omega,\omega_i\rangle$ where rounding hides it.

        ``residual`` are these inner products, which are small as the differences $c$ are. With
        coordinates there is `unless_hidden`.
        """
        if self.linear or not self.hides(error):
            return error
        places, amounts = np.asarray(atoms, dtype=np.int64), np.asarray(shares, dtype=np.float64)
        square = self.masses @ residual - amounts @ residual[places]
        return self.total * math.sqrt(max(float(square), 0.0))

    def unless_cancelled(self, error: float, atoms: Ints, shares: Doubles) -> float:
        """The error of a few points as a difference of squares, or anew where rounding hides it."""
        return self.small_distance(atoms, shares) if self.hides(error) else error

    def unless_hidden(self, errors: ArrayLike, atoms: ArrayLike, rates: ArrayLike) -> Doubles:
        r"""Errors along $\omega_t=(1-\rho_t)\omega_{t-1}+\rho_tz_t$, anew if rounding hides them.

        That is from coordinates, which only the linear kernel has; of others as they come.
        """
        found = np.array(errors, dtype=np.float64)
        hidden = found <= SMALL * self.total * self.longest
        # The last one is worked out anew from the weights.
        if not (self.linear and self.doubles is self.points and hidden[:-1].any()):
            return found
        # From an atom, and beside it what the signs sum to: far from the origin no digit is lost.
        origin = self.doubles[np.asarray(atoms)[0]]
        apart = np.column_stack([self.doubles - origin, np.ones(len(self))]) * self.signs[:, None]
        mean = self.masses @ apart
        if not self.two_signs:
            mean[-1] = self.signs[0]
        left = np.zeros_like(mean)
        steps = zip(np.asarray(atoms), np.asarray(rates), strict=True)
        for t, (atom, rate) in enumerate(steps):
            left = (1 - rate) * left + rate * (apart[atom] - mean)
            if hidden[t]:
                there = left[:-1] + left[-1] * origin
                found[t] = self.total * math.sqrt(there @ there)
        return found

    def approximation(
        self,
        atoms: ArrayLike,
        shares: ArrayLike,
        errors: ArrayLike | None = None,
        before: Callable[[], ArrayLike] | None = None,
    ) -> Approximation:
        """Merge repeated atoms, drop those of no weight, and go back to the points given.

        Without ``errors`` there is that of the result, after those that ``before`` gives.
        """
        raw, amounts = np.asarray(atoms, dtype=np.int64), np.asarray(shares, dtype=np.float64)
        chosen = np.array(list(dict.fromkeys(raw.tolist())), dtype=np.int64)
        kept: Doubles = np.bincount(raw, weights=amounts, minlength=1).astype(np.float64)[chosen]
        if not kept.all():
            chosen, kept = chosen[kept != 0], kept[kept != 0]
        indices, weights = self.kept[chosen], self.total * self.signs[chosen] * kept
        if errors is not None:
            known = np.array(errors, dtype=np.float64)
            known[-1] = self.unless_cancelled(known[-1], chosen, kept)
            return Approximation(indices, weights, known)

        def last() -> float:
            return self.unless_cancelled(self.distance(chosen, kept), chosen, kept)

        if before is None:
            return Approximation(indices, weights, last)
        return Approximation(indices, weights, lambda: np.append(before(), last()), last)


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
    if value >= 2**63:
        raise ValueError(f"{name} must be a whole number of 64 bits, got a larger one")
    return int(value)


def checked_start(start: int, n: int) -> int:
    """The position of one of ``n`` points, or a ValueError.

    Parameters
    ----------
    start, n : int
        What came, and the number of points.

    Returns
    -------
    int
    """
    whole = isinstance(start, int | np.integer) and not isinstance(start, bool)
    if not whole or not 0 <= start < n:
        raise ValueError(f"start must be a whole number in [0, {n - 1}], got {start!r}")
    return int(start)


def checked_threshold(name: str, value: float, least: float = 0.0) -> float:
    """A number to stop at, or a ValueError that names it.

    Parameters
    ----------
    name : str
        The argument's name.
    value, least : float
        What came, and the smallest allowed.

    Returns
    -------
    float
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not value >= least:
        limit = f" >= {least:g}" if least > -math.inf else ""
        raise ValueError(f"{name} must be a number{limit}, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, 1 if value > 0 else -1)


def checked_rng(rng: np.random.Generator) -> np.random.Generator:
    """A generator, or a ValueError: there is no global state here and no default seed.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    numpy.random.Generator
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    return rng
