"""Chapter 02, a copy: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.memory import coalesced_copy


def copy(body):
    return (
        "__global__ void coalesced_copy(const float* x, float* y, int n) {\n"
        "    int tid = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int threads = gridDim.x * blockDim.x;\n" + body + "}\n"
    )


mutant(coalesced_copy, "strided", "as it was given")(
    copy("""
    int each = (n + threads - 1) / threads;
    for (int i = tid * each; i < (tid + 1) * each; i++)
        if (i < n) y[i] = x[i];
""")
)
mutant(coalesced_copy, "strided", "reads side by side, writes do not")(
    copy("""
    int rounds = (n + threads - 1) / threads;
    for (int k = 0; k < rounds; k++) {
        int i = tid % 32 * (threads / 32) + tid / 32 + k * threads;
        if (i < n) y[i] = x[i];
    }
""")
)
mutant(coalesced_copy, "strided", "every second element, then the others")(
    copy("""
    for (int odd = 0; odd < 2; odd++)
        for (int i = 2 * tid + odd; i < n; i += 2 * threads) y[i] = x[i];
""")
)
mutant(coalesced_copy, "strided", "four neighbours a thread")(
    copy("""
    for (int i = 4 * tid; i < n; i += 4 * threads)
        for (int k = 0; k < 4; k++)
            if (i + k < n) y[i + k] = x[i + k];
""")
)
mutant(coalesced_copy, "first_pass")(copy("    if (tid < n) y[tid] = x[tid];\n"))
mutant(coalesced_copy, "same_element", "each thread copies all")(
    copy("    for (int i = threadIdx.x % 32; i < n; i += 32) y[i] = x[i];\n")
)
mutant(coalesced_copy, "block_step")(
    copy("    for (int i = tid; i < n; i += blockDim.x) y[i] = x[i];\n")
)
mutant(coalesced_copy, "no_guard")(
    copy("""
    int rounds = (n + threads - 1) / threads;
    for (int k = 0; k < rounds; k++) y[tid + k * threads] = x[tid + k * threads];
""")
)
mutant(coalesced_copy, "rounded_down")(
    copy("""
    for (int k = 0; k < n / threads; k++)
        y[tid + k * threads] = x[tid + k * threads];
""")
)
mutant(coalesced_copy, "nothing", "copies y to itself")(
    copy("    for (int i = tid; i < n; i += threads) y[i] = y[i];\n")
)
right(coalesced_copy, "counted rounds")(
    copy("""
    for (int k = 0; k * threads < n; k++) {
        int i = tid + k * threads;
        if (i < n) y[i] = x[i];
    }
""")
)
right(coalesced_copy, "a piece for each block")(
    copy("""
    int each = (n + gridDim.x - 1) / gridDim.x;
    each = (each + 7) / 8 * 8;
    int first = blockIdx.x * each, end = min(n, first + each);
    for (int i = first + threadIdx.x; i < end; i += blockDim.x) y[i] = x[i];
""")
)
mutant(coalesced_copy, "strided", "dealt out to the blocks")(
    copy("""
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    for (; i < n; i += threads) y[i] = x[i];
""")
)
mutant(coalesced_copy, "same_element", "steps of one block's number")(
    copy("    for (int i = tid; i < n; i += gridDim.x) y[i] = x[i];\n")
)
right(coalesced_copy, "a piece for each block, which begins anywhere")(
    copy("""
    int each = (n + gridDim.x - 1) / gridDim.x;
    for (int k = threadIdx.x; k < each; k += blockDim.x) {
        int i = blockIdx.x * each + k;
        if (i < n) y[i] = x[i];
    }
""")
)
right(coalesced_copy, "two elements a thread")(
    copy("""
    int i = tid;
    for (; i + threads < n; i += 2 * threads) {
        float a = x[i], b = x[i + threads];
        y[i] = a;
        y[i + threads] = b;
    }
    if (i < n) y[i] = x[i];
""")
)
right(coalesced_copy, "float4 and a tail")(
    copy("""
    const float4* from = reinterpret_cast<const float4*>(x);
    float4* to = reinterpret_cast<float4*>(y);
    for (int i = tid; i < n / 4; i += threads) to[i] = from[i];
    for (int i = n / 4 * 4 + tid; i < n; i += threads) y[i] = x[i];
""")
)
right(coalesced_copy, "backwards")(
    copy("""
    int last = (n + threads - 1) / threads * threads - threads;
    for (int i = last + tid; i >= 0; i -= threads)
        if (i < n) y[i] = x[i];
""")
)
