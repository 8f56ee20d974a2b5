"""Chapter 06, matmul_register: wrong and slow kernels, and right ones."""

from grading.specimens import mutant, right
from minigrad.kernels.matmul import matmul_register

HEAD = "#define F4(x) (*(float4*)&(x))\n"
PATCH = """
    __shared__ float as[128][8];
    __shared__ float bs[8][128];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int top = blockIdx.y * 128, side = blockIdx.x * 128;
    float sum[8][8] = {}, x[8], y[8];
    for (int k = 0; k < K; k += 8) {
        for (int e = tid; e < 1024; e += 256) {
            int r = top + e / 8, q = k + e % 8;
            as[e / 8][e % 8] = r < M && q < K ? a[r * K + q] : 0.0f;
        }
        for (int e = tid; e < 1024; e += 256) {
            int p = k + e / 128, s = side + e % 128;
            bs[e / 128][e % 128] = p < K && s < N ? b[p * N + s] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < 8; q++) {
            for (int i = 0; i < 8; i++) x[i] = as[ty * 8 + i][q];
            for (int j = 0; j < 8; j++) y[j] = bs[q][tx * 8 + j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (top + ty * 8 + i < M && side + tx * 8 + j < N)
                c[(top + ty * 8 + i) * N + side + tx * 8 + j] = sum[i][j];
"""
FOURS = """
    __shared__ __align__(16) float as[8][132], bs[8][128];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int top = blockIdx.y * 128, side = blockIdx.x * 128;
    float4 sum[8][2] = {}, zero = {};
    for (int k = 0; k < K; k += 8) {
        int r = tid / 2, q = tid % 2 * 4, p = tid / 32, s = tid % 32 * 4;
        float4 v = zero;
        if (top + r < M && k + q < K) v = F4(a[(top + r) * K + k + q]);
        as[q][r] = v.x; as[q + 1][r] = v.y; as[q + 2][r] = v.z; as[q + 3][r] = v.w;
        v = zero;
        if (k + p < K && side + s < N) v = F4(b[(k + p) * N + side + s]);
        F4(bs[p][s]) = v;
        __syncthreads();
        for (int q = 0; q < 8; q++) {
            float4 y[2] = {F4(bs[q][tx * 4]), F4(bs[q][64 + tx * 4])};
            for (int i = 0; i < 8; i++) {
                float x = as[q][ty * 8 + i];
                for (int j = 0; j < 2; j++) {
                    sum[i][j].x += x * y[j].x; sum[i][j].y += x * y[j].y;
                    sum[i][j].z += x * y[j].z; sum[i][j].w += x * y[j].w;
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 2; j++) {
            int r = top + ty * 8 + i, s = side + j * 64 + tx * 4;
            if (r < M && s < N) F4(c[r * N + s]) = sum[i][j];
        }
"""
FULL = "        __syncthreads();\n        for (int q"
USED = "        __syncthreads();\n    }\n    for (int i"
A_CELL = "as[e / 8][e % 8] = r < M && q < K ? a[r * K + q] : 0.0f;"
B_CELL = "bs[e / 128][e % 128] = p < K && s < N ? b[p * N + s] : 0.0f;"


def kernel(body):
    return (
        f"{HEAD}__global__ void matmul_register(const float* a, const float* b,\n"
        f"        float* c, int M, int N, int K) {{{body}}}\n"
    )


def changed(*pairs, body=PATCH):
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in body, old
        body = body.replace(old, new)
    return kernel(body)


def wrong(cause, *pairs, title=None, body=PATCH):
    mutant(matmul_register, cause, title)(changed(*pairs, body=body))


wrong("no_second", USED, "    }\n    for (int i")
wrong("no_first", FULL, "        for (int q")
wrong("no_barriers", "__syncthreads();", "")
wrong("race", "float sum[8][8] = {}, x[8], y[8];",
      "float sum[8][8] = {}; __shared__ float x[8], y[8];",
      title="shared in the place of registers")  # fmt: skip
wrong("divergent", FULL,
      "        if (top + ty * 8 < M) __syncthreads();\n        for (int q",
      title="a barrier in an if")  # fmt: skip
wrong("tail_kept", A_CELL, "if (r < M && q < K) as[e / 8][e % 8] = a[r * K + q];",
      B_CELL, "if (p < K && s < N) bs[e / 128][e % 128] = b[p * N + s];")  # fmt: skip
wrong("row_alone", "side + tx * 8 + j < N)",
      "(top + ty * 8 + i) * N + side + tx * 8 + j < M * N)")  # fmt: skip
wrong("no_guard", "q < K ?", "q >= 0 ?", "p < K && s < N ?", "s < N ?", title="along K")
wrong("no_guard", "if (top + ty * 8 + i < M && side + tx * 8 + j < N)", "",
      title="of the result")  # fmt: skip
wrong("no_guard", "if (r < M && s < N) ", "if (r < M) ", title="of a float4",
      body=FOURS)  # fmt: skip
wrong("swapped", "top + ty * 8 + i", "top + tx * 8 + i", "side + tx * 8 + j",
      "side + ty * 8 + j")  # fmt: skip
wrong("whole_steps", "k < K; k += 8", "k < K / 8 * 8; k += 8")
wrong("blocks_swapped", "top = blockIdx.y", "top = blockIdx.x", "side = blockIdx.x",
      "side = blockIdx.y")  # fmt: skip
wrong("not_zeroed", "sum[8][8] = {}", "sum[8][8]")
wrong("not_filled", "    for (int k",
      "    if (top + ty * 8 >= M) return;\n    for (int k",
      title="an early return")  # fmt: skip
wrong("misaligned", "bs[8][128]", "bs[8][129]", title="rows of 129",
      body=FOURS)  # fmt: skip
mutant(matmul_register, "not_shared", "right but slow: a thread 64 elements, no tiles")(
    kernel("""
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int top = blockIdx.y * 128 + ty * 8, side = blockIdx.x * 128 + tx * 8;
    float sum[8][8] = {};
    for (int k = 0; k < K; k++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                if (top + i < M && side + j < N)
                    sum[i][j] += a[(top + i) * K + k] * b[k * N + side + j];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (top + i < M && side + j < N) c[(top + i) * N + side + j] = sum[i][j];
""")
)
wrong("few_uses", """            for (int i = 0; i < 8; i++) x[i] = as[ty * 8 + i][q];
            for (int j = 0; j < 8; j++) y[j] = bs[q][tx * 8 + j];
""", "", "x[i] * y[j]", "as[ty * 8 + i][q] * bs[q][tx * 8 + j]",
      title="right but slow: tiles, no registers")  # fmt: skip
wrong("few_uses", "float sum[8][8] = {}, x[8], y[8];",
      "float sum[8][8] = {}, x[8];",
      "            for (int j = 0; j < 8; j++) y[j] = bs[q][tx * 8 + j];\n", "",
      "x[i] * y[j]", "x[i] * bs[q][tx * 8 + j]",
      title="right but slow: registers for a alone")  # fmt: skip

right(matmul_register, "patches without float4")(changed())
right(matmul_register, "float4")(kernel(FOURS))
right(matmul_register, "16 numbers along K")(
    changed("as[128][8]", "as[128][17]", "bs[8][128]", "bs[16][128]", "e < 1024",
            "e < 2048", "k += 8", "k += 16", "e / 8", "e / 16", "e % 8]", "e % 16]",
            "e % 8;", "e % 16;", "q < 8", "q < 16")
)  # fmt: skip
right(matmul_register, "strips of 16 x 4")(
    kernel("""
    __shared__ float as[8][129], bs[8][128];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int top = blockIdx.y * 128, side = blockIdx.x * 128;
    float sum[16][4] = {};
    for (int k = 0; k < K; k += 8) {
        for (int e = tid; e < 1024; e += blockDim.x) {
            int i = e / 8, q = e % 8;
            as[q][i] = top + i < M && k + q < K ? a[(top + i) * K + k + q] : 0.0f;
            i = e % 128, q = e / 128;
            bs[q][i] = side + i < N && k + q < K ? b[(k + q) * N + side + i] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < 8; q++) {
            float y[4];
            for (int j = 0; j < 4; j++) y[j] = bs[q][lane + 32 * j];
            for (int i = 0; i < 16; i++) {
                float x = as[q][warp * 16 + i];
                for (int j = 0; j < 4; j++) sum[i][j] = fmaf(x, y[j], sum[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 4; j++) {
            int r = top + warp * 16 + i, s = side + lane + 32 * j;
            if (r < M && s < N) c[r * N + s] = sum[i][j];
        }
""")
)
