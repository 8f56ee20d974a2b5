"""Chapter 01, one dimension: wrong answers that learners write, and right ones."""

from grading.kernel_runs import with_body
from grading.specimens import mutant, right
from minigrad.kernels.threads import global_index, tail_guard

MY_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
SIGN = "block[i] = blockIdx.x; thread[i] = threadIdx.x;"


def wrong(hole, cause, body, title=None):
    mutant(hole, cause, title)(with_body(hole, body))


def fine(hole, style, body):
    right(hole, style)(with_body(hole, body))


# ------------------------------------------------------------ global_index

wrong(global_index, "local_only", f"int i = threadIdx.x; {SIGN}")
wrong(global_index, "block_only", f"int i = blockIdx.x; {SIGN}")
wrong(
    global_index,
    "swapped_dims",
    f"""
    const int i = blockIdx.x + blockDim.x * threadIdx.x;
    {SIGN}""",
)
wrong(
    global_index,
    "dealt",
    f"""
    unsigned i = gridDim.x * threadIdx.x + blockIdx.x;
    {SIGN}""",
)
wrong(global_index, "grid_dim", f"int i = gridDim.x * blockIdx.x + threadIdx.x; {SIGN}")
wrong(global_index, "added", f"int i = threadIdx.x + blockIdx.x; {SIGN}")
wrong(global_index, "fixed_256", f"int i = 256 * blockIdx.x + threadIdx.x; {SIGN}")
wrong(
    global_index, "exchanged", f"{MY_I} thread[i] = blockIdx.x; block[i] = threadIdx.x;"
)
wrong(global_index, "signs_i", f"{MY_I} block[i] = blockIdx.x; thread[i] = i;")
wrong(global_index, "nothing", f"{MY_I}", "nothing is written")
wrong(global_index, "nothing", f"{MY_I} thread[i] = threadIdx.x;", "block is forgotten")
wrong(global_index, "compile", f"{MY_I} {SIGN[:-1]}", "no semicolon")
wrong(global_index, "compile", f"i = blockIdx.x; {SIGN}", "undeclared")
wrong(global_index, "compile", f"i = blockIdx.x * blockDim.x + threadIdx.x\n{SIGN}",
      "Python")  # fmt: skip
wrong(global_index, "compile", f"int i = blockIdx * blockDim + threadIdx; {SIGN}",
      "no .x")  # fmt: skip
wrong(global_index, "endless", f"{MY_I} while (true) {{ {SIGN} }}", "never ends")
wrong(global_index, "shifted", f"{MY_I} i = i + 1; {SIGN}", "counts from 1")
wrong(global_index, "first_block", f"{MY_I} if (i < blockDim.x) {{ {SIGN} }}",
      "a guard for one block")  # fmt: skip

wrong(global_index, "multiplied", f"int i = threadIdx.x * blockIdx.x; {SIGN}")
wrong(
    global_index,
    "brackets",
    f"int i = blockIdx.x * (threadIdx.x + blockDim.x); {SIGN}",
)
wrong(
    global_index,
    "behind_the_grid",
    f"int i = threadIdx.x + blockDim.x * gridDim.x; {SIGN}",
)
wrong(
    global_index,
    "from_one",
    f"""
    int before = ((int)blockIdx.x - 1) * (int)blockDim.x;
    int i = before + threadIdx.x; {SIGN}""",
)
wrong(global_index, "along_y", f"int i = threadIdx.y + blockDim.y * blockIdx.y; {SIGN}")
wrong(
    global_index,
    "everyone",
    f"""
    int i = 0, all = blockDim.x * gridDim.x;
    while (i < all) {{ {SIGN} i++; }}""",
)
wrong(
    global_index,
    "own_numbers",
    f"{MY_I} thread[threadIdx.x] = threadIdx.x; block[blockIdx.x] = blockIdx.x;",
)
wrong(global_index, "compile", f"{MY_I} # my element\n{SIGN}", "Python's comment")
wrong(global_index, "compile", f"{MY_I} {SIGN} return i;", "returns a value")
wrong(global_index, "compile", "int i = cuda.grid(1);" + SIGN, "Numba's index")

fine(global_index, "and prints", f'{MY_I} printf("%d", i); {SIGN}')
fine(
    global_index,
    "without i",
    """
    block[threadIdx.x + blockDim.x * blockIdx.x] = blockIdx.x;
    thread[threadIdx.x + blockDim.x * blockIdx.x] = threadIdx.x;""",
)
fine(
    global_index,
    "from the end",
    """
    int end = (blockIdx.x + 1) * blockDim.x;
    int i = end - (blockDim.x - threadIdx.x);
    thread[i] = i % blockDim.x;
    block[i] = i / blockDim.x;""",
)
right(global_index, "by a function")("""
__device__ unsigned me() { return blockIdx.x * blockDim.x + threadIdx.x; }
extern "C" __global__ void global_index(int *block, int *thread) {
    block[me()] = blockIdx.x;
    thread[me()] = threadIdx.x;
}""")
fine(global_index, "by pointers", f"{MY_I} *(block + i) = blockIdx.x; thread += i; "
     "*thread = threadIdx.x;")  # fmt: skip

# ------------------------------------------------------------ tail_guard

wrong(tail_guard, "no_guard", f"{MY_I} y[i] = 2 * x[i];")
wrong(tail_guard, "no_guard", f"{MY_I} float v = x[i]; y[i] = v + v;", "adds, no guard")
wrong(tail_guard, "off_by_one", f"{MY_I} if (i <= n) y[i] = 2 * x[i];")
wrong(
    tail_guard,
    "off_by_one",
    f"{MY_I} if (i > n) return; y[i] = 2 * x[i];",
    "returns late",
)
wrong(tail_guard, "one_too_few", f"{MY_I} if (i < n - 1) y[i] = 2 * x[i];")
wrong(tail_guard, "local_guard", f"{MY_I} if (threadIdx.x < n) y[i] = 2 * x[i];")
wrong(
    tail_guard,
    "whole_blocks",
    f"""{MY_I}
    if (blockIdx.x * blockDim.x + blockDim.x > n) return;
    y[i] = 2 * x[i];""",
)
wrong(tail_guard, "fixed_n", f"{MY_I} if (i < 257) y[i] = 2 * x[i];")
wrong(tail_guard, "unwritten_only", f"{MY_I} if (i < n) return; y[i] = 2 * x[i];")
wrong(tail_guard, "copied", f"{MY_I} if (i < n) y[i] = x[i];")
wrong(tail_guard, "local_only", "int i = threadIdx.x; if (i < n) y[i] = 2 * x[i];")
wrong(
    tail_guard, "nothing", f"{MY_I} if (i < n) {{ float y = 2 * x[i]; }}", "a local y"
)
wrong(
    tail_guard,
    "outside_guard",
    f"""{MY_I}
    float v = 2 * x[i];
    if (i < n) y[i] = v;""",
)
wrong(tail_guard, "changed", f"{MY_I} if (i < n) {{ float* p = (float*)x; p[i] *= 2; "
      "y[i] = p[i]; }", "writes to x")  # fmt: skip
wrong(tail_guard, "compile", f"{MY_I} if (i < n) x[i] = 2 * x[i];", "assigns to const")
wrong(tail_guard, "compile", f"{MY_I} if i < n: y[i] = 2 * x[i];", "Python's if")
wrong(
    tail_guard,
    "every_second",
    f"{MY_I} if (i < n && i % 2) y[i] = 2 * x[i];",
    "odd ones",
)
wrong(
    tail_guard,
    "shifted",
    f"{MY_I} if (i < n) y[i] = 2 * x[(i + 1) % n];",
    "a neighbour",
)

wrong(
    tail_guard,
    "outside_guard",
    f"{MY_I} if (i < n) y[i] = 2 * x[i]; else y[i] = 0;",
    "zeros behind the end",
)
wrong(tail_guard, "no_guard", f"{MY_I} if (i < n); y[i] = 2 * x[i];", "a semicolon")
wrong(tail_guard, "clamped", f"{MY_I} i = min(i, n - 1); y[i] = 2 * x[i];")
wrong(
    tail_guard, "everyone", "int k = 0; while (k < n) { y[k] = x[k] + x[k]; k += 1; }"
)
wrong(tail_guard, "size_of_pointer", f"{MY_I} if (i < sizeof(y)) y[i] = 2 * x[i];")
wrong(tail_guard, "added", f"{MY_I} if (i < n) y[i] = y[i] + 2 * x[i];")
wrong(tail_guard, "compile", f"{MY_I} if (i < len(x)) y[i] = 2 * x[i];", "len")
wrong(tail_guard, "compile", f"{MY_I} if (i < n) y[i] = 2x[i];", "2x")

fine(tail_guard, "in words", f"{MY_I} if (i < n and i >= 0) y[i] = 2 * x[i];")
fine(
    tail_guard,
    "in double",
    f"{MY_I} if (i >= n) return; double v = x[i]; y[i] = 2.0 * v;",
)
fine(tail_guard, "returns early", f"{MY_I} if (i >= n) return; y[i] = x[i] + x[i];")
fine(tail_guard, "by a loop", f"{MY_I} for (; i < n; i += n) y[i] = 2.0f * x[i];")
fine(
    tail_guard,
    "by a shorter block",
    """
    int first = blockIdx.x * blockDim.x, here = min((int)blockDim.x, n - first);
    x += first, y += first;
    if ((int)threadIdx.x < here) y[threadIdx.x] = x[threadIdx.x] * 2;""",
)
