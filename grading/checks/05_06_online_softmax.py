"""Softmax of rows, in two passes."""

from grading.exercise import checks, mistakes
from minigrad.kernels.reductions import online_softmax

from .softmaxes import BOTH, NEAR, NO_SHIFT, NOT_DIVIDED, SHORT_SUM, WRITE, SoftmaxCheck


@checks(online_softmax)
class OnlineSoftmax(SoftmaxCheck):
    """Leaves out NaN, +inf and rows of -inf alone, as the contract does."""

    rounds = 2


PUT = "ms[tid] = m;\n    ls[tid] = l;"
TREE = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        int other = tid + half;
        float top = max(ms[tid], ms[other]);
        ls[tid] = ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top);
        ms[tid] = top;
    }"""
mistakes(online_softmax)(f"""
begins_at_zero: m begins with 0, or another number that all elements of a row may be
    far below: then every exponential is 0, and 0 / 0 is NaN
> -3e38f -> 0.0f
not_scaled: l is not scaled when m changes: its terms were made with the old m, and all
    change by the factor exp(old m - new m)
> l * exp(m - top) -> l
minus_infinity: m begins with minus infinity: where a thread has no element, or minus
    infinity alone, m - top is NaN. Begin with a finite number, such as -3e38f
> -3e38f -> __int_as_float(0xff800000)
no_shift: {NO_SHIFT}
> -3e38f -> 0.0f
& max(m, value) -> 0.0f
& max(ms[tid], ms[other]) -> 0.0f
short_sum: {SHORT_SUM}
> i += blockDim.x) {{ -> i += n) {{
added_in_tree: in the tree the two l are added as they are: the one with the smaller m
    must be scaled by exp(its m - larger m) first
>  * exp(ms[tid] - top) ->
&  * exp(ms[other] - top) ->
one_scaled: in the tree only the other's l is scaled: if the other m is the larger one,
    it is this thread's own l that must be
>  * exp(ms[tid] - top) ->
not_divided: {NOT_DIVIDED}
>  / ls[0] ->
no_barrier:
> }} __syncthreads(); -> }}
> {{ __syncthreads(); -> {{
barrier_in_if:
> __syncthreads(); if (tid >= half) continue; -> if (tid >= half) continue;
    __syncthreads();
not_filled:
> ms[tid] = m; -> if (tid < n) ms[tid] = m;
outside:
> i < n; i += blockDim.x) {{ -> i <= n; i += blockDim.x) {{
three_passes: the values are right, but x is read more than twice: the largest and the
    sum come from one pass, (m, l); and each x[i] that is written is a read, so keep it
    in a variable
! reads of x
> float value = x[i], top -> float top
& value -> x[i]
> {WRITE} -> for (int i = tid; i < n && n < 1000; i += blockDim.x) m = max(m, x[i]);
    {WRITE}
{BOTH}
equivalent: {NEAR}
> through int: float top = (int)(max(ms[tid], ms[other]));
> type: -> int top = max(ms[tid], ms[other]);
equivalent: what is there before the first finite element is scaled by exp of less than
    -2e9, which is 0
> through int: float m = (int)(-3e38f)
> constant: l = 1.0f;
right: y divided in place
> y[i] = exp(x[i] - ms[0]) / ls[0]; -> {{ y[i] = exp(x[i] - ms[0]); y[i] /= ls[0]; }}
right: shuffles
> {PUT} -> unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;
& {TREE} ->
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2) {{
        float b = __shfl_xor_sync(lanes, m, d), k = __shfl_xor_sync(lanes, l, d);
        float top = max(m, b);
        l = l * exp(m - top) + k * exp(b - top);
        m = top;
    }}
    if (tid % 32 == 0) {{ ms[tid / 32] = m; ls[tid / 32] = l; }}
& {WRITE} ->
    m = ms[0];
    for (int w = 1; w < blockDim.x / 32; w++) m = max(m, ms[w]);
    l = 0.0f;
    for (int w = 0; w < (blockDim.x + 31) / 32; w++) l += ls[w] * exp(ms[w] - m);
    {WRITE}
& - ms[0]) / ls[0] -> - m) / l
right: from minus infinity, scaled only where m grows
> -3e38f -> -INFINITY
& l = l * exp(m - top) + exp(value - top); m = top; -> if (value > m) {{ l = l * exp(m -
    top) + 1.0f; m = top; }} else if (value != -INFINITY) l += exp(value - m);
& ls[tid] = ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top); -> if (top
    == -INFINITY) continue; ls[tid] *= exp(ms[tid] - top); ls[tid] += ls[other] *
    exp(ms[other] - top);
""")
