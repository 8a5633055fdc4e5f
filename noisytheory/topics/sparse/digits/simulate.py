r"""Figure 1 of the earlier version: herd the digits, then the herd, and so on, and what is left.

Print has lost the digits, sizes, bandwidth and tolerances. The stand-ins are the digits 3 and 8
that scikit-learn bundles, a third of them to test on; MNIST has its own test images.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.algorithms import map_reduce
from noisytheory.topics.sparse.digits import plain
from noisytheory.topics.sparse.herding import herding
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.data import data_file, first_rows
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations import digits

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Curve: TypeAlias = list[tuple[int, int]]
"""Size of every herd, and how many test images it calls right."""

FOLDS = 3
BANDWIDTH, TOLERANCE, PART, STOP = 0.5, 0.1, 60, 10
"""For the bundled digits; PART is the largest subdivision, STOP the herd at which to stop."""

MNIST_BANDWIDTH, MNIST_TOLERANCE, MNIST_PART, MNIST_STOP = 2.0, 0.04, 1000, 100
"""The same for MNIST."""

MNIST_IMAGES = 4000
"""Training images that the claims on MNIST take; the picture has all of them as well."""


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
    def recursive(self) -> Curve:
        """Size of every herd, and how many test images it calls right."""
        return [(int(np.count_nonzero(w)), self.right(w)) for w in herds(self, parallel=False)]

    @functools.cached_property
    def parallel(self) -> Curve:
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
    return _bundled(fold, bandwidth, tolerance)


# Keyed by all settings, so that claims which name some of them share one protocol.
@functools.lru_cache(maxsize=16)
def _bundled(fold: int, bandwidth: float, tolerance: float) -> Protocol:
    population = digits(3, 8)
    images, labels = np.asarray(population.points, float), np.asarray(population.labels, float)
    tested = np.arange(len(labels)) % FOLDS == fold
    return Protocol(
        "bundled digits 3 and 8, 8 × 8 pixels", images[~tested], labels[~tested], images[tested],
        labels[tested], bandwidth, tolerance, PART, STOP,
    )


def mnist_at_hand() -> bool:
    """Whether `NOISYTHEORY_DATA` holds MNIST, without opening it."""
    return data_file("mnist.npz") is not None


def mnist_pair(images: int | None = None) -> Protocol | None:
    """The protocol on MNIST 3 against 8, or None where `NOISYTHEORY_DATA` holds no MNIST.

    Parameters
    ----------
    images : int, optional
        At most so many to train on, the first ones.
    """
    path = data_file("mnist.npz")
    if path is None:
        return None
    sides: list[Any] = []
    for part in ("train", "test"):
        classes = first_rows(path, f"y_{part}")
        chosen = np.flatnonzero((classes == 3) | (classes == 8))
        chosen = chosen[:images] if part == "train" else chosen
        pixels = first_rows(path, f"x_{part}", int(chosen.max(initial=0)) + 1)
        # In single precision a herd's near ties go by the order in which sums were taken, and
        # its figures with them, from one processor to the next.
        flat = pixels[chosen].reshape(len(chosen), -1).astype(np.float64) / 255
        sides += [flat, np.where(classes[chosen] == 8, 1.0, -1.0)]
    train, labels, test, answers = sides
    return Protocol(
        "MNIST, 3 against 8", train, labels, test, answers, MNIST_BANDWIDTH, MNIST_TOLERANCE,
        MNIST_PART, MNIST_STOP,
    )


def first_of_mnist(
    images: int | None = None, bandwidth: float = MNIST_BANDWIDTH,
    tolerance: float = MNIST_TOLERANCE,
) -> Protocol:
    """The protocol on MNIST with the first so many images to train on, and all test images.

    Parameters
    ----------
    images : int, optional
        All training images of the two digits unless given.
    bandwidth, tolerance
        As in `Protocol`.

    Returns
    -------
    Protocol

    Raises
    ------
    FileNotFoundError
        Where `NOISYTHEORY_DATA` holds no MNIST.
    ValueError
        If there are fewer images.
    """
    return _first_of_mnist(images, bandwidth, tolerance)


@functools.lru_cache(maxsize=4)
def _first_of_mnist(images: int | None, bandwidth: float, tolerance: float) -> Protocol:
    if images is not None and images < 1:
        raise ValueError(f"images must be a whole number >= 1, got {images}")
    found = mnist_pair(images)
    if found is None:
        raise FileNotFoundError("mnist.npz is not in the folder that NOISYTHEORY_DATA names")
    if images is not None and images > len(found.labels):
        raise ValueError(f"images must be at most {len(found.labels)}, got {images}")
    return dataclasses.replace(found, bandwidth=bandwidth, tolerance=tolerance)


# What the text says of the figure, in shares of the test images.


def protocol_of(
    fold: int | None = None, images: int | None = None, **settings: float
) -> Protocol:
    """That on a fold of the bundled digits, or on the first so many images of MNIST."""
    return first_of_mnist(images, **settings) if fold is None else bundled(fold, **settings)


def compared(
    tolerance: float, fold: int | None = None, images: int | None = None
) -> dict[str, NDArray[Any]]:
    """Difference in accuracy between parallel herds and the recursive ones nearest in size.

    The tolerance is that of parallel herding; the other curve has its own.
    """
    protocol = protocol_of(fold, images, tolerance=tolerance)
    apart = _apart(protocol_of(fold, images).recursive, protocol.parallel)
    return _instances(dict(enumerate(apart)), protocol)


def _apart(reference: Curve, other: Curve) -> list[int]:
    sizes = np.log([size for size, _ in reference])
    return [
        abs(right - reference[int(np.argmin(np.abs(sizes - np.log(size))))][1])
        for size, right in other
    ]


def few_points(
    bandwidth: float, fold: int | None = None, images: int | None = None
) -> dict[str, NDArray[Any]]:
    """Errors of the herds that hold at most a tenth of the training set."""
    protocol = protocol_of(fold, images, bandwidth=bandwidth)
    most, total = len(protocol.labels) / 10, len(protocol.answers)
    curve = enumerate(protocol.recursive)
    return _instances({i: total - right for i, (size, right) in curve if size <= most}, protocol)


def short_of_mean(
    share: float, fold: int | None = None, images: int | None = None
) -> dict[str, NDArray[Any]]:
    """By how much the accuracy of the herds of this share or more falls short of the mean's."""
    protocol = protocol_of(fold, images)
    least, curve = share * len(protocol.labels), enumerate(protocol.recursive)
    return _instances(
        {i: protocol.baseline - right for i, (size, right) in curve if size >= least}, protocol
    )


def _instances(counts: dict[int, int], protocol: Protocol) -> dict[str, NDArray[Any]]:
    return {
        "lhs": np.array(list(counts.values()), dtype=np.int64) / len(protocol.answers),
        "herd": np.array(list(counts), dtype=np.int64),
    }


# The same by plain loops: on trial are herds that the public algorithms find, not two formulas.


@functools.lru_cache(maxsize=8)
def plainly(protocol: Protocol) -> dict[str, Any]:
    """Both curves and the baseline, from the whole Gram matrices."""
    labels, answers = protocol.labels, protocol.answers
    signed = plain.gram(protocol.train, protocol.train, protocol.bandwidth)
    signed *= labels
    signed *= labels[:, None]
    values = plain.gram(protocol.test, protocol.train, protocol.bandwidth)
    everything = plain.right(values, labels, answers, np.abs(protocol.mean))
    found: dict[str, Any] = {"baseline": everything}
    for name, part in (("recursive", None), ("parallel", protocol.part)):
        herd, lead = plain.curve(signed, protocol.tolerance, protocol.stop, part)
        counted = [plain.right(values, labels, answers, masses) for masses in herd]
        found[name] = [
            (int(np.count_nonzero(m)), right) for m, (right, _) in zip(herd, counted, strict=True)
        ]
        found[f"{name}, least lead of an atom"] = lead
        found[f"{name}, least score"] = min(least for _, least in counted)
    return found


def compared_certificate(
    herd: int, tolerance: float, one_in: int, fold: int | None = None, images: int | None = None
) -> Certificate:
    """The difference of one parallel herd, by plain loops, against its limit."""
    reference = protocol_of(fold, images)
    other = protocol_of(fold, images, tolerance=tolerance)
    curves = plainly(reference)["recursive"], plainly(other)["parallel"]
    steps = [("herds", curves[0]), ("parallel herds", curves[1])]
    return _share(_apart(*curves)[int(herd)], one_in, other, steps)


def few_points_certificate(
    herd: int, bandwidth: float, one_in: int, fold: int | None = None, images: int | None = None
) -> Certificate:
    """The errors of one herd, by plain loops, against their limit."""
    protocol = protocol_of(fold, images, bandwidth=bandwidth)
    size, right = plainly(protocol)["recursive"][int(herd)]
    wrong = len(protocol.answers) - right
    return _share(wrong, one_in, protocol, [("images in the herd", size)])


def short_of_mean_certificate(
    herd: int, share: float, one_in: int, fold: int | None = None, images: int | None = None
) -> Certificate:
    """What one herd falls short of the mean of all by, by plain loops, against its limit."""
    protocol = protocol_of(fold, images)
    found = plainly(protocol)
    size, right = found["recursive"][int(herd)]
    baseline, _ = found["baseline"]
    steps = [("images in the herd", size), ("right by the mean of all", baseline)]
    applies = bool(size >= share * len(protocol.labels))
    return _share(baseline - right, one_in, protocol, steps, applies)


def _share(
    count: int, one_in: int, protocol: Protocol, steps: list[tuple[str, Any]],
    applies: bool = True,
) -> Certificate:
    tested = len(protocol.answers)
    plain_run = plainly(protocol).items()
    near = [(name, f"{value:.1e}") for name, value in plain_run if "least" in name]
    steps = [*steps, ("test images", tested), ("of them", count), *near]
    return Certificate(Fraction(count, tested), Fraction(1, one_in), steps, applies)
