"""A store on S3, served by a thread of this process: audited, resumed, reported, replayed."""

from __future__ import annotations

import gc
import json

import pytest
import xarray as xr
from commands import answer, mistake

import noisytheory as nt
from noisytheory.trial.catalogue import load_file
from noisytheory.trial.store import Damaged, Remark, Store, StoreError

s3fs = pytest.importorskip("s3fs")


@pytest.fixture
def bucket():
    """The URL of one, on a server that this process is told to ask."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    surroundings = {
        "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x", "DEFAULT_REGION": "us-east-1",
        "ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port()),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in surroundings.items():
            patch.setenv(f"AWS_{name}", value)
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("bucket")
        yield "s3://bucket"
        s3fs.S3FileSystem.clear_instance_cache()
        gc.collect()
    server.stop()


@pytest.mark.crash
# Zarr's own connection is left to be collected.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <function ClientSession")
def test_a_store_on_s3(bucket, mine, tmp_path):
    store, (claim,) = f"{bucket}/run", load_file(mine)
    assert "there is no bucket none" in mistake("audit", mine, "--store", "s3://none/run")
    assert f"the store {store} is none" in mistake("audit", mine, "--store", store, "--durable")

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nt.audit(claim, store=store, progress=stop)
    mine_now = {"seed": 2026, "version": nt.__version__}
    # Without locks whoever opens it last writes; who came before is refused, also at its end, when
    # it would say of what code the claim is that it has opened.
    another = rf"another run has come to write to the store {store}"
    with pytest.raises(StoreError, match=another), Store.open(store, mine_now) as opened:
        kept = opened.claim(claim.id, claim.fingerprint(), {"lhs": float}, claim.size, claim.rows)
        assert len(kept) > 0
        with Store.open(store, mine_now), pytest.raises(StoreError, match=another):
            opened.claim("mine/a", "0", {}, 1, 1).finish(xr.Dataset())
    words = ["audit", mine, "--workers", 0, "--json", "--store"]
    again = json.loads(answer(*words, store))
    quiet = json.loads(answer(*words, tmp_path / "store"))
    assert again["claims"] == quiet["claims"]
    # What is not ours is reported and left alone, also where a damaged claim is written anew.
    fs, strays = s3fs.S3FileSystem(), [
        "notes.txt", "mine/theorem-2/lhs/notes.txt", ".journal/notes.txt",
        ".journal/mine~theorem-2/notes.txt", "thesis/one/notes.txt",
    ]
    for name in strays:
        fs.pipe_file(f"bucket/run/{name}", b"ten years of work")
    chunk = next(name for name in fs.find("bucket/run/mine/theorem-2/lhs") if "/c" in name)
    whole = fs.cat_file(chunk)
    fs.pipe_file(chunk, whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.warns((Remark, Damaged)) as said:
        assert nt.audit(claim, store=store).verdict == "upheld"
    (remark,) = {str(one.message) for one in said if one.category is Remark}
    about, _, named = remark.partition(": ")
    assert about == f"in the store {store} not of this package, and left alone"
    assert sorted(named.split(", ")) == sorted(strays)
    assert fs.cat_file(chunk) == whole
    assert {fs.cat_file(f"bucket/run/{name}") for name in strays} == {b"ten years of work"}
    fs.rm([f"bucket/run/{name}" for name in strays])
    answer("report", store, "--output", tmp_path / "pages")
    assert "theorem-2" in (tmp_path / "pages" / "README.md").read_text()
    assert answer("replay", mine, "--store", store) == answer(
        "replay", mine, "--store", tmp_path / "store"
    ).replace(str(tmp_path / "store"), store)
