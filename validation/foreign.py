"""Data of other runs and of other people, in a store and where a report is written.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from damaged import absurd
from surroundings import PATIENCE, Count, ends_the_same, run, told

import noisytheory
from noisytheory.trial.store import Store


def others(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Data of other runs and other people inside a store; two audits at once; durable ones."""
    count = Count()
    seven = quiet.folder / "seven"
    done = run([*quiet.words(seven, 1), "--seed", 7])
    assert done.returncode == 0, done.stderr
    for paper in sorted(path for path in seven.iterdir() if path.is_dir()):
        for group in sorted(path for path in paper.iterdir() if path.is_dir()):
            store = quiet.folder / "foreign"
            shutil.copytree(quiet.folder / "quiet", store)
            shutil.rmtree(store / group.relative_to(seven))
            shutil.copytree(group, store / group.relative_to(seven))
            pages = run(quiet.command("report", store, "--output", quiet.folder / "pages"))
            count["silent"] += pages.returncode == 0
            again = run(quiet.words(store, 1))
            told(count, again, {2})
            count["silent"] += "from another run (seed 7" not in again.stderr
            shutil.rmtree(store)
    yield "a group of another seed", count
    count = Count()
    with subprocess.Popen([*quiet.words(quiet.folder / "7", 1), "--seed", "7"]) as it:
        journals = quiet.folder / "7" / ".journal"
        while it.poll() is None and not list(journals.glob("*.blocks")):
            time.sleep(0.01)
        time.sleep(0.2)
        it.kill()
    for journal in journals.glob("*.blocks"):
        store = quiet.folder / "foreign"
        shutil.copytree(quiet.folder / "quiet", store)
        shutil.copy(journal, store / ".journal" / journal.name)
        again = run(quiet.words(store, 1))
        told(count, again, {2})
        count["silent"] += "from another run (seed 7" not in again.stderr
        # It costs its claim, and no other.
        count["silent"] += "2 claims" not in again.stdout
        shutil.rmtree(store)
    yield "a journal of another seed", count
    yield "a group of another level, budget, code or version", _other_groups(quiet)
    count, store = Count(), quiet.folder / "strays"
    shutil.copytree(quiet.folder / "quiet", store)
    (array, *_) = sorted(store.glob("*/*/*/zarr.json"))
    own = [store, store / ".journal", *array.parents[2::-1]]
    strays = [folder / "theirs" for folder in own]
    for stray in strays:
        stray.symlink_to("/etc/passwd")
    # What only ends like ours.
    theirs = [store / ".journal" / name / "theirs" for name in ("thesis.old", "backup.staged")]
    theirs += [store / ".journal" / name for name in ("notes.partial", "run.json.old")]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"of others")
    for words in (
        quiet.command("report", store, "--output", quiet.folder / "pages"), quiet.words(store, 1)
    ):
        done = run(words)
        told(count, done, {0, 2} if "audit" in words else {0})
        # One in the place of what only this package writes locks the store, by name.
        named = [str(stray.relative_to(store)) in done.stderr for stray in strays]
        count["silent"] += not (all(named) or (done.returncode == 2 and any(named)))
        count["silent"] += not all(stray.is_symlink() for stray in strays)
        count["silent"] += not all(path.is_file() for path in theirs)
    shutil.rmtree(store)
    for name in ("photos~2024.old", "photos~2024.staged", "mine~2024.staged"):
        shutil.copytree(quiet.folder / "quiet", store)
        (store / ".journal" / name).mkdir()
        (theirs := store / ".journal" / name / "theirs").write_bytes(b"of others")
        for words in (
            quiet.command("report", store, "--output", quiet.folder / "pages"),
            quiet.words(store, 1),
        ):
            done = run(words)
            told(count, done, {0})
            count["silent"] += name not in done.stderr or theirs.read_bytes() != b"of others"
        shutil.rmtree(store)
    yield "what is not ours in a store", count
    yield from absurd(quiet, moments)
    yield "a link, a pipe or a file in the place of what a claim is made of", _links_within(quiet)
    yield "a link, a folder or a pipe where a report is written", _in_the_way(quiet)
    yield "a report of claims that other code tried", _tried_by_other_code(quiet)
    count = Count()
    for name in ("mine~maximum-0.blocks", "run.json", "write.partial", "lock"):
        store, theirs = quiet.folder / "linked", quiet.folder / "theirs"
        theirs.write_bytes(b"of others")
        (store / ".journal").mkdir(parents=True)
        (store / ".journal" / name).symlink_to(theirs)
        told(count, run(quiet.words(store, 1)), {0, 2})
        count["silent"] += theirs.read_bytes() != b"of others"
        shutil.rmtree(store)
    yield "a link to data of others in a store", count
    count, store = Count(), quiet.folder / "twice"
    with subprocess.Popen(quiet.words(store, 1), stderr=subprocess.DEVNULL) as first:
        while first.poll() is None and not (store / ".journal" / "lock").exists():
            time.sleep(0.01)
        told(count, run(quiet.words(store, 1)), {2} if first.poll() is None else {0, 2})
        count["other exit code"] += first.wait(PATIENCE) != 0
    ends_the_same(count, quiet, store)
    yield "two audits at once into one store", count
    count, store = Count(), quiet.folder / "durable"
    with subprocess.Popen([*quiet.words(store, 2), "--durable"], stderr=subprocess.DEVNULL) as it:
        time.sleep(quiet.begins + moments.uniform(0, quiet.seconds - quiet.begins))
        it.kill()
    told(count, run([*quiet.words(store, 1), "--durable"]), {0})
    ends_the_same(count, quiet, store)
    yield "a durable audit, killed", count


def _links_within(quiet: Any) -> Count:
    """Each leads to the same of a store that nobody touched, or to data of others."""
    count, theirs = Count(), quiet.folder / "theirs-within"
    theirs.mkdir()
    (theirs / "zarr.json").write_bytes(b"of others")
    within = ("mine", "mine/maximum-0", "mine/maximum-0/lhs", "mine/maximum-0/lhs/zarr.json",
              "mine/maximum-0/lhs/c", "mine/maximum-0/zarr.json", "mine/zarr.json", "zarr.json",
              ".journal", ".journal/claims.json")
    for name, same in itertools.product(within, (True, False)):
        store, kept = quiet.folder / "linked", quiet.folder / "linked-to"
        for copy in (store, kept):
            shutil.copytree(quiet.folder / "quiet", copy)
        (there,) = store.glob(f"{name}*" if name.endswith("/c") else name)
        to = kept / there.relative_to(store) if same else (
            theirs if there.is_dir() else theirs / "zarr.json")
        before = {path: path.read_bytes() for path in (*kept.rglob("*"), *theirs.rglob("*"))
                  if path.is_file()}
        shutil.rmtree(there) if there.is_dir() else there.unlink()
        there.symlink_to(to)
        for words in (quiet.command("report", store, "--output", quiet.folder / "pages"),
                      quiet.words(store, 0)):
            done = run(words)
            told(count, done, {0, 2})
            count["silent"] += done.returncode == 2 and not done.stderr
            if "audit" in words and done.returncode == 0:
                count["bits differ"] += not quiet.same(store)
        after = {path: path.read_bytes() for path in (*kept.rglob("*"), *theirs.rglob("*"))
                 if path.is_file()}
        count["silent"] += after != before
        for copy in (store, kept):
            shutil.rmtree(copy)
    for name, make in itertools.product(
        ("mine/maximum-0", ".journal/mine~maximum-0.old", ".journal/mine~maximum-0.staged",
         ".journal/lock"),
        (os.mkfifo, Path.touch),
    ):
        shutil.copytree(quiet.folder / "quiet", store)
        shutil.rmtree(store / "mine" / "maximum-0")
        (store / name).unlink(missing_ok=True)
        make(store / name)
        for words in (quiet.command("report", store, "--output", quiet.folder / "pages"),
                      *[quiet.words(store, 0)] * 2):
            done = run(words)
            told(count, done, {0, 2})
            count["silent"] += done.returncode == 2 and not done.stderr
            if "audit" in words and done.returncode == 0:
                count["bits differ"] += not quiet.same(store)
        count["silent"] += not (store / name).exists()
        shutil.rmtree(store)
    return count


def _in_the_way(quiet: Any) -> Count:
    """Nothing is written through a link below the folder that was named; what is there is named."""
    count, theirs = Count(), quiet.folder / "theirs-too"
    theirs.mkdir()
    for name, what in itertools.product(
        ("", "mine", "index.html", "README.md", "mine/maximum-0.html", ".drawn.json",
         ".written.json"),
        ("link", "folder", "pipe", "device", "file"),
    ):
        folder = quiet.folder / "in-the-way"
        there = folder / name
        there.parent.mkdir(exist_ok=True, parents=True)
        if what == "folder":
            (there / "inside").mkdir(parents=True)
        elif what == "pipe":
            os.mkfifo(there)
        elif what == "file":
            there.write_bytes(b"of others")
        else:
            there.symlink_to(theirs if what == "link" else "/dev/zero")
        taken = name in ("", "mine")  # as a folder
        may = taken and (what == "folder" or (what == "link" and not name))
        for words in ([*quiet.words(quiet.folder / "quiet", 0), "--report", str(folder)],
                      quiet.command("report", quiet.folder / "quiet", "--output", folder)):
            done = run(words)
            told(count, done, {0} if may else {2})
            count["silent"] += done.returncode == 2 and str(there) not in done.stderr
            count["silent"] += bool(name) and any(theirs.iterdir())
            count["silent"] += what == "file" and there.read_bytes() != b"of others"
            count["silent"] += what in ("link", "device") and not there.is_symlink()
        shutil.rmtree(theirs)
        theirs.mkdir()
        folder.unlink() if folder.is_symlink() or not folder.is_dir() else shutil.rmtree(folder)
    return count


def _tried_by_other_code(quiet: Any) -> Count:
    """A claim of the box that is not the installed one gets none of the paper's notes, and says so.
    """
    count, name = Count(), "kernel-mean/theorem-18/printed"
    other, store, pages = (quiet.folder / f"noted-{what}" for what in ("code", "store", "pages"))
    shutil.copytree(Path(noisytheory.__file__).parent, other / "noisytheory")
    module = sys.modules[noisytheory.claims[name].simulate.__module__]
    source = other / Path(module.__file__).relative_to(Path(noisytheory.__file__).parents[1])
    source.write_text(source.read_text().replace("\n    return ", "\n    str()\n    return "))
    done = run(
        quiet.command("audit", name, "--budget", "smoke", "--store", store, "-q"),
        env={**os.environ, "PYTHONPATH": str(other)}, cwd=other,
    )
    told(count, done, {0})
    done = run(quiet.command("report", store, "--output", pages))
    told(count, done, {0})
    count["silent"] += "other code or versions than are installed" not in done.stderr
    count["silent"] += (pages / "discrepancies.html").exists()
    done = run(quiet.command("replay", name, "--store", store, "--address", "0;0;0"))
    count["tries"] += 1
    count["silent"] += done.returncode != 2
    return count


def _other_groups(quiet: Any) -> Count:
    """Groups of audits that differ in one thing, put in the place of ours, one by one."""
    count, code = Count(), quiet.folder / "code"
    code.mkdir()
    text = (quiet.folder / "victims.py").read_text()
    (code / "victims.py").write_text(text.replace("max(axis=1)", "max(axis=1) * 0.75"))
    for name, file, more in (
        ("level", quiet.folder, ["--alpha", 0.05]), ("budget", quiet.folder, ["--budget", "smoke"]),
        ("code", code, []), ("version", quiet.folder, []), ("code that is not listed", code, []),
    ):
        other, group = quiet.folder / f"of-{name.replace(' ', '-')}", "mine/maximum-0"
        words = [word.replace(str(quiet.folder), str(file)) for word in quiet.words("STORE", 0)]
        done = run([*(str(other) if word == "STORE" else word for word in words), *more])
        assert done.returncode in (0, 1), done.stderr
        if name == "version":
            about = other / group / "zarr.json"
            about.write_text(about.read_text().replace('"version":"', '"version":"0.'))
        store = quiet.folder / "foreign"
        shutil.copytree(quiet.folder / "quiet", store)
        shutil.rmtree(store / group)
        if "not listed" in name:  # As death leaves it, before the list is written.
            Store.open(store, {"seed": 2026, "version": noisytheory.__version__}).close()
        shutil.copytree(other / group, store / group)
        pages = run(quiet.command("report", store, "--output", quiet.folder / "pages"))
        told(count, pages, {2})
        count["silent"] += group not in pages.stderr or "damaged" not in pages.stderr
        again = run(quiet.words(store, 0))
        told(count, again, {0, 2})
        count["silent"] += group not in again.stderr
        count["bits differ"] += again.returncode == 0 and not quiet.same(store)
        shutil.rmtree(store)
    return count
