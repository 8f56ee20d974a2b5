"""Graphs folded by module: which call made a node, and what its box says."""

import numpy as np
import pytest
from test_viz_graph import boxes, edges, solved  # noqa: F401  (a fixture)

import minigrad
from minigrad import functional, models, nn, tensor, viz
from minigrad.viz.draw.graph_layout import nodes_in_order

pytestmark = pytest.mark.usefixtures("solved")


def titles(picture):
    """The titles of all boxes, drawn or not, in the order of backward."""
    return [picture.facts.title(box) for box in picture.facts.order]


class Twice(nn.Module):
    """One module that is called two times."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def forward(self, x):
        return self.cell(functional.tanh(self.cell(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x):
        return x + self.layers(x)


def mlp():
    return nn.Sequential(
        nn.Linear(3, 5), nn.ReLU(), nn.Sequential(nn.Linear(5, 5), nn.Identity())
    )


def test_the_layers_of_a_network_are_boxes_and_functions_stay_single():
    net = models.ConvNet()
    loss = functional.nll_loss(net(minigrad.zeros(2, 1, 28, 28)), tensor([1, 2]))
    picture = viz.graph(loss, depth=1)
    assert titles(picture) == [
        "NllLoss", "LogSoftmax", "fc2: Linear", "Relu", "fc1: Linear", "View",
        "MaxPool2d", "Relu", "conv2: Conv2d", "MaxPool2d", "Relu", "conv1: Conv2d",
    ]  # fmt: skip
    assert [
        "conv1: Conv2d", "[2, 32, 28, 28] float32", "320 parameters"
    ] in boxes(picture).values()  # fmt: skip
    assert "4 calls of modules folded" in repr(picture)
    whole = ["ConvNet", "[2, 10] float32", "421,642 parameters"]
    assert boxes(viz.graph(loss, depth=0))["1"] == whole
    assert len(edges(viz.graph(loss, depth=0))) == 1
    everything = viz.graph(loss, depth=None)
    assert titles(everything) == titles(viz.graph(loss))  # it fits: nothing is folded
    nodes = nodes_in_order(loss.grad_fn)
    assert [box.nodes for box in everything.facts.order] == [[n] for n in nodes]


@pytest.mark.parametrize(
    "depth, wanted",
    [
        (0, ["Sum", "Sequential"]),
        (1, ["Sum", "2: Sequential", "1: ReLU", "0: Linear"]),
        (2, ["Sum", "2.0: Linear", "1: ReLU", "0: Linear"]),
        (9, ["Sum", "2.0: Linear", "1: ReLU", "0: Linear"]),
    ],
)
def test_depth_is_how_many_levels_are_open(depth, wanted):
    picture = viz.graph(mlp()(tensor([[1.0, 2, 3]])).sum(), depth=depth)
    assert titles(picture) == wanted
    assert len(edges(picture)) == len(wanted) - 1


def test_a_leaf_of_a_module_has_its_name_unless_another_is_given():
    net, x = mlp(), tensor([[1.0, 2, 3]], requires_grad=True)
    loss = net(x).sum()
    names = set(titles(viz.graph(loss, depth=None, x=x, first=net[0].weight)))
    assert {"x", "first", "0.bias", "2.0.weight", "2.0.bias"} <= names
    assert titles(viz.graph(loss, depth=0, x=x)) == ["Sum", "Sequential", "x"]


def test_a_module_that_is_called_twice_is_two_boxes():
    net = Twice()
    picture = viz.graph(net(tensor([[1.0, 2, 3]])).sum(), depth=1)
    assert titles(picture)[:4] == ["Sum", "cell: Linear", "Tanh", "cell: Linear"]
    assert set(titles(picture)[4:]) == {"cell.weight", "cell.bias"}
    for name in "cell.weight", "cell.bias":  # both calls send gradients to them
        number = str(titles(picture).index(name))
        assert {a for a, b in edges(picture) if b == number} == {"1", "3"}
    assert titles(viz.graph(net(tensor([[1.0, 2, 3]])).sum(), depth=0)) == [
        "Sum", "Twice"
    ]  # fmt: skip


def test_a_module_that_returns_its_input_makes_no_box():
    x = tensor([[1.0, 2, 3]], requires_grad=True)
    net = nn.Sequential(nn.Identity(), nn.Linear(3, 3), nn.Identity())
    picture = viz.graph(net(nn.Identity()(x * x)).sum(), depth=1, x=x)
    assert titles(picture) == ["Sum", "1: Linear", "Mul", "x"]


def test_a_large_network_is_folded_without_being_asked():
    net = nn.Sequential(*[Block() for _ in range(13)])
    picture = viz.graph(net(tensor([[1.0, 2, 3]])).sum())
    assert titles(picture) == ["Sum", *(f"{i}: Block" for i in range(12, -1, -1))]
    deep = nn.Sequential(*[m for _ in range(30) for m in (nn.Linear(3, 3), nn.ReLU())])
    picture = viz.graph(deep(tensor([[1.0, 2, 3]])).sum())
    assert "the 2 layers above, 29 times more" in picture.text
    assert titles(picture)[:3] == ["Sum", "59: ReLU", "58: Linear"]


def test_a_folded_module_has_the_length_of_its_gradient_in_its_step():
    net = nn.Linear(2, 1)
    loss = net(tensor([[3.0, 4.0]])).sum()
    loss.backward()
    steps = viz.graph(loss, depth=0).payload()["steps"]
    assert f"Linear, 5 nodes, |grad| {np.sqrt(26):.3g}" in steps[1]["caption"]


def test_a_module_that_failed_or_recorded_nothing_leaves_no_trace():
    net, x = mlp(), tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError):
        net(x)
    with minigrad.no_grad():
        net(tensor([[1.0, 2, 3]]))
    assert titles(viz.graph((x * x).sum(), depth=0, x=x)) == ["Sum", "Mul", "x"]


@pytest.mark.parametrize("depth", [-1, True, 1.5, "all", [2]])
def test_a_depth_that_is_none_is_reported_so(depth):
    x = tensor([1.0], requires_grad=True)
    with pytest.raises(ValueError, match="depth is how many levels of modules"):
        viz.graph(x * x, depth=depth)
    with pytest.raises(ValueError, match="depth is how many levels of modules"):
        viz.graph(x * x, depth=x)
