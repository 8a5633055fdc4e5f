"""Pictures of claims as files: what is drawn for each, and what an earlier report has left."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report import figures
from noisytheory.report.files import Save, digest_of, own
from noisytheory.report.page import Picture
from noisytheory.report.record import Record
from noisytheory.report.rendering import cell
from noisytheory.trial import kept
from noisytheory.trial.draws import one_thread
from noisytheory.trial.shown import named
from noisytheory.trial.store.errors import UNREADABLE
from noisytheory.trial.worker import versions

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = [
    "CAPTIONS", "DRAWN", "Place", "beside", "besides", "decide", "draw_own", "drawn_before", "flat",
    "key_of", "not_stored", "ours", "overflows", "remember", "told_by", "undrawn", "wanted_of",
]

CAPTIONS = {
    "violations": "How often the promise was broken",
    "distribution": "The left side's distribution against the bound",
    "tightness": "Tightness along the grid",
    "forest": "Tightness, cell by cell",
    "means": "The mean against the right side",
    "laws": "The two laws",
    "excess": "The worst instances",
    "sides": "Both sides of the tries",
    "pairs": "Both sides, one by one",
    "counts": "What was counted",
    "strips": "The instances by what tells them apart",
    "spread": "The left side's distribution over the instances",
    "exists": "The exact optimum",
    "rate": "The rate",
    "published": "Print and ours",
}


Place = Callable[[str, str], str]


def beside(claim_id: str, name: str) -> str:
    """A picture beside its claim's page."""
    return f"{claim_id}-{name}.svg"


def overflows() -> np.errstate:
    """Draws may be as large as floats are: of what is drawn and told of them nothing is said."""
    return np.errstate(over="ignore", invalid="ignore")


def besides(claim_id: str) -> list[str]:
    """All pictures that may stand there."""
    return [beside(claim_id, name) for name in (*CAPTIONS, _OWN)]


def flat(claim_id: str, name: str) -> str:
    """A picture of the digest."""
    return f"figures/{claim_id.replace('/', '-')}-{name}.svg"


_OWN = "picture"

DRAWN = ".drawn.json"
"""What a report says to the next one at its place: pictures that need not be drawn again."""


def told_by(record: Record, draw: Callable[..., Any] | None = None, wants: bool = True) -> str:
    """What pictures of a claim depend on, as a digest; nothing where that is not known."""
    import matplotlib

    if draw is not None and not ours(draw):
        return ""
    # Who does not ask for the dataset shows the same of every audit: code and kept numbers tell it.
    experiment = None if draw is None else kept.experiment_of(draw)
    held = "" if experiment is None else kept.digest(experiment)
    complete = record.dataset.encoding.get("complete") if wants else held
    if complete is None:
        return ""
    own = None if draw is None else f"{draw.__module__}.{draw.__qualname__}"
    parts = [record.id, complete, own, versions(), matplotlib.__version__]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def ours(draw: Callable[..., Any]) -> bool:
    """Whether a picture comes with this package, and not with somebody's file."""
    return str(getattr(draw, "__module__", "")).startswith("noisytheory.")


def drawn_before(folder: Path) -> tuple[dict[str, list[Picture]], str]:
    """Pictures of an earlier report at this place, as far as their files are what it wrote.

    And in words, if anything is not.
    """
    changed: set[str] = set()
    if (text := own(folder / DRAWN)) is None:
        return {}, ""
    try:
        found = {}
        for key, entry in json.loads(text).items():
            pictures = [Picture(*fields) for fields, _ in entry]
            others = {p.file for p, (_, digest) in zip(pictures, entry, strict=True)
                      if digest_of(folder / p.file) != digest}
            if others:
                changed |= others
            else:
                found[key] = pictures
    except UNREADABLE:
        return {}, f"{folder / DRAWN} is not as a report leaves it: all pictures are drawn anew"
    if not changed:
        return found, ""
    more = f" and {len(changed) - 1} more are" if len(changed) > 1 else " is"
    return found, f"{folder / min(changed)}{more} not as a whole report left it: drawn anew"


def remember(folder: Path, put: Save, drawn: Mapping[str, list[Picture] | None]) -> None:
    """Say to the next report which pictures it need not draw."""
    noted = {
        key: [[[p.file, p.alt, p.caption, p.numbers], digest_of(folder / p.file)] for p in pictures]
        for key, pictures in drawn.items()
        if key and pictures is not None and all(p.file for p in pictures)
    }
    if noted:
        # Captions and numbers stand on pages: one bad byte must not change them.
        put(DRAWN, json.dumps(noted, sort_keys=True))


Wanted = tuple[Record, Callable[..., Any], bool]


def key_of(record: Record, draw: Callable[..., Any]) -> tuple[Any, Wanted]:
    """The key of a claim's picture: one that does not ask for the dataset is drawn once."""
    wants = "dataset" in inspect.signature(draw).parameters
    return (record.id if wants else draw), (record, draw, wants)


def wanted_of(records: Sequence[Record], claims: Mapping[str, Claim]) -> dict[Any, Wanted]:
    """Pictures that claims bring, each once."""
    found: dict[Any, Wanted] = {}
    for record in records:
        draw = claims[record.id].picture if record.id in claims else None
        if draw is not None:
            found.setdefault(*key_of(record, draw))
    return found


def not_stored(record: Record) -> Picture | None:
    """A picture in a user's file: a store holds no code."""
    name = record.dataset.attrs.get("picture")
    if name is None:
        return None
    text = f"{name}() draws it, in the file that declares the claim: audit that file "
    return Picture("", "", text + "with this store and ask for the report.")


def draw_own(
    record: Record, draw: Callable[..., Any], wants: bool, put: Save, place: Place
) -> list[Picture]:
    """Draw the picture that a claim brings."""
    caption = " ".join((draw.__doc__ or "").partition("\n\n")[0].split())
    file = place(record.id, _OWN)
    given = {"dataset": record.dataset} if wants else {}
    try:
        # As in an audit: with more threads the last bits of what it computes move.
        with one_thread(), _axes_for(draw):
            drawn: Any = figures.styled(draw, math=True)(**given)
        figure, rows = drawn if isinstance(drawn, tuple) else (drawn, ())
        numbers = [[str(cell) for cell in row] for row in rows]
        text = figures.svg(figure, math=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of a user's code: a report must not be lost to it
        return undrawn(named(error))
    put(file, text)
    if kept.experiment_of(draw) is not None:
        caption += " Its runs have a seed of their own, and are kept with the package: they are "
        caption += "the same beside every audit, and none of its draws."
    alt = str(figure.get_label()) or caption or f"The picture that {record.id} brings"
    return [Picture(file, alt, caption, numbers)]


def _axes_for(draw: Callable[..., Any]) -> AbstractContextManager[None]:
    """Of ours it is known what they ask axes for."""
    from noisytheory.report.figures.panel import in_panels

    return in_panels() if ours(draw) else contextlib.nullcontext()


def undrawn(why: str) -> list[Picture]:
    """In place of a picture, why there is none."""
    return [Picture("", "", f"The claim's own picture could not be drawn. {cell(why)}")]


def decide(record: Record, put: Save, place: Place = beside) -> list[Picture]:
    """Draw what decides a claim."""
    pictures = []
    with figures.in_style(), overflows():
        for name, figure in figures.deciding(record).items():
            file = place(record.id, name)
            put(file, figures.svg(figure))
            pictures.append(Picture(file, str(figure.get_label()), CAPTIONS[name]))
    return pictures
