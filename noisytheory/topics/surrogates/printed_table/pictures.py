"""Table 1 as a picture and in numbers: print beside ours, and the cells that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.printed_table.bounds import (
    PRINTED,
    most_at_ends,
    most_between,
    trials_above_half,
)
from noisytheory.topics.surrogates.printed_table.moments import table_moments
from noisytheory.topics.surrogates.printed_table.simulate import (
    TRAINING,
    TRIALS,
    intermediate_trials,
    table_trial,
    worse_trials,
)
from noisytheory.topics.surrogates.printed_table.unconverged import unconverged_hinge
from noisytheory.trial.kept import drawn_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers

__all__ = ["impossible_cells", "table"]

SEED = 2026
COLUMNS = {"hinge": "hinge", "unconverged": "hinge, 3 passes", "t-logistic": "t-logistic",
           "linear": "linear"}
MANY = {"t-logistic": 20_000, "unconverged": 2000}
"""Trials from which a column's law is taken where it is not exact."""

RARE = 1e-4
"""Below this chance a printed cell is marked."""


def laws() -> dict[str, Any]:
    """Of each column and noise rate mean and deviation, and those of as many trials as print has.

    Also the cells that are crossed out.
    """
    found: dict[str, Any] = {"crossed": [list(map(str, at)) for at in sorted(impossible_cells())]}
    for column in COLUMNS:
        for sigma in PRINTED["linear"]:
            found[f"{column} {sigma:g}"] = _law(column, sigma)
            found[f"{column} {sigma:g}, {TRIALS} trials"] = _moments(_draw(column, sigma, TRIALS))
    return found


@drawn_from(laws)
def table(found: Numbers) -> tuple[Figure, list[list[str]]]:
    r"""Table 1, printed and ours: mean and standard deviation of the 01 risk of a trial of 800
    examples. Print has those of 125 trials; ours are those of the law of a trial, by
    `nt.surrogates.table_moments`: summed in the hinge and the linear column, by quadrature
    in the t-logistic one, with errors up to .0002. Crossed out are printed cells that cannot be, by
    the spread: their mean and deviation together need risks that the minimisers on the printed
    three points give with a chance below one in 10,000 (see `table-1/hinge-spread`,
    `table-1/t-logistic-spread` and `table-1/linear-spread`). The means alone refute fewer cells.
    The triangles are 2,000 trials (standard errors up to .008) of a hinge solver stopped after 3
    passes, `nt.surrogates.unconverged_hinge`; see `table-1/hinge-unconverged`. In numbers
    below, with ✘ for crossed out, and with 125 trials of ours as print has them: seed 2026, the
    three columns of print on the same 125 training sets, risks on the population where print has
    them on 1000 draws from it.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    ink = rcParams["text.color"]
    columns = [
        ("hinge", "Hinge: print looks unconverged"),
        ("t-logistic", "t-logistic: another point was lost"),
        ("linear", "Linear: the last spread is too wide"),
    ]
    marked = {(column, float(sigma)) for column, sigma in found["crossed"]}
    panels = figure.subplots(1, 3, sharey=True)
    for axes, (column, title) in zip(panels, columns, strict=True):
        rates = list(PRINTED[column])
        places = np.arange(len(rates))
        series: list[tuple[str, Any, str, str]] = [
            ("print, 125 trials", list(PRINTED[column].values()), "s", ink),
            ("ours, law of the exact minimiser", [found[f"{column} {rate:g}"] for rate in rates],
             "o", "C0"),
        ]
        if column == "hinge":
            stopped = [found[f"unconverged {rate:g}"] for rate in rates]
            series.append(("ours, law of a solver stopped after 3 passes", stopped, "^", "C4"))
        for shift, (label, cells, marker, colour) in zip(
            (-0.22, 0.0, 0.22) if column == "hinge" else (-0.12, 0.12), series, strict=True
        ):
            mean, deviation = np.transpose(cells)
            axes.errorbar(
                places + shift, mean, yerr=deviation, linestyle="none", marker=marker,
                color=colour, label=label, elinewidth=1.2, capsize=2.5,
                markerfacecolor="none" if colour == ink else colour,
            )
        crossed = [i for i, rate in enumerate(rates) if (column, rate) in marked]
        shift = -0.22 if column == "hinge" else -0.12
        axes.plot(
            [i + shift for i in crossed], [PRINTED[column][rates[i]][0] for i in crossed], "x",
            color="C1", markersize=13, markeredgewidth=2.4, label="print cannot be, by its spread",
        )
        axes.set_xticks(places, [f"{rate:g}" for rate in rates])
        axes.set(title=title, xlabel="noise rate σ [probability]")
        axes.grid(axis="x", visible=False)
        axes.axhline(0.5, color=rcParams["axes.edgecolor"], linewidth=0.8, zorder=1)
    panels[0].set(ylim=(-0.22, 1.0), ylabel="01 risk, mean ± deviation\n[probability]")
    panels[0].set_yticks(np.arange(0, 1.01, 0.25))
    panels[2].annotate(
        "guessing", (0.02, 0.5), xycoords=("axes fraction", "data"), xytext=(0, 3),
        textcoords="offset points", color=rcParams["axes.edgecolor"],
    )
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2)
    named = ", ".join(f"{column} at {rate:g}" for column, rate in sorted(marked))
    figure.set_label(
        "Three panels, one a column of Table 1, with the noise rate across: the printed mean and "
        "standard deviation of 125 trials beside those of the law of a trial, and in the hinge "
        "panel those of a solver that stops early, which look like print. Crossed out, by their "
        f"spread: {named}. The numbers follow as a table."
    )
    return figure, _numbers(found, marked)


def _numbers(found: Numbers, marked: set[tuple[str, float]]) -> list[list[str]]:
    """Table 1 in the layout of print: under each of its cells our law, and as many trials."""

    def spelled(cell: Any, digits: int) -> str:
        mean, deviation = cell
        return f"{mean:.{digits}f} ± {deviation:.{digits}f}"

    rows = [["σ", "01 risk, mean ± deviation", *COLUMNS.values()]]
    for sigma in PRINTED["linear"]:
        printed = [
            "–" if column == "unconverged"
            else "✘ " * ((column, sigma) in marked) + spelled(PRINTED[column][sigma], 2)
            for column in COLUMNS
        ]
        laws, tried = (
            [spelled(found[f"{column} {sigma:g}{few}"], 3) for column in COLUMNS]
            for few in ("", f", {TRIALS} trials")
        )
        whose = (f"print, {TRIALS} trials", "ours, many trials", f"ours, {TRIALS} trials")
        for name, cells in zip(whose, (printed, laws, tried), strict=True):
            rows.append([f"{sigma:g}", name, *cells])
    return rows


def _law(column: str, sigma: float) -> tuple[float, float]:
    """Mean and standard deviation of the risk of a trial."""
    if column == "unconverged":
        return _moments(_draw(column, sigma, MANY[column]))
    exact = table_moments(column, sigma)
    return exact["mean"], exact["sd"]


def _moments(risks: NDArray[np.float64]) -> tuple[float, float]:
    return float(risks.mean()), float(risks.std(ddof=1))


def _draw(column: str, sigma: float, size: int) -> NDArray[np.float64]:
    rng = np.random.default_rng([SEED, round(1000 * sigma)])
    if column == "unconverged":
        return unconverged_hinge(sigma, TRAINING, passes=3, size=size, rng=rng)
    return table_trial(column, sigma, TRAINING, size=size, rng=rng)


def impossible_cells() -> set[tuple[str, float]]:
    """Printed cells, by column and noise rate, that trials on the printed points do not give.

    Their means and deviations need so many trials above one half (hinge), or allow so few at 0 and
    one half (t-logistic) or between 0 and 1 (linear), that the chance of it is below `RARE`. The
    share of such trials is exact for the hinge and the linear column, for the other an upper limit
    from so many trials as `MANY` says.

    Returns
    -------
    set of (str, float)
    """
    from scipy.stats import beta, binom

    def at_most(hit: NDArray[np.bool_]) -> float:
        hits, count = int(hit.sum()), len(hit)
        return float(beta.ppf(1 - RARE / 10, hits + 1, count - hits)) if hits < count else 1.0

    found = set()
    for sigma, cell in PRINTED["hinge"].items():
        needed = trials_above_half(*cell, TRIALS)
        counts, law = worse_trials(sigma, TRIALS)
        if needed and law[counts <= -needed].sum() < RARE:
            found.add(("hinge", sigma))
    for sigma, cell in PRINTED["t-logistic"].items():
        allowed = most_at_ends(*cell, TRIALS)
        if allowed < TRIALS:
            share = at_most(~np.isin(_draw("t-logistic", sigma, MANY["t-logistic"]), (0.0, 0.5)))
            if binom.sf(TRIALS - allowed - 1, TRIALS, share) < RARE:
                found.add(("t-logistic", sigma))
    for sigma, cell in PRINTED["linear"].items():
        allowed = most_between(*cell, TRIALS)
        if cell[1] > 0 and allowed < TRIALS:
            counts, law = intermediate_trials(sigma, TRIALS)
            if law[counts <= allowed].sum() < RARE:
                found.add(("linear", sigma))
    return found
