"""Charts, images, tables, products and trees: what they draw, and what they say."""

import operator

import numpy as np
import pytest
import torch
from pictures import texts

from minigrad import viz

pytestmark = pytest.mark.slow
DRAW = np.random.default_rng(0)


def drawn(picture, axis=0):
    return picture.figure.axes[axis].get_lines()


def test_lines_differ_without_color_and_say_their_ends():
    picture = viz.lines({"a": [4.0, 1.0, 2.0], "b": [1.0, float("nan")]}, y="loss")
    assert len({line.get_linestyle() for line in drawn(picture)}) == 2
    assert "loss over step: a: from 4 to 2, lowest 1, highest 4." in picture.alt
    assert "1 of 2 not finite" in picture.alt


def test_lines_in_panels():
    picture = viz.lines({"loss": {"a": [1, 2]}, "norm": {"a": ([5, 6], [1, 9])}})
    assert [ax.get_ylabel() for ax in picture.figure.axes] == ["loss", "norm"]
    assert drawn(picture, 1)[0].get_xdata().tolist() == [5, 6]


def test_points_have_no_line():
    picture = viz.lines({"x": [1, 2], "m": [1, 2]}, dots="x")
    assert [line.get_linestyle() for line in drawn(picture)] == ["None", "--"]


def test_histograms_share_the_axis_of_their_row():
    wide = torch.from_numpy(DRAW.normal(0, 1, 100))
    picture = viz.histograms({"row": {"layer 1": wide, "layer 5": wide / 10}})
    left, right = picture.figure.axes
    assert left.get_xlim() == right.get_xlim()
    spread = f"{wide.std(correction=0).item() / 10:.2g}"
    assert f"layer 5: standard deviation {spread}." in picture.alt


def test_ranking_writes_every_value():
    picture = viz.ranking({"passes": {"naive": 0, "tiled": 2.125}})
    assert picture.alt == "passes: naive 0, tiled 2.12."


def test_panels_of_a_ranking_have_the_same_rows():
    picture = viz.ranking({"a": {"x": 1, "y": 2000}, "b": {"z": 3, "y": 4}})
    assert picture.alt == "a: x 1, y 2,000. b: z 3, y 4."
    for ax, values in zip(picture.figure.axes, ("1 2,000 –", "– 4 3"), strict=True):
        assert [t.get_text() for t in ax.texts] == values.split()


def test_a_short_logarithmic_axis_has_plain_numbers():
    picture = viz.lines({"y": ([1, 2, 4, 32], [4, 8, 16, 32])}, log="xy")
    picture.figure.canvas.draw()
    shown = {t.get_text() for t in picture.figure.axes[0].get_xticklabels()}
    assert {"1", "2", "5", "10"} <= shown


def test_a_surface_says_where_its_ways_end():
    ways = {"SGD": [(1.0, 1.0), (0.5, 0.0)]}
    picture = viz.surface(lambda u, v: u * u + v, ways)
    assert picture.alt.endswith(
        "SGD: from (1, 1), height 2, to (0.5, 0), height 0.25, in 1 steps."
    )
    (ax,) = picture.figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("u", "v")


def test_the_names_of_lines_cover_none_of_them():
    picture = viz.lines({"top": [9.0] * 9, "middle": [5.0] * 9, "bottom": [1.0] * 9})
    picture.figure.canvas.draw()
    (ax,) = picture.figure.axes
    names = ax.get_legend().get_window_extent()
    assert names.y0 >= ax.get_window_extent().y1 - 1


@pytest.mark.parametrize("signed", [False, True])
def test_images_have_one_scale(signed):
    images = torch.from_numpy(DRAW.normal(0, 1, (3, 1, 4, 5)))
    picture = viz.images(images, "abc", signed=signed)
    scales = {ax.images[0].get_clim() for ax in picture.figure.axes}
    (scale,) = scales
    most = images.abs().max().item()
    low, high = (-most, most) if signed else (images.min(), images.max())
    assert np.allclose(scale, (float(low), float(high)))


def test_broadcast_draws_what_torch_adds():
    a, b = torch.tensor([[0], [10], [20]]), torch.tensor([1, 2, 3, 4])
    result = (a + b).flatten().tolist()
    said = texts(viz.broadcast(a, b))
    assert all(str(value) in said for value in result)
    assert said["10"] == 4
    with pytest.raises(ValueError):
        viz.broadcast(np.ones(3), np.ones(4))


def test_tables_mark_what_they_are_given():
    marked = np.array([[True, False]])
    picture = viz.tables({"t": torch.tensor([[7, 8]])}, marked, "a mistake")
    assert picture.alt == "t: 7 8."
    assert "a mistake" in texts(picture)
    assert texts(viz.tables({"t": np.array([7, 8, 9])}, numbered=True))["2"] == 1


def test_a_product_reads_its_rows_and_columns():
    a, b = np.arange(12).reshape(4, 3), np.arange(15).reshape(3, 5)
    assert str((a @ b)[1, 2]) in texts(viz.product(a, b, (1, 2)))
    alt = viz.product(a, b, (slice(0, 2), slice(1, 3)), k=1).alt
    assert "4 elements, read column 1 of" in alt
    assert alt.endswith("4 elements at once.")
    alt = viz.product(a, b, (1, 2)).alt
    assert alt.endswith("(1, 2) of c reads row 1 of a and column 2 of b: 6 elements.")
    with pytest.raises(ValueError, match=r"\(4, 3\) and \(5, 3\)"):
        viz.product(a, b.T, (0, 0))


@pytest.mark.parametrize("op", [operator.add, max])
def test_a_tree_ends_with_its_result(op):
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    last = sum(values) if op is operator.add else max(values)
    assert viz.tree(values, op).alt.endswith(f"; then {last}.")
    with pytest.raises(ValueError, match="not 6"):
        viz.tree(values[:6])


def test_two_stages_add_all_values():
    picture = viz.stages(range(1, 21), blocks=2, size=4)
    assert "blocks' sums: 126 84; total: 210" in picture.alt
    assert texts(picture)["210"] == 1
    with pytest.raises(ValueError, match="4 blocks of 8 threads with 20 values"):
        viz.stages(range(20), blocks=4, size=8)


def test_the_pyramid_counts_all_registers():
    assert "132 SMs" in viz.pyramid("H200").alt
    assert "10 MB in all" in viz.pyramid("T4").alt
    with pytest.raises(ValueError, match="H200"):
        viz.pyramid("B17")


def test_drawings_are_dark_in_a_dark_page_and_photos_are_not():
    drawn, photo = viz.ranking({"a": {"x": 1.0}}), viz.images(np.zeros((1, 4, 4)))
    assert "invert(" in drawn._repr_html_() and "invert(" not in photo._repr_html_()
    assert "invert(" in viz.source("__global__ void k() {}")._repr_html_()
