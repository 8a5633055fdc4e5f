"""Learning from repeated noisy measurements beside what one would do otherwise.

Run as ``python validation/noisy_copies.py`` with ``NOISYTHEORY_DATA`` naming the folder of the data
sets; it prints the tables of ``noisy_copies.md`` (``--record`` writes the file). Instances are
measured k times with noise of a law that no method is told; predictors are judged on clean ones.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.pipeline import make_pipeline

from noisytheory import NoisyKernelClassifier, NoisyKernelRegressor
from noisytheory.topics.online import Rule, few_copies
from noisytheory.vocabulary.analytic import SquaredLoss
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples

PAGE = Path(__file__).with_suffix(".md")
REPEATS = 3


def table_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(Path(os.environ["NOISYTHEORY_DATA"]) / f"{name}.csv.gz", "rt") as lines:
        data = np.loadtxt(lines, delimiter=",", skiprows=1)
    return data[:, :-1], data[:, -1]


def prepared(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """Shuffled halves: rows of unit mean square, heavy coordinates clipped."""
    x, y = table_of(name)
    order = np.random.default_rng(seed).permutation(len(y))
    x, y = x[order], y[order]
    half = 2 * len(y) // 3
    centre, scale = x[:half].mean(axis=0), x[:half].std(axis=0) + 1e-12
    x = np.clip((x - centre) / scale, -3, 3)
    x /= np.sqrt(np.square(x[:half]).sum(axis=1).mean())
    return x[:half], y[:half], x[half:], y[half:]


def measured(
    x: np.ndarray, y: np.ndarray, law: str, variance: float, k: int, seed: int
) -> np.ndarray:
    """k copies of each row; the noise of a whole row has this variance, rows have mean square 1.

    The adversary looks at the round: rows with a label above the mean are moved along the line
    between the two groups, by signs, the others by skewed noise of all coordinates.
    """
    rounds, calls = np.divmod(np.arange(len(x) * k), k)
    rng, d = np.random.default_rng(seed), x.shape[1]
    plain = InstanceNoise("skewed" if law == "adversary" else law, variance)
    noise = plain.draw(d, rounds, calls, rng=rng).reshape(len(x), k, d)
    if law == "adversary":
        above = y > y.mean()
        along = x[above].mean(axis=0) - x[~above].mean(axis=0)
        along *= np.sqrt(variance) / np.linalg.norm(along)
        noise[above] = rng.choice([-1.0, 1.0], (int(above.sum()), k, 1)) * along
    return x[:, None] + noise


def corrected(
    copies: np.ndarray, y: np.ndarray, law: str, variance: float, floor: float
) -> tuple[np.ndarray, float]:
    """Least squares less the noise's covariance, for those who know it; weights and constant.

    The floor is the share of the noise's variance below which an eigenvalue is not believed: of
    .03, .1, .3 and 1 the one that does best.
    """
    k, d = copies.shape[1:]
    mean = copies.mean(axis=1)
    covariance = np.ones((d, d)) if law == "rank-one" else np.eye(d)
    centre = mean.mean(axis=0)
    gram = (mean - centre).T @ (mean - centre) / len(y) - covariance * variance / d / k
    values, vectors = np.linalg.eigh(gram)
    # Directions in which little but noise was seen are held down.
    kept = np.maximum(values, floor * variance / d / k)
    w = vectors @ (vectors.T @ ((mean - centre).T @ (y - y.mean()) / len(y)) / kept)
    return w, float(y.mean() - centre @ w)


def one_copy(x: np.ndarray, y: np.ndarray, law: str, variance: float, seed: int) -> np.ndarray:
    """Online descent from one copy a round, its variance known: the mean of all predictors."""
    runs = few_copies(
        Examples("measured", x, y), SquaredLoss(0.0, "regression"), InstanceNoise(law, variance),
        Rule(4.0, adaptive=True), copies=1, size=1, rng=np.random.default_rng(seed),
        known=variance / x.shape[1],
    )
    return runs.averaged[0]


def classifiers(k: int, seed: int) -> dict[str, object]:
    ours = dict(Bw=30.0, random_state=seed)
    found: dict[str, object] = {}
    if k >= 2:
        found["two copies, linear"] = NoisyKernelClassifier("affine", copies=k // 2, **ours)
    if k >= 4:
        found["four copies, quadratic"] = NoisyKernelClassifier("quadratic", **ours)
    found["as printed, p = 2"] = NoisyKernelClassifier(
        "affine", p=2.0, coupled=False, step="theory", cap="skip", **ours
    )
    return found


def others(k: int, seed: int) -> dict[str, object]:
    features = RBFSampler(gamma=1.0, n_components=300, random_state=seed)
    return {
        "noise ignored": SGDClassifier("log_loss", random_state=seed),
        "copies averaged": LogisticRegression(max_iter=300),
        "random features": make_pipeline(features, LogisticRegression(max_iter=300)),
    }


def classification(law: str, variance: float, k: int) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for seed in range(REPEATS):
        x, y, clean, truth = prepared("spambase", seed)
        copies = measured(x, y, law, variance, k, seed)
        for name, model in classifiers(k, seed).items():
            model.fit(copies, y)
            scores.setdefault(name, []).append(float((model.predict(clean) == truth).mean()))
            if name == "two copies, linear":
                scores.setdefault("regret a round", []).append(model.regret(x, y) / len(y))
                scores.setdefault("bound a round", []).append(model.regret_bound() / len(y))
        flat, repeated = copies.reshape(-1, x.shape[1]), np.repeat(y, k)
        for name, model in others(k, seed).items():
            if name == "noise ignored":
                model.fit(flat, repeated)
            else:
                model.fit(copies.mean(axis=1), y)
            scores.setdefault(name, []).append(float((model.predict(clean) == truth).mean()))
        if law in KNOWN:
            w, constant = corrected(copies, y, law, variance, 0.3)
            right = (clean @ w + constant > 0.5) == (truth > 0.5)
            scores.setdefault("variance known", []).append(float(right.mean()))
    return scores


def regression(law: str, variance: float, k: int) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for seed in range(REPEATS):
        x, y, clean, truth = prepared("abalone", seed)
        centre, scale = y.mean(), y.std()
        y, truth = (y - centre) / scale, (truth - centre) / scale
        copies = measured(x, y, law, variance, k, seed)
        models: dict[str, tuple[object, np.ndarray, np.ndarray]] = {
            "noise ignored": (Ridge(), copies.reshape(-1, x.shape[1]), np.repeat(y, k)),
            "copies averaged": (Ridge(), copies.mean(axis=1), y),
            "random features": (
                make_pipeline(RBFSampler(gamma=1.0, n_components=300, random_state=seed), Ridge()),
                copies.mean(axis=1), y,
            ),
        }
        if k >= 2:
            models["two copies, linear"] = (
                NoisyKernelRegressor("affine", Bw=4.0, copies=k // 2, random_state=seed), copies, y,
            )
        for name, (model, inputs, targets) in models.items():
            model.fit(inputs, targets)
            error = float(np.mean(np.square(model.predict(clean) - truth)))
            scores.setdefault(name, []).append(error)
            if name == "two copies, linear":
                scores.setdefault("regret a round", []).append(model.regret(x, y) / len(y))
                scores.setdefault("bound a round", []).append(model.regret_bound() / len(y))
        if law in KNOWN:
            w, constant = corrected(copies, y, law, variance, 0.1)
            error = float(np.mean(np.square(clean @ w + constant - truth)))
            scores.setdefault("variance known", []).append(error)
        if law in KNOWN and law != "rank-one":
            w = one_copy(x, y, law, variance, seed)
            error = float(np.mean(np.square(clean @ w - truth)))
            scores.setdefault("one copy, variance known", []).append(error)
    return scores


CELLS = [("gaussian", 0.25, 2), ("gaussian", 1.0, 2), *(("gaussian", 4.0, k) for k in range(1, 6)),
         *((law, 4.0, 4) for law in (
             "student", "sparse", "skewed", "per-call", "rank-one", "adversary",
         ))]
KNOWN = {"gaussian", "student", "sparse", "skewed", "rank-one"}
"""Laws with one covariance for all copies, which those who are told it can subtract."""


def rows(run: object, columns: list[str]) -> list[str]:
    out = ["| noise | variance | copies | " + " | ".join(columns) + " |",
           "|" + "---|" * (3 + len(columns))]
    for law, variance, k in CELLS:
        found = run(law, variance, k)
        cells = [f"{np.mean(found[c]):.3f}" if c in found else "" for c in columns]
        out.append(f"| {law} | {variance:g} | {k} | " + " | ".join(cells) + " |")
        print(out[-1], flush=True)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    first = rows(classification, [
        "two copies, linear", "four copies, quadratic", "as printed, p = 2", "noise ignored",
        "copies averaged", "random features", "variance known", "regret a round", "bound a round",
    ])
    second = rows(regression, [
        "two copies, linear", "noise ignored", "copies averaged", "random features",
        "variance known", "one copy, variance known", "regret a round", "bound a round",
    ])
    print(f"{time.perf_counter() - start:.0f} s")
    if arguments.record:
        # What it means is written by hand, and stays.
        said = PAGE.read_text().split("## What to make of it", 1)[1] if PAGE.exists() else ""
        PAGE.write_text("\n".join([
            "# Repeated noisy measurements", "", __doc__.split("\n\n")[1].strip(), "",
            "Rows have mean square 1; the variance is that of a whole row's noise. Means of "
            f"{REPEATS} repetitions.", "", "## Accuracy on clean mail (spambase)", "", *first, "",
            "## Mean squared error on clean shells (abalone, labels of variance 1)", "",
            *second, "",
            f"## What to make of it{said.rstrip()}", "",
        ]))


if __name__ == "__main__":
    main()
