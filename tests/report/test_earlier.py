"""A report in the place of a bigger one: what that one wrote goes, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import planted
import pytest

from noisytheory import audit
from noisytheory.report import earlier, pages, write
from noisytheory.report.files import save
from noisytheory.trial.store import Damaged, Remark, Store


def everything(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Of two claims, one of them in a folder of its own, and of the other one."""
    place = tmp_path_factory.mktemp("of")
    both = [planted.hoeffding(), planted.hoeffding("fine/printed")]
    audit(both, budget="smoke", store=place / "big").close()
    audit(both[:1], budget="smoke", store=place / "small").close()
    return place / "big", place / "small"


@pytest.fixture
def folder(tmp_path, stores):
    """With the bigger report in it."""
    write(stores[0], tmp_path / "report")
    return tmp_path / "report"


@pytest.fixture
def alone(tmp_path, stores):
    """Everything of the smaller report, in a new folder."""
    write(stores[1], tmp_path / "alone")
    return everything(tmp_path / "alone")


def test_what_only_the_earlier_report_has_goes_and_is_said(folder, stores, alone):
    """Its pages stayed, looked current, and were linked from nowhere."""
    gone = everything(folder).keys() - alone.keys()
    assert "planted/fine/printed.html" in gone and "planted/fine" in gone
    pictures = [name for name in gone if name.endswith(".svg")]
    assert pictures
    files = sum("." in name for name in gone)
    with pytest.warns(Remark, match=rf"^removed .* this one does not: \S+ and {files - 1} more$"):
        write(stores[1], folder)
    assert everything(folder) == alone
    write(stores[1], folder)
    write(stores[0], folder)
    assert gone < everything(folder).keys()


def test_what_somebody_has_put_there_or_changed_stays(tmp_path, folder, stores, alone):
    only = everything(folder).keys() - alone.keys()
    changed = folder / "planted/fine/printed.md"
    for name, text in {
        "notes.html": b"notes\n", "planted/fine/notes.html": b"notes\n",
        "planted/fine/before.html": (folder / "planted/fine/printed.html").read_bytes(),
        "planted/fine/printed.md": changed.read_bytes() + b"notes\n",
    }.items():
        (folder / name).write_bytes(text)
    (folder / "planted" / "empty").mkdir()
    for within in ("planted", "planted/fine", "inside"):
        write(stores[0], folder / within)
    before = everything(folder)
    with pytest.warns(Remark) as said:
        write(stores[1], folder)
    assert str(said[1].message).startswith(
        f"left what an earlier report wrote and this one does not: {changed} (it was changed since")
    stay = {"planted/fine", "planted/fine/printed.md"}
    assert everything(folder) == {
        name: text for name, text in {**before, **alone}.items() if name not in only - stay}
    write(stores[1], folder)  # What is left is said once.


def test_no_link_is_followed_and_no_list_leads_out_of_the_folder(tmp_path, folder, stores):
    elsewhere = tmp_path / "elsewhere"
    shutil.move(folder / "planted" / "fine", elsewhere)
    (folder / "planted" / "fine").symlink_to(elsewhere)
    save(tmp_path, "beside.html", "a page")
    (folder / "linked.html").symlink_to(tmp_path / "beside.html")
    names = json.loads((folder / earlier.WRITTEN).read_text().splitlines()[0])
    earlier.note(folder, [*names, "../beside.html", str(tmp_path / "beside.html"), "linked.html",
                          "planted/../../beside.html", "planted", "inside/.."])
    before = everything(elsewhere)
    with pytest.warns(Remark):
        write(stores[1], folder)
    assert everything(elsewhere) == before and len(before) > 2
    assert (tmp_path / "beside.html").is_file() and (folder / "linked.html").is_symlink()
    assert (folder / "planted" / "fine").is_symlink()


@pytest.mark.parametrize("text", ["", "{}", "3", "[[1]]", '["a\\u0000b"]', "[1, null]"])
def test_a_list_of_another_form_removes_nothing(folder, stores, text):
    save(folder, earlier.WRITTEN, text)
    before = everything(folder).keys()
    write(stores[1], folder)
    assert everything(folder).keys() == before


@pytest.mark.filterwarnings("ignore::noisytheory.trial.store.Remark")
def test_a_report_that_is_killed_at_any_instant_leaves_nothing_to_the_next(
    tmp_path, folder, stores, alone, monkeypatch
):
    """Whatever is written or removed next never is; then the smaller report is written."""
    class Killed(BaseException):
        pass

    def mortal(act):
        def before(*words):
            if next(left, None) is None:
                raise Killed
            return act(*words)
        return before

    for number, store in enumerate((stores[0], stores[1])):
        killed = 0
        for after in range(0, 100, 1 if number else 7):
            here = tmp_path / f"{number}-{after}"
            if number:  # over the bigger report
                shutil.copytree(folder, here)
            left = iter(range(after))
            with monkeypatch.context() as patch:
                for module in (earlier, pages):
                    patch.setattr(module, "save", mortal(save))
                for name in ("unlink", "rmdir"):
                    patch.setattr(Path, name, mortal(getattr(Path, name)))
                try:
                    write(store, here)
                except Killed:
                    ended = False
                else:
                    ended = True
            write(stores[1], here)
            found = everything(here)
            # But for a folder, of which the last file had gone.
            assert {name: text for name, text in found.items() if text is not None} == {
                name: text for name, text in alone.items() if text is not None}
            if ended:
                break
            killed += 1
        assert ended and killed > (10 if number else 2)


def test_of_a_damaged_store_nothing_is_removed(tmp_path, folder, stores):
    """The page of an earlier report may be the last trace of what was damaged."""
    store, page = tmp_path / "store", folder / "planted" / "fine" / "printed.html"
    before = page.read_bytes()
    for name in ("zarr.json", "lhs/zarr.json"):
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(stores[0], store)
        (bad,) = store.glob(f"planted/*printed*/{name}")
        bad.write_bytes(b"{")
        with pytest.warns((Damaged, Remark)) as said, Store.load(store) as opened:
            write(opened, folder)
        assert any(str(one.message).endswith("(the store is damaged)") for one in said)
        assert page.read_bytes() == before
    with pytest.warns(Remark, match="removed"):
        write(stores[1], folder)
    assert not page.exists()


def test_a_report_waits_for_another_one_at_its_place(folder, stores, alone, monkeypatch):
    """It would remove what the other one writes."""
    other = earlier.alone(folder)
    assert other.__enter__()
    flock = earlier.fcntl.flock

    def waited(held, how):
        if not how & earlier.fcntl.LOCK_NB:
            other.__exit__(None, None, None)
        flock(held, how)

    monkeypatch.setattr(earlier.fcntl, "flock", waited)
    with pytest.warns(Remark) as said:
        write(stores[1], folder)
    assert "another report is being written to the folder" in str(said[0].message)
    assert everything(folder) == alone


@pytest.mark.parametrize("what", ["no locks", "none there", "not opened"])
def test_where_no_lock_is_to_be_had_nothing_is_removed(folder, stores, alone, monkeypatch, what):
    before = everything(folder)

    usual = os.open

    def refused(what, *words):
        if what == folder or isinstance(what, int):
            raise OSError(95, "Operation not supported")
        return usual(what, *words)

    with monkeypatch.context() as patch:
        if what == "no locks":
            patch.setattr(earlier, "fcntl", None)
        elif what == "none there":
            patch.setattr(earlier.fcntl, "flock", refused)
        else:
            patch.setattr(earlier.os, "open", refused)
        with pytest.warns(Remark, match=r"left what .* \(the folder cannot be locked\)"):
            write(stores[1], folder)
    assert everything(folder).keys() == before.keys()
    with pytest.warns(Remark, match="removed"):
        write(stores[1], folder)
    assert everything(folder) == alone


def test_what_the_system_does_not_let_go_is_said(folder, stores, monkeypatch):
    def refused(path, **more):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.warns(Remark, match=r"left what .* and \d+ more \(it was changed since, or cannot"):
        write(stores[1], folder)
    assert (folder / "planted" / "fine" / "printed.html").exists()


def test_a_name_that_the_system_does_not_tell_from_another_is_no_other_file(folder, stores):
    """Where case makes no difference both names are of one file."""
    page = folder / "planted" / "hoeffding.html"
    os.link(page, folder / "planted" / "Hoeffding.html")
    here = {earlier._identity(page)}
    assert earlier._identity(folder / "planted" / "Hoeffding.html") in here
    said = earlier.remove(folder, ["planted/Hoeffding.html"], ["planted/hoeffding.html"])
    assert said == [] and (folder / "planted" / "Hoeffding.html").exists()
