"""What the paper says of aggregate losses, and what is said beside it, on trial."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k import pictures
from noisytheory.topics.top_k.aggregates import bounds, sides
from noisytheory.topics.top_k.terms import about_instances
from noisytheory.topics.top_k.vectors import Losses, Pairs, Signed
from noisytheory.trial.sides import scaled, worked

NK: dict[str, Any] = {"n": [5], "k": [2, 3]}

individual_losses = [
    about_instances(
        TOP_K.always, f"def-individual-losses/{shape}", sides.zero_one, Pairs,
        r"\mathbb I[t\le0]\le\ell(t)", "Sec. 1", grid={"n": [2]},
        given={"shape": shape, "times": 1}, broken={"times": 2}, why="twice the 0-1 loss",
        quantity="0-1 loss", note="Equality at a score of 0.",
    )
    for shape in ("hinge", "square")
]
conjugates = about_instances(
    TOP_K.identity, "def-individual-losses/conjugates", sides.fenchel, Pairs,
    r"\ell(t)+\ell^*(\ell'(t))=t\,\ell'(t)", "not in print: what certificates are made of",
    grid={"n": [2], "shape": ["absolute", "hinge", "margin-square", "square", "squared-hinge"]},
    given={"share": 1}, broken={"share": 0.5}, why="at half the slope", origin="sharper",
    quantity="loss plus conjugate", rows=64,
    note="Every loss that is exact in fractions, with its public slope and conjugate.",
)
logistic_base = TOP_K.always(
    "def-individual-losses",
    statement=r"\mathbb I[t\le0]\le\log_2(1+e^{-t})",
    place="Sec. 1",
    simulate=sides.natural_logistic,
    certify=sides.at_zero_certificate,
    given={"base": 2.0},
    rows=256,
    twin={"given": {"base": 2.718281828459045}, "why": "the natural logarithm: 0.693 at 0"},
    quantity="0-1 loss",
    note="Base 2 is essential: Theorem 1 assumes a loss of 1 at 0.",
)
g_mean = about_instances(
    TOP_K.always, "def-gmean", sides.geometric_mean, Losses,
    r"\sqrt{\mathrm{TPR}\cdot\mathrm{TNR}}\le\frac{a}{2\sqrt{p(1-p)}}",
    "Table 4; not defined in print", hypotheses=["both classes occur"], grid={"n": [5]},
    given={"times": 1}, broken={"times": 2}, why="the left side's square doubled",
    origin="sharper", quantity="4 times the product of the right counts",
    note="A check of Table 4 against Table 1, with accuracy $a$ and class share $p$.",
)
definitions = about_instances(
    TOP_K.identity, "def-avt-k", sides.definitions, Losses,
    r"k\,AT_k=\max_{|S|=k}\sum_{i\in S}\ell_i,\quad\ell_{[k]}=kAT_k-(k-1)AT_{k-1}",
    "(1) and footnote 2, Sec. 1", hypotheses=["average and maximum are k = n and k = 1"],
    also=[TOP_K.also(f"def-{name}", "Sec. 1") for name in ("average", "maximum", "top-k")],
    grid={"n": [4], "k": [1, 2]}, given={"more": 0}, broken={"more": 1},
    why="k + 1 in place of k", quantity="sum of the four aggregates",
    note="The left side is that of the public functions, added up.",
)
cvar = about_instances(
    TOP_K.identity, "text-cvar", sides.cvar, Losses,
    r"\max_{0\le p_i\le1/k,\,\sum p_i=1}\langle p,\ell\rangle="
    r"\min_\lambda\lambda+\frac1k\sum_i[\ell_i-\lambda]_+",
    "not in print: AT_k is the CVaR of the empirical law", grid=NK, given={"dual": "capped"},
    broken={"dual": "free"}, why="without the cap on a weight", origin="sharper",
    quantity="k times AT_k", rounding=1e-9,
)
generalises = about_instances(
    TOP_K.identity, "text-generalises", sides.ends, Losses,
    r"AT_1=\max_i\ell_i,\quad AT_n=\frac1n\sum_i\ell_i", "Sec. 1", grid={"n": [2, 5]},
    given={"less": 0}, broken={"less": 1}, why="k = n - 1 in place of n",
    quantity="maximum plus sum",
    note="The left side is computed by thresholds (Lemma 1), not by sorting.",
)
dominates = [
    about_instances(
        TOP_K.always, "text-dominates", sides.dominates, Losses, r"\ell_{[k]}\le AT_k", "Sec. 1",
        grid=NK, given={"shift": 0}, broken={"shift": 1}, why="AT_{k+1} in place of AT_k",
        quantity="k times the k-th largest",
    ),
    about_instances(
        TOP_K.identity, "text-dominates/printed", sides.equality, Losses,
        r"AT_k=\ell_{[k]}\iff k=1\text{ or }\ell_1=\dots=\ell_n", "Sec. 1", grid=NK,
        given={"reading": "all"}, expect="refuted", quantity="whether they are equal",
        note="Equality holds as soon as the k largest losses are equal.",
    ),
    about_instances(
        TOP_K.identity, "text-dominates/repaired", sides.equality, Losses,
        r"AT_k=\ell_{[k]}\iff\ell_{[1]}=\dots=\ell_{[k]}", "Sec. 1", grid=NK,
        given={"reading": "largest"}, broken={"reading": "all"},
        why="all losses in place of the k largest", quantity="whether they are equal",
    ),
    about_instances(
        TOP_K.always, "text-dominates/monotone", sides.monotone, Losses,
        r"AT_{k+1}\le AT_k\quad\text{and}\quad kAT_k\le(k+1)AT_{k+1}",
        "Sec. 1: a continuum between average and maximum", grid=NK,
        hypotheses=["losses are not negative"], given={"less": 0}, broken={"less": 1},
        why="AT_{k+1} at most k/(k+1) of AT_k", origin="sharper", quantity="excess",
    ),
]
difference = about_instances(
    TOP_K.identity, "text-dc-identity", sides.difference, Losses,
    r"\ell_{[k]}=kAT_k-(k-1)AT_{k-1}", "Sec. 1", grid=NK, hypotheses=["k is at least 2"],
    given={"less": 1}, broken={"less": 0}, why="AT_{k-1} taken k times",
    quantity="k - 1 times the k-th largest", rounding=1e-9,
    note="The right side is computed by thresholds (Lemma 1), the left by sorting.",
)
LATTICE: dict[str, Any] = dict(
    place="Sec. 1", quantity="whether a mid-point proves it", **worked(sides.midpoints),
)
nonconvex = [
    TOP_K.identity(
        "text-topk-nonconvex/printed",
        statement=r"\ell_{[k]}=kAT_k-(k-1)AT_{k-1}\Rightarrow\ell_{[k]}\text{ is not convex}",
        grid={"n": [2, 3], "k": [1, 2]},
        given={"which": "top"},
        expect="refuted",
        note="A difference of convex functions may be convex: at k = 1 it is the maximum.",
        **LATTICE,
    ),
    TOP_K.identity(
        "text-topk-nonconvex",
        statement=r"k\ge2\Rightarrow\ell_{[k]}\text{ is not convex}",
        grid={"n": [2, 3], "k": [2]},
        given={"which": "top"},
        twin={"given": {"which": "sum"}, "why": "the sum of the k largest"},
        note="For n = k = 2: (0,2) and (2,0) have second largest 0, their mid-point (1,1) has 1.",
        **LATTICE,
    ),
]
bottom = about_instances(
    TOP_K.always, "text-bottom-k", sides.concave, Pairs,
    r"\text{the mean of the }k\text{ smallest losses is concave}", "Sec. 5", grid=NK,
    given={"sign": 1}, broken={"sign": -1}, why="convex in place of concave",
    quantity="at two vectors", note="Convex only for k = n, where it is linear.",
)
lemma_1 = [
    about_instances(
        TOP_K.identity, "lemma-1", sides.lemma_1, Signed,
        r"\sum_{i\le k}x_{[i]}=\min_{\lambda\ge0}\Big\{k\lambda+\sum_i[x_i-\lambda]_+\Big\}",
        "Lemma 1, Sec. 2", hypotheses=["all x are nonnegative"], grid=NK,
        given={"needs": "all"}, broken={"needs": "none"}, why="hypothesis dropped",
        quantity="sum of the k largest", rows=1024,
    ),
    about_instances(
        TOP_K.identity, "lemma-1/repaired", sides.lemma_1_iff, Signed,
        r"\sum_{i\le k}x_{[i]}=\min_{\lambda\ge0}\{\dots\}\iff x_{[k]}\ge0",
        "Lemma 1, Sec. 2", grid=NK, given={"needs": "kth"}, broken={"needs": "all"},
        why="all x nonnegative in place of the k-th largest", origin="sharper",
        quantity="whether it holds",
    ),
]
eq_2 = [
    about_instances(
        TOP_K.identity, "eq-2/printed", sides.proportional, Losses,
        r"AT_k=c\min_{\lambda\ge0}\Big\{\frac1n\sum_i[\ell_i-\lambda]_++\frac kn\lambda\Big\}"
        r"\text{ with one }c\text{ for all }k", "(2), Sec. 2", grid=NK, given={"factor": "one"},
        expect="refuted", quantity="nk times the minimum", rounding=1e-9,
        note="The factor $n/k$ depends on k, so that in (3) a small k is regularised more.",
    ),
    about_instances(
        TOP_K.identity, "eq-2", sides.proportional, Losses,
        r"\min_{\lambda\ge0}\Big\{\frac1n\sum_i[\ell_i-\lambda]_++\frac kn\lambda\Big\}"
        r"=\frac kn AT_k", "(2), Sec. 2", grid=NK, given={"factor": "k/n"},
        broken={"factor": "one"}, why="a factor that does not know k",
        quantity="n times the minimum", rounding=1e-9,
    ),
]
truncated = [
    about_instances(
        TOP_K.always, "text-shift-truncate", sides.zero_region, Pairs,
        r"\lambda<\ell(0),\ t\le0\Rightarrow[\ell(t)-\lambda]_+>0", "Sec. 2",
        grid={"n": [2], "shape": ["hinge", "square"]}, given={"largest": "loss at 0"},
        broken={"largest": "more"}, why="a larger threshold", quantity="1",
        note="Errors keep a penalty. With the hinge loss there is no shift at all for k at or "
        "above $\\bar k(C)$, and below it is a rescaling of the margin.",
    ),
    about_instances(
        TOP_K.always, "figure-2", sides.truncated, Pairs, r"[\ell-\lambda]_+\le\ell",
        "Figure 2, Sec. 2", grid={"n": [2], "shape": ["hinge", "square", "absolute"]},
        given={"below": "loss"}, broken={"below": "shifted"}, why="shifted, but not cut",
        quantity="shifted and cut loss", picture=pictures.figure_2,
    ),
]
eq_3 = about_instances(
    TOP_K.always, "eq-3-convexity", sides.jointly_convex, Pairs,
    r"\text{(3) is jointly convex in }(w,\lambda)\text{ if }\ell\text{ is convex in }w",
    "(3), Sec. 2", grid={"n": [4], "k": [2]}, given={"shape": "squared hinge"},
    broken={"shape": "ramp"}, why="a loss that is not convex", quantity="twice the mid-point",
    rows=1024,
)
eq_3_hinge = about_instances(
    TOP_K.always, "eq-3-convexity/hinge", sides.jointly_convex, Pairs,
    r"\text{(3) is jointly convex in }(w,\lambda)\text{ with the hinge loss}",
    "(3), Sec. 2", grid={"n": [4], "k": [2]}, given={"shape": "hinge"},
    broken={"shape": "ramp"}, why="a loss that is not convex", quantity="twice the mid-point",
    rows=1024,
)
lemma_2 = [
    about_instances(
        TOP_K.identity, "lemma-2", sides.lemma_2, Pairs, r"[[a-\ell]_+-b]_+=[a-b-\ell]_+",
        "Lemma 2, Sec. 2", hypotheses=["a and b are nonnegative"], grid={"n": [2]},
        given={"wanted": "printed"}, broken={"wanted": "a"}, why="b of either sign", rows=1024,
    ),
    about_instances(
        TOP_K.identity, "lemma-2/repaired", sides.lemma_2, Pairs, r"[[a-\ell]_+-b]_+=[a-b-\ell]_+",
        "Lemma 2, Sec. 2", hypotheses=["b is nonnegative"], grid={"n": [2]},
        given={"wanted": "b"}, broken={"wanted": "a"}, why="the hypothesis on a instead",
        origin="sharper", rows=1024,
    ),
]
sensitivity = [
    about_instances(
        TOP_K.always, "text-outlier-sensitivity", sides.moved, Losses,
        r"\text{one loss larger by }\Delta\text{ raises }AT_k\text{ by at most }\Delta/k",
        "Sec. 1: less sensitive to outliers than the maximum loss",
        grid={"n": [5], "k": [1, 2, 4]}, given={"grows": "any"},
        bound=bounds.outlier_shift, twin=scaled(Fraction(7, 8)), origin="candidate",
        quantity="rise of the average",
        note="So it is less sensitive than the maximum, and more than the average.",
    ),
    about_instances(
        TOP_K.identity, "text-outlier-sensitivity/attained", sides.moved, Losses,
        r"\text{the largest loss larger by }\Delta\text{ raises }AT_k\text{ by }\Delta/k",
        "Sec. 1: less sensitive to outliers than the maximum loss",
        grid={"n": [5], "k": [1, 2, 4]}, given={"grows": "largest"}, broken={"grows": "any"},
        why="any loss", bound=bounds.outlier_shift, origin="candidate",
        quantity="rise of the average",
    ),
]
least_majorant = about_instances(
    TOP_K.always, "new-least-majorant", sides.majorant, Pairs,
    r"g\ge\ell_{[k]}\text{ convex and symmetric}\Rightarrow g\ge AT_k",
    "Sec. 1: a tight upper bound of the top-k loss", grid={"n": [4], "k": [2, 3]},
    hypotheses=["g is a spectral function, $\\sum_ia_i\\ell_{[i]}$ with a non-increasing"],
    given={"symmetric": "yes"}, broken={"symmetric": "no"}, why="symmetry dropped",
    origin="candidate", quantity="k times AT_k, scaled",
    note="In this sense print's upper bound is tight. Averaging a vector over the permutations of "
    "its k largest entries makes the k-th largest $AT_k$.",
)
spectral = about_instances(
    TOP_K.identity, "new-least-majorant/spectral", sides.spectral_mixture, Pairs,
    r"\sum_i\sigma_i\ell_{[i]}=\sum_kk(\sigma_k-\sigma_{k+1})AT_k,"
    r"\quad\sigma\text{ non-increasing}",
    "not in print", grid={"n": [4]}, given={"more": 0}, broken={"more": 1},
    why="the last term once more", origin="sharper", quantity="spectral risk", rows=64,
    rounding=1e-9,
)
