"""Scenes of chapter 08: what an answer does to arrays, contexts and graphs."""

import functools

import numpy as np

import minigrad
from minigrad.autograd.graph import Node

from . import scenarios
from .registry import driver, scene, wanted


@scene
def arrays(exercise, *arguments):
    """A function of arrays, which may divide by zero."""
    with np.errstate(all="ignore"):
        return exercise(*arguments)


@driver
def with_gradients(library, answer, *arguments, **options):
    """A function of tensors: its result, and the gradients that go through it."""
    with library.no_grad():  # where a buffer might be used again
        answer(*arguments, **options)
    call = functools.partial(answer, **options)
    return scenarios.differentiated(library, call, *arguments)


def array(x):
    """The elements of a tensor; without detach(), which may be what is judged."""
    wanted(x, minigrad.Tensor, "a tensor")
    with minigrad.no_grad():
        return np.array(x.clone().numpy())


Minigrad = scenarios.library_of(minigrad, array)


# ------------------------------------------------- graphs


class Step(Node):
    """A node of a graph that a check describes.

    factors: for each result of its operator one number for each edge, or None: the
    gradient that goes along an edge is the sum of numbers times the results' gradients.
    """

    def __init__(self, number, factors=((),)):
        super().__init__(f"node {number}", (), ())
        self.number, self.factors, self.outputs = number, factors, len(factors)
        self.log, self.got, self.gave = [], None, []

    def __call__(self, *gradients):
        self.log.append(f"call {self.number}")
        self.got = [number_of(g) for g in gradients]
        along = [self.along(k, gradients) for k in range(len(self.next_functions))]
        self.gave += along
        return [*map(self.shaped, range(len(along)), along)]

    def along(self, edge, gradients):
        parts = []
        for row, g in zip(self.factors, gradients, strict=True):
            if row[edge] is not None and g is not None:
                parts.append(g if row[edge] == 1 else g * row[edge])
        return sum(parts[1:], parts[0]) if parts else None

    def shaped(self, edge, g):
        """A gradient as it goes along an edge: nowhere, each edge has its shape."""
        if g is None or self.next_functions[edge][0] is not None:
            return g
        return Minigrad.tensor([number_of(g)] * (edge + 2))

    def release(self):
        self.log.append(f"release {self.number}")


class Counted(Step):
    """A node that counts how often it is compared with others."""

    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return self is other

    __hash__ = Step.__hash__


def number_of(g):
    return None if g is None else float(g)


def graph(edges, factors=None, kind=Step):
    """The nodes of {number: edges}. edges: a list of (number or None, index)."""
    factors = factors or {}
    nodes = {n: kind(n, factors.get(n, ((1,) * len(e),))) for n, e in edges.items()}
    for number, node in nodes.items():
        node.next_functions = tuple(
            (None if n is None else nodes[n], index) for n, index in edges[number]
        )
    return nodes


@scene
def order(exercise, roots, edges, counted=False):
    """The nodes' numbers, in the order that was found; -1 for anything else.

    edges: {number: numbers, or None}. counted: are comparisons of nodes?
    """
    edges = {n: [(below, 0) for below in edges[n]] for n in edges}
    nodes = graph(edges, kind=Counted if counted else Step)
    roots = [nodes[n] for n in roots]
    exercise(roots)  # once more below: nothing may be left on the nodes
    Counted.compared = 0
    result = wanted(exercise(roots), list | tuple, "a list")
    comparisons = Counted.compared
    for node in nodes.values():  # or Python would take a long row apart node by node
        node.next_functions = ()
    numbers = [nodes[n.number].number if isinstance(n, Step) else -1 for n in result]
    return {"order": numbers, "comparisons": comparisons}


@scene(changes=("seeds",))
def engine(exercise, edges, factors, seeds, retain):
    """What an engine does with a graph. seeds: a list of (number, index, value)."""
    nodes, log = graph(edges, factors), []
    order = [nodes[n] for n in sorted(nodes)]
    for node in order:
        node.log = log
    start = {(nodes[n], i): Minigrad.tensor(value) for n, i, value in seeds}
    got = []
    for _ in range(2):
        exercise(order, start, *([] if retain is None else [retain]))
        got.append({n.number: n.got for n in order if not n.factors[0]})
        for n in order:
            n.got = None
    others = [what for what in log if what.replace("release", "call") not in log]
    return {
        "gradients that the ends get": got[0],
        "what is done with nodes that are not called": others,
        "what is done, in order": log,
        "gradients that nodes gave": [[number_of(g) for g in n.gave] for n in order],
        "gradients by the same seeds again": got[1],
    }


@scene
def leaf(exercise, asked, node):
    """leaf_rules of a tensor, whose node is given by its name.

    A node among the answers stands there by its name, too.
    """
    rules = exercise(asked, node and Step(0))
    if not isinstance(rules, tuple):
        return rules
    return tuple(node if isinstance(x, Step) else x for x in rules)


@scene
def unpacked(exercise, shape, steps, name):
    """unpack a tensor that was saved between writes to it, to its row, and to another.

    steps: which of these is written to, or "save", in order.
    """
    x = Minigrad.tensor(np.ones(shape))
    tensors = {"x": x, "row": x[0], "other": Minigrad.tensor([5, 6])}
    early, late = "raises RuntimeError right after the save", "raises RuntimeError"
    seen, now = {early: None, late: None}, late
    try:
        for step in steps:
            if step == "save":
                version, now = int(str(x.storage.version)), early  # equal, not the same
                exercise(x, version, name)  # what it gives is not to be kept
                now = late
            else:
                tensors[step].mul_(2)
        seen["x itself is returned"] = exercise(x, version, name) is x
    except RuntimeError as error:
        seen[now] = str(error)
    return seen | {"the version afterwards": x.storage.version}
