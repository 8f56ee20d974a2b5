typedef unsigned long long u64;
using u32 = unsigned int;
__host__ __device__ inline u32 pcg(u64& state) {
    u64 old = state;
    state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    u32 shifted = (u32)(((old >> 18u) ^ old) >> 27u), rot = (u32)(old >> 59u);
    return (shifted >> rot) | (shifted << ((-rot) & 31));
}
extern "C" __global__ void uniform(float* out, u64 seed, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 state = seed + i * 0x9E3779B97F4A7C15ull;
    pcg(state);
    out[i] = (pcg(state) >> 8) * (1.0f / 16777216.0f);
}
