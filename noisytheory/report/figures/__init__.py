"""Pictures that decide, by kind: each takes a claim's dataset and returns a Matplotlib figure."""

from __future__ import annotations

from noisytheory.report.figures.averages import laws, means
from noisytheory.report.figures.comparison import MOST, compared, drawn_choices
from noisytheory.report.figures.in_print import published
from noisytheory.report.figures.instances import excess, optimum, sides
from noisytheory.report.figures.listed import counts, pairs, spread, strips
from noisytheory.report.figures.overview import deciding, summary
from noisytheory.report.figures.rates import rate, slopes
from noisytheory.report.figures.ratios import forest, tightness
from noisytheory.report.figures.style import RC, in_style, styled, svg
from noisytheory.report.figures.tails import distribution, violations
from noisytheory.report.figures.tries import why_open

__all__ = [
    "MOST",
    "RC",
    "compared",
    "counts",
    "deciding",
    "distribution",
    "drawn_choices",
    "excess",
    "forest",
    "in_style",
    "laws",
    "means",
    "optimum",
    "pairs",
    "published",
    "rate",
    "sides",
    "slopes",
    "spread",
    "strips",
    "styled",
    "summary",
    "svg",
    "tightness",
    "violations",
    "why_open",
]
