"""Pictures: right about every cell, there for every tensor, and the same everywhere."""

import itertools
import subprocess
import sys
import tracemalloc
import xml.etree.ElementTree as ElementTree
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from pictures import matplotlib, shown, texts

from minigrad import Tensor
from minigrad.exercises.registry import exercises
from minigrad.storage import Storage
from minigrad.viz import storage_order, strides, strides_explorer
from minigrad.viz.draw.storage_view import view_of

pytestmark = pytest.mark.slow


def torch():
    why = "not run: pictures of PyTorch's tensors (torch is not installed)"
    return pytest.importorskip("torch", reason=why)


def tensor(shape, steps, offset=0, cells=None, first=0):
    """A minigrad tensor made without any exercise; cell n holds first + n."""
    ends = [(n - 1) * s for n, s in zip(shape, steps, strict=True)]
    reach = offset + sum(ends) + 1 if np.prod(shape) else 0
    data = np.arange(first, first + (cells or reach))
    return Tensor(Storage(data), shape, steps, offset)


def cells_of(x):
    """The cell of each element, counted out."""
    return [
        x.offset + sum(i * s for i, s in zip(index, x.strides, strict=True))
        for index in itertools.product(*map(range, x.shape))
    ]


@st.composite
def views(draw, dims=4, most=5):
    """A random tensor: any strides, gaps, overlaps, sizes 0 and 1, a longer storage."""
    shape = tuple(draw(st.lists(st.integers(0, most), max_size=dims)))
    steps = tuple(draw(st.integers(0, 30)) for _ in shape)
    offset, spare = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    reach = sum((n - 1) * s for n, s in zip(shape, steps, strict=True) if n)
    return tensor(shape, steps, offset, cells=offset + reach + 1 + spare, first=100)


@settings(max_examples=40, deadline=None)
@given(views(dims=2))
def test_every_element_shows_its_value_and_the_cell_that_it_reads(x):
    picture, cells = strides(x), cells_of(x)
    assert texts(picture, size=7, over=False) == Counter(map(str, cells))
    values = texts(picture, size=10, over=False)
    assert values == Counter(str(100 + cell) for cell in cells)


@settings(max_examples=40, deadline=None)
@given(views())
def test_any_view_can_be_drawn(x):
    assert strides(x).svg().rstrip().endswith("</svg>")


@given(views(dims=3))
def test_it_is_counted_how_often_each_cell_is_read(x):
    expected = Counter(cells_of(x))
    for cell in range(-1, len(x.storage) + 1):
        assert view_of(x).times_read(cell) == expected[cell]


def test_the_marked_element_and_its_cell_look_alike():
    patches = strides(tensor((3, 4), (4, 1)), (1, 2)).figure.axes[0].patches
    orange = matplotlib.colors.to_rgba("#F6C667")
    places = [p.get_xy() for p in patches if p.get_facecolor() == orange]
    assert len(places) == 3  # the cell, the element, and the legend


def test_no_line_crosses_the_number_above_the_marked_element():
    axes = strides(np.arange(12).reshape(3, 4), index=(2, 1)).figure.axes[0]
    (line,) = axes.get_lines()
    top, end = line.get_xydata()[1:]
    assert top[0] == end[0] and top[1] < end[1]  # down along the sides of boxes
    assert all(abs(text.get_position()[0] - end[0]) > 0.1 for text in axes.texts
               if top[1] < text.get_position()[1] < end[1])  # fmt: skip


def test_the_steps_of_a_walk_are_written_where_no_bow_passes():
    x = np.arange(12).reshape(3, 4).T
    axes = storage_order({"x.T": x}).figure.axes[0]
    bows = np.concatenate([line.get_xydata() for line in axes.get_lines()])
    steps = [t for t in axes.texts if t.get_text() in ("+4", "\u22127")]
    assert len(steps) == 11
    for text in steps:
        away = np.abs(bows - text.get_position())
        assert not ((away[:, 0] < 0.08) & (away[:, 1] < 0.05)).any()


def test_one_line_for_each_element_that_reads_the_shared_cell():
    lines = strides(tensor((3, 4), (1, 0))).figure.axes[0].lines
    assert len(lines) == 4
    assert len({line.get_xydata()[0].tobytes() for line in lines}) == 1


def grid():
    return np.arange(24.0).reshape(4, 6)


ODD = {
    "no dimension": lambda: np.array(3),
    "no element": lambda: np.zeros((3, 0, 2)),
    "bool": lambda: grid() > 3,
    "complex": lambda: grid() * 1j,
    "not finite": lambda: np.array([np.nan, np.inf, -np.inf, 1e308, -1e-308]),
    "long ints": lambda: np.array([-(2**63), 2**63 - 1]),
    "backwards": lambda: grid()[::-1, ::-2],
    "windows": lambda: np.lib.stride_tricks.sliding_window_view(grid(), (2, 2)),
    "broadcast": lambda: np.broadcast_to(grid(), (5, 4, 6)),
    "foreign memory": lambda: np.frombuffer(bytes(range(8)), np.uint8)[1:],
    "column-major": lambda: np.asfortranarray(grid())[1:],
    "twenty dimensions": lambda: np.zeros((1,) * 20),
    "half": lambda: torch().arange(5).half(),
    "bfloat16": lambda: torch().arange(5).bfloat16(),
    "no data": lambda: torch().empty(3, 4, device="meta"),
    "with gradient": lambda: torch().zeros(3, requires_grad=True),
    "a tensor's array": lambda: torch().arange(12).reshape(3, 4).T.numpy(),
    "wide": lambda: torch().arange(10_000).reshape(10, 1000)[3:, 500::3],
    "seven dimensions": lambda: torch().arange(128).reshape((2,) * 7).transpose(0, 6),
    "nine dimensions": lambda: torch().zeros((2,) * 9),
    "overlaps": lambda: torch().arange(3000).as_strided((900,) * 3, (1, 1, 1)),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tensors_are_drawn(name):
    picture = strides(ODD[name]())
    assert picture.alt in picture._repr_html_()
    assert repr(picture).startswith("A storage of")


def test_a_sparse_tensor_is_refused():
    with pytest.raises(TypeError, match="no strides to draw"):
        strides(torch().eye(3).to_sparse())


def test_numpy_and_torch_are_read_right():
    a = np.arange(24).reshape(4, 6)
    for x in (
        a[1:, ::-2],
        torch().from_numpy(a)[1:, ::2],
        np.broadcast_to(a[1], (2, 6)),
    ):
        r = view_of(x)
        cells = [r.cell(i) for i in itertools.product(*map(range, r.shape))]
        assert r.take(cells) == np.asarray(x).reshape(-1).tolist()
        assert r.cells == 24


def test_a_billion_elements_need_no_memory():
    x = tensor((1000, 1000, 1000), (0, 0, 0), cells=1)
    strides(x).svg()  # once before: fonts are loaded
    tracemalloc.start()
    picture = strides(x)
    picture.svg()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert "of 1000000000 elements are drawn" in picture.alt


def test_what_is_cut_is_said():
    picture = strides(tensor((40, 50), (50, 1)), index=(30, 20))
    assert "of 2000 elements are drawn" in picture.alt
    assert "of 2000 storage cells are drawn" in picture.alt
    assert texts(picture, size=7, over=False)["1520"] == 1  # the marked one is there


def test_reads_outside_the_storage_are_shown():
    picture = strides(tensor((3, 4), (5, 1), cells=12))
    assert "elements read cells 0 to 13; the storage has 12" in picture.alt
    assert texts(picture, over=False)["?"] == 2


@pytest.mark.parametrize(
    "index, cells",
    [
        (1, "4, 5, 6, 7"),
        ((slice(None), -1), "3, 7, 11"),
        ((2, 0), "8"),
        ((), "0, 1, 2, 3"),
    ],
)
def test_an_index_marks_what_it_marks_in_a_tensor(index, cells):
    assert f" {cells}" in strides(tensor((3, 4), (4, 1)), index).alt


@pytest.mark.parametrize(
    "index, error, message",
    [
        (3, IndexError, "dimension 0 has size 3"),
        ((0, 0, 0), IndexError, "3 items; the tensor has 2"),
        ("0", TypeError, "ints and slices, not str"),
    ],
)
def test_a_wrong_index_is_explained(index, error, message):
    with pytest.raises(error, match=message):
        strides(tensor((3, 4), (4, 1)), index)


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="expected a tensor of minigrad or PyTorch"):
        strides([1, 2, 3])
    with pytest.raises(TypeError, match="array of numbers"):
        strides(np.array(["a"]))
    with pytest.raises(ValueError, match="as many of both"):
        strides(Tensor(Storage(np.arange(3)), (3,), ()))
    with pytest.raises(ValueError, match="should be a tuple of ints"):
        strides(Tensor(Storage(np.arange(3)), (3,), (1.5,)))


def test_base_must_have_the_same_storage():
    x = tensor((3, 4), (4, 1))
    with pytest.raises(ValueError, match="different storages"):
        strides(x, base=tensor((3, 4), (4, 1)))
    picture = strides(Tensor(x.storage, (2,), (4,), 1), base=x)
    assert texts(picture)["base"] == 1
    picture = strides(Tensor(x.storage, (2,), (4,), 1), 1, x, "x[:2, 1]", "whole")
    assert texts(picture)["x[:2, 1]"] == texts(picture)["whole"] == 1
    assert "x[:2, 1][1] reads cell  1 + 1\u00b74 = 5" in texts(picture)
    assert "Marked: x[:2, 1][1] reads cell 5." in picture.alt


@given(views(dims=3, most=3))
def test_a_walk_has_one_step_where_torch_can_view_it_flat(x):
    if max(len(x.storage), x.numel()) > 24 or x.numel() < 2:
        return
    storage = torch().arange(len(x.storage))
    same = torch().as_strided(storage, x.shape, x.strides, x.offset)
    try:
        said = f"x: every step is {same.view(-1).stride(0)}."
    except RuntimeError:
        said = "x: steps "
    assert storage_order({"x": x}).alt.startswith(said)


def test_a_walk_of_what_is_large_is_refused():
    with pytest.raises(ValueError, match="y has 25 cells and 25 elements"):
        storage_order({"y": tensor((25,), (1,))})


def test_a_notebook_stores_the_picture_once_with_its_words():
    picture = strides(tensor((3, 4), (4, 1)))
    root = ElementTree.fromstring(picture.svg())
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title.text == root.attrib["aria-label"] == picture.alt == repr(picture)
    assert root.attrib["role"] == "img"
    data, _ = DisplayFormatter().format(picture)
    assert data.keys() == {"text/plain", "text/html"}
    assert data["text/html"].startswith(f'<img alt="{picture.alt}"')
    assert picture.png().startswith(b"\x89PNG")
    assert "x[0, :] reads cells 0, 1, 2, 3" in picture.alt


def test_the_same_tensor_gives_the_same_svg():
    assert (
        strides(tensor((2, 3), (3, 1))).svg() == strides(tensor((2, 3), (3, 1))).svg()
    )


def test_the_users_matplotlib_is_neither_changed_nor_followed():
    plain = strides(tensor((2, 3), (3, 1))).svg()
    with matplotlib.rc_context():
        mine = {"font.family": "serif", "savefig.bbox": "tight", "text.color": "white"}
        matplotlib.rcParams.update(mine)
        before = dict(matplotlib.rcParams)
        assert strides(tensor((2, 3), (3, 1))).svg() == plain
        assert dict(matplotlib.rcParams) == before


def test_a_picture_is_saved_as_svg_or_png(tmp_path):
    picture = strides(tensor((2, 3), (3, 1)))
    picture.save(tmp_path / "x.svg")
    picture.save(tmp_path / "x.png")
    assert (tmp_path / "x.svg").read_text().startswith("<?xml")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        picture.save(tmp_path / "x.pdf")


def luminance(color):
    parts = np.array(matplotlib.colors.to_rgb(color))
    parts = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return parts @ [0.2126, 0.7152, 0.0722]


def test_writing_stands_out_in_gray_too():
    from minigrad.viz.draw.canvas import BOXES, INK, SOFT

    backs = [(INK, look["fc"]) for look in BOXES.values() if look["fc"] != "none"]
    for ink, back in [*backs, (SOFT, "white")]:
        contrast = (luminance(back) + 0.05) / (luminance(ink) + 0.05)
        assert contrast >= 7  # WCAG's best level


def test_pictures_need_no_answers():
    """In a fresh Python no exercise is filled, and everything can still be drawn."""
    code = """if True:
        import numpy as np
        from minigrad import NotAnswered, Tensor, arange
        from minigrad.storage import Storage
        from minigrad.viz import storage_order, strides, strides_explorer
        try:
            arange(3)
        except NotAnswered:
            x = Tensor(Storage(np.arange(12)), (4, 3), (1, 4))
            whole = Tensor(x.storage, (3, 4), (4, 1))
            strides(x, (1, 2), base=whole).svg()
            strides_explorer(x).picture().svg()
            strides_explorer(2, 3)
            storage_order({"x": x}).svg()
            print("drawn")
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "drawn\n", run.stderr


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "minigrad\[lab\]"'):
        strides(tensor((2, 3), (3, 1)))


# ---------------------------------------------------------------- the explorer


def sliders():
    why = "not run: tests of sliders (ipywidgets is not installed)"
    return pytest.importorskip("ipywidgets", reason=why)


def test_sliders_change_the_reading_and_never_the_tensor():
    sliders()
    x = tensor((3, 4), (4, 1))
    explorer = strides_explorer(x)
    explorer.panel.index[0].value = 2
    explorer.panel.steps[0].value = 1
    explorer.panel.offset.value = 3
    assert "x[2, 0] reads cell 5." in repr(explorer)
    assert (x.shape, x.strides, x.offset) == ((3, 4), (4, 1), 0)


def test_sliders_may_read_outside_and_come_back():
    sliders()
    explorer = strides_explorer(3, 4)
    start = repr(explorer)
    explorer.panel.steps[0].value = 7
    explorer.panel.index[0].value = 2
    assert "the storage has 12" in repr(explorer)
    explorer.panel.restart()
    assert repr(explorer) == start


def test_a_smaller_size_takes_the_index_along():
    sliders()
    explorer = strides_explorer(3, 4)
    explorer.panel.index[1].value = 3
    explorer.panel.shape[1].value = 2
    assert explorer.panel.index[1].value == 1
    explorer.panel.shape[1].value = 0
    assert "No elements" in repr(explorer)


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_no_slider_can_break_the_explorer(data):
    sliders()
    explorer = strides_explorer(2, 3)
    for slider in explorer.panel.all():
        slider.value = data.draw(st.integers(slider.min, slider.max))
    assert repr(explorer).startswith("A storage of 6 cells")


def test_sliders_come_first_and_the_picture_follows_them(monkeypatch):
    sliders()
    explorer = strides_explorer(3, 4)
    sent = shown(monkeypatch, explorer)
    widget = sent[0]["application/vnd.jupyter.widget-view+json"]
    assert widget["model_id"] == explorer.panel.box.model_id
    assert "x[0, 0] reads cell 0." in sent[1].alt
    explorer.panel.index[1].value = 2
    assert "x[0, 2] reads cell 2." in sent[2].alt
    assert len(sent) == 3


def test_without_ipywidgets_there_is_the_picture_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    (picture,) = shown(monkeypatch, strides_explorer(3, 4))
    assert picture._repr_html_().startswith("<img")


@pytest.mark.parametrize(
    "given, error, message",
    [
        ((1, 1, 1, 1, 1), ValueError, "up to 4 dimensions, not for 5"),
        ((3, -1), TypeError, "sizes that are ints >= 0"),
        ((1000, 1000), ValueError, "too large for sliders"),
        (("x",), TypeError, "expected a tensor"),
    ],
)
def test_what_the_explorer_cannot_take_is_explained(given, error, message):
    with pytest.raises(error, match=message):
        strides_explorer(*given)


def test_there_are_exercises_that_pictures_could_have_used():
    """Else `test_pictures_need_no_answers` would say nothing."""
    assert {"offset_of", "index_of", "permute"} <= {entry.name for entry in exercises()}
