"""fold_constants: what is the same in every run."""

import numpy as np

from grading.drivers import programs
from grading.exercise import Check, call, close
from minigrad.graph import fold_constants

from ..layered import GRAPHS, graphs, sources

STATEFUL = ["Placeholder", "Variable", "Random"]
SEEDED = {0: ("Const", []), 1: ("Random", [0]), 2: ("Neg", [1])}
ORDERED = {0: ("Const", []), 1: ("Const", []), 2: ("Sub", [0, 1]), 3: ("Mul", [2, 2])}
VALUES = {0: ("Const", []), 1: ("Neg", [0]), 2: ("Forget", [1]), 3: ("IsNone", [2])}
NONE = {0: ("Const", []), 1: ("IsNone", [0]), 2: ("Neg", [1])}
UNKNOWN = {0: ("Zero", []), 1: ("Neg", [0]), 2: ("Const", [])}
KINDS = {1: ["Neg"], 2: ["Add", "Sub", "Mul"], 3: ["Add"]}  # by how many inputs


def cases(random):
    for edges in GRAPHS.values():
        yield "constants spread", of(random, drawn(random, edges, ["Const"]))
    yield "constants spread", of(random, ORDERED)
    for edges in graphs(random, 5):
        for n in sources(edges):
            operations = drawn(random, edges, ["Const", "Const", "Placeholder"])
            operations[n] = random.choice(STATEFUL), []
            yield "what is fed spreads, too", of(random, operations)
    yield "not the same each time", of(random, SEEDED)
    operations = drawn(random, GRAPHS["a chain"], ["Const"])
    yield "not the same each time", of(random, operations, ["Neg"])
    fed = drawn(random, GRAPHS["a chain"], ["Placeholder"])
    yield "what is fed spreads, too", of(random, fed, given="those needed")
    for value in 0.0, np.array([0.0, 2.0]), np.array([]):
        yield "any values", of(random, VALUES, values={0: value})
    yield "any values", of(random, NONE, values={0: None})
    yield "without inputs", of(random, UNKNOWN)
    yield "without inputs", of(random, {})


def drawn(random, edges, first):
    """A graph's operations, as types that are drawn; first: of those without inputs."""
    kinds = {0: first, **KINDS}
    return {n: (random.choice(kinds[len(i)]), i) for n, i in edges.items()}


def of(random, operations, stateful=STATEFUL, values=None, given=None):
    """No two values are equal. given: which kernels."""
    numbers = {n: n + random.choice([0.0, 1.1, 2.3])
               for n, (kind, _) in operations.items()
               if kind == "Const"}  # fmt: skip
    return call(
        edges={n: inputs for n, (_, inputs) in operations.items()},
        types={n: kind for n, (kind, _) in operations.items()},
        values=values or numbers,
        stateful=stateful,
        kernels=given or random.choice(["all", "those needed"]),
    )


def reference(edges, types, values, stateful):
    known, calls = {n: v for n, v in values.items() if types[n] == "Const"}, []
    for n in programs.foldable(edges, types, stateful):
        known[n] = programs.WORKS[types[n]](*(known[i] for i in edges[n]))
        calls.append(types[n])
    return {"values": dict(sorted(known.items())), "kernels called": sorted(calls)}


check = Check(
    fold_constants,
    cases=cases,
    reference=reference,
    compare=close(),
    driver=programs.fold,
    not_tested="a Const in `stateful`: the contract says that there's none",
)
