"""Claims planted for every rule of the judge: true at the edge, just false, and clearly either.

Each `Plant` says which verdicts are right. ``"refused"`` is a clear error before any verdict: what
cannot be tried honestly is not tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import noisytheory as nt
from noisytheory import Certificate, Claim, Law, Paper

PAPER = Paper("planted", "Claims whose truth is known")

Simulator = Callable[..., Any]


@dataclass(frozen=True)
class Plant:
    """A claim of known truth.

    Parameters
    ----------
    rule : str
        What of the judge it is aimed at.
    name : str
    kind : str
    fields : dict
        The claim's.
    right : set of str
        Verdicts that are not wrong.
    """

    rule: str
    name: str
    kind: str
    fields: dict[str, Any]
    right: frozenset[str]

    def claim(self) -> Claim:
        """Declared as this judge knows it: a field that it lacks is left out."""
        known = {field.name for field in dataclasses.fields(Claim)}
        fields = {key: value for key, value in self.fields.items() if key in known}
        return getattr(PAPER, self.kind)(self.name, **fields)

    def verdict(self, seed: int, **settings: Any) -> str:
        """What an audit says of it."""
        try:
            return nt.audit(self.claim(), seed=seed, **{"budget": "smoke", **settings}).verdict
        except ValueError:
            return "refused"


TRUE = {"upheld", "undecided"}
FALSE = {"refuted", "undecided"}


def _plant(rule: str, name: str, kind: str, right: str | set[str], **fields: Any) -> Plant:
    right = {right} if isinstance(right, str) else right
    expect = next((v for v in ("upheld", "refuted") if right == {v}), "undecided")
    fields = {"statement": "x", "rows": 512, "grid": {"n": [1]}, "expect": expect, **fields}
    if kind == "tail":
        fields["grid"] = {"delta": [0.05], **fields["grid"]}
    return Plant(rule, name, kind, fields, frozenset(right))


def _at(value: float) -> Callable[..., float]:
    return lambda: value


def _coins(rate: float, *, low: float = 0.0, high: float = 1.0) -> Simulator:
    def simulate(*, size, rng):
        return np.where(rng.uniform(size=size) < rate, high, low)

    return simulate


def _uniform(*, size, rng):
    return rng.uniform(size=size)


def _masked(inside: Simulator, outside: Simulator, share: float) -> Simulator:
    """Rows of ``inside`` where the hypotheses hold, which they do in this share."""

    def simulate(*, size, rng):
        applies = rng.uniform(size=size) < share
        return {"lhs": np.where(applies, inside(size=size, rng=rng), outside(size=size, rng=rng)),
                "applies": applies}

    return simulate


UNIT = {"low": 0.0, "high": 1.0}
HALF = _at(0.5)


def masks() -> list[Plant]:
    """1: the draws are the rows that apply."""
    never, often, now = _coins(0.0), _coins(1.0), _coins(0.3)
    low, high = _coins(0.2), _coins(0.8)

    def laws(inside, outside):
        def simulate(*, size, rng):
            applies = rng.uniform(size=size) < 0.7
            lhs = rng.normal(size=size)
            return {"lhs": lhs, "other": rng.normal(np.where(applies, inside, outside)),
                    "applies": applies}

        return simulate

    def pairs(wrong_where_applies):
        def simulate(*, size, rng):
            a, b = rng.integers(1, 9, size=(2, size))
            return {"lhs": a * 1.0, "b": b, "a": a, "applies": (a > b) == wrong_where_applies}

        return simulate

    def certify(a, b, applies):
        return Certificate(int(a), int(b), applies=bool(applies))

    instances = {"bound": lambda b: b, "certify": certify}
    rows: list[Plant] = []
    for what, right, inside, outside in (
        ("holds", "upheld", never, often), ("breaks", "refuted", now, never),
    ):
        rows.append(_plant("applies", f"masked-tail-{what}", "tail", right, bound=HALF,
                           simulate=_masked(inside, outside, 0.3)))
    for kind, extra in (("mean", {}), ("equal", {"margin": 0.1}), ("published", {"margin": 0.1})):
        value = HALF if kind == "mean" else _at(0.2)
        rows.append(_plant("applies", f"masked-{kind}-holds", kind, "upheld", bound=value,
                           simulate=_masked(low, high, 0.7), **UNIT, **extra, rows=2048))
        rows.append(_plant("applies", f"masked-{kind}-breaks", kind, "refuted", bound=value,
                           simulate=_masked(high, low, 0.7), **UNIT, **extra, rows=2048))
    rows += [
        _plant("applies", "masked-laws-agree", "equal", "upheld", simulate=laws(0.0, 2.0),
               margin=0.2, rows=2048),
        _plant("applies", "masked-laws-differ", "equal", "refuted", simulate=laws(2.0, 0.0),
               margin=0.2, rows=2048),
        _plant("applies", "masked-list", "always", "undecided", bound=_at(0.0),
               exact=lambda: {"lhs": np.ones(4), "applies": np.zeros(4, bool)},
               certify=lambda lhs: Certificate(0, 1)),
        _plant("applies", "masked-always-holds", "always", "upheld", simulate=pairs(False),
               **instances),
        _plant("applies", "masked-always-breaks", "always", "refuted", simulate=pairs(True),
               **instances),
        _plant("applies", "masked-identity-breaks", "identity", "refuted", simulate=pairs(True),
               **instances),
        _plant("applies", "masked-everywhere", "tail", "undecided", bound=HALF,
               simulate=_masked(never, never, 0.0)),
        _plant("applies", "masked-everywhere-always", "always", "undecided", bound=HALF,
               simulate=_masked(never, never, 0.0)),
        _plant("applies", "masked-nearly", "mean", "undecided", bound=HALF, **UNIT,
               simulate=_masked(never, often, 0.002)),
    ]
    for exponent, right in ((-0.4, "upheld"), (-0.6, "refuted")):
        def rate(n, *, size, rng):
            applies = rng.uniform(size=size) < 0.7
            return {"lhs": np.where(applies, rng.uniform(size=size) * n**-0.5, 1.0),
                    "applies": applies}

        rows.append(_plant("applies", f"masked-rate{exponent}", "rate", right, simulate=rate,
                           bound=_at(exponent), along="n", rows=2048, low=0.0,
                           high=lambda n: n**-0.5,
                           grid={"n": [4.0**k for k in range(1, 8)]}))
    return rows


def ties() -> list[Plant]:
    """2: what rounding leaves open neither refutes nor upholds."""
    def tenths(*, size, rng):
        return 0.1 * rng.binomial(10, 0.3, size)

    def three_tenths(*, size, rng):
        return np.full(size, 0.1 * 3)

    # Pr[B > 3] = 0.350, Pr[B >= 3] = 0.617.
    levels = {"n": [1], "delta": [0.4]}
    return [
        _plant("ties", "tie-tail", "tail", "undecided", bound=_at(0.3), simulate=tenths,
               grid=levels),
        _plant("ties", "tie-tail-reversed", "tail", "undecided", bound=_at(0.1 * 3),
               simulate=lambda *, size, rng: 0.3 * (rng.uniform(size=size) < 0.6), grid=levels),
        _plant("ties", "no-tie-tail", "tail", "refuted", bound=_at(0.3 - 1e-9), simulate=tenths,
               grid=levels),
        _plant("ties", "tie-tail-drawn", "tail", TRUE,
               simulate=lambda *, size, rng: {"lhs": tenths(size=size, rng=rng),
                                              "rhs": np.full(size, 0.3)},
               bound=_at(0.3), grid=levels),
        _plant("ties", "tie-mean", "mean", TRUE, bound=_at(0.3), simulate=three_tenths, **UNIT),
        _plant("ties", "tie-mean-just-false", "mean", "refuted", bound=_at(0.3 - 1e-9),
               simulate=three_tenths, low=0.3 - 2e-9, high=1.0),
        _plant("ties", "tie-equal", "equal", TRUE, bound=_at(0.3), simulate=three_tenths, **UNIT,
               margin=0.0),
        _plant("ties", "tie-always", "always", "upheld", bound=_at(0.3), simulate=three_tenths),
        _plant("ties", "tie-law", "tail", TRUE, bound=_at(0.3), grid=levels,
               exact=lambda: Law([0.1 * 3, 0.0], [0.617, 0.383])),
    ]


def rounding() -> list[Plant]:
    """3: rounding is relative to the sides, to what was added up, or declared."""
    half, third = Fraction(1, 2) ** 50, Fraction(1, 3) ** 50

    def powers(*, size, rng):
        return np.full(size, float(half))

    def tiny(*, size, rng):
        return 1e-10 * rng.uniform(size=size)

    def cancelled(scale):
        def simulate(*, size, rng):
            x, y = rng.uniform(1, 2, size=(2, size))
            # (x + y)^2 - (x - y)^2 - 4xy is 0, and some 1e-15 in floats.
            out = {"lhs": (x + y) ** 2 - (x - y) ** 2 - 4 * x * y, "rhs": np.zeros(size)}
            return {**out, "scale": (x + y) ** 2} if scale else out

        return simulate

    def short(*, size, rng):
        return 1e-3 * rng.integers(1, 9, size) + 2e-6

    small = {"low": 0.0, "high": 1e-10}
    return [
        _plant("rounding", "powers", "always", "refuted", bound=_at(float(third)), simulate=powers,
               certify=lambda: Certificate(half, third)),
        _plant("rounding", "powers-tail", "tail", "refuted", bound=_at(float(third)),
               simulate=powers),
        _plant("rounding", "powers-identity", "identity", "refuted", bound=_at(float(third)),
               simulate=powers, certify=lambda: Certificate(half, third)),
        _plant("rounding", "powers-law", "tail", "refuted", bound=_at(float(third)),
               exact=lambda: Law([float(half)], [1.0])),
        _plant("rounding", "powers-mean-law", "mean", "refuted", bound=_at(float(third)),
               exact=lambda: Law([float(half)], [1.0])),
        _plant("rounding", "tiny-mean", "mean", "refuted", bound=_at(1e-11), simulate=tiny,
               **small),
        _plant("rounding", "tiny-mean-true", "mean", "upheld", bound=_at(7e-11), simulate=tiny,
               **small),
        _plant("rounding", "tiny-equal", "equal", "refuted", bound=_at(1e-11), simulate=tiny,
               margin=1e-12, **small),
        _plant("rounding", "tiny-published", "published", "refuted", bound=_at(1e-11),
               simulate=tiny, margin=1e-12, **small),
        _plant("rounding", "tiny-laws", "equal", "refuted", margin=0.0,
               exact=lambda: (Law([1e-12], [1.0]), Law([2e-12], [1.0]))),
        _plant("rounding", "tiny-laws-agree", "equal", "upheld", margin=0.0,
               exact=lambda: (Law([1e-12, 1.0], [1e-9, 1 - 1e-9]),
                              Law([1e-12, 1.0], [1e-9, 1 - 1e-9]))),
        _plant("rounding", "minimum-0", "exists", "refuted", bound=_at(1e-7), simulate=None,
               exact=lambda: (0.0, 1e-12)),
        _plant("rounding", "cancelled", "identity", "upheld", simulate=cancelled(True)),
        _plant("rounding", "cancelled-inequality", "always", "upheld", simulate=cancelled(True)),
        _plant("rounding", "cancelled-mean", "mean", TRUE, bound=_at(0.0), low=-1e-9, high=1e-9,
               simulate=cancelled(True)),
        _plant("rounding", "cancelled-unsaid", "identity", FALSE, simulate=cancelled(False)),
        _plant("rounding", "slack", "always", "undecided", slack=2.5e-6, simulate=short,
               bound=_at(8e-3)),
        _plant("rounding", "slack-certified", "always", "refuted", slack=2.5e-6, simulate=short,
               bound=_at(8e-3), certify=lambda lhs: Certificate(Fraction(lhs), Fraction(8, 1000))),
        _plant("rounding", "slack-exceeded", "always", "refuted", slack=1.5e-6, simulate=short,
               bound=_at(8e-3), certify=lambda lhs: Certificate(Fraction(lhs), Fraction(8, 1000))),
    ]


def vacuity() -> list[Plant]:
    """4: vacuous means in every draw."""
    def sometimes(rate):
        def simulate(*, size, rng):
            says = rng.uniform(size=size) < 0.45
            broken = rng.uniform(size=size) < rate / 0.45
            return {"lhs": np.where(says & broken, 0.6, 0.1), "radius": np.where(says, 0.5, 2.0)}

        return simulate

    def seldom_not(n, *, size, rng):
        """In cell 2 vacuous but for two draws of a thousand, which break the promise."""
        says = rng.uniform(size=size) < 2e-3
        radius = np.full(size, 0.5) if n == 1 else np.where(says, 0.5, 2.0)
        return {"lhs": np.full(size, 0.1 if n == 1 else 0.6), "radius": radius}

    shared = {"bound": lambda radius: radius, "trivial": 1.0}
    return [
        _plant("vacuous", "vacuous-but-seldom", "tail", FALSE, simulate=seldom_not, **shared,
               grid={"n": [1, 2], "delta": [1.6e-3]}, rows=1024),
        _plant("vacuous", "mostly-vacuous-6", "tail", FALSE, simulate=sometimes(0.06), **shared),
        _plant("vacuous", "mostly-vacuous-15", "tail", "refuted", simulate=sometimes(0.15),
               **shared),
        _plant("vacuous", "mostly-vacuous-true", "tail", "upheld", simulate=sometimes(0.01),
               **shared),
        _plant("vacuous", "always-vacuous", "tail", "undecided", bound=_at(1.0), trivial=1.0,
               simulate=_uniform),
        _plant("vacuous", "mean-vacuous", "mean", "undecided", bound=_at(1.0), simulate=_uniform,
               **UNIT),
        _plant("vacuous", "always-claim-vacuous", "always", "undecided", bound=_at(2.0),
               trivial=1.0, simulate=_uniform),
    ]


def right_sides() -> list[Plant]:
    """5: a drawn right side is honoured or refused."""
    def drawn(left, right, extra=()):
        def simulate(*, size, rng):
            out = {"lhs": rng.uniform(0, 2 * left, size), "rhs": rng.uniform(0, 2 * right, size)}
            for name in extra:
                out[name] = rng.uniform(size=size)
            return out

        return simulate

    def pair(gap):
        def simulate(*, size, rng):
            x = rng.integers(1, 64, size) / 64
            return {"lhs": x, "rhs": x + gap}

        return simulate

    def certify(lhs, rhs_draw):
        return Certificate(Fraction(lhs), Fraction(rhs_draw))

    def excess(scale):
        """Falls as a root; both sides do not."""
        def simulate(n, *, size, rng):
            right = scale * rng.normal(size=size)
            return {"lhs": right + n**-0.5 * rng.uniform(size=size), "rhs": right}

        return {"simulate": simulate, "along": "n", "grid": grid, "rows": 2048, "low": 0.0,
                "high": lambda n: n**-0.5}

    around = {"low": -1.0, "high": 1.0}
    dummy = {"bound": _at(5.0)}
    grid = {"n": [4.0**k for k in range(1, 8)]}
    return [
        _plant("drawn", "drawn-mean-false", "mean", "refuted", simulate=drawn(0.4, 0.1),
               **dummy, **around),
        _plant("drawn", "drawn-mean-true", "mean", "upheld", simulate=drawn(0.1, 0.4), **dummy,
               **around),
        _plant("drawn", "drawn-mean-edge", "mean", TRUE, simulate=drawn(0.3, 0.3), **dummy,
               **around),
        _plant("drawn", "drawn-equal-false", "equal", "refuted", simulate=drawn(0.4, 0.1),
               margin=0.05, **dummy, **around),
        _plant("drawn", "drawn-equal-true", "equal", "upheld", simulate=drawn(0.3, 0.3),
               margin=0.1, **dummy, **around, rows=2048),
        _plant("drawn", "drawn-tail-false", "tail", "refuted", simulate=drawn(0.4, 0.1), **dummy),
        _plant("drawn", "drawn-tail-true", "tail", "upheld", simulate=pair(0.25), **dummy),
        _plant("drawn", "drawn-tail-levels-false", "tail", "refuted",
               simulate=lambda *, size, rng: {"lhs": rng.random(size), "rhs": np.full(size, 0.9)},
               rows=4096, grid={"delta": [0.05, 0.2]}),
        _plant("drawn", "drawn-tail-levels-true", "tail", "upheld",
               simulate=lambda *, size, rng: {"lhs": rng.random(size), "rhs": np.full(size, 0.99)},
               rows=2048, grid={"delta": [0.05, 0.1]}),
        _plant("drawn", "drawn-always-true", "always", "upheld", simulate=pair(0.25)),
        _plant("drawn", "drawn-always-false", "always", "refuted", simulate=pair(-0.25),
               certify=certify),
        _plant("drawn", "drawn-identity-true", "identity", "upheld", simulate=pair(0.0)),
        _plant("drawn", "drawn-identity-false", "identity", "refuted", simulate=pair(0.25),
               certify=certify),
        *(_plant("drawn", f"drawn-published-{name}", "published", right, margin=0.1, **around,
                 simulate=drawn(0.4, by), **fields, rows=2048) for name, right, by, fields in (
                     ("true", "upheld", 0.4, dummy), ("edge", TRUE, 0.3, {}),
                     ("just-false", FALSE, 0.2999, dummy), ("false", "refuted", 0.1, {}))),
        *(_plant("drawn", f"drawn-rate{exponent}", "rate", right, bound=_at(exponent), **excess(9))
          for exponent, right in ((-0.4, "upheld"), (-0.5, TRUE), (-0.5001, FALSE),
                                  (-0.6, "refuted"))),
        _plant("drawn", "drawn-rate-cancelled", "rate", "undecided", bound=_at(-0.4),
               **excess(1e9)),
        _plant("drawn", "drawn-exists", "exists", "refused", bound=HALF, exact=lambda: (1.0, 0.0),
               simulate=drawn(0.4, 0.1)),
        _plant("drawn", "drawn-laws", "equal", "refused", margin=0.1,
               simulate=drawn(0.5, 0.1, ["other"])),
        _plant("drawn", "drawn-ingredient-mean", "mean", "refused", bound=lambda radius: radius,
               simulate=lambda *, size, rng: {"lhs": rng.uniform(size=size),
                                              "radius": rng.uniform(size=size)}, **UNIT),
    ]


def ranges() -> list[Plant]:
    """6: a range is a hypothesis."""
    def negative(*, size, rng):
        return -rng.uniform(size=size)

    minus = {"low": -1.0, "high": 0.0}
    return [
        _plant("range", "negative-mean", "mean", "upheld", bound=_at(-0.4), simulate=negative,
               **minus),
        _plant("range", "negative-mean-edge", "mean", TRUE, bound=_at(-0.5), simulate=negative,
               **minus),
        _plant("range", "negative-mean-just-false", "mean", FALSE, bound=_at(-0.501),
               simulate=negative, **minus),
        _plant("range", "negative-mean-false", "mean", "refuted", bound=_at(-0.6),
               simulate=negative, **minus),
        _plant("range", "no-range", "mean", "undecided", bound=_at(-0.6), simulate=negative),
        _plant("range", "only-high", "mean", "upheld", bound=_at(-0.4), simulate=negative,
               high=0.0),
        _plant("range", "only-high-false", "mean", "undecided", bound=_at(-0.6),
               simulate=negative, high=0.0),
        _plant("range", "only-low-false", "mean", "refuted", bound=_at(-0.6), simulate=negative,
               low=-1.0),
        _plant("range", "leaves-low", "mean", "refused", bound=_at(-0.4), simulate=negative,
               low=-0.5, high=0.0),
        _plant("range", "leaves-high", "equal", "refused", bound=_at(0.5), simulate=_uniform,
               low=0.0, high=0.9, margin=0.1),
        _plant("range", "leaves-printed", "published", "refused", bound=_at(0.5),
               simulate=_uniform, low=0.0, high=0.9, margin=0.1),
        _plant("range", "no-range-equal", "equal", "undecided", bound=_at(0.5), simulate=_uniform,
               margin=0.1),
        _plant("range", "variance", "mean", "upheld", bound=_at(1.3), variance=_at(1.0),
               simulate=lambda *, size, rng: rng.exponential(size=size)),
        _plant("range", "variance-false", "mean", "refuted", bound=_at(0.7), variance=_at(1.0),
               simulate=lambda *, size, rng: rng.exponential(size=size)),
        _plant("range", "variance-equal", "equal", "refuted", bound=_at(0.7), variance=_at(1.0),
               margin=0.01, simulate=lambda *, size, rng: rng.exponential(size=size)),
    ]


def _own(make: Callable[[], np.random.Generator]) -> Simulator:
    def simulate(n, *, size, rng):
        return make().uniform(size=size)

    return simulate


def dependence() -> list[Plant]:
    """7: rows are independent draws from the stream that was given."""
    def blocked(share, groups=None):
        """Normal rows with this intra-class correlation in blocks, or in groups of rows."""

        def simulate(n, *, size, rng):
            common = rng.normal(size=1 if groups is None else -(-size // groups))
            common = np.repeat(common, size if groups is None else groups)[:size]
            return np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=size)

        return simulate

    def somewhere(bad):
        def simulate(n, *, size, rng):
            return bad(n, size=size, rng=rng) if n == 3 else rng.uniform(size=size)

        return simulate

    def noisy_own(n, *, size, rng):
        return np.random.default_rng(5).uniform(size=size) + 1e-3 * rng.uniform(size=size)

    def own_seldom(below, above):
        """One row of twenty is not of the generator given, and lies beyond all others."""
        def simulate(n, *, size, rng):
            own = np.random.default_rng().uniform(below, above, size)
            return np.where(rng.uniform(size=size) < 0.05, own, rng.uniform(size=size))

        return simulate

    def own_seldom_on_the_right(n, *, size, rng):
        # Neither side is outermost there: their difference is.
        own = 1.0 * (rng.uniform(size=size) < 0.01)
        shared = 10 * rng.uniform(size=size)
        return {"lhs": shared, "rhs": shared + own * np.random.default_rng().uniform(1, 2, size)}

    def few_seeds(n, *, size, rng):
        return np.random.default_rng(rng.integers(3)).uniform(size=size)

    def global_numpy(n, *, size, rng):
        return np.random.uniform(size=size)  # noqa: NPY002

    seeded, unseeded = _own(lambda: np.random.default_rng(1)), _own(np.random.default_rng)
    # Pr[Z > 1.6449] = 0.05: each claim is true, at its level.
    edge = {"bound": _at(1.6448536), "rows": 2048}
    # Pr[Z > 1.6] = 0.0548: false by a tenth.
    false = {"bound": _at(1.6), "rows": 2048}
    some = {"n": [1, 2, 3, 4]}
    never_refuted = {"upheld", "undecided", "refused"}
    return [
        _plant("rows", "blocks-icc-0.1", "tail", never_refuted, simulate=blocked(0.1), **edge),
        _plant("rows", "groups-icc-0.1", "tail", never_refuted, simulate=blocked(0.1, 32), **edge),
        _plant("rows", "blocks-icc-0.5", "tail", never_refuted, simulate=blocked(0.5), **edge),
        _plant("rows", "blocks-icc-0.1-false", "tail", {"refuted", "undecided", "refused"},
               simulate=blocked(0.1), **false),
        _plant("rows", "blocks-icc-0.1-mean", "mean", never_refuted,
               simulate=lambda n, *, size, rng: blocked(0.1)(n, size=size, rng=rng) > 0,
               bound=_at(0.5), rows=2048, **UNIT),
        _plant("rows", "blocks-icc-0.1-variance", "mean", never_refuted, simulate=blocked(0.1),
               bound=_at(0.0), variance=_at(1.0), rows=2048),
        _plant("rows", "ignores-rng", "tail", "refused", simulate=seeded, bound=_at(0.95)),
        _plant("rows", "ignores-rng-unseeded", "tail", "refused", simulate=unseeded,
               bound=_at(0.9)),
        _plant("rows", "ignores-rng-global", "tail", "refused", simulate=global_numpy,
               bound=_at(0.9)),
        _plant("rows", "own-at-one-cell", "tail", "refused", simulate=somewhere(seeded),
               bound=_at(0.99), grid=some),
        _plant("rows", "own-unseeded-at-one-cell", "tail", "refused", bound=_at(0.99),
               simulate=somewhere(unseeded), grid=some),
        _plant("rows", "own-with-noise", "tail", "refused", simulate=noisy_own, bound=_at(0.99)),
        _plant("rows", "three-seeds", "tail", "refused", simulate=few_seeds, bound=_at(0.99)),
        *(_plant("rows", f"{name}-apart", "tail", "refused", simulate=simulate, bound=_at(0.9),
                 apart=True)
          for name, simulate in (("ignores-rng", seeded), ("ignores-rng-unseeded", unseeded),
                                 ("ignores-rng-global", global_numpy))),
        _plant("rows", "own-with-noise-apart", "tail", {"refused", "undecided"}, bound=_at(0.99),
               simulate=noisy_own, apart=True),
        *(_plant("rows", f"own-seldom-{where}-apart", "tail", "refused", bound=_at(1.5), apart=True,
                 simulate=own_seldom(*ends), rows=256, grid={"n": [1], "delta": [0.3]})
          for where, ends in (("below", (-2, -1)), ("above", (1, 2)))),
        _plant("rows", "own-seldom-on-the-right-apart", "tail", "refused", apart=True,
               simulate=own_seldom_on_the_right, rows=512),
        _plant("rows", "independent-rare-apart", "tail", "upheld", bound=_at(0.5), apart=True,
               simulate=lambda n, *, size, rng: 1.0 * (rng.uniform(size=size) < 0.01)),
        _plant("rows", "own-rare", "tail", "refused", bound=_at(0.5),
               simulate=lambda n, *, size, rng: 1.0 * (
                   np.random.default_rng(2).uniform(size=size) < 0.01)),
        _plant("rows", "independent-rare", "tail", "upheld", bound=_at(0.5),
               simulate=lambda n, *, size, rng: 1.0 * (rng.uniform(size=size) < 0.01)),
    ]


def rates() -> list[Plant]:
    """8: a rate speaks of a power law on its range, and of a declared range of its draws."""
    def falling(mean, noise):
        def simulate(n, *, size, rng):
            return mean(n) * (1 + noise * rng.uniform(-1, 1, size))

        return {"simulate": simulate, "low": 0.0, "high": lambda n: (1 + noise) * mean(n)}

    fine, wide = ([float(10 * 2**k) for k in range(8)], [float(4**k) for k in range(2, 9)])
    shared = {"along": "n", "rows": 2048, "grid": {"n": fine}}

    def root(n):
        return n**-0.5

    def two_terms(n):
        return n**-0.4 + 30 / n

    def kernel_density(n):
        # The integrated error of a density estimate at its best bandwidth falls as n^(-4/5), its
        # root as n^(-2/5); the next order makes it flatter on the range.
        return n**-0.4 * (1 - 0.5 * n**-0.2)

    def flattening():
        """From slope -0.57 to -0.49 over nine places; noise may hide it."""
        grid, scale = [2.0**k for k in range(4, 13)], np.log(2.0**8)

        def mean(n):
            x = np.log(n / 16)
            return 0.5 * np.exp(-0.57 * x + 0.08 / 2 / scale * x**2)

        def simulate(n, *, size, rng):
            return mean(n) / 0.3 * (rng.uniform(size=size) < 0.3)

        return {"simulate": simulate, "along": "n", "grid": {"n": grid}, "rows": 4096,
                "low": 0.0, "high": lambda n: mean(n) / 0.3}

    def hidden(slope, sign):
        """What an event of probability 1e-7 adds, or takes away, makes the slope another."""
        def simulate(n, *, size, rng):
            rare = rng.uniform(size=size) < 1e-7
            return n**slope * rng.uniform(0.5, 1.5, size) + sign * rare * tail(n)

        return {"simulate": simulate, **shared, "rows": 512}

    def tail(n):
        return (n**-0.5 - n**-0.75) / 1e-7

    wide_range = {"low": lambda n: -tail(n), "high": lambda n: 2 + tail(n)}
    up, down = {"bound": _at(-0.6), **hidden(-0.75, 1)}, {"bound": _at(-0.7), **hidden(-0.5, -1)}
    half = {"high": None, **shared}
    out = [
        _plant("rates", "hidden-tail-up", "rate", FALSE, **up, **wide_range),
        _plant("rates", "hidden-tail-down", "rate", TRUE, **down, **wide_range),
        _plant("rates", "hidden-tail-up-undeclared", "rate", "undecided", **up),
        _plant("rates", "hidden-tail-down-undeclared", "rate", "undecided", **down),
        _plant("rates", "half-a-range", "rate", "undecided", bound=_at(-0.6),
               **{**falling(root, 0.1), **half}),
        _plant("rates", "half-a-range-expected", "rate", "refused", bound=_at(-0.4),
               expect="upheld", **{**falling(root, 0.1), **half}),
        _plant("rates", "leaves-its-range", "rate", "refused", bound=_at(-0.4),
               **{**falling(root, 0.1), "high": root}, **shared),
        _plant("rates", "rate-slack", "rate", "refused", bound=_at(-0.6), slack=0.1,
               **falling(root, 0.1), **shared),
        _plant("rates", "kernel-density", "rate", TRUE, bound=_at(-0.4),
               **falling(kernel_density, 0.5), **shared | {"grid": {"n": wide}}),
        _plant("rates", "flattening-unseen", "rate", FALSE, bound=_at(-0.5), **flattening()),
        _plant("rates", "zero-means", "rate", "undecided", bound=_at(-0.5), **UNIT, **shared,
               simulate=lambda n, *, size, rng: np.zeros(size)),
        _plant("rates", "two-points", "rate", {"undecided", "refused"}, bound=_at(-0.5),
               **falling(two_terms, 0.5), **shared | {"grid": {"n": [1.0, 64.0]}}),
    ]
    for noise in (0.0, 0.05, 0.9):
        def plant(name, right, mean, exponent, *, noise=noise):
            out.append(_plant("rates", f"{name}-noise-{noise:g}", "rate", right,
                              bound=_at(exponent), **falling(mean, noise), **shared))

        plant("inverse-log", "undecided", lambda n: 1 / np.log(n), -0.1)
        plant("power-true", "upheld", root, -0.4)
        plant("power-edge", TRUE, root, -0.5)
        plant("power-false", "refuted", root, -0.6)
        plant("log-over-root", {"undecided"}, lambda n: np.log(n) / np.sqrt(n), -0.5)
        plant("log-over-root-less", {"undecided"}, lambda n: np.log(n) / np.sqrt(n), -0.45)
        plant("two-terms", {"undecided", "refuted"}, two_terms, -0.5)
    return out


def equalities() -> list[Plant]:
    """9: refuted beyond the margin, upheld within it."""
    def shifted(gap):
        return lambda *, size, rng: {"lhs": rng.uniform(size=size),
                                     "other": np.minimum(1, rng.uniform(size=size) + gap)}

    def normals(shift):
        return lambda *, size, rng: {"lhs": 100 * rng.normal(size=size),
                                     "other": 100 * rng.normal(size=size) + shift}

    def offset(at, by, spread=1.0, dtype=float):
        """Draws that are close together beside how far from 0 they are."""
        return lambda *, size, rng: {
            "lhs": (at + spread * rng.random(size)).astype(dtype),
            "other": (at + spread * (by + rng.random(size))).astype(dtype)}

    def close(by):
        """Ten atoms, next to each other as far as their error knows."""
        atoms, mass = 1 + 1e-10 * np.arange(10), np.full(10, 0.1)
        return lambda: (Law(atoms, mass, error=1e-10), Law(atoms + 1e-10 * by, mass, error=1e-10))

    value = {"bound": HALF, "simulate": _uniform, **UNIT}
    big = {"rows": 8192}
    law = Law([0.0, 1.0, 3.0], [0.25, 0.5, 0.25])
    return [
        _plant("equal", "equal-within", "equal", "upheld", margin=0.05, **value, rows=2048),
        _plant("equal", "equal-edge", "equal", TRUE, margin=0.02, **{**value, "bound": _at(0.48)}),
        _plant("equal", "equal-just-beyond", "equal", FALSE, margin=0.02,
               **{**value, "bound": _at(0.4795)}),
        _plant("equal", "equal-beyond", "equal", "refuted", margin=0.02,
               **{**value, "bound": _at(0.4)}, rows=2048),
        _plant("equal", "equal-no-margin", "equal", "undecided", margin=0.0, **value),
        _plant("equal", "laws-natural", "equal", "upheld", margin=0.08, simulate=shifted(0.0),
               **UNIT, **big),
        _plant("equal", "laws-natural-edge", "equal", TRUE, margin=0.02, simulate=shifted(0.0201),
               **UNIT, **big),
        _plant("equal", "laws-natural-false", "equal", "refuted", margin=0.05,
               simulate=shifted(0.3), **UNIT, **big),
        _plant("equal", "laws-probability", "equal", "upheld", margin=0.08, simulate=shifted(0.0),
               **big),
        _plant("equal", "laws-probability-beyond", "equal", "refuted", margin=0.02,
               simulate=shifted(0.3), **big),
        _plant("equal", "laws-infinite-range", "equal", "refused", margin=0.5,
                simulate=normals(0.0), low=-np.inf, high=np.inf, **big),
        _plant("equal", "laws-infinite-range-false", "equal", "refused", margin=5.0,
               simulate=normals(50.0), low=-np.inf, high=np.inf, **big),
        _plant("vacuous", "laws-forced", "equal", "undecided", margin=1.0, simulate=normals(0.0)),
        _plant("vacuous", "equal-forced", "equal", "undecided", margin=0.6, **value),
        _plant("vacuous", "printed-forced", "published", "undecided", margin=0.6, **value),
        _plant("equal", "laws-exact", "equal", "upheld", margin=0.0, exact=lambda: (law, law)),
        _plant("equal", "laws-single-precision", "equal", "refuted", margin=0.2,
               simulate=offset(20_000, 1.0, dtype=np.float32), **big),
        _plant("equal", "laws-single-precision-same", "equal", "upheld", margin=0.2,
               simulate=offset(20_000, 0.0, dtype=np.float32), **big),
        _plant("equal", "laws-single-precision-natural", "equal", "refuted", margin=0.2,
               simulate=offset(20_000, 0.9, dtype=np.float32), low=19_999.0, high=20_003.0, **big),
        _plant("equal", "laws-far-from-0", "equal", "refuted", margin=0.2,
               simulate=offset(1.7e9, 0.9), **big),
        _plant("equal", "laws-narrow", "equal", "refuted", margin=0.2,
               simulate=offset(1.0, 0.9, spread=1e-9), **big),
        _plant("equal", "laws-exact-close", "equal", "refuted", margin=0.2, exact=close(5)),
        _plant("equal", "laws-exact-too-close", "equal", FALSE, margin=0.2, exact=close(4)),
        _plant("equal", "laws-exact-false", "equal", "refuted", margin=0.0,
               exact=lambda: (law, Law([0.0, 1.0, 3.0], [0.25, 0.5 + 1e-6, 0.25 - 1e-6]))),
    ]


def printed() -> list[Plant]:
    """10: printed means, heavy tails and constants."""
    def lognormal(*, size, rng):
        return rng.lognormal(-2.0, 2.0, size)

    def pareto(*, size, rng):
        return rng.pareto(1.5, size)

    def constant(*, size, rng):
        return np.full(size, 0.1)

    loose = {"margin": 1e-3, "rows": 2048}
    return [
        _plant("printed", "lognormal", "published", "undecided", bound=_at(1.0),
               simulate=lognormal, **loose),
        _plant("printed", "pareto", "published", "undecided", bound=_at(2.0), simulate=pareto,
               **loose),
        _plant("printed", "constant-without-range", "published", "undecided", bound=_at(0.1),
               simulate=constant, **loose),
        _plant("printed", "constant-wrong", "published", {"refuted", "undecided"}, bound=_at(0.11),
               simulate=constant, **loose, **UNIT),
        _plant("printed", "constant", "published", "upheld", bound=_at(0.1), simulate=constant,
               margin=0.02, rows=2048, **UNIT),
        _plant("printed", "printed-edge", "published", TRUE, bound=_at(0.49), margin=0.01,
               simulate=_uniform, **UNIT),
        _plant("printed", "printed-just-false", "published", FALSE, bound=_at(0.4899), margin=0.01,
               simulate=_uniform, **UNIT),
        _plant("printed", "printed-false", "published", "refuted", bound=_at(0.3), margin=0.01,
               simulate=_uniform, **UNIT, rows=2048),
    ]


def levels() -> list[Plant]:
    """Tails and means at their level, and just beyond it; weights; many cells."""
    def exponential(rate):
        """Pr[X > t] for a large t, drawn from a law that goes there, weighted."""

        def simulate(delta, *, size, rng):
            raise AssertionError

        def drawn(*, size, rng):
            x = rng.exponential(10.0, size)
            return {"lhs": x, "weight": 10 * np.exp(-x * (1 - 0.1))}

        return drawn

    # With X ~ Exp(1), Pr[X > log(1/delta)] = delta; drawn from Exp(1/10) the weights of
    # violations are at most 10 delta^0.9.
    def weighted(factor):
        return {"bound": lambda delta: np.log(1 / delta) - np.log(factor),
                "simulate": exponential(1.0),
                "weight_limit": lambda delta: 10 * (factor * delta) ** 0.9 + 1e-12,
                "weight_high": 10.0,
                "grid": {"n": [1], "delta": [1e-6]}, "rows": 4096}

    def level(excess):
        return lambda delta: 1 - delta * excess

    many = {"grid": {"n": list(range(20)), "delta": [0.05]}, "rows": 1024}
    return [
        _plant("levels", "tail-edge", "tail", TRUE, bound=level(1.0), simulate=_uniform,
               grid={"n": [1, 2], "delta": [0.3, 0.05, 0.01]}),
        _plant("levels", "tail-just-false", "tail", FALSE, bound=level(1.02), simulate=_uniform),
        _plant("levels", "tail-false", "tail", "refuted", bound=level(3.0), simulate=_uniform),
        _plant("levels", "tail-true", "tail", "upheld", bound=level(0.2), simulate=_uniform),
        _plant("levels", "tail-1.1-in-20", "tail", FALSE, bound=level(1.1), simulate=_uniform,
               **many),
        _plant("levels", "tail-edge-in-20", "tail", TRUE, bound=level(1.0), simulate=_uniform,
               **many),
        _plant("levels", "tail-one-of-20", "tail", FALSE, simulate=_uniform,
               bound=lambda n, delta: np.where(n == 7, 1 - 1.1 * delta, 1 - 0.2 * delta), **many),
        _plant("levels", "mean-edge", "mean", TRUE, bound=HALF, simulate=_uniform, **UNIT),
        _plant("levels", "mean-just-false", "mean", FALSE, bound=_at(0.499), simulate=_uniform,
               **UNIT),
        _plant("levels", "mean-rare-edge", "mean", TRUE, bound=_at(0.001), simulate=_coins(0.001),
               **UNIT),
        _plant("levels", "mean-rare-false", "mean", "refuted", bound=_at(0.001),
               simulate=_coins(0.03), **UNIT),
        _plant("levels", "weights-edge", "tail", TRUE, **weighted(1.0)),
        _plant("levels", "weights-just-false", "tail", FALSE, **weighted(1.05)),
        _plant("levels", "weights-true", "tail", "upheld", **weighted(0.3)),
        _plant("levels", "weights-false", "tail", "refuted", **weighted(3.0)),
        _plant("levels", "weights-below-0", "tail", "refused", bound=HALF, weight_high=2.0,
               simulate=lambda *, size, rng: {"lhs": rng.uniform(size=size),
                                              "weight": rng.uniform(-0.5, 2, size)}),
        _plant("levels", "weights-and-mask", "tail", "refused", bound=_at(0.5),
               simulate=lambda *, size, rng: {"lhs": rng.uniform(size=size),
                                              "weight": np.ones(size),
                                              "applies": rng.uniform(size=size) < 0.1}),
        _plant("levels", "exists-edge", "exists", TRUE, bound=_at(0.25), simulate=None,
               exact=lambda: (0.25, 1e-12)),
        _plant("levels", "exists-open", "exists", "undecided", bound=_at(0.25), simulate=None,
               exact=lambda: (0.25, 1e-3)),
        _plant("levels", "exists-in-slack", "exists", "undecided", bound=_at(0.25), simulate=None,
               slack=0.01, exact=lambda: (0.245, 1e-12)),
        _plant("levels", "exists-just-in-slack", "exists", "undecided", bound=_at(0.25),
               simulate=None, slack=0.01, exact=lambda: (0.255, 1e-12)),
        _plant("levels", "exists-beyond-slack", "exists", "refuted", bound=_at(0.25),
               simulate=None, slack=0.01, exact=lambda: (0.235, 1e-12)),
        _plant("levels", "exists-false", "exists", "refuted", bound=_at(0.25), simulate=None,
               exact=lambda: (0.249999, 1e-9)),
        _plant("levels", "interval-too-wide", "always", FALSE, bound=_at(1.0),
               simulate=lambda *, size, rng: np.full(size, 1.5),
               certify=lambda: Certificate((0, 2), 1)),
    ]


def without_numbers() -> list[Plant]:
    """1: where the hypotheses do not apply, nothing need be a number."""
    def simulate(rate):
        def simulate(*, size, rng):
            applies = rng.uniform(size=size) < 0.7
            return {"lhs": np.where(applies, 1.0 * (rng.uniform(size=size) < rate), np.nan),
                    "applies": applies}

        return simulate

    def certify(lhs):
        return Certificate(Fraction(lhs), Fraction(1, 2))

    rows = [_plant("applies", "nan-elsewhere-always", "always", "refuted", simulate=simulate(0.1),
                   bound=HALF, certify=certify)]
    for kind, extra in (("tail", {}), ("mean", UNIT), ("equal", {**UNIT, "margin": 0.1})):
        value = HALF if kind == "tail" else _at(0.02)
        rows.append(_plant("applies", f"nan-elsewhere-{kind}-holds", kind, "upheld",
                           simulate=simulate(0.01), bound=value, **extra, rows=2048))
        rows.append(_plant("applies", f"nan-elsewhere-{kind}-breaks", kind, "refuted",
                           simulate=simulate(0.2), bound=value, **extra, rows=2048))
    law = Law([0.0, 2.0], [0.75, 0.25])
    return [*rows, _plant("range", "law-leaves-range", "mean", "refused", bound=_at(0.6),
                          exact=lambda: law, **UNIT)]


def lattices() -> list[Plant]:
    """2: values that floats write in two ways are one, in laws and where nothing else is known."""
    def tenths(share):
        def simulate(*, size, rng):
            return {"lhs": 0.1 * rng.binomial(10, 0.3, size),
                    "other": rng.binomial(10, share, size) / 10}

        return simulate

    def infinite(*, size, rng):
        return np.full(size, np.inf)

    def apart(by):
        return lambda *, size, rng: {"lhs": rng.uniform(size=size) + by,
                                     "other": rng.uniform(size=size)}

    big = {"rows": 8192, "margin": 0.05}
    return [
        # A mass and a level of 3/10, written as floats in two ways.
        _plant("ties", "law-at-its-level", "tail", "upheld", bound=HALF, grid={"delta": [0.3]},
               exact=lambda: Law([0.0, 1.0], [0.7, 0.1 + 0.2])),
        _plant("ties", "law-in-slack-equal", "equal", "undecided", bound=_at(0.45), margin=0.01,
               slack=0.1, exact=lambda: Law([0.5], [1.0])),
        # Their distance is 1/10 and less than the error of their masses.
        _plant("ties", "laws-at-their-margin", "equal", FALSE, margin=0.1, exact=lambda: (
            Law([0.0, 1.0], [0.5, 0.5]), Law([0.0, 1.0], [0.6 + 5e-11, 0.4 - 5e-11]))),
        _plant("ties", "laws-apart-in-slack", "equal", "undecided", simulate=apart(0.2), slack=0.3,
               **big | {"margin": 0.1}),
        _plant("ties", "laws-apart-in-slack-natural", "equal", "undecided", simulate=apart(0.2),
               slack=0.3, low=0.0, high=1.2, **big | {"margin": 0.1}),
        _plant("equal", "laws-apart-downwards", "equal", "refuted", simulate=apart(0.3), **big),
        _plant("ties", "lattices-agree", "equal", "upheld", simulate=tenths(0.3), **big),
        _plant("ties", "lattices-differ", "equal", "refuted", simulate=tenths(0.6), **big),
        _plant("ties", "inf-against-inf", "always", "undecided", simulate=infinite,
               bound=_at(np.inf)),
        _plant("ties", "law-with-slack", "mean", "undecided", bound=_at(0.45),
               exact=lambda: Law([0.5], [1.0], slack=0.1)),
        _plant("ties", "law-beyond-slack", "mean", "refuted", bound=_at(0.45),
               exact=lambda: Law([0.5], [1.0], slack=0.01)),
        _plant("ties", "law-with-slack-tail", "tail", "undecided", bound=_at(0.45),
               exact=lambda: Law([0.5], [1.0], slack=0.1)),
        _plant("vacuous", "drawn-vacuous", "tail", "undecided", trivial=1.0,
               simulate=lambda *, size, rng: {"lhs": rng.uniform(size=size),
                                              "rhs": 1 + rng.uniform(size=size)}),
    ]


def smallness() -> list[Plant]:
    """3: what rounding hides of an instance is exact arithmetic's, or nobody's."""
    def powers(left, right, factor=1.0):
        def simulate(*, size, rng):
            x = factor * rng.integers(1, 9, size)
            return {"lhs": (x * left) ** 2, "rhs": (x * right) ** 2}

        return simulate

    def hair(*, size, rng):
        return 1 + 1e-13 * rng.integers(-9, 2, size)

    return [
        _plant("rounding", "underflow", "always", "refused", simulate=powers(1e-200, 1e-220)),
        _plant("rounding", "underflow-identity", "identity", "refused",
               simulate=powers(1e-200, 1e-220)),
        _plant("rounding", "underflow-tail", "tail", "refused", simulate=powers(1e-200, 1e-220)),
        _plant("rounding", "underflow-mean", "mean", "upheld", bound=HALF, **UNIT,
               simulate=lambda *, size, rng: np.exp(-np.full(size, 800.0))),
        _plant("rounding", "underflow-bound", "always", "refused",
               simulate=lambda *, size, rng: np.exp(np.full(size, -800.0)),
               bound=lambda: np.exp(np.array(-900.0))),
        _plant("rounding", "underflow-exact", "always", "refused",
               exact=lambda: {"lhs": np.array([1e-200]) ** 2, "rhs": np.array([1e-220]) ** 2}),
        _plant("rounding", "small-enough", "always", "refuted", simulate=powers(1e-120, 1e-121),
               certify=lambda: Certificate(100, 1)),
        _plant("rounding", "zeros", "always", "upheld", simulate=powers(0.0, 0.0)),
        _plant("rounding", "hair", "always", "refuted", simulate=hair, bound=_at(1.0),
               certify=lambda lhs: Certificate(Fraction(lhs), 1)),
        _plant("rounding", "exists-in-error", "exists", "undecided", bound=_at(0.25),
               simulate=None, exact=lambda: (0.25 - 1e-9, 5e-9)),
        _plant("rounding", "exists-by-a-hair", "exists", "refuted", bound=_at(0.25),
               simulate=None, exact=lambda: (0.25 * (1 - 1e-8), 1e-12)),
    ]


def attacks() -> list[Plant]:
    """What one reader planted to deceive the judge, and did."""
    def lognormal(*, size, rng):
        left, right = 12 * rng.normal(size=(2, size))
        return {"lhs": np.exp(left), "other": np.exp(right - 8)}

    def outliers(*, size, rng):
        far = rng.uniform(size=(2, size)) < 0.01
        left, right = rng.normal(size=size), rng.normal(2.0, size=size)
        return {"lhs": np.where(far[0], 1e13, left), "other": np.where(far[1], 1e13, right)}

    def single(*, size, rng):
        return (rng.binomial(10, 0.3, size) / 10).astype(np.float32)

    def beyond(left, right):
        return lambda *, size, rng: {"lhs": np.full(size, left), "rhs": np.full(size, right)}

    def about(middle):
        return lambda *, size, rng: middle + rng.uniform(-0.05, 0.05, size)

    def second(n, *, size, rng):
        right = 10 + rng.uniform(size=size)
        gap = -0.5 if n == 1 else 0.05
        return {"lhs": right + gap + rng.uniform(-0.4, 0.4, size), "rhs": right}

    def wide(mean):
        return lambda *, size, rng: 10 * rng.normal(size=size) + mean

    def scaled(*, size, rng):
        return {"lhs": 0.5 + 1e-9 * rng.uniform(-1, 1, size), "scale": np.full(size, 1e3)}

    def hair(*, size, rng):
        return np.where(rng.uniform(size=size) < 0.5, 1 + 1e-13, 1.0)

    def rates_of(rates):
        """Blocks that break the promise at a rate of their own."""
        return lambda *, size, rng: 1.0 * (rng.uniform(size=size) < rng.choice(rates))

    law, fine = Law([0.5], [1.0]), [float(10 * 2**k) for k in range(8)]
    shared: dict[str, Any] = {"rows": 8192}
    some, slow = {"rows": 2048}, {"grid": {"n": [fine[k] for k in (3, 0, 7, 5, 1, 6, 2, 4)]}}
    return [
        _plant("equal", "laws-far-out", "equal", FALSE, simulate=lognormal, margin=0.1, **shared),
        _plant("equal", "laws-with-outliers", "equal", "refuted", simulate=outliers, margin=0.15,
               **shared),
        _plant("equal", "slack-beyond-margin", "equal", FALSE, simulate=_uniform, bound=_at(0.46),
               margin=0.01, slack=0.05, **UNIT, **some),
        _plant("equal", "printed-in-slack", "published", "undecided", simulate=about(0.53),
               bound=HALF, margin=0.01, slack=0.05, low=0.48, high=0.58, **some),
        _plant("equal", "printed-within-slack", "published", "undecided", simulate=about(0.505),
               bound=HALF, margin=0.01, slack=0.05, low=0.455, high=0.555, **some),
        _plant("equal", "exact-laws-in-margin", "equal", "upheld", margin=0.1,
               exact=lambda: (Law([0.0, 1.0], [0.5, 0.5]), Law([0.0, 1.0], [0.52, 0.48]))),
        _plant("equal", "exact-mean-in-margin", "equal", "upheld", margin=0.1, bound=_at(0.0),
               exact=lambda: Law([0.0, 0.27], [2 / 3, 1 / 3])),
        _plant("equal", "exact-laws-rarely-apart", "equal", "refuted", margin=0.0,
               exact=lambda: (Law([0.0, 5.0], [1 - 1e-11, 1e-11]),
                              Law([0.0, 7.0], [1 - 1e-11, 1e-11]))),
        _plant("vacuous", "one-cell-with-large-sides", "mean", FALSE, simulate=second, low=-1.0,
               high=1.0, grid={"n": [1, 2]}, rows=1024),
        _plant("ties", "single-precision", "tail", TRUE, simulate=single, bound=_at(0.3),
               grid={"delta": [0.4]}),
        _plant("ties", "single-precision-mean", "mean", TRUE, bound=_at(0.1), **UNIT,
               simulate=lambda *, size, rng: np.full(size, 0.1, np.float32)),
        _plant("ties", "infinite-tail", "tail", FALSE, simulate=beyond(np.inf, np.inf)),
        _plant("ties", "minus-infinite-tail", "tail", FALSE, simulate=beyond(-np.inf, -np.inf)),
        _plant("ties", "law-in-slack", "tail", "undecided", bound=_at(0.45), slack=0.1,
               exact=lambda: law),
        _plant("ties", "law-in-rounding", "mean", "undecided", bound=_at(0.5 - 1e-8),
               rounding=1e-6, exact=lambda: law),
        _plant("ties", "large-scale-mean", "mean", TRUE, bound=HALF, simulate=scaled, low=0.4,
               high=0.6),
        _plant("rounding", "hair-on-half", "always", "refuted", simulate=hair, bound=_at(1.0),
               certify=lambda lhs: Certificate(Fraction(lhs), 1)),
        _plant("range", "variance-too-small", "mean", {"refused", "undecided"}, bound=_at(0.0),
               simulate=wide(0.0), variance=_at(1.0)),
        _plant("rates", "two-terms-shuffled", "rate", {"undecided", "refuted"}, along="n",
               bound=_at(-0.5), **some, **slow, low=0.0,
               high=lambda n: 1.5 * (n**-0.4 + 30 / n),
               simulate=lambda n, *, size, rng: (n**-0.4 + 30 / n) * rng.uniform(0.5, 1.5, size)),
        _plant("rows", "two-rates-of-blocks", "tail", {"refuted", "undecided", "refused"},
               simulate=rates_of([0.01, 0.8]), bound=HALF),
    ]


def effects() -> list[Plant]:
    """7: what is shared by a block may stand on the right, in the second law, or in a weight."""
    never_refuted = {"upheld", "undecided", "refused"}

    def shared_right(*, size, rng):
        # The difference is N(-1.6449, 1) as well.
        return {"lhs": np.sqrt(0.9) * rng.normal(size=size),
                "rhs": 1.6448536 + np.full(size, np.sqrt(0.1) * rng.normal())}

    def shared_other(*, size, rng):
        return {"lhs": rng.normal(size=size),
                "other": np.sqrt(0.9) * rng.normal(size=size) + np.sqrt(0.1) * rng.normal()}

    def clusters(*, size, rng):
        starts = rng.uniform(size=-(-size // 8)) < 0.05
        return 1.0 * np.repeat(starts, 8)[:size]

    def weighted(factor):
        def simulate(*, size, rng):
            x = rng.exponential(5.0, size)
            return {"lhs": x, "weight": factor(rng) * np.exp(-0.8 * x)}

        return {"simulate": simulate, "grid": {"n": [1], "delta": [1e-3]}, "rows": 2048,
                "bound": lambda delta: -np.log(delta), "weight_high": 7.5,
                "weight_limit": lambda delta: 7.5 * delta**0.8 + 1e-12}

    def struck(*, size, rng):
        return 1.0 * (rng.uniform() < 0.45) + 0.1 * rng.uniform(size=size)

    return [
        *(_plant("rows", f"struck-calls-of-{rows}", "tail", {"refused", "undecided"}, bound=HALF,
                 simulate=struck, grid={"delta": [0.43]}, rows=rows) for rows in (8, 16, 31)),
        *(_plant("rows", f"struck-apart-{level}", "tail", right | {"refused"}, bound=HALF,
                 simulate=struck,
                 grid={"delta": [level]}, rows=64, apart=True)
          for level, right in ((0.2, FALSE), (0.43, FALSE), (0.46, TRUE), (0.7, TRUE))),
        _plant("rows", "shared-right-side", "tail", never_refuted, simulate=shared_right,
               rows=2048),
        _plant("rows", "shared-second-law", "equal", never_refuted, simulate=shared_other,
               margin=0.02, rows=2048),
        _plant("rows", "shared-weights", "tail", {"refused", "undecided"},
               **weighted(lambda rng: rng.choice([2.5, 7.5]))),
        _plant("rows", "clusters-of-rare", "tail", never_refuted, simulate=clusters, bound=HALF,
               rows=2048),
        _plant("rows", "weights-of-mean-0.5", "tail", {"refused", "undecided"},
               **weighted(lambda rng: 2.5)),
        _plant("rows", "weights-of-mean-1.5", "tail", {"refused", "undecided"},
               **weighted(lambda rng: 7.5)),
        _plant("rows", "weights-without-range", "tail", "refused",
               **{**weighted(lambda rng: 5.0), "weight_high": None}),
    ]


def laws_nobody_tried() -> list[Plant]:
    """Heavy tails at a declared variance, huge offsets, narrow types, masks and sides by draw."""
    def student(mean):
        return lambda *, size, rng: mean + rng.standard_t(3, size) / np.sqrt(3)

    def giant(*, size, rng):
        # Variance 1, mean 0.001, and hardly ever seen.
        return 1e3 * (rng.uniform(size=size) < 1e-6)

    far = 1e9

    def ones(*, size, rng):
        return far + rng.integers(0, 2, size)

    def offset(*, size, rng):
        return far + rng.uniform(size=size)

    def selected(by):
        def simulate(*, size, rng):
            x = rng.uniform(size=size)
            return {"lhs": x, "applies": x > by(x)}

        return simulate

    def together(gap, scale=1.0):
        """Both sides share a noise that is larger than what is promised of their difference."""
        def simulate(*, size, rng):
            noise = scale * rng.normal(size=size)
            return {"lhs": noise + rng.uniform(size=size), "rhs": noise + gap}

        return simulate

    def thrice(factor):
        def simulate(*, size, rng):
            x = rng.uniform(size=size).astype(np.float32)
            return {"lhs": np.float32(3) * x, "rhs": factor * x.astype(float)}

        return simulate

    def last_row(*, size, rng):
        x = 0.5 * rng.uniform(size=size)
        x[-1] = 1.0
        return x

    def strata(*, size, rng):
        return rng.permutation((np.arange(size) + rng.uniform(size=size)) / size)

    def mirrored(*, size, rng):
        half = rng.uniform(size=-(-size // 2))
        return np.concatenate([half, 1 - half])[:size]

    def mostly_vacuous(*, size, rng):
        says = rng.uniform(size=size) < 0.1
        return {"lhs": 1.0 * (rng.uniform(size=size) < 0.8), "radius": np.where(says, 0.5, 5.0)}

    def light(*, size, rng):
        # Weights of mean 0.7, which few draws cannot tell from 1.
        breaks = rng.uniform(size=size) < 0.32
        return {"lhs": 1.0 * breaks, "weight": np.where(breaks, 0.05, 1.0)}

    one = {"variance": _at(1.0)}
    offset_range = {"low": far, "high": far + 1}
    return [
        _plant("range", "student-edge", "mean", TRUE, simulate=student(0.0), bound=_at(0.0), **one),
        _plant("range", "student-false", "mean", "refuted", simulate=student(0.3), bound=_at(0.0),
               **one),
        _plant("range", "giant-edge", "mean", TRUE, simulate=giant, bound=_at(1e-3), **one),
        _plant("range", "giant-false", "mean", FALSE, simulate=giant, bound=_at(9e-4), **one),
        _plant("range", "giant-equal", "equal", FALSE, simulate=giant, bound=_at(-0.0101),
               margin=0.01, **one),
        _plant("ties", "offset-tie", "tail", "undecided", simulate=ones, bound=_at(far + 1),
               grid={"delta": [0.3]}),
        _plant("ties", "offset-below", "tail", "refuted", simulate=ones, bound=_at(far + 0.5),
               grid={"delta": [0.3]}),
        _plant("range", "offset-edge", "mean", TRUE, simulate=offset, bound=_at(far + 0.5),
               **offset_range),
        _plant("range", "offset-false", "mean", "refuted", simulate=offset, bound=_at(far + 0.3),
               **offset_range),
        _plant("applies", "selected-edge", "mean", TRUE, simulate=selected(lambda x: 0.5),
               bound=_at(0.75), low=0.5, high=1.0),
        _plant("applies", "selected-false", "mean", "refuted", simulate=selected(lambda x: 0.5),
               bound=_at(0.6), low=0.5, high=1.0),
        _plant("applies", "selected-by-rank", "tail", TRUE | {"refused"}, bound=_at(0.97),
               simulate=selected(np.median)),
        _plant("drawn", "together-edge", "mean", TRUE, simulate=together(0.5), low=-0.51,
               high=0.51),
        _plant("drawn", "together-false", "mean", "refuted", simulate=together(0.3), low=-0.31,
               high=0.71),
        _plant("drawn", "together-huge", "mean", TRUE, simulate=together(0.5, 1e12), low=-0.6,
               high=0.6),
        _plant("ties", "single-identity", "identity", "upheld", simulate=thrice(3)),
        _plant("ties", "single-identity-false", "identity", FALSE, simulate=thrice(3.0001)),
        _plant("ties", "bytes", "identity", "refuted", certify=lambda: Certificate(250, 251),
               simulate=lambda *, size, rng: {"lhs": np.full(size, 250, np.uint8),
                                              "rhs": np.full(size, 251, np.uint8)}),
        _plant("vacuous", "mostly-vacuous-90", "tail", "refuted", simulate=mostly_vacuous,
               bound=lambda radius: radius, trivial=1.0, rows=2048),
        _plant("levels", "light-weights", "tail", {"refused", "undecided"}, simulate=light,
               bound=HALF, weight_high=5.0, weight_limit=0.06, rows=32, grid={"delta": [0.1]}),
        _plant("ties", "law-in-rounding-tail", "tail", "undecided", bound=_at(0.5 - 1e-8),
               rounding=1e-6, exact=lambda: Law([0.5], [1.0])),
        _plant("ties", "law-missing-mass-tail", "tail", "undecided", bound=_at(1.5),
               grid={"delta": [1e-10]},
               exact=lambda: Law([0.0, 1.0], [0.5, 0.5 - 5e-10], error=1e-9)),
        _plant("rounding", "hair-on-zero", "always", "refuted", bound=_at(0.0),
               simulate=lambda *, size, rng: (1 + 1e-20 * rng.uniform(size=size)) - 1,
               certify=lambda: Certificate(Fraction(1, 10**20), 0)),
        _plant("rows", "last-row-breaks", "tail", TRUE | {"refused"}, simulate=last_row,
               bound=_at(0.6)),
        _plant("rows", "strata", "mean", FALSE | {"refused"}, simulate=strata, bound=_at(0.4999),
               **UNIT),
        _plant("rows", "mirrored", "mean", TRUE | {"refused"}, simulate=mirrored, bound=HALF,
               **UNIT),
        _plant("rows", "spawned", "tail", "upheld", bound=_at(0.99), rows=128,
               simulate=lambda *, size, rng: np.array([g.uniform() for g in rng.spawn(size)])),
        _plant("equal", "laws-of-one-draw", "equal", TRUE, margin=0.01,
               simulate=lambda *, size, rng: {"lhs": (x := rng.uniform(size=size)),
                                              "other": 1 - x}),
    ]


def hostile() -> list[Plant]:
    """What another reader planted: ends of ranges, missing mass, lies, narrow types."""
    def always(value, **more):
        """The same in every row."""
        return lambda *, size, rng: {"lhs": np.full(size, value)} | {
            name: np.full(size, one) for name, one in more.items()}

    def either(first, second):
        """One value in cell 1, with this share of others, and another in cell 2."""
        return lambda n, *, size, rng: np.where(
            rng.uniform(size=size) < (first if n == 1 else second), 3.0, 0.1)

    def here(n, *, size, rng):
        """The hypotheses hold in cell 1 only."""
        return {"lhs": 0.1 * rng.uniform(size=size), "other": 0.1 * rng.uniform(size=size),
                "applies": np.full(size, n == 1)}

    def sides(n, *, size, rng):
        found = here(n, size=size, rng=rng)
        return {name: found[name] for name in ("lhs", "applies")}

    def single(*, size, rng):
        x = rng.uniform(size=size)
        return {"lhs": x, "radius": x.astype(np.float32)}

    def narrow(*, size, rng):
        """Of bytes the difference, below 0 in one row of four, has no byte."""
        return {"lhs": rng.integers(3, 5, size).astype(np.uint8),
                "rhs": rng.integers(1, 5, size).astype(np.uint8)}

    def curve(by):
        def simulate(*, size, rng):
            x = rng.uniform(size=size)
            return {"lhs": x**2 + rng.uniform(-0.5, 0.5, size), "rhs": x**2 + by}

        return {"simulate": simulate, "margin": 0.1, "low": -0.5 - by, "high": 0.5 - by}

    def seldom(rate, q=0.03):
        """In so few calls rows break the promise, at this rate."""
        return lambda *, size, rng: 1.0 * (
            rng.uniform(size=size) < rate * (rng.uniform() < q))

    def one_minus_cosine(*, size, rng):
        """0 in floats, and x^2/2."""
        x = 1e-9 * rng.integers(1, 9, size)
        return {"lhs": 1 - np.cos(x), "rhs": x * x / 4, "x": x}

    def cosine(x):
        return Certificate(Fraction(x) ** 2 / 2 - Fraction(x) ** 4 / 24, Fraction(x) ** 2 / 4)

    three, two = 0.1 * 3, {"grid": {"n": [1, 2]}}  # A little above 0.3.
    lost = {"exact": lambda: Law([0.0], [1 - 9e-7], error=1e-6)}
    level = {"grid": {"n": [1, 2], "delta": [0.05]}}
    wide = {"low": -1.5e308, "high": 1.5e308}
    forced = {"bound": lambda n: np.where(n == 1, 2.0, 0.5), "trivial": 1.0}
    small = {"grid": {"delta": [0.3]}}

    def partly(rate):
        return {"exact": lambda n: Law([0.0, 1.0], [0.9, 0.1]) if n == 1 else None,
                "simulate": lambda n, *, size, rng: 1.0 * (rng.uniform(size=size) < rate),
                **two, "rows": 2048}

    return [
        _plant("ties", "low-beyond-bound", "mean", TRUE, bound=_at(0.3), simulate=always(three),
               low=three, high=1.0),
        _plant("ties", "low-beyond-drawn", "mean", TRUE, simulate=always(three, rhs=0.3),
               low=three - 0.3, high=1.0),
        _plant("ties", "low-beyond-value", "equal", TRUE, bound=_at(0.3), simulate=always(three),
               low=three, high=1.0, margin=0.0),
        _plant("ties", "high-below-value", "equal", TRUE, bound=_at(three), simulate=always(0.3),
               low=0.0, high=0.3, margin=0.0),
        _plant("range", "low-far-beyond", "mean", "refuted", bound=_at(0.3), simulate=always(0.31),
               low=0.31, high=0.31),
        _plant("range", "lost-mass", "mean", "undecided", bound=_at(1e-7), **lost),
        _plant("range", "lost-mass-ranged", "mean", "undecided", bound=_at(1e-7), **lost,
               **UNIT),
        _plant("range", "lost-mass-small", "mean", "upheld", bound=_at(0.1), **lost, **UNIT),
        _plant("range", "lost-mass-equal", "equal", "undecided", bound=_at(0.0), margin=1e-9,
               **lost, **UNIT),
        _plant("range", "lost-mass-laws", "equal", "undecided", margin=0.0,
               exact=lambda: (lost["exact"](), Law([0.0], [1.0]))),
        _plant("range", "low-beyond-optimum", "exists", "refused", bound=_at(0.25), low=0.3,
               exact=lambda: (0.2, 0.01)),
        _plant("range", "giant", "mean", "refused", bound=_at(-1e307), **wide,
               simulate=lambda *, size, rng: 1.5e308 * rng.uniform(-1, 1, size)),
        _plant("levels", "tiny-delta", "tail", "refuted", bound=_at(-1.0), simulate=_uniform,
               grid={"delta": [1e-300]}),
        _plant("levels", "tiny-delta-true", "tail", TRUE, bound=_at(1.0), simulate=_uniform,
               grid={"delta": [1e-300]}),
        _plant("levels", "tiny-delta-law", "tail", "upheld", bound=HALF, grid={"delta": [1e-17]},
               exact=lambda: Law([0.0, 1.0], [1.0, 1e-18])),
        _plant("rounding", "denormal", "tail", "refuted", bound=_at(1.5e-323),
               simulate=lambda *, size, rng: 5e-324 * rng.integers(1, 9, size)),
        _plant("rounding", "certificate-says-broken", "always", "refuted", bound=_at(2.0),
               simulate=_uniform, certify=lambda lhs: Certificate(3, 2)),
        _plant("rounding", "cosine", "always", "refuted", simulate=one_minus_cosine,
               certify=cosine),
        _plant("rounding", "certificate-clears", "always", TRUE, bound=HALF,
               simulate=_uniform, certify=lambda lhs: Certificate(1, 2)),
        _plant("ties", "single-ingredient", "tail", TRUE, bound=lambda radius: radius,
               simulate=single, **small),
        _plant("drawn", "bytes-apart", "mean", "refuted", simulate=narrow, low=-1.0, high=3.0),
        _plant("drawn", "print-of-a-curve", "published", "upheld", **curve(0.0), rows=2048),
        _plant("drawn", "print-of-another", "published", "refuted", **curve(0.3), rows=2048),
        _plant("drawn", "print-cancelled", "published", "undecided", margin=1e-9, low=0.0,
               high=1e-5, simulate=always(1e-6, rhs=0.0, scale=1e6)),
        _plant("vacuous", "trivial-is-not", "tail", FALSE, simulate=either(0.07, 0.001),
               bound=lambda n, delta: forced["bound"](n), trivial=1.0, **level),
        _plant("vacuous", "trivial-is-not-always", "always", FALSE, simulate=either(0.1, 0.0),
               **forced, **two),
        _plant("vacuous", "exists-below", "exists", "undecided", bound=_at(-1.0), trivial=0.0,
               exact=lambda: (0.2, 0.01)),
        _plant("vacuous", "exists-above", "exists", "upheld", bound=_at(0.1), trivial=0.0,
               exact=lambda: (0.2, 0.01)),
        _plant("applies", "empty-cell", "tail", "undecided", bound=HALF, simulate=sides, **level),
        _plant("applies", "empty-cell-print", "published", "undecided", bound=_at(0.05),
               margin=0.05, simulate=sides, low=0.0, high=0.3, **two),
        _plant("applies", "empty-cell-laws", "equal", "undecided", simulate=here, margin=0.1, **two,
               rows=8192),
        *(_plant("levels", f"partly-exact-{rate}", "mean", right, bound=_at(0.2), **partly(rate),
                 **UNIT) for rate, right in ((0.1, "upheld"), (0.4, "refuted"))),
        _plant("rows", "calls-seldom", "tail", {"refuted", "undecided", "refused"}, bound=HALF,
               simulate=seldom(0.3), grid={"delta": [0.97 * 0.009]}, rows=4096),
        _plant("rows", "calls-seldom-fully", "tail", {"refuted", "undecided", "refused"},
               bound=HALF, simulate=seldom(1.0), grid={"delta": [0.97 * 0.03]}, rows=4096),
    ]


def calls() -> list[Plant]:
    """7: what happens to few calls, or between calls, and no row of one block can show."""
    def now_and_then(n, *, size, rng):
        # In cell 2 a whole block breaks the promise, once in ten.
        rate = 0.03 if n == 1 else 1.0 * (rng.uniform() < 0.1)
        return 1.0 * (rng.uniform(size=size) < rate)

    def shared(n, *, size, rng):
        return 0.95 * rng.uniform(size=size) if n == 1 else np.full(size, rng.uniform())

    def chain(*, size, rng):
        """Stationary, refreshed once in 2,000 rows."""
        fresh = rng.uniform(size=size) < 1 / 2000
        fresh[0] = True
        values = 1.0 * (rng.uniform(size=size) < 0.06)
        return values[np.maximum.accumulate(np.where(fresh, np.arange(size), 0))]

    def seldom_large(*, size, rng):
        # No value comes twice: once in sixteen calls all rows are large.
        return rng.uniform(size=size) * 0.5 + 0.5 * (rng.uniform() < 1 / 16)

    def some_of(part):
        """A generator of its own, of a part of the seed that it was given."""
        def simulate(n, *, size, rng):
            sequence = rng.bit_generator.seed_seq
            entropy, (block,) = [int(word) for word in sequence.entropy], sequence.spawn_key
            return n * np.random.default_rng(part(entropy, block)).uniform(size=size)

        return simulate

    def by_turns(*rates):
        """Blocks that break the promise at one of these rates, by chance."""
        return {"simulate": lambda *, size, rng: 1.0 * (rng.uniform(size=size) < rng.choice(rates)),
                "bound": HALF, "rows": 4096}

    false, two = {"refuted", "undecided", "refused"}, {"grid": {"n": [1, 2]}}
    true = {"upheld", "undecided", "refused"}
    turns = [
        ("rare-turns", false, (0.004, 0.02), 0.01), ("close-turns", false, (0.006, 0.015), 0.01),
        ("turns", false, (0.03, 0.08), 0.05), ("turns-true", true, (0.0, 0.1), 0.055),
        ("rare-turns-true", true, (0.0, 0.02), 0.0101),
        ("seldom-turns", false, (0.0, 0.0, 0.0, 0.05), 0.012),
    ]
    parts = {
        "block": lambda entropy, block: block,
        "address": lambda entropy, block: entropy,
        "seed-and-block": lambda entropy, block: [entropy[0], block],
        "cell-and-block": lambda entropy, block: [*entropy[-4:], block],
        "last-word": lambda entropy, block: [entropy[-1], block],
    }
    return [
        _plant("rows", "blocks-that-break-seldom", "tail", false, simulate=now_and_then, bound=HALF,
               rows=4096, **two),
        _plant("rows", "blocks-of-one-draw", "mean", false, simulate=shared, bound=_at(0.49),
               rows=4096, **UNIT, **two),
        _plant("rows", "slow-chain", "tail", false, simulate=chain, bound=HALF, rows=4096),
        _plant("rows", "slow-chain-mean", "mean", false, simulate=chain, bound=_at(0.05),
               rows=4096, **UNIT),
        _plant("rows", "blocks-large-seldom", "mean", false, simulate=seldom_large, rows=4096,
               bound=_at(0.28), **UNIT),
        *(_plant("rows", name, "tail", right, **by_turns(*rates), grid={"delta": [delta]})
          for name, right, rates, delta in turns),
        *(_plant("rows", f"shared-scale-{delta}", "tail", right, rows=2048, bound=_at(1.6),
                 simulate=lambda *, size, rng: rng.normal(size=size) * rng.choice([0.5, 1.5]),
                 grid={"delta": [delta]}) for right, delta in ((true, 0.075), (false, 0.068))),
        *(_plant("rows", f"{kind}-by-turns", kind, false, bound=_at(0.47), margin=0.05, rows=2048,
                 simulate=lambda *, size, rng: rng.choice([0.47, 0.6]) + 0.3 * rng.uniform(
                     -1, 1, size), **UNIT) for kind in ("equal", "published")),
        *(_plant("rows", f"seeded-by-{name}{'-apart' * apart}", "tail", "refused", apart=apart,
                 simulate=some_of(part), bound=lambda n: 0.99 * n, **two)
          for name, part in parts.items() for apart in (False, True)),
    ]


def every_plant() -> list[Plant]:
    """All of them."""
    from plants_declared import declared

    made = (masks, ties, rounding, vacuity, right_sides, ranges, dependence, rates, equalities,
            printed, levels, without_numbers, lattices, smallness,
            attacks, effects, calls, laws_nobody_tried, hostile, declared)
    return [plant for make in made for plant in make()]


def _edge(excess: float) -> list[Claim]:
    """Claims of every kind that draws decide, each this far beyond what it promises: 0 is true."""
    uniform = {"simulate": _uniform, **UNIT}
    small = {"rows": 256, "expect": "undecided"}
    # What is a hair beyond its margin is this much beyond it, of a range of 1.
    past = excess

    def level(delta):
        return 1 - delta * (1 + excess)

    def two_points(*, size, rng):
        return 1.0 * (rng.uniform(size=size) < 0.05 + past)

    def drawn(*, size, rng):
        return {"lhs": rng.uniform(size=size) + past, "rhs": rng.uniform(size=size)}

    def drawn_tail(*, size, rng):
        radius = rng.uniform(size=size)
        return {"lhs": radius + rng.uniform(size=size) - 0.7 + 0.3 * past, "rhs": radius}

    def exponential(*, size, rng):
        return rng.exponential(size=size) + past

    def weighted(*, size, rng):
        x = rng.exponential(5.0, size)
        return {"lhs": x, "weight": 5 * np.exp(-0.8 * x)}

    def shifted(by):
        def simulate(*, size, rng):
            return {"lhs": rng.uniform(size=size), "other": (1 - by) * rng.uniform(size=size)}

        return simulate

    def power(n, *, size, rng):
        return n**-0.5 * rng.uniform(0.5, 1.5, size)

    # Scaling a uniform by 1 - h moves it by h/2 in Wasserstein's distance and h in Kolmogorov's.
    return [
        _plant("edge", "tail", "tail", TRUE, bound=level, simulate=_uniform,
               grid={"n": [1, 2], "delta": [0.3, 0.1]}, **small),
        _plant("edge", "masked-tail", "tail", TRUE, bound=level, grid={"delta": [0.2]},
               simulate=_masked(_uniform, _coins(0.5, high=2.0), 0.6), **small),
        _plant("edge", "drawn-tail", "tail", TRUE, simulate=drawn_tail, grid={"delta": [0.3]},
               **small),
        _plant("edge", "weighted-tail", "tail", TRUE, simulate=weighted, grid={"delta": [1e-3]},
               bound=lambda delta: -np.log(delta * (1 + excess)), weight_high=5.0,
               weight_limit=lambda delta: 5 * (delta * (1 + excess)) ** 0.8 + 1e-12, **small),
        _plant("edge", "mean", "mean", TRUE, bound=_at(0.5 - past), grid={"n": [1, 2, 3]},
               **{**small, **uniform}),
        _plant("edge", "rare-mean", "mean", TRUE, bound=_at(0.05), simulate=two_points, **UNIT,
               **small),
        _plant("edge", "drawn-mean", "mean", TRUE, simulate=drawn, low=-1.0, high=1.5, **small),
        _plant("edge", "variance-mean", "mean", TRUE, bound=_at(1.0), variance=_at(1.0),
               simulate=exponential, **small),
        _plant("edge", "equal", "equal", TRUE, bound=_at(0.45 - past), margin=0.05,
               **{**small, **uniform}),
        _plant("edge", "equal-below", "equal", TRUE, bound=_at(0.55 + past), margin=0.05,
               **{**small, **uniform}),
        _plant("edge", "laws", "equal", TRUE, margin=0.2, simulate=shifted(0.2 + past), **small),
        _plant("edge", "laws-natural", "equal", TRUE, margin=0.1, **UNIT,
               simulate=shifted(0.2 + 2 * past), **small),
        _plant("edge", "published", "published", TRUE, bound=_at(0.49 - past), margin=0.01,
               **{**small, **uniform}),
        _plant("edge", "rate", "rate", TRUE, bound=_at(-0.5 - past), simulate=power, along="n",
               low=0.0, high=lambda n: 1.5 * n**-0.5,
               **{**small, "grid": {"n": [4.0**k for k in range(5)]}}),
    ]


def family(*, true: bool) -> list[Claim]:
    """Claims of every kind at the edge of what they promise: all true, or all false by a hair."""
    return [plant.claim() for plant in _edge(0.0 if true else 1e-6)]
