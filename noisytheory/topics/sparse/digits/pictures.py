"""Herds of digits and of MNIST: Figure 1 of the earlier version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.sparse.digits.simulate import (
    MNIST_IMAGES,
    Protocol,
    bundled,
    first_of_mnist,
)
from noisytheory.trial.kept import drawn_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers


def digit_curves() -> dict[str, Any]:
    """Herds of the three splits of the bundled digits."""
    return _curves({f"Split {fold + 1}": bundled(fold) for fold in (0, 1, 2)})


def mnist_curves() -> dict[str, Any]:
    """Herds of MNIST, and of its first images."""
    return _curves(
        {"MNIST": first_of_mnist(), f"MNIST, first {MNIST_IMAGES}": first_of_mnist(MNIST_IMAGES)}
    )


def _curves(protocols: dict[str, Protocol]) -> dict[str, Any]:
    """What the picture shows of each: settings, both curves and the line."""
    found: dict[str, Any] = {"panels": list(protocols)}
    for name, protocol in protocols.items():
        found |= {
            f"{name}: data": protocol.name,
            f"{name}: settings": [protocol.tolerance, protocol.bandwidth],
            f"{name}: sizes": [
                len(protocol.labels), len(protocol.answers), protocol.part, protocol.stop
            ],
            f"{name}: herding": protocol.recursive,
            f"{name}: parallel": protocol.parallel,
            f"{name}: all": protocol.baseline,
        }
    return found


@drawn_from(digit_curves)
def digit_herds(found: Numbers) -> Figure:
    r"""Figure 1 of the earlier version on stand-in digits: accuracy on test images against the size
    of the herd. The training set is herded with a fixed tolerance, then the herd, and so on;
    parallel herding does it in subdivisions. Each dot is a herd; the line is the mean of the whole
    training set. A title has the accuracy of the smallest herd, and that of all. Print has lost
    its numbers; ours are bandwidth 0.5 and tolerance 0.1 a round on bundled digits 3 and 8 (8 × 8
    pixels), of which each of three splits holds out another third. On MNIST itself: the pages
    under the same names and `/mnist`.
    """
    return _herds(found, width=9.6)


@drawn_from(mnist_curves)
def mnist_herds(found: Numbers) -> Figure:
    r"""Figure 1 of the earlier version on MNIST, 3 against 8: accuracy on the 1,984 test images
    against the size of the herd, for all 11,982 training images, and for the first 4,000 of them,
    of which the claims speak. The training set is herded with a fixed tolerance, then the herd, and
    so on, down to 100 images as in print; parallel herding does it in subdivisions. Each dot is a
    herd; the line is the mean of the whole training set. A title has the accuracy of the smallest
    herd, and that of all. Print has lost its numbers; ours are bandwidth 2, tolerance 0.04 a round
    and parts of 1,000.
    """
    return _herds(found, width=8.2)


def _herds(found: Numbers, width: float) -> Figure:
    """Both curves and the line, a panel a protocol."""
    from matplotlib.figure import Figure

    names = [str(name) for name in found["panels"]]
    figure = Figure(figsize=(width, 3.9), layout="constrained")
    panels = figure.subplots(1, len(names), sharey=True, squeeze=False).ravel()
    endings, shares, baselines = [], [], []
    for axes, name in zip(panels, names, strict=True):
        trained, tested, part, stop = (int(size) for size in found[f"{name}: sizes"])
        for label, curve, dash, colour, marker in (
            ("herding", found[f"{name}: herding"], "--", "C0", "o"),
            (f"parallel, parts of {part}", found[f"{name}: parallel"], ":", "C2", "s"),
        ):
            sizes, right = np.transpose(curve)
            shares.append(right / tested)
            axes.plot(
                100 * sizes / trained, right / tested, linestyle=dash, color=colour, marker=marker,
                label=label,
            )
        baseline = float(found[f"{name}: all"]) / tested
        baselines += 2 * [baseline]
        axes.axhline(baseline, color="C1", label="mean of all", zorder=1)
        smallest, right = found[f"{name}: herding"][-1]
        endings.append(f"{smallest} of {trained}: {right / tested:.3f}, all: {baseline:.3f}")
        axes.set(xscale="log", xlabel=f"herd, share of {trained} images [%]")
        ticks = [t for t in (0.5, 1, 2, 5, 10, 20, 50) if t > 80 * stop / trained]
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_xticks([], minor=True)
        axes.set(title=f"{name}: {smallest} images {right / tested:.3f},\nall {baseline:.3f}")
    tested = int(found[f"{names[0]}: sizes"][1])
    panels[0].set(ylabel=f"accuracy on {tested} test images [share]")
    low, high = min(of.min() for of in shares), max(baselines)
    panels[0].set_ylim(low - (high - low) / 4, min(high + (high - low) / 4, 1.003))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3)
    most = max((line - of).max() for line, of in zip(baselines, shares, strict=True))
    tolerance, bandwidth = found[f"{names[0]}: settings"]
    figure.set_label(
        f"Accuracy against the size of the herd on {found[f'{names[0]}: data']}, tolerance "
        f"{tolerance:g} a round, bandwidth {bandwidth:g}; smallest herds "
        f"{'; '.join(endings)}. No herd falls more than {most:.3f} short of the mean of all."
    )
    return figure
