"""Contamination of the classes, balanced error and AUC; noise that varies: Theorem 18, Lemma 19."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER as EARLIER
from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.label_noise.classes import bounds, sides
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import NOISE_RATE, REAL, UNIT_INTERVAL, Numeric, requires

# Past their checks, which make floats of fractions; those below check the same.
SHARES = inspect.unwrap(bounds.contamination_of_noise)
RATES = inspect.unwrap(bounds.noise_of_contamination)
FACTOR = inspect.unwrap(bounds.instance_noise_factor)


def _without_half(error: Numeric, alpha: Numeric, beta: Numeric, total: Numeric) -> Numeric:
    return (1 - alpha - beta) * error + (alpha + beta) * total


def _without_last(error: Numeric, alpha: Numeric, beta: Numeric) -> Numeric:
    return (1 - alpha - beta) * error


@requires(
    minus=UNIT_INTERVAL, plus=UNIT_INTERVAL, positive=UNIT_INTERVAL, up=UNIT_INTERVAL,
    down=UNIT_INTERVAL, label=REAL,
)
def _share_mixed(
    minus: Numeric, plus: Numeric, positive: Numeric, up: Numeric, down: Numeric, label: Numeric
) -> Numeric:
    alpha, beta = SHARES(minus, plus, positive)
    over, under = (1 - alpha) * up + alpha * down, (1 - beta) * down + beta * up
    return over * (label > 0) + under * (label < 0)


def _swapped(
    minus: Numeric, plus: Numeric, positive: Numeric, up: Numeric, down: Numeric, label: Numeric
) -> Numeric:
    beta, alpha = SHARES(minus, plus, positive)
    over, under = (1 - alpha) * up + alpha * down, (1 - beta) * down + beta * up
    return over * (label > 0) + under * (label < 0)


@requires(alpha=UNIT_INTERVAL, beta=UNIT_INTERVAL, positive=UNIT_INTERVAL, label=REAL)
def _way_back(alpha: Numeric, beta: Numeric, positive: Numeric, label: Numeric) -> Numeric:
    minus, plus = RATES(alpha, beta, positive)
    return minus * (label < 0) + plus * (label > 0)


def _wrong_way_back(alpha: Numeric, beta: Numeric, positive: Numeric, label: Numeric) -> Numeric:
    minus, plus = alpha * positive / (1 - positive), beta * (1 - positive) / positive
    return minus * (label < 0) + plus * (label > 0)


@requires(optimum=REAL, least=NOISE_RATE, most=NOISE_RATE)
def _within_rates(optimum: Numeric, least: Numeric, most: Numeric) -> Numeric:
    return FACTOR(least, most) * optimum


THIRD = (
    "All masses of three points that are halves, all shares that are quarters up to 1/2, and a "
    "lattice of scores with ties. The public function measures one in seven, on eight scores a "
    "class, sums over the masses the others."
)
EIGHTHS = "All rates that are eighths above 0, three shares of positive labels, two of a point."
TWO_FUNCTIONS = (
    "All pairs of functions with three values, and all noise of three rates, on three points of "
    "one law."
)

BALANCED: dict[str, Any] = dict(
    statement=(
        r"\mathrm{BER}_\ell(\tilde P_\pm,f)=(1-\alpha-\beta)\,\mathrm{BER}_\ell(P_\pm,f)"
        r"+\tfrac{\alpha+\beta}2C"
    ),
    place="Theorem 18, Sec. 4.5",
    quantity="balanced error on contaminated classes",
)
theorem_18_printed = PAPER.identity(
    "theorem-18/printed",
    also=[EARLIER.also("theorem-16/printed", "Theorem 16, Sec. 5.1")],
    statement=r"\exists C\ \forall f:\ " + BALANCED["statement"],
    place=BALANCED["place"],
    hypotheses=["the loss is robust to symmetric noise"],
    grid=dict(loss=["square of the score", "0-1", "linear"]),
    expect="refuted",
    quantity="C that the first of two scorers implies, times alpha + beta",
    note=(
        r"$v^2$ is robust because it does not read the label, and no $C$ fits it: with "
        r"$\alpha=0.3,\beta=0.1$ the scores 0 on $P_+$ and 2 on $P_-$ imply $C=6$, the scores 1 "
        r"and 0 imply $C=\frac12$. 0-1 loss with errors at zero, which the paper counts as robust, "
        "fails too; linear loss, whose sum over the labels is constant, does not."
    ),
    **both(sides.implied_constants, sides.Scorers),
)
theorem_18 = PAPER.identity(
    "theorem-18/repaired",
    also=[EARLIER.also("theorem-16/repaired", "Theorem 16, Sec. 5.1")],
    hypotheses=[r"l(1, v) + l(-1, v) = C at every score"],
    grid=dict(loss=["linear", "ramp", "0-1, half at zero"]),
    note=f"Repaired: the hypothesis that the proof uses. The constant is right. {THIRD}",
    twin=dict(
        **both(sides.balanced_error, sides.Classes, _without_half),
        why="the last term without its one half",
    ),
    **BALANCED,
    **{
        **both(sides.balanced_error, sides.Classes, bounds.balanced_error_contaminated),
        "exact": sides.balanced_error_of_scores,
    },
)
mutual_contamination = PAPER.identity(
    "mutual-contamination",
    statement=(
        r"\tilde P_+=(1-\alpha)P_++\alpha P_-,\ \tilde P_-=(1-\beta)P_-+\beta P_+\quad"
        r"\alpha=\tfrac{(1-\pi)\sigma_-}{\pi(1-\sigma_+)+(1-\pi)\sigma_-},\ "
        r"\beta=\tfrac{\pi\sigma_+}{\pi\sigma_++(1-\pi)(1-\sigma_-)}"
    ),
    place="Sec. 4.5",
    grid=dict(label=[1, -1]),
    quantity="probability of a point given its noisy label",
    note=f"Class-conditional label noise is mutual contamination; the shares are ours. {EIGHTHS}",
    twin=dict(
        **both(sides.label_noise_shares, sides.Flipped, _swapped), why="alpha and beta swapped"
    ),
    **both(sides.label_noise_shares, sides.Flipped, _share_mixed),
)
noise_rates = PAPER.identity(
    "mutual-contamination/back",
    statement=(
        r"\sigma_-=\tfrac{\alpha\tilde\pi}{1-\pi},\ \sigma_+=\tfrac{\beta(1-\tilde\pi)}\pi,"
        r"\quad\tilde\pi=\tfrac{\pi-\beta}{1-\alpha-\beta}"
    ),
    place="Sec. 4.5",
    hypotheses=["rates with sum below 1"],
    grid=dict(label=[-1, 1]),
    quantity="flip probability",
    unit="probability",
    note=f"The way back from the shares to the label noise that gives them. {EIGHTHS}",
    origin="sharper",
    twin=dict(
        **both(sides.noise_rates, sides.Mild, _wrong_way_back),
        why="the clean share of positive labels for the noisy one",
    ),
    **both(sides.noise_rates, sides.Mild, _way_back),
)
mutual_contamination_sums = PAPER.identity(
    "mutual-contamination/sums",
    statement=r"\alpha+\beta<1\iff\sigma_-+\sigma_+<1",
    place="Sec. 4.5",
    hypotheses=["both labels occur"],
    given=dict(limit=1),
    quantity="whether alpha + beta is less than 1",
    origin="sharper",
    note=EIGHTHS,
    twin=dict(given=dict(limit=2), why="2 for 1"),
    **both(sides.share_sums, sides.Flipped),
)
auc_unaffected = PAPER.identity(
    "auc-unaffected",
    statement=(
        r"\mathrm{AUC}(\tilde P_\pm,f)=(1-\alpha-\beta)\,\mathrm{AUC}(P_\pm,f)"
        r"+\tfrac{\alpha+\beta}2"
    ),
    place="Sec. 4.5, after Theorem 18",
    hypotheses=["ties count one half"],
    quantity="AUC on contaminated classes",
    note=THIRD,
    twin=dict(**both(sides.auc, sides.Classes, _without_last), why="the last term dropped"),
    **{
        **both(sides.auc, sides.Classes, bounds.balanced_error_contaminated),
        "exact": sides.auc_of_scores,
    },
)

INSTANCE: dict[str, Any] = dict(
    place="Lemma 19, Sec. 4.6",
    quantity="clean risk of the minimiser under noise",
)
PRINTED_19 = (
    r"\mathrm{Risk}_\ell(P,f^*_\sigma)\le\frac{\mathrm{Risk}_\ell(P,f^*)}{1-2\max\sigma(x,y)}"
)
lemma_19_printed = PAPER.always(
    "lemma-19/printed",
    also=[EARLIER.also("theorem-17/printed", "Theorem 17, Sec. 5.1")],
    statement=PRINTED_19,
    hypotheses=["the loss is robust", "rates in [0, 1/2]"],
    grid=dict(
        loss=["linear", "negative margin", "ramp", "0-1, half at zero"], most=[3 / 8, 1 / 2],
    ),
    given=dict(factor="printed"),
    expect="refuted",
    note=(
        r"A negative risk is not improved by a factor above 1: $\ell=-yv$, $f=1$, $\sigma=0.2$ "
        r"asks for $-1\le-\frac53$. At $\max\sigma=\frac12$, which print allows, the right side "
        r"divides by 0; where the clean optimum is 0 its limit is 0, and noise that hides the "
        "labels of a point altogether lets any function be chosen: nonnegative losses fail there, "
        "and only there. The earlier paper's print has lost the range of the rates."
    ),
    **INSTANCE,
    **both(sides.instance_noise, sides.Chosen),
)
lemma_19 = PAPER.always(
    "lemma-19/repaired",
    also=[EARLIER.also("theorem-17/repaired", "Theorem 17, Sec. 5.1")],
    statement=PRINTED_19,
    hypotheses=["constant sum over the labels", "nonnegative loss", "rates below 1/2"],
    grid=dict(loss=["linear in [-1, 1]", "ramp", "0-1, half at zero"], most=[3 / 8]),
    given=dict(factor="printed"),
    note=(
        r"Repaired by its hypotheses. Tight: one function wrong on mass $b$ without noise, the "
        r"other on mass $b/(1-2s)$ with noise $s$; their noisy risks tie. " + TWO_FUNCTIONS
    ),
    twin=dict(given=dict(factor="halfway"), why="1 / (1 - max sigma), the 2 forgotten"),
    **INSTANCE,
    **both(sides.instance_noise, sides.Chosen),
)
lemma_19_sharper = PAPER.always(
    "lemma-19/sharper",
    statement=(
        r"\mathrm{Risk}_\ell(P,f^*_\sigma)\le\frac{1-2\min\sigma}{1-2\max\sigma}"
        r"\mathrm{Risk}_\ell(P,f^*)"
    ),
    hypotheses=["constant sum over the labels", "nonnegative loss", "rates below 1/2"],
    grid=dict(loss=["linear in [-1, 1]", "ramp", "0-1, half at zero"], most=[3 / 8]),
    origin="sharper",
    note=TWO_FUNCTIONS,
    twin=scaled(Fraction(1, 2)),
    **INSTANCE,
    **both(sides.promised_risk, sides.Chosen, _within_rates),
)
