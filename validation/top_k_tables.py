"""Tables 1, 2, 4 and 5 of the average top-k paper on the data at hand, beside print.

Run as ``python validation/top_k_tables.py [--splits 10] [--epochs 60]`` with
``NOISYTHEORY_DATA`` naming the folder of the data sets; ``--record`` writes the page. For every
set: maximum, average and the k that validation chose, with exact minimisers and with the last
iterates of the paper's stochastic steps; means and deviations over splits, the printed ones beside
them, and the paired gain of AT_k* over the average with its 95 per cent t-interval. Print says
neither the grid of k (here twelve values, logarithmic), nor the number of steps, nor the first step
size (here 1); C is in powers of ten from 0.1 on, as smaller ones overflow with the printed steps.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import average_top_k as real
import numpy as np
from scipy import stats

from noisytheory.topics.top_k import fit, stochastic
from noisytheory.topics.top_k import printed_tables as printed
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.recipes import monk_3, sinc, split, titanic

Data = tuple[np.ndarray, np.ndarray]
CS = 10.0 ** np.arange(-1, 5)


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


def exact(train: Data, loss: str, pairs: list[tuple[int, float]]) -> np.ndarray:
    """Minimisers of every (k, C), each from its neighbour."""
    out, start = [], None
    for k, C in pairs:
        start = fit(*train, loss, k=k, C=C, tol=1e-4, start=start).coef
        out.append(start)
    return np.array(out)


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
) -> dict[tuple[str, str], tuple[float, float]]:
    """Scores on the test part of what validation chose."""
    train, validation, test = (
        (data[0][part], data[1][part]) for part in split(len(data[1]),
                                                         np.random.default_rng(seed)))
    n = len(train[1])
    ks = sorted({int(k) for k in np.round(np.geomspace(1, n, 12))}, reverse=True)
    pairs = [(k, float(C)) for C in CS for k in ks]
    found = {}
    for solver, models in (("exact", exact(train, loss, pairs)),
                           ("steps (4)", descended(train, loss, pairs, epochs, seed))):
        first = np.array([scored(w, validation, margin)[0] for w in models])
        k_of = np.array([k for k, _ in pairs])
        for column, allowed in (("maximum", k_of == 1), ("average", k_of == n),
                                ("AT_k*", k_of > 0)):
            best = int(np.argmin(np.where(allowed, first, np.inf)))
            found[solver, column] = scored(models[best], test, margin)
    return found


def show(name: str, loss: str, rows: list[dict[tuple[str, str], tuple[float, float]]],
         tables: tuple[dict, dict], which: str, digits: int) -> None:
    """Ours beside print."""
    print(f"\n{name}, {loss}, {len(rows)} splits")
    for place, measure in enumerate(("first", "second")):
        cells = tables[place][name][which]
        for solver in ("exact", "steps (4)"):
            line, values = [], {}
            for column, cell in zip(("maximum", "average", "AT_k*"), cells, strict=True):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--record", action="store_true", help="write the page")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotCertified)
    with real.page(__file__, __doc__ if given.record else None):
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
