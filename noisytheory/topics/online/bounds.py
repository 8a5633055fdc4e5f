"""What arguments of this topic's bounds are, what they ask of objects, and which p will do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, POSITIVE, Domain, Numeric

__all__ = [
    "ABOVE_1", "BALL", "BALL_OR_POINT", "COUNTED", "ESTIMATE", "GRADIENT", "INSTANCE",
    "LABEL", "MAP", "ROUNDS", "SHARPNESS", "WHOLE", "WIDTH",
]

Floats = NDArray[np.float64]
Bound = Callable[..., Numeric]
SPREAD = 400
EXTREMES = 1e-6, 1e9
"""Of p - 1; what is admissible there is so beyond."""

ABOVE_1 = Domain(1, meaning="Sampling parameter: degrees have $P(N=n)=(p-1)/p^{n+1}$.")
WHOLE = Domain(0, include_low=True, whole=True)
# What a formula counts up to.
COUNTED = Domain(0, 1000, include_low=True, include_high=True, whole=True)
ROUNDS = COUNT.of("Rounds.")
BALL = POSITIVE.of("Squared radius of the ball of predictors.")
BALL_OR_POINT = NONNEGATIVE.of(BALL.meaning)
INSTANCE = NONNEGATIVE.of(
    r"Bound on $\mathbb E\|\tilde x\|^2$, the clean instance and its noise together."
)
MAP = NONNEGATIVE.of(r"Bound on $\mathbb E\|\tilde\Psi\|^2$.")
GRADIENT = NONNEGATIVE.of(r"Bound on $\mathbb E\tilde g^2$.")
ESTIMATE = NONNEGATIVE.of(r"$G^2$ bounds $\mathbb E\|\tilde g\tilde\Psi\|^2$.")
LABEL = NONNEGATIVE.of("Bound on $|y|$, which regression losses need; print has none, which is 0.")
WIDTH = POSITIVE.of(r"Squared width of the Gaussian kernel $e^{-\|x-x'\|^2/\sigma^2}$.")
SHARPNESS = POSITIVE.of("How sharply the loss bends.")


class Function(Protocol):
    """A function of a number; a kernel is seen as that of the inner product."""

    def at(self, a: Any) -> Any:
        """Its value."""


@runtime_checkable
class Enveloped(Protocol):
    r"""The Gaussian kernel, known by its width: its series is between two envelopes."""

    @property
    def sigma2(self) -> float:
        r"""$\sigma^2$."""


class Majorised(Protocol):
    """A loss, seen as the majorant of its derivative."""

    def majorant(self, a: Any) -> Any:
        r"""$\ell'_+(a)$."""


def label_bound(By: Numeric | None, loss: Any) -> Numeric:
    """By, or 0 of a loss that needs none: of a margin, or with a constant derivative.

    Parameters
    ----------
    By : number, array or None
        None where it was not given.
    loss : object

    Returns
    -------
    number or array

    Raises
    ------
    ValueError
        If a regression loss has none.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> label_bound(None, SquaredLoss()), label_bound(2.0, SquaredLoss(0.0, "regression"))
    (0.0, 2.0)
    """
    if By is not None:
        return By
    if getattr(loss, "form", "") == "regression" and loss.degree != 0:
        raise ValueError(
            f"By must be a bound on |y| for the regression loss {loss.name}, got None: without one "
            "nothing is promised"
        )
    return 0.0


class Coefficients:
    """A polynomial by its coefficients: as a loss or a kernel that a bound asks for.

    Parameters
    ----------
    *columns : array
        One coefficient each, over instances.
    """

    def __init__(self, *columns: Any) -> None:
        self.columns = columns

    def at(self, a: Any) -> Any:
        """Its value."""
        return sum(c * a**n for n, c in enumerate(self.columns))

    def majorant(self, a: Any) -> Any:
        """That of the sizes of the coefficients."""
        return sum(abs(c) * a**n for n, c in enumerate(self.columns))


def asked_by(formula: Bound) -> Callable[[Bound], Bound]:
    """Mark a bound of coefficients, which instances bring, with the one that a reader asks.

    Parameters
    ----------
    formula : callable
        The same bound of the kernel or the loss itself.

    Returns
    -------
    callable
        A decorator, which leaves the function as it is.
    """

    def marked(function: Bound) -> Bound:
        function.formula = formula  # type: ignore[attr-defined]
        return function

    return marked


def constants(Bw: float, Bx: float, loss: Any, By: float | None) -> float:
    """By, after the three constants were held against what they may be."""
    POSITIVE.number("Bw", Bw)
    NONNEGATIVE.number("Bx", Bx)
    return NONNEGATIVE.number("By", label_bound(By, loss))


def price(p: float | None, coupled: bool) -> float:
    """What a degree that is drawn alone costs in second moments."""
    return 1.0 if p is None or coupled else p / (p - 1)


def arguments(
    p: float | None, Bw: float, Bx: float, kernel: Any, By: float, coupled: bool
) -> tuple[float, float]:
    r"""$B_\Psi$, and where the loss's majorant is needed."""
    scale = 1.0 if p is None else float(p)
    with np.errstate(over="ignore"):
        Bpsi = price(p, coupled) * float(kernel.at(np.float64(scale * Bx)))
        if isinstance(kernel, Enveloped):
            root = math.sqrt(scale) * np.float64(Bx)
            Bpsi *= scale / (scale - 1) * float(np.exp(2 * root / kernel.sigma2))
        return Bpsi, math.sqrt(scale) * (math.sqrt(Bw * Bpsi) + By)


def squared_majorants(loss: Any, at: Sequence[float] | Floats) -> Floats:
    """Of many arguments, whose series are summed together; infinite where they overflow."""
    points = np.asarray(at, float)
    some = np.isfinite(points)
    with np.errstate(over="ignore"):
        found = np.square(np.asarray(loss.majorant(np.where(some, points, 0.0)), float))
    return np.where(some, found, np.inf)


def finite(
    found: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, kernel: Any, loss: Any, By: Numeric
) -> Numeric:
    """What was found, or a ValueError that says why some of it is infinite.

    Parameters
    ----------
    found : number or array
    p, Bw, Bx, By : number or array
    kernel, loss : object

    Returns
    -------
    number or array
    """
    wrong = ~np.isfinite(found)
    if not np.any(wrong):
        return found
    given: list[Any] = [wrong, p, Bw, Bx, By]
    if hasattr(wrong, "dims"):
        import xarray as xr

        given = list(xr.broadcast(*(xr.DataArray(value) for value in given)))
    culprit, *numbers = (np.ravel(value) for value in np.broadcast_arrays(*given))
    p, Bw, Bx, By = (float(number[culprit.argmax()]) for number in numbers)
    if hasattr(kernel, "radius") and hasattr(loss, "name"):
        raise ValueError(inadmissible(p, Bw, Bx, kernel, loss, By))
    raise ValueError(
        f"p, Bw and Bx must be smaller, got p = {p:g}, Bw = {Bw:g} and Bx = {Bx:g}: a series is "
        "infinite, or too large for a number"
    )


def inadmissible(
    p: float | None, Bw: float, Bx: float, kernel: Any, loss: Any, By: float, *,
    needed: Any = None, coupled: bool = False,
) -> str:
    """Which series is infinite, where, and what p would do, if any.

    Parameters
    ----------
    p : float or None
    Bw, Bx, By : float
    kernel, loss
    needed : AnalyticLoss, optional
        Whose majorant is to be finite, if not the loss's.
    coupled : bool
        As in `second_moments`.

    Returns
    -------
    str

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import BinomialProduct
    >>> print(inadmissible(3.0, 1.0, 0.5, BinomialProduct(1.0), AffineLoss(), 0.0))
    p must be below 2, got 3: the series of the kernel binomial, alpha=1 is infinite, or too large \
for a number, at p Bx = 1.5
    """
    Bpsi, reach = arguments(p, Bw, Bx, kernel, By, coupled)
    what, at = f"series of the kernel {kernel.name}", f"p Bx = {(p or 1) * Bx:g}"
    if math.isfinite(Bpsi):
        what, at = f"majorant of the loss {loss.name}", f"{reach:g}"
    wrong = f"the {what} is infinite, or too large for a number, at {at}"
    smaller = f"Bw and Bx must be smaller, got {Bw:g} and {Bx:g}: {wrong}"
    if p is None:
        return smaller
    try:
        low, high = admissible_p(Bw, Bx, kernel, needed or loss, By, coupled=coupled)
    except ValueError as error:
        return str(error)
    if low < p < high:
        return smaller
    allowed = f"below {high:g}" if low == 1 else f"between {low:g} and {high:g}"
    return f"p must be {allowed}, got {p:g}: {wrong}"


def admissible_p(
    Bw: float, Bx: float, kernel: Any, loss: Any, By: float | None = None, *,
    coupled: bool = False,
) -> tuple[float, float]:
    r"""The p between which both second moments are finite: no smaller one will do, and no larger.

    The kernel's series must converge at $pB_x$, and the loss's majorant at
    $\sqrt p(\sqrt{B_wB_\Psi}+B_y)$, which is large for large p and, unless coupled, for p near 1.

    Parameters
    ----------
    Bw, Bx, By : float
    kernel, loss
    coupled : bool
        As in `second_moments`.

    Returns
    -------
    low, high : float
        1 and infinity where there is no end.

    Raises
    ------
    ValueError
        If there is no such p.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import BinomialProduct
    >>> admissible_p(1.0, 0.4, BinomialProduct(1.0), AffineLoss())
    (1.0, 2.5)
    """
    By = constants(Bw, Bx, loss, By)
    radius = kernel.radius / Bx if Bx > 0 else math.inf
    ends = [math.log(EXTREMES[0]), math.log(min(radius - 1, EXTREMES[1]))] if radius > 1 else []
    if not ends or ends[0] >= ends[1]:
        raise ValueError(
            f"Bx must be below {kernel.radius:g}, the radius of convergence of the kernel "
            f"{kernel.name}, got {Bx:g}: no p > 1 is admissible"
        )

    def needed(logs: Floats) -> list[float]:
        return [arguments(1 + math.exp(log), Bw, Bx, kernel, By, coupled)[1] for log in logs]

    # It falls and then rises, a sum of exponentials of convex functions of log p.
    grid = np.linspace(ends[0], ends[1] - 1e-9, SPREAD)
    best = lowest(needed, grid)
    least = needed(np.array([best]))[0]
    if not math.isfinite(least):
        raise ValueError(
            f"Bx must be smaller, got {Bx:g}: the second moment of the map of the kernel "
            f"{kernel.name} is too large for a number"
        )

    def holds(logs: Floats) -> NDArray[np.bool_]:
        dear = [price(1 + math.exp(log), coupled) for log in logs]
        with np.errstate(over="ignore"):
            return np.isfinite(dear * squared_majorants(loss, needed(logs)))

    if not holds(np.array([best]))[0]:
        raise ValueError(
            f"Bx and Bw must let the bound be finite for some p, got Bx = {Bx:g} and Bw = {Bw:g} "
            f"with the kernel {kernel.name}: the majorant of the loss {loss.name} is infinite at "
            f"{least:g}, the smallest argument, of p = {1 + math.exp(best):g}"
        )
    found = [1.0, radius]
    for side, end in enumerate((grid[0], grid[-1])):
        points = np.array([best, end])
        while not (held := holds(points)).all() and np.ptp(points) > 1e-12:
            # From the last that is finite to the next, in ever smaller steps.
            last = int(np.argmin(held)) - 1
            points = np.linspace(points[last], points[last + 1], 100)
        if not held.all():
            found[side] = 1 + math.exp(points[0])
    return found[0], found[1]


def lowest(function: Callable[[Floats], Sequence[float] | Floats], grid: Floats) -> float:
    """Where a function that falls and then rises is smallest."""
    from scipy.optimize import minimize_scalar

    values = function(grid)
    at = int(np.argmin(values))
    ends = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    with np.errstate(invalid="ignore"):
        # Differences of infinite values, beside the finite ones.
        found = minimize_scalar(
            lambda point: float(function(np.array([point]))[0]), bounds=ends, method="bounded",
            options={"xatol": 1e-9},
        )
    return float(found.x if found.fun <= values[at] else grid[at])
