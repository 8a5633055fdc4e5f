"""Herds of digits and of MNIST: Figure 1 of the earlier version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.sparse.digits.simulate import (
    MNIST_IMAGES,
    Protocol,
    bundled,
    first_of_mnist,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

def digit_herds() -> Figure:
    r"""Figure 1 of the earlier version on stand-in digits: accuracy on test images against the size
    of the herd. The training set is herded with a fixed tolerance, then the herd, and so on;
    parallel herding does it in subdivisions. Each dot is a herd; the line is the mean of the whole
    training set. A title has the accuracy of the smallest herd, and that of all. Print has lost
    its numbers; ours are bandwidth 0.5 and tolerance 0.1 a round on bundled digits 3 and 8 (8 × 8
    pixels), of which each of three splits holds out another third. On MNIST itself: the pages
    under the same names and `/mnist`.
    """
    return _herds({f"Split {fold + 1}": bundled(fold) for fold in (0, 1, 2)}, width=9.6)


def mnist_herds() -> Figure:
    r"""Figure 1 of the earlier version on MNIST, 3 against 8: accuracy on the 1,984 test images
    against the size of the herd, for all 11,982 training images, and for the first 4,000 of them,
    of which the claims speak. The training set is herded with a fixed tolerance, then the herd, and
    so on, down to 100 images as in print; parallel herding does it in subdivisions. Each dot is a
    herd; the line is the mean of the whole training set. A title has the accuracy of the smallest
    herd, and that of all. Print has lost its numbers; ours are bandwidth 2, tolerance 0.04 a round
    and parts of 1,000.
    """
    return _herds(
        {"MNIST": first_of_mnist(), f"MNIST, first {MNIST_IMAGES}": first_of_mnist(MNIST_IMAGES)},
        width=8.2,
    )


def _herds(protocols: dict[str, Protocol], width: float) -> Figure:
    """Both curves and the line, a panel a protocol."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 3.9), layout="constrained")
    panels = figure.subplots(1, len(protocols), sharey=True, squeeze=False).ravel()
    endings = []
    for axes, (name, protocol) in zip(panels, protocols.items(), strict=True):
        trained, tested = len(protocol.labels), len(protocol.answers)
        for label, curve, dash, colour, marker in (
            ("herding", protocol.recursive, "--", "C0", "o"),
            (f"parallel, parts of {protocol.part}", protocol.parallel, ":", "C2", "s"),
        ):
            sizes, right = np.transpose(curve)
            axes.plot(
                100 * sizes / trained, right / tested, linestyle=dash, color=colour, marker=marker,
                label=label,
            )
        baseline = protocol.baseline / tested
        axes.axhline(baseline, color="C1", label="mean of all", zorder=1)
        smallest, right = protocol.recursive[-1]
        endings.append(f"{smallest} of {trained}: {right / tested:.3f}, all: {baseline:.3f}")
        axes.set(xscale="log", xlabel=f"herd, share of {trained} images [%]")
        ticks = [t for t in (0.5, 1, 2, 5, 10, 20, 50) if t > 80 * protocol.stop / trained]
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_xticks([], minor=True)
        axes.set(title=f"{name}: {smallest} images {right / tested:.3f},\nall {baseline:.3f}")
    drawn = list(protocols.values())
    panels[0].set(ylabel=f"accuracy on {len(drawn[0].answers)} test images [share]")
    low = min(right / len(p.answers) for p in drawn for _, right in p.recursive + p.parallel)
    high = max(p.baseline / len(p.answers) for p in drawn)
    panels[0].set_ylim(low - (high - low) / 4, min(high + (high - low) / 4, 1.003))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3)
    most = max(
        (p.baseline - right) / len(p.answers)
        for p in drawn for _, right in p.recursive + p.parallel
    )
    figure.set_label(
        f"Accuracy against the size of the herd on {drawn[0].name}, tolerance "
        f"{drawn[0].tolerance:g} a round, bandwidth {drawn[0].bandwidth:g}; smallest herds "
        f"{'; '.join(endings)}. No herd falls more than {most:.3f} short of the mean of all."
    )
    return figure
