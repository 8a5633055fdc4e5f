"""Labels from a vendor: what UMA gains beside its rivals, and when an estimated confusion harms.

Run as ``python validation/confused_labels.py`` (``--runs 10``, ``--quick``, ``--part``).

- vendor: dense digits, the same with classes whose sizes fall from 130 to 9, twenty Gaussian
  classes of uneven sizes, and sparse text of nine uneven classes: a Reuters stand-in where
  NOISYTHEORY_DATA has it, else documents drawn from topics. Noise is even, to the next class, or
  towards two classes. The confusion is known, or estimated from k audited labels a class; `alone`
  trains on these audited examples and nothing else. `r` is the warning's relative leakage, by a
  bootstrap.
- misestimated: a confusion that is wrong in a known way: noise scaled, turned round (rows for
  columns), or taken for even. `r` is then exact, and correcting should harm where it is above 1.
- rates: UMA, ignoring the noise, and the audited alone over data sets, kinds of noise and rates;
  and how often a warning is right, from the confusion alone and where `fit` has the audited
  examples. Nothing was chosen on these: the second warning has no threshold.
- held-out: the thresholds of the first kind of warning were chosen on the digits, the Gaussian
  classes and the Reuters stand-in of the first part. Here they meet data and kinds of noise that
  had no say in them.

At the end of the first, second and last part: how often a warning came with harm, and without.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from noisytheory.learners import (
    CorrectedLogisticRegression,
    UltraconservativeClassifier,
    UMAClassifier,
)
from noisytheory.topics.multiclass import kernel_features
from noisytheory.topics.multiclass.experiments import tables
from noisytheory.topics.multiclass.experiments.protocol import self_training
from noisytheory.topics.multiclass.experiments.text import documents
from noisytheory.vocabulary.confusion import estimate_confusion, relative_leakage
from noisytheory.vocabulary.noise import Confusion

AUDITS = (20, 50, 200)
TUNED = {"data": ("digits", "twenty", "reuters9"),
         "cells": (("even", 0.4), ("next", 0.4), ("two", 0.5), ("even", 0.2), ("next", 0.2))}
"""What the thresholds of the warnings were chosen on."""
PENALTIES = {"reuters9": 1e-5}
"""Of logistic regression, chosen on another draw; 1e-3 elsewhere, ten times that for backward."""


def noise(kind: str, rate: float, classes: int) -> np.ndarray:
    """Row-stochastic matrix: even, to the next class, or half of all labels towards two classes.

    Held out: to random classes, or one class of each pair to the other.
    """
    if kind == "even":
        return Confusion.uniform(classes, rate).array
    if kind == "next":
        return (1 - rate) * np.eye(classes) + rate * np.roll(np.eye(classes), 1, axis=1)
    if kind == "random":
        rng = np.random.default_rng(classes)
        away = np.array([np.insert(rng.dirichlet(np.full(classes - 1, 0.3)), q, 0.0)
                         for q in range(classes)])
        return (1 - rate) * np.eye(classes) + rate * away
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
    if name in ("digits", "uneven digits"):
        x, t = load_digits(return_X_y=True)
        x = x / 16 - 0.3
        order = rng.permutation(len(t))
        here, there = order[:1300], order[1300:]
        if name == "uneven digits":
            here, there = (
                np.concatenate([at[t[at] == q][: round(size * 1.35**-q)] for q in range(10)])
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
    if name == "mnist":
        with np.load(tables.folder() / "mnist.npz") as archive:
            order = rng.permutation(60_000)[:4000]
            x = archive["x_train"][order].reshape(4000, -1) / 255 - 0.1
            t = archive["y_train"][order].astype(int)
        return x[:2000], t[:2000], x[2000:], t[2000:]
    if name == "twelve":
        t = rng.integers(12, size=5000)
        means = np.random.default_rng(1).normal(size=(12, 25))
        x = means[t] + 1.1 * rng.normal(size=(5000, 25))
        return x[:3000], t[:3000], x[3000:], t[3000:]
    if name == "reuters9":
        found = tables.split("reuters9", rng=rng)
        return found.points, found.labels, found.test, found.truth
    shares = 1.2 ** -np.arange(20.0)
    t = rng.choice(20, size=6000, p=shares / shares.sum())
    means = np.random.default_rng(0).normal(size=(20, 40))
    x = means[t] + 1.3 * rng.normal(size=(6000, 40))
    return x[:4000], t[:4000], x[4000:], t[4000:]


def one_run(
    name: str, kind: str, rate: float, rng: np.random.Generator
) -> tuple[dict[str, float], dict[int, list[float]]]:
    """Errors of the methods, and the warning's number with the gain over ignoring by audit."""
    x, t, test, truth = data(name, rng)
    classes = int(max(t.max(), truth.max())) + 1
    matrix = noise(kind, rate, classes)
    y = Confusion(matrix).apply(t, rng=rng)
    every = np.arange(classes)

    def error(model: Any) -> float:
        return float(np.mean(model.predict(test) != truth))

    def fitted(model: Any, labels: np.ndarray) -> float:
        takes = isinstance(model, UMAClassifier | CorrectedLogisticRegression)
        return error(model.fit(x, labels, **({"classes": every} if takes else {})))

    known = dict(confusion=matrix, orientation="row")
    penalty = PENALTIES.get(name, 1e-3)
    found = {
        "clean": fitted(UMAClassifier(), t),
        "ignore": fitted(UMAClassifier(), y),
        "online": fitted(UltraconservativeClassifier(random_state=0, passes=5), y),
        "SVM": fitted(LinearSVC(tol=0.05, random_state=0), y),
        "logistic": fitted(CorrectedLogisticRegression(correction="none", penalty=penalty), y),
        "UMA": fitted(UMAClassifier(**known), y),
        "UMA forced": fitted(UMAClassifier(**known, step="forced"), y),
        "forward": fitted(CorrectedLogisticRegression(**known, penalty=penalty), y),
        "backward": fitted(
            CorrectedLogisticRegression(**known, correction="backward", penalty=10 * penalty), y
        ),
    }
    told: dict[int, list[float]] = {}
    for k in AUDITS:
        picked = [np.flatnonzero(t == q) for q in range(classes)]
        if min(map(len, picked)) == 0:
            continue
        audited = np.concatenate([rng.permutation(at)[:k] for at in picked])
        guess = estimate_confusion(y[audited], t[audited], classes)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = UMAClassifier(guess, random_state=0).fit(x, y, classes=every)
            said = any("ignor" in str(w.message) for w in caught)
            forward = CorrectedLogisticRegression(guess, penalty=penalty).fit(x, y, classes=every)
        except ValueError:
            continue
        found[f"UMA k={k}"], found[f"forward k={k}"] = error(model), error(forward)
        found[f"alone k={k}"] = error(UMAClassifier().fit(x[audited], t[audited]))
        told[k] = [model.relative_leakage_, found["ignore"] - found[f"UMA k={k}"], said]
        if k == AUDITS[0]:
            found["self-training k=20"] = error(self_training(x[audited], t[audited], x))
    return found, told


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


def wrong_confusions(name: str, kind: str, rate: float, runs: int) -> list[tuple[float, float]]:
    """Prints error and gain over ignoring by what is wrong; returns every r with its gain."""
    gains: dict[str, list[float]] = {how: [] for how in WRONG}
    forced: dict[str, list[float]] = {how: [] for how in WRONG}
    leaks: dict[str, float] = {}
    plain = []
    for r in range(runs):
        rng = np.random.default_rng([2026, 7, r])
        x, t, test, truth = data(name, rng)
        classes = int(max(t.max(), truth.max())) + 1
        matrix, every = noise(kind, rate, classes), np.arange(classes)
        y = Confusion(matrix).apply(t, rng=rng)
        ignore = float(np.mean(UMAClassifier().fit(x, y, classes=every).predict(test) != truth))
        plain.append(ignore)
        for how in WRONG:
            guess = misestimated(matrix, how)
            leaks[how] = relative_leakage(guess, matrix.T)
            if np.linalg.cond(guess) > 1e12:
                continue
            for step, into in (("predicted", gains), ("forced", forced)):
                model = UMAClassifier(guess, orientation="column", step=step)
                error = float(np.mean(model.fit(x, y, classes=every).predict(test) != truth))
                into[how].append(ignore - error)
    print(f"\n{name}, {kind} noise, rate {rate:g}, {runs} runs: ignoring it {np.mean(plain):.3f}")
    print("  noise that UMA is told of      r    gain over ignoring   with forced steps")
    found = []
    for how in WRONG:
        told = f"times {how}" if how[0].isdigit() else how
        if not gains[how]:
            print(f"  {told:26s} {leaks[how]:6.2f}   no inverse")
            continue
        cells = (f"{np.mean(g):+.3f} ± {_error(g):.3f}" for g in (gains[how], forced[how]))
        print(f"  {told:26s} {leaks[how]:6.2f}   {'      '.join(cells)}")
        found += [(leaks[how], gain) for gain in gains[how]]
    return found


def _error(values: Any) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def vendor(names: list[str], cells: list[tuple[str, float]], runs: int) -> None:
    """Prints all methods in all cells, and how the warnings did."""
    tally: dict[str, np.ndarray] = {}
    for name in names:
        for kind, rate in cells:
            every = [
                one_run(name, kind, rate, np.random.default_rng([2026, r])) for r in range(runs)
            ]
            print(f"\n{name}, {kind} noise, rate {rate:g}, {runs} runs")
            for key in every[0][0]:
                values = [found[key] for found, _ in every if key in found]
                print(f"  {key:20s} {np.mean(values):.3f} ± {_error(values):.3f}")
            for k in AUDITS:
                pairs = np.array([told[k] for _, told in every if k in told])
                if not len(pairs):
                    continue
                better = [
                    found[f"alone k={k}"] < found[f"UMA k={k}"]
                    for found, told in every if k in told
                ]
                print(f"  k={k}: r {np.median(pairs[:, 0]):.2f}, gain over ignoring "
                      f"{pairs[:, 1].mean():+.3f}, warned in {int(pairs[:, 2].sum())}, the audited "
                      f"alone better in {sum(better)} of {len(better)}")
                harm, says = pairs[:, 1] < 0, pairs[:, 2] > 0
                known = name in TUNED["data"] and (kind, rate) in TUNED["cells"]
                kept = "chosen on" if known else "new"
                tally.setdefault(kept, np.zeros(4, int))
                tally[kept] += [
                    (says & harm).sum(), (says & ~harm).sum(), (~says & harm).sum(),
                    (~says & ~harm).sum(),
                ]
    for kept, (right, wrong, missed, quiet) in tally.items():
        print(f"\ncells that the thresholds were {kept}:" if kept == "chosen on" else
              "\ncells that are new to the thresholds:", end=" ")
        print(f"warning and harm {right}, warning without harm {wrong}, harm without a warning "
              f"{missed}, neither {quiet}")


RATES = {"even": (0.1, 0.2, 0.6), "next": (0.1, 0.2, 0.4), "two": (0.3, 0.5),
         "random": (0.2, 0.4), "pairs": (0.2, 0.4)}


def by_rate(names: list[str], runs: int) -> None:
    """Prints errors over noise rates and audits, and how the two kinds of warning did."""
    total = {"the confusion": np.zeros(4, int), "the audited examples": np.zeros(4, int),
             "the audited examples, of training on them alone": np.zeros(4, int)}
    for name in names:
        print(f"\n{name}, {runs} runs: ignoring the noise, UMA with the true confusion, and by "
              "audit UMA and the audited alone")
        for kind, rates in RATES.items():
            for rate in rates:
                found: dict[str, list[float]] = {}
                for r in range(runs):
                    rng = np.random.default_rng([2026, 9, r])
                    for key, value in _rated(name, kind, rate, total, rng):
                        found.setdefault(key, []).append(value)
                cells = (f"{key} {np.mean(values):.3f}" for key, values in found.items())
                print(f"  {kind} {rate:g}: {', '.join(cells)}", flush=True)
    for what, (right, wrong, missed, quiet) in total.items():
        print(f"warnings from {what}: right {right}, wrong {wrong}, missed {missed}, rightly "
              f"silent {quiet}")


def _rated(
    name: str, kind: str, rate: float, total: dict[str, np.ndarray], rng: np.random.Generator
) -> list[tuple[str, float]]:
    """Errors of one run; counts what its warnings were worth."""
    x, t, test, truth = data(name, rng)
    classes = int(max(t.max(), truth.max())) + 1
    matrix, every = noise(kind, rate, classes), np.arange(classes)
    y = Confusion(matrix).apply(t, rng=rng)

    def error(model: UMAClassifier) -> float:
        return float(np.mean(model.predict(test) != truth))

    ignore = error(UMAClassifier().fit(x, y, classes=every))
    found = [("ignoring", ignore), ("UMA", error(
        UMAClassifier(matrix, orientation="row").fit(x, y, classes=every)))]
    for k in AUDITS:
        picked = [np.flatnonzero(t == q) for q in range(classes)]
        audited = np.concatenate([rng.permutation(at)[:k] for at in picked])
        guess = estimate_confusion(y[audited], t[audited], classes)
        said = []
        try:
            # What the confusion tells by itself it tells after one update, too.
            for given, most in ((None, 1), ((x[audited], t[audited]), 300)):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    model = UMAClassifier(guess, max_iter=most, random_state=0)
                    model.fit(x, y, classes=every, audited=given)
                said.append(" ".join(str(w.message) for w in caught))
        except ValueError:
            continue
        ours, alone = error(model), error(UMAClassifier().fit(x[audited], t[audited]))
        found += [(f"k={k}: UMA", ours), (f"k={k}: alone", alone)]
        for what, warned, harm in zip(
            total, ("ignor" in said[0], "ignoring" in said[1], "alone" in said[1]),
            (ours > ignore, ours > ignore, ours > alone), strict=True,
        ):
            total[what][2 * (not warned) + (not harm)] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    every = ["vendor", "misestimated", "rates", "held-out"]
    parser.add_argument("--part", choices=every, nargs="*")
    parser.add_argument("--data", nargs="*", help="of the first part and of rates, all by default")
    parser.add_argument("--quick", action="store_true", help="digits, one rate, and nothing more")
    given = parser.parse_args()
    # The warnings of too small audits are what is measured here.
    warnings.simplefilter("ignore")
    parts = ["vendor"] if given.quick else given.part or every
    there = tables.data_at_hand()
    text = "reuters9" if "reuters9" in there else "text"
    cells = [("even", 0.4), ("next", 0.4), ("two", 0.5)]
    if "vendor" in parts:
        names = ["digits"] if given.quick else (
            given.data or ["digits", "uneven digits", "twenty", text]
        )
        vendor(names, cells, given.runs)
        if "digits" in names and not given.quick:
            vendor(["digits"], [(k, r) for r in (0.1, 0.2, 0.6) for k in ("even", "next")],
                   given.runs)
    if "misestimated" in parts:
        found = []
        for name in ("digits", "twenty", text):
            for kind, rate in cells if name != text else [("next", 0.4)]:
                found += wrong_confusions(name, kind, rate, given.runs)
        for low, high in ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1), (1, 1.5), (1.5, np.inf)):
            gains = [gain for leak, gain in found if low <= leak < high]
            if gains:
                print(f"r from {low:g} to {high:g}: correcting harms in "
                      f"{sum(gain < 0 for gain in gains)} of {len(gains)} runs, gain "
                      f"{np.mean(gains):+.3f}")
    if "rates" in parts:
        names = ["digits", "uneven digits", "twelve", "twenty", text]
        names += ["letter"] if tables.has("letter") else []
        by_rate(given.data or names, max(2, given.runs // 2))
    if "held-out" in parts:
        names = ["twelve", *(n for n in ("letter", "mnist") if tables.has(n))]
        vendor(names, [("random", 0.3), ("pairs", 0.4), ("even", 0.3)], given.runs)


if __name__ == "__main__":
    main()
