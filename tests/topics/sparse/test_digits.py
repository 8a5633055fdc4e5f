"""The protocol of the earlier version's Figure 1, on bundled digits."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics.sparse.checkerboard.simulate import checkerboard
from noisytheory.topics.sparse.digits import pictures, simulate
from noisytheory.vocabulary.kernels import Gaussian


@pytest.fixture(scope="module")
def protocol():
    return simulate.bundled(0)


def error(protocol, weights):
    """RKHS distance to the mean of all, from the whole Gram matrix."""
    gap = weights - protocol.mean
    return float(np.sqrt(gap @ Gaussian(protocol.bandwidth)(protocol.train) @ gap))


def test_folds_part_the_images(protocol):
    folds = [simulate.bundled(fold) for fold in range(simulate.FOLDS)]
    assert sum(len(fold.answers) for fold in folds) == 357
    assert all(len(fold.labels) + len(fold.answers) == 357 for fold in folds)
    assert protocol.train.min() == 0 and protocol.train.max() == 1
    assert set(protocol.labels) == {-1.0, 1.0}


@pytest.mark.parametrize("parallel", [False, True])
def test_a_round_loses_at_most_its_tolerance(protocol, parallel):
    sizes = [len(protocol.labels)]
    for j, weights in enumerate(simulate.herds(protocol, parallel=parallel), start=1):
        assert error(protocol, weights) <= j * protocol.tolerance + 1e-9
        assert np.abs(weights).sum() == pytest.approx(1)
        sizes.append(np.count_nonzero(weights))
    assert all(later < earlier for earlier, later in itertools.pairwise(sizes))
    assert sizes[-1] <= protocol.stop < sizes[-2]


def test_the_first_herd_is_the_largest_that_the_tolerance_asks_for(protocol):
    first = next(simulate.herds(protocol, parallel=False))
    assert error(protocol, first) > 0.5 * protocol.tolerance


def test_the_baseline_counts_what_the_mean_calls_right(protocol):
    scores = np.array([
        np.exp(-np.sum((protocol.train - x) ** 2, axis=1) / (2 * protocol.bandwidth**2))
        @ protocol.labels for x in protocol.test
    ])
    assert protocol.baseline == int(np.sum(scores * protocol.answers > 0))


@pytest.mark.parametrize("fold", [0, 1, 2])
def test_plain_loops_over_the_gram_matrix_find_the_same_herds(fold):
    protocol = simulate.bundled(fold)
    found = simulate.plainly(protocol)
    assert found["recursive"] == protocol.recursive and found["parallel"] == protocol.parallel
    assert found["baseline"][0] == protocol.baseline
    # Rounding is some 1e-15 of the numbers that are compared.
    assert min(value for name, value in found.items() if "least lead" in name) > 1e-9


def test_certificates_start_from_the_images():
    few = simulate.few_points_certificate(herd=2, bandwidth=0.5, one_in=10, fold=0)
    size, right = simulate.bundled(0).recursive[2]
    assert few.lhs == Fraction(119 - right, 119) and not few.exceeds()
    assert ("images in the herd", size) in few.steps
    short = simulate.short_of_mean_certificate(herd=2, share=0.1, one_in=25, fold=0)
    assert short.lhs == Fraction(1, 119) and short.applies
    assert not simulate.short_of_mean_certificate(herd=9, share=0.1, one_in=25, fold=0).applies


def test_instances_are_the_herds_in_question():
    few = simulate.few_points(0.5, 1)
    sizes = [size for size, _ in simulate.bundled(1).recursive]
    assert len(few["lhs"]) == sum(size <= 23.8 for size in sizes)
    far = simulate.short_of_mean(0.1, 1)
    assert len(far["lhs"]) == sum(size >= 23.8 for size in sizes)
    apart = simulate.compared(simulate.TOLERANCE, 1)
    assert apart["herd"].tolist() == list(range(len(simulate.bundled(1).parallel)))


def test_mnist_is_used_only_where_the_variable_says_so(monkeypatch, tmp_path):
    monkeypatch.delenv("NOISYTHEORY_DATA", raising=False)
    assert simulate.mnist_pair() is None
    monkeypatch.setenv("NOISYTHEORY_DATA", str(tmp_path))
    assert simulate.mnist_pair() is None
    rng = np.random.default_rng(5)
    images = rng.integers(0, 256, (30, 28, 28), dtype=np.uint8)
    classes = np.resize([3, 8, 1], 30).astype(np.uint8)
    np.savez(tmp_path / "mnist.npz", x_train=images, y_train=classes, x_test=images[:6],
             y_test=classes[:6])
    found = simulate.mnist_pair()
    assert found is not None and found.train.shape == (20, 784) and found.test.shape == (4, 784)
    assert found.labels.tolist() == [-1.0, 1.0] * 10 and float(found.train.max()) <= 1
    monkeypatch.delenv("NOISYTHEORY_DATA")
    with pytest.raises(FileNotFoundError, match="NOISYTHEORY_DATA"):
        simulate.first_of_mnist(7)


def test_mnist_claims_are_listed_only_where_it_is():
    names = {f"average-classifier/figure-1/{name}/mnist"
             for name in ("parallel-agrees", "few-points", "approaches-baseline")}
    assert (names <= set(nt.claims)) == simulate.mnist_at_hand()
    assert not names & set(nt.claims) or simulate.mnist_at_hand()


def moved(protocol, seed):
    """The protocol with its pixels moved by some 1e-12 of themselves."""
    rng = np.random.default_rng(seed)
    factors = 1 + 1e-12 * rng.standard_normal(protocol.train.shape)
    return dataclasses.replace(protocol, train=protocol.train * factors)


def assert_curves_stand(protocol):
    other = moved(protocol, 1)
    assert (other.recursive, other.parallel) == (protocol.recursive, protocol.parallel)


@pytest.mark.parametrize("fold", [0, 1, 2])
def test_no_curve_follows_the_last_digits(fold):
    """Kernels of the linear algebra differ by far less: what is printed must not follow them."""
    assert_curves_stand(simulate.bundled(fold))


@pytest.mark.campaign
@pytest.mark.skipif(not simulate.mnist_at_hand(), reason="no MNIST in NOISYTHEORY_DATA")
def test_no_curve_follows_the_last_digits_on_mnist():
    assert_curves_stand(simulate.first_of_mnist(simulate.MNIST_IMAGES))


@pytest.mark.campaign
@pytest.mark.skipif(not simulate.mnist_at_hand(), reason="no MNIST in NOISYTHEORY_DATA")
def test_what_is_said_of_the_digits_holds_of_mnist():
    few = simulate.few_points(simulate.MNIST_BANDWIDTH, images=4000)
    # All the test images of the two classes, 1010 and 974.
    assert len(simulate.first_of_mnist(4000).answers) == 1984
    assert len(few["lhs"]) >= 3 and few["lhs"].max() < 0.1
    short = simulate.short_of_mean(0.0, images=4000)
    assert short["lhs"].max() < 0.02
    protocol = simulate.first_of_mnist(4000)
    found = simulate.plainly(protocol)
    assert found["recursive"] == protocol.recursive and found["parallel"] == protocol.parallel
    with pytest.raises(ValueError, match="images must be"):
        simulate.few_points(simulate.MNIST_BANDWIDTH, images=20_000)


def test_captions_give_the_settings_that_print_leaves_out():
    told = " ".join(pictures.digit_herds.__doc__.split())
    width, tolerance = simulate.BANDWIDTH, simulate.TOLERANCE
    assert f"bandwidth {width:g} and tolerance {tolerance:g}" in told
    titles = [axes.get_title() for axes in pictures.digit_herds().axes]
    assert [title.split(":")[0] for title in titles] == ["Split 1", "Split 2", "Split 3"]


def test_the_caption_on_mnist_gives_its_settings():
    told = " ".join(pictures.mnist_herds.__doc__.split())
    width, tolerance = simulate.MNIST_BANDWIDTH, simulate.MNIST_TOLERANCE
    assert f"bandwidth {width:g}, tolerance {tolerance:g} a round" in told
    assert f"parts of {simulate.MNIST_PART:,}" in told
    assert f"down to {simulate.MNIST_STOP} images" in told
    assert f"first {simulate.MNIST_IMAGES:,}" in told


@pytest.mark.campaign
@pytest.mark.skipif(not simulate.mnist_at_hand(), reason="no MNIST in NOISYTHEORY_DATA")
def test_mnist_is_drawn_for_the_claims_on_it_and_for_no_other():
    own = {c.id for c in nt.claims.values() if c.picture is pictures.mnist_herds}
    assert own == {f"average-classifier/figure-1/{name}/mnist"
                   for name in ("parallel-agrees", "few-points", "approaches-baseline")}
    figure = pictures.mnist_herds()
    titles = [axes.get_title() for axes in figure.axes]
    assert [title.split(":")[0] for title in titles] == ["MNIST", "MNIST, first 4000"]
    assert [f"{axes.get_xlabel().split()[-3]}" for axes in figure.axes] == ["11982", "4000"]


def test_a_bandwidth_of_one_fails_at_the_edges():
    points, labels = checkerboard(50, 0.0, np.random.default_rng(0))
    scores = labels * (Gaussian(1.0)(points) @ labels)
    outvoted = (scores <= 0).reshape(4, 4, 50).all(axis=2)
    inner = np.array([False, True, True, False])
    # Edges, corners aside.
    np.testing.assert_array_equal(outvoted, inner[:, None] != inner[None])
