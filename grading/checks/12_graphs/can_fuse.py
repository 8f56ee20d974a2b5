"""can_fuse: which nodes may be one kernel."""

from grading.drivers import programs
from grading.exercise import Check, call
from minigrad.jit.passes import can_fuse

SHAPES = (4,), (4, 3), (1, 4), (3, 1), (1, 3, 4), (12,), ()  # of others: (3, 4)
ODD = [{"pointwise": False}, {"device": "cuda"}, *({"shape": s} for s in SHAPES)]


def cases(random):
    """In an order that is drawn within each part, so that no list of results fits."""
    parts = {}
    for part, case in listed(random):
        parts.setdefault(part, []).append(case)
    for part, some in parts.items():
        for case in random.sample(some, len(some)):
            yield part, case


def listed(random):
    for odd in random.sample(ODD, 6):
        yield "neighbors", of(3, odd)
    for size in 3, 1:  # and nothing is left of the first group
        for n in range(size):
            yield "neighbors", of(size, {"inputs": [n]})
        yield "neighbors", of(size, {"inputs": [size - 1, size - 1]})
        yield "neighbors", of(size, {"inputs": [0, size - 1]})
        everything = [n + m for n in range(size) for m in (0, 10, 20)]
        for odd in {"reads": everything}, {"writes": everything}:
            yield "neighbors", of(size, odd)
        for odd in ODD:
            yield "elementwise, of one shape", of(size, odd)
        for place in 0, 1:
            for part, few in between(size).items():
                for odd in few:
                    yield part, of(size, between=[odd, {}][:: 1 - 2 * place])
    for _ in range(12):
        size = random.choice([1, 2, 3])
        two = [random.choice(sum(between(size).values(), [])) for _ in "ab"]
        node = random.choice([{}, {}, {}, random.choice(ODD)])
        yield "any of these", of(size, node, two)


def between(size):
    """{part: what is odd of a node between the group and the one to be fused}"""
    memory, others = [*range(size), *range(10, 10 + size)], [size, 8, 18]
    memory += range(20, 20 + size)
    harmless = {"reads": memory}, {"writes": others}, {"inputs": [size]}
    used = [{"inputs": [size, n, size][n % 2 :][:2]} for n in range(size)]
    written = [{"writes": [m, 8][: 1 + m % 2]} for m in memory]
    return {
        "what does no harm": [*ODD, *harmless],
        "used in between": [odd | one for one in used for odd in ({}, *ODD)],
        "written in between": [odd | one for one in written for odd in ({}, *ODD)],
    }


def of(size, node=None, between=()):
    """A group, of which n reads memory n, writes 10 + n and does both to 20 + n.

    It also reads what the one before writes. Others follow.
    node: what is odd of the one that is to be fused, which reads 8 and writes 18.
    """
    nodes = [{"reads": [n, 20 + n, 9 + n][: 2 + n], "writes": [10 + n, 20 + n],
              "inputs": [n - 1][:n]} for n in range(size)]  # fmt: skip
    last = {"reads": [8], "writes": [18], "inputs": [size - 1]}
    nodes = [{**one} for one in (*nodes, *between, last | (node or {}))]
    for one in nodes:  # memory has numbers that Python makes anew each time
        one |= {k: [1000 + m for m in one[k]] for k in one.keys() & {"reads", "writes"}}
    return call(
        nodes={n: one | {"inputs": [i for i in one.get("inputs", ()) if i < n]}
               for n, one in enumerate(nodes)},
        group=[*range(size)],
        node=len(nodes) - 1,
        between=[*range(size, len(nodes) - 1)],
    )  # fmt: skip


def reference(nodes, group, node, between):
    touched = {m for n in group for m in (*nodes[n]["reads"], *nodes[n]["writes"])}
    early = any({*group} & {*nodes[n]["inputs"]} for n in between)
    spoiled = any(touched & {*nodes[n].get("writes", ())} for n in between)
    unlike = nodes[node].keys() & {"pointwise", "shape", "device"}
    return not (early or spoiled or unlike)


check = Check(
    can_fuse,
    cases=cases,
    reference=reference,
    driver=programs.fusion,
    not_tested="a node that uses none of the group: by the contract it uses one",
)
