"""Average top-k beside other aggregates on ten data sets, paired over splits.

Run as ``python validation/average_top_k.py [--splits 10]`` (``--record`` writes the page
``average_top_k.md``). Monk and Titanic are generated; breast cancer, once more with a tenth of one
class mislabelled, wine and digits come with scikit-learn; with ``NOISYTHEORY_DATA`` Australian,
German, Spambase and Letter are read as well. Half of the data trains, a quarter chooses, a quarter
tests. Every model is linear with a constant feature; C (and k, the trimmed share, or the focusing
power) is chosen by validation error. Differences from the average loss are paired over splits, with
95 per cent t-intervals.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from noisytheory.topics.top_k import collapse_threshold, fit, select, useful_grid
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.recipes import monk_3, split, titanic

CS = tuple(10.0 ** np.arange(-2, 5, 2))
Data = tuple[np.ndarray, np.ndarray]
LOGISTIC = "logistic"


def standardised(x: np.ndarray, y: np.ndarray) -> Data:
    """Columns of mean 0 and variance 1, constants dropped, and a constant feature."""
    spread = x.std(axis=0)
    x = (x[:, spread > 0] - x[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    return np.column_stack([x, np.ones(len(x))]), y


def held(name: str) -> np.ndarray | None:
    """A table of the data folder."""
    path = Path(os.environ.get("NOISYTHEORY_DATA", ""), f"{name}.csv.gz")
    if not os.environ.get("NOISYTHEORY_DATA") or not path.is_file():
        return None
    with gzip.open(path, "rt") as lines:
        return np.loadtxt(lines, delimiter=",", skiprows=1)


def flipped(data: Data, share: float, seed: int) -> Data:
    """Some labels of the first class turned: partly mislabelled."""
    x, y = data
    rng = np.random.default_rng(seed)
    turn = (y > 0) & (rng.random(len(y)) < share)
    return x, np.where(turn, -y, y)


@contextlib.contextmanager
def page(script: str, words: str | None) -> Iterator[None]:
    """What is printed, into the page beside the script as well, if it has words to begin with."""
    if words is None:
        yield
        return
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield
    title, _, rest = words.partition("\n\n")
    path = Path(script).with_suffix(".md")
    found = text.getvalue().strip()
    path.write_text(f"# {title.strip()}\n\n{rest.strip()}\n\n```text\n{found}\n```\n")
    print(text.getvalue())


def sets() -> dict[str, Data]:
    """All that is at hand, two classes each."""
    found = {"Monk": monk_3(), "Titanic": titanic()}
    bunch = load_breast_cancer()
    cancer = standardised(bunch.data, np.where(bunch.target == 1, 1.0, -1.0))
    found["breast cancer"] = cancer
    found["breast cancer, 10 % mislabelled"] = flipped(cancer, 0.1, 0)
    digits = load_digits()
    found["digits, 8 against the rest"] = standardised(
        digits.data, np.where(digits.target == 8, 1.0, -1.0))
    wine = load_wine()
    found["wine, 1 against the rest"] = standardised(
        wine.data, np.where(wine.target == 1, 1.0, -1.0))
    for name, positive in (("australian", 1), ("german", 2), ("spambase", 1), ("letter", 7)):
        table = held(name)
        if table is not None:
            rows = table[:4000] if name == "letter" else table
            label = {"letter": "letter, H against the rest"}.get(name, name)
            found[label] = standardised(rows[:, :-1], np.where(rows[:, -1] == positive, 1.0, -1.0))
    return found


def best(
    models: Callable[[float], list[np.ndarray]], validation: Data, test: Data
) -> tuple[float, float]:
    """Test error and G-mean of the model of least validation error."""
    ranked = [(wrong(w, validation), place, w)
              for place, w in enumerate(w for C in CS for w in models(C))]
    _, _, w = min(ranked, key=lambda entry: entry[:2])
    return wrong(w, test), g_mean(w, test)


def wrong(w: np.ndarray, data: Data) -> float:
    return float(np.mean(np.where(data[0] @ w >= 0, 1.0, -1.0) != data[1]))


def g_mean(w: np.ndarray, data: Data) -> float:
    right = np.where(data[0] @ w >= 0, 1.0, -1.0) == data[1]
    return float(np.sqrt(right[data[1] > 0].mean() * right[data[1] < 0].mean()))


def methods(train: Data, validation: Data, test: Data) -> dict[str, tuple[float, float]]:
    """Every method on one split."""
    x, y = train
    n = len(y)

    def average(C: float, weight: np.ndarray | None = None) -> np.ndarray:
        return fit(x, y, LOGISTIC, k=1.0, C=C, sample_weight=weight, tol=1e-4).coef

    def trimmed(C: float) -> list[np.ndarray]:
        out = []
        for share in (0.02, 0.1):
            weight = np.ones(n)
            for _ in range(5):
                w = average(C, weight)
                cut = np.quantile(np.logaddexp(0, -y * (x @ w)), 1 - share)
                weight = (np.logaddexp(0, -y * (x @ w)) <= cut).astype(float)
            out.append(w)
        return out

    def focal(C: float) -> list[np.ndarray]:
        out = []
        for power in (1.0, 2.0):
            weight = np.ones(n)
            for _ in range(5):
                w = average(C, weight)
                weight = (1 / (1 + np.exp(y * (x @ w)))) ** power + 1e-6
            out.append(w)
        return out

    share = np.mean(y > 0)
    balanced = np.where(y > 0, 0.5 / share, 0.5 / (1 - share))
    out = {
        "average": best(lambda C: [average(C)], validation, test),
        "class weights": best(lambda C: [average(C, balanced)], validation, test),
        "focal": best(focal, validation, test),
        "trimmed": best(trimmed, validation, test),
        "maximum": best(lambda C: [fit(x, y, LOGISTIC, k=1, C=C, tol=1e-4).coef], validation, test),
    }
    for loss in (LOGISTIC, "hinge"):
        ks = useful_grid(x, y, 8) if n <= 1000 else sorted(
            {int(n * q) for q in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)})
        chosen = select(x, y, loss, validation=validation, Cs=CS, ks=ks)
        w = chosen.solution.coef
        out[f"AT_k* {loss}"] = (wrong(w, test), g_mean(w, test))
        if loss == "hinge":
            whole = select(x, y, loss, validation=validation, Cs=CS, ks=[n]).solution.coef
            out["average hinge"] = (wrong(whole, test), g_mean(whole, test))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--only", help="one set, by the start of its name")
    parser.add_argument("--record", action="store_true", help="write the page")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotCertified)
    with page(__file__, __doc__ if given.record else None):
        comparison(given.splits, given.only)


def comparison(splits: int, only: str | None) -> None:
    """Every set."""
    print("error in per cent (G-mean); below, error minus that of the average with its interval")
    verdicts: list[str] = []
    for name, (x, y) in sets().items():
        if only and not name.startswith(only):
            continue
        rows: dict[str, list[tuple[float, float]]] = {}
        thresholds = []
        for seed in range(splits):
            parts = split(len(y), np.random.default_rng(seed))
            train, validation, test = ((x[part], y[part]) for part in parts)
            if len(train[1]) <= 1200:
                thresholds.append(collapse_threshold(*train) / len(train[1]))
            for method, pair in methods(train, validation, test).items():
                rows.setdefault(method, []).append(pair)
        collapse = f", h* {np.mean(thresholds):.2f}" if thresholds else ""
        print(f"\n{name}: n={len(y)}, d={x.shape[1] - 1}{collapse}, {splits} splits")
        base = np.array(rows["average"])[:, 0]
        for method, pairs in rows.items():
            errors, means = 100 * np.array(pairs).T
            against = np.array(rows["average hinge"])[:, 0] if "hinge" in method else base
            gap = errors - 100 * against
            width = stats.t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap))
            if method.startswith("AT_k*") and gap.mean() != 0:
                where = ("within the interval" if abs(gap.mean()) <= width else
                         "less" if gap.mean() < 0 else "more")
                verdicts.append(f"  {method}, {name}: {gap.mean():+.2f}, {where}")
            print(f"  {method:16s} {errors.mean():6.2f} ({errors.std(ddof=1):.2f})  "
                  f"G {means.mean():6.2f}   {gap.mean():+6.2f} +- {width:.2f}", flush=True)
    print("\nAT_k* against the average loss, in points of error; sets not named: no difference")
    print("\n".join(verdicts))


if __name__ == "__main__":
    main()
