"""Tables 1, 2, 4 and 5 of the average top-k paper on the data at hand, beside print.

Run as ``python validation/top_k_tables.py [--splits 10] [--epochs 60]`` with ``NOISYTHEORY_DATA``
naming the folder of the data sets; ``--record`` writes the page, ``--again`` what is said of the
numbers on it. The protocol is print's: ten random splits into half, quarter and quarter, C in
powers of ten from 1e-5 to 1e5, k on a logarithmic grid of [1, n], both chosen by the validation
error. For every set: maximum, average and the k that validation chose, with exact minimisers and
with the last iterates of the paper's stochastic steps; means and deviations over splits, the
printed ones beside them, and the paired gain of AT_k* over the average with its 95 per cent
t-interval. Exact is a proven gap of 1e-4, of the objective or of what the coefficients gain over
none if that is less; the largest that is left is said. Ties go to the larger k, then to the smaller
C. Print does not say how many k there are (here twelve), how many steps are taken (here as said
below, 30,000 at the most) nor the first step size (here 1); steps that overflow, as the printed
ones do for C up to .01, give the zero model. Print extends a grid of C whose end was chosen; here
it is counted how often the exact models would have asked for it.

z is ours less print's, over the root of both squared standard errors: of our splits, and of print's
deviation over ten. Of a gain print says no deviation: it is held against our interval, which has
the noise of ours alone.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import average_top_k as real
import numpy as np
from scipy import stats

from noisytheory.topics.top_k import printed_tables as printed
from noisytheory.topics.top_k import stochastic
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.recipes import monk_3, sinc, split, titanic

Data = tuple[np.ndarray, np.ndarray]
CS = 10.0 ** np.arange(-5, 6)
COLUMNS = ("maximum", "average", "AT_k*")
SOLVERS = ("exact", "steps (4)")
PRINTED_SPLITS = 10
FAR = 3.0
"""A z beyond this says that print is not reproduced."""


def classification() -> Iterator[tuple[str, Data]]:
    """Sets of Table 1."""
    yield "Monk", monk_3()
    yield "Titanic", titanic()
    for name, positive in (("Australian", 1), ("German", 2), ("Spambase", 1)):
        table = real.held(name.lower())
        if table is not None:
            yield name, real.standardised(
                table[:, :-1], np.where(table[:, -1] == positive, 1.0, -1.0))


def sizes() -> None:
    """Table 3 against the data at hand, and which sets of the paper are not."""
    found = {name: (data, True) for name, data in classification()}
    found |= {name: (data, False) for name, data in regression(0)}
    print("Table 3: examples, features, class ratio; ours [print]")
    for name, told in {**printed.RATIOS, **printed.SIZES}.items():
        if name not in found:
            print(f"  {name:10s} not at hand [{', '.join(told)}]")
            continue
        (x, y), margin = found[name]
        counts = sorted(int((y == label).sum()) for label in (-1.0, 1.0)) if margin else [1, 1]
        ratio = f", {counts[1] / counts[0]:.2f}" if margin else ""
        # Constant columns are dropped, and a constant feature is appended.
        print(f"  {name:10s} {len(y)}, {x.shape[1] - 1}{ratio} [{', '.join(told)}]")


def regression(seed: int) -> Iterator[tuple[str, Data]]:
    """Sets of Table 2, targets scaled to [0, 1]; Sinc is drawn again for every split."""
    yield "Sinc", sinc(1000, np.random.default_rng(1000 + seed))
    for name in ("Housing", "Abalone"):
        table = real.held(name.lower())
        if table is not None:
            y = table[:, -1]
            yield name, real.standardised(table[:, :-1], (y - y.min()) / np.ptp(y))


def scored(w: np.ndarray, data: Data, margin: bool) -> tuple[float, float]:
    """Error and G-mean in per cent, or RMSE and MAE."""
    if margin:
        return 100 * real.wrong(w, data), 100 * real.g_mean(w, data)
    r = data[1] - data[0] @ w
    return float(np.sqrt(np.mean(r**2))), float(np.abs(r).mean())


def descended(
    train: Data, loss: str, pairs: list[tuple[int, float]], epochs: int, seed: int
) -> np.ndarray:
    """Last iterates of (4) as printed, all (k, C) at once."""
    n = len(train[1])
    ks, cs = (np.array(part, float) for part in zip(*pairs, strict=True))
    steps = min(epochs * n, 30_000)
    with np.errstate(over="ignore", invalid="ignore"):
        run = stochastic(*train, loss, nu=ks / n, C=cs, steps=steps, runs=len(pairs),
                         rng=np.random.default_rng(seed))
    return np.where(np.isfinite(run.coef), run.coef, 0.0)


def one_split(
    data: Data, loss: str, margin: bool, seed: int, epochs: int
) -> tuple[dict[tuple[str, str], tuple[float, float]], int, float]:
    """Scores on the test part of what validation chose, how often C was at an end, largest gap.

    Both of exact models; an end counts where no C inside the grid does as well. Ties go to the
    larger k, then to the smaller C.
    """
    train, validation, test = (
        (data[0][part], data[1][part]) for part in split(len(data[1]),
                                                         np.random.default_rng(seed)))
    n = len(train[1])
    ks = sorted({int(k) for k in np.round(np.geomspace(1, n, 12))})
    pairs = [(k, float(C)) for C in CS for k in ks]
    ks_of, cs_of = (np.array(part) for part in zip(*pairs, strict=True))
    inner = (cs_of > CS[0]) & (cs_of < CS[-1])
    found, ended = {}, 0
    minimisers, gap = real.fitted(train, loss, ks, CS)
    for solver, models in (("exact", minimisers.reshape(len(pairs), -1)),
                           ("steps (4)", descended(train, loss, pairs, epochs, seed))):
        first = np.array([scored(w, validation, margin)[0] for w in models])
        for column, allowed in (("maximum", ks_of == 1), ("average", ks_of == n),
                                ("AT_k*", ks_of > 0)):
            tried = np.where(allowed, first, np.inf)
            best = int(np.lexsort((cs_of, -ks_of, tried))[0])
            found[solver, column] = scored(models[best], test, margin)
            ended += solver == "exact" and tried[best] < tried[inner].min()
    return found, ended, gap


def show(name: str, loss: str,
         found: list[tuple[dict[tuple[str, str], tuple[float, float]], int, float]],
         tables: tuple[dict, dict], which: str, digits: int) -> None:
    """Ours beside print."""
    rows = [row for row, _, _ in found]
    ended = sum(times for _, times, _ in found)
    print(f"\n{name}, {loss}, {len(rows)} splits; "
          f"C at an end in {ended} of {3 * len(rows)} choices; "
          f"largest gap {max(gap for _, _, gap in found):.1e}")
    for place, measure in enumerate(("first", "second")):
        cells = tables[place][name][which]
        for solver in SOLVERS:
            line, values = [], {}
            for column, cell in zip(COLUMNS, cells, strict=True):
                v = np.array([row[solver, column][place] for row in rows])
                values[column] = v
                line.append(f"{v.mean():.{digits}f}({v.std(ddof=1):.{digits}f}) "
                            f"[{cell[0]}({cell[1]})]")
            gain = values["average"] - values["AT_k*"]
            width = stats.t.ppf(0.975, len(gain) - 1) * gain.std(ddof=1) / np.sqrt(len(gain))
            told = float(cells[1][0]) - float(cells[2][0])
            print(f"  {measure:6s} {solver:9s} " + "  ".join(line)
                  + f"  gain {gain.mean():+.{digits}f} +- {width:.{digits}f} [{told:+.{digits}f}]",
                  flush=True)


@dataclass(frozen=True)
class Line:
    """A line of the page: ours and print's of one measure of one solver.

    Parameters
    ----------
    name, loss, measure, solver : str
    z : (float, float, float)
        Of maximum, average and AT_k*.
    gain : (float, float, float)
        Of AT_k* on the average: mean, half its interval, print's.
    """

    name: str
    loss: str
    measure: str
    solver: str
    z: tuple[float, ...]
    gain: tuple[float, ...]

    @property
    def words(self) -> str:
        """Data, loss and measure."""
        return f"{self.name} {self.loss} {self.measure}"


def z_of(mean: float, deviation: float, splits: int, told: float, spread: float) -> float:
    """How far a mean is from print's, in standard errors of the difference."""
    return float((mean - told) / np.sqrt(deviation**2 / splits + spread**2 / PRINTED_SPLITS))


def lines(found: str) -> list[Line]:
    """All that is printed."""
    out = []
    for block in found.split("\n\n"):
        head = re.match(r"(\w+), (\w+), (\d+) splits;", block)
        if head is None:
            continue
        name, loss, splits = head.groups()
        measures = (("error", "G-mean") if loss in ("logistic", "hinge") else ("RMSE", "MAE"))
        for line in block.splitlines()[1:]:
            place = 0 if line.startswith("  first") else 1
            cells = re.findall(r"(\S+)\((\S+)\) \[(\S+)\((\S+)\)\]", line)
            gain = re.search(r"gain (\S+) \+- (\S+) \[(\S+)\]", line).groups()
            out.append(Line(
                name, loss, measures[place], next(v for v in SOLVERS if f" {v} " in line),
                tuple(z_of(float(mean), float(deviation), int(splits), float(told), float(spread))
                      for mean, deviation, told, spread in cells),
                tuple(float(v) for v in gain)))
    return out


def told(found: str) -> str:
    """Where print is reproduced and where it is not, as a part of the page."""
    every = lines(found)
    chance = 2 * stats.t.sf(FAR, 2 * (PRINTED_SPLITS - 1))
    said = ["## Where print is not reproduced",
            f"Of {3 * len(every)} cells, those with a z beyond {FAR:g}, which were splits "
            f"independent and normal, {chance:.1%} of all that agree would have."]
    for solver, called in zip(SOLVERS, ("Exact", "By stochastic steps"), strict=True):
        of = [line for line in every if line.solver == solver]
        parts = []
        for at, column in enumerate(COLUMNS):
            far = [line for line in of if abs(line.z[at]) > FAR]
            which = "; ".join(f"{line.words} {line.z[at]:+.1f}" for line in far)
            if len(far) > len(of) / 2:
                near = [line for line in of if abs(line.z[at]) <= FAR]
                which = "all but " + "; ".join(
                    f"{line.words} {line.z[at]:+.1f}" for line in near) if near else "all"
            parts.append(f"- {column}: {len(far)} of {len(of)}{': ' * bool(which)}{which}.")
        said += [f"{called}, of each column:", "\n".join(parts)]
    for solver, called in zip(SOLVERS, ("exact minimisers", "stochastic steps"), strict=True):
        of = [line for line in every if line.solver == solver]
        # A gain is positive where AT_k* errs less, or has less G-mean.
        better = [-1 if line.measure == "G-mean" else 1 for line in of]
        over = {1: [], -1: []}
        ours = {1: [], -1: []}
        for line, sign in zip(of, better, strict=True):
            mean, half, printed_gain = (sign * v for v in line.gain)
            if abs(printed_gain - mean) > abs(half):
                over[1 if printed_gain > mean else -1].append(line.words)
            if abs(mean) > abs(half):
                ours[1 if mean > 0 else -1].append(f"{line.words} {mean:+g} ± {abs(half):g}")
        said.append(
            f"Of {len(of)} printed gains of AT_k* on the average, {len(over[1])} are above our "
            f"interval by {called} ({'; '.join(over[1]) or 'none'}) and {len(over[-1])} below it "
            f"({'; '.join(over[-1]) or 'none'}). Ours errs less, or has more G-mean, with 0 "
            f"outside on {'; '.join(ours[1]) or 'none'}; it errs more, or has less, on "
            f"{'; '.join(ours[-1]) or 'none'}.")
    head = " | ".join(f"{solver}, {column}" for solver in SOLVERS for column in COLUMNS)
    rows = {}
    for line in every:
        rows.setdefault((line.name, line.loss, line.measure), []).extend(
            f"{'**' * (abs(z) > FAR)}{z:+.1f}{'**' * (abs(z) > FAR)}" for z in line.z)
    said.append(f"| Set | Loss | z of | {head} |\n|---|---|---|{'---|' * 6}\n" + "\n".join(
        f"| {' | '.join(key)} | {' | '.join(values)} |" for key, values in rows.items()))
    return "\n\n".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--record", action="store_true", help="write the page")
    parser.add_argument("--again", action="store_true", help="tell again of what is on the page")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotCertified)
    if given.again:
        real.written(__file__, __doc__, real.found_before(__file__), told)
        return
    with real.page(__file__, __doc__ if given.record else None, told):
        tables(given.splits, given.epochs)


def tables(splits: int, epochs: int) -> None:
    """All of them."""
    print("mean(deviation) [print]; first: error or RMSE, second: G-mean or MAE; columns maximum, "
          f"average, AT_k*; {epochs} passes of steps")
    sizes()
    for name, data in classification():
        for loss, which in (("logistic", "first"), ("hinge", "second")):
            rows = [one_split(data, loss, True, seed, epochs) for seed in range(splits)]
            show(name, loss, rows, (printed.ERRORS, printed.G_MEANS), which, 2)
    names = [name for name, _ in regression(0)]
    for place, name in enumerate(names):
        for loss, which in (("square", "first"), ("absolute", "second")):
            rows = [one_split(list(regression(seed))[place][1], loss, False, seed, epochs)
                    for seed in range(splits)]
            show(name, loss, rows, (printed.RMSE, printed.MAE), which, 4)


if __name__ == "__main__":
    main()
