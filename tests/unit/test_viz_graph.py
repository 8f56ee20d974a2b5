"""Pictures of graphs: every node and edge, folded where many, never an error."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from pictures import shown, texts

import minigrad
from minigrad import tensor, viz
from minigrad.autograd import grad
from minigrad.autograd.engine import topological_order
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import exercises, solves
from minigrad.viz.draw.graph_layout import folded, nodes_in_order, repetition
from minigrad.viz.graph import Graph


@pytest.fixture(autouse=True)
def solved():
    """Every exercise has the course's solution, and is empty again afterwards."""
    before = [(e.exercise, e.exercise.answer, e.exercise._run) for e in exercises()]
    for chapter in {e.chapter for e in exercises()}:
        load_references(chapter)
    for exercise, _, _ in before:
        solves(exercise)(exercise.reference)
    yield
    for exercise, answer, run in before:
        exercise.answer, exercise._run = answer, run


def boxes(picture):
    """{number: its texts} of the nodes that are drawn."""
    tree = ElementTree.fromstring(picture.text)
    return {
        g.get("data-node"): [t.text for t in g if t.tag.endswith("text") and t.text]
        for g in tree.iter()
        if g.get("class") == "mg-node"
    }


def edges(picture):
    tree = ElementTree.fromstring(picture.text)
    return {(e.get("data-from"), e.get("data-to")) for e in tree.iter()
            if e.get("class") == "mg-edge"}  # fmt: skip


def loss_of(x):
    return (x * x + x).sum()


def test_a_box_has_operator_shape_dtype_and_after_backward_the_norm():
    x = tensor([[3.0, 4.0]], requires_grad=True)
    loss = loss_of(x)
    before = sorted(boxes(viz.graph(loss, x=x)).values())
    assert before == [["Add", "[1, 2] float32"], ["Mul", "[1, 2] float32"],
                      ["Sum", "[] float32"], ["x", "[1, 2] float32"]]  # fmt: skip
    loss.backward()
    norm = np.hypot(7, 9)
    assert ["x", "[1, 2] float32", f"|grad| {norm:.3g}"] in boxes(
        viz.graph(loss, x=x)
    ).values()


def test_a_tensor_that_retains_its_gradient_shows_it():
    x = tensor([3.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    loss = (y * 5).sum()
    loss.backward()
    mine = [texts for texts in boxes(viz.graph(loss)).values() if "|grad| 5" in texts]
    assert [texts[0] for texts in mine] == ["Mul"]


def test_the_edges_are_those_of_the_graph():
    x = tensor([3.0], requires_grad=True)
    picture = viz.graph(loss_of(x))
    order = nodes_in_order(loss_of(x).grad_fn)
    pairs = {(str(i), str(order.index(n))) for i, node in enumerate(order)
             for n, _ in node.next_functions if n is not None}  # fmt: skip
    assert edges(picture) == pairs
    assert "2 times" in picture.text


def test_how_often_an_edge_counts_is_written_on_no_box():
    x = tensor([3.0], requires_grad=True)
    h = x.relu()
    m = h * h
    text = viz.graph((m.exp() + m * m + x).sum()).text
    tops = {float(y) for y in re.findall(r'<rect[^>]* y="([\d.]+)"', text)}
    places = re.findall(r' y="([\d.]+)"[^>]*>2 times<', text)
    assert len(places) == 2
    assert not any(top < float(y) < top + 50 for y in places for top in tops)


def test_steps_are_in_an_order_that_backward_can_take():
    x = tensor([3.0], requires_grad=True)
    s = x.tanh()
    picture = viz.graph((s.exp() * s).sum())
    steps = [s["node"] for s in picture.payload()["steps"]]
    assert len(steps) == len(boxes(picture))
    for a, b in edges(picture):
        assert steps.index(int(a)) < steps.index(int(b))


def chain(length, body=lambda h: h.tanh()):
    h = tensor([1.0], requires_grad=True)
    for _ in range(length):
        h = body(h)
    return h.sum()


@pytest.mark.parametrize(
    "length", [1, 30, 400, pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_a_chain_of_any_length_is_one_page(length):
    picture = viz.graph(chain(length))
    assert len(boxes(picture)) <= 40
    assert ("times more" in picture.text) == (length > 22)


def test_a_repetition_of_several_layers_is_folded():
    picture = viz.graph(chain(50, lambda h: (h.exp() * 0.1).tanh()))
    assert "the 3 layers above, 49 times more" in picture.text


def test_a_wide_graph_is_cut():
    leaves = [tensor([float(i)], requires_grad=True) for i in range(40)]
    picture = viz.graph(minigrad.stack(leaves).sum())
    assert "and 26 more" in picture.text
    assert len(boxes(picture)) == 2 + 2 * 14


def test_what_repeats_itself_is_found():
    assert repetition(list("xababababy")) == (2, 1, 9)
    assert repetition(list("abcde"))[1:] == (0, 0)
    kept, folds = folded([[]] * 5)
    assert kept == [0, 1, 2, 3, 4] and not folds


@pytest.mark.parametrize("nothing", [3, None, "x", [1]])
def test_what_has_no_graph_is_reported_so(nothing):
    assert "This has no graph" in repr(viz.graph(nothing))


def test_a_leaf_has_no_graph():
    assert "no grad_fn" in repr(viz.graph(tensor([1.0], requires_grad=True)))


def test_odd_graphs_are_drawn():
    x = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x.clone()
    y[0] = 5
    empty = tensor(np.zeros((0, 3)), requires_grad=True)
    for z in [y.sum(), empty.sum(), (x.T @ x)[0, 1], x.amax(0), x.expand(3, 2, 2)]:
        assert ElementTree.fromstring(viz.graph(z).text).tag.endswith("svg")
    y.sum().backward()
    assert viz.graph(y.sum()).text


def test_names_are_text_and_not_markup():
    x = tensor([1.0], requires_grad=True)
    picture = viz.graph(x * 2, **{"<b>&": x})
    assert ["<b>&", "[1] float32"] in boxes(picture).values()


def test_the_slider_and_the_still_picture_are_both_shown(monkeypatch):
    pytest.importorskip("anywidget", reason="not run: the slider (no anywidget)")
    picture = viz.graph(chain(3))
    widget, still = shown(monkeypatch, picture)
    view = widget["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == picture.panel.model_id
    assert still["text/html"].startswith(f'<div class="{picture.panel.still}"><img')
    data = json.loads(picture.panel.data)
    assert data["svg"] == picture.text and len(data["steps"]) == 5


@pytest.mark.parametrize("missing", ["google.colab", "anywidget"])
def test_without_a_slider_the_picture_is_there(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    picture = viz.graph(chain(3))
    assert isinstance(picture, Graph) and picture.panel is None
    (still,) = shown(monkeypatch, picture)
    assert still.svg() == picture.text and still.alt == repr(picture)


def test_no_edge_of_a_gradients_graph_goes_up():
    """A leaf that many use stands below each of them."""
    x = tensor([2.0], requires_grad=True)
    (first,) = grad(x * x * x, x, create_graph=True)
    picture = viz.graph(first, x=x)
    tree = ElementTree.fromstring(picture.text)
    ways = [e.get("d") for e in tree.iter() if e.get("class") == "mg-edge"]
    for way in ways:
        heights = [float(y) for y in re.findall(r",(-?\d+)", way)]
        assert heights[0] < heights[-1]
    copies = [g for g in tree.iter() if g.get("class") == "mg-node"]
    assert len(copies) > len(boxes(picture))  # x, several times


class Number:
    """As the Value of chapter 08."""

    def __init__(self, data, grad=0.0, parents=(), slopes=(), name=""):
        self.data, self.grad, self.name = data, grad, name
        self.parents, self.slopes = parents, slopes


def test_a_formula_has_each_number_once_and_the_slopes_of_all_uses():
    a = Number(2.0, 9.0, name="a")
    square = Number(4.0, 1.0, (a, a), (2.0, 2.0), "*")
    picture = viz.formula(Number(6.0, 1.0, (square, a), (1.0, 1.0), "+"))
    assert picture.alt.count("a: data 2, grad 9") == 1
    said = texts(picture)
    assert said["\u00d7 2 and 2"] == 1 and said["\u00d7 1"] == 2


def test_a_formula_of_one_number():
    assert "1 number," in viz.formula(Number(1.0)).alt


# ---------------------------------------------------------------- gradients


def come(drawing):
    """{title: what comes to it} of the steps of a drawing."""
    steps = drawing.payload()["steps"]
    return {s["caption"].split(": ")[1].split(",")[0]: s["grad"] for s in steps}


def test_each_step_has_the_gradient_that_comes_and_nothing_is_written():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x + x).sum()
    said = come(viz.graph(loss, x=x))
    assert said["MulBackward0"] == "grad 1, 1" and said["x"] == "grad 3, 5"
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == [3, 5]


def test_a_long_gradient_is_said_by_its_length():
    x = minigrad.ones(25, requires_grad=True)
    assert come(viz.graph((x * 3).sum(), x=x))["x"] == "|grad| 15"


def test_a_graph_that_was_freed_or_has_no_single_end_has_no_gradients():
    x = minigrad.ones(2, requires_grad=True)
    assert come(viz.graph(x * x, x=x))["x"] == ""
    loss = (x * x).sum()
    loss.backward()
    assert come(viz.graph(loss, x=x))["x"] == ""


def test_a_function_of_ones_own_is_not_called_by_a_drawing():
    class Twice(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dy):
            raise AssertionError("called")

    x, y = (minigrad.ones(2, requires_grad=True) for _ in range(2))
    said = come(viz.graph((Twice.apply(x) + y).sum(), x=x, y=y))
    assert said["x"] == "" and said["y"] == "grad 1, 1"


def test_a_leaf_has_round_ends_and_the_legend_says_so():
    x = minigrad.ones(2, requires_grad=True)
    text = viz.graph(x.sum(), x=x).text
    assert text.count('rx="25"') == 1 and text.count('rx="7"') == 1
    assert "an operator" in text and "a leaf" in text and "a module" not in text


def test_dependency_counts_are_those_of_the_graph_in_chapter_08():
    x = tensor([1.0, 2.0], requires_grad=True)
    s = x.tanh()
    left = topological_order([(s.exp() * s).sum().grad_fn])
    counts = dict.fromkeys(left, 0)
    for node in left:
        for end, _ in node.next_functions:
            counts[end] += 1
    expected = [str(counts[node]) for node in left]
    while len(left) > 1:
        assert counts[left[0]] == 0
        for end, _ in left.pop(0).next_functions:
            counts[end] -= 1
        expected += [str(counts[node]) for node in left]
    picture = viz.dependency_counts()
    assert re.findall(r"(?:Sum|Mul|Exp|Tanh|x) (\d)", picture.alt) == expected
    drawn = re.findall(r'class="number".*?>(\d)<', picture.svg())
    assert drawn == [*expected, "2", "0"]  # and the key
