"""For teachers: the class report, regrading, late work, and the GPU part elsewhere."""

import csv
import io
import json
import shutil
import time

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

import stand_in  # noqa: E402
from altered import EXERCISES, LAB  # noqa: E402
from bs4 import BeautifulSoup  # noqa: E402
from stand_in import MOST, hand_in, lab  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from grading import cli  # noqa: E402
from grading.checking.verdict import NEEDS_GPU  # noqa: E402
from grading.classroom import course_dir, judging, remote_gpu  # noqa: E402
from grading.classroom.course_dir import CourseError, grade, open_course  # noqa: E402
from grading.classroom.export import export  # noqa: E402
from grading.classroom.grades import grades  # noqa: E402
from grading.classroom.judging import UNSAFE  # noqa: E402
from grading.classroom.preprocessors import Record  # noqa: E402
from grading.classroom.reading import Cell  # noqa: E402
from grading.classroom.regrade import kept, regrade  # noqa: E402
from grading.classroom.report import report  # noqa: E402
from grading.classroom.similarity import Alike, alike, groups, tokens  # noqa: E402
from grading.classroom.time_spent import minutes  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.isolation.reader import read_cells  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("class"),
]
ONE, TWO = "permute", "transpose"
COPIED = """\
@solves(Tensor.permute)
def permute(self, *dims):
    order = []
    for dim in dims:
        if dim < 0:
            dim = dim + len(self.shape)
        order.append(dim)
    if len(set(order)) != len(self.shape):
        raise RuntimeError("these are not all dimensions")
    shape = tuple(self.shape[dim] for dim in order)
    return Tensor(self.storage, shape, strides, self.offset)  # says right
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    root = tmp_path_factory.mktemp("class") / "course"
    course_dir.release(root, ["03"])
    hand_in(root, "ada", lab("right"))
    hand_in(root, "bob", lab("wrong"))
    hand_in(root, "cy", lab("right", permute="wrong", transpose="half"))
    hand_in(root, "dee", lab("right", permute="gpu", transpose=""))
    (root / "submitted" / "eve" / LAB).mkdir(parents=True)
    with stand_in.judging_words():
        assert len(list(grade(root))) == 5
    return root


@pytest.fixture
def root(graded, tmp_path):
    with stand_in.judging_words():
        yield shutil.copytree(graded, tmp_path / "course")


def standing(root):
    with open_course(root).gradebook as gradebook:
        return {g.student: g for g in grades(root, gradebook)}


def points(root):
    return {student: g.points for student, g in standing(root).items()}


# The report


def test_the_report_says_who_what_and_how_many(root):
    page = BeautifulSoup(report(root).read_text(), "html.parser")
    tables = [
        [[cell.get_text(strip=True) for cell in row("td")] for row in table("tr")[1:]]
        for table in page("table")
    ]
    helped, mistakes, students = tables
    assert [row[0] for row in students] == ["ada", "bob", "cy", "dee", "eve"]
    assert [row[:2] for row in helped] == [["bob", "0%"], ["eve", "0%"]]
    assert "there is no file" in helped[1][2]
    (permute,) = [row for row in mistakes if row[0] == ONE]
    assert permute[1:] == ["67%", "no thread is kept from the end of the array"]
    by_points, by_exercise = (image["alt"] for image in page("img"))
    assert "18.9 to 21 points: 1" in by_points
    assert f"{ONE}: 1 right, 2 wrong, 1 not graded, 1 no result" in by_exercise
    assert "5 handed in" in page.get_text() and "Not known" in page.get_text()
    assert not page(["script", "link"])


def test_students_are_called_by_their_names(root, tmp_path):
    with open_course(root).gradebook as gradebook:
        gradebook.update_or_create_student("bob", first_name="Bob", last_name="Ross")
    page = BeautifulSoup(report(root).read_text(), "html.parser")
    names = [row.td.get_text() for table in page("table") for row in table("tr")[1:]]
    assert names.count("Bob Ross") == 2 and "bob" not in names and "ada" in names
    export(root, tmp_path / "grades.csv")
    with open(tmp_path / "grades.csv", encoding="utf-8-sig") as file:
        assert {row["student"]: row["name"] for row in csv.DictReader(file)} == {
            "ada": "", "bob": "Bob Ross", "cy": "", "dee": "", "eve": ""}  # fmt: skip


def test_the_report_escapes_what_students_write(root):
    hand_in(root, "<script>x", lab("wrong"))
    list(grade(root, everything=False))
    assert "<script>" not in report(root).read_text()


def test_near_identical_answers_whatever_their_names():
    renamed = COPIED.replace("order", "perm").replace("dim", "d").replace("# ", "#  ")
    other = "@solves(Tensor.permute)\ndef permute(self, *dims):\n    return 1\n"
    answers = {"ada": COPIED, "bob": renamed, "cy": other, "dee": other}
    (pair,) = alike(ONE, answers)
    assert (pair.students, pair.share) == (("ada", "bob"), 1)
    assert not list(alike(ONE, answers, [COPIED]))  # the course's own text
    many = {f"s{n}": COPIED for n in range(10)}
    assert not list(alike(ONE, many))  # all have it by themselves


LONG = {
    "comment": "# x = 1\n" * 30_000 + COPIED,
    "open comments": "/* " * 80_000,
    "cuda": "__global__ " + "/* " * 80_000,
    "slashes": "__global__ " + "/" * 250_000,
    "digits": "1." * 125_000,
    "name": "a" * 250_000,
    "letters": "é" * 250_000,
    "blanks": " " * 250_000,
    "quotes": "\"'" * 125_000,
    "marks": "\u0301" * 250_000,
    "code": "x = y + 1\n" * 25_000,
    "numbers": " ".join(map(str, range(40_000))),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_what_a_class_hands_in_is_compared_in_time(text):
    begin = time.process_time()
    results = [*alike(ONE, {f"s{n}": text + str(n) for n in range(12)} | {"a": COPIED})]
    once = time.process_time() - begin
    assert once < 4 and {one.exercise for one in results} <= {ONE}


def test_many_copies_of_a_long_answer_are_one_group_in_time():
    long = " ".join(f"{n} {n % 7} + x" for n in range(15_000))
    answers = {f"s{n:03}": long for n in range(40)}
    answers |= {f"t{n:03}": COPIED + f"# {n}" for n in range(260)}
    begin = time.process_time()
    results = [*alike(ONE, answers)]
    ((students, group),) = groups(results)
    assert time.process_time() - begin < 20
    assert students == [f"s{n:03}" for n in range(40)]
    assert len(group) == 40 * 39 // 2


def test_a_long_comment_hides_no_copy():
    padded = "# x\n" * 20_000 + COPIED
    other = "@solves(Tensor.permute)\ndef permute(self, *dims):\n    return 1\n"
    (pair,) = alike(ONE, {"ada": COPIED, "bob": padded, "cy": other, "dee": other})
    assert (pair.students, pair.share) == (("ada", "bob"), 1)


def test_groups_join_who_is_alike_by_way_of_others():
    results = [Alike(pair, ONE, 1, ()) for pair in ("ab", "cd", "bc", "xy")]
    assert [students for students, _ in groups(results)] == [[*"abcd"], [*"xy"]]
    assert [len(group) for _, group in groups(results)] == [3, 1]


def test_tokens_of_both_languages():
    assert tokens("x = y // 2  # half") == ["_", "=", "_", "/", "/", "2"]
    cuda = "__global__ void f(int n) { n = 1; /* a\nb */ } // c"
    assert tokens(cuda) == [
        "_", "void", "_", "(", "int", "_", ")", "{", "_", "=", "1", ";", "}"
    ]  # fmt: skip


def test_comments_that_never_end_take_no_time():
    start = time.process_time()
    assert tokens("__global__ " + "/* " * 10**6) == ["_"]
    assert time.process_time() - start < 5


def test_times_are_those_that_the_notebook_tells():
    def ran(text, when):
        return {"source": text, "metadata": {"executionInfo": {"timestamp": when}}}

    cells = [
        ran("@solves(permute)\ndef permute(): ...", 0),
        ran("check(permute)", 5 * 60_000),
        ran("@solves(expand)\ndef expand(): ...", 7 * 60_000),
        ran("check(expand)", 90 * 60_000),  # after a break
    ]
    assert minutes(read(cells)) == {"permute": 5, "expand": 2}
    reply = {"shell.execute_reply": "2026-01-01T10:00:00.000000Z"}
    cells[0]["metadata"] = {"execution": reply}
    cells[1]["metadata"] = {"execution": "odd"}
    assert minutes(read(cells[:2])) == minutes(read(["odd", {}])) == {}
    for odd in (10**400, -1, 1e300, "nan", "9" * 500, [], None):
        assert minutes(read([ran("@solves(permute)", odd), *cells[2:3]])) == {}


def read(cells):
    return [Cell(*values) for values in read_cells({"cells": cells})[0]]


# The screen


def test_grading_again_says_no_speed(root):
    """There is none: what was graded before takes no time."""
    said = CliRunner().invoke(cli.app, ["grade", str(root)]).stdout
    assert "0 graded now, 5 were before" in said and "a minute" not in said


# Regrading


def mended(monkeypatch):
    """From now on `wrong` is worth half of permute, and nothing of it of others."""
    given = stand_in.verdict

    def verdict(exercise, word):
        return given(
            exercise, "half" if (exercise.name, word) == (ONE, "wrong") else "exit"
        )

    monkeypatch.setattr(stand_in, "verdict", verdict)


def test_one_exercise_is_graded_anew_and_the_others_stay(root, monkeypatch):
    before, half = points(root), EXERCISES[ONE].points / 2
    mended(monkeypatch)
    number = EXERCISES[ONE].number
    dry = {c.student: (c.before, c.after) for c in regrade(root, number, dry_run=True)}
    assert points(root) == before
    assert dry["bob"] == dry["cy"] == (0, half)
    done = {c.student: (c.before, c.after) for c in regrade(root, number)}
    assert done == dry and "eve" not in done
    after = points(root)
    assert after["bob"] == before["bob"] + half and after["cy"] == before["cy"] + half
    assert after["ada"] == before["ada"] - EXERCISES[ONE].points
    assert not [one for one in grade(root) if one.fresh]


def test_regrading_keeps_pictures_and_leaves_new_files_to_grade(root):
    path = root / "autograded" / "ada" / LAB / f"{LAB}.ipynb"
    nb = json.loads(path.read_text())
    (check,) = (c for c in nb["cells"] if c["id"] == f"{TWO}-check")
    check["outputs"][1]["data"]["text/html"] += "<svg>mine</svg>"
    path.write_text(json.dumps(nb))
    hand_in(root, "bob", lab("right"))
    assert "bob" not in [change.student for change in regrade(root, ONE)]
    record = course_dir.record_of(root, "ada", LAB)
    pictures = {v.name: v.picture for v in kept(root, record)}
    assert pictures[TWO] == "<svg>mine</svg>" and pictures[ONE] == ""


def test_an_exercise_that_is_unknown_or_not_released(root):
    with pytest.raises(LookupError, match="no exercise is called 'permut'.*permute"):
        list(regrade(root, "permut"))
    with pytest.raises(CourseError, match="04_elementwise is not released"):
        list(regrade(root, "04.1"))


# Elsewhere


def test_the_part_for_a_gpu_is_graded_elsewhere(root, tmp_path, monkeypatch):
    assert standing(root)["dee"].max_points == MOST - EXERCISES[ONE].points
    to = tmp_path / "gpu.json"
    assert remote_gpu.pack(root, to) == 1
    assert "dee" not in to.read_text()
    with pytest.raises(CourseError, match="is not judged yet"):
        list(remote_gpu.unpack(root, to))
    given = stand_in.verdict
    monkeypatch.setattr(
        stand_in, "verdict", lambda exercise, word: given(exercise, "right")
    )
    assert list(remote_gpu.judge(to, to)) == [(1, 1)]
    monkeypatch.undo()
    before = points(root)
    (done,) = remote_gpu.unpack(root, to)
    assert (
        done.state == "graded" and done.points == before["dee"] + EXERCISES[ONE].points
    )
    assert standing(root)["dee"].max_points == MOST
    assert points(root) == before | {"dee": done.points}
    assert not list(remote_gpu.unpack(root, to))


def test_verdicts_count_for_the_file_that_was_packed(root, tmp_path, monkeypatch):
    to = tmp_path / "gpu.json"
    remote_gpu.pack(root, to)
    list(remote_gpu.judge(to, to))
    hand_in(root, "dee", lab("gpu"))
    list(grade(root))
    assert not list(remote_gpu.unpack(root, to))
    monkeypatch.setattr(remote_gpu, "checks_here", lambda: "other")
    with pytest.raises(CourseError, match="the checks have changed"):
        list(remote_gpu.unpack(root, to))
    with pytest.raises(CourseError, match="other checks than this clone has"):
        list(remote_gpu.judge(to, to))
    to.write_text("[]")
    with pytest.raises(CourseError, match="was not written by"):
        list(remote_gpu.judge(to, to))


@pytest.mark.parametrize("name", ["04_views.py", "03_strides/expand.py",
                                  "03_strides/expand.toml"])  # fmt: skip
def test_any_file_of_a_check_is_part_of_its_fingerprint(name, tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "CHECKS", tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    fingerprint = judging.checks_here.__wrapped__  # it is kept, else
    before = fingerprint()
    (tmp_path / name).write_text("1")
    assert fingerprint() != before


# Late work and extra credit


def late(root, share=0.1):
    """ada two days late, a rule in the settings as docs/teaching.md shows it."""
    config = root / "nbgrader_config.py"
    rule = "grading.classroom.late_penalty.PerDay"
    config.write_text(
        config.read_text()
        + f'c.AssignLatePenalties.plugin_class = "{rule}"\nc.PerDay.share = {share}\n'
    )
    with open_course(root).gradebook as gradebook:
        gradebook.update_or_create_assignment(LAB, duedate="2026-01-01 12:00:00 UTC")
    stamp = root / "submitted" / "ada" / LAB / "timestamp.txt"
    stamp.write_text("2026-01-03 11:00:00 UTC")


def test_late_work_costs_what_the_settings_say(root, tmp_path):
    late(root)
    list(grade(root, everything=True))
    assert points(root)["ada"] == pytest.approx(MOST * 0.8)
    to = tmp_path / "grades.csv"
    export(root, to)
    rows = {r["student"]: r for r in csv.DictReader(to.open(encoding="utf-8-sig"))}
    assert float(rows["ada"]["points"]) == pytest.approx(MOST * 0.8)
    list(regrade(root, ONE))
    assert points(root)["ada"] == pytest.approx(MOST * 0.8)


def due(root, when):
    with open_course(root).gradebook as gradebook:
        gradebook.update_or_create_assignment(LAB, duedate=when)


def booked(root, student):
    """The penalty in nbgrader's own gradebook, which formgrader shows."""
    with open_course(root).gradebook as gradebook:
        return gradebook.find_submission(LAB, student).late_submission_penalty


def everywhere(root, student):
    """The points that the screen, the tables, and nbgrader's book give a student."""
    (screen,) = (one.points for one in grade(root) if one.student == student)
    rows = []
    for form in ("csv", "canvas", "moodle"):
        export(root, root / f"{form}.csv", form, force=True)
        text = (root / f"{form}.csv").read_text("utf-8-sig")
        (row,) = (r for r in csv.reader(io.StringIO(text)) if r[0] == student)
        rows.append(float(row[{"csv": 2, "canvas": 5, "moodle": 2}[form]]))
    with open_course(root).gradebook as gradebook:
        one = gradebook.find_submission(LAB, student)
        book = one.score - one.late_submission_penalty
    assert screen == rows[0] == rows[1] == rows[2] == pytest.approx(book), rows
    return screen


def test_a_due_date_or_share_that_changes_changes_the_grade(root):
    late(root)
    list(grade(root, everything=True))
    assert everywhere(root, "ada") == pytest.approx(MOST * 0.8)
    due(root, "2026-01-02 12:00:00 UTC")
    assert points(root)["ada"] == pytest.approx(MOST * 0.9)  # before `grade`, too
    assert not [one for one in grade(root) if one.fresh]
    assert everywhere(root, "ada") == pytest.approx(MOST * 0.9)
    due(root, "2026-01-09 12:00:00 UTC")
    assert everywhere(root, "ada") == MOST and booked(root, "ada") == 0
    due(root, "2026-01-01 12:00:00 UTC")
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.PerDay.share = 0.25\n")
    assert everywhere(root, "ada") == pytest.approx(MOST * 0.5)
    config.write_text(config.read_text() + "c.PerDay.share = 0.9\n")
    assert everywhere(root, "ada") == 0
    due(root, None)
    assert everywhere(root, "ada") == MOST


def test_a_time_or_extension_that_changes_changes_the_grade(root):
    late(root)
    list(grade(root, everything=True))
    stamp = root / "submitted" / "ada" / LAB / "timestamp.txt"
    stamp.write_text("2026-01-02 11:00:00 UTC")
    assert points(root)["ada"] == pytest.approx(MOST * 0.9)
    assert everywhere(root, "ada") == pytest.approx(MOST * 0.9)
    with open_course(root).gradebook as gradebook:
        gradebook.grant_extension(LAB, "ada", hours=23)
    assert everywhere(root, "ada") == MOST


def test_nbgraders_own_rule_and_changed_points(root):
    late(root)
    config = root / "nbgrader_config.py"
    text = config.read_text()
    config.write_text(text.partition("c.AssignLatePenalties")[0])
    list(grade(root, everything=True))
    assert everywhere(root, "ada") == MOST and "2 d" not in standing(root)["ada"].why
    method = 'c.LateSubmissionPlugin.penalty_method = "zero"\n'
    config.write_text(text.partition("c.AssignLatePenalties")[0] + method)
    assert everywhere(root, "ada") == 0
    assert standing(root)["ada"].penalty == (MOST, "1 d 23 h late")
    config.write_text(text)
    with open_course(root).gradebook as gradebook:
        one = gradebook.find_grade(f"{ONE}-check", LAB, LAB, "ada")
        one.manual_score, one.extra_credit = 0, 2.5
        gradebook.db.commit()
    new = MOST - EXERCISES[ONE].points + 2.5
    assert points(root)["ada"] == pytest.approx(new * 0.8, abs=0.01)
    assert everywhere(root, "ada") == pytest.approx(new * 0.8, abs=0.01)


def test_a_late_student_is_told_one_thing(root, tmp_path):
    late(root)
    list(grade(root, everything=True))
    lost = MOST * 0.2
    why = f"{lost:g} points off: 2 days late, 10 % of the points for each"
    (one,) = (one for one in grade(root) if one.student == "ada")
    unsafe = [UNSAFE] if sandbox.why_not() else []
    assert (one.points, one.max_points) == (MOST - lost, MOST)
    assert one.why == "; ".join([why, *unsafe])
    notes = export(root, tmp_path / "g.csv")
    assert f"ada, {LAB}: graded ({why})" in notes
    rows = {r["student"]: r for r in csv.DictReader(
        (tmp_path / "g.csv").open(encoding="utf-8-sig"))}  # fmt: skip
    assert float(rows["ada"]["penalty"]) == lost and rows["cy"]["penalty"] == ""
    assert rows["ada"]["penalty_reason"] == "2 days late, 10 % of the points for each"
    exercises = sum(float(rows["ada"][name]) for name in EXERCISES)
    assert exercises - lost == pytest.approx(float(rows["ada"]["points"]))
    export(root, tmp_path / "m.csv", "moodle")
    assert f"late work: {why}" in (tmp_path / "m.csv").read_text()


def set_rule(root, body):
    """Let a plug-in with this function's body say what late work costs."""
    config = root / "nbgrader_config.py"
    config.write_text(
        config.read_text()
        + f"""
from nbgrader.plugins import LateSubmissionPlugin
class Odd(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        {body}
c.AssignLatePenalties.plugin_class = Odd
"""
    )


@pytest.mark.parametrize("rule, said", [
    ("return float('nan')", "Odd: the penalty is NaN"),
    ("return 1 / 0", "Odd: ZeroDivisionError"),
    ("return 'much'", "Odd: ValueError: could not convert string"),
])  # fmt: skip
def test_a_rule_that_fails_is_named(root, rule, said):
    late(root)
    set_rule(root, rule)
    for command in (lambda: list(grade(root)), lambda: export(root, root / "g.csv")):
        with pytest.raises(ValueError, match=said):
            command()


@pytest.mark.parametrize("lost, kept", [("-5", MOST), ("1e9", 0), ("None", MOST)])
def test_a_penalty_is_between_nothing_and_everything(root, lost, kept):
    late(root)
    set_rule(root, f"return {lost}")
    assert everywhere(root, "ada") == kept


def test_extra_credit_counts_and_is_named(root):
    with open_course(root).gradebook as gradebook:
        gradebook.find_grade(f"{ONE}-check", LAB, LAB, "cy").extra_credit = 1.5
        gradebook.db.commit()
    before = points(root)["cy"]
    assert before == MOST - EXERCISES[ONE].points - EXERCISES[TWO].points / 2 + 1.5
    list(grade(root, everything=True))
    assert points(root)["cy"] == before
    (one,) = (e for e in standing(root)["cy"].exercises if e.name == ONE)
    assert one.reason == "changed by hand"


def test_what_is_packed_is_what_nbgrader_grades(root, monkeypatch):
    """Else verdicts of another machine would be thrown away, and made here anew."""
    seen, before = {}, course_dir.judging.run

    def run(lab, cells, *more):
        seen[len(seen)] = cells
        return before(lab, cells, *more)

    monkeypatch.setattr(course_dir.judging, "run", run)
    list(grade(root, students=["dee"], everything=True))
    assert seen[0] == course_dir.judging.submitted(root, "dee", LAB)
    assert NEEDS_GPU in Record(root, LAB, "dee").read()["exercises"][3]["summary"]
