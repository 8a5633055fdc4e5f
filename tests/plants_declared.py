"""Planted claims about what a claim declares, holds and returns: merged into the others' list."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from plants import FALSE, Plant, _at, _plant

from noisytheory import Certificate, Law

RULE = "declared"


def _uniform(*, size: int, rng: np.random.Generator) -> Any:
    return rng.uniform(size=size)


def _large(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
    """2^53 + 1 against 2^53, which are one float."""
    return {"lhs": 2**53 + 1 + 0 * rng.integers(2, size=size), "rhs": np.full(size, 2**53)}


def _over(*, size: int, rng: np.random.Generator) -> Any:
    """2e100 at most, by way of infinity."""
    return np.full(size, 1e200) * rng.uniform(1e200, 2e200, size) / 1e300


def _under(*, size: int, rng: np.random.Generator) -> Any:
    """1e-100 at least, by way of 0."""
    return (1e-200 * rng.uniform(1, 2, size)) ** 2 * 1e300


class _Buffered:
    """Fills one array again and again, which changes no number."""

    def __init__(self) -> None:
        self.arrays: dict[int, Any] = {}

    def __call__(self, *, size: int, rng: np.random.Generator) -> Any:
        array = self.arrays.setdefault(size, np.empty(size))
        rng.random(out=array)
        return array


def _shifted(by: float, *, size: int, rng: np.random.Generator) -> Any:
    return by + 0.1 * rng.uniform(size=size)


def _within(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"lhs": rng.uniform(size=size), "radius": np.full(size, 0.5)}


def _come_and_go(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
    found = {"lhs": rng.uniform(size=size), "other": rng.uniform(size=size)}
    return found if rng.uniform() < 0.5 else {"lhs": found["lhs"]}


def _listed(*, size: int, rng: np.random.Generator) -> list[float]:
    """Floats in some blocks, whole numbers in others."""
    return [0.75 if u < 0.003 else 0 for u in rng.uniform(size=size)]


def _nan(applies: list[bool]) -> Any:
    return lambda: {"lhs": [np.nan, 1.0], "rhs": [0.0, 2.0], "applies": applies}


def declared() -> list[Plant]:
    """All of them."""
    plant = functools.partial(_plant, RULE)
    half = {"simulate": _uniform, "bound": _at(0.5)}
    found = [
        plant("large-integers", "tail", "refused", simulate=_large, rounding=0.0),
        plant("large-integers-always", "always", "refused", simulate=_large,
              certify=lambda lhs, rhs_draw: Certificate(int(lhs), int(rhs_draw))),
        plant("overflow", "tail", "refused", simulate=_over, bound=_at(1e300)),
        plant("underflow-against-a-number", "tail", "refused", simulate=_under,
              bound=_at(1e-150)),
        plant("enumerated-nan", "always", "refused", exact=_nan([True, True])),
        plant("enumerated-nan-masked", "always", "upheld", exact=_nan([False, True])),
        plant("buffered", "tail", "upheld", simulate=_Buffered(), bound=_at(0.98)),
        plant("buffered-false", "tail", FALSE, simulate=_Buffered(), bound=_at(0.9)),
        plant("partial", "tail", "upheld", simulate=functools.partial(_shifted, by=0.0),
              bound=_at(0.5)),
        plant("partial-false", "tail", "refuted", simulate=functools.partial(_shifted, by=1.0),
              bound=_at(0.5)),
        plant("hidden-default", "tail", "refuted", simulate=_within,
              bound=lambda radius=2.0: radius),
        plant("hidden-default-mean", "mean", "refused", simulate=_within, low=0.0, high=1.0,
              bound=lambda radius=2.0: radius),
        plant("one-address", "tail", "refused", **half, grid={"a": [1, "1"], "delta": [0.05]}),
        plant("masked-array", "tail", "refused", bound=_at(0.5),
              simulate=lambda *, size, rng: np.ma.masked_greater(rng.uniform(size=size), 0.5)),
        plant("keys-come-and-go", "equal", "refused", simulate=_come_and_go, margin=0.1),
        plant("a-list", "tail", "upheld", simulate=_listed, bound=_at(0.5)),
        plant("missing-mass", "tail", "refused", bound=_at(1.5),
              exact=lambda: Law([0.0, 1.0], [0.5, 0.5 - 5e-10])),
        plant("unread-range", "tail", "refused", **half, low=0.0, high=1.0),
        plant("unread-impossible", "tail", "refused", **half, impossible=lambda: "x"),
        plant("infinite-range", "mean", "undecided", simulate=_uniform, bound=_at(0.9),
              low=-np.inf, high=np.inf),
        plant("negative-error", "exists", "refused", exact=lambda: (0.2, -0.1), bound=_at(0.25)),
        plant("no-optimum", "exists", "refused", exact=_at(None), bound=_at(0.2),
              simulate=_uniform),
    ]
    for name in ("slack", "rounding", "margin"):
        for value in (-0.1, np.nan, np.inf):
            kind = "equal" if name == "margin" else "tail"
            ends = {"low": 0.0, "high": 1.0} if kind == "equal" else {}
            found.append(plant(f"{name}-{value}", kind, "refused", **half, **ends, **{name: value}))
    return found
