"""Unconfused Ultraconservative Multiclass Algorithms: where print and truth differ."""

from __future__ import annotations

from noisytheory.papers.phrases import bookkeeping, pair
from noisytheory.trial.claim import Discrepancy, Paper

__all__ = ["PAPER"]

DISCREPANCIES = {
    "U1": [bookkeeping(
        "(4), Assumption 2 and the end of Sec. 2.1",
        r"$C_{pt(x)}=\Pr[Y=p\mid t(x)=q]$ with a free $q$; the joint law is "
        r"$D_XD_{X\mid Y}$.",
        r"$q=t(x)$; the joint law is $D_XD_{Y\mid X}$.",
    ), pair(
        "assumption-2", "Sec. 2.1, after Assumption 2", r"The law of $Y$ is the same for all $x$.",
        "For all $x$ of a class.",
    )],
    "U2": [Discrepancy(
        place="Sec. 4.1, Robustness to noise",
        printed=r"$C_i$ is the weighted average of $I$, with weight 1, and $\Omega(N)$, with "
        r"weight $i$, and converges to $\Omega(N)$.",
        true=r"It is $(1-\frac i{10})I+\frac i{10}M$ up to $i=10$ and is $\Omega(N)$ from a finite "
        "index on. Its rows sum to 1, and the algorithm needs its transpose.",
        claims=("noise-path/printed",),
        repaired=("noise-path/repaired", "noise-path/saturation"),
    )],
    "U3": [pair(
        "definition-2", "Definition 2, Sec. 2.1",
        r"The concept's domain is the sample $\mathcal S$.", "Its domain is the input space.",
    ), pair(
        "assumption-1", "Assumption 1, Sec. 2.1", r"$\theta\ge0$.",
        r"$2/\theta^2$ needs $\theta>0$.",
    )],
    "U4": [pair(
        "theorem-1", "Theorem 1, Sec. 3.1",
        r"At most $2/\theta^2$ updates in one pass over $\mathcal S$, the noisy sample.",
        r"Over truly labelled examples, in any number of passes; over noisy ones every flipped "
        "label can cost an update.",
        "theorem-1-sharp",
    )],
    "U5": [bookkeeping(
        "Algorithms 1 and 2", r"Updates by $x_q$; $K$ prototypes.",
        r"Updates by $x_t$; $Q$ prototypes.",
    )],
    "U6": [
        Discrepancy(
            place="Algorithm 2, Sec. 3.2",
            printed=r"The input has $\alpha>0$, in the regions and in the error set.",
            true=r"With $\alpha>0$ nothing moves from $W=0$, and true mistakes have empty error "
            r"sets. $\alpha=0$ works, as in the experiments.",
            claims=("algorithm-2/alpha-printed", "algorithm-2/error-set-printed",
                    "remark-2/printed"),
            repaired=("algorithm-2/alpha-repaired", "algorithm-2/error-set-repaired",
                      "remark-2/repaired"),
        ),
        Discrepancy(
            place="(19) and (20), Sec. 3.5",
            printed=r"$\arg\max_{(p,q)}$.",
            true=r"$p\ne q$: the points predicted right have the longest vector.",
            claims=("algorithm-2/diagonal-printed",),
            repaired=("algorithm-2/diagonal-repaired",),
        ),
        Discrepancy(
            place="Algorithm 2, step 13, and Sec. 3.5",
            printed=r"Until $\|z_{pq}\|$ is too small; convergence for any pairs, as long as "
            r"$z_{pq}\ne0$.",
            true="Of all pairs: a random one is short at once, with most errors left.",
            claims=("convergence-any-pair/printed",),
            repaired=("convergence-any-pair/repaired",),
        ),
        Discrepancy(
            place="Sec. 4",
            printed=r"Steps $\tau_p=-1$, $\tau_q=1$ are ultraconservative.",
            true="Where the predicted class errs on the update vector. With sampling noise it may "
            "not, and then no class may: the pair must be passed over.",
            claims=("algorithm-2/step-printed",),
            repaired=("algorithm-2/step-repaired",),
        ),
    ],
    "U7": [Discrepancy(
        place="Propositions 1 and 2 inside Algorithm 2",
        printed=r"$\mathbb Ez_{pq}=\mu^p_q$ for the weights of the run.",
        true="For weights that do not depend on the sample; those of the run do, and the vectors "
        "are biased.",
        claims=("proposition-1-adaptive/printed",),
        repaired=("proposition-1-adaptive/repaired", "online-to-batch"),
    )],
    "U8": [pair(
        "misprediction-sentence", "Sec. 3.3, after Proposition 1",
        r"$\mu^p_q$ is an example of class $p$ predicted as $q$.",
        r"Of class $q$ predicted as $p$.",
    )],
    "U9": [
        pair(
            "proposition-2-true-margin", "(12), Proposition 2, Sec. 3.3",
            r"$\langle w^*_q-w^*_k,\mu^p_q\rangle\ge\theta$.",
            r"$\ge\theta m_{pq}$, with $m_{pq}=\Pr[t(X)=q,X\in A_p]$.",
        ),
        pair(
            "proposition-2-pred-margin", "(13), Proposition 2, Sec. 3.3",
            r"$\langle w_p-w_k,\mu^p_q\rangle\ge\alpha$.", r"$\ge\alpha m_{pq}$.",
        ),
        pair(
            "proposition-2-i", "i), Proposition 2, Sec. 3.3",
            r"$t(\mu^p_q)=q$.", r"$f_{W^*}(\mu^p_q)=q$ if $m_{pq}>0$; $t$ is defined on inputs.",
        ),
        pair(
            "proposition-2-ii", "ii), Proposition 2, Sec. 3.3",
            r"$f_W(\mu^p_q)=p$.", r"If $\alpha m_{pq}>0$; at $\alpha=0$ scores may tie.",
        ),
        Discrepancy(
            place="Proof of Proposition 2, Sec. 3.3",
            printed=r"Rows $\sum_qC_{kq}\mu^p_k$.",
            true=r"Rows $\sum_qC_{kq}\mu^p_q$.",
            claims=("proposition-2-unbiased/matrix-printed",),
            repaired=("proposition-2-unbiased", "proposition-1"),
        ),
    ],
    "U10": [Discrepancy(
        place="Proposition 3, Sec. 3.3",
        printed=r"$n_0=O(\epsilon^{-2}[\ln\frac1\delta+\ln Q+d\ln\frac1\epsilon])$ examples give "
        r"(14), (15) and (16) for all weights and pairs.",
        true=r"$C^{-1}$ is missing and costs its largest entry squared; $\theta$ must be $\theta "
        r"m_{pq}$; nothing holds where $m_{pq}=0$; (16) is not homogeneous; regions are "
        r"intersections, and $\ln Q$ must be $(Q-1)d$.",
        claims=("proposition-3/printed", "proposition-3/mass-printed",
                "proposition-3/no-mass-printed", "proposition-3/amplification-printed",
                "proposition-3/scale-printed", "proposition-3/capacity-printed",
                "proposition-3/classes-printed"),
        repaired=("proposition-3/repaired", "proposition-3/sample-size",
                  "prop3-fixed-w/direction", "prop3-uniform"),
    )],
    "U11": [
        pair(
            "proposition-4", "Proposition 4, Sec. 3.4",
            r"$O(1/\theta^2)$ updates with update vectors as they are.",
            r"Of length 1: otherwise a rare class needs $1/(2m)$ updates, without any noise.",
            "proposition-4/exact", "proposition-4/unnormalised",
        ),
        Discrepancy(
            place="Proof of Proposition 4, last sentence, Sec. 3.4",
            printed=r"$\Pr[f_W(X)=p\mid Y=q]$ are small at the end.",
            true=r"$\Pr[f_W(X)=p\mid t(X)=q]$: given a noisy label even $t$ is often different.",
            claims=("proposition-4/conditional-printed",),
            repaired=("proposition-4/conditional-repaired",),
        ),
        Discrepancy(
            place="Proof of Proposition 4, last sentence, Sec. 3.4",
            printed="No mistakes are left when no example can be made on which UMA errs.",
            true="Half of the mass may be left, with a chance that no sample size lowers, where "
            "only classes of the error set step back. Forced steps end with a small error.",
            claims=("prop4-final-error/printed",),
            repaired=("prop4-forced/error", "prop4-forced", "prop4-final-error/probability"),
        ),
    ],
    "U12": [pair(
        "eq-17", "(17), Sec. 3.5", "The error rate of a pair, without the pair.",
        r"$\hat m_{pq}=\frac1n\sum_i1\{f(x_i)=p,t(x_i)=q\}$; (17) is their sum over $p\ne q$.",
    )],
    "U13": [Discrepancy(
        place="Sec. 3.5, (19)",
        printed=r"$\|z_{pq}\|$ directly estimates the error.",
        true=r"It lies between $\theta m_{pq}/\sqrt2$ and $m_{pq}$: the longest vector may have "
        "fewer errors.",
        claims=("norm-estimates-error/printed",),
        repaired=("norm-estimates-error/below", "norm-estimates-error/above"),
    ), pair(
        "bigger-region-more-reliable", "Sec. 3.5, ii)",
        r"A larger $A_p$ makes $z_{pq}$ more reliable.",
        "Only if the errors in it grow with it.",
    )],
    "U14": [Discrepancy(
        place="Sec. 3.5, (20)",
        printed=r"Divides by $\hat\pi_q$.",
        true="Which is unbiased and may be negative.",
        claims=("pi-hat/printed",),
        repaired=("pi-hat", "pi-hat/deviation"),
    )],
    "U15": [Discrepancy(
        place="Figure 1 and Sec. 4.1",
        printed="Confusion rates from .5 to 2.75.",
        true=r"$\|\hat C\|_F/\sqrt Q$ is at most 1: the figure shows $\|\hat C\|_F$.",
        claims=("confusion-rate/printed",),
        repaired=("confusion-rate/repaired", "confusion-rate"),
    )],
    "U16": [pair(
        "toy-data", "Sec. 4.1",
        "With a margin of .025 no class is ever left without an example.",
        "Only if the margin is a distance to the boundary, and then one draw in twelve does.",
    )],
    "U17": [pair(
        "figure-1b", "Figure 1(b), Sec. 4.1",
        "Confusion 2.6 where the noise is under-estimated and 2.15 where it is over-estimated.",
        "The words of print say the opposite of its numbers, and hold where a trial can decide.",
    )],
    "U18": [Discrepancy(
        place="Sec. 4.1, Robustness to noise",
        printed="The baseline is UMA with C = I; it starts at 1.7, and UMA at .5, which is below "
        "it at every level.",
        true="With C = I it starts where UMA does, nearly. An online Perceptron's last weights "
        "are as far above it as print's baseline. Of twenty levels ten runs decide that UMA is "
        "below C = I at five; at the first three, and the ninth, they cannot tell them apart.",
        claims=("figure-1a/start-printed",),
        repaired=("figure-1a/start-repaired",),
    )],
    "U19": [
        Discrepancy(
            place="Sec. 4.2.1 and 4.2.3",
            printed=r"UMA uses the same data as $f_{\rm conf}$, and never the labels of the few.",
            true="It uses both sets of labels, the few through g.",
            claims=("protocol-421/budget-printed",),
            repaired=("protocol-421/budget-repaired", "protocol-421", "table-1/fair"),
        ),
        bookkeeping(
            "Sec. 4.2.3", "First and last columns of Table 1: UMA.",
            "First and fifth; the last is an S3VM.",
        ),
    ],
    "U20": [pair(
        "letters-m-invertible", "Sec. 4.2.2 and 4.2.3",
        "Fewer than 50 examples a class give a confusion matrix that cannot be inverted.",
        "Of letters with 2 to 50, and of digits, all can be inverted; with few they are "
        "ill-conditioned.",
    )],
    "U21": [
        Discrepancy(
            place="Appendix A",
            printed=r"The loss $2-f$ is in $[0,2]$.",
            true=r"In $[0,4]$, as $w_p$ and $w_q$ are in the unit ball.",
            claims=("appendix/loss-range-printed",),
            repaired=("appendix/loss-range-repaired",),
        ),
        Discrepancy(
            place="(24), Appendix A",
            printed=r"$2e^{-m\epsilon^2/128}$.",
            true=r"$2e^{-m\epsilon^2/512}$ for losses in $[0,4]$.",
            claims=("appendix/eq24-printed",),
            repaired=("appendix/eq24-repaired",),
        ),
        Discrepancy(
            place="Appendix A, near the end",
            printed=r"$\frac1m\sum1\{t(x)=q\}1\{x\in A_p\}x=z_{pq}$.",
            true=r"Only if $C=I$; the left side cannot be observed.",
            claims=("appendix/zpq-formula-printed",),
            repaired=("appendix/zpq-formula-repaired",),
        ),
        Discrepancy(
            place="(21), Appendix A",
            printed=r"$e^{m\epsilon^2/128}$, and a probability that is an element of $O(\cdot)$.",
            true=r"$e^{-m\epsilon^2/512}$, and at most a multiple.",
            claims=("appendix/eq21-sign-printed",),
            repaired=("appendix/eq21-sign-repaired",),
        ),
        Discrepancy(
            place="Swapping permutations, Appendix A",
            printed=r"$\frac1{2m}\sum$ over the swaps.",
            true=r"$2^{-m}\sum$, as there are $2^m$.",
            claims=("appendix/permutations-printed",),
            repaired=("appendix/permutations-repaired",),
        ),
        bookkeeping(
            "After the union bound, Appendix A", r"A difference of $\frac\epsilon8$.",
            r"Of $\frac\epsilon4$, as in the line before and in (24); `appendix/union-line` has "
            "why.",
        ),
        bookkeeping(
            "Last display, Appendix A",
            r"Exponent $n+1$; $\mu^q_p$; with probability $1-\delta$ a deviation of at least "
            r"$\epsilon$; a constant in $O(\cdot)$.",
            r"$d+1$; $\mu^p_q$; at most $\epsilon$; the constant of the covering numbers is "
            "exponential in the capacity. The bound that holds is `prop3-uniform`.",
        ),
    ],
    "U22": [pair(
        "natarajan-remark", "Conclusion", "Natarajan's dimension would tighten the sample size.",
        r"It is at least $(Q-1)(d-1)$ for linear classifiers, above the printed $d+\ln Q$; it fits "
        "the repaired bound.",
    )],
    "U23": [pair(
        "sum-rate-independent-of-q", "Conclusion",
        "The rate of convergence does not depend on Q.",
        r"$2/\theta^2\ge2(Q-1)^2/Q$, as $\theta\le\sqrt Q/(Q-1)$.",
        read_as="That some bound holds for every Q. That the bound's formula has no Q is true.",
    )],
    "U24": [pair(
        "cost", "Footnote 2, Conclusion", r"$z_{pq}$ is computed in $O(n)$.",
        r"In $O(ndQ)$ from scratch, $O(nd)$ where scores are kept.",
        read_as="Of operations with numbers, not with points: then the width of points counts.",
    )],
    "U25": [pair(
        "monotonic-noise", "Sec. 2.1, after Assumption 2",
        "Robustness to classification noise covers noise whose rate falls with the distance to the "
        "boundary.",
        "Not for UMA with the averages of each class: it may end with half the mass wrong.",
    )],
    "U26": [pair(
        "c-identity-is-perceptron", "Sec. 4.1",
        "With C = I, UMA runs a Perceptron through the data several times.",
        "It is a batch Perceptron, whose update is a sum over a region.",
    )],
    "U27": [pair(
        "rough-c-suffices", "Sec. 4.2.3, near the end",
        "A rough estimate of the confusion suffices.",
        "With labels that obey Assumption 2 a rough one does more harm than ignoring even noise.",
    )],
    "U28": [pair(
        "table-1", "Sec. 4 and Table 1",
        r"With steps $\tau_p=-1$, $\tau_q=1$ UMA is better than ignoring the noise.",
        "With forced steps and an estimated confusion it collapses; with steps from the error set "
        "it is on Optical Digits and documents, is not on letters, and is in half the runs on "
        "scikit-learn's digits with an audit of 5%.",
        "step-rule",
    )],
    "U29": [
        Discrepancy(
            place="Table 1, Sec. 4.2.2 and 4.2.3",
            printed="With m = 10 and an audit of 5% UMA gains .09 on f_y on digits, of the .21 "
            "that all true labels gain.",
            true="On Optical Digits, in that setting, it gains .02 of .07; on scikit-learn's, with "
            "as many audited labels, a seventh of what true labels gain (up to .04 in all with "
            "another kernel width), and with 5% of those it is below f_y in half the runs.",
            claims=("table-1/gain-printed",),
            repaired=("figure-3/crossing",),
        ),
        pair(
            "figure-5/strategies", "Figure 5, Sec. 4.2.3",
            "The confusion strategy is better in the confusion rate.",
            "On documents in place of Reuters' late in a run, in three runs of five: at first "
            "it is far behind.",
        ),
        pair(
            "plateau-intrinsic-noise", "Sec. 4.2.3, end",
            "Noise of the data that is like the added noise is handled by UMA.",
            "If UMA is told of it: of the product of both matrices.",
        ),
    ],
}

SYMBOLS = {
    "Q": "number of classes",
    "W": "the weight vectors of all classes",
    "W^*": "weight vectors that make no error",
    "w_p": "weight vector of class $p$",
    "w_q": "weight vector of class $q$",
    "w^*_q": "weight vector of class $q$ in a classifier without error",
    "C": r"the confusion matrix: $C_{pq}=\Pr[Y=p\mid t=q]$, columns sum to 1",
    r"\hat C": "the confusion matrix as estimated, or as counted on a test set",
    "B": "the inverse of the confusion matrix",
    "K": "number of updates",
    "f_W": "the class with the largest score",
    "t": "the true class",
    "Y": "the noisy label",
    "A_p": "the region of the space where class $p$ has the largest score",
    r"z_{pq}": r"the update vector: an unbiased estimate of $\mu^p_q$ from noisy labels",
    r"\mu^p_q": r"$\mathbb E[1\{t(X)=q\}1\{X\in A_p\}X]$: true class $q$, predicted $p$",
    "m_{pq}": "probability of the true class $q$ and the region of $p$",
    r"\hat m_{pq}": "its estimate",
    r"\theta": "the margin, of weights of norm 1",
    r"\alpha": "the margin that a region asks for",
    r"\mathcal E": r"the error set $\mathcal E(x,q)$: classes whose score at $x$ is at least that "
    "of $q$, or above it by the upper index",
    r"\tau": "weights of a step on the classes",
    r"\beta_q": "the largest absolute entry in row $q$ of the inverse confusion matrix",
    r"\beta": "the largest absolute entry of the inverse confusion matrix",
    r"\eta": "the largest deviation of an update vector",
    "s": "length at which an update vector counts as 0",
    "R": "the largest norm of an example",
    r"\delta": "the probability that is left to failure",
    r"\pi_q": "share of the true class $q$",
    r"\pi": "shares of all true classes",
    r"\hat\pi": "their estimates from noisy labels",
    r"\hat y": r"numbers of the noisy labels, so that $\hat y/n$ are their shares",
    r"\hat\pi_q": "its estimate from noisy labels",
    r"\mathbb E": "expectation",
    "f_y": "a Perceptron on the labels that the rough classifier gave, the noise ignored",
    r"f_{\rm conf}": "a Perceptron on the audited examples alone",
    r"f_{\rm S3VM}": "a semi-supervised SVM from the audited examples and those without labels",
    r"f_{\rm full}": "a Perceptron on the true labels of all examples",
}
"""What the symbols of its formulas stand for, in TeX without dollar signs."""

PAPER = Paper(
    "uma",
    "Unconfused Ultraconservative Multiclass Algorithms",
    authors="U. Louche, L. Ralaivola",
    reference="Machine Learning 99 (2015), hal-01146038",
    discrepancies=DISCREPANCIES,
    symbols=SYMBOLS,
)
