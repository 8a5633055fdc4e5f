"""What a learner draws from: an argument that is refused by its name."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["checked_state", "generator"]


def checked_state(random_state: Any, *kinds: type) -> Any:
    """A ``random_state`` as scikit-learn takes it, or of these kinds besides.

    Parameters
    ----------
    random_state : int, RandomState or None
    *kinds : type

    Returns
    -------
    int, RandomState, None or of such a kind

    Raises
    ------
    ValueError
        On all else.

    Examples
    --------
    >>> checked_state(7)
    7
    """
    whole = isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32
    taken = (*kinds, np.random.RandomState)
    if not (random_state is None or whole or isinstance(random_state, taken)):
        words = ", ".join(kind.__name__ for kind in taken)
        raise ValueError(
            f"random_state must be a whole number in [0, {2**32 - 1}], {words} or None, got "
            f"{random_state!r}"
        )
    return random_state


def generator(random_state: Any) -> np.random.Generator:
    """A generator of NumPy's from a ``random_state``, or the one that it is.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Generator

    Examples
    --------
    >>> int(generator(0).integers(100))
    85
    """
    state = checked_state(random_state, np.random.Generator)
    if isinstance(state, np.random.RandomState):
        state = int(state.randint(2**31 - 1))
    return np.random.default_rng(state)
