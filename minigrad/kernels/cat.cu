// Tensors concatenated along a dimension: up to four, a, b, c and d, a launch.
//
// All lie row by row. A row is what one index of the dimensions before holds: `row`
// cells of a tensor, and `width` of y, where the tensor's begin at `start`. blockIdx.y
// is the tensor's number, `cells` is how many it has.

template <typename T>
__global__ void cat(T* y, long long width,
                    const T* a, long long a_cells, long long a_row, long long a_start,
                    const T* b, long long b_cells, long long b_row, long long b_start,
                    const T* c, long long c_cells, long long c_row, long long c_start,
                    const T* d, long long d_cells, long long d_row, long long d_start) {
    const T* x = a;
    long long cells = a_cells, row = a_row, start = a_start;
    if (blockIdx.y == 1) { x = b; cells = b_cells; row = b_row; start = b_start; }
    if (blockIdx.y == 2) { x = c; cells = c_cells; row = c_row; start = c_start; }
    if (blockIdx.y == 3) { x = d; cells = d_cells; row = d_row; start = d_start; }
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) y[i / row * width + start + i % row] = x[i];
}
