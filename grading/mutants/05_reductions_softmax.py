"""Chapter 05, softmax: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.reductions import online_softmax, softmax_rows


def rows(body, head=""):
    return (
        head
        + "__global__ void softmax_rows(const float* x, float* y, int n) {\n"
        + "    __shared__ float partial[256];\n    int tid = threadIdx.x;\n"
        + "    x += blockIdx.x * n;\n    y += blockIdx.x * n;\n"
        + body
        + "}\n"
    )


TREE = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] = JOINED;
    }
    __syncthreads();
"""
MAX = (
    """
    float m = x[0];
    for (int i = tid; i < n; i += blockDim.x) m = max(m, x[i]);
    partial[tid] = m;
"""
    + TREE.replace("JOINED", "max(partial[tid], partial[tid + half])")
    + "    m = partial[0];\n"
)
NEXT = "    __syncthreads();\n"
SUM = (
    """
    float l = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) l += exp(x[i] - m);
    partial[tid] = l;
"""
    + TREE.replace("JOINED", "partial[tid] + partial[tid + half]")
    + "    l = partial[0];\n"
)
OUT = "    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - m) / l;\n"
FEW = "if (tid < n) partial[tid] = m"
LOOP = "for (int i = tid; i < n; i += blockDim.x)"

mutant(softmax_rows, "no_shift")(rows((SUM + OUT).replace("x[i] - m", "x[i]")))
mutant(softmax_rows, "begins_at_zero")(
    rows(MAX.replace("m = x[0]", "m = 0.0f") + NEXT + SUM + OUT)
)
mutant(softmax_rows, "first_pass")(
    rows("    int i = tid;\n" + (MAX + NEXT + SUM + OUT).replace(LOOP, "if (i < n)"))
)
mutant(softmax_rows, "short_sum")(
    rows("    int i = tid;\n" + (MAX + NEXT + SUM).replace(LOOP, "if (i < n)")
         + OUT.replace("int i", "i"))
)  # fmt: skip
mutant(softmax_rows, "own_largest")(rows(MAX.split("partial[tid] = m")[0] + SUM + OUT))
mutant(softmax_rows, "not_divided")(rows(MAX + NEXT + SUM + OUT.replace(" / l", "")))
mutant(softmax_rows, "of_matrix")(
    "__global__ void softmax_rows(const float* x, float* y, int n) {\n"
    "    __shared__ float partial[256];\n    int tid = threadIdx.x;\n"
    "    n *= gridDim.x;\n"
    + MAX
    + NEXT
    + SUM
    + "    n /= gridDim.x;\n    x += blockIdx.x * n;\n    y += blockIdx.x * n;\n"
    + OUT
    + "}\n"
)
mutant(softmax_rows, "no_barrier", "between maximum and sum")(rows(MAX + SUM + OUT))
mutant(softmax_rows, "no_barrier", "in the trees")(
    rows((MAX + NEXT + SUM + OUT).replace("{\n        __syncthreads();", "{"))
)
mutant(softmax_rows, "barrier_in_if")(
    rows(
        MAX.replace("        __syncthreads();", "        if (tid >= half) continue;\n"
                    "        __syncthreads();")
        + NEXT + SUM + OUT
    )
)  # fmt: skip
mutant(softmax_rows, "not_filled")(
    rows(MAX.replace("partial[tid] = m", FEW) + NEXT + SUM + OUT)
)  # fmt: skip
mutant(softmax_rows, "outside")(rows(MAX + NEXT + SUM.replace("i < n", "i <= n") + OUT))
ROUNDED = "__half2float(__float2half(exp(x[i] - m)))"
HALF = "#include <cuda_fp16.h>\n"
mutant(softmax_rows, "coarse", "exponentials in half precision")(
    rows(
        MAX
        + NEXT
        + (SUM + OUT).replace("exp(x[i] - m)", ROUNDED),
        HALF,
    )
)  # fmt: skip
right(softmax_rows, "times one over the sum")(
    rows(MAX + NEXT + SUM + "    l = 1.0f / l;\n" + OUT.replace("/ l", "* l"))
)
right(softmax_rows, "y keeps the exponentials")(
    rows(
        MAX
        + NEXT
        + SUM.replace("l += exp(x[i] - m)", "l += y[i] = exp(x[i] - m)")
        + OUT.replace("exp(x[i] - m)", "y[i]")
    )
)
right(softmax_rows, "two arrays, expf")(
    rows(
        "    __shared__ float sums[256];\n"
        + MAX
        + SUM.replace("partial", "sums").replace("exp(", "expf(")
        + OUT
    )
)
# ------------------------------------------------------------ online_softmax


def online(body, head=""):
    return (
        head
        + "__global__ void online_softmax(const float* x, float* y, int n) {\n"
        + "    __shared__ float ms[256], ls[256];\n    int tid = threadIdx.x;\n"
        + "    x += blockIdx.x * n;\n    y += blockIdx.x * n;\n"
        + body
        + "}\n"
    )


PAIR = """
    float m = -3e38f, l = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i], top = max(m, value);
        l = l * exp(m - top) + exp(value - top);
        m = top;
    }
    ms[tid] = m;
    ls[tid] = l;
"""
JOIN = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        int other = tid + half;
        float top = max(ms[tid], ms[other]);
        ls[tid] = ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top);
        ms[tid] = top;
    }
    __syncthreads();
"""
SHARE = (
    "    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - ms[0]) / ls[0];\n"
)

mutant(online_softmax, "three_passes")(
    rows(MAX + NEXT + SUM + OUT).replace("softmax_rows", "online_softmax")
)
mutant(online_softmax, "three_passes", "x[i] is read again and again")(
    online(PAIR.replace("float value = x[i], top", "float top").replace("value", "x[i]")
           + JOIN + SHARE)
)  # fmt: skip
mutant(online_softmax, "no_shift")(
    online(
        PAIR.replace("top = max(m, value)", "top = 0.0f").replace("-3e38f", "0.0f")
        + JOIN.replace("max(ms[tid], ms[other])", "0.0f")
        + SHARE
    )
)
mutant(online_softmax, "begins_at_zero")(
    online(PAIR.replace("-3e38f", "0.0f") + JOIN + SHARE)
)
mutant(online_softmax, "not_scaled")(
    online(PAIR.replace("l * exp(m - top)", "l") + JOIN + SHARE)
)
mutant(online_softmax, "added_in_tree")(
    online(
        PAIR
        + JOIN.replace(
            "ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top)",
            "ls[tid] + ls[other]",
        )
        + SHARE
    )
)
mutant(online_softmax, "one_scaled")(
    online(PAIR + JOIN.replace("ls[tid] * exp(ms[tid] - top)", "ls[tid]") + SHARE)
)
mutant(online_softmax, "minus_infinity")(
    online(PAIR.replace("-3e38f", "__int_as_float(0xff800000)") + JOIN + SHARE)
)
mutant(online_softmax, "first_pass")(
    online("    int i = tid;\n" + (PAIR + JOIN + SHARE).replace(LOOP, "if (i < n)"))
)
mutant(online_softmax, "short_sum")(
    online("    int i = tid;\n" + (PAIR + JOIN).replace(LOOP, "if (i < n)")
           + SHARE.replace("int i", "i"))
)  # fmt: skip
mutant(online_softmax, "not_divided")(
    online(PAIR + JOIN + SHARE.replace(" / ls[0]", ""))
)
mutant(online_softmax, "of_matrix")(
    "__global__ void online_softmax(const float* x, float* y, int n) {\n"
    "    __shared__ float ms[256], ls[256];\n    int tid = threadIdx.x;\n"
    "    n *= gridDim.x;\n"
    + PAIR
    + JOIN
    + "    n /= gridDim.x;\n    x += blockIdx.x * n;\n    y += blockIdx.x * n;\n"
    + SHARE
    + "}\n"
)
mutant(online_softmax, "no_barrier", "before the result")(
    online(PAIR + JOIN.replace("    }\n    __syncthreads();", "    }") + SHARE)
)
mutant(online_softmax, "no_barrier", "in the tree")(
    online(PAIR + JOIN.replace("{\n        __syncthreads();", "{") + SHARE)
)
mutant(online_softmax, "barrier_in_if")(
    online(
        PAIR
        + JOIN.replace(
            "        __syncthreads();\n        if (tid >= half) continue;",
            "        if (tid >= half) continue;\n        __syncthreads();",
        )
        + SHARE
    )
)
mutant(online_softmax, "not_filled")(
    online(PAIR.replace("ms[tid] = m;", "if (tid < n) ms[tid] = m;") + JOIN + SHARE)
)
mutant(online_softmax, "outside")(
    online(PAIR.replace("i < n", "i <= n") + JOIN + SHARE)
)
mutant(online_softmax, "coarse", "the sum in half precision")(
    online(
        PAIR.replace("ls[tid] = l", "ls[tid] = __half2float(__float2half(l))")
        + JOIN
        + SHARE,
        HALF,
    )
)
right(online_softmax, "scaled only where m grows")(
    online(
        PAIR.replace(
            """float value = x[i], top = max(m, value);
        l = l * exp(m - top) + exp(value - top);
        m = top;""",
            """float value = x[i];
        if (value > m) { l *= exp(m - value); m = value; }
        l += exp(value - m);""",
        )
        + JOIN
        + SHARE
    )
)
right(online_softmax, "minus infinity, with a question")(
    online(
        (PAIR + JOIN + SHARE)
        .replace("-3e38f", "LOWEST")
        .replace("exp(", "weight(")
        .replace(" - top)", ", top)")
        .replace(" - ms[0])", ", ms[0])"),
        "#define LOWEST __int_as_float(0xff800000)\n"
        "__device__ float weight(float x, float m) {\n"
        "    return x == LOWEST ? 0.0f : exp(x - m);\n}\n",
    )
)
right(online_softmax, "shuffles")(
    online("""
    float m = -3e38f, l = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i], top = max(m, value);
        l = l * exp(m - top) + exp(value - top);
        m = top;
    }
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2) {
        float b = __shfl_xor_sync(lanes, m, d), k = __shfl_xor_sync(lanes, l, d);
        float top = max(m, b);
        l = l * exp(m - top) + k * exp(b - top);
        m = top;
    }
    if (tid % 32 == 0) { ms[tid / 32] = m; ls[tid / 32] = l; }
    __syncthreads();
    m = ms[0];
    for (int w = 1; w < blockDim.x / 32; w++) m = max(m, ms[w]);
    l = 0.0f;
    for (int w = 0; w < (blockDim.x + 31) / 32; w++) l += ls[w] * exp(ms[w] - m);
    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - m) / l;
""")
)
right(online_softmax, "the row in shared memory")(
    rows(
        "    __shared__ float row[5000];\n"
        "    for (int i = tid; i < n; i += blockDim.x) row[i] = x[i];\n"
        "    __syncthreads();\n" + (MAX + NEXT + SUM + OUT).replace("x[", "row[")
    ).replace("softmax_rows", "online_softmax")
)
