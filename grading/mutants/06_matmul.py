"""Chapter 06, matmul_naive: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.matmul import matmul_naive

PLACE = """    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
"""
GUARD = "    if (row >= M || col >= N) return;\n"
LOOP = """    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += a[row * K + k] * b[k * N + col];
"""
WRITE = "    c[row * N + col] = sum;\n"


def naive(body, head=""):
    return (
        f"{head}__global__ void matmul_naive(const float* a, const float* b,\n"
        f"        float* c, int M, int N, int K) {{\n{body}}}\n"
    )


def wrong(cause, old, new, title=None):
    """A mutant: the plain kernel with some words changed."""
    whole = PLACE + GUARD + LOOP + WRITE
    assert old in whole, old
    mutant(matmul_naive, cause, title)(naive(whole.replace(old, new)))


wrong("swapped", PLACE, """    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
""")  # fmt: skip
mutant(matmul_naive, "swapped", "i and j")(
    naive("""
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    int j = threadIdx.y + blockDim.y * blockIdx.y;
    if (i < M && j < N) {
        float s = 0;
        for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
        c[i * N + j] = s;
    }
""")
)
wrong("turned", "c[row * N + col]", "c[col * M + row]")
wrong("no_guard", GUARD, "")
wrong("no_guard", "row >= M || col >= N", "row >= M && col >= N", "and for or")
wrong("no_guard", "row >= M || col >= N", "row > M || col > N", "one too far")
wrong("no_column_guard", "row >= M || col >= N", "row * N + col >= M * N")
wrong("a_wide", "a[row * K + k]", "a[row * N + k]")
wrong("b_wide", "b[k * N + col]", "b[k * K + col]")
wrong("b_rows", "b[k * N + col]", "b[col * K + k]")
wrong("last_only", "sum +=", "sum =")
wrong("onto_c", "] = sum", "] += sum")
wrong("onto_c_each", LOOP + WRITE, """    for (int k = 0; k < K; k++)
        c[row * N + col] += a[row * K + k] * b[k * N + col];
""", "in global memory")  # fmt: skip
wrong("not_zero", "    c[", "    if (K) c[")
wrong("not_zero", LOOP + WRITE, """    float sum = 0.0f;
    for (int k = 0; k < K; k++) {
        sum += a[row * K + k] * b[k * N + col];
        c[row * N + col] = sum;
    }
""", "writes in the loop")  # fmt: skip
wrong("one_too_few", "k < K", "k < K - 1")
wrong("from_one", "int k = 0", "int k = 1")
wrong("nothing", WRITE, "")
wrong("compile", "float sum", "int sum; float sum", "two sums")
mutant(matmul_naive, "coarse", "adds up in half")(
    naive(
        PLACE
        + GUARD
        + """    __half sum = __float2half(0.0f);
    for (int k = 0; k < K; k++)
        sum = __float2half(__half2float(sum) + a[row * K + k] * b[k * N + col]);
    c[row * N + col] = __half2float(sum);
""",
        "#include <cuda_fp16.h>\n",
    )
)

right(matmul_naive, "around the loop")(
    naive(
        PLACE
        + """    if (row < M && col < N) {
        c[row * N + col] = 0;
        for (int k = 0; k < K; ++k) c[row * N + col] += a[row * K + k] * b[k * N + col];
    }
"""
    )
)
right(matmul_naive, "pointers")(
    naive(
        PLACE
        + GUARD
        + """    const float *x = a + row * K, *y = b + col;
    float total = 0.0f;
    while (x < a + (row + 1) * K) { total = fmaf(*x++, *y, total); y += N; }
    c[row * N + col] = total;
"""
    )
)
right(matmul_naive, "a function of its own")(
    naive(
        PLACE
        + "    if (col < N && row < M) c[row * N + col] = dot(a + row * K, b + col, "
        "K, N);\n",
        """__device__ float dot(const float* x, const float* y, int n, int step) {
    double sum = 0;
    for (int k = n - 1; k >= 0; k--) sum += (double)x[k] * y[k * step];
    return sum;
}
""",
    )
)
