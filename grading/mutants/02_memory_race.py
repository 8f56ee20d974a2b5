"""Chapter 02, running totals: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.memory import fix_the_race


def totals(body, head=""):
    return head + (
        "__global__ void fix_the_race(const int* x, int* y, int n) {\n"
        "    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;\n" + body + "}\n"
    )


READ = """
    __shared__ int total[256];
    total[tid] = i < n ? x[i] : 0;
"""
OUT = "    if (i < n) y[i] = total[tid];\n"
STEPS = """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();  // A
        int before = tid >= d ? total[tid - d] : 0;
        __syncthreads();  // B
        total[tid] += before;
    }
"""

mutant(fix_the_race, "race_remains", "as it was given")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) total[tid] += total[tid - d];
    }
"""
        + OUT
    )
)
mutant(fix_the_race, "race_remains", "a second barrier behind the addition")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) total[tid] += total[tid - d];
        __syncthreads();
    }
"""
        + OUT
    )
)
mutant(fix_the_race, "race_remains", "only the barrier between")(
    totals(READ + STEPS.replace("__syncthreads();  // A", "") + OUT)
)
mutant(fix_the_race, "race_remains", "only the barrier before")(
    totals(READ + STEPS.replace("__syncthreads();  // B", "") + OUT)
)
mutant(fix_the_race, "race_remains", "a warp's barrier between")(
    totals(READ + STEPS.replace("__syncthreads();  // B", "__syncwarp();") + OUT)
)
mutant(fix_the_race, "race_remains", "volatile")(
    totals(
        READ.replace("__shared__ int", "__shared__ volatile int")
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) total[tid] = total[tid] + total[tid - d];
    }
"""
        + OUT
    )
)
mutant(fix_the_race, "barrier_in_if")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) {
            int before = total[tid - d];
            __syncthreads();
            total[tid] += before;
        }
    }
"""
        + OUT
    )
)
right(fix_the_race, "threads without an element end early")(
    totals("    if (i >= n) return;" + READ + STEPS + OUT)
)
mutant(fix_the_race, "warp_sync")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (d < 32) {
            __syncthreads();
            int before = tid % 32 >= d ? total[tid - d] : 0;
            total[tid] += before;
        }
    }
    __syncthreads();
    int before = 0;
    for (int w = 31; w < tid - tid % 32; w += 32) before += total[w];
    __syncthreads();
    total[tid] += before;
"""
        + OUT
    )
)
mutant(fix_the_race, "outside")(
    totals(READ + STEPS.replace("tid >= d", "tid >= 0") + OUT)
)
mutant(fix_the_race, "outside", "no guard at the end")(
    totals(READ + STEPS + "    y[i] = total[tid];\n")
)
mutant(fix_the_race, "no_shared")(
    totals("""
    int sum = 0;
    for (int k = i - tid; k <= i && i < n; k++) sum += x[k];
    if (i < n) y[i] = sum;
""")
)
mutant(fix_the_race, "exclusive")(
    totals(
        READ + STEPS + "    __syncthreads();\n"
        "    if (i < n) y[i] = tid > 0 ? total[tid - 1] : 0;\n"
    )
)
mutant(fix_the_race, "read_too_late")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        int own = total[tid];
        __syncthreads();
        if (tid >= d) total[tid] = own;
        __syncthreads();
    }
"""
        + OUT
    )
)
mutant(fix_the_race, "one_step")(
    totals(READ + STEPS.replace("d < blockDim.x", "d < 2") + OUT)
)
mutant(fix_the_race, "not_set")(
    totals(
        READ
        + STEPS.replace(
            "int before = tid >= d ? total[tid - d] : 0;",
            "int before;\n        if (tid >= d) before = total[tid - d];",
        )
        + OUT
    )
)
mutant(fix_the_race, "lost")(
    totals(READ + STEPS.replace("total[tid] += before", "total[tid] = before") + OUT)
)
mutant(fix_the_race, "compile", "a variable that ends with its if")(
    totals(
        READ
        + STEPS.replace(
            "int before = tid >= d ? total[tid - d] : 0;",
            "if (tid >= d) int before = total[tid - d];",
        )
        + OUT
    )
)
mutant(fix_the_race, "race_remains", "atomicAdd")(
    totals(
        READ
        + """
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) atomicAdd(&total[tid], total[tid - d]);
    }
"""
        + OUT
    )
)
right(fix_the_race, "two arrays in turn")(
    totals(
        """
    __shared__ int total[2][256];
    int now = 0;
    total[0][tid] = i < n ? x[i] : 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int before = tid >= d ? total[now][tid - d] : 0;
        total[1 - now][tid] = total[now][tid] + before;
        now = 1 - now;
    }
    if (i < n) y[i] = total[now][tid];
"""
    )
)
right(fix_the_race, "one thread alone")(
    totals(
        READ
        + """
    __syncthreads();
    if (tid == 0) for (int k = 1; k < blockDim.x; k++) total[k] += total[k - 1];
    __syncthreads();
"""
        + OUT
    )
)
right(fix_the_race, "each thread for itself")(
    totals(
        READ
        + """
    __syncthreads();
    int sum = 0;
    for (int k = 0; k <= tid; k++) sum += total[k];
    if (i < n) y[i] = sum;
"""
    )
)
right(fix_the_race, "dynamic shared memory")(
    totals(
        READ.replace("__shared__ int total[256]", "extern __shared__ int total[]")
        + "    __syncthreads();"
        + """
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int sum = total[tid];
        if (tid >= d) sum += total[tid - d];
        __syncthreads();
        total[tid] = sum;
        __syncthreads();
    }
"""
        + OUT
    )
)
