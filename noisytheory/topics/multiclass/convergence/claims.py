"""Sections 3.2 to 3.5 on trial: Algorithm 2, Proposition 4, and how pairs are selected."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.convergence import bounds, sides, simulate
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.trial.sides import scaled, worked
from noisytheory.vocabulary.domains import LEVEL, Domain, Numeric, requires

CLEAN = "populations without noise, update vectors exact"
NORMAL = "update vectors divided by their norm"
ERRING_STEPS, FORCED, WORST = WORDS["predicted"], WORDS["forced"], WORDS["worst"]

START: dict[str, Any] = dict(
    place="Algorithm 2, Sec. 3.2", quantity="1 if stuck at W = 0", hypotheses=[CLEAN, ERRING_STEPS],
    **worked(sides.alpha_from_zero),
)
alpha_printed = PAPER.always(
    "algorithm-2/alpha-printed",
    statement=r"\alpha>0,\ W_0=0,\text{ error}>0\Rightarrow\text{UMA updates}",
    grid=dict(alpha=["1/1000000", "1/10"]),
    expect="refuted",
    note=r"At W = 0 no score leads by $\alpha>0$: every region is empty, and it stops.",
    **START,
)
alpha_repaired = PAPER.always(
    "algorithm-2/alpha-repaired",
    statement=r"\alpha=0,\ W_0=0,\text{ error}>0\Rightarrow\text{UMA updates}",
    given=dict(alpha="0"),
    note="As in the paper's experiments.",
    twin=dict(given=dict(alpha="1/1000000"), why="any positive alpha"),
    **START,
)
ANY: dict[str, Any] = dict(
    place="Remark 2, Sec. 3.3", quantity="error at the end", unit="probability",
    hypotheses=[CLEAN, NORMAL, ERRING_STEPS], **worked(sides.final_error_by_alpha),
)
remark_2_printed = PAPER.always(
    "remark-2/printed",
    statement=r"\text{UMA ends without error for any }\alpha>0",
    grid=dict(alpha=["1/1000000", "1/10"]),
    expect="refuted",
    note=r"From W = 0 any $\alpha>0$ stops it at once; a smaller one is no help.",
    **ANY,
)
remark_2 = PAPER.always(
    "remark-2/repaired",
    statement=r"\text{UMA ends without error for }\alpha=0",
    given=dict(alpha="0"),
    twin=dict(given=dict(alpha="1/10"), why="alpha = 1/10"),
    **ANY,
)
ERRING: dict[str, Any] = dict(
    place="Algorithm 2, step 8, Sec. 3.2", quantity="1 if a true mistake has an empty error set",
    hypotheses=[ERRING_STEPS],
    **worked(sides.erring_pairs),
)
error_set_printed = PAPER.always(
    "algorithm-2/error-set-printed",
    statement=r"m_{pq}>0\Rightarrow\mathcal E^\alpha(\mu^p_q,q)\ne\emptyset",
    grid=dict(alpha=["1/2", "1"]),
    given=dict(threshold="alpha"),
    expect="refuted",
    note=r"$\mu^p_q$ has norm at most $m_{pq}$: it leads by $\alpha m_{pq}$, not by $\alpha$.",
    **ERRING,
)
error_set = PAPER.always(
    "algorithm-2/error-set-repaired",
    statement=r"m_{pq}>0\Rightarrow\mathcal E^0(\mu^p_q,q)\ne\emptyset",
    grid=dict(alpha=["0", "1/2", "1"]),
    given=dict(threshold="0"),
    twin=dict(given=dict(threshold="alpha"), why="alpha in the error set"),
    **ERRING,
)
LONGEST: dict[str, Any] = dict(
    place="(19), Sec. 3.5", quantity="1 if no mistake",
    hypotheses=["exact update vectors, one above the tolerance", FORCED], **worked(sides.longest),
)
diagonal_printed = PAPER.always(
    "algorithm-2/diagonal-printed",
    statement=r"\arg\max_{(p,q)}\|z_{pq}\|\text{ is a mistake}",
    given=dict(pairs="longest"),
    expect="refuted",
    note=r"$z_{pp}$, the points predicted right, is the longest of all before long.",
    **LONGEST,
)
diagonal = PAPER.always(
    "algorithm-2/diagonal-repaired",
    statement=r"\text{every pair that UMA takes is a mistake: }p\ne q,\ m_{pq}>0",
    given=dict(pairs="taken"),
    note="Pairs that the public algorithm takes by each strategy, many where the longest vector of "
    "all is that of a class predicted right.",
    twin=dict(given=dict(pairs="longest"), why="p = q let in"),
    **LONGEST,
)
OUTSIDE: dict[str, Any] = dict(
    place="Sec. 4: steps of a regular Perceptron", quantity="selected pairs with p outside of E",
    **worked(sides.outside),
)
outside_printed = PAPER.always(
    "algorithm-2/step-printed",
    statement=r"p\in\mathcal E(z_{pq},q),\text{ so that }\tau_p=-1\text{ is ultraconservative}",
    hypotheses=[WORST],
    given=dict(vectors_of="a sample"),
    expect="refuted",
    note="With sampling noise the predicted class may not err on z, or no class may.",
    **OUTSIDE,
)
outside = PAPER.always(
    "algorithm-2/step-repaired",
    statement=r"p\in\mathcal E(\mu^p_q,q)",
    hypotheses=["exact update vectors", WORST],
    given=dict(vectors_of="the population"),
    twin=dict(given=dict(vectors_of="a sample"), why="sampled vectors"),
    **OUTSIDE,
)
at_the_stop = PAPER.always(
    "algorithm-2/stop",
    statement=r"\text{at the stop }\|z_{pq}\|\le s\text{ for all }p\ne q",
    place="Algorithm 2, step 13, Sec. 3.2",
    hypotheses=[FORCED, "the confusion strategy", "exact update vectors"],
    given=dict(stop="all_pairs"),
    origin="candidate",
    quantity="squared length of an update vector",
    note="Attained. The stop of print looks at the pair at hand: another may be long.",
    twin=dict(given=dict(stop="printed"), why="stop by the pair at hand"),
    **worked(sides.lengths_at_the_stop),
)
in_all_regions = PAPER.identity(
    "algorithm-2/ties",
    statement=r"\|z_{pq}\|=\|\mu^p_q\|\text{ with }"
    r"\mathcal A_p=\{x:\langle w_p-w_k,x\rangle\ge0\ \forall k\}",
    place="(8), Sec. 3.2",
    hypotheses=["exact update vectors", FORCED],
    given=dict(tied="all"),
    quantity="length of an update vector",
    note=(
        "A tied point lies in the regions of all tied classes: at W = 0 every point in every one. "
        "The algorithm gives it to the lowest alone unless it is asked for `ties=\"all\"`."
    ),
    twin=dict(given=dict(tied="lowest"), why="tied points to the lowest class"),
    **worked(sides.tied_lengths),
)

UPDATES: dict[str, Any] = dict(place="Proposition 4, Sec. 3.4", quantity="updates")
proposition_4_printed = PAPER.always(
    "proposition-4/printed",
    statement=r"K\le2/\theta^2",
    hypotheses=[CLEAN, "alpha = 0", ERRING_STEPS],
    bound=bounds.updates_exact,
    given=dict(lengths="as they are", limit="none"),
    expect="refuted",
    note=(
        r"$z$ has norm near $m_{pq}$: a long first update is undone by many short ones. Two atoms, "
        "masses 1 - m and m, need $2+\\lfloor(1-m)/(2m)\\rfloor$ updates: 501 for m = .001, where "
        "print has 4, and no noise at all."
    ),
    **UPDATES, **worked(sides.exact_means, "theta"),
)
prop4_exact = PAPER.always(
    "proposition-4/exact",
    statement=r"K\le2/\theta^2",
    hypotheses=[CLEAN, NORMAL, ERRING_STEPS],
    bound=bounds.updates_exact,
    given=dict(lengths="one", limit="none"),
    note="Attained by two orthonormal atoms, where tied points lie in both regions.",
    also=[PAPER.also("prop4-exact", "Proposition 4, Sec. 3.4")],
    twin=scaled(0.5),
    **UPDATES, **worked(sides.exact_means, "theta"),
)
prop4_unnormalised = PAPER.always(
    "proposition-4/unnormalised",
    statement=r"K\le\frac2{\theta^2}\,\frac{(m_{\max}+m_{\min})^2}{4m_{\max}m_{\min}}",
    hypotheses=[CLEAN, "m the norms of the update vectors of the run", ERRING_STEPS],
    bound=bounds.updates_unnormalised,
    given=dict(lengths="as they are", limit="Kantorovich"),
    origin="candidate",
    note="Kantorovich's inequality; the worst case does grow like 1/(2m).",
    also=[PAPER.also("prop4-unnormalised", "Proposition 4, Sec. 3.4")],
    twin=dict(bound=bounds.updates_exact, given=dict(lengths="as they are", limit="none"),
              why="the factor dropped"),
    **UPDATES, **worked(sides.exact_means, "theta", "least", "largest"),
)
ALONG = r"$\eta$ the largest deviation along the run, bracket positive"
SAMPLED: dict[str, Any] = dict(
    bound=bounds.updates_noisy, hypotheses=[NORMAL, ALONG, ERRING_STEPS],
)
prop4_repaired = PAPER.always(
    "proposition-4/repaired",
    statement=r"K\le\frac2{\big(\theta-(\theta+\sqrt2)\eta/s\big)^2}",
    grid=dict(n=[10**6, 10**9]),
    given=dict(flips="1/10", step="predicted", tolerance="1/20"),
    note=r"With $\eta$ by `uniform_deviation` this is a sample size; it has $C^{-1}$ in it.",
    also=[PAPER.also("prop4-repaired", "Proposition 4, Sec. 3.4")],
    twin=scaled(0.5),
    **UPDATES, **SAMPLED, **worked(sides.sampled_updates, "theta", "eta", "tolerance"),
)
prop4_forced = PAPER.always(
    "prop4-forced",
    statement=r"K\le\frac2{\big(\theta-(\theta+2\sqrt2)\eta/s\big)^2}",
    grid=dict(n=[10**6, 10**9]),
    given=dict(flips="1/10", step="forced", tolerance="1/20"),
    origin="candidate",
    note="For steps always from the predicted class. They collapse where C is estimated.",
    twin=scaled(0.5),
    **{**UPDATES, "bound": bounds.updates_forced, "hypotheses": [NORMAL, ALONG, FORCED]},
    **worked(sides.sampled_updates, "theta", "eta", "tolerance"),
)
LAST: dict[str, Any] = dict(
    place="Proof of Proposition 4, last sentence, Sec. 3.4",
    bound=bounds.final_error,
    quantity="error at the end",
    unit="probability",
    **worked(sides.sampled_error, "theta", "eta", "tolerance", "classes"),
)
final_error_printed = PAPER.always(
    "prop4-final-error/printed",
    statement=r"\text{at the stop, error}\le\sqrt2Q(Q-1)(s+\eta)/\theta",
    hypotheses=[ERRING_STEPS, "stop when no pair with an error set is long"],
    grid=dict(n=[10**5]),
    given=dict(flips="1/10", step="predicted", tolerance="1/20", number=30),
    expect="refuted",
    note=(
        "A pair of mass 1/2 may have an empty error set, at any n: a noise weight that is nearly 0 "
        "points the wrong way. One run in six or so ends with error 1/2."
    ),
    **LAST,
)
final_error = PAPER.always(
    "prop4-forced/error",
    statement=r"\text{at the stop, error}\le\sqrt2Q(Q-1)(s+\eta)/\theta",
    hypotheses=[FORCED, "always from the predicted class", "stop when no pair is long"],
    grid=dict(n=[10**5]),
    given=dict(flips="1/10", step="forced", tolerance="1/20", number=30),
    origin="candidate",
    note="Attained by two classes seen at an angle, from weights that predict every one wrong.",
    twin=dict(given=dict(flips="1/10", step="predicted", tolerance="1/20", number=30),
              why="steps from the error set alone"),
    **LAST,
)
stuck = PAPER.equal(
    "prop4-final-error/probability",
    statement=r"\Pr[\text{a class is wholly wrong at the end}]\to\frac1{2\pi}\arctan"
    r"\Big[\Big(\frac{1-P}P\Big)^{3/2}\Big]",
    place="Proposition 4, Sec. 3.4",
    hypotheses=["two orthonormal atoms, that of class 0 of mass P, ties to the lowest class",
                ERRING_STEPS],
    bound=bounds.stuck_probability,
    simulate=simulate.stuck,
    exact=simulate.stuck_law,
    grid=dict(mass=[0.25, 0.5]),
    given=dict(step="predicted", n=401),
    low=0.0, high=1.0, margin=0.004, rows=1792,
    origin="candidate",
    quantity="1 if a class is wrong",
    note=(
        "All samples of 401 examples, 10.37% of their labels flipped, which no count of them is: "
        "a tie of scores would be broken by rounding. They are within .0023 of the limit; more "
        "examples do not help."
    ),
    twin=dict(given=dict(step="forced", n=401), why="forced steps, which are never stuck"),
)
GIVEN: dict[str, Any] = dict(
    place="Proof of Proposition 4, last sentence, Sec. 3.4", quantity="probability",
    unit="probability", **worked(sides.given_label),
)
given_printed = PAPER.always(
    "proposition-4/conditional-printed",
    statement=r"f_W=t\Rightarrow\Pr[f_W(X)=p\mid Y=q]=0",
    given=dict(read="label"),
    expect="refuted",
    note="Given the label the perfect classifier of two classes differs in 14/41 of the cases.",
    **GIVEN,
)
given_repaired = PAPER.always(
    "proposition-4/conditional-repaired",
    statement=r"f_W=t\Rightarrow\Pr[f_W(X)=p\mid t(X)=q]=0",
    given=dict(read="class"),
    note="Estimated without bias from the noisy labels, by the public update vectors.",
    twin=dict(given=dict(read="label"), why="the label for the class"),
    **GIVEN,
)


@requires(delta=LEVEL)
def three_tenths(delta: Numeric) -> Numeric:
    """An error of three tenths; guessing has .9."""
    return 0.3 + 0 * delta


PAIRS: dict[str, Any] = dict(
    place="Sec. 3.5 and Algorithm 2, step 13",
    hypotheses=["ten classes on a circle, 500 examples, pairs at random", ERRING_STEPS],
    bound=three_tenths,
    simulate=simulate.any_pair,
    quantity="error at the end",
    unit="probability",
)
any_pair_printed = PAPER.tail(
    "convergence-any-pair/printed",
    statement=r"\text{stop when }\|z_{pq}\|\le s\text{ for the pair at hand: error}\le\tfrac3{10}",
    grid=dict(n=[500], delta=[0.5]),
    given=dict(stop="printed", tolerance=0.04),
    expect="refuted",
    rows=64,
    note="Nine runs in ten stop at the first pair, as most regions are empty at the start.",
    **PAIRS,
)
any_pair = PAPER.tail(
    "convergence-any-pair/repaired",
    statement=r"\text{stop when }\|z_{pq}\|\le s\text{ for all pairs: error}\le\tfrac3{10}",
    grid=dict(n=[500], delta=[0.5]),
    given=dict(stop="all_pairs", tolerance=0.04),
    rows=32,
    note="Every run stops, after some 180 updates, with an error of .2 in the median: s and the "
    "bound were chosen after looking. A run that does not stop has error 1. With s = .001, below "
    "what the noise of 500 labels leaves, none had stopped after 5,000.",
    twin=dict(given=dict(stop="printed", tolerance=0.04), why="stop by the pair at hand"),
    **PAIRS,
)


@requires(theta=Domain(0), eta=Domain(0, include_low=True), tolerance=Domain(0), delta=LEVEL)
def fresh_updates(
    theta: Numeric, eta: Numeric, tolerance: Numeric, delta: Numeric
) -> Numeric:
    """The bound on updates, at every level the same."""
    return bounds.updates_noisy(theta, eta, tolerance) + 0 * delta


online_to_batch = PAPER.tail(
    "online-to-batch",
    statement=r"\text{a fresh sample an update: }K\le\frac2{\big(\theta-(\theta+\sqrt2)\eta/s"
    r"\big)^2}",
    place="Sec. 3.4, after Proposition 4",
    hypotheses=[NORMAL, ERRING_STEPS],
    bound=fresh_updates,
    simulate=simulate.fresh_chunks,
    grid=dict(atoms=["two atoms", "three atoms"], n=[10**9], tolerance=[0.05], delta=[0.1]),
    rows=32,
    quantity="updates",
    note="Kn examples in all. Vectors of fresh samples are unbiased, which reused ones are not.",
    twin=scaled(0.5),
)
COST: dict[str, Any] = dict(
    place="Footnote 2, Conclusion",
    hypotheses=["multiplications of entries of the points, which the points count", ERRING_STEPS],
    quantity="multiplications",
)
cost_printed = PAPER.always(
    "cost/printed",
    statement=r"z_{pq}\text{ is computed in }O(n)\text{: points twice as wide cost no more}",
    given=dict(form="kept"),
    expect="refuted",
    note="Of order $ndQ$ for the scores and $nd$ for the sums.",
    **COST, **worked(sides.wider),
)
cost = PAPER.always(
    "cost/repaired",
    statement=r"\text{an update costs at most }nd\text{ multiplications, whatever }Q",
    given=dict(form="kept"),
    note="Where scores and sums are kept, as `nt.multiclass.uma` does; a benchmark has "
    "seconds.",
    twin=dict(given=dict(form="obvious"), why="scores from scratch"),
    **COST, **worked(sides.multiplications),
)
STRATEGY: dict[str, Any] = dict(
    place="Sec. 3.5", quantity="square of the criterion", **worked(sides.selected)
)
strategy_error = PAPER.identity(
    "strategy-error",
    statement=r"\text{(19): }\arg\max_{p\ne q}\|z_{pq}\|",
    hypotheses=[FORCED],
    given=dict(strategy="error", by="norm"),
    note="The pair that the public algorithm takes, against all of them.",
    twin=dict(given=dict(strategy="confusion", by="norm"), why="divided by the share"),
    **STRATEGY,
)
strategy_conf = PAPER.identity(
    "strategy-conf",
    statement=r"\text{(20): }\arg\max_{p\ne q}\|z_{pq}\|/\hat\pi_q",
    hypotheses=["estimated shares positive", FORCED],
    given=dict(strategy="confusion", by="share"),
    note="Classes whose estimated share is not positive are passed over and reported.",
    twin=dict(given=dict(strategy="error", by="share"), why="not divided by the share"),
    **STRATEGY,
)


@requires(classes=Domain(2, include_low=True, whole=True))
def even_share(classes: Numeric) -> Numeric:
    """Of each pair of classes."""
    return 1 / (classes * (classes - 1))


strategy_random = PAPER.equal(
    "strategy-random",
    statement=r"\Pr[\text{pair}=(p,q)]=\frac1{Q(Q-1)}\text{ for all }p\ne q",
    place="Sec. 4.2.3",
    hypotheses=[FORCED],
    bound=even_share,
    simulate=simulate.random_pair,
    exact=simulate.random_pair_law,
    grid=dict(classes=[3, 4], place=[0, 2, 5]),
    given=dict(strategy="random"),
    low=0.0, high=1.0, margin=0.001, rows=1280,
    quantity="1 if the pair at a place is taken",
    note="Runs of the public algorithm with every number that the generator may give it. Places "
    "are those among all pairs, by p and then q.",
    twin=dict(given=dict(strategy="error"), why="the longest"),
)
perceptron_printed = PAPER.identity(
    "c-identity-is-perceptron/printed",
    statement=r"C=I:\ K_{\rm UMA}=K_{\rm Perceptron}",
    place="Sec. 4.1",
    hypotheses=[f"UMA by {ERRING_STEPS}, the Perceptron by {WORST}"],
    expect="refuted",
    quantity="updates",
    note="With C = I it is a batch Perceptron, not one run through the data.",
    also=[PAPER.also("C-identity-is-perceptron/printed", "Sec. 4.1")],
    **worked(sides.batch_and_online),
)
perceptron = PAPER.identity(
    "c-identity-is-perceptron/repaired",
    statement=r"C=I:\ z_{pq}=\tfrac1n\sum_i1\{t_i=q\}1\{x_i\in A_p\}x_i",
    place="Sec. 4.1",
    hypotheses=[ERRING_STEPS],
    given=dict(confusion="none"),
    quantity="coordinate of a weight after one update",
    also=[PAPER.also("C-identity-is-perceptron/repaired", "Sec. 4.1")],
    twin=dict(given=dict(confusion="as given"), why="noisy labels"),
    **worked(sides.one_update),
)
