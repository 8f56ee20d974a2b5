"""The tools of the simulator but for races, with accesses made by hand."""

import gc
import itertools

import cudasim
import numpy as np
import pytest
from by_hand import Machine, root, shared
from cudasim import device
from cudasim.device import empty, fresh_of
from cudasim.tools import (
    TOOLS,
    Banks,
    Coalescing,
    Divergence,
    Init,
    explain as explain_counts,
)
from table import table

# Init


def test_shared_memory_nobody_wrote():
    m, s = Machine(Init, 256, 4), shared()
    m.write(s, m.tx, 3)
    m.read(s, 255 - m.tx, 4)
    assert m.end() == []
    m.read(s, m.tx + 1, 5)
    assert m.end() == [("uninitialized", 5, None)]
    assert m.found[0]["thread"] == (255, 0, 0) and "s[256]" in m.found[0]["message"]


def test_shared_memory_one_block_wrote():
    m, s = Machine(Init, 256, 4), shared()
    m.write(s, m.tx, 3, mask=(m.bx == 1) & (m.tx > -1))
    m.read(s, m.tx, 4, mask=m.bx == 1)
    assert m.end() == []
    m.read(s, m.tx, 5)
    assert m.found[0]["block"] == (0, 0, 0) and m.found[0]["count"] == 3 * 256
    m.blocks(0, 4)
    m.read(s, m.tx, 6)
    assert m.found[1]["count"] == 256  # one block stands for all


def test_atomic_needs_a_value():
    m, s = Machine(Init, 32), shared()
    m.atomic(s, 0 * m.tx, 3)
    assert m.end() == [("uninitialized", 3, None)]


def test_device_memory_nobody_wrote():
    array = empty(1000)
    for line, findings in ((3, []), (4, [("uninitialized", 4, None)])):
        m, x = Machine(Init, 256, 4), root(elements=1000)
        x.fresh = fresh_of(array)
        i = m.bx * 256 + m.tx
        if line == 3:
            m.write(x, i, line, mask=i < 900)
        m.read(x, i, line, mask=i < (900 if line == 3 else 901))
        assert m.end() == findings
    assert m.found[0]["block"] == (3, 0, 0) and m.found[0]["count"] == 1


@pytest.mark.parametrize(
    "type", ["bool", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8"]
)
def test_numpy_writes_too(type):
    array = empty((4, 6), type)
    assert fresh_of(array).all()
    array[1] = 1
    size = array.itemsize
    rows = fresh_of(array).reshape(4, 6 * size)
    assert rows.all(axis=1).tolist() == [True, False, True, True]
    assert not fresh_of(array[1]).any() and fresh_of(array[2:].reshape(-1)).all()


def test_other_arrays_are_not_followed():
    gc.freeze()  # collections leave alone what other tests have made
    array = empty(10)
    assert np.isnan(array).all() and fresh_of(array.copy()) is None
    key = id(array)
    del array
    gc.collect()
    assert key not in device._unwritten


# Coalescing: 32 lanes, 32-byte sectors, worked out by hand


def traffic(index, size=4, mask=None, block=32, grid=1, kind="read"):
    m = Machine(Coalescing, block, grid)
    index = index(m) if callable(index) else index
    mask = mask(m) if callable(mask) else mask
    m.go(kind, root(), index, 3, mask=mask, size=size)
    m.end()
    return m.counts


LANES = np.arange(32, dtype=np.int64).reshape(1, 1, 32)


@pytest.mark.parametrize(
    "index, size, sectors, ideal",
    [
        (LANES, 4, 4, 4),
        (LANES * 2, 4, 8, 4),
        (LANES * 4, 4, 16, 4),
        (LANES * 8, 4, 32, 4),
        (LANES * 32, 4, 32, 4),
        (LANES + 1, 4, 5, 4),
        (LANES + 8, 4, 4, 4),
        (31 - LANES, 4, 4, 4),
        (LANES ^ 5, 4, 4, 4),
        (np.int64(7), 4, 1, 1),
        (LANES // 4, 4, 1, 1),
        (LANES, 16, 16, 16),
        (LANES, 8, 8, 8),
        (LANES, 2, 2, 2),
        (LANES, 1, 1, 1),
        (LANES + 31, 1, 2, 1),
    ],
)
def test_sectors(index, size, sectors, ideal):
    counts = traffic(index, size)
    assert (counts["requests"], counts["sectors"]) == (1, sectors)
    assert counts["ideal_sectors"] == ideal


def test_float3_is_three_requests():
    counts = traffic(LANES, 12)
    assert (counts["requests"], counts["sectors"]) == (3, 36)


@pytest.mark.parametrize("n, sectors", [(1, 1), (8, 1), (9, 2), (31, 4), (32, 4)])
def test_sectors_of_active_lanes(n, sectors):
    counts = traffic(LANES, mask=np.arange(32).reshape(1, 1, 32) < n)
    assert counts["sectors"] == sectors and counts["reads"] == n


SHAPES = [(32, 1), (16, 16), (8, 4), (64, 2), (256, 1), (48, 2), (100, 1), (33, 3)]
PATTERNS = {
    "row": lambda m: m.ty * 1000 + m.bx * 7,
    "column": lambda m: m.tx + m.bx * 64,
    "strided column": lambda m: 3 * m.tx,
    "block": lambda m: m.bx * 100,
    "all": lambda m: m.ty * m.block[0] + m.tx + m.bx * 5000 + 3,
    "tiles": lambda m: m.ty * 640 + m.bx * m.block[0] + m.tx,
    "mixed": lambda m: (m.tx * 37 + m.ty * 11 + m.bx) % 4001,
    "one": lambda m: np.int64(5),
}
MASKS = {
    "none": lambda m: None,
    "columns": lambda m: m.tx < 7,
    "blocks": lambda m: m.bx == 1,
    "scattered": lambda m: (m.tx * 5 + m.ty * 3 + m.bx) % 3 == 0,
}


def slowly(geometry, address, mask, of_warp):
    """Sum over warps, one lane after the other."""
    rows = geometry.by_warp(np.broadcast_to(address, geometry.shape), -1)
    active = np.broadcast_to(True if mask is None else mask, geometry.shape)
    active = geometry.by_warp(active, False)
    warps = [[int(a) for a, on in zip(*row, strict=True) if on]
             for row in zip(rows, active, strict=True)]  # fmt: skip
    return sum(1 for w in warps if w), sum(of_warp(w) for w in warps if w)


ACCESSES = [*itertools.product(SHAPES, PATTERNS, MASKS)]


@table("block, pattern, mask", ACCESSES)
def test_sectors_by_a_slow_count(block, pattern, mask):
    m = Machine(Coalescing, block, 3)
    index, mask = PATTERNS[pattern](m), MASKS[mask](m)
    m.read(root(), index, 3, mask=mask)
    m.end()
    requests, sectors = slowly(
        m.geometry, index * 4, mask, lambda warp: len({a // 32 for a in warp})
    )
    assert (m.counts["requests"], m.counts["sectors"]) == (requests, sectors)
    lanes = np.broadcast_to(True if mask is None else mask, m.geometry.shape)
    assert m.counts["reads"] == lanes.sum()


@pytest.mark.parametrize("block", [(32, 1), (16, 16), (100, 1)], ids=str)
@pytest.mark.parametrize("tool", [Coalescing, Banks])
def test_loops(tool, block):
    """What is kept from one round to the next does not change the counts."""
    each = (lambda w: len({a // 32 for a in w})) if tool is Coalescing else None
    m, expected = Machine(tool, block, 3), 0
    x = root() if each else shared(1 << 16)
    for k in 0, 1, 2, 8, 8, 9, 16, 3, 0:
        for stride in 1, 5:
            for mask in None, m.tx < 7 + k, (m.tx + m.bx) % 3 != k % 2:
                index = (m.tx * stride + m.ty * 40 + m.bx * 512) + k
                m.read(x, index, 3, mask=mask)
                expected += slowly(m.geometry, index * 4, mask, each or most_in_a_bank)[
                    1
                ]
    m.end()
    assert m.counts["sectors" if each else "bank_passes"] == expected


def test_warps_by_turns():
    """The counts do not depend on the schedule."""
    m, x = Machine(Coalescing, 64, 2), root()
    for warp in 0, 1:
        m.turn(warp)
        for k in range(1 + warp):
            m.read(x, m.bx * 64 + m.tx, 3 + k, mask=m.tx < 40)
    m.end()
    assert (m.counts["sectors"], m.counts["requests"]) == (2 * (4 + 1 + 1), 6)
    assert (m.counts["reads"], m.counts["reads_per_thread"]) == (2 * 48, 2)


def test_reads_and_writes_per_thread():
    m, x = Machine(Coalescing, 64, 4), root()
    for k in range(5):
        m.read(x, m.tx + k, 3)
        m.write(x, m.bx, 4, mask=m.tx == k % 2)
    m.end()
    assert (m.counts["reads"], m.counts["reads_per_thread"]) == (5 * 256, 5)
    assert (m.counts["writes"], m.counts["writes_per_thread"]) == (5 * 4, 3)
    assert m.counts["lines"][4, 5]["writes"] == 20
    assert "reads" not in m.counts["lines"][4, 5]


# Banks: 32 of them, 4 bytes wide, worked out by hand


@pytest.mark.parametrize(
    "index, size, passes",
    [
        (LANES, 4, 1),
        (LANES * 32, 4, 32),  # a column of float [32][32]
        (LANES * 33, 4, 1),  # of float [32][33]
        (LANES * 2, 4, 2),
        (LANES % 16 * 32, 4, 16),
        (np.int64(9), 4, 1),
        (LANES, 1, 1),
        (LANES * 4, 1, 1),
        (LANES, 8, 2),
        (LANES * 2, 8, 4),
        (LANES, 16, 4),
        (LANES, 12, 3),
        (LANES * 33, 8, 2),  # a column of double [32][33]
        (LANES * 32, 8, 32),
    ],
)
def test_bank_passes(index, size, passes):
    m = Machine(Banks, 32)
    m.go("read", shared(1 << 16), index, 3, size=size)
    m.end()
    assert m.counts["bank_passes"] == passes
    assert m.counts["shared_requests"] == (3 if size == 12 else 1)


def most_in_a_bank(warp):
    words = {a // 4 for a in warp}
    return max(sum(w % 32 == bank for w in words) for bank in range(32))


@table("block, pattern, mask", ACCESSES)
def test_passes_by_a_slow_count(block, pattern, mask):
    m = Machine(Banks, block, 3)
    index, mask = PATTERNS[pattern](m), MASKS[mask](m)
    m.read(shared(1 << 16), index, 3, mask=mask)
    m.end()
    requests, passes = slowly(m.geometry, index * 4, mask, most_in_a_bank)
    seen = m.counts["shared_requests"], m.counts["bank_passes"]
    assert seen == (requests, passes)


# Divergence


@pytest.mark.parametrize(
    "taken, branches, divergent",
    [
        (lambda m: m.tx % 2 == 0, 32, 32),
        (lambda m: m.tx < 32, 32, 0),
        (lambda m: m.tx < 40, 32, 4),
        (lambda m: m.bx == 1, 32, 0),
        (lambda m: m.bx * 256 + m.tx < 1000, 32, 1),
        (lambda m: np.bool_(True), 32, 0),
    ],
)
def test_divergent_warps(taken, branches, divergent):
    m = Machine(Divergence, 256, 4)
    m.tool.branch(3, taken(m), None)
    m.end()
    assert m.counts["branches"] == branches
    assert m.counts["divergent_branches"] == divergent
    assert m.counts["lines"] == {
        (3, 5): {"branches": branches, "divergent_branches": divergent}
    }


def test_only_active_lanes_disagree():
    m = Machine(Divergence, 64, 2)
    m.tool.branch(3, m.tx % 2 == 0, (m.tx % 2 == 0) & (m.tx < 32))
    m.end()
    assert (m.counts["branches"], m.counts["divergent_branches"]) == (2, 0)


@table("block, mask", itertools.product(SHAPES, MASKS))
def test_divergence_by_a_slow_count(block, mask):
    m = Machine(Divergence, block, 3)
    mask, taken = MASKS[mask](m), (m.tx // 5 + m.ty + m.bx) % 4 == 0
    m.tool.branch(3, taken, mask)
    m.end()
    asked, split = slowly(m.geometry, taken, mask, lambda warp: len(set(warp)) > 1)
    assert (m.counts["branches"], m.counts["divergent_branches"]) == (asked, split)


# In words


def test_explain():
    m = Machine(Coalescing, 32)
    m.read(root(), LANES * 8, 7)
    m.read(root(), LANES, 8)
    m.end()
    assert explain_counts(m.counts) == [
        "line 7:5: 32 sectors a request, 4 would do (12 % of fetched bytes are used)"
    ]


def test_registry():
    assert list(TOOLS) == ["race", "init", "coalescing", "banks", "divergence"]


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize(
    "value, kinds, notes",
    [("7", [], ["race-equal"]), ("i / 2", [], ["race-equal"]), ("i", ["race"], [])],
)
def test_writes_of_one_value_are_a_note(schedule, value, kinds, notes):
    text = f"__global__ void k(int* y) {{ int i = threadIdx.x; y[i / 2] = {value}; }}"
    args = (np.zeros(32, np.int32),)
    report = cudasim.run(cudasim.RawKernel(text, "k"), 1, 64, args, schedule=schedule)
    assert [f.kind for f in report.findings] == kinds
    assert [f.kind for f in report.notes] == notes
    assert "harmless on a GPU" in str(report) or kinds
