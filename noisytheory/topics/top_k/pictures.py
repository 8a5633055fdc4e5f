"""Figures 1 to 4 of the paper, drawn again, and from how many examples on Theorem 2 speaks."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.linear_populations import LinearPopulation, axis_population
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.planning import first_useful_n
from noisytheory.topics.top_k.recipes import TOYS, Toy, monk_3, split, toy
from noisytheory.topics.top_k.theorem_2 import bounds
from noisytheory.trial.kept import Numbers, drawn_from

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4", "theorem_2_from"]

GRID = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 60, 90, 130, 170, 200)
LOOK = (("maximum", 1, "C4", ":"), ("$AT_{10}$", 10, None, "-"), ("average", 200, "C2", "--"))


def figure_2() -> Any:
    r"""Individual losses shifted down by a threshold $\lambda$ and cut at 0: examples that are well
    classified, or well fitted, cost nothing. Full lines: logistic and square; dashed: hinge and
    absolute loss.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots(1, 2)
    figure.set_label(
        "Two panels of losses shifted down by four thresholds and cut at zero: logistic and hinge "
        "loss over the margin with the 0-1 loss, square and absolute loss over the residual")
    t, r = np.linspace(-1.5, 2, 200), np.linspace(-1.5, 1.5, 200)
    for index, lam in enumerate((0.0, 0.2, 0.5, 0.7)):
        for axis, x, names in ((axes[0], t, ("logistic", "hinge")),
                               (axes[1], r, ("square", "absolute"))):
            for name, style in zip(names, ("-", "--"), strict=True):
                loss = np.maximum(individual(name).psi(x) - lam, 0)
                label = f"threshold {lam:g}" if style == "-" else None
                axis.plot(x, loss, style, color=f"C{index}", label=label, linewidth=1.3)
    axes[0].step(t, t <= 0, where="mid", color="C4", linewidth=1, label="0-1 loss")
    axes[0].axvline(0, color="C4", linewidth=0.6, linestyle=":")
    axes[0].set(xlabel="margin", ylabel="loss [1]", title="Classification: logistic, hinge dashed")
    axes[1].set(xlabel="residual", ylabel="loss [1]", title="Regression: square, absolute dashed")
    for axis in axes:
        axis.legend(fontsize=7)
    return figure


def toys() -> dict[str, Any]:
    """Of each toy case the points that are shown and the ends of all, lines, and errors over k."""
    found: dict[str, Any] = {}
    for case, recipe in TOYS.items():
        x, y = toy(recipe, np.random.default_rng(recipe.seed))
        inside = slice(None) if recipe.outlier is None else slice(0, -1)
        for sign in (1, -1):
            points = x[inside][y[inside] == sign, :2]
            # Every sixth point of the large clouds and the last ten, so that the picture is light.
            found[f"{case} {sign:+d}"] = np.vstack([points[:-10:6], points[-10:]])
        found[f"{case} ends"] = [x[:, :2].min(axis=0), x[:, :2].max(axis=0)]
        for loss in ("logistic", "hinge"):
            lines = [fit(x, y, loss, k=k, C=recipe.C, tol=1e-7).coef for k in GRID]
            found[f"{case} {loss}"] = [
                100 * np.mean(np.where(x @ w >= 0, 1, -1) != y) for w in lines
            ]
            found[f"{case} {loss} lines"] = [lines[GRID.index(k)] for _, k, _, _ in LOOK]
    return found


@drawn_from(toys)
def figure_1(found: Numbers) -> Any:
    """Cases 4 and 6 of the toy data: the lines of maximum loss, average loss and average of the
    ten largest, with logistic and with hinge loss, and the training errors of both over k. The
    cross is an outlier. Where the maximum loss gives zero there is no line; an average's beyond the
    points is called outside: all are of one side.
    """
    return _toys(found, (4, 6), "Cases 4 and 6 of the toy data with separating lines of three "
                                "aggregate losses, logistic left, hinge in the middle, and "
                                "training errors of both over k")


@drawn_from(toys)
def figure_4(found: Numbers) -> Any:
    """All six toy cases: the lines of maximum loss, average loss and average of the ten largest,
    with logistic and with hinge loss, and the training errors of both over k. The cross is an
    outlier. Where the maximum loss gives zero there is no line; an average's beyond the points is
    called outside: all are of one side.
    """
    return _toys(found, tuple(TOYS), "Six toy data sets with separating lines of three aggregate "
                                     "losses, logistic left, hinge in the middle, and training "
                                     "errors of both over k")


def _toys(found: Numbers, cases: tuple[int, ...], label: str) -> Any:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Letters that are read at the width of a page, which is that of the figure.
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9,
                         "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 9}):
        ink = mpl.rcParams["text.color"]
        figure = Figure(figsize=(7.2, 2.1 * len(cases) + 0.6), layout="constrained")
        axes = figure.subplots(len(cases), 3, squeeze=False)
        figure.set_label(label)
        for (left, middle, right), case in zip(axes, cases, strict=True):
            for cloud, loss in ((left, "logistic"), (middle, "hinge")):
                lines = found[f"{case} {loss} lines"]
                _cloud(cloud, found, TOYS[case], lines, ink)
                cloud.set_title(f"Case {case}, {loss}")
                # Often the same: the second is seen on the first.
                style, colour, size, width = (
                    ("o-", "C3", 6, 2.5) if loss == "logistic" else ("s--", ink, 2.5, 1))
                right.plot(GRID, found[f"{case} {loss}"], style, color=colour, markersize=size,
                           linewidth=width, label=f"{loss} errors")
            left.set_ylabel("second feature")
            most = max(max(found[f"{case} {loss}"]) for loss in ("logistic", "hinge"))
            right.set(title=f"Case {case}, errors", ylabel="[per cent]", xscale="log",
                      ylim=(-0.05 * max(most, 1), 1.15 * max(most, 1)))
            right.set_xticks([1, 10, 100], ["1", "10", "100"])
            right.minorticks_off()
        for row in axes:
            for axis, name in zip(row, ("first feature", "first feature", "k"), strict=True):
                axis.set_xlabel(name)
        shown = {
            name: handle for axis in axes.flat
            for handle, name in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(shown.values(), shown, loc="outside upper left", ncols=4)
    return figure


def _cloud(axis: Any, found: Numbers, recipe: Toy, lines: Any, ink: str) -> None:
    for sign, marker, colour, name in ((1, "+", "C1", "positive"), (-1, ".", "C0", "negative")):
        points = found[f"{recipe.case} {sign:+d}"]
        axis.plot(*points.T, marker, markersize=5, color=colour, label=name)
    if recipe.outlier is not None:
        axis.plot(*recipe.outlier, "x", markersize=9, markeredgewidth=2.5, color="C1",
                  label="outlier")
    low, high = found[f"{recipe.case} ends"] + np.array([[-0.4], [0.4]])
    high[1] += 0.12 * (high[1] - low[1])  # for what is said of lines that are not there
    ends = np.array([low[0], high[0]])
    unseen = []
    for (name, _, own, style), w in zip(LOOK, lines, strict=True):
        if np.linalg.norm(w) < 1e-9:
            unseen.append(f"{name}: zero")
            continue
        corners = np.array([w[0] * x + w[1] * y + w[2] for x in ends for y in (low[1], high[1])])
        if abs(np.sign(corners).sum()) == len(corners):
            unseen.append(f"{name}: outside")
        if abs(w[1]) < 1e-12:
            axis.axvline(-w[2] / w[0], color=own or ink, linestyle=style, label=name)
        else:
            axis.plot(ends, -(w[0] * ends + w[2]) / w[1], style, color=own or ink,
                      label=name)
    if unseen:
        axis.text(0.97, 0.97, "\n".join(unseen), transform=axis.transAxes, ha="right", va="top",
                  fontsize=8, bbox=dict(color="white", pad=1))
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


KS = (1, 30, 60, 75, 90, 100, 110, 120, 130, 140, 150, 165, 180, 200, 216)


def on_monk_3() -> dict[str, Any]:
    """Test errors over k of five splits of Monk 3, and where the minimiser stops being zero.

    Of attributes with few values some scores are 0, whose sign is 1, and not their rounding's.
    """
    x, y = monk_3()
    rng = np.random.default_rng(2026)
    found: dict[str, list[Any]] = {"logistic": [], "hinge": [], "collapse": []}
    for _ in range(5):
        train, _, test = split(len(y), rng)
        found["collapse"].append(collapse_threshold(x[train], y[train]))
        for loss in ("logistic", "hinge"):
            scores = np.column_stack([
                fit(x[train], y[train], loss, k=k, C=100.0, tol=1e-8).scores(x[test]) for k in KS])
            signs = np.where(scores >= -1e-6 * np.abs(scores).max(axis=0), 1.0, -1.0)
            found[loss].append((100 * (signs != y[test, None]).mean(axis=0)).tolist())
    return found


@drawn_from(on_monk_3)
def figure_3(found: Numbers) -> Any:
    """Test error over k on Monk 3 at C = 100 with exact minimisers, means and standard errors of
    five splits. Left of the band the minimiser is zero in every split, right of it in none: its
    ends are the least and the largest of their collapse thresholds. From there on the curves are
    nearly flat.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 3.6), layout="constrained")
    axis = figure.subplots()
    ends = float(np.min(found["collapse"])), float(np.max(found["collapse"]))
    figure.set_label("Test error over k on Monk 3 with logistic and hinge loss: near one half up "
                     f"to collapse thresholds of {ends[0]:.0f} to {ends[1]:.0f}, then nearly flat "
                     "near 20 per cent")
    for loss, style in (("logistic", "o-"), ("hinge", "s--")):
        rows = found[loss]
        axis.errorbar(KS, np.mean(rows, axis=0), np.std(rows, axis=0) / np.sqrt(5), fmt=style,
                      markersize=4, capsize=2, label=loss)
    axis.axvspan(*ends, color="C2", alpha=0.3, linewidth=0, label="zero ends, by split")
    axis.set(xlabel="k", ylabel="test error [per cent]", ylim=(0, None),
             title="Monk 3, C = 100, five splits")
    axis.legend()
    return figure


FORMS_SHOWN = (r"printed, $\sqrt{n\mu}$", r"printed, $\sqrt{n}\,\mu$", "as its proof ends", "sharp")
FORMS = (
    ("printed, root of n times mu", bounds.theorem_2_printed),
    ("printed, mu times root of n", bounds.theorem_2_root_mu),
    ("as its proof ends", bounds.theorem_2_proved), ("sharp", bounds.theorem_2_sharp),
)


def least_sizes() -> dict[str, Any]:
    """Least sample sizes at which each form of Theorem 2 says anything, by population."""
    populations = {
        f"{name}, C={C:g}": axis_population(eta, C, 0.1)
        for name, eta, Cs in (("P0", 1.0, (0.01, 1)), ("P1", 0.9, (0.01, 1, 100))) for C in Cs
    }
    at = np.linspace(-1, 1, 5)
    line = np.linalg.cholesky(np.exp(-2 * (at[:, None] - at) ** 2))
    plane = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1], [0.7, 0.7]])
    for name, points, masses, eta, Cs in (
        ("P2", line, np.full(5, 0.2), (0.05, 0.2, 0.35, 0.8, 0.95), (1,)),
        ("P3", plane, (0.3, 0.2, 0.3, 0.1, 0.1), (0.9, 0.8, 0.1, 0.6, 0.3), (1, 100)),
    ):
        for C in Cs:
            populations[f"{name}, C={C:g}"] = LinearPopulation(
                name, tuple(tuple(row) for row in points.tolist()), tuple(masses), eta, C, 0.1)
    found: dict[str, Any] = {"populations": list(populations)}
    for label, bound in FORMS:
        found[label] = []
        for one in populations.values():
            given = dict(C=one.C, kappa=one.kappa, norm=one.norm, approximation=one.approximation)
            if bound is bounds.theorem_2_sharp:
                given["risk"] = one.risk
            found[label].append(first_useful_n(
                bound, trivial=one.largest_excess, delta=0.05, **given,
                mus=np.geomspace(0.01, 0.99 * (1 - one.risk), 80),
            ))
    return found


@drawn_from(least_sizes)
def theorem_2_from(found: Numbers) -> Any:
    r"""From how many examples on each form of Theorem 2 says anything: is below the largest
    possible excess risk with probability .95, at the best $\mu$. P0: two points, no noise; P1: the
    same with noise .1; P2: five points of a line, Gaussian kernel; P3: five points of the plane,
    not separable. As $C_{\kappa H}>4$, no printed form speaks below some thousand examples.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axis = figure.subplots()
    figure.set_label("Least sample sizes at which four forms of Theorem 2 say anything, on eight "
                     "populations: printed forms thousands to millions, the sharp form hundreds "
                     "to ten thousand")
    for (form, _), shown, marker in zip(FORMS, FORMS_SHOWN, "os^D", strict=True):
        axis.plot(found[form], marker, label=shown, markersize=5)
    names = found["populations"].tolist()
    axis.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axis.set(yscale="log", xlabel="population and C", ylabel="least n [examples]",
             title="From which n on Theorem 2 says anything")
    axis.legend(fontsize=7)
    return figure
