"""Planted claims whose truth is known by construction, one or two of every kind."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from noisytheory import Certificate, Claim, Law, Paper

PAPER = Paper("planted", "Claims whose truth is known")


def _level(delta):
    # L is uniform, so Pr[L > 1 - delta] = delta: exactly at the level, for every delta at once.
    return 1 - delta


def _uniform(n, *, size, rng):
    return rng.uniform(size=size)


def at_level(name: str = "at-level", cells: int = 4, **fields) -> Claim:
    """A true tail claim sitting exactly at its level in every cell and at every delta."""
    fields = {"rows": 512, "grid": {"n": list(range(1, cells + 1)), "delta": [0.5, 0.1, 0.02]},
              **fields}
    return PAPER.tail(name, statement="U > 1 - \\delta", bound=_level, simulate=_uniform,
                      expect="undecided", **fields)


def _hoeffding(n, delta):
    return np.sqrt(np.log(1 / delta) / (2 * n))


def _mean_of_coins(n, *, size, rng):
    return rng.binomial(n, 0.5, size) / n - 0.5


def hoeffding(name: str = "hoeffding", **fields) -> Claim:
    """A true tail claim with room to spare."""
    fields = {"grid": {"n": [10, 100], "delta": [0.1, 0.01]}, "trivial": 0.5, "rows": 1024,
              "twin": {"bound": _quartered, "why": "constant quartered"},
              "simulate": _mean_of_coins, **fields}
    return PAPER.tail(name, statement="x", bound=_hoeffding, **fields)


def _quartered(n, delta):
    return _hoeffding(n, delta) / 4


def _coin_law(n):
    from scipy.stats import binom

    k = np.arange(n + 1)
    return Law(k / n - 0.5, binom.pmf(k, n, 0.5))


def exact_hoeffding(**fields) -> Claim:
    """The same with its exact law."""
    return hoeffding("hoeffding-exact", exact=_coin_law, **fields)


def _empirical_bound(spread, n, delta):
    return spread * np.sqrt(2 * np.log(1 / delta) / n) + 3 * np.log(1 / delta) / n


def _with_spread(n, *, size, rng):
    x = rng.uniform(size=(size, n))
    return {"lhs": x.mean(axis=1) - 0.5, "spread": x.std(axis=1)}


def data_dependent(**fields) -> Claim:
    """A tail claim whose right side depends on the draws."""
    return PAPER.tail("data-dependent", statement="x", bound=_empirical_bound,
                      simulate=_with_spread, rows=512,
                      grid={"n": [20, 50], "delta": [0.1, 0.02]}, **fields)


def _half(n):
    return 0.5


def _above_half(n):
    return 0.4


def _squares(n, *, size, rng):
    return rng.uniform(size=size) ** 1.2  # mean 1/2.2 = 0.4545


def mean(**fields) -> Claim:
    """E U^1.2 = 0.4545 <= 0.5, range known."""
    return PAPER.mean("mean", **{"statement": "x", "bound": _half, "simulate": _squares,
                                 "low": 0.0, "high": 1.0, "grid": {"n": [1, 2]},
                                 "twin": {"bound": _above_half, "why": "0.4"}, **fields})


def _exponential(n, *, size, rng):
    return rng.exponential(size=size)


def mean_at_level(name: str = "mean-at-level", **fields) -> Claim:
    """A true mean claim with nothing to spare: E U = 1/2 <= 1/2."""
    return mean_of(name, bound=_half, expect="undecided", **fields)


def mean_of(name: str, **fields) -> Claim:
    """E U against a bound, range known."""
    return PAPER.mean(name, **{"statement": "x", "simulate": _uniform, "low": 0.0, "high": 1.0,
                               "rows": 512, "grid": {"n": [1, 2, 3]}, **fields})


def catoni_at_level(name: str = "catoni-at-level", **fields) -> Claim:
    """The same without a range: E X = 1 <= 1, variance 1."""
    return PAPER.mean(name, statement="x", bound=lambda n: 1.0, simulate=_exponential, rows=512,
                      grid={"n": [1, 2, 3]}, variance=lambda n: 1.0,
                      expect="undecided", **fields)


def equal_at_level(name: str = "equal-at-level", **fields) -> Claim:
    """A true equality: E U = 1/2."""
    return PAPER.equal(name, statement="x", bound=_value, simulate=_uniform, low=0.0, high=1.0,
                       rows=512, grid={"n": [1, 2, 3]},
                       **{"margin": 0.0, "expect": "undecided", **fields})


def same_law_at_level(name: str = "same-law-at-level", **fields) -> Claim:
    """Two equal laws, no margin."""
    return PAPER.equal(name, statement="x", simulate=_two_laws, margin=0.0, rows=512,
                       grid={"shift": [0.0]}, expect="undecided", **fields)


def published_at_level(name: str = "published-at-level", **fields) -> Claim:
    """A printed number that is right, a rare event, no tolerance to speak of."""
    return PAPER.published(name, statement="x", bound=lambda n: 1e-4, simulate=_rare, margin=1e-9,
                           low=0.0, high=1.0, rows=512, grid={"n": [1]}, expect="undecided",
                           **fields)


def _rare(n, *, size, rng):
    return (rng.uniform(size=size) < 1e-4).astype(float)


def family_at_level() -> list[Claim]:
    """True claims of every kind that random draws decide, each at the edge of what it promises."""
    return [at_level("at-level-0"), at_level("at-level-1"), at_level("at-level-2"),
            mean_at_level(), catoni_at_level(), equal_at_level(), same_law_at_level(),
            published_at_level()]


def unbounded_mean(**fields) -> Claim:
    """E X = 1 <= 1.2 with known variance 1 and no range."""
    return PAPER.mean("unbounded-mean", statement="x", bound=lambda n: 1.2,
                      simulate=_exponential, grid={"n": [1]},
                      **{"variance": lambda n: 1.0, **fields})


def _value(n):
    return 0.5


def _off_value(n):
    return 0.52


def equal(**fields) -> Claim:
    """E U = 1/2 within 0.02."""
    return PAPER.equal("equal", **{"statement": "x", "bound": _value, "simulate": _uniform,
                                   "margin": 0.02, "low": 0.0, "high": 1.0, "grid": {"n": [1]},
                                   "twin": {"bound": _off_value, "margin": 0.001,
                                            "why": "value off"}, **fields})


def _two_laws(shift, *, size, rng):
    return {"lhs": rng.normal(size=size), "other": rng.normal(shift, size=size)}


def same_law(shift: float = 0.0, **fields) -> Claim:
    """Two normal samples, the second shifted."""
    return PAPER.equal("same-law", statement="x", simulate=_two_laws,
                       **{"margin": 0.08, "grid": {"shift": [shift]}, **fields})


def _pairs(n, *, size, rng):
    a, b = rng.integers(0, 10, size=(2, size))
    return {"lhs": 2.0 * a * b, "a": a, "b": b}


def _sum_of_squares(a, b):
    return a**2 + b**2


def _sum_of_squares_wrong(a, b):
    return a**2 + b**2 - (a == b)


def _certify(a, b):
    right = int(a) ** 2 + int(b) ** 2
    return Certificate(Fraction(2 * int(a) * int(b)), Fraction(right), [("a", a), ("b", b)])


def _certify_wrong(a, b):
    true = _certify(a, b)
    return Certificate(true.lhs, true.rhs - int(a == b), true.steps)


def always(**fields) -> Claim:
    """2ab <= a^2 + b^2."""
    return PAPER.always("am-gm", **{"statement": "2ab \\le a^2+b^2", "bound": _sum_of_squares,
                                    "simulate": _pairs, "certify": _certify, "grid": {"n": [1]},
                                    "rows": 256,
                                    "twin": {"bound": _sum_of_squares_wrong,
                                             "certify": _certify_wrong, "why": "1 less on ties"},
                                    **fields})


def _all_pairs(n):
    a, b = (x.ravel() for x in np.meshgrid(np.arange(10), np.arange(10)))
    return {"lhs": 2.0 * a * b, "a": a, "b": b}


def exhaustive(**fields) -> Claim:
    """The same over every pair."""
    claim = {"statement": "x", "bound": _sum_of_squares, "exact": _all_pairs, "grid": {"n": [1]},
             "certify": _certify, **fields}
    return PAPER.always("am-gm-exhaustive", **claim)


def _binomial_formula(a, b):
    return a**2 + 2 * a * b + b**2


def _square_of_sum(n, *, size, rng):
    a, b = rng.normal(size=(2, size))
    # Where a is nearly -b the sides are small by cancellation.
    return {"lhs": (a + b) ** 2, "a": a, "b": b, "scale": a**2 + b**2}


def identity(**fields) -> Claim:
    """(a+b)^2 = a^2 + 2ab + b^2."""
    return PAPER.identity("binomial", **{"statement": "x", "bound": _binomial_formula,
                                         "simulate": _square_of_sum, "grid": {"n": [1]},
                                         "rows": 256, **fields})


def exists(optimum: float = 0.3, **fields) -> Claim:
    """inf >= 1/4."""
    return PAPER.exists("exists", statement="x", bound=lambda n: 0.25,
                        exact=lambda n: (optimum, 1e-12), grid={"n": [1]}, **fields)


def _root_n(n, *, size, rng):
    return rng.uniform(size=size) / np.sqrt(n)


def rate(exponent: float = -0.45, **fields) -> Claim:
    """E[U]/sqrt(n) has slope -1/2."""
    return PAPER.rate("rate", **{"statement": "x", "bound": lambda: exponent, "along": "n",
                                 "simulate": _root_n, "low": 0.0, "high": lambda n: n**-0.5,
                                 "grid": {"n": [10.0 * 2**k for k in range(8)]}, "rows": 1024,
                                 **fields})


def published(printed: float = 0.5, **fields) -> Claim:
    """A printed mean of a uniform."""
    return PAPER.published("table", **{"statement": "x", "bound": lambda n: printed,
                                       "simulate": _uniform, "margin": 0.03,
                                       "low": 0.0, "high": 1.0, "printed_error": 0.002,
                                       "grid": {"n": [1]}, **fields})


def cited(**fields) -> Claim:
    """A quotation."""
    return PAPER.cited("quoted", statement="x", **fields)


def every_kind() -> list[Claim]:
    """One claim of every kind and form, true unless its name says otherwise."""
    return [
        at_level(), hoeffding(), exact_hoeffding(), data_dependent(), mean(), unbounded_mean(),
        equal(), same_law(), always(), exhaustive(), identity(), exists(), rate(), published(),
        cited(),
    ]
