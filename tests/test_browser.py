"""A learner's first quarter of an hour, in a real JupyterLab and a real browser."""

import pytest
from altered import HOLES
from lab_server import TOKEN, Notebook, Server

from grading.classroom import book
from minigrad.cli.start import JUPYTERLAB

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one JupyterLab, one Chromium
]
LAB = "work/03_strides.ipynb"
ANSWER = """\
@solves(contiguous_strides)
def contiguous_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
"""
COPYING = """\
@solves(Tensor.permute)
def permute(self, *dims):
    import minigrad

    return minigrad.from_numpy(self.numpy().transpose(dims).copy())
"""


@pytest.fixture
def page(chrome):
    page = chrome.new_page()
    yield page
    page.close()


def test_the_start_page_leads_to_lesson_and_lab(page, jupyter):
    Notebook(jupyter, page, "START.ipynb")
    links = page.locator(".jp-NotebookPanel a")
    targets = [links.nth(i).get_attribute("href") for i in range(links.count())]
    assert any("lessons/03_strides.ipynb" in target for target in targets if target)
    assert any("work/03_strides.ipynb" in target for target in targets if target)


def test_a_lab_is_run_solved_and_checked(page, jupyter):
    lab = Notebook(jupyter, page, LAB)
    lab.run_all()
    check = lab.cell("check(contiguous_strides)")
    assert "not answered yet" in check.locator(".jp-OutputArea").inner_text()
    answer = lab.cell("@solves(contiguous_strides)")
    lab.write(answer, ANSWER)
    lab.run(answer)
    said = lab.run(lab.cell("check(contiguous_strides)"))
    assert "1 of 1 point" in said and "all right" in said
    page.keyboard.press("Control+s")
    start = Notebook(jupyter, page, "START.ipynb")
    start.run_all()
    shown = start.cell("progress()").locator(".jp-OutputArea").inner_text()
    assert f"1 of {len(HOLES)}" in shown


def test_a_mistake_is_named_with_a_picture_of_it(page, jupyter):
    lab = Notebook(jupyter, page, LAB)
    lab.run_all()
    answer = lab.cell("@solves(Tensor.permute)")
    lab.write(answer, COPYING)
    lab.run(answer)
    said = lab.run(lab.cell("check(Tensor.permute)"))
    assert "0 of 2 points" in said and "copied" in said


def test_nbgraders_validate_button_works(page, jupyter):
    Notebook(jupyter, page, LAB)
    page.locator('jp-button[title="Validate Assignment"]').click()
    page.wait_for_selector(".jp-Dialog")
    page.wait_for_function(
        "() => /did not pass|failed|passes|Success/i.test("
        "document.querySelector('.jp-Dialog')?.textContent || '')"
    )


def test_formgrader_opens_on_a_course(tmp_path, page):
    book.release(tmp_path / "class", ["03_strides"])
    lab = [*JUPYTERLAB, "--no-browser", "--allow-root"]
    server = Server(tmp_path / "class", tmp_path / "jupyter")
    server.command = [*lab, f"--port={server.port}"]
    with server:
        page.goto(f"{server.url}/lab?token={TOKEN}")
        page.goto(f"{server.url}/formgrader/manage_assignments")
        page.wait_for_selector("tbody >> text=03_strides")
