"""What is the same in every run."""

import numpy as np

from grading.exercise import checks, mistakes, right
from minigrad.graph import fold_constants

from .layered import GRAPHS, graphs, sources
from .scene_check import SceneCheck, cut

STATEFUL = ["Placeholder", "Variable", "Random"]
SEEDED = {0: ("Const", []), 1: ("Random", [0]), 2: ("Neg", [1])}
ORDERED = {0: ("Const", []), 1: ("Const", []), 2: ("Sub", [0, 1]), 3: ("Mul", [2, 2])}
VALUES = {0: ("Const", []), 1: ("Neg", [0]), 2: ("Forget", [1]), 3: ("IsNone", [2])}
UNKNOWN = {0: ("Zero", []), 1: ("Neg", [0]), 2: ("Const", [])}
KINDS = {1: ["Neg"], 2: ["Add", "Sub", "Mul"], 3: ["Add"]}  # by how many inputs
WORKS = {"Add": lambda *a: sum(a), "Sub": lambda a, b: a - b,
         "Mul": lambda a, b: a * b, "Neg": lambda a: -a, "Forget": lambda a: None,
         "IsNone": lambda a: a is None}  # fmt: skip


@checks(fold_constants)
class FoldConstants(SceneCheck):
    """Leaves out a Const in `stateful`: the contract's two rules would both hold."""

    def words(self, scene):
        edges, types = scene["edges"], scene["types"]
        parts = [f"{n} = {types[n]}{tuple(i)}" for n, i in edges.items()]
        rest = f"values {scene['values']}; stateful {scene['stateful']}"
        return cut(f"{'; '.join(parts)}; {rest}", 200)

    def cases(self, random):
        for edges in GRAPHS.values():
            yield "constants spread", self.of(random, drawn(random, edges, ["Const"]))
        yield "constants spread", self.of(random, ORDERED)
        for edges in graphs(random, 5):
            for n in sources(edges):
                spec = drawn(random, edges, ["Const", "Const", "Placeholder"])
                spec[n] = random.choice(STATEFUL), []
                yield "what is fed spreads, too", self.of(random, spec)
        yield "not the same each time", self.of(random, SEEDED)
        spec = drawn(random, GRAPHS["a chain"], ["Const"])
        yield "not the same each time", self.of(random, spec, ["Neg"])
        for value in 0.0, np.array([0.0, 2.0]), np.array([]):
            scene = self.of(random, VALUES)
            yield "any values", scene | {"values": {0: value}}
        none = {0: ("Const", []), 1: ("IsNone", [0]), 2: ("Neg", [1])}
        yield "any values", self.of(random, none) | {"values": {0: None}}
        yield "without inputs", self.of(random, UNKNOWN)
        yield "without inputs", self.of(random, {})

    def of(self, random, spec, stateful=STATEFUL):
        edges = {n: inputs for n, (_, inputs) in spec.items()}
        types = {n: kind for n, (kind, _) in spec.items()}
        values = {
            n: n + random.choice([0.0, 1.1, 2.3])
            for n, k in types.items()
            if k in ("Const", "Variable")
        }  # no two are equal  fmt: skip
        return {"scene": "fold", "edges": edges, "types": types, "values": values,
                "stateful": stateful}  # fmt: skip

    def expected(self, scene):
        values, types, calls = scene["values"], scene["types"], []
        known = {n: v for n, v in values.items() if types[n] == "Const"}
        for n, inputs in scene["edges"].items():
            kind = types[n]
            lasts = inputs and kind not in scene["stateful"]
            if lasts and all(i in known for i in inputs):
                known[n] = WORKS[kind](*(known[i] for i in inputs))
                calls.append(kind)
        return {"values": dict(sorted(known.items())), "kernels called": sorted(calls)}


def drawn(random, edges, first):
    """A graph's operations, as types that are drawn; first: of those without inputs."""
    kinds = {0: first, **KINDS}
    return {n: (random.choice(kinds[len(i)]), i) for n, i in edges.items()}


mistakes(fold_constants)(r"""
any_input: all of the inputs have to be constants, not one of them
> all(i in known for i in operation.inputs) -> any(i in known for i in operation.inputs)
& known[i] for -> known.get(i, 0.0) for
not_spread: what is made of constants is constant, and so is what is made of that
> all(i in known for i in operation.inputs) -> all(i.type == "Const" for i in
    operation.inputs)
truth: a constant is one whatever its value is, 0, None, and an array as well: ask
    whether the operation is among those that are known
> all(i in known for i in operation.inputs) -> all(known.get(i) is not None for i in
    operation.inputs)
> all(i in known for i in operation.inputs) -> all(known.get(i) for i in
    operation.inputs)
without_inputs: an operation without inputs that is no Const is not constant: all() of
    nothing is True
>  or not operation.inputs ->
stateful: a type in `stateful` never is constant: its operation may change in each run
> operation.type in stateful or ->
fixed_stateful: which types are never constant is in `stateful`: another call may have
    others
> operation.type in stateful -> operation.type in ("Placeholder", "Variable", "Random")
no_consts: the constants themselves belong to the answer
> return known -> return {o: v for o, v in known.items() if o.inputs}
reversed_inputs: the values go to the kernel in the order of the inputs
> (*values) -> (*values[::-1])
set_of_inputs: an input that is used twice is given twice
> for i in operation.inputs]\n -> for i in dict.fromkeys(operation.inputs)]\n
none_found: nothing is found: the value of a Const is operation.value
> known[operation] = operation.value -> pass
value_of_all: operation.value is there for a Const alone: what has inputs is computed by
    its kernel, kernels[operation.type](*values)
> if operation.type == "Const": -> if True:
not_computed: only the constants are there: what has constant inputs alone is constant,
    too, and its kernel computes it
> elif all(i in known for i in operation.inputs): -> elif False:
twice: each kernel is called once
> known[operation] = kernels[operation.type](*values)
    -> kernels[operation.type](*values)\n            known[operation] =
    kernels[operation.type](*values)
""")


@right(fold_constants, "by what changes")
def _(order, kernels, stateful):
    changes, known = set(), {}
    for o in order:
        if o.type == "Const":
            known[o] = o.value
        elif o.type in stateful or not o.inputs or changes.intersection(o.inputs):
            changes.add(o)
        else:
            known[o] = kernels[o.type](*map(known.get, o.inputs))
    return known


@right(fold_constants, "in rounds, until nothing is new")
def _(order, kernels, stateful):
    known = {o: o.value for o in order if o.type == "Const"}
    left = [o for o in order if o.inputs and o.type not in ("Const", *stateful)]
    while ready := [o for o in left if known.keys() >= {*o.inputs}]:
        known |= {o: kernels[o.type](*[known[i] for i in o.inputs]) for o in ready}
        left = [o for o in left if o not in known]
    return known


@right(fold_constants, "from the constants to those that use them")
def _(order, kernels, stateful):
    users, missing, values = {}, {}, {}
    for o in order:
        missing[o] = len(o.inputs)
        for i in o.inputs:
            users.setdefault(i, []).append(o)
    ready = [o for o in order if o.type == "Const"]
    for o in ready:
        given = [values[i] for i in o.inputs]
        values[o] = o.value if o.type == "Const" else kernels[o.type](*given)
        for user in users.get(o, ()):
            missing[user] -= 1
            if missing[user] == 0 and user.type not in stateful:
                ready.append(user)
    return values
