r"""Figure 1 of the earlier version: herd the digits, then the herd, and so on, and what is left.

Print has lost the digits, sizes, bandwidth and tolerances. The stand-ins are the digits 3 and 8
that scikit-learn bundles, a third of them to test on; MNIST has its own test images.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.claim import Certificate
from noisytheory.kernels import Gaussian
from noisytheory.populations import digits
from noisytheory.sparse.herding import herding
from noisytheory.sparse.parallel import map_reduce

__all__ = [
    "Protocol",
    "bundled",
    "compared",
    "counted_certificate",
    "few_points",
    "herds",
    "mnist_pair",
    "short_of_mean",
]

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]

FOLDS = 3
BANDWIDTH, TOLERANCE, PART, STOP = 0.5, 0.1, 60, 10
"""For the bundled digits; PART is the largest subdivision, STOP the herd at which to stop."""


@dataclass(frozen=True, eq=False)
class Protocol:
    """Images to train and to test on, labels, and the settings that print has lost.

    Parameters
    ----------
    name : str
    train, test : array, shape (n, d) and (t, d)
        Pixels in [0, 1].
    labels, answers : array, shape (n,) and (t,)
        -1 and 1.
    bandwidth, tolerance : float
        Of the Gaussian kernel; error allowed in a round (RKHS norm).
    part, stop : int
        Largest subdivision of parallel herding, and herd at which to stop.
    """

    name: str
    train: Floats
    labels: Doubles
    test: Floats
    answers: Doubles
    bandwidth: float
    tolerance: float
    part: int
    stop: int

    def right(self, weights: Doubles) -> int:
        """How many test images the classifier with these weights calls right."""
        kept = np.flatnonzero(weights)
        scores = Gaussian(self.bandwidth)(self.test, self.train[kept]) @ weights[kept]
        return int(np.sum(self.answers * scores > 0))

    @functools.cached_property
    def mean(self) -> Doubles:
        """Weights of the mean of the whole training set."""
        return self.labels / len(self.labels)

    @functools.cached_property
    def baseline(self) -> int:
        """How many test images that mean calls right."""
        return self.right(self.mean)

    @functools.cached_property
    def recursive(self) -> list[tuple[int, int]]:
        """Size of every herd, and how many test images it calls right."""
        return [(int(np.count_nonzero(w)), self.right(w)) for w in herds(self, parallel=False)]

    @functools.cached_property
    def parallel(self) -> list[tuple[int, int]]:
        """The same for parallel herding."""
        return [(int(np.count_nonzero(w)), self.right(w)) for w in herds(self, parallel=True)]


def herds(protocol: Protocol, *, parallel: bool) -> Iterator[Doubles]:
    """Herd the training set, then the herd and so on, until few are left or none can be spared.

    Parameters
    ----------
    protocol : Protocol
    parallel : bool
        Whether every round herds subdivisions, each with its share of the tolerance.

    Yields
    ------
    array, shape (n,)
        Weights after every round: the error after j rounds is at most j times the tolerance.
    """
    kernel, weights = Gaussian(protocol.bandwidth), protocol.mean
    size = len(weights)
    while size > protocol.stop:
        if parallel:
            parts = -(-size // protocol.part)
            found = map_reduce(
                kernel, protocol.train, weights, protocol.part, parts=parts, method=herding,
                second_round=False, tolerance=protocol.tolerance / parts,
            )
        else:
            found = herding(kernel, protocol.train, weights, size, tolerance=protocol.tolerance)
        if len(found.indices) >= size:
            return
        weights = np.zeros(len(weights))
        weights[found.indices] = found.weights
        size = len(found.indices)
        yield weights


@functools.lru_cache(maxsize=16)
def bundled(
    fold: int, bandwidth: float = BANDWIDTH, tolerance: float = TOLERANCE
) -> Protocol:
    """The protocol on the bundled digits 3 and 8, every third image to test on.

    Parameters
    ----------
    fold : int
        The first test image, 0 to 2.
    bandwidth, tolerance
        As in `Protocol`.

    Returns
    -------
    Protocol
    """
    population = digits(3, 8)
    images, labels = np.asarray(population.points, float), np.asarray(population.labels, float)
    tested = np.arange(len(labels)) % FOLDS == fold
    return Protocol(
        "bundled digits 3 and 8, 8 × 8 pixels", images[~tested], labels[~tested], images[tested],
        labels[tested], bandwidth, tolerance, PART, STOP,
    )


def mnist_pair() -> Protocol | None:
    """The protocol on MNIST 3 against 8, or None where `NOISYTHEORY_DATA` holds no MNIST."""
    path = Path(os.environ.get("NOISYTHEORY_DATA", "")) / "mnist.npz"
    if not os.environ.get("NOISYTHEORY_DATA") or not path.is_file():
        return None
    sides: list[Any] = []
    with np.load(path) as archive:
        for part in ("train", "test"):
            images, classes = archive[f"x_{part}"], archive[f"y_{part}"]
            chosen = (classes == 3) | (classes == 8)
            flat = images[chosen].reshape(int(chosen.sum()), -1).astype(np.float32) / 255
            sides += [flat, np.where(classes[chosen] == 8, 1.0, -1.0)]
    train, labels, test, answers = sides
    return Protocol(
        "MNIST, 3 against 8", train, labels, test, answers, bandwidth=2.0, tolerance=0.04,
        part=1000, stop=100,
    )


# What the text says of the figure, in counts of test images.


def compared(fold: int, tolerance: float) -> dict[str, NDArray[Any]]:
    """Difference in accuracy between parallel herds and the recursive ones nearest in size.

    The tolerance is that of parallel herding; the other curve has its own.
    """
    reference, protocol = bundled(fold), bundled(fold, tolerance=tolerance)
    sizes = np.log([size for size, _ in reference.recursive])
    apart = [
        abs(right - reference.recursive[int(np.argmin(np.abs(sizes - np.log(size))))][1])
        for size, right in protocol.parallel
    ]
    return _instances(apart, len(protocol.answers))


def few_points(fold: int, bandwidth: float) -> dict[str, NDArray[Any]]:
    """Errors of the herds that hold at most a tenth of the training set."""
    protocol = bundled(fold, bandwidth)
    most, total = len(protocol.labels) / 10, len(protocol.answers)
    return _instances([total - r for size, r in protocol.recursive if size <= most], total)


def short_of_mean(fold: int, share: float) -> dict[str, NDArray[Any]]:
    """By how much the accuracy of the herds of this share or more falls short of the mean's."""
    protocol = bundled(fold)
    least = share * len(protocol.labels)
    return _instances(
        [protocol.baseline - right for size, right in protocol.recursive if size >= least],
        len(protocol.answers),
    )


def _instances(counts: Any, total: int) -> dict[str, NDArray[Any]]:
    counted = np.asarray(counts, dtype=np.int64)
    return {
        "lhs": counted / total, "counted": counted,
        "tested": np.full(len(counted), total, dtype=np.int64),
    }


def counted_certificate(limit: Fraction) -> Callable[..., Certificate]:
    """A share of test images against a limit, both as fractions."""

    def certify(counted: int, tested: int) -> Certificate:
        share = Fraction(int(counted), int(tested))
        return Certificate(
            share, limit, [("test images", int(tested)), ("of them", int(counted))]
        )

    return certify
