"""Chapter 05, layer norm: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.reductions import layer_norm


def norm(body, head=""):
    return (
        head
        + "__global__ void layer_norm(const float* x, const float* gamma,"
        + " const float* beta,\n    float* y, int n, float eps) {\n"
        + "    __shared__ float counts[256], means[256], m2s[256];\n"
        + "    int tid = threadIdx.x;\n"
        + "    x += blockIdx.x * n;\n    y += blockIdx.x * n;\n"
        + body
        + "}\n"
    )


OWN = """
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i], before = value - mean;
        count += 1.0f;
        mean += before / count;
        m2 += before * (value - mean);
    }
"""
KEEP = """
    counts[tid] = count;
    means[tid] = mean;
    m2s[tid] = m2;
"""
JOIN = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid >= half || counts[other] == 0.0f) continue;
        float total = counts[tid] + counts[other], apart = means[other] - means[tid];
        float share = counts[other] / total;
        means[tid] += apart * share;
        m2s[tid] += m2s[other] + apart * apart * counts[tid] * share;
        counts[tid] = total;
    }
    __syncthreads();
"""
OUT = """
    float rstd = 1.0f / sqrt(m2s[0] / n + eps);
    for (int i = tid; i < n; i += blockDim.x)
        y[i] = (x[i] - means[0]) * rstd * gamma[i] + beta[i];
"""
# sums of two things, as trees; `a` and `b` are what a thread has
SUMS = """
    means[tid] = a;
    m2s[tid] = b;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        means[tid] += means[tid + half];
        m2s[tid] += m2s[tid + half];
    }
    __syncthreads();
"""
SQUARES = """
    float a = 0.0f, b = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i];
        a += value;
        b += value * value;
    }
"""
LAST = """
    float rstd = 1.0f / sqrt(var + eps);
    for (int i = tid; i < n; i += blockDim.x)
        y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
"""

mutant(layer_norm, "square_mean")(
    norm(
        SQUARES
        + SUMS
        + "    float mean = means[0] / n, var = m2s[0] / n - mean * mean;\n"
        + LAST
    )
)
mutant(layer_norm, "means_apart")(
    norm(OWN + KEEP + JOIN.replace(" + apart * apart * counts[tid] * share", "") + OUT)
)
mutant(layer_norm, "plain_average")(
    norm(OWN + KEEP + JOIN.replace("apart * share;", "apart / 2;") + OUT)
)
mutant(layer_norm, "nothing_to_join")(
    norm(OWN + KEEP + JOIN.replace(" || counts[other] == 0.0f", "") + OUT)
)
BOTH, LOOP = "(sqrt(m2s[0] / n) + eps)", "for (int i = tid; i < n; i += blockDim.x)"

mutant(layer_norm, "eps_outside")(
    norm(OWN + KEEP + JOIN + OUT.replace("sqrt(m2s[0] / n + eps)", BOTH))
)  # fmt: skip
mutant(layer_norm, "unbiased")(
    norm(OWN + KEEP + JOIN + OUT.replace("m2s[0] / n", "m2s[0] / (n - 1)"))
)
mutant(layer_norm, "first_pass")(
    norm(
        OWN.replace(LOOP, "int i = tid; if (i < n)")
        + KEEP
        + JOIN
        + OUT.replace(
            "for (int i = tid; i < n; i += blockDim.x)", "if (i < n)"
        )
    )
)  # fmt: skip
mutant(layer_norm, "no_gamma")(
    norm(OWN + KEEP + JOIN + OUT.replace(" * gamma[i] + beta[i]", ""))
)
mutant(layer_norm, "no_variance")(norm(OWN + KEEP + JOIN + OUT.replace("* rstd", "")))
TWO_PASSES = """
    float mean = 0.0f, var = 0.0f, a = 0.0f, b = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) a += x[i];
"""
mutant(layer_norm, "two_passes")(
    norm(
        TWO_PASSES
        + SUMS
        + """
    mean = means[0] / n;
    __syncthreads();
    for (int i = tid; i < n; i += blockDim.x) b += (x[i] - mean) * (x[i] - mean);
"""
        + SUMS
        + "    var = m2s[0] / n;\n"
        + LAST
    )
)
mutant(layer_norm, "two_passes", "x[i] is read again and again")(
    norm(OWN.replace("float value = x[i], before", "float before")
         .replace("value", "x[i]") + KEEP + JOIN + OUT)
)  # fmt: skip
mutant(layer_norm, "no_barrier")(
    norm(OWN + KEEP + JOIN.replace("{\n        __syncthreads();", "{") + OUT)
)
mutant(layer_norm, "no_barrier", "before the result")(
    norm(OWN + KEEP + JOIN.replace("    }\n    __syncthreads();", "    }") + OUT)
)
mutant(layer_norm, "barrier_in_if")(
    norm(
        OWN
        + KEEP
        + JOIN.replace("        __syncthreads();\n        int", "        int").replace(
            "continue;", "continue;\n        __syncthreads();"
        )
        + OUT
    )
)
mutant(layer_norm, "not_filled")(
    norm(OWN + KEEP.replace("counts[tid]", "if (tid < n) counts[tid]") + JOIN + OUT)
)
mutant(layer_norm, "outside")(norm(OWN.replace("i < n", "i <= n") + KEEP + JOIN + OUT))
mutant(layer_norm, "in_half")(
    norm(
        (OWN + KEEP + JOIN + OUT).replace("x[i]", "__half2float(__float2half(x[i]))"),
        "#include <cuda_fp16.h>\n",
    )
)
right(layer_norm, "by count, mean and the others' sum")(
    norm(
        OWN
        + KEEP
        + JOIN.replace("means[tid] += apart * share;", "means[tid] = (counts[tid] * "
                       "means[tid] + counts[other] * means[other]) / total;")
        + OUT
    )
)  # fmt: skip
right(layer_norm, "squares of what is left of the first element")(
    norm(
        SQUARES.replace("float value = x[i]", "float value = x[i] - first").replace(
            "float a", "float first = x[0], a"
        )
        + SUMS
        + "    float d = means[0] / n, mean = first + d, var = m2s[0] / n - d * d;\n"
        + LAST
    )
)
right(layer_norm, "in double")(norm(OWN.replace("float", "double") + KEEP + JOIN + OUT))
right(layer_norm, "shuffles")(
    norm(
        OWN
        + """
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2) {
        float k = __shfl_xor_sync(lanes, count, d), apart;
        apart = __shfl_xor_sync(lanes, mean, d) - mean;
        m2 += __shfl_xor_sync(lanes, m2, d);
        float total = max(count + k, 1.0f);
        m2 += apart * apart * count * k / total;
        mean += apart * k / total;
        count += k;
    }
    if (tid % 32 == 0) {
        counts[tid / 32] = count;
        means[tid / 32] = mean;
        m2s[tid / 32] = m2;
    }
    __syncthreads();
    if (tid == 0)
        for (int w = 1; w < blockDim.x / 32; w++) {
            if (counts[w] == 0.0f) continue;
            float total = counts[0] + counts[w], apart = means[w] - means[0];
            m2s[0] += m2s[w] + apart * apart * counts[0] * counts[w] / total;
            means[0] += apart * counts[w] / total;
            counts[0] = total;
        }
    __syncthreads();
"""
        + OUT
    )
)
