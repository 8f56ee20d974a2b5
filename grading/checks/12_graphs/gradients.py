"""gradients: operations which, when they are run, are what PyTorch computes."""

import math

import torch

from grading.drivers import programs
from grading.exercise import Check, call, close
from minigrad.graph import gradients

from ..inputs import numbers
from ..layered import graphs, reached

TORCH = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Neg": torch.neg,
    "MatMul": torch.matmul, "Exp": torch.exp, "Tanh": torch.tanh, "Sum": torch.sum,
    "Step": lambda a: (a > 0).to(a.dtype), "OnesLike": torch.ones_like,
}  # fmt: skip
KINDS = [["Placeholder"], ["Tanh", "Neg"], ["Add", "Sub", "Mul"]]  # by their inputs
SHAPES = {"x": (3, 2), "w": (2, 4), "b": (4,)}  # of what LINEAR is fed


def places(*names):
    return [(name, "Placeholder", ()) for name in names]


CHAIN = [*places("a"), ("h", "Tanh", ("a",)), ("e", "Exp", ("h",)),
         ("y", "Neg", ("e",))]  # fmt: skip
SQUARE = [*places("a"), ("s", "Mul", ("a", "a")), ("y", "Mul", ("s", "s"))]
LINEAR = [*places("x", "w", "b"), ("m", "MatMul", ("x", "w")), ("z", "Add", ("m", "b")),
          ("h", "Tanh", ("z",)), ("y", "Sum", ("h",))]  # fmt: skip
SUMS = [*places("a"), ("s", "Add", ("a", "a")), ("y", "Add", ("s", "s"))]
BLOCKED = [*places("a"), ("t", "Tanh", ("a",)), ("o", "OnesLike", ("t",)),
           ("y", "Neg", ("o",))]  # fmt: skip
STEP = [*places("c", "d"), ("s", "Step", ("d",)), ("y", "Mul", ("c", "s"))]


def cases(random):
    every = [drawn(random, edges) for edges in graphs(random, 5)]
    for steps in every[0], LINEAR:
        yield "a chain", of(random, steps, [steps[0][0]])
    yield "a chain", of(random, LINEAR, ["w", "b"])
    for steps in every:
        ends = [name for name, kind, _ in steps if kind == "Placeholder"]
        yield "parts are added up", of(random, steps, ends)
        yield "not asked", of(random, steps, [random.choice(ends)])
        some = random.choices([name for name, *_ in steps], k=3)
        yield "an x on the way", of(random, steps, some)
        yield "an x on the way", of(random, steps, [steps[-1][0], *ends])
        yield "no way", of(random, [*places("c"), *steps], ["c", *ends])
    yield "parts are added up", of(random, SUMS, ["a"], shared=True)
    yield "no way", of(random, [*places("c"), *LINEAR], ["c"])
    yield "no way", of(random, LINEAR, [])
    yield "no way", of(random, BLOCKED, ["a", "t"])
    infinite = of(random, [*places("a"), ("y", "Neg", ("a",))], ["a", "y"])
    infinite.options["feed"]["a"][1] = math.inf
    yield "an x on the way", infinite
    yield "not asked", of(random, STEP, ["c"])
    yield "not asked", of(random, LINEAR, ["b"])
    for steps in SQUARE, CHAIN:
        yield "gradients of gradients", of(random, steps, ["a"], twice=True)


def drawn(random, edges):
    """Operations of a graph; one of three inputs is two, of two each."""
    steps = []
    for n, inputs in edges.items():
        name, inputs = f"o{n}", [f"o{i}" for i in inputs]
        if len(inputs) == 3:
            steps.append((f"{name}_", random.choice(KINDS[2]), tuple(inputs[:2])))
            inputs = [f"{name}_", inputs[2]]
        steps.append((name, random.choice(KINDS[len(inputs)]), tuple(inputs)))
    return steps


def of(random, steps, xs, **how):
    feed = {name: numbers(random, *SHAPES.get(name, (3,)), scale=0.5)
            for name, kind, _ in steps if kind == "Placeholder"}  # fmt: skip
    return call(steps=steps, xs=xs, y=steps[-1][0], feed=feed, **how)


def reference(steps, xs, y, feed, twice=False):
    values = {n: torch.tensor(v, requires_grad=True) for n, v in feed.items()}
    leads, asked = {*xs}, []
    needed = reached({n: i for n, _, i in steps}, [y])
    given = {y}  # what has a gradient
    for name, kind, inputs in reversed(steps):
        given |= {*inputs} if name in given and kind != "OnesLike" else set()
    for name, kind, inputs in steps:
        if name in feed:
            continue
        values[name] = TORCH[kind](*(values[i] for i in inputs))
        if not leads.isdisjoint(inputs):
            leads.add(name)
            asked += [name] * (name in needed and name in given)
    grads = differentiated(values[y], [values[x] for x in xs])
    if twice:
        grads = differentiated(grads[0], [values[x] for x in xs])
    return {
        "gradients": [None if g is None else g.detach().numpy() for g in grads],
        "grad_of is called for": None if twice else ", ".join(sorted(asked)),
    }


def differentiated(y, xs):
    if not y.requires_grad or not xs:
        return [None for _ in xs]
    how = {"allow_unused": True, "create_graph": True}
    return torch.autograd.grad(y.sum(), xs, **how)


def diagnose(got, expected, case):
    raised = "LookupError" in getattr(got, "types", ())
    if raised and "for Placeholder" in got.message:
        return "asks_placeholder", (
            "`grad_of` is called for a placeholder, which has no inputs. Call it only "
            "for an operation if one of its inputs is an x or is computed from an x."
        )
    blocks = {"OnesLike", "Step"}.intersection(
        kind for _, kind, _ in case.options["steps"]
    )
    if blocks and "NoneType" in getattr(got, "message", ""):
        return "none_kept", (
            "`grad_of` may return None for an input, which means that there's no "
            "gradient. Leave that input out: don't add or keep the None."
        )
    return None


check = Check(
    gradients,
    cases=cases,
    reference=reference,
    compare=close(),
    driver=programs.graph_gradients,
    diagnose=diagnose,
    not_tested="dtypes but double, and deep graphs: the contract speaks of neither",
)
