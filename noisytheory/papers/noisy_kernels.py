"""Online Learning of Noisy Data with Kernels: where print and truth differ."""

from __future__ import annotations

from noisytheory.papers.phrases import bookkeeping, pair
from noisytheory.trial.claim import Discrepancy, Paper

__all__ = ["PAPER"]

DISCREPANCIES = {
    "N1": [pair(
        "projection", "Algorithm 1, last line, Sec. 4.1",
        r"$\alpha_i:=\alpha_i\sqrt{B_w}/\tilde n_t$, with $\tilde n_t$ the squared norm.",
        r"$\sqrt{B_w/\tilde n_t}$. The printed factor leaves the ball where $B_w<\tilde n_t<1$ and "
        "throws the predictor back to norm 1 elsewhere: regret is linear.",
        "projection/regret/repaired", also=("projection/regret/printed",),
    )],
    "N2": [pair(
        "subroutine-1", "Subroutine 1 and Lemma 2, Sec. 4.1",
        r"$\tilde g_t=y_t\gamma_n\frac{p^{n+1}}{p-1}\prod_j\langle w_t,\tilde\Psi_j\rangle$ has "
        r"the "
        r"mean $y_t\ell'(y_t\langle w_t,\Psi\rangle)$.",
        r"A factor $y_t^n$ is missing: at $y=-1$ the mean is $-\ell'(\langle w_t,\Psi\rangle)$.",
        "subroutine-1/regret/repaired", also=("subroutine-1/regret/printed",),
    )],
    "N3": [
        pair(
            "theorem-2/second-moment", "Theorem 2, Sec. 4.1",
            r"$u=B_w(\frac p{p-1})^3\exp((\sqrt pB_x+2p\sqrt{B_x})/\sigma^2)$.",
            r"$\exp(2(\sqrt p+p)B_x/\sigma^2)$: the printed exponent depends on the unit of $x$, "
            r"and "
            "the second moment of our reconstruction of the subroutines exceeds it.",
            "theorem-2/regret/repaired", also=("theorem-2/regret/printed",),
            read_as="Of our reconstruction of the subroutines: print promises that they can be "
            "implemented so, and its own for this kernel stand in a longer version.",
        ),
        pair(
            "gaussian-constant", "after Theorem 2",
            r"If $B_x/\sigma^2=O(1)$, then $u=O(1)$.",
            r"Not with the printed $u$; with the repaired one.",
        ),
    ],
    "N4": [pair(
        "theorem-4/adaptive", "Theorem 4, Sec. 5.1, and the protocol of Sec. 2",
        r"Independence of $\tilde g_t$ of the past, and $\mathbb E[\text{regret}]\le"
        r"\sqrt{B_wB_gB_\Psi T}$ for whatever the adversary does.",
        "Only affine losses meet the condition; it must be conditional. Against an adversary who "
        "sees the predictor the comparator is random, and the bound is exceeded by 1.63; twice the "
        "bound holds.",
        "theorem-4/adaptive/pseudo-regret", "theorem-4/repaired",
    )],
    "N5": [
        pair("example-3", "Example 3, Sec. 4.2",
             r"$\ell'_+\le\frac12+\frac{e^{z^2}-1}{z\sqrt\pi}$.",
             r"False for $z>0.7918$; $\mathrm{erfi}(z)\le\frac2{z\sqrt\pi}(e^{z^2}-1)$."),
        pair("example-4", "Example 4, Sec. 4.2", r"$\ell'_+\le\frac2{z\sqrt\pi}e^{z^2-1}$.",
             "False on an interval of arguments for every sharpness tried, and so are two "
             "charitable readings; the series is exact, and Cramér's inequality bounds it.",
             "example-4/simple", also=("example-4/charitable", "example-4/interchanged")),
    ],
    "N6": [pair(
        "example-2", "Example 2, Sec. 4.2; Sec. 2", r"$\ell=e^{y\langle w,x\rangle}$.",
        r"$e^{-y\langle w,x\rangle}$: the printed loss grows with the margin.",
    )],
    "N7": [
        pair("example-1", "Example 1, Sec. 4.2",
             r"$\ell'_+(\sqrt{(p-1)u})=2\sqrt{(p-1)u}$ for the squared regression loss.",
             r"The argument needs a bound $B_y$ on the labels."),
        Discrepancy(
            place="Lemma 2, Sec. 4.1, for regression losses",
            printed="They all hold for regression losses with slight modifications.",
            true=r"$\ell'_+$ is to be taken at $\sqrt p(\sqrt{B_wB_\Psi}+B_y)$.",
            claims=("lemma-2/regression-printed",),
            repaired=("lemma-2/regression-repaired", "lemma-2/regression-mean"),
        ),
    ],
    "N8": [Discrepancy(
        place="Binomial kernels, Sec. 2; Theorem 1 for all p > 1",
        printed=r"$(1+\langle x,x'\rangle)^{-\alpha}$ is a kernel; any $p>1$ will do.",
        true=r"$(1-\langle x,x'\rangle)^{-\alpha}$; then $pB_x<1$ is needed, as in general "
        r"$Q(pB_x)<\infty$ is.",
        claims=("dot-product-psd/binomial-printed",),
        repaired=("dot-product-psd/binomial-repaired",),
    )],
    "N9": [
        pair("theorem-3", "Theorem 3, Sec. 4.3", r"Every compact convex $\mathcal W$.",
             "Not a single point; every set of two points or more, the noise budget large enough."),
        Discrepancy(
            place="Theorem 5, Sec. 5.3, with the strategy sketched",
            printed="Choosing the environment beforehand forces regret with probability 1.",
            true="With probability one half against a learner that locks on; independent coins for "
            "growing blocks repair it.",
            claims=("theorem-5/printed",),
            repaired=("theorem-5/finite-horizon", "theorem-5/repaired"),
        ),
        pair("theorem-3-conditions", "after Theorem 3",
             "Condition (2) holds for most regression losses and all calibrated ones.",
             r"Not for zones of insensitivity of width 1 or more, nor without convexity."),
    ],
    "N10": [
        pair("key-idea-estimator", "Sec. 3.2, the key idea", "Uniform convergence is enough.",
             r"$\sum_n\mathbb E|Q'_n-Q'_{n-1}|<\infty$ is needed."),
        Discrepancy(
            place="Lemma 1, Sec. 3.2",
            printed=r"$f_+$ exists on the domain of interest.",
            true=r"Unbiasedness needs $f_+(\mathbb E|X|)<\infty$, the second moment "
            r"$f_+(\sqrt{p\,\mathbb EX^2})<\infty$.",
            repaired=("lemma-1/mean", "lemma-1/second-moment"),
            why="A hypothesis named; nothing that was printed is refuted.",
        ),
    ],
    "N11": [
        pair("p-tradeoff", "after Lemma 1, Sec. 3.2", "The larger p, the more variance.",
             "The second moment falls before it rises."),
        Discrepancy(
            place="footnote 1, Sec. 3.2",
            printed="Excluding N = 0 appears to matter only in smaller-order terms.",
            true="It divides all but the constant's part of the second moment by p, for one sample "
            "more. With as many samples it is a factor of 8 for the linear kernel, and goes in "
            "either direction for others.",
            claims=("footnote-1/printed",),
            repaired=("footnote-1/repaired",),
            read_as="At an equal expected number of samples, which print does not say.",
        ),
        Discrepancy(
            place="Sec. 3.2, remark after Lemma 1",
            printed="Expanding about the mean and tuning N makes the variance arbitrarily small.",
            true="True of both together; of the expansion alone it is false.",
            claims=("recentring/geometric",),
            repaired=("recentring/repaired",),
        ),
    ],
    "N12": [
        pair("linear-loss-robust", "Sec. 3.1", r"$\mathbb E[c\tilde x_t]=x_t$.",
             r"$c\,x_t$, and the gradient carries $y_t$.", "linear-loss-robust/regret"),
        bookkeeping(
            "Sec. 3.2", r"$\mathbb E[\theta N^k]<\infty$.", r"$\mathbb E|\theta|N^k<\infty$."
        ),
    ],
    "N13": [Discrepancy(
        place="proof of Theorem 1, run time",
        printed=r"The gradient length costs $O(\frac p{(p-1)^2}+T(1+\frac d{p-1}))$; other "
        "operations $O(1)$.",
        true=r"A factor $\frac1{p-1}$ is dropped, and rescaling costs $T$; the order stands.",
        repaired=("theorem-1-runtime/calls", "theorem-1-runtime/order"),
        why="The final order is right.",
    )],
    "N14": [bookkeeping(
        "Sec. 4.1 and 5.2",
        r"$\alpha_i,\alpha_{t,i},\alpha_{t-1,i}$; no $B_w$ among the parameters; an estimate of "
        r"$\ell'$; $\eta=B_w/\sqrt u\,\ell'_+$.",
        r"One notation; $y\ell'$; $\eta=B_w/(\sqrt u\,\ell'_+)$.",
    )],
    "N15": [bookkeeping("Bibliography", "arXiv 1005.2996.", "arXiv 1005.2296.")],
}

SYMBOLS = {
    "B_w": r"largest squared norm of a predictor: $\|w\|^2\le B_w$",
    "B_x": r"bound on $\mathbb E\|\tilde x\|^2$",
    "B_y": "bound on a label's absolute value",
    "B_g": r"bound on $\mathbb E\,\tilde g^2$",
    r"B_\Psi": r"bound on $\mathbb E\|\tilde\Psi(x)\|^2$",
    r"B_{\tilde y}": r"bound on $\mathbb E\,\tilde y^2$",
    "T": "number of rounds",
    "G": "bound on the length of a gradient's estimate, in the mean square",
    r"\eta": "how long steps are",
    "u": r"$B_w(\frac p{p-1})^2Q(pB_x)$, or what Theorem 2 has for Gaussian kernels",
    r"\mathcal W": "the set of predictors",
    r"\mathcal D": "the laws that the adversary has",
    r"\Psi": "the kernel's feature map",
    r"\tilde\Psi": r"an unbiased estimate of the features $\Psi(x)$ from noisy copies",
    r"\tilde x": "a noisy copy of the instance $x$, of mean $x$",
    r"\tilde y": "a noisy copy of the label",
    r"\tilde g": "an unbiased estimate of the loss's slope",
    r"\tilde n": "the predictor's squared norm before it is projected",
    "Q": r"the kernel as a function of the inner product, $Q(a)=\sum_n\beta_na^n$",
    "Q'": "$Q'_n$ is an estimate from $n$ copies",
    r"\Pr[Q\ge z]": "the probability of $z$ queries or more in a round",
    "p": r"how fast lengths die out: $\Pr[N=n]=(p-1)/p^{n+1}$",
    "N": "a random length, geometric with parameter $p$",
    r"\ell": "the loss",
    r"\ell'_+": r"the slope's power series with absolute coefficients, $\sum_n|\gamma_n|a^n$",
    "f_+": r"the power series with absolute coefficients, $\sum_n|\gamma_n|a^n$",
    r"\gamma_n": "coefficients of the power series of $f$, or of the loss's slope",
    r"\mathrm{regret}": "loss of the predictors played above that of the best fixed one",
    r"\mathrm{Prod}": "the subroutine for inner products of estimates",
    r"\theta": "the estimate of $f$ at a mean",
    "X": "a random number or instance of which copies are drawn",
    r"\Sigma": "covariance of the noise",
    "Z": "the noise of a copy",
    r"\delta": "in a logarithm the probability that is left to failure, else the excess that the "
    "adversary forces",
    r"\mathbb E": "expectation",
    "A_s": "the absolute loss, smoothed",
    "H_s": "the hinge loss, smoothed",
}
"""What the symbols of its formulas stand for, in TeX without dollar signs."""

PAPER = Paper(
    "noisy-kernels",
    "Online Learning of Noisy Data with Kernels",
    authors="N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir",
    reference="COLT 2010",
    discrepancies=DISCREPANCIES,
    symbols=SYMBOLS,
)
