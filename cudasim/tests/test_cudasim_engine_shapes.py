"""Values that are kept small: whatever the grid and the batches, the same comes out."""

import cudasim
import numpy as np
import pytest
from cudasim import RawKernel
from cudasim.engine import cells, lanes, masks

SCHEDULES = ["lockstep", "warps"]
EVERYWHERE = """
__global__ void k(int* o, int n) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, w = blockDim.x * gridDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y, h = blockDim.y * gridDim.y;
    int z = threadIdx.z + blockIdx.z * blockDim.z, sum = 0;
    __shared__ int s[64];
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    s[t] = x * y + z;
    __syncthreads();
    if (x == 1 && blockIdx.y == 2) return;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int i = x + dx, j = y + dy;
            if (i < 0 || j < 0 || i >= w || j >= h) continue;
            sum += (j * w + i) * (z + 1);
        }
    if (z % 2) sum += s[(t + 1) % (blockDim.x * blockDim.y * blockDim.z)];
    o[(z * h + y) * w + x] = sum;
}"""


def everywhere(grid, block):
    """The same with NumPy."""
    w, h, d = (g * b for g, b in zip(grid, block, strict=True))
    z, y, x = np.indices((d, h, w))
    padded = np.pad((y * w + x) * (z + 1), ((0, 0), (1, 1), (1, 1)))
    out = sum(padded[:, j : j + h, i : i + w] for j in range(3) for i in range(3))
    b = np.array(block)
    t = x % b[0] + b[0] * (y % b[1] + b[1] * (z % b[2]))
    t = (t + 1) % b.prod()
    tx, ty, tz = t % b[0], t // b[0] % b[1], t // (b[0] * b[1])
    there = (x // b[0] * b[0] + tx) * (y // b[1] * b[1] + ty) + z // b[2] * b[2] + tz
    out = out + there * (z % 2)
    out[(x == 1) & (y // b[1] == 2)] = -1
    return out.reshape(-1).astype(np.int32)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("side_by_side", [24, 72, 100, 400, 1000, 131072])
@pytest.mark.parametrize(
    ("grid", "block"),
    [((3, 5, 7), (4, 2, 3)), ((7, 1, 9), (5, 3, 1)), ((9, 4, 1), (3, 4, 2))],
)
def test_any_batches_give_the_same(grid, block, side_by_side, schedule, monkeypatch):
    monkeypatch.setattr("cudasim.simulated_launch.LANES", side_by_side)
    wanted = everywhere(grid, block)
    for small in (8, lanes.SMALL):
        monkeypatch.setattr(lanes, "SMALL", small)
        lanes.plan.cache_clear()
        out = np.full(wanted.size, -1, np.int32)
        kernel, args = RawKernel(EVERYWHERE, "k"), (out, np.int32(0))
        report = cudasim.run(kernel, grid, block, args, schedule=schedule)
        np.testing.assert_array_equal(out, wanted)
        assert report.findings == []
    lanes.plan.cache_clear()


@pytest.mark.parametrize("seed", range(30))
def test_spread_and_select(seed, monkeypatch):
    monkeypatch.setattr(lanes, "SMALL", 16)
    lanes.plan.cache_clear()
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 9, 5)
    part = [np.where(rng.random(5) < 0.5, shape, 1) for _ in range(4)]
    a, b = (rng.integers(-99, 99, p).astype(np.int32) for p in part[:2])
    mask, declared = (rng.random(p) < 0.7 for p in part[2:])
    np.testing.assert_array_equal(lanes.FUNCTIONS["sub"](a, b), a - b)
    np.testing.assert_array_equal(masks.select(mask, a, b), np.where(mask, a, b))
    np.testing.assert_array_equal(masks.select(mask, a, b[:1, 0, 0, 0, 0][0]),
                                  np.where(mask, a, b[0, 0, 0, 0, 0]))  # fmt: skip
    full = np.broadcast_to(a, shape).copy()
    got = masks.patch(full.copy(), mask, np.full(shape, 7, np.int32))
    if got is not None:
        np.testing.assert_array_equal(got, np.where(mask, 7, full))
    view = np.zeros(200, np.int32)
    index, value = (np.broadcast_to(v, shape) for v in (abs(a), b))
    cells.put(view, abs(a), b, declared)
    wanted, on = np.zeros(200, np.int32), np.broadcast_to(declared, shape)
    joint = np.broadcast_shapes(a.shape, b.shape, declared.shape)
    index, value, on = (np.broadcast_to(v, joint) for v in (abs(a), b, declared))
    for i, v in zip(index[on], value[on], strict=True):  # the last one wins
        wanted[i] = v
    np.testing.assert_array_equal(view, wanted)
    lanes.plan.cache_clear()


def test_neighbors_are_found():
    index = np.arange(7, 2007, dtype=np.uint32).reshape(10, 200)
    assert cells.start_of(index) == 7
    for at, value in ((5, 12), (0, 8), (9, 0), (1, 8)):
        other = index.copy()
        other.flat[at * 199] = value
        wanted = 7 if np.array_equal(other, index) else None
        assert cells.start_of(other) == wanted
    assert cells.start_of(index[:, ::-1]) is None
    swapped = index.copy()
    swapped[3, 3], swapped[3, 4] = index[3, 4], index[3, 3]
    assert cells.start_of(swapped) is None


def test_what_is_read_stays_as_it_was():
    text = """__global__ void k(int* x, int* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int a = x[i + 1], b = x[i];
        x[i] = 2 * b;
        y[i] = a + b + x[i];
    }"""
    x, y = np.arange(4097, dtype=np.int32), np.zeros(4096, np.int32)
    RawKernel(text, "k")(16, 256, (x, y))
    np.testing.assert_array_equal(y, 4 * np.arange(4096) + 1)
    np.testing.assert_array_equal(x[:-1], 2 * np.arange(4096))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("body", "here", "all", "block", "thread"),
    [
        ("if (threadIdx.x < 16) __syncthreads();", 16, 64, 0, 16),
        ("if (threadIdx.x < 32) __syncthreads();", 32, 64, 0, 32),
        ("if (blockIdx.x && threadIdx.x < 34) __syncthreads();", 34, 64, 1, 34),
        ("if (threadIdx.x >= 40) return; if (threadIdx.x < 34) __syncthreads();",
         34, 40, 0, 34),
    ],
)  # fmt: skip
def test_who_misses_a_barrier(body, here, all, block, thread, schedule):
    kernel = RawKernel(f"__global__ void k() {{ {body} }}", "k")
    finding = cudasim.run(kernel, 2, 64, (), tools=(), schedule=schedule).findings[0]
    assert finding.kind == "divergent-barrier"
    assert f"only {here} of the {all} threads of this block" in finding.message
    assert (finding.block, finding.thread) == ((block, 0, 0), (thread, 0, 0))
