// Convolution by its definition: y[n, o, oh, ow] = bias[o] + sum over c, kh, kw of
// w[o, c, kh, kw] * x[n, c, ih, iw], where ih = oh * SH - PH + kh * DH, iw alike, and x
// is 0 outside. All lie row by row. (It is a correlation: no kernel is turned around.)
//
// Channel o of `groups` groups sees the C / groups channels of its own group only. T is
// the element, A is added up in. For products of matrices see conv_gemm.cu.

struct Conv { int N, C, H, W, O, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW, groups; };

// ------------------------------------------------- y

// A thread an element of y, n in all. Each reads C / groups * KH * KW elements of x,
// which its neighbors read, too: only the caches save anything.
template <typename T, typename A = T>
__global__ void conv2d_direct(const T* x, const T* w, const T* bias, T* y, Conv s,
                              int biased, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int ow = i % s.OW, oh = i / s.OW % s.OH, in = s.C / s.groups;
    int o = i / ((long long)s.OH * s.OW) % s.O;
    long long image = i / ((long long)s.OH * s.OW * s.O);
    x += (image * s.C + o / (s.O / s.groups) * in) * s.H * s.W;
    w += (long long)o * in * s.KH * s.KW;

    A sum = biased ? (A)bias[o] : (A)0;
    for (int c = 0; c < in; c++)
        for (int kh = 0; kh < s.KH; kh++)
            for (int kw = 0; kw < s.KW; kw++) {
                int ih = oh * s.SH - s.PH + kh * s.DH;
                int iw = ow * s.SW - s.PW + kw * s.DW;
                if (ih >= 0 && ih < s.H && iw >= 0 && iw < s.W)
                    sum += (A)w[(c * s.KH + kh) * s.KW + kw] *
                           (A)x[((long long)c * s.H + ih) * s.W + iw];
            }
    y[i] = (T)sum;
}

#include "epilogue.cuh"

#define TILE 16  // blocks of (16, 16)
#define HALO 40  // the tile and what its windows reach beyond it, at most

// A block makes a tile of y. For each channel it brings the part of x under its windows
// to shared memory, once: the tile and its halo. (15 * SH + (KH - 1) * DH + 1 <= HALO,
// and along the width.) blockIdx.z counts planes of y. Costs two barriers a channel.
template <typename T, typename A = T>
__global__ void conv2d_halo(const T* x, const T* w, const T* bias, T* y, Conv s,
                            int biased, long long planes MORE) {
    __shared__ T part[HALO][HALO + 1];
    int tx = threadIdx.x, ty = threadIdx.y, in = s.C / s.groups;
    int oh = blockIdx.y * TILE + ty, ow = blockIdx.x * TILE + tx;
    int top = blockIdx.y * TILE * s.SH - s.PH, left = blockIdx.x * TILE * s.SW - s.PW;
    int rows = (TILE - 1) * s.SH + (s.KH - 1) * s.DH + 1;
    int cols = (TILE - 1) * s.SW + (s.KW - 1) * s.DW + 1;

    for (long long plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        int o = plane % s.O;
        long long first = plane / s.O * s.C + o / (s.O / s.groups) * in;
        const T* image = x + first * s.H * s.W;
        const T* taps = w + (long long)o * in * s.KH * s.KW;
        A sum = biased ? (A)bias[o] : (A)0;
        for (int c = 0; c < in; c++) {
            for (int r = ty; r < rows; r += TILE)
                for (int q = tx; q < cols; q += TILE) {
                    int ih = top + r, iw = left + q;
                    bool inside = ih >= 0 && ih < s.H && iw >= 0 && iw < s.W;
                    part[r][q] = inside ? image[((long long)c * s.H + ih) * s.W + iw]
                                        : (T)0;
                }
            __syncthreads();
            for (int kh = 0; kh < s.KH; kh++)
                for (int kw = 0; kw < s.KW; kw++)
                    sum += (A)taps[(c * s.KH + kh) * s.KW + kw] *
                           (A)part[ty * s.SH + kh * s.DH][tx * s.SW + kw * s.DW];
            __syncthreads();
        }
        long long at = (plane * s.OH + oh) * s.OW + ow;
        if (oh < s.OH && ow < s.OW) y[at] = EPILOGUE(at, (T)sum);
    }
}

// ------------------------------------------------- dx

// A thread an element of dx, n in all: it adds dy * w over all places of y whose window
// it is in. A gather, so nothing is added by atomics.
template <typename T, typename A = T>
__global__ void conv2d_input_direct(const T* w, const T* dy, T* dx, Conv s,
                                    long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int iw = i % s.W, ih = i / s.W % s.H, in = s.C / s.groups, out = s.O / s.groups;
    int c = i / ((long long)s.H * s.W) % s.C, group = c / in;
    long long image = i / ((long long)s.H * s.W * s.C);
    dy += (image * s.O + group * out) * s.OH * s.OW;
    w += ((long long)group * out * in + c % in) * s.KH * s.KW;

    A sum = 0;
    for (int kh = 0; kh < s.KH; kh++)
        for (int kw = 0; kw < s.KW; kw++) {
            int oh = ih + s.PH - kh * s.DH, ow = iw + s.PW - kw * s.DW;
            if (oh < 0 || ow < 0 || oh % s.SH || ow % s.SW) continue;
            oh /= s.SH, ow /= s.SW;
            if (oh >= s.OH || ow >= s.OW) continue;
            for (int o = 0; o < out; o++)
                sum += (A)w[((long long)o * in * s.KH + kh) * s.KW + kw] *
                       (A)dy[((long long)o * s.OH + oh) * s.OW + ow];
        }
    dx[i] = (T)sum;
}

// ------------------------------------------------- dw

// A block an element of dw: its threads share the images and places, and add what they
// have as a tree. blockDim.x is a power of two, at most 256.
template <typename T, typename A = T>
__global__ void conv2d_weight_direct(const T* x, const T* dy, T* dw, Conv s) {
    __shared__ A sums[256];
    int tid = threadIdx.x, in = s.C / s.groups, tap = blockIdx.x % (s.KH * s.KW);
    int kh = tap / s.KW, kw = tap % s.KW, c = blockIdx.x / (s.KH * s.KW) % in;
    int o = blockIdx.x / (s.KH * s.KW) / in, plane = s.OH * s.OW;
    int channel = o / (s.O / s.groups) * in + c;

    A sum = 0;
    for (long long i = tid; i < (long long)s.N * plane; i += blockDim.x) {
        int at = i % plane, ih = at / s.OW * s.SH - s.PH + kh * s.DH;
        int iw = at % s.OW * s.SW - s.PW + kw * s.DW;
        if (ih >= 0 && ih < s.H && iw >= 0 && iw < s.W)
            sum += (A)dy[(i / plane * s.O + o) * plane + at] *
                   (A)x[((i / plane * s.C + channel) * s.H + ih) * s.W + iw];
    }
    sums[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) sums[tid] += sums[tid + half];
    }
    if (tid == 0) dw[blockIdx.x] = (T)sums[0];
}
