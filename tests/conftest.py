"""Shared by all tests: one audit, planted claims and validation scripts, fixed hypothesis."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from pathlib import Path

# Every process of a parallel run is one of as many as there are cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "validation"), str(HERE.parent)]

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("deterministic")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Cores that this process may use, a container's limits included."""
    from joblib import cpu_count

    return int(cpu_count())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file, which share what it sets up, run in one process, as do all of one audit."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    # In the order of collection: what takes longest is not left to the end.
    config.option.loadscopereorder = False
    return Scheduling(config, log)


@functools.cache
def _audited(file: str) -> bool:
    return "(verdicts" in (HERE.parent / file).read_text(encoding="utf-8")


def together(nodeid: str) -> str:
    """What a test has to share a process with."""
    file = nodeid.partition("::")[0]
    if not file.startswith("tests/"):
        return file
    if _audited(file):
        return "the audit"
    if "[mnist" in nodeid or "_mnist" in nodeid:
        return "MNIST"
    # One claim's tests have nothing to do with another's.
    return nodeid if file.endswith(("test_claims_contract.py", "test_twins.py")) else file


def pytest_collection_modifyitems(items):
    """Whichever test is the first to need the whole audit waits for it, on two busy cores long."""
    for item in items:
        if "verdicts" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture(scope="session")
def verdicts():
    """Every claim on trial as the campaign tries it, once for all tests of that job."""
    import campaign

    with campaign.run(workers=0) as audit:
        yield audit


class Tried(dict):
    """Results by claim id, each tried at the smoke budget when it is first asked for."""

    def __missing__(self, name):
        import noisytheory as nt

        self[name] = nt.audit(nt.claims[name], budget="smoke")
        return self[name]

    def at(self, name, **cells):
        """A claim tried at those of its cells only: their parameters' values, objects by name."""
        import noisytheory as nt

        if (key := f"{name} at {cells}") not in self:
            claim = nt.claims[name]
            grid = {k: [v for v in values if k not in cells or getattr(v, "name", v) in cells[k]]
                    for k, values in claim.grid.items()}
            part = dataclasses.replace(claim, id=f"{name}/at-some-cells", grid=grid)
            self[key] = nt.audit(part, budget="smoke")
        return self[key]


@pytest.fixture(scope="session")
def tried():
    """A few claims on trial, once for all tests."""
    return Tried()
