"""The race tool, with accesses made by hand."""

import cudasim
import numpy as np
import pytest
from by_hand import Machine, root, shared
from cudasim.tools import Race
from snippets import kernels
from table import table

# Race, in shared memory


def machine(block=256, grid=1, **kwargs):
    return Machine(Race, block, grid, **kwargs)


def test_missing_barrier():
    m, s = machine(grid=4), shared()
    m.write(s, m.tx, 3)
    m.read(s, 255 - m.tx, 7)
    assert m.end() == [("race", 7, 3)]
    finding = m.found[0]
    assert finding["thread"] == (0, 0, 0) and finding["block"] == (0, 0, 0)
    assert finding["message"] == (
        "reads s[255], which thread 255 wrote at line 3: no barrier between them"
    )


def test_barrier_puts_in_order():
    m, s = machine(grid=4), shared()
    m.write(s, m.tx, 3)
    m.tool.barrier(None)
    m.read(s, 255 - m.tx, 7)
    m.tool.barrier(None)
    m.write(s, m.tx, 3)
    assert m.end() == []


def test_second_barrier_missing():
    m, s = machine(grid=4), shared()
    for _ in range(2):
        m.write(s, m.tx, 3)
        m.tool.barrier(None)
        m.read(s, 255 - m.tx, 7)
    assert m.end() == [("race", 3, 7)]
    assert "writes s[0], which thread 255 read" in m.found[0]["message"]


def test_own_cell_needs_no_barrier():
    m, s = machine(grid=2), shared()
    for line in 3, 4:
        m.read(s, m.tx, line)
        m.write(s, m.tx, line)
        m.atomic(s, m.tx, line)
    assert m.end() == []


@pytest.mark.parametrize("wide", [False, True])
def test_one_block_without_barrier(wide):
    """Only the second of four blocks came to the barrier of line 5."""
    m, s = machine(grid=4), shared()
    index = m.tx + 0 * m.bx if wide else m.tx
    m.write(s, index, 3)
    m.tool.barrier(np.array([True, True, False, True]))
    m.read(s, 255 - m.tx, 7)
    assert m.end() == [("race", 7, 3)]
    assert m.found[0]["block"] == (2, 0, 0) and m.found[0]["count"] == 256


def test_blocks_that_do_different_things():
    m, s = machine(grid=4), shared()
    m.write(s, m.tx, 3)
    m.read(s, m.tx, 4)
    m.write(s, m.tx + m.bx % 2, 5, mask=m.tx + m.bx < 200)
    assert m.end() == [("race", 5, 3), ("race", 5, 4)]
    assert m.found[0]["block"] == (1, 0, 0)
    assert m.found[0]["count"] == 199 + 197  # blocks 1 and 3


def test_shared_memory_is_fresh_in_each_batch():
    m, s = machine(grid=4, blocks=2), shared()
    m.write(s, m.tx, 3)
    m.blocks(2, 2)
    m.read(s, 255 - m.tx, 7)
    assert m.end() == []


def test_same_instruction():
    m, s = machine(), shared()
    m.write(s, m.tx // 2, 3)
    assert m.end() == [("race", 3, 3)]
    assert "in the same instruction" in m.found[0]["message"]


def test_within_a_warp():
    m, s = machine(), shared()
    m.write(s, m.tx, 3)
    m.read(s, m.tx ^ 1, 4)
    assert m.end() == [("race-warp", 4, 3)]


def test_race_hides_the_warp_s_own():
    m, s = machine(), shared()
    m.write(s, m.tx, 3)
    m.read(s, m.tx ^ 1, 4)
    m.read(s, m.tx ^ 32, 4)
    assert m.end() == [("race", 4, 3)]


def test_syncwarp():
    m, s = machine(), shared()
    m.write(s, m.tx, 3)
    m.tool.syncwarp(None)
    m.read(s, m.tx ^ 1, 4)
    assert m.end() == []


def test_syncwarp_of_some_lanes():
    m, s = machine(64), shared()
    m.write(s, m.tx, 3)
    m.tool.syncwarp(m.tx < 32)
    m.read(s, m.tx ^ 1, 4)
    assert m.end() == [("race-warp", 4, 3)]
    assert m.found[0]["thread"] == (32, 0, 0)


def test_syncwarp_orders_no_two_warps():
    m, s = machine(), shared()
    m.write(s, m.tx, 3)
    m.tool.syncwarp(None)
    m.read(s, m.tx ^ 32, 4)
    assert m.end() == [("race", 4, 3)]


def test_second_reader_is_remembered():
    """The last reader is in the writer's own warp, another one is not."""
    m, s = machine(), shared()
    m.read(s, 0 * m.tx, 3)
    m.write(s, 0 * m.tx, 4, mask=m.tx == 255)
    assert m.end() == [("race", 4, 3)]


def test_atomics():
    m, s = machine(), shared()
    m.atomic(s, m.tx % 8, 3)
    m.atomic(s, m.tx % 5, 4)
    assert m.end() == []
    m.read(s, m.tx, 5, mask=m.tx < 8)
    assert m.end() == [("race", 5, 3), ("race", 5, 4)]


def test_write_before_atomic():
    m, s = machine(), shared()
    m.write(s, m.tx, 3)
    m.atomic(s, 0 * m.tx, 4)
    assert m.end() == [("race", 4, 3)]


def test_mixed_sizes():
    """A float4 written, one of its floats read, then one of its bytes."""
    m, s = machine(), shared()
    m.write(s, m.tx, 3, size=16)
    m.read(s, 4 * (m.tx ^ 32) + 3, 4)
    m.tool.barrier(None)
    m.read(s, 4 * m.tx + 1, 5, size=1)
    m.write(s, m.tx ^ 32, 6, size=4)
    assert m.end() == [("race", 4, 3), ("race", 6, 5)]


def test_neighboring_bytes():
    m, s = machine(), shared()
    m.write(s, m.tx, 3, size=1)
    m.read(s, m.tx, 4, size=1)
    m.read(s, 0 * m.tx + 300, 5)
    assert m.end() == []
    m.read(s, m.tx // 4, 6)
    assert [f[0] for f in m.end()] == ["race-warp"]


def test_warps_one_after_the_other():
    m, s = machine(64, grid=2, warp=0), shared()
    m.write(s, m.tx, 3)
    m.turn(1)
    m.write(s, m.tx, 3)
    m.read(s, m.tx - 32, 4)
    assert m.end() == [("race", 4, 3)]
    assert m.found[0]["thread"] == (32, 0, 0)
    assert m.found[0]["other"]["thread"] == (0, 0, 0)


# Race, in global memory


def test_one_element_a_thread():
    m, x = machine(grid=8, blocks=4), root()
    for first in 0, 4:
        m.blocks(first, 4)
        i = m.bx * 256 + m.tx
        m.read(x, i, 3)
        m.write(x, i, 3, mask=i < 2000)
    assert m.end() == []


@pytest.mark.parametrize("first", ["read", "write"])
def test_across_blocks_and_batches(first):
    """Each block touches the first element of the next one."""
    second = "write" if first == "read" else "read"
    m, x = machine(grid=4, blocks=2), root()
    for batch in 0, 2:
        m.blocks(batch, 2)
        i = m.bx * 256 + m.tx
        m.go(first, x, i + 1, 3)
        m.tool.barrier(None)
        m.go(second, x, i, 4)
    assert m.end()[0] == ("race", 4, 3)
    assert {f["other"]["block"][0] - f["block"][0] for f in m.found} <= {-1, 1}
    assert any(f["block"][0] == 2 for f in m.found)
    assert "nothing orders two blocks" in m.found[0]["message"]


def test_sum_without_atomic():
    m, x = machine(grid=4, blocks=1), root()
    m.read(x, 0, 3, mask=m.tx == 0)
    m.write(x, 0, 3, mask=m.tx == 0)
    assert m.end() == []
    m.blocks(1, 1)
    m.read(x, 0, 3, mask=m.tx == 0)
    assert m.end() == [("race", 3, 3)]


def test_only_read():
    m, x = machine(grid=4), root()
    x.readonly = True
    m.read(x, 0 * m.tx, 3)
    m.write(x, m.tx, 4)  # it cannot happen: readonly roots are not looked at
    assert m.end() == []


def last_block_done(fence, ticket):
    """Each block leaves a sum; the block with that ticket adds them up."""
    m, sums, count = machine(grid=4), root(name="sums"), root(name="count")
    leader = m.tx == 0
    m.write(sums, m.bx, 3, mask=leader)
    if fence == "before":
        m.tool.fence(leader, False)
    m.atomic(count, np.int64(0), 5, mask=leader)
    if fence == "after":
        m.tool.fence(leader, False)
    m.tool.barrier(None)
    m.read(sums, m.tx, 7, mask=(m.tx < 4) & (m.bx == ticket))
    m.write(count, np.int64(0), 8, mask=leader & (m.bx == ticket))
    return m.end()


def test_last_block_done():
    assert last_block_done("before", 3) == []


@pytest.mark.parametrize("fence, ticket", [(None, 3), ("after", 3), ("before", 0)])
def test_last_block_done_wrongly(fence, ticket):
    assert ("race", 7, 3) in last_block_done(fence, ticket)


def test_three_words():
    """A float3 covers three cells, and no more."""
    m, x = machine(), root()
    m.write(x, m.tx, 3, size=12)
    m.read(x, 3 * m.tx + 2, 4)
    assert m.end() == []
    m.read(x, (3 * m.tx + 95 + 3) % 768, 5)
    assert m.end() == [("race", 5, 3)]


class Slowly:
    """Every pair of accesses of a cell is looked at, as the definition has it."""

    def __init__(self):
        self.cells, self.worst, self.synced, self.barriers = {}, 0, {}, {}

    def access(self, kind, space, geometry, address, size, mask, now):
        lanes = np.flatnonzero(np.broadcast_to(mask, geometry.shape))
        bytes = np.broadcast_to(address, geometry.shape).reshape(-1)
        for lane in lanes:
            who = divmod(int(lane), geometry.threads)
            for byte in range(int(bytes[lane]), int(bytes[lane]) + size):
                cell = (byte, who[0]) if space == "shared" else byte
                before = self.cells.setdefault(cell, [])
                atomic = [b for b in before if b[1] == "atomic"][-1:]
                for other in [b for b in before if b[1] != "atomic"] + atomic:
                    self.compare(other, (who, kind, now))
                before.append((who, kind, now))

    def compare(self, first, second):
        (a, past, when), (b, kind, now) = first, second
        if a == b or {past, kind} in ({"read"}, {"atomic"}):
            return
        if a[0] == b[0] and when < self.barriers.get(a[0], 0):
            return
        warp = a[0] == b[0] and a[1] // 32 == b[1] // 32
        if warp and when < min(self.synced.get(a, 0), self.synced.get(b, 0)):
            return
        self.worst = max(self.worst, 1 if warp and when < now else 2)


def random_step(m, slow, x, rng, now):
    """One instruction, for the tool and for the slow count."""
    where = m.bx * 64 + m.tx
    masks = [
        m.tx >= 0,
        m.tx < 32,
        m.tx == 5,
        m.bx == 1,
        (where * 7) % 3 == 0,
        where > 9,
    ]
    mask = np.broadcast_to(masks[rng.integers(6)], m.geometry.shape)
    choice = rng.integers(12)
    if choice < 4:
        everyone = choice < 3
        blocks = np.array([True, True]) if everyone else rng.integers(2, size=2) > 0
        m.tool.barrier(None if everyone else blocks)
        slow.barriers.update({b: now for b in range(2) if blocks[b]})
    elif choice == 4:
        m.tool.syncwarp(mask)
        for lane in np.flatnonzero(mask):
            slow.synced[divmod(int(lane), 64)] = now
    else:
        near = [m.tx, where, m.tx, where, where + 64, 127 - where]
        far = [m.tx ^ 1, where ^ 32, m.tx // 8, np.int64(200)]
        index = [*near, *near, *far][rng.integers(16)]
        kind = ["read", "write", "atomic"][rng.choice(3, p=[0.6, 0.25, 0.15])]
        size = [4, 4, 4, 8, 16, 1][rng.integers(6)]
        narrow = [None, m.tx < 64][rng.integers(2)] if mask.all() else mask
        m.go(kind, x, index, now, mask=narrow, size=size)
        slow.access(kind, x.space, m.geometry, index * size, size, mask, now)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["shared", "global"])
@table("seed", range(60))
def test_races_by_a_slow_count(seed, space):
    """Until the first race, and then for it, the tool and the definition agree."""
    rng = np.random.default_rng([seed, space == "shared"])
    m, slow = Machine(Race, 64, 2), Slowly()
    m.places = {line: (line, 5) for line in range(1000)}
    x = shared() if space == "shared" else root()
    for now in range(2, 14):
        random_step(m, slow, x, rng, now)
        if slow.worst:
            break
    worst = {"race-warp": 1, "race": 2}
    assert max([worst[kind] for kind, *_ in m.end()], default=0) == slow.worst


@pytest.mark.parametrize(
    "which, hint",
    [
        (0, "if both are meant, a __syncthreads() must come between them"),
        (1, "write __syncthreads() at the end of the loop's body"),
    ],
)
def test_what_mends_a_dropped_barrier_of_the_tiled_product(which, hint):
    """Also for the threads of one warp, among which a smaller barrier would do."""
    text = kernels()["matmul_tiled"]
    parts = text.split("__syncthreads();")
    dropped = "__syncthreads();".join(parts[: which + 1]) + parts[which + 1]
    dropped += "__syncthreads();".join(["", *parts[which + 2 :]])
    a, b, c = np.ones((3, 32, 32), np.float32)
    args = a, b, c, 32, 32, 32
    findings = cudasim.run(
        cudasim.RawKernel(dropped, "matmul_tiled"), 4, (16, 16), args
    ).findings
    assert {f.kind for f in findings} == {"race", "race-warp"}
    assert all(hint in f.hint for f in findings)
