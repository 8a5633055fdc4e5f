"""A finished trial: verdict, dataset, replay."""

from __future__ import annotations

import errno
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.trial.catalogue import file_of
from noisytheory.trial.certificates import certified, in_words
from noisytheory.trial.claim import Cell, Claim, Law
from noisytheory.trial.description import PER_CELL, QUANTILES, TIGHTNESS, Columns, describe
from noisytheory.trial.draws import Arrays, draw, exact_evidence, renamed
from noisytheory.trial.passes import AT_ONCE
from noisytheory.trial.store import Store
from noisytheory.trial.store.errors import UNREADABLE
from noisytheory.trial.trial import Trial
from noisytheory.trial.verdict import (
    Always,
    SameLaw,
    law_exceeding,
    right_side,
    tightness,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["DECISIONS", "Audit", "Conclusion", "Result", "conclude", "decisions", "finish",
           "nearest", "nearest_row", "replay_address"]

DECISIONS = ("undecided", "upheld", "refuted", "vacuous")
"""What a cell can say; stored as the index (CF flag values)."""

UNSUPPORTED = "blocks drawn besides do not bear out"
"""Begins the reason of what too few blocks seemed to decide."""

SUPPORT = "support only"
"""Says of what stands beside it in a reason that it proves nothing."""

_RATES = ("probability", "probability_low", "probability_high")

_COLUMNS = {
    "tail": ("tries", "violations", "ties", *_RATES, *TIGHTNESS, "refutable_factor", "resolution",
             "weight_limit", "vacuous"),
    "mean": ("tries", *TIGHTNESS, "refutable_factor", "resolution", "vacuous"),
    "equal": ("tries", "resolution"),
    "always": ("tries", "violations", "tightness", "refutable_factor", "refutable_elsewhere",
               "resolution", "vacuous"),
    "identity": ("tries", "violations", "resolution"),
    "exists": ("tightness", "vacuous"),
    "rate": ("tries", "resolution"),
    "published": ("tries", "resolution"),
}
"""What the dataset of a kind says of every cell and level, besides what all of them say."""

_COORDINATES = {
    "n": "sample size",
    "delta": "probability of failure",
    "sigma": "rate of label noise",
}

_LONG_NAMES = {
    "rhs": "right side (if it depends on the draws their median; of a mean, equality or print "
    "their mean)",
    "violations": "draws that break the promise",
    "ties": "draws that rounding leaves open",
    "probability": "probability of breaking the promise: exact, or the share of the draws",
    "probability_low": "lower 99% confidence limit of that probability, whenever one stops",
    "probability_high": "upper 99% confidence limit of that probability, whenever one stops",
    "tightness": "(1-delta)-quantile of left over right side; mean or maximum where no delta",
    "tightness_low": "lower 99% confidence limit of the tightness, whenever one stops",
    "tightness_high": "upper 99% confidence limit of the tightness, whenever one stops",
    "refutable_factor": "the bound times this factor would have been refuted",
    "refutable_elsewhere": "the bound times this factor would have been refuted by other draws, "
    "as many, in 99 of 100 cases",
    "resolution": "smallest excess that these draws would have refuted with 99% power",
    "quantiles": "quantiles of the left side",
    "mean": "mean of the left side (always, identity: largest gap between the sides; of a rate "
    "whose right side is drawn, mean of the difference)",
    "mean_low": "lower 99% confidence limit of the mean, by the rule in force",
    "mean_high": "upper 99% confidence limit of the mean, by the rule in force",
    "distance": "distance of the two laws as drawn, or exact",
    "weight_mean": "mean of the importance weights",
    "weight_limit": "largest weight of a draw that breaks the promise",
    "replicates": "independent draws",
    "tries": "draws that satisfy the hypotheses",
    "log_e_against": "log evidence against the promise, stopped where it crossed",
    "log_e_support": "log evidence that the promise holds, stopped where it crossed",
    "log_e_against_max": "largest log evidence against the promise over the looks",
    "log_e_support_max": "largest log evidence that the promise holds over the looks",
    "instances": "some of the instances: left side, right side, how many it stands for, and what "
    "`fields` names, a word by its place there; those that the hypotheses leave out have no sides",
    "margin": "half-width within which equality is upheld",
    "printed_error": "standard error of the printed number",
    "slope": "log-log slope of the mean",
    "slope_low": "lower 99% limit of the slope, if it is one",
    "slope_high": "upper 99% limit of the slope, if it is one",
    "slope_first": "slope of the first half",
    "slope_second": "slope of the second half",
    "curved": "whether curvature is seen: 1 where it is",
    "slope_error": "standard error of the slope at the far end, curvature allowed for",
    "trivial": "right side that is true anyway",
    "vacuous": "the bound is no better than what is true anyway",
    "exact": "no Monte Carlo error",
    "decision": "what this cell says",
}


class Conclusion(NamedTuple):
    """What a trial whose cells are all closed says.

    Attributes
    ----------
    verdict, reason : str
    decided : ndarray
        `decisions`.
    own : float
        The claim's own log e-value.
    extra : dict
        What else its rule found.
    """

    verdict: str
    reason: str
    decided: NDArray[Any]
    own: float
    extra: dict[str, Any]

    def discovered(self, alpha: float) -> Conclusion:
        """What it says once the claim is among the discoveries at this rate of false ones."""
        return self._replace(verdict="refuted", reason=(
            f"refuted at a false discovery rate of {alpha:g}, e-value {np.exp(self.own):.3g}"
        ))


    def unsupported(self) -> Conclusion:
        """What it says once other blocks do not say the same."""
        return self._replace(
            verdict="undecided", reason=f"{UNSUPPORTED} that it is {self.verdict} ({self.reason})",
            decided=self.decided * (self.decided == DECISIONS.index("vacuous")),
        )


def conclude(trial: Trial) -> Conclusion:
    """The verdict, granted that the rows are independent."""
    extra = trial.settle()
    decided, own = decisions(trial), trial.own_evidence()
    return Conclusion(*_conclude(trial, decided, own, extra), decided, own, extra)


def finish(trial: Trial, found: Conclusion, audit_settings: Mapping[str, Any]) -> Result:
    """All cells closed, their rows compared: dataset, compaction."""
    import xarray as xr

    claim = trial.claim
    dims, shape = claim.dims, claim.shape
    verdict, reason, decided, own, extra = found if trial.borne_out else found.unsupported()

    has_levels = claim.kind == "tail"
    level_dims = (*dims, "delta") if has_levels else dims
    columns, names = ({}, {}) if claim.kind == "cited" else describe(trial)
    if "resolution" in extra:
        columns["resolution"][:, 0] = np.ravel(extra.pop("resolution"))
    _refuse_impossible(claim, verdict, columns, trial.vacuous)
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {name: _coordinate(name, claim.labels(name)) for name in dims}
    if has_levels:
        coords["delta"] = _coordinate("delta", claim.deltas)

    def put(name: str, values: Any, dims_: tuple[str, ...], shape_: tuple[int, ...]) -> None:
        array = np.asarray(values).reshape(shape_)
        variables[name] = (dims_, array, {"long_name": _LONG_NAMES.get(name, name)})

    if columns:
        level_shape = (*shape, len(claim.deltas)) if has_levels else shape
        kept = _COLUMNS[claim.kind]
        for name in ("rhs", *kept):
            said = name != "weight_limit" or not np.isnan(columns[name]).all()
            if name in columns and name != "tries" and said:
                put(name, columns[name], level_dims, level_shape)
        coords["quantile"] = QUANTILES
        put("quantiles", columns["quantiles"], (*dims, "quantile"), (*shape, len(QUANTILES)))
        for name in ("mean", "replicates", *(["tries"] if "tries" in kept else [])):
            put(name, columns[name], dims, shape)
        for name in PER_CELL[1:]:
            if not np.isnan(columns[name]).all():
                put(name, columns[name], dims, shape)
        if "instances" in columns:
            put("instances", columns["instances"], (*dims, "field", "instance"),
                (*shape, *columns["instances"].shape[1:]))
            # As one text, for not every format of a file knows lists here.
            variables["instances"][2]["fields"] = json.dumps(names)
        put("exact", [s.is_exact for s in trial.cells], dims, shape)
        put("log_e_against", trial.against, level_dims, level_shape)
        # That no instance tried broke the promise is no evidence of a size.
        searched = isinstance(trial.rule, Always) and not all(s.is_exact for s in trial.cells)
        support = np.full_like(trial.support, np.nan) if searched else trial.support
        put("log_e_support", support, level_dims, level_shape)
        if trial.rule.sequential and claim.can_err:
            put("log_e_against_max", trial.highest_against, level_dims, level_shape)
            put("log_e_support_max", trial.highest_support, level_dims, level_shape)
        if "vacuous" in kept:
            put("vacuous", trial.vacuous, level_dims, level_shape)
        put("decision", decided, level_dims, level_shape)
        variables["decision"][2].update(
            flag_values=list(range(len(DECISIONS))), flag_meanings=" ".join(DECISIONS)
        )
        of_kind = ("margin", "printed_error") if claim.kind in ("equal", "published") else ()
        for name in ("trivial",) if claim.trivial is not None else of_kind:
            declared = [float(claim.value(name, cell) or 0.0) for cell in claim.cells()]
            put(name, declared, dims, shape)
        for name, values in extra.items():
            put(name, values, dims, shape)
        for name in ("rhs", "trivial", "quantiles", "mean", "mean_low", "mean_high"):
            if name in variables:
                variables[name][2]["units"] = claim.unit
    attributes = {
        "claim": claim.id,
        "paper": claim.paper.id,
        "title": claim.paper.title,
        "kind": claim.kind,
        "place": claim.place,
        "statement": claim.statement,
        "hypotheses": [*claim.assumed, *_unsaid(trial)],
        "note": claim.note,
        "origin": claim.origin,
        "quantity": claim.quantity,
        "unit": claim.unit,
        "expected": claim.expect,
        "verdict": verdict,
        "reason": reason,
        "fingerprint": trial.fingerprint,
        "rows": claim.rows,
        "charged": int(trial.charged),
        "log_e": own,
        "log_e_claim": trial.thresholds.claim,
        "log_e_refute": trial.thresholds.entry,
        "log_e_uphold": trial.thresholds.uphold,
        **audit_settings,
    }
    if trial.compared[1]:
        attributes["compared"], attributes["compared_least"] = trial.compared
    if claim.apart:
        attributes["apart"] = 1
    elif trial.relies and verdict == "upheld" and trial.charged:
        attributes["relied"] = 1
    if (file := file_of(claim)) is not None:
        attributes["file"] = file
    if claim.given:
        attributes["given"] = [f"{name}={text}" for name, text in claim.constants.items()]
    if claim.along is not None:
        attributes["along"] = claim.along
    if isinstance(trial.rule, Always):
        attributes["certified"] = int(claim.certify is not None)
    if isinstance(trial.rule, SameLaw):
        natural = claim.low is not None and claim.high is not None
        attributes["distance"] = "Wasserstein" if natural else "Kolmogorov"
    if claim.twin is not None and "factor" in claim.twin:
        attributes["twin_factor"] = float(claim.twin["factor"])
    if claim.picture is not None:
        attributes["picture"] = getattr(claim.picture, "__name__", "picture")
    if trial.counterexample is not None:
        attributes["counterexample"] = json.dumps(trial.counterexample)
    dataset = xr.Dataset(variables, coords=coords, attrs=attributes)
    drawn = {"long_name": claim.quantity, "units": claim.unit}
    named = {
        "lhs": drawn,
        "rhs_draw": {"long_name": "right side, draw by draw", "units": claim.unit},
        "other": {**drawn, "long_name": f"{claim.quantity}, second law"},
        "applies": {"long_name": "whether the hypotheses hold", "units": "1"},
    }
    described = {
        name: named.get(name, {"long_name": name, "units": claim.unit})
        for name in trial.variables
    }
    trial.blocks.finish(dataset, list(dims), described)
    return Result(claim=claim, summary=dataset, seed=trial.seed)


def _coordinate(name: str, values: Sequence[Any]) -> tuple[str, NDArray[Any], dict[str, str]]:
    """Values of a dimension with what they are."""
    array = np.asarray(values)
    said = {"long_name": _COORDINATES.get(name, name.replace("_", " "))}
    return name, array, said | ({"units": "1"} if array.dtype.kind in "iuf" else {})


def _unsaid(trial: Trial) -> list[str]:
    """What the trial relies on, too, as what was drawn shows."""
    said = [
        f"Draws alone cannot {verb} it: {field} not declared, and exact evidence is not everywhere."
        for verb, field in _lacking(trial).items()
    ]
    if "weight" in trial.variables and trial.claim.weight_limit is None:
        said.append("Draws alone cannot uphold it: weight_limit is not declared.")
    return said


def _lacking(trial: Trial) -> dict[str, str]:
    """What draws cannot do, and for want of which field, where exact evidence was to decide."""
    claim = trial.claim
    if claim.exact is None or all(state.is_exact for state in trial.cells):
        return {}
    found = {verb: claim.undeclared(end) for verb, end in (("refute", "low"), ("uphold", "high"))}
    return {verb: field for verb, field in found.items() if field}


def _refuse_impossible(
    claim: Claim, verdict: str, columns: Columns, vacuous: NDArray[np.bool_]
) -> None:
    """Upheld, and yet broken beyond the error of the draws: a fault of ours, not of the claim."""
    if verdict != "upheld" or not columns or "tightness" not in _COLUMNS[claim.kind]:
        return
    sampled = claim.kind in ("tail", "mean")
    least = columns["tightness_low" if sampled else "tightness"]
    worst = np.where(vacuous | np.isnan(least), -np.inf, least)
    if np.any(worst > 1 + 1e-6):
        raise AssertionError(
            f"{claim.id} is upheld, but uses {worst.max():.6g} times its bound: a fault of ours"
        )


def decisions(trial: Trial) -> NDArray[Any]:
    """What each cell says at each level, as indices into `DECISIONS`."""
    out = np.full(trial.against.shape, DECISIONS.index("undecided"), np.int8)
    out[trial.support >= trial.thresholds.uphold] = DECISIONS.index("upheld")
    out[trial.vacuous] = DECISIONS.index("vacuous")
    out[trial.against >= trial.thresholds.entry] = DECISIONS.index("refuted")
    return out


def _conclude(
    trial: Trial, decided: NDArray[Any], own: float, extra: Mapping[str, Any]
) -> tuple[str, str]:
    """Verdict of a claim and the reason in a few words."""
    claim = trial.claim
    if claim.kind == "cited":
        return "undecided", claim.reason
    count = {word: int(np.sum(decided == i)) for i, word in enumerate(DECISIONS)}
    total, remark = decided.size, _remark(trial, extra)
    if count["refuted"]:
        first = trial.cells[int(np.argmax(np.any(decided == 2, axis=1)))]
        where = claim.address(first.cell)
        return "refuted", f"{count['refuted']} of {total} refuted" + (
            f", first at {where}" if where else ""
        ) + remark
    if trial.rule.pooled and own >= trial.thresholds.claim:
        return "refuted", f"{total} cells together refute it, none alone{remark}"
    if count["vacuous"] == total:
        return "undecided", "vacuous everywhere on the grid"
    vacuous = f", {count['vacuous']} vacuous" if count["vacuous"] else ""
    if count["upheld"] + count["vacuous"] == total:
        if isinstance(trial.rule, Always):
            tries = sum(int(s.summary[0]) for s in trial.cells if s.summary is not None)
            listed = all(s.is_exact for s in trial.cells)
            if tries == 1:
                every = "the one listed instance" if listed else "one try"
            else:
                every = f"any of {tries} listed instances" if listed else f"{tries} tries"
            return "upheld", f"no break in {every}{vacuous}"
        return "upheld", f"{count['upheld']} of {total} upheld{vacuous}{remark}"
    few = sum(
        s.summary is not None and not s.is_exact and trial.rule.draws(s.summary) < claim.rows
        and DECISIONS.index("undecided") in decided[s.index] for s in trial.cells
    )
    short = f"; in {few} of {claim.size} cells the hypotheses hold in too few draws" if few else ""
    none = sum(
        isinstance(trial.rule, Always) and s.is_exact and s.summary is not None
        and not s.summary[0] for s in trial.cells
    )
    if none:
        short += f"; in {none} of {claim.size} cells the hypotheses hold in no listed instance"
    if lacking := _lacking(trial):
        fields = " and ".join(dict.fromkeys(lacking.values()))
        short += f"; no exact evidence in some cells, and {fields} not declared"
    left = "exact evidence leaves" if all(s.is_exact for s in trial.cells) else "budget spent with"
    return "undecided", (
        f"{left} {count['undecided']} of {total} undecided{vacuous}{short}{remark}"
    )


def _remark(trial: Trial, extra: Mapping[str, Any]) -> str:
    """What the kind adds to its reason: a margin, the slopes, what could not decide."""
    claim = trial.claim
    if claim.kind in ("equal", "published"):
        margins = {float(claim.value("margin", cell) or 0.0) for cell in claim.cells()}
        least, most = min(margins), max(margins)
        said = f"; margin {least:g}" + (f" to {most:g}" if most > least else "")
        if trial.asked > trial.max_blocks:
            said += f"; of two laws at most {trial.max_blocks * claim.rows:,} draws are compared"
        return said + (_support(trial) if claim.kind == "published" else "")
    if "slope" not in extra:
        return ""
    missing = f": {claim.cannot_refute} not declared" if claim.cannot_refute else ""
    if not np.isfinite(extra["slope"]).any():
        return f"; no slope (a mean is not positive); {SUPPORT}{missing}"

    def of(name: str) -> str:
        least, most = np.nanmin(extra[name]), np.nanmax(extra[name])
        return f"{least:.3g}" if f"{least:.3g}" == f"{most:.3g}" else f"{least:.3g} to {most:.3g}"

    low, high = np.nanmin(extra["slope_low"]), np.nanmax(extra["slope_high"])
    return (
        f"; slope {of('slope')} (99% {low:.3g} to {high:.3g}), first half "
        f"{of('slope_first')}, second half {of('slope_second')}; {SUPPORT}{missing}"
    )


def _support(trial: Trial) -> str:
    """Where no range is declared, what is no more than support: ours, in the cell farthest off."""
    found = [state for state in trial.cells if state.summary is not None and state.summary[0] > 1]
    if not found or not (missing := trial.claim.cannot_uphold):
        return ""
    table = np.array([state.summary for state in found])
    draws, means, squares, printed = table[:, :4].T
    half = special.ndtri(0.995) * np.sqrt(squares / (draws - 1) / draws)
    worst = int(np.argmax(np.abs(means - printed) - half))
    mean, reach = means[worst], half[worst]
    where = f" at {trial.claim.address(found[worst].cell)}" if len(found) > 1 else ""
    return (
        f"; {SUPPORT}, {missing} not declared: mean {mean:.6g} (99% normal limits "
        f"{mean - reach:.6g} to {mean + reach:.6g}) against {printed[worst]:.6g} in print{where}"
    )


@dataclass(frozen=True, repr=False)
class Result:
    """What the trial of one claim found.

    Parameters
    ----------
    claim : Claim
        What was tried.
    summary : xarray.Dataset
        Right sides, counts, evidence, tightness, quantiles by cell (and delta), with attributes
        that suffice to run it again.
    seed : int
        Root seed.
    """

    claim: Claim
    summary: xr.Dataset
    seed: int
    location: str | None = None
    store: Store | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """``"upheld"``, ``"refuted"`` or ``"undecided"``."""
        return str(self.summary.attrs["verdict"])

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        return str(self.summary.attrs["reason"])

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the claim declares."""
        return self.verdict == self.claim.expect

    @property
    def exact(self) -> bool:
        """Whether no Monte Carlo error remains in any cell."""
        return bool("exact" in self.summary and np.all(self.summary["exact"]))

    def _headline(self, name: str) -> float | None:
        if name not in self.summary:
            return None
        vacuous = self.summary.get("vacuous", False)
        values = np.where(vacuous, np.nan, self.summary[name])
        known = values[~np.isnan(values)]
        return float(known.max()) if known.size else None

    @property
    def tightness(self) -> float | None:
        """Largest tightness over the cells that are not vacuous; infinite past a bound <= 0."""
        return self._headline("tightness")

    @property
    def resolution(self) -> float | None:
        """Largest (worst) resolution over the cells that are not vacuous."""
        return self._headline("resolution")

    @property
    def replicates(self) -> int:
        """Independent draws over all cells."""
        return int(self.summary["replicates"].sum()) if "replicates" in self.summary else 0

    @property
    def counterexample(self) -> dict[str, Any] | None:
        """The certified counterexample with its address, or None."""
        text = self.summary.attrs.get("counterexample")
        return dict(json.loads(text)) if text else None

    @property
    def dataset(self) -> xr.Dataset:
        """The summary together with every stored draw, lazily opened."""
        if self.store is None:
            return self.summary
        return self.store.read(self.claim.id)

    def to_dict(self) -> dict[str, Any]:
        """The claim's entry in ``noisytheory audit --json``."""
        return {
            "id": self.claim.id,
            "also": list(self.claim.names[1:]),
            "paper": self.claim.paper.id,
            "kind": self.claim.kind,
            "verdict": self.verdict,
            "expected": self.claim.expect,
            "reason": self.reason,
            "tightness": self.tightness,
            "resolution": self.resolution,
            "replicates": self.replicates,
            "exact": self.exact,
            "origin": self.claim.origin,
        }

    def replay(self) -> dict[str, Any]:
        """The certified counterexample, or else the draw nearest to breaking the bound.

        Returns
        -------
        dict
            The draw's address (seed, claim, cell, block, row), both sides, and the steps.
        """
        return self.counterexample or nearest(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the dataset with its draws, as netCDF (``.nc``) or Zarr (``.zarr``).

        Raises
        ------
        ValueError
            For another suffix.
        FileExistsError
            If a folder of this name holds anything but a result that was saved so.
        """
        dataset = self.dataset.load().drop_vars("block_digest", errors="ignore")
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix == ".zarr":
            _refuse_others(Path(path))
            with warnings.catch_warnings():
                # Zarr says that format 3 does not yet specify text and consolidated metadata.
                warnings.simplefilter("ignore")
                dataset.to_zarr(path, mode="w")
        elif suffix == ".nc":
            # Attributes of this format are single texts.
            dataset.attrs = {
                name: "\n".join(value) if isinstance(value, list) else value
                for name, value in dataset.attrs.items()
            }
            dataset.to_netcdf(path, engine="scipy")
        else:
            raise ValueError(f"path must end in .nc or .zarr, got {os.fspath(path)!r}")

    def __repr__(self) -> str:
        def number(x: float | None) -> str:
            return "-" if x is None else f"{x:.3g}"

        drawn = "exact" if self.exact else f"{self.replicates:,} replicates"
        return (
            f"{self.claim.id}: {self.verdict} ({self.reason}); {drawn}, "
            f"tightness {number(self.tightness)}, resolution {number(self.resolution)}"
        )


def nearest(result: Result) -> dict[str, Any]:
    """The draw, or exact cell, that comes nearest to breaking the bound, or goes furthest beyond.

    Parameters
    ----------
    result : Result
        Of any claim.

    Returns
    -------
    dict
        Address, both sides and steps; block -1 says that nothing was drawn.
    """
    claim, dataset = result.claim, result.dataset
    address = {"seed": result.seed, "claim": claim.id, "block": -1, "row": 0}
    if claim.kind == "cited":
        steps = [["undecided", claim.reason]]
        return {**address, "cell": "", "lhs": "-", "rhs": "-", "steps": steps}
    best: tuple[float, int, int, int] | None = None
    for index in range(claim.size):
        for found in _nearest_in(claim, dataset, index):
            if best is None or found[0] > best[0]:
                best = (found[0], index, *found[1:])
    assert best is not None
    return replay_address(claim, *best[1:], seed=result.seed)


def _nearest_in(
    claim: Claim, dataset: xr.Dataset, index: int
) -> Iterator[tuple[float, int, int]]:
    """The nearest of every part of a cell's draws, with block and row; else of its evidence."""
    cell, none = claim.cell(index), True
    wanted = ("lhs", "rhs_draw", "other", "applies", *claim.drawn_names())
    names = [name for name in wanted if name in dataset]
    where = dict(zip(claim.dims, np.unravel_index(index, claim.shape), strict=True))
    step = max(1, AT_ONCE // claim.rows)
    for first in range(0, dataset.sizes.get("chain", 0), step):
        part = dataset[names].isel(where | {"chain": slice(first, first + step)})
        drawn = {name: part[name].values.ravel() for name in names}
        if (good := np.flatnonzero(~np.isnan(drawn["lhs"]))).size:
            drawn = {name: values[good] for name, values in drawn.items()}
            ratio, at = nearest_row(claim, cell, drawn)
            block, row = divmod(int(good[at]), claim.rows)
            yield ratio, first + block, row
            none = False
    if none and isinstance(exact := exact_evidence(claim, cell), dict):
        ratio, row = nearest_row(claim, cell, renamed(exact))
        yield ratio, -1, row
    elif none:
        # A law or an optimum: the cell as a whole stands for it.
        said = "tightness" if "tightness" in dataset else "log_e_against"
        tight = np.reshape(dataset[said].values, (claim.size, -1))[index]
        yield float(np.nan_to_num(tight, nan=-np.inf).max()), -1, 0


def _promised(claim: Claim, cell: Cell, drawn: Arrays) -> NDArray[np.float64]:
    """What a left side is held against: the right side or, of two laws, the other one's draw."""
    if "other" in drawn and claim.bound is None:
        return np.asarray(drawn["other"], float)[None, :]
    return right_side(claim, cell, drawn)


def nearest_row(claim: Claim, cell: Cell, drawn: Arrays) -> tuple[float, int]:
    """The row that comes nearest to breaking the promise, and how near; larger is nearer."""
    lhs, rhs = np.asarray(drawn["lhs"], float), _promised(claim, cell, drawn)[-1]
    if claim.kind == "identity" or "other" in drawn:
        ratio = np.abs(lhs - rhs)
    else:
        ratio = tightness(lhs, rhs)
    applies = np.asarray(drawn.get("applies", np.ones(lhs.shape)), bool)
    ratio = np.where(np.isnan(ratio) | ~applies, -np.inf, ratio)
    row = int(np.argmax(ratio))
    return float(ratio[row]), row


def replay_address(
    claim: Claim, index: int, block: int, row: int, *, seed: int
) -> dict[str, Any]:
    """One draw again from its address, with both sides, in exact arithmetic where the claim has it.

    Parameters
    ----------
    claim : Claim
        With a simulator, or with exact evidence at the cell.
    index : int
        Cell, in C order.
    block, row : int
        Block within the cell and row within the block; block -1 is the cell's exact evidence.
    seed : int
        Root seed.

    Returns
    -------
    dict
        The address, both sides, the steps, and whether the hypotheses hold of it (``applies``).
    """
    cell = claim.cell(index)
    address = {"seed": seed, "claim": claim.id, "cell": claim.address(cell), "block": block,
            "row": row}
    if block < 0:
        exact = exact_evidence(claim, cell)
        if not isinstance(exact, dict):
            return {**address, "applies": True, **_exact_steps(claim, cell, exact)}
        drawn = renamed(exact)
    else:
        drawn = draw(claim, cell, block, seed=seed)
    applies = "applies" not in drawn or bool(drawn["applies"][row])
    if claim.certify is not None:
        certificate = certified(claim, cell, drawn, row)
        address["applies"] = applies and certificate.applies
        return {**address, **in_words(certificate)}
    address["applies"] = applies
    rhs = _promised(claim, cell, drawn)
    column = row if rhs.shape[1] > 1 else 0
    steps = [[name, np.array2string(array[row], precision=6)] for name, array in drawn.items()]
    for j, delta in enumerate(claim.deltas or (None,)):
        label = "right side" if delta is None else f"right side at delta={delta:g}"
        steps.append([label, f"{rhs[min(j, len(rhs) - 1), column]:.6g}"])
    return {**address, "lhs": f"{float(drawn['lhs'][row]):.12g}",
            "rhs": f"{float(rhs[-1, column]):.12g}", "steps": steps}


def _exact_steps(claim: Claim, cell: Cell, exact: Any) -> dict[str, Any]:
    """Both sides of a cell whose evidence is a law or an optimum."""
    if isinstance(exact, tuple) and isinstance(exact[0], Law):
        means = [f"{law.mean():.12g}" for law in exact]
        return {"lhs": means[0], "rhs": means[1],
                "steps": [["means of the two laws", ", ".join(means)]]}
    rhs = right_side(claim, cell)[:, 0]
    if not isinstance(exact, Law):
        optimum, error = exact
        steps = [["exact optimum", f"{optimum:.12g}"], ["its error at most", f"{error:.3g}"],
                 ["promised at least", f"{rhs[0]:.12g}"]]
        return {"lhs": f"{optimum:.12g}", "rhs": f"{rhs[0]:.12g}", "steps": steps}
    steps = [["mean of the left side", f"{exact.mean():.12g}"]]
    if claim.kind != "tail":
        return {"lhs": f"{exact.mean():.12g}", "rhs": f"{rhs[0]:.12g}", "steps": steps}
    chances = [law_exceeding(claim, cell, exact, r)[0] for r in rhs]
    for delta, r, chance in zip(claim.deltas, rhs, chances, strict=True):
        steps.append([
            f"delta={delta:g}",
            f"Pr[left side > {r:.9g}] = {chance:.6g}, promised at most {delta:g}"
            + (": broken" if chance > delta * (1 + exact.error) else ""),
        ])
    # The level of the largest tightness, by which `nearest` picks the cell.
    left = np.array([exact.beyond(delta) for delta in claim.deltas])
    ratio = np.divide(left, rhs, out=np.full(left.shape, -np.inf), where=rhs > 0)
    worst = int(np.argmax(ratio))
    return {"lhs": f"{left[worst]:.12g} (the quantile at 1 - {claim.deltas[worst]:g})",
            "rhs": f"{rhs[worst]:.12g}", "steps": steps}


@dataclass(frozen=True, repr=False)
class Audit:
    """Many claims on trial in one run.

    Parameters
    ----------
    results : dict of str to Result
        By claim id.
    settings : mapping
        Seed, level, budget, versions, machine and times.
    """

    results: dict[str, Result]
    settings: Mapping[str, Any]
    store: Store

    def __getitem__(self, claim_id: str) -> Result:
        # A result that stands in two papers is one trial with two names.
        for result in self.results.values():
            if claim_id in result.claim.names:
                return result
        raise KeyError(claim_id)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results.values())

    def __len__(self) -> int:
        return len(self.results)

    @property
    def as_expected(self) -> bool:
        """Whether every verdict is the expected one."""
        return all(result.as_expected for result in self)

    @property
    def tree(self) -> xr.DataTree:
        """All datasets as a tree of papers and claims, draws lazily opened."""
        import xarray as xr

        tree = {result.claim.id: result.dataset for result in self}
        out = xr.DataTree.from_dict(tree)
        out.attrs.update(self.settings)
        return out

    def to_dict(self) -> dict[str, Any]:
        """What ``noisytheory audit --json`` prints."""
        return {**self.settings, "claims": [result.to_dict() for result in self]}

    def close(self) -> None:
        """Release the store; a temporary one is removed."""
        self.store.close()

    def __enter__(self) -> Audit:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "\n".join(repr(result) for result in self)


def _refuse_others(folder: Path) -> None:
    """Refuse what `save` would delete, and has not written: all of a folder goes for a new one."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    known: set[str] = set()
    try:
        found = json.loads((folder / "zarr.json").read_bytes())
        if "claim" in found["attributes"]:
            known = {"zarr.json", *found["consolidated_metadata"]["metadata"]}
        others = {entry.name for entry in folder.iterdir()} - known
    except (OSError, *UNREADABLE):
        others = {"."}
    if others:
        why = "no result was saved there, or more than that is: it is left alone; name another one"
        raise FileExistsError(errno.EEXIST, why, str(folder))
