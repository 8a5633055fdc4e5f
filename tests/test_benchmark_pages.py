"""Recorded benchmarks become pages: who was ahead, by how much, and which goals were missed."""

from __future__ import annotations

import json
import re
from xml.etree.ElementTree import fromstring

import benchmark_pages
import pytest

RECORDED = {
    "title": "Herding", "command": "python validation/benchmarks/sparse.py",
    "protocol": "Least seconds, 3 rounds",
    "machine": {"cores": 2, "dgemm_gflops": 51.2}, "versions": {"numpy": "2.3.0"},
    "rows": [
        {"work": "n=50,000", "who": "noisytheory (float64)", "seconds": 2.0, "peak_mib": 17.0,
         "error": 0.00607, "note": "blocks of $n$ <rows>"},
        {"work": "n=50,000", "who": "rival 1.0", "seconds": 14.4, "peak_mib": 340.0,
         "error": 0.00607, "note": ""},
        {"work": "n=50,000", "who": "loop", "seconds": 100.0, "peak_mib": None, "error": None,
         "note": ""},
        {"work": "n=500", "who": "rival 1.0", "seconds": 0.01, "peak_mib": 1.0, "error": 0.1},
        {"work": "n=500", "who": "noisytheory", "seconds": 0.02, "peak_mib": 1.0, "error": 0.1},
        {"work": "alone", "who": "noisytheory", "seconds": 0.5, "peak_mib": 1.0, "error": None},
        {"work": "too large", "who": "rival 1.0", "seconds": None, "note": "out of memory"},
        {"work": "too large", "who": "noisytheory", "seconds": 9.0, "peak_mib": 8.0},
        {"work": "mixed", "who": "noisytheory", "seconds": 2.0, "peak_mib": 8.0},
        {"work": "mixed", "who": "noisytheory (float32)", "seconds": 1.0, "peak_mib": 4.0},
        {"work": "mixed", "who": "swift", "seconds": 3.0, "peak_mib": 2.0,
         "note": "float32 inside"},
        {"work": "mixed", "who": "slow", "seconds": 8.0, "peak_mib": 6.0, "note": "like float32"},
    ],
    "goals": [
        {"work": "n=50,000", "goal": "10 x the rival", "measured": "7.2 x", "reached": False,
         "why": "memory-bound"},
        {"work": "n=500", "goal": "no more than 1 s", "measured": "0.02 s", "reached": True,
         "why": ""},
        {"work": "mixed", "goal": "3 x slow", "measured": "4 x", "reached": True, "why": "",
         "who": "noisytheory", "rival": "slow"},
        {"work": "mixed", "goal": "2 x swift", "measured": "3 x", "reached": True, "why": "",
         "who": "noisytheory (float32)", "rival": "swift"},
    ],
}


@pytest.fixture
def folder(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    (results / "sparse.json").write_text(json.dumps(RECORDED))
    assert benchmark_pages.write(tmp_path / "out", results)
    return tmp_path / "out"


def cells(text, who):
    return [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in text.splitlines() if line.startswith(f"| {who}")
    ]


def test_every_row_stands_against_the_best_rival(folder):
    text = (folder / "benchmarks.md").read_text()
    assert "\nLeast seconds, 3 rounds.\n" in text
    big, small, alone, large, single, double = cells(text, "noisytheory")
    assert big[1:5] == ["2", "7.2 × faster", "17", "0.00607"]
    assert small[2] == "2 × slower"
    assert alone[2] == large[2] == "–"
    assert [row[2] for row in cells(text, "rival")] == ["best rival", "best rival", "–"]
    assert cells(text, "loop")[0][2:5] == ["6.9 × its time", "–", "–"]
    assert single[2:5] == ["float32", "3 × faster", "3 × faster"]
    assert double[2:5] == ["float64", "1.5 × faster", "4 × faster"]
    assert cells(text, "swift")[0][2:5] == ["float32", "best rival", "best of its precision"]
    assert cells(text, "slow")[0][2:5] == ["float64", "2.7 × its time", "best of its precision"]


def test_goals_say_whether_they_were_reached_and_why_not(folder):
    text = (folder / "benchmarks.md").read_text()
    assert "3 of 4 goals are reached" in text
    assert "| n=50,000 | 10 x the rival | – | 7.2 x | ✘ not reached | memory-bound |" in text
    assert "| n=500 | no more than 1 s | – | 0.02 s | ✔ reached |  |" in text
    missed = text.partition("## Goals not reached")[2].partition("\n## ")[0]
    assert "| n=50,000 | 10 x the rival | 7.2 x | memory-bound |" in missed
    assert "n=500 |" not in missed


def test_a_goal_says_whom_it_compares_and_how_the_best_rival_does(folder):
    text = (folder / "benchmarks.md").read_text()
    unlike = "noisytheory (float64) with slow (float64)"
    unlike += "; with the best rival, swift (float32), 1.5 x"
    assert f"| 3 x slow | {unlike} |" in text
    alike = "noisytheory (float32) with swift (float32), the best rival"
    assert f"| 2 x swift | {alike} |" in text


def test_the_page_says_the_same_and_keeps_text_as_text(folder):
    page = (folder / "benchmarks.html").read_text()
    assert "7.2 × faster" in page and "not reached" in page and "51.2" in page
    assert "<math" in page and "<rows>" not in page
    for name in re.findall(r'(?:href|src)="([^"]+)"', page):
        assert name == "index.html" or (folder / name).is_file()


def test_the_picture_has_a_row_for_every_work_with_a_rival(folder):
    picture = (folder / "benchmarks.svg").read_text()
    text = "".join(fromstring(picture).itertext())
    assert "Faster than the best rival in 3 of 4 comparisons" in text
    assert "in no more memory than the smallest in 2 of 4" in text
    assert "n=50,000" in text and "alone" not in text
    assert "mixed, float32" in text and "mixed, float64" in text
    page = (folder / "benchmarks.md").read_text()
    assert "Slower: n=500. In more memory: mixed, float32; mixed, float64." in page


def test_the_same_results_give_the_same_bytes(folder, tmp_path):
    benchmark_pages.write(tmp_path / "again", tmp_path / "results")
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_nothing_recorded_writes_nothing(tmp_path):
    assert not benchmark_pages.write(tmp_path / "out", tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("change", "says"), [
    ({"versions": None}, "sparse.json has no 'versions'"),
    ({"rows": [{"work": "n=500", "who": "x"}]}, "a row has no 'seconds'"),
    ({"goals": [{"work": "n=5", "goal": "", "measured": "", "reached": True}]},
     "a goal is of 'n=5', which no row has"),
    ({"goals": [{"work": "n=500", "goal": "", "measured": "", "reached": True,
                 "who": "noisytheory", "rival": "nobody"}]},
     "a goal compares 'nobody', which was not timed"),
])
def test_a_broken_file_is_named(tmp_path, change, says):
    told = {k: v for k, v in (RECORDED | change).items() if v is not None}
    (tmp_path / "sparse.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match=re.escape(says)):
        benchmark_pages.read(tmp_path)


def test_what_the_repository_has_recorded_can_be_read():
    for benchmark in benchmark_pages.read():
        assert benchmark.works and benchmark.machine
