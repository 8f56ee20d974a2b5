"""Every lesson and every lab is run from top to bottom, as Run All does it."""

import ast
import itertools
import re
from importlib.util import find_spec

import nbformat
import pytest
from nbclient import NotebookClient
from puzzles import solver

from grading.notebooks import build
from minigrad import course

pytestmark = pytest.mark.slow
TEXTS = {
    folder: [
        pytest.param(text, marks=pytest.mark.xdist_group(f"notebook {text.stem}"))
        for text, _ in build.sources()
        if text.parent.name == folder
    ]
    for folder in ("lessons", "solutions")
}
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight",
         "nine", "ten", "eleven", "twelve"]  # fmt: skip
SOLVED = "-solved"  # ends the ids of the cells that are run a second time
THOUSANDS = r"(?<=\d),(?=\d{3}\b)"


def run(nb, folder):
    """The notebook with its outputs; an error in a cell is one of the outputs."""
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(nb, timeout=600, allow_errors=True, resources=resources)
    return client.execute()


def outputs(nb, kind):
    """(cell, output) of one kind: "error", "stream", ..."""
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    return [(c, o) for c in code for o in c.outputs if o.output_type == kind]


def said(nb):
    """(cell, all that it has printed): a kernel may send a text in pieces."""
    for cell, pieces in itertools.groupby(outputs(nb, "stream"), lambda pair: pair[0]):
        yield cell, "".join(output.text for _, output in pieces)


def unexpected(nb):
    """Errors, and everything on stderr."""
    errors = [f"{c.id}: {o.ename}: {o.evalue}" for c, o in outputs(nb, "error")]
    noise = [
        f"{c.id}: {o.text}" for c, o in outputs(nb, "stream") if o.name == "stderr"
    ]
    return errors + noise


def prints(source):
    """Does a cell print in any case: in no function, class or try?"""
    perhaps = ast.FunctionDef | ast.ClassDef | ast.Try

    def sure(node):
        yield node
        for inner in ast.iter_child_nodes(node):
            if not isinstance(inner, perhaps):
                yield from sure(inner)

    calls = [n for n in sure(ast.parse(source)) if isinstance(n, ast.Call)]
    return any(getattr(call.func, "id", "") == "print" for call in calls)


def beside(cells, at):
    """What the code cells right before and after a text show, as text."""
    before = itertools.takewhile(is_code, reversed(cells[:at]))
    after = itertools.takewhile(is_code, cells[at + 1 :])
    shown = [o for cell in [*before, *after] for o in cell.outputs]
    texts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in shown]
    return "\n".join(texts)


def is_code(cell):
    return cell.cell_type == "code"


def shows(shown, stated):
    """Are these words, or this number, rounded as it is written, in what was shown?"""
    number = stated.replace("−", "-").replace(",", "").replace(" ", "").lower()
    number = str(WORDS.index(number)) if number in WORDS else number
    if not re.fullmatch(r"-?\d+(\.\d+)?", number):
        words = r"\s+".join(map(re.escape, stated.split()))
        return re.search(rf"(?<!\w){words}(?!\w)", shown, re.I)
    digits = len(number.partition(".")[2])
    result = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.sub(THOUSANDS, "", shown))
    return any(f"{float(one):.{digits}f}" == number for one in result)


def untrue(text, nb):
    """What a text states and its run does not show, where there was a run."""
    places = {cell.id: at for at, cell in enumerate(nb.cells)}
    shown = {id: beside(nb.cells, at) for id, at in places.items()}
    return [
        f"{id}: {stated}"
        for id, all_stated in build.stated(text).items()
        for stated in all_stated
        if not shows(shown[id], stated) and "not run: " not in shown[id]
    ]


def points(nb, ending):
    """{exercise: points} that the check cells show, as nbgrader reads them."""
    return {
        cell.id.removesuffix(ending): float(o.data["text/plain"])
        for cell, o in outputs(nb, "execute_result")
        if cell.id.endswith(f"-check{ending}")
    }


def with_puzzles_solved(cells):
    """After each puzzle, its code and what tries it, both again with its answer."""
    for at, cell in enumerate(cells):
        yield cell
        if solve := solver(cells, at):
            for again in cells[at - 1 : at + 1]:
                again = nbformat.from_dict({**again, "id": f"{again.id}{SOLVED}"})
                again.source = solve(again.source)
                yield again


@pytest.mark.kept("notebooks")
@pytest.mark.parametrize("text", TEXTS["lessons"], ids=lambda path: path.stem)
def test_a_lesson_runs_from_top_to_bottom(text, tmp_path):
    nb = build.notebook(text, solved=False)
    nb.cells = [*with_puzzles_solved(nb.cells)]
    nb = run(nb, tmp_path)
    assert not unexpected(nb)
    assert not untrue(text, nb)
    for cell, text in said(nb):
        if "solved:" in text:
            assert f"solved: {cell.id.endswith(SOLVED)}" in text, cell.source
    for cell in nb.cells:
        if cell.source.startswith("if tf:") and not find_spec("tensorflow"):
            continue
        if cell.cell_type == "code" and prints(cell.source):
            assert cell.outputs, f"nothing was printed: {cell.source}"
        if cell.source.startswith("with trying():"):  # it shows a message
            assert any("Error: " in o.get("text", "") for o in cell.outputs), (
                cell.source
            )


@pytest.mark.kept("notebooks")
@pytest.mark.parametrize("text", TEXTS["solutions"], ids=lambda path: path.stem)
def test_a_lab_earns_nothing_as_it_is_handed_out_and_every_point_solved(text, tmp_path):
    """In one kernel, as a learner has it: everything runs a second time, solved."""
    nb = nbformat.read(course.home() / f"labs/{text.stem}.ipynb", as_version=4)
    solved = [
        {**cell, "id": f"{cell.id[:50]}{SOLVED}"}
        for cell in build.notebook(text, solved=True).cells
    ]
    nb.cells += map(nbformat.from_dict, solved)
    nb = run(nb, tmp_path)
    assert not unexpected(nb)
    assert set(points(nb, "").values()) == {0.0}
    full = {
        f"{build._id(h.name)}-check": h.points for h in build.exercises_of(text.stem)
    }
    assert points(nb, SOLVED) == full
    for cell, text in said(nb):
        if cell.id.endswith("-check"):
            assert "not answered yet" in text
