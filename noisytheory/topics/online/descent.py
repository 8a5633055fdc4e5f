r"""Algorithm 1 in $O(T^2)$: incremental norms, one global scale, estimates stored by degree.

All queries are drawn beforehand, because none depends on the predictor: a tape. The norm follows
$\tilde n_t=\tilde n_{t-1}+2\alpha_t\langle w_t,\tilde\Psi_t\rangle+\alpha_t^2\|\tilde\Psi_t\|^2$,
and a projection changes one scale instead of all coefficients. Rounds go in blocks: what a block's
estimates have in common with earlier terms, and with one another, are matrix products by degree;
the recursion itself is left with one row a round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

from noisytheory.topics.online.degrees import DegreeLaw
from noisytheory.topics.online.expansion import Expansion, Stack
from noisytheory.topics.online.maps import CopiesExhausted, Maps, Scheme, Source
from noisytheory.topics.online.printed import FORMS, projected
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import COUNT, POSITIVE, one_of
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["Descent", "Rule", "Tape", "descend", "draw_tape", "scores_over_time"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

SMALLEST = 1e-100
"""Scale at which a new one begins at 1, and the base goes down by its logarithm."""


@dataclass(frozen=True)
class Rule:
    r"""How the predictor moves.

    Parameters
    ----------
    Bw : float
        Squared radius of the ball.
    eta : float
        Step; the adaptive rule needs none.
    T : int, optional
        The step is $\eta/\sqrt T$; without it $\eta/\sqrt t$, for an unknown horizon.
    adaptive : bool
        Step $\sqrt{2B_w}/\sqrt{\sum_s\|\tilde g_s\tilde\Psi_s\|^2}$: free of tuning.
    clip : float
        Largest norm of a gradient estimate; longer ones are shortened, which costs a bias.
    projection, gradient : {"repaired", "printed"}
        What print has is there for the trials.
    coupled : bool
        The gradient length uses all degrees up to its N.

    Examples
    --------
    >>> Rule(1.0, 0.5, T=100).step(3, 0.0)
    0.05
    """

    Bw: float
    eta: float = 1.0
    T: int | None = None
    adaptive: bool = False
    clip: float = math.inf
    projection: Literal["repaired", "printed"] = "repaired"
    gradient: Literal["repaired", "printed"] = "repaired"
    coupled: bool = False

    def __post_init__(self) -> None:
        POSITIVE.number("Bw", self.Bw)
        POSITIVE.number("eta", self.eta)
        if self.T is not None:
            COUNT.number("T", self.T)
        if self.clip != math.inf:
            POSITIVE.number("clip", self.clip)
        one_of("projection", self.projection, FORMS)
        one_of("gradient", self.gradient, FORMS)

    def step(self, t: int, squares: float) -> float:
        """Of round t = 0, 1, ..., with what the gradients' squared norms add up to."""
        if self.adaptive:
            return math.sqrt(2 * self.Bw / squares) if squares > 0 else 0.0
        return self.eta / math.sqrt(t + 1 if self.T is None else self.T)


@dataclass
class Tape:
    """Everything that the rounds' queries gave, before any predictor is known.

    Parameters
    ----------
    maps : Maps
        One estimate a round.
    inner : Maps
        The estimates that the gradient lengths need.
    first : array, shape (T + 1,)
        Round t has the inner estimates first[t] to first[t + 1].
    degrees : array, shape (T,)
        Degrees of the gradient lengths.
    skipped : array of bool, shape (T,)
        Rounds that had too few copies.
    """

    maps: Maps
    inner: Maps
    first: Whole
    degrees: Whole
    skipped: NDArray[np.bool_]

    @property
    def queries(self) -> Whole:
        """Copies used in each round."""
        counts = self.maps.queries.copy()
        np.add.at(counts, np.repeat(np.arange(len(self.degrees)), np.diff(self.first)),
                  self.inner.queries)
        return counts


@on_one_thread
def draw_tape(
    T: int, scheme: Scheme, law: DegreeLaw, source: Source, *, rng: np.random.Generator,
    available: int | None = None, cap: Literal["error", "skip"] = "error",
) -> Tape:
    r"""Query the oracles of T rounds: a map each, and as many more as the gradient lengths need.

    Parameters
    ----------
    T : int
        Rounds.
    scheme : Scheme
        Of the maps.
    law : DegreeLaw
        Of the degree of the gradient length.
    source : Source
    rng : numpy.random.Generator
    available : int, optional
        Copies that each round has.
    cap : {"error", "skip"}
        What a round does that needs more. A skipped round moves nothing.

    Returns
    -------
    Tape

    Raises
    ------
    CopiesExhausted
        If a round needs more copies than there are, and rounds are not skipped.

    Notes
    -----
    The mean gradient is $\sum\gamma_cy^{c+1}\Psi_m\prod_{j\le c}\langle w,\Psi_{m_j}\rangle$ over
    degrees $c,m,m_1,\dots,m_c$, where $\Psi_m$ is the part of degree m of the feature. Of a term
    that single degrees draw alone, skipping keeps all if $m+m_1+\dots+m_c\le k$, the copies there
    are (over `scheme.copies`), and else nothing: no factor, but a polynomial of low degree. With
    $(1+\deg\ell')\deg Q$ copies nothing is missing, though rounds are skipped. Each term is kept by
    the chance that a round which draws it has enough: that is 1 or 0 here, and between them for
    coupled estimates, where higher degrees draw it as well, and for the Gaussian kernel, whose
    envelope takes copies too. Regression losses have $\langle w,\Psi\rangle-y$ as factors and no
    label in front.
    """
    one_of("cap", cap, ("error", "skip"))
    degrees, envelope = scheme.degrees(T, rng=rng)
    lengths = law.draw(T, rng=rng)
    rounds = np.repeat(np.arange(T), lengths)
    inner, inner_envelope = scheme.degrees(len(rounds), rng=rng)
    skipped = np.zeros(T, bool)
    if available is not None:
        needed = scheme.queries(degrees, envelope)
        np.add.at(needed, rounds, scheme.queries(inner, inner_envelope))
        skipped = needed > available
        if skipped.any() and cap == "error":
            raise CopiesExhausted(
                f"round {int(np.argmax(skipped))} needs {int(needed[np.argmax(skipped)])} copies "
                f"and has {available} ({int(skipped.sum())} of {T} rounds need more than they "
                "have): record more, take a larger p or a fixed number of copies, or skip them"
            )
        degrees, envelope = np.where(skipped, 0, degrees), np.where(skipped, 0, envelope)
        lengths = np.where(skipped, 0, lengths)
        keep = ~skipped[rounds]
        rounds, inner, inner_envelope = rounds[keep], inner[keep], inner_envelope[keep]
    first = np.concatenate([[0], np.cumsum(lengths)])
    return Tape(
        scheme.build(degrees, envelope, np.arange(T), source, rng=rng),
        scheme.build(inner, inner_envelope, rounds, source, rng=rng),
        first, lengths, skipped,
    )


@dataclass
class Descent:
    """A run, and what it takes to go on.

    Attributes
    ----------
    expansion : Expansion
        The predictor after the last round.
    scales, bases : list of float
        Global scale in force in each round, in units of e^base.
    squares : float
        What the gradients' squared norms add up to.
    queries : list of int
        Copies used in each round.
    lengths : list of float
        Gradient lengths.
    norms : list of float
        Squared norm of the predictor of each round.
    """

    expansion: Expansion
    scales: list[float] = field(default_factory=list)
    bases: list[float] = field(default_factory=list)
    squares: float = 0.0
    queries: list[int] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)

    @property
    def T(self) -> int:
        """Rounds so far."""
        return len(self.scales)

    def averaged(self) -> dict[int, Floats]:
        """Coefficients of the average of the predictors of all rounds, by degree."""
        left = self._left() / max(self.T, 1)
        return {
            degree: bucket.weights[: bucket.count] * left[bucket.rounds[: bucket.count]]
            for degree, bucket in self.expansion.buckets.items()
        }

    def _left(self) -> Floats:
        """What the scales after each round add up to, in units of its own base."""
        scales, bases = np.asarray(self.scales), np.asarray(self.bases)
        edges = [0, *(np.flatnonzero(np.diff(bases)) + 1).tolist(), self.T]
        out, later = np.zeros(self.T), 0.0
        for low, high in reversed(list(pairwise(edges))):
            out[low:high] = later
            out[low : high - 1] += np.cumsum(scales[low + 1 : high][::-1])[::-1]
            if low:
                later = (out[low] + scales[low]) * math.exp(bases[low] - bases[low - 1])
        return out


@on_one_thread
def scores_over_time(run: Descent, x: Floats) -> Floats:
    """Scores of the predictors of rounds 0, 1, ... on the clean instances of the same rounds.

    Parameters
    ----------
    run : Descent
    x : array, shape (T, d)
        Clean instances of the rounds.

    Returns
    -------
    ndarray, shape (T,)
    """
    out, block = np.zeros(len(x)), run.expansion.rows(256)
    bases = np.asarray(run.bases[: len(x)])
    for start in range(0, len(x), block):
        rounds = np.arange(start, min(start + block, len(x)))
        for degree, terms in run.expansion.terms(x[rounds]).items():
            bucket = run.expansion.buckets[degree]
            terms = terms * (bucket.rounds[: bucket.count, None] < rounds)
            for base in np.unique(bases[rounds]).tolist():
                same = bases[rounds] == base
                out[rounds[same]] += bucket.at(base) @ terms[:, same]
    envelope = run.expansion.scheme.kernel.envelope(x)
    return np.asarray(out * np.asarray(run.scales[: len(x)]) * envelope)


@on_one_thread
def descend(
    tape: Tape, y: Floats, scheme: Scheme, loss: AnalyticLoss, law: DegreeLaw, rule: Rule, *,
    run: Descent | None = None, block: int = 256,
) -> Descent:
    r"""Rounds of gradient descent on a tape.

    Parameters
    ----------
    tape : Tape
    y : array, shape (T,)
        Labels.
    scheme, loss, law, rule
        How the tape was drawn, and how the predictor moves.
    run : Descent, optional
        A run to go on with; it is changed.
    block : int
        Rounds whose inner products are computed together.

    Returns
    -------
    Descent

    Raises
    ------
    ValueError
        If there is not a label a round, or one of a classification loss is neither 1 nor -1.

    Examples
    --------
    >>> from noisytheory.topics.online.degrees import Fixed
    >>> from noisytheory.topics.online.maps import NoisyOracle, fixed
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> from noisytheory.vocabulary.instance_noise import InstanceNoise
    >>> oracle = NoisyOracle(np.ones((4, 1)), InstanceNoise("none", 0.0))
    >>> scheme, law, rng = fixed(LinearProduct()), Fixed(0), np.random.default_rng(0)
    >>> tape = draw_tape(4, scheme, law, oracle, rng=rng)
    >>> run = descend(tape, np.ones(4), scheme, AffineLoss(), law, Rule(1.0, 1.0, T=4))
    >>> run.expansion.predict(np.ones((1, 1))).tolist(), run.norms
    ([1.0], [0.0, 0.25, 1.0, 1.0])
    """
    d, T = tape.maps.vectors.shape[1], len(tape.degrees)
    if len(y) != T:
        raise ValueError(f"y must have a label for each of {T} rounds, got {len(y)}")
    run = run or Descent(Expansion(scheme, d))
    count = int(tape.degrees.max(initial=0)) + 1
    share = law.tails(count) if rule.coupled else law.pmf(count)
    gamma = np.divide(loss.coefficients(count), share, out=np.zeros(count), where=share > 1e-300)
    loss.check_labels(y)
    run.queries += tape.queries.tolist()
    groups = _by_degree(tape)
    at_map = (np.arange(T) + tape.first[:-1]).tolist()
    for start in range(0, T, block):
        stop = min(start + block, T)
        low, high = (int(t + tape.first[t]) for t in (start, stop))
        here = {n: group.between(low, high) for n, group in groups.items()}
        sources = {n: asked.maps() for n, asked in here.items()}
        inner, gram = np.zeros(high - low), np.zeros((stop - start, high - low))
        # Coupled estimates have all degrees up to theirs, and meet those of every degree.
        for degrees in [sorted(here, reverse=True)] if scheme.coupled else [[n] for n in here]:
            queries, maps = [here[n] for n in degrees], [sources[n] for n in degrees]
            asked = Stack([group.vectors for group in queries])
            at = np.concatenate([group.at for group in queries]) - low
            weights = np.concatenate([group.weights for group in queries])
            inner[at] = weights * run.expansion.inner(asked)
            found = run.expansion.products(Stack([group.vectors for group in maps]), asked)
            found *= np.concatenate([group.weights for group in maps])[:, None] * weights
            rounds = np.concatenate([group.rounds for group in maps]) - start
            gram[rounds[:, None], at] = found
        moved = _rounds(
            run, inner / run.expansion.scale, gram, [at - low for at in at_map[start:stop]],
            tape.degrees[start:stop].tolist(), tape.skipped[start:stop].tolist(),
            np.asarray(y[start:stop], float).tolist(), gamma.tolist(), loss.form, rule,
        )
        played = run.T - (stop - start)
        bases = np.asarray(run.bases[played:])
        for n, source in sources.items():
            coefficients = moved[source.rounds - start]
            some = coefficients != 0
            at = source.rounds[some] - start
            run.expansion.append(
                n, coefficients[some] * source.weights[some], source.vectors[some], bases[at],
                played + at,
            )
    return run


@dataclass
class _Group:
    """Estimates of one degree in the order of their use: a round's map, then its inner ones.

    `rounds` has the round of a map, and -1 for an inner estimate.
    """

    at: Whole
    rounds: Whole
    weights: Floats
    vectors: Floats

    def between(self, low: int, high: int) -> _Group:
        """Those from one place to another."""
        return self._part(slice(*np.searchsorted(self.at, (low, high))))

    def maps(self) -> _Group:
        """Without the inner ones."""
        return self._part(self.rounds >= 0)

    def _part(self, part: Any) -> _Group:
        return _Group(self.at[part], self.rounds[part], self.weights[part], self.vectors[part])


def _by_degree(tape: Tape) -> dict[int, _Group]:
    """The estimates of a tape, those of one degree next to one another."""
    rounds = np.arange(len(tape.degrees))
    own = rounds + tape.first[:-1]
    inner = np.repeat(rounds, np.diff(tape.first)) + 1 + np.arange(len(tape.inner))
    both = [(tape.maps, own, rounds), (tape.inner, inner, np.full(len(inner), -1))]
    out = {}
    for n in np.unique(np.concatenate([tape.maps.degrees, tape.inner.degrees])).tolist():
        chosen = [np.flatnonzero(maps.degrees == n) for maps, _, _ in both]
        places = np.concatenate([at[c] for (_, at, _), c in zip(both, chosen, strict=True)])
        order = np.argsort(places)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        vectors = np.empty((len(order), n, tape.maps.vectors.shape[1]))
        weights, of = np.empty(len(order)), np.empty(len(order), np.int64)
        done = 0
        for (maps, _, numbers), which in zip(both, chosen, strict=True):
            to = rank[done : done + len(which)]
            done += len(which)
            weights[to], of[to] = maps.weights[which], numbers[which]
            for j in range(n):
                vectors[to, j] = maps.vectors[maps.starts[which] + j]
        out[n] = _Group(places[order], of, weights, vectors)
    return out


def _rounds(
    run: Descent, inner: Floats, gram: Floats, at: list[int], degrees: list[int],
    skipped: list[bool], labels: list[float], gamma: list[float], form: str, rule: Rule,
) -> Floats:
    """The rounds of a block: coefficients of its maps in units of their rounds' scales.

    `inner` has the block's estimates with the predictor before it, in units of the scale, and
    `gram` the block's maps with all of them.
    """
    expansion, coupled = run.expansion, rule.coupled
    regression, printed = form == "regression", rule.gradient == "printed"
    coefficients = np.zeros(len(labels))
    scale, square = expansion.scale, expansion.square
    Bw, longest, printed_factor = rule.Bw, rule.clip**2, rule.projection == "printed"
    scales, norms, lengths, rows = run.scales, run.norms, run.lengths, list(gram)
    # A step of the theory does not change; the others are asked for.
    fixed = rule.step(0, 0.0) if rule.T is not None and not rule.adaptive else None
    for t, label in enumerate(labels):
        scales.append(scale)
        run.bases.append(expansion.base)
        norms.append(square)
        if skipped[t]:
            lengths.append(0.0)
            continue
        sign = 1.0 if regression or printed else label
        shift = label if regression else 0.0
        n, place = degrees[t], at[t]
        length, factor = gamma[0], 1.0
        if not coupled and gamma[n] == 0:
            length = 0.0
        elif n:
            for j, product in enumerate(inner[place + 1 : place + 1 + n].tolist(), 1):
                factor *= sign * (scale * product - shift)
                if coupled:
                    length += gamma[j] * factor
            if not coupled:
                length = gamma[n] * factor
        if not regression:
            length *= label
        lengths.append(length)
        own = gram.item(t, place) if length else 0.0
        if own > 0:
            size = length**2 * own
            if size > longest:
                length *= rule.clip / math.sqrt(size)
                size = longest
            run.squares += size
            step = rule.step(len(scales) - 1, run.squares) if fixed is None else fixed
            alpha = -length * step
            square += 2 * alpha * scale * inner.item(place) + alpha**2 * own
            coefficients[t] = change = alpha / scale
            # In place: inner += change * gram[t], in a tenth of the time.
            daxpy(rows[t], inner, len(inner), change)
        # What is in the ball stays there; the printed factor may leave it and is due again.
        if square > Bw:
            shrunk = projected(square, Bw, printed=printed_factor)
            scale *= math.sqrt(shrunk)
            square *= shrunk
            if scale < SMALLEST:
                inner *= scale
                expansion.base += math.log(scale)
                scale = 1.0
    expansion.scale, expansion.square = scale, square
    return coefficients
