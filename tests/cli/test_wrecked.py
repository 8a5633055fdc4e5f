"""A file that takes from Python what commands need is told so; what it moves is put back."""

from __future__ import annotations

import json

import pytest
from commands import HOEFFDING, in_a_process

TAKEN = {
    'import sys; sys.modules["json"] = None': "the module json",
    "import builtins; builtins.open = None": "builtins.open",
    "import builtins; builtins.isinstance = None": "what commands need",
    "import threading; threading.Thread.start = None": "threading.Thread.start",
    "import click; click.echo = None": "click.echo",
    "import os; os._exit = None": "os._exit",
    "np.asarray = None": "numpy.asarray",
    "import os; os.closerange(3, 99)": "what commands need",
    "import os; os.close(2)": "closes the streams",
    "import sys; sys.addaudithook(lambda *given: 1 / 0)": "what commands need",
    "import resource as r; r.setrlimit(r.RLIMIT_CPU, (60, 60))": "processor time",
    "import sys; sys.modules.clear()": "the module",
}

MOVED = (
    "np.mean = np.sum = np.quantile = lambda *given, **named: 0.0",
    "import sys; sys.setrecursionlimit(50)",
    "import sys; sys.stdout = sys.stderr = None",
    "import sys; sys.path.clear(); sys.meta_path.clear()",
    "import sys; sys.path = None",
    "import signal; signal.setitimer(signal.ITIMER_REAL, 0.2)",
    "import faulthandler; faulthandler.dump_traceback_later(0.2, exit=True)",
    "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (4, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
    "import os; os.environ.clear()",
    "import gc; gc.set_threshold(1)",
    'np.seterr(all="raise")',
)


@pytest.fixture(params=["bound FILE::mine/theorem-2 n=10 delta=.1",
                        "audit FILE --budget smoke --workers 0"], ids=["bound", "audit"])
def tried(request, tmp_path):
    """A command on the theorem's file, after whose text one line more is run."""
    def run(line):
        path = tmp_path / "wreck.py"
        path.write_text(f"{HOEFFDING}\n{line}\n")
        return in_a_process(*request.param.replace("FILE", str(path)).split())

    return run


@pytest.mark.crash
@pytest.mark.parametrize("line", TAKEN)
def test_what_commands_need_is_named(line, tried):
    ended = tried(line)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1 and "Traceback" not in ended.stderr
    assert "wreck.py" in ended.stderr and TAKEN[line] in ended.stderr


@pytest.mark.crash
@pytest.mark.parametrize("line", MOVED)
def test_what_is_moved_is_put_back(line, tried):
    ended = tried(line)
    assert (ended.returncode, ended.stderr) == (0, "") and ended.stdout


@pytest.mark.crash
@pytest.mark.parametrize("line, code, words", [
    ("import atexit; atexit.register(lambda: 1 / 0)", 0, "raised ZeroDivisionError"),
    ("import atexit, os; atexit.register(lambda: os._exit(1))", 0, "os._exit(1)"),
    ("import atexit, time; atexit.register(lambda: time.sleep(600))", 0, "is not waited for"),
    ("import threading; threading.Thread(target=lambda: 1 / 0).start()", 0, "ZeroDivisionError"),
    ("D = type('D', (), {'__del__': lambda self: 1 / 0}); D()", 0, "ZeroDivisionError"),
])
def test_what_is_raised_where_nobody_hears_it_is_a_line(line, code, words, tried):
    ended = tried(line)
    assert ended.returncode == code and ended.stdout
    assert "Traceback" not in ended.stderr and words in ended.stderr


def test_a_thread_does_not_end_the_command_as_if_all_were_well(tmp_path):
    path = tmp_path / "ends.py"
    path.write_text(f"import os, threading, time\n{HOEFFDING}\nthreading.Timer(0.5, os._exit, [0])"
                    ".start() if not __import__('multiprocessing').parent_process() else 0\n")
    ended = in_a_process("audit", path, "--replicates", 10**9, "--workers", 0)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "a thread ends the command by os._exit(0)" in ended.stderr


def test_a_function_that_is_another_now_is_named(tmp_path):
    path = tmp_path / "other.py"
    path.write_text(f"{HOEFFDING}\nimport json\n"
                    "def dumps(*given, **named):\n    raise RuntimeError('none')\n"
                    "json.JSONEncoder = dumps\njson.dumps = dumps\n")
    ended = in_a_process("show", path, "--json")
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert "other.py" in ended.stderr and ended.stderr.count("\n") == 1


def with_line(path, line, of="simulate"):
    """The theorem's file, whose function runs one line more at every call."""
    head, name, rest = HOEFFDING.partition(f"def {of}(")
    signature, colon, body = rest.partition(":\n")
    path.write_text(f"{head}{name}{signature}{colon}    {line}\n{body}")
    return path


@pytest.mark.parametrize("words", ["audit --workers=0", "audit --workers=1", "replay"])
def test_a_function_that_takes_the_ends_of_python_costs_nothing(words, tmp_path):
    path = with_line(tmp_path / "ends.py", "import os, sys; sys.exit = os._exit = None")
    ended = in_a_process(*words.split(), path, "--budget=smoke")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "mine/theorem-2" in ended.stdout


RUNG = {
    "signal.setitimer(signal.ITIMER_REAL, .2)": "SIGALRM",
    "signal.setitimer(signal.ITIMER_PROF, .2)": "SIGPROF",
    "resource.setrlimit(resource.RLIMIT_CPU, (0, 60))": "SIGXCPU",
}


@pytest.mark.crash
@pytest.mark.parametrize("line", RUNG)
@pytest.mark.parametrize("workers", [0, 1])
def test_a_clock_that_a_function_sets_ends_a_command_by_name(line, workers, tmp_path):
    busy = "start = time.time()\n    while time.time() < start + 3: sum(range(99))"
    path = with_line(tmp_path / "clock.py", f"import resource, signal, time; {line}; {busy}")
    ended = in_a_process("audit", path, "--budget=smoke", "--workers", workers)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1 and RUNG[line] in ended.stderr
    # With a worker it is the claim's end, which is named, and nobody else's.
    assert ("mine/theorem-2" in ended.stderr) == (workers > 0)


def test_what_a_bound_takes_is_there_again_for_what_is_imported_later(tmp_path):
    path = with_line(tmp_path / "path.py", "import sys; sys.path = None", of="bound")
    ended = in_a_process("replay", path)
    assert (ended.returncode, ended.stderr) == (0, "") and "mine/theorem-2" in ended.stdout


NO_NUMBERS = {"'0.5'": "<U3", "10**400": "too large", "(x for x in [1.0])": "generator",
              "np.ones((200, 200))": "(200, 200)"}


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_bound_that_is_no_number_is_not_compared(value, tmp_path):
    path = with_line(tmp_path / "none.py", f"return {value}", of="bound")
    ended = in_a_process("compare", path, "n=10", "delta=.1")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "the bound must be a number" in ended.stderr and NO_NUMBERS[value] in ended.stderr


THREE = """
import json, os, resource, signal, sys, time
import numpy as np
import noisytheory as nt

def bound(n, delta):
    return np.sqrt(np.log(1 / delta) / (2 * n))

def wrecks(n, delta):
    {bound}
    return np.sqrt(np.log(1 / delta) / (2 * n))

def simulate(n, *, size, rng):
    return rng.binomial(n, 0.5, size) / n - 0.5

def wrecked(n, *, size, rng):
    {simulate}
    return rng.binomial(n, 0.5, size) / n - 0.5

def claim(name, bound, simulate):
    return PAPER.tail(name, statement="x", bound=bound, simulate=simulate, rows=1024, trivial=0.5,
                      grid=dict(n=[10, 100], delta=[0.1, 0.01]))

PAPER = nt.Paper("mine", "Hoeffding 1963, three times")
claims = [claim("first", bound, simulate), claim("wrecks", wrecks, wrecked),
          claim("last", bound, simulate)]
"""

CALLED = {
    "a folder that is gone": "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
    "no rights": "os.umask(0o777)",
    "few open files": "resource.setrlimit(resource.RLIMIT_NOFILE, (5, "
                      "resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
    "other numbers": "np.count_nonzero = lambda *given, **named: 0; np.sum = np.count_nonzero",
    "no arrays": "np.asarray = np.array = None",
    "other texts": "json.dumps = lambda *given, **named: 'null'; json.loads = lambda text: {}",
    "no clock": "time.perf_counter = time.monotonic = None",
    "deaf": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "an alarm": "signal.alarm(1)",
    "no path": "sys.path = sys.stdout = None",
}


def audited(folder, line, workers, where=("bound", "simulate")):
    """The audit of three claims, of which one runs this line at every call, and its numbers."""
    lines = {name: line if name in where else "pass" for name in ("bound", "simulate")}
    path = folder / "three.py"
    path.write_text(THREE.format(**lines))
    ended = in_a_process("audit", path, "--budget=smoke", "--json", "--workers", workers,
                         "--store", folder / f"store-{workers}", cwd=folder)
    answer = json.loads(ended.stdout or "{}")
    names = "verdict", "replicates", "tightness", "resolution"
    return ended, answer, {
        claim["id"]: [claim[name] for name in names] for claim in answer.get("claims", [])
    }


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("untouched"), "pass", 1)[2]


@pytest.mark.crash
@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("how", CALLED)
def test_what_a_call_moves_is_put_back(how, workers, untouched, tmp_path):
    ended, _, found = audited(tmp_path, CALLED[how], workers)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert found == untouched and len(found) == 3


@pytest.mark.crash
@pytest.mark.parametrize("where", ["bound", "simulate"])
def test_what_cannot_be_put_back_costs_one_claim(where, untouched, tmp_path):
    line = "resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))"
    ended, answer, found = audited(tmp_path, line, 2, where=[where])
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    assert "a function of it takes from Python what everybody needs" in ended.stderr
    assert list(answer["not_tried"]) == ["mine/wrecks"]
    assert found == {name: untouched[name] for name in ("mine/first", "mine/last")}


@pytest.mark.parametrize("workers", [0, 1])
def test_an_array_that_is_none_is_the_claims_fault(workers, tmp_path):
    line = "return type('A', (), {'__array__': lambda *of, **by: 1 / 0})()"
    path = with_line(tmp_path / "none.py", line)
    ended = in_a_process("audit", path, "--budget=smoke", "--workers", workers)
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    assert "simulate returned lhs, which is no array: ZeroDivisionError" in ended.stderr
