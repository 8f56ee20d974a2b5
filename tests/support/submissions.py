"""A class that never was: submissions of lab 03, and what each of them must get.

Everything is made from the built lab and from the specimens, so no answer stands here
twice. `python tests/support/submissions.py FOLDER` writes them, to be looked at or
tried.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from altered import (
    EXERCISES,
    LAB,
    added,
    answer,
    beginning,
    cell,
    edited,
    empty,
    place,
    restyled,
    solved,
    styled,
    without,
)
from damaged import RIGHT

from minigrad.exercises.registry import KernelExercise

FULL, NONE, PART = "full", "none", "part"  # the points of an exercise


class Submission(NamedTuple):
    """expected: {exercise: FULL, NONE or PART}, or None where it cannot be graded."""

    student: str
    make: Callable  # makes what is handed in: a notebook as a dict, or bytes
    expected: dict | None = dict.fromkeys(EXERCISES, FULL)
    states: dict = {}  # {exercise: the verdict's state}
    warning: str = ""  # what some warning says
    wrong: int | None = (
        None  # made of the nth wrong answers: their causes must be named
    )
    path: str = ""  # in the inbox

    def data(self):
        nb = self.make()
        return nb if isinstance(nb, bytes) else json.dumps(nb).encode()

    def causes(self):
        """{exercise: the cause that its failure must name}"""
        chosen = {} if self.wrong is None else styled(self.wrong, wrong=True)
        return {name: specimen.cause for name, (specimen, _) in chosen.items()}


def write(folder):
    """Put the class's files into a folder, as an inbox for `collect`."""
    for one in CLASS:
        path = Path(folder) / (one.path or f"{one.student}/{LAB}.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.data())


def but(**points):
    """Full points, but for these."""
    return dict.fromkeys(EXERCISES, FULL) | points


def the_first_three():
    nb = solved()
    for name in list(EXERCISES)[3:]:
        edited(nb, name, cell(empty(), name)["source"])
    return nb


def scratch(text):
    """The solved lab with one more cell."""
    return lambda: added(solved(), text)


def starts_with(name, line):
    """The solved lab in which an answer begins with this line."""
    return lambda: beginning(solved(), name, line)


def rewritten(name, body, head=""):
    """The solved lab with another body of one answer."""
    return lambda: edited(solved(), name, answer(name, body, head))


def all_checks(text):
    """The empty lab in which every check cell has this text."""

    def make():
        nb = empty()
        for name in EXERCISES:
            edited(nb, f"{name}-check", text)
        return nb

    return make


def prints():
    nb = solved()
    text = "import sys, warnings; print('hello' * 9999); print('x', file=sys.stderr); "
    for name in [
        n
        for n, exercise in EXERCISES.items()
        if not isinstance(exercise, KernelExercise)
    ]:
        beginning(nb, name, text + "warnings.warn('careful')")
    return nb


def check_copied():
    nb = solved()
    nb["cells"].insert(2, dict(cell(nb, "permute-check")))
    return nb


def copied(first, second):
    """Two cells for one answer, with the same marks, as after copying and pasting."""
    again = cell(second, "permute") | {"id": "copy"}
    first["cells"].insert(place(first, "permute") + 1, again)
    return first


def solved_copy_below():
    nb = edited(solved(), "permute", cell(empty(), "permute")["source"])
    return copied(nb, solved())


def two_answers_in_one_cell():
    nb = solved()
    both = "{old}\n\n" + cell(nb, "offset_of")["source"]
    return without(edited(nb, "contiguous_strides", both), "offset_of")


def answer_is_markdown():
    nb = solved()
    result = cell(nb, "permute")
    result["cell_type"] = "markdown"
    del result["outputs"], result["execution_count"]
    return nb


def helper_in_a_scratch_cell():
    nb = added(solved(), "def total(pairs):\n    return sum(i * s for i, s in pairs)\n")
    body = "return offset + total(zip(index, strides, strict=True))"
    return edited(nb, "offset_of", answer("offset_of", body))


def colab():
    nb = solved()
    nb["nbformat_minor"] = 0
    kernel = {"name": "python3", "display_name": "Python 3"}
    nb["metadata"] = {"colab": {"provenance": []}, "kernelspec": kernel}
    for n, one in enumerate(nb["cells"]):
        del one["id"]
        one["metadata"] = {"id": f"aB3{n}", "colab": {"base_uri": "https://localhost/"}}
        one["source"] = one["source"].splitlines(keepends=True)
    return nb


def vscode():
    nb = solved()
    nb["nbformat_minor"] = 2
    for one in nb["cells"]:
        del one["id"]
        one["metadata"] = {"vscode": {"languageId": "python"}}
    return nb


def new_ids():
    nb = solved()
    for n, one in enumerate(nb["cells"]):
        one["id"] = f"{n:08x}"
    return nb


def other_course():
    nb = added(empty(), "print('exercise 1')")
    return nb | {"cells": [cell(nb, "scratch")], "metadata": {}}


def attack():
    nb = solved()
    text = """<script>alert(1)</script><img src=x onerror=alert(2)>
<iframe src="https://example.org"></iframe><svg onload="alert(3)"></svg>

[x](javascript:alert(4)) ![y](https://example.org/y.png)"""
    new = {"cell_type": "markdown", "id": "attack", "metadata": {}, "source": text}
    nb["cells"].insert(1, new)
    return nb


EXIT = "import os\nos._exit(0)\n"
FOREVER = """from threading import Thread
def forever():
    while True: pass
Thread(target=forever).start()"""
NOTHING = dict.fromkeys(EXERCISES, NONE)
SOME = dict.fromkeys(EXERCISES, PART)
FORGED = "class V:\n    __repr__ = lambda self: '1.0'\nV()"
HALF = """
strides, step = [], 1
for size in reversed(shape):
    strides.append(step)
    step *= size
return tuple(reversed(strides))
"""
CANVAS = "lovelaceada_LATE_12345_67890_03_strides-1.ipynb"
MOODLE = "Grace Hopper_4711_assignsubmission_file/03 strides final.ipynb"
LOGIN = b"<!DOCTYPE html><html><body><script>alert(1)</script>Log in</body></html>"
EDITED = "was edited"
UNANSWERED = {"permute": "not answered"}

CLASS = [
    # Right, wrong and in between.
    Submission("right", solved, path="03_strides_right.ipynb"),
    Submission("lovelaceada", lambda: restyled(0, wrong=False), path=CANVAS),
    Submission("Grace_Hopper", lambda: restyled(1, wrong=False), path=MOODLE),
    Submission("another_style", lambda: restyled(2, wrong=False)),
    Submission("first_mistakes", lambda: restyled(0, wrong=True), SOME, wrong=0),
    Submission("second_mistakes", lambda: restyled(1, wrong=True), SOME, wrong=1),
    Submission("third_mistakes", lambda: restyled(2, wrong=True), SOME, wrong=2),
    Submission("untouched", empty, NOTHING, dict.fromkeys(EXERCISES, "not answered")),
    Submission("the_first_three", the_first_three,
               but(**dict.fromkeys(list(EXERCISES)[3:], NONE))),
    Submission("half_of_one", rewritten("contiguous_strides", HALF),
               but(contiguous_strides=PART), {"contiguous_strides": "partly right"}),
    # Code that fails, ends the process, or never ends.
    Submission("syntax_error", lambda: edited(solved(), "permute", "{old}\n)"),
               but(permute=NONE), UNANSWERED, "SyntaxError"),
    Submission("syntax_error_in_scratch", scratch("for x in\n"), warning="SyntaxError"),
    Submission("endless_answer", starts_with("offset_of", "while True: pass"),
               but(offset_of=NONE)),
    Submission("endless_cell", scratch("while True:\n    pass"), warning="not done"),
    Submission("exit_in_answer", starts_with("index_of", "import os; os._exit(0)"),
               but(index_of=NONE)),
    Submission("exit_in_answer_cell",
               lambda: edited(solved(), "index_of", "{old}\n" + EXIT),
               but(index_of=NONE)),
    Submission("forks_in_an_answer",
               starts_with("contiguous_strides", "import os; os.fork()"),
               but(contiguous_strides=NONE)),
    Submission("exit_in_scratch", scratch(EXIT), warning="ended"),
    Submission("sys_exit", scratch("import sys\nsys.exit(3)"), warning="SystemExit"),
    Submission("exception", scratch("1 / 0"), warning="ZeroDivisionError"),
    Submission("endless_recursion",
               starts_with("expand", "return Tensor.expand(self, *sizes)"),
               but(expand=NONE)),
    Submission("thread_without_end", scratch(FOREVER)),
    Submission("asks_for_input", scratch("name = input('your name? ')")),
    Submission("magics", scratch("%timeit sum(range(10))\n!echo hello\n%pip list")),
    Submission("prints", prints),
    Submission("prints_a_negative_number", scratch("print(-5)\n-5")),
    # Checks edited, deleted, copied.
    Submission("check_is_a_number", all_checks("2"), NOTHING, warning=EDITED),
    Submission("check_prints", all_checks('print("ok")'), NOTHING, warning=EDITED),
    Submission("check_is_forged", all_checks(FORGED), NOTHING, warning=EDITED),
    Submission("check_is_replaced", lambda: added(
               empty(), "import grading\ngrading.check = check = lambda exercise: 1.0"),
               NOTHING),
    Submission("checks_deleted", lambda: without(
               solved(), *(f"{name}-check" for name in EXERCISES))),
    Submission("check_copied", check_copied),
    # Answers copied, moved, deleted.
    Submission("empty_copy_below", lambda: copied(solved(), empty())),
    Submission("solved_copy_below", solved_copy_below),
    Submission("two_answers_in_one_cell", two_answers_in_one_cell),
    Submission("answer_deleted", lambda: without(solved(), "permute"),
               but(permute=NONE), UNANSWERED, "missing"),
    Submission("setup_deleted", lambda: without(solved(), "setup")),
    Submission("answer_is_markdown", answer_is_markdown),
    Submission("helper_in_a_scratch_cell", helper_in_a_scratch_cell),
    # Editors that lose metadata, and files that are not what they should be.
    Submission("colab", colab),
    Submission("vscode", vscode),
    Submission("new_ids", new_ids),
    Submission("renamed", solved, path="renamed/Untitled (3).ipynb"),
    Submission("picture", lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64), None),
    Submission("empty_file", lambda: b"", None),
    Submission("login_page", lambda: LOGIN, None),
    Submission("json_that_is_no_notebook", lambda: b'{"grades": [1, 2, 3]}', None),
    Submission("broken_off", lambda: json.dumps(solved()).encode()[:4000], None),
    Submission("other_course", other_course, NOTHING),
    Submission("attack", attack),
    # PyTorch, and the course's own solutions.
    Submission("imports_torch", scratch("import torch\nfrom torch import nn")),
    Submission("uses_torch", rewritten(
               "contiguous_strides", "return torch.empty(shape).stride()",
               "import torch\n\n"),
               but(contiguous_strides=NONE), {"contiguous_strides": "wrong"}),
    Submission("solutions_stand_in", lambda: added(
               empty(), 'from minigrad import answers_from\nanswers_from("solutions")'),
               NOTHING),
    *(Submission(make.__name__, make) for make in RIGHT),
]  # fmt: skip


if __name__ == "__main__":
    write(sys.argv[1])
