"""Two processes that compile another signature each do not get each other's code."""

from __future__ import annotations

import numba
import pytest

from noisytheory.vocabulary.compiling import njit


def twice(x):
    return 2 * x


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Where the code of a function is kept, in a folder of the test."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    found = njit(cache=True)(twice)._cache
    found._impl.locator.ensure_cache_path()
    return found._cache_file


def test_an_index_that_another_process_overwrote_names_no_code_of_its(kept):
    """Numba numbers the files: a whole number was multiplied as a float, and a float cut off."""
    with pytest.MonkeyPatch.context() as patch:
        kept.save("whole numbers", "code of whole numbers")
        of_the_first = kept._load_index()
        # As it was when the second process read it.
        patch.setattr(type(kept).__base__, "_load_index", lambda self: {})
        kept.save("floats", "code of floats")
    assert (kept.load("floats"), kept.load("whole numbers")) == ("code of floats", None)
    kept._save_index(of_the_first)
    assert kept.load("whole numbers") == "code of whole numbers"


def test_code_is_kept_and_found_again(kept):
    assert njit(cache=True)(twice)(2.5) == 5.0
    again = njit(cache=True)(twice)
    assert (again(2.5), again(2)) == (5.0, 4)
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_disk_that_takes_nothing_costs_time_and_no_result(kept, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(kept), "_save_data", full)
    monkeypatch.setattr(type(kept), "_save_index", full)
    assert njit(cache=True)(twice)(2.5) == 5.0



def test_without_any_folder_nothing_is_kept(monkeypatch):
    def nowhere(function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr("noisytheory.vocabulary.compiling._Cache", nowhere)
    assert njit(cache=True)(twice)(2.5) == 5.0
