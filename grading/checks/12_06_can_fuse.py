"""Which nodes may be one kernel."""

from grading.checking import checks
from grading.mistakes import mistakes, right
from minigrad.jit.passes import can_fuse

from .scene_check import SceneCheck, cut

# number: (pointwise, shape, device, reads, writes)
ROW, ALL = (4,), (3, 4)


def plain(number, *reads, shape=ALL, device="sim", pointwise=True, writes=()):
    """A node whose result lies in memory number 100 + its own number."""
    return {number: (pointwise, shape, device, sorted(100 + r for r in reads),
                     sorted(100 + w for w in writes))}  # fmt: skip


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
        two = plain(0, 9) | plain(1, 0)
        yield "neighbours", self.of(two, {1: [0]}, [0], 1, [])
        three = two | plain(2, 1)
        yield "neighbours", self.of(three, {1: [0], 2: [1]}, [0, 1], 2, [])
        apart = two | plain(2, 9)
        yield "neighbours", self.of(apart, {1: [0]}, [0], 1, [2])
        for bad in ({"pointwise": False}, {"shape": ROW}, {"shape": (4, 3)},
                    {"device": "cuda"}):  # fmt: skip
            last = plain(0, 9) | plain(1, 0, **bad)
            yield "elementwise, of one shape", self.of(last, {1: [0]}, [0], 1, [])
        whole = plain(0, 9) | plain(1, 0) | plain(2, 1, shape=ROW, pointwise=False)
        scene = self.of(whole, {1: [0], 2: [1]}, [0, 1], 2, [])
        yield "elementwise, of one shape", scene
        four, chain = three | plain(3, 2), {1: [0], 2: [1], 3: [2]}
        yield "neighbours", self.of(four, chain, [0, 1, 2], 3, [])
        for n in (0, 1, 2):
            used = four | plain(4, n, pointwise=False)
            scene = self.of(used, {**chain, 4: [n]}, [0, 1, 2], 3, [4])
            yield "used in between", scene
            wrote = four | plain(4, 7, writes=[(9, 0, 1)[n]])
            yield "written in between", self.of(wrote, chain, [0, 1, 2], 3, [4])
        for reader in (0, 1):
            used = three | plain(3, reader, pointwise=False)
            edges = {1: [0], 2: [1], 3: [reader]}
            yield "used in between", self.of(used, edges, [0, 1], 2, [3])
        used = three | plain(3, 7) | plain(4, 3, 1)
        edges = {1: [0], 2: [1], 4: [3, 1]}
        yield "used in between", self.of(used, edges, [0, 1], 2, [3, 4])
        edges = {1: [0], 2: [1], 4: [3]}
        used = three | plain(3, 7) | plain(4, 3)
        yield "used in between", self.of(used, edges, [0, 1], 2, [3, 4])
        for written, name in ((9, "read"), (8, "other"), (0, "own")):
            wrote = two | plain(2, 7, writes=[written])
            yield "written in between", self.of(wrote, {1: [0]}, [0], 1, [2])
        into = plain(0, 9, writes=[6]) | plain(1, 0) | plain(2, 7, writes=[6])
        yield "written in between", self.of(into, {1: [0]}, [0], 1, [2])
        both = plain(0, 9) | plain(1, 0, 5) | plain(2, 1) | plain(3, 7) | plain(
            4, 7, writes=[5])  # fmt: skip
        edges = {1: [0], 2: [1]}
        yield "written in between", self.of(both, edges, [0, 1], 2, [3, 4])
        first = three | plain(3, 7, writes=[9])
        yield "written in between", self.of(first, edges, [0, 1], 2, [3])
        for _ in range(12):
            yield "any of these", self.drawn(random)

    def drawn(self, random):
        facts, edges, size = {}, {}, random.choice([1, 2, 3])
        for n in range(7):
            reads = random.sample(range(14), 2)
            writes = random.sample(range(14), 1) if random.random() < 0.25 else []
            how = {} if n < size or random.random() < 0.9 else {"shape": ROW}
            facts |= plain(n, *reads, writes=writes, **how)
            edges[n] = random.sample(range(n), 1) if n >= size else [*range(n)][-1:]
        edges[6] = sorted({size - 1, *edges[6]})
        between = [*range(size, 6)][: random.randrange(4)]
        return self.of(facts, edges, [*range(size)], 6, between)

    def of(self, facts, edges, group, node, between):
        return {"scene": "fusion", "facts": facts, "edges": edges, "group": group,
                "node": node, "between": between}  # fmt: skip

    def expected(self, scene):
        facts, group = scene["facts"], scene["group"]
        pointwise, *where = facts[scene["node"]][:3]
        touched = {m for n in group for m in (*facts[n][3], *facts[n][4])}
        early = any({*group} & {*scene["edges"].get(n, ())} for n in scene["between"])
        spoilt = any(touched & {*facts[n][4]} for n in scene["between"])
        alike = pointwise and where == [*facts[group[0]][1:3]]
        return alike and not early and not spoilt


mistakes(
    can_fuse,
    r"""
    not_pointwise: a sum needs all elements, not the thread's own: node must be
        pointwise
    > not node.pointwise or ->
    any_shape: a thread makes one element of each: the shapes must be the same
    > (node.shape, node.device) != (first.shape, first.device) -> node.device !=
        first.device
    any_device: a kernel runs on one device
    > (node.shape, node.device) != (first.shape, first.device) -> node.shape !=
        first.shape
    as_many: shapes (3, 4) and (4, 3) have as many elements, but element i of the one
        does not lie where element i of the other does
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
    nothing_between: nodes in between that have nothing to do with the group do no harm
    > for other in between: -> for other in between:\n        return False
    reading_between: a node in between that reads the same memory does no harm
    > touched & set(other.writes) -> touched & set(other.reads) or touched &
        set(other.writes)
    equivalent: the group has one shape, and its order does not count
    > off by one: first, touched = group[0], set() -> first, touched = group[(-1)]
    > order: for n in group:
    > order: for other in between:
    """,
)


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
