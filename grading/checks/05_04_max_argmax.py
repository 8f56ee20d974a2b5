"""A value and its place."""

import numpy as np
import torch

from grading.exercise import blank, checks, distinct, mistakes
from minigrad.kernels.reductions import max_argmax

from .reductions import STEP, RowCheck


@checks(max_argmax)
class MaxArgmax(RowCheck):
    """Leaves out empty rows, as the contract does, and rounding: a maximum has none."""

    heart = "the largest and its column"
    rounds = 8

    def usual(self, random, rows, n):
        return distinct(random, rows, n)

    def of(self, random, x, size):
        args = x.astype(np.float32), blank(len(x)), blank(len(x), dtype=np.int32)
        return self.of_rows(size, *args, np.int32(x.shape[1]))

    def expected(self, launch, x, values, indices, n):
        x = torch.from_numpy(x)
        return {"values": x.amax(1), "indices": x.argmax(1)}

    def _is_coarse(self, case):
        return False  # nothing is rounded


NAN = "if (a != a || b != b) return a != a && (b == b || i < j);"
TREE = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid >= half) continue;
        if (goes_before(best[other], where[other], best[tid], where[tid])) {
            best[tid] = best[other];
            where[tid] = where[other];
        }
    }"""
mistakes(max_argmax)(f"""
initial_zero: one begins with 0: in a row of negative elements nothing is larger. Begin
    with an element of the row
> a = row[0] -> a = 0.0f
last_of_ties: of equal elements the last one is taken: the first one counts
> i < j -> i > j
first_pass: only the first blockDim.x elements are looked at: a row may be longer
> j += blockDim.x -> j += n
index_of_thread: the number of the thread is given, not the column of its element: the
    two travel together, through the loop and the tree
> = where[0] -> = where[0] % blockDim.x
> i = j; -> i = tid;
of_matrix: the places are counted in the whole of x: indices holds the column in a row
> = where[0] -> = blockIdx.x * n + where[0]
tie_in_tree: of equal elements, the one with the lower thread is taken: thread 0 may
    have column 256, thread 5 column 5. In the tree the columns must be compared, too
> {NAN} ->
& a == b ? i < j : a > b -> a != a ? b == b : a > b
nan_lost: a NaN is not found: every comparison with NaN is false, so ask a != a
> {NAN} ->
any_nan: a NaN is found, but of several not the first one
>  && (b == b || i < j) ->
by_bits: the bits are compared: 0 and -0 are equal, and a NaN may have either sign
> {NAN} -> int k = __float_as_int(a), l = __float_as_int(b); k ^= k >> 31 & 0x7fffffff;
    l ^= l >> 31 & 0x7fffffff;
& a == b ? i < j : a > b -> k == l ? i < j : k > l
no_barrier: a thread reads a cell of shared memory that another may not have written
    yet: {STEP}
+ __syncthreads();
> __syncthreads(); ->
barrier_in_if:
> for (int half -> __syncthreads(); for (int half
& __syncthreads(); int -> if (tid >= half) break; __syncthreads(); int
not_filled: a cell is used that nobody has filled: threads without elements need a pair,
    too, such as the row's first element and column 0
! uninitialised
> best[tid] = a; -> if (tid < n) best[tid] = a;
outside:
> j < n -> j <= n
equivalent: where a is a number and b is NaN, a > b is false as well
> term dropped: -> if (a != a) return
equivalent: two places are one only where the element is one, too
> comparison: (b == b || i <= j)
> comparison: a == b ? i <= j
> comparison: i < j : a >= b
equivalent: the pair (row[0], 1) comes after (row[0], 0), which thread 0 has
> off by one: int tid = threadIdx.x, i = 1;
right: shuffles
> best[tid] = a; -> unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 :
    0xffffffff;
& where[tid] = i; ->
& {TREE} ->
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2) {{
        float b = __shfl_down_sync(lanes, a, d);
        int j = __shfl_down_sync(lanes, i, d);
        if (goes_before(b, j, a, i)) {{ a = b; i = j; }}
    }}
    if (tid % 32 == 0) {{ best[tid / 32] = a; where[tid / 32] = i; }}
    __syncthreads();
    if (tid > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++)
        if (goes_before(best[w], where[w], a, i)) {{ a = best[w]; i = where[w]; }}
& = best[0] -> = a
& = where[0] -> = i
right: the largest first, then its first place
>
    __shared__ float best[256];
    __shared__ int where[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    float a = x[0];
    for (int j = tid; j < n; j += blockDim.x) a = x[j] <= a || a != a ? a : x[j];
    best[tid] = a;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        __syncthreads();
        if (tid >= half || isnan(best[tid])) continue;
        if (!(best[tid + half] <= best[tid])) best[tid] = best[tid + half];
    }}
    __syncthreads();
    a = best[0];
    int i = n;
    for (int j = n - 1 - tid; j >= 0; j -= blockDim.x)
        if (x[j] == a || a != a && isnan(x[j])) i = j;
    where[tid] = i;
    __syncthreads();
    if (tid > 0) return;
    for (int t = 1; t < blockDim.x; t++) i = min(i, where[t]);
    values[blockIdx.x] = a;
    indices[blockIdx.x] = i;
right: any NaN is as good as another
> values[blockIdx.x] = best[0] -> values[blockIdx.x] = best[0] != best[0] ?
    __int_as_float(0x7fffffff) : best[0]
right: one number for an element and its place
>
    __shared__ long long keys[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    long long key = -(1LL << 62);
    for (int j = tid; j < n; j += blockDim.x) {{
        float a = x[j] + 0.0f;
        int bits = __float_as_int(a);
        if (a != a) bits = 0x7fffffff;
        else if (bits < 0) bits = -(bits & 0x7fffffff);
        key = max(key, ((long long)bits << 31) + (0x7fffffff - j));
    }}
    keys[tid] = key;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        __syncthreads();
        if (tid < half) keys[tid] = max(keys[tid], keys[tid + half]);
    }}
    if (tid > 0) return;
    int j = 0x7fffffff - (int)(keys[0] & 0x7fffffff);
    indices[blockIdx.x] = j;
    values[blockIdx.x] = x[j];
""")
