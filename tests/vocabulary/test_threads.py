"""Threads over tiles: the same bits, and no thread more than there is work for."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import noisytheory as nt
from noisytheory.learners import probabilities
from noisytheory.topics.sparse import residual
from noisytheory.topics.sparse.approximation import Target
from noisytheory.vocabulary import kernels, threads

POINTS = np.random.default_rng(0).normal(size=(700, 4))
WEIGHTS = np.full(len(POINTS), 1 / len(POINTS))


def of_linear_algebra():
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")


@pytest.mark.parametrize("kernel", [kernels.Gaussian(1.5), kernels.Laplace(2.0)], ids=repr)
def test_tiles_shared_out_give_the_same_bits(kernel, monkeypatch):
    plan = kernel.plan(POINTS, POINTS, scaled=True)
    alone = plan.sums(WEIGHTS), kernel(POINTS)
    monkeypatch.setattr(kernels, "SHARE", 1)
    asked = []
    monkeypatch.setattr(threads, "threads", lambda: asked.append(1) or 3)
    for one, other in zip(alone, (plan.sums(WEIGHTS), kernel(POINTS)), strict=True):
        np.testing.assert_array_equal(other, one)
    assert len(asked) == 2


COMPILED = [
    kernels.Gaussian(1.5), kernels.Gaussian(0.02), kernels.Laplace(2.0), kernels.Polynomial(1),
    kernels.Polynomial(3, 1.0), kernels.Polynomial(6), kernels.Normalised(kernels.Laplace(0.3)),
    kernels.Normalised(kernels.Polynomial(2, 1.0)),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("kernel", COMPILED, ids=repr)
def test_compiled_sums_are_those_of_tiles_and_the_same_on_any_number_of_threads(
    kernel, scaled, dtype, monkeypatch
):
    # Twice the same point, far from the others: of its distance the root is computed anew.
    points = np.concatenate([POINTS, POINTS[:1] + 9, POINTS[:1] + 9]).astype(dtype)
    weights = np.linspace(-1, 2, len(points))
    plan = kernel.plan(points, points, scaled=scaled)
    tiles, seen = plan.sums(weights), []
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(kernels, "SHARE", 1)
    for workers in (1, 2, 3):
        monkeypatch.setattr(threads, "threads", lambda count=workers: count)
        seen.append(plan.sums(weights))
    rounding = 64 * np.finfo(dtype).eps * np.abs(tiles).max()
    np.testing.assert_allclose(seen[0], tiles, rtol=0, atol=rounding)
    np.testing.assert_array_equal(seen[1:], seen[:1] * 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", COMPILED, ids=repr)
def test_compiled_gram_matrices_are_those_of_tiles(kernel, dtype, monkeypatch):
    points = POINTS.astype(dtype)
    queries = points[:433] + np.asarray(1e-9, dtype)
    tiles, seen = kernel(queries, points), []
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(kernels, "SHARE", 1)
    for workers in (1, 3):
        monkeypatch.setattr(threads, "threads", lambda count=workers: count)
        seen.append(kernel(queries, points))
    rounding = 32 * np.finfo(dtype).eps * np.abs(tiles).max()
    np.testing.assert_allclose(seen[0], tiles, rtol=0, atol=rounding)
    np.testing.assert_array_equal(seen[1], seen[0])
    # Of two precisions, and to where rows are not in one piece, tiles are NumPy's.
    monkeypatch.setattr("noisytheory.vocabulary.compiled.fill_values", None)
    wider = np.empty((433, 800), dtype)[:, : len(points)]
    np.testing.assert_array_equal(kernel(queries, points, out=wider), tiles)
    if isinstance(kernel, kernels.Polynomial):
        kernel(queries.astype(np.float32), points.astype(np.float64))


@pytest.mark.parametrize(
    "kernel", [kernels.Gaussian(1.5), kernels.Gaussian(0.02), kernels.Laplace(2.0),
               kernels.Polynomial(3, 1.0)], ids=repr,
)
def test_compiled_herding_takes_the_points_of_tiles(kernel, monkeypatch):
    given = kernel, POINTS, WEIGHTS * np.where(POINTS[:, 0] > 0, 1, -1), 30
    tiles = nt.sparse.herding(*given)
    monkeypatch.setattr(kernels, "COMPILED", 1)
    # Rows are not asked for: a step is one pass.
    monkeypatch.setattr(Target, "row", None)
    found = nt.sparse.herding(*given)
    np.testing.assert_array_equal(found.picks, tiles.picks)
    np.testing.assert_allclose(found.errors, tiles.errors, rtol=1e-9)
    np.testing.assert_allclose(found.weights, tiles.weights, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "kernel", [kernels.Gaussian(1.5), kernels.Laplace(2.0),
               kernels.Normalised(kernels.Polynomial(3, 1.0))], ids=repr,
)
def test_teams_of_herding_take_the_same_bits(kernel, dtype, monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(residual, "SHARE", 1)
    given = kernel, POINTS.astype(dtype), WEIGHTS * np.where(POINTS[:, 0] > 0, 1, -1), 60
    # Of a machine that does nothing else, that has work for all, and on which nobody comes.
    teams, seen = [(1, 9), (2, 9), (3, 9), (3, 0), (3, 2), (3, 9)], []
    for place, (workers, free) in enumerate(teams):
        monkeypatch.setattr(threads, "threads", lambda count=workers: count)
        monkeypatch.setattr(residual, "threads", lambda count=workers: count)
        monkeypatch.setattr(residual, "_free", lambda count=free: count)
        if place == len(teams) - 1:
            monkeypatch.setattr(residual._Team, "_follow", lambda *of: None)
        found = nt.sparse.herding(*given)
        seen.append(np.concatenate([found.picks, found.errors, found.weights]))
    np.testing.assert_array_equal(seen[1:], seen[:1] * (len(teams) - 1))


def test_of_a_step_each_of_a_team_takes_its_pieces_once(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(residual, "SHARE", 1)
    monkeypatch.setattr(residual, "threads", lambda: 2)
    target = Target(kernels.Gaussian(1.5), POINTS, WEIGHTS)
    alone, shared = (residual.Residual(target, target.scores) for _ in range(2))
    alone.move(0, 0.5)
    team, compiled = shared._team, shared._team.compiled
    own = (shared.values[0] + target.scores[0] - target.diagonal[0]) / 2
    done, half = team.state[compiled.DONE * compiled.GAP :], team.pieces // 2
    assert half >= 2
    # The other one first, who is told of the step by hand, and sleeps when no more comes.
    team.arrays[1][:] = 0, 0.5, own, team.scales[1][0], 2
    team.state[compiled.STEP * compiled.GAP] = 1
    before = shared.values.copy()
    assert compiled.follow(team.state, 0, 1, *team.arrays) == 1
    assert done[0] == team.pieces - half
    assert compiled.released(team.state, False) == 1
    first = half * team.arrays[0] * compiled.BLOCK
    np.testing.assert_array_equal(shared.values[:first], before[:first])
    np.testing.assert_array_equal(shared.values[first:], alone.values[first:])
    assert compiled.lead(team.state, 1, 0, 0.5, 2, *team.scales, *team.arrays)
    assert done[0] == team.pieces
    np.testing.assert_array_equal(shared.values, alone.values)
    assert compiled.follow(team.state, 1, 1, *team.arrays) == 1
    assert compiled.released(team.state, True) == 1
    assert compiled.follow(team.state, 1, 1, *team.arrays) == compiled.OVER


@pytest.mark.parametrize("free", [-3, 1, 2])
def test_a_team_is_gathered_only_where_processors_are_free(free, monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(residual, "SHARE", 1)
    monkeypatch.setattr(residual, "threads", lambda: 2)
    monkeypatch.setattr(residual, "_free", lambda: free)
    lent = []
    monkeypatch.setattr(residual, "lent", lambda size: lent.append(size) or threads.lent(size))
    nt.sparse.herding(kernels.Gaussian(1.5), POINTS, WEIGHTS, 60)
    assert lent == ([1] if free > 1 else [])


def test_a_team_rests_that_takes_longer_than_one(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", 1)
    monkeypatch.setattr(residual, "SHARE", 1)
    monkeypatch.setattr(residual, "threads", lambda: 2)
    monkeypatch.setattr(residual, "_free", lambda: 2)
    # A clock by which a step of two takes ten times as long.
    now, teams = [0.0], []
    monkeypatch.setattr(residual.time, "perf_counter", lambda: now[0])
    target = Target(kernels.Gaussian(1.5), POINTS, WEIGHTS)
    with residual.Residual(target, target.scores) as left:
        team = left._team
        plain = team.compiled.lead

        def lead(*of):
            teams.append(team.team)
            now[0] += 10.0 if team.team > 1 else 1.0
            return plain(*of)

        monkeypatch.setattr(team.compiled, "lead", lead)
        for place in range(500):
            left.move(place, 0.5)
    assert set(teams[:2]) == {1}
    assert 2 in teams
    assert teams.count(2) < 20


@pytest.mark.parametrize("workers", [1, 3])
def test_work_that_fails_ends_what_was_begun(workers):
    begun = []

    def work(item):
        begun.append(item)
        if item == 5:
            raise ZeroDivisionError
        return item

    done = []
    with pytest.raises(ZeroDivisionError):
        for found in threads.in_order(work, range(1000), workers):
            done.append(found)
    assert done == [0, 1, 2, 3, 4]
    assert len(begun) <= 6 + 2 * workers
    # Nobody waits for who stops asking, either.
    asked = threads.in_order(work, range(6, 1000), workers)
    assert [next(asked), next(asked)] == [6, 7]
    asked.close()
    assert list(threads.in_order(work, range(6, 100), workers)) == [*range(6, 100)]


def test_threads_wait_for_the_next_work_and_nested_work_has_its_own():
    def names(count):
        return {*threads.in_order(lambda _: threading.current_thread().name, range(99), count)}

    assert len(names(3) | names(3) | names(3)) <= 3
    for outer in threads.in_order(lambda item: item, range(9), 3):
        assert [*threads.in_order(lambda item: item, range(9), 3)] == [*range(9)], outer
    inside = threads.in_order(
        lambda item: sum(threads.in_order(lambda own: own * item, range(9), 3)), range(9), 3
    )
    assert [*inside] == [36 * item for item in range(9)]
    assert sum(len(pools) for pools in threads._idle.values()) < 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that is forked")
def test_a_forked_process_starts_threads_of_its_own():
    code = """
import os
from noisytheory.vocabulary.threads import in_order
assert [*in_order(abs, range(9), 3)] == [*range(9)]
child = os.fork()
if not child:
    os._exit([*in_order(abs, range(9), 3)] != [*range(9)])
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr


@pytest.mark.parametrize(
    "algorithm", [nt.sparse.herding, nt.sparse.away_steps, nt.sparse.fully_corrective],
    ids=lambda algorithm: algorithm.__name__,
)
def test_rows_one_after_another_take_one_thread_of_linear_algebra(algorithm, monkeypatch):
    seen = set()

    def noted(self, *of, plain=Target.row):
        seen.add((of_linear_algebra(), threads.threads()))
        return plain(self, *of)

    monkeypatch.setattr(Target, "row", noted)
    with threadpool_limits(2):
        free = threads.threads()
        algorithm(kernels.Gaussian(1.5), POINTS, WEIGHTS, 5)
        assert of_linear_algebra() == 2
    # Tiles, which share their work out, may still have all of them.
    assert seen == {(1, free)}


LABELS = (POINTS[:, 0] > 0).astype(int)
BESIDE = np.array([[0.9, 0.1], [0.1, 0.9]])
LOOPS = {
    "average top-k": ("topics.top_k.design:Design.scores",
                      lambda: nt.AverageTopKClassifier(k=400).fit(POINTS, LABELS)),
    "its path": ("topics.top_k.design:Design.scores",
                 lambda: nt.AverageTopKClassifier(k=400).path(POINTS, LABELS, [300, 400])),
    "uma": ("topics.multiclass.kept:Dense.update",
            lambda: nt.UMAClassifier(max_iter=5).fit(POINTS, LABELS)),
    "noisy kernels": ("topics.online.expansion:_prefixes",
                      lambda: nt.NoisyKernelClassifier(random_state=0).fit(POINTS / 10, LABELS)),
    "corrected logistic": ("learners.corrected_logistic:np.log",
                           lambda: nt.CorrectedLogisticRegression(BESIDE).fit(POINTS, LABELS)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_small_products_take_one_thread_of_linear_algebra(name, monkeypatch):
    place, work = LOOPS[name]
    module, _, path = place.partition(":")
    owner = importlib.import_module(f"noisytheory.{module}")
    *parents, last = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    plain, seen = getattr(owner, last), set()

    def noted(*of, **named):
        seen.add(of_linear_algebra())
        return plain(*of, **named)

    monkeypatch.setattr(owner, last, noted)
    with threadpool_limits(2):
        work()
        assert of_linear_algebra() == 2
    assert seen == {1}


def test_compiled_loops_find_all_linear_algebra_on_one_thread():
    """SciPy's, too, which they load: in a process where nobody else has."""
    code = """
import numpy as np
from threadpoolctl import threadpool_info
from noisytheory.vocabulary.threads import one_thread_each
with one_thread_each():
    from noisytheory.vocabulary.compiled import TWOS, WIDE, stripe_sums
    none = np.ones((1, 1))
    wide = np.ones((1, 1, WIDE))
    stripe_sums(none, 0, wide, TWOS, none[0], none, none, *(none[0].copy() for _ in range(4)))
    print({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
"""
    more = {f"{name}_NUM_THREADS": "2" for name in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **more}
    )
    assert done.stdout == "{1}\n", done.stderr


def test_a_single_tile_starts_no_thread(monkeypatch):
    monkeypatch.setattr(kernels, "in_order", None)
    kernels.Gaussian(1.5)(POINTS[:50])


@pytest.mark.parametrize("rows, most", [(400, 1), (150_000, 4)])
def test_few_scores_are_not_worth_a_thread(rows, most, monkeypatch):
    """Of 800 scores one thread finds all slopes, and the same ones as four do of many."""
    scores = np.resize(np.random.default_rng(0).normal(size=(400, 2)), (rows, 2))
    codes = np.resize(np.arange(400) % 4 > 0, rows).astype(int)
    given = scores, codes, np.full(rows, 1 / rows)
    alone, seen, asked = probabilities.fit_slope(*given), set(), []
    together, plain, lent = threading.Barrier(most, timeout=60), probabilities.powers, threads.lent

    def noted(*of):
        # All that there are shall come, however short the work is.
        together.wait()
        seen.add(threading.get_ident())
        return plain(*of)

    monkeypatch.setattr(probabilities, "powers", noted)
    monkeypatch.setattr(threads, "lent", lambda size: asked.append(size) or lent(size))
    assert probabilities.fit_slope(*given, None, 4) == alone
    assert (len(seen), asked) == (most, [most - 1] * (most > 1))
