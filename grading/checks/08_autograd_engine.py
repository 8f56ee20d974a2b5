"""Chapter 08, the order of the nodes: any that is right is accepted."""

from grading.checking import Check, cause, checks
from minigrad.autograd.engine import topological_order

from .gradients import drawn_graph

DIAMOND = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(3, 0)], 3: []}
SHORT_CUT = {0: [(4, 0), (1, 0)], 1: [(2, 0)], 2: [(3, 0)], 3: [(4, 0)], 4: [(5, 0)],
             5: []}  # fmt: skip
LONG_FIRST = {0: [(1, 0), (3, 0)], 1: [(2, 0)], 2: [(3, 0)], 3: [(4, 0)], 4: []}
CROSSED = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(1, 0)], 3: []}


def ladder(steps):
    """Diamonds on top of each other: 2 ** steps ways from top to bottom."""
    edges = {}
    for i in range(0, 3 * steps, 3):
        edges |= {i: [(i + 1, 0), (i + 2, 0)], i + 1: [(i + 3, 0)], i + 2: [(i + 3, 0)]}
    return edges | {3 * steps: []}


def renamed(random, edges):
    """The same graph under other numbers."""
    names = random.sample(range(len(edges)), len(edges))
    new = {names[n]: [(names[e], i) for e, i in out] for n, out in edges.items()}
    return dict(sorted(new.items())), [names[0]]


class Order(str):
    """What an order of nodes is: "right", or what is wrong with it."""


RIGHT = Order("each node once, and before all that it points to")


@checks(topological_order)
class TopologicalOrder(Check):
    scene = "order"

    def cases(self, random):
        for edges in (DIAMOND, SHORT_CUT, LONG_FIRST, CROSSED):
            yield "the diamond", *renamed(random, edges)
        for size in 6, 9, 12:
            yield "any graph", *renamed(random, drawn_graph(random, size))
        yield "any graph", *renamed(random, ladder(12))
        yield "None among next_functions", {0: [(None, 0), (1, 0)], 1: []}, [0]
        yield "None among next_functions", {0: [(1, 0), (None, 0)], 1: [(None, 0)]}, [0]
        yield "several roots", {0: [(2, 0)], 1: [(2, 0)], 2: []}, [0, 1]
        yield "several roots", {0: [(1, 0)], 1: [(2, 0)], 2: []}, [1, 0]
        yield "several roots", {0: [(1, 0), (2, 0)], 1: [], 2: [(1, 0)]}, [0, 0]
        yield "10 000 nodes in a row", 10_000

    def _try(self, subject, part, args, own=False):
        self.scene = "chain" if len(args) == 1 else "order"  # a graph too long to write
        return super()._try(subject, part, args, own)

    def expected(self, edges, roots=None):
        return True if roots is None else RIGHT

    def same(self, got, expected, edges, roots=None):
        if roots is None or not isinstance(expected, Order):
            return roots is None and got is expected
        return self.judged(got, edges, roots) == expected

    def judged(self, got, edges, roots):
        if not isinstance(got, list):
            return Order("no list")
        if any(n not in edges for n in got):
            return Order("something that is no node")
        if len(set(got)) < len(got):
            return Order("repeated")
        reached, left = set(), list(roots)
        while left:
            n = left.pop()
            if n is not None and n not in reached:
                reached.add(n)
                left += [e for e, _ in edges[n]]
        if set(got) != reached:
            return Order("a root is missing" if set(roots) - set(got) else "missing")
        pairs = [(n, e) for n in got for e, _ in edges[n] if e is not None]
        late = [got.index(n) < got.index(e) for n, e in pairs]
        if pairs and not any(late):
            return Order("backwards")
        return RIGHT if all(late) else Order("too early")

    def general(self, case):
        types = getattr(case.got, "types", ())
        if "RecursionError" in types:
            return "recursion", (
                "it calls itself for each node, and Python allows 1000 calls inside of "
                "each other: keep a list of the nodes that are still to be visited"
            )
        if getattr(case.got, "kind", "") == "raised" and "AttributeError" in types:
            return "none_followed", (
                "None stands among next_functions where an operand asks for no "
                "gradient: nothing is to be visited there"
            )
        return super().general(case)

    def lines(self, case):
        lines = dict(super().lines(case))
        if len(case.args) == 2:
            edges, roots = case.args
            to = [f"{n} -> {', '.join(str(e) for e, _ in out)}" for n, out in
                  edges.items() if out]  # fmt: skip
            lines["case"] = f"roots {roots}; {'; '.join(to)}"[:200]
        else:
            lines["case"] = f"{case.args[0]:,} nodes, each below the last"
        lines["expected"] = str(RIGHT)
        return list(lines.items())

    @cause(
        "a node stands before one that points to it: when its turn comes, not all of "
        "its gradient is there. It may come only after all that lead to it"
    )
    def too_early(self, edges, roots=None):
        return Order("too early")

    @cause("the order is the reverse: the roots come first, the leaves last")
    def backwards(self, edges, roots=None):
        return Order("backwards")

    @cause(
        "a node that several others point to is listed several times: once is enough"
    )
    def repeated(self, edges, roots=None):
        return Order("repeated")

    @cause("the roots themselves belong to the list, all of them")
    def no_roots(self, edges, roots=None):
        return Order("a root is missing")

    @cause("nodes are missing: all that can be reached belong to the list")
    def missing(self, edges, roots=None):
        return Order("missing")
