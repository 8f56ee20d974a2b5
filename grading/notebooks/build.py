"""Notebooks from text: solutions/NN.py -> labs/NN.ipynb, lessons/NN.py -> its ipynb.

Marks on cells say what a cell is; everything else about it follows from the exercise:

    # %% setup=true                          the set-up cell: gets the Colab part
    # %% [markdown] task="contiguous_strides"  the task: gets stars, minutes, points
    # %% [markdown] hints="contiguous_strides" the hints: the contract goes above them
    # %% exercise="contiguous_strides"       the answer: emptied in the lab
    # %% check="contiguous_strides"          the graded check

{{relu | unary_vec | time}} in a text becomes that cell of docs/benchmarks/kernels.md,
and {{relu | unary_vec}} the rate, GB/s or TFLOP/s; {{duration}} in the first cell is
how long the notebook takes, and {{how}} is how_a_lab_works.md. {{=12}} is 12: a number,
or words, that the cells beside the text show, and {{=it is refused|ValueError}} says so
in words where they show "ValueError". The tests compare both when they run the
notebook.
Built twice, a notebook has the same bytes: ids come from the marks, not from chance.
"""

import hashlib
import itertools
import json
import re
import tomllib
from pathlib import Path

import jupytext
import nbformat

from minigrad import course
from minigrad.exercises import order
from minigrad.exercises.answers import exercises_of
from minigrad.exercises.cells import source_of
from minigrad.exercises.registry import find
from minigrad.testing import published

from ..checking.verdict import plural
from . import glossary_links
from .duration import duration

TASK = re.compile(r'^# %% \[markdown\].*\btask="(\w+)"', re.M)
STUB = {
    "#": ["# YOUR CODE HERE", "raise NotImplementedError"],
    "//": ["// YOUR CODE HERE"],
}
MEASURED = re.compile(r"\{\{(.*?) \| (.*?)(?: \| (.*?))?\}\}")
STATED = re.compile(r"\{\{=([^|]*?)(?:\|(.*?))?\}\}", re.S)
TO_THE_LAB = re.compile(r"^\*\*To the lab\*\*", re.M)
FOR_TOOLS = re.compile(r"  # (?:fmt: skip|noqa).*$", re.M)  # no words for learners
BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
COLAB = "https://colab.research.google.com/github"
SETUP = """\
import subprocess
import sys
from pathlib import Path

colab = Path("/content/minigrad")  # on Colab, the course is cloned here
if "google.colab" in sys.modules and not colab.exists():
    fetch = "git clone --quiet --depth=1 --branch={tag} {repository} {{}}"
    if subprocess.run(fetch.format(colab).split()).returncode:
        raise RuntimeError("could not download the course. Are you online?")
for place in [colab, *Path.cwd().parents, Path.cwd()]:
    if (place / "minigrad/course.py").exists() and str(place) not in sys.path:
        sys.path.insert(0, str(place))
"""
SOLUTION = """\
<details><summary>Reference solution</summary>

Try all hints first. If you still want to see it, run this in a new cell:

    from grading import show_solution
    show_solution({})

</details>"""
HOW = Path(__file__).with_name("how_a_lab_works.md")
HIDDEN = {"jupyter": {"source_hidden": True}}


class BuildError(Exception):
    """A source text is not as it should be: the message says where."""


class Edited(BuildError):
    """A built notebook holds somebody's work and is left as it is."""


def settings():
    """The course's public address and tag: [tool.minigrad] of pyproject.toml."""
    text = (course.home() / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["tool"]["minigrad"]


def sources():
    """Every (text, notebook) of the course, as paths."""
    home = course.home()
    for kind, target in (("lessons", "lessons"), ("solutions", "labs")):
        for text in sorted((home / kind).glob("[0-9][0-9]_*.py")):
            yield text, home / target / f"{text.stem}.ipynb"


def build(chapters=(), check=False, force=False):
    """Build all notebooks (or those of `chapters`); return those that changed.

    check: write nothing. force: also where somebody has edited the built notebook,
    which is then kept beside it as NAME.edited-1.ipynb.
    """
    names = {course.chapter(c).name for c in chapters}
    changed = ordered(check)
    for text, target in sources():
        if names and course.chapter(text.stem).name not in names:
            continue
        nb = notebook(text, solved=False)
        if is_stale(nb, target):
            changed.append(target)
            if not check:
                write(nb, target, force)
    return changed


def ordered(check=False):
    """Write the order of the exercises, as their tasks stand in the labs' texts.

    Return [its path] if it changed. check: write nothing.
    """
    labs = [text for text, target in sources() if target.parent.name == "labs"]
    now = {text.stem: TASK.findall(text.read_text("utf-8")) for text in labs}
    lines = ["{"]
    for chapter, names in now.items():
        lines += [f'    "{chapter}": [', *(f'        "{n}",' for n in names), "    ],"]
    path = Path(order.__file__)
    head, mark, before = path.read_text("utf-8").partition("ORDER = ")
    text = "\n".join([*lines, "}", ""])
    if text == before:
        return []
    if not check:
        order.ORDER |= now
        path.write_text(head + mark + text, encoding="utf-8")
    return [path]


def is_stale(nb, target):
    """Does the file hold anything but this notebook?"""
    return not target.exists() or target.read_text(encoding="utf-8") != dumps(nb)


def write(nb, target, force=False):
    """Write a built notebook; Edited where the file holds somebody's work."""
    if is_stale(nb, target):
        _keep_edited(target, force)
        target.write_text(dumps(nb), encoding="utf-8")


def dumps(nb):
    return json.dumps(nb, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def notebook(path, solved):
    """The notebook of a source text. solved: with the answers, for an instructor."""
    path = Path(path)
    lab = path.parent.name == "solutions"
    cells = jupytext.reads(source_of(path), fmt="py:percent").cells
    if lab:
        _examine(path, cells)
    how = HOW.read_text("utf-8").strip()
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = STATED.sub(r"\1", cell.source)  # what is read, and counted
            cell.source = cell.source.replace("{{how}}", how)
    takes = duration(cells, exercises_of(path.stem) if lab else [])
    cells[0].source = cells[0].source.replace("{{duration}}", takes)
    ids = _ids(cells)
    built = [_cell(cell, id, solved, lab) for cell, id in zip(cells, ids, strict=True)]
    if not lab:
        glossary_links.link(built, path.stem[:2])
    if not solved:
        _add_links(built, path.stem, lab)
    _add_badge(built, f"{'labs' if lab else 'lessons'}/{path.stem}.ipynb")
    nb = nbformat.v4.new_notebook(cells=built, metadata=_metadata(path.stem, lab))
    nb.metadata["minigrad"]["built"] = _stamp(nb)
    nbformat.validate(nb)
    return nb


def stated(path):
    """{cell's id: what the cells beside it show if its text is true}."""
    cells = jupytext.reads(source_of(path), "py:percent").cells
    durations = [
        [shown or said for said, shown in STATED.findall(cell.source)] for cell in cells
    ]
    return {id: said for id, said in zip(_ids(cells), durations, strict=True) if said}


def clear(text):
    """The text with each answer, BEGIN SOLUTION to END SOLUTION, replaced by a stub."""
    lines, inside = [], False
    for line in text.splitlines():
        mark = re.match(r"(\s*)(#|//)[#/ ]*(BEGIN|END) SOLUTION", line)
        if mark and (mark[3] == "BEGIN") == inside:
            raise BuildError(f"BEGIN and END SOLUTION do not pair up: {line.strip()}")
        if mark and not inside:
            lines += [mark[1] + stub for stub in STUB[mark[2]]]
        elif not mark and not inside:
            lines.append(line)
        inside = (mark[3] == "BEGIN") if mark else inside
    if inside:
        raise BuildError("a BEGIN SOLUTION has no END SOLUTION")
    return "\n".join(lines)


def _cell(cell, id, solved, lab):
    mark, text = cell.metadata, cell.source
    if cell.cell_type == "markdown":
        text = _with_effort(text, mark["task"]) if "task" in mark else text
        text = _with_contract(text, mark["hints"]) if "hints" in mark else text
        text = MEASURED.sub(lambda found: published(*found.groups()), text)
        if "{{" in text:
            raise BuildError(f"{id}: nothing fills this in: {text[text.index('{{') :]}")
        return nbformat.v4.new_markdown_cell(text, id=id)
    text = FOR_TOOLS.sub("", text)
    metadata = {"tags": mark["tags"]} if "tags" in mark else {}
    if "setup" in mark:
        head, _, rest = text.partition("\n")
        text = f"{head}\n{SETUP.format(**settings())}\n{rest}"
        metadata |= HIDDEN
    if lab and "exercise" in mark:
        text = text if solved else clear(text)
        metadata["nbgrader"] = _nbgrader(id, solution=True)
    if "check" in mark:
        metadata |= {"deletable": False, "editable": False}
        points = find(mark["check"]).points
        metadata["nbgrader"] = _nbgrader(id, grade=True, locked=True, points=points)
    return nbformat.v4.new_code_cell(text, id=id, metadata=metadata)


def _nbgrader(grade_id, grade=False, solution=False, locked=False, **points):
    return dict(grade=grade, solution=solution, locked=locked, task=False,
                grade_id=grade_id, schema_version=3, **points)  # fmt: skip


def _ids(cells):
    """Fixed ids: of marked cells their mark, of the others their place after one."""
    ids, section, count = [], "intro", 0
    for cell in cells:
        mark = cell.metadata
        count += 1
        if "setup" in mark:
            ids.append("setup")
        elif "exercise" in mark:
            ids.append(_id(mark["exercise"]))
        elif "check" in mark:
            ids.append(_id(mark["check"]) + "-check")
        else:
            if "task" in mark:
                section, count = _id(mark["task"]), 0
            ids.append(f"{section}-{'task' if 'task' in mark else count}")
    return ids


def _id(name):
    return re.sub(r"[^\w-]", "-", name)


def _with_effort(text, name):
    """The task's heading, with number, stars, minutes and points under it."""
    exercise = find(name)
    stars = "★" * exercise.stars + "☆" * (3 - exercise.stars)
    effort = f"{stars} · about {exercise.minutes} minutes · {plural(exercise.points)}"
    heading, _, rest = text.partition("\n")
    at = f"Exercise {exercise.number} · {exercise.level}"
    return f"{heading}\n\n{at} · {effort}\n{rest}"


def _with_contract(text, name):
    """The contract right above the stub, the hints, and how to see the solution."""
    solution = SOLUTION.format(re.search(r"\((.*)\)", find(name).solved_by())[1])
    return f"**Contract**\n\n```text\n{find(name).contract}\n```\n\n{text}\n{solution}"


def _add_links(cells, name, lab):
    """Link each lesson to its lab and back, to its next part, and to the next chapter.

    name: of the lesson or the lab.
    """
    chapter = course.chapter(name)
    if lab:
        first, *parts = chapter.lessons
        to_partner = f"[Lesson {chapter.number:02}](../lessons/{first}.ipynb)"
        for number, part in enumerate(parts, 2):
            to_partner += f", [part {number}](../lessons/{part}.ipynb)"
        to_part = []
    else:
        link = f"../labs/{chapter.name}.ipynb"
        for cell in cells:
            if cell.cell_type == "markdown":
                cell.source = TO_THE_LAB.sub(f"**[To the lab]({link})**", cell.source)
        to_partner = f"[Lab {chapter.number:02}]({link})"
        at = chapter.lessons.index(name) + 1
        to_part = [
            f"[lesson {chapter.number:02}, part {at + 1}]({part}.ipynb)"
            for part in chapter.lessons[at : at + 1]
        ]
    after = course.CHAPTERS[chapter.number + 1 :][:1]
    to_next = [
        f"[lesson {one.number:02}: {one.title}]"
        f"({'../lessons/' if lab else ''}{one.name}.ipynb)"
        for one in after
        if (course.home() / "lessons" / f"{one.name}.py").exists()
    ]
    cells[0].source += f"\n\n{to_partner}"
    to_lab = to_partner.replace("[Lab", "[lab")
    steps = to_next if lab else [*to_part, to_lab, *to_next]
    if steps:
        text = f"**Next**: {', then '.join(steps)}."
        cells.append(nbformat.v4.new_markdown_cell(text, id="next"))


def _add_badge(cells, path):
    settings_ = settings()
    repository = settings_["repository"].removeprefix("https://github.com/")
    link = f"{COLAB}/{repository}/blob/{settings_['tag']}/{path}"
    cells[0].source += f"\n\n[![Open in Colab]({BADGE})]({link})"


def _metadata(name, lab):
    chapter = course.chapter(name).name
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "kernelspec": kernel,
        "language_info": {"name": "python"},
        "colab": {"provenance": []},
        "minigrad": {"chapter": chapter, "kind": "lab" if lab else "lesson"},
    }


def _examine(path, cells):
    """Raise unless every exercise of the chapter has its cells, in course order."""
    expected = [exercise.name for exercise in exercises_of(path.stem)]
    for mark in ("task", "hints", "exercise", "check"):
        got = [cell.metadata[mark] for cell in cells if mark in cell.metadata]
        if got != expected:
            raise BuildError(
                f"{path.name}: the cells marked {mark}=... are {got}; the chapter's "
                f"exercises, in course order, are {expected}"
            )
    for cell in cells:
        if "exercise" in cell.metadata and "BEGIN SOLUTION" not in cell.source:
            name = cell.metadata["exercise"]
            raise BuildError(f"{path.name}: the answer of {name} has no BEGIN SOLUTION")


def _stamp(nb):
    """A fingerprint of what the cells say."""
    said = [[cell["cell_type"], "".join(cell["source"])] for cell in nb["cells"]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _keep_edited(target, force):
    """Before a built notebook is replaced: does it hold somebody's work?"""
    if not target.exists():
        return
    try:
        old = json.loads(target.read_text(encoding="utf-8"))
        ours = _stamp(old) == old["metadata"]["minigrad"]["built"]
    except (ValueError, KeyError, TypeError):
        ours = False
    if not ours and not force:
        raise Edited(
            f"{target} has been edited since it was built, and is left as it is. Copy "
            f"your work to work/{target.name}; or build with --force: what is there "
            f"now is then kept beside it as {target.stem}.edited-1.ipynb"
        )
    if not ours:
        names = (f"{target.stem}.edited-{n}.ipynb" for n in itertools.count(1))
        target.replace(next(p for p in map(target.with_name, names) if not p.exists()))
