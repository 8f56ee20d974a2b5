"""Releasing labs and grading submissions, in nbgrader's own gradebook."""

import os
import re
import shutil
import sysconfig
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from nbformat.warnings import DuplicateCellId
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning, SQLAlchemyError
from traitlets.config.loader import PyFileConfigLoader

from minigrad import course, suggest
from minigrad.exercises.answers import exercises_of

from ..checking.verdict import NEEDS_GPU
from ..isolation import sandbox
from ..kernels import gpu
from ..notebooks.build import Edited, notebook, write
from . import judging, submission
from .cluster import Cluster, Item
from .files import fingerprint
from .forkserver import WORTH
from .grades import grade_of, said
from .judging import UNSAFE
from .late_penalty import Penalties
from .local_jobs import Cores
from .lock import alone
from .nbgrader_patches import gradebook
from .preprocessors import Record

MARK = "# A minigrad course."
CONFIG = f"""{MARK} Every option of nbgrader may be added below.

import os

from grading.classroom import formgrader
from grading.classroom.preprocessors import Finish, Once, RunAnswers
from nbgrader.preprocessors import AssignLatePenalties

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "minigrad"
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
c.ClearSolutions.code_stub = {{
    "python": "# YOUR CODE HERE\\nraise NotImplementedError"
}}
c.Autograde.exporter_class = Once
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [RunAnswers, AssignLatePenalties, Finish]
c.Exporter.optimistic_validation = True  # once for all steps, not after each
c.GenerateFeedback.exporter_class = "grading.classroom.feedback.Page"
c.HTMLExporter.preprocessors = [formgrader.Show]
c.HTMLExporter.filters = dict.fromkeys(
    ["clean_html", "highlight_code", "markdown2html"], formgrader.ready
)
c.HTMLExporter.sanitize_html = True  # by these filters
c.ExchangeFactory.list = formgrader.Released
"""


class CourseError(ValueError):
    """The course directory is not as it should be: the message says what to do."""


class Graded(NamedTuple):
    """What became of one submission."""

    student: str
    lab: str
    state: str  # "graded", "not gradable" or "failed"
    points: float = 0.0
    max_points: float = 0.0
    why: str = ""
    fresh: bool = True  # graded now, not in an earlier run


def release(directory, labs=()):
    """Make or renew a course directory; return the labs that are released in it."""
    directory = Path(directory).resolve()
    names = [course.chapter(lab).name for lab in labs] or _labs()
    for name in names:
        if not course.solution(name).exists():
            raise CourseError(f"there is no lab {name} yet, only {', '.join(_labs())}")
    _prepare(directory)
    with alone(directory):
        api = open_course(directory)
        for name in names:
            _release(api, directory, name)
    return names


def _release(api, directory, name):
    target = directory / "source" / name / f"{name}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        write(notebook(course.solution(name), solved=True), target)
    except Edited:
        raise CourseError(
            f"{target} has been edited. Labs are released from solutions/{name}.py: "
            f"make the change there, move the edited file away, and release again"
        ) from None
    result = api.generate_assignment(name, force=True, create=True)
    if not result["success"]:
        raise CourseError(f"nbgrader did not release {name}:\n{_complaint(result)}")


def grade(
    directory, lab=None, students=(), everything=False, unsafe=False, scheduler="",
    jobs=1,
):  # fmt: skip
    """Grade what is new or changed, one Graded after the other; the rest is unchanged.

    students: only these. everything: also what is graded already. unsafe: without a
    box for the students' code, which can then do anything. scheduler: the address of
    a Dask cluster whose workers judge. jobs: so many processes that judge, where there
    is enough to do for them.
    """
    directory = Path(directory).resolve()
    api = open_course(directory)
    if unsafe:
        api.config.RunAnswers.unsafe = True
    if not scheduler and not api.config.RunAnswers.get("unsafe"):
        sandbox.expect()  # else it's the workers who need a box
    with alone(directory):
        renew(api)
        waiting, graded = [], set() if everything else _in_book(api)
        for student, name in submissions(directory, lab, students):
            record = record_of(directory, student, name)
            if (student, name) in graded and _is_done(record, directory, name):
                yield _result(api, record, fresh=False)
            else:
                waiting.append((student, name))
        jobs = min(jobs, len(waiting) // WORTH)
        if waiting and scheduler:
            yield from _by_others(api, directory, waiting, Cluster(scheduler))
        elif jobs > 1:
            yield from _by_others(api, directory, waiting, Cores(jobs))
        else:
            for student, name in waiting:
                yield grade_one(api, directory, record_of(directory, student, name))


def _in_book(api):
    """(student, lab) of what the gradebook knows."""
    with api.gradebook as book:
        return {
            (submission.student_id, assignment.name)
            for assignment in book.assignments
            for submission in book.assignment_submissions(assignment.name)
        }


def _by_others(api, directory, waiting, others):
    """Let others judge; their verdicts go into the book, one after the other."""

    unsent = []

    def items():
        for student, lab in waiting:
            try:
                cells = judging.submitted(directory, student, lab)
                how = how_of(api, record_of(directory, student, lab))
            except Exception:  # `grade_one` meets it, too, and says what it is
                unsent.append((student, lab))
                continue
            names = [exercise.name for exercise in exercises_of(lab)]
            yield Item((student, lab), lab, cells, names, how)

    with others:
        for item, result in others.judged(items()):
            record = record_of(directory, *item.key)
            judge = judging.known(item.cells, result) if result else judging.judged
            yield grade_one(api, directory, record, judge)
    for key in unsent:
        yield grade_one(api, directory, record_of(directory, *key))


def how_of(api, record):
    """The arguments of `judged` that say how a submission's cells are run."""
    unsafe = bool(api.config.RunAnswers.get("unsafe", False))
    return {"files": record.modules(), "unsafe": unsafe}


def record_of(directory, student, lab):
    """The Record of the file that is there now."""
    path = directory / "submitted" / student / lab / f"{lab}.ipynb"
    return Record(directory, lab, student, fingerprint(path))


def submissions(directory, lab=None, students=()):
    """(student, lab) of every submission in the course directory, in order."""
    directory = Path(directory).resolve()
    _expect_course(directory)
    wanted = released_name(directory, lab) if lab is not None else None
    pairs = [
        (path.parent.name, path.name)
        for path in directory.glob("submitted/*/*")
        if os.path.isdir(path)
        and (directory / "release" / path.name).is_dir()
        and path.parent.name.isprintable()
    ]
    known = {student for student, _ in pairs}
    if unknown := sorted(set(students) - known):
        meant = suggest.hint(unknown[0], sorted(known))
        raise CourseError(f"there is no submission of {', '.join(unknown)}.{meant}")
    return sorted(
        (student, name)
        for student, name in pairs
        if wanted in (None, name) and (not students or student in students)
    )


def strays(directory):
    """What lies in submitted/ and is no submission of a released lab.

    A list of paths for each student, and one of the files that are no student's.
    """
    ours, directory = set(submissions(directory)), Path(directory)
    files = [path for path in directory.glob("submitted/*") if os.path.isfile(path)]
    deeper = directory.glob("submitted/*/*")
    files += [path for path in deeper if (path.parent.name, path.name) not in ours]
    groups = defaultdict(list)
    for path in sorted(path for path in files if not path.name.startswith(".")):
        groups[path.parent].append(str(path.relative_to(directory / "submitted")))
    return [*groups.values()]


def released_name(directory, lab):
    """The full name of a lab that is released in a course directory."""
    name = course.chapter(lab).name
    if not (Path(directory) / "release" / name).is_dir():
        raise CourseError(
            f"{name} is not released in {directory}. Release it: "
            f"python -m grading release {directory} {lab}"
        )
    return name


def open_course(directory):
    """nbgrader's API on a course directory; CourseError where that is none."""
    directory = Path(directory).resolve()
    _expect_course(directory)
    _offer_scripts()
    config = _settings(directory)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def _settings(directory):
    return PyFileConfigLoader("nbgrader_config.py", path=str(directory)).load_config()


def grade_one(api, directory, record, judge=judging.judged):
    """Grade one submission; whatever happens in it, the next one follows.

    judge: what makes the verdicts, `judging.known` where they are there already.
    """
    student, lab = record.student, record.lab
    try:
        submission.examine(directory, student, lab)
        if not os.path.lexists(
            directory / "submitted" / student / lab / f"{lab}.ipynb"
        ):
            config = submission.staged(api.config, directory, student, lab)
            api = NbGraderAPI(CourseDirectory(config=config), config=config)
        api.config.RunAnswers.judge = judge
        with warnings.catch_warnings():  # nbgrader's use of SQLAlchemy 2, not ours
            warnings.simplefilter("ignore", SAWarning)
            warnings.simplefilter("ignore", DuplicateCellId)
            result = api.autograde(lab, student, force=True, create=True)
        if result["success"]:
            return _result(api, record, fresh=True)
        if result.get("error", "").rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt  # nbgrader takes it for an error like any other
        complaint = _complaint(result)
    except submission.CannotGrade as error:
        complaint = str(error)
    except Exception as error:  # one submission never stops the class
        complaint = f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(directory / submission.STAGE, ignore_errors=True)
    record.write("failed", why=complaint)
    return Graded(student, lab, "failed", why=complaint)


def _is_done(record, directory, lab):
    """Is this very submission graded, by the checks and on the GPU as they are now?"""
    verdicts = record.current()
    waits = any(NEEDS_GPU in e["summary"] for e in verdicts.get("exercises", []))
    return (
        verdicts.get("state") in ("graded", "not gradable")
        and not (waits and gpu.available())
        and record.is_written()
        and verdicts.get("checks") == Record.checks(directory, lab)
    )


def _result(api, record, fresh):
    """The Graded of what the gradebook and the record say now."""
    root = record.root
    with gradebook(api.coursedir.db_url) as book:
        penalties = Penalties(root, api.config)
        one = grade_of(root, book, penalties, record.lab, record.student)
    warned = (w for w in record.read()["warnings"] if w == UNSAFE)
    why = "; ".join(filter(None, [one.why, said(one.penalty), *warned]))
    most = one.max_points if one.points is not None else 0
    names = one.student, one.lab, one.state
    return Graded(*names, one.points or 0.0, most, why, fresh)


def renew(api):
    """Bring the gradebook's penalties for late work up to date."""
    try:
        with gradebook(api.coursedir.db_url) as book:
            Penalties(api.coursedir.root, api.config).renew(book)
    except SQLAlchemyError as error:
        raise CourseError(
            f"the gradebook can't be read or written: {error}. Try again when no "
            f"other program uses it; if it is lost, release the labs again"
        ) from None


def penalties_of(directory):
    """What late work costs in a course directory."""
    return Penalties(directory, _settings(directory))


def _labs():
    return [
        path.stem for path in sorted((course.home() / "solutions").glob("[0-9]*.py"))
    ]


def _prepare(directory):
    if not _is_course(directory) and directory.exists() and any(directory.iterdir()):
        raise CourseError(
            f"{directory} is not empty and no minigrad course: name a new directory"
        )
    directory.mkdir(parents=True, exist_ok=True)
    config = directory / "nbgrader_config.py"
    if not config.exists():
        config.write_text(CONFIG, encoding="utf-8")


def _expect_course(directory):
    if not _is_course(directory):
        raise CourseError(
            f"{directory} is no course directory. Make one: "
            f"python -m grading release {directory}"
        )


def _is_course(directory):
    config = directory / "nbgrader_config.py"
    return config.is_file() and config.read_text(encoding="utf-8").startswith(MARK)


def _offer_scripts():
    """Put this Python's scripts on the PATH, where nbgrader looks for `alembic`."""
    scripts = sysconfig.get_path("scripts")
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([scripts, os.environ["PATH"]])


def _complaint(result):
    """What nbgrader's log names as the error."""
    text = f"{result.get('log') or ''}\n{result.get('error') or ''}"
    kinds = "Error|Exception|NoIsolation"
    errors = re.findall(rf"^\s*([\w.]*(?:{kinds})\w*: .+)$", text, flags=re.M)
    errors = [re.sub(r"^[\w.]*\.(\w+: )", r"\1", error) for error in errors]
    return errors[0] if errors else text.strip()[-500:] or "no reason was given"
