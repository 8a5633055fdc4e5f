"""What an answer costs: how many samples, or which level, Theorem 5 asks for.

Run as ``python validation/benchmarks/inverse.py`` (``--json`` for numbers alone, ``--record`` to
keep them). Rivals take turns with `noisytheory.solve`: a bisection written by hand, on the public
bound and on the formula typed again in ``math``, and ``scipy.optimize.brentq``, which needs the
formula, too, because the public bound refuses an n that is not whole; its root is rounded up.
Nobody but ours looks whether the bound turns. The error is the distance from the exact answer.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import recorded
from scipy.optimize import brentq

import noisytheory as nt

DELTA, RADIUS, N = 1e-3, 0.1, 5000
RADII = np.geomspace(0.01, 1, 1000)
OURS, BISECTED, TYPED, BRENT = (
    "noisytheory.solve", "a bisection by hand on the public bound",
    "a bisection by hand on the formula in math", "scipy.optimize.brentq on the formula in math",
)


def public(n: int, delta: float) -> float:
    return float(nt.kernel_mean.mean_deviation(n=n, delta=delta))


def formula(n: float, delta: float) -> float:
    return 2 / math.sqrt(n) + math.sqrt(2 * math.log(1 / delta) / n)


def bisected(bound: Callable[[int], float], radius: float) -> int:
    """The smallest n, by doubling and halving."""
    high = 1
    while bound(high) > radius:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= radius else (middle, high)
    return high


def brent(radius: float) -> int:
    return math.ceil(brentq(lambda n: formula(n, DELTA) - radius, 1, 1e12, xtol=1e-9))


def brent_level() -> float:
    """On the logarithm of the level, as one must for small ones."""
    return math.exp(brentq(lambda log: formula(N, math.exp(log)) - RADIUS, -700, -1e-9, xtol=1e-12))


def exact() -> tuple[int, float]:
    """The size ((2 + sqrt(2 log 1/d)) / r)^2 and the level exp(-n (r - 2 / sqrt n)^2 / 2)."""
    with localcontext() as context:
        context.prec = 50
        radius, gap = Decimal(RADIUS), Decimal(RADIUS) - 2 / Decimal(N).sqrt()
        size = ((2 + (-2 * Decimal(DELTA).ln()).sqrt()) / radius) ** 2
        return math.ceil(size), float((-N * gap * gap / 2).exp())


def measure(
    work: str, forms: dict[str, Callable[[], object]], times: int,
    error: Callable[[object], float], rounds: int, machine: recorded.Machine,
) -> list[recorded.Row]:
    """Rows of one question, of which each form is asked so many times in a round."""
    def several(form: Callable[[], object]) -> Callable[[], object]:
        return lambda: [form() for _ in range(times)]

    spent = recorded.in_turns({who: several(form) for who, form in forms.items()}, rounds, machine)
    return [
        recorded.row(work, who, spent[who] / times, None, error(form()))
        for who, form in forms.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    given = parser.parse_args()
    recorded.pinned(given.core)
    machine, bound = recorded.Machine(), nt.kernel_mean.mean_deviation
    enough, rare = exact()
    size = f"n for radius {RADIUS} at level {DELTA}"
    rows = measure(size, {
        OURS: lambda: nt.solve(bound, at_most=RADIUS, n=..., delta=DELTA),
        BISECTED: lambda: bisected(lambda n: public(n, DELTA), RADIUS),
        TYPED: lambda: bisected(lambda n: formula(n, DELTA), RADIUS),
        BRENT: lambda: brent(RADIUS),
    }, 200, lambda found: abs(int(found) - enough), given.rounds, machine)
    level = f"level for radius {RADIUS} at n={N:,}"
    rows += measure(level, {
        OURS: lambda: nt.solve(bound, at_most=RADIUS, n=N, delta=...),
        BRENT: brent_level,
    }, 200, lambda found: abs(float(found) / rare - 1), given.rounds, machine)
    many = f"n for {len(RADII):,} radii at level {DELTA}"
    sure = [bisected(lambda n: public(n, DELTA), radius) for radius in RADII.tolist()]
    rows += measure(many, {
        OURS: lambda: nt.solve(bound, at_most=RADII, n=..., delta=DELTA),
        TYPED: lambda: [bisected(lambda n: formula(n, DELTA), r) for r in RADII.tolist()],
        BRENT: lambda: [brent(radius) for radius in RADII.tolist()],
    }, 1, lambda found: int(np.max(np.abs(np.subtract(found, sure)))), given.rounds, machine)
    spent = {row["work"]: row["seconds"] for row in rows if row["who"] == OURS}
    why = f"with a load of {machine.facts()['load']} on {machine.facts()['cores']} cores"
    goals = [
        recorded.goal(work, f"{aim} µs a question", f"{1e6 * spent[work] / each:.1f} µs",
                      spent[work] <= each * aim * 1e-6, why)
        for work, each, aim in ((size, 1, 100), (level, 1, 200), (many, len(RADII), 15))
    ]
    found = recorded.result(
        __file__, "Bounds the other way round", rows, goals, machine, ("scipy",), given.rounds
    )
    recorded.finish(__file__, found, record=given.record, as_json=given.json)


if __name__ == "__main__":
    main()
