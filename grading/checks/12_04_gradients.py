"""Gradients as operations: run, they are what PyTorch computes."""

import functools
import operator

import torch

from grading.exercise import checks, mistakes, right
from minigrad import graph
from minigrad.graph import execution_order, gradients

from .layered import graphs, reached
from .scene_check import SceneCheck, numbers

TORCH = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div,
    "Neg": torch.neg, "MatMul": torch.matmul, "Exp": torch.exp, "Tanh": torch.tanh,
    "Sum": torch.sum, "Relu": torch.relu, "Step": lambda a: (a > 0).to(a.dtype),
}  # fmt: skip


KINDS = [["Placeholder"], ["Tanh", "Neg"], ["Add", "Sub", "Mul"]]  # by their inputs


def places(*names):
    return [(name, "Placeholder", ()) for name in names]


CHAIN = [*places("a"), ("h", "Tanh", ("a",)), ("e", "Exp", ("h",)),
         ("y", "Neg", ("e",))]  # fmt: skip
SQUARE = [*places("a"), ("s", "Mul", ("a", "a")), ("y", "Mul", ("s", "s"))]
LINEAR = [*places("x", "w", "b"), ("m", "MatMul", ("x", "w")), ("z", "Add", ("m", "b")),
          ("h", "Tanh", ("z",)), ("y", "Sum", ("h",))]  # fmt: skip
SUMS = [*places("a"), ("s", "Add", ("a", "a")), ("y", "Add", ("s", "s"))]
STEP = [*places("a", "b"), ("s", "Step", ("b",)), ("y", "Mul", ("a", "s"))]


@checks(gradients)
class Gradients(SceneCheck):
    """Leaves out dtypes but double, and deep graphs: the contract speaks of neither."""

    seconds = 10

    def words(self, scene):
        steps = [f"{n} = {t}({', '.join(i)})" for n, t, i in scene["steps"] if i]
        said = f"{'; '.join(steps)}; gradients({scene['y']}, {scene['xs']})"
        return said + (", and of their sum once more" if scene.get("twice") else "")

    def cases(self, random):
        every = [self.drawn(random, edges) for edges in graphs(random, 5)]
        for steps in every[0], LINEAR:
            yield "a chain", self.of(random, steps, [steps[0][0]])
        yield "a chain", self.of(random, LINEAR, ["w", "b"])
        for steps in every:
            ends = [name for name, kind, _ in steps if kind == "Placeholder"]
            yield "parts are added up", self.of(random, steps, ends)
            yield "not asked", self.of(random, steps, [random.choice(ends)])
            some = random.choices([name for name, *_ in steps], k=3)
            yield "an x on the way", self.of(random, steps, some)
            yield "an x on the way", self.of(random, steps, [steps[-1][0], *ends])
            yield "no way", self.of(random, [*places("c"), *steps], ["c", *ends])
        yield "parts are added up", self.of(random, SUMS, ["a"], shared=True)
        yield "no way", self.of(random, [*places("c"), *LINEAR], ["c"])
        yield "no way", self.of(random, LINEAR, [])
        yield "not asked", self.of(random, STEP, ["a"])
        yield "not asked", self.of(random, LINEAR, ["b"])
        for steps in SQUARE, CHAIN:
            yield "gradients of gradients", self.of(random, steps, ["a"], twice=True)

    def drawn(self, random, edges):
        """Operations of a graph; one of three inputs is two, of two each."""
        steps = []
        for n, inputs in edges.items():
            name, inputs = f"o{n}", [f"o{i}" for i in inputs]
            if len(inputs) == 3:
                steps.append((f"{name}_", random.choice(KINDS[2]), tuple(inputs[:2])))
                inputs = [f"{name}_", inputs[2]]
            steps.append((name, random.choice(KINDS[len(inputs)]), tuple(inputs)))
        return steps

    def of(self, random, steps, xs, **how):
        linear = ("m", "MatMul", ("x", "w")) in steps
        shapes = {"x": (3, 2), "w": (2, 4), "b": (4,)} if linear else {}
        feed = {n: numbers(random, *shapes.get(n, (3,)), scale=0.5)
                for n, kind, _ in steps if kind == "Placeholder"}  # fmt: skip
        return {"scene": "graph_gradients", "steps": steps, "xs": xs,
                "y": steps[-1][0], "feed": feed, **how}  # fmt: skip

    def expected(self, scene):
        made = {
            n: torch.tensor(v, requires_grad=True) for n, v in scene["feed"].items()
        }
        leads, asked = set(scene["xs"]), []
        needed = reached({n: i for n, _, i in scene["steps"]}, [scene["y"]])
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
        if scene.get("twice"):
            found, asked = torch.autograd.grad(found[0].sum(), xs, **how), None
        elif scene["y"] not in leads:
            asked = []
        values = [None if g is None else g.detach().numpy() for g in found]
        asked = None if asked is None else ", ".join(sorted(asked))
        return {"gradients": values, "grad_of is called for": asked}


mistakes(gradients)(r"""
overwritten: where two parts meet they are added up: the last one alone is kept
> found[i] + part if i in found else part -> part
parts_in_a_set: one operation may be the gradient of both inputs, and it counts twice
> if part is not None -> if part is not None and found.get(i) is not part
all_asked: operations that do not depend on any of xs are not asked: they may have no
    gradient
> if leads.intersection(operation.inputs): -> if operation.inputs:
zeros: where y does not depend on an x the answer is None
> found.get(x) for -> found[x] if x in found else graph.op('Sub', x, x) for
leaves_alone: an x may be used on the way to others: its gradient is handed on, and
    returned as well
> if operation in found: -> if operation in found and operation not in xs:
y_itself: the gradient of y by itself is 1, an operation of type OnesLike
> [found.get(x) for x in xs] -> [None if x is y else found.get(x) for x in xs]
without_seed: the gradient to begin with is 1 for each element of y: op("OnesLike", y)
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
""")


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
