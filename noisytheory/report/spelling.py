"""How parameters and numbers are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["interval", "number", "past", "spell", "symbol"]


def spell(name: str, value: Any) -> str:
    """A parameter and its value as shown; a population's name speaks for itself."""
    if name == "population":
        return str(value)
    return f"{symbol(name)}\u00a0=\u00a0{number(value, 6) if _is_number(value) else value}"


def symbol(name: str) -> str:
    """A parameter's name as shown.

    Examples
    --------
    >>> symbol("sigma"), symbol("inverse_distance")
    ('σ', 'inverse distance')
    """
    return SYMBOLS.get(name, name.replace("_", " "))


SYMBOLS: Mapping[str, str] = {
    "delta": "δ", "sigma": "σ", "alpha": "α", "gamma": "γ", "kappa": "κ", "lambda": "λ",
    "eta": "η", "epsilon": "ε", "rho": "ρ", "theta": "θ", "tau": "τ", "mu": "μ", "beta": "β",
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(value: Any, digits: int = 3) -> str:
    """A number as a reader writes it; a dash where there is none.

    Examples
    --------
    >>> number(0.012345), number(1.5e-7), number(20000), number(float("nan"))
    ('0.0123', '1.5×10⁻⁷', '20\u202f000', '–')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}".replace(",", "\u202f").replace("-", "−")
    value = float(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        if 0 < int(exponent) < 7:
            return f"{float(text):,.0f}".replace(",", "\u202f").replace("-", "−")
        raised = str(int(exponent)).translate(_RAISED)
        text = f"{mantissa}×10{raised}"
    return text.replace("-", "−")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def past(value: Any, refuted: bool) -> str:
    """A tightness; of what is refuted by less than is shown, that it is above 1.

    Examples
    --------
    >>> past(1.0003, True), past(1.0003, False), past(1.2, True)
    ('>1', '1', '1.2')
    """
    text = number(value)
    return ">1" if refuted and text == "1" and value is not None and value > 1 else text


def interval(low: float, high: float) -> str:
    """Two limits in brackets; empty where there is no interval."""
    if np.isnan(low) or np.isnan(high) or low == high:
        return ""
    return f"[{number(float(low))}, {number(float(high))}]"
