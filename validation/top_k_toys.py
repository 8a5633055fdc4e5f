"""Toy cases 1 to 6 and Figure 3 of the average top-k paper: which k err least, beside print.

``python validation/top_k_toys.py`` writes ``top_k_toys.md`` from the numbers kept in
``top_k_toys.json``; ``--record`` counts them anew first (Australian needs ``NOISYTHEORY_DATA``).

Print shows errors on the sample over k for six clouds of 200 points and says for which k they are
few. It says neither how the clouds lie nor C: both are ours, found to show what the figure shows.
So every case is drawn with the seed of the picture and ten others. At every k from 1 to 200 there
are three solvers: the exact minimiser to a gap of 1e-6, the last iterate of the paper's stochastic
steps (4) with a first step of 1, and that of the same steps truncated where the loss would be cut,
which do not blow up at any C; both take sixty passes. With "C as in print" C weighs the sum of the
k largest losses, so that a larger k is regularised less; with "equal C" it weighs their average.
At the values of C here, above a half, the printed steps do not blow up, either. A zero score
counts as positive.

Figure 3 is errors on test data over k at C = 100. Of its four sets Monk and Australian are at hand,
Splice and Phoneme are not; print gives a curve without numbers, and says that both ends, k = 1 and
k = n, are worse than a range between.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import average_top_k as real
import numpy as np
from scipy import stats
from top_k_tables import classification

from noisytheory.topics.top_k import fit, stochastic
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.recipes import TOYS, split, toy

HERE = Path(__file__).with_suffix("")
LOSSES = ("logistic", "hinge")
SOLVERS = ("exact", "steps (4)", "truncated")
SCALINGS = {"paper": "C as in print", "average": "equal C"}
PASSES = 60
PRINTED = {
    1: ((1, 200), (1, 200)), 2: ((3, 200), (3, 200)), 3: ((1, 18), (1, 50)),
    4: ((4, 24), (3, 62)), 5: ((1, 25), (1, 135)), 6: ((2, 12), (3, 59))}
"""Appendix C: the k that err least, with logistic loss and with hinge loss."""
C_FIGURE_3 = 100.0
SPLITS = 10


def wrong(coefs: np.ndarray, data: real.Data) -> np.ndarray:
    """Errors of every model; of attributes with few values some scores are 0 but for rounding."""
    scores = data[0] @ coefs.T
    signs = np.where(scores >= -1e-6 * np.abs(scores).max(axis=0), 1.0, -1.0)
    return (signs != data[1][:, None]).sum(axis=0)


def models(
    data: real.Data, loss: str, solver: str, ks: np.ndarray, C: float, scaling: str, seed: int
) -> np.ndarray:
    """One for each k, shape (k, d); the seed is of the examples that steps draw."""
    x, y = data
    n = len(y)
    if solver == "exact":
        return np.array([
            fit(x, y, loss, k=int(k), C=C, scaling=scaling, tol=1e-6).coef for k in ks])
    run = stochastic(
        x, y, loss, nu=ks / n, C=C * n / ks if scaling == "average" else C, steps=PASSES * n,
        rng=np.random.default_rng([seed, 1]), runs=len(ks),
        rule="truncated" if solver == "truncated" else "printed")
    return run.coef


def toys() -> Iterator[dict[str, Any]]:
    """Of every case, loss, C and solver, by seed: ends of the k with the fewest errors, and counts.

    Those are the least and the largest such k, how many there are, and errors: the fewest, those at
    k = 1, and those at k = n.
    """
    ks = np.arange(1, 201)
    for case, recipe in TOYS.items():
        for loss in LOSSES:
            for scaling in SCALINGS:
                for solver in SOLVERS:
                    rows = []
                    for seed in (recipe.seed, *range(100, 110)):
                        data = toy(recipe, np.random.default_rng(seed))
                        errors = wrong(
                            models(data, loss, solver, ks, recipe.C, scaling, seed), data)
                        good = ks[errors == errors.min()]
                        rows.append([int(v) for v in (
                            good[0], good[-1], len(good), errors.min(), errors[0], errors[-1])])
                    yield {"case": case, "loss": loss, "C": scaling, "solver": solver,
                           "seeds": rows}
                    print(".", end="", flush=True)


def figure_3() -> Iterator[dict[str, Any]]:
    """Errors on test data in per cent, shape (splits, k)."""
    sets = dict(classification())
    for name in ("Monk", "Australian"):
        if name not in sets:
            continue
        x, y = sets[name]
        n = len(y) // 2
        ks = np.unique(np.round(n * np.array(
            [1 / n, *np.arange(0.1, 0.35, 0.1), *np.arange(0.35, 0.7, 0.05), 0.8, 0.9, 1]))
            .astype(int))
        for loss in LOSSES:
            for solver in SOLVERS:
                rows = []
                for seed in range(SPLITS):
                    train, _, test = split(len(y), np.random.default_rng(seed))
                    found = models(
                        (x[train], y[train]), loss, solver, ks, C_FIGURE_3, "paper", seed)
                    share = 100 * wrong(found, (x[test], y[test])) / len(test)
                    rows.append([round(float(v), 4) for v in share])
                yield {"set": name, "loss": loss, "solver": solver, "n": n, "k": ks.tolist(),
                       "errors": rows}


def keep(found: dict[str, list[dict[str, Any]]]) -> None:
    """The numbers, a line each."""
    parts = (f' "{name}": [\n' + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]"
             for name, rows in found.items())
    HERE.with_suffix(".json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


def quartiles(values: list[float]) -> tuple[int, int, int]:
    """Lower quartile, median and upper quartile."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), method="inverted_cdf")
    return int(low), int(middle), int(high)


def between(values: list[float]) -> str:
    """Median with quartiles, where these differ."""
    low, middle, high = quartiles(values)
    return f"{middle}" if low == high else f"{middle} ({low} to {high})"


def ranges(rows: list[dict[str, Any]], scaling: str) -> str:
    """Printed ranges of k, and ours over seeds, as a table."""
    of = {(row["case"], row["loss"], row["solver"]): row["seeds"]
          for row in rows if row["C"] == scaling}
    lines = []
    for case, printed in PRINTED.items():
        for loss, ends in zip(LOSSES, printed, strict=True):
            cells = [f"[{ends[0]}, {ends[1]}]"]
            own = of[case, loss, "exact"][0]
            cells.append(f"[{own[0]}, {own[1]}]")
            for solver in SOLVERS:
                seeds = of[case, loss, solver]
                lower, upper = ([row[at] for row in seeds] for at in (0, 1))
                share = np.median([row[2] / (row[1] - row[0] + 1) for row in seeds])
                cells += [between(lower), between(upper), f"{share:.0%}"]
            lines.append(f"| {case} | {loss} | {' | '.join(cells)} |")
    three = " | ".join(f"{solver}: from | to | of these" for solver in SOLVERS)
    return (f"| Case | Loss | Print | Exact, picture's seed | {three} |\n"
            f"|---|---|---|---|{'---|' * 9}\n" + "\n".join(lines))


def counts(rows: list[dict[str, Any]], scaling: str) -> str:
    """Errors at k = 1, the fewest, and at k = n, medians over seeds, as a table."""
    of = {(row["case"], row["loss"], row["solver"]): row["seeds"]
          for row in rows if row["C"] == scaling}
    lines = []
    for case in PRINTED:
        for loss in LOSSES:
            cells = []
            for solver in SOLVERS:
                seeds = of[case, loss, solver]
                cells += [str(quartiles([row[at] for row in seeds])[1]) for at in (4, 3, 5)]
            lines.append(f"| {case} | {loss} | {' | '.join(cells)} |")
    three = " | ".join(f"{solver}: k = 1 | fewest | k = n" for solver in SOLVERS)
    return (f"| Case | Loss | {three} |\n|---|---|{'---|' * 9}\n" + "\n".join(lines))


SPLIT = tuple(case for case, (logistic, hinge) in PRINTED.items() if logistic != hinge)
"""Cases in which print says another range with either loss."""


def met(rows: list[dict[str, Any]], scaling: str) -> list[tuple[int, str, list[int]]]:
    """By case and solver, in how many draws ends are as in print.

    Of both losses the lower end, and the upper end or one beyond it; and whether the upper end with
    hinge loss is beyond that with logistic loss, as in print.
    """
    of = {(row["case"], row["loss"], row["solver"]): row["seeds"]
          for row in rows if row["C"] == scaling}
    out = []
    for case in SPLIT:
        for solver in SOLVERS:
            told = []
            for at in (0, 1):
                for loss, ends in zip(LOSSES, PRINTED[case], strict=True):
                    told.append(sum(
                        seed[0] == ends[0] if at == 0 else seed[1] >= ends[1]
                        for seed in of[case, loss, solver]))
            told.append(sum(one[1] < other[1] for one, other in zip(
                of[case, "logistic", solver], of[case, "hinge", solver], strict=True)))
            out.append((case, solver, told))
    return out


def compared(rows: list[dict[str, Any]], scaling: str) -> str:
    """In how many draws ends are as in print, as a table."""
    lines = "\n".join(f"| {case} | {solver} | {' | '.join(map(str, told))} |"
                      for case, solver, told in met(rows, scaling))
    return ("| Case | Solver | Lower end print's, logistic | hinge | Upper end print's or beyond, "
            "logistic | hinge | Hinge's upper end beyond logistic's |\n"
            f"|---|---|{'---|' * 5}\n{lines}")


def in_short(rows: list[dict[str, Any]]) -> list[str]:
    """What the tables say, counted."""
    draws = len(rows[0]["seeds"]) * len(SPLIT)
    said = ["In cases 3 to 6 print's range is longer with hinge loss than with logistic loss. Its "
            f"upper end is beyond logistic's, of {draws} draws of these cases,"]
    said.append("\n".join(
        f"- {called}: " + ", ".join(
            f"{sum(told[-1] for _, of, told in met(rows, scaling) if of == solver)} {how}"
            for solver, how in zip(SOLVERS, ("exact", "by steps (4)", "truncated"), strict=True))
        + "." for scaling, called in SCALINGS.items()))
    at_1 = [max(quartiles([seed[4] - seed[3] for seed in row["seeds"]])[1]
                for row in rows if row["solver"] == solver) for solver in SOLVERS]
    said.append(
        "At k = 1 the exact minimiser of clouds that no line separates is zero, and all of one "
        "side are wrong. Steps that begin at zero have not come back to it after sixty passes, so "
        "that at a small k they show where they are and not what is minimised: beyond the fewest, "
        "errors at k = 1 are, in the median of a case at most, "
        + ", ".join(f"{most} {how}" for most, how in zip(
            at_1, ("exact", "by steps (4)", "truncated"), strict=True)) + ".")
    return said


def interval(gaps: np.ndarray) -> tuple[float, float]:
    """A mean and half its 95 per cent t-interval."""
    half = stats.t.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps))
    return float(gaps.mean()), float(half)


def paired(gaps: np.ndarray) -> str:
    """Both in words."""
    return "{:+.1f} ± {:.1f}".format(*interval(gaps))


def ends_of_figure_3(rows: list[dict[str, Any]]) -> str:
    """How much both ends are worse than the best k between, in short and as a table."""
    lines, clear = [], np.zeros(2, int)
    for row in rows:
        errors, ks = np.array(row["errors"]), row["k"]
        best = 1 + int(errors[:, 1:-1].mean(axis=0).argmin())
        for at, end in enumerate((0, -1)):
            mean, half = interval(errors[:, end] - errors[:, best])
            clear[at] += mean > half
        lines.append(
            f"| {row['set']} | {row['loss']} | {row['solver']} | {ks[best]} of {row['n']} | "
            f"{errors[:, best].mean():.1f} | {paired(errors[:, 0] - errors[:, best])} | "
            f"{paired(errors[:, -1] - errors[:, best])} |")
    return (f"k = 1 errs more, with 0 outside, in {clear[0]} of {len(rows)} curves, k = n in "
            f"{clear[1]}.\n\n"
            "| Set | Loss | Solver | Best k between | Error there | k = 1 errs more by | "
            "k = n errs more by |\n|---|---|---|---|---|---|---|\n" + "\n".join(lines))


def curve(rows: list[dict[str, Any]], name: str) -> str:
    """Mean errors over k with standard errors, as a table."""
    of = [row for row in rows if row["set"] == name]
    lines = []
    for at, k in enumerate(of[0]["k"]):
        cells = [np.array(row["errors"])[:, at] for row in of]
        lines.append(f"| {k} | " + " | ".join(
            f"{v.mean():.1f} ({v.std(ddof=1) / np.sqrt(len(v)):.1f})" for v in cells) + " |")
    head = " | ".join(f"{row['loss']}, {row['solver']}" for row in of)
    return f"| k | {head} |\n|---|{'---|' * len(of)}\n" + "\n".join(lines)


def page(found: dict[str, list[dict[str, Any]]]) -> str:
    """All of it."""
    title, _, words = __doc__.partition("\n\n")
    toys_, curves = found["toys"], found["figure 3"]
    seeds = len(toys_[0]["seeds"])
    said = [f"# {title}", words.strip(), "## Figures 1 and 4: which k err least",
            f"From the least to the largest k with the fewest errors: medians of {seeds} draws, "
            "and quartiles where they differ; \"of these\" is how many k between err as little, in "
            "the median.", *in_short(toys_)]
    for scaling, called in SCALINGS.items():
        said += [f"### {called[0].upper()}{called[1:]}", ranges(toys_, scaling),
                 f"In how many of {seeds} draws the ends are as in print:",
                 compared(toys_, scaling), "Errors of 200, medians:", counts(toys_, scaling)]
    said += ["## Figure 3: test error over k at C = 100",
             f"Means of {SPLITS} splits in per cent, with differences paired over splits and "
             "their 95 per cent t-intervals. The best k is found on the same splits, so what the "
             "ends err more is rather too much than too little.", ends_of_figure_3(curves)]
    for name in dict.fromkeys(row["set"] for row in curves):
        said += [f"{name}, with standard errors:", curve(curves, name)]
    return "\n\n".join(said) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="count anew")
    given = parser.parse_args()
    if given.record:
        warnings.simplefilter("ignore", NotCertified)
        keep({"toys": list(toys()), "figure 3": list(figure_3())})
    HERE.with_suffix(".md").write_text(
        page(json.loads(HERE.with_suffix(".json").read_text())), encoding="utf-8")


if __name__ == "__main__":
    main()
