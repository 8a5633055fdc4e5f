"""Stores that are damaged, files and words that mean harm.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from noisytheory.trial.store import chunks
from noisytheory.trial.store.compacted import of_blocks

PATIENCE = 120.0
Count = Counter[str]


def _flip(path: Path, moments: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[moments.randrange(len(data))] ^= 1 << moments.randrange(8)
    path.write_bytes(data)


def _swap(path: Path, moments: random.Random) -> None:
    """Change places with another file of this name, or journal, as another claim has it."""
    store = next(folder for folder in path.parents if (folder / ".journal").is_dir())
    name = "*.blocks" if path.suffix == ".blocks" else path.name
    other = moments.choice([p for p in sorted(store.rglob(name)) if p.is_file()])
    own = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(own)


Metadata = dict[str, Any]


def reseal(group: Path, spoil: Callable[[Metadata, Metadata], object]) -> None:
    """Change attributes and arrays of a claim as nobody but its writer can: the seals are right."""
    known = json.loads((group / "zarr.json").read_bytes())
    attributes, inside = known["attributes"], known["consolidated_metadata"]["metadata"]
    before, arrays = set(inside), []
    spoil(attributes, inside)
    for name in before.difference(inside):
        shutil.rmtree(group / name)
    for name, about in inside.items():
        chunk = group / chunks.chunk_key(name, about)
        data = b"" if of_blocks(about) or not chunk.exists() else chunk.read_bytes()
        arrays.append(chunks.Array(name, about, data))
        (group / name / "zarr.json").write_bytes(arrays[-1].document)
    attributes["complete"] = chunks.marker_of(attributes, arrays)
    (group / "zarr.json").write_bytes(chunks.group_document(attributes, chunks.members(arrays)))
    (group.parents[1] / "zarr.json").unlink()  # Nothing contradicts it.


def _cut(path: Path, moments: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: moments.randrange(path.stat().st_size)])


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "a bit flipped": _flip,
    "the end missing": lambda path, moments: path.write_bytes(
        path.read_bytes()[: moments.randrange(1 + path.stat().st_size)]
    ),
    "a file cut to nothing": lambda path, moments: path.write_bytes(b""),
    "two files swapped": _swap,
    "a file missing": lambda path, moments: path.unlink(),
    "a file made a folder": lambda path, moments: (path.unlink(), path.mkdir())[0],
    "a file made a pipe": lambda path, moments: (path.unlink(), os.mkfifo(path))[0],
}


KINDS = {
    "the list": "zarr.json", "the copy of the run": ".journal/run.json",
    "a paper": "*/zarr.json", "a claim": "*/*/zarr.json", "an array": "*/*/*/zarr.json",
    "numbers": "*/*/*/c*", "a journal": ".journal/*.blocks",
    "the code of its claims": ".journal/claims.json",
}
"""Where the files of each kind are: each way of damage meets each."""


def damage(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """A store with one file damaged: reported with its damage, and mended by an audit."""
    for name, spoil in DAMAGES.items():
        count, store = Count(), quiet.folder / "damaged"
        for turn in range(quiet.first // 8, quiet.first // 8 + audits // 8):
            kind = list(KINDS)[turn % len(KINDS)]
            shutil.rmtree(store, ignore_errors=True)
            whole = quiet.half_done() if kind == "a journal" else quiet.folder / "quiet"
            shutil.copytree(whole, store)
            path = moments.choice(sorted(p for p in store.glob(KINDS[kind]) if p.is_file()))
            before = path.read_bytes()
            spoil(path, moments)
            changed = not path.is_file() or path.read_bytes() != before
            pages = subprocess.run(
                quiet.command("report", store, "--output", quiet.folder / "pages"),
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )
            count["tries"] += 1
            count["other exit code"] += pages.returncode not in {0, 2}
            count["traceback"] += "Traceback" in pages.stderr
            # Death between the list and its copy leaves none.
            named = changed and (path.name != "run.json" or path.exists())
            if kind == "a journal":
                # No report reads it, and one that is short, or gone, is what death leaves.
                named &= path.exists() and (spoil in (_flip, _swap) or not path.is_file())
            else:
                told = pages.returncode == 2 and "damaged" in pages.stderr
                count["silent"] += named and not told
            again = subprocess.run(
                quiet.words(store, 0), capture_output=True, text=True,
                timeout=PATIENCE, check=False,
            )
            count["traceback"] += "Traceback" in again.stderr
            count["silent"] += named and str(store) not in again.stderr
            if count["silent"] or "Traceback" in again.stderr + pages.stderr:
                print(name, path, pages.stderr[-300:], again.stderr[-300:], file=sys.stderr)
            if again.returncode != 2:  # refused by name, as a pipe is
                count["bits differ"] += again.returncode != 0 or not quiet.same(store)
        yield f"store with {name}", count


ABSURD: tuple[Callable[[Metadata, Metadata], object], ...] = (
    lambda attributes, arrays: attributes.pop("paper"),
    lambda attributes, arrays: attributes.pop("kind"),
    lambda attributes, arrays: attributes.pop("log_e_uphold"),
    lambda attributes, arrays: arrays["rhs"].pop("fill_value"),
    lambda attributes, arrays: arrays["rhs"].pop("dimension_names"),
    lambda attributes, arrays: attributes.update(rows=None, alpha="x", log_e_uphold={"a": [1]}),
    lambda attributes, arrays: attributes.update(hypotheses=3, verdict=True, kind="sort"),
    lambda attributes, arrays: arrays["decision"].update(fill_value=10**18, shape=[10**18]),
    lambda attributes, arrays: arrays["mean"].update(data_type="2026"),
)


def absurd(quiet: Any, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """What no disk does: a claim that is sealed and means nothing, holes, a part of a picture."""
    count, store, pages = Count(), quiet.folder / "absurd", quiet.folder / "absurd-pages"
    report = quiet.command("report", store, "--output", pages)

    def heard(words: list[str], codes: set[int], said: str) -> None:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=PATIENCE, check=False, errors="replace"
        )
        count["tries"] += 1
        count["other exit code"] += done.returncode not in codes
        count["traceback"] += "Traceback" in done.stderr
        count["silent"] += said not in done.stderr
        if done.returncode not in codes or said not in done.stderr:
            print(said, done.returncode, done.stderr[-300:], file=sys.stderr)

    for spoil in ABSURD:
        shutil.copytree(quiet.folder / "quiet", store)
        reseal(store / "mine" / "maximum-1", spoil)
        heard(report, {2}, "mine/maximum-1 in the store")
        count["silent"] += not (pages / "mine" / "maximum-0.html").exists()
        shutil.rmtree(store)
        shutil.rmtree(pages, ignore_errors=True)
    yield "a sealed claim of what no audit writes", count
    count = Count()
    for between, hole in ((b"", 2**40), (b"\x93ntblk\r\n" * 2**18, 0)):
        shutil.copytree(quiet.half_done(), store)
        journal = max(store.glob(".journal/*.blocks"), key=lambda path: path.stat().st_size)
        data, middle = journal.read_bytes(), moments.randrange(journal.stat().st_size)
        with journal.open("r+b") as file:
            file.seek(middle + hole)
            file.write(between + data[middle:])
        heard(quiet.words(store, 0), {0}, "the journal of mine/")
        count["bits differ"] += not quiet.same(store)
        shutil.rmtree(store)
    shutil.copytree(quiet.folder / "quiet", store)
    os.truncate(store / "mine" / "maximum-1" / "zarr.json", 2**40)
    heard(report, {2}, "mine/maximum-1 in the store")
    shutil.rmtree(store)
    shutil.rmtree(pages)
    yield "a file with a hole of a terabyte, a journal full of what begins a block", count
    count = Count()
    shutil.copytree(quiet.folder / "quiet", store)
    subprocess.run(report, capture_output=True, check=True)
    whole = {path: path.read_bytes() for path in pages.rglob("*") if path.is_file()}
    names = ".drawn.json", ".written.json", "mine/*.svg"
    for name, spoil in itertools.product(names, (_flip, _cut)):
        spoil(path := moments.choice(sorted(pages.glob(name))), moments)
        heard(report, {2}, f"{path}: no report of this version wrote it, or it was changed since")
        path.unlink()
        heard(report, {0}, "")
        count["bits differ"] += whole != {path: path.read_bytes() for path in whole}
    shutil.rmtree(store)
    yield "a report over one of which a picture is damaged, or what it says of them", count


def hostile(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Arguments and files that mean harm: exit code 2 and one line, never a hang."""
    head = "import noisytheory as nt\n"
    tail = ('statement="x", bound=lambda n, delta: 1.0, simulate=lambda n, *, size, rng: '
            'rng.uniform(size=size), ')
    small = f"{tail} grid=dict(n=[1], delta=[.1]))\n"
    paper = 'c = nt.Paper("m", "x").tail('
    files = {
        "latin.py": 'x = "\xe9"\n', "nul.py": 'x = "\0"\n',
        "escape.py": 'raise ValueError("\\x1b[31mred")\n', "empty.py": "",
        "exit.py": "raise SystemExit(0)\n", "forever.py": f"{head}def f(): return f()\nf()\n",
        "grid.py": f'{head}{paper}"t", {tail} grid=dict(n=range(10**12), delta=[.1]))\n',
        "id-page.py": f'{head}{paper}"index.html", {small}',
        "id-long.py": f'{head}{paper}"{"x" * 5000}", {small}',
        "id-number.py": f'{head}c = nt.Paper(3, "x").tail("t", {small}',
        "statement.py": f'{head}{paper}"t", {small.replace(chr(34) + "x" + chr(34), "None")}',
        "essay.py": f'{head}{paper}"t", note="x" * 10**6, {small}',
        "reserved.py": f'{head}c = nt.Paper("kernel-mean", "x").tail("theorem-5", {small}',
        "paper.py": f'{head}c = nt.Paper("kernel-mean", "x").tail("mine", {small}',
        "case.py": f'{head}c = nt.Paper("UMA", "x").tail("mine", {small}',
        "ends.py": f"import os\nos._exit(0)\n{head}",
        "kills.py": f"import os\nos.kill(os.getpid(), 9)\n{head}",
        "faults.py": f"import ctypes\nctypes.string_at(0)\n{head}",
        "closes.py": f"import os\nos.closerange(0, 99)\n{head}",
        "title.py": f'{head}c = nt.Paper("m", "\\x1b]0;title\\x07").tail("t", {small}',
        "leaves.py": f"{head}raise GeneratorExit\n", "key.py": "raise KeyboardInterrupt\n",
        "bytes.py": f'{head}{paper}b"t", {small}', "folder.py": f'{head}{paper}"../t", {small}',
        **{
            f"{word}.py": f'{head}{paper}"t", {small}d = c.paper.tail("{other}", {small}'
            for word, other in {"html": "t.html", "case": "T"}.items()
        },
        "papers.py": f'{head}{paper}"t", {small}d = nt.Paper("M", "x").tail("u", {small}',
        "writes.py": f'{head}import os\nos.write(2, b"\\x1b[31m")\n{paper}"t", {small}'.replace(
            "rng.uniform(size=size)", 'os.write(1, b"\\x1b[31m") and 1 / 0'),
        "list.py": f'{head}{paper}"t", {small.replace(chr(34) + "x" + chr(34), "[1] * 10**6")}',
        "red.py": f'{head}{paper}"t", {small}'.replace(
            "rng.uniform(size=size)", 'print("\\x1b[31m") or 1 / 0'),
        "death.py": f'{head}import os\n{paper}"t", {small}'.replace(
            "rng.uniform(size=size)", "os._exit(0)"),
    }
    ends = "import ctypes\n" + f'{head}{paper}"t", {small}'.replace("1.0", "ctypes.string_at(0)")
    folder = quiet.folder / "hostile"
    folder.mkdir()
    (folder / "asked").mkdir()
    (folder / "asked" / "asked.py").write_text(ends)
    # The current folder comes first where modules are looked for: none may be called html.
    files = {f"its-{name}": text for name, text in files.items()}
    raw = "its-red.py", "its-writes.py"  # for a debugger
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("latin-1"))
    os.mkfifo(folder / "pipe.py")
    (folder / "device.py").symlink_to("/dev/zero")
    stores = ("fifo", "device", "deep", "array", "shape")
    for name in stores:
        (folder / name).mkdir()
    os.mkfifo(folder / "fifo" / "zarr.json")
    (folder / "device" / "zarr.json").symlink_to("/dev/zero")
    (folder / "deep" / "zarr.json").write_text('{"attributes":' * 20_000)
    (folder / "array" / "zarr.json").write_text('{"attributes": [1, 2]}')
    whole = (quiet.folder / "quiet" / "zarr.json").read_text()
    absurd = whole.replace('"shape":[6', '"shape":[6' + "0" * 30)
    (folder / "shape" / "zarr.json").write_text(absurd)
    one = ["audit", "kernel-mean/lemma-10", "--budget", "smoke"]
    asked: list[list[object]] = [
        ["bound", "kernel-mean/theorem-5", "n=1e9999999", "delta=.1"],
        ["bound", "kernel-mean/theorem-5", f"n={'9' * 5000}", "delta=.1"],
        ["bound", "kernel-mean/theorem-5", "n=10", "delta=1e-9999999"],
        ["claims", "-k", "(" * 20_000], ["claims", "-k", " or ".join(["a"] * 5000)],
        ["claims", "-k", "not " * 5000 + "a"],
        ["show", "a/" + "b" * 100_000], ["show", "a/\x1b[31mb"], ["audit", "a" * 5000 + ".py"],
        [*one, "--store", "/tmp/" + "a" * 300], [*one, "--report", "/tmp/" + "a" * 300],
        [*one, "--scheduler", "foo://bar"], [*one, "--store", "foo://bar"],
        ["audit", "/dev/zero"],
        *(["audit", folder / name, "--workers", workers]
          for name in sorted(files) for workers in (0, 1) if workers or name not in raw),
        *(["audit", folder / name] for name in ("pipe.py", "device.py")),
        *([how, folder / "pipe.py"] for how in ("bound", "claims", "replay", "show")),
        *([how, folder / "its-key.py"] for how in ("bound", "claims", "replay", "show")),
        ["compare", folder / "pipe.py", "n=1"], ["compare", folder / "its-key.py", "n=1"],
        ["bound", "asked/asked.py", "n=1", "delta=.1"],
        ["compare", "asked/asked.py", "n=1:9", "delta=.1"],
        ["replay", "asked/asked.py", "--address", "n=1;0;0"], ["audit", "asked/asked.py"],
        *(["report", folder / name] for name in stores),
        *([*one, "--store", folder / name] for name in stores),
    ]
    count = Count()
    for given in asked:
        count["tries"] += 1
        try:
            done = subprocess.run(
                quiet.command(*given), capture_output=True, text=True, timeout=60, check=False,
                cwd=folder, errors="replace",
            )
        except subprocess.TimeoutExpired:
            count["hang"] += 1
            print("hang:", str(given)[:100], file=sys.stderr)
            continue
        wrong = done.returncode != 2 or not done.stderr
        count["silent"] += not done.stderr
        count["other exit code"] += done.returncode != 2
        count["traceback"] += "Traceback" in done.stderr
        count["escape sent"] += "\x1b" in done.stdout + done.stderr
        if wrong:
            print(done.returncode, str(given)[-100:], done.stderr[-300:], file=sys.stderr)
    for where in ("> /dev/full", "> /dev/full 2>&1", ">&-", ">&- 2>&-"):
        words = " ".join(quiet.command("claims"))
        full = subprocess.run(
            f"{words} {where}", shell=True, capture_output=True, text=True, check=False
        )
        count["tries"] += 1
        count["other exit code"] += full.returncode != 2
        count["traceback"] += "Traceback" in full.stderr
    yield "hostile words and files", count
