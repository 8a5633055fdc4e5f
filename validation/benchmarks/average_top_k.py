"""What a certified minimum of the average top-k loss costs beside other solvers, in one run.

Run as ``python validation/benchmarks/average_top_k.py`` (``--json`` for numbers alone, ``--record``
to keep them). Every form is asked for a relative duality gap of 1e-6, and the gap that it reached
stands in its row as the error. The honest rival is L-BFGS-B on the smoothed objective with its
threshold eliminated, with the same certificate; conic solvers are tried where they can finish.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
import recorded
from sklearn.svm import SVC, NuSVC

from noisytheory.topics.top_k import INDIVIDUAL, Solution, fit, kernel_fit
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.vocabulary.kernels import Gaussian

OURS, RIVAL = "noisytheory", "L-BFGS-B, smoothed, threshold eliminated"
KERNEL_RIVAL = "scikit-learn NuSVC (libsvm)"


def data(n: int, d: int, smallest: float) -> tuple[np.ndarray, np.ndarray]:
    """A logistic model; feature scales fall geometrically from 1 to ``smallest``."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    w = rng.normal(size=d) / np.sqrt(d)
    y = np.where(2 * x @ w + rng.logistic(size=n) >= 0, 1.0, -1.0)
    return x * np.geomspace(1, smallest, d), y


def conic(x: np.ndarray, y: np.ndarray, loss: str, k: int, C: float, solver: str) -> float:
    """The optimum by cvxpy, with its sum_largest."""
    import cvxpy as cp

    w = cp.Variable(x.shape[1])
    t = cp.multiply(y, x @ w)
    losses = cp.pos(1 - t) if loss == "hinge" else cp.logistic(-t) / np.log(2)
    task = cp.Problem(cp.Minimize(
        cp.sum_largest(losses, k) / len(y) + cp.sum_squares(w) / (2 * C)))
    task.solve(solver=solver)
    return float(task.value)


def linear(
    n: int, d: int, smallest: float, loss: str, share: float, rounds: int,
    machine: recorded.Machine, solvers: tuple[str, ...],
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Rows and goals of one problem."""
    x, y = data(n, d, smallest)
    k, C = int(share * n), 100.0
    found: dict[str, Solution] = {}

    def ours() -> None:
        found[OURS] = fit(x, y, loss, k=k, C=C)

    def rival() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            found[RIVAL] = fit(x, y, loss, k=k, C=C, solver="limited-memory")

    forms: dict[str, Callable[[], object]] = {RIVAL: rival, OURS: ours}
    times = recorded.in_turns(forms, rounds, machine)
    shape = "isotropic" if smallest == 1 else f"scales to 1/{1 / smallest:.0f}"
    work = f"AT_k {loss}, {n:,} x {d}, {shape}, k={share:g}n"
    gaps = {name: one.gap / one.objective for name, one in found.items()}
    size = x.nbytes / 2**20
    most = recorded.peak(ours)
    rows = [
        recorded.row(work, OURS, times[OURS], most, gaps[OURS],
                     f"regime {found[OURS].regime}; memory beside {size:.0f} MiB of data"),
        recorded.row(work, RIVAL, times[RIVAL], None, gaps[RIVAL],
                     "" if found[RIVAL].converged else "the gap was not reached"),
    ]
    for solver in solvers:
        if solver == "PIQP" and loss != "hinge":
            continue
        try:
            taken = recorded.seconds(lambda s=solver: conic(x, y, loss, k, C, s))
        except Exception as error:  # a solver that is not there, or that fails
            rows.append(recorded.row(work, f"cvxpy {solver}", None,
                                     note=f"{type(error).__name__}: {str(error)[:60]}"))
            continue
        rows.append(recorded.row(work, f"cvxpy {solver}", taken, note="one call, set-up included"))
    ratio = times[RIVAL] / times[OURS]
    why = "" if ratio >= 1 else "the certificate near the collapse, or few evaluations suffice"
    goals = [
        recorded.goal(work, "never slower than the rival", f"{ratio:.2f} x", ratio >= 1, why,
                      who=OURS, rival=RIVAL),
        recorded.goal(work, "memory at most half of the data again", f"{most / size:.2f} x",
                      most <= 0.5 * size, "blocks and vectors count more where data are small"),
    ]
    return rows, goals


def kernel(
    n: int, share: float, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """A Gaussian kernel machine beside libsvm's, which has an intercept."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10))
    y = np.sign(np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.7 * rng.normal(size=n))
    gram = Gaussian(2.0)
    found = {}

    def ours() -> None:
        found[OURS] = kernel_fit(gram, y, nu=share, C=float(n), points=x)

    rival = SVC(C=1.0, gamma=1 / 8) if share == 1 else NuSVC(nu=share, gamma=1 / 8)
    name = "scikit-learn SVC (libsvm)" if share == 1 else KERNEL_RIVAL
    forms: dict[str, Callable[[], object]] = {name: lambda: rival.fit(x, y), OURS: ours}
    times = recorded.in_turns(forms, rounds, machine)
    work = f"AT_k-SVM, Gaussian kernel, n={n:,}, k={share:g}n"
    one = found[OURS]
    rows = [
        recorded.row(work, OURS, times[OURS], recorded.peak(ours), one.gap / one.objective,
                     f"regime {one.regime}"),
        recorded.row(work, name, times[name], note="with an intercept"),
    ]
    ratio = times[name] / times[OURS]
    return rows, [recorded.goal(
        work, "3 x libsvm at a violation of 1e-3", f"{ratio:.2f} x", ratio >= 3,
        "steps read two rows of the Gram matrix from memory", who=OURS, rival=name)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="200,000 examples as well")
    parser.add_argument("--conic", action="store_true", help="conic solvers at 20,000 as well")
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine = recorded.Machine()
    rows, goals = [], []
    assert {"hinge", "logistic"} <= set(INDIVIDUAL)
    for n in (1000, 20_000, *([200_000] if given.large else [])):
        for d in (20, 100) if n < 200_000 else (100,):
            for smallest in (1.0, 1 / 30):
                for loss in ("hinge", "logistic"):
                    for share in (0.5, 0.8):
                        small = n == 1000 or (given.conic and d == 100 and smallest == 1)
                        more, aims = linear(n, d, smallest, loss, share, given.rounds, machine,
                                            ("CLARABEL", "PIQP") if small else ())
                        rows += more
                        goals += aims
    for share in (0.5, 0.7, 1.0):
        more, aims = kernel(5000, share, given.rounds, machine)
        rows += more
        goals += aims
    found = recorded.result(
        __file__, "Average top-k minimisers", rows, goals, machine,
        ("scipy", "scikit-learn", "cvxpy", "clarabel"), given.rounds,
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
