"""One contract: lab, help(), and hover show the same docstring of an exercise."""

import inspect
import pydoc

import pytest
from real_kernel import a_kernel, output_of  # noqa: F401
from table import table

from grading.notebooks import build
from minigrad import course
from minigrad.exercises.answers import answered_in
from minigrad.exercises.registry import exercises

EXERCISES = [entry.exercise for entry in exercises()]


@pytest.fixture(scope="module")
def above():
    """{name: the cell above the stub}, of every lab."""
    results = {}
    for text in (course.home() / "solutions").glob("*.py"):
        cells = build.notebook(text, solved=False).cells
        for before, cell in zip(cells, cells[1:], strict=False):
            if name := answered_in(cell.source):
                results[name] = before.source
    return results


@table("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_lab_and_help_show_the_whole_contract(above, exercise):
    doc = inspect.getdoc(exercise)
    box = f"**Contract**\n\n```text\n{exercise.contract}\n```\n"
    assert above[exercise.name].startswith(box)
    assert exercise.contract.endswith(doc)
    helped = pydoc.plain(pydoc.render_doc(exercise))
    assert doc in "\n".join(line[4:] for line in helped.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["layout.slice_view", "Tensor.permute", "copy.contiguous_kernel"]
)
def test_hover_shows_it_too(kernel, name):
    output_of(kernel, "from minigrad import Tensor, layout\n"
                      "from minigrad.kernels import copy")  # fmt: skip
    reply = kernel.inspect(name, len(name), reply=True, timeout=60)
    shown = reply["content"]["data"]["text/plain"]
    doc = output_of(kernel, f"import inspect; print(inspect.getdoc({name}))")
    assert doc.strip() in shown
