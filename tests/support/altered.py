"""The built lab 03 as notebooks that can be altered, cell by cell, as students do."""

import functools
import inspect
import json
import re
import textwrap
from pathlib import Path

from grading.checking.answers import Rewritten
from grading.notebooks.build import notebook
from minigrad import course
from minigrad.exercises.answers import exercises_of
from tools.audit.specimens import specimens_of

LAB = "03_strides"
EXERCISES = {exercise.name: exercise for exercise in exercises_of(LAB)}


@functools.cache
def built(solved):
    return json.dumps(notebook(course.solution(LAB), solved=solved))


def solved():
    """The solved lab, as a new dict."""
    return json.loads(built(True))


def empty():
    """The lab as it is handed out, as a new dict."""
    return json.loads(built(False))


def place(nb, id):
    return next(i for i, cell in enumerate(nb["cells"]) if cell.get("id") == id)


def cell(nb, id):
    return nb["cells"][place(nb, id)]


def edited(nb, id, text):
    """The notebook with another text in one cell; `{old}` in it is the old text."""
    result = cell(nb, id)
    result["source"] = text.replace("{old}", result["source"])
    return nb


def added(nb, text, after="setup"):
    """The notebook with a scratch cell."""
    new = {"cell_type": "code", "id": "scratch", "metadata": {},
           "source": text, "outputs": [], "execution_count": None}  # fmt: skip
    nb["cells"].insert(place(nb, after) + 1, new)
    return nb


def without(nb, *ids):
    nb["cells"] = [cell for cell in nb["cells"] if cell.get("id") not in ids]
    return nb


def answer(name, body, head=""):
    """The solved answer with another body."""
    above, _, _ = cell(solved(), name)["source"].partition("    ### BEGIN")
    return head + above + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")


def beginning(nb, name, line):
    """The notebook with one more line at the beginning of an answer."""
    text = cell(nb, name)["source"]
    head, _, rest = text.partition("### BEGIN SOLUTION\n")
    return edited(nb, name, f"{head}### BEGIN SOLUTION\n    {line}\n{rest}")


def styled(nth, wrong):
    """{exercise: (specimen, text)}: the nth right or wrong answer of each exercise."""
    chosen = {}
    for name, exercise in EXERCISES.items():
        mine = [s for s in specimens_of(exercise) if bool(s.cause) == wrong]
        texts = [(s, text_of(s)) for s in mine]
        alone = [(s, text) for s, text in texts if text]
        if nth < len(alone):
            chosen[name] = alone[nth]
    return chosen


def text_of(specimen):
    """A specimen as a cell, or None where it needs more than the lab's own names."""
    function, name = specimen.answer, specimen.exercise.name
    if not inspect.isfunction(function):
        return None
    if isinstance(specimen.given, Rewritten):
        return specimen.given.text(specimen.exercise)
    if function.__name__ == "<lambda>":
        return None
    setup = cell(solved(), "setup")["source"]
    module = Path(inspect.getsourcefile(function)).read_text(encoding="utf-8")
    imports = re.findall(
        r"^(?:import|from) (?!grading|tools|\.).*[^(\n]$", module, re.M
    )
    used = [n for n in function.__code__.co_names if n in function.__globals__]
    if any(not re.search(rf"\b{n}\b", " ".join([setup, *imports])) for n in used):
        return None
    source = textwrap.dedent(inspect.getsource(function))
    head = re.search(r"^def \w+(\(.*?\)):.*?\n", source, re.M | re.S)
    body = source[head.end() :]
    solves = re.search(r"^@solves.*$", cell(solved(), name)["source"], re.M)
    return "\n".join([*imports, "", "", solves[0], f"def {name}{head[1]}:", body])


def restyled(nth, wrong):
    """The lab with these answers; where there are none, solved or, if wrong, empty."""
    nb = empty() if wrong else solved()
    for name, (_, text) in styled(nth, wrong).items():
        cell(nb, name)["source"] = text  # which may say {old} for itself
    return nb
