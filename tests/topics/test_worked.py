"""Where one definition serves two arithmetics, an instance by hand is the second derivation."""

from __future__ import annotations

import ast
from pathlib import Path

import noisytheory as nt
from noisytheory.trial.catalogue import of_topic

HERE = Path(__file__).parent
ROOM = Path(nt.__file__).parent / "topics"
TOPICS = {path.relative_to(ROOM).parts[0] for path in ROOM.glob("**/claims.py")}


def named_by_hand(topic):
    """Texts in the topic's tests that say in their first line that they work by hand."""
    for path in HERE.glob(f"{topic}/**/test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if "by hand" in (ast.get_docstring(tree) or "").partition("\n")[0]:
            yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))


def test_each_claim_of_one_definition_has_an_instance_by_hand():
    without = []
    for topic in sorted(TOPICS):
        worked = set(named_by_hand(topic))
        # Of a function and what draws its cases; what is worked exactly is made of cases alone.
        made = [c for c in of_topic(topic) if len(getattr(c.certify, "made_of", ())) == 2]
        names = [c.id for c in made]
        without += [i for i in names if not {i, i.partition("/")[2]} & worked]
    assert without == []
