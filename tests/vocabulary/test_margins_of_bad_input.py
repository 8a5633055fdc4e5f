"""Margins of what is no labelled sample are refused; an empty system ended the process."""

import numpy as np
import pytest

from noisytheory import populations


@pytest.mark.parametrize(("points", "labels", "classes"), [
    (np.zeros((0, 2)), [], 3), (np.eye(2), [0, 0], 1), (np.eye(2), [0, 2], 2),
    (np.eye(2), [0, -1], 2), (np.eye(2), [0.5, 1], 2), (np.eye(2), [0], 2),
    (np.eye(2) * np.nan, [0, 1], 2),
])
def test_bad_input_is_refused(points, labels, classes):
    with pytest.raises(ValueError, match="must be"):
        populations.largest_margin(points, labels, classes)
    with pytest.raises(ValueError, match="must be"):
        populations.margin_of(np.eye(max(classes, 1), 2), points, labels)


@pytest.mark.parametrize("power", [-300, -40, 0, 300])
def test_the_margin_is_of_the_unit_of_the_points(power):
    """That of the regular simplex; of points of size 1e-12 it was 0."""
    unit = 2.0**power
    theta, weights = populations.largest_margin(np.eye(3) * unit, [0, 1, 2], 3)
    assert theta / unit == pytest.approx(np.sqrt(0.5), rel=1e-12)
    assert np.linalg.norm(weights) == pytest.approx(1)


@pytest.mark.parametrize("weights", [
    np.ones((2, 2)), np.ones((5, 2)), np.ones(2), np.full((3, 2), np.nan), np.full((3, 2), np.inf),
])
@pytest.mark.parametrize("method", ["region_masses", "update_variances", "update_means", "error"])
def test_weights_are_one_row_a_class(method, weights):
    """Too few gave an answer of another shape, and NaN one of zeros."""
    law = populations.Finite("three", [[1, 0], [0, 1], [-1, 0]], [0, 1, 2], classes=3)
    with pytest.raises(ValueError, match=r"weights must be finite, of shape \(3, 2\)"):
        getattr(populations.Multiclass(law, np.eye(3)), method)(weights)
