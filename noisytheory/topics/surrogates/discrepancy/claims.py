"""The mean discrepancy of two classes is the norm of the mean, and at most their variation."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.discrepancy import simulate
from noisytheory.topics.surrogates.instances import UNIT
from noisytheory.trial.sides import scaled, worked

relation_mmd = KERNEL_MEAN.identity(
    "relation-mmd",
    also=[AVERAGE_CLASSIFIER.also("relation-mmd", "Sec. 3.1")],
    statement=r"\mathrm{MMD}=\tfrac12\|\Phi(P_+)-\Phi(P_-)\|=\|\Phi(P)\|",
    place="Sec. 3.2",
    hypotheses=["both labels have probability one half"],
    given=dict(balance="1/2"),
    quantity="squared discrepancy",
    note=(
        "The supremum over the unit circle is enclosed by halving arcs, which knows nothing of the "
        "difference's direction. Two of six points, with uneven weights, against two of twelve: "
        "122 of 3,510 combinations."
    ),
    twin=dict(given=dict(balance="1/3"), why="labels out of balance"),
    **worked(simulate.mean_discrepancy),
)
relation_mmd_variation = KERNEL_MEAN.always(
    "relation-mmd/variation",
    statement=r"\mathrm{MMD}\le\mathrm{TV}(P_+,P_-)",
    place="Sec. 3.2",
    hypotheses=[UNIT],
    quantity="squared discrepancy",
    note=(
        "Attained by one point against its antipode in feature space. Every two laws on four "
        "points, two of them antipodes of the others, with masses in thirds."
    ),
    twin=scaled(Fraction(1, 2), "half of the squared total variation"),
    **worked(simulate.total_variation),
)
mmd_quadrature = KERNEL_MEAN.identity(
    "relation-mmd/mixtures",
    statement=r"\tfrac12\int\hat\Phi(P)(x)\,(p_+-p_-)(x)\,dx=\|\Phi(P)\|",
    place="Sec. 3.2",
    hypotheses=["both labels have probability one half"],
    given=dict(balance="classes"),
    rounding=1e-9,
    quantity="difference of the class means of the unit mean, halved",
    note=(
        "The unit mean attains the discrepancy. Gaussian mixtures on a line, two components "
        "against one: the closed form of the package against the trapezoidal rule, certified by "
        "nodes of Gauss and Hermite."
    ),
    twin=dict(given=dict(balance="examples"), why="negative examples counted one half"),
    exact=worked(simulate.discrepancy_by_quadrature)["exact"],
    certify=simulate.discrepancy_by_nodes,
)
mmd_variation_nonnegative = KERNEL_MEAN.always(
    "relation-mmd/variation-nonnegative",
    statement=r"\mathrm{MMD}\le\tfrac1{\sqrt2}\mathrm{TV}(P_+,P_-)",
    place="Sec. 3.2",
    hypotheses=[UNIT, "a kernel that is nowhere negative"],
    quantity="squared discrepancy",
    origin="sharper",
    note=(
        "What is left after the common part of the classes is two laws whose means have a product "
        "of at least 0. Gaussian mixtures on a line, total variation by quadrature, certified from "
        "where the densities cross; approached by narrow classes far apart."
    ),
    twin=scaled(Fraction(1, 2), "half of it, squared: 1/2 for the root of 1/2"),
    exact=worked(simulate.variation_by_quadrature)["exact"],
    certify=simulate.variation_by_crossings,
)
