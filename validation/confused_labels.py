"""Labels from a vendor: what UMA gains beside its rivals, and when an estimated confusion harms.

``python validation/confused_labels.py`` writes ``confused_labels.md`` from the numbers kept in
``confused_labels.json``; every count on the page is of these, and a sentence that they do not bear
out stops the script. ``--record [PART ...]`` runs again first, ``--data`` some of the sets alone,
``--methods`` some of the columns alone, ``--runs 5``. Letters and the stand-in for Reuters need
NOISYTHEORY_DATA.

- grid: data sets, kinds and rates of noise, audits of 20, 50 and 200 a class. The confusion is
  known, or estimated from the audit; `alone` learns from the audited examples and nothing else.
- imbalance: digits with classes ever more uneven.
- audited: of both what `fit` says that has the audited examples, in some of the runs.
- misestimated: a confusion that is wrong in a known way: noise scaled, turned round (rows for
  columns), or taken for even. The relative leakage `r` is then exact.
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from noisytheory.learners import (
    CorrectedLogisticRegression,
    UltraconservativeClassifier,
    UMAClassifier,
)
from noisytheory.topics.multiclass import kernel_features, uma
from noisytheory.topics.multiclass.experiments import tables
from noisytheory.topics.multiclass.experiments.self_training import self_training
from noisytheory.topics.multiclass.experiments.text import documents
from noisytheory.topics.multiclass.ignoring import ignoring
from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    estimate_confusion,
    lopsidedness,
    relative_leakage,
)
from noisytheory.vocabulary.noise import Confusion

HERE = Path(__file__).with_suffix("")
AUDITS = (20, 50, 200)
CELLS = (("even", 0.2), ("even", 0.4), ("even", 0.6), ("next", 0.2), ("next", 0.4), ("two", 0.3),
         ("two", 0.5), ("pairs", 0.4))
FEWER = (("even", 0.4), ("next", 0.2), ("next", 0.4), ("two", 0.5), ("pairs", 0.4))
"""Kinds and rates of noise; fewer where a fit is dear."""
THREE = (("even", 0.4), ("next", 0.4), ("two", 0.5))
UNEVEN = {"nearly even digits": 1.1, "less even digits": 1.2, "uneven digits": 1.35}
"""How much smaller a class is than the one before; from 130 examples on."""
SETS = {
    "digits": CELLS, "uneven digits": CELLS, "twelve": CELLS, "twenty": CELLS, "text": FEWER,
    "letter": FEWER, "reuters9": THREE,
}
CHOSEN_ON = ("digits", "twenty", "text")
"""Sets on which a rule that warns was chosen; on the others it is tried."""
PENALTIES = {"reuters9": 1e-5}
"""Of logistic regression, chosen on another draw; 1e-3 elsewhere, ten times that for backward."""
COMPARED = 2
"""Runs in which `fit` is given the audited examples, too: twenty fits each."""


def noise(kind: str, rate: float, classes: int) -> np.ndarray:
    """Row-stochastic matrix: even, to the next class, towards two classes, or of pairs of classes
    one to the other."""
    if kind == "even":
        return Confusion.uniform(classes, rate).array
    if kind == "next":
        return (1 - rate) * np.eye(classes) + rate * np.roll(np.eye(classes), 1, axis=1)
    if kind == "pairs":
        matrix = np.eye(classes)
        for q in range(0, classes - 1, 2):
            matrix[q, q], matrix[q, q + 1] = 1 - rate, rate
        return matrix
    two = np.zeros(classes)
    two[:2] = 0.7, 0.3
    return (1 - rate) * np.eye(classes) + rate * two


def data(name: str, rng: np.random.Generator) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Examples to learn from and to test on."""
    if name.endswith("digits"):
        x, t = load_digits(return_X_y=True)
        x = x / 16 - 0.3
        order = rng.permutation(len(t))
        here, there = order[:1300], order[1300:]
        if name in UNEVEN:
            here, there = (
                np.concatenate([at[t[at] == q][: round(size * UNEVEN[name]**-q)]
                                for q in range(10)])
                for at, size in ((here, 130), (there, 45))
            )
        return x[here], t[here], x[there], t[there]
    if name == "text":
        points, t = documents(6000, rng=rng, words=3000, keywords=200, length=60.0)
        return points[:4000], t[:4000], points[4000:], t[4000:]
    if name == "letter":
        found = np.loadtxt(tables.folder() / "letter.csv.gz", delimiter=",", skiprows=1)
        order = rng.permutation(len(found))[:5000]
        (x,) = kernel_features(found[order, :-1], components=200, gamma=0.03, landmarks=600,
                               rng=rng)
        t = found[order, -1].astype(int)
        return x[:3000], t[:3000], x[3000:], t[3000:]
    if name == "twelve":
        t = rng.integers(12, size=5000)
        means = np.random.default_rng(1).normal(size=(12, 25))
        x = means[t] + 1.1 * rng.normal(size=(5000, 25))
        return x[:3000], t[:3000], x[3000:], t[3000:]
    if name == "reuters9":
        found = tables.split("reuters9", rng=rng)
        some = rng.permutation(len(found.labels))[:3000]
        return found.points[some], found.labels[some], found.test, found.truth
    shares = 1.2 ** -np.arange(20.0)
    t = rng.choice(20, size=6000, p=shares / shares.sum())
    means = np.random.default_rng(0).normal(size=(20, 40))
    x = means[t] + 1.3 * rng.normal(size=(6000, 40))
    return x[:4000], t[:4000], x[4000:], t[4000:]


def unit(x: Any) -> Any:
    """Rows of norm 1 with an intercept, as the learner makes them."""
    one = np.ones((x.shape[0], 1))
    return normalize(sparse.hstack([x, one], format="csr") if sparse.issparse(x)
                     else np.hstack([x, one]))


class Drawn:
    """One run's data, noisy labels, and audits by their size a class."""

    def __init__(self, name: str, kind: str, rate: float, run: int) -> None:
        rng = np.random.default_rng([2026, run])
        self.x, self.t, self.test, self.truth = data(name, rng)
        self.classes = int(max(self.t.max(), self.truth.max())) + 1
        self.matrix, self.every = noise(kind, rate, self.classes), np.arange(self.classes)
        self.y = Confusion(self.matrix).apply(self.t, rng=rng)
        picked = [np.flatnonzero(self.t == q) for q in range(self.classes)]
        self.audits = {k: np.concatenate([rng.permutation(at)[:k] for at in picked])
                       for k in AUDITS}

    def estimate(self, k: int) -> ConfusionEstimate:
        """Of the confusion, from k audited of each class."""
        at = self.audits[k]
        return estimate_confusion(noisy=self.y[at], true=self.t[at], classes=self.classes)

    def compared(self, k: int) -> dict[str, float]:
        """What `fit` says that has the audited examples."""
        at = self.audits[k]
        said, model = _told(UMAClassifier(self.estimate(k), random_state=0), self.x, self.y,
                            self.every, (at, self.t[at]))
        errors = {f"audited: {name}": error for name, error in model.audited_errors_.items()}
        return errors | {f"audited: {other} errs less": float(f"{words} errs less" in said)
                         for other, words in (
                             ("ignoring", "ignoring the noise, with a linear SVM,"),
                             ("alone", "training on them alone"))}


def one_run(
    name: str, kind: str, rate: float, run: int, *, wanted: Callable[[str], bool],
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Errors of the methods, and by audit what a rule could go by and what `fit` said."""
    drawn = Drawn(name, kind, rate, run)
    x, t, y, test, truth = drawn.x, drawn.t, drawn.y, drawn.test, drawn.truth
    every = drawn.every

    def error(model: Any) -> float:
        return round(float(np.mean(model.predict(test) != truth)), 4)

    def fitted(model: Any, labels: np.ndarray) -> float:
        takes = isinstance(model, UMAClassifier | CorrectedLogisticRegression)
        return error(model.fit(x, labels, **({"classes": every} if takes else {})))

    known = dict(confusion=drawn.matrix, orientation="row")
    penalty = PENALTIES.get(name, 1e-3)

    def logistic(correction: str, **given: Any) -> CorrectedLogisticRegression:
        much = penalty * (10 if correction == "backward" else 1)
        return CorrectedLogisticRegression(
            correction=correction, penalty=much, compare=False, **given)

    def rival() -> float:
        return round(float(np.mean(ignoring(unit(x), y)(unit(test)) != truth)), 4)

    last = dict(average=False)
    forms: dict[str, Callable[[], float]] = {
        "clean": lambda: fitted(UMAClassifier(), t),
        "ignoring": rival,
        "uncorrected": lambda: fitted(UMAClassifier(**last), y),
        "perceptron": lambda: fitted(UltraconservativeClassifier(random_state=0, passes=5), y),
        "logistic": lambda: fitted(logistic("none"), y),
        "UMA": lambda: fitted(UMAClassifier(**known), y),
        "UMA last": lambda: fitted(UMAClassifier(**known, **last), y),
        "UMA chosen": lambda: fitted(
            UMAClassifier(**known, normalise=True, max_iter=None, compare=False), y),
        "UMA forced": lambda: fitted(UMAClassifier(**known, **last, step="forced"), y),
        "forward": lambda: fitted(logistic("forward", **known), y),
        "backward": lambda: fitted(logistic("backward", **known), y),
    }
    found = {key: form() for key, form in forms.items() if wanted(key)}
    told: dict[str, dict[str, float]] = {}
    for k, audited in drawn.audits.items() if any(map(wanted, GUESSED)) else ():
        guess = drawn.estimate(k)
        try:
            said, model = _told(UMAClassifier(guess, random_state=0), x, y, every)
        except ValueError:
            continue
        found[f"UMA k={k}"] = error(model)
        more: dict[str, Callable[[], float]] = {
            "UMA last": lambda: fitted(UMAClassifier(guess, **last), y),  # noqa: B023
            "forward": lambda: fitted(logistic("forward", confusion=guess), y),  # noqa: B023
            "backward": lambda: fitted(logistic("backward", confusion=guess), y),  # noqa: B023
            "alone": lambda: error(
                UMAClassifier().fit(x[audited], t[audited])),  # noqa: B023
            "self-training": lambda: error(
                self_training(x[audited], t[audited], x)),  # noqa: B023
        }
        found |= {f"{key} k={k}": form() for key, form in more.items() if wanted(key)}
        told[str(k)] = {
            "r": float(model.relative_leakage_), "lopsided": lopsidedness(model.confusion_),
            "condition": model.condition_, "beta": model.amplification_, "n": len(y),
            "share": float(model.class_shares_.min()), "audited": len(audited),
            "gain": model.expected_gain_, "warned": float("noisy labels tell" in said),
        }
        if run < COMPARED:
            told[str(k)] |= drawn.compared(k)
    return found, told


def _told(model: UMAClassifier, x: Any, y: Any, every: Any, audited: Any = None) -> Any:
    """What it warns of, and the model fitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(x, y, classes=every, audited=audited)
    return " ".join(str(w.message) for w in caught), model


def grid(
    name: str, cells: Iterable[tuple[str, float]], runs: int, methods: list[str] | None,
    held: dict[str, Any],
) -> dict[str, Any]:
    """All methods in all cells, or some beside what is kept of the others."""
    found: dict[str, Any] = {}
    for kind, rate in cells:
        every = [
            one_run(name, kind, rate, r, wanted=lambda key: methods is None or key in methods)
            for r in range(runs)
        ]
        keys = dict.fromkeys(key for errors, _ in every for key in errors)
        kept = {} if methods is None else held[f"{kind} {rate:g}"]["errors"]
        # Where a confusion had no inverse there is no run.
        found[f"{kind} {rate:g}"] = {
            "errors": kept | {key: [errors.get(key) for errors, _ in every] for key in keys},
            "told": ([told for _, told in every] if methods is None or {*methods} & {*GUESSED}
                     else held[f"{kind} {rate:g}"]["told"]),
        }
        print(name, kind, rate, flush=True)
    return found


def compared_again(
    name: str, cells: Iterable[tuple[str, float]], held: dict[str, Any]
) -> dict[str, Any]:
    """What is kept, and of the runs that had the audited examples what `fit` says now."""
    for kind, rate in cells:
        for run, told in enumerate(held[f"{kind} {rate:g}"]["told"][:COMPARED]):
            drawn = Drawn(name, kind, rate, run)
            for k, at in told.items():
                told[k] = {key: value for key, value in at.items()
                           if not key.startswith("audited: ")} | drawn.compared(int(k))
        print(name, kind, rate, flush=True)
    return held


def misestimated(matrix: np.ndarray, how: str) -> np.ndarray:
    """A confusion in columns that is wrong in a known way."""
    classes = len(matrix)
    true = matrix.T
    if how == "turned round":
        return np.asarray(true.T / true.T.sum(axis=0))
    if how == "taken for even":
        return Confusion.uniform(classes, 1 - float(np.trace(true)) / classes).array.T
    wrong = np.maximum(np.eye(classes) + float(how) * (true - np.eye(classes)), 0.0)
    return np.asarray(wrong / wrong.sum(axis=0))


WRONG = ("0.25", "0.5", "0.75", "0.9", "1", "1.1", "1.25", "1.5", "taken for even", "turned round")


def wrong_confusions(name: str, kind: str, rate: float, runs: int) -> dict[str, Any]:
    """Error of ignoring the noise, and by what is wrong r, errors of UMA, and whether it warned."""
    keys = ("UMA", "forced", "warned")
    plain = []
    wrong: dict[str, Any] = {how: {"r": 0.0} | {key: [] for key in keys} for how in WRONG}
    for r in range(runs):
        rng = np.random.default_rng([2026, 7, r])
        x, t, test, truth = data(name, rng)
        classes = int(max(t.max(), truth.max())) + 1
        matrix, every = noise(kind, rate, classes), np.arange(classes)
        y = Confusion(matrix).apply(t, rng=rng)
        rows, others = unit(x), unit(test)
        plain.append(round(float(np.mean(ignoring(rows, y)(others) != truth)), 4))
        for how in WRONG:
            guess = misestimated(matrix, how)
            wrong[how]["r"] = relative_leakage(guess, matrix.T)
            if np.linalg.cond(guess) > 1e12:
                continue
            said, model = _told(UMAClassifier(guess, orientation="column"), x, y, every)
            wrong[how]["UMA"].append(round(float(np.mean(model.predict(test) != truth)), 4))
            wrong[how]["warned"].append(int("noisy labels tell" in said))
            forced = uma(rows, y, guess, orientation="column", step="forced", tolerance=1e-6,
                         max_iter=300).weights
            missed = np.argmax(np.asarray(others @ forced.T), axis=1) != truth
            wrong[how]["forced"].append(round(float(np.mean(missed)), 4))
    return {"ignoring": plain, "wrong": wrong}


KNOWN = ("clean", "ignoring", "logistic", "uncorrected", "perceptron", "UMA", "UMA chosen",
         "UMA last", "UMA forced", "forward", "backward")
GUESSED = ("UMA", "UMA last", "forward", "backward", "alone", "self-training")
SAID = {
    "digits": "scikit-learn's digits, ten even classes",
    "uneven digits": "the same, sizes from 130 to 9 by a factor of 1.35",
    "twelve": "twelve Gaussian classes, even",
    "twenty": "twenty Gaussian classes, sizes falling by a factor of 1.2",
    "text": "documents drawn from topics, sparse, nine classes as uneven as Reuters'",
    "letter": "Letter, 3,000 of it, 200 kernel features, 26 classes",
    "reuters9": "the Reuters stand-in, 3,000 documents, sparse, nine uneven classes",
}
RULES: dict[str, Callable[[dict[str, float]], float]] = {
    "relative leakage r": lambda at: at["r"],
    "condition number": lambda at: at["condition"],
    "r times the condition number": lambda at: at["r"] * at["condition"],
    "amplification β": lambda at: at["beta"],
    "β² over n times the least share": lambda at: at["beta"] ** 2 / (
        at["n"] * max(at["share"], 1e-6)),
    "r times β": lambda at: at["r"] * at["beta"],
    "r over the lopsidedness": lambda at: at["r"] / max(at["lopsided"], 1e-6),
}
"""Numbers of a confusion and its audit; a rule warns above a threshold."""
FORMER = "r > 1, or r > .4 and noise that looks even"
LABELS = "ignoring errs less by the noisy labels"


def table(rows: list[list[str]]) -> str:
    """As Markdown, the first row as its head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def sure(holds: Any, sentence: str) -> str:
    """The sentence, if it holds."""
    if not holds:
        raise SystemExit(f"no longer true: {sentence}")
    return sentence


def _cell(values: list[float | None] | None) -> str:
    held = [v for v in values or [] if v is not None]
    if not held:
        return "–"
    error = f" ± {np.std(held, ddof=1) / np.sqrt(len(held)):.3f}" if len(held) > 1 else ""
    fewer = f" ({len(held)})" if len(held) < len(values or []) else ""
    return f"{np.mean(held):.3f}{error}{fewer}"


def tables_of(cells: dict[str, Any]) -> str:
    """Errors with the confusion known, and with its estimates."""
    known = [["noise", *KNOWN]]
    guessed = [["noise", "audited of each class", *GUESSED]]
    for cell, of in cells.items():
        known.append([cell, *(_cell(of["errors"].get(key)) for key in KNOWN)])
        guessed += [[cell, str(k), *(_cell(of["errors"].get(f"{m} k={k}")) for m in GUESSED)]
                    for k in AUDITS]
    return f"{table(known)}\n\n{table(guessed)}\n"


def fits(found: dict[str, Any], names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Every fit with an estimate: the set, its errors, and what it could go by."""
    for name in names:
        for cell, of in found["grid"].get(name, {}).items():
            errors = of["errors"]
            for run, told in enumerate(of["told"]):
                for k, at in told.items():
                    yield at | {"name": name, "cell": cell, "k": int(k)} | {
                        method: errors[f"{method} k={k}"][run] for method in GUESSED
                    } | {"ignoring": errors["ignoring"][run]}


def tally(every: list[dict[str, Any]], warns: Callable[[dict[str, Any]], Any]) -> list[int]:
    """Warnings with harm, without, harms without a warning, and neither."""
    told = [(bool(warns(at)), at["UMA"] > at["ignoring"]) for at in every]
    return [told.count(pair) for pair in ((True, True), (True, False), (False, True),
                                          (False, False))]


def threshold(values: np.ndarray, harm: np.ndarray) -> float:
    """That of most right decisions."""
    levels = np.unique(values)
    return float(levels[int(np.argmax(((values > levels[:, None]) == harm).sum(axis=1)))])


def rules(found: dict[str, Any]) -> tuple[list[list[str]], dict[str, list[int]]]:
    """Every rule on the sets that it was chosen on, and on the others."""
    there = list(fits(found, CHOSEN_ON))
    elsewhere = list(fits(found, [name for name in found["grid"] if name not in CHOSEN_ON]))
    rows = [["a warning where", "chosen on: right, wrong, missed, rightly silent",
             "elsewhere: right, wrong, missed, rightly silent"]]
    seen: dict[str, list[int]] = {}

    def add(label: str, warns: Callable[[dict[str, Any]], Any]) -> None:
        seen[label] = tally(elsewhere, warns)
        rows.append([label, *(", ".join(map(str, counts))
                              for counts in (tally(there, warns), seen[label]))])

    for label, number in RULES.items():
        best = threshold(np.array([number(at) for at in there]),
                         np.array([at["UMA"] > at["ignoring"] for at in there]))
        add(f"{label} > {best:.3g}", lambda at, n=number, b=best: n(at) > b)  # type: ignore[misc]
    add(FORMER, lambda at: at["r"] > 1 or (at["r"] > 0.4 and at["lopsided"] < 0.5))
    add(LABELS, lambda at: at["warned"])
    return rows, seen


def gains_of(of: dict[str, Any], how: str, step: str = "UMA") -> list[float]:
    """Error of ignoring the noise less that with a confusion that is wrong, by run."""
    errors = of["wrong"][how][step]
    return [plain - error for plain, error in zip(of["ignoring"], errors, strict=False)]


def wrong_table(found: dict[str, Any]) -> list[list[str]]:
    """Gains with a confusion that is wrong in a known way."""
    rows = [["data, noise", "runs", "error of ignoring it", "UMA is told", "r", "gain",
             "gain of forced steps, last weights"]]
    for name, cells in found["misestimated"].items():
        for cell, of in cells.items():
            for how in WRONG:
                at = of["wrong"][how]
                told = f"{how} times the noise" if how[0].isdigit() else how
                gains = [_cell(gains_of(of, how, step)) if at[step] else "no inverse"
                         for step in ("UMA", "forced")]
                rows.append([f"{name}, {cell}", str(len(of["ignoring"])), _cell(of["ignoring"]),
                             told, f"{at['r']:.2f}", *gains])
    return rows


def by_leakage(found: dict[str, Any]) -> list[list[str]]:
    """How often a wrong confusion harms, by its r."""
    every = [
        (at["r"], gain) for cells in found["misestimated"].values() for of in cells.values()
        for how, at in of["wrong"].items() for gain in gains_of(of, how)
    ]
    rows = [["r", "runs", "correcting harms in", "mean gain"]]
    for low, high in itertools.pairwise((0, 0.25, 0.5, 0.75, 1, 1.5, np.inf)):
        gains = np.array([gain for r, gain in every if low <= r < high])
        if len(gains):
            rows.append([f"{low:g} to {high:g}", str(len(gains)), f"{np.mean(gains < 0):.0%}",
                         f"{gains.mean():+.3f}"])
    return rows


def prose(found: dict[str, Any], seen: dict[str, list[int]]) -> Iterator[str]:
    """What to make of it."""
    grid_of = found["grid"]
    every = list(fits(found, grid_of))

    def mean(name: str, cell: str, method: str) -> float:
        return float(np.mean(grid_of[name][cell]["errors"][method]))

    for cell, what in (("next 0.4", "**Lopsided noise is mostly worth correcting.** "
                        "With 40% of the labels "
                        "moved to the next class"),
                       ("even 0.4", "**Even noise costs less to ignore**: with 40% spread evenly")):
        told = [f"{mean(name, cell, 'ignoring'):.2f} to {mean(name, cell, 'UMA'):.2f} on {name}"
                for name in grid_of if cell in grid_of[name]]
        yield (f"{what}, from ignoring the noise to UMA with the true confusion, errors go from "
               f"{', '.join(told)}.")

    def cells(first: str, second: str) -> str:
        pairs = [(np.mean(of["errors"][first]), np.mean(of["errors"][second]))
                 for cells_of in grid_of.values() for of in cells_of.values()]
        return f"{sum(a < b for a, b in pairs)} of {len(pairs)}"

    def estimated(first: str) -> str:
        pairs = [(at[first], at["UMA"]) for at in every]
        return f"{sum(a < b for a, b in pairs)} of {len(pairs)}"

    yield (
        "**Forward correction** in logistic regression is ahead of UMA in "
        f"{cells('forward', 'UMA')} cells with the confusion known and in "
        f"{estimated('forward')} fits with an estimate; "
        f"backward in {cells('backward', 'UMA')} and {estimated('backward')}. UMA has the "
        "theorems. "
        f"UMA with the true confusion is ahead of ignoring the noise in {cells('UMA', 'ignoring')} "
        "cells, of itself without a correction (last weights of both) in "
        f"{cells('UMA last', 'uncorrected')}, and of the plain "
        f"ultraconservative Perceptron in {cells('UMA', 'perceptron')}. Cells and fits, here and "
        f"below, are those of {', '.join(grid_of)}: the digits in between, "
        f"{' and '.join(name for name in UNEVEN if name not in grid_of)}, which serve the line on "
        "imbalance alone, are not among them."
    )
    known = [(np.mean(of["errors"]["UMA"]), np.mean(of["errors"]["UMA last"]))
             for cells_of in grid_of.values() for of in cells_of.values()]
    means = [float(np.mean([at[key] for at in every])) for key in ("UMA", "UMA last")]
    yield sure(
        means[0] < means[1] and np.mean([a < b for a, b in known]) > 0.6,
        "**The mean of the weights** met on the way, later ones weighing more, is what the "
        "learner keeps of a run that takes all its updates. With the true confusion it errs less "
        f"than the last weights in {sum(a < b for a, b in known)} of {len(known)} cells "
        f"({np.mean([a for a, _ in known]):.3f} against {np.mean([b for _, b in known]):.3f}), "
        "with an estimate in "
        f"{sum(at['UMA'] < at['UMA last'] for at in every)} of {len(every)} fits "
        f"({means[0]:.3f} against {means[1]:.3f}). It is no part of the theorems: "
        "`average=False` is the paper's algorithm."
    )
    three = [np.array(list(zip(*(of["errors"][key] for key in ("UMA chosen", "UMA", "ignoring")),
                               strict=False)))
             for cells_of in grid_of.values() for of in cells_of.values()
             if "UMA chosen" in of["errors"]]
    runs, ahead = np.concatenate(three), np.array([of.mean(axis=0) for of in three])
    mended, ignored = ((gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap)))
                       for gap in (runs[:, k] - runs[:, 0] for k in (1, 2)))
    wins = [int(np.sum(ahead[:, 0] < ahead[:, k])) for k in (1, 2)]
    yield sure(
        mended[0] > 5 * mended[1],
        "**Steps of length 1, as many as the noisy labels of held-out halves say** "
        "(`UMA chosen`: `normalise=True, max_iter=None`) err less with the true confusion: "
        "{:.3f} against {:.3f} over the {} runs that have both, by {:.3f} ± {:.3f}, ".format(
            *runs.mean(axis=0)[:2], len(runs), *mended)
        + f"in {wins[0]} of {len(three)} cells. They are ahead of ignoring the noise in {wins[1]} "
        f"(UMA of 300 steps in {int(np.sum(ahead[:, 1] < ahead[:, 2]))} of the same runs), by "
        "{:.3f} ± {:.3f} over all. ".format(*ignored)
        + "What remains may be the method's: even noise does not change which class is likeliest, "
        "and a correction by the inverse adds variance; backward correction in logistic "
        f"regression, which does the same, is ahead of ignoring in {cells('backward', 'ignoring')} "
        "cells."
    )
    lines, forward = [], []
    for k in AUDITS:
        at_k = [at for at in every if at["k"] == k]
        won = {name: sum(at["alone"] < at["UMA"] for at in at_k if at["name"] == name)
               for name in grid_of}
        forward.append([sum(at[name] < at["forward"] for at in at_k)
                        for name in ("alone", "self-training")])
        of = {name: sum(at["name"] == name for at in at_k) for name in grid_of}
        least = min(won, key=lambda name: won[name] / max(of[name], 1))
        lines.append(f"{sum(won.values())} of {len(at_k)} with {k} a class (fewest on {least}, "
                     f"{won[least]} of {of[least]})")
    most = [at for at in every if at["k"] == AUDITS[-1]]
    whole = [at for at in most if at["audited"] == at["n"]]
    part = [at for at in most if at["audited"] < at["n"]]
    yield (
        "**Who has audited labels should train on them rather than by UMA.** A classifier from "
        "the audited labels alone beat UMA with the estimated confusion in "
        f"{'; '.join(lines)}. A class of fewer is "
        f"audited whole; in {len(whole)} of the fits with {AUDITS[-1]} a class so is every "
        "example, and what learns from them learns from clean labels: without these "
        f"{sum(at['alone'] < at['UMA'] for at in part)} of {len(part)}. The learner says so of an "
        f"estimate from {AUDITS[-1]} or fewer a class, or, with `audited=`, where they bear it "
        "out. The self-training SVM on the audited labels beat UMA in "
        f"{estimated('self-training')} fits. Beside forward correction "
        "with the estimate it is otherwise: the audited labels alone beat it in "
        f"{', '.join(str(alone) for alone, _ in forward)} fits with "
        f"{', '.join(map(str, AUDITS))} a class, self-training in "
        f"{', '.join(str(trained) for _, trained in forward)}. `alone` is UMA on them; how "
        "logistic regression on them does beside it, `corrected_logistic.md` tells."
    )
    right, wrong, missed, silent = seen[LABELS]
    harms = right + missed
    former = seen[FORMER]
    best = max((label for label in seen if label not in (LABELS, FORMER)),
               key=lambda label: seen[label][0] + seen[label][3])
    yield sure(
        right > wrong and right + silent > max(c[0] + c[3] for label, c in seen.items()
                                               if label != LABELS),
        "**The default warning** is that of the noisy labels themselves: UMA learns from each "
        "half of them, a linear SVM that ignores the noise from four fifths in turn, and "
        "`gain_by_noisy_labels` estimates on the others, without a true label, which of the two "
        "errs less, over a bootstrap of the audit. It has no threshold; that it takes the median "
        "of a bootstrap, the halves and the fifths were chosen after looking at other draws of "
        f"some sets. Off the sets on which thresholds were chosen it warned "
        f"{right + wrong} times, {right} of them rightly, and missed {missed} of {harms} harms. "
        f"The former rule ({FORMER}) was right {former[0]} "
        f"times, wrong {former[1]} and missed {former[2]}; the best threshold on what the "
        f"confusion and its audit tell by themselves ({best}) {seen[best][0]}, {seen[best][1]} and "
        f"{seen[best][2]}: what decides is how the noise turns this classifier on these data."
    )
    compared = [at for at in every if "audited: UMA" in at]
    ignoring = tally(compared, lambda at: at["audited: ignoring errs less"])
    ours = tally(compared, lambda at: at["warned"])
    alone = [(bool(at["audited: alone errs less"]), at["alone"] < at["UMA"]) for at in compared]
    counts = [alone.count(p) for p in ((True, True), (True, False), (False, True), (False, False))]
    off = {name: np.array([at[f"audited: {name}"] - at[name] for at in compared])
           for name in ("UMA", "ignoring", "alone")}
    words = {"UMA": "UMA", "ignoring": "ignoring the noise", "alone": "training on them alone"}
    yield (
        f"**Warnings from the audited examples**, given to `fit` as `audited=`, in the {COMPARED} "
        f"runs of each cell that had them ({len(compared)} fits): that ignoring errs less they "
        f"said rightly {ignoring[0]} times, wrongly {ignoring[1]}, and missed it {ignoring[2]} "
        f"times; in the same fits the noisy labels said it rightly {ours[0]} times, wrongly "
        f"{ours[1]}, and missed it {ours[2]} times. That training on the audited examples alone "
        f"errs less, which noisy labels cannot tell, they said rightly {counts[0]} times, wrongly "
        f"{counts[1]}, and missed it {counts[2]} times. The audited are rows of the sample; "
        "a fifth of them in turn is left out of the sample and of the estimate, and judges. The "
        "error that was said is on average from that on the test labels: "
        + ", ".join(f"of {words[name]} {gap.mean():+.3f} "
                    f"± {gap.std(ddof=1) / np.sqrt(len(gap)):.3f}" for name, gap in off.items())
        + "."
    )
    gain: dict[str, list[float]] = {}
    for cells_of in found["misestimated"].values():
        for of in cells_of.values():
            for how, at in of["wrong"].items():
                if at["UMA"]:
                    gain.setdefault(how, []).append(float(np.mean(gains_of(of, how))))
    leak = by_leakage(found)[1:]
    yield (
        "**A confusion that is wrong**, in a known way: by its r correcting harms in "
        + ", ".join(f"{row[2]} of runs ({row[0]})" for row in leak)
        + ". Mean gains over the cells: "
        + ", ".join(f"{np.mean(gain[how]):+.2f} "
                    + (f"with {how} times the noise" if how[0].isdigit() else how)
                    for how in ("0.25", "0.75", "1", "1.1", "1.5", "taken for even", "turned round")
                    if how in gain) + "."
    )
    told_of = [(how, gain < 0, warned) for cells_of in found["misestimated"].values()
               for of in cells_of.values() for how, at in of["wrong"].items()
               for gain, warned in zip(gains_of(of, how), at["warned"], strict=True)]
    harms = [(how, warned) for how, harm, warned in told_of if harm]
    by_how = {how: [warned for other, warned in harms if other == how] for how in WRONG}
    false = [warned for _, harm, warned in told_of if not harm]
    least = min((how for how in by_how if by_how[how]), key=lambda how: np.mean(by_how[how]))
    yield (
        "**A matrix without counts** says nothing of its errors. The noisy labels are asked with "
        "its own word, and the learner warns where ignoring the noise errs less by a standard "
        "error (chosen after looking at other draws): of the same runs it warned in "
        f"{sum(w for _, w in harms)} of the {len(harms)} that correcting harmed, and in "
        f"{sum(false)} of the {len(false)} others. Least it notices one that is "
        f"{f'{least} times the noise' if least[0].isdigit() else least}, "
        f"{sum(by_how[least])} of {len(by_how[least])}. Nothing else tells: who is not sure of a "
        "matrix has some labels audited."
    )
    # What a note of a claim says.
    sure(all(mean("digits", cell, "UMA k=20") < mean("digits", cell, "uncorrected")
             for cell in ("next 0.4", "two 0.5", "pairs 0.4")),
         "the note of uma/rough-c-suffices/printed")
    steps = {name: (grid_of | found["imbalance"])[name] for name in ("digits", *UNEVEN)}
    told = [f"{name} " + ", ".join(
        f"{np.mean(of[c]['errors']['ignoring']):.2f} to {np.mean(of[c]['errors']['UMA']):.2f} "
        f"({c})" for c in (f"{kind} {rate:g}" for kind, rate in THREE)
    ) for name, of in steps.items()]
    yield "**Class imbalance**: ignoring the noise to UMA with the true confusion, " + "; ".join(
        told) + "."


def page(found: dict[str, Any]) -> str:
    """The page, of what is kept."""
    rows, seen = rules(found)
    runs = len(next(iter(found["grid"]["digits"].values()))["errors"]["clean"])
    fewer = {name: len(next(iter(of.values()))["errors"].get("UMA chosen", ()))
             for name, of in found["grid"].items()}
    told = ", ".join(f"{many} on {name}" for name, many in fewer.items() if many < runs)
    parts = [
        "# Labels from a vendor\n\nWritten by ``python validation/confused_labels.py`` from kept "
        "numbers, every count below too; ``--record`` runs again. Errors on clean test labels, "
        f"means of {runs} runs ± standard errors, in brackets how many runs if a confusion had no "
        "inverse in the others. `gain` is the error of ignoring the noise less that of UMA; `r` "
        "the relative leakage, by the learner's bootstrap or, where the confusion is wrong in a "
        "known way, exact. `ignoring` the noise is a linear SVM on rows of norm 1, which `fit` "
        "compares UMA with; logistic regression, UMA without a correction (`uncorrected`, the last "
        "weights) and the perceptron ignore it, too. `UMA last` is UMA with the last weights in "
        "place of their mean, `UMA chosen` takes steps of length 1, as many as noisy labels say"
        + (f" (runs: {told})" if told else "") + ".\n",
        "## What to make of it\n\n" + "\n".join(f"- {line}" for line in prose(found, seen)) + "\n",
        "## Rules that warn: when does ignoring the noise err less?\n\nAll fits with an estimate "
        f"from {', '.join(map(str, AUDITS))} a class. Thresholds were chosen on "
        f"{', '.join(CHOSEN_ON)} for most right decisions there; the last rule has none.\n\n"
        + table(rows) + "\n",
    ]
    parts += [f"## {name}: {SAID[name]}\n\n{tables_of(found['grid'][name])}"
              for name in SETS if name in found["grid"]]
    parts += [f"## {name}, each class {UNEVEN[name]} times as large as the next\n\n"
              + tables_of(of) for name, of in found["imbalance"].items() if name not in SETS]
    parts.append("## A confusion that is wrong in a known way\n\n" + table(by_leakage(found))
                 + "\n\n" + table(wrong_table(found)) + "\n")
    return "\n".join(parts)


def record(parts: list[str], names: list[str], runs: int, methods: list[str] | None) -> None:
    """Run again, and keep what is found beside what is kept of others."""
    path = HERE.with_suffix(".json")
    for part in parts:
        for name in names:
            held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            kept, into = held.get(part, {}).get(name, {}), part
            if part == "grid" and name in SETS:
                found: Any = grid(name, SETS[name], runs, methods, kept)
            elif part == "audited":
                into = "grid" if name in SETS else "imbalance"
                found = compared_again(name, SETS.get(name, THREE), held[into][name])
            elif part == "imbalance" and name in UNEVEN and name not in SETS:
                found = grid(name, THREE, runs, methods, kept)
            elif part == "misestimated" and name in ("digits", "twenty", "text"):
                found = {f"{kind} {rate:g}": wrong_confusions(name, kind, rate, runs)
                         for kind, rate in (THREE if name != "text" else THREE[1:2])}
            else:
                continue
            held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            # As JSON holds it, to five digits.
            held.setdefault(into, {})[name] = json.loads(
                json.dumps(found), parse_float=lambda digits: float(f"{float(digits):.5g}"))
            path.write_text("{\n" + ",\n".join(
                f"{json.dumps(part)}: {{\n" + ",\n".join(
                    f"{json.dumps(name)}: {json.dumps(of, separators=(',', ':'))}"
                    for name, of in sets.items()) + "\n}" for part, sets in held.items()
            ) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", choices=PARTS, nargs="*", help="all parts unless named")
    parser.add_argument("--data", nargs="*", help="of the record, all at hand unless given")
    parser.add_argument("--methods", nargs="*", help="of the record, beside what is kept of others")
    given = parser.parse_args()
    if given.record is not None:
        # The warnings of too small audits are what is measured here.
        warnings.simplefilter("ignore")
        at_hand = [name for name in {**SETS, **UNEVEN}
                   if name not in tables.FILES or tables.has(name)]
        parts = given.record or [part for part in PARTS if part != "audited"]  # the grid has it
        record(parts, given.data or at_hand, given.runs, given.methods)
    HERE.with_suffix(".md").write_text(
        page(json.loads(HERE.with_suffix(".json").read_text(encoding="utf-8"))), encoding="utf-8")


PARTS = ("grid", "imbalance", "audited", "misestimated")


if __name__ == "__main__":
    main()
