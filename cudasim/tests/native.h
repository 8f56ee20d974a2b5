// What CUDA C takes for granted, in C++: put before the texts that g++ compiles.
#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <ucontext.h>
#include <utility>

#define SIMT_NATIVE 1
#define __CUDA_ARCH__ 750
#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef unsigned char uchar_; typedef unsigned short ushort_; typedef unsigned uint_;
typedef unsigned long ulong_; typedef long long ll_; typedef unsigned long long ull_;

constexpr int aligned_(int size) { return size < 16 ? size : 16; }
#define VECTORS(T, N) \
    struct N##1 { T x; }; \
    struct alignas(aligned_(2 * sizeof(T))) N##2 { T x, y; }; \
    struct N##3 { T x, y, z; }; \
    struct alignas(aligned_(4 * sizeof(T))) N##4 { T x, y, z, w; }; \
    inline N##1 make_##N##1(T x) { return {x}; } \
    inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
    inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
    inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
VECTORS(signed char, char) VECTORS(uchar_, uchar) VECTORS(short, short)
VECTORS(ushort_, ushort) VECTORS(int, int) VECTORS(uint_, uint) VECTORS(long, long)
VECTORS(ulong_, ulong) VECTORS(ll_, longlong) VECTORS(ull_, ulonglong)
VECTORS(float, float) VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};
static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

// Threads as fibers. A thread that waits gives way to the scheduler, which sets it
// ready again when all whom it waits for have come, and notes who they are.
enum State { READY, AT_WARP, AT_BLOCK, DONE };
const int MOST = 1024, STACK = 1 << 16;
struct Thread {
    uint3 index;
    State state;
    bool begun;
    unsigned mask, came;
    ull_ given, seen[32];
    jmp_buf at;
    ucontext_t first;
};
static Thread threads[MOST];
static int alive, count_true, lives, me;
static jmp_buf scheduler;
alignas(16) static char dynamic_[1 << 18];
struct Task { void (*run)(const Task&); void (*kernel)(); void** arguments; };
static const Task* task;

__attribute__((noinline)) static void wait_(State state) {
    threads[me].state = state;
    if (!_setjmp(threads[me].at)) _longjmp(scheduler, 1);
}
static void begin_() {
    task->run(*task);
    threads[me].state = DONE;
    _longjmp(scheduler, 1);
}
__attribute__((noinline)) static void resume_(int thread) {
    static char* stacks = (char*)malloc((size_t)MOST * STACK);
    Thread& t = threads[me = thread];
    threadIdx = t.index;
    if (_setjmp(scheduler)) return;
    if (t.begun) _longjmp(t.at, 1);
    t.begun = true;
    getcontext(&t.first);
    t.first.uc_stack.ss_sp = stacks + (size_t)thread * STACK;
    t.first.uc_stack.ss_size = STACK;
    t.first.uc_link = nullptr;
    makecontext(&t.first, begin_, 0);
    setcontext(&t.first);
}
static void meet_(Thread* warp, unsigned group) {
    ull_ seen[32] = {};
    for (int i = 0; i < 32; i++) if (group >> i & 1) seen[i] = warp[i].given;
    for (int i = 0; i < 32; i++) {
        if (!(group >> i & 1)) continue;
        memcpy(warp[i].seen, seen, sizeof seen);
        warp[i].came = group;
        warp[i].state = READY;
    }
}
static bool release_warp(Thread* warp, int lanes) {
    bool any = false;
    for (int i = 0; i < lanes; i++) {
        if (warp[i].state != AT_WARP) continue;
        unsigned group = 0;
        bool all = true;
        for (int j = 0; j < lanes; j++) {
            if (!(warp[i].mask >> j & 1) || warp[j].state == DONE) continue;
            all = all && warp[j].state == AT_WARP && warp[j].mask == warp[i].mask;
            group |= 1u << j;
        }
        if (all) meet_(warp, group), any = true;
    }
    return any;
}
static bool release_(int count) {
    bool any = false;
    int waiting = 0, live = 0, yes = 0;
    for (int w = 0; w < count; w += 32)
        any |= release_warp(threads + w, count - w < 32 ? count - w : 32);
    for (int i = 0; i < count; i++) {
        live += threads[i].state != DONE;
        waiting += threads[i].state == AT_BLOCK;
        yes += threads[i].state == AT_BLOCK && threads[i].given;
    }
    if (any || !live || waiting < live) return any;
    count_true = yes, lives = live;
    for (int i = 0; i < count; i++)
        if (threads[i].state == AT_BLOCK) threads[i].state = READY;
    return true;
}
static int run_block(bool fibers) {
    int count = 0;
    for (unsigned z = 0; z < blockDim.z; z++)
        for (unsigned y = 0; y < blockDim.y; y++)
            for (unsigned x = 0; x < blockDim.x; x++) {
                threadIdx = {x, y, z};
                if (!fibers) task->run(*task);
                else threads[count].index = threadIdx, threads[count].begun = false,
                     threads[count++].state = READY;
            }
    do
        for (int i = 0; i < count; i++) if (threads[i].state == READY) resume_(i);
    while (release_(count));
    for (int i = 0; i < count; i++) if (threads[i].state != DONE) return 1;
    return 0;
}
static int launch_(const Task& given, const unsigned* size, size_t shared,
                   bool fibers) {
    task = &given;
    gridDim = dim3(size[0], size[1], size[2]);
    blockDim = dim3(size[3], size[4], size[5]);
    if ((ull_)size[3] * size[4] * size[5] > MOST || shared > sizeof dynamic_) return 2;
    for (unsigned z = 0; z < gridDim.z; z++)
        for (unsigned y = 0; y < gridDim.y; y++)
            for (unsigned x = 0; x < gridDim.x; x++) {
                blockIdx = {x, y, z};
                if (int failed = run_block(fibers)) return failed;
            }
    return 0;
}
template <class... P, size_t... I>
void call_(void (*kernel)(P...), void** a, std::index_sequence<I...>) {
    kernel(*(std::remove_cv_t<P>*)a[I]...);
}
// Number of parameters and their sizes (run nothing), or a launch.
template <class... P>
int enter_(void (*kernel)(P...), const unsigned* size, void** arguments, size_t shared,
           int mode, size_t* sizes) {
    size_t all[] = {sizeof...(P), sizeof(P)...};
    if (mode < 0) { memcpy(sizes, all, sizeof all); return 0; }
    auto run = [](const Task& t) {
        call_((void (*)(P...))t.kernel, t.arguments, std::index_sequence_for<P...>());
    };
    return launch_({run, (void (*)())kernel, arguments}, size, shared, mode);
}

inline int sync_(int yes) { threads[me].given = yes != 0; wait_(AT_BLOCK); return 0; }
inline void __syncthreads() { sync_(0); }
inline int __syncthreads_count(int p) { sync_(p); return count_true; }
inline int __syncthreads_or(int p) { sync_(p); return count_true > 0; }
inline int __syncthreads_and(int p) { sync_(p); return count_true == lives; }
template <class T> const Thread& exchange_(unsigned mask, T value) {
    threads[me].mask = mask, threads[me].given = 0;
    memcpy(&threads[me].given, &value, sizeof value);
    wait_(AT_WARP);
    return threads[me];
}
template <class T> T shuffle_(unsigned mask, T value, int source) {
    const Thread& t = exchange_(mask, value);
    if (t.came >> source & 1) memcpy(&value, &t.seen[source], sizeof value);
    return value;
}
inline int lane_() { return me & 31; }
#define SHUFFLES(T) \
    inline T __shfl_sync(unsigned m, T v, int s, int w = 32) { \
        return shuffle_(m, v, (lane_() & -w) | (s & (w - 1))); } \
    inline T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32) { \
        int s = lane_() - (int)(d & 31); \
        return shuffle_(m, v, s < (lane_() & -w) ? lane_() : s); } \
    inline T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32) { \
        int s = lane_() + (int)(d & 31); \
        return shuffle_(m, v, s > (lane_() | (w - 1)) ? lane_() : s); } \
    inline T __shfl_xor_sync(unsigned m, T v, int d, int w = 32) { \
        int s = lane_() ^ (d & 31); \
        return shuffle_(m, v, s > (lane_() | (w - 1)) ? lane_() : s); } \
    inline unsigned __match_any_sync(unsigned m, T v) { \
        const Thread& t = exchange_(m, v); \
        unsigned same = 0; \
        for (int i = 0; i < 32; i++) \
            if (t.came >> i & 1 && t.seen[i] == t.given) same |= 1u << i; \
        return same; }
SHUFFLES(int) SHUFFLES(unsigned) SHUFFLES(long) SHUFFLES(ulong_) SHUFFLES(ll_)
SHUFFLES(ull_) SHUFFLES(float) SHUFFLES(double)
inline unsigned __ballot_sync(unsigned mask, int p) {
    const Thread& t = exchange_(mask, (ull_)(p != 0));
    unsigned bits = 0;
    for (int i = 0; i < 32; i++) bits |= (unsigned)t.seen[i] << i;
    return bits;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return !__ballot_sync(mask, !p); }
inline void __syncwarp(unsigned mask = ~0u) { exchange_(mask, 0); }
inline unsigned __activemask() { return exchange_(~0u, 0).came; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline long long clock64() { static long long ticks; return ticks += 100; }
inline long clock() { return clock64(); }

#define UPDATE(NAME, T, NEW) \
    inline T NAME(T* p, T v) { T old = *p; *p = (T)(NEW); return old; }
#define FOR4(NAME, NEW) UPDATE(NAME, int, NEW) UPDATE(NAME, unsigned, NEW) \
    UPDATE(NAME, ll_, NEW) UPDATE(NAME, ull_, NEW)
UPDATE(atomicAdd, int, old + v) UPDATE(atomicAdd, unsigned, old + v)
UPDATE(atomicAdd, ull_, old + v) UPDATE(atomicAdd, float, old + v)
UPDATE(atomicAdd, double, old + v)
UPDATE(atomicSub, int, old - v) UPDATE(atomicSub, unsigned, old - v)
UPDATE(atomicExch, int, v) UPDATE(atomicExch, unsigned, v) UPDATE(atomicExch, ull_, v)
UPDATE(atomicExch, float, v)
FOR4(atomicMin, v < old ? v : old) FOR4(atomicMax, v > old ? v : old)
FOR4(atomicAnd, old & v) FOR4(atomicOr, old | v) FOR4(atomicXor, old ^ v)
UPDATE(atomicInc, unsigned, old >= v ? 0 : old + 1)
UPDATE(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#define SWAP(T) inline T atomicCAS(T* p, T expected, T v) { \
    T old = *p; if (old == expected) *p = v; return old; }
SWAP(int) SWAP(unsigned) SWAP(ull_) SWAP(ushort_)
template <class T> T __ldg(const T* p) { return *p; }

template <class To, class From> To bits_(From from) {
    To to; memcpy(&to, &from, sizeof to); return to;
}
inline int __float_as_int(float x) { return bits_<int>(x); }
inline unsigned __float_as_uint(float x) { return bits_<unsigned>(x); }
inline float __int_as_float(int x) { return bits_<float>(x); }
inline float __uint_as_float(unsigned x) { return bits_<float>(x); }
inline long long __double_as_longlong(double x) { return bits_<ll_>(x); }
inline double __longlong_as_double(long long x) { return bits_<double>(x); }
inline int __double2hiint(double x) { return bits_<ll_>(x) >> 32; }
inline int __double2loint(double x) { return bits_<ll_>(x); }
inline double __hiloint2double(int h, int l) {
    return bits_<double>((ull_)(uint_)h << 32 | (uint_)l);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(ull_ x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(ll_ x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(ll_ x) { return __builtin_ffsll(x); }
inline ull_ __brevll(ull_ x) {
    ull_ r = 0;
    for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
    return r;
}
inline unsigned __brev(unsigned x) { return __brevll(x) >> 32; }
inline int __mulhi(int a, int b) { return (ll_)a * b >> 32; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (ull_)a * b >> 32; }
inline ll_ __mul64hi(ll_ a, ll_ b) { return (__int128)a * b >> 64; }
inline ull_ __umul64hi(ull_ a, ull_ b) { return (unsigned __int128)a * b >> 64; }
template <class T> T low24(T x) { return x << 8 >> 8; }
inline int __mul24(int a, int b) { return low24(a) * low24(b); }
inline unsigned __umul24(unsigned a, unsigned b) { return low24(a) * low24(b); }
inline int __hadd(int a, int b) { return ((ll_)a + b) >> 1; }
inline int __rhadd(int a, int b) { return ((ll_)a + b + 1) >> 1; }
inline unsigned __uhadd(unsigned a, unsigned b) { return ((ull_)a + b) >> 1; }
inline unsigned __urhadd(unsigned a, unsigned b) { return ((ull_)a + b + 1) >> 1; }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a > b ? a - b : b - a) + c;
}
inline unsigned __sad(int a, int b, unsigned c) {
    return (unsigned)(a > b ? (ll_)a - b : (ll_)b - a) + c;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return ((ull_)hi << 32 | lo) << (n & 31) >> 32;
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return ((ull_)hi << 32 | lo) >> (n & 31);
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    ull_ both = (ull_)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (both >> (s >> 4 * i & 7) * 8 & 255) << i * 8;
    return r;
}
template <class S, class T> T dp4a_(T a, T b, T c) {
    for (int i = 0; i < 4; i++) c += (T)(S)(a >> 8 * i) * (T)(S)(b >> 8 * i);
    return c;
}
inline int __dp4a(int a, int b, int c) { return dp4a_<signed char>(a, b, c); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return dp4a_<unsigned char>(a, b, c);
}

// PTX's cvt: saturates; NaN is 0 from float to 32 bits, else the top bit alone.
template <class T, class F> T to_(F x) {
    if constexpr (std::is_floating_point_v<F>) {
        const bool is_signed = std::is_signed_v<T>;
        const T top = (T)(1ull << (8 * sizeof(T) - 1)), most = is_signed ? ~top : -1;
        const F limit = (F)(ull_)(most / 2 + 1) * 2;
        if (x != x) return sizeof(F) == 4 && sizeof(T) == 4 ? 0 : top;
        if (x >= limit) return most;
        if (x < (is_signed ? -limit : 0)) return is_signed ? top : 0;
    }
    return (T)x;
}
#define TO(T, ...) to_<T>(__VA_ARGS__)
template <class T> T shl_(T a, unsigned n) { return n < 8 * sizeof a ? a << n : 0; }
template <class T> T shr_(T a, unsigned n) {
    return n < 8 * sizeof a ? a >> n : a < 0 ? (T)-1 : 0;
}
#define SHL(a, b) shl_(+(a), b)
#define SHR(a, b) shr_(+(a), b)
#define ROUNDINGS(NAME, T, F) \
    inline T NAME##_rn(F x) { return to_<T>(rint(x)); } \
    inline T NAME##_rz(F x) { return to_<T>(trunc(x)); } \
    inline T NAME##_ru(F x) { return to_<T>(ceil(x)); } \
    inline T NAME##_rd(F x) { return to_<T>(floor(x)); }
ROUNDINGS(__float2int, int, float) ROUNDINGS(__float2uint, unsigned, float)
ROUNDINGS(__float2ll, ll_, float) ROUNDINGS(__float2ull, ull_, float)
ROUNDINGS(__double2int, int, double) ROUNDINGS(__double2uint, unsigned, double)
ROUNDINGS(__double2ll, ll_, double)
inline float __int2float_rn(int x) { return x; }
inline float __uint2float_rn(unsigned x) { return x; }
inline float __ll2float_rn(ll_ x) { return x; }
inline float __ull2float_rn(ull_ x) { return x; }
inline double __int2double_rn(int x) { return x; }
inline double __ll2double_rn(ll_ x) { return x; }
inline float __double2float_rn(double x) { return x; }

// The lesser of -0 and +0 is -0, and a number goes before NaN.
template <class T> T fmin_(T a, T b) {
    return b != b || a < b || (a == b && signbit(a)) ? a : b;
}
template <class T> T fmax_(T a, T b) {
    return b != b || a > b || (a == b && !signbit(a)) ? a : b;
}
#define FLOATS(T) \
    inline T simt_fmin(T a, T b) { return fmin_(a, b); } \
    inline T simt_fmax(T a, T b) { return fmax_(a, b); } \
    inline T min(T a, T b) { return fmin_(a, b); } \
    inline T max(T a, T b) { return fmax_(a, b); }
FLOATS(float) FLOATS(double)
#define PAIR(R, A, B) \
    inline R min(A a, B b) { R c = a, d = b; return c < d ? c : d; } \
    inline R max(A a, B b) { R c = a, d = b; return c > d ? c : d; }
PAIR(int, int, int) PAIR(uint_, uint_, uint_) PAIR(uint_, int, uint_)
PAIR(uint_, uint_, int) PAIR(long, long, long) PAIR(ulong_, ulong_, ulong_)
PAIR(ulong_, long, ulong_) PAIR(ulong_, ulong_, long) PAIR(ll_, ll_, ll_)
PAIR(ull_, ull_, ull_) PAIR(ull_, ll_, ull_) PAIR(ull_, ull_, ll_)
inline double min(float a, double b) { return fmin_((double)a, b); }
inline double min(double a, float b) { return fmin_(a, (double)b); }
inline double max(float a, double b) { return fmax_((double)a, b); }
inline double max(double a, float b) { return fmax_(a, (double)b); }
inline float simt_fminf(float a, float b) { return fmin_(a, b); }
inline float simt_fmaxf(float a, float b) { return fmax_(a, b); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
#define fmin simt_fmin
#define fmax simt_fmax
#define fminf simt_fminf
#define fmaxf simt_fmaxf
#define __fmaf_rn fmaf
#define __fsqrt_rn sqrtf
#define __expf expf
#define __logf logf
#define __powf powf
#define __sinf sinf
#define __cosf cosf
#define __fdividef fdividef
