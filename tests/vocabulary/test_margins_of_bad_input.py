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
