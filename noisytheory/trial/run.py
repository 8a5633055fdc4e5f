"""Cells x blocks -> executor -> verdict: the audit.

A block's numbers depend on (root seed, claim, cell, block index) and on nothing else, blocks of a
cell are merged in the order of their indices, and looks happen at fixed block counts. Whatever the
engine, the number of workers, or how often a run was killed and resumed, the result is the same.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path
from typing import Any

import numpy as np

from noisytheory import __version__
from noisytheory.trial.catalogue import match, own_id
from noisytheory.trial.certificates import Searched
from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import Arrays, ClaimError, one_thread, replays, unused
from noisytheory.trial.elsewhere import Answers, Known, is_ours
from noisytheory.trial.engine import Engine, deadly, worked
from noisytheory.trial.fingerprint import Held, held
from noisytheory.trial.result import Audit, Conclusion, Result, conclude, finish
from noisytheory.trial.store import OfOneClaim, Store, StoreError
from noisytheory.trial.swept import seldom_swept
from noisytheory.trial.trial import COMPARED, KEPT, Trial

__all__ = ["BUDGETS", "DEFAULT_SEED", "Unfinished", "audit", "discoveries", "select"]

Progress = Callable[[str, int, int, int], None]

BUDGETS = {"smoke": 4, "standard": 16, "full": 256}
"""Largest number of blocks a cell."""

_RELIES = "smoke"
"""Budget of which this package's simulators are not asked again whether their rows are independent:
their contract asks that of each, and so does every longer audit, and all refutations."""

DEFAULT_SEED = 2026
"""Root seed of an audit that names none, so that everybody reads the same verdicts."""


def audit(
    claims: str | Claim | Iterable[str | Claim],
    *,
    seed: int = DEFAULT_SEED,
    alpha: float = 0.01,
    budget: str = "standard",
    replicates: int | None = None,
    workers: int = 0,
    scheduler: str | None = None,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    reserve: int = 0,
    fdr: bool = False,
    durable: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Put one claim, or many, on trial.

    Parameters
    ----------
    claims : str, Claim, or iterable of those
        An id, a shell pattern over ids, a claim, or several. A single `Claim` gives a `Result`,
        anything else an `Audit`.
    seed : int
        Root seed, a whole number >= 0.
    alpha : float
        Probability in (0, 1) that any true claim of the audit is refuted; and, separately, that
        any claim about a probability or an expectation is upheld though a cell breaks it. (That
        every instance satisfies an inequality cannot be shown by trying some.) It is shared by the
        claims that draws decide.
    budget : {"smoke", "standard", "full"}
        At most 4, 16 or 256 blocks a cell; drawing stops earlier where a cell is decided. With the
        first, claims of this package are upheld without looking at their simulators again.
    replicates : int, optional
        At most this many replicates a cell, rounded up to whole blocks, instead of the budget's.
        Memory does not grow with them, the store does: 8 bytes a draw and array, twice as many
        while a claim is finished. Two laws are compared by a million draws (2^20) at most.
    workers : int
        Local processes, so that no claim can end this one; 0 computes in it, best for a debugger.
    scheduler : str, optional
        Address of a Dask scheduler.
    executor : concurrent.futures.Executor, optional
        Any other engine; it is not shut down.
    store : path or URL, optional
        Where blocks are kept; a run that was killed goes on there. Default: a temporary one.
    reserve : int
        Claims that draws decide and that are not tried here, but keep their share of the level.
    fdr : bool
        Refute also what the e-BH procedure rejects: then of the refuted claims that draws decide at
        most the share ``alpha`` is true, in expectation (Wang and Ramdas 2022).
    durable : bool
        Wait for the disk at every block that the store takes: then not only the death of the
        process but a loss of power, too, costs no finished block.
    progress : callable, optional
        Called with (claim id, cells decided, cells, replicates).

    Returns
    -------
    Result or Audit

    Raises
    ------
    ValueError
        For an argument out of range, an unknown id, or a claim that cannot be tried. Of several
        claims the others are tried all the same: `Unfinished` holds their results.
    StoreError
        If the store belongs to another run or cannot be written.

    Examples
    --------
    >>> from noisytheory import Paper
    >>> import numpy as np
    >>> mine = Paper("mine", "Hoeffding 1963").tail(
    ...     "theorem-2", statement="x",
    ...     bound=lambda n, delta: np.sqrt(np.log(1 / delta) / (2 * n)),
    ...     simulate=lambda n, *, size, rng: rng.binomial(n, 0.5, size) / n - 0.5,
    ...     grid=dict(n=[100], delta=[0.1]))
    >>> audit(mine, budget="smoke").verdict
    'upheld'
    """
    chosen = select(claims)
    max_blocks = _check_settings(chosen, seed, alpha, budget, replicates, workers)
    _whole("reserve", reserve, 0)
    engine = Engine(workers, scheduler, executor)
    limit = None if replicates is None else replicates
    settings: dict[str, Any] = {
        "seed": int(seed),
        "alpha": float(alpha),
        "budget": budget if limit is None else f"{limit} replicates a cell",
        "family": max(1, sum(claim.kind != "cited" for claim in chosen)),
        "version": __version__,
    }
    names = hashlib.blake2b("\n".join(c.id for c in chosen).encode(), digest_size=8).hexdigest()
    start, where = time.time(), _where()
    from datetime import UTC, datetime

    started = datetime.fromtimestamp(start, UTC).isoformat(timespec="seconds")
    described: dict[str, Any] = {**settings, **where, "commit": _commit(), "started": started}
    opened = Store.open(store, {**described, "claims": names}, durable=durable)
    results: dict[str, Result] = {}
    try:
        _same_audit(opened, {**settings, "claims": names})
        # Here too: what a population caches in this process must not depend on the engine.
        theirs = [claim for claim in chosen if engine.remote and not is_ours(claim)]
        asked = Answers(theirs, engine.ask)
        with seldom_swept(), one_thread(), engine, asked.entered() as known:
            faults = Faults(alone=len(chosen) == 1)
            copies: dict[str, Unused] = {}
            trials = _trials(
                chosen, settings, limit, max_blocks, opened, faults, copies, engine, known
            )
            _collect_exact(trials, engine, progress, faults)
            # Those that could not be tried have their share all the same.
            built = {trial.claim.id: trial.charged for trial in trials}
            charged = reserve + sum(built.get(claim.id, claim.can_err) for claim in chosen)
            settings["sharing"] = described["sharing"] = charged
            running = [trial for trial in trials if trial.claim.id not in faults.errors]
            found: Iterable[tuple[Trial, Conclusion]] = _drive(
                running, alpha, charged, engine, progress, faults
            )
            if fdr:
                found = _discovered(list(found), alpha, charged, engine, faults)
            for trial, conclusion in found:
                with faults.of(trial.claim):
                    _check_state(trial, copies)
                    results[trial.claim.id] = finish(trial, conclusion, {**settings, **where})
        if not results:
            raise next(iter(faults.errors.values()))
        opened.flush()
        for claim_id, result in results.items():
            results[claim_id] = Result(result.claim, result.summary, result.seed, store=opened)
    except BaseException:
        opened.close()
        raise
    provenance = {
        **described, "workers": engine.description, "seconds": round(time.time() - start, 2),
    }
    ordered = {claim.id: results[claim.id] for claim in chosen if claim.id in results}
    if isinstance(claims, Claim):
        return ordered[claims.id]
    all_of_them = Audit(ordered, provenance, opened)
    if faults.errors:
        raise Unfinished(all_of_them, faults.errors)
    return all_of_them


class Unfinished(ClaimError):
    """Some claims could not be tried; the others were.

    Parameters
    ----------
    audit : Audit
        The results of the others; the level was shared with those that failed.
    faults : mapping of str to BaseException
        What stopped each of the rest, by claim id.
    """

    def __init__(self, audit: Audit, faults: Mapping[str, BaseException]) -> None:
        self.audit, self.faults = audit, dict(faults)
        first = next(iter(self.faults.values()))
        super().__init__(
            f"{len(self.faults)} of {len(audit) + len(self.faults)} claims could not be tried "
            f"(the results of the others: .audit): {first}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Unfinished, (self.audit, self.faults)


class Faults:
    """What stopped a claim, so that the others can go on; alone it stops the audit."""

    def __init__(self, *, alone: bool) -> None:
        self.alone = alone
        self.errors: dict[str, BaseException] = {}

    @contextlib.contextmanager
    def of(self, claim: Claim) -> Iterator[None]:
        """Keep an exception of this claim's; those of the store and the engine concern all."""
        try:
            yield
        except Exception as error:
            concerns_all = (
                isinstance(error, StoreError | BrokenExecutor | CancelledError)
                and not isinstance(error, OfOneClaim)
            )
            if self.alone or concerns_all:
                raise
            self.errors[claim.id] = error


def _where() -> dict[str, str]:
    """The machine, and the versions that the numbers may depend on."""
    import scipy

    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


@functools.cache
def _commit() -> str:
    """The commit that this package is a checkout of, or nothing."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        found = subprocess.run(
            ["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip()


def _same_audit(store: Store, own: Mapping[str, Any]) -> None:
    """Refuse a store whose verdicts share the level over another family, or at another level."""
    differences = {
        "alpha": f"at level {store.attributes.get('alpha')}",
        "budget": f"with budget {store.attributes.get('budget')}",
        "claims": f"of other claims ({store.attributes.get('family')} in all)",
    }
    for name, text in differences.items():
        if store.attributes.get(name) != own[name]:
            raise StoreError(
                f"the store {store.location} belongs to an audit {text}: choose another store"
            )


def select(claims: str | Claim | Iterable[str | Claim]) -> list[Claim]:
    """Claims named by ids, patterns or objects, each once, in the order named."""
    if isinstance(claims, str | Claim) or not isinstance(claims, Iterable):
        claims = [claims]
    chosen: dict[str, Claim] = {}
    for item in claims:
        if not isinstance(item, str | Claim):
            raise ValueError(f"claims must be ids or Claim objects, got {item!r}")
        for claim in [own_id(item)] if isinstance(item, Claim) else match(item):
            if chosen.setdefault(claim.id, claim) is not claim:
                raise ValueError(f"two claims have the id {claim.id}")
    if not chosen:
        raise ValueError("claims must name at least one claim")
    _tell_apart(chosen)
    return list(chosen.values())


def _tell_apart(ids: Iterable[str]) -> None:
    """Refuse ids, and papers, that differ by case only: not every file system tells them apart."""
    seen: dict[str, str] = {}
    for claim_id in ids:
        parts = claim_id.split("/")
        for end in range(1, 1 + len(parts)):
            name = "/".join(parts[:end])
            if (other := seen.setdefault(name.casefold(), name)) != name:
                raise ValueError(
                    f"the ids {other} and {name} differ by case only: where a file system does not "
                    "tell them apart, their files would be one; call one of them otherwise"
                )


def _whole(name: str, value: object, low: int, most: float = np.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not (
        low <= value <= most
    ):
        end = "" if most == np.inf else f" and <= {most:,}"
        raise ValueError(f"{name} must be a whole number >= {low}{end}, got {value!r}")


def _check_settings(
    claims: Sequence[Claim], seed: int, alpha: float, budget: str, replicates: int | None,
    workers: int,
) -> int | None:
    _whole("seed", seed, 0)
    _whole("workers", workers, 0, _MOST_WORKERS)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be a number in (0, 1), got {alpha!r}")
    if budget not in BUDGETS:
        raise ValueError(f"budget must be one of {', '.join(BUDGETS)}, got {budget!r}")
    if replicates is not None:
        _whole("replicates", replicates, 1, _MOST_BLOCKS * min(claim.rows for claim in claims))
        return None
    return BUDGETS[budget]


_MOST_WORKERS = 1000
"""Processes of one machine."""

_MOST_BLOCKS = 2**24
"""Blocks of a cell. Each is remembered by its name and digest, some 400 bytes."""


def _trials(
    claims: Sequence[Claim], settings: Mapping[str, Any], replicates: int | None,
    max_blocks: int | None, store: Store, faults: Faults, copies: dict[str, Unused],
    engine: Engine, known: Known,
) -> list[Trial]:
    trials: dict[str, Trial] = {}
    states = {}
    # All of them first: claims may share what one of them changes as it draws.
    for claim in claims:
        with faults.of(claim):
            states[claim.id] = _before_it_draws(claim, copies)

    def build(claim: Claim, first: Sequence[Arrays] = ()) -> None:
        blocks = max_blocks if max_blocks is not None else -(-int(replicates or 1) // claim.rows)
        vars(claim)["_held"] = states[claim.id]
        try:
            trials[claim.id] = Trial(
                claim, seed=settings["seed"], max_blocks=blocks, store=store, first=first,
                relies=relies(claim),
            )
        finally:
            del vars(claim)["_held"]

    def relies(claim: Claim) -> bool:
        return settings["budget"] == _RELIES and is_ours(claim)

    tried = [claim for claim in claims if claim.id in states]
    _first_rows(
        [claim for claim in tried if claim.kind != "cited"], settings["seed"], engine, faults,
        known, build, relies,
    )
    for claim in tried:
        if claim.kind == "cited":
            with faults.of(claim):
                build(claim)
    return [trials[claim.id] for claim in tried if claim.id in trials]


def _first_rows(
    claims: Sequence[Claim], seed: int, engine: Engine, faults: Faults, known: Known,
    build: Callable[[Claim, list[Arrays]], None], relies: Callable[[Claim], bool],
) -> None:
    """A few rows of each claim, drawn where its blocks will be: what ends a process ends no audit.

    While the next are drawn, what they tell of theirs is built.
    """
    queues = {number: deque([claim]) for number, claim in enumerate(claims)}

    def take(number: int, items: list[Claim], future: Future[Any]) -> tuple[()]:
        with faults.of(claims[number]):
            rows = engine.result(future)
            drawn, answers = rows if engine.remote else (rows, {})
            known.update(answers)
            build(claims[number], drawn)
        del queues[number]
        return ()

    def drop(number: int, end: str) -> tuple[()]:
        del queues[number]
        with faults.of(claims[number]):
            raise deadly(claims[number], end)
        return ()

    def submit(number: int, items: list[Claim]) -> Future[Any]:
        return engine.first_rows(items[0], seed, relies(items[0]))

    for _ in worked(queues, engine, submit=submit, take=take, drop=drop):
        pass


Unused = tuple[str, bytes | None]
"""What a claim's simulator held before it drew, and a copy of the claim of that time."""


def _before_it_draws(claim: Claim, copies: dict[str, Unused]) -> Held:
    """What its simulator holds now, and a copy if it may change that."""
    found = held(claim)
    if vars(claim).get("_remembers", ("",))[0] == found.digest:
        raise ClaimError(vars(claim)["_remembers"][1])
    if claim.simulate is not None and found.foreign:
        copies[claim.id] = found.digest, unused(claim)
    return found


_REPLAYED = 16
"""Cells of which a block is drawn once more, at most, where a simulator changes what it holds."""


def _check_state(trial: Trial, copies: Mapping[str, Unused]) -> None:
    """Refuse a simulator that remembers: what it draws next depends on what it drew before."""
    claim = trial.claim
    before, copy = copies.get(claim.id, ("", None))
    drawn = [state for state in trial.cells if state.blocks]
    if not before or not drawn or held(claim).digest == before:
        return
    for at in np.unique(np.linspace(0, len(drawn) - 1, _REPLAYED).astype(int)):
        index, block = drawn[at].index, drawn[at].blocks - 1
        seen = trial.blocks.get(index, block)
        if copy is None or not replays(copy, index, block, seed=trial.seed, seen=seen):
            where = claim.address(drawn[at].cell) or "its cell"
            shown = "cannot be copied" if copy is None else "an unused copy draws other numbers"
            said = (
                f"{claim.id} at {where}, block {block}: simulate holds what its draws change, and "
                f"{shown}, so its blocks are not independent: draw all from its argument rng"
            )
            # What it holds now would look like a constant, were it tried again.
            vars(claim)["_remembers"] = held(claim).digest, said
            raise ClaimError(said)


_TASK_SECONDS = 0.2
"""Aim for tasks of about this length: long against a scheduler's 3 ms, short against a run."""


def _collect_exact(
    trials: Sequence[Trial], engine: Engine, progress: Progress | None, faults: Faults
) -> None:
    """Work out all exact evidence."""
    queues = {}
    for number, trial in enumerate(trials):
        if items := trial.exact_items():
            queues[number] = deque(items)
    for _ in _work(trials, queues, {}, engine, progress, faults):
        pass


def _drive(
    trials: Sequence[Trial], alpha: float, charged: int, engine: Engine,
    progress: Progress | None, faults: Faults,
) -> Iterator[tuple[Trial, Conclusion]]:
    """Draw until every trial is decided or stopped, and compare rows; yields those decided."""
    queues: dict[int, deque[tuple[int, int]]] = {}
    found: dict[int, Conclusion] = {}
    for number, trial in enumerate(trials):
        items = trial.start(alpha, charged)
        queues[number] = deque()
        with faults.of(trial.claim):
            _feed(trial, items, queues[number], progress)
        if trial.claim.id in faults.errors:
            queues[number].clear()
    # What exact evidence, or the store, has settled is written down while the others are drawn.
    settled = [number for number, queue in queues.items() if not queue]
    yield from _work(
        trials, queues, found, engine, progress, faults,
        (_decided(trials[number], number, queues, found, faults) for number in settled),
    )


def _discovered(
    decided: Sequence[tuple[Trial, Conclusion]], alpha: float, charged: int, engine: Engine,
    faults: Faults,
) -> Iterator[tuple[Trial, Conclusion]]:
    """With what the e-BH procedure refutes besides, once its rows have been compared, too."""
    rejected = discoveries(
        {trial.claim.id: own.own for trial, own in decided if trial.charged}, alpha, charged
    )
    queues: dict[int, deque[tuple[int, int]]] = {}
    found: dict[int, Conclusion] = {}
    for number, (trial, conclusion) in enumerate(decided):
        if conclusion.verdict == "undecided" and trial.claim.id in rejected:
            found[number] = conclusion.discovered(alpha)
            queues[number] = deque()
            with faults.of(trial.claim):
                queues[number].extend(trial.to_compare(refuted=True))
        else:
            yield trial, conclusion
    yield from _work([trial for trial, _ in decided], queues, found, engine, None, faults)


def discoveries(evidence: Mapping[str, float], alpha: float, charged: int) -> set[str]:
    """The e-BH procedure: the k largest of K e-values, where each is at least K/(k alpha).

    Parameters
    ----------
    evidence : mapping of str to float
        Log e-values by name.
    alpha : float
        Expected share of true claims among those named.
    charged : int
        K, the number of e-values; those not given count as 0.

    Returns
    -------
    set of str

    Examples
    --------
    >>> sorted(discoveries({"a": np.log(150.0), "b": np.log(101.0), "c": 0.0}, 0.02, 3))
    ['a', 'b']
    """
    ordered = sorted(evidence, key=lambda name: -evidence[name])
    ranks = [
        k for k, name in enumerate(ordered, 1) if evidence[name] >= np.log(charged / (k * alpha))
    ]
    return set(ordered[: max(ranks, default=0)])


def _work(
    trials: Sequence[Trial], queues: dict[int, deque[tuple[int, int]]],
    found: dict[int, Conclusion], engine: Engine, progress: Progress | None, faults: Faults,
    meanwhile: Iterable[Iterable[tuple[Trial, Conclusion]]] = (),
) -> Iterator[tuple[Trial, Conclusion]]:
    """Keep the engine busy until no queue has anything left; yields the trials that are decided."""

    def submit(number: int, items: list[tuple[int, int]]) -> Future[Any]:
        trial = trials[number]
        return engine.submit(trial.claim, trial.seed, trial.task(items))

    def take(
        number: int, items: list[tuple[int, int]], future: Future[Any]
    ) -> Iterator[tuple[Trial, Conclusion]]:
        trial = trials[number]
        with faults.of(trial.claim):
            results = engine.result(future)
            trial.seconds_per_block = max(results.pop() / len(items), 1e-9)
            _receive(trial, items, results, queues[number], progress)
        yield from _decided(trial, number, queues, found, faults)

    def drop(number: int, end: str) -> Iterator[tuple[Trial, Conclusion]]:
        with faults.of(trials[number].claim):
            raise deadly(trials[number].claim, end)
        yield from _decided(trials[number], number, queues, found, faults)

    yield from worked(
        queues, engine, submit=submit, take=take, drop=drop,
        batch=lambda number, queue: _batch(trials[number], queue), meanwhile=meanwhile,
    )


def _decided(
    trial: Trial, number: int, queues: dict[int, deque[tuple[int, int]]],
    found: dict[int, Conclusion], faults: Faults,
) -> Iterator[tuple[Trial, Conclusion]]:
    """The trial and what it says, if it is done; one that is done or stopped wants nothing more."""
    if trial.open == 0 and trial.started and number not in found:
        with faults.of(trial.claim):
            found[number] = conclusion = conclude(trial)
            if conclusion.verdict != "undecided":
                queues[number].extend(trial.to_compare(refuted=conclusion.verdict == "refuted"))
                trial.seconds_per_block = 0.0  # A comparison costs something else.
    stopped = trial.claim.id in faults.errors
    if stopped or trial.idle or (trial.open == 0 and not trial.comparisons):
        del queues[number]
        if not stopped and number in found:
            yield trial, found[number]


_TASK_BLOCKS = 64
"""Blocks held at a time, at most: drawn in one task, or taken from the store together."""


def _batch(trial: Trial, queue: deque[tuple[int, int]]) -> list[tuple[int, int]]:
    """Items for one task: one to learn what a block costs, then enough to fill the time."""
    cost, most = trial.seconds_per_block, _TASK_BLOCKS
    if queue[0][1] == COMPARED:
        most //= KEPT
    count = 1 if cost == 0 else max(1, min(most, int(_TASK_SECONDS / cost)))
    return [queue.popleft() for _ in range(min(count, len(queue)))]


def _feed(
    trial: Trial, items: list[tuple[int, int]], queue: deque[tuple[int, int]],
    progress: Progress | None,
) -> None:
    """Queue items, taking blocks that the store already has from there."""
    stored = [item for item in items if item[1] >= 0 and item in trial.blocks]
    known = set(stored)
    queue.extend(item for item in items if item not in known)
    for start in range(0, len(stored), _TASK_BLOCKS):
        taken = stored[start : start + _TASK_BLOCKS]
        found = [trial.blocks.get(*item) for item in taken]
        _receive(trial, taken, found, queue, progress, stored=True)


def _receive(
    trial: Trial, items: list[tuple[int, int]], results: list[Any],
    queue: deque[tuple[int, int]], progress: Progress | None, stored: bool = False,
) -> None:
    """Keep the blocks of a task, weigh them, and queue what the trial wants next."""
    for (index, block), result in zip(items, results, strict=True):
        if block >= 0 and not stored:
            arrays = result.arrays if isinstance(result, Searched) else result
            _check_variables(trial, index, block, arrays)
            trial.blocks.put(index, block, arrays)
    before = trial.open
    following = trial.receive(items, results)
    if trial.open < before and progress is not None:
        total = len(trial.cells)
        progress(trial.claim.id, total - trial.open, total, trial.replicates)
    _feed(trial, following, queue, progress)


def _check_variables(trial: Trial, index: int, block: int, arrays: Arrays) -> None:
    """Refuse a block of other arrays than the first rows had."""
    found = {name: array.dtype for name, array in arrays.items()}
    if found == trial.variables:
        return
    now, first = (
        ", ".join(f"{name.removesuffix('_draw')} ({kind})" for name, kind in of.items())
        for of in (found, trial.variables)
    )
    claim = trial.claim
    raise ClaimError(
        f"{claim.id} at {claim.address(claim.cell(index)) or 'its cell'}, block {block}: simulate "
        f"draws {now}, and drew {first} at first: every block needs the same arrays of the same "
        "types"
    )
