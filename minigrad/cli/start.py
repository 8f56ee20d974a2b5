"""`minigrad lab`: the learner's copies, the start page, and JupyterLab on it."""

import base64
import json
import math
import os
import socket
import sys

from minigrad import course
from minigrad.exercises.registry import exercises

from . import work
from .doctor import cupy_wheels
from .overview import is_done, overview
from .progress import Tally, read_progress, replace, tally
from .work import make_copies, outdated

PAGE = "START.ipynb"
FIRST_PORT = 8888
# `python -m jupyterlab`, in half the time: the package takes a second to import, and
# jsonschema checks IRIs by it, which no notebook has.
QUICKLY = (
    "import sys; sys.modules['rfc3987_syntax'] = None; "
    "from jupyterlab.labapp import main; sys.exit(main())"
)
JUPYTERLAB = [sys.executable, "-c", QUICKLY]


class CannotStart(Exception):
    """Something to mend first; the message says what and how."""


def lab(port=None, browser=True, dry_run=False):
    """Make what is missing, then become JupyterLab; with `dry_run` say how instead."""
    require_clone()
    require_one_cupy()
    options = for_jupyter(free_port(port), browser)
    say_news(make_copies(), outdated())
    write_page()
    if dry_run:
        print(" ".join([sys.executable, "-m", "jupyterlab", *options]))
        return
    print("JupyterLab is starting; Ctrl+C stops it.", flush=True)
    os.chdir(course.home())
    os.execve(sys.executable, [*JUPYTERLAB, *options], environment())


def update(name):
    """Bring a chapter's copies up to date; return what to tell the learner."""
    if not work.copies(name):
        raise CannotStart(f"There is no chapter {name} yet.")
    return "\n".join(map(updated, work.copies(name)))


def updated(one):
    """Bring one copy up to date; return what to tell the learner."""
    if not one.path.exists():
        return f"{one.place} is not there: `minigrad lab` makes it."
    if not work.is_outdated(one):
        return f"{one.place} is up to date: nothing to do."
    backup, gone = work.update(one)
    lost = f" No exercises any more, and as text at its end: {', '.join(gone)}."
    return (
        f"{one.place} is new, with your cells in it. The old one is kept as"
        f" {backup.relative_to(course.home())}.{lost if gone else ''} If it is open,"
        " choose File > Reload Notebook from Disk."
    )


def require_clone():
    if not (course.home() / "labs").is_dir():
        raise CannotStart(
            f"There are no labs in {course.home()}. minigrad was installed without its"
            " course: clone the repository, and call `make lab` there."
        )


def require_one_cupy():
    wheels = cupy_wheels()
    if len(wheels) > 1:
        raise CannotStart(
            f"{' and '.join(wheels)} are both installed, and each spoils the other."
            " `minigrad doctor` shows the two commands that fix it."
        )


def say_news(new, old):
    for kind in ("lessons", "labs"):
        places = [one.place for one in new if one.kind == kind]
        if places:
            print(f"Your own copies of {kind} are new: {', '.join(places)}")
    for one in old:
        print(news_of(one))


def news_of(one):
    return (
        f"{one.place} comes from an earlier version of the course. `minigrad update "
        f"{one.name[:2]}` makes a new copy with your cells, and keeps the old one."
    )


def for_jupyter(port, browser):
    options = [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    options += [f"--ServerApp.root_dir={course.home()}"]
    options += [f"--LabApp.default_url=/lab/tree/{PAGE}", "--Application.log_level=30"]
    options += [] if browser else ["--no-browser"]
    options += ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    return options


def environment():
    """Jupyter reads cli/jupyter too: no news pop-up, no instructor's menus."""
    ours = os.path.join(os.path.dirname(__file__), "jupyter")
    paths = [ours, os.environ.get("JUPYTER_CONFIG_PATH")]
    return os.environ | {"JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths))}


def free_port(wanted):
    """The wanted port, or the first free one; a wanted one in use is an error."""
    free = next((p for p in candidates(wanted) if is_free(p)), None)
    if free is None:
        raise CannotStart("There is no free port: name one, make lab PORT=...")
    if wanted is not None and free != wanted:
        raise CannotStart(
            f"Port {wanted} is in use, perhaps by a JupyterLab that still runs"
            f" (`jupyter server list` shows them). Port {free} is free:"
            f" make lab PORT={free}"
        )
    if wanted is None and free != FIRST_PORT:
        print(f"Port {FIRST_PORT} is in use: JupyterLab takes port {free}.")
    return free


def candidates(wanted):
    first = FIRST_PORT if wanted is None else wanted
    if not 1 <= first <= 65535:
        raise CannotStart(f"A port is a number from 1 to 65535, not {wanted}.")
    return range(first, min(first + 100, 65536))


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class CourseMap:
    """The course as a table with the learner's progress; shown well by Jupyter."""

    def rows(self):
        done = read_progress()
        return [self.row(chapter, done) for chapter in course.CHAPTERS]

    def row(self, chapter, done):
        have = tally(chapter, done)
        lesson = links_to_lessons(chapter)
        copy = link("lab", f"work/{chapter.name}.ipynb")
        if not lesson and not copy:
            return f"{chapter.number:02}", chapter.title, "planned", "", "", "", ""
        shown = reached(have) if copy else ("", "", "")
        return f"{chapter.number:02}", chapter.title, lesson, copy, *shown

    def _repr_markdown_(self):
        head = ["", "chapter", "lesson", "lab", "", "solved", "points"]
        lines = [head, ["--:", ":--", ":--", ":--", ":--", "--:", "--:"], *self.rows()]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{self.next()}\n\n{table}"

    def next(self):
        """Where to go on: the lab that was worked on last, or the first unsolved."""
        done = read_progress()
        last = self.last(done)
        if last is None:
            return "**All is solved.**"
        lesson = links_to_lessons(last)
        labs = link("lab", f"work/{last.name}.ipynb")
        both = " and its ".join(filter(None, [lesson, labs]))
        return f"**Continue here: {last.number:02} · {last.title}**, the {both}."

    def hint(self):
        """The next step on the command line."""
        if not self.labs():
            return "`minigrad lab` opens the course."
        last = self.last(read_progress())
        if last is None:
            return "All is solved. `minigrad export FOLDER` writes your own library."
        where = f"chapter {last.number:02}, {last.title}"
        return f"Continue with {where}: `minigrad lab` opens the course."

    def labs(self):
        """The chapters of which there's a copy of the lab."""
        return [c for c in course.CHAPTERS if link("lab", f"work/{c.name}.ipynb")]

    def last(self, done):
        """The chapter to go on with, or None."""
        open_ = [c for c in self.labs() if not is_done(tally(c, done))]
        return max(open_, key=lambda c: (latest(c, done), -c.number), default=None)

    def picture(self):
        """What builds on what, of the chapters that have a lab."""
        done = read_progress()
        tallies = {chapter: tally(chapter, done) for chapter in self.labs()}
        return overview([*tallies], tallies, self.last(done))

    def __rich__(self):
        """The same for a terminal: the labs that are there, and their total."""
        from rich.console import Group
        from rich.table import Column, Table

        done = read_progress()
        right = [Column(name, justify="right") for name in ("solved", "points")]
        table = Table("", "chapter", "", *right, box=None, pad_edge=False)
        for chapter in self.labs():
            shown = reached(tally(chapter, done))
            table.add_row(f"{chapter.number:02}", chapter.title, *shown)
        columns = zip(*(tally(chapter, done) for chapter in self.labs()), strict=True)
        if total := [*map(sum, columns)]:
            table.add_row("", "total", *reached(Tally(*total)))
        return Group(table, "", self.hint()) if total else self.hint()


def reached(have):
    """A Tally as texts: a bar, how many exercises are solved, and the points."""
    exercises = f"{have.solved} of {have.count}"
    if have.need_gpu:
        exercises += f" ({have.need_gpu} not graded: no GPU)"
    points = f"{have.earned:g} of {have.points:g}"
    return bar(have.earned / (have.points or 1)), exercises, points


def bar(share):
    """Ten boxes, as many of them full as the share says: all of them where it is 1."""
    full = math.ceil(9 * share) if share < 1 else 10
    return "\u25b0" * full + "\u25b1" * (10 - full)


def latest(chapter, done):
    """When one of a chapter's exercises was last checked; "" for never."""
    names = [entry.name for entry in exercises() if entry.chapter == chapter.name]
    return max((done[n].get("time", "") for n in names if n in done), default="")


def link(word, path):
    return f"[{word}]({path})" if (course.home() / path).exists() else ""


def links_to_lessons(chapter):
    words = "lesson", *(f"part {n + 1}" for n in range(1, len(chapter.lessons)))
    links = [
        link(word, f"work/lessons/{name}.ipynb")
        for word, name in zip(words, chapter.lessons, strict=True)
    ]
    return ", ".join(filter(None, links))


def progress():
    """The course map with the learner's progress as it is now."""
    return CourseMap()


def write_page():
    replace(course.home() / PAGE, json.dumps(page(), indent=1, ensure_ascii=False))


def page():
    """START.ipynb: how to begin, the map, what is new, and a cell for the map anew."""
    picture = progress().picture()
    image = f"![{picture.alt}](attachment:map.png)"
    cells = [("begin", BEGIN), ("map", f"{progress()._repr_markdown_()}\n\n{image}")]
    news = "\n".join(f"- {news_of(one)}" for one in outdated())
    cells += [("news", f"**New in the course**\n\n{news}")] if news else []
    cells += [("again", AGAIN)]
    text = [
        {"cell_type": "markdown", "id": key, "metadata": {}, "source": source}
        for key, source in cells
    ]
    png = base64.b64encode(picture.png()).decode()
    text[1]["attachments"] = {"map.png": {"image/png": png}}
    code = {"cell_type": "code", "id": "progress", "metadata": {}, "source": CODE}
    text.append(code | {"outputs": [], "execution_count": None})
    page = {"cells": text, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return work.for_this_kernel(page)


BEGIN = """\
# minigrad

Learn how PyTorch works by writing it. In each chapter, read the **lesson**, and then
write your own version of it in the **lab**. Both are your copies, in the folder `work`,
so change them as you like.

You need Python and NumPy, but no GPU. The **core path** takes about 22 hours. It
consists of the first lesson and the core exercises of chapters 00 to 06 and 08 to 10.
With everything else, the course takes about 60 hours. Each exercise says whether it's
core, good to know, or extra."""

AGAIN = """\
The table and the picture are as of the last `make lab`. To see your progress now, click
on the cell below and press Shift+Enter."""

CODE = """\
from minigrad.cli.start import progress

progress()"""
