"""Chapter 06, matmul_batched: wrong kernels that learners write, and right ones."""

from grading.checks.strided import STRUCT
from grading.specimens import mutant, right
from minigrad.kernels.matmul import matmul_batched

BEGIN = """__device__ long long begin(long long n, const Strides& v) {
    long long at = 0;
    for (int d = v.dims - 3; d >= 0; d--) {
        at += n % v.shape[d] * v.stride[d];
        n /= v.shape[d];
    }
    return at;
}
"""
STEPS = """
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int da = a_view.dims, db = b_view.dims;
    long long ar = a_view.stride[da - 2], ak = a_view.stride[da - 1];
    long long bk = b_view.stride[db - 2], bc = b_view.stride[db - 1];
"""
PLAIN = (
    STEPS
    + """
    if (row >= M || col >= N) return;
    for (long long m = blockIdx.z; m < batches; m += gridDim.z) {
        const float* x = a + begin(m, a_view);
        const float* y = b + begin(m, b_view);
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += x[row * ar + k * ak] * y[k * bk + col * bc];
        c[m * M * N + row * N + col] = sum;
    }
"""
)
A, B = "x[row * ar + k * ak]", "y[k * bk + col * bc]"
TILED = (
    STEPS
    + """
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (long long m = blockIdx.z; m < batches; m += gridDim.z) {
        long long x = begin(m, a_view), y = begin(m, b_view);
        float sum = 0.0f;
        for (int k = 0; k < K; k += 16) {
            as[ty][tx] = row < M && k + tx < K ? a[x + row * ar + (k + tx) * ak] : 0.0f;
            bs[ty][tx] = k + ty < K && col < N ? b[y + (k + ty) * bk + col * bc] : 0.0f;
            __syncthreads();
            for (int i = 0; i < 16; i++) sum += as[ty][i] * bs[i][tx];
            __syncthreads();  // used
        }
        if (row < M && col < N) c[(m * M + row) * N + col] = sum;
    }
"""
)


def batched(body, before=BEGIN):
    return (
        f"{STRUCT}{before}__global__ void matmul_batched(const float* a, "
        "Strides a_view,\n    const float* b, Strides b_view, float* c,\n"
        f"    int M, int N, int K, long long batches) {{{body}}}\n"
    )


def changed(*pairs, body=PLAIN):
    text = batched(body)
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return text


def wrong(cause, *pairs, title=None, body=PLAIN):
    mutant(matmul_batched, cause, title)(changed(*pairs, body=body))


wrong("copies_first", A, "a[(m * M + row) * K + k]", B, "b[(m * K + k) * N + col]")
mutant(matmul_batched, "copies", "copies both into arrays of the device")(
    batched(
        """
    int z = blockIdx.z, all = gridDim.x * gridDim.y;
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    float *p = A[z * all + block], *q = B[z * all + block];
    int da = a_view.dims, db = b_view.dims, tid = threadIdx.y * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    for (long long m = z; m < batches; m += gridDim.z) {
        const float* x = a + begin(m, a_view);
        const float* y = b + begin(m, b_view);
        for (int e = tid; e < M * K; e += 256)
            p[e] = x[e / K * a_view.stride[da - 2] + e % K * a_view.stride[da - 1]];
        for (int e = tid; e < K * N; e += 256)
            q[e] = y[e / N * b_view.stride[db - 2] + e % N * b_view.stride[db - 1]];
        __syncthreads();
        float sum = 0.0f;
        for (int k = 0; row < M && col < N && k < K; k++)
            sum += p[row * K + k] * q[k * N + col];
        if (row < M && col < N) c[(m * M + row) * N + col] = sum;
        __syncthreads();
    }
""",
        BEGIN + "__device__ float A[64][2048], B[64][2048];\n",
    )
)
wrong("copies", "float sum = 0.0f;\n", "c[(m * M + row) * N + col] = 0;\n",
      "sum += ", "c[(m * M + row) * N + col] += ",
      "        c[m * M * N + row * N + col] = sum;\n", "",
      title="adds up in global memory")  # fmt: skip
wrong("inner_stride", "k * ak", "k", "col * bc", "col")
wrong("flat_batch", "a + begin(m, a_view)", "a + m * M * K", "b + begin(m, b_view)",
      "b + m * K * N")  # fmt: skip
wrong("one_matrix", "+ begin(m, a_view)", "", "+ begin(m, b_view)", "")
wrong("no_loop", "m < batches; m += gridDim.z", "m == blockIdx.z; m++")
wrong("one_dim", "d >= 0;", "d >= 0 && d == v.dims - 3;")
wrong(
    "first_fastest", "int d = v.dims - 3; d >= 0; d--", "int d = 0; d + 2 < v.dims; d++"
)
wrong("all_dims", "v.dims - 3", "v.dims - 1")
wrong("one_view", "begin(m, b_view)", "begin(m, a_view)")
wrong("c_first", "m * M * N + row", "row")
wrong("no_guard", "if (row >= M || col >= N) return;", "if (row >= M) return;")
wrong("race", "            __syncthreads();  // used\n", "", title="the second barrier",
      body=TILED)  # fmt: skip
wrong("divergent", "            __syncthreads();\n",
      "            if (row < M && col < N) __syncthreads();\n",
      title="a barrier in an if", body=TILED)  # fmt: skip
wrong("compile", "v.stride[d]", "v.strides[d]", title="a member that is not there")

right(matmul_batched, "a thread an element")(changed())
right(matmul_batched, "tiles")(changed(body=TILED))
right(matmul_batched, "pointers that walk")(
    changed(
        "        for (int k = 0; k < K; k++) sum += x[row * ar + k * ak] * "
        "y[k * bk + col * bc];\n",
        "        x += row * ar; y += col * bc;\n"
        "        for (int k = 0; k < K; k++, x += ak, y += bk) sum += *x * *y;\n",
    )
)
right(matmul_batched, "indices of the batch first")(
    batched(
        STEPS
        + """
    for (long long m = blockIdx.z; m < batches; m += gridDim.z) {
        long long x = 0, y = 0, rest = m;
        for (int d = da - 3; d > -1; --d) {
            long long i = rest % a_view.shape[d];
            rest = rest / a_view.shape[d];
            x += i * a_view.stride[d];
            y += i * b_view.stride[d];
        }
        if (row < M && col < N) {
            float sum = 0;
            for (int k = 0; k < K; ++k)
                sum = fmaf(a[x + row * ar + k * ak], b[y + k * bk + col * bc], sum);
            c[(m * M + row) * N + col] = sum;
        }
    }
""",
        "",
    )
)
