"""Chapter 08, backward: a graph that is described here goes through the engine.

What must come of it is worked out by arithmetic; whole programs have PyTorch beside
them.
"""

from grading.checking import cause, checks
from minigrad.autograd.engine import backward

from .gradients import Differs, ScenarioCheck, differs, drawn, drawn_graph

DIAMOND = {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(3, 0)], 3: []}


ENDS = "gradients that the ends get"
SQUARE = {0: [(1, 0), (2, 0)], 1: [(2, 0), (2, 0)], 2: []}  # x * x + x
AGAIN = "the second backward raises"
CALLS, FREED = "calls of each node", "nodes that are released"


def run(edges, rows, seeds, retain, mistake=None):
    """What an engine does; `mistake`: with one of these names, on purpose."""
    arrived = {}
    for n, i, value in seeds:
        arrived[n, i] = 1.0 if mistake == "ones" else float(value)
    ends, calls, freed = {}, {}, []
    for n in sorted(edges):
        weights = rows.get(n, ((1,) * len(edges[n]),))
        got = [arrived.pop((n, i), None) for i in range(len(weights))]
        if mistake == "first result":
            got = got[:1] + [None] * (len(got) - 1)
        calls[n] = int(any(g is not None for g in got) or mistake == "all")
        if not edges[n]:
            ends[n] = got if calls[n] else None
        if not calls[n]:
            continue
        freed += [n] * (not retain)
        for k, (e, i) in enumerate(edges[n]):
            along = [row[k] * g for row, g in zip(weights, got, strict=True)
                     if row[k] is not None and g is not None]  # fmt: skip
            if along and e is not None:
                add = mistake != "overwrites" and (e, i) in arrived
                arrived[e, i] = sum(along) + (arrived[e, i] if add else 0)
    return {ENDS: ends, CALLS: calls, FREED: freed,
            "gradients that nodes gave are unchanged": True,
            "seeds is as it was": True}  # fmt: skip


@checks(backward)
class Backward(ScenarioCheck):
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
        yield "retain_graph", DIAMOND, {}, [(0, 0, few())], True
        yield "retain_graph", "again", drawn(random, 2), True
        yield "retain_graph", "again", drawn(random, 2), False

    def _try(self, subject, part, args, own=False):
        self.scene = "scenario" if isinstance(args[0], str) else "engine"
        return super()._try(subject, part, args, own)

    def torch(self, *args):
        """Nothing: PyTorch's engine is in its own place."""

    def expected(self, first, *args):
        if isinstance(first, str):
            return super().expected(first, *args)
        return run(first, *args)

    def told(self, first, *args):
        if first == "whole":
            return "x * x + x and more, in the engine: y.sum().backward()"
        if first == "again":
            return f"y.backward(retain_graph={args[-1]}), then y.backward()"
        rows, seeds, _ = args
        to = []
        for n, out in first.items():
            times = rows.get(n, ((1,) * len(out),))[0]
            sent = [f"{w} * to {e}" for w, (e, _) in zip(times, out, strict=True)]
            to += [f"{n} -> {', '.join(sent)}"] * bool(out)
        return f"seeds {seeds}; {'; '.join(to)}"[:200]

    def wrong(self, mistake, args):
        return Differs() if isinstance(args[0], str) else run(*args, mistake)

    @cause(
        "where two gradients meet, the later one overwrites the earlier: they are "
        "added up. In x * x + x, x has a say in three places, and all three count"
    )
    def overwrites(self, *args):
        return self.wrong("overwrites", args)

    @cause("backward begins with the gradients of `seeds`, not with 1")
    def ones(self, *args):
        return self.wrong("ones", args)

    @cause(
        "a node gets the gradients of all its results: (node, 0), (node, 1), ..., up "
        "to node.outputs - 1"
    )
    def first_result(self, *args):
        return self.wrong("first result", args)

    @cause("a node at which nothing has arrived is called: it is left out")
    def calls_all(self, *args):
        right = None if isinstance(args[0], str) else run(*args)
        called = right and any(not n for n in right[CALLS].values())
        return Differs(CALLS) if called else Differs()

    in_place = differs(
        "gradients that nodes gave are unchanged",
        "`+=` changes a tensor that somebody else holds: one gradient may go to two "
        "places. `g + h` makes a new one",
    )
    seeds_changed = differs(
        "seeds is as it was",
        "`seeds` has changed: it is the caller's. dict(seeds) makes a copy",
    )

    @cause(
        "nothing is released: unless retain_graph, each node lets go of what it saved"
    )
    def never_released(self, *args):
        if isinstance(args[0], str):
            return Differs(AGAIN if args[-1] is False else "")
        return Differs("" if args[-1] else FREED)

    @cause("nodes are released though retain_graph says that they are needed again")
    def always_released(self, *args):
        key = AGAIN if isinstance(args[0], str) else FREED
        return Differs(key if args[-1] is True else "")

    def general(self, case):
        types = getattr(case.got, "types", ())
        if "TypeError" in types and "None" in case.got.message:
            return "none_added", (
                "None came as a gradient, and was added: where a node computes None, "
                "nothing goes that way"
            )
        return super().general(case)
