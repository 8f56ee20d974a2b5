"""Taking submissions in: whose is it, which lab, and is nothing lost?"""

import gzip
import io
import json
import os
import resource
import struct
import sys
import tarfile
import time
import zipfile
from datetime import UTC, datetime

import pytest

pytest.importorskip(
    "nbgrader", reason="not run: collecting (nbgrader is not installed)"
)

from nbgrader.utils import parse_utc  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from grading.classroom import inbox  # noqa: E402
from grading.classroom.collect import CannotCollect, collect, summed  # noqa: E402
from grading.classroom.course_dir import CONFIG, open_course  # noqa: E402
from grading.classroom.inbox import InboxError  # noqa: E402
from grading.classroom.roster import Roster, RosterError  # noqa: E402
from grading.cli import app  # noqa: E402

pytestmark = pytest.mark.slow

LAB = "03_strides"


@pytest.fixture
def course(tmp_path):
    """A course directory in which one lab is released."""
    root = tmp_path / "course"
    put(root / "release" / LAB / f"{LAB}.ipynb", book())
    put(root / "nbgrader_config.py", CONFIG.encode())
    return root


@pytest.fixture
def box(tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def book(text="", **about):
    """The bytes of a notebook of lab 03; `text` makes it differ."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": [text],
            "outputs": [], "execution_count": None}  # fmt: skip
    about = about or {"chapter": LAB, "kind": "lab"}
    metadata = {"minigrad": about} if any(about.values()) else {}
    nb = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(nb).encode()


def put(path, data, when=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if when:
        os.utime(path, (when, when))
    return path


def zipped(path, members, dates=()):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n, (name, data) in enumerate(members.items()):
            date = dates[n] if dates else (2026, 3, 4, 5, 6, 8)
            archive.writestr(zipfile.ZipInfo(name, date), data)
    return path


def placed(course, student):
    return (course / "submitted" / student / LAB / f"{LAB}.ipynb").read_bytes()


def handed_in(course, student):
    """When, as nbgrader reads it."""
    stamp = course / "submitted" / student / LAB / "timestamp.txt"
    return parse_utc(stamp.read_text()).replace(tzinfo=UTC)


def earlier(course, student):
    folder = course / "submitted-earlier" / student / LAB
    return [path.read_bytes() for path in sorted(folder.glob("*"))]


def test_the_file_is_copied_as_it_is_with_its_time(course, box):
    put(box / "ada" / "x.ipynb", book("1"), 1_700_000_000)
    (done,) = collect(course, box)
    assert (done.student, done.lab, done.what) == ("ada", LAB, "taken in")
    assert placed(course, "ada") == book("1")
    assert handed_in(course, "ada") == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_zip_is_taken_as_a_folder_is(course, tmp_path):
    members = {"ada/x.ipynb": book("1"), "03_strides_bob.ipynb": book("2"),
               "__MACOSX/ada/._x.ipynb": b"", "ada/.DS_Store": b""}  # fmt: skip
    done = collect(course, zipped(tmp_path / "all.zip", members))
    assert sorted((d.student, d.what) for d in done) == [
        ("ada", "taken in"), ("bob", "taken in")]  # fmt: skip
    assert handed_in(course, "bob") == datetime(2026, 3, 4, 5, 6, 8).astimezone(UTC)


def test_a_students_own_zip_is_unpacked(course, box):
    zipped(box / "ada_03_strides.zip", {"work/x.ipynb": book("1")})
    collect(course, box)
    assert placed(course, "ada") == book("1")


OLD, NEW = (2020, 1, 1, 0, 0, 0), (2024, 1, 1, 0, 0, 0)


def test_a_students_own_dates_say_nothing_of_when_it_was_handed_in(course, box):
    versions = {"a.ipynb": book("new"), "b.ipynb": book("old")}
    zipped(box / "ada_03_strides.zip", versions, [NEW, OLD])
    os.utime(box / "ada_03_strides.zip", (1_700_000_000, 1_700_000_000))
    collect(course, box)
    assert handed_in(course, "ada") == datetime.fromtimestamp(1_700_000_000, UTC)
    assert placed(course, "ada") == book("new")  # of its own files, the last by them
    assert earlier(course, "ada") == [book("old")]


def dated(kind):
    """An archive of a student's, in which all dates are of 2001 or of 2099."""
    page, old, new = io.BytesIO(), (2001, 1, 1, 0, 0, 0), (2099, 1, 1, 0, 0, 0)
    data = book(executed="2001-01-01T00:00:00")
    if kind == "zip":
        with zipfile.ZipFile(page, "w") as archive:
            for name, date in (("a_1_2_x.ipynb", old), ("timestamp.txt", new)):
                member = zipfile.ZipInfo(name, date)
                member.extra = struct.pack("<HHBI", 0x5455, 5, 1, 978_307_200)
                archive.writestr(member, data)
    elif kind == "tar":
        with tarfile.open(fileobj=page, mode="w:gz") as archive:
            member = tarfile.TarInfo("2099-01-01/x.ipynb")
            member.size, member.mtime = len(data), 978_307_200
            archive.addfile(member, io.BytesIO(data))
    else:
        page.write(gzip.compress(data, mtime=978_307_200))
    return page.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        "ada_1_assignsubmission_file_{}",
        "ada_1_assignsubmission_file_LATE_7_8_2001-01-01 00_00_00.{}",
        "ada_1_assignsubmission_file/bob_2_3_{}",
        "ada_1_assignsubmission_file/submitted/bob/03_strides/{}",
        "ada_1_assignsubmission_onlinetext_{}",
        "ada_LATE_1_2_03_strides.{}",
        "ada_1_2_bob_LATE_3_4_03_strides-99.{}",
        "ada_1_2_2001-01-01T00-00-00__bob__{}",
        "ada_1_2_bob_3_assignsubmission_x-1.{}",
    ],
)
@pytest.mark.parametrize("kind", ["zip", "tar", "gz", "ipynb"])
@pytest.mark.parametrize("packed", [True, False], ids=["archive", "folder"])
def test_a_student_chooses_neither_identity_nor_time(
    course, box, tmp_path, name, kind, packed
):
    data = book() if kind == "ipynb" else dated(kind)
    ending = {"tar": "tar.gz", "gz": "ipynb.gz"}.get(kind, kind)
    name, when = name.format(f"x.{ending}"), (2026, 3, 4, 5, 6, 8)
    if packed:
        zipped(tmp_path / "all.zip", {name: data}, [when])
    else:
        put(box / name, data, datetime(*when).timestamp())
    done = collect(course, tmp_path / "all.zip" if packed else box, lab="03")
    assert {(d.student or d.of, d.what) for d in done} == {("ada", "taken in")}
    assert handed_in(course, "ada") == datetime(*when).astimezone(UTC)
    assert [path.name for path in (course / "submitted").iterdir()] == ["ada"]


def test_what_is_packed_in_a_platforms_archive_has_the_time_of_its_file(
    course, tmp_path
):
    inner = io.BytesIO()
    zipped(inner, {"x.ipynb": book("1")}, [OLD])
    zipped(tmp_path / "all.zip", {"ada/my.zip": inner.getvalue()})
    collect(course, tmp_path / "all.zip")
    assert handed_in(course, "ada") == datetime(2026, 3, 4, 5, 6, 8).astimezone(UTC)


def test_nobody_replaces_anothers_submission_by_a_name(course, box, tmp_path):
    put(box / "bob_1_assignsubmission_file_x.ipynb", book("bob"), 1000)
    put(box / "ada_77_88_03_strides.ipynb", book("ada"), 1000)
    collect(course, box)
    late = tmp_path / "late"
    put(late / "mallory" / "bob_1_assignsubmission_file_x.ipynb", book("m"), 2000)
    put(late / "mallory2" / "ada_77_88_03_strides.ipynb", book("n"), 2000)
    names = "bob/03_strides.ipynb", "ada_77_88_x.ipynb"
    own = late / "mal_9_assignsubmission_file_x.zip"
    zipped(own, {name: book(name) for name in names})
    done = collect(course, late)
    assert {d.student for d in done} == {"mallory", "mallory2", "mal"}
    assert placed(course, "bob") == book("bob") and placed(course, "ada") == book("ada")


def test_another_of_the_same_name_does_not_replace_the_first(course, box, tmp_path):
    first = "Ada Lovelace_1_assignsubmission_file"
    put(box / first / "x.ipynb", book("1"), 1000)
    collect(course, box)
    late = tmp_path / "late"
    put(late / "Ada Lovelace_2_assignsubmission_file" / "x.ipynb", book("2"), 2000)
    (done,) = collect(course, late)
    assert done.what == "not placed"
    assert "that of Ada Lovelace (1), not of Ada Lovelace (2)" in done.why
    for n, path in enumerate(["Ada_Lovelace/x.ipynb", "Ada!Lovelace_03_strides.ipynb"]):
        put(tmp_path / str(n) / path, book("2"), 2000)
        (done,) = collect(course, tmp_path / str(n))
        assert done.what == "not placed" and "that of Ada Lovelace (1)" in done.why
    put(box / first / "y.ipynb", book("3"), 3000)
    assert collect(course, box)[-1].what == "newer"
    assert placed(course, "Ada_Lovelace") == book("3")


def test_a_folder_around_a_platforms_files_is_not_taken_for_a_student(course, box):
    for n, name in enumerate(("Ada", "Bob")):
        put(box / "all" / f"{name}_{n}_assignsubmission_file_x.ipynb", book(name))
    done = collect(course, box)
    assert [d.what for d in done] == ["not placed"] * 2
    assert "all holds files of several students" in done[0].why


def test_hundreds_of_versions_are_each_looked_at_a_few_times(course, box, monkeypatch):
    looked, count = [], 200

    def counted(function):
        return lambda *values: looked.append(1) or function(*values)

    for name in ("digest", "fingerprint"):
        module = sys.modules[collect.__module__]
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    zipped(box / "ada.zip", {f"{n}.ipynb": book(str(n)) for n in range(count)})
    for last in ("newer", "known"):
        looked.clear()
        done = collect(course, box)
        assert len(done) == count and {d.what for d in done[1:]} == {last}
        assert len(looked) <= 4 * count
    assert len(earlier(course, "ada")) == count - 1


@pytest.mark.parametrize("inner", ["final.zip", "final.tar.gz", "03_strides.ipynb.gz"])
def test_archives_in_a_students_archive_are_unpacked(course, box, inner):
    data = io.BytesIO()
    if inner.endswith("zip"):
        zipped(data, {"03_strides.ipynb": book()})
    elif inner.endswith("tar.gz"):
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            about = tarfile.TarInfo("x.ipynb")
            about.size = len(book())
            archive.addfile(about, io.BytesIO(book()))
    else:
        data.write(gzip.compress(book()))
    put(box / "ada" / inner, data.getvalue())
    zipped(box / "bob.zip", {inner: data.getvalue()})
    assert {d.what for d in collect(course, box)} == {"taken in"}
    assert placed(course, "ada") == placed(course, "bob") == book()


HOSTILE = {
    "metadata that takes gigabytes":
        b'{"cells": [], "metadata": [' + b"[]," * (20 * 2**20) + b"1]}",
    "a number of 5,000 digits": book()[:-1] + b', "x": ' + b"9" * 5000 + b"}",
    "a time of 400 digits": book().replace(
        b'"metadata": {}', b'"metadata": {"executionInfo": {"timestamp": 1'
        + b"0" * 400 + b"}}"),
    "zero bytes": bytes(5000),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_stops_nobody(course, box, name):
    put(box / "ada" / "03_strides.ipynb", HOSTILE[name])
    put(box / "zoe" / "03_strides.ipynb", book())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = {d.student: d.what for d in collect(course, box)}
    assert done == {"ada": "taken in", "zoe": "taken in"}
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 400_000  # kB: the file once or twice, and not what it becomes


def test_the_newest_counts_and_the_others_are_kept(course, box):
    put(box / "ada" / "new.ipynb", book("new"), 2000)
    put(box / "ada" / "old.ipynb", book("old"), 1000)
    assert [d.what for d in collect(course, box)] == ["taken in", "newer"]
    assert placed(course, "ada") == book("new")
    assert earlier(course, "ada") == [book("old")]


def test_twice_the_same_changes_nothing(course, box):
    put(box / "ada" / "new.ipynb", book("new"), 2000)
    put(box / "ada" / "old.ipynb", book("old"), 1000)
    collect(course, box)
    before = sorted((p, p.stat().st_mtime_ns) for p in course.rglob("*"))
    assert {d.what for d in collect(course, box)} == {"known"}
    assert sorted((p, p.stat().st_mtime_ns) for p in course.rglob("*")) == before


def test_a_later_collection_replaces_only_by_a_newer_one(course, box, tmp_path):
    put(box / "ada" / "x.ipynb", book("1"), 2000)
    collect(course, box)
    late = put(tmp_path / "late" / "ada" / "x.ipynb", book("2"), 3000).parent.parent
    early = put(tmp_path / "early" / "ada" / "x.ipynb", book("0"), 1000).parent.parent
    assert [d.what for d in collect(course, late)] == ["newer"]
    assert [d.what for d in collect(course, early)] == ["older"]
    assert placed(course, "ada") == book("2")
    assert earlier(course, "ada") == [book("0"), book("1")]


def test_of_one_time_the_later_attempt_counts(course, box):
    for n in (9, 10):
        name = f"lovelaceada_12345_{n}_03_strides-{n}.ipynb"
        put(box / name, book(str(n)), 1000)
    collect(course, box)
    assert placed(course, "lovelaceada") == book("10")


def test_canvas_numbers_are_kept_in_the_gradebook(course, box):
    put(box / "lovelaceada_12345_678_x.ipynb", book())
    collect(course, box)
    with open_course(course).gradebook as gradebook:
        assert gradebook.find_student("lovelaceada").lms_user_id == "12345"


def names(course):
    with open_course(course).gradebook as gradebook:
        return {s.id: (s.first_name, s.last_name) for s in gradebook.students}


def test_names_are_those_of_the_platform_but_for_those_that_are_there(course, box):
    for name in ("Grace B. Hopper", "张伟", "Ada <b onclick=x>"):
        put(box / f"{name}_1_assignsubmission_file" / "x.ipynb", book())
    for name in ("lovelaceada_12345_678_x.ipynb", "eulerl_12346_679_x.ipynb"):
        put(box / name, book())
    put(box / "carl" / "x.ipynb", book())
    collect(course, box)
    from_moodle = {
        "Grace_B._Hopper": ("Grace B.", "Hopper"),
        "张伟": ("", "张伟"),
        "Ada_b_onclick_x": ("Ada b", "onclick x"),
    }
    unknown = dict.fromkeys(["lovelaceada", "eulerl"], (None, None))
    assert names(course) == from_moodle | unknown
    roster = put(
        box.parent / "canvas.csv",
        b'Student,ID,SIS Login ID\n"Lovelace, Ada",12345,al\n"Gauss, Carl",1,carl\n'
        b'"Hopper, Amazing Grace",2,Grace_B._Hopper\n',
    )
    collect(course, box, roster=roster)
    assert names(course) == from_moodle | unknown | {
        "lovelaceada": ("Ada", "Lovelace"), "carl": ("Carl", "Gauss")}  # fmt: skip
    with pytest.raises(RosterError, match="there is no roster"):
        collect(course, box, roster=box / "nothing.csv")


@pytest.mark.parametrize("head", ["Full name", "Name", "First name,Surname"])
def test_a_roster_has_names_in_several_forms(tmp_path, head):
    row = "Ada,Lovelace" if "," in head else "Ada Lovelace"
    roster = Roster(put(tmp_path / "roster.csv", f"{head}\n{row}\n".encode()))
    assert roster.name(0) == ("Ada", "Lovelace")


def test_the_lab_is_known_by_its_answers_then_by_its_name(course, box):
    solved = b"@solves(contiguous_strides)\ndef f(shape): ..."
    put(box / "ada" / "x.ipynb", book(solved.decode(), chapter=None))
    put(box / "bob" / "03_strides.ipynb", book("print(1)", chapter=None))
    put(box / "eve" / "x.ipynb", book("print(1)", chapter=None))
    done = {d.student or d.file: d for d in collect(course, box)}
    assert done["ada"].lab == done["bob"].lab == LAB
    assert "which lab" in done["eve/x.ipynb"].why
    assert {d.student: d.lab for d in collect(course, box, lab="03")}["eve"] == LAB


def test_other_labs_and_lessons_are_not_placed(course, box):
    put(box / "ada" / "x.ipynb", book(chapter="05_reductions", kind="lab"))
    put(box / "bob" / "x.ipynb", book(chapter=LAB, kind="lesson"))
    why = {d.file: d.why for d in collect(course, box)}
    assert "not released here" in why["ada/x.ipynb"]
    assert "lesson" in why["bob/x.ipynb"]


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n", b"<html>", b"[1]", b"[" * 10**6])
def test_what_is_no_notebook_is_copied_too(course, box, data):
    put(box / "ada" / "03_strides.ipynb", data)
    assert [d.what for d in collect(course, box)] == ["taken in"]
    assert placed(course, "ada") == data


def test_a_notebook_goes_before_other_files_of_the_student(course, box):
    put(box / "ada" / "x.ipynb", book(), 1000)
    put(box / "ada" / "03_strides.pdf", b"%PDF", 2000)
    done = {d.file: d for d in collect(course, box)}
    assert placed(course, "ada") == book()
    assert "no notebook" in done["ada/03_strides.pdf"].why


def test_students_who_would_fall_together_are_refused(course, box):
    put(box / "Ada Lovelace_1_assignsubmission_file" / "x.ipynb", book("1"))
    put(box / "Ada Lovelace_2_assignsubmission_file" / "x.ipynb", book("2"))
    put(box / "a b" / "x.ipynb", book("3"))
    put(box / "a_b" / "x.ipynb", book("4"))
    done = collect(course, box)
    assert [d.what for d in done] == ["not placed"] * 4
    assert any("Ada Lovelace (1) and Ada Lovelace (2)" in d.why for d in done)
    assert not (course / "submitted").exists()
    pattern = r"(?P<student>[\w ]+?)(_assign|/)"
    assert [d.what for d in collect(course, box, pattern=pattern)].count(
        "taken in"
    ) == 2


MANY = 60


def nested(n):
    inner = b""
    for _ in range(4):
        outer = io.BytesIO()
        zipped(outer, {"x.zip" if inner else "x.ipynb": inner or book()})
        inner = outer.getvalue()
    return inner


@pytest.mark.parametrize(
    "file",
    [
        nested,
        lambda n: b"7z\xbc\xaf\x27\x1c",
        lambda n: book(chapter="05_reductions", kind="lab"),
        lambda n: book(chapter=f"c{n}", kind="lab"),
        lambda n: book(chapter=f"c{n}", kind="lesson"),
        lambda n: book(str(n)),
        lambda n: book(),
        lambda n: b"%PDF",
    ],
    ids=["nested", "foreign", "other", "unknown", "lesson", "version", "copy", "pdf"],
)
def test_what_a_student_does_many_times_is_a_line(course, box, file):
    put(box / "ada" / "x.ipynb", book("1"))
    zipped(box / "mallory.zip", {f"{n}-{n:x}.ipynb": file(n) for n in range(MANY)})
    done = collect(course, box, lab="03")
    lines = summed(done)
    assert len(done) > MANY - 1 and len(lines) <= 4
    assert sum("more" in line.file for line in lines) == 1
    assert [line.what for line in lines if line.student == "ada"] == ["taken in"]


def test_many_files_that_are_nobody_s_are_a_line(course, box):
    for n in range(MANY):
        put(box / f"{n}.ipynb", book(str(n)))
    zipped(box / "a_1_assignsubmission_file_b_2_assignsubmission_file_c.zip",
           {f"{n}.ipynb": book(str(n)) for n in range(MANY)})  # fmt: skip
    (box / "ada").mkdir()
    for n in range(MANY):
        (box / "ada" / f"link{n}").symlink_to("/etc/passwd")
    assert sorted(line.file for line in summed(collect(course, box))) == [
        f"0.ipynb, 1.ipynb, 10.ipynb and {MANY - 3} more",
        f"a_1_assignsubmission_file_b_2_assignsubmission_file_c.zip/0.ipynb"
        f" and {MANY - 1} more",
        f"ada/link0 and {MANY - 1} more",
    ]
    printed = CliRunner().invoke(app, ["collect", str(course), str(box)]).output
    assert f"{MANY - 1} more" in printed and len(printed.splitlines()) < 40


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("аda Lovelace", "looks like Ada Lovelace, but has CYRILLIC SMALL LETTER A"),
        (
            "Ada L\u043evelace",
            "looks like Ada Lovelace, but has CYRILLIC SMALL LETTER O",
        ),
        ("Ada Love\u200blace", "looks like Ada Lovelace, but has ZERO WIDTH SPACE"),
        ("\u202eAda Lovelace", "that of Ada Lovelace (1), not of"),
        ("Ada Lovelace\x1b[2J", "hidden characters: Ada Lovelace\\x1b[2J"),
        ("Ａｄａ Ｌｏｖｅｌａｃｅ", "but has FULLWIDTH LATIN"),
        ("Adа_Lоvelасe", "looks like Ada Lovelace"),
        ("𝐀𝐝𝐚 Lovelace", "but has MATHEMATICAL BOLD"),
        ("Ada-Lovelace.", "looks like Ada Lovelace"),
        ("Ada LoveIace", "looks like Ada Lovelace"),
        ("АDА LOVELACE", "looks like Ada Lovelace"),
        ("Grаce", "mixes letters: CYRILLIC SMALL LETTER A"),
        ("Иван Ivanov", ""),
        ("Γιώργος", ""),
        ("李雷 Lei", ""),
        ("José Ñandú", ""),
    ],
)
def test_a_name_that_looks_like_another_is_noted(course, box, tmp_path, other, said):
    put(box / "Ada Lovelace_1_assignsubmission_file" / "x.ipynb", book("1"))
    assert [d.why for d in collect(course, box)] == [""]
    later = tmp_path / "later"
    put(later / f"{other}_2_assignsubmission_file" / "x.ipynb", book("2"))
    (done,) = collect(course, later)
    assert said in done.why and bool(said) == bool(done.why)
    assert all(part.isprintable() for part in done)
    if done.what == "taken in" and "look" in done.why:  # both are said when they come
        put(later / "Ada Lovelace_1_assignsubmission_file" / "x.ipynb", book("3"))
        whys = {d.student: d.why for d in collect(course, later)}
        assert "looks like" in whys["Ada_Lovelace"]
    assert placed(course, "Ada_Lovelace") in (book("1"), book("3"))


def test_names_that_differ_in_case_only_are_refused(course, box, tmp_path):
    put(box / "Ada" / "x.ipynb", book("1"))
    collect(course, box)
    other = put(tmp_path / "other" / "ada" / "x.ipynb", book("2")).parent.parent
    assert [d.what for d in collect(course, other)] == ["not placed"]
    assert placed(course, "Ada") == book("1")


def test_a_place_that_is_a_link_is_not_written_to(course, box, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (course / "submitted").mkdir()
    (course / "submitted" / "ada").symlink_to(tmp_path / "elsewhere")
    put(box / "ada" / "x.ipynb", book())
    (done,) = collect(course, box)
    assert done.what == "not placed" and "leads elsewhere" in done.why
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_damaged_member_costs_only_itself(course, tmp_path):
    path = zipped(tmp_path / "a.zip", {"ada/x.ipynb": book(), "bob/x.ipynb": book("2")})
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF  # inside the first member's data
    path.write_bytes(data)
    done = {d.student: d for d in collect(course, path)}
    assert "cannot be read" in done[""].why and done["bob"].what == "taken in"


def test_a_zip_that_is_none_is_a_submission_that_is_no_notebook(course, box):
    put(box / "ada_03_strides.zip", b"PK, but not really")
    assert [d.what for d in collect(course, box)] == ["taken in"]


def test_an_unreadable_file_is_listed(course, box, monkeypatch):
    put(box / "ada" / "x.ipynb", book())
    put(box / "bob" / "x.ipynb", book())
    read = inbox.opened

    def denied(path):
        if "ada" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(inbox, "opened", denied)
    done = {d.student: d for d in collect(course, box)}
    assert done[""].why == "cannot be read: Permission denied"
    assert done["bob"].what == "taken in"


def test_no_space_left_loses_nothing(course, box, monkeypatch):
    put(box / "ada" / "x.ipynb", book("1"), 1000)
    collect(course, box)
    put(box / "ada" / "y.ipynb", book("2"), 2000)

    def full(source, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert "No space left" in collect(course, box)[-1].why
    assert placed(course, "ada") == book("1")
    assert collect(course, box)[-1].what == "newer"
    assert earlier(course, "ada") == [book("1")]


def test_clear_errors(course, box, tmp_path):
    with pytest.raises(CannotCollect, match="does not exist.*grading release"):
        collect(tmp_path / "nowhere", box)
    with pytest.raises(CannotCollect, match="has no released lab"):
        collect(box, box)
    with pytest.raises(CannotCollect, match="is empty"):
        collect(course, box)
    with pytest.raises(InboxError, match="there is no"):
        collect(course, box / "nothing")
    with pytest.raises(InboxError, match="neither a folder nor a .zip"):
        collect(course, put(tmp_path / "x.txt", b"text"))
    with pytest.raises(CannotCollect, match="07_convolution is not released here"):
        collect(course, box, lab="07")
    with pytest.raises(CannotCollect, match=r"has no \(\?P<student>"):
        collect(course, box, pattern="x")
    with pytest.raises(CannotCollect, match="is wrong"):
        collect(course, box, pattern="(")


def test_hundreds_are_done_in_seconds(course, tmp_path):
    members = {f"s{n}/x.ipynb": book(str(n)) for n in range(300)}
    start = time.process_time()
    assert len(collect(course, zipped(tmp_path / "a.zip", members))) == 300
    assert time.process_time() - start < 20


def test_names_that_print_alike_are_two(course, box):
    for name in "dan\tq", "dan\nq":
        put(box / name / "y.ipynb", book("2"), 1000)
    assert {done.what for done in collect(course, box)} == {"not placed"}
