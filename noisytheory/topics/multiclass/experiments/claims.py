"""Section 4 on trial: the circle, the protocol, and the orderings of its table and figures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.experiments import pictures, printed, sides, simulate
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.trial.sides import scaled, worked
from noisytheory.vocabulary.domains import LEVEL, Domain, Numeric, requires

DIGITS = "scikit-learn's 1,797 digits, up to 600 of them to test on; 20 updates"
DIGITS_LONGER = f"{DIGITS}, 40 of UMA's"
DRAWN = "m of each class and an audit, drawn again where the confusion cannot be inverted"
SMALL = "300 to learn from, print's m = 10, 60 audited"
ERRING, FORCED = WORDS["predicted"], WORDS["forced"]
OWN = "1,197 to learn from, m = 10, 191 audited: print's numbers of true labels, not its digits"
LOOKED = (
    "The setting was chosen after looking, for what is to be seen there; "
    "`validation/multiclass_tables.md` has it among most of the others."
)


def runs(first: str, second: str, **changes: Any) -> dict[str, Any]:
    """Two classifiers of the protocol on digits: m = 10 and 60 audited, but for changes."""
    return dict(
        data="digits", examples=300, per_class=10, share=0.2, updates=20, first=first,
        second=second, gain=0.0, measure="error",
    ) | changes


@requires(delta=LEVEL)
def nothing(delta: Numeric) -> Numeric:
    """No difference: in most runs the first is not worse."""
    return 0 * delta


MEDIAN: dict[str, Any] = dict(
    bound=nothing, grid=dict(delta=[0.5]), rows=20, apart=True, quantity="difference of errors",
)
NORMS: dict[str, Any] = {**MEDIAN, "quantity": "difference of confusions"}
REFUTED: dict[str, Any] = dict(rows=22)
"""Twenty rows that agree uphold a claim of a large audit, and do not quite refute one."""
rates_printed = PAPER.always(
    "confusion-rate/printed",
    statement=r"\text{Figure 1 shows }\|\hat C\|_F/\sqrt Q",
    place="Figure 1, Sec. 4.1",
    given=dict(scaled=1),
    expect="refuted",
    quantity="squared rate",
    note="A rate is at most 1; the text reads 2.75 off the figure.",
    **worked(sides.figure_1_rates),
)
rates_repaired = PAPER.always(
    "confusion-rate/repaired",
    statement=r"\text{Figure 1 shows }\|\hat C\|_F,\text{ at most }\sqrt{10}",
    place="Figure 1, Sec. 4.1",
    given=dict(scaled=0),
    quantity="squared norm",
    twin=scaled(Fraction(1, 10), "divided by the root of Q"),
    **worked(sides.figure_1_rates),
)


@requires(gap=Domain(0, 1))
def lost_share(gap: Numeric) -> Numeric:
    """Chance that a class of the ten loses its sector: those of its neighbours are too near.

    Its own direction and both neighbours' then lie within four times the angle of the gap.
    """
    near = 2 * np.arcsin(gap) / np.pi
    return 1 - (1 - near) ** 9 - 9 * near * (1 - near) ** 8


def some_of_it(gap: Numeric) -> Numeric:
    """What a large gap that is wrong by a tenth would change, and half of a small one's."""
    return np.maximum(0.18 * lost_share(gap), 0.004)


EMPTY: dict[str, Any] = dict(
    place="Sec. 4.1", simulate=simulate.empty_classes, quantity="share of classes without a point",
)
toy_printed = PAPER.tail(
    "toy-data/printed",
    statement=r"\Pr[\text{a margin of .025 empties a class}]\le\tfrac12",
    hypotheses=["a difference of scores under weights of norm 1, or Definition 2"],
    bound=nothing,
    grid=dict(reading=["functional", "definition"], delta=[0.5]),
    given=dict(gap=0.025, places=33),
    rows=64,
    expect="refuted",
    note="Print says that it never happened in ten runs; under these readings it mostly does.",
    **EMPTY,
)
toy_repaired = PAPER.equal(
    "toy-data/repaired",
    statement=r"\Pr[\text{a margin of }\gamma\text{ empties a class}]=1-(1-t)^9-9t(1-t)^8,\ "
    r"t=\tfrac2\pi\arcsin\gamma",
    hypotheses=["a distance to the boundary", "ten classes, of each of which the share is this"],
    bound=lost_share,
    grid=dict(gap=[0.025, 0.1]),
    given=dict(reading="distance", places=1),
    low=0.0,
    high=1.0,
    margin=some_of_it,
    rows=2048,
    origin="candidate",
    note=(
        "One class in 120 at .025, and some class in one draw of twelve: ten runs without are no "
        "surprise. At .1 a margin that is wrong by a tenth would not be upheld."
    ),
    twin=dict(given=dict(reading="functional", places=9), why="a difference of scores"),
    **EMPTY,
)
figure_1a = PAPER.tail(
    "figure-1a",
    statement=r"\text{at the seventh noise level UMA confuses no more than the batch Perceptron}",
    place="Figure 1(a), Sec. 4.1",
    hypotheses=["1,000 examples, 30 updates, the seventh of the 20 matrices, known", ERRING,
                "in most runs"],
    simulate=simulate.toy_gap,
    given=dict(level=7, updates=30, order="UMA first"),
    picture=pictures.figure_1a,
    note=(
        "Print says so of every level. This one and the updates were chosen after looking, for the "
        "gap is wide there. At the first three levels and the ninth ten runs cannot tell the two "
        "apart, and at the ninth UMA's mean is above: no trial would end. None is decided the "
        "other way round; `validation/multiclass_tables.md` has every level."
    ),
    twin=dict(given=dict(level=7, updates=30, order="Perceptron first"), why="sign turned"),
    **NORMS,
)
START: dict[str, Any] = dict(
    place="Figure 1(a), Sec. 4.1",
    hypotheses=["1,000 examples, 100 updates, the first of the 20 matrices, known", ERRING,
                "in most runs"],
    simulate=simulate.toy_start, picture=pictures.figure_1a,
    **{**NORMS, "grid": dict(updates=[100], delta=[0.5])},
)
start_printed = PAPER.tail(
    "figure-1a/start-printed",
    statement=r"\text{with }C=I\text{ UMA confuses 1.2 more at the weakest noise: 1.7 against .5}",
    given=dict(level=1, reading="print"),
    expect="refuted",
    note=(
        "Print's numbers are read off, each to .05. With C = I it is a batch Perceptron, which "
        "starts where UMA does; an online one's last weights are as far above as print's, once UMA "
        "has made a thousand."
    ),
    **{**START, **REFUTED},
)
start = PAPER.tail(
    "figure-1a/start-repaired",
    statement=r"\text{with }C=I\text{ UMA confuses at most .3 more at the weakest noise}",
    given=dict(level=1, reading="quarter"),
    origin="candidate",
    note=(
        "A quarter of print's difference, a number of ours; after 400 updates it is no more. At "
        "the seventh matrix it is about .55."
    ),
    twin=dict(given=dict(level=7, reading="quarter"), why="the seventh matrix"),
    **START,
)
FED: dict[str, Any] = dict(
    place="Figure 1(b), Sec. 4.1",
    hypotheses=["true matrix C_5, half-way to M; fed C_1 or C_9, four places under or over", FORCED,
                "in most runs"],
    simulate=simulate.misfed_gap,
    picture=pictures.figure_1b,
    **NORMS,
)
figure_1b_printed = PAPER.tail(
    "figure-1b/printed",
    statement=r"\text{over-estimated noise harms less: 2.15 against 2.6}",
    given=dict(true=5, low=1, high=9, better="over"),
    expect="refuted",
    note=(
        "The numbers of print contradict its words. They are read at C = M, where everything is "
        "near chance; where the trial can decide, the words hold. True matrix and the two fed were "
        "chosen after looking: `validation/multiclass_tables.md` has all that were fed."
    ),
    **{**FED, **REFUTED},
)
figure_1b = PAPER.tail(
    "figure-1b/repaired",
    statement=r"\text{UMA bears under-estimated noise better than over-estimated}",
    given=dict(true=5, low=1, high=9, better="under"),
    note="Print's words. The matrices were chosen after looking, as in `uma/figure-1b/printed`.",
    twin=dict(given=dict(true=5, low=1, high=9, better="over"), why="sign turned"),
    **FED,
)
protocol = PAPER.identity(
    "protocol-421",
    statement=r"C_{pq}=\frac{\#\{g=p,t=q\}}{\#\{t=q\}}\text{ on the audited examples}",
    place="Sec. 4.2.1, step 3",
    hypotheses=[ERRING],
    given=dict(by="class"),
    quantity="entry of the confusion",
    note="Shares of each true class. Of each prediction they would be another matrix.",
    also=[PAPER.also("example-1", "Example 1, Sec. 2.2")],
    twin=dict(given=dict(by="prediction"), why="rows normalised"),
    **worked(sides.estimates),
)
BUDGET: dict[str, Any] = dict(
    place="Sec. 4.2.1 and 4.2.3", quantity="true labels", hypotheses=[ERRING],
    **worked(sides.budgets)
)
budget_printed = PAPER.identity(
    "protocol-421/budget-printed",
    statement=r"\text{UMA and }f_{\rm conf}\text{ use the same data}",
    given=dict(rival="audited"),
    expect="refuted",
    note="UMA uses the m examples of each class as well, through g.",
    **BUDGET,
)
budget_repaired = PAPER.identity(
    "protocol-421/budget-repaired",
    statement=r"\text{UMA and a Perceptron on audited and few use the same labels}",
    given=dict(rival="audited and few"),
    twin=dict(given=dict(rival="audited"), why="the few left out"),
    **BUDGET,
)
TABLE: dict[str, Any] = dict(
    place="Table 1, Sec. 4.2.2 and 4.2.3", hypotheses=[DIGITS, SMALL, DRAWN, "in most runs"],
    simulate=simulate.protocol_gap, picture=pictures.table_1, **MEDIAN,
)
table_1_printed = PAPER.tail(
    "table-1/printed",
    statement=r"\text{forced steps: error of UMA}\le\text{error of }f_y",
    given=runs("forced", "ignoring", updates=40),
    expect="refuted",
    note=(
        "Section 4 says down by one for the predicted class, up by one for the true one. With an "
        "estimated confusion these steps collapse, in every setting of the digits. " + LOOKED
    ),
    **{**TABLE, **REFUTED, "hypotheses": [
        DIGITS_LONGER, SMALL, DRAWN, f"all others by {ERRING}", "in most runs",
    ]},
)
LONG: dict[str, Any] = dict(examples=400, per_class=5, share=0.8)
table_1 = PAPER.tail(
    "table-1/repaired",
    statement=r"\text{steps from the error set: error of UMA}\le\text{error of }f_y",
    given=runs("uma", "ignoring", **LONG),
    note=(
        "What the table shows holds with steps from the error set, where few examples taught g and "
        "the audit is large. " + LOOKED
    ),
    twin=dict(given=runs("ignoring", "uma", **LONG), why="sign turned"),
    **{**TABLE, "hypotheses": [
        DIGITS, "400 to learn from, m = 5, an audit of 80%", DRAWN, "in most runs",
    ]},
)
IN_PRINT, TWICE = printed.TABLE_1["digits"], 2 * printed.ROUNDING
PART = (IN_PRINT["f_y"] - IN_PRINT["UMA"] - TWICE) / (IN_PRINT["f_y"] - IN_PRINT["f_full"] + TWICE)
gain_printed = PAPER.tail(
    "table-1/gain-printed",
    statement=rf"\text{{UMA goes {PART:.2f} of the way from }}f_y\text{{ to }}".replace("0.", ".")
    + r"f_{\rm full}\text{ at least}",
    expect="refuted",
    note=(
        "Print has .25, .16 and .04 on 3,823 Optical Digits, each rounded, with m = 10 and an "
        "audit of 5%, 191 labels: .09 of .21. Tried are as many labels of either kind on "
        "scikit-learn's digits, where f_y errs .11, f_full .04, and UMA goes a seventh of the way. "
        "The same .08 cannot be asked for there: in most runs f_full itself has not gained it. On "
        "Optical Digits, not tried here, it is .02 of .07 (`validation/multiclass_tables.md`)."
    ),
    **{**TABLE, "rows": 44, "simulate": simulate.way_left,
       "given": dict(examples=1197, per_class=10, share=191 / 1197, updates=50, part=PART),
       "quantity": "error beyond that part of the way",
       "hypotheses": [f"{DIGITS.split(';')[0]}; g after 20 updates, all others after 50", OWN,
                      DRAWN, ERRING, "in most runs"]},
)
FAIR: dict[str, Any] = dict(per_class=5, share=0.8)
fair = PAPER.tail(
    "table-1/fair",
    statement=r"\text{error from all the true labels together}\le\text{error of UMA}",
    given=runs("audited_and_few", "uma", **FAIR),
    origin="candidate",
    note=(
        "Print compares with a classifier from the audited labels alone; UMA used those of the few "
        "as well. Labels that a rough classifier made carry little that its own examples did not. "
        + LOOKED
    ),
    twin=dict(given=runs("uma", "audited_and_few", **FAIR), why="sign turned"),
    **{**TABLE, "hypotheses": [
        DIGITS, "300 to learn from, m = 5, an audit of 80%", DRAWN, ERRING, "in most runs",
    ]},
)
AFTER_ALL: dict[str, Any] = dict(examples=200, share=0.3, updates=40)
step_rule = PAPER.tail(
    "step-rule",
    statement=r"\text{error with steps from the error set}\le\text{error with forced steps}",
    place="Sec. 4",
    hypotheses=[DIGITS_LONGER, "200 to learn from, print's m = 10, 60 audited", DRAWN,
                "in most runs"],
    simulate=simulate.protocol_gap,
    given=runs("uma", "forced", **AFTER_ALL),
    origin="candidate",
    note=(
        "Forced steps have the convergence theorem (`uma/prop4-forced`), these the results: the "
        "default, though they may stop early (`uma/prop4-final-error`). " + LOOKED
    ),
    twin=dict(given=runs("forced", "uma", **AFTER_ALL), why="sign turned"),
    **MEDIAN,
)
figure_2 = PAPER.always(
    "figure-2",
    statement=r"\text{digits are spread evenly: largest class}\le1.1\times\text{smallest}",
    place="Figure 2(a), Sec. 4.2.2",
    given=dict(most="11/10"),
    quantity="size of the largest class",
    note="On the test half, which scikit-learn has.",
    twin=dict(given=dict(most="1"), why="exactly even"),
    **worked(sides.evenness),
)
LINES: dict[str, Any] = dict(
    hypotheses=[DIGITS, "400 to learn from, m = 15", DRAWN, ERRING, "in most runs"],
    picture=pictures.figure_3, **MEDIAN,
)
figure_3 = PAPER.tail(
    "figure-3/crossing",
    statement=r"\text{an audit of 7.5\%: error of UMA}\le\text{error of }f_{\rm conf};"
    r"\text{ one of 95\%: the reverse}",
    place="Figure 3, Sec. 4.2.3, and Table 1",
    simulate=simulate.crossing,
    given=dict(order="UMA first"),
    note=(
        "Both ends, on digits in place of Reuters; the left one is Table 1's .16 against .21. "
        "With print's m = 10 and 191 audited labels it is the other way round already. " + LOOKED
    ),
    twin=dict(given=dict(order="UMA last"), why="sign turned"),
    **{**LINES, "grid": dict(share=[0.075, 0.95], delta=[0.5])},
)
figure_3_flat = PAPER.tail(
    "figure-3/flat",
    statement=r"\text{ten times the audit saves UMA less than it saves }f_{\rm conf}",
    place="Figure 3, Sec. 4.2.3",
    simulate=simulate.audit_gain,
    given=dict(small=0.075, large=0.75),
    origin="candidate",
    note="Print says that UMA is unaffected by the audit's size, which `validation/"
    "multiclass_tables.md` cannot decide on three sets and does not find on letters. It is "
    "affected less. " + LOOKED,
    twin=dict(given=dict(small=0.75, large=0.075), why="sign turned"),
    **LINES,
)
FOURTH: dict[str, Any] = dict(examples=300, per_class=2, share=0.1, gain=0.005)
figure_4 = PAPER.tail(
    "figure-4",
    statement=r"\text{an audit of 10\%: error of }f_{\rm S3VM}\le\text{error of UMA, and .005 less}"
    r"\text{ than without the others}",
    place="Figure 4, Sec. 4.2.3",
    simulate=simulate.overtaking,
    given=dict(**FOURTH, rounds=3),
    note=(
        "Where print's lines have crossed; with a larger audit an SVM needs no others to be ahead. "
        "The left end, UMA ahead with a small audit, is seen with 30 audited: of 400 digits with "
        "m = 15 in 35 of 40 runs, with print's m = 10 in 32, and no more with 60. All sizes, the "
        "three rounds and the .005 were chosen after looking at results: few runs are to tell what "
        "the others are worth."
    ),
    twin=dict(given=dict(**FOURTH, rounds=0), why="an SVM on the audited alone"),
    **{**LINES, "picture": pictures.figure_4, "hypotheses": [
        DIGITS, "300 to learn from, m = 2", DRAWN, ERRING, "in most runs",
        "a linear SVM that trains itself in place of an S3VM, which is not to be had",
    ]},
)
CHOICE: dict[str, Any] = dict(
    place="Figure 5, Sec. 4.2.3", simulate=simulate.protocol_gap, picture=pictures.figure_5,
    **MEDIAN,
)
LARGE: dict[str, Any] = dict(examples=200, per_class=5, share=0.8, updates=10, gain=0.1)
figure_5_random = PAPER.tail(
    "figure-5/random",
    statement=r"\text{error by the error strategy}\le\text{by random pairs}-.1",
    hypotheses=[f"{DIGITS}, 10 of UMA's", "200 to learn from, m = 5, an audit of 80%", DRAWN,
                ERRING, "in most runs"],
    given=runs("error", "random", **LARGE),
    note="Random pairs are never best, in no setting that was tried. The setting was chosen after "
    "looking: `validation/multiclass_tables.md` has it after 20 updates, among most of the others; "
    "ten tell it sooner.",
    twin=dict(given=runs("error", "error", **LARGE), why="no random pairs"),
    **CHOICE,
)
TEXT: dict[str, Any] = dict(
    data="text", examples=450, per_class=10, share=0.1, updates=10, measure="rate",
)
STRATEGIES: dict[str, Any] = dict(
    hypotheses=["450 documents drawn from topics, nine classes as uneven as Reuters'; m = 10 and "
                "an audit of 10%; g after 20 updates, UMA after 10", DRAWN, ERRING, "in most runs"],
    **{**CHOICE, "rows": 16},
)
strategies_printed = PAPER.tail(
    "figure-5/strategies/printed",
    statement=r"\text{in place of Reuters, after 10 updates: confusion rate by confusion}\le"
    r"\text{by error}",
    given=runs("confusion", "error", **TEXT),
    expect="refuted",
    origin="candidate",
    note="Not print's data, and not print's words, which do not say when: at first the error "
    "strategy is far ahead. " + LOOKED,
    **STRATEGIES,
)
LATE_TEXT = TEXT | dict(per_class=20, updates=50)
strategies_late = PAPER.tail(
    "figure-5/strategies/late",
    statement=r"\text{in place of Reuters, after 50 updates: confusion rate by confusion}\le"
    r"\text{by error}+.03",
    given=runs("confusion", "error", gain=-0.03, **LATE_TEXT),
    origin="candidate",
    note="Where print's curves are flat its order as it stands holds in some three runs of five, "
    "too near a half for the few of an audit. The .03, a third of the rates, are ours: it is not "
    "far behind. The margin and the setting were chosen after looking.",
    twin=dict(given=runs("confusion", "error", gain=0.03, **LATE_TEXT), why="sign turned"),
    **{**STRATEGIES, "rows": 48, "hypotheses": [
        "450 documents drawn from topics, nine classes as uneven as Reuters'; m = 20 and an audit "
        "of 10%; g after 20 updates, UMA after 50", DRAWN, ERRING, "in most runs"]},
)
strategies = PAPER.tail(
    "figure-5/strategies/repaired",
    statement=r"\text{in place of Reuters: error by the error strategy}\le\text{by confusion}",
    given=runs("error", "confusion", **{**TEXT, "measure": "error"}),
    origin="candidate",
    note="After ten updates, where the two differ. " + LOOKED,
    twin=dict(given=runs("confusion", "error", **{**TEXT, "measure": "error"}), why="sign turned"),
    **{**STRATEGIES, "rows": 20},
)
LATE: dict[str, Any] = dict(
    place="Figure 5, Sec. 4.2.3",
    hypotheses=["400 of scikit-learn's digits, m = 15, 60 audited", ERRING, "in most runs"],
    simulate=simulate.late_gain, picture=pictures.figure_5, **MEDIAN,
)
figure_5_plateau = PAPER.tail(
    "figure-5/plateau",
    statement=r"\text{from update 30 to 60 the error falls by at most }.02",
    given=dict(early=30, late=60, beyond=0.02),
    note=(
        "A stable state around the thirtieth update, as print sees it on Reuters; on the stand-in "
        "for it the error still falls (`validation/multiclass_tables.md`), so digits were chosen "
        "after looking."
    ),
    twin=dict(given=dict(early=5, late=60, beyond=0.02), why="from the fifth"),
    **LATE,
)
LETTERS: dict[str, Any] = dict(
    place="Sec. 4.2.2 and 4.2.3",
    hypotheses=["digits in place of letters, an audit of 30%", ERRING],
)
letters_printed = PAPER.tail(
    "letters-m-invertible/printed",
    statement=r"\text{on digits, }m=2:\ \Pr[C\text{ invertible}]\le\tfrac12",
    bound=nothing,
    simulate=simulate.singular,
    grid=dict(delta=[0.5]),
    given=dict(per_class=2),
    rows=20,
    expect="refuted",
    quantity="1 if invertible",
    origin="candidate",
    note="Print blames m < 50 for singular matrices of letters. Those of digits are not singular; "
    "nor is any of letters, not tried here, with m from 2 to 50 (`validation/multiclass_tables.md`"
    " has their condition numbers).",
    **LETTERS,
)
letters = PAPER.tail(
    "letters-m-invertible/repaired",
    statement=r"\text{on digits: }\mathrm{cond}(C)\text{ from }m=20\le\text{from }m=2",
    bound=nothing,
    simulate=simulate.condition_gap,
    grid=dict(delta=[0.5]),
    given=dict(few=2, more=20, order="more first"),
    rows=20,
    quantity="difference of log condition numbers",
    origin="candidate",
    twin=dict(given=dict(few=2, more=20, order="few first"), why="sign turned"),
    **LETTERS,
)
ROUGH: dict[str, Any] = dict(
    place="Sec. 4.2.3, near the end",
    hypotheses=["300 digits, 30% of all labels replaced evenly, 5 audited labels a class",
                ERRING, "in most runs"],
    simulate=simulate.rough_gap,
    **MEDIAN,
)
rough_printed = PAPER.tail(
    "rough-c-suffices/printed",
    statement=r"\text{a rough }\hat C\text{ suffices: error of UMA}\le\text{error of ignoring}",
    given=dict(rate=0.3, per_class=5, order="UMA first"),
    expect="refuted",
    note=(
        "Even noise is better ignored, unless C is known well; train on the audited labels. The "
        "kind of noise was chosen after looking: of lopsided noise UMA with a C from 20 a class "
        "errs less than UMA without one (`validation/confused_labels.md`)."
    ),
    **ROUGH,
)
rough = PAPER.tail(
    "rough-c-suffices/repaired",
    statement=r"\text{error of ignoring even noise}\le\text{error with a rough }\hat C",
    given=dict(rate=0.3, per_class=5, order="ignoring first"),
    origin="candidate",
    twin=dict(given=dict(rate=0.3, per_class=5, order="UMA first"), why="sign turned"),
    **ROUGH,
)
INTRINSIC: dict[str, Any] = dict(
    place="Sec. 4.2.3, end",
    hypotheses=["separable classes under class-conditional noise that belongs to the data, and "
                "noise added to it", "update vectors exact, of length 1", ERRING],
    quantity="error at the end",
    unit="probability",
    **worked(sides.two_noises),
)
intrinsic_printed = PAPER.always(
    "plateau-intrinsic-noise/printed",
    statement=r"\text{UMA that is told of the added noise handles both}",
    given=dict(told="added"),
    expect="refuted",
    note=(
        "Print guesses that noise of the data is handled if it is like the added one. Two such "
        "noises are one, with the product of their matrices: that is what UMA must be told."
    ),
    **INTRINSIC,
)
intrinsic = PAPER.always(
    "plateau-intrinsic-noise/repaired",
    statement=r"\text{UMA that is told }CC_0\text{, the product of both, ends without error}",
    given=dict(told="product"),
    twin=dict(given=dict(told="added"), why="the noise of the data left out"),
    **INTRINSIC,
)
