"""A drawn graph in a real JupyterLab and a real browser: slider, keys, colors."""

import pytest
from lab_server import Notebook, new_notebook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
]
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


@pytest.fixture(params=[PLAIN])
def page(request, chrome, jupyter):
    """A page on a notebook that was run; nothing in it may fail."""
    new_notebook(jupyter, "graph.ipynb", CELL + request.param)
    page = chrome.new_page()
    notebook = Notebook(jupyter, page, "graph.ipynb")
    notebook.run_all()
    page.wait_for_selector(".mg-graph")
    yield page
    assert not notebook.complaints
    page.close()


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


@pytest.mark.parametrize("page", [FOLDED], indirect=True)
def test_the_slider_goes_through_folded_modules(page):
    assert page.locator(".mg-graph .mg-node").count() == 5
    page.locator(".mg-graph input").fill("1")
    assert shown(page).startswith("step 2 of 5: 2: Linear, 5 nodes: its gradient")
    assert names(page, "mg-now") == ["2: Linear"]
    page.locator(".mg-graph input").fill("3")
    assert names(page, "mg-now") == ["0: Linear"]
    assert sorted(names(page, "mg-done")) == ["1: Tanh", "2: Linear", "Sum"]
    assert page.locator(".mg-graph .mg-edge.mg-now").count() == 1
