r"""Which tail mass $\nu$ lets the minimiser see the labels: Section 3.1 on trial."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k.calibrated import sides
from noisytheory.topics.top_k.calibrated.sides import LOSSES
from noisytheory.trial.sides import scaled

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
        given={"loss": "logistic"},
        expect="refuted",
        note="Between $2R^*$ and $E^*_\\ell$ it is calibrated as well; below $2R^*$ it is not.",
        **BATTERY,
    ),
]
ENOUGH: dict[str, Any] = {
    "exact": sides.sufficient, "certify": sides.sufficient_certificate, "rounding": 1e-7,
    "quantity": "tail mass that is not calibrated",
}
NATURAL: dict[str, Any] = {
    "place": PLACE, "hypotheses": ["natural logistic loss: $\\ell(0)=\\ln2$, and not 1"], **ENOUGH,
}
theorem_1 = [
    TOP_K.always(
        "theorem-1-i",
        statement=r"\nu>E^*_\ell\Rightarrow AT_k\text{ is calibrated}",
        place=PLACE,
        hypotheses=[FAMILY, "differentiable at 0"],
        grid={"loss": LOSSES},
        given={"enough": "risk"},
        twin=scaled(Fraction(19, 20), "a twentieth less than the optimal risk"),
        note="Turned over: where it is not calibrated, $\\nu\\le E^*_\\ell$. Tight for the hinge "
        "loss, where $E^*=2R^*$.",
        **ENOUGH,
    ),
    TOP_K.always(
        "theorem-1-i/natural",
        statement=r"\nu>E^*_\ell\Rightarrow AT_k\text{ is calibrated}",
        given={"loss": "logistic-natural", "enough": "risk"},
        expect="refuted",
        note="The condition scales with the loss: $\\nu>E^*_\\ell/\\ell(0)$. With one posterior of "
        "5/8 the optimal risk is .662, yet up to $2R^*=.75$ the minimiser is 0.",
        **NATURAL,
    ),
    TOP_K.always(
        "theorem-1-i/repaired",
        statement=r"\nu>E^*_\ell/\ell(0)\Rightarrow AT_k\text{ is calibrated}",
        given={"loss": "logistic-natural", "enough": "scaled"},
        twin={"given": {"loss": "logistic-natural", "enough": "risk"},
              "why": "without the normalisation"},
        **NATURAL,
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
        grid={"loss": LOSSES},
        given={"enough": "twice"},
        twin=scaled(Fraction(19, 20), "a twentieth less"),
        **ENOUGH,
    ),
    TOP_K.always(
        "text-bartlett",
        statement=r"\ell\text{ convex},\ \ell'(0)<0\Rightarrow\ell\text{ is calibrated}",
        place="Sec. 3.1, cited",
        hypotheses=[FAMILY, "differentiable at 0"],
        exact=sides.average,
        certify=sides.average_certificate,
        grid={"loss": LOSSES},
        given={"kink": 0},
        twin={"given": {"kink": 1},
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
        grid={"loss": LOSSES, "unit": ["bayes", "one"]},
        given={"power": 1},
        rounding=1e-7,
        quantity="least distance of the threshold from 1",
        twin={"given": {"power": 2}, "why": "divided by $\\nu^2$"},
        note="Tail masses in units of $2R^*$, and the average loss, where it is sharp as "
        "$E^*_\\ell$ vanishes.",
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
        rounding=1e-7,
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
