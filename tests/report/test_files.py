"""Files are put in their place, unless what stands there is somebody else's."""

from __future__ import annotations

import os

import planted
import pytest

from noisytheory import audit
from noisytheory.report import digest, earlier, pages, write
from noisytheory.report.files import own, save


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("what", ["link", "file", "empty", "folder", "pipe", "changed", "cut"])
def test_what_is_somebody_elses_is_left_alone_and_named(tmp_path, what):
    """A README.md of a user's own was overwritten without a word."""
    page, thesis = tmp_path / "README.md", tmp_path / "thesis"
    thesis.write_text("ten years of work")
    if what == "link":
        page.symlink_to(thesis)
    elif what == "folder":
        page.mkdir()
    elif what == "pipe":
        os.mkfifo(page)
    else:
        save(tmp_path, "README.md", "a page")
        text = page.read_text()
        changed = {"file": "my notes\n", "empty": "", "changed": text + "notes\n", "cut": text[:-1]}
        page.write_text(changed[what])
    before = everything(tmp_path)
    with pytest.raises(FileExistsError, match="it is left alone") as said:
        save(tmp_path, "README.md", "another page")
    assert said.value.filename == str(page)
    assert everything(tmp_path) == before and page.is_symlink() == (what == "link")


def test_what_a_report_wrote_is_replaced(tmp_path):
    for text in ("a page\n\nof lines", "another"):
        save(tmp_path, "one/page.md", text)
        assert own(tmp_path / "one" / "page.md") == text
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["page.md"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = tmp_path_factory.mktemp("of") / "store"
    audit([planted.hoeffding(), planted.always().broken()], budget="smoke", store=place).close()
    return place


def test_every_file_of_a_report_is_looked_at_before_any_is_written(tmp_path, store):
    write(store, tmp_path / "whole")
    names = [path.relative_to(tmp_path / "whole") for path in everything(tmp_path / "whole")]
    assert len(names) > 10
    for number, name in enumerate(names):
        there = tmp_path / str(number) / name
        there.parent.mkdir(parents=True)
        there.write_text("ten years of work")
        with pytest.raises(FileExistsError) as said:
            write(store, tmp_path / str(number))
        assert said.value.filename == str(there)
        assert list(everything(tmp_path / str(number)).values()) == [b"ten years of work"]


def test_a_report_that_was_ended_half_way_goes_on(tmp_path, store, monkeypatch):
    write(store, tmp_path / "whole")
    whole = {path.relative_to(tmp_path / "whole"): text
             for path, text in everything(tmp_path / "whole").items()}
    folder, ended, after = tmp_path / "ended", 0, 0
    while ended == after:
        after += 1

        left = iter(range(after))

        def some(folder, name, text, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            save(folder, name, text)

        with monkeypatch.context() as patch:
            for module in (earlier, pages):
                patch.setattr(module, "save", some)
            try:
                write(store, folder)
            except KeyboardInterrupt:
                ended += 1
    assert ended == len(whole) > 10  # the list of them is written twice
    write(store, folder)
    found = {path.relative_to(folder): text for path, text in everything(folder).items()}
    assert found == whole


def test_a_digest_is_of_a_folder_under_version_control(tmp_path, store):
    (tmp_path / "README.md").write_text("as it was published before")
    for _ in range(2):
        digest(store, tmp_path)
    assert (tmp_path / "README.md").read_text().startswith("# Learning theory on trial")
    assert not [path for path in everything(tmp_path) if own(path) is not None]
