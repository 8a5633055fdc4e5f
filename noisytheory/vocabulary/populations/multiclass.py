r"""Finite populations of several classes: what a confused sample means, without a sample.

Atoms $x_a$ carry a mass $P_a$ and a true class $t_a$; the label is confused by a column-stochastic
$C$. A sample is a multinomial count of (atom, label), so a million examples cost nothing.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.confusion import amplification, columns
from noisytheory.vocabulary.domains import NONNEGATIVE, checked_floats
from noisytheory.vocabulary.exact import fractions
from noisytheory.vocabulary.joint_masses import confused, error, labelled, margins

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
    classes = np.asarray(labels, dtype=np.int64)
    found = margins(checked_floats("points", points) @ rows.T)
    return float(found[np.arange(len(classes)), classes].min() / norm)


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

    x, t = checked_floats("points", points), np.asarray(labels, dtype=np.int64)
    atoms, d = x.shape
    rows = np.zeros((atoms, classes, classes, d))
    for other in range(classes):
        at = np.flatnonzero(t != other)
        rows[at, other, t[at]] += x[at]
        rows[at, other, other] -= x[at]
    needed = (t[:, None] != np.arange(classes)).ravel()
    constraints = rows.reshape(atoms * classes, classes * d)[needed]
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
        margin = margin_of(weights, x, t)
        if margin > best:
            best, found = margin, weights
        if distance - margin <= 1e-9 * distance:
            return best, found
    raise ValueError("points are too nearly inseparable to find their margin")


@dataclass(frozen=True, eq=False)
class Multiclass:
    r"""Finitely many instances with true classes, and a confusion of their labels.

    All numbers are fractions where one of them is given as a fraction, else floats; the masses of
    instances and labels are as in `joint_masses`.

    Parameters
    ----------
    name : str
        For labels and addresses.
    points : array-like, shape (a, d)
        Instances, of norm 1 where a theorem asks for it.
    labels : array-like of int, shape (a,)
        True classes, 0 to Q - 1.
    masses : array-like, shape (a,), optional
        Probabilities; equal ones by default.
    confusion : array-like, shape (Q, Q), optional
        Column-stochastic; none by default.
    classes : int, optional
        Number of classes; by default the largest label plus one, or the size of the confusion.

    Raises
    ------
    ValueError
        If shapes do not fit, masses do not sum to 1, or a label is no class.

    Examples
    --------
    >>> noise = [[0.8, 0.2], [0.2, 0.8]]
    >>> population = Multiclass("two", [[1, 0], [-1, 0]], [0, 1], confusion=noise)
    >>> population.joint.tolist()
    [[0.4, 0.1], [0.1, 0.4]]
    >>> round(population.theta**2, 9)
    2.0

    Of fractions the confused law is exact:

    >>> tenths = [[Fraction(8, 10), Fraction(2, 10)], [Fraction(2, 10), Fraction(8, 10)]]
    >>> print(*population.with_confusion(tenths).joint[0])
    2/5 1/10
    """

    name: str
    points: Any
    labels: Any
    masses: Any = None
    confusion: Any = None
    classes: int = 0

    def __post_init__(self) -> None:
        points = checked_floats("points", self.points)
        labels = np.asarray(self.labels)
        if points.ndim != 2 or labels.shape != (len(points),) or labels.dtype.kind not in "iu":
            raise ValueError(
                "points must have shape (a, d) and labels hold a classes, "
                f"got {points.shape} and {labels.shape}"
            )
        if self.confusion is None:
            confusion = np.eye(self.classes or int(labels.max()) + 1)
        else:
            confusion = columns(self.confusion, "column")
        classes = len(confusion)
        if labels.min() < 0 or labels.max() >= classes:
            raise ValueError(f"labels must be classes 0 to {classes - 1}")
        if self.masses is None:
            masses = np.full(len(points), 1 / len(points))
        else:
            masses = checked_floats("masses", self.masses)
        if masses.shape != labels.shape or masses.min() < 0 or abs(masses.sum() - 1) > 1e-9:
            raise ValueError(f"masses must be >= 0 and sum to 1, got sum {masses.sum():.6g}")
        given = [self.points, self.masses, self.confusion]
        if any(np.asarray(numbers).dtype == object for numbers in given if numbers is not None):
            equal = [Fraction(1, len(points))] * len(points)
            points, masses, confusion = (
                np.array(fractions(floats if numbers is None else numbers))
                for numbers, floats in zip(given, (points, equal, confusion), strict=True)
            )
        for name, value in (
            ("points", points.copy()), ("labels", labels.astype(np.int64)),
            ("masses", masses.copy()), ("confusion", confusion), ("classes", classes),
        ):
            object.__setattr__(self, name, value)

    @functools.cached_property
    def clean(self) -> Numbers:
        """Probability of (atom, true class), shape (a, Q)."""
        return np.asarray(labelled(self.masses, self.labels, self.classes))

    @functools.cached_property
    def joint(self) -> Numbers:
        """Probability of (atom, noisy label), shape (a, Q)."""
        return np.asarray(confused(self.clean, self.confusion))

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

    def with_confusion(self, confusion: Any, name: str = "") -> Multiclass:
        """The same instances under another confusion, in columns."""
        # Equal masses are 1/a, which floats mostly have to round.
        masses = None if np.all(self.masses == self.masses[0]) else self.masses
        return Multiclass(
            name or self.name, self.points, self.labels, masses, confusion, self.classes
        )

    def scores(self, weights: ArrayLike) -> Numbers:
        """Of the atoms, shape (a, Q), under weights of shape (Q, d)."""
        given = np.asarray(weights)
        exact = given.dtype == self.points.dtype == object
        return self.points @ (given if exact else checked_floats("weights", weights)).T

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

    def error(self, weights: ArrayLike) -> Any:
        """Probability of a wrong prediction; the lowest of tied classes is predicted."""
        return error(self.clean, np.argmax(self.scores(weights), axis=1))

    def counts(self, n: int, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Counts of (atom, noisy label) in samples of ``n``, shape (size, a, Q)."""
        flat = self.joint.astype(float).ravel()
        drawn = rng.multinomial(n, flat / flat.sum(), size=size)
        return np.asarray(drawn.reshape(size, *self.joint.shape))
