"""Chapter 05, any dimensions, and a maximum: wrong kernels of learners, right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.reductions import max_argmax, sum_dim

OFFSET = """
__device__ int offset_of(int i, const int* shape, const int* stride, int first,
                         int end) {
    int offset = 0;
    for (int d = end - 1; d >= first; d--) {
        offset += i % shape[d] * stride[d];
        i /= shape[d];
    }
    return offset;
}
"""
HEAD = """
__global__ void sum_dim(const float* x, const int* shape, const int* stride, float* y,
                        int dims, int kept, int m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
"""
BODY = """
    if (i >= m) return;
    int begin = offset_of(i, shape, stride, 0, kept);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += x[begin + offset_of(k, shape, stride, kept, dims)];
    y[i] = sum;
}
"""
DOWN = "d = end - 1; d >= first; d--"
INNER = "offset_of(k, shape, stride, kept, dims)"


def view(body=BODY, offset=OFFSET):
    return offset + HEAD + body


mutant(sum_dim, "contiguous_only")(view(BODY.replace(f"begin + {INNER}", "i * n + k")))
mutant(sum_dim, "kept_contiguous")(view(BODY.replace("begin +", "i * n +")))
mutant(sum_dim, "one_step")(view(BODY.replace(INNER, "k * stride[dims - 1]")))
mutant(sum_dim, "first_fastest")(
    view(offset=OFFSET.replace(DOWN, "d = first; d < end; d++"))
)  # fmt: skip
mutant(sum_dim, "first_left_out")(view(BODY.replace("k = 0", "k = 1")))
mutant(sum_dim, "empty")(view(BODY.replace("i >= m", "i >= m || n == 0")))
mutant(sum_dim, "kept_is_all")(view(BODY.replace("0, kept)", "0, dims)")))
mutant(sum_dim, "outside")(view(BODY.replace("if (i >= m) return;", "")))
mutant(sum_dim, "coarse", "in half precision")(
    "#include <cuda_fp16.h>\n"
    + view(
        BODY.replace("float sum = 0.0f", "__half sum = 0.0f")
        .replace("sum += ", "sum = __hadd(sum, __float2half(1024 * ")
        .replace("dims)];", "dims)]));")
        .replace("= sum;", "= __half2float(sum) / 1024;")
    )
)
right(sum_dim, "in one function")(
    HEAD
    + """
    if (i >= m) return;
    double sum = 0;
    for (int k = 0; k < n; k++) {
        int place = 0, rest = k;
        for (int d = dims - 1; d >= 0; d--) {
            if (d == kept - 1) rest = i;
            place += rest % shape[d] * stride[d];
            rest /= shape[d];
        }
        sum += x[place];
    }
    y[i] = sum;
}
"""
)
right(sum_dim, "a counter of indices")(
    OFFSET
    + HEAD
    + """
    if (i >= m) return;
    int at[8] = {}, place = offset_of(i, shape, stride, 0, kept);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += x[place];
        for (int d = dims - 1; d >= kept; d--) {
            place += stride[d];
            if (++at[d] < shape[d]) break;
            place -= shape[d] * stride[d];
            at[d] = 0;
        }
    }
    y[i] = sum;
}
"""
)
right(sum_dim, "grid-stride, backwards")(
    OFFSET
    + HEAD
    + """
    for (; i < m; i += gridDim.x * blockDim.x) {
        const float* first = x + offset_of(i, shape, stride, 0, kept);
        float sum = 0.0f;
        for (int k = n; k-- > 0;) sum += first[offset_of(k, shape, stride, kept, dims)];
        y[i] = sum;
    }
}
"""
)

# ------------------------------------------------------------ max_argmax

QUESTION = """
__device__ bool goes_before(float a, int i, float b, int j) {
    if (a != a || b != b) return a != a && (b == b || i < j);
    return a == b ? i < j : a > b;
}
"""
PAIR = """
__global__ void max_argmax(const float* x, float* values, int* indices, int n) {
    __shared__ float best[256];
    __shared__ int where[256];
    int tid = threadIdx.x, i = 0;
    const float* row = x + blockIdx.x * n;

    float a = row[0];
    for (int j = tid; j < n; j += blockDim.x)
        if (goes_before(row[j], j, a, i)) { a = row[j]; i = j; }
    best[tid] = a;
    where[tid] = i;
"""
TREE = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid >= half) continue;
        if (goes_before(best[other], where[other], best[tid], where[tid])) {
            best[tid] = best[other];
            where[tid] = where[other];
        }
    }
"""
WRITE = """
    if (tid == 0) { values[blockIdx.x] = best[0]; indices[blockIdx.x] = where[0]; }
}
"""
LOOP = "for (int j = tid; j < n; j += blockDim.x)"
NAN = "    if (a != a || b != b) return a != a && (b == b || i < j);\n"

mutant(max_argmax, "initial_zero")(
    QUESTION + PAIR.replace("a = row[0]", "a = 0.0f") + TREE + WRITE
)
mutant(max_argmax, "last_of_ties")(
    QUESTION.replace("i < j", "i > j") + PAIR + TREE + WRITE
)
mutant(max_argmax, "tie_in_tree")(
    "__device__ bool above(float a, float b) { return a != a ? b == b : a > b; }\n"
    + PAIR.replace("goes_before(row[j], j, a, i)", "above(row[j], a)")
    + TREE.replace(
        "goes_before(best[other], where[other], best[tid], where[tid])",
        "above(best[other], best[tid])",
    )
    + WRITE
)
mutant(max_argmax, "nan_lost")(QUESTION.replace(NAN, "") + PAIR + TREE + WRITE)
mutant(max_argmax, "any_nan")(
    QUESTION.replace("a != a && (b == b || i < j)", "a != a") + PAIR + TREE + WRITE
)
mutant(max_argmax, "first_pass")(
    QUESTION
    + PAIR.replace(LOOP, "int j = tid; if (j < n)")
    + TREE
    + WRITE
)  # fmt: skip
mutant(max_argmax, "index_of_thread")(
    QUESTION + PAIR.replace("i = j;", "i = tid;") + TREE + WRITE
)
mutant(max_argmax, "of_matrix")(
    QUESTION + PAIR + TREE + WRITE.replace("= where[0]", "= blockIdx.x * n + where[0]")
)
mutant(max_argmax, "no_barrier")(
    QUESTION + PAIR + TREE.replace("__syncthreads();", "") + WRITE
)
mutant(max_argmax, "barrier_in_if")(
    QUESTION
    + PAIR
    + "    __syncthreads();\n"
    + TREE.replace("__syncthreads();", "if (tid >= half) break; __syncthreads();")
    + WRITE
)
mutant(max_argmax, "not_filled")(
    QUESTION
    + PAIR.replace("best[tid] = a", "if (tid < n) best[tid] = a")
    + TREE
    + WRITE
)
mutant(max_argmax, "outside")(QUESTION + PAIR.replace("j < n", "j <= n") + TREE + WRITE)
right(max_argmax, "begins below all")(
    QUESTION
    + PAIR.replace("i = 0", "i = 1 << 30").replace(
        "row[0]", "__int_as_float(0xff800000)"
    )
    + TREE
    + WRITE
)
right(max_argmax, "shuffles")(
    QUESTION
    + """
__global__ void max_argmax(const float* x, float* values, int* indices, int n) {
    __shared__ float best[8];
    __shared__ int where[8];
    int tid = threadIdx.x, i = 0;
    const float* row = x + blockIdx.x * n;
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;

    float a = row[0];
    for (int j = tid; j < n; j += blockDim.x)
        if (goes_before(row[j], j, a, i)) { a = row[j]; i = j; }
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2) {
        float b = __shfl_down_sync(lanes, a, d);
        int j = __shfl_down_sync(lanes, i, d);
        if (goes_before(b, j, a, i)) { a = b; i = j; }
    }
    if (tid % 32 == 0) { best[tid / 32] = a; where[tid / 32] = i; }
    __syncthreads();
    if (tid > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++)
        if (goes_before(best[w], where[w], a, i)) { a = best[w]; i = where[w]; }
    values[blockIdx.x] = a;
    indices[blockIdx.x] = i;
}
"""
)
right(max_argmax, "the value from the row")(
    QUESTION
    + PAIR.replace("__shared__ float best[256];", "").replace("best[tid] = a;", "")
    + TREE.replace("best[other], ", "row[where[other]], ")
    .replace("best[tid], ", "row[where[tid]], ")
    .replace("best[tid] = best[other];", "")
    + WRITE.replace("best[0]", "row[where[0]]")
)
