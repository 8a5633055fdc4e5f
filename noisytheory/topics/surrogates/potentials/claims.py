"""Minimising any convex potential over a small ball: the mean classifier, nearly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.surrogates.instances import RATIONAL, SAMPLES, UNIT
from noisytheory.topics.surrogates.potentials import simulate
from noisytheory.trial.sides import scaled, worked

IN_BALL = r"r\hat\Phi(S)\in\arg\min_{\|\omega\|\le r}\mathrm{Risk}_\psi(S,\omega)"
ANY_POTENTIAL: dict[str, Any] = dict(
    place="Sec. 3.1, after Proposition 9 of the paper on the unhinged loss", hypotheses=[UNIT],
)
BEST = dict(quantity="risk of the mean, of norm r", **worked(simulate.best_in_ball))
TURNED: dict[str, Any] = dict(
    quantity="squared sine of the angle between the mean and the downhill direction at its t-fold",
    trivial=1.0, **worked(simulate.turned),
)
HALVED = (
    f"{len(RATIONAL)} of {len(SAMPLES)} samples of three points, those whose mean has a rational "
    "norm, are tried."
)
any_potential_printed = KERNEL_MEAN.always(
    "relation-any-convex-potential/printed",
    statement=IN_BALL + r"\text{ for small }r",
    grid=dict(potential=list(simulate.CURVED), radius=["1/10", "1/1000"]),
    given=dict(straight="1"),
    expect="refuted",
    note=(
        "Read as a limit it holds: see `relation-any-convex-potential/repaired`. At a finite "
        "radius it is exact for potentials that are affine near 0, and for others not: the unit "
        f"mean turned by a small angle has less risk. {HALVED}"
    ),
    **ANY_POTENTIAL,
    **BEST,
)
RATIO = (
    r"\quad\rho=\frac{tL_t}{|\psi'(0)|},\ |\psi'(u)-\psi'(v)|\le L_t|u-v|\text{ on }[-t,t]"
)
SMOOTH = (
    "hinge, rounded hinge (slope from -1 to 0 along a line between margins -1/4 and 1/4), squared "
    "hinge, logistic or exponential loss"
)
ANGLE = r"\sin\angle(\Phi(S),-\nabla\mathrm{Risk}_\psi(S,t\Phi(S)))\le"
any_potential = KERNEL_MEAN.always(
    "relation-any-convex-potential/repaired",
    statement=ANGLE + r"\rho," + RATIO,
    grid=dict(potential=list(simulate.POTENTIALS), radius=["1/2", "1/10", "1/1000"]),
    given=dict(form="ratio"),
    origin="candidate",
    note=(
        "Print's best reading, the limit: the direction in which the risk falls tends to the "
        r"mean's, linearly in the radius. Of every convex potential whose slope is Lipschitz near "
        f"0; tried: {SMOOTH}. A potential with a bend at 0 has no slope there and is none. Half of "
        r"the rate is the truth as $\rho\to0$: see `relation-any-convex-potential/sharper`."
    ),
    twin=dict(given=dict(form="half"), why="half of the rate"),
    **ANY_POTENTIAL,
    **TURNED,
)
any_potential_sharper = KERNEL_MEAN.always(
    "relation-any-convex-potential/sharper",
    statement=ANGLE + r"\frac\rho{2-\rho}," + RATIO + r",\ \rho\le1",
    grid=dict(
        potential=["hinge", "squared hinge", "logistic", "exponential"],
        radius=["1/2", "1/10", "1/1000"],
    ),
    given=dict(form="sharp"),
    origin="sharper",
    note=(
        r"$-\nabla$ is a multiple of $(I-\rho A)\Phi$ with $0\preceq A\preceq I$, which turns it "
        "by this much at most (Kantorovich). Approached by many points on one axis, nearly "
        "balanced, and one across."
    ),
    twin=dict(given=dict(form="half"), why=r"rho / 2, the limit, without its correction"),
    **ANY_POTENTIAL,
    **TURNED,
)
any_potential_minimiser = KERNEL_MEAN.always(
    "relation-any-convex-potential/minimiser",
    statement=(
        r"\sin\angle(\Phi(S),\omega_r)\le\frac\rho{2\|\Phi(S)\|},\quad\omega_r\in"
        r"\arg\min_{\|\omega\|\le r}\mathrm{Risk}_\psi(S,\omega),\quad\rho=\frac{rL_r}{|\psi'(0)|}"
    ),
    grid=dict(
        potential=["squared hinge", "rounded hinge", "logistic", "exponential"],
        radius=["1/10", "1/1000"],
    ),
    origin="sharper",
    quantity="squared sine of the angle between the mean and the minimiser",
    trivial=1.0,
    note=(
        "The limit itself, with a constant: print's sentence is about the minimiser. Its direction "
        "is enclosed where the gradient's part along the circle changes sign; samples that have it "
        "inside the ball are left out."
    ),
    twin=scaled(Fraction(9, 16), "three quarters of it, squared"),
    **ANY_POTENTIAL,
    **worked(simulate.minimiser_turned),
)
any_potential_affine = KERNEL_MEAN.always(
    "relation-any-convex-potential/affine",
    statement=r"\psi\text{ affine on }[-r,r]\Rightarrow " + IN_BALL,
    grid=dict(potential=simulate.STRAIGHT, radius=["1/100", "1"]),
    given=dict(straight="1"),
    origin="sharper",
    note=f"Piecewise linear potentials that bend at r, or at both ends. {HALVED}",
    twin=dict(given=dict(straight="3/4"), why="affine on [-3r/4, 3r/4] only"),
    **ANY_POTENTIAL,
    **BEST,
)
