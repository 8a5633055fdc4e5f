r"""Samples with flipped labels, and what the public choice makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.label_noise.choice.leave_one_out import ClassWeight, choose, decide, scores
from noisytheory.vocabulary.joint_masses import error, flipped, labelled
from noisytheory.vocabulary.populations import Finite

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]
Drawn: TypeAlias = tuple[Floats, Floats, NDArray[np.int64]]
"""Of every sample the features of each kernel at each point, masses, and labels."""
Rng: TypeAlias = np.random.Generator

EYE = np.eye(2)


def left_out(
    population: Finite, n: int, sigma: float, classes: Literal["as they come", "balanced"],
    own: Literal["left out", "kept"], *, size: int, rng: Rng,
) -> dict[str, Floats]:
    r"""Leave-one-out error of n noisy examples, and noisy risk of the mean of n - 1 others.

    With "kept" every example has a say in its own score. Samples that are permutations of one
    another are computed once.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import point_mass
    >>> drawn = left_out(
    ...     point_mass(), 3, 0.0, "balanced", "left out", size=2, rng=np.random.default_rng(0))
    >>> drawn["lhs"].tolist(), drawn["rhs"].tolist()
    ([0.0, 0.0], [0.0, 0.0])
    """
    law, left_out_error, risk = _of_counts(population, n, sigma, classes, own)

    def drawn(count: int, of: Callable[[tuple[int, ...]], float]) -> Floats:
        counts = rng.multinomial(count, law, size)
        # Numbers with the counts as their digits: rows take longer to sort.
        names = counts @ (count + 1) ** np.arange(len(law))
        _, first, which = np.unique(names, return_index=True, return_inverse=True)
        return np.array([of(tuple(one)) for one in counts[first].tolist()])[which]

    return {"lhs": drawn(n, left_out_error), "rhs": drawn(n - 1, risk)}


@cache
def _of_counts(
    population: Finite, n: int, sigma: float, classes: str, own: str
) -> tuple[Floats, Callable[[tuple[int, ...]], float], Callable[[tuple[int, ...]], float]]:
    """The law of a noisy example, and both sides, each computed once, by how often each occurs.

    An example is an instance and a label, however many atoms have them.
    """
    class_weight: ClassWeight = "balanced" if classes == "balanced" else None
    signs, gram = population.labels, population.instance_gram
    _, first, which = np.unique(gram, axis=0, return_index=True, return_inverse=True)
    joint = np.zeros((len(first), 2))
    for label, mass in ((signs, 1 - sigma), (-signs, sigma)):
        np.add.at(joint, (which, (label > 0).astype(np.intp)), population.weights * mass)
    points, labels = np.repeat(first, 2), np.tile(np.arange(2), len(first))
    noisy = flipped(population.joint.astype(float), sigma)[:, ::-1]

    @cache
    def left_out_error(counts: tuple[int, ...]) -> float:
        at, codes = np.repeat(points, counts), np.repeat(labels, counts)
        block = gram[np.ix_(at, at)]
        if own == "left out":
            block = block * (1 - np.eye(n))
        sums = (block @ EYE[codes])[None]
        found = choose(sums, codes, np.ones(n), class_weights=[class_weight])
        return float(found.risks[found.best])

    @cache
    def risk(counts: tuple[int, ...]) -> float:
        at, codes = np.repeat(points, counts), np.repeat(labels, counts)
        sums = gram[:, at] @ EYE[codes]
        if class_weight is not None:
            sums = sums / np.maximum(np.bincount(codes, minlength=2), 1)
        return float(error(noisy, decide(sums)))

    return joint.ravel(), left_out_error, risk


@dataclass(frozen=True)
class Signs:
    """Fair labels and ``k`` independent fair signs, each the feature of one kernel.

    Parameters
    ----------
    k : int
    """

    k: int

    @property
    def name(self) -> str:
        """For the grid."""
        return f"{self.k} fair sign{'s' * (self.k > 1)}"

    def draw(self, n: int, sigma: float, size: int, rng: Rng) -> Drawn:
        """All signs, equally likely."""
        every = np.array(list(product((-1, 1), repeat=self.k + 1)))
        return _repeated(size, every[:, 1:].T, np.full(len(every), 1 / len(every)), every[:, 0])


@dataclass(frozen=True)
class Opposed:
    r"""Two kernels that predict either class everywhere, of risks $\frac12\mp\frac\tau2$.

    A point of the second class has the features 1 and 1/2 of the two kernels, a point of the first
    class 1/2 and 1; the second class is more likely by $\tau=\frac z{(1-2\sigma)\sqrt n}$, which
    ``n`` noisy labels see as ``z`` standard deviations.

    Parameters
    ----------
    z : float
    """

    z: float
    k: int = 2

    @property
    def name(self) -> str:
        """For the grid."""
        return f"two opposed kernels, {self.z:g} deviations apart"

    def draw(self, n: int, sigma: float, size: int, rng: Rng) -> Drawn:
        """The same two points for every sample."""
        gap = self.z / ((1 - 2 * sigma) * np.sqrt(n))
        masses = np.array([1 - gap, 1 + gap]) / 2
        return _repeated(size, np.array([[0.5, 1.0], [1.0, 0.5]]), masses, np.array([-1, 1]))


@dataclass(frozen=True)
class Unlike:
    """Several kernels of one coordinate on three points, all drawn anew each time.

    Parameters
    ----------
    k : int
    """

    k: int

    @property
    def name(self) -> str:
        """For the grid."""
        return f"{self.k} random kernels on three points"

    def draw(self, n: int, sigma: float, size: int, rng: Rng) -> Drawn:
        """Features in quarters, masses in 128 parts, one at least: risks are often nearly tied."""
        features = rng.choice([-4, -3, -2, 2, 3, 4], size=(size, self.k, 3)) / 4
        masses = (1 + rng.multinomial(125, rng.dirichlet(np.ones(3), size))) / 128
        return features, masses, rng.choice([-1, 1], size=(size, 3))


def _repeated(size: int, features: NDArray[Any], masses: Floats, labels: NDArray[Any]) -> Drawn:
    same = (np.broadcast_to(part, (size, *part.shape)) for part in (features, masses, labels))
    return next(same).astype(float), next(same), next(same)


def score_deviation(population: Signs | Unlike, n: int, *, size: int, rng: Rng) -> Floats:
    r"""Largest $|\langle\Phi(S\setminus i)-\Phi(P),\phi(x_i)\rangle|$ over kernels and examples.

    Examples
    --------
    >>> drawn = score_deviation(Signs(1), 2, size=9, rng=np.random.default_rng(0))
    >>> np.unique(drawn).tolist()
    [1.0]
    """
    features, masses, labels = population.draw(n, 0.0, size, rng)
    counts = rng.multinomial(n, masses)
    points = np.tile(np.arange(masses.shape[1]), size)
    atoms = np.repeat(points, counts.ravel()).reshape(size, n)
    codes = (np.take_along_axis(labels, atoms, axis=1) > 0).astype(np.intp)
    seen = np.take_along_axis(features, atoms[:, None], axis=2)
    sums = _left_out_sums(seen, EYE[codes], EYE[codes])
    # Classes of all samples and kernels side by side: as they come, one does not touch another.
    beside = np.moveaxis(sums, 2, 0).reshape(n, -1)
    found = scores(beside, codes[0], np.ones(n)).reshape(n, size, -1, 2)
    true = seen * (features @ (masses * labels)[:, :, None])
    gap = np.moveaxis(found[..., 1] - found[..., 0], 0, 2) - true
    return np.asarray(np.abs(gap).max(axis=(1, 2)))


def _left_out_sums(seen: Floats, counts: Floats, own: Floats) -> Floats:
    """Class sums of every example, left out of its own, shape (size, k, n, 2).

    Of features at the examples, shape (size, k, n), and by class what each counts, and its own.
    """
    others = (seen @ counts)[:, :, None] - seen[..., None] * own[:, None]
    return np.asarray(seen[..., None] * others)


def excess(
    population: Opposed | Unlike, n: int, sigma: float, standard_errors: float, margin: float, *,
    size: int, rng: Rng,
) -> dict[str, Any]:
    """Clean risk of the chosen mean above that of the best, where scores are beyond a margin."""
    features, masses, labels = population.draw(n, sigma, size, rng)
    true = (1 - 2 * sigma) * features * (features @ (masses * labels)[:, :, None])
    applies = np.abs(true).min(axis=(1, 2)) > margin
    # Counts of points and noisy classes; one row stands for all that are alike.
    clean = labelled(masses, labels)[..., ::-1]
    likely = flipped(clean, sigma)
    counts = rng.multinomial(n, likely.reshape(size, -1))
    points, codes = (part.ravel() for part in np.indices(likely.shape[1:]))
    by_class = EYE[codes] * counts[:, :, None]
    seen = features[:, :, points]
    sums = _left_out_sums(seen, by_class, EYE[codes][None])
    # Of the fitted means, whose examples all count.
    fitted = features[..., None] * (seen @ by_class)[:, :, None]
    risks = error(clean[:, None], decide(fitted.reshape(-1, 2)).reshape(features.shape))
    lhs = np.zeros(size)
    for row in np.flatnonzero(applies):
        found = choose(sums[row], codes, counts[row].astype(float),
                       standard_errors=standard_errors, frequencies=True)
        lhs[row] = risks[row, found.best[0]] - risks[row].min()
    return {"lhs": lhs, "applies": applies}
