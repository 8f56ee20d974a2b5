"""common_subexpressions: which nodes compute what an earlier one has computed."""

from grading.drivers import programs
from grading.exercise import Check, call
from minigrad.jit.passes import common_subexpressions

from ..layered import graphs

A, B, C, D = (("node", n) for n in range(4))


def function(target, *args, **options):
    return ("call_function", target, args, options)


X, Y = ("placeholder", "x", (), {}), ("placeholder", "y", (), {})
W, V = [("get_attr", "tensor", (), {})] * 2


def several(target, *numbers):
    """Nodes of one target, each of the input and a number."""
    return [X, *(function(target, A, n) for n in numbers)]


def cases(random):
    for pairs in *[[(A, B), (A, B), (B, A)]] * 3, [(A, B), (B, A)]:
        target = "add" if pairs[2:] else "sub"
        twice = X, Y, *(function(target, *pair) for pair in pairs)
        yield "the same twice", of(random, *twice)
    yield "the same twice", of(random, X)
    yield "the same twice", of(random)
    exp = function("exp", A)
    add = function("add", B, D), function("add", C, C)
    yield "it spreads", of(random, X, exp, exp, exp, *add)
    for edges in graphs(random, 5):
        yield "it spreads", of(random, *doubled(random, edges))
    each = [function("exp", n) for n in (A, B, C, D)]
    yield "inputs are never the same", of(random, X, X, W, V, *each)
    method, module = ("call_method", "exp", (A,), {}), ("call_module", "exp", (A,), {})
    output = "output", "output", (D,), {}
    others = method, method, *each[1:3], output, output, module, module, exp, exp
    yield "inputs are never the same", of(random, X, *others)
    ways = {"dims": (0,)}, {"dims": (1,)}, {"dims": (0,)}, {}, {"dim": True}
    ways = *ways, {"keepdim": True}
    yield "options", of(random, X, *(function("sum", A, **how) for how in ways))
    swapped = {"dims": (0,), "keepdim": True}, {"keepdim": True, "dims": (0,)}
    yield "options", of(random, X, *(function("sum", A, **how) for how in swapped))
    named = function("sum", A, dim=1)
    places = function("sum", A, 1), named, function("sum", A, "dim", 1), named
    yield "options", of(random, X, *places)
    ones = 1, 1.0, True, 1, 1.0, True, 2
    yield "numbers have types", of(random, *several("mul", *ones))
    yield "numbers have types", of(random, *several("div", 0.0, -0.0, 0.0))
    none = several("linear", None, "None")
    yield "numbers have types", of(random, *none, function("linear", A), none[1])
    dims = 1, True, 1.0, (1,), (True,), 0.0, -0.0, (1,), True, (0.0,), (-0.0,)
    kinds = (function("sum", A, dim=dim) for dim in dims)
    yield "numbers have types", of(random, X, *kinds)
    texts = ("a", "b"), ("a, b",), ("a", "b"), ("%0",), (A,), (A, "1"), (A, 1)
    texts = *texts, (A, "dim=1"), ("'a'",)
    yield "numbers have types", of(random, X, *(function("pad", *t) for t in texts))
    near = 0.3, 0.1 + 0.2, 0.3, 2**53, 2**53 + 1, 2.0**53, -1, 1e-9, 2**53
    yield "numbers have types", of(random, *several("mul", *near))
    counts = function("cat", A), function("cat", A, A), function("cat")
    yield "how many", of(random, X, *counts)
    first = function("arange", 3)
    yield "how many", of(random, first, first, function("exp", B))


def of(random, *described):
    """The nodes, after a few inputs that nobody uses."""
    few = random.randrange(20)
    nodes = [X] * few
    for op, target, args, options in described:
        args = [("node", few + a[1]) if isinstance(a, tuple) else a for a in args]
        nodes.append((op, target, tuple(args), options))
    return call(described=nodes)


def doubled(random, edges):
    """A graph, and all that it computes once more, by the second ones' results."""
    kinds = {n: random.choice(["add", "mul"]) for n in edges}
    nodes = [function(kinds[n], 2, *(("node", i) for i in inputs)) if inputs else X
             for n, inputs in edges.items()]  # fmt: skip
    again = {}
    for n, inputs in edges.items():
        if inputs:
            again[n] = len(nodes)
            args = (("node", again.get(i, i)) for i in inputs)
            nodes.append(function(kinds[n], 2, *args))
    return nodes


def reference(described):
    values, twins = [], {}
    for n, (op, target, args, options) in enumerate(described):
        parts = [values[a[1]] if isinstance(a, tuple) else repr(a) for a in args]
        parts += [f"{k}={options[k]!r}" for k in sorted(options)]
        value = f"{target}({', '.join(parts)})"
        value = value if op == "call_function" else f"input {n}"
        if value in values:
            twins[n] = values.index(value)
        values.append(value)
    return {"repeated": twins, "nodes are as they were": True}


check = Check(
    common_subexpressions,
    cases=cases,
    reference=reference,
    driver=programs.common,
    not_tested="arguments that are NaN: the contract leaves open what they equal",
)
