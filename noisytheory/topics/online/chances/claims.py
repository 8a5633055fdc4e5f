"""Regret with high probability on trial: the remark after Theorem 1."""

from __future__ import annotations

import math
from dataclasses import replace

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online.chances import bounds, pictures
from noisytheory.topics.online.regrets import simulate
from noisytheory.topics.online.regrets.bounds import general_regret
from noisytheory.topics.online.regrets.claims import CALLS, NAMES, OBLIVIOUS
from noisytheory.topics.online.regrets.games import game, noise, steps
from noisytheory.topics.online.regrets.simulate import Game
from noisytheory.vocabulary.domains import Numeric
from noisytheory.vocabulary.sequences import Examples, constant


def _without_tail(T: Numeric, Bw: Numeric, G: Numeric, delta: Numeric) -> Numeric:
    return general_regret(T, Bw, G**2, 1.0) + 0 * delta


high_prob = PAPER.cited(
    "high-prob",
    statement=r"\text{high-probability bounds by Azuma's inequality}",
    place="after Theorem 1",
    reason="no constant in print",
    note=(
        "Azuma's needs bounded differences, which products of sub-Gaussian factors are not; "
        "Freedman's with clipping does. Candidates with and without are on trial beside it."
    ),
    picture=pictures.tail_of_regret,
)
high_prob_candidate = PAPER.tail(
    "high-prob/candidate",
    statement=r"\Pr\big[\mathrm{regret}_T>G\sqrt{B_wT}\,"
    r"(1+\sqrt{2\ln(1/\delta)})\big]\le\delta",
    place="after Theorem 1",
    hypotheses=[OBLIVIOUS, NAMES],
    bound=bounds.regret_tail,
    simulate=simulate.regret,
    exact=simulate.regret_exactly,
    grid=dict(population=[*(steps(p, 4) for p in (1.5, 2.0, 3.0)), game(constant(30), p=3.0)],
              delta=[0.2, 0.1, 0.01, 0.001]),
    trivial=lambda high: high,
    origin="candidate",
    note="Ours, not proved; the exact law of the hardest labels known, and draws of constant ones.",
    quantity="regret of a run",
    twin=dict(bound=_without_tail, why=r"no $\sqrt{\ln}$ term"),
)


def _clipped(p: float, law: str, level: float, examples: Examples | None = None) -> Game:
    """Gradient estimates are shortened at their root mean square times root T over log(1/level)."""
    made = game(examples or steps(p, 3).examples, noise=noise(1.0, law), p=p)
    return replace(made, clip=made.G * math.sqrt(made.T / math.log(1 / level)))


high_prob_clipped = PAPER.tail(
    "high-prob/clipped",
    statement=r"\Pr\big[\mathrm{regret}_T>G\sqrt{B_wT}\,(1+\sqrt{2\ln(1/\delta)})\big]"
    r"\le\delta,\quad\|\tilde g_t\tilde\Psi_t\|\text{ clipped at }"
    r"G\sqrt{T/\ln(1/\delta)}",
    place="beside the remark on high probability after Theorem 1",
    hypotheses=[OBLIVIOUS, CALLS, "the noise has a variance, no more", NAMES],
    bound=bounds.regret_tail,
    simulate=simulate.regret,
    grid=dict(population=[
        _clipped(1.5, "student", 0.01), _clipped(2.0, "sparse", 0.01),
        _clipped(3.0, "skewed", 0.01), _clipped(2.0, "sparse", 0.01, constant(72)),
    ], delta=[0.1, 0.01]),
    trivial=lambda high: high,
    rows=512,
    origin="candidate",
    note=(
        r"Ours. Freedman's inequality, with $\lambda=\ln(2/\delta)$ in the clip, proves "
        r"$1.88+6.17\sqrt\lambda$ in place of $1+\sqrt{2\ln(1/\delta)}$ (1.88 from the squares, "
        "4.17 from the martingale, 2 from the bias of clipping), of which a sixth is reached; half "
        "of what is tried is."
    ),
    quantity="regret of a run",
    twin=dict(bound=_without_tail, why=r"no $\sqrt{\ln}$ term"),
)
