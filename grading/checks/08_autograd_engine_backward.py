"""backward: a graph that is described here goes through the engine.

What must come of it is worked out by arithmetic; whole programs have PyTorch beside
them.
"""

from grading.exercise import checks
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
