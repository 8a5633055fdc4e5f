"""Figures 1 to 4 of the paper, drawn again."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.recipes import TOYS, Toy, monk_3, split, toy
from noisytheory.topics.top_k.selection import path

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4"]


def figure_2() -> Any:
    r"""Individual losses shifted down by $\lambda$ and cut at 0: what is right costs nothing."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    figure.set_label("Losses shifted down by a threshold and cut at zero, four thresholds each")
    t, r = np.linspace(-1.5, 2, 400), np.linspace(-1.5, 1.5, 400)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.8, 4))
    for colour, lam in zip(colours, (0.0, 0.2, 0.5, 0.7), strict=True):
        for axis, x, names in ((axes[0], t, ("logistic", "hinge")), (axes[1], r, ("square",
                                                                               "absolute"))):
            for name, style in zip(names, ("-", "--"), strict=True):
                loss = np.maximum(individual(name).psi(x) - lam, 0)
                label = rf"{name}, $\lambda={lam:g}$"
                axis.plot(x, loss, style, color=colour, label=label, linewidth=1.3)
    axes[0].step(t, t <= 0, where="mid", color="black", linewidth=1, label="0-1 loss")
    axes[0].axvspan(0, 2, color="0.9", zorder=0)
    axes[0].set(xlabel="margin", ylabel="loss", title="Classification")
    axes[1].set(xlabel="residual", title="Regression")
    for axis in axes:
        axis.legend(fontsize=6)
    return figure


def figure_1() -> Any:
    """Cases 4 and 6: the lines of maximum, average and $AT_{10}$, and errors over k."""
    return _toys((4, 6), "Two toy cases with logistic and hinge loss")


def figure_4() -> Any:
    """All six toy cases: the lines of maximum, average and $AT_{10}$, and errors over k."""
    return _toys((1, 2, 3, 4, 5, 6), "Six toy cases with logistic and hinge loss")


GRID = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 60, 90, 130, 170, 200)
LOOK = (("maximum", 1, "tab:red", ":"), ("$AT_{10}$", 10, "tab:blue", "-"),
        ("average", 200, "tab:green", "--"))


def _toys(cases: tuple[int, ...], label: str) -> Any:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(cases), 4, figsize=(12, 2.4 * len(cases)), squeeze=False,
                                layout="constrained")
    figure.set_label(label)
    for row, case in enumerate(cases):
        recipe = TOYS[case]
        x, y = toy(recipe, np.random.default_rng(recipe.seed))
        for column, loss in ((0, "logistic"), (2, "hinge")):
            errors, coefs = [], {}
            for k in GRID:
                w = fit(x, y, loss, k=k, C=recipe.C, tol=1e-7).coef
                coefs[k] = w
                errors.append(100 * np.mean(np.where(x @ w >= 0, 1, -1) != y))
            _cloud(axes[row, column], x, y, coefs, recipe)
            zero = "; maximum: zero, no line" if np.linalg.norm(coefs[1]) < 1e-9 else ""
            axes[row, column].set_title(f"case {case}, {loss}{zero}", fontsize=9)
            axes[row, column + 1].plot(GRID, errors, ".-", color="black", linewidth=1)
            axes[row, column + 1].set(xlabel="k", ylabel="errors, per cent", xscale="log",
                                      ylim=(-1, max(errors) + 2))
    axes[0, 0].legend(fontsize=6, loc="upper left")
    return figure


def _cloud(axis: Any, x: Any, y: Any, coefs: Any, recipe: Toy) -> None:
    inside = slice(None) if recipe.outlier is None else slice(0, -1)
    axis.plot(*x[inside][y[inside] > 0, :2].T, "+", markersize=4, color="0.25", linewidth=0.7)
    axis.plot(*x[inside][y[inside] < 0, :2].T, "o", markersize=3, color="0.6", fillstyle="none")
    if recipe.outlier is not None:
        axis.scatter(*recipe.outlier, marker="x", s=90, color="black")
    low, high = x[:, :2].min(axis=0) - 0.4, x[:, :2].max(axis=0) + 0.4
    ends = np.array([low[0], high[0]])
    for name, k, colour, style in LOOK:
        w = coefs[k]
        if np.linalg.norm(w) < 1e-9:
            continue
        if abs(w[1]) < 1e-12:
            axis.axvline(-w[2] / w[0], color=colour, linestyle=style, label=name)
        else:
            axis.plot(ends, -(w[0] * ends + w[2]) / w[1], style, color=colour, label=name)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def figure_3() -> Any:
    """Test error over k on Monk 3 at C = 100, exact minimisers, five splits."""
    import matplotlib.pyplot as plt

    x, y = monk_3()
    rng = np.random.default_rng(2026)
    ks = (1, 30, 60, 75, 90, 100, 110, 120, 130, 140, 150, 165, 180, 200, 216)
    errors: dict[str, list[list[float]]] = {"logistic": [], "hinge": []}
    collapse = []
    for _ in range(5):
        train, _, test = split(len(y), rng)
        collapse.append(collapse_threshold(x[train], y[train]))
        for loss, rows in errors.items():
            held = (x[test], y[test])
            found = path(x[train], y[train], loss, ks=ks, C=100.0, test=held, tol=1e-5)
            rows.append((100 * found.error).tolist())
    figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    figure.set_label("Test error over k on Monk 3, logistic and hinge loss")
    for (loss, rows), style in zip(errors.items(), ("o-", "s--"), strict=True):
        axis.errorbar(ks, np.mean(rows, axis=0), np.std(rows, axis=0) / np.sqrt(5), fmt=style,
                      markersize=4, capsize=2, label=loss)
    axis.axvspan(1, float(np.mean(collapse)), color="0.9", label="zero is the minimiser")
    axis.set(xlabel="k", ylabel="test error, per cent", ylim=(0, None))
    axis.legend()
    return figure
