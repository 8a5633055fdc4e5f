"""Claims on worked instances whose bound is a public function of what the instances have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.worked import worked
from noisytheory.trial.claim import Certificate

__all__ = ["shown"]


def shown(cases: Callable[..., Iterable[Certificate]], *names: str) -> dict[str, Any]:
    """Like `worked`, but the right side is the claim's bound, of the steps with these names.

    Parameters
    ----------
    cases : callable
        Parameters of a cell to certificates; the certificate has the right side in fractions.
    *names : str
        Steps that the bound reads.

    Returns
    -------
    dict
        ``exact`` and ``certify`` of a claim.
    """
    fields = worked(cases)
    listed = fields["exact"]

    def exact(**given: Any) -> dict[str, NDArray[Any]]:
        return _with_steps(cases, listed, names, tuple(given.items()))

    exact.__signature__ = inspect.signature(listed)  # type: ignore[attr-defined]
    return {"exact": exact, "certify": fields["certify"]}


@functools.lru_cache(maxsize=64)
def _with_steps(
    cases: Callable[..., Iterable[Certificate]], listed: Callable[..., Any],
    names: tuple[str, ...], given: tuple[tuple[str, Any], ...],
) -> dict[str, NDArray[Any]]:
    found = {name: array for name, array in listed(**dict(given)).items() if name != "rhs"}
    for name in names:
        found[name] = np.array([
            float(dict(one.steps)[name]) for one in cases(**dict(given))  # type: ignore[arg-type]
        ])
    found["applies"] = np.array([one.applies for one in cases(**dict(given))])
    return found
