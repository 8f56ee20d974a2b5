"""A course of three exercises in a folder of its own, and the learner's lab in it."""

import pytest
from empty_exercises import ex

from minigrad import layout

offset_of, index_of = layout.offset_of, layout.index_of

SETUP = "# Set-up: run me.\nfrom minigrad import Tensor, answers_from, layout, solves"
HEAD = "@solves(layout.offset_of)\ndef offset_of(index, strides, offset=0):\n"
ONE = HEAD + "    return 1"
STUB = HEAD + "    # YOUR CODE HERE\n    raise NotImplementedError"
SHAPES = (
    "@solves(layout.broadcast_shapes)\ndef broadcast_shapes(*shapes):\n    return 7"
)
SOLUTION = """\
# %% [markdown]
# Text.

# %% setup=true
# Set-up
from minigrad import answers_from, layout, solves
print(answers_from("labs", before="03"))

# %% exercise="offset_of"
@solves(layout.offset_of)
def offset_of(index, strides, offset=0):
    return 100

# %% exercise="index_of"
@solves(layout.index_of)
def index_of(position, shape):
    return 200

# %% exercise="broadcast_shapes"
@solves(layout.broadcast_shapes)
def broadcast_shapes(*shapes):
    return 300

# %%
raise SystemExit("a cell that is neither set-up nor answer")
"""


@pytest.fixture
def home(course_home, monkeypatch):
    """A course of three exercises, with their solutions and no lab."""
    ex.exercises()  # loads what has exercises and is not loaded yet
    exercises = [layout.offset_of, layout.index_of, layout.broadcast_shapes]
    monkeypatch.setattr(
        ex, "_exercises", {exercise.name: exercise for exercise in exercises}
    )
    (course_home / "solutions/03_strides.py").write_text(SOLUTION)
    (course_home / "work").mkdir()
    return course_home


@pytest.fixture
def lab(home, write_notebook):
    """lab(*texts): let the learner's lab have these cells, `a0`, `a1` and so on."""

    def write(*texts):
        cells = [(f"a{n}", "code", text) for n, text in enumerate(texts)]
        write_notebook(home / "work/03_strides.ipynb", *cells)

    return write
