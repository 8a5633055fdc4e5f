"""The command ``compare``: which bound on a quantity is best, from where on, and what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory.cli.answers import answers, listed, marked, say, say_json, say_rows, table
from noisytheory.cli.given import number, spread
from noisytheory.cli.mistakes import Mistake
from noisytheory.cli.select import chosen_claims
from noisytheory.cli.shell import RUN_AS_CODE, main, seed_option, table_options

if TYPE_CHECKING:
    from noisytheory.report.comparison import Comparison

__all__ = ["compare"]

MANY = 12
"""Claims left out that are named, at most."""


@main.command(epilog=RUN_AS_CODE)
@click.argument("target", metavar="GLOB|FILE.py")
@click.argument("assignments", metavar="[NAME=VALUE ...]", nargs=-1)
@click.option("--figure", type=click.Path(dir_okay=False), help="Draw it: FILE.svg, .png or .pdf.")
@click.option("--replicates", type=click.IntRange(min=100), help="Draws where no law is exact.")
@seed_option
@table_options
@answers
def compare(
    out: TextIO, target: str, assignments: tuple[str, ...], figure: str | None,
    replicates: int | None, seed: int | None, form: str,
) -> None:
    """Compare the bounds on one quantity: n=10:100000:log delta=0.05.

    Values, lists and ranges as for `bound`. population=NAME takes a population that one of the
    claims is tried on: what the bounds read of it, and the truth to hold them against. Claims on
    another quantity, or that read what is not given, are left out, and it is said why.
    """
    from noisytheory.report.comparison import compare as compared

    claims = chosen_claims([target])
    if not assignments:
        raise Mistake("compare needs arguments, such as n=10:100000:log delta=0.05")
    asked: dict[str, Any] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise Mistake(f"{text!r} is not of the form NAME=VALUE, such as n=10:100000:log")
        if name in asked:
            raise Mistake(f"{name} is given twice; several values go in one list: {name}=10,100")
        whole = any(
            domains[name].whole for claim in claims
            if name in (domains := getattr(claim.bound, "domains", {}))
        )
        asked[name] = value if name == "population" else [
            number(name, piece) for piece in spread(name, value, whole or name == "n")
        ]
    if figure is not None and Path(figure).suffix not in _PICTURES:
        raise Mistake(f"--figure must end in {', '.join(_PICTURES)}, got {figure!r}")
    drawn = {"replicates": replicates, "seed": seed}
    found = compared(claims, **asked, **{k: v for k, v in drawn.items() if v is not None})
    if figure is not None:
        _draw(found, Path(figure))
    if form == "json":
        say_json(out, _as_json(found))
    elif form == "csv":
        # A file of rows has no lines below them: what the best must know is a column.
        needs = dict(zip(found.names, found.dataset["needs"].values.tolist(), strict=True))
        rows = found.rows()
        for row in rows:
            tied = filter(None, row["best"].split(" and "))
            row["needs"] = " or ".join(dict.fromkeys(needs[name] for name in tied))
        say_rows(out, rows, form)
    else:
        say_rows(out, found.rows(), form)
        say(out, "\n".join(_said(found, form)))


_PICTURES = (".svg", ".png", ".pdf")


def _as_json(found: Comparison) -> dict[str, Any]:
    data = found.dataset
    return {
        **data.attrs,
        "truth": found.how or None,
        "arguments": {str(dim): data[dim].values.tolist() for dim in data["best"].dims},
        "points": found.rows(),
        "winners": found.winners(),
        "claims": [
            {key: one[key].item() for key in ("id", "needs", "refuted", "below")}
            | {"name": name, "says_from": one["says_from"].values.tolist()}
            for name in found.names for one in [data.sel(claim=name)]
        ],
        "left_out": dict(found.left_out),
    }


def _said(found: Comparison, form: str) -> list[str]:
    """Who wins where, from where on each says something, what it needs, and who is left out."""
    data = found.dataset
    head = ["bound", "must know", f"says something from {found.along} ="]
    rows = [
        [
            name + found.wins_not(name), str(one["needs"].item()),
            found.says_from_by_others(name),
        ]
        for name in found.names for one in [data.sel(claim=name)]
    ]
    lines = listed("quantity", [f"{data.attrs['quantity']} [{data.attrs['unit']}]"])
    lines += listed("best", found.winners())
    lines += ["", marked([head, *rows]) if form == "markdown" else table([head, *rows])]
    where = f"on {data.attrs['population']}, " * bool(data.attrs["population"])
    lines += listed("truth", [f"{where}by {found.how}"] * bool(found.how))
    left_out = [f"{name} {why}" for name, why in found.left_out.items()]
    if len(left_out) > MANY:
        left_out[MANY:] = [f"and {len(left_out) - MANY} more: --json has them all"]
    return lines + listed("left out", left_out)


def _draw(found: Comparison, path: Path) -> None:
    from noisytheory.report import figures

    drawn, choices = figures.drawn_choices(found), found.others
    if len(drawn) < len(choices):
        click.echo(f"noisytheory compare: the figure has {drawn[0]} only, one of {len(choices)} "
                   f"choices: it has room for {figures.MOST} lines", err=True)
    picture = figures.compared(found)
    try:
        if path.suffix == ".svg":
            path.write_text(figures.svg(picture), encoding="utf-8")
        else:
            with figures.in_style():
                picture.savefig(path, dpi=150)
    except OSError as error:
        raise Mistake(f"--figure: cannot write {path}: {error.strerror}") from error
