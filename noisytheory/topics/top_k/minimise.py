r"""Minimum average top-k learning with linear scores, exactly and with a certificate.

$$\min_w\ \nu\,AT_k(\ell(w))+\frac1{2C}\|w\|^2,\qquad\nu=k/n,$$

which is the paper's (3) with $\lambda$ eliminated.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.topics.top_k.aggregate import checked_weights, tail_mass
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.individual import Individual, best_constants, individual
from noisytheory.topics.top_k.task import REACHED, ROUNDING, Task
from noisytheory.vocabulary.domains import POSITIVE, Domain, check_truth, checked_floats, one_of
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "TOLERANCE", "NotCertified", "Solution", "begun", "checked_C", "checked_data",
    "checked_masses", "checked_scaling", "checked_size", "effective_C", "fit", "overflowing",
    "proven",
]

Floats = NDArray[np.float64]

LARGEST = 1e100
"""Entries at most; and the least that the largest target may be is its reciprocal, or 0."""
FAR = 1e3
"""Times what a feature's values differ by, from which on it is seen from their middle: a copy."""
SMALLEST_C = 1e-300
"""Below about 1e-306 the reciprocal overflows, and the objective was no number."""
LEAST_MASS = 1e-100
"""Share of all weight below which one counts as none: products of smaller ones are no numbers."""
TOLERANCE = Domain(0, 1)
"""Of what a gap is relative to."""


class NotCertified(UserWarning):
    """The gap that was reached is larger than what was asked for."""


@dataclass(frozen=True)
class Solution:
    r"""A minimiser and what proves it one.

    Parameters
    ----------
    coef : array, shape (d,)
    intercept : float
        0 unless it was asked for.
    level : float
        $\lambda$, the value at risk of the losses.
    weights : array, shape (n,)
        $p_i$, dual weights of the examples: between 0 and each example's mass, sum at most
        $\nu$. An example with weight 0 could be left out.
    objective, dual : float
        Value of the problem as asked for, and the lower bound from the weights.
    nu, C : float
        Tail mass, and $C$ in the paper's scaling.
    regime : str
        ``"zero"``: of a loss of the margin weights prove that scores of 0 are best; ``"nu"``:
        $\lambda>0$; ``"C"``: $\lambda=0$, the average loss.
    steps : int
    relative_gap : float
        The gap as `fit` measures it for ``tol``.
    converged : bool
        Whether that is at most what was asked for, and so are the gap relative to the objective
        itself and, beyond $10^{-12}$ of the objective at zero, which is rounding, to what the
        coefficients gain; else ``NotCertified`` is warned of.

    Examples
    --------
    >>> found = fit([[1.0], [2.0], [-1.0]], [1, 1, -1], "hinge", k=3, C=1.0)
    >>> round(found.objective, 6), found.regime, found.gap < 1e-6
    (0.444444, 'C', True)
    """

    coef: Floats
    intercept: float
    level: float
    weights: Floats
    objective: float
    dual: float
    nu: float
    C: float
    regime: str
    steps: int
    relative_gap: float
    converged: bool

    @property
    def gap(self) -> float:
        """Objective minus dual value: how far from the optimum it can be at most."""
        return self.objective - self.dual

    def scores(self, X: Any) -> Floats:
        """Linear scores of points."""
        return np.asarray(X @ self.coef + self.intercept)


def effective_C(k: float, n: int, C: float) -> float:
    r"""$C\,k/n$: the constant beside $AT_k$ itself, of which (3) takes only $\frac kn$.

    The paper's objective (3) is $\frac kn\left(AT_k+\frac n{2kC}\|w\|^2\right)$: at equal C a
    small k is regularised more.

    Parameters
    ----------
    k : int or float
    n : int
    C : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If k leaves its range, n is below 1, or C is not above 0.

    Examples
    --------
    >>> round(effective_C(1, 216, 100.0), 6)
    0.462963
    """
    return tail_mass(k, n) * checked_C(C)


@on_one_thread
def fit(
    X: Any, y: ArrayLike, loss: str = "logistic", *, k: float = 1.0, C: float = 1.0,
    intercept: bool = False, sample_weight: ArrayLike | None = None, scaling: str = "paper",
    tol: float = 1e-6, relative_to: str = "gain", start: ArrayLike | None = None,
    solver: str = "auto",
) -> Solution:
    r"""Minimise $\frac kn AT_k(\ell(w))+\frac1{2C}\|w\|^2$.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (n, d)
    y : array_like, shape (n,)
        Labels 1 and -1 for a loss of the margin, numbers for one of the residual.
    loss : str
        ``"logistic"`` (base 2), ``"logistic-natural"``, ``"hinge"``, ``"squared-hinge"``,
        ``"margin-square"``, ``"exponential"``, ``"square"`` or ``"absolute"``.
    k : int or float
        A count in [1, n], or a fraction in (0, 1]: ``1`` is the maximum loss, ``1.0`` the average.
    C : float
        Above 0.
    intercept : bool
        Whether a constant that is not regularised is added to the scores; the paper has none.
    sample_weight : array_like, shape (n,), optional
        As repetitions; a count k is then of weight. Less than $10^{-100}$ of their sum is none.
    scaling : {"paper", "average"}
        ``"average"`` minimises $AT_k+\frac1{2C}\|w\|^2$: then k and C are not confounded.
    tol : float
        Duality gap, relative to the objective, or to what the coefficients gain over none (over
        the best constant), if that is less: at a small C the objective is nearly its value
        without them. Of that gain no less than $10^{-6}$ is asked for, of the objective at zero
        no less than $10^{-10}$, which is rounding, or ``tol`` times $10^{-5}$. Of separable data
        with a huge C the objective is all but 0, and a gap that is more than ``tol`` of it is said
        by a warning.
    relative_to : {"gain", "objective"}
        ``"objective"`` lets the gap be relative to the objective even where the gain is less.
    start : array_like, shape (d,), optional
        Coefficients to begin with; 0 where their losses overflow.
    solver : {"auto", "exact", "limited-memory"}
        ``"limited-memory"`` forms no matrix of the size of the coefficients squared. ``"auto"``
        takes it from 1,200 coefficients on where rows are sparse, or more than 4,000 and dense of
        more than 4,000 coefficients; what it leaves uncertified is solved exactly while a matrix
        of half a gigabyte does.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        On k, C or data out of range, or labels of one class only.

    Warns
    -----
    NotCertified
        If the gap asked for was not reached, or is lost with the intercept's last digit.

    Notes
    -----
    Interior point on the rows near the threshold; of smooth losses of many rows far from the
    collapse, or where it stalls, Newton with the threshold eliminated. Section 2, (2), (3), (6) and
    Appendix B of the paper.

    Beside an intercept targets are seen from the best constant, and features far from 0 from their
    middle: the objective is that of the model as seen from there, of whose intercept the last digit
    may be lost on the way back; where that may cost more than ``tol``, it is warned of.

    Examples
    --------
    >>> X, y = [[2.0, 1.0], [1.0, 1.0], [-2.0, 1.0], [0.5, 1.0]], [1, 1, -1, -1]
    >>> found = fit(X, y, "logistic", k=3, C=10.0)
    >>> round(found.objective, 5), found.gap < 1e-6
    (0.54667, True)
    """
    kind = individual(loss)
    rows, targets = checked_data(X, y, kind)
    n = rows.shape[0]
    masses, total = checked_masses(sample_weight, n)
    nu = tail_mass(k, total)
    C = checked_C(C)
    check_truth("intercept", intercept)
    checked_scaling(scaling)
    one_of("solver", solver, ("auto", "exact", "limited-memory"))
    one_of("relative_to", relative_to, ("gain", "objective"))
    tol = TOLERANCE.number("tol", tol)
    w0 = begun(start, rows, targets, kind, intercept)
    inner = C / nu if scaling == "average" else C
    if not np.isfinite(inner):
        raise ValueError(f"C over k/n must be finite, got {C:g} over {nu:g}")
    keep = np.flatnonzero(masses > 0)
    if kind.margin and np.ptp(targets[keep]) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    if keep.size < n:
        rows, targets, masses = rows[keep], targets[keep], masses[keep]
    # Beside a free intercept rows and targets may be seen from anywhere: from the middle, where
    # nothing is a small difference of large numbers.
    shift, centre = 0.0, far_centre(rows) if intercept else None
    if centre is not None:
        rows = rows - centre
    if intercept and not kind.margin:
        some = None if sample_weight is None else masses
        shift = float(best_constants(kind, targets, some, np.array([nu]))[0][0])
        targets = targets - shift
    if start is not None and w0.any() and np.size(start) > rows.shape[1]:
        w0[-1] -= shift - (0.0 if centre is None else centre @ w0[:-1])
    task = Task(rows, targets, masses, kind, nu, inner, intercept, tol,
                by_gain=relative_to == "gain")
    if intercept and not kind.margin:
        task.constant = task.start_value
    try:
        # A step may go too far: what overflows is no better, and not taken.
        with np.errstate(over="ignore", invalid="ignore"):
            w, p, steps = task.solve(w0, solver)
        if intercept and np.ptp(task.targets) == 0:
            # One target for all: a constant fits, exactly.
            w = np.append(np.zeros(rows.shape[1]), task.targets[0])
        objective = task.objective(w)
        if objective > task.start_value * (1 + ROUNDING):
            # What is not certified is no worse than none.
            w, objective = np.zeros_like(w), task.start_value
    except (OverflowError, ZeroDivisionError) as error:
        raise ValueError(overflowing(loss, rows, targets, C)) from error
    if objective - task.best_dual > max(0.01 * task.gain, ROUNDING * task.size):
        task.constant_at_best()
    # No loss is below 0.
    dual = max(task.best_dual, 0.0)
    regime, w = task.regime(w, objective, dual)
    if regime == "zero":
        objective, dual = task.objective(w), max(dual, task.best_dual)
    gap = objective - dual
    relative = gap / task.unit(objective, REACHED)
    # Of a perfect fit, or of weights that gain next to nothing, less is proven than was asked for.
    worst = max(relative, gap / max(objective, 1e-300))
    if task.by_gain and not task.zero and gap > max(0.01 * task.gain, ROUNDING * task.size):
        if not kind.margin and task.start_value - dual <= 1e-5 * tol * task.size:
            # The best constant is the minimiser, as far as is asked for.
            w, objective = np.zeros_like(w), task.start_value
        else:
            worst = max(worst, gap / max(task.gain, np.finfo(float).tiny))
    converged = worst <= tol
    if not converged:
        warnings.warn(
            f"relative duality gap {worst:.1e} in place of {tol:.0e} "
            f"({loss}, k/n={nu:g}, C={C:g})", NotCertified, stacklevel=3,
        )
    elif centre is not None and lost_on_the_way(task, w, centre) > tol * task.unit(
            objective, REACHED):
        converged = False
        warnings.warn(
            "features are so far from 0 that with the intercept's last digit more of the objective "
            f"than {tol:.0e} is lost: subtract their means", NotCertified, stacklevel=3)
    weights = np.zeros(n)
    weights[keep] = task.best_weights if task.best_weights is not None else p
    outer = 1 / nu if scaling == "average" else 1.0
    level = task.level(w)
    b = 0.0
    if intercept:
        w, b = w[:-1], float(w[-1]) + shift - (0.0 if centre is None else float(centre @ w[:-1]))
    return Solution(
        w, b, level, weights, objective * outer, dual * outer, nu, inner, regime, steps, relative,
        bool(converged),
    )


def lost_on_the_way(task: Task, w: Floats, centre: Floats) -> float:
    """By how much the objective may differ where rows are seen from 0 again: scores are rounded."""
    size = float(np.abs(w[:-1] * centre).sum()) + float(np.abs(w[-1]))
    scores = task.design.scores(w)
    slopes = np.abs(task.kind.slopes(task.targets, scores))
    return float(np.finfo(float).eps * size * min(
        float(task.masses @ slopes), task.nu * float(slopes.max())))


def far_centre(rows: Any) -> Floats | None:
    """The middle of dense rows, where it is far from 0 beside what they differ by."""
    if sparse.issparse(rows):
        return None
    low, high = rows.min(axis=0), rows.max(axis=0)
    middle, apart = (low + high) / 2, high - low
    far = (np.abs(middle) > FAR * apart) & (apart > 0)
    return np.asarray(np.where(far, middle, 0.0)) if far.any() else None


def checked_C(C: Any) -> float:
    """C as a float, or a ValueError; a truth value is none."""
    number = POSITIVE.number("C", C)
    if number < SMALLEST_C:
        raise ValueError(f"C must be at least {SMALLEST_C:g}: what is divided by less overflows, "
                         f"got {C!r}")
    return number


def checked_scaling(scaling: Any) -> None:
    """A ValueError where this is neither the paper's problem nor that of the average."""
    one_of("scaling", scaling, ("paper", "average"))


def begun(
    start: ArrayLike | None, rows: Any, targets: Floats, kind: Individual, intercept: bool
) -> Floats:
    """Coefficients to begin with, the intercept last; 0 without any, and in place of far ones."""
    d = rows.shape[1]
    w = np.zeros(d + intercept)
    if start is not None:
        given = checked_floats("start", start)
        if given.shape not in ((d,), (d + intercept,)):
            raise ValueError(f"start must have {d} coefficients{', or one more' * intercept}, "
                             f"got shape {given.shape}")
        if not np.isfinite(given).all():
            raise ValueError("start must be finite, got an infinity or NaN")
        w[: len(given)] = given
        with np.errstate(over="ignore", invalid="ignore"):
            scores = Design(rows, free=bool(intercept)).scores(w)
            near = np.abs(w).max() <= LARGEST and np.isfinite(kind.values(targets, scores)).all()
        w = w if near else np.zeros(d + intercept)
    return w


def moderate(name: str, values: Floats) -> tuple[float, float]:
    """The least and the largest; no numbers are refused, and those whose squares overflow."""
    if not values.size:
        return 0.0, 0.0
    # Of a NaN least and largest are NaN: no array is made of what is found at each.
    ends = float(values.min()), float(values.max())
    if not np.isfinite(ends).all():
        raise ValueError(f"{name} must be finite, got an infinity or NaN")
    if not -LARGEST <= ends[0] <= ends[1] <= LARGEST:
        raise ValueError(f"{name} must lie within +-{LARGEST:g}: squares beyond it overflow, "
                         f"got {max(ends, key=abs):g}")
    return ends


def checked_size(name: str, low: float, high: float) -> None:
    """A ValueError where targets are not all 0 and so small that their squares underflow."""
    if 0 < max(high, -low) < 1 / LARGEST:
        raise ValueError(f"{name} must be 0 or reach {1 / LARGEST:g}: squares of less underflow, "
                         f"got at most {max(high, -low):g}; scale it to about 1")


def overflowing(loss: str, rows: Any, targets: Floats, C: float) -> str:
    """What to do where losses overflow."""
    largest, target = abs(rows).max(), abs(targets).max()
    return (f"{loss} losses overflow at C={C:g} with entries of X up to {largest:g} and of y up to "
            f"{target:g}: scale X and y to about 1, or take a smaller C")


def proven(
    X: Any, y: Floats, kind: Individual, nu: float, C: float, weights: Floats, slopes: Floats, *,
    intercept: bool = False,
) -> float:
    r"""Lower bound on the objective from weights and slopes, after making them feasible.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, d)
    y : array, shape (n,)
    kind : Individual
    nu, C : float
    weights, slopes : array, shape (n,)
        $p_i$, and a derivative in the score for each example.
    intercept : bool

    Returns
    -------
    float

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [-1.0]]), np.array([1.0, 1.0, -1.0])
    >>> round(proven(X, y, individual("hinge"), 1.0, 1.0, np.full(3, 1 / 6), -y), 6)
    0.277778
    """
    task = Task(X, y, np.full(len(y), 1 / len(y)), kind, nu, C, intercept, 1e-6)
    return task.certify(weights, slopes)


def checked_data(
    X: Any, y: ArrayLike, kind: Individual, *, both: bool = True,
    names: tuple[str, str] = ("X", "y"),
) -> tuple[Any, Floats]:
    """Rows and labels that a loss can take, or a ValueError.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (n, d)
    y : array_like, shape (n,)
    kind : Individual
    both : bool
        Whether they are to be learned from: then one class only is refused, and targets whose
        squares underflow.
    names : pair of str
        What they are called in the message.

    Returns
    -------
    rows, targets
    """
    name, answer = names
    if sparse.issparse(X):
        if X.dtype.kind not in "biuf":
            raise ValueError(f"{name} must hold real numbers, got {X.dtype}")
        rows: Any = X.tocsr().astype(np.float64)
    else:
        rows = np.ascontiguousarray(checked_floats(name, X))
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"{name} must have rows and columns, got shape {rows.shape}")
    moderate(name, rows.data if sparse.issparse(rows) else rows)
    targets = checked_floats(answer, y)
    if targets.shape != (rows.shape[0],):
        raise ValueError(
            f"{answer} must have one entry a row, {rows.shape[0]}, got shape {targets.shape}")
    low, high = moderate(answer, targets)
    if both:
        checked_size(answer, low, high)
    if kind.margin:
        wrong = targets[np.abs(targets) != 1]
        if wrong.size:
            raise ValueError(f"{answer} must be 1 or -1 for {kind.name} loss, got {wrong[0]:g}")
        if both and np.ptp(targets) == 0:
            raise ValueError(f"{answer} must hold both classes, got only {targets[0]:g}")
    return rows, targets


def checked_masses(sample_weight: ArrayLike | None, n: int) -> tuple[Floats, float]:
    """Weights as masses of sum 1, and their sum, or a ValueError."""
    if sample_weight is None:
        return np.full(n, 1 / n), float(n)
    weights = checked_weights(sample_weight, n)
    total = float(weights.sum())
    masses = weights / total
    masses[masses < LEAST_MASS] = 0.0
    return masses, total
