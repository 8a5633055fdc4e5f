r"""$AT_k$-SVM and $AT_k$-SVR on trial: exact optima of small problems."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k.margins.bounds import margin_floor, norm_margin, training_risk
from noisytheory.topics.top_k.support_vectors import sides
from noisytheory.topics.top_k.support_vectors.sides import Alike, Rows, Shorter, Splits, Targets
from noisytheory.topics.top_k.terms import about_instances, minus
from noisytheory.topics.top_k.vectors import Pairs, Signed
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import COUNT, SAMPLE_SIZE, Numeric, requires

# Floats stop at a gap of 1e-13: at C = 4 that leaves sqrt(2 C 1e-13) = 9e-7 in w, and up to ten
# times as much in sums of losses. Certificates are in fractions.
SMALL: dict[str, Any] = {"rows": 24, "rounding": 1e-5}
GRID: dict[str, Any] = {"radius": [2], "k": [2, 4], "C": [4]}
RATIO = (
    r"\max\Big\{\frac{\nu\|g\|}{\nu-\mathcal E_z(g)},\frac{\|g\|}2+"
    r"\sqrt{\frac{\|g\|^2}4+C\,\mathcal E_z(g)}\Big\}"
)
NO_BIAS = "no intercept that is free of the regulariser"


@requires(k=COUNT.of("How many losses are averaged."), n=SAMPLE_SIZE)
def _share(k: Numeric, n: Numeric) -> Numeric:
    """The tail mass of a count."""
    return k / n


programme = about_instances(
    TOP_K.identity, "eq-8..12", sides.dual_programme, Signed,
    r"\max_{0\le p\le1,\,\sum p=k}\langle p,x\rangle=\min_\lambda k\lambda+\sum_i[x_i-\lambda]_+",
    "(8) to (12), App. A.1", grid={"n": [5], "k": [2, 3]}, given={"sign": "any"},
    broken={"sign": "nonnegative"}, why="thresholds at or above 0 only",
    quantity="sum of the k largest",
)
substituted = about_instances(
    TOP_K.identity, "eq-13", sides.substituted, Pairs,
    r"[\ell-\lambda]_++\nu\lambda=[\beta+\ell-1]_+-\nu\beta+\nu,\quad\beta=1-\lambda",
    "(13), App. A.2", grid={"n": [2]}, given={"constant": 1}, broken={"constant": 0},
    why="the constant $\\nu$ left out, as print does", quantity="16 times the objective",
)
level_range = about_instances(
    TOP_K.always, "eq-5-lambda-range", sides.level_range, Rows, r"0\le\lambda_z\le1",
    "(5), Sec. 2", grid=GRID, given={"top": 1}, broken={"top": 0.5}, why="at most one half",
    quantity="threshold", note="Both ends are attained: 1 for $k\\le nh^*$, 0 for $k\\ge\\bar k$.",
    **SMALL,
)
rewritten = about_instances(
    TOP_K.identity, "eq-6", sides.rewritten, Rows, r"(5)=(6)+\frac kn\text{ at the minimum}",
    "(6), Sec. 2", grid=GRID, given={"constant": 1}, broken={"constant": 0},
    why="the constant left out, as print does", quantity="minimum of (5)", **SMALL,
)
c_svm = [
    about_instances(
        TOP_K.always, "text-csvm/printed", sides.with_intercept, Rows,
        r"k=n:\ (5)\text{ is not above the standard C-SVM}", "Sec. 2",
        grid={"radius": [2], "C": [4]}, expect="refuted", quantity="minimum of (5)",
        note="The C-SVM that print cites has an intercept that costs nothing, and with it smaller "
        "objectives.", **{**SMALL, "rows": 8},
    ),
    about_instances(
        TOP_K.identity, "text-csvm", sides.is_c_svm, Rows,
        r"k=n:\ (5)\text{ is the C-SVM without intercept}", "Sec. 2", hypotheses=[NO_BIAS],
        grid={"radius": [2], "C": [4]}, given={"less": 0}, broken={"less": 1}, why="k = n - 1",
        quantity="minimum of (5)", **SMALL,
    ),
]
proposition_1 = [
    about_instances(
        TOP_K.identity, "proposition-1", sides.is_nu_svm, Rows,
        r"C=1,\ K(x_i,x_i)\le1\Rightarrow(6)=\nu\text{-SVM},\ \nu=\tfrac kn",
        "Proposition 1, App. B", hypotheses=["C = 1", "rows of norm at most 1", NO_BIAS],
        grid={"radius": [1], "k": [2, 4]}, given={"C": 1, "most": 0}, broken={"C": 3}, why="C = 3",
        quantity="minimum of (6)", **SMALL,
        note="The proof takes a free support vector, which need not exist; the optimal margins "
        "lie between two of the sample's, and one of these will do.",
    ),
    about_instances(
        TOP_K.identity, "proposition-1/norm", sides.is_nu_svm, Rows,
        r"C\tfrac kn\max_iK(x_i,x_i)\le1\Rightarrow(6)=\nu\text{-SVM}",
        "Proposition 1, App. B", hypotheses=[NO_BIAS], origin="sharper",
        grid={"radius": [1], "k": [2, 4], "C": [4]}, given={"most": 1}, broken={"most": 2},
        why="at most 2", quantity="minimum of (6)", **SMALL,
    ),
]
dual = [
    about_instances(
        TOP_K.identity, "dual-qp", sides.quadratic_programme, Rows,
        r"(5)=-\frac1C\min_\alpha\tfrac12\alpha^\top Q\alpha-\sum\alpha_i,\quad"
        r"0\le\alpha_i\le\tfrac Cn,\ \sum\alpha_i\le\tfrac{Ck}n", "App. B", grid=GRID,
        given={"cap": "Ck/n"}, broken={"cap": "k/n"}, why="the sum at most k/n",
        quantity="minimum of (5)", **SMALL,
    ),
    about_instances(
        TOP_K.identity, "nu-svm-dual", sides.nu_dual, Rows,
        r"\nu\text{-SVM }(20)=-\min\tfrac12\alpha^\top Q\alpha,\quad0\le\alpha_i\le\tfrac1n,\ "
        r"\sum\alpha_i\ge\nu", "(20), App. B", grid={"radius": [2], "k": [2, 4]},
        given={"needed": 1}, broken={"needed": 2}, why="without the factor one half",
        quantity="minimum of (20)", **SMALL,
    ),
]
nu_property = about_instances(
    TOP_K.always, "nu-property-svm", sides.support, Rows,
    r"\#\{y_if(x_i)<\rho\}\le k\le\#\{\alpha_i>0\}", "App. B",
    hypotheses=["C = 1", "rows of norm at most 1"], grid={"radius": [1], "k": [2, 3, 4], "C": [1]},
    given={"errors": 0, "vectors": 0}, broken={"vectors": 1}, why="k + 1 support vectors",
    quantity="excess", **SMALL,
    note="The upper bound on margin errors needs no hypothesis; the lower on support vectors needs "
    "$\\rho<1$.",
)
dichotomy = [
    about_instances(
        TOP_K.always, "new-dichotomy/printed", sides.is_new, Rows,
        r"\text{with the hinge loss }AT_k\text{ gives classifiers that no C-SVM gives}",
        "Secs. 1 and 2: a new variant of SVM", grid=GRID, expect="refuted", quantity="1",
        hypotheses=["the margin is not 0"], **{**SMALL, "rows": 8},
        note="Its solution, over its margin, is the C-SVM's at $C/\\rho$.",
    ),
    about_instances(
        TOP_K.identity, "new-dichotomy", sides.three, Rows,
        r"f=\text{C-SVM}(C)\text{ if }k\ge\bar k(C)=n\sum\alpha_i,\text{ else }\nu\text{-SVM}",
        "not in print", hypotheses=[NO_BIAS], grid={"radius": [2], "k": [2, 3, 4], "C": [4]},
        given={"shift": 0}, broken={"shift": 1}, why="k + 1 in place of k", origin="candidate",
        quantity="squared distance of the weights", **{**SMALL, "rows": 8},
        note="Zero for $k\\le nh^*$. So with the hinge loss the aggregate adds no classifier.",
    ),
    about_instances(
        TOP_K.identity, "new-dichotomy/path", sides.on_the_path, Rows,
        r"f/\rho=\text{C-SVM}(C/\rho)\text{ where }\rho>0", "not in print", grid=GRID,
        given={"wrong": ""}, broken={"wrong": "C"}, why="C in place of $C/\\rho$",
        hypotheses=[NO_BIAS], origin="candidate", quantity="squared distance of the weights",
        **{**SMALL, "rows": 8},
    ),
]
lines = [
    about_instances(
        TOP_K.always, "new-margin-floor", sides.floor_of_margin, Rows,
        r"\rho\ge\min\Big\{1,\frac{C(\nu-\mathcal E_z(g))_+^2}{\nu\|g\|^2}\Big\}\text{ for all }g",
        "beside (17), App. A.3", grid=GRID, bound=minus(margin_floor),
        twin=scaled(Fraction(21, 20), "the floor a twentieth larger"), origin="candidate",
        quantity="minus the margin",
        **{**SMALL, "rows": 128},
    ),
    about_instances(
        TOP_K.identity, "new-margin-floor/attained", sides.floor_of_margin, Alike,
        r"\rho=\min\Big\{1,\frac{C(\nu-\mathcal E_z(g))_+^2}{\nu\|g\|^2}\Big\}",
        "beside (17), App. A.3", hypotheses=["rows that are all alike, g of margin 1"],
        grid={"radius": [1], "k": [2], "C": [4]}, bound=minus(margin_floor),
        twin=scaled(Fraction(19, 20)), origin="candidate", quantity="minus the margin",
        **{**SMALL, "rows": 8},
    ),
    about_instances(
        TOP_K.identity, "new-margin-floor/risk", sides.risk_at_margin, Rows,
        r"0<\rho<1\Rightarrow\mathcal E_z(f/\rho)=\frac kn-\frac{\|f\|^2}{C\rho}",
        "beside (19), App. A.3", grid=GRID, given={"most": 0}, bound=training_risk,
        twin=scaled(Fraction(21, 20)), origin="candidate", quantity="training hinge risk", **SMALL,
    ),
    about_instances(
        TOP_K.always, "new-margin-floor/risk-at-1", sides.risk_at_margin, Rows,
        r"0<\rho\le1\Rightarrow\mathcal E_z(f/\rho)\le\frac kn-\frac{\|f\|^2}{C\rho}",
        "beside (19), App. A.3", grid=GRID, given={"most": 1}, bound=training_risk,
        twin=scaled(Fraction(19, 20)), origin="candidate", quantity="training hinge risk",
        **{**SMALL, "rows": 12},
    ),
    about_instances(
        TOP_K.always, "new-norm-margin", sides.norm_of_margin, Rows,
        rf"\frac{{\|f\|}}\rho\le{RATIO}"
        r"\text{ if }\mathcal E_z(g)<\nu", "beside Lemma 7, App. A.3", grid=GRID,
        bound=norm_margin, twin=scaled(Fraction(19, 20), "the right side a twentieth smaller"),
        origin="candidate", quantity="norm over margin",
        note="Both entries are attained. The second, where larger, is at most $\\sqrt{C\\nu}$.",
        **{**SMALL, "rows": 128},
    ),
    about_instances(
        TOP_K.identity, "new-norm-margin/attained", sides.norm_of_margin, Shorter,
        rf"\frac{{\|f\|}}\rho={RATIO}", "beside Lemma 7, App. A.3",
        hypotheses=["four rows alike, one shorter, of length k/2; g of margin 1 on the four"],
        grid={"k": [1, 2], "C": [5]}, bound=norm_margin, twin=scaled(Fraction(21, 20)),
        origin="candidate", quantity="norm over margin", **{**SMALL, "rows": 8},
        note="The first entry at k = 1, with a margin of 1/4; the second at k = 2, with one of 1.",
    ),
    about_instances(
        TOP_K.always, "eq-15", sides.compared, Rows,
        r"(6)\le\rho\,\mathcal E_z(g)-\frac kn\rho+\frac{\rho^2}{2C}\|g\|^2,\quad0\le\rho\le1",
        "(15), App. A.3", grid=GRID, given={"ridge": 2}, broken={"ridge": 4},
        why="half of the regulariser", quantity="value gained over 0",
        note="Tried with both signs turned: at the minimum (6) is not positive.",
        **{**SMALL, "rows": 128},
    ),
    about_instances(
        TOP_K.always, "eq-19", sides.bounded_risk, Rows,
        r"\rho>0\Rightarrow\mathcal E_z(f/\rho)\le\frac kn", "after (19), App. A.3", grid=GRID,
        bound=_share, twin=scaled(Fraction(19, 20), "a twentieth less"),
        quantity="training hinge risk", **{**SMALL, "rows": 128},
    ),
]
TARGETS: dict[str, Any] = {"k": [1, 2], "C": [1]}
regression = [
    about_instances(
        TOP_K.identity, "proposition-2", sides.is_nu_svr, Targets,
        r"\min(22)=\nu\text{-SVR},\quad\nu=\tfrac kn", "Proposition 2, App. B",
        hypotheses=[NO_BIAS], grid={"k": [1, 2]}, given={"more": 0, "C": 1}, broken={"more": 1},
        why="$\\nu$ larger by 1/n", quantity="minimum of (22)", **SMALL,
        note="The left side by sorting, the right from the dual of $\\nu$-SVR.",
    ),
    about_instances(
        TOP_K.identity, "proposition-2/printed", sides.is_nu_svr, Targets,
        r"\text{the average absolute loss is }\nu\text{-SVR for every }\nu", "Sec. 4",
        grid={"k": [3]}, given={"more": -1, "C": 1}, expect="refuted",
        quantity="minimum of (22)", **SMALL,
        note="Only for $\\nu=1$, least absolute deviations.",
    ),
    about_instances(
        TOP_K.always, "nu-property-svr/printed", sides.svr_support, Targets,
        r"\#\{|r_i|>\lambda\}\le k\le\#\{\alpha_i\ne0\}", "App. B", grid=TARGETS,
        given={"level": "any", "less": 0}, expect="refuted", quantity="excess", **SMALL,
        note="With all targets 0 the minimiser is 0 and has no support vector.",
    ),
    about_instances(
        TOP_K.always, "nu-property-svr", sides.svr_support, Targets,
        r"\lambda>0\Rightarrow\#\{|r_i|>\lambda\}\le k\le\#\{\alpha_i\ne0\}", "App. B",
        grid=TARGETS, given={"level": "positive", "less": 0}, broken={"level": "any"},
        why="hypothesis dropped", quantity="excess", **SMALL,
    ),
    about_instances(
        TOP_K.identity, "new-svr-reparam", sides.is_epsilon_svr, Targets,
        r"AT_k\text{ with absolute loss}=\epsilon\text{-SVR with }\epsilon=\lambda_z",
        "not in print", hypotheses=[NO_BIAS], grid=TARGETS, given={"half": 1}, broken={"half": 2},
        why="half of the threshold", origin="candidate",
        quantity="squared distance of the weights", **SMALL,
    ),
]
choice = [
    about_instances(
        TOP_K.always, "text-not-worse/printed", sides.selected, Splits,
        r"\text{the chosen }AT_{k^*}\text{ errs no more than average and maximum}",
        "Sec. 2, choosing k", hypotheses=["on test data", "hinge loss"], grid={"C": [4]},
        given={"where": "test"}, expect="refuted", quantity="errors", **SMALL,
        note="Not worse by the criterion of the choice, of course; test errors can be.",
    ),
    about_instances(
        TOP_K.always, "text-not-worse", sides.selected, Splits,
        r"\text{the chosen }AT_{k^*}\text{ errs no more than average and maximum}",
        "Sec. 2, choosing k", hypotheses=["on validation data", "hinge loss"], grid={"C": [4]},
        given={"where": "validation"}, broken={"where": "test"}, why="test data",
        quantity="errors", **SMALL,
    ),
]
