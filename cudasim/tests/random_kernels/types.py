"""The types of the language, its functions, and the library that texts may use."""

import dataclasses

import numpy as np

THREAD, WARP, BLOCK = 0, 1, 2  # the threads for which a value, or the flow, is the same
INPUT = 64  # elements of an input array
PRIMARY, UNARY = 12, 11
LEVELS = {
    "*": 10, "+": 9, "-": 9, "<": 7, "<=": 7, ">": 7, ">=": 7, "==": 6, "!=": 6, "&": 5,
    "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Type:
    name: str
    dtype: type
    rank: int

    @property
    def bits(self):
        return np.dtype(self.dtype).itemsize * 8

    @property
    def signed(self):
        return np.dtype(self.dtype).kind == "i"

    @property
    def integer(self):
        return np.dtype(self.dtype).kind in "iub"


BOOL, INT = Type("bool", np.bool_, 0), Type("int", np.int32, 3)
UINT = Type("unsigned", np.uint32, 3)
FLOAT, DOUBLE = Type("float", np.float32, 6), Type("double", np.float64, 7)
LONG = Type("long", np.int64, 4)
ULL = Type("unsigned long long", np.uint64, 5)
LL = Type("long long", np.int64, 5)
TYPES = [
    INT, FLOAT, UINT, DOUBLE, BOOL, Type("char", np.int8, 1), LL, ULL, LONG,
    Type("signed char", np.int8, 1), Type("unsigned char", np.uint8, 1),
    Type("short", np.int16, 2), Type("unsigned short", np.uint16, 2),
    Type("unsigned long", np.uint64, 4), INT, FLOAT, FLOAT, UINT,
]  # fmt: skip
WHOLE = [t for t in TYPES if t.integer and t is not BOOL]
SHUFFLED = [INT, UINT, FLOAT, DOUBLE, LL, ULL, LONG]
# What fits each size, from its negative or from 0.
RANGES = {8: "1e2", 16: "3e4", 32: "1e9", 64: "1e18"}
POSITIVE = {8: "2e2", 16: "6e4", 32: "4e9", 64: "1e19"}
# How large a float may be that changes an integer in place.
BY_FLOAT = Type("by float", np.uint8, 1)
FLOAT1 = ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "round"]
FLOAT2 = ["fmin", "fmax", "fmod"]
# name -> (result, parameters), after CUDA's own
HELPERS = {
    "__popc": (INT, [UINT]), "__clz": (INT, [INT]), "__ffs": (INT, [INT]),
    "__brev": (UINT, [UINT]), "__popcll": (INT, [ULL]), "__clzll": (INT, [LL]),
    "__ffsll": (INT, [LL]), "__brevll": (ULL, [ULL]), "__mulhi": (INT, [INT, INT]),
    "__umulhi": (UINT, [UINT, UINT]), "__mul64hi": (LL, [LL, LL]),
    "__umul64hi": (ULL, [ULL, ULL]), "__mul24": (INT, [INT, INT]),
    "__umul24": (UINT, [UINT, UINT]), "__hadd": (INT, [INT, INT]),
    "__rhadd": (INT, [INT, INT]), "__uhadd": (UINT, [UINT, UINT]),
    "__urhadd": (UINT, [UINT, UINT]), "__sad": (UINT, [INT, INT, UINT]),
    "__usad": (UINT, [UINT, UINT, UINT]), "__dp4a": (INT, [INT, INT, INT]),
    "__byte_perm": (UINT, [UINT, UINT, UINT]),
    "__funnelshift_l": (UINT, [UINT, UINT, UINT]),
    "__funnelshift_r": (UINT, [UINT, UINT, UINT]),
    "__float2int_rn": (INT, [FLOAT]), "__float2int_rd": (INT, [FLOAT]),
    "__float2uint_rz": (UINT, [FLOAT]), "__float2uint_ru": (UINT, [FLOAT]),
    "__float2ll_rz": (LL, [FLOAT]), "__float2ull_rn": (ULL, [FLOAT]),
    "__double2int_rz": (INT, [DOUBLE]), "__double2int_rn": (INT, [DOUBLE]),
    "__double2uint_rz": (UINT, [DOUBLE]), "__double2ll_rz": (LL, [DOUBLE]),
    "__int2float_rn": (FLOAT, [INT]), "__ull2float_rn": (FLOAT, [ULL]),
    "__fadd_rn": (FLOAT, [FLOAT, FLOAT]), "__fmul_rn": (FLOAT, [FLOAT, FLOAT]),
    "__fmaf_rn": (FLOAT, [FLOAT, FLOAT, FLOAT]), "__saturatef": (FLOAT, [FLOAT]),
    "__int_as_float": (FLOAT, [INT]), "__uint_as_float": (FLOAT, [UINT]),
    "__longlong_as_double": (DOUBLE, [LL]), "__hiloint2double": (DOUBLE, [INT, INT]),
    "float_bits": (INT, [FLOAT]), "double_bits": (LL, [DOUBLE]),
}  # fmt: skip
# Functions that stand before the kernel when it uses them.
LIBRARY = {
    "float_bits": "__device__ int float_bits(float x) {\n"
    "    return x == x ? __float_as_int(x) : 0;\n}",
    "double_bits": "__device__ long long double_bits(double x) {\n"
    "    return x == x ? __double_as_longlong(x) : 0;\n}",
    "blend": "template <typename T> __device__ T blend(T a, T b, bool first) {\n"
    "    if (first) return a;\n    return b;\n}",
    "exchange": "template <typename T> __device__ void exchange(T& a, T& b) {\n"
    "    T t = a;\n    a = b;\n    b = t;\n}",
    "stir": "template <int N> __device__ int stir(int x) {\n"
    "    for (int i = 0; i < N; i++) {\n        if (x % 7 == 3) return x + N;\n"
    "        x = x * 31 + i;\n    }\n    return x;\n}",
    "total": "template <typename T, int N> __device__ T total(const T* p, T first) {\n"
    "    for (const T* end = p + N; p != end; ++p) first += *p;\n    return first;\n}",
    "GREATER": "#define GREATER(a, b) ((a) > (b) ? (a) : (b))",
    "SQUARE": "#define SQUARE(a) ((a) * (a))",
    "cas_add": "__device__ void cas_add(unsigned* p, unsigned v) {\n"
    "    unsigned old = *p, assumed;\n    do {\n        assumed = old;\n"
    "        old = atomicCAS(p, assumed, assumed + v);\n"
    "    } while (assumed != old);\n}",
    "turn": "template <typename T>\n__device__ T turn(T v, T* s, int tid, int by) {\n"
    "    __syncthreads();\n    s[tid] = v;\n    __syncthreads();\n"
    "    T out = s[(tid + by) % NT];\n    __syncthreads();\n    return out;\n}",
    "TO": "#ifndef SIMT_NATIVE\n#define TO(T, ...) ((T)(__VA_ARGS__))\n#endif",
    "SHL": "#ifndef SIMT_NATIVE\n#define SHL(a, b) ((a) << (b))\n#endif",
    "SHR": "#ifndef SIMT_NATIVE\n#define SHR(a, b) ((a) >> (b))\n#endif",
}


def promoted(type):
    return INT if type.rank < INT.rank else type


def common(a, b):
    """The type in which C computes a + b."""
    a, b = promoted(a), promoted(b)
    high, low = (a, b) if a.rank >= b.rank else (b, a)
    if not high.integer or high.signed == low.signed or not high.signed:
        return high
    if high.bits > low.bits:
        return high
    return next(t for t in TYPES if t.rank == high.rank and not t.signed)
