"""What a page knows of one claim, read from its stored dataset and from nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.spelling import spell

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Record"]

UNDECIDED, UPHELD, REFUTED, VACUOUS = range(4)
"""Flag values of the variable ``decision``."""

LEAST = 1e-300
"""An existence of no more than this promises more than nothing."""

CONFIDENCE = 0.99
"""Coverage of the intervals that are shown."""

SHOWN = 2**18
"""Draws of a cell that a page is made of, at most, unless a block has more."""

ORIGINS = {
    "paper": "as printed in the paper",
    "sharper": "a sharper known result, not the paper's",
    "candidate": "our guess at what print has lost or does not say",
    "user": "the user's own",
}


@dataclass(frozen=True, eq=False)
class Record:
    """One claim's dataset, with its cells laid out flat: (cells,) or (cells, levels) arrays.

    Parameters
    ----------
    dataset : xarray.Dataset
        As `noisytheory.Result.dataset` or a finished store gives it. Draws may be missing.
    """

    dataset: xr.Dataset

    @classmethod
    def of(cls, source: xr.Dataset | Record) -> Record:
        """A record of a dataset, or the record itself; what is small is read at once."""
        if isinstance(source, Record):
            return source
        loaded = source.copy()
        for variable in loaded.variables.values():
            if "draw" not in variable.dims:
                variable.load()
        return cls(loaded)

    def __getattr__(self, name: str) -> Any:
        # Texts of the claim: statement, place, kind, verdict, reason, note, quantity ...
        dataset = self.__dict__.get("dataset")  # not there while a copy is made
        if name.startswith("_") or dataset is None or name not in dataset.attrs:
            raise AttributeError(name)
        return dataset.attrs[name]

    @cached_property
    def id(self) -> str:
        """The claim's id."""
        return str(self.dataset.attrs["claim"])

    @property
    def name(self) -> str:
        """The id without the paper."""
        return self.id.partition("/")[2]

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the declared one."""
        return bool(self.verdict == self.expected)

    @property
    def hypotheses(self) -> list[str]:
        """What must hold, in words."""
        found = self.dataset.attrs.get("hypotheses", [])
        return [found] if isinstance(found, str) else [str(h) for h in found]

    @property
    def given(self) -> dict[str, str]:
        """Constants that are no parameter of a cell, as text."""
        found = self.dataset.attrs.get("given", [])
        pairs = [found] if isinstance(found, str) else found
        return {name: value for name, _, value in (str(pair).partition("=") for pair in pairs)}

    @property
    def in_squares(self) -> bool:
        """Whether squares are compared of what the statement says without."""
        quantity, statement = (str(self.dataset.attrs.get(name, "")) for name in
                               ("quantity", "statement"))
        return quantity.startswith("squared ") and not re.search(r"\^2\s*\\[lg]e", statement)

    @property
    def unit(self) -> str:
        """Unit of the left side; empty for a pure number."""
        unit = str(self.dataset.attrs.get("unit", "1"))
        return "" if unit == "1" else unit.replace("^2", "²")

    @property
    def side(self) -> str:
        """What the left side is, with its unit, for an axis."""
        quantity = str(self.dataset.attrs.get("quantity", "left side"))
        return f"{quantity} [{self.unit}]" if self.unit not in ("", quantity) else quantity

    @property
    def tried(self) -> bool:
        """Whether anything was tried at all; a cited result was not."""
        return "mean" in self.dataset

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """Names of the cell's parameters."""
        return tuple(str(d) for d in self.dataset["mean"].dims) if self.tried else ()

    @cached_property
    def grid(self) -> dict[str, list[Any]]:
        """Values of each parameter, in the order of the grid."""
        return {d: [_plain(v) for v in self.dataset[d].values] for d in self.dims}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(len(values) for values in self.grid.values())

    @cached_property
    def size(self) -> int:
        """Number of cells."""
        return int(np.prod(self.shape, dtype=int))

    @cached_property
    def deltas(self) -> NDArray[np.float64]:
        """Levels of the promise; empty where it names none."""
        if self.kind == "tail" and self.tried and "delta" in self.dataset["rhs"].dims:
            return np.asarray(self.dataset["delta"].values, float)
        return np.empty(0)

    @cached_property
    def varying(self) -> list[str]:
        """Parameters with more than one value."""
        return [name for name, values in self.grid.items() if len(values) > 1]

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """Parameters of each cell, in C order."""
        return [
            {name: self.grid[name][i] for name, i in zip(self.dims, where, strict=True)}
            for where in np.ndindex(*self.shape)
        ]

    @cached_property
    def labels(self) -> list[str]:
        """Short name of each cell: the parameters that vary."""
        return [
            ", ".join(spell(name, cell[name]) for name in self.varying) or "the only cell"
            for cell in self.cells
        ]

    def address(self, index: int) -> str:
        """The cell with all its parameters."""
        return ", ".join(spell(k, v) for k, v in self.cells[index].items()) or "its only cell"

    def per_cell(self, name: str) -> NDArray[Any]:
        """A variable over the cells, shape (cells,)."""
        return self._once(("cell", name), lambda: self._ordered(name, self.dims).reshape(self.size))

    def per_level(self, name: str) -> NDArray[Any]:
        """A variable over cells and levels, shape (cells, levels); NaN where its kind has none."""
        return self._once(("level", name), lambda: self._per_level(name))

    def _per_level(self, name: str) -> NDArray[Any]:
        if name not in self.dataset:
            return np.full((self.size, max(1, self.deltas.size)), np.nan)
        dims = (*self.dims, "delta") if self.deltas.size else self.dims
        found = self._ordered(name, dims).reshape(self.size, max(1, self.deltas.size))
        if name.startswith("tightness") and self.kind == "exists":
            # Of the smallest number, which promises a sign and no size, there is no share.
            found = np.where(self.per_level("rhs") > LEAST, found, np.nan)
        return found

    def _once(self, key: tuple[str, str], find: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """What a page asks for dozens of times, found once."""
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[str, str], NDArray[Any]]:
        return {}

    def _ordered(self, name: str, dims: tuple[str, ...]) -> NDArray[Any]:
        # Of the variable: making an array with coordinates of it takes ten times as long.
        return np.asarray(self.dataset.variables[name].transpose(*dims).values)

    @cached_property
    def quantiles(self) -> NDArray[np.float64]:
        """Quantiles of the left side, shape (cells, probabilities)."""
        values = self.dataset["quantiles"].transpose(*self.dims, "quantile").values
        return np.asarray(values, float).reshape(self.size, -1)

    @cached_property
    def decision(self) -> NDArray[Any]:
        """What each cell says at each level."""
        return self.per_level("decision")

    @cached_property
    def vacuous(self) -> NDArray[np.bool_]:
        """Where the bound, or the margin, is no better than what is true anyway."""
        if "vacuous" not in self.dataset:
            return np.asarray(self.decision == VACUOUS)
        return np.asarray(self.per_level("vacuous") == 1)

    @property
    def two_laws(self) -> bool:
        """Whether the promise is that two laws agree, not that a mean has a value."""
        said = {"distance", "other"} & {*self.dataset.variables, *self.dataset.attrs}
        return bool(self.kind == "equal" and said)

    @property
    def distance(self) -> str:
        """Name of the distance that two laws are held against."""
        # Exact ones are compared value by value.
        natural = self.dataset.attrs.get("distance") == "Wasserstein" and not self.exact
        return "Wasserstein" if natural else "Kolmogorov"

    @property
    def distance_unit(self) -> str:
        """Unit of that distance: of the left side, or of a probability."""
        return self.unit if self.distance == "Wasserstein" else ""

    @property
    def weighted(self) -> bool:
        """Whether draws carry importance weights."""
        return "weight" in self.dataset or "weight_limit" in self.dataset

    @property
    def jointly(self) -> bool:
        """Whether it is refuted by all cells together, or at a discovery rate, by none alone."""
        return bool(self.verdict == "refuted" and not np.any(self.decision == REFUTED))

    @property
    def held(self) -> NDArray[Any]:
        """Draws of each cell that satisfy the hypotheses; of exact evidence its instances."""
        return self.per_cell("tries" if "tries" in self.dataset else "replicates")

    @property
    def masked(self) -> bool:
        """Whether some draws do not satisfy the hypotheses, and so are none."""
        if "tries" not in self.dataset:
            return False
        drawn = ~self.is_exact
        return bool(np.any(self.held[drawn] < self.per_cell("replicates")[drawn]))

    @cached_property
    def is_exact(self) -> NDArray[np.bool_]:
        """Cells without Monte Carlo error."""
        return self.per_cell("exact").astype(bool)

    @property
    def exact(self) -> bool:
        """Whether no cell has a Monte Carlo error."""
        return self.tried and bool(self.is_exact.all())

    @property
    def replicates(self) -> int:
        """Independent draws over all cells."""
        return int(self.per_cell("replicates").sum()) if self.tried else 0

    @property
    def rate(self) -> NDArray[np.float64]:
        """How often the promise was broken: exact probability, or share of the draws."""
        return self.per_level("probability")

    @property
    def rate_limits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of `rate` that hold whenever one stops; the probability itself where exact."""
        return self.per_level("probability_low"), self.per_level("probability_high")

    @property
    def rate_possible(self) -> NDArray[np.float64]:
        """`rate` with what rounding leaves open: of draws a count, of an exact law a bracket."""
        if "ties" not in self.dataset or self.weighted:
            return self.rate
        drawn = np.maximum(self.held, 1)[:, None]
        sampled = self.rate + self.per_level("ties") / drawn
        return np.where(self.is_exact[:, None], self.rate_limits[1], sampled)

    def _headline(self, name: str) -> tuple[int, int] | None:
        """Where a variable is largest among cells that are not vacuous."""
        if not self.tried:
            return None
        values = np.where(self.vacuous, np.nan, self.per_level(name).astype(float))
        values = np.where(np.isnan(values), -np.inf, values)
        if values.max() == -np.inf:
            return None
        row, column = np.unravel_index(int(np.argmax(values)), values.shape)
        return int(row), int(column)

    @cached_property
    def tightest(self) -> tuple[int, int] | None:
        """Cell and level of the largest tightness that is not vacuous."""
        return self._headline("tightness")

    @property
    def tightness(self) -> float | None:
        """Largest tightness over the cells that are not vacuous."""
        at = self.tightest
        return None if at is None else float(self.per_level("tightness")[at])

    @property
    def resolution(self) -> float | None:
        """Largest (worst) resolution over the cells that are not vacuous."""
        at = self._headline("resolution")
        return None if at is None else float(self.per_level("resolution")[at])

    @cached_property
    def level(self) -> int:
        """Column of the level that decides: most refutations, else the largest tightness."""
        if not self.deltas.size:
            return 0
        refuted = (self.decision == REFUTED).sum(axis=0)
        if refuted.any():
            with np.errstate(invalid="ignore"):
                excess = np.nanmax(self.rate / self.deltas, axis=0)
            return int(np.lexsort((excess, refuted))[-1])
        return self.tightest[1] if self.tightest is not None else self.deltas.size // 2

    @cached_property
    def along(self) -> str | None:
        """The parameter along which to draw: the declared one, ``n``, or the widest number."""
        declared = self.dataset.attrs.get("along")
        numeric = [
            d for d in self.varying
            if all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.grid[d])
        ]
        if declared in numeric:
            return str(declared)
        if self.kind == "rate" and "slope" in self.dataset:
            slope = self.dataset["slope"]
            # A slope belongs to a whole line: it is constant along the fitted parameter.
            numeric = [d for d in numeric if bool((slope == slope.isel({d: 0})).all())]
        if "n" in numeric:
            return "n"
        wide = sorted(numeric, key=lambda d: -_span(self.grid[d]))
        return wide[0] if wide else None

    @cached_property
    def counterexample(self) -> dict[str, Any] | None:
        """The certified counterexample with its address."""
        text = self.dataset.attrs.get("counterexample")
        return json.loads(text) if text else None

    @cached_property
    def counterexample_cell(self) -> int | None:
        """Index of its cell."""
        if self.counterexample is None:
            return None
        text = self.counterexample["cell"]
        addresses = [",".join(f"{k}={v}" for k, v in cell.items()) for cell in self.cells]
        return addresses.index(text) if text in addresses else None

    def draws(self, name: str, index: int) -> list[NDArray[np.float64]]:
        """Stored draws of a cell by block, of the rows where the hypotheses apply.

        Of more than `SHOWN` draws the first blocks.
        """
        if name not in self.dataset:
            return []
        where = dict(zip(self.dims, np.unravel_index(index, self.shape), strict=True))
        first = slice(max(1, SHOWN // self.dataset.sizes["draw"]))

        def blocks(of: str) -> NDArray[np.float64]:
            stored = self.dataset.variables[of].isel(where | {"chain": first})
            stored = stored.transpose("chain", "draw")
            return np.asarray(stored.values, float)

        values = blocks(name)
        whole = ~np.isnan(values).any(axis=1)
        if "applies" not in self.dataset:
            return list(values[whole])
        applies = blocks("applies") > 0
        return [row[at] for row, at in zip(values[whole], applies[whole], strict=True)]

    def all_draws(self, name: str, index: int) -> NDArray[np.float64]:
        """The same, all blocks as one."""
        return np.concatenate([np.empty(0), *self.draws(name, index)])

    @cached_property
    def monte_carlo(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Monte Carlo standard error of the mean, and R-hat over blocks as chains, by cell.

        Both by ArviZ, on the draws that satisfy the hypotheses, weighted where they carry weights;
        NaN where a cell is exact, or has one block only (R-hat). Independent blocks have R-hat near
        1: anything else is a fault of the simulator. Where not all draws are looked at, the error
        is that of all if the others are like them.
        """
        import arviz_stats.base

        base: Any = arviz_stats.base
        statistics = base.array_stats
        error, rhat = np.full(self.size, np.nan), np.full(self.size, np.nan)
        if not self.tried or self.kind in ("always", "identity", "exists"):
            return error, rhat
        for index in np.flatnonzero(~self.is_exact):
            chains = self.draws("lhs", int(index))
            if "weight" in self.dataset:
                weights = self.draws("weight", int(index))
                chains = [w * x for w, x in zip(weights, chains, strict=True)]
            together = np.concatenate([np.empty(0), *chains])
            if together.size < 4 or not np.isfinite(together).all() or np.ptp(together) == 0:
                continue
            # Chains are of one length: as short as the hypotheses leave the shortest.
            shortest = min(len(chain) for chain in chains)
            even = np.array([chain[:shortest] for chain in chains])
            whole = even if even.size == together.size else together[None]
            error[index] = statistics.mcse(whole, chain_axis=0, draw_axis=1, method="mean")
            error[index] *= np.sqrt(together.size / max(together.size, self.held[index]))
            if len(even) > 1 and shortest >= 4 and np.ptp(even) > 0:
                rhat[index] = statistics.rhat(even, chain_axis=0, draw_axis=1, method="identity")
        return error, rhat

    @property
    def mean_limits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean by the rule in force; an end that it cannot give is infinite.

        NaN where it gives neither.
        """
        if "mean_low" not in self.dataset:
            none = np.full(self.size, np.nan)
            return none, none
        low, high = (self.per_cell(name).astype(float) for name in ("mean_low", "mean_high"))
        known = np.isfinite(low) | np.isfinite(high)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _span(values: list[Any]) -> float:
    low, high = min(values), max(values)
    return float(high / low) if low > 0 else 1.0

