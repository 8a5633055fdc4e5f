"""The contract that every claim keeps, as one test: for contributors and for a user's own claim."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from noisytheory import __version__
from noisytheory.trial import independence
from noisytheory.trial.claim import Cell, Certificate, Claim, Law
from noisytheory.trial.draws import (
    ClaimError,
    draw,
    exact_evidence,
    one_thread,
    renamed,
    replays,
    unused,
)
from noisytheory.trial.fingerprint import held
from noisytheory.trial.independence import Repeats
from noisytheory.trial.run import BUDGETS, DEFAULT_SEED, audit
from noisytheory.trial.shown import named
from noisytheory.trial.store import Store
from noisytheory.trial.tasks import work
from noisytheory.trial.trial import Trial
from noisytheory.trial.verdict import right_side

__all__ = ["FALSE_ALARM", "check_claim"]

FALSE_ALARM = 1e-6
"""Probability that a simulator which draws from its claim's exact law fails the check."""

_CELLS = 3
"""Cells that are looked at: the first, the last and those in between, evenly spread."""

_FEW = 8
"""Rows of a block that suffice to see shapes and repetition."""

_ALPHA = 0.01
"""Level of an audit that names none."""

_LEVELS = (0.1, 0.5, 0.9, 0.99)
"""Quantiles of the exact law at which simulated counts are compared."""

_CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3,
             "munderover": 3}
"""Children that an element of MathML must have."""

def check_claim(claim: Claim, *, seed: int = DEFAULT_SEED) -> None:
    """Check everything that a claim promises to the machinery, its broken twin included.

    Whether the claim is true is not checked: `noisytheory.audit` does that.

    Parameters
    ----------
    claim : Claim
        A claim of this package, of an installed one, or your own.
    seed : int
        Root seed of the draws that are looked at.

    Raises
    ------
    AssertionError
        If a signature does not resolve; a simulator returns wrong shapes, is not reproducible from
        its generator, remembers what it drew, or touches NumPy's or Python's global random state; a
        bound does not broadcast, changes its arguments, or shrinks as delta does; the exact law and
        the simulator disagree (`FALSE_ALARM` is the probability that they do so by chance); a
        certificate disagrees with the numbers it certifies; the statement does not convert to
        MathML; the broken twin is missing or not refuted at the smoke budget; or the claim does not
        pickle.
        Bounds on plain floats need not broadcast, and only this package's must refuse nonsense and
        have twins. The message names the claim and what to mend.

    Examples
    --------
    >>> from noisytheory import Paper
    >>> def bound(n, delta): return np.sqrt(np.log(1 / delta) / (2 * n))
    >>> def simulate(n, *, size, rng): return rng.binomial(n, 0.5, size) / n - 0.5
    >>> mine = Paper("mine", "Hoeffding 1963")
    >>> claim = mine.tail("theorem-2", statement=r"x \\le y", bound=bound, simulate=simulate,
    ...                   grid=dict(n=[10, 100], delta=[0.1, 0.01]))
    >>> check_claim(claim)
    >>> def smaller(n, delta): return bound(n, delta) * delta
    >>> check_claim(mine.tail("theorem-2", statement="x", bound=smaller, simulate=simulate,
    ...                       grid=dict(n=[10], delta=[0.1, 0.01])))
    Traceback (most recent call last):
    ...
    AssertionError: mine/theorem-2: the bound shrinks as delta does, at n=10
    """
    if not isinstance(claim, Claim):
        raise TypeError(f"claim must be a noisytheory.Claim, got {claim!r}")
    # As in an audit: what a population caches while BLAS has more threads differs in its last bits.
    before = held(claim)
    if vars(claim).get("_remembers", ("",))[0] == before.digest:
        raise AssertionError(vars(claim)["_remembers"][1])  # An audit has found it out.
    copy = unused(claim) if before.foreign and claim.simulate is not None else None
    with one_thread():
        look = _Look(claim, seed)
        for check in _CHECKS:
            check(claim, look)
        if copy is not None and held(claim) != before:
            seen = _draw(claim, claim.cell(0), 1, seed, _FEW)
            if not replays(copy, 0, 1, seed=seed, seen=seen, rows=_FEW):
                _fail(claim, "simulate remembers: an unused copy of it draws other numbers")


def _fail(claim: Claim, message: str) -> NoReturn:
    raise AssertionError(f"{claim.id}: {message}")


def _ours(function: Callable[..., Any] | None) -> bool:
    """Whether a topic of this package declares it."""
    return str(getattr(function, "__module__", "")).startswith("noisytheory.topics.")


def _at(claim: Claim, cell: Cell) -> str:
    return f"at {claim.address(cell) or 'its cell'}"


def _some_cells(claim: Claim) -> Iterator[Cell]:
    for index in np.unique(np.linspace(0, claim.size - 1, _CELLS).astype(int)):
        yield claim.cell(int(index))


def _draw(claim: Claim, cell: Cell, block: int, seed: int, rows: int) -> dict[str, NDArray[Any]]:
    try:
        return draw(claim, cell, block, seed=seed, rows=rows)
    except ClaimError as error:
        raise AssertionError(str(error)) from error


class _Look:
    """A claim's first rows and exact evidence, which all checks look at: worked out once."""

    def __init__(self, claim: Claim, seed: int) -> None:
        self.claim, self.seed = claim, seed
        self._rows: dict[str, dict[str, NDArray[Any]]] = {}
        self._evidence: dict[str, Any] = {}

    def rows(self, cell: Cell) -> dict[str, NDArray[Any]]:
        """The first rows of a cell."""
        at = self.claim.address(cell)
        if at not in self._rows:
            found = _draw(self.claim, cell, 0, self.seed, _FEW)
            self._rows[at] = {name: _frozen(array) for name, array in found.items()}
        return self._rows[at]

    def evidence(self, cell: Cell) -> Any:
        """What ``exact`` says at a cell."""
        at = self.claim.address(cell)
        if at not in self._evidence:
            before = _global_state()
            try:
                self._evidence[at] = exact_evidence(self.claim, cell)
            except ClaimError as error:
                raise AssertionError(str(error)) from error
            if _global_state() != before:
                _fail(self.claim, f"exact touches global random state {_at(self.claim, cell)}")
        return self._evidence[at]

    def instances(self, cell: Cell) -> dict[str, NDArray[Any]] | None:
        """A few draws, or the first of the exact instances; None if the claim has neither."""
        if self.claim.simulate is not None:
            return self.rows(cell)
        found = self.evidence(cell) if self.claim.exact is not None else None
        if not isinstance(found, Mapping):
            return None
        return {name: _frozen(array[:_FEW]) for name, array in renamed(found).items()}


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same, not to be written into: others look at it as well."""
    array = array.view()
    array.flags.writeable = False
    return array


def _global_state() -> tuple[object, ...]:
    kind, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002
    return (random.getstate(), kind, np.asarray(keys).tobytes(), *rest)


def _same(left: Mapping[str, NDArray[Any]], right: Mapping[str, NDArray[Any]]) -> bool:
    return left.keys() == right.keys() and all(
        np.array_equal(left[name], right[name]) for name in left
    )


def _check_declaration(claim: Claim, look: _Look) -> None:
    if not claim.statement.strip():
        _fail(claim, "the statement is empty")
    if _ours(claim.bound) or _ours(claim.simulate) or _ours(claim.exact):
        if not claim.place:
            _fail(claim, "place in print is missing")
        if claim.expect == "refuted" and not claim.note:
            _fail(claim, "expected to be refuted, but no note says what is wrong in print and why")


def _check_statement(claim: Claim, look: _Look) -> None:
    import re
    from xml.etree import ElementTree

    from noisytheory.trial.mathematics import mathml

    formulas = [claim.statement, *re.findall(r"(?<![\\$])\$([^$\n]+)\$", claim.note)]
    for tex in formulas:
        markup = mathml(tex)
        if not markup.startswith("<math"):
            _fail(claim, f"does not convert to MathML: {tex}")
        root = ElementTree.fromstring(markup)
        # The converter is patient with what is incomplete; a browser is not.
        braces = re.sub(r"\\[{}]", "", tex)
        if braces.count("{") != braces.count("}") or any(
            len(node) != _CHILDREN.get(node.tag.rpartition("}")[2], len(node))
            for node in root.iter()
        ):
            _fail(claim, f"something is missing in MathML: {tex}")


def _check_signatures(claim: Claim, look: _Look) -> None:
    for cell in _some_cells(claim):
        for name in ("trivial", "low", "high", "variance", "margin", "printed_error"):
            try:
                value = claim.value(name, cell)
            except Exception as error:
                raise AssertionError(
                    f"{claim.id}: {name} raised {named(error)}"
                ) from error
            if value is not None and np.isnan(value):
                _fail(claim, f"{name} is not a number {_at(claim, cell)}")
        if claim.kind == "cited":
            continue
        drawn = look.instances(cell)
        missing = claim.drawn_names() - set(drawn or ())
        if missing and claim.bound is not None:
            _fail(claim, f"the bound asks for {', '.join(sorted(missing))}, which is neither in "
                         "the grid, nor an attribute of the population, nor drawn")
        if claim.bound is not None or (drawn and "rhs_draw" in drawn):
            try:
                right_side(claim, cell, drawn)
            except Exception as error:
                raise AssertionError(
                    f"{claim.id}: the bound raised {type(error).__name__} "
                    f"{_at(claim, cell)}: {error}"
                ) from error


def _check_simulator(claim: Claim, look: _Look) -> None:
    if claim.simulate is None:
        return
    for cell in _some_cells(claim):
        where = _at(claim, cell)
        first = look.rows(cell)
        before = _global_state()
        _draw(claim, cell, 1, look.seed, _FEW)
        # After another: a block must not depend on which blocks came before it.
        again = _draw(claim, cell, 0, look.seed, _FEW)
        if _global_state() != before:
            _fail(claim, f"simulate touches global random state {where}: draw from rng only")
        if not _same(first, again):
            _fail(claim, f"simulate is not reproducible from rng {where}")
        if claim.can_err:
            repeats = Repeats(claim)
            try:
                repeats.see(cell, first)
                for block in independence.look(claim, cell, look.seed, [_FEW] * 3):
                    repeats.see(cell, block)
            except ClaimError as error:
                raise AssertionError(str(error)) from error
        _draw(claim, cell, 0, look.seed, 1)


def _arguments(claim: Claim, cell: Cell, look: _Look) -> dict[str, Any]:
    """One value for each argument of the bound, as the engine would give it to one replicate."""
    import inspect

    assert claim.bound is not None
    drawn, arguments = None, {}
    for name, parameter in inspect.signature(claim.bound).parameters.items():
        if name == "delta" and claim.deltas:
            arguments[name] = claim.deltas[0]
        elif name in cell:
            arguments[name] = cell[name]
        elif name in claim.given:
            # What is drawn goes before what is given, as in a trial.
            drawn = look.instances(cell) if drawn is None else drawn
            arguments[name] = (
                drawn[name][0] if drawn and name in drawn else claim.given[name]
            )
        elif hasattr(cell.get("population"), name):
            arguments[name] = getattr(cell["population"], name)
        elif parameter.default is parameter.empty:
            drawn = look.instances(cell) if drawn is None else drawn
            assert drawn is not None
            arguments[name] = drawn[name][0]
    return arguments


def _numeric(claim: Claim, arguments: Mapping[str, Any]) -> list[str]:
    """Arguments of the bound that the grid varies and that are numbers."""
    return [
        name for name in arguments
        if name in claim.grid and all(
            isinstance(v, int | float | np.number) and not isinstance(v, bool)
            for v in claim.grid[name]
        )
    ]


def _check_broadcasting(claim: Claim, look: _Look) -> None:
    if claim.bound is None:
        return
    import itertools

    import xarray as xr

    arguments = _arguments(claim, next(claim.cells()), look)
    names = _numeric(claim, arguments)
    values = {name: np.asarray(claim.grid[name]) for name in names}
    shape = tuple(len(values[name]) for name in names)
    before = _global_state()
    pointwise = np.array([
        float(np.asarray(claim.bound(**{**arguments, **dict(zip(names, point, strict=True))})))
        for point in itertools.product(*(claim.grid[name] for name in names))
    ]).reshape(shape)
    if _global_state() != before:
        _fail(claim, "the bound touches global random state: bounds are not random")
    axes = {
        name: array.reshape([-1 if i == j else 1 for j in range(len(names))])
        for i, (name, array) in enumerate(values.items())
    }
    kept = {name: array.copy() for name, array in axes.items()}
    labelled = {
        name: xr.DataArray(array, dims=name, coords={name: array})
        for name, array in values.items()
    }
    try:
        broadcast, again = (
            np.asarray(claim.bound(**{**arguments, **axes}), float) for _ in range(2)
        )
    except (TypeError, ValueError) as error:
        if _ours(claim.bound):
            _fail(claim, f"the bound does not broadcast over {', '.join(names)}: {error}")
        return  # on plain floats: the engine goes level by level
    if any(not np.array_equal(axes[name], kept[name]) for name in names):
        _fail(claim, "the bound changes its arguments")
    if not np.array_equal(broadcast, again, equal_nan=True):
        _fail(claim, "the bound is not a function: called twice it gives two answers")
    _compare(claim, pointwise, broadcast, "over arrays")
    try:
        named = claim.bound(**{**arguments, **labelled})
    except (TypeError, ValueError) as error:
        if _ours(claim.bound):
            _fail(claim, f"the bound does not take labelled arrays: {error}")
        return
    if isinstance(named, xr.DataArray):
        if set(named.dims) - set(names):
            _fail(claim, f"the bound turns the names {names} into {list(named.dims)}")
        full = named.broadcast_like(xr.Dataset(coords=labelled)).transpose(*names)
        _compare(claim, pointwise, full.values, "over labelled arrays")
    elif names and np.ptp(pointwise) > 0:
        _fail(claim, "the bound loses the names of labelled arrays")


def _compare(
    claim: Claim, pointwise: NDArray[np.float64], together: NDArray[np.float64], how: str
) -> None:
    try:
        together = np.broadcast_to(together, pointwise.shape)
    except ValueError:
        _fail(claim, f"the bound gives shape {together.shape} {how}, not {pointwise.shape}")
    # Vectorised transcendental functions may differ in the last bits from scalar ones.
    if not np.allclose(together, pointwise, rtol=1e-10, atol=0, equal_nan=True):
        _fail(claim, f"the bound gives other numbers {how} than one by one")


def _check_level(claim: Claim, look: _Look) -> None:
    if claim.kind != "tail" or claim.bound is None:
        return
    order = np.argsort(claim.deltas)
    for cell in _some_cells(claim):
        drawn = look.instances(cell) if claim.drawn_names() else None
        radii = right_side(claim, cell, drawn)[order]
        slack = 1e-12 * np.maximum(1.0, np.abs(radii[1:]))
        if np.any(np.diff(radii, axis=0) > slack):
            _fail(claim, f"the bound shrinks as delta does, {_at(claim, cell)}")


def _check_refusals(claim: Claim, look: _Look) -> None:
    """Only this package's bounds: a user's may be as plain as the user likes."""
    if claim.bound is None or not _ours(claim.bound):
        return
    arguments = _arguments(claim, next(claim.cells()), look)
    nonsense: dict[str, list[float]] = {name: [np.nan] for name in _numeric(claim, arguments)}
    nonsense.update({name: [np.nan] for name in getattr(claim.bound, "domains", {})})
    for name, values in (("n", [0.0, 2.5]), ("delta", [0.0, 1.0])):
        nonsense[name] = nonsense[name] + values if name in nonsense else []
    for name, values in nonsense.items():
        for value in values:
            try:
                with np.errstate(all="ignore"):
                    got = claim.bound(**{**arguments, name: value})
            except ValueError as error:
                if name not in str(error).split()[:1]:
                    _fail(claim, f"the bound refuses {name}={value} without naming it: {error}")
            else:
                _fail(claim, f"the bound takes {name}={value} and gives {got}")


def _check_exact(claim: Claim, look: _Look) -> None:
    if claim.exact is None:
        return
    for cell in _some_cells(claim):
        found = look.evidence(cell)
        if found is None:
            continue
        if claim.kind in ("tail", "mean", "equal"):
            if not isinstance(found, Law):
                _fail(claim, f"exact must give a Law or None, got {type(found).__name__}")
            if claim.simulate is not None:
                drawn = _draw(claim, cell, 0, look.seed, claim.rows)["lhs"].astype(float)
                _compare_law(claim, cell, found, drawn)
        elif claim.kind == "exists":
            optimum, error = found
            if not (np.isfinite(optimum) and 0 <= error < np.inf):
                _fail(claim, f"exact must give (optimum, error >= 0), got {found}")
        else:
            lengths = {np.shape(array)[:1] for array in found.values()}
            if len(lengths) != 1 or () in lengths:
                _fail(claim, f"exact gives arrays of different lengths {_at(claim, cell)}")


def _compare_law(claim: Claim, cell: Cell, law: Law, drawn: NDArray[np.float64]) -> None:
    """Simulated counts above a few thresholds against their exact binomial law."""
    from scipy.stats import binom

    values = np.asarray(law.values)
    slack = law.error * max(1.0, float(np.abs(values).max()))
    if drawn.min() < values[0] - slack or drawn.max() > values[-1] + slack:
        _fail(claim, f"simulate draws outside of the exact law's support {_at(claim, cell)}")
    tests = 2 * len(_LEVELS) * _CELLS
    for level in _LEVELS:
        # Half-way between two values, so that rounding cannot move a draw across.
        above = values[values > law.quantile(level) + 4 * slack]
        if above.size == 0:
            continue
        below = values[values < above[0] - 2 * slack]
        threshold = (below[-1] + above[0]) / 2
        probability = law.exceeding(float(threshold))[0]
        count = int(np.count_nonzero(drawn > threshold))
        chance = min(
            binom.cdf(count, drawn.size, probability), binom.sf(count - 1, drawn.size, probability)
        )
        if chance < FALSE_ALARM / tests:
            _fail(
                claim,
                f"the exact law and the simulator disagree {_at(claim, cell)}: {count} of "
                f"{drawn.size} draws above {threshold:.6g}, expected "
                f"{drawn.size * probability:.1f}",
            )


def _check_certificates(claim: Claim, look: _Look) -> None:
    """A certificate may square both sides, but must come to the same end as the draw."""
    if claim.certify is None:
        return
    for cell in _some_cells(claim):
        drawn = look.instances(cell)
        if drawn is None:
            continue
        applies = np.asarray(drawn.get("applies", np.ones(len(drawn["lhs"]), bool)), bool)
        lhs = drawn["lhs"].astype(float)
        rhs = np.broadcast_to(right_side(claim, cell, drawn)[0], lhs.shape)
        gap = np.abs(lhs - rhs) if claim.kind == "identity" else lhs - rhs
        slack = claim.rounding * np.maximum(1.0, np.maximum(np.abs(lhs), np.abs(rhs)))
        for row in np.flatnonzero(applies):
            instance = {name: array[row] for name, array in drawn.items()}
            certificate = claim.call(claim.certify, cell, instance)
            if not isinstance(certificate, Certificate):
                _fail(claim, f"certify must give a Certificate, got {type(certificate).__name__}")
            identity = claim.kind == "identity"
            breaks = certificate.differs() if identity else certificate.exceeds()
            # Within rounding only exact arithmetic knows; of an identity it must know it holds.
            known = identity or abs(gap[row]) > slack[row]
            if known and breaks != (gap[row] > slack[row]):
                _fail(claim, f"certify says that a draw {'breaks' if breaks else 'keeps'} the "
                             f"claim {_at(claim, cell)}, its sides are {lhs[row]:.12g} and "
                             f"{rhs[row]:.12g}")


def _check_pickle(claim: Claim, look: _Look) -> None:
    import cloudpickle

    try:
        twice = cloudpickle.loads(cloudpickle.dumps(claim))
    except Exception as error:
        raise AssertionError(
            f"{claim.id}: does not travel to a worker: {named(error)}"
        ) from error
    if twice.fingerprint() != claim.fingerprint():
        _fail(claim, "has another fingerprint after travelling to a worker")
    if claim.simulate is not None:
        cell = claim.cell(0)
        if not _same(look.rows(cell), _draw(twice, twice.cell(0), 0, look.seed, _FEW)):
            _fail(claim, "draws other numbers after travelling to a worker")


def _check_twin(claim: Claim, look: _Look) -> None:
    if claim.twin is None:
        if claim.expect == "upheld" and claim.kind != "rate" and (
            _ours(claim.bound) or _ours(claim.simulate) or _ours(claim.exact)
        ):
            _fail(claim, "expected to be upheld, but has no broken twin")
        return
    changed = set(claim.twin) - {"why", "factor"}
    broken = claim.broken()
    if not changed or all(getattr(broken, key) is getattr(claim, key) for key in changed):
        _fail(claim, "the broken twin changes nothing")
    if not claim.twin.get("why"):
        _fail(claim, "the broken twin does not say why it is false")
    if _falls(broken, look.seed):
        return
    result = audit(broken, seed=look.seed, budget="smoke")
    if result.verdict != "refuted":
        _fail(claim, f"the broken twin ({claim.twin['why']}) is {result.verdict} at the smoke "
                     f"budget, not refuted: {result.reason}")


def _falls(claim: Claim, seed: int) -> bool:
    """Whether some cell refutes it at the smoke budget, as in an audit; nothing is drawn after.

    Whether rows depend on each other is not looked at: the claim's own audit does that.
    """
    with Store.open(None, {"seed": seed, "version": __version__}) as store:
        trial = Trial(claim, seed=seed, max_blocks=BUDGETS["smoke"], store=store)
        waiting = deque(trial.exact_items())
        while trial.open and (waiting or not trial.started):
            if not waiting:
                waiting += trial.start(_ALPHA, int(trial.charged))
            item = waiting.popleft()
            *results, _ = work(claim, seed, [item])
            waiting += trial.receive([item], results)
            if np.any(trial.against >= trial.thresholds.entry):
                return True
    return False


_CHECKS = (
    _check_declaration, _check_statement, _check_signatures, _check_simulator,
    _check_broadcasting, _check_level, _check_refusals, _check_exact, _check_certificates,
    _check_pickle, _check_twin,
)
