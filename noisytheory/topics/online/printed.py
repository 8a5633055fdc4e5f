"""Algorithm 1 in plain loops, as printed or repaired: the oracle of the fast form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.maps import map_estimate, prod, prod_explicit
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import POSITIVE, one_of
from noisytheory.vocabulary.dot_products import DotProduct

__all__ = ["FORMS", "PlainLearner", "gradient_length", "projected"]

Query = Callable[[], Any]
FORMS = "repaired", "printed"


def gradient_length(
    y: Any, n: int, gamma: Any, weight: Any, products: Any, *, form: str = "classification",
    printed: bool = False,
) -> Any:
    r"""Subroutine 1: $\tilde g=y^{n+1}\gamma_nw_n\prod_{j\le n}\langle w,\tilde\Psi_j\rangle$.

    Print leaves out $y^n$. A regression loss has the factors $\langle w,\tilde\Psi_j\rangle-y$ and
    no label in front.

    Parameters
    ----------
    y : number
        Label.
    n : int
        The degree that was drawn.
    gamma, weight : number
        Coefficient of that degree, and the inverse of its probability.
    products : sequence of numbers
        The inner products with n estimates.
    form : {"classification", "regression"}
    printed : bool
        Leave out $y^n$ as print does.

    Returns
    -------
    number

    Examples
    --------
    >>> gradient_length(-1, 1, 2, 4, [3]), gradient_length(-1, 1, 2, 4, [3], printed=True)
    (24, -24)
    """
    value = gamma * weight
    for factor in products:
        value = value * (factor - y if form == "regression" else factor)
    if form == "regression":
        return value
    return y * value if printed else y ** (n + 1) * value


def projected(square: Any, Bw: Any, *, printed: bool = False) -> Any:
    r"""What all coefficients are multiplied by, squared, where $\tilde n>B_w$.

    Print has $\sqrt{B_w}/\tilde n$ with $\tilde n$ the squared norm; the factor is
    $\sqrt{B_w/\tilde n}$.

    Parameters
    ----------
    square : number
        Squared norm.
    Bw : number
        Squared radius of the ball.
    printed : bool

    Returns
    -------
    number

    Examples
    --------
    >>> projected(4, 1), projected(4, 1, printed=True), projected(1, 4)
    (0.25, 0.0625, 1)
    """
    if square <= Bw:
        return 1
    return Bw / square**2 if printed else Bw / square


@dataclass
class PlainLearner:
    """Algorithm 1, Subroutines 1 to 4, one round at a time.

    Parameters
    ----------
    kernel, loss
    Bw : float
        Squared radius.
    eta, T : float, int
        The step is eta over the root of T.
    p : float
    projection, gradient : {"repaired", "printed"}

    Attributes
    ----------
    alpha, maps : list
        Coefficients and estimates.
    prods, multiplications : int
        Calls of Prod so far, and multiplications inside of the inner products that they took.
    """

    kernel: DotProduct
    loss: AnalyticLoss
    Bw: float
    eta: float
    T: int
    p: float = 2.0
    projection: str = "repaired"
    gradient: str = "repaired"
    alpha: list[float] = field(default_factory=list)
    maps: list[tuple[int, float, list[Any]]] = field(default_factory=list)
    prods: int = 0
    multiplications: int = 0
    square: float = 0.0

    def __post_init__(self) -> None:
        for name in ("Bw", "eta", "T"):
            POSITIVE.number(name, getattr(self, name))
        self._law = Geometric(self.p)
        one_of("projection", self.projection, FORMS)
        one_of("gradient", self.gradient, FORMS)

    def _prod(self, first: Any, second: Any) -> float:
        self.prods += 1
        if first[0] != second[0]:
            return 0.0
        self.multiplications += sum(len(v) for v in first[2])
        return float(prod(first, second))

    def inner(self, estimate: tuple[int, float, Any]) -> float:
        """Inner product of w with an estimate."""
        return sum(a * self._prod(m, estimate) for a, m in zip(self.alpha, self.maps, strict=True))

    def step(self, query: Query, y: float, *, rng: np.random.Generator) -> float:
        """One round.

        Parameters
        ----------
        query : callable
            The oracle of the round.
        y : float
        rng : numpy.random.Generator

        Returns
        -------
        float
            The gradient length that was used.

        Raises
        ------
        ValueError
            If the label is not finite, or of a classification loss neither 1 nor -1.
        """
        self.loss.check_labels(y)
        estimate = map_estimate(self.kernel, self.p, query, rng=rng)
        n = int(self._law.draw(1, rng=rng)[0])
        products = [
            self.inner(map_estimate(self.kernel, self.p, query, rng=rng)) for _ in range(n)
        ]
        length = gradient_length(
            y, n, float(self.loss.coefficients(n + 1)[n]), self.p ** (n + 1) / (self.p - 1),
            products, form=self.loss.form, printed=self.gradient == "printed",
        )
        self.alpha.append(-length * self.eta / math.sqrt(self.T))
        self.maps.append(estimate)
        self.square = sum(
            a * b * self._prod(m, k)
            for a, m in zip(self.alpha, self.maps, strict=True)
            for b, k in zip(self.alpha, self.maps, strict=True)
        )
        square = projected(self.square, self.Bw, printed=self.projection == "printed")
        if square != 1:
            self.alpha = [a * math.sqrt(square) for a in self.alpha]
            self.square *= square
        return float(length)

    def predict(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of known instances."""
        count = max((m[0] for m in self.maps), default=0) + 1
        root = np.sqrt(self.kernel.coefficients(count))
        scores = [
            sum(a * prod_explicit(m, root.__getitem__, z)
                for a, m in zip(self.alpha, self.maps, strict=True))
            for z in x
        ]
        return np.asarray(np.asarray(scores, float) * self.kernel.envelope(x))
