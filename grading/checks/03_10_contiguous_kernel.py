"""The copy kernel: PyTorch reads the same storage by the same strides."""

from grading.exercise import mistakes
from minigrad.kernels.copy import contiguous_kernel

from .strided import NO_GUARD, SCATTERED

LOOP = """long long offset = 0, rest = i;
    for (int d = view.dims - 1; d >= 0; d--) {
        offset += rest % view.shape[d] * view.stride[d];
        rest /= view.shape[d];
    }"""
mistakes(contiguous_kernel)(f"""
flat: the strides are not used: element i of the view is cell i only if the tensor is
    contiguous already
> x[offset] -> x[i]
both_sides: the offset is used on both sides: y is row-major, so element i of it is y[i]
> y[i] -> y[offset]
column_major: column-major: the first index moves fastest here; begin with the last
    dimension
> int d = view.dims - 1; d >= 0; d-- -> int d = 0; d < view.dims; d++
reverse: each index goes with the stride of its own dimension: here one runs backwards
> view.stride[d] -> view.stride[view.dims - 1 - d]
no_division: i is never divided: once an index is found, go on with i / view.shape[d]
> rest /= view.shape[d]; ->
> rest % -> i %
no_remainder: no remainder is taken: the index along d is i % view.shape[d]
> rest % view.shape[d] -> rest
last_stride: the last index is added as it is: it too has a stride, which need not be 1
> * view.stride[d] -> * (d == view.dims - 1 ? 1 : view.stride[d])
first_left_out: the first dimension is left out: what remains of i at the end is its
    index
> d >= 0 -> d > 0
> d >= 0 -> d
& if (i >= n) -> if (i >= n || !view.dims)
scattered: {SCATTERED}
> y[i] = x[offset] -> y[offset] = x[i]
no_guard: {NO_GUARD}
> if (i >= n) return; ->
by_stride: i is divided by a stride: counting row by row goes by the sizes, and strides
    only say where an element lies
> rest /= view.shape[d] -> rest /= view.stride[d]
& offset += -> if (!view.stride[d]) continue; offset +=
always_eight: only the first view.dims of the eight places say anything
> int d = view.dims - 1 -> int d = 7
> int d = view.dims - 1 -> int d = 7
& offset += -> if (view.shape[d] < 2) continue; offset +=
right: each thread steps through the grid
> if (i >= n) return; -> for (; i < n; i += gridDim.x * blockDim.x) {{
& y[i] = x[offset]; -> y[i] = x[offset]; }}
right: from the front
> {LOOP} ->
    int run = n, j = i;
    const float* from = x;
    for (int d = 0; d < view.dims; d++) {{
        run /= (int)view.shape[d];
        from += j / run * view.stride[d];
        j %= run;
    }}
& x[offset] -> *from
right: several neighbours a thread, by an index that counts on
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    {LOOP}
    y[i] = x[offset]; -> int threads = gridDim.x * blockDim.x / 8 + 1;
    int each = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    long long index[8] = {{}}, rest = first, from = 0;
    for (int d = view.dims; d-- > 0; rest /= view.shape[d]) {{
        index[d] = rest % view.shape[d];
        from += index[d] * view.stride[d];
    }}
    for (int i = first; i < min(n, first + each); i++) {{
        y[i] = x[from];
        for (int d = view.dims - 1; d >= 0; d--) {{
            from += view.stride[d];
            if (++index[d] < view.shape[d]) break;
            from -= view.shape[d] * view.stride[d];
            index[d] = 0;
        }}
    }}
""")
