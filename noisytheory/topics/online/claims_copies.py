"""One copy is not enough, two are: Section 4.3 on trial."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import NOISY_KERNELS as PAPER
from noisytheory.topics.online import bounds, sides_copies
from noisytheory.topics.online.sides_copies import Copies, Insensitive, Paths
from noisytheory.trial.sides import both, scaled

CALLS = "independent copies with the instance as their mean"
PAIR = r"$\mathcal D$ uniform on $\{3,-1\}$ and noise-free, or 1 with that noise"

linear_printed = PAPER.identity(
    "linear-loss-robust/printed",
    statement=r"\mathbb E[\ell'(\cdot)\,\Psi(\tilde x)]=\mathbb E[c\,\tilde x]=x",
    place="Sec. 3.1",
    given=dict(printed=1),
    expect="refuted",
    note=r"It is $c\,x$, and the gradient carries $y$ as well; what is concluded stands.",
    quantity="mean gradient",
    **both(sides_copies.linear_gradient, Copies),
)
linear_repaired = PAPER.identity(
    "linear-loss-robust/repaired",
    statement=r"\mathbb E[y\,c\,\tilde x]=y\,c\,x",
    place="Sec. 3.1",
    hypotheses=[CALLS],
    given=dict(printed=0),
    twin=dict(given=dict(printed=1), why="the print"),
    quantity="mean gradient",
    **both(sides_copies.linear_gradient, Copies),
)
two_copies_mean = PAPER.identity(
    "two-copies/mean",
    statement=r"\mathbb E[2(\langle w,\tilde x\rangle-y)\tilde x']=2(\langle w,x\rangle-y)x",
    place="footnote 2, Sec. 4.3",
    hypotheses=[CALLS],
    given=dict(copies=2, known=0),
    twin=dict(given=dict(copies=1, known=0), why="one copy: the bias is 2 Cov(Z) w"),
    quantity="mean gradient",
    **both(sides_copies.squared_gradient, Copies),
)
known_noise = PAPER.identity(
    "known-noise",
    statement=(
        r"\mathbb E[2(\langle w,\tilde x\rangle-y)\tilde x-2\Sigma w]=2(\langle "
        r"w,x\rangle-y)x"
    ),
    place="Sec. 4.3: the result relies on the learner not knowing the noise",
    hypotheses=["one copy, the covariance known"],
    given=dict(copies=1, known=1),
    origin="candidate",
    note="Then one copy is enough, at the price of fourth moments.",
    twin=dict(given=dict(copies=1, known=0), why="the covariance of the environment without noise"),
    quantity="mean gradient",
    **both(sides_copies.squared_gradient, Copies),
)
theorem_5 = PAPER.always(
    "theorem-5/finite-horizon",
    statement=r"\delta\le\max\big(\tfrac1T\mathbb E\,\mathrm{regret}^A_T,"
    r"\tfrac1T\mathbb E\,\mathrm{regret}^B_T\big)",
    place="Theorem 5, Sec. 5.3",
    hypotheses=["squared loss on [-2, 2], one copy a round", PAIR],
    origin="candidate",
    note=(
        r"Ours: no limit, and every learner. $\delta=\min_w\max(R_A,R_B)=.3056$. Five learners "
        r"over "
        "all paths of observations; the constant .4472 has .86 at T = 8, falling to 1."
    ),
    quantity="least of the larger excess risks",
    twin=scaled(Fraction(1, 2)),
    **both(sides_copies.both_environments, Paths),
)
theorem_5_printed = PAPER.equal(
    "theorem-5/printed",
    statement=r"\Pr\big[\limsup\tfrac1T\mathrm{regret}_T>0\big]=1",
    place="Theorem 5 with the strategy of its sketch, Sec. 4.3 and 5.3",
    hypotheses=["an environment chosen beforehand", PAIR],
    bound=bounds.certain,
    simulate=sides_copies.lock_on,
    exact=sides_copies.lock_on_exactly,
    low=0.0, high=1.0, margin=0.05,
    grid=dict(T=[2000]),
    expect="refuted",
    note=(
        "A learner that plays .2 for ever if the first observation is 3, and 1 otherwise, has no "
        "regret with probability one half, in either environment. Blocks whose environments are "
        "drawn by fair coins repair it."
    ),
    quantity="whether the average regret exceeds .01", unit="probability",
)
theorem_3_printed = PAPER.exists(
    "theorem-3/printed",
    statement=r"\mathcal W\text{ compact convex}\Rightarrow\delta>0",
    place="Theorem 3, Sec. 4.3",
    bound=bounds.some_regret,
    exact=sides_copies.separation,
    grid=dict(loss=["squared"], low=[0.5], high=[0.5]),
    expect="refuted",
    note=(
        r"A single point $\mathcal W=\{w_0\}$ has no regret: read literally it is false there, and "
        "there only. Convexity is assumed throughout Section 2."
    ),
    quantity="least of the larger excess risks",
)
theorem_3 = PAPER.exists(
    "theorem-3/repaired",
    statement=r"\mathcal W\text{ with two points}\Rightarrow\delta>0",
    place="Theorem 3, Sec. 4.3",
    hypotheses=["convex loss, bounded below, falling at 0", "noise budget of 4"],
    bound=bounds.some_regret,
    exact=sides_copies.separation,
    grid=dict(loss=["squared", "hinge", "exponential", "absolute"], low=[-2.0], high=[0.5, 2.0]),
    note=r"$\delta=.3056,.2222,.3037,.4444$ on [-2, 2]; the paper's pair of environments.",
    quantity="least of the larger excess risks",
    twin=dict(grid=dict(loss=["linear", "quartic"], low=[-2.0], high=[2.0]),
              why="a linear loss, and one that is not convex"),
)
theorem_3_conditions_printed = PAPER.always(
    "theorem-3-conditions/printed",
    statement=r"\ell(h)<\ell(0)\text{ for small }h>0,\quad\ell(a)=\max(|a-1|-\epsilon,0)",
    place="Sec. 4.3: condition (2) is satisfied by most regression losses",
    given=dict(restricted=0),
    expect="refuted",
    note=(
        r"With $\epsilon\ge1$ the derivative at 0 is 0. Of classification-calibrated losses it is "
        r"true where they are convex; $-\tanh^3a$ is calibrated with derivative 0."
    ),
    quantity="loss a little above 0",
    **both(sides_copies.insensitive, Insensitive),
)
theorem_3_conditions = PAPER.always(
    "theorem-3-conditions/repaired",
    statement=r"\epsilon<1\Rightarrow\ell(h)+\tfrac h2\le\ell(0)\text{ for small }h>0",
    place="Sec. 4.3: condition (2) is satisfied by most regression losses",
    given=dict(restricted=1),
    twin=dict(given=dict(restricted=0), why="zones of any width"),
    quantity="loss a little above 0",
    **both(sides_copies.insensitive, Insensitive),
)
