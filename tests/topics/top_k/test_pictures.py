"""What pictures say in words is what they draw."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.top_k import pictures


def test_left_of_the_band_of_figure_3_the_minimiser_is_zero_and_right_of_it_in_no_split():
    axis, = pictures.figure_3().axes
    band, = axis.patches
    assert band.get_label() == "zero ends, by split"
    low, high = band.get_x(), band.get_x() + band.get_width()
    assert low < high
    for drawn in axis.containers:
        k, error = drawn.lines[0].get_data()
        # Zero errs on one class, at every k the same.
        assert np.ptp(error[k <= low]) == 0
        assert (error[k > low] < error[0]).all()
        assert np.ptp(error[k > high]) < error[0] - error[k > high].max()
        assert any((k > low) & (k <= high))
