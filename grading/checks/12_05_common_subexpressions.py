"""Which nodes compute what an earlier one has computed."""

from grading.exercise import checks
from minigrad.jit.passes import common_subexpressions

from .layered import graphs
from .scene_check import SceneCheck, cut

CALL = "call_function"


def node(n):
    return ("node", n)


def call(target, *args, **kwargs):
    return (CALL, target, args, kwargs)


X, Y = ("placeholder", "x", (), {}), ("placeholder", "y", (), {})
W, V = ("get_attr", "tensor", (), {}), ("get_attr", "tensor", (), {})
PLAIN = [X, Y, *(call("add", node(a), node(b)) for a, b in ((0, 1), (0, 1), (1, 0)))]
NUMBERS = [X, *(call("mul", node(0), n) for n in (1, 1.0, True, 1, 1.0, True, 2))]
ZEROS = [X, *(call("div", node(0), n) for n in (0.0, -0.0, 0.0))]
ORDER = [X, Y, call("sub", node(0), node(1)), call("sub", node(1), node(0))]
OPTIONS = [X, *(call("sum", node(0), **options) for options in (
    {"dims": (0,)}, {"dims": (1,)}, {"dims": (0,)}, {}, {"dim": True},
    {"keepdim": True}))]  # fmt: skip
DIMS = 1, True, 1.0, (1,), (True,), 0.0, -0.0, (1,), True, (0.0,), (-0.0,)
KINDS = [X, *(call("sum", node(0), dim=d) for d in DIMS)]
SWAPPED = [X, call("sum", node(0), dims=(0,), keepdim=True),
           call("sum", node(0), keepdim=True, dims=(0,))]  # fmt: skip
INPUTS = [X, X, W, V, call("exp", node(0)), call("exp", node(1)), call("exp", node(2)),
          call("exp", node(3))]  # fmt: skip
THRICE = [X, *[call("exp", node(0))] * 3, call("add", node(1), node(3)),
          call("add", node(2), node(2))]  # fmt: skip
COUNTS = [X, call("cat", node(0)), call("cat", node(0), node(0)), call("cat")]
FIRST = [call("arange", 3), call("arange", 3), call("exp", node(1))]
TEXTS = [X, *(call("pad", *args) for args in (
    ("a", "b"), ("a, b",), ("a", "b"), ("%0",), (node(0),), (node(0), "1"),
    (node(0), 1), (node(0), "dim=1"), ("'a'",)))]  # fmt: skip
PLACES = [X, call("sum", node(0), 1), call("sum", node(0), dim=1),
          call("sum", node(0), "dim", 1), call("sum", node(0), dim=1)]  # fmt: skip
CLOSE = [X, *(call("mul", node(0), n) for n in (
    0.3, 0.1 + 0.2, 0.3, 2**53, 2**53 + 1, 2.0**53, -1, 1e-9, 2**53))]  # fmt: skip
OTHERS = [X, *[("call_method", "exp", (node(0),), {})] * 2, call("exp", node(1)),
          call("exp", node(2)), *[("output", "output", (node(3),), {})] * 2,
          *[("call_module", "exp", (node(0),), {})] * 2, call("exp", node(0)),
          call("exp", node(0))]  # fmt: skip
NONE = [X, call("linear", node(0), None), call("linear", node(0), "None"),
        call("linear", node(0)), call("linear", node(0), None)]  # fmt: skip


@checks(common_subexpressions)
class CommonSubexpressions(SceneCheck):
    """Leaves out NaN as an argument: the contract does not say what it equals."""

    def words(self, scene):
        lines = []
        for n, (op, target, args, kwargs) in enumerate(scene["described"]):
            shown = [f"%{a[1]}" if isinstance(a, tuple) else repr(a) for a in args]
            shown += [f"{k}={v}" for k, v in kwargs.items()]
            lines.append(f"%{n} = {' '.join([target if op == CALL else op, *shown])}")
        return cut("; ".join(lines), 200)

    def cases(self, random):
        for described in PLAIN, PLAIN, PLAIN, ORDER:
            yield "the same twice", self.of(random, described)
        for few in [X], []:
            yield "the same twice", self.of(random, few)
        yield "it spreads", self.of(random, THRICE)
        for edges in graphs(random, 5):
            yield "it spreads", self.of(random, self.twice(random, edges))
        yield "inputs are never the same", self.of(random, INPUTS)
        yield "inputs are never the same", self.of(random, OTHERS)
        yield "options", self.of(random, OPTIONS)
        yield "options", self.of(random, SWAPPED)
        yield "options", self.of(random, PLACES)
        yield "numbers have types", self.of(random, NUMBERS)
        yield "numbers have types", self.of(random, ZEROS)
        yield "numbers have types", self.of(random, NONE)
        yield "numbers have types", self.of(random, KINDS)
        for described in TEXTS, CLOSE:
            yield "numbers have types", self.of(random, described)
        yield "how many", self.of(random, COUNTS)
        yield "how many", self.of(random, FIRST)

    def of(self, random, described):
        """The nodes, after a few inputs that nobody uses."""
        few = random.randrange(20)
        nodes = [X] * few
        for op, target, args, kwargs in described:
            args = [node(few + a[1]) if isinstance(a, tuple) else a for a in args]
            nodes.append((op, target, tuple(args), kwargs))
        return {"scene": "common", "described": nodes}

    def twice(self, random, edges):
        """A graph, and all that it computes once more, by the second ones' results."""
        kinds = {n: random.choice(["add", "mul"]) for n in edges}
        nodes = [call(kinds[n], 2, *map(node, i)) if i else X for n, i in edges.items()]
        again = {}
        for n, inputs in edges.items():
            if inputs:
                again[n] = len(nodes)
                args = (node(again.get(i, i)) for i in inputs)
                nodes.append(call(kinds[n], 2, *args))
        return nodes

    def expected(self, scene):
        values, twins = [], {}
        for n, (op, target, args, kwargs) in enumerate(scene["described"]):
            if op != CALL:
                values.append(f"input {n}")
                continue
            parts = [values[a[1]] if isinstance(a, tuple) else repr(a) for a in args]
            parts += [f"{k}={kwargs[k]!r}" for k in sorted(kwargs)]
            value = f"{target}({', '.join(parts)})"
            if value in values:
                twins[n] = values.index(value)
            values.append(value)
        return {"repeated": twins, "nodes are as they were": True}
