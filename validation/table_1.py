"""Table 1 by general solvers, beside the numbers of `printed_table.bounds.OURS`.

    python validation/table_1.py [--trials N]

Trials by six counts give those numbers, so nothing is shared here but the three points: hinge loss
by a linear programme a trial, t-logistic loss from four starts a trial, linear loss from its law.
Prints mean and deviation of the 01 risk of a training set of 800, with the standard error of the
mean, beside what stands in the package.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from noisytheory.topics.surrogates import hinge_minimiser, potential_minimiser
from noisytheory.topics.surrogates.long_servedio.simulate import ATOMS, CLEAN, LABELS, noisy_masses
from noisytheory.topics.surrogates.printed_table.bounds import OURS
from noisytheory.topics.surrogates.printed_table.moments import table_moments
from noisytheory.vocabulary.losses import TLogistic

STARTS = ([0.01, 0.0], [2.0, 0.1], [0.0, 0.5], [0.5, 0.5])
SEED = 2026


def hinge_risks(shares: np.ndarray) -> np.ndarray:
    """01 risk of the hinge minimiser of every row of shares of the six counts."""
    # A score of 0 is an error, and the programme's zeros are zeros up to rounding.
    directions = np.array([hinge_minimiser(ATOMS, LABELS, row)[0] for row in shares])
    return (directions @ ATOMS[::2].T <= 1e-9) @ CLEAN


def t_logistic_risks(shares: np.ndarray) -> np.ndarray:
    """The same for t-logistic loss: the best of four starts."""
    loss = TLogistic()
    found = np.stack(
        [potential_minimiser(ATOMS, LABELS, shares, loss, start=start) for start in STARTS]
    )
    risk = np.sum(shares * loss.value(LABELS, found @ ATOMS.T), axis=-1)
    best = found[risk.argmin(axis=0), np.arange(len(shares))]
    return (best @ ATOMS[::2].T <= 0) @ CLEAN


RISKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hinge": hinge_risks, "t-logistic": t_logistic_risks,
}


def moments(column: str, sigma: float, trials: int) -> tuple[float, float]:
    """Mean and deviation of a cell."""
    if column == "linear":
        law = table_moments("linear", sigma)
        return law["mean"], law["sd"]
    if sigma == 0:
        return 0.0, 0.0  # The points are separable; t-logistic loss has no minimiser, only a limit.
    rng = np.random.default_rng([SEED, round(1000 * sigma)])
    risks = RISKS[column](rng.multinomial(800, noisy_masses(sigma), size=trials) / 800)
    return float(risks.mean()), float(risks.std(ddof=1))


def main() -> None:
    """Print every cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=40_000)
    trials = parser.parse_args().trials
    for column, cells in OURS.items():
        for sigma, (mean, deviation) in cells.items():
            found = moments(column, sigma, trials)
            error = 0.0 if column == "linear" else found[1] / trials**0.5
            print(f"{column:10} {sigma:<5g} {found[0]:.4f} +- {found[1]:.4f} "
                  f"(error {error:.4f}); in the package {mean:.4f} +- {deviation:.4f}", flush=True)


if __name__ == "__main__":
    main()
