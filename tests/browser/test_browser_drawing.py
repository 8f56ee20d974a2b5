"""The canvas for digits in a real JupyterLab: strokes by mouse, the answer, Clear."""

import json

import pytest
from lab_server import Notebook, new_notebook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
]
pytest.importorskip(
    "anywidget", reason="not run: the canvas in a browser (anywidget is not installed)"
)
CELL = """\
import json
import numpy as np
from minigrad import viz

broken = False

def read(ink):
    if broken:
        raise ValueError("this network is broken")
    high, wide = (np.flatnonzero(ink.any(axis)).size for axis in (1, 0))
    shares = np.full(10, 0.02)
    shares[1 if high > 2 * wide else 7] = 0.82
    return shares

pad = viz.drawing(read)
pad
"""
ASK = "print(json.dumps([pad.ink.shape, str(pad.ink.dtype), pad.ink.tolist()]))"
BREAK = "broken = True"


@pytest.fixture(scope="module")
def page(chrome, jupyter):
    """A page on a notebook that has been run, the canvas in view."""
    new_notebook(jupyter, "drawing.ipynb", CELL, ASK, BREAK)
    page = chrome.new_page()
    page.notebook = Notebook(jupyter, page, "drawing.ipynb")
    page.notebook.run(page.notebook.cell("viz.drawing"))
    page.wait_for_selector(".mg-drawing canvas")
    yield page
    assert not page.notebook.complaints
    page.close()


def stroke(page, *points):
    """Draw from point to point; (0, 0) and (1, 1) are corners of the canvas."""
    canvas = page.locator(".mg-drawing > div > canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"])
              for x, y in points]  # fmt: skip
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()


def wait_for(page, words):
    page.wait_for_function(
        "words => document.querySelector('.mg-drawing output').textContent === words",
        arg=words,
    )


def clear(page):
    page.locator(".mg-drawing button").click()
    wait_for(page, "Draw a digit.")


def ink(page):
    """pad.ink in the kernel: a list of rows."""
    cell = page.notebook.cell("pad.ink.shape")
    shape, dtype, rows = json.loads(page.notebook.run(cell))
    assert shape == [28, 28] and dtype == "float32"
    return rows


def dark(page, selector):
    """How many pixels of a canvas are drawn on, of all it has."""
    return page.evaluate(
        """selector => {
            const canvas = document.querySelector(selector);
            const {data} = canvas.getContext('2d')
                .getImageData(0, 0, canvas.width, canvas.height);
            let dark = 0;
            for (let i = 0; i < data.length; i += 4) dark += data[i] < 128;
            return dark;
        }""",
        selector,
    )


CANVAS, SEEN = ".mg-drawing > div > canvas", ".mg-read canvas"


def test_a_stroke_arrives_in_python_and_the_answer_appears(page):
    wait_for(page, "Draw a digit.")
    assert dark(page, CANVAS) == 0
    stroke(page, (0.3, 0.1), (0.3, 0.9))
    wait_for(page, "It is read as a 1, probability 0.82.")
    best = page.locator(".mg-bars .mg-best")
    assert best.count() == 1 and best.inner_text().split() == ["1", "0.82"]
    rows = ink(page)
    high = sum(any(p > 0.5 for p in row) for row in rows)
    wide = sum(any(p > 0.5 for p in column) for column in zip(*rows, strict=True))
    assert high == 20 and 1 <= wide <= 4  # the box that MNIST's digits have
    middle = sum(x * p for row in rows for x, p in enumerate(row))
    assert abs(middle / sum(map(sum, rows)) - 13.5) <= 1  # it was drawn on the left
    assert dark(page, SEEN) == sum(p > 0.5 for row in rows for p in row)


def test_clear_empties_the_canvas_and_what_python_has(page):
    stroke(page, (0.3, 0.1), (0.3, 0.9))
    wait_for(page, "It is read as a 1, probability 0.82.")
    clear(page)
    assert dark(page, CANVAS) == dark(page, SEEN) == 0
    assert page.locator(".mg-bars .mg-best").count() == 0
    assert not any(map(any, ink(page)))


def test_strokes_are_added_and_the_answer_changes(page):
    clear(page)
    stroke(page, (0.5, 0.1), (0.5, 0.9))
    wait_for(page, "It is read as a 1, probability 0.82.")
    stroke(page, (0.1, 0.1), (0.9, 0.1))
    wait_for(page, "It is read as a 7, probability 0.82.")
    clear(page)


def test_a_stroke_that_leaves_the_canvas_ends_where_the_button_is_let_go(page):
    clear(page)
    stroke(page, (0.5, 0.2), (0.5, 0.6), (1.2, 0.6))
    wait_for(page, "It is read as a 7, probability 0.82.")
    before = dark(page, CANVAS)
    box = page.locator(CANVAS).bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20, steps=5)
    assert before and dark(page, CANVAS) == before


def test_an_error_of_the_network_is_reported_beside_the_canvas(page):
    clear(page)
    page.notebook.run(page.notebook.cell("broken = True"))
    stroke(page, (0.5, 0.1), (0.5, 0.9))
    wait_for(page, "ValueError: this network is broken")
    assert page.locator(".mg-bars .mg-best").count() == 0
