"""The second schedule: the warps of a block take turns, from barrier to barrier.

For each warp number one generator runs that warp of every block of the batch and stops
at barriers. The order of the warps is shuffled with a seed.
"""

import numpy as np

NOBODY = np.zeros((1,) * 5, bool)
REDUCE = {"count": np.add, "and": np.logical_and, "or": np.logical_or}


def run(launch, code, make_batch, geometries, values, seed):
    """Run all warps of one batch of blocks to their end."""
    order = np.random.default_rng(seed)
    warps = [Turn(make_batch(g), code, values) for g in geometries]
    while warps:
        for i in order.permutation(len(warps)):
            launch.turn(warps[i].batch.geometry)
            warps[i].go()
        waiting = [w for w in warps if w.request is not None]
        if waiting:
            meet(launch, warps, waiting)
        warps = waiting


class Turn:
    """One warp number, and where its generator has stopped."""

    def __init__(self, batch, code, values):
        self.batch, self.code, self.values = batch, code, values
        self.generator, self.request, self.answer = None, None, None

    def go(self):
        """Run to the next barrier, or to the end."""
        try:
            if self.generator is None:
                self.generator = self.code(self.batch, self.batch.alive, *self.values)
                if self.generator is None:  # a kernel without barriers is done
                    return
                self.request = next(self.generator)
            else:
                self.request = self.generator.send(self.answer)
        except StopIteration:
            self.request = None


def meet(launch, warps, waiting):
    """All waiting warps are at a barrier: report missing threads, then continue."""
    arrived = [lanes(w.request[0], w.batch) for w in waiting]
    blocks = np.any([a.any(axis=(3, 4)) for a in arrived], axis=0)
    came = dict(zip(waiting, arrived, strict=True))
    absent = {w: missing(w.batch, blocks, came.get(w, NOBODY)) for w in warps}
    if any(a.any() for a in absent.values()):
        here, there = (
            sum(a.sum(axis=(3, 4)) for a in side.values()) for side in (came, absent)
        )
        for warp, gone in absent.items():
            if gone.any():
                site = (warp if warp in came else waiting[0]).request[1]
                warp.batch.divergent_barrier(gone, site, here, there)
    answer(waiting, arrived)
    launch.met(None if blocks.all() else blocks.reshape(-1))
    _, site, kind, _ = waiting[0].request
    if kind == "grid_sync":
        waiting[0].batch.grid_met(blocks.reshape(-1), site)


def missing(batch, blocks, here):
    """The lanes of these blocks that have neither returned nor arrived."""
    absent = blocks[..., None, None] & ~here
    if batch.alive is not None:
        absent = absent & batch.alive
    return np.broadcast_to(absent, batch.shape)


def lanes(mask, batch):
    """The lanes of a mask, one by one."""
    return np.broadcast_to(True if mask is None else mask, batch.shape)


def answer(waiting, arrived):
    """The result of __syncthreads_count and the like, over all warps of a block."""
    for how in REDUCE:
        sums = []
        for warp, here in zip(waiting, arrived, strict=True):
            _, _, kind, value = warp.request
            if kind == how:
                true = np.broadcast_to(value != 0, warp.batch.shape)
                true = true | ~here if how == "and" else true & here
                sums.append(REDUCE[how].reduce(true, axis=(3, 4), keepdims=True))
        if sums:
            total = REDUCE[how].reduce(np.stack(sums), axis=0).astype(np.int32)
            for warp in waiting:
                if warp.request[2] == how:
                    warp.answer = total
