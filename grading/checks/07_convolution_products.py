"""Convolution as a product, and with a tile and its halo: PyTorch is the oracle."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Launch, blank, checks, mistakes
from minigrad.kernels.convolution import conv2d_direct, conv2d_gemm

from .products import ZEROS, odd, three_sizes, whole
from .tiles import MANY_READS, RETURNED, ProductCheck, bias, factors
from .windows import squares


@checks(conv2d_gemm)
class Conv2dGemm(ProductCheck):
    """Leaves out O or P of 0, as the contract does."""

    def cases(self, random):
        for part, O, P, K in three_sizes(random):  # noqa: E741
            yield part, self.launch(random, 1, O, K, P)
        for four in (3, 16, 32, 16), (2, 10, 18, 25), (33_000, 1, 1, 1):
            yield "several images", self.launch(random, *four)
        launch = self.launch(random, 2, 10, 18, 25)
        odd(launch.args[1], launch.args[0][0])
        yield "zero and infinity", launch

    def launch(self, random, N, O, K, P):  # noqa: E741
        fine = O % 2 if K <= 64 else None
        columns, w = factors(random, fine, (N, K, P), (O, K))
        grid = -(-P // 16), -(-O // 16), N
        most = whole(int(np.prod(grid)), K) + 256 * int(np.prod(grid))  # and the bias
        limits = {"reads": most} if max(N, O, P) < 9999 else {}
        args = columns, w, bias(random, O), blank(N, O, P), *np.int32([O, K, P])
        return Launch(grid, (16, 16), args, 0, limits)

    def expected(self, launch, columns, w, bias, y, O, K, P):  # noqa: E741
        columns, w, bias = map(torch.from_numpy, (columns, w, bias))
        return w.double() @ columns.double() + bias[:, None]


mistakes(conv2d_gemm)(f"""
flipped: the kernel is turned around: columns and weights have the same order, and
    w[o][k] goes with columns[k][p]
> w[row * K + k + tx] -> w[row * K + K - 1 - k - tx]
no_bias: the bias is left out
> sum + bias[row] -> sum
bias_by_pixel: the bias goes with the place: it belongs to the channel, bias[o] for the
    whole row o
> bias[row] -> bias[col]
bias_each_tile: the bias is added once for each tile of K: it is added once, in the end
> sum + bias[row] -> sum
& __syncthreads(); }} -> __syncthreads(); if (row < O) sum += bias[row]; }}
first_image: all images are made of the first one's columns: image n begins at n * K * P
> columns += n * K * P; ->
not_zero: with K = 0 nothing is written: a sum of nothing is 0, and y the bias
> if (row < O && col < P) y -> if (row < O && col < P && K > 0) y
tail_left_out: the last, partial tile of K is left out: K may be any number
> k < K; k += 16 -> k + 16 <= K; k += 16
returned: {RETURNED}
> float sum = -> if (row >= O || col >= P) return; float sum =
no_barrier:
> __syncthreads(); for -> for
> __syncthreads(); }} -> }}
not_filled:
> w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f; -> if (row < O &&
    k + tx < K) w_tile[ty][tx] = w[row * K + k + tx];
outside:
> row < O && k + tx < K ? w -> true ? w
many_reads: {MANY_READS}
! reads
> int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x; if (row
    >= O || col >= P) return; float sum = bias[row]; for (int k = 0; k < K; k++) sum +=
    w[row * K + k] * columns[(blockIdx.z * K + k) * P + col]; y[(blockIdx.z * O + row) *
    P + col] = sum;
> c_tile[i][tx] -> (O % 16 && k + i < K && col < P ? columns[(k + i) * P + col] :
    c_tile[i][tx])
barrier_in_if:
> __syncthreads(); }} -> if (row < O) __syncthreads(); }}
{ZEROS}
right: flat tiles, and sums in double
> w_tile[16][16], c_tile[16][16] -> w_tile[256], c_tile[256]
& w_tile[ty][tx] -> w_tile[ty * 16 + tx]
& c_tile[ty][tx] -> c_tile[ty * 16 + tx]
& w_tile[ty][i] -> w_tile[ty * 16 + i]
& c_tile[i][tx] -> c_tile[i * 16 + tx]
& float sum -> double sum
right: the bias first, and w turned in its tile
> float sum = 0.0f -> float sum = row < O ? bias[row] : 0.0f
& sum + bias[row] -> sum
& w_tile[16][16] -> w_tile[16][17]
& w_tile[ty][tx] -> w_tile[tx][ty]
& w_tile[ty][i] -> w_tile[i][ty]
right: two pairs of tiles, and one barrier
> w_tile[16][16], c_tile[16][16] -> w_tile[512], c_tile[512]
& w_tile[ty][tx] -> w_tile[k % 32 * 16 + ty * 16 + tx]
& c_tile[ty][tx] -> c_tile[k % 32 * 16 + ty * 16 + tx]
& w_tile[ty][i] -> w_tile[k % 32 * 16 + ty * 16 + i]
& c_tile[i][tx] -> c_tile[k % 32 * 16 + i * 16 + tx]
& __syncthreads(); }} -> }}
right: tiles of 32 along K
> w_tile[16][16], c_tile[16][16] -> w_tile[16][33], c_tile[32][16]
& k += 16 -> k += 32
& w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] -> for (int q = tx; q <
    32; q += 16) w_tile[ty][q] = row < O && k + q < K ? w[row * K + k + q]
& c_tile[ty][tx] = k + ty < K && col < P ? columns[(k + ty) * P + col] -> for (int q =
    ty; q < 32; q += 16) c_tile[q][tx] = k + q < K && col < P ? columns[(k + q) * P +
    col]
& i < 16 -> i < 32
""")


@checks(conv2d_direct)
class Conv2dDirect(ProductCheck):
    """Leaves out stride, dilation and K above 7: the contract has none of them."""

    def cases(self, random):
        for sizes in (1, 1, 18, 34, 1, 3, 0), (1, 2, 18, 18, 2, 3, 0):
            yield "whole tiles", self.launch(random, *sizes)
        for sizes in (1, 1, 7, 9, 1, 3, 0), (1, 2, 21, 18, 1, 2, 0):
            yield "tiles at the edge", self.launch(random, *sizes)
        for sizes in (1, 1, 16, 16, 1, 3, 1), (1, 2, 9, 20, 1, 5, 2):
            yield "padding", self.launch(random, *sizes)
        launch = self.launch(random, 1, 2, 9, 20, 1, 3, 1)
        launch.args[0].flat[[0, -1]], launch.args[1].flat[4] = (np.inf, np.nan), 0
        yield "padding", launch
        for _, C, H, W, K, stride, padding in squares(random):
            if stride == 1 and C < 9:
                sizes = 1, C, H, W, 2, K, padding
                yield "windows of any size", self.launch(random, *sizes)
        sizes = 1, 1, 23, 25, 1, 7, 3
        yield "windows of any size", self.launch(random, *sizes)
        for sizes in (1, 1, 33_000, 2, 1, 1, 0), (1, 1, 3, 33_000, 1, 2, 0):
            yield "large ones", self.launch(random, *sizes)
        yield "several images and channels", self.launch(random, 1, 66, 4, 3, 1, 1, 0)
        for sizes in (2, 3, 10, 17, 2, 3, 1), (1, 1, 1, 1, 33_000, 1, 0):
            yield "several images and channels", self.launch(random, *sizes)

    def launch(self, random, N, C, H, W, O, K, padding):  # noqa: E741
        x, w = factors(random, H % 2, (N, C, H, W), (O, C, K, K))
        OH, OW = H + 2 * padding - K + 1, W + 2 * padding - K + 1
        grid, side = (-(-OW // 16), -(-OH // 16), N * O), 16 + K - 1
        most = int(np.prod(grid)) * C * side**2
        limits = {"reads of x": most} if O < 100 else {}
        args = (
            x,
            w,
            bias(random, O),
            blank(N, O, OH, OW),
            *np.int32([C, H, W, O, K, padding]),
        )
        return Launch(grid, (16, 16), args, 0, limits)

    def expected(self, launch, x, w, bias, y, C, H, W, O, K, padding):  # noqa: E741
        x, w, bias = (torch.from_numpy(a).double() for a in (x, w, bias))
        return F.conv2d(x, w, bias, padding=int(padding))


mistakes(conv2d_direct)(f"""
flipped: the kernel is turned around: w[kh][kw] goes with x[oh + kh][ow + kw]. What the
    books call convolution turns it, PyTorch does not
> * K + kh) * K + kw] -> * K + K - 1 - kh) * K + K - 1 - kw]
no_bias: the bias is left out
> sum = bias[o] -> sum = 0.0f
last_channel: only the last channel counts: the sum goes over all channels of x
> __syncthreads(); for -> __syncthreads(); sum = bias[o]; for
first_image: all images are made of the first one: image n begins at n * C * H * W
> ((n * C + c) -> ((c)
halo_corner: the corner of the halo is missing: right of the tile and below it rows and
    columns are filled, but not where both are beyond it. Fill the whole square of 16 +
    K - 1 elements
> iw >= 0 && iw < W; -> iw >= 0 && iw < W && (r < 16 || q < 16);
no_padding: the padding is left out: part[0][0] lies `padding` before the tile
> top - padding + r -> top + r
& left - padding + q -> left + q
returned: {RETURNED}
> float sum = -> if (top + ty >= OH || left + tx >= OW) return; float sum =
no_barrier:
> __syncthreads(); for -> for
> __syncthreads(); }} -> }}
not_filled:
> r < side -> r < 16
& q < side -> q < 16
outside:
> inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f -> x[((n * C + c) * H + ih) * W +
    iw]
many_reads: {MANY_READS}
! reads of x
> int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1; int oh = blockIdx.y *
    16 + threadIdx.y, ow = blockIdx.x * 16 + threadIdx.x; if (oh >= OH || ow >= OW)
    return; int n = blockIdx.z / O, o = blockIdx.z % O; float sum = bias[o]; for (int i
    = 0; i < C * K * K; i++) {{ int ih = oh + i / K % K - padding, iw = ow + i % K -
    padding; if (ih >= 0 && ih < H && iw >= 0 && iw < W) sum += w[o * C * K * K + i] *
    x[((n * C + i / K / K) * H + ih) * W + iw]; }} y[(blockIdx.z * OH + oh) * OW + ow] =
    sum;
> part[22][22] -> part[49]
& for (int r = ty; r < side; r += 16) for (int q = tx; q < side; q += 16) {{ int ih =
    top - padding + r, iw = left - padding + q; bool inside = ih >= 0 && ih < H && iw >=
    0 && iw < W; part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f; }}
    -> int t = ty * 16 + tx; if (t < K * K) part[t] = w[(o * C + c) * K * K + t];
& for (int kw = 0; kw < K; kw++) sum += w[((o * C + c) * K + kh) * K + kw] * part[ty +
    kh][tx + kw]; -> for (int kw = 0; kw < K; kw++) {{ int ih = top + ty + kh - padding,
    iw = left + tx + kw - padding; bool in = ih >= 0 && ih < H && iw >= 0 && iw < W; if
    (in) sum += part[kh * K + kw] * x[((n * C + c) * H + ih) * W + iw]; }}
barrier_in_if:
> __syncthreads(); }} -> if (top + ty < OH) __syncthreads(); }}
equivalent: a window has at most 7 rows and columns, so a tile with its halo has 22
> type: for (short r =
> type: for (short q =
> type: for (short k
right: two tiles, and one barrier
> part[22][22] -> part[2][22][22]
& part[r] -> part[c % 2][r]
& part[ty -> part[c % 2][ty
& __syncthreads(); }} -> }}
right: a flat tile, filled in one loop
> part[22][22] -> part[484]
& for (int r = ty; r < side; r += 16) for (int q = tx; q < side; q += 16) {{ -> for (int
    at = ty * 16 + tx; at < side * side; at += 256) {{ int r = at / side, q = at % side;
& part[r][q] -> part[at]
& part[ty + kh][tx + kw] -> part[(ty + kh) * side + tx + kw]
right: weights in shared memory
> part[22][22]; -> part[22][22], taps[49];
& __syncthreads(); for -> int t = ty * 16 + tx; if (t < K * K) taps[t] = w[(o * C + c) *
    K * K + t]; __syncthreads(); for
& w[((o * C + c) * K + kh) * K + kw] -> taps[kh * K + kw]
""")
