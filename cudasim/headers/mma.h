// Warp matrix multiply. A fragment holds its tile in rows, one run for each lane; on a
// GPU nobody says which lane holds what, so here it isn't the lane with the run's number:
// a text that counts on it races. Loads and stores wait for the warp's lanes, but don't
// order memory. A product's sums are rounded once.
#include <cuda_bf16.h>

namespace nvcuda { namespace wmma {

struct matrix_a { static constexpr int kind = 0; };
struct matrix_b { static constexpr int kind = 1; };
struct accumulator { static constexpr int kind = 2; };
struct row_major { static constexpr bool columns = false; };
struct col_major { static constexpr bool columns = true; };
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }

template <typename T> struct __wmma_storage { typedef T type; };
template <> struct __wmma_storage<precision::tf32> { typedef float type; };

constexpr __device__ int __wmma_count(int kind, int m, int n, int k) {
    return (kind == 0 ? m * k : kind == 1 ? k * n : m * n) / 32;
}

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment {
    static_assert(m * n == 256 && (k == 16 || (k == 8 && m == 16)),
                  "fragments are 16 x 16 x 16, 32 x 8 x 16, 8 x 32 x 16 or 16 x 16 x 8");
    typedef typename __wmma_storage<T>::type element_type;
    static constexpr int num_elements = __wmma_count(Use::kind, m, n, k);
    element_type x[__wmma_count(Use::kind, m, n, k)];
};

// The lane of a run, and the run of a lane.
constexpr __device__ int __wmma_swap(int lane) { return lane ^ 21; }
__device__ inline int __wmma_run() {
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return __wmma_swap(thread & 31);
}
__device__ inline int __wmma_offset(int at, int width, unsigned stride, bool columns) {
    int row = at / width, column = at % width;
    return columns ? column * stride + row : row * stride + column;
}

template <typename Use, int m, int n, int k, typename T, typename L, typename V>
__device__ void fill_fragment(fragment<Use, m, n, k, T, L>& f, V value) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
template <typename Use, int m, int n, int k, typename T, typename L, typename P>
__device__ void load_matrix_sync(fragment<Use, m, n, k, T, L>& f, const P* p, unsigned stride) {
    __tile_converge();
    int first = __wmma_run() * f.num_elements;
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[__wmma_offset(first + i, Use::kind == 0 ? k : n, stride, L::columns)];
}
template <int m, int n, int k, typename T, typename P>
__device__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const P* p,
                                 unsigned stride, layout_t layout) {
    __tile_converge();
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[__wmma_offset(__wmma_run() * 8 + i, n, stride, layout == mem_col_major)];
}
template <int m, int n, int k, typename T, typename P>
__device__ void store_matrix_sync(P* p, const fragment<accumulator, m, n, k, T>& f,
                                  unsigned stride, layout_t layout) {
    __tile_converge();
    for (int i = 0; i < f.num_elements; i++)
        p[__wmma_offset(__wmma_run() * 8 + i, n, stride, layout == mem_col_major)] = f.x[i];
}

// As the multiplier reads a number: of tf32 it cuts off what does not fit.
__device__ inline double __wmma_read(float x) {
    return __uint_as_float(__float_as_uint(x) & 0xffffe000);
}
__device__ inline double __wmma_read(__half x) { return __half2float(x); }
__device__ inline double __wmma_read(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline double __wmma_read(signed char x) { return x; }
__device__ inline double __wmma_read(unsigned char x) { return x; }
__device__ inline double __wmma_add(float x) { return x; }
__device__ inline double __wmma_add(__half x) { return __half2float(x); }
__device__ inline double __wmma_add(int x) { return x; }
__device__ inline void __wmma_write(float& x, double value) { x = (float)value; }
__device__ inline void __wmma_write(__half& x, double value) { x = __double2half(value); }
__device__ inline void __wmma_write(int& x, double value) { x = (int)value; }
__device__ inline float __float_to_tf32(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

template <int m, int n, int k, typename T, typename LA, typename LB, typename C, typename D>
__device__ void mma_sync(fragment<accumulator, m, n, k, D>& d,
                         const fragment<matrix_a, m, n, k, T, LA>& a,
                         const fragment<matrix_b, m, n, k, T, LB>& b,
                         const fragment<accumulator, m, n, k, C>& c) {
    const int of_a = a.num_elements, of_b = b.num_elements;
    int first = __wmma_run() * 8, row = first / n, column = first % n;
    double sums[8];
    for (int i = 0; i < 8; i++) sums[i] = __wmma_add(c.x[i]);
    for (int j = 0; j < k; j++) {
        double left = __shfl_sync(~0u, __wmma_read(a.x[j % of_a]), __wmma_swap((row * k + j) / of_a));
        for (int i = 0; i < 8; i++) {
            int lane = __wmma_swap((j * n + column + i) / of_b);
            double right = __shfl_sync(~0u, __wmma_read(b.x[i % of_b]), lane);
            if (of_b == 16) {
                double other = __shfl_sync(~0u, __wmma_read(b.x[(i + 8) % of_b]), lane);
                if (column & 8) right = other;
            }
            sums[i] += left * right;
        }
    }
    for (int i = 0; i < 8; i++) __wmma_write(d.x[i], sums[i]);
}

} }
