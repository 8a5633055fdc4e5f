"""Disturb audits in every way at hand, and see that nothing is lost and nothing is silent.

    python validation/endurance.py [--audits 120] [--seed 1] [--only PART ...] [--record]
                                   [--jobs N] [--minutes M]

Everything goes through the command line. Signals come at log-uniform instants, from the one on at
which Python has read our first line, to the parent, a worker or the whole group, and at any instant
before: there Python ends in its own way, and only the store counts; limits make the
n-th system call fail; stores are damaged byte by byte; files, ids and arguments are hostile. What
is counted besides the tries is meant to be zero. With ``--record`` the pieces that ran are kept in
validation/endurance.json, of one commit only, and the page reports/endurance.md is written of all
that is kept there; the same command goes on with those that are left.
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
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import damaged
import distant
import foreign
import misbehaving
import surroundings
import usage

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

    def __init__(self, folder: Path, first: int = 0) -> None:
        self.folder, self.first = folder, first  # of all audits, which one this piece begins with
        (folder / "victims.py").write_text(VICTIMS)
        self.claims = load_file(folder / "victims.py")
        # Before that Python itself starts, and ends as it does, whoever it runs.
        self.begins = max(_seconds([sys.executable, "-c", "import noisytheory"]) for _ in range(3))
        self.seconds = _seconds(audit_words(folder, folder / "quiet", 1))
        self.bits = self.read(folder / "quiet")
        self.half = folder / "half"

    def half_done(self) -> Path:
        """A store whose audit was killed half-way, with its journals."""
        journals = self.half / ".journal"
        while not list(journals.glob("*.blocks")):
            shutil.rmtree(self.half, ignore_errors=True)
            with subprocess.Popen(self.words(self.half, 1), stderr=subprocess.DEVNULL) as audit:
                while audit.poll() is None and not any(
                    path.stat().st_size > 10**5 for path in journals.glob("*.blocks")
                ):
                    time.sleep(0.002)
                audit.kill()
        return self.half

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
    names = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP]
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
            audit_words(quiet.folder, store, 0), capture_output=True, timeout=PATIENCE
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
    count, store = Count(), quiet.folder / "starting"
    shutil.copytree(quiet.half_done(), store)
    before = quiet.blocks(store)
    for _ in range(audits):
        with subprocess.Popen(
            audit_words(quiet.folder, store, 1), stderr=subprocess.PIPE, start_new_session=True
        ) as audit:
            time.sleep(moments.uniform(0, 4 * quiet.begins))
            audit.send_signal(moments.choice([signal.SIGTERM, signal.SIGINT]))
            _, said = audit.communicate(timeout=PATIENCE)
        count["tries"] += 1
        # Python says "site" or a file of its own, or nothing.
        of_python = audit.returncode in (1, -signal.SIGTERM, -signal.SIGINT)
        count["other exit code"] += not of_python and audit.returncode not in {0, 130}
        count["traceback"] += b"noisytheory/" in said.partition(b"Traceback")[2]
        count["silent"] += audit.returncode == 130 and said.count(b"interrupted") != 1
    try:
        count["blocks lost"] += len(before - quiet.blocks(store))
    except StoreError:
        count["unreadable"] += 1
    shutil.rmtree(store)
    yield "SIGTERM or SIGINT from a process's first instant on, where Python may end it", count


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
            subprocess.run(audit_words(quiet.folder, store, 0), capture_output=True, check=False)
            count["bits differ"] += not quiet.same(store)
            shutil.rmtree(store, ignore_errors=True)
        yield f"{name} limited", count


MODULES = (damaged, distant, foreign, misbehaving, surroundings, usage)
PARTS = {
    "signals": signals, "limits": limits,
    **{
        name: getattr(next(m for m in MODULES if hasattr(m, name)), name)
        for name in ("damage", "hostile", "calls", "compiling", "threads", "others", "power",
                     "draws", "memory", "cluster", "speed", "s3", "words", "times")
    },
}
SHARED = ("signals", "limits", "damage", "calls", "power", "cluster", "s3")
"""Parts that take as long as they have audits: done in pieces."""

ALONE = ("threads", "speed", "times")
"""Parts that say how long something takes: nothing else is done meanwhile."""

OF_A_PIECE = 24
KEPT = Path(__file__).with_suffix(".json")


def pieces_of(names: list[str], audits: int) -> list[str]:
    """What is done in one go: a part, or one of several shares of it; those alone come last."""
    count = max(1, audits // OF_A_PIECE)
    found = [
        f"{name} {i + 1}/{count}" if name in SHARED and count > 1 else name
        for name in names for i in range(count if name in SHARED else 1)
    ]
    return sorted(found, key=lambda piece: piece in ALONE)


def done(piece: str, audits: int, seed: int) -> dict[str, Any]:
    """Do a piece; what it found, and how long it took."""
    name, _, share = piece.partition(" ")
    which, count = map(int, share.split("/")) if share else (1, 1)
    warnings.simplefilter("ignore", Damaged)
    warnings.simplefilter("ignore", Remark)
    start, own = time.perf_counter(), audits // count
    with tempfile.TemporaryDirectory() as folder:
        quiet = Quiet(Path(folder), first=(which - 1) * own)
        rows = list(PARTS[name](quiet, own, random.Random(f"{seed} {piece}")))
    return {"rows": rows, "minutes": round((time.perf_counter() - start) / 60, 2)}


def done_apart(piece: str, audits: int, seed: int) -> dict[str, Any]:
    """Have another process do a piece."""
    words = [sys.executable, __file__, "--piece", piece, "--audits", audits, "--seed", seed]
    ran = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def all_done(
    pieces: list[str], jobs: int, until: float, do: Callable[[str], dict[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Do pieces, so many at a time; none is begun that would not end in time, as far as is known.
    """
    longest = OF_A_PIECE * 8.0
    waiting, running = list(pieces), dict[Future[Any], str]()
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            while waiting and len(running) < jobs and time.monotonic() + longest < until:
                if running and {waiting[0], *running.values()} & set(ALONE):
                    break
                piece = waiting.pop(0)
                running[pool.submit(do, piece)] = piece
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                piece = running.pop(future)
                if (error := future.exception()) is not None:
                    print(f"{piece}: {error}", file=sys.stderr)  # It is left for the next time.
                    continue
                found = future.result()
                longest = max(longest, 60 * found["minutes"])
                yield piece, found


def table(rows: Mapping[str, Count]) -> list[str]:
    """Rows as Markdown: tries, then everything that is meant to be zero."""
    heads = ["tries", "blocks lost", "bits differ", "unreadable", "silent", "other exit code",
             "traceback", "hang", "escape sent", "over 300 MB", "slower", "under 3.4 x",
             "over 20 s", "other time printed"]
    lines = [f"| disturbance | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(str(c[h]) for h in heads)} |" for name, c in rows.items()]
    return lines


def rows_of(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Count]:
    """Rows of all pieces, in the order of the parts; those of the shares of a part added up."""
    rows: dict[str, Count] = {}
    for piece in sorted(found, key=lambda piece: list(PARTS).index(piece.partition(" ")[0])):
        for name, count in found[piece]["rows"]:
            rows.setdefault(name, Counter()).update(count)
    return rows


def main() -> int:
    """Do what is not done yet, write the page; 1 if anything meant to be zero is not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audits", type=int, default=120,
                        help="disturbed audits, of which each part takes its share (%(default)s)")
    parser.add_argument("--seed", type=int, default=1,
                        help="of instants, signals and bytes (%(default)s)")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS),
                        metavar="PART", help=f"of {', '.join(PARTS)}; without it all of them")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="pieces at a time (%(default)s)")
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="begin nothing that would take longer; the same command goes on")
    parser.add_argument("--record", action="store_true",
                        help="keep what was found, and write reports/endurance.md")
    parser.add_argument("--piece", help=argparse.SUPPRESS)
    options = parser.parse_args()
    audits, seed = options.audits, options.seed
    if options.piece:
        print(json.dumps(done(options.piece, audits, seed)))
        return 0
    about = {"commit": commit(), "code": versions()["code"], "audits": audits, "seed": seed}
    found = kept_of(about) if options.record else {}
    wanted = pieces_of(options.only, audits)
    until = time.monotonic() + 60 * options.minutes
    for piece, what in all_done(
        [piece for piece in wanted if piece not in found], options.jobs, until,
        lambda piece: done_apart(piece, audits, seed),
    ):
        found[piece] = what
        print(f"{piece}: {what['minutes']} minutes", flush=True)
        if options.record:
            record(about, found)
    print("\n".join(table(rows_of(found))))
    if missing := [piece for piece in wanted if piece not in found]:
        print(f"Not done yet, the same command goes on: {', '.join(missing)}")
    meant = [n for count in rows_of(found).values() for name, n in count.items() if name != "tries"]
    return int(any(meant) or bool(missing))


def commit() -> str:
    """The commit that is checked out, and whether code or harness differ from it."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "noisytheory", "validation/*.py"],
        capture_output=True, text=True, check=True,
    )
    return head.stdout[:12] + " with changes" * bool(changed.stdout.strip())


def kept_of(about: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is kept of this run; what another commit, or other numbers, gave is never mixed with it.
    """
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if kept.get("about") == about:
        return dict(kept["pieces"])
    if kept:
        print(f"begun anew: what was kept is of {kept.get('about', 'several commits')}, this is "
              f"{about}", file=sys.stderr)
    return {}


def record(about: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep what was found, and write the page of it."""
    KEPT.write_text(json.dumps({"about": about, "pieces": found}, indent=1) + "\n")
    missing = [p for p in pieces_of(list(PARTS), about["audits"]) if p not in found]
    minutes = sum(piece["minutes"] for piece in found.values())
    text = [
        "# Audits disturbed", "",
        "Written by `python validation/endurance.py --record`. A try is a command that was "
        "disturbed once; everything in the other columns is meant to be zero. Every audit that was "
        "cut off was resumed, and its store compared bit by bit with one that nobody disturbed. "
        "Memory is that of the largest process; times are of a machine that had other work, too.",
        "", *table(rows_of(found)), "",
        f"All of it on commit {about['commit']} (code {about['code']}), {about['audits']} audits, "
        f"seed {about['seed']}; {minutes:.0f} minutes in all, several at a time.",
        *([f"Not run yet: {', '.join(missing)}."] if missing else []),
    ]
    (ROOT / "reports" / "endurance.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    sys.exit(main())
