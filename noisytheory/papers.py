"""The five papers in the box, and where print and truth differ in two of them."""

from __future__ import annotations

from collections.abc import Sequence

from noisytheory.claim import Discrepancy, Paper

__all__ = ["AVERAGE_CLASSIFIER", "KERNEL_MEAN", "NOISY_KERNELS", "TOP_K", "UMA"]


def _pair(
    name: str, place: str, printed: str, true: str, *repaired: str, also: Sequence[str] = ()
) -> Discrepancy:
    """A result that is tried as printed, and repaired, under names that say so."""
    return Discrepancy(
        place=place, printed=printed, true=true, claims=(f"{name}/printed", *also),
        repaired=(f"{name}/repaired", *repaired),
    )


def _bookkeeping(place: str, printed: str, true: str) -> Discrepancy:
    return Discrepancy(
        place=place, printed=printed, true=true,
        why="Bookkeeping: nothing that a trial could decide.",
    )


def _calibration(name: str, place: str, losses: str) -> Discrepancy:
    return _pair(
        name, place,
        f"{losses} classification calibrated: "
        r"$\mathrm{Regret}_\ell\to0$ implies $\mathrm{Regret}_{01}\to0$.",
        r"Not where $\eta=\frac12$ has mass: $f=0$ has surrogate regret 0 there, and 01-regret "
        r"$\frac12$ because $\ell_{01}(y,0)=1$. True with half an error at zero, or where "
        r"$P(\eta=\frac12)=0$.",
        f"{name}/repaired-posterior",
    )


def _margins(name: str, place: str) -> Discrepancy:
    return Discrepancy(
        place=place,
        printed=r"Assumes $\ell(-1,v)\ne\ell(1,v)$ for all $v$, and applies the theorem to linear "
        "and to misclassification loss.",
        true=r"Every margin loss has $\ell(-1,0)=\ell(1,0)$ and is excluded. The proof needs only "
        "that the loss reads the label at some score.",
        claims=(f"{name}/hypothesis", f"{name}/printed"),
        repaired=(f"{name}/repaired",),
    )


def _uniqueness(name: str, place: str) -> Discrepancy:
    return _pair(
        name, place,
        r"A loss is convex and robust if and only if $\ell(y,v)=\lambda yv+g(y)$.",
        r"$\ell(y,v)=v^2$ is convex, does not read the label, and is robust. The theorem needs the "
        "exclusion of such losses.",
    )


def _balanced(name: str, place: str) -> Discrepancy:
    return _pair(
        name, place,
        r"For a loss that is robust to label noise, contamination maps the balanced error $B$ to "
        r"$(1-\alpha-\beta)B+\frac{\alpha+\beta}2C$.",
        r"Robust losses that do not read the label, such as $v^2$, have no such $C$. It needs "
        r"$\ell(1,v)+\ell(-1,v)=C$, which the proof uses.",
    )


def _variable_rates(name: str, place: str, *sharper: str) -> Discrepancy:
    return _pair(
        name, place,
        r"$\mathrm{Risk}_\ell(P,f^*_\sigma)\le\mathrm{Risk}_\ell(P,f^*)/(1-2\max\sigma)$ for "
        "every robust loss and rates up to one half.",
        "False of negative risks, which a factor above 1 lowers, and undefined at "
        r"$\max\sigma=\frac12$. It needs a constant sum over the labels, $\ell\ge0$ and "
        r"$\max\sigma<\frac12$.",
        *sharper,
    )


def _density(place: str, condition: str) -> Discrepancy:
    return _pair(
        "relation-kde", place,
        f"{condition}, the mean classifies as kernel density estimates of the two classes do.",
        r"The estimates are normalised apart, so that $\int K(x,x')\,dx$ must be the same for "
        r"every $x'$.",
    )


def _regret(name: str, place: str, *repaired: str, also: Sequence[str] = ()) -> Discrepancy:
    return _pair(
        name, place,
        r"$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)$ for every "
        r"$f\in[-1,1]^X$.",
        r"A zero score is an error for both labels, so that at $f(x)=0$ the regrets are "
        r"$\max(\eta,1-\eta)$ and $|1-2\eta|$, the first the larger one unless $\eta\in\{0,1\}$. "
        r"True where $f\ne0$, or with half an error at zero.",
        *repaired, also=also,
    )


def _equality(name: str, place: str, *repaired: str) -> Discrepancy:
    return _pair(
        name, place,
        "If the contamination moves the mean by less than the margin for error, the risk stays "
        "equal.",
        "The margin for error looks at the correct points only, and a wrong one may become "
        "correct: the risk does not rise, but it may fall.",
        *repaired,
    )


KERNEL_MEAN_DISCREPANCIES = {
    "D1": [
        Discrepancy(
            place="Theorem 5, Sec. 3; proof A.2",
            printed=r"$\mathbb E\|\Phi(P)-\Phi(S)\|\le\frac2{\sqrt n}$: the proof bounds the "
            "variance by 4.",
            true=r"The variance is $\mathbb E\|\phi(x)\|^2-\|\Phi(P)\|^2\le1$, so that "
            r"$\sqrt{(1-\|\Phi(P)\|^2)/n}\le\frac1{\sqrt n}$ is enough.",
            claims=("theorem-5", "theorem-5/mean"),
            repaired=("theorem-5/repaired", "theorem-5/mean-repaired"),
            why="The bound is true; its mean term is twice what the variance gives.",
        ),
        Discrepancy(
            place="Theorem 6, Sec. 3.4",
            printed=r"The mean term $\frac2{\sqrt n}$ again, by a union bound over kernels.",
            true=r"$\frac1{\sqrt n}$, from the repaired Theorem 5.",
            claims=("theorem-6",),
            repaired=("theorem-6/repaired",),
            why="True, and loose as Theorem 5 is.",
        ),
        Discrepancy(
            place="Lemma 9, Sec. 4.3.1; with it Corollary 23, Sec. 6",
            printed=r"The mean term $\frac2{\sqrt n}$ again, times $\frac1{1-2\sigma}$.",
            true=r"$\sqrt{(1-(1-2\sigma)^2\|\Phi(P)\|^2)/n}$ in its place.",
            claims=("lemma-9",),
            repaired=("lemma-9/repaired",),
            why="True, and loose as Theorem 5 is; of Corollary 23 see D12.",
        ),
    ],
    "D2": [_regret("lemma-3", "Lemma 3, Sec. 3; proof A.1", "lemma-3/repaired-nonzero",
                   "lemma-3/repaired-mass")],
    "D3": [_calibration("linear-loss-calibrated", "Sec. 3", "Linear loss is"),
           _calibration("convex-potential-calibrated", "Sec. 2.1, after Definition 1",
                        "All convex potentials are")],
    "D4": [_equality("corollary-8", "Corollary 8, Sec. 4.2", "corollary-8/two-sided")],
    "D5": [_margins("theorem-15", "Theorem 15, Sec. 4.3.3")],
    "D6": [_pair(
        "misclassification-satisfies-15", "Sec. 4.3.3, after Theorem 15",
        "Misclassification loss satisfies the conditions of Theorem 15.",
        r"$\ell_{01}(1,v)+\ell_{01}(-1,v)$ is 2 at $v=0$ and 1 elsewhere, and noise does reverse "
        "an ordering. True with half an error at zero, or without zero scores.",
        also=("misclassification-satisfies-15/order-printed",),
    )],
    "D7": [_uniqueness("theorem-16", "Theorem 16, Sec. 4.3.3")],
    "D8": [_balanced("theorem-18", "Theorem 18, Sec. 4.3.4"),
           _variable_rates("lemma-19", "Lemma 19, Sec. 4.3.4", "lemma-19/sharper")],
    "D9": [
        Discrepancy(
            place="Theorem 21, Sec. 5.2; proof A.12",
            printed=r"$\|\omega^*-\tilde\omega\|\le D\big(\frac1{\sqrt m}+"
            r"\sqrt{\frac{\log(1/\delta)}m}\big)$.",
            true=r"$\frac D{\sqrt{2m}}\big(1+\sqrt{\log(1/\delta)}\big)$: the variance in a cell "
            r"is at most $D^2/2$, and $\sum c_{ij}^2\le D^2/m$.",
            claims=("theorem-21", "theorem-21/mean"),
            repaired=("theorem-21/repaired", "theorem-21/mean-repaired"),
            why="True, and loose by the root of two in both terms.",
        ),
        Discrepancy(
            place="Theorem 21, Sec. 5.2; proof A.12",
            printed=r"$\tilde\omega$ is at most $2m$-sparse.",
            true=r"At most $(2m-1)$-sparse: each of $m$ ceilings adds less than 1.",
            claims=("theorem-21/sparsity",),
            repaired=("theorem-21/sparsity-repaired",),
            why="True, and loose by one atom.",
        ),
    ],
    "D10": [_pair(
        "algorithm-1", "Algorithm 1, Sec. 5.2",
        r"`while` $|\tilde S|\le m$, then a partition into $m$ cells.",
        r"It leaves the loop with $m+1$ centres, and never where $S$ has at most $m$ distinct "
        r"points, as the sample of Sec. 5.4 does. It wants $|\tilde S|<m$, and to stop at radius "
        "0.",
        also=("algorithm-1/termination-printed",),
    )],
    "D11": [_pair(
        "algorithm-2", "Algorithm 2, Sec. 5.2",
        r"A loop over $d$ and $k$ down to a tolerance $\epsilon$.",
        r"$d$ and $k$ are never set, $\epsilon$ is no input, $m$ is one and is not used, and the "
        r"test reads the radius before the last centre. It wants $k=1$, $d=\infty$, and the "
        "current radius.",
        "algorithm-2/sharper",
    )],
    "D12": [_pair(
        "corollary-23", "Corollary 23, Sec. 6",
        r"Bounds $\|\Phi(P)-\tilde\omega\|$ for a noisy sample by terms that vanish as $n$ and $m$ "
        "grow.",
        r"The left side tends to $2\sigma\|\Phi(P)\|$. It must be "
        r"$\|\Phi(P)-\tilde\omega/(1-2\sigma)\|$.",
        "corollary-23/sharper",
    )],
    "D13": [_density("Sec. 3.3", r"For kernels with $\int K(x,x')\,dx\le C$")],
    "D14": [_pair(
        "long-servedio-impossibility", "Sec. 4.3, quoting Long and Servedio",
        r"For every $\sigma$ there is one $P$ on which every convex potential is as bad as "
        "guessing.",
        r"The source has $\forall\sigma\,\forall\psi\,\exists P$. On the cited populations an "
        "explicit convex potential classifies everything.",
        "long-servedio-impossibility/repaired-smooth",
    )],
    "D15": [_pair(
        "herding-rates/exponential", "Sec. 5.5.2",
        r"Line-search herding has $\|\omega^*-\omega_k\|\le O(e^{-dk})$.",
        r"The exponent is of order $d^2$, as a square shows: "
        r"$(1-d^2/D^2)^{(k-1)/2}$ holds.",
    )],
    "D16": [_pair(
        "parallel-counterexample", "Sec. 5.4",
        r"For $S=\{1,1,0,0\}$ the union of the parts' approximations has four elements.",
        r"The section defines $S$ as a subset, in which two ones are one: two elements. True of "
        r"$\{1,1+\eta,0,\eta\}$.",
    )],
    "D17": [
        Discrepancy(
            place="Table 1, Sec. 7.2: hinge",
            printed="Means 0.15 to 0.47 with deviations 0.27 to 0.38.",
            true=r"Minimisers of hinge loss on the printed population have means 0.45, 0.50, 0.49, "
            r"0.45 and 0.48 from $\sigma=0.1$ on, with deviations 0.02 to 0.18. The column looks "
            "like a solver that stopped early; that is our inference.",
            claims=("table-1/hinge", "table-1/hinge-spread"),
            repaired=("table-1/hinge/repaired",),
        ),
        Discrepancy(
            place=r"Table 1, Sec. 7.2: $t$-logistic",
            printed="Mean 0.22 with deviation 0.08.",
            true=r"With mass $\frac12$ on the point that is lost, as printed, that mean forces a "
            r"deviation near $\frac14$. The point must have had mass near $\frac14$. On the "
            r"printed population the means are 0.38, 0.38 and 0.47, with deviations 0.19 to 0.21.",
            claims=("table-1/t-logistic", "table-1/t-logistic-spread"),
            repaired=("table-1/t-logistic/repaired",),
        ),
        Discrepancy(
            place=r"Table 1, Sec. 7.2: linear, $\sigma=0.49$",
            printed="Mean 0.34 with deviation 0.48.",
            true=r"As rounded, risks in $[0,1]$ have these only if at most one of 125 trials is "
            r"neither 0 nor 1; of the law's trials 13% are, and its mean is 0.381 with deviation "
            r"0.457. The rest of the column, 0 up to $\sigma=0.4$, is found again.",
            claims=("table-1/linear", "table-1/linear-spread"),
            repaired=("table-1/linear/repaired",),
        ),
    ],
    "D18": [Discrepancy(
        place="Theorem 20, Sec. 5.1; proof A.11",
        printed=r"$\|\omega^*-\tilde\omega\|\ge\sqrt{\frac1k-\frac1n}$ for all $k$-sparse "
        r"$\tilde\omega$, with no range for $k$, in a space of infinite dimension.",
        true=r"It needs $1\le k\le n$: for $k>n$ the bound is the root of a negative number. For "
        r"one $n$ dimension $n$ is enough; infinite dimension serves all $n$ at once.",
        claims=("theorem-20/printed",),
        repaired=("theorem-20",),
    )],
    "D19": [_pair(
        "lemma-4", "Lemma 4, Sec. 3",
        r"$\hat\Phi(S)=\Phi(S)/\|\Phi(S)\|$ is the minimiser of linear loss in the unit ball.",
        r"At $\Phi(S)=0$, as for $S=\{(x,1),(x,-1)\}$, it is not defined and every $\omega$ is a "
        r"minimiser. It needs $\Phi(S)\ne0$.",
    )],
    "D20": [_pair(
        "relation-any-convex-potential", "Sec. 3.1, quoting Proposition 9 of [54]",
        "Any sufficiently regularised method with a convex potential gives the mean.",
        r"Only in the limit $r\to0$, where the direction tends to that of the mean; exactly for "
        "potentials that are affine near 0.",
        "relation-any-convex-potential/affine",
    )],
    "D21": [_pair(
        "proposition-11/bayes-rule", "Sec. 2; proofs A.1 of Lemma 3 and A.4 of Proposition 11",
        r"The Bayes classifier is 1 if $\eta\ge\frac12$, else $-1$ (Sec. 2); 1 if "
        r"$\eta>\frac12$, else 0 (A.4); $-1$ if $1-2\eta\ge0$, that is if $\eta<\frac12$ (A.1).",
        "A score of 0 is an error for both labels, so that the second is wrong wherever it says "
        "0; the third contradicts itself at a tie. The first is right.",
    )],
    "D22": [
        _bookkeeping(
            "Sec. 1, 3.1, 4.3.1 and 4.3.2; headings of A.1 and A.10",
            "Theorems 3, 4, 9 and 19.", "They are Lemmas 3, 4, 9 and 19.",
        ),
        _bookkeeping("Sec. 5.5.2", "Cites [57].", "The references end at [56]."),
        _bookkeeping("Theorem 24, A.2", r"$i\in[i;n]$.", r"$i\in[1;n]$."),
        _bookkeeping(
            "Proof of Theorem 15, A.6", r"$\beta=0$ by (3).",
            r"By (4): at $\alpha=1$ it reads $0=2\beta$.",
        ),
        _bookkeeping(
            "Proof of Theorem 16, A.7", r"$\alpha_{-y}=-\alpha_y=\lambda$.",
            r"$\alpha_y=\lambda y$, as the next formula has it.",
        ),
        _bookkeeping(
            "Sec. 4.3.4, after Theorem 17", r"The ratio $\sigma_-/\sigma_1$.",
            r"$\sigma_-/\sigma_+$.",
        ),
        _bookkeeping(
            "Sec. 4.3.4, end",
            r"Minimising on $P_\sigma$ recovers a classifier with $\mathrm{Risk}_\ell(P,f^*)=0$.",
            r"$\mathrm{Risk}_\ell(P,f^*_\sigma)=0$; the other is what is assumed.",
        ),
        _bookkeeping(
            "Sec. 3.4, the display on multiple kernels",
            r"A minimum over $\omega_i\in\mathcal H_i$.",
            r"Over $\|\omega_i\|\le1$; without it the minimum is $-\infty$.",
        ),
        _bookkeeping(
            "Algorithms 1 and 2, Sec. 5.2",
            r"$\omega^*$ is the target, and the point that the loop adds.",
            "Two different things.",
        ),
        _bookkeeping(
            "Proposition 26, A.5", "Theorem 2, section 7.9 of [14], an article of 1962.",
            "We believe that section to be of DeGroot's book of 1970.",
        ),
        _bookkeeping(
            "Proofs of Theorems 14, 15 and 17, A.5, A.6 and A.8", "Lemma 26.",
            "It is Proposition 26.",
        ),
        _bookkeeping(
            "Lemma 25 and proof of Theorem 7, A.3", r"$y\tilde f<0$ implies $yf<\epsilon$.",
            r"The losses have $\le$ in both places; the same two lines prove that.",
        ),
        _bookkeeping("Sec. 7", "Announces several UCI data sets.", "None is printed."),
    ],
}
AVERAGE_CLASSIFIER_DISCREPANCIES = {
    "A1": [_regret("theorem-1", "Theorem 1, Sec. 3", also=("theorem-1/bayes",))],
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
    "A3": [_equality("lemma-7", "Lemma 7, Sec. 4.2")],
    "A4": [
        _margins("theorem-13", "Theorem 13, Sec. 5"),
        _uniqueness("theorem-14", "Theorem 14, Sec. 5"),
        _balanced("theorem-16", "Theorem 16, Sec. 5.1"),
        _variable_rates("theorem-17", "Theorem 17, Sec. 5.1"),
    ],
    "A5": [_pair(
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
    "A7": [_pair(
        "svm-herding-equivalence", "Sec. 6.6",
        "Normalising the dual weights does not change the classifier, and so the SVM reduces to "
        "herding.",
        "Normalising the solution is harmless, restricting the problem is not: for little "
        r"regularisation the SVM leaves the mean. The two agree for $\lambda\ge\max_iy_if(x_i)$, "
        r"with $f$ the mean.",
    )],
    "A8": [_density("Sec. 3.3", "For positive kernels")],
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
        _bookkeeping(
            "Sec. 3, after Theorem 3; Sec. 3.4, after Theorem 5",
            "More refined results in the appendix to this chapter.",
            "No such appendix is there.",
        ),
        _bookkeeping(
            "Sec. 6.5", "The connection to entropy numbers, in the appendix to this chapter.",
            "No such appendix is there.",
        ),
        _bookkeeping(
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
    "A12": [_pair(
        "algorithm-1/weights", "Algorithm 1, Sec. 6",
        "Starting from the empty set, herding returns a convex combination.",
        r"The line search from $\omega=0$ gives the first point a weight below 1, unless $P$ is a "
        r"point, and the weights keep a sum below 1. The first step must be $\lambda_1=1$.",
    )],
}

KERNEL_MEAN = Paper(
    "kernel-mean",
    "Sparse Robust Classification via the Kernel Mean",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, final version",
    discrepancies=KERNEL_MEAN_DISCREPANCIES,
)
AVERAGE_CLASSIFIER = Paper(
    "average-classifier",
    "An Average Classification Algorithm",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, earlier version; its formulas are lost in the text that we have, "
    "and read from its prose and the later version",
    discrepancies=AVERAGE_CLASSIFIER_DISCREPANCIES,
)
UMA = Paper(
    "uma",
    "Unconfused Ultraconservative Multiclass Algorithms",
    authors="U. Louche, L. Ralaivola",
)
NOISY_KERNELS = Paper(
    "noisy-kernels",
    "Online Learning of Noisy Data with Kernels",
    authors="N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir",
)
TOP_K = Paper(
    "top-k",
    "Learning with Average Top-k Loss",
    authors="Y. Fan, S. Lyu, Y. Ying, B.-G. Hu",
)
