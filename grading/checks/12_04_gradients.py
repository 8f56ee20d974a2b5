"""Gradients as operations: run, they are what PyTorch computes."""

import torch

from grading.exercise import checks
from minigrad.graph import gradients

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
