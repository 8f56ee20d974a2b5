"""`python -m grading new`: what an exercise consists of, with every place to fill in.

What stands in CAPITALS is to be written. Nothing else has to be registered: an
exercise's number is its place among the tasks of its lab.
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
    """ITS CONTRACT: all that is tested, and the errors that it raises."""
'''
KERNEL = '''

{name} = kernel_exercise(
    """\\
// ITS CONTRACT: all that is tested.
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
# THE TASK, AND WHAT IT IS GOOD FOR.

# %%
EXAMPLE = "WHAT PYTORCH SAYS, OR PLAIN PYTHON THAT DOES THE SAME"

# %% [markdown] hints="{name}"
# <details><summary>Hint 1</summary>
#
# A HINT, AND MORE OF THEM: FROM VAGUE TO PRECISE.
#
# </details>


# %% exercise="{name}"
{answer}
# %%
with trying():
    EXAMPLE = "THE ANSWER AT WORK"

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
CHECK = '''"""{exercise}: WHAT IT IS, IN A FEW WORDS."""

import torch

from grading.checking.check import Check, call
from {module} import {top}


def cases(random):
    yield "THE CORE", call(torch.arange(6).reshape(2, 3))  # ARGUMENTS
    yield "ANOTHER PART OF THE TASK", call(torch.arange(random.randint(1, 9)))


check = Check(
    {exercise},
    cases=cases,
    reference=torch.FUNCTION,
    not_tested="what the contract leaves open: SAY IT HERE",
)
'''
KERNEL_CHECK = '''"""{exercise}: WHAT IT IS, IN A FEW WORDS."""

import numpy as np

from grading.checking.check import Check
from grading.exercise import Launch, blank, distinct
from {module} import {top}


def cases(random):
    for n, grid in [(256, 2), (257, 3)]:
        args = distinct(random, n), blank(n), np.int32(n)
        yield "THE CORE", Launch(grid, 128, args)


def reference(x, y, n):
    y[:n] = x[:n]  # WHAT THE KERNEL WRITES, BY NUMPY OR PYTORCH


check = Check(
    {exercise},
    cases=cases,
    reference=reference,
    not_tested="what the contract leaves open: SAY IT HERE",
)
'''
MISTAKES = """\
# At least four mistakes that learners really make. Each changes lines that the solution
# marks: replaced ("..."), dropped (""), or followed by more (after.MARK).

[NAME_OF_A_MISTAKE]
message = "WHAT A LEARNER WITH THIS MISTAKE IS TOLD"
{mark} = "THE WRONG LINE"
"""
ANSWERS = '''"""Answers of {name} by other algorithms."""

from {module} import {top}
from tools.audit.specimens import answer


@answer({exercise}, right="BY ANOTHER WAY")
def _({args}):
    return {args}
'''
KERNEL_ANSWERS = """[right."BY ANOTHER WAY"]
code = '''
WHAT STANDS BETWEEN THE BRACES
'''
"""


def new(chapter, exercise, kernel=False):
    """Write an exercise's five texts; return their paths, in the order to fill them in.

    exercise: its name, or `Tensor.flip` for a method. Nothing is written if one of the
    texts is there already.
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
    """Where the lab's other exercises of this kind are declared."""
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
    """The module with the exercise: at its end, or at the end of the class."""
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
    """The lab's text with the exercise's cells, before its test, and its import."""
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
