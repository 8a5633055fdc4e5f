"""A Dask cluster: the same bits whoever comes or goes, and a name for what cannot go on."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import time

import planted
import pytest
import xarray as xr

import noisytheory as nt
from noisytheory.trial import engine, worker

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

FAMILY = [planted.at_level(), planted.data_dependent(), planted.always()]


def run(**settings):
    return nt.audit(FAMILY, budget="smoke", seed=5, **settings)


def cluster(workers, **settings):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", **settings
    )


@pytest.fixture
def here():
    """A cluster whose scheduler and worker are threads of this process: it starts at once."""
    with cluster(1, processes=False) as found:
        yield found


def same_bits(left, right):
    for result in left:
        xr.testing.assert_identical(result.dataset.load(), right[result.claim.id].dataset.load())


def deserted(found):
    """Have all workers leave."""
    found.scale(0)
    found.sync(found._correct_state)


def once(action):
    """A progress function that acts at its first call: in the middle of the audit."""
    left = [action]

    def progress(*_):
        if left:
            left.pop()()

    return progress


@pytest.mark.crash
def test_a_worker_killed_and_one_that_joins_late_change_no_bit():
    with cluster(1) as found, run() as quiet:
        def replaced():
            next(iter(found.workers.values())).process.process.kill()
            found.scale(2)

        with run(scheduler=found.scheduler_address, progress=once(replaced)) as other:
            same_bits(quiet, other)


def test_a_result_that_is_here_when_its_worker_dies_is_no_error(here, monkeypatch):
    gathered = distributed.Client._gather

    async def then_lost(self, futures, *args, **settings):
        found = await gathered(self, futures, *args, **settings)
        for future in futures:
            future._state.lose()
        return found

    monkeypatch.setattr(distributed.Client, "_gather", then_lost)
    with run() as quiet, run(scheduler=here.scheduler_address) as other:
        same_bits(quiet, other)


@pytest.mark.parametrize(("name", "said"), [
    ("numpy", r"has numpy \S+, this run 1\.0: install there what is here, or take it off"),
    ("code", r"has noisytheory of other code, this run 1\.0: "),
])
def test_a_worker_of_another_version_is_refused_by_name(here, monkeypatch, name, said):
    monkeypatch.setattr(engine, "versions", lambda: {**worker.versions(), name: "1.0"})
    with pytest.raises(engine.EngineError, match=said):
        run(scheduler=here.scheduler_address)


@contextlib.contextmanager
def process(*words):
    """A process of distributed's, killed in the end."""
    started = subprocess.Popen(
        [sys.executable, "-m", *words, "--dashboard-address=:0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@pytest.mark.crash
def test_a_scheduler_that_is_killed_ends_the_audit_in_one_line(tmp_path, capfd):
    file = tmp_path / "scheduler.json"
    where = ["--host=127.0.0.1", "--port=0", f"--scheduler-file={file}"]
    with process("distributed.cli.dask_scheduler", *where) as scheduler:
        while not file.exists():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        with (
            process("distributed.cli.dask_worker", "--no-nanny", address),
            pytest.raises(engine.EngineError, match=rf"^the scheduler {address} is gone$"),
        ):
            run(scheduler=address, progress=once(scheduler.kill), store=tmp_path / "store")
    assert capfd.readouterr() == ("", "")
    with run() as undisturbed, run(store=tmp_path / "store") as again:
        same_bits(undisturbed, again)


def test_what_libraries_log_while_a_connection_is_lost_is_not_shown(here):
    """Where exactly it is lost is chance: whatever they say, the audit has one line for it."""
    heard = []
    names = ("distributed", "distributed.client", "asyncio", "tornado.application")

    def look():
        heard.extend(n for n in names if logging.getLogger(n).isEnabledFor(logging.CRITICAL))

    run(scheduler=here.scheduler_address, progress=once(look)).close()
    assert not heard


def test_a_scheduler_without_workers_is_not_waited_for(here, monkeypatch):
    monkeypatch.setattr(engine, "PATIENCE", 0.1)
    deserted(here)
    with pytest.raises(ValueError, match=r"no worker has joined \S+ in 0 s: start one"):
        run(scheduler=here.scheduler_address)


def test_a_scheduler_that_all_workers_leave_is_not_waited_for(here, monkeypatch):
    monkeypatch.setattr(engine, "_GLANCE", 0.1)
    monkeypatch.setattr(engine, "LONELY", 0.2)
    with pytest.raises(engine.EngineError, match=r"has had no worker for 0 s"):
        run(scheduler=here.scheduler_address, progress=once(lambda: deserted(here)))


@pytest.mark.parametrize("scheme", ["tcp", "nonsense"])
def test_an_unreachable_scheduler_is_a_clear_error(monkeypatch, scheme):
    monkeypatch.setattr(engine, "PATIENCE", 0.2)
    with pytest.raises(ValueError, match=rf"no Dask scheduler at '{scheme}://127\.0\.0\.1:9'"):
        run(scheduler=f"{scheme}://127.0.0.1:9")
    # What Dask computes afterwards, for anybody, is not sent there.
    assert dask.config.get("scheduler", None) is None
    with pytest.raises(ValueError, match="No client"):
        distributed.default_client()


def test_no_client_of_an_audit_is_that_of_others(here):
    seen = []

    def look():
        with pytest.raises(ValueError, match="No client"):
            distributed.default_client()
        seen.append(dask.config.get("scheduler", None))

    run(scheduler=here.scheduler_address, progress=once(look)).close()
    assert seen == [None]
