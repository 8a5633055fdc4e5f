"""Print against print: cells of the tables in whole numbers and fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from noisytheory.topics.top_k import printed_tables as printed
from noisytheory.topics.top_k.recipes import monk_3, titanic
from noisytheory.trial.claim import Certificate

PLACES = {"maximum": 0, "average": 1, "AT_k": 2}
LOSSES = {"table 1": ("logistic", "hinge"), "table 4": ("logistic", "hinge"),
          "table 2": ("square", "absolute"), "table 5": ("square", "absolute")}
TABLES = {"table 1": printed.ERRORS, "table 2": printed.RMSE, "table 5": printed.MAE,
          "table 4": printed.G_MEANS}


def compared(table: str, small: str, large: str, only: str) -> Iterator[Certificate]:
    """Columns of a table in order, in units of the last digit; of G-means the other way round."""
    columns = [small, *large.split(" <= ")]
    if table == "table 4":
        columns.reverse()
    for name, row in TABLES[table].items():
        for loss, cell in zip(LOSSES[table], row.values(), strict=True):
            for first, second in itertools.pairwise(columns if only in ("", name) else ()):
                yield Certificate(
                    _digits(cell[PLACES[first]][0]), _digits(cell[PLACES[second]][0]),
                    [("set", name), ("loss", loss), ("columns", f"{first}, {second}")])


def _digits(text: str) -> int:
    return int(Fraction(text) * (100 if not text.startswith(".") else 10**4))


def mean_gains(loss: str, share: int) -> Iterator[Certificate]:
    """Gain over the average of every other set, against those of Monk and Australian."""
    gains = {name: _digits(row[loss][1][0]) - _digits(row[loss][2][0])
             for name, row in printed.ERRORS.items()}
    least = min(gains.pop("Monk"), gains.pop("Australian"))
    for name, gain in gains.items():
        yield Certificate(share * gain, least, [("set", name)])


def balanced_accuracy(squares: int) -> Iterator[Certificate]:
    r"""$G^24p(1-p)$ against $a^2$ in every cell of Tables 4, 1 and 3, in per cent squared."""
    for name, row in printed.ERRORS.items():
        ratio = Fraction(printed.RATIOS[name][2])
        p = ratio / (1 + ratio)
        for loss, cell in row.items():
            for (g, _), (error, _) in zip(printed.G_MEANS[name][loss], cell, strict=True):
                yield Certificate(squares * Fraction(g) ** 2 * p * (1 - p),
                                  (100 - Fraction(error)) ** 2, [("set", name)])


def sizes(wanted: int) -> Iterator[Certificate]:
    """Examples, features and class ratio, in hundredths, of Monk 3 and Titanic against Table 3."""
    for name, (x, y) in (("Monk", monk_3()), ("Titanic", titanic())):
        fewer, more = sorted(int((y == label).sum()) for label in (-1.0, 1.0))
        ours = (len(y), x.shape[1] - 1, round(Fraction(more, fewer), 2))
        for mine, text in zip(ours, printed.RATIOS[name], strict=True):
            yield Certificate(mine + (0 if wanted == 3 else Fraction(1, 100)), Fraction(text))
