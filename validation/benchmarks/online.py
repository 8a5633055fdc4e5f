"""Online learning from noisy copies: the O(T^2) form beside a cached Gram matrix and the print.

Run as ``python validation/benchmarks/online.py`` (``--json`` for numbers alone, ``--record`` to
keep them). There is no rival package. All forms learn from the same draws: exponential kernel and
loss, p = 2, Gaussian noise. The printed algorithm and the form with a cached Gram matrix, which
adds up all pairs for every norm, are run at a smaller T and extrapolated by their operation counts,
T^3; ours is quadratic (`online.prod_calls` and `online.inner_products`, on trial). Drawing the
copies counts. A row of its own has the learner as it comes, which checks its input and has coupled
estimates: all degrees up to the one drawn meet one another. Memory is measured at three horizons,
beside what is stored: the copies drawn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import recorded

from noisytheory import NoisyKernelClassifier, online
from noisytheory.topics.online.descent import Tape
from noisytheory.topics.online.printed import PlainLearner, gradient_length, projected
from noisytheory.vocabulary.analytic import ExponentialLoss
from noisytheory.vocabulary.dot_products import ExponentialProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise

DIMENSION, P, BALL, STEP = 20, 2.0, 1.0, 1.0
GOAL = 0.04


def data(T: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(1).normal(size=(T, DIMENSION)) * 0.5 / np.sqrt(DIMENSION)
    return x, np.sign(x[:, 0])


def drawn(T: int) -> tuple[Tape, np.ndarray]:
    x, y = data(T)
    scheme = online.Scheme(ExponentialProduct(), online.Geometric(P))
    oracle = online.NoisyOracle(x, InstanceNoise("gaussian", 0.1))
    rng = np.random.default_rng(2)
    return online.draw_tape(T, scheme, online.Geometric(P), oracle, rng=rng), y


def ours(T: int) -> float:
    tape, y = drawn(T)
    scheme = online.Scheme(ExponentialProduct(), online.Geometric(P))
    rule = online.Rule(BALL, STEP, T=T)
    run = online.descend(tape, y, scheme, ExponentialLoss(), online.Geometric(P), rule)
    return float(run.expansion.predict(np.full((1, DIMENSION), 0.1))[0])


def learner(T: int, **options: bool) -> float:
    """As a person calls it, with all its defaults but p, which the kernel asks for."""
    x, y = data(T)
    oracle = online.NoisyOracle(x, InstanceNoise("gaussian", 0.1))
    model = NoisyKernelClassifier("exponential", "exponential", p=P, random_state=2, **options)
    return float(model.fit(oracle, y).decision_function(np.full((1, DIMENSION), 0.1))[0])


def stored(T: int) -> float:
    """MiB of the copies that the rounds take: what has to be kept whatever the form."""
    tape, _ = drawn(T)
    return sum(maps.vectors.nbytes for maps in (tape.maps, tape.inner)) / 2**20


def counted(count: Callable[..., float], T: int) -> str:
    """Expected calls, and the exponent of their growth."""
    now = float(count(T, P))
    exponent = np.log2(float(count(2 * T, P)) / now)
    return f"{now:.2g} inner products of estimates, growing as T^{exponent:.2f}"


def lengths(tape: Tape, y: np.ndarray, t: int, products: list[float]) -> float:
    n = int(tape.degrees[t])
    weight = P ** (n + 1) / (P - 1)
    return gradient_length(y[t], n, ExponentialLoss().coefficients(n + 1)[n], weight, products)


def cached_gram(T: int) -> float:
    """Inner products kept in a matrix, each row by NumPy; the norm adds up all pairs."""
    tape, y = drawn(T)
    degrees, weights = tape.maps.degrees, tape.maps.weights
    gram, alpha = np.zeros((T, T)), np.zeros(T)
    by_degree = {
        int(n): (at := np.flatnonzero(degrees == n),
                 np.stack([tape.maps.of(i)[2] for i in at])) for n in np.unique(degrees)
    }

    def row(degree: int, weight: float, vectors: np.ndarray) -> np.ndarray:
        out = np.zeros(T)
        if degree in by_degree:
            at, stored = by_degree[degree]
            out[at] = weights[at] * weight * np.einsum("ijk,jk->ij", stored, vectors).prod(axis=1)
        return out

    for t in range(T):
        products = [float(alpha[:t] @ row(*tape.inner.of(int(tape.first[t]) + j))[:t])
                    for j in range(int(tape.degrees[t]))]
        gram[t] = row(*tape.maps.of(t))
        gram[:, t] = gram[t]
        alpha[t] = -lengths(tape, y, t, products) * STEP / np.sqrt(T)
        now = alpha[: t + 1]
        alpha[: t + 1] *= np.sqrt(projected(float(now @ gram[: t + 1, : t + 1] @ now), BALL))
    return float(alpha[0])


def printed(T: int) -> float:
    """Algorithm 1 in plain loops."""
    x, y = data(T)
    rng = np.random.default_rng(2)
    plain = PlainLearner(ExponentialProduct(), ExponentialLoss(), BALL, STEP, T, p=P)
    for t in range(T):
        centre = x[t]
        plain.step(lambda c=centre: c + rng.normal(size=DIMENSION) * 0.07, y[t], rng=rng)
    return float(plain.square)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    options = parser.parse_args()
    recorded.pinned(options.core)
    machine = recorded.Machine()
    small, large, few, long = 1000, 5000, 100, (25_000, 50_000, 100_000)
    times = recorded.in_turns(
        {"ours": lambda: ours(large), "learner": lambda: learner(large),
         "single": lambda: learner(large, coupled=False),
         "cached": lambda: cached_gram(small), "printed": lambda: printed(few)},
        options.rounds, machine,
    )
    work = f"T={large:,}, d={DIMENSION}"
    cube = (large / small) ** 3
    rows: list[recorded.Row] = [
        {"work": work, "who": "noisytheory", "seconds": times["ours"],
         "peak_mib": recorded.peak(lambda: ours(large)), "error": None,
         "note": f"{counted(online.inner_products, large)}; blocks of rounds, matrix products by "
         "degree, one scale"},
        {"work": work, "who": "cached Gram matrix", "seconds": times["cached"] * cube,
         "peak_mib": 8 * large**2 / 2**20, "error": None,
         "note": "sums over pairs, cubic; extrapolated from "
         f"{times['cached']:.2f} s at T={small:,}"},
        {"work": work, "who": "printed loops", "seconds": times["printed"] * (large / few) ** 3,
         "peak_mib": None, "error": None,
         "note": f"{counted(online.prod_calls, large)}; extrapolated from "
         f"{times['printed']:.2f} s at T={few}"},
    ]
    rows.append({
        "work": f"{work}, the learner as it comes", "who": "noisytheory",
        "seconds": times["learner"], "peak_mib": recorded.peak(lambda: learner(large)),
        "error": None, "note": "`NoisyKernelClassifier.fit` with its coupled estimates; with "
        f"`coupled=False`, as above, {times['single']:.3g} s",
    })
    for T in long:
        seconds = recorded.seconds(lambda T=T: ours(T))
        peak, copies = recorded.peak(lambda T=T: ours(T)), stored(T)
        rows.append({
            "work": f"T={T:,}, d={DIMENSION}", "who": "noisytheory", "seconds": seconds,
            "peak_mib": peak, "error": None,
            "note": f"memory is {peak / copies:.1f} times the {copies:.1f} MiB of copies drawn",
        })
    goals = [{
        "work": work, "goal": f"{GOAL} s", "measured": f"{times['ours']:.3f} s",
        "reached": times["ours"] <= GOAL,
        "why": "" if times["ours"] <= GOAL else
        "half is the recursion itself, a few numbers and one row a round in Python",
    }]
    result = recorded.result(
        __file__, "Online learning from noisy copies", rows, goals, machine, (), options.rounds,
        recorded.PROTOCOL,
    )
    recorded.finish(__file__, result, record=options.record, as_json=options.json)


if __name__ == "__main__":
    main()
