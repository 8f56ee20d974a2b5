"""Which nodes may be one kernel."""

from grading.exercise import checks
from minigrad.jit.passes import can_fuse

from .scene_check import SceneCheck, cut, shuffled

ROW, ALL = (4,), (3, 4)
SHAPES = ROW, (4, 3), (1, 4), (3, 1), (1, 3, 4), (12,), ()
ODD = [{"pointwise": False}, {"device": "cuda"}, *({"shape": s} for s in SHAPES)]


def facts(pointwise=True, shape=ALL, device="sim", reads=(), writes=(), inputs=()):
    return (pointwise, shape, device, [*reads], [*writes]), [*inputs]


@checks(can_fuse)
class CanFuse(SceneCheck):
    """Leaves out a node that uses none of the group: by the contract it uses one."""

    def words(self, scene):
        said = []
        for n, (pointwise, shape, device, reads, writes) in scene["facts"].items():
            kind = "" if pointwise else "not pointwise, "
            more = f", writes {writes}" if writes else ""
            uses = scene["edges"].get(n, [])
            where = f"{kind}{list(shape)} {device}"
            said.append(f"%{n}: {where}, uses {uses}, reads {reads}{more}")
        place = f"group {scene['group']}, node {scene['node']}, between "
        return cut(f"{place}{scene['between']}; {'; '.join(said)}", 400)

    def cases(self, random):
        yield from shuffled(random, self.listed(random))

    def listed(self, random):
        for odd in random.sample(ODD, 6):
            yield "neighbors", self.of(3, odd)
        for size in 3, 1:  # and nothing is left of the first group
            for n in range(size):
                yield "neighbors", self.of(size, {"inputs": [n]})
            yield "neighbors", self.of(size, {"inputs": [size - 1, size - 1]})
            yield "neighbors", self.of(size, {"inputs": [0, size - 1]})
            everything = [*range(size), *range(10, 10 + size)]
            for odd in {"reads": everything}, {"writes": everything}:
                yield "neighbors", self.of(size, odd)
            for odd in ODD:
                yield "elementwise, of one shape", self.of(size, odd)
            for place in 0, 1:
                for part, few in self.between(size).items():
                    for odd in few:
                        two = [odd, {}][:: 1 - 2 * place]
                        yield part, self.of(size, between=two)
        for _ in range(12):
            size = random.choice([1, 2, 3])
            two = [random.choice(sum(self.between(size).values(), [])) for _ in "ab"]
            node = random.choice([{}, {}, {}, random.choice(ODD)])
            yield "any of these", self.of(size, node, two)

    def between(self, size):
        """{part: what is odd of a node between the group and the one to be fused}"""
        memory = [*range(size), *range(10, 10 + size)]
        other = [size, 8, 18]
        harmless = [*ODD, {"reads": memory}, {"writes": other}, {"inputs": [size]}]
        return {
            "what does no harm": harmless,
            "used in between": [
                odd | {"inputs": [n]} for n in range(size) for odd in ({}, *ODD)
            ],
            "written in between": [
                odd | {"writes": [m]} for m in memory for odd in ({}, *ODD)
            ],
        }

    def of(self, size, node=None, between=()):
        """A group, of which n reads memory n and writes 10 + n; then others.

        node: what is odd of the one that is to be fused, which reads 8 and writes 18.
        """
        made = [facts(reads=[n], writes=[10 + n], inputs=[n - 1][:n])
                for n in range(size)]  # fmt: skip
        made += [facts(**odd) for odd in between]
        node = {"reads": [8], "writes": [18], "inputs": [size - 1]} | (node or {})
        made.append(facts(**node))
        last = len(made) - 1
        edges = {n: [i for i in used if i < n] for n, (_, used) in enumerate(made)}
        return {"scene": "fusion", "facts": {n: f for n, (f, _) in enumerate(made)},
                "edges": edges, "node": last, "group": [*range(size)],
                "between": [*range(size, last)]}  # fmt: skip

    def expected(self, scene):
        facts, group = scene["facts"], scene["group"]
        pointwise, *where = facts[scene["node"]][:3]
        touched = {m for n in group for m in (*facts[n][3], *facts[n][4])}
        early = any({*group} & {*scene["edges"].get(n, ())} for n in scene["between"])
        spoilt = any(touched & {*facts[n][4]} for n in scene["between"])
        alike = pointwise and where == [*facts[group[0]][1:3]]
        return alike and not early and not spoilt
