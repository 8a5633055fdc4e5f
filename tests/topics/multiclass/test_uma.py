"""UMA's kept sums against the plain definition, and its rules one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from noisytheory.topics.multiclass import (
    STEPS,
    error_set,
    ultraconservative,
    uma,
    uma_runs,
    update_vectors,
)
from noisytheory.topics.multiclass import kept as kept_module
from noisytheory.topics.multiclass import lockstep as lockstep_module
from noisytheory.topics.multiclass.kept import Scaled, scaled
from noisytheory.vocabulary.noise import Confusion
from noisytheory.vocabulary.populations import Finite, Multiclass

POP5 = Multiclass(
    Finite("five atoms", [[1, 0], [0.6, 0.8], [-0.6, 0.8], [-1, 0], [0, -1]], [0, 1, 1, 2, 2],
           [0.3, 0.2, 0.2, 0.1, 0.2], classes=3),
    [[0.7, 0.2, 0.1], [0.2, 0.7, 0.3], [0.1, 0.1, 0.6]],
)
W5 = np.array([[1, 0.5], [-0.2, 0.9], [-0.5, -0.5]])


def plain(x, y, confusion, *, step="predicted", normalise=False, tolerance=1e-9, most=1000):
    """Algorithm 2 as it is written, with every sum from scratch; error strategy."""
    inverse, n = np.linalg.inv(confusion), len(x)
    classes = len(inverse)
    weights, pairs = np.zeros((classes, x.shape[1])), []
    while len(pairs) < most:
        predicted = np.argmax(x @ weights.T, axis=1)
        z = np.zeros((classes, classes, x.shape[1]))
        for p in range(classes):
            for q in range(classes):
                inside = predicted == p
                z[p, q] = (inverse[q, y] * inside) @ x / n
        norms = np.linalg.norm(z, axis=2)
        for p, q in sorted(
            ((p, q) for p in range(classes) for q in range(classes) if p != q),
            key=lambda pair: -norms[pair],
        ):
            if norms[p, q] <= tolerance:
                return weights, pairs
            scores = weights @ z[p, q]
            erring = [r for r in range(classes) if r != q and scores[r] >= scores[q]]
            if erring or step == "forced":
                break
        else:
            return weights, pairs
        loser = p if step == "forced" or p in erring else max(erring, key=lambda r: scores[r])
        vector = z[p, q] / (norms[p, q] if normalise else 1)
        weights[q] += vector
        weights[loser] -= vector
        pairs.append((p, q))
    return weights, pairs


def sample(rng, n, d, classes, whole=False):
    x = rng.integers(0, 256, size=(n, d)) if whole else rng.normal(size=(n, d))
    truth = np.argmax(x @ rng.normal(size=(d, classes)), axis=1)
    confusion = Confusion.uniform(classes, 0.3)
    return x, confusion.apply(truth, rng=rng), confusion.array.T


@pytest.mark.parametrize("step", ["predicted", "forced"])
@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_kept_sums_give_the_pairs_of_the_plain_form(step, normalise, seed):
    x, y, confusion = sample(np.random.default_rng(seed), 400, 6, 4)
    weights, pairs = plain(x, y, confusion, step=step, normalise=normalise, most=60)
    run = uma(x, y, confusion, step=step, normalise=normalise, max_iter=60)
    assert run.pairs.tolist() == [list(pair) for pair in pairs]
    np.testing.assert_allclose(run.weights, weights, atol=1e-10)


@pytest.mark.parametrize(
    "form", ["dense", "sparse", "sparse, many", "masses", "bytes", "rows", "rows of 32 bits"]
)
def test_all_forms_of_a_sample_agree(form, monkeypatch):
    if form != "dense":
        monkeypatch.setattr(kept_module, "COMPILED", 1)
    if form == "sparse, many":
        monkeypatch.setattr(kept_module, "SPARSE_FEW", 0)
    x, y, confusion = sample(np.random.default_rng(7), 700, 9, 5, whole=True)
    weights, pairs = plain(x.astype(float), y, confusion, most=40, tolerance=1e-6)
    given = {
        "dense": (x.astype(float), y), "sparse": (sparse.csr_matrix(x.astype(float)), y),
        "masses": (x.astype(float), np.eye(5)[y] / len(y)), "bytes": (x.astype(np.uint8), y),
        "rows": (x.astype(float), y),
        "rows of 32 bits": (Scaled(x.astype(np.float32), np.ones(len(x))), y),
    }[form.partition(",")[0]]
    run = uma(*given, confusion, max_iter=40, tolerance=1e-6)
    assert run.pairs.tolist() == [list(pair) for pair in pairs]
    np.testing.assert_allclose(run.weights, weights, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize(("intercept", "unit"), [(False, True), (True, True), (True, False)])
def test_rows_that_are_not_made_are_as_good_as_made(kind, intercept, unit, monkeypatch):
    x, y, confusion = sample(np.random.default_rng(8), 900, 30, 4, whole=True)
    x = x.astype(kind)
    x[5] = 0  # without an intercept it stays 0
    rows = scaled(x, intercept=intercept, unit=unit)
    made = np.hstack([x.astype(float), np.ones((900, 1))]) if intercept else x.astype(float)
    if unit:
        made /= np.maximum(np.linalg.norm(made, axis=1), 1e-300)[:, None]
    np.testing.assert_allclose(rows.dense(), made, rtol=1e-15)
    options = dict(max_iter=30, tolerance=1e-6, start=np.eye(4, made.shape[1]) / 8)
    plain = uma(made, y, confusion, **options)
    monkeypatch.setattr(kept_module, "COMPILED", 1)
    monkeypatch.setattr(kept_module, "BLOCK", 100)
    run = uma(rows, y, confusion, **options)
    assert run.pairs.tolist() == plain.pairs.tolist()
    np.testing.assert_allclose(run.weights, plain.weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.residual, plain.residual, rtol=1e-9, atol=1e-12)
    # What cannot be done row by row is done on the rows made.
    for other in (dict(ties="all"), dict(alpha=0.01)):
        np.testing.assert_allclose(
            uma(rows, y, confusion, **options, **other).weights,
            uma(made, y, confusion, **options, **other).weights, rtol=1e-9, atol=1e-12,
        )


def test_bytes_with_dark_edges_and_full_sums_are_exact(monkeypatch):
    """Sums of 16 bits are emptied in time, and bytes of 0 at either end are passed over."""
    monkeypatch.setattr(kept_module, "COMPILED", 1)
    rng = np.random.default_rng(3)
    x = np.zeros((3000, 70), np.uint8)
    x[:, 20:50] = 255 * (rng.random((3000, 30)) < 0.6)
    x[7] = 0
    y = np.argmax(x @ rng.normal(size=(70, 4)), axis=1)
    confusion = 0.7 * np.eye(4) + 0.075
    _, pairs = plain(x.astype(float), y, confusion, most=30, tolerance=1e-6)
    run = uma(x, y, confusion, max_iter=30, tolerance=1e-6)
    assert run.pairs.tolist() == [list(pair) for pair in pairs]


def test_update_vectors_of_a_population_are_its_means():
    # By hand: with (p, q) = (0, 1) the atom (.6, .8) of mass .2 alone is wrong.
    z = update_vectors(POP5.points, POP5.joint, POP5.confusion, weights=W5, ties="all")
    np.testing.assert_allclose(z, POP5.update_means(W5), atol=1e-15)
    np.testing.assert_allclose(z[0, 1], [0.12, 0.16], atol=1e-15)
    # Columns of C sum to one, so the classes of a region sum to its mean.
    inside = POP5.regions(W5).astype(float)
    np.testing.assert_allclose(
        z.sum(axis=1), inside @ (POP5.masses[:, None] * POP5.points), atol=1e-15
    )


def test_a_noisy_population_is_learnt_without_error():
    run = uma(POP5.points, POP5.joint, POP5.confusion, normalise=True)
    assert POP5.error(run.weights) == 0
    assert run.stopped == "small"
    assert run.updates <= 2 / POP5.theta**2
    np.testing.assert_allclose(run.shares, POP5.priors, atol=1e-15)
    np.testing.assert_allclose(run.weights.sum(axis=0), 0, atol=1e-12)


def test_pop5_has_the_margin_that_arithmetic_gives():
    assert POP5.theta == pytest.approx(np.sqrt(3 / 20), abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 5, 10])
def test_the_regular_simplex_has_the_largest_margin_there_is(classes):
    points = np.eye(classes) - 1 / classes
    points /= np.linalg.norm(points, axis=1)[:, None]
    simplex = Multiclass(Finite("simplex", points, np.arange(classes), classes=classes))
    assert simplex.theta == pytest.approx(np.sqrt(classes) / (classes - 1), abs=1e-9)


@pytest.mark.parametrize("alpha", [1e-12, 1e-3, 0.1])
def test_a_positive_margin_moves_nothing_from_zero(alpha):
    run = uma(POP5.points, POP5.joint, POP5.confusion, alpha=alpha)
    assert (run.updates, run.stopped) == (0, "small")
    assert not run.weights.any()


def test_the_forced_step_is_no_ultraconservative_one():
    rng = np.random.default_rng(5)
    x, y, confusion = sample(rng, 300, 3, 6)
    forced = uma(x, y, confusion, step="forced", max_iter=200)
    gentle = uma(x, y, confusion, max_iter=200)
    assert gentle.pairs.tolist() != forced.pairs.tolist()


@pytest.mark.parametrize("strategy", ["error", "confusion", "random"])
@pytest.mark.parametrize("step", STEPS)
def test_weights_keep_a_sum_of_zero(strategy, step):
    x, y, confusion = sample(np.random.default_rng(2), 300, 4, 4)
    rng = np.random.default_rng(3)
    run = uma(x, y, confusion, strategy=strategy, step=step, rng=rng, max_iter=50)
    assert run.updates > 10
    np.testing.assert_allclose(run.weights.sum(axis=0), 0, atol=1e-9)


def test_the_printed_stop_looks_at_one_pair():
    x, y, confusion = sample(np.random.default_rng(2), 300, 4, 4)
    run = uma(x, y, confusion, strategy="random", stop="printed", tolerance=1e9,
              rng=np.random.default_rng(1))
    assert run.draws == 1
    assert uma(x, y, confusion, tolerance=1e9).draws == 0


@pytest.mark.parametrize(
    "options",
    [dict(), dict(step="forced", strategy="confusion"), dict(step="uniform", normalise=True),
     dict(step="proportional", alpha=1e-3, start=np.eye(4)), dict(stop="printed", tolerance=0.05),
     dict(step="worst", normalise=True, start=np.eye(4), error_alpha=1e-3),
     dict(strategy="confusion", least_share=0.24, tolerance=0.02)],
)
@pytest.mark.parametrize(("n", "form"), [(40, "labels"), (400, "labels"), (40, "masses")])
def test_several_runs_are_those_one_by_one(options, n, form):
    rng = np.random.default_rng(6)
    samples = [sample(rng, n, 4, 4) for _ in range(5)]
    x, y = (np.array([one[k] for one in samples]) for k in range(2))
    matrices = np.array([Confusion.uniform(4, rate).array.T for rate in (0, 0.1, 0.2, 0.3, 0.4)])
    if form == "masses":
        y = np.eye(4)[y] * rng.integers(1, 4, size=(5, n, 1))
    for points in (x, x[0]):
        together = uma_runs(points, y, matrices, max_iter=25, **options)
        for r, run in enumerate(together):
            alone = uma(points if points.ndim == 2 else points[r], y[r], matrices[r], max_iter=25,
                        **options)
            assert (run.updates, run.draws, run.skipped, run.stopped) == (
                alone.updates, alone.draws, alone.skipped, alone.stopped
            )
            np.testing.assert_array_equal(run.pairs, alone.pairs)
            np.testing.assert_allclose(run.weights, alone.weights, atol=1e-12)
            np.testing.assert_allclose(run.residual, alone.residual, atol=1e-12)
    assert len({run.updates for run in together}) > 1 or together[0].updates == 25


@pytest.mark.parametrize("few", [1 << 15, 0])
@pytest.mark.parametrize("small", [lockstep_module.SMALL, 0])
def test_sparse_runs_are_those_one_by_one(few, small, monkeypatch):
    monkeypatch.setattr(kept_module, "SPARSE_FEW", few)
    monkeypatch.setattr(lockstep_module, "SMALL", small)
    rng = np.random.default_rng(12)
    x = rng.poisson(0.3, size=(4, 80, 12)).astype(float)
    y = rng.integers(3, size=(4, 80))
    start = rng.normal(size=(4, 3, 12))
    confusion = 0.7 * np.eye(3) + 0.1
    points = [sparse.csr_matrix(one) for one in x]
    together = uma_runs(points, y, confusion, max_iter=25, start=start)
    for r, run in enumerate(together):
        alone = uma(x[r], y[r], confusion, max_iter=25, start=start[r])
        np.testing.assert_array_equal(run.pairs, alone.pairs)
        np.testing.assert_allclose(run.weights, alone.weights, atol=1e-12)
    with pytest.raises(ValueError, match="of one shape"):
        uma_runs([points[0], points[1][:70]], y[:2], confusion)


def test_the_lowest_of_tied_classes_wins_however_they_are_compared(monkeypatch):
    scores = np.random.default_rng(13).integers(-2, 3, size=(3, 5, 40)).astype(float)
    monkeypatch.setattr(kept_module, "MANY", 0)
    np.testing.assert_array_equal(kept_module._lowest_best(scores), np.argmax(scores, axis=1))


def test_runs_of_different_numbers_are_refused():
    with pytest.raises(ValueError, match="as many runs"):
        uma_runs(np.eye(2), [[0, 1]], [np.eye(2)] * 2)
    with pytest.raises(ValueError, match="as many runs"):
        uma_runs(np.eye(2), [0, 1], np.eye(2))


@pytest.mark.parametrize(("ties", "first"), [("lowest", (0, 1)), ("all", (1, 0))])
def test_a_run_starts_with_the_pair_that_its_tie_rule_makes_longest(ties, first):
    run = uma([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1], np.eye(2), ties=ties, max_iter=1)
    np.testing.assert_array_equal(run.pairs, [first])


def test_update_vectors_take_what_a_run_takes():
    found = update_vectors(POP5.points, POP5.joint, POP5.confusion, weights=W5)
    turned = update_vectors(
        POP5.points, POP5.joint, POP5.confusion.T, weights=W5, orientation="row")
    np.testing.assert_array_equal(found, turned)
    with pytest.raises(ValueError, match="here the rows do"):
        update_vectors(POP5.points, POP5.joint, POP5.confusion.T, weights=W5)
    # What is first updated is the longest of them, where nothing else is said.
    norms = np.linalg.norm(
        update_vectors(POP5.points, POP5.joint, POP5.confusion, weights=0 * W5), axis=2)
    norms[np.diag_indices(3)] = 0
    run = uma(POP5.points, POP5.joint, POP5.confusion, max_iter=1)
    assert run.pairs.tolist() == [list(np.unravel_index(norms.argmax(), norms.shape))]


def test_ties_lie_in_one_region_or_in_all():
    lowest = update_vectors(POP5.points, POP5.joint, POP5.confusion, weights=0 * W5)
    shared = update_vectors(POP5.points, POP5.joint, POP5.confusion, weights=0 * W5, ties="all")
    assert not lowest[1:].any()
    np.testing.assert_allclose(shared[1], shared[0])
    np.testing.assert_allclose(shared[0], lowest[0], atol=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(confusion=[[0.9, 0.1], [0.4, 0.6]]), 'say orientation="row"'),
        (dict(confusion=np.full((2, 2), 0.5)), "condition number"),
        (dict(confusion=np.eye(3)[:2]), "square"),
        (dict(confusion=[[1.2, 0], [-0.2, 1]]), "probabilities"),
        (dict(labels=[0, 2]), "classes 0 to 1"),
        (dict(labels=[0]), "one a point"),
        (dict(points=np.zeros((0, 2)), labels=[]), "n, d >= 1"),
        (dict(strategy="best"), "strategy must be one of error"),
        (dict(step="jump"), "step must be one of worst"),
        (dict(strategy="random"), "rng must be given"),
        (dict(alpha=-1), "alpha"),
        (dict(max_iter=0), "max_iter"),
        (dict(points=[[1.0, np.inf], [0, 1]]), "points must be finite"),
        (dict(points=[[1.0, np.nan], [0, 1]]), "points must be finite"),
        (dict(points=sparse.csr_matrix([[1.0, np.inf], [0, 1]])), "points must be finite"),
        (dict(start=[[np.inf, 0], [0, 0]]), "start must be finite"),
        (dict(normalise="yes"), "normalise must be one of True, False"),
        (dict(stop="never"), "stop must be one of all_pairs, printed"),
        (dict(ties="both"), "ties must be one of lowest, all"),
    ],
)
def test_bad_input_is_refused_by_name(change, message):
    given = dict(points=np.eye(2), labels=[0, 1], confusion=np.eye(2)) | change
    with pytest.raises(ValueError, match=message):
        uma(given.pop("points"), given.pop("labels"), given.pop("confusion"), **given)


def test_what_vectors_online_runs_and_several_runs_refuse():
    with pytest.raises(ValueError, match="ties must be one of"):
        update_vectors(np.eye(2), [0, 1], np.eye(2), weights=np.eye(2), ties="both")
    with pytest.raises(ValueError, match="points must be finite"):
        ultraconservative([[np.inf]], [0], 2)
    thin = [sparse.csr_matrix(np.eye(2))] * 2
    with pytest.raises(ValueError, match="dense points"):
        uma_runs(thin, [[0, 1], [1, 0]], np.eye(2), ties="all")


def test_a_doubly_stochastic_matrix_needs_its_orientation():
    cycle = [[0.8, 0.2, 0], [0, 0.8, 0.2], [0.2, 0, 0.8]]
    with pytest.raises(ValueError, match="not symmetric"):
        uma(np.eye(3), [0, 1, 2], cycle)
    assert uma(np.eye(3), [0, 1, 2], cycle, orientation="row").updates


def test_batch_perceptron_learns_what_is_separable():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(500, 3))
    y = np.argmax(x @ rng.normal(size=(3, 4)), axis=1)
    run = uma(x, y, np.eye(4), max_iter=20_000)
    assert np.mean(np.argmax(x @ run.weights.T, axis=1) != y) < 0.02


@pytest.mark.parametrize("step", ["worst", "uniform", "proportional", "random"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_orthonormal_inputs_are_all_mistakes(step, classes):
    run = ultraconservative(
        np.eye(12), np.arange(12) % classes, classes, step=step, rng=np.random.default_rng(1)
    )
    assert run.updates == 12
    expected = {"worst": 2.0, "uniform": classes / (classes - 1)}.get(step)
    assert expected is None or run.largest_step == pytest.approx(expected)


def test_sparse_rows_learn_the_same():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.4)
    y = rng.integers(3, size=60)
    dense = ultraconservative(x, y, 3, passes=3)
    thin = ultraconservative(sparse.csr_matrix(x), y, 3, passes=3)
    assert dense.updates == thin.updates
    np.testing.assert_allclose(dense.weights, thin.weights, atol=1e-12)


def test_points_whose_scores_are_no_floats_are_refused():
    x = 1e200 * np.eye(2)
    for refuses in (
        lambda: uma(x, [0, 1], np.eye(2)), lambda: ultraconservative(x, [0, 1], 2),
        lambda: update_vectors(sparse.csr_array(x), [0, 1], np.eye(2), weights=np.eye(2)),
    ):
        with pytest.raises(ValueError, match=r"coordinates up to 1e\+100, .* got 1e\+200: scale"):
            refuses()
    assert uma(1e99 * np.eye(2), [0, 1], np.eye(2)).updates == 1


def test_weights_start_and_generators_of_another_kind_are_refused_by_name():
    given = ([[1.0, 0.0]], [1], [[0.75, 0.25], [0.25, 0.75]])
    with pytest.raises(ValueError, match="weights must have shape"):
        update_vectors(*given, weights=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="start must have shape"):
        uma(*given, start=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="rng must be a Generator"):
        uma(*given, strategy="random", rng=3)


def test_the_confusion_strategy_comes_to_classes_without_a_share_last():
    rng = np.random.default_rng(1)
    confusion = np.array([[0.7, 0.1, 0.3], [0.2, 0.8, 0.3], [0.1, 0.1, 0.4]])
    true = rng.integers(2, size=30)
    x = np.eye(3)[true] + 0.2 * rng.normal(size=(30, 3))
    seen = np.where(rng.random(30) < 0.2, 1 - true, true)
    run = uma(x, seen, confusion, strategy="confusion", tolerance=0.08)
    late = run.shares[run.pairs[:, 1]] <= 0
    assert run.shares[2] < 0
    assert late.any()
    for k in np.flatnonzero(late):
        # No other was left that it could have taken.
        weights = uma(x, seen, confusion, strategy="confusion", tolerance=0.08,
                      max_iter=int(k)).weights if k else np.zeros((3, 3))
        z = update_vectors(x, seen, confusion, weights=weights)
        for p, q in [(1, 0), (2, 0), (0, 1), (2, 1)]:
            small = np.linalg.norm(z[p, q]) <= 0.08
            assert small or not error_set(weights @ z[p, q], q).any()
    by_norm = uma(x, seen, confusion, tolerance=0.08)
    no_class = uma(x, seen, confusion, strategy="confusion", least_share=2.0, tolerance=0.08)
    assert by_norm.updates > 3
    assert np.array_equal(no_class.pairs, by_norm.pairs)


def test_what_a_population_says_of_its_update_vectors_is_so_over_all_samples_of_one():
    seen = np.zeros((3, 3))
    for point, chances in zip(POP5.points, POP5.joint, strict=True):
        for label, chance in enumerate(chances):
            z = update_vectors(point[None], [label], POP5.confusion, weights=W5, ties="all")
            seen += chance * ((z - POP5.update_means(W5)) ** 2).sum(axis=2)
    np.testing.assert_allclose(POP5.update_variances(W5), seen, atol=1e-12)
    masses = POP5.region_masses(W5)
    # The second atom, of class 1 and mass .2, is taken for class 0.
    assert masses[0, 1] == pytest.approx(0.2)
    assert masses.sum() - np.trace(masses) == pytest.approx(POP5.error(W5))
