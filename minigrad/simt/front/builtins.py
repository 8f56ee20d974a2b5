"""CUDA's own functions, as overloads.

One line for each signature: `names: result(parameters)`, with `| types` where T stands
for each of them. A line in brackets names the category of those below it, and the
header that brings them. What the header "internal" brings, no text can call: the
checker makes it of cooperative groups.

__tile_reduce_op(mask, value, width), for tiles of `width` lanes: every lane of the tile
gets the result. As in CUDA's header, by halves: for d = width / 2 ... 1, value =
op(value, value of lane ^ d), which fixes the order of a sum of floats. min(a, b) is
b < a ? b : a, and max(a, b) is a < b ? b : a.
"""

import dataclasses
import functools

from . import ctype as C

TABLE = """
[math]
sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos: T(T) | float double
atan sinh cosh tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx tgamma lgamma: T(T) | float double
fabs floor ceil trunc round rint nearbyint sinpi cospi j0 j1 y0 y1 logb normcdf normcdfinv: T(T) | float double
sqrtf rsqrtf cbrtf rcbrtf expf exp2f exp10f expm1f logf log2f log10f log1pf sinf cosf tanf: float(float)
asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf erff erfcf erfinvf erfcinvf: float(float)
erfcxf tgammaf lgammaf fabsf floorf ceilf truncf roundf rintf nearbyintf sinpif cospif: float(float)
j0f j1f y0f y1f logbf normcdff normcdfinvf: float(float)
__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __saturatef: float(float)
__frcp_rn __frcp_rz __frcp_ru __frcp_rd __fsqrt_rn __fsqrt_rz __fsqrt_ru __fsqrt_rd __frsqrt_rn: float(float)
__drcp_rn __dsqrt_rn: double(double)
fmin fmax fmod atan2 hypot fdim copysign nextafter remainder: T(T,T) | float double
rhypot: double(double,double)
fminf fmaxf fmodf powf atan2f hypotf fdimf copysignf nextafterf remainderf rhypotf: float(float,float)
fdividef __fdividef __powf __fadd_rn __fadd_rz __fadd_ru __fadd_rd __fsub_rn __fsub_rz: float(float,float)
__fmul_rn __fmul_rz __fmul_ru __fmul_rd __fdiv_rn __fdiv_rz __fdiv_ru __fdiv_rd: float(float,float)
__dadd_rn __dsub_rn __dmul_rn __ddiv_rn: double(double,double)
pow: T(T,T) | float double
pow: T(T,int) | float double
copysign: double(double,float)
copysign: double(float,double)
fma: T(T,T,T) | float double
fmaf __fmaf_rn __fmaf_rz __fmaf_ru __fmaf_rd: float(float,float,float)
__fma_rn: double(double,double,double)
norm3df rnorm3df: float(float,float,float)
norm3d rnorm3d: double(double,double,double)
norm4df rnorm4df: float(float,float,float,float)
ldexp scalbn: T(T,int) | float double
ldexpf scalbnf: float(float,int)
frexp: T(T,int*) | float double
frexpf: float(float,int*)
modf: T(T,T*) | float double
modff: float(float,float*)
sincosf sincospif __sincosf: void(float,float*,float*)
sincos sincospi: void(T,T*,T*) | float double
isnan isinf isfinite signbit: bool(T) | float double
lrint: long(T) | float double
lround: long(T) | float double
llrint llround: longlong(T) | float double
lrintf lroundf: long(float)
llrintf llroundf: longlong(float)
ilogb: int(T) | float double
ilogbf: int(float)
nanf: float(const char*)
nan: double(const char*)
abs: T(T) | int long longlong float double
labs: long(long)
llabs: longlong(longlong)
min max: T(T,T) | int uint long ulong longlong ulonglong float double
min max: uint(uint,int)
min max: uint(int,uint)
min max: ulong(ulong,long)
min max: ulong(long,ulong)
min max: ulonglong(ulonglong,longlong)
min max: ulonglong(longlong,ulonglong)
min max: double(float,double)
min max: double(double,float)
umin umax: uint(uint,uint)
llmin llmax: longlong(longlong,longlong)
ullmin ullmax: ulonglong(ulonglong,ulonglong)
[integer]
__clz __ffs: int(int)
__popc: int(uint)
__clzll __ffsll: int(longlong)
__popcll: int(ulonglong)
__brev: uint(uint)
__brevll: ulonglong(ulonglong)
__mulhi __mul24: int(int,int)
__umulhi __umul24: uint(uint,uint)
__mul64hi: longlong(longlong,longlong)
__umul64hi: ulonglong(ulonglong,ulonglong)
__byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc: uint(uint,uint,uint)
__sad: uint(int,int,uint)
__usad: uint(uint,uint,uint)
__hadd: int(int,int)
__rhadd: int(int,int)
__uhadd __urhadd: uint(uint,uint)
__dp4a: int(int,int,int)
__dp4a: uint(uint,uint,uint)
[bits]
__float_as_int: int(float)
__float_as_uint: uint(float)
__int_as_float: float(int)
__uint_as_float: float(uint)
__double_as_longlong: longlong(double)
__longlong_as_double: double(longlong)
__double2hiint __double2loint: int(double)
__hiloint2double: double(int,int)
[convert]
__float2int_rn __float2int_rz __float2int_ru __float2int_rd: int(float)
__float2uint_rn __float2uint_rz __float2uint_ru __float2uint_rd: uint(float)
__float2ll_rn __float2ll_rz __float2ll_ru __float2ll_rd: longlong(float)
__float2ull_rn __float2ull_rz __float2ull_ru __float2ull_rd: ulonglong(float)
__double2int_rn __double2int_rz __double2int_ru __double2int_rd: int(double)
__double2uint_rn __double2uint_rz: uint(double)
__double2ll_rn __double2ll_rz: longlong(double)
__double2float_rn __double2float_rz __double2float_ru __double2float_rd: float(double)
__int2float_rn __int2float_rz __int2float_ru __int2float_rd: float(int)
__uint2float_rn __uint2float_rz: float(uint)
__int2double_rn: double(int)
__uint2double_rn: double(uint)
__ll2float_rn: float(longlong)
__ull2float_rn: float(ulonglong)
__ll2double_rn: double(longlong)
__ull2double_rn: double(ulonglong)
[barrier]
__syncthreads: void()
__syncthreads_count __syncthreads_and __syncthreads_or: int(int)
[warp]
__activemask: uint()
__ballot_sync: uint(uint,int)
__any_sync __all_sync: int(uint,int)
__shfl_sync: T(uint,T,int,int=) | int uint long ulong longlong ulonglong float double
__shfl_up_sync __shfl_down_sync: T(uint,T,uint,int=) | int uint long ulong longlong ulonglong float double
__shfl_xor_sync: T(uint,T,int,int=) | int uint long ulong longlong ulonglong float double
__match_any_sync: uint(uint,T) | int uint long ulong longlong ulonglong float double
__match_all_sync: uint(uint,T,int*) | int uint long ulong longlong ulonglong float double
__syncwarp: void(uint=)
__reduce_add_sync __reduce_min_sync __reduce_max_sync: T(uint,T) | int uint
__reduce_and_sync __reduce_or_sync __reduce_xor_sync: uint(uint,uint)
[warp internal]
__tile_reduce_add __tile_reduce_min __tile_reduce_max: T(uint,T,int) | int uint long ulong longlong ulonglong float double
__tile_reduce_and __tile_reduce_or __tile_reduce_xor: T(uint,T,int) | int uint long ulong longlong ulonglong
[fence]
__threadfence __threadfence_block __threadfence_system: void()
[atomic]
atomicAdd atomicAdd_block atomicAdd_system: T(T*,T) | int uint ulonglong float double
atomicSub: T(T*,T) | int uint
atomicExch: T(T*,T) | int uint ulonglong float
atomicMin atomicMax: T(T*,T) | int uint longlong ulonglong
atomicAnd atomicOr atomicXor: T(T*,T) | int uint ulonglong
atomicAnd atomicOr atomicXor: longlong(longlong*,longlong)
atomicInc atomicDec: uint(uint*,uint)
atomicCAS: T(T*,T,T) | int uint ulonglong ushort
[memory]
__ldg __ldcg __ldca __ldcs: T(const T*) | char uchar short ushort int uint long ulong longlong ulonglong float double float2 float4 double2 int2 int4 uint2 uint4 char4 uchar4
[clock]
clock: long()
clock64: longlong()
__nanosleep: void(uint)
[trap]
__trap: void()
[vector]
make_float1 make_float2 make_float3 make_float4: V
make_double1 make_double2 make_double3 make_double4: V
make_int1 make_int2 make_int3 make_int4 make_uint1 make_uint2 make_uint3 make_uint4: V
make_char1 make_char2 make_char3 make_char4 make_uchar1 make_uchar2 make_uchar3 make_uchar4: V
make_short1 make_short2 make_short3 make_short4: V
make_ushort1 make_ushort2 make_ushort3 make_ushort4: V
make_long1 make_long2 make_long3 make_long4 make_ulong1 make_ulong2: V
make_longlong1 make_longlong2 make_longlong3 make_longlong4 make_ulonglong1 make_ulonglong2: V
[half cuda_fp16.h]
__float2half __float2half_rn __float2half_rz __float2half_ru __float2half_rd: half(float)
__double2half: half(double)
__half2float: float(half)
__int2half_rn: half(int)
__uint2half_rn: half(uint)
__half2int_rn __half2int_rz: int(half)
__half2uint_rn __half2uint_rz: uint(half)
__half_as_short: short(half)
__half_as_ushort: ushort(half)
__short_as_half: half(short)
__ushort_as_half: half(ushort)
__hadd __hsub __hmul __hdiv __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat: half(half,half)
__hmin __hmax: half(half,half)
__hfma __hfma_sat: half(half,half,half)
__hneg __habs hsqrt hrsqrt hexp hexp2 hlog hlog2 hlog10 hsin hcos hrcp hfloor hceil htrunc hrint: half(half)
__heq __hne __hlt __hle __hgt __hge: bool(half,half)
__hisnan: bool(half)
__hisinf: int(half)
__half2half2: half2(half)
__halves2half2: half2(half,half)
__float2half2_rn: half2(float)
__floats2half2_rn: half2(float,float)
__float22half2_rn: half2(float2)
__half22float2: float2(half2)
__low2half __high2half: half(half2)
__low2float __high2float: float(half2)
__hadd2 __hsub2 __hmul2 __h2div __hmin2 __hmax2: half2(half2,half2)
__hfma2: half2(half2,half2,half2)
__hneg2 __habs2 h2sqrt h2rsqrt h2exp h2log: half2(half2)
atomicAdd: T(T*,T) | half half2
__shfl_sync __shfl_xor_sync: T(uint,T,int,int=) | half half2
__shfl_up_sync __shfl_down_sync: T(uint,T,uint,int=) | half half2
__ldg: T(const T*) | half half2
make_half2: half2(half,half)
[half cuda_bf16.h]
__float2bfloat16 __float2bfloat16_rn __float2bfloat16_rz: bf16(float)
__double2bfloat16: bf16(double)
__bfloat162float: float(bf16)
__int2bfloat16_rn: bf16(int)
__bfloat162int_rz: int(bf16)
__bfloat16_as_ushort: ushort(bf16)
__ushort_as_bfloat16: bf16(ushort)
__hadd __hsub __hmul __hdiv __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat: bf16(bf16,bf16)
__hmin __hmax: bf16(bf16,bf16)
__hfma __hfma_sat: bf16(bf16,bf16,bf16)
__hneg __habs hsqrt hrsqrt hexp hexp2 hlog hlog2 hlog10 hsin hcos hrcp hfloor hceil htrunc hrint: bf16(bf16)
__hisinf: int(bf16)
__heq __hne __hlt __hle __hgt __hge: bool(bf16,bf16)
__hisnan: bool(bf16)
__bfloat162bfloat162: bf162(bf16)
__floats2bfloat162_rn: bf162(float,float)
__low2float __high2float: float(bf162)
__low2bfloat16 __high2bfloat16: bf16(bf162)
__hadd2 __hsub2 __hmul2 __h2div __hmin2 __hmax2: bf162(bf162,bf162)
__hneg2 __habs2 h2sqrt h2rsqrt h2exp h2log: bf162(bf162)
__ldg: T(const T*) | bf16 bf162
__hfma2: bf162(bf162,bf162,bf162)
atomicAdd: T(T*,T) | bf16 bf162
__shfl_sync __shfl_xor_sync: T(uint,T,int,int=) | bf16 bf162
__shfl_up_sync __shfl_down_sync: T(uint,T,uint,int=) | bf16 bf162
"""  # noqa: E501

WORDS = {
    **C.BASES, **C.VECTORS, "void": C.VOID, "bool": C.BOOL, "half": C.HALF,
    "half2": C.HALF2, "bf16": C.BFLOAT16, "bf162": C.BFLOAT162,
}  # fmt: skip
# Since compute capability 8.0 only.
NEEDS_80 = ("__reduce_",)
# NVRTC finds these ambiguous for a half, which converts to several types.
NOT_FOR_HALF = {"isinf", "isfinite", "signbit"}


@dataclasses.dataclass(eq=False, frozen=True)
class Builtin:
    """One overload of a function of CUDA's."""

    name: str
    category: str
    result: object
    types: tuple
    required: int
    header: str = ""


def _rows():
    """name -> its lines: (category, header, signature, types of T)."""
    rows, category, header = {}, "", ""
    for line in TABLE.strip().splitlines():
        if line.startswith("["):
            category, _, header = line[1:-1].partition(" ")
            continue
        names, _, rest = line.partition(":")
        signature, _, types = rest.partition("|")
        for name in names.split():
            row = category, header, signature.strip(), types.split() or ["void"]
            rows.setdefault(name, []).append(row)
    return rows


ROWS = _rows()
NAMES = frozenset(n for n in ROWS if n[:7] != "__tile_") | {"printf", "assert"}


def _type(text, t):
    """The type that a word of the table stands for."""
    text = text.strip().rstrip("=")
    if text.endswith("*"):
        const = text.startswith("const ")
        inner = _type(text.removeprefix("const ")[:-1], t)
        return inner.qualified(C.CONST if const else 0).pointer()
    return WORDS[t if text == "T" else text]


@functools.cache
def overloads(name):
    """Every overload of `name`, in the order of the table."""
    out = []
    for category, header, signature, types in ROWS.get(name, ()):
        if signature == "V":
            type = C.VECTORS[name.removeprefix("make_")]
            fields = tuple(t for t, _ in type.fields.values())
            out.append(Builtin(name, category, type, fields, len(fields)))
            continue
        result, _, rest = signature.removesuffix(")").partition("(")
        words = rest.split(",") if rest else []
        required = sum(not w.endswith("=") for w in words)
        for t in types:
            made = tuple(_type(w, t) for w in words)
            kind = _type(result, t)
            out.append(Builtin(name, category, kind, made, required, header))
    return tuple(out)


PRINTF = Builtin("printf", "print", C.INT, (), 1)
ASSERT = Builtin("assert", "assert", C.VOID, (C.BOOL,), 1)
