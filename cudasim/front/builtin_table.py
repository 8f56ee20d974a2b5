"""CUDA's own functions, as a table.

One line for each signature: `names: result(parameters)`, with `| types` where T stands
for each of them; V is for make_float4 and the like. A line in brackets names the
category of those below it, then the header that brings them, or the compute capability
that they need. What the header "internal" brings, no text can call: the checker makes
it of cooperative groups.

__tile_converge() waits for all lanes of the warp, and orders no memory.
__tile_async(what, n): 0 and 1 are around the writes of an asynchronous copy, 2 closes
a group of copies, 3 waits until n of the thread's groups are left, 4 for all of them, 5
for the oldest.
__tile_reduce_op(mask, value, width), for tiles of `width` lanes: every lane of the tile
gets the result. As in CUDA's header, by halves: for d = width / 2 ... 1, value =
op(value, value of lane ^ d), which fixes the order of a sum of floats. min(a, b) is
b < a ? b : a, and max(a, b) is a < b ? b : a.
"""

import re

PLAIN = """
[math]
sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos: T(T) | float double
atan sinh cosh tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx tgamma lgamma: T(T) | float double
fabs floor ceil trunc round rint nearbyint sinpi cospi j0 j1 y0 y1 logb normcdf normcdfinv: T(T) | float double
sqrtf rsqrtf cbrtf rcbrtf expf exp2f exp10f expm1f logf log2f log10f log1pf sinf cosf tanf: float(float)
asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf erff erfcf erfinvf erfcinvf: float(float)
erfcxf tgammaf lgammaf fabsf floorf ceilf truncf roundf rintf nearbyintf sinpif cospif: float(float)
j0f j1f y0f y1f logbf normcdff normcdfinvf: float(float)
__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __saturatef: float(float)
__tanhf __frcp_rn __frcp_rz __frcp_ru __frcp_rd __fsqrt_rn __fsqrt_rz __fsqrt_ru __fsqrt_rd __frsqrt_rn: float(float)
__drcp_rn __drcp_rz __drcp_ru __drcp_rd __dsqrt_rn __dsqrt_rz __dsqrt_ru __dsqrt_rd: double(double)
fmin fmax fmod atan2 hypot fdim copysign nextafter remainder: T(T,T) | float double
rhypot: double(double,double)
fminf fmaxf fmodf powf atan2f hypotf fdimf copysignf nextafterf remainderf rhypotf: float(float,float)
fdividef __fdividef __powf __fadd_rn __fadd_rz __fadd_ru __fadd_rd __fsub_rn __fsub_rz __fsub_ru __fsub_rd: float(float,float)
__fmul_rn __fmul_rz __fmul_ru __fmul_rd __fdiv_rn __fdiv_rz __fdiv_ru __fdiv_rd: float(float,float)
fdivide: T(T,T) | float double
__dadd_rn __dadd_rz __dadd_ru __dadd_rd __dsub_rn __dsub_rz __dsub_ru __dsub_rd: double(double,double)
__dmul_rn __dmul_rz __dmul_ru __dmul_rd __ddiv_rn __ddiv_rz __ddiv_ru __ddiv_rd: double(double,double)
pow: T(T,T) | float double
pow: T(T,int) | float double
copysign: double(double,float)
copysign: double(float,double)
fma: T(T,T,T) | float double
fmaf __fmaf_rn __fmaf_rz __fmaf_ru __fmaf_rd __fmaf_ieee_rn __fmaf_ieee_rz __fmaf_ieee_ru __fmaf_ieee_rd: float(float,float,float)
__fma_rn __fma_rz __fma_ru __fma_rd: double(double,double,double)
norm3df rnorm3df: float(float,float,float)
norm3d rnorm3d: double(double,double,double)
norm4df rnorm4df: float(float,float,float,float)
ldexp scalbn: T(T,int) | float double
ldexpf scalbnf: float(float,int)
scalbln: T(T,long) | float double
scalblnf: float(float,long)
frexp: T(T,int*) | float double
frexpf: float(float,int*)
modf: T(T,T*) | float double
modff: float(float,float*)
remquo: T(T,T,int*) | float double
remquof: float(float,float,int*)
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
__dp4a: int(char4,char4,int)
__dp4a: uint(uchar4,uchar4,uint)
__dp2a_lo __dp2a_hi: int(int,int,int)
__dp2a_lo __dp2a_hi: uint(uint,uint,uint)
__dp2a_lo __dp2a_hi: int(short2,char4,int)
__dp2a_lo __dp2a_hi: uint(ushort2,uchar4,uint)
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
__double2uint_rn __double2uint_rz __double2uint_ru __double2uint_rd: uint(double)
__double2ll_rn __double2ll_rz __double2ll_ru __double2ll_rd: longlong(double)
__double2ull_rn __double2ull_rz __double2ull_ru __double2ull_rd: ulonglong(double)
__double2float_rn __double2float_rz __double2float_ru __double2float_rd: float(double)
__int2float_rn __int2float_rz __int2float_ru __int2float_rd: float(int)
__uint2float_rn __uint2float_rz __uint2float_ru __uint2float_rd: float(uint)
__int2double_rn: double(int)
__uint2double_rn: double(uint)
__ll2float_rn __ll2float_rz __ll2float_ru __ll2float_rd: float(longlong)
__ull2float_rn __ull2float_rz __ull2float_ru __ull2float_rd: float(ulonglong)
__ll2double_rn __ll2double_rz __ll2double_ru __ll2double_rd: double(longlong)
__ull2double_rn __ull2double_rz __ull2double_ru __ull2double_rd: double(ulonglong)
[barrier]
__syncthreads __grid_sync: void()
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
__tile_converge: void()
[warp sm_80]
__reduce_add_sync __reduce_min_sync __reduce_max_sync: T(uint,T) | int uint
__reduce_and_sync __reduce_or_sync __reduce_xor_sync: uint(uint,uint)
[warp internal]
__tile_reduce_add __tile_reduce_min __tile_reduce_max: T(uint,T,int) | int uint long ulong longlong ulonglong float double
__tile_reduce_and __tile_reduce_or __tile_reduce_xor: T(uint,T,int) | int uint long ulong longlong ulonglong
[async]
__tile_async: void(int,int)
[fence]
__threadfence __threadfence_block __threadfence_system: void()
[atomic]
atomicAdd atomicAdd_block atomicAdd_system: T(T*,T) | int uint ulonglong float double
atomicSub atomicSub_block atomicSub_system: T(T*,T) | int uint
atomicExch atomicExch_block atomicExch_system: T(T*,T) | int uint ulonglong float
atomicMin atomicMin_block atomicMin_system atomicMax atomicMax_block atomicMax_system: T(T*,T) | int uint longlong ulonglong
atomicAnd atomicAnd_block atomicAnd_system: T(T*,T) | int uint longlong ulonglong
atomicOr atomicOr_block atomicOr_system atomicXor atomicXor_block atomicXor_system: T(T*,T) | int uint longlong ulonglong
atomicInc atomicInc_block atomicInc_system atomicDec atomicDec_block atomicDec_system: uint(uint*,uint)
atomicCAS atomicCAS_block atomicCAS_system: T(T*,T,T) | int uint ulonglong
atomicCAS: ushort(ushort*,ushort,ushort)
[atomic sm_90]
atomicAdd atomicAdd_block atomicAdd_system: T(T*,T) | float2 float4
atomicExch atomicExch_block atomicExch_system: T(T*,T) | float4
[memory]
__ldg __ldcg __ldca __ldcs __ldlu __ldcv: T(const T*) | char schar uchar short ushort int uint long ulong longlong ulonglong float double char2 char4 uchar2 uchar4 short2 short4 ushort2 ushort4 int2 int4 uint2 uint4 longlong2 ulonglong2 float2 float4 double2
[store]
__stwb __stcg __stcs __stwt: void(T*,T) | char schar uchar short ushort int uint long ulong longlong ulonglong float double char2 char4 uchar2 uchar4 short2 short4 ushort2 ushort4 int2 int4 uint2 uint4 longlong2 ulonglong2 float2 float4 double2
[hint]
__builtin_expect: long(long,long)
__builtin_assume: void(bool)
__builtin_unreachable: void()
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
make_long1 make_long2 make_long3 make_long4 make_ulong1 make_ulong2 make_ulong3 make_ulong4: V
make_longlong1 make_longlong2 make_longlong3 make_longlong4 make_ulonglong1 make_ulonglong2 make_ulonglong3 make_ulonglong4: V
"""  # noqa: E501
# half and bfloat16 in one: H is the number, H2 the pair of it, and $ its name.
HALVES = """
__float2$ __float2$_rn __float2$_rz __float2$_ru __float2$_rd: H(float)
__double2$: H(double)
__$2float: float(H)
__$2char_rz: schar(H)
__$2uchar_rz: uchar(H)
__$2short_rn __$2short_rz __$2short_ru __$2short_rd: short(H)
__$2ushort_rn __$2ushort_rz __$2ushort_ru __$2ushort_rd: ushort(H)
__$2int_rn __$2int_rz __$2int_ru __$2int_rd: int(H)
__$2uint_rn __$2uint_rz __$2uint_ru __$2uint_rd: uint(H)
__$2ll_rn __$2ll_rz __$2ll_ru __$2ll_rd: longlong(H)
__$2ull_rn __$2ull_rz __$2ull_ru __$2ull_rd: ulonglong(H)
__short2$_rn __short2$_rz __short2$_ru __short2$_rd: H(short)
__ushort2$_rn __ushort2$_rz __ushort2$_ru __ushort2$_rd: H(ushort)
__int2$_rn __int2$_rz __int2$_ru __int2$_rd: H(int)
__uint2$_rn __uint2$_rz __uint2$_ru __uint2$_rd: H(uint)
__ll2$_rn __ll2$_rz __ll2$_ru __ll2$_rd: H(longlong)
__ull2$_rn __ull2$_rz __ull2$_ru __ull2$_rd: H(ulonglong)
__$_as_short: short(H)
__$_as_ushort: ushort(H)
__short_as_$: H(short)
__ushort_as_$: H(ushort)
__hadd __hsub __hmul __hdiv __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat: H(H,H)
__hmin __hmax __hmin_nan __hmax_nan: H(H,H)
__hneg __habs hsqrt hrsqrt hexp hexp2 hexp10 hlog hlog2 hlog10 hsin hcos htanh htanh_approx: H(H)
hrcp hfloor hceil htrunc hrint: H(H)
__heq __hne __hlt __hle __hgt __hge __hequ __hneu __hltu __hleu __hgtu __hgeu: bool(H,H)
__hisnan: bool(H)
__hisinf: int(H)
__$2$2: H2(H)
__halves2$2 make_$2: H2(H,H)
__float2$2_rn: H2(float)
__floats2$2_rn: H2(float,float)
__float22$2_rn: H2(float2)
__$22float2: float2(H2)
__low2$ __high2$: H(H2)
__low2float __high2float: float(H2)
__low2$2 __high2$2 __lowhigh2highlow: H2(H2)
__lows2$2 __highs2$2: H2(H2,H2)
__hadd2 __hsub2 __hmul2 __h2div __hadd2_rn __hsub2_rn __hmul2_rn __hadd2_sat __hsub2_sat __hmul2_sat: H2(H2,H2)
__hmin2 __hmax2 __hmin2_nan __hmax2_nan: H2(H2,H2)
__hneg2 __habs2 h2sqrt h2rsqrt h2exp h2exp2 h2exp10 h2log h2log2 h2log10 h2sin h2cos h2tanh h2tanh_approx: H2(H2)
h2rcp h2floor h2ceil h2trunc h2rint __hisnan2: H2(H2)
__heq2 __hne2 __hlt2 __hle2 __hgt2 __hge2 __hequ2 __hneu2 __hltu2 __hleu2 __hgtu2 __hgeu2: H2(H2,H2)
__heq2_mask __hne2_mask __hlt2_mask __hle2_mask __hgt2_mask __hge2_mask: uint(H2,H2)
__hequ2_mask __hneu2_mask __hltu2_mask __hleu2_mask __hgtu2_mask __hgeu2_mask: uint(H2,H2)
__hbeq2 __hbne2 __hblt2 __hble2 __hbgt2 __hbge2 __hbequ2 __hbneu2 __hbltu2 __hbleu2 __hbgtu2 __hbgeu2: bool(H2,H2)
atomicAdd: T(T*,T) | H H2
__shfl_sync __shfl_xor_sync: T(uint,T,int,int=) | H H2
__shfl_up_sync __shfl_down_sync: T(uint,T,uint,int=) | H H2
__ldg __ldcg __ldca __ldcs __ldlu __ldcv: T(const T*) | H H2
__stwb __stcg __stcs __stwt: void(T*,T) | H H2
"""  # noqa: E501
# Of bfloat16 these need compute capability 8.0.
FUSED = """
__hfma __hfma_sat __hfma_relu: H(H,H,H)
__hfma2 __hfma2_sat __hfma2_relu __hcmadd: H2(H2,H2,H2)
"""


def _halves(text, number, pair, name):
    """The lines for one of the two formats."""
    words = {"H2": pair, "H": number}
    text = re.sub(r"\bH2?\b", lambda found: words[found[0]], text)
    return text.replace("$", name)


TABLE = "\n".join(
    [
        PLAIN,
        "[half cuda_fp16.h]",
        _halves(HALVES + FUSED, "half", "half2", "half"),
        "[half cuda_bf16.h]",
        _halves(HALVES, "bf16", "bf162", "bfloat16"),
        "[half cuda_bf16.h sm_80]",
        _halves(FUSED, "bf16", "bf162", "bfloat16"),
    ]
)
