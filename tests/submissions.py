"""A class that never was: submissions of lab 03, and what each of them must get.

Everything is made from the built lab and from the specimens, so no answer stands here
twice. `python -m tests.submissions FOLDER` writes them, to be looked at or tried.
"""

import copy
import inspect
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from grading.build import notebook
from grading.specimens import specimens
from minigrad import course
from minigrad.answers import holes_of

LAB = "03_strides"
HOLES = {hole.name: hole for hole in holes_of(LAB)}
FULL, NONE, PART = "full", "none", "part"  # the points of an exercise

made = []  # the functions below, in order


class Submission(NamedTuple):
    """expected: {exercise: FULL, NONE or PART}, or None where it cannot be graded."""

    student: str
    data: bytes
    expected: dict | None
    file: str  # its path in the inbox
    states: dict = {}  # {exercise: the verdict's state}
    causes: dict = {}  # {exercise: the cause that its failure names}
    warning: str = ""  # what some warning says


def submission(expected=FULL, file="{student}/03_strides.ipynb", lose=(), **more):
    """Say what the function below makes. lose: the exercises that earn nothing."""

    def keep(make):
        student = make.__name__.removeprefix("_")
        points = dict.fromkeys(HOLES, expected) | dict.fromkeys(lose, NONE)
        points = expected if expected is None else points
        made.append((make, student, points, file.format(student=student), more))
        return make

    return keep


def submissions():
    """Every Submission of the class."""
    for make, student, expected, file, more in made:
        data = make()
        if isinstance(data, tuple):
            data, expected, more = data[0], {**expected, **data[1]}, {**more, **data[2]}
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        yield Submission(student, data, expected, file, **more)


def write(folder):
    """Put the class's files into a folder, as an inbox for `collect`."""
    for one in submissions():
        path = Path(folder) / one.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.data)


def solved():
    return plain(SOLVED)


def empty():
    return plain(EMPTY)


def plain(nb):
    """A notebook as a new dict, as it stands in its file."""
    return json.loads(json.dumps(nb))


SOLVED = notebook(course.solution(LAB), solved=True)
EMPTY = notebook(course.solution(LAB), solved=False)


def place(nb, id):
    return next(i for i, cell in enumerate(nb["cells"]) if cell.get("id") == id)


def cell(nb, id):
    return nb["cells"][place(nb, id)]


def edited(nb, id, text):
    """The notebook with another text in one cell; `{old}` in it is the old text."""
    found = cell(nb, id)
    found["source"] = text.replace("{old}", "".join(found["source"]))
    return nb


def added(nb, text, after="setup"):
    """The notebook with a scratch cell."""
    new = {"cell_type": "code", "id": f"scratch-{len(nb['cells'])}", "metadata": {},
           "source": text, "outputs": [], "execution_count": None}  # fmt: skip
    nb["cells"].insert(place(nb, after) + 1, new)
    return nb


def without(nb, *ids):
    nb["cells"] = [cell for cell in nb["cells"] if cell.get("id") not in ids]
    return nb


def answer(name, body, head=""):
    """The solved answer with another body."""
    above, _, _ = "".join(cell(solved(), name)["source"]).partition("    ### BEGIN")
    return head + above + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")


def beginning(nb, name, line):
    """The notebook with one more line at the beginning of an answer."""
    text = "".join(cell(nb, name)["source"])
    head, _, rest = text.partition("### BEGIN SOLUTION\n")
    return edited(nb, name, f"{head}### BEGIN SOLUTION\n    {line}\n{rest}")


def styled(nth, wrong):
    """{exercise: (specimen, text)}: the nth right or wrong answer of each exercise."""
    chosen = {}
    for name, hole in HOLES.items():
        mine = [s for s in specimens(LAB) if s.hole is hole and bool(s.cause) == wrong]
        texts = [(s, text_of(s)) for s in mine]
        alone = [(s, text) for s, text in texts if text]
        if nth < len(alone):
            chosen[name] = alone[nth]
    return chosen


def text_of(specimen):
    """A specimen as a cell, or None where it needs more than the lab's own names."""
    function, name = specimen.answer, specimen.hole.name
    if not inspect.isfunction(function):
        return None
    setup = "".join(cell(solved(), "setup")["source"])
    module = Path(inspect.getsourcefile(function)).read_text(encoding="utf-8")
    imports = re.findall(r"^(?:import|from) (?!grading).*[^(\n]$", module, re.M)
    used = [n for n in function.__code__.co_names if n in function.__globals__]
    if any(not re.search(rf"\b{n}\b", " ".join([setup, *imports])) for n in used):
        return None
    source = textwrap.dedent(inspect.getsource(function))
    body = source[re.search(r"^def .*?:\n", source, re.M | re.S).end() :]
    head = re.search(r"^def \w+(\(.*?\)):\n", source, re.M | re.S)[1]
    solves = re.search(r"^@solves.*$", "".join(cell(solved(), name)["source"]), re.M)
    return "\n".join([*imports, "", "", solves[0], f"def {name}{head}:", body])


def restyled(nth, wrong):
    nb, chosen = solved(), styled(nth, wrong)
    for name, (_, text) in chosen.items():
        edited(nb, name, text)
    return nb, chosen


# Right, wrong and in between.


@submission(file="03_strides_{student}.ipynb")
def right():
    return solved()


@submission(file="lovelaceada_LATE_12345_67890_03_strides-1.ipynb")
def lovelaceada():
    return restyled(0, wrong=False)[0]


@submission(file="Grace Hopper_4711_assignsubmission_file/03 strides final.ipynb")
def Grace_Hopper():  # noqa: N802
    return restyled(1, wrong=False)[0]


@submission()
def another_style():
    return restyled(2, wrong=False)[0]


def all_wrong(nth):
    nb, chosen = restyled(nth, wrong=True)
    causes = {name: specimen.cause for name, (specimen, _) in chosen.items()}
    return nb, dict.fromkeys(chosen, PART), {"causes": causes}


@submission()
def wrong():
    return all_wrong(0)


@submission()
def wrong_otherwise():
    return all_wrong(1)


@submission()
def wrong_in_a_third_way():
    return all_wrong(2)


@submission(NONE, states=dict.fromkeys(HOLES, "not answered"))
def untouched():
    return empty()


@submission(lose=list(HOLES)[3:])
def the_first_three():
    nb = empty()
    for name in list(HOLES)[:3]:
        edited(nb, name, "".join(cell(solved(), name)["source"]))
    return nb


@submission(states={"contiguous_strides": "partly right"})
def half_of_one():
    body = """
        strides, step = [], 1
        for size in reversed(shape):
            strides.append(step)
            step *= size
        return tuple(reversed(strides))
    """
    nb = edited(solved(), "contiguous_strides", answer("contiguous_strides", body))
    return nb, {"contiguous_strides": PART}, {}


# Code that fails, ends the process, or never ends.


@submission(lose=["permute"], states={"permute": "not answered"})
def syntax_error():
    return edited(
        solved(), "permute", "@solves(Tensor.permute)\ndef permute(self, *dims:\n"
    )


@submission(warning="SyntaxError")
def syntax_error_in_scratch():
    return added(solved(), "for x in\n")


@submission(lose=["offset_of"])
def endless_answer():
    return beginning(solved(), "offset_of", "while True: pass")


@submission(warning="not done")
def endless_cell():
    return added(solved(), "while True:\n    pass")


@submission(lose=["index_of"])
def exit_in_answer():
    return beginning(solved(), "index_of", "import os; os._exit(0)")


@submission(lose=["index_of"])
def exit_in_answer_cell():
    return edited(solved(), "index_of", "{old}\nimport os\nos._exit(0)\n")


@submission()
def exit_in_scratch():
    return added(solved(), "import os\nos._exit(0)")


@submission()
def sys_exit():
    return added(solved(), "import sys\nsys.exit('done')")


@submission(warning="ZeroDivisionError")
def exception():
    return added(solved(), "1 / 0")


@submission(lose=["expand"])
def endless_recursion():
    return beginning(solved(), "expand", "return Tensor.expand(self, *sizes)")


@submission()
def thread_that_never_ends():
    text = "from threading import Thread\ndef forever():\n    while True: pass\n"
    return added(solved(), text + "Thread(target=forever).start()")


@submission()
def asks_for_input():
    return added(solved(), "name = input('your name? ')")


@submission()
def magics():
    return added(solved(), "%timeit sum(range(10))\n!echo hello\n%matplotlib inline")


@submission()
def prints():
    text = "import sys, warnings; print('hello' * 9999); print('x', file=sys.stderr); "
    text += "warnings.warn('careful')"
    nb = solved()
    for name in HOLES:
        beginning(nb, name, text)
    return nb


@submission()
def prints_a_negative_number():
    return added(solved(), "print(-5)\n-5", after="permute")


# Checks edited, deleted, copied.


def all_checks(nb, text):
    for name in HOLES:
        edited(nb, f"{name}-check", text)
    return nb


@submission(NONE, warning="was edited")
def check_is_a_number():
    return all_checks(empty(), "2")


@submission(NONE, warning="was edited")
def check_prints():
    return all_checks(empty(), 'print("ok")')


@submission(NONE, warning="was edited")
def check_is_forged():
    return all_checks(empty(), "class V:\n    __repr__ = lambda self: '1.0'\nV()")


@submission(NONE)
def check_is_replaced():
    text = "import grading\ngrading.check = lambda hole: 1.0\ncheck = grading.check"
    return added(empty(), text)


@submission()
def checks_deleted():
    return without(solved(), *(f"{name}-check" for name in HOLES))


@submission()
def check_copied():
    nb = solved()
    nb["cells"].insert(2, copy.deepcopy(cell(nb, "permute-check")))
    return nb


# Answers copied, moved, deleted.


def copied(first, second):
    """Two cells for one answer, with the same marks, as after copying and pasting."""
    nb = plain(first)
    again = copy.deepcopy(cell(plain(second), "permute")) | {"id": "copy"}
    nb["cells"].insert(place(nb, "permute") + 1, again)
    return nb


@submission()
def empty_copy_below():
    return copied(SOLVED, EMPTY)


@submission()
def solved_copy_below():
    return copied(EMPTY_PERMUTE, SOLVED)


EMPTY_PERMUTE = solved()
edited(EMPTY_PERMUTE, "permute", "".join(cell(empty(), "permute")["source"]))


@submission()
def two_answers_in_one_cell():
    nb = solved()
    both = "".join(cell(nb, "offset_of")["source"])
    edited(nb, "contiguous_strides", "{old}\n\n" + both)
    return without(nb, "offset_of")


@submission(lose=["permute"], states={"permute": "not answered"}, warning="missing")
def answer_deleted():
    return without(solved(), "permute")


@submission()
def setup_deleted():
    return without(solved(), "setup")


@submission()
def answer_is_markdown():
    nb = solved()
    found = cell(nb, "permute")
    found["cell_type"] = "markdown"
    del found["outputs"], found["execution_count"]
    return nb


@submission()
def helper_in_a_scratch_cell():
    nb = added(solved(), "def total(pairs):\n    return sum(i * s for i, s in pairs)\n")
    body = "return offset + total(zip(index, strides, strict=True))"
    return edited(nb, "offset_of", answer("offset_of", body))


# Editors that lose metadata, and files that are not what they should be.


@submission()
def colab():
    nb = solved()
    nb["nbformat_minor"] = 0
    kernel = {"name": "python3", "display_name": "Python 3"}
    nb["metadata"] = {"colab": {"provenance": []}, "kernelspec": kernel}
    for n, one in enumerate(nb["cells"]):
        del one["id"]
        one["metadata"] = {"id": f"aB3{n}", "colab": {"base_uri": "https://localhost/"}}
        one["source"] = "".join(one["source"]).splitlines(keepends=True)
    return nb


@submission()
def vscode():
    nb = solved()
    nb["nbformat_minor"] = 2
    for one in nb["cells"]:
        del one["id"]
        one["metadata"] = {"vscode": {"languageId": "python"}}
    return nb


@submission()
def new_ids():
    nb = solved()
    for n, one in enumerate(nb["cells"]):
        one["id"] = f"{n:08x}"
    return nb


@submission(file="{student}/Untitled (3).ipynb")
def renamed():
    return solved()


@submission(None)
def picture():
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64)


@submission(None)
def nothing():
    return b""


@submission(None)
def login_page():
    return b"<!DOCTYPE html><html><body><script>alert(1)</script>Log in</body></html>"


@submission(None)
def json_that_is_no_notebook():
    return b'{"grades": [1, 2, 3]}'


@submission(None)
def broken_off():
    return json.dumps(solved()).encode()[:4000]


@submission(NONE)
def other_course():
    nb = added(empty(), "print('exercise 1')")
    nb["cells"] = nb["cells"][:1] + [
        one for one in nb["cells"] if one["id"][:7] == "scratch"
    ]
    nb["cells"][0]["source"], nb["metadata"] = "# Databases", {}
    return nb


@submission()
def large():
    text = {"output_type": "stream", "name": "stdout", "text": "x" * (30 * 2**20)}
    nb = added(solved(), "print('x' * 30 * 2**20)")
    cell(nb, nb["cells"][place(nb, "setup") + 1]["id"])["outputs"] = [text]
    return nb


# PyTorch, and the course's own solutions.


@submission()
def imports_torch():
    return added(
        solved(), "import torch\nimport torch.nn as nn\nfrom torch import Tensor as T"
    )


@submission(lose=["contiguous_strides"], states={"contiguous_strides": "wrong"})
def uses_torch():
    body = "return torch.empty(shape).stride()"
    text = answer("contiguous_strides", body, head="import torch\n\n")
    return edited(solved(), "contiguous_strides", text)


@submission(NONE)
def solutions_stand_in():
    return added(
        empty(), 'from minigrad import answers_from\nanswers_from("solutions")'
    )


@submission()
def pages_that_attack():
    nb = solved()
    text = (
        "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3))"
    )
    text += ' <iframe src="https://example.org"></iframe><svg onload="alert(4)"></svg>'
    new = {"cell_type": "markdown", "id": "attack", "metadata": {}, "source": text}
    nb["cells"].insert(1, new)
    return nb


if __name__ == "__main__":
    write(sys.argv[1])
