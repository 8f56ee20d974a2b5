"""A course with its own solutions, in a folder of its own, to export from."""

import shutil

import pytest

from minigrad import course
from minigrad.exercises.cells import all_cells

HOME = course.home()

SETUP = all_cells(HOME / "solutions/03_strides.py")[0].text
STRIDES = "@solves(contiguous_strides)\ndef contiguous_strides(shape):\n"
OFFSET = "@solves(offset_of)\ndef offset_of(index, strides, offset=0):\n"
PERMUTE = "@solves(Tensor.permute)\ndef permute(self, *dims):\n"
TRACES = (
    r"exercise\b.*import|@exercise|solves|answers_from|NotAnswered|YOUR CODE|SOLUTION"
)


@pytest.fixture
def home(course_home):
    """A course with the real solutions, a `work` folder, and nothing answered."""
    for path in [*(HOME / "solutions").glob("*.py"), HOME / "LICENSE"]:
        shutil.copy(path, course_home / path.relative_to(HOME))
    for folder in ("work", "tests/unit", "examples"):
        (course_home / folder).mkdir(parents=True)
    for name in ("tests/unit/test_layout.py", "tests/unit/test_tensor.py",
                 "examples/train_mnist.py"):  # fmt: skip
        shutil.copy(HOME / name, course_home / name)
    return course_home


@pytest.fixture
def lab(home, write_notebook):
    """lab(*texts): let the learner's lab have the set-up cell and these."""

    def write(*texts):
        cells = [(f"a{n}", "code", text) for n, text in enumerate((SETUP, *texts))]
        write_notebook(home / "work/03_strides.ipynb", *cells)

    return write
