"""The exported package: the learner's own functions, in modules that stand alone."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad import answers as running_answers
from minigrad import answers_from, course, layout
from minigrad.cells import all_cells
from minigrad.exercise import kernel_exercise, solves
from minigrad.export import CannotExport, export
from minigrad.export.assemble import assembled, fill_kernel
from minigrad.export.merge import CannotMerge
from minigrad.export.modules import Module, Package

ex = importlib.import_module("minigrad.exercise")  # minigrad.exercise is a function
HOME = course.home()
NUMPY = Path(importlib.import_module("numpy").__file__).parent.parent

SETUP = all_cells(HOME / "solutions/03_strides.py")[0].text
STRIDES = "@solves(contiguous_strides)\ndef contiguous_strides(shape):\n"
OFFSET = "@solves(offset_of)\ndef offset_of(index, strides, offset=0):\n"
PERMUTE = "@solves(Tensor.permute)\ndef permute(self, *dims):\n"
TRACES = (
    r"exercise\b.*import|@exercise|solves|answers_from|NotAnswered|YOUR CODE|SOLUTION"
)


@pytest.fixture
def home(course_home, monkeypatch):
    """A course with the real solutions, a `work` folder, and nothing answered."""
    holes = {entry.hole: dict(vars(entry.hole)) for entry in ex.exercises()}
    for hole in holes:
        hole.answer = hole.reference = hole._run = None
    monkeypatch.setattr(running_answers, "_filled", {})
    for name in ("solutions/03_strides.py", "LICENSE"):
        shutil.copy(HOME / name, course_home / name)
    for folder in ("work", "tests"):
        (course_home / folder).mkdir()
    for name in ("test_layout.py", "test_tensor.py"):
        shutil.copy(HOME / "tests" / name, course_home / "tests" / name)
    yield course_home
    for hole, state in holes.items():
        vars(hole).clear()
        vars(hole).update(state)


@pytest.fixture
def lab(home, write_notebook):
    """lab(*texts): let the learner's lab have the set-up cell and these."""

    def write(*texts):
        cells = [(f"a{n}", "code", text) for n, text in enumerate((SETUP, *texts))]
        write_notebook(home / "work/03_strides.ipynb", *cells)

    return write


@pytest.fixture
def value(lab, tmp_path):
    """value(expression, *cells): its value in the package that these cells give."""

    def evaluate(expression, *cells):
        lab(*cells)
        answers_from("labs")
        value.texts = {str(path): text for path, text in assembled().items()}
        for name, text in value.texts.items():
            path = tmp_path / "package" / "minigrad" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return alone(tmp_path / "package", expression)

    value = evaluate
    return evaluate


def alone(folder, expression):
    """The value, as text, in a Python that knows the folder and NumPy alone."""
    code = f"import sys; sys.path[:0] = [{str(folder)!r}]\nimport minigrad\n"
    code += f"from minigrad import layout, Tensor, arange\nprint({expression})"
    command = [sys.executable, "-I", "-B", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def function(texts, module, name):
    """The text of one function of the package."""
    text = texts[module] + "\n\ndef end"
    return re.search(rf"( *)def {name}\(.*?(?=\n\s*(?:@|#|def|class|\Z))", text, re.S)[
        0
    ]


# ------------------------------------------------------------ what an answer becomes


def test_answer_with_its_comments_and_the_hole_s_docstring(value):
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
    text = value.texts["layout.py"] if hasattr(value, "texts") else ""
    assert text == "" or "# My idea" in text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (OFFSET + "    return 7", "7"),
        (OFFSET.strip() + " return 7", "7"),
        (OFFSET + '    """Mine."""\n    return offset_of.__doc__', "Mine."),
        (OFFSET + "\tif 1:\n\t\treturn 7", "7"),
        (OFFSET + "  s = '''\n  x'''\n  return len(s)", "4"),
        (OFFSET.replace("offset=0):", "offset=0,\n   more=7):  # (\n") + "    return more",
         "7"),
        (OFFSET.replace("def offset_of", "def mine") + "    return mine.__name__",
         "offset_of"),
        ("solves(offset_of)(lambda index, strides, offset=0: offset + 7)", "7"),
        ("x = solves(offset_of)(\n  lambda index, strides, offset=0: (\n 3  # three\n + 4))",
         "7"),
        ("def mine(index, strides, offset=0):\n    return 7\nsolves(offset_of)(mine)", "7"),
        ("import functools\ndef f(n, index, strides, offset=0):\n    return n\n"
         "solves(offset_of)(functools.partial(f, 7))", "7"),
        ("from functools import cache\n"
         + OFFSET.replace("def", "@cache\ndef") + "    return 7", "7"),
        ("import functools\n" + OFFSET.replace("def", "@functools.lru_cache(\n  None)\ndef")
         + "    return offset_of.cache_info().misses", "1"),
        (OFFSET + "    return index[0] and 7 * offset_of((index[0] - 1,), strides) or 1",
         "7"),
        (OFFSET + "    return f'{layout.numel((7,))}'", "7"),
        (OFFSET + "    numel = layout.numel((7,))\n    return numel", "7"),
        (OFFSET + "    import math as m\n    return m.floor(7.5)", "7"),
        (OFFSET + "    return (lambda layout: layout)(7)", "7"),
        (OFFSET + "    return [i for i in [layout.numel((7,))]][0]", "7"),
        (OFFSET + "    return arange(7).numel()\nfrom minigrad import arange", "7"),
        (OFFSET + "    return Tensor.numel(minigrad.arange(7))\nimport minigrad", "7"),
        ("import minigrad as mg, minigrad.layout as lay\n" + OFFSET
         + "    return mg.layout.numel((7,)) + lay.numel(()) - 1", "7"),
        ("from minigrad.tensor import float32 as f\n" + OFFSET
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
        ["M = layout.numel((7,))\n" + OFFSET + "    return M"],
        ["def numel(x): return 7  # not the module's\n" + OFFSET + "    return numel(0)"],
        ["MOST = 7\n" + OFFSET + "    return MOST"],
        ["def __f(): return 7\n" + OFFSET + "    return __f()"],
        ["def sum(x): return 7\n" + OFFSET + "    return sum(index)"],
        ["def f() -> Tensor: return arange(7)\n" + OFFSET + "    return f().numel()",
         "from minigrad import arange"],
    ],
)  # fmt: skip
def test_helpers_come_along(value, cells):
    assert value("layout.offset_of((1,), (1,))", *cells) == "7"


def test_unused_things_stay_behind(value, tmp_path):
    cell = (
        "import json\ndef unused(): ...\nx = [1]\n" + OFFSET + "    return 7\nassert x"
    )
    value("1", cell)
    text = (tmp_path / "package/minigrad/layout.py").read_text()
    assert "json" not in text and "unused" not in text and "assert x" not in text


def test_different_helpers_of_one_name(value, tmp_path):
    first = "def f(): return 1\n" + OFFSET + "    return f()"
    second = "def f(): return 2\n" + STRIDES + "    return f()"
    third = (
        "def f(): return 2\n"
        + PERMUTE
        + "    return f(), layout.contiguous_strides(())"
    )
    names = (
        "layout.offset_of(0, 0), layout.contiguous_strides(()), arange(1).permute(0)"
    )
    assert value(names, first, second, third) == "(1, 2, (2, 2))"


def test_one_helper_for_two_answers_is_brought_once(value, tmp_path):
    two = [OFFSET + "    return f()", STRIDES + "    return f()"]
    assert value("layout.offset_of(0, 0)", "def f(): return 7", *two) == "7"
    text = (tmp_path / "package/minigrad/layout.py").read_text()
    assert text.count("return 7") == 1


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["table = sorted([1])", OFFSET + "    return table"],
         "uses table, which cell a1 makes by more than a plain value: put it into"),
        ([OFFSET + "    return table"], "uses table, which no cell makes: put it into"),
        ([OFFSET + "    return answers_from('labs')"],
         "uses answers_from, which is not part of the exported package"),
        (["import minigrad\n" + OFFSET + "    return minigrad.exercises()"],
         "uses minigrad.exercises, which is not part of the exported package"),
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
    monkeypatch.setattr(ex, "_holes", {})
    hole = kernel_exercise("16.1", DECLARATION, points=1)
    return solves(hole)(KERNEL)


def test_kernel_goes_into_its_cu_file(scale):
    text = 'N = read("scale.cu")\nscale = kernel_exercise("16.1", N, points=1)\n'
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
    text = (
        f'scale = kernel_exercise("16.1", points=1, declaration="""{DECLARATION}""")\n'
    )
    module = Module("minigrad.scale", text, Path("scale.py"), Package())
    fill_kernel(scale, module, {})
    names = {}
    exec(module.result(), names)
    assert names["scale"] == KERNEL + "\n"


# ------------------------------------------------------------ the folder


def test_exported_package(lab, tmp_path, capsys):
    """Everything at once: written, formatted, and its own tests pass, elsewhere."""
    lab(OFFSET + "    total = offset\n    for i,s in zip(index,strides):\n"
        "        total+=i*s # add\n    return total")  # fmt: skip
    target = export(tmp_path / "taken home" / "mine")
    out = capsys.readouterr().out.splitlines()
    assert out[-1].startswith(
        f"Exported to {target}. 1 of 9 exercises are your own ans"
    )
    assert out[-1].endswith("slice_view, broadcast_shapes, expand, view_or_copy.")
    assert sorted(path.name for path in target.iterdir()) == [
        "LICENSE", "README.md", "minigrad", "pyproject.toml", "tests",
    ]  # fmt: skip
    for path in target.rglob("*.py"):
        assert not re.search(TRACES, path.read_text(encoding="utf-8")), path
    names = {path.stem for path in (target / "minigrad").rglob("*.py")}
    assert {"layout", "tensor"} < names
    assert not names & {
        "exercise",
        "slot",
        "answers",
        "course",
        "cli",
        "start",
        "export",
    }
    mine = (target / "minigrad/layout.py").read_text()
    assert "        total += i * s  # add\n" in mine
    assert "# The course's solution of exercise 03.1.\ndef contiguous_strides" in mine
    assert '\n\n\ndef offset_of(index, strides, offset=0):\n    """The storage' in mine
    readme = (target / "README.md").read_text()
    assert "| `offset_of(index, strides, offset=0)` | minigrad.layout | own |" in readme
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check"], ["format", "--check"]):
        run([*ruff, *command, "--no-cache", "."], target)
    done = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], target)
    assert re.search(r"\d\d+ passed", done) and "failed" not in done


def run(command, folder):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_exported_again(lab, tmp_path, capsys):
    target = tmp_path / "mine"
    target.mkdir()  # an empty folder will do
    lab(OFFSET + "    return 1")
    export(target)
    run([sys.executable, "-c", "import minigrad"], target)
    lab(OFFSET + "    return 2")
    export(target)
    assert "    return 2\n" in (target / "minigrad/layout.py").read_text()
    (target / "notes.txt").write_text("mine")
    with pytest.raises(
        CannotExport, match="mine was changed since it was exported. Cho"
    ):
        export(target)
    assert (target / "notes.txt").read_text() == "mine"
    capsys.readouterr()
    export(target, force=True)
    assert f"What was there is now in {target}.old." in capsys.readouterr().out
    assert (tmp_path / "mine.old" / "notes.txt").read_text() == "mine"
    (target / "notes.txt").write_text("mine, again")
    export(target, force=True)
    assert (tmp_path / "mine.old-2" / "notes.txt").read_text() == "mine, again"
    assert sorted(p.name for p in tmp_path.iterdir() if "mi" in p.name) == [
        "mine", "mine.old", "mine.old-2",
    ]  # fmt: skip


def test_places_that_are_refused(home, tmp_path, monkeypatch):
    full, file = tmp_path / "full", tmp_path / "file"
    full.mkdir()
    (full / "thesis.txt").write_text("years")
    file.write_text("")
    with pytest.raises(CannotExport, match="full is not empty, and no earlier export"):
        export(full)
    with pytest.raises(CannotExport, match="file is a file"):
        export(file, force=True)
    with pytest.raises(CannotExport, match="holds the course, or you"):
        export(home, force=True)
    monkeypatch.chdir(full)
    with pytest.raises(CannotExport, match="holds the course, or you"):
        export(".", force=True)
    assert (full / "thesis.txt").read_text() == "years"


def test_nothing_is_left_when_it_fails(lab, tmp_path):
    lab(OFFSET.replace("=0", "=0, n=nowhere.there") + "    return 1",
        "import json.decoder as nowhere\nnowhere.there = 1")  # fmt: skip
    before = sorted(tmp_path.iterdir())
    solves(layout.offset_of)(lambda index, strides, offset=0: 1)
    layout.offset_of.answer = layout.offset_of.answer._replace(
        source=layout.offset_of.answer.source._replace(
            text="import json.decoder as nowhere\n"
            + OFFSET.replace("=0", "=0, n=nowhere.there") + "    return 1"
        )
    )  # fmt: skip
    with pytest.raises(
        CannotExport, match="would not work, so nothing was(.|\n)*there"
    ):
        export(tmp_path / "new")
    assert sorted(tmp_path.iterdir()) == before


def test_without_ruff(home, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CannotExport, match="ruff formats the files.*pip install ruff"):
        export(tmp_path / "new")
    assert not (tmp_path / "new").exists()
