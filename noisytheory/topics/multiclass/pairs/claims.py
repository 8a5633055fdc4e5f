"""Section 3.5 on trial: which pair of classes to correct, and how many there are of each."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.deviations.simulate import OneAtom
from noisytheory.topics.multiclass.instances import TAUGHT
from noisytheory.topics.multiclass.pairs import bounds, sides, simulate
from noisytheory.trial.sides import scaled, worked

SANDWICH: dict[str, Any] = dict(
    place="Sec. 3.5, (19)", quantity="square", **worked(sides.sandwich)
)
norm_printed = PAPER.always(
    "norm-estimates-error/printed",
    statement=r"\text{the pair with the longest }\mu^p_q\text{ has most errors}",
    place="Sec. 3.5, (19)",
    expect="refuted",
    quantity="mass of error passed over",
    note="Points of one class may cancel: mass 1/2 has norm .14 where mass 1/5 has norm .2.",
    **worked(sides.by_norm),
)
norm_below = PAPER.always(
    "norm-estimates-error/below",
    statement=r"\tfrac12\theta^2m_{pq}^2\le\|\mu^p_q\|^2",
    given=dict(side="below"),
    origin="candidate",
    hypotheses=[TAUGHT],
    note="Attained by a class seen at an angle from both sides.",
    twin=dict(given=dict(side="below, no half"), why="the half dropped"),
    **SANDWICH,
)
norm_above = PAPER.always(
    "norm-estimates-error/above",
    statement=r"\|\mu^p_q\|^2\le m_{pq}^2",
    hypotheses=[r"$\|X\|\le1$"],
    given=dict(side="above"),
    origin="candidate",
    note="Attained by a class of one atom.",
    twin=scaled(Fraction(1, 2), "half of it"),
    **SANDWICH,
)
pi_hat = PAPER.identity(
    "pi-hat",
    statement=r"\mathbb E\hat\pi_q=\pi_q",
    place="Sec. 3.5",
    given=dict(orientation="column"),
    quantity="share of a class",
    note="Every sample of two examples is enumerated.",
    twin=dict(given=dict(orientation="row"), why="C transposed"),
    **worked(sides.shares),
)
pi_hat_positive = PAPER.always(
    "pi-hat/printed",
    statement=r"\hat\pi_q\ge0",
    place="Sec. 3.5, (20)",
    expect="refuted",
    quantity="minus the least share",
    note="(20) divides by it; of two examples a rare label makes it negative.",
    **worked(sides.negative_shares),
)
pi_hat_tail = PAPER.tail(
    "pi-hat/deviation",
    statement=r"|\hat\pi_q-\pi_q|\le(\max_kB_{qk}-\min_kB_{qk})\sqrt{\tfrac{\ln(2/\delta)}{2n}}",
    place="Sec. 3.5",
    bound=bounds.share_deviation,
    simulate=simulate.share_gap,
    exact=simulate.share_law,
    trivial=simulate.largest_gap,
    grid=dict(population=[OneAtom(0.499), OneAtom(0.45)], n=[300, 10_000],
              delta=[0.5, 0.05, 0.01, 1e-50]),
    origin="candidate",
    quantity="deviation of a share",
    note="Print has the estimate without a deviation. Nearest on a single atom, .98 of it at the "
         "smallest level; at .05 it is .72.",
    twin=scaled(0.96875),
)
ADDED = r"$\|v\|=\sum_q|v_q|$, $\|A\|=\max_k\sum_q|A_{qk}|$"
pi_hat_estimated = PAPER.always(
    "pi-hat/estimated",
    statement=r"\|\hat\pi-\pi\|\le\|\hat C^{-1}\|\big(\|\hat y/n-C\pi\|+\|\hat C-C\|\big)",
    place="Sec. 3.5",
    hypotheses=[ADDED],
    bound=bounds.shares_deviation,
    origin="candidate",
    quantity="deviation of all shares",
    note="Attained by two classes under flips that are misjudged, where one class is all there is.",
    twin=scaled(0.96875),
    **worked(sides.estimated_shares, "cost", "estimate", "labels"),
)
inverse_estimated = PAPER.always(
    "estimated-c/inverse",
    statement=r"\|\hat C^{-1}-C^{-1}\|\le\frac{\|C^{-1}\|^2\|\hat C-C\|}"
    r"{1-\|C^{-1}\|\,\|\hat C-C\|}",
    place="Sec. 4.2.3",
    hypotheses=[ADDED, r"$\|C^{-1}\|\,\|\hat C-C\|<1$"],
    bound=bounds.inverse_deviation,
    origin="candidate",
    quantity="deviation of the inverse",
    note="Attained by two classes under flips that are misjudged.",
    twin=scaled(0.96875),
    **worked(sides.estimated_inverses, "cost", "estimate"),
)
REGION: dict[str, Any] = dict(
    place="Sec. 3.5, (ii)", quantity="relative variance, times n", **worked(sides.growing_region)
)
bigger_printed = PAPER.always(
    "bigger-region-more-reliable/printed",
    statement=r"A_p\text{ larger}\Rightarrow z_{pq}\text{ more reliable}",
    given=dict(added="correct points"),
    expect="refuted",
    note="Correct points bring only their noise: from 4.7 to 11.8 times the mean's norm.",
    **REGION,
)
bigger_repaired = PAPER.always(
    "bigger-region-more-reliable/repaired",
    statement=r"A_p\text{ and }m_{pq}\text{ larger in proportion}\Rightarrow z_{pq}"
    r"\text{ more reliable}",
    given=dict(added="errors"),
    twin=dict(given=dict(added="correct points"), why="correct points added"),
    **REGION,
)
