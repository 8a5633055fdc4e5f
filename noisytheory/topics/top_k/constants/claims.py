"""Constants of the error bounds, and machines with one feature, on trial."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k.constants import bounds, sides
from noisytheory.topics.top_k.constants.sides import Line, Scalars
from noisytheory.topics.top_k.terms import about_instances
from noisytheory.trial.sides import scaled, worked
from noisytheory.vocabulary.domains import Numeric, requires


@requires(C=bounds.REGULARISATION, norm=bounds.NORM, kappa=bounds.KAPPA)
def _squared(C: Numeric, norm: Numeric, kappa: Numeric) -> Numeric:
    r"""$-(1+C_{\kappa H})^2$."""
    return -(1 + bounds.c_kappa(C, norm, kappa)) ** 2


constants = [
    about_instances(
        TOP_K.always, "text-radius", sides.radius, Scalars,
        r"\frac{2k}n\max\Big(\sqrt{\frac{2C}\mu},\frac{2\|f_H\|}\mu\Big)\le R_{C,\mu}",
        "App. A.3", bound=bounds.radius, twin=scaled(Fraction(15, 16)), quantity="radius",
        note="Equality in the limit C to 0 at k = n.",
    ),
    about_instances(
        TOP_K.always, "text-consistency", sides.grows, Scalars,
        r"(1+C_{\kappa H})^2\le2(1+4\kappa\|f_H\|)^2+16\kappa^2C", "Sec. 3.2", bound=_squared,
        given={"twice": 2}, broken={"twice": 1}, why="without the factor 2",
        quantity="minus the right side", origin="candidate",
        note="So for a fixed $f_H$ indeed $C/n\\to0$ is what consistency needs. Tried with both "
        "signs turned.",
    ),
    TOP_K.always(
        "text-consistency/printed",
        statement=r"\text{one }f_H\text{ serves: }\|f_H\|^2\le1000",
        place="Sec. 3.2",
        hypotheses=["kernel $1-|x-x'|$ on [0, 1]", "posteriors .9 and .1 at two points"],
        **worked(sides.steep),
        expect="refuted",
        quantity="squared norm of the minimiser",
        note="On two points at distance h it is $2/h$. A universal kernel without approximation "
        "error on a connected domain has no $f_H$ at all where $\\eta$ passes one half. The "
        "thousand is ours: no number would do.",
    ),
    about_instances(
        TOP_K.always, "text-fh-exists", sides.attained_at_a_kink, Line,
        r"\text{on finitely many points }\mathcal E_h\text{ attains its infimum}", "Sec. 3.2",
        hypotheses=["linear, one feature"], given={"which": "best"}, broken={"which": "nearest"},
        why="the kink nearest 0 in place of the best", quantity="6 times the hinge risk at a kink",
        note="Piecewise linear and not below 0, so it is least at a kink; of a density it need not "
        "be.",
    ),
    about_instances(
        TOP_K.always, "new-kappa-fh", sides.reaches_one, Line,
        r"\mathcal E_h(f_H)<1\Rightarrow\kappa\|f_H\|\ge1", "not in print",
        hypotheses=["linear, one feature"], given={"eighths": 8}, broken={"eighths": 9},
        why="an eighth more", origin="candidate", quantity="8",
        note="So $C_{\\kappa H}>4$ always.",
    ),
    about_instances(
        TOP_K.identity, "new-collapse", sides.collapses, Line,
        r"w=0\text{ is a minimiser}\iff k\le nh^*", "not in print",
        hypotheses=["convex losses with $\\ell'(0)<0$", "one feature"],
        grid={"k": [1, 2, 3, 4, 5]}, given={"shift": 0}, broken={"shift": 1},
        why="k + 1 in place of k", origin="candidate", quantity="whether 0 is a minimiser",
        note="Left: no direction lowers the sum of the k largest losses to first order, which "
        "decides it for every such loss and every C. $h^*$ is the least training hinge risk. So "
        "on data that are not separable the exact maximum loss classifier is 0.",
    ),
    about_instances(
        TOP_K.identity, "new-collapse/threshold", sides.balanced, Line,
        r"nh^*=\max\Big\{\sum_ip_i:\ 0\le p_i\le1,\ \sum_ip_iy_ix_i=0\Big\}", "not in print",
        hypotheses=["one feature"], twin=scaled(Fraction(19, 20)), origin="candidate", rows=8,
        rounding=1e-7, quantity="collapse threshold",
    ),
]
