"""Chapter 06, matmul_tiled: wrong kernels that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.matmul import matmul_tiled

TILED = """
    __shared__ float as[16][16];
    __shared__ float bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < (K + 15) / 16; t++) {
        int ka = t * 16 + tx, kb = t * 16 + ty;
        as[ty][tx] = row < M && ka < K ? a[row * K + ka] : 0.0f;
        bs[ty][tx] = kb < K && col < N ? b[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) c[row * N + col] = sum;
"""
A_CELL = "as[ty][tx] = row < M && ka < K ? a[row * K + ka] : 0.0f;"
B_CELL = "bs[ty][tx] = kb < K && col < N ? b[kb * N + col] : 0.0f;"
FULL = "        __syncthreads();\n        for"
USED = "        __syncthreads();\n    }"


def tiled(body):
    return (
        "__global__ void matmul_tiled(const float* a, const float* b, float* c,\n"
        f"                             int M, int N, int K) {{{body}}}\n"
    )


def changed(*pairs):
    body = TILED
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in body, old
        body = body.replace(old, new)
    return tiled(body)


def wrong(cause, *pairs, title=None):
    mutant(matmul_tiled, cause, title)(changed(*pairs))


wrong("no_second", USED, "    }")
wrong("no_first", FULL, "        for")
wrong("no_barriers", "__syncthreads();", "")
wrong("no_barriers", "__syncthreads();", "__syncwarp();", title="__syncwarp")
wrong("race", "    float sum = 0.0f;\n", "    __shared__ float sum;\n    sum = 0.0f;\n",
      title="one sum for all")  # fmt: skip
wrong("tail_kept", A_CELL, "if (row < M && ka < K) as[ty][tx] = a[row * K + ka];",
      B_CELL, "if (kb < K && col < N) bs[ty][tx] = b[kb * N + col];")  # fmt: skip
wrong("not_filled", A_CELL, "if (row < M) if (ka < K) as[ty][tx] = a[row * K + ka];",
      title="a alone")  # fmt: skip
wrong("no_guard", " && ka < K", "", "kb < K && ", "", title="rows and columns alone")
wrong("no_guard", "    if (row < M && col < N) c", "    c", title="of the result")
wrong("no_guard", A_CELL, "as[ty][tx] = a[row * K + ka];", title="of a")
wrong("whole_tiles", "(K + 15) / 16", "K / 16")
wrong("b_turned", "bs[k][tx]", "bs[tx][k]")
wrong("a_turned", "as[ty][k]", "as[k][ty]")
wrong("swapped", "blockIdx.y * 16 + ty", "blockIdx.x * 16 + ty",
      "blockIdx.x * 16 + tx", "blockIdx.y * 16 + tx")  # fmt: skip
wrong("last_tile", FULL, "        sum = 0.0f;\n" + FULL)
wrong("early_return", "    float sum = 0.0f;\n",
      "    if (row >= M || col >= N) return;\n    float sum = 0.0f;\n")  # fmt: skip
wrong("divergent", FULL,
      "        if (row < M && col < N) __syncthreads();\n        for",
      title="a barrier in an if")  # fmt: skip
wrong("not_shared", "as[ty][k] * bs[k][tx]",
      "(row < M && t * 16 + k < K ? a[row * K + t * 16 + k] : 0) * bs[k][tx]",
      title="a from global memory")  # fmt: skip
mutant(matmul_tiled, "not_shared", "the plain kernel")(
    tiled("""
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += a[row * K + k] * b[k * N + col];
    c[row * N + col] = sum;
""")
)
wrong("strided", A_CELL,
      "int r = blockIdx.y * 16 + tx, q = t * 16 + ty;\n"
      "        as[tx][ty] = r < M && q < K ? a[r * K + q] : 0.0f;",
      B_CELL,
      "int p = t * 16 + tx, s = blockIdx.x * 16 + ty;\n"
      "        bs[tx][ty] = p < K && s < N ? b[p * N + s] : 0.0f;",
      title="fills down the columns")  # fmt: skip
wrong("compile", "float as[16][16]", "float as[16, 16]", title="Python's index")

right(matmul_tiled, "counted tiles")(changed())
right(matmul_tiled, "zeros first")(
    changed(
        A_CELL,
        "float x = 0.0f; if (row < M && ka < K) x = a[row * K + ka]; as[ty][tx] = x;",
        B_CELL,
        "bs[ty][tx] = 0; if (kb < K && col < N) bs[ty][tx] = b[kb * N + col];",
    )
)
right(matmul_tiled, "flat tiles and a padded one")(
    tiled("""
    __shared__ float tile[2 * 16 * 17];
    float *x = tile, *y = tile + 16 * 17;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * blockDim.y + ty, col = blockIdx.x * blockDim.x + tx;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 16) {
        x[ty * 17 + tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;
        y[ty * 17 + tx] = k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f;
        __syncthreads();
        int left = min(16, K - k);
        for (int i = 0; i < left; i++) sum = fmaf(x[ty * 17 + i], y[i * 17 + tx], sum);
        __syncthreads();
    }
    if (row >= M || col >= N) return;
    c[row * N + col] = sum;
""")
)
right(matmul_tiled, "two pairs of tiles, one barrier")(
    tiled("""
    __shared__ float as[2][16][16], bs[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, now = 0;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 16) {
        as[now][ty][tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;
        bs[now][ty][tx] = k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[now][ty][i] * bs[now][i][tx];
        now = 1 - now;
    }
    if (row < M && col < N) c[row * N + col] = sum;
""")
)
