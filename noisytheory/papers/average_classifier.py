"""An Average Classification Algorithm: where print and truth differ."""

from __future__ import annotations

from noisytheory.papers import phrases
from noisytheory.papers.phrases import (
    balanced,
    bookkeeping,
    density,
    equality,
    margins,
    pair,
    regret,
    uniqueness,
    variable_rates,
)
from noisytheory.trial.claim import Discrepancy, Paper

__all__ = ["PAPER"]

DISCREPANCIES = {
    "A1": [regret("theorem-1", "Theorem 1, Sec. 3", also=("theorem-1/bayes",))],
    "A2": [Discrepancy(
        place="Theorem 6, Sec. 4.1",
        printed="A margin risk is at most a level if and only if the risk of every perturbed "
        "classifier is.",
        true=r"True because a zero score is an error: the worst perturbation scores 0 wherever "
        r"$|f|\le\epsilon$. With half an error at zero, which would repair Theorem 1 (A1), only "
        "one direction is left.",
        claims=("theorem-6",),
        repaired=("theorem-6/half-error",),
        why=r"True under print's own $\ell_{01}(y,0)=1$. With half an error at zero the broken "
        "twin of the claim is refuted, but print does not say that.",
    )],
    "A3": [equality("lemma-7", "Lemma 7, Sec. 4.2")],
    "A4": [
        margins("theorem-13", "Theorem 13, Sec. 5"),
        uniqueness("theorem-14", "Theorem 14, Sec. 5"),
        balanced("theorem-16", "Theorem 16, Sec. 5.1"),
        variable_rates("theorem-17", "Theorem 17, Sec. 5.1"),
    ],
    "A5": [pair(
        "long-servedio-quantifier", "Sec. 4.4",
        "There is one separable population on which every convex potential, at every nonzero "
        "rate, is as bad as guessing.",
        r"More than the later paper says, and than Sec. 9, which asks for enough noise. On the "
        r"cited family hinge loss is perfect at small rates, and at every rate some potential is. "
        r"$\forall\sigma\,\forall\psi\,\exists P$ is right.",
        also=("long-servedio-quantifier/printed-hinge",),
    )],
    "A6": [Discrepancy(
        place="Sec. 6 and 6.1",
        printed=r"$O(\log\frac1\epsilon)$ iterations of herding give accuracy $\epsilon$.",
        true=r"With a constant $D^2/d^2$ that depends on the sample, and is $n(n-1)$ or more on an "
        "orthonormal one; uniformly it contradicts the worst case of Sec. 6.1.",
        claims=("herding-rates/printed",),
        repaired=("herding-rates/interior",),
    )],
    "A7": [pair(
        "svm-herding-equivalence", "Sec. 6.6",
        "Normalising the dual weights does not change the classifier, and so the SVM reduces to "
        "herding.",
        "Normalising the solution is harmless, restricting the problem is not: for little "
        r"regularisation the SVM leaves the mean. The two agree for $\lambda\ge\max_iy_if(x_i)$, "
        r"with $f$ the mean.",
    )],
    "A8": [density("Sec. 3.3", "For positive kernels")],
    "A9": [Discrepancy(
        place="Sec. 5.1, after Theorem 15",
        printed="No non trivial loss is robust at all class-conditional rates, as linear loss "
        "would be a candidate.",
        true="So it is, but print does not show it: linear loss is the only candidate among "
        "convex losses, and Theorem 15 is a sufficient condition that is used as a necessary one.",
        claims=("theorem-15/no-loss",),
        repaired=("theorem-15/unequal-rates",),
        why="True, also of losses that are not convex. What fails is a step of the argument, which "
        "says nothing false by itself: *if any loss, then linear loss* has a premise that never "
        "holds.",
    )],
    "A10": [
        bookkeeping(
            "Sec. 3, after Theorem 3; Sec. 3.4, after Theorem 5",
            "More refined results in the appendix to this chapter.",
            "No such appendix is there.",
        ),
        bookkeeping(
            "Sec. 6.5", "The connection to entropy numbers, in the appendix to this chapter.",
            "No such appendix is there.",
        ),
        bookkeeping(
            "Introduction", "The chapter proceeds as follows.",
            "The text stands alone; it reads as a chapter of a thesis.",
        ),
    ],
    "A11": [Discrepancy(
        place="Theorem 4, Sec. 3",
        printed="The error of the mean by standard Rademacher bounds; the formula is lost.",
        true=r"Rademacher bounds give the mean term $2\mathfrak R_n\le\frac2{\sqrt n}$, twice what "
        r"the variance gives. Candidates for the lost constant are tried under their own names.",
        claims=("theorem-4/candidate-c-2",),
        repaired=("theorem-4/candidate-mean-term-1",),
        why="The formula is lost. With the constants of the later paper it is true, and as loose.",
    )],
    "A12": [pair(
        "algorithm-1/weights", "Algorithm 1, Sec. 6",
        "Starting from the empty set, herding returns a convex combination.",
        r"The line search from $\omega=0$ gives the first point a weight below 1, unless $P$ is a "
        r"point, and the weights keep a sum below 1. The first step must be $\lambda_1=1$.",
    )],
}

SYMBOLS = {
    **phrases.SYMBOLS,
    r"\omega_P": r"the mean of the population, $\mathbb E\,y\phi(x)$",
    r"\omega_S": r"the mean of the sample, $\frac1n\sum_iy_i\phi(x_i)$",
    r"\omega_{P,i^*}": "the mean of the population under the kernel chosen",
    r"\omega_{S,i^*}": "the mean of the sample under the kernel chosen",
    r"\hat\omega_S": "the mean of the sample divided by its norm",
    r"\hat\omega_{i^*}": "the mean of the sample under the kernel chosen, divided by its norm",
    r"\hat\omega": "the mean of the points drawn from the sample",
    r"\tilde\omega_j": "what $j$ rounds of herding, each on what the one before kept, have left",
    r"\omega_{k+1}": "what herding has after $k+1$ steps",
    r"\tilde f": r"a classifier within $\epsilon$ of $f$",
    r"\mathrm{acc}": "accuracy on a test set",
    "B": "a bound that the text has lost",
    "R": "what herding has picked",
    "S_i": "a part of the points",
    "c": "a constant",
    "t": "a factor of the mean",
    "j": "number of rounds; in a sum, of an example",
    r"\epsilon_m": "entropy number: the least radius of $m$ balls that hold all points",
    r"\alpha": "weights of the points, $\\alpha(S_i)$ those of a part together",
    r"\le\alpha": "is at most a given level",
    r"\mathrm{Obj}_\lambda": "the objective of the support vector machine",
}
"""What the symbols of its formulas stand for, in TeX without dollar signs."""

PAPER = Paper(
    "average-classifier",
    "An Average Classification Algorithm",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, earlier version; its formulas are lost in the text that we have, "
    "and read from its prose and the later version",
    discrepancies=DISCREPANCIES,
    symbols=SYMBOLS,
)
