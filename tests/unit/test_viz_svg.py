"""The pictures that never change: readable files whose words stay where they belong."""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from html import escape
from pathlib import Path
from typing import NamedTuple

import pytest

from minigrad import viz
from minigrad.viz import svg

FILES = sorted(Path(svg.__file__).parent.glob("*.svg"))
NAMES = [path.stem for path in FILES]
SVG = "{http://www.w3.org/2000/svg}"


class Extent(NamedTuple):
    """A rectangle on the page, in points."""

    x0: float
    y0: float
    x1: float
    y1: float

    def beside(self, other):
        return self.y1 < other.y0 or self.y0 > other.y1

    def apart(self, other):
        return self.beside(other) or self.x1 <= other.x0 or self.x0 >= other.x1

    def inside(self, other):
        return other.x0 <= self.x0 and self.x1 <= other.x1


def looks(root):
    """{class: {property: value}} of a file's style; "text" is that of all words."""
    rules = re.findall(r"([\w-]+) \{ (.*?) \}", root.findtext(f"{SVG}style"))
    return {
        name: dict(part.split(": ", 1) for part in body.split("; "))
        for name, body in rules
    }


def words(root):
    """The extent of each text in DejaVu Sans, the widest of the fonts it may get."""
    why = "not run: the extents of words (matplotlib is not installed)"
    pytest.importorskip("matplotlib", reason=why)
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    for text in root.iter(f"{SVG}text"):
        look = looks(root)["text"] | looks(root).get(text.get("class"), {})
        font = look.get("font", "")
        size = look.get("font-size") or re.search(r"[\d.]+px", font)[0]
        bold = "bold" in font + look.get("font-weight", "")
        family = "DejaVu Sans Mono" if "Mono" in font else "DejaVu Sans"
        properties = FontProperties(family=family, weight="bold" if bold else "normal")
        shape = TextPath((0, 0), text.text, float(size[:-2]), prop=properties)
        box, (x, y) = shape.get_extents(), (float(text.get(name)) for name in "xy")
        x -= box.width / 2 if look["text-anchor"] == "middle" else 0
        yield Extent(x, y - box.y1, x + box.width, y - box.y0)


def boxes(root):
    for box in root.iter(f"{SVG}rect"):
        if box.get("class"):
            x, y, width, height = (float(box.get(n)) for n in ("x", "y", "width",
                                                               "height"))  # fmt: skip
            yield Extent(x, y, x + width, y + height)


def check(page, words, boxes):
    """Words are on the page; no two overlap, and none crosses the side of a box."""
    assert words and boxes
    for word in words:
        assert word.inside(page) and page.y0 <= word.y0 and word.y1 <= page.y1
        for box in boxes:
            assert word.apart(box) or word.inside(box) or box.inside(word)
    assert all(a.apart(b) for a, b in itertools.combinations(words, 2))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_words_stay_where_they_belong(path):
    root = ElementTree.parse(path).getroot()
    page = Extent(*map(float, root.get("viewBox").split()))
    check(page, [*words(root)], [*boxes(root)])


DRIVERS, WHEELS = [(12, 4), (12, 8), (13, 0)], [(11, 8), (12, 6), (12, 8), (13, 0)]


@pytest.mark.parametrize(
    "draw", [viz.pyramid, lambda: viz.versions(DRIVERS, WHEELS)], ids=["0", "1"]
)
def test_words_of_a_diagram_stay_where_they_belong(draw):
    why = "not run: the extents of words (matplotlib is not installed)"
    agg = pytest.importorskip("matplotlib.backends.backend_agg", reason=why)
    figure = draw().figure
    agg.FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    of = [[Extent(*x.get_window_extent().extents) for x in xs]
          for xs in (axes.texts, axes.patches)]  # fmt: skip
    check(Extent(*figure.bbox.extents), *of)


def test_which_wheel_runs_with_which_driver():
    said = viz.versions(DRIVERS, WHEELS).alt
    assert "CUDA 11.8 with a driver of 12.4: runs;" in said
    assert "CUDA 12.8 with a driver of 12.8: runs;" in said
    assert "CUDA 13.0 with a driver of 12.8: refused" in said
    assert "CUDA 12.6 with a driver of 12.4: runs; not its PTX" in said


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_says_what_it_shows(name):
    picture = getattr(viz, name)()
    assert len(repr(picture)) > 100 and "  " not in repr(picture)
    assert f'alt="{escape(picture.alt)}"' in picture._repr_html_()
    root = ElementTree.fromstring(picture.svg())
    assert root.get("role") == "img"
    styled = {e.get("class") for e in root.iter() if e.get("class")}
    assert {name for names in styled for name in names.split()} <= looks(root).keys()
