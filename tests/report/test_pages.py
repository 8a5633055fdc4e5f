"""The folder: parses, opens offline, links resolve, the same bytes again."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shlex

import numpy as np
import planted
import pytest
from click.testing import CliRunner
from commands import answer
from damaged import reseal
from parsed_pages import assert_links_resolve, assert_nothing_from_outside, files, parsed

import noisytheory as nt
from noisytheory import Certificate, Paper, audit
from noisytheory.cli import main
from noisytheory.report import Record, digest, pages, read, write
from noisytheory.report.trials import falls_if
from noisytheory.trial import mathematics
from noisytheory.trial.catalogue import file_of, load_file
from noisytheory.trial.store import Damaged, StoreError

EVIL = "<script>alert('x')</script> & \"quotes\" <img src=http://evil.example/x.png onerror=y>"


def evil():
    return dataclasses.replace(
        planted.hoeffding("evil"), place=EVIL, hypotheses=[EVIL], given={"step": EVIL},
        note=f"{EVIL}\n\n$a<b$ and $\\text{{<script>}}$",
        statement=r"x < \text{<script>alert(1)</script>}", quantity="<b>", unit="<i>",
    )


def claims():
    tried = [claim for claim in planted.every_kind() if claim.kind != "cited"]
    return [
        *tried, evil(), planted.hoeffding().broken(), planted.always().broken(),
        planted.hoeffding("vacuous", grid={"n": [1], "delta": [0.01]}, expect="undecided"),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("report")
    with audit(claims(), budget="smoke", store=root / "store") as found:
        page = write(found, root / "out")
    assert page == root / "out" / "index.html"
    return root / "out"


def test_a_page_of_both_sorts_for_every_claim(folder):
    for claim in claims():
        assert (folder / f"{claim.id}.html").is_file()
        told = "Nothing can refute it" if claim.id == "planted/binomial" else "It falls if "
        told = "It fell by the rule of its kind: in " if claim.expect == "refuted" else told
        assert told in (folder / f"{claim.id}.md").read_text(encoding="utf-8")
    assert (folder / "README.md").is_file()


def test_a_page_shows_the_constants_of_a_claim(folder):
    page = (folder / f"{evil().id}.html").read_text(encoding="utf-8")
    assert "<dt>step (constant)</dt>" in page
    assert "* step (constant): " in (folder / f"{evil().id}.md").read_text(encoding="utf-8")


def test_a_page_shows_how_vacuous_a_bound_is(folder):
    lines = (folder / "planted/vacuous.md").read_text(encoding="utf-8").splitlines()
    head, row = (
        [text.strip() for text in lines[at + step].strip("|").split("|")]
        for at in [next(i for i, line in enumerate(lines) if "/ what is true anyway |" in line)]
        for step in (0, 2)
    )
    told = dict(zip(head, row, strict=True))
    # Hoeffding's bound for one coin in [0, 1], whose mean is no further than 1/2 from it.
    bound, level = math.sqrt(math.log(1 / 0.01) / 2), float(told["δ"])
    assert level == 0.01
    assert float(told["right side / what is true anyway"]) == pytest.approx(2 * bound, rel=0.01)


def test_html_is_balanced_and_loads_nothing_from_outside(folder):
    assert_nothing_from_outside(folder)


def test_links_resolve(folder):
    assert_links_resolve(folder)


def test_a_statement_ends_no_block():
    text = mathematics.plain_formula("a < b, x<y\n```\n<script>alert(1)</script>")
    assert text == "a < b, x<y\n` ` `\n\\lt script>alert(1)\\lt /script>"


def test_text_of_a_claim_stays_text(folder):
    path = folder / "planted/evil.html"
    page = parsed(path)
    assert "script" not in [tag for tag, _ in page.tags]
    assert {a.get("src") for tag, a in page.tags if tag == "img"} <= {
        f.name for f in files(folder, "svg")
    }
    assert "alert('x')" in "".join(page.text)
    index = parsed(folder / "index.html")
    assert [tag for tag, _ in index.tags].count("script") == 1
    for path in (folder / "planted/evil.md", folder / "README.md"):
        assert "<script" not in path.read_text(encoding="utf-8")
    for path in files(folder, "svg"):
        assert "<script" not in path.read_text(encoding="utf-8")


def test_formulas_are_mathml(folder):
    for claim in claims():
        tags = [tag for tag, _ in parsed(folder / f"{claim.id}.html").tags]
        assert "math" in tags, claim.id


def test_pictures_have_texts_and_tables_have_heads(folder):
    for path in files(folder, "html"):
        page = parsed(path)
        for tag, attributes in page.tags:
            if tag == "img":
                assert len(attributes["alt"]) > 40
        tags = [tag for tag, _ in page.tags]
        assert tags.count("thead") == tags.count("table")
        assert all(a.get("scope") in ("col", "row") for tag, a in page.tags if tag == "th")
        assert ("html", {"lang": "en"}) in page.tags and tags.count("h1") == 1


def test_index_has_every_claim_and_its_filters(folder):
    page = parsed(folder / "index.html")
    rows = [a for tag, a in page.tags if tag == "tr" and "data-verdict" in a]
    assert len(rows) == len(claims())
    selects = [a["name"] for tag, a in page.tags if tag == "select"]
    assert selects == ["paper", "kind", "verdict", "expected"]
    assert {r["data-kind"] for r in rows} == {c.kind for c in claims()}
    # Without scripts the table is whole and the filters are not there.
    assert next(a for tag, a in page.tags if tag == "form").keys() >= {"hidden"}
    assert not [a for a in rows if "hidden" in a]


def test_a_store_gives_the_same_bytes_as_the_audit(tmp_path):
    some = [planted.hoeffding(), planted.always().broken()]
    with audit(some, budget="smoke", store=tmp_path / "store") as found:
        write(found, tmp_path / "audit")
    write(tmp_path / "store", tmp_path / "again")
    first, second = (
        {p.relative_to(root): p.read_bytes() for p in root.rglob("*.*")}
        for root in (tmp_path / "audit", tmp_path / "again")
    )
    assert first == second and len(first) > 10


def test_no_times_and_no_machine(folder):
    for path in [*files(folder, "html"), *files(folder, "md")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)
        assert str(folder) not in text


@pytest.mark.parametrize(("name", "says"), [
    ("hoeffding", "the probability of breaking the promise is shown to be at most δ"),
    ("hoeffding-exact", "exact probability of breaking the promise is at most δ"),
    ("hoeffding/broken-twin", "times what is promised"),
    ("at-level", "the budget was spent with 12 of 12"),
    ("vacuous", "vacuous everywhere on the grid"),
    ("mean", "the expected left side is shown to be at most the bound"),
    ("equal", "the value is the promised one within the margin of"),
    ("am-gm", "none of 1\u202f024 instances tried breaks the inequality"),
    ("am-gm-exhaustive", "All 100 instances were enumerated, and none breaks the inequality"),
    ("am-gm/broken-twin", "a counterexample, certified in exact arithmetic"),
    ("exists", "the exact optimum is at least what is promised"),
    ("rate", "the slope is"),
    ("table", "what is printed, within the stated tolerance"),
])
def test_verdicts_in_words(folder, name, says):
    text = " ".join("".join(parsed(folder / f"planted/{name}.html").text).split(" "))
    assert says.lower() in text.lower()
    assert "noisytheory" in text


def test_counterexample_is_shown_step_by_step(folder):
    page = parsed(folder / "planted/am-gm/broken-twin.html")
    text = "".join(page.text)
    assert "step by step" in text
    assert "noisytheory replay planted/am-gm/broken-twin --seed 2026 --address" in text
    assert "What is wrong in print" not in text  # it has no note


def test_reproducing_command(folder):
    text = (folder / "planted/hoeffding.md").read_text(encoding="utf-8")
    found = re.search(
        r"noisytheory audit planted/hoeffding --seed 2026 --budget smoke --alpha (\S+)\n", text
    )
    # Alone, the claim gets the share that it had in the audit, and so draws the same.
    sharing = read(folder.parent / "store")[0].dataset.attrs["sharing"]
    assert found is not None and float(found[1]) == 0.01 / sharing


FILE = """
import numpy as np
import noisytheory as nt

def side(n, *, size, rng):
    return rng.uniform(size=size) / n

def double(n, *, size, rng):
    a = rng.integers(1, 9, size)
    return {"lhs": 2.0 * a, "rhs": a, "a": a}

def certify(a):
    return nt.Certificate(2 * int(a), int(a), [("a", int(a))])

PAPER = nt.Paper("own", "A paper")
claims = [
    PAPER.tail("half", statement="x", bound=lambda n, delta: 1 - delta, simulate=side,
               grid=dict(n=[2, 4], delta=[0.4]), rows=64),
    PAPER.always("double", statement="x", simulate=double, certify=certify, rows=64,
                 grid=dict(n=[1, 2]), expect="refuted"),
    PAPER.cited("quoted", statement="x"),
]
"""


def test_commands_on_the_page_of_a_users_file_show_what_the_page_speaks_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own theorems").mkdir()
    (tmp_path / "own theorems" / "my.py").write_text(FILE)
    found = audit(load_file("own theorems/my.py"), budget="smoke", seed=7, alpha=0.03)
    with found:
        write(found, tmp_path / "out")
        speaks = {result.claim.id: result.replay() for result in found}
    assert speaks["own/double"]["excess"] > 0
    for name, number in {"half": 2, "double": 2, "quoted": 1}.items():
        text = (tmp_path / f"out/own/{name}.md").read_text(encoding="utf-8")
        commands = [shlex.split(line) for line in re.findall(r"(?m)^noisytheory .*$", text)]
        assert len(commands) == number
        for words in commands:
            alone = ["--workers", "0"] if words[1] == "audit" else []
            done = CliRunner().invoke(main, [*words[1:], *alone, "--json"])
            assert done.exit_code == 0, done.stderr
            about = json.loads(done.stdout)
            if words[1] == "audit":
                assert about["seed"] == 7 and about["alpha"] == 0.03
            elif words[1] == "replay":
                said = speaks[f"own/{name}"]
                for key in ("seed", "cell", "block", "row", "lhs", "rhs"):
                    assert about[key] == said[key]
            else:
                assert about["id"] == "own/quoted"


def test_a_file_elsewhere_is_named_in_full_and_a_package_is_not(tmp_path, monkeypatch):
    path = tmp_path / "my.py"
    path.write_text(FILE)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert {file_of(claim) for claim in load_file(path)} == {path.as_posix()}
    assert file_of(planted.hoeffding()) is None


def test_the_stored_counterexample_is_not_called_the_worst(tmp_path):
    # One that is written down, and worse ones that are drawn at the other cell.
    def written(n):
        return {"lhs": np.array([2.0]), "rhs": np.array([1.0]), "a": np.array([1])} if n == 1 \
            else None

    def drawn(n, *, size, rng):
        a = rng.integers(2, 9, size)
        return {"lhs": 2.0 * a, "rhs": a, "a": a}

    def certify(a):
        return Certificate(2 * int(a), int(a))

    claim = Paper("p", "P").always(
        "doubles", statement="x", exact=written, simulate=drawn, certify=certify,
        grid={"n": [1, 2]}, rows=64, expect="refuted",
    )
    with audit([claim], budget="smoke") as found:
        write(found, tmp_path)
    text = (tmp_path / "p/doubles.md").read_text(encoding="utf-8")
    told = "The stored counterexample, in the cell n\u00a0=\u00a01, has left side 2 > right side 1."
    assert told in text
    assert "The largest excess found is 8, in the cell n\u00a0=\u00a02." in text
    assert "The worst" not in text
    assert "noisytheory replay p/doubles --seed 2026 --address 'n=1;exact;0'\n" in text


def test_a_papers_page_names_the_instance_and_the_command_that_shows_it(tmp_path):
    claim_id = "noisy-kernels/example-3/printed"
    with audit([nt.claims[claim_id]], budget="smoke") as found:
        digest(found, tmp_path)
        steps = dict(found[claim_id].replay()["steps"])
    text = " ".join((tmp_path / "noisy-kernels.md").read_text(encoding="utf-8").split())
    assert "In the one cell that was tried (most = 48) there is a counterexample" in text
    (value,) = steps.values()
    told = re.search(r"There z = (\S+)\. Step by step: `noisytheory (replay [^`]+)`\.", text)
    assert told[1] == value
    shown = answer(*shlex.split(told[2]))
    assert f"\nsteps\n  z  {value}\n" in shown and "address     most=48;" in shown
    # Of a claim that fell it was said that it falls if.
    assert "It fell by the rule of its kind: in one of " in text and "falls if" not in text


def test_a_cells_parameters_do_not_read_as_words():
    """One of them is called most: it would have fallen, at most = 8."""
    with audit([nt.claims["noisy-kernels/example-3/repaired"]], budget="smoke") as found:
        (record,) = read(found)
    assert ", in the cell most\u00a0=\u00a0" in falls_if(record)
    assert "at most" not in falls_if(record)


def test_arviz_statistics_of_simulated_cells(folder):
    record = next(r for r in read(folder.parent / "store") if r.id == "planted/at-level")
    error, rhat = record.monte_carlo
    # Uniform draws: standard deviation sqrt(1/12) over the square root of 2048 draws; ArviZ
    # estimates the effective number, hence the room (one seed, no false alarm).
    assert error == pytest.approx((1 / 12 / 2048) ** 0.5, rel=0.2)
    assert abs(rhat - 1).max() < 0.02


def test_claims_are_in_the_order_of_their_numbers():
    paper = Paper("p", "P")
    with audit([paper.cited(n, statement="x") for n in ("theorem-15", "theorem-5")]) as found:
        assert [r.id for r in read(found)] == ["p/theorem-5", "p/theorem-15"]


def test_only_cited_claims_make_a_report(tmp_path):
    with audit([planted.cited()]) as found:
        index = write(found, tmp_path)
    assert "quoted" in index.read_text(encoding="utf-8")
    assert "no simulation can decide it" in "".join(parsed(tmp_path / "planted/quoted.html").text)
    assert not list(tmp_path.rglob("*.svg"))


def test_further_pages_are_linked_from_both_indexes(tmp_path):
    with audit([planted.cited()]) as found:
        write(found, tmp_path, links={"Bench & marks": "benchmarks"})
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<a href="benchmarks.html">Bench &amp; marks</a>' in index
    assert "[Bench & marks](benchmarks.md)" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_an_unexpected_verdict_is_marked_in_its_row(tmp_path):
    with audit([dataclasses.replace(planted.cited(), expect="refuted")]) as found:
        write(found, tmp_path)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<strong class="surprise">expected: refuted</strong>' in index
    assert "(**expected: refuted**)" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_cited_claim_says_why_it_cannot_be_decided(tmp_path):
    with audit([dataclasses.replace(planted.cited(), reason="numbers lost in print")]) as found:
        write(found, tmp_path)
    text = (tmp_path / "planted/quoted.md").read_text(encoding="utf-8")
    assert "It cannot be decided: numbers lost in print." in text


@pytest.mark.parametrize(("name", "value"), [
    ("paper", None), ("statement", None), ("log_e_uphold", [None]), ("kind", "sort"),
    ("rows", {"a": 1}), ("counterexample", "[1"), ("rhs", None), ("quantiles", None),
])
def test_a_group_of_which_no_page_can_be_made_costs_its_own_page(tmp_path, name, value):
    store = tmp_path / "store"
    audit([planted.hoeffding(), planted.mean()], budget="smoke", store=store).close()
    write(store, tmp_path / "whole")

    def spoil(attributes, arrays):
        attributes[name] = value
        if value is None:
            del attributes[name]
            arrays.pop(name, None)

    reseal(store / "planted" / "hoeffding", spoil)
    with pytest.warns(Damaged) as said:
        write(store, tmp_path / "left")
    (told,) = [str(w.message) for w in said if "no page can be made" in str(w.message)]
    assert told.startswith("planted/hoeffding in the store ") and "is damaged, or" in told
    assert "planted/hoeffding" not in (tmp_path / "left" / "index.html").read_text()
    assert "planted/mean" in (tmp_path / "left" / "index.html").read_text()
    assert not (tmp_path / "left" / "planted" / "hoeffding.html").exists()


def test_a_page_that_cannot_be_made_of_a_whole_store_is_a_fault_of_ours(tmp_path, monkeypatch):
    store = tmp_path / "store"
    audit([planted.hoeffding(), planted.mean()], budget="smoke", store=store).close()
    monkeypatch.setattr(pages, "told_by", lambda record: record.no_such_thing)
    with pytest.raises(AttributeError, match="no_such_thing"):
        write(store, tmp_path / "pages")


def test_no_store(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        write(tmp_path / "nothing", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_output_is_a_file(tmp_path, folder):
    (tmp_path / "out").write_text("x")
    with pytest.raises(ValueError, match="output must be a folder"):
        write(folder.parent / "store", tmp_path / "out")


def test_a_record_needs_no_claim(folder):
    record = next(r for r in read(folder.parent / "store") if r.id == "planted/hoeffding")
    assert record.verdict == "upheld" and record.as_expected
    assert record.labels == ["n\u00a0=\u00a010", "n\u00a0=\u00a0100"]
    assert Record.of(record) is record
    with pytest.raises(AttributeError):
        _ = record.nothing


@pytest.mark.campaign
def test_processes_that_draw_write_the_same_files(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "_WORTH", 1)
    seen = []
    with audit([planted.hoeffding(), planted.equal()], budget="smoke") as found:
        write(found, tmp_path / "one")
        write(found, tmp_path / "two", workers=2, progress=lambda *of: seen.append(of))
    assert seen == [(1, 2), (2, 2)]
    files = [p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file()]
    assert len(files) > 8
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
