"""What the protocol of Section 2 promises by itself, on trial."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online.prospects import trivial_regret
from noisytheory.topics.online.protocol import simulate
from noisytheory.topics.online.protocol.simulate import Leaning, Recorded, Swing
from noisytheory.topics.online.regrets import bounds
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.analytic import SquaredLoss

SQUARED = SquaredLoss(0.0, "regression")
HALF = scaled(Fraction(1, 2))


def _anyway(T: int, Bw: float, By: float) -> float:
    return trivial_regret(T, Bw, 1.0, SQUARED, By)


setting = PAPER.mean(
    "setting",
    statement=r"\mathrm{regret}_T=\sum_t\ell(w_t)-\min_w\sum_t\ell(w)\le "
    r"T\max_{|a|\le\sqrt{B_wk(x,x)}+B_y}\ell(a)",
    place="Sec. 2, Eq. (1)",
    hypotheses=["squared loss, on the clean instances", r"$|y_t|\le B_y$"],
    bound=_anyway,
    exact=simulate.swinging_exactly,
    grid=dict(population=[
        Swing(T, 1.0, By) for T, By in [(24, 0.5), (24, 1.0), (96, 1.0), (24, 4.0)]
    ]),
    origin="candidate",
    note="What no regret exceeds, which the theorems' bounds are held against: `trivial_regret`. A "
    "predictor that swings from edge to edge, each time to the wrong one, has .75 of it where "
    "$B_y$ is the radius, and .85 where it is half of that. The protocol "
    "itself is what the other claims run.",
    quantity="regret of a run",
    twin=HALF,
)
promised = PAPER.mean(
    "promised-regret",
    statement=r"\mathrm{regret}_T\le c\sqrt{B_wB_gB_\Psi T},\quad c=1,\,2\sqrt2,\,3",
    place="beside Eq. (1): regret and its bound, as the learners show both",
    hypotheses=["a sequence fixed in advance", "the theory's step, the adaptive one, or the "
                r"theory's over the root of the round"],
    bound=bounds.promised_regret,
    exact=simulate.learnt_exactly,
    grid=dict(T=[100, 400], step=["theory", "adaptive", "no horizon"], Bw=[1.0], Bg=[1.0],
              Bpsi=[1.0]),
    trivial=lambda T: 2.0 * T,
    origin="candidate",
    note="What a learner's `regret_bound` calls with its second moments. On the line, with exact "
    "gradients and labels that are hard for the step, .98, .78 to .87 and .81 to .89 of it.",
    quantity="regret of a run",
    twin=HALF,
)
online_to_batch = PAPER.mean(
    "online-to-batch",
    statement=r"\mathbb E\,\mathrm{risk}(\bar w)-\min_w\mathrm{risk}(w)\le"
    r"\sqrt{B_wB_gB_\Psi/T},\quad\bar w=\tfrac1T\sum_tw_t",
    place="Sec. 2: standard online-to-batch conversion",
    hypotheses=["independent examples", "convex loss"],
    bound=bounds.batch_excess,
    simulate=simulate.batch_excess,
    exact=simulate.batch_excess_exactly,
    low=0.0, high=lambda lean: 2 * lean, trivial=lambda lean: 2 * lean,
    grid=dict(population=[
        Leaning(1.5, 216, 0.4), Leaning(2.0, 128, 0.5), Leaning(3.0, 108, 0.5), Recorded(32, 0.3),
    ]),
    rows=64,
    quantity="excess risk",
    note="The averaged predictor is our choice; print leaves the conversion open. .80 of the bound "
    "with Theorem 1's estimates, by the exact law; .71 drawn, from one copy a round, by the "
    "functions with which the learners learn and predict.",
    twin=HALF,
)
