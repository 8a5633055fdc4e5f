"""A path of bandwidths as noisy labels see it, and as clean ones do."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.label_noise.choice.bounds import noisy_error
from noisytheory.topics.label_noise.choice.leave_one_out import choose
from noisytheory.trial.kept import drawn_from
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.noise import SymmetricFlip
from noisytheory.vocabulary.populations import GaussianMixture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers

SEED, N, FRESH = 2026, 800, 2000
CORNERS = [(i, j) for i in range(4) for j in range(4)]
BOARD = GaussianMixture(
    "checkerboard", weights=[Fraction(1, 16)] * 16, means=np.array(CORNERS, dtype=float),
    covariances=0.3**2, labels=[1 if (i + j) % 2 == 0 else -1 for i, j in CORNERS],
    kernel=Gaussian(0.5),
)
RATES = (0.0, 0.2, 0.4)
BANDWIDTHS = tuple(2.0 ** (step / 2) for step in range(-10, 3))


def bandwidths() -> dict[str, Any]:
    """Risks by noisy labels left out with their errors, the one chosen, and clean errors."""
    rng = np.random.default_rng(SEED)
    points, labels = BOARD.sample(N, rng=rng)
    fresh, truth = BOARD.sample(FRESH, rng=rng)
    found: dict[str, Any] = {}
    for sigma in RATES:
        noisy = SymmetricFlip(sigma).apply(labels, rng=rng)
        codes = (noisy > 0).astype(np.intp)
        by_class = np.eye(2)[codes]
        sums, clean = [], []
        for bandwidth in BANDWIDTHS:
            kernel = Gaussian(bandwidth)
            gram = np.array(kernel(points))
            np.fill_diagonal(gram, 0)
            sums.append(gram @ by_class)
            clean.append(float(np.mean(truth * (kernel(fresh, points) @ noisy) <= 0)))
        chosen = choose(np.array(sums), codes, np.ones(N))
        found |= {
            f"{sigma:g} clean": clean, f"{sigma:g} risks": chosen.risks.ravel(),
            f"{sigma:g} errors": chosen.standard_errors.ravel(), f"{sigma:g} best": chosen.best[0],
        }
    return found


@drawn_from(bandwidths)
def path(found: Numbers) -> Figure:
    r"""Thirteen bandwidths on a checkerboard of 16 clusters, 800 examples with a share σ of labels
    flipped. Marks are leave-one-out errors on the noisy labels, with standard errors; lines are
    what noise makes of the clean error of the same classifiers, σ + (1 − 2σ) e, with e measured on
    2,000 fresh examples with clean labels. Up to σ = 0.2 the best bandwidth by the marks (filled)
    is about the best by the lines. At σ = 0.4 the whole path spans a standard error or two: 800
    labels choose the widest kernel, which is no better than a coin.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 4.2), layout="constrained")
    axes = figure.subplots()
    for sigma, colour, marker in zip(RATES, ("C0", "C1", "C2"), ("o", "s", "^"), strict=True):
        risks, best = found[f"{sigma:g} risks"], int(found[f"{sigma:g} best"])
        axes.plot(BANDWIDTHS, noisy_error(found[f"{sigma:g} clean"], sigma), color=colour)
        axes.errorbar(
            BANDWIDTHS, risks, found[f"{sigma:g} errors"], color=colour, marker=marker,
            markerfacecolor="none", linestyle="none", capsize=2, label=f"σ = {sigma:g}",
        )
        axes.plot(BANDWIDTHS[best], risks[best], color=colour, marker=marker, linestyle="none",
                  markersize=10)
    axes.set(
        xscale="log", xlabel="bandwidth [distance of neighbouring clusters]",
        ylabel="error on noisy labels [probability]", ylim=(0, 0.6),
        title="Bandwidths as noisy labels see them (marks) and as clean ones do (lines)",
    )
    axes.legend()
    figure.set_label(
        "Errors over the bandwidth for three shares of flipped labels. Each line falls a little, "
        "is lowest near a quarter of the distance of two clusters, and rises to one half; the "
        "marks from noisy labels follow the lines from clean ones, and the lines are the flatter "
        "the more labels are flipped: at 40 per cent the marks scatter by more than the line "
        "varies."
    )
    return figure
