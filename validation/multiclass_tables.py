"""Table 1 and Figures 1, 3, 4 and 5 of the paper on UMA at full size, on the data at hand.

Run as ``python validation/multiclass_tables.py`` (``--runs 10``, ``--json`` for numbers alone,
``--settings`` for the settings that the claims were chosen from alone, four times as many runs).
Scikit-learn's digits are always there; optdigits, letters and a stand-in for Reuters where
NOISYTHEORY_DATA names a folder with them, and letters take most of an hour. ``--shares`` is for
Figures 3 and 4 alone. The S3VM of print is not to be had: SVM is a linear SVM that trains itself on
its surest labels, in Figure 4 of 6,000 examples at most.
"""

from __future__ import annotations

import argparse
import itertools
import json

import numpy as np

from noisytheory.topics.multiclass.experiments import pictures, tables
from noisytheory.topics.multiclass.experiments.simulate import drawn, errors
from noisytheory.topics.multiclass.experiments.text import documents

SEED = 2026
SHARES = (0.01, 0.02, 0.05, 0.1, 0.3)
SETTINGS = {
    "digits": ((200, (5, 10), (60, 160)), (300, (5, 10), (60, 120, 240)),
               (400, (5, 10, 15), (30, 60, 300, 320, 380)), (600, (5, 10), (30, 60, 300, 480)),
               (1200, (5, 10, 20), (60, 191, 600))),
    "text": ((450, (10,), (45, 90)), (900, (5, 10, 20), (45, 90, 360))),
}
"""Examples to learn from, of each class, and audits: 5%, 191 as 5% of the paper's digits, more."""
STRATEGIES = ((450, 10, 0.1), (900, 20, 0.05))
"""The same of documents, with the share of the audit."""
RIVALS = {"ignoring": "f_y", "audited": "f_conf", "audited_and_few": "f_conf+m", "svm": "SVM",
          "forced": "UMA forced", "random": "UMA random pairs"}
COUNTS = (5, 10, 20, 30, 50, 100)
MORE = {"reuters9": 70}
"""Examples of each class in Figures 3 and 4, where print has more there than in Table 1."""
OWN = 6000
"""Examples that the SVM labels itself in Figure 4, at most; there are more of letters alone."""


def spread(values: np.ndarray) -> tuple[float, float]:
    """Mean and standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(error)


def table_1(name: str, runs: int, columns: list[str]) -> dict[str, object]:
    """Errors of every column in every run, and how often UMA wins."""
    found = {column: np.empty(runs) for column in columns}
    for r in range(runs):
        rng = np.random.default_rng([SEED, 1, r])
        data = tables.split(name, rng=rng)
        run = tables.protocol(data, data.few, data.share, columns=columns, rng=rng)
        for column in columns:
            found[column][r] = run[column]
    wins = {
        f"{ours} < {other}": int((found[ours] < found[other]).sum())
        for ours in ("UMA", "UMA forced") for other in ("f_y", "f_conf", "f_conf+m")
    }
    return {"runs": runs, "wins": wins, **{c: spread(v) for c, v in found.items()}}


def by_share(name: str, runs: int, columns: list[str]) -> dict[str, object]:
    """Figures 3 and 4: errors against the share that is audited."""
    found: dict[float, dict[str, list[float]]] = {}
    for r in range(runs):
        data = tables.split(name, rng=np.random.default_rng([SEED, 3, r]))
        few = MORE.get(name, data.few)
        for share in SHARES:
            if share * len(data.labels) < 2 * data.classes:
                continue
            rng = np.random.default_rng([SEED, 4, r])
            run = tables.protocol(data, few, share, columns=columns, rng=rng, own=OWN)
            told = found.setdefault(share, {column: [] for column in columns})
            for column in columns:
                told[column].append(run[column])
    return {"runs": runs, "m": few} | {
        f"{share:g}": {column: spread(np.array(values)) for column, values in told.items()}
        for share, told in found.items()
    }


def figure_5(name: str, runs: int) -> dict[str, dict[int, str]]:
    """Error and confusion rate after so many updates, means over runs, by strategy."""
    paths: dict[str, list[np.ndarray]] = {}
    for r in range(runs):
        rng = np.random.default_rng([SEED, 5, r])
        data = tables.split(name, rng=rng)
        for key, path in tables.by_strategy(data, data.few, data.share, 100, rng=rng).items():
            paths.setdefault(key, []).append(path)
    return {
        key: {
            count: " / ".join(f"{v:.3f}" for v in np.mean(path, axis=0)[:, count - 1])
            for count in COUNTS
        } for key, path in paths.items()
    }


def by_setting(name: str, runs: int) -> dict[str, dict[str, object]]:
    """Errors for every setting that the claims were chosen from, and how often UMA wins."""
    found: dict[str, dict[str, object]] = {}
    for examples, each, audits in SETTINGS[name]:
        for few, audited in itertools.product(each, audits):
            rng = np.random.default_rng([SEED, 6, examples, few, audited])
            made = drawn(name, examples, few, audited / examples, size=runs, rng=rng)
            ours, *others = errors(made, "uma", *RIVALS)
            told: dict[str, object] = {"UMA": spread(ours)}
            for label, error in zip(RIVALS.values(), others, strict=True):
                told[label] = spread(error)
                told[f"UMA <= {label}"] = int(np.sum(ours <= error))
            plain, forced, ours = errors(made, "ignoring", "forced", "uma", updates=40)
            told["after 40 updates UMA forced"] = spread(forced)
            told["UMA forced <= f_y"] = int(np.sum(forced <= plain))
            told["UMA <= UMA forced after 40"] = int(np.sum(ours <= forced))
            found[f"{examples} to learn from, m = {few}, {audited} audited"] = told
    return found


def text_strategies(examples: int, few: int, share: float, runs: int) -> dict[int, str]:
    """How often a strategy is not behind the other in what it is for, by updates, on documents."""
    ahead = np.zeros((2, len(COUNTS)), int)
    at = np.array(COUNTS) - 1
    for r in range(runs):
        rng = np.random.default_rng([SEED, 8, r])
        x, t = documents(examples + 300, rng=rng)
        while np.bincount(t[:examples], minlength=9).min() < few:
            x, t = documents(examples + 300, rng=rng)
        here, there = slice(examples), slice(examples, None)
        data = tables.Split("text", x[here], t[here], x[there], t[there], few, share, 20)
        path = tables.by_strategy(data, data.few, data.share, COUNTS[-1], rng=rng)
        ahead[0] += path["error"][0, at] <= path["confusion"][0, at]
        ahead[1] += path["confusion"][1, at] <= path["error"][1, at]
    return {
        count: f"error strategy in error {first}, confusion strategy in confusion rate {second}"
        for count, first, second in zip(COUNTS, *ahead.tolist(), strict=True)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--data", nargs="*", default=list(tables.data_at_hand()))
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--settings", action="store_true", help="the claims' settings alone")
    parser.add_argument("--shares", action="store_true", help="Figures 3 and 4 alone")
    given = parser.parse_args()
    runs = 4 * given.runs
    found: dict[str, object] = {}
    if not given.shares:
        found = {f"Settings, {name}, {runs} runs": by_setting(name, runs) for name in SETTINGS}
        found |= {
            f"Strategies, {n} documents, m = {few}, {share:.0%}, {runs} runs":
            text_strategies(n, few, share, runs) for n, few, share in STRATEGIES
        }
    if given.shares:
        found |= figures_3_and_4(given.data, given.runs)
    elif not given.settings:
        found |= at_full_size(given.data, given.runs)
    if given.json:
        print(json.dumps(found, indent=1))
        return
    for title, numbers in found.items():
        print(f"\n{title}", flush=True)
        assert isinstance(numbers, dict)
        for key, value in numbers.items():
            print(f"  {key}: {_told(value)}")


def at_full_size(names: list[str], runs: int) -> dict[str, object]:
    """The table and the figures."""
    found: dict[str, object] = {}
    for name in names:
        found[f"Table 1, {name}"] = table_1(name, runs, list(tables.COLUMNS))
        if name in ("digits", "reuters9"):
            found[f"Figure 5, {name}"] = figure_5(name, runs)
    found |= figures_3_and_4(names, runs)
    levels = tables.by_level(range(1, 21), runs, 400, seed=SEED)
    found["Figure 1(a)"] = {
        level: {name: spread(levels[name][k]) for name in ("UMA", "batch Perceptron")}
        for k, level in enumerate(range(1, 21))
    }
    fed = tables.by_misfed(5, range(10), runs, 400, seed=SEED)
    found["Figure 1(b), true matrix 5"] = {
        level: {name: spread(fed[name][level]) for name in fed} for level in range(10)
    }
    found["Table 1, printed"] = pictures.PRINTED
    return found


def figures_3_and_4(names: list[str], runs: int) -> dict[str, object]:
    """Every line on every set."""
    lines = ["f_y", "f_conf", "f_conf+m", "UMA", "SVM"]
    return {f"Figures 3 and 4, {name}": by_share(name, runs, lines) for name in names}


def _told(value: object) -> str:
    if isinstance(value, tuple):
        mean, error = value
        return f"{mean:.3f}" if np.isnan(error) else f"{mean:.3f} ± {error:.3f}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(inner)}" for key, inner in value.items())
    return str(value)


if __name__ == "__main__":
    main()
