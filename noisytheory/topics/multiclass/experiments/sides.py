"""What print says of its own experiments, worked in fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from noisytheory.topics.multiclass.exactly import error_of, fractions
from noisytheory.topics.multiclass.experiments import printed
from noisytheory.topics.multiclass.experiments.simulate import (
    CLASSES,
    OWN,
    digits,
    protocol_runs,
)
from noisytheory.topics.multiclass.instances import FIVE, taught_instances
from noisytheory.topics.multiclass.uma import uma
from noisytheory.trial.claim import Certificate

FIGURE_1 = (*(v for pair in printed.FIGURE_1A.values() for v in pair), *printed.FIGURE_1B.values())
"""Confusion rates that Section 4.1 reads off Figure 1: UMA and Perceptron, then three of 1(b)."""


def figure_1_rates(scaled: int) -> Iterator[Certificate]:
    """Numbers that print calls confusion rates, or as norms, against the largest there can be."""
    for number in FIGURE_1:
        rate = Fraction(number)
        yield Certificate(rate**2, 1 if scaled else CLASSES, [("printed", rate)])


def two_noises(told: str) -> Iterator[Certificate]:
    """Error of UMA on populations with noise of their own and more, told of the one or of both."""
    for at in (FIVE, *(taught.at for taught in taught_instances(5))):
        q = at.classes
        own = [[Fraction(3, 4) * (i == j) + Fraction(1, 4) * ((i + 1) % q == j) for j in range(q)]
               for i in range(q)]
        both = [[sum((at.confusion[i][k] * own[k][j] for k in range(q)), Fraction(0))
                 for j in range(q)] for i in range(q)]
        seen = at.population.with_confusion(both).joint.tolist()
        used = both if told == "product" else at.confusion
        found = uma(at.points, seen, used, orientation="column", normalise=True, tolerance=0,
                    max_iter=MOST)
        error = error_of(at.points, at.masses, at.labels, found.weights)
        yield Certificate(error, 0, [("updates", found.updates), ("stopped", found.stopped)],
                          applies=told == "added" or found.stopped != "max_iter")


MOST = 60
"""Updates of these runs."""


def evenness(most: str) -> Iterator[Certificate]:
    """Largest class of the digits over the smallest."""
    sizes = np.bincount(digits()[2])
    yield Certificate(int(sizes.max()), Fraction(most) * int(sizes.min()),
                      [("sizes", fractions(sizes))])


def budgets(rival: str) -> Iterator[Certificate]:
    """True labels that UMA uses in the protocol, and those of a classifier it is compared with."""
    for made, few, audited in protocol_runs():
        other = audited + (few if rival == "audited and few" else 0)
        yield Certificate(made.true_labels, other, [("few", few), ("audited", audited)])


def estimates(by: str) -> Iterator[Certificate]:
    """Entries of the protocol's confusion, against shares of each class or of each prediction."""
    for made, _, audited in protocol_runs():
        assert audited <= OWN
        points, codes = made.known["audited"]
        said = np.argmax(points @ made.rough.T, axis=1)
        for p in range(CLASSES):
            for q in range(CLASSES):
                over = np.sum(codes == q) if by == "class" else np.sum(said == p)
                if over:
                    # The only fraction of so small a denominator that rounds to the public one.
                    entry = Fraction(float(made.confusion.matrix[p, q])).limit_denominator(OWN)
                    share = Fraction(int(np.sum((said == p) & (codes == q))), int(over))
                    yield Certificate(entry, share, [("entry", (p, q))])
