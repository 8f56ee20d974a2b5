"""Scenes of chapter 08: what an answer does to arrays, contexts and graphs."""

import numpy as np

import minigrad
from minigrad.autograd.graph import Node, modified

from . import scenarios
from .registry import scene


class InputChanged(RuntimeError):
    """An array that was given, and is somebody else's, has other values now."""


@scene
def formula(hole, *arguments):
    """A function of arrays: it must leave them as they are."""
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with np.errstate(all="ignore"):
        value = hole(*given)
    for number, (mine, theirs) in enumerate(zip(arguments, given, strict=True)):
        if isinstance(mine, np.ndarray) and not np.array_equal(mine, theirs, True):
            raise InputChanged(f"argument number {number} has changed")
    return value


@scene(changes=("inputs",))
def scenario(hole, name, *arguments):
    """One of scenarios.py, with minigrad in the place of PyTorch."""
    return getattr(scenarios, name)(Minigrad, hole, *arguments)


class Minigrad:
    """What scenarios need of a library; PyTorch's is in checks/gradients.py."""

    Function = minigrad.autograd.Function
    no_grad = minigrad.no_grad
    is_grad_enabled = staticmethod(minigrad.is_grad_enabled)
    gradcheck = staticmethod(minigrad.autograd.gradcheck)

    @staticmethod
    def tensor(values):
        return minigrad.tensor(np.array(values, np.float64))

    @staticmethod
    def array(x):
        with minigrad.no_grad():  # and without detach(), which may be what is judged
            return np.array(x.clone().numpy())


# ------------------------------------------------- graphs


class Step(Node):
    """A node of a graph that a check describes.

    rows: for each result of its operator one number for each edge, or None: the
    gradient that goes along an edge is the sum of numbers times the results' gradients.
    """

    def __init__(self, number, rows=((),)):
        super().__init__(f"node {number}", (), ())
        self.number, self.rows, self.outputs = number, rows, len(rows)
        self.calls, self.released, self.got, self.gave = 0, 0, None, []

    def __call__(self, *gradients):
        self.calls, self.got = self.calls + 1, [number_of(g) for g in gradients]
        found = [self.along(k, gradients) for k in range(len(self.next_functions))]
        self.gave += [(g, number_of(g)) for g in found]
        return found

    def along(self, edge, gradients):
        parts = []
        for row, g in zip(self.rows, gradients, strict=True):
            if row[edge] is not None and g is not None:
                parts.append(g if row[edge] == 1 else g * row[edge])
        return sum(parts[1:], parts[0]) if parts else None

    def release(self):
        self.released += 1


def number_of(g):
    return None if g is None else float(g)


def graph(edges, rows=None):
    """The nodes of {number: edges}. edges: a list of (number or None, index)."""
    rows = rows or {}
    nodes = {n: Step(n, rows.get(n, (tuple([1] * len(e)),))) for n, e in edges.items()}
    for number, node in nodes.items():
        node.next_functions = tuple(
            (None if n is None else nodes[n], index) for n, index in edges[number]
        )
    return nodes


@scene
def order(hole, edges, roots):
    """The numbers of the nodes, in the order that was found; -1 for anything else."""
    nodes = graph(edges)
    given = [nodes[n] for n in roots]
    found = hole(given)
    if not isinstance(found, list | tuple):
        return found
    return [nodes[n.number].number if isinstance(n, Step) else -1 for n in found]


@scene
def chain(hole, length):
    """Is a chain of nodes in order? For lengths that one would not write down."""
    nodes = graph({n: [(n + 1, 0)] if n + 1 < length else [] for n in range(length)})
    found = hole([nodes[0]])
    right = [n.number for n in found] == list(range(length))
    for node in nodes.values():  # or Python would take it apart node by node
        node.next_functions = ()
    return right


@scene(changes=("seeds",))
def engine(hole, edges, rows, seeds, retain):
    """What an engine does with a graph. seeds: a list of (number, index, value)."""
    nodes = graph(edges, rows)
    order = [nodes[n] for n in sorted(nodes)]
    given = {(nodes[n], i): Minigrad.tensor(value) for n, i, value in seeds}
    kept = dict(given)
    values = [float(g) for g in given.values()]
    hole(order, given, retain) if retain is not None else hole(order, given)
    same = given == kept and list(given) == list(kept)
    same = same and values == [float(g) for g in kept.values()]
    return {
        "gradients that the ends get": {
            n.number: n.got for n in order if not n.rows[0]
        },
        "calls of each node": {n.number: n.calls for n in order},
        "nodes that are released": [n.number for n in order if n.released],
        "gradients that nodes gave are unchanged": all(
            number_of(g) == before for n in order for g, before in n.gave
        ),
        "seeds is as it was": same,
    }


@scene
def leaf(hole, asked, made):
    """leaf_rules of a tensor that was asked, or was made by an operator.

    A node among the answers stands there by its name.
    """
    found = hole(asked, Step(0) if made else None)
    if not isinstance(found, tuple):
        return found
    return tuple("<MulBackward0>" if isinstance(x, Step) else x for x in found)


# ------------------------------------------------- versions


@scene
def versions(hole, steps):
    """next_version of several tensors, one after the other: [versions] at the end."""
    x, other = Minigrad.tensor([[1, 2], [3, 4]]), Minigrad.tensor([5, 6])
    tensors = {"x": x, "row": x[0], "turned": x.transpose(0, 1), "other": other}
    start = x.storage.version, other.storage.version
    same = [hole(tensors[name]) is tensors[name] for name in steps]
    return {
        "versions of x and of another": [
            x.storage.version - start[0],
            other.storage.version - start[1],
        ],
        "the tensor itself is returned": all(same),
    }


@scene
def unpacked(hole, writes, saved_after, where):
    """unpack a tensor that was saved after some of the writes."""
    x = Minigrad.tensor([[1, 2], [3, 4]])
    tensors = {"x": x, "row": x[0], "other": Minigrad.tensor([5, 6])}
    version = x.storage.version
    for number in range(writes):
        if number == saved_after:
            version = x.storage.version
        tensors[where].mul_(2)
    version = x.storage.version if saved_after == writes else version
    try:
        found = hole(x, version, "MulBackward0")
    except RuntimeError as error:
        said = str(error) == modified(x, version, "MulBackward0")
        return {"raises RuntimeError": True, "the message is modified(...)": said}
    return {"raises RuntimeError": False, "x itself is returned": found is x}
