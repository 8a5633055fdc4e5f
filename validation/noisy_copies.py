"""Learning from repeated noisy measurements beside what one would do otherwise.

Run as ``python validation/noisy_copies.py``; it prints the tables of ``noisy_copies.md``
(``--record`` writes the file). ``NOISYTHEORY_DATA`` names the folder of the data sets; without it
the two that scikit-learn brings are all. Instances are measured k times with noise of a law that no
method is told; predictors are judged on clean ones.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.pipeline import make_pipeline

from noisytheory import NoisyKernelClassifier, NoisyKernelRegressor, online
from noisytheory.topics.online import Rule, few_copies
from noisytheory.vocabulary.analytic import SquaredLoss
from noisytheory.vocabulary.dot_products import InhomogeneousProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples

PAGE = Path(__file__).with_suffix(".md")
FOLDER = os.environ.get("NOISYTHEORY_DATA")
REPEATS = 3
KNOWN = {"gaussian", "rademacher", "student", "sparse", "skewed", "rank-one"}
"""Laws with one covariance for all copies, which those who are told it can subtract."""
CELLS = [("gaussian", 0.25, 2), ("gaussian", 1.0, 2), *(("gaussian", 4.0, k) for k in range(1, 6)),
         *((law, 4.0, 4) for law in (
             "rademacher", "student", "sparse", "skewed", "per-call", "martingale", "rank-one",
             "adversary",
         ))]


@dataclass(frozen=True)
class Task:
    """A data set, and the ball of predictors."""

    name: str
    about: str
    Bw: float
    regression: bool = False
    bundled: bool = False

    def model(self, kernel: str = "affine", **more: Any) -> Any:
        """Ours."""
        kind = NoisyKernelRegressor if self.regression else NoisyKernelClassifier
        return kind(kernel, **{"Bw": self.Bw, **more})

    def known(self, y: np.ndarray) -> dict[str, float]:
        """What a bound asks for besides: of regression how large labels are."""
        return {"By": float(np.abs(y).max())} if self.regression else {}

    def judged(self, predicted: np.ndarray, truth: np.ndarray) -> float:
        """Squared error, or the share that is right."""
        wrong = np.square(predicted - truth) if self.regression else predicted == truth
        return float(np.mean(wrong))


TASKS = [
    Task("spambase", "accuracy on clean mail", 30.0),
    Task("abalone", "mean squared error on clean shells, labels of variance 1", 4.0, True),
    Task("breast cancer", "accuracy on clean cells", 30.0, bundled=True),
    Task("diabetes", "mean squared error on clean patients, labels of variance 1", 4.0, True, True),
]


@functools.cache
def table_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    bundled = {"breast cancer": load_breast_cancer, "diabetes": load_diabetes}
    if name in bundled:
        return bundled[name](return_X_y=True)
    with gzip.open(Path(FOLDER or "") / f"{name}.csv.gz", "rt") as lines:
        data = np.loadtxt(lines, delimiter=",", skiprows=1)
    return data[:, :-1], data[:, -1]


def prepared(task: Task, seed: int) -> tuple[np.ndarray, ...]:
    """Two shuffled thirds and one: rows of unit mean square, heavy coordinates clipped."""
    x, y = table_of(task.name)
    order = np.random.default_rng(seed).permutation(len(y))
    x, y = x[order], y[order]
    part = 2 * len(y) // 3
    if task.regression:
        y = (y - y[:part].mean()) / y[:part].std()
    centre, scale = x[:part].mean(axis=0), x[:part].std(axis=0) + 1e-12
    x = np.clip((x - centre) / scale, -3, 3)
    x /= np.sqrt(np.square(x[:part]).sum(axis=1).mean())
    return x[:part], y[:part], x[part:], y[part:]


def measured(
    x: np.ndarray, y: np.ndarray, law: str, variance: float, k: int, seed: int
) -> np.ndarray:
    """k copies of each row; the noise of a whole row has this variance, rows have mean square 1.

    The adversary looks at the round: rows with a label above the mean are moved along the line
    between the two groups, by signs, the others by skewed noise of all coordinates.
    """
    rng, d = np.random.default_rng(seed), x.shape[1]
    plain = InstanceNoise("skewed" if law == "adversary" else law, variance)
    noise = plain.in_turn(d, np.arange(len(x)), k, rng=rng)
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


def fitted(task: Task, copies: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    """Everybody, after one pass or a batch fit."""
    k, mean = copies.shape[1], copies.mean(axis=1)
    features = RBFSampler(gamma=1.0, n_components=300, random_state=seed)
    batch = Ridge() if task.regression else LogisticRegression(max_iter=300)
    each = Ridge() if task.regression else SGDClassifier("log_loss", random_state=seed)
    found = {
        "noise ignored": each.fit(copies.reshape(-1, copies.shape[2]), np.repeat(y, k)),
        "copies averaged": batch.fit(mean, y),
        "random features": make_pipeline(features, type(batch)(**batch.get_params())).fit(mean, y),
        "one copy": task.model(random_state=seed).fit(copies[:, 0], y),
        "their mean": task.model(random_state=seed).fit(mean, y),
        "random features, online": make_pipeline(
            features, task.model("linear", random_state=seed)).fit(mean, y),
    }
    if k >= 2:
        found["two copies, linear"] = task.model(
            copies=k // 2, random_state=seed, **task.known(y)).fit(copies, y)
    if not task.regression:
        if k >= 4:
            found["four copies, quadratic"] = task.model("quadratic", random_state=seed).fit(
                copies, y)
        found["as printed, p = 2"] = task.model(
            p=2.0, coupled=False, step="theory", cap="skip", random_state=seed).fit(copies, y)
    return found


@functools.cache
def least_loss(task: Task, seed: int) -> float:
    """Of the best predictor of the ball in hindsight, on the clean rows."""
    x, y, *_ = prepared(task, seed)
    loss = online_loss(task)
    best = online.best_in_ball(InhomogeneousProduct(1).gram(x, x), signs(task, y), loss, task.Bw)
    return best.value


def online_loss(task: Task) -> SquaredLoss:
    return SquaredLoss(0.0, "regression") if task.regression else SquaredLoss(1.0)


def signs(task: Task, y: np.ndarray) -> np.ndarray:
    return y if task.regression else np.where(y == y.max(), 1.0, -1.0)


def regret(task: Task, model: Any, x: np.ndarray, y: np.ndarray, seed: int) -> float:
    """A round, on the clean rows, against the best predictor of our ball."""
    if hasattr(model, "steps"):
        x, model = model[0].transform(x), model[1]
    scores = online.scores_over_time(model._runs[0], x)
    losses = online_loss(task).value(signs(task, y), scores)
    return float((losses.sum() - least_loss(task, seed)) / len(y))


ONLINE = {"two copies, linear": "two copies", "one copy": "one copy", "their mean": "their mean",
          "random features, online": "random features of it"}
"""Who is charged round by round, and what it is called."""


def cell(task: Task, law: str, variance: float, k: int) -> dict[str, list[float]]:
    """Batch scores by method, and what is charged online."""
    found: dict[str, list[float]] = {}
    for seed in range(REPEATS):
        x, y, clean, truth = prepared(task, seed)
        copies = measured(x, y, law, variance, k, seed)
        scores = {}
        for name, model in fitted(task, copies, y, seed).items():
            scores[name] = task.judged(model.predict(clean), truth)
            if name in ONLINE:
                scores[f"regret, {name}"] = regret(task, model, x, y, seed)
            if name == "two copies, linear":
                scores["bound"] = model.regret_bound() / len(y)
        if law in KNOWN:
            w, constant = corrected(copies, y, law, variance, 0.1 if task.regression else 0.3)
            values = clean @ w + constant
            scores["variance known"] = task.judged(
                values if task.regression else (values > 0.5).astype(truth.dtype), truth)
            if task.regression and law != "rank-one":
                w = one_copy(x, y, law, variance, seed)
                scores["one copy, variance known"] = task.judged(clean @ w, truth)
        for name, value in scores.items():
            found.setdefault(name, []).append(value)
    return found


def rows(task: Task, cells: list[dict[str, list[float]]], heads: dict[str, str]) -> list[str]:
    """A table: what was found by name, under its head."""
    out = ["| noise | variance | copies | " + " | ".join(heads.values()) + " |",
           "|" + "---|" * (3 + len(heads))]
    for (law, variance, k), found in zip(CELLS, cells, strict=True):
        texts = [f"{np.mean(found[name]):.3f}" if name in found else "" for name in heads]
        out.append(f"| {law} | {variance:g} | {k} | " + " | ".join(texts) + " |")
    print(task.name, *out, sep="\n", flush=True)
    return [*out, ""]


def tables(task: Task) -> list[str]:
    """Batch use and online use, over noise and copies."""
    cells = [cell(task, *of) for of in CELLS]
    batch = ["two copies, linear"]
    batch += [] if task.regression else ["four copies, quadratic", "as printed, p = 2"]
    batch += ["noise ignored", "copies averaged", "random features", "variance known"]
    batch += ["one copy, variance known"] if task.regression else []
    still = np.mean([silence(task, seed) for seed in range(REPEATS)])
    score = "error" if task.regression else "accuracy"
    charged = {"bound": "bound"}
    for name, head in ONLINE.items():
        charged |= {f"regret, {name}": f"{head}: regret", name: score}
    return [
        f"## {task.name.capitalize()}: {task.about}", "",
        *rows(task, cells, {name: name for name in batch}),
        "The same online: bound and regret a round, and what the mean of all predictors makes of "
        f"clean rows. Who says 0 in every round has the regret {still:.3f}.", "",
        *rows(task, cells, charged),
    ]


def silence(task: Task, seed: int) -> float:
    """Regret a round of saying 0."""
    _, y, *_ = prepared(task, seed)
    losses = online_loss(task).value(signs(task, y), 0 * signs(task, y))
    return float((losses.sum() - least_loss(task, seed)) / len(y))


VARIANTS: dict[str, dict[str, Any]] = {
    "as printed, p = 2": {"p": 2.0, "coupled": False, "step": "theory"},
    "the best p": {"p": "best", "coupled": False, "step": "theory"},
    "importance law of N": {"p": "importance", "step": "theory"},
    "all degrees up to N (coupled)": {"p": 2.0, "step": "theory"},
    "finite support": {"step": "theory"},
    "finite support, factors of two copies": {"copies": 2, "step": "theory"},
    "as printed, adaptive step": {"p": 2.0, "coupled": False},
    "as printed, adaptive step, clipped at 20": {"p": 2.0, "coupled": False, "clip": 20.0},
    "coupled, adaptive step": {"p": 2.0},
    "finite support, adaptive step": {},
    "finite support, factors of two copies, adaptive step": {"copies": 2},
}


def variants(task: Task) -> list[str]:
    """What each of the sharper variants is worth, with as many copies as it asks for."""
    out = [f"| {task.name} | copies a round | most | {'error' if task.regression else 'accuracy'} "
           "| regret | bound |", "|---|---|---|---|---|---|"]
    for name, parameters in VARIANTS.items():
        found = []
        for seed in range(REPEATS):
            x, y, clean, truth = prepared(task, seed)
            model = task.model(random_state=seed, **task.known(y), **parameters)
            model.fit(online.NoisyOracle(x, InstanceNoise("gaussian", 1.0)), y)
            found.append([
                model.queries_.mean(), model.queries_.max(),
                task.judged(model.predict(clean), truth),
                regret(task, model, x, y, seed), model.regret_bound() / len(y),
            ])
        mean = np.mean(found, axis=0)
        bound = f"{mean[4]:.3f}" if np.isfinite(mean[4]) else "none"
        out.append(f"| {name} | {mean[0]:.2f} | {mean[1]:.0f} | {mean[2]:.3f} | {mean[3]:.3f} "
                   f"| {bound} |")
        print(out[-1], flush=True)
    return [*out, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.process_time()
    tasks = [task for task in TASKS if FOLDER or task.bundled]
    found = [line for task in tasks for line in tables(task)]
    found += ["## What the sharper variants are worth", "",
              "Gaussian noise of variance 1, as many copies as each asks for; regret and bound a "
              "round.", ""]
    found += [line for task in tasks[:2] for line in variants(task)]
    took = f"{time.process_time() - start:.0f} s of one processor"
    print(took)
    if arguments.record:
        if not FOLDER:
            parser.error("--record needs NOISYTHEORY_DATA, for the whole page")
        # What it means is written by hand, and stays.
        said = PAGE.read_text().split("## What to make of it", 1)[1] if PAGE.exists() else ""
        PAGE.write_text("\n".join([
            "# Repeated noisy measurements", "", __doc__.split("\n\n")[1].strip(), "",
            "Rows have mean square 1; the variance is that of a whole row's noise. Means of "
            f"{REPEATS} repetitions. Regret and bound are by round, in squared loss on the clean "
            "rows, and against the best predictor of one ball in hindsight. All who learn online "
            "take the same adaptive step in a ball of the same radius. The page takes "
            f"{took}.", "", *found,
            f"## What to make of it{said.rstrip()}", "",
        ]))


if __name__ == "__main__":
    main()
