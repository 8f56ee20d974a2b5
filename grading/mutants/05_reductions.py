"""Chapter 05, sums: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.reductions import sum_all, warp_reduce


def add(body, head=""):
    return head + (
        "__global__ void sum_all(const float* x, float* sums, int n) {\n"
        "    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;\n"
        "    int threads = gridDim.x * blockDim.x;\n" + body + "}\n"
    )


OWN = """
    __shared__ float partial[256];
    float sum = 0.0f;
    for (; i < n; i += threads) sum += x[i];
    partial[tid] = sum;
"""
TREE = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
"""
WRITE = "    if (tid == 0) sums[blockIdx.x] = partial[0];\n"
BARRIER = "__syncthreads();"

mutant(sum_all, "one_block")(
    add(
        """
    __shared__ float partial[256];
    float sum = 0.0f;
    if (blockIdx.x == 0)
        for (i = tid; i < n; i += blockDim.x) sum += x[i];
    partial[tid] = sum;
"""
        + TREE
        + WRITE
    )
)
mutant(sum_all, "one_block_alone")(
    add(
        "    if (blockIdx.x > 0) return;\n"
        + OWN.replace("(;", "(i = tid;").replace("threads)", "blockDim.x)")
        + TREE
        + WRITE
    )
)
mutant(sum_all, "slow_drift")(
    add("""
    if (tid > 0) return;
    float sum = 0.0f;
    for (; i < n; i += threads)
        for (int k = i; k < min(i + (int)blockDim.x, n); k++) sum += x[k];
    sums[blockIdx.x] = sum;
""")
)
mutant(sum_all, "slow_drift", "the last thread adds what is left over")(
    add(
        """
    __shared__ float partial[256];
    float sum = 0.0f;
    for (int k = 0; k < n / threads; k++) sum += x[i + k * threads];
    if (tid == 0)
        for (i = n / threads * threads + i; i < n; i++)
            if (i / (int)blockDim.x % (int)gridDim.x == blockIdx.x) sum += x[i];
    partial[tid] = sum;
"""
        + TREE
        + WRITE
    )
)
mutant(sum_all, "coarse", "in half precision")(
    add(
        OWN.replace("float sum = 0.0f", "__half sum = 0.0f").replace(
            "sum += x[i]", "sum = __hadd(sum, __float2half(1024 * x[i]))"
        )
        + TREE
        + WRITE.replace("partial[0]", "partial[0] / 1024"),
        "#include <cuda_fp16.h>\n",
    )
)
mutant(sum_all, "one_by_one")(
    add(
        OWN
        + """
    __syncthreads();
    if (tid == 0) {
        for (int k = 1; k < blockDim.x; k++) sum += partial[k];
        sums[blockIdx.x] = sum;
    }
"""
    )
)
mutant(sum_all, "block_step")(
    add(OWN.replace("+= threads", "+= blockDim.x") + TREE + WRITE)
)
mutant(sum_all, "no_block")(add(OWN.replace("(;", "(i = tid;") + TREE + WRITE))
mutant(sum_all, "first_pass")(
    add(OWN.replace("for (; i < n; i += threads)", "if (i < n)") + TREE + WRITE)
)
mutant(sum_all, "no_barrier")(add(OWN + TREE.replace(BARRIER, "") + WRITE))
mutant(sum_all, "no_barrier", "barrier only before the loop")(
    add(OWN + BARRIER + TREE.replace(BARRIER, "") + WRITE)
)
mutant(sum_all, "barrier_in_if")(
    add(
        OWN
        + BARRIER
        + """
    for (int half = blockDim.x / 2; half > 0; half /= 2)
        if (tid < half) {
            partial[tid] += partial[tid + half];
            __syncthreads();
        }
"""
        + WRITE
    )
)
mutant(sum_all, "not_filled")(add("    if (i >= n) return;\n" + OWN + TREE + WRITE))
mutant(sum_all, "outside")(add(OWN.replace("i < n", "i <= n") + TREE + WRITE))
mutant(sum_all, "nothing", "writes no sum")(add(OWN + TREE))
right(sum_all, "in double")(add(OWN.replace("float", "double") + TREE + WRITE))
right(sum_all, "shuffles in the warps")(
    add("""
    __shared__ float partial[8];
    float sum = 0.0f;
    for (; i < n; i += threads) sum += x[i];
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(lanes, sum, d);
    if (tid % 32 == 0) partial[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) sum += partial[w];
        sums[blockIdx.x] = sum;
    }
""")
)
right(sum_all, "two sums a thread")(
    add(
        OWN.replace(
            "for (; i < n; i += threads) sum += x[i];",
            """
    float other = 0.0f;
    for (; i + threads < n; i += 2 * threads) {
        sum += x[i];
        other += x[i + threads];
    }
    if (i < n) sum += x[i];
    sum += other;
""",
        )
        + TREE
        + WRITE
    )
)

# ------------------------------------------------------------ warp_reduce


def warp(body, head=""):
    return head + (
        "__global__ void warp_reduce(const float* x, float* sums, int n) {\n"
        "    int tid = threadIdx.x, lane = tid % 32;\n"
        "    int i = blockIdx.x * blockDim.x + tid, warps = (blockDim.x + 31) / 32;\n"
        "    int lanes = min(32, (int)blockDim.x - (tid - lane));\n"
        "    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;\n"
        + body
        + "}\n"
    )


TAKE = "    float sum = i < n ? x[i] : 0.0f;\n"
STEPS = """
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(mask, sum, d);
        if (lane + d < lanes) sum += other;
    }
"""
PUT = "    if (lane == 0) sums[blockIdx.x * warps + tid / 32] = sum;\n"

mutant(warp_reduce, "returned")(warp("    if (i >= n) return;\n" + TAKE + STEPS + PUT))
mutant(warp_reduce, "wrong_mask", "the shuffle stands in an if")(
    warp(
        TAKE
        + """
    for (int d = 16; d > 0; d /= 2)
        if (lane < d && lane + d < lanes) sum += __shfl_down_sync(mask, sum, d);
"""
        + PUT
    )
)
mutant(warp_reduce, "wrong_mask", "16 lanes")(
    warp(TAKE + STEPS.replace("mask", "0xffff") + PUT)
)
mutant(warp_reduce, "wrong_mask", "31 lanes")(
    warp(TAKE + STEPS.replace("mask", "0x7fffffff") + PUT)
)
mutant(warp_reduce, "active_mask")(
    warp(
        """
    float sum = 0.0f;
    if (i < n) {
        sum = x[i];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(__activemask(), sum, d);
    }
"""
        + PUT
    )
)
mutant(warp_reduce, "absent_lanes")(
    warp(TAKE + STEPS.replace("if (lane + d < lanes) ", "") + PUT)
)
mutant(warp_reduce, "absent_lanes", "up to 32")(
    warp(TAKE + STEPS.replace("lane + d < lanes", "lane + d < 32") + PUT)
)
mutant(warp_reduce, "last_step")(warp(TAKE + STEPS.replace("d > 0", "d > 1") + PUT))
mutant(warp_reduce, "first_step")(warp(TAKE + STEPS.replace("d = 16", "d = 8") + PUT))
mutant(warp_reduce, "first_lane")(warp(TAKE + PUT))
mutant(warp_reduce, "shared")(
    warp("""
    __shared__ float cells[256];
    cells[tid] = i < n ? x[i] : 0.0f;
    for (int d = 16; d > 0; d /= 2) {
        __syncthreads();
        if (lane < d && lane + d < lanes) cells[tid] += cells[tid + d];
    }
    if (lane == 0) sums[blockIdx.x * warps + tid / 32] = cells[tid];
""")
)
mutant(warp_reduce, "one_lane")(
    warp("""
    if (lane > 0) return;
    float sum = 0.0f;
    for (int k = i; k < min(i + lanes, n); k++) sum += x[k];
    sums[blockIdx.x * warps + tid / 32] = sum;
""")
)
mutant(warp_reduce, "rounded_down")(
    warp(TAKE + STEPS + PUT.replace("warps", "(blockDim.x / 32)"))
)
mutant(warp_reduce, "outside")(warp("    float sum = x[i];\n" + STEPS + PUT))
mutant(warp_reduce, "all_write")(
    warp(TAKE + STEPS + PUT.replace("if (lane == 0) ", ""))
)
mutant(warp_reduce, "coarse", "in half precision")(
    warp(
        TAKE.replace("float sum = i < n ? x[i] : 0.0f", "__half sum = "
                     "__float2half(i < n ? 1024 * x[i] : 0.0f)")
        + STEPS.replace("float other", "__half other").replace(
            "sum += other", "sum = __hadd(sum, other)"
        )
        + PUT.replace("= sum", "= __half2float(sum) / 1024"),
        "#include <cuda_fp16.h>\n",
    )
)  # fmt: skip
right(warp_reduce, "by __shfl_xor_sync")(
    warp(
        TAKE
        + """
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(mask, sum, d);
        if ((lane ^ d) < lanes) sum += other;
    }
"""
        + PUT
    )
)
right(warp_reduce, "neighbours first")(
    warp(
        TAKE
        + """
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_down_sync(mask, sum, d);
        if (lane + d < lanes) sum += other;
    }
"""
        + PUT
    )
)
right(warp_reduce, "a function, and a full mask")(
    "__device__ float get(float value, int from, int lanes) {\n"
    "    float other = __shfl_sync(0xffffffff, value, from);\n"
    "    return from < lanes ? other : 0.0f;\n}\n"
    + warp(
        TAKE
        + """
    for (int d = 16; d >= 1; d >>= 1) sum += get(sum, lane + d, min(lanes, 2 * d));
"""
        + PUT
    )
)
