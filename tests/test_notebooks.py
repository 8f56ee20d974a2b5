"""Every lesson and every lab is run from top to bottom, as Run All does it."""

import nbformat
import pytest
from nbclient import NotebookClient

from grading import build
from minigrad import course

pytestmark = pytest.mark.slow
LESSONS = [text for text, _ in build.sources() if text.parent.name == "lessons"]
LABS = [text for text, _ in build.sources() if text.parent.name == "solutions"]


def run(nb, folder):
    """The notebook with its outputs; an error in a cell is one of the outputs."""
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(nb, timeout=600, allow_errors=True, resources=resources)
    return client.execute()


def outputs(nb, kind):
    """(cell, output) of one kind: "error", "stream", ..."""
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    return [(c, o) for c in code for o in c.outputs if o.output_type == kind]


def unexpected(nb):
    """Errors, and everything on stderr."""
    errors = [f"{c.id}: {o.ename}: {o.evalue}" for c, o in outputs(nb, "error")]
    noise = [
        f"{c.id}: {o.text}" for c, o in outputs(nb, "stream") if o.name == "stderr"
    ]
    return errors + noise


def points(nb):
    """{exercise: points} that the check cells show, as nbgrader reads them."""
    return {
        cell.id: float(o.data["text/plain"])
        for cell, o in outputs(nb, "execute_result")
        if cell.id.endswith("-check")
    }


@pytest.mark.parametrize("text", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_from_top_to_bottom(text, tmp_path):
    nb = run(build.notebook(text, solved=False), tmp_path)
    assert not unexpected(nb)
    for cell in nb.cells:
        if cell.source.startswith("with trying():"):  # it shows a message
            assert any("Error: " in o.get("text", "") for o in cell.outputs), (
                cell.source
            )


@pytest.mark.parametrize("text", LABS, ids=lambda path: path.stem)
def test_a_solved_lab_earns_every_point_and_runs_again(text, tmp_path):
    nb = build.notebook(text, solved=True)
    again = [{**cell, "id": f"{cell.id[:50]}-again"} for cell in nb.cells]
    nb.cells += [nbformat.from_dict(cell) for cell in again]
    nb = run(nb, tmp_path)
    assert not unexpected(nb)
    full = {f"{build._id(h.name)}-check": h.points for h in build.holes_of(text.stem)}
    assert points(nb) == full


@pytest.mark.parametrize("text", LABS, ids=lambda path: path.stem)
def test_a_released_lab_earns_nothing_and_runs_to_its_end(text, tmp_path):
    built = nbformat.read(course.home() / f"labs/{text.stem}.ipynb", as_version=4)
    nb = run(built, tmp_path)
    assert not unexpected(nb)
    assert set(points(nb).values()) == {0.0}
    said = {}
    for cell, output in outputs(nb, "stream"):  # a kernel may send a text in pieces
        said[cell.id] = said.get(cell.id, "") + output.text
    for cell, text in said.items():
        if cell.endswith("-check"):
            assert "not answered yet" in text
