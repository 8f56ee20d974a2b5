"""What is delivered: whose a file is, and what is never read."""

import functools
import gc
import gzip
import io
import os
import re
import socket
import stat
import tarfile
import time
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from grading.classroom import inbox, reading
from grading.classroom.inbox import Unowned, deliveries, owner_of, safe, shown

LABS = ["03_strides", "05_reductions"]


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def problems(path):
    return {str(file.path): file.problem for file in deliveries(path, str)}


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
    path, pattern = PurePosixPath("hw-ada-final/x.ipynb"), r"hw-(?P<student>\w+)-"
    assert owner_of(path, LABS, pattern).student == "ada"
    with pytest.raises(Unowned, match="does not match the pattern"):
        owner_of(PurePosixPath("x.ipynb"), LABS, pattern)


def test_a_pattern_is_for_the_first_part_or_for_the_path_from_its_beginning():
    path = PurePosixPath("group 7/hw-ada-final.ipynb")
    assert owner_of(path, LABS, r"[^/]+/hw-(?P<student>\w+)-").student == "ada"
    for pattern in (r"hw-(?P<student>\w+)-", r"/hw-(?P<student>\w+)-"):
        with pytest.raises(Unowned, match="does not match the pattern"):
            owner_of(path, LABS, pattern)


@pytest.mark.parametrize(
    "path, student",
    [
        ("mallory/bob_1_assignsubmission_file_03_strides.ipynb", "mallory"),
        ("mallory/ada_77_88_03_strides.ipynb", "mallory"),
        ("mallory/bob_03_strides.ipynb", "mallory"),
        ("mallory/submitted/bob/03_strides/03_strides.ipynb", "mallory"),
        ("Mal_7_assignsubmission_file_/ada_77_88_03_strides.ipynb", "Mal"),
        ("mal_7_8_ada_77_88_03_strides.ipynb", "mal"),
    ],
)
def test_what_a_student_names_says_nothing_of_whose_it_is(path, student):
    assert owner_of(PurePosixPath(path), LABS).student == student


@pytest.mark.parametrize(
    "path",
    [
        "Mal_7_assignsubmission_file_bob_1_assignsubmission_file_x.ipynb",
        "Bob B_111_assignsubmission_file_777_assignsubmission_file/x.ipynb",
        "mal_7_8_bob_1_assignsubmission_file_x.ipynb",
        "carolc_5_6_x_888_assignsubmission_file/x.ipynb",
    ],
)
def test_a_name_that_can_be_read_in_two_ways_is_nobody_s(path):
    with pytest.raises(Unowned, match="two students"):
        owner_of(PurePosixPath(path), LABS)


@pytest.mark.parametrize(
    "name",
    ["..", "../../etc", "a/b", "a\\b", "a\nb", "-rf", ".hidden", "*[x]?", "a" * 500],
)
def test_names_are_safe(name):
    try:
        safe_name = safe(name)
    except Unowned:
        assert name == ".."
        return
    assert not set(safe_name) & set("/\\\n*?[]{} ") and ".." not in safe_name
    assert safe_name[0] not in ".-" and len(safe_name) <= 100


def test_names_are_shown_without_what_a_terminal_obeys():
    assert shown("a\x1b[2J b\n\udcff/é") == "a\ufffd[2J b\ufffd\ufffd/é"


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.ipynb").write_text("secret")
    (tmp_path / "box" / "ada").mkdir(parents=True)
    (tmp_path / "box" / "ada" / "x.ipynb").symlink_to(secret / "x.ipynb")
    (tmp_path / "box" / "bob").symlink_to(secret)
    why_not = problems(tmp_path / "box")
    assert set(why_not) == {"ada/x.ipynb", "bob"}
    assert all("is a link" in problem for problem in why_not.values())


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
    for module in (inbox, reading):
        monkeypatch.setattr(module, "LIMIT", 10_000)
    monkeypatch.setattr(reading, "MEMBERS", 5)
    box = tmp_path / "box"
    box.mkdir()
    (box / "ada.ipynb").write_bytes(b"0" * 20_000)
    zipped(box / "bob.zip", {f"{n}.ipynb": b"0" * 6000 for n in range(2)})
    zipped(box / "many.zip", {f"{n}.ipynb": b"" for n in range(6)})
    outer = zipped(tmp_path / "all.zip", {"eve.ipynb": b"0" * 20_000})
    (box / "cy.ipynb.gz").write_bytes(gzip.compress(b"0" * 20_000))
    why_not = problems(box) | problems(outer)
    assert set(why_not) == {
        "ada.ipynb", "bob.zip", "many.zip", "eve.ipynb", "cy.ipynb.gz"
    }  # fmt: skip
    assert "holds 6 files" in why_not.pop("many.zip")
    assert all("MB" in problem for problem in why_not.values())


def nested(depth):
    """The bytes of a notebook's file in so many archives."""
    data = b"{}"
    for n in range(depth):
        packed = io.BytesIO()
        zipped(packed, {f"{n}.zip" if n else "x.ipynb": data})
        data = packed.getvalue()
    return data


def test_archives_in_archives_are_unpacked_to_a_bounded_depth(tmp_path):
    for depth, name in ((2, "two"), (3, "three"), (4, "four"), (60, "sixty")):
        (tmp_path / f"{name}.zip").write_bytes(nested(depth))
    why_not = problems(tmp_path)
    assert why_not["two.zip/1.zip/x.ipynb"] == ""
    assert sum(not problem for problem in why_not.values()) == 2
    refused = {path[:4]: why for path, why in why_not.items() if why}
    assert set(refused) == {"four", "sixt"}
    assert all("in more than 3 archives" in why for why in refused.values())


def tarred(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.ipynb")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_tar_and_its_compressed_forms_are_unpacked(tmp_path, ending):
    mode = {"tar": "w", "zip": "w:gz"}.get(ending) or f"w:{ending[4:]}"
    tarred(tmp_path / f"ada.{ending}", {"a/x.ipynb": b"{}", "../y": b""}, mode)
    why_not = {path.rpartition("/")[2]: why for path, why in problems(tmp_path).items()}
    assert why_not["x.ipynb"] == ""
    assert "leads out" in why_not["y"] and "is a link" in why_not["link.ipynb"]


def test_what_is_not_unpacked_is_named_for_what_it_is(tmp_path):
    (tmp_path / "ada.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + b"0" * 99)
    (tmp_path / "bob.zip").write_bytes(b"Rar!" + b"0" * 99)
    zipped(tmp_path / "cy.zip", {})
    zipped(tmp_path / "dan.zip", {"__MACOSX/x": b"", "timestamp.txt": b""})
    zipped(tmp_path / "eve.docx", {"word/document.xml": b""})
    why_not = problems(tmp_path)
    assert "a .7z archive; only .zip and .tar.gz" in why_not["ada.7z"]
    assert "a .rar archive; only" in why_not["bob.zip"]
    assert "is an empty archive" in why_not["cy.zip"] and why_not["dan.zip"]
    assert why_not["eve.docx"] == ""


def bad_names(path, names):
    """A .zip whose members' names say that they are UTF-8, and are these bytes."""
    clean = {"x" * len(name): b"{}" for name in names}
    data = zipped(path, clean).read_bytes()
    for name in names:
        data = data.replace(b"x" * len(name), name)
    heads = re.sub(rb"(PK\x03\x04..)..|(PK\x01\x02....)..",
                   lambda m: m[0][:-2] + b"\x00\x08", data, flags=re.S)  # fmt: skip
    path.write_bytes(heads)
    return path


@pytest.mark.parametrize("outer", [True, False])
def test_a_name_that_is_no_utf8_costs_nobody_anything(tmp_path, outer):
    names = [b"ada/\xff\xfe.ipynb", b"bob/good.ipynb"]
    path = bad_names(tmp_path / "ada.zip", names)
    with pytest.raises(UnicodeDecodeError), zipfile.ZipFile(path):
        pass
    why_not = problems(path if outer else tmp_path)
    assert len(why_not) == 2 and not any(why_not.values())


def test_odd_files_are_named_and_the_others_are_there(tmp_path, monkeypatch):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "x.ipynb").write_text("{}")
    (tmp_path / "dir.ipynb").mkdir()
    with socket.socket(socket.AF_UNIX) as one:
        monkeypatch.chdir(tmp_path)
        one.bind("socket.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name in (b"a\nb", b"\xff\xfe", "\u202ex".encode(), b"x" * 255):
        Path(os.fsdecode(name)).write_text("{}")
    os.utime(tmp_path / ("x" * 255), (2**55, 2**55))
    gone = tmp_path / "gone.ipynb"
    gone.write_text("{}")
    why_not = {}
    for file in deliveries(tmp_path, str):
        gone.unlink(missing_ok=True)
        why_not[str(file.path)] = file.problem
    assert "not an ordinary file" in why_not["socket.ipynb"]
    assert "not an ordinary file" in why_not["pipe.ipynb"]
    assert why_not["ada/x.ipynb"] == "" and why_not["x" * 255] == ""
    assert "cannot be read: No such file" in why_not["gone.ipynb"]
    assert len(why_not) == 8


def test_long_names_fit_into_a_folder():
    assert len(safe("李" * 300).encode()) <= 255


def test_a_broken_or_hostile_archive_costs_only_itself(tmp_path):
    good = zipped(tmp_path / "good.zip", {"x.ipynb": b"{}" * 999}).read_bytes()
    (tmp_path / "cut.zip").write_bytes(good[: len(good) // 2])
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.ipynb", b"{}" * 999)
    data = bytearray((tmp_path / "lzma.zip").read_bytes())
    data[50:70] = bytes(range(200, 220))
    (tmp_path / "lzma.zip").write_bytes(data)
    bomb = tmp_path / "bomb.zip"
    zipped(bomb, {f"{n}.ipynb": bytes(50 * 2**20) for n in range(5)})
    why_not = problems(tmp_path)
    assert why_not["good.zip/x.ipynb"] == "" and why_not["cut.zip"] == ""
    assert "cannot be read" in why_not["lzma.zip/x.ipynb"]
    assert "too much for a submission" in why_not["bomb.zip"]


def test_a_reader_that_is_killed_costs_nothing(tmp_path, monkeypatch):
    (tmp_path / "x.ipynb").write_text('{"cells": []}')
    send, killed = socket.send_fds, []

    def kill_first(end, data, fds):
        if len(fds) == 1 and not killed:
            killed.append(end)
            end.shutdown(socket.SHUT_RDWR)
            return 0
        return send(end, data, fds)

    monkeypatch.setattr(socket, "send_fds", kill_first)
    (file,) = deliveries(tmp_path, str)
    assert killed and file.about is not None


def test_all_files_of_a_student_share_the_time_there_is_to_read_them(
    tmp_path, monkeypatch
):
    for name in "alice/1.ipynb", "alice/2.zip", "alice/deep/3.ipynb", "bob/1.ipynb":
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    given = []

    def slowly(data, name, seconds):
        given.append(seconds)
        time.sleep(0.3)
        return [reading.Entry("", "", 0, None, b"")]

    monkeypatch.setattr(reading, "entries", slowly)
    monkeypatch.setattr(reading, "SECONDS", 0.5)
    whose = functools.partial(owner_of, labs=["03_strides"])
    problems = {str(f.path): f.problem for f in deliveries(tmp_path, whose)}
    late = {name for name, problem in problems.items() if problem}
    assert late == {"alice/deep/3.ipynb"}
    assert "other files" in problems["alice/deep/3.ipynb"]
    assert [round(seconds, 1) for seconds in given] == [0.5, 0.2, 0.5]


def test_an_archive_in_a_cycle_leaves_a_process_that_can_be_used_again(tmp_path):
    path = zipped(tmp_path / "a.zip", {"ada/x.txt": b"1"})
    archive = reading.Archive(path)
    archive.members()
    archive.cycle = archive
    del archive
    gc.collect()
    assert [m[0] for m in reading.Archive(path).members()] == ["ada/x.txt"]
