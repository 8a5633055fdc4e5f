"""Discrepancies that several results of a paper, or both papers, have alike."""

from __future__ import annotations

from collections.abc import Sequence

from noisytheory.trial.claim import Discrepancy

__all__ = [
    "balanced", "bookkeeping", "calibration", "density", "equality",
    "margins", "pair", "regret", "uniqueness", "variable_rates",
]


def pair(
    name: str, place: str, printed: str, true: str, *repaired: str, also: Sequence[str] = (),
    read_as: str = "",
) -> Discrepancy:
    """A result that is tried as printed, and repaired, under names that say so."""
    return Discrepancy(
        place=place, printed=printed, true=true, claims=(f"{name}/printed", *also),
        repaired=(f"{name}/repaired", *repaired), read_as=read_as,
    )


def bookkeeping(place: str, printed: str, true: str) -> Discrepancy:
    """A slip that changes no statement which a trial could decide."""
    return Discrepancy(
        place=place, printed=printed, true=true,
        why="Bookkeeping: nothing that a trial could decide.",
    )


def calibration(name: str, place: str, losses: str) -> Discrepancy:
    """Calibration that a posterior of one half breaks."""
    return pair(
        name, place,
        f"{losses} classification calibrated: "
        r"$\mathrm{Regret}_\ell\to0$ implies $\mathrm{Regret}_{01}\to0$.",
        r"Not where $\eta=\frac12$ has mass: $f=0$ has surrogate regret 0 there, and 01-regret "
        r"$\frac12$ because $\ell_{01}(y,0)=1$. True with half an error at zero, or where "
        r"$P(\eta=\frac12)=0$.",
        f"{name}/repaired-posterior",
    )


def margins(name: str, place: str) -> Discrepancy:
    """An hypothesis that excludes every margin loss."""
    return Discrepancy(
        place=place,
        printed=r"Assumes $\ell(-1,v)\ne\ell(1,v)$ for all $v$, and applies the theorem to linear "
        "and to misclassification loss.",
        true=r"Every margin loss has $\ell(-1,0)=\ell(1,0)$ and is excluded. The proof needs only "
        "that the loss reads the label at some score.",
        claims=(f"{name}/hypothesis", f"{name}/printed"),
        repaired=(f"{name}/repaired",),
    )


def uniqueness(name: str, place: str) -> Discrepancy:
    """A characterisation of robust losses that forgets those which do not read the label."""
    return pair(
        name, place,
        r"A loss is convex and robust if and only if $\ell(y,v)=\lambda yv+g(y)$.",
        r"$\ell(y,v)=v^2$ is convex, does not read the label, and is robust. The theorem needs the "
        "exclusion of such losses.",
    )


def balanced(name: str, place: str) -> Discrepancy:
    """An affine map of the balanced error, claimed for losses without a constant sum."""
    return pair(
        name, place,
        r"For a loss that is robust to label noise, contamination maps the balanced error $B$ to "
        r"$(1-\alpha-\beta)B+\frac{\alpha+\beta}2C$.",
        r"Robust losses that do not read the label, such as $v^2$, have no such $C$. It needs "
        r"$\ell(1,v)+\ell(-1,v)=C$, which the proof uses.",
    )


def variable_rates(name: str, place: str, *sharper: str) -> Discrepancy:
    """A bound on the clean risk under rates that differ between instances."""
    return pair(
        name, place,
        r"$\mathrm{Risk}_\ell(P,f^*_\sigma)\le\mathrm{Risk}_\ell(P,f^*)/(1-2\max\sigma)$ for "
        "every robust loss and rates up to one half.",
        "False of negative risks, which a factor above 1 lowers, and undefined at "
        r"$\max\sigma=\frac12$. It needs a constant sum over the labels, $\ell\ge0$ and "
        r"$\max\sigma<\frac12$.",
        *sharper,
    )


def density(place: str, condition: str) -> Discrepancy:
    """The mean classifier as kernel density estimates of two classes."""
    return pair(
        "relation-kde", place,
        f"{condition}, the mean classifies as kernel density estimates of the two classes do.",
        r"The estimates are normalised apart, so that $\int K(x,x')\,dx$ must be the same for "
        r"every $x'$.",
    )


def regret(name: str, place: str, *repaired: str, also: Sequence[str] = ()) -> Discrepancy:
    """Misclassification regret below linear regret, where a score may be zero."""
    return pair(
        name, place,
        r"$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)$ for every "
        r"$f\in[-1,1]^X$.",
        r"A zero score is an error for both labels, so that at $f(x)=0$ the regrets are "
        r"$\max(\eta,1-\eta)$ and $|1-2\eta|$, the first the larger one unless $\eta\in\{0,1\}$. "
        r"True where $f\ne0$, or with half an error at zero.",
        *repaired, also=also,
    )


def equality(name: str, place: str, *repaired: str) -> Discrepancy:
    """An equality that holds as an inequality only."""
    return pair(
        name, place,
        "If the contamination moves the mean by less than the margin for error, the risk stays "
        "equal.",
        "The margin for error looks at the correct points only, and a wrong one may become "
        "correct: the risk does not rise, but it may fall.",
        *repaired,
    )


SYMBOLS = {
    "P": r"the population, a law of examples $(x,y)$ with labels $y=\pm1$, or probability under it",
    r"P_\sigma": r"the population with every label flipped with probability $\sigma$",
    "Q": "another law of examples, or of scores and labels",
    "S": "the sample, or a weighted set of points of the feature space",
    r"\sigma": "rate of label noise, or share of the contamination",
    r"\sigma_-": "how often a label -1 is flipped",
    r"\sigma_+": "how often a label 1 is flipped",
    r"\delta": "the probability that is left to failure",
    r"\phi": r"the feature map, into a Hilbert space, with $\|\phi(x)\|\le1$",
    "K": r"the kernel, $K(x,x')=\langle\phi(x),\phi(x')\rangle$",
    r"\Phi": r"the kernel mean: $\Phi(P)=\mathbb E\,y\phi(x)$ of a population, "
    r"$\Phi(S)=\frac1n\sum_iy_i\phi(x_i)$ of a sample",
    r"\omega": r"a vector of the feature space, with scores $\langle\omega,\phi(x)\rangle$",
    r"\omega^*": "the target: a point of the convex hull of the points, mostly their mean",
    r"\tilde\omega": "the sparse point that stands in for the target",
    r"\omega_k": "what herding has after $k$ steps",
    r"\ell": r"a loss $\ell(y,v)$ of a label and a score; $\ell_\epsilon$ is 1 where "
    r"$yv\le\epsilon$",
    r"\mathrm{Risk}": r"expected loss, by its index; $01$ is misclassification, in which a score "
    "of 0 is an error for both labels unless said otherwise",
    r"\mathrm{linear}": "the loss $1-yv$ of a score $v$",
    r"\mathrm{hinge}": r"the loss $\max(0,1-yv)$ of a score $v$",
    "D": "the diameter of the points, or the largest of the cells of a partition",
    "D^*": "$D^*(S,m)$ is the largest diameter of a cell in the best partition of $S$ into $m$ "
    "cells",
    "r_m": "radius of $m$ farthest-first centres: the largest distance of a point from the nearest",
    "d": "distance of the target from the relative boundary of the hull",
    "n": "number of examples, or of points of the sample",
    "m": "number of cells or centres, or of points",
    "k": "number of atoms, draws or steps; of kernels, or of classes, where there are several",
    "x": "an instance",
    "z": "an instance",
    "y": "a label, 1 or -1",
    "v": "a score",
    "u": "a score",
    "f": "a classifier, by its scores $f(x)$",
    "g(y)": "a function of the label alone",
    r"\alpha_i": "weight of point $i$, or of all points of cell $i$",
    r"\eta": r"the posterior, $\eta(x)=P(y=1\mid x)$",
    r"\epsilon": "how far points or scores may be apart: an accuracy asked for, or a margin",
    r"\lambda": "a number; of a support vector machine the strength of its regularisation",
    r"\lambda_i": "weights of the parts, of sum 1",
    "O": "up to a constant factor",
    "X": "the set of instances",
    "C": "a constant",
    r"\mathbb E": "expectation",
    "E": "expectation under the law in its index",
    r"\mathrm{co}": "convex hull",
}
"""What the symbols of both papers on the kernel mean stand for, in TeX without dollar signs."""
