"""Average top-k beside other aggregates on ten data sets and a corrupted one, paired over splits.

Run as ``python validation/average_top_k.py [--splits 30]`` (``--record`` writes the page
``average_top_k.md``, ``--again`` what is said of the numbers on it). Monk and Titanic are
generated; breast cancer, wine and digits come with scikit-learn, the first once more with a tenth
of the benign mislabelled where models train and choose, and tested on true labels; with
``NOISYTHEORY_DATA`` Australian, German, Spambase, Letter and Abalone are read as well. Half of the
data trains, a quarter chooses, a quarter tests. Every model is linear with a constant feature; C
(and k, the trimmed share, or the focusing power) is chosen by validation error, and once more, from
the same fits, by the G-mean on validation data, as imbalanced data ask for. C is .01, 1, 100 or
10,000; k one of eight values on the useful range, or of seven shares of n where the training part
has more than 1,000 examples; two trimmed shares, two powers. AT_k* so chooses among up to 32 models
and the average among 4: "fine" is the average with 31 values of C on the same range, and what AT_k*
wins is counted against both. AT_k* is what `select` returns, which does not fit every (C, k) from
scratch: on five splits they are fitted on their own, too, to a gap of 1e-4 as all other models, and
the last lines say what each road took and how often both choose alike. Differences are paired over
splits, with 95 per cent t-intervals: splits of one data set share examples, and of forty-four
intervals of a measure two would miss 0 by chance; an asterisk marks those that do.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from noisytheory.topics.top_k import Selected, collapse_threshold, fit, select, useful_grid
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.recipes import monk_3, split, titanic

CS = tuple(10.0 ** np.arange(-2, 5, 2))
FINE = tuple(np.geomspace(CS[0], CS[-1], 31))
Data = tuple[np.ndarray, np.ndarray]
LOGISTIC = "logistic"
BOTH = 5
"""Splits on which every (C, k) is fitted as well."""
CLEAN, MISLABELLED = "breast cancer", "breast cancer, a tenth of one class mislabelled"
MINUS = "AT_k* minus the average loss with 4 values of C; with 31, in points of"


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
    """A share of the first class's labels turned: partly mislabelled."""
    x, y = data[0], data[1].copy()
    of_first = np.flatnonzero(y > 0)
    turn = np.random.default_rng(seed).choice(
        of_first, round(share * len(of_first)), replace=False)
    y[turn] = -1
    return x, y


@contextlib.contextmanager
def page(
    script: str, words: str | None, told: Callable[[str], str] = lambda found: ""
) -> Iterator[None]:
    """What is printed, into the page beside the script as well, if it has words to begin with.

    What is told of it stands before it.
    """
    if words is None:
        yield
        return
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield
    written(script, words, text.getvalue().strip(), told)
    print(text.getvalue())


def written(script: str, words: str, found: str, told: Callable[[str], str]) -> None:
    """The page: words, what is told of what was found, and that."""
    title, _, rest = words.partition("\n\n")
    parts = (f"# {title.strip()}", rest.strip(), told(found), f"```text\n{found}\n```")
    Path(script).with_suffix(".md").write_text("\n\n".join(filter(None, parts)) + "\n")


def found_before(script: str) -> str:
    """What a page says was found."""
    text = Path(script).with_suffix(".md").read_text()
    return text.partition("```text\n")[2].rpartition("\n```")[0]


def sets() -> dict[str, Data]:
    """All that is at hand, two classes each."""
    found = {"Monk": monk_3(), "Titanic": titanic()}
    bunch = load_breast_cancer()
    cancer = standardised(bunch.data, np.where(bunch.target == 1, 1.0, -1.0))
    found[CLEAN] = cancer
    found[MISLABELLED] = flipped(cancer, 0.1, 0)
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
    table = held("abalone")
    if table is not None:
        found["abalone, 15 rings or more"] = standardised(
            table[:, :-1], np.where(table[:, -1] >= 15, 1.0, -1.0))
    return found


def best(models: Sequence[np.ndarray], validation: Data, test: Data) -> tuple[float, float, float]:
    """Test error and G-mean by validation error, and test G-mean by validation G-mean.

    Of ties the first.
    """
    one = min(models, key=lambda w: wrong(w, validation))
    other = max(models, key=lambda w: g_mean(w, validation))
    return wrong(one, test), g_mean(one, test), g_mean(other, test)


def wrong(w: np.ndarray, data: Data) -> float:
    return float(np.mean(np.where(data[0] @ w >= 0, 1.0, -1.0) != data[1]))


def paired(values: np.ndarray, base: Sequence[tuple[float, ...]], at: int) -> tuple[float, float]:
    """Mean difference from a method's figures in per cent, and half its interval."""
    gap = values - 100 * np.array(base)[:, at]
    width = stats.t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap))
    return float(gap.mean()), float(width)


def g_mean(w: np.ndarray, data: Data) -> float:
    right = np.where(data[0] @ w >= 0, 1.0, -1.0) == data[1]
    return float(np.sqrt(right[data[1] > 0].mean() * right[data[1] < 0].mean()))


def fitted(
    train: Data, loss: str, ks: Sequence[int], Cs: Sequence[float]
) -> tuple[np.ndarray, float]:
    """Minimisers of every (C, k), shape (C, k, d), and their largest gap.

    Whether zero is the minimiser is the same at every C, and for every smaller k.
    """
    out = np.zeros((len(Cs), len(ks), train[0].shape[1]))
    zero, gap = 0, 0.0
    for i, C in enumerate(Cs):
        for j, k in sorted(enumerate(ks), key=lambda pair: -pair[1]):
            if k <= zero:
                break
            found = fit(*train, loss, k=k, C=float(C), tol=1e-4)
            out[i, j], gap = found.coef, max(gap, found.relative_gap)
            zero = k if found.regime == "zero" else zero
    return out, gap


class Roads:
    """Processor time of both roads to (C, k), and how often they choose the same error on test."""

    def __init__(self) -> None:
        self.seconds = np.zeros(2)
        self.splits, self.alike = 0, 0

    def compare(
        self, train: Data, validation: Data, test: Data, loss: str, ks: Sequence[int]
    ) -> Selected:
        """What `select` returns; every (C, k) is fitted on its own as well."""
        start = time.process_time()
        found = select(*train, loss, validation=validation, Cs=CS, ks=ks)
        middle = time.process_time()
        every, _ = fitted(train, loss, ks, CS)
        self.seconds += middle - start, time.process_time() - middle
        own = best(in_order(every), validation, test)
        self.splits += 1
        self.alike += wrong(found.solution.coef, test) == own[0]
        return found


def in_order(coefs: np.ndarray) -> list[np.ndarray]:
    """Models of shape (C, k, d) so that of ties the larger k is first, then the smaller C."""
    return [w for k in range(coefs.shape[1] - 1, -1, -1) for w in coefs[:, k]]


def methods(
    train: Data, validation: Data, test: Data, roads: dict[str, Roads] | None
) -> dict[str, tuple[float, float, float]]:
    """Every method on one split."""
    x, y = train
    n = len(y)

    def average(C: float, weight: np.ndarray | None = None, loss: str = LOGISTIC) -> np.ndarray:
        return fit(x, y, loss, k=1.0, C=C, sample_weight=weight, tol=1e-4).coef

    def trimmed(C: float) -> list[np.ndarray]:
        out = []
        for share in (0.02, 0.1):
            weight = np.ones(n)
            for _ in range(5):
                w = average(C, weight)
                losses = np.logaddexp(0, -y * (x @ w))
                # Losses that tie stay together, whatever their last digit.
                kept = losses <= np.quantile(losses, 1 - share) * (1 + 1e-9)
                if np.ptp(y[kept]) == 0:
                    break
                weight = kept.astype(float)
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
    models = {
        "average": [average(C) for C in CS],
        "average, fine": [average(C) for C in FINE],
        "class weights": [average(C, balanced) for C in CS],
        "focal": [w for C in CS for w in focal(C)],
        "trimmed": [w for C in CS for w in trimmed(C)],
        "maximum": [fit(x, y, LOGISTIC, k=1, C=C, tol=1e-4).coef for C in CS],
    }
    ks = useful_grid(x, y, 8) if n <= 1000 else [
        int(n * q) for q in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)]
    chosen = {}
    for loss in (LOGISTIC, "hinge"):
        found = (select(x, y, loss, validation=validation, Cs=CS, ks=ks) if roads is None
                 else roads[loss].compare(train, validation, test, loss, ks))
        w = found.solution.coef
        by_mean = best(in_order(found.coefs), validation, test)[2]
        chosen[f"AT_k* {loss}"] = wrong(w, test), g_mean(w, test), by_mean
    models["average hinge"] = list(found.coefs[:, -1])
    models["average hinge, fine"] = [average(C, loss="hinge") for C in FINE]
    return {name: best(tried, validation, test) for name, tried in models.items()} | chosen


def sized(gain: tuple[float, float]) -> str:
    """A gain with its interval."""
    return "{:+.2f} ± {:.2f}".format(*gain)


def marked(mean: float, half: float) -> str:
    """A difference with its interval; an asterisk says that 0 is outside, on either side."""
    return f"{mean:+6.2f} +- {half:.2f}{' *' * (round(abs(mean), 2) > round(half, 2))}"


@dataclass(frozen=True)
class Verdict:
    """What AT_k* gains, less error or more G-mean, on two averages, in points.

    Parameters
    ----------
    loss, name : str
    four, fine : (float, float)
        On those with 4 values of C, and 31: mean, and half the interval.
    """

    loss: str
    name: str
    four: tuple[float, float]
    fine: tuple[float, float]

    @property
    def signs(self) -> tuple[int, int]:
        """1 where the interval is above 0, -1 where it is below, else 0."""
        four, fine = ((gain > half) - (gain < -half) for gain, half in (self.four, self.fine))
        return four, fine

    @property
    def words(self) -> str:
        """The data, and the loss."""
        return f"{self.name} with {self.loss} loss"


def verdicts(found: str, what: str) -> list[Verdict]:
    """All of a measure, "error" or "G-mean", as they are printed."""
    lines = found.partition(f"{MINUS} {what}\n")[2].partition("\n\n")[0].splitlines()
    better, out = -1 if what == "error" else 1, []
    number = r" +(\S+) \+- (\S+)(?: \*)?"
    for line in lines:
        loss, name, *told = re.fullmatch(rf"  AT_k\* (\w+), (.*):{number};{number}", line).groups()
        gains, halves = [better * float(v) for v in told[::2]], [float(v) for v in told[1::2]]
        out.append(Verdict(loss, name, (gains[0], halves[0]), (gains[1], halves[1])))
    return out


def gained(found: str, name: str, method: str, what: str) -> tuple[float, float]:
    """On the average with 4 values of C, in points: mean, and half the interval."""
    rows = found.partition(f"\n{name}: n=")[2].partition("\n\n")[0]
    pairs = re.findall(r"(\S+) \+- ([\d.]+)", next(
        line for line in rows.splitlines() if line.startswith(f"  {method}  ")))
    mean, half = (float(v) for v in pairs[what == "G-mean"])
    return (-mean if what == "error" else mean), half


WAYS = {
    "gains on both": lambda a, b: a > 0 and b > 0,
    "loses to both": lambda a, b: a < 0 and b < 0,
    "gains on the one with 4 alone": lambda a, b: a > 0 >= b,
    "gains on the one with 31 alone": lambda a, b: b > 0 >= a,
    "loses to the one with 4 alone": lambda a, b: a < 0 <= b,
    "loses to the one with 31 alone": lambda a, b: b < 0 <= a,
}


def told(found: str) -> str:
    """Where AT_k* wins, by how much, and where it does not, as a part of a page."""
    said = ["## Where AT_k* gains on the average loss, and where it loses",
            "A gain is less error, or more G-mean, in points; both averages have AT_k*'s loss."]
    for what in ("error", "G-mean"):
        every = verdicts(found, what)
        outside = sum(abs(sign) for v in every for sign in v.signs)
        said.append(f"In {what} 0 is outside of {outside} of {2 * len(every)} intervals. Beside "
                    "the averages with 4 and with 31 values of C, AT_k*")
        lines = []
        for way, holds in WAYS.items():
            cases = []
            for v in every:
                if holds(*v.signs):
                    sizes = ([v.fine] if "31" in way else [v.four] if "4" in way
                             else [v.four, v.fine])
                    cases.append(f"{v.words} ({' and '.join(map(sized, sizes))})")
            lines.append(f"- {way}: {'; '.join(cases) or 'nowhere'}.")
        said.append("\n".join(lines))
        worse = []
        for v in (v for v in every if v.signs[1] > 0):
            base = "average hinge" if v.loss == "hinge" else "average"
            gap = gained(found, v.name, f"{base}, fine", what)
            if gap[0] < 0:
                worse.append(f"{v.words} ({sized(gap)})")
        if worse:
            said.append("Where it gains on the average with 31 values, that one is itself "
                        f"behind the one with 4 on {'; '.join(worse)}.")
    names = list(dict.fromkeys(v.name for v in every))
    more = [name for name in names
            if max(gained(found, name, m, "G-mean")[0] for m in ("class weights", "trimmed"))
            > max(gained(found, name, "AT_k* logistic", "G-mean")[0], 0)]
    said.append("Of what is logistic, class weights or trimmed losses gain more G-mean in the mean "
                f"than AT_k* on {len(more)} of {len(names)} sets: {'; '.join(more)}.")
    best = [re.fullmatch(r"  (.*): (.*); (.*)", line).groups()
            for line in found.partition("Best of all: in error; in G-mean\n")[2]
            .partition("\n\n")[0].splitlines()]
    for at, what in ((1, "least mean error"), (2, "largest mean G-mean")):
        firsts = [f"{row[0]} ({row[at].removeprefix('AT_k* ')})" for row in best
                  if row[at].startswith("AT_k*")]
        said.append(f"Of all methods AT_k* has the {what} on {len(firsts)} of {len(best)} sets: "
                    f"{'; '.join(firsts) or 'none'}.")
    return "\n\n".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=30)
    parser.add_argument("--only", help="one set, by the start of its name")
    parser.add_argument("--record", action="store_true", help="write the page")
    parser.add_argument("--again", action="store_true", help="tell again of what is on the page")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotCertified)
    if given.again:
        written(__file__, __doc__, found_before(__file__), told)
        return
    with page(__file__, __doc__ if given.record else None, told):
        comparison(given.splits, given.only)


def comparison(splits: int, only: str | None) -> None:
    """Every set."""
    print("error in per cent (deviation) and G-mean, chosen by validation error, error minus that\n"
          "of the average with its interval; then G-mean chosen by that, and its difference")
    lines: dict[str, list[str]] = {"error": [], "G-mean": []}
    winners, roads = [], {}
    known = sets()
    for name, (x, y) in known.items():
        true = known[CLEAN][1] if name == MISLABELLED else y
        if only and not name.startswith(only):
            continue
        rows: dict[str, list[tuple[float, ...]]] = {}
        thresholds = []
        roads[name] = {loss: Roads() for loss in (LOGISTIC, "hinge")}
        for seed in range(splits):
            parts = split(len(y), np.random.default_rng(seed))
            train, validation = ((x[part], y[part]) for part in parts[:2])
            test = x[parts[2]], true[parts[2]]
            if len(train[1]) <= 1200:
                thresholds.append(collapse_threshold(*train) / len(train[1]))
            for method, found in methods(
                    train, validation, test, roads[name] if seed < BOTH else None).items():
                rows.setdefault(method, []).append(found)
        collapse = f", h* {np.mean(thresholds):.2f}" if thresholds else ""
        print(f"\n{name}: n={len(y)}, d={x.shape[1] - 1}{collapse}, {splits} splits")
        least, most = (sign(rows, key=lambda m, at=at: np.mean(rows[m], axis=0)[at])
                       for sign, at in ((min, 0), (max, 2)))
        winners.append(f"  {name}: {least}; {most}")
        for method, found in rows.items():
            errors, means, by_mean = values = 100 * np.array(found).T
            base = "average hinge" if "hinge" in method else "average"
            gaps = []
            for what, at in (("error", 0), ("G-mean", 2)):
                gap, width = paired(values[at], rows[base], at)
                gaps.append(f"{gap:+6.2f} +- {width:.2f}")
                if method.startswith("AT_k*"):
                    fine = paired(values[at], rows[f"{base}, fine"], at)
                    lines[what].append(
                        f"  {method}, {name}: {marked(gap, width)}; {marked(*fine)}")
            print(f"  {method:19s} {errors.mean():6.2f} ({errors.std(ddof=1):.2f})  "
                  f"G {means.mean():6.2f}  {gaps[0]};  G {by_mean.mean():6.2f}  {gaps[1]}",
                  flush=True)
    for what, both_losses in lines.items():
        print(f"\n{MINUS} {what}")
        print("\n".join(both_losses))
    print("\nBest of all: in error; in G-mean")
    print("\n".join(winners))
    print("\nAT_k*: processor time of the choice by select, and of fitting every (C, k); splits\n"
          "in which both have the same error")
    for name, both in roads.items():
        for loss, road in both.items():
            print(f"  {loss}, {name}: {road.seconds[0]:.2f} s, {road.seconds[1]:.2f} s; "
                  f"{road.alike} of {road.splits}")
    whole = sum(road.seconds for both in roads.values() for road in both.values())
    print(f"  all: {whole[0]:.1f} s, {whole[1]:.1f} s")


if __name__ == "__main__":
    main()
