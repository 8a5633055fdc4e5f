"""What a loss and an array of numbers must be, checked where they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.losses import Loss

__all__ = ["checked_finite", "checked_loss"]


def checked_finite(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """An array of finite floats, of any shape.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array-like
        What came.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If an entry is no number, NaN or infinite.

    Examples
    --------
    >>> checked_finite("weights", [1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: weights must be finite numbers, got [1, 'a']
    """
    try:
        array = checked_floats(name, value)
    except ValueError as error:
        raise ValueError(f"{name} must be finite numbers, got {value!r}") from error
    if not np.isfinite(array).all():
        wrong = array[~np.isfinite(array)][0]
        raise ValueError(f"{name} must be finite numbers, got {wrong}")
    return array


def checked_loss(loss: Any) -> Loss:
    """The loss, or a ``ValueError`` if it is none.

    Parameters
    ----------
    loss : Loss

    Returns
    -------
    Loss

    Raises
    ------
    ValueError
        If it is no `nt.losses.Loss`.
    """
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be one of nt.losses, got {loss!r}")
    return loss
