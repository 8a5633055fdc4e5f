"""Hinge risks and their infima: what Section 3.1 and Appendix A.3 take for granted, on trial."""

from __future__ import annotations

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k.risks import sides
from noisytheory.topics.top_k.risks.sides import Points
from noisytheory.topics.top_k.terms import about_instances
from noisytheory.trial.sides import worked

populations = [
    about_instances(
        TOP_K.identity, "text-hinge-2bayes", sides.hinge_optimum, Points, r"E^*_h=2R^*", "Sec. 3.1",
        given={"times": 2}, broken={"times": 1}, why="R*", quantity="optimal hinge risk",
        rows=8, rounding=1e-9,
    ),
    about_instances(
        TOP_K.always, "eq-18/printed", sides.zhang, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f)-\mathcal E_h(f_c)", "(18), App. A.3",
        given={"zero": "both", "times": 1}, expect="refuted", quantity="excess risk",
        hypotheses=["the 0-1 loss of Sec. 1: a score of 0 is an error"],
        note="At $f=0$, $\\eta=\\frac12$: one half above 0. It matters, as the minimiser is 0 with "
        "positive probability.",
    ),
    about_instances(
        TOP_K.always, "eq-18", sides.zhang, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f)-\mathcal E_h(f_c)", "(18), App. A.3",
        given={"zero": "negative", "times": 1}, broken={"times": 2}, why="the right side halved",
        hypotheses=["the sign of 0 is 1"], quantity="excess risk",
    ),
    about_instances(
        TOP_K.always, "eq-19/scaled", sides.zhang_scaled, Points,
        r"R(\mathrm{sign}f)-R^*\le\mathcal E_h(f/\rho)-\mathcal E_h(f_c)", "(19), App. A.3",
        given={"times": 1}, broken={"times": 2}, why="the right side halved",
        hypotheses=["$\\rho>0$", "the sign of 0 is 1"], quantity="excess risk", rounding=1e-9,
    ),
    about_instances(
        TOP_K.always, "eq-7", sides.attained, Points,
        r"\nu>2R^*:\ f_c\text{ attains the infimum of (7) with the hinge loss}", "(7), Sec. 3.1",
        given={"halves": 2}, broken={"halves": 1}, why="half of $f_c$",
        quantity="value of the Bayes classifier",
    ),
    about_instances(
        TOP_K.identity, "eq-population-limit", sides.population_limit, Points,
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
        **worked(sides.minimum_attained),
        expect="refuted",
        quantity="value at a score of a million",
        note="With $R^*=0$ and a loss that is positive everywhere, logistic or this one, the "
        "infimum 0 is attained nowhere. Theorem 1 takes a minimiser for granted.",
    ),
    TOP_K.always(
        "text-fh-exists/printed",
        statement=r"\text{in finite dimension }\mathcal E_h\text{ is coercive}",
        place="Sec. 3.2",
        hypotheses=["x uniform on (0, 1], y = 1, linear"],
        **worked(sides.coercive),
        expect="refuted",
        quantity="hinge risk at a weight, below that at twice the weight",
        note="$\\mathcal E_h(w)=1/(2w)$ for $w\\ge1$: the infimum 0 is attained nowhere.",
    ),
]
