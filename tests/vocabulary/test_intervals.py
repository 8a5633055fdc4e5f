"""Intervals enclose whatever numpy gives of their members."""

from __future__ import annotations

import numpy as np
import pytest
from public_bounds import BOUNDS, values_of

from noisytheory.vocabulary.domains import trusted
from noisytheory.vocabulary.intervals import KNOWN, Interval
from noisytheory.vocabulary.inverse import ends


def test_every_function_encloses_its_members():
    rng = np.random.default_rng(0)
    corners = np.sort(rng.normal(size=(2, 2, 400)) * 10.0 ** rng.integers(-3, 3, 400), axis=1)
    corners[:, :, ::4] = np.round(corners[:, :, ::4])
    inside = corners[:, 0] + rng.random((2, 400)) * (corners[:, 1] - corners[:, 0])
    inside = np.clip(inside, corners[:, 0], corners[:, 1])
    with np.errstate(all="ignore"):
        for name in KNOWN:
            ufunc = getattr(np, name)
            if name.endswith("_and"):
                continue  # of comparisons alone
            found = ufunc(*(Interval(*c) for c in corners[: ufunc.nin]))
            value = ufunc(*inside[: ufunc.nin]).astype(float)
            known = ~(np.isnan(found.low) | np.isnan(found.high) | np.isnan(value))
            assert known.mean() > 0.1, name  # arctanh is of little but [-1, 1]
            assert ((found.low <= value) & (value <= found.high))[known].all(), name


def test_powers_by_hand():
    found = Interval([-2.0, -2.0, 0.5], [1.0, 1.0, 2.0]) ** np.array([2.0, 3.0, -1.5])
    assert found.low == pytest.approx([0, -8, 2**-1.5]) and found.low[0] == 0
    assert found.high == pytest.approx([4, 1, 2**1.5])
    assert np.isnan((Interval(-1, 1) ** 0.5).low)
    assert (1 / Interval([-1.0, 0.0], [1.0, 2.0])).low.tolist() == [-np.inf, 0.5]


def test_what_differs_between_members_is_not_decided():
    x = Interval([1.0, 2.0], [2.0, 5.0])
    assert bool(x > 0) and not bool(x < 1) and np.all(x >= 1)
    with pytest.raises(TypeError, match="differ"):
        bool(x > 2)
    found = np.where(x > 2, x, -x)
    assert (found.low.tolist(), found.high.tolist()) == ([-2, -5], [-1, 5])
    assert x[()] is x
    for unknown in (np.cumsum, np.sin, lambda x: x[0]):
        with pytest.raises(TypeError, match=r"no interval is known of|not taken apart"):
            unknown(x)


def test_public_bounds_lie_within_theirs():
    rng, enclosed = np.random.default_rng(0), 0
    for label, bound in BOUNDS.items():
        given = {k: np.float64(v) if k in bound.domains else v for k, v in values_of(bound).items()}
        for name, domain in bound.domains.items():
            others = {key: value for key, value in given.items() if key != name}
            low, high = ends(domain)
            low, high = max(low, given[name] / 8), min(high, given[name] * 8)
            edges = np.linspace(low, high, 20)
            inside = edges[:-1] + rng.random(19) * np.diff(edges)
            with np.errstate(all="ignore"), trusted():
                try:
                    found = bound(**{name: Interval(edges[:-1], edges[1:])}, **others)
                except (TypeError, ValueError, AttributeError, IndexError):
                    continue
                if isinstance(found, Interval):
                    value = np.broadcast_to(bound(**{name: inside}, **others), inside.shape)
                    out = (value < found.low) | (value > found.high)
                    assert not out.any(), (label, name)
                    enclosed += 1
    assert enclosed > 350  # of some 460 arguments
