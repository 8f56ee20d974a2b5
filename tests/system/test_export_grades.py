"""Grades as tables: nothing is lost, nothing is made up, nothing old stands for new."""

import csv
import io
import re
import shutil
import time

import pytest

pytest.importorskip("nbgrader", reason="not run: exporting (nbgrader is not installed)")

from grading.checking.verdict import Verdict  # noqa: E402
from grading.classroom import course_dir  # noqa: E402
from grading.classroom.export import ExportError, export  # noqa: E402
from grading.classroom.preprocessors import Record, fingerprint  # noqa: E402
from grading.classroom.roster import Person, Roster, RosterError  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]

LAB = "03_strides"
MOST = {"first": 1, "second": 3}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A course with one lab, and two students who are graded."""
    root = tmp_path_factory.mktemp("template")
    (root / "release" / LAB).mkdir(parents=True)
    (root / "release" / LAB / f"{LAB}.ipynb").write_text("{}")
    (root / "nbgrader_config.py").write_text(course_dir.CONFIG)
    with gradebook_of(root) as gradebook:
        gradebook.add_assignment(LAB)
        gradebook.add_notebook(LAB, LAB)
        for name, most in MOST.items():
            about = {"max_score": most, "cell_type": "code"}
            gradebook.add_grade_cell(f"{name}-check", LAB, LAB, **about)
    graded(root, "ada", first=1, second=1.5)
    graded(root, "Grace_Hopper", first=0, second=3)
    return root


@pytest.fixture
def course(template, tmp_path):
    return shutil.copytree(template, tmp_path / "course")


def gradebook_of(root):
    return course_dir.open_course(root).gradebook


def handed_in(root, student, text="{}"):
    path = root / "submitted" / student / LAB / f"{LAB}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return Record(root, LAB, student, fingerprint(path))


def graded(root, student, why=None, **points):
    """Put a submission, its verdict and its points into a course."""
    record = handed_in(root, student, student)
    verdicts = [verdict(name, points[name]) for name in MOST]
    record.write("not gradable" if why else "graded", verdicts, why=why)
    with gradebook_of(root) as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.add_submission(LAB, student)
        for name in MOST:
            cell = gradebook.find_grade(f"{name}-check", LAB, LAB, student)
            cell.auto_score = points[name]
        gradebook.db.commit()
    return record


def verdict(name, points):
    state = "right" if points == MOST[name] else "partly right" if points else "wrong"
    return Verdict(name, points, MOST[name], state, f"{name}: so many · {state} <b>")


def table(path, **form):
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), **form))


def exported(course, *args, **kwargs):
    to = course.parent / "grades.csv"
    notes = export(course, to, *args, force=True, **kwargs)
    return table(to), notes


def test_csv_has_a_row_for_each_student_and_lab(course):
    rows, notes = exported(course)
    assert rows == [
        ["student", "lab", "points", "max_points", "state", "why",
         "penalty", "penalty_reason", "name", "first", "second"],
        ["Grace_Hopper", LAB, "3", "4", "graded", "", "", "", "", "0", "3"],
        ["ada", LAB, "2.5", "4", "graded", "", "", "", "", "1", "1.5"],
    ]  # fmt: skip
    assert notes == []
    assert (course.parent / "grades.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_no_submission_is_empty_and_not_zero(course):
    with gradebook_of(course) as gradebook:
        gradebook.add_student("absent")
    (row,) = [row for row in exported(course)[0] if row[0] == "absent"]
    assert row == ["absent", LAB, "", "4", "no submission", *[""] * 6]


@pytest.mark.parametrize("what", ["running", "failed", "missing", "broken", "changed"])
@pytest.mark.parametrize("form", ["csv", "canvas", "moodle"])
def test_an_old_number_is_never_exported(course, form, what):
    record = Record(course, LAB, "ada", fingerprint(course / "submitted/ada" / LAB))
    if what in ("running", "failed"):
        handed_in(course, "ada", "ada").write(what, why="out of memory")
    elif what == "missing":
        record.path.unlink()
    elif what == "broken":
        record.path.write_text("[1,")
    else:
        handed_in(course, "ada", "another file")
    rows, notes = exported(course, form)
    (row,) = [row for row in rows if row[0] == "ada"]
    assert "2.5" not in row and "1.5" not in row
    assert any(note.startswith(f"ada, {LAB}: not graded") for note in notes)


def test_a_number_that_the_verdict_does_not_give_is_not_exported(course):
    with gradebook_of(course) as gradebook:
        gradebook.find_grade("second-check", LAB, LAB, "ada").auto_score = 3
        gradebook.db.commit()
    rows, notes = exported(course)
    assert [*rows[2][:1], *rows[2][2:5]] == ["ada", "", "4", "not graded"]
    assert "differ on second" in notes[0]


def test_a_change_by_hand_counts(course):
    with gradebook_of(course) as gradebook:
        gradebook.find_grade("second-check", LAB, LAB, "ada").manual_score = 2
        gradebook.db.commit()
    rows, _ = exported(course, "moodle")
    row = rows[[row[0] for row in rows].index("ada")]
    assert row[2] == "3" and "second: 2 of 3 · changed by hand" in row[3]


def test_what_is_not_gradable_is_named(course):
    graded(course, "eve", why="the file is no notebook", first=0, second=0)
    rows, notes = exported(course)
    assert ["eve", LAB, "0", "4", "not gradable", "the file is no notebook"] in [
        row[:6] for row in rows]  # fmt: skip
    assert notes == [f"eve, {LAB}: not gradable (the file is no notebook)"]


def test_canvas_without_a_roster(course):
    rows, _ = exported(course, "canvas")
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", LAB]
    assert rows[1] == ["    Points Possible", "", "", "", "", "4"]
    assert [row[0] + " " + row[5] for row in rows[2:]] == ["Grace_Hopper 3", "ada 2.5"]


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),{column},Final (read only)
,,,,,Manual Posting,,
    Points Possible,,,,,5,{possible},(read only)
"Hopper, Grace",101,,gh,"A, 1",4,,77
"Lovelace, Ada",102,,ada,B,,,
"Noether, Emmy",103,,en,B,,,
"Student, Test",104,,,B,,,
"""


def canvas(course, column="Strides 03_strides (12)", possible="4"):
    roster = course.parent / "roster.csv"
    roster.write_text(CANVAS.format(column=column, possible=possible))
    return roster


def test_canvas_fills_its_own_table_and_changes_nothing_else(course):
    roster = canvas(course)
    rows, notes = exported(course, "canvas", roster)
    before = table(roster)
    assert [row[6] for row in rows[3:]] == ["3", "2.5", "", ""]
    for row in (*rows, *before):
        row[6] = ""
    assert rows == before and notes == []


def test_canvas_adds_a_column_that_is_not_there(course):
    rows, notes = exported(course, "canvas", canvas(course, "Essay (9)"))
    assert [row[8] for row in rows] == [LAB, "", "4", "3", "2.5", "", ""]
    assert notes == []


def test_canvas_keeps_its_delimiter_and_mark(course):
    roster = canvas(course)
    text = roster.read_text().replace('"A, 1"', "A").replace('"', "")
    text = text.replace("Hopper, Grace", "Grace Hopper").replace(", ", " ")
    roster.write_bytes(b"\xef\xbb\xbf" + text.replace(",", ";").encode())
    export(course, course.parent / "g.csv", "canvas", roster)
    assert (course.parent / "g.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    rows = table(course.parent / "g.csv", delimiter=";")
    assert [row[6] for row in rows[3:]] == ["3", "2.5", "", ""]


def test_other_points_possible_are_noted(course):
    notes = exported(course, "canvas", canvas(course, possible="10"))[1]
    assert notes == [f"{LAB} has 4 points here, 10 in the roster"]


def test_who_is_not_in_the_roster_is_named(course):
    graded(course, "stranger", first=1, second=3)
    rows, notes = exported(course, "canvas", canvas(course))
    assert notes == ["stranger is not in the roster, and is left out"]
    assert [row[6] for row in rows[3:]] == ["3", "2.5", "", ""]


def test_students_who_fit_one_line_are_both_left_out_and_named(course):
    graded(course, "Hopper_Grace", first=1, second=1)
    rows, notes = exported(course, "canvas", canvas(course))
    assert [row[6] for row in rows[3:]] == ["", "2.5", "", ""]
    assert {note.split(":")[0] for note in notes} == {"Grace_Hopper", "Hopper_Grace"}


def test_who_is_who(course):
    roster = Roster(canvas(course))
    assert roster.find(Person("x", canvas_id="102")) == [3]
    assert roster.find(Person("lovelaceada")) == [3]
    assert roster.find(Person("Ada_Lovelace")) == [3]
    assert roster.find(Person("gh")) == [2]
    assert roster.find(Person("nobody")) == []


def test_moodle_without_a_roster(course):
    graded(course, "emmy@example.org", first=1, second=3)
    rows, _ = exported(course, "moodle")
    assert rows[0] == ["useridnumber", "useremail", LAB, f"{LAB} feedback"]
    (row,) = [row for row in rows if row[0] == "emmy@example.org"]
    assert row[1:3] == ["emmy@example.org", "4"]
    assert row[3].splitlines()[1] == "second: 3 of 3 · right ‹b›"


WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments
Participant 7,Grace Hopper,grace@example.org,Submitted,,4.00,
Participant 8,Ada Lovelace,ada,Submitted,,4.00,
Participant 9,Emmy Noether,emmy@example.org,No submission,,4.00,
"""


def test_moodles_worksheet_gets_grade_and_feedback(course):
    roster = course.parent / "worksheet.csv"
    roster.write_text(WORKSHEET)
    rows, notes = exported(course, "moodle", roster)
    assert [row[4] for row in rows[1:]] == ["3", "2.5", ""]
    assert rows[1][6].startswith("first: 0 of 1") and rows[3][6] == ""
    assert [row[:4] for row in rows] == [row[:4] for row in table(roster)] and not notes


HOSTILE = [
    "=HYPERLINK(1)", "@SUM(1)", "+1+cmd|' /C calc'!A0", "-1+1", "\t=1+1", "\r=1+1",
    "a;=1+1", "a,=1+1", "a\t@SUM(1)", "a|=1+1", "a\n=1+1", "a\"=1+1", "a';' =1+1",
    "a\";\"=1+1", "a; \"\" ,'=1+1", "a\\,\\=1+1", "＝1+1", ";＠x", "a:=1", ";-2+3",
    "\x1b[31m;\x1b=1", "\u202e=1+1", "\ufeff=1+1", ",\u200b=1", "x\u2028=1+1", "\x00=1",
    "a =1+1", "a  @SUM(1)", "a -2+3", "a +cmd|' /C calc'!A0", "a\u00a0=1", "a\u3000=1",
    "a -3,=1", "x = =1", "a =\"1\"", "a^=1", "a~@x", "a#=1", "a/=1", "a&-b", "a ﹦1",
]  # fmt: skip
DIALECTS = [
    {"delimiter": delimiter} | quotes
    for delimiter in ",;\t|: ^~#/&\u00a0\u3000"
    for quotes in [{}, {"quotechar": "'"}, {"quoting": csv.QUOTE_NONE},
                   {"escapechar": "\\"}, {"doublequote": False, "escapechar": "\\"},
                   {"quoting": csv.QUOTE_NONE, "escapechar": "\\"},
                   {"skipinitialspace": True}]
]  # fmt: skip


def formulas(text):
    """The cells that a spreadsheet takes for formulas, however it splits the text."""
    cells = {
        cell.strip().strip("\"'").strip()
        for how in DIALECTS
        for row in csv.reader(io.StringIO(text, newline=""), **how)
        for cell in row
    }
    signs = "=+-@＝＋－＠﹦﹢﹣﹫"
    return [
        cell
        for cell in cells
        if cell[:1] in tuple(signs) and cell.strip(signs)
        if not re.fullmatch(r"-\d+", cell)
    ]


def test_formulas_are_found_by_this_test():
    assert formulas('"a;=1","b"') == ['=1","b'] and "@x" in formulas("a|'@x'")
    assert formulas("a =1+1") == ["=1+1"] and formulas("a^=1") == ["=1"]
    assert not formulas("a = 1, b - 2, c += -3")


@pytest.mark.parametrize("form", ["csv", "canvas", "moodle"])
def test_no_cell_is_a_formula_however_the_table_is_opened(course, form):
    said = " · ".join(HOSTILE)
    for text in (said, *HOSTILE):
        record = handed_in(course, "ada", "ada")
        odd = [verdict(name, most) for name, most in MOST.items()]
        odd[0].summary = f"first: 1 of 1 · {text}"
        record.write("graded", odd, why=text)
        rows, _ = exported(course, form)
        whole = (course.parent / "grades.csv").read_text("utf-8-sig")
        assert not formulas(whole), text
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u200b\u202e\u2028\ufeff]", whole)


@pytest.mark.parametrize("form", ["csv", "canvas", "moodle"])
def test_a_students_name_is_no_formula(course, form):
    for name in ("=HYPERLINK(1)", "@SUM(1)", "a;=1+1", "-2+3"):
        graded(course, name, first=1, second=3)
    exported(course, form)
    assert not formulas((course.parent / "grades.csv").read_text("utf-8-sig"))


def test_a_name_in_the_platforms_list_is_no_formula(course):
    roster = canvas(course)
    odd = roster.read_text().replace('"Hopper, Grace"', "=1+1;=2").replace("A, 1", "-")
    roster.write_text(odd)
    rows, _ = exported(course, "canvas", roster)
    assert rows[3][0] == "’=1+1;’=2" and rows[3][4] == "-" and rows[3][1] == "101"
    assert rows[2][0] == "    Points Possible"


def test_what_is_no_formula_stays_as_it_is(course):
    from grading.isolation.safe_text import cell

    for text in (
        "y[0] = 3 - 1",
        "x += -2 != 3 <= 4 == 5",
        "Anna-Maria O'Neil",
        "Jean - Luc d'Arc",
        "-3.5",
        "a - b",
        "x@y.org",
        "3+4",
        "李雷",
        "👩\u200d💻",
    ):
        assert cell(text) == text
    assert cell("permute(x, -1)") == "permute(x, −1)"
    assert cell("=Karl") == "’=Karl" and cell("Karl -Heinz") == "Karl −Heinz"


def test_text_of_any_length_takes_no_time(course):
    from grading.isolation.safe_text import defused

    begin = time.process_time()
    for text in (",", " ", "' ", "=", ",="):
        defused(text * 500_000)
    assert time.process_time() - begin < 5


def test_a_file_is_replaced_only_by_force(course):
    to = course.parent / "grades.csv"
    to.write_text("mine")
    with pytest.raises(ExportError, match="is there already.*--force"):
        export(course, to)
    assert to.read_text() == "mine"
    export(course, to, force=True)
    assert "ada" in to.read_text()


def test_clear_errors(course, tmp_path):
    with pytest.raises(ExportError, match="no form is called 'pdf'"):
        export(course, tmp_path / "x", "pdf")
    with pytest.raises(ValueError, match="no course directory"):
        export(tmp_path, tmp_path / "x")
    with pytest.raises(RosterError, match="there is no roster"):
        export(course, tmp_path / "x", "canvas", tmp_path / "none.csv")
    (tmp_path / "odd.csv").write_text("color,size\nred,3\n")
    with pytest.raises(RosterError, match="no column that says who.*color, size"):
        export(course, tmp_path / "x", "canvas", tmp_path / "odd.csv")
    (tmp_path / "latin.csv").write_bytes("Student,ID\nJosé,1\n".encode("latin-1"))
    with pytest.raises(RosterError, match="UTF-8"):
        export(course, tmp_path / "x", "canvas", tmp_path / "latin.csv")
    with pytest.raises(ExportError, match="no folder"):
        export(course, tmp_path / "none" / "x")
    assert not (tmp_path / "x").exists()


def test_the_forms_are_nbgraders_plug_ins(course):
    from nbgrader.apps.exportapp import ExportApp

    app, to = ExportApp(), course.parent / "plugin.csv"
    root = f"--CourseDirectory.root={course}"
    exporter = "--exporter=grading.classroom.export.CsvExport"
    app.initialize([exporter, f"--to={to}", root])
    app.start()
    assert ["ada", LAB, "2.5"] in [row[:3] for row in table(to)]
