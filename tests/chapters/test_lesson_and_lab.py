"""The lab is not in the lesson: what a lesson shows, retyped, earns nothing there."""

import ast
import contextlib
import functools
import re

import pytest
from judging import unanswered, verdict_on  # noqa: F401
from puzzles import solver

from grading.checking.check import find_check
from grading.notebooks import build
from minigrad import course
from minigrad.exercises import signature
from minigrad.exercises.cells import is_setup, python
from minigrad.exercises.errors import WrongAnswerType
from minigrad.exercises.exercise import KernelExercise

pytestmark = pytest.mark.slow
REWRITTEN = [
    "00_python_to_gpu",
    "01_threads",
    "02_memory",
    "03_strides",
    "04_elementwise",
    "05_reductions",
    "06_matmul",
    "07_convolution",
    "08_autograd",
    "09_nn",
    "11_extending_pytorch",
    "12_graphs",
    "10_cnn",
]
EXERCISES = [
    pytest.param(exercise, id=f"{chapter}-{exercise.name}")
    for chapter in REWRITTEN
    for exercise in build.exercises_of(chapter)
]


@functools.cache
def code_of(chapter):
    """The lessons' code cells, and each puzzle a second time, with its answer."""
    return [*code_in(chapter)]


def code_in(chapter):
    texts = [f"lessons/{name}.py" for name in course.chapter(chapter).lessons]
    cells = [
        cell
        for text in texts
        for cell in build.notebook(course.home() / text, solved=False).cells
    ]
    for at, cell in enumerate(cells):
        if cell.cell_type == "code" and not is_setup(cell.source):
            yield python(cell.source)
        if solve := solver(cells, at):
            yield solve(cells[at - 1].source)


def renamed(text, names):
    """A text with identifiers replaced, all at once."""
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda word: names.get(word[0], word[0]), text)


def functions(code, exercise):
    """Its functions that take as many arguments, renamed as the exercise is called."""
    wanted = [*signature.inspect.signature(exercise.__wrapped__).parameters]
    imports = [
        n for n in ast.parse(code).body if isinstance(n, ast.Import | ast.ImportFrom)
    ]
    head = "\n".join(map(ast.unparse, imports))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef):
            arguments = [a.arg for a in node.args.args]
            names = dict(zip(arguments, wanted, strict=False)) | {
                node.name: exercise.name
            }
            if len(arguments) == len(wanted):
                node.decorator_list = []
                yield head, renamed(ast.unparse(node), names)


def kernels(code, exercise):
    """Its kernels that take as many arguments, with the exercise's names and types."""
    for node in ast.walk(ast.parse(code)):
        text = node.value if isinstance(node, ast.Constant) else None
        for name in (
            re.findall(r"__global__ void (\w+)\(", text)
            if isinstance(text, str)
            else ()
        ):
            _, parameters = signature.kernel_signature(text, name)
            if len(parameters) == len(exercise.parameters):
                words = [re.findall(r"\w+", p)[-1] for p in parameters]
                wanted = [re.findall(r"\w+", p)[-1] for p in exercise.parameters]
                names = dict(zip(words, wanted, strict=True)) | {name: exercise.name}
                form = rf"{exercise.name}\([^)]*\)"
                new = f"{exercise.name}({', '.join(exercise.parameters)})"
                yield re.sub(form, new, renamed(text, names), count=1)


def answers(chapter, exercise):
    for code in code_of(chapter):
        if isinstance(exercise, KernelExercise):
            yield from kernels(code, exercise)
            continue
        for head, text in functions(code, exercise):
            names = {}
            with contextlib.suppress(NameError):  # it needs what the lab doesn't have
                exec(f"{head}\n{text}", names)
                yield names[exercise.name]


@pytest.mark.kept("notebooks")
@pytest.mark.parametrize("exercise", EXERCISES)
def test_what_a_lesson_shows_earns_nothing_in_its_lab(exercise):
    exam = find_check(exercise).judgment(None, 0).exam
    for answer in answers(exercise.chapter, exercise):
        try:
            exercise.fits(answer)
        except WrongAnswerType:
            continue
        assert verdict_on(exercise, answer, exam=exam).points == 0, answer
