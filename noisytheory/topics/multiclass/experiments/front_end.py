"""Kernel features of norm 1: kernel PCA before a linear learner (Section 3.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import COUNT, POSITIVE, checked_floats

__all__ = ["kernel_features"]


def kernel_features(
    points: ArrayLike, *others: ArrayLike, components: int | None = None,
    gamma: float | None = None, landmarks: int | None = None, unit: bool = True,
    rng: np.random.Generator | None = None,
) -> list[NDArray[Any]]:
    r"""Coordinates on the principal axes of a Gaussian kernel, exact or from landmarks.

    Parameters
    ----------
    points : array-like, shape (n, d)
        The axes are theirs; labels are not looked at.
    *others : array-like
        Further points, centred as the first are.
    components : int, optional
        Number of axes; all by default.
    gamma : float, optional
        Of $e^{-\gamma\|x-x'\|^2}$; 1 over the median squared distance by default.
    landmarks : int, optional
        Points that span the axes (Nystrom); all of them by default.
    unit : bool
        Divide every row by its norm, as the theory asks and print does not say.
    rng : Generator, optional
        Draws the landmarks.

    Returns
    -------
    list of array
        One for each set of points.

    Raises
    ------
    ValueError
        On what is no number, or without a gamma where most points are equal.

    Examples
    --------
    >>> kernel_features([[0.0], [1.0], [3.0]], components=2)[0].shape
    (3, 2)
    """
    from scipy.spatial.distance import pdist
    from sklearn.decomposition import KernelPCA

    sets = [checked_floats("points", points), *(checked_floats("points", p) for p in others)]
    base = sets[0]
    if landmarks is not None:
        COUNT.check("landmarks", landmarks)
        if rng is None:
            raise ValueError("rng must be given to draw landmarks")
        base = base[rng.choice(len(base), min(landmarks, len(base)), replace=False)]
    if gamma is None:
        apart = pdist(base[:1000], "sqeuclidean")
        if not np.median(apart) > 0:
            raise ValueError("gamma must be given where most points are equal, or there is but one")
        gamma = 1 / float(np.median(apart))
    POSITIVE.check("gamma", gamma)
    model = KernelPCA(components, kernel="rbf", gamma=gamma, remove_zero_eig=components is None,
                      eigen_solver="dense", random_state=0)
    model.fit(base)
    found = [np.asarray(model.transform(p)) for p in sets]
    if unit:
        found = [f / np.maximum(np.linalg.norm(f, axis=1), 1e-12)[:, None] for f in found]
    return found
