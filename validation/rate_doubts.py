"""How often true noise rates are doubted

Run as ``python validation/rate_doubts.py`` (two minutes of one core), with ``--record`` to write
the page. `KernelMeanClassifierCV` warns where its predictions, each example left out in turn,
differ from fewer noisy labels than the given rates allow, but for a chance of .001 of a binomial
variable. Predictions depend on each other's labels, and the model is the one of several that
differs from fewest, so that the chance is not exact. Here all rates are true: each warning is
false. "All options" tries both class weights and thresholds.

What to make of it:

- By default the chance holds about: next to no warnings where classes overlap, whose errors come
  on top of the noise, and at most .2 per cent where nothing but the noise is to be seen.
- With all options it is a few times as large, most of all where nothing can be learned: what
  chose the threshold counts its errors.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from average_top_k import page

from noisytheory import KernelMeanClassifierCV

FITS = 2000
EVERY: dict[str, Any] = dict(class_weights=("balanced", None), thresholds=(False, True))
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
NEXT = 0.6 * np.eye(3) + 0.4 * np.roll(np.eye(3), 1, axis=0)


def blobs(
    n: int, rng: np.random.Generator, *, classes: int = 2, gap: float = 6.0, rare: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes so many standard deviations apart; of two the second as rare as is said."""
    shares = [1 - rare, rare] if classes == 2 else None
    y = rng.choice(classes, n, p=shares)
    return rng.normal(size=(n, 2)) + gap * CORNERS[y], y


def board(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Four squares, two of a class."""
    x = rng.uniform(-1, 1, (n, 2))
    return x, (x[:, 0] * x[:, 1] > 0).astype(int)


CASES: list[tuple[str, Any, int, dict[str, Any], Any]] = [
    ("classes apart, 30%", blobs, 200, {}, 0.3),
    ("classes apart, 40%", blobs, 40, {}, 0.4),
    ("classes apart, 10 and 40%", blobs, 200, {}, (0.1, 0.4)),
    ("one in twenty, 30%", blobs, 200, dict(rare=0.05), 0.3),
    ("three apart, 40% to the next", blobs, 300, dict(classes=3), NEXT),
    ("checkerboard, 20%", board, 400, {}, 0.2),
    ("nothing to learn, 45%", blobs, 100, dict(gap=0.0), 0.45),
]


def doubts(draw: Any, n: int, kind: dict[str, Any], rate: Any, options: dict[str, Any]) -> int:
    """Of so many seeded fits those that warn of the rates."""
    pair = rate if isinstance(rate, tuple) else (rate, rate)
    confusion = rate
    if np.ndim(rate) < 2:
        confusion = np.array([[1 - pair[0], pair[1]], [pair[0], 1 - pair[1]]])
    count = 0
    for seed in range(FITS):
        rng = np.random.default_rng(seed)
        x, y = draw(n, rng, **kind)
        noisy = (rng.random((n, 1)) > confusion.cumsum(axis=0).T[y]).sum(axis=1)
        with warnings.catch_warnings(record=True, action="always") as said:
            KernelMeanClassifierCV(noise_rate=rate, orientation="column", **options).fit(x, noisy)
        count += any("by noise_rate" in str(one.message) for one in said)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the page")
    with page(__file__, __doc__ if parser.parse_args().record else None):
        print(f"false warnings in {FITS} fits{'n':>22}{'default':>10}{'all options':>14}")
        total = np.zeros(2, int)
        for name, draw, n, kind, rate in CASES:
            found = [doubts(draw, n, kind, rate, options) for options in ({}, EVERY)]
            total += found
            print(f"{name:32}{n:15}{found[0]:10}{found[1]:14}", flush=True)
        share = 100 * total / (FITS * len(CASES))
        print(f"{'all, per cent':47}{share[0]:10.2f}{share[1]:14.2f}")


if __name__ == "__main__":
    main()
