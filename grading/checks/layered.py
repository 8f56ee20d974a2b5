"""The graphs that checks of graphs draw from, and what is wrong with an order."""

GRAPHS = {  # an operation: its inputs. The last one is what is wanted
    "a chain": {0: [], 1: [0], 2: [1], 3: [2]},
    "a diamond": {0: [], 1: [0], 2: [0], 3: [1, 2]},
    "a short cut": {0: [], 1: [0], 2: [1], 3: [2], 4: [3, 1]},
    "a short cut in front": {0: [], 1: [0], 2: [1], 3: [2], 4: [1, 3]},
    "a fork": {0: [], 1: [0], 2: [1], 3: [0], 4: [2, 3]},
    "two ends": {0: [], 1: [], 2: [0, 1], 3: [1], 4: [3]},
    "an operand twice": {0: [], 1: [], 2: [0, 0], 3: [2, 1, 2]},
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


def uses(edges):
    """A graph in words."""
    said = [f"{n} uses {i}" for n, i in edges.items() if i]
    return "; ".join(said) or "none uses another"


def sources(edges):
    """The operations without inputs."""
    return [n for n, inputs in edges.items() if not inputs]


def graphs(random, count):
    """All of GRAPHS, and as many that are drawn."""
    return [*GRAPHS.values(), *(Layered(random, 10).edges for _ in range(count))]


class Layered:
    """A graph of so many operations, each of which uses up to three earlier ones."""

    def __init__(self, random, count):
        self.edges = {0: []}
        for n in range(1, count):
            uses = random.sample(range(n), min(n, random.choice([0, 1, 1, 2, 2, 3])))
            self.edges[n] = sorted(uses, key=lambda _: random.random())

    @staticmethod
    def ladder(steps):
        """Diamonds on top of each other: 2 ** steps ways from top to bottom."""
        edges = {0: []}
        for n in range(0, 3 * steps, 3):
            edges |= {n + 1: [n], n + 2: [n], n + 3: [n + 1, n + 2]}
        return edges


def reached(edges, start, stops=()):
    """All nodes that the first ones lead to; of those in `stops` nothing further."""
    found, left = set(), list(start)
    while left:
        n = left.pop()
        if n not in found:
            found.add(n)
            left += edges[n] if n not in stops else []
    return found


def fault(order, edges, roots, before):
    """What is wrong with an order of all that the roots reach; "" for nothing.

    edges: {node: those that it points to}. before: is each to come before these?
    """
    if any(n not in edges for n in order):
        return "something that is none"
    if len(set(order)) < len(order):
        return "repeated"
    wanted = reached(edges, roots)
    if set(order) != wanted:
        lost = set(roots) - set(order) and "a root is missing"
        return lost or ("missing" if wanted - set(order) else "too much")
    place = {n: i for i, n in enumerate(order)}
    kept = [(place[n] < place[e]) == before for n in order for e in edges[n]]
    wrong = "too early" if any(kept) else "backwards"
    return "" if all(kept) else wrong
