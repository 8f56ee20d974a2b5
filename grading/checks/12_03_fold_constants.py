"""What is the same in every run."""

import numpy as np

from grading.exercise import checks
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
