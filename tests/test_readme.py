"""The README's programs run, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_program(number, tmp_path, monkeypatch, capsys):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    program = PROGRAMS[number].replace("workers=2", "workers=0")
    names: dict = {}
    exec(compile(program, f"README program {number}", "exec"), names)
    promised = re.findall(r"^print.*# (\[[0-9., ]+\])$", program, flags=re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert printed[len(printed) - len(promised) :] == promised
    assert bool(promised) == ("load_digits" in program)
    if "mine" in names:
        import noisytheory as nt

        assert nt.audit(names["mine"], budget="smoke").verdict == "upheld"


def test_the_readme_has_both_commands():
    commands = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    assert len(commands) == 2
    assert "noisytheory audit --report" in commands[0] and "pytest" in commands[1]


def test_the_readme_lists_how_to_name_a_claim_of_a_file():
    # That it works, the command line's own tests show.
    assert "noisytheory show FILE.py::ID" in README


def test_who_names_a_file_is_told_that_it_is_run():
    from commands import answer

    for text in (README, answer("audit", "--help")):
        assert "run as code" in " ".join(text.split())
