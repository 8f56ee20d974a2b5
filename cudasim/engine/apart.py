"""The schedule "apart": lanes that take different branches run by themselves, and meet.

From sm_70 on, the lanes that a mask names may come to a shuffle, a vote, or a
__syncwarp() from different branches: it waits for all of them. Here a class is a set of
lanes for which one generator runs; it stops at barriers and at such operations. Those
that wait at the same operation with the same mask are served together. If nobody can
be served, a class whose lanes wait at different places is split, and the batch begins
again with the new classes.
"""

import numpy as np

from . import masks
from .warp_functions import active_lanes
from .warps import Turn, lanes, meet

MOST_CLASSES = 64
BITS = np.arange(32, dtype=np.uint64)
NUMBERS = np.ndarray | np.generic
# Operations of the lanes that a mask names: the first argument of their request.
JOINT = {
    "shuffle", "vote", "match", "warp_reduce", "tile_reduce", "syncwarp", "converge",
    "activemask",
}  # fmt: skip


class Split(Exception):
    """A batch has to begin again, with these classes."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes


def run(launch, code, make_batch, values, classes, final):
    """Run one batch of blocks to its end; classes: a mask for each.

    final: lanes that wait for others in vain are reported; else they may be split.
    """
    joint, turns = make_batch(None), []
    for mask in classes:
        batch = make_batch(None)
        batch.alive = mask
        turns.append(Turn(batch, code, values))
    everyone, running, since = turns, turns, turns  # since: the last barrier
    while running:
        for turn in running:
            turn.go()
        turns = [turn for turn in turns if turn.request is not None]
        joint.alive = whole(alive(everyone))
        waiting = [turn for turn in turns if turn.request[2] in JOINT]
        groups = together(waiting)
        running = [turn for group in groups for turn in served(joint, group)]
        if running or not turns:
            continue
        if not waiting:
            meet(launch, since, turns)
            running = since = turns
            continue
        if not final:
            divide(classes, everyone, turns, joint, groups)
        for turn in waiting:
            serve(joint, [turn])
        running = waiting


def alive(turns):
    """The lanes that have not returned."""
    return np.any([lanes(turn.batch.alive, turn.batch) for turn in turns], axis=0)


def whole(mask):
    """A mask as the engine has it: None for all lanes."""
    return None if mask.all() else mask


def together(turns):
    """Those that wait at the same operation, in groups."""
    groups = {}
    for turn in turns:
        _, site, call, arguments = turn.request
        fixed = [a for a in arguments if not isinstance(a, NUMBERS | tuple)]
        key = call, site if call == "activemask" else None, *map(id, fixed)
        groups.setdefault(key, []).append(turn)
    return list(groups.values())


def served(joint, group):
    """Serve those of a group for whom all named lanes are there, and return them."""
    while group and group[0].request[2] != "activemask":
        bad = unmatched(joint, group)
        stay = [t for t in group if not (lanes(t.request[0], t.batch) & bad).any()]
        if len(stay) == len(group):
            break
        group = stay
    if group:
        serve(joint, group)
    return group


def unmatched(joint, group):
    """The waiting lanes whose mask names a lane that does not wait with the same."""
    here = np.any([lanes(t.request[0], t.batch) for t in group], axis=0)
    active, living = active_lanes(joint, here), active_lanes(joint, joint.alive)
    number = joint.geometry.by_warp(merged(group, 0), 0).astype(np.uint64)
    named = (number[..., None] >> BITS & np.uint64(1)).astype(bool)
    there = active[:, None, :] & (number[:, None, :] == number[..., None])
    bad = active & (named & living[:, None, :] & ~there).any(axis=2)
    return joint.geometry.from_warps(bad)


def merged(group, number):
    """An argument of all requests of a group, each lane's from its own."""
    value = group[0].request[3][number]
    if not isinstance(value, NUMBERS | tuple):
        return value
    for turn in group[1:]:
        mask, _, _, arguments = turn.request
        value = masks.select_any(mask, arguments[number], value)
    return value


def serve(joint, group):
    """Do the operation for the lanes of a group, as one."""
    _, site, call, arguments = group[0].request
    here = np.any([lanes(t.request[0], t.batch) for t in group], axis=0)
    here = joint.alive if (here == lanes(joint.alive, joint)).all() else here
    values = [merged(group, number) for number in range(len(arguments))]
    answer = getattr(joint, call)(*values, here, site)
    for turn in group:
        turn.answer = answer


def divide(classes, everyone, turns, joint, groups):
    """Split the classes whose lanes wait at different places; none: return."""
    parts = {turn: lanes(turn.request[0], turn.batch) for turn in turns}
    if all((lanes(t.batch.alive, t.batch) == parts[t]).all() for t in turns):
        for group in groups:
            bad = unmatched(joint, group)
            parts |= {turn: parts[turn] & ~bad for turn in group}
    out = []
    for mask, turn in zip(classes, everyone, strict=True):
        own = lanes(mask, turn.batch)
        part = parts.get(turn, own) & own
        out += [m for m in (part, own & ~part) if m.any()]
    if len(classes) < len(out) <= MOST_CLASSES:
        raise Split(out)
