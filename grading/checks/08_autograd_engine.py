"""The order of the nodes: any that is right is accepted."""

from grading.exercise import Check, Differs, checks
from minigrad.autograd.engine import topological_order

from .layered import GRAPHS, Layered, fault, graphs, row
from .scene_check import cut


def renamed(random, edges, roots=(-1,)):
    """The same graph under other numbers, and its roots; of its own the last node."""
    names = random.sample(range(len(edges)), len(edges))
    new = {names[n]: [(names[i], 0) for i in below] for n, below in edges.items()}
    return dict(sorted(new.items())), [names[n] for n in roots]


LONG = "10 000 nodes in a row"
RIGHT = Differs("each node once, and before all that it points to")


@checks(topological_order)
class TopologicalOrder(Check):
    """Leaves out cycles: no graph has any; and 100 000 nodes: 10 000 end recursion."""

    scene = "order"

    def cases(self, random):
        yield "the diamond", *renamed(random, GRAPHS["a diamond"])
        for edges in (*graphs(random, 3), Layered.ladder(12)):
            yield "any graph", *renamed(random, edges)
        yield "None among next_functions", {0: [(None, 0), (1, 0)], 1: []}, [0]
        yield "None among next_functions", {0: [(1, 0), (None, 0)], 1: [(None, 0)]}, [0]
        yield "several roots", {0: [(2, 0)], 1: [(2, 0)], 2: []}, [0, 1]
        for roots in [1, 0], [0, 1]:
            yield "several roots", {0: [(1, 0)], 1: [(2, 0)], 2: []}, roots
        yield "several roots", {0: [(1, 0), (2, 0)], 1: [], 2: [(1, 0)]}, [0, 0]
        yield LONG, *renamed(random, *row(random, 10_000))
        yield LONG, 200, "effort"

    def _got(self, subject, args, own=False):
        self.scene = "effort" if args[-1] == "effort" else "order"
        return super()._got(subject, args, own)

    def expected(self, edges, roots):
        return True if roots == "effort" else RIGHT

    def same(self, got, expected, edges, roots):
        if not isinstance(expected, Differs):
            return type(got) is type(expected) and got == expected
        return self.judged(got, edges, roots) == expected

    def judged(self, got, edges, roots):
        if not isinstance(got, list):
            return "no list"
        to = {n: [e for e, _ in out if e is not None] for n, out in edges.items()}
        return fault(got, to, roots, before=True) or RIGHT

    def general(self, case):
        types = getattr(case.got, "types", ())
        if "RecursionError" in types:
            return "recursion", (
                "it calls itself for each node, and Python allows 1000 calls inside of "
                "each other: keep a list of the nodes that are still to be visited"
            )
        if "AttributeError" in types and "NoneType" in case.got.message:
            return "none_followed", (
                "None stands among next_functions where an operand asks for no "
                "gradient: nothing is to be visited there"
            )
        if case.args[1:] == ("effort",) and case.got is False:
            return "quadratic", (
                "each `in` goes through a list from its front: ask a set what was seen"
            )
        return None if isinstance(case.got, list) else super().general(case)

    def words(self, edges, roots):
        if roots == "effort" or len(edges) > 1000:
            count = edges if roots == "effort" else len(edges)
            return f"{count:,} nodes, each below the last"
        to = [f"{n} -> {', '.join(str(e) for e, _ in out)}" for n, out in
              edges.items() if out]  # fmt: skip
        return cut(f"roots {roots}; {'; '.join(to)}", 200)

    def lines(self, case):
        lines = dict(super().lines(case)) | {"expected": str(RIGHT)}
        if case.args[1:] == ("effort",):
            lines["expected"] = "about twice the comparisons for twice the nodes"
            lines["got"] = "four times as many"
        return list(lines.items())
