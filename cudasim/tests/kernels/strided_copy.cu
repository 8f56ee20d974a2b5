#define MAX_DIMS 8
struct Strides { int dims; int shape[MAX_DIMS]; long long stride[MAX_DIMS]; };
template <typename T>
__device__ long long offset_of(T position, const Strides& s) {
    long long offset = 0;
    for (int d = s.dims - 1; d >= 0; --d) {
        offset += position % s.shape[d] * s.stride[d];
        position /= s.shape[d];
    }
    return offset;
}
extern "C" __global__ void contiguous(const float* in, float* out, Strides s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[offset_of(i, s)];
}
