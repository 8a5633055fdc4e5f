"""One instance at a time, again, in fractions: counterexamples with steps to follow by hand.

Every function takes one instance as the simulators draw it (whole numbers) with its denominators,
checks the hypotheses again, and computes both sides from the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.label_noise.instances import SCORE_STEPS, EveryPair, OnePair, RandomPairs
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.populations.finite import Finite

__all__ = [
    "argmin_sets",
    "contaminated_distance",
    "contaminated_mean",
    "contaminated_risk",
    "corrupted_risk",
    "lost_mass",
    "margin_for_error",
    "margin_gap",
    "noise_immunity",
    "noisy_linear_risk",
    "noisy_score",
    "perturbed_risk",
    "perturbed_risk_within_margin",
    "population_distance",
    "surrogate_regret",
    "weakest_mass",
]

Ints: TypeAlias = NDArray[np.int64]
Step: TypeAlias = tuple[str, object]
Table: TypeAlias = dict[tuple[int, int], Fraction]
Pairs: TypeAlias = RandomPairs | EveryPair | OnePair
Certify: TypeAlias = Callable[..., Certificate]

NONE = Certificate(0, 0, [("hypothesis", "does not hold here")])
"""What an instance outside the hypotheses proves."""


# Populations under label noise.


def noisy_score(factor: Callable[[Fraction], Fraction]) -> Certify:
    r"""$\langle\Phi(P_\sigma),\phi(x_1)\rangle$ against ``factor(sigma)`` times the clean score.

    Parameters
    ----------
    factor : callable
        From the noise rate to the factor that the claim promises.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        population: Pairs | Finite, sigma: float, gram: Ints, masses: Ints | None = None,
        at: int = 0,
    ) -> Certificate:
        rate = Fraction(str(sigma))
        if isinstance(population, Finite) or masses is None:
            assert isinstance(population, Finite)
            return _atom_score(population, rate, factor(rate), int(at))
        kernel, clean = _kernel(gram, population.square), _masses(masses, population.total)
        noisy = _noisy(clean, rate)
        before, after = _scores(kernel, clean)[0], _scores(kernel, noisy)[0]
        promised = factor(rate) * before
        return Certificate(
            after,
            promised,
            [
                *_points(kernel, sorted({0, *_used(clean)})),
                *_list("P", clean),
                ("sigma", rate),
                *_list("P_sigma", noisy),
                ("<Phi(P), phi(x_1)>", _expansion(kernel, clean, 0)),
                ("<Phi(P_sigma), phi(x_1)>", _expansion(kernel, noisy, 0)),
                ("promised", f"{factor(rate)} * {_in(before)} = {promised}"),
            ],
        )

    return certify


def _atom_score(population: Finite, rate: Fraction, factor: Fraction, at: int) -> Certificate:
    """A finite population's scores at one atom; its floats are taken as the numbers they are."""
    terms = [
        (int(y), Fraction(float(w)), Fraction(float(k)))
        for y, w, k in zip(
            population.labels, population.weights, population.instance_gram[at], strict=True
        )
    ]
    before = sum((y * w * k for y, w, k in terms), Fraction(0))
    kept = sum((y * (1 - rate) * w * k for y, w, k in terms), Fraction(0))
    flipped = sum((-y * rate * w * k for y, w, k in terms), Fraction(0))
    return Certificate(
        kept + flipped,
        factor * before,
        [
            ("atom", at),
            ("sigma", rate),
            ("<Phi(P), phi(x)>", float(before)),
            ("part of the labels that stay", float(kept)),
            ("part of the labels that are flipped", float(flipped)),
            ("promised", f"{factor} * {float(before)}"),
        ],
    )


def noise_immunity(
    gram: Ints, masses: Ints, sigma: float, zero: str, square: int, total: int
) -> Certificate:
    """Risks on $P$ of the means of $P_\\sigma$ and of $P$."""
    kernel, clean = _kernel(gram, square), _masses(masses, total)
    rate = Fraction(str(sigma))
    noisy = _noisy(clean, rate)
    before, after = _scores(kernel, clean), _scores(kernel, noisy)
    return Certificate(
        _risk(clean, after, zero),
        _risk(clean, before, zero),
        [
            *_points(kernel, _used(clean)),
            *_list("P", clean),
            ("sigma", rate),
            *_list("P_sigma", noisy),
            *_score_steps("Phi(P)", kernel, clean),
            *_score_steps("Phi(P_sigma)", kernel, noisy),
            ("Risk01(P, Phi(P))", _risk_text(clean, before, zero)),
            ("Risk01(P, Phi(P_sigma))", _risk_text(clean, after, zero)),
        ],
    )


def noisy_linear_risk(factor: Callable[[Fraction], Fraction]) -> Certify:
    r"""Linear risk on $P_\sigma$ against what the clean risk promises.

    Parameters
    ----------
    factor : callable
        From the noise rate to the promised factor on $1-\mathrm{Risk}$.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(masses: Ints, classifier: Ints, sigma: float, total: int) -> Certificate:
        clean, scores = _masses(masses, total), _classifier(classifier)
        rate = Fraction(str(sigma))
        noisy = _noisy(clean, rate)
        before, after = _linear_risk(clean, scores), _linear_risk(noisy, scores)
        promised = 1 - factor(rate) * (1 - before)
        return Certificate(
            after,
            promised,
            [
                *_list("P", clean),
                *_given("f", scores, clean),
                ("sigma", rate),
                *_list("P_sigma", noisy),
                ("Risk_linear(P, f)", _linear_text(clean, scores)),
                ("Risk_linear(P_sigma, f)", _linear_text(noisy, scores)),
                ("promised", f"1 - {factor(rate)} * (1 - {_in(before)}) = {promised}"),
            ],
        )

    return certify


def argmin_sets(masses: Ints, functions: Ints, sigma: float, total: int) -> Certificate:
    """Minimisers of linear risk over a finite class, on $P_\\sigma$ and on $P$, as bits."""
    clean, rate = _masses(masses, total), Fraction(str(sigma))
    noisy = _noisy(clean, rate)
    steps: list[Step] = [*_list("P", clean), ("sigma", rate), *_list("P_sigma", noisy)]
    sets: list[int] = []
    for name, population in (("P_sigma", noisy), ("P", clean)):
        risks = []
        for k, function in enumerate(functions, start=1):
            scores = [Fraction(int(v)) for v in function]
            risks.append(_linear_risk(population, scores))
            values = ", ".join(f"f_{k}(x_{j + 1}) = {scores[j]}" for j in _used(population))
            steps.append((f"Risk_linear({name}, f_{k}), {values}", risks[-1]))
        least = [k for k, risk in enumerate(risks) if risk == min(risks)]
        steps.append((f"minimisers on {name}", ", ".join(f"f_{k + 1}" for k in least)))
        sets.append(sum(1 << k for k in least))
    return Certificate(sets[0], sets[1], steps)


# Contamination.


class _Contaminated:
    """One instance in fractions: $P$, $Q$, their mixture, and scores before and after."""

    def __init__(
        self, gram: Ints, masses: Ints, corruption: Ints, share: int, square: int, total: int,
        levels: int,
    ) -> None:
        self.kernel, self.clean = _kernel(gram, square), _masses(masses, total)
        self.other, self.sigma = _masses(corruption, total), Fraction(int(share), levels)
        self.mixed = _mixed(self.clean, self.other, self.sigma)
        self.before = _scores(self.kernel, self.clean)
        self.after = _scores(self.kernel, self.mixed)
        self.margin = _margin(self.clean, self.before)

    def given(self) -> list[Step]:
        """Kernel values, populations and the share."""
        used = _used(self.clean, self.other)
        return [
            *_points(self.kernel, used), *_list("P", self.clean), *_list("Q", self.other),
            ("sigma", self.sigma),
        ]

    def steps(self, *hypotheses: Step) -> list[Step]:
        """What is given, clean scores, what is supposed of them, and scores after."""
        return [
            *self.given(), *_score_steps("Phi(P)", self.kernel, self.clean), *hypotheses,
            *_mixed_score_steps(self.kernel, self.clean, self.other, self.sigma),
        ]

    def gamma(self) -> Step:
        """The margin for error."""
        return ("margin for error Gamma", _margin_text(self.clean, self.before))

    def limit(self, threshold: str) -> tuple[str, Fraction]:
        """A limit of the share, by name: of the margin for error, which must be there."""
        assert self.margin is not None
        if threshold == "sharp":
            return "Gamma / (1 + Gamma)", self.margin / (1 + self.margin)
        divisor = {"margin": 1, "half": 2}.get(threshold) or int(threshold)
        return "Gamma" if divisor == 1 else f"Gamma / {divisor}", self.margin / divisor

    def risks(self, *hypotheses: Step) -> Certificate:
        """0-1 risk on $P$ after, against that before."""
        return Certificate(
            _risk(self.clean, self.after),
            _risk(self.clean, self.before),
            [
                *self.steps(*hypotheses),
                ("Risk01(P, Phi(P))", _risk_text(self.clean, self.before)),
                ("Risk01(P, Phi(P~))", _risk_text(self.clean, self.after)),
            ],
        )


def contaminated_mean(
    factors: Callable[[Fraction], tuple[Fraction, Fraction]],
) -> Certify:
    r"""Score under $\Phi(\tilde P)$ against a combination of those under $\Phi(P)$ and $\Phi(Q)$.

    Parameters
    ----------
    factors : callable
        From the share to the promised weights of $\Phi(P)$ and $\Phi(Q)$.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        gram: Ints, masses: Ints, corruption: Ints, share: int, square: int, total: int,
        levels: int,
    ) -> Certificate:
        case = _Contaminated(gram, masses, corruption, share, square, total, levels)
        first, second = case.before[0], _scores(case.kernel, case.other)[0]
        left, right = factors(case.sigma)
        promised = left * first + right * second
        return Certificate(
            case.after[0],
            promised,
            [
                *_points(case.kernel, sorted({0, *_used(case.clean, case.other)})),
                *_list("P", case.clean),
                *_list("Q", case.other),
                ("sigma", case.sigma),
                ("<Phi(P), phi(x_1)>", _expansion(case.kernel, case.clean, 0)),
                ("<Phi(Q), phi(x_1)>", _expansion(case.kernel, case.other, 0)),
                ("<Phi(P~), phi(x_1)>", _expansion(case.kernel, case.mixed, 0)),
                ("promised", f"{left} * {_in(first)} + {right} * {_in(second)} = {promised}"),
            ],
        )

    return certify


def contaminated_distance(factor: Callable[[Fraction], Fraction]) -> Certify:
    r"""$\|\Phi(P)-\Phi(\tilde P)\|$ against its promise from $\|\Phi(P)-\Phi(Q)\|$.

    Parameters
    ----------
    factor : callable
        From the share to the promised factor, at least 0.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        gram: Ints, masses: Ints, corruption: Ints, share: int, square: int, total: int,
        levels: int,
    ) -> Certificate:
        case = _Contaminated(gram, masses, corruption, share, square, total, levels)
        moved = _distance2(case.kernel, case.clean, case.mixed)
        apart = _distance2(case.kernel, case.clean, case.other)
        promised = factor(case.sigma) ** 2 * apart
        return Certificate(
            _root(moved),
            _root(promised),
            [
                *case.given(),
                *_list("P~ = (1-sigma) P + sigma Q", case.mixed),
                ("|Phi(P) - Phi(P~)|^2", _distance_text(case.kernel, case.clean, case.mixed)),
                ("|Phi(P) - Phi(Q)|^2", _distance_text(case.kernel, case.clean, case.other)),
                ("promised square", f"({factor(case.sigma)})^2 * {apart} = {promised}"),
            ],
        )

    return certify


def population_distance(square_limit: Fraction) -> Certify:
    r"""$\|\Phi(P)-\Phi(Q)\|$ against its promised limit.

    Parameters
    ----------
    square_limit : Fraction
        The square of the promised limit.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        gram: Ints, masses: Ints, corruption: Ints, square: int, total: int
    ) -> Certificate:
        kernel = _kernel(gram, square)
        clean, other = _masses(masses, total), _masses(corruption, total)
        apart = _distance2(kernel, clean, other)
        return Certificate(
            _root(apart),
            _root(square_limit),
            [
                *_points(kernel, _used(clean, other)),
                *_list("P", clean),
                *_list("Q", other),
                ("|Phi(P) - Phi(Q)|^2", _distance_text(kernel, clean, other)),
                ("promised limit of the square", square_limit),
            ],
        )

    return certify


def contaminated_risk(*, two_sided: bool = False) -> Certify:
    r"""Risks on $P$ of the means of $\tilde P$ and of $P$, where the margin is wide enough.

    Parameters
    ----------
    two_sided : bool
        The margin is the smallest $|f(x)|$, not the smallest $yf(x)$ of a correct point.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        gram: Ints, masses: Ints, corruption: Ints, share: int, reach: int, square: int,
        total: int, levels: int,
    ) -> Certificate:
        case = _Contaminated(gram, masses, corruption, share, square, total, levels)
        margin = _smallest_score(case.clean, case.before) if two_sided else case.margin
        apart = _distance2(case.kernel, case.clean, case.other)
        if margin is None or not case.sigma**2 * apart < (reach * margin) ** 2:
            return NONE
        factor = "" if reach == 1 else f"{reach} "
        square_moved = case.sigma**2 * apart
        return case.risks(
            ("smallest |f(x)|", margin) if two_sided else case.gamma(),
            ("|Phi(P) - Phi(Q)|^2", _distance_text(case.kernel, case.clean, case.other)),
            (
                f"hypothesis sigma |Phi(P) - Phi(Q)| < {factor}margin, squared",
                f"({case.sigma})^2 * {apart} = {square_moved} < {(reach * margin) ** 2}",
            ),
        )

    return certify


def corrupted_risk(
    gram: Ints, masses: Ints, corruption: Ints, share: int, divisor: int, square: int, total: int,
    levels: int,
) -> Certificate:
    r"""Risks on $P$ of the means of $\tilde P$ and of $P$, where $\sigma<\Gamma/r$."""
    case = _Contaminated(gram, masses, corruption, share, square, total, levels)
    if case.margin is None:
        return NONE
    name, limit = case.limit(str(divisor))
    if not case.sigma < limit:
        return NONE
    return case.risks(case.gamma(), ("hypothesis", f"sigma = {case.sigma} < {name} = {limit}"))


def lost_mass(
    gram: Ints, masses: Ints, corruption: Ints, share: int, threshold: str, square: int,
    total: int, levels: int,
) -> Certificate:
    r"""Mass that is right under $\Phi(P)$ and wrong under $\Phi(\tilde P)$, against zero."""
    case = _Contaminated(gram, masses, corruption, share, square, total, levels)
    if case.margin is None:
        return NONE
    name, limit = case.limit(threshold)
    if not case.sigma < limit:
        return NONE
    lost = _lost(case.clean, case.before, case.after)
    return Certificate(
        sum(lost.values(), Fraction(0)),
        0,
        [
            *case.steps(
                case.gamma(), ("hypothesis", f"sigma = {case.sigma} < {name} = {limit}")
            ),
            ("right before, wrong after", _mass_text(lost)),
        ],
    )


def weakest_mass(
    gram: Ints, masses: Ints, corruption: Ints, share: int, threshold: str, square: int,
    total: int, levels: int,
) -> Certificate:
    r"""Mass of the weakest correct point against the mass lost to its label-flipped copy."""
    case = _Contaminated(gram, masses, corruption, share, square, total, levels)
    if case.margin is None:
        return NONE
    name, limit = case.limit(threshold)
    (point, label), = (atom for atom, mass in case.other.items() if mass == 1)
    weakest = (point, -label)
    right = -label * case.before[point] == case.margin and case.kernel[point][point] == 1
    if case.sigma < limit or not right:
        return NONE
    lost = _lost(case.clean, case.before, case.after)
    return Certificate(
        case.clean[weakest],
        sum(lost.values(), Fraction(0)),
        [
            *case.steps(
                case.gamma(), ("hypothesis", f"sigma = {case.sigma} >= {name} = {limit}")
            ),
            ("mass of the weakest correct point", f"P{_atom(*weakest)} = {case.clean[weakest]}"),
            ("right before, wrong after", _mass_text(lost)),
        ],
    )


# Arbitrary classifiers.


def perturbed_risk(
    masses: Ints, classifier: Ints, perturbed: Ints, slack: int, inequality: str, total: int
) -> Certificate:
    r"""0-1 risk of $\tilde f$ against the margin risk of $f$."""
    clean, epsilon = _masses(masses, total), Fraction(int(slack), SCORE_STEPS)
    scores, moved = _classifier(classifier), _classifier(perturbed)
    if max(abs(a - b) for a, b in zip(scores, moved, strict=True)) > epsilon:
        return NONE
    left = {
        atom: mass for atom, mass in clean.items()
        if atom[1] * moved[atom[0]] < 0 or (inequality != "open" and moved[atom[0]] == 0)
    }
    right = {
        atom: mass for atom, mass in clean.items()
        if atom[1] * scores[atom[0]] < epsilon
        or (inequality == "closed" and atom[1] * scores[atom[0]] == epsilon)
    }
    signs = "<" if inequality == "open" else "<=", "<=" if inequality == "closed" else "<"
    return Certificate(
        sum(left.values(), Fraction(0)),
        sum(right.values(), Fraction(0)),
        [
            *_list("P", clean),
            *_given("f", scores, clean),
            *_given("f~", moved, clean),
            ("epsilon", f"{epsilon} >= max |f - f~|"),
            (f"y f~(x) {signs[0]} 0 on", _mass_text(left)),
            (f"y f(x) {signs[1]} epsilon on", _mass_text(right)),
        ],
    )


def perturbed_risk_within_margin(
    masses: Ints, classifier: Ints, perturbed: Ints, slack: int, strict: str, total: int
) -> Certificate:
    r"""0-1 risks of $\tilde f$ and of $f$, the perturbation inside the margin for error."""
    clean, epsilon = _masses(masses, total), Fraction(int(slack), SCORE_STEPS)
    scores, moved = _classifier(classifier), _classifier(perturbed)
    margin = _margin(clean, scores)
    inside = margin is not None and (epsilon < margin or (strict == "<=" and epsilon == margin))
    if not inside or max(abs(a - b) for a, b in zip(scores, moved, strict=True)) > epsilon:
        return NONE
    return Certificate(
        _risk(clean, moved),
        _risk(clean, scores),
        [
            *_list("P", clean),
            *_given("f", scores, clean),
            *_given("f~", moved, clean),
            ("margin for error Gamma", _margin_text(clean, scores)),
            ("epsilon", f"{epsilon} {strict} Gamma"),
            ("Risk01(P, f)", _risk_text(clean, scores)),
            ("Risk01(P, f~)", _risk_text(clean, moved)),
        ],
    )


def margin_for_error(factor: Fraction) -> Certify:
    r"""$\Gamma(P,f)$ by its definition against ``factor`` times the smallest correct margin.

    Parameters
    ----------
    factor : Fraction
        1 in the claim.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(masses: Ints, classifier: Ints, total: int) -> Certificate:
        clean, scores = _masses(masses, total), _classifier(classifier)
        margin = _margin(clean, scores)
        if margin is None:
            return NONE
        reference = _risk(clean, scores)
        # Margin risk is constant between two margins, so these are all candidates.
        kinks = sorted({abs(score) for score in scores} | {Fraction(0)})
        steps: list[Step] = [*_list("P", clean), *_given("f", scores, clean)]
        steps.append(("Risk01(P, f)", reference))
        supremum = Fraction(0)
        for low, high in zip(kinks, [*kinks[1:], kinks[-1] + 1], strict=True):
            within = [mass for (j, y), mass in clean.items() if y * scores[j] <= low]
            risk = sum(within, Fraction(0))
            steps.append((f"margin risk for gamma in [{low}, {high})", risk))
            if risk == reference:
                supremum = high
        steps.append(("supremum of equal risk", supremum))
        steps.append(("promised", f"{factor} * {margin} = {factor * margin}"))
        return Certificate(supremum, factor * margin, steps)

    return certify


def margin_gap(value: int, moved: int, slack: int, inequality: str) -> Certificate:
    r"""Whether $\tilde v<0$ against whether $v<\epsilon$."""
    v, other, epsilon = int(value), int(moved), int(slack)
    if abs(v - other) > epsilon:
        return NONE
    premise = other < 0 or (inequality != "open" and other == 0)
    conclusion = v < epsilon or (inequality == "closed" and v == epsilon)
    return Certificate(
        int(premise),
        int(conclusion),
        [
            ("v, v~, epsilon", f"{v}, {other}, {epsilon}"),
            ("|v - v~| <= epsilon", f"{abs(v - other)} <= {epsilon}"),
            (f"v~ {'<' if inequality == 'open' else '<='} 0", premise),
            (f"v {'<=' if inequality == 'closed' else '<'} epsilon", conclusion),
        ],
    )


def surrogate_regret(
    factor: Fraction, idle_factor: Fraction, *, bounded: bool = True
) -> Certify:
    r"""Regret for misclassification against that for linear loss.

    Parameters
    ----------
    factor, idle_factor : Fraction
        The promise is ``factor`` times the linear regret plus ``idle_factor`` times $P(f=0)$.
    bounded : bool
        Whether the claim is about scores in [-1, 1] only.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(
        masses: Ints, classifier: Ints, zero: str, scores: str, total: int
    ) -> Certificate:
        clean, f = _masses(masses, total), _classifier(classifier)
        present = {j for (j, _), mass in clean.items() if mass}
        outside = any(abs(f[j]) > 1 for j in present)
        if (bounded and outside) or (scores == "nonzero" and any(f[j] == 0 for j in present)):
            return NONE
        at_zero = Fraction(1) if zero == "both" else Fraction(1, 2)
        steps: list[Step] = [
            *_list("P", clean),
            *_given("f", f, clean),
            ("0-1 loss of a zero score", at_zero),
        ]
        wrong = linear = Fraction(0)
        for j in sorted(present):
            plus, minus = clean[j, 1], clean[j, -1]
            loss = {1: minus, -1: plus, 0: at_zero * (plus + minus)}[_sign(f[j])]
            linear_loss = plus * (1 - f[j]) + minus * (1 + f[j])
            least = min(plus, minus)
            steps += [
                (f"0-1 loss at x_{j + 1}", f"{loss}; no score has less than {least}"),
                (
                    f"linear loss at x_{j + 1}",
                    f"{plus} * (1 - {_in(f[j])}) + {minus} * (1 + {_in(f[j])}) = {linear_loss}; "
                    f"no score in [-1, 1] has less than {2 * least}",
                ),
            ]
            wrong += loss - least
            linear += linear_loss - 2 * least
        idle = sum((m for (j, _), m in clean.items() if f[j] == 0), Fraction(0))
        promised = factor * linear + idle_factor * idle
        steps += [("Regret01(P, f)", wrong), ("Regret_linear(P, f)", linear)]
        if idle_factor:
            steps.append(("P(f = 0)", idle))
        steps.append(("promised limit", promised))
        return Certificate(wrong, promised, steps)

    return certify


# Populations in fractions.


def _kernel(gram: Ints, square: int) -> list[list[Fraction]]:
    return [[Fraction(int(entry), square) for entry in row] for row in gram]


def _masses(masses: Ints, total: int) -> Table:
    return {
        (j, y): Fraction(int(masses[j][k]), total)
        for j in range(len(masses))
        for k, y in enumerate((1, -1))
    }


def _classifier(scores: Ints) -> list[Fraction]:
    return [Fraction(int(score), SCORE_STEPS) for score in scores]


def _noisy(clean: Table, rate: Fraction) -> Table:
    return {(j, y): (1 - rate) * mass + rate * clean[j, -y] for (j, y), mass in clean.items()}


def _mixed(clean: Table, other: Table, share: Fraction) -> Table:
    return {atom: (1 - share) * mass + share * other[atom] for atom, mass in clean.items()}


def _scores(kernel: list[list[Fraction]], masses: Table) -> list[Fraction]:
    return [
        sum((y * mass * row[j] for (j, y), mass in masses.items()), Fraction(0)) for row in kernel
    ]


def _distance2(kernel: list[list[Fraction]], first: Table, second: Table) -> Fraction:
    gap = _gap(first, second)
    return sum((a * b * kernel[i][j] for i, a in gap.items() for j, b in gap.items()), Fraction(0))


def _gap(first: Table, second: Table) -> dict[int, Fraction]:
    gap: dict[int, Fraction] = {}
    for (j, y), mass in first.items():
        gap[j] = gap.get(j, Fraction(0)) + y * (mass - second[j, y])
    return gap


def _margin(masses: Table, scores: Sequence[Fraction]) -> Fraction | None:
    right = [y * scores[j] for (j, y), mass in masses.items() if mass and y * scores[j] > 0]
    return min(right, default=None)


def _smallest_score(masses: Table, scores: Sequence[Fraction]) -> Fraction:
    return min(abs(scores[j]) for (j, _), mass in masses.items() if mass)


def _wrong(masses: Table, scores: Sequence[Fraction]) -> Table:
    return {(j, y): m for (j, y), m in masses.items() if m and y * scores[j] <= 0}


def _lost(masses: Table, before: Sequence[Fraction], after: Sequence[Fraction]) -> Table:
    wrong = _wrong(masses, after)
    return {(j, y): m for (j, y), m in wrong.items() if y * before[j] > 0}


def _risk(masses: Table, scores: Sequence[Fraction], zero: str = "both") -> Fraction:
    at_zero = Fraction(1) if zero == "both" else Fraction(1, 2)
    wrong = _wrong(masses, scores)
    return sum((m * (1 if scores[j] else at_zero) for (j, _), m in wrong.items()), Fraction(0))


def _linear_risk(masses: Table, scores: Sequence[Fraction]) -> Fraction:
    return sum((mass * (1 - y * scores[j]) for (j, y), mass in masses.items()), Fraction(0))


def _root(square: Fraction) -> Fraction | tuple[Fraction, Fraction]:
    """Enclosure of a square root: to twelve places, exact where it is rational."""
    over, under = isqrt(square.numerator), isqrt(square.denominator)
    if Fraction(over, under) ** 2 == square:
        return Fraction(over, under)
    places = 10**12
    low = isqrt(square.numerator * places**2 // square.denominator)
    return Fraction(low, places), Fraction(low + 1, places)


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


# Steps in words.


def _in(number: Fraction) -> str:
    """As a factor or summand."""
    return f"({number})" if number < 0 else str(number)


def _atom(point: int, label: int) -> str:
    return f"(x_{point + 1}, {label:+d})"


def _used(*populations: Table) -> list[int]:
    """Points that have mass somewhere: the others play no part."""
    return sorted({j for masses in populations for (j, _), mass in masses.items() if mass})


def _points(kernel: list[list[Fraction]], used: Sequence[int]) -> list[Step]:
    return [(f"K(x_{i + 1}, x_{j + 1})", kernel[i][j]) for i in used for j in used if i <= j]


def _list(name: str, masses: Table) -> list[Step]:
    parts = [f"{_atom(*atom)}: {mass}" for atom, mass in masses.items() if mass]
    return [(name, "; ".join(parts))]


def _given(name: str, scores: Sequence[Fraction], masses: Table) -> list[Step]:
    return [(f"{name}(x_{j + 1})", scores[j]) for j in _used(masses)]


def _expansion(kernel: list[list[Fraction]], masses: Table, at: int) -> str:
    terms = [
        f"{_in(y * mass)} * {_in(kernel[at][j])}" for (j, y), mass in masses.items() if mass
    ]
    return f"{' + '.join(terms)} = {_scores(kernel, masses)[at]}"


def _score_steps(mean: str, kernel: list[list[Fraction]], masses: Table) -> list[Step]:
    return [(f"<{mean}, phi(x_{i + 1})>", _expansion(kernel, masses, i)) for i in _used(masses)]


def _mixed_score_steps(
    kernel: list[list[Fraction]], clean: Table, other: Table, sigma: Fraction
) -> list[Step]:
    first, second = _scores(kernel, clean), _scores(kernel, other)
    steps: list[Step] = []
    for i in _used(clean):
        a, b = first[i], second[i]
        steps += [
            (f"<Phi(Q), phi(x_{i + 1})>", _expansion(kernel, other, i)),
            (
                f"<Phi(P~), phi(x_{i + 1})>",
                f"{1 - sigma} * {_in(a)} + {sigma} * {_in(b)} = {(1 - sigma) * a + sigma * b}",
            ),
        ]
    return steps


def _distance_text(kernel: list[list[Fraction]], first: Table, second: Table) -> str:
    gap = _gap(first, second)
    parts = [f"{_in(a)} phi(x_{j + 1})" for j, a in gap.items() if a]
    square = _distance2(kernel, first, second)
    return f"|{' + '.join(parts) or '0'}|^2 = {square}"


def _margin_text(masses: Table, scores: Sequence[Fraction]) -> str:
    margin = _margin(masses, scores)
    at = next(
        (j, y) for (j, y), mass in masses.items() if mass and y * scores[j] == margin
    )
    return f"{margin}, at {_atom(*at)}"


def _mass_text(masses: Table) -> str:
    parts = {atom: mass for atom, mass in masses.items() if mass}
    total = sum(parts.values(), Fraction(0))
    if not parts:
        return "nothing: mass 0"
    return f"{', '.join(_atom(*atom) for atom in parts)}: mass {total}"


def _risk_text(masses: Table, scores: Sequence[Fraction], zero: str = "both") -> str:
    wrong = _wrong(masses, scores)
    if not wrong:
        return "0: no point is wrong"
    return f"{_risk(masses, scores, zero)}: wrong at {', '.join(_atom(*atom) for atom in wrong)}"


def _linear_text(masses: Table, scores: Sequence[Fraction]) -> str:
    terms = [
        f"{mass} * (1 {'-' if y > 0 else '+'} {_in(scores[j])})"
        for (j, y), mass in masses.items() if mass
    ]
    return f"{' + '.join(terms)} = {_linear_risk(masses, scores)}"
