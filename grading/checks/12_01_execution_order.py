"""The order in which a graph runs: any that is right is accepted."""

from grading.exercise import Check, Differs, checks
from minigrad.graph import execution_order

from .layered import Layered, fault, graphs, row, uses
from .scene_check import cut

RIGHT = Differs("each operation once, after its inputs, and nothing else")


@checks(execution_order)
class ExecutionOrder(Check):
    """Leaves out cycles: an operation's inputs are there before it."""

    scene = "execution"

    def cases(self, random):
        some = graphs(random, 4)
        for edges in some:
            yield "each after its inputs", edges, [max(edges)]
        for edges in some:
            for n in edges if len(edges) < 6 else random.sample([*edges], 2):
                yield "only what is needed", edges, [n]
        for edges in some:
            yield "several fetches", edges, random.choices([*edges], k=3)
            yield "several fetches", edges, [max(edges), min(edges)]
        yield "several fetches", edges, []
        yield "10 000 operations in a row", *row(random, 10_000)
        yield "many ways", Layered.ladder(30), [90]

    def expected(self, edges, fetches):
        return RIGHT

    def same(self, got, expected, edges, fetches):
        if isinstance(expected, Differs):
            kept = isinstance(got, dict) and got["fetches are as they were"]
            return kept and self.judged(got["order"], edges, fetches) == expected
        return got == expected  # a mistake's

    def judged(self, order, edges, fetches):
        found = fault(order, edges, fetches, before=False)
        return found.removeprefix("a root is ") or RIGHT

    def general(self, case):
        if "RecursionError" in getattr(case.got, "types", ()):
            return "recursion", (
                "it calls itself for each operation, and Python allows 1000 calls "
                "inside of each other: keep a list of what is still to be visited"
            )
        if getattr(case.got, "kind", "") == "type":
            return "type", case.got.message
        return None if isinstance(case.got, dict) else super().general(case)

    def words(self, edges, fetches):
        if len(edges) > 1000:
            return f"{len(edges):,} operations, each uses the one before"
        return cut(f"fetches {fetches}; {uses(edges)}", 200)

    def lines(self, case):
        lines = dict(super().lines(case)) | {"expected": str(RIGHT)}
        if isinstance(case.got, dict):
            lines["got"] = str(case.got["order"])
        return list(lines.items())
