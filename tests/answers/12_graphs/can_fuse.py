"""Answers of can_fuse by other algorithms."""

from minigrad.jit.passes import can_fuse
from tools.audit.specimens import answer


@answer(can_fuse, right="by sets of what happens in between")
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


@answer(can_fuse, right="pair by pair")
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


@answer(can_fuse, right="in one expression")
def _(group, node, between):
    return not (
        not node.pointwise
        or node.shape != group[-1].shape
        or node.device != group[-1].device
        or [i for other in between for i in other.inputs if i in group]
        or [m for other in between for m in other.writes for n in group
            if m in [*n.reads, *n.writes]]
    )  # fmt: skip
