"""Are a simulator's rows independent draws from the generator it was given?"""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, chdtrc, gammaln, pdtrc

from noisytheory.trial.claim import Cell, Claim
from noisytheory.trial.draws import Arrays, ClaimError, UnreadError, draw, kept, refuse_other
from noisytheory.trial.verdict import RULES, SameLaw, conditioned, right_side

__all__ = ["FALSE_ALARM", "Comparison", "Repeats", "compare", "look", "probe", "sizes_to_compare"]

Floats = NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Probability, each test's approximation granted, that independent rows are taken for dependent."""

_DOUBT = 1e-4
"""Probability that independent rows leave a claim undecided that whole blocks were drawn for."""

_LOOK = 1 << 40
"""Index of the first of them: no part of any cell's blocks."""

_ROWS = 8
"""Rows of a probe."""

_ROWS_APART = 6
"""Rows of a probe where each costs what a call does: two repetitions of six are refused still."""

_ROWS_IN_BRIEF = 2
"""Rows of a brief one."""


def probe(claim: Claim, cell: Cell, seed: int, *, brief: bool = False) -> list[Arrays]:
    """A few rows, to see what there is to store and that they come from the generator given.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Where to look.
    seed : int
        Root seed.
    brief : bool
        Whether it is known already that other generators give other rows: then fewest are drawn.

    Returns
    -------
    list of dict of str to ndarray
        The first blocks of a `look`; of a claim that draws do not decide, or in brief, one.

    Notes
    -----
    Of rows that are drawn apart none is drawn again here, for of every block the outermost are.

    Raises
    ------
    ClaimError
        If the simulator touches a global generator, or draws other numbers from the same one.
    """
    # Of rows that decide nothing by chance a few show whether the generator has a part in them.
    rows = min(_ROWS, claim.rows if claim.can_err else max(2, claim.rows // 4), claim.rows)
    rows, later = (min(_ROWS_APART, rows), 1) if claim.apart else (rows, 0)
    if brief:
        rows, later = min(rows, 1 if claim.apart else _ROWS_IN_BRIEF), 0
    try:
        first = _looked(claim, cell, seed, 0, rows)
    except UnreadError:
        raise
    except ClaimError:
        # An error is said of the whole block, whose address replays it.
        draw(claim, cell, 0, seed=seed)
        rows = claim.rows
        first = _looked(claim, cell, seed, 0, rows)
    # Around later draws: what the first one imports or loads may use a global generator, and so may
    # a thread of somebody else's, now and then, or as a cluster's worker has them, all the time.
    for _ in range(3):
        before, start = _global_randomness(), time.perf_counter()
        again = _looked(claim, cell, seed, later, rows)
        if (after := _global_randomness()) == before:
            break
        if threading.active_count() > 1:
            time.sleep(time.perf_counter() - start)
            if _global_randomness() != after:
                break
    else:
        raise ClaimError(
            f"{claim.id}: simulate draws from a global random generator, so no seed gives the same "
            "numbers twice: draw from its argument rng"
        )
    found = [kept(claim, first)]
    if later:
        found.append(kept(claim, again))
    else:
        refuse_other(claim, first, again)
    # An instance that an `always` claim enumerates is no draw.
    more = [rows] * (_LOOKS - len(found)) if claim.can_err and not brief else []
    return [*found, *look(claim, cell, seed, more, len(found))]


def look(
    claim: Claim, cell: Cell, seed: int, sizes: Sequence[int], past: int = 0
) -> list[Arrays]:
    """Blocks of these sizes that decide nothing, each from a generator of its own.

    They differ in one part of the seed at a time (the block's number, the root seed, the address),
    so that a simulator that reads another part only, and not its generator, repeats itself.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Where to look.
    seed : int
        Root seed.
    sizes : sequence of int
        Rows of each.
    past : int
        How many were drawn before.

    Returns
    -------
    list of dict of str to ndarray
    """
    return [
        kept(claim, _looked(claim, cell, seed, i, rows)) for i, rows in enumerate(sizes, past)
    ]


def _looked(claim: Claim, cell: Cell, seed: int, i: int, rows: int) -> Arrays:
    number, part = divmod(i, _PARTS_OF_A_SEED)
    return draw(
        claim, cell, _LOOK + number, seed=seed + (part == 1), rows=rows,
        address=f"{claim.address(cell)}\nanother" if part == 2 else None,
    )


_LOOKS = 3
"""Blocks of a probe: one for every part of a seed."""

_PARTS_OF_A_SEED = 3


def _ranks(values: NDArray[Any]) -> Floats:
    """Ranks from 1, the same for ties."""
    return _ranks_of_places(np.unique(values, return_inverse=True)[1])


def _ranks_of_places(places: NDArray[np.intp]) -> Floats:
    """The same of whole numbers >= 0, which need no sorting."""
    numbers = np.bincount(places)
    return np.asarray((np.cumsum(numbers) - (numbers - 1) / 2)[places])


def _refusal(claim: Claim, cell: Cell, chances: Mapping[tuple[str, str], float]) -> str:
    """What independent rows hardly ever show, if these do."""
    (what, sign), chance = min(chances.items(), key=lambda item: item[1])
    if chance >= FALSE_ALARM / len(chances):
        return ""
    return (
        f"{claim.id} at {claim.address(cell) or 'its cell'}: its rows are not "
        f"independent draws, so they decide nothing: {what} show {sign} (p = "
        f"{chance:.1g}). Each row is to be a draw of its own"
    )


class Repeats:
    """Blocks of a claim, refused once they repeat each other: their generators had no part in them.

    That independent rows of whatever law come out as in an earlier block has a probability of at
    most :math:`2^{-nH}`, with their number and empirical entropy, and in any order at most so many
    times more as there are orders; the evidence that this is not
    what happened is an e-process, so the blocks may be counted as they come.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.seen: dict[str, set[bytes]] = {}
        self.bits: dict[str, float] = {}
        self.blocks = 0

    def see(self, cell: Cell, block: Arrays) -> None:
        """Take the next block, of whatever cell.

        Raises
        ------
        ClaimError
            If the blocks cannot be independent.
        """
        names = [name for name in _DRAWN if name in block]
        self.blocks += 1
        for name in names:
            drawn = np.asarray(block[name])
            self._see(cell, name, drawn, 2 * len(names))
            if self.blocks <= _SORTED:
                _, counts = np.unique(drawn, return_counts=True)
                orders = (gammaln(drawn.size + 1) - gammaln(counts + 1).sum()) / np.log(2)
                self._see(cell, f"{name}, shuffled,", np.sort(drawn), 2 * len(names), orders)

    def _see(
        self, cell: Cell, name: str, left: NDArray[Any], arrays: int, orders: float = 0.0
    ) -> None:
        """The same of one array; in any of so many orders, on a scale of base 2."""
        seen, bits = self.seen.setdefault(name, set()), self.bits.get(name, 0.0)
        found = hashlib.blake2b(left.tobytes(), digest_size=16).digest()
        if found in seen:
            _, counts = np.unique(left, return_counts=True)
            chance = float(np.dot(counts, np.log2(counts / left.size))) + np.log2(len(seen))
            chance += orders
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

_SORTED = 32
"""Blocks, the first ones, of which it is asked whether they are others in another order."""

_STAKE = 1 / 8
"""Share of the wealth that is laid on a repetition, block by block."""


def _global_randomness() -> tuple[object, ...]:
    """The state of the generators that no simulator may use."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), state["state"]["pos"], state["state"]["key"].tobytes()


@dataclass(frozen=True)
class Comparison:
    """A question about one cell: do its rows depend on each other?

    Parameters
    ----------
    index : int
        Of the cell.
    looks : sequence of mappings
        What `probe` drew of it, if it was probed.
    decided : sequence of mappings
        The blocks that decided, as far as they are at hand.
    sizes : sequence of int
        Rows of the blocks to compare first, besides those of the probe; of a claim that draws do
        not decide none.
    odd : float
        Level at which they look odd, so that more and whole ones are drawn.
    least : sequence of ndarray
        Log evidence against the promise and for it, level by level: with less of it, blocks that
        did not decide look odd, too. Empty if none is asked for.
    """

    index: int
    looks: Sequence[Arrays]
    decided: Sequence[Arrays]
    sizes: Sequence[int]
    odd: float
    least: Sequence[Floats] = ()


def compare(claim: Claim, seed: int, asked: Comparison) -> tuple[list[Arrays], str, bool]:
    """Whether rows depend on each other, before draws decide a claim.

    Of rows that were drawn apart only what a probe shows: none has anything to do with another, and
    the outermost of each block have been drawn twice.

    Blocks, and groups of 32, 64, ... rows, are compared with each other (Kruskal and Wallis; what
    is rare by a Dirichlet mixture, and block by block), and rows of one block with those a power of
    two behind, or with the same rows of other blocks (Ljung and Box, on ranks): left sides, their
    distance from the median, and which of them break the promise. What is shared by all rows of a
    call and happens in one call of many shows in many short ones.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    seed : int
        Root seed.
    asked : Comparison

    Returns
    -------
    blocks : list of dict of str to ndarray
        What was drawn for it: they may repeat what was drawn elsewhere.
    refusal : str
        What was seen; empty if nothing was.
    borne_out : bool
        Whether blocks that did not decide have the evidence asked for, in the end, and nothing is
        there that independent rows seldom show.

    Raises
    ------
    ClaimError
        If the cell had not been probed, and its simulator does not draw from its generator.
    """
    cell = claim.cell(asked.index)
    drawn = [] if asked.looks else probe(claim, cell, seed)
    if not claim.can_err:
        return drawn, "", True
    for some in ([],) if claim.apart else (asked.sizes, [claim.rows] * _MORE):
        drawn += look(claim, cell, seed, some, len(asked.looks) + len(drawn))
        blocks = [dict(block) for block in (*asked.decided, *asked.looks, *drawn)]
        chances = _chances(claim, cell, blocks, len(asked.decided))
        borne_out = _bear_out(claim, cell, blocks[len(asked.decided):], asked.least)
        if borne_out and min(chances.values()) > asked.odd / len(chances):
            return drawn, "", True
    borne_out &= min(chances.values()) > _DOUBT / len(chances)
    return drawn, _refusal(claim, cell, chances), borne_out


def _bear_out(
    claim: Claim, cell: Cell, blocks: Sequence[Arrays], least: Sequence[Floats]
) -> bool:
    """Whether these blocks have this log evidence against the promise, and for it."""
    if not least:
        return True
    joined, _ = _joined(claim, blocks)
    rule = SameLaw() if "other" in joined else RULES[claim.kind]
    found = rule.weigh(claim, [cell], [rule.summarise(claim, cell, joined)])
    return all(np.all(told[0] >= limit) for told, limit in zip(found, least, strict=True))


def sizes_to_compare(
    rows: int, cells: int, *, refuted: bool, decided: int = 1
) -> list[list[int]]:
    """Rows of the blocks to compare first: in the cell that decides, and in each of the others.

    Those of the probe come before them. Of a refutation some of the first cell's are whole, for
    whatever correlation could have moved it is to be seen, and eight an eighth. Else there are
    sixteen, of a sixteenth where that is enough to see rates that differ, and two whole ones with
    those that decided, for what is rare and repeats itself. Many short ones follow, for what
    happens in one call of many, of together less than a whole one; several cells share half as many
    more, for what happens at one of them may be at any. Blocks too small to have an eighth are
    compared in the same numbers, with short ones.

    Parameters
    ----------
    rows : int
        Of a block.
    cells : int
        How many were drawn.
    refuted : bool
        Whether a refutation is at stake.
    decided : int
        Whole blocks of the first cell that are at hand.

    Returns
    -------
    list of list of int

    Examples
    --------
    >>> (alone,) = sizes_to_compare(4096, 1, refuted=False)
    >>> alone.count(4096), alone.count(256), alone.count(32)
    (1, 16, 108)
    >>> first, second = sizes_to_compare(4096, 2, refuted=False)
    >>> first.count(4096), first.count(256), first.count(32), second.count(32)
    (1, 16, 80, 81)
    >>> sizes_to_compare(16, 1, refuted=False, decided=2)  # And three of the probe.
    [[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]]
    """
    few, short = min(_ROWS, rows), max(min(_SHORT, rows), rows // 128)
    many, enough = (_LONGER, rows) if refuted else (2 * _LONGER, _ENOUGH_TO_DIFFER)
    size = max(rows // (2 * _LONGER), min(rows // _LONGER, enough))
    longer = [size] * many if rows >= _SHORT * _LONGER else []
    least = 0 if longer else many + (_WHOLE if refuted else 1)
    count = min(_CALLS, max(_LONGER, rows // 16))
    if cells > 1:
        count = max(_LEAST, min(count, 3 * count // (2 * cells)))
    shorts = max(count, least) - _LOOKS
    if refuted:
        first = [rows] * (_WHOLE - _LOOKS * few // rows) + longer + [short] * shorts
    else:
        first = [rows] * (2 - decided) + longer + [short] * (shorts - decided)
    # So long that one repetition tells.
    other = [max(short, few)] * (count - _LOOKS)
    return [first, *[other] * (cells - 1)]


_WHOLE = 3
"""Whole blocks that are compared first, besides those that decided, before a refutation."""

_CALLS = 112
"""Short blocks that are compared where there is one cell."""

_LONGER = 8
"""How many blocks make a whole one, and are compared before a refutation; else twice as many."""

_ENOUGH_TO_DIFFER = 64
"""Rows of a longer block that are enough, where more of them are no smaller share."""

_LEAST = 4
"""Short blocks in a cell that others hide, at least."""

_SHORT = 4
"""Rows of a short block, at least."""

_MORE = 12
"""Whole blocks that are drawn where the first look odd."""

def _chances(
    claim: Claim, cell: Cell, blocks: Sequence[Arrays], decided: int
) -> dict[tuple[str, str], float]:
    """How likely independent rows are to show what these do: by what is looked at, and the sign.

    The first ``decided`` blocks are those that decided.
    """
    joined, sizes = _joined(claim, blocks)
    starts = np.append(0, np.cumsum(sizes))
    fresh, longest = slice(starts[decided], None), int(np.argmax(sizes))
    whole = slice(starts[longest], starts[longest + 1])
    # Shares of blocks of very different lengths have no common law.
    long = 3 * _LONGER * sizes >= sizes.max()
    found: dict[tuple[str, str], float] = {}
    for what, scores in _views(claim, cell, joined).items():
        found |= {
            (what, "blocks that differ more than independent ones do, with those that decided"): (
                _differing(scores, sizes)
            ),
            (what, "blocks that differ more than independent ones do"): _differing(
                scores[fresh], sizes[decided:]
            ),
            (what, "groups of rows that differ more than independent ones do"): _grouped(scores),
            (what, "a block unlike the others"): _outlying(scores, sizes),
            (what, "rows that resemble those before them"): _within(scores[whole]),
            (what, "rare values in clusters"): _clustered(scores),
            (what, "rare values in few blocks"): min(1.0, 2 * min(
                _crowded(scores[np.repeat(alike, sizes)], sizes[alike]) for alike in (long, ~long)
            )),
        }
    # Of the longest blocks, and of the commonest: the others may be one each.
    lengths = [len(block["lhs"]) for block in blocks[decided:]]
    several = {max(lengths, key=lengths.count)}
    several |= {max(lengths)} if lengths.count(max(lengths)) > 1 else set()
    found["left sides", "rows that resemble those of other blocks"] = min(1.0, len(several) * min(
        _across(blocks[decided:], rows) for rows in several
    ))
    return found


def _across(blocks: Sequence[Arrays], rows: int) -> float:
    """Chance that the same rows of blocks so long that are 1, 2, 4 and 8 apart are so alike."""
    equal = [block["lhs"] for block in blocks if len(block["lhs"]) == rows]
    return _within(
        _ranks(np.nan_to_num(np.concatenate(equal).astype(float))),
        rows * 2 ** np.arange(min(4, int(np.log2(len(equal))))),
    )


def _joined(claim: Claim, blocks: Sequence[Arrays]) -> tuple[Arrays, NDArray[np.int64]]:
    """Blocks end to end, of the rows where the hypotheses apply, and how many each has of them."""
    if any(set(block) != set(blocks[0]) for block in blocks):
        raise ClaimError(f"{claim.id}: simulate draws other arrays in one block than in another")
    joined = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    ends = np.cumsum([len(block["lhs"]) for block in blocks])
    applies = np.asarray(joined.get("applies", np.ones(ends[-1])), bool)
    held = np.append(0, np.cumsum(applies))[ends]
    return dict(conditioned(joined)), np.diff(held, prepend=0)


def _views(claim: Claim, cell: Cell, drawn: Arrays) -> dict[str, Floats]:
    """What to look at: ranks, one a draw."""
    left = np.asarray(drawn["lhs"], float)
    seen = {"left sides": left}
    for name, what in (("other", "draws of the second law"), ("weight", "weights")):
        if name in drawn:
            seen[what] = np.asarray(drawn[name], float)
    if "rhs_draw" in drawn and claim.kind != "tail":
        seen["right sides"] = right = np.asarray(drawn["rhs_draw"], float)
        seen["differences of the sides"] = left - right
    found = {what: _ranks(values) for what, values in seen.items()}
    found |= {
        f"distances of {what} from their median": _ranks_of_places(
            np.abs(2 * ranks - (ranks.size + 1)).astype(np.intp)
        )
        for what, ranks in found.items()
    }
    if claim.kind == "tail":
        found["violations"] = _ranks(left > right_side(claim, cell, drawn)[0])
    return _distinct(found)


def _distinct(views: dict[str, Floats]) -> dict[str, Floats]:
    """Without those that part the draws in two as one before them does: they would say the same."""
    parts = {
        what: (ranks == ranks[0]).tobytes() for what, ranks in views.items()
        if ranks.size and np.all((ranks == ranks.min()) | (ranks == ranks.max()))
    }
    first = {part: what for what, part in reversed(parts.items())}
    return {w: r for w, r in views.items() if w not in parts or first[parts[w]] == w}


def _clustered(values: Floats) -> float:
    """Chance that draws off the commonest value, where they are rare, lie so close together."""
    n = values.size
    if n < 64:
        return 1.0
    rare = _off_the_commonest(values)
    m = int(rare.sum())
    if m < 5 or m > n / 10:
        return 1.0
    at = np.flatnonzero(rare)
    pairs = sum(int(np.count_nonzero(at[k:] - at[:-k] <= _NEAR)) for k in range(1, _NEAR + 1))
    # Of independent draws the places are a random subset: pairs are nearly Poisson.
    return float(pdtrc(pairs - 1, m * (m - 1) / 2 * 2 * _NEAR / n)) if pairs else 1.0


def _off_the_commonest(values: Floats) -> NDArray[np.bool_]:
    """Of ranks, or of some of them: twice a rank is a whole number."""
    places = (2 * values).astype(np.intp)
    return np.asarray(places != np.argmax(np.bincount(places)))


def _rare(values: Floats, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """How many rare draws each block has, those off the commonest value or the largest, and rows.

    Of the blocks that have any.
    """
    rare = _off_the_commonest(values) if values.size else np.zeros(0, bool)
    if 2 * rare.sum() > values.size:
        rare = values > np.quantile(values, 1 - _LARGEST)
    found = np.bincount(np.repeat(np.arange(sizes.size), sizes)[rare], minlength=sizes.size)
    return found[sizes > 0], sizes[sizes > 0]


def _outlying(values: Floats, sizes: NDArray[np.int64]) -> float:
    """Chance that some independent block has so few of the rare draws, or so many.

    Their numbers are hypergeometric, and binomial ones spread more.
    """
    k, sizes = _rare(values, sizes)
    if sizes.size < 2:
        return 1.0
    m, share = int(k.sum()), sizes / sizes.sum()
    least = np.minimum(bdtr(k, m, share), bdtrc(k - 1, m, share)).min()
    return float(min(1.0, 2 * sizes.size * least))


def _crowded(values: Floats, sizes: NDArray[np.int64]) -> float:
    """Chance that rare draws keep to so few blocks.

    The inverse of an e-value: their places are a random subset, so their numbers by block are
    hypergeometric; against it, multinomial with shares that a Dirichlet law spreads.
    """
    k, sizes = _rare(values, sizes)
    m = int(k.sum())
    if sizes.size < 2 or m < 2:
        return 1.0
    independent = _log_choose(sizes, k).sum() - _log_choose(sizes.sum(), m)
    total = sizes.size * np.array([1 / 8, 1 / 2, 2.0, 8.0])
    spread = total[:, None] * sizes / sizes.sum()
    gathered = gammaln(m + 1) + gammaln(total) - gammaln(total + m) + np.sum(
        gammaln(spread + k) - gammaln(spread) - gammaln(k + 1), axis=1
    )
    evidence = np.logaddexp.reduce(gathered) - np.log(len(spread)) - independent
    return float(np.exp(-max(0.0, evidence)))


_LARGEST = 1 / 16
"""Share of draws that count as rare where most differ from the commonest value."""


def _log_choose(n: Any, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


_NEAR = 8
"""Rows within which rare values are neighbours."""


_ENOUGH = 25
"""Draws a group, besides those at the commonest value, that the approximations need."""


def _between(values: Floats, sizes: NDArray[np.int64]) -> float:
    """Chance that independent draws differ so much between groups of these sizes."""
    # Where most values differ sums of few ranks have short tails, and the approximation is safe.
    sizes = sizes[sizes > 0]
    varying = int(_off_the_commonest(values).sum()) if values.size else 0
    if len(sizes) < 2 or varying < min(_ENOUGH * len(sizes), values.size / 2):
        return 1.0
    sums = np.add.reduceat(values - values.mean(), np.append(0, np.cumsum(sizes)[:-1]))
    return _unequal(np.sum(sums**2 / sizes), values, len(sizes))


def _differing(values: Floats, sizes: NDArray[np.int64]) -> float:
    """The same of blocks, of all and of the long ones: beside many short ones these say little."""
    long = 3 * _LONGER * sizes >= sizes.max()
    if long.all():
        return _between(values, sizes)
    of_long = _between(values[np.repeat(long, sizes)], sizes[long])
    return min(1.0, 2 * min(_between(values, sizes), of_long))


def _unequal(squares: float, values: Floats, groups: int) -> float:
    """Kruskal and Wallis's chance of so large a sum of the squares of groups."""
    return float(chdtrc(groups - 1, squares / np.var(values, ddof=1)))


def _grouped(values: Floats) -> float:
    """Chance that independent draws differ so much between groups of a power of two of them."""
    sizes = 2 ** np.arange(5, max(6, int(np.log2(max(1, values.size // 8))) + 1))
    most = int(sizes[-1])
    values = values[: values.size // most * most]
    if values.size < 8 * most:
        return 1.0
    varying, centred = int(_off_the_commonest(values).sum()), values - values.mean()
    chances = [
        _unequal(np.sum(centred.reshape(-1, size).sum(axis=1) ** 2) / size, values,
                 values.size // size)
        for size in sizes.tolist() if varying >= _ENOUGH * values.size // size
    ]
    return min(1.0, max(1, len(chances)) * min(chances, default=1.0))


def _within(values: Floats, lags: NDArray[np.int64] | None = None) -> float:
    """Chance that ranks of independent draws are so correlated at lags 1, 2, 4, ... or these."""
    n = values.size
    # Of a rare value hardly two are neighbours, and the approximation fails.
    if n == 0 or int(_off_the_commonest(values).sum()) ** 2 < 4 * _ENOUGH * n:
        return 1.0
    ranks = values - values.mean()
    if lags is None:
        lags = 2 ** np.arange(int(np.log2(n // 4)) + 1)
    found = np.array([float(ranks[:-lag] @ ranks[lag:]) for lag in lags]) / float(ranks @ ranks)
    mean, variance = _of_correlations(ranks, lags)
    return float(_alike(np.sum((found - mean) ** 2 / variance), ranks, lags))


def _of_correlations(ranks: Floats, lags: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Mean and variance of the correlation at each lag, over all orders of these ranks: exactly."""
    n, pairs, chained = ranks.size, ranks.size - lags, np.maximum(ranks.size - 2 * lags, 0)
    second, fourth = float(np.sum(ranks**2)), float(np.sum((ranks**2) ** 2))
    one = (second**2 - fourth) / (n * (n - 1))
    two = (2 * fourth - second**2) / (n * (n - 1) * (n - 2))
    other = (3 * second**2 - 6 * fourth) / (n * (n - 1) * (n - 2) * (n - 3))
    squares = pairs * one + 2 * chained * two + (pairs * (pairs - 1) - 2 * chained) * other
    mean = -pairs / (n * (n - 1))
    return mean, squares / second**2 - mean**2


def _alike(squares: Any, ranks: Floats, lags: NDArray[np.int64]) -> Any:
    """Chance of so large a sum of squares of standardised correlations, over all orders of ranks.

    Edgeworth's expansion over a ball: to the first order in 1/n third and fourth cumulants (above
    all of lags k, k and 2k, which go together) add chances of more degrees of freedom. Far out they
    are many times the first, so that further orders count; as those of an exponential, three of
    them, they keep the true rate of small chances at most nominal.
    """
    n, degrees, pairs = ranks.size, len(lags), ranks.size - lags
    chained, squared = np.maximum(n - 2 * lags, 0), ranks**2
    scale, kurtosis = squared.mean(), (squared**2).mean() / squared.mean() ** 2
    skewness = (squared * ranks).mean() ** 2 / scale**3
    twice = lags[:, None] * 2 == lags
    # Third: the same pair thrice, and pairs that make a triangle.
    same = skewness / np.sqrt(pairs)
    triangles = twice * (2 * np.sqrt(chained) / pairs)[:, None]
    third = 9 * np.sum((same + triangles.sum(axis=0)) ** 2)
    third += 6 * np.sum(same**2) + 18 * np.sum(triangles**2)
    # Fourth: pairs that share a row, less those that share none; parallelograms; triangles.
    own, both = np.eye(degrees), np.maximum(n - lags[:, None] - lags, 0)
    shared = 2 * both + 2 * (1 - own) * (n - np.maximum(lags[:, None], lags))
    product = pairs[:, None] * pairs
    fourth = (1 + 2 * own) * (kurtosis - 1) * (shared - 4 * product / n) + 4 * (1 - own) * both
    fourth += own * (kurtosis**2 - 3) * pairs + 2 * skewness * (twice + twice.T) * np.maximum(
        chained[:, None], chained
    )
    more = [chdtrc(degrees + 2 * k, squares) for k in range(4)]
    added = third / 72 * (more[3] - 3 * more[2] + 3 * more[1] - more[0])
    added += np.sum(fourth / product) / 8 * (more[2] - 2 * more[1] + more[0])
    share = np.maximum(added, 0) / np.maximum(more[0], 1e-300)
    return np.minimum(1.0, more[0] * (1 + share + share**2 / 2 + share**3 / 6))
