"""Are a simulator's rows independent draws from the generator it was given?"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from noisytheory.trial.claim import Cell, Claim
from noisytheory.trial.draws import Arrays, ClaimError, draw
from noisytheory.trial.verdict import conditioned, right_side

__all__ = ["FALSE_ALARM", "Repeats", "check_rows", "probe"]

Floats = NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Probability, each test's approximation granted, that independent rows are taken for dependent."""

_LOOK = 1 << 40
"""Index of the first of them: no part of any cell's blocks."""

_ROWS = 8
"""Rows of a probe."""


def probe(
    claim: Claim, cell: Cell, seed: int, decided: Sequence[Arrays] = ()
) -> Arrays:
    """A few rows, to see what there is to store and that they come from the generator given.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Where to look.
    seed : int
        Root seed.
    decided : sequence of mappings
        Blocks of the cell: these few rows must not be of another kind.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    ClaimError
        If the simulator touches a global generator, draws other numbers from the same generator, or
        the same from another.
    """
    rows = min(_ROWS, claim.rows)
    try:
        first = draw(claim, cell, 0, seed=seed, rows=rows)
    except ClaimError:
        # An error is said of the whole block, whose address replays it.
        first = draw(claim, cell, 0, seed=seed)
        rows = claim.rows
    # Around later draws: what the first one imports or loads may use a global generator, and so may
    # a thread of somebody else's, now and then.
    for _ in range(3):
        before = _global_randomness()
        again = draw(claim, cell, 0, seed=seed, rows=rows)
        if _global_randomness() == before:
            break
    else:
        raise ClaimError(
            f"{claim.id}: simulate draws from a global random generator, so no seed gives the same "
            "numbers twice: draw from its argument rng"
        )
    for name, array in first.items():
        if not _same(array, again[name]):
            raise ClaimError(
                f"{claim.id}: simulate draws other {name} from the same generator, so no address "
                "replays a draw: draw from its argument rng, and from nothing else"
            )
    # An instance that an `always` claim enumerates is no draw.
    if claim.can_err:
        repeats = Repeats(claim)
        few = [first, draw(claim, cell, 1, seed=seed, rows=rows)]
        for block in few:
            repeats.see(cell, block)
        if decided:
            views = _views(claim, cell, decided[0])
            _refuse(claim, cell, {
                (what, "rare values in few blocks"): _crowded([of(b) for b in (*decided, *few)])
                for what, of in views.items()
            })
    return first


def _refuse(claim: Claim, cell: Cell, chances: Mapping[tuple[str, str], float]) -> None:
    """Refuse what independent rows hardly ever show."""
    (what, sign), chance = min(chances.items(), key=lambda item: item[1])
    if chance < FALSE_ALARM / len(chances):
        raise ClaimError(
            f"{claim.id} at {claim.address(cell) or 'its cell'}: its rows are not "
            f"independent draws, so they decide nothing: {what} show {sign} (p = "
            f"{chance:.1g}). Each row is to be a draw of its own"
        )


class Repeats:
    """Blocks of a claim, refused once they repeat each other: their generators had no part in them.

    That independent rows of whatever law come out as in an earlier block has a probability of at
    most :math:`2^{-nH}`, with their number and empirical entropy; the evidence that this is not
    what happened is an e-process, so the blocks may be counted as they come.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.seen: dict[str, set[bytes]] = {}
        self.bits: dict[str, float] = {}

    def see(self, cell: Cell, block: Arrays) -> None:
        """Take the next block, of whatever cell.

        Raises
        ------
        ClaimError
            If the blocks cannot be independent.
        """
        names = [name for name in _DRAWN if name in block]
        for name in names:
            self._see(cell, name, np.asarray(block[name]), len(names))

    def _see(self, cell: Cell, name: str, left: NDArray[Any], arrays: int) -> None:
        seen, bits = self.seen.setdefault(name, set()), self.bits.get(name, 0.0)
        found = hashlib.blake2b(left.tobytes(), digest_size=16).digest()
        if found in seen:
            _, counts = np.unique(left, return_counts=True)
            chance = float(np.dot(counts, np.log2(counts / left.size))) + np.log2(len(seen))
            bits += float(np.logaddexp2(np.log2(1 - _STAKE), np.log2(_STAKE) - chance))
        elif seen:
            bits += float(np.log2(1 - _STAKE))
        seen.add(found)
        self.bits[name] = bits
        if bits > np.log2(arrays) - np.log2(FALSE_ALARM):
            raise ClaimError(
                f"{self.claim.id} at {self.claim.address(cell) or 'its cell'}: simulate draws "
                f"the same {name} from different generators, so its draws are not independent: "
                "draw from its argument rng"
            )


_DRAWN = ("lhs", "rhs_draw", "other", "weight")
"""What is drawn and decides."""

_STAKE = 1 / 8
"""Share of the wealth that is laid on a repetition, block by block."""


def _same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def _global_randomness() -> tuple[object, ...]:
    """The state of the generators that no simulator may use."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), state["state"]["pos"], state["state"]["key"].tobytes()


def check_rows(
    claim: Claim, cell: Cell, seed: int, *, refuted: bool, seen: Repeats | None = None,
    decided: Sequence[Arrays] = (),
) -> None:
    """Refuse a claim whose rows depend on each other, before draws decide it.

    Blocks, and groups of 32, 64, ... rows, are compared with each other (Kruskal and Wallis; what
    is rare by a Dirichlet mixture), and rows of one block with those a power of two behind, or with
    the same rows of other blocks (Ljung and Box, on ranks): left sides, their distance from the
    median, and which of them break the promise. What happens once in many blocks is not seen.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        The cell that says most.
    seed : int
        Root seed.
    refuted : bool
        Whether a refutation is at stake: then the blocks compared are whole ones, for whatever
        correlation could have moved the evidence is to be seen.
    seen : Repeats, optional
        What has been seen of the blocks that decided.
    decided : sequence of mappings
        The blocks that decided, as far as they are at hand.

    Raises
    ------
    ClaimError
        With what was seen.
    """
    kept = [dict(block) for block in decided]
    repeats = seen if seen is not None else Repeats(claim)
    blocks: list[Arrays] = []
    parts = [max(min(4, claim.rows), claim.rows // _PARTS)] * _PARTS
    # Whole blocks cost as much as those that decided: few are drawn, unless these look odd.
    for sizes in ([claim.rows] * _FIRST if refuted else [claim.rows, *parts], [claim.rows] * _MORE):
        for rows in sizes:
            blocks.append(draw(claim, cell, _LOOK + len(blocks), seed=seed, rows=rows))
            repeats.see(cell, blocks[-1])
        chances = _chances(claim, cell, kept, blocks)
        if min(chances.values()) > _ODD / len(chances):
            return
    _refuse(claim, cell, chances)


_FIRST = 4
"""Whole blocks that are compared first, besides those that decided."""

_PARTS = 8
"""Short blocks, together as long as one, that stand for them where nothing is refuted."""

_MORE = 12
"""Whole blocks that are drawn where the first look odd."""

_ODD = 0.1
"""Level at which they look odd, so that all are drawn."""


def _chances(
    claim: Claim, cell: Cell, decided: Sequence[Arrays], blocks: Sequence[Arrays],
) -> dict[tuple[str, str], float]:
    """How likely independent rows are to show what these do: by what is looked at, and the sign."""
    # The same rows of blocks, as many as are equally long, that are 1, 2, 4 and 8 apart.
    lengths = [len(block["lhs"]) for block in blocks]
    rows = max(lengths, key=lengths.count)
    equal = [np.asarray(b["lhs"], float) for b in blocks if len(b["lhs"]) == rows]
    alike = _within(np.nan_to_num(np.concatenate(equal)),
                    rows * 2 ** np.arange(int(np.log2(len(equal)))))
    found: dict[tuple[str, str], float] = {}
    for what, of in _views(claim, cell, blocks[0]).items():
        before, now = [of(b) for b in decided], [of(b) for b in blocks]
        found |= {
            (what, "blocks that differ more than independent ones do, with those that decided"): (
                _between([*before, *now])
            ),
            (what, "blocks that differ more than independent ones do"): _between(now),
            (what, "groups of rows that differ more than independent ones do"): _grouped(
                np.concatenate(now)
            ),
            (what, "rows that resemble those before them"): _within(now[0]),
            (what, "rare values in clusters"): _clustered([*before, *now]),
            (what, "rare values in few blocks"): _crowded([*before, *now]),
            (what, "rows that resemble those of other blocks"): alike,
        }
    return found


def _views(claim: Claim, cell: Cell, whole: Arrays) -> dict[str, Callable[[Arrays], Floats]]:
    """What to look at: functions of a block to one number a draw."""

    def left(block: Arrays) -> Floats:
        return np.asarray(conditioned(block)["lhs"], float)

    def breaks(block: Arrays) -> Floats:
        drawn = conditioned(block)
        return np.asarray(left(block) > right_side(claim, cell, drawn)[0], float)

    found: dict[str, Callable[[Arrays], Floats]] = {"left sides": left}
    if (values := left(whole)).size:
        middle = float(np.median(values))
        found["distances of left sides from their median"] = lambda b: np.where(
            left(b) == middle, 0.0, np.abs(left(b) - (middle if np.isfinite(middle) else 0.0))
        )
    if claim.kind == "tail":
        found["violations"] = breaks

    def drawn(name: str) -> Callable[[Arrays], Floats]:
        return lambda block: np.asarray(conditioned(block)[name], float)

    for name, what in (("other", "draws of the second law"), ("weight", "weights")):
        if name in whole:
            found[what] = drawn(name)
    if "rhs_draw" in whole and claim.kind != "tail":
        right = found["right sides"] = drawn("rhs_draw")
        found["differences of the sides"] = lambda block: left(block) - right(block)
    return found


def _clustered(groups: list[Floats]) -> float:
    """Chance that draws off the commonest value, where they are rare, lie so close together."""
    from scipy.stats import poisson

    values = np.concatenate([group for group in groups if group.size] or [np.empty(0)])
    if values.size < 64:
        return 1.0
    places, counts = np.unique(values, return_counts=True)
    rare = values != places[np.argmax(counts)]
    m, n = int(rare.sum()), values.size
    if m < 5 or m > n / 10:
        return 1.0
    at = np.flatnonzero(rare)
    pairs = sum(int(np.count_nonzero(at[k:] - at[:-k] <= _NEAR)) for k in range(1, _NEAR + 1))
    # Of independent draws the places are a random subset: pairs are nearly Poisson.
    return float(poisson.sf(pairs - 1, m * (m - 1) / 2 * 2 * _NEAR / n))


def _crowded(groups: list[Floats]) -> float:
    """Chance that draws off the commonest value, where they are rare, keep to so few blocks.

    The inverse of an e-value: their places are a random subset, so their numbers by block are
    hypergeometric; against it, multinomial with shares that a Dirichlet law spreads.
    """
    groups = [group for group in groups if group.size]
    values = np.concatenate(groups or [np.empty(0)])
    if len(groups) < 2:
        return 1.0
    places, numbers = np.unique(values, return_counts=True)
    rare = [int(np.count_nonzero(group != places[np.argmax(numbers)])) for group in groups]
    k, sizes = np.array(rare), np.array([group.size for group in groups])
    m = k.sum()
    if m < 2 or 2 * m > values.size:
        return 1.0
    independent = _log_choose(sizes, k).sum() - _log_choose(values.size, m)
    spread = np.array([1 / 8, 1 / 2, 2.0, 8.0])[:, None] * sizes / sizes.mean()
    total = spread.sum(axis=1)
    gathered = gammaln(m + 1) + gammaln(total) - gammaln(total + m) + np.sum(
        gammaln(spread + k) - gammaln(spread) - gammaln(k + 1), axis=1
    )
    evidence = np.logaddexp.reduce(gathered) - np.log(len(spread)) - independent
    return float(np.exp(-max(0.0, evidence)))


def _log_choose(n: Any, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


_NEAR = 8
"""Rows within which rare values are neighbours."""


_ENOUGH = 25
"""Draws a group, besides those at the commonest value, that the approximations need."""


def _varying(values: Floats) -> int:
    """Draws that are not at the commonest value."""
    _, counts = np.unique(values, return_counts=True)
    return int(values.size - counts.max()) if values.size else 0


def _between(groups: list[Floats]) -> float:
    """Chance that independent draws differ so much between groups."""
    from scipy.stats import kruskal

    groups = [group for group in groups if group.size]
    if len(groups) < 2 or _varying(np.concatenate(groups)) < _ENOUGH * len(groups):
        return 1.0
    return float(kruskal(*groups).pvalue)


def _grouped(values: Floats) -> float:
    """Chance that independent draws differ so much between groups of a power of two of them."""
    from scipy.stats import chi2, rankdata

    sizes = 2 ** np.arange(5, max(6, int(np.log2(max(1, values.size // 8))) + 1))
    most = int(sizes[-1])
    values = values[: values.size // most * most]
    if values.size < 8 * most:
        return 1.0
    # Kruskal and Wallis's statistic of equal groups, from ranks that all sizes share.
    ranks, n = rankdata(values), values.size
    spread = float(np.var(ranks)) * n / (n - 1)
    varying = _varying(values)
    chances = [
        float(chi2.sf(size * np.sum((group - (n + 1) / 2) ** 2) / spread, len(group) - 1))
        for size in sizes.tolist() if varying >= _ENOUGH * n // size
        for group in [ranks.reshape(-1, size).mean(axis=1)]
    ]
    return min(1.0, max(1, len(chances)) * min(chances, default=1.0))


def _within(values: Floats, lags: NDArray[np.int64] | None = None) -> float:
    """Chance that ranks of independent draws are so correlated at lags 1, 2, 4, ... or these."""
    from scipy.stats import chi2, rankdata

    n = values.size
    # Of a rare value hardly two are neighbours, and the approximation fails.
    if n == 0 or _varying(values) ** 2 < 4 * _ENOUGH * n:
        return 1.0
    ranks = rankdata(values)
    ranks = ranks - ranks.mean()
    if lags is None:
        lags = 2 ** np.arange(int(np.log2(n // 4)) + 1)
    found = np.array([float(ranks[:-lag] @ ranks[lag:]) for lag in lags]) / float(ranks @ ranks)
    return float(chi2.sf(n * (n + 2) * np.sum(found**2 / (n - lags)), len(lags)))
