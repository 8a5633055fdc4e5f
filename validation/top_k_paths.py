"""What a path over all k costs, and how far what it says is from exact fits.

Run as ``python validation/top_k_paths.py`` (``--record`` writes the page ``top_k_paths.md``;
``--only`` takes a few problems). Problems are two of every nine of 96 (500 to 20,000 examples, 5
to 100 features of one size or falling to 1/30, C = 1 and 100, much and little noise, hinge and
logistic loss), and the data sets of ``average_top_k.py`` at C = 1 and both losses. Costs are
processor time beside one fit to the default tolerance, the median one of five k that are not zero.
Errors are of classification on the sample, in points, beside fits at 20 values of k from 1 to n;
where the fit is zero and the path does not prove it, they differ by what zero errs more. The excess
of an objective, and ``tol``, are shares of what the coefficients gain at k = n (``largest``), or
at each k (``gain``).

A factor is a Cholesky factor of weighted products of features, one a step of either method and one
for each try at weights that balance: their number does not follow what Python takes for a step.

What a path takes: least squares begin the solution at the largest k, whose gain is the measure, of
2 to 7 steps, where from nothing it takes 5 to 11. They also begin the weights that balance the
labelled rows, whose mass is where zero ends: a linear programme, of 2 to 15 steps for most, and
more where hardly a row is on the wrong side, or features are many and heavy-tailed (breast cancer,
digits, spambase, abalone). Without it nothing says which k have a minimiser other than zero. Of
more than 30,000 entries it looks at rows near the margin, a quarter or half of them, the others at
the ends of their weights: that saves steps, too. Between the two most paths solve nothing more: in
the plane of the two models the best one is nearly the minimiser, and the weights of its own largest
losses nearly prove so, while weights mixed from two solutions lack a tenth to a third of the gain.
Where that is not enough (features to 1/30, digits, Monk) one solution or two take their place. Of
500 examples, where a step takes .2 milliseconds, least squares, sorts, guesses, bounds and errors
of all k take as long as seven more. Errors differ where objectives hardly do: far below the largest
k a model is good enough that gains next to nothing.

Next to where zero ends models have the direction in which the minimisers leave it.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from average_top_k import page, sets

from noisytheory.topics.top_k import NotCertified, design, fit, path

FORMS = (("gain", 0.05), ("gain", 0.2), ("gain", 0.5), ("largest", 0.05), ("largest", 0.2))
DEFAULT = ("gain", 0.2)
SMALL = 0.01
"""The other C at which an intercept is tried."""
LARGEST = 50_000
"""Entries up to which it is."""
POINTS = 20


def drawn(n: int, d: int, scale: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """A logistic model, features of falling size."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(n, d)), rng.normal(size=d) / np.sqrt(d)
    y = np.where(2 * x @ w + noise * rng.logistic(size=n) >= 0, 1.0, -1.0)
    return x * np.geomspace(1, 1 / scale, d), y


def problems() -> list[tuple[str, np.ndarray, np.ndarray, str, float]]:
    """All of them, by name."""
    shapes = ((500, 5), (500, 20), (2000, 20), (2000, 100), (20000, 5), (20000, 100))
    every = itertools.product(shapes, (1, 30), (1.0, 0.1), ("hinge", "logistic"), (1.0, 100.0))
    found = [(f"{n} x {d}, scales to 1/{scale}, noise {noise:g}, {loss}, C = {C:g}",
              *drawn(n, d, scale, noise), loss, C)
             for i, ((n, d), scale, noise, loss, C) in enumerate(every) if i % 9 in (0, 4)]
    return found + [(f"{name}, {loss}, C = 1", x, y, loss, 1.0)
                    for name, (x, y) in sets().items() for loss in ("hinge", "logistic")]


def least(call: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
    """The least processor time of a few calls, and what the last returned."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        found = call()
        taken.append(time.process_time() - start)
    return min(taken), found


def factored(call: Callable[[], Any]) -> int:
    """How many matrices a call factors."""
    plain, count = design.dpotrf, 0

    def counted(*args: Any, **settings: Any) -> Any:
        nonlocal count
        # In the plane of two models, or beside an intercept, a system costs nothing.
        count += len(args[0]) > 3
        return plain(*args, **settings)

    design.dpotrf = counted
    try:
        call()
    finally:
        design.dpotrf = plain
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the page")
    parser.add_argument("--only", help="problems whose name holds this")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotCertified)
    with page(__file__, __doc__ if given.record else None):
        tried = [one for one in problems() if not given.only or given.only in one[0]]
        compare(tried)
        beside_an_intercept(tried)


def compare(tried: list[tuple[str, np.ndarray, np.ndarray, str, float]]) -> None:
    """A line a problem, and a summary."""
    costs: dict[Any, list[float]] = {form: [] for form in FORMS}
    knots: dict[Any, list[int]] = {form: [] for form in FORMS}
    over: dict[Any, list[float]] = {form: [] for form in FORMS}
    share: dict[Any, list[float]] = {form: [] for form in FORMS}
    wrong: dict[Any, list[float]] = {form: [] for form in FORMS}
    worst: dict[Any, list[float]] = {form: [] for form in FORMS}
    zeros: dict[Any, list[float]] = {form: [] for form in FORMS}
    factors: list[float] = []
    print("a path by the default, in fits, and in factors (solutions); median and largest "
          "difference of errors\n")
    for name, x, y, loss, C in tried:
        n = len(y)
        ks = np.unique(np.linspace(1, n, POINTS).round()).astype(int)
        exact = {int(k): fit(x, y, loss, k=int(k), C=C) for k in ks}
        useful = [k for k, one in exact.items() if one.regime != "zero"]
        some = [useful[round(i)] for i in np.linspace(0, len(useful) - 1, 5)]
        one = statistics.median(
            least(partial(fit, x, y, loss, k=k, C=C))[0] for k in some)
        alone = statistics.median(factored(partial(fit, x, y, loss, k=k, C=C)) for k in some)
        factors.append(factored(partial(path, x, y, loss, C=C)) / alone)
        value = np.array([exact[int(k)].objective for k in ks])
        error = np.array([np.mean(np.where(exact[int(k)].scores(x) >= 0, 1, -1) != y) for k in ks])
        zero = np.array([exact[int(k)].regime == "zero" for k in ks])
        gained = 1 - value[-1]
        for form in FORMS:
            relative, tol = form
            taken, found = least(partial(
                path, x, y, loss, C=C, tol=tol, relative_to=relative))
            costs[form].append(taken / one)
            knots[form].append(found.fits)
            excess = found.objective[ks - 1] - value
            over[form].append(float(excess.max() / gained))
            share[form].append(float((excess / value).max()))
            apart = 100 * np.abs(found.error[ks - 1] - error)
            wrong[form].append(float(np.median(apart)))
            worst[form].append(float(apart.max()))
            zeros[form].append(float(np.mean((found.regime[ks - 1] == "zero") != zero)))
        form = DEFAULT
        print(f"  {name}: {costs[form][-1]:.1f}, {factors[-1]:.1f} ({knots[form][-1]}); "
              f"{wrong[form][-1]:.2f} {worst[form][-1]:.2f}", flush=True)
    print(f"\nof {len(tried)} problems the median one, and the largest\n"
          f"  the default: factors beside those of a fit {say(factors, 1)}")
    for form in FORMS:
        print(f"  {form[0]}, tol {form[1]:g}: fits {say(costs[form], 1)}; solutions "
              f"{say(knots[form], 0)}; excess of the objective {say(over[form], 4)} of the gain at "
              f"n, {say(share[form], 4)} of itself; errors: median of 20 k {say(wrong[form], 2)} "
              f"points, largest of 20 k {say(worst[form], 2)}; k of 20 with another regime "
              f"than zero, or zero: {say([POINTS * z for z in zeros[form]], 0)}")


def beside_an_intercept(tried: list[tuple[str, np.ndarray, np.ndarray, str, float]]) -> None:
    """What the default costs beside a free intercept, at the problem's C and at a small one."""
    print("\nwith an intercept, of the problems of so few entries: fits")
    for small in (False, True):
        costs: dict[str, list[float]] = {"hinge": [], "logistic": []}
        for _, x, y, loss, C in tried:
            if x.size > LARGEST:
                continue
            C, n = (SMALL if small else C), len(y)
            alone = statistics.median(
                least(partial(fit, x, y, loss, k=k, C=C, intercept=True))[0]
                for k in (n, int(0.9 * n), int(0.8 * n)))
            costs[loss].append(least(partial(path, x, y, loss, C=C, intercept=True))[0] / alone)
        told = "; ".join(f"{loss} {say(values, 1)}" for loss, values in costs.items() if values)
        print(f"  C = {SMALL}: {told}" if small else f"  at the problem's C: {told}", flush=True)


def say(values: list[float] | list[int], digits: int) -> str:
    """The median and the largest."""
    return f"{statistics.median(values):.{digits}f}, {max(values):.{digits}f}"


if __name__ == "__main__":
    main()
