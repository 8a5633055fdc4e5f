r"""The law of the deviation of a sample's mean from its population's, by enumeration.

Multinomial counts are listed where they are few. Equally likely orthonormal atoms, or pairs of
opposite ones, have their law from a generating function.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import fft, special

from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations.atoms import Array, Cells, Form
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = ["ENUMERABLE", "norm_law", "two_point_law"]

ENUMERABLE = 200_000
"""Outcomes that an exact law may have before it is drawn instead."""

GRID = 1 << 23
"""Totals times squares that a law by generating function may take (64 MiB of doubles)."""


def two_point_law(n: int, weight: float, distance: float) -> tuple[Array, Array]:
    r"""The law of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$, for two atoms: $n+1$ outcomes.

    Parameters
    ----------
    n : int
        Sample size.
    weight : float
        Probability of the first atom.
    distance : float
        Of the two (RKHS norm).

    Returns
    -------
    values, probabilities : arrays
        Increasing values and what they weigh.

    Examples
    --------
    >>> values, probabilities = two_point_law(2, 0.5, 2.0)
    >>> values.tolist(), probabilities.round(12).tolist()
    ([0.0, 1.0], [0.5, 0.5])
    """
    values = np.abs(np.arange(n + 1) / n - weight) * distance
    return _merged(values, binomial_law(n, weight))


def norm_law(cells: Cells, form: Form, n: int) -> tuple[Array, Array] | None:
    r"""The law of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$.

    Parameters
    ----------
    cells : Cells
        Distinct signed atoms of positive weight.
    form : Form
        Of the same atoms.
    n : int
        Sample size.

    Returns
    -------
    values, probabilities : arrays
        As `two_point_law` has them; ``None`` where there are too many outcomes.
    """
    parts = len(cells.weights)
    if parts == 1:
        return np.zeros(1), np.ones(1)
    outcomes, scale = math.comb(n + parts - 1, parts - 1), form.isotropic
    if scale is not None and outcomes * parts > ENUMERABLE:
        found = _isotropic_law(n, parts, *scale)
        if found is not None or outcomes > ENUMERABLE:
            return found
    if outcomes > ENUMERABLE:
        return None
    counts = compositions(n, parts)
    logs = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
    logs += counts @ np.log(cells.weights)
    probabilities = np.exp(logs)
    factor = form.factor[cells.index] * cells.labels[:, None]
    differences = (counts / n - cells.weights) @ factor
    return _merged(np.linalg.norm(differences, axis=1), probabilities / probabilities.sum())


def _isotropic_law(
    n: int, cells: int, length: float, paired: bool
) -> tuple[Array, Array] | None:
    r"""Law of $L$ for ``cells`` equally likely atoms, orthogonal, or opposite in pairs.

    $n^2L^2/\mathrm{length}^2=\sum_jD_j^2-c$, where $D_j$ is a count or the difference of two, and
    $c$ is $n^2$ over the cells or 0. Under Poisson counts the coordinates are independent, so the
    joint law of $(\sum N_j,\sum D_j^2)$ has the power of one coordinate's transform; its row
    $\sum N_j=n$ is the law under multinomial counts, up to a factor.
    """
    # Poisson totals reach so far with probability 1e-16: further ones may wrap around.
    totals = fft.next_fast_len(n + int(12 * math.sqrt(n)) + 40)
    squares = fft.next_fast_len(n * n + 1)
    if totals * squares > GRID:
        return None
    coordinates = cells // 2 if paired else cells
    mean = n / cells
    count = np.arange(n + 1)
    single = np.exp(special.xlogy(count, mean) - mean - special.gammaln(count + 1))
    joint = np.zeros((totals, squares))
    if paired:
        first, second = np.nonzero(count[:, None] + count <= n)
        np.add.at(
            joint, (first + second, (first - second) ** 2), single[first] * single[second]
        )
    else:
        joint[count, count**2] = single
    transform = np.fft.fft(np.fft.rfft(joint, axis=1), axis=0) ** coordinates
    row = np.exp(2j * np.pi * n * np.arange(totals) / totals) @ transform / totals
    law = np.fft.irfft(row, squares)[: n * n + 1]
    # A square is odd where its root is, so the sum of squares has the parity of n.
    law[1 - n % 2 :: 2] = 0.0
    reached = np.flatnonzero(law > 1e-15)
    centre = 0.0 if paired else n * n / cells
    values = length * np.sqrt(np.maximum(reached - centre, 0.0)) / n
    return _merged(values, law[reached])


def _merged(values: Array, probabilities: Array) -> tuple[Array, Array]:
    """Sort a law and join values that differ by rounding alone."""
    order = np.argsort(values, kind="stable")
    values, probabilities = values[order], probabilities[order]
    scale = float(values[-1])
    new = np.concatenate([[True], np.diff(values) > 1e-12 * scale])
    start = np.flatnonzero(new)
    joined = np.add.reduceat(probabilities, start)
    return values[start], joined / joined.sum()
