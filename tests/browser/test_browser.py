"""A learner's first quarter of an hour, in a real JupyterLab and a real browser."""

import pytest
from altered import EXERCISES
from lab_server import TOKEN, Notebook, Server, commit, git

from grading.classroom import course_dir
from minigrad.cli.start import JUPYTERLAB

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one JupyterLab, one Chromium
]
LAB, LESSON = "work/03_strides.ipynb", "work/lessons/03_strides.ipynb"
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
    assert any(LESSON in target for target in targets if target)
    assert any(LAB in target for target in targets if target)


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
    assert f"1 of {len(EXERCISES)}" in shown


def test_a_mistake_is_named_with_a_picture_of_it(page, jupyter):
    lab = Notebook(jupyter, page, LAB)
    lab.run_all()
    answer = lab.cell("@solves(Tensor.permute)")
    lab.write(answer, COPYING)
    lab.run(answer)
    said = lab.run(lab.cell("check(Tensor.permute)"))
    assert "0 of 2 points" in said and "copied" in said


def test_learners_see_no_validate_button(page, jupyter):
    Notebook(jupyter, page, LAB)
    assert page.locator("jp-button[title='Restart the kernel']").count()
    assert not page.locator('jp-button[title="Validate Assignment"]').count()


@pytest.mark.parametrize("path", ["START.ipynb", LAB, LESSON])
def test_an_untouched_notebook_closes_without_a_question(page, jupyter, path):
    Notebook(jupyter, page, path)
    page.wait_for_timeout(1000)  # what would change it has then arrived
    page.locator(".lm-mod-current .lm-TabBar-tabCloseIcon").last.click()
    page.wait_for_selector(".jp-NotebookPanel", state="detached")
    assert not page.locator(".jp-Dialog").count()


def test_git_pull_works_after_a_lesson_was_read_and_saved(page, jupyter, tmp_path):
    home = jupyter.home
    git(home, "init", "-q", "-b", "main")
    commit(home)
    git(tmp_path, "clone", "-q", str(home), "upstream")
    newer = tmp_path / "upstream/lessons/03_strides.ipynb"
    newer.write_text(newer.read_text().replace("# Lesson", "# The newer lesson"))
    newer.with_name("new.ipynb").write_text("{}")
    commit(tmp_path / "upstream")
    lesson = Notebook(jupyter, page, LESSON)
    lesson.run_all()
    lesson.save()
    assert (home / LESSON).stat().st_size < 3e6
    assert git(home, "status", "--porcelain") == ""
    git(home, "pull", "-q", str(tmp_path / "upstream"), "main")
    assert (home / "lessons/new.ipynb").exists()


def test_formgrader_opens_on_a_course(tmp_path, page):
    course_dir.release(tmp_path / "class", ["03_strides"])
    lab = [*JUPYTERLAB, "--no-browser", "--allow-root"]
    server = Server(tmp_path / "class", tmp_path / "jupyter")
    server.command = [*lab, f"--port={server.port}"]
    with server:
        page.goto(f"{server.url}/lab?token={TOKEN}")
        page.goto(f"{server.url}/formgrader/manage_assignments")
        page.wait_for_selector("tbody >> text=03_strides")
