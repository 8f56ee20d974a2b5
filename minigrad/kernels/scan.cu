// Running sums, products and logarithms of sums of exponentials, along rows.
//
// y[row][i] is x[row][0] ... x[row][i] combined; with REVERSE, x[row][i] ... to the end.
// A block a row: it reads a piece of blockDim.x elements, combines each with those at a
// distance of 1, 2, 4 ... before it, and hands the last one on to the next piece. A is
// computed in: float for half and bfloat16 (with #include <cuda_fp16.h> or <cuda_bf16.h>
// in front), long long for whole numbers.

#define ADD 0  // OP
#define MULTIPLY 1
#define LOG_ADD_EXP 2

template <int OP, typename A>
__device__ A combined(A a, A b) {
    if constexpr (OP == ADD) return a + b;
    else if constexpr (OP == MULTIPLY) return a * b;
    else {
        A most = a > b || a != a ? a : b, least = a > b || a != a ? b : a;
        if (most == least) return most + (A)0.69314718055994531;  // also of infinities
        return most + log1p(exp(least - most));
    }
}

template <int OP, int REVERSE, typename T, typename Y = T, typename A = Y>
__global__ void scan(const T* x, Y* y, long long n) {
    __shared__ A values[256];
    int tid = threadIdx.x;
    A before = 0;
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    for (long long begin = 0; begin < n; begin += blockDim.x) {
        long long i = begin + tid, at = REVERSE ? n - 1 - i : i;
        A value = i < n ? (A)x[at] : (A)0;
        values[tid] = value;
        __syncthreads();
        for (int d = 1; d < blockDim.x; d *= 2) {
            A other = tid >= d ? values[tid - d] : (A)0;
            __syncthreads();
            if (tid >= d && i < n) values[tid] = value = combined<OP>(other, value);
            __syncthreads();
        }
        if (begin) value = combined<OP>(before, value);
        if (i < n) y[at] = (Y)value;
        long long last = min((long long)blockDim.x, n - begin) - 1;
        before = begin ? combined<OP>(before, values[last]) : values[last];
        __syncthreads();
    }
}
