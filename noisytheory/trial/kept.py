"""Numbers of pictures whose experiments no trial draws: run once, kept beside the code that draws.

Such a picture has a seed of its own, so that it shows the same beside every audit: a report draws
what is kept, and runs nothing. ``python validation/pictures.py`` runs the experiments again, and
the campaign's tests compare.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["KEPT", "Numbers", "digest", "drawn_from", "experiment_of", "numbers", "plainly",
           "where"]

Numbers = Mapping[str, NDArray[Any]]

KEPT = "pictures.json"
"""The file beside a ``pictures.py``."""


def drawn_from(
    experiment: Callable[[], Mapping[str, Any]]
) -> Callable[[Callable[[Numbers], Any]], Callable[[], Any]]:
    """A picture of what an experiment found: drawn from the numbers kept, run where there are none.

    Parameters
    ----------
    experiment : callable
        To numbers, or arrays of them, by name; of no argument, so with a seed of its own.

    Returns
    -------
    callable
        Decorates a function of these numbers, all as arrays, to what `Claim.picture` returns.
    """

    def decorate(draw: Callable[[Numbers], Any]) -> Callable[[], Any]:
        @functools.wraps(draw)
        def picture() -> Any:
            return draw(numbers(experiment))

        del picture.__wrapped__  # It asks for nothing.
        picture.experiment = experiment  # type: ignore[attr-defined]
        return picture

    return decorate


def experiment_of(picture: Callable[..., Any]) -> Callable[[], Mapping[str, Any]] | None:
    """What a picture is drawn from, if that is an experiment."""
    found: Callable[[], Mapping[str, Any]] | None = getattr(picture, "experiment", None)
    return found


def numbers(experiment: Callable[[], Mapping[str, Any]]) -> Numbers:
    """Those kept of an experiment; those that it finds now, if none are."""
    kept = _kept(where(experiment)).get(experiment.__name__)
    found = plainly(experiment()) if kept is None else kept
    return {name: np.asarray(values) for name, values in found.items()}


def where(experiment: Callable[..., Any]) -> Path:
    """The file that keeps an experiment's numbers."""
    return Path(str(sys.modules[experiment.__module__].__file__)).with_name(KEPT)


def plainly(found: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON holds it, floats to nine digits: finer than any picture."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(entry) for entry in value]
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return {name: plain(np.asarray(values).tolist()) for name, values in found.items()}


def digest(experiment: Callable[..., Any]) -> str:
    """Of the numbers that are kept beside an experiment, in any file; empty where there are none.

    What takes minutes a picture may read of another file, which names the command that wrote it.
    """
    held = [path.read_bytes() for path in sorted(where(experiment).parent.glob("*.json"))]
    return hashlib.blake2b(b"".join(held), digest_size=16).hexdigest() if held else ""


@functools.cache
def _kept(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
