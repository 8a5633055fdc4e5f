"""A file that takes from Python what commands need is told so; what it moves is put back."""

from __future__ import annotations

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


def test_what_a_bound_takes_is_named(tmp_path):
    path = with_line(tmp_path / "path.py", "import sys; sys.path = None", of="bound")
    ended = in_a_process("replay", path)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "path.py has changed sys.path, and then" in ended.stderr


WRECKED = (
    "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (3, 3))",
    "np.isfinite = None",
    "np.sqrt = abs",
    "np.random.default_rng = None",
    "import time; time.monotonic = time.perf_counter = time.time = None",
)


@pytest.mark.crash
@pytest.mark.parametrize("line", WRECKED)
def test_what_a_function_takes_costs_its_claim_and_no_other(line, tmp_path):
    """Each ended the audit, or was put down to the next claim."""
    path = with_line(tmp_path / "wreck.py", line)
    path.write_text(path.read_text() + """

def coins(n, *, size, rng):
    return rng.binomial(n, 0.5, size) / n - 0.5


before, after = (
    nt.Paper(name, "Others").tail("theorem-2", statement="x", bound=bound, simulate=coins,
                               grid={"n": [10], "delta": [0.1]}, trivial=0.5)
    for name in ("before", "zulu")
)
""")
    ended = in_a_process("audit", path, "--budget=smoke", "--workers", 2)
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert [f"{name}/theorem-2" in ended.stdout for name in ("before", "mine", "zulu")] == [
        True, False, True]
    assert ended.stdout.count("upheld  ") >= 2
    assert "mine/theorem-2" in ended.stderr and "took, or replaced" in ended.stderr
