"""pruned: what a run has to compute, if some values are fed."""

import functools

from grading.drivers import programs
from grading.exercise import Check, call, same
from minigrad.graph import pruned

from ..layered import GRAPHS, graphs, reached, sources


def cases(random):
    of = functools.partial(drawn, random)
    every = [(edges, max(edges), sources(edges)) for edges in GRAPHS.values()]
    for edges, last, places in every:
        yield "what is fed", of(edges, places, [last], places)
        yield "what is fed", of(edges, places, [last, last // 2, last], places)
    for edges in graphs(random, 8):
        fed = random.sample([*edges], min(len(edges), random.choice([1, 2, 3])))
        fetches = random.sample([*edges], min(len(edges), random.choice([1, 2])))
        yield "for its sake alone", of(edges, [], fetches, fed)
        for n in range(min(len(edges) - 1, 4)):
            yield "for its sake alone", of(edges, [], [max(edges)], [n])
    for edges, last, places in every:
        yield "a fetch that is fed", of(edges, places, [last], [last])
        half = last // 2
        yield "a fetch that is fed", of(edges, places, [half, last], [*places, half])
        yield "nothing is fed", of(edges, [], [last], [])
        yield "nothing is fed", of(edges, [], [], [])
        one = of(edges, places, [last, *places], places[1:])
        yield "a placeholder is missing", one
    for last, fed in (4, [1]), (2, [0, 1]), (4, [3, 0]):
        case = of(GRAPHS["two ends"], [0, 1], [last], fed)
        yield "a placeholder that nobody needs", case


def drawn(random, edges, places, fetches, fed):
    """What is needed of the edges, in order, under numbers that are drawn."""
    new = dict(zip(edges, sorted(random.sample(range(99), len(edges)))))
    edges = {new[n]: [new[i] for i in inputs] for n, inputs in edges.items()}
    places, fetches, fed = ([new[n] for n in few] for few in (places, fetches, fed))
    types, order = dict.fromkeys(places, "Placeholder"), sorted(reached(edges, fetches))
    return call(edges=edges, types=types, order=order, fetches=fetches, fed=fed)


def reference(edges, types, fetches, fed):
    computed = sorted(reached(edges, fetches, fed) - {*fed})
    for n in {*computed} & types.keys():
        return {"ValueError about": [f"operation_{n}"]}
    return {"computed": computed}


def compare(got, expected, case):
    """A message may name others, too."""
    if "ValueError about" in expected:
        return {*expected["ValueError about"]} <= {*got["ValueError about"]}
    return same(got, expected)


def diagnose(got, expected, case):
    raised = "ValueError" in getattr(got, "types", ())
    if raised and "ValueError about" in expected:
        return (
            "no_name",
            "The message of the ValueError doesn't contain operation.name. Add it.",
        )
    return None


check = Check(
    pruned,
    cases=cases,
    reference=reference,
    compare=compare,
    driver=programs.prune,
    diagnose=diagnose,
    not_tested="deep graphs: only the contract of execution_order has them",
)
