"""Labels from a vendor: what UMA gains beside its rivals, and when an estimated confusion harms.

Run as ``python validation/confused_labels.py`` (``--runs 5``, ``--quick``). Dense digits and text
of nine and of twenty classes: scikit-learn's digits, a Reuters stand-in where NOISYTHEORY_DATA has
it, and twenty Gaussian classes of uneven sizes. Noise: even, to the next class, or towards two
classes. The confusion is known, or estimated from k audited labels a class; `alone` trains on
these audited examples and nothing else. `r` is the warning's relative leakage, by a bootstrap.
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
from noisytheory.topics.multiclass.experiments import tables
from noisytheory.topics.multiclass.experiments.protocol import self_training
from noisytheory.vocabulary.confusion import estimate_confusion
from noisytheory.vocabulary.noise import Confusion

AUDITS = (20, 50, 200)
PENALTIES = {"reuters9": 1e-5}
"""Of logistic regression, chosen on another draw; 1e-3 elsewhere, ten times that for backward."""


def noise(kind: str, rate: float, classes: int) -> np.ndarray:
    """Row-stochastic matrix: even, to the next class, or half of all labels towards two classes."""
    if kind == "even":
        return Confusion.uniform(classes, rate).array
    if kind == "next":
        return (1 - rate) * np.eye(classes) + rate * np.roll(np.eye(classes), 1, axis=1)
    two = np.zeros(classes)
    two[:2] = 0.7, 0.3
    return (1 - rate) * np.eye(classes) + rate * two


def data(name: str, rng: np.random.Generator) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Examples to learn from and to test on."""
    if name == "digits":
        x, t = load_digits(return_X_y=True)
        x = x / 16 - 0.3
        order = rng.permutation(len(t))
        here, there = order[:1300], order[1300:]
        return x[here], t[here], x[there], t[there]
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
        "SVM": fitted(LinearSVC(max_iter=3000), y),
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
            said = any("audited" in str(w.message) for w in caught)
            forward = CorrectedLogisticRegression(guess, penalty=penalty).fit(x, y, classes=every)
        except ValueError:
            continue
        found[f"UMA k={k}"], found[f"forward k={k}"] = error(model), error(forward)
        found[f"alone k={k}"] = error(UMAClassifier().fit(x[audited], t[audited]))
        told[k] = [model.relative_leakage_, found["ignore"] - found[f"UMA k={k}"], said]
        if k == AUDITS[0]:
            found["self-training k=20"] = error(self_training(x[audited], t[audited], x))
    return found, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", nargs="*", choices=["digits", "twenty", "reuters9"])
    parser.add_argument("--quick", action="store_true", help="digits, one rate")
    given = parser.parse_args()
    # The warnings of too small audits are what is measured here.
    warnings.simplefilter("ignore")
    names = given.data or [
        "digits", "twenty", *(["reuters9"] if "reuters9" in tables.data_at_hand() else [])
    ]
    cells = [("even", 0.4), ("next", 0.4), ("two", 0.5)]
    if not given.quick:
        cells += [("even", 0.2), ("next", 0.2)]
    right = quiet = wrong = missed = 0
    for name in names[: 1 if given.quick else None]:
        for kind, rate in cells:
            runs, leaks = [], []
            for r in range(given.runs):
                found, told = one_run(name, kind, rate, np.random.default_rng([2026, r]))
                runs.append(found)
                leaks.append(told)
            print(f"\n{name}, {kind} noise, rate {rate:g}, {given.runs} runs")
            for key in runs[0]:
                values = np.array([run[key] for run in runs if key in run])
                error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
                print(f"  {key:20s} {values.mean():.3f} ± {error:.3f}")
            for k in AUDITS:
                pairs = np.array([told[k] for told in leaks if k in told])
                if not len(pairs):
                    continue
                print(f"  k={k}: r {np.median(pairs[:, 0]):.2f}, gain over ignoring "
                      f"{pairs[:, 1].mean():+.3f}")
                harm = pairs[:, 1] < 0
                says = pairs[:, 2] > 0
                right += int((says & harm).sum())
                wrong += int((says & ~harm).sum())
                missed += int((~says & harm).sum())
                quiet += int((~says & ~harm).sum())
    print(f"\nwarning and harm {right}, warning without harm {wrong}, harm without a warning "
          f"{missed}, neither {quiet}")


if __name__ == "__main__":
    main()
