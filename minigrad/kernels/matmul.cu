// Matrix products: c = a b, a is M x K, b is K x N, c is M x N. Row is y, column is x.
//
// T is the element; A is added up in: float for half and bfloat16 (with their header in
// front), double for double. Where nothing else is said, a, b and c lie row by row.
// M, N, K >= 0; with K = 0 c becomes zeros.

// ------------------------------------------------- a thread an element
//
// Blocks of two dimensions. Each element of c costs 2 K reads of global memory: a
// warp's neighbors, and the caches, share some of them.

// threadIdx.x along the rows of c: neighbors read a and write c a whole row apart. With
// blocks of 16 x 16, a warp needs 16 sectors of a for 16 numbers.
template <typename T, typename A = T>
__global__ void matmul_naive(const T* a, const T* b, T* c, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;

    A sum = 0;
    for (int k = 0; k < K; k++)
        sum += (A)a[(long long)row * K + k] * (A)b[(long long)k * N + col];
    c[(long long)row * N + col] = (T)sum;
}

// threadIdx.x along the columns: neighbors read b side by side, and share a.
// Two lines differ. Each element still takes 2 K reads.
template <typename T, typename A = T>
__global__ void matmul_coalesced(const T* a, const T* b, T* c, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;

    A sum = 0;
    for (int k = 0; k < K; k++)
        sum += (A)a[(long long)row * K + k] * (A)b[(long long)k * N + col];
    c[(long long)row * N + col] = (T)sum;
}

// ------------------------------------------------- tiles in shared memory, any layout

#define TILE 16  // blocks of (16, 16)

#include "strides.cuh"
#include "epilogue.cuh"

// Where matrix number `batch` begins; a batch dimension of stride 0 is a broadcast one.
__device__ long long matrix_of(long long batch, const Strides& view) {
    long long offset = 0;
    for (int d = view.dims - 3; d >= 0; d--) {
        offset += batch % view.shape[d] * view.stride[d];
        batch /= view.shape[d];
    }
    return offset;
}

// A block reads a tile of a and one of b together, and each thread uses a row of the
// one and a column of the other: 1/16 of the reads. The views may be transposed or
// broadcast; c has `batches` matrices row by row, and gridDim.z may be fewer. Costs two
// barriers a tile, and two reads of shared memory for each multiplication.
template <typename T, typename A = T>
__global__ void matmul_tiled(const T* a, Strides as, const T* b, Strides bs, T* c,
                             int M, int N, int K, long long batches MORE) {
    __shared__ T a_tile[TILE][TILE], b_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    long long a_row = as.stride[as.dims - 2], a_col = as.stride[as.dims - 1];
    long long b_row = bs.stride[bs.dims - 2], b_col = bs.stride[bs.dims - 1];

    for (long long batch = blockIdx.z; batch < batches; batch += gridDim.z) {
        const T* left = a + matrix_of(batch, as) + row * a_row;
        const T* right = b + matrix_of(batch, bs) + col * b_col;
        A sum = 0;
        for (int k = 0; k < K; k += TILE) {
            a_tile[ty][tx] = row < M && k + tx < K ? left[(k + tx) * a_col] : (T)0;
            b_tile[ty][tx] = k + ty < K && col < N ? right[(k + ty) * b_row] : (T)0;
            __syncthreads();
            for (int i = 0; i < TILE; i++) sum += (A)a_tile[ty][i] * (A)b_tile[i][tx];
            __syncthreads();
        }
        long long at = (batch * M + row) * N + col;
        if (row < M && col < N) c[at] = EPILOGUE(at, (T)sum);
    }
}

// ------------------------------------------------- more elements a thread
//
// In one clock, a multiprocessor's shared memory serves one warp, but its arithmetic
// units serve four. So a thread has to use each number that it reads several times.
// Blocks have one dimension. Sizes may be any; there are zeros outside a and b.

// A thread makes a column of 8 elements of c: what it reads of b, it uses 8 times.
// Blocks of 512 threads make 64 x 64 elements, 8 numbers of K at a time.
template <typename T, typename A = T>
__global__ void matmul_column(const T* a, const T* b, T* c, int M, int N, int K) {
    __shared__ T a_tile[64][8], b_tile[8][64];
    int tid = threadIdx.x, tx = tid % 64, ty = tid / 64;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    A sum[8] = {};

    for (int k = 0; k < K; k += 8) {
        int r = row + tid / 8, q = k + tid % 8;
        a_tile[tid / 8][tid % 8] = r < M && q < K ? a[(long long)r * K + q] : (T)0;
        int p = k + ty, s = col + tx;
        b_tile[ty][tx] = p < K && s < N ? b[(long long)p * N + s] : (T)0;
        __syncthreads();
        for (int j = 0; j < 8; j++) {
            A right = (A)b_tile[j][tx];
            for (int i = 0; i < 8; i++) sum[i] += (A)a_tile[ty * 8 + i][j] * right;
        }
        __syncthreads();
    }
    for (int i = 0, r = row + ty * 8; i < 8; i++, r++)
        if (r < M && col + tx < N) c[(long long)r * N + col + tx] = (T)sum[i];
}

// A thread makes a patch of 8 x 8: 16 reads of shared memory for 64 multiplications.
// Blocks of 256 threads make 128 x 128 elements. Costs registers: 64 for the patch.
template <typename T, typename A = T>
__global__ void matmul_patch(const T* a, const T* b, T* c, int M, int N, int K) {
    __shared__ T a_tile[128][8], b_tile[8][128];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int row = blockIdx.y * 128, col = blockIdx.x * 128;
    A sum[8][8] = {}, left[8], right[8];

    for (int k = 0; k < K; k += 8) {
        for (int e = tid; e < 128 * 8; e += 256) {
            int r = row + e / 8, q = k + e % 8;
            a_tile[e / 8][e % 8] = r < M && q < K ? a[(long long)r * K + q] : (T)0;
            int p = k + e / 128, s = col + e % 128;
            b_tile[e / 128][e % 128] = p < K && s < N ? b[(long long)p * N + s] : (T)0;
        }
        __syncthreads();
        for (int q = 0; q < 8; q++) {
            for (int i = 0; i < 8; i++) left[i] = (A)a_tile[ty * 8 + i][q];
            for (int j = 0; j < 8; j++) right[j] = (A)b_tile[q][tx * 8 + j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int r = row + ty * 8 + i, s = col + tx * 8 + j;
            if (r < M && s < N) c[(long long)r * N + s] = (T)sum[i][j];
        }
}

// ------------------------------------------------- 16 bytes at a time
//
// For float. Every row of an operand begins at a multiple of 16 bytes: its pointer
// does, and its strides but the 1 are multiples of 4.

#define FOUR(x) (*(float4*)&(x))  // x and the next three numbers

// Global and shared memory are read in float4. a's tile lies transposed, so that the 8
// numbers of its column that a thread needs lie side by side. K and N are multiples of
// 4. Costs two warps' accesses to the same banks, which the next one mends.
__global__ void matmul_vectors(const float* a, const float* b, float* c,
                               int M, int N, int K) {
    __shared__ __align__(16) float a_tile[8][128], b_tile[8][128];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int row = blockIdx.y * 128, col = blockIdx.x * 128;
    __align__(16) float sum[8][8] = {}, left[8], right[8];

    for (int k = 0; k < K; k += 8) {
        int r = row + tid / 2, q = k + tid % 2 * 4;
        int p = k + tid / 32, s = col + tid % 32 * 4;
        float4 zero = {}, in = r < M && q < K ? FOUR(a[(long long)r * K + q]) : zero;
        float column[4] = {in.x, in.y, in.z, in.w};
        for (int i = 0; i < 4; i++) a_tile[tid % 2 * 4 + i][tid / 2] = column[i];
        in = p < K && s < N ? FOUR(b[(long long)p * N + s]) : zero;
        FOUR(b_tile[tid / 32][tid % 32 * 4]) = in;
        __syncthreads();
        for (int q = 0; q < 8; q++) {
            for (int i = 0; i < 8; i += 4) {
                FOUR(left[i]) = FOUR(a_tile[q][ty * 8 + i]);
                FOUR(right[i]) = FOUR(b_tile[q][tx * 8 + i]);
            }
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4) {
            int r = row + ty * 8 + i, s = col + tx * 8 + j;
            if (r < M && s < N) FOUR(c[(long long)r * N + s]) = FOUR(sum[i][j]);
        }
}

// ------------------------------------------------- while one tile is used, the next

#define LANES_DOWN 4  // a warp's 32 lanes: 4 down the rows, 8 along the columns
#define LANES_ALONG (32 / LANES_DOWN)
#define THREADS 128   // of a block
#define PAD 4   // so that the four writes of a transposed float4 go to other banks

// A block's share of an operand, SIZE of its rows (or columns) by BK: each thread
// fetches four numbers COUNT times, along K or across. Element (i, q), i along SIZE and
// q along K, lies at x[i * i_step + q * q_step]. Beyond `limit` and K there are zeros.
template <int SIZE, int BK, int ALONG_K, int WIDE, int COUNT>
__device__ void fetch(float (&in)[COUNT][4], const float* x, long long i_step,
                      long long q_step, int first, int limit, int k, int K) {
    float4 zero = {};
#pragma unroll
    for (int t = 0; t < COUNT; t++) {
        int e = t * THREADS + threadIdx.x;
        int i = first + (ALONG_K ? e / (BK / 4) : e % (SIZE / 4) * 4);
        int q = k + (ALONG_K ? e % (BK / 4) * 4 : e / (SIZE / 4));
        const float* from = x + i * i_step + q * q_step;
        if constexpr (WIDE) FOUR(in[t]) = i < limit && q < K ? FOUR(*from) : zero;
        else for (int j = 0; j < 4; j++) {
            bool inside = ALONG_K ? i < limit && q + j < K : i + j < limit && q < K;
            in[t][j] = inside ? from[j * (ALONG_K ? q_step : i_step)] : 0;
        }
    }
}

// What was fetched into shared memory, where all operands run along their SIZE.
template <int SIZE, int BK, int ALONG_K, int COUNT>
__device__ void put(float (&tile)[BK][SIZE + PAD], float (&in)[COUNT][4]) {
#pragma unroll
    for (int t = 0; t < COUNT; t++) {
        int e = t * THREADS + threadIdx.x;
        int i = ALONG_K ? e / (BK / 4) : e % (SIZE / 4) * 4;
        int q = ALONG_K ? e % (BK / 4) * 4 : e / (SIZE / 4);
        if (!ALONG_K) FOUR(tile[q][i]) = FOUR(in[t]);
        for (int j = 0; ALONG_K && j < 4; j++) tile[q + j][i] = in[t][j];
    }
}

// Two tiles of each: the next one is on its way while this one is multiplied, and one
// barrier is enough. A warp's lanes make squares of 4 x 4 side by side, without bank
// conflicts. Transposed operands and batches as in matmul_tiled: A_ALONG_K says that
// a's neighbors lie along K (row by row), B_ALONG_K likewise (then b is transposed).
// WIDE = 0 takes any strides and sizes, one number at a time; with WIDE = 1 those
// strides are 1, and the size along them and N multiples of 4. Blocks of THREADS.
// A block makes BM x BN elements of c, BK numbers of K at a time; a thread TM x TN of
// them, in squares of 4 x 4.
template <int A_ALONG_K, int B_ALONG_K, int WIDE, int BM = 128, int BN = 128,
          int BK = 8>
__launch_bounds__(THREADS) __global__ void matmul_pipelined(
        const float* a, Strides as, const float* b, Strides bs, float* c,
        int M, int N, int K, long long batches MORE) {
    constexpr int TN = BN == 128 ? 8 : 4, TM = BM * BN / THREADS / TN;
    constexpr int WARPS_ALONG = BN / (LANES_ALONG * TN);
    __shared__ __align__(16) float a_tile[2][BK][BM + PAD], b_tile[2][BK][BN + PAD];
    __align__(16) float a_next[BM * BK / 4 / THREADS][4];
    __align__(16) float b_next[BN * BK / 4 / THREADS][4];
    __align__(16) float left[TM], right[TN];
    int row = blockIdx.y * BM, col = blockIdx.x * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int down = warp / WARPS_ALONG * LANES_DOWN * TM + lane / LANES_ALONG * 4;
    int along = warp % WARPS_ALONG * LANES_ALONG * TN + lane % LANES_ALONG * 4;
    long long a_row = as.stride[as.dims - 2], a_col = as.stride[as.dims - 1];
    long long b_row = bs.stride[bs.dims - 2], b_col = bs.stride[bs.dims - 1];

    for (long long batch = blockIdx.z; batch < batches; batch += gridDim.z) {
        const float* x = a + matrix_of(batch, as);
        const float* y = b + matrix_of(batch, bs);
        __align__(16) float sum[TM][TN] = {};

        fetch<BM, BK, A_ALONG_K, WIDE>(a_next, x, a_row, a_col, row, M, 0, K);
        fetch<BN, BK, B_ALONG_K, WIDE>(b_next, y, b_col, b_row, col, N, 0, K);
        put<BM, BK, A_ALONG_K>(a_tile[0], a_next);
        put<BN, BK, B_ALONG_K>(b_tile[0], b_next);
        __syncthreads();
        for (int k = 0, now = 0; k < K; k += BK, now = 1 - now) {
            if (k + BK < K) {
                fetch<BM, BK, A_ALONG_K, WIDE>(a_next, x, a_row, a_col, row, M, k + BK, K);
                fetch<BN, BK, B_ALONG_K, WIDE>(b_next, y, b_col, b_row, col, N, k + BK, K);
            }
#pragma unroll
            for (int q = 0; q < BK; q++) {
                for (int i = 0; i < TM; i += 4)
                    FOUR(left[i]) = FOUR(a_tile[now][q][down + i * LANES_DOWN]);
                for (int j = 0; j < TN; j += 4)
                    FOUR(right[j]) = FOUR(b_tile[now][q][along + j * LANES_ALONG]);
                for (int i = 0; i < TM; i++)
                    for (int j = 0; j < TN; j++) sum[i][j] += left[i] * right[j];
            }
            if (k + BK < K) {
                put<BM, BK, A_ALONG_K>(a_tile[1 - now], a_next);
                put<BN, BK, B_ALONG_K>(b_tile[1 - now], b_next);
            }
            __syncthreads();
        }
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j += 4) {
                int r = row + down + i / 4 * 4 * LANES_DOWN + i % 4;
                int s = col + along + j * LANES_ALONG;
                long long at = (batch * M + r) * N + s;
                for (int o = 0; o < 4; o++) {
                    if (r >= M || s + o >= N) continue;
                    sum[i][j + o] = EPILOGUE(at + o, sum[i][j + o]);
                    if (!WIDE) c[at + o] = sum[i][j + o];
                }
                if (WIDE && r < M && s < N) FOUR(c[at]) = FOUR(sum[i][j]);
            }
    }
}
