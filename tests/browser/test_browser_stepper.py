"""The stepper in a real JupyterLab and a real browser: slider, keys, still picture."""

import shutil

import pytest
from lab_server import Notebook, new_notebook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
]
pytest.importorskip(
    "anywidget", reason="not run: the stepper in a browser (anywidget is not installed)"
)
CELL = '''\
import numpy as np

from minigrad import Kernel, viz

turn = Kernel(r"""
__global__ void turn(const int* x, int* y) {
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    if (i < 40) y[i] = s[63 - i];
}
""", "turn")
x = np.arange(100, 164, dtype=np.int32)
viz.step(turn, 1, 64, (x, np.zeros(64, np.int32)))
'''


@pytest.fixture(scope="module")
def notebook(chrome, jupyter):
    new_notebook(jupyter, "step.ipynb", CELL)
    page = chrome.new_page()
    yield Notebook(jupyter, page, "step.ipynb")
    page.close()


@pytest.fixture
def page(notebook):
    """The page on the notebook, with a new slider."""
    notebook.run_all()
    notebook.page.wait_for_selector(".mg-step")
    yield notebook.page
    assert not notebook.complaints


def shown(page):
    return page.locator(".mg-step output").inner_text()


def lit(page):
    return page.locator(".mg-threads .mg-active").count()


def row(page, variable):
    """The cells of a variable's row."""
    rows = page.locator(".mg-values tr", has=page.get_by_text(variable, exact=True))
    return rows.locator("td").all_inner_texts()


def test_the_slider_shows_lines_threads_and_values(page):
    assert shown(page) == "statement 1 of 6, line 4: 64 of 64 threads"
    assert page.locator(".mg-now").inner_text().strip() == "int i = threadIdx.x;"
    page.locator(".mg-step input").fill("4")
    assert shown(page) == "statement 5 of 6, line 7: 40 of 64 threads"
    assert lit(page) == 40
    page.locator(".mg-threads .mg-cell").nth(33).hover()
    assert row(page, "i") == ["33", "0 \u2026 63"]
    cells = page.locator(".mg-shared .mg-cell")
    assert cells.all_inner_texts() == [str(n) for n in range(100, 164)]
    assert page.locator(".mg-after .mg-changed").count() == 40


def test_keys_move_through_statements_and_threads(page):
    page.locator(".mg-step").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert shown(page).startswith("statement 3 of 6")
    assert page.locator(".mg-shared .mg-changed").count() == 64
    page.keyboard.press("ArrowDown")
    assert row(page, "i")[0] == "1"
    page.keyboard.press("End")
    assert shown(page).startswith("statement 6 of 6")
    page.keyboard.press("Home")
    assert shown(page).startswith("statement 1 of 6")
    page.locator(".mg-step input").focus()
    page.keyboard.press("ArrowRight")
    assert shown(page).startswith("statement 2 of 6")


def test_a_variable_is_seen_in_every_thread(page):
    page.locator(".mg-step input").fill("4")
    page.get_by_role("button", name="i", exact=True).click()
    texts = page.locator(".mg-threads .mg-cell").all_inner_texts()
    assert texts == [str(n) for n in range(64)]
    assert page.get_by_role("button", name="i", exact=True).get_attribute(
        "aria-pressed"
    )


def test_the_still_picture_stands_in_where_no_slider_lives(page, jupyter):
    picture = 'img[alt*="statements of one block"]'
    still = page.locator(picture)
    assert still.count() == 1 and not still.is_visible()
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    shutil.copy(jupyter.home / "step.ipynb", jupyter.home / "reopened.ipynb")
    other = page.context.new_page()
    Notebook(jupyter, other, "reopened.ipynb")  # its kernel knows of no slider
    other.locator(picture).wait_for(state="visible")
    assert other.locator(".mg-step").count() == 0
    other.close()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_words_stand_out_in_every_theme(page, theme):
    page.click('.lm-MenuBar-itemLabel:text-is("Settings")')
    page.hover('.lm-Menu-itemLabel:text-is("Theme")')
    page.click(f'.lm-Menu-itemLabel:text-is("{theme}")')
    page.wait_for_timeout(1500)
    for selector in (".mg-active", ".mg-now", ".mg-help"):
        assert page.evaluate(CONTRAST, selector) >= 4.5, selector


CONTRAST = """selector => {
    const numbers = text => text.match(/[\\d.]+/g).map(Number);
    const layers = [];
    let node = document.querySelector('.mg-step ' + selector);
    const ink = numbers(getComputedStyle(node).color).slice(0, 3);
    for (; node; node = node.parentElement) {
        const [r, g, b, a = 1] = numbers(getComputedStyle(node).backgroundColor);
        layers.push([[r, g, b], a]);
        if (a === 1) break;
    }
    let back = [255, 255, 255];
    for (const [color, a] of layers.reverse()) {
        back = back.map((c, i) => c * (1 - a) + color[i] * a);
    }
    const light = color => color.map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const [low, high] = [light(ink), light(back)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""
