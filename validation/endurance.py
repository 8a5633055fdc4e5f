"""Disturb audits in every way at hand, and see that nothing is lost and nothing is silent.

    python validation/endurance.py [--audits 120] [--seed 1] [--only PART ...] [--record]

Everything goes through the command line. Signals come at log-uniform instants, from the one on at
which Python has read our first line, to the parent, a worker or the whole group; limits make the
n-th system call fail; stores are damaged byte by byte; files, ids and arguments are hostile. What
is counted besides the tries is meant to be zero. With ``--record`` the parts that ran are kept in
validation/endurance.json, and the page reports/endurance.md is written of all that is kept there.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import surroundings

import noisytheory as nt
from noisytheory.trial.catalogue import load_file
from noisytheory.trial.store import Damaged, Remark, Store, StoreError
from noisytheory.trial.worker import versions

ROOT = Path(__file__).parents[1]

VICTIMS = '''
import numpy as np
import noisytheory as nt

def draw(n, *, size, rng):
    return rng.uniform(size=(size, n)).max(axis=1)

mine = nt.Paper("mine", "At its level in every cell, so never decided: every block is drawn")
claims = [
    mine.tail(f"maximum-{i}", statement="max <= 1 - delta/n", simulate=draw, rows=2048,
              bound=lambda n, delta: (1 - delta) ** (1 / n), expect="undecided",
              grid=dict(n=[1, 2, 4, 8, 16, 32], delta=[0.1, 0.01]))
    for i in range(3)
]
'''
PATIENCE = 120.0
QUIET = {0, 1, 2, 130}
Count = Counter[str]


def command(*words: object) -> list[str]:
    """A command of noisytheory in a process of its own."""
    return [sys.executable, "-m", "noisytheory", *map(str, words)]


def audit_words(folder: Path, store: Path | str, workers: int) -> list[str]:
    """The audit that is disturbed."""
    return command("audit", folder / "victims.py", "--store", store, "--workers", workers, "-q")


def _seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


class Quiet:
    """The audit that nobody disturbed: how long it takes, and every bit that it stores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "victims.py").write_text(VICTIMS)
        self.claims = load_file(folder / "victims.py")
        # Before that Python itself starts, and ends as it does, whoever it runs.
        self.begins = max(_seconds([sys.executable, "-c", "import noisytheory"]) for _ in range(3))
        self.seconds = _seconds(audit_words(folder, folder / "quiet", 1))
        self.bits = self.read(folder / "quiet")

    command = staticmethod(command)

    def words(self, store: Path | str, workers: int) -> list[str]:
        """The audit that is disturbed."""
        return audit_words(self.folder, store, workers)

    def read(self, store: Path | str) -> dict[str, Any]:
        """All datasets of a store."""
        with Store.load(store) as opened:
            return {name: opened.read(name).load() for name in opened.ids()}

    def same(self, store: Path | str) -> bool:
        """Whether a store ended with the same bits."""
        found = self.read(store)
        return found.keys() == self.bits.keys() and all(
            found[name].identical(self.bits[name]) for name in found
        )

    def blocks(self, store: Path) -> set[tuple[str, int, int]]:
        """Finished blocks of a store."""
        if not (store / "zarr.json").exists():
            return set()
        found = set()
        with Store.open(store, {"seed": 2026, "version": nt.__version__}) as opened:
            for claim in self.claims:
                known = opened.claim(
                    claim.id, claim.fingerprint(), {"lhs": "float64"}, claim.size, claim.rows
                )
                found |= {
                    (claim.id, cell, block)
                    for cell in range(claim.size) for block in range(16) if (cell, block) in known
                }
        return found


def workers_of(parent: int) -> list[int]:
    """Processes that an audit has started."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
        return [int(word) for word in text.split()]
    return []


def has_begun(process: int) -> bool:
    """Whether our first line has been read: before that Python starts, and ends as it does."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{process}/status").read_text().partition("SigCgt:")[2]
        return bool(int(text.split()[0], 16) >> (signal.SIGTERM - 1) & 1)
    return True


def disturbed(words: list[str], number: int, target: str, moment: float) -> tuple[int, str]:
    """Run a command, send it a signal at a moment, wait; returns exit code and standard error."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
        )
        time.sleep(moment)
        while process.poll() is None and not has_begun(process.pid):
            time.sleep(0.001)
        with contextlib.suppress(ProcessLookupError):
            if target == "group":
                os.killpg(process.pid, number)
            elif target == "parent":
                process.send_signal(number)
            elif children := workers_of(process.pid):
                os.kill(children[-1], number)
        if number == signal.SIGSTOP:
            time.sleep(0.1)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = 124
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        said.seek(0)
        return code, said.read().decode(errors="replace")


def allowed(number: int, target: str) -> set[int]:
    """Exit codes that a signal may end in; 0 wherever it came too late."""
    if target == "worker" or number == signal.SIGSTOP:
        return {0}
    return {0, -signal.SIGKILL} if number == signal.SIGKILL else {0, 130}


TARGETS = ("parent", "group")


def signals(quiet: Quiet, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Signals at log-uniform instants, each audit resumed until it ends."""
    names = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGSTOP]
    kinds = [(n, t) for n in names for t in ("parent", "worker", "group")]
    counts = {kind: Count() for kind in kinds}
    for turn in range(audits):
        workers, store = moments.choice([1, 2, 4]), quiet.folder / f"signals-{turn}"
        before: set[Any] = set()
        for _ in range(3):
            number, target = kind = moments.choice(kinds)
            count = counts[kind]
            ends = math.log(quiet.begins), math.log(1.5 * quiet.seconds)
            moment = math.exp(moments.uniform(*ends))
            code, said = disturbed(
                audit_words(quiet.folder, store, workers), number, target, moment
            )
            count["tries"] += 1
            count["other exit code"] += code not in allowed(number, target)
            if code not in allowed(number, target):
                print(number.name, target, moment, code, said[-300:], file=sys.stderr)
            count["traceback"] += "Traceback" in said
            try:
                after = quiet.blocks(store)
            except StoreError:
                count["unreadable"] += 1
                break
            count["blocks lost"] += len(before - after)
            before = after
        done = subprocess.run(
            audit_words(quiet.folder, store, workers), capture_output=True, timeout=PATIENCE
        )
        count["bits differ"] += done.returncode != 0 or not quiet.same(store)
        shutil.rmtree(store, ignore_errors=True)
    for (number, target), count in counts.items():
        yield f"{number.name} to the {target}", count
    count = Count()
    asked = command("bound", f"{quiet.folder / 'victims.py'}::mine/maximum-0", "n=1", "delta=.1")
    least = _seconds(asked)
    for _ in range(audits):
        number, target = moments.choice([signal.SIGTERM, signal.SIGINT]), moments.choice(TARGETS)
        moment = moments.uniform(quiet.begins, 1.2 * least)
        code, said = disturbed(asked, number, target, moment)
        count["tries"] += 1
        count["other exit code"] += code not in {0, 130}
        count["traceback"] += "Traceback" in said
        count["silent"] += code == 130 and said.count("interrupted") != 1
    yield "SIGTERM or SIGINT to a bound of somebody's file", count


LIMITS = {
    "file size": (resource.RLIMIT_FSIZE, 1_000, 3_000_000),
    "open files": (resource.RLIMIT_NOFILE, 8, 64),
    "address space": (resource.RLIMIT_AS, 200_000_000, 4_000_000_000),
}


def limits(quiet: Quiet, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Resources that run out somewhere on the way; then the same audit with all it needs."""
    for name, (which, low, high) in LIMITS.items():
        count = Count()
        for turn in range(audits // 8):
            store = quiet.folder / f"limits-{turn}"
            most = int(math.exp(moments.uniform(math.log(low), math.log(high))))

            def limit(which: int = which, most: int = most) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(which, (most, most))

            count["tries"] += 1
            try:
                done = subprocess.run(
                    audit_words(quiet.folder, store, 1), capture_output=True, text=True,
                    timeout=PATIENCE, preexec_fn=limit, check=False,
                )
            except subprocess.TimeoutExpired:
                count["hang"] += 1
                print("hang:", name, most, file=sys.stderr)
                continue
            # Where Python itself cannot start, its own words and code stand.
            started = "noisytheory" in done.stderr or done.returncode == 0
            if started and done.returncode not in QUIET:
                count["other exit code"] += 1
                print(name, most, done.returncode, done.stderr[-300:], file=sys.stderr)
            count["traceback"] += started and "Traceback" in done.stderr
            subprocess.run(audit_words(quiet.folder, store, 1), capture_output=True, check=False)
            count["bits differ"] += not quiet.same(store)
            shutil.rmtree(store, ignore_errors=True)
        yield f"{name} limited", count


def _flip(path: Path, moments: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[moments.randrange(len(data))] ^= 1 << moments.randrange(8)
    path.write_bytes(data)


def _swap(path: Path, moments: random.Random) -> None:
    """Change places with another file of this name, as another claim has it."""
    store = next(folder for folder in path.parents if (folder / ".journal").is_dir())
    other = moments.choice([p for p in sorted(store.rglob(path.name)) if p.is_file()])
    own = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(own)


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


def damage(quiet: Quiet, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """A finished store with one file damaged: reported with its damage, and mended by an audit."""
    for name, spoil in DAMAGES.items():
        count, store = Count(), quiet.folder / "damaged"
        for _ in range(audits // 8):
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(quiet.folder / "quiet", store)
            files = sorted(p for p in store.rglob("*") if p.is_file() and p.name != "lock")
            path = moments.choice(files)
            before = path.read_bytes()
            spoil(path, moments)
            changed = not path.is_file() or path.read_bytes() != before
            pages = subprocess.run(
                command("report", store, "--output", quiet.folder / "pages"),
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )
            count["tries"] += 1
            count["other exit code"] += pages.returncode not in {0, 2}
            count["traceback"] += "Traceback" in pages.stderr
            # Death between the list and its copy leaves none.
            named = changed and (path.name != "run.json" or path.exists())
            count["silent"] += named and not (pages.returncode == 2 and "damaged" in pages.stderr)
            again = subprocess.run(
                audit_words(quiet.folder, store, 1), capture_output=True, text=True,
                timeout=PATIENCE, check=False,
            )
            count["traceback"] += "Traceback" in again.stderr
            count["silent"] += named and str(store) not in again.stderr
            if count["silent"] or "Traceback" in again.stderr + pages.stderr:
                print(name, path, pages.stderr[-300:], again.stderr[-300:], file=sys.stderr)
            if again.returncode != 2:  # refused by name, as a pipe is
                count["bits differ"] += again.returncode != 0 or not quiet.same(store)
        yield f"store with {name}", count


def hostile(quiet: Quiet, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
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
        "ends.py": f"import os\nos._exit(0)\n{head}",
        "kills.py": f"import os\nos.kill(os.getpid(), 9)\n{head}",
        "faults.py": f"import ctypes\nctypes.string_at(0)\n{head}",
        "closes.py": f"import os\nos.closerange(0, 99)\n{head}",
        "title.py": f'{head}c = nt.Paper("m", "\\x1b]0;title\\x07").tail("t", {small}',
        "leaves.py": f"{head}raise GeneratorExit\n",
        "death.py": f'{head}import os\n{paper}"t", {small}'.replace(
            "rng.uniform(size=size)", "os._exit(0)"),
    }
    ends = "import ctypes\n" + f'{head}{paper}"t", {small}'.replace("1.0", "ctypes.string_at(0)")
    folder = quiet.folder / "hostile"
    folder.mkdir()
    (folder / "asked").mkdir()
    (folder / "asked" / "asked.py").write_text(ends)
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
    words: list[list[object]] = [
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
          for name in sorted(files) for workers in (0, 1)),
        ["audit", folder / "pipe.py"], ["audit", folder / "device.py"],
        ["bound", "asked/asked.py", "n=1", "delta=.1"],
        ["compare", "asked/asked.py", "n=1:9", "delta=.1"],
        ["replay", "asked/asked.py", "--address", "n=1;0;0"], ["audit", "asked/asked.py"],
        *(["report", folder / name] for name in stores),
        *([*one, "--store", folder / name] for name in stores),
    ]
    count = Count()
    for given in words:
        count["tries"] += 1
        try:
            done = subprocess.run(
                command(*given), capture_output=True, text=True, timeout=60, check=False,
                cwd=folder, errors="replace",
            )
        except subprocess.TimeoutExpired:
            count["hang"] += 1
            print("hang:", str(given)[:100], file=sys.stderr)
            continue
        wrong = done.returncode != 2 or len(done.stderr.splitlines()) != 1
        count["other exit code"] += done.returncode != 2
        count["traceback"] += "Traceback" in done.stderr
        count["escape sent"] += "\x1b" in done.stdout + done.stderr
        if wrong:
            print(done.returncode, str(given)[-100:], done.stderr[-300:], file=sys.stderr)
    for where in ("> /dev/full", "> /dev/full 2>&1", ">&-", ">&- 2>&-"):
        full = subprocess.run(
            f"{' '.join(command('claims'))} {where}", shell=True, capture_output=True, text=True,
            check=False,
        )
        count["tries"] += 1
        count["other exit code"] += full.returncode != 2
        count["traceback"] += "Traceback" in full.stderr
    yield "hostile words and files", count


PARTS = {
    "signals": signals, "limits": limits, "damage": damage, "hostile": hostile,
    **{
        name: getattr(surroundings, name)
        for name in ("calls", "threads", "others", "power", "draws", "memory", "cluster", "speed",
                     "s3", "words", "times")
    },
}
KEPT = Path(__file__).with_suffix(".json")


def table(rows: list[tuple[str, Count]]) -> list[str]:
    """Rows as Markdown: tries, then everything that is meant to be zero."""
    heads = ["tries", "blocks lost", "bits differ", "unreadable", "silent", "other exit code",
             "traceback", "hang", "escape sent", "over 300 MB", "slower", "under 3.4 x",
             "over 20 s"]
    lines = [f"| disturbance | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(str(c[h]) for h in heads)} |" for name, c in rows]
    return lines


def main() -> int:
    """Run the parts, write the page; 1 if anything meant to be zero is not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audits", type=int, default=120,
                        help="disturbed audits, of which each part takes its share (%(default)s)")
    parser.add_argument("--seed", type=int, default=1,
                        help="of instants, signals and bytes (%(default)s)")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS),
                        metavar="PART", help=f"of {', '.join(PARTS)}; without it all of them")
    parser.add_argument("--record", action="store_true",
                        help="keep what was found, and write reports/endurance.md")
    options = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    warnings.simplefilter("ignore", Damaged)
    warnings.simplefilter("ignore", Remark)
    with tempfile.TemporaryDirectory() as folder:
        quiet = Quiet(Path(folder))
        for name in options.only:
            start, rows = time.perf_counter(), []
            for row in PARTS[name](quiet, options.audits, random.Random(options.seed)):
                rows.append(row)
                print(row[0], dict(row[1]), flush=True)
            minutes = (time.perf_counter() - start) / 60
            found[name] = {
                "rows": rows, "audits": options.audits, "seed": options.seed,
                "minutes": round(minutes, 1), "code": versions()["code"],
            }
            print(f"{name}: {minutes:.1f} minutes", flush=True)
            if options.record:
                record(found)
    rows = [row for part in found.values() for row in part["rows"]]
    print("\n".join(table(rows)))
    return int(any(n for _, count in rows for name, n in count.items() if name != "tries"))


def record(found: dict[str, dict[str, Any]]) -> None:
    """Keep the parts that ran beside those kept before, and write the page of all of them."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept = {name: (kept | found)[name] for name in PARTS if name in kept | found}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    rows = [(name, Counter(count)) for part in kept.values() for name, count in part["rows"]]
    runs: dict[tuple[int, int, str], list[str]] = {}
    for name, part in kept.items():
        runs.setdefault((part["audits"], part["seed"], part["code"]), []).append(name)
    missing = [name for name in PARTS if name not in kept]
    text = [
        "# Audits disturbed", "",
        "Written by `python validation/endurance.py --record`. A try is a command that was "
        "disturbed once; everything in the other columns is meant to be zero. Every audit that was "
        "cut off was resumed, and its store compared bit by bit with one that nobody disturbed. "
        "Memory is that of the largest process; times are of a machine that had other work, too.",
        "", *table(rows), "",
        *(f"{audits} audits, seed {seed}, code {code}: {', '.join(names)}."
          for (audits, seed, code), names in runs.items()),
        *([f"Not run: {', '.join(missing)}."] if missing else []),
        f"{sum(part['minutes'] for part in kept.values()):.0f} minutes in all.",
    ]
    (ROOT / "reports" / "endurance.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    sys.exit(main())
