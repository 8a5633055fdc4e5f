"""The fast forms against the printed loops, exact enumeration and closed forms."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

import noisytheory as nt
from noisytheory import online
from noisytheory.topics.online import (
    adversaries,
    comparator,
    copied_kernels,
    estimators,
    planning,
    prospects,
)
from noisytheory.topics.online.comparator import best_in_ball
from noisytheory.topics.online.degrees import Finite, Fixed, Geometric
from noisytheory.topics.online.descent import (
    Descent,
    Rule,
    descend,
    draw_tape,
    scores_over_time,
)
from noisytheory.topics.online.expansion import Expansion, Stack, _prefixes
from noisytheory.topics.online.maps import NoisyOracle, RecordedCopies, Scheme, fixed
from noisytheory.topics.online.printed import PlainLearner, gradient_length, projected
from noisytheory.topics.online.replicates import few_copies, replicate
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    ExponentialLoss,
    SeriesLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import (
    BinomialProduct,
    ExponentialProduct,
    GaussianProduct,
    HomogeneousProduct,
    InhomogeneousProduct,
    LinearProduct,
)
from noisytheory.vocabulary.instance_noise import LAWS, InstanceNoise
from noisytheory.vocabulary.sequences import (
    Examples,
    alternating,
    constant,
    hard_labels,
    lower_bound_pair,
    xor,
)

LOSSES = [
    AffineLoss(-2.0), SquaredLoss(1.0), SquaredLoss(0.0, "regression"), ExponentialLoss(),
    SmoothedAbsolute(0.7), SmoothedAbsolute(0.7, centre=-1.5), SmoothedHinge(1.3),
    SeriesLoss((1.0, -2.0, 0.5)),
]
KERNELS = [
    LinearProduct(), HomogeneousProduct(3), InhomogeneousProduct(2, 0.5), ExponentialProduct(),
    BinomialProduct(0.5), GaussianProduct(1.7),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda x: x.name)
def test_a_loss_is_its_series(loss):
    a = np.linspace(-0.9, 0.9, 7)
    gamma = loss.coefficients(80)
    np.testing.assert_allclose(np.polyval(gamma[::-1], a), loss.slope(a), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        [np.polyval(np.abs(gamma)[::-1], b) for b in (0.3, 1.1)],
        [float(loss.majorant(b)) for b in (0.3, 1.1)], rtol=1e-12,
    )
    # The derivative is that of the loss.
    h = 1e-6
    slope = (loss.at(a + h) - loss.at(a - h)) / (2 * h)
    np.testing.assert_allclose(slope, loss.slope(a), atol=1e-8)


def test_the_hinge_majorant_agrees_with_high_precision():
    with mpmath.workdps(40):
        # At s = 8 the first terms are nothing beside 1, and the later ones billions.
        for s, a in [(0.25, 8.0), (1.0, 1.0), (2.0, 1.5), (5.0, 1.2), (8.0, 0.7), (8.0, 1.0)]:
            terms = [abs(mpmath.hermite(n - 1, s)) * mpmath.mpf(s * a) ** n / mpmath.factorial(n)
                     for n in range(1, 350)]
            tail = mpmath.exp(-s * s) / mpmath.sqrt(mpmath.pi) * sum(terms)
            total = (1 + mpmath.erf(s)) / 2 + tail
            assert float(SmoothedHinge(s).majorant(a)) == pytest.approx(float(total), rel=1e-12)
    assert SmoothedHinge(30.0).majorant(np.array([0.3, 2.0])).tolist() == [1.0, math.inf]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda x: x.name)
def test_a_kernel_is_its_series(kernel):
    a = np.linspace(-0.6, 0.6, 5)
    beta = kernel.coefficients(120)
    assert np.all(beta >= 0)
    np.testing.assert_allclose(np.polyval(beta[::-1], a), kernel.at(a), rtol=1e-12)


def test_the_gaussian_kernel_is_the_gaussian_kernel():
    x = np.random.default_rng(0).normal(size=(5, 3))
    plain = np.exp(-np.square(x[:, None] - x).sum(-1) / 1.7)
    np.testing.assert_allclose(GaussianProduct(1.7).gram(x, x), plain, rtol=1e-13)


@pytest.mark.parametrize("law", [*LAWS, "time-varying", "per-call", "rank-one", "martingale"])
def test_noise_has_the_variance_it_says(law):
    rounds = np.repeat(np.arange(200), 500)
    drawn = InstanceNoise(law, 2.0).draw(
        2, rounds, np.tile(np.arange(500), 200), rng=np.random.default_rng(1)
    )
    share = {"none": 0.0, "time-varying": 0.5}.get(law, 1.0)
    if law == "pareto":  # no fourth moment: the mean size tells the scale
        assert np.abs(drawn).mean() == pytest.approx(math.sqrt(0.1 / 2.1) * 2.1 / 1.1, rel=0.02)
        return
    square = np.square(drawn).sum(axis=1).mean()
    assert square == pytest.approx(2 * share, rel=0.05)
    assert abs(drawn.mean()) < 6 * math.sqrt(max(square, 1e-9) / 2e5)


def test_answers_of_an_oracle_that_depend_on_those_before():
    """Two queries at once and a third later: each has its mean given the one before."""
    many, x, noise = 20_000, 0.5, InstanceNoise("martingale", 1.0)
    oracle = NoisyOracle(np.full((many, 1), x), noise)
    rng, rounds = np.random.default_rng(3), np.arange(many)
    first, second = oracle.take(np.repeat(rounds, 2), rng=rng).reshape(many, 2).T - x
    third = oracle.take(rounds, rng=rng)[:, 0] - x
    for before, after in ((first, second), (second, third)):
        for up in (True, False):
            given = after[(before > 0) == up]
            assert abs(given.mean()) < 6 * given.std() / len(given) ** 0.5
            assert np.square(given).mean() == pytest.approx(1, rel=0.1)
            assert np.unique(given.round(3)).tolist() == ([-0.333, 3] if up else [-3, 0.333])


@pytest.mark.parametrize("kernel, noise", [
    (ExponentialProduct(), "martingale"), (InhomogeneousProduct(2), "gaussian"),
])
def test_replicates_with_noise_by_an_adversary_have_the_mean_features(kernel, noise):
    """The second round of a linear loss is played with minus the estimate of the first."""
    seen = []

    def chosen(t, scores):
        seen.append(t)
        return np.where(np.arange(len(scores)) % 2, -1.0, 0.5)

    runs = replicate(
        Examples("two", np.full((2, 1), 0.5), np.ones(2)), kernel, AffineLoss(),
        InstanceNoise(noise, 0.25), Rule(1e9, 2**0.5, T=2), p=3.0, size=40_000,
        rng=np.random.default_rng(2), law=Fixed(0),
        chosen=chosen if noise == "gaussian" else None,
    )
    assert seen == ([0, 1] if noise == "gaussian" else [])
    wanted = -float(kernel.at(0.25))
    assert abs(runs.losses.mean() - wanted) < 6 * runs.losses.std() / 200


def test_an_adversary_has_no_more_noise_than_was_promised():
    for run in (
        lambda chosen: replicate(constant(3), LinearProduct(), AffineLoss(), InstanceNoise(),
                                 Rule(1.0, T=3), p=2.0, size=2, rng=np.random.default_rng(0),
                                 chosen=chosen),
        lambda chosen: few_copies(constant(3), AffineLoss(), InstanceNoise(), Rule(1.0, T=3),
                                  copies=1, size=2, rng=np.random.default_rng(0), chosen=chosen),
    ):
        with pytest.raises(ValueError, match=r"factors in \[-1, 1\], got 1.5"):
            run(lambda t, scores: np.full(2, 1.5))
        still = run(lambda t, scores: np.zeros(2))
        assert np.isfinite(still.losses).all()


def test_an_adversary_of_the_noise_gains_little():
    """Copies are 1, or 0 and 2 by fair coins, as suits an adversary best who sees the predictor."""
    game = nt.claims["noisy-kernels/theorem-1-regret/noise"].grid["population"][1]
    y, v, m = game.examples.y, 8.0, 4
    assert (game.p, game.T) == (2.0, 2 * v * m**2)
    places = np.arange(4 * m + 1)
    w, found = places / (2 * m) - 1, []
    for choose in (np.maximum, lambda quiet, noisy: noisy):
        after = np.zeros(len(w))
        for label in y[::-1].astype(int):
            # The step of 2v is twice as long with a copy of 2, and none with one of 0.
            short, long = (np.clip(places + label * k, 0, 4 * m) for k in (1, 2))
            quiet = (1 - 1 / v) * after + after[short] / v
            noisy = (1 - 1 / (2 * v)) * after + after[long] / (2 * v)
            after = choose(quiet, noisy) - label * w
        found.append((after[2 * m] + abs(y.sum())) / (2 * v * m))
    assert found == pytest.approx([0.8343, 0.8312], abs=5e-5)


def test_the_lower_bound_pair_looks_alike():
    a, b = lower_bound_pair(1000)
    noisy = NoisyOracle(b.x, InstanceNoise("rademacher", 4.0))
    seen = noisy.take(np.arange(1000), rng=np.random.default_rng(0))
    assert set(seen.ravel()) == set(a.x.ravel()) == {3.0, -1.0}
    assert abs(a.x.mean() - 1) < 6 * 2 / 1000**0.5 and np.all(a.y == 1) and np.all(b.y == 1)


def replayed(tape, kernel, loss, rule, y, T):
    """Algorithm 1 in plain loops on the draws of a tape."""
    plain = PlainLearner(kernel, loss, rule.Bw, rule.eta, T, projection=rule.projection,
                         gradient=rule.gradient)
    share = Geometric(2.0).pmf(80)
    for t in range(T):
        estimate = tape.maps.of(t)
        n = int(tape.degrees[t])
        products = [plain.inner(tape.inner.of(int(tape.first[t]) + j)) for j in range(n)]
        length = gradient_length(
            y[t], n, loss.coefficients(n + 1)[n], 1 / share[n], products, form=loss.form,
            printed=rule.gradient == "printed",
        )
        plain.alpha.append(-length * rule.eta / math.sqrt(T))
        plain.maps.append(estimate)
        square = sum(a * b * plain._prod(m, k) for a, m in zip(plain.alpha, plain.maps, strict=True)
                     for b, k in zip(plain.alpha, plain.maps, strict=True))
        shrunk = projected(square, rule.Bw, printed=rule.projection == "printed")
        plain.alpha = [a * math.sqrt(shrunk) for a in plain.alpha]
    return plain


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda x: x.name)
@pytest.mark.parametrize("loss", [ExponentialLoss(), SquaredLoss(0.0, "regression")],
                         ids=lambda x: x.name)
@pytest.mark.parametrize("how", ["repaired", "printed"])
def test_the_fast_form_is_the_printed_loops(kernel, loss, how):
    T, p = 60, 2.0
    rng = np.random.default_rng(5)
    x = rng.normal(0, 0.4, (T, 2))
    y = np.where(x[:, 0] > 0, 1.0, -1.0)
    scheme, law = Scheme(kernel, Geometric(p)), Geometric(p)
    tape = draw_tape(T, scheme, law, NoisyOracle(x, InstanceNoise("gaussian", 0.1)), rng=rng)
    rule = Rule(0.3, 0.7, T=T, projection=how, gradient=how)
    run = descend(tape, y, scheme, loss, law, rule, block=16)
    plain = replayed(tape, kernel, loss, rule, y, T)
    queries = rng.normal(0, 0.4, (7, 2))
    np.testing.assert_allclose(
        run.expansion.predict(queries), plain.predict(queries), rtol=1e-9, atol=1e-12
    )
    if how == "repaired":
        assert max(run.norms) <= 0.3 * (1 + 1e-12)


@pytest.mark.parametrize("coupled", [False, True])
def test_blocks_change_rounding_only(coupled):
    rng = np.random.default_rng(7)
    x = rng.normal(0, 0.5, (90, 3))
    scheme, law = Scheme(ExponentialProduct(), Geometric(2.0), coupled=coupled), Geometric(2.0)
    tape = draw_tape(90, scheme, law, NoisyOracle(x, InstanceNoise("gaussian", 0.1)), rng=rng)
    rule = Rule(0.2, adaptive=True, coupled=coupled)
    found = [descend(tape, np.sign(x[:, 0]), scheme, ExponentialLoss(), law, rule, block=block)
             for block in (1, 7, 256)]
    for run in found[1:]:
        np.testing.assert_allclose(run.norms, found[0].norms, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(run.expansion.predict(x), found[0].expansion.predict(x),
                                   rtol=1e-8, atol=1e-12)


def test_stored_terms_are_at_most_one_a_round(monkeypatch):
    """So the inner products taken are at most those of the claim on incremental norms."""
    taken = []
    monkeypatch.setattr("noisytheory.topics.online.expansion._prefixes", lambda a, b: (
        taken.append(len(a[0]) * len(b[0]) if a and b else 0) or _prefixes(a, b)))
    rng, T = np.random.default_rng(7), 80
    scheme, law = Scheme(ExponentialProduct(), Geometric(2.0)), Geometric(2.0)
    tape = draw_tape(T, scheme, law, NoisyOracle(np.full((T, 1), 0.3), InstanceNoise("none", 0.0)),
                     rng=rng)
    descend(tape, np.ones(T), scheme, ExponentialLoss(), law, Rule(1.0, 0.1, T=T), block=1)
    most = ((1 + np.diff(tape.first)) * np.arange(T)).sum() + (1 + tape.degrees).sum()
    assert 0 < sum(taken) <= most


def test_the_printed_learner_runs_by_itself():
    rng = np.random.default_rng(2)
    plain = PlainLearner(ExponentialProduct(), ExponentialLoss(), 1.0, 0.5, 30)
    for _ in range(30):
        plain.step(lambda: [0.5 + rng.normal(0, 0.1)], 1.0, rng=rng)
    assert plain.square <= 1 + 1e-12 and len(plain.alpha) == 30
    # t^2 calls a round for the norm, t - 1 for each inner estimate.
    assert plain.prods >= sum(t * t for t in range(1, 31))


@pytest.mark.parametrize("coupled", [False, True])
def test_a_run_that_rebases_at_every_projection(monkeypatch, coupled):
    rng = np.random.default_rng(8)
    x = rng.normal(0, 0.5, (60, 2))
    scheme, law = Scheme(ExponentialProduct(), Geometric(2.0), coupled=coupled), Geometric(2.0)
    tape = draw_tape(60, scheme, law, NoisyOracle(x, InstanceNoise("gaussian", 0.1)), rng=rng)
    rule, y = Rule(0.2, 1.0, T=60), np.sign(x[:, 0])
    plain = descend(tape, y, scheme, ExponentialLoss(), law, rule, block=16)
    monkeypatch.setattr("noisytheory.topics.online.descent.SMALLEST", 1.0)
    often = descend(tape, y, scheme, ExponentialLoss(), law, rule, block=16)
    assert plain.expansion.scale < 1 == often.expansion.scale
    np.testing.assert_allclose(often.expansion.predict(x), plain.expansion.predict(x), rtol=1e-9)
    np.testing.assert_allclose(scores_over_time(often, x), scores_over_time(plain, x), rtol=1e-9,
                               atol=1e-12)
    for degree, weights in often.averaged().items():
        np.testing.assert_allclose(weights, plain.averaged()[degree], rtol=1e-9)


def test_second_moments_of_degrees_too_rare_for_a_number():
    """Geometric series: with probabilities below 1e-308 of the degrees above 307."""
    law, ones = Geometric(10.0), np.ones(400)
    assert law.pmf(400)[-1] == law.tails(400)[-1] == 0.0
    for m in (0.0, 0.01, 0.2):
        q = 10 * m
        found = float(estimators.second_moment(ones, law, m))
        assert found == pytest.approx(10 / 9 * (1 - q**400) / (1 - q), rel=1e-11)
        found = estimators.second_moment_coupled(ones, law, m, 0.0)
        assert found == pytest.approx((1 - q**400) / (1 - q), rel=1e-11)


def test_scales_far_below_the_smallest_number():
    """Projections of every round: the averages and scores are those of plain vectors."""
    rng, T, Bw = np.random.default_rng(0), 1500, 1e-6
    x = rng.choice([-1.0, 1.0], (T, 1)) * np.ones(2)
    y, noisy = x[:, 0], x[:, None] + 0.3 * rng.normal(size=(T, 2, 2))
    scheme, law = fixed(LinearProduct()), Fixed(1)
    tape = draw_tape(T, scheme, law, RecordedCopies(noisy), rng=rng)
    rule, loss = Rule(Bw, 1.0, T=T, coupled=True), SquaredLoss(1.0)
    run = descend(tape, y, scheme, loss, law, rule)
    w = np.zeros((T + 1, 2))
    maps, inner = tape.maps.vectors, tape.inner.vectors
    for t in range(T):
        w[t + 1] = w[t] - y[t] * loss.slope(y[t] * (w[t] @ inner[t])) / math.sqrt(T) * maps[t]
        w[t + 1] *= math.sqrt(min(1.0, Bw / (w[t + 1] @ w[t + 1])))
    assert run.bases[-1] < 4 * math.log(1e-100)
    np.testing.assert_allclose(scores_over_time(run, x), (w[:-1] * x).sum(axis=1), rtol=1e-9)
    for found, true in ((None, w[-1]), (run.averaged(), w[:-1].mean(axis=0))):
        np.testing.assert_allclose(run.expansion.predict(x[:9], found), x[:9] @ true, rtol=1e-9)


def test_the_coupled_inner_product_is_that_of_its_tensors():
    rng = np.random.default_rng(3)
    scheme = Scheme(ExponentialProduct(), Geometric(2.0), coupled=True)
    expansion = Expansion(scheme, 2)
    factors = scheme.factors(6)

    def tensor(vectors, weight):
        parts, now = [np.array([factors[0]])], np.ones(1)
        for j, v in enumerate(vectors):
            now = np.kron(now, v)
            parts.append(factors[j + 1] * now)
        return [weight * part for part in parts]

    stored = [(n, rng.normal(), rng.normal(size=(n, 2))) for n in (0, 1, 3, 3, 4)]
    for t, (n, weight, vectors) in enumerate(stored):
        expansion.append(n, np.array([weight]), vectors[None], np.zeros(1), np.array([t]))
    query = rng.normal(size=(3, 2))
    expected = sum(
        float(a @ b)
        for n, weight, vectors in stored
        for a, b in zip(tensor(vectors, weight), tensor(query, 0.7), strict=False)
    )
    asked = Stack([query[None]])
    assert 0.7 * expansion.inner(asked)[0] == pytest.approx(expected, rel=1e-12)
    own = sum(float(a @ a) for a in tensor(query, 0.7))
    found = expansion.products(asked, asked)
    assert 0.49 * found[0, 0] == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize("kernel, clip", [
    (LinearProduct(), math.inf), (ExponentialProduct(), 2.0), (GaussianProduct(2.0), math.inf),
], ids=str)
def test_replicates_have_the_moments_of_single_runs(kernel, clip):
    """Means over runs of the loss, by both forms, within six standard errors."""
    examples, T = hard_labels(40, 0.35, 8, x=0.8), 40
    noise, rule = InstanceNoise("rademacher", 0.2), Rule(1.0, 0.5, T=40, clip=clip)
    many = replicate(examples, kernel, ExponentialLoss(), noise, rule, p=2.0, size=4000,
                     rng=np.random.default_rng(1))
    rng, losses, queries = np.random.default_rng(2), [], []
    scheme, law = Scheme(kernel, Geometric(2.0)), Geometric(2.0)
    for _ in range(300):
        oracle = NoisyOracle(examples.x, noise)
        tape = draw_tape(T, scheme, law, oracle, rng=rng)
        run = descend(tape, examples.y, scheme, ExponentialLoss(), law, rule)
        losses.append(ExponentialLoss().value(examples.y, scores_over_time(run, examples.x)).sum())
        queries.append(oracle.calls.sum())
    spread = math.hypot(np.std(losses) / 300**0.5, many.losses.std() / 4000**0.5)
    assert abs(np.mean(losses) - many.losses.mean()) < 6 * spread
    spread = math.hypot(np.std(queries) / 300**0.5, many.queries.std() / 4000**0.5)
    assert abs(np.mean(queries) - many.queries.mean()) < 6 * spread


@pytest.mark.parametrize("kernel, d", [(InhomogeneousProduct(2), 2), (HomogeneousProduct(3), 2),
                                       (LinearProduct(), 4)], ids=str)
def test_replicates_in_many_dimensions_have_the_moments_of_single_runs(kernel, d):
    sequence = xor(30, 0.7, 3)
    examples = sequence if d == 2 else Examples("four", np.tile(sequence.x, 2), sequence.y)
    noise, rule, loss = InstanceNoise("gaussian", 0.2), Rule(1.0, 0.5, T=30), SquaredLoss(1.0)
    many = replicate(examples, kernel, loss, noise, rule, p=2.0, size=3000,
                     rng=np.random.default_rng(1))
    rng, losses = np.random.default_rng(2), []
    scheme, law = Scheme(kernel, Geometric(2.0)), Geometric(2.0)
    for _ in range(300):
        tape = draw_tape(30, scheme, law, NoisyOracle(examples.x, noise), rng=rng)
        run = descend(tape, examples.y, scheme, loss, law, rule)
        losses.append(loss.value(examples.y, scores_over_time(run, examples.x)).sum())
    spread = math.hypot(np.std(losses) / 300**0.5, many.losses.std() / 3000**0.5)
    assert abs(np.mean(losses) - many.losses.mean()) < 6 * spread
    assert many.norms.max() <= 1 + 1e-12
    np.testing.assert_allclose(many.sums[0], examples.y @ examples.x)


def test_replicates_want_finitely_many_coordinates():
    with pytest.raises(ValueError, match="finite degree"):
        replicate(xor(5), ExponentialProduct(), AffineLoss(), InstanceNoise("none", 0.0),
                  Rule(1.0, T=5), p=2.0, size=2, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="4096 coordinates"):
        replicate(xor(5), HomogeneousProduct(12), AffineLoss(), InstanceNoise("none", 0.0),
                  Rule(1.0, T=5), p=2.0, size=2, rng=np.random.default_rng(0))


@pytest.mark.parametrize("name, m, v, ratio", [
    ("theorem-1-regret", 4, 8, 0.8386), ("theorem-1-regret/noise", 4, 16, 0.8312),
    ("linear-loss-robust/regret", 8, 2, 0.9308),
])
def test_replicates_agree_with_the_exact_lattice(name, m, v, ratio):
    """At cells of the claims that take their evidence from the lattice."""
    claim = nt.claims[f"noisy-kernels/{name}"]
    at = claim.cell(1)
    regrets = claim.call(claim.simulate, at, size=4000, rng=np.random.default_rng(1))
    exact = adversaries.expected_regret(at["population"].examples.y, m, v)
    assert exact / (v * m) == pytest.approx(ratio, abs=5e-5)
    assert abs(regrets.mean() - exact) < 6 * regrets.std() / 4000**0.5
    law = claim.call(claim.exact, at)
    assert law.mean() == pytest.approx(exact, rel=1e-12)
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("p, T, ratio", [
    (2.0, 9, 0.9943), (2.0, 10, 1.0306), (2.0, 20, 1.2856), (2.0, 512, 1.698), (3.0, 8, 1.0029),
    (1.5, 16, 1.0269), (1.5, 15, 1.0046),
])
def test_the_best_adaptive_adversary(p, T, ratio):
    found = adversaries.adaptive_value(p, T) / math.sqrt(p**3 / (p - 1) ** 2 * T)
    assert found == pytest.approx(ratio, abs=5e-4 if T > 100 else 5e-5)


def test_where_steps_lead():
    """Where each of the steps of 0.4 leads, by hand."""
    w, up, down = adversaries.reached(0.4)
    assert w == pytest.approx([-1, -0.8, -0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1])
    assert w[up] == pytest.approx([-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1, 1, 1])
    assert down.tolist() == (len(w) - 1 - up)[::-1].tolist()
    assert adversaries.reached(3.0)[0].tolist() == [-1, 0, 1]


def test_the_programme_is_the_best_of_all_strategies():
    """A strategy is searched by brute force, with steps that leave the lattice at an edge."""
    T, v, step = 7, 8.0, 0.75

    def best(t, w, total):
        if t == T:
            return abs(total)
        options = []
        for y in (1, -1):
            moved = max(-1, min(1, w + y * step))
            options.append(-y * w + (1 - 1 / v) * best(t + 1, w, total + y)
                           + 1 / v * best(t + 1, moved, total + y))
        return max(options)

    found = adversaries.adaptive_value(2.0, T, eta=step * math.sqrt(T) / v)
    assert found == pytest.approx(best(0, 0, 0), rel=1e-12)


def test_exact_gradients_leave_an_adversary_nothing_to_adapt_to():
    """Then the bound holds whatever he does, and alternating labels with a run attain it."""
    for T in (9, 30, 100):
        found = adversaries.adaptive_value(None, T) / math.sqrt(T)
        assert found <= 1 + 1e-12
        assert (found == pytest.approx(1, rel=1e-12)) == (math.isqrt(T) ** 2 == T)


def test_the_hardest_labels_are_the_best_of_all():
    def regret(y, eta):
        w = loss = 0.0
        for t, label in enumerate(y, 1):
            loss -= label * w
            w = max(-1.0, min(1.0, w + label * eta / math.sqrt(t)))
        return loss + abs(sum(y))

    for eta in (0.3, 1.0, 4.0):
        best = max(regret(y, eta) for y in itertools.product((1, -1), repeat=10))
        assert regret(adversaries.hardest_labels(10, eta), eta) == pytest.approx(best, rel=1e-9)
    # Over the bound at T = 100, with instances of length 1 and with shorter ones.
    for shorter, ratio in ((False, 0.78274), (True, 0.8144)):
        found = regret(adversaries.hardest_labels(100, 1.0, shorter=shorter), 1.0)
        assert found / 30 == pytest.approx(ratio, abs=5e-5)


def test_two_copies_and_one():
    examples = constant(300, 2.0)
    loss, noise, rng = SquaredLoss(0.0, "regression"), InstanceNoise("rademacher", 3.0), np.random
    G = 2 * (math.sqrt(4.0) + 2.0) * 2.0
    rule = Rule(1.0, 1 / G, T=300)
    comparator = 300 * 1.0
    ratios = {}
    for copies in (1, 2):
        runs = few_copies(examples, loss, noise, rule, copies=copies, size=4000,
                          rng=rng.default_rng(copies))
        ratios[copies] = (runs.losses.mean() - comparator) / (G * math.sqrt(300))
    assert ratios[2] == pytest.approx(0.475, abs=0.01)
    assert ratios[1] == pytest.approx(1.561, abs=0.02)


def test_the_best_of_full_rank_against_closed_forms():
    """Linear loss; squared loss by the kernel's eigenvectors and bisection on the multiplier."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(80, 6)), rng.choice([-1.0, 1.0], 80)
    gram = GaussianProduct(9.0).gram(x, x)
    linear = best_in_ball(gram, y, AffineLoss(-3.0), 2.0)
    assert linear.value == pytest.approx(-3 * math.sqrt(2.0 * y @ gram @ y), rel=1e-9)
    values, vectors = np.linalg.eigh(gram)
    along = vectors.T @ y
    for Bw in (0.5, 20.0):
        low, high = 0.0, 1e4
        for _ in range(200):
            ridge = (low + high) / 2
            outside = np.sum(values * (along / (values + ridge)) ** 2) > Bw
            low, high = (ridge, high) if outside else (low, ridge)
        least = float(np.sum((ridge / (values + ridge) * along) ** 2))
        found = best_in_ball(gram, y, SquaredLoss(0.0, "regression"), Bw)
        assert found.value == pytest.approx(least, rel=1e-8)
        assert -1e-9 < found.value - least <= found.gap + 1e-9


def test_the_search_takes_no_more_steps_with_more_rounds():
    """Products with the matrix, the one part that costs more than T."""
    rng, steps = np.random.default_rng(0), []
    for T in (100, 800):
        x = rng.normal(size=(T, 10)) / 10**0.5
        y = np.where(x[:, 0] * x[:, 1] > 0, 1.0, -1.0)
        gram, count = ExponentialProduct().gram(x, x), itertools.count()
        found = comparator._best(lambda v, g=gram, n=count: g @ (v + 0 * next(n)), y,
                                 SquaredLoss(1.0), 10.0)
        assert found.gap < 1e-7 * found.value
        steps.append(next(count))
    assert steps[1] < 1.5 * steps[0]


def test_comparator_against_closed_forms():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(60, 3)), rng.choice([-1.0, 1.0], 60)
    gram = x @ x.T
    linear = best_in_ball(gram, y, AffineLoss(), 2.0)
    assert linear.value == pytest.approx(-math.sqrt(2.0 * y @ gram @ y), rel=1e-8)
    # Inside the ball the squared loss is ordinary least squares.
    squared = best_in_ball(gram, y, SquaredLoss(0.0, "regression"), 100.0)
    least = np.linalg.lstsq(x, y, rcond=None)[1][0]
    assert squared.value == pytest.approx(least, rel=1e-8) and squared.gap < 1e-6
    sequence = xor(120)
    found = best_in_ball(ExponentialProduct().gram(sequence.x, sequence.x), sequence.y,
                         SmoothedHinge(0.5), 1.0)
    assert found.gap < 1e-7 * found.value


@pytest.mark.parametrize(
    "kernel, rank", [(InhomogeneousProduct(2), 6), (GaussianProduct(1.0), 200)],
    ids=["few coordinates", "as many as instances"],
)
def test_the_comparator_needs_no_gram_matrix(kernel, rank):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(200, 2 if rank < 200 else 12))
    y = rng.choice([-1.0, 1.0], 200)
    loss, gram = SmoothedHinge(0.5), kernel.gram(x, x)
    features = comparator._coordinates(x, kernel)
    assert (features is None) == (rank == 200)
    if features is not None:
        assert features.shape == (200, rank)
        np.testing.assert_allclose(features @ features.T, gram, atol=1e-10 * gram.max())
    regret, gap = online.regret_of(np.zeros(200), x, y, kernel, loss, 3.0)
    best = best_in_ball(gram, y, loss, 3.0)
    assert regret == pytest.approx(200 * float(loss.at(0.0)) - best.value, rel=1e-7)
    assert gap < 1e-6
    with pytest.raises(ValueError, match=r"a row for each .* got shape \(200, "):
        online.regret_of(np.zeros(9), x, y[:9], kernel, loss, 3.0)


ATOMS = np.array([-1.0, 0.25, 1.5])
CHANCES = np.array([0.3, 0.5, 0.2])


def test_small_tails_of_a_finite_law_are_not_lost():
    law = estimators.importance_law(ExponentialLoss(1).coefficients(60), 1.25)
    assert np.all(law.tails(60) >= law.pmf(60)) and law.tails(60)[-1] == law.pmf(60)[-1] > 0
    assert law.tails(61)[-1] == 0


def test_a_variable_that_is_0_needs_no_sample():
    assert estimators.importance_law([3.0, 1.0, 2.0], 0.0).pmf(3) == pytest.approx([1, 0, 0])
    # Nor does any degree matter where f(0) is 0.
    assert estimators.importance_law([0.0, 1.0, 2.0], 0.0).pmf(3) == pytest.approx([0, 0.5, 0.5])


def test_estimators_by_enumeration():
    """All outcomes of a finite degree law and of three atoms: mean and second moments exact."""
    gamma = np.array([0.5, -1.0, 0.75, 2.0])
    law = Finite((0.4, 0.3, 0.2, 0.1))
    mean, square = ATOMS @ CHANCES, ATOMS**2 @ CHANCES
    first = second = coupled_first = coupled_second = 0.0
    tails = law.tails(4)
    for n in range(4):
        for which in itertools.product(range(3), repeat=n):
            chance = law.pmf(4)[n] * np.prod(CHANCES[list(which)])
            samples = ATOMS[list(which)]
            single = estimators.theta(gamma[n], law.pmf(4)[n], samples)
            products = np.cumprod(np.concatenate([[1.0], samples]))
            whole = np.sum(gamma[: n + 1] / tails[: n + 1] * products)
            first, second = first + chance * single, second + chance * single**2
            coupled_first += chance * whole
            coupled_second += chance * whole**2
    f = np.polyval(gamma[::-1], mean)
    assert first == pytest.approx(f) and coupled_first == pytest.approx(f)
    assert second == pytest.approx(estimators.second_moment(gamma, law, square))
    assert coupled_second == pytest.approx(
        estimators.second_moment_coupled(gamma, law, square, mean)
    )


def test_samplers_have_the_enumerated_mean():
    def sample(count, rng):
        return rng.choice(ATOMS, count, p=CHANCES)

    gamma, mean = np.array([0.5, -1.0, 0.75, 2.0]), float(ATOMS @ CHANCES)
    law = Finite((0.4, 0.3, 0.2, 0.1))
    for draw in (estimators.estimate, estimators.coupled_estimate):
        found = draw(gamma, law, sample, size=200_000, rng=np.random.default_rng(8))
        error = found.values.std() / 200_000**0.5
        assert abs(found.values.mean() - np.polyval(gamma[::-1], mean)) < 6 * error
    found = estimators.debiased(np.cos, sample, size=100_000, rng=np.random.default_rng(9))
    assert abs(found.values.mean() - math.cos(mean)) < 6 * found.values.std() / 100_000**0.5


def test_symmetric_products_are_the_mean_over_all_choices():
    x = np.array([0.3, -1.2, 2.0, 0.7])
    for n in range(5):
        choices = [np.prod(x[list(c)]) for c in itertools.combinations(range(4), n)]
        assert copied_kernels.mean_product(x)[n] == pytest.approx(np.mean(choices))


def test_kernel_values_are_means_over_all_pairings():
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    for n in (1, 2):
        pairings = [
            math.prod(float(x[i] @ z[j]) for i, j in zip(first, second, strict=True))
            for first in itertools.permutations(range(4), n)
            for second in itertools.permutations(range(5), n)
        ]
        found = copied_kernels.kernel_value(HomogeneousProduct(n), x, z)
        assert found == pytest.approx(np.mean(pairings), rel=1e-12)
        chains = [
            math.prod(float(z[c[2 * i]] @ z[c[2 * i + 1]]) for i in range(n))
            for c in itertools.permutations(range(5), 2 * n)
        ]
        gram = copied_kernels.gram_matrix(HomogeneousProduct(n), np.stack([x, z[:4]]))
        assert gram[0, 1] == pytest.approx(
            copied_kernels.kernel_value(HomogeneousProduct(n), x, z[:4]), rel=1e-12)
        own = copied_kernels.gram_matrix(HomogeneousProduct(n), z[None])
        assert own[0, 0] == pytest.approx(np.mean(chains), rel=1e-12)
    cubic = copied_kernels.kernel_value(HomogeneousProduct(3), x[:3], z[:3])
    assert cubic == pytest.approx(math.prod(float(a @ b) for a, b in zip(x, z[:3], strict=False)))


@pytest.mark.parametrize("degree", [1, 2])
def test_gram_matrices_of_few_copies_are_unbiased(degree):
    """Over all signs of the noise of every copy."""
    x, kernel = np.array([[1.0], [0.5]]), InhomogeneousProduct(degree)
    signs = list(itertools.product((-1.0, 1.0), repeat=2 * degree))
    total = np.zeros((2, 2))
    for both in itertools.product(signs, repeat=2):
        total += copied_kernels.gram_matrix(kernel, np.array(both)[..., None] + x[:, None])
    np.testing.assert_allclose(total / len(signs) ** 2, kernel.gram(x, x), rtol=1e-12)


def test_numbers_of_the_catalogue():
    exponential = ExponentialLoss(1).coefficients(80)
    exact = [float(estimators.second_moment(exponential, Geometric(p), 1.0))
             for p in (1.05, 1.2, 1.5, 2.0, 3.0, 5.0)]
    np.testing.assert_allclose(exact, [49.6, 15.7, 9.50, 8.51, 10.7, 21.3], rtol=5e-3)
    # u of the exponential kernel is smallest where p(p - 1) = 2 / Bx.
    root = (1 + math.sqrt(1 + 8 / 0.5)) / 2
    found = planning.best_p(1.0, 0.5, ExponentialProduct(), AffineLoss())
    assert found == pytest.approx(root, rel=1e-5)
    # At p = 2 and Bw = 1, Bx = 2 the exponential loss is vacuous up to about 3200 rounds.
    first = prospects.first_useful_round(2.0, 1.0, 2.0, 2.0, LinearProduct(), ExponentialLoss())
    assert 3000 < first < 3400


EVERY_KERNEL = [
    LinearProduct(), InhomogeneousProduct(1), InhomogeneousProduct(3), ExponentialProduct(),
    GaussianProduct(1.0),
]
EVERY_LOSS = [
    SquaredLoss(1.0), AffineLoss(), ExponentialLoss(), SmoothedHinge(0.5), SmoothedAbsolute(0.5),
]


@pytest.mark.parametrize("kernel", EVERY_KERNEL, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("loss", EVERY_LOSS, ids=lambda loss: loss.name)
def test_the_best_p_of_every_kernel_and_loss(kernel, loss):
    """Second moments overflow at some p for most pairs, and for two of them at every p."""
    def bound(p):
        return sum(math.log(found) for found in planning.second_moments(p, 1, 1, kernel, loss, 0))

    others = [bound(p) for p in np.geomspace(1e-3, 100, 60) + 1]
    if not math.isfinite(min(others)):
        assert isinstance(kernel, GaussianProduct) and loss.name.startswith("smoothed")
        with pytest.raises(ValueError, match=r"^Bx and Bw must .* Bx = 1 and Bw = 1"):
            planning.best_p(1, 1, kernel, loss, 0)
        assert 1 < planning.best_p(1, 0.5, kernel, loss, 0) < 2
        return
    found = planning.best_p(1, 1, kernel, loss, 0)
    # Where the bound is flat its rounding is more than the difference.
    assert bound(found) <= min(*others, bound(found - 1e-3), bound(found + 1e-3)) + 1e-9


@pytest.mark.parametrize("loss", [AffineLoss(), SquaredLoss(1.0), SquaredLoss(0.0, "regression")],
                         ids=lambda loss: loss.name)
@pytest.mark.parametrize("p, Bx, sigma2", [(2.0, 1.0, 1.0), (1.5, 0.3, 2.0), (3.0, 0.5, 0.7)])
def test_bounds_of_the_gaussian_kernel_count_its_envelope(loss, p, Bx, sigma2):
    """Against the exact second moment, which is below them, and Theorem 2's by hand."""
    kernel = GaussianProduct(sigma2)
    By = 0.5 if loss.form == "regression" else 0.0
    u = 2.0 * (p / (p - 1)) ** 3 * math.exp(2 * (math.sqrt(p) + p) * Bx / sigma2)
    maps = (p - 1) / p * u / 2.0
    found = online.map_second_moment(p, Bx, kernel)
    assert found == pytest.approx(maps, rel=1e-12)
    # The Bessel function of the exact one is at most the exponential at the same place.
    exact = planning.gaussian_map_moment(p, Bx, Bx**2, sigma2)
    at = 2 * math.sqrt(p) * Bx / sigma2
    assert exact == pytest.approx(found * float(mpmath.besseli(0, at) * mpmath.exp(-at)), rel=1e-12)
    assert exact < found
    assert online.squared_radius(p, 2.0, Bx, kernel) == pytest.approx(u, rel=1e-12)
    Bpsi, Bg = planning.second_moments(p, 2.0, Bx, kernel, loss, By)
    assert Bpsi == pytest.approx(maps, rel=1e-12)
    regret = online.regret(100, p, 2.0, Bx, kernel, loss, By)
    assert regret == pytest.approx(math.sqrt(2.0 * Bg * Bpsi * 100), rel=1e-12)
    assert regret == pytest.approx(
        online.regret_gaussian(100, p, 2.0, Bx, sigma2, loss, By), rel=1e-12)
    assert online.step(p, 2.0, Bx, kernel, loss, By) == pytest.approx(
        math.sqrt(2.0 / (Bg * Bpsi)), rel=1e-12)


def test_moments_too_large_for_a_number_are_infinite():
    kernel, loss = ExponentialProduct(), ExponentialLoss()
    Bpsi, Bg = planning.second_moments(2, 10, 5, kernel, loss, coupled=True)
    assert Bpsi == pytest.approx(math.exp(10), rel=1e-12) and Bg == math.inf
    for wide in (GaussianProduct(1.0), kernel):
        assert online.map_second_moment(2, 1000, wide) == math.inf
        with pytest.raises(ValueError, match=r"^Bx must be smaller, got 1000: the second moment"):
            online.regret(10, 2, 1, 1000, wide, loss)
        assert planning.second_moments(2, 1, 1000, wide, loss) == (math.inf, math.inf)
    assert planning.second_moments(None, 1, 10**40, InhomogeneousProduct(9), AffineLoss()) == (
        math.inf, math.inf)
    assert planning.gaussian_map_moment(2.0, 1000.0, 1.0, 1.0) == math.inf
    with pytest.raises(ValueError, match="Bw must be smaller"):
        planning.importance_laws(100.0, 5.0, kernel, loss)
    with pytest.raises(ValueError, match="Bx must be smaller"):
        planning.importance_laws(1.0, 5.0, GaussianProduct(0.01), loss)


def test_recorded_copies_are_used_once_each():
    source = RecordedCopies(np.arange(6.0).reshape(2, 3, 1))
    tape = draw_tape(2, fixed(LinearProduct()), Fixed(1), source, rng=np.random.default_rng(0),
                     available=3)
    assert tape.queries.tolist() == [2, 2] and source.calls.tolist() == [2, 2]
    assert tape.maps.vectors.ravel().tolist() == [0.0, 3.0]
    assert tape.inner.vectors.ravel().tolist() == [1.0, 4.0]


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("kernel", [LinearProduct(), InhomogeneousProduct(1)])
def test_skipping_leaves_out_the_terms_that_need_more_copies(kernel, k):
    """By degree of the direction, at a predictor with the coordinates a and b, where x = y = 1."""
    p, a, b, rounds = 2.0, 0.25, 0.5, 100_000
    law, loss = Geometric(p), SquaredLoss(1.0)
    scheme = Scheme(kernel, law)
    source = NoisyOracle(np.ones((rounds, 1)), InstanceNoise("none", 0.0))
    tape = draw_tape(rounds, scheme, law, source, rng=np.random.default_rng(k), available=k,
                     cap="skip")
    w = np.array([a, b, 0.0])
    inner = tape.inner.weights * w[np.minimum(tape.inner.degrees, 2)]
    gamma = loss.coefficients(40) / law.pmf(40)
    slopes = np.array([
        0.0 if skip else gamma[c] * inner[start : start + c].prod()
        for skip, c, start in zip(tape.skipped, tape.degrees, tape.first[:-1], strict=True)
    ])
    linear = isinstance(kernel, LinearProduct)
    for m in (0, 1):
        # -2 is there from m copies on, 2 a from m and 2 b from m + 1.
        kept = 0.0 if linear and m == 0 else (
            -2 * (m <= k) + 2 * a * (m <= k) * (not linear) + 2 * b * (m + 1 <= k))
        made = slopes * tape.maps.weights * (tape.maps.degrees == m)
        assert abs(made.mean() - kept) <= 6 * made.std() / math.sqrt(rounds)


def test_skipping_keeps_a_share_of_coupled_terms():
    """With one copy and the linear kernel -2 is kept by the chance of a map of degree 1 and no
    inner copies; what its inner products would take is never there.
    """
    rounds, law, kernel = 100_000, Geometric(2.0), LinearProduct()
    scheme, source = Scheme(kernel, law, coupled=True), NoisyOracle(
        np.ones((rounds, 1)), InstanceNoise("none", 0.0))
    tape = draw_tape(rounds, scheme, law, source, rng=np.random.default_rng(0), available=1,
                     cap="skip")
    # Of a map that has degree 1 at least it is 1 with chance 1/2; c inner ones are all of degree 0
    # with chance 2^-c, and c with chance 2^-(c+1).
    kept = 0.5 / 2 / (1 - 0.25)
    made = np.where(tape.skipped | (tape.maps.degrees < 1), 0.0, scheme.factors(2)[1])
    assert abs(made.mean() - kept) <= 6 * made.std() / math.sqrt(rounds)


def test_clipping_and_the_adaptive_step():
    examples = alternating(25)
    tape = draw_tape(25, fixed(LinearProduct()), Fixed(0),
                     NoisyOracle(examples.x, InstanceNoise("none", 0.0)),
                     rng=np.random.default_rng(0))
    short = descend(tape, examples.y, fixed(LinearProduct()), AffineLoss(), Fixed(0),
                    Rule(1.0, 1.0, T=25, clip=0.5))
    assert short.squares == pytest.approx(25 * 0.25)
    silent = InstanceNoise("none", 0.0)
    for clip in (0.5, math.inf):
        runs = few_copies(examples, AffineLoss(), silent, Rule(1.0, 1.0, T=25, clip=clip), copies=1,
                          size=1, rng=np.random.default_rng(0))
        run = descend(tape, examples.y, fixed(LinearProduct()), AffineLoss(), Fixed(0),
                      Rule(1.0, 1.0, T=25, clip=clip))
        scores = scores_over_time(run, examples.x)
        assert runs.losses[0] == pytest.approx(-(examples.y @ scores), rel=1e-12)
    free = descend(tape, examples.y, fixed(LinearProduct()), AffineLoss(), Fixed(0),
                   Rule(1.0, adaptive=True))
    assert free.squares == 25 and max(free.norms) <= 1 + 1e-12
    assert isinstance(free, Descent)
