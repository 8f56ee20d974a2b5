"""What CUDA's headers bring: beside PyTorch, NumPy, and NVRTC's compiler."""

import cudasim
import numpy as np
import pytest
import torch
from cudasim import nvrtc
from snippets import together


@pytest.fixture(scope="module")
def compiles(nightly):
    """compiles(text, arch): NVRTC takes it. It is asked after the last test.

    All texts are one program, since headers take longest; by `--nightly` each is one.
    """
    texts = {80: [], 90: []}
    yield lambda text, arch=90: texts[arch].append(text)
    for arch, some in texts.items():
        if not nvrtc.missing() and (nightly or nvrtc.compiled(together(some), arch)):
            logs = {text: nvrtc.compiled(text, arch) for text in some}
            assert {text: log for text, log in logs.items() if log} == {}


FP8 = """
#include <cuda_fp8.h>
__global__ void k(const float* x, unsigned char* y, unsigned char* z, float* back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_fp8_e4m3 both[2];
    both[0] = __nv_fp8_e4m3(x[i]);
    __nv_fp8_e5m2 b(x[i]);
    y[i] = both[0].__x;
    z[i] = b.__x;
    back[2 * i] = float(both[0]);
    back[2 * i + 1] = static_cast<float>(b);
}"""


def test_fp8_as_pytorch(compiles):
    """But for what is too large: CUDA's constructors give the largest number."""
    random = np.random.default_rng(0)
    some = random.standard_normal(2000) * 10 ** random.uniform(-6, 6, 2000)
    edges = [
        0,
        -0.0,
        np.inf,
        -np.inf,
        448,
        464,
        465,
        57344,
        61440,
        61441,
        2**-10,
        -(2**-16),
    ]
    x = np.r_[some, edges, np.arange(36) / 16].astype(np.float32)
    bytes_, back = np.zeros((2, 2048), np.uint8), np.zeros((2048, 2), np.float32)
    cudasim.RawKernel(FP8, "k")(8, 256, (x, bytes_[0], bytes_[1], back))
    for i, dtype in enumerate((torch.float8_e4m3fn, torch.float8_e5m2)):
        most = torch.finfo(dtype).max
        expected = torch.from_numpy(x).clamp(-most, most).to(dtype)
        assert bytes_[i].tolist() == expected.view(torch.uint8).tolist()
        assert back[:, i].tolist() == expected.float().tolist()
    compiles(FP8)


def test_what_a_conversion_demands():
    text = FP8.replace("float(both[0])", "both[0]")
    with pytest.raises(cudasim.CompileError, match="'__nv_fp8_e4m3'"):
        cudasim.compile(text)
    if not nvrtc.missing():
        assert nvrtc.compiled(text, 90)


PTX = r"""
__global__ void k(int* y, float* z, const float4* x) {
    __shared__ float s[128];
    int t = threadIdx.x, lane;
    unsigned d;
    float a, b, c, e;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("{ .reg .b32 t1; add.s32 t1, %1, 5; shl.b32 %0, t1, 2; }"
                 : "=r"(d) : "r"(t));
    y[t] = d + lane * 1000;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(t), "r"(lane * 3), "r"(7));
    y[t + 64] = d;
    asm("{\n.reg .pred p;\n setp.lt.s32 p, %1, 10;\n"
        "@p mov.u32 %0, 1; @!p mov.u32 %0, 2;\n}" : "=r"(d) : "r"(t));
    y[t + 128] = d;
    asm("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(d) : "r"(t));
    y[t + 192] = d;
    asm("bfe.s32 %0, %1, 2, 3;" : "=r"(d) : "r"(t * 37));
    y[t + 256] = d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(z[t]) : "f"(1.5f), "f"((float)t), "f"(2.f));
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(e) : "l"(x + t));
    asm volatile("st.global.f32 [%0], %1;"
                 :: "l"(z + 64 + t), "f"(a + b + c + e) : "memory");
    unsigned to = (unsigned)__cvta_generic_to_shared(s + 2 * t);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :: "r"(to), "l"((const float*)x + 2 * t), "n"(8));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    z[t + 128] = s[127 - t];
    asm volatile("red.global.add.s32 [%0], %1;" :: "l"(y + 320), "r"(t));
}"""


def test_ptx(compiles):
    y, z = np.zeros(321, np.int32), np.zeros(192, np.float32)
    x = np.random.default_rng(0).standard_normal((64, 4)).astype(np.float32)
    report = cudasim.run(
        cudasim.RawKernel(PTX, "k", ("-arch=compute_80",)), 1, 64, (y, z, x)
    )
    assert report.findings == []
    t = np.arange(64)
    field = (t * 37 >> 2) & 7
    expected = [
        (t + 5) * 4 + t % 32 * 1000, t ^ (t % 32 * 3) ^ 7, 2 - (t < 10), t ^ 1,
        field - 8 * (field > 3), [t.sum()],
    ]  # fmt: skip
    assert y.tolist() == np.concatenate(expected).tolist()
    assert z[:64].tolist() == (1.5 * t + 2).tolist()
    assert np.allclose(z[64:128], x.sum(1), atol=1e-6)
    assert z[128:].tolist() == x.reshape(-1)[127 - t].tolist()
    compiles(PTX)


MMA = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(const T* a, const T* b, float* c) {
    __shared__ __align__(16) T s[16 * 16], r[16 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) s[i] = a[i];
    for (int i = t; i < 128; i += 32) r[i] = b[i];
    __syncwarp();
    unsigned A[4], B[2];
    unsigned at = __cvta_generic_to_shared(s + t % 16 * 16 + t / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]) : "r"(at));
    at = __cvta_generic_to_shared(r + t % 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(B[0]), "=r"(B[1]) : "r"(at));
    float d[4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.NAME.NAME.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),
                   "f"(1.f), "f"(1.f), "f"(1.f), "f"(1.f));
    for (int i = 0; i < 4; i++) c[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}"""


@pytest.mark.parametrize("type, name", [("half", "f16"), ("__nv_bfloat16", "bf16")])
def test_mma_is_the_product(type, name, compiles):
    text = MMA.replace("const T", f"const {type}").replace(") T", f") {type}")
    text = text.replace("NAME", name)
    torch_type = torch.float16 if name == "f16" else torch.bfloat16
    a, b = (torch.randn(16, n).to(torch_type) for n in (16, 8))
    c = np.zeros((16, 8), np.float32)
    bits = [x.view(torch.uint16).numpy() for x in (a, b)]
    args = [x.view(np.float16) for x in bits] if name == "f16" else bits
    report = cudasim.run(
        cudasim.RawKernel(text, "k", ("-arch=compute_80",)), 1, 32, (*args, c)
    )
    assert report.findings == []
    assert c.tolist() == (a.double() @ b.double() + 1).float().tolist()
    compiles(text)


@pytest.mark.parametrize(
    "line, message",
    [
        ('asm("foo.b32 %0, %1;" : "=r"(i) : "r"(i));', "PTX instruction 'foo.b32"),
        ('asm("mov.b32 %0, %1;" : "=r"(i) : "r"(f));', "'float' cannot be cast"),
        ('asm("mov.b32 %0, %1;" : "=f"(i) : "f"(f));', "'float' cannot be cast"),
        ('asm("bra there;");', "PTX instruction 'bra there'"),
    ],
)
def test_ptx_that_is_refused(line, message):
    with pytest.raises(cudasim.CompileError, match=message) as caught:
        cudasim.compile(f"__global__ void k(int i, float f) {{\n{line}\n}}")
    assert caught.value.line == 2


WMMA = r"""
#include <mma.h>
using namespace nvcuda;
template <int M, int N> __global__ void k(const half* a, const half* b, float* c) {
    wmma::fragment<wmma::matrix_a, M, N, 16, half, wmma::row_major> A;
    wmma::fragment<wmma::matrix_b, M, N, 16, half, wmma::col_major> B;
    wmma::fragment<wmma::accumulator, M, N, 16, float> C[1];
    wmma::fill_fragment(C[0], 0.0f);
    wmma::load_matrix_sync(A, a, 16);
    wmma::load_matrix_sync(B, b, 16);
    wmma::mma_sync(C[0], A, B, C[0]);
    for (int t = 0; t < C[0].num_elements; t++) C[0].x[t] *= 2.0f;
    wmma::store_matrix_sync(c, C[0], N, wmma::mem_row_major);
}"""


@pytest.mark.parametrize("m, n", [(16, 16), (32, 8), (8, 32)])
def test_wmma_is_the_product(m, n, compiles):
    a, b = torch.randn(m, 16).half(), torch.randn(n, 16).half()
    c = np.zeros((m, n), np.float32)
    kernel = cudasim.RawKernel(WMMA, f"k<{m}, {n}>", ("-arch=compute_80",))
    report = cudasim.run(kernel, 1, 32, (a.numpy(), b.numpy(), c))
    assert report.findings == []
    assert c.tolist() == (2 * (a.double() @ b.double().T).float()).tolist()
    if m == n:
        compiles(WMMA)


BARRIER = r"""
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(const float* x, float* y) {
    __shared__ float s[64], r[64];
    __shared__ barrier bar;
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(&s[t], &x[t], cuda::aligned_size_t<4>(sizeof(float)), bar);
    auto token = bar.arrive();
    bar.wait(std::move(token));
    y[t] = s[63 - t];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&r[t], &x[t], sizeof(float), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    pipe.consumer_release();
    bar.arrive_and_wait();
    y[t] += r[63 - t];
    bar.arrive_and_wait();
    cuda::memcpy_async(block, s, x, sizeof(float) * 64, bar);
    if (t < 16) __pipeline_memcpy_async(r + 4 * t, x + 4 * t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    bar.arrive_and_wait();
    y[t] += s[63 - t] + r[63 - t];
}"""


def reversed_four_times(text):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel = cudasim.RawKernel(text, "k", ("-arch=compute_80",))
    report = cudasim.run(kernel, 1, 64, (x, y))
    return report.findings, y.tolist() == (4 * x[::-1]).tolist()


def test_copies_and_their_barriers(compiles):
    assert reversed_four_times(BARRIER) == ([], True)
    compiles(BARRIER)


def test_a_barrier_that_is_left_out_is_a_race_in_the_kernels_own_line():
    line = "    bar.arrive_and_wait();\n    y[t] += s[63 - t] + r[63 - t];"
    without = BARRIER.replace(line, line.partition("\n")[2])
    findings, _ = reversed_four_times(without)
    assert {f.kind for f in findings} == {"race"}
    assert {f.line for f in findings} == {32}


def test_what_a_header_does_is_found_where_it_is_called():
    text = BARRIER.replace("r + 4 * t, x + 4 * t", "r + 4 * t, x + 8 * t")
    findings, _ = reversed_four_times(text)
    (one,) = [f for f in findings if f.kind == "out-of-bounds"]
    assert one.line == 29


TEXTURE = """
__global__ void k(cudaTextureObject_t t, float* y, int width, int height, float step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (x < width && row < height)
        y[row * width + x] = 2 * tex2D<float>(t, x * step, row * step)
            - tex2DLod<float>(t, x * step, row * step, 1);
}"""


def test_textures(compiles):
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    kernel, y = cudasim.RawKernel(TEXTURE, "k"), np.zeros((3, 4), np.float32)

    def look(step, **how):
        args = cudasim.texture(image, **how), y, 4, 3, np.float32(step)
        assert cudasim.run(kernel, (1, 3), 32, args).findings == []
        return y.tolist()

    assert look(1) == image.tolist()
    assert look(2)[0] == [0, 2, 3, 3]
    assert look(2, address="border")[1] == [8, 10, 0, 0]
    # Linear between the middles of elements: (x, y) = (1, 1) lies among four.
    assert look(1, filter="linear")[1][1] == image[:2, :2].mean()
    assert look(0.75, normalized=True, address="wrap")[0] == [0, 3, 2, 1]
    compiles(TEXTURE)
    with pytest.raises(ValueError, match="normalized"):
        cudasim.texture(image, address="wrap")


GROUPS = """
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int reduce(thread_group g, int* x, int val) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        x[lane] = val;
        g.sync();
        if (lane < i) val += x[lane + i];
        g.sync();
    }
    return lane == 0 ? val : -1;
}
__global__ void k(int* y) {
    extern __shared__ int s[];
    thread_block block = this_thread_block();
    y[threadIdx.x] = reduce(block, s, threadIdx.x);
    thread_group tile = tiled_partition(block, 16);
    y[threadIdx.x + 64] = reduce(tile, s + threadIdx.x / 16 * 16, threadIdx.x);
}"""


def test_a_thread_group_is_any_group(compiles):
    y = np.zeros(128, np.int32)
    report = cudasim.run(cudasim.RawKernel(GROUPS, "k"), 1, 64, (y,), shared_mem=256)
    assert report.findings == []
    assert y[y >= 0].tolist() == [2016, 120, 376, 632, 888]
    compiles(GROUPS)


GRID = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* parts, float* y) {
    cg::grid_group grid = cg::this_grid();
    if (gridDim.x == 6 && blockIdx.x == 3) return;
    float sum = 0;
    for (auto i = grid.thread_rank(); i < 1000; i += grid.size()) sum += x[i];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    for (int d = 16; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
    if (threadIdx.x == 0) parts[grid.block_rank()] = sum;
    grid.sync();
    if (threadIdx.x > 0) return;
    for (int i = 0; i < grid.num_blocks(); i++) y[blockIdx.x] += parts[i];
}"""


def over_the_grid(text, schedule, blocks=7):
    x, y = np.arange(1000, dtype=np.float32), np.zeros(blocks, np.float32)
    args, kernel = (x, np.zeros(blocks, np.float32), y), cudasim.RawKernel(text, "k")
    report = cudasim.run(kernel, blocks, 32, args, schedule=schedule)
    return [(f.kind, f.line) for f in report.findings], y


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_the_whole_grid_waits(schedule):
    findings, y = over_the_grid(GRID, schedule)
    assert findings == [] and y.tolist() == [499500.0] * 7
    without = GRID.replace("    grid.sync();\n", "\n")
    assert over_the_grid(without, schedule)[0] == [("race", 14)]
    assert over_the_grid(GRID, schedule, 6)[0] == [("divergent-barrier", 12)]


def test_a_grid_that_is_too_large_to_wait(compiles):
    with pytest.raises(ValueError, match=r"has grid.sync\(\), so all its blocks"):
        over_the_grid(GRID, "lockstep", 5000)
    compiles(GRID)


LANES = """
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int add(int* p) {
    coalesced_group g = coalesced_threads();
    int before;
    if (g.thread_rank() == 0) before = atomicAdd(p, g.size());
    return g.shfl(before, 0) + g.thread_rank();
}
__global__ void k(const int* x, int* count, int* out, int* ranks, int* votes) {
    int t = threadIdx.x;
    int warp = t / 32;
    if (x[t] > 0) out[32 * warp + add(count + warp)] = x[t];
    auto tile = tiled_partition<16>(this_thread_block());
    auto same = labeled_partition(tile, x[t] & 3);
    ranks[t] = same.thread_rank() + 100 * same.size();
    auto half = binary_partition(coalesced_threads(), t & 1);
    int others = half.shfl_down(t, 1) + half.shfl_up(t, 2);
    votes[t] = half.ballot(t % 4 < 2) + (others << 16);
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_groups_of_the_lanes_that_are_there(schedule, compiles):
    x = np.random.default_rng(0).integers(-5, 6, 64).astype(np.int32)
    count, out, ranks, votes = (np.zeros(64, np.int32) for _ in range(4))
    args = x, count, out, ranks, votes
    report = cudasim.run(cudasim.RawKernel(LANES, "k"), 1, 64, args, schedule=schedule)
    assert report.findings == []
    for warp in range(2):
        mine = x[32 * warp : 32 * warp + 32]
        assert count[warp] == (mine > 0).sum()
        assert [*out[32 * warp :][: count[warp]]] == [*mine[mine > 0]]
    for t in range(64):
        same = [u for u in range(64) if u // 16 == t // 16 and x[u] & 3 == x[t] & 3]
        assert ranks[t] == same.index(t) + 100 * len(same)
        half = range(t // 32 * 32 + t % 2, t // 32 * 32 + 32, 2)
        rank = half.index(t)
        assert votes[t] & 0xFFFF == 0x5555
        below = half[rank - 2] if rank > 1 else t
        assert votes[t] >> 16 == half[min(rank + 1, 15)] + below
    compiles(LANES)


REDUCED = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const int* x, int* sum, int* most, int* bits, float* f) {
    int t = threadIdx.x;
    if (x[t] > -3) {
        auto lanes = cg::coalesced_threads();
        sum[t] = cg::reduce(lanes, x[t], cg::plus<int>());
        most[t] = cg::reduce(lanes, x[t], cg::greater<int>());
        bits[t] = cg::reduce(lanes, x[t], cg::bit_xor<int>());
        f[t] = cg::reduce(lanes, x[t] + 0.5f, cg::less<float>());
    }
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_a_reduction_over_the_lanes_that_are_there(schedule, compiles):
    x = np.random.default_rng(0).integers(-5, 6, 96).astype(np.int32)
    x[32:64] = abs(x[32:64])  # a whole warp
    out = [np.zeros(96, np.int32) for _ in range(3)] + [np.zeros(96, np.float32)]
    kernel = cudasim.RawKernel(REDUCED, "k")
    assert cudasim.run(kernel, 1, 96, (x, *out), schedule=schedule).findings == []
    for row in range(3):
        lanes = 32 * row + np.flatnonzero(x[32 * row : 32 * row + 32] > -3)
        here = x[lanes]
        wanted = here.sum(), here.max(), np.bitwise_xor.reduce(here), here.min() + 0.5
        for array, value in zip(out, wanted, strict=True):
            assert set(array[lanes]) == {value}
    compiles(REDUCED)


def test_a_group_copies(compiles):
    text = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const float* x, float* y) {
    __shared__ float s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof(float) * 64);
    cg::wait(block);
    y[threadIdx.x] = s[63 - threadIdx.x];
}"""
    for line, expected in (("cg::wait(block);", set()), ("", {("race", 10)})):
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        kernel = cudasim.RawKernel(text.replace("cg::wait(block);", line), "k")
        report = cudasim.run(kernel, 1, 64, (x, y))
        assert {(f.kind, f.line) for f in report.findings} == expected
        assert y.tolist() == x[::-1].tolist()
    compiles(text)


SURFACE = """
__global__ void k(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int shift) {
    int x = threadIdx.x, y = threadIdx.y;
    float b, a = surf2Dread<float>(in, (x + shift) * 4, y, cudaBoundaryModeClamp);
    surf2Dread(&b, in, x * 4, y - 1, cudaBoundaryModeZero);
    surf2DLayeredwrite(a + 100 * b, out, (x + shift) * 4, y, 1);
}"""


def test_surfaces(compiles):
    image = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    source, out = (
        cudasim.surface(image),
        cudasim.surface(np.zeros((2, 3, 4), np.float32)),
    )
    kernel, above = (
        cudasim.RawKernel(SURFACE, "k"),
        np.vstack([image[:1] * 0, image[:2]]),
    )
    args = source[0], out[0]
    assert cudasim.run(kernel, 1, (4, 3), (*args, 0)).findings == []
    assert out[1][1].tolist() == (image + 100 * above).tolist()
    assert not out[1][0].any()
    (finding,) = cudasim.run(kernel, 1, (4, 3), (*args, 1)).findings
    assert (finding.kind, finding.line) == ("assert", 6)
    compiles(SURFACE)


def test_layers_of_a_texture(compiles):
    text = """
__global__ void k(cudaTextureObject_t t, float* y) {
    y[threadIdx.x] = tex2DLayered<float>(t, 0.25f * threadIdx.x + 0.25f, 0.5f, 1);
}"""
    layers, y = np.arange(24.0).reshape(3, 2, 4), np.zeros(4, np.float32)
    for filter, expected in (
        ("point", [13, 14, 15, 15]),
        ("linear", [10.5, 11.5, 12.5, 13]),
    ):
        t = cudasim.texture(layers.astype(np.float32), filter=filter, normalized=True)
        cudasim.RawKernel(text, "k")(1, 4, (t, y))
        assert y.tolist() == expected
    compiles(text)


TOGETHER = """
#include <mma.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
using namespace nvcuda;
namespace cg = cooperative_groups;
__global__ void f(const half* a, const half* b, float* c) {{
    __shared__ __align__(32) float tile[256];
    __shared__ __align__(32) half left[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    int t = threadIdx.x;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    {}
}}
"""
# Statements with @ where a __syncwarp() is missing.
COLLECTIVE = [
    "wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major); @"
    " for (int z = t; z < 256; z += 32) c[z] = tile[z];",
    "wmma::store_matrix_sync(tile, fc, 16, wmma::mem_col_major); @"
    " for (int z = 0; z < 8; z++) c[z * 32 + t] = tile[z + t * 8];",
    "wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); @"
    " if (t == 0) c[0] += c[255];",
    "for (int z = t; z < 256; z += 32) left[z] = a[z]; @"
    " wmma::load_matrix_sync(fa, left, 16); c[t] = fa.x[0];",
    "for (int z = 0; z < 8; z++) left[z + t * 8] = a[z + t * 8]; @"
    " wmma::load_matrix_sync(fa, left, 16); c[t] = fa.x[0];",
    "for (int z = t; z < 256; z += 32) tile[z] = 0; @"
    " wmma::load_matrix_sync(fc, tile, 16, wmma::mem_row_major); @"
    " for (int z = t; z < 256; z += 32) tile[z] = z; c[t] = fc.x[0];",
    "tile[t] = t; @ wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);",
    "tile[t] = t; float s = tile[t]; auto w = cg::tiled_partition<32>("
    "cg::this_thread_block()); s = cg::reduce(w, s, cg::plus<float>()); @"
    " c[t] = s + tile[31 - t];",
]  # fmt: skip


@pytest.mark.parametrize("body", COLLECTIVE)
def test_what_a_warp_does_together_orders_no_memory(body, compiles):
    parts = body.split("@")
    wrong = [
        "__syncwarp();".join([" ".join(parts[: i + 1]), *parts[i + 1 :]])
        for i in range(1, len(parts))
    ]
    options = ("--gpu-architecture=sm_80",)
    for text in (*wrong, "__syncwarp();".join(parts)):
        source = TOGETHER.format(text)
        compiles(source, 80)
        kernel = cudasim.RawKernel(source, "f", options)
        a, b = (np.ones(256, np.float16) for _ in "ab")
        findings = cudasim.run(
            kernel, 1, 32, (a, b, np.zeros(256, np.float32))
        ).findings
        kinds = {"race-warp"} if text in wrong else set()
        assert {f.kind for f in findings} == kinds


# Asynchronous copies of 64 floats into s; the statement between @ waits for them.
COPIES = [
    ("#include <cuda_pipeline.h>", "__pipeline_memcpy_async(&s[t], &x[t], 4);"
     "__pipeline_commit(); @__pipeline_wait_prior(0);@ __syncthreads();"),
    ("#include <cuda_pipeline.h>", "__pipeline_memcpy_async(&s[t], &x[t], 4);"
     "__pipeline_commit(); __pipeline_memcpy_async(&more[t], &x[t], 4);"
     "__pipeline_commit(); @__pipeline_wait_prior(1);@ __syncthreads();"),
    ("", "unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);"
     'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(&x[t]));'
     'asm volatile("cp.async.commit_group;");'
     '@asm volatile("cp.async.wait_group 0;");@ __syncthreads();'),
    ("", "unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);"
     'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(&x[t]));'
     '@asm volatile("cp.async.wait_all;");@ __syncthreads();'),
    ("#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>",
     "auto g = cooperative_groups::this_thread_block();"
     "cooperative_groups::memcpy_async(g, s, x, 256); @cooperative_groups::wait(g);@"
     "__syncthreads();"),
    ("#include <cuda/pipeline>", "auto pipe = cuda::make_pipeline();"
     "pipe.producer_acquire(); cuda::memcpy_async(&s[t], &x[t], 4, pipe);"
     "pipe.producer_commit(); @pipe.consumer_wait();@ __syncthreads();"),
]  # fmt: skip


@pytest.mark.parametrize("header, body", COPIES)
def test_a_wait_that_is_missing_is_found(header, body, compiles):
    head = "__global__ void f(const float* x, float* y) { int t = threadIdx.x;"
    head = f"{header}\n{head} __shared__ float s[64], more[64];\n"
    first, wait, last = body.split("@")
    for waits in (wait, ""):
        source = f"{head}{first}{waits}{last}\n y[t] = s[63 - t]; }}"
        compiles(source, 80)
        kernel = cudasim.RawKernel(source, "f", ("--gpu-architecture=sm_80",))
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        report = cudasim.run(kernel, 1, 64, (x, y))
        assert (y == x[::-1]).all()
        assert {f.kind for f in report.findings} == (set() if waits else {"race"})
        assert all("need not have ended" in f.message for f in report.findings)
