"""Print against print: cells of the tables in whole numbers and fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k import printed_tables as printed
from noisytheory.topics.top_k.recipes import monk_3, titanic
from noisytheory.trial.claim import Certificate

PLACES = {"maximum": 0, "average": 1, "AT_k": 2}
TABLES = {"table 1": printed.ERRORS, "table 2": printed.RMSE, "table 5": printed.MAE,
          "table 4": printed.G_MEANS}


def compared(table: str, small: str, large: str, only: str) -> dict[str, NDArray[Any]]:
    """Two columns of a table, in units of the last digit; of G-means the other way round."""
    rows = TABLES[table]
    cells = [(name, loss) for name in rows for loss in ("first", "second")
             if not only or name == only]
    left, right = ([_digits(rows[name][loss][PLACES[which]][0]) for name, loss in cells]
                   for which in (small, large))
    if table == "table 4":
        left, right = right, left
    return dict(lhs=np.array(left), rhs=np.array(right), row=np.arange(len(cells)))


def _digits(text: str) -> int:
    return int(Fraction(text) * (100 if not text.startswith(".") else 10**4))


def compared_certificate(
    table: str, small: str, large: str, only: str, row: int
) -> Certificate:
    """The same cell in whole numbers."""
    found = compared(table, small, large, only)
    return Certificate(int(found["lhs"][int(row)]), int(found["rhs"][int(row)]))


def mean_gains(loss: str, share: int) -> dict[str, NDArray[Any]]:
    """Gain over the average of every other set, against those of Monk and Australian."""
    def gains(name: str) -> int:
        row = printed.ERRORS[name][loss]
        return _digits(row[1][0]) - _digits(row[2][0])

    others = [name for name in printed.ERRORS if name not in ("Monk", "Australian")]
    least = min(gains("Monk"), gains("Australian"))
    return dict(lhs=np.array([share * gains(name) for name in others]),
                rhs=np.full(len(others), least), row=np.arange(len(others)))


def gains_certificate(loss: str, share: int, row: int) -> Certificate:
    """The same cell in whole numbers."""
    found = mean_gains(loss, share)
    return Certificate(int(found["lhs"][int(row)]), int(found["rhs"][int(row)]))


def balanced_accuracy(squares: int) -> dict[str, NDArray[Any]]:
    r"""$G^24p(1-p)$ against $a^2$ in every cell of Tables 4, 1 and 3, in per cent squared."""
    pairs = [sides_of_balance(i, squares) for i in range(6 * len(printed.ERRORS))]
    return dict(lhs=np.array([float(a) for a, _ in pairs]),
                rhs=np.array([float(b) for _, b in pairs]), row=np.arange(len(pairs)))


def sides_of_balance(row: int, squares: int) -> tuple[Fraction, Fraction]:
    """One cell in fractions."""
    names = list(printed.ERRORS)
    name, loss, column = names[row // 6], ("first", "second")[row // 3 % 2], row % 3
    g = Fraction(printed.G_MEANS[name][loss][column][0])
    a = 100 - Fraction(printed.ERRORS[name][loss][column][0])
    ratio = Fraction(printed.RATIOS[name][2])
    p = ratio / (1 + ratio)
    return squares * g**2 * p * (1 - p), a**2


def balance_certificate(row: int, squares: int) -> Certificate:
    """The same cell in fractions."""
    return Certificate(*sides_of_balance(int(row), squares))


def sizes(wanted: int) -> dict[str, NDArray[Any]]:
    """Examples, features and class ratio of Monk 3 and Titanic against Table 3."""
    pairs = [size_of(i, wanted) for i in range(6)]
    return dict(lhs=np.array([float(a) for a, _ in pairs]),
                rhs=np.array([float(b) for _, b in pairs]), row=np.arange(6))


def size_of(row: int, wanted: int) -> tuple[Fraction, Fraction]:
    """One of them; the ratio rounded to hundredths, to even."""
    name, what = ("Monk", "Titanic")[row // 3], row % 3
    x, y = monk_3() if name == "Monk" else titanic()
    counts = sorted(int((y == label).sum()) for label in (-1.0, 1.0))
    mine = (Fraction(len(y)), Fraction(x.shape[1] - 1), round(Fraction(counts[1], counts[0]), 2))
    rows = (Fraction(printed.RATIOS[name][i]) for i in range(3))
    return mine[what] + (0 if wanted == 3 else Fraction(1, 100)), list(rows)[what]


def size_certificate(row: int, wanted: int) -> Certificate:
    """The same in fractions."""
    return Certificate(*size_of(int(row), wanted))
