"""Definitions on trial: what the package calls by a name is what the paper's words say."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.definitions import simulate
from noisytheory.trial.sides import worked

LINEAR: dict[str, Any] = dict(place="Sec. 3, before Lemma 3", unit="loss")
ZERO = "a zero score is an error for both labels"

half_linear = KERNEL_MEAN.identity(
    "def-losses/zero-one",
    statement=r"v\in\{-1,1\}\Rightarrow\ell_{01}(y,v)=\tfrac12\ell_{\mathrm{linear}}(y,v)",
    given=dict(scores="labels"),
    quantity="0-1 loss",
    note="The package's 0-1 loss against the formula; all four cases.",
    twin=dict(given=dict(scores="between"), why="scores anywhere in [-1, 1]"),
    **LINEAR,
    **worked(simulate.half_linear),
)
below_linear = KERNEL_MEAN.always(
    "def-losses/convexification",
    statement=r"v\in[-1,1]\Rightarrow\ell_{01}(y,v)\le\ell_{\mathrm{linear}}(y,v)",
    hypotheses=[ZERO],
    given=dict(scores="between"),
    quantity="0-1 loss",
    note=r"Tight at $v=0$, where both are 1, and at $yv=1$. The package's linear loss.",
    twin=dict(given=dict(scores="beyond"), why="scores in [-2, 2]"),
    **LINEAR,
    **worked(simulate.below_linear),
)
bounded_class = KERNEL_MEAN.always(
    "def-losses/bounded-class",
    statement=r"\mathcal F_\phi^r\subseteq[-r,r]^X",
    place="Sec. 2.1",
    hypotheses=["features of norm at most 1"],
    grid=dict(r=[1, 3]),
    given=dict(longest=1),
    quantity="squared score",
    note=(
        "Cauchy-Schwarz, over a lattice of weights and features in the plane; attained where a "
        "feature of norm 1 points along the weights. The text also calls a feature map universal "
        r"where $\mathcal F_\phi$ is dense in $\mathbb R^X$; what its sources mean is dense in the "
        "continuous functions on a compact $X$."
    ),
    twin=dict(given=dict(longest=2), why="features of norm up to 2"),
    **worked(simulate.bounded_class),
)

AGREES: dict[str, Any] = dict(
    place="Secs. 2.1 and 7.2; squared hinge, square, sigmoid and ramp are not in print",
    origin="candidate",
    quantity="1 if they differ by more than a billionth",
)
values = KERNEL_MEAN.always(
    "def-losses/values",
    statement=(
        r"\ell_\gamma(y,v)=\ell_{01}(y,v-y\gamma),\ e^{-\ell(1,v)}+e^{-\ell(-1,v)}=1"
        r"\text{ for (t-)logistic loss}\ldots"
    ),
    given=dict(moved=0.0),
    note=(
        "Every loss of the package by another, or by what defines it: the chances of the two "
        r"labels sum to 1, and the score is $\log(p/q)$, of t-logistic loss with $t=2$ "
        r"$\frac1q-\frac1p$. At eighths, to a billionth."
    ),
    twin=dict(given=dict(moved=0.125), why="the score moved by an eighth"),
    **AGREES,
    **worked(simulate.values),
)
slopes = KERNEL_MEAN.always(
    "def-losses/slopes",
    statement=r"\ell(y,b)-\ell(y,a)=\textstyle\int_a^b\ell'(y,v)\,dv",
    hypotheses=["losses without jumps, plain and corrected", "scores a and b"],
    given=dict(share=1.0),
    note="Eight Gauss nodes over each quarter in [-8, 8], to a billionth; kinks are at ends.",
    twin=dict(given=dict(share=0.875), why="seven eighths of the derivative"),
    **AGREES,
    **worked(simulate.slopes),
)

convex_potential = KERNEL_MEAN.identity(
    "def-1",
    also=[AVERAGE_CLASSIFIER.also("def-9", "Definition 9, Sec. 4.4")],
    statement=(
        r"\ell(y,v)=\psi(yv):\ \psi\text{ convex},\ \psi\ge0,\ \psi'(0)<0,\ "
        r"\lim_{v\to\infty}\psi(v)=0"
    ),
    place="Definition 1, Sec. 2.1",
    given=dict(end="vanishing"),
    quantity="whether a loss says that it is a convex potential",
    note=(
        "What every loss of the package says of itself, plain and corrected, against what its "
        "values do: hinge, squared hinge, logistic and exponential loss are convex potentials, and "
        "no other. Linear loss and the square are none, as the text says of the former."
    ),
    twin=dict(given=dict(end="any"), why="the limit left out: the square passes"),
    **worked(simulate.potentials),
)

calibration = KERNEL_MEAN.identity(
    "def-2",
    statement=(
        r"\big(\mathrm{Regret}_\ell(P,f_n)\to0\Rightarrow\mathrm{Regret}_{01}(P,f_n)\to0\ "
        r"\forall P,f_n\big)\iff\psi'(0)<0\quad\text{for convex}\ \psi"
    ),
    place="Definition 2, Sec. 2.1",
    hypotheses=["a zero score is half an error", "scores in [-2, 2]"],
    given=dict(zero="half"),
    quantity="whether the potential has one, negative slope at 0",
    note=(
        "Print says that the slope ensures calibration; it is needed too (Bartlett, Jordan and "
        r"McAuliffe 2006, Theorem 2). Every convex $\psi$ with whole slopes from $-3$ to 1 between "
        r"whole scores is tried, on every posterior that is a twentieth. With a zero score an "
        r"error for both labels none is calibrated: see `convex-potential-calibrated/printed`."
    ),
    twin=dict(given=dict(zero="both"), why=ZERO),
    **worked(simulate.calibrated),
)
