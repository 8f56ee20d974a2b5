"""Chapter 02, a tree of sums: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.memory import block_sum


def add(body, head=""):
    return head + (
        "__global__ void block_sum(const float* x, float* sums, int n) {\n"
        "    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;\n" + body + "}\n"
    )


FILL = """
    __shared__ float partial[256];
    partial[tid] = i < n ? x[i] : 0.0f;
"""
WRITE = "    if (tid == 0) sums[blockIdx.x] = partial[0];\n"
TREE = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
"""

ADDS = "    if (tid == 0) sums[blockIdx.x] += partial[0];\n"

mutant(block_sum, "atomics")(
    add(
        """
    __shared__ float sum;
    if (tid == 0) sum = 0;
    __syncthreads();
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (tid == 0) sums[blockIdx.x] = sum;
"""
    )
)
mutant(block_sum, "no_barrier")(
    add(FILL + TREE.replace("__syncthreads();", "") + WRITE)
)
mutant(block_sum, "no_barrier", "barrier only before the loop")(
    add(FILL + "__syncthreads();" + TREE.replace("__syncthreads();", "") + WRITE)
)
mutant(block_sum, "no_barrier", "no barrier after the fill")(
    add(
        FILL
        + """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) partial[tid] += partial[tid + half];
        __syncthreads();
    }
"""
        + WRITE
    )
)
mutant(block_sum, "no_barrier", "neighbours first, tid <= s")(
    add(
        FILL
        + """
    for (int s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        if (tid + s < blockDim.x) partial[tid] += partial[tid + s];
    }
"""
        + WRITE
    )
)
mutant(block_sum, "barrier_in_if")(
    add(
        FILL
        + "    __syncthreads();"
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
mutant(block_sum, "not_filled", "return behind the end")(
    add("    if (i >= n) return;" + FILL + TREE + WRITE)
)
mutant(block_sum, "warp_sync")(
    add(
        FILL
        + """
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    __syncthreads();
    for (int half = min(32, blockDim.x / 2); half > 0; half /= 2)
        if (tid < half) partial[tid] += partial[tid + half];
"""
        + WRITE
    )
)
mutant(block_sum, "not_filled")(
    add(
        """
    __shared__ float partial[256];
    if (i < n) partial[tid] = x[i];
"""
        + TREE
        + WRITE
    )
)
mutant(block_sum, "fixed_size")(
    add(FILL + TREE.replace("blockDim.x / 2", "128") + WRITE)
)
mutant(block_sum, "outside", "reads beyond n")(
    add("    __shared__ float partial[256];\n    partial[tid] = x[i];" + TREE + WRITE)
)
mutant(block_sum, "outside", "reads element n")(
    add(
        """
    __shared__ float partial[256];
    partial[tid] = i <= n ? x[i] : 0.0f;
    if (i >= n) partial[tid] = 0.0f;
"""
        + TREE
        + WRITE
    )
)
mutant(block_sum, "whole_first")(
    add(FILL + TREE.replace("blockDim.x / 2", "blockDim.x") + WRITE)
)
mutant(block_sum, "one_by_one")(
    add(
        FILL
        + """
    __syncthreads();
    if (tid == 0) {
        float sum = 0.0f;
        for (int k = 0; k < blockDim.x; k++) sum += partial[k];
        sums[blockIdx.x] = sum;
    }
"""
    )
)
mutant(block_sum, "one_by_one", "every thread adds all")(
    add(
        FILL
        + """
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < blockDim.x; k++) sum += partial[k];
    if (tid == 0) sums[blockIdx.x] = sum;
"""
    )
)
mutant(block_sum, "no_shared")(
    add("""
    float sum = 0.0f;
    for (int k = 0; k < blockDim.x && tid == 0; k++)
        if (i + k < n) sum += x[i + k];
    if (tid == 0) sums[blockIdx.x] = sum;
""")
)
mutant(block_sum, "first_only")(
    add(FILL + TREE + "    if (i == 0) sums[0] = partial[0];\n")
)
mutant(block_sum, "no_block")(
    add(FILL.replace("i < n ? x[i]", "tid < n ? x[tid]") + TREE + WRITE)
)
mutant(block_sum, "last_step")(add(FILL + TREE.replace("> 0", "> 1") + WRITE))
mutant(block_sum, "first_step")(
    add(FILL + TREE.replace("blockDim.x / 2", "blockDim.x / 4") + WRITE)
)
mutant(block_sum, "no_tree")(add(FILL + "    __syncthreads();\n" + WRITE))
mutant(block_sum, "whole_blocks_only")(
    add(FILL.replace("i < n", "(blockIdx.x + 1) * blockDim.x <= n") + TREE + WRITE)
)
mutant(block_sum, "nothing", "writes no sum")(add(FILL + TREE))
mutant(block_sum, "one_cell")(
    add("""
    __shared__ float total;
    if (tid == 0) total = 0.0f;
    __syncthreads();
    if (i < n) total = total + x[i];
    __syncthreads();
    if (tid == 0) sums[blockIdx.x] = total;
""")
)
mutant(block_sum, "written_by_all")(
    add(FILL + TREE + "    sums[blockIdx.x] = partial[0];\n")
)
mutant(block_sum, "one_each")(
    add(FILL + TREE + "    if (i >= n) return;\n    sums[i] = partial[0];\n")
)
mutant(block_sum, "added")(add(FILL + TREE + ADDS))
mutant(block_sum, "small_array")(add(FILL.replace("256", "128") + TREE + WRITE))
mutant(block_sum, "without_if")(
    add(FILL + TREE.replace("if (tid < half) ", "") + WRITE)
)
mutant(block_sum, "one_more")(
    add(FILL + TREE.replace("tid < half", "tid < half + 1") + WRITE)
)
mutant(block_sum, "half_of_n")(
    add(FILL + TREE.replace("blockDim.x / 2", "n / 2") + WRITE)
)
mutant(block_sum, "whole_numbers")(
    add(FILL.replace("float", "int").replace("0.0f", "0") + TREE + WRITE)
)
right(block_sum, "in double")(
    add(FILL.replace("float", "double").replace("0.0f", "0.0") + TREE + WRITE)
)
right(block_sum, "neighbours first, threads side by side")(
    add(
        FILL
        + """
    for (int s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        int k = 2 * s * tid;
        if (k + s < blockDim.x) partial[k] += partial[k + s];
    }
"""
        + WRITE
    )
)
right(block_sum, "neighbours first")(
    add(
        FILL
        + """
    for (int s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        if (tid % (2 * s) == 0 && tid + s < blockDim.x)
            partial[tid] += partial[tid + s];
    }
"""
        + WRITE
    )
)
right(block_sum, "dynamic shared memory")(
    add(
        FILL.replace(
            "__shared__ float partial[256]", "extern __shared__ float partial[]"
        )
        + TREE
        + WRITE
    )
)
right(block_sum, "shuffles in the warps")(
    add("""
    __shared__ float partial[8];
    float sum = i < n ? x[i] : 0.0f;
    int warps = (blockDim.x + 31) / 32;
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(lanes, sum, d);
    if (tid % 32 == 0) partial[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int w = 1; w < warps; w++) sum += partial[w];
        sums[blockIdx.x] = sum;
    }
""")
)
right(block_sum, "two elements a thread")(
    add("""
    __shared__ float partial[256];
    int half = blockDim.x / 2;
    if (tid < half) {
        partial[tid] = i < n ? x[i] : 0.0f;
        if (i + half < n) partial[tid] += x[i + half];
    }
    if (half == 0) partial[0] = i < n ? x[i] : 0.0f;
    for (half /= 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    if (tid == 0) sums[blockIdx.x] = partial[0];
""")
)
right(block_sum, "read, barrier, write")(
    add(
        FILL
        + """
    __syncthreads();
    for (int half = blockDim.x >> 1; half; half >>= 1) {
        float other = tid < half ? partial[tid + half] : 0.0f;
        __syncthreads();
        if (tid < half) partial[tid] += other;
        __syncthreads();
    }
"""
        + WRITE
    )
)
right(block_sum, "__syncwarp in the last warp")(
    add(
        FILL
        + """
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    __syncthreads();
    if (tid < 32)
        for (int half = min(32, blockDim.x / 2); half > 0; half /= 2) {
            if (tid < half) partial[tid] += partial[tid + half];
            __syncwarp(blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu);
        }
"""
        + WRITE
    )
)
