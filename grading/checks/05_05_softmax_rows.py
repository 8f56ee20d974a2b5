"""Softmax of rows, in three passes."""

from grading.exercise import checks, mistakes
from minigrad.kernels.reductions import softmax_rows

from .softmaxes import BOTH, NEAR, NO_SHIFT, NOT_DIVIDED, SHORT_SUM, WRITE, SoftmaxCheck


@checks(softmax_rows)
class SoftmaxRows(SoftmaxCheck):
    """Leaves out NaN, +inf and rows of -inf alone, as the contract does."""


MAX_TREE = """partial[tid] = m;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }
    __syncthreads();
    m = partial[0];
    __syncthreads();
"""
mistakes(softmax_rows)(f"""
no_shift: {NO_SHIFT}
> x[i] - m -> x[i]
begins_at_zero: the search begins with 0, or another number that all elements of a row
    may be far below: then every exponential is 0, and 0 / 0 is NaN
> m = x[0] -> m = 0.0f
short_sum: {SHORT_SUM}
> i += blockDim.x) m -> i += n) m
& i += blockDim.x) l -> i += n) l
own_largest: each thread subtracts the largest of its own elements: the terms of a sum
    must have the same subtracted, the row's
> {MAX_TREE} ->
not_divided: {NOT_DIVIDED}
>  / l; -> ;
many_reads: the values are right, but x is read more than five times: each thread goes
    through its share of the row, and a tree joins what they have
! reads of x
> {MAX_TREE} -> for (int i = 0; i < n; i++) m = max(m, x[i]);
> m = max(m, x[i]); -> m = max(m, x[i]); if (n < 300) for (int i = 0; i < n; i++) m =
    max(m, x[i]);
no_barrier:
> m = partial[0]; __syncthreads(); -> m = partial[0];
> {{ __syncthreads(); -> {{
barrier_in_if:
> __syncthreads(); if (tid < half) -> if (tid >= half) continue; __syncthreads(); if
    (tid < half)
not_filled:
> partial[tid] = m; -> if (tid < n) partial[tid] = m;
outside:
> i < n; i += blockDim.x) l -> i <= n; i += blockDim.x) l
{BOTH}
equivalent: {NEAR}
> through int: float m = (int)(x[0]);
> through half: float m = __half2float(__float2half(x[0]));
> through int: m = (int)(partial[0]);
> through half: -> m = __half2float(__float2half(partial[0]));
right: y keeps the exponentials
> {WRITE} exp(x[i] - m) -> {WRITE} y[i]
& l += exp -> l += y[i] = exp
right: by the logarithm of the sum
> {WRITE} exp(x[i] - m) / l; -> l = logf(l); {WRITE} expf(x[i] - m - l);
right: in one pass, by powers of 2
>
    __shared__ float2 pairs[256];
    int tid = threadIdx.x;
    float m = -INFINITY, l = 0, e = 1.44269504f;
    for (int i = tid; i < n; i += blockDim.x) {{
        float v = x[blockIdx.x * n + i];
        if (v > m) {{ l = l * exp2f((m - v) * e) + 1; m = v; }}
        else if (v > -INFINITY) l += exp2f((v - m) * e);
    }}
    pairs[tid] = make_float2(m, l);
    __syncthreads();
    for (int t = 0; t < blockDim.x; t++) m = fmaxf(m, pairs[t].x);
    l = 0;
    for (int t = 0; t < blockDim.x; t++) l += pairs[t].y * exp2f((pairs[t].x - m) * e);
    for (int i = blockIdx.x * n + tid; i < (blockIdx.x + 1) * n; i += blockDim.x)
        y[i] = exp2f((x[i] - m) * e) / l;
""")
