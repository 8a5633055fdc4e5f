"""The command ``replay``: a counterexample, or any other draw, step by step."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory import __version__
from noisytheory.cli.answers import answers, listed, say, say_json
from noisytheory.cli.audit import run_audit, usable_cores
from noisytheory.cli.mistakes import Mistake, offer
from noisytheory.cli.select import one_claim
from noisytheory.cli.shell import BUDGETS, RUN_AS_CODE, error_level, json_flag, main, seed_option
from noisytheory.trial.shown import named

if TYPE_CHECKING:
    from fractions import Fraction

    from noisytheory.trial.claim import Claim
    from noisytheory.trial.result import Result

__all__ = [
    "replay",
]


@main.command(epilog=RUN_AS_CODE)
@click.argument("claim_id", metavar="ID|FILE.py")
@seed_option
@click.option("--store", metavar="PATH|URL", help="Where the results are; without it, try again.")
@click.option("--address", metavar="'CELL;BLOCK;ROW'",
              help="This draw instead of the worst, e.g. 'n=100;0;17'; BLOCK exact: what is "
                   "enumerated there.")
@click.option("--budget", type=click.Choice(BUDGETS),
              help="Of the trial that is made without --store and --address; default smoke.")
@click.option("--replicates", type=click.IntRange(min=1), metavar="N",
              help="At most N replicates a cell in that trial, instead of the budget's.")
@click.option("--alpha", type=float, callback=error_level, metavar="A",
              help="Error level of that trial; default 0.01.")
@json_flag
@answers
def replay(
    out: TextIO, claim_id: str, seed: int | None, store: str | None, address: str | None,
    budget: str | None, replicates: int | None, alpha: float | None, as_json: bool,
) -> None:
    """The counterexample, step by step, or the draw nearest to breaking the bound."""
    from noisytheory.trial.result import replay_address
    from noisytheory.trial.run import DEFAULT_SEED

    chosen: dict[str, Any] = {
        "budget": budget, "replicates": replicates, "alpha": alpha, "seed": seed,
    }
    settings = {name: value for name, value in chosen.items() if value is not None}
    useless = [f"--{name}" for name in settings if name != "seed"]
    if useless and (store is not None or address is not None):
        other = "--store" if store is not None else "--address"
        raise Mistake(f"with {other} nothing is tried anew: leave out {', '.join(useless)}")
    claim = one_claim(claim_id)
    where = _place_of(claim, address) if address is not None else None
    if store is not None:
        about, steps = _replay_stored(claim, store, seed, where)
    elif where is not None:
        root = DEFAULT_SEED if seed is None else seed
        about, steps = _this(where), replay_address(claim, *where, seed=root)
    else:
        if useless:
            settings["workers"] = usable_cores([claim])
        with run_audit([claim], {"budget": "smoke", **settings}, quiet=False) as found:
            about, steps = _replayed(found[claim.id])
    steps = {"applies": True, **steps}
    if not steps["applies"]:
        about = f"{_OUTSIDE}; {about}" if about.startswith("this ") else _OUTSIDE
    # Exact evidence is enumerated, not drawn: no block has it.
    drawn = steps["block"] >= 0
    tried = claim.kind != "cited"
    block = steps["block"] if drawn else "exact"
    spot = f"{steps['cell']};{block};{steps['row']}" if tried else None
    if as_json:
        say_json(out, {**steps, "address": spot, "what": about})
        return
    from noisytheory.report.prose import spelled

    def short(side: str) -> str:
        return spelled(side) if side.startswith("in [") else side

    lines = [
        f"{click.style(claim.id, bold=True)}: {about}", "",
        f"seed        {steps['seed']}",
        f"address     {spot if drawn else _exact_place(steps)}",
        f"left side   {short(steps['lhs'])}",
        f"right side  {short(steps['rhs'])}",
    ]
    width = max((len(name) for name, _ in steps["steps"]), default=0)
    hang = "\n" + " " * (width + 4)
    lines += listed("steps", [
        f"{name:<{width}}  {hang.join(str(value).splitlines())}" for name, value in steps["steps"]
    ])
    if spot is not None:
        words = [claim_id, *(["--seed", str(steps["seed"])] if drawn else []), "--address", spot]
        head = "the same draw again" if drawn else "the same again"
        lines += listed(head, [f"noisytheory replay {shlex.join(words)}"])
    say(out, "\n".join(lines))


_OUTSIDE = "outside the hypotheses, which do not hold of this draw: it counts neither for nor " \
    "against the claim"


def _this(where: tuple[int, int, int]) -> str:
    return "this draw" if where[1] >= 0 else "this exact evidence"


def _exact_place(steps: Mapping[str, Any]) -> str:
    """Where exact evidence stands: it has no block."""
    cell = steps["cell"] or "its only cell"
    return f"exact, instance {steps['row']} at {cell}" if steps["row"] else f"exact, at {cell}"


def _replayed(result: Result) -> tuple[str, dict[str, Any]]:
    found = result.counterexample
    if found is not None:
        return "a certified counterexample", found
    nearest = result.replay()
    about = _heading(result.claim, nearest)
    return about + (f" (refuted: {result.reason})" if result.verdict == "refuted" else ""), nearest


def _heading(claim: Claim, steps: Mapping[str, Any]) -> str:
    """What the draw, or exact cell, that comes nearest to breaking the promise says of it."""
    if claim.kind == "cited":
        return "nothing to try"
    gap = _middle(steps["lhs"]) - _middle(steps["rhs"])
    if steps["block"] < 0:
        broken = gap < 0 if claim.kind == "exists" else gap > 0
        broken = abs(gap) > claim.rounding if claim.kind in ("equal", "identity") else broken
        return "exact, beyond the bound" if broken else "exact, nearest to breaking the bound"
    if claim.kind == "rate":
        return "a draw; the promise is about a slope, which no single draw has"
    if claim.kind == "published":
        return "the draw largest against the printed number; only the mean must come out"
    if claim.kind == "equal":
        if claim.bound is None:
            return "the pair of draws furthest apart; only their laws must agree"
        return "the draw largest against the value; only the mean must equal it"
    if claim.kind == "identity":
        return "the draw whose sides differ most"
    if gap <= 0:
        return "the draw nearest to breaking the bound"
    allowed = {
        "tail": "draws may exceed it with probability delta",
        "mean": "only the mean must stay below it",
        "always": "what is not certified in exact arithmetic refutes nothing",
    }[claim.kind]
    level = f" at delta={claim.deltas[-1]:g}" if len(claim.deltas) > 1 else ""
    return f"the draw furthest beyond the bound{level}; {allowed}"


def _middle(side: str) -> Fraction:
    """A side as a step says it: a number, a fraction, or the interval that holds it."""
    from fractions import Fraction

    ends = re.fullmatch(r"in \[(.+), (.+)\]", side)
    if ends:
        return sum(map(Fraction, ends.groups()), Fraction(0)) / 2
    # What is said behind the number is for the reader.
    text = side.partition(" ")[0]
    return Fraction(10**400 if text == "inf" else -(10**400) if text == "-inf" else text)


def _replay_stored(
    claim: Claim, location: str, seed: int | None, where: tuple[int, int, int] | None
) -> tuple[str, dict[str, Any]]:
    from noisytheory.trial.result import Result, replay_address
    from noisytheory.trial.store import Store, StoreError
    from noisytheory.trial.store.errors import UNREADABLE

    with Store.load(location, __version__) as store:
        if claim.id not in store.ids():
            raise Mistake(
                f"the store {location} has no finished claim {claim.id}"
                f"{offer(claim.id, store.ids())}"
            )
        summary = store.read(claim.id)
        stored = int(summary.attrs["seed"])
        result = Result(claim, summary, stored, store=store)
        try:
            certified = result.counterexample is not None
        except UNREADABLE as error:
            raise StoreError(
                f"{claim.id} in the store {location} is damaged: its counterexample cannot be read "
                f"({named(error)})"
            ) from error
        if seed is not None and seed != stored:
            raise Mistake(f"the store {location} was drawn with seed {stored}, not {seed}: "
                           "leave out --seed or --store")
        if where is None and certified:
            return _replayed(result)
        if summary.attrs["fingerprint"] != claim.fingerprint():
            raise Mistake(
                f"the store {location} has {claim.id} from other code or versions, which cannot be "
                "drawn again here: audit it anew into another store"
            )
        if where is not None:
            return _this(where), replay_address(claim, *where, seed=stored)
        return _replayed(result)


def _place_of(claim: Claim, address: str) -> tuple[int, int, int]:
    """Cell index, block and row of an address as `replay` prints it."""
    if claim.simulate is None and claim.exact is None:
        raise Mistake(f"{claim.id} draws nothing, so no address leads to a draw")
    parts = address.rsplit(";", 2)
    if len(parts) != 3:
        raise Mistake(f"address must be CELL;BLOCK;ROW, such as {_first_address(claim)!r}, "
                       f"got {address!r}")
    cell, block, row = (part.strip() for part in parts)
    exact = block == "exact" and claim.exact is not None
    for name, text in (("block", "0" if exact else block), ("row", row)):
        if not re.fullmatch(r"\d{1,18}", text):
            long = " of at most 18 digits" * (text.isdecimal() and len(text) > 18)
            raise Mistake(f"{name} must be a whole number >= 0{long}, got {text!r}")
    if claim.simulate is None and not exact:
        raise Mistake(f"{claim.id} draws nothing: block must be exact, as in "
                       f"{_first_address(claim)!r}, got {block!r}")
    cells = {claim.address(cell): index for index, cell in enumerate(claim.cells())}
    if cell not in cells:
        raise Mistake(f"{claim.id} has no cell {cell!r}{offer(cell, cells)}")
    rows, of = claim.rows, "the rows of a block"
    if exact:
        rows, of = _instances(claim, cells[cell]), "the instances there"
    if int(row) >= rows:
        raise Mistake(f"row must be a whole number below {rows}, {of}, got {int(row)}")
    return cells[cell], -1 if exact else int(block), int(row)


def _instances(claim: Claim, index: int) -> int:
    """How many rows the exact evidence at a cell has; a law, or an optimum, is one."""
    from noisytheory.trial.draws import exact_evidence

    exact = exact_evidence(claim, claim.cell(index))
    if exact is None:
        raise Mistake(f"{claim.id} enumerates nothing at {claim.address(claim.cell(index))}")
    return len(exact["lhs"]) if isinstance(exact, Mapping) else 1


def _first_address(claim: Claim) -> str:
    block = "exact" if claim.simulate is None else "0"
    return f"{claim.address(claim.cell(0))};{block};0"
