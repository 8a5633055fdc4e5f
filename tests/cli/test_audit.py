"""Trials from the command line, their reports and stores, interrupted and not."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import HOEFFDING, answer, invoke, mistake

import noisytheory
from noisytheory.cli import audit, select
from noisytheory.trial import engine, run
from noisytheory.trial.catalogue import find
from noisytheory.trial.store.journal import TemporaryJournal


def test_audit_prints_a_table_and_one_line(mine):
    rows = answer("audit", mine, "--budget", "smoke", "--workers", 0).splitlines()
    assert rows[0].split() == ["id", "kind", "verdict", "expected", "tightness", "resolution",
                               "replicates"]
    assert rows[1].split()[:4] == ["mine/theorem-2", "tail", "upheld", "upheld"]
    assert rows[2].startswith("1 claim, as expected; ") and "seed 2026, level 0.01" in rows[2]
    assert len(rows) == 3


def test_audit_json_is_strict_and_alone(strict):
    text = answer("audit", strict, "-k", "square", "--budget", "smoke", "--workers", 0, "--json")

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    about = json.loads(text, parse_constant=refuse)
    (entry,) = about["claims"]
    assert set(entry) >= {"id", "verdict", "expected", "tightness", "resolution", "replicates",
                          "exact"}
    assert (entry["verdict"], entry["expected"]) == ("refuted", "refuted")
    assert about["as_expected"] is True and about["seed"] == 2026


def test_a_differing_verdict_is_exit_code_one_and_marked(variant):
    path = variant('expect="upheld"', 'expect="refuted"')
    result = invoke("audit", path, "--budget", "smoke", "--workers", 0)
    assert result.exit_code == 1 and result.stderr == ""
    assert "refuted !" in result.stdout
    assert "mine/theorem-2: upheld, expected refuted: " in result.stdout
    assert "1 claim, 1 not as expected: mine/theorem-2; " in result.stdout
    quiet = invoke("audit", path, "--budget", "smoke", "--workers", 0, "--quiet")
    assert quiet.exit_code == 1 and len(quiet.stdout.splitlines()) == 2


def test_the_settings_reach_the_audit(mine):
    about = json.loads(answer("audit", mine, "--replicates", 1500, "--seed", 7, "--alpha", "0.05",
                              "--workers", 0, "--json"))
    assert (about["seed"], about["alpha"]) == (7, 0.05)
    assert about["claims"][0]["replicates"] <= 2 * 2048


def test_other_names_of_a_claim_are_in_the_json(variant):
    path = variant("trivial=0.5", "trivial=0.5, also=[nt.Paper('old', 'x').also('t', 'Lemma 1')]")
    words = ("--budget", "smoke", "--workers", 0, "--json")
    (entry,) = json.loads(answer("audit", path, *words))["claims"]
    assert (entry["id"], entry["also"]) == ("mine/theorem-2", ["old/t"])


def test_dry_run_says_what_would_be_tried_and_draws_nothing(variant):
    path = variant("rng.binomial(n, 0.5, size) / n - 0.5", "1 / 0")
    rows = answer("audit", path, "--dry-run", "--budget", "smoke").splitlines()
    assert rows[1].split() == ["mine/theorem-2", "tail", "2", "2", "1,024", "8,192", "no"]
    assert "nothing was drawn" in rows[2]
    about = json.loads(answer("audit", path, "--dry-run", "--replicates", 2000, "--json"))
    assert about["claims"][0]["replicates_at_most"] == 2 * 2048


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--alpha 0", "must be a number in (0, 1), got 0"),
        ("--alpha nan", "must be a number in (0, 1), got nan"),
        ("--alpha x", "'x' is not a valid float"),
        ("--workers -1", "-1 is not in the range x>=0"),
        ("--workers 2.5", "'2.5' is not a valid integer"),
        ("--seed -1", "-1 is not in the range x>=0"),
        ("--replicates 0", "0 is not in the range x>=1"),
        ("--budget endless", "'endless' is not one of 'smoke', 'standard', 'full'"),
        ("--budgt smoke", "Did you mean '--budget'"),
        ("--workers 2 --scheduler tcp://127.0.0.1:9", "exclude each other"),
        ("nope.py", "no such file: nope.py"),
    ],
)
def test_wrong_settings_are_one_line(mine, words, line):
    assert line in mistake("audit", mine, *words.split())


def test_an_unreachable_scheduler_is_one_line(mine):
    pytest.importorskip("distributed")
    for scheme in ("nonsense", "tls"):
        line = mistake("audit", mine, "-q", "--scheduler", f"{scheme}://127.0.0.1:9")
        assert f"no Dask scheduler at '{scheme}://127.0.0.1:9'" in line


def test_a_scheduler_that_is_waited_for_is_named_before(mine, monkeypatch):
    """Where none answered, nothing was said for eleven seconds."""
    def dead(claims, scheduler, **settings):
        sys.stderr.write("waits\n")
        raise engine.EngineError(f"no Dask scheduler at {scheduler}")

    monkeypatch.setattr(run, "audit", dead)
    done = invoke("audit", mine, "--json", "--scheduler", "tcp://127.0.0.1:9")
    assert done.exit_code == 2 and done.stdout == ""
    first, waits, _ = done.stderr.splitlines()
    assert waits == "waits" and first == (
        "waiting for the Dask scheduler at tcp://127.0.0.1:9, and for its first worker, at most "
        f"{engine.PATIENCE:.0f} s each")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "raise KeyError('lost')",
         "mine/theorem-2 at n=10, block 0: simulate raised KeyError: 'lost'"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5",
         "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
         "n=10, block 0: simulate raised Mute: (its message cannot be read)"),
        ("import numpy as np", "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
         "variant.py, line 2 raised Mute: (its message cannot be read)"),
        ("n - 0.5", "n * np.nan", "simulate returned NaN in lhs"),
        ("(n, 0.5, size) / n - 0.5", "(n, 0.5, size + 1) / n", "simulate returned lhs of shape"),
        ("(n, 0.5, size) / n - 0.5", "(n, 0.5, (size, 2)) / n", "lhs must have shape"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "return None", "simulate returned lhs"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "import sys; sys.exit(5)",
         "n=10, block 0: simulate raised RuntimeError: SystemExit(5)"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "import os; os._exit(0)",
         "n=10, block 0: simulate raised RuntimeError: os._exit(0)"),
        ("return np.sqrt", "raise GeneratorExit; return np.sqrt",
         "variant.py, line 6 raised RuntimeError: GeneratorExit()"),
        ("import numpy as np", "import os; os._exit(0)",
         "variant.py, line 2 raised RuntimeError: os._exit(0)"),
        ("import numpy as np", "raise GeneratorExit", "variant.py, line 2 raised GeneratorExit"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "np.nan", "the bound at n=10 is not a number"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "1 / 0",
         "variant.py, line 6 raised ZeroDivisionError: division by zero"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "np.zeros(3) + np.zeros(4)",
         "variant.py, line 6 raised ValueError: operands could not be broadcast"),
        ("trivial=0.5", "trivial=lambda n: 1 / 0", "variant.py, line 15 raised ZeroDivisionError"),
    ],
)
def test_a_claim_that_cannot_be_tried_is_one_line(variant, old, new, line):
    text = mistake("audit", variant(old, new), "--workers", 0, "--budget", "smoke")
    assert line in text


def test_somebody_elses_claim_is_drawn_by_another_process(mine, monkeypatch):
    # It may end the one that draws, and must not take the audit along.
    (claim,) = select.chosen_claims([str(mine)])
    lone = dataclasses.replace(claim, grid={name: list(values)[:1] for name, values in
                                            claim.grid.items()})
    ours = find("noisy-kernels/theorem-5/printed")
    for cores, least in ((4, 2), (1, 1)):
        monkeypatch.setattr("joblib.cpu_count", lambda cores=cores: cores)
        assert lone.size == 1 and audit.usable_cores([lone]) == least
        assert ours.size == 1 and audit.usable_cores([ours]) == 0


def test_a_claim_that_fails_leaves_the_others_their_verdicts(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(HOEFFDING + """
def lost(n, *, size, rng):
    return {}["lost"]

other = nt.Paper("mine", "x").tail(
    "broken", statement="x", bound=bound, simulate=lost, grid=dict(n=[10], delta=[0.1]))
""")
    line = "mine/broken at n=10, block 0: simulate raised KeyError: 'lost'"
    words = ("audit", path, "--budget", "smoke", "--workers", 0)
    result = invoke(*words)
    assert result.exit_code == 2 and "mine/theorem-2  tail  upheld" in result.stdout
    assert result.stderr.startswith(f"not tried: {line}") and result.stderr.count("\n") == 1
    result = invoke(*words, "--json")
    about = json.loads(result.stdout)
    assert result.exit_code == 2 and not about["as_expected"]
    assert about["not_tried"]["mine/broken"].startswith(line)
    assert [claim["id"] for claim in about["claims"]] == ["mine/theorem-2"]
    result = invoke(*words, "--report", tmp_path / "report")
    assert "1 claim, as expected, 1 not tried;" in result.stdout
    for page in ("README.md", "index.html"):
        text = " ".join((tmp_path / "report" / page).read_text().split())
        assert "1 more of this audit has no verdict here" in text


def test_what_was_not_tried_is_said_even_if_the_report_fails(tmp_path, monkeypatch):
    path = tmp_path / "two.py"
    path.write_text(HOEFFDING + """
def lost(n, *, size, rng):
    return {}["lost"]

other = nt.Paper("mine", "x").tail(
    "broken", statement="x", bound=bound, simulate=lost, grid=dict(n=[10], delta=[0.1]))
""")

    def fails(*_, **settings):
        raise RuntimeError("no ink")

    monkeypatch.setattr("noisytheory.report.write", fails)
    result = invoke("audit", path, "--budget", "smoke", "--workers", 0, "--report", tmp_path / "r")
    assert result.exit_code == 3 and "no ink" in result.stderr
    assert result.stderr.startswith("not tried: mine/broken at n=10, block 0: simulate raised")
    assert "mine/theorem-2  tail  upheld" in result.stdout


def test_infinite_numbers_are_texts_in_the_json(variant):
    # Nothing can refute without a lower end, so nothing is resolved; past a bound of 0 no ratio.
    path = variant('.tail(\n    "theorem-2"', '.mean(\n    "theorem-2"')
    path.write_text(path.read_text().replace("n, delta):", "n):")
                    .replace("np.sqrt(np.log(1 / delta) / (2 * n))", "-1.0")
                    .replace(", delta=[0.1, 0.01]", "")
                    .replace('expect="upheld", trivial=0.5', 'expect="undecided"'))
    words = ["audit", path, "--budget", "smoke", "--workers", 0]
    (entry,) = json.loads(answer(*words, "--json"))["claims"]
    assert (entry["resolution"], entry["tightness"]) == ("inf", "inf")
    assert '"inf"' in answer("audit", "--help")


def test_a_simulator_that_fails_late_says_where_and_keeps_the_store(tmp_path, mine):
    path = tmp_path / "late.py"
    path.write_text(HOEFFDING.replace(
        "    return rng.binomial",
        "    if rng.bit_generator.seed_seq.spawn_key[0] == 3 and size > 1:\n"
        "        raise RuntimeError('tired')\n    return rng.binomial",
    ).replace("rows=1024", "rows=16").replace("expect=\"upheld\"", "expect=\"undecided\""))
    words = ["audit", path, "--store", tmp_path / "store", "--budget", "smoke"]
    assert "n=10, block 3: simulate raised RuntimeError: tired" in mistake(*words, "--workers", 0)
    # The same from a worker process, going on where the first run stopped.
    assert "block 3: simulate raised RuntimeError: tired" in mistake(*words, "--workers", 2)


def test_a_store_goes_on_and_refuses_to_mix(tmp_path, mine):
    store = tmp_path / "store"
    words = ["audit", mine, "--workers", 0, "--store", store, "--budget", "smoke", "--json"]
    first, again = (json.loads(answer(*words)) for _ in range(2))
    assert first["claims"] == again["claims"]
    assert "has seed 2026, this run has 7" in mistake(*words, "--seed", 7)
    mine.write_text(HOEFFDING.replace("rows=1024", "rows=512"))
    select._claims_in.cache_clear()
    assert "other code or parameters" in mistake(*words)


def test_places_that_are_no_store_are_one_line(tmp_path, mine):
    words = ["audit", mine, "--workers", 0, "--budget", "smoke", "--store"]
    file = tmp_path / "file"
    file.write_text("x")
    assert "is a file, not a store" in mistake(*words, file)
    assert "cannot open the store memory://: it names no place" in mistake(*words, "memory://")
    for place in ("zip://nowhere", "a::b"):
        assert f"cannot open the store {place}: " in mistake(*words, place)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    assert "not empty and not a store" in mistake(*words, tmp_path / "full")
    (tmp_path / "zarr.json").write_text('{"attributes": {"format": 99, "seed": 2026}}')
    assert "has format 99" in mistake(*words, tmp_path)
    assert "no store at" in mistake("report", tmp_path / "nowhere")
    assert mistake("report", file).endswith("/file (it is a file)")
    assert "cannot open the store '': it names no place" in mistake("report", "")
    (tmp_path / "empty").mkdir()
    assert "no store at" in mistake("report", tmp_path / "empty")
    assert "no store at" in mistake("replay", mine, "--store", tmp_path / "empty")


def test_report_folders_that_cannot_be_written_are_refused_before_the_work(tmp_path, variant):
    path = variant("rng.binomial(n, 0.5, size) / n - 0.5", "1 / 0")
    file = tmp_path / "file"
    file.write_text("x")
    assert "is a file: name a folder" in mistake("audit", path, "--report", file)
    assert "the folder for the report is empty" in mistake("audit", path, "--report", "")
    assert "it names no place" in mistake("audit", path, "--store", "")
    web = mistake("audit", path, "--store", "https://example.org/run")
    assert "nothing can be written to https://example.org/run: give a directory" in web
    assert "cannot write to the folder" in mistake("audit", path, "--report", file / "below")
    assert "cannot write to the folder" in mistake("audit", path, "--report", "/proc/nothing")


def full_disk(*args, **settings):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_answer_is_not_lost_to_a_report_that_cannot_be_written(tmp_path, mine, monkeypatch):
    from noisytheory import report

    monkeypatch.setattr(report, "write", full_disk)
    folder = tmp_path / "out"
    line = f"noisytheory audit: cannot write the report to the folder {folder}: No space left"
    words = ["audit", mine, "--budget", "smoke", "--workers", 0, "--report", folder, "--store",
             tmp_path / "store"]
    done = invoke(*words, "--json")
    assert done.exit_code == 2 and done.stderr.startswith(line) and done.stderr.count("\n") == 1
    assert json.loads(done.stdout)["claims"][0]["verdict"] == "upheld"
    done = invoke(*words)
    assert done.exit_code == 2 and done.stderr.startswith(line) and done.stderr.count("\n") == 1
    assert "1 claim, as expected; " in done.stdout and "index.html" not in done.stdout
    done = invoke(*words, "-q")
    assert done.exit_code == 2 and done.stdout.startswith("1 claim, as expected; ")
    assert "noisytheory report: cannot write the report to the folder" in mistake(
        "report", tmp_path / "store", "--output", folder)


def test_what_comes_to_be_in_the_way_during_an_audit_costs_none_of_it(tmp_path, variant):
    """The message did not say that the results were kept, nor how to have their report."""
    folder, store = tmp_path / "out", tmp_path / "a store"
    there = folder / "index.html"
    path = variant("    return rng", "    import pathlib\n"
                   f"    pathlib.Path({str(there)!r}).write_text('mine')\n    return rng")
    done = invoke("audit", path, "--budget", "smoke", "--workers", 0, "--report", folder,
                  "--store", store)
    assert done.exit_code == 2 and "1 claim, as expected; " in done.stdout
    assert there.read_text() == "mine" and list(folder.iterdir()) == [there]
    line = done.stderr.strip()
    assert f"out: {there}: " in line and f"all verdicts are in the store {store}: " in line
    command = re.search(r"`noisytheory (report .*) DIR`, draws nothing again$", line)[1]
    path.write_text(path.read_text().replace("    return rng", "    1 / 0\n    return rng"))
    answer(*shlex.split(command), tmp_path / "other")
    assert (tmp_path / "other" / "mine" / "theorem-2.html").is_file()


def test_the_only_line_of_a_quiet_audit_comes_when_its_report_is_there(
    tmp_path, mine, monkeypatch
):
    from noisytheory import report
    from noisytheory.cli import audit as command

    said = []
    write, say = report.write, command.say
    monkeypatch.setattr(report, "write", lambda *a, **k: (write(*a, **k), said.append("report"))[0])
    monkeypatch.setattr(command, "say", lambda out, text: (say(out, text), said.append(text)))
    words = ["audit", mine, "--budget", "smoke", "--workers", 0, "--report", tmp_path / "out"]
    assert answer(*words, "-q").count("\n") == 1
    assert said[0] == "report" and said[1].startswith("1 claim, as expected; ") and not said[2:]
    assert (tmp_path / "out" / "index.html").is_file()


@pytest.mark.parametrize("name", ["mine", "index.html", ".drawn.json", ".written.json"])
@pytest.mark.parametrize("what", ["link", "folder", "file", "pipe"])
def test_what_stands_where_a_report_is_written_is_named_and_left_alone(tmp_path, mine, name, what):
    """Pages went into the folder of somebody else, and a folder was a fault of ours."""
    store, theirs, folder = tmp_path / "store", tmp_path / "thesis", tmp_path / "out"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store)
    theirs.mkdir()
    there = folder / name
    there.parent.mkdir(parents=True)
    if what == "link":
        there.symlink_to(theirs)
    elif what == "folder":
        (there / "inside").mkdir(parents=True)
    elif what == "pipe":
        os.mkfifo(there)
    else:
        there.write_text("ten years of work")
    fresh = ["audit", mine, "--workers", 0, "--report", folder, "--store", tmp_path / "another"]
    if (name, what) != ("mine", "folder"):
        for words in (["report", store, "--output", folder], fresh):
            assert f"out: {there}: " in mistake(*words)
        assert not (tmp_path / "another").exists()
        assert there.exists() and (there.is_symlink() or what != "link")
        assert what != "file" or there.read_text() == "ten years of work"
        assert list(folder.iterdir()) == [there]
    else:  # Nothing is in its way.
        answer("report", store, "--output", folder)
        assert (folder / "index.html").read_text().startswith("<!DOCTYPE html>")
    assert not list(theirs.iterdir())


def test_a_report_into_the_folder_of_a_project_is_refused_before_the_audit(
    tmp_path, mine, monkeypatch
):
    """Its README.md was overwritten without a word."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("my project")
    line = mistake("audit", mine, "--report", ".", "--store", "store")
    assert ": README.md: no report of this version wrote it" in line
    assert not (tmp_path / "store").exists()
    assert (tmp_path / "README.md").read_text() == "my project"
    for _ in range(2):
        answer("audit", mine, "--workers", 0, "--budget", "smoke", "--report", "report",
               "--store", "store")
    for _ in range(2):
        answer("report", "store")
        answer("report", "store", "--output", "store")
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--report", "store",
           "--store", "store")


def test_a_folder_whose_name_has_colours_is_shown_and_colours_nothing(tmp_path, mine):
    folder = tmp_path / "a\x1b[31mb"
    words = ["--budget", "smoke", "--workers", 0, "--store", tmp_path / "store"]
    for text in (answer("audit", mine, *words, "--report", folder),
                 answer("report", tmp_path / "store", "--output", folder)):
        assert "a\\x1b[31mb/index.html" in text and "\x1b" not in text


def test_a_report_may_go_to_a_folder_that_is_named_by_a_link(tmp_path, mine):
    (tmp_path / "large").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "large")
    words = ["audit", mine, "--budget", "smoke", "--workers", 0, "--report", tmp_path / "out"]
    answer(*words)
    assert (tmp_path / "large" / "mine" / "theorem-2.html").is_file()


def test_of_a_store_that_goes_with_the_process_nothing_is_promised(mine, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(TemporaryJournal, "append", full)
    line = mistake("audit", mine, "--workers", 0)
    assert "No space left on device; it goes with this process" in line


@pytest.mark.crash
@pytest.mark.skipif(os.name != "posix", reason="limits")
def test_a_limit_on_files_is_named_with_the_folder(tmp_path, mine):
    store, folder = tmp_path / "store", tmp_path / "out"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store)
    command = f"ulimit -f 4; {sys.executable} -m noisytheory report {store} --output {folder}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        f"noisytheory report: cannot write the report to the folder {folder}: File too large\n"
    )


def test_a_store_of_another_version_is_one_line(tmp_path, mine):
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 0, "--budget", "smoke", "--store", store)
    root = store / "zarr.json"
    root.write_text(root.read_text().replace(f'"{noisytheory.__version__}"', '"0.0.1"'))
    (store / ".journal" / "run.json").unlink()
    for words in (["report", store, "--output", tmp_path / "pages"],
                  ["replay", mine, "--store", store],
                  ["audit", mine, "--workers", 0, "--budget", "smoke", "--store", store]):
        assert "0.0.1" in mistake(*words)
    assert not (tmp_path / "pages").exists()


def test_an_interrupted_audit_says_how_to_go_on(mine, monkeypatch, tmp_path):
    def interrupted(*args, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "audit", interrupted)
    line = mistake("audit", mine, "--workers", 0, "--store", tmp_path / "kept", code=130)
    assert "kept is whole: the same command goes on from there" in line
    assert "nothing was kept; with --store PATH" in mistake("audit", mine, code=130)

SLOW = HOEFFDING.replace("n=[10, 100]", "n=list(range(10, 500))").replace(
    "    return rng", "    import time; time.sleep(0.05)\n    return rng"
)


@pytest.mark.crash
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_stopped_by_a_signal_goes_on_from_its_store(tmp_path, number):
    path, store = tmp_path / "slow.py", tmp_path / "store"
    path.write_text(SLOW)
    words = ["audit", path, "--workers", "2", "--store", store]
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", *words], text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Who runs the tests in the background has had them ignore the key, or the terminal's end.
        preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (number, signal.SIGINT)],
    )
    journal = store / ".journal"
    deadline = time.monotonic() + 60
    while not any(f.stat().st_size > 30_000 for f in journal.glob("*.blocks")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    assert err.strip() == (
        f"noisytheory audit: interrupted; the store {store} is whole: "
        "the same command goes on from there"
    )
    from noisytheory.trial.store import Store

    with Store.open(store, {"seed": 2026, "version": noisytheory.__version__}) as kept:
        claim = select._claims_in(path.resolve())[0]
        blocks = kept.claim(claim.id, claim.fingerprint(), {"lhs": "<f8"}, claim.size, claim.rows)
        assert len(blocks) > 1 and blocks.damaged == 0


@pytest.mark.crash
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("heard", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_terminal_that_closes_ends_a_run_as_a_key_does_unless_nobody_wants_it_heard(
    tmp_path, heard
):
    pty = pytest.importorskip("pty")
    path, store = tmp_path / "slow.py", tmp_path / "store"
    path.write_text(SLOW)
    words = ["audit", path, "--workers", "2", "--store", store]
    before = signal.signal(signal.SIGHUP, heard)
    process, terminal = pty.fork()
    if not process:
        os.execv(sys.executable, [sys.executable, "-m", "noisytheory", *map(str, words)])
    signal.signal(signal.SIGHUP, before)
    deadline = time.monotonic() + 60
    while not any(f.stat().st_size > 30_000 for f in (store / ".journal").glob("*.blocks")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.close(terminal)
    if heard is signal.SIG_IGN:  # as by nohup
        time.sleep(1)
        assert os.waitpid(process, os.WNOHANG) == (0, 0)
        os.kill(process, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130


@pytest.mark.crash
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes")
def test_workers_do_not_outlive_a_killed_run(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", "audit", path, "--workers", "2"],
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )

    def alive():
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, group = status.read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(group) == process.pid and state != "Z":
                found.append(status.parent.name)
        return found

    deadline = time.monotonic() + 60
    while len(alive()) < 4:  # the run, its resource tracker, two workers
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    process.kill()
    assert process.communicate(timeout=60)[1] == ""
    while alive():
        assert time.monotonic() < deadline, "workers are left"
        time.sleep(0.05)


def test_a_terminal_gets_bars_symbols_and_colours(mine):
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", "audit", mine, "--workers", "0", "--budget", "smoke"],
        stdout=child, stderr=child, stdin=child, env={**os.environ, "TERM": "xterm"},
    )
    os.close(child)
    text = b""
    while True:
        try:
            piece = os.read(parent, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(parent)
    assert process.wait(timeout=60) == 0
    shown = text.decode()
    assert "✓ upheld" in shown and "\x1b[32m" in shown and "cells" in shown


def test_an_audit_by_id_with_a_report(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "report"
    text = answer("audit", "kernel-mean/lemma-10", "--budget", "smoke", "--workers", 0,
                  "--store", store, "--report", folder)
    assert f"report {folder / 'index.html'}" in text
    again = answer("report", store, "--output", tmp_path / "again").strip()
    assert Path(again) == tmp_path / "again" / "index.html" and Path(again).is_file()


def test_ids_of_the_box_are_reserved(variant):
    line = mistake("audit", variant('Paper("mine", "Hoeffding 1963").tail(\n    "theorem-2"',
                                    'Paper("kernel-mean", "x").tail(\n    "theorem-5"'))
    assert "kernel-mean/theorem-5 is that of a claim in the box" in line


@pytest.mark.parametrize("said", [
    {"statement": "1 = 2"}, {"hypotheses": ("pigs fly",)}, {"note": "mine"}, {"trivial": 0.25},
])
def test_ids_of_the_box_are_reserved_for_what_the_box_says_of_them(said):
    """Neither is part of a fingerprint, and the page credited the copy with discrepancies."""
    claim = noisytheory.claims["kernel-mean/corollary-8/printed"]
    with pytest.raises(ValueError, match="is that of a claim in the box"):
        noisytheory.audit(dataclasses.replace(claim, **said), budget="smoke")
    again = dataclasses.replace(claim)
    assert noisytheory.audit(again, budget="smoke").verdict == "refuted"


@pytest.mark.parametrize(("paper", "claim", "line"), [
    ("kernel-mean", "theorem-2", "your Paper another id than kernel-mean"),
    ("kernel-mean/mine", "theorem-2", "your Paper another id than kernel-mean"),
    ("Average-Classifier", "mine", "your Paper another id than Average-Classifier"),
    ("Kernel-Mean", "Theorem-5", "Kernel-Mean/Theorem-5 is that of a claim in the box"),
])
def test_papers_of_the_box_are_reserved_whatever_the_case(variant, paper, claim, line):
    """The title of such a paper stood in the index in place of the box's."""
    assert line in mistake("audit", variant(
        'Paper("mine", "Hoeffding 1963").tail(\n    "theorem-2"',
        f'Paper("{paper}", "Mine").tail(\n    "{claim}"',
    ))


def test_what_is_declared_under_a_paper_of_the_box_itself_has_an_id_of_its_own():
    from noisytheory.papers import KERNEL_MEAN

    mine = KERNEL_MEAN.cited("mine", statement="x")
    assert noisytheory.audit(mine).verdict == "undecided"
    with pytest.raises(ValueError, match="is that of a claim in the box"):
        noisytheory.audit(KERNEL_MEAN.cited("Theorem-5", statement="x"))


def test_an_id_of_the_box_is_reserved_however_it_is_put_together(variant):
    line = mistake("audit", variant(
        'Paper("mine", "Hoeffding 1963").tail(\n    "theorem-2"',
        'Paper("kernel-mean/corollary-8", "x").tail(\n    "printed"',
    ))
    assert "kernel-mean/corollary-8/printed is that of a claim in the box" in line


def test_a_stored_claim_of_other_code_is_said_to_be_and_gets_no_discrepancies(
    tmp_path, monkeypatch
):
    name, store = "kernel-mean/theorem-18/printed", tmp_path / "store"
    answer("audit", name, "--budget", "smoke", "--workers", 0, "--store", store)
    assert invoke("report", store, "--output", tmp_path / "own").stderr == ""
    monkeypatch.setattr(type(find(name)), "fingerprint", lambda claim: "other")
    line = invoke("report", store, "--output", tmp_path / "other").stderr
    assert line.startswith("1 of 1 claims in") and line.count("\n") == 1
    told = "ried by other code than is installed here"
    for file in (f"{name}.html", f"{name}.md", "index.html", "README.md"):
        own, other = ((tmp_path / folder / file).read_text() for folder in ("own", "other"))
        assert told in other and told not in own
    shown = {
        folder: (tmp_path / folder / f"{name}.html").read_text() for folder in ("own", "other")
    }
    number = find(name).discrepancies[0]
    assert f">{number}<" in shown["own"] and f">{number}<" not in shown["other"]


def test_a_damaged_claim_is_named_and_the_others_are_reported(tmp_path):
    store = tmp_path / "store"
    answer("audit", "kernel-mean/lemma-19", "--budget", "smoke", "--workers", 0, "--store", store)
    file = store / "kernel-mean" / "lemma-19~printed" / "zarr.json"
    for damage in (lambda: file.write_text("{"), file.unlink):
        damage()
        result = invoke("report", store, "--output", tmp_path / "report")
        assert result.exit_code == 2 and "index.html" in result.stdout
        assert "kernel-mean/lemma-19~printed" in result.stderr and "is damaged" in result.stderr
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no system that tells it")
def test_the_time_printed_is_that_of_the_whole_process():
    """It began only after the imports."""
    code = "import time; time.sleep(3); from noisytheory.__main__ import run; run()"
    words = ["audit", "kernel-mean/lemma-10", "--budget", "smoke", "-q", "--workers", "0"]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    whole = time.monotonic() - began
    (seconds,) = re.findall(r"; ([\d.]+) s, seed", done.stdout)
    assert 3 <= float(seconds) <= whole + 0.1
