"""Gradients as operations: run, they are what PyTorch computes."""

import functools
import operator

import torch

from grading.checking import checks
from grading.mistakes import mistakes, right
from minigrad import graph
from minigrad.graph import execution_order, gradients

from .scene_check import SceneCheck, numbers

TORCH = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div,
    "Neg": torch.neg, "MatMul": torch.matmul, "Exp": torch.exp, "Tanh": torch.tanh,
    "Sum": torch.sum, "Relu": torch.relu, "Step": lambda a: (a > 0).to(a.dtype),
}  # fmt: skip


def places(*names):
    return [(name, "Placeholder", ()) for name in names]


SUM = [*places("a", "b"), ("y", "Add", ("a", "b"))]
PRODUCT = [*places("a", "b"), ("p", "Mul", ("a", "b")), ("y", "Add", ("p", "a"))]
CHAIN = [*places("a"), ("h", "Tanh", ("a",)), ("e", "Exp", ("h",)),
         ("y", "Neg", ("e",))]  # fmt: skip
SQUARE = [*places("a"), ("s", "Mul", ("a", "a")), ("y", "Mul", ("s", "s"))]
LATE = [*places("a"), ("h", "Exp", ("a",)), ("g", "Neg", ("h",)),
        ("f", "Tanh", ("g",)), ("p", "Mul", ("h", "f")),
        ("y", "Add", ("h", "p"))]  # fmt: skip
STEP = [*places("a", "b"), ("s", "Step", ("b",)), ("y", "Mul", ("a", "s"))]
LINEAR = [*places("x", "w", "b"), ("m", "MatMul", ("x", "w")), ("z", "Add", ("m", "b")),
          ("h", "Tanh", ("z",)), ("y", "Sum", ("h",))]  # fmt: skip


@checks(gradients)
class Gradients(SceneCheck):
    """Leaves out dtypes but double, and deep graphs: the contract speaks of neither."""

    seconds = 10

    def words(self, scene):
        steps = [f"{n} = {t}({', '.join(i)})" for n, t, i in scene["steps"] if i]
        said = f"{'; '.join(steps)}; gradients({scene['y']}, {scene['xs']})"
        return said + (", and of their sum once more" if scene["twice"] else "")

    def cases(self, random):
        yield "a chain", self.of(random, CHAIN, ["a"])
        yield "a chain", self.of(random, SUM, ["a", "b"])
        yield "a chain", self.of(random, LINEAR, ["w", "b"])
        yield "parts are added up", self.of(random, PRODUCT, ["a", "b"])
        yield "parts are added up", self.of(random, SQUARE, ["a"])
        yield "parts are added up", self.of(random, LATE, ["a"])
        for _ in range(4):
            yield "parts are added up", self.of(random, drawn(random), ["a", "b"])
        yield "no way", self.of(random, [*SUM, *places("c")], ["c", "a"])
        yield "no way", self.of(random, [*places("a", "b")], ["a"], "b")
        yield "no way", self.of(random, SUM, [])
        yield "not asked", self.of(random, STEP, ["a"])
        yield "not asked", self.of(random, LINEAR, ["b"])
        yield "not asked", self.of(random, CHAIN, ["h"])
        yield "an x on the way", self.of(random, CHAIN, ["a", "h", "e"])
        yield "an x on the way", self.of(random, CHAIN, ["y"])
        yield "an x on the way", self.of(random, LATE, ["h", "a", "h"])
        yield "gradients of gradients", self.of(random, SQUARE, ["a"], twice=True)
        yield "gradients of gradients", self.of(random, CHAIN, ["a"], twice=True)

    def of(self, random, steps, xs, y="y", twice=False):
        shapes = {"x": (3, 2), "w": (2, 4), "b": (4,)} if steps is LINEAR else {}
        feed = {n: numbers(random, *shapes.get(n, (3,))) for n, t, _ in steps
                if t == "Placeholder"}  # fmt: skip
        return {"scene": "graph_gradients", "steps": steps, "y": y, "xs": xs,
                "feed": feed, "twice": twice}  # fmt: skip

    def expected(self, scene):
        made = {
            n: torch.tensor(v, requires_grad=True) for n, v in scene["feed"].items()
        }
        leads = set(scene["xs"])
        asked = []
        needed = self.needed(scene)
        for name, kind, inputs in scene["steps"]:
            if kind == "Placeholder":
                continue
            made[name] = TORCH[kind](*(made[i] for i in inputs))
            if any(i in leads for i in inputs):
                leads.add(name)
                asked += [name] * (name in needed)
        y, xs = made[scene["y"]], [made[x] for x in scene["xs"]]
        how = {"allow_unused": True, "create_graph": True}
        found = torch.autograd.grad(y.sum(), xs, **how) if xs else []
        if scene["twice"]:
            found, asked = torch.autograd.grad(found[0].sum(), xs, **how), None
        elif scene["y"] not in leads:
            asked = []
        values = [None if g is None else g.detach().numpy() for g in found]
        asked = None if asked is None else ", ".join(sorted(asked))
        return {"gradients": values, "grad_of is asked for": asked}

    def needed(self, scene):
        inputs = {n: i for n, _, i in scene["steps"]}
        found, left = set(), [scene["y"]]
        while left:
            name = left.pop()
            found.add(name)
            left += inputs[name]
        return found


def drawn(random):
    """Eight operations of a and b, the last of all is y."""
    steps, names = places("a", "b"), ["a", "b"]
    for n in range(7):
        kind = random.choice(["Add", "Sub", "Mul", "Tanh", "Neg"])
        inputs = [random.choice(names[-4:]) for _ in range(1 + (kind[0] in "ASM"))]
        steps.append((f"n{n}", kind, tuple(inputs)))
        names.append(f"n{n}")
    return [*steps, ("e", "Add", ("n6", "n5")), ("y", "Add", ("e", "b"))]


mistakes(
    gradients,
    r"""
    overwritten: where two parts meet they are added up: the last one alone is kept
    > found[i] + part if i in found else part -> part
    all_asked: operations that do not depend on any of xs are not asked: they may have
        no gradient
    > if leads.intersection(operation.inputs): -> if operation.inputs:
    zeros: where y does not depend on an x the answer is None
    > found.get(x) for -> found[x] if x in found else graph.op('Sub', x, x) for
    leaves_alone: an x may be used on the way to others: its gradient is handed on, and
        returned as well
    > if operation in found: -> if operation in found and operation not in xs:
    y_itself: the gradient of y by itself is 1, an operation of type OnesLike
    > [found.get(x) for x in xs] -> [None if x is y else found.get(x) for x in xs]
    without_seed: the gradient to begin with is 1 for each element of y: op("OnesLike",
        y)
    > graph.op("OnesLike", y) -> y
    swapped: the parts belong to the inputs in their order
    > , parts, strict=True) -> , parts[::-1])
    cut_off: every operation between y and xs hands its gradient on
    > in reversed(between) -> in [o for o in between[::-1] if o.type != 'Neg']
    order: an operation is asked again for each of its users: visit it once, after them
    > for operation in reversed(between): -> stack = [y]\n    while
        stack:\n        operation = stack.pop()\n        stack += [i for i in
        operation.inputs if i in between]
    right: the part in front
    > found[i] + part -> part + found[i]
    equivalent: the first operation has no inputs
    > loop capped: for operation in execution_order([y]): -> for operation in
        [*(execution_order([y]))][1:]
    equivalent: setdefault, too, returns None where there is nothing
    > function: found.get(x)
    equivalent: parts are added up in any order
    > order: for i, part in
    """,
)  # fmt: skip


@right(gradients, "from x upwards, by recursion with a memory")
def _(y, xs, grad_of):
    order = execution_order([y])
    leads = set(xs)
    for o in order:
        if any(i in leads for i in o.inputs):
            leads.add(o)
    users, memory, asked = {}, {}, {}
    for o in order:
        for place, i in enumerate(o.inputs):
            users.setdefault(i, []).append((o, place))

    def total(o):
        if o not in memory:
            memory[o] = graph.op("OnesLike", y) if o is y else None
            for user, place in users.get(o, []):
                if user in leads and total(user) is not None:
                    if user not in asked:
                        asked[user] = grad_of(user, total(user))
                    part = asked[user][place]
                    if part is not None:
                        old = memory[o]
                        memory[o] = part if old is None else old + part
        return memory[o]

    return [total(x) if y in leads else None for x in xs]


@right(gradients, "by lists of parts, added up when all are there")
def _(y, xs, grad_of):
    order, leads, total = execution_order([y]), {*xs}, {}
    for o in order:
        leads |= set() if leads.isdisjoint(o.inputs) else {o}
    parts = {o: [] for o in order}
    parts[y].append(graph.op("OnesLike", y))
    for o in order[::-1]:
        if o not in leads or not parts[o]:
            continue
        total[o] = functools.reduce(operator.add, parts[o])
        if not leads.isdisjoint(o.inputs):
            for i, part in enumerate(grad_of(o, total[o])):
                parts[o.inputs[i]] += [] if part is None else [part]
    return [total.get(x) for x in xs]
