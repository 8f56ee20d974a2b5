"""topological_order: any order that is right is accepted."""

import graphlib

from grading.drivers.graphs import order
from grading.exercise import Check, call
from minigrad.autograd.engine import topological_order

from ..layered import GRAPHS, graphs, ladder, order_facts, reached, row

LONG = "10 000 nodes in a row"
ROW = {n: [n + 1] for n in range(400)} | {400: []}


def renamed(random, edges, roots=(-1,)):
    """The same graph under other numbers, and its roots; of its own the last node."""
    names = random.sample(range(len(edges)), len(edges))
    new = {names[n]: [names[i] for i in below] for n, below in edges.items()}
    return call(roots=[names[n] for n in roots], edges=dict(sorted(new.items())))


def cases(random):
    yield "the diamond", renamed(random, GRAPHS["a diamond"])
    for edges in (*graphs(random, 3), ladder(12)):
        yield "any graph", renamed(random, edges)
    for edges in {0: [None, 1], 1: []}, {0: [1, None], 1: [None]}:
        yield "None among next_functions", call(roots=[0], edges=edges)
    yield "several roots", call(roots=[0, 1], edges={0: [2], 1: [2], 2: []})
    yield "several roots", call(roots=[1, 0], edges={0: [1], 1: [2], 2: []})
    yield "several roots", call(roots=[0, 1], edges={0: [1], 1: [2], 2: []})
    yield "several roots", call(roots=[0, 0], edges={0: [1, 2], 1: [], 2: [1]})
    yield LONG, renamed(random, *row(random, 10_000))
    yield LONG, call(roots=[0], edges=ROW, counted=True)


def without_none(edges):
    return {n: [e for e in below if e is not None] for n, below in edges.items()}


def reference(roots, edges):
    edges = without_none(edges)
    below = {n: edges[n] for n in reached(edges, roots)}
    order = [*graphlib.TopologicalSorter(below).static_order()]
    return {"order": order[::-1], "comparisons": 0}


def observe(result, case):
    roots, edges, *_ = case.options.values()
    facts = order_facts(result["order"], without_none(edges), roots, after=False)
    compared = result["comparisons"] // len(edges)
    return facts | {"comparisons of each node, beyond 20": max(compared - 20, 0)}


def diagnose(got, expected, case):
    types = getattr(got, "types", ())
    if "RecursionError" in types:
        return "recursion", (
            "The function calls itself for each node, but Python allows only about "
            "1,000 nested calls. Keep a list of the nodes that are left to visit."
        )
    if "AttributeError" in types and "NoneType" in got.message:
        return "none_followed", (
            "A next node is None if its operand requires no gradient. Skip it."
        )
    return None


check = Check(
    topological_order,
    cases=cases,
    reference=reference,
    driver=order,
    observe=observe,
    diagnose=diagnose,
    not_tested="cycles: no graph has any; 100 000 nodes: 10 000 end recursion; and "
    "order.insert(0, node), which moves pointers so fast that no time shows it",
)
