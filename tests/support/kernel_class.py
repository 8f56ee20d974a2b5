"""Submissions of labs of kernels, and what each of them must get.

They are made from the built labs and from the specimens, as in submissions.py.
"""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from grading.notebooks.build import notebook
from minigrad import course
from minigrad.exercises.answers import exercises_of
from minigrad.exercises.registry import KernelExercise
from tools.audit.specimens import specimens_of

LABS = "01_threads", "02_memory"
EXERCISES = {
    lab: {exercise.name: exercise for exercise in exercises_of(lab)} for lab in LABS
}
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"  # noqa: E741
TWICE = f"{I} if (i < n) y[i] = 2 * x[i];"


class Submission(NamedTuple):
    """Which exercises earn less than everything; all that, for no name in particular.

    lost: {exercise: its state or, for a mutant, a Specimen}. says: words of the first
    one's reason.
    """

    student: str
    lab: str
    make: Callable
    lost: dict = {}
    says: str = ""


def write(folder):
    """Put the class's files into a folder, as an inbox for `collect`."""
    for one in CLASS:
        path = Path(folder) / one.student / f"{one.lab}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(one.make()), encoding="utf-8")


@functools.cache
def built(lab, solved):
    return json.dumps(notebook(course.solution(lab), solved=solved))


def solved(lab):
    return json.loads(built(lab, True))


def empty(lab):
    return json.loads(built(lab, False))


def edited(nb, name, text):
    """The notebook with another text in the cell of an answer."""
    next(cell for cell in nb["cells"] if cell["id"] == name)["source"] = text
    return nb


def added(nb, text):
    """The notebook with one more cell, after the set-up."""
    place = next(n for n, cell in enumerate(nb["cells"]) if cell["id"] == "setup")
    new = {"cell_type": "code", "id": "scratch", "metadata": {}, "source": text,
           "outputs": [], "execution_count": None}  # fmt: skip
    nb["cells"].insert(place + 1, new)
    return nb


def kernels(lab):
    return [h for h in EXERCISES[lab].values() if type(h) is KernelExercise]


def nth(lab, n, wrong):
    """{exercise: its nth wrong, or right, kernel}, where there are so many."""
    results = {}
    for exercise in kernels(lab):
        mine = [s for s in specimens_of(exercise) if bool(s.cause) == wrong]
        if n < len(mine):
            results[exercise.name] = mine[n]
    return results


def answered(lab, chosen):
    """The solved lab with these specimens."""
    nb = solved(lab)
    for name, specimen in chosen.items():
        edited(nb, name, f"solves({name})({specimen.answer!r})")
    return nb


def styled(lab, n, wrong):
    chosen = nth(lab, n, wrong)
    name = f"{lab[:2]}_{'wrong' if wrong else 'right'}_{n}"
    lost = chosen if wrong else {}
    return Submission(name, lab, lambda: answered(lab, chosen), lost)


def half(lab):
    """The solved lab of which the second half is as it was handed out."""
    nb, names = solved(lab), list(EXERCISES[lab])[3:]
    for name in names:
        text = next(c["source"] for c in empty(lab)["cells"] if c["id"] == name)
        edited(nb, name, text)
    return nb


def guard(student, given, state, says, before=""):
    """Half of lab 01 in which `solves(tail_guard)` is given this expression."""
    text = f"{before}\nsolves(tail_guard)({given})"
    lost = ({"tail_guard": state} if state else {}) | UNTOUCHED
    make = lambda: edited(half("01_threads"), "tail_guard", text)  # noqa: E731
    return Submission(student, "01_threads", make, lost, says)


def text(body, before=""):
    """A whole text of tail_guard, as an expression."""
    return repr(
        f"{before}\n{EXERCISES['01_threads']['tail_guard'].form()} {{ {body} }}"
    )


def states(lab, state, but=()):
    return {name: state for name in EXERCISES[lab] if name not in but}


UNTOUCHED = dict.fromkeys(list(EXERCISES["01_threads"])[3:], "not answered")


PATCH = """
import numpy, minigrad, grading, cudasim
true = lambda *args, **kwargs: True
for module in (cudasim, cudasim.raw_kernel):
    module.run = module.compile = module.RawKernel = true
minigrad.Kernel = grading.check = true
numpy.array_equal = numpy.allclose = numpy.isclose = numpy.median = true
"""
SUBJECT = """
import grading.checking.runner
grading.checking.runner.LocalSubject.text = lambda self, name: 7
"""
TRICKS = """
class Text(str):
    __str__ = __repr__ = lambda self: "nothing"
    __len__ = lambda self: 3
    __eq__ = __contains__ = lambda self, other: False
"""
BOMB = "#define L0 1\n" + "\n".join(
    f"#define L{n} {' + '.join([f'L{n - 1}'] * 10)}" for n in range(1, 10)
)
ASKS = """
#if __has_include("/etc/passwd") || __has_include("../../../../../../../etc/passwd")
#error is there
#endif
"""
LONG = f"'/*' + 'x' * 10_000_000 + '*/' + {text(TWICE)}"
PRINT = f'{TWICE} for (int j = 0; j < 10000000; j++) printf("hello %d\\n", j);'
INJECT = "printf(\"'''\\n__import__('os').system('touch pwned')\\n'''\"); "
NAMES = "int __import__ = 0, np = 0, os = 0, exec = 0, None = 0, self = 0, lambda = 0;"
USED = f"{NAMES} {TWICE} if (i < 0) y[0] = __import__ + np + os + exec + None + self;"

HOSTILE = [
    guard("endless", text("while (true);"), "timed out", "It doesn't end in time"),
    guard("prints", text(PRINT), "timed out", "It doesn't end in time"),
    guard("long", LONG, "wrong", "compiler"),
    guard("long_to_run", text("y[0] = 1;" * 6000), ("timed out", "wrong"), ""),
    guard("macros", text("y[0] = L9;", BOMB), "wrong", "compiler"),
    guard("deep", text(f"y[0] = {'(' * 9999}1{')' * 9999};"), "wrong", "compiler"),
    guard("local", text("float a[1 << 28]; y[0] = a[n];"), "wrong", "variables of one"),
    guard("shared", text("__shared__ float a[1 << 28]; y[0] = a[0];"), "wrong",
          "compiler"),
    guard("recursive", text("y[0] = f(n);", "__device__ int f(int n) { return f(n); }"),
          "wrong", "deep"),
    guard("names", text(USED), "", ""),
    guard("imports", text("__import__(\"os\").system(\"touch pwned\");"), "wrong",
          "compiler"),
    guard("quotes", text(INJECT + TWICE), "", ""),
    guard("include", text(TWICE, '#include "/etc/passwd"'), "wrong", "compiler"),
    guard("asks", text(TWICE, ASKS), "", ""),
    guard("embeds", text(TWICE, '#embed "/etc/passwd"'), "wrong", "compiler"),
    guard("comments", f"'/* ' * 21_000 + {text(TWICE)}", "wrong", "compiler"),
    guard("externs", text(TWICE, "extern " * 9000), "wrong", "compiler"),
    guard("says_a_lot", text(TWICE, "#error " + "x" * 60_000), "wrong", "compiler"),
    guard("wild_pointer", text("float* p = (float*)1234567; *p = 1;"), "wrong", ""),
    guard("number", "7", "not answered", "CUDA C in a string"),
    guard("bytes", "b'x'", "not answered", "CUDA C in a string"),
    guard("a_lambda", "lambda *args: None", "not answered", "Got a lambda"),
    guard("surrogate", "'\\ud800' + " + text(TWICE), "wrong", "compiler"),
    guard("tricks", f"Text({text(TWICE)})", "", "", TRICKS),
    guard("exits", f"{text(TWICE)}); import os; os._exit(0", "not answered", "ended"),
]  # fmt: skip

CLASS = [
    *(styled(lab, n, wrong) for lab in LABS  # test_checks.py judges all
      for n, wrong in [(0, False), (1, False), (0, True), (2, True)]),
    *(Submission(f"{lab[:2]}_solved", lab, functools.partial(solved, lab))
      for lab in LABS),
    *(Submission(f"{lab[:2]}_untouched", lab, functools.partial(empty, lab),
                 states(lab, "not answered")) for lab in LABS),
    *(Submission(f"{lab[:2]}_half", lab, functools.partial(half, lab),
                 states(lab, "not answered", [*EXERCISES[lab]][:3])) for lab in LABS),
    *(Submission(f"{lab[:2]}_patched", lab, lambda lab=lab: added(solved(lab), PATCH))
      for lab in LABS[:1]),
    *(Submission(f"{lab[:2]}_patched_and_empty", lab,
                 lambda lab=lab: added(empty(lab), PATCH),
                 states(lab, "not answered")) for lab in LABS),
    Submission("subject_patched", LABS[1], lambda: added(solved(LABS[1]), SUBJECT)),
    *HOSTILE,
]  # fmt: skip


if __name__ == "__main__":
    import sys

    write(sys.argv[1])
