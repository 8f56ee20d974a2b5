"""Takes the learner's pictures in docs/img: `python docs/screenshots.py [folder]`.

A copy of the course, a real JupyterLab, headless Chromium; nothing of yours is touched.
"""

import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HOME), str(HOME / "tests/support")]

from lab_server import Notebook, Server, browser, copy_course  # noqa: E402

from grading.notebooks.build import notebook  # noqa: E402
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
    lab.run(lab.cell("show(strides(y.permute(1, 0)"))
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
    lesson = Notebook(server, page, f"work/lessons/{LAB}.ipynb")
    lesson.run_all()
    pictures = page.locator(".jp-OutputArea svg, .jp-OutputArea img")
    pictures.nth(1).scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    page.screenshot(path=folder / "lesson.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HOME / "docs" / "img")
