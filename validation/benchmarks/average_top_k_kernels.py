"""Kernel machines of the average top-k loss beside libsvm's, at several C.

Run as ``python validation/benchmarks/average_top_k_kernels.py`` (``--record`` to keep the numbers,
``--json``). Two shells of 5,000 points, a tenth of whose labels are turned, and waves of the same
radius with noise, in 2 and in 10 dimensions: SVC beside k = n, and NuSVR with half of the examples
beside k = n/2 with absolute loss. C is n times libsvm's, which weighs the sum of losses and not
their average. libsvm has a free intercept, ours has none.
"""

from __future__ import annotations

import argparse
import re
import sys

import average_top_k as usual
import numpy as np
import recorded
from sklearn.svm import SVC, NuSVR

N = 5000
COSTS = {"SVC": {2: (0.1, 1, 10, 100, 1000), 10: (0.1, 1, 10, 100)},
         "NuSVR": {2: (0.1, 1, 10, 100), 10: (0.1, 1, 10)}}
"""Those of libsvm, by dimension; more take a minute."""
DEAR = 10
"""From this cost on there is one round."""


def shells(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, labels and numbers."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, d))
    radius = np.linalg.norm(x, axis=1)
    labels = np.where(radius > np.median(radius), 1.0, -1.0)
    labels = np.where(rng.random(N) < 0.1, -labels, labels)
    waves = np.sin(2 * radius) + 0.3 * rng.normal(size=N)
    return x, labels, waves - waves.mean()


def protocol(goals: list[recorded.Row]) -> str:
    """How the rows came about, and where the goal is reached."""
    ratios = {goal["work"]: float(goal["measured"].split()[0]) for goal in goals}
    least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    reached = [work for work in ratios if ratios[work] >= 3]
    ahead = sum(ratio >= 1 for ratio in ratios.values())
    steps = (re.search(r"takes ([\d,]+) steps, libsvm ([\d,]+)", goal["why"]).groups()
             for goal in goals if not goal["reached"])
    more = [int(ours.replace(",", "")) / int(theirs.replace(",", "")) for ours, theirs in steps]
    return (f"the goal of 3 times is reached in {len(reached)} of {len(goals)} cells "
            f"({'; '.join(map(short, reached)) or 'none'}), ours is ahead in {ahead}: from "
            f"{ratios[most]:.1f} times faster ({short(most)}) to {1 / ratios[least]:.1f} times "
            f"slower ({short(least)}); where it is not reached ours takes {min(more):.1f} to "
            f"{max(more):.1f} times libsvm's steps, each over all examples, of which libsvm's hold "
            f"ever more aside; one round from C={DEAR}n on; {recorded.PROTOCOL}")


def short(work: str) -> str:
    """Learner, dimension and C."""
    parts = work.split(", ")
    return f"{parts[0]} in dimension {parts[2].split()[-1]}, {parts[-1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine = recorded.Machine()
    rows, goals = [], []
    for kind, by_dimension in COSTS.items():
        for d, costs in by_dimension.items():
            x, labels, waves = shells(d)
            for cost in costs:
                if kind == "SVC":
                    rival, y, share = SVC(C=cost, gamma=1 / 8), labels, 1.0
                else:
                    rival, y, share = NuSVR(nu=0.5, C=cost, gamma=1 / 8), waves, 0.5
                name = "SVM" if kind == "SVC" else "SVR"
                more, aims = usual.kernel(
                    f"AT_k-{name}, Gaussian kernel, shells in dimension {d}, n={N:,}, "
                    f"k={share:g}n, C={cost:g}n", x, y, share, cost, rival,
                    given.rounds if cost < DEAR else 1, machine)
                rows += more
                goals += aims
                print(".", end="", file=sys.stderr, flush=True)
    found = recorded.result(
        __file__, "Average top-k kernel machines beside libsvm, by C", rows, goals, machine,
        ("scikit-learn", "numba"), given.rounds, protocol(goals))
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
