"""backward: a graph that is described here goes through the engine.

What must come of it is worked out by arithmetic; whole programs have PyTorch beside
them.
"""

from grading.exercise import checks, mistakes, right
from minigrad.autograd.engine import backward

from .gradients import ScenarioCheck, drawn, drawn_graph
from .scene_check import cut

DIAMOND = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(3, 0)], 3: []}
SQUARE = {0: [(1, 0), (2, 0)], 1: [(2, 0), (2, 0)], 2: []}  # x * x + x
GAVE, SEEDS = "gradients that nodes gave", "gradients by the same seeds again"
ORDER = "what is done, in order"
TOO_MANY = "what is done with nodes that are left out"


def run(edges, rows, seeds, retain):
    """What an engine does."""
    arrived = {(n, i): float(value) for n, i, value in seeds}
    ends, log, gave = {}, [], []
    for n in sorted(edges):
        weights = rows.get(n, ((1,) * len(edges[n]),))
        got = [arrived.pop((n, i), None) for i in range(len(weights))]
        called = any(g is not None for g in got)
        if not edges[n]:
            ends[n] = got if called else None
        gave.append([])
        if not called:
            continue
        log += [f"call {n}", f"release {n}"][: 1 if retain else 2]
        for k, (e, i) in enumerate(edges[n]):
            along = [row[k] * g for row, g in zip(weights, got, strict=True)
                     if row[k] is not None and g is not None]  # fmt: skip
            gave[-1].append(sum(along) if along else None)
            if along and e is not None:
                arrived[e, i] = sum(along) + arrived.get((e, i), 0)
    return {"gradients that the ends get": ends, ORDER: 2 * log,
            GAVE: [2 * given for given in gave], SEEDS: ends}  # fmt: skip


@checks(backward)
class Backward(ScenarioCheck):
    """Leaves out orders that are not topological: the contract has none."""

    def cases(self, random):
        def few():
            return float(random.randint(2, 9))

        w = random.randint(2, 5)
        yield "x * x + x", SQUARE, {1: ((w, w),)}, [(0, 0, few())], False
        yield "x * x + x", DIAMOND, {0: ((2, w),)}, [(0, 0, few())], False
        yield "x * x + x", "whole", drawn(random, 3)
        for size in 6, 10:
            edges = drawn_graph(random, size)
            rows = {n: (tuple(random.randint(2, 5) for _ in out),)
                    for n, out in edges.items()}  # fmt: skip
            yield "x * x + x", edges, rows, [(0, 0, few())], None
        two = {0: [(1, 0), (1, 1)], 1: [(2, 0), (3, 0)], 2: [], 3: []}
        rows = {0: ((2, 3),), 1: ((1, 4), (5, 1))}
        yield "several results", two, rows, [(0, 0, few())], False
        two = {0: [(1, 1)], 1: [(2, 0)], 2: []}
        yield "several results", two, {1: ((3,), (4,))}, [(0, 0, few())], False
        none = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(3, 0)], 3: []}
        yield "None", none, {0: ((None, 2),)}, [(0, 0, few())], False
        none = {0: [(1, 0), (2, 0)], 1: [(2, 0)], 2: []}
        yield "None", none, {1: ((None,),)}, [(0, 0, few())], False
        yield "None", {0: [(None, 0), (1, 0)], 1: []}, {}, [(0, 0, few())], False
        yield "seeds", DIAMOND, {}, [(1, 0, few()), (2, 0, few())], False
        yield "seeds", DIAMOND, {}, [(0, 0, few()), (1, 0, few())], False
        shared = {0: [(1, 0), (2, 0)], 1: [(2, 0)], 2: []}
        yield "gradients are not changed", shared, {}, [(0, 0, few())], False
        yield "gradients are not kept", 8
        yield "retain_graph", DIAMOND, {}, [(0, 0, few())], True
        yield "retain_graph", "again", drawn(random, 2), True
        yield "retain_graph", "again", drawn(random, 2), False

    def _got(self, subject, args, own=False):
        scenes = {str: "scenario", int: "handed_on"}
        self.scene = scenes.get(type(args[0]), "engine")
        return super()._got(subject, args, own)

    def torch(self, *args):
        """Nothing: PyTorch's engine is in its own place."""

    def expected(self, first, *args):
        if isinstance(first, str):
            return super().expected(first, *args)
        return True if isinstance(first, int) else run(first, *args)

    def first_difference(self, got, right):
        found = super().first_difference(got, right)
        more = found == ORDER and {*got[ORDER]} - {*right[ORDER]}
        return TOO_MANY if more else found

    def words(self, first, *args):
        if first == "whole":
            return "x * x + x and more, in the engine: y.sum().backward()"
        if isinstance(first, int):
            return f"{first} nodes in a row: at most 3 gradients exist at a time"
        if first == "again":
            return f"y.backward(retain_graph={args[-1]}), then y.backward()"
        rows, seeds, _ = args
        to = []
        for n, out in first.items():
            times = rows.get(n, ((1,) * len(out),))[0]
            sent = [f"{w} * to {e}" for w, (e, _) in zip(times, out, strict=True)]
            to += [f"{n} -> {', '.join(sent)}"] * bool(out)
        return cut(f"seeds {seeds}; {'; '.join(to)}", 200)

    def general(self, case):
        types = getattr(case.got, "types", ())
        if "TypeError" in types and "None" in case.got.message:
            return "none_added", (
                "None came as a gradient, and was added: where a node computes None, "
                "nothing goes that way"
            )
        if case.got is False:
            return "kept", (
                "gradients are kept that were handed on: take them out, "
                "arrived.pop(edge), or all of the graph's are in memory at once"
            )
        return super().general(case)


ADDED = "arrived[edge] + g if edge in arrived else g"
mistakes(backward)(rf"""
overwrites: where two gradients meet, the later one overwrites the earlier: they are
    added up. In x * x + x, x has a say in three places, and all three count
> {ADDED} -> g
> {ADDED} -> g
& arrived.pop((node, i), None) -> arrived.get((node, i))
ones: backward begins with the gradients of `seeds`, not with 1
> dict(seeds) -> {{edge: g * 0 + 1 for edge, g in seeds.items()}}
first_result: a node gets the gradients of all its results: (node, 0), (node, 1), ...,
    up to node.outputs - 1
> (node, i), None) -> (node, i), None) if i == 0 else None
calls_all: a node at which nothing has arrived is called: it is left out
> if all(g is None for g in gradients): -> if False:
kept:
> arrived.pop((node, i), None) -> arrived.get((node, i))
never_released: nothing is released: unless retain_graph, each node lets go of what it
    saved
> not retain_graph -> False
always_released: nodes are released though retain_graph says that they are needed again
> not retain_graph -> True
none_added:
> if g is not None: -> if True:
in_place: `+=` changes a tensor that somebody else holds: one gradient may go to two
    places. `g + h` makes a new one
? {GAVE}
> {ADDED} -> arrived[edge].add_(g) if edge in arrived else g
seeds_changed: `seeds` has changed: it is the caller's. dict(seeds) makes a copy
? {SEEDS}
> dict(seeds) -> seeds
late: nodes are released later than they could be: each lets go of what it saved as soon
    as it was called, or all of it is in memory to the end
? {ORDER}
> node.release() -> pass
& else g\n -> else g\n    for node in order:\n        if not
    retain_graph:\n            node.release()\n
released: a node at which nothing has arrived is released: it is left out
? {TOO_MANY}
> continue -> (retain_graph or node.release()); continue
cut: the gradients have no gradients: add them up as they are
? of these
> {ADDED} -> ({ADDED}).detach()
equivalent: which of the gradients that meet is the first does not matter to their sum
> order: for edge, g in zip(node.next_functions, found
right: new on the left
> arrived[edge] + g if -> g + arrived[edge] if
""")


@right(backward, "parts that are added up when all are there")
def _(order, seeds, retain_graph=False):
    parts = {edge: [g] for edge, g in seeds.items()}
    for node in order:
        given = []
        for i in range(node.outputs):
            first, *others = parts.pop((node, i), [None])
            for g in others:
                first = first + g
            given.append(first)
        if given != [None] * node.outputs:
            for edge, g in zip(node.next_functions, node(*given), strict=True):
                if g is not None:
                    parts.setdefault(edge, []).append(g)
            if not retain_graph:
                node.release()


@right(backward, "a row for each node")
def _(order, seeds, retain_graph=False):
    rows = {node: [None] * node.outputs for node in order}
    for (node, i), g in seeds.items():
        rows[node][i] = g
    for node in order:
        row = rows.pop(node)
        if all(g is None for g in row):
            continue
        for (to, i), g in zip(node.next_functions, node(*row), strict=True):
            if to is not None and g is not None:
                rows[to][i] = g if rows[to][i] is None else rows[to][i] + g
        if not retain_graph:
            node.release()
