r"""Finite populations of several classes: what a confused sample means, without a sample.

Atoms $x_a$ carry a mass $P_a$ and a true class $t_a$; the label is confused by a column-stochastic
$C$. A sample is a multinomial count of (atom, label), so a million examples cost nothing.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.confusion import amplification, inverse_of
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, checked_floats
from noisytheory.vocabulary.joint_masses import confused, error, least_margin, margins
from noisytheory.vocabulary.populations.atoms import given_confusion
from noisytheory.vocabulary.populations.finite import Finite

__all__ = ["Multiclass", "largest_margin", "margin_of"]

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Any
"""Floats, or fractions."""


def margin_of(weights: ArrayLike, points: ArrayLike, labels: ArrayLike) -> float:
    r"""$\min_a\min_{k\ne t_a}\langle w_{t_a}-w_k,x_a\rangle/\|W\|_F$: Definition 2's margin.

    Parameters
    ----------
    weights : array-like, shape (Q, d)
        A weight vector a class.
    points : array-like, shape (a, d)
    labels : array-like of int, shape (a,)
        True classes.

    Returns
    -------
    float
        Negative where a point is misclassified.

    Examples
    --------
    >>> round(margin_of([[1, 0], [-1, 0]], [[1, 0], [-1, 0]], [0, 1]), 6)
    1.414214
    """
    rows = checked_floats("weights", weights)
    norm = np.linalg.norm(rows)
    if norm == 0:
        raise ValueError("weights must not all be zero")
    x, t = _examples(points, labels, len(rows))
    return float(least_margin(x @ rows.T, t) / norm)


def largest_margin(
    points: ArrayLike, labels: ArrayLike, classes: int
) -> tuple[float, Floats]:
    r"""Largest margin $\theta^*$ and the classifier of norm $\|W^*\|_F=1$ that has it.

    Parameters
    ----------
    points : array-like, shape (a, d)
    labels : array-like of int, shape (a,)
        True classes, 0 to Q - 1.
    classes : int
        Number of classes, Q.

    Returns
    -------
    theta : float
        0, and zero weights, where no linear classifier separates the classes.
    weights : array, shape (Q, d)

    Raises
    ------
    ValueError
        If the margin is too small to be told from 0.

    Notes
    -----
    $\theta^*$ is the distance of 0 from the convex hull of the vectors that $W$ must have positive
    products with: a non-negative least-squares fit (Lawson and Hanson 1974, ch. 23). The hull's
    point is an upper limit and its classifier's margin a lower one; they agree to $10^{-9}$.

    Examples
    --------
    >>> theta, _ = largest_margin(np.eye(3), [0, 1, 2], 3)
    >>> round(theta**2, 12)
    0.5
    """
    from scipy.optimize import nnls

    COUNT.check("classes", classes)
    x, t = _examples(points, labels, classes)
    atoms, d = x.shape
    rows = np.zeros((atoms, classes, classes, d))
    for other in range(classes):
        at = np.flatnonzero(t != other)
        rows[at, other, t[at]] += x[at]
        rows[at, other, other] -= x[at]
    needed = (t[:, None] != np.arange(classes)).ravel()
    constraints = rows.reshape(atoms * classes, classes * d)[needed]
    # What is too small to be told from 0 is so in the points' unit; a power of two loses nothing.
    unit = float(np.exp2(np.floor(np.log2(np.abs(x).max(initial=0.0) or 1.0))))
    constraints /= unit
    best, found = 0.0, np.zeros((classes, d))
    # The solver stalls on some degenerate systems; weak duality says whether it did.
    for scale in (10.0, 1.0, 1000.0, 0.1, 3.0, 30.0, 100.0, 0.3):
        system = np.vstack([constraints.T, np.full(len(constraints), scale)])
        target = np.append(np.zeros(classes * d), scale)
        multipliers, _ = nnls(system, target, maxiter=50 * len(constraints) + 1000)
        nearest = constraints.T @ multipliers / multipliers.sum()
        distance = float(np.linalg.norm(nearest))
        if distance < 1e-9:
            return 0.0, np.zeros((classes, d))
        weights = nearest.reshape(classes, d) / distance
        margin = margin_of(weights, x / unit, t)
        if margin > best:
            best, found = margin, weights
        if distance - margin <= 1e-9 * distance:
            return best * unit, found
    raise ValueError("points are too nearly inseparable to find their margin")


def _examples(points: Any, labels: Any, classes: int) -> tuple[Floats, NDArray[np.int64]]:
    """Points and their classes, refused where a solver would fail or a class be another."""
    x, t = checked_floats("points", points), np.asarray(labels)
    if classes < 2:
        raise ValueError(f"classes must be at least 2, got {classes}")
    if x.ndim != 2 or not len(x) or not np.isfinite(x).all():
        raise ValueError(f"points must be finite, of shape (a, d) with a >= 1, got {x.shape}")
    if t.shape != (len(x),) or t.dtype.kind not in "iu" or t.min() < 0 or t.max() >= classes:
        raise ValueError(f"labels must be one a point, of classes 0 to {classes - 1}, got {labels}")
    return x, t.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Multiclass:
    r"""A finite population of several classes, and a confusion of its labels.

    Its numbers are fractions where points, weights and confusion all are, else floats.

    Parameters
    ----------
    law : Finite
        Instances with true classes, of norm 1 where a theorem asks for it.
    confusion : array-like, shape (Q, Q), optional
        Column-stochastic; none by default.

    Raises
    ------
    ValueError
        If the labels are -1 and 1, or the confusion is of other classes.

    Examples
    --------
    >>> noise = [[0.8, 0.2], [0.2, 0.8]]
    >>> pair = Finite("pair", [[1, 0], [-1, 0]], [0, 1], classes=2)
    >>> population = Multiclass(pair, noise)
    >>> population.joint.tolist()
    [[0.4, 0.1], [0.1, 0.4]]
    >>> round(population.theta**2, 9)
    2.0
    """

    law: Finite
    confusion: Any = None

    def __post_init__(self) -> None:
        classes = self.law.classes
        if classes is None:
            raise ValueError("law must have classes, not labels -1 and 1")
        confusion = given_confusion(np.eye(classes) if self.confusion is None else self.confusion)
        if len(confusion) != classes:
            raise ValueError(f"confusion must be of {classes} classes, got {len(confusion)}")
        object.__setattr__(self, "confusion", confusion)
        if not self.exact:
            object.__setattr__(self, "confusion", confusion.astype(float))

    @property
    def exact(self) -> bool:
        """Whether all numbers are fractions."""
        given = self.law.points, self.law.joint, self.confusion
        return all(np.asarray(numbers).dtype == object for numbers in given)

    def _kept(self, numbers: Numbers) -> Numbers:
        return numbers if self.exact else numbers.astype(float)

    @property
    def name(self) -> str:
        """Of the population, for labels and addresses."""
        return self.law.name

    @property
    def classes(self) -> int:
        """Number of classes, $Q$."""
        return len(self.confusion)

    @property
    def labels(self) -> NDArray[np.int64]:
        """True classes of the atoms, shape (a,)."""
        return self.law.labels

    @functools.cached_property
    def points(self) -> Numbers:
        """Atoms, shape (a, d)."""
        return self._kept(self.law.points)

    @functools.cached_property
    def clean(self) -> Numbers:
        """Probability of (atom, true class), shape (a, Q)."""
        return self._kept(self.law.joint)

    @property
    def masses(self) -> Numbers:
        """Probability of each atom, shape (a,)."""
        return self.clean.sum(axis=1)

    @functools.cached_property
    def joint(self) -> Numbers:
        """Probability of (atom, noisy label), shape (a, Q)."""
        return confused(self.clean, self.confusion)

    @property
    def priors(self) -> Numbers:
        """Probability of each true class, shape (Q,)."""
        return np.asarray(self.clean.sum(axis=0))

    @functools.cached_property
    def best(self) -> tuple[float, Floats]:
        """Largest margin and its classifier, as `largest_margin` finds them."""
        return largest_margin(self.points, self.labels, self.classes)

    @property
    def theta(self) -> float:
        """Largest margin, with the norm of all weight vectors together 1."""
        return self.best[0]

    @functools.cached_property
    def beta(self) -> float:
        r"""Noise amplification $\max|C^{-1}|$."""
        return float(amplification(self.confusion).max())

    def with_confusion(self, confusion: Any) -> Multiclass:
        """The same instances under another confusion, in columns."""
        return Multiclass(self.law, confusion)

    def scores(self, weights: ArrayLike) -> Numbers:
        """Of the atoms, shape (a, Q), under weights of shape (Q, d)."""
        given = np.asarray(weights)
        rows: Numbers = given
        if not given.dtype == self.points.dtype == object:
            rows = checked_floats("weights", weights)
        shape = self.classes, self.points.shape[1]
        if rows.shape != shape or (rows.dtype != object and not np.isfinite(rows).all()):
            raise ValueError(f"weights must be finite, of shape {shape}, got {weights!r}")
        return np.asarray(self.points @ rows.T)

    def regions(self, weights: ArrayLike, alpha: float = 0.0) -> NDArray[np.bool_]:
        r"""Which atoms lie in $A^\alpha_p$, shape (Q, a): by `>=`, so ties lie in several.

        Parameters
        ----------
        weights : array-like, shape (Q, d)
        alpha : float
            Functional margin, at least 0.
        """
        NONNEGATIVE.check("alpha", alpha)
        return np.asarray(margins(self.scores(weights)) >= alpha).T

    def update_means(self, weights: ArrayLike, alpha: float = 0.0) -> Numbers:
        r"""$\mu^p_q=\mathbb E[1\{t(X)=q\}1\{X\in A^\alpha_p\}X]$, shape (Q, Q, d), at [p, q]."""
        inside = self.regions(weights, alpha)
        return np.asarray((inside[:, None] * self.clean.T) @ self.points)

    def region_masses(self, weights: ArrayLike, alpha: float = 0.0) -> Numbers:
        r"""$m_{pq}=\Pr[t(X)=q,X\in A^\alpha_p]$, shape (Q, Q), at [p, q]: off the diagonal errors.

        Parameters
        ----------
        weights : array-like, shape (Q, d)
        alpha : float
            Functional margin, at least 0.

        Examples
        --------
        >>> pair = Multiclass(Finite("pair", [[1, 0], [0, 1]], [0, 1], [0.75, 0.25], classes=2))
        >>> pair.region_masses([[1, 1], [0, 0]]).tolist()
        [[0.75, 0.25], [0.0, 0.0]]
        """
        return np.asarray(self._kept(self.regions(weights, alpha).astype(object)) @ self.clean)

    def update_variances(self, weights: ArrayLike, alpha: float = 0.0) -> Numbers:
        r"""$v_{pq}=n\,\mathbb E\|z_{pq}-\mu^p_q\|^2$ under fixed weights, shape (Q, Q), at [p, q].

        Parameters
        ----------
        weights : array-like, shape (Q, d)
        alpha : float
            Functional margin, at least 0.

        Examples
        --------
        >>> pair = Finite("pair", [[1, 0], [0, 1]], [0, 1], [0.75, 0.25], classes=2)
        >>> noisy = Multiclass(pair, [[0.75, 0.25], [0.25, 0.75]])
        >>> noisy.update_variances([[1, 1], [0, 0]]).round(6).tolist()
        [[0.9375, 0.9375], [0.0, 0.0]]
        """
        squares = self.joint @ inverse_of(self.confusion).T ** 2  # atom, class
        lengths = (self.points**2).sum(axis=1)
        inside = self._kept(self.regions(weights, alpha).astype(object))
        found = inside @ (squares * lengths[:, None])
        return np.asarray(found - (self.update_means(weights, alpha) ** 2).sum(axis=2))

    def error(self, weights: ArrayLike) -> Any:
        """Probability of a wrong prediction; the lowest of tied classes is predicted."""
        return error(self.clean, np.argmax(self.scores(weights), axis=1))

    def counts(self, n: int, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Counts of (atom, noisy label) in samples of ``n``, shape (size, a, Q)."""
        flat = self.joint.astype(float).ravel()
        drawn = rng.multinomial(n, flat / flat.sum(), size=size)
        return np.asarray(drawn.reshape(size, *self.joint.shape))
