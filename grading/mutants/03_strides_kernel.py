"""Chapter 03, contiguous_kernel: wrong answers that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.copy import contiguous_kernel

STRUCT = "struct Strides { int dims; long long shape[8]; long long stride[8]; };\n"
HEAD = contiguous_kernel.form()
MY_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
GUARD = f"{MY_I} if (i >= n) return;"


def wrong(cause, body, title=None):
    mutant(contiguous_kernel, cause, title)(f"{STRUCT}{HEAD} {{\n{body}\n}}")


def fine(style, body, before=""):
    right(contiguous_kernel, style)(f"{STRUCT}{before}{HEAD} {{\n{body}\n}}")


def loop(step, head="int d = view.dims - 1; d >= 0; d--"):
    return f"""{GUARD}
    int k = 0, j = i;
    for ({head}) {{ {step} }}
    y[i] = x[k];"""


wrong("flat", f"{MY_I} if (i < n) y[i] = x[i];")
wrong("scattered", loop("k += j % view.shape[d] * view.stride[d]; j /= view.shape[d];")
      .replace("y[i] = x[k]", "y[k] = x[i]"))  # fmt: skip
wrong("both_sides", loop("k += j % view.shape[d] * view.stride[d]; j /= view.shape[d];")
      .replace("y[i] = x[k]", "y[k] = x[k]"))  # fmt: skip
wrong("no_guard", loop("k += j % view.shape[d] * view.stride[d]; j /= view.shape[d];")
      .replace("if (i >= n) return;", ""))  # fmt: skip
wrong("column_major", loop("k += j % view.shape[d] * view.stride[d]; "
      "j = j / view.shape[d];", "int d = 0; d < view.dims; d++"))  # fmt: skip
wrong("reverse", loop("int e = view.dims - d - 1; "
      "k += j % view.shape[d] * view.stride[e]; j /= view.shape[d];"))  # fmt: skip
wrong("no_division", loop("k += j % view.shape[d] * view.stride[d];"))
wrong("no_division", loop("k += i % view.shape[d] * view.stride[d]; "
      "j /= view.shape[d];"), "divides another i")  # fmt: skip
wrong("no_remainder", loop("k += j * view.stride[d]; j /= view.shape[d];"))
wrong("by_stride", loop("if (!view.stride[d]) continue; "
      "k += j % view.shape[d] * view.stride[d]; j /= view.stride[d];"))  # fmt: skip
wrong("last_stride", loop("""
      long long step = view.stride[d];
      if (d == view.dims - 1) step = 1;
      k += step * (j % view.shape[d]);
      j /= view.shape[d];"""))  # fmt: skip
wrong("first_left_out", loop("k += j % view.shape[d] * view.stride[d]; "
      "j /= view.shape[d];", "int d = view.dims - 1; d; d--").replace(
      "int k", "if (!view.dims) return; int k"))  # fmt: skip
wrong("first_left_out", loop("k += j % view.shape[d] * view.stride[d]; "
      "j /= view.shape[d];", "int d = view.dims - 1; d > 0; d--"),
      "stops one too early")  # fmt: skip
wrong("two_dims", f"""{GUARD}
    int last = view.dims - 1, k = 0;
    if (last >= 0) k += i % view.shape[last] * view.stride[last];
    if (last >= 1)
        k += i / view.shape[last] % view.shape[last - 1] * view.stride[last - 1];
    y[i] = x[k];""")  # fmt: skip
wrong("always_eight", loop("k += j % view.shape[d] * view.stride[d]; "
      "j /= view.shape[d];", "int d = 7; d >= 0; d--"))  # fmt: skip
wrong("gaps", loop("k += j % view.shape[d] * (view.stride[d] ? view.stride[d] : 1); "
      "j /= view.shape[d];"))  # fmt: skip
wrong("compile", loop("k += j % view.shape[d] * view.strides[d];"), "strides, with s")
wrong("compile", f"{GUARD} y[i] = x[view.stride * i];", "an array times a number")
wrong("nothing", f"{GUARD} y[i];")
wrong("endless", loop("k += j % view.shape[d] * view.stride[d]; j /= view.shape[d];",
      "int d = view.dims - 1; d >= 0; d = max(d - 1, 0)"))  # fmt: skip

fine("early return", loop(
    "k += j % view.shape[d] * view.stride[d]; j /= view.shape[d];"))  # fmt: skip
fine(
    "what is left is the first index",
    f"""{GUARD}
    long long k = 0, j = i;
    for (int d = view.dims - 1; d > 0; d--) {{
        k += j % view.shape[d] * view.stride[d];
        j /= view.shape[d];
    }}
    y[i] = x[k + (view.dims ? j * view.stride[0] : 0)];""",
)
fine(
    "from the front",
    f"""{GUARD}
    int run = n, j = i;
    const float* from = x;
    for (int d = 0; d < view.dims; d++) {{
        run /= (int)view.shape[d];
        from += j / run * view.stride[d];
        j %= run;
    }}
    y[i] = *from;""",
)
fine(
    "by a function",
    f"{MY_I} if (i < n) y[i] = *element(x, i, view);",
    """
__device__ const float* element(const float* x, unsigned i, Strides v) {
    while (v.dims > 0) {
        const unsigned size = v.shape[--v.dims];
        x += (i % size) * v.stride[v.dims];
        i /= size;
    }
    return x;
}
""",
)
fine(
    "each thread steps through the grid",
    """
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        long long index[8], j = i, k = 0;
        for (int d = view.dims - 1; d >= 0; --d) {
            index[d] = j % view.shape[d];
            j = j / view.shape[d];
        }
        for (int d = 0; d < view.dims; ++d) k = k + index[d] * view.stride[d];
        y[i] = x[k];
    }""",
)
