"""What a bound says at given values."""

from __future__ import annotations

import json
import shlex
from fractions import Fraction

import pytest
from commands import STRICT, answer, invoke, mistake

import noisytheory as nt
from noisytheory.cli import replay
from noisytheory.cli.select import arguments_of


def test_bound_prints_the_number(mine):
    value = float(answer("bound", mine, "n=100", "delta=0.05"))
    assert value == pytest.approx(0.12238734153404081, rel=1e-14)
    assert float(answer("bound", mine, "n=1e2", "delta=1/20")) == value
    about = json.loads(answer("bound", mine, "n=100", "delta=0.05", "--json"))
    assert about["bound"] == value
    assert about["points"] == [{"n": 100, "delta": 0.05, "bound": value}]


def test_bound_tabulates_several_values(mine):
    rows = answer("bound", mine, "n=10,1000", "delta=0.05,0.5").splitlines()
    assert [row.split() for row in rows[:3]] == [
        ["n", "delta", "bound"], ["10", "0.05", "0.387022756"], ["10", "0.5", "0.1861648706"]]
    assert len(rows) == 5
    about = json.loads(answer("bound", mine, "n=10,1000", "delta=0.05", "--json"))
    assert about["bound"] == [point["bound"] for point in about["points"]]
    assert about["bound"] == sorted(about["bound"], reverse=True)


def test_bound_takes_a_population_or_what_is_read_of_it(strict):
    radius = f"{strict}::strict/radius"
    by_name = float(answer("bound", radius, "population=bent, coin", "n=4", "delta=0.05"))
    assert by_name == float(answer("bound", radius, "norm=0.3", "n=4", "delta=0.05"))
    twice = float(answer("bound", radius, "norm=0.3", "n=4", "delta=0.05", "sigma=0.25"))
    assert twice == pytest.approx(2 * by_name)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("n=0 delta=0.1 norm=1", "n must be a whole number >= 1, got 0"),
        ("n=2.5 delta=0.1 norm=1", "n must be a whole number >= 1, got 2.5"),
        ("n=inf delta=0.1 norm=1", "n must be a whole number >= 1, got inf"),
        ("n=1e999 delta=0.1 norm=1", "n must be a whole number >= 1, got inf"),
        ("n=1e999999999999 delta=0.1 norm=1", "n must be a whole number >= 1, got inf"),
        ("n=9 delta=0 norm=1", "delta must be a finite number in (0, 1), got 0"),
        ("n=9 delta=1 norm=1", "delta must be a finite number in (0, 1), got 1"),
        ("n=9 delta=0.1 norm=1 sigma=1/2", "sigma must be a finite number in [0, 0.5), got 0.5"),
        ("n=NaN delta=0.1 norm=1", "n must be a whole number >= 1, got nan"),
        ("n=9 delta=nan norm=1", "delta must be a finite number in (0, 1), got nan"),
        ("n=ten delta=0.1 norm=1", "n must be a number, got 'ten'"),
        ("n=1/0 delta=0.1 norm=1", "n must be a number, got '1/0'"),
        ("n= delta=0.1 norm=1", "n must be a number, got ''"),
        ("n=9,9 delta=0.1 norm=1", "n has the same value twice"),
        ("n=9 n=8 delta=0.1 norm=1", "n is given twice; several values go in one list: n=10,100"),
        ("n=9 delta=0.1",
         "missing parameter norm: add norm=NUMBER, or 'population=fair coin' (the bound takes"),
        ("delta=0.1", "missing parameter n, norm: add n=10 norm=NUMBER"),
        ("N=9 delta=0.1 norm=1", "unknown parameter 'N'; did you mean n?"),
        ("m=9 delta=0.1 norm=1", "the bound takes n (a whole number >= 1)"),
        ("9", "'9' is not of the form NAME=VALUE, such as n=1000"),
        ("population=fare n=9 delta=0.1", "unknown population 'fare'; did you mean 'fair coin'?"),
        ("population=fair n=9 delta=0.1 norm=1", "unknown population 'fair'"),
    ],
)
def test_wrong_parameters_are_one_line_that_says_how_to_mend_it(strict, words, line):
    assert line in mistake("bound", f"{strict}::strict/radius", *words.split())


REGRET = ["noisy-kernels/theorem-1-regret", "T=1000", "p=1.5", "Bw=0.5", "Bx=0.25"]


@pytest.mark.parametrize(("kernel", "made"), [
    ("linear", nt.dot_products.LinearProduct()),
    ("homogeneous(3)", nt.dot_products.HomogeneousProduct(3)),
    ("inhomogeneous(degree=3, offset=0.5)", nt.dot_products.InhomogeneousProduct(3, 0.5)),
    ("exponential", nt.dot_products.ExponentialProduct()),
    ("binomial(alpha=2)", nt.dot_products.BinomialProduct(2.0)),
    ("gaussian(sigma2=4)", nt.dot_products.GaussianProduct(4.0)),
])
def test_every_kernel_of_the_paper_has_a_word(kernel, made):
    value = float(answer("bound", *REGRET, f"kernel={kernel}", "loss=exponential"))
    loss = nt.analytic.ExponentialLoss()
    assert value == float(nt.online.regret(1000, 1.5, 0.5, 0.25, made, loss))


@pytest.mark.parametrize(("loss", "made"), [
    ("linear(c=-2)", nt.analytic.AffineLoss(-2.0)),
    ("squared(0, form=regression)", nt.analytic.SquaredLoss(0.0, "regression")),
    ("exponential(sign=1)", nt.analytic.ExponentialLoss(1)),
    ("smoothed-absolute(s=0.5)", nt.analytic.SmoothedAbsolute(0.5)),
    ("smoothed-hinge(0.5)", nt.analytic.SmoothedHinge(0.5)),
    ("series([-1 0.5 0.25])", nt.analytic.SeriesLoss((-1.0, 0.5, 0.25))),
])
def test_every_loss_of_the_paper_has_a_word(loss, made):
    given = *REGRET, "kernel=linear", f"loss={loss}"
    value = float(answer("bound", *given, "By=2"))
    kernel = nt.dot_products.LinearProduct()
    assert value == float(nt.online.regret(1000, 1.5, 0.5, 0.25, kernel, made, 2.0))
    if made.form == "regression":
        assert "By must be a bound on |y|" in mistake("bound", *given)


def test_words_and_names_of_the_grid_in_one_list():
    rows = json.loads(answer(
        "bound", *REGRET, "kernel=linear,inhomogeneous(2, 1),gaussian", "loss=linear -1a", "--json",
    ))["points"]
    assert [row["kernel"] for row in rows] == ["linear", "(1+a)^2", "Gaussian, sigma2=1"]


@pytest.mark.parametrize(("kernel", "line"), [
    ("gaussian(sigma2=-1)", "sigma2 must be a finite number > 0, got -1"),
    ("gaussian(sigma2=nan)", "sigma2 must be a finite number > 0, got nan"),
    ("gaussian(sigma2=x)", "sigma2 must be a number, got 'x'"),
    ("gaussian(sigma=1)", "gaussian takes sigma2, each once, got 'sigma=1'"),
    ("gaussian(1, sigma2=1)", "gaussian takes sigma2, each once, got 'sigma2=1'"),
    ("homogeneous(2.5)", "degree must be a whole number >= 1, got 2.5"),
    ("linear(2)", "linear takes no arguments, got '2'"),
    ("gauss", "unknown kernel 'gauss'; did you mean gaussian? (it takes linear; homogeneous("),
    ("gaussian(", "'gaussian(' is none of linear; "),
    ("series([1])", "unknown kernel 'series([1])'"),
    ("", "unknown kernel ''"),
])
def test_a_kernel_that_is_none_is_one_line(kernel, line):
    assert line in mistake("bound", *REGRET, f"kernel={kernel}", "loss=squared")


@pytest.mark.parametrize(("loss", "line"), [
    ("squared(form=both)", "form must be one of classification, regression, got 'both'"),
    ("exponential(sign=2)", "sign must be -1 or 1, got 2"),
    ("smoothed-hinge(s=0)", "s must be a finite number > 0, got 0"),
    ("series([1 x])", "gamma must be numbers such as [1 -2 0.5], got '[1 x]'"),
    ("series([])", "gamma must be a list of finite numbers, got ()"),
    ("hinge", "unknown loss 'hinge'; did you mean "),
])
def test_a_loss_that_is_none_is_one_line(loss, line):
    assert line in mistake("bound", *REGRET, "kernel=linear", f"loss={loss}")


@pytest.mark.parametrize(("words", "found"), [
    ("lemma-1/second-moment p=2 m=1 loss=exponential", "scalar_second_moment"),
    ("lemma-2/second-moment p=2 Bw=0.5 Bpsi=2 loss=smoothed-hinge(0.5)", "gradient_second_moment"),
    ("lemma-3 p=2 Bx=0.25 kernel=gaussian(sigma2=4)", "map_second_moment"),
])
def test_a_bound_whose_instances_have_coefficients_takes_the_object_itself(words, found):
    claim, *given = words.split()
    known = dict(word.split("=", 1) for word in given)
    made = {"kernel": nt.dot_products.GaussianProduct(4.0),
            "loss": nt.analytic.ExponentialLoss() if "lemma-1" in words
            else nt.analytic.SmoothedHinge(0.5)}
    numbers = {name: made[name] if name in made else float(text) for name, text in known.items()}
    value = float(getattr(nt.online, found)(**numbers))
    assert float(answer("bound", f"noisy-kernels/{claim}", *given)) == value


def test_such_a_bound_takes_coefficients_or_asks_for_the_object():
    lemma = "noisy-kernels/lemma-3"
    # p/(p-1) times 1 + (p Bx)^2.
    assert float(answer("bound", lemma, "p=2", "Bx=1", "b0=1", "b1=0", "b2=1")) == 10
    assert "missing parameter kernel: add kernel=linear" in mistake("bound", lemma, "p=2", "Bx=1")
    wrong = mistake("bound", lemma, "p=1", "Bx=1", "kernel=linear")
    assert "p must be a finite number > 1" in wrong
    solved = answer("bound", lemma, "p=2", "kernel=linear", "at-most=8", "solve=Bx")
    assert solved.startswith("2.0 ")
    both = mistake("bound", lemma, "p=2", "Bx=1", "kernel=linear", "b0=1")
    assert "unknown parameter 'kernel'" in both


def test_a_population_that_changes_nothing_is_refused(strict):
    words = ["population=fair coin", "n=9", "delta=0.1", "norm=1"]
    assert "does not read population" in mistake("bound", f"{strict}::strict/radius", *words)


def test_a_plain_bound_at_nonsense_is_one_line(mine, variant):
    assert "cannot be evaluated at n=0" in mistake("bound", mine, "n=0", "delta=0.1")
    assert "cannot be evaluated at n=0" in mistake("bound", mine, "n=0", "delta=1")
    assert "divide by zero" in mistake("bound", mine, "n=0", "delta=0.1")
    nan = variant("np.sqrt(np.log(1 / delta) / (2 * n))", "float('nan')")
    assert "not a number at n=4" in mistake("bound", nan, "n=4", "delta=0.1")


EVENT = ["delta=.2", "nu=.3", "C=1", "mu=.1", "norm=1", "kappa_norm=1"]


def test_a_lower_limit_says_that_its_sign_is_turned():
    line = answer("bound", "top-k/eq-17", "n=10000", *EVENT)
    number, _, words = line.partition("  ")
    limit = float(words.removesuffix(")\n").rpartition(" ")[2])
    assert words.startswith("(of minus the margin, that is, the margin at least ")
    assert limit == -float(number) == pytest.approx(0.01 / 8 / 0.3)
    rows = answer("bound", "top-k/eq-17", "n=1e4,1e5", *EVENT)
    assert "  of minus the margin, that is, the margin at least the number with its sign" in rows
    marked = answer("bound", "top-k/eq-17", "n=10000", *EVENT, "--markdown")
    assert "that is, the margin at least" in marked
    about = json.loads(answer("bound", "top-k/eq-17", "n=10000", *EVENT, "--json"))
    assert about["quantity"] == "minus the margin" and about["bound"] == -limit


@pytest.mark.parametrize("claim", [
    claim for claim in nt.claims.values()
    if claim.quantity.startswith("minus ") and claim.bound is not None and claim.kind != "exists"
    and not any(argument["required"] for argument in arguments_of(claim))
], ids=lambda claim: claim.id)
def test_every_lower_limit_says_so(claim):
    said = ", that is, " + claim.quantity.removeprefix("minus ")
    assert f"(of {claim.quantity}{said}" in answer("bound", claim.id)


def test_what_is_left_of_a_number_is_a_lower_limit_too():
    words = answer("bound", "noisy-kernels/averaging", "m=1", "variance=1").partition("  ")
    limit = words[2].removesuffix(")\n").rpartition(" ")[2]
    assert ", that is, the regret a round at least " in words[2]
    assert float(limit) == 4 - float(words[0])


def test_a_drawn_right_side_with_its_sign_turned_says_so_too():
    line = answer("bound", "noisy-kernels/dot-product-psd/binomial-printed")
    assert "of minus the quadratic form, that is, the quadratic form at least " in line


def test_why_a_bound_is_infinite_is_said_in_its_own_words():
    line = answer("bound", "top-k/lemma-7", "n=1000", *EVENT)
    assert line.startswith("inf  (nothing is promised where the event of (16) fails with a prob")
    assert "event of (16)" in answer("bound", "top-k/lemma-7", "n=1000,1e5", *EVENT)
    assert answer("bound", "top-k/lemma-7", "n=1e5", *EVENT) == "12.0\n"
    sample = ["mu=.1", "C=.01", "kappa=1", "norm=1", "approximation=0", "delta=.05"]
    for form in ("", "/typeset", "/proved"):
        line = answer("bound", f"top-k/theorem-2{form}", "n=100", *sample)
        why = "where $\\varepsilon>1$, which the theorem excludes"
        assert line == f"inf  (nothing is promised {why})\n"


def test_an_infinite_bound_is_strict_json(variant):
    path = variant("np.sqrt(np.log(1 / delta) / (2 * n))", "float('inf')")
    assert answer("bound", path, "n=4", "delta=0.1") == "inf\n"
    assert json.loads(answer("bound", path, "n=4", "delta=0.1", "--json"))["bound"] == "inf"


def test_a_claim_without_a_bound_has_none_to_evaluate(strict):
    assert "has no bound to evaluate" in mistake("bound", f"{strict}::strict/quoted")


def test_bound_without_a_formula_is_that_of_the_first_instance(tmp_path):
    path = tmp_path / "sides.py"
    path.write_text(STRICT.replace("bound=lambda a: a, simulate=pairs", "simulate=pairs")
                    .replace('"a": a}', '"rhs": 3 * a, "applies": a > 9, "a": a}')
                    .replace("grid=dict(n=[1])", "grid=dict(n=[1, 2])"))
    square = f"{path}::strict/square"
    text = answer("bound", square, "n=1,2")
    for line, cell in zip(text.splitlines(), ("n=1", "n=2"), strict=True):
        value, _, says = line.partition("  (")
        assert says.startswith("of the first draw, where the hypotheses do not hold; noisytheory")
        words = shlex.split(says.removesuffix(")").partition("; ")[2])
        assert words[1] == "replay" and words[-1] == f"{cell};0;0"
        steps = dict(json.loads(answer(*words[1:], "--json"))["steps"])
        assert float(value) == 3 * float(steps["a"])
    assert answer("bound", square) == text.splitlines()[0] + "\n"
    about = json.loads(answer("bound", square, "n=2", "--json"))
    assert about["points"][0]["address"] == "n=2;0;0" and about["points"][0]["of"] == "first draw"
    for words, line in [("n=3", "has no cell with n=3"), ("n=nan", "has no cell with n=nan"),
                        ("m=1", "unknown parameter 'm'"), ("1", "such as n=1"),
                        ("n=1 n=2", "n is given twice")]:
        assert line in mistake("bound", square, *words.split())


def test_bound_without_a_formula_is_exact_where_the_evidence_is(tmp_path):
    path = tmp_path / "sides.py"
    path.write_text(STRICT.replace("bound=lambda a: a, simulate=pairs,", "exact=every,")
                    .replace("@requires", '''
def every(n):
    a = np.arange(2, 9)
    return {"lhs": a**2.0, "rhs": a, "a": a}

@requires''', 1))
    square = f"{path}::strict/square"
    assert answer("bound", square) == (
        "8.0  (promised surely, of every instance; this is the nearest of 7: left side 64, "
        f"a 8, a^2 64; noisytheory replay {shlex.quote(square)} --address 'n=1;exact;6')\n"
    )
    (point,) = json.loads(answer("bound", square, "--json"))["points"]
    assert point["of"] == "exact evidence"
    assert json.loads(answer("replay", square, "--address", point["address"],
                             "--json"))["rhs"] == "8"
    assert "draws nothing: block must be exact" in mistake("replay", square, "--address", "n=1;0;0")


def test_the_bound_of_theorem_5():
    value = float(answer("bound", "kernel-mean/theorem-5", "n=400", "delta=0.05"))
    assert value == pytest.approx(2 / 20 + (2 * 2.995732273553991 / 400) ** 0.5, rel=1e-14)
    assert answer("bound", "kernel-mean/theorem-5", "n=400", "delta=0.05").startswith("0.22238")


def test_a_constant_of_the_claim_need_not_be_named():
    target = "kernel-mean/table-1/hinge"
    assert float(answer("bound", target, "sigma=0.2")) == 0.21


def test_a_constant_of_the_claim_that_is_a_word_is_no_number():
    """It was a fault of ours: KeyError."""
    target = "kernel-mean/table-1/hinge"
    assert answer("bound", target, "sigma=0.2", "column=hinge") == "0.21\n"
    assert "unknown column '3'; known: hinge" in mistake("bound", target, "sigma=0.2", "column=3")


def test_numbers_at_which_a_promise_is_not_defined_cost_no_answer():
    """Of n = 1 its draws, which need k <= n, were a fault of ours."""
    words = ["top-k/text-cvar/exponential-below", "k=2", "at-most=10", "solve=n"]
    assert answer("bound", *words).startswith("16206  (the bound there is 9.99998")


def test_a_bound_that_overflows_is_infinite_without_a_word():
    done = invoke("bound", "average-classifier/computation/matrix", "n=1e308")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "inf\n", "")


def test_every_claim_has_a_right_side_unless_it_is_cited():
    from noisytheory.trial.catalogue import catalogue

    # One of each sort: the smallest, for its evidence is worked out.
    sorts = {
        (claim.kind, claim.exact is None, claim.simulate is None): claim
        for claim in sorted(catalogue().values(), key=lambda c: -c.size * c.rows)
        if claim.bound is None
    }
    assert len(sorts) >= 7
    for claim in sorts.values():
        if claim.kind == "cited":
            assert "has no bound to evaluate" in mistake("bound", claim.id)
        else:
            (point,) = json.loads(answer("bound", claim.id, "--json"))["points"]
            assert point["of"] in ("exact evidence", "first draw")
            cell, block, row = replay._place_of(claim, point["address"])
            assert cell == 0 and (block < 0) == (point["of"] == "exact evidence")
            assert block < 0 or row == 0


@pytest.mark.parametrize("target", [
    "uma/estimated-c", "uma/proposition-2-true-margin/repaired", "uma/norm-estimates-error/below",
])
def test_a_promise_without_delta_shows_an_instance_that_attains_it(target):
    (point,) = json.loads(answer("bound", target, "--json"))["points"]
    assert point["says"].startswith("promised surely, of every instance; this is the nearest of ")
    words = point["says"]
    assert "classes " in words and "predicted, true (" in words and "mass 1/" in words
    again = json.loads(answer("replay", target, "--address", point["address"], "--json"))
    assert again["lhs"] == again["rhs"] and float(Fraction(again["rhs"])) == point["bound"] > 0


@pytest.mark.parametrize("words, found", [
    (["theta=0.5", "eta=0.002"], 14.860121850258743),
    (["theta=0.5", "eta=0.002", "tolerance=0.1"], 10.646065629443823),
    (["theta=0.5", "eta=0.002", "tolerance=1/10"], 10.646065629443823),
    (["theta=0.5", "solve=eta", "at-most=50", "tolerance=0.1"], 0.00901326628934009),
])
def test_a_constant_that_trials_read_as_a_fraction_is_a_number_to_the_bound(words, found):
    said = answer("bound", "uma/prop4-forced", *words).split()[0]
    assert float(said) == pytest.approx(found, rel=1e-12)
