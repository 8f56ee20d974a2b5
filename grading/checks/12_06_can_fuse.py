"""Which nodes may be one kernel."""

from grading.exercise import checks, mistakes, right
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
            yield "neighbours", self.of(3, odd)
        for size in 3, 1:  # and nothing is left of the first group
            for n in range(size):
                yield "neighbours", self.of(size, {"inputs": [n]})
            yield "neighbours", self.of(size, {"inputs": [size - 1, size - 1]})
            yield "neighbours", self.of(size, {"inputs": [0, size - 1]})
            everything = [*range(size), *range(10, 10 + size)]
            for odd in {"reads": everything}, {"writes": everything}:
                yield "neighbours", self.of(size, odd)
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


mistakes(can_fuse)(r"""
not_pointwise: a sum needs all elements, not the thread's own: node must be pointwise
> not node.pointwise or ->
any_shape: a thread makes one element of each: the shapes must be the same
> (node.shape, node.device) != (first.shape, first.device) -> node.device !=
    first.device
any_device: a kernel runs on one device
> (node.shape, node.device) != (first.shape, first.device) -> node.shape != first.shape
as_many: shapes (3, 4) and (4, 3) have as many elements, but element i of the one does
    not lie where element i of the other does
> (node.shape, node.device) != (first.shape, first.device) -> sorted(node.shape) !=
    sorted(first.shape) or node.device != first.device
used: a node in between uses one of the group: it would run before the kernel
> any(n in other.inputs for n in group) or touched & set(other.writes) -> touched &
    set(other.writes)
last_used: every node of the group counts, not only the last
> any(n in other.inputs for n in group) -> group[-1] in other.inputs
ends: every node of the group counts, not only the first and the last
> any(n in other.inputs for n in group) -> group[0] in other.inputs or group[-1] in
    other.inputs
> for n in group:\n -> for n in group[:1] + group[-1:]:\n
written: a node in between writes to memory that the group reads: moved past it, the
    kernel would read what comes later
>  or touched & set(other.writes) ->
writes_alone: what the group reads counts as well as what it writes
> set(n.reads) | set(n.writes) -> set(n.writes)
reads_alone: what the group writes counts as well as what it reads
> set(n.reads) | set(n.writes) -> set(n.reads)
changed: the sets of the first node have changed: `|=` writes to the set itself
> first, touched = group[0], set() -> first, touched = group[0], group[0].reads
nothing_between: nodes in between that have nothing to do with the group do no harm
> for other in between: -> for other in between:\n        return False
reading_between: a node in between that reads the same memory does no harm
> touched & set(other.writes) -> touched & set(other.reads) or touched &
    set(other.writes)
equivalent: the group has one shape, and its order does not count
> off by one: first, touched = group[0], set() -> first, touched = group[(-1)]
> order: for n in group:
> order: for other in between:
""")


@right(can_fuse, "by sets of what happens in between")
def _(group, node, between):
    used, written = set(), set()
    for other in between:
        used.update(other.inputs)
        written.update(other.writes)
    free = used.isdisjoint(group)
    for n in group:
        free = free and written.isdisjoint(n.reads) and written.isdisjoint(n.writes)
    kinds = {(n.shape, n.device) for n in [*group, node]}
    return bool(node.pointwise and len(kinds) == 1 and free)


@right(can_fuse, "pair by pair")
def _(group, node, between):
    def passes(member, other):
        for used in other.inputs:
            if used is member:
                return False
        return not any(m in member.reads or m in member.writes for m in other.writes)

    for member in group:
        if (member.shape, member.device) != (node.shape, node.device):
            return False
        for other in between:
            if not passes(member, other):
                return False
    return node.pointwise


@right(can_fuse, "in one expression")
def _(group, node, between):
    return not (
        not node.pointwise
        or node.shape != group[-1].shape
        or node.device != group[-1].device
        or [i for other in between for i in other.inputs if i in group]
        or [m for other in between for m in other.writes for n in group
            if m in [*n.reads, *n.writes]]
    )  # fmt: skip
