r"""Which tail mass $\nu$ lets the minimiser see the labels: Section 3.1 on trial."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k import sides_calibration as sides
from noisytheory.topics.top_k.claims_terms import told
from noisytheory.topics.top_k.sides_calibration import LOSSES, Points

FAMILY = "convex losses with $\\ell(0)=1$: hinge, logistic, square, squared hinge, exponential"
BATTERY: dict[str, Any] = {"rounding": 1e-7, "quantity": "whether it is calibrated"}
PLACE = "Theorem 1, Sec. 3.1"

calibration = [
    TOP_K.identity(
        "new-calibration-iff",
        statement=r"AT_k\text{ is calibrated}\iff\nu>2R^*",
        place="not in print: sharpens Theorem 1",
        hypotheses=[FAMILY, "some posterior is none of 0, 1/2, 1", "$\\nu\\ne2R^*$"],
        exact=sides.threshold,
        certify=sides.threshold_certificate,
        grid={"loss": LOSSES},
        given={"times": 1.0},
        origin="candidate",
        twin={"given": {"times": 1.05}, "why": "a threshold five per cent larger"},
        note="The same threshold for every loss. Decided exactly: up to $2R^*$ a balanced "
        "reweighting proves that 0 is a minimiser, above it the Bayes rule descends.",
        **BATTERY,
    ),
    TOP_K.identity(
        "theorem-1-ii/printed",
        statement=r"AT_k\text{ is calibrated}\iff\nu>E^*_\ell",
        place=PLACE,
        hypotheses=["the reading of Sec. 3.1: sufficient and necessary conditions"],
        exact=sides.by_optimal_risk,
        certify=sides.by_optimal_risk_certificate,
        grid={"loss": ["logistic"]},
        expect="refuted",
        note="Between $2R^*$ and $E^*_\\ell$ it is calibrated as well; below $2R^*$ it is not.",
        **BATTERY,
    ),
]
theorem_1 = [
    TOP_K.always(
        "theorem-1-i",
        statement=r"\nu>E^*_\ell\Rightarrow AT_k\text{ is calibrated}",
        place=PLACE,
        hypotheses=[FAMILY, "differentiable at 0"],
        exact=sides.sufficient,
        certify=sides.sufficient_certificate,
        grid={"loss": LOSSES},
        given={"unit": "risk", "ratios": "above", "kink": 0},
        twin={"given": {"unit": "bayes", "ratios": "below", "kink": 0},
              "why": "$\\nu>R^*$ in place of the optimal risk"},
        note="Tight for the hinge loss, where $E^*=2R^*$.",
        **BATTERY,
    ),
    TOP_K.always(
        "theorem-1-i/natural",
        statement=r"\nu>E^*_\ell\Rightarrow AT_k\text{ is calibrated}",
        place=PLACE,
        hypotheses=["natural logistic loss: $\\ell(0)=\\ln2$, and not 1"],
        exact=sides.natural,
        certify=sides.natural_certificate,
        given={"normalised": 0},
        expect="refuted",
        note="The condition scales with the loss: $\\nu>E^*_\\ell/\\ell(0)$. With posteriors .6 "
        "and .4 the optimal risk is .673, yet at $\\nu=.75$ the minimiser is 0, as $2R^*=.8$.",
        **BATTERY,
    ),
    TOP_K.always(
        "theorem-1-i/repaired",
        statement=r"\nu>E^*_\ell/\ell(0)\Rightarrow AT_k\text{ is calibrated}",
        place=PLACE,
        hypotheses=["natural logistic loss: $\\ell(0)=\\ln2$"],
        exact=sides.natural,
        certify=sides.natural_certificate,
        given={"normalised": 1},
        twin={"given": {"normalised": 0}, "why": "without the normalisation"},
        **BATTERY,
    ),
    TOP_K.always(
        "theorem-1-ii",
        statement=r"AT_k\text{ calibrated}\Rightarrow\nu\ge\int_{\eta\ne1/2}\min(\eta,1-\eta)",
        place=PLACE,
        hypotheses=[FAMILY],
        exact=sides.necessary,
        certify=sides.necessary_certificate,
        grid={"loss": LOSSES},
        given={"needed": "rest"},
        quantity="least tail mass",
        twin={"given": {"needed": "risk"}, "why": "the optimal risk in place of it"},
        note="Never tighter than one half, and arbitrarily loose where $\\eta=\\frac12$ has mass. "
        "That the loss falls is not needed.",
    ),
    TOP_K.always(
        "text-k-lower-bound",
        statement=r"k>2nR^*\text{ guarantees calibration}",
        place="Sec. 3.1, where it is k > n E*",
        hypotheses=[FAMILY],
        exact=sides.sufficient,
        certify=sides.sufficient_certificate,
        grid={"loss": LOSSES},
        given={"unit": "bayes", "ratios": "beyond", "kink": 0},
        twin={"given": {"unit": "bayes", "ratios": "below", "kink": 0}, "why": "below it"},
        **BATTERY,
    ),
    TOP_K.always(
        "text-bartlett",
        statement=r"\ell\text{ convex},\ \ell'(0)<0\Rightarrow\ell\text{ is calibrated}",
        place="Sec. 3.1, cited",
        hypotheses=[FAMILY, "differentiable at 0"],
        exact=sides.sufficient,
        certify=sides.sufficient_certificate,
        grid={"loss": LOSSES},
        given={"unit": "one", "ratios": "one", "kink": 0},
        twin={"given": {"unit": "one", "ratios": "one", "kink": 1},
              "why": "a kink at 0: max(1 - t, 1 - 3t, 0)"},
        note="The average loss, $\\nu=1$.",
        **BATTERY,
    ),
]
levels = [
    TOP_K.always(
        "text-lambda-star-range",
        statement=r"\nu>E^*_\ell\Rightarrow1-\lambda^*\ge\frac{\nu-E^*_\ell}\nu",
        place="App. A.2",
        hypotheses=[FAMILY],
        exact=sides.level_gap,
        certify=sides.level_gap_certificate,
        grid={"loss": LOSSES},
        given={"power": 1},
        rounding=1e-6,
        quantity="least distance of the threshold from 1",
        twin={"given": {"power": 2}, "why": "divided by $\\nu^2$"},
    ),
    TOP_K.identity(
        "new-clipped-logit",
        statement=r"f^*=\mathrm{sign}(\eta-\tfrac12)\min\Big\{\Big|\log\frac{\eta}{1-\eta}\Big|,"
        r"\ell^{-1}(\lambda^*)\Big\}",
        place="not in print: the logistic minimiser",
        hypotheses=["logistic loss", "the threshold is above 0"],
        exact=sides.clipped,
        certify=sides.clipped_certificate,
        given={"times": 1.0},
        rounding=1e-4,
        origin="candidate",
        quantity="distance of the scores",
        twin={"given": {"times": 1.25}, "why": "scores a quarter larger"},
        note="Probabilities beyond $\\sigma(\\ell^{-1}(\\lambda^*))$ are lost.",
    ),
    TOP_K.always(
        "text-risk-dominates",
        statement=r"E^*_\ell\ge2R^*",
        place="Sec. 3.1, where it is R*",
        hypotheses=[FAMILY],
        exact=sides.dominated,
        certify=sides.dominated_certificate,
        grid={"loss": LOSSES},
        given={"times": 1.0},
        rounding=1e-7,
        quantity="twice the Bayes risk",
        twin={"given": {"times": 1.125}, "why": "an eighth more"},
    ),
    TOP_K.always(
        "text-max-loss",
        statement=r"\text{the maximum loss is calibrated}\Rightarrow2R^*\le\frac1n",
        place="Sec. 3.1",
        hypotheses=["hinge loss", "one point"],
        exact=sides.maximum_loss,
        certify=sides.maximum_certificate,
        grid={"n": [4, 64]},
        given={"times": 1.0},
        quantity="twice the Bayes risk",
        twin={"given": {"times": 1.25}, "why": "a quarter more"},
    ),
]
populations = [
    told(
        "identity", "text-hinge-2bayes", sides.hinge_optimum, Points, r"E^*_h=2R^*", "Sec. 3.1",
        given={"times": 2}, broken={"times": 1}, why="R*", quantity="optimal hinge risk",
    ),
    told(
        "always", "eq-18/printed", sides.zhang, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f)-\mathcal E_h(f_c)", "(18), App. A.3",
        given={"zero": "error", "times": 1}, expect="refuted", quantity="excess risk",
        hypotheses=["the 0-1 loss of Sec. 1: a score of 0 is an error"],
        note="At $f=0$, $\\eta=\\frac12$: one half above 0. It matters, as the minimiser is 0 with "
        "positive probability.",
    ),
    told(
        "always", "eq-18", sides.zhang, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f)-\mathcal E_h(f_c)", "(18), App. A.3",
        given={"zero": "positive", "times": 1}, broken={"times": 2}, why="the right side halved",
        hypotheses=["the sign of 0 is 1"], quantity="excess risk",
    ),
    told(
        "always", "eq-19/scaled", sides.zhang_scaled, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f/\rho)-\mathcal E_h(f_c)", "(19), App. A.3",
        given={"times": 1}, broken={"times": 2}, why="the right side halved",
        hypotheses=["$\\rho>0$", "the sign of 0 is 1"], quantity="excess risk", rounding=1e-9,
    ),
    told(
        "always", "eq-7", sides.attained, Points,
        r"\nu>2R^*:\ f_c\text{ attains the infimum of (7) with the hinge loss}", "(7), Sec. 3.1",
        given={"halves": 2}, broken={"halves": 1}, why="half of $f_c$", quantity="value of $f_c$",
    ),
    told(
        "identity", "eq-population-limit", sides.population_limit, Points,
        r"\mathbb E\,\tfrac1n\sum_i[\ell_i-\lambda]_+=\mathbb E[\ell-\lambda]_+",
        "Sec. 3.1", hypotheses=["f and the threshold fixed"], grid={"n": [2, 3]},
        given={"less": 0}, broken={"less": 1}, why="a sample smaller by one",
        quantity="mean over all samples", rows=64, rounding=1e-9,
        note="With this mean the strong law gives the limit; a uniform one needs more.",
    ),
]
existence = [
    TOP_K.always(
        "eq-7/printed",
        statement=r"\text{(7) has a minimiser for every such loss}",
        place="(7), Sec. 3.1",
        hypotheses=["noise-free labels, $\\ell(t)=1/(1+t)$ for $t\\ge0$"],
        exact=sides.minimum_attained,
        certify=sides.minimum_certificate,
        given={"side": "positive"},
        expect="refuted",
        quantity="value at the largest score tried",
        note="With $R^*=0$ and a loss that is positive everywhere, logistic or this one, the "
        "infimum 0 is attained nowhere. Theorem 1 takes a minimiser for granted.",
    ),
    TOP_K.always(
        "text-fh-exists/printed",
        statement=r"\text{in finite dimension }\mathcal E_h\text{ is coercive}",
        place="Sec. 3.2",
        hypotheses=["x uniform on (0, 1], y = 1, linear"],
        exact=sides.coercive,
        certify=sides.coercive_certificate,
        given={"support": "interval"},
        expect="refuted",
        quantity="hinge risk at a weight, below that at twice the weight",
        note="$\\mathcal E_h(w)=1/(2w)$ for $w\\ge1$: the infimum 0 is attained nowhere.",
    ),
    TOP_K.always(
        "text-fh-exists",
        statement=r"\text{on finitely many points }\mathcal E_h\text{ attains its infimum}",
        place="Sec. 3.2",
        hypotheses=["three points, y = 1, linear"],
        exact=sides.coercive,
        certify=sides.coercive_certificate,
        given={"support": "atoms"},
        quantity="hinge risk at a weight, at most that at twice the weight",
        twin={"given": {"support": "interval"}, "why": "a density in place of atoms"},
    ),
]
