"""Kernels and losses by words, as on a command line: ``gaussian(sigma2=2)``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any

from noisytheory.vocabulary.analytic import (
    AffineLoss,
    AnalyticLoss,
    ExponentialLoss,
    SeriesLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import (
    BinomialProduct,
    DotProduct,
    ExponentialProduct,
    GaussianProduct,
    HomogeneousProduct,
    InhomogeneousProduct,
    LinearProduct,
)

__all__ = ["KERNELS", "LOSSES", "forms", "listed", "made", "words_for"]

KERNELS: dict[str, type] = {
    "linear": LinearProduct, "homogeneous": HomogeneousProduct,
    "inhomogeneous": InhomogeneousProduct, "exponential": ExponentialProduct,
    "binomial": BinomialProduct, "gaussian": GaussianProduct,
}
LOSSES: dict[str, type] = {
    "linear": AffineLoss, "squared": SquaredLoss, "exponential": ExponentialLoss,
    "smoothed-absolute": SmoothedAbsolute, "smoothed-hinge": SmoothedHinge, "series": SeriesLoss,
}


def words_for(objects: Iterable[object]) -> dict[str, type]:
    """What can be made in place of such objects, by its word; nothing of other objects.

    Parameters
    ----------
    objects : iterable

    Returns
    -------
    dict

    Examples
    --------
    >>> list(words_for([LinearProduct()]))[:2], words_for([1.0])
    (['linear', 'homogeneous'], {})
    """
    for thing in objects:
        if isinstance(thing, DotProduct):
            return KERNELS
        if isinstance(thing, AnalyticLoss):
            return LOSSES
    return {}


def forms(words: Mapping[str, type]) -> str:
    """All words, with what each takes.

    Parameters
    ----------
    words : mapping

    Returns
    -------
    str

    Examples
    --------
    >>> forms(KERNELS).split("; ")[:3]
    ['linear', 'homogeneous(degree=2)', 'inhomogeneous(degree=2, offset=1)']
    """
    out = []
    for word, kind in words.items():
        taken = [f"{name}={_written(default)}" for name, default in _taken(kind).items()]
        out.append(f"{word}({', '.join(taken)})" if taken else word)
    return "; ".join(out)


def _taken(kind: type) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"[{' '.join(map(_written, value))}]" if isinstance(value, tuple) else str(value)


def listed(text: str) -> list[str]:
    """A list taken apart at its commas, but for those within brackets.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> listed("linear, inhomogeneous(3, 0.5)")
    ['linear', 'inhomogeneous(3, 0.5)']
    """
    return [piece.strip() for piece in re.split(r",(?![^(]*\))", text)]


def made(text: str, words: Mapping[str, type]) -> Any:
    """The object that a word and its arguments name.

    Parameters
    ----------
    text : str
        ``WORD``, or ``WORD(2, offset=0.5)``; a list of numbers is ``[1 -2 0.5]``.
    words : mapping
        `KERNELS` or `LOSSES`.

    Returns
    -------
    DotProduct or AnalyticLoss

    Raises
    ------
    ValueError
        If there is no such word, it takes no such argument, or an argument is out of range.

    Examples
    --------
    >>> made("gaussian(sigma2=2)", KERNELS)
    GaussianProduct(sigma2=2.0)
    >>> made("series([0 0 3])", LOSSES).name
    'series 0 0 3'
    >>> made("binomial(alpha=-1)", KERNELS)
    Traceback (most recent call last):
    ...
    ValueError: alpha must be a finite number > 0, got -1
    """
    shape = re.fullmatch(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*", text)
    if shape is None or shape[1] not in words:
        raise ValueError(f"{text!r} is none of {forms(words)}")
    kind = words[shape[1]]
    taken, given = list(_taken(kind)), {}
    for place, part in enumerate((shape[2] or "").split(",") if (shape[2] or "").strip() else ()):
        name, sign, value = part.partition("=")
        name = name.strip() if sign else "".join(taken[place : place + 1])
        if name not in taken or name in given:
            takes = f"takes {', '.join(taken)}, each once" if taken else "takes no arguments"
            raise ValueError(f"{shape[1]} {takes}, got {part.strip()!r}")
        given[name] = _value(name, (value if sign else part).strip(), _taken(kind)[name])
    return kind(**given)


def _value(name: str, text: str, like: Any) -> Any:
    """A number, some numbers, or a word, as the argument's default is."""
    if isinstance(like, str):
        return text
    several = re.fullmatch(r"\[(.*)\]", text) if isinstance(like, tuple) else None
    try:
        if isinstance(like, tuple):
            return tuple(map(float, (several[1] if several else text).split()))
        number = float(text)
    except ValueError:
        what = "numbers such as [1 -2 0.5]" if isinstance(like, tuple) else "a number"
        raise ValueError(f"{name} must be {what}, got {text!r}") from None
    return int(number) if isinstance(like, int) and number.is_integer() else number
