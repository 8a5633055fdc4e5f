r"""The choice of (C, k) by validation, without fitting from scratch.

With the hinge loss the minimiser is zero, or $\nu$-SVM (the classifier does not depend on C), or
C-SVM (it does not depend on k): as many fits as there are values of C and of k, not their product.
With other losses few are fits and the rest mixtures (`paths`), and what seems best is solved until
it is best by its own error.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.aggregate import tail_mass
from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.design import mean_square
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.kernel_dual import (
    UNGAINED,
    KernelSolution,
    checked_classes,
    checked_gram,
    checked_targets,
    kernel_fit,
    no_scores,
    none_proven,
)
from noisytheory.topics.top_k.kernel_paths import kernel_path
from noisytheory.topics.top_k.minimise import (
    TOLERANCE,
    NotCertified,
    Solution,
    checked_C,
    checked_data,
    checked_masses,
    checked_scaling,
    fit,
)
from noisytheory.topics.top_k.paths import compared, counts_of, errors_of, every_count, path
from noisytheory.topics.top_k.walk import Walk
from noisytheory.vocabulary.domains import COUNT, POSITIVE, check_truth, listed

__all__ = ["EndOfGrid", "Selected", "k_bar", "kernel_select", "select", "useful_grid"]

Floats = NDArray[np.float64]

LOOSE, LOOSE_KERNEL = (500, 100), (50, 10)
"""Times the tolerance that mixtures have, of classes and of numbers: what seems best is solved."""
BEYOND = 5
"""Values of C that are tried beyond the default ones."""
SEEN, HIDDEN, LOST, CLOSE = 1e-3, 1e-6, 1e-8, 4.0
"""Gain of a nu-SVM, as a share of its objective, that is seen well; below which it is looked for at
a larger C; and that is lost in what a gap may leave; and how near to the C at which the threshold
is 0 none larger is tried.
"""
FARTHEST = 1e200
"""The largest C that is tried for that."""
ENTRIES = 2_000_000
"""Numbers in the data up to which a linear programme tells where zero ends."""
MATTERS = 1e-6
"""Share of the error that is not told apart: an end that is better by less is none."""


class EndOfGrid(UserWarning):
    """The least error is at the least or the largest C: one beyond it may err less."""


@dataclass(frozen=True)
class Selected:
    """What validation chose, and all that it chose from.

    Parameters
    ----------
    C : float
    k : int or float
        A count, or a fraction where examples are weighted.
    error : float
        On the validation data.
    errors : array, shape (values of C, values of k)
    coefs : array, shape (values of C, values of k, d)
        Models that were compared, the intercept last if there is one, or dual coefficients: for
        another choice than by the error.
    solution : Solution or KernelSolution
    fits : int
        How many problems were solved.
    Cs : list of float
        Values of C that were compared.
    """

    C: float
    k: float
    error: float
    errors: Floats
    coefs: Floats
    solution: Any
    fits: int
    Cs: list[float]


@dataclass
class Compared:
    """Of one C over k: errors, models, which are known, and how many problems were solved."""

    errors: Floats
    coefs: Floats
    known: NDArray[np.bool_]
    fits: int


def k_bar(solution: Solution, n: float) -> float:
    r"""$\bar k(C)=n\sum\alpha_i$ of the average loss: from there on k does not matter.

    Parameters
    ----------
    solution : Solution
        With k = n and hinge loss.
    n : float
        Number of examples, or the sum of their weights.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the solution is none of `fit`, or n is not above 0.

    Examples
    --------
    >>> round(k_bar(fit([[1.0], [2.0], [-1.0]], [1, 1, -1], "hinge", k=3, C=9.0), 3), 5)
    0.33333
    """
    if not isinstance(solution, Solution):
        raise ValueError(f"solution must be one of fit, got {solution!r}")
    return POSITIVE.number("n", n) * float(solution.weights.sum())


def useful_grid(
    X: Any, y: ArrayLike, size: int = 12, *, intercept: bool = False,
    sample_weight: ArrayLike | None = None,
) -> list[float]:
    r"""Values of k worth trying, spaced evenly from the first whose minimiser is not zero.

    The first of those that `path` has by default; all, where it is zero at every k. Up to the
    collapse threshold $nh^*$ it is zero for every loss of the margin and every C. Of more than two
    million numbers in X, where that is found by solutions in place of a linear programme, the first
    may lie a little below.

    Parameters
    ----------
    X, y
        Data, labels 1 or -1.
    size : int
    intercept : bool
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    list of int, or of fractions where examples are weighted

    Raises
    ------
    ValueError
        On what `fit` refuses, one class, or a size below 1.

    Examples
    --------
    >>> useful_grid([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1], 2)
    [3, 4]
    """
    size = int(COUNT.number("size", size))
    check_truth("intercept", intercept)
    rows, labels = checked_data(X, y, individual("hinge"))
    masses, total = checked_masses(sample_weight, len(labels))
    if np.ptp(labels[masses > 0]) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    # Where weights are less than one in the mean examples are counted.
    total = max(total, float(np.count_nonzero(masses)))
    counts = every_count(total)
    zero = _collapsed_up_to(rows, labels, masses, counts / total, intercept=intercept)
    first = int(np.searchsorted(counts, (zero + 1e-9) * total, side="right"))
    # Steps from the first useful count to the whole weight, which may be no whole number.
    low, last = counts[min(first, len(counts) - 1)], np.ceil(total)
    k = np.minimum(np.unique(np.linspace(np.ceil(low) - 1, last - 1, size).round()) + 1, total)
    return [int(one) for one in k] if sample_weight is None else (k / total).tolist()


def select(
    X: Any, y: ArrayLike, loss: str = "logistic", *, validation: tuple[Any, ArrayLike],
    ks: Sequence[float], Cs: Sequence[float] | None = None, intercept: bool = False,
    sample_weight: ArrayLike | None = None, scaling: str = "paper", tol: float = 1e-4,
) -> Selected:
    r"""A (C, k) of about the least validation error; ties go to the larger k, then the smaller C.

    Parameters
    ----------
    X, y, loss, intercept, sample_weight, scaling
        As in `fit`.
    validation : pair
        Points and labels.
    ks : sequence
    Cs : sequence, optional
        The powers of ten from $10^{-5}$ to $10^5$ by default, and one by one up to five more beyond
        an end that errs less than all C between the ends, by more than a millionth.
    tol : float
        Gap of the hinge fits that are compared, relative to what the coefficients gain at their own
        k where that is less than the objective; of paths 500 times this, of numbers 100 times. What
        seems best is solved to $10^{-6}$ until it is best by its own error, which stands in
        ``errors``: the error of what was not best is a mixture's where it was not solved, or with
        the hinge that of one of several intercepts that are best. By its own it may be less than
        what is chosen has: in tests by at most one of 100 points, with the hinge beside an
        intercept in 16 of 394 by more, up to seven; and of 2,777 regressions on 10 to 40 examples,
        with 100 to validate, by 0.8 per cent of the mean square in one of a hundred, by 8 at most.

    Returns
    -------
    Selected

    Raises
    ------
    ValueError
        On what `fit` refuses, or if k or C leave their range, or validation data do not fit.

    Warns
    -----
    EndOfGrid
        If at the least or the largest of three C or more the error is so much less than between.

    Notes
    -----
    Eleven C and twelve k take half of the processor time of as many fits from nothing with logistic
    loss or squared hinge on breast cancer (n = 284) and on 120 Gaussian examples, a quarter on
    1,000, a fifth on 5,000; with the hinge a sixth to a quarter.

    Examples
    --------
    >>> X, y = np.array([[2.0], [1.0], [-1.0], [-2.0]]), [1, 1, -1, -1]
    >>> select(X, y, "hinge", validation=(X, y), Cs=[1.0], ks=[2, 4]).error
    0.0
    """
    kind = individual(loss)
    rows, labels = checked_data(X, y, kind)
    points, answers = compared("validation", validation, kind, rows)
    values = (10.0 ** np.arange(-5, 6)).tolist() if Cs is None else _constants(Cs)
    tol = TOLERANCE.number("tol", tol)
    check_truth("intercept", intercept)
    checked_scaling(scaling)
    _, total = checked_masses(sample_weight, len(labels))
    counts = counts_of(ks, total, sample_weight is None)
    wanted = [float(k / total) for k in counts]
    common: dict[str, Any] = dict(
        intercept=intercept, sample_weight=sample_weight, scaling=scaling)
    # Errors and coefficients, for C = 1, of what does not depend on C.
    shared: dict[int, tuple[float, Floats]] = {}
    start: Floats | None = None

    def error(model: Solution) -> float:
        return float(errors_of(
            kind.margin, answers, model.scores(points)[:, None], np.zeros(1))[0])

    def coef(model: Solution) -> Floats:
        return np.append(model.coef, [model.intercept] * intercept)

    def mixed(C: float) -> Compared:
        nonlocal start
        over = path(rows, labels, loss, ks=wanted, C=C, test=(points, answers),
                    tol=min(LOOSE[not kind.margin] * tol, 0.25), floor=0.0, start=start, **common)
        start = over.coef[-1]
        return Compared(over.error.copy(), over.coef.copy(), np.ones(len(wanted), bool), over.fits)

    def seen(k: float, C: float) -> tuple[Solution, int]:
        """A nu-SVM, in proportion to C, at one at which its gain is seen beside rounding."""
        found, fits = fit(rows, labels, loss, k=k, C=C, tol=tol, **common), 1
        gain, ceiling = 1 - found.dual / found.nu, np.inf
        while found.regime == "nu" and gain < HIDDEN and ceiling > CLOSE * found.C:
            # It grows with C, up to where the threshold is 0.
            C = found.C * SEEN / max(gain, LOST)
            C = min(C, float(np.sqrt(found.C * ceiling)))
            if C > FARTHEST:
                break
            more, fits = fit(rows, labels, loss, k=k, C=C, tol=tol, **common), fits + 1
            if more.regime != "nu":
                ceiling = C
                continue
            found, gain = more, 1 - more.dual / more.nu
        return found, fits

    def of_three(C: float) -> Compared:
        """Zero, nu-SVM or C-SVM."""
        errors = np.empty(len(wanted))
        coefs = np.empty((len(wanted), rows.shape[1] + intercept))
        whole = fit(rows, labels, loss, k=1.0, C=C, tol=tol, **common)
        fits, one, bar = 1, error(whole), k_bar(whole, total)
        for column, k in enumerate(counts):
            if k >= bar and whole.regime == "C":
                errors[column], coefs[column] = one, coef(whole)
                continue
            if column not in shared:
                found, more = seen(wanted[column], C)
                shared[column] = error(found), coef(found) / found.C
                fits += more
            errors[column], unit = shared[column]
            coefs[column] = C * unit
        return Compared(errors, coefs, np.ones(len(wanted), bool), fits)

    def compare(C: float) -> Compared:
        with warnings.catch_warnings():
            # What is compared need not be certified; the chosen one is.
            warnings.simplefilter("ignore", NotCertified)
            # Where C follows k the average loss has another minimiser at every k.
            return of_three(C) if loss == "hinge" and scaling == "paper" else mixed(C)

    ks = _named(counts, wanted, sample_weight is None)

    def solved(C: float, k: float, near: Floats) -> tuple[Solution, float, Floats]:
        best = fit(rows, labels, loss, k=k, C=C, start=near, **common)
        return best, error(best), coef(best)

    return _settled(values, ks, BEYOND if Cs is None else 0, compare, solved)


def kernel_select(
    gram: ArrayLike, y: ArrayLike, *, validation: tuple[Any, ArrayLike], ks: Sequence[float],
    Cs: Sequence[float] | None = None, regression: bool = False,
    sample_weight: ArrayLike | None = None, tol: float = 1e-3,
) -> Selected:
    r"""The same for kernel machines, by the path over k at every C.

    Models that gain less than a twentieth of what is gained at the largest k are not chosen, unless
    their gap is small even so, and have an infinite error: next to zero a smooth kernel's are not
    told from rounding. Where weights that balance up to 3,000 points prove it, zero is the model.
    What seems best and is zero to the tolerance errs as zero does.

    Parameters
    ----------
    gram : array_like, shape (n, n)
    y : array_like, shape (n,)
        1 or -1, or numbers.
    validation : pair
        Kernel of the points beside the sample, shape (m, n), and their labels.
    ks : sequence
    Cs : sequence, optional
        By default n times the powers of ten from $10^{-3}$ to $10^3$, and more as in `select`.
    regression : bool
    sample_weight : array_like, shape (n,), optional
    tol : float
        Largest violation of the model that is chosen; a fiftieth of the gap of the paths, of
        numbers a tenth.

    Returns
    -------
    Selected
        ``solution`` is a `KernelSolution`.

    Raises
    ------
    ValueError
        As `kernel_path`, or if validation data do not fit.

    Warns
    -----
    EndOfGrid
        As `select`.

    Examples
    --------
    >>> X = np.array([[2.0], [1.0], [-1.0], [-2.0]])
    >>> y = [1, 1, -1, -1]
    >>> kernel_select(X @ X.T, y, validation=(X @ X.T, y), Cs=[1.0], ks=[2, 4]).k
    4
    """
    check_truth("regression", regression)
    kind = individual("absolute" if regression else "hinge")
    labels = checked_targets(y, regression)
    gram = checked_gram(gram, len(labels))
    rows, answers = compared("validation", validation, kind, gram)
    values = ((len(gram) * 10.0 ** np.arange(-3, 4)).tolist() if Cs is None
              else _constants(Cs))
    tol = TOLERANCE.number("tol", tol)
    masses, total = checked_masses(sample_weight, len(gram))
    checked_classes(labels, regression, masses)
    counts = counts_of(ks, total, sample_weight is None)
    wanted = [float(k / total) for k in counts]

    # What no scores are best at is less at a larger C.
    largest, end = max(values), np.nan
    none = float(errors_of(not regression, answers, np.zeros((len(answers), 1)), np.zeros(1))[0])

    def compare(C: float) -> Compared:
        nonlocal largest, end
        found = kernel_path(
            gram, labels, ks=wanted, C=C, regression=regression, test=(rows, answers),
            tol=min(LOOSE_KERNEL[regression] * tol, 0.25), floor=0.05, sample_weight=sample_weight)
        known, coef = found.determined | (found.regime == "zero"), found.coef
        if not (known.all() or regression):
            if np.isnan(end) or largest < C:
                largest = max(C, largest)
                end = none_proven(gram, labels, masses, wanted[-1], largest, False)
            zero = ~known & (np.array(wanted) <= (1 + UNGAINED) * end)
            known, coef[zero] = known | zero, 0.0
            return Compared(np.where(zero, none, found.error), coef, known, found.fits)
        return Compared(found.error, coef, known, found.fits)

    ks = _named(counts, wanted, sample_weight is None)

    def solved(C: float, k: float, near: Floats) -> tuple[KernelSolution, float, Floats]:
        best = kernel_fit(gram, labels, nu=tail_mass(k, total), C=C, regression=regression, tol=tol,
                          masses=None if sample_weight is None else masses, start=near)
        if best.regime == "zero":
            # A fit of its own finds no other: what is gained is below the tolerance.
            best = no_scores(best, labels, masses, tail_mass(k, total), regression)
        scores = np.asarray(rows @ best.dual_coef)[:, None]
        return best, float(errors_of(not regression, answers, scores, np.zeros(1))[0]), (
            best.dual_coef)

    return _settled(values, ks, BEYOND if Cs is None else 0, compare, solved)


def _settled(
    Cs: list[float], ks: Sequence[float], more: int, compare: Callable[[float], Compared],
    solve: Callable[[float, float, Floats], tuple[Any, float, Floats]],
) -> Selected:
    """What seems best, solved until it is best by its own error, with more C beyond an end."""
    Cs, rows = list(Cs), [compare(C) for C in Cs]
    solved: dict[tuple[float, int], Any] = {}
    while True:
        # What is not known is not chosen, where anything is.
        known = np.array([row.known for row in rows])
        errors = np.where(known | ~known.any(), [row.errors for row in rows], np.inf)
        at, column = _least(errors, Cs, ks)
        C, row = Cs[at], rows[at]
        if (C, column) not in solved:
            solved[C, column], row.errors[column], row.coefs[column] = solve(
                C, ks[column], row.coefs[column])
            continue
        least, most = min(Cs), max(Cs)
        inside = [error for other, error in zip(Cs, errors.min(axis=1), strict=True)
                  if least < other < most]
        if not (inside and C in (least, most)
                and errors[at, column] < (1 - MATTERS) * min(inside)):
            break
        beyond = 10 * most if most == C else least / 10
        try:
            further = compare(beyond) if more else None
        except ValueError:
            further = None  # the losses overflow
        if further is None:
            warnings.warn(
                f"the validation error is least at C={C:g}, at an end of the values of C that were "
                f"compared: it may be less beyond", EndOfGrid, stacklevel=3)
            break
        place = len(Cs) if beyond > C else 0
        rows.insert(place, further)
        Cs.insert(place, beyond)
        more -= 1
    return Selected(C, ks[column], float(errors[at, column]), errors,
                    np.array([row.coefs for row in rows]), solved[C, column],
                    sum(row.fits for row in rows) + len(solved), Cs)


def _constants(Cs: Sequence[float]) -> list[float]:
    """Several C, as `fit` takes each."""
    found = []
    for C in listed("Cs", Cs, "numbers > 0"):
        try:
            found.append(checked_C(C))
        except ValueError as error:
            raise ValueError(f"Cs must hold numbers > 0: {error}") from error
    return found


def _named(counts: Floats, shares: list[float], whole: bool) -> list[float]:
    """As a fit takes them: whole counts, or fractions where examples are weighted."""
    return [int(k) for k in counts] if whole else shares


def _least(errors: Floats, Cs: Sequence[float], ks: Sequence[float]) -> tuple[int, int]:
    """Where the error is least: of ties the larger k, then the smaller C."""
    best = np.argwhere(errors <= errors.min() + 1e-15)
    row, column = max(best.tolist(), key=lambda at: (ks[at[1]], -Cs[at[0]]))
    return row, column


def _collapsed_up_to(
    rows: Any, labels: Floats, masses: Floats, shares: Floats, *, intercept: bool = False
) -> float:
    """The largest tail mass, of these if data are many, whose minimiser is zero at every C, or 0.

    Parameters
    ----------
    rows, labels, masses
        Checked data of two classes.
    shares : array, shape (m,)
        In order.
    intercept : bool

    Returns
    -------
    float
    """
    if rows.shape[0] * rows.shape[1] <= ENTRIES:
        # Of rows of very different lengths the linear programme may not be solved.
        with contextlib.suppress(RuntimeError):
            return collapse_threshold(rows, labels, intercept=intercept, sample_weight=masses)
    # C large enough for the scores to reach the margin: the objective is that without regulariser.
    C = 1e3 / max(mean_square(rows, masses), 1e-300)
    keep = np.flatnonzero(masses > 0)
    walk = Walk(rows[keep], labels[keep], masses[keep], "hinge", C, intercept, False, 1e-2)
    walk.nus = shares
    walk.below(walk.highest(float(shares[-1])))
    return walk.zero_to
