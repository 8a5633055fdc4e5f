"""Figures of the paper on noisy copies."""

from __future__ import annotations


def u_shape():
    return None
def variance_against_cost():
    return None
def regret_and_bound():
    return None
def adaptive_adversary():
    return None
def one_copy_two_copies():
    return None
def figure_1():
    return None
