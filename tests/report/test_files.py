"""Files are put in their place, whatever stands there."""

from __future__ import annotations

from noisytheory.report.files import save


def test_nothing_is_written_through_a_link(tmp_path):
    """A page went into the file of somebody else that a link in the folder led to."""
    (tmp_path / "thesis").write_text("ten years of work")
    (tmp_path / "report").mkdir()
    for name in ("index.html", "README.md"):
        (tmp_path / "report" / name).symlink_to(tmp_path / "thesis")
    save(tmp_path / "report" / "index.html", "a page")
    save(tmp_path / "report" / "README.md", "a page")
    assert (tmp_path / "thesis").read_text() == "ten years of work"
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"index.html", "README.md"}
    for path in (tmp_path / "report").iterdir():
        assert path.read_text() == "a page\n" and not path.is_symlink()
