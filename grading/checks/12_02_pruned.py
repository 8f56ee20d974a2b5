"""What a run has to compute, if some values are given."""

import functools
import re

from grading.exercise import Raises, checks
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
