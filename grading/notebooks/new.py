"""`python -m grading new`: draft the five parts of an exercise.

Replace everything IN CAPITALS. You don't register the exercise, because `make build`
numbers exercises in the order of their tasks in the lab.
"""

import ast
import collections
import re
import subprocess
import sys

from minigrad import course
from minigrad.exercises.order import ORDER
from minigrad.exercises.registry import KernelExercise, exercises

FUNCTION = '''
@exercise(points=1, stars=1, minutes=10)
def {name}({args}):
    """THE CONTRACT: WHAT IT RETURNS, EVERY CASE TESTED, AND ITS ERRORS."""
'''
KERNEL = '''

{name} = kernel_exercise(
    """\\
// THE CONTRACT: WHAT IT WRITES, AND EVERY CASE TESTED.
__global__ void {name}(const float* x, float* y, int n);
""",
    points=1,
    stars=1,
    minutes=10,
)
'''
CELLS = """# %% [markdown] task="{name}"
# ## TITLE
#
# THE TASK, AND WHY IT MATTERS.

# %%
EXAMPLE = "WHAT PYTORCH DOES, OR PLAIN PYTHON THAT DOES THE SAME"

# %% [markdown] hints="{name}"
# <details><summary>Hint 1</summary>
#
# A HINT. ADD MORE HINTS, FROM VAGUE TO PRECISE.
#
# </details>


# %% exercise="{name}"
{answer}
# %%
with trying():
    EXAMPLE = "A CALL OF THE ANSWER"

# %% check="{name}"
check({exercise})

"""
PYTHON_ANSWER = """@solves({exercise})
def {name}({args}):
    ### BEGIN SOLUTION
    return {args}  #: result
    ### END SOLUTION

"""
CUDA_ANSWER = '''solves({exercise})(r"""
__global__ void {name}(const float* x, float* y, int n) {{
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;  //: index
    if (i < n) y[i] = x[i];  //: store
    // END SOLUTION
}}
""")

'''
CHECK = '''"""{exercise}: WHAT IT DOES, IN A FEW WORDS."""

import torch

from grading.exercise import Check, View, call
from {module} import {top}


def cases(random):
    x = View((2, 3), (3, 1))  # A TENSOR: SHAPE AND STRIDES
    yield "THE CORE", call(x)  # ARGUMENTS
    yield "ANOTHER PART OF THE TASK", call(View((random.randint(1, 9),), (1,)))


check = Check(
    {exercise},
    cases=cases,
    reference=torch.FUNCTION,
    not_tested="WHAT THE CONTRACT LEAVES OPEN, AND WHY",
)
'''
KERNEL_CHECK = '''"""{exercise}: WHAT IT DOES, IN A FEW WORDS."""

import numpy as np

from grading.exercise import Check, Launch, blank, distinct
from {module} import {top}


def cases(random):
    for n, grid in [(256, 2), (257, 3)]:
        args = distinct(random, n), blank(n), np.int32(n)
        yield "THE CORE", Launch(grid, 128, args)


def reference(x, y, n):
    y[:n] = x[:n]  # WHAT THE KERNEL WRITES, IN NUMPY OR PYTORCH


check = Check(
    {exercise},
    cases=cases,
    reference=reference,
    not_tested="WHAT THE CONTRACT LEAVES OPEN, AND WHY",
)
'''
MISTAKES = """\
# List mistakes that learners really make. The tests require four wrong answers or more.
# Each one replaces marked lines of the solution ("..."), drops them (""), or adds lines
# after them (after.MARK).

[NAME_OF_A_MISTAKE]
message = "WHAT IS WRONG. HOW TO FIX IT."
{mark} = "THE WRONG LINE"
"""
ANSWERS = '''"""Correct answers to {name} that use other algorithms."""

from {module} import {top}
from tools.audit.specimens import answer


@answer({exercise}, right="BY WHICH ALGORITHM")
def _({args}):
    return {args}
'''
KERNEL_ANSWERS = """[right."BY WHICH ALGORITHM"]
code = '''
THE BODY OF THE KERNEL
'''
"""


def new(chapter, exercise, kernel=False):
    """Draft an exercise's five parts; return their paths, in the order to fill them in.

    exercise: its name, or `Tensor.flip` for a method. If there's already an exercise or
    a file of this name, this raises ValueError and writes nothing.
    """
    lab, (owner, _, name) = course.chapter(chapter).name, exercise.rpartition(".")
    module = _module(lab, owner, kernel)
    home, library = course.home(), course.home() / f"{module.replace('.', '/')}.py"
    _expect_new(name)
    solution, beside = course.solution(lab), home / "grading/checks" / lab / name
    answers = home / "tests/answers" / lab / f"{name}.{'toml' if kernel else 'py'}"
    names = {"name": name, "exercise": exercise, "module": module,
             "top": owner or name, "args": "self" if owner else "x",
             "mark": "store" if kernel else "result"}  # fmt: skip
    names["answer"] = (CUDA_ANSWER if kernel else PYTHON_ANSWER).format(**names)
    texts = {
        library: _with_stub(library, owner, kernel, names),
        solution: _with_cells(solution, owner, names),
        beside.with_suffix(".py"): (KERNEL_CHECK if kernel else CHECK).format(**names),
        beside.with_suffix(".toml"): MISTAKES.format(**names),
        answers: (KERNEL_ANSWERS if kernel else ANSWERS).format(**names),
    }
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sort = [sys.executable, "-m", "ruff", "check", "-q", "--fix", "--select", "I"]
    subprocess.run([*sort, str(solution)], cwd=home, check=False)
    return [*texts]


def _expect_new(name):
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name: say `flip`, or `Tensor.flip`")
    listed = [entry.name for entry in exercises()]
    folders = course.home() / "grading/checks", course.home() / "tests/answers"
    there = [path for folder in folders for path in folder.glob(f"*/{name}.*")]
    if name in listed or there:
        raise ValueError(f"{name} is there already: {there[0] if there else 'a lab'}")


def _module(lab, owner, kernel):
    """Return the module that declares most of the other exercises of this kind."""
    those = [e.exercise for e in exercises() if owner or e.chapter == lab]
    those = [e for e in those if isinstance(e, KernelExercise) == kernel]
    those = [e for e in those if e.__qualname__.rpartition(".")[0] == owner]
    modules = collections.Counter(
        e.__module__ for e in those if not e.name.startswith("test_")
    )
    if not modules:
        kind = f"methods of {owner}" if owner else "kernels" if kernel else "functions"
        raise ValueError(f"{lab} has no {kind} yet: begin the first by hand")
    return modules.most_common(1)[0][0]


def _with_stub(path, owner, kernel, names):
    """Return the module's source with the stub at its end, or at the class's end."""
    text = path.read_text(encoding="utf-8")
    stub = (KERNEL if kernel else "\n" * (not owner) + FUNCTION).format(**names)
    if not owner:
        return text.rstrip("\n") + "\n" + stub
    lines = text.splitlines(keepends=True)
    classes = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef))
    end = next(node.end_lineno for node in classes if node.name == owner)
    indented = re.sub(r"^(?=.)", "    ", stub, flags=re.M)
    return "".join([*lines[:end], indented, *lines[end:]])


def _with_cells(path, owner, names):
    """Return the lab's source, with the cells before the lab's test, and the import."""
    text = path.read_text(encoding="utf-8")
    if not owner:
        imported = f"from {names['module']} import {names['name']}\n"
        text = re.sub(r"(# %% setup=true\n(?:#.*\n)*)", rf"\1{imported}", text, count=1)
    last = ORDER[path.stem][-1]
    test = last.startswith("test_")
    place = re.search(
        rf'^# %% \[markdown\] task="{last}"' if test
        else rf'(?<=^check\({last}\)\n\n)|\Z', text, flags=re.M,
    )  # fmt: skip
    return text[: place.start()] + CELLS.format(**names) + text[place.start() :]
