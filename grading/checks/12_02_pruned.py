"""What a run has to compute, if some values are given."""

import functools
import re

from grading.exercise import Raises, checks, mistakes, right
from minigrad.graph import pruned

from .layered import GRAPHS, graphs, reached, sources, uses
from .scene_check import SceneCheck, cut


@checks(pruned)
class Pruned(SceneCheck):
    """Leaves out deep graphs: only the contract of execution_order has them."""

    def words(self, scene):
        given = f"fetches {scene['fetches']}, fed {scene['fed']}; placeholders "
        return cut(f"{given}{[*scene['types']]}; {uses(scene['edges'])}", 200)

    def cases(self, random):
        of = functools.partial(self.of, random)
        every = [(edges, max(edges), sources(edges)) for edges in GRAPHS.values()]
        for edges, last, places in every:
            yield "what is fed", of(edges, places, [last], places)
        for edges in graphs(random, 8):
            fed = random.sample([*edges], min(len(edges), random.choice([1, 2, 3])))
            fetches = random.sample([*edges], min(len(edges), random.choice([1, 2])))
            yield "for its sake alone", of(edges, [], fetches, fed)
            for n in range(min(len(edges) - 1, 4)):
                yield (
                    "for its sake alone",
                    of(edges, [], [max(edges)], [n]),
                )
        for edges, last, places in every:
            yield "a fetch that is fed", of(edges, places, [last], [last])
            fed = [*places, last // 2]
            yield (
                "a fetch that is fed",
                of(edges, places, [last // 2, last], fed),
            )
            yield "nothing is fed", of(edges, [], [last], [])
            yield "nothing is fed", of(edges, [], [], [])
            one = of(edges, places, [last, *places], places[1:])
            yield "a placeholder is missing", one
        for last, fed in (4, [1]), (2, [0, 1]), (4, [3, 0]):
            scene = of(GRAPHS["two ends"], [0, 1], [last], fed)
            yield "a placeholder that nobody needs", scene

    def of(self, random, edges, places, fetches, fed):
        """What is needed of the edges, in order, under numbers that are drawn."""
        new = dict(zip(edges, sorted(random.sample(range(99), len(edges)))))
        edges = {new[n]: [new[i] for i in inputs] for n, inputs in edges.items()}
        places, fetches, fed = ([new[n] for n in few] for few in (places, fetches, fed))
        order = sorted(reached(edges, fetches))
        types = dict.fromkeys(places, "Placeholder")
        return {"scene": "prune", "edges": edges, "types": types, "order": order,
                "fetches": fetches, "fed": fed}  # fmt: skip

    def expected(self, scene):
        edges, fed = scene["edges"], scene["fed"]
        kept = sorted(reached(edges, scene["fetches"], fed) - {*fed})
        for n in {*kept} & scene["types"].keys():
            raise ValueError(f"operation_{n}")
        return {"computed": kept, "all is as it was": True}

    def _right(self, got, expected, args):
        right = super()._right(got, expected, args)
        if right and isinstance(expected, Raises):
            return expected.message in re.findall(r"\w+", got.message)
        return right

    def general(self, case):
        types = getattr(case.got, "types", ())
        if isinstance(case.expected, Raises) and case.expected.type in types:
            return "no_name", "the message is to name the placeholder, operation.name"
        return super().general(case)


mistakes(pruned)(r"""
not_fed: what is fed is not computed: its value is there
> operation in needed and operation not in fed -> operation in needed
fetch_fed: a fetch that is fed is not computed, either
> operation in needed and operation not in fed -> operation in fetches or operation in
    needed and operation not in fed
reversed_order: the order is the reverse: as in `order`, inputs first
> kept[::-1] -> kept
all_placeholders: a placeholder need not be fed if nothing that is computed needs it
> if operation in needed -> if operation.type == 'Placeholder' and operation not in
    fed:\n            raise ValueError(f'{operation.name} is not fed')\n        if
    operation in needed
no_error: a placeholder that is not fed has no value: ValueError, with its name
> operation.type == "Placeholder" -> False
no_name:
> {operation.name} -> of this graph
changes_fed: what it was given has changed: fed, say, is the caller's
> return kept -> fed.clear()\n    return kept
inputs_of_fed: what only a fed operation needs is not to be computed, either
> operation in needed and operation -> operation
> if operation in needed and -> if operation in
    needed:\n            needed.update(operation.inputs)\n        if operation in needed
    and
""")


@right(pruned, "first what is needed, then in order")
def _(order, fetches, fed):
    needed, left = set(), [f for f in fetches if f not in fed]
    while left:
        operation = left.pop()
        if operation not in needed:
            needed.add(operation)
            left += [i for i in operation.inputs if i not in fed]
    for operation in needed:
        if operation.type == "Placeholder":
            raise ValueError(f"{operation.name} has no value")
    return [operation for operation in order if operation in needed]


@right(pruned, "layer by layer")
def _(order, fetches, fed):
    needed, layer = set(), set(fetches) - fed
    while layer:
        needed |= layer
        layer = {i for o in layer for i in o.inputs} - fed - needed
    missing = [o.name for o in needed if o.type == "Placeholder"]
    if missing:
        raise ValueError(f"not fed: {', '.join(missing)}")
    return [o for o in order if o in needed]


@right(pruned, "leaving out until all is used")
def _(order, fetches, fed):
    kept, before = [o for o in order if o not in fed], None
    while kept != before:
        used = {i for o in kept for i in o.inputs}.union(fetches)
        kept, before = [o for o in kept if o in used], kept
    for operation in kept:
        if operation.type == "Placeholder":
            raise ValueError("give " + operation.name)
    return kept
