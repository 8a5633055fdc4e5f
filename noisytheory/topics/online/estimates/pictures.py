"""Figures: second moments of estimates over p, and against what they cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.estimates import bounds, simulate
from noisytheory.topics.online.estimates.sides import Polynomials, summable
from noisytheory.topics.online.estimators import (
    debiased,
    debiased_samples,
    importance_law,
    second_moment,
    second_moment_coupled,
)
from noisytheory.topics.online.queries.bounds import expected_queries
from noisytheory.topics.online.regrets.bounds import squared_radius
from noisytheory.trial.kept import drawn_from
from noisytheory.vocabulary.analytic import ExponentialLoss
from noisytheory.vocabulary.dot_products import ExponentialProduct

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers

__all__ = ["fixed_samples", "u_shape", "variance_against_cost"]

SEED = 2026


def u_shape() -> tuple[Figure, list[list[str]]]:
    r"""The second moment of the estimate of $e^{\mathbb EX}$ over p, and its bound: it falls before
    it rises. $\mathbb EX^2=1$. Right, the squared radius u of Theorem 1 for the exponential kernel:
    the best p falls to 1 as instances grow.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    p = np.linspace(1.05, 5, 200)
    gamma = ExponentialLoss(1).coefficients(80)
    exact = np.array([float(second_moment(gamma, Geometric(q), 1.0)) for q in p])
    left.plot(p, exact, color="C0", label="second moment")
    left.plot(p, bounds.scalar_second_moment(p, 1.0, ExponentialLoss(1)), "--", color="C1",
              label="Lemma 1")
    left.plot(p[np.argmin(exact)], exact.min(), "o", color="C3")
    left.set(xlabel="p", ylabel="second moment [1]", yscale="log",
             title="It falls before it rises")
    left.legend(frameon=False)
    rows = [["Bx", "best p", "u at best p", "u at p = 2", "queries a round at best p"]]
    for i, Bx in enumerate((0.5, 1.0, 2.0, 4.0)):
        u = squared_radius(p, 1.0, Bx, ExponentialProduct())
        right.plot(p, u, color=f"C{i}", linestyle=["-", "--", "-.", ":"][i], label=f"Bx = {Bx:g}")
        best = (1 + math.sqrt(1 + 8 / Bx)) / 2
        at = float(squared_radius(best, 1.0, Bx, ExponentialProduct()))
        right.plot(best, at, "o", color=f"C{i}")
        rows.append([f"{Bx:g}", f"{best:.3f}", f"{at:.1f}",
                     f"{float(squared_radius(2.0, 1.0, Bx, ExponentialProduct())):.1f}",
                     f"{float(expected_queries(best)):.2f}"])
    right.set(xlabel="p", ylabel="squared radius u [RKHS norm squared]", yscale="log",
              title="The best p falls to 1")
    right.legend(frameon=False)
    figure.set_label(
        "Second moments over p: the curves fall and then rise; on the right, on a "
        "logarithmic axis, a dot marks where each is smallest."
    )
    return figure, rows


def debiased_draws() -> dict[str, Any]:
    """Second moment of the debiased estimate."""
    found = debiased(np.exp, lambda count, rng: 0.5 + rng.choice([-1.0, 1.0], count), size=200_000,
                     rng=np.random.default_rng(SEED))
    return {"moment": np.mean(found.values**2)}


@drawn_from(debiased_draws)
def variance_against_cost(found: Numbers) -> tuple[Figure, list[list[str]]]:
    r"""Variance against expected samples, of estimates of $e^{\mathbb EX}$ with
    $\mathbb EX=\frac12$, $\mathbb EX^2=\frac54$: geometric degrees over p, all degrees of the same
    samples (coupled), the best law of N for a price a sample, and the debiased estimate. All are
    unbiased, so that the second moment is larger by $e^{2\mathbb EX}=2.718$.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    gamma = ExponentialLoss(1).coefficients(60)
    p = np.geomspace(1.15, 6, 60)
    prices = np.geomspace(1e-3, 1e3, 40)
    families: dict[str, list[tuple[float, float]]] = {
        "geometric, one degree (print)": [
            (1 / (q - 1), float(second_moment(gamma, Geometric(q), 1.25))) for q in p
        ],
        "geometric, coupled": [
            (1 / (q - 1), second_moment_coupled(gamma, Geometric(q), 1.25, 0.5)) for q in p
        ],
        "best law of N": [
            (law.mean, float(second_moment(gamma, law, 1.25)))
            for law in (importance_law(gamma, 1.25, price=price) for price in prices)
        ],
    }
    families["debiased, simulated"] = [(debiased_samples(), float(found["moment"]))]
    rows = [["estimate", "expected samples", "least variance"]]
    for i, (name, points) in enumerate(families.items()):
        cost, moment = np.transpose(points)
        variance = moment - math.e
        axes.plot(cost, variance, ("-", "--", "-.", "s")[i], color=f"C{i}", label=name)
        best = int(np.argmin(variance))
        rows.append([name, f"{cost[best]:.2f}", f"{variance[best]:.3g}"])
    axes.set(xlabel="expected samples", ylabel="variance [1]", yscale="log", xscale="log",
             title="What an unbiased estimate costs", ylim=(2, 60))
    axes.legend(frameon=False)
    figure.set_label(
        "Variance of four unbiased estimates against their expected number of samples: lower and "
        "further left is better."
    )
    return figure, rows


def fixed_samples() -> tuple[Figure, list[list[str]]]:
    r"""Left, the smallest worst bias over [0, 1] of an estimate of $f(q)$ from n Bernoulli(q)
    samples, a polynomial of degree n in q, by linear programmes: it vanishes the slower, the
    rougher f is, and never for a jump. Right, the mean size of the n-th difference of the key idea,
    which must be summable: Bernstein's polynomials of $|q-\frac12|$, Taylor's of the exponential.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    n = [1, 2, 3, 5, 7]
    rows = [["f", *(f"n = {k}" for k in n)]]
    for i, name in enumerate(("exp(q)", "|q - 1/2|", "a jump by 1")):
        bias = [
            (simulate.jump(k, 0.0) if i == 2 else
             simulate.best_approximation(k, simulate.Target(name), 0))[0] for k in n
        ]
        left.plot(n, bias, marker="os^"[i], color=f"C{i}", label=name)
        rows.append([name, *(f"{b:.3g}" for b in bias)])
    left.set(xlabel="n, samples", ylabel="smallest worst bias [1]", yscale="log", xticks=n,
             title="A fixed number leaves a bias")
    many = np.array([2, 4, 8, 16])
    for i, q in enumerate((0.5, 0.7)):
        at = Polynomials(q=np.full(4, q), n=many)
        found = summable(at)
        sizes = [*found["rhs"], found["lhs"][-1]]
        right.plot([*many, 32], sizes, marker="os"[i], color=f"C{i + 1}",
                   label=f"Bernstein, q = {q:g}")
    right.plot(many, [0.5**k / math.factorial(k) for k in many], marker="^", color="C0",
               label="Taylor, exp(q), q = 0.5")
    right.set(xlabel="n", ylabel="mean size of a difference [1]", yscale="log",
              title="Uniform convergence is not enough")
    for axes in (left, right):
        axes.legend(frameon=False)
    figure.set_label(
        "Left, the smallest worst bias against the number of samples, on a logarithmic axis: it "
        "falls fast for the exponential, slowly for a kink, not at all for a jump. Right, they "
        "grow exponentially for Bernstein's polynomials and vanish for Taylor's."
    )
    return figure, rows
