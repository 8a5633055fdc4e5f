"""The store: what was acknowledged survives every kill, and only what was written is read."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import fsspec
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from noisytheory.trial.store import (
    FORMAT,
    ClaimBlocks,
    Damaged,
    OfOneClaim,
    Remark,
    Store,
    StoreError,
    group_of,
)
from noisytheory.trial.store.journal import FileJournal, sealed

RUN = {
    "format": FORMAT, "code_of_claims": ".journal/claims.json", "seed": 2026, "version": "0.1.0",
}
CLAIM = "kernel-mean/theorem-5"
VARIABLES = {"lhs": np.dtype(float), "count": np.dtype("int64"), "hit": np.dtype(bool)}
CELLS = 6
ROWS = 5


def block(cell: int, number: int, rows: int = ROWS) -> dict[str, np.ndarray]:
    rng = np.random.default_rng([cell, number])
    return {
        "lhs": rng.normal(size=rows),
        "count": rng.integers(-9, 9, rows),
        "hit": rng.random(rows) < 0.5,
    }


def summary() -> xr.Dataset:
    """A claim's dataset without the blocks, with what Zarr and xarray treat specially."""
    return xr.Dataset(
        {
            "rhs": (("population", "n", "delta"), np.arange(12.0).reshape(2, 3, 2)),
            "mean": (("population", "n"), np.full((2, 3), np.nan)),
            "decision": (("population", "n"), [["upheld", "refuted", "vacuous"]] * 2),
            "exact": (("population", "n"), np.ones((2, 3), bool)),
            "tries": (("population", "n"), np.full((2, 3), -7)),
            "limits": (("population", "n"), [[np.inf, -np.inf, -0.0], [0.0, np.nan, 1e-300]]),
            "total": ((), 12),
        },
        coords={
            "population": ["two atoms", "schön"],
            "n": [10, 100, 1000],
            "delta": [0.1, 0.01],
            "label": ("n", ["few", "some", "many"], {"long_name": "how many"}),
        },
        attrs={"verdict": "upheld", "hypotheses": ["iid", "n >= 1"], "alpha": np.float64(0.01)},
    )


def open_blocks(store: Store, claim: str = CLAIM, fingerprint: str = "f0") -> ClaimBlocks:
    return store.claim(claim, fingerprint, VARIABLES, CELLS, ROWS)


def assert_block(blocks: ClaimBlocks, cell: int, number: int) -> None:
    got = blocks.get(cell, number)
    expected = block(cell, number)
    assert got.keys() == expected.keys()
    for name in expected:
        assert got[name].dtype == expected[name].dtype
        assert got[name].tobytes() == expected[name].tobytes()


def finished_store(path: Path, chains: int = 2) -> None:
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        for cell in range(CELLS):
            for number in range(chains):
                blocks.put(cell, number, block(cell, number))
        blocks.finish(summary())


def journal_of(path: Path, claim: str = CLAIM) -> Path:
    (found,) = (path / ".journal").glob("*.blocks")
    assert found.stem == group_of(claim).replace("/", "~")
    return found


@pytest.fixture(params=["directory", "file url", "memory url"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "memory url":
        url = f"memory://{tmp_path.name}"
        yield url
        fs = fsspec.filesystem("memory")
        if fs.exists(url):
            fs.rm(url, recursive=True)
    else:
        yield ("file://" if request.param == "file url" else "") + str(tmp_path / "store")


# What is written is what is read.


def test_round_trip_and_plain_xarray(location: str) -> None:
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        for cell in range(CELLS):
            for number in range(3):
                assert (cell, number) not in blocks
                blocks.put(cell, number, block(cell, number))
                assert (cell, number) in blocks
                assert_block(blocks, cell, number)
        assert store.ids() == []
        blocks.finish(summary(), attributes={"lhs": {"units": "RKHS norm"}})
        assert store.ids() == [CLAIM]
        assert blocks.finished
        assert_block(blocks, 5, 2)
        read = store.read(CLAIM).load()

    with xr.open_datatree(location, engine="zarr") as tree:
        assert set(tree.groups) == {"/", "/kernel-mean", "/kernel-mean/theorem-5"}
        assert tree.attrs == RUN
        dataset = tree[CLAIM].to_dataset().load()
    assert dataset.attrs.pop("complete") and dataset.identical(read)
    assert dataset["lhs"].dims == ("population", "n", "chain", "draw")
    assert dataset["lhs"].attrs == {"units": "RKHS norm"}
    for cell, place in enumerate(np.ndindex(2, 3)):
        for number in range(3):
            for name, expected in block(cell, number).items():
                got = dataset[name].values[(*place, number)]
                assert got.dtype == expected.dtype
                assert got.tobytes() == expected.tobytes()
    expected = summary()
    for name in expected.variables:
        xr.testing.assert_identical(dataset[name].variable, expected[name].variable)
    assert set(dataset.coords) == set(expected.coords)
    assert dataset.attrs | {"alpha": 0.01} == dataset.attrs
    assert dataset.attrs["hypotheses"] == ["iid", "n >= 1"]
    assert np.signbit(dataset["limits"].values[0, 2])


@pytest.mark.parametrize("name", ["decision", "mean", "exact", "tries", "total"])
def test_a_variable_reads_back_through_zarr_alone(tmp_path: Path, name: str) -> None:
    import zarr

    finished_store(tmp_path / "s")
    array = zarr.open_array(tmp_path / "s" / group_of(CLAIM) / name, mode="r")
    np.testing.assert_array_equal(array[...], summary()[name].values)


def test_zarr_reads_the_hierarchy_without_consolidated_metadata(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    group = f"{tmp_path / 's'}/{group_of(CLAIM)}"
    plain = xr.open_dataset(group, engine="zarr", consolidated=False).load()
    assert plain.identical(xr.open_dataset(group, engine="zarr", consolidated=True).load())


@given(
    values=hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_, np.dtype("<U4")]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
        fill=st.nothing(),
    )
)
def test_any_small_array_survives(values: np.ndarray) -> None:
    dims = [f"d{i}" for i in range(values.ndim)]
    with Store.open(None, RUN) as store:
        blocks = store.claim("a/b", "f", {}, 1, 1)
        blocks.finish(xr.Dataset({"x": (dims, values)}), dims=())
        got = store.read("a/b")["x"].values
    assert got.shape == values.shape
    if values.dtype.kind == "f":
        np.testing.assert_array_equal(np.isnan(got), np.isnan(values))
        values, got = np.nan_to_num(values), np.nan_to_num(got)
    assert got.astype(values.dtype).tobytes() == values.tobytes()


def test_constant_bits_are_told_from_equal_values(tmp_path: Path) -> None:
    values = np.array([0.0, -0.0])
    with Store.open(tmp_path / "s", RUN) as store:
        store.claim("a/b", "f", {}, 1, 1).finish(xr.Dataset({"x": ("i", values)}), dims=())
        assert store.read("a/b")["x"].values.tobytes() == values.tobytes()


def test_unwritten_blocks_are_not_finished_blocks(location: str) -> None:
    present = {(0, 0), (0, 1), (2, 0), (5, 2)}
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        for where in sorted(present):
            blocks.put(*where, block(*where))
        blocks.finish(summary())
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        assert blocks.finished
        assert {(c, b) for c in range(CELLS) for b in range(4) if (c, b) in blocks} == present
        assert len(blocks) == len(present)
        for where in present:
            assert_block(blocks, *where)
        with pytest.raises(KeyError):
            blocks.get(1, 0)
        dataset = store.read(CLAIM).load()
    drawn = dataset["block_digest"] != 0
    assert int(drawn.sum()) == len(present)
    assert dataset.sizes["chain"] == 3
    assert bool((dataset["lhs"].notnull() == drawn).all())
    assert bool((dataset["count"].notnull() == drawn).all())
    assert not dataset["hit"].where(~drawn, False).any()


def test_nan_in_a_finished_block_is_data(tmp_path: Path) -> None:
    nan = {"lhs": np.full(ROWS, np.nan)}
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = store.claim("a/b", "f", {"lhs": float}, 1, ROWS)
        blocks.put(0, 0, nan)
        blocks.finish(xr.Dataset())
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = store.claim("a/b", "f", {"lhs": float}, 1, ROWS)
        assert (0, 0) in blocks
        assert np.isnan(blocks.get(0, 0)["lhs"]).all()


def test_a_claim_may_have_parts_with_other_grids(location: str) -> None:
    ids = ["kernel-mean/corollary-8/printed", CLAIM, f"{CLAIM}/mean"]
    with Store.open(location, RUN) as store:
        for rows, claim in enumerate(ids, start=2):
            blocks = store.claim(claim, "f", {"lhs": float}, 2, rows)
            blocks.put(0, 0, {"lhs": np.arange(rows, dtype=float)})
            blocks.finish(xr.Dataset({"mean": ("n", [0.5, 1.5])}, {"n": [1, rows]}))
    with Store.open(location, RUN) as store:
        assert store.ids() == sorted(ids)
        assert [store.read(claim).sizes["draw"] for claim in ids] == [2, 3, 4]
    with xr.open_datatree(location, engine="zarr") as tree:
        assert [tree[group_of(claim)].sizes["draw"] for claim in ids] == [2, 3, 4]
        assert tree["kernel-mean/theorem-5"]["n"].values.tolist() == [1, 3]


def test_a_tree_cannot_hold_such_claims_inside_each_other() -> None:
    """Why a part of a claim is its neighbour in the store."""
    outer = xr.Dataset({"lhs": ("draw", np.zeros(3))})
    inner = xr.Dataset({"lhs": ("draw", np.zeros(4))})
    with pytest.raises(ValueError, match="not aligned"):
        xr.DataTree.from_dict({"/theorem": outer, "/theorem/mean": inner})


@pytest.mark.parametrize("claim", ["a", "", "a/", "/a", "a//b", "../b/c", "a/b~c", "a/zarr.json"])
def test_ids_that_are_no_paths_are_refused(claim: str) -> None:
    with pytest.raises(ValueError, match="claim id"):
        group_of(claim)


def test_groups_of_different_claims_differ() -> None:
    names = ["a/b", "a/b/c", "a/b-c", "a/b.c", "a/b+c", "a/b_c", "a/b/c/d"]
    assert len({group_of(name) for name in names}) == len(names)


def test_resuming_finds_the_blocks_and_never_draws_them_again(location: str) -> None:
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        blocks.put(3, 1, block(3, 1))
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        assert len(blocks) == 2 and blocks.damaged == 0
        assert_block(blocks, 0, 0)
        assert_block(blocks, 3, 1)
        blocks.put(0, 0, block(0, 0))
        with pytest.raises(ValueError, match="other numbers"):
            blocks.put(0, 0, block(0, 1))
        blocks.finish(summary())
    assert Store.load(location).ids() == [CLAIM]


def test_a_finished_claim_is_extended(location: str) -> None:
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(2, 0, block(2, 0))
        blocks.finish(summary())
        blocks.put(2, 1, block(2, 1))
        assert not blocks.finished
    with Store.open(location, RUN) as store:
        assert store.ids() == [CLAIM]
        blocks = open_blocks(store)
        blocks.put(4, 0, block(4, 0))
        blocks.finish(summary())
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        assert blocks.finished and len(blocks) == 3
        for where in ((2, 0), (2, 1), (4, 0)):
            assert_block(blocks, *where)
        assert store.read(CLAIM).sizes["chain"] == 2


def test_finishing_again_writes_only_what_is_new(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    marks = {p: p.stat().st_mtime_ns for p in (tmp_path / "s" / "kernel-mean").rglob("*")}
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store).finish(summary())
        assert {p: p.stat().st_mtime_ns for p in marks} == marks
        open_blocks(store).finish(summary().assign_attrs(verdict="refuted"))
        assert store.read(CLAIM).attrs["verdict"] == "refuted"
        assert_block(open_blocks(store), 5, 1)


def test_a_claim_without_blocks(location: str) -> None:
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        blocks.finish(summary())
        assert set(store.read(CLAIM).variables) == set(summary().variables)
    with Store.open(location, RUN) as store:
        assert open_blocks(store).finished


@pytest.mark.parametrize("together", [1, 2 * ROWS, 3 * ROWS, 100])
def test_cells_are_read_in_chunks_of_whatever_size_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """What was written when all of a cell was one chunk, too."""
    chains = 5
    finished_store(tmp_path / "whole", chains)
    size = "noisytheory.trial.store.chunks.TOGETHER"
    monkeypatch.setattr(size, together)
    finished_store(tmp_path / "parts", chains)
    for name, rows in (("whole", chains), ("parts", min(chains, max(1, together // ROWS)))):
        with Store.open(tmp_path / name, RUN) as store:
            blocks = open_blocks(store)
            assert blocks.finished and blocks.damaged == 0
            for number in range(chains):
                assert_block(blocks, CELLS - 1, number)
            lhs = store.read(CLAIM)["lhs"]
            assert lhs.encoding["chunks"] == (1, 1, rows, ROWS)
            assert lhs.values[1, 2, 4].tobytes() == block(CELLS - 1, 4)["lhs"].tobytes()
    one, other = (Store.load(tmp_path / name).read(CLAIM) for name in ("whole", "parts"))
    assert one.identical(other)


def test_a_temporary_store_goes_when_it_is_closed() -> None:
    with Store.open(None, RUN) as store:
        assert Path(store.location).is_dir()
    assert not Path(store.location).exists()


@pytest.mark.parametrize("blocks_in_memory", [100, 2, 0])
def test_a_temporary_store_gives_what_a_directory_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks_in_memory: int
) -> None:
    """From memory, or put together as Zarr where that did not hold all blocks."""
    from noisytheory.trial.store.places import Temporary

    size = open_blocks(Store.open(tmp_path / "sizes", RUN)).layout.frame_size
    monkeypatch.setattr(Temporary, "ROOM", blocks_in_memory * size)
    places = [(0, 0), (3, 1), (5, 2)]
    read = {}
    for location in (None, tmp_path / "s"):
        with Store.open(location, RUN) as store:
            blocks = open_blocks(store)
            for where in places:
                blocks.put(*where, block(*where))
                blocks.put(*where, block(*where))
            with pytest.raises(ValueError, match="other numbers"):
                blocks.put(0, 0, block(0, 1))
            blocks.finish(summary(), attributes={"lhs": {"units": "RKHS norm"}})
            assert blocks.finished and store.ids() == [CLAIM]
            if location is None:
                files = [p.name for p in Path(store.location, ".journal").glob("*.blocks")]
                assert len(files) == (blocks_in_memory < len(places))
            for where in places:
                assert_block(blocks, *where)
            read[location] = store.read(CLAIM).load()
    ours, theirs = read.values()
    assert ours.identical(theirs)
    assert {n: v.dtype for n, v in ours.variables.items()} == {
        n: v.dtype for n, v in theirs.variables.items()
    }


def test_a_temporary_claim_goes_on_after_it_was_read() -> None:
    with Store.open(None, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        blocks.finish(summary())
        open_blocks(store, "a/b").finish(summary())
        assert store.ids() == ["a/b", CLAIM]
        assert store.read(CLAIM).sizes["chain"] == 1
        blocks.put(0, 1, block(0, 1))
        assert not blocks.finished and store.ids() == ["a/b"]
        blocks.finish(summary())
        read = store.read(CLAIM)
        assert read.sizes["chain"] == 2
        assert read["lhs"].values[0, 0, 1].tobytes() == block(0, 1)["lhs"].tobytes()
        assert_block(blocks, 0, 1)


def test_the_list_of_claims_comes_after_them(tmp_path: Path) -> None:
    """Written when the store is opened, from time to time, and when it is closed."""

    def listed() -> set[str]:
        with xr.open_datatree(tmp_path / "s", engine="zarr") as tree:
            return {group for group in tree.groups if group.count("/") == 2}

    with Store.open(tmp_path / "s", RUN) as store:
        for i in range(3):
            store._root._due = np.inf if i else 0.0
            store.claim(f"a/{i}", "f", {}, 1, 1).finish(xr.Dataset(), dims=())
        assert listed() == {"/a/0"} and Store.load(tmp_path / "s").ids() == ["a/0", "a/1", "a/2"]
        store.flush()
        assert listed() == {"/a/0", "/a/1", "/a/2"}
        store.claim("a/3", "f", {}, 1, 1).finish(xr.Dataset(), dims=())
    assert len(listed()) == 4
    with pytest.raises(KeyboardInterrupt), Store.open(tmp_path / "s", RUN) as store:
        store._root._due = np.inf
        store.claim("a/4", "f", {}, 1, 1).finish(xr.Dataset(), dims=())
        raise KeyboardInterrupt
    assert len(listed()) == 5


def test_a_store_that_is_dropped_lets_go(tmp_path: Path) -> None:
    import gc

    temporary = Store.open(None, RUN)
    place = Path(temporary.location)
    store = Store.open(tmp_path / "s", RUN)
    blocks = open_blocks(store)
    blocks.put(0, 0, block(0, 0))
    del temporary, store, blocks
    gc.collect()
    assert not place.exists()
    with Store.open(tmp_path / "s", RUN) as again:
        assert_block(open_blocks(again), 0, 0)


def test_a_closed_store_takes_nothing(location: str) -> None:
    with Store.open(location, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
    for work in (
        lambda: blocks.put(1, 0, block(1, 0)),
        lambda: blocks.finish(summary()),
        lambda: open_blocks(store),
    ):
        with pytest.raises(StoreError, match="is closed"):
            work()


def test_two_files_a_variable_at_most(tmp_path: Path) -> None:
    finished_store(tmp_path / "s", chains=3)
    variables = Store.load(tmp_path / "s").read(CLAIM).variables
    files = [p for p in (tmp_path / "s" / group_of(CLAIM)).rglob("*") if p.is_file()]
    assert len(files) <= 1 + 2 * len(variables)
    hidden = sorted(p.name for p in (tmp_path / "s" / ".journal").iterdir())
    assert hidden == ["claims.json", "lock", "run.json"]


def test_memory_is_that_of_a_cell(tmp_path: Path) -> None:
    import tracemalloc

    rows, cells = 2000, 40
    cell_bytes = 2 * rows * 8
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = store.claim("a/b", "f", {"lhs": float}, cells, rows)
        for cell in range(cells):
            for number in range(2):
                blocks.put(cell, number, {"lhs": np.full(rows, float(cell))})
        dataset = xr.Dataset({"rhs": ("n", np.arange(float(cells)))})
        tracemalloc.start()
        blocks.finish(dataset)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert float(store.read("a/b")["lhs"].sum()) == 2 * rows * sum(range(cells))
    assert peak < 0.5 * cells * cell_bytes


def test_importing_the_store_stays_cheap() -> None:
    code = "import sys, noisytheory.trial.store; print(*{m.split('.')[0] for m in sys.modules})"
    loaded = set(run_python("-c", code).stdout.split())
    assert "numpy" in loaded
    assert not loaded & {"xarray", "zarr", "fsspec", "pandas", "scipy"}


# What does not fit is refused.


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {**block(0, 0), "extra": np.zeros(ROWS)},
        {**block(0, 0), "lhs": np.zeros(ROWS + 1)},
        {**block(0, 0), "lhs": np.zeros(ROWS, np.float32)},
        {**block(0, 0), "hit": np.zeros(ROWS, np.int64)},
    ],
)
def test_blocks_of_another_shape_are_refused(arrays: dict[str, np.ndarray]) -> None:
    with Store.open(None, RUN) as store, pytest.raises(ValueError, match="must"):
        open_blocks(store).put(0, 0, arrays)


@pytest.mark.parametrize("where", [(-1, 0), (CELLS, 0), (0, -1)])
def test_blocks_outside_the_grid_are_refused(where: tuple[int, int]) -> None:
    with Store.open(None, RUN) as store, pytest.raises(ValueError, match="cells"):
        open_blocks(store).put(*where, block(0, 0))


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (xr.Dataset({"rhs": ("n", [1.0, 2.0])}), "cells"),
        (summary().assign(lhs=("n", [1.0, 2, 3])), "of the blocks and of the dataset"),
        (summary().assign(when=("n", np.zeros(3, "M8[s]"))), "numbers, booleans or text"),
        (summary().assign(rhs=(("population", "draw"), np.zeros((2, ROWS + 1)))), "draw"),
        (summary().assign({"a/b": 1}), "cannot be named"),
    ],
)
def test_datasets_that_do_not_fit_are_refused(dataset: xr.Dataset, message: str) -> None:
    with Store.open(None, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        with pytest.raises(ValueError, match=message):
            blocks.finish(dataset, dims=None if message == "cells" else ("population", "n"))
        assert_block(blocks, 0, 0)


def test_dims_are_read_off_or_given() -> None:
    with Store.open(None, RUN) as store:
        for i, dims in enumerate([None, ("population", "n"), ("n", "population")]):
            blocks = open_blocks(store, f"a/{i}")
            blocks.put(1, 0, block(1, 0))
            blocks.finish(summary(), dims=dims)
        first, second, third = (store.read(f"a/{i}")["lhs"].load() for i in range(3))
    assert first.identical(second)
    assert third.dims[:2] == ("n", "population")
    assert np.isfinite(second.values[0, 1]).all() and np.isfinite(third.values[0, 1]).all()


def test_a_store_in_another_format_is_not_read(location: str) -> None:
    with Store.open(location, {**RUN, "format": 1}) as store:
        open_blocks(store).finish(summary())
    with pytest.raises(StoreError, match="has format 1, this version reads 2"):
        Store.load(location)


def test_a_store_of_another_version_is_not_read_where_that_matters(location: str) -> None:
    with Store.open(location, RUN) as store:
        open_blocks(store).finish(summary())
    Store.load(location, "0.1.0").close()
    with pytest.raises(StoreError, match=r"was written by version 0\.1\.0, this is 0\.2\.0"):
        Store.load(location, "0.2.0")


def test_what_is_damaged_is_not_read(tmp_path: Path) -> None:
    """Any file of a finished claim: a flipped bit, a missing end, no file at all."""
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    assert Store.load(tmp_path / "s").read(CLAIM).sizes["chain"] == 2
    for file in [p for p in group.rglob("*") if p.is_file()]:
        data = file.read_bytes()
        flipped = bytearray(data)
        flipped[len(data) // 2] ^= 4
        for broken in (bytes(flipped), data[:-1], None):
            file.unlink()
            if broken is not None:
                file.write_bytes(broken)
            with warnings.catch_warnings(), pytest.raises(StoreError) as caught:
                warnings.simplefilter("ignore", Damaged)
                Store.load(tmp_path / "s").read(CLAIM)
            assert "\n" not in str(caught.value) and str(tmp_path / "s") in str(caught.value)
        file.write_bytes(data)
    assert Store.load(tmp_path / "s").read(CLAIM).sizes["chain"] == 2


@pytest.mark.parametrize("name", ["format", "seed", "version"])
def test_a_store_of_another_run_is_refused(location: str, name: str) -> None:
    Store.open(location, RUN).close()
    with pytest.raises(StoreError, match=f"has {name} {RUN[name]!r}, this run has 'other'"):
        Store.open(location, {**RUN, name: "other"})
    Store.open(location, {**RUN, "machine": "another"}).close()
    assert Store.open(location, RUN).attributes == RUN


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fingerprint": "f1"}, "fingerprint 'f0', this run 'f1'"),
        ({"rows": ROWS + 1}, "rows"),
        ({"cells": CELLS + 1}, "cells"),
        ({"variables": {"lhs": float}}, "variables"),
    ],
)
def test_blocks_from_other_code_are_refused(
    location: str, finished: bool, changed: dict[str, object], message: str
) -> None:
    known = {"fingerprint": "f0", "variables": VARIABLES, "cells": CELLS, "rows": ROWS}
    with Store.open(location, RUN) as store:
        blocks = store.claim(CLAIM, **known)
        blocks.put(0, 0, block(0, 0))
        if finished:
            blocks.finish(summary())
        with pytest.raises(StoreError, match=message):
            store.claim(CLAIM, **{**known, **changed})
    with Store.open(location, RUN) as store:
        with pytest.raises(StoreError, match=message):
            store.claim(CLAIM, **{**known, **changed})
        assert_block(store.claim(CLAIM, **known), 0, 0)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", RUN):
        with pytest.raises(StoreError, match="another run is writing"):
            Store.open(tmp_path / "s", RUN)
        other = run_python(__file__, "open", str(tmp_path / "s"))
        assert "another run is writing" in other.stdout
        assert Path(tmp_path / "s" / "zarr.json").exists()
    Store.open(tmp_path / "s", RUN).close()


def test_a_reader_is_welcome_while_a_run_writes(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", RUN) as store:
        with pytest.raises(StoreError, match=r"no claim in the store .* is finished"):
            Store.load(tmp_path / "s")
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        blocks.finish(summary())
        reader = Store.load(tmp_path / "s")
        assert reader.ids() == [CLAIM] and reader.attributes == RUN
        assert reader.read(CLAIM).load().identical(store.read(CLAIM).load())
        with pytest.raises(StoreError, match="opened for reading"):
            open_blocks(reader)
        with pytest.raises(StoreError, match="no finished claim a/b"):
            reader.read("a/b")


def test_places_that_are_no_stores(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, message in [("file", "is a file"), ("file/below", "cannot"), ("full", "not empty")]:
        with pytest.raises(StoreError, match=message) as caught:
            Store.open(tmp_path / name, RUN)
        assert "\n" not in str(caught.value)
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["thesis.tex"]
    for name in ("absent", "empty", "file", "full"):
        with pytest.raises(StoreError, match="no store at"):
            Store.load(tmp_path / name)
    Store.open(tmp_path / "empty", RUN).close()
    with pytest.raises(StoreError, match="cannot open the store"):
        Store.open("nosuchscheme://x", RUN)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"attributes": 3}', "\udcff\udcfe"])
def test_garbage_for_metadata_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "zarr.json").write_bytes(text.encode(errors="surrogateescape"))
    for opened in (lambda: Store.open(tmp_path, RUN), lambda: Store.load(tmp_path)):
        with pytest.raises(StoreError, match=r"zarr\.json is damaged or not ours"):
            opened()


def test_a_zarr_group_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    xr.Dataset({"x": ("i", [1.0])}).to_zarr(tmp_path / "z", consolidated=False)
    with pytest.raises(StoreError, match="has format None"):
        Store.open(tmp_path / "z", RUN)
    with pytest.raises(StoreError, match="is Zarr, but not a store"):
        Store.load(tmp_path / "z")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_an_unwritable_place(tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    finished_store(tmp_path / "s")
    for broken in ("open", "write"):
        with monkeypatch.context() as patch:
            patch.setattr(os, broken, refuse)
            with pytest.raises(StoreError, match=os.strerror(code)) as caught:
                Store.open(tmp_path / "s", RUN)
            assert "\n" not in str(caught.value) and str(tmp_path / "s") in str(caught.value)
    assert Store.load(tmp_path / "s").ids() == [CLAIM]


# Damage costs the damaged block, and never a wrong number.


def three_blocks(path: Path) -> tuple[bytes, list[int]]:
    """Bytes of a journal of three blocks, and where each of them ends (and the header)."""
    ends = []
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        for number in range(3):
            blocks.put(number, number, block(number, number))
            ends.append(journal_of(path).stat().st_size)
    size = ends[1] - ends[0]
    return journal_of(path).read_bytes(), [ends[0] - size, *ends]


def test_a_tail_torn_at_any_byte(tmp_path: Path) -> None:
    data, ends = three_blocks(tmp_path / "s")
    file = journal_of(tmp_path / "s")
    for length in range(len(data)):
        file.write_bytes(data[:length])
        whole = sum(end <= length for end in ends[1:])
        with Store.open(tmp_path / "s", RUN) as store:
            blocks = open_blocks(store)
            assert len(blocks) == whole
            assert blocks.damaged == 0
            for number in range(whole):
                assert_block(blocks, number, number)
            if whole:
                assert file.stat().st_size == ends[whole]
            blocks.put(4, 0, block(4, 0))
        with Store.open(tmp_path / "s", RUN) as store:
            blocks = open_blocks(store)
            assert len(blocks) == whole + 1
            assert_block(blocks, 4, 0)


def test_a_flipped_bit_in_any_byte_of_a_journal(tmp_path: Path) -> None:
    data, ends = three_blocks(tmp_path / "s")
    file = journal_of(tmp_path / "s")
    rng = random.Random(0)
    with Store.open(tmp_path / "s", RUN) as store:
        for place in range(len(data)):
            broken = bytearray(data)
            broken[place] ^= 1 << rng.randrange(8)
            file.write_bytes(broken)
            store._open_claims.clear()
            with pytest.warns(Damaged, match="the journal of kernel-mean/theorem-5 in the store"):
                blocks = open_blocks(store)
            hit = [n for n, (low, high) in enumerate(pairwise(ends)) if low <= place < high]
            assert {n for n in range(3) if (n, n) in blocks} == {0, 1, 2} - set(hit)
            assert blocks.damaged == len(hit)
            for number in {0, 1, 2} - set(hit):
                assert_block(blocks, number, number)
            blocks.close()


def test_garbage_between_records_costs_nothing_else(tmp_path: Path) -> None:
    data, ends = three_blocks(tmp_path / "s")
    journal_of(tmp_path / "s").write_bytes(
        data[: ends[1]] + data[ends[1] : ends[1] + 50] + data[ends[1] :] + data[ends[1] :][:8]
    )
    with Store.open(tmp_path / "s", RUN) as store:
        with pytest.warns(Damaged, match="the journal of kernel-mean/theorem-5 in the store"):
            blocks = open_blocks(store)
        assert len(blocks) == 3 and blocks.damaged == 0
        blocks.finish(summary())
        for number in range(3):
            assert_block(blocks, number, number)


def test_a_record_of_another_claim_is_never_taken(tmp_path: Path) -> None:
    data, ends = three_blocks(tmp_path / "s")
    with Store.open(tmp_path / "s", RUN) as store:
        other = store.claim("other/claim", "f0", VARIABLES, CELLS, ROWS)
        other.put(5, 0, block(5, 0))
    foreign = tmp_path / "s" / ".journal" / "other~claim.blocks"
    with open(foreign, "ab") as file:
        file.write(data[ends[0] :])
    with Store.open(tmp_path / "s", RUN) as store, pytest.warns(Damaged, match="the journal of"):
        assert len(store.claim("other/claim", "f0", VARIABLES, CELLS, ROWS)) == 1


@pytest.mark.parametrize("part", [".journal/kernel-mean~theorem-5.blocks", group_of(CLAIM)])
def test_blocks_of_another_seed_are_never_taken(tmp_path: Path, part: str) -> None:
    for seed in (7, RUN["seed"]):
        with Store.open(tmp_path / str(seed), {**RUN, "seed": seed}) as store:
            blocks = open_blocks(store)
            blocks.put(0, 0, block(0, 0))
            if part == group_of(CLAIM):
                blocks.finish(summary())
    place, foreign = tmp_path / str(RUN["seed"]) / part, tmp_path / "7" / part
    if foreign.is_dir():
        shutil.rmtree(place)
        shutil.copytree(foreign, place)
        with pytest.warns(Damaged, match="seed 7.*: move it away"), pytest.raises(StoreError):
            Store.load(tmp_path / str(RUN["seed"]))
    else:
        shutil.copy(foreign, place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Remark)
        store = Store.open(tmp_path / str(RUN["seed"]), RUN)
    with store, pytest.raises(StoreError, match=r"from another run \(seed 7, this run 2026\)"):
        open_blocks(store)


def test_frames_of_another_seed_never_verify(tmp_path: Path) -> None:
    data, ends = three_blocks(tmp_path / "s")
    with Store.open(tmp_path / "other", {**RUN, "seed": 7}) as store:
        open_blocks(store).put(5, 0, block(5, 0))
    with open(journal_of(tmp_path / "other"), "ab") as file:
        file.write(data[ends[0] :])
    with (
        Store.open(tmp_path / "other", {**RUN, "seed": 7}) as store,
        pytest.warns(Damaged, match="the journal of"),
    ):
        assert len(open_blocks(store)) == 1


def test_a_claim_under_the_name_of_another_is_named_and_left_alone(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    other = tmp_path / "s" / group_of("kernel-mean/lemma-3")
    shutil.copytree(tmp_path / "s" / group_of(CLAIM), other)
    with pytest.warns(Damaged, match=f"lemma-3 .*it is that of {CLAIM}.*: move it away"):
        Store.load(tmp_path / "s").close()
    with (
        pytest.warns(Remark, match="lemma-3 .* left alone"),
        Store.open(tmp_path / "s", RUN) as store, pytest.raises(StoreError, match="other code"),
    ):
        open_blocks(store, "kernel-mean/lemma-3", "f1")
    assert other.is_dir()


@pytest.mark.parametrize("listed", [True, False])
def test_a_group_of_other_code_is_never_read(tmp_path: Path, listed: bool) -> None:
    """It is whole, of this claim and of this run; it is not on the list yet, too."""
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "other", RUN) as store:
        blocks = open_blocks(store, CLAIM, "f1")
        blocks.put(0, 0, block(0, 0))
        blocks.finish(summary())
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    group = tmp_path / "s" / group_of(CLAIM)
    shutil.rmtree(group)
    shutil.copytree(tmp_path / "other" / group_of(CLAIM), group)
    if not listed:
        with Store.open(tmp_path / "before", RUN) as store:
            open_blocks(store, "kernel-mean/lemma-3").finish(summary())
        shutil.copy(tmp_path / "before" / "zarr.json", tmp_path / "s")
    with pytest.warns(Damaged, match=f"{group_of(CLAIM)} .*of other code.*: move it away"):
        assert Store.load(tmp_path / "s").ids() == ["kernel-mean/lemma-3"]
    with (
        pytest.warns(Remark, match="left alone"), Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="other code"),
    ):
        open_blocks(store)


def test_a_claim_that_no_audit_of_a_store_asks_for_is_never_read(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "other", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    group = group_of("kernel-mean/lemma-3")
    shutil.copytree(tmp_path / "other" / group, tmp_path / "s" / group)
    with pytest.warns(Damaged, match=f"{group} .*of other code.*: move it away"):
        assert Store.load(tmp_path / "s").ids() == [CLAIM]


def test_of_what_code_claims_are_is_missed_where_it_is_missing(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    known = tmp_path / "s" / ".journal" / "claims.json"
    whole = known.read_bytes()
    known.unlink()
    with pytest.warns(Damaged, match="claims.json .* is damaged; an audit .* writes it anew"):
        assert Store.load(tmp_path / "s").ids() == [CLAIM]
    with pytest.warns(Damaged):
        finished_store(tmp_path / "s")
    assert known.read_bytes() == whole


def older_store(path: Path) -> None:
    """A store of two finished claims, as it was before stores knew of what code their claims are.
    """
    hidden = path / ".journal"
    finished_store(path)
    with Store.open(path, RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    (hidden / "claims.json").unlink()
    for file in (path / "zarr.json", hidden / "run.json"):
        text = file.read_bytes().replace(b'"code_of_claims":".journal/claims.json",', b"")
        assert text != file.read_bytes()
        if file.name == "run.json":
            document, _ = text.rsplit(b"\n", 1)
            text = document + b"\n" + sealed(document)
        file.write_bytes(text)


def test_an_older_store_is_not_called_damaged(tmp_path: Path) -> None:
    """It said that its claims.json is: there was none. Warnings are errors here."""
    older_store(tmp_path / "s")
    with Store.load(tmp_path / "s") as store:
        assert store.ids() == ["kernel-mean/lemma-3", CLAIM]
    # An audit that is killed before it comes to the second claim leaves both as they were.
    with Store.open(tmp_path / "s", RUN) as store:
        assert open_blocks(store).finished
    with Store.load(tmp_path / "s") as store:
        assert store.ids() == ["kernel-mean/lemma-3", CLAIM]
    with Store.open(tmp_path / "s", RUN) as store:
        with pytest.raises(StoreError, match="other code"):
            open_blocks(store, fingerprint="f1")
        assert open_blocks(store, "kernel-mean/lemma-3").finished


def test_what_says_of_what_code_claims_are_is_mended_for_all_of_them(tmp_path: Path) -> None:
    """An audit killed half-way left a list of its own: the other claims were of other code."""
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    (tmp_path / "s" / ".journal" / "claims.json").write_bytes(b"")
    with pytest.warns(Damaged, match="claims.json"), Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store)
    with Store.load(tmp_path / "s") as store:
        assert store.ids() == ["kernel-mean/lemma-3", CLAIM]


def test_a_store_without_a_finished_claim_takes_no_journal_of_other_code(tmp_path: Path) -> None:
    """Nothing but the journal's own seals says yet of what code it is; none of this is damage."""
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store).put(0, 0, block(0, 0))
    journal = journal_of(tmp_path / "s")
    (journal.parent / "claims.json").unlink()  # As death leaves it.
    whole = journal.read_bytes()
    with Store.open(tmp_path / "s", RUN) as store:
        text = "other code .*or move its .journal/kernel-mean~theorem-5.blocks away"
        with pytest.raises(OfOneClaim, match=text):
            open_blocks(store, fingerprint="f1")
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    assert journal.read_bytes() == whole
    with Store.open(tmp_path / "s", RUN) as store:
        assert_block(open_blocks(store), 0, 0)


def test_frames_of_other_code_never_verify(tmp_path: Path) -> None:
    """The start of a journal lost, its frames are of another claim's code: none is taken."""
    data, ends = three_blocks(tmp_path / "s")
    journal_of(tmp_path / "s").write_bytes(b"\0" * ends[0] + data[ends[0] :])
    with (
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(OfOneClaim, match="no journal of this package: move it away"),
    ):
        open_blocks(store, fingerprint="f1")
    with (
        Store.open(tmp_path / "s", RUN) as store, pytest.warns(Damaged, match="the journal of"),
    ):
        assert len(open_blocks(store)) == 3


def test_a_store_may_be_named_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    (tmp_path / "s").symlink_to(tmp_path / "large")
    finished_store(tmp_path / "s")
    with Store.load(tmp_path / "large") as store:
        assert store.ids() == [CLAIM]


@pytest.mark.parametrize("name", [
    "kernel-mean~theorem-5.blocks", "lock", "run.json", "write.partial",
])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    """Data of others that a link in a store leads to."""
    (tmp_path / "thesis").write_text("ten years of work")
    hidden = tmp_path / "s" / ".journal"
    hidden.mkdir(parents=True)
    (hidden / name).symlink_to(tmp_path / "thesis")
    with (
        pytest.raises(StoreError, match="symbolic link"),
        Store.open(tmp_path / "s", RUN) as store,
    ):
        open_blocks(store).put(0, 0, block(0, 0))
    assert (tmp_path / "thesis").read_text() == "ten years of work"


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, _socket])
def test_what_is_no_file_in_the_place_of_the_lock_is_named_and_stays(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """A pipe was taken for the lock."""
    finished_store(tmp_path / "s")
    lock = tmp_path / "s" / ".journal" / "lock"
    lock.unlink()
    make(lock)
    before = lock.lstat()
    with pytest.raises(StoreError, match="lock is no regular file"):
        Store.open(tmp_path / "s", RUN)
    assert lock.lstat() == before
    with Store.load(tmp_path / "s") as store:
        assert store.ids() == [CLAIM]


@pytest.mark.parametrize("make", [os.mkfifo, Path.touch])
def test_what_is_no_folder_in_the_place_of_a_claim_is_named_and_stays(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """The audit moved it away after the work, failed, and waited for ever for a pipe the next time.
    """
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    group = tmp_path / "s" / group_of(CLAIM)
    shutil.rmtree(group)
    make(group)
    with pytest.warns(Damaged, match=f"{group_of(CLAIM)} .*something else is in its place.*: move"):
        assert Store.load(tmp_path / "s").ids() == ["kernel-mean/lemma-3"]
    for _ in range(2):
        with (
            pytest.warns(Remark, match="left alone"), Store.open(tmp_path / "s", RUN) as store,
            pytest.raises(StoreError, match=f"{group}: Not a directory"),
        ):
            open_blocks(store)
    assert group.exists() and not group.is_dir()


@pytest.mark.parametrize("suffix", ["old", "staged"])
def test_a_pipe_in_the_place_of_what_is_left_aside_is_not_waited_for(
    tmp_path: Path, suffix: str
) -> None:
    finished_store(tmp_path / "s")
    shutil.rmtree(tmp_path / "s" / group_of(CLAIM))
    os.mkfifo(tmp_path / "s" / ".journal" / f"{group_of(CLAIM).replace('/', '~')}.{suffix}")
    with pytest.warns(Damaged), pytest.warns(Remark, match=f"left alone: .*{suffix}$"):
        if suffix == "old":
            finished_store(tmp_path / "s")
        else:
            with pytest.raises(StoreError, match="staged: File exists"):
                finished_store(tmp_path / "s")


def test_a_link_to_a_whole_group_is_not_taken_for_it(tmp_path: Path) -> None:
    """It was neither listed nor read afterwards, and the audit said that it had mended it."""
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    group.rename(tmp_path / "moved")
    group.symlink_to(tmp_path / "moved")
    with (
        pytest.warns(Remark, match="left alone"), Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="symbolic link"),
    ):
        open_blocks(store)


def test_a_linked_folder_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Store.open(tmp_path / "s", RUN).close()
    (tmp_path / "s" / "kernel-mean").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.warns(Remark, match="not of this package, and left alone: kernel-mean$"),
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="symbolic link"),
    ):
        open_blocks(store)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_that_becomes_a_link_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        (tmp_path / "s" / "kernel-mean").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StoreError, match="symbolic link"):
            blocks.finish(summary())
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("name", ["lhs", "rhs", "lhs/c.0.0.0.0", "lhs/zarr.json"])
@pytest.mark.parametrize("metadata", [None, "{}"])
def test_a_link_in_the_place_of_an_array_is_named_and_left_alone(
    tmp_path: Path, name: str, metadata: str | None
) -> None:
    """It went, an array took its place, and the audit said that it had mended the group."""
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    (group / "zarr.json").unlink()
    if metadata is not None:
        (group / "zarr.json").write_text(metadata)
    (tmp_path / "elsewhere").mkdir()
    link = group / name
    shutil.rmtree(link) if link.is_dir() else link.unlink(missing_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(StoreError, match=f"{link} is a symbolic link"), warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        with Store.open(tmp_path / "s", RUN) as store:
            fill(open_blocks(store))
    assert link.is_symlink() and not list((tmp_path / "elsewhere").iterdir())


def test_a_link_in_a_group_without_metadata_is_refused_before_the_work(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    (group / "zarr.json").unlink()
    shutil.rmtree(group / "rhs")
    (group / "rhs").symlink_to(tmp_path)
    with (
        pytest.warns(Remark, match=f"left alone: {group_of(CLAIM)}/rhs$"),
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="rhs is a symbolic link"),
    ):
        open_blocks(store)


@pytest.mark.parametrize("metadata", [None, "{}", "whole"])
def test_files_of_others_in_a_group_are_named(tmp_path: Path, metadata: str | None) -> None:
    strays = with_strays(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    if metadata != "whole":
        (group / "zarr.json").unlink()
    if metadata == "{}":
        (group / "zarr.json").write_text(metadata)
    named = [f"{group_of(CLAIM)}/{name}" for name in ("chapter", "thesis", "lhs/thesis")]
    with pytest.warns(Remark, match=f"left alone: {', '.join(named)}$"):
        Store.open(tmp_path / "s", RUN).close()
    assert {path.read_text() for path in strays} == {"ten years of work"}


def test_a_file_in_the_place_of_an_array_is_kept(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    (group / "zarr.json").unlink()
    shutil.rmtree(group / "rhs")
    (group / "rhs").write_text("ten years of work")
    with (
        pytest.warns(Damaged), pytest.warns(Remark, match="/rhs$"),
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="rhs: Not a directory"),
    ):
        fill(open_blocks(store))
    assert (group / "rhs").read_text() == "ten years of work"


def fill(blocks: ClaimBlocks) -> None:
    for cell in range(CELLS):
        for number in range(2):
            blocks.put(cell, number, block(cell, number))
    blocks.finish(summary())


def with_strays(store: Path) -> list[Path]:
    """Files of somebody else's in the group of a finished claim."""
    finished_store(store)
    group = store / group_of(CLAIM)
    for folder in (group, group / "lhs", group / "chapter"):
        folder.mkdir(exist_ok=True)
        (folder / "thesis").write_text("ten years of work")
    return sorted(group.rglob("thesis"))


@pytest.mark.parametrize("moved", ["aside", "aside, and the new one into place"])
def test_what_is_not_ours_outlives_death_while_a_group_is_replaced(
    tmp_path: Path, moved: str
) -> None:
    strays = with_strays(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    old = tmp_path / "s" / ".journal" / f"{group_of(CLAIM).replace('/', '~')}.old"
    group.rename(old)
    if "new one" in moved:
        finished_store(tmp_path / "other")
        (tmp_path / "other" / group_of(CLAIM)).rename(group)
    with pytest.warns(Remark, match="/chapter, "), Store.open(tmp_path / "s", RUN) as store:
        assert store.ids() == [CLAIM]
    assert not old.exists()
    assert {path.read_text() for path in strays} == {"ten years of work"}


def test_what_is_not_ours_outlives_a_group_that_is_written_anew(tmp_path: Path) -> None:
    strays = with_strays(tmp_path / "s")
    (tmp_path / "s" / group_of(CLAIM) / "zarr.json").write_text("{}")
    with (
        pytest.warns(Damaged), pytest.warns(Remark, match="/chapter, "),
        Store.open(tmp_path / "s", RUN) as store,
    ):
        fill(open_blocks(store))
    assert {path.read_text() for path in strays} == {"ten years of work"}
    with pytest.warns(Remark, match="/chapter, "), Store.load(tmp_path / "s") as store:
        assert store.ids() == [CLAIM]


@pytest.mark.parametrize("start", [b"", b"\x93ntblk\r\n"])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, start: bytes) -> None:
    """It begins like one, and was deleted without a word."""
    Store.open(tmp_path / "s", RUN).close()
    path = tmp_path / "s" / ".journal" / "kernel-mean~theorem-5.blocks"
    path.write_bytes(start + b"ten years of work")
    with (
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="is no journal of this package"),
    ):
        open_blocks(store)
    assert path.read_bytes() == start + b"ten years of work"


def test_a_journal_of_other_code_whose_start_is_damaged_is_kept(tmp_path: Path) -> None:
    """One bit turned its refusal into its end."""
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, fingerprint="f1").put(0, 0, block(0, 0))
    journal = journal_of(tmp_path / "s")
    data = bytearray(journal.read_bytes())
    data[60] ^= 1
    journal.write_bytes(data)
    with (
        Store.open(tmp_path / "s", RUN) as store,
        pytest.raises(StoreError, match="is no journal of this package"),
    ):
        open_blocks(store)
    assert journal.read_bytes() == data


@pytest.mark.parametrize("text", ['{"attributes":' * 20_000, '{"attributes": {}}'])
def test_hostile_metadata_are_damage(tmp_path: Path, text: str) -> None:
    """Deep JSON, or shapes that nobody has the memory for."""
    finished_store(tmp_path / "s")
    file = tmp_path / "s" / group_of(CLAIM) / "zarr.json"
    whole = file.read_text()
    for hostile in (text, whole.replace('"shape":[2', '"shape":[1000000000000000')):
        file.write_text(hostile)
        with warnings.catch_warnings(), pytest.raises(StoreError):
            warnings.simplefilter("ignore", Damaged)
            Store.load(tmp_path / "s").read(CLAIM)
        with (
            Store.open(tmp_path / "s", RUN) as store,
            pytest.warns(Damaged, match="is damaged .*: this audit mends it"),
        ):
            assert len(open_blocks(store)) == 0


@pytest.mark.parametrize("name", ["zarr.json", ".journal/kernel-mean~theorem-5.blocks"])
def test_pipes_and_devices_are_no_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "s" / ".journal").mkdir(parents=True)
    os.mkfifo(tmp_path / "s" / name)
    with (
        pytest.raises(StoreError, match="no regular file"),
        Store.open(tmp_path / "s", RUN) as store,
    ):
        open_blocks(store)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink(path, path)])
def test_a_claim_whose_metadata_are_no_file_is_named_and_costs_no_other(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    metadata = tmp_path / "s" / group_of(CLAIM) / "zarr.json"
    metadata.unlink()
    make(metadata)
    damage = f"{group_of(CLAIM)} .*its zarr.json cannot be read"
    with pytest.warns(Damaged, match=damage), Store.load(tmp_path / "s") as store:
        assert store.ids() == ["kernel-mean/lemma-3"]
    with pytest.warns(Damaged, match=f"{damage}.*: this audit mends it"):
        finished_store(tmp_path / "s")
    with Store.load(tmp_path / "s") as store:
        assert store.ids() == ["kernel-mean/lemma-3", CLAIM]


@pytest.mark.parametrize(
    "name", ["zarr.json", "kernel-mean/zarr.json", ".journal/run.json", ".journal/claims.json"]
)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_written_anew(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    """The report said so, and the audit failed: "Is a directory"."""
    finished_store(tmp_path / "s")
    metadata = tmp_path / "s" / name
    whole = metadata.read_bytes()
    metadata.unlink()
    make(metadata)
    with (
        pytest.warns(Damaged, match="damaged; .*an audit with this store writes it anew$"),
        Store.load(tmp_path / "s") as store,
    ):
        assert store.ids() == [CLAIM]
        assert store.read(CLAIM).attrs["verdict"] == "upheld"
    with pytest.warns(Damaged):
        finished_store(tmp_path / "s")
    assert metadata.read_bytes() == whole


@pytest.mark.parametrize("name", ["zarr.json", "kernel-mean/zarr.json", ".journal/run.json"])
def test_a_folder_of_others_in_the_place_of_metadata_is_kept(tmp_path: Path, name: str) -> None:
    finished_store(tmp_path / "s")
    metadata = tmp_path / "s" / name
    metadata.unlink()
    metadata.mkdir()
    (metadata / "thesis").write_text("ten years of work")
    with (
        pytest.warns(Damaged, match="a folder with something in it: move it away, and an audit"),
        Store.load(tmp_path / "s") as store,
    ):
        assert store.ids() == [CLAIM]
    with (
        pytest.warns(Damaged),
        pytest.raises(StoreError, match=f"{metadata} is a folder with something in it: move it"),
    ):
        Store.open(tmp_path / "s", RUN)
    assert (metadata / "thesis").read_text() == "ten years of work"


def test_a_flipped_bit_in_any_byte_of_the_root(tmp_path: Path) -> None:
    """One bad byte in the list locks nothing: the copy of the run and the groups make it anew."""
    finished_store(tmp_path / "s")
    root = tmp_path / "s" / "zarr.json"
    data = root.read_bytes()
    end = data.index(b"consolidated_metadata")
    for place in [*range(0, end, 7), None]:
        flipped = bytearray(data)
        if place is None:
            root.unlink()
        else:
            flipped[place] ^= 4
            root.write_bytes(flipped)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            loaded = Store.load(tmp_path / "s")
        assert loaded.attributes == RUN and loaded.read(CLAIM).sizes["chain"] == 2
        assert len(said) <= 1
    with pytest.warns(Damaged, match="list of the store .* is damaged"):
        Store.open(tmp_path / "s", RUN).close()
    assert root.read_bytes() == data


@pytest.mark.crash
def test_a_flipped_bit_in_any_byte_of_a_finished_claim(tmp_path: Path) -> None:
    """A wrong number is never returned; the claim is whole or says that it is not."""
    finished_store(tmp_path / "s")
    files = [p for p in (tmp_path / "s" / "kernel-mean").rglob("*") if p.is_file()]
    rng = random.Random(1)
    lost = 0
    for file in files:
        data = file.read_bytes()
        step = max(1, len(data) // 40)
        for place in range(rng.randrange(step), len(data), step):
            broken = bytearray(data)
            broken[place] ^= 1 << rng.randrange(8)
            file.write_bytes(broken)
            with (
                pytest.warns(Damaged, match=r"kernel-mean/(theorem-5|zarr.json) in the store"),
                Store.open(tmp_path / "s", RUN) as store,
            ):
                # Damage, whatever it says: never taken for another fingerprint or grid.
                blocks = open_blocks(store)
                in_paper = file.parent.name == "kernel-mean"
                assert blocks.finished is in_paper, (file, place)
                for cell in range(CELLS):
                    for number in range(2):
                        if (cell, number) in blocks:
                            assert_block(blocks, cell, number)
                        else:
                            lost += 1
        file.write_bytes(data)
    assert lost
    with Store.open(tmp_path / "s", RUN) as store:
        assert open_blocks(store).finished


def test_a_flipped_bit_anywhere_in_the_list_or_of_a_paper_is_named(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    for file, text in (
        (tmp_path / "s" / "zarr.json", "list of the store .* is damaged|is on the list, and not"),
        (tmp_path / "s" / "kernel-mean" / "zarr.json", "kernel-mean/zarr.json in the store"),
        (tmp_path / "s" / ".journal" / "run.json", ".journal/run.json in the store .* is damaged"),
        (tmp_path / "s" / ".journal" / "claims.json", ".journal/claims.json in .* is damaged"),
    ):
        data = file.read_bytes()
        for place in range(0, len(data), max(1, len(data) // 40)):
            broken = bytearray(data)
            broken[place] ^= 1
            file.write_bytes(broken)
            with pytest.warns(Damaged, match=text):
                Store.load(tmp_path / "s")
        with pytest.warns(Damaged, match=text), Store.open(tmp_path / "s", RUN) as store:
            open_blocks(store)
        assert file.read_bytes() == data


def test_a_claim_that_is_gone_is_named_and_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store, "kernel-mean/lemma-3").finish(summary())
    group = tmp_path / "s" / group_of(CLAIM)
    ours = [tmp_path / "s", tmp_path / "s" / ".journal", group.parent, group, group / "lhs"]
    for folder in ours:
        (folder / "notes").symlink_to(tmp_path)
    names = "notes, .journal/notes, kernel-mean/notes, kernel-mean/theorem-5/notes"
    with pytest.warns(Remark) as said:
        Store.load(tmp_path / "s").close()
    assert {*names.split(", "), "kernel-mean/theorem-5/lhs/notes"} == {
        *str(said[0].message).partition("left alone: ")[2].split(", ")
    }
    for folder in ours:
        (folder / "notes").unlink()
    shutil.rmtree(group)
    with pytest.warns(Damaged, match=f"{group_of(CLAIM)} .*on the list, and not there"):
        assert Store.load(tmp_path / "s").ids() == ["kernel-mean/lemma-3"]


def test_a_damaged_finished_claim_is_mended(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    (chunk,) = (tmp_path / "s" / group_of(CLAIM) / "lhs").glob("c.*")
    data = bytearray(chunk.read_bytes())
    data[3] ^= 1
    chunk.write_bytes(data)
    with Store.open(tmp_path / "s", RUN) as store:
        with pytest.warns(Damaged, match="not what was written.: this audit mends it"):
            blocks = open_blocks(store)
        assert not blocks.finished and blocks.damaged == 1
        assert (0, 0) not in blocks
        blocks.put(0, 0, block(0, 0))
        blocks.finish(summary())
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        assert blocks.finished and blocks.damaged == 0
        assert_block(blocks, 0, 0)


def test_a_missing_file_is_noticed(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    files = [p for p in (tmp_path / "s" / group_of(CLAIM)).rglob("*") if p.is_file()]
    for file in files:
        data = file.read_bytes()
        file.unlink()
        with Store.open(tmp_path / "s", RUN) as store, pytest.warns(Damaged, match="this audit"):
            assert not open_blocks(store).finished, file
        file.write_bytes(data)


def test_damage_after_opening_is_noticed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        journal = journal_of(tmp_path / "s")
        data = bytearray(journal.read_bytes())
        data[-20] ^= 1
        journal.write_bytes(data)
        with pytest.raises(StoreError, match=r"is damaged; run again"):
            blocks.get(0, 0)
        assert (0, 0) not in blocks
        blocks.put(0, 0, block(0, 0))
        assert_block(blocks, 0, 0)


# Writes that fail.


@contextlib.contextmanager
def failing(
    name: str, nth: int, action: Callable[[], object], patch: pytest.MonkeyPatch
) -> Iterator[list[int]]:
    """Let the nth call of ``os.name`` do something else; yields the number of calls."""
    original = getattr(os, name)
    calls = [0]

    def call(*args: object, **kwargs: object) -> object:
        calls[0] += 1
        if calls[0] == nth:
            action()
        return original(*args, **kwargs)

    with patch.context() as patched:
        patched.setattr(os, name, call)
        yield calls


def two_variables() -> xr.Dataset:
    return summary()[["decision", "total"]].drop_vars(["label", "delta"], errors="ignore")


def small_run(path: Path, acknowledge: Callable[[int, int], object]) -> None:
    """Two blocks, compaction, a third block, compaction again."""
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        for cell, number in ((0, 0), (1, 0), (1, 1)):
            if (cell, number) not in blocks:
                blocks.put(cell, number, block(cell, number))
            acknowledge(cell, number)
            if (cell, number) != (0, 0):
                blocks.finish(two_variables())


def assert_whole(path: Path, acknowledged: set[tuple[int, int]]) -> None:
    """Opens with plain xarray, no warning; every acknowledged block is there; it resumes."""
    if (path / "zarr.json").exists():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with xr.open_datatree(path, engine="zarr") as tree:
                groups = {g for g in tree.groups if g.count("/") == 2}
                assert groups <= {"/kernel-mean/theorem-5"}
                for group in groups:
                    dataset = tree[group].to_dataset().load()
                    assert dataset.attrs["complete"]
                    drawn = dataset["block_digest"].values.reshape(CELLS, -1)
                    lhs = dataset["lhs"].values.reshape(CELLS, -1, ROWS)
                    for cell, number in zip(*np.nonzero(drawn), strict=True):
                        expected = block(int(cell), int(number))["lhs"]
                        assert lhs[cell, number].tobytes() == expected.tobytes()
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        assert blocks.damaged == 0
        for where in acknowledged:
            assert_block(blocks, *where)
    small_run(path, lambda cell, number: None)
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        assert blocks.finished and len(blocks) == 3
        assert store.read(CLAIM).sizes["chain"] == 2


@pytest.mark.crash
@pytest.mark.parametrize("name", ["write", "open", "mkdir", "rename", "replace"])
def test_every_call_that_fails_leaves_a_whole_store(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    nth = 0
    while True:
        nth += 1
        path = tmp_path / str(nth)
        acknowledged: set[tuple[int, int]] = set()
        with failing(name, nth, full, monkeypatch) as calls:
            try:
                small_run(path, lambda c, b, seen=acknowledged: seen.add((c, b)))
            except StoreError as error:
                assert "No space left on device" in str(error) and str(path) in str(error)
                assert "\n" not in str(error)
            else:
                # Sweeping up is the one thing that may fail in silence.
                assert calls[0] < nth or name == "open"
        assert_whole(path, acknowledged)
        shutil.rmtree(path)
        if calls[0] < nth:
            break
    assert nth > 2


def test_the_run_may_go_on_after_a_failed_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        original = os.write

        def half(fd: int, data: bytes) -> int:
            if len(data) < 60:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return original(fd, data[:50])

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", half)
            with pytest.raises(StoreError, match="No space"):
                blocks.put(1, 0, block(1, 0))
            with pytest.raises(StoreError, match="No space"):
                blocks.finish(summary())
        assert (1, 0) not in blocks
        blocks.put(1, 0, block(1, 0))
        blocks.finish(summary())
        assert_block(blocks, 0, 0)
        assert_block(blocks, 1, 0)


@pytest.mark.parametrize("most", [1, 7, 64])
def test_short_writes(tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: original(fd, data[:most]))
    small_run(tmp_path / "s", lambda cell, number: None)
    monkeypatch.undo()
    assert_whole(tmp_path / "s", {(0, 0), (1, 0), (1, 1)})


def test_an_interrupt_leaves_no_half_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        original = os.write

        def interrupted(fd: int, data: bytes) -> int:
            original(fd, data[:30])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                blocks.put(1, 0, block(1, 0))
        blocks.put(2, 0, block(2, 0))
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        assert len(blocks) == 2 and blocks.damaged == 0


def test_a_remote_place_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}"
    fs = fsspec.filesystem("memory")
    store = Store.open(url, RUN)
    blocks = open_blocks(store)
    blocks.put(0, 0, block(0, 0))

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def lost(*args: object, **kwargs: object) -> None:
        raise EOFError("the connection is lost")  # by a library whose errors are no OSErrors

    with monkeypatch.context() as patch:
        patch.setattr(type(fs), "pipe_file", lost)
        with pytest.raises(StoreError, match="EOFError: the connection is lost; what it holds is"):
            blocks.put(1, 0, block(1, 0))
    for broken in ("pipe_file", "open"):
        with monkeypatch.context() as patch:
            patch.setattr(type(fs), broken, refuse)
            if broken == "pipe_file":
                with pytest.raises(StoreError, match="Permission denied"):
                    blocks.put(1, 0, block(1, 0))
            with pytest.raises(StoreError, match="Permission denied"):
                blocks.finish(summary())
        assert store.ids() == []
        assert_block(blocks, 0, 0)
    blocks.finish(summary())
    store.close()
    with Store.open(url, RUN) as again:
        assert_block(open_blocks(again), 0, 0)
        assert open_blocks(again).finished
    fs.rm(url, recursive=True)


# Death at any instant. These run in a fresh interpreter, which forks the processes that die.


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def forked(work: Callable[[], object]) -> int:
    """Start a process for this work; exit status 0, or 1 with a traceback."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def status_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def acknowledged_in(path: Path) -> set[tuple[int, int]]:
    pairs = path.read_text().split("\n")[:-1] if path.exists() else []
    return {(int(cell), int(number)) for cell, number in (pair.split() for pair in pairs)}


def die_at_every_call(directory: Path) -> None:
    """Kill the run at every call that changes a file, one after the other."""
    names = ["write", "open", "mkdir", "rename", "replace", "unlink", "rmdir", "ftruncate"]

    def dying(path: Path, nth: int, acks: int) -> None:
        count = [0]

        def deadly(original: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **kwargs: object) -> object:
                count[0] += 1
                if count[0] == nth:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*args, **kwargs)

            return call

        write = os.write
        for name in names:
            setattr(os, name, deadly(getattr(os, name)))
        small_run(path, lambda cell, number: write(acks, f"{cell} {number}\n".encode()))

    nth = 0
    while True:
        nth += 1
        path, log = directory / str(nth), directory / f"{nth}.acknowledged"
        acks = os.open(log, os.O_CREAT | os.O_WRONLY)
        status = status_of(forked(lambda p=path, n=nth, a=acks: dying(p, n, a)))
        os.close(acks)
        seen = acknowledged_in(log)
        checked = status_of(forked(lambda p=path, s=seen: assert_whole(p, s)))
        if checked or status not in (0, -signal.SIGKILL):
            raise SystemExit(f"death at call {nth}: run {status}, check {checked}")
        shutil.rmtree(path, ignore_errors=True)
        if status == 0:
            print(nth)
            return


def die_at_random(directory: Path, kills: int, seed: int) -> None:
    """Kill a run of many blocks at random instants, and let it resume each time."""
    path, log = directory / "store", directory / "acknowledged"
    claims = [f"kernel-mean/theorem-{i}" for i in range(200)]
    rng = random.Random(seed)

    def writing(acks: int) -> None:
        with Store.open(path, RUN) as store:
            for c, claim in enumerate(claims):
                blocks = open_blocks(store, claim)
                for cell in range(CELLS):
                    for number in range(4):
                        if (cell, number) not in blocks:
                            blocks.put(cell, number, block(cell, number))
                        os.write(acks, f"{CELLS * c + cell} {number}\n".encode())
                blocks.finish(two_variables())

    def checking() -> None:
        seen = acknowledged_in(log)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with xr.open_datatree(path, engine="zarr") as tree:
                compacted = [node for node in tree.leaves if node.path.count("/") == 2]
                for node in compacted:
                    lhs = node["lhs"].values.reshape(CELLS, -1, ROWS)
                    for cell, number in np.ndindex(CELLS, 4):
                        expected = block(cell, number)["lhs"]
                        assert lhs[cell, number].tobytes() == expected.tobytes()
        with Store.open(path, RUN) as store:
            assert {group_of(claim) for claim in store.ids()} >= {n.path[1:] for n in compacted}
            for place, number in seen:
                assert_block(open_blocks(store, claims[place // CELLS]), place % CELLS, number)

    counts = []
    for _ in range(kills):
        acks = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        before = log.stat().st_size
        pid = forked(lambda a=acks: writing(a))
        while log.stat().st_size == before:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.1))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(acks)
        if status_of(forked(checking)):
            raise SystemExit("what was acknowledged is not there")
        counts.append(len(acknowledged_in(log)))
    print(*counts)


def outlive_the_parent(path: Path) -> None:
    """A forked worker lives on; its parent, which had the store open, is killed."""
    read, write = os.pipe()

    def worker() -> None:
        os.write(write, f"{os.getpid()}\n".encode())
        time.sleep(60)

    def parent() -> None:
        store = Store.open(path, RUN)
        forked(worker)
        time.sleep(60)
        store.close()

    pid = forked(parent)
    living = int(os.read(read, 20))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    try:
        Store.open(path, RUN).close()
        print("opened")
    finally:
        os.kill(living, signal.SIGKILL)


def outgrow_the_limit(path: Path) -> None:
    """Files may not grow beyond a limit, as under a quota."""
    with Store.open(path, RUN) as store:
        blocks = open_blocks(store)
        blocks.put(0, 0, block(0, 0))
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (journal_of(path).stat().st_size + 50, hard))
        for work in (lambda: blocks.put(1, 0, block(1, 0)), lambda: blocks.finish(summary())):
            try:
                work()
            except StoreError as error:
                print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        blocks.put(1, 0, block(1, 0))
    assert_whole(path, {(0, 0), (1, 0)})


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks the process that dies")


@pytest.mark.crash
@needs_fork
def test_death_at_every_call(tmp_path: Path) -> None:
    done = run_python(__file__, "die-at-every-call", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


@pytest.mark.crash
@needs_fork
def test_death_at_random_instants(tmp_path: Path) -> None:
    done = run_python(__file__, "die-at-random", str(tmp_path))
    assert done.returncode == 0, done.stderr
    counts = [int(count) for count in done.stdout.split()]
    assert len(counts) == 10 and sorted(counts) == counts and counts[-1] > counts[0]


@pytest.mark.crash
@needs_fork
def test_a_worker_that_outlives_its_parent_does_not_lock_the_store(tmp_path: Path) -> None:
    done = run_python(__file__, "outlive-the-parent", str(tmp_path / "s"))
    assert done.stdout == "opened\n", done.stderr


@pytest.mark.crash
@needs_fork
def test_a_limit_on_file_size(tmp_path: Path) -> None:
    done = run_python(__file__, "outgrow-the-limit", str(tmp_path / "s"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(os.strerror(errno.EFBIG) in line for line in lines)


def main(task: str, path: Path) -> None:
    import zarr  # once, before the forks; it starts no thread before it is used

    assert zarr.__version__
    if task == "open":
        try:
            Store.open(path, RUN).close()
        except StoreError as error:
            print(error)
    elif task == "die-at-every-call":
        die_at_every_call(path)
    elif task == "die-at-random":
        die_at_random(path, kills=10, seed=0)
    elif task == "outlive-the-parent":
        outlive_the_parent(path)
    elif task == "outgrow-the-limit":
        outgrow_the_limit(path)
    else:
        raise SystemExit(f"no such task: {task}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))


@pytest.mark.parametrize(("durable", "chance"), [(False, 0), (True, 0), (True, 1)])
def test_a_durable_store_outlives_a_loss_of_power(
    tmp_path: Path, durable: bool, chance: int
) -> None:
    """At any wait for the disk: of what nobody waited for nothing is left, or by chance a part."""
    import power  # not above: this file is also run alone

    done: list[tuple[str, int]] = []
    seen = {"losses": 0, "blocks lost": 0}
    (tmp_path / "disk").mkdir()

    def of(store: Store, claim: str) -> ClaimBlocks:
        return store.claim(claim, "f0", {"lhs": np.dtype(float)}, 1, 1)

    def fail() -> None:
        seen["losses"] += 1
        left = tmp_path / f"left-{seen['losses']}"
        disk.left(left, random.Random(seen["losses"]) if chance else None)
        with warnings.catch_warnings(), Store.open(left / "store", RUN) as store:
            warnings.simplefilter("ignore", Damaged)
            blocks = {claim: of(store, claim) for claim, _ in done}
            seen["blocks lost"] += sum((0, number) not in blocks[claim] for claim, number in done)

    with power.Disk(tmp_path / "disk") as disk:
        for number in range(2):
            with Store.open(tmp_path / "disk" / "store", RUN, durable=durable) as store:
                disk.before = fail
                for claim in (CLAIM, "uma/lemma-1"):
                    blocks = of(store, claim)
                    blocks.put(0, number, {"lhs": np.full(1, float(number))})
                    done.append((claim, number))
                    fail()
                    blocks.finish(xr.Dataset())
                disk.before = lambda: None
    assert (seen["blocks lost"] == 0) is durable and seen["losses"] > (30 if durable else 3)


def test_only_a_directory_can_be_durable() -> None:
    url = "memory://durable"
    for place, remedy in ((None, "give one as store .--store PATH"), (url, f"store {url} is none")):
        with pytest.raises(StoreError, match=f"waits for the disk .*{remedy}"):
            Store.open(place, RUN, durable=True)


def test_what_ends_like_ours_among_the_journals_is_left_alone(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    hidden = tmp_path / "s" / ".journal"
    for name in ("thesis.old", "backup.staged"):
        (hidden / name).mkdir()
        (hidden / name / "a.txt").write_text("of others")
    (hidden / "notes.partial").write_text("of others")
    (hidden / "run.json.old").write_text("of others")
    with pytest.warns(Remark, match="left alone") as said, Store.open(tmp_path / "s", RUN):
        pass
    for name in ("thesis.old/a.txt", "backup.staged/a.txt", "notes.partial", "run.json.old"):
        assert (hidden / name).read_text() == "of others"
        assert name.partition("/")[0] in str(said[0].message)


MAGIC = b"\x93ntblk\r\n"


@pytest.mark.parametrize(("between", "hole"), [(b"\0" * 123, 2**40), (MAGIC * 2**18, 0)])
def test_of_a_damaged_journal_each_byte_is_read_once(tmp_path, monkeypatch, between, hole) -> None:
    """A hole as of a damaged length, and what begins a frame over and over: else it takes hours."""
    with Store.open(tmp_path / "s", RUN) as store:
        blocks = open_blocks(store)
        for number in range(3):
            blocks.put(0, number, block(0, number))
    path = journal_of(tmp_path / "s")
    data = path.read_bytes()
    last = data.rfind(MAGIC)
    with path.open("r+b") as file:
        file.truncate(last)
        file.seek(last + hole)
        file.write(between + data[last:])
        file.truncate(2 * file.tell())
    left, plain = [3 * len(between) + 2**22], FileJournal._at

    def counted(self: FileJournal, place: int, size: int) -> bytes:
        read = plain(self, place, size)
        left[0] -= len(read)
        assert left[0] > 0
        return read

    monkeypatch.setattr(FileJournal, "_at", counted)
    with pytest.warns(Damaged, match="journal"), Store.open(tmp_path / "s", RUN) as store:
        assert len(open_blocks(store)) == 3


def test_metadata_of_absurd_length_are_not_read(tmp_path: Path) -> None:
    finished_store(tmp_path / "s")
    os.truncate(tmp_path / "s" / group_of(CLAIM) / "zarr.json", 2**40)
    with pytest.warns(Damaged, match="cannot be read"), pytest.raises(StoreError):
        Store.load(tmp_path / "s")


@pytest.mark.parametrize("name", ["attributes", "fill_value", "dimension_names"])
def test_a_sealed_group_of_what_no_audit_writes_is_called_damaged(tmp_path: Path, name) -> None:
    """Whoever wrote it has sealed it rightly: the seal is no secret."""
    from damaged import reseal  # This file is a script, too.

    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    reseal(group, lambda attributes, arrays: arrays["rhs"].pop(name))
    with (
        pytest.warns(Damaged), Store.load(tmp_path / "s") as store,
        pytest.raises(StoreError, match="is damaged"),
    ):
        store.read(CLAIM)


def test_a_folder_of_others_that_ends_like_ours_locks_no_store(tmp_path):
    """It was to be moved into a folder that has never been, which no audit survived."""
    run = {"seed": 1, "version": "1"}
    Store.open(tmp_path / "s", run).close()
    stray = tmp_path / "s" / ".journal" / "photos~2024.old"
    stray.mkdir()
    with pytest.warns(Remark, match=r"left alone: .journal/photos~2024.old"):
        Store.open(tmp_path / "s", run).close()
    assert stray.is_dir()


@pytest.mark.parametrize("where", ["photos/2024", f"{group_of(CLAIM).partition('/')[0]}/notes"])
def test_a_folder_of_others_is_no_damaged_claim(tmp_path, where):
    """It was said that an audit run again mends it."""
    finished_store(tmp_path / "s")
    letter = tmp_path / "s" / where / "b.txt"
    letter.parent.mkdir(parents=True)
    letter.write_text("ten years of work")
    with (
        pytest.warns(Remark, match=f"not of this package, and left alone: {where}/b.txt$"),
        Store.load(tmp_path / "s") as store,
    ):
        assert store.ids() == [CLAIM]
    assert letter.read_text() == "ten years of work"


@pytest.mark.parametrize("name", ["photos~2024", group_of(CLAIM).replace("/", "~")])
@pytest.mark.parametrize("inside", ["a.jpg", "summer/a.jpg", "lhs/c/a.jpg"])
def test_what_is_named_as_a_group_aside_and_holds_what_none_does_is_left_alone(
    tmp_path: Path, name: str, inside: str
) -> None:
    """It was deleted, without a word."""
    with Store.open(tmp_path / "s", RUN) as store:
        open_blocks(store).put(0, 0, block(0, 0))
    photo = tmp_path / "s" / ".journal" / f"{name}.staged" / inside
    photo.parent.mkdir(parents=True)
    photo.write_text("of others")
    told = pytest.warns(Remark, match=f"left alone: .journal/{name}.staged")
    with told, Store.open(tmp_path / "s", RUN) as store:
        if name == "photos~2024":
            fill(open_blocks(store))
        else:
            with pytest.raises(StoreError, match="staged: File exists"):
                fill(open_blocks(store))
    assert photo.read_text() == "of others"


def test_a_group_that_was_being_written_when_its_process_died_goes_without_a_word(
    tmp_path: Path,
) -> None:
    finished_store(tmp_path / "s")
    group = tmp_path / "s" / group_of(CLAIM)
    staged = tmp_path / "s" / ".journal" / f"{group_of(CLAIM).replace('/', '~')}.staged"
    shutil.copytree(group, staged)
    Store.load(tmp_path / "s").close()
    Store.open(tmp_path / "s", RUN).close()
    assert not staged.exists()
