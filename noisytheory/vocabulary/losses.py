r"""Losses $\ell(y,v)$ of a label $y=\pm1$ and a score $v$, as small frozen objects.

Values and derivatives are taken elementwise and broadcast; at a score that is NaN both are NaN.
Where only arithmetic and comparisons are needed, object arrays of fractions give exact fractions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from noisytheory.vocabulary.domains import Domain, checked_floats, checked_reals
from noisytheory.vocabulary.joint_masses import twice_wrong
from noisytheory.vocabulary.noise import checked_number, flip_rates

__all__ = [
    "Corrected",
    "Exponential",
    "Hinge",
    "LabelFreeSquare",
    "LinearLoss",
    "Logistic",
    "Loss",
    "Margin",
    "MarginSquare",
    "Ramp",
    "Sigmoid",
    "SquaredHinge",
    "TLogistic",
    "ZeroOne",
    "corrected",
]

Values = NDArray[Any]
ABOVE_1 = Domain(1)


def corrected(loss: Loss, sigma: Any) -> Corrected:
    r"""The loss whose risk under label noise is the clean risk of ``loss``.

    $$\ell_\sigma(y,v)=\frac{(1-\sigma_{-y})\,\ell(y,v)-\sigma_y\,\ell(-y,v)}{1-\sigma_--\sigma_+}$$

    Parameters
    ----------
    loss : Loss
    sigma : number or pair of numbers
        Flip probability in [0, 1/2), or the pair $(\sigma_-,\sigma_+)$ with sum below 1.

    Returns
    -------
    Corrected

    Raises
    ------
    ValueError
        If a rate is out of its range.

    Notes
    -----
    $E_{P_\sigma}\ell_\sigma=E_P\,\ell$ for every scorer. Natarajan and others, Learning with Noisy
    Labels (2013), Lemma 1.

    Examples
    --------
    >>> float(corrected(LinearLoss(), 0.25).value(1, 0.5))
    0.0
    """
    return Corrected(loss, *flip_rates(sigma))


class Loss(ABC):
    r"""A loss $\ell(y,v)$.

    Attributes
    ----------
    convex : bool
        Whether it is convex in the score for either label.
    label_sum : number or None
        $\ell(1,v)+\ell(-1,v)$ where that does not depend on the score.
    affine_difference : bool
        Whether $\ell(1,v)-\ell(-1,v)$ is affine in the score, so that correcting for label noise
        bends nothing.
    convex_potential : bool
        Whether $\ell(y,v)=\psi(yv)$ with $\psi\ge0$ convex, $\psi'(0)<0$ and $\psi(\infty)=0$.
    counts : bool
        Whether values are 0, 1/2 and 1 only, and so exact in floats.
    """

    convex: bool = False
    label_sum: Any = None
    affine_difference: bool = False
    convex_potential: bool = False
    counts: bool = False

    @property
    @abstractmethod
    def name(self) -> str:
        """For labels and legends."""

    @abstractmethod
    def value(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$\ell(y,v)$, elementwise."""

    @abstractmethod
    def derivative(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$\partial\ell(y,v)/\partial v$, elementwise; at a kink one subgradient."""


class MarginLoss(Loss):
    r"""A loss $\psi(yv)$ of the margin alone."""

    def value(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$\psi(yv)$, elementwise."""
        return _elementwise(self.at_margin, np.asarray(_labels(y) * _scores(v)))

    def derivative(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$y\,\psi'(yv)$, elementwise; at a kink one element of the subgradient."""
        labels = _labels(y)
        margins = np.asarray(labels * _scores(v))
        return np.asarray(labels * _elementwise(self.slope, margins))

    @abstractmethod
    def at_margin(self, margin: Values) -> Values:
        r"""$\psi$ at given margins, none of them NaN."""

    @abstractmethod
    def slope(self, margin: Values) -> Values:
        r"""$\psi'$ at given margins, none of them NaN."""


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    r"""Misclassification, $[\![yv<0]\!]$, and what a score of zero counts.

    Parameters
    ----------
    zero : {"both", "half"}
        A score of 0 is an error for either label, $[\![yv\le0]\!]$, or half an error. Only with
        halves do the losses of the two labels sum to a constant.

    Raises
    ------
    ValueError
        If ``zero`` is neither.

    Examples
    --------
    >>> ZeroOne().value(1, [-1, 0, 1]).tolist(), ZeroOne("half").value(1, [-1, 0, 1]).tolist()
    ([1.0, 1.0, 0.0], [1.0, 0.5, 0.0])
    """

    zero: Literal["both", "half"] = "both"
    counts = True

    def __post_init__(self) -> None:
        if self.zero not in ("both", "half"):
            raise ValueError(f"zero must be 'both' or 'half', got {self.zero!r}")

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "0-1" if self.zero == "both" else "0-1, half at zero"

    @property
    def label_sum(self) -> int | None:
        """1 under the half convention; under the other the sum is 2 at zero and 1 elsewhere."""
        return 1 if self.zero == "half" else None

    def at_margin(self, margin: Values) -> Values:
        """0, 1/2 or 1 at given margins."""
        return np.asarray(twice_wrong(margin, self.zero) / 2)

    def slope(self, margin: Values) -> Values:
        """Zero; there is none at the jump."""
        return np.zeros(margin.shape)


@dataclass(frozen=True)
class Margin(MarginLoss):
    r"""$\ell_\gamma(y,v)=[\![yv\le\gamma]\!]$.

    Parameters
    ----------
    gamma : number
        Margin that is asked for.

    Raises
    ------
    ValueError
        If ``gamma`` is not a finite number.

    Examples
    --------
    >>> Margin(0.5).value(-1, [-1, -0.5, 0]).tolist()
    [0.0, 1.0, 1.0]
    """

    gamma: Fraction | float
    counts = True

    def __post_init__(self) -> None:
        checked_number("gamma", self.gamma)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"margin {self.gamma}"

    def at_margin(self, margin: Values) -> Values:
        """0 or 1 at given margins."""
        return np.where(margin <= self.gamma, 1.0, 0.0)

    def slope(self, margin: Values) -> Values:
        """Zero; there is none at the jump."""
        return np.zeros(margin.shape)


@dataclass(frozen=True)
class LinearLoss(MarginLoss):
    r"""$1-yv$, the loss that the mean minimises over a ball.

    Examples
    --------
    >>> LinearLoss().value(-1, 0.25).item()
    1.25
    """

    convex = True
    affine_difference = True
    label_sum = 2

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "linear"

    def at_margin(self, margin: Values) -> Values:
        r"""$1-u$."""
        return np.asarray(1 - margin)

    def slope(self, margin: Values) -> Values:
        r"""$-1$."""
        return np.full(margin.shape, -1.0)


@dataclass(frozen=True)
class Hinge(MarginLoss):
    r"""$\max(0,1-yv)$.

    Examples
    --------
    >>> Hinge().value(1, [-1, 2]).tolist()
    [2, 0]
    """

    convex = True
    convex_potential = True

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "hinge"

    def at_margin(self, margin: Values) -> Values:
        r"""$\max(0,1-u)$."""
        return np.asarray(np.maximum(1 - margin, 0))

    def slope(self, margin: Values) -> Values:
        r"""$-1$ below margin 1, 0 from there."""
        return np.where(margin < 1, -1.0, 0.0)


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    r"""$\max(0,1-yv)^2$.

    Examples
    --------
    >>> SquaredHinge().value(1, [-1, 2]).tolist()
    [4, 0]
    """

    convex = True
    convex_potential = True

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "squared hinge"

    def at_margin(self, margin: Values) -> Values:
        r"""$\max(0,1-u)^2$."""
        return np.asarray(np.maximum(1 - margin, 0) ** 2)

    def slope(self, margin: Values) -> Values:
        r"""$-2\max(0,1-u)$."""
        return np.asarray(-2 * np.maximum(1 - margin, 0))


@dataclass(frozen=True)
class MarginSquare(MarginLoss):
    r"""$(1-yv)^2=(y-v)^2$.

    Examples
    --------
    >>> MarginSquare().value(1, [-1, 2]).tolist()
    [4, 1]
    """

    convex = True
    affine_difference = True

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "square"

    def at_margin(self, margin: Values) -> Values:
        r"""$(1-u)^2$."""
        return np.asarray((1 - margin) ** 2)

    def slope(self, margin: Values) -> Values:
        r"""$-2(1-u)$."""
        return np.asarray(-2 * (1 - margin))


@dataclass(frozen=True)
class Logistic(MarginLoss):
    r"""$\log_b(1+e^{-yv})$.

    Parameters
    ----------
    base : float
        Of the logarithm, above 1; with base 2 the loss dominates the 0-1 loss.

    Raises
    ------
    ValueError
        If ``base`` is not above 1.

    Examples
    --------
    >>> Logistic(base=2).value(1, 0.0).item()
    1.0
    """

    base: float = math.e
    convex = True
    affine_difference = True
    convex_potential = True

    def __post_init__(self) -> None:
        ABOVE_1.number("base", self.base)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "logistic" if self.base == math.e else f"logistic, base {self.base:g}"

    def at_margin(self, margin: Values) -> Values:
        r"""$\log_b(1+e^{-u})$, without overflow."""
        return np.asarray(np.logaddexp(0.0, -_floats(margin)) / math.log(self.base))

    def slope(self, margin: Values) -> Values:
        r"""$-1/((1+e^u)\log b)$."""
        return np.asarray(-special.expit(-_floats(margin)) / math.log(self.base))


@dataclass(frozen=True)
class Exponential(MarginLoss):
    r"""$e^{-yv}$.

    Examples
    --------
    >>> Exponential().value(1, 0.0).item()
    1.0
    """

    convex = True
    convex_potential = True

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "exponential"

    def at_margin(self, margin: Values) -> Values:
        r"""$e^{-u}$."""
        return np.asarray(np.exp(-_floats(margin)))

    def slope(self, margin: Values) -> Values:
        r"""$-e^{-u}$."""
        return np.asarray(-np.exp(-_floats(margin)))


@dataclass(frozen=True)
class TLogistic(MarginLoss):
    r"""The t-logistic loss at $t=2$, $\log\big(1+\sqrt{1+u^2/4}-u/2\big)$ with $u=yv$; not convex.

    Parameters
    ----------
    t : int
        2, the one temperature with this closed form.

    Raises
    ------
    ValueError
        If ``t`` is not 2.

    Examples
    --------
    >>> TLogistic().value(1, 0.0).item() == math.log(2)
    True
    """

    t: int = 2

    def __post_init__(self) -> None:
        if self.t != 2:
            raise ValueError(f"t must be 2, the one with a closed form, got {self.t!r}")

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "t-logistic"

    def at_margin(self, margin: Values) -> Values:
        r"""$\log(1+w)$ with $w=\sqrt{1+u^2/4}-u/2$."""
        return np.asarray(np.log1p(_t_weight(_floats(margin))))

    def slope(self, margin: Values) -> Values:
        r"""$-w/\big(2(1+w)\sqrt{1+u^2/4}\big)$."""
        u = _floats(margin)
        weight = _t_weight(u)
        return np.asarray(-weight / (2 * (1 + weight) * np.hypot(1.0, u / 2)))


@dataclass(frozen=True)
class Sigmoid(MarginLoss):
    r"""$1/(1+e^{yv})$: smooth, not convex, and the losses of the two labels sum to 1.

    Examples
    --------
    >>> Sigmoid().value(1, 0.0).item()
    0.5
    """

    label_sum = 1

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "sigmoid"

    def at_margin(self, margin: Values) -> Values:
        r"""$1/(1+e^u)$."""
        return np.asarray(special.expit(-_floats(margin)))

    def slope(self, margin: Values) -> Values:
        r"""$-1/\big((1+e^u)(1+e^{-u})\big)$."""
        u = _floats(margin)
        return np.asarray(-special.expit(u) * special.expit(-u))


@dataclass(frozen=True)
class Ramp(MarginLoss):
    r"""$\min\{1,\max\{0,(1-yv)/2\}\}$: the losses of the two labels sum to 1.

    Examples
    --------
    >>> Ramp().value(1, [-2.0, 0.0, 2.0]).tolist()
    [1.0, 0.5, 0.0]
    """

    label_sum = 1

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "ramp"

    def at_margin(self, margin: Values) -> Values:
        r"""$\min\{1,\max\{0,(1-u)/2\}\}$."""
        half = Fraction(1, 2) if margin.dtype == object else 0.5
        return np.asarray(np.minimum(np.maximum((1 - margin) * half, 0), 1))

    def slope(self, margin: Values) -> Values:
        r"""$-\frac12$ strictly between margins $-1$ and 1, else 0."""
        return np.where((margin > -1) & (margin < 1), -0.5, 0.0)


@dataclass(frozen=True)
class LabelFreeSquare(Loss):
    r"""$v^2$, whatever the label: convex and untouched by label noise, yet not affine.

    Examples
    --------
    >>> LabelFreeSquare().value([1, -1], [3, 3]).tolist()
    [9, 9]
    """

    convex = True
    affine_difference = True

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "square of the score"

    def value(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$v^2$, elementwise."""
        scores = _scores(v)
        shape = np.broadcast_shapes(_labels(y).shape, scores.shape)
        return np.array(np.broadcast_to(np.asarray(scores * scores), shape))

    def derivative(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$2v$, elementwise."""
        scores = _scores(v)
        shape = np.broadcast_shapes(_labels(y).shape, scores.shape)
        return np.array(np.broadcast_to(np.asarray(2 * scores), shape))


@dataclass(frozen=True)
class Corrected(Loss):
    r"""A loss made unbiased under class-conditional label noise; see `corrected`.

    Parameters
    ----------
    loss : Loss
        The clean loss.
    sigma_minus, sigma_plus : Fraction or float
        Flip probabilities of negative and positive labels, with sum below 1.

    Raises
    ------
    ValueError
        If a rate is out of its range, or there is no loss.

    Examples
    --------
    >>> loss = Corrected(LinearLoss(), 0.1, 0.3)
    >>> loss.derivative([1, -1], [0.0, 0.0]).round(4).tolist()
    [-2.0, 1.3333]
    >>> [Corrected(loss, 0.2, 0.2).convex for loss in (Logistic(), MarginSquare(), Hinge())]
    [True, True, False]
    """

    loss: Loss
    sigma_minus: Fraction | float
    sigma_plus: Fraction | float

    def __post_init__(self) -> None:
        if not isinstance(self.loss, Loss):
            raise ValueError(f"loss must be a Loss of nt.losses, got {self.loss!r}")
        flip_rates((self.sigma_minus, self.sigma_plus))

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"{self.loss.name}, corrected for ({self.sigma_minus}, {self.sigma_plus})"

    @property
    def _unchanged(self) -> bool:
        return bool(self.sigma_minus == 0 and self.sigma_plus == 0)

    @property
    def convex(self) -> bool:  # type: ignore[override]
        r"""Where the clean loss is convex and, unless both rates are 0, its difference affine.

        The correction adds a multiple of $\ell(y,v)-\ell(-y,v)$, which bends nothing where it is
        affine. Conversely the clean loss is a mixture of the corrected one at both labels, hence
        convex where that is; and the other convex losses of this module (hinge, squared hinge,
        exponential) have margins at which what is subtracted bends as much more than the loss
        itself as one likes. A loss of one's own may lie between; then False is on the safe side.
        """
        return self.loss.convex and (self._unchanged or self.loss.affine_difference)

    @property
    def affine_difference(self) -> bool:  # type: ignore[override]
        """That of the clean loss: the correction multiplies the difference."""
        return self.loss.affine_difference

    @property
    def convex_potential(self) -> bool:  # type: ignore[override]
        """That of the clean loss at rates 0; any other correction is negative somewhere."""
        return self._unchanged and self.loss.convex_potential

    @property
    def counts(self) -> bool:  # type: ignore[override]
        """That of the clean loss at rates 0."""
        return self._unchanged and self.loss.counts

    @property
    def label_sum(self) -> Any:
        """That of the clean loss under equal rates; under others there is none."""
        return self.loss.label_sum if self.sigma_minus == self.sigma_plus else None

    def value(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$\ell_\sigma(y,v)$, elementwise."""
        labels = np.asarray(y)
        return self._combined(labels, self.loss.value(labels, v), self.loss.value(-labels, v))

    def derivative(self, y: ArrayLike, v: ArrayLike) -> Values:
        r"""$\partial\ell_\sigma(y,v)/\partial v$, elementwise."""
        labels = np.asarray(y)
        return self._combined(
            labels, self.loss.derivative(labels, v), self.loss.derivative(-labels, v)
        )

    def _combined(self, labels: Values, own: Values, other: Values) -> Values:
        minus: Any = self.sigma_minus
        plus: Any = self.sigma_plus
        exact = all(isinstance(rate, int | Fraction) for rate in (minus, plus))
        if exact and own.dtype.kind in "iuO":
            own, other = own.astype(object), other.astype(object)
            minus, plus = Fraction(minus), Fraction(plus)
        else:
            own, other = _floats(own), _floats(other)
            minus, plus = float(minus), float(plus)
        positive = labels == 1
        of_own = np.where(positive, 1 - minus, 1 - plus)
        of_other = np.where(positive, plus, minus)
        return np.asarray((of_own * own - of_other * other) / (1 - minus - plus))


def _elementwise(formula: Callable[[Values], Values], margin: Values) -> Values:
    """The formula, and NaN where the margin is: comparisons would take it for a number."""
    missing = np.asarray(margin != margin)
    if not missing.any():
        return formula(margin)
    return np.where(missing, np.nan, formula(np.asarray(np.where(missing, 0, margin))))


def _labels(y: ArrayLike) -> Values:
    labels = np.asarray(y)
    if labels.dtype.kind == "c":
        raise ValueError(f"y must be -1 or 1, got {labels.dtype}")
    if not np.all((labels == 1) | (labels == -1)):
        wrong = labels[(labels != 1) & (labels != -1)].flat[0]
        raise ValueError(f"y must be -1 or 1, got {wrong}")
    return labels


def _scores(v: ArrayLike) -> Values:
    scores = checked_reals("v", v)
    if scores.dtype == object:
        checked_floats("v", scores)  # Kept exact, but within the range of floats.
    return scores


def _floats(values: Values) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _t_weight(u: NDArray[np.float64]) -> NDArray[np.float64]:
    # The difference cancels for large margins; its reciprocal form does not.
    total = np.hypot(1.0, u / 2) + np.abs(u) / 2
    return np.where(u > 0, 1 / total, total)
