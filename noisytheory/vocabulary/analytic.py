r"""Losses with an analytic derivative, $\ell'(a)=\sum_n\gamma_na^n$, as small frozen objects.

A classification loss is taken at the margin, $f(y\langle w,\Psi(x)\rangle)$ with $y=\pm1$, a
regression loss at the residual, $f(\langle w,\Psi(x)\rangle-y)$. The absolute majorant is
$\ell'_+(a)=\sum_n|\gamma_n|a^n$.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.vocabulary.domains import POSITIVE, REAL, checked_floats

__all__ = [
    "AffineLoss", "AnalyticLoss", "ExponentialLoss", "SeriesLoss", "SmoothedAbsolute",
    "SmoothedHinge", "SquaredLoss",
]

Floats = NDArray[np.float64]
FORMS = ("classification", "regression")
TERMS = 4000
"""Terms of a majorant after which it counts as infinite."""
LARGE = 1e100
"""Terms beyond are written in larger units."""


class AnalyticLoss(ABC):
    r"""A convex loss $f$ whose derivative is a power series.

    Attributes
    ----------
    form : {"classification", "regression"}
        Whether $f$ is taken at the margin or at the residual.
    degree : int or None
        Degree of the derivative, None where it is no polynomial.
    """

    form: str
    degree: int | None = None

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(FORMS)}, got {self.form!r}")

    def check_labels(self, y: Any) -> None:
        """Say so if a label is not finite, or of a classification loss neither 1 nor -1."""
        labels = np.asarray(y)
        if self.form == "regression" and not np.isfinite(labels).all():
            raise ValueError("y must be finite")
        strange = labels[np.abs(labels) != 1]
        if self.form == "classification" and strange.size:
            raise ValueError(f"y must be -1 or 1 for a classification loss, got {strange[0]:g}")

    @property
    @abstractmethod
    def name(self) -> str:
        """For labels and legends."""

    @abstractmethod
    def at(self, a: Any) -> Any:
        """$f(a)$, elementwise."""

    @abstractmethod
    def slope(self, a: Any) -> Any:
        """$f'(a)$, elementwise."""

    @abstractmethod
    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_0,\dots,\gamma_{count-1}$."""

    @abstractmethod
    def majorant(self, a: Any) -> Any:
        r"""$\ell'_+(a)$, elementwise, at $a\ge0$; infinite beyond the radius of convergence."""

    def argument(self, y: Any, v: Any) -> Any:
        """The margin $yv$ or the residual $v-y$."""
        return y * v if self.form == "classification" else v - y

    def value(self, y: Any, v: Any) -> Any:
        """Loss of the score $v$ at the label $y$, elementwise."""
        return self.at(self.argument(y, v))

    def derivative(self, y: Any, v: Any) -> Any:
        r"""$\partial\ell/\partial v$: $y\,f'(yv)$ or $f'(v-y)$."""
        slope = self.slope(self.argument(y, v))
        return y * slope if self.form == "classification" else slope


@dataclass(frozen=True)
class AffineLoss(AnalyticLoss):
    """$f(a)=ca$.

    Parameters
    ----------
    c : float
        Slope; -1 makes it a loss of the margin.
    form : {"classification", "regression"}

    Examples
    --------
    >>> AffineLoss(-1.0).value(-1, 0.5)
    0.5
    """

    c: float = -1.0
    form: str = "classification"
    degree = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        REAL.number("c", self.c)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"linear {self.c:g}a"

    def at(self, a: Any) -> Any:
        """$ca$."""
        return self.c * a

    def slope(self, a: Any) -> Any:
        """$c$."""
        return self.c + 0 * a

    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_0=c$."""
        return _padded([self.c], count)

    def majorant(self, a: Any) -> Any:
        """$|c|$."""
        # At infinity too, in the shape of the argument.
        return abs(self.c) + 0 * np.minimum(a, 1.0)


@dataclass(frozen=True)
class SquaredLoss(AnalyticLoss):
    """$f(a)=(a-c)^2$.

    Parameters
    ----------
    centre : float
        $c$; 0 is the usual regression loss, 1 the squared margin.
    form : {"classification", "regression"}

    Examples
    --------
    >>> SquaredLoss(0.0, "regression").value(3.0, 1.0), SquaredLoss(1.0).majorant(2.0)
    (4.0, 6.0)
    """

    centre: float = 1.0
    form: str = "classification"
    degree = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        REAL.number("centre", self.centre)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"squared (a-{self.centre:g})^2" if self.centre else "squared a^2"

    def at(self, a: Any) -> Any:
        """$(a-c)^2$."""
        return (a - self.centre) ** 2

    def slope(self, a: Any) -> Any:
        """$2(a-c)$."""
        return 2 * (a - self.centre)

    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_0=-2c$, $\gamma_1=2$."""
        return _padded([-2 * self.centre, 2.0], count)

    def majorant(self, a: Any) -> Any:
        """$2|c|+2a$."""
        return 2 * abs(self.centre) + 2 * a


@dataclass(frozen=True)
class ExponentialLoss(AnalyticLoss):
    """$f(a)=e^{-a}$ of the margin; `sign=1` is the printed one, which rewards mistakes.

    Parameters
    ----------
    sign : int
        -1, or 1 as printed.
    form : {"classification", "regression"}

    Examples
    --------
    >>> round(float(ExponentialLoss().derivative(-1, 1.0)), 6)
    2.718282
    """

    sign: int = -1
    form: str = "classification"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sign not in (-1, 1):
            raise ValueError(f"sign must be -1 or 1, got {self.sign!r}")

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "exponential e^-a" if self.sign < 0 else "exponential e^a"

    def at(self, a: Any) -> Any:
        """$e^{-a}$."""
        return np.exp(self.sign * a)

    def slope(self, a: Any) -> Any:
        """$-e^{-a}$."""
        return self.sign * np.exp(self.sign * a)

    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_n=(-1)^{n+1}/n!$."""
        n = np.arange(count)
        return np.asarray(float(self.sign) ** (n + 1) * np.exp(-special.gammaln(n + 1.0)))

    def majorant(self, a: Any) -> Any:
        """$e^a$."""
        return np.exp(a)


@dataclass(frozen=True)
class SmoothedAbsolute(AnalyticLoss):
    r"""$A_s(a)=a\,\mathrm{Erf}(sa)+e^{-s^2a^2}/(s\sqrt\pi)$, with derivative $\mathrm{Erf}(sa)$.

    Parameters
    ----------
    s : float
        Sharpness: the loss is within $1/(s\sqrt\pi)$ of $|a|$.
    form : {"classification", "regression"}
    centre : float
        $c$: the loss is $A_s(a-c)$. At 1 the loss of a margin is that of the score's distance from
        the label, -1 or 1; at 0 it is the usual regression loss.

    Examples
    --------
    >>> loss = SmoothedAbsolute(1.0)
    >>> round(float(loss.at(0.0)), 7), round(float(loss.majorant(1)), 5)
    (0.5641896, 1.65043)
    >>> margin = SmoothedAbsolute(1.0, "classification", centre=1.0)
    >>> float(margin.value(-1.0, 0.5)) == float(loss.value(-1.0, 0.5))
    True
    """

    s: float = 1.0
    form: str = "regression"
    centre: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        POSITIVE.number("s", self.s)
        REAL.number("centre", self.centre)

    @property
    def name(self) -> str:
        """For labels and legends."""
        where = f", centre {self.centre:g}" if self.centre else ""
        return f"smoothed absolute, s={self.s:g}{where}"

    def at(self, a: Any) -> Any:
        """$A_s(a-c)$."""
        b = a - self.centre
        return b * special.erf(self.s * b) + np.exp(-((self.s * b) ** 2)) / (
            self.s * math.sqrt(math.pi)
        )

    def slope(self, a: Any) -> Any:
        r"""$\mathrm{Erf}(s(a-c))$."""
        return special.erf(self.s * (a - self.centre))

    def coefficients(self, count: int) -> Floats:
        r"""At $c=0$: $\gamma_{2k+1}=\frac2{\sqrt\pi}\frac{(-1)^ks^{2k+1}}{k!(2k+1)}$, others 0."""
        if self.centre:
            first = -float(special.erf(self.s * self.centre))
            return _erf_coefficients(first, 2.0, self.s, self.centre, count)
        out = np.zeros(count)
        k = np.arange(len(out[1::2]))
        size = np.exp((2 * k + 1) * math.log(self.s) - special.gammaln(k + 1.0)) / (2 * k + 1)
        out[1::2] = 2 / math.sqrt(math.pi) * (-1.0) ** k * size
        return out

    def majorant(self, a: Any) -> Any:
        r"""$\mathrm{erfi}(sa)$ at $c=0$; else the series of absolute values."""
        if self.centre:
            first = abs(float(special.erf(self.s * self.centre)))
            return _erf_majorant(first, 2.0, self.s, self.centre, a)
        return special.erfi(self.s * a)


@dataclass(frozen=True)
class SmoothedHinge(AnalyticLoss):
    r"""$H_s(a)=\frac12[A_s(a-1)-(a-1)]$, with derivative $\frac12(\mathrm{Erf}(s(a-1))-1)$.

    Parameters
    ----------
    s : float
        Sharpness: the loss is within $1/(2s\sqrt\pi)$ of the hinge.
    form : {"classification", "regression"}

    Examples
    --------
    >>> round(float(SmoothedHinge(1.0).at(1.0)), 7), round(float(SmoothedHinge().majorant(1.0)), 6)
    (0.2820948, 1.488823)
    """

    s: float = 1.0
    form: str = "classification"

    def __post_init__(self) -> None:
        super().__post_init__()
        POSITIVE.number("s", self.s)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"smoothed hinge, s={self.s:g}"

    def at(self, a: Any) -> Any:
        """$H_s(a)$."""
        return (SmoothedAbsolute(self.s).at(a - 1) - (a - 1)) / 2

    def slope(self, a: Any) -> Any:
        r"""$\frac12(\mathrm{Erf}(s(a-1))-1)$."""
        return -special.erfc(self.s * (a - 1)) / 2

    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_0=-\frac12(1+\mathrm{Erf}\,s)$, then $s^nH_{n-1}(s)e^{-s^2}/(\sqrt\pi\,n!)$."""
        return _erf_coefficients(-(1 + special.erf(self.s)) / 2, 1.0, self.s, 1.0, count)

    def majorant(self, a: Any) -> Any:
        """The series of absolute values, summed until it no longer moves."""
        return _erf_majorant((1 + special.erf(self.s)) / 2, 1.0, self.s, 1.0, a)


def _erf_coefficients(
    first: float, scale: float, s: float, centre: float, count: int
) -> Floats:
    r"""Of $\frac{scale}2\mathrm{Erf}(s(a-c))$, but for the constant, which is given."""
    out = np.zeros(max(count, 2))
    out[0] = first
    before, now, log = 0.0, scale * s / math.sqrt(math.pi), -((s * centre) ** 2)
    with np.errstate(over="ignore"):
        for n in range(1, count):
            out[n] = now * np.exp(log)
            before, now = now, _erf_next(n, before, now, s, centre, 1.0)
            # What is 0 in floats now may grow: its size is kept apart.
            if abs(now) > LARGE:
                before, now, log = before / LARGE, now / LARGE, log + math.log(LARGE)
    return out[:count]


def _erf_majorant(first: float, scale: float, s: float, centre: float, a: Any) -> Any:
    r"""The series of the absolute values of these, summed until it no longer moves.

    By Cramér's inequality term n is below $e^{-s^2c^2/2}(\sqrt2sa)^n/\sqrt{n!}$ up to a constant:
    all of them together are nothing beside the first one where $s^2c^2/2$ is far above $s^2a^2$,
    and else they grow up to $n=2s^2a^2$ at most.
    """
    none = 0 * np.minimum(a, 1.0)
    square = np.square(s * np.asarray(a, float))
    counts, long = (s * centre) ** 2 / 2 < 1.05 * square + 45, 2 * square >= TERMS
    some = np.where(counts & ~long, a, 0.0)
    total, log = np.where(counts & long, np.inf, first), -((s * centre) ** 2)
    before, now = np.zeros(square.shape), scale * s * some / math.sqrt(math.pi)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for n in range(1, TERMS):
            total = total + abs(now) * np.exp(log)
            # A Hermite polynomial may vanish at sc, two in a row cannot.
            if n % 8 == 0:
                size = abs(now) + abs(before)
                small = (size * np.exp(log) <= 1e-17 * total) & (n >= 2 * s**2 * some**2)
                small |= ~np.isfinite(total)
                if np.all(small):
                    break
                now, before = np.where(small, 0.0, now), np.where(small, 0.0, before)
                # What is 0 in floats now may grow: its size is kept apart.
                if np.max(size, initial=0.0, where=~small) > LARGE:
                    before, now, log = before / LARGE, now / LARGE, log + math.log(LARGE)
            before, now = now, _erf_next(n, before, now, s, centre, some)
        else:
            total = np.where(small, total, np.inf)
    # What overflowed became a difference of infinite terms.
    return none + np.fmin(total, np.inf)


def _erf_next(n: int, before: Any, now: Any, s: float, centre: float, a: Any) -> Any:
    """Term n + 1 from terms n - 1 and n, by the recurrence of the Hermite polynomials."""
    s2 = s**2
    return 2 * s2 * centre * a / (n + 1) * now - 2 * (n - 1) * s2 * a**2 / (n * (n + 1)) * before


@dataclass(frozen=True)
class SeriesLoss(AnalyticLoss):
    r"""A loss given by the coefficients of its derivative, with $f(0)=0$.

    Parameters
    ----------
    gamma : sequence of float
        $\gamma_0,\gamma_1,\dots$; convexity is yours to see to.
    form : {"classification", "regression"}

    Examples
    --------
    >>> cubic = SeriesLoss((0.0, 0.0, 3.0))
    >>> float(cubic.at(2.0)), float(cubic.majorant(2.0))
    (8.0, 12.0)
    """

    gamma: Sequence[float] = (-1.0,)
    form: str = "classification"

    def __post_init__(self) -> None:
        super().__post_init__()
        gamma = checked_floats("gamma", self.gamma)
        if gamma.ndim != 1 or not gamma.size or not np.all(np.isfinite(gamma)):
            raise ValueError(f"gamma must be a list of finite numbers, got {self.gamma!r}")
        object.__setattr__(self, "gamma", tuple(float(g) for g in gamma))

    @property
    def degree(self) -> int:  # type: ignore[override]
        """Of the derivative."""
        return max((n for n, g in enumerate(self.gamma) if g), default=0)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "series " + " ".join(f"{g:g}" for g in self.gamma)

    def at(self, a: Any) -> Any:
        r"""$\sum_n\gamma_na^{n+1}/(n+1)$."""
        return sum(g / (n + 1) * a ** (n + 1) for n, g in enumerate(self.gamma))

    def slope(self, a: Any) -> Any:
        r"""$\sum_n\gamma_na^n$."""
        return sum(g * a**n for n, g in enumerate(self.gamma))

    def coefficients(self, count: int) -> Floats:
        r"""$\gamma_n$."""
        return _padded(self.gamma, count)

    def majorant(self, a: Any) -> Any:
        r"""$\sum_n|\gamma_n|a^n$."""
        return sum(abs(g) * a**n for n, g in enumerate(self.gamma) if g or not n)


def _padded(values: Sequence[float], count: int) -> Floats:
    out = np.zeros(count)
    some = list(values)[:count]
    out[: len(some)] = some
    return out
