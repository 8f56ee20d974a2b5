"""A drawn graph in a real JupyterLab and a real browser: slider, keys, colours."""

import contextlib

import nbformat
import pytest
from lab_server import Notebook, Server, browser, chromium, copy_course

pytestmark = [pytest.mark.browser, pytest.mark.slow]
pytest.importorskip(
    "anywidget", reason="not run: the slider in a browser (anywidget is not installed)"
)
CELL = """\
import minigrad
from minigrad import tensor, viz

minigrad.answers_from("solutions")
x = tensor([1.0, 2.0], requires_grad=True)
"""
PLAIN = "s = x.tanh()\nviz.graph((s.exp() * s).sum(), x=x)"
FOLDED = """\
from minigrad import nn

net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
viz.graph(net(x).sum(), depth=1, x=x)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if chromium() is None:
        pytest.skip("not run: browser tests (no Chromium: apt-get install chromium)")
    folder = tmp_path_factory.mktemp("browser")
    home = copy_course(folder)
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for name, text in ("graph", PLAIN), ("folded", FOLDED):
        notebook = nbformat.v4.new_notebook(metadata={"kernelspec": spec})
        notebook.cells = [nbformat.v4.new_code_cell(CELL + text)]
        nbformat.write(notebook, home / f"{name}.ipynb")
    with Server(home, folder / "jupyter") as server:
        yield server


@contextlib.contextmanager
def opened(server, name):
    """A page on a notebook that was run; nothing in it may fail."""
    with browser() as page:
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        Notebook(server, page, name).run_all()
        page.wait_for_selector(".mg-graph")
        yield page
        assert not page.complaints


@pytest.fixture
def page(server):
    with opened(server, "graph.ipynb") as page:
        yield page


def shown(page):
    return page.locator(".mg-graph output").inner_text()


def names(page, kind):
    """The operators in the boxes that are lit, or done."""
    boxes = page.locator(f".mg-graph .mg-node.{kind}")
    return [boxes.nth(i).locator("text").first.inner_html()
            for i in range(boxes.count())]  # fmt: skip


def test_the_slider_goes_through_backward(page):
    assert shown(page).startswith("step 1 of 5: SumBackward0")
    assert names(page, "mg-now") == ["Sum"] and names(page, "mg-done") == []
    page.locator(".mg-graph input").fill("3")
    assert shown(page).startswith("step 4 of 5: TanhBackward0")
    assert names(page, "mg-now") == ["Tanh"]
    assert sorted(names(page, "mg-done")) == ["Exp", "Mul", "Sum"]
    assert page.locator(".mg-graph .mg-edge.mg-now").count() == 1


def test_keys_move_through_the_nodes_and_the_still_picture_is_hidden(page):
    page.locator(".mg-graph").focus()
    page.keyboard.press("ArrowRight")
    assert names(page, "mg-now") == ["Mul"]
    page.keyboard.press("End")
    assert shown(page).endswith("adds what has come to .grad")
    page.keyboard.press("Home")
    assert names(page, "mg-now") == ["Sum"]
    still = page.locator('img[alt*="A graph of 5 nodes"]')
    assert still.count() == 1 and not still.is_visible()


def test_the_slider_goes_through_folded_modules(server):
    with opened(server, "folded.ipynb") as page:
        assert page.locator(".mg-graph .mg-node").count() == 5
        page.locator(".mg-graph input").fill("1")
        assert shown(page).startswith("step 2 of 5: 2: Linear, 5 nodes: its gradient")
        assert names(page, "mg-now") == ["2: Linear"]
        page.locator(".mg-graph input").fill("3")
        assert names(page, "mg-now") == ["0: Linear"]
        assert sorted(names(page, "mg-done")) == ["1: Tanh", "2: Linear", "Sum"]
        assert page.locator(".mg-graph .mg-edge.mg-now").count() == 1
