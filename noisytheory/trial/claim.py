"""What a claim is: one result of a paper as an object that can be put on trial."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
import numbers
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.trial.forked import one_returns
from noisytheory.trial.interpreter import around_a_call, shortened

__all__ = [
    "KINDS", "Certificate", "Claim", "Discrepancy", "Elsewhere", "Law", "Paper",
    "papers_in_the_box",
]

KINDS: dict[str, str] = {
    "tail": "Pr[L > R(delta)] <= delta",
    "mean": "E[L] <= R",
    "equal": "E[theta] = value, or two laws agree",
    "always": "L <= R for every instance",
    "identity": "two quantities are equal for every instance",
    "exists": "some instance has inf >= R",
    "rate": "a power law on the tried range, with at most this exponent",
    "published": "a table or figure in print",
    "cited": "a result quoted from elsewhere that no simulation can decide",
}
"""Kinds of claim and the promise each makes."""

VERDICTS = ("upheld", "refuted", "undecided")

Cell = dict[str, Any]


_EXACTLY = 1e-15
"""By how much a sum of probabilities that are right to the last bit may miss 1."""


@dataclass(frozen=True)
class Law:
    r"""The exact law of a claim's left side at one cell: finitely many values.

    Parameters
    ----------
    values : array_like, shape (k,)
        Possible values, in any order.
    probabilities : array_like, shape (k,)
        Their probabilities; they sum to 1 within `error`. What is missing may lie anywhere.
    error : float
        Certified bound on the relative rounding error of a value, and of a probability, however
        small: sums of positive numbers keep it.
    slack : float
        Certified bound on the rounding error of a value in its own unit, besides that.

    Examples
    --------
    >>> Law([0.0, 2.0], [0.75, 0.25]).exceeding(1.0)
    (0.25, 0.25)
    """

    values: ArrayLike
    probabilities: ArrayLike
    error: float = 1e-10
    slack: float = 0.0

    def __post_init__(self) -> None:
        values = np.asarray(self.values, float).ravel()
        probabilities = np.asarray(self.probabilities, float).ravel()
        if values.shape != probabilities.shape or values.size == 0:
            raise ValueError("values and probabilities must have the same, non-zero length")
        if not np.all(np.isfinite(values)):
            raise ValueError("values must be finite")
        if not _is_real(self.error) or not 0 <= self.error <= 1e-6:
            raise ValueError(f"error must be rounding, a number in [0, 1e-6], got {self.error}")
        if not _is_real(self.slack) or not 0 <= self.slack < math.inf:
            raise ValueError(f"slack must be a finite number >= 0, got {self.slack}")
        total = math.fsum(probabilities)
        if not np.all(probabilities >= 0) or not abs(total - 1) <= max(self.error, _EXACTLY):
            raise ValueError(
                f"probabilities must be >= 0 and sum to 1 within error, {self.error:g}, got sum "
                f"{total:.17g}"
            )
        order = np.argsort(values, kind="stable")
        object.__setattr__(self, "values", values[order])
        object.__setattr__(self, "probabilities", probabilities[order])

    def exceeding(self, threshold: float) -> tuple[float, float]:
        """Bracket Pr[L > threshold]: certain violations, and possible ones within rounding.

        Parameters
        ----------
        threshold : float
            The right side.

        Returns
        -------
        low, high : float
            Probabilities; they differ where a value equals the threshold to rounding.
        """
        values, mass = np.asarray(self.values), np.asarray(self.probabilities)
        reach = abs(threshold) if np.isfinite(threshold) else 0.0
        slack = self.error * np.maximum(np.abs(values), reach) + self.slack
        low, high = mass[values > threshold + slack].sum(), mass[values > threshold - slack].sum()
        return float(min(low, 1.0)), float(min(high + self.missing, 1.0))

    @functools.cached_property
    def missing(self) -> float:
        """The mass that may lie anywhere."""
        lost = 1 - math.fsum(np.asarray(self.probabilities))
        return lost if lost > _EXACTLY else 0.0

    def mean(self) -> float:
        """Expected value, without the mass that is missing."""
        return float(np.dot(np.asarray(self.values), np.asarray(self.probabilities)))

    def quantile(self, probability: float) -> float:
        """Smallest value that is exceeded with probability at most ``1 - probability``."""
        return self.beyond(1 - probability)

    def quantiles(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """`quantile` of each."""
        return self._beyond(1 - np.asarray(probabilities, float))

    def beyond(self, delta: float) -> float:
        """Smallest value that is exceeded with probability at most ``delta``, however small."""
        return float(self._beyond(np.asarray(delta, float)))

    def _beyond(self, deltas: NDArray[np.float64]) -> NDArray[np.float64]:
        mass = np.asarray(self.probabilities)
        above = np.append(np.cumsum(mass[::-1])[-2::-1], 0.0)
        first = np.searchsorted(-above, -deltas * (1 + self.error))
        return np.asarray(np.asarray(self.values)[first])


@dataclass(frozen=True)
class Certificate:
    """Both sides of one instance in exact or interval arithmetic, with the steps that lead there.

    Parameters
    ----------
    lhs, rhs : Fraction, int or (low, high) pair of those
        Exact values, or rational bounds of an enclosing interval.
    steps : sequence of (str, object)
        What a reader needs to follow the computation by hand: name and value.
    applies : bool
        Whether the hypotheses hold, exactly; where they do not, nothing is broken.

    Examples
    --------
    >>> Certificate(Fraction(1, 10), 0, [("risk", Fraction(1, 10))]).exceeds()
    True
    """

    lhs: Any
    rhs: Any
    steps: Sequence[tuple[str, object]] = ()
    applies: bool = True

    @staticmethod
    def _ends(side: Any) -> tuple[Fraction, Fraction]:
        low, high = side if isinstance(side, tuple) else (side, side)
        # A NumPy integer inside a Fraction would overflow silently.
        low, high = (end.item() if isinstance(end, np.generic) else end for end in (low, high))
        if not all(isinstance(end, int | Fraction) for end in (low, high)):
            raise ValueError(f"a Certificate needs whole numbers or Fractions, got {side!r}")
        return Fraction(low), Fraction(high)

    def exceeds(self) -> bool:
        """Whether lhs > rhs for certain."""
        return self.applies and self._ends(self.lhs)[0] > self._ends(self.rhs)[1]

    def differs(self) -> bool:
        """Whether lhs != rhs for certain."""
        below = self._ends(self.lhs)[1] < self._ends(self.rhs)[0]
        return self.exceeds() or (self.applies and below)

    def cleared(self, room: float, *, equal: bool = False) -> tuple[float, float] | None:
        """Both sides as floats where the promise holds, to within ``room``; None if it may not.

        Parameters
        ----------
        room : float
            By how much intervals may leave it open.
        equal : bool
            Whether the promise is equality.

        Examples
        --------
        >>> Certificate(1, 2).cleared(0.0), Certificate((0, 2), 1).cleared(0.0)
        ((1.0, 2.0), None)
        """
        (low, high), (least, most) = self._ends(self.lhs), self._ends(self.rhs)
        if not self.applies or max(high - least, (most - low) if equal else high - least) <= room:
            left, right = _float(low), _float(least)
            return left, max(left, right)
        return None

    def near(self, left: float, right: float, relative: float, room: float = 0.0) -> bool:
        """Whether two floats may differ as the sides do, but for rounding or by ``room``.

        Of an instance to which the claim does not apply it may be any.

        Examples
        --------
        >>> Certificate(1, (1, 2)).near(1.5, 1.0, 1e-5), Certificate(1, 1).near(1.000001, 1, 1e-5)
        (False, True)
        """
        (low, high), (least, most) = self._ends(self.lhs), self._ends(self.rhs)
        room += relative * max(map(abs, (left, right, *map(_float, (low, high, least, most)))))
        beyond = max(_float(low - most) - (left - right), (left - right) - _float(high - least))
        return not self.applies or not beyond > room


def _float(exact: Fraction) -> float:
    """The nearest float, infinite beyond them."""
    try:
        return float(exact)
    except OverflowError:
        return float("inf") if exact > 0 else -float("inf")


@dataclass(frozen=True, kw_only=True)
class Discrepancy:
    """One place where a paper's print and the truth differ, and the claims that decide it.

    Parameters
    ----------
    place : str
        Place in print.
    printed, true : str
        What print says, and what is true: Markdown with ``$TeX$``.
    claims, repaired : sequence of str
        Names of the claims that try it as printed, and repaired; without the paper's id.
    why : str
        Why nothing is refuted; empty where a claim as printed is.
    read_as : str
        How print is read where the claims as printed ask for more than it says; empty where they
        do not.
    """

    place: str
    printed: str
    true: str
    claims: Sequence[str] = ()
    repaired: Sequence[str] = ()
    why: str = ""
    read_as: str = ""

    def __post_init__(self) -> None:
        for name in ("place", "printed", "true", "why", "read_as"):
            _check_text(f"a discrepancy's {name}", getattr(self, name))


_TEX = re.compile(r"\\(?:text|mathrm|operatorname)\{[^{}]*\}|\\[A-Za-z]+|\\?\S")
"""A word, a command or a character of a formula."""


@functools.cache
def papers_in_the_box() -> dict[str, str]:
    """The modules of the papers in the box, by id."""
    files = Path(__file__).parents[1].joinpath("papers").glob("[!_]*.py")
    return {path.stem.replace("_", "-"): f"noisytheory.papers.{path.stem}" for path in files}


@dataclass(frozen=True)
class Paper:
    """A paper: its id is the first part of its claims' ids; its methods declare claims by kind.

    Parameters
    ----------
    id : str
        Short id, e.g. ``"kernel-mean"``.
    title : str
        Title, or author and year.
    authors, reference : str
        For the report.
    discrepancies : mapping of str to sequence of Discrepancy
        By number; one number may be of several places. A claim knows its own.
    symbols : mapping of str to str
        What symbols of its formulas mean, in TeX without dollar signs: words, with ``$`` around
        TeX. A claim's page explains those that occur in its statement.

    Examples
    --------
    >>> mine = Paper("mine", "Hoeffding 1963")
    >>> claim = mine.cited("theorem-9", statement="x < y")
    >>> claim.id, claim.kind
    ('mine/theorem-9', 'cited')
    """

    id: str
    title: str
    authors: str = ""
    reference: str = ""
    discrepancies: Mapping[str, Sequence[Discrepancy]] = field(default_factory=dict, compare=False)
    symbols: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for name in ("id", "title", "authors", "reference"):
            _check_text(f"a paper's {name}", getattr(self, name))
        for symbol, words in self.symbols.items():
            _check_text("a paper's symbol", symbol)
            _check_text(f"a paper's {symbol}", words)

    def numbers(self, name: str) -> tuple[str, ...]:
        """The numbers of the discrepancies that the claim of this name decides.

        Parameters
        ----------
        name : str
            Without the paper's id.

        Returns
        -------
        tuple of str
        """
        return tuple(
            number for number, places in self.discrepancies.items()
            if any(name in (*place.claims, *place.repaired) for place in places)
        )

    def explained(self, statement: str) -> dict[str, str]:
        r"""The symbols of this paper that occur in a formula, with what they mean.

        Of two that begin alike the longer is meant: a tilde is not what it stands over.

        Parameters
        ----------
        statement : str
            In TeX.

        Returns
        -------
        dict of str to str

        Examples
        --------
        >>> paper = Paper("mine", "x", symbols={"P": "law", r"\tilde P": "noisy law"})
        >>> paper.explained(r"\tilde P\ne Q"), paper.explained(r"\text{P}=P")
        ({'\\tilde P': 'noisy law'}, {'P': 'law'})
        """
        known = {tuple(_TEX.findall(symbol)): symbol for symbol in self.symbols}
        sizes = sorted({len(tokens) for tokens in known}, reverse=True)
        tokens, found, at = _TEX.findall(statement), set(), 0
        while at < len(tokens):
            here = (tuple(tokens[at : at + size]) for size in sizes)
            match = next((some for some in here if some in known), None)
            if match is not None:
                found.add(known[match])
            at += len(match or "?")
        return {symbol: words for symbol, words in self.symbols.items() if symbol in found}

    def also(self, name: str, place: str) -> Elsewhere:
        """A claim of a sibling paper that stands here, too: for the field ``also`` of a `Claim`."""
        return Elsewhere(self, name, place)

    def _claim(self, kind: str, name: str, fields: dict[str, Any]) -> Claim:
        if not isinstance(name, str):
            raise ValueError(f"the name of a claim of {self.id} must be text, got {name!r}")
        return Claim(id=f"{self.id}/{name}", paper=self, kind=kind, **fields)

    def tail(self, name: str, **fields: Any) -> Claim:
        """Declare Pr[L > R(delta)] <= delta; see `Claim` for the fields."""
        return self._claim("tail", name, fields)

    def mean(self, name: str, **fields: Any) -> Claim:
        """Declare E[L] <= R; see `Claim` for the fields."""
        return self._claim("mean", name, fields)

    def equal(self, name: str, **fields: Any) -> Claim:
        """Declare E[theta] = value, or that two laws agree; see `Claim` for the fields."""
        return self._claim("equal", name, fields)

    def always(self, name: str, **fields: Any) -> Claim:
        """Declare L <= R for every instance; see `Claim` for the fields."""
        return self._claim("always", name, fields)

    def identity(self, name: str, **fields: Any) -> Claim:
        """Declare L = R for every instance; see `Claim` for the fields."""
        return self._claim("identity", name, fields)

    def exists(self, name: str, **fields: Any) -> Claim:
        """Declare that some instance has inf >= R; see `Claim` for the fields."""
        return self._claim("exists", name, fields)

    def rate(self, name: str, **fields: Any) -> Claim:
        """Declare a power law on the tried range with at most this exponent; see `Claim`.

        The verdict holds on the range that was tried; the limit is not judged. A promise with a
        constant is better declared as one `mean`, or `always`, along the axis.
        """
        return self._claim("rate", name, fields)

    def published(self, name: str, **fields: Any) -> Claim:
        """Declare a printed table or figure; see `Claim` for the fields."""
        return self._claim("published", name, fields)

    def cited(self, name: str, **fields: Any) -> Claim:
        """Declare a quoted result that no simulation can decide; see `Claim` for the fields."""
        return self._claim("cited", name, fields)


@dataclass(frozen=True)
class Elsewhere:
    """Where the result of a claim stands in a sibling paper: one trial with two names.

    Parameters
    ----------
    paper : Paper
    name : str
        Without the paper's id.
    place : str
        Place in print.
    """

    paper: Paper
    name: str
    place: str

    @property
    def id(self) -> str:
        """The further id of the claim."""
        return f"{self.paper.id}/{self.name}"


_NEEDS: dict[str, tuple[str, ...]] = {
    "tail": (),
    "mean": (),
    "equal": (),
    "always": (),
    "identity": (),
    "exists": ("bound", "exact"),
    "rate": ("bound", "simulate", "along"),
    "published": ("simulate", "margin"),
    "cited": (),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Claim:
    r"""One result as an executable object.

    The engine reads the signatures of the callables: an argument is looked up in the cell (the grid
    parameter of that name), then as an attribute of the cell's ``population``, then, for the bound
    and the certificate, in what the simulator drew.

    Parameters
    ----------
    id : str
        ``paper/name``, possibly with further parts (``/printed``, ``/repaired``).
    paper : Paper
        Where it stands.
    kind : str
        One of `KINDS`.
    statement : str
        The promise in TeX.
    place : str
        Place in print.
    hypotheses : sequence of str
        What must hold, in words.
    bound : callable, optional
        Right side: a pure, broadcasting function. For ``rate`` the promised exponent, for
        ``published`` the printed number, for ``equal`` the value.
    simulate : callable, optional
        ``(..., *, size, rng)`` to the left side, shape (size,), or to a dict of arrays with
        ``size`` first and the key ``lhs``; other keys are what data-dependent bounds name. A key
        ``rhs`` replaces `bound`, row by row (of a mean, an equality or a printed number the promise
        is then one about the difference, whose range `low` and `high` are; of a rate the bound
        stays the exponent, with which the difference is to fall); a boolean key ``applies`` marks
        the rows where the hypotheses hold (other rows are no draws); ``scale`` is the size of what
        was added up, where the sides are small by cancellation; for ``equal`` a key ``other`` is
        the second law; for ``tail`` a key ``weight`` is the likelihood ratio of the promised law to
        the law drawn from. Not with ``applies``, for a ratio of laws on all rows is another one on
        those that apply: draw from a law under which the hypotheses hold.
    exact : callable, optional
        Exact evidence at a cell, or None where there is none: a `Law` (tail, mean, equal), two of
        them (equal, two laws), a dict of arrays with every instance (always, identity), or the pair
        (optimum, error) (exists).
    certify : callable, optional
        One instance to a `Certificate`; without it no instance can refute.
    impossible : callable, optional
        For ``published``: a reason why print is arithmetically impossible at a cell, or None.
    grid : mapping of str to sequence
        Parameter values; the cells are their product. ``delta`` is not part of a cell.
    given : mapping
        Constants of the claim: arguments of its functions that are no cell of the grid.
    expect : str
        Expected verdict.
    trivial : float or callable, optional
        What is true anyway: a right side at or above it (exists: at or below it) is vacuous, unless
        an instance or a draw of a tail breaks it. Of a mean it is `high` unless another is given.
    low, high : float or callable, optional
        The range of one draw (mean, equal, published, rate; other kinds refuse it, and an infinite
        end is none). It is a hypothesis: a draw outside of it is an error. A mean needs the lower
        end for draws to count against it, the upper for them to count for it; the others need both
        ends for either. Of an optimum (exists) `low` is what it cannot be below.
    variance : callable, optional
        Variance of one draw, or an upper bound on it, where the range is unknown (mean, equal).
    margin : float or callable, optional
        Half-width within which equality is upheld and beyond which it is refuted (equal), tolerance
        (published). Of two laws it is a Kolmogorov distance; with `low` and `high` it is a
        Wasserstein distance, in the unit of the left side.
    printed_error : float or callable
        Standard error of the printed number (published).
    along : str, optional
        Grid parameter along which a rate is fitted.
    rows : int
        Replicates in a block.
    apart : bool
        Whether each of them is a call of its own, from a generator of its own: whatever a call
        does, they are independent then, and none are drawn to be compared. For simulators to which
        one row costs hardly more than a row among many.
    rounding : float
        Certified rounding error of the two sides, relative to the larger of them, or to ``scale``
        where the simulator draws it. What breaks the promise by less does not count against it. Of
        draws it stands against upholding; of instances it is equality, unless `certify` knows more.
    slack : float or callable
        Certified rounding error in the unit of the left side, besides that. Of an instance that it
        leaves open only `certify` knows.
    weight_high : float or callable, optional
        Largest ``weight`` of any draw: a part of 1/w drawn from the promised law itself makes it w.
        Weights must have it, so that their mean, which is 1, can be seen.
    weight_limit : float or callable, optional
        Largest ``weight`` of a draw that breaks the promise (tail with importance weights); its
        arguments may include ``delta``.
    quantity, unit : str
        What the left side is, for axes and long names.
    also : sequence of Elsewhere
        Where else the same result stands, under which names; see `Paper.also`.
    origin : str
        ``"paper"``, ``"sharper"`` (known, not the paper's), ``"candidate"`` (ours, where
        print has lost a formula, or says none) or ``"user"``. Without a word ``"paper"`` of the
        papers in the box, ``"user"`` of all others.
    note : str
        What is wrong in print and why, or a remark.
    reason : str
        Why a ``cited`` claim cannot be decided, in a few words.
    twin : mapping or callable, optional
        Fields that replace this claim's to make its broken twin; the key ``why`` says what was
        broken, ``factor`` by how much a right side was multiplied. Or a function of the claim to
        such a mapping, as `noisytheory.scaled` makes one.
    picture : callable, optional
        ``()`` or ``(dataset)`` to the Matplotlib figure that the claim's page shows: a figure in
        print, drawn again. Or to a pair of the figure and its numbers: rows of text that the page
        shows as a table, the first row its head. The docstring's first paragraph is the caption,
        in Markdown, the figure's label the text for those who do not see it. No part of the
        fingerprint, nor is a ``pictures*.py``.

    Raises
    ------
    ValueError
        If the declaration is not coherent; the message names the claim and the field.

    Examples
    --------
    >>> paper = Paper("mine", "Hoeffding 1963")
    >>> def bound(n, delta): return np.sqrt(np.log(1 / delta) / (2 * n))
    >>> def simulate(n, *, size, rng): return rng.binomial(n, 0.5, size) / n - 0.5
    >>> claim = paper.tail("theorem-2", statement="x", bound=bound, simulate=simulate,
    ...                    grid=dict(n=[10, 100], delta=[0.1]), trivial=0.5)
    >>> claim.dims, claim.shape, claim.cell(1)
    (('n',), (2,), {'n': 100})
    """

    id: str
    paper: Paper
    kind: str
    statement: str
    place: str = ""
    hypotheses: Sequence[str] = ()
    bound: Callable[..., Any] | None = None
    simulate: Callable[..., Any] | None = None
    exact: Callable[..., Any] | None = None
    certify: Callable[..., Certificate] | None = None
    impossible: Callable[..., str | None] | None = None
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    expect: str = "upheld"
    trivial: float | Callable[..., float] | None = None
    low: float | Callable[..., float] | None = None
    high: float | Callable[..., float] | None = None
    variance: Callable[..., float] | None = None
    margin: float | Callable[..., float] | None = None
    printed_error: float | Callable[..., float] = 0.0
    along: str | None = None
    rows: int = 4096
    apart: bool = False
    rounding: float = 1e-11
    slack: float | Callable[..., float] = 0.0
    weight_high: float | Callable[..., float] | None = None
    weight_limit: float | Callable[..., float] | None = None
    quantity: str = "left side"
    unit: str = "1"
    also: Sequence[Elsewhere] = ()
    origin: str = ""
    note: str = ""
    reason: str = "cited: no simulation can decide it"
    twin: Any = None
    picture: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        self._check_texts()
        if not self.origin:
            ours = self.id.partition("/")[0] in papers_in_the_box()
            object.__setattr__(self, "origin", "paper" if ours else "user")
        if self.kind not in KINDS:
            raise ValueError(f"{self.id}: kind must be one of {', '.join(KINDS)}, got {self.kind}")
        if self.kind == "cited" and self.expect == "upheld":
            object.__setattr__(self, "expect", "undecided")
        if self.expect not in VERDICTS:
            raise ValueError(
                f"{self.id}: expect must be one of {', '.join(VERDICTS)}, got {self.expect!r}"
            )
        grid = {}
        for name, values in self.grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
                raise ValueError(f"{self.id}: grid {name!r} must be a list, got {values!r}")
            if len(values) == 0:
                raise ValueError(f"{self.id}: grid {name!r} must not be empty")
        # Counted before anything is built of it.
        if (cells := math.prod(map(len, self.grid.values()))) > _CELLS:
            raise ValueError(f"{self.id}: a grid has at most {_CELLS:,} cells, got {cells:,}")
        for name, values in self.grid.items():
            if name in self._taken:
                raise ValueError(f"{self.id}: a grid parameter cannot be named {name!r}")
            try:
                labels = [_label(value) for value in values]
            except ValueError as error:
                raise ValueError(f"{self.id}: grid {name!r}: {error}") from None
            if len(set(map(str, labels))) < len(labels):
                raise ValueError(
                    f"{self.id}: grid {name!r} has the same value twice, as addresses of draws "
                    f"write it: {labels}"
                )
            grid[name] = tuple(values)
        object.__setattr__(self, "grid", grid)
        self._check_addresses()
        self._check_given()
        self._check_also()
        if self.kind == "tail":
            for level in grid.get("delta", ()):
                if not _is_real(level) or not 0 < level < 1:
                    raise ValueError(f"{self.id}: delta must be a number in (0, 1), got {level}")
        self._check_numbers()
        for need in _NEEDS[self.kind]:
            if getattr(self, need) is None:
                raise ValueError(f"{self.id}: a claim of kind {self.kind} needs {need}")
        if self.kind in ("tail", "mean") and self.bound is None and self.simulate is None:
            raise ValueError(
                f"{self.id}: a claim of kind {self.kind} needs bound, or a simulator that draws rhs"
            )
        if self.kind == "tail" and not self.deltas:
            raise ValueError(f"{self.id}: a tail claim needs a grid of delta")
        if self.kind != "cited" and self.simulate is None and self.exact is None:
            raise ValueError(f"{self.id}: a claim needs simulate or exact")
        if self.kind == "rate":
            along = np.asarray(grid.get(self.along or "", (1,)), float)
            if along.min() <= 0 or along.max() / along.min() < 16 or along.size < 4:
                raise ValueError(
                    f"{self.id}: a rate needs a factor of 16 or more, and four values > 0 or more, "
                    f"along {self.along!r}"
                )
        for word, missing in (("upheld", self.cannot_uphold), ("refuted", self.cannot_refute)):
            if missing and self.expect == word:
                raise ValueError(
                    f"{self.id}: a claim of kind {self.kind} that is expected to be {word} needs "
                    f"{missing}: without it no draw counts; or expect 'undecided'"
                )
        whole = isinstance(self.rows, int | np.integer) and not isinstance(self.rows, bool)
        if not whole or self.rows < 1:
            raise ValueError(f"{self.id}: rows must be a whole number >= 1, got {self.rows}")
        if not isinstance(self.apart, bool):
            raise ValueError(f"{self.id}: apart must be True or False, got {self.apart!r}")
        if self.apart and not self.can_err:
            raise ValueError(f"{self.id}: apart is said of what draws decide")
        if self.simulate is not None:
            try:
                names = parameters(self.simulate)
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"{self.id}: simulate must be a function whose arguments have names, got "
                    f"{self.simulate!r}"
                ) from error
            for needed in ("size", "rng"):
                if needed not in names:
                    raise ValueError(f"{self.id}: simulate must take {needed} as a keyword")
            for name in set(names) - {"size", "rng"}:
                if names[name] and not self._available(name):
                    raise ValueError(
                        f"{self.id}: simulate asks for {name!r}, which is neither in the grid "
                        f"({', '.join(grid) or 'empty'}) nor an attribute of the population"
                    )
        self._check_twin()

    @property
    def _taken(self) -> frozenset[str]:
        """Names that arguments of the claim's functions cannot have."""
        return _TAKEN if self.kind in ("equal", "published") else _TAKEN - {"margin"}

    def _check_addresses(self) -> None:
        """Refuse two cells with one address: they would have the same draws."""
        texts = [label for name in self.dims for label in map(_label, self.grid[name])]
        # Only a comma in a text can make one of several parameters look like another.
        if not any(isinstance(text, str) and "," in text for text in texts):
            return
        seen: set[str] = set()
        for address in map(self.address, self.cells()):
            if address in seen:
                raise ValueError(f"{self.id}: two cells of the grid have the address {address!r}")
            seen.add(address)

    def _check_texts(self) -> None:
        for name in ("statement", "place", "quantity", "unit", "note", "reason", "origin"):
            _check_text(f"{self.id}: {name}", getattr(self, name))
        if isinstance(self.hypotheses, str) or not isinstance(self.hypotheses, Sequence):
            raise ValueError(f"{self.id}: hypotheses must be a list, got {self.hypotheses!r}")
        for text in self.hypotheses:
            _check_text(f"{self.id}: a hypothesis", text)

    def _check_numbers(self) -> None:
        """Refuse numbers out of range, and those that the kind would not read."""
        for name in _RANGES:
            number = getattr(self, name)
            if number is not None and not callable(number):
                self._checked(name, number, "")
        for name, kinds in _READ_BY.items():
            unset = (None, type(self).__dataclass_fields__[name].default)
            if getattr(self, name) not in unset and self.kind not in kinds:
                raise ValueError(
                    f"{self.id}: a claim of kind {self.kind} does not read {name}, so none may be "
                    f"declared: {name} is for {', '.join(kinds)}"
                )
        for name in ("low", "high"):
            number = getattr(self, name)
            if number is not None and not callable(number) and math.isinf(number):
                if self.kind == "equal" and self.bound is None:
                    raise ValueError(
                        f"{self.id}: low and high make the margin one on the scale of the draws, "
                        f"so {name} must be finite, got {number:g}"
                    )
                object.__setattr__(self, name, None)  # Nothing is known at that end.
        low, high = (getattr(self, name) for name in ("low", "high"))
        if _is_real(low) and _is_real(high) and low > high:
            raise ValueError(f"{self.id}: low must be at most high, got {low:g} and {high:g}")

    def _checked(self, name: str, number: Any, where: str) -> float:
        """A number of the declaration, if it is in its range."""
        what, within = _RANGES[name]
        if not _is_real(number) or not within(float(number)):
            got = f"{number:g}" if _is_real(number) else repr(number)
            raise ValueError(f"{self.id}: {name} must be {what}, got {got}{where}")
        return float(number)

    def _check_given(self) -> None:
        if not isinstance(self.given, Mapping):
            raise ValueError(
                f"{self.id}: given must be a mapping of names to constants, got {self.given!r}"
            )
        for name in self.given:
            if not isinstance(name, str) or not name.isidentifier():
                raise ValueError(f"{self.id}: given must name arguments, got {name!r}")
            if name in self.grid:
                raise ValueError(f"{self.id}: given {name!r} is a parameter of the grid already")
            if name in self._taken | {"delta"}:
                raise ValueError(f"{self.id}: given cannot name a constant {name!r}")
        for name, text in self.constants.items():
            _check_text(f"{self.id}: given {name!r}", text)

    def _check_also(self) -> None:
        if isinstance(self.also, str) or not isinstance(self.also, Sequence):
            raise ValueError(
                f"{self.id}: also must be a list of paper.also(name, place), got {self.also!r}"
            )
        seen = {self.id}
        for other in self.also:
            if not isinstance(other, Elsewhere):
                raise ValueError(
                    f"{self.id}: also must hold paper.also(name, place), got {other!r}"
                )
            _check_id(other.id, of=f"{self.id}: also: ")
            _check_text(f"{self.id}: also: place", other.place)
            if other.id in seen:
                raise ValueError(f"{self.id}: also names {other.id} a second time")
            seen.add(other.id)

    def _check_twin(self) -> None:
        """Last, as a twin that is a function reads the claim."""
        twin = self.twin(self) if callable(self.twin) else self.twin
        if twin is None and self.twin is None:
            return
        if not isinstance(twin, Mapping) or not twin:
            raise ValueError(
                f"{self.id}: twin must be a mapping of the fields that break the claim, or a "
                f"function of the claim that returns one, got {twin!r}"
            )
        known = {field.name for field in dataclasses.fields(self)} - _OF_THE_TWIN
        for name in twin:
            if name not in known | _OF_TWINS:
                raise ValueError(
                    f"{self.id}: twin names {name!r}, which is no field that a twin can change"
                )
        _check_text(f"{self.id}: twin's why", twin.get("why", ""))
        object.__setattr__(self, "twin", twin)

    def __repr__(self) -> str:
        return f"<Claim {self.id}: {self.kind}, {self.size} cells, expected {self.expect}>"

    @functools.cached_property
    def cannot_refute(self) -> str:
        """The field without which no draw counts against the promise; empty if none is missing."""
        return "" if self.exact is not None else self.undeclared("low")

    @functools.cached_property
    def cannot_uphold(self) -> str:
        """The field without which no draw counts for the promise; empty if none is missing."""
        if self.exact is not None:
            return ""
        return "margin" if self.kind == "equal" and self.margin is None else self.undeclared("high")

    def undeclared(self, end: str) -> str:
        """The field without which draws show nothing from this end (low, high) of the range.

        Empty if none is missing. Of exact evidence it says nothing.
        """
        if self.variance is not None:
            return ""
        if self.impossible is not None and end == "low":
            return ""  # What is impossible falls without a draw.
        both = ("low", "high")
        ends = {"mean": (end,), "equal": both, "published": both, "rate": both}
        if self.kind == "equal" and self.bound is None:
            return ""  # two laws, whose distance needs no range
        lacking = [name for name in ends.get(self.kind, ()) if getattr(self, name) is None]
        other = " or variance" if self.kind in _READ_BY["variance"] else ""
        return " and ".join(lacking) + other if lacking else ""

    @property
    def assumed(self) -> tuple[str, ...]:
        """The hypotheses and what else the trial relies on: what is trivial, range, weights."""
        ends = []
        for name, word in (("low", "at least"), ("high", "at most")):
            end = getattr(self, name)
            if end is not None:
                ends.append(f"{word} {f'the {name} of its cell' if callable(end) else f'{end:g}'}")
        found = [f"One draw is {' and '.join(ends)}."] if ends else []
        if self.trivial is not None:
            side = "below" if self.kind == "exists" else "above"
            least = "that of its cell" if callable(self.trivial) else f"{self.trivial:g}"
            found.append(f"A right side at or {side} {least} is true anyway.")
        if self.variance is not None:
            found.append("The variance of one draw is at most the one declared.")
        if self.weight_limit is not None:
            found.append("No draw that breaks the promise has a weight above the limit declared.")
        if self.weight_high is not None:
            found.append(
                "Weights are ratios of likelihoods, at most the largest declared: their mean is 1."
            )
        if self.kind in ("mean", "equal", "published", "rate"):
            found += [
                f"Draws alone cannot {verb} it: {field} {'are' if ' and ' in field else 'is'} not "
                "declared."
                for verb, field in (("refute", self.cannot_refute), ("uphold", self.cannot_uphold))
                if field
            ]
        return (*self.hypotheses, *found)

    @property
    def can_err(self) -> bool:
        """Whether draws may decide it: such a claim is charged its share of the level."""
        return self.simulate is not None and self.kind in (
            "tail", "mean", "equal", "rate", "published"
        )

    def _available(self, name: str) -> bool:
        if name in self.grid or name in self.given:
            return True
        populations = self.grid.get("population", ())
        # Asking the type, not the object, so that no property is computed here.
        return bool(populations) and all(
            hasattr(type(p), name) or name in getattr(p, "__dict__", ()) for p in populations
        )

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The id, and those under which the same result stands elsewhere."""
        return (self.id, *(other.id for other in self.also))

    @functools.cached_property
    def discrepancies(self) -> tuple[str, ...]:
        """Numbers of the places that it decides where print and truth differ, in all its papers."""
        own = self.paper.numbers(self.id.removeprefix(f"{self.paper.id}/"))
        return (*own, *(n for other in self.also for n in other.paper.numbers(other.name)))

    @functools.cached_property
    def deltas(self) -> tuple[float, ...]:
        """Levels of a tail; of another kind delta is a parameter like others."""
        return tuple(float(d) for d in self.grid.get("delta", ())) if self.kind == "tail" else ()

    @functools.cached_property
    def dims(self) -> tuple[str, ...]:
        """Names of the cell's parameters, in the order of the grid."""
        return tuple(name for name in self.grid if name != "delta" or self.kind != "tail")

    @functools.cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter in `dims`."""
        return tuple(len(self.grid[name]) for name in self.dims)

    @functools.cached_property
    def size(self) -> int:
        """Number of cells."""
        return int(np.prod(self.shape, dtype=int))

    def cell(self, index: int) -> Cell:
        """Parameters of the cell with this C-order index."""
        where = np.unravel_index(index, self.shape) if self.dims else ()
        return {
            name: self.grid[name][int(i)] for name, i in zip(self.dims, where, strict=True)
        }

    def cells(self) -> Iterator[Cell]:
        """All cells, in C order."""
        for values in itertools.product(*(self.grid[name] for name in self.dims)):
            yield dict(zip(self.dims, values, strict=True))

    def address(self, cell: Cell) -> str:
        """The cell as text, e.g. ``"population=fair axis,n=100"``; part of every draw's address."""
        return ",".join(f"{name}={_label(value)}" for name, value in cell.items())

    @property
    def constants(self) -> dict[str, str]:
        """What is given, as text: objects give their name."""
        return {name: str(getattr(value, "name", value)) for name, value in self.given.items()}

    def labels(self, name: str) -> list[Any]:
        """Coordinate labels of one grid parameter: numbers stay, objects give their name."""
        return [_label(value) for value in self.grid[name]]

    def call(
        self, function: Callable[..., Any], cell: Cell, drawn: Mapping[str, Any] | None = None,
        **given: Any,
    ) -> Any:
        """Call with the arguments its signature names, from the cell, population and draws."""
        if (asked := ASKED.get()) is not None and asked.takes(self):
            for name in FUNCTIONS:
                if getattr(self, name) is function:
                    return asked(self, name, cell, drawn or {}, given)
        try:
            with one_returns(), around_a_call(function):
                return function(**self.arguments(function, cell, drawn, **given))
        except RecursionError as error:
            shortened(error)
            raise
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            # What a user's code can think of must not pass for the end of whoever calls.
            raise RuntimeError(repr(error)).with_traceback(error.__traceback__) from error

    def arguments(
        self, function: Callable[..., Any], cell: Cell, drawn: Mapping[str, Any] | None = None,
        **given: Any,
    ) -> dict[str, Any]:
        """What `call` gives it.

        Raises
        ------
        ValueError
            If nothing gives an argument that has no default.
        """
        drawn = drawn or {}
        population = cell.get("population")
        arguments: dict[str, Any] = {}
        for name, needed in parameters(function).items():
            if name in given:
                arguments[name] = given[name]
            elif name in drawn and name not in cell:
                arguments[name] = drawn[name]
            elif name in cell:
                arguments[name] = cell[name]
            elif name in self.given:
                arguments[name] = self.given[name]
            elif population is not None and hasattr(population, name):
                arguments[name] = getattr(population, name)
            elif needed:
                raise ValueError(
                    f"{self.id}: {_name(function)} asks for {name!r}, which is neither in the "
                    "grid, nor an attribute of the population, nor drawn by the simulator"
                )
        return arguments

    def value(self, name: str, cell: Cell, **given: Any) -> Any:
        """A field that may be a number or a function of the cell (trivial, low, margin ...)."""
        found = getattr(self, name)
        if not callable(found):
            return found
        found = self.call(found, cell, **given)
        if isinstance(found, np.ndarray) and found.size == 1:
            found = found.item()
        if found is None or name not in _RANGES:
            return found
        return self._checked(name, found, f" at {self.address(cell) or 'its cell'}")

    @property
    def functions_of_a_cell(self) -> list[str]:
        """The fields that `value` calls, and what calls print impossible."""
        return [name for name in (*_RANGES, "impossible") if callable(getattr(self, name))]

    def drawn_names(self) -> set[str]:
        """Arguments of the bound that the simulator gives: what it draws hides a default."""
        if self.bound is None:
            return set()
        unknown = {
            name: needed for name, needed in parameters(self.bound).items()
            if name != "delta" and not self._available(name)
        }
        # Most bounds have no default that could be hidden, and need no look.
        given = frozenset[str]() if all(unknown.values()) else self._draws
        return {name for name, needed in unknown.items() if needed or name in given}

    @functools.cached_property
    def _draws(self) -> frozenset[str]:
        """What the simulator draws, by a look at a few rows; empty if there is nothing to see."""
        gives = frozenset(getattr(self.simulate, "gives", ()))
        if self.simulate is None:
            return gives
        rng = np.random.default_rng(0)
        try:
            with np.errstate(all="ignore"):
                found = self.call(self.simulate, self.cell(0), size=min(8, self.rows), rng=rng)
        except Exception:
            return gives  # A trial says why.
        return gives | (set(found) if isinstance(found, Mapping) else set())

    def broken(self) -> Claim:
        """The broken twin: this claim made false on purpose.

        Raises
        ------
        ValueError
            If the claim has none.
        """
        if self.twin is None:
            raise ValueError(f"{self.id} has no broken twin")
        changes = {key: value for key, value in self.twin.items() if key not in _OF_TWINS}
        return dataclasses.replace(
            self, id=f"{self.id}/broken-twin", expect="refuted", twin=None, picture=None, also=(),
            **changes
        )

    def fingerprint(self) -> str:
        """Digest of the code, parameters and versions that stored numbers depend on."""
        from noisytheory.trial.fingerprint import fingerprint

        return fingerprint(self)

    @staticmethod
    def label(value: Any) -> int | float | str:
        """How a grid value shows: numbers and text as they are, objects by their name."""
        return _label(value)

    def summary(self) -> dict[str, Any]:
        """The claim's entry in ``noisytheory claims --json``."""
        return {
            "id": self.id,
            "also": list(self.names[1:]),
            "paper": self.paper.id,
            "kind": self.kind,
            "place": self.place,
            "expected": self.expect,
            "origin": self.origin,
            "statement": self.statement,
        }


LARGEST = 1e150
"""Size of a draw that has a mean: what floats can square."""

_RANGES: dict[str, tuple[str, Callable[[float], bool]]] = {
    "trivial": ("a number", lambda x: not math.isnan(x)),
    "low": ("a number up to 1e150 in size, or minus infinity",
            lambda x: abs(x) <= LARGEST or x == -math.inf),
    "high": ("a number up to 1e150 in size, or infinity",
             lambda x: abs(x) <= LARGEST or x == math.inf),
    "variance": ("a finite number > 0", lambda x: 0 < x < math.inf),
    "margin": ("a finite number >= 0", lambda x: 0 <= x < math.inf),
    "printed_error": ("a finite number >= 0", lambda x: 0 <= x < math.inf),
    "slack": ("a finite number >= 0", lambda x: 0 <= x < math.inf),
    # The widest that stands in the catalogue is the one of top-k/new-clipped-logit.
    "rounding": ("rounding, a number in [0, 1e-4]", lambda x: 0 <= x <= 1e-4),
    "weight_high": ("a finite number >= 1", lambda x: 1 <= x < math.inf),
    "weight_limit": ("a number > 0", lambda x: x > 0),
}
"""Fields that are numbers, or functions of the cell to numbers: what they must be."""

FUNCTIONS = ("bound", "simulate", "exact", "certify", "impossible", *_RANGES)
"""Fields that a judge calls."""

ASKED: ContextVar[Any] = ContextVar("asked", default=None)
"""Who is asked for what these functions give, in their place; see `elsewhere`."""

_READ_BY: dict[str, tuple[str, ...]] = {
    "low": ("mean", "equal", "published", "rate", "exists"),
    "high": ("mean", "equal", "published", "rate"),
    "impossible": ("published",),
    "variance": ("mean", "equal"),
    "margin": ("equal", "published"),
    "printed_error": ("published",),
    "slack": ("tail", "mean", "equal", "always", "identity", "exists", "published"),
    "simulate": tuple(kind for kind in KINDS if kind not in ("exists", "cited")),
    "trivial": ("tail", "mean", "always", "identity", "exists"),
    "weight_high": ("tail",),
    "weight_limit": ("tail",),
    "along": ("rate",),
    "certify": ("always", "identity"),
}
"""Fields that only some kinds read."""


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
_PAGE = re.compile(r"\.(html|md|svg|json)(/|$)", re.IGNORECASE)
_CELLS = 10**6
_TEXT = 10_000  # characters of a statement or note that a page can show


def _check_text(what: str, text: object) -> None:
    """Refuse what no page can show: other than text, endless, or written for a terminal."""
    if not isinstance(text, str):
        raise ValueError(f"{what} must be text, got {text!r}")
    if len(text) > _TEXT:
        raise ValueError(f"{what} must be at most {_TEXT:,} characters, got {len(text):,}")
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise ValueError(f"{what} must be printable, got {text[:200]!r}")


def _check_id(claim_id: object, of: str = "") -> None:
    """Refuse ids that are no paths, or those of files that a report or a store writes itself."""
    if not isinstance(claim_id, str) or not _ID.fullmatch(claim_id):
        raise ValueError(f"{of}id must look like paper/name, got {claim_id!r}")
    if _PAGE.search(claim_id) or len(claim_id) > 200:
        raise ValueError(
            f"{of}no part of an id ends in .html, .md, .svg or .json, and it has at most 200 "
            f"characters, got {claim_id[:200]!r}"
        )


_OF_TWINS = {"why", "factor"}
"""What a twin says of itself: what was broken, and of a right side that was scaled by how much."""

_OF_THE_TWIN = {"id", "expect", "twin", "picture", "also"}
"""Fields that a broken twin has of its own."""

_TAKEN = frozenset(
    {
        "lhs", "rhs", "rhs_draw", "other", "applies", "chain", "draw", "quantile",
        "quantiles", "violations", "probability", "tightness", "tightness_low",
        "tightness_high", "refutable_factor", "refutable_elsewhere", "resolution", "mean",
        "replicates", "tries",
        "exact", "log_e_against", "log_e_support", "log_e_against_max", "log_e_support_max",
        "ties", "slope_low", "slope_high", "slope_first", "slope_second",
        "vacuous", "trivial", "decision", "slope", "margin", "printed_error", "block_digest",
        "size", "rng", "slope_error", "curved", "instances", "instance", "field",
    }
)
"""Names that a claim's dataset has of its own."""


def _label(value: Any) -> int | float | str:
    label = getattr(value, "name", value)
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bool) or not isinstance(label, int | float | str):
        raise ValueError(
            f"a value must be a number, a string or an object with a name, got {value!r}"
        )
    if isinstance(label, int) and not -(2**63) <= label < 2**63:
        raise ValueError(f"a whole number must lie within 64 bits, got {label}")
    if isinstance(label, str):
        _check_text("a value", label)
    return label


def parameters(function: Callable[..., Any]) -> dict[str, bool]:
    """Arguments by name, and whether each must be given."""
    try:
        return _parameters_of(function)
    except TypeError:  # An object that is callable, but has no hash.
        return _parameters_of.__wrapped__(function)


@functools.lru_cache(maxsize=4096)
def _parameters_of(function: Callable[..., Any]) -> dict[str, bool]:
    found = inspect.signature(function).parameters
    return {name: p.default is p.empty for name, p in found.items()}


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
