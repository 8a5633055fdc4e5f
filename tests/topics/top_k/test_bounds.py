"""The bounds worked by hand, by what they must add up to, and by each other."""

from __future__ import annotations

import inspect
import itertools
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics import top_k
from noisytheory.topics.top_k import rare_loss

E = np.e
BALL = dict(C=2.0, kappa=0.5, norm=3.0)  # C_kappaH = (2 * 2 + 4 * 3) / 2 = 8
EPSILON = dict(n=144**2, delta=2 * E**-4, mu=0.25, approximation=0.125)  # 9 * 4 * 2 / 144 = 1/2


@pytest.mark.parametrize(("bound", "given", "value"), [
    (top_k.outlier_shift, dict(shift=3.0, k=4), 0.75),
    (top_k.c_kappa, BALL, 8),
    (top_k.c_kappa, dict(C=8.0, kappa=0.5, norm=3.0), (8 + 12) / 2),
    (top_k.radius, dict(nu=0.25, C=2.0, mu=0.25, norm=3.0), 16 * 4),
    (top_k.radius, dict(nu=1.0, C=8.0, mu=0.5, norm=0.0), 8 * 2),
    # 1 + 1/3 + 1/4; the least of two is 1/2 in the mean, the other 3/2.
    (top_k.expected_top_k_exponential, dict(n=4, k=2), 19 / 12),
    (top_k.expected_top_k_exponential, dict(n=2, k=1), 3 / 2),
    (top_k.cvar_exponential, dict(nu=E**-2), 3),
    # 5 * 4 / 20; 4 / 100, and 3 times 4.
    (top_k.brown_upper, dict(n=100, delta=3 * E**-4, nu=0.2, bound=3.0), 3),
    (top_k.brown_lower, dict(n=50, delta=E**-4, nu=0.25, bound=3.0), 12 / 5),
    # 10 + 3 + 3 * 2, over 10/4.
    (top_k.uniform_cvar, dict(n=100, delta=E**-8, nu=0.25, radius=5.0, bound=3.0), 38 / 5),
    # Steps of 1, 2, 1 and 2 up to 6; i/4 - 1/8 - 1/4: none, 1/8, 3/8 and 5/8 of them.
    (top_k.thomas_upper, dict(losses=[3, 1, 0, 4], delta=E**-0.125, nu=0.75, bound=6.0),
     6 - (2 + 3 + 10) / 8 / 0.75),
    (top_k.sgd_gap, dict(start=3.0, squares=5.0, total=2.0), 2),
    # 6/10 + 4 * 2/10; 2 * 4 / 50 is 4/25; 16/4 over 2 * 2^2 and 2 * 4^2.
    (top_k.uniform_hinge, dict(n=100, delta=E**-8, radius=3.0), 7 / 5),
    (top_k.hoeffding, dict(n=50, delta=E**-4, half_range=3.0), 6 / 5),
    (top_k.exceedance, dict(n=16, mu=0.5, kappa_norm=1.0), E**-0.5),
    (top_k.exceedance, dict(n=16, mu=0.5, kappa_norm=3.0), E**-0.125),
    # min(1/8, 1/32) and min(1/8, 1/4), over 1/2.
    (top_k.margin_floor_printed, dict(nu=0.5, C=4.0, mu=0.5, norm=2.0), 1 / 16),
    (top_k.margin_floor_printed, dict(nu=0.5, C=32.0, mu=0.5, norm=2.0), 1 / 4),
    # (2/64) / (1/16), with C four times as much 2.
    (top_k.margin_floor, dict(nu=0.25, C=2.0, advantage=0.125, norm=0.5), 1 / 2),
    (top_k.margin_floor, dict(nu=0.25, C=8.0, advantage=0.125, norm=0.5), 1),
    # max(4, 8) and max(16, 8).
    (top_k.norm_margin_printed, dict(nu=0.5, C=2.0, mu=0.25, norm=1.0), 8),
    (top_k.norm_margin_printed, dict(nu=0.5, C=32.0, mu=0.25, norm=1.0), 16),
    # 1/2 * 3 / (1/4) above 3/2 + sqrt(9/4 + 1/4); then 3/2 + sqrt(9/4 + 40).
    (top_k.norm_margin, dict(nu=0.5, C=1.0, advantage=0.25, norm=3.0), 6),
    (top_k.norm_margin, dict(nu=0.5, C=160.0, advantage=0.25, norm=3.0), 8),
    (top_k.training_risk, dict(nu=0.5, C=2.0, norm=1.0, margin=4.0), 3 / 8),
    # Norm over margin 3: r' = 4, j = 3; at 4 the same, at 5 it is 8 and 4, at 1/2 they are 1 and 1.
    *((top_k.data_margin,
       dict(n=100, delta=j**2 * np.pi**2 / 6 * E**-8, nu=1.0, C=9.0, kappa=0.5, norm=ratio / 4,
            margin=0.25), 1 - ratio**2 / 36 + ball / 10 + (1 + ball / 2) / 5)
      for ratio, ball, j in ((3.0, 4, 3), (4.0, 4, 3), (5.0, 8, 4), (0.5, 1, 1))),
    # 9 / (144 * 1/2), 9 / (144 / 4), 16 / (144 / 4).
    (top_k.theorem_2_printed, {**EPSILON, **BALL}, 3 / 8 + 1 / 2 + 1 / 8),
    (top_k.theorem_2_root_mu, {**EPSILON, **BALL}, 3 / 8 + 1 / 2 + 1 / 4),
    (top_k.theorem_2_proved, {**EPSILON, **BALL}, 3 / 8 + 144**-2 + 1 / 2 + 4 / 9),
    # From 72^2 examples on epsilon is at most 1.
    *((bound, {**EPSILON, **BALL, "n": 72**2 - 60}, np.inf) for bound in (
        top_k.theorem_2_printed, top_k.theorem_2_root_mu, top_k.theorem_2_proved)),
    (top_k.theorem_2_root_mu, {**EPSILON, **BALL, "n": 73**2}, 3 / 8 + 72 / 73 + 36 / 73),
])
def test_by_hand(bound, given, value):
    assert bound(**given) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("C", "ball"), [(0.01, 4), (9.0, 4), (168.0, 9 / 2)])
def test_the_repaired_theorem_by_hand(C, ball):
    # nu = 1/2 of 1152 examples, kappa |f_H| = 1, so (16) fails with probability e^-9. Norm over
    # margin: 2 * 1/2 * 2 / (1/4) = 8, or 1 + sqrt(1 + 3/8 C), at C = 168 more: 9.
    given = dict(n=1152, mu=0.25, C=C, kappa=0.5, norm=2.0, approximation=0.125, risk=0.25)
    found = top_k.theorem_2_sharp(delta=E**-9 + E**-8, **given)
    assert found == pytest.approx(3 / 8 + (2 * ball + 2 * (1 + ball)) / np.sqrt(1152), rel=1e-9)
    assert top_k.theorem_2_sharp(delta=E**-9 * 0.99, **given) == np.inf


@pytest.mark.parametrize("bound", [
    top_k.theorem_2_printed, top_k.theorem_2_root_mu, top_k.theorem_2_proved,
    partial(top_k.theorem_2_sharp, risk=0.2), nt.claims["top-k/theorem-2-universal"].bound,
])
def test_a_norm_that_no_minimiser_of_the_hinge_risk_has_is_refused(bound):
    """As new-kappa-fh says: kappa |f_H| is at least 1; where it is 1 solved for, rounding is."""
    given = dict(n=10**8, delta=0.05, mu=0.2, C=0.01, approximation=0.0)
    read = inspect.signature(bound).parameters
    given = {name: value for name, value in given.items() if name in read}
    assert np.isfinite(bound(kappa=0.5, norm=np.array([2 - 1e-7, 3.0]), **given)).all()
    with pytest.raises(ValueError, match=r"norm must be at least 1 / kappa, .* kappa norm = 0\.75"):
        bound(kappa=0.5, norm=np.array([1.5, 2.0]), **given)


def test_the_repaired_theorem_counts_examples():
    """Two thirds and a bit of three is three; 0.2 + 0.1 is more than 0.3, but no more examples."""
    given = dict(delta=0.5, mu=0.1, C=1e-6, kappa=1.0, norm=1.0, approximation=0.0)
    for n, risk, counted in ((10**4, 0.2, 3000), (10**4, 0.2000005, 3001), (10**4, 0.19991, 3000)):
        # Norm over margin: nu over half of mu.
        ball = counted / n / 0.05
        apart = top_k.uniform_hinge(n, 0.5 - top_k.exceedance(n, 0.1, 1.0), ball)
        found = top_k.theorem_2_sharp(n=n, risk=risk, **given) + risk - apart
        assert found == pytest.approx(counted / n, abs=1e-7)


def test_what_a_longer_sample_and_a_longer_list_add_up_to():
    """Exponential losses: the mean of the largest of n, then its limit, the CVaR by an integral."""
    for n in (1, 2, 7):
        harmonic = sum(Fraction(1, j) for j in range(1, n + 1))
        assert top_k.expected_top_k_exponential(n, 1) == pytest.approx(float(harmonic), rel=1e-13)
        assert top_k.expected_top_k_exponential(n, n) == pytest.approx(1, rel=1e-13)
    for nu in (0.01, 0.35, 1.0):
        cvar = float(mpmath.quad(lambda u: -mpmath.log(u), [0, nu]) / nu)
        assert top_k.cvar_exponential(nu) == pytest.approx(cvar, rel=1e-12)
        many = top_k.expected_top_k_exponential(10**9, round(nu * 10**9))
        assert many == pytest.approx(cvar, rel=1e-7)


def test_the_ordered_limit_is_the_cvar_of_what_a_band_allows():
    """The least mass that the band takes from the smallest losses is at M."""
    rng = np.random.default_rng(0)
    for n, nu, width in itertools.product((1, 4, 9), (0.3, 0.7, 1.0), (0.05, 0.3, 0.6)):
        losses = np.sort(rng.uniform(0, 3, n))
        left = np.clip(np.arange(1, n + 1) / n - width, 0, 1 / n)
        law = np.append(left, 1 - left.sum())
        found = top_k.thomas_upper(rng.permutation(losses), np.exp(-2 * n * width**2), nu, 3.5)
        wanted = top_k.average_top_k(np.append(losses, 3.5), nu, sample_weight=law)
        assert found == pytest.approx(float(wanted), rel=1e-12)


def test_what_training_shows_spends_its_level_on_all_balls():
    """Levels read off the bound at balls of 1, 2, 4, ..., each 1/j^2 of their sum, are delta."""
    n, delta, kappa, balls = 400, 0.05, 0.7, 2.0 ** np.arange(1000)
    # The risk of all of them at margin 1 is a quarter.
    given = dict(nu=0.5, C=4 * balls, norm=1.0, margin=1 / balls)
    apart = top_k.data_margin(n, delta, kappa=kappa, **given) - top_k.training_risk(**given)
    apart = (apart - 2 * kappa * balls / np.sqrt(n)) / (1 + kappa * balls)
    levels = np.exp(-2 * n * apart**2)
    assert levels[0] / levels[9] == pytest.approx(100, rel=1e-9)
    # Beyond J the reciprocal squares sum to between 1/(J + 1) and 1/J.
    assert delta - levels[0] / 1000 < levels.sum() < delta - levels[0] / 1001


def test_bounds_that_others_are_made_of():
    """(16) is Lemma 6 with M half of 1 + kappa |f_H|; of all examples the CVaR is the mean."""
    for n, delta, kappa_norm in itertools.product((20, 999), (0.3, 1e-9), (1.0, 2.5)):
        gap = top_k.hoeffding(n, delta, (1 + kappa_norm) / 2)
        assert top_k.exceedance(n, 2 * gap, kappa_norm) == pytest.approx(delta, rel=1e-10)
        # A ball for one function more: the threshold, M / sqrt(n).
        ball = top_k.uniform_cvar(n, delta, 1.0, kappa_norm, 1 + kappa_norm)
        assert ball - top_k.uniform_hinge(n, delta, kappa_norm) == pytest.approx(
            (1 + kappa_norm) / np.sqrt(n), rel=1e-12)


def test_where_the_branches_meet():
    """Where g has no loss norm over margin is at most its norm, whatever C."""
    for C in (1e-3, 1.0, 1e3):
        assert top_k.norm_margin(0.4, C, 0.4, 1.7) == pytest.approx(1.7, rel=1e-12)
    # Where the floor is 1: C (nu - E)^2 = nu |g|^2, and both are sqrt(C nu).
    nu, more, norm = 0.4, 0.1, 3.0
    C = nu * norm**2 / more**2
    assert top_k.margin_floor(nu, C, more, norm) == pytest.approx(1, rel=1e-12)
    assert top_k.norm_margin(nu, C, more, norm) == pytest.approx(np.sqrt(C * nu), rel=1e-12)
    assert top_k.norm_margin(nu, C * 1.01, more, norm) > np.sqrt(C * nu)


def test_a_bound_of_norms_is_at_most_half_of_print():
    rng = np.random.default_rng(1)
    nu, share = rng.uniform(0.05, 1, (2, 500))
    C, norm = 10 ** rng.uniform(-3, 3, 500), 10 ** rng.uniform(-1, 1, 500)
    mu = share * nu
    ours = top_k.norm_margin(nu, C, mu / 2, norm)
    assert (ours <= top_k.norm_margin_printed(nu, C, mu, norm) / 2 * (1 + 1e-12)).all()
    root = np.maximum(np.sqrt(C * nu), 2 * nu * norm / mu)
    assert (ours <= root * (1 + 1e-12)).all() and (ours < 0.9 * root).any()


@pytest.mark.parametrize("n", [2, 4])
def test_the_rare_loss_law_by_all_samples(n):
    """Of K of n losses the CVaR is what a sample of one of each mass has; means are means."""
    eighths = np.repeat(rare_loss.VALUES, (rare_loss.MASSES * 8).astype(int))
    assert rare_loss.mean_of_law(n) == eighths.mean() == 7 / 8
    wanted = top_k.average_top_k(eighths, rare_loss.K / n)
    assert rare_loss.tail_of_law(n) == pytest.approx(float(wanted), rel=1e-12)


def test_the_first_useful_n_is_the_first_on_its_grid():
    """By halves: a bound of 100/n + mu says less than 1/2 from 200/(1 - 2 mu) on."""
    def bound(n, delta, mu, extra):
        return 100 / n + mu + extra

    given = dict(trivial=0.5, delta=0.05, extra=0.0)
    assert 1 <= top_k.first_useful_n(bound, mus=[0.25, 0.4], **given) / 400 <= 1.05
    # All of [.01, .79] are tried: the least where small ones serve, the largest where large do.
    assert 1 <= top_k.first_useful_n(bound, **given) / (100 / 0.49) <= 1.05
    falling = top_k.first_useful_n(lambda n, delta, mu: 100 / n + 0.79 - mu, trivial=0.5, delta=0.1)
    assert 1 <= falling / 200 <= 1.05
    # A twentieth apart, so that .3 is missed by .009 at most.
    narrow = top_k.first_useful_n(
        lambda n, delta, mu: 100 / n + 10 * abs(mu - 0.3), trivial=0.5, delta=0.1)
    assert 200 <= narrow <= 1.05 * 100 / 0.41
