"""Which examples the protocol gets the true labels of, as the paper draws them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import COUNT, Domain, check_generator

__all__ = ["drawn_apart"]

Codes: TypeAlias = NDArray[np.int64]


def drawn_apart(
    labels: ArrayLike, per_class: int, share: float, *, rng: np.random.Generator
) -> tuple[Codes, Codes, int]:
    """Indices of the few and of the audited, as the paper draws them.

    Parameters
    ----------
    labels : array-like, shape (n,)
        True classes.
    per_class : int
        Examples of each class, m.
    share : float
        Of all, for the audit, in (0, 1]; drawn again while a class is missing.
    rng : Generator

    Returns
    -------
    few, audited : array of int
    rejections : int
        Audits that lacked a class.

    Raises
    ------
    ValueError
        If a class has fewer than m examples, or a thousand audits lacked a class.

    Examples
    --------
    >>> labels = np.repeat(["ant", "bee"], [30, 10])
    >>> few, audited, rejections = drawn_apart(labels, 2, 0.1, rng=np.random.default_rng(0))
    >>> labels[few].tolist(), len(audited), rejections
    (['ant', 'ant', 'bee', 'bee'], 4, 0)
    """
    check_generator(rng)
    Domain(0, 1, include_high=True).check("share", share)
    true = np.asarray(labels)
    if true.ndim != 1 or not true.size:
        raise ValueError(f"labels must be a list of classes, got shape {true.shape}")
    classes, codes, sizes = np.unique(true, return_inverse=True, return_counts=True)
    COUNT.check("per_class", per_class)
    if per_class > sizes.min():
        raise ValueError(
            f"per_class must be 1 to {sizes.min()}, the size of the smallest class, got {per_class}"
        )
    few = np.concatenate([
        rng.choice(np.flatnonzero(codes == q), per_class, replace=False)
        for q in range(len(classes))
    ])
    for rejections in range(1000):
        audited = rng.choice(len(true), max(len(classes), round(share * len(true))), replace=False)
        if np.bincount(codes[audited], minlength=len(classes)).all():
            return few, audited, rejections
    raise ValueError(f"share must leave every class in the audit, got {share:g}")
