"""Classifiers beside UMA on the same examples: who errs less, as far as these tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Beside", "beside"]

LEVEL = 0.01
"""Of the sign test by which one is said to err less than the other."""


@dataclass(frozen=True, eq=False)
class Beside:
    """Errors on the same examples, and what each classifier errs less than UMA.

    Parameters
    ----------
    errors : dict of str to float
        By name; "uma" is one of them.
    gains : dict of str to (float, float)
        UMA's error less that of the other, and the standard error of this paired difference.
    chances : dict of str to float
        Of the exact sign test, two-sided: of differences as lopsided, were both as good.
    told_by : str
        Which examples.
    table, spoken : dict of str to str
        What each is, in the table and within a sentence.

    Examples
    --------
    >>> named = {"uma": "UMA", "alone": "the audited alone"}
    >>> errors, gains = {"uma": 0.3, "alone": 0.1}, {"alone": (0.2, 0.04)}
    >>> found = Beside(errors, gains, {"alone": 2e-6}, "100 examples", named, named)
    >>> found.better, found.worse
    (('alone',), ())
    >>> print(str(found).splitlines()[1])
    the audited alone  0.100   +0.200 ± 0.040       2e-06      least
    """

    errors: dict[str, float]
    gains: dict[str, tuple[float, float]]
    chances: dict[str, float]
    told_by: str
    table: dict[str, str]
    spoken: dict[str, str]

    @property
    def better(self) -> tuple[str, ...]:
        """Those that err less than UMA, by a sign test at 1%, the best first."""
        return self._decided(1)

    @property
    def worse(self) -> tuple[str, ...]:
        """Those that err more, likewise."""
        return self._decided(-1)

    def _decided(self, sign: int) -> tuple[str, ...]:
        found = [name for name, (gain, _) in self.gains.items()
                 if sign * gain > 0 and self.chances[name] <= LEVEL]
        return tuple(sorted(found, key=lambda name: self.errors[name]))

    @property
    def sentences(self) -> tuple[str, ...]:
        """In plain words, what is better than UMA, and what is decided the other way or not."""
        found = [
            f"{self.spoken[name]} errs less than UMA, by {gain:.3f} ± {error:.3f}"
            for name in self.better for gain, error in [self.gains[name]]
        ]
        if self.worse:
            named = "; ".join(self.spoken[name] for name in self.worse)
            found.append(f"UMA errs less than: {named}")
        if open_ := [self.spoken[n] for n in self.gains if n not in self.better + self.worse]:
            found.append(f"whether UMA errs less is not decided beside: {'; '.join(open_)}")
        return tuple(found)

    def __str__(self) -> str:
        width = max(len(self.table[name]) for name in self.errors)
        least = min(self.errors.values())
        lines = [f"{'':<{width}}  error   less than UMA's by   sign test"]
        for name, error in sorted(self.errors.items(), key=lambda item: item[1]):
            gain = "" if name == "uma" else "{:+.3f} ± {:.3f}".format(*self.gains[name])
            chance = "" if name == "uma" else f"{self.chances[name]:.2g}"
            mark = "  least" if error == least else ""
            line = f"{self.table[name]:<{width}}  {error:.3f}   {gain:<18}   {chance:<9}{mark}"
            lines.append(line.rstrip())
        return "\n".join([*lines, "", f"By {self.told_by}:", *(f"- {s}." for s in self.sentences)])


def beside(
    wrong: dict[str, NDArray[np.bool_]], told_by: str, *, table: dict[str, str],
    spoken: dict[str, str],
) -> Beside:
    """What wrong predictions of several classifiers on the same examples say of them.

    Parameters
    ----------
    wrong : dict of str to array of bool, shape (m,)
        Where each is wrong; "uma" is one of them.
    told_by : str
        Which examples.
    table, spoken : dict of str to str
        What each is, in the table and within a sentence.

    Returns
    -------
    Beside

    Examples
    --------
    >>> wrong = {"uma": np.arange(100) < 30, "alone": np.arange(100) < 10}
    >>> named = {"uma": "UMA", "alone": "the audited alone"}
    >>> found = beside(wrong, "100 examples", table=named, spoken=named)
    >>> found.better, found.sentences[0]
    (('alone',), 'the audited alone errs less than UMA, by 0.200 ± 0.040')
    """
    from scipy.stats import binomtest

    gains, chances = {}, {}
    for name, other in wrong.items():
        if name == "uma":
            continue
        apart = wrong["uma"].astype(int) - other
        gains[name] = float(apart.mean()), float(apart.std() / np.sqrt(len(apart)))
        differ = int(np.count_nonzero(apart))
        chances[name] = float(binomtest(int(np.sum(apart > 0)), differ).pvalue) if differ else 1.0
    errors = {name: float(where.mean()) for name, where in wrong.items()}
    return Beside(errors, gains, chances, told_by, table, spoken)
