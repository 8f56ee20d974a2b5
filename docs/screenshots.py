"""Takes the pictures in docs/img: `python docs/screenshots.py [folder]`.

A copy of the course, a real JupyterLab, headless Chromium; nothing of yours is touched.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import nbformat

HOME = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HOME), str(HOME / "tests")]

from lab_server import TOKEN, Notebook, Server, browser, copy_course  # noqa: E402

from grading.build import notebook  # noqa: E402
from grading.classroom import book  # noqa: E402
from minigrad import course  # noqa: E402

LAB = "03_strides"
WRONG = """\
@solves(Tensor.permute)
def permute(self, *dims):
    import minigrad

    return minigrad.from_numpy(self.numpy().transpose(dims).copy())"""


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        home = copy_course(scratch)
        with Server(home, scratch / "learner") as server, browser() as page:
            a_lab(server, page, folder)
        with Server(home, scratch / "learner") as server, browser() as page:
            the_start_page(server, page, folder)  # it has seen the lab
            a_lesson(server, page, folder)
        a_class(scratch / "class")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        teacher = Server(scratch / "class", scratch / "teacher")
        teacher.command = [*command, f"--port={teacher.port}"]
        with teacher, browser() as page:
            formgrader(teacher, page, folder)


def a_lab(server, page, folder):
    """A check that fails, with its message and picture."""
    lab = Notebook(server, page, f"work/{LAB}.ipynb")
    solved = notebook(course.solution(LAB), solved=True)
    answers = {cell.id: cell.source for cell in solved.cells}
    lab.run_all()
    for name in ("contiguous_strides", "offset_of"):
        cell = lab.cell(f"@solves({name})")
        lab.write(cell, answers[name])
        lab.run(cell)
        lab.run(lab.cell(f"check({name})"))
    cell = lab.cell("@solves(Tensor.permute)")
    lab.write(cell, WRONG)
    lab.run(cell)
    lab.run(lab.cell("show(strides(y.permute(1, 0)))"))
    check = lab.cell("check(Tensor.permute)")
    lab.run(check)
    lab.cell("check(Tensor.permute)")
    page.wait_for_timeout(500)
    page.screenshot(path=folder / "check.png")


def the_start_page(server, page, folder):
    start = Notebook(server, page, "START.ipynb")
    start.run_all()
    page.screenshot(path=folder / "start.png")


def a_lesson(server, page, folder):
    lesson = Notebook(server, page, f"lessons/{LAB}.ipynb")
    lesson.run_all()
    pictures = page.locator(".jp-OutputArea svg, .jp-OutputArea img")
    pictures.nth(1).scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    page.screenshot(path=folder / "lesson.png")


def a_class(directory):
    """A course of three: one right, one empty, one half done."""
    book.release(directory, [LAB])
    right = directory / "source" / LAB / f"{LAB}.ipynb"
    empty = directory / "release" / LAB / f"{LAB}.ipynb"
    half = nbformat.read(right, as_version=4)
    blank = {c.id: c.source for c in nbformat.read(empty, as_version=4).cells}
    for cell in half.cells[len(half.cells) // 2 :]:
        cell.source = blank[cell.id]
    for student, nb in (("ada", right), ("blaise", empty), ("charles", half)):
        target = directory / "submitted" / student / LAB / f"{LAB}.ipynb"
        target.parent.mkdir(parents=True)
        if isinstance(nb, Path):
            shutil.copy(nb, target)
        else:
            nbformat.write(nb, target)
    list(book.grade(directory))


def formgrader(server, page, folder):
    page.set_viewport_size({"width": 1400, "height": 440})
    page.goto(f"{server.url}/lab?token={TOKEN}")  # this page takes the token, for all
    page.goto(f"{server.url}/formgrader/manage_submissions/{LAB}")
    page.wait_for_selector("tbody tr td:nth-child(2)")
    page.wait_for_timeout(1000)
    page.screenshot(path=folder / "formgrader.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HOME / "docs" / "img")
