"""Corrected logistic regression: how often it is right where it warns, and where it does not.

``python validation/corrected_logistic.py`` writes ``corrected_logistic.md`` from the numbers that
``corrected_logistic.json`` keeps; a sentence that they do not bear out stops the script.
``--record`` runs again first, of ``--data`` some of the sets. Data, noise and audits are those of
``confused_labels.py``; Letters and the stand-in for Reuters need NOISYTHEORY_DATA.
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from confused_labels import (
    AUDITS,
    CHOSEN_ON,
    PENALTIES,
    SETS,
    THREE,
    WRONG,
    Drawn,
    misestimated,
    sure,
    table,
)

from noisytheory.learners import CorrectedLogisticRegression
from noisytheory.topics.multiclass.experiments import tables

HERE = Path(__file__).with_suffix("")
RUNS = 2
NUMBERS = ("corrected", "ignoring", "alone", "gain", "said corrected", "said ignoring",
           "said alone")
SAYS = {"warned": "noisy labels tell", "ignoring less": "with the same regression, errs less: ",
        "alone less": "them alone errs less", "close": "within a standard error"}
COLUMNS = ("set", "noise", "run", "told", *NUMBERS, *SAYS)
"""Of a fit: errors on test labels, what it estimates without and with audited examples, and what it
says. It is told how many of each class were audited, or by which matrix it corrects."""
Fit = dict[str, Any]


def _said(model: CorrectedLogisticRegression, drawn: Drawn, **audited: Any) -> str:
    """What it warns of as it is fitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(drawn.x, drawn.y, classes=drawn.every, **audited)
    return " ".join(str(one.message) for one in caught)


def fits(name: str, kind: str, rate: float, run: int) -> Iterator[list[Any]]:
    """Rows of one draw: with estimates, and with matrices, some of which are wrong."""
    drawn, penalty = Drawn(name, kind, rate, run), PENALTIES.get(name, 1e-3)

    def error(model: CorrectedLogisticRegression) -> float:
        return float(np.mean(model.predict(drawn.test) != drawn.truth))

    def learner(**given: Any) -> CorrectedLogisticRegression:
        return CorrectedLogisticRegression(penalty=penalty, random_state=0, **given)

    def row(told: Any, alone: float | None, model: Any, said: str) -> list[Any]:
        errors = getattr(model, "audited_errors_", {})
        numbers = [error(model), ignoring, alone, gain,
                   *(errors.get(key) for key in ("corrected", "ignoring", "alone"))]
        return [name, f"{kind} {rate:g}", run, told,
                *(None if of is None else round(of, 4) for of in numbers),
                *(int(words in said) for words in SAYS.values())]

    ignoring = error(learner(correction="none").fit(drawn.x, drawn.y, classes=drawn.every))
    for k in AUDITS:
        at, model = drawn.audits[k], learner(confusion=drawn.estimate(k))
        said = _said(model, drawn)
        gain = getattr(model, "expected_gain_", None)
        said += _said(model, drawn, audited=(at, drawn.t[at]))
        alone = learner().fit(drawn.x[at], drawn.t[at])
        yield row(k, error(alone), model, said)
    for how in WRONG if name in CHOSEN_ON and (kind, rate) in THREE else ():
        matrix = misestimated(drawn.matrix, how)
        if np.linalg.cond(matrix) < 1e12:
            model = learner(confusion=matrix, orientation="column")
            said = _said(model, drawn)
            gain = getattr(model, "expected_gain_", None)
            yield row(how, None, model, said)


def tally(every: list[Fit], warns: str, rival: str) -> list[int]:
    """Warnings where the rival errs less, where it does not, none where it does, and neither."""
    told = [(bool(at[warns]), at[rival] < at["corrected"]) for at in every]
    return [told.count(pair)
            for pair in itertools.product((True, False), repeat=2)]


def counted(every: list[Fit]) -> list[list[str]]:
    """How often each warning is right."""
    return [["a warning that", "fits", "right", "wrong", "missed", "rightly silent"]] + [
        [words, str(len(every)), *map(str, tally(every, warns, rival))]
        for words, warns, rival in (
            ("ignoring errs less, of noisy labels", "warned", "ignoring"),
            ("ignoring errs less, of audited examples", "ignoring less", "ignoring"),
            ("the audited alone err less, of audited examples", "alone less", "alone"),
        )
    ]


def by_set(every: list[Fit]) -> list[list[str]]:
    """How often what errs less, and mean errors."""
    rows = [["data", "audited of each class", "fits", "corrected", "ignoring", "alone",
             "ignoring errs less in", "alone errs less in"]]
    for (name, k), held in _grouped(every, lambda at: (at["set"], at["told"])).items():
        means = [f"{np.mean([at[key] for at in held]):.3f}" for key in NUMBERS[:3]]
        rows.append([name, str(k), str(len(held)), *means,
                     *(str(sum(at[rival] < at["corrected"] for at in held))
                       for rival in NUMBERS[1:3])])
    return rows


def _grouped(every: list[Fit], key: Callable[[Fit], Any]) -> dict[Any, list[Fit]]:
    found: dict[Any, list[Fit]] = {}
    for at in every:
        found.setdefault(key(at), []).append(at)
    return found


def _counts(every: list[Fit], warns: str, rival: str) -> str:
    right, wrong, missed, _ = tally(every, warns, rival)
    return f"rightly {right} times, wrongly {wrong}, and missed it {missed} times"


def prose(every: list[Fit], given: list[Fit]) -> Iterator[str]:
    """What to make of it."""
    right, wrong, missed, silent = tally(every, "warned", "ignoring")
    off = [at["gain"] - at["ignoring"] + at["corrected"] for at in every if at["gain"] is not None]
    yield sure(
        right + silent > wrong + missed,
        f"**Without audited examples** the noisy labels are asked: of {len(every)} fits with an "
        "estimate it warned that ignoring the noise, by the same logistic regression, errs less "
        f"{_counts(every, 'warned', 'ignoring')}. The gain that it expected is off by "
        f"{np.mean(off):+.3f} on average (standard deviation {np.std(off):.3f})."
    )
    errors = [f"{name} {np.mean([at[f'said {name}'] - at[name] for at in every]):+.3f}"
           for name in NUMBERS[:3]]
    close = [at for at in every if at["close"]]
    better = sum(at["alone"] < at["corrected"] for at in close)
    yield (
        "**With audited examples** it said of the same fits that ignoring errs less "
        f"{_counts(every, 'ignoring less', 'ignoring')}; that training on them alone errs less "
        f"{_counts(every, 'alone less', 'alone')}. In {len(close)} fits it said that their lead is "
        f"within a standard error; training on them alone erred less in {better} of these, in "
        f"{sum(at['alone'] < at['corrected'] for at in every)} of all. The errors that were said "
        f"are on average from those on test labels: {', '.join(errors)}."
    )
    lines = []
    for k, held in _grouped(every, lambda at: at["told"]).items():
        won = sum(at["alone"] < at["corrected"] for at in held)
        lines.append(f"{won} of {len(held)} with {k} a class")
    yield sure(
        2 * sum(at["alone"] < at["corrected"] for at in every) > len(every),
        "**The audited examples alone** mostly teach logistic regression more than all noisy "
        f"labels with the confusion that they tell: in {', '.join(lines)}. A class of fewer is "
        "audited whole, so that with many a class what learns from them learns from nearly all "
        "examples, and their true labels. The learner says so of an estimate from so few, unless "
        "it has the audited examples and they tell otherwise."
    )
    harms = [at for at in given if at["ignoring"] < at["corrected"]]
    others = [at for at in given if at["ignoring"] >= at["corrected"]]
    least = [at for at in harms if at["told"] == "turned round"]
    yield (
        "**A matrix without counts**, of which some are wrong in a known way: it warned in "
        f"{sum(at['warned'] for at in harms)} of the {len(harms)} fits that correcting harmed, "
        f"and in {sum(at['warned'] for at in others)} of the {len(others)} others; of a matrix "
        f"turned round in {sum(at['warned'] for at in least)} of {len(least)} that harmed."
    )


def read(kept: dict[str, list[list[Any]]]) -> tuple[list[Fit], list[Fit]]:
    """Fits with an estimate, and those with a matrix."""
    every = [dict(zip(COLUMNS, row, strict=True)) for rows in kept.values() for row in rows]
    return ([at for at in every if at["alone"] is not None],
            [at for at in every if at["alone"] is None])


def notes(kept: dict[str, list[list[Any]]]) -> str:
    """What the learner's docstring says of its warnings."""
    every, given = read(kept)
    harms = [at for at in given if at["ignoring"] < at["corrected"]]
    warned = [f"{right} times rightly, {wrong} wrongly, and missed {missed}"
              for right, wrong, missed, _ in (tally(every, *pair) for pair in (
                  ("warned", "ignoring"), ("ignoring less", "ignoring"), ("alone less", "alone")))]
    return (
        f"Of {len(every)} fits with an estimate it warned that ignoring errs less, by the noisy "
        f"labels, {warned[0]}; by audited examples {warned[1]}; that the audited alone err less "
        f"{warned[2]}. Of matrices, some of them wrong, the noisy labels warned in "
        f"{sum(at['warned'] for at in harms)} of {len(harms)} fits that were harmed (turned round "
        f"{sum(at['warned'] for at in harms if at['told'] == 'turned round')} of "
        f"{sum(at['told'] == 'turned round' for at in harms)}) and in "
        f"{sum(at['warned'] for at in given) - sum(at['warned'] for at in harms)} of "
        f"{len(given) - len(harms)} others: ``python validation/corrected_logistic.py``."
    )


def page(kept: dict[str, list[list[Any]]]) -> str:
    """The page, of what is kept."""
    estimated, given = read(kept)
    return "\n".join([
        "# Corrected logistic regression: when its warnings are right\n\nWritten by ``python "
        "validation/corrected_logistic.py`` from kept numbers; ``--record`` runs again. Data, "
        "noise and audits are those of `confused_labels.md`; "
        "`corrected` is forward correction with a confusion that is estimated from the audited "
        "examples, `ignoring` the same logistic regression without a correction, `alone` that on "
        "the audited examples. Who errs less is known of clean test labels, which `fit` never "
        "saw.\n",
        "## What to make of it\n\n" + "\n".join(f"- {line}" for line in prose(estimated, given))
        + "\n",
        "## How often each warning is right\n\n" + table(counted(estimated)) + "\n",
        "## Who errs less\n\n" + table(by_set(estimated)) + "\n",
    ])


def record(names: Iterable[str]) -> None:
    """Run again, and keep what is found beside what is kept of others."""
    path = HERE.with_suffix(".json")
    for name in names:
        rows = [row for kind, rate in SETS[name] for run in range(RUNS)
                for row in fits(name, kind, rate, run)]
        held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        held[name] = rows
        path.write_text("{\n" + ",\n".join(
            f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, of)) + "]"
            for name, of in sorted(held.items())) + "\n}\n", encoding="utf-8")
        print(name, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--data", nargs="*", help="of the record, all at hand unless given")
    given = parser.parse_args()
    if given.record:
        record(given.data or [name for name in SETS
                              if name not in tables.FILES or tables.has(name)])
    HERE.with_suffix(".md").write_text(
        page(json.loads(HERE.with_suffix(".json").read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
