"""Inequalities for functions of independent draws: McDiarmid's, and three in Hilbert spaces."""

from __future__ import annotations

from noisytheory.topics.concentration.differences.bounds import mcdiarmid
from noisytheory.topics.concentration.vectors.bounds import bousquet, hilbert_bernstein, pinelis

__all__ = ["bousquet", "hilbert_bernstein", "mcdiarmid", "pinelis"]
