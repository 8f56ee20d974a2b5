"""The graphs that checks of graphs draw from, and what is wrong with an order."""

import collections

GRAPHS = {  # an operation: its inputs. The last one is what is wanted
    "a chain": {0: [], 1: [0], 2: [1], 3: [2]},
    "a diamond": {0: [], 1: [0], 2: [0], 3: [1, 2]},
    "a short cut": {0: [], 1: [0], 2: [1], 3: [2], 4: [3, 1]},
    "a short cut in front": {0: [], 1: [0], 2: [1], 3: [2], 4: [1, 3]},
    "a fork": {0: [], 1: [0], 2: [1], 3: [0], 4: [2, 3]},
    "two ends": {0: [], 1: [], 2: [0, 1], 3: [1], 4: [3]},
    "an operand twice": {0: [], 1: [], 2: [0, 0], 3: [2, 1, 2]},
    "a short cut twice": {0: [], 1: [0], 2: [1], 3: [0, 2, 0]},
    "alone": {0: []},
}


def row(random, length):
    """Operations each of which uses the one before, and others that use any two.

    And those that no other uses.
    """
    edges = {n: [n - 1] * (n > 0) for n in range(length)}
    others = range(length, length + length // 10)
    edges |= {n: random.sample(range(length), 2) for n in others}
    return edges, [length - 1, *others]


def sources(edges):
    """The operations without inputs."""
    return [n for n, inputs in edges.items() if not inputs]


def graphs(random, count):
    """All of GRAPHS, and as many that are drawn."""
    return [*GRAPHS.values(), *(layered(random, 10) for _ in range(count))]


def layered(random, count):
    """A graph of so many operations, each of which uses up to three earlier ones.

    Some use one of them twice.
    """
    edges = {0: []}
    for n in range(1, count):
        uses = random.sample(range(n), min(n, random.choice([0, 1, 1, 2, 2, 3])))
        uses += random.sample(uses, random.randrange(2) * (0 < len(uses) < 3))
        edges[n] = sorted(uses, key=lambda _: random.random())
    return edges


def ladder(steps):
    """Diamonds on top of each other: 2 ** steps ways from top to bottom."""
    edges = {0: []}
    for n in range(0, 3 * steps, 3):
        edges |= {n + 1: [n], n + 2: [n], n + 3: [n + 1, n + 2]}
    return edges


def reached(edges, start, stops=()):
    """All nodes that the first ones lead to; of those in `stops` nothing further."""
    nodes, left = set(), list(start)
    while left:
        n = left.pop()
        if n not in nodes:
            nodes.add(n)
            left += edges[n] if n not in stops else []
    return nodes


def order_facts(order, edges, roots, after):
    """What is wrong with an order of all that the roots lead to: several may be right.

    edges: {node: those that it leads to}. after: does it come after them, or before?
    """
    place = {n: i for i, n in enumerate(order)}
    pairs = [(n, e) for n in place for e in edges.get(n, ()) if e in place]
    early = [n if after else e for n, e in pairs if (place[n] < place[e]) == after]
    needed = reached(edges, roots)
    missing = needed.difference(order)
    return {
        "not in the graph": [n for n in order if n not in edges],
        "repeated": [n for n, count in collections.Counter(order).items() if count > 1],
        "a root is missing": sorted(missing.intersection(roots)),
        "missing": sorted(missing),
        "not needed": sorted((edges.keys() & place) - needed),
        "backwards": 0 < len(pairs) == len(early),
        "too early": sorted({*early}),
    }
