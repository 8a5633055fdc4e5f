"""Instances of Sections 3.2 to 3.5, worked in fractions: whole runs of UMA."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from noisytheory.topics.multiclass.exactly import (
    Matrix,
    error_of,
    fractions,
    means,
    regions,
    root,
    squared,
    transposed,
    unit,
)
from noisytheory.topics.multiclass.instances import (
    AS_PRINTED,
    FIVE,
    Instance,
    Taught,
    random_instances,
    taught_by,
    taught_instances,
)
from noisytheory.topics.multiclass.steps import error_set
from noisytheory.topics.multiclass.ultraconservative import ultraconservative
from noisytheory.topics.multiclass.uma import STRATEGIES, Run, class_shares, uma, update_vectors
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import inverse_of
from noisytheory.vocabulary.populations.multiclass import largest_margin

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


@functools.cache
def separable() -> tuple[Taught, ...]:
    """Populations on the unit sphere with their best classifiers; no noise in the masses."""
    found = []
    for classes in (2, 3, 4):
        eye = np.eye(classes)
        found.append((eye, list(range(classes)), [Fraction(1, classes)] * classes))
    five = np.array([[float(v) for v in x] for x in FIVE.points])
    found.append((five, FIVE.labels, FIVE.masses))
    for share in (Fraction(1, 5), Fraction(1, 10), Fraction(1, 50), Fraction(1, 1000)):
        found.append((np.array([[1.0, 0.0], [0.5, 0.8660254037844386]]), [1, 0],
                      [1 - share, share]))
    rng = np.random.default_rng(21)
    while len(found) < 14:
        classes, d = int(rng.integers(2, 4)), int(rng.integers(2, 4))
        points = rng.normal(size=(6, d))
        points /= np.linalg.norm(points, axis=1)[:, None]
        labels = np.argmax(points @ rng.normal(size=(d, classes)), axis=1)
        if len(set(labels.tolist())) == classes and (
            largest_margin(points, labels, classes)[0] > 0.1
        ):
            parts = rng.choice([1, 2, 8, 40], size=6)
            found.append((np.round(points * 2**20) / 2**20, labels.tolist(),
                          [Fraction(int(p), int(parts.sum())) for p in parts]))
    out = []
    for points, labels, masses in found:
        identity = unit(max(labels) + 1)
        out.append(best_taught(fractions(points), list(labels), list(masses), identity))
    return tuple(out)


def best_taught(
    points: Matrix, labels: list[int], masses: list[Fraction], confusion: Matrix
) -> Taught:
    """A population under its classifier of the largest margin, which is in its weights, too."""
    _, best = largest_margin(np.array(points, float), labels, len(confusion))
    weights = fractions(best)
    return taught_by(Instance.of(points, masses, labels, confusion, weights), weights)


def drawn_masses(at: Instance, n: int, rng: np.random.Generator) -> Matrix:
    """Masses of (atom, label) in a sample of n examples."""
    law = np.array(at.joint, float).ravel()
    counts = rng.multinomial(n, law / law.sum()).reshape(len(at.points), -1)
    return [[Fraction(int(c), n) for c in row] for row in counts]


def run(at: Instance, seen: Matrix, confusion: Matrix, **options: Any) -> Run:
    """A run of the public algorithm in fractions; it stops where nothing at all is left."""
    said = {"tolerance": ZERO, "max_iter": 200} | options
    return uma(at.points, seen, confusion, orientation="column", **said)


@functools.cache
def _exact_runs(lengths: str) -> tuple[tuple[Taught, Run], ...]:
    return tuple(
        (taught, run(taught.at, taught.at.joint, taught.at.confusion, normalise=lengths == "one",
                     ties="all", max_iter=700))
        for taught in separable()
    )


def exact_means(lengths: str, limit: str) -> Iterator[Certificate]:
    """Updates with exact update vectors, of length 1 or as they are; ties lie in all regions."""
    for taught, found in _exact_runs(lengths):
        at, square = taught.at, taught.gap**2 / taught.norm
        norms = found.norms.tolist() or [ONE]
        low, high = min(norms), max(norms)
        factor = (high + low) ** 2 / (4 * high * low) if limit == "Kantorovich" else ONE
        radius = max(*map(squared, at.points), ONE)  # rounded points may be a little longer
        yield Certificate(
            found.updates, 2 / square * factor * radius,
            [("updates", found.updates), ("theta", root(square / radius)), ("least", low),
             ("largest", high)],
        )


def alpha_from_zero(alpha: str) -> Iterator[Certificate]:
    """Whether a run stops without an update though its error is positive."""
    for taught in separable():
        at = taught.at
        found = run(at, at.joint, at.confusion, alpha=Fraction(alpha),
                    error_alpha=Fraction(alpha), max_iter=1)
        error = error_of(at.points, at.masses, at.labels, [[ZERO] * len(at.points[0])
                                                           for _ in range(at.classes)])
        yield Certificate(
            int(found.updates == 0), 0, [("error of W = 0", error)], applies=error > 0
        )


def final_error_by_alpha(alpha: str) -> Iterator[Certificate]:
    """Error at the end, with exact update vectors of length 1."""
    for taught in separable():
        at = taught.at
        found = run(at, at.joint, at.confusion, normalise=True, alpha=Fraction(alpha), ties="all")
        error = error_of(at.points, at.masses, at.labels, found.weights)
        yield Certificate(error, 0, [("updates", found.updates), ("stopped", found.stopped)],
                          applies=found.stopped != "max_iter")


def erring_pairs(threshold: str, alpha: str) -> Iterator[Certificate]:
    """Whether a run stops at once where nothing is left but one pair's mistakes in a region."""
    least = Fraction(alpha) if threshold == "alpha" else ZERO
    for at in random_instances(20):
        for p, inside in enumerate(regions(at.points, at.weights, Fraction(alpha))):
            for q in range(at.classes):
                there = [m if i and t == q else ZERO for m, i, t in
                         zip(at.masses, inside, at.labels, strict=True)]
                if p == q or not any(there):
                    continue
                left = [[m if k == q else ZERO for k in range(at.classes)] for m in there]
                found = run(at, left, unit(at.classes), start=at.weights, alpha=Fraction(alpha),
                            error_alpha=least, ties="all", max_iter=1)
                # Points of one class may cancel: then there is no vector to have a set.
                yield Certificate(int(found.updates == 0), 0, [("stopped", found.stopped)],
                                  applies=found.stopped != "small")


@functools.cache
def _forced() -> tuple[tuple[str, list[int], list[list[bool]], list[Any], Instance], ...]:
    """Pairs that runs by each strategy take; the regions then, and squared lengths of all pairs."""
    rng, out = np.random.default_rng(26), []
    for at in (FIVE, *(taught.at for taught in taught_instances(12))):
        for strategy in STRATEGIES:
            met = [np.array(at.weights)]
            found = run(at, at.joint, at.confusion, strategy=strategy, step="forced", max_iter=4,
                        start=at.weights, rng=rng,
                        watch=lambda _, weights: met.append(weights.copy()))  # noqa: B023
            for weights, taken in zip(met, found.pairs.tolist(), strict=False):
                # By the definition: means and masses of the classes within the regions.
                inside = regions(at.points, weights.tolist(), shared=False)
                lengths = [[squared(means(at.points, at.masses, at.labels, there, q))
                            for q in range(at.classes)] for there in inside]
                out.append((strategy, taken, inside, lengths, at))
    return tuple(out)


def longest(pairs: str) -> Iterator[Certificate]:
    """Whether the pairs that runs take are mistakes, or the longest with p = q let in.

    Both by the definition: with mass of a class that is predicted to be another.
    """
    for strategy, taken, inside, lengths, at in _forced():
        most = max(max(row) for row in lengths)
        diagonal = any(row[p] == most for p, row in enumerate(lengths))
        p, q = taken if pairs == "taken" else divmod(
            int(np.argmax(np.array(lengths))), at.classes
        )
        wrong = any(within and t == q != p
                    for within, t in zip(inside[p], at.labels, strict=True))
        yield Certificate(int(not wrong), 0, [("strategy", strategy), ("pair", (p, q)),
                                              ("longest is diagonal", diagonal)])


@functools.cache
def sampled(
    flips: str, n: int, step: str, tolerance: str, count: int
) -> tuple[tuple[Taught, Run, Fraction, Fraction], ...]:
    """Runs on counts of n examples: two orthonormal atoms, and five on the circle.

    With the largest deviation of any update vector along the run, and the tolerance.
    """
    rng = np.random.default_rng(24)
    eta, out = Fraction(flips), []
    two = best_taught(unit(2), [0, 1], [HALF, HALF], [[1 - eta, eta], [eta, 1 - eta]])
    five = best_taught(FIVE.points, FIVE.labels, FIVE.masses, FIVE.confusion)
    # A rare class three fifths of a right angle away: without length 1 it needs many updates.
    rare = best_taught([[ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]], [1, 0],
                       [1 - Fraction(1, 10), Fraction(1, 10)], two.at.confusion)
    for case in range(count):
        taught = two if case % 4 or n <= 10**6 else five
        if count == 8 and case == 1:
            taught = rare
        at = taught.at
        seen, met = drawn_masses(at, n, rng), [np.full((at.classes, len(at.points[0])), ZERO)]
        found = run(at, seen, at.confusion, step=step, normalise=True,
                    tolerance=Fraction(tolerance), max_iter=400, ties="all",
                    watch=lambda _, weights: met.append(weights.copy()))  # noqa: B023
        # Of weights with the same regions one is enough.
        each = {str(regions(at.points, weights.tolist())): weights for weights in met}
        eta = max(_deviation(at, seen, weights) for weights in each.values())
        out.append((taught, found, eta, Fraction(tolerance)))
    return tuple(out)


def _deviation(at: Instance, seen: Matrix, weights: Any) -> Fraction:
    """Largest deviation of an update vector of a sample from that of the population."""
    off = ~np.eye(at.classes, dtype=bool)
    found, due = (
        update_vectors(at.points, masses, at.confusion, weights=weights, **AS_PRINTED)
        for masses in (seen, at.joint)
    )
    gap = found[off] - due[off]
    return root(max((gap**2).sum(axis=1)))


def sampled_updates(flips: str, n: int, step: str, tolerance: str) -> Iterator[Certificate]:
    """Updates of length 1 on samples, with the deviation along the run."""
    for taught, found, eta, s in sampled(flips, int(n), step, tolerance, 8):
        theta = root(taught.gap**2 / taught.norm)
        more = 2 if step == "forced" else 1
        bracket = theta - (theta + more * root(Fraction(2))) * eta / s
        yield Certificate(
            found.updates, 2 / bracket**2 if bracket > 0 else ZERO,
            [("updates", found.updates), ("theta", theta), ("eta", eta), ("tolerance", s)],
            applies=bracket > 0,
        )


def sampled_error(
    flips: str, n: int, step: str, tolerance: str, number: int
) -> Iterator[Certificate]:
    """Error at the end of such runs, and of one whose radius hides that every prediction is wrong.

    Both classes are seen at an angle, and the weights to start from are those of the other one.
    """
    cosine, sine = Fraction(7, 25), Fraction(24, 25)
    quarter = HALF / 2
    hidden = Instance.of(
        [[-cosine, sine], [-cosine, -sine], [cosine, sine], [cosine, -sine]], [quarter] * 4,
        [0, 0, 1, 1], unit(2), [[-ONE, ZERO], [ONE, ZERO]],
    )
    radius = cosine / 2 + Fraction(1, 2**20)
    stopped = run(hidden, hidden.joint, hidden.confusion, step=step, normalise=True,
                  tolerance=radius, start=[[ONE, ZERO], [-ONE, ZERO]])
    first = (Taught(hidden, hidden.weights, 2 * cosine, Fraction(2)), stopped, ZERO, radius)
    for taught, found, eta, s in (first, *sampled(flips, int(n), step, tolerance, int(number))):
        at, theta = taught.at, root(taught.gap**2 / taught.norm)
        error = error_of(at.points, at.masses, at.labels, found.weights)
        limit = root(Fraction(2)) * at.classes * (at.classes - 1) * (s + eta) / theta
        steps = [("theta", theta), ("eta", eta), ("tolerance", s), ("classes", at.classes),
                 ("skipped", found.skipped)]
        yield Certificate(error, limit, steps, applies=found.stopped != "max_iter")


def lengths_at_the_stop(stop: str) -> Iterator[Certificate]:
    """Squared length of the longest update vector left at the end of a run, and the tolerance's.

    The tolerance is the least length that some updates leave, or a little below the first's.
    """
    for at in (FIVE, *(taught.at for taught in taught_instances(8))):
        some = [run(at, at.joint, at.confusion, step="forced", strategy="confusion", max_iter=k)
                for k in (1, 2, 3, 4)]
        left = [max(one.residual.ravel()) for one in some]
        if not left[0]:
            continue
        # Lengths have 40 digits.
        tolerance = (min(left) or left[0] * Fraction(15, 16)) + Fraction(1, 10**38)
        found = run(at, at.joint, at.confusion, step="forced", tolerance=tolerance, stop=stop,
                    strategy="confusion", max_iter=60)
        # By the definition: means of the classes within the regions.
        longest = max(
            squared(means(at.points, at.masses, at.labels, inside, q))
            for p, inside in enumerate(regions(at.points, found.weights + ZERO, shared=False))
            for q in range(at.classes) if p != q
        )
        yield Certificate(longest, tolerance**2, [("updates", found.updates)],
                          applies=found.stopped == "small")


def tied_lengths(tied: str) -> Iterator[Certificate]:
    """Lengths of the update vectors that a run keeps, at W = 0, from given weights and later,
    against the definition's: a tied point lies in every region where no class scores more."""
    for at in (FIVE, *random_instances(8)):
        nowhere = [[ZERO] * len(at.points[0])] * at.classes
        for start, options in ((nowhere, {"tolerance": 100 * ONE}),
                               (at.weights, {"tolerance": 100 * ONE}),
                               (nowhere, {"max_iter": 1})):
            found = run(at, at.joint, at.confusion, ties=tied, start=start, step="forced",
                        **options)
            for p, inside in enumerate(regions(at.points, found.weights.tolist())):
                for q in range(at.classes):
                    due = root(squared(means(at.points, at.masses, at.labels, inside, q)))
                    off = due / 10**30  # norms have 40 digits
                    if p != q:
                        yield Certificate(found.residual[p, q], (due - off, due + off),
                                          [("pair", (p, q)), ("updates", found.updates)])


def given_label(read: str) -> Iterator[Certificate]:
    """Largest chance of another prediction by a perfect classifier, given a label or a class.

    From the noisy labels alone: a coordinate that is 1 in every point makes an update vector count
    its region, and C or, where labels are taken for classes, the identity turns labels into them.
    """
    two = Instance.of(
        unit(2), [Fraction(7, 10), Fraction(3, 10)], [0, 1],
        [[Fraction(8, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(9, 10)]], unit(2),
    )
    perfect = [(two, two.weights), *((one.at, one.teacher) for one in taught_instances(12))]
    for at, teacher in perfect:
        points = [[*x, ONE] for x in at.points]
        confusion = at.confusion if read == "class" else unit(at.classes)
        z = update_vectors(points, at.joint, confusion, weights=[[*w, ZERO] for w in teacher],
                           **AS_PRINTED)
        shares = class_shares([sum(column) for column in transposed(at.joint)],
                              np.array(inverse_of(confusion)))
        worst = max(abs(z[p, q][-1]) / shares[q] for q in range(at.classes) if shares[q]
                    for p in range(at.classes) if p != q)
        yield Certificate(worst, 0, [("chance", worst), ("classes", at.classes)])


def outside(vectors_of: str) -> Iterator[Certificate]:
    """Updates of a run whose predicted class is outside of the error set."""
    rng = np.random.default_rng(25)
    for taught in separable()[3:10]:
        at = taught.at
        q = at.classes
        noisy = [[Fraction(1, 2 * q) + HALF * (i == j) for j in range(q)] for i in range(q)]
        here = Instance(at.population.with_confusion(noisy), at.weights)
        seen = here.joint
        if vectors_of == "a sample":
            seen = drawn_masses(here, 60, rng)
        met = [np.zeros((q, len(here.points[0])))]
        found = run(here, seen, noisy, step="worst", max_iter=30,
                    watch=lambda _, weights: met.append(weights.copy()))  # noqa: B023
        missed = 0
        for weights, (p, true) in zip(met, found.pairs.tolist(), strict=False):
            z = update_vectors(here.points, seen, noisy, weights=weights,
                               orientation="column")[p, true]
            missed += not error_set(weights @ z, true)[p]
        yield Certificate(missed + found.skipped, 0, [("updates", found.updates)])


def one_update(confusion: str) -> Iterator[Certificate]:
    """Weights of the true class after one update, against the sum of its points in the sample."""
    for at in random_instances(15):
        q = at.classes
        truly = [[m * (t == k) for k in range(q)]
                 for m, t in zip(at.masses, at.labels, strict=True)]
        seen = at.joint if confusion == "as given" else truly
        found = run(at, seen, unit(q), max_iter=1)
        if not found.updates:
            continue
        p, true = found.pairs[0].tolist()
        inside = regions(at.points, [[ZERO] * len(at.points[0])] * q, shared=False)[p]
        batch = means(at.points, at.masses, at.labels, inside, true)
        for a, b in zip(found.weights[true], batch, strict=True):
            yield Certificate(a, b)


class Counted(csr_matrix):  # type: ignore[misc]
    """Sparse rows that count the multiplications of their entries."""

    count = 0

    def __matmul__(self, other: Any) -> Any:
        self.count += self.nnz * (other.shape[1] if other.ndim == 2 else 1)
        return csr_matrix(self) @ other

    def __rmatmul__(self, other: Any) -> Any:
        # Sums of picked rows: ones, which are no work.
        return other @ csr_matrix(self)


def _counts(width: int, updates: int, form: str) -> tuple[int, int]:
    """Multiplications of entries of 60 points in some updates, and updates that were made."""
    rng = np.random.default_rng(28)
    rows = rng.choice([-1.0, 1.0], size=(60, width)) * rng.integers(1, 9, size=(60, width))
    labels = np.argmax(rows @ rng.normal(size=(width, 5)), axis=1)
    points, confusion = Counted(rows), 0.75 * np.eye(5) + 0.05
    found = uma(points, labels, confusion, max_iter=updates)
    if form == "kept":
        return points.count, found.updates
    points.count = 0
    for made in range(found.updates + 1):
        weights = np.zeros((5, width))
        if made:
            weights = uma(rows, labels, confusion, max_iter=made).weights
        update_vectors(points, labels, confusion, weights=weights)
    return points.count, found.updates


def multiplications(form: str) -> Iterator[Certificate]:
    """Multiplications an update, scores of the start left out, against n times d."""
    for width in (4, 8, 16):
        start = 60 * width * 5
        count, updates = _counts(width, 20, form)
        yield Certificate(Fraction(count - start, updates), 60 * width,
                          [("multiplications", count), ("updates", updates)])


def wider(form: str) -> Iterator[Certificate]:
    """Multiplications for the first update vectors of points twice as wide, against half."""
    for width in (4, 8, 16):
        narrow, wide = (_counts(d, 1, form)[0] for d in (width, 2 * width))
        yield Certificate(wide, narrow, [("narrow", narrow), ("wide", wide)])


def batch_and_online() -> Iterator[Certificate]:
    """Updates of UMA with C = I on a sample, against those of a Perceptron run through it."""
    for taught in separable():
        at = taught.at
        size = len(at.points)
        even = [[Fraction(t == k, size) for k in range(at.classes)] for t in at.labels]
        batch = run(at, even, at.confusion, max_iter=100)
        passes = ultraconservative(at.points, at.labels, at.classes, passes=100)
        yield Certificate(batch.updates, passes.updates)


def selected(strategy: str, by: str) -> Iterator[Certificate]:
    """What the pair that the public algorithm takes first has of a criterion, and the most."""
    for at in (FIVE, *(taught.at for taught in taught_instances(10))):
        first = run(at, at.joint, at.confusion, strategy=strategy, start=at.weights, step="forced",
                    max_iter=1)
        if not first.updates:
            continue
        shares = [
            sum((m for m, t in zip(at.masses, at.labels, strict=True) if t == q), ZERO)
            for q in range(at.classes)
        ]
        # By the definition: means of the classes within the regions. Shares must be positive.
        value = {
            (p, q): squared(means(at.points, at.masses, at.labels, inside, q))
            / (shares[q] ** 2 if by == "share" else 1)
            for p, inside in enumerate(regions(at.points, at.weights, shared=False))
            for q in range(at.classes) if p != q and (by == "norm" or shares[q] > 0)
        }
        pair = tuple(first.pairs[0].tolist())
        yield Certificate(value.get(pair, ZERO), max(value.values()), [("pair", pair)],
                          applies=min(shares) > 0)
