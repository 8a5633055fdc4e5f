"""Figures of the paper on noisy copies."""

from __future__ import annotations


def u_shape():
    return None
def variance_against_cost():
    return None
def figure_1():
    return None
