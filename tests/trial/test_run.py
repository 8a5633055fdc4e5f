"""The audit: addresses, engines, early stopping, results."""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import json
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from multiprocessing import get_context, parent_process
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from threading import Event, Thread

import cloudpickle
import kills
import numpy as np
import planted
import pytest
import xarray as xr

import noisytheory as nt
from noisytheory.trial.catalogue import load_file
from noisytheory.trial.draws import ClaimError, block_generator, draw
from noisytheory.trial.engine import Engine, EngineError, Serial
from noisytheory.trial.result import replay_address
from noisytheory.trial.run import Unfinished, select
from noisytheory.trial.store import Store, StoreError
from noisytheory.trial.worker import BlankMainContext

FAMILY = [
    planted.at_level(), planted.hoeffding(), planted.data_dependent(), planted.mean(),
    planted.same_law(), planted.always(), planted.exhaustive(), planted.rate(),
]


def run(claims=None, **settings):
    settings = {"budget": "smoke", "seed": 5, **settings}
    return nt.audit(FAMILY if claims is None else claims, **settings)


def assert_identical(left, right):
    """Bit for bit, attributes included."""
    assert list(left.results) == list(right.results)
    for claim_id, result in left.results.items():
        xr.testing.assert_identical(result.dataset.load(), right[claim_id].dataset.load())


@pytest.fixture(scope="module")
def reference():
    with run() as audit:
        yield audit


def test_a_block_depends_on_its_address_only():
    first = block_generator(7, "a/b", "n=1", 3).random(4)
    assert np.array_equal(first, block_generator(7, "a/b", "n=1", 3).random(4))
    others = [(8, "a/b", "n=1", 3), (7, "a/c", "n=1", 3), (7, "a/b", "n=2", 3),
              (7, "a/b", "n=1", 4)]
    for other in others:
        assert not np.array_equal(first, block_generator(*other).random(4))


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**64 + 5])
def test_the_stream_of_an_address_is_that_of_a_seed_sequence(seed):
    digest = hashlib.blake2b(b"a/b\nn=1", digest_size=16).digest()
    entropy = [seed, *struct.unpack("<4I", digest)]
    plain = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(3,)))
    ours = block_generator(seed, "a/b", "n=1", 3)
    assert ours.bit_generator.state == plain.bit_generator.state
    assert ours.spawn(1)[0].bit_generator.state == plain.spawn(1)[0].bit_generator.state


def test_extending_the_grid_keeps_every_draw():
    small, large = planted.hoeffding(), planted.hoeffding(grid={"n": [5, 10, 100], "delta": [0.1]})
    np.testing.assert_array_equal(
        draw(small, {"n": 100}, 2, seed=1)["lhs"], draw(large, {"n": 100}, 2, seed=1)["lhs"]
    )


def test_two_processes_give_the_same_bits(reference):
    with run(workers=2) as other:
        assert_identical(reference, other)


def test_cells_described_one_by_one_give_the_same_bits(reference, monkeypatch):
    monkeypatch.setattr("noisytheory.trial.description._TOGETHER", 1)
    with run() as other:
        assert_identical(reference, other)


@pytest.mark.parametrize("blocks", [1, 7])
def test_blocks_weighed_in_other_company_give_the_same_bits(reference, monkeypatch, blocks):
    # How many travel together depends on the clock.
    monkeypatch.setattr("noisytheory.trial.run._TASK_BLOCKS", blocks)
    with run() as other:
        assert_identical(reference, other)


def test_any_executor_gives_the_same_bits(reference):
    with ThreadPoolExecutor(3) as pool, run(executor=pool) as other:
        assert_identical(reference, other)


def _dies_once(marker, *, size, rng):
    path = Path(marker)
    if size > 8 and path.exists() and parent_process() is not None:
        path.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.uniform(size=size)


@pytest.mark.crash
def test_a_dead_worker_costs_its_block_not_the_run(tmp_path):
    marker = tmp_path / "marker"
    claim = planted.PAPER.tail(
        "dies", statement="x", bound=planted._level, simulate=_dies_once, rows=64,
        grid={"marker": [str(marker).replace(",", "")], "delta": [0.5]}, expect="undecided",
    )
    with run([claim]) as quiet:
        marker.touch()
        with run([claim], workers=2) as other:
            assert not marker.exists()
            assert_identical(quiet, other)


def _dies_in_workers(n, *, size, rng):
    if size > 8 and parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.uniform(size=size)


def _ends(n, *, size, rng):
    os._exit(0)


def _ends_at_short_blocks(n, *, size, rng):
    if size < 8:
        os._exit(0)
    return rng.uniform(size=size) / 2


def _ties(*, size, rng):
    return {"lhs": np.ones(size), "rhs": np.ones(size)}


def _ends_as_it_certifies(lhs):
    os._exit(0)


def _ends_as_a_bound(n):
    if n == 2:
        os._exit(0)
    return 0.6


class _Unheard(BaseException):
    pass


def _raises(n, *, size, rng):
    raise _Unheard("of")


def _interrupts(n, *, size, rng):
    raise KeyboardInterrupt


@pytest.mark.crash
def test_a_process_that_begins_as_its_pool_breaks_is_ended():
    # A call that comes while the pool ends its workers starts one more, for which nobody asks then:
    # it waited for ever, and so did who ended.
    with Engine(1, None, None) as engine:
        pool = engine.executor
        with pytest.raises(BrokenProcessPool):
            engine.result(engine.call(os._exit, 3))
        late = BlankMainContext().Process(target=signal.pause, daemon=True)
        late.start()
        pool._processes[late.pid] = late
        engine.restart()
        late.join(30)
        assert late.exitcode == -signal.SIGKILL


def test_a_claim_whose_workers_die_leaves_the_others_their_results(tmp_path, monkeypatch):
    def of(name, simulate, **grid):
        return planted.PAPER.tail(
            name, statement="x", bound=planted._level, simulate=simulate, rows=64,
            grid={**grid, "delta": [0.5]}, expect="undecided",
        )

    marker = tmp_path / "marker"
    fine, other = planted.hoeffding(), of("fine", planted._uniform, n=[1, 2, 3])
    once = of("once", _dies_once, marker=[str(marker)])
    with run([fine, once, other]) as quiet:
        marker.touch()
        # Many tasks of several claims are lost with the pool; the submission may be what sees it.
        with run([fine, once, other], workers=2) as again:
            assert not marker.exists()
            assert_identical(quiet, again)
    dies = of("dies", _dies_in_workers, n=[1, 2, 3, 4, 5, 6])
    ends, raises = of("ends", _ends, n=[1]), of("raises", _raises, n=[1])
    interrupts = of("interrupts", _interrupts, n=[1])
    monkeypatch.setattr("noisytheory.trial.engine.DEATHS", 1)
    bound = planted.PAPER.mean(
        "bound", statement="x", bound=_ends_as_a_bound, simulate=planted._uniform, high=1.0,
        grid={"n": [1, 2]},
    )
    late = of("late", _ends_at_short_blocks, n=[1])  # when its rows are compared
    exact = planted.PAPER.always(
        "exact", statement="x", simulate=_ties, certify=_ends_as_it_certifies, rows=64,
    )
    with pytest.raises(Unfinished) as caught:
        run([fine, ends, late, bound, exact, dies, interrupts, raises, other], workers=1)
    with caught.value.audit as found:
        assert [result.claim.id for result in found] == [fine.id, other.id]
    said = {name: str(error) for name, error in caught.value.faults.items()}
    assert said.pop("planted/raises").endswith("simulate raised RuntimeError: _Unheard('of')")
    assert said.pop("planted/interrupts") == "the claim's code raised KeyboardInterrupt"
    assert said.keys() == {f"planted/{name}" for name in ("ends", "late", "bound", "exact", "dies")}
    for name, text in said.items():
        how = "SIGKILL (out of memory?)" if name.endswith("/dies") else "exit code 0"
        assert text == f"{name}: a worker that works on it alone dies, 2 times in a row: {how}"
    with pytest.raises(ClaimError, match="works on it alone dies"):
        run([dies], workers=2)


def _of_a_worker(value):
    """A value that no process gives but a worker: what ends it must not end the audit."""
    assert parent_process() is not None
    return value


def _uniform_of_a_worker(*, size, rng):
    return {"lhs": _of_a_worker(rng.uniform(size=size)), "scale_of_it": np.ones(size)}


def _certified_by_a_worker(lhs):
    return nt.Certificate(int(lhs), _of_a_worker(1))


@pytest.mark.crash
def test_what_a_user_declares_is_worked_out_by_workers(tmp_path):
    def tail(name, **of):
        return planted.PAPER.tail(
            name, statement="x", simulate=_uniform_of_a_worker, rows=64, grid={"delta": [0.5]},
            **{"bound": lambda delta: _of_a_worker(1 - delta / 2), **of},
        )

    claims = [
        tail("level"),
        tail("default", bound=lambda delta, half=0.5: _of_a_worker(1 - half * delta)),
        tail("drawn", bound=lambda scale_of_it, delta: _of_a_worker(scale_of_it - delta / 2)),
        tail("trivial", trivial=lambda: _of_a_worker(2.0), slack=lambda: _of_a_worker(0.0)),
        planted.PAPER.always(
            "ties", statement="x", simulate=_ties, certify=_certified_by_a_worker, rows=64
        ),
    ]
    for _ in range(2):  # Once more, with blocks of the store.
        with run(claims, workers=1, store=tmp_path / "store") as found:
            assert all(result.verdict == "upheld" for result in found)


class _Broken(Serial):
    """A pool that is found to be broken at its first submissions only."""

    def __init__(self, times):
        self.times = times

    def submit(self, fn, /, *args, **kwargs):
        self.times -= 1
        if self.times >= 0:
            raise BrokenProcessPool("broken")
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("times", [1, 3])
def test_a_pool_found_broken_when_it_is_given_work_is_replaced(monkeypatch, times):
    pool = _Broken(times)
    monkeypatch.setattr(Engine, "_start", lambda self: setattr(self, "executor", pool))
    claim = planted.hoeffding()
    if times == 3:
        with pytest.raises(ClaimError, match="workers die before they have anything to do"):
            run([claim], workers=2)
        return
    with run([claim], workers=2) as again, run([claim]) as quiet:
        assert_identical(quiet, again)


def test_an_interrupt_waits_until_a_process_has_been_told_all(monkeypatch):
    done, now = [], Event()

    def key():  # in a thread that is there already, as a pool's are, and masks nothing
        now.wait()
        signal.raise_signal(signal.SIGINT)

    def start(process):
        now.set()
        other.join()
        done.append(process)

    monkeypatch.setattr(SpawnProcess, "_Popen", staticmethod(start))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    other = Thread(target=key)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            BlankMainContext.Process._Popen("process")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["process"]


def test_a_pool_whose_own_thread_dies_is_no_hang(monkeypatch, capsys):
    def start(self, plain=Thread.start):
        if self.name == "QueueFeederThread":
            raise RuntimeError("can't start new thread")
        plain(self)

    monkeypatch.setattr("noisytheory.trial.engine._GLANCE", 0.1)
    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(EngineError, match="a thread that gives processes work died"):
        run([planted.hoeffding()], workers=1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("workers", [0, 2])
def test_leaving_or_a_missing_file_stops_one_claim_only(workers):
    def leaves(n, *, size, rng):
        sys.exit("enough")

    def no_file(n, delta):
        raise FileNotFoundError(2, "No such file", "x.npy")

    fine = planted.hoeffding()
    left = dataclasses.replace(fine, id="test/left", simulate=leaves)
    lost = dataclasses.replace(fine, id="test/lost", bound=no_file)
    with pytest.raises(Unfinished) as caught:
        run([left, fine, lost], workers=workers)
    with caught.value.audit as found:
        assert [result.claim.id for result in found] == [fine.id]
    kinds = {name: type(error) for name, error in caught.value.faults.items()}
    # What a worker raised is said as text.
    lost = ClaimError if workers else FileNotFoundError
    assert kinds == {"test/left": ClaimError, "test/lost": lost}
    assert "No such file" in str(caught.value.faults["test/lost"])


def test_serial_is_an_executor():
    future = Serial().submit(divmod, 7, 2)
    assert future.result() == (3, 1)
    with pytest.raises(ZeroDivisionError):
        Serial().submit(divmod, 7, 0).result()


def test_early_stopping_is_per_cell():
    result = nt.audit(planted.hoeffding(), budget="standard", seed=3)
    blocks = result.summary["replicates"].values // 1024
    # Powers of two: looks happen when the number of blocks has doubled.
    assert set(blocks.tolist()) <= {1, 2, 4, 8, 16}
    assert result.verdict == "upheld" and blocks.max() < 16


def test_replicates_override_the_budget():
    result = nt.audit(planted.at_level(), replicates=1000, seed=3)
    assert set(result.summary["replicates"].values.ravel().tolist()) == {1024}


def test_the_dataset_is_labelled_and_complete(reference):
    data = reference["planted/hoeffding"].dataset
    assert data["lhs"].dims == ("n", "chain", "draw")
    assert data["rhs"].dims == ("n", "delta")
    drawn = data["lhs"].notnull().sum(("chain", "draw"))
    np.testing.assert_array_equal(drawn, data["replicates"])
    violations = (data["lhs"] > data["rhs"]).sum(("chain", "draw"))
    xr.testing.assert_equal(
        violations.transpose("n", "delta").drop_attrs(), data["violations"].drop_attrs()
    )
    assert data["rhs"].sel(n=100, delta=0.1).item() == pytest.approx(0.10729830131446737)
    for name in data.data_vars:
        assert data[name].attrs.get("long_name"), name
    for needed in ("claim", "fingerprint", "seed", "version", "alpha", "verdict", "statement"):
        assert needed in data.attrs


def test_the_tree_opens_by_claim(reference):
    tree = reference.tree
    assert tree["planted"].children
    assert tree.attrs["seed"] == 5


def test_a_draw_replays_from_its_address(reference):
    result = reference["planted/data-dependent"]
    found = result.replay()
    assert found["claim"] == "planted/data-dependent"
    index = [result.claim.address(c) for c in result.claim.cells()].index(found["cell"])
    again = replay_address(result.claim, index, found["block"], found["row"], seed=found["seed"])
    assert again == found
    data = result.dataset
    cell = data["lhs"].isel(n=index)
    assert float(found["lhs"]) == pytest.approx(
        cell.values[found["block"], found["row"]], rel=1e-11
    )


def test_results_say_what_they_are(reference):
    text = repr(reference["planted/hoeffding"])
    assert text.startswith("planted/hoeffding: upheld (4 of 4 upheld)")
    summary = reference.to_dict()
    json.dumps(summary, allow_nan=False)
    assert [c["id"] for c in summary["claims"]] == [c.id for c in FAMILY]


@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
def test_save(reference, tmp_path, suffix):
    path = tmp_path / f"theorem{suffix}"
    reference["planted/hoeffding"].save(path)
    opened = xr.open_dataset(path, engine="zarr" if suffix == ".zarr" else "scipy")
    with opened:
        np.testing.assert_array_equal(
            opened["lhs"], reference["planted/hoeffding"].dataset["lhs"]
        )
        assert opened.attrs["verdict"] == "upheld"


@pytest.mark.parametrize("what", ["photos", "store", "beside", "file"])
def test_save_deletes_no_folder_of_others(reference, tmp_path, what):
    """Whatever was in a folder of that name went for the new one, a whole store among others."""
    path = tmp_path / "run.zarr"
    one = reference["planted/hoeffding"]
    for _ in range(2):
        one.save(path)
    if what == "beside":
        (path / "notes.txt").write_text("of others")
    else:
        shutil.rmtree(path)
        if what == "store":
            run([planted.cited()], store=path).close()
        elif what == "file":
            path.write_text("of others")
        else:
            path.mkdir()
            (path / "a.jpg").write_text("of others")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(FileExistsError, match="it is left alone"):
        one.save(path)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_arviz_plots_what_we_store(reference):
    """The dataset follows ArviZ's names: its forest and its ECDF need no conversion."""
    import matplotlib

    matplotlib.use("Agg")
    import arviz_plots

    draws = xr.DataTree.from_dict(
        {"posterior": reference["planted/hoeffding"].dataset[["lhs"]].isel(chain=[0])}
    )
    forest = arviz_plots.plot_forest(draws)
    curves = arviz_plots.plot_dist(draws, kind="ecdf")
    assert forest.viz.children and curves.viz.children


def test_cited_claims_are_stored(tmp_path):
    with run([planted.cited(), planted.mean()], store=tmp_path / "store"):
        pass
    with xr.open_datatree(tmp_path / "store", engine="zarr") as tree:
        assert tree["planted/quoted"].attrs["verdict"] == "undecided"


def test_save_refuses_other_suffixes(reference, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.nc or \.zarr"):
        reference["planted/hoeffding"].save(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"alpha": 0}, r"alpha must be a number in \(0, 1\), got 0"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"budget": "tiny"}, "budget must be one of smoke, standard, full, got 'tiny'"),
        ({"replicates": 0}, "replicates must be a whole number >= 1 and <= "),
        ({"replicates": 10**15}, "got 1000000000000000"),
        ({"workers": -1}, "workers must be a whole number >= 0 and <= 1,000, got -1"),
        ({"workers": 10**12}, "workers must be a whole number >= 0 and <= 1,000, got 1000000000"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        run(**settings)


@pytest.mark.parametrize(
    ("simulate", "message"),
    [
        (lambda n, *, size, rng: 1 / 0, "block 0: simulate raised ZeroDivisionError"),
        (lambda n, *, size, rng: np.zeros(3), r"shape \(3,\), not \(64, ...\)"),
        (lambda n, *, size, rng: np.full(size, np.nan), "returned NaN in lhs"),
        (lambda n, *, size, rng: {"x": np.zeros(size)}, "returned no 'lhs'"),
        (lambda n, *, size, rng: {"lhs": np.zeros((size, 2))}, r"lhs must have shape \(64,\)"),
    ],
)
def test_a_claim_that_cannot_be_tried(simulate, message):
    claim = planted.PAPER.tail("bad", statement="x", bound=planted._level, simulate=simulate,
                               rows=64, grid={"n": [1], "delta": [0.5]})
    with pytest.raises(ClaimError, match=f"planted/bad at n=1.*{message}"):
        run(claim)


def _endless(n, *, size, rng):
    return {"lhs": np.full(size, np.inf), "rhs": np.ones(size)}


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(
    ("certify", "message"),
    [
        (lambda lhs: nt.Certificate(Fraction(float(lhs)), 1),
         "lhs of a draw is infinite, which is no number of exact arithmetic"),
        (lambda lhs: nt.Certificate(lhs, 1), "a Certificate needs whole numbers or Fractions"),
    ],
)
def test_an_infinite_draw_that_nothing_certifies(certify, message, workers):
    claim = planted.PAPER.always("endless", statement="x", simulate=_endless, certify=certify,
                                 rows=64, grid={"n": [1]})
    with pytest.raises(ClaimError, match=f"planted/endless at n=1: {message}"):
        run(claim, workers=workers)


def _fails(n, *, size, rng):
    if size > 1:
        raise KeyError("lost")
    return np.zeros(size)


def _no_bound(n, delta):
    raise ZeroDivisionError("none")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_claim_that_fails_leaves_the_others_their_results(workers, tmp_path):
    good = planted.hoeffding()
    claims = [
        planted.hoeffding("first", simulate=_fails), good,
        dataclasses.replace(planted.hoeffding("second"), bound=_no_bound),
    ]
    alone = nt.audit([good, planted.hoeffding("third"), planted.hoeffding("fourth")],
                     budget="smoke")
    with pytest.raises(Unfinished, match=r"^2 of 3 claims could not be tried") as caught:
        nt.audit(claims, budget="smoke", workers=workers, store=str(tmp_path / "s"))
    assert caught.value.faults.keys() == {"planted/first", "planted/second"}
    assert isinstance(caught.value.faults["planted/first"], ClaimError)
    second = caught.value.faults["planted/second"]
    assert isinstance(second, ClaimError if workers else ZeroDivisionError)
    (found,) = caught.value.audit
    # The level was shared with those that failed.
    xr.testing.assert_equal(found.dataset, alone[good.id].dataset)


def test_where_every_claim_fails_the_first_fault_is_raised():
    claims = [planted.hoeffding(name, simulate=_fails) for name in ("first", "second")]
    with pytest.raises(ClaimError, match=r"simulate raised KeyError"):
        nt.audit(claims, budget="smoke")


def test_unknown_claims_and_wrong_types():
    with pytest.raises(ValueError, match="unknown claim id 'nonsense/theorem'"):
        nt.audit("nonsense/theorem")
    with pytest.raises(ValueError, match="claims must name at least one"):
        nt.audit([])
    with pytest.raises(ValueError, match="ids or Claim objects, got 3"):
        nt.audit([3])
    with pytest.raises(ValueError, match="two claims have the id"):
        nt.audit([planted.mean(), planted.mean()])


@pytest.mark.parametrize(("paper", "name"), [("mine", "T"), ("Mine", "u"), ("mine", "T/part")])
def test_ids_that_differ_by_case_are_refused(paper, name):
    """On some file systems their folders would be one; two claims got one page."""
    first, part, other = (
        nt.Paper(own, "x").cited(its, statement="x")
        for own, its in (("mine", "t"), ("mine", "t/part"), (paper, name))
    )
    with pytest.raises(ValueError, match="differ by case only"):
        select([first, other])
    assert select([first, part]) == [first, part]



def test_claims_travel_by_value():
    claim = planted.hoeffding()
    again = cloudpickle.loads(cloudpickle.dumps(claim))
    assert again.id == claim.id and again.fingerprint() == claim.fingerprint()
    assert pickle.loads(pickle.dumps(planted.mean())).kind == "mean"


def test_fingerprints_see_code_and_parameters():
    base = planted.hoeffding()
    assert base.fingerprint() == planted.hoeffding().fingerprint()
    assert base.fingerprint() != planted.hoeffding(rows=2048).fingerprint()
    other = planted.hoeffding(simulate=lambda n, *, size, rng: rng.binomial(n, 0.4, size) / n)
    assert base.fingerprint() != other.fingerprint()


SIMULATED = """
def simulate(n, *, size, rng): return rng.binomial(n, P, size) / n
mine = nt.Paper("mine", "x").mean("m", statement="x", bound=lambda n: 0.6, high=1.0,
                                  simulate=simulate, grid=dict(n=[10]))
"""
WORKED = """
def cases(n): return [nt.Certificate(P, n)]
mine = nt.Paper("mine", "x").always("m", statement="x", grid=dict(n=[10]), **worked(cases))
"""
WEIGHED = """
def bound(n): return P * n
mine = nt.Paper("mine", "x").always("m", statement="x", grid=dict(n=[10]), bound=bound,
                                    exact=lambda n: dict(lhs=np.zeros(1)))
"""


@pytest.mark.parametrize("text", [SIMULATED, WORKED, WEIGHED])
def test_a_change_in_an_imported_file_changes_the_fingerprint(text, tmp_path, monkeypatch):
    (tmp_path / "helper_of_theorem.py").write_text("P = 0.5\n")
    (tmp_path / "a_theorem.py").write_text(
        "import numpy as np\nimport noisytheory as nt\nfrom noisytheory.trial.sides import worked\n"
        f"from helper_of_theorem import P\n{text}"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def fingerprint():
        sys.modules.pop("helper_of_theorem", None)
        return load_file(tmp_path / "a_theorem.py")[0].fingerprint()

    first = fingerprint()
    assert fingerprint() == first
    (tmp_path / "helper_of_theorem.py").write_text("P = 0.9\n")
    assert fingerprint() != first


@pytest.mark.parametrize("claim_id", [
    "kernel-mean/margin-for-error", "kernel-mean/theorem-5", "kernel-mean/relation-mmd/variation",
])
def test_what_every_number_goes_through_is_in_every_fingerprint(claim_id, monkeypatch):
    from noisytheory.trial import fingerprint

    claim = nt.claims[claim_id]
    first, contents = claim.fingerprint(), fingerprint._contents
    for name in ("claim.py", "draws.py", "sides.py"):
        def edited(path, name=name):
            return contents(path) + b"#" * (path.name == name and path.parent.name == "trial")

        monkeypatch.setattr(fingerprint, "_contents", edited)
        assert claim.fingerprint() != first, name


def test_the_imports_of_our_files_are_those_that_python_parses():
    from noisytheory.trial import fingerprint

    for path in sorted(fingerprint._PACKAGE.rglob("*.py")):
        source, package = path.read_bytes(), fingerprint._package_of(path)
        quickly = b"\n".join(fingerprint._IMPORT.findall(source))
        assert fingerprint._names(quickly, package) == fingerprint._names(source, package), path


@pytest.mark.parametrize(("claim_id", "file"), [
    ("kernel-mean/corollary-23/printed", "sparse/farthest_first.py"),
    # Nothing is drawn: instances are worked in fractions.
    ("kernel-mean/relation-mmd/variation", "surrogates/discrepancy/simulate.py"),
])
def test_a_file_is_in_the_fingerprints_of_claims_on_it_only(claim_id, file, monkeypatch):
    from noisytheory.trial import fingerprint

    on_it, other = nt.claims[claim_id], nt.claims["kernel-mean/lemma-10"]
    first, contents = (on_it.fingerprint(), other.fingerprint()), fingerprint._contents
    monkeypatch.setattr(
        fingerprint, "_contents",
        lambda path: contents(path) + b"#" * path.as_posix().endswith(file),
    )
    assert on_it.fingerprint() != first[0] and other.fingerprint() == first[1]


def test_what_is_installed_beside_a_file_is_no_part_of_it(tmp_path, monkeypatch):
    """The environment of the README's command lies in the folder of the user's file."""
    packages = tmp_path / ".venv" / "lib" / "site-packages"
    package = packages / "installed_here"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "P = 0.5\ndef beyond():\n    from ... import nothing\n"
    )
    (tmp_path / "b_theorem.py").write_text(
        "import numpy as np\nimport noisytheory as nt\nfrom installed_here import P\n"
        "from noisytheory import kernels\n"
        "def simulate(n, *, size, rng): return rng.binomial(n, P, size) / n\n"
        "mine = nt.Paper('mine', 'x').mean('m', statement='x', bound=lambda n: 0.6, high=1.0,\n"
        "                                  simulate=simulate, grid=dict(n=[10]))\n"
    )
    monkeypatch.syspath_prepend(packages)
    (claim,) = load_file(tmp_path / "b_theorem.py")
    first = claim.fingerprint()
    (package / "__init__.py").write_text("P = 0.5\n# another comment\n")
    assert claim.fingerprint() == first
    assert nt.audit(claim, budget="smoke").verdict == "upheld"
    # A file that lies where this package does brings nothing of it but its version.
    from noisytheory.trial import fingerprint

    package = Path(fingerprint.__file__).parents[1]
    assert fingerprint.loaded(fingerprint, package.parent) == []


def test_a_script_without_a_main_guard_may_use_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import noisytheory as nt\n"
        "def simulate(n, *, size, rng): return rng.uniform(size=size)\n"
        "mine = nt.Paper('mine', 'x').mean('m', statement='x', bound=lambda n: 0.6, high=1.0,\n"
        "                                  simulate=simulate, grid=dict(n=[10, 20]))\n"
        "print(nt.audit(mine, budget='smoke', workers=2).verdict)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("upheld\n", 0), done.stderr


def test_a_store_of_another_audit_is_refused(tmp_path):
    own = {"claims": [planted.mean()], "store": tmp_path / "store"}
    run(**own).close()
    run(**own).close()
    others = [
        ({"seed": 6}, "seed 5, this run has 6"),
        ({"alpha": 0.05}, "an audit at level 0.01"),
        ({"budget": "standard"}, "an audit with budget smoke"),
        ({"claims": [planted.equal()]}, r"an audit of other claims \(1 in all\)"),
        ({"claims": [planted.mean(simulate=lambda n, *, size, rng: rng.uniform(size=size) ** 2)]},
         "planted/mean from other code or parameters"),
    ]
    for change, message in others:
        with pytest.raises(StoreError, match=message):
            run(**{**own, **change})
    run(**own).close()


@pytest.mark.parametrize("what", ["other code", "no journal", "link", "folder", "pipe"])
def test_what_is_in_the_place_of_a_journal_costs_that_claim_alone(tmp_path, what):
    """It refused the whole run."""
    own = {"claims": [planted.mean(), planted.equal()], "store": tmp_path / "store"}
    journal = tmp_path / "store" / ".journal" / "planted~mean.blocks"
    with Store.open(tmp_path / "other", {"seed": 5, "version": nt.__version__}) as other:
        other.claim("planted/mean", "f1", {"lhs": float}, 1, 2).put(
            0, 0, {"lhs": np.array([0.5, 0.25])})
    journal.parent.mkdir(parents=True)
    theirs = tmp_path / "other" / ".journal" / journal.name
    if what == "other code":
        journal.write_bytes(theirs.read_bytes())
    elif what == "no journal":
        journal.write_bytes(b"ten years of work")
    elif what == "link":
        journal.symlink_to(theirs)
    elif what == "folder":
        journal.mkdir()
    else:
        os.mkfifo(journal)
    before = theirs.read_bytes(), os.lstat(journal)[:7], os.lstat(journal).st_mtime_ns
    with pytest.raises(Unfinished, match=r"planted[~/]mean") as stopped:
        run(**own)
    assert [result.claim.id for result in stopped.value.audit] == ["planted/equal"]
    assert isinstance(stopped.value.faults["planted/mean"], StoreError)
    stopped.value.audit.close()
    assert (theirs.read_bytes(), os.lstat(journal)[:7], os.lstat(journal).st_mtime_ns) == before
    journal.rmdir() if what == "folder" else journal.unlink()
    assert len(run(**own)) == 2


@pytest.mark.crash
def test_killed_at_random_instants_and_resumed(tmp_path):
    """Fifty SIGKILLs; the store opens after each, no finished block is lost, the bits agree."""
    told = kills.kill_and_resume(tmp_path, kills=50, seed=1)
    assert told["kills"] == 50 and told["in the middle"] >= 5


def test_real_claims_give_the_same_bits_everywhere():
    """Digits and their Gram matrix: linear algebra that threads would round differently."""
    claims = ["kernel-mean/theorem-6", "kernel-mean/lemma-19/repaired"]
    with (
        run(claims, replicates=1) as serial,  # A block a cell.
        run(claims, replicates=1, workers=2) as processes,
    ):
        assert_identical(serial, processes)


def test_spawned_processes_of_ones_own(reference):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, run(executor=pool) as a:
        assert_identical(reference, a)


@pytest.mark.parametrize("claim_id", [
    "kernel-mean/figure-2",  # equal, exact
    "kernel-mean/random-subsampling-rate/mean-square",
    "kernel-mean/theorem-5/minimax",  # exists
    "kernel-mean/any-q-immunity/sharp",  # drawn, under hypotheses, with a bound of zero
    "kernel-mean/lemma-10",  # identity
    "average-classifier/theorem-4/candidate-c-2",  # tail, exact
])
def test_what_is_nearest_satisfies_the_hypotheses(claim_id):
    found = nt.audit(nt.claims[claim_id], budget="smoke").replay()
    assert found["claim"] == claim_id and found["lhs"] and found["rhs"]
    assert ["hypothesis", "does not hold here"] not in found["steps"]


def test_every_kind_replays():
    with run() as trial:
        for result in trial:
            assert {"claim", "cell", "block", "row", "lhs", "rhs", "steps"} <= set(result.replay())


@pytest.mark.parametrize("workers", [0, 1])
def test_memory_is_swept_seldom_while_an_audit_runs_and_as_before_after_it(workers):
    def sweeps(*, size, rng):
        return np.full(size, float(gc.get_threshold()[2])) + rng.random(size)

    claim = nt.Paper("mine", "Mine").mean(
        "sweeps", statement="x", bound=lambda: 1e9, simulate=sweeps, low=0.0, high=1e9)
    before = gc.get_threshold()
    with run([claim], workers=workers) as found:
        assert 100 <= float(found["mine/sweeps"].dataset["mean"]) < 101
    assert gc.get_threshold() == before


def test_a_simulator_may_not_use_a_global_generator():
    def simulate(n, *, size, rng):
        return np.random.random(size)  # noqa: NPY002

    with pytest.raises(ValueError, match="draws from a global random generator"):
        run(planted.mean_of("global", simulate=simulate, bound=lambda n: 1.0))


def test_a_dataset_and_its_store_tell_where_they_come_from(tmp_path):
    run([planted.mean()], store=tmp_path / "store").close()
    with xr.open_datatree(tmp_path / "store", engine="zarr") as tree:
        told = tree.attrs
        dataset = tree[next(g for g in tree.groups if g.count("/") == 2)].to_dataset()
    for name in ("machine", "python", "numpy", "scipy"):
        assert dataset.attrs[name] == told[name] != ""
    assert told["numpy"] == np.__version__ and told["started"].endswith("+00:00")
    assert len(told["commit"]) in (0, 40)
    assert dataset["n"].attrs == {"long_name": "sample size", "units": "1"}


def _dies_while_sending(marker, *, size, rng):
    path = Path(marker)
    if size > 8 and path.exists() and parent_process() is not None:
        path.unlink()
        for queue in [o for o in gc.get_objects() if isinstance(o, SimpleQueue)]:
            queue._wlock.acquire()
            os.write(queue._writer.fileno(), struct.pack("!i", 10**6) + b"the rest never comes")
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.uniform(size=size)


@pytest.mark.crash
def test_a_worker_that_dies_while_it_sends_blocks_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr("noisytheory.trial.engine._GLANCE", 0.2)
    marker = tmp_path / "marker"
    claim = planted.PAPER.tail(
        "sends", statement="x", bound=planted._level, simulate=_dies_while_sending, rows=64,
        grid={"marker": [str(marker).replace(",", "")], "delta": [0.5]}, expect="undecided",
    )
    with run([claim]) as quiet:
        marker.touch()
        with run([claim], workers=2) as other:
            assert not marker.exists()
            assert_identical(quiet, other)


def test_what_a_killed_worker_was_sending_is_not_waited_for():
    """An interrupt at that instant was answered when the patience at the end was over."""
    with pytest.raises(KeyboardInterrupt), Engine(2, None, None) as engine:
        pool = engine.executor
        engine.call(os.getpid).result()
        begun = struct.pack("!i", 10**6) + b"the rest never comes"
        os.write(pool._result_queue._writer.fileno(), begun)
        reader = pool._executor_manager_thread
        raise KeyboardInterrupt
    reader.join(60)
    assert not reader.is_alive()
