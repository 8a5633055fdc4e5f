"""The auditor, audited: wrong verdicts on claims of known truth, power, coverage, broken twins.

    python validation/auditor.py [--workers 2] [--share 1.0] [--only PART ...]

1. Plants: claims for every kind and every rule of the judge, true at the edge, just false, and
   clearly either; any verdict that is not right counts.
2. Edges: a family of every kind that draws decide, each claim at the very edge of its promise, is
   audited again and again, all true (a refutation is an error) and all false by a millionth (to
   uphold is one); together, and each claim alone. Stored evidence must be an e-value: its mean is
   at most 1.
3. Power: an excess as large as the resolution that is printed must be refuted 99 times of 100.
4. Intervals must hold although drawing stops when a cell is decided.
5. Twins: each broken twin in the catalogue at the smoke budget; all of five seeds must refute where
   draws decide, and one stands for all where they do not. Sharpness: the largest factor on the
   right side, of those tried, that smoke still refutes with all of three seeds.

All parts are whole audits, but for the draws that a mixture needs, which use the evidence alone.
``--share`` scales the repetitions, ``--only`` measures some parts anew: plants, edges, power,
intervals, draws, pooled, fdr, twins.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import functools
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import campaign
import numpy as np
from scipy import special, stats

import noisytheory as nt
from noisytheory.trial import evidence
from noisytheory.trial.catalogue import distinct

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

ALPHAS = (0.2, 0.01)
POWER = 0.98
"""Least share of refutations at the printed resolution, which promises 0.99."""

Floats = np.ndarray


def limits(count: int, of: int) -> tuple[float, float]:
    """Clopper and Pearson's 95% limits of a share."""
    found = stats.binomtest(count, of).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)


# 1 Plants


def plant_verdicts(job: tuple[int, int]) -> dict[str, int]:
    """Verdicts of one plant, by its place, over this many seeds at the smoke budget."""
    from plants import every_plant

    place, seeds = job
    plant = every_plant()[place]
    return Counter(plant.verdict(seed) for seed in range(seeds))


def plants_measured(run: Callable[..., Iterable[Any]], seeds: int) -> dict[str, Any]:
    """Wrong verdicts, rule by rule."""
    from plants import every_plant

    plants = every_plant()
    found = run(plant_verdicts, [(place, seeds) for place in range(len(plants))])
    rules: dict[str, dict[str, int]] = {}
    wrong = {}
    for plant, told in zip(plants, found, strict=True):
        rule = rules.setdefault(plant.rule, {"plants": 0, "audits": 0, "wrong": 0, "decided": 0})
        bad = {verdict: n for verdict, n in told.items() if verdict not in plant.right}
        rule["plants"] += 1
        rule["audits"] += seeds
        rule["wrong"] += sum(bad.values())
        rule["decided"] += seeds - told.get("undecided", 0)
        if bad:
            wrong[plant.name] = bad
    return {"seeds": seeds, "rules": rules, "wrong": wrong}


# 2 Edges


def edge_audit(job: tuple[bool, float, int]) -> tuple[list[str], dict[str, float]]:
    """Errors in one audit of the family, and the e-values that were stored of true claims."""
    from plants import family

    true, alpha, seed = job
    with nt.audit(family(true=true), seed=seed, alpha=alpha, budget="smoke") as found:
        error = "refuted" if true else "upheld"
        wrong = [result.claim.id.split("/")[1] for result in found if result.verdict == error]
        values = {r.claim.id.split("/")[1]: _e_value(r.summary, true=true) for r in found}
    return wrong, values


def _e_value(summary: Any, *, true: bool) -> float:
    """The claim's own e-value; of false claims the mean of what speaks for them in their cells."""
    if true:
        return float(np.exp(summary.attrs["log_e"]))
    if "log_e_support_max" not in summary or summary.attrs["kind"] not in ("tail", "mean", "equal"):
        return float("nan")
    return float(np.exp(summary["log_e_support"]).mean())


def edge_alone(job: tuple[int, bool, float, int, int]) -> int:
    """Errors of one claim of the family audited alone, over seeds from one to another."""
    from plants import family

    place, true, alpha, first, last = job
    error = "refuted" if true else "upheld"
    return sum(
        nt.audit(family(true=true)[place], seed=seed, alpha=alpha, budget="smoke").verdict
        == error
        for seed in range(first, last)
    )


def edges_measured(run: Callable[..., Iterable[Any]], audits: Sequence[int],
                   alone: int) -> dict[str, Any]:
    """Family-wise errors at both levels; errors of each claim alone; means of e-values."""
    from plants import family

    out: dict[str, Any] = {"together": [], "alone": {}, "e_values": {}}
    for alpha, count in zip(ALPHAS, audits, strict=True):
        for true in (True, False):
            found = list(run(edge_audit, [(true, alpha, seed) for seed in range(count)]))
            errors = sum(bool(wrong) for wrong, _ in found)
            low, high = limits(errors, count)
            names = Counter(name for wrong, _ in found for name in wrong)
            out["together"].append({
                "alpha": alpha, "true": true, "audits": count, "errors": errors,
                "low": low, "high": high, "claims": dict(names),
            })
            if alpha != ALPHAS[0]:
                continue
            for name in found[0][1]:
                values = np.array([told[name] for _, told in found])
                if np.isnan(values).all():
                    continue
                error = float(values.std() / np.sqrt(count))
                key = f"{name}: {'against' if true else 'support'}"
                out["e_values"][key] = {"mean": float(values.mean()), "error": error,
                                        "largest": float(values.max())}
    order = [claim.id.split("/")[1] for claim in family(true=True)]
    for true in (True, False):
        jobs = [(place, true, ALPHAS[0], 0, alone) for place in range(len(order))]
        for name, errors in zip(order, run(edge_alone, jobs), strict=True):
            told = out["alone"].setdefault(name, {"audits": alone})
            told["refuted though true" if true else "upheld though false"] = errors
    return out


# 3 Power


def _shares(low: float, high: float, mean: float) -> Callable[..., Any]:
    """The worst law of a mean within a range: it sits on both ends."""
    def simulate(*, size: int, rng: np.random.Generator) -> Floats:
        return np.where(rng.uniform(size=size) < (mean - low) / (high - low), high, low)

    return simulate


def _spread(low: float, high: float, mean: float) -> Callable[..., Any]:
    """A law without ends: uniform as widely as the range allows about the mean."""
    half = min(mean - low, high - mean)

    def simulate(*, size: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(mean - half, mean + half, size)

    return simulate


def _known_variance(mean: float, skew: float) -> Callable[..., Any]:
    """Variance 1, two points; with probability ``skew`` far above the mean (or below, if < 0)."""
    p, sign = abs(skew), np.sign(skew)

    def simulate(*, size: int, rng: np.random.Generator) -> Floats:
        up, down = np.sqrt((1 - p) / p), -np.sqrt(p / (1 - p))
        return mean + sign * np.where(rng.uniform(size=size) < p, up, down)

    return simulate


def power_cases() -> dict[str, tuple[str, dict[str, Any], Callable[[float], dict[str, Any]]]]:
    """Kind, fields at the edge, and fields with an excess: one entry a law."""
    def at(value: float) -> Callable[[], float]:
        return lambda: value

    def rate_of(share: float) -> Callable[..., Any]:
        return lambda *, size, rng: 1.0 * (rng.uniform(size=size) < share)

    def certify(lhs: float) -> nt.Certificate:
        return nt.Certificate(Fraction(lhs), Fraction(1, 2))

    def laws(by: float, *, ends: bool) -> Callable[..., Any]:
        def simulate(*, size: int, rng: np.random.Generator) -> dict[str, Floats]:
            left, right = rng.uniform(size=(2, size))
            if ends:
                return {"lhs": 1.0 * (left < 0.5 - by / 2), "other": 1.0 * (right < 0.5 + by / 2)}
            return {"lhs": left, "other": (1 - by) * right}

        return simulate

    def weighted(factor: float) -> Callable[..., Any]:
        # Pr[L = 1] = factor * delta; drawn with probability 1/2 of a weight of 2 factor delta, or
        # as rarely as the limit on weights, 20 delta, allows.
        def simulate(delta: float = 1e-4, *, size: int, rng: np.random.Generator) -> dict[str, Any]:
            weight = 20 * delta
            breaks = rng.uniform(size=size) < factor * delta / weight
            rest = (1 - factor * delta) / (1 - factor * delta / weight)
            return {"lhs": 1.0 * breaks, "weight": np.where(breaks, weight, rest)}

        return simulate

    unit = {"low": 0.0, "high": 1.0}
    tail = {"bound": at(0.5), "grid": {"delta": [0.1]}}
    out: dict[str, Any] = {
        "tail": ("tail", {**tail, "simulate": rate_of(0.1)},
                 lambda r: {"simulate": rate_of(0.1 + r)}),
        "tail, delta .01": ("tail", {**tail, "grid": {"delta": [0.01]}, "simulate": rate_of(0.01)},
                            lambda r: {"simulate": rate_of(0.01 + r)}),
        "tail, weights": ("tail", {**tail, "grid": {"delta": [1e-4]}, "weight_limit": 20e-4,
                                   "weight_high": 2.0, "simulate": weighted(1.0)},
                          lambda r: {"simulate": weighted(1 + r / 1e-4)}),
        "always": ("always", {"bound": at(0.5), "simulate": rate_of(0.0), "certify": certify},
                   lambda r: {"simulate": rate_of(r)}),
        "identity": ("identity", {"bound": at(0.0), "simulate": rate_of(0.0),
                                  "certify": lambda lhs: nt.Certificate(Fraction(lhs), 0)},
                     lambda r: {"simulate": rate_of(r)}),
    }
    for value in (0.5, 0.02):
        for name, law in (("ends", _shares), ("spread", _spread)):
            bound = {"bound": at(value), **unit}
            out[f"mean {value}, {name}"] = (
                "mean", {**bound, "simulate": law(0.0, 1.0, value)},
                lambda r, law=law, value=value: {"simulate": law(0.0, 1.0, value + r)})
            for sign in (1, -1):
                if not 0 < value + sign * 0.2 < 1:
                    continue
                edge = value + sign * 0.01
                out[f"equal {value}, {name}, {sign:+d}"] = (
                    "equal", {**bound, "margin": 0.01, "simulate": law(0.0, 1.0, edge)},
                    lambda r, law=law, value=value, sign=sign: {
                        "simulate": law(0.0, 1.0, value + sign * r)})
            out[f"published {value}, {name}"] = (
                "published", {**bound, "margin": 0.01, "simulate": law(0.0, 1.0, value)},
                lambda r, law=law, value=value: {"simulate": law(0.0, 1.0, value + r)})
    def cancelled(mean: float) -> Callable[..., Any]:
        # Rounding of what was added up may have moved a draw by 0.01.
        return lambda *, size, rng: {"lhs": _shares(-0.5, 0.5, mean)(size=size, rng=rng),
                                     "rhs": np.zeros(size), "scale": np.full(size, 1e9)}

    out["mean, cancelled"] = ("mean", {"low": -0.5, "high": 0.5, "simulate": cancelled(0.0)},
                              lambda r: {"simulate": cancelled(r)})
    for name, margin in (("equal", 0.02), ("published", 0.02)):
        out[f"{name}, cancelled"] = (
            name, {"low": -0.5, "high": 0.5, "margin": margin, "simulate": cancelled(0.0)},
            lambda r: {"simulate": cancelled(r)})
    for skew in (0.5, 0.01, -0.01):
        known = {"bound": at(0.0), "variance": at(1.0)}
        out[f"mean, variance, skew {skew}"] = (
            "mean", {**known, "simulate": _known_variance(0.0, skew)},
            lambda r, skew=skew: {"simulate": _known_variance(r, skew)})
        out[f"equal, variance, skew {skew}"] = (
            "equal", {**known, "margin": 0.05, "simulate": _known_variance(0.05, skew)},
            lambda r, skew=skew: {"simulate": _known_variance(r, skew)})
    for ends in (True, False):
        name = "ends" if ends else "spread"
        out[f"laws, {name}"] = ("equal", {"margin": 0.01, "simulate": laws(0.0, ends=ends)},
                                lambda r, ends=ends: {"simulate": laws(r, ends=ends)})
        # Scaling a uniform by 1 - h moves it by h/2 only.
        times = 1 if ends else 2
        out[f"laws on their scale, {name}"] = (
            "equal", {"margin": 0.01, **unit, "simulate": laws(0.0, ends=ends)},
            lambda r, ends=ends, times=times: {"simulate": laws(times * r, ends=ends)})

    def power(slope: float, width: float) -> dict[str, Any]:
        return {"low": 0.0, "high": lambda n: (1 + width) * n**slope,
                "simulate": lambda n, *, size, rng:
                    n**slope * rng.uniform(1 - width, 1 + width, size)}

    grid = {"n": [4.0**k for k in range(6)]}
    for width in (0.1, 0.9):
        out[f"rate, spread {width}"] = (
            "rate", {"bound": at(-0.5), "along": "n", "grid": grid, **power(-0.5, width)},
            lambda r, width=width: power(-0.5 + r, width))
    return out


def power_measured_of(job: tuple[str, int]) -> tuple[float, int]:
    """The resolution printed at the edge, and refutations of so great an excess."""
    name, seeds = job
    kind, fields, excess = power_cases()[name]
    shared = {"statement": "x", "rows": 512, "expect": "undecided", "grid": {"n": [1]}}
    paper = nt.Paper("power", "An excess as large as what is printed")
    declare = getattr(paper, kind)
    edge = declare("edge", **{**shared, **fields})
    # Of several levels or draws the worst is printed; the median over a few audits is typical.
    printed = float(np.median(
        [nt.audit(edge, seed=seed, budget="smoke").resolution for seed in range(5)]
    ))
    if not np.isfinite(printed):
        return printed, 0
    beyond = declare("beyond", **{**shared, **fields, **excess(printed)})
    told = [nt.audit(beyond, seed=seed, budget="smoke").verdict for seed in range(seeds)]
    return printed, told.count("refuted")


def printed_power(job: int) -> int:
    """Refutations over seeds of a wrong print whose own error is drawn, at the resolution."""
    paper, error = nt.Paper("power", "An excess as large as what is printed"), 0.02
    count = 0
    for seed in range(job):
        rng = np.random.default_rng([7, seed])
        noise = error * rng.normal()
        shared = {"statement": "x", "rows": 512, "expect": "undecided", "grid": {"n": [1]},
                  "low": 0.0, "high": 1.0, "margin": 0.01, "printed_error": error}
        edge = paper.published("noisy", **shared, bound=lambda: 0.3,
                               simulate=_shares(0.0, 1.0, 0.3))
        reach = 0.3 + _resolution_of_print(edge)
        wrong = dataclasses.replace(edge, bound=functools.partial(float, 0.3 + noise),
                                    simulate=_shares(0.0, 1.0, reach))
        count += nt.audit(wrong, seed=seed, budget="smoke").verdict == "refuted"
    return count


@functools.cache
def _print_resolution() -> dict[str, float]:
    return {}


def _resolution_of_print(edge: nt.Claim) -> float:
    known = _print_resolution()
    if "it" not in known:
        known["it"] = float(nt.audit(edge, seed=0, budget="smoke").resolution or np.nan)
    return known["it"]


def power_measured(run: Callable[..., Iterable[Any]], seeds: int) -> dict[str, Any]:
    """Refutations at the printed resolution, law by law."""
    names = list(power_cases())
    out = {
        name: {"resolution": printed, "refuted": count, "seeds": seeds}
        for name, (printed, count) in zip(
            names, run(power_measured_of, [(name, seeds) for name in names]), strict=True)
    }
    (count,) = run(printed_power, [seeds])
    out["published, with an error of print"] = {
        "resolution": float("nan"), "refuted": count, "seeds": seeds}
    return out


# 4 Intervals


def interval_misses(job: tuple[int, int]) -> dict[str, int]:
    """Audits, from one seed to another, whose 99% intervals miss what is true, by what they say."""
    paper = nt.Paper("interval", "Intervals under early stopping")
    missed: Counter[str] = Counter()
    shared = {"statement": "x", "rows": 64, "expect": "undecided"}

    def uniform(*, size: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(size=size)

    for seed in range(*job):
        for rate in (0.02, 0.08, 0.2, 0.5):
            claim = paper.tail(f"rate-{rate}", bound=functools.partial(_beyond, rate),
                               simulate=uniform, grid={"delta": [0.1]}, **shared)
            found = nt.audit(claim, seed=seed, budget="standard").summary
            low, high = (float(found[f"probability_{end}"].item()) for end in ("low", "high"))
            missed[f"rate of violations {rate}"] += not low <= rate <= high
            true = 0.9 / (1 - rate)
            low, high = (float(found[f"tightness_{end}"].item()) for end in ("low", "high"))
            missed[f"tightness of a tail, rate {rate}"] += not low <= true <= high
        for value in (0.3, 0.45, 0.55, 0.8):
            claim = paper.mean(f"mean-{value}", bound=functools.partial(float, value),
                               simulate=uniform, grid={"n": [1]}, low=0.0, high=1.0, **shared)
            found = nt.audit(claim, seed=seed, budget="standard").summary
            low, high = (float(found[f"tightness_{end}"].item()) for end in ("low", "high"))
            missed[f"tightness of a mean, bound {value}"] += not low <= 0.5 / value <= high
    return missed


def _beyond(rate: float, delta: float) -> float:
    return 1 - rate


def intervals_measured(run: Callable[..., Iterable[Any]], audits: int) -> dict[str, Any]:
    """Misses, at 99%."""
    step = max(1, audits // 16)
    jobs = [(start, min(start + step, audits)) for start in range(0, audits, step)]
    total: Counter[str] = Counter()
    for found in run(interval_misses, jobs):
        total.update({name: 0 for name in found if name not in total})
        total.update(found)
    return {name: {"missed": count, "audits": audits} for name, count in total.items()}


# 5 Twins


def twin_refuted(job: tuple[str, int, int]) -> tuple[int, bool, bool]:
    """Refutations of a claim's broken twin, over seeds from one to another, at the smoke budget.

    Besides, whether the last was exact, and whether draws may decide it.
    """
    claim_id, first, last = job
    twin, count, exact = nt.claims[claim_id].broken(), 0, False
    for seed in range(first, last):
        result = nt.audit(twin, seed=seed, budget="smoke")
        count += result.verdict == "refuted"
        exact = result.exact
    return count, exact, twin.can_err


SHARP_SEEDS = 3

_SHORT = (1 / 128, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4)


def sharpness(claim_id: str) -> float | None:
    """A factor on the right side that smoke refutes whatever the seed; None if none does.

    The claim's own trial says which factor its draws would just have refuted; that one is tried, or
    the first of those somewhat smaller with which all seeds refute.
    """
    claim = nt.claims[claim_id]
    start = _just_refuted(claim)
    if start is None or not 0 < start < np.inf:
        return None

    def refuted(factor: Fraction) -> bool:
        changes = {k: v for k, v in nt.scaled(factor)(claim).items() if k not in ("why", "factor")}
        weaker = dataclasses.replace(claim, id=f"{claim.id}/scaled", twin=None, picture=None,
                                     expect="undecided", **changes)
        for seed in range(SHARP_SEEDS):
            try:
                result = nt.audit(weaker, seed=seed, budget="smoke")
            except ValueError:
                return False  # The factor leaves what the claim's own fields allow.
            if result.verdict != "refuted":
                return False
            if result.exact:
                break
        return True

    for short in _SHORT:
        # Multiples of 1/256 keep dyadic numbers exact.
        factor = Fraction(np.floor(start * (1 - short) * 256)) / 256
        if factor > 0 and refuted(factor):
            return float(factor)
    return None


def _just_refuted(claim: nt.Claim) -> float | None:
    """The factor that the claim's own trial says it would have refuted; None if there is none."""
    if claim.kind == "identity":
        return 1.0  # Equal sides, both scaled but one.
    own = nt.audit(claim, budget="smoke")
    if claim.kind in ("equal", "published"):
        if "rhs" not in own.summary:
            return None  # Two laws: nothing is on the right.
        needed = own.summary["margin"] if own.exact else own.summary["resolution"]
        value = np.abs(own.summary["rhs"].values)
        shares = np.divide(needed.values, value, out=np.full(value.shape, np.inf), where=value > 0)
        return float(1 - shares.min())
    known = np.array([])
    if claim.kind == "tail" and "refutable_factor" in own.summary:
        # Draws say which factor; where the law is exact, the side that it just promises does.
        drawn = ~own.summary["exact"]
        told = own.summary["refutable_factor"].where(drawn, own.summary["tightness"])
        known = told.values[np.isfinite(told.values)]
    return float(known.max()) if known.size else own.tightness


def _scalable(claim: nt.Claim) -> bool:
    # A rate has no factor that makes it less true: an exponent is what it promises.
    return claim.kind not in ("rate", "cited") and claim.expect == "upheld"


def twins_measured(
    run: Callable[..., Iterable[Any]], seeds: int, known: dict[str, Any], pattern: str,
) -> dict[str, Any]:
    """Refutations of every twin, and how sharp each trial is; of the claims that match only."""
    claims = distinct(nt.claims.values())
    anew = [claim for claim in claims if fnmatch.fnmatchcase(claim.id, pattern)]
    twins = [claim.id for claim in anew if claim.twin is not None]
    first = dict(zip(twins, run(twin_refuted, [(t, 0, 1) for t in twins]), strict=True))
    drawn = [t for t, (_, exact, can_err) in first.items() if can_err and not exact]
    refuted = {t: first[t][0] * (1 if t in drawn else seeds) for t in twins}
    step = max(1, (seeds - 1) // 3)
    jobs = [(t, a, min(a + step, seeds)) for t in drawn for a in range(1, seeds, step)]
    for (claim_id, _, _), (count, _, _) in zip(jobs, run(twin_refuted, jobs), strict=True):
        refuted[claim_id] += count
    scalable = [claim.id for claim in anew if _scalable(claim)]
    factors = dict(zip(scalable, run(sharpness, scalable), strict=True))
    kept = {c.id: c for c in claims} if known.get("seeds") == seeds else {}
    had = {c for c in kept if not fnmatch.fnmatchcase(c, pattern) and kept[c].twin is not None}
    return {
        "seeds": seeds,
        "refuted": {c: n for c, n in known.get("refuted", {}).items() if c in had} | refuted,
        "drawn": [c for c in known.get("drawn", []) if c in had] + drawn,
        "sharpness": {
            c: f for c, f in known.get("sharpness", {}).items()
            if c in kept and not fnmatch.fnmatchcase(c, pattern)
        } | factors,
    }


# Small probabilities


def _jeffreys(count: Floats, draws: Floats, level: float) -> Floats:
    """Log of the mixture over Jeffreys' prior above the level, for comparison."""
    a, b = count + 0.5, draws - count + 0.5
    with np.errstate(divide="ignore"):
        mass = np.log(special.betaincc(a, b, level)) - np.log(special.betaincc(0.5, 0.5, level))
    ratio = special.betaln(a, b) - special.betaln(0.5, 0.5) + mass
    return np.asarray(ratio - count * np.log(level) - (draws - count) * np.log1p(-level))


def draws_needed(paths: int = 1000) -> dict[str, dict[str, float]]:
    """Mean number of draws until a rate of twice the level is refuted at 0.01.

    By two mixtures, and by draws that go where the rare events are, with importance weights.
    """
    out = {}
    for level in (0.1, 0.01, 0.001, 1e-6):
        looks = np.unique(np.geomspace(1 / level, 300 / level, 1500).astype(int))
        rng = np.random.default_rng([9, int(1 / level)])
        steps = rng.binomial(np.diff(looks, prepend=0), 2 * level, size=(paths, looks.size))
        counts = np.cumsum(steps, axis=1)
        told = {}
        for name, wealth in (
            ("scaled to the level", evidence.log_e_rate(counts, looks, level, "above")),
            ("Jeffreys", _jeffreys(counts, looks, level)),
        ):
            crossed = wealth >= np.log(100)
            told[name] = float(looks[np.argmax(crossed, axis=1)].mean())
        told["weighted"] = float(np.mean([weighted_draws(level, path) for path in range(50)]))
        out[str(level)] = told
    return out


def weighted_draws(level: float, path: int, step: int = 128) -> int:
    """Draws until a rate of twice the level is refuted: of Exp(1), drawn as 10 times that."""
    rng = np.random.default_rng([10, path])
    sums, draws = np.zeros_like(evidence.BETS), 0
    while evidence.log_e_bets(sums) < np.log(100):
        x = rng.exponential(10.0, step)
        weight = 10 * np.exp(-0.9 * x) * (x > -np.log(2 * level))
        sums = sums + evidence.bounded_bets(weight, level, low=0.0, side="above")
        draws += step
    return draws


def pooled_measured(seeds: int) -> dict[str, Any]:
    """Twenty cells at 1.1 times the level: refutations, and those by a single cell."""
    from plants import every_plant

    (plant,) = [p for p in every_plant() if p.name == "tail-1.1-in-20"]
    claim = dataclasses.replace(plant.claim(), rows=4096)
    refuted = alone = 0
    for seed in range(seeds):
        found = nt.audit(claim, seed=seed, budget="smoke")
        refuted += found.verdict == "refuted"
        alone += bool((found.summary["log_e_against"] >= found.summary.attrs["log_e_refute"]).any())
    return {"seeds": seeds, "refuted": refuted, "by_a_cell": alone}


def false_discoveries(job: tuple[float, int]) -> tuple[int, int]:
    """True and false claims refuted at a false discovery rate: half of 24 are false."""
    alpha, seed = job
    paper = nt.Paper("fdr", "Half are false")
    claims = []
    for i in range(24):
        rate = 0.1 if i % 2 else 0.15
        claims.append(paper.tail(
            f"claim-{i}", statement="x", bound=functools.partial(_beyond, rate), expect="undecided",
            simulate=lambda *, size, rng: rng.uniform(size=size), grid={"delta": [0.1]}, rows=128))
    with nt.audit(claims, seed=seed, alpha=alpha, fdr=True) as found:
        told = [r.verdict == "refuted" for r in found]
    return sum(told[1::2]), sum(told[0::2])


# The page


def failures(figures: dict[str, Any]) -> list[str]:
    """What breaks a promise, a sentence each; empty where all is well."""
    out = [f"wrong verdicts on {name}: {told}" for name, told in figures["plants"]["wrong"].items()]
    for row in figures["edges"]["together"]:
        # Refuted only where the promise is broken beyond the error of the count.
        if row["low"] > row["alpha"]:
            out.append(f"{row['errors']} of {row['audits']} audits err at {row['alpha']}")
    for name, told in figures["edges"]["alone"].items():
        for what, errors in told.items():
            if what != "audits" and limits(errors, told["audits"])[0] > ALPHAS[0]:
                out.append(f"{name} alone: {what} {errors} of {told['audits']}")
    for name, told in figures["edges"]["e_values"].items():
        if told["mean"] > 1 + 4 * told["error"]:
            out.append(f"the e-values of {name} have mean {told['mean']:.3g}")
    for name, told in figures["power"].items():
        if told["refuted"] < POWER * told["seeds"]:
            out.append(f"power of {name}: {told['refuted']} of {told['seeds']}")
    for name, told in figures["intervals"].items():
        if limits(told["missed"], told["audits"])[0] > 0.01:
            out.append(f"interval of {name} misses {told['missed']} of {told['audits']}")
    for name, count in figures["twins"]["refuted"].items():
        if count < 0.99 * figures["twins"]["seeds"]:
            out.append(f"broken twin of {name}: refuted {count} of {figures['twins']['seeds']}")
    return out


def page(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
        lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        return [*lines, *("| " + " | ".join(str(x) for x in row) + " |" for row in rows), ""]

    plants, edges, twins = figures["plants"], figures["edges"], figures["twins"]
    count = sum(rule["plants"] for rule in plants["rules"].values())
    audits = sum(rule["audits"] for rule in plants["rules"].values())
    wrong = sum(rule["wrong"] for rule in plants["rules"].values())
    faults = failures(figures)
    out = [
        "# The auditor, audited", "",
        "Claims whose truth is known, on trial. Written by `python validation/auditor.py`, "
        f"{sum(figures['minutes'].values()):.1f} minutes on {figures['workers']} cores. "
        + ("Every promise is kept." if not faults else "Broken: " + "; ".join(faults) + "."), "",
        "## Wrong verdicts", "",
        f"{count} planted claims, {plants['seeds']} seeds each at the smoke budget: "
        f"**{wrong} wrong verdicts in {audits} trials**. A claim true at the edge must not be "
        "refuted, one that is just false not upheld, one that is clearly either must be "
        "decided, and what cannot be tried honestly must be refused.", "",
        *table(("Rule", "Plants", "Trials", "Decided or refused", "Wrong"),
               ((name, r["plants"], r["audits"], r["decided"], r["wrong"])
                for name, r in plants["rules"].items())),
        "## Errors at the edge", "",
        f"{len(edges['alone'])} claims of every kind that draws decide, each at the very edge of "
        "its promise, in one audit: all true, so that every refutation is an error, or all false "
        "by a millionth, so that upholding one is.", "",
        *table(("Level", "Claims are", "Audits", "With an error", "95% limits"),
               ((r["alpha"], "true" if r["true"] else "false", r["audits"], r["errors"],
                 f"{r['low']:.4f} to {r['high']:.4f}") for r in edges["together"])),
        f"Each alone at level {ALPHAS[0]}:", "",
        *table(("Claim", "Audits", "Refuted though true", "Upheld though false"),
               ((name, r["audits"], r["refuted though true"], r["upheld though false"])
                for name, r in edges["alone"].items())),
        "Stored evidence is an e-value: under the claim's own hypothesis its mean is at most 1.",
        "",
        *table(("Evidence", "Mean", "Its error", "Largest"),
               ((name, f"{r['mean']:.3f}", f"{r['error']:.3f}", f"{r['largest']:.3g}")
                for name, r in edges["e_values"].items())),
        "## Power at the printed resolution", "",
        "The resolution that an audit of the true claim prints, planted as an excess: promised "
        f"0.99, required {POWER}.", "",
        *table(("Law", "Resolution", "Refuted", "Of"),
               ((name, f"{r['resolution']:.4g}", r["refuted"], r["seeds"])
                for name, r in figures["power"].items())),
        "## Intervals under early stopping", "",
        *table(("99% interval of", "Missed", "Audits"),
               ((name, r["missed"], r["audits"]) for name, r in figures["intervals"].items())),
        "## Small probabilities", "",
        "Mean number of draws that refute a rate of twice the level (evidence alone, no audit):",
        "",
        *table(("Level", "Mixture scaled to the level", "Jeffreys' mixture", "Share",
                "Weighted draws of an exponential tail"),
               ((level, f"{r['scaled to the level']:,.0f}", f"{r['Jeffreys']:,.0f}",
                 f"{r['scaled to the level'] / r['Jeffreys']:.2f}", f"{r['weighted']:,.0f}")
                for level, r in figures["draws"].items())),
        "Twenty cells that each break their level by a tenth: refuted in "
        f"{figures['pooled']['refuted']} of {figures['pooled']['seeds']} audits, "
        f"{figures['pooled']['by_a_cell']} of them by a cell of its own. At a false discovery rate "
        f"of {ALPHAS[0]}, of 12 true and 12 false claims {figures['fdr']['true']:.3f} true and "
        f"{figures['fdr']['false']:.2f} false ones are refuted on average, a mean share of "
        f"{figures['fdr']['share']:.4f}.", "",
        "## Broken twins", "",
        f"{len(twins['refuted'])} twins, refuted at the smoke budget with at least "
        f"{min(twins['refuted'].values())} of {twins['seeds']} seeds each ({len(twins['drawn'])} "
        "are decided by draws; of the others one trial stands for all). Sharpness is the largest "
        "factor on the right side, of those tried, that smoke refutes with each of "
        f"{SHARP_SEEDS} seeds: 1 would be a trial that sees any shrinking; a dash, that none was, "
        "or that nothing is there to scale: of two laws, which have no right side, of a value of "
        "0, and of a rate, whose exponent's resolution stands on its page.",
        "",
        *table(("Claim", "Twin refuted", "Sharpness"),
               ((name, twins["refuted"].get(name, "no twin"),
                 "–" if (f := twins["sharpness"].get(name)) is None else f"{f:.3f}")
                for name in dict.fromkeys([*twins["refuted"], *twins["sharpness"]]))),
    ]
    return "\n".join(out)


def measure(
    run: Callable[..., Iterable[Any]], share: float, workers: int, figures: dict[str, Any],
    parts: Sequence[str], pattern: str,
) -> dict[str, Any]:
    """These parts anew, the others as they were."""
    def of(count: int) -> int:
        return max(1, round(share * count))

    def discoveries() -> dict[str, float]:
        pairs = list(run(false_discoveries, [(ALPHAS[0], seed) for seed in range(of(100))]))
        return {
            "true": float(np.mean([t for t, _ in pairs])),
            "false": float(np.mean([f for _, f in pairs])),
            "share": float(np.mean([t / max(1, t + f) for t, f in pairs])),
        }

    work: dict[str, Callable[[], Any]] = {
        "plants": lambda: plants_measured(run, of(12)),
        "edges": lambda: edges_measured(run, (of(2000), of(200)), of(200)),
        "power": lambda: power_measured(run, of(200)),
        "intervals": lambda: intervals_measured(run, of(500)),
        "draws": draws_needed,
        "pooled": lambda: pooled_measured(of(20)),
        "fdr": discoveries,
        "twins": lambda: twins_measured(run, of(5), figures.get("twins", {}), pattern),
    }
    minutes = dict(figures.get("minutes", {}))
    for part in parts or work:
        start = time.time()
        figures[part] = work[part]()
        took = round((time.time() - start) / 60, 2)
        print(f"{part}: {took} minutes", flush=True)
        if part != "twins" or pattern == "*":  # Some twins measured anew are no measure of all.
            minutes[part] = took
    return {**figures, "workers": workers, "minutes": minutes}


def main() -> int:
    """Measure, print what breaks a promise, write the page; exit code 1 if anything does."""
    here = Path(__file__)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--json", type=Path, default=here.with_suffix(".json"))
    parser.add_argument("--page", type=Path, default=ROOT / "reports" / "auditor.md")
    parser.add_argument("--only", nargs="*", default=[], help="parts to measure anew")
    parser.add_argument("--claims", default="*", help="whose twins, with --only twins")
    options = parser.parse_args()
    if (lacks := campaign.absent()) and options.json.resolve() == here.with_suffix(".json"):
        parser.error(
            f"without mnist.npz in $NOISYTHEORY_DATA there is no {', '.join(lacks)}; the recorded "
            "figures have them, so name other files by --json and --page"
        )
    known = json.loads(options.json.read_text()) if options.only and options.json.exists() else {}
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:

        def run(function: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterable[Any]:
            return pool.map(function, jobs, chunksize=max(1, len(jobs) // (16 * options.workers)))

        figures = measure(
            run, options.share, options.workers, known, options.only, options.claims
        )
    options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if missing := {"plants", "edges", "power", "intervals", "draws", "pooled", "fdr",
                   "twins"} - set(figures):
        print(f"not yet measured: {', '.join(sorted(missing))}")
        return 0
    options.page.write_text(page(figures))
    faults = failures(figures)
    print("\n".join(faults or ["every promise is kept"]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
