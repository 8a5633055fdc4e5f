"""Kernel features of norm 1: kernel PCA before a linear learner (Section 3.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT, POSITIVE, checked_floats, one_of

__all__ = ["kernel_features"]


def kernel_features(
    points: Any, *others: Any, components: int | None = None,
    gamma: float | None = None, landmarks: int | None = None, unit: bool = True,
    rng: np.random.Generator | None = None,
) -> list[NDArray[Any]]:
    r"""Coordinates on the principal axes of a Gaussian kernel, exact or from landmarks.

    Parameters
    ----------
    points : array-like or sparse matrix, shape (n, d)
        The axes are theirs; labels are not looked at.
    *others : array-like or sparse matrix
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
    from sklearn.metrics.pairwise import euclidean_distances

    one_of("unit", unit, (True, False))
    if components is not None:
        COUNT.check("components", components)
    sets = [_rows(p) for p in (points, *others)]
    base = sets[0]
    if any(p.shape[1] != base.shape[1] for p in sets):
        raise ValueError(
            f"points must have as many features in every set, got {[p.shape for p in sets]}"
        )
    if landmarks is not None:
        COUNT.check("landmarks", landmarks)
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a Generator, to draw landmarks, got {rng!r}")
        size = base.shape[0]
        base = base[rng.choice(size, min(landmarks, size), replace=False)]
    if gamma is None:
        if isinstance(base, np.ndarray):
            apart = pdist(base[:1000], "sqeuclidean")
        else:
            square = euclidean_distances(base[:1000], squared=True)
            apart = square[np.triu_indices(len(square), 1)]
        if not (apart.size and np.median(apart) > 0):
            raise ValueError("gamma must be given where most points are equal, or there is but one")
        gamma = 1 / float(np.median(apart))
    POSITIVE.check("gamma", gamma)
    model = KernelPCA(components, kernel="rbf", gamma=gamma, remove_zero_eig=components is None,
                      eigen_solver="dense", random_state=0)
    first = np.asarray(model.fit_transform(base))
    found = [first if p is base else np.asarray(model.transform(p)) for p in sets]
    if unit:
        found = [f / np.maximum(np.linalg.norm(f, axis=1), 1e-12)[:, None] for f in found]
    return found


def _rows(points: Any) -> Any:
    """Rows of finite numbers; sparse ones stay sparse."""
    sparse = hasattr(points, "tocsr")
    found = points.tocsr() if sparse else checked_floats("points", points)
    if found.ndim != 2 or not found.shape[0]:
        raise ValueError(f"points must have shape (n, d) with n >= 1, got {found.shape}")
    if not np.isfinite(checked_floats("points", found.data) if sparse else found).all():
        raise ValueError("points must be finite, got infinity or NaN")
    return found.astype(np.float64, copy=False)
