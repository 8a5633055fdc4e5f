"""Claims by id, pattern, file and keyword, and what is known of them."""

from __future__ import annotations

import json
import os
import signal

import campaign
import pytest
from commands import HOEFFDING, answer, in_a_process, mistake

import noisytheory as nt


def test_claims_lists_what_a_file_declares(mine):
    rows = answer("claims", mine).splitlines()
    assert rows[0].split() == ["id", "kind", "expected", "place", "in", "print"]
    assert rows[1].split() == ["mine/theorem-2", "tail", "upheld", "Theorem", "2"]
    (entry,) = json.loads(answer("claims", mine, "--json"))
    assert entry["id"] == "mine/theorem-2" and entry["expected"] == "upheld"
    # It was said to be the paper's.
    assert entry["origin"] == "user" and "\norigin      user\n" in answer("show", mine)
    assert "\norigin      paper\n" in answer("show", "kernel-mean/theorem-5")


def test_a_file_moves_no_store_and_keeps_interrupts_heard(tmp_path, monkeypatch):
    """It went elsewhere, and store and report with it; or no key ended the audit any more."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    heard, mask = signal.getsignal(signal.SIGINT), os.umask(0o22)
    (tmp_path / "moves.py").write_text(
        "import os, signal\nos.chdir('elsewhere')\nos.umask(0o777)\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + HOEFFDING)
    try:
        answer("audit", "moves.py", "--workers", 0, "--budget", "smoke", "--store", "store",
               "--report", "pages")
        assert signal.getsignal(signal.SIGINT) is heard and os.umask(0o22) == 0o22
    finally:
        signal.signal(signal.SIGINT, heard)
        os.umask(mask)
    assert (tmp_path / "store" / "zarr.json").is_file()
    assert (tmp_path / "pages" / "index.html").is_file()
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("command", ["audit", "bound", "claims", "compare", "replay", "show"])
def test_a_link_that_leads_to_itself_is_no_file(tmp_path, command):
    """It was a fault of ours."""
    (tmp_path / "loop.py").symlink_to("loop.py")
    line = mistake(command, tmp_path / "loop.py")
    assert f"no such file: {tmp_path}/loop.py" in line


@pytest.mark.crash
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import ctypes; ctypes.string_at(0)", "ends the process that reads it: SIGSEGV"),
        ("import os; os.closerange(0, 9)", "closes the streams of the process that reads it"),
    ],
)
def test_a_file_that_ends_who_reads_it_is_one_line(tmp_path, code, line):
    file = tmp_path / "ends.py"
    file.write_text(code)
    done = in_a_process("show", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"noisytheory show: {file} {line}\n"


@pytest.mark.crash
@pytest.mark.parametrize(
    ("words", "code", "how"),
    [
        (("bound", "n=10", "delta=0.1"), "ctypes.string_at(0)", "SIGSEGV"),
        (("compare", "n=10:1000:log", "delta=0.1"), "ctypes.CDLL(None)._exit(0)", "exit code 0"),
        (("replay", "--address", "n=10;0;0"), "ctypes.string_at(0)", "SIGSEGV"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else None,
)
def test_a_function_that_ends_who_calls_it_is_one_line(tmp_path, words, code, how):
    file = tmp_path / "ends.py"
    file.write_text(HOEFFDING.replace("    return np.sqrt", f"    {code}\n    return np.sqrt")
                    .replace("import numpy", "import ctypes\nimport numpy"))
    command, *rest = words
    done = in_a_process(command, file, *rest)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"noisytheory {command}: {file} ends the process that works on it: {how}\n"
    )


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
    assert about["arguments"][0] == {"name": "n", "allowed": "a whole number >= 1", "words": None,
                                     "default": None, "required": True, "from": "the grid"}


def test_show_lists_the_words_of_kernels_and_losses():
    text = answer("show", "noisy-kernels/theorem-1-regret")
    assert "  kernel: linear; homogeneous(degree=2); " in text
    assert "gaussian(sigma2=1) (from the population)" in text
    assert "  loss: linear(c=-1, form=classification); squared(" in text


def test_several_claims_in_one_file_need_an_id(strict):
    assert "strict.py::ID" in mistake("show", strict)
    assert "did you mean strict/square" in mistake("show", f"{strict}::strict/squares")


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


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize("command", ["audit", "bound", "claims", "compare", "replay", "show"])
def test_what_is_no_file_is_said_to_be_what_it_is(tmp_path, command):
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "device.py").symlink_to(os.devnull)
    for name, what in {"pipe": "a pipe", "folder": "a folder", "device": "a device"}.items():
        more = ["n=1"] if command == "compare" else []
        line = mistake(command, tmp_path / f"{name}.py", *more)
        assert f" is {what}, not a file" in line


def test_show_of_a_quotation_has_no_left_side_and_no_blocks():
    text = answer("show", "average-classifier/theorem-3")
    assert "left side" not in text and "replicates" not in text
    assert "not tried   formula lost in print" in text
    enumerated = answer("show", "kernel-mean/proposition-26")
    assert "cells       1, exact\n" in enumerated and "replicates" not in enumerated
    drawn = answer("show", "kernel-mean/theorem-5")
    rows = nt.claims["kernel-mean/theorem-5"].rows
    assert f"blocks of {rows} replicates, exact where it can be\n" in drawn


def test_patterns_and_prefixes():
    everything = json.loads(answer("claims", "--json"))
    ids = [entry["id"] for entry in everything]
    assert "kernel-mean/theorem-5" in ids
    under = json.loads(answer("claims", "kernel-mean", "--json"))
    assert under == json.loads(answer("claims", "kernel-mean/*", "--json"))
    assert len(under) > 5


def test_discrepancies_are_listed_by_paper_and_number():
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
    read = answer("discrepancies", "top-k/T2")
    assert "read as" in read and "only when" in read and "as printed" not in read


def test_an_unknown_number_is_one_line():
    assert "no paper or number 'D99'; did you mean D9" in mistake("discrepancies", "D99")
    assert "no paper or number 'top-k/D-99'" in mistake("discrepancies", "top-k/D-99")


def test_a_number_is_found_under_another_letter_or_it_is_said_whose_it_is():
    for number in (1, 28):
        (entry,) = json.loads(answer("discrepancies", f"top-k/D-{number:02}", "--json"))
        assert (entry["paper"], entry["number"]) == ("top-k", f"T{number}")
    line = mistake("discrepancies", "D-05")
    for those in ("D5 of kernel-mean", "A5 of average-classifier", "T5 of top-k"):
        assert those in line
    assert "T28 of top-k" in mistake("discrepancies", "D-28")
    assert "A12" not in mistake("discrepancies", "D-28")


@pytest.mark.parametrize("command", ["audit", "bound", "claims", "compare", "replay", "show"])
def test_a_word_that_is_too_long_for_a_file_is_an_unknown_id(command):
    """What was said is that a file of that name could not be read."""
    line = mistake(command, "(" * 5000)
    assert "unknown claim id '(((" in line and len(line) < 700
    assert "no claim matches '[(((" in mistake(command, "[" + "(" * 5000)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"import noisytheory\n# caf\xe9\n", 2), (b"# caf\xe9\n", 1),
        (b"# coding: ascii\n\nx = 1  # caf\xe9\n", 3), (b"\n\n\nx = 'caf\xe9'", 4),
    ],
)
def test_a_file_that_is_no_text_is_one_line(tmp_path, text, line):
    """Python itself runs no such file, but the imports of some versions take it."""
    (tmp_path / "latin.py").write_bytes(text)
    said = mistake("claims", tmp_path / "latin.py")
    coding = "ascii" if b"ascii" in text else "utf-8"
    what = f"line {line}: the byte 0xe9 is no {coding} text: save the"
    assert f"claims: {tmp_path}/latin.py, {what}" in said


def test_a_file_may_declare_its_coding(mine):
    mine.write_bytes(b"# coding: latin-1\n# caf\xe9\n" + mine.read_bytes())
    assert "mine/theorem-2" in answer("claims", mine)
    other = mine.with_name("other.py")
    other.write_bytes(mine.read_bytes().replace(b"latin-1", b"rot13"))
    assert "'rot13' is not a text encoding" in mistake("claims", other)


def test_unknown_ids_are_one_line_that_offers_the_nearest():
    line = mistake("show", "kernel-mean/theorem5")
    assert "unknown claim id 'kernel-mean/theorem5'" in line and "kernel-mean/theorem-5" in line
    assert "no claim matches 'nothing/*'" in mistake("audit", "nothing/*")


def test_a_key_that_is_no_text_is_a_key_error():
    import noisytheory

    with pytest.raises(KeyError, match=r"a claim's id is text such as 'kernel-mean/.*, got 3"):
        noisytheory.claims[3]


def test_every_claim_can_be_shown():
    for entry in json.loads(answer("claims", "--json")):
        about = json.loads(answer("show", entry["id"], "--json"))
        assert about["statement"] == entry["statement"]


def test_a_file_whose_name_moves_the_cursor_is_refused(tmp_path):
    (tmp_path / "\x1b[31m.py").write_text("")
    told = mistake("claims", tmp_path / "\x1b[31m.py")
    assert r"the name of a file must be printable, got '\x1b[31m.py'" in told


@pytest.mark.parametrize("command", ["audit", "bound", "claims", "compare", "replay", "show"])
def test_a_file_is_named_as_it_was_given(tmp_path, monkeypatch, command):
    """Its folder was left out, and a file of the name lay in the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theorems").mkdir()
    (tmp_path / "theorem.py").write_text(HOEFFDING)
    assert mistake(command, "theorems/theorem.py").endswith("no such file: theorems/theorem.py")
    (tmp_path / "theorems" / "theorem.py").write_text("x = 1\n1 / x - x.y\n")
    assert ": ./theorems/theorem.py, line 2 raised" in mistake(command, "./theorems/theorem.py")
    line = mistake(command, "theorem.py::lemma")
    assert ": theorem.py declares no claim 'lemma'" in line


@pytest.mark.parametrize("workers", [0, 1])
def test_where_a_function_failed_is_named_as_the_file_was_given(tmp_path, monkeypatch, workers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theorems").mkdir()
    text = HOEFFDING.replace("trivial=0.5", "trivial=lambda n: 1 / 0")
    assert text != HOEFFDING
    (tmp_path / "theorems" / "theorem.py").write_text(text)
    line = mistake("audit", "theorems/theorem.py", "--workers", workers, "--budget", "smoke")
    assert ": theorems/theorem.py, line 15 raised ZeroDivisionError" in line


def _without_data(tmp_path, *words, folder=""):
    """A command where no copy of MNIST lies about."""
    settings = {"SCIKIT_LEARN_DATA": str(tmp_path / "none"), "NOISYTHEORY_DATA": str(folder)}
    return in_a_process(*words, env={**os.environ, **settings})


MNIST = "mnist.npz (MNIST as arrays x_train, y_train, x_test, y_test), not bundled: set " \
    "NOISYTHEORY_DATA to a folder that holds it"


@pytest.mark.parametrize("words", [["show"], ["audit"], ["claims", "-k"]])
def test_a_claim_without_its_data_says_which_file_and_how_to_give_it(tmp_path, words):
    """Its id was unknown."""
    done = _without_data(tmp_path, *words, "kernel-mean/theorem-5/mnist")
    line = f"noisytheory {words[0]}: kernel-mean/theorem-5/mnist needs {MNIST}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)
    done = _without_data(tmp_path, *words, "kernel-mean/theorem-5/mnst")
    assert done.returncode == 2 and "NOISYTHEORY_DATA" not in done.stderr


def test_a_folder_without_the_data_is_said_beside_the_answer(tmp_path):
    """It was accepted in silence."""
    ids = campaign.definition()["mnist"]
    plain = _without_data(tmp_path, "claims")
    assert plain.returncode == 0 and plain.stderr == ""
    assert not any(claim_id in plain.stdout for claim_id in ids)
    for folder, why in ((tmp_path / "none", "is none"), (tmp_path, "does not")):
        done = _without_data(tmp_path, "claims", folder=folder)
        assert (done.returncode, done.stdout) == (0, plain.stdout)
        assert done.stderr.startswith("noisytheory: left out: ") and done.stderr.count("\n") == 1
        assert done.stderr.endswith(f" need {MNIST}, now {folder}, which {why}\n")
        assert all(claim_id in done.stderr for claim_id in ids)
    done = _without_data(tmp_path, "show", "kernel-mean/theorem-5", folder=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
