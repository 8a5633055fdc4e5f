"""What arguments of this topic's bounds are, said once, and what they ask of objects."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, POSITIVE, Domain

__all__ = [
    "ABOVE_1", "BALL", "BALL_OR_POINT", "COUNTED", "ESTIMATE", "GRADIENT", "INSTANCE", "LABEL",
    "MAP", "ROUNDS", "SHARPNESS", "WHOLE", "WIDTH",
]

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
LABEL = NONNEGATIVE.of("Bound on $|y|$ of a regression loss; print has none, which is 0.")
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
