"""What becomes of an answer in the exported package: its text, its helpers."""
# ruff: noqa: F811  (fixtures are imported)

import compileall
import re
import subprocess
import sys
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest
from empty_exercises import ex, nothing_answered  # noqa: F401
from export_course import OFFSET, PERMUTE, STRIDES, TRACES, home, lab  # noqa: F401

from minigrad import answers_from, course
from minigrad.exercises.order import ORDER
from minigrad.exercises.registry import kernel_exercise, solves
from minigrad.export import assemble
from minigrad.export.assemble import assembled, fill_kernel
from minigrad.export.merge import CannotMerge
from minigrad.export.modules import Module, Package

pytestmark = pytest.mark.slow
ANSWERED = {"minigrad.layout", "minigrad.tensor"}  # by the cells of these tests
PATHS = {"layout.py", "tensor.py"}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The exported package: each test writes the modules that it changes."""
    return tmp_path_factory.mktemp("package")


@pytest.fixture(scope="module")
def solved():
    """({exercise: the course's answer}, {path: text} of the package they give)."""
    exercises = [entry.exercise for entry in ex.exercises()]
    before = {exercise: dict(vars(exercise)) for exercise in exercises}
    answers_from("solutions")
    yield {exercise: exercise.reference for exercise in exercises}, assembled()
    for exercise, state in before.items():
        vars(exercise).update(state)


@pytest.fixture
def value(lab, package, solved, monkeypatch):
    """value(expression, *cells): its value in the package that these cells give."""
    references, texts = solved
    here = [e for e in ex.exercises() if e.exercise.__module__ in ANSWERED]
    monkeypatch.setattr(assemble, "exercises", lambda: here)  # the others are as solved
    names = assemble.check_names
    monkeypatch.setattr(
        assemble, "check_names", lambda p, text: p.name in PATHS and names(p, text)
    )

    def evaluate(expression, *cells):
        lab(*cells)
        for exercise, reference in references.items():
            exercise.reference = reference
        answers_from("labs")
        new = {path: text for path, text in assembled().items() if str(path) in PATHS}
        write(texts | new, package / "minigrad")
        return alone(package, expression)

    return evaluate


def write(texts, folder):
    is_new = not folder.exists()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_new or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    if is_new:  # compiled once; a module that a test changes has another hash
        mode = PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder, quiet=1, invalidation_mode=mode)


def alone(folder, expression):
    """The value, as text, in a Python that knows the folder and NumPy alone."""
    code = f"import sys; sys.path[:0] = [{str(folder)!r}]\nimport minigrad\n"
    code += f"from minigrad import layout, Tensor, arange\nprint({expression})"
    command = [sys.executable, "-I", "-B", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ------------------------------------------------------------ what an answer becomes


def test_answer_with_its_comments_and_the_exercise_s_docstring(value, package):
    cell = f"""# My idea: go backwards.
{STRIDES}    ### BEGIN SOLUTION
    # YOUR CODE HERE
    steps = [1]   # the last
    for size in shape[:0:-1]:
        steps.append(steps[-1] * max(size, 1))
    return tuple(reversed(steps[:len(shape)]))
    # (that was all)
    ### END SOLUTION
print(contiguous_strides((2, 3)))
"""
    assert value("layout.contiguous_strides((2, 3, 4))", cell) == "(12, 4, 1)"
    text = (package / "minigrad/layout.py").read_text()
    assert (
        '# My idea: go backwards.\ndef contiguous_strides(shape):\n    """Ret' in text
    )
    assert "    steps = [1]   # the last\n" in text and "    # (that was all)\n" in text
    assert not re.search(TRACES, text)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (OFFSET + "    return 7", "7"),
        (OFFSET.strip() + " return 7", "7"),
        (OFFSET + '    """Mine."""\n    return offset_of.__doc__', "Mine."),
        (OFFSET + "\tif 1:\n\t\treturn 7", "7"),
        (OFFSET + "  s = '''\n  x'''\n  return len(s)", "4"),
        (OFFSET.replace("offset=0):", "offset=0,\n   more=7):  # (\n")
         + "    return more", "7"),
        (OFFSET.replace("def offset_of", "def mine") + "    return mine.__name__",
         "offset_of"),
        ("solves(offset_of)(lambda index, strides, offset=0: offset + 7)", "7"),
        ("x = solves(offset_of)(\n  lambda index, strides, offset=0:"
         " (\n 3  # three\n + 4))", "7"),
        ("def mine(index, strides, offset=0):\n    return 7\n"
         "solves(offset_of)(mine)", "7"),
        ("import functools\ndef f(n, index, strides, offset=0):\n    return n\n"
         "solves(offset_of)(functools.partial(f, 7))", "7"),
        ("from functools import cache\n"
         + OFFSET.replace("def", "@cache\ndef") + "    return 7", "7"),
        ("import functools\n"
         + OFFSET.replace("def", "@functools.lru_cache(\n  None)\ndef")
         + "    return offset_of.cache_info().misses", "1"),
        (OFFSET + "    return index[0] and 7 * offset_of((0,), strides) or 1", "7"),
        (OFFSET + "    return f'{layout.numel((7,))}'", "7"),
        (OFFSET + "    numel = layout.numel((7,))\n    return numel", "7"),
        (OFFSET + "    import math as m\n    return m.floor(7.5)", "7"),
        (OFFSET + "    return (lambda layout: layout)(7)", "7"),
        (OFFSET + "    return [i for i in [layout.numel((7,))]][0]", "7"),
        (OFFSET + "    return arange(7).numel()\nfrom minigrad import arange", "7"),
        (OFFSET + "    return Tensor.numel(minigrad.arange(7))\nimport minigrad", "7"),
        ("import minigrad as mg, minigrad.layout as lay\n" + OFFSET
         + "    return mg.layout.numel((7,)) + lay.numel(()) - 1", "7"),
        ("from minigrad.storage import float32 as f\n" + OFFSET
         + "    return 3 + f.itemsize", "7"),
        ("import math\nfrom math import prod as p\n" + OFFSET
         + "    return p([7]) + math.floor(0.5)", "7"),
        ("from math import *\n" + OFFSET + "    return floor(7.5)", "7"),
        ("import numpy as np\n" + OFFSET + "    return np.int64(7)", "7"),
        (OFFSET + "    é, n = 'é', layout.numel((7,))\n    return n", "7"),
        (OFFSET.replace("index,", "index: 'Tensor',").replace(":\n", " -> Tensor:\n")
         + "    return 7", "7"),
    ],
)  # fmt: skip
def test_answers_of_every_style(value, cell, expected):
    assert value("layout.offset_of((1,), (1,))", cell) == expected


@pytest.mark.parametrize(
    "body",
    [
        "    return contiguous_strides((2, 1))",
        "    return layout.contiguous_strides((2, 1))",
        "    return 1 if dims == (0,) else permute(self, 0)",
        "    return 1 if dims == (0,) else Tensor.permute(self, 0)",
        "    as_ints = layout.as_ints\n    return as_ints((1,))",
        "    contiguous_strides = layout.contiguous_strides\n    return 1",
    ],
)
def test_methods(value, body):
    out = value("arange(1).permute(1)", PERMUTE + body)
    assert out in ("1", "(1,)", "(1, 1)")


def test_annotated_method_with_decorator(value):
    cell = f"from functools import cache\n{PERMUTE}    return 7"
    cell = cell.replace("def", "@cache\ndef").replace("(self", "(x: Tensor")
    cell = cell.replace("*dims)", "*dims: int) -> Tensor")
    assert value("arange(1).permute(0)", cell) == "7"


# ------------------------------------------------------------ helpers


@pytest.mark.parametrize(
    "cells",
    [
        ["def f(x):\n    return g(x)\n\ndef g(x):\n    return x or N\nN = 7\n"
         + OFFSET + "    return f(0)"],
        ["def f(x): return x and f(x - 1) or 7", OFFSET + "    return f(3)"],
        ["N = [3, 4]", "import math", "def f(): return math.fsum(N)",
         OFFSET + "    return int(f())"],
        ["class Box:\n    size = 7\n    def twin(self): return Box()",
         OFFSET + "    return Box().twin().size"],
        ["T = {}\nfor i in range(3):\n    T[i] = i + 5\n" + OFFSET + "    return T[2]"],
        ["a, b = 3, 4\n" + OFFSET + "    return a + b"],
        ["print([i for i in 'x'])\nt = [i for i in range(8)]\n" + OFFSET
         + "    return t[7]"],
        ["def numel(x): return 7  # not layout's\n" + OFFSET + "    return numel(0)"],
        ["MOST = 7\n" + OFFSET + "    return MOST"],
        ["def __f(): return 7\n" + OFFSET + "    return __f()"],
        ["def sum(x): return 7\n" + OFFSET + "    return sum(index)"],
        ["def f() -> Tensor: return arange(7)\n" + OFFSET + "    return f().numel()",
         "from minigrad import arange"],
    ],
)  # fmt: skip
def test_helpers_come_along(value, cells):
    assert value("layout.offset_of((1,), (1,))", *cells) == "7"


def test_unused_things_stay_behind(value, package):
    cell = (
        "import json\ndef unused(): ...\nx = [1]\n" + OFFSET + "    return 7\nassert x"
    )
    value("1", cell)
    text = (package / "minigrad/layout.py").read_text()
    assert "json" not in text and "unused" not in text and "assert x" not in text


def test_different_helpers_of_one_name(value, package):
    first = "def f(): return 1\n" + OFFSET + "    return f()"
    second = "def f(): return 2\n" + STRIDES + "    return f()"
    third = (
        "def f(): return 2\n"
        + PERMUTE
        + "    return f(), layout.contiguous_strides(())"
    )
    names = "layout.offset_of(0, 0), layout.contiguous_strides(()), Tensor.permute(0)"
    assert value(names, first, second, third) == "1 2 (2, 2)"


def test_one_helper_for_two_answers_is_brought_once(value, package):
    two = [OFFSET + "    return f()", STRIDES + "    return f()"]
    assert value("layout.offset_of(0, 0)", "def f(): return 7", *two) == "7"
    text = (package / "minigrad/layout.py").read_text()
    assert text.count("return 7") == 1


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["table = sorted([1])", OFFSET + "    return table"],
         "uses table, which cell a1 makes by more than a plain value: put it into"),
        ([OFFSET + "    return table"], "uses table, which no cell makes: put it into"),
        ([OFFSET + "    return answers_from('labs')"],
         "uses answers_from, which is not part of the exported package"),
        (["import minigrad\n" + OFFSET + "    return minigrad.exercise"],
         "uses minigrad.exercise, which is not part of the exported package"),
        (["M = layout.numel((7,))\n" + OFFSET + "    return M"],
         "uses `M = layout.numel((7,))`, which needs `numel` too early: make"),
        (["M = Tensor\n" + OFFSET + "    return M"],
         "uses `M = Tensor`, which needs `from .tensor import Tensor` too early"),
        (["if True:\n    " + OFFSET.replace("\n", "\n    ") + "    return 7"],
         "must begin at the left edge of its cell: move it there"),
        (["def f(): return 1\n" + OFFSET
          + "    g = [f for f in 'a']\n    return f()"],
         "has a local f and uses another f: rename the local one"),
    ],
)  # fmt: skip
def test_answers_that_cannot_be_moved(lab, cells, problem):
    lab(*cells)
    answers_from("labs")
    with pytest.raises(CannotMerge) as caught:
        assembled()
    place = (
        "work/03_strides.ipynb, the cell that answers offset_of: the answer of offset"
    )
    assert str(caught.value).startswith(place) and problem in str(caught.value)


# ------------------------------------------------------------ kernels


KERNEL = """__device__ float twice(float x) { return 2 * x; }

__global__ void scale(const float* x, float* y, int n) {
    y[threadIdx.x] = twice(x[threadIdx.x]);  // "quoted", \\n kept
}"""
DECLARATION = "// y = 2 x\n__global__ void scale(const float* x, float* y,\n  int n);\n"


@pytest.fixture
def scale(monkeypatch):
    ex.exercises()  # loads what has exercises and is not loaded yet
    monkeypatch.setattr(ex, "_exercises", {})
    monkeypatch.setitem(ORDER, course.chapter("16").name, ["scale"])
    exercise = kernel_exercise(DECLARATION, points=1)
    return solves(exercise)(KERNEL)


def test_kernel_goes_into_its_cu_file(scale):
    text = 'N = read("scale.cu")\nscale = kernel_exercise(N, points=1)\n'
    module = Module("minigrad.scale", text, Path("scale.py"), Package())
    other = "// scale(x);\n__global__ void other(int n);\n"
    kernels = {
        Path("scale.cu"): other + DECLARATION + "\n__global__ void last(int n) {}\n"
    }
    fill_kernel(scale, module, kernels)
    assert kernels[Path("scale.cu")] == (
        f"{other}// y = 2 x\n{KERNEL}\n\n__global__ void last(int n) {{}}\n"
    )
    assert module.result() == 'N = read("scale.cu")\nscale = N\n'


def test_kernel_goes_into_its_module(scale):
    text = f'scale = kernel_exercise(points=1, declaration="""{DECLARATION}""")\n'
    module = Module("minigrad.scale", text, Path("scale.py"), Package())
    fill_kernel(scale, module, {})
    names = {}
    exec(module.result(), names)
    assert names["scale"] == KERNEL + "\n"
