"""Answers on standard output, one line for every mistake, exit codes."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys

import pytest
from commands import HOEFFDING, answer, in_a_process, invoke, mistake

from noisytheory.cli import answers, mistakes, shell
from noisytheory.trial import run
from noisytheory.trial.shown import visible


def test_help_names_every_command_and_exit_code():
    text = answer("--help")
    for command in ("claims", "discrepancies", "show", "bound", "audit", "report", "replay"):
        assert command in text
        assert "Usage" in answer(command, "--help")
    assert "130 interrupted" in text
    assert answer() == text


def test_help_says_what_the_defaults_are():
    defaults = inspect.signature(run.audit).parameters
    text = " ".join(answer("audit", "--help").split())
    assert tuple(run.BUDGETS) == shell.BUDGETS
    assert f"default {defaults['budget'].default}." in text
    assert f"default {defaults['alpha'].default}." in text
    assert defaults["seed"].default == run.DEFAULT_SEED


def test_version():
    import noisytheory

    assert answer("--version") == f"{noisytheory.__version__}\n"


def test_unknown_commands_and_missing_arguments_are_one_line():
    assert "No such command 'audits'" in mistake("audits")
    assert "Missing argument 'ID|FILE.py'" in mistake("show")
    assert "No such option" in mistake("--no-such-option")


def test_however_much_an_error_says_it_is_told_in_a_line(variant):
    raises = "    raise RuntimeError('one\\ntwo ' + 'x' * 9999)\n"
    path = variant("    return rng", f"{raises}    return rng")
    told = mistake("audit", path)
    assert "simulate raised RuntimeError: one two xxx" in told and " ... " in told
    assert len(told) < 700 and "\n" not in told.strip()


def test_what_a_file_prints_is_not_part_of_the_answer(variant):
    path = variant("import numpy as np", "import numpy as np; print('garbage')")
    path.write_text(path.read_text().replace("    return rng", "    print('more')\n    return rng"))
    result = invoke("audit", path, "--budget", "smoke", "--workers", 0, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["claims"][0]["verdict"] == "upheld"
    assert "garbage" in result.stderr and "more" in result.stderr


def test_a_fault_of_ours_is_three_and_says_how_to_see_it(mine, monkeypatch):
    def fails(*args, **settings):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(run, "audit", fails)
    line = mistake("audit", mine, "--workers", 0, code=3)
    assert "a fault of ours: RuntimeError: two lines" in line and "NOISYTHEORY_DEBUG=1" in line
    monkeypatch.setenv("NOISYTHEORY_DEBUG", "1")
    result = invoke("audit", mine, "--workers", 0)
    assert result.exit_code == 3 and "Traceback" in result.stderr


def test_a_library_value_error_is_not_taken_for_the_users(mine, monkeypatch):
    monkeypatch.setattr(run, "audit", lambda *args, **settings: int("no number"))
    monkeypatch.setattr(mistakes, "_module", lambda frame: "json.decoder")
    assert "a fault of ours: ValueError" in mistake("audit", mine, "--workers", 0, code=3)


def test_a_closed_pipe_is_silent(mine):
    command = (
        f"{sys.executable} -m noisytheory audit {mine} --budget smoke --workers 0 | true; "
        'echo "${PIPESTATUS[0]}"'
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
def test_where_nothing_can_be_said_the_code_is_that_of_a_mistake():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "noisytheory", "claims"], stdout=full, stderr=full, timeout=120,
            check=False,
        )
    assert done.returncode == 2


def test_an_answer_that_nobody_gets_is_a_mistake():
    command = f"{sys.executable} -m noisytheory --version >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    said = "noisytheory: standard output is closed: the answer has nowhere to go\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_json_of_two_workers_that_print_is_alone_on_standard_output(variant):
    path = variant("    return rng", "    import os; os.write(1, b'noise')\n    return rng")
    done = in_a_process("audit", path, "--budget", "smoke", "--workers", 2, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["workers"] == "2 processes"
    assert "noise" in done.stderr


def test_nothing_but_answers_in_a_pipe(mine):
    done = in_a_process("audit", mine, "--budget", "smoke", "--workers", 0)
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout


def test_help_imports_nothing_heavy():
    """So it takes a tenth of a second."""
    loaded = (
        "import sys, noisytheory.cli; "
        "print([m for m in ('numpy', 'scipy', 'xarray', 'rich', 'multiprocessing') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "error", [MemoryError("x"), ImportError("libx.so: failed to map segment from shared object")]
)
def test_too_little_memory_is_no_fault_of_ours(error):
    code, line = mistakes.diagnose(error)
    assert code == 2 and line.startswith("there is not enough memory: ")


def test_json_says_what_it_was_given(capsys):
    """Also a no-break space, and what a terminal would take for a command."""
    given = {"a": "no\u00a0break, \u2028, \x9b31m, \x1b[31m, \x7f"}
    answers.say_json(sys.stdout, given)
    text = capsys.readouterr().out
    assert json.loads(text) == given and "\x1b" not in text and "\x9b" not in text


def test_what_turns_the_direction_of_text_is_shown():
    assert visible("a\u202eb\u2066c\x07d é") == "a\\u202eb\\u2066c\\x07d é"


def test_what_ends_a_line_is_shown(tmp_path):
    assert visible("a\u2028b\u2029c\x0bd\x0ce\x85f") == "a\\u2028b\\u2029c\\x0bd\\x0ce\\x85f"
    text = HOEFFDING.replace('"theorem-2"', '"a\\u2028noisytheory: all is well"')
    (tmp_path / "lines.py").write_text(text)
    line = in_a_process("audit", "lines.py", cwd=tmp_path)
    assert line.returncode == 2 and len(line.stderr.splitlines()) == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_a_warning_of_a_function_moves_no_cursor_anywhere(tmp_path, workers):
    warns = "    import warnings; warnings.warn('a \\x1b[31mred\\u2028one')\n"
    text = HOEFFDING.replace("    return rng", f"{warns}    return rng")
    (tmp_path / "warns.py").write_text(text)
    words = ["audit", "warns.py", "--workers", workers, "--budget", "smoke"]
    done = in_a_process(*words, cwd=tmp_path)
    assert done.returncode == 0 and "\x1b" not in done.stderr
    assert "UserWarning: a \\x1b[31mred\\u2028one" in done.stderr


LOUD = HOEFFDING.replace(
    "    return rng", "    print('\\x1b[31mred'); print('\\x9b1m', file=sys.stderr)\n    return rng"
).replace("import numpy", """
import ctypes, os, subprocess, sys
print('\\x1b]0;title\\x07')
os.write(1, b"one \\x1b[31m\\n")
os.write(2, b"two \\x1b[31m\\n")
ctypes.CDLL(None).puts(b"compiled \\x1b[31m")
ctypes.CDLL(None).fflush(None)
subprocess.run(["printf", "child \\\\033[31m\\\\n"])
import numpy""")


def test_all_that_a_worker_wrote_is_shown_that_then_is_killed(tmp_path):
    text = HOEFFDING.replace("    return rng", """
    import os, signal
    os.write(2, b"last words \\x1b[31m\\n" + b"x" * 10**5)
    os.kill(os.getpid(), signal.SIGKILL)
    return rng""")
    (tmp_path / "dies.py").write_text(text)
    done = in_a_process("audit", "dies.py", "--workers", 1, cwd=tmp_path)
    assert done.returncode == 2 and "SIGKILL" in done.stderr and "\x1b" not in done.stderr
    assert "last words \\x1b[31m\n" + "x" * 10**5 in done.stderr


@pytest.mark.parametrize(
    ("words", "raw"),
    [
        (("audit", "loud.py", "--workers", 2), False),
        (("audit", "loud.py", "--workers", 0), True),  # for a debugger, which colours
        (("replay", "loud.py", "--address", "n=10;0;0"), False), (("show", "loud.py"), False),
    ],
)
def test_what_a_file_prints_moves_no_cursor(tmp_path, words, raw):
    """Nor what it writes past Python, itself or by a program that it starts."""
    (tmp_path / "loud.py").write_text(LOUD)
    done = in_a_process(*words, cwd=tmp_path)
    assert done.returncode == 0 and "\x1b" not in done.stdout
    assert ("\x1b]0;title" in done.stderr) is raw
    assert ("\\x1b]0;title\\x07" in done.stderr) is not raw
    for way in ("one", "two", "compiled", "child"):
        assert (f"{way} \x1b[31m" in done.stderr) is raw
        assert (f"{way} \\x1b[31m" in done.stderr) is not raw
    if words[0] != "show":
        assert ("\x1b[31mred" in done.stderr) is raw
        assert ("\\x1b[31mred" in done.stderr and "\\x9b1m" in done.stderr) is not raw


@pytest.mark.parametrize("words", ["audit", "bound", "claims", "compare", "replay", "show"])
def test_every_command_that_takes_a_file_says_that_it_is_run(words):
    text = " ".join(answer(words, "--help").split())
    assert "FILE.py is run as code, with all your rights" in text


CALLED_BACK = """
import multiprocessing, signal, time, weakref

class Gone:
    pass

gone = Gone()
ref = weakref.ref(gone, lambda ref: signal.raise_signal(signal.SIGINT))
del gone
if multiprocessing.parent_process() is None:
    time.sleep(60)
"""


def test_an_interrupt_in_a_callback_is_not_lost(tmp_path):
    """Imports have such callbacks: there it was printed, and the command went on."""
    (tmp_path / "called.py").write_text(CALLED_BACK)
    done = in_a_process("audit", "called.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "noisytheory audit: interrupted\n")


RAISES = HOEFFDING.replace("    return", "    raise KeyboardInterrupt\n    return")


@pytest.mark.parametrize("where", ["file", "functions"])
@pytest.mark.parametrize(
    "words",
    [
        ("audit", "--workers=2"), ("audit", "--workers=0"), ("bound", "n=10", "delta=.1"),
        ("compare", "n=10:99", "delta=.1"), ("replay",), ("replay", "--address", "n=10;0;0"),
    ],
    ids=" ".join,
)
def test_an_interrupt_of_a_file_s_own_is_its_mistake(tmp_path, words, where):
    """A key press is 130, and was the system's: here no signal came."""
    (tmp_path / "own.py").write_text("raise KeyboardInterrupt" if where == "file" else RAISES)
    command, *rest = words
    done = in_a_process(command, "own.py", *rest, cwd=tmp_path)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "raised KeyboardInterrupt (traceback" in done.stderr


@pytest.mark.parametrize("most", [10, 12, 14, 16, 18])
def test_too_few_open_files_are_called_that(most):
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    ended = in_a_process(
        "audit", "kernel-mean/lemma-10", "--budget", "smoke", "--workers", 2, preexec_fn=limit)
    if most == 18 and ended.returncode == 0:  # Enough where one worker is done before the other.
        assert "1 claim, as expected" in ended.stdout and not ended.stderr
        return
    assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.count("\n") == 1
    assert f"the limit of open files is too low (`ulimit -n` is {most})" in ended.stderr


@pytest.mark.parametrize("command", ["audit", "claims"])
def test_a_closed_standard_error_is_no_fault(tmp_path, command):
    (tmp_path / "mine.py").write_text(HOEFFDING)
    words = f"{sys.executable} -m noisytheory {command} mine.py 2>&-"
    words += " --budget smoke -q" if command == "audit" else ""
    done = subprocess.run(words, shell=True, cwd=tmp_path, stdout=subprocess.PIPE, timeout=120,
                          check=False)
    assert done.returncode == 0


def test_a_folder_that_is_gone_is_no_fault_of_ours(tmp_path):
    (tmp_path / "mine.py").write_text(HOEFFDING)
    words = f"mkdir g; cd g; rmdir ../g; {sys.executable} -m noisytheory audit {tmp_path}/mine.py"
    done = subprocess.run(words, shell=True, cwd=tmp_path, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 2
    assert "the current folder is gone" in done.stderr
