"""What is delivered: whose a file is, and what is never read."""

import io
import stat
import zipfile
from pathlib import PurePosixPath

import pytest

from grading.classroom import inbox
from grading.classroom.inbox import Unowned, deliveries, owner_of, safe, shown

LABS = ["03_strides", "05_reductions"]


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def problems(path):
    return {str(file.path): file.problem for file in deliveries(path)}


@pytest.mark.parametrize(
    "path, student",
    [
        ("ada/anything.ipynb", "ada"),
        ("ada/sub/folder/x.ipynb", "ada"),
        ("ada/03_strides/03_strides.ipynb", "ada"),
        ("submitted/ada/03_strides/03_strides.ipynb", "ada"),
        ("03_strides/ada/x.ipynb", "ada"),
        ("ada_03_strides.ipynb", "ada"),
        ("ada.lovelace@example.org_03_strides.ipynb", "ada.lovelace@example.org"),
        ("03_strides_ada.ipynb", "ada"),
        ("03-strides ada (2).ipynb", "ada"),
        ("ada_lovelace_03_strides-1.ipynb", "ada_lovelace"),
        ("03_strides_1234567.ipynb", "1234567"),
        ("Ada Lovelace_12345_assignsubmission_file/x.ipynb", "Ada_Lovelace"),
        ("Ada Lovelace_12345_assignsubmission_file_/x.ipynb", "Ada_Lovelace"),
        ("Ada Lovelace_12345_assignsubmission_file_x.ipynb", "Ada_Lovelace"),
        ("lovelaceada_LATE_12345_67890_03_strides-1.ipynb", "lovelaceada"),
        ("lovelaceada_12345_67890_whatever.ipynb", "lovelaceada"),
        ("ada_03_strides.zip/x.ipynb", "ada"),
        ("李明/x.ipynb", "李明"),
    ],
)
def test_whose(path, student):
    assert owner_of(PurePosixPath(path), LABS).student == student


@pytest.mark.parametrize("path", ["03_strides.ipynb", "x.ipynb", "03_strides-1.ipynb"])
def test_nobodys(path):
    with pytest.raises(Unowned, match="whose it is"):
        owner_of(PurePosixPath(path), LABS)


def test_a_pattern_says_whose():
    path, pattern = PurePosixPath("group 7/hw-ada-final.ipynb"), r"hw-(?P<student>\w+)-"
    assert owner_of(path, LABS, pattern).student == "ada"
    with pytest.raises(Unowned, match="does not match the pattern"):
        owner_of(PurePosixPath("x.ipynb"), LABS, pattern)


@pytest.mark.parametrize(
    "name",
    ["..", "../../etc", "a/b", "a\\b", "a\nb", "-rf", ".hidden", "*[x]?", "a" * 500],
)
def test_names_are_safe(name):
    try:
        made = safe(name)
    except Unowned:
        assert name == ".."
        return
    assert not set(made) & set("/\\\n*?[]{} ") and ".." not in made
    assert made[0] not in ".-" and len(made) <= 100


def test_names_are_shown_without_what_a_terminal_obeys():
    assert shown("a\x1b[2J b\n\udcff/é") == "a\ufffd[2J b\ufffd\ufffd/é"


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.ipynb").write_text("secret")
    (tmp_path / "box" / "ada").mkdir(parents=True)
    (tmp_path / "box" / "ada" / "x.ipynb").symlink_to(secret / "x.ipynb")
    (tmp_path / "box" / "bob").symlink_to(secret)
    found = problems(tmp_path / "box")
    assert set(found) == {"ada/x.ipynb", "bob"}
    assert all("is a link" in problem for problem in found.values())


@pytest.mark.parametrize(
    "name", ["../evil", "/evil", "a/../../evil", "..\\evil", "C:\\evil"]
)
def test_members_that_lead_out_are_refused(tmp_path, name):
    archive = zipped(tmp_path / "a.zip", {name: b"", "bob/x.ipynb": b""})
    bad, good = problems(archive).values()
    assert "leads out of the archive" in bad and not good


def test_a_link_in_a_zip_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("ada/x.ipynb")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert "is a link" in problems(tmp_path / "a.zip")["ada/x.ipynb"]


def test_too_large_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(inbox, "LIMIT", 10_000)
    box = tmp_path / "box"
    box.mkdir()
    (box / "ada.ipynb").write_bytes(b"0" * 20_000)
    zipped(box / "bob.zip", {f"{n}.ipynb": b"0" * 6000 for n in range(2)})
    zipped(box / "many.zip", {f"{n}.ipynb": b"" for n in range(inbox.MEMBERS + 1)})
    outer = zipped(tmp_path / "all.zip", {"eve.ipynb": b"0" * 20_000})
    found = problems(box) | problems(outer)
    assert set(found) == {"ada.ipynb", "bob.zip", "many.zip", "eve.ipynb"}
    assert all("MB" in problem for problem in found.values())


def test_zips_within_zips_stop_at_one(tmp_path):
    inner, middle = io.BytesIO(), io.BytesIO()
    zipped(inner, {"x.ipynb": b""})
    zipped(middle, {"inner.zip": inner.getvalue()})
    outer = zipped(tmp_path / "a.zip", {"ada/m.zip": middle.getvalue()})
    assert list(problems(outer)) == ["ada/m.zip/inner.zip"]
