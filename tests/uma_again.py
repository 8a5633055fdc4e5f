"""Algorithms 1 and 2 a second time, from the definitions and on lists of fractions: an oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from noisytheory.topics.multiclass.exactly import Matrix, Vector, dot, regions, root, squared


def inverse(matrix: Matrix) -> Matrix:
    """Inverse by elimination; raises ZeroDivisionError where there is none."""
    size = len(matrix)
    rows = [
        [*map(Fraction, row), *(Fraction(i == j) for j in range(size))]
        for i, row in enumerate(matrix)
    ]
    for i in range(size):
        pivot = next((k for k in range(i, size) if rows[k][i]), None)
        if pivot is None:
            raise ZeroDivisionError("singular")
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(size):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[size:] for row in rows]


def vectors(points: Matrix, joint: Matrix, back: Matrix, inside: list[bool]) -> Matrix:
    """Update vectors of one region, one for each true class."""
    there = [i for i, within in enumerate(inside) if within]
    masses = list(zip(*(joint[i] for i in there), strict=True)) or [()] * len(back)
    coordinates = list(zip(*(points[i] for i in there), strict=True)) or [()] * len(points[0])
    sums = [[dot(mass, x) for mass in masses] for x in coordinates]
    return [[dot(row, by_label) for by_label in sums] for row in back]


def _share(scores: Vector, true: int, erring: list[int], step: str, p: int) -> Vector:
    tau = [Fraction(0)] * len(scores)
    if step == "forced" or (step == "predicted" and p in erring):
        tau[p] -= 1
    elif step in ("worst", "predicted"):
        tau[max(erring, key=lambda r: (scores[r], -r))] -= 1
    elif step == "uniform":
        for r in erring:
            tau[r] -= Fraction(1, len(erring))
    else:
        raise ValueError(f"no exact form of step {step!r}")
    tau[true] += 1
    return tau


def _moved(weights: Matrix, tau: Vector, vector: Vector) -> Matrix:
    return [
        [a + t * b for a, b in zip(row, vector, strict=True)] if t else row
        for row, t in zip(weights, tau, strict=True)
    ]


@dataclass
class RunInFractions:
    """Weights, updates, largest sum of squared steps, pairs, squared norms, why it stopped, and
    pairs passed over for want of an error set."""

    weights: Matrix
    updates: int
    largest_step: Fraction = Fraction(0)
    pairs: tuple[tuple[int, int], ...] = ()
    squares: tuple[Fraction, ...] = ()
    stopped: str = ""
    skipped: int = 0


def online(
    points: Matrix, labels: Sequence[int], classes: int, *, step: str = "worst", passes: int = 1,
    start: Matrix | None = None,
) -> RunInFractions:
    """Algorithm 1 from W = 0, examples in turn."""
    weights = start or [[Fraction(0)] * len(points[0]) for _ in range(classes)]
    updates, largest = 0, Fraction(0)
    for _ in range(passes):
        before = updates
        for x, y in zip(points, labels, strict=True):
            scores = [dot(w, x) for w in weights]
            erring = [r for r in range(classes) if r != y and scores[r] >= scores[y]]
            if erring:
                tau = _share(scores, y, erring, step, -1)
                weights = _moved(weights, tau, x)
                updates, largest = updates + 1, max(largest, squared(tau))
        if updates == before:
            break
    return RunInFractions(weights, updates, largest)


def run(
    points: Matrix, joint: Matrix, confusion: Matrix, *, step: str = "predicted",
    normalise: bool = False, tolerance: Fraction = Fraction(0), max_iter: int = 200,
    alpha: Fraction = Fraction(0), error_alpha: Fraction = Fraction(0), shared: bool = False,
    start: Matrix | None = None,
) -> RunInFractions:
    """Algorithm 2, largest norm first, until no pair with an error set is longer than tolerance."""
    back, classes = inverse(confusion), len(confusion)
    weights = start or [[Fraction(0)] * len(points[0]) for _ in range(classes)]
    pairs: list[tuple[int, int]] = []
    squares: list[Fraction] = []
    skipped = 0
    while len(pairs) < max_iter:
        inside = regions(points, weights, alpha, shared=shared)
        found = {
            (p, q): z
            for p in range(classes)
            for q, z in enumerate(vectors(points, joint, back, inside[p])) if p != q
        }
        size = {pair: squared(z) for pair, z in found.items()}
        large = sorted((pair for pair in size if size[pair] > tolerance**2),
                       key=lambda pair: (-size[pair], pair))
        for p, q in large:
            z = found[p, q]
            scores = [dot(w, z) for w in weights]
            erring = [
                r for r in range(classes) if r != q and scores[r] - scores[q] >= error_alpha
            ]
            if erring or step == "forced":
                break
            skipped += 1
        else:
            stopped = "no error set" if large else "small"
            break
        tau = _share(scores, q, erring, step, p)
        length = root(size[p, q]) if normalise else Fraction(1)
        weights = _moved(weights, tau, [value / length for value in z])
        pairs.append((p, q))
        squares.append(size[p, q])
    else:
        stopped = "max_iter"
    return RunInFractions(
        weights, len(pairs), Fraction(2), tuple(pairs), tuple(squares), stopped, skipped,
    )
