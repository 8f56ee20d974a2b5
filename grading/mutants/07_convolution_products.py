"""Chapter 07, products, halo and backward: wrong answers and right ones."""

import numpy as np

from grading.specimens import mutant, right
from minigrad.kernels.convolution import conv2d_backward, conv2d_direct, conv2d_gemm


def changed(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


GEMM = """__global__ void conv2d_gemm(const float* columns, const float* w,
        const float* bias, float* y, int O, int K, int P) {
    __shared__ float w_tile[16][16], c_tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    columns += n * K * P;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 16) {
        w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f;
        c_tile[ty][tx] = k + ty < K && col < P ? columns[(k + ty) * P + col] : 0.0f;
        __syncthreads();  // filled
        for (int i = 0; i < 16; i++) sum += w_tile[ty][i] * c_tile[i][tx];
        __syncthreads();  // read
    }
    if (row < O && col < P) y[(n * O + row) * P + col] = sum + bias[row];
}
"""


def gemm(*pairs):
    return changed(GEMM, *pairs)


mutant(conv2d_gemm, "flipped")(
    gemm(("w[row * K + k + tx]", "w[row * K + K - 1 - k - tx]"))
)
mutant(conv2d_gemm, "no_bias")(gemm(("sum + bias[row]", "sum")))
mutant(conv2d_gemm, "bias_by_pixel")(gemm(("bias[row]", "bias[col]")))
mutant(conv2d_gemm, "bias_each_tile")(
    gemm(("        __syncthreads();  // read", "        __syncthreads();\n        "
          "if (row < O) sum += bias[row];"), ("sum + bias[row]", "sum"))
)  # fmt: skip
mutant(conv2d_gemm, "first_image")(gemm(("columns += n * K * P;", "")))
mutant(conv2d_gemm, "tail_left_out")(gemm(("k < K; k += 16", "k + 16 <= K; k += 16")))
mutant(conv2d_gemm, "no_barrier", "no barrier after filling")(
    gemm(("__syncthreads();  // filled", ""))
)
mutant(conv2d_gemm, "no_barrier", "no barrier after reading")(
    gemm(("__syncthreads();  // read", ""))
)
mutant(conv2d_gemm, "returned")(
    gemm(("    float sum = 0.0f;", "    if (row >= O || col >= P) return;\n"
          "    float sum = 0.0f;"))
)  # fmt: skip
mutant(conv2d_gemm, "not_filled")(
    gemm(("w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f;",
          "if (row < O && k + tx < K) w_tile[ty][tx] = w[row * K + k + tx];"))
)  # fmt: skip
mutant(conv2d_gemm, "outside")(gemm(("row < O && k + tx < K ? w", "true ? w")))
mutant(conv2d_gemm, "many_reads")("""
__global__ void conv2d_gemm(const float* columns, const float* w, const float* bias,
                            float* y, int O, int K, int P) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= O || col >= P) return;
    float sum = bias[row];
    for (int k = 0; k < K; k++)
        sum += w[row * K + k] * columns[(blockIdx.z * K + k) * P + col];
    y[(blockIdx.z * O + row) * P + col] = sum;
}
""")
mutant(conv2d_gemm, "barrier_in_if")(
    gemm(("        __syncthreads();  // read", "        if (row < O) __syncthreads();"))
)
right(conv2d_gemm, "the bias first")(
    gemm(("float sum = 0.0f;", "float sum = row < O ? bias[row] : 0.0f;"),
         ("sum + bias[row]", "sum"))
)  # fmt: skip
right(conv2d_gemm, "tiles of columns turned")(
    gemm(("c_tile[ty][tx] =", "c_tile[tx][ty] ="), ("c_tile[i][tx];", "c_tile[tx][i];"))
)
right(conv2d_gemm, "padded tiles and a fused multiply")(
    gemm(("w_tile[16][16], c_tile[16][16]", "w_tile[16][17], c_tile[16][17]"),
         ("sum += w_tile[ty][i] * c_tile[i][tx]",
          "sum = fmaf(w_tile[ty][i], c_tile[i][tx], sum)"))
)  # fmt: skip

# ------------------------------------------------- the halo

DIRECT = """__global__ void conv2d_direct(const float* x, const float* w,
        const float* bias, float* y, int C, int H, int W, int O, int K, int padding) {
    __shared__ float part[22][22];
    int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z / O, o = blockIdx.z % O;
    int top = blockIdx.y * 16, left = blockIdx.x * 16, side = 16 + K - 1;
    int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
    float sum = bias[o];
    for (int c = 0; c < C; c++) {
        for (int r = ty; r < side; r += 16)
            for (int q = tx; q < side; q += 16) {
                int ih = top - padding + r, iw = left - padding + q;
                bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
                part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
            }
        __syncthreads();  // filled
        for (int kh = 0; kh < K; kh++)
            for (int kw = 0; kw < K; kw++)
                sum += w[((o * C + c) * K + kh) * K + kw] * part[ty + kh][tx + kw];
        __syncthreads();  // read
    }
    int oh = top + ty, ow = left + tx;
    if (oh < OH && ow < OW) y[(blockIdx.z * OH + oh) * OW + ow] = sum;
}
"""
FILL = DIRECT[DIRECT.index("        for (int r = ty") : DIRECT.index("        __sync")]
THREE = """        for (int e = 0; e < 3; e++) {
            int r = ty + e / 2 * 16, q = tx + e % 2 * 16;
            if (r >= side || q >= side) continue;
            int ih = top - padding + r, iw = left - padding + q;
            bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
            part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
        }
"""


def direct(*pairs):
    return changed(DIRECT, *pairs)


mutant(conv2d_direct, "corner_unfilled")(direct((FILL, THREE)))
mutant(conv2d_direct, "halo_corner")(
    direct(("iw >= 0 && iw < W;", "iw >= 0 && iw < W && (r < 16 || q < 16);"))
)
mutant(conv2d_direct, "flipped")(
    direct(("* K + kh) * K + kw]", "* K + K - 1 - kh) * K + K - 1 - kw]"))
)
mutant(conv2d_direct, "no_bias")(direct(("float sum = bias[o]", "float sum = 0.0f")))
mutant(conv2d_direct, "bias_each_channel")(
    direct(("float sum = bias[o];", "float sum = 0.0f;"),
           ("        __syncthreads();  // filled",
            "        __syncthreads();\n        sum += bias[o];"))
)  # fmt: skip
mutant(conv2d_direct, "last_channel")(
    direct(("        __syncthreads();  // filled",
            "        __syncthreads();\n        sum = bias[o];"))
)  # fmt: skip
mutant(conv2d_direct, "first_image")(direct(("((n * C + c)", "((c)")))
mutant(conv2d_direct, "no_padding")(
    direct(("top - padding + r", "top + r"), ("left - padding + q", "left + q"))
)
mutant(conv2d_direct, "no_barrier", "no barrier after filling")(
    direct(("__syncthreads();  // filled", ""))
)
mutant(conv2d_direct, "no_barrier", "no barrier after reading")(
    direct(("__syncthreads();  // read", ""))
)
mutant(conv2d_direct, "returned")(
    direct(("    float sum = bias[o];",
            "    if (top + ty >= OH || left + tx >= OW) return;\n"
            "    float sum = bias[o];"))
)  # fmt: skip
mutant(conv2d_direct, "not_filled", "the tile without its halo")(
    direct(("r < side", "r < 16"), ("q < side", "q < 16"))
)
mutant(conv2d_direct, "outside")(
    direct(("inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f",
            "x[((n * C + c) * H + ih) * W + iw]"))
)  # fmt: skip
mutant(conv2d_direct, "many_reads")("""
__global__ void conv2d_direct(const float* x, const float* w, const float* bias,
                              float* y, int C, int H, int W, int O, int K,
                              int padding) {
    int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
    int oh = blockIdx.y * 16 + threadIdx.y, ow = blockIdx.x * 16 + threadIdx.x;
    if (oh >= OH || ow >= OW) return;
    int n = blockIdx.z / O, o = blockIdx.z % O;
    float sum = bias[o];
    for (int i = 0; i < C * K * K; i++) {
        int ih = oh + i / K % K - padding, iw = ow + i % K - padding;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W)
            sum += w[o * C * K * K + i] * x[((n * C + i / K / K) * H + ih) * W + iw];
    }
    y[(blockIdx.z * OH + oh) * OW + ow] = sum;
}
""")
mutant(conv2d_direct, "barrier_in_if")(
    direct(
        (
            "        __syncthreads();  // read",
            "        if (top + ty < OH) __syncthreads();",
        )
    )
)
right(conv2d_direct, "filled as one row")(
    direct((FILL, """        for (int e = ty * 16 + tx; e < side * side; e += 256) {
            int r = e / side, q = e % side, ih = top - padding + r;
            int iw = left - padding + q;
            bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
            part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
        }
"""))
)  # fmt: skip
right(conv2d_direct, "the bias last")(
    direct(("float sum = bias[o]", "float sum = 0.0f"), ("= sum;", "= sum + bias[o];"))
)
right(conv2d_direct, "weights in shared memory")(
    direct(("    __shared__ float part[22][22];",
            "    __shared__ float part[22][22], taps[49];"),
           ("        __syncthreads();  // filled",
            "        int t = ty * 16 + tx;\n"
            "        if (t < K * K) taps[t] = w[(o * C + c) * K * K + t];\n"
            "        __syncthreads();"),
           ("w[((o * C + c) * K + kh) * K + kw]", "taps[kh * K + kw]"))
)  # fmt: skip

# ------------------------------------------------- backward


@mutant(conv2d_backward, "not_summed")
def _(dy, columns, w):
    return w.T @ dy, dy @ columns.transpose(0, 2, 1), dy.sum((0, 2))


@mutant(conv2d_backward, "first_image")
def _(dy, columns, w):
    dw = dy[0] @ columns[0].T
    return w.T @ dy, dw, dy.sum((0, 2))


@mutant(conv2d_backward, "last_image")
def _(dy, columns, w):
    for n in range(dy.shape[0]):
        dw = dy[n] @ columns[n].T
    return w.T @ dy, dw, dy.sum((0, 2))


@mutant(conv2d_backward, "bias_by_image")
def _(dy, columns, w):
    return w.T @ dy, (dy @ columns.transpose(0, 2, 1)).sum(0), dy.sum(2)


@mutant(conv2d_backward, "bias_by_place")
def _(dy, columns, w):
    return w.T @ dy, (dy @ columns.transpose(0, 2, 1)).sum(0), dy.sum(0)


@mutant(conv2d_backward, "order")
def _(dy, columns, w):
    return (dy @ columns.transpose(0, 2, 1)).sum(0), w.T @ dy, dy.sum((0, 2))


@mutant(conv2d_backward, "transposed")
def _(dy, columns, w):
    return w.T @ dy, (columns @ dy.transpose(0, 2, 1)).sum(0), dy.sum((0, 2))


@mutant(conv2d_backward, "columns_summed")
def _(dy, columns, w):
    dw = (dy @ columns.transpose(0, 2, 1)).sum(0)
    return (w.T @ dy).sum(0), dw, dy.sum((0, 2))


@right(conv2d_backward, "one product of all images")
def _(dy, columns, w):
    one = dy.transpose(1, 0, 2).reshape(w.shape[0], -1)
    other = columns.transpose(1, 0, 2).reshape(w.shape[1], -1)
    return w.T @ dy, one @ other.T, one.sum(1)


@right(conv2d_backward, "image by image")
def _(dy, columns, w):
    dcolumns, dw, db = columns * 0, w * 0, dy[0].sum(1) * 0
    for n in range(dy.shape[0]):
        dcolumns[n] = w.T @ dy[n]
        dw = dw + dy[n] @ columns[n].T
        db = db + dy[n].sum(1)
    return dcolumns, dw, db


@right(conv2d_backward, "by einsum")
def _(dy, columns, w):
    dw = np.einsum("nop,nkp->ok", dy, columns)
    return np.einsum("ok,nop->nkp", w, dy), dw, dy.sum(0).sum(1)
