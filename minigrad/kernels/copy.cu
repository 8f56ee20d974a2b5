// Copying: out of any layout, into any layout, and turning rows into columns.
//
// T is the element; a copy only moves bits, so any type of the same size will do, and
// four floats side by side are one float4 (with strides a quarter as long): 16 bytes
// for one division. x and y do not overlap.

#include "strides.cuh"

// y[i] = element i of the view: a gather. One thread an element, blocks of one
// dimension. Writes lie side by side; reads only if the last dimension does, and each
// costs a division for every dimension but the first.
template <typename T>
__global__ void contiguous(const T* x, Strides view, T* y, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[offset_of(i, view)];
}

// Element i of the view = x[i]: a scatter, the same sum for the other side.
// The view must not have two elements in one place: no dimension of stride 0.
template <typename T>
__global__ void scatter(const T* x, T* y, Strides view, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[offset_of(i, view)] = x[i];
}

// y[i] = the element of x whose index in each dimension is start + step * that of
// element i, counted around: roll has step 1, flip -1 and the last index as its start.
// `moves` has the starts as its shape and the steps as its strides.
template <typename T>
__global__ void rolled(const T* x, Strides view, Strides moves, T* y, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long offset = 0;
    INDEX left = i;
    for (int d = view.dims - 1; d >= 0; d--) {
        INDEX size = (INDEX)view.shape[d];
        long long from = moves.shape[d] + left % size * moves.stride[d];
        offset += (from < size ? from : from - size) * view.stride[d];
        left /= size;
    }
    y[i] = x[offset];
}

// ---------------------------------------------------------------- transpose
//
// y[col, row] = x[row, col]: x is rows x cols, y is cols x rows, each row by row. The
// grid covers x: blockIdx.x along columns, blockIdx.y along rows; blockIdx.z counts
// matrices that lie one after the other. A grid's y ends at 65535.

#define TILE 32  // blocks of (32, 4), eight elements a thread: tiles of 32 x 32

// One thread an element. Blocks of (32, 8): 32 columns, 8 rows.
// A warp reads 32 elements side by side, and writes 32 that lie a whole row apart:
// each of them costs a transaction of its own.
template <typename T>
__global__ void transpose_naive(const T* x, T* y, int rows, int cols) {
    long long matrix = (long long)rows * cols * blockIdx.z;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;

    y[matrix + (long long)col * rows + row] = x[matrix + (long long)row * cols + col];
}

// By way of shared memory: a tile is read in rows, and written in rows of y.
// Both sides of global memory are coalesced. But the 32 elements of a tile's column
// lie in one bank, so a warp that reads them waits 32 times.
template <typename T>
__global__ void transpose_tiled(const T* x, T* y, int rows, int cols) {
    __shared__ T tile[TILE][TILE];
    long long matrix = (long long)rows * cols * blockIdx.z;
    int tx = threadIdx.x, row = blockIdx.y * TILE, col = blockIdx.x * TILE;

    for (int ty = threadIdx.y; ty < TILE; ty += blockDim.y)
        if (row + ty < rows && col + tx < cols)
            tile[ty][tx] = x[matrix + (long long)(row + ty) * cols + col + tx];
    __syncthreads();
    for (int ty = threadIdx.y; ty < TILE; ty += blockDim.y)
        if (col + ty < cols && row + tx < rows)
            y[matrix + (long long)(col + ty) * rows + row + tx] = tile[tx][ty];
}

// One column more than needed: the elements of a column now lie in 32 banks.
// Costs 32 elements of shared memory a block, and nothing else.
template <typename T>
__global__ void transpose_padded(const T* x, T* y, int rows, int cols) {
    __shared__ T tile[TILE][TILE + 1];
    long long matrix = (long long)rows * cols * blockIdx.z;
    int tx = threadIdx.x, row = blockIdx.y * TILE, col = blockIdx.x * TILE;

    for (int ty = threadIdx.y; ty < TILE; ty += blockDim.y)
        if (row + ty < rows && col + tx < cols)
            tile[ty][tx] = x[matrix + (long long)(row + ty) * cols + col + tx];
    __syncthreads();
    for (int ty = threadIdx.y; ty < TILE; ty += blockDim.y)
        if (col + ty < cols && row + tx < rows)
            y[matrix + (long long)(col + ty) * rows + row + tx] = tile[tx][ty];
}

// A thread turns a patch of N x N elements in its registers, N of them 16 bytes: no
// shared memory, no barrier, and every access is 16 bytes. Blocks of (8, 32): patches.
// Only for rows and cols that N divides, and x and y at a multiple of 16 bytes.
template <typename T>
__global__ void transpose_vectors(const T* x, T* y, int rows, int cols) {
    const int N = 16 / sizeof(T);
    long long matrix = (long long)rows * cols * blockIdx.z;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * N;
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (row >= rows || col >= cols) return;

    __align__(16) T in[N][N], out[N][N];
    for (int i = 0; i < N; i++)
        *(float4*)in[i] =
            *(const float4*)(x + matrix + (long long)(row + i) * cols + col);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[j][i] = in[i][j];
    for (int j = 0; j < N; j++)
        *(float4*)(y + matrix + (long long)(col + j) * rows + row) = *(float4*)out[j];
}
