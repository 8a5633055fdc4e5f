"""The command line: answers on standard output, one line for every mistake, exit codes."""

from __future__ import annotations

import errno
import inspect
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import noisytheory as nt
from noisytheory.cli import main
from noisytheory.cli import shell as cli
from noisytheory.trial import run
from noisytheory.trial.catalogue import TOPICS

HOEFFDING = r'''
import numpy as np
import noisytheory as nt

def bound(n, delta):
    return np.sqrt(np.log(1 / delta) / (2 * n))

def simulate(n, *, size, rng):
    return rng.binomial(n, 0.5, size) / n - 0.5

mine = nt.Paper("mine", "Hoeffding 1963").tail(
    "theorem-2", statement=r"\bar X - \mu \le \sqrt{\log(1/\delta)/2n}", place="Theorem 2",
    hypotheses=["draws independent", "values in [0, 1]"],
    bound=bound, simulate=simulate, grid=dict(n=[10, 100], delta=[0.1, 0.01]),
    expect="upheld", trivial=0.5, rows=1024, note="One-sided.",
)
'''
STRICT = '''
from fractions import Fraction
import numpy as np
import noisytheory as nt
from noisytheory.vocabulary.domains import LEVEL, NOISE_RATE, SAMPLE_SIZE, requires

class Coin:
    def __init__(self, name, norm):
        self.name, self.norm = name, norm

@requires(n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE)
def radius(n, delta, norm, sigma=0.0):
    return norm * np.sqrt(np.log(1 / delta) / n) / (1 - 2 * sigma)

def zeros(n, *, size, rng):
    return rng.uniform(size=size) * 0

def pairs(n, *, size, rng):
    a = rng.integers(1, 9, size)
    return {"lhs": a**2.0, "a": a}

def certify(a):
    return nt.Certificate(Fraction(int(a) ** 2), Fraction(int(a)), [("a", int(a)), ("a^2", a * a)])

PAPER = nt.Paper("strict", "A paper")
claims = [
    PAPER.tail("radius", statement="x", bound=radius, simulate=zeros,
               grid=dict(population=[Coin("fair coin", 1.0), Coin("bent, coin", 0.3)], n=[10],
                         delta=[0.1])),
    PAPER.always("square", statement="a^2 \\\\le a", bound=lambda a: a, simulate=pairs,
                 certify=certify, grid=dict(n=[1]), expect="refuted", rows=64, note="a = 2"),
    PAPER.cited("quoted", statement="x"),
]
'''


def invoke(*words):
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="noisytheory")


def answer(*words):
    """Standard output of a command that must succeed."""
    result = invoke(*words)
    assert result.exit_code == 0, (result.stdout, result.stderr)
    return result.stdout


def mistake(*words, code=2):
    """The one line of a command that must fail."""
    result = invoke(*words)
    assert result.exit_code == code, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert result.stderr.startswith("noisytheory") and result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return result.stderr.strip()


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "my_theorem.py"
    path.write_text(HOEFFDING)
    return path


@pytest.fixture
def strict(tmp_path):
    path = tmp_path / "strict.py"
    path.write_text(STRICT)
    return path


@pytest.fixture
def variant(tmp_path):
    """A file with the theorem, some of its text replaced."""
    def write(old, new):
        assert old in HOEFFDING
        path = tmp_path / "variant.py"
        path.write_text(HOEFFDING.replace(old, new))
        return path

    return write


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
    assert tuple(run.BUDGETS) == cli.BUDGETS
    assert f"default {defaults['budget'].default}." in text
    assert f"default {defaults['alpha'].default}." in text
    assert defaults["seed"].default == run.DEFAULT_SEED


def test_version():
    import noisytheory

    assert answer("--version") == f"{noisytheory.__version__}\n"


def test_claims_lists_what_a_file_declares(mine):
    rows = answer("claims", mine).splitlines()
    assert rows[0].split() == ["id", "kind", "expected", "place", "in", "print"]
    assert rows[1].split() == ["mine/theorem-2", "tail", "upheld", "Theorem", "2"]
    (entry,) = json.loads(answer("claims", mine, "--json"))
    assert entry["id"] == "mine/theorem-2" and entry["expected"] == "upheld"


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("radius", ["radius"]), ("RADIUS or Quo", ["radius", "quoted"]),
        ("strict and not radius", ["square", "quoted"]),
        ("not (radius or quoted)", ["square"]), ("not not square", ["square"]),
        ("radius or square and quoted", ["radius"]),
    ],
)
def test_keywords_choose_as_in_pytest(strict, expression, names):
    found = json.loads(answer("claims", strict, "-k", expression, "--json"))
    assert [entry["id"] for entry in found] == [f"strict/{name}" for name in names]


@pytest.mark.parametrize("expression", ["", "a and", "(a", "a b", "or a", ")", "not"])
def test_a_wrong_keyword_expression_is_one_line(strict, expression):
    assert "expected" in mistake("claims", strict, "-k", expression)


def test_keywords_that_match_nothing_are_a_mistake(strict):
    assert "no claim matches -k 'nowhere'" in mistake("audit", strict, "-k", "nowhere")


def test_show_says_what_the_claim_is(strict, mine):
    text = answer("show", mine)
    for part in (r"\sqrt{\log(1/\delta)/2n}", "Theorem 2", "draws independent", "Hoeffding 1963",
                 "Pr[L > R(delta)] <= delta", "n = 10; 100", "One-sided."):
        assert part in text
    text = answer("show", f"{strict}::strict/radius")
    assert "population = fair coin; bent, coin\n" in text
    assert "sigma: a finite number in [0, 0.5), default 0.0 (from its default)" in text
    assert "norm (from the population)" in text
    about = json.loads(answer("show", f"{strict}::strict/radius", "--json"))
    assert about["grid"]["population"] == ["fair coin", "bent, coin"]
    assert about["arguments"][0] == {"name": "n", "allowed": "a whole number >= 1",
                                     "default": None, "required": True, "from": "the grid"}


def test_bound_prints_the_number(mine):
    value = float(answer("bound", mine, "n=100", "delta=0.05"))
    assert value == pytest.approx(0.12238734153404081, rel=1e-14)
    assert float(answer("bound", mine, "n=1e2", "delta=1/20")) == value
    about = json.loads(answer("bound", mine, "n=100", "delta=0.05", "--json"))
    assert about["bound"] == value
    assert about["points"] == [{"n": 100, "delta": 0.05, "bound": value}]


def test_bound_tabulates_several_values(mine):
    rows = answer("bound", mine, "n=10,1000", "delta=0.05,0.5").splitlines()
    assert [row.split() for row in rows[:3]] == [
        ["n", "delta", "bound"], ["10", "0.05", "0.387022756"], ["10", "0.5", "0.1861648706"]]
    assert len(rows) == 5
    about = json.loads(answer("bound", mine, "n=10,1000", "delta=0.05", "--json"))
    assert about["bound"] == [point["bound"] for point in about["points"]]
    assert about["bound"] == sorted(about["bound"], reverse=True)


def test_bound_takes_a_population_or_what_is_read_of_it(strict):
    radius = f"{strict}::strict/radius"
    by_name = float(answer("bound", radius, "population=bent, coin", "n=4", "delta=0.05"))
    assert by_name == float(answer("bound", radius, "norm=0.3", "n=4", "delta=0.05"))
    twice = float(answer("bound", radius, "norm=0.3", "n=4", "delta=0.05", "sigma=0.25"))
    assert twice == pytest.approx(2 * by_name)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("n=0 delta=0.1 norm=1", "n must be a whole number >= 1, got 0"),
        ("n=2.5 delta=0.1 norm=1", "n must be a whole number >= 1, got 2.5"),
        ("n=inf delta=0.1 norm=1", "n must be a whole number >= 1, got inf"),
        ("n=1e999 delta=0.1 norm=1", "n must be a whole number >= 1, got inf"),
        ("n=9 delta=0 norm=1", "delta must be a finite number in (0, 1), got 0"),
        ("n=9 delta=1 norm=1", "delta must be a finite number in (0, 1), got 1"),
        ("n=9 delta=0.1 norm=1 sigma=1/2", "sigma must be a finite number in [0, 0.5), got 0.5"),
        ("n=NaN delta=0.1 norm=1", "n must be a whole number >= 1, got nan"),
        ("n=9 delta=nan norm=1", "delta must be a finite number in (0, 1), got nan"),
        ("n=ten delta=0.1 norm=1", "n must be a number, got 'ten'"),
        ("n=1/0 delta=0.1 norm=1", "n must be a number, got '1/0'"),
        ("n= delta=0.1 norm=1", "n must be a number, got ''"),
        ("n=9,9 delta=0.1 norm=1", "n has the same value twice"),
        ("n=9 n=8 delta=0.1 norm=1", "n is given twice; several values go in one list: n=10,100"),
        ("n=9 delta=0.1",
         "missing parameter norm: add norm=NUMBER, or 'population=fair coin' (the bound takes"),
        ("delta=0.1", "missing parameter n, norm: add n=10 norm=NUMBER"),
        ("N=9 delta=0.1 norm=1", "unknown parameter 'N'; did you mean n?"),
        ("m=9 delta=0.1 norm=1", "the bound takes n (a whole number >= 1)"),
        ("9", "'9' is not of the form NAME=VALUE, such as n=1000"),
        ("population=fare n=9 delta=0.1", "unknown population 'fare'; did you mean 'fair coin'?"),
        ("population=fair n=9 delta=0.1 norm=1", "unknown population 'fair'"),
    ],
)
def test_wrong_parameters_are_one_line_that_says_how_to_mend_it(strict, words, line):
    assert line in mistake("bound", f"{strict}::strict/radius", *words.split())


def test_a_population_that_changes_nothing_is_refused(strict):
    words = ["population=fair coin", "n=9", "delta=0.1", "norm=1"]
    assert "does not read population" in mistake("bound", f"{strict}::strict/radius", *words)


def test_a_plain_bound_at_nonsense_is_one_line(mine, variant):
    assert "cannot be evaluated at n=0" in mistake("bound", mine, "n=0", "delta=0.1")
    assert "cannot be evaluated at n=0" in mistake("bound", mine, "n=0", "delta=1")
    assert "divide by zero" in mistake("bound", mine, "n=0", "delta=0.1")
    nan = variant("np.sqrt(np.log(1 / delta) / (2 * n))", "float('nan')")
    assert "not a number at n=4" in mistake("bound", nan, "n=4", "delta=0.1")


def test_an_infinite_bound_is_strict_json(variant):
    path = variant("np.sqrt(np.log(1 / delta) / (2 * n))", "float('inf')")
    assert answer("bound", path, "n=4", "delta=0.1") == "inf\n"
    assert json.loads(answer("bound", path, "n=4", "delta=0.1", "--json"))["bound"] is None


def test_a_claim_without_a_bound_has_none_to_evaluate(strict):
    assert "has no bound to evaluate" in mistake("bound", f"{strict}::strict/quoted")


def test_several_claims_in_one_file_need_an_id(strict):
    assert "strict.py::ID" in mistake("show", strict)
    assert "did you mean strict/square" in mistake("show", f"{strict}::strict/squares")


def test_audit_prints_a_table_and_one_line(mine):
    rows = answer("audit", mine, "--budget", "smoke", "--workers", 1).splitlines()
    assert rows[0].split() == ["id", "kind", "verdict", "expected", "tightness", "resolution",
                               "replicates"]
    assert rows[1].split()[:4] == ["mine/theorem-2", "tail", "upheld", "upheld"]
    assert rows[2].startswith("1 claim, as expected; ") and "seed 2026, level 0.01" in rows[2]
    assert len(rows) == 3


def test_audit_json_is_strict_and_alone(strict):
    text = answer("audit", strict, "-k", "square", "--budget", "smoke", "--workers", 1, "--json")

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
    result = invoke("audit", path, "--budget", "smoke", "--workers", 1)
    assert result.exit_code == 1 and result.stderr == ""
    assert "refuted !" in result.stdout
    assert "mine/theorem-2: upheld, expected refuted: " in result.stdout
    assert "1 claim, 1 not as expected: mine/theorem-2; " in result.stdout
    quiet = invoke("audit", path, "--budget", "smoke", "--workers", 1, "--quiet")
    assert quiet.exit_code == 1 and len(quiet.stdout.splitlines()) == 2


def test_the_settings_reach_the_audit(mine):
    about = json.loads(answer("audit", mine, "--replicates", 1500, "--seed", 7, "--alpha", "0.05",
                              "--workers", 1, "--json"))
    assert (about["seed"], about["alpha"]) == (7, 0.05)
    assert about["claims"][0]["replicates"] <= 2 * 2048


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
        ("--workers 0", "0 is not in the range x>=1"),
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


def test_unknown_commands_and_missing_arguments_are_one_line():
    assert "No such command 'audits'" in mistake("audits")
    assert "Missing argument 'ID'" in mistake("show")
    assert "No such option" in mistake("--no-such-option")


def test_an_unreachable_scheduler_is_one_line(mine):
    pytest.importorskip("distributed")
    line = mistake("audit", mine, "--scheduler", "nonsense://127.0.0.1:9")
    assert "no Dask scheduler at 'nonsense://127.0.0.1:9'" in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(:\n", "broken.py, line 1 raised SyntaxError"),
        ("x = 1\nraise OSError('no luck')\n", "broken.py, line 2 raised OSError: no luck"),
        ("import sys\nsys.exit(0)\n", "broken.py, line 2 raised SystemExit"),
        ("x = 1\n", "broken.py declares no claim"),
        ("", "broken.py declares no claim"),
        ("\x00", "broken.py raised SyntaxError"),
        ("import sys\nsys.exit('no')\n", "broken.py, line 2 raised SystemExit: no"),
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
        ("import noisytheory as nt\nc = nt.Paper('a', 'b').tail('c', statement='x')\n",
         "broken.py, line 2 raised ValueError: a/c: a claim of kind tail needs bound"),
    ],
)
def test_a_broken_file_is_one_line(tmp_path, text, line):
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert line in mistake("audit", path)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "raise KeyError('lost')",
         "mine/theorem-2 at n=10, block 0: simulate raised KeyError: 'lost'"),
        ("n - 0.5", "n * np.nan", "simulate returned NaN in lhs"),
        ("(n, 0.5, size) / n - 0.5", "(n, 0.5, size + 1) / n", "simulate returned lhs of shape"),
        ("(n, 0.5, size) / n - 0.5", "(n, 0.5, (size, 2)) / n", "lhs must have shape"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "return None", "simulate returned lhs"),
        ("return rng.binomial(n, 0.5, size) / n - 0.5", "import sys; sys.exit(5)",
         "variant.py, line 9 called sys.exit(5)"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "np.nan", "the bound at n=10 is not a number"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "1 / 0",
         "variant.py, line 6 raised ZeroDivisionError: division by zero"),
        ("np.sqrt(np.log(1 / delta) / (2 * n))", "np.zeros(3) + np.zeros(4)",
         "variant.py, line 6 raised ValueError: operands could not be broadcast"),
        ("trivial=0.5", "trivial=lambda n: 1 / 0", "variant.py, line 15 raised ZeroDivisionError"),
    ],
)
def test_a_claim_that_cannot_be_tried_is_one_line(variant, old, new, line):
    text = mistake("audit", variant(old, new), "--workers", 1, "--budget", "smoke")
    assert line in text


def test_a_file_that_exits_in_a_worker_is_named(variant):
    # The first look at the shapes, one row, is in this process.
    path = variant("return rng", "import sys; size > 1 and sys.exit(5); return rng")
    line = mistake("audit", path, "--workers", 2, "--budget", "smoke")
    assert line == "noisytheory audit: variant.py called sys.exit(5): let it return instead"


def test_a_claim_that_fails_leaves_the_others_their_verdicts(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(HOEFFDING + """
def lost(n, *, size, rng):
    return {}["lost"]

other = nt.Paper("mine", "x").tail(
    "broken", statement="x", bound=bound, simulate=lost, grid=dict(n=[10], delta=[0.1]))
""")
    line = "mine/broken at n=10, block 0: simulate raised KeyError: 'lost'"
    result = invoke("audit", path, "--budget", "smoke")
    assert result.exit_code == 2 and "mine/theorem-2  tail  upheld" in result.stdout
    assert result.stderr.startswith(f"not tried: {line}") and result.stderr.count("\n") == 1
    result = invoke("audit", path, "--budget", "smoke", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 2 and not told["as_expected"]
    assert told["not_tried"]["mine/broken"].startswith(line)
    assert [claim["id"] for claim in told["claims"]] == ["mine/theorem-2"]
    result = invoke("audit", path, "--budget", "smoke", "--report", tmp_path / "report")
    assert "1 claim, as expected, 1 not tried;" in result.stdout
    for page in ("README.md", "index.html"):
        text = " ".join((tmp_path / "report" / page).read_text().split())
        assert "1 more of this audit has no verdict here" in text


def test_however_much_an_error_says_it_is_told_in_a_line(variant):
    raises = "    raise RuntimeError('one\\ntwo ' + 'x' * 9999)\n"
    path = variant("    return rng", f"{raises}    return rng")
    told = mistake("audit", path)
    assert "simulate raised RuntimeError: one two xxx" in told and " ... " in told
    assert len(told) < 700 and "\n" not in told.strip()


def test_a_simulator_that_fails_late_says_where_and_keeps_the_store(tmp_path, mine):
    path = tmp_path / "late.py"
    path.write_text(HOEFFDING.replace(
        "    return rng.binomial",
        "    if rng.bit_generator.seed_seq.spawn_key[0] == 3 and size > 1:\n"
        "        raise RuntimeError('tired')\n    return rng.binomial",
    ).replace("rows=1024", "rows=16").replace("expect=\"upheld\"", "expect=\"undecided\""))
    words = ["audit", path, "--store", tmp_path / "store", "--budget", "smoke"]
    assert "n=10, block 3: simulate raised RuntimeError: tired" in mistake(*words, "--workers", 1)
    # The same from a worker process, going on where the first run stopped.
    assert "block 3: simulate raised RuntimeError: tired" in mistake(*words, "--workers", 2)


def test_what_a_file_prints_is_not_part_of_the_answer(variant):
    path = variant("import numpy as np", "import numpy as np; print('garbage')")
    path.write_text(path.read_text().replace("    return rng", "    print('more')\n    return rng"))
    result = invoke("audit", path, "--budget", "smoke", "--workers", 1, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["claims"][0]["verdict"] == "upheld"
    assert "garbage" in result.stderr and "more" in result.stderr


def test_a_store_goes_on_and_refuses_to_mix(tmp_path, mine):
    store = tmp_path / "store"
    words = ["audit", mine, "--workers", 1, "--store", store, "--budget", "smoke", "--json"]
    first, again = (json.loads(answer(*words)) for _ in range(2))
    assert first["claims"] == again["claims"]
    assert "has seed 2026, this run has 7" in mistake(*words, "--seed", 7)
    mine.write_text(HOEFFDING.replace("rows=1024", "rows=512"))
    cli._claims_in.cache_clear()
    assert "other code or parameters" in mistake(*words)


def test_places_that_are_no_store_are_one_line(tmp_path, mine):
    words = ["audit", mine, "--workers", 1, "--budget", "smoke", "--store"]
    file = tmp_path / "file"
    file.write_text("x")
    assert "is a file, not a store" in mistake(*words, file)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    assert "not empty and not a store" in mistake(*words, tmp_path / "full")
    (tmp_path / "zarr.json").write_text('{"attributes": {"format": 99, "seed": 2026}}')
    assert "has format 99" in mistake(*words, tmp_path)
    assert "no store at" in mistake("report", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "no store at" in mistake("report", tmp_path / "empty")
    assert "no store at" in mistake("replay", mine, "--store", tmp_path / "empty")


def test_report_folders_that_cannot_be_written_are_refused_before_the_work(tmp_path, variant):
    path = variant("rng.binomial(n, 0.5, size) / n - 0.5", "1 / 0")
    file = tmp_path / "file"
    file.write_text("x")
    assert "is a file: name a folder" in mistake("audit", path, "--report", file)
    assert "cannot write to the folder" in mistake("audit", path, "--report", file / "below")
    assert "cannot write to the folder" in mistake("audit", path, "--report", "/proc/nothing")


def full_disk(*args, **settings):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_answer_is_not_lost_to_a_report_that_cannot_be_written(tmp_path, mine, monkeypatch):
    from noisytheory import report

    monkeypatch.setattr(report, "write", full_disk)
    folder = tmp_path / "out"
    line = f"noisytheory audit: cannot write the report to the folder {folder}: No space left"
    words = ["audit", mine, "--budget", "smoke", "--workers", 1, "--report", folder]
    done = invoke(*words, "--json")
    assert done.exit_code == 2 and done.stderr.startswith(line) and done.stderr.count("\n") == 1
    assert json.loads(done.stdout)["claims"][0]["verdict"] == "upheld"
    done = invoke(*words)
    assert done.exit_code == 2 and done.stderr.startswith(line) and done.stderr.count("\n") == 1
    assert "1 claim, as expected; " in done.stdout and "index.html" not in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="limits")
def test_a_limit_on_files_is_named_with_the_folder(tmp_path, mine):
    store, folder = tmp_path / "store", tmp_path / "out"
    answer("audit", mine, "--workers", 1, "--budget", "smoke", "--store", store)
    command = f"ulimit -f 4; {sys.executable} -m noisytheory report {store} --output {folder}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        f"noisytheory report: cannot write the report to the folder {folder}: File too large\n"
    )


def test_show_of_a_quotation_has_no_left_side_and_no_blocks():
    text = answer("show", "average-classifier/theorem-3")
    assert "left side" not in text and "replicates" not in text
    assert "not tried   formula lost in print" in text
    enumerated = answer("show", "kernel-mean/proposition-26")
    assert "cells       1, exact\n" in enumerated and "replicates" not in enumerated
    drawn = answer("show", "kernel-mean/theorem-5")
    assert "blocks of 4096 replicates, exact where it can be\n" in drawn


def test_replay_shows_the_counterexample_step_by_step(tmp_path, strict):
    square, store = f"{strict}::strict/square", tmp_path / "store"
    text = answer("replay", square)
    assert "a certified counterexample" in text and "left side   64" in text
    assert "right side  8" in text and "a^2" in text
    command = shlex.split(text.strip().splitlines()[-1])
    assert command[:2] == ["noisytheory", "replay"]
    assert "left side   64" in answer(*command[1:])
    audited = answer("audit", square, "--workers", 1, "--budget", "smoke", "--store", store)
    assert "as expected" in audited
    about = json.loads(answer("replay", square, "--store", store, "--json"))
    assert (about["lhs"], about["rhs"], about["seed"]) == ("64", "8", 2026)
    assert answer("replay", square, "--store", store) == text
    again = json.loads(answer("replay", square, "--address", about["address"], "--json"))
    assert float(again["lhs"]) == 64 and again["address"] == about["address"]


def test_replay_counts_the_instances_of_an_exhaustive_search(tmp_path):
    path = tmp_path / "exhaustive.py"
    path.write_text(STRICT.replace("simulate=pairs,", "exact=every,").replace("@requires", '''
def every(n):
    a = np.arange(1, 9)
    return {"lhs": a**2.0, "a": a}

@requires''', 1))
    target = f"{path}::strict/square"
    text = answer("replay", target)
    assert "exact, instance 7 at n=1" in text
    about = json.loads(answer("replay", target, "--json"))
    assert (about["address"], about["row"], about["lhs"]) == ("n=1;exact;7", 7, "64")
    again = json.loads(answer(*shlex.split(text.strip().splitlines()[-1])[1:], "--json"))
    assert (again["what"], again["lhs"], again["rhs"]) == ("this exact evidence", "64", "8")
    for place, line in [("n=1;exact;8", "row must be a whole number below 8, the instances there"),
                        ("n=1;exact;x", "row must be a whole number >= 0, got 'x'"),
                        ("n=2;exact;0", "has no cell 'n=2'")]:
        assert line in mistake("replay", target, "--address", place)


def test_replay_with_the_settings_of_an_audit_shows_its_draw(tmp_path, mine):
    store = tmp_path / "store"
    words = ["--seed", 5, "--replicates", 1500, "--alpha", "0.001"]
    answer("audit", mine, "--workers", 1, "--store", store, *words)
    stored = json.loads(answer("replay", mine, "--store", store, "--json"))
    assert stored == json.loads(answer("replay", mine, *words, "--json"))
    line = mistake("replay", mine, "--store", store, *words)
    assert "with --store nothing is tried anew: leave out --replicates, --alpha" in line
    assert "leave out --budget" in mistake("replay", mine, "--address", "n=10;0;0", "--budget",
                                           "full")


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        # All draws of a coin at n = 10 are at most 0.5.
        ("delta=[0.1, 0.01]", "delta=[1e-9]", "the draw nearest to breaking the bound"),
        ("delta=[0.1, 0.01]", "delta=[0.1]",
         "the draw furthest beyond the bound; draws may exceed it with probability delta"),
        ("(2 * n)", "(32 * n)",
         "the draw furthest beyond the bound at delta=0.01; draws may exceed it with probability "
         "delta (refuted: 4 of 4 refuted, first at n=10)"),
        ('.tail(\n    "theorem-2"', '.mean(\n    "theorem-2", low=-0.5, high=0.5',
         "the draw furthest beyond the bound; only the mean must stay below it"),
    ],
)
def test_replay_says_whether_the_draw_is_beyond_the_bound(variant, old, new, about):
    path = variant(old, new)
    if ".mean(" in new:
        path.write_text(path.read_text().replace("n, delta):", "n):").replace("1 / delta", "2")
                        .replace(", delta=[0.1, 0.01]", "").replace("/ (2 * n)", "/ (8 * n)"))
    steps = json.loads(answer("replay", path, "--json"))
    assert steps["what"] == about
    assert ("beyond" in about) == (float(steps["lhs"]) > float(steps["rhs"]))


def test_bound_without_a_formula_is_that_of_the_first_instance(tmp_path):
    path = tmp_path / "sides.py"
    path.write_text(STRICT.replace("bound=lambda a: a, simulate=pairs", "simulate=pairs")
                    .replace('"a": a}', '"rhs": 3 * a, "applies": a > 9, "a": a}')
                    .replace("grid=dict(n=[1])", "grid=dict(n=[1, 2])"))
    square = f"{path}::strict/square"
    text = answer("bound", square, "n=1,2")
    for line, cell in zip(text.splitlines(), ("n=1", "n=2"), strict=True):
        value, _, says = line.partition("  (")
        assert says.startswith("of the first draw, where the hypotheses do not hold; noisytheory")
        words = shlex.split(says.removesuffix(")").partition("; ")[2])
        assert words[1] == "replay" and words[-1] == f"{cell};0;0"
        steps = dict(json.loads(answer(*words[1:], "--json"))["steps"])
        assert float(value) == 3 * float(steps["a"])
    assert answer("bound", square) == text.splitlines()[0] + "\n"
    about = json.loads(answer("bound", square, "n=2", "--json"))
    assert about["points"][0]["address"] == "n=2;0;0" and about["points"][0]["of"] == "first draw"
    for words, line in [("n=3", "has no cell with n=3"), ("n=nan", "has no cell with n=nan"),
                        ("m=1", "unknown parameter 'm'"), ("1", "such as n=1"),
                        ("n=1 n=2", "n is given twice")]:
        assert line in mistake("bound", square, *words.split())


def test_bound_without_a_formula_is_exact_where_the_evidence_is(tmp_path):
    path = tmp_path / "sides.py"
    path.write_text(STRICT.replace("bound=lambda a: a, simulate=pairs,", "exact=every,")
                    .replace("@requires", '''
def every(n):
    a = np.arange(2, 9)
    return {"lhs": a**2.0, "rhs": a, "a": a}

@requires''', 1))
    square = f"{path}::strict/square"
    assert answer("bound", square) == (
        "2.0  (exact, of instance 0 of 7; noisytheory replay "
        f"{shlex.quote(square)} --address 'n=1;exact;0')\n"
    )
    (point,) = json.loads(answer("bound", square, "--json"))["points"]
    assert point["of"] == "exact evidence"
    assert json.loads(answer("replay", square, "--address", point["address"],
                             "--json"))["rhs"] == "2"
    assert "draws nothing: block must be exact" in mistake("replay", square, "--address", "n=1;0;0")


def test_replay_shows_the_nearest_draw_and_any_other(tmp_path, mine):
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 1, "--budget", "smoke", "--store", store, "--seed", 3)
    stored = json.loads(answer("replay", mine, "--store", store, "--json"))
    assert stored["what"].startswith("the draw furthest beyond the bound at delta=0.01; ")
    assert stored == json.loads(answer("replay", mine, "--seed", 3, "--json"))
    address = stored["address"]
    drawn = json.loads(answer("replay", mine, "--seed", 3, "--address", address, "--json"))
    assert drawn["lhs"] == stored["lhs"] and drawn["rhs"] == stored["rhs"]
    other = json.loads(answer("replay", mine, "--store", store, "--address", "n=10;0;5", "--json"))
    assert other["row"] == 5 and float(other["lhs"]) <= float(stored["lhs"]) + 0.5


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--address n=10", "address must be CELL;BLOCK;ROW, such as 'n=10;0;0'"),
        ("--address n=11;0;0", "has no cell 'n=11'; did you mean n=10"),
        ("--address n=10;x;0", "block must be a whole number >= 0, got 'x'"),
        ("--address n=10;0;-1", "row must be a whole number >= 0, got '-1'"),
        ("--address n=10;0;1024", "row must be a whole number below 1024"),
        ("--seed -1", "-1 is not in the range x>=0"),
    ],
)
def test_wrong_addresses_are_one_line(mine, words, line):
    assert line in mistake("replay", mine, *words.split())


def test_replay_of_what_was_not_drawn_is_one_line(tmp_path, strict, mine):
    assert "no simulation can decide it" in answer("replay", f"{strict}::strict/quoted")
    assert "draws nothing" in mistake("replay", f"{strict}::strict/quoted", "--address", "x;0;0")
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 1, "--budget", "smoke", "--store", store)
    line = mistake("replay", f"{strict}::strict/square", "--store", store)
    assert "has no finished claim strict/square" in line and "mine/theorem-2" in line
    assert "drawn with seed 2026, not 3" in mistake("replay", mine, "--store", store, "--seed", 3)
    mine.write_text(HOEFFDING.replace("- 0.5\n", "- 0.5 + 0\n"))
    cli._claims_in.cache_clear()
    assert "other code or versions" in mistake("replay", mine, "--store", store)


def test_a_store_of_another_version_is_one_line(tmp_path, mine):
    store = tmp_path / "store"
    answer("audit", mine, "--workers", 1, "--budget", "smoke", "--store", store)
    root = store / "zarr.json"
    root.write_text(root.read_text().replace(f'"{cli.__version__}"', '"0.0.1"'))
    for words in (["report", store, "--output", tmp_path / "pages"],
                  ["replay", mine, "--store", store],
                  ["audit", mine, "--workers", 1, "--budget", "smoke", "--store", store]):
        assert "0.0.1" in mistake(*words)
    assert not (tmp_path / "pages").exists()


def test_a_fault_of_ours_is_three_and_says_how_to_see_it(mine, monkeypatch):
    def fails(*args, **settings):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(run, "audit", fails)
    line = mistake("audit", mine, "--workers", 1, code=3)
    assert "a fault of ours: RuntimeError: two lines" in line and "NOISYTHEORY_DEBUG=1" in line
    monkeypatch.setenv("NOISYTHEORY_DEBUG", "1")
    result = invoke("audit", mine, "--workers", 1)
    assert result.exit_code == 3 and "Traceback" in result.stderr


def test_a_library_value_error_is_not_taken_for_the_users(mine, monkeypatch):
    monkeypatch.setattr(run, "audit", lambda *args, **settings: int("no number"))
    monkeypatch.setattr(cli, "_module", lambda frame: "json.decoder")
    assert "a fault of ours: ValueError" in mistake("audit", mine, "--workers", 1, code=3)


def test_an_interrupted_audit_says_how_to_go_on(mine, monkeypatch, tmp_path):
    def interrupted(*args, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "audit", interrupted)
    line = mistake("audit", mine, "--workers", 1, "--store", tmp_path / "kept", code=130)
    assert "kept is whole: the same command goes on from there" in line
    assert "nothing was kept; with --store PATH" in mistake("audit", mine, code=130)


def shell(*words, **settings):
    command = [sys.executable, "-m", "noisytheory", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **settings)


SLOW = HOEFFDING.replace("n=[10, 100]", "n=list(range(10, 500))").replace(
    "    return rng", "    import time; time.sleep(0.05)\n    return rng"
)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_stopped_by_a_signal_goes_on_from_its_store(tmp_path, number):
    path, store = tmp_path / "slow.py", tmp_path / "store"
    path.write_text(SLOW)
    words = ["audit", path, "--workers", "2", "--store", store]
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", *words], text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Who runs the tests in the background has had them ignore the key.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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

    with Store.open(store, {"seed": 2026, "version": cli.__version__}) as kept:
        claim = cli._claims_in(path.resolve())[0]
        blocks = kept.claim(claim.id, claim.fingerprint(), {"lhs": "<f8"}, claim.size, claim.rows)
        assert len(blocks) > 1 and blocks.damaged == 0


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes")
def test_workers_do_not_outlive_a_killed_run(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", "audit", path, "--workers", "2"],
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
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
    process.wait(timeout=60)
    while alive():
        assert time.monotonic() < deadline, "workers are left"
        time.sleep(0.05)


def test_a_closed_pipe_is_silent(mine):
    command = (
        f"{sys.executable} -m noisytheory audit {mine} --budget smoke --workers 1 | true; "
        'echo "${PIPESTATUS[0]}"'
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_json_of_two_workers_that_print_is_alone_on_standard_output(variant):
    path = variant("    return rng", "    import os; os.write(1, b'noise')\n    return rng")
    done = shell("audit", path, "--budget", "smoke", "--workers", 2, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["workers"] == "2 processes"
    assert "noise" in done.stderr


def test_nothing_but_answers_in_a_pipe(mine):
    done = shell("audit", mine, "--budget", "smoke", "--workers", 1)
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout


def test_help_is_fast():
    def processor_seconds():
        before = os.times()
        assert shell("--help").returncode == 0
        after = os.times()
        return (after.children_user - before.children_user
                + after.children_system - before.children_system)

    # Processor time, because others may be using this machine; 0.1 s when nobody does.
    assert min(processor_seconds() for _ in range(3)) < 0.3
    loaded = (
        "import sys, noisytheory.cli; "
        "print([m for m in ('numpy', 'scipy', 'xarray', 'rich', 'multiprocessing') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_terminal_gets_bars_symbols_and_colours(mine):
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", "audit", mine, "--workers", "1", "--budget", "smoke"],
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


@pytest.mark.skipif(not TOPICS, reason="no topics")
class TestTheCatalogue:
    """The claims in the box, by id."""

    def test_the_bound_of_theorem_5(self):
        value = float(answer("bound", "kernel-mean/theorem-5", "n=400", "delta=0.05"))
        assert value == pytest.approx(2 / 20 + (2 * 2.995732273553991 / 400) ** 0.5, rel=1e-14)
        assert answer("bound", "kernel-mean/theorem-5", "n=400", "delta=0.05").startswith("0.22238")

    def test_patterns_and_prefixes(self):
        everything = json.loads(answer("claims", "--json"))
        ids = [entry["id"] for entry in everything]
        assert "kernel-mean/theorem-5" in ids
        under = json.loads(answer("claims", "kernel-mean", "--json"))
        assert under == json.loads(answer("claims", "kernel-mean/*", "--json"))
        assert len(under) > 5

    def test_discrepancies_are_listed_by_paper_and_number(self):
        everything = json.loads(answer("discrepancies", "--json"))
        assert {entry["paper"] for entry in everything} == {
            claim.paper.id for claim in nt.claims.values() if claim.paper.discrepancies
        }
        (one,) = json.loads(answer("discrepancies", "D12", "--json"))
        assert one["place"] == "Corollary 23, Sec. 6" and one["why"] is None
        assert one["claims"] == [{
            "id": "kernel-mean/corollary-23/printed", "expected": "refuted", "origin": "paper",
        }]
        paper = json.loads(answer("discrepancies", "average-classifier", "--json"))
        assert paper == [entry for entry in everything if entry["paper"] == "average-classifier"]
        text = answer("discrepancies")
        for entry in everything:
            assert entry["number"] in text and entry["true"] in text
        assert "as printed" not in answer("discrepancies", "A11")
        assert "Bookkeeping" in answer("discrepancies", "kernel-mean/D22")

    def test_an_unknown_number_is_one_line(self):
        assert "no paper or number 'D99'; did you mean D9" in mistake("discrepancies", "D99")

    def test_unknown_ids_are_one_line_that_offers_the_nearest(self):
        line = mistake("show", "kernel-mean/theorem5")
        assert "unknown claim id 'kernel-mean/theorem5'" in line and "kernel-mean/theorem-5" in line
        assert "no claim matches 'nothing/*'" in mistake("audit", "nothing/*")

    def test_every_claim_has_a_right_side_unless_it_is_cited(self):
        from noisytheory.trial.catalogue import catalogue

        for claim in catalogue().values():
            if claim.kind == "cited" and claim.bound is None:
                assert "has no bound to evaluate" in mistake("bound", claim.id)
            elif claim.bound is None:
                (point,) = json.loads(answer("bound", claim.id, "--json"))["points"]
                assert point["of"] in ("exact evidence", "first draw")
                cell, block, row = cli._place_of(claim, point["address"])
                assert (cell, row) == (0, 0) and (block < 0) == (point["of"] == "exact evidence")

    def test_an_exact_cell_shows_the_level_that_it_was_picked_by(self):
        steps = json.loads(answer("replay", "kernel-mean/theorem-5", "--json"))
        found = run.audit("kernel-mean/theorem-5", budget="smoke")["kernel-mean/theorem-5"]
        ratio = float(steps["lhs"].partition(" ")[0]) / float(steps["rhs"])
        assert ratio == pytest.approx(float(found.summary["tightness"].max()), rel=1e-6)
        assert steps["what"] == "exact, nearest to breaking the bound"

    def test_a_key_that_is_no_text_is_a_key_error(self):
        import noisytheory

        with pytest.raises(KeyError, match=r"a claim's id is text such as 'kernel-mean/.*, got 3"):
            noisytheory.claims[3]

    def test_every_claim_can_be_shown(self):
        for entry in json.loads(answer("claims", "--json")):
            about = json.loads(answer("show", entry["id"], "--json"))
            assert about["statement"] == entry["statement"]

    def test_an_audit_by_id_with_a_report(self, tmp_path):
        store, folder = tmp_path / "store", tmp_path / "report"
        text = answer("audit", "kernel-mean/theorem-5", "--budget", "smoke", "--workers", 1,
                      "--store", store, "--report", folder)
        assert f"report {folder / 'index.html'}" in text
        again = answer("report", store, "--output", tmp_path / "again").strip()
        assert Path(again) == tmp_path / "again" / "index.html" and Path(again).is_file()
