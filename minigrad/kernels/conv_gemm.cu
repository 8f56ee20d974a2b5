// Convolution as a product of matrices, of which one is never stored: implicit GEMM.
//
// y[n, o, oh, ow] = sum over c, kh, kw of w[o, c, kh, kw] * x[n, c, ih, iw], where
// ih = oh * SH - PH + kh * DH, iw alike, and x is 0 outside. All lie row by row. The
// three sums of a training step are products c(i, j) = sum over k of a(i, k) * b(k, j):
//
//   WHAT       i             j            k            a     b
//   0  y       out channel   n, oh, ow    c, kh, kw    w     x
//   1  dx      in channel    n, ih, iw    o, kh, kw    w     dy
//   2  dw, db  out channel   c, kh, kw    n, oh, ow    dy    x
//
// im2col would store b, KH * KW times the size of x. Here a thread that needs an element of b
// computes where it lies. A group is a product of its own: blockIdx.z, with the part.
// biased: to y bias[o] is added; of dw one more column, of ones in b, makes db.
// The k of dw are many, and i and j few: `parts` blocks share them, and conv2d_join
// adds what each has, c[part, o, j], in the same order each time.

struct Conv { int N, C, H, W, O, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW, groups; };

// How many i, j and k there are.
struct Sizes { int M, N, K; };

template <int WHAT>
__device__ Sizes sizes_of(const Conv& s, int biased) {
    int taps = s.KH * s.KW, in = s.C / s.groups, out = s.O / s.groups;
    if (WHAT == 0) return {out, s.N * s.OH * s.OW, in * taps};
    if (WHAT == 1) return {in, s.N * s.H * s.W, out * taps};
    return {out, in * taps + biased, s.N * s.OH * s.OW};
}

// Where c(i, j) lies; each part of k has a c of its own.
template <int WHAT>
__device__ long long place_of(const Conv& s, int group, int part, int i, int j,
                              Sizes size) {
    if (WHAT == 2) return ((long long)part * s.O + group * size.M + i) * size.N + j;
    int plane = WHAT == 0 ? s.OH * s.OW : s.H * s.W, n = j / plane;
    long long image = (long long)part * s.N + n;
    return ((image * s.groups + group) * size.M + i) * plane + j - n * plane;
}

#include "epilogue.cuh"

// ------------------------------------------------- a tile of each in shared memory

#define TILE 16  // blocks of (16, 16)

// a(i, k), inside.
template <int WHAT, typename T>
__device__ T left(const T* a, const Conv& s, int group, int i, int k) {
    int taps = s.KH * s.KW, in = s.C / s.groups, out = s.O / s.groups;
    if (WHAT == 0) return a[((long long)group * out + i) * in * taps + k];
    if (WHAT == 1)
        return a[(((long long)group * out + k / taps) * in + i) * taps + k % taps];
    int plane = s.OH * s.OW;
    return a[((long long)k / plane * s.O + group * out + i) * plane + k % plane];
}

// b(k, j), inside.
template <int WHAT, typename T>
__device__ T right(const T* b, const Conv& s, int group, int k, int j) {
    int taps = s.KH * s.KW, in = s.C / s.groups, out = s.O / s.groups;
    int position = WHAT == 2 ? k : j, across = WHAT == 2 ? j : k;
    int channel = across / taps, kh = across % taps / s.KW, kw = across % s.KW;
    int width = WHAT == 1 ? s.W : s.OW, plane = width * (WHAT == 1 ? s.H : s.OH);
    int row = position % plane / width, col = position % width, n = position / plane;
    if (WHAT == 2 && channel == in) return (T)1;  // the column for db
    if (WHAT == 1) {
        int oh = row + s.PH - kh * s.DH, ow = col + s.PW - kw * s.DW;
        bool hit = oh >= 0 && ow >= 0 && oh % s.SH == 0 && ow % s.SW == 0;
        oh /= s.SH, ow /= s.SW;
        if (!hit || oh >= s.OH || ow >= s.OW) return (T)0;
        long long plane_of_y = (long long)n * s.O + group * out + channel;
        return b[(plane_of_y * s.OH + oh) * s.OW + ow];
    }
    int ih = row * s.SH - s.PH + kh * s.DH, iw = col * s.SW - s.PW + kw * s.DW;
    if (ih < 0 || ih >= s.H || iw < 0 || iw >= s.W) return (T)0;
    return b[(((long long)n * s.C + group * in + channel) * s.H + ih) * s.W + iw];
}

// matmul_tiled with the elements of a and b computed. T is the element, A is added up
// in, R is the result: T, of dw A. Costs several divisions for each element of a tile.
template <int WHAT, typename T, typename R = T, typename A = T>
__global__ void conv2d_implicit(const T* a, const T* b, const T* bias, R* c, Conv s,
                                int biased, int parts MORE) {
    __shared__ T a_tile[TILE][TILE], b_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    int group = blockIdx.z / parts, part = blockIdx.z % parts;
    Sizes size = sizes_of<WHAT>(s, biased);
    int each = (size.K + parts * TILE - 1) / (parts * TILE) * TILE;
    int begin = part * each, end = min(size.K, begin + each);

    A sum = 0;
    for (int k = begin; k < end; k += TILE) {
        bool inside = row < size.M && k + tx < end;
        a_tile[ty][tx] = inside ? left<WHAT>(a, s, group, row, k + tx) : (T)0;
        inside = k + ty < end && col < size.N;
        b_tile[ty][tx] = inside ? right<WHAT>(b, s, group, k + ty, col) : (T)0;
        __syncthreads();
        for (int q = 0; q < TILE; q++) sum += (A)a_tile[ty][q] * (A)b_tile[q][tx];
        __syncthreads();
    }
    if (row >= size.M || col >= size.N) return;
    if (WHAT == 0 && biased) sum += (A)bias[group * size.M + row];
    long long at = place_of<WHAT>(s, group, part, row, col, size);
    c[at] = EPILOGUE(at, (R)sum);
}

// dw[o, k] = sum over the parts of c[part, o, k]; db[o] that of the last k, if biased.
// Blocks of (32, 8): 32 elements, whose parts 8 threads share.
template <typename T, typename A = T>
__global__ void conv2d_join(const A* c, T* dw, T* db, int O, int width, int biased,
                            int parts) {
    __shared__ A sums[8][32];
    int tx = threadIdx.x, ty = threadIdx.y, count = O * width;
    int e = blockIdx.x * 32 + tx;
    A sum = 0;
    for (int part = ty; part < parts && e < count; part += 8)
        sum += c[(long long)part * count + e];
    sums[ty][tx] = sum;
    __syncthreads();
    if (ty || e >= count) return;
    for (int i = 1; i < 8; i++) sum += sums[i][tx];
    int o = e / width, k = e % width;
    if (biased && k == width - 1) db[o] = (T)sum;
    else dw[(long long)o * (width - biased) + k] = (T)sum;
}

// ------------------------------------------------- in registers, one tile ahead
//
// For float, and windows of up to 32 taps. What is the same in each step is computed
// once: a thread fetches one column of b (of dw, one k), so its place, and which taps
// are inside, is known before. KH, KW, SH and SW are numbers of the template: the
// compiler divides by them with a multiplication. Products as in matmul_pipelined.

#define FOUR(x) (*(float4*)&(x))  // x and the next three numbers
#define THREADS 128  // of a block: BM x BN elements of c, BK numbers of K at a time
#define PAD 4  // so that the writes of a warp into a tile go to different banks

// What a thread knows of the b that it fetches: its column j, or of dw its k.
struct Position { const float* image; int row, col; unsigned int taps; };

template <int WHAT, int KH, int KW, int SH, int SW>
__device__ Position position_of(const float* b, const Conv& s, int group, int j,
                                int limit) {
    int width = WHAT == 1 ? s.W : s.OW, plane = width * (WHAT == 1 ? s.H : s.OH);
    int n = j / plane, row = j % plane / width, col = j % width;
    int channels = WHAT == 1 ? s.O : s.C, size = WHAT == 1 ? s.OH * s.OW : s.H * s.W;
    long long first = (long long)n * channels + group * (channels / s.groups);
    Position at = {b + first * size, row * SH - s.PH, col * SW - s.PW, 0};
    if (WHAT == 1) at.row = row + s.PH, at.col = col + s.PW;
    for (int tap = 0; tap < KH * KW && j < limit; tap++) {
        int y = tap / KW * s.DH, x = tap % KW * s.DW;
        bool inside;
        if (WHAT == 1) {
            y = at.row - y, x = at.col - x;
            inside = y >= 0 && x >= 0 && y % SH == 0 && x % SW == 0;
            inside = inside && y / SH < s.OH && x / SW < s.OW;
        } else {
            y += at.row, x += at.col;
            inside = y >= 0 && y < s.H && x >= 0 && x < s.W;
        }
        at.taps |= (unsigned int)inside << tap;
    }
    return at;
}

// b(k, j) for y and dx, where k = channel and tap.
template <int WHAT, int KH, int KW, int SH, int SW>
__device__ float under_tap(const Position& at, const Conv& s, int k, int K) {
    int channel = k / (KH * KW), tap = k % (KH * KW);
    if (k >= K || !(at.taps >> tap & 1)) return 0;
    int kh = tap / KW * s.DH, kw = tap % KW * s.DW;
    if (WHAT == 0)
        return at.image[channel * s.H * s.W + (at.row + kh) * s.W + at.col + kw];
    int oh = (at.row - kh) / SH, ow = (at.col - kw) / SW;
    return at.image[channel * s.OH * s.OW + oh * s.OW + ow];
}

template <int WHAT, int KH, int KW, int SH = 1, int SW = 1, int BM = 64, int BN = 64,
          int BK = 16>
__launch_bounds__(THREADS) __global__ void conv2d_pipelined(
        const float* a, const float* b, const float* bias, float* c, Conv s,
        int biased, int parts MORE) {
    constexpr int TN = 4, TM = BM * BN / THREADS / TN;
    constexpr int A_COUNT = BM * BK / THREADS, B_COUNT = BN * BK / THREADS;
    constexpr int taps = KH * KW, STEP = THREADS / BK;
    __shared__ __align__(16) float a_tile[2][BK][BM + PAD], b_tile[2][BK][BN + PAD];
    __align__(16) float sum[TM][TN] = {}, left[TM], right[TN];
    float a_next[A_COUNT], b_next[B_COUNT];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int down = warp / (BN / (8 * TN)) * 4 * TM + lane / 8 * 4;
    int along = warp % (BN / (8 * TN)) * 8 * TN + lane % 8 * 4;
    int group = blockIdx.z / parts, part = blockIdx.z % parts;
    int first_i = blockIdx.y * BM, first_j = blockIdx.x * BN;
    Sizes size = sizes_of<WHAT>(s, biased);
    int each = (size.K + parts * BK - 1) / (parts * BK) * BK;
    int begin = part * each, end = min(size.K, begin + each);
    int plane = s.OH * s.OW, in = s.C / s.groups;

    // A thread's own: rows `i` + t * STEP at number `q` of a tile; one column of b.
    int q = tid % BK, i = tid / BK, column = tid % BN;
    Position at = {};
    if (WHAT != 2)
        at = position_of<WHAT, KH, KW, SH, SW>(b, s, group, first_j + column, size.N);

    for (int k = begin - BK, now = 1; k < end; k += BK, now = 1 - now) {
        bool more = k + BK < end;  // the next tiles, into registers
        if (more) {
            int ahead = k + BK + q, n = ahead / plane, p = ahead - n * plane;
            const float* image = b + ((long long)n * s.C + group * in) * s.H * s.W;
            int row = p / s.OW * SH - s.PH, col = p % s.OW * SW - s.PW;
#pragma unroll
            for (int t = 0; t < A_COUNT; t++) {
                int r = first_i + i + t * STEP;
                long long from = ((long long)group * size.M + r) * size.K + ahead;
                if (WHAT == 1)
                    from = ((long long)group * (s.O / s.groups) + ahead / taps) * in *
                           taps + r * taps + ahead % taps;
                if (WHAT == 2)
                    from = ((long long)n * s.O + group * size.M + r) * plane + p;
                a_next[t] = r < size.M && ahead < end ? a[from] : 0;
            }
#pragma unroll
            for (int t = 0; t < B_COUNT; t++) {
                int j = first_j + i + t * STEP, channel = j / taps, tap = j % taps;
                int y = row + tap / KW * s.DH, x = col + tap % KW * s.DW;
                int number = k + BK + tid / BN + t * (THREADS / BN);
                if constexpr (WHAT != 2)
                    b_next[t] = under_tap<WHAT, KH, KW, SH, SW>(at, s, number, end);
                else if (ahead < end && channel < in && y >= 0 && y < s.H && x >= 0 &&
                         x < s.W)
                    b_next[t] = image[(channel * s.H + y) * s.W + x];
                else  // outside; or the column for db
                    b_next[t] = ahead < end && j == in * taps && biased;
            }
        }
#pragma unroll
        for (int e = 0; e < BK && k >= begin; e++) {  // this one, multiplied
            for (int u = 0; u < TM; u += 4)
                FOUR(left[u]) = FOUR(a_tile[now][e][down + u * 4]);
            for (int v = 0; v < TN; v += 4)
                FOUR(right[v]) = FOUR(b_tile[now][e][along + v * 8]);
            for (int u = 0; u < TM; u++)
                for (int v = 0; v < TN; v++) sum[u][v] += left[u] * right[v];
        }
        if (more) {
#pragma unroll
            for (int t = 0; t < A_COUNT; t++)
                a_tile[1 - now][q][i + t * STEP] = a_next[t];
#pragma unroll
            for (int t = 0; t < B_COUNT; t++)
                if (WHAT == 2) b_tile[1 - now][q][i + t * STEP] = b_next[t];
                else b_tile[1 - now][tid / BN + t * (THREADS / BN)][column] = b_next[t];
        }
        __syncthreads();
    }
    // Four columns at a time, where the four of a row are in one image.
    bool whole = WHAT != 2 && (WHAT == 0 ? plane : s.H * s.W) % 4 == 0;
#pragma unroll
    for (int u = 0; u < TM; u++) {
        int r = first_i + down + u / 4 * 16 + u % 4;
        float add = WHAT == 0 && biased && r < size.M ? bias[group * size.M + r] : 0;
#pragma unroll
        for (int v = 0; v < TN; v += 4) {
            int j = first_j + along + v * 8;
            if (r >= size.M || j >= size.N) continue;
            long long at = place_of<WHAT>(s, group, part, r, j, size);
            for (int o = 0; o < 4; o++) {
                if (j + o >= size.N) continue;
                if (!whole) at = place_of<WHAT>(s, group, part, r, j + o, size) - o;
                sum[u][v + o] = EPILOGUE(at + o, sum[u][v + o] + add);
                if (!whole) c[at + o] = sum[u][v + o];
            }
            if (whole) FOUR(c[at]) = FOUR(sum[u][v]);
        }
    }
}
