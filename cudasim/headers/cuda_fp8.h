// Numbers of eight bits. Rounded to the nearest, even in the middle; what is too large
// becomes the largest, NaN 0x7f, as from compute capability 8.9 on.
#include <cuda_bf16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

__device__ inline unsigned char __nv_cvt_double_to_fp8(
    double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    int bits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    unsigned most = kind == __NV_E4M3 ? 0x7e : 0x7b;
    if (isnan(x)) return 0x7f;
    double size = fmin(fabs(x), 1e6);
    int exponent = max((__double2hiint(size) >> 20) - 1023, 1 - bias);
    // The distance to the next number is 2 ** (exponent - bits).
    unsigned steps = (unsigned)rint(size * scalbn(1.0, bits - exponent));
    unsigned code = ((exponent + bias - 1) << bits) + steps;
    if (code > most) code = saturate == __NV_SATFINITE ? most : kind == __NV_E4M3 ? 0x7f : 0x7c;
    return (unsigned char)(code | (signbit(x) ? 0x80 : 0));
}
__device__ inline unsigned char __nv_cvt_float_to_fp8(
    float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(x, saturate, kind);
}
__device__ inline unsigned short __nv_cvt_float2_to_fp8x2(
    float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return (unsigned short)(__nv_cvt_float_to_fp8(x.x, saturate, kind)
        | __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
struct __half_raw {
    unsigned short x;
    __device__ operator __half() const { return __ushort_as_half(x); }
};
__device__ inline float __fp8_to_float(unsigned code, __nv_fp8_interpretation_t kind) {
    int bits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    unsigned size = code & 0x7f;
    int exponent = size >> bits, rest = size & ((1 << bits) - 1);
    float value = scalbnf((float)(exponent ? rest + (1 << bits) : rest),
                          max(exponent, 1) - bias - bits);
    if (kind == __NV_E4M3 ? size == 0x7f : size > 0x7c) return __int_as_float(0x7fffffff);
    if (kind == __NV_E5M2 && size == 0x7c) value = __int_as_float(0x7f800000);
    return code & 0x80 ? -value : value;
}

__device__ inline __half_raw __nv_cvt_fp8_to_halfraw(
    unsigned char x, __nv_fp8_interpretation_t kind) {
    return __half_raw{__half_as_ushort(__float2half(__fp8_to_float(x, kind)))};
}

#define __FP8_FROM(NAME, KIND, TYPE, VALUE) \
    explicit __device__ NAME(TYPE x) { __x = __nv_cvt_double_to_fp8(VALUE, __NV_SATFINITE, KIND); }
#define __FP8_INTO(KIND, TYPE, CONVERT) \
    explicit __device__ operator TYPE() const { return CONVERT(__fp8_to_float(__x, KIND)); }
#define __FP8(NAME, KIND) \
struct NAME { \
    unsigned char __x; \
    NAME() = default; \
    __FP8_FROM(NAME, KIND, float, x) __FP8_FROM(NAME, KIND, double, x) \
    __FP8_FROM(NAME, KIND, __half, __half2float(x)) \
    __FP8_FROM(NAME, KIND, __nv_bfloat16, __bfloat162float(x)) \
    __FP8_FROM(NAME, KIND, int, (float)x) __FP8_FROM(NAME, KIND, unsigned, (float)x) \
    __FP8_FROM(NAME, KIND, long, (float)x) __FP8_FROM(NAME, KIND, unsigned long, (float)x) \
    __FP8_FROM(NAME, KIND, long long, (float)x) \
    __FP8_FROM(NAME, KIND, unsigned long long, (float)x) \
    __FP8_FROM(NAME, KIND, short, (float)x) __FP8_FROM(NAME, KIND, unsigned short, (float)x) \
    __FP8_INTO(KIND, float, ) __FP8_INTO(KIND, double, ) __FP8_INTO(KIND, __half, __float2half) \
    __FP8_INTO(KIND, __nv_bfloat16, __float2bfloat16) __FP8_INTO(KIND, int, (int)) \
    explicit __device__ operator bool() const { return (__x & 0x7f) != 0; } \
};
__FP8(__nv_fp8_e4m3, __NV_E4M3)
__FP8(__nv_fp8_e5m2, __NV_E5M2)

#define __FP8_VECTORS(NAME, PAIR, KIND) \
struct PAIR { \
    unsigned short __x; \
    PAIR() = default; \
    explicit __device__ PAIR(float2 x) { __x = __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, KIND); } \
    explicit __device__ PAIR(__half2 x) { \
        __x = __nv_cvt_float2_to_fp8x2(__half22float2(x), __NV_SATFINITE, KIND); \
    } \
    explicit __device__ operator float2() const { \
        return make_float2(__fp8_to_float(__x & 0xff, KIND), __fp8_to_float(__x >> 8, KIND)); \
    } \
    explicit __device__ operator __half2() const { \
        return __floats2half2_rn(__fp8_to_float(__x & 0xff, KIND), __fp8_to_float(__x >> 8, KIND)); \
    } \
}; \
struct NAME { \
    unsigned __x; \
    NAME() = default; \
    explicit __device__ NAME(float4 x) { \
        __x = __nv_cvt_float2_to_fp8x2(make_float2(x.x, x.y), __NV_SATFINITE, KIND) \
            | (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(x.z, x.w), __NV_SATFINITE, KIND) << 16; \
    } \
    explicit __device__ operator float4() const { \
        return make_float4( \
            __fp8_to_float(__x & 0xff, KIND), __fp8_to_float(__x >> 8 & 0xff, KIND), \
            __fp8_to_float(__x >> 16 & 0xff, KIND), __fp8_to_float(__x >> 24, KIND)); \
    } \
};
__FP8_VECTORS(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
__FP8_VECTORS(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
