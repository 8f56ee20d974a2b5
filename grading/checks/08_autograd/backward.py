"""backward: the engine, in graphs that are described here, and in whole programs."""

import itertools

import torch

from grading.checking.typed import program, typed
from grading.drivers import scenarios
from grading.drivers.graphs import engine
from grading.exercise import Check, call, close, drive
from minigrad.autograd.engine import backward

from .inputs import drawn

DIAMOND = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(3, 0)], 3: []}
SQUARE = {0: [(1, 0), (2, 0)], 1: [(2, 0), (2, 0)], 2: []}  # x * x + x
SHORT_CUT = {0: [(1, 0), (2, 0)], 1: [(2, 0)], 2: []}


def random_graph(random, size):
    """Edges from each node to some of those with higher numbers, and their factors.

    Every second node has two edges to one of them.
    """
    edges = {}
    for n in range(size):
        below = range(n + 1, size)
        ends = random.sample(below, min(len(below), random.randint(1, 3)))
        ends += ends[: n % 2]
        edges[n] = [(e, 0) for e in ends]
    factors = {n: [[random.randint(2, 5) for _ in out]] for n, out in edges.items()}
    return edges, factors


def mixed_graph(random, size):
    """The same, with nodes of two results, edges to nowhere, and factors of None."""
    edges, _ = random_graph(random, size)
    counts = {n: random.choice((1, 2)) if out else 1 for n, out in edges.items()}
    factors = {}
    for n, out in edges.items():
        edges[n] = [(e, random.randrange(counts[e])) for e, _ in out]
        edges[n] += [(None, 0)] * random.choice((0, 1, 2)) if out else []
        random.shuffle(edges[n])
        factors[n] = [
            [random.choice((None, 2, 3, 4)) for _ in edges[n]] for _ in range(counts[n])
        ]
    return edges, factors


def cases(random):
    def graph(edges, factors, *nodes, retain=False):
        """A call whose seeds are at these nodes."""
        seeds = [(n, 0, float(random.randint(2, 9))) for n in nodes]
        return call(edges=edges, factors=factors, seeds=seeds, retain=retain)

    w = random.randint(2, 5)
    yield "x * x + x", graph(SQUARE, {1: [[w, w]]}, 0)
    yield "x * x + x", graph(DIAMOND, {0: [[2, w]]}, 0)
    yield "x * x + x", drive(scenarios.whole, drawn(random, 3))
    for size in 6, 10:
        yield "x * x + x", graph(*random_graph(random, size), 0, retain=None)
    two = {0: [(1, 0), (1, 1)], 1: [(2, 0), (3, 0)], 2: [], 3: []}
    yield "several results", graph(two, {0: [[2, 3]], 1: [[1, 4], [5, 1]]}, 0)
    one = {0: [(1, 1)], 1: [(2, 0)], 2: []}
    yield "several results", graph(one, {1: [[3], [4]]}, 0)
    yield "None", graph(DIAMOND, {0: [[None, 2]]}, 0)
    yield "None", graph(SHORT_CUT, {1: [[None]]}, 0)
    yield "None", graph({0: [(None, 0), (1, 0)], 1: []}, {}, 0)
    nowhere = {0: [(None, 0), (1, 0), (None, 0)], 1: [(None, 0), (2, 0)], 2: []}
    yield "None", graph(nowhere, {}, 0)
    for nodes, retain in itertools.product(([0], [0, 1], [2, 0, 3]), (False, True)):
        for size in 4, 7:
            some = graph(*mixed_graph(random, size), *nodes, retain=retain)
            yield "None", some
    yield "seeds", graph(DIAMOND, {}, 1, 2)
    yield "seeds", graph(DIAMOND, {}, 0, 1)
    yield "gradients are not changed", graph(SHORT_CUT, {}, 0)
    yield "gradients are not kept", drive(scenarios.handed_on, 8)
    yield "retain_graph", graph(DIAMOND, {}, 0, retain=True)
    yield "retain_graph", drive(scenarios.again, drawn(random, 2), keep=True)
    yield "retain_graph", drive(scenarios.again, drawn(random, 2), keep=False)


def reference(edges, factors, seeds, retain):
    """PyTorch's engine. A node's results are sums of numbers times its operands."""
    results, operands = {}, {}
    for n in sorted(edges, reverse=True):
        operands[n] = [watched() if e is None else watched(results[e][i])
                       for e, i in edges[n]]  # fmt: skip
        results[n] = []
        for row in factors.get(n, [[1] * len(edges[n])]):
            pairs = zip(row, operands[n], strict=True)
            y = sum((w * x for w, x in pairs if w is not None), watched())
            results[n].append(watched(y) if edges[n] else y)
    outputs = [results[n][i] for n, i, _ in seeds]
    torch.autograd.backward(outputs, [torch.tensor(g).double() for *_, g in seeds])
    arrived = {n: [*map(gradient, results[n])] for n in sorted(edges)}
    called = [n for n in arrived if set(arrived[n]) != {None}]
    ends = {n: arrived[n] if n in called else None for n in edges if not edges[n]}
    done = [what for n in called for what in [f"call {n}", f"release {n}"]]
    gave = [[gradient(x) for x in operands[n] if n in called] for n in arrived]
    return {
        "gradients that the ends get": ends,
        "what is done with nodes that are not called": [],
        "what is done, in order": 2 * (done[::2] if retain else done),
        "gradients that nodes gave": [2 * gradients for gradients in gave],
        "gradients by the same seeds again": ends,
    }


def watched(x=None):
    """Another tensor of x's, or a leaf, that keeps its gradient."""
    x = torch.zeros((), dtype=torch.float64) if x is None else x.clone()
    x.requires_grad_().retain_grad()
    return x


def gradient(x):
    return None if x.grad is None else x.grad.item()


def describe(exercise, case):
    if case.driver:
        return program(exercise, case)
    return f"{typed(exercise, case)}; called twice with the same seeds"


def diagnose(got, expected, case):
    if "TypeError" in getattr(got, "types", ()) and "None" in got.message:
        return "none_added", (
            "None was added to a gradient. Skip each None that a node returns."
        )
    return None


check = Check(
    backward,
    cases=cases,
    reference=reference,
    compare=close(),
    driver=engine,
    describe=describe,
    diagnose=diagnose,
    not_tested="orders that are not topological: the contract has none",
)
