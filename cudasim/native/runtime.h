// What the C of a kernel stands on: its threads, their pointers, and where they meet.
//
// Whatever the simulator would report (an index out of bounds, a barrier that some do
// not reach, an endless loop) is a `fault`: the run ends, and is made anew with NumPy.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if FLT_EVAL_METHOD != 0
#error "floats are computed with other digits"
#endif

typedef int8_t i8; typedef int16_t i16; typedef int32_t i32; typedef int64_t i64;
typedef uint8_t u8, b8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef float f32; typedef double f64;
#define FN static inline __attribute__((unused))
#define RARE static __attribute__((noinline, cold, unused))

// A pointer: byte `at` of an array of `size` bytes. It lies at a multiple of what its
// type wants.
typedef struct { char* base; i64 at, size; } P;

typedef struct {  // what the caller gives
    u32 grid[3], block[3];
    i64 shared, dynamic, steps, stack;
    f64 deadline;  // of the thread's clock
    char** globals;
    void** args;
    void* (*save)(void);  // Python's: leave its lock, take it, let its signals come in
    void (*restore)(void*);
    int (*signals)(void);
} Launch;

enum { READY, WARP, BLOCK, DONE };
typedef struct Thread {
    void* sp;
    u32 x, y, z, lane, exists, place;  // exists: the lanes of its warp
    int state;
    i64 rounds, work;
    u64 key, slot, *seen;  // where it waits, what it brings, what its warp brought
} Thread;
typedef struct {
    void* sp;  // of the scheduler, while a thread runs
    const Launch* launch;
    u32 x, y, z;
    Thread *threads, *now;
    char *shared, *stacks;
    int failed, asks, count, met;
    i64 total;
    void* python;
    jmp_buf out;
} Run;

#ifdef MEETS
#ifndef __x86_64__
#error "no way to switch between threads"
#endif
// Leave this stack, whose place is kept in `from`, for another one. Inline: a return
// would be predicted to go where this stack came from.
FN __attribute__((always_inline)) void swap(void** from, void* to) {
    __asm__ volatile(
        "pushq %%rbp\n\tpushq %%rbx\n\tleaq 1f(%%rip), %%rax\n\tpushq %%rax\n\t"
        "movq %%rsp, (%0)\n\tmovq %1, %%rsp\n\tpopq %%rax\n\tjmpq *%%rax\n"
        "1:\tpopq %%rbx\n\tpopq %%rbp"
        : "+D"(from), "+S"(to) :
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
          "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#endif

RARE __attribute__((noreturn)) void fault(Run* R) {
    R->failed = 1;
#ifdef MEETS
    void* ignored;
    swap(&ignored, R->sp);
#endif
    longjmp(R->out, 1);
}

// Rounds of loops are counted, and now and then looked at.
enum { OFTEN = 1 << 16, SELDOM = 1 << 22 };
RARE int ends(Run* R) {
    const Launch* launch = R->launch;
    launch->restore(R->python);
    int raised = launch->signals();
    R->python = launch->save();
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return raised || now.tv_sec + 1e-9 * now.tv_nsec > launch->deadline;
}
RARE i64 rest(Run* R, Thread* t, i64 rounds) {
    t->rounds += rounds;
    R->total += rounds;
    if (t->rounds > R->launch->steps) fault(R);
    if (R->total > SELDOM) {
        R->total = 0;
#ifdef MEETS
        R->asks = 1;  // on a stack that is large enough
        swap(&t->sp, R->sp);
#else
        if (ends(R)) fault(R);
#endif
    }
    return 0;
}
#define ROUND(n) (++n <= OFTEN || (n = rest(R, t, n), 1))
#define ENTER if (t->work > OFTEN) t->work = rest(R, t, t->work)

// Memory
FN char* at(Run* R, P p, i64 by, i64 size) {
    i64 here = p.at + by;
    if ((u64)(here + size - 1) >= (u64)p.size) fault(R);
    return p.base + here;
}
FN char* at_struct(Run* R, P p, i64 by, i64 size) {
    if (p.at + by < 0) fault(R);
    return at(R, p, by, size);
}
FN P add(P p, i64 by) { return (P){p.base, p.at + by, p.size}; }
FN P aligned(Run* R, P p, i64 size) {
    if (p.at & (size - 1)) fault(R);
    return p;
}
FN char* raw(P p) { return p.base + p.at; }
FN i64 distance(Run* R, P a, P b, i64 size) {
    if (a.base != b.base) fault(R);
    return (a.at - b.at) / size;
}
FN i64 near(Run* R, i64 index, i64 most) {
    if ((u64)(index + most) > 2 * (u64)most) fault(R);
    return index;
}
FN i64 inside(Run* R, i64 index, i64 count) {
    if ((u64)index >= (u64)count) fault(R);
    return index;
}

// Arithmetic that C leaves open
#define INTEGER(T, U, W) \
    FN T div_##T(Run* R, T a, T b) { \
        if (b == 0) fault(R); \
        return (T)-1 < 0 && b == (T)-1 ? (T)(0 - (U)a) : (T)(a / b); \
    } \
    FN T mod_##T(Run* R, T a, T b) { \
        if (b == 0) fault(R); \
        return (T)-1 < 0 && b == (T)-1 ? 0 : (T)(a % b); \
    } \
    FN T shl_##T(T a, u32 n) { return n < W ? (T)((U)a << n) : 0; } \
    FN T shr_##T(T a, u32 n) { return n < W ? a >> n : a < 0 ? (T)-1 : 0; }
INTEGER(i32, u32, 32) INTEGER(u32, u32, 32) INTEGER(i64, u64, 64) INTEGER(u64, u64, 64)
#define FROM_FLOAT(F, T, LOW, HIGH, NAN_) \
    FN T F##_to_##T(F x) { \
        return x != x ? NAN_ : x < (F)LOW ? LOW : x >= (F)HIGH ? (T)~(T)LOW : (T)x; \
    }
FROM_FLOAT(f32, i32, INT32_MIN, 0x1p31, 0) FROM_FLOAT(f64, i32, INT32_MIN, 0x1p31, INT32_MIN)
FROM_FLOAT(f32, i64, INT64_MIN, 0x1p63, INT64_MIN)
FROM_FLOAT(f64, i64, INT64_MIN, 0x1p63, INT64_MIN)
FROM_FLOAT(f32, u32, 0, 0x1p32, 0) FROM_FLOAT(f64, u32, 0, 0x1p32, 0x80000000u)
FROM_FLOAT(f32, u64, 0, 0x1p64, 0x8000000000000000ull)
FROM_FLOAT(f64, u64, 0, 0x1p64, 0x8000000000000000ull)
#define EXTREME(F, ABS) \
    FN F max_##F(F a, F b) { \
        return a == 0 && b == 0 ? a + b : a != a ? b : b != b ? a : a > b ? a : b; \
    } \
    FN F min_##F(F a, F b) { return -max_##F(-a, -b); }
EXTREME(f32, fabsf) EXTREME(f64, fabs)
#define LEAST(T) \
    FN T max_##T(T a, T b) { return a > b ? a : b; } \
    FN T min_##T(T a, T b) { return a < b ? a : b; }
LEAST(i32) LEAST(u32) LEAST(i64) LEAST(u64)

// sin, cos, tan and erf of float32, as numerics has them
FN f64 sine_near_zero(f64 r) { return r * SINE(r * r); }
FN f64 flip(f64 x, f64 t) {
    u64 a, b;
    memcpy(&a, &x, 8);
    memcpy(&b, &t, 8);
    a ^= b << 63;
    memcpy(&x, &a, 8);
    return x;
}
#define PI_HIGH 3.141592651605606
#define PI_LOW 1.984187159361081e-09
#define PER_PI 0x1.45f306dc9c883p-2
#define ROUNDER 6755399441055744.0
FN f64 sine(f64 x) {
    if (!(fabs(x) < 4194304.0)) return sin(x);
    f64 t = x * PER_PI + ROUNDER, k = t - ROUNDER;
    return flip(sine_near_zero((x - k * PI_HIGH) - k * PI_LOW), t);
}
FN f64 cosine(f64 x) {
    if (!(fabs(x) < 4194304.0)) return cos(x);
    f64 t = (fabs(x) * PER_PI - 0.5) + ROUNDER, k = (t - ROUNDER) + 0.5;
    return flip(sine_near_zero((k * PI_HIGH - fabs(x)) + k * PI_LOW), t);
}
FN f64 power(f64 x, f64 y) {
    return x > 0 && x < INFINITY && fabs(y) < INFINITY ? exp(y * log(x)) : pow(x, y);
}
FN f64 error_function(f64 x) {
    x = x > 4 ? 4 : x < -4 ? -4 : x;
    return x * ERF(x * x / 8.0 - 1.0);
}

// Meeting
FN u64 mix(u64 a, u64 b) {
    a = (a ^ b) * 0x9E3779B97F4A7C15ull;
    return a ^ a >> 29;
}
#ifdef MEETS
FN __attribute__((always_inline)) void meet(Run* R, Thread* t, int state, u64 key) {
    t->state = state;
    t->key = key;
    swap(&t->sp, R->sp);
}
// The barriers of a block: all threads that are left come to the same one.
FN int barrier(Run* R, Thread* t, u64 key, int true_) {
    t->slot = true_;
    meet(R, t, BLOCK, key);
    return R->count;
}
// What a warp does: all its lanes do it together.
FN void together(Run* R, Thread* t, u64 key, u32 named) {
    if (!(named >> t->lane & 1)) fault(R);
    meet(R, t, WARP, key);
}
FN u64 from_lane(Run* R, Thread* t, int how, i64 by, i64 width) {
    i64 lane = t->lane, first = lane & ~(width - 1), from;
    if (how == 0) from = first + (by & (width - 1));
    else if (how == 1) from = lane - by < first ? lane : lane - by;
    else {
        from = how == 2 ? lane + by : lane ^ by;
        if (from >= first + width) from = lane;
    }
    if (!(t->exists >> (from & 31) & 1)) fault(R);
    return t->seen[from & 31];
}
#define SHUFFLE(T, how, key, named, value, by, width) ({ \
    u32 named_ = named; T value_ = value; i64 by_ = by, width_ = width; u64 bits_ = 0; \
    memcpy(&bits_, &value_, sizeof(T)); \
    t->slot = bits_; \
    together(R, t, key, named_); \
    bits_ = from_lane(R, t, how, by_, width_); \
    memcpy(&value_, &bits_, sizeof(T)); \
    value_; })
FN u32 ballot(Run* R, Thread* t, u64 key, u32 named, b8 yes) {
    t->slot = yes;
    together(R, t, key, named);
    u32 bits = 0;
    for (int i = 0; i < 32; i++) bits |= (u32)t->seen[i] << i;
    return bits & named;
}
// By halves, as with shuffles; `op` of numbers a and b.
#define REDUCE(T, key, named, value, width, op) ({ \
    u32 named_ = named; T value_ = value, all_[32]; u64 bits_ = 0; i64 by_ = width; \
    memcpy(&bits_, &value_, sizeof(T)); \
    t->slot = bits_; \
    if (~t->exists || (by_ == 32 && ~named_)) fault(R); \
    together(R, t, key, named_); \
    for (int i = 0; i < 32; i++) memcpy(&all_[i], &t->seen[i], sizeof(T)); \
    while (by_ /= 2) { \
        T next_[32]; \
        for (int i = 0; i < 32; i++) { T a = all_[i], b = all_[i ^ by_]; next_[i] = op; } \
        memcpy(all_, next_, sizeof all_); \
    } \
    all_[t->lane]; })
#endif

static void kernel(Run* R, Thread* t);

#ifdef MEETS
static void begin(void** from) {
    Run* R = (Run*)from;  // its first member
    Thread* t = R->now;
    kernel(R, t);
    t->state = DONE;
    swap(&t->sp, R->sp);
}
FN void resume(Run* R, Thread* t) {
    R->now = t;
    do {
        R->asks = 0;
        swap(&R->sp, t->sp);
        if (R->asks && ends(R)) R->failed = 1;
    } while (R->asks && !R->failed);
}
// Run a warp until all its threads wait for the block or are done.
static int run_warp(Run* R, Thread* warp, int lanes) {
    for (;;) {
        int waiting = 0;
        for (int i = 0; i < lanes; i++)
            if (warp[i].state == READY) {
                resume(R, &warp[i]);
                if (R->failed) return 0;
            }
        for (int i = 0; i < lanes; i++)
            waiting += warp[i].state == WARP && warp[i].key == warp[0].key;
        if (!waiting) {
            for (int i = 0; i < lanes; i++) if (warp[i].state == WARP) return 0;
            return 1;
        }
        if (waiting < lanes) return 0;
        for (int i = 0; i < lanes; i++) {
            warp[0].seen[i] = warp[i].slot;
            warp[i].state = READY;
        }
    }
}
static int run_block(Run* R, int threads) {
    for (;;) {
        int waiting = 0, count = 0;
        u32 gone = 0, place = 0;
        u64 key = 0;
        for (int i = 0; i < threads; i += 32)
            if (!run_warp(R, R->threads + i, threads - i < 32 ? threads - i : 32)) return 0;
        for (int i = 0; i < threads; i++) {
            Thread* t = R->threads + i;
            if (t->state == DONE && t->place > gone) gone = t->place;
            if (t->state != BLOCK) continue;
            if (waiting && t->key != key) return 0;
            key = t->key;
            place = t->place;
            waiting++;
            count += t->slot != 0;
        }
        if (!waiting) return 1;
        if (gone > place) return 0;
        R->count = count;
        R->met = waiting;
        for (int i = 0; i < threads; i++)
            if (R->threads[i].state == BLOCK) R->threads[i].state = READY;
    }
}
#else
static int run_block(Run* R, int threads) {
    if (setjmp(R->out)) return 0;
    for (int i = 0; i < threads; i++) kernel(R, R->threads + i);
    return 1;
}
#endif
static void prepare(Run* R, int threads, u64* seen) {
    const u32* size = R->launch->block;
    memset(R->shared, 0xFF, R->launch->shared);
    memset(R->threads, 0, threads * sizeof(Thread));
    for (int i = 0; i < threads; i++) {
        Thread* t = R->threads + i;
        t->x = i % size[0], t->y = i / size[0] % size[1], t->z = i / (size[0] * size[1]);
        t->lane = i % 32;
        t->exists = threads - i / 32 * 32 < 32 ? (1u << threads % 32) - 1 : ~0u;
        t->seen = seen + i / 32 * 32;
#ifdef MEETS
        void** top = (void**)(R->stacks + (i + 1) * R->launch->stack) - 2;
        top[0] = (void*)begin;
        t->sp = top;
#endif
    }
}
// 0: every block has run; 1: one has not.
int enter(const Launch* launch) {
    const u32 *grid = launch->grid, *size = launch->block;
    int threads = size[0] * size[1] * size[2];
    Run* R = calloc(1, sizeof(Run));
    u64* seen = calloc(threads + 32, sizeof(u64));
    if (!R || !seen) return 1;
    R->launch = launch;
    R->threads = calloc(threads, sizeof(Thread));
    if (posix_memalign((void**)&R->shared, 256, launch->shared + 256)) R->shared = 0;
    R->stacks = malloc(threads * launch->stack + 64);
    R->python = launch->save();
    int good = R->threads && R->shared && R->stacks;
    for (R->z = 0; R->z < grid[2] && good; R->z++)
        for (R->y = 0; R->y < grid[1] && good; R->y++)
            for (R->x = 0; R->x < grid[0] && good; R->x++) {
                prepare(R, threads, seen);
                good = run_block(R, threads);
            }
    launch->restore(R->python);
    free(R->stacks), free(R->shared), free(R->threads), free(seen), free(R);
    return !good;
}
