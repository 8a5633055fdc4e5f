"""Table 1 of the kernel-mean paper, 2,250 fits: by six counts, and by solvers in a loop.

Run as ``python validation/benchmarks/printed_table.py``. The loop fits hinge by scikit-learn's
LinearSVC at C = 10^4, without its convergence warnings, and the t-logistic loss by scipy's L-BFGS;
the mean is one line in both. Seconds of one thread, medians over rounds, in one run.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from noisytheory.losses import TLogistic
from noisytheory.surrogates.long_servedio.simulate import ATOMS, CLEAN, LABELS, noisy_masses
from noisytheory.surrogates.printed_table.simulate import TRAINING, TRIALS, table_trial

RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.49)
COLUMNS = ("hinge", "t-logistic", "linear")


def ours(trials: int) -> dict[str, float]:
    """Mean risks at the largest rate, all columns and rates computed."""
    rng = np.random.default_rng(0)
    found = {}
    for column in COLUMNS:
        for sigma in RATES:
            found[column] = float(
                table_trial(column, sigma, TRAINING, size=trials, rng=rng).mean()
            )
    return found


def loop(trials: int) -> dict[str, float]:
    """The same by general solvers, one fit at a time."""
    rng, loss, found = np.random.default_rng(0), TLogistic(), {}

    def risk(omega: np.ndarray, weights: np.ndarray) -> float:
        return float(weights @ loss.value(LABELS, ATOMS @ omega))

    def slope(omega: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return (weights * loss.derivative(LABELS, ATOMS @ omega)) @ ATOMS

    for column in COLUMNS:
        for sigma in RATES:
            risks = []
            for counts in rng.multinomial(TRAINING, noisy_masses(sigma), size=trials):
                used = counts > 0
                if column == "linear" or len(np.unique(LABELS[used])) < 2:
                    omega = (counts * LABELS) @ ATOMS
                elif column == "hinge":
                    model = LinearSVC(loss="hinge", C=1e4 / TRAINING, fit_intercept=False)
                    omega = model.fit(ATOMS[used], LABELS[used], counts[used]).coef_[0]
                else:
                    omega = minimize(risk, [0.0, 0.0], (counts / TRAINING,), jac=slope,
                                     method="L-BFGS-B").x
                risks.append(CLEAN[ATOMS[::2] @ omega <= 0].sum())
            found[column] = float(np.mean(risks))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    times: dict[str, list[float]] = {"loop": [], "ours": []}
    found = {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(given.rounds):
            for name, work in (("loop", loop), ("ours", ours)):
                start = time.process_time()
                found[name] = work(given.trials)
                times[name].append(time.process_time() - start)
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, value in middle.items():
        print(f"{name}: {value:.4f} CPU s, mean risks at 0.49: {found[name]}")
    print(f"loop / ours: {middle['loop'] / middle['ours']:.1f}")


if __name__ == "__main__":
    main()
