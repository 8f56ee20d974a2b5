"""Chapter 02, a block reversed: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.memory import shared_reverse


def reverse(body, head=""):
    return head + (
        "__global__ void shared_reverse(const float* x, float* y, int n) {\n"
        "    int tid = threadIdx.x, first = blockIdx.x * blockDim.x;\n"
        "    int count = min((int)blockDim.x, n - first);\n" + body + "}\n"
    )


mutant(shared_reverse, "no_barrier")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "no_barrier", "barrier only before")(
    reverse("""
    __shared__ float tile[256];
    __syncthreads();
    if (tid < count) tile[tid] = x[first + tid];
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "no_barrier", "barrier only after")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) {
        tile[tid] = x[first + tid];
        y[first + tid] = tile[count - 1 - tid];
    }
    __syncthreads();
""")
)
mutant(shared_reverse, "no_barrier", "syncwarp instead")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __syncwarp();
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "no_barrier", "a fence instead")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __threadfence_block();
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "barrier_in_if")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) {
        tile[tid] = x[first + tid];
        __syncthreads();
        y[first + tid] = tile[count - 1 - tid];
    }
""")
)
right(shared_reverse, "threads without an element end early")(
    reverse("""
    __shared__ float tile[256];
    if (tid >= count) return;
    tile[tid] = x[first + tid];
    __syncthreads();
    y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "no_shared")(
    reverse("    if (tid < count) y[first + tid] = x[first + count - 1 - tid];\n")
)
mutant(shared_reverse, "whole_array")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[n - 1 - first - tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[tid];
""")
)
mutant(shared_reverse, "not_reversed")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[tid];
""")
)
mutant(shared_reverse, "blocks_swapped")(
    reverse("""
    __shared__ float tile[256];
    int to = (gridDim.x - 1 - blockIdx.x) * blockDim.x;
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (to + tid < n) y[to + tid] = tile[blockDim.x - 1 - tid];
""")
)
mutant(shared_reverse, "full_block")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[blockDim.x - 1 - tid];
""")
)
mutant(shared_reverse, "outside", "256 - tid")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[256 - tid];
""")
)
mutant(shared_reverse, "outside", "no guard")(
    reverse("""
    __shared__ float tile[256];
    tile[tid] = x[first + tid];
    __syncthreads();
    y[first + tid] = tile[blockDim.x - 1 - tid];
""")
)
mutant(shared_reverse, "smaller_tile")(
    reverse("""
    __shared__ float tile[64];
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
mutant(shared_reverse, "first_block")(
    """
__global__ void shared_reverse(const float* x, float* y, int n) {
    __shared__ float tile[256];
    int tid = threadIdx.x, count = min((int)blockDim.x, n);
    if (blockIdx.x == 0 && tid < count) tile[tid] = x[tid];
    __syncthreads();
    if (blockIdx.x == 0 && tid < count) y[tid] = tile[count - 1 - tid];
}
"""
)
mutant(shared_reverse, "compile", "a misspelt barrier")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[tid] = x[first + tid];
    __synchthreads();
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
PUT = "    if (tid < count) tile[tid] = x[first + tid];\n    __syncthreads();\n"
TILE = "    __shared__ float tile[256];\n" + PUT
TAKE = "    if (tid < count) y[first + tid] = tile[count - 1 - tid];\n"
mutant(shared_reverse, "one_too_far")(
    reverse(TILE + TAKE.replace("count - 1 - tid", "count - tid"))
)
mutant(shared_reverse, "small_tile")(
    reverse(TILE.replace("256", "128") + TAKE),
)
mutant(shared_reverse, "by_i")(
    reverse(
        "    int last = first + count - 1;\n"
        + TILE.replace("tile[tid]", "tile[tid + first]")
        + TAKE.replace("count - 1 - tid", "last - tid")
    )
)
mutant(shared_reverse, "first_place")(
    reverse(TILE + TAKE.replace("y[first + tid]", "y[tid]"))
)
mutant(shared_reverse, "last_left_out")(
    reverse(TILE + TAKE.replace("if (tid < count)", "if (tid + 1 < count)"))
)
mutant(shared_reverse, "unsigned_count")(
    reverse(TILE + TAKE).replace("min((int)blockDim.x, n", "min(blockDim.x, n")
)
mutant(shared_reverse, "compile", "a barrier without brackets")(
    reverse(TILE.replace("threads()", "threads") + TAKE)
)
mutant(shared_reverse, "compile", "as long as the block")(
    reverse(TILE.replace("256", "blockDim.x") + TAKE)
)
mutant(shared_reverse, "no_barrier", "swapped in place")(
    reverse(
        TILE
        + """
    if (tid < count / 2) {
        float other = tile[count - 1 - tid];
        tile[count - 1 - tid] = tile[tid];
        tile[tid] = other;
    }
    if (tid < count) y[first + tid] = tile[tid];
"""
    )
)
right(shared_reverse, "swapped in place")(
    reverse(
        TILE
        + """
    if (tid < count / 2) {
        float other = tile[count - 1 - tid];
        tile[count - 1 - tid] = tile[tid];
        tile[tid] = other;
    }
    __syncthreads();
    if (tid < count) y[first + tid] = tile[tid];
"""
    )
)
right(shared_reverse, "dynamic shared memory")(
    reverse("""
    extern __shared__ float tile[];
    if (tid < count) tile[tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[count - 1 - tid];
""")
)
right(shared_reverse, "reversed on the way in")(
    reverse("""
    __shared__ float tile[256];
    if (tid < count) tile[count - 1 - tid] = x[first + tid];
    __syncthreads();
    if (tid < count) y[first + tid] = tile[tid];
""")
)
right(shared_reverse, "two elements a thread")(
    reverse("""
    __shared__ float tile[256];
    for (int k = tid; k < count; k += (blockDim.x + 1) / 2)
        if (tid < (blockDim.x + 1) / 2) tile[k] = x[first + k];
    __syncthreads();
    for (int k = tid; k < count; k += (blockDim.x + 1) / 2)
        if (tid < (blockDim.x + 1) / 2) y[first + k] = tile[count - 1 - k];
""")
)
right(shared_reverse, "a barrier too many, and a template")(
    reverse(
        """
    __shared__ float tile[256];
    __syncthreads();
    if (tid < count) put<float>(tile, tid, x[first + tid]);
    __syncthreads();
    float mine = tid < count ? tile[count - 1 - tid] : 0.0f;
    __syncthreads();
    if (tid < count) put<float>(y, first + tid, mine);
""",
        "template <typename T> __device__ void put(T* to, int i, T v) { to[i] = v; }\n",
    )
)
