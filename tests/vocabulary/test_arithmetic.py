"""Compiled loops give the bits that their source says, whoever has compiled them and when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import noisytheory
from noisytheory.vocabulary.arithmetic import LANES, inner_product, multiply_add


def test_no_compiled_function_has_leave_to_round_otherwise():
    sources = [*Path(noisytheory.__file__).parent.rglob("*.py")]
    assert len(sources) > 300
    assert not [path for path in sources if "fastmath" in path.read_text(encoding="utf-8")]


RUN = """
import hashlib
import numpy as np
import noisytheory as nt
from noisytheory.vocabulary import kernels
kernels.COMPILED = 1
points = np.random.default_rng(0).normal(size=(700, 7))
weights = np.where(points[:, 0] > 0, 1, -1) / 700
found = nt.sparse.herding(kernels.Gaussian(1.5), points, weights, 60)
numbers = [found.picks.astype(float), found.errors, found.weights]
print(hashlib.blake2b(np.concatenate(numbers).tobytes()).hexdigest())
"""


def test_who_compiles_and_who_reads_what_was_compiled_get_the_same_bits(tmp_path):
    """Two at once with nothing there, of which one may read what the other has, and two after."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    seen = []
    for _ in range(2):
        both = [
            subprocess.Popen([sys.executable, "-c", RUN], env=environment, stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        seen += [one.communicate(timeout=300)[0] for one in both]
    assert seen[0]
    assert seen == seen[:1] * 4
    assert any(tmp_path.rglob("*.nbc"))


@numba.njit
def _of_each(one, other, added):
    found = np.empty_like(added)
    for j in range(len(added)):
        found[j] = multiply_add(one[j], other[j], added[j])
    return found


@numba.njit
def _inner(one, other):
    return inner_product(one, other)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_product_is_added_to_the_same_bits_alone_and_among_others(dtype):
    given = np.random.default_rng(0).normal(size=(3, 999)).astype(dtype)
    together = _of_each(*given)
    alone = [_of_each(*given[:, j : j + 1]).item() for j in range(999)]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(together, given[0] * given[1] + given[2], rtol=0, atol=1e-5)


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 100, 384])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_inner_products_are_sums_of_lanes_added_by_halves(dtype, size):
    rng = np.random.default_rng(size)
    left = (rng.random(size) * 200).astype(dtype)
    # Signs, by which products are exact: sums of them are rounded, in an order.
    right = rng.choice([-1.0, 1.0], size).astype(np.float32 if dtype == np.float32 else float)
    lanes = np.zeros(LANES, right.dtype)
    for j in range(size):
        lanes[j % LANES] += right[j] * left[j]
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    assert _inner(left, right) == lanes[0]


def test_inner_products_are_of_rows_in_one_piece():
    with pytest.raises(TypeError, match="one piece"):
        _inner(np.ones(8)[::2], np.ones(4))
