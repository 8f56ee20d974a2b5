"""execution_order: the order in which a graph runs; any that is right is accepted."""

import graphlib

from grading.drivers import programs
from grading.exercise import Check, call
from minigrad.graph import execution_order

from ..layered import graphs, ladder, order_facts, reached, row


def cases(random):
    def of(edges, fetches):
        return call(edges=edges, fetches=fetches)

    some = graphs(random, 4)
    for edges in some:
        yield "each after its inputs", of(edges, [max(edges)])
    for edges in some:
        for n in edges if len(edges) < 6 else random.sample([*edges], 2):
            yield "only what is needed", of(edges, [n])
    for edges in some:
        yield "several fetches", of(edges, random.choices([*edges], k=3))
        yield "several fetches", of(edges, [max(edges), min(edges)])
    yield "several fetches", of(edges, [])
    yield "10 000 operations in a row", of(*row(random, 10_000))
    yield "many ways", of(ladder(30), [90])


def reference(edges, fetches):
    needed = {n: edges[n] for n in reached(edges, fetches)}
    return [*graphlib.TopologicalSorter(needed).static_order()]


def observe(order, case):
    facts = order_facts(order, *case.options.values(), after=True)
    del facts["a root is missing"]
    return facts


def diagnose(got, expected, case):
    if "RecursionError" in getattr(got, "types", ()):
        return "recursion", (
            "The function calls itself for each operation, but Python allows only "
            "1000 nested calls. Keep a list of what you still have to visit."
        )
    if isinstance(got, dict) and got["repeated"]:
        return "repeated", (
            "An operation that several others use is listed several times. List each "
            "operation once."
        )
    if isinstance(got, dict) and got["too early"] and not got["backwards"]:
        return "too_early", (
            "An operation comes before one of its inputs. Append it only after all of "
            "its inputs. If you keep a stack, an operation counts as seen when it's "
            "taken from there, and not when it's put there."
        )
    return None


check = Check(
    execution_order,
    cases=cases,
    reference=reference,
    driver=programs.execution,
    observe=observe,
    diagnose=diagnose,
    not_tested="cycles: an operation's inputs are there before it",
)
