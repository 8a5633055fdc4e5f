"""What a path over all k costs, and how far what it says is from exact fits.

Run as ``python validation/top_k_paths.py`` (``--record`` writes the page ``top_k_paths.md``;
``--only`` takes a few problems). Problems are two of every nine of 96 (500 to 20,000 examples, 5
to 100 features of one size or falling to 1/30, C = 1 and 100, much and little noise, hinge and
logistic loss), and the data sets of ``average_top_k.py`` at C = 1 and both losses. Costs are
processor time beside one fit to the default tolerance, the median one of five k that are not zero.
Errors are of classification on the sample, in points, beside fits at 20 values of k from 1 to n;
where the fit is zero and the path does not prove it, they differ by what zero errs more. At every k
the gap is at most ``tol`` times the larger of what coefficients may gain there and ``floor`` times
what they gain at k = n. A model is determined where its gap is proven to be at most a quarter of
what coefficients may gain at its own k; of the others that are not zero nothing is proven but
their objective. The excess of an objective is a share of the gain at n, or of the objective.

A factor is a Cholesky factor of weighted products of features, one a step of either method and one
for each try at weights that balance: their number does not follow what Python takes for a step.

What a path takes: what is gained over zero grows with the square of the distance from where zero
ends, so each halving of that distance takes a model or more, and a floor of 0 goes down to the
least k that is not zero. A floor of a tenth ends at a third of the distance. Least squares begin
the solution at the largest k, and the weights that balance the labelled rows, whose mass is where
zero ends; between stand guesses with weights that prove them, or solutions where they do not. Next
to where zero ends minimisers have the direction in which it does: below the floor models lie there,
each of its best length, and errors are mostly near the minimisers', too, which is not proven.

From a floor of a half on, the default, it is not asked where zero ends, unless beside an intercept
some rounds of models leave gaps: else nowhere is zero proven the minimiser, the direction in which
it ends is that of least squares, and where that gains nothing models are zero whose minimiser may
have few errors.

Beside an intercept the best constant moves with k, at a small C by more than the coefficients gain.
So a model's own largest losses are weights of every k, beside the intercept at which both classes
pull alike: they hold as much of both of the hinge loss, up to where one is exhausted, and of a
smooth one the intercept is found by a few steps, of rows in groups that score alike. Computed at
some k, lines between bound all others. Where an intercept that makes two points more errors, or
fewer, is worse by no more than a tenth of the gap, as where a whole interval is best, or models on
both sides differ by ten points, the model is not called determined. Of features far from centred
some coefficients are as good as an intercept, and where they cost next to nothing some k, closer to
twice the smaller class, have as much of them as is best. Errors beside an intercept are compared at
six k next to there, too. Costs beside an intercept are in fits at k = n, .9 n and .8 n, the median
one, and told apart where such a fit takes 15 milliseconds or more: of smaller problems half of a
path's time is what Python takes for some hundred calls. The learner's are of `path` beside `fit` of
AverageTopKClassifier, with its intercept.

Of numbers, square and absolute losses, a model's own largest losses are weights of every k, and
every k has an intercept of its own: none and the solution at the largest k serve most, models
between are found by a few steps from their mixtures. Problems are all of 500 to 20,000 examples, 5
to 100 features of one size or falling to 1/30, C = .01, 1 and 100 and heavy-tailed noise, with
targets off by 10 beside an intercept, and data sets of standardised features and targets. Costs are
beside the median fit at k = n, n/2 and n/5; mean squares are compared, as the objectives, at 12
values of k from 1 to n.

Random problems have 40 to 500 examples, 1 to 10 features, and C from a hundred thousandth to a
thousand, most of them far from what anybody would choose.

Kernel machines have a Gaussian kernel of the default bandwidth, and C = 1, 100 and 10,000. Their
costs are beside the median fit of k = n, .8 n, .6 n and .5 n, each with its Gram matrix; excess and
errors are beside solutions at 12 values of k from 1 to n, errors where those are not zero to their
tolerance. Errors of regression are mean squares, and differ by a factor. What has no solution of
its own is guessed: weights of the k largest losses of a mixture, of which one product with the Gram
matrix tells what they prove.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from average_top_k import held, page, sets, standardised
from sklearn.datasets import load_breast_cancer, load_diabetes, make_circles, make_moons

from noisytheory.learners.average_top_k import (
    AverageTopKClassifier,
    AverageTopKSVC,
    AverageTopKSVR,
)
from noisytheory.topics.top_k import NotCertified, design, fit, kernel_fit, path

DEFAULT, DEEP = (0.5, 0.25), (0.1, 0.25)
FORMS = (DEFAULT, DEEP, *itertools.product((0.0, 0.001, 0.01, 0.05, 0.1, 1.0), (0.1, 0.2, 0.5)))
SMALL = 0.01
"""The other C at which an intercept is tried."""
LONG = 0.015
"""Seconds from which on a fit takes long."""
LARGEST = 150_000
"""Entries up to which the least of two times counts."""
POINTS = 20
RANDOM = 240
"""Random problems."""
KERNEL_FORMS = (DEFAULT, DEEP, (0.1, 0.05))
KERNEL_POINTS, KERNEL_ROWS = 12, 3000
"""Values of k beside which paths of kernel machines are told, and rows of their sets at most."""
OFF, TWELVE = 10.0, 12
"""Of numbers beside an intercept, how far they are off; values of k."""


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
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
    with page(__file__, __doc__ if given.record else None):
        tried = [one for one in problems() if not given.only or given.only in one[0]]
        compare(tried, given.workers)
        compare_numbers([one for one in numbers() if not given.only or given.only in one[0]],
                        given.workers)
        if not given.only:
            compare_random(given.workers)
            compare_kernels(given.workers)


@dataclass
class Found:
    """Of one problem: what is printed of it, and numbers by form."""

    line: str
    factors: float
    costs: dict[Any, float] = field(default_factory=dict)
    knots: dict[Any, int] = field(default_factory=dict)
    over: dict[Any, float] = field(default_factory=dict)
    share: dict[Any, float] = field(default_factory=dict)
    wrong: dict[Any, float] = field(default_factory=dict)
    worst: dict[Any, float] = field(default_factory=dict)
    every: dict[Any, float] = field(default_factory=dict)
    apart: dict[bool, list[float]] = field(default_factory=dict)
    zeros: dict[Any, int] = field(default_factory=dict)
    open: dict[Any, int] = field(default_factory=dict)
    beside: dict[float, list[float]] = field(default_factory=dict)
    single: list[float] = field(default_factory=list)
    learner: float = 0.0
    off: list[float] = field(default_factory=list)


def measured(problem: tuple[str, np.ndarray, np.ndarray, str, float]) -> Found:
    """Every form beside single fits."""
    warnings.simplefilter("ignore", NotCertified)
    name, x, y, loss, C = problem
    n, times = len(y), 2 if x.size <= LARGEST else 1
    ks = np.unique(np.linspace(1, n, POINTS).round()).astype(int)
    exact = {int(k): fit(x, y, loss, k=int(k), C=C) for k in ks}
    useful = [k for k, one in exact.items() if one.regime != "zero"]
    some = [useful[round(i)] for i in np.linspace(0, len(useful) - 1, 5)]
    one = statistics.median(least(partial(fit, x, y, loss, k=k, C=C), times)[0] for k in some)
    alone = statistics.median(factored(partial(fit, x, y, loss, k=k, C=C)) for k in some)
    found = Found(name, factored(partial(path, x, y, loss, C=C)) / alone)
    value = np.array([exact[int(k)].objective for k in ks])
    error = np.array([np.mean(np.where(exact[int(k)].scores(x) >= 0, 1, -1) != y) for k in ks])
    zero = np.array([exact[int(k)].regime == "zero" for k in ks])
    for form in FORMS:
        floor, tol = form
        taken, all_k = least(partial(path, x, y, loss, C=C, tol=tol, floor=floor),
                             times if floor else 1)
        excess = all_k.objective[ks - 1] - value
        apart = 100 * np.abs(all_k.error[ks - 1] - error)
        also, sure = all_k.regime[ks - 1] == "zero", all_k.determined[ks - 1]
        found.costs[form], found.knots[form] = taken / one, all_k.fits
        found.over[form] = float(excess.max() / (1 - value[-1]))
        found.share[form] = float((excess / value).max())
        found.wrong[form] = float(np.median(apart[sure]))
        found.worst[form], found.every[form] = float(apart[sure].max()), float(apart.max())
        found.zeros[form] = int((also != zero).sum())
        found.open[form] = int((~(sure | also)).sum())
        if form == DEFAULT:
            found.apart = {True: apart[sure].tolist(), False: apart[~(sure | also)].tolist()}
    for c in (C, SMALL):
        alone = statistics.median(
            least(partial(fit, x, y, loss, k=k, C=c, intercept=True), times)[0]
            for k in (n, int(0.9 * n), int(0.8 * n)))
        found.single.append(alone)
        for floor, tol in (DEFAULT, DEEP):
            taken = least(partial(path, x, y, loss, C=c, intercept=True, tol=tol, floor=floor),
                          times)[0]
            found.beside.setdefault(floor, []).append(taken / alone)
    learner = AverageTopKClassifier(loss=loss, C=C)
    found.learner = least(partial(learner.path, x, y), times)[0] / statistics.median(
        least(partial(AverageTopKClassifier(loss=loss, C=C, k=k).fit, x, y), times)[0]
        for k in (n, int(0.9 * n), int(0.8 * n)))
    found.off = apart_from_fits(x, y, loss, C, True)
    form = DEFAULT
    found.line = (f"  {name}: {found.costs[form]:.1f}, {found.factors:.1f} ({found.knots[form]}); "
                  f"{found.wrong[form]:.2f} {found.worst[form]:.2f}, {found.open[form]} open")
    return found


def apart_from_fits(
    x: np.ndarray, y: np.ndarray, loss: str, C: float, intercept: bool
) -> list[float]:
    """Differences of errors in points at k that are determined, by either floor."""
    n = len(y)
    tried = [path(x, y, loss, C=C, intercept=intercept, floor=floor, tol=tol)
             for floor, tol in (DEFAULT, DEEP)]
    jump = 2 * min(np.sum(y > 0), np.sum(y < 0)) + np.array([-9, -3, -1, 1, 3, 9])
    ks = np.unique(np.concatenate([np.linspace(1, n, POINTS).round(), jump])).astype(int)
    found = []
    for k in ks[(ks >= 1) & (ks <= n)]:
        sure = [all_k for all_k in tried if all_k.determined[k - 1]]
        if sure:
            scores = fit(x, y, loss, k=int(k), C=C, intercept=intercept).scores(x)
            error = float(np.mean(np.where(scores >= 0, 1, -1) != y))
            found += [100 * abs(float(all_k.error[k - 1]) - error) for all_k in sure]
    return found


def random_problem(seed: int) -> dict[str, list[float]]:
    """The same of a random problem, with an intercept and without, by what it is."""
    warnings.simplefilter("ignore", NotCertified)
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([40, 100, 250, 500])), int(rng.choice([1, 2, 5, 10]))
    x = rng.normal(size=(n, d)) * np.geomspace(1, 1 / rng.choice([1, 30]), d)
    scores = x @ rng.normal(size=d)
    noise, more = rng.choice([0.1, 0.5, 1.0]), rng.choice([0.0, 0.5, 1.0])
    y = np.where(scores / scores.std() + noise * rng.normal(size=n) + more >= 0, 1.0, -1.0)
    if np.ptp(y) == 0:
        return {}
    C, off = 10.0 ** rng.integers(-5, 4), float(rng.choice([3, 10, 30]))
    far = x + off * rng.normal(size=d)
    found = {}
    for loss in ("hinge", "logistic", "squared-hinge"):
        found[f"about centred, {loss}"] = apart_from_fits(x, y, loss, C, False)
        found[f"far from centred, {loss}"] = apart_from_fits(far, y, loss, C, False)
        found[f"beside an intercept, {loss}"] = apart_from_fits(x, y, loss, C, True)
    return found


def numbers() -> list[tuple[str, np.ndarray, np.ndarray, str, float, bool]]:
    """Regression problems, by name; data sets are standardised."""
    tables = {}
    for n, d, scale in itertools.product((500, 2000, 20000), (5, 20, 100), (1, 30)):
        rng = np.random.default_rng(0)
        x, w = rng.normal(size=(n, d)), rng.normal(size=d) / np.sqrt(d)
        y = x @ w + rng.standard_t(3, size=n) / np.sqrt(3)
        tables[f"{n} x {d}, scales to 1/{scale}"] = x * np.geomspace(1, 1 / scale, d), y
    raw = {"diabetes": load_diabetes(return_X_y=True)}
    for name in ("abalone", "housing"):
        table = held(name)
        if table is not None:
            raw[name] = table[:, :-1], table[:, -1]
    for name, (x, y) in raw.items():
        # Without the constant feature: an intercept is asked for where there is one.
        tables[name] = standardised(x, y)[0][:, :-1], (y - y.mean()) / y.std()
    return [(f"{name}, {loss}, C = {C:g}{', intercept' if free else ''}", x, y + OFF * free, loss,
             C, free)
            for name, (x, y) in tables.items()
            for C, loss, free in itertools.product(
                (0.01, 1.0, 100.0), ("square", "absolute"), (False, True))]


def of_numbers(
    problem: tuple[str, np.ndarray, np.ndarray, str, float, bool]
) -> dict[str, Any]:
    """The default beside single fits."""
    warnings.simplefilter("ignore", NotCertified)
    name, x, y, loss, C, free = problem
    n, times = len(y), 2 if x.size <= LARGEST else 1
    single = partial(fit, x, y, loss, C=C, intercept=free)
    every = partial(path, x, y, loss, C=C, intercept=free)
    one = statistics.median(least(partial(single, k=k), times)[0] for k in (n, n // 2, n // 5))
    alone = statistics.median(factored(partial(single, k=k)) for k in (n, n // 2, n // 5))
    taken, all_k = least(every, times)
    ks = np.unique(np.linspace(1, n, TWELVE).round()).astype(int)
    exact = [single(k=int(k)) for k in ks]
    value = np.array([found.objective for found in exact])
    error = np.array([np.mean((y - found.scores(x)) ** 2) for found in exact])
    return {
        "name": name, "sort": f"{loss}{', intercept' if free else ''}", "fits": taken / one,
        "factors": factored(every) / max(alone, 1), "solved": all_k.fits,
        "gap": float(all_k.gap.max()), "excess": all_k.objective[ks - 1] / value - 1,
        "error": np.abs(all_k.error[ks - 1] / error - 1), "sure": all_k.determined[ks - 1]}


def compare_numbers(
    tried: list[tuple[str, np.ndarray, np.ndarray, str, float, bool]], workers: int
) -> None:
    """A line a sort of regression problems, and one for each that takes longest."""
    with ProcessPoolExecutor(workers) as pool:
        every = list(pool.map(of_numbers, tried, chunksize=4))
    if not every:
        return
    print(f"\n{len(every)} problems of numbers by the default: fits, factors beside a fit's, "
          "solutions, and the largest gap, of the median problem and the largest; the excess of "
          f"objectives and the difference of mean squares at {TWELVE} k, as shares, at quantiles "
          "over all of these; how many are not determined")
    for sort in dict.fromkeys(one["sort"] for one in every):
        some = [one for one in every if one["sort"] == sort]
        excess, error, sure = (
            np.concatenate([one[what] for one in some]) for what in ("excess", "error", "sure"))
        print(f"  {sort}: fits {say([one['fits'] for one in some], 1)}; factors "
              f"{say([one['factors'] for one in some], 1)}; solved "
              f"{say([one['solved'] for one in some], 0)}; gaps "
              f"{say([one['gap'] for one in some], 2)}\n    excess {shares(excess)}\n    mean "
              f"squares {shares(error)}\n    of determined ones {shares(error[sure])}; "
              f"{np.mean(~sure):.0%} are not")
        slow = max(some, key=lambda one: float(one["fits"]))
        print(f"    longest: {slow['name']}, {slow['fits']:.1f} fits, {slow['solved']} solved")


def shares(values: np.ndarray) -> str:
    """Half of them, most, nearly all, and the largest."""
    at = (0.5, 0.9, 0.99, 1.0)
    return ", ".join(f"{share:.0%} {value:.4f}" for share, value in zip(
        at, np.quantile(values, at), strict=True))


def compare(tried: list[tuple[str, np.ndarray, np.ndarray, str, float]], workers: int) -> None:
    """A line a problem, and a summary."""
    print(f"a path by the default (floor {DEFAULT[0]:g}, tol {DEFAULT[1]:g}), in fits, and in "
          "factors (solutions); median and largest difference of errors where models are "
          "determined, and of 20 k those not zero where they are not\n")
    if not tried:
        return
    with ProcessPoolExecutor(workers) as pool:
        every = []
        for found in pool.map(measured, tried):
            every.append(found)
            print(found.line, flush=True)
    print(f"\nof {len(tried)} problems the median one, and the largest; errors in points, their "
          "median and largest over the determined of 20 k, and the largest over all; open, and "
          "zeros: k of 20 not determined nor zero, and of another regime than zero, or zero\n"
          f"  the default: factors beside those of a fit {say([one.factors for one in every], 1)}")
    print("\n  floor   tol        fits   solved  excess/gain at n    excess/itself   errors, med"
          "      largest     of all k     open  zeros")
    for form in FORMS:
        def of(what: str, digits: int, form: Any = form) -> str:
            return say([getattr(one, what)[form] for one in every], digits)

        print(f"  {form[0]:5g} {form[1]:5g} {of('costs', 1):>11} {of('knots', 0):>8} "
              f"{of('over', 4):>16} {of('share', 4):>16} {of('wrong', 2):>12} {of('worst', 2):>12} "
              f"{of('every', 2):>12} {of('open', 0):>8} {of('zeros', 0):>6}")
    for which, apart in (
            ("determined by the default", [one.apart[True] for one in every]),
            ("not determined by the default and not zero", [one.apart[False] for one in every]),
            ("determined beside an intercept, by either floor", [one.off for one in every])):
        apart = list(itertools.chain(*apart))
        if apart:
            print(f"\nerrors at the {len(apart)} k of all problems that are {which}"
                  f": points off at {quantiles(apart)}")
    for floor, _ in (DEFAULT, DEEP):
        for which, at in (("the problem's C", 0), (f"C = {SMALL}", 1)):
            cost = [(one.beside[floor][at], one.single[at]) for one in every]
            large = [ratio for ratio, single in cost if single >= LONG]
            told = f"; where one takes {1000 * LONG:g} ms or more {say(large, 1)}" if large else ""
            print(f"\nbeside an intercept, with a floor of {floor:g} and {which}: fits "
                  f"{say([ratio for ratio, _ in cost], 1)}{told}")
    print(f"\nthe learner's path beside its fit: {say([one.learner for one in every], 1)}")


def compare_random(workers: int) -> None:
    """A line a sort of random problems."""
    with ProcessPoolExecutor(workers) as pool:
        every = list(pool.map(random_problem, range(RANDOM), chunksize=4))
    print(f"\n{RANDOM} random problems, errors at the k that are determined: points off at")
    for which in max(every, key=len):
        apart = [value for one in every for value in one.get(which, [])]
        print(f"  {which}, {len(apart)} k: {quantiles(apart)}")


def quantiles(values: list[float]) -> str:
    """Half of them, most, nearly all, and the largest."""
    shares = (0.5, 0.9, 0.95, 0.99, 1.0)
    return ", ".join(f"{share:.0%} {value:.2f}" for share, value in zip(
        shares, np.quantile(values, shares), strict=True))


def say(values: list[float] | list[int], digits: int) -> str:
    """The median and the largest."""
    return f"{statistics.median(values):.{digits}f}, {max(values):.{digits}f}"


def kernel_sets() -> list[tuple[str, bool, np.ndarray, np.ndarray]]:
    """By name, whether they are of regression, points and labels."""
    rng = np.random.default_rng(0)
    drawn = {f"moons {n}": make_moons(n, noise=0.25, random_state=0) for n in (300, 2000)}
    drawn["circles 500"] = make_circles(500, noise=0.15, factor=0.5, random_state=0)
    found = [(name, False, x, 2.0 * y - 1) for name, (x, y) in drawn.items()]
    points = rng.uniform(-3, 3, (400, 1))
    found.append(("sinc 400", True, points, np.sinc(points[:, 0]) + 0.1 * rng.normal(size=400)))
    cancer, diabetes = load_breast_cancer(), load_diabetes()
    found.append(("breast cancer", False, *standardised(cancer.data, 2.0 * cancer.target - 1)))
    tables = {"diabetes": (np.column_stack([diabetes.data, diabetes.target]), None)}
    for name, positive in (
            ("australian", 1), ("german", 2), ("spambase", 1), ("housing", None),
            ("abalone", None)):
        table = held(name)
        if table is not None:
            rows = np.random.default_rng(0).permutation(len(table))[:KERNEL_ROWS]
            tables[name] = table[rows], positive
    for name, (table, positive) in tables.items():
        y = table[:, -1]
        y = (y - y.mean()) / y.std() if positive is None else np.where(y == positive, 1.0, -1.0)
        found.append((name, positive is None, *standardised(table[:, :-1], y)))
    return found


def measured_kernel(
    problem: tuple[str, bool, np.ndarray, np.ndarray, float],
) -> tuple[str, bool, dict[Any, tuple[float, int, float, float, float, int]]]:
    """Of each form cost, solutions, excess, errors at determined k and at all, and determined."""
    warnings.simplefilter("ignore", NotCertified)
    name, regression, x, y, C = problem
    learner, n = AverageTopKSVR if regression else AverageTopKSVC, len(y)
    one = statistics.median(
        least(partial(learner(k=k, C=C).fit, x, y))[0] for k in (1.0, 0.8, 0.6, 0.5))
    ks = np.unique(np.linspace(1, n, KERNEL_POINTS).round()).astype(int)
    kernel = learner(C=C).fit(x, y).kernel_
    exact = [kernel_fit(kernel, y, points=x, nu=k / n, C=C, tol=1e-4, regression=regression)
             for k in ks]
    value = np.array([each.objective for each in exact])
    some = np.array([each.regime != "zero" for each in exact])
    error = np.array([np.mean((each.scores - y) ** 2 if regression else
                              np.where(each.scores >= 0, 1, -1) != y) for each in exact])
    found = {}
    for floor, tol in KERNEL_FORMS:
        taken, all_k = least(partial(learner(C=C).path, x, y, tol=tol, floor=floor))
        here, sure = all_k.error[ks - 1], all_k.determined[ks - 1]
        apart = np.maximum(here / error, error / here) if regression else 100 * np.abs(here - error)
        found[floor, tol] = (
            taken / one, all_k.fits, float((all_k.objective[ks - 1] / value - 1).max()),
            float(apart[sure].max()), float(apart[some].max()), int(sure.sum()))
    cost, fits, excess, wrong, _, sure = found[DEFAULT]
    return (f"  {name}, C = {C:g}: {cost:.1f} ({fits}); {excess:.3f}, {wrong:.2f} at {sure} of "
            f"{len(ks)} k"), regression, found


def compare_kernels(workers: int) -> None:
    """A line a problem, and a summary."""
    print("\nkernel machines, by the default: fits (solutions); largest excess of objectives, and "
          "largest difference of errors where models are determined")
    tried = [(*one, C) for one in kernel_sets() for C in (1.0, 100.0, 10_000.0)]
    every = []
    with ProcessPoolExecutor(workers) as pool:
        for found in pool.map(measured_kernel, tried):
            every.append(found)
            print(found[0], flush=True)
    for regression in (False, True):
        print(f"\n  {'regression, factors' if regression else 'classification, points'}: median "
              "and largest\n  floor   tol        fits   solved   excess/itself  errors, "
              "determined    of all k")
        for form in KERNEL_FORMS:
            cost, fits, excess, wrong, worst, _ = zip(
                *(found[form] for _, which, found in every if which == regression), strict=True)
            print(f"  {form[0]:5g} {form[1]:5g} {say(list(cost), 1):>11} {say(list(fits), 0):>8} "
                  f"{say(list(excess), 4):>15} {say(list(wrong), 2):>19} {say(list(worst), 2):>11}")


if __name__ == "__main__":
    main()
