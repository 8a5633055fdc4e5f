"""Files of the user's: read in part, and named where they are damaged."""

from __future__ import annotations

import numpy as np
import pytest
from commands import in_a_process

from noisytheory.vocabulary.data import data_file, first_rows, reading


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_first_rows_are_those_of_the_array(tmp_path, order):
    values = np.asarray(np.arange(60).reshape(5, 3, 4), order=order)
    np.savez_compressed(tmp_path / "a.npz", values=values)
    assert np.array_equal(first_rows(tmp_path / "a.npz", "values", 2), values[:2])
    assert np.array_equal(first_rows(tmp_path / "a.npz", "values", 9), values)
    assert np.array_equal(first_rows(tmp_path / "a.npz", "values"), values)


def test_a_file_is_there_or_not(tmp_path, monkeypatch):
    monkeypatch.setenv("NOISYTHEORY_DATA", str(tmp_path))
    assert data_file("a.npz") is None
    (tmp_path / "a.npz").touch()
    assert data_file("a.npz") == tmp_path / "a.npz"
    monkeypatch.delenv("NOISYTHEORY_DATA")
    assert data_file("a.npz") is None


@pytest.mark.parametrize("left", [0.0, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_named(tmp_path, left):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, values=np.random.default_rng(0).integers(0, 9, 1000))
    path.write_bytes(path.read_bytes()[: int(left * path.stat().st_size)])
    with pytest.raises(OSError, match=r"a.npz cannot be read \(BadZipFile"):
        first_rows(path, "values", 10)
    with pytest.raises(OSError, match=r"x\): put a whole file there"), reading(path):
        raise ValueError("x")


def test_a_claim_whose_data_are_damaged_is_no_fault_of_ours(tmp_path, monkeypatch):
    (tmp_path / "mnist.npz").write_bytes(b"PK\x03\x04" + bytes(1000))
    monkeypatch.setenv("NOISYTHEORY_DATA", str(tmp_path))
    for workers in (0, 1):
        done = in_a_process("audit", "kernel-mean/theorem-5/mnist", "--workers", workers)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{tmp_path / 'mnist.npz'} cannot be read (BadZipFile" in done.stderr
