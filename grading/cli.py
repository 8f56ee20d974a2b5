"""The instructor's command line: `python -m grading build | release | ... | unpack`."""

import collections
import gc
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from minigrad import __version__

from . import packages
from .isolation.safe_text import visible
from .isolation.sandbox import NoIsolation
from .notebooks.build import BuildError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console()

Directory = Annotated[
    Path, typer.Argument(metavar="DIRECTORY", help="The course directory.")
]
Chapters = Annotated[
    list[str] | None,
    typer.Argument(metavar="CHAPTER", help="Such as 03; all if none is given."),
]
Lab = Annotated[
    str | None, typer.Option(metavar="LAB", help="Only this lab, such as 03.")
]
Students = Annotated[
    list[str] | None,
    typer.Option("--student", metavar="STUDENT", help="Only this student."),
]
Roster = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The platform's own list of students."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


def show_version(wanted: bool):
    if wanted:
        print(f"grading {__version__}")
        raise typer.Exit()


@app.callback()
def grading(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ] = False,
):
    """Build the course's notebooks; release, collect, and grade its labs."""


@app.command()
def build(
    chapters: Chapters = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only say what is out of date.")
    ] = False,
    force: Force = False,
):
    """Build labs and lessons from solutions/ and lessons/."""
    from .notebooks.build import build

    changed = build(chapters or (), check=check, force=force)
    for path in changed:
        console.print(
            f"{'stale' if check else 'built'}: {path.parent.name}/{path.name}"
        )
    if check and changed:
        console.print("Run `python -m grading build` and commit what it writes.")
        raise typer.Exit(1)
    if not changed:
        console.print("every notebook is what its text says")


@app.command()
def new(
    chapter: Annotated[str, typer.Argument(metavar="CHAPTER", help="Such as 03.")],
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Such as flip, or Tensor.flip for a method."
        ),
    ],
    kernel: Annotated[
        bool, typer.Option("--kernel", help="The answer is a CUDA C++ kernel.")
    ] = False,
):
    """Begin an exercise, with files for you to fill in."""
    from .notebooks.new import new

    parts = "contract", "cells, with the solution", "check", "mistakes", "other answers"
    for n, (path, part) in enumerate(
        zip(new(chapter, name, kernel), parts, strict=True), 1
    ):
        console.print(f"{n}. {path}: the {part}", markup=False, soft_wrap=True)
    name = name.rpartition(".")[2]
    console.print(
        f"Write what stands in CAPITALS; docs/exercise.md is an example. Then:\n"
        f"make build; python -m tools.audit prove {name}",
        markup=False,
        soft_wrap=True,
    )


@app.command()
def release(directory: Directory, labs: Chapters = None):
    """Make or renew a course directory, and release labs in it."""
    from .classroom.course_dir import release

    for name in release(directory, labs or ()):
        console.print(
            f"released {name}: hand out {directory}/release/{name}/{name}.ipynb"
        )


@app.command()
def collect(
    directory: Directory,
    inbox: Annotated[
        Path,
        typer.Argument(metavar="INBOX", help="A folder of submissions, or a .zip."),
    ],
    lab: Annotated[
        str | None,
        typer.Option(metavar="LAB", help="The lab of files that don't say it."),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX", help="Finds the student in a path, by (?P<student>...)."
        ),
    ] = None,
    roster: Roster = None,
):
    """Take in submissions from a folder, or from a platform's .zip."""
    from .classroom.collect import collect, summed

    table = _table("student", "lab", "file", "what", "why")
    for item in summed(collect(directory, inbox, lab, pattern, roster)):
        table.add_row(*map(_plain, item[:5]))
    console.print(table)


@app.command()
def grade(
    directory: Directory,
    lab: Lab = None,
    student: Students = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is graded already.")
    ] = False,
    unsafe: Annotated[
        bool,
        typer.Option("--unsafe", help="Without a box: submissions can do anything."),
    ] = False,
    scheduler: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Of a Dask cluster that judges: tcp://..."
        ),
    ] = "",
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT",
            help="Processes that judge; by default one per core, or one with a GPU.",
        ),
    ] = None,
):
    """Grade the submissions that are new or have changed."""
    gc.disable()  # collections would look through what is imported, again and again
    from .classroom import forkserver

    if jobs != 1 and not scheduler:
        forkserver.begin(directory, everything)
    from .classroom import local_jobs
    from .classroom.course_dir import grade, strays, submissions
    from .classroom.inbox import shown
    from .classroom.notes import named
    from .kernels import gpu

    gc.freeze()
    gc.enable()
    count = len(submissions(directory, lab, student or ()))
    for paths in strays(directory):
        line = f"left out of submitted/, no released lab: {shown(named(paths))}"
        console.print(line, markup=False)
    if not count:
        console.print("there is no submission yet: take some in with `collect`")
        return
    done, states = [], collections.Counter()
    columns = TextColumn("{task.fields[said]}"), TimeRemainingColumn()
    with progress_bar(*columns) as progress:
        task = progress.add_task("grading", total=count, said="")
        jobs = jobs or (1 if gpu.available() else local_jobs.count())
        how = everything, unsafe, scheduler, jobs
        work = grade(directory, lab, student or (), *how)
        for one in work:
            done.append(one)
            states[one.state if one.fresh else "before"] += 1
            said = ", ".join(f"{n} {state}" for state, n in states.items())
            who = escape(one.student)
            progress.update(task, advance=1, description=who, said=said)
    console.print(_graded(sorted(done)))
    failed = sum(one.state == "failed" for one in done)
    fresh = sum(one.fresh for one in done)
    console.print(f"{fresh - failed} graded now, {len(done) - fresh} were before")
    if failed:
        console.print(f"{failed} could not be graded; nothing was recorded for them")
        raise typer.Exit(1)


@app.command()
def feedback(directory: Directory, lab: Lab = None, student: Students = None):
    """Write a page for each graded submission, below feedback/."""
    from .classroom.feedback import feedback

    if any(one.state == "failed" for one in feedback(directory, lab, student or ())):
        raise typer.Exit(1)


@app.command()
def export(
    directory: Directory,
    to: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    form: Annotated[
        str, typer.Option(metavar="FORM", help="csv, canvas, or moodle.")
    ] = "csv",
    roster: Roster = None,
    lab: Lab = None,
    force: Force = False,
):
    """Write a table of grades, for a spreadsheet, Canvas, or Moodle."""
    from .classroom.export import export

    export(directory, to, form, roster, lab=lab, force=force)


@app.command()
def report(
    directory: Directory,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="By default DIRECTORY/report.html."),
    ] = None,
    lab: Lab = None,
):
    """Write a page on the class: results, mistakes, who needs help."""
    from .classroom.report import report

    console.print(f"written: {report(directory, to, lab)}", soft_wrap=True)


@app.command()
def regrade(
    directory: Directory,
    exercise: Annotated[
        str, typer.Argument(metavar="EXERCISE", help="Such as 03.4, or permute.")
    ],
    student: Students = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would change.")
    ] = False,
):
    """Grade one exercise again, after its check was corrected."""
    from .classroom.regrade import regrade

    rows, count, failed = _table("student", "before", "after", "why"), 0, False
    for one in regrade(directory, exercise, student or (), dry_run):
        count, failed = count + 1, failed or one.state == "failed"
        if one.before != one.after or one.state == "failed":
            points = f"{one.before:g}", f"{one.after:g}"
            rows.add_row(*map(_plain, (one.student, *points, one.why)))
    if rows.row_count:
        console.print(rows)
    kept = " (nothing is written)" if dry_run else ""
    console.print(f"{rows.row_count} of {count} submissions change{kept}")
    if failed:
        raise typer.Exit(1)


@app.command()
def pack(
    directory: Directory,
    to: Annotated[Path, typer.Argument(metavar="FILE", help="A .json to write.")],
):
    """Write what waits for a GPU to a file, for another machine."""
    from .classroom.remote_gpu import pack

    count = pack(directory, to)
    console.print(f"{count} submissions packed; there: python -m grading judge {to}")


@app.command()
def judge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `pack` wrote.")],
    to: Annotated[
        Path | None,
        typer.Argument(metavar="RESULT", help="By default FILE itself."),
    ] = None,
):
    """Judge what `pack` wrote, on a machine with a GPU."""
    from .classroom.remote_gpu import judge

    with progress_bar() as progress:
        task = progress.add_task("judging", total=None)
        for done, total in judge(file, to or file):
            progress.update(task, completed=done, total=total)
    console.print(f"judged: {to or file}; back there: python -m grading unpack")


@app.command()
def unpack(
    directory: Directory,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `judge` wrote.")],
):
    """Bring the verdicts of another machine into the gradebook."""
    from .classroom.remote_gpu import unpack

    done = list(unpack(directory, file))
    console.print(_graded(done))
    if any(one.state == "failed" for one in done):
        raise typer.Exit(1)


def main(app=app):
    """Run the command; what the user can mend is said in one line."""
    try:
        app()
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))
    except (BuildError, NoIsolation, ValueError, LookupError) as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if advice := packages.advice(error):
            _fail(advice)
        raise
    except SystemExit as end:
        if end.code == 130:  # so typer ends at Ctrl+C
            _fail("interrupted: what was done is kept; run it again for the rest", 130)
        raise


def _fail(why, status=1):
    Console(stderr=True).print(f"error: {why}", markup=False, soft_wrap=True)
    sys.exit(status)


def _table(*heads):
    """A Table in which long words go on in the next line, instead of being cut."""
    return Table(*(Column(head, overflow="fold") for head in heads))


def _graded(done):
    table = _table("student", "lab", "points", "state", "why")
    for one in done:
        points = f"{one.points:g} / {one.max_points:g}" if one.max_points else ""
        state = one.state if one.fresh else f"{one.state} before"
        table.add_row(*map(_plain, (one.student, one.lab, points, state, one.why)))
    return table


def _plain(text):
    """Text as a table shows it: no markup, and nothing that a terminal obeys."""
    return escape(visible(text))


def progress_bar(*more):
    columns = TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn()
    return Progress(*columns, *more, console=console)
