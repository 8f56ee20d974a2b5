"""Softmax of rows, in three passes."""

from grading.checking import checks
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.kernels.reductions import softmax_rows

from .softmaxes import BOTH, NEAR, NO_SHIFT, NOT_DIVIDED, SHORT_SUM, WRITE, SoftmaxCheck


@checks(softmax_rows)
class SoftmaxRows(SoftmaxCheck):
    pass


MAX_TREE = """partial[tid] = m;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }
    __syncthreads();
    m = partial[0];
    __syncthreads();
"""
mistakes(
    softmax_rows,
    no_shift=Mistake(NO_SHIFT, "x[i] - m -> x[i]"),
    begins_at_zero=Mistake(
        "the largest element is never below 0: the search begins with 0. Where all "
        "scores are far below, every exponential is 0, and 0 / 0 is NaN",
        "m = x[0] -> m = 0.0f",
    ),
    **BOTH,
    short_sum=Mistake(
        SHORT_SUM,
        (
            "i += blockDim.x) m -> i += n) m",
            "i += blockDim.x) l -> i += n) l",
        ),
    ),
    own_largest=Mistake(
        "each thread subtracts the largest of its own elements: the terms of a sum "
        "must have the same subtracted, the row's",
        f"{MAX_TREE} ->",
    ),
    not_divided=Mistake(NOT_DIVIDED, " / l; -> ;"),
    no_barrier=Known(
        "m = partial[0];\n    __syncthreads(); -> m = partial[0];",
        "{\n        __syncthreads(); -> {",
    ),
    barrier_in_if=Known(
        "__syncthreads();\n        if (tid < half) -> if (tid >= half) continue;\n"
        "        __syncthreads();\n        if (tid < half)",
    ),
    not_filled=Known("partial[tid] = m; -> if (tid < n) partial[tid] = m;"),
    outside=Known("i < n; i += blockDim.x) l -> i <= n; i += blockDim.x) l"),
    coarse=Known(
        (
            "__global__ -> #include <cuda_fp16.h>\n__global__",
            "exp(x[i] - m) -> __half2float(__float2half(exp(x[i] - m)))",
        )
    ),
)

equivalent(
    softmax_rows,
    NEAR,
    "through int: float m = (int)(x[0]);",
    "through half: float m = __half2float(__float2half(x[0]));",
    "through int: m = (int)(partial[0]);",
    "through half: -> m = __half2float(__float2half(partial[0]));",
)

right(
    softmax_rows,
    "times one over the sum",
    ("l = partial[0] -> l = 1.0f / partial[0]", "/ l; -> * l;"),
)
right(
    softmax_rows,
    "y keeps the exponentials",
    (f"{WRITE} exp(x[i] - m) -> {WRITE} y[i]", "l += exp -> l += y[i] = exp"),
)
right(
    softmax_rows,
    "two arrays, expf",
    (
        "partial[256] -> partial[256], sums[256]",
        "m = partial[0];\n    __syncthreads(); -> m = partial[0];",
        "partial[tid] = l -> sums[tid] = l",
        "partial[tid] += partial[tid -> sums[tid] += sums[tid",
        "l = partial -> l = sums",
        "exp( -> expf(",
    ),
)
right(
    softmax_rows,
    "a function for both trees, from the end",
    """
    __device__ float joined(float* cells, float own, bool add) {
        int tid = threadIdx.x;
        __syncthreads();
        cells[tid] = own;
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (tid >= half) continue;
            float a = cells[tid], b = cells[tid + half];
            cells[tid] = add ? a + b : fmaxf(a, b);
        }
        __syncthreads();
        return cells[0];
    }

    __global__ void softmax_rows(const float* x, float* y, int n) {
        __shared__ float cells[256];
        int first = blockIdx.x * n, last = first + n - 1 - (int)threadIdx.x;
        float most = x[first], sum = 0;
        for (int i = last; i >= first; i -= blockDim.x) most = fmaxf(most, x[i]);
        most = joined(cells, most, false);
        for (int i = last; i >= first; i -= blockDim.x) sum += expf(x[i] - most);
        sum = joined(cells, sum, true);
        for (int i = last; i >= first; i -= blockDim.x) y[i] = expf(x[i] - most) / sum;
    }
    """,
)
