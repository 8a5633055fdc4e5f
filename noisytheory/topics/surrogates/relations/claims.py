"""The mean classifier as SVM, density estimate and multiple-kernel learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.instances import (
    LARGER,
    RATIONAL,
    SAMPLES,
    TRIPLES,
    UNEVEN,
    UNIT,
)
from noisytheory.topics.surrogates.relations import simulate
from noisytheory.trial.sides import worked
from noisytheory.vocabulary.domains import COUNT, Numeric, requires

TRIED = (
    f"Tried: {len(SAMPLES)} samples, which but for the symmetries of a square are all "
    f"{len(TRIPLES)} of three of the twelve points of the unit circle that are fifths, and "
    f"{len(LARGER)} random ones of nine of the 36 that are 65ths, some of them often"
)
LATTICE = f"{TRIED}, against every classifier of a lattice."

lemma_4 = KERNEL_MEAN.always(
    "lemma-4",
    also=[AVERAGE_CLASSIFIER.also("theorem-2/minimiser", "Theorem 2, Sec. 3")],
    statement=(
        r"\mathrm{Risk}_{\mathrm{linear}}(S,\hat\Phi(S))=1-\|\Phi(S)\|"
        r"\le\mathrm{Risk}_{\mathrm{linear}}(S,\omega),\quad\|\omega\|\le1"
    ),
    place="Lemma 4, Sec. 3",
    hypotheses=[r"the mean is not 0"],
    given=dict(radius=1),
    quantity="square of 1 - Risk, where positive",
    note=(
        r"Print does not ask for $\Phi(S)\ne0$: with $S=\{(x,1),(x,-1)\}$ the unit mean is "
        r"undefined and every $\omega$ is a minimiser. Squares are compared, to stay rational. "
        + LATTICE
    ),
    twin=dict(given=dict(radius=2), why="a ball of radius 2"),
    **worked(simulate.least_linear_risk),
)
ONLY: dict[str, Any] = dict(
    statement=(
        r"\arg\min_{\|\omega\|\le1}\mathrm{Risk}_{\mathrm{linear}}(S,\omega)"
        r"=\{\hat\Phi(S)\}"
    ),
    place="Lemma 4, Sec. 3",
    quantity="minimisers, of a lattice and the unit mean",
    **worked(simulate.other_minimisers),
)
lemma_4_printed = KERNEL_MEAN.identity(
    "lemma-4/printed",
    given=dict(radius=1, samples="any"),
    expect="refuted",
    note=r"With $S=\{(x,1),(x,-1)\}$ the mean is 0 and every $\omega$ is a minimiser.",
    **ONLY,
)
lemma_4_repaired = KERNEL_MEAN.identity(
    "lemma-4/repaired",
    hypotheses=["the mean is not 0"],
    given=dict(radius=1, samples="nonzero"),
    note=LATTICE,
    twin=dict(given=dict(radius=2, samples="nonzero"), why="a ball of radius 2"),
    **ONLY,
)
relation_svm = KERNEL_MEAN.identity(
    "relation-svm",
    also=[AVERAGE_CLASSIFIER.also("relation-svm", "Sec. 3.2")],
    statement=r"\mathrm{Risk}_{\mathrm{hinge}}(S,\omega)=\mathrm{Risk}_{\mathrm{linear}}(S,\omega)"
    r",\quad\|\omega\|\le1",
    place="Sec. 3.1",
    hypotheses=[UNIT],
    given=dict(radius=1),
    quantity="hinge risk",
    note=f"So an SVM confined to the unit ball is the mean. {LATTICE}",
    twin=dict(given=dict(radius=2), why="a ball of radius 2"),
    **worked(simulate.hinge_on_ball),
)
svm_penalised = KERNEL_MEAN.always(
    "relation-svm/penalised",
    statement=r"\lambda\ge\max_iy_i\langle\Phi(S),\phi(x_i)\rangle\Rightarrow"
    r"\tfrac1\lambda\Phi(S)\in\arg\min_\omega\tfrac\lambda2\|\omega\|^2"
    r"+\mathrm{Risk}_{\mathrm{hinge}}(S,\omega)",
    place="Sec. 3.1",
    hypotheses=["the largest of these is positive"],
    grid=dict(share=["1", "3/2"]),
    quantity="penalised hinge risk of the mean",
    origin="sharper",
    note=f"If and only if: below the threshold the dropped points pull the mean back. {LATTICE}",
    given=dict(of="1"),
    twin=dict(given=dict(of="1/2"), why="half of the threshold"),
    **worked(simulate.mean_as_svm),
)
svm_constrained = KERNEL_MEAN.always(
    "relation-svm/constrained",
    statement=r"r\le\|\Phi(S)\|/\max_iy_i\langle\Phi(S),\phi(x_i)\rangle\Rightarrow "
    r"r\hat\Phi(S)\in\arg\min_{\|\omega\|\le r}\mathrm{Risk}_{\mathrm{hinge}}(S,\omega)",
    place="Sec. 3.1",
    grid=dict(share=["1/2", "1"]),
    quantity="hinge risk of the mean",
    origin="sharper",
    note=f"The threshold is at least 1, the radius in print. {LATTICE}",
    given=dict(of="1"),
    twin=dict(given=dict(of="2"), why="twice the threshold"),
    **worked(simulate.mean_on_ball),
)
svm_beyond = KERNEL_MEAN.always(
    "relation-svm/beyond",
    statement=r"r>\|\Phi(S)\|/\max_iy_i\langle\Phi(S),\phi(x_i)\rangle\Rightarrow "
    r"r\hat\Phi(S)\notin\arg\min_{\|\omega\|\le r}\mathrm{Risk}_{\mathrm{hinge}}(S,\omega)",
    place="Sec. 3.1",
    hypotheses=["the points of margin below 1 do not average to a multiple of the mean"],
    grid=dict(share=["11/10", "3/2", "3"]),
    quantity="1 if no turned classifier has less risk",
    origin="sharper",
    note=(
        f"{TRIED}, and six of forty points of spheres in three, four and five dimensions. The "
        "angle between the SVM and the mean is 0 up to the threshold and positive beyond it."
    ),
    given=dict(of="1"),
    twin=dict(given=dict(of="4/5"), why="four fifths of the threshold, where the mean is best"),
    **worked(simulate.beyond_the_threshold),
)

DENSITY: dict[str, Any] = dict(
    statement=r"\mathrm{sign}\langle\Phi(S),\phi(x)\rangle="
    r"\mathrm{sign}\big(\tfrac{n_+}n\hat p_+(x)-\tfrac{n_-}n\hat p_-(x)\big)",
    place="Sec. 3.3",
    quantity="sign of the mean's score",
    **worked(simulate.kernel_density),
)
relation_kde_printed = KERNEL_MEAN.identity(
    "relation-kde/printed",
    also=[AVERAGE_CLASSIFIER.also("relation-kde/printed", "Sec. 3.3")],
    hypotheses=[r"the integrals of K(., x') are bounded; in the earlier paper, a positive kernel"],
    given=dict(right="1/5"),
    expect="refuted",
    note="The class averages integrate to different numbers, and the densities are rescaled apart.",
    **DENSITY,
)
relation_kde = KERNEL_MEAN.identity(
    "relation-kde/repaired",
    also=[AVERAGE_CLASSIFIER.also("relation-kde/repaired", "Sec. 3.3")],
    hypotheses=[
        r"the integral of K(., x') does not depend on x'; here $K(x,x')=\max(0,1-|x-x'|/2)$"
    ],
    given=dict(right="1"),
    note=(
        "A translation-invariant kernel, the triangle; two positive points one apart against one, "
        "at whole places up to 2, seen at tenths. The step of the text is the same for any other."
    ),
    twin=dict(given=dict(right="1/2"), why="integrals that differ by a factor"),
    **DENSITY,
)


@requires(points=COUNT)
def one_minus_root(points: Numeric) -> Numeric:
    r"""$1-1/\sqrt m$."""
    return 1 - 1 / np.sqrt(points)


@requires(points=COUNT)
def _one_less(points: Numeric) -> Numeric:
    return 1 - 1 / np.sqrt(points + 1)


not_dense = KERNEL_MEAN.exists(
    "not-dense",
    statement=r"\exists f\in[-1,1]^X:\ \inf_{\|\omega\|\le1}\|f_\omega-f\|_\infty"
    r"\ge1-\tfrac1{\sqrt m}",
    place="Sec. 3.4",
    hypotheses=["m points"],
    origin="candidate",
    bound=one_minus_root,
    exact=simulate.density_gap,
    grid=dict(points=[2, 3, 4, 6]),
    quantity="distance to the unit ball",
    note=(
        "Print says that the ball is not dense, even of a universal kernel; the number is ours. "
        r"Gaussian kernel of bandwidth 1, $X=\{0,10,20,\dots\}$, $f=\pm1$ in turn; the distance is "
        "enclosed between a classifier and a dual bound, both computed from the Gram matrix."
    ),
    twin=dict(bound=_one_less, why="the distance of one more point"),
)
mkl = KERNEL_MEAN.identity(
    "mkl-single-kernel",
    also=[AVERAGE_CLASSIFIER.also("mkl", "Sec. 3.4")],
    statement=r"\min_{f\in\mathrm{co}\bigcup_i\mathcal F_{\phi_i}}\mathrm{Risk}_{\mathrm{linear}}"
    r"(S,f)=\min_i(1-\|\Phi_i(S)\|)",
    place="Sec. 3.4",
    hypotheses=[r"each omega_i in the unit ball, which print omits", "two kernels"],
    given=dict(which="max"),
    quantity="least linear risk of a mixture",
    note=(
        "Attained at the unit mean of the kernel of largest self-similarity. Every two of "
        f"{len(RATIONAL)} of {len(SAMPLES)} samples of three points, those whose mean has a "
        f"rational norm, and of {len(UNEVEN)} random ones of seven, of uneven weights, one a "
        "kernel; mixtures in quarters of a lattice of either ball, which holds the unit means."
    ),
    twin=dict(given=dict(which="min"), why="the kernel of least self-similarity"),
    **worked(simulate.multiple_kernels),
)

# The earlier paper.

theorem_2_similarity = AVERAGE_CLASSIFIER.identity(
    "theorem-2/self-similarity",
    statement=r"\|\omega_S\|^2=\tfrac1{n^2}\sum_{i,j}y_iy_jK(x_i,x_j)",
    place="Theorem 2, Sec. 3",
    given=dict(signs="signed"),
    note=f"{TRIED}; with all labels, or eight choices of them.",
    quantity="squared norm of the mean",
    twin=dict(given=dict(signs="unsigned"), why="the labels dropped"),
    **worked(simulate.self_similarity),
)
theorem_2_expected = AVERAGE_CLASSIFIER.identity(
    "theorem-2/expected",
    statement=r"\mathbb E\|\omega_S\|^2=\|\omega_P\|^2+\frac{1-\|\omega_P\|^2}n",
    place="After Theorem 2, Sec. 3",
    hypotheses=[UNIT],
    given=dict(correction="whole"),
    quantity="expected squared norm of the mean",
    note=(
        "Every sample of up to three is summed; three sets of three points of the circle, masses "
        "in thirds."
    ),
    twin=dict(given=dict(correction="none"), why="the variance forgotten"),
    **worked(simulate.expected_square),
)
HERDING = "Sec. 6.6"
svm_herding_printed = AVERAGE_CLASSIFIER.always(
    "svm-herding-equivalence/printed",
    statement=r"\min_t\mathrm{Obj}_\lambda(t\,\omega_S)\le\mathrm{Obj}_\lambda(\omega),\quad"
    r"\mathrm{Obj}_\lambda=\tfrac\lambda2\|\omega\|^2+\mathrm{Risk}_{\mathrm{hinge}}(S,\omega)",
    place=HERDING,
    grid=dict(share=["1/5", "1/2"]),
    given=dict(of="1"),
    expect="refuted",
    quantity="least penalised hinge risk along the mean",
    note=(
        r"For small $\lambda$ the SVM leaves the direction of the mean, here below "
        r"$\lambda^*=0.656$. Rescaling the solution is harmless, restricting the problem is not."
    ),
    **worked(simulate.svm_direction),
)
svm_herding = AVERAGE_CLASSIFIER.always(
    "svm-herding-equivalence/repaired",
    statement=svm_herding_printed.statement,
    place=HERDING,
    hypotheses=[r"lambda at least the largest y_i f(x_i) of the mean, which is positive"],
    note=f"The printed counterexample's sample, and others. {LATTICE}",
    grid=dict(share=["1", "2"]),
    quantity="least penalised hinge risk along the mean",
    given=dict(of="1"),
    twin=dict(given=dict(of="1/2"), why="half of the threshold"),
    **worked(simulate.svm_direction),
)
svm_herding_square = AVERAGE_CLASSIFIER.identity(
    "svm-herding-equivalence/square",
    statement=r"\tfrac12\|\omega\|^2-\langle\omega,\omega_S\rangle"
    r"=\tfrac12\|\omega-\omega_S\|^2-\tfrac12\|\omega_S\|^2",
    place=HERDING,
    given=dict(constant="kept"),
    note=LATTICE,
    quantity="objective",
    twin=dict(given=dict(constant="dropped"), why="the constant dropped"),
    **worked(simulate.completed_square),
)
