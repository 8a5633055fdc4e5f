"""Which bound is best here? Claims on one quantity side by side, with what is true beside them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report.asked import Asked, parameters, told
from noisytheory.trial.claim import Claim
from noisytheory.trial.elsewhere import is_ours
from noisytheory.trial.run import DEFAULT_SEED, select
from noisytheory.trial.shown import named, words
from noisytheory.trial.truth import REPLICATES, Truth, computable
from noisytheory.vocabulary.domains import COUNT, Domain
from noisytheory.vocabulary.inverse import BY_CONVENTION, ROUNDING

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare"]

SEED = Domain(0, include_low=True, whole=True)

UPPER = ("tail", "mean", "always")
"""Kinds whose right side is to be small."""

TRUTH = {"truth": "value", "truth_low": "low", "truth_high": "high"}
"""What is true, and its 99% limits at each point where draws tell it."""

STORED = ("claim", "bound", *TRUTH, "best", "id", "needs", "says_from", "refuted", "below")
"""What a comparison holds: an argument of such a name gets an underscore."""


@dataclass(frozen=True)
class Comparison:
    """Bounds on one quantity at the same points.

    Parameters
    ----------
    dataset : xarray.Dataset
        ``bound`` by claim and point, of bounds that read the sample the median; ``truth`` (with 99%
        limits at each point, ``truth_low`` and ``truth_high``) and ``best`` by point, of equal ones
        all; by claim ``id``, ``needs``, whether it is ``refuted``, or ``below`` what is true at
        some point, and from where on it says anything (``says_from``). Neither may be best: what is
        below the truth is false, or the instance is none that it speaks of.
    along : str
        The argument that varies most.
    left_out : mapping of str to str
        Ids of claims that are not compared, and why.
    how : str
        Where the truth comes from; empty where nothing tells it.
    """

    dataset: xr.Dataset
    along: str
    left_out: Mapping[str, str]
    how: str = ""

    def __repr__(self) -> str:
        points = self.dataset["best"].size
        return (f"<Comparison of {', '.join(self.names)}: {self.dataset.attrs['quantity']} "
                f"at {points} point{'s' * (points != 1)}, over {self.along}>")

    def figure(self) -> Figure:
        """Drawn over the argument that varies most: `noisytheory.report.figures.compared`."""
        from noisytheory.report import figures

        return figures.compared(self)

    @property
    def names(self) -> list[str]:
        """Of the claims, as far as they differ."""
        return [str(name) for name in self.dataset["claim"].values]

    @property
    def others(self) -> list[str]:
        """Every choice of the other arguments, such as ``"delta = 0.1"``, in their order."""
        best = self.dataset["best"]
        names = [str(dim) for dim in best.dims if dim != self.along]
        choices = itertools.product(*(best[name].values for name in names))
        return [
            ", ".join(f"{name} = {told(value)}" for name, value in zip(names, each, strict=True))
            for each in choices
        ]

    def says_from_by_others(self, name: str) -> str:
        """The same in a line: with each choice of the other arguments, where they matter."""
        told = self.says_from(name)
        if len(set(told)) == 1:
            return told[0]
        return "; ".join(map(" at ".join, zip(told, self.others, strict=True)))

    def says_from(self, name: str) -> list[str]:
        """From where on, or up to where, a bound says anything, by the other arguments."""
        one = self.dataset.sortby(self.along).sel(claim=name)
        tried = one[self.along].dtype.kind == "f" and "the sample" in str(one["needs"].item())
        ends = one["bound"].isel({self.along: [0, -1]}).values.reshape(-1, 2)
        told = []
        for value, (first, last) in zip(one["says_from"].values.ravel(), ends, strict=True):
            # Of a bound that rises it is the last; of draws at other than whole numbers one tried.
            rises = last > first
            if np.isnan(value):
                told.append("not known")
            elif value == (-np.inf if rises else np.inf):
                told.append("nowhere")
            else:
                told.append(f"{'up to ' if rises else 'at most ' if tried else ''}{value:.6g}")
        return told

    def wins_not(self, name: str) -> str:
        """Why a bound is not the best, however small, in brackets; empty if it may be."""
        one = self.dataset.sel(claim=name)
        if one["refuted"].item():
            return " (refuted)"
        return " (below what is true)" * bool(one["below"].item())

    def rows(self) -> list[dict[str, Any]]:
        """One a point: where it is, each bound, what is true, and which bound is best."""
        dims = self.dataset["best"].dims
        rows = []
        for place in np.ndindex(self.dataset["best"].shape):
            here = self.dataset.isel(dict(zip(dims, place, strict=True)))
            row = {str(dim): here[dim].item() for dim in dims}
            row |= {name: here["bound"].sel(claim=name).item() for name in self.names}
            if self.how:
                row["truth"] = here["truth"].item()
            rows.append({**row, "best": here["best"].item()})
        return rows

    def winners(self) -> list[str]:
        """Who wins from where to where, a sentence for each choice of the other arguments."""
        best = self.dataset["best"].sortby(self.along)
        others = [str(dim) for dim in best.dims if dim != self.along]
        said = []
        places = itertools.product(*(range(best.sizes[dim]) for dim in others))
        for where, place in zip(self.others, places, strict=True):
            here = best.isel(dict(zip(others, place, strict=True)))
            runs = [
                (name, [value for _, value in group]) for name, group in itertools.groupby(
                    zip(here.values, here[self.along].values, strict=True), lambda pair: pair[0]
                )
            ]
            parts = [
                f"{name or 'none'} from {self.along} = {told(at[0])}" + (
                    f" to {told(at[-1])}" if len(at) > 1 else "") for name, at in runs
            ]
            said.append(f"{where}: " * bool(where) + "; ".join(parts))
        return said


def compare(
    claims: str | Claim | Iterable[str | Claim], *, population: Any = None,
    replicates: int = REPLICATES, seed: int = DEFAULT_SEED, **arguments: Any,
) -> Comparison:
    """Bounds on the same quantity, at the same points, beside what is true there.

    Parameters
    ----------
    claims : str, Claim or several
        Ids or patterns. Of several quantities the one whose bounds read most of the arguments, and
        that most claims speak of, is compared.
    population : object or str, optional
        Gives what bounds read of it, and the truth: the quantile of the left side, or its mean, of
        the draws that most claims speak of; claims that draw otherwise, as by another algorithm,
        are left out. By name one of the claims' own.
    replicates, seed : int
        Of the draws where the truth is drawn, or a bound reads the sample.
    **arguments : number or sequence of numbers
        Of the bounds.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If nothing can be compared, or an argument is out of its range; the message says which.

    Examples
    --------
    >>> found = compare("kernel-mean/theorem-5*", n=[100, 1000], delta=0.05)
    >>> found.names, found.dataset["best"].values.tolist()
    (['theorem-5', 'repaired', 'diameter'], [['repaired and diameter', 'repaired and diameter']])
    >>> found.dataset["says_from"].values.ravel().tolist()
    [5.0, 3.0, 3.0]
    """
    COUNT.check("replicates", replicates)
    SEED.check("seed", seed)
    asked_for = select(claims)
    if isinstance(population, str):
        population = _population(asked_for, population)
    elif population is not None and not hasattr(population, "name"):
        raise ValueError("population must be one, such as nt.populations.axis(), or the "
                         f"name of one, got {population!r}")
    asked = Asked(population, replicates, seed)
    points = {name: _row(name, values) for name, values in arguments.items()}
    if not points or not all(points.values()):
        raise ValueError("compare needs arguments, such as n=[10, 100], delta=0.05")
    along = max(points, key=lambda name: len(points[name]))
    for name, values in points.items():
        if len(set(values)) < len(values):
            raise ValueError(f"{name} has the same value twice in {', '.join(map(str, values))}")
    # A whole number is passed on as one: exact laws count to it.
    points = {
        name: _whole(asked_for, name, points[name])
        for name in sorted(points, key=lambda name: name == along)
    }
    for name, values in points.items():
        # What is true there is true of its own value, whatever the bounds are given.
        own = getattr(population, name, None)
        if own is not None and values != [own]:
            raise ValueError(f"{name} must be {own}, as on {population.name}, or left out, "
                             f"got {', '.join(map(str, values))}")
    _all_read(points, asked_for)
    chosen, left_out = _same_quantity(asked_for, asked, points)
    _all_read(points, chosen)
    found = {}
    for claim in chosen:
        try:
            found[claim.id] = [asked.bound(claim, cell) for cell in _cells(points)]
        except ValueError as error:
            if words(error).partition(" ")[0] in points:
                raise
            left_out[claim.id] = f"is not defined there: {words(error)}"  # on the population
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            if not is_ours(claim):
                raise
            left_out[claim.id] = f"is not defined there: {named(error)}"
    chosen = [claim for claim in chosen if claim.id in found]
    if not chosen:
        raise ValueError(_nothing(left_out))
    true, held, others = _true_of(chosen, points, asked)
    left_out |= others
    chosen = [claim for claim in chosen if claim.id not in others]
    return _assembled(chosen, found, points, asked, left_out, true, held)


def _row(name: str, values: Any) -> list[Any]:
    """One value, or several in a row."""
    found = np.atleast_1d(values)
    if found.ndim > 1:
        raise ValueError(f"{name} must be a number or a sequence of numbers, got an array of "
                         f"shape {found.shape}")
    return list(found)


def _whole(claims: Sequence[Claim], name: str, values: Sequence[Any]) -> list[Any]:
    """Plain numbers; whole floats as whole numbers where a bound says that they are."""
    domains = [{**BY_CONVENTION, **getattr(claim.bound, "domains", {})} for claim in claims]
    counts = any(name in each and each[name].whole for each in domains)
    plain = [getattr(value, "item", lambda v=value: v)() for value in values]
    return [
        int(value) if counts and isinstance(value, float) and value.is_integer()
        and abs(value) < 2**53 else value
        for value in plain
    ]


def _nothing(left_out: Mapping[str, str]) -> str:
    return "nothing to compare: " + "; ".join(map(" ".join, left_out.items()))


def _assembled(
    kept: Sequence[Claim], found: Mapping[str, Sequence[float]], points: Mapping[str, list[Any]],
    asked: Asked, left_out: Mapping[str, str], true: Sequence[Truth | None],
    held: Collection[Claim],
) -> Comparison:
    import xarray as xr

    *others, along = tuple(points)
    # An argument may be called as what is stored: some bounds read one called ``bound``.
    dims = tuple(name + "_" * (name in STORED) for name in points)
    shape = tuple(len(values) for values in points.values())
    names = _names([claim.id for claim in kept], {*dims, "truth", "best"})
    bounds = np.array([found[claim.id] for claim in kept]).reshape(len(kept), *shape)
    # What every bound reads tells none from another.
    common = {name for name in points if all(name in parameters(claim) for claim in kept)}
    refuted = np.array([claim.expect == "refuted" for claim in kept])
    least_true = np.array([-np.inf if t is None else t.low for t in true], float).reshape(shape)
    below = bounds < least_true - ROUNDING * np.abs(least_true)
    below &= np.reshape([claim in held for claim in kept], (-1, *[1] * len(shape)))
    running = np.where(below | refuted.reshape(-1, *[1] * len(shape)), np.inf, bounds)
    least = running.min(axis=0)
    ties = np.isfinite(least) & (running <= least * (1 + ROUNDING))
    best = np.array([
        " and ".join(itertools.compress(names, tied)) for tied in ties.reshape(len(kept), -1).T
    ]).reshape(shape)
    rows = bounds.reshape(len(kept), -1, len(points[along]))
    says = [
        [
            asked.not_vacuous_from(claim, along, rest, points[along], row)
            for rest, row in zip(
                _cells({name: points[name] for name in others}), each, strict=True
            )
        ]
        for claim, each in zip(kept, rows, strict=True)
    ]
    dataset = xr.Dataset(
        {
            "bound": (("claim", *dims), bounds),
            **{
                name: (dims, np.array([getattr(t, field, np.nan) for t in true],
                                      float).reshape(shape))
                for name, field in TRUTH.items()
            },
            "best": (dims, best),
            "id": ("claim", [claim.id for claim in kept]),
            "needs": ("claim", [asked.needs(claim, points, common) for claim in kept]),
            "says_from": (("claim", *dims[:-1]), np.reshape(says, (len(kept), *shape[:-1]))),
            "refuted": ("claim", refuted),
            "below": ("claim", below.reshape(len(kept), -1).any(axis=1)),
        },
        coords={"claim": names, **dict(zip(dims, points.values(), strict=True))},
        attrs={"quantity": kept[0].quantity, "unit": kept[0].unit, "kind": kept[0].kind,
               "population": str(getattr(asked.population, "name", ""))},
    )
    how = " or ".join(sorted({one.how for one in true if one is not None}))
    how += _off([t for t in true if t is not None and t.low < t.high and t.value > 0])
    return Comparison(dataset, dims[-1], left_out, how)


def _all_read(points: Iterable[str], claims: Sequence[Claim]) -> None:
    """Refuse an argument that no bound reads, where there are bounds."""
    known = [set(parameters(claim)) for claim in claims if claim.bound is not None]
    for name in points if known else ():
        if not any(name in one for one in known):
            raise ValueError(f"unknown argument {name}: no bound of these reads it")


def _off(drawn: Sequence[Truth]) -> str:
    """How far off what was drawn may be: per cent where they are few, else a factor."""
    above = max((t.high / t.value for t in drawn), default=np.inf)
    least = min((t.low / t.value for t in drawn), default=1.0)
    if not above < np.inf:
        return ""
    share = max(above - 1, 1 - least)
    if share <= _FEW:
        return f"; at 99% each is within {100 * share:.2g}% of what is true"
    if least > 0 and 1 / least < _MANY:
        return f"; at 99% each is within a factor {max(above, 1 / least):.1f} of what is true"
    return f"; at 99% what is true is at most {above:.1f} times as large, and may be next to 0"


_FEW, _MANY = 0.2, 100
"""Up to which share it is told in per cent, and up to which factor as one."""


def _same_quantity(
    claims: Sequence[Claim], asked: Asked, points: Mapping[str, Any]
) -> tuple[list[Claim], dict[str, str]]:
    """Claims that bound one quantity in one way, each bound once; and why not the others."""
    left_out: dict[str, str] = {}
    sorts: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in claims:
        if claim.kind not in UPPER or claim.bound is None:
            left_out[claim.id] = "has no formula that bounds from above"
        elif missing := asked.missing(claim, points):
            give = " ".join(f"{name}=..." for name in missing)
            left_out[claim.id] = f"reads {', '.join(missing)}: give {give}, or a population"
        elif not set(points) & set(parameters(claim)):
            left_out[claim.id] = f"reads none of {', '.join(points)}"
        else:
            sorts.setdefault((claim.quantity, claim.unit, claim.kind), []).append(claim)
    if not sorts:
        raise ValueError(_nothing(left_out))
    # Of several quantities one whose bounds read all that is given, and that most claims bound.
    most = max(sorts.values(), key=lambda alike: (
        len(set(points) & {name for claim in alike for name in parameters(claim)}), len(alike)
    ))
    kept: dict[Any, Claim] = {}
    for claim in itertools.chain(*sorts.values()):
        if claim not in most:
            left_out[claim.id] = f"bounds another quantity: {claim.quantity} ({claim.kind})"
            continue
        first = kept.setdefault((claim.bound, tuple(map(repr, claim.given.items()))), claim)
        if first is not claim:
            left_out[claim.id] = f"has the bound of {first.id}"
    return list(kept.values()), left_out


def _true_of(
    claims: Sequence[Claim], points: Mapping[str, list[Any]], asked: Asked
) -> tuple[list[Truth | None], list[Claim], dict[str, str]]:
    """What is true at each cell, of which claims, and why the others are of something else.

    It is that of the draws that most claims speak of. Other draws of a claim, as of another
    algorithm, must agree with it at each cell, by limits that 512 of them share.
    """
    cells = list(_cells(points))
    by_source: dict[Any, list[Claim]] = {}
    for claim in claims:
        if computable(claim, asked.cell(points)):
            source = claim.simulate or claim.exact, tuple(map(repr, claim.given.items()))
            by_source.setdefault(source, []).append(claim)
    if not by_source:
        return [None] * len(cells), [], {}
    groups = sorted(by_source.values(), key=len, reverse=True)
    # A law says more than draws.
    first = next((claim for claim in groups[0] if claim.exact is not None), groups[0][0])
    true = [asked.truth(first, cell) for cell in cells]
    held = list(groups[0])
    left_out: dict[str, str] = {}
    for others in groups[1:]:
        pairs = [
            (here, there) for here, cell in zip(true, cells, strict=True)
            if here is not None and (there := asked.truth(others[0], cell, shared=True))
        ]
        if not all(_agree(*pair) for pair in pairs):
            why = f"speaks of other draws than {first.id}, or nothing tells that it does not"
            left_out |= {claim.id: why for claim in others}
        elif pairs:
            held += others
    return true, held, left_out


def _agree(here: Truth, there: Truth) -> bool:
    """Whether limits overlap, where there are any."""
    slack = ROUNDING * abs(here.value)
    return bool(np.isfinite([there.low, there.high]).any()
                and here.low <= there.high + slack and there.low <= here.high + slack)


def _population(claims: Sequence[Claim], name: str) -> Any:
    """The one of this name that a claim is tried on."""
    known = {
        str(population.name): population
        for claim in claims for population in claim.grid.get("population", ())
    }
    if name not in known:
        raise ValueError(f"population must be one of {'; '.join(known) or 'none'}, got {name!r}")
    return known[name]


def _cells(points: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every choice of one value each, the last one fastest."""
    for values in itertools.product(*points.values()):
        yield dict(zip(points, values, strict=True))


def _names(ids: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """What of the ids is not common to all, or more, where an argument is called like that."""
    parts = [claim_id.split("/") for claim_id in ids]
    same = 0
    while len(ids) > 1 and len({tuple(part[: same + 1]) for part in parts}) == 1:
        same += 1
    same = same if len(ids) > 1 else len(parts[0]) - 1
    while same and {"/".join(part[same:]) or part[-1] for part in parts} & {*taken}:
        same -= 1
    return ["/".join(part[same:]) or part[-1] for part in parts]
